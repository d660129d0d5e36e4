//! Memory: what is done to a place is done to its tangent place.

use quote::quote;

use super::arithmetic::settle;
use super::{Cx, zero_of, zero_of_part};
use crate::build::Build;
use crate::ir::{Kind, Op, Origin, Path, Place, Ty, Value, Width};

impl Cx<'_> {
    pub(super) fn memory(&mut self, op: &Op, out: &mut Vec<Op>) {
        let mut after = Vec::new();
        // What is moved into memory may be asked for its zero before; the contents are changed together.
        let dot = self.on_tangents(op, out, &mut after);
        out.push(op.clone());
        out.append(&mut after);
        if let (Some(dot), Some(&y)) = (dot, op.results.first()) {
            self.bind(op, y, dot, out);
        }
    }

    /// The tangent place of an active place.
    fn dotted(&mut self, p: Place) -> Option<Place> {
        self.activity.place(p).then(|| self.tangent_place(p))
    }

    fn dotted_path(&mut self, path: &Path) -> Option<Path> {
        self.dotted(path.root).map(|root| path.on(root))
    }

    /// The tangent of the result; operations go before or after the one they belong to.
    fn on_tangents(&mut self, op: &Op, before: &mut Vec<Op>, after: &mut Vec<Op>) -> Option<Value> {
        match &op.kind {
            Kind::New(p) => {
                let dot = self.dotted(*p)?;
                let d = self.dot_or_zero(op.args[0], before);
                self.effect(op, Kind::New(dot), vec![d], after);
                None
            }
            Kind::NewZero(p) => {
                let dot = self.dotted(*p)?;
                self.effect(op, Kind::NewZero(dot), op.args.clone(), after);
                None
            }
            Kind::Load(path) => self.read(op, path, Kind::Load, after),
            Kind::Owned(path, method) => {
                self.read(op, path, |path| Kind::Owned(path, method), after)
            }
            Kind::TakeZero(path) => self.read(op, path, Kind::TakeZero, after),
            Kind::Take(p) => {
                let dot = self.dotted(*p)?;
                Some(self.result(op, Kind::Take(dot), Vec::new(), after))
            }
            Kind::Store(path) => {
                let part = self.func.through_field(path);
                let path = self.dotted_path(path)?;
                let zero = if part { zero_of_part } else { zero_of };
                let d = self.dot_or(zero, op.args[0], before);
                self.effect(op, Kind::Store(path), vec![d], before);
                None
            }
            Kind::Fill(path) => {
                let path = self.dotted_path(path)?;
                let d = self.dot_or_zero(op.args[0], before);
                self.effect(op, Kind::Fill(path), vec![d], before);
                None
            }
            Kind::AddTo(path) => {
                let path = self.dotted_path(path)?;
                let d = self.dot(op.args[0])?;
                self.effect(op, Kind::AddTo(path), vec![d], before);
                None
            }
            Kind::Replace(path) => {
                let path = self.dotted_path(path)?;
                let d = self.dot_or_zero(op.args[0], before);
                Some(self.result(op, Kind::Replace(path), vec![d], before))
            }
            // The operand is a zero to start with.
            Kind::SumZero(path) => {
                let path = self.dotted_path(path)?;
                let zero = self.dot_or_zero(op.args[0], after);
                Some(self.result(op, Kind::SumZero(path), vec![zero], after))
            }
            Kind::Copy(to, from) => {
                let to = self.dotted_path(to)?;
                match self.dotted_path(from) {
                    Some(from) => self.effect(op, Kind::Copy(to, from), Vec::new(), before),
                    None => self.clear(op, to, before),
                }
                None
            }
            Kind::Give(to, from) => {
                let from = self.dotted_path(from)?;
                match self.dotted_path(to) {
                    Some(to) => self.effect(op, Kind::Give(to, from), Vec::new(), before),
                    None => self.clear(op, from, before),
                }
                None
            }
            Kind::Swap(a, b) => {
                let (a, b) = (self.dotted_path(a)?, self.dotted_path(b)?);
                self.effect(op, Kind::Swap(a, b), Vec::new(), before);
                None
            }
            // The tangents change their length in the same way.
            Kind::Change(change, path) => {
                let field = self.func.through_field(path);
                let path = self.dotted_path(path)?;
                let mut args = op.args.clone();
                let kind = Kind::Change(*change, path);
                if change.adds() {
                    if let Some(content) = args.last_mut() {
                        *content = self.dot_or_zero(*content, before);
                    }
                    self.effect(op, kind, args, before);
                    None
                } else {
                    let dot = self.result(op, kind, args, after);
                    Some(self.part(op.results[0], field, dot, after))
                }
            }
            _ => None,
        }
    }

    fn read(
        &mut self,
        op: &Op,
        path: &Path,
        kind: impl Fn(Path) -> Kind,
        out: &mut Vec<Op>,
    ) -> Option<Value> {
        // Without a result that matters, it is read for its effect alone.
        let silent = matches!(op.kind, Kind::Load(_) | Kind::Owned(..));
        if silent && !self.activity.value(op.results[0]) {
            return None;
        }
        let y = op.results[0];
        let field = self.func.through_field(path);
        let path = self.dotted_path(path)?;
        let dot = self.result(op, kind(path), Vec::new(), out);
        Some(self.part(y, field && silent, dot, out))
    }

    /// The tangent of `y`, which comes from a field that its struct may have declared a constant.
    fn part(&mut self, y: Value, field: bool, dot: Value, out: &mut Vec<Op>) -> Value {
        if !field || self.func.ty(y).is_inert() {
            return dot;
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let dot = settle(&mut build, y, dot);
        out.append(&mut build.ops);
        dot
    }

    /// Sets a part of a tangent place to zero.
    fn clear(&mut self, op: &Op, path: Path, out: &mut Vec<Op>) {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let zero = build.literal(quote!(0.0), Ty::Float(Width::Any));
        out.append(&mut build.ops);
        self.dotted.insert(zero);
        self.effect(op, Kind::Fill(path), vec![zero], out);
    }

    fn effect(&mut self, op: &Op, kind: Kind, args: Vec<Value>, out: &mut Vec<Op>) {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        build.push(kind, args, Vec::new());
        out.append(&mut build.ops);
    }

    /// The tangent of the operation's one result.
    fn result(&mut self, op: &Op, kind: Kind, args: Vec<Value>, out: &mut Vec<Op>) -> Value {
        let dot = self.fresh(op.results[0]);
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        build.push(kind, args, vec![dot]);
        out.append(&mut build.ops);
        dot
    }
}
