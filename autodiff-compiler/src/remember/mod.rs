//! Decides how the reverse sweep obtains the primal values it mentions: they are still there, re-read, recomputed, or remembered.
//!
//! The rule that makes re-reading right: at the reverse of an operation, memory holds what it held just after that operation ran.
//! Stores that would break it are undone: the old contents are saved before and restored on the way back.
//! Any set of *more* records and saves is right; remembering everything is the same code with the cheaper ways switched off.

mod decide;
mod index;
mod keep;
mod left;
mod outcome;
mod resolve;
mod steps;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

use self::keep::{borrowed_again, receive};
pub(crate) use self::outcome::{Obtained, Outcome, Why};
use crate::function::Rule;
use crate::ir::{Block, BlockId, Func, Kind, Op, Opaque, Path, Place, Pos, Value};

/// What the options of the attribute ask of the analysis.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of the attribute"
)]
pub(crate) struct Policy {
    /// The memory of `&mut` parameters is put back to its state at entry.
    pub(crate) restore: bool,
    /// That memory is left as it is, and not read again either.
    pub(crate) leave: bool,
    /// The rules that are not applied.
    pub(crate) without: Vec<Rule>,
    /// The calls that are given their seeds where these are known in time.
    pub(crate) at_once: FxHashSet<Pos>,
    /// Callees are relied on to overwrite what they are lent.
    pub(crate) trusting: bool,
    /// What is re-read or recomputed is remembered as well, and compared.
    pub(crate) verify: bool,
    /// A wrong answer on purpose, to test the tests.
    pub(crate) mutate: Option<String>,
}

impl Policy {
    pub(crate) fn applies(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

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
    /// A carried integer that each round changes by the same number.
    stepped: Option<Stepped>,
}

/// A carried integer that is run back: `i ← i + step` in the forward sweep is `i ← i - step` in the reverse sweep, from what it was after the loop.
///
/// A loop inside whose rounds add the same number is one step: that number times its rounds.
/// Integers have no rounding, so that each round of the reversed loop has the value that its round had.
#[derive(Clone)]
struct Stepped {
    /// The value after the loop.
    after: Value,
    /// The steps of a round, last one first.
    links: Vec<Link>,
}

impl Stepped {
    /// What it is run back from and by.
    fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let by = self.links.iter().flat_map(|link| &link.args).copied();
        std::iter::once(self.after).chain(by)
    }
}

/// A step of a carried integer.
#[derive(Clone)]
struct Link {
    after: Value,
    /// What undoes it, of the value behind it and of these.
    inverse: Opaque,
    args: Vec<Value>,
}

/// A carried integer of a reversed loop.
struct RunBack {
    stepped: Stepped,
    /// What it is at the end of the round that is reversed, and at its start.
    end: Value,
    start: Value,
}

struct BlockInfo {
    parent: Option<BlockId>,
    segment: bool,
    is_loop: bool,
    depth: u32,
    /// Where the items of a loop over a range end.
    end: Option<End>,
}

/// The end of a range over which a loop runs.
#[derive(Clone, Copy)]
struct End {
    bound: Value,
    inclusive: bool,
    /// It begins at 0, and every round is run.
    all: bool,
}

struct StoreSite {
    place: Place,
    pos: Pos,
    block: BlockId,
    path: Option<Path>,
    /// Code without derivatives, which may change anything in the place: all of it is saved, if it is saved.
    whole: bool,
    /// A pullback undoes what its call did.
    undone: bool,
    /// May change the shape of the place.
    reshapes: bool,
}

/// Memory that the reverse sweep reads again, at the reverse of the operation at `at`.
#[derive(Clone)]
struct Reread {
    place: Place,
    at: Pos,
    /// The part, if it is known.
    path: Option<Path>,
    /// What is read; `None` for what a pullback borrows.
    value: Option<Value>,
    /// Only a length is read.
    length: bool,
    /// What a pullback borrows as the argument of this number, to change it.
    lent: Option<usize>,
}

/// The forward sweep, indexed.
#[derive(Default)]
struct Index {
    defs: FxHashMap<Value, Def>,
    blocks: FxHashMap<BlockId, BlockInfo>,
    /// The block of each operation.
    block_of: FxHashMap<Pos, BlockId>,
    stores: Vec<StoreSite>,
    /// Where the contents of a place change, and where its shape may.
    changes: FxHashMap<Place, BTreeSet<Pos>>,
    reshapes: FxHashMap<Place, BTreeSet<Pos>>,
    born: FxHashMap<Place, BlockId>,
    exclusive: FxHashSet<Place>,
    /// Places that hold references, which are gone in the reverse sweep.
    borrowing: FxHashSet<Place>,
    /// Values that do.
    borrowed_values: FxHashSet<Value>,
    /// What pullbacks borrow again.
    borrowed: Vec<Reread>,
    /// Places whose elements change their positions.
    moved: FxHashSet<Place>,
    /// Places that exchange their contents are undone together: by one of them.
    joined: FxHashMap<Place, Place>,
    /// The item of each loop over a range.
    items: FxHashMap<BlockId, Value>,
    /// For what a carried integer that is run back becomes within a round, what it is at the start of it.
    walked: FxHashMap<Value, Value>,
}

/// What was decided.
struct Decisions {
    recorded: FxHashSet<Value>,
    /// Positions of stores whose old contents are saved.
    saved: BTreeSet<Pos>,
    /// Of these, code that may change anything in the place.
    whole: BTreeSet<(Pos, Place)>,
    /// Places that are never re-read.
    no_reread: FxHashSet<Place>,
    /// Places of a round or arm whose last contents are handed to the reverse sweep.
    kept: BTreeSet<Place>,
}

