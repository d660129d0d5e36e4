//! Calls whose pullbacks need not put back what the callee changed.

use std::collections::BTreeMap;

use super::{Planner, Reread};
use crate::function::Rule;
use crate::ir::{Arg, Block, Call, Form, Kind, Pos};
use crate::scratch::is_plain;

impl Planner<'_> {
    /// The calls after whose pullbacks nobody reads what the call has overwritten.
    ///
    /// Whether the callee has a pullback that leaves it alone, only rustc knows: with the one that does not, all is as if none were left.
    /// So what may depend on a call that is left are pullbacks of the same function alone, of what they are lent as the same argument:
    /// they look at it all, or none does.
    pub(super) fn left(&self, rereads: &[Reread]) -> BTreeMap<Pos, Call> {
        let mut calls = BTreeMap::new();
        if self.policy.applies(Rule::Remember) && self.policy.applies(Rule::Leave) {
            plain_calls(&self.func.body, &mut calls);
        }
        loop {
            let left: BTreeMap<Pos, Call> = (calls.iter())
                .filter(|(pos, call)| self.may_leave(**pos, call, &calls, rereads))
                .map(|(pos, call)| (*pos, call.clone()))
                .collect();
            if left.len() == calls.len() {
                return left;
            }
            calls = left;
        }
    }

    fn may_leave(
        &self,
        pos: Pos,
        call: &Call,
        calls: &BTreeMap<Pos, Call>,
        rereads: &[Reread],
    ) -> bool {
        let index = self.index;
        call.args.iter().enumerate().all(|(k, arg)| {
            let Arg::Mut(path) = arg else { return true };
            let p = path.root;
            let known = (index.stores.iter()).find(|site| site.pos == pos && site.place == p);
            let Some(store) = known else { return false };
            let given_back = self.policy.restore && index.exclusive.contains(&p);
            let alike = |read: &Reread| {
                let other = calls.get(&read.at);
                read.lent == Some(k)
                    && read.place == p
                    && other.is_some_and(|other| other.owner.to_string() == call.owner.to_string())
            };
            // A callee that changes how many elements there are has no such pullback.
            let forgotten = |read: &Reread| {
                read.length
                    || alike(read)
                    || self.policy.mutates("leave_lent")
                    || !self.must_undo(store, read)
            };
            !given_back
                && !index.is_joined(p)
                && !index.moved.contains(&p)
                && rereads.iter().all(forgotten)
        })
    }
}

/// The calls of functions by their names that are lent memory to change, and leave a pullback.
fn plain_calls(block: &Block, out: &mut BTreeMap<Pos, Call>) {
    for op in &block.ops {
        match &op.kind {
            Kind::Call(call)
                if matches!(call.form, Form::Forward(_))
                    && is_plain(call)
                    && call.generics.is_empty()
                    && call.changes() =>
            {
                out.insert(op.pos, call.clone());
            }
            _ => {}
        }
        for inner in &op.blocks {
            plain_calls(inner, out);
        }
    }
}
