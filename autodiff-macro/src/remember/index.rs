//! The forward sweep, indexed: definitions, blocks, and where memory changes.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{BlockInfo, Def, Index, Reread, StoreSite};
use crate::ir::{
    Arg, Block, BlockId, Domain, Form, Func, Kind, Op, Param, Path, Place, Pos, Step, Storage, Ty,
    Value,
};

impl Index {
    pub(super) fn new(func: &Func) -> Index {
        let mut index = Index::default();
        for param in &func.params {
            match *param {
                Param::Value(v) => {
                    index.defs.insert(
                        v,
                        Def {
                            block: func.body.id,
                            pos: 0,
                            op: None,
                            induction: false,
                        },
                    );
                }
                Param::Place(p) => {
                    index.born.insert(p, func.body.id);
                    if func.at(p).storage == Storage::Exclusive {
                        index.exclusive.insert(p);
                    }
                }
            }
        }
        index.block(func, &func.body, None, false, 0);
        index
    }

    pub(super) fn block(
        &mut self,
        func: &Func,
        block: &Block,
        parent: Option<BlockId>,
        is_loop: bool,
        depth: u32,
    ) {
        self.blocks.insert(
            block.id,
            BlockInfo {
                parent,
                segment: block.segment,
                is_loop,
                depth,
            },
        );
        for op in &block.ops {
            if op.pos == 0 {
                continue;
            }
            self.block_of.insert(op.pos, block.id);
            for &v in &op.results {
                self.defs.insert(
                    v,
                    Def {
                        block: block.id,
                        pos: op.pos,
                        op: Some((op.kind.clone(), op.args.clone())),
                        induction: false,
                    },
                );
            }
            if let Kind::New(p) = &op.kind {
                self.born.insert(*p, block.id);
            }
            if let Kind::Call(call) = &op.kind {
                if matches!(call.form, Form::Forward) {
                    self.borrowed
                        .extend(call.args.iter().filter_map(|arg| match arg {
                            Arg::Ref(path) | Arg::Mut(path) => Some(Reread {
                                place: path.root,
                                at: op.pos,
                                path: Some(path.clone()),
                                value: None,
                            }),
                            Arg::Value(_) | Arg::Owned => None,
                        }));
                }
            }
            let path = match &op.kind {
                Kind::Store(path) | Kind::AddTo(path) => Some(path.clone()),
                _ => None,
            };
            let undone =
                matches!(op.kind, Kind::Call(ref c) if matches!(c.form, crate::ir::Form::Forward));
            let whole = path.as_ref().is_none_or(|p| p.steps.is_empty());
            for place in op.stores() {
                self.stores.push(StoreSite {
                    place,
                    pos: op.pos,
                    block: block.id,
                    path: path.clone(),
                    undone,
                });
                self.bump(func, place, op.pos, whole);
            }
            // What a region stores changes at its start (another round) and at its end (another arm).
            let mut inside: Vec<(Place, bool)> = Vec::new();
            let mut last = op.pos;
            op.walk(&mut |inner| {
                last = last.max(inner.pos);
                let whole = match &inner.kind {
                    Kind::Store(path) | Kind::AddTo(path) => path.steps.is_empty(),
                    _ => true,
                };
                if inner.pos != op.pos {
                    inside.extend(inner.stores().into_iter().map(|p| (p, whole)));
                }
            });
            for (place, whole) in inside {
                self.bump(func, place, op.pos, whole);
                self.bump(func, place, last + 1, whole);
            }
            let loops = matches!(op.kind, Kind::For(_));
            for inner in &op.blocks {
                if loops {
                    self.loop_params(op, inner);
                } else {
                    for &v in &inner.params {
                        self.defs.insert(
                            v,
                            Def {
                                block: inner.id,
                                pos: op.pos,
                                op: None,
                                induction: false,
                            },
                        );
                    }
                }
                self.block(func, inner, Some(block.id), loops, depth + u32::from(loops));
            }
        }
    }

    pub(super) fn loop_params(&mut self, op: &Op, block: &Block) {
        let Kind::For(head) = &op.kind else { return };
        let again = matches!(head.domain, Domain::Range { .. });
        if again {
            self.items.insert(block.id, block.params[0]);
        }
        for (k, &v) in block.params.iter().enumerate() {
            self.defs.insert(
                v,
                Def {
                    block: block.id,
                    pos: op.pos,
                    op: None,
                    induction: again && k < head.inductions,
                },
            );
        }
    }

    pub(super) fn bump(&mut self, func: &Func, place: Place, pos: Pos, whole: bool) {
        self.changes.entry(place).or_default().insert(pos);
        if whole
            && !matches!(
                func.at(place).ty,
                Ty::Array(..) | Ty::Slice(_) | Ty::Float(_)
            )
        {
            self.reshapes.entry(place).or_default().insert(pos);
        }
    }

    /// The block and all around it, innermost first.
    pub(super) fn around(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(block), |b| {
            self.blocks.get(b).and_then(|info| info.parent)
        })
    }

    /// The innermost loop body around a block that runs forward and backward in one pass.
    pub(super) fn fused(&self, block: BlockId) -> Option<BlockId> {
        self.around(block).find(|b| {
            self.blocks
                .get(b)
                .is_some_and(|info| info.segment && info.is_loop)
        })
    }

    pub(super) fn is_segment(&self, block: BlockId) -> bool {
        self.blocks.get(&block).is_some_and(|info| info.segment)
    }

    pub(super) fn is_free(&self, v: Value) -> bool {
        self.defs
            .get(&v)
            .is_none_or(|def| self.is_segment(def.block))
    }

    /// The place is still there in the reverse sweep.
    pub(super) fn is_alive(&self, p: Place) -> bool {
        self.born.get(&p).is_some_and(|&b| self.is_segment(b))
    }

    /// Whether another round of a loop around both may store to what the use reads, before the use is reversed.
    ///
    /// Not if both name the element by the loop's own item: other rounds then touch other elements.
    pub(super) fn share_a_loop(
        &self,
        store: &StoreSite,
        home: BlockId,
        read: Option<&Path>,
        within: Option<BlockId>,
    ) -> bool {
        let born = self.born.get(&store.place).copied().unwrap_or(home);
        let outside: HashSet<BlockId> = self.around(born).collect();
        let around_store: Vec<BlockId> = self
            .around(store.block)
            .take_while(|block| Some(*block) != within)
            .collect();
        self.around(home)
            .filter(|block| around_store.contains(block) && !outside.contains(block))
            .filter(|block| {
                self.blocks
                    .get(block)
                    .is_some_and(|i| i.is_loop && !i.segment)
            })
            .any(|block| {
                let apart = self.items.get(&block).is_some_and(|item| {
                    let step = Step::Index(*item);
                    // Behind a range, an index counts from the range's own start.
                    let at = |path: Option<&Path>| {
                        let steps = &path?.steps;
                        let at = steps.iter().position(|s| *s == step)?;
                        let ranged = steps[..at].iter().any(|s| matches!(s, Step::Range(..)));
                        (!ranged).then_some(at)
                    };
                    let (ours, theirs) = (at(store.path.as_ref()), at(read));
                    ours.is_some() && ours == theirs
                });
                !apart
            })
    }
}

pub(super) fn unchanged(
    changes: &HashMap<Place, BTreeSet<Pos>>,
    p: Place,
    from: Pos,
    to: Pos,
) -> bool {
    from >= to
        || changes
            .get(&p)
            .is_none_or(|at| at.range(from + 1..=to).next().is_none())
}
