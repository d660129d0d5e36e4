//! Decides how the reverse sweep obtains the primal values it mentions: they are still there, re-read, recomputed, or remembered.
//!
//! The rule that makes re-reading right: at the reverse of an operation, memory holds what it held just after that operation ran.
//! Stores that would break it are undone: the old contents are saved before and restored on the way back.
//! Any set of *more* records and saves is right; remembering everything is the same code with the cheaper ways switched off.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::ir::{
    Arg, Block, BlockId, Domain, Func, Kind, Op, Origin, Param, Path, Place, Pos, Prim, Step,
    Storage, Ty, Value,
};
use crate::rules;

/// What the options of the attribute ask of the analysis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    /// The memory of `&mut` parameters is put back to its state at entry.
    pub(crate) restore: bool,
    /// Nothing is re-read or recomputed.
    pub(crate) everything: bool,
    /// What is re-read or recomputed is remembered as well, and compared.
    pub(crate) verify: bool,
    /// A wrong answer on purpose, to test the tests.
    pub(crate) mutate: Option<String>,
}

impl Policy {
    fn mutates(&self, name: &str) -> bool {
        self.mutate.as_deref() == Some(name)
    }
}

/// Above this cost a value is remembered rather than computed again.
const THRESHOLD: u32 = 3;

/// The definition of a value of the forward sweep.
struct Def {
    block: BlockId,
    pos: Pos,
    /// `None` for a parameter.
    op: Option<(Kind, Vec<Value>)>,
    /// The item of a range, which the reversed loop has again.
    induction: bool,
}

struct BlockInfo {
    parent: Option<BlockId>,
    segment: bool,
    is_loop: bool,
    depth: u32,
}

struct StoreSite {
    place: Place,
    pos: Pos,
    block: BlockId,
    path: Option<Path>,
    /// A pullback undoes what its call did.
    undone: bool,
}

/// The forward sweep, indexed.
#[derive(Default)]
struct Index {
    defs: HashMap<Value, Def>,
    blocks: HashMap<BlockId, BlockInfo>,
    /// The block of each operation.
    block_of: HashMap<Pos, BlockId>,
    stores: Vec<StoreSite>,
    /// Where the contents of a place change, and where its shape may.
    changes: HashMap<Place, BTreeSet<Pos>>,
    reshapes: HashMap<Place, BTreeSet<Pos>>,
    born: HashMap<Place, BlockId>,
    exclusive: HashSet<Place>,
    /// The item of each loop over a range.
    items: HashMap<BlockId, Value>,
}

impl Index {
    fn new(func: &Func) -> Index {
        let mut index = Index::default();
        for param in &func.params {
            match *param {
                Param::Value(v) => {
                    index.defs.insert(
                        v,
                        Def {
                            block: func.body.id,
                            pos: 0,
                            op: None,
                            induction: false,
                        },
                    );
                }
                Param::Place(p) => {
                    index.born.insert(p, func.body.id);
                    if func.at(p).storage == Storage::Exclusive {
                        index.exclusive.insert(p);
                    }
                }
            }
        }
        index.block(func, &func.body, None, false, 0);
        index
    }

