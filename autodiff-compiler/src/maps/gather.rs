//! Kernels that read each other stand next to each other, to be run together; sums of cotangents of tensors are kernels as well.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{late, pair};
use crate::ir::{Block, Func, Kind, Number, Op, Origin, Pos, Prim, To, Value};
use crate::simplify::simplify;

/// How many kernels run together at most.
pub(crate) const PROGRAM: usize = 16;

/// Brings kernels together, in a graph whose operations have their last order but for this; `seed` is the cotangent of the result.
pub(crate) fn gather(func: &mut Func, seed: Option<Value>) {
    let mut body = std::mem::take(&mut func.body);
    again(func, &mut body);
    all_sums(func, &mut body);
    func.body = body;
    late::merge(func, seed);
    let mut body = std::mem::take(&mut func.body);
    block(func, &mut body);
    func.body = body;
}

/// Brings the kernels of both sweeps together, in a graph whose cotangents are known before it: one program runs them, and nothing between them is in memory.
///
/// Those over the same entries are one, unless they are to stand `apart`; `mutate` names a wrong answer on purpose.
/// Returns where its operations behind that program begin; nothing, and leaves the graph as it is, where there is more than one program.
pub(crate) fn gather_sweeps(
    func: &mut Func,
    seed: Option<Value>,
    (apart, mutate): (bool, Option<&str>),
) -> Option<usize> {
    if !func
        .body
        .ops
        .iter()
        .any(|op| matches!(op.kind, Kind::Map(_)))
    {
        return None;
    }
    let mut whole = func.clone();
    let mut body = std::mem::take(&mut whole.body);
    all_sums(&mut whole, &mut body);
    whole.body = body;
    late::merge(&mut whole, seed);
    simplify(&mut whole);
    if !apart {
        late::side_by_side(&mut whole, seed, mutate == Some("drop_beside"));
    }
    let mut body = std::mem::take(&mut whole.body);
    block(&whole, &mut body);
    let folds = |op: &Op| matches!(&op.kind, Kind::Map(map) if late::folds(map));
    let is_kernel = |op: &Op| matches!(op.kind, Kind::Map(_));
    let mut apart = body
        .ops
        .split(|op| !is_kernel(op))
        .filter(|run| !run.is_empty());
    let together = match (apart.next(), apart.next()) {
        (Some([_]), None) => true,
        // Where nothing is folded along rows, each kernel by itself is as fast.
        (Some(run), None) => run.len() <= PROGRAM && run.iter().any(folds) && is_linked(run),
        _ => false,
    };
    if !together || body.ops.iter().any(|op| !op.blocks.is_empty()) {
        return None;
    }
    let end = body.ops.iter().rposition(is_kernel)? + 1;
    whole.body = body;
    *func = whole;
    Some(end)
}

/// Whether one of these kernels reads what another gives.
pub(crate) fn is_linked(kernels: &[Op]) -> bool {
    let mut given: FxHashSet<Value> = FxHashSet::default();
    kernels.iter().any(|op| {
        let reads = op.args.iter().any(|v| given.contains(v));
        given.extend(&op.results);
        reads
    })
}

/// Computes in the reverse sweep again what takes less than to have it from the forward sweep.
fn again(func: &mut Func, of: &mut Block) {
    let is_split = |op: &Op| matches!(op.kind, Kind::Mark);
    let Some(split) = of.ops.iter().position(is_split) else {
        return;
    };
    let made: FxHashMap<Value, Op> = (of.ops[..split].iter())
        .filter(|op| matches!(op.kind, Kind::Map(_)))
        .filter_map(|op| Some((*op.results.first()?, op.clone())))
        .filter(|(y, _)| func.values[y.0 as usize].again)
        .collect();
    if made.is_empty() {
        return;
    }
    let mut renamed: FxHashMap<Value, Value> = FxHashMap::default();
    for mut op in of.ops.split_off(split) {
        let mut read = Vec::new();
        op.walk(&mut |op| {
            read.extend(op.operands());
            read.extend(op.blocks.iter().flat_map(|block| &block.yields));
        });
        for v in read {
            repeat(func, v, op.pos, &made, &mut renamed, &mut of.ops);
        }
        rename(&mut op, &renamed);
        of.ops.push(op);
    }
}

/// Repeats the kernel that gives a value, and those before it, unless that has been done.
fn repeat(
    func: &mut Func,
    v: Value,
    pos: Pos,
    made: &FxHashMap<Value, Op>,
    renamed: &mut FxHashMap<Value, Value>,
    out: &mut Vec<Op>,
) {
    let Some(maker) = made.get(&v).filter(|_| !renamed.contains_key(&v)) else {
        return;
    };
    for v in &maker.args {
        repeat(func, *v, pos, made, renamed, out);
    }
    let data = func.values[v.0 as usize].clone();
    func.values.push(data);
    let copy = Value(func.values.len() as u32 - 1);
    let mut op = Op {
        results: vec![copy],
        origin: Origin::Derived,
        pos,
        ..maker.clone()
    };
    rename(&mut op, renamed);
    renamed.insert(v, copy);
    out.push(op);
}

