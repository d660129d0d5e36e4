//! What flows back several times with the same cotangent is multiplied by it once.
//!
//! A value that goes into a result in several ways has a cotangent that is a sum of products with that of the result:
//!
//! ```text
//! d_x = d * a; d_x#2 = d_x + d * b   ⇒   d_x = d * (a + b)
//! ```
//!
//! The partials are there before the cotangent is, so in a chain of rounds fewer operations wait for each other; and of guards there is one.
//! Where the partials are one, `d * a + d * a`, and the cotangent comes from outside, as into a loop, this is `(d + d) * a`.
//! A zero is absorbed as before: a sum is zero where all of its terms are.
//!
//! Where a factor comes twice, what flows back through the inner product is a multiple of a product that the function has computed:
//!
//! ```text
//! p = a * b; y = p * b: d_p = d * b; d_b = d_p * a   ⇒   d_b = d * p
//! ```
//!
//! Only where the reverse sweep needs that product in any case, and of floats of std alone.
//!
//! What flows back through a reciprocal is divided by what it is the reciprocal of, and that is a product with it:
//!
//! ```text
//! y = 1 / b: d_b = -(d / b) * y   ⇒   d_b = -(d * y) * y
//! ```
//!
//! Where the reciprocal is infinite, so is what the second product makes of either.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::build::Build;
use crate::ir::{Block, Func, Kind, Op, Origin, Prim, Ty, Value, Width};
use crate::slopes::number;

/// Joins the products of each block of a reverse sweep.
pub(crate) fn factors(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    let mut known = Known::default();
    known.collect(&body);
    in_block(func, &mut body, &mut known);
    replace(&mut body, &known.replaced);
    func.body = body;
}

/// What is known of values wherever they stand.
#[derive(Default)]
struct Known {
    /// The factors of the products of the function.
    products: FxHashMap<Value, [Value; 2]>,
    /// The literals that are 1.
    ones: FxHashSet<Value>,
    /// What a value of the function is the reciprocal of.
    reciprocals: FxHashMap<Value, Value>,
    /// How often a value is used.
    uses: FxHashMap<Value, usize>,
    /// How many loops stand around the block.
    loops: usize,
    /// Sums of which one term is left: that term.
    replaced: FxHashMap<Value, Value>,
}

impl Known {
    fn collect(&mut self, block: &Block) {
        for op in &block.ops {
            match (&op.kind, &op.args[..], op.origin) {
                (Kind::Prim(Prim::Mul), &[a, b], Origin::User) => {
                    self.products.insert(op.results[0], [a, b]);
                }
                (Kind::Prim(Prim::Div), &[a, b], Origin::User) if self.ones.contains(&a) => {
                    self.reciprocals.insert(op.results[0], b);
                }
                (Kind::Lit(tokens), [], _) => {
                    let one = (number(tokens) - 1.0).abs() == 0.0;
                    self.ones.extend(op.results.iter().filter(|_| one));
                }
                _ => {}
            }
            for v in op.operands() {
                *self.uses.entry(v).or_default() += 1;
            }
            for inner in &op.blocks {
                self.collect(inner);
            }
        }
        for &v in block.yields.iter().chain(&block.record) {
            *self.uses.entry(v).or_default() += 1;
        }
    }

    fn is_used_once(&self, v: Value) -> bool {
        self.uses.get(&v) == Some(&1)
    }
}

fn in_block(func: &mut Func, block: &mut Block, known: &mut Known) {
    for op in &mut block.ops {
        let rounds = usize::from(matches!(op.kind, Kind::For(_)));
        known.loops += rounds;
        for inner in &mut op.blocks {
            in_block(func, inner, known);
        }
        known.loops -= rounds;
    }
    reciprocals(func, block, known);
    squares(func, block, known);
    sums(func, block, known);
}