    fn block(
        &mut self,
        func: &Func,
        block: &Block,
        parent: Option<BlockId>,
        is_loop: bool,
        depth: u32,
    ) {
        self.blocks.insert(
            block.id,
            BlockInfo {
                parent,
                segment: block.segment,
                is_loop,
                depth,
            },
        );
        for op in &block.ops {
            if op.pos == 0 {
                continue;
            }
            self.block_of.insert(op.pos, block.id);
            for &v in &op.results {
                self.defs.insert(
                    v,
                    Def {
                        block: block.id,
                        pos: op.pos,
                        op: Some((op.kind.clone(), op.args.clone())),
                        induction: false,
                    },
                );
            }
            if let Kind::New(p) = &op.kind {
                self.born.insert(*p, block.id);
            }
            let path = match &op.kind {
                Kind::Store(path) | Kind::AddTo(path) => Some(path.clone()),
                _ => None,
            };
            let undone =
                matches!(op.kind, Kind::Call(ref c) if matches!(c.form, crate::ir::Form::Forward));
            let whole = path.as_ref().is_none_or(|p| p.steps.is_empty());
            for place in op.stores() {
                self.stores.push(StoreSite {
                    place,
                    pos: op.pos,
                    block: block.id,
                    path: path.clone(),
                    undone,
                });
                self.bump(func, place, op.pos, whole);
            }
            // What a region stores changes at its start (another round) and at its end (another arm).
            let mut inside: Vec<(Place, bool)> = Vec::new();
            let mut last = op.pos;
            op.walk(&mut |inner| {
                last = last.max(inner.pos);
                let whole = match &inner.kind {
                    Kind::Store(path) | Kind::AddTo(path) => path.steps.is_empty(),
                    _ => true,
                };
                if inner.pos != op.pos {
                    inside.extend(inner.stores().into_iter().map(|p| (p, whole)));
                }
            });
            for (place, whole) in inside {
                self.bump(func, place, op.pos, whole);
                self.bump(func, place, last + 1, whole);
            }
            let loops = matches!(op.kind, Kind::For(_));
            for inner in &op.blocks {
                if loops {
                    self.loop_params(op, inner);
                } else {
                    for &v in &inner.params {
                        self.defs.insert(
                            v,
                            Def {
                                block: inner.id,
                                pos: op.pos,
                                op: None,
                                induction: false,
                            },
                        );
                    }
                }
                self.block(func, inner, Some(block.id), loops, depth + u32::from(loops));
            }
        }
    }

    fn loop_params(&mut self, op: &Op, block: &Block) {
        let Kind::For(head) = &op.kind else { return };
        let again = matches!(head.domain, Domain::Range { .. });
        if again {
            self.items.insert(block.id, block.params[0]);
        }
        for (k, &v) in block.params.iter().enumerate() {
            self.defs.insert(
                v,
                Def {
                    block: block.id,
                    pos: op.pos,
                    op: None,
                    induction: again && k < head.inductions,
                },
            );
        }
    }

    fn bump(&mut self, func: &Func, place: Place, pos: Pos, whole: bool) {
        self.changes.entry(place).or_default().insert(pos);
        if whole
            && !matches!(
                func.at(place).ty,
                Ty::Array(..) | Ty::Slice(_) | Ty::Float(_)
            )
        {
            self.reshapes.entry(place).or_default().insert(pos);
        }
    }

    /// The block and all around it, innermost first.
    fn around(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(block), |b| {
            self.blocks.get(b).and_then(|info| info.parent)
        })
    }

    /// The innermost loop body around a block that runs forward and backward in one pass.
    fn fused(&self, block: BlockId) -> Option<BlockId> {
        self.around(block).find(|b| {
            self.blocks
                .get(b)
                .is_some_and(|info| info.segment && info.is_loop)
        })
    }

    fn is_segment(&self, block: BlockId) -> bool {
        self.blocks.get(&block).is_some_and(|info| info.segment)
    }

    fn is_free(&self, v: Value) -> bool {
        self.defs
            .get(&v)
            .is_none_or(|def| self.is_segment(def.block))
    }

    /// The place is still there in the reverse sweep.
    fn is_alive(&self, p: Place) -> bool {
        self.born.get(&p).is_some_and(|&b| self.is_segment(b))
    }

    /// Whether another round of a loop around both may store to what the use reads, before the use is reversed.
    ///
    /// Not if both name the element by the loop's own item: other rounds then touch other elements.
    fn share_a_loop(
        &self,
        store: &StoreSite,
        home: BlockId,
        read: Option<&Path>,
        within: Option<BlockId>,
    ) -> bool {
        let born = self.born.get(&store.place).copied().unwrap_or(home);
        let outside: HashSet<BlockId> = self.around(born).collect();
        let around_store: Vec<BlockId> = self
            .around(store.block)
            .take_while(|block| Some(*block) != within)
            .collect();
        self.around(home)
            .filter(|block| around_store.contains(block) && !outside.contains(block))
            .filter(|block| {
                self.blocks
                    .get(block)
                    .is_some_and(|i| i.is_loop && !i.segment)
            })
            .any(|block| {
                let apart = self.items.get(&block).is_some_and(|item| {
                    let step = Step::Index(*item);
                    // Behind a range, an index counts from the range's own start.
                    let at = |path: Option<&Path>| {
                        let steps = &path?.steps;
                        let at = steps.iter().position(|s| *s == step)?;
                        let ranged = steps[..at].iter().any(|s| matches!(s, Step::Range(..)));
                        (!ranged).then_some(at)
                    };
                    let (ours, theirs) = (at(store.path.as_ref()), at(read));
                    ours.is_some() && ours == theirs
                });
                !apart
            })
    }
}

