//! Sums of cotangents over the rounds of a loop stand in loops of their own, which are written in lanes (`emit/sums.rs`).
//!
//! `for k { s = s + t[k] * w[k]; d_w[k] += t[k] * h }` becomes `for k { s = s + t[k] * w[k] }` and `for k { d_w[k] += t[k] * h }`.
//! rustc adds up floats one after the other, as it is written, and a loop that does so is no vector code.
//! So it is with what each round adds to one number of a sequence, `d_x[j] += t[k] * w[k]`.
//! The order in which cotangents are added up is free; sums of the user's own keep theirs.
//! Along parts of short arrays lanes cost more than they save.
//!
//! Runs behind `from_zero`: only parts of sequences that are cut out in front of a loop are walked through in lanes.

use rustc_hash::{FxHashMap, FxHashSet};

use quote::quote;

use crate::build::Build;
use crate::from_zero;
use crate::ir::{
    Block, Domain, For, Func, Kind, Op, Opaque, Origin, Path, Prim, Step, Ty, Value, Width,
};

/// More parts than this are not walked through side by side.
const PARTS: usize = 3;

/// What is added up costs no more operations than this: it may be computed twice.
const TERMS: usize = 12;

/// A sum over the rounds of a loop, whose terms are of parts of sequences, which the rounds walk through.
pub(crate) struct Sum<'a> {
    /// What is added in each round, one after the other.
    terms: Vec<Value>,
    /// The operations that compute it, in order.
    pub(crate) ops: Vec<&'a Op>,
    /// The elements that it is made of.
    pub(crate) elements: Vec<&'a Path>,
    /// It is made of what the rounds of the forward sweep remember as well.
    pub(crate) recalls: bool,
}

impl<'a> Sum<'a> {
    /// The sum of what each round adds, if it may be added up in lanes.
    fn of(func: &Func, op: &'a Op, terms: Vec<Value>) -> Option<Self> {
        let block = &op.blocks[0];
        let inside = changing(block);
        let mut wanted: FxHashSet<Value> = terms.iter().copied().collect();
        let (mut ops, mut elements) = (Vec::new(), Vec::new());
        for op in block.ops.iter().rev() {
            if !op.results.iter().any(|v| wanted.contains(v)) {
                continue;
            }
            match &op.kind {
                Kind::Load(path) | Kind::TakeZero(path) => {
                    if !elements.contains(&path) {
                        elements.push(path);
                    }
                    wanted.extend(path.values());
                }
                Kind::Lit(_) => {}
                Kind::Prim(prim) if is_cheap(*prim) => wanted.extend(&op.args),
                _ if is_index(op, &elements) && from_zero::Sum::of(op, &inside).is_some() => {
                    wanted.extend(&op.args);
                }
                _ => return None,
            }
            ops.push(op);
        }
        ops.reverse();
        elements.reverse();
        let recalls = block.recall.iter().any(|v| wanted.contains(v));
        let given = block.params[..1].iter().chain(&block.recall).copied();
        let known = given.chain(ops.iter().flat_map(|op| op.results.clone()));
        let known: FxHashSet<Value> = known.collect();
        let mut wanted = wanted.iter();
        let there = wanted.all(|v| !inside.contains(v) || known.contains(v));
        let mut walked = elements.iter();
        let walked = walked.all(|path| walks(func, block, path, &inside));
        let mut in_time = ops.iter();
        let in_time = in_time.all(|op| is_read_in_time(block, op));
        // The slots of the first rounds are read last; elements are where their index says.
        let paired = !recalls || elements.is_empty() || is_reversed(op);
        let parts = elements.len() + usize::from(recalls);
        let few = (1..=PARTS).contains(&parts) && ops.len() <= TERMS;
        let numbers = terms.iter().all(|&v| is_number(func, func.ty(v)));
        let short = !recalls && elements.iter().all(|path| is_in_short_array(func, path));
        (there && walked && in_time && paired && few && numbers && !short).then_some(Sum {
            terms,
            ops,
            elements,
            recalls,
        })
    }

