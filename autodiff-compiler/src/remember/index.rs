//! The forward sweep, indexed: definitions, blocks, and where memory changes.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use proc_macro2::TokenTree;

use super::steps::stepped;
use super::{BlockInfo, Def, End, Index, Reread, StoreSite};
use crate::ir::{
    Arg, Block, BlockId, Change, Domain, Form, Func, Kind, Op, Opaque, Param, Path, Place, Pos,
    Step, Storage, Value,
};

impl Index {
    pub(super) fn new(func: &Func) -> Index {
        let mut index = Index {
            borrowed_values: func.borrowed().collect(),
            ..Index::default()
        };
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
                            stepped: None,
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
        index.block(func, &func.body, None, None, 0);
        index
    }

    pub(super) fn block(
        &mut self,
        func: &Func,
        block: &Block,
        parent: Option<BlockId>,
        of: Option<&Op>,
        depth: u32,
    ) {
        self.blocks.insert(
            block.id,
            BlockInfo {
                parent,
                segment: block.segment,
                is_loop: of.is_some(),
                depth,
                end: of.and_then(|of| self.end(of)),
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
                        stepped: None,
                    },
                );
            }
            if let Kind::New(p) = &op.kind {
                self.born.insert(*p, func.at(*p).round.unwrap_or(block.id));
                if func.at(*p).borrows {
                    self.borrowing.insert(*p);
                }
            }
            if let Kind::Call(call) = &op.kind {
                if matches!(call.form, Form::Forward(_)) {
                    let args = call.args.iter().enumerate();
                    self.borrowed.extend(args.filter_map(|(k, arg)| match arg {
                        Arg::Ref(path) | Arg::Mut(path) => Some(Reread {
                            place: path.root,
                            at: op.pos,
                            path: Some(path.clone()),
                            value: None,
                            length: false,
                            lent: matches!(arg, Arg::Mut(_)).then_some(k),
                        }),
                        Arg::Value(_) | Arg::Owned | Arg::Function(_) | Arg::Capture(_) => None,
                    }));
                }
            }
            let undone = matches!(op.kind, Kind::Call(ref c) if matches!(c.form, Form::Forward(_)));
            let whole = match &op.kind {
                Kind::Opaque(_) | Kind::Match(..) | Kind::For(_) => true,
                Kind::Call(call) => matches!(call.form, Form::Primal | Form::AtOnce(_)),
                _ => false,
            };
            let reshaped = op.reshapes(func);
            if matches!(
                op.kind,
                Kind::Swap(..) | Kind::Change(Change::Insert | Change::Remove, _)
            ) {
                self.moved.extend(op.stores());
            }
            for place in op.stores() {
                let path = match &op.kind {
                    Kind::Store(path)
                    | Kind::AddTo(path)
                    | Kind::Change(_, path)
                    | Kind::Copy(path, _)
                    | Kind::Fill(path) => Some(path.clone()),
                    Kind::Swap(a, b) => {
                        self.join(a.root, b.root);
                        Some(if a.root == place { a } else { b }.clone())
                    }
                    _ => None,
                };
                let reshapes = reshaped.contains(&place);
                self.stores.push(StoreSite {
                    place,
                    pos: op.pos,
                    block: block.id,
                    // Two parts of one place are exchanged: neither says which elements change.
                    path: match &op.kind {
                        Kind::Swap(a, b) if a.root == b.root => Some(Path::whole(place)),
                        _ if whole => Some(Path::whole(place)),
                        _ => path,
                    },
                    whole,
                    undone,
                    reshapes,
                });
                self.bump(place, op.pos, reshapes);
            }
            // What a region stores changes at its start (another round) and at its end (another arm).
            let mut inside: Vec<(Place, bool)> = Vec::new();
            let mut last = op.pos;
            op.walk(&mut |inner| {
                last = last.max(inner.pos);
                if inner.pos != op.pos {
                    let reshaped = inner.reshapes(func);
                    let stored = inner.stores().into_iter();
                    inside.extend(stored.map(|p| (p, reshaped.contains(&p))));
                }
            });
            for (place, reshapes) in inside {
                self.bump(place, op.pos, reshapes);
                self.bump(place, last + 1, reshapes);
            }
            let of = matches!(op.kind, Kind::For(_)).then_some(op);
            for inner in &op.blocks {
                if of.is_some() {
                    self.loop_params(func, op, inner);
                } else {
                    for &v in &inner.params {
                        self.defs.insert(
                            v,
                            Def {
                                block: inner.id,
                                pos: op.pos,
                                op: None,
                                induction: false,
                                stepped: None,
                            },
                        );
                    }
                }
                let depth = depth + u32::from(of.is_some());
                self.block(func, inner, Some(block.id), of, depth);
            }
        }
    }

    /// Where a loop over a range ends.
    fn end(&self, op: &Op) -> Option<End> {
        let Kind::For(head) = &op.kind else {
            return None;
        };
        let Domain::Range { inclusive, .. } = head.domain else {
            return None;
        };
        let start = self.defs.get(&op.args[0])?.op.as_ref();
        Some(End {
            bound: op.args[1],
            inclusive,
            all: start.is_some_and(|(kind, _)| is_zero(kind)) && !op.exits(),
        })
    }

    /// Whether what the store overwrites has been saved before, by an earlier store to the same memory that is undone later.
    ///
    /// The earlier one names the same element or one around it, or is in a loop that stores to each element up to the same end.
    pub(super) fn is_covered(&self, store: &StoreSite) -> bool {
        let rearranged = self.moved.contains(&store.place) || self.is_joined(store.place);
        let sites = || self.stores.iter().filter(|site| site.place == store.place);
        if rearranged || sites().any(|site| site.reshapes) {
            return false;
        }
        let Some(path) = &store.path else {
            return false;
        };
        let around: Vec<BlockId> = self.around(store.block).collect();
        sites().any(|earlier| {
            let Some(whole) = &earlier.path else {
                return false;
            };
            if earlier.pos >= store.pos || earlier.whole || earlier.undone {
                return false;
            }
            if around.contains(&earlier.block) {
                return path.steps.starts_with(&whole.steps);
            }
            let beside = self.blocks[&earlier.block].parent;
            beside.is_some_and(|block| around.contains(&block))
                && self.is_swept(earlier.block, whole, path, &around)
        })
    }

    /// Whether a loop's rounds store to all elements among which the item of a loop around the path is one.
    fn is_swept(&self, rounds: BlockId, all: &Path, path: &Path, around: &[BlockId]) -> bool {
        let Some((Step::Index(each), above)) = all.steps.split_last() else {
            return false;
        };
        let Some(Step::Index(one)) = path.steps.get(above.len()) else {
            return false;
        };
        let Some(swept) = self.blocks[&rounds].end.filter(|end| end.all) else {
            return false;
        };
        let within = |block: &&BlockId| {
            self.items.get(block) == Some(one)
                && self.blocks[block].end.is_some_and(|end| {
                    end.bound == swept.bound && (swept.inclusive || !end.inclusive)
                })
        };
        self.items.get(&rounds) == Some(each)
            && path.steps.starts_with(above)
            && around.iter().any(|block| within(&block))
    }

    /// Carried integers are as other numbers.
    pub(super) fn forget_steps(&mut self) {
        self.walked.clear();
        self.defs.values_mut().for_each(|def| def.stepped = None);
    }

    pub(super) fn loop_params(&mut self, func: &Func, op: &Op, block: &Block) {
        let Kind::For(head) = &op.kind else { return };
        let again = matches!(head.domain, Domain::Range { .. });
        if again {
            self.items.insert(block.id, block.params[0]);
        }
        let items = &block.params[..if again { head.inductions } else { 0 }];
        for (k, &v) in block.params.iter().enumerate() {
            let stepped = (k.checked_sub(head.inductions))
                .and_then(|slot| stepped(func, op, block, slot, items));
            let links = stepped.iter().flat_map(|stepped| &stepped.links);
            self.walked.extend(links.map(|link| (link.after, v)));
            self.defs.insert(
                v,
                Def {
                    block: block.id,
                    pos: op.pos,
                    op: None,
                    induction: items.contains(&v),
                    stepped,
                },
            );
        }
    }

    /// A pullback that is never called borrows nothing.
    pub(super) fn forget_pullbacks(&mut self, needs: &[(Value, Pos)]) {
        let called: FxHashSet<Pos> = needs
            .iter()
            .filter_map(|(v, at)| self.defs.get(v).filter(|def| def.pos == *at).map(|_| *at))
            .collect();
        self.borrowed.retain(|read| called.contains(&read.at));
    }

    fn bump(&mut self, place: Place, pos: Pos, reshapes: bool) {
        self.changes.entry(place).or_default().insert(pos);
        if reshapes {
            self.reshapes.entry(place).or_default().insert(pos);
        }
    }

    pub(super) fn is_joined(&self, p: Place) -> bool {
        self.joined.contains_key(&p) || self.joined.values().any(|&other| other == p)
    }

    fn join(&mut self, a: Place, b: Place) {
        let (a, b) = (self.group(a), self.group(b));
        if a != b {
            self.joined.insert(a, b);
        }
    }

    /// The place that stands for all that exchange their contents with this one.
    pub(super) fn group(&self, p: Place) -> Place {
        let mut p = p;
        while let Some(&next) = self.joined.get(&p) {
            p = next;
        }
        p
    }

    /// The block and all around it, innermost first.
    pub(super) fn around(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(block), |b| {
            self.blocks.get(b).and_then(|info| info.parent)
        })
    }

    /// The innermost loop body or arm around a block that runs forward and backward in one pass.
    pub(super) fn fused(&self, block: BlockId) -> Option<BlockId> {
        self.around(block).find(|b| {
            self.blocks
                .get(b)
                .is_some_and(|info| info.segment && info.parent.is_some())
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
        !self.borrowing.contains(&p) && self.born.get(&p).is_some_and(|&b| self.is_segment(b))
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
        let outside: FxHashSet<BlockId> = self.around(born).collect();
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

fn is_zero(kind: &Kind) -> bool {
    is_literal(kind)
        && match kind {
            Kind::Lit(tokens) | Kind::Opaque(Opaque { tokens, .. }) => tokens.to_string() == "0",
            _ => false,
        }
}

pub(super) fn is_literal(kind: &Kind) -> bool {
    match kind {
        Kind::Lit(_) => true,
        Kind::Opaque(opaque) => {
            let mut tokens = opaque.tokens.clone().into_iter();
            matches!(
                (tokens.next(), tokens.next()),
                (Some(TokenTree::Literal(_)), None)
            )
        }
        _ => false,
    }
}

pub(super) fn unchanged(
    changes: &FxHashMap<Place, BTreeSet<Pos>>,
    p: Place,
    from: Pos,
    to: Pos,
) -> bool {
    from >= to
        || changes
            .get(&p)
            .is_none_or(|at| at.range(from + 1..=to).next().is_none())
}