fn unchanged(changes: &HashMap<Place, BTreeSet<Pos>>, p: Place, from: Pos, to: Pos) -> bool {
    from >= to
        || changes
            .get(&p)
            .is_none_or(|at| at.range(from + 1..=to).next().is_none())
}

/// What was decided.
struct Decisions {
    recorded: HashSet<Value>,
    /// Positions of stores whose old contents are saved.
    saved: BTreeSet<Pos>,
    /// Places that are never re-read.
    no_reread: HashSet<Place>,
    /// Places of a round or arm whose last contents are handed to the reverse sweep.
    kept: BTreeSet<Place>,
}

struct Planner<'a> {
    func: &'a Func,
    index: &'a Index,
    policy: &'a Policy,
    decisions: Decisions,
}

impl Planner<'_> {
    /// The cost of having `v` at the reverse of the operation at `at`; more than [`THRESHOLD`] if it must be remembered.
    fn cost(&self, v: Value, at: Pos) -> u32 {
        const NEVER: u32 = THRESHOLD + 1;
        if self.index.is_free(v) {
            return 0;
        }
        let Some(def) = self.index.defs.get(&v) else {
            return 0;
        };
        if def.induction {
            return 0;
        }
        let Some((kind, args)) = &def.op else {
            return if self.decisions.recorded.contains(&v) {
                1
            } else {
                NEVER
            };
        };
        if matches!(kind, Kind::Lit(_)) {
            return 0;
        }
        if self.decisions.recorded.contains(&v) {
            return 1;
        }
        if self.policy.everything {
            return NEVER;
        }
        let own = match kind {
            Kind::Load(path) if self.rereadable(path.root, def.pos, at) => 1,
            Kind::Len(path)
                if self.is_alive(path.root)
                    && unchanged(&self.index.reshapes, path.root, def.pos, Pos::MAX) =>
            {
                1
            }
            Kind::Prim(Prim::Rule(row)) => match rules::rule(*row).name {
                "abs" | "max" | "min" | "copysign" | "relu" | "mul_add" | "clamp" => 1,
                _ => NEVER,
            },
            Kind::Prim(Prim::Div | Prim::Sdiv) => NEVER,
            Kind::Prim(_) | Kind::Compare(_) | Kind::Cast(..) => 1,
            Kind::Opaque(opaque)
                if opaque.pure
                    && opaque
                        .places
                        .iter()
                        .all(|&p| self.rereadable(p, def.pos, at)) =>
            {
                1
            }
            _ => NEVER,
        };
        let mut total = own;
        let mut seen: Vec<Value> = Vec::new();
        let path = match kind {
            Kind::Load(path) | Kind::Len(path) => path.values().collect(),
            _ => Vec::new(),
        };
        for v in args.iter().copied().chain(path) {
            if total > THRESHOLD {
                return total;
            }
            if !seen.contains(&v) {
                seen.push(v);
                total += self.cost(v, at);
            }
        }
        total
    }

    /// The place is still there in the reverse sweep, or again.
    fn is_alive(&self, p: Place) -> bool {
        self.index.is_alive(p) || self.decisions.kept.contains(&p)
    }

    /// Keeps places whose elements would otherwise be remembered one by one in loops inside; `true` if there are new ones.
    fn keep_places(&mut self, needs: &[(Value, Pos)]) -> bool {
        let before = self.decisions.kept.len();
        for &(v, at) in needs {
            let Some(def) = self.index.defs.get(&v) else {
                continue;
            };
            let Some((Kind::Load(path), _)) = &def.op else {
                continue;
            };
            let p = path.root;
            if !self.decisions.recorded.contains(&v) || self.is_alive(p) || self.policy.everything {
                continue;
            }
            let Some(born) = self.index.born.get(&p) else {
                continue;
            };
            let depth = |block: &BlockId| self.index.blocks.get(block).map_or(0, |i| i.depth);
            if depth(&def.block) > depth(born) && unchanged(&self.index.changes, p, def.pos, at) {
                self.decisions.kept.insert(p);
            }
        }
        self.decisions.kept.len() > before
    }

    fn rereadable(&self, p: Place, from: Pos, at: Pos) -> bool {
        self.is_alive(p)
            && !self.decisions.no_reread.contains(&p)
            && unchanged(&self.index.changes, p, from, at)
    }

    /// The places that obtaining `v` reads again.
    fn rereads(&self, v: Value, at: Pos, out: &mut Vec<(Place, Pos, Value)>) {
        if self.index.is_free(v) || self.decisions.recorded.contains(&v) {
            return;
        }
        let Some((kind, args)) = self.index.defs.get(&v).and_then(|d| d.op.as_ref()) else {
            return;
        };
        match kind {
            Kind::Load(path) => {
                out.push((path.root, at, v));
                path.values().for_each(|v| self.rereads(v, at, out));
            }
            Kind::Len(path) => path.values().for_each(|v| self.rereads(v, at, out)),
            Kind::Opaque(opaque) => out.extend(opaque.places.iter().map(|&p| (p, at, v))),
            _ => {}
        }
        for &v in args {
            self.rereads(v, at, out);
        }
    }

    /// Whether the old contents must be put back before the re-read at the reverse of `at`.
    fn must_undo(&self, store: &StoreSite, at: Pos, read: Value) -> bool {
        let Some(&home) = self.index.block_of.get(&at) else {
            return store.pos > at;
        };
        let within = self.index.fused(home);
        if within.is_some() && !self.index.around(store.block).any(|b| Some(b) == within) {
            return false;
        }
        let path = match self.index.defs.get(&read).and_then(|d| d.op.as_ref()) {
            Some((Kind::Load(path), _)) => Some(path),
            _ => None,
        };
        store.pos > at || self.index.share_a_loop(store, home, path, within)
    }

    /// Decides for all needs; restarts when a place turns out cheaper to remember by value.
    fn decide(&mut self, needs: &[(Value, Pos)]) {
        let mut ordered: Vec<(Value, Pos)> = needs.to_vec();
        ordered.sort_by_key(|(v, at)| (self.index.defs.get(v).map_or(0, |d| d.pos), *v, *at));
        loop {
            self.decisions.recorded.clear();
            for &(v, at) in &ordered {
                if matches!(self.func.ty(v), Ty::Residual { .. }) {
                    continue;
                }
                if self.cost(v, at) > THRESHOLD {
                    self.decisions.recorded.insert(v);
                }
            }
            if self.keep_places(&ordered) {
                continue;
            }
            let mut rereads = Vec::new();
            for &(v, at) in &ordered {
                self.rereads(v, at, &mut rereads);
            }
            if !self.plan_saves(&rereads) {
                return;
            }
        }
    }

    /// Chooses the stores to save; `true` if a place was given up for re-reading instead.
    fn plan_saves(&mut self, rereads: &[(Place, Pos, Value)]) -> bool {
        let mut wanted: HashMap<Place, Vec<&StoreSite>> = HashMap::new();
        for store in &self.index.stores {
            let asked = rereads
                .iter()
                .any(|&(p, at, v)| p == store.place && self.must_undo(store, at, v));
            if asked && !store.undone {
                wanted.entry(store.place).or_default().push(store);
            }
        }
        let mut places: Vec<Place> = wanted.keys().copied().collect();
        places.sort();
        for p in places {
            let stores = &wanted[&p];
            let impossible = stores.iter().any(|s| {
                s.path.is_none()
                    || self
                        .index
                        .fused(s.block)
                        .is_some_and(|f| !self.is_local_to(p, f))
            });
            let depth = |block: BlockId| self.index.blocks.get(&block).map_or(0, |i| i.depth);
            let saves = stores.iter().map(|s| depth(s.block)).fold((0, 0), count);
            let mut read: Vec<Value> = rereads
                .iter()
                .filter(|(q, ..)| *q == p)
                .map(|(.., v)| *v)
                .collect();
            read.sort();
            read.dedup();
            let records = read
                .iter()
                .filter_map(|v| self.index.defs.get(v))
                .map(|d| depth(d.block))
                .fold((0, 0), count);
            if impossible || records < saves {
                self.decisions.no_reread.insert(p);
                return true;
            }
        }
        self.decisions.saved = wanted.values().flatten().map(|s| s.pos).collect();
        for store in &self.index.stores {
            let kept = self.policy.restore && self.index.exclusive.contains(&store.place);
            let all = self.policy.everything
                && self.is_alive(store.place)
                && self
                    .index
                    .fused(store.block)
                    .is_none_or(|f| self.is_local_to(store.place, f));
            if (kept || all) && store.path.is_some() && !store.undone {
                self.decisions.saved.insert(store.pos);
            }
        }
        false
    }

    fn is_local_to(&self, p: Place, block: BlockId) -> bool {
        self.index
            .born
            .get(&p)
            .is_some_and(|&born| self.index.around(born).any(|b| b == block))
    }
}