    /// What the loop carries in this slot, if each round does nothing but add to it; and the additions.
    fn carried(func: &Func, around: &'a Op, slot: usize) -> Option<(Self, Vec<&'a Op>)> {
        let block = &around.blocks[0];
        let (sum, next) = (block.params[1 + slot], block.yields[slot]);
        let (mut terms, mut additions) = (Vec::new(), Vec::new());
        // From the last addition to the first: each result has one use.
        let (mut named, mut of) = (uses(block, next), next);
        while let (Some(_), None) = (named.next(), named.next()) {
            let mut ops = block.ops.iter();
            let op = ops.find(|op| op.results == [of] && op.origin == Origin::Derived)?;
            let (Kind::Prim(Prim::Add), &[a, b]) = (&op.kind, &op.args[..]) else {
                return None;
            };
            additions.push(op);
            let (before, term) = if b == sum { (b, a) } else { (a, b) };
            terms.push(term);
            (named, of) = (uses(block, before), before);
            if before == sum {
                let once = named.next().is_some() && named.next().is_none();
                terms.reverse();
                let plain = once && is_number(func, func.ty(sum));
                return Some((Sum::of(func, around, terms).filter(|_| plain)?, additions));
            }
        }
        None
    }

    /// What each round adds to one number of a sequence that it does nothing else with.
    fn added(func: &Func, around: &'a Op, adds: &'a Op, path: &Path) -> Option<Self> {
        let block = &around.blocks[0];
        let mut inside = FxHashSet::default();
        block.defined(&mut inside);
        let (Step::Index(_), above) = path.steps.split_last()? else {
            return None;
        };
        let sequence = Path {
            root: path.root,
            steps: above.to_vec(),
        };
        let known = matches!(
            func.path_ty(&sequence),
            Ty::Slice(_) | Ty::Vec(_) | Ty::Array(..)
        );
        let found = above.iter().all(|step| matches!(step, Step::Field(_)))
            && path.values().all(|v| !inside.contains(&v));
        let tangent = func.at(path.root).tangent && func.through_field(&sequence);
        let mut named = block.ops.iter().filter(|op| op.mentions(path.root));
        let once = named.next().is_some() && named.next().is_none();
        let plain = block.mirror.is_some() && adds.origin == Origin::Derived;
        let number = is_number(func, &func.path_ty(path));
        (known && found && !tangent && once && plain && number)
            .then(|| Sum::of(func, around, vec![adds.args[0]]))
            .flatten()
    }

    /// The sum that is all a loop does.
    pub(crate) fn alone(func: &Func, op: &'a Op) -> Option<Self> {
        if !runs_from_start_to_end(op) || op.blocks[0].params.len() != 2 {
            return None;
        }
        let (sum, additions) = Sum::carried(func, op, 0)?;
        let all = sum.ops.len() + additions.len() == op.blocks[0].ops.len();
        let loads = |op: &&Op| !matches!(op.kind, Kind::TakeZero(_));
        (all && sum.ops.iter().all(loads)).then_some(sum)
    }

