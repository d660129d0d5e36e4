//! Of the rounds of a loop, those that a carried value was chosen in have a derivative, and no others.
//!
//! A search keeps one of the values that its rounds compute: the smallest, the largest, the last that a condition held for.
//! All rounds before the one that chose it last have lost their influence, and the rounds after it never had any.
//! So the search itself is made a constant, which notes where it chose, and the chosen round is computed once more:
//!
//! ```text
//! m′ = for j, m = m₀ {               …, found, at = for j, m = m₀, found = false, at = lo {
//!   t = f(j)                           t = f(j)
//!   if c { t } else { m }        ⇒     if c { t, true, j } else { m, found, at }
//! }                                  }
//!                                    m′ = if found { f(at) } else { m₀ }
//! ```
//!
//! `max` and `min` share their derivative where values tie. There the rounds from the last one that was strictly better to
//! the last one that was at least as good run again: in between nothing but ties has a weight.
//! With the start in place of what was kept before them they weigh the same, because the first of them is better than either.
//! An offer that is strictly worse changes nothing, bit for bit, so the search chooses only where it is not:
//!
//! ```text
//! m = max(m, t)   ⇒   m, first, end = if t < m { m, first, end } else { max(m, t), if t > m { j } else { first }, j + 1 }
//! ```
//!
//! Rounds that offer nothing are most of them, and skip all of it.
//!
//! The values are the same bits; nothing is remembered by the search, and its reverse sweep takes as long as its chosen rounds do.
//! What a function stores elsewhere could make it another value the second time: where the rounds call one, or use an operator that may be one, the values are compared.

use rustc_hash::{FxHashMap, FxHashSet};

use quote::quote;

use crate::analysis::Activity;
use crate::build::Build;
use crate::ir::{
    Arg, Block, Domain, For, Form, Func, Kind, Op, Opaque, Place, Prim, Ty, Value, ValueData,
};
use crate::rules;

/// Rewrites every search whose chosen rounds can be computed again; says whether there is one.
///
/// As a mutation, the loops forget where they chose.
pub(crate) fn chosen(func: &mut Func, active: &Activity, forget: bool) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let found = block(func, &mut body, active, forget);
    func.body = body;
    found
}

fn block(func: &mut Func, of: &mut Block, active: &Activity, forget: bool) -> bool {
    let mut found = false;
    for mut op in std::mem::take(&mut of.ops) {
        for inner in &mut op.blocks {
            found |= block(func, inner, active, forget);
        }
        let mut again = Vec::new();
        let mut taken = FxHashSet::default();
        while let Some(search) = search(func, &op, active, &taken) {
            found = true;
            again.extend(match search {
                Search::Kept(kept) => {
                    taken.extend(kept.values.iter().map(|(slot, _)| *slot));
                    vec![kept.rewrite(func, &mut op, &mut of.ops, forget)]
                }
                Search::Best(best) => {
                    taken.insert(best.slot);
                    best.rewrite(func, &mut op, forget)
                }
            });
        }
        of.ops.push(op);
        of.ops.extend(again);
    }
    found
}

/// What a loop searches for.
enum Search {
    Kept(Kept),
    Best(Best),
}

/// Values that a conditional of the body replaces all at once, or keeps.
struct Kept {
    /// The conditional, among the operations of the body.
    at: usize,
    /// Its arm that replaces them.
    arm: usize,
    /// Of each, the number of the carried value, and what replaces it.
    values: Vec<(usize, Value)>,
    /// What computes these, in order.
    slice: Vec<Op>,
    /// What the slice needs of the round, with the value at the start.
    needs: Vec<(Value, Value)>,
}

/// The largest or smallest of the values of all rounds.
struct Best {
    /// The number of the carried value.
    slot: usize,
    /// The operation that chooses, among those of the body.
    at: usize,
    /// What each round offers.
    offer: Value,
    /// How an offer compares that is strictly better, and one that is strictly worse.
    better: &'static str,
    worse: &'static str,
    /// What computes the offer, in order.
    slice: Vec<Op>,
}

