//! Adjoints and needs: what is known in a block of the reverse sweep, and how it adds up.

use quote::quote;

use super::{Cx, LAST, Scope, ScopeKind, is_known, need_op};
use crate::build::Build;
use crate::ir::{Kind, Op, Origin, Part, Path, Place, Pos, Shape, Ty, Value, Width};

impl Cx<'_> {
    pub(super) fn shape_of(&mut self, path: Path, pos: Pos, out: &mut Vec<Op>) -> Value {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let shape = build.op(Kind::ShapeOf(path), Vec::new(), Ty::Inert, "shape");
        for op in &mut build.ops {
            op.pos = pos;
        }
        out.append(&mut build.ops);
        shape
    }

    pub(super) fn make_shadow(
        &mut self,
        p: Place,
        shape: Option<Value>,
        at: Pos,
        out: &mut Vec<Op>,
    ) {
        let shadow = self.shadow(p);
        let known = is_known(&self.func.at(p).ty);
        let shape = match shape {
            Some(shape) => Some(self.need(shape, at, out)),
            // An owned parameter is there to ask.
            None if !known => Some(self.shape_of(Path::whole(p), 0, out)),
            None => None,
        };
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.push(
            Kind::NewZero(shadow),
            shape.into_iter().collect(),
            Vec::new(),
        );
        out.append(&mut build.ops);
    }

    /// The primal value `v`, as it is known in the reverse sweep.
    pub(super) fn need(&mut self, v: Value, at: Pos, out: &mut Vec<Op>) -> Value {
        if let Some(&known) = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.needs.get(&v))
        {
            return known;
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let known = need_op(&mut build, v, at);
        out.append(&mut build.ops);
        self.top().needs.insert(v, known);
        known
    }

    pub(super) fn need_path(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) -> Path {
        let mut path = path.clone();
        for v in path.values_mut() {
            *v = self.need(*v, at, out);
        }
        path
    }

    pub(super) fn shadow_path(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) -> Path {
        let root = self.shadow(path.root);
        self.need_path(path, at, out).on(root)
    }

    /// A zero to start the adjoint of `v` with.
    pub(super) fn zero(&mut self, v: Value, at: Pos, out: &mut Vec<Op>) -> Value {
        if self.func.ty(v).is_float() {
            let ty = self.func.ty(v).clone();
            let mut build = Build::new(&mut self.func, Origin::Derived);
            let zero = build.zero(ty);
            out.append(&mut build.ops);
            return zero;
        }
        let need = self.need(v, at, out);
        let ty = self.func.ty(v).clone();
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let zero = build.op(Kind::ZeroLike, vec![need], ty, "");
        out.append(&mut build.ops);
        zero
    }

    /// Adds `c` to the adjoint of `v`.
    pub(super) fn accumulate(&mut self, v: Value, c: Value, out: &mut Vec<Op>) {
        if !self.activity.value(v) || self.known.contains(&v) {
            return;
        }
        self.name_adjoint(c, v);
        let depth = self.depth();
        let local = self.levels.get(&v).is_none_or(|&level| level == depth);
        let mut known = self.scopes[depth].adj.get(&v).copied();
        if known.is_none() && !local {
            match self.scopes[depth].kind {
                ScopeKind::Loop => {
                    let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
                    let param = self.func.value(hint, ty);
                    self.top().outer.push((v, param));
                    known = Some(param);
                }
                ScopeKind::Arm | ScopeKind::Segment => {
                    known = self.scopes[..depth]
                        .last()
                        .and_then(|parent| parent.adj.get(&v).copied());
                    self.top().outer.push((v, v));
                }
            }
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let total = build.sum(known, c);
        out.append(&mut build.ops);
        self.name_adjoint(total, v);
        self.top().adj.insert(v, total);
    }

    pub(super) fn name_adjoint(&mut self, bar: Value, v: Value) {
        let hint = self.func.hint(v).to_owned();
        let user = self.func.ty(v).is_user();
        let data = &mut self.func.values[bar.0 as usize];
        if data.hint.is_empty() && !hint.is_empty() {
            data.hint = format!("d_{hint}");
        }
        let better = matches!(data.ty, Ty::Unknown | Ty::User)
            || matches!(data.ty, Ty::Float(Width::Any)) && !user;
        if better {
            let ty = self.func.ty(v).clone();
            self.func.values[bar.0 as usize].ty = ty;
        }
    }

    /// The cotangent of a result, removed from the scope.
    pub(super) fn take(&mut self, y: Value) -> Option<Value> {
        self.top().adj.remove(&y)
    }

    pub(super) fn derived(
        &mut self,
        kind: Kind,
        args: Vec<Value>,
        ty: Ty,
        out: &mut Vec<Op>,
    ) -> Value {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let v = build.op(kind, args, ty, "");
        out.append(&mut build.ops);
        v
    }

    pub(super) fn effect(&mut self, kind: Kind, args: Vec<Value>, out: &mut Vec<Op>) {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.push(kind, args, Vec::new());
        out.append(&mut build.ops);
    }

    pub(super) fn restore(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) {
        let needed = self.need_path(path, at, out);
        self.undo(Kind::Store(needed), Vec::new(), at, out);
    }

    /// Undoes the operation at `at` by its inverse, should the memory be read again.
    pub(super) fn undo(&mut self, inverse: Kind, args: Vec<Value>, at: Pos, out: &mut Vec<Op>) {
        self.effect(Kind::Undo(Box::new(inverse), at), args, out);
    }

    /// Keeps the cotangent of one component until the tuple itself is reached.
    pub(super) fn component(&mut self, tuple: Value, part: &Part, bar: Value, out: &mut Vec<Op>) {
        if !self.activity.value(tuple) {
            return;
        }
        let depth = self.depth();
        let local = self.levels.get(&tuple).is_none_or(|&level| level == depth);
        let known = match (self.func.ty(tuple), part) {
            (Ty::Tuple(parts), Part::At(k)) => Some((parts.clone(), *k as usize)),
            _ => None,
        };
        match known {
            Some((parts, k)) if local => {
                let old = self
                    .top()
                    .components
                    .entry(tuple)
                    .or_insert_with(|| vec![None; parts.len()])[k];
                let mut build = Build::new(&mut self.func, Origin::Derived);
                let total = build.sum(old, bar);
                out.append(&mut build.ops);
                if let Some(slots) = self.top().components.get_mut(&tuple) {
                    slots[k] = Some(total);
                }
            }
            _ => {
                let ty = self.func.ty(tuple).clone();
                let zero = self.zero(tuple, LAST, out);
                let whole =
                    self.derived(Kind::WithComponent(part.clone()), vec![zero, bar], ty, out);
                self.accumulate(tuple, whole, out);
            }
        }
    }

    /// The whole cotangent of a value that may have been taken apart.
    pub(super) fn assemble(&mut self, y: Value, out: &mut Vec<Op>) -> Option<Value> {
        if let Some(slots) = self.top().components.remove(&y) {
            let parts = match self.func.ty(y) {
                Ty::Tuple(parts) => parts.clone(),
                _ => vec![Ty::Unknown; slots.len()],
            };
            let plain = parts.iter().zip(&slots).all(|(ty, slot)| {
                slot.is_some() || ty.is_float() || matches!(ty, Ty::Int | Ty::Bool)
            });
            let whole = if plain {
                let mut build = Build::new(&mut self.func, Origin::Derived);
                let args = slots
                    .iter()
                    .zip(&parts)
                    .map(|(slot, ty)| match slot {
                        Some(v) => *v,
                        None if ty.is_float() => build.literal(quote!(0.0), ty.clone()),
                        None => build.literal(quote!(()), Ty::Inert),
                    })
                    .collect();
                let whole = build.op(Kind::Aggregate(Shape::Tuple), args, Ty::Tuple(parts), "");
                out.append(&mut build.ops);
                whole
            } else {
                let mut whole = self.zero(y, LAST, out);
                for (k, slot) in slots.into_iter().enumerate() {
                    if let Some(bar) = slot {
                        whole = self.derived(
                            Kind::WithComponent(k.into()),
                            vec![whole, bar],
                            Ty::Tuple(parts.clone()),
                            out,
                        );
                    }
                }
                whole
            };
            self.accumulate(y, whole, out);
        }
        self.take(y)
    }

    /// The cotangent of a block's parameter at the end of the block's reverse.
    pub(super) fn finish_component(
        &mut self,
        param: Value,
        scope: &mut Scope,
        ops: &mut Vec<Op>,
    ) -> Option<Value> {
        if scope.components.contains_key(&param) {
            let kind = scope.kind;
            self.scopes.push(std::mem::replace(scope, Scope::new(kind)));
            let whole = self.assemble(param, ops);
            *scope = self.scopes.pop().unwrap_or_else(|| Scope::new(kind));
            return whole;
        }
        scope.adj.get(&param).copied()
    }
}
