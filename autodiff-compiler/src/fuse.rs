//! What may run forward and backward in one pass, and with which cotangents: loops, the arms of conditionals, calls.
//!
//! The adjoint of a carried value that is only added to is the same in every round.
//! If it is known before the loop, each round can be reversed right after it has run, and nothing need be remembered from round to round.
//! So it is with an arm, and with a call: the callee is given its seed, and leaves no pullback.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;

use proc_macro2::Ident;

use crate::analysis::{Activity, lent};
use crate::build::Build;
use crate::ir::{
    Arg, Block, BlockId, Call, For, Form, Func, Kind, Op, Param, Place, Pos, Prim, Value,
};
use crate::lengths::find;
use crate::scratch::{Relied, scratch};

/// The cotangent of a value, if it can be computed before the operation that defines it.
pub(crate) enum Early {
    /// It depends on what comes later.
    Never,
    /// Nothing depends on the value.
    Nothing,
    /// A sum of such terms.
    Known(Vec<Term>),
}

/// A cotangent that passed through linear operations.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Seed(Value),
    Neg(Box<Term>),
    Times(Box<Term>, Value),
    Over(Box<Term>, Value),
    /// By the condition, the sum of the ones or of the others.
    Choice(Value, [Vec<Term>; 2]),
}

impl Term {
    /// The term as operations; what `later` computes of numbers alone is computed again, once.
    pub(crate) fn build(
        &self,
        build: &mut Build<'_>,
        later: &[Op],
        again: &mut FxHashMap<Value, Value>,
    ) -> Value {
        match self {
            Term::Seed(v) => *v,
            Term::Neg(inner) => {
                let v = inner.build(build, later, again);
                build.prim(Prim::Neg, vec![v], "")
            }
            Term::Times(inner, k) => {
                let v = inner.build(build, later, again);
                let k = replay(build, *k, later, again);
                build.times(v, k)
            }
            Term::Over(inner, k) => {
                let v = inner.build(build, later, again);
                let k = replay(build, *k, later, again);
                build.prim(Prim::Sdiv, vec![v, k], "")
            }
            Term::Choice(condition, arms) => {
                let condition = replay(build, *condition, later, again);
                let mut blocks = Vec::new();
                for terms in arms {
                    let mut arm = Build::new(build.func, build.origin);
                    // What is computed in one arm is not there in the other.
                    let mut there = again.clone();
                    let total = sum(terms, &mut arm, later, &mut there);
                    let ops = arm.ops;
                    let mut block = build.func.block();
                    block.ops = ops;
                    block.yields = total.into_iter().collect();
                    blocks.push(block);
                }
                let ty = build.func.ty(blocks[0].yields[0]).clone();
                let result = build.func.value("", ty);
                build.push(Kind::If, vec![condition], vec![result]).blocks = blocks;
                result
            }
        }
    }
}

/// More terms than this are no seed: their number may double with each use.
const MOST: usize = 64;

/// How many terms these are, those of choices included.
fn size(terms: &[Term]) -> usize {
    let of = |term: &Term| {
        let mut term = term;
        loop {
            match term {
                Term::Seed(_) => return 1,
                Term::Neg(inner) | Term::Times(inner, _) | Term::Over(inner, _) => term = inner,
                Term::Choice(_, [one, other]) => return 1 + size(one) + size(other),
            }
        }
    };
    terms.iter().map(of).sum()
}

/// The sum of the terms, if there are any.
pub(crate) fn sum(
    terms: &[Term],
    build: &mut Build<'_>,
    later: &[Op],
    again: &mut FxHashMap<Value, Value>,
) -> Option<Value> {
    let mut total = None;
    for term in terms {
        let c = term.build(build, later, again);
        total = Some(build.sum(total, c));
    }
    total
}