/// The first search of a loop that can be rewritten, of the carried values that none has taken yet.
fn search(func: &Func, op: &Op, active: &Activity, taken: &FxHashSet<usize>) -> Option<Search> {
    let Kind::For(head) = &op.kind else {
        return None;
    };
    if op.blocks[0].diverges || head.counted {
        return None;
    }
    let rounds = Rounds::new(func, op, head, active, taken);
    (0..rounds.body.yields.len()).find_map(|slot| {
        let at = rounds.choice(slot)?;
        match &rounds.body.ops[at].kind {
            Kind::If => rounds.kept(at, slot).map(Search::Kept),
            Kind::Prim(Prim::Rule(row)) => rounds.best(at, slot, *row).map(Search::Best),
            _ => None,
        }
    })
}

/// A loop, and what is known of its rounds.
struct Rounds<'a> {
    func: &'a Func,
    op: &'a Op,
    head: &'a For,
    body: &'a Block,
    active: &'a Activity,
    taken: &'a FxHashSet<usize>,
    /// The places that a round may change or make.
    changed: FxHashSet<Place>,
}

impl<'a> Rounds<'a> {
    fn new(
        func: &'a Func,
        op: &'a Op,
        head: &'a For,
        active: &'a Activity,
        taken: &'a FxHashSet<usize>,
    ) -> Self {
        let mut changed = FxHashSet::default();
        op.walk(&mut |op| {
            changed.extend(op.stores());
            changed.extend(op.reshapes(func));
            if let Kind::New(p) | Kind::NewZero(p) | Kind::Take(p) = &op.kind {
                changed.insert(*p);
            }
        });
        Rounds {
            func,
            op,
            head,
            body: &op.blocks[0],
            active,
            taken,
            changed,
        }
    }

    /// The carried value at the start of a round.
    fn held(&self, slot: usize) -> Value {
        self.body.params[self.head.inductions + slot]
    }

    /// The operation that gives an active number its next value, if nothing but the next round has that.
    fn choice(&self, slot: usize) -> Option<usize> {
        let (held, next) = (self.held(slot), self.body.yields[slot]);
        let number = self.active.value(held) && self.func.ty(held).is_float();
        let yields = &self.body.yields;
        let once = yields.iter().filter(|v| **v == next).count() == 1;
        if !number || !once || self.taken.contains(&slot) || yields.contains(&held) {
            return None;
        }
        let ops = &self.body.ops;
        let at = ops.iter().position(|op| op.results.contains(&next))?;
        let mut others = ops.iter().enumerate().filter(|(k, _)| *k != at);
        let used = others.any(|(_, op)| is_used(op, held) || is_used(op, next));
        (!used).then_some(at)
    }

    /// The search whose choice is a conditional.
    fn kept(&self, at: usize, slot: usize) -> Option<Kept> {
        let op = &self.body.ops[at];
        if op.blocks.iter().any(|arm| arm.diverges) {
            return None;
        }
        let replaced = |slot: usize, arm: usize| {
            let (held, next) = (self.held(slot), self.body.yields[slot]);
            let q = op.results.iter().position(|y| *y == next)?;
            let inside = op.blocks.iter().flat_map(|arm| &arm.ops);
            let yields = op.blocks.iter().flat_map(|arm| &arm.yields);
            let kept = op.blocks[1 - arm].yields[q] == held
                && yields.filter(|v| **v == held).count() == 1
                && !inside.into_iter().any(|op| is_used(op, held));
            kept.then(|| op.blocks[arm].yields[q])
        };
        let arm = (0..2).find(|&arm| replaced(slot, arm).is_some())?;
        let slots = 0..self.body.yields.len();
        let chosen = slots.filter(|&k| self.choice(k) == Some(at));
        let values: Vec<(usize, Value)> = chosen
            .filter_map(|k| Some((k, replaced(k, arm)?)))
            .collect();
        let targets: Vec<Value> = values.iter().map(|(_, v)| *v).collect();
        let (slice, needed) = self.slice(at, Some(arm), &targets)?;
        let needs = needed.into_iter().map(|v| Some((v, self.first(v)?)));
        Some(Kept {
            at,
            arm,
            values,
            slice,
            needs: needs.collect::<Option<_>>()?,
        })
    }

