//! Reversed loops whose rounds hand nothing to each other run from start to end.
//!
//! `for k in rev 0..n { d_x[k] += d * t[k] }` becomes `for k in 0..n { d_x[k] += d * t[k] }`.
//! Each round has elements of its own of all that the loop changes, so no bit depends on the order.
//! Backwards, vector code turns around each vector that it loads or stores.
//! A loop that puts back or empties what it reads stays: it writes most of what it touches, and the caches have what was written last.
//!
//! Runs behind `sums`, which leaves such loops.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Domain, For, Func, Kind, Op, Place};
use crate::sums::{changing, is_reversed, runs_from_start_to_end, walks};

/// Turns around every reversed loop that may be.
pub(crate) fn onward(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    in_block(func, &mut body, &mut FxHashSet::default());
    func.body = body;
}

/// `opened` are the stacks whose slots are there when their loop begins: what was pushed is popped from the end.
fn in_block(func: &Func, block: &mut Block, opened: &mut FxHashSet<u32>) {
    for op in &mut block.ops {
        if let (Kind::For(head), true) = (&op.kind, op.opens_slots(func)) {
            opened.extend(head.tape);
        }
        for inner in &mut op.blocks {
            in_block(func, inner, opened);
        }
        let at_hand = |head: &For| head.tape.is_none_or(|tape| opened.contains(&tape));
        if matches!(&op.kind, Kind::For(head) if at_hand(head)) && is_free(func, op, &[]) {
            let Kind::For(head) = &mut op.kind else {
                continue;
            };
            if let Domain::Range { reversed, .. } = &mut head.domain {
                *reversed = false;
                head.onward = true;
            }
        }
    }
}

/// Whether the rounds of a reversed loop may run in any order; of the places in `apart` it has parts that do not overlap.
pub(crate) fn is_free(func: &Func, op: &Op, apart: &[Place]) -> bool {
    // What it carries it hands on as it is.
    let plain = runs_from_start_to_end(op) && is_reversed(op);
    if !plain || op.blocks[0].params[1..] != op.blocks[0].yields {
        return false;
    }
    let block = &op.blocks[0];
    let inside = changing(block);
    let mut free = block.mirror.is_some();
    for op in &block.ops {
        op.walk(&mut |op| {
            free &= match &op.kind {
                Kind::AddTo(path) => {
                    apart.contains(&path.root) || walks(func, block, path, &inside)
                }
                // Of the function's own memory it is what was there before.
                Kind::Store(path) => {
                    func.at(path.root).tangent && walks(func, block, path, &inside)
                }
                Kind::If => true,
                _ => op.is_pure(),
            }
        });
    }
    free
}
