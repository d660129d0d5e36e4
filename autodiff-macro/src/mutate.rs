//! Wrong answers on purpose: what the tests of the compiler must notice.

use std::collections::BTreeSet;

use crate::ir::{Block, Domain, Func, Kind, Path, Pos};
use crate::remember::Policy;

/// Mutations of the reverse sweep before its needs are met.
pub(crate) fn before(func: &mut Func, policy: &Policy) {
    let mut done = false;
    match policy.mutate.as_deref() {
        Some("keep_adjoint") => each(&mut func.body, &mut |op| {
            if let Kind::TakeZero(path) = &op.kind {
                if !done {
                    let path: Path = path.clone();
                    op.kind = Kind::Load(path);
                    done = true;
                }
            }
        }),
        Some("drop_carried") => each(&mut func.body, &mut |op| {
            if let Kind::For(head) = &op.kind {
                let first = head.inductions;
                for block in &mut op.blocks {
                    if block.mirror.is_some()
                        && !done
                        && block
                            .yields
                            .iter()
                            .zip(&block.params[first..])
                            .any(|(y, p)| y != p)
                    {
                        let slot = block
                            .yields
                            .iter()
                            .zip(&block.params[first..])
                            .position(|(y, p)| y != p);
                        if let Some(k) = slot {
                            block.yields[k] = block.params[first + k];
                            done = true;
                        }
                    }
                }
            }
        }),
        Some("whole_range") => each(&mut func.body, &mut |op| {
            if let Kind::For(head) = &mut op.kind {
                if let Domain::Taken {
                    inclusive,
                    reversed,
                } = head.domain
                {
                    head.domain = Domain::Range {
                        inclusive,
                        reversed: !reversed,
                    };
                    op.args.remove(2);
                }
            }
        }),
        _ => {}
    }
}

/// Mutations that forget to undo one operation, and which operations they mean.
pub(crate) const UNDONE: &[(&str, fn(&Kind) -> bool)] = &[
    ("drop_change", |kind| matches!(kind, Kind::Change(..))),
    ("drop_swap", |kind| matches!(kind, Kind::Swap(..))),
];

/// The first operation of that sort among those that are undone.
pub(crate) fn first_undo(
    body: &Block,
    undone: &BTreeSet<Pos>,
    of: fn(&Kind) -> bool,
) -> Option<Pos> {
    body.ops.iter().find_map(|op| {
        let here = match &op.kind {
            Kind::Undo(kind, pos) if of(kind) && undone.contains(pos) => Some(*pos),
            _ => None,
        };
        here.or_else(|| {
            op.blocks
                .iter()
                .find_map(|block| first_undo(block, undone, of))
        })
    })
}

fn each(block: &mut Block, f: &mut dyn FnMut(&mut crate::ir::Op)) {
    for op in &mut block.ops {
        f(op);
        for inner in &mut op.blocks {
            each(inner, f);
        }
    }
}