    /// The search whose choice is `max` or `min`.
    fn best(&self, at: usize, slot: usize, row: usize) -> Option<Best> {
        let (better, worse) = match rules::rule(row).name {
            "max" => (">", "<"),
            "min" => ("<", ">"),
            _ => return None,
        };
        let upward = matches!(
            self.head.domain,
            Domain::Range {
                inclusive: false,
                reversed: false,
            }
        );
        // After a character comes none that `+ 1` is.
        if !upward || matches!(self.func.ty(self.body.params[0]), Ty::Inert) {
            return None;
        }
        let held = self.held(slot);
        let offer = match self.body.ops[at].args[..] {
            [a, b] if a == held && b != held => b,
            [a, b] if b == held && a != held => a,
            _ => return None,
        };
        let (slice, needed) = self.slice(at, None, &[offer])?;
        let only_round = needed.iter().all(|v| *v == self.body.params[0]);
        only_round.then_some(Best {
            slot,
            at,
            offer,
            better,
            worse,
            slice,
        })
    }

    /// The operations that compute `values`, of those in front of the choice and those in one of its arms; and what they need of the round, in order.
    ///
    /// `None` if one of them may not run again, or reads what a round changes.
    fn slice(
        &self,
        at: usize,
        arm: Option<usize>,
        values: &[Value],
    ) -> Option<(Vec<Op>, Vec<Value>)> {
        let inside = arm.map(|arm| &self.body.ops[at].blocks[arm].ops);
        let all = self.body.ops[..at]
            .iter()
            .chain(inside.into_iter().flatten());
        let mut needed: FxHashSet<Value> = values.iter().copied().collect();
        let mut slice = Vec::new();
        for op in all.rev() {
            if !op.results.iter().any(|y| needed.contains(y)) {
                continue;
            }
            let mut stays = runs_again(op);
            op.walk(&mut |op| stays &= op.places().iter().all(|p| !self.changed.contains(p)));
            if !stays {
                return None;
            }
            needed.extend(op.captures());
            slice.push(op.clone());
        }
        slice.reverse();
        let params = self.body.params.iter().copied();
        Some((slice, params.filter(|v| needed.contains(v)).collect()))
    }

    /// The number at the start that is another one in every round, unless it has a derivative or only rustc knows it.
    fn first(&self, v: Value) -> Option<Value> {
        if !self.func.ty(v).is_scalar() {
            return None;
        }
        let at = self.body.params.iter().position(|&p| p == v)?;
        match (&self.head.domain, at.checked_sub(self.head.inductions)) {
            (domain, Some(slot)) if !self.active.value(v) => {
                Some(self.op.args[domain.operands() + slot])
            }
            (Domain::Range { .. }, None) => Some(self.op.args[0]),
            _ => None,
        }
    }
}

/// Whether an operation does more with a value than compare it.
fn is_used(op: &Op, v: Value) -> bool {
    let own = !matches!(op.kind, Kind::Compare(_)) && op.operands().contains(&v);
    let inside = |block: &Block| {
        block.yields.contains(&v) || block.ops.iter().any(|inner| is_used(inner, v))
    };
    own || op.blocks.iter().any(inside)
}

/// Whether an operation does the same when it runs once more.
fn runs_again(op: &Op) -> bool {
    let own = match &op.kind {
        Kind::Check(_) | Kind::Payload | Kind::If | Kind::Leave | Kind::Until => true,
        Kind::For(head) => match &head.domain {
            Domain::Verbatim { iter, .. } => iter.pure && iter.writes.is_empty(),
            _ => true,
        },
        Kind::Call(call) => {
            let lent = |arg: &Arg| matches!(arg, Arg::Value(_) | Arg::Ref(_));
            matches!(call.form, Form::Primal) && !call.is_formed() && call.args.iter().all(lent)
        }
        _ => op.is_pure(),
    };
    let mut inner = op.blocks.iter().flat_map(|block| &block.ops);
    own && inner.all(runs_again)
}

