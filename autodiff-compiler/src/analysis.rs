//! Analyses of a graph, as side tables: the kinds of its values, and what is active.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{
    Arg, Block, BlockId, Companion, Func, Kind, Op, Param, Place, Pos, Prim, Storage, Ty, Value,
    Width, join,
};
use crate::rules;

/// A value or a place, as a node of the flow of derivatives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    Value(Value),
    Place(Place),
}

/// What depends on the active parameters, and what the results depend on.
pub(crate) struct Activity {
    active: FxHashSet<Node>,
}

impl Activity {
    pub(crate) fn value(&self, v: Value) -> bool {
        self.active.contains(&Node::Value(v))
    }

    pub(crate) fn place(&self, p: Place) -> bool {
        self.active.contains(&Node::Place(p))
    }

    /// Whether a call takes the form that has derivatives.
    pub(crate) fn concerns(&self, op: &Op) -> bool {
        let Kind::Call(call) = &op.kind else {
            return false;
        };
        let changes = |arg: &Arg| matches!(arg, Arg::Mut(p) if self.place(p.root));
        call.is_formed()
            || op.results.iter().any(|&y| self.value(y))
            || call.args.iter().any(changes)
    }

    /// The results of a region that are active; of a loop also those whose carried value is.
    pub(crate) fn slots(&self, op: &Op) -> Vec<usize> {
        let carried = |k: usize| match &op.kind {
            Kind::For(head) => op.blocks.iter().any(|b| {
                b.params
                    .get(head.inductions + k)
                    .is_some_and(|&v| self.value(v))
            }),
            _ => false,
        };
        (0..op.results.len())
            .filter(|&k| self.value(op.results[k]) || carried(k))
            .collect()
    }
}

/// Active = varied from the parameters in `wrt`, and useful to a result.
pub(crate) fn activity(func: &Func, wrt: &[Param]) -> Activity {
    let results = func.params.iter().filter_map(|p| match *p {
        Param::Place(p) if func.at(p).storage == Storage::Exclusive => Some(p),
        _ => None,
    });
    activity_to(func, wrt, results)
}

/// The same where the results are what the body yields, and the memory in `results`.
pub(crate) fn activity_to(
    func: &Func,
    wrt: &[Param],
    results: impl IntoIterator<Item = Place>,
) -> Activity {
    let edges = all_edges(func);
    let varied = reach(&edges, seeds(wrt), |edge| edge);
    let results = results.into_iter().map(Node::Place);
    let yields = func.body.yields.iter().map(|&v| Node::Value(v));
    let results = yields.chain(results);
    let results = results.chain(called_for_effect(func)).collect();
    let useful = reach(&edges, results, |(from, to)| (to, from));
    Activity {
        active: varied.intersection(&useful).copied().collect(),
    }
}

/// The results that nothing uses, of calls that change none of their arguments.
///
/// Such a call is there for its effect, and what it writes elsewhere may come back as a constant. So it takes the form that
/// has derivatives, which a function without any does not have: rustc refuses that as everywhere else.
fn called_for_effect(func: &Func) -> Vec<Node> {
    fn block(of: &Block, used: &mut FxHashSet<Value>, unused: &mut Vec<Node>) {
        for op in of.ops.iter().rev() {
            for inner in &op.blocks {
                let carried = matches!(op.kind, Kind::For(_));
                for (k, &v) in inner.yields.iter().enumerate() {
                    if carried || op.results.get(k).is_none_or(|result| used.contains(result)) {
                        used.insert(v);
                    }
                }
                block(inner, used, unused);
            }
            let changes = |arg: &Arg| matches!(arg, Arg::Mut(_));
            if matches!(&op.kind, Kind::Call(call) if !call.args.iter().any(changes)) {
                let dropped = op.results.iter().filter(|v| !used.contains(v));
                unused.extend(dropped.map(|&v| Node::Value(v)));
            }
            used.extend(op.operands());
        }
    }
    let mut used = func.body.yields.iter().copied().collect();
    let mut unused = Vec::new();
    block(&func.body, &mut used, &mut unused);
    unused
}