    /// A loop that computes it from where it starts.
    fn apart(&self, func: &mut Func, op: &Op, start: Value, total: Value) -> Op {
        let mut block = func.block();
        let of = &op.blocks[0];
        let mut renamed = FxHashMap::default();
        let mut again = |func: &mut Func, v: Value| {
            let data = func.values[v.0 as usize].clone();
            let new = func.value(data.hint.clone(), data.ty.clone());
            func.values[new.0 as usize] = data;
            for of in [&mut func.mild, &mut func.overflows] {
                if of.contains(&v) {
                    of.insert(new);
                }
            }
            renamed.insert(v, new);
            new
        };
        let counter = again(func, of.params[0]);
        if self.recalls {
            block.mirror = of.mirror;
            block.recall = of.recall.iter().map(|&v| again(func, v)).collect();
        }
        for inner in &self.ops {
            let mut inner = (*inner).clone();
            if let Kind::TakeZero(path) = &inner.kind {
                inner.kind = Kind::Load(path.clone());
            }
            inner.results = inner.results.iter().map(|&v| again(func, v)).collect();
            block.ops.push(inner);
        }
        // What the loop carries and does not change is what it is given.
        let carried = of.params[1..].iter().zip(&of.yields).zip(&op.args[2..]);
        let same = carried.filter(|((param, next), _)| param == next);
        renamed.extend(same.map(|((&param, _), &given)| (param, given)));
        for inner in &mut block.ops {
            inner.for_each_operand(&mut |v| *v = renamed.get(v).copied().unwrap_or(*v));
        }
        let again = |v: &Value| renamed.get(v).copied().unwrap_or(*v);
        let terms: Vec<Value> = self.terms.iter().map(again).collect();
        let sum = func.value(func.hint(total).to_owned(), func.ty(total).clone());
        let mut build = Build::new(func, Origin::Derived);
        build.span = op.span;
        let next = terms.iter().fold(sum, |sum, &v| build.sum(Some(sum), v));
        block.ops.append(&mut build.ops);
        block.params = vec![counter, sum];
        block.yields = vec![next];
        let Kind::For(head) = &op.kind else {
            unreachable!("a sum is of a loop")
        };
        Op {
            kind: Kind::For(For {
                tape: head.tape.filter(|_| self.recalls),
                peeks: self.recalls,
                ..head.clone()
            }),
            args: vec![op.args[0], op.args[1], start],
            results: vec![total],
            blocks: vec![block],
            ..op.clone()
        }
    }
}

/// Takes apart the loops all of whose carried values are sums; the mutation `drop_sum` loses such sums.
pub(crate) fn sums(func: &mut Func, mutate: Option<&str>) {
    let mut ops = std::mem::take(&mut func.body.ops);
    let mut known = Known {
        drops: mutate == Some("drop_sum"),
        ..Known::default()
    };
    in_ops(func, &mut ops, &mut known);
    func.body.ops = ops;
}

/// What is known of the operations before.
#[derive(Default)]
struct Known {
    /// The integers that are written as 0.
    zeros: FxHashSet<Value>,
    /// The stacks whose slots are there when their loop begins.
    opened: FxHashSet<u32>,
    /// Sums are lost on purpose.
    drops: bool,
}

fn in_ops(func: &mut Func, ops: &mut Vec<Op>, known: &mut Known) {
    for mut op in std::mem::take(ops) {
        match &op.kind {
            Kind::Lit(tokens) if tokens.to_string() == "0" => known.zeros.extend(&op.results),
            Kind::For(head) if op.opens_slots(func) => known.opened.extend(head.tape),
            _ => {}
        }
        for block in &mut op.blocks {
            in_ops(func, &mut block.ops, known);
        }
        if runs_from_start_to_end(&op) && known.zeros.contains(&op.args[0]) {
            let mut apart = taken_apart(func, &mut op, &known.opened);
            for op in apart.iter_mut().filter(|_| known.drops) {
                lose(op);
            }
            ops.append(&mut apart);
        }
        ops.push(op);
    }
}

/// A loop that carries a sum hands on what it was given.
fn lose(op: &mut Op) {
    for block in &mut op.blocks {
        if let (Kind::For(_), &[_, sum]) = (&op.kind, &block.params[..]) {
            block.yields = vec![sum];
        }
        block.ops.iter_mut().for_each(lose);
    }
}