impl Kept {
    /// Makes the loop note where it chose, and gives what computes the chosen round again; literals go to `before`.
    fn rewrite(self, func: &mut Func, op: &mut Op, before: &mut Vec<Op>, forget: bool) -> Op {
        let starts: Vec<Value> = (self.values.iter())
            .map(|(slot, _)| start(op, *slot))
            .collect();
        let mut build = Build::new(func, op.origin);
        build.span = op.span;
        let [no, yes] = [quote!(false), quote!(true)].map(|word| build.literal(word, Ty::Bool));
        before.append(&mut build.ops);
        "found".clone_into(&mut func.values[no.0 as usize].hint);
        let (found, was_found) = carry(func, op, no, no);
        let mut noted = vec![(yes, found)];
        let mut again = Again::default();
        for &(v, first) in &self.needs {
            let (at, was_at) = carry(func, op, v, first);
            again.renamed.insert(v, was_at);
            noted.push((v, at));
        }
        for (new, old) in noted {
            let next = like(func, old);
            let choice = &mut op.blocks[0].ops[self.at];
            choice.blocks[self.arm]
                .yields
                .push(if forget { old } else { new });
            choice.blocks[1 - self.arm].yields.push(old);
            choice.results.push(next);
            op.blocks[0].yields.push(next);
        }
        let results = self.values.iter().map(|(slot, _)| take(func, op, *slot));
        let results = results.collect();
        let [mut chosen, mut none] = [func.block(), func.block()];
        chosen.ops = again.ops(func, &self.slice);
        chosen.yields = self.values.iter().map(|(_, v)| again.of(*v)).collect();
        if may_differ(func, &self.slice) {
            let firsts = self.values.iter().map(|(slot, _)| op.results[*slot]);
            let both = chosen.yields.iter().copied().zip(firsts);
            let compared = both.map(|(again, first)| compared(again, first, op));
            let compared: Vec<Op> = compared.collect();
            chosen.ops.extend(compared);
        }
        none.yields = starts;
        Op {
            kind: Kind::If,
            args: vec![was_found],
            results,
            blocks: vec![chosen, none],
            ..op.clone()
        }
    }
}

impl Best {
    /// Makes the loop note which rounds have a weight, and gives the loop that runs these again.
    fn rewrite(self, func: &mut Func, op: &mut Op, forget: bool) -> Vec<Op> {
        let (round, first) = (op.blocks[0].params[0], op.args[0]);
        let held = op.blocks[0].params[1 + self.slot];
        let initial = start(op, self.slot);
        let mut again = Again::default();
        let mut body = func.block();
        body.params = [round, held].map(|v| again.fresh(func, v)).to_vec();
        body.ops = again.ops(func, &self.slice);
        body.ops
            .extend(again.ops(func, &op.blocks[0].ops[self.at..=self.at]));
        body.yields = vec![again.of(op.blocks[0].yields[self.slot])];

        let [(begin, was_begin), (end, was_end)] = ["first", "end"].map(|hint| {
            let made = carry(func, op, round, first);
            for v in [made.0, made.1] {
                hint.clone_into(&mut func.values[v.0 as usize].hint);
            }
            made
        });
        let mut choice = op.blocks[0].ops.remove(self.at);
        let chosen = choice.results[0];
        choice.results = vec![like(func, chosen)];
        let mut build = Build::new(func, op.origin);
        build.span = op.span;
        let better = build.op(
            Kind::Compare(self.better),
            vec![self.offer, held],
            Ty::Bool,
            "",
        );
        let [mut moves, mut stays] = [build.func.block(), build.func.block()];
        moves.yields = vec![round];
        stays.yields = vec![begin];
        let from = like(build.func, begin);
        build.push(Kind::If, vec![better], vec![from]).blocks = vec![moves, stays];
        let one = build.literal(quote!(1), Ty::Int);
        let to = build.op(Kind::Prim(Prim::Add), vec![round, one], Ty::Int, "");
        let mut weighs = build.func.block();
        weighs.yields = vec![choice.results[0], from, if forget { end } else { to }];
        weighs.ops = std::mem::take(&mut build.ops);
        weighs.ops.push(choice);
        let worse = build.op(
            Kind::Compare(self.worse),
            vec![self.offer, held],
            Ty::Bool,
            "",
        );
        let mut idles = build.func.block();
        idles.yields = vec![held, begin, end];
        let next = [like(build.func, begin), like(build.func, end)];
        let results = vec![chosen, next[0], next[1]];
        build.push(Kind::If, vec![worse], results).blocks = vec![idles, weighs];
        let noting = build.ops;
        op.blocks[0].yields.extend(next);
        op.blocks[0].ops.splice(self.at..self.at, noting);
        let result = take(func, op, self.slot);
        let mut made = vec![Op {
            args: vec![was_begin, was_end, initial],
            results: vec![result],
            blocks: vec![body],
            ..op.clone()
        }];
        if may_differ(func, &self.slice) {
            made.push(compared(result, op.results[self.slot], op));
        }
        made
    }
}