/// The values that can be had before an operation and `later` run: those of before, numbers made of them, and what is read of memory that these leave alone.
#[derive(Clone)]
struct Before {
    /// Values that come after.
    new: FxHashSet<Value>,
    /// Of these, the ones that can be computed before.
    fixed: FxHashSet<Value>,
    /// Memory that is made or changed since.
    changed: FxHashSet<Place>,
    /// What follows may not be reached, and might panic.
    left: bool,
}

impl Before {
    fn new(op: &Op, later: &[Op]) -> Before {
        let mut before = Before {
            new: op.results.iter().copied().collect(),
            fixed: FxHashSet::default(),
            changed: FxHashSet::default(),
            left: false,
        };
        before.pass(op);
        before.add(later);
        before
    }

    fn pass(&mut self, op: &Op) {
        op.walk(&mut |op| {
            self.changed.extend(op.stores());
            if let Kind::New(p) = &op.kind {
                self.changed.insert(*p);
            }
            self.left |= matches!(op.kind, Kind::Leave | Kind::Until);
        });
    }

    fn add(&mut self, later: &[Op]) {
        for op in later {
            let again = match &op.kind {
                Kind::Lit(_) | Kind::Prim(_) | Kind::Compare(_) | Kind::Cast(..) => true,
                Kind::Load(path) | Kind::Len(path) => !self.changed.contains(&path.root),
                Kind::Opaque(opaque) => {
                    opaque.pure && opaque.places.iter().all(|p| !self.changed.contains(p))
                }
                _ => false,
            };
            let reached = !self.left || never_panics(op);
            if again && reached && op.operands().iter().all(|v| self.has(*v)) {
                self.fixed.extend(&op.results);
            }
            self.new.extend(&op.results);
            self.pass(op);
        }
    }

    fn has(&self, v: Value) -> bool {
        !self.new.contains(&v) || self.fixed.contains(&v)
    }
}

/// Whether an operation may be computed where the program would not: of numbers, a conversion or what is defined for all of them.
fn never_panics(op: &Op) -> bool {
    match &op.kind {
        Kind::Lit(_) | Kind::Cast(..) => true,
        Kind::Len(path) => path.steps.is_empty(),
        Kind::Opaque(code) => {
            let tokens: Vec<String> = code
                .tokens
                .clone()
                .into_iter()
                .map(|t| t.to_string())
                .collect();
            matches!(&tokens[..], [_, word, _] if word == "as")
        }
        _ => false,
    }
}

/// The value, computed in front of the operations that define it.
fn replay(
    build: &mut Build<'_>,
    v: Value,
    later: &[Op],
    again: &mut FxHashMap<Value, Value>,
) -> Value {
    if let Some(&known) = again.get(&v) {
        return known;
    }
    let Some(op) = defining(later, v) else {
        return v;
    };
    let mut replayed = op.clone();
    replayed.for_each_operand(&mut |v| *v = replay(build, *v, later, again));
    let (ty, hint) = (build.func.ty(v).clone(), build.func.hint(v).to_owned());
    let copy = build.op(replayed.kind, replayed.args, ty, &hint);
    // Of integers, an operation is written as the user wrote it.
    if let Some(last) = build.ops.last_mut() {
        (last.origin, last.span) = (op.origin, op.span);
    }
    build.func.copies.insert(copy, v);
    again.insert(v, copy);
    copy
}

/// The operation that defines `v` alone, at any depth.
fn defining(ops: &[Op], v: Value) -> Option<&Op> {
    find(ops, &|op| op.results == [v])
}

/// The cotangents that are known of values of a block: `None` where it depends on what comes later.
type Seeds = Vec<(Value, Option<Vec<Term>>)>;

/// The cotangent of result `k` of an operation, from those that follow it.
pub(crate) fn early(op: &Op, k: usize, later: &[Op], seeds: &[(Value, Value)]) -> Early {
    let (v, before) = (op.results[k], Before::new(op, later));
    let seeds: Seeds = (seeds.iter())
        .map(|&(y, seed)| (y, Some(vec![Term::Seed(seed)])))
        .collect();
    let mut terms = Vec::new();
    if !collect(v, later, &seeds, &before, &|term| term, &mut terms) {
        return Early::Never;
    }
    if terms.is_empty() {
        Early::Nothing
    } else {
        Early::Known(terms)
    }
}

