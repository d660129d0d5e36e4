//! Loops that run forward and backward in one pass.

use std::collections::HashMap;

use super::{Cx, Fused, LAST, Scope, ScopeKind, is_known};
use crate::build::Build;
use crate::fuse;
use crate::fuse::Early;
use crate::ir::{Kind, Op, Origin, Path, Place, Value};

impl Cx<'_> {
    /// Runs a loop forward and backward in one pass, if every cotangent it needs is known before it.
    pub(super) fn fuse(
        &mut self,
        op: &Op,
        at: usize,
        ops: &[Op],
        seeds: &[(Value, Value)],
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) -> Option<(Vec<Op>, Fused)> {
        let Kind::For(head) = &op.kind else {
            return None;
        };
        let slots = self.activity.slots(op);
        if !fuse::is_fusable(op, head, &slots, &ops[at + 1..], self.activity) {
            return None;
        }
        let mut out = Vec::new();
        let mut bars = Vec::new();
        let mut replayed = HashMap::new();
        for &k in &slots {
            match fuse::early(op.results[k], &op.results, &ops[at + 1..], seeds) {
                Early::Never => return None,
                Early::Nothing => {}
                Early::Known(terms) => {
                    let mut total = None;
                    for term in terms {
                        let mut build = Build::new(&mut self.func, Origin::Derived);
                        let c = term.build(&mut build, &ops[at + 1..], &mut replayed);
                        let sum = build.sum(total, c);
                        total = Some(sum);
                        out.append(&mut build.ops);
                    }
                    bars.extend(total.map(|bar| (k, bar)));
                }
            }
        }
        if bars.is_empty() {
            return None;
        }
        let block = &op.blocks[0];
        // Shadows that the loop adds to must exist before it.
        let mut touched = Vec::new();
        op.walk(&mut |inner| touched.extend(inner.paths().into_iter().map(|p| p.root)));
        for (p, shape) in std::mem::take(local_places) {
            if touched.contains(&p) && self.created.insert(p) {
                let shadow = self.shadow(p);
                let shape = shape.or_else(|| {
                    if is_known(&self.func.at(p).ty) {
                        None
                    } else {
                        Some(self.shape_of(Path::whole(p), 0, &mut out))
                    }
                });
                self.effect(Kind::NewZero(shadow), shape.into_iter().collect(), &mut out);
            }
            local_places.push((p, shape));
        }
        let seeds_inside: Vec<(Value, Value)> = bars
            .iter()
            .map(|&(k, bar)| (block.yields[k], bar))
            .collect();
        for &(v, bar) in &seeds_inside {
            self.name_adjoint(bar, v);
        }
        let params = block.params.clone();
        let (mut body, mut reverse, scope) = self.segment(
            &block.ops,
            Scope::new(ScopeKind::Loop),
            &params,
            seeds_inside,
            &[],
        );
        body.append(&mut reverse);
        let mut new = op.clone();
        let inner = &mut new.blocks[0];
        inner.ops = body;
        inner.segment = true;
        let mut outer = Vec::new();
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
            outer.push((v, result));
        }
        out.push(new);
        let inits = &op.args[head.domain.operands()..];
        let inits = bars.iter().map(|&(k, bar)| (inits[k], bar)).collect();
        Some((out, Fused { inits, outer }))
    }
}