/// What depends on the active parameters, useful or not.
pub(crate) fn varied(func: &Func, wrt: &[Param]) -> Activity {
    let edges = all_edges(func);
    Activity {
        active: reach(&edges, seeds(wrt), |edge| edge),
    }
}

fn seeds(wrt: &[Param]) -> Vec<Node> {
    let seeds = wrt.iter().map(|p| match *p {
        Param::Value(v) => Node::Value(v),
        Param::Place(p) => Node::Place(p),
    });
    seeds.collect()
}

/// The nodes reachable from `seeds` along edges as `turn` directs them.
pub(crate) fn reach(
    edges: &[(Node, Node)],
    seeds: Vec<Node>,
    turn: impl Fn((Node, Node)) -> (Node, Node),
) -> FxHashSet<Node> {
    let mut next: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    for &edge in edges {
        let (from, to) = turn(edge);
        next.entry(from).or_default().push(to);
    }
    let mut found: FxHashSet<Node> = seeds.iter().copied().collect();
    let mut work = seeds;
    while let Some(node) = work.pop() {
        for &to in next.get(&node).into_iter().flatten() {
            if found.insert(to) {
                work.push(to);
            }
        }
    }
    found
}

/// Pairs (from, to) between which a derivative flows.
fn all_edges(func: &Func) -> Vec<(Node, Node)> {
    edges(func, |op, edges| op_edges(func, op, edges))
}

/// Pairs (from, to): those that `of` finds for each operation, and those from what a block remembers to what its mirror recalls.
pub(crate) fn edges(
    func: &Func,
    mut of: impl FnMut(&Op, &mut Vec<(Node, Node)>),
) -> Vec<(Node, Node)> {
    let mut edges = Vec::new();
    for op in &func.body.ops {
        op.walk(&mut |op| of(op, &mut edges));
    }
    let (mut records, mut recalls) = (FxHashMap::default(), Vec::new());
    remembered(&func.body, &mut records, &mut recalls);
    for (block, again) in recalls {
        let Some(values) = records.get(&block) else {
            continue;
        };
        for (&v, &again) in values.iter().zip(again) {
            edges.push((Node::Value(v), Node::Value(again)));
        }
    }
    edges
}

/// What blocks of a forward sweep remember, and what their mirrors recall.
fn remembered<'a>(
    block: &'a Block,
    records: &mut FxHashMap<BlockId, &'a [Value]>,
    recalls: &mut Vec<(BlockId, &'a [Value])>,
) {
    records.insert(block.id, &block.record);
    recalls.extend(block.mirror.map(|mirror| (mirror, block.recall.as_slice())));
    for op in &block.ops {
        for inner in &op.blocks {
            remembered(inner, records, recalls);
        }
    }
}