/// Adds the terms of `v` to `out`, each wrapped; `false` if one is not early.
fn collect(
    v: Value,
    later: &[Op],
    seeds: &Seeds,
    before: &Before,
    wrap: &dyn Fn(Term) -> Term,
    out: &mut Vec<Term>,
) -> bool {
    for (_, seed) in seeds.iter().filter(|(y, _)| *y == v) {
        let Some(terms) = seed else { return false };
        out.extend(terms.iter().cloned().map(wrap));
    }
    for (at, op) in later.iter().enumerate() {
        if out.len() > MOST {
            return false;
        }
        if !op.blocks.is_empty() && mentions_inside(op, v) {
            let rest = &later[at + 1..];
            match alone(op) {
                Some(arm) => {
                    let Some(terms) = of_arm(v, op, arm, rest, seeds, before) else {
                        return false;
                    };
                    out.extend(terms.into_iter().map(wrap));
                }
                None => {
                    let Some(choice) = choice(v, op, rest, seeds, before) else {
                        return false;
                    };
                    out.push(wrap(choice));
                }
            }
            continue;
        }
        let slots: Vec<usize> = (0..op.args.len()).filter(|&k| op.args[k] == v).collect();
        if slots.is_empty() {
            if op.operands().contains(&v) {
                return false;
            }
            continue;
        }
        if is_blind(&op.kind) {
            continue;
        }
        let Kind::Prim(prim) = &op.kind else {
            return false;
        };
        let rest = &later[at + 1..];
        let y = op.results[0];
        for slot in slots {
            let other = op.args.get(1 - slot.min(1)).copied();
            let fixed = other.filter(|k| *k != v && before.has(*k));
            let known = match (prim, slot, fixed) {
                (Prim::Add, ..) | (Prim::Sub, 0, _) => collect(y, rest, seeds, before, wrap, out),
                (Prim::Sub | Prim::Neg, ..) => collect(
                    y,
                    rest,
                    seeds,
                    before,
                    &|t| wrap(Term::Neg(Box::new(t))),
                    out,
                ),
                (Prim::Mul, _, Some(k)) => collect(
                    y,
                    rest,
                    seeds,
                    before,
                    &|t| wrap(Term::Times(Box::new(t), k)),
                    out,
                ),
                (Prim::Div, 0, Some(k)) => collect(
                    y,
                    rest,
                    seeds,
                    before,
                    &|t| wrap(Term::Over(Box::new(t), k)),
                    out,
                ),
                _ => false,
            };
            if !known {
                return false;
            }
        }
    }
    true
}

/// The one arm of a conditional behind which something is derived: in the others the function fails or panics.
fn alone(op: &Op) -> Option<&Block> {
    let mut live = op.blocks.iter().filter(|arm| !arm.fails && !arm.diverges);
    let one = live.next()?;
    let conditional = matches!(op.kind, Kind::If | Kind::Match(..)) && !op.exits();
    (conditional && op.blocks.len() > 1 && live.next().is_none()).then_some(one)
}

/// The cotangent of what an arm of a conditional uses; `None` if it depends on what comes later.
fn of_arm(
    v: Value,
    op: &Op,
    arm: &Block,
    rest: &[Op],
    seeds: &Seeds,
    before: &Before,
) -> Option<Vec<Term>> {
    let of_results = op.results.iter().map(|&y| {
        let mut terms = Vec::new();
        collect(y, rest, seeds, before, &|term| term, &mut terms).then_some(terms)
    });
    let seeds: Seeds = (arm.yields.iter().copied()).zip(of_results).collect();
    let mut before = before.clone();
    // Without its condition, what the arm computes is computed where it may not be reached.
    before.left |= alone(op).is_some();
    before.add(&arm.ops);
    let mut terms = Vec::new();
    collect(v, &arm.ops, &seeds, &before, &|term| term, &mut terms).then_some(terms)
}