/// A product of a cotangent with a partial: how it is guarded, and both.
///
/// Behind these stands what the guard asks, if it does.
fn product<'a>(func: &Func, op: &'a Op) -> Option<(Prim, &'a [Value])> {
    let Kind::Prim(prim) = op.kind else {
        return None;
    };
    let product = matches!(
        prim,
        Prim::Mul | Prim::Select | Prim::Zmul | Prim::Absorb(_)
    );
    let number = op.args.iter().take(2).all(|&v| is_number(func, v));
    (product && number && op.origin == Origin::Derived).then_some((prim, &op.args))
}

fn is_number(func: &Func, v: Value) -> bool {
    match func.ty(v) {
        Ty::Float(Width::F32 | Width::F64) => true,
        Ty::Float(Width::Any) => !func.generic,
        _ => false,
    }
}

/// Replaces quotients by what a value is the reciprocal of, where the next product is with that.
fn reciprocals(func: &Func, block: &mut Block, known: &mut Known) {
    let mut needs: FxHashMap<Value, Value> = FxHashMap::default();
    let mut quotients: FxHashMap<Value, usize> = FxHashMap::default();
    // Of each quotient that is a product: the number of the product behind it.
    let mut moved: FxHashMap<usize, usize> = FxHashMap::default();
    for at in 0..block.ops.len() {
        let op = &block.ops[at];
        let (Some(&first), Origin::Derived) = (op.args.first(), op.origin) else {
            continue;
        };
        match op.kind {
            Kind::Need(_) => {
                needs.insert(op.results[0], first);
            }
            Kind::Prim(Prim::Div | Prim::Sdiv) if known.is_used_once(op.results[0]) => {
                quotients.insert(op.results[0], at);
            }
            Kind::Prim(Prim::Smul | Prim::Mul) => {
                let by = op.args[1];
                let divisor = needs.get(&by).and_then(|of| known.reciprocals.get(of));
                let (Some(&divisor), Some(&quotient)) = (divisor, quotients.get(&first)) else {
                    continue;
                };
                let divided = &mut block.ops[quotient];
                let same = needs.get(&divided.args[1]) == Some(&divisor);
                if !same || !is_number(func, by) || !is_number(func, divided.args[0]) {
                    continue;
                }
                divided.kind = Kind::Prim(if matches!(divided.kind, Kind::Prim(Prim::Div)) {
                    Prim::Mul
                } else {
                    Prim::Smul
                });
                *known.uses.entry(divided.args[1]).or_default() -= 1;
                *known.uses.entry(by).or_default() += 1;
                divided.args[1] = by;
                moved.insert(quotient, at);
            }
            _ => {}
        }
    }
    if moved.is_empty() {
        return;
    }
    let mut waiting: FxHashMap<usize, Op> = FxHashMap::default();
    for (at, op) in std::mem::take(&mut block.ops).into_iter().enumerate() {
        if let Some(&behind) = moved.get(&at) {
            waiting.insert(behind, op);
            continue;
        }
        block.ops.extend(waiting.remove(&at));
        block.ops.push(op);
    }
}