/// The deepest loop counts first, then how many stand there.
fn count((depth, n): (u32, u32), d: u32) -> (u32, u32) {
    match d.cmp(&depth) {
        std::cmp::Ordering::Greater => (d, 1),
        std::cmp::Ordering::Equal => (depth, n + 1),
        std::cmp::Ordering::Less => (depth, n),
    }
}

fn collect_needs(block: &Block, out: &mut Vec<(Value, Pos)>) {
    for op in &block.ops {
        if let Kind::Need(at) = &op.kind {
            out.push((op.args[0], *at));
        }
        for inner in &op.blocks {
            collect_needs(inner, out);
        }
    }
}

/// The positions of restores left in the reverse sweep.
fn collect_restores(block: &Block, out: &mut BTreeSet<Pos>) {
    for op in &block.ops {
        if let Kind::Restore(_, pos) = &op.kind {
            out.insert(*pos);
        }
        for inner in &op.blocks {
            collect_restores(inner, out);
        }
    }
}

/// Meets every need of both sweeps in `func`.
pub(crate) fn remember(func: &mut Func, policy: &Policy) {
    let index = Index::new(func);
    let mut kept = BTreeSet::new();
    borrowed_again(&func.body, &index, &mut kept);
    let mut needs = Vec::new();
    collect_needs(&func.body, &mut needs);
    let empty = Decisions {
        recorded: HashSet::new(),
        saved: BTreeSet::new(),
        no_reread: HashSet::new(),
        kept,
    };
    let mut planner = Planner {
        func,
        index: &index,
        policy,
        decisions: empty,
    };
    planner.decide(&needs);
    let mut decisions = planner.decisions;
    let mut restores = BTreeSet::new();
    collect_restores(&func.body, &mut restores);
    decisions.saved = decisions.saved.intersection(&restores).copied().collect();
    if policy.mutates("drop_save") {
        decisions.saved.pop_first();
    }
    if policy.mutates("drop_record") {
        drop_record(&index, &mut decisions);
    }
    let mut body = func.body.clone();
    func.body.ops.clear();
    let mut cx = Resolve {
        func,
        index: &index,
        policy,
        decisions,
        olds: HashMap::new(),
        pending: HashMap::new(),
        scopes: Vec::new(),
        levels: HashMap::new(),
        renamed: HashMap::new(),
        records: HashMap::new(),
        recalls: HashMap::new(),
        residuals: HashSet::new(),
        tapes: HashMap::new(),
    };
    cx.add_saves(&mut body);
    let kept = cx.hand_over(&mut body);
    cx.block(&mut body);
    cx.finish(&mut body);
    receive(&mut body, &kept, &cx.recalls);
    let Resolve { func, .. } = cx;
    func.body = body;
}