/// The cotangent of what the arms of a conditional use, if both use it and the condition can be had before.
///
/// An arm that does not would give a zero, which an infinite slope turns into no number.
fn choice(v: Value, op: &Op, rest: &[Op], seeds: &Seeds, before: &Before) -> Option<Term> {
    let (Kind::If, [condition], [one, other]) = (&op.kind, &op.args[..], &op.blocks[..]) else {
        return None;
    };
    if !before.has(*condition) || op.exits() {
        return None;
    }
    let arm = |block: &Block| {
        let terms = of_arm(v, op, block, rest, seeds, before)?;
        (!block.diverges && !terms.is_empty()).then_some(terms)
    };
    let arms = [arm(one)?, arm(other)?];
    (size(&arms[0]) + size(&arms[1]) <= MOST).then_some(Term::Choice(*condition, arms))
}

/// Reads values without passing on a derivative.
fn is_blind(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Compare(_)
            | Kind::Opaque(_)
            | Kind::Len(_)
            | Kind::Check(_)
            | Kind::Walked(_)
            | Kind::Lit(_)
            | Kind::ShapeOf(_)
            | Kind::Leave
            | Kind::Until
    )
}

fn mentions_inside(op: &Op, v: Value) -> bool {
    let mut found = false;
    for block in &op.blocks {
        found |= block.yields.contains(&v);
        for inner in &block.ops {
            inner.walk(&mut |op| {
                found |= op.operands().contains(&v);
                found |= op.blocks.iter().any(|b| b.yields.contains(&v));
            });
        }
    }
    found
}

/// What is known of calls, and may be relied on.
#[derive(Clone, Copy)]
pub(crate) struct Calls<'a> {
    /// Those that may be given their seeds.
    pub(crate) at_once: &'a FxHashSet<Pos>,
    /// What callees are relied on for, if they may be.
    pub(crate) relied: Option<&'a RefCell<Relied>>,
}

/// Whether the body allows it: carried values are sums, and memory is not written where it matters.
pub(crate) fn is_fusable(
    func: &Func,
    op: &Op,
    head: &For,
    slots: &[usize],
    later: &[Op],
    activity: &Activity,
    calls: Calls<'_>,
) -> bool {
    let block = &op.blocks[0];
    if block.diverges || slots.is_empty() {
        return false;
    }
    let mut chain = Chain {
        budget: 1000,
        values: FxHashSet::default(),
        links: FxHashSet::default(),
        slots: FxHashSet::default(),
        inits: FxHashSet::default(),
    };
    for &k in slots {
        if !chain.follow(block, block.params[head.inductions + k], block.yields[k]) {
            return false;
        }
        chain.slots.insert((block.id, block.yields[k], k));
    }
    chain.is_closed(block, activity) && leaves_memory(func, op, later, activity, calls)
}

/// Whether memory allows that the operation is reversed right after it has run: it is not written where it matters.
///
/// Of a loop, what its rounds overwrite before they read it does not matter.
pub(crate) fn leaves_memory(
    func: &Func,
    op: &Op,
    later: &[Op],
    activity: &Activity,
    calls: Calls<'_>,
) -> bool {
    let lent = lent([op], activity, calls.at_once);
    let mut stored = stored(op, |p| activity.place(p) || lent.contains(&p));
    let mut relied = Relied::default();
    if matches!(op.kind, Kind::For(_)) && !stored.is_empty() {
        let private;
        (private, relied) = scratch(func, op, &stored, calls.relied.is_some());
        stored.retain(|p| !private.contains(p));
    }
    if !stored.is_empty() {
        return false;
    }
    let mut read = FxHashSet::default();
    op.walk(&mut |inner| match &inner.kind {
        Kind::Load(path) | Kind::Owned(path, _) | Kind::Copy(_, path) => {
            read.insert(path.root);
        }
        Kind::Call(call) => read.extend(call.args.iter().filter_map(|arg| match arg {
            Arg::Ref(p) | Arg::Mut(p) | Arg::Capture(p) => Some(p.root),
            Arg::Value(_) | Arg::Owned | Arg::Function(_) => None,
        })),
        _ => {}
    });
    // A later store reverses first: it would clear what the loop has added to the shadow already.
    let mut overwritten = false;
    for op in later {
        op.walk(&mut |op| {
            overwritten |= op
                .stores()
                .iter()
                .any(|p| activity.place(*p) && read.contains(p));
        });
    }
    if let (false, Some(all)) = (overwritten, calls.relied) {
        all.borrow_mut().extend(relied);
    }
    !overwritten
}