/// Replaces what flows back through a product to a factor that comes a second time.
fn squares(func: &Func, block: &mut Block, known: &mut Known) {
    let mut needs: FxHashMap<Value, Value> = FxHashMap::default();
    let mut at_hand: FxHashMap<[Value; 2], Value> = FxHashMap::default();
    let mut made: FxHashMap<Value, (Prim, Vec<Value>)> = FxHashMap::default();
    let pair = |a: Value, b: Value| if a.0 < b.0 { [a, b] } else { [b, a] };
    for op in &mut block.ops {
        if let Kind::Need(_) = op.kind {
            let (of, here) = (op.args[0], op.results[0]);
            needs.insert(here, of);
            if let Some(&[a, b]) = known.products.get(&of) {
                at_hand.insert(pair(a, b), here);
            }
        }
        let Some((outer, args)) = product(func, op) else {
            continue;
        };
        let through = || {
            let (inner, before) = made.get(&args[0])?;
            let (a, b) = (needs.get(&before[1])?, needs.get(&args[1])?);
            let whole = *at_hand.get(&pair(*a, *b))?;
            let (prim, asks) = match (*inner, outer) {
                (inner, Prim::Mul) => (inner, &before[2..]),
                (Prim::Mul, outer) => (outer, &args[2..]),
                (inner, outer) if inner == outer && before[2..] == args[2..] => {
                    (inner, &before[2..])
                }
                _ => return None,
            };
            let factors = [before[0], whole];
            Some((prim, [&factors[..], asks].concat()))
        };
        if let Some((prim, args)) = through() {
            for v in &args {
                *known.uses.entry(*v).or_default() += 1;
            }
            for v in std::mem::replace(&mut op.args, args) {
                *known.uses.entry(v).or_default() -= 1;
            }
            op.kind = Kind::Prim(prim);
        }
        let Kind::Prim(prim) = op.kind else { continue };
        made.insert(op.results[0], (prim, op.args.clone()));
    }
}

/// The terms of a sum, which are added up by operations of one block.
#[derive(Default)]
struct Terms {
    /// Each with the number of the operation that makes it, if that is a product which nothing else uses.
    terms: Vec<(Value, Option<usize>)>,
}

/// Joins the products with one cotangent that are added up.
fn sums(func: &mut Func, block: &mut Block, known: &mut Known) {
    let mut made: FxHashMap<Value, usize> = FxHashMap::default();
    let mut inner: FxHashSet<Value> = FxHashSet::default();
    for (at, op) in block.ops.iter().enumerate() {
        made.extend(op.results.iter().map(|&v| (v, at)));
        if is_sum(func, op) {
            let once = op.args.iter().filter(|&&v| known.is_used_once(v));
            inner.extend(once);
        }
    }
    let mut before: FxHashMap<usize, Vec<Op>> = FxHashMap::default();
    for root in 0..block.ops.len() {
        let op = &block.ops[root];
        if !is_sum(func, op) || inner.contains(&op.results[0]) {
            continue;
        }
        let mut terms = Terms::default();
        terms.collect(func, block, &made, &inner, root);
        let mut gone = FxHashSet::default();
        for group in terms.groups(&block.ops) {
            let partial = |at: &usize| block.ops[*at].args[1];
            let (first, last) = (group[0], group[group.len() - 1]);
            let alike = group.iter().all(|at| partial(at) == partial(&first));
            let given = block.ops[first].args[0];
            let outside = known.loops > 0 && is_outside(block, &made, given);
            // `d * p + d * p` alone is no longer than `d * (p + p)`.
            let no_longer = alike && !outside && terms.terms.len() == group.len();
            if group.len() < 2 || no_longer {
                continue;
            }
            // A cotangent that is the same in all rounds is multiplied once: `(d + d) * p`.
            let (at, added): (usize, Vec<Value>) = if alike && outside {
                (0, vec![given; group.len()])
            } else {
                (1, group.iter().map(partial).collect())
            };
            let mut build = Build::new(func, Origin::Derived);
            build.span = block.ops[last].span;
            let sum = added
                .into_iter()
                .fold(None, |sum, v| Some(build.sum(sum, v)));
            before.entry(last).or_default().append(&mut build.ops);
            let others = group.iter().filter(|&&at| at != last);
            gone.extend(others.map(|&at| block.ops[at].results[0]));
            block.ops[last].args[at] = sum.unwrap_or_else(|| unreachable!("a group has terms"));
        }
        if !gone.is_empty() {
            let left = without(func, block, &made, &inner, root, &gone);
            let left = left.unwrap_or_else(|| unreachable!("the last of each group stays"));
            let result = block.ops[root].results[0];
            if left != result {
                known.replaced.insert(result, left);
            }
        }
    }
    if before.is_empty() {
        return;
    }
    let ops = std::mem::take(&mut block.ops);
    for (at, op) in ops.into_iter().enumerate() {
        block.ops.extend(before.remove(&at).into_iter().flatten());
        block.ops.push(op);
    }
}

