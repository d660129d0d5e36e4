//! Tensors that a pullback makes again rather than holds: what the pullback of a product reads, and a kernel or a normalisation gives.
//!
//! A pullback outlives the call, and with it all that it holds: in a network of many layers that is most of the memory.
//! Operands that are held in any case cost nothing more, so the cheapest cut between what is held and what is asked for runs behind them;
//! and the work of going over the entries once more is nothing beside that of the product, which goes over them for every column.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Arg, Call, Form, Func, Kind, Op, Origin, Param, Path, Place, Storage, To, Value};
use crate::own_names;
use crate::tensors;

/// Makes again in the reverse sweep, which begins at `split`, what need not be held; returns the operations that are repeated.
pub(crate) fn renew(func: &mut Func, split: usize) -> Vec<Op> {
    let mut renewed = Vec::new();
    if !func.values.iter().any(|value| value.tensor) {
        return renewed;
    }
    for k in 0..split {
        let Kind::New(p) = func.body.ops[k].kind else {
            continue;
        };
        let made = func.body.ops[k].args.first().copied();
        let Some(makers) = made.and_then(|v| makers(func, split, p, v)) else {
            continue;
        };
        repeat(func, split, p, &makers);
        renewed.extend(makers.last().cloned());
    }
    renewed
}

/// The operations that give what a variable holds, from what the reverse sweep has, if they are to be repeated.
fn makers(func: &Func, split: usize, p: Place, v: Value) -> Option<Vec<Op>> {
    let ops = &func.body.ops;
    let (forward, reverse) = ops.split_at(split);
    let asks = |op: &&Op| op.mentions(p);
    let mut asked = reverse.iter().filter(asks).peekable();
    let needed = asked.peek().is_some() && asked.all(|op| pulls_product(op, p));
    if !needed || !func.values[v.0 as usize].tensor || !is_constant(ops, p) {
        return None;
    }
    // What is held all the same need not be made again.
    let reads = Reads::new(forward, reverse);
    let held = reads.values.contains(&v)
        || forward.iter().any(|op| {
            let loads = matches!(&op.kind, Kind::Load(path) if path.root == p);
            loads && op.results.iter().any(|v| reads.values.contains(v))
        });
    let mut makers = Vec::new();
    (!held && reads.repeatable(func, v, &mut makers)).then_some(makers)
}

/// Whether an operation is the pullback of a product, whose receiver a place is and nothing else.
fn pulls_product(op: &Op, p: Place) -> bool {
    let Kind::Call(call) = &op.kind else {
        return false;
    };
    matches!(call.form, Form::Backward(_))
        && named(call, tensors::is_product)
        && matches!(call.args.first(), Some(Arg::Ref(path)) if path.root == p)
        && op.paths().iter().filter(|path| path.root == p).count() == 1
}

/// Whether a method of a tensor is called, of those that are meant.
fn named(call: &Call, meant: fn(&str) -> bool) -> bool {
    let name = call.member.as_ref().map(ToString::to_string);
    call.receiver && name.is_some_and(|name| meant(own_names::unmarked(&name)))
}

/// Whether a place holds what it was made with.
fn is_constant(ops: &[Op], p: Place) -> bool {
    let mut constant = true;
    for op in ops {
        op.walk(&mut |op| {
            constant &= !op.stores().contains(&p) && !matches!(op.kind, Kind::Take(q) if q == p);
        });
    }
    constant
}

/// So many kernels are repeated for one tensor.
const MOST: usize = 4;

/// What the reverse sweep reads of the forward sweep.
struct Reads<'a> {
    forward: &'a [Op],
    reverse: &'a [Op],
    values: FxHashSet<Value>,
}

impl<'a> Reads<'a> {
    fn new(forward: &'a [Op], reverse: &'a [Op]) -> Self {
        Reads {
            forward,
            reverse,
            values: reverse.iter().flat_map(Op::captures).collect(),
        }
    }

    /// Whether it has a value, and nothing moves it away.
    fn by_kernels(&self, v: Value) -> bool {
        let mut readers = self.reverse.iter().filter(|op| op.captures().contains(&v));
        self.values.contains(&v) && readers.all(|op| matches!(op.kind, Kind::Map(_)))
    }

    /// Whether what a path leads to is lent to it, as it was in the forward sweep.
    fn lends(&self, func: &Func, path: &Path) -> bool {
        let p = path.root;
        let given = func.params.contains(&Param::Place(p)) && func.at(p).storage == Storage::Shared;
        let made = |op: &Op| matches!(op.kind, Kind::New(q) if q == p);
        let held = || {
            self.forward.iter().any(made)
                && self.reverse.iter().any(|op| op.mentions(p))
                && is_constant(self.forward, p)
                && is_constant(self.reverse, p)
        };
        path.values().next().is_none() && (given || held())
    }

    /// Whether a tensor can be made again from what it reads, and by which operations.
    fn repeatable(&self, func: &Func, v: Value, out: &mut Vec<Op>) -> bool {
        let makes = |op: &&Op| op.results.first() == Some(&v);
        let Some(maker) = self.forward.iter().find(makes) else {
            return false;
        };
        let from = match &maker.kind {
            Kind::Map(map) if map.to == [To::Entries] => maker.args.iter().all(|&v| {
                let made = out.iter().any(|op| op.results.contains(&v));
                made || self.by_kernels(v) || self.repeatable(func, v, out)
            }),
            Kind::Call(call) => {
                let has = |arg: &Arg| match arg {
                    Arg::Ref(path) => self.lends(func, path),
                    Arg::Value(v) => func.ty(*v).is_scalar(),
                    _ => false,
                };
                named(call, tensors::goes_row_by_row)
                    && call.unsure.is_empty()
                    && call.args.iter().all(has)
            }
            _ => false,
        };
        out.push(maker.clone());
        from && out.len() <= MOST
    }
}

/// Repeats operations in front of the first one of the reverse sweep that reads what the place holds.
fn repeat(func: &mut Func, split: usize, p: Place, makers: &[Op]) {
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    let mut again = Vec::new();
    for maker in makers {
        let mut op = maker.clone();
        (op.origin, op.pos) = (Origin::Derived, 0);
        if let Kind::Call(call) = &mut op.kind {
            call.form = Form::Primal;
        }
        op.for_each_operand(&mut |v| *v = renamed.get(v).copied().unwrap_or(*v));
        let made = maker.results[0];
        func.values.push(func.values[made.0 as usize].clone());
        op.results = vec![Value(func.values.len() as u32 - 1)];
        renamed.insert(made, op.results[0]);
        again.push(op);
    }
    let data = func.at(p).clone();
    let place = func.place(data.hint, data.ty, data.storage);
    again.extend(again.last().map(|last| Op {
        kind: Kind::New(place),
        args: last.results.clone(),
        results: Vec::new(),
        ..last.clone()
    }));
    let ops = &mut func.body.ops;
    let first = (split..ops.len()).find(|&k| ops[k].mentions(p));
    for op in &mut ops[split..] {
        op.for_each_place(&mut |q| *q = if *q == p { place } else { *q });
    }
    let first = first.unwrap_or(ops.len());
    ops.splice(first..first, again);
}