/// Takes the sums of a loop out of it; none where that makes nothing faster.
fn taken_apart(func: &mut Func, op: &mut Op, opened: &FxHashSet<u32>) -> Vec<Op> {
    let Kind::For(head) = &op.kind else {
        return Vec::new();
    };
    let block = &op.blocks[0];
    let opened = head.tape.is_some_and(|tape| opened.contains(&tape));
    let inside = changing(block);
    let slots = (0..block.yields.len()).filter(|k| inside.contains(&block.params[1 + k]));
    let slots: Vec<usize> = slots.collect();
    let carried: Option<Vec<_>> = (slots.iter())
        .map(|&slot| Sum::carried(func, op, slot))
        .collect();
    let here = |op: &&'_ Op| match &op.kind {
        Kind::AddTo(path) => path.values().all(|v| !inside.contains(&v)),
        _ => false,
    };
    let here = block.ops.iter().filter(here);
    let added: Option<Vec<_>> = here
        .map(|adds| match &adds.kind {
            Kind::AddTo(path) => Some((Sum::added(func, op, adds, path)?, path)),
            _ => None,
        })
        .collect();
    let (Some(carried), Some(added)) = (carried, added) else {
        return Vec::new();
    };
    let mut sums = carried
        .iter()
        .map(|(sum, _)| sum)
        .chain(added.iter().map(|(sum, _)| sum));
    if sums.any(|sum| sum.recalls && !opened) || Sum::alone(func, op).is_some() {
        return Vec::new();
    }
    let mut apart = Vec::new();
    for (slot, (sum, _)) in slots.iter().zip(&carried) {
        let (start, total) = (op.args[2 + slot], op.results[*slot]);
        apart.push(sum.apart(func, op, start, total));
    }
    for (sum, path) in &added {
        let mut build = Build::new(func, Origin::Derived);
        build.span = op.span;
        // Where there is no round, there may be no such number.
        let some = Opaque {
            tokens: quote!(0 < __a0),
            places: Vec::new(),
            writes: Vec::new(),
            pure: true,
        };
        let some = build.op(Kind::Opaque(some), vec![op.args[1]], Ty::Bool, "");
        apart.append(&mut build.ops);
        let ty = build.func.path_ty(path);
        let hint = build.func.at(path.root).hint.clone();
        let start = build.op(Kind::Load((*path).clone()), Vec::new(), ty.clone(), &hint);
        let total = build.func.value(hint, ty);
        let summed = sum.apart(build.func, op, start, total);
        build.ops.push(summed);
        build.push(Kind::Store((*path).clone()), vec![total], Vec::new());
        let mut arms = vec![build.func.block(), build.func.block()];
        arms[0].ops = std::mem::take(&mut build.ops);
        build.push(Kind::If, vec![some], Vec::new()).blocks = arms;
        apart.append(&mut build.ops);
    }
    let added: Vec<Path> = added.iter().map(|(_, path)| (*path).clone()).collect();
    let additions = carried.iter().flat_map(|(_, additions)| additions);
    let sums: Vec<Value> = additions.map(|op| op.results[0]).collect();
    let block = &mut op.blocks[0];
    block.ops.retain(|op| match &op.kind {
        Kind::AddTo(path) => !added.contains(path),
        _ => !matches!(op.results[..], [v] if sums.contains(&v)),
    });
    for &slot in slots.iter().rev() {
        block.params.remove(1 + slot);
        block.yields.remove(slot);
        op.args.remove(2 + slot);
        op.results.remove(slot);
    }
    apart
}

/// An innermost loop over a range, each of whose rounds is run.
pub(crate) fn runs_from_start_to_end(op: &Op) -> bool {
    let plain = matches!(
        op.kind,
        Kind::For(For {
            domain: Domain::Range {
                inclusive: false,
                ..
            },
            inductions: 1,
            counted: false,
            ..
        })
    );
    plain && !op.exits() && op.blocks[0].is_innermost()
}

/// What is defined in a loop, but for what it carries and does not change.
pub(crate) fn changing(block: &Block) -> FxHashSet<Value> {
    let mut inside = FxHashSet::default();
    block.defined(&mut inside);
    for (param, next) in block.params[1..].iter().zip(&block.yields) {
        if param == next {
            inside.remove(param);
        }
    }
    inside
}

/// The operations of a block that use a value, and `None` where it hands it on.
fn uses(block: &Block, v: Value) -> impl Iterator<Item = Option<&Op>> {
    let handed = block.yields.iter().chain(&block.record);
    let handed = handed.filter(move |&&u| u == v).map(|_| None);
    let mut ops = Vec::new();
    for op in &block.ops {
        op.walk(&mut |inner| {
            let yields = inner.blocks.iter().any(|block| block.yields.contains(&v));
            let times = inner.operands().iter().filter(|&&u| u == v).count();
            ops.extend((0..times + usize::from(yields)).map(|_| Some(op)));
        });
    }
    handed.chain(ops)
}

