//! Memory that a pullback borrows again although it has changed for good: its call keeps a copy.
//!
//! What has a derivative changes by operations that can be undone; the user's own code changes the rest in ways that nobody knows.

use std::collections::BTreeSet;

use super::{Index, Lent, Resolve, StoreSite};
use crate::ir::{Arg, Form, Kind, Op, Origin, Path, Pos, Storage, Ty, Value};

/// The arguments that are kept: the position of the call, and which of its arguments.
pub(super) type Copied = BTreeSet<(Pos, usize)>;

/// Finds the arguments of calls that change later and cannot be put back.
pub(super) fn copied(index: &mut Index) -> Copied {
    let mut copied = Copied::new();
    loop {
        let lost: Vec<Lent> = index
            .borrowed
            .iter()
            .filter(|lent| !copied.contains(&(lent.read.at, lent.argument)))
            .filter(|lent| {
                let mut stores = index.stores.iter();
                stores.any(|store| {
                    !store.undone && is_lost(index, store) && index.must_undo(store, &lent.read)
                })
            })
            .cloned()
            .collect();
        if lost.is_empty() {
            return copied;
        }
        for lent in lost {
            copied.insert((lent.read.at, lent.argument));
            // The pullback undoes what its call did to the copy.
            let (at, place) = (lent.read.at, lent.read.place);
            let changed = |store: &&mut StoreSite| store.pos == at && store.place == place;
            if lent.mutable {
                let stores = index.stores.iter_mut();
                stores.filter(changed).for_each(|s| s.undone = false);
            }
        }
    }
}

/// Nothing says what the store changed, or it is out of reach of what would undo it.
fn is_lost(index: &Index, store: &StoreSite) -> bool {
    let fused = index.fused(store.block);
    store.path.is_none() || fused.is_some_and(|f| !index.is_local_to(store.place, f))
}

impl Resolve<'_> {
    /// Keeps what a call is lent: before it, or after it where the call may change it.
    pub(super) fn keep_lent(&mut self, op: Op, out: &mut Vec<Op>) {
        let mut after = Vec::new();
        if let (Kind::Call(call), true) = (&op.kind, op.pos != 0) {
            for (k, arg) in call.args.iter().enumerate() {
                let (Arg::Ref(path) | Arg::Mut(path)) = arg else {
                    continue;
                };
                if !self.decisions.copied.contains(&(op.pos, k)) {
                    continue;
                }
                let (ty, kind) = match self.func.path_ty(path) {
                    Ty::Slice(elem) => (Ty::Vec(elem), Kind::Owned(path.clone(), "to_vec")),
                    ty => (ty, Kind::Load(path.clone())),
                };
                let hint = self.func.at(path.root).hint.clone();
                let copy = self.func.value(hint, ty);
                self.copies.insert((op.pos, k), copy);
                let mut copying = derived(kind, Vec::new(), vec![copy], op.span);
                // It belongs to the forward sweep.
                copying.pos = op.pos;
                match arg {
                    Arg::Mut(_) => after.push(copying),
                    _ => out.push(copying),
                }
            }
        }
        out.push(op);
        out.append(&mut after);
    }

    /// A pullback is lent the copies that its call has kept.
    pub(super) fn lend_copies(&mut self, op: &mut Op) {
        let Kind::Call(call) = &op.kind else { return };
        if !matches!(call.form, Form::Backward(_)) {
            return;
        }
        let Some(at) = self.call_of(op.args[0]) else {
            return;
        };
        let kept: Vec<(usize, Value)> = (0..call.args.len())
            .filter_map(|k| self.copies.get(&(at, k)).map(|&copy| (k, copy)))
            .collect();
        let block = self.index.block_of[&at];
        for (k, copy) in kept {
            let there = if self.index.is_segment(block) {
                copy
            } else {
                self.recall(block, copy)
            };
            let (hint, ty) = (self.func.hint(copy).to_owned(), self.func.ty(copy).clone());
            let again = self.func.place(hint, ty, Storage::Local);
            let path = Path::whole(again);
            if let Kind::Call(call) = &mut op.kind {
                call.args[k] = match call.args[k] {
                    Arg::Mut(_) => {
                        self.func.at_mut(again).mutable = true;
                        Arg::Mut(path)
                    }
                    _ => Arg::Ref(path),
                };
            }
            self.push(derived(Kind::New(again), vec![there], Vec::new(), op.span));
        }
    }

    /// The position of the call whose pullback this is.
    fn call_of(&self, back: Value) -> Option<Pos> {
        let back = self.pending.get(&back).copied().unwrap_or(back);
        self.index.defs.get(&back).map(|def| def.pos)
    }
}

fn derived(kind: Kind, args: Vec<Value>, results: Vec<Value>, span: proc_macro2::Span) -> Op {
    Op {
        kind,
        args,
        results,
        blocks: Vec::new(),
        origin: Origin::Derived,
        span,
        pos: 0,
    }
}