/// The memory from outside that an operation and its blocks store to, as far as it matters.
pub(crate) fn stored(op: &Op, matters: impl Fn(Place) -> bool) -> BTreeSet<Place> {
    let (mut local, mut stored) = (FxHashSet::default(), BTreeSet::new());
    op.walk(&mut |inner| {
        if let Kind::New(p) = &inner.kind {
            local.insert(*p);
        }
        stored.extend(inner.stores().into_iter().filter(|p| matters(*p)));
    });
    stored.retain(|p| !local.contains(p));
    stored
}

/// Whether something in the arms of a conditional gains by running in one pass: a loop, or a call.
pub(crate) fn gains(func: &Func, op: &Op, activity: &Activity, calls: Calls<'_>) -> bool {
    op.blocks.iter().any(|block| {
        block
            .ops
            .iter()
            .enumerate()
            .any(|(at, inner)| match &inner.kind {
                Kind::Call(_) => calls.at_once.contains(&inner.pos),
                Kind::For(head) => {
                    let (slots, rest) = (activity.slots(inner), &block.ops[at + 1..]);
                    is_fusable(func, inner, head, &slots, rest, activity, calls)
                }
                Kind::If | Kind::Match(..) => gains(func, inner, activity, calls),
                _ => false,
            })
    })
}

/// The calls that may be given their seeds, as far as the calls themselves go: of functions with a number for a result, which change nothing that has a derivative.
///
/// What is lent to be changed may be a parameter with a derivative to the callee, unless it is made of integers, or the callee is `own`, the function itself.
/// Of methods those `beside` the function are known, where they are called on its own receiver.
pub(crate) fn callable_at_once(
    func: &Func,
    activity: &Activity,
    (own, beside): (&Ident, &[Ident]),
) -> FxHashSet<Pos> {
    let itself = |call: &Call| match (func.params.first(), call.args.first()) {
        (Some(Param::Place(this)), Some(Arg::Ref(path))) => {
            call.receiver && path.root == *this && path.steps.is_empty()
        }
        _ => false,
    };
    let mut out = FxHashSet::default();
    for op in &func.body.ops {
        op.walk(&mut |op| {
            let Kind::Call(call) = &op.kind else { return };
            let plain = matches!(call.form, Form::Primal)
                && !call.parameter
                && call.functions.is_empty()
                && match &call.member {
                    Some(member) => beside.contains(member) && itself(call),
                    None => true,
                }
                && call.nested.is_none()
                && call.unsure.is_empty()
                && !call.is_of_runtime();
            let [y] = op.results[..] else { return };
            let active = activity.value(y) && func.ty(y).is_float();
            let own = *own == call.path.to_string();
            let args = call.args.iter().all(|arg| match arg {
                Arg::Mut(path) => {
                    let ty = func.path_ty(path);
                    let counts = ty.is_inert() && ty.is_numbers();
                    (own || counts) && !activity.place(path.root)
                }
                Arg::Value(_) | Arg::Ref(_) => true,
                Arg::Owned | Arg::Function(_) | Arg::Capture(_) => false,
            });
            if plain && active && args {
                out.insert(op.pos);
            }
        });
    }
    out
}