/// The carried value of a loop at the start of its first round.
fn start(op: &Op, slot: usize) -> Value {
    let carried = op.args.len() - op.blocks[0].yields.len();
    op.args[carried + slot]
}

/// Whether functions of the program are called, or operators that may be its own.
fn may_differ(func: &Func, ops: &[Op]) -> bool {
    let foreign = |op: &Op, opaque: &Opaque| {
        op.args.iter().any(|v| func.ty(*v).may_be_foreign())
            || (opaque.places.iter()).any(|p| func.places[p.0 as usize].ty.may_be_foreign())
    };
    let mut found = false;
    for op in ops {
        op.walk(&mut |op| {
            found |= match &op.kind {
                Kind::Call(_) => true,
                Kind::Opaque(opaque) => foreign(op, opaque),
                _ => false,
            };
        });
    }
    found
}

/// Panics unless what is computed again is the same.
fn compared(again: Value, first: Value, like: &Op) -> Op {
    Op {
        kind: Kind::AssertSame,
        args: vec![again, first],
        results: Vec::new(),
        blocks: Vec::new(),
        ..like.clone()
    }
}

/// A further value of the same type.
fn like(func: &mut Func, v: Value) -> Value {
    let data: ValueData = func.values[v.0 as usize].clone();
    func.values.push(data);
    Value(func.values.len() as u32 - 1)
}

/// Gives a loop a further carried value: what it is in a round, and in the end.
fn carry(func: &mut Func, op: &mut Op, of: Value, first: Value) -> (Value, Value) {
    let (held, result) = (like(func, of), like(func, of));
    op.args.push(first);
    op.blocks[0].params.push(held);
    op.results.push(result);
    (held, result)
}

/// Takes a result from a loop, which has another one in its place.
fn take(func: &mut Func, op: &mut Op, slot: usize) -> Value {
    let other = like(func, op.results[slot]);
    std::mem::replace(&mut op.results[slot], other)
}

/// Operations that stand a second time, with results of their own, and memory of their own where they make some.
#[derive(Default)]
pub(crate) struct Again {
    renamed: FxHashMap<Value, Value>,
    places: FxHashMap<Place, Place>,
}

impl Again {
    /// The memory that was made, each with what it stands for.
    pub(crate) fn made(&self) -> Vec<(Place, Place)> {
        self.places.iter().map(|(&old, &new)| (new, old)).collect()
    }

    fn of(&self, v: Value) -> Value {
        self.renamed.get(&v).copied().unwrap_or(v)
    }

    fn fresh(&mut self, func: &mut Func, v: Value) -> Value {
        let new = like(func, v);
        let of = func.copies.get(&v).copied().unwrap_or(v);
        func.copies.insert(new, of);
        self.renamed.insert(v, new);
        new
    }

    fn ops(&mut self, func: &mut Func, ops: &[Op]) -> Vec<Op> {
        ops.iter().map(|op| self.op(func, op)).collect()
    }

    pub(crate) fn op(&mut self, func: &mut Func, op: &Op) -> Op {
        let mut new = op.clone();
        if let Kind::New(p) = &op.kind {
            let data = func.at(*p).clone();
            func.places.push(data);
            self.places.insert(*p, Place(func.places.len() as u32 - 1));
        }
        new.for_each_place(&mut |p| *p = self.places.get(p).copied().unwrap_or(*p));
        new.for_each_operand(&mut |v| *v = self.of(*v));
        for (block, old) in new.blocks.iter_mut().zip(&op.blocks) {
            block.id = func.block().id;
            block.params = old.params.iter().map(|&v| self.fresh(func, v)).collect();
            block.ops = self.ops(func, &old.ops);
            block.yields = old.yields.iter().map(|&v| self.of(v)).collect();
        }
        new.results = op.results.iter().map(|&v| self.fresh(func, v)).collect();
        new
    }
}
