//! Wrong answers on purpose: what the tests of the compiler must notice.

use crate::ir::{Block, Func, Kind, Path};
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
        _ => {}
    }
}

fn each(block: &mut Block, f: &mut dyn FnMut(&mut crate::ir::Op)) {
    for op in &mut block.ops {
        f(op);
        for inner in &mut op.blocks {
            each(inner, f);
        }
    }
}