/// The way of carried values through additions, from a block's parameter to its yield.
#[derive(Clone)]
struct Chain {
    /// Steps left before the search is given up.
    budget: u32,
    values: FxHashSet<Value>,
    /// The operations that pass a value of the chain on.
    links: FxHashSet<Pos>,
    /// Yields of a chain's value in the slot that carries it, of the blocks that carry it: another block may yield it as what it likes.
    slots: FxHashSet<(BlockId, Value, usize)>,
    /// Slots of inner loops that the chain passes through.
    inits: FxHashSet<(Pos, usize)>,
}

impl Chain {
    /// Whether `target` is `start` plus something.
    fn follow(&mut self, block: &Block, start: Value, target: Value) -> bool {
        self.values.insert(target);
        if target == start {
            return true;
        }
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let Some((op, slot)) = block.ops.iter().find_map(|op| {
            op.results
                .iter()
                .position(|&r| r == target)
                .map(|k| (op, k))
        }) else {
            return false;
        };
        let found = match &op.kind {
            Kind::Prim(Prim::Add) => {
                let mut left = self.clone();
                if left.follow(block, start, op.args[0]) {
                    *self = left;
                    true
                } else {
                    self.budget = left.budget;
                    self.follow(block, start, op.args[1])
                }
            }
            Kind::Prim(Prim::Sub) => self.follow(block, start, op.args[0]),
            Kind::If | Kind::Match(..) => op.blocks.iter().filter(|b| !b.diverges).all(|arm| {
                self.slots.insert((arm.id, arm.yields[slot], slot));
                self.follow_out(arm, block, start, arm.yields[slot])
            }),
            Kind::For(head) => {
                let body = &op.blocks[0];
                let param = body.params[head.inductions + slot];
                let init = op.args[head.domain.operands() + slot];
                if body.diverges {
                    return false;
                }
                self.slots.insert((body.id, body.yields[slot], slot));
                self.inits.insert((op.pos, slot));
                self.follow(body, param, body.yields[slot]) && self.follow(block, start, init)
            }
            _ => false,
        };
        self.links.insert(op.pos);
        found
    }

    /// In an arm: the value may come from the arm or from the block around it.
    fn follow_out(&mut self, arm: &Block, block: &Block, start: Value, target: Value) -> bool {
        let mut inner = arm.clone();
        // What the arm itself does not define is looked up outside.
        inner.ops.extend(block.ops.iter().cloned());
        self.follow(&inner, start, target)
    }

    /// No value of the chain is used anywhere else in a way that matters.
    fn is_closed(&self, block: &Block, activity: &Activity) -> bool {
        let mut closed = true;
        self.check(block, activity, &mut closed);
        closed
    }

    fn check(&self, block: &Block, activity: &Activity, closed: &mut bool) {
        for (k, v) in block.yields.iter().enumerate() {
            let carried = self.slots.contains(&(block.id, *v, k));
            if self.values.contains(v) && activity.value(*v) && !carried {
                *closed = false;
            }
        }
        for op in &block.ops {
            let used = op
                .operands()
                .iter()
                .filter(|v| self.values.contains(v) && activity.value(**v))
                .count();
            let passes = self.links.contains(&op.pos);
            let allowed = match &op.kind {
                kind if is_blind(kind) => usize::MAX,
                Kind::Prim(_) if passes => 1,
                // A carried value enters an inner loop as the start of the slots that carry it on.
                Kind::For(head) => {
                    let first = head.domain.operands();
                    let inits = op.args[first..].iter().enumerate();
                    inits
                        .filter(|(k, v)| {
                            self.inits.contains(&(op.pos, *k))
                                && self.values.contains(*v)
                                && activity.value(**v)
                        })
                        .count()
                }
                _ => 0,
            };
            if used > allowed {
                *closed = false;
            }
            for inner in &op.blocks {
                self.check(inner, activity, closed);
            }
        }
    }
}