/// Whether it is a float of std's.
pub(crate) fn is_number(func: &Func, ty: &Ty) -> bool {
    match ty {
        Ty::Float(Width::F32 | Width::F64) => true,
        Ty::Float(Width::Any) => !func.generic,
        _ => false,
    }
}

/// Whether an operation on numbers is cheap, and without effect.
fn is_cheap(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::Add
            | Prim::Sub
            | Prim::Mul
            | Prim::Neg
            | Prim::Smul
            | Prim::Select
            | Prim::Zmul
            | Prim::Absorb(_)
    )
}

/// Whether each round has an element of its own of a sequence, so that no other round changes it.
pub(crate) fn walks(func: &Func, block: &Block, path: &Path, inside: &FxHashSet<Value>) -> bool {
    let Some((&Step::Index(index), above)) = path.steps.split_last() else {
        return false;
    };
    let sequence = Path {
        root: path.root,
        steps: above.to_vec(),
    };
    let fixed = |step: &Step| match step {
        Step::Index(v) => !inside.contains(v),
        Step::Field(_) => true,
        Step::Range(lo, hi) => lo.iter().chain(hi).all(|v| !inside.contains(v)),
    };
    let counter = block.params[0];
    let defined = || block.ops.iter().find(|op| op.results == [index]);
    let walks = index == counter
        || defined()
            .and_then(|op| from_zero::Sum::of(op, inside))
            .is_some_and(|sum| sum.of == counter && sum.rest().is_some());
    let cut = matches!(func.path_ty(&sequence), Ty::Slice(_) | Ty::Vec(_));
    let number = is_number(func, &func.path_ty(path));
    let tangent = func.at(path.root).tangent && func.through_field(&sequence);
    let mut others = Vec::new();
    for op in &block.ops {
        op.walk(&mut |op| {
            if op.places().contains(&path.root) {
                others.push(op);
            }
        });
    }
    // What is only read may be read anywhere else as well.
    let changed = !others.iter().all(|op| matches!(op.kind, Kind::Load(_)));
    let same = |op: &&Op| match &op.kind {
        Kind::Load(p) | Kind::TakeZero(p) | Kind::Store(p) | Kind::AddTo(p) | Kind::Replace(p) => {
            p == path
        }
        _ => false,
    };
    let own = !changed || others.iter().all(same);
    above.iter().all(fixed) && walks && cut && number && !tangent && own
}

/// Whether an element is of some part of an array that may be short: rustc knows the most rounds that there can be, and writes them out, in which lanes would be in its way.
fn is_in_short_array(func: &Func, element: &Path) -> bool {
    const SHORT: usize = 32;
    let mut ty = func.at(element.root).ty.clone();
    element.steps.iter().any(|step| {
        let written = match (&ty, step) {
            (Ty::Array(_, Some(len)), Step::Range(..)) => Some(len.to_string()),
            _ => None,
        };
        ty = ty.after(step);
        // A length with a name may be any.
        written.is_some_and(|len| len.parse().map_or(true, |len: usize| len <= SHORT))
    })
}

/// Whether an operation reads what is there when its round begins: nothing before it changes the place, under a condition neither.
fn is_read_in_time(block: &Block, read: &Op) -> bool {
    let (Kind::Load(path) | Kind::TakeZero(path)) = &read.kind else {
        return true;
    };
    let mut before = block.ops.iter().take_while(|op| !std::ptr::eq(*op, read));
    before.all(|op| {
        let mut changes = false;
        op.walk(&mut |op| changes |= op.stores().contains(&path.root));
        !changes
    })
}

/// Whether an operation computes the index of one of these elements, and nothing else.
pub(crate) fn is_index(op: &Op, elements: &[&Path]) -> bool {
    let index = |path: &&Path| matches!((path.steps.last(), &op.results[..]), (Some(Step::Index(v)), [result]) if v == result);
    elements.iter().any(index)
}

/// A loop from the end of its range to the start.
pub(crate) fn is_reversed(op: &Op) -> bool {
    matches!(&op.kind, Kind::For(head) if matches!(head.domain, Domain::Range { reversed: true, .. }))
}
