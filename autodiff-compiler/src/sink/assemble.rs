//! Puts the blocks together again, and hands out of a guard what is used outside of it.

use rustc_hash::FxHashMap;

use super::Sink;
use super::vanish::Skip;
use crate::build::Build;
use crate::ir::{Block, Func, Kind, Op, Origin, Value};

impl Sink<'_> {
    /// The operations of a state.
    pub(super) fn assemble(&mut self, s: usize) -> Vec<Op> {
        let mut out = Vec::new();
        for mut node in std::mem::take(&mut self.states[s].nodes) {
            out.append(&mut node.prefix);
            for (block, &t) in node.op.blocks.iter_mut().zip(&node.inner) {
                block.ops = self.assemble(t);
                block.yields.append(&mut self.states[t].yields);
            }
            out.push(node.op);
        }
        out
    }
}

/// How often each value is used.
type Counts = FxHashMap<Value, usize>;

fn count(op: &Op, out: &mut Counts) {
    for v in op.operands() {
        *out.entry(v).or_default() += 1;
    }
    for block in &op.blocks {
        count_block(block, out);
    }
}

fn count_block(block: &Block, out: &mut Counts) {
    block.ops.iter().for_each(|op| count(op, out));
    for &v in &block.yields {
        *out.entry(v).or_default() += 1;
    }
}

fn is_guard(op: &Op) -> bool {
    op.pos == 0 && matches!(op.kind, Kind::If | Kind::Switch)
}

/// Makes results of what a guarded block defines and something outside uses; results that nothing uses go.
pub(super) fn hand_out(func: &mut Func, skips: &FxHashMap<Value, Skip>) {
    let mut body = std::mem::take(&mut func.body.ops);
    let mut total = Counts::default();
    count_block(&func.body, &mut total);
    body.iter().for_each(|op| count(op, &mut total));
    for op in &mut body {
        out_of(op, func, skips, &mut total);
    }
    prune(&mut body, &mut total);
    func.body.ops = body;
}

fn out_of(op: &mut Op, func: &mut Func, skips: &FxHashMap<Value, Skip>, total: &mut Counts) {
    for block in &mut op.blocks {
        for op in &mut block.ops {
            out_of(op, func, skips, total);
        }
    }
    if !is_guard(op) {
        return;
    }
    for k in 0..op.blocks.len() {
        let mut inside = Counts::default();
        count_block(&op.blocks[k], &mut inside);
        let defined: Vec<Value> = op.blocks[k]
            .ops
            .iter()
            .flat_map(|op| op.results.iter().copied())
            .collect();
        for &v in &defined {
            let here = inside.get(&v).copied().unwrap_or(0);
            let all = total.get(&v).copied().unwrap_or(0);
            if all <= here {
                continue;
            }
            let data = &func.values[v.0 as usize];
            let (hint, ty) = (data.hint.clone(), data.ty.clone());
            let new = func.value(hint, ty.clone());
            for (j, block) in op.blocks.iter_mut().enumerate() {
                let handed = match stands_for(v, skips, &defined) {
                    _ if j == k => {
                        replace(block, v, new);
                        new
                    }
                    Skip::Is(same) => same,
                    Skip::Zero => {
                        let mut build = Build::new(func, Origin::Derived);
                        let zero = build.zero(ty.clone());
                        block.ops.append(&mut build.ops);
                        zero
                    }
                };
                block.yields.push(handed);
                *total.entry(handed).or_default() += 1;
            }
            *total.entry(new).or_default() += here;
            total.insert(v, all - here);
            op.results.push(v);
        }
    }
}

/// What the value is where the guard of the block that defines these does not hold.
fn stands_for(v: Value, skips: &FxHashMap<Value, Skip>, defined: &[Value]) -> Skip {
    match skips.get(&v) {
        Some(Skip::Is(other)) if defined.contains(other) => stands_for(*other, skips, defined),
        Some(&skip) => skip,
        None => Skip::Zero,
    }
}

fn replace(block: &mut Block, old: Value, new: Value) {
    let change = |v: &mut Value| {
        if *v == old {
            *v = new;
        }
    };
    block.yields.iter_mut().for_each(change);
    for op in &mut block.ops {
        op.results.iter_mut().for_each(change);
        op.for_each_operand(&mut |v| change(v));
        for inner in &mut op.blocks {
            replace(inner, old, new);
        }
    }
}

/// Drops results of guards that nothing uses, last ones first.
fn prune(ops: &mut [Op], total: &mut Counts) {
    for op in ops.iter_mut().rev() {
        if is_guard(op) {
            for j in (0..op.results.len()).rev() {
                if total.get(&op.results[j]).copied().unwrap_or(0) > 0 {
                    continue;
                }
                op.results.remove(j);
                for block in &mut op.blocks {
                    let v = block.yields.remove(j);
                    if let Some(n) = total.get_mut(&v) {
                        *n -= 1;
                    }
                }
            }
        }
        for block in op.blocks.iter_mut().rev() {
            prune(&mut block.ops, total);
        }
    }
}
