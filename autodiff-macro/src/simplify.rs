//! Removes derivative code that nothing uses.

use std::collections::HashSet;

use crate::ir::{Block, Func, Op, Origin, Value};

/// Drops derived operations whose results are never used; the user's own stay.
pub(crate) fn simplify(func: &mut Func) {
    loop {
        let mut used = HashSet::new();
        mark(&func.body, &mut used);
        if !sweep(&mut func.body, &used) {
            return;
        }
    }
}

fn mark(block: &Block, used: &mut HashSet<Value>) {
    used.extend(&block.yields);
    used.extend(&block.record);
    for op in &block.ops {
        used.extend(op.operands());
        for inner in &op.blocks {
            mark(inner, used);
        }
    }
}

fn sweep(block: &mut Block, used: &HashSet<Value>) -> bool {
    let before = block.ops.len();
    block.ops.retain(|op| !is_dead(op, used));
    let mut changed = block.ops.len() < before;
    for op in &mut block.ops {
        for inner in &mut op.blocks {
            changed |= sweep(inner, used);
        }
    }
    changed
}

fn is_dead(op: &Op, used: &HashSet<Value>) -> bool {
    op.origin == Origin::Derived && op.is_pure() && !op.results.iter().any(|v| used.contains(v))
}