fn is_sum(func: &Func, op: &Op) -> bool {
    matches!(op.kind, Kind::Prim(Prim::Add))
        && op.origin == Origin::Derived
        && op.args.iter().all(|&v| is_number(func, v))
}

/// Whether a value is the same in all rounds of a loop with this body.
fn is_outside(block: &Block, made: &FxHashMap<Value, usize>, v: Value) -> bool {
    if let Some(&at) = made.get(&v) {
        let op = &block.ops[at];
        return matches!(op.kind, Kind::Prim(Prim::Neg)) && is_outside(block, made, op.args[0]);
    }
    let mut carried = block.params.iter().rev().zip(block.yields.iter().rev());
    let handed_on = carried.any(|(&param, &next)| param == v && next == v);
    handed_on || !block.params.contains(&v)
}

/// The number of the operation that adds up a term for this block's sum alone.
fn part(
    func: &Func,
    block: &Block,
    made: &FxHashMap<Value, usize>,
    inner: &FxHashSet<Value>,
    v: Value,
) -> Option<usize> {
    let at = *made.get(&v).filter(|_| inner.contains(&v))?;
    is_sum(func, &block.ops[at]).then_some(at)
}

impl Terms {
    fn collect(
        &mut self,
        func: &Func,
        block: &Block,
        made: &FxHashMap<Value, usize>,
        inner: &FxHashSet<Value>,
        sum: usize,
    ) {
        for &v in &block.ops[sum].args {
            if let Some(at) = part(func, block, made, inner, v) {
                self.collect(func, block, made, inner, at);
                continue;
            }
            let own = made.get(&v).filter(|_| inner.contains(&v)).copied();
            let own = own.filter(|&at| product(func, &block.ops[at]).is_some());
            self.terms.push((v, own));
        }
    }

    /// The products with one cotangent and one guard, each group in the order of the block.
    fn groups(&self, ops: &[Op]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let products = self.terms.iter().filter_map(|(_, at)| *at);
        for at in products {
            let alike = |group: &&mut Vec<usize>| {
                let (a, b) = (&ops[group[0]], &ops[at]);
                let same = |k: usize| a.args.get(k) == b.args.get(k);
                same(0)
                    && same(2)
                    && matches!((&a.kind, &b.kind), (Kind::Prim(a), Kind::Prim(b)) if a == b)
            };
            match groups.iter_mut().find(alike) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        for group in &mut groups {
            group.sort_unstable();
        }
        groups
    }
}

/// What is left of a sum without these terms.
fn without(
    func: &Func,
    block: &mut Block,
    made: &FxHashMap<Value, usize>,
    inner: &FxHashSet<Value>,
    sum: usize,
    gone: &FxHashSet<Value>,
) -> Option<Value> {
    let args = block.ops[sum].args.clone();
    let mut left = Vec::new();
    for v in args {
        match part(func, block, made, inner, v) {
            Some(at) => left.extend(without(func, block, made, inner, at, gone)),
            None if gone.contains(&v) => {}
            None => left.push(v),
        }
    }
    if left.len() < 2 {
        return left.pop();
    }
    block.ops[sum].args = left;
    Some(block.ops[sum].results[0])
}

/// Puts these values in place of others, wherever they are used.
fn replace(block: &mut Block, replaced: &FxHashMap<Value, Value>) {
    if replaced.is_empty() {
        return;
    }
    let new = |v: &mut Value| {
        while let Some(by) = replaced.get(v) {
            *v = *by;
        }
    };
    for op in &mut block.ops {
        op.for_each_operand(&mut |v| new(v));
        for inner in &mut op.blocks {
            replace(inner, replaced);
        }
    }
    block.yields.iter_mut().for_each(new);
    block.record.iter_mut().for_each(new);
}