/// Those of one operation.
pub(crate) fn op_edges(func: &Func, op: &Op, edges: &mut Vec<(Node, Node)>) {
    let mut flow = |from: Node, to: Node| {
        let inert = |node: Node| match node {
            Node::Value(v) => func.ty(v).is_inert(),
            Node::Place(p) => func.at(p).ty.is_inert(),
        };
        if !inert(from) && !inert(to) {
            edges.push((from, to));
        }
    };
    let results: Vec<Node> = op.results.iter().map(|&v| Node::Value(v)).collect();
    match &op.kind {
        Kind::Prim(Prim::Rule(row)) => {
            for (k, &arg) in op.args.iter().enumerate() {
                let flat = rules::partials(*row)[k]
                    .as_ref()
                    .is_none_or(rules::Partial::is_zero);
                if !flat {
                    results.iter().for_each(|&r| flow(Node::Value(arg), r));
                }
            }
        }
        Kind::Watch { .. } => results
            .iter()
            .for_each(|&r| flow(Node::Value(op.args[0]), r)),
        Kind::Prim(Prim::Linked) => {
            for (k, _) in Prim::linked(op.args.len()) {
                let arg = Node::Value(op.args[k]);
                results.iter().for_each(|&r| flow(arg, r));
            }
        }
        Kind::Prim(_)
        | Kind::Map(_)
        | Kind::Cast(..)
        | Kind::CastLike
        | Kind::Aggregate(_)
        | Kind::Component(_)
        | Kind::WithComponent(_)
        | Kind::Element(_)
        | Kind::Payload
        | Kind::SumElements => {
            for &arg in &op.args {
                results.iter().for_each(|&r| flow(Node::Value(arg), r));
            }
        }
        Kind::New(p) => op
            .args
            .iter()
            .for_each(|&v| flow(Node::Value(v), Node::Place(*p))),
        Kind::Load(path) | Kind::Owned(path, _) => results
            .iter()
            .for_each(|&r| flow(Node::Place(path.root), r)),
        Kind::Take(p) => results.iter().for_each(|&r| flow(Node::Place(*p), r)),
        Kind::TakeZero(path) => results
            .iter()
            .for_each(|&r| flow(Node::Place(path.root), r)),
        Kind::Replace(path) => {
            results
                .iter()
                .for_each(|&r| flow(Node::Place(path.root), r));
            op.args
                .iter()
                .for_each(|&v| flow(Node::Value(v), Node::Place(path.root)));
        }
        Kind::Store(path) | Kind::AddTo(path) | Kind::Fill(path) | Kind::Change(_, path) => {
            op.args
                .iter()
                .for_each(|&v| flow(Node::Value(v), Node::Place(path.root)));
            results
                .iter()
                .for_each(|&r| flow(Node::Place(path.root), r));
        }
        Kind::Copy(to, from) | Kind::Give(to, from) => {
            flow(Node::Place(from.root), Node::Place(to.root));
        }
        Kind::SumZero(path) => results
            .iter()
            .for_each(|&r| flow(Node::Place(path.root), r)),
        Kind::Swap(a, b) => {
            flow(Node::Place(a.root), Node::Place(b.root));
            flow(Node::Place(b.root), Node::Place(a.root));
        }
        Kind::Call(call) => {
            let mut sources: Vec<Node> = op.args.iter().map(|&v| Node::Value(v)).collect();
            let mut sinks = results;
            // Captures of a pullback are shadows, to which it adds.
            let backward = call.form.pulls();
            for arg in &call.args {
                match arg {
                    Arg::Value(v) => sources.push(Node::Value(*v)),
                    Arg::Capture(path) if backward => sinks.push(Node::Place(path.root)),
                    Arg::Ref(path) | Arg::Capture(path) => sources.push(Node::Place(path.root)),
                    // A generator of random numbers, say.
                    Arg::Mut(path) if func.at(path.root).constant => {}
                    Arg::Mut(path) => {
                        sources.push(Node::Place(path.root));
                        sinks.push(Node::Place(path.root));
                    }
                    Arg::Owned | Arg::Function(_) => {}
                }
            }
            for (companion, owner, changes) in call.companions() {
                match companion {
                    Companion::Zero => {}
                    Companion::Value(v) => sources.push(Node::Value(*v)),
                    Companion::Place(path) => {
                        // To the shadow of what was lent to be read, a pullback adds.
                        let added = backward && changes && matches!(call.args[owner], Arg::Ref(_));
                        if !added {
                            sources.push(Node::Place(path.root));
                        }
                        if changes {
                            sinks.push(Node::Place(path.root));
                        }
                    }
                }
            }
            for &from in &sources {
                sinks.iter().for_each(|&to| flow(from, to));
            }
        }
        Kind::If | Kind::Match(..) | Kind::Switch => {
            for block in op.blocks.iter().filter(|b| !b.diverges) {
                for (&v, &r) in block.yields.iter().zip(&results) {
                    flow(Node::Value(v), r);
                }
            }
        }
        Kind::For(head) => {
            let inits = &op.args[head.domain.operands()..];
            for block in &op.blocks {
                for (k, &param) in block.params[head.inductions..].iter().enumerate() {
                    let mut ends = vec![inits[k]];
                    ends.extend(block.yields.get(k));
                    for v in ends {
                        flow(Node::Value(v), Node::Value(param));
                        if let Some(&r) = results.get(k) {
                            flow(Node::Value(v), r);
                        }
                    }
                }
            }
        }
        Kind::Lit(_)
        | Kind::Compare(_)
        | Kind::Opaque(_)
        | Kind::ZeroLike
        | Kind::ZeroPart
        | Kind::Zero
        | Kind::ShapeOf(_)
        | Kind::NewZero(_)
        | Kind::Len(_)
        | Kind::Check(_)
        | Kind::Walked(_)
        | Kind::Undo(..)
        | Kind::Leave
        | Kind::Until
        | Kind::Need(_)
        | Kind::Mark
        | Kind::AssertSame
        | Kind::Absorbed { .. } => {}
    }
}

