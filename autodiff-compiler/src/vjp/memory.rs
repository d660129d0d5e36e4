//! The reverse of operations that change more than one element, or a length.

use quote::quote;

use super::Cx;
use crate::ir::{Change, Kind, Op, Path, Ty, Value, Width};

impl Cx<'_> {
    /// The reverse of one such operation.
    pub(super) fn reverse_memory(&mut self, op: &Op, out: &mut Vec<Op>) {
        let at = op.pos;
        match &op.kind {
            Kind::Change(change, path) => self.reverse_change(*change, path, op, out),
            // P.π ↔ Q.ρ   ⇒   P̄.π ↔ Q̄.ρ
            Kind::Swap(a, b) => {
                if self.activity.place(a.root) || self.activity.place(b.root) {
                    let shadows = (self.shadow_path(a, at, out), self.shadow_path(b, at, out));
                    self.effect(Kind::Swap(shadows.0, shadows.1), Vec::new(), out);
                }
                let (a, b) = (self.need_path(a, at, out), self.need_path(b, at, out));
                self.undo(Kind::Swap(a, b), Vec::new(), at, out);
            }
            // P.r ← Q.s   ⇒   Q̄.s += P̄.r, P̄.r = 0
            Kind::Copy(to, from) => {
                if self.activity.place(to.root) {
                    let shadow = self.shadow_path(to, at, out);
                    if self.activity.place(from.root) {
                        let source = self.shadow_path(from, at, out);
                        self.effect(Kind::Give(source, shadow), Vec::new(), out);
                    } else {
                        let (zero, ty) = (Kind::Lit(quote!(0.0)), Ty::Float(Width::Any));
                        let zero = self.derived(zero, Vec::new(), ty, out);
                        self.effect(Kind::Fill(shadow), vec![zero], out);
                    }
                }
                self.restore(to, at, out);
            }
            // P.r ← v   ⇒   v̄ += Σ P̄.r, P̄.r = 0
            Kind::Fill(path) => {
                let v = op.args[0];
                if self.activity.place(path.root) {
                    let shadow = self.shadow_path(path, at, out);
                    let ty = self.func.ty(v).clone();
                    let (zero, any) = (Kind::Lit(quote!(0.0)), Ty::Float(Width::Any));
                    let zero = self.derived(zero, Vec::new(), any, out);
                    if self.activity.value(v) {
                        let bar = self.derived(Kind::SumZero(shadow), vec![zero], ty, out);
                        self.restore(path, at, out);
                        self.accumulate(v, bar, out);
                        return;
                    }
                    self.effect(Kind::Fill(shadow), vec![zero], out);
                }
                self.restore(path, at, out);
            }
            _ => unreachable!("no operation on memory"),
        }
    }

    /// Undoes what code without derivatives may have changed, should a pullback read it again.
    pub(super) fn undo_whole(&mut self, op: &Op, out: &mut Vec<Op>) {
        for p in op.stores() {
            if self.lent.contains(&p) {
                self.restore(&Path::whole(p), op.pos, out);
            }
        }
    }

    /// P grows by v   ⇒   v̄ += what the inverse takes from P̄;   y is taken from P   ⇒   the inverse gives ȳ to P̄.
    fn reverse_change(&mut self, change: Change, path: &Path, op: &Op, out: &mut Vec<Op>) {
        let at = op.pos;
        let inverse = change.inverse();
        let (position, content): (&[Value], Value) = match op.args.split_last() {
            Some((&content, position)) if change.adds() => (position, content),
            _ => (&op.args, op.results[0]),
        };
        let ty = self.func.ty(content).clone();
        let position: Vec<Value> = position.iter().map(|&v| self.need(v, at, out)).collect();
        let bar = if change.adds() {
            None
        } else {
            self.assemble(content, out)
        };
        let mut given = None;
        if self.activity.place(path.root) {
            let shadow = self.shadow_path(path, at, out);
            let mut args = position.clone();
            if change.adds() {
                let kind = Kind::Change(inverse, shadow);
                let mut bar = self.derived(kind, args, ty.clone(), out);
                if self.func.through_field(path) {
                    bar = self.settled(op, op.args.len() - 1, bar, out);
                }
                given = Some(bar);
            } else {
                args.push(match bar {
                    Some(bar) => bar,
                    None => self.zero(content, at, out),
                });
                self.effect(Kind::Change(inverse, shadow), args, out);
            }
        }
        let path = self.need_path(path, at, out);
        let mut args = position;
        let mut undo = Op {
            kind: Kind::Undo(Box::new(Kind::Change(inverse, path)), at),
            args: Vec::new(),
            results: Vec::new(),
            blocks: Vec::new(),
            origin: crate::ir::Origin::Derived,
            span: op.span,
            pos: 0,
        };
        if change.adds() {
            undo.results.push(self.func.value("", ty));
        } else {
            args.push(self.need(content, at, out));
        }
        undo.args = args;
        out.push(undo);
        if let Some(bar) = given {
            self.accumulate(content, bar, out);
        }
    }
}
