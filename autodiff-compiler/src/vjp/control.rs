//! The reverse of conditionals and loops.

use rustc_hash::FxHashMap;

use super::{Cx, LAST, Scope, ScopeKind, shape_key};
use crate::build::Build;
use crate::ir::{Block, Domain, For, Kind, Op, Origin, Pos, Ty, Value};

impl Cx<'_> {
    /// The reverse of one block of a region, in a scope of its own.
    pub(super) fn reverse_block(
        &mut self,
        block: &Block,
        prepared: Scope,
        seeds: Vec<(Value, Value)>,
        calls: &FxHashMap<Pos, Value>,
        olds: &FxHashMap<Pos, Value>,
    ) -> (Block, Scope) {
        self.scopes.push(prepared);
        let depth = self.depth();
        for &v in &block.params {
            self.levels.insert(v, depth);
        }
        let mut places = Vec::new();
        for op in &block.ops {
            for &v in &op.results {
                self.levels.insert(v, depth);
            }
            if let Some(&v) = calls.get(&op.pos) {
                self.levels.insert(v, depth);
            }
            if let Kind::New(p) = &op.kind {
                if self.activity.place(*p) {
                    places.push(*p);
                }
            }
        }
        let mut ops = Vec::new();
        for (v, seed) in seeds {
            self.accumulate(v, seed, &mut ops);
        }
        for p in places {
            let shape = olds.get(&shape_key(p)).copied();
            if let Some(shape) = shape {
                self.levels.insert(shape, depth);
            }
            self.make_shadow(p, shape, LAST, &mut ops);
        }
        for op in block.ops.iter().rev() {
            self.reverse(op, calls, olds, &mut ops);
        }
        let mut reversed = self.func.block();
        reversed.ops = ops;
        reversed.mirror = Some(block.id);
        let scope = self
            .scopes
            .pop()
            .unwrap_or_else(|| Scope::new(ScopeKind::Arm));
        (reversed, scope)
    }

    pub(super) fn reverse_conditional(
        &mut self,
        op: &Op,
        calls: &FxHashMap<Pos, Value>,
        olds: &FxHashMap<Pos, Value>,
        out: &mut Vec<Op>,
    ) {
        let bars: Vec<(usize, Value)> = (0..op.results.len())
            .filter_map(|k| self.assemble(op.results[k], out).map(|bar| (k, bar)))
            .collect();
        let mut arms = Vec::new();
        for block in op.blocks.iter().filter(|b| !b.diverges) {
            let seeds = bars
                .iter()
                .map(|&(k, bar)| (block.yields[k], bar))
                .collect();
            arms.push(self.reverse_block(block, Scope::new(ScopeKind::Arm), seeds, calls, olds));
        }
        let touched = touched(&arms);
        if touched.is_empty()
            && arms
                .iter()
                .all(|(block, _)| block.ops.iter().all(Op::is_pure))
        {
            return;
        }
        let bars = self.join_arms(&touched, &mut arms, op.pos);
        let Some(&residual) = calls.get(&op.pos) else {
            return;
        };
        let mut args = Vec::new();
        let kind = match &op.kind {
            Kind::If if op.blocks.iter().all(|b| !b.diverges) => {
                args.push(self.need(op.args[0], op.pos, out));
                Kind::If
            }
            _ => Kind::Switch,
        };
        args.push(self.need(residual, op.pos, out));
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let results = bars.iter().map(|&(_, bar)| bar).collect();
        build.push(kind, args, results).blocks = arms.into_iter().map(|(block, _)| block).collect();
        out.append(&mut build.ops);
        for (v, result) in bars {
            let existed = self.top().adj.remove(&v).is_some();
            if existed {
                self.top().adj.insert(v, result);
            } else {
                self.accumulate(v, result, out);
            }
        }
    }

    /// Each arm yields the adjoint of each outer value that some arm adds to; the values, with the results that have these.
    pub(super) fn join_arms(
        &mut self,
        touched: &[Value],
        arms: &mut [(Block, Scope)],
        at: Pos,
    ) -> Vec<(Value, Value)> {
        let mut results = Vec::new();
        for &v in touched {
            let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
            let existing = self.top().adj.get(&v).copied();
            for (block, scope) in &mut *arms {
                let bar = match scope.adj.get(&v).copied().or(existing) {
                    Some(bar) => bar,
                    None => {
                        let mut ops = Vec::new();
                        self.scopes.push(Scope::new(ScopeKind::Arm));
                        self.top().needs.clone_from(&scope.needs);
                        let zero = self.zero(v, at, &mut ops);
                        self.scopes.pop();
                        block.ops.append(&mut ops);
                        zero
                    }
                };
                block.yields.push(bar);
            }
            results.push((v, self.func.value(hint, ty)));
        }
        results
    }

    pub(super) fn reverse_loop(
        &mut self,
        op: &Op,
        head: &For,
        calls: &FxHashMap<Pos, Value>,
        olds: &FxHashMap<Pos, Value>,
        out: &mut Vec<Op>,
    ) {
        let at = op.pos;
        let block = &op.blocks[0];
        if block.diverges {
            return;
        }
        let slots = self.activity.slots(op);
        let bars: Vec<Option<Value>> = (0..op.results.len())
            .map(|k| self.assemble(op.results[k], out))
            .collect();
        let mut scope = Scope::new(ScopeKind::Loop);
        let mut inductions = Vec::new();
        let mut args = Vec::new();
        let domain = match &head.domain {
            Domain::Range {
                inclusive,
                reversed,
            } => {
                args.push(self.need(op.args[0], at, out));
                args.push(self.need(op.args[1], at, out));
                if let Some(&rounds) = calls.get(&at) {
                    args.push(self.need(rounds, at, out));
                }
                let old = block.params[0];
                let (ty, hint) = (self.func.ty(old).clone(), self.func.hint(old).to_owned());
                let again = self.func.value(hint, ty);
                self.func.copies.insert(again, old);
                scope.needs.insert(old, again);
                inductions.push(again);
                if op.exits() {
                    Domain::Taken {
                        inclusive: *inclusive,
                        reversed: *reversed,
                    }
                } else {
                    Domain::Range {
                        inclusive: *inclusive,
                        reversed: !*reversed,
                    }
                }
            }
            Domain::Verbatim { .. } | Domain::Count | Domain::Taken { .. } | Domain::Forever => {
                let Some(&rounds) = calls.get(&at) else {
                    return;
                };
                args.push(self.need(rounds, at, out));
                inductions.push(self.func.value("round", Ty::Int));
                Domain::Count
            }
        };
        // Cotangents of the carried values.
        let mut carried = Vec::new();
        for &k in &slots {
            let param = block.params[head.inductions + k];
            let (ty, hint) = (
                self.func.ty(param).clone(),
                format!("d_{}", self.func.hint(param)),
            );
            let bar = self.func.value(hint, ty);
            let init = match bars[k] {
                Some(bar) => bar,
                None => self.zero(op.results[k], at, out),
            };
            carried.push((k, bar, init));
        }
        // A value that the body yields may be an outer one: its cotangent leaves through the scope like any other.
        let seeds = carried
            .iter()
            .map(|&(k, bar, _)| (block.yields[k], bar))
            .collect();
        let (mut reversed, mut scope) = self.reverse_block(block, scope, seeds, calls, olds);
        let mut yields = Vec::new();
        for &(k, ..) in &carried {
            let param = block.params[head.inductions + k];
            let bar = self.finish_component(param, &mut scope, &mut reversed.ops);
            let bar = match bar {
                Some(bar) => bar,
                None => {
                    let mut ops = Vec::new();
                    self.scopes.push(Scope::new(ScopeKind::Loop));
                    self.top().needs.clone_from(&scope.needs);
                    let zero = self.zero(param, at, &mut ops);
                    self.scopes.pop();
                    reversed.ops.append(&mut ops);
                    zero
                }
            };
            yields.push(bar);
        }
        let mut params = inductions.clone();
        params.extend(carried.iter().map(|&(_, bar, _)| bar));
        args.extend(carried.iter().map(|&(.., init)| init));
        let mut outer = Vec::new();
        for (v, param) in std::mem::take(&mut scope.outer) {
            let existing = self.top().adj.get(&v).copied();
            let init = match existing {
                Some(bar) => bar,
                None => self.zero(v, at, out),
            };
            params.push(param);
            args.push(init);
            yields.push(scope.adj[&v]);
            outer.push((v, existing.is_some()));
        }
        let results: Vec<Value> = params[inductions.len()..]
            .iter()
            .map(|&v| {
                let (ty, hint) = (self.func.ty(v).clone(), self.func.hint(v).to_owned());
                self.func.value(hint, ty)
            })
            .collect();
        reversed.params = params;
        reversed.yields = yields;
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build
            .push(
                Kind::For(For {
                    domain,
                    inductions: inductions.len(),
                    tape: None,
                    peeks: false,
                    onward: false,
                    counted: false,
                }),
                args,
                results.clone(),
            )
            .blocks = vec![reversed];
        out.append(&mut build.ops);
        // The adjoints that were carried through the loop take the place of those before it; the initial values add to them.
        let (of_carried, of_outer) = results.split_at(carried.len());
        for (&(v, existed), &bar) in outer.iter().zip(of_outer) {
            if existed {
                self.top().adj.insert(v, bar);
            } else {
                self.accumulate(v, bar, out);
            }
        }
        let inits = &op.args[head.domain.operands()..];
        for (&(k, ..), &bar) in carried.iter().zip(of_carried) {
            self.accumulate(inits[k], bar, out);
        }
    }
}

/// Outer values that some arm adds to.
pub(super) fn touched(arms: &[(Block, Scope)]) -> Vec<Value> {
    let mut out = Vec::new();
    for (_, scope) in arms {
        for &(v, _) in &scope.outer {
            if !out.contains(&v) {
                out.push(v);
            }
        }
    }
    out
}