fn rename(op: &mut Op, renamed: &FxHashMap<Value, Value>) {
    op.for_each_operand(&mut |v| *v = renamed.get(v).copied().unwrap_or(*v));
    for block in &mut op.blocks {
        block.ops.iter_mut().for_each(|op| rename(op, renamed));
        for v in &mut block.yields {
            *v = renamed.get(v).copied().unwrap_or(*v);
        }
    }
}

fn all_sums(func: &mut Func, of: &mut Block) {
    for op in &mut of.ops {
        op.blocks.iter_mut().for_each(|inner| all_sums(func, inner));
    }
    sums(func, &mut of.ops);
}

fn block(func: &Func, of: &mut Block) {
    for op in &mut of.ops {
        op.blocks.iter_mut().for_each(|inner| block(func, inner));
    }
    let mut out = Vec::with_capacity(of.ops.len());
    let mut group = Group::default();
    for op in std::mem::take(&mut of.ops) {
        if let Some(op) = group.take(func, op, &mut out) {
            group.close(&mut out);
            if let Some(op) = group.take(func, op, &mut out) {
                out.push(op);
            }
        }
    }
    group.close(&mut out);
    of.ops = out;
}

/// Makes kernels of the sums of what kernels give for one tensor.
fn sums(func: &mut Func, ops: &mut [Op]) {
    let mut tensors: FxHashMap<Value, Number> = FxHashMap::default();
    for op in ops {
        match &op.kind {
            Kind::Map(map) => {
                for (&y, to) in op.results.iter().zip(&map.to) {
                    let tensor = match to {
                        To::Like(k) => func.values[op.args[*k].0 as usize].tensor,
                        to => !to.is_number(),
                    };
                    if tensor {
                        tensors.insert(y, map.number.clone());
                        func.values[y.0 as usize].tensor = true;
                    }
                }
            }
            Kind::Prim(Prim::Add) if op.origin == Origin::Derived => {
                let numbers: Vec<_> = op.args.iter().map(|v| tensors.get(v)).collect();
                let &[Some(a), Some(b)] = numbers.as_slice() else {
                    continue;
                };
                if a == b {
                    let number = a.clone();
                    func.values[op.results[0].0 as usize].tensor = true;
                    op.kind = Kind::Map(pair(&number, Prim::Add, "add"));
                    tensors.insert(op.results[0], number);
                }
            }
            _ => {}
        }
    }
}

/// Kernels that will stand together.
#[derive(Default)]
struct Group {
    kernels: Vec<Op>,
    given: FxHashSet<Value>,
    /// What has to stand behind them, and what that gives.
    behind: Vec<Op>,
    later: FxHashSet<Value>,
}

impl Group {
    /// Takes an operation into the group, behind it or before it; returns it if that cannot be.
    fn take(&mut self, func: &Func, op: Op, before: &mut Vec<Op>) -> Option<Op> {
        let operands = op.operands();
        let is_later = operands.iter().any(|v| self.later.contains(v));
        if let Kind::Map(map) = &op.kind {
            let same = self.kernels.first().is_none_or(
                |first| matches!(&first.kind, Kind::Map(first) if first.number == map.number),
            );
            if is_later || !same {
                return Some(op);
            }
            self.given.extend(&op.results);
            self.kernels.push(op);
            return None;
        }
        if self.kernels.is_empty() {
            before.push(op);
            return None;
        }
        if !is_simple(func, &op) {
            return Some(op);
        }
        let touches = |other: &Op| {
            let (a, b) = (op.places(), other.places());
            let stores = |op: &Op, places: &[_]| op.stores().iter().any(|p| places.contains(p));
            stores(&op, &b) || stores(other, &a)
        };
        let reads = operands.iter().any(|v| self.given.contains(v));
        if reads || is_later || self.behind.iter().any(touches) {
            self.later.extend(&op.results);
            self.behind.push(op);
        } else {
            before.push(op);
        }
        None
    }

    fn close(&mut self, out: &mut Vec<Op>) {
        out.append(&mut self.kernels);
        out.append(&mut self.behind);
        self.given.clear();
        self.later.clear();
    }
}

/// Whether an operation may change places with kernels: of what it reads and writes all is seen.
fn is_simple(func: &Func, op: &Op) -> bool {
    let simple = matches!(
        op.kind,
        Kind::Lit(_) | Kind::Prim(_) | Kind::Load(_) | Kind::Zero | Kind::AddTo(_)
    );
    simple && op.places().iter().all(|&p| !func.at(p).borrows)
}