struct Planner<'a> {
    func: &'a Func,
    index: &'a Index,
    policy: &'a Policy,
    decisions: Decisions,
}

impl Planner<'_> {}

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
        if let Kind::Undo(_, pos) = &op.kind {
            out.insert(*pos);
        }
        for inner in &op.blocks {
            collect_restores(inner, out);
        }
    }
}

/// Meets every need of both sweeps in `func`; says how.
pub(crate) fn remember(func: &mut Func, policy: &Policy) -> Outcome {
    let mut index = Index::new(func);
    if !policy.applies(Rule::Step) {
        index.forget_steps();
    }
    let mut kept = BTreeSet::new();
    borrowed_again(&func.body, &index, &mut kept);
    let mut needs = Vec::new();
    collect_needs(&func.body, &mut needs);
    index.forget_pullbacks(&needs);
    let empty = Decisions {
        recorded: FxHashSet::default(),
        saved: BTreeSet::new(),
        whole: BTreeSet::new(),
        no_reread: FxHashSet::default(),
        kept,
    };
    let mut planner = Planner {
        func,
        index: &index,
        policy,
        decisions: empty,
    };
    planner.decide(&needs);
    let mut restores = BTreeSet::new();
    collect_restores(&func.body, &mut restores);
    planner.decisions.saved.retain(|pos| restores.contains(pos));
    let had_again = planner.had_again(&needs);
    let rereads = planner.all_rereads(&needs);
    let left = planner.left(&rereads).into_keys().collect();
    let mut decisions = planner.decisions;
    if policy.mutates("drop_save") {
        decisions.saved.pop_first();
    }
    for (name, of) in UNDONE {
        if policy.mutates(name) {
            let first = first_undo(&func.body, &decisions.saved, *of);
            first.map(|pos| decisions.saved.remove(&pos));
        }
    }
    if policy.mutates("drop_record") {
        drop_record(&index, &mut decisions);
    }
    for p in had_again {
        func.at_mut(p).copied = true;
    }
    let mut body = func.body.clone();
    func.body.ops.clear();
    let mut cx = Resolve {
        func,
        index: &index,
        policy,
        decisions,
        olds: FxHashMap::default(),
        pending: FxHashMap::default(),
        scopes: Vec::new(),
        levels: FxHashMap::default(),
        renamed: FxHashMap::default(),
        records: FxHashMap::default(),
        recalls: FxHashMap::default(),
        run_back: FxHashMap::default(),
        residuals: FxHashSet::default(),
        tapes: FxHashMap::default(),
        obtained: BTreeMap::new(),
    };
    cx.add_saves(&mut body);
    let kept = cx.hand_over(&mut body);
    cx.block(&mut body);
    cx.finish(&mut body);
    receive(&mut body, &kept, &cx.recalls);
    let counts = cx.counts();
    let Resolve {
        func,
        decisions,
        obtained,
        ..
    } = cx;
    func.body = body;
    func.left = left;
    Outcome {
        reread: rereads
            .iter()
            .filter(|read| !read.length)
            .map(|read| read.place)
            .collect(),
        values: obtained,
        saved: decisions.saved,
        kept: decisions.kept,
        counts,
    }
}

/// Whether an operation is of a sort.
type Sort = fn(&Kind) -> bool;

/// Mutations that forget to undo one operation, and which operations they mean.
const UNDONE: &[(&str, Sort)] = &[
    ("drop_change", |kind| matches!(kind, Kind::Change(..))),
    ("drop_swap", |kind| matches!(kind, Kind::Swap(..))),
];

/// The first operation of that sort among those that are undone.
fn first_undo(body: &Block, undone: &BTreeSet<Pos>, of: Sort) -> Option<Pos> {
    body.ops.iter().find_map(|op| {
        let here = match &op.kind {
            Kind::Undo(kind, pos) if of(kind) && undone.contains(pos) => Some(*pos),
            _ => None,
        };
        here.or_else(|| {
            op.blocks
                .iter()
                .find_map(|block| first_undo(block, undone, of))
        })
    })
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

/// A block being resolved.
struct Scope {
    /// The forward block that it is, or that it mirrors.
    of: BlockId,
    out: Vec<Op>,
    /// Values obtained so far.
    known: FxHashMap<Value, Value>,
}

struct Resolve<'a> {
    func: &'a mut Func,
    index: &'a Index,
    policy: &'a Policy,
    decisions: Decisions,
    /// The old contents saved before the store at that position.
    olds: FxHashMap<(Pos, Place), Value>,
    /// Needs not met yet.
    pending: FxHashMap<Value, Value>,
    /// The blocks being resolved, outermost first.
    scopes: Vec<Scope>,
    /// The scope in which a value was obtained.
    levels: FxHashMap<Value, usize>,
    renamed: FxHashMap<Value, Value>,
    records: FxHashMap<BlockId, Vec<Value>>,
    recalls: FxHashMap<(BlockId, Value), Value>,
    /// The integers that the reversed loop of a body runs back.
    run_back: FxHashMap<BlockId, Vec<RunBack>>,
    /// Residuals that the reverse sweep selects by.
    residuals: FxHashSet<Value>,
    /// The stack of each loop body that remembers.
    tapes: FxHashMap<BlockId, u32>,
    /// How each value asked for was had.
    obtained: BTreeMap<Value, Obtained>,
}

impl Resolve<'_> {}
