//! What runs forward and backward in one pass: loops, the arms of conditionals, and calls that are given their seeds.

use rustc_hash::FxHashMap;

use super::control::touched;
use super::{Cx, Fused, LAST, Scope, ScopeKind, is_known};
use crate::build::Build;
use crate::fuse;
use crate::fuse::Early;
use crate::ir::{Block, Call, For, Form, Kind, Op, Origin, Path, Place, Value};

/// The operations of a block behind one of them, and the cotangents of values of that block.
#[derive(Clone, Copy)]
pub(super) struct Behind<'a> {
    pub(super) later: &'a [Op],
    pub(super) seeds: &'a [(Value, Value)],
}

impl Cx<'_> {
    /// Runs an operation forward and backward in one pass, if every cotangent it needs is known before it.
    pub(super) fn fuse(
        &mut self,
        op: &Op,
        behind: Behind<'_>,
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) -> Option<(Vec<Op>, Fused)> {
        match &op.kind {
            Kind::For(head) => self.fuse_loop(op, head, behind, local_places),
            Kind::If | Kind::Match(..) => self.fuse_arms(op, behind, local_places),
            Kind::Call(call) if self.at_once.contains(&op.pos) => {
                self.call_at_once(op, call, behind, local_places)
            }
            _ => None,
        }
    }

    /// The cotangents of these results, with the number of each, in front of the operation; `None` if one of them depends on what comes later, or none has any.
    fn early(
        &mut self,
        op: &Op,
        slots: &[usize],
        behind: Behind<'_>,
        out: &mut Vec<Op>,
    ) -> Option<Vec<(usize, Value)>> {
        let mut known = Vec::new();
        for &k in slots {
            match fuse::early(op, k, behind.later, behind.seeds) {
                Early::Never => return None,
                Early::Nothing => {}
                Early::Known(terms) => known.push((k, terms)),
            }
        }
        let mut replayed = FxHashMap::default();
        let mut bars = Vec::new();
        for (k, terms) in known {
            let mut build = Build::new(&mut self.func, Origin::Derived);
            let total = fuse::sum(&terms, &mut build, behind.later, &mut replayed);
            out.append(&mut build.ops);
            bars.extend(total.map(|bar| (k, bar)));
        }
        self.known.extend(bars.iter().map(|&(k, _)| op.results[k]));
        (!bars.is_empty()).then_some(bars)
    }

    /// Shadows that the operation adds to must exist before it.
    fn make_touched(
        &mut self,
        op: &Op,
        local_places: &mut Vec<(Place, Option<Value>)>,
        out: &mut Vec<Op>,
    ) {
        let mut touched = Vec::new();
        op.walk(&mut |inner| touched.extend(inner.paths().into_iter().map(|p| p.root)));
        for (p, shape) in std::mem::take(local_places) {
            if touched.contains(&p) && self.created.insert(p) {
                let shadow = self.shadow(p);
                let shape = shape.or_else(|| {
                    if is_known(&self.func.at(p).ty) {
                        None
                    } else {
                        Some(self.shape_of(Path::whole(p), 0, out))
                    }
                });
                self.effect(Kind::NewZero(shadow), shape.into_iter().collect(), out);
            }
            local_places.push((p, shape));
        }
    }

    /// Both sweeps of a block in one, with the cotangents of what it yields.
    fn fuse_block(
        &mut self,
        block: &Block,
        bars: &[(usize, Value)],
        kind: ScopeKind,
    ) -> (Block, Scope) {
        let seeds: Vec<(Value, Value)> = (bars.iter())
            .map(|&(k, bar)| (block.yields[k], bar))
            .collect();
        for &(v, bar) in &seeds {
            self.name_adjoint(bar, v);
        }
        let params = block.params.clone();
        let (mut ops, mut reverse, scope) =
            self.segment(&block.ops, Scope::new(kind), &params, seeds, &[]);
        ops.append(&mut reverse);
        let fused = Block {
            ops,
            segment: true,
            ..block.clone()
        };
        (fused, scope)
    }

    fn fuse_loop(
        &mut self,
        op: &Op,
        head: &For,
        behind: Behind<'_>,
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) -> Option<(Vec<Op>, Fused)> {
        let slots = self.activity.slots(op);
        if !fuse::is_fusable(
            &self.func,
            op,
            head,
            &slots,
            behind.later,
            self.activity,
            self.callees(),
        ) {
            return None;
        }
        let mut out = Vec::new();
        let bars = self.early(op, &slots, behind, &mut out)?;
        self.make_touched(op, local_places, &mut out);
        for p in fuse::stored(op, |p| self.activity.place(p)) {
            self.func.at_mut(p).round.get_or_insert(op.blocks[0].id);
            // What a call in it may have made longer or shorter has a shadow only behind the loop otherwise.
            if self.created.insert(p) {
                let shape = self.shape_of(Path::whole(p), 0, &mut out);
                let shadow = self.shadow(p);
                self.effect(Kind::NewZero(shadow), vec![shape], &mut out);
            }
        }
        let params = &op.blocks[0].params[head.inductions..];
        self.known.extend(bars.iter().map(|&(k, _)| params[k]));
        let (mut inner, scope) = self.fuse_block(&op.blocks[0], &bars, ScopeKind::Loop);
        let mut new = op.clone();
        let inits = &op.args[head.domain.operands()..];
        let mut left: Fused = bars.iter().map(|&(k, bar)| (inits[k], bar)).collect();
        for &(v, param) in &scope.outer {
            let zero = self.zero(v, LAST, &mut out);
            inner.params.push(param);
            inner.yields.push(scope.adj[&v]);
            new.args.push(zero);
            let (ty, hint) = (
                self.func.ty(param).clone(),
                self.func.hint(param).to_owned(),
            );
            let result = self.func.value(hint, ty);
            new.results.push(result);
            left.push((v, result));
        }
        new.blocks = vec![inner];
        out.push(new);
        Some((out, left))
    }

    /// Reverses each arm right behind it; what the arms add to outer values is a result more of the conditional for each of these.
    fn fuse_arms(
        &mut self,
        op: &Op,
        behind: Behind<'_>,
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) -> Option<(Vec<Op>, Fused)> {
        let slots: Vec<usize> = (0..op.results.len())
            .filter(|&k| self.activity.value(op.results[k]))
            .collect();
        let plain = slots
            .iter()
            .all(|&k| self.func.ty(op.results[k]).is_float());
        if !plain
            || op.exits()
            || !fuse::gains(&self.func, op, self.activity, self.callees())
            || !fuse::leaves_memory(&self.func, op, behind.later, self.activity, self.callees())
        {
            return None;
        }
        let mut out = Vec::new();
        let bars = self.early(op, &slots, behind, &mut out)?;
        self.make_touched(op, local_places, &mut out);
        let mut new = op.clone();
        let mut arms = Vec::new();
        for block in op.blocks.iter().filter(|b| !b.diverges) {
            arms.push(self.fuse_block(block, &bars, ScopeKind::Segment));
        }
        let left = self.join_arms(&touched(&arms), &mut arms, op.pos);
        new.results.extend(left.iter().map(|&(_, bar)| bar));
        let mut fused = arms.into_iter().map(|(block, _)| block);
        for block in new.blocks.iter_mut().filter(|b| !b.diverges) {
            if let Some(both) = fused.next() {
                *block = both;
            }
        }
        out.push(new);
        Some((out, left))
    }

    /// A call of `__vjp`, in place of one that leaves a pullback.
    fn call_at_once(
        &mut self,
        op: &Op,
        call: &Call,
        behind: Behind<'_>,
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) -> Option<(Vec<Op>, Fused)> {
        if !fuse::leaves_memory(&self.func, op, behind.later, self.activity, self.callees()) {
            return None;
        }
        let mut out = Vec::new();
        let bars = self.early(op, &[0], behind, &mut out)?;
        let (_, seed) = bars[0];
        self.name_adjoint(seed, op.results[0]);
        self.make_touched(op, local_places, &mut out);
        let (companions, later) = self.shadows_of(call, op.pos, &mut out);
        let left = self.cotangents_of(call);
        let mut new = op.clone();
        new.args.push(seed);
        new.results.extend(left.iter().map(|&(_, bar)| bar));
        new.kind = Kind::Call(Call {
            form: Form::AtOnce(companions),
            ..call.clone()
        });
        out.push(new);
        self.give(later, &mut out);
        Some((out, left))
    }
}