/// Spreads what is known of types along operations, to a fixed point.
pub(crate) fn kinds(func: &mut Func) {
    let mut groups = Vec::new();
    collect_groups(&func.body, &mut groups);
    loop {
        let mut changed = false;
        for (values, float) in &groups {
            let start = if *float {
                Ty::Float(Width::Any)
            } else {
                Ty::Unknown
            };
            let ty = values.iter().map(|&v| func.ty(v).clone()).fold(start, join);
            if !ty.is_scalar() {
                continue;
            }
            for &v in values {
                let old = func.ty(v);
                let better = matches!(old, Ty::Unknown)
                    || matches!((old, &ty), (Ty::Float(Width::Any), Ty::Float(w)) if *w != Width::Any);
                if better {
                    func.values[v.0 as usize].ty = ty.clone();
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Values that have one type; `true` where it is a float for sure.
fn collect_groups(block: &Block, groups: &mut Vec<(Vec<Value>, bool)>) {
    for op in &block.ops {
        match &op.kind {
            Kind::Prim(Prim::Rule(row)) => {
                let rule = rules::rule(*row);
                let mut values: Vec<Value> = op
                    .args
                    .iter()
                    .zip(rule.integer)
                    .filter(|(_, int)| !**int)
                    .map(|(&v, _)| v)
                    .collect();
                values.extend(&op.results);
                groups.push((
                    values,
                    !crate::std_methods::SHARED_METHODS.contains(&rule.name) && rule.name != "rem",
                ));
            }
            Kind::Prim(
                Prim::Settle
                | Prim::Shape
                | Prim::Operator(_)
                | Prim::Keep(..)
                | Prim::Back(..)
                | Prim::Fore(..)
                | Prim::DotKeep(..)
                | Prim::DotBack(..),
            ) => {}
            Kind::Prim(Prim::Number) => {
                groups.push((op.args.iter().chain(&op.results).copied().collect(), true));
            }
            Kind::Prim(_) => {
                groups.push((op.args.iter().chain(&op.results).copied().collect(), false));
            }
            Kind::Compare(_) => groups.push((op.args.clone(), false)),
            Kind::Watch { .. } => groups.push((vec![op.args[0], op.results[0]], false)),
            Kind::If | Kind::Match(..) => {
                for (k, &r) in op.results.iter().enumerate() {
                    let mut values: Vec<Value> = op
                        .blocks
                        .iter()
                        .filter(|b| !b.diverges)
                        .filter_map(|b| b.yields.get(k))
                        .copied()
                        .collect();
                    values.push(r);
                    groups.push((values, false));
                }
            }
            Kind::For(head) => {
                for (k, &r) in op.results.iter().enumerate() {
                    let mut values = vec![r];
                    values.extend(op.args.get(head.domain.operands() + k));
                    for b in &op.blocks {
                        values.extend(b.params.get(head.inductions + k));
                        values.extend(b.yields.get(k));
                    }
                    groups.push((values, false));
                }
            }
            _ => {}
        }
        for inner in &op.blocks {
            collect_groups(inner, groups);
        }
    }
}

/// The places that calls with derivatives are lent, but for those calls that leave no pullback.
pub(crate) fn lent<'a>(
    ops: impl IntoIterator<Item = &'a Op>,
    activity: &Activity,
    at_once: &FxHashSet<Pos>,
) -> FxHashSet<Place> {
    let mut out = FxHashSet::default();
    for op in ops {
        op.walk(&mut |op| {
            if let Kind::Call(call) = &op.kind {
                if activity.concerns(op) && !at_once.contains(&op.pos) {
                    out.extend(call.args.iter().filter_map(|arg| match arg {
                        Arg::Ref(path) | Arg::Mut(path) => Some(path.root),
                        _ => None,
                    }));
                }
            }
        });
    }
    out
}
