//! Places of a round or arm that the reverse sweep receives again.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::{Index, Kept, Resolve};
use crate::ir::{Arg, Block, BlockId, Kind, Op, Origin, Path, Place, Value};

/// Finds the places that pullbacks borrow again after the block that made them has ended.
pub(super) fn borrowed_again(block: &Block, index: &Index, out: &mut BTreeSet<Place>) {
    for op in &block.ops {
        if let Kind::Call(call) = &op.kind {
            if matches!(call.form, crate::ir::Form::Backward(_)) {
                out.extend(call.args.iter().filter_map(|arg| match arg {
                    Arg::Ref(path) | Arg::Mut(path) if !index.is_alive(path.root) => {
                        Some(path.root)
                    }
                    _ => None,
                }));
            }
        }
        for inner in &op.blocks {
            borrowed_again(inner, index, out);
        }
    }
}

/// In the mirror of its block, what a kept place held is a place again, and the reverse sweep names that one.
pub(super) fn receive(
    block: &mut Block,
    kept: &[Kept],
    recalls: &FxHashMap<(BlockId, Value), Value>,
) {
    for op in &mut block.ops {
        let handed_over =
            matches!(&op.kind, Kind::Load(_)) && kept.iter().any(|k| op.results == [k.last]);
        if op.pos == 0 && !handed_over {
            op.for_each_place(&mut |p| {
                if let Some(k) = kept.iter().find(|k| k.place == *p) {
                    *p = k.again;
                }
            });
        }
        for inner in &mut op.blocks {
            receive(inner, kept, recalls);
        }
    }
    let received: Vec<Op> = kept
        .iter()
        .filter(|k| block.mirror == Some(k.block))
        .map(|k| Op {
            kind: Kind::New(k.again),
            args: vec![recalls[&(k.block, k.last)]],
            results: Vec::new(),
            blocks: Vec::new(),
            origin: Origin::Derived,
            span: proc_macro2::Span::call_site(),
            pos: 0,
        })
        .collect();
    block.ops.splice(0..0, received);
}

impl Resolve<'_> {
    /// At the end of its block, a kept place hands its contents over; in the reverse sweep another place receives them.
    pub(super) fn hand_over(&mut self, block: &mut Block) -> Vec<Kept> {
        let mut all = Vec::new();
        for op in &mut block.ops {
            for inner in &mut op.blocks {
                all.extend(self.hand_over(inner));
            }
        }
        let made: Vec<Place> = block
            .ops
            .iter()
            .filter_map(|op| match &op.kind {
                Kind::New(p) if self.decisions.kept.contains(p) => Some(*p),
                _ => None,
            })
            .collect();
        for p in made {
            let data = self.func.at(p).clone();
            let last = self.func.value(data.hint.clone(), data.ty.clone());
            block.ops.push(Op {
                kind: Kind::Load(Path::whole(p)),
                args: Vec::new(),
                results: vec![last],
                blocks: Vec::new(),
                origin: Origin::Derived,
                span: proc_macro2::Span::call_site(),
                pos: 0,
            });
            let again = self.func.place(data.hint, data.ty, data.storage);
            self.func.at_mut(again).mutable = true;
            self.func.at_mut(again).copied = true;
            self.recall(block.id, last);
            all.push(Kept {
                place: p,
                again,
                block: block.id,
                last,
            });
        }
        all
    }
}