/// Finds the places that pullbacks borrow again after the block that made them has ended.
fn borrowed_again(block: &Block, index: &Index, out: &mut BTreeSet<Place>) {
    for op in &block.ops {
        if let Kind::Call(call) = &op.kind {
            if matches!(call.form, crate::ir::Form::Backward(_)) {
                out.extend(call.args.iter().filter_map(|arg| match arg {
                    Arg::Ref(path) | Arg::Mut(path) if !index.is_alive(path.root) => {
                        Some(path.root)
                    }
                    _ => None,
                }));
            }
        }
        for inner in &op.blocks {
            borrowed_again(inner, index, out);
        }
    }
}

/// Re-reads one value that changed since: a mutation of the compiler.
fn drop_record(index: &Index, decisions: &mut Decisions) {
    let mut candidates: Vec<Value> = decisions
        .recorded
        .iter()
        .copied()
        .filter(|v| matches!(index.defs.get(v).and_then(|d| d.op.as_ref()), Some((Kind::Load(p), _)) if index.is_alive(p.root)))
        .collect();
    candidates.sort();
    if let Some(v) = candidates.first() {
        decisions.recorded.remove(v);
    }
}

/// A place whose contents the reverse sweep receives.
struct Kept {
    place: Place,
    again: Place,
    block: BlockId,
    /// The contents at the end of the block.
    last: Value,
}

