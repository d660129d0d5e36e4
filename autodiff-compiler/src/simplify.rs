//! Removes derivative code that nothing uses.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Func, Kind, Op, Origin, Value};

/// Drops derived operations whose results are never used; the user's own stay.
///
/// One walk against the order of execution: every use of a value stands behind its definition.
pub(crate) fn simplify(func: &mut Func) {
    let mut used = FxHashSet::default();
    sweep(&mut func.body, &mut used);
}

fn sweep(block: &mut Block, used: &mut FxHashSet<Value>) {
    used.extend(&block.yields);
    used.extend(&block.record);
    let mut kept = Vec::with_capacity(block.ops.len());
    for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
        if is_dead(&op, used) {
            continue;
        }
        for inner in op.blocks.iter_mut().rev() {
            sweep(inner, used);
        }
        used.extend(op.operands());
        kept.push(op);
    }
    kept.reverse();
    block.ops = kept;
}

/// Without effect, and without a use.
fn is_dead(op: &Op, used: &FxHashSet<Value>) -> bool {
    op.origin == Origin::Derived && is_silent(op) && !op.results.iter().any(|v| used.contains(v))
}

/// Has no effect but to define its results; a region has none if nothing in it has.
fn is_silent(op: &Op) -> bool {
    if op.blocks.is_empty() {
        return op.is_pure();
    }
    // It takes from a stack what another loop has put there.
    if matches!(&op.kind, Kind::For(head) if head.tape.is_some() && !head.peeks) {
        return false;
    }
    op.blocks.iter().all(|block| {
        block
            .ops
            .iter()
            .all(|op| op.origin == Origin::Derived && is_silent(op))
    })
}