/// In the mirror of its block, what a kept place held is a place again, and the reverse sweep names that one.
fn receive(block: &mut Block, kept: &[Kept], recalls: &HashMap<(BlockId, Value), Value>) {
    for op in &mut block.ops {
        let handed_over =
            matches!(&op.kind, Kind::Load(_)) && kept.iter().any(|k| op.results == [k.last]);
        if op.pos == 0 && !handed_over {
            op.for_each_place(&mut |p| {
                if let Some(k) = kept.iter().find(|k| k.place == *p) {
                    *p = k.again;
                }
            });
        }
        for inner in &mut op.blocks {
            receive(inner, kept, recalls);
        }
    }
    let received: Vec<Op> = kept
        .iter()
        .filter(|k| block.mirror == Some(k.block))
        .map(|k| Op {
            kind: Kind::New(k.again),
            args: vec![recalls[&(k.block, k.last)]],
            results: Vec::new(),
            blocks: Vec::new(),
            origin: Origin::Derived,
            span: proc_macro2::Span::call_site(),
            pos: 0,
        })
        .collect();
    block.ops.splice(0..0, received);
}

/// A block being resolved.
struct Scope {
    /// The forward block that it is, or that it mirrors.
    of: BlockId,
    out: Vec<Op>,
    /// Values obtained so far.
    known: HashMap<Value, Value>,
}

struct Resolve<'a> {
    func: &'a mut Func,
    index: &'a Index,
    policy: &'a Policy,
    decisions: Decisions,
    /// The old contents saved before the store at that position.
    olds: HashMap<Pos, Value>,
    /// Needs not met yet.
    pending: HashMap<Value, Value>,
    /// The blocks being resolved, outermost first.
    scopes: Vec<Scope>,
    /// The scope in which a value was obtained.
    levels: HashMap<Value, usize>,
    renamed: HashMap<Value, Value>,
    records: HashMap<BlockId, Vec<Value>>,
    recalls: HashMap<(BlockId, Value), Value>,
    /// Residuals that the reverse sweep selects by.
    residuals: HashSet<Value>,
    /// The stack of each loop body that remembers.
    tapes: HashMap<BlockId, u32>,
}

impl Resolve<'_> {
    /// At the end of its block, a kept place hands its contents over; in the reverse sweep another place receives them.
    fn hand_over(&mut self, block: &mut Block) -> Vec<Kept> {
        let mut all = Vec::new();
        for op in &mut block.ops {
            for inner in &mut op.blocks {
                all.extend(self.hand_over(inner));
            }
        }
        let made: Vec<Place> = block
            .ops
            .iter()
            .filter_map(|op| match &op.kind {
                Kind::New(p) if self.decisions.kept.contains(p) => Some(*p),
                _ => None,
            })
            .collect();
        for p in made {
            let data = self.func.at(p).clone();
            let last = self.func.value(data.hint.clone(), data.ty.clone());
            block.ops.push(Op {
                kind: Kind::Load(Path::whole(p)),
                args: Vec::new(),
                results: vec![last],
                blocks: Vec::new(),
                origin: Origin::Derived,
                span: proc_macro2::Span::call_site(),
                pos: 0,
            });
            let again = self.func.place(data.hint, data.ty, data.storage);
            self.func.at_mut(again).mutable = true;
            self.recall(block.id, last);
            all.push(Kept {
                place: p,
                again,
                block: block.id,
                last,
            });
        }
        all
    }

    /// Before each saved store, its old contents are loaded.
    fn add_saves(&mut self, block: &mut Block) {
        let mut ops = Vec::with_capacity(block.ops.len());
        for mut op in std::mem::take(&mut block.ops) {
            for inner in &mut op.blocks {
                self.add_saves(inner);
            }
            if op.pos != 0 && self.decisions.saved.contains(&op.pos) {
                if let Kind::Store(path) | Kind::AddTo(path) = &op.kind {
                    let ty = self.func.path_ty(path);
                    let old = self.func.value("old", ty);
                    self.olds.insert(op.pos, old);
                    // What a whole variable held is moved out rather than copied.
                    if path.steps.is_empty() && matches!(op.kind, Kind::Store(_)) {
                        op.kind = Kind::Replace(path.clone());
                        op.results = vec![old];
                        ops.push(op);
                        continue;
                    }
                    ops.push(Op {
                        kind: Kind::Load(path.clone()),
                        args: Vec::new(),
                        results: vec![old],
                        blocks: Vec::new(),
                        origin: Origin::Derived,
                        span: op.span,
                        pos: op.pos,
                    });
                }
            }
            ops.push(op);
        }
        block.ops = ops;
    }

    fn block(&mut self, block: &mut Block) {
        self.scopes.push(Scope {
            of: block.mirror.unwrap_or(block.id),
            out: Vec::with_capacity(block.ops.len()),
            known: HashMap::new(),
        });
        for op in std::mem::take(&mut block.ops) {
            self.op(op);
        }
        for k in 0..block.yields.len() {
            block.yields[k] = self.operand(block.yields[k]);
        }
        if let Some(scope) = self.scopes.pop() {
            block.ops = scope.out;
        }
    }

    fn push(&mut self, op: Op) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.out.push(op);
        }
    }

    fn op(&mut self, mut op: Op) {
        match &op.kind {
            Kind::Need(_) => {
                self.pending.insert(op.results[0], op.args[0]);
                return;
            }
            Kind::Restore(path, pos) => {
                if !self.decisions.saved.contains(pos) {
                    return;
                }
                let Some(&old) = self.olds.get(pos) else {
                    return;
                };
                let block = self.index.block_of[pos];
                let old = if self.index.is_segment(block) {
                    old
                } else {
                    self.recall(block, old)
                };
                op.kind = Kind::Store(path.clone());
                op.args = vec![old];
            }
            _ => {}
        }
        if op.pos == 0 && matches!(op.kind, Kind::If | Kind::Switch) {
            self.conditional(&mut op);
            self.push(op);
            return;
        }
        let mut args = Vec::new();
        op.for_each_operand(&mut |v| args.push(*v));
        let resolved: Vec<Value> = args.into_iter().map(|v| self.operand(v)).collect();
        let mut resolved = resolved.into_iter();
        op.for_each_operand(&mut |v| {
            if let Some(new) = resolved.next() {
                *v = new;
            }
        });
        for inner in &mut op.blocks {
            if let (Kind::For(head), Some(mirror)) = (&op.kind, inner.mirror) {
                if matches!(head.domain, Domain::Range { .. }) {
                    if let Some(&old) = self.index.items.get(&mirror) {
                        self.renamed.insert(old, inner.params[0]);
                    }
                }
            }
            self.block(inner);
            let mirror = inner.mirror;
            if let (Kind::For(head), Some(mirror)) = (&mut op.kind, mirror) {
                if self.records.get(&mirror).is_some_and(|r| !r.is_empty()) {
                    let tape = self.func.tapes;
                    self.func.tapes += 1;
                    head.tape = Some(tape);
                    self.tapes.insert(mirror, tape);
                }
            }
        }
        self.push(op);
    }

    /// A reversed conditional asks its condition, or what the arms have remembered.
    fn conditional(&mut self, op: &mut Op) {
        for inner in &mut op.blocks {
            self.block(inner);
        }
        let remembers = op.blocks.iter().any(|b| {
            b.mirror
                .is_some_and(|m| self.records.get(&m).is_some_and(|r| !r.is_empty()))
        });
        if matches!(op.kind, Kind::If) && !remembers {
            let cond = self.operand(op.args[0]);
            op.args = vec![cond];
            return;
        }
        op.kind = Kind::Switch;
        let need = op.args[op.args.len() - 1];
        let Some(&residual) = self.pending.get(&need) else {
            return;
        };
        self.residuals.insert(residual);
        let mut remembered = op.blocks.iter().filter_map(|b| b.mirror);
        let plain = remembered.all(|m| {
            self.records
                .get(&m)
                .is_none_or(|r| r.iter().all(|&v| self.func.ty(v).is_plain()))
        });
        self.func.values[residual.0 as usize].ty = Ty::Residual { plain };
        let residual = self.obtain(residual);
        op.args = vec![residual];
    }

    /// An operand of the reverse sweep, its need met.
    fn operand(&mut self, v: Value) -> Value {
        match self.pending.get(&v) {
            Some(&primal) => self.obtain(primal),
            None => v,
        }
    }

    fn recall(&mut self, block: BlockId, v: Value) -> Value {
        if let Some(&again) = self.recalls.get(&(block, v)) {
            return again;
        }
        let (ty, hint) = (self.func.ty(v).clone(), self.func.hint(v).to_owned());
        let again = self.func.value(hint, ty);
        self.recalls.insert((block, v), again);
        self.records.entry(block).or_default().push(v);
        again
    }

    /// The primal value `v` in the reverse sweep.
    fn obtain(&mut self, v: Value) -> Value {
        if let Some(&again) = self.renamed.get(&v) {
            return again;
        }
        if self.index.is_free(v) {
            return v;
        }
        let mut scopes = self.scopes.iter().rev();
        if let Some(&again) = scopes.find_map(|scope| scope.known.get(&v)) {
            return again;
        }
        let Some(def) = self.index.defs.get(&v) else {
            return v;
        };
        let block = def.block;
        let literal = matches!(def.op, Some((Kind::Lit(_), _)));
        let remembered =
            self.decisions.recorded.contains(&v) || matches!(self.func.ty(v), Ty::Residual { .. });
        let (mut kind, args) = match &def.op {
            Some(op) if literal || !remembered => op.clone(),
            _ => return self.recall(block, v),
        };
        let args: Vec<Value> = args.into_iter().map(|v| self.obtain(v)).collect();
        let mut reads = matches!(&kind, Kind::Opaque(o) if !o.places.is_empty());
        if let Kind::Load(path) | Kind::Len(path) = &mut kind {
            reads = true;
            let values: Vec<Value> = path.values().collect();
            let again: Vec<Value> = values.into_iter().map(|v| self.obtain(v)).collect();
            let mut again = again.into_iter();
            path.values_mut().for_each(|v| {
                if let Some(new) = again.next() {
                    *v = new;
                }
            });
        }
        let (ty, hint) = (self.func.ty(v).clone(), self.func.hint(v).to_owned());
        let checked = self.policy.verify && !literal && ty.is_float();
        let again = self.func.value(hint, ty);
        self.func.copies.insert(again, v);
        let new = |kind, args, results| Op {
            kind,
            args,
            results,
            blocks: Vec::new(),
            origin: Origin::Derived,
            span: proc_macro2::Span::call_site(),
            pos: 0,
        };
        // Arithmetic is repeated where the forward sweep did it, outside of inner loops; memory is read where its state is known.
        let last = self.scopes.len() - 1;
        let home = self.scopes.iter().position(|scope| scope.of == block);
        let level = match home {
            Some(home) if !reads => {
                let deepest = args.iter().filter_map(|v| self.levels.get(v)).max();
                deepest.map_or(home, |&deepest| home.max(deepest))
            }
            _ => last,
        };
        self.scopes[level].out.push(new(kind, args, vec![again]));
        self.scopes[level].known.insert(v, again);
        self.levels.insert(again, level);
        if checked {
            let recorded = self.recall(block, v);
            self.push(new(Kind::AssertSame, vec![again, recorded], Vec::new()));
        }
        again
    }

    /// Writes down in each block what it remembers, and in its mirror what that recalls.
    fn finish(&mut self, block: &mut Block) {
        if let Some(records) = self.records.get(&block.id) {
            block.record.clone_from(records);
        }
        if let Some(mirror) = block.mirror {
            let records = self.records.get(&mirror).cloned().unwrap_or_default();
            block.recall = records
                .iter()
                .map(|&v| self.recalls[&(mirror, v)])
                .collect();
        }
        for op in &mut block.ops {
            if op.pos != 0 && matches!(op.kind, Kind::If | Kind::Match(..)) {
                let unused = |v: &Value| {
                    matches!(self.func.ty(*v), Ty::Residual { .. }) && !self.residuals.contains(v)
                };
                op.results.retain(|v| !unused(v));
            }
            for inner in &mut op.blocks {
                if let (Kind::For(head), Some(&tape)) = (&mut op.kind, self.tapes.get(&inner.id)) {
                    head.tape = Some(tape);
                }
                self.finish(inner);
            }
        }
    }
}
