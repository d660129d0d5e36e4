//! The reverse of each operation without regions or calls.

use rustc_hash::FxHashMap;

use quote::quote;

use super::{Cx, Seed, is_known, need_op};
use crate::build::{Build, Operand};
use crate::ir::{
    Conversion, Fold, Kind, Map, Op, Operator, Origin, Path, Pos, Prim, Shape, Side, Storage, To,
    Ty, Value, Width,
};
use crate::maps::{Backward, pair, tied};
use crate::rules;

impl Cx<'_> {
    /// The reverse of one operation.
    pub(super) fn reverse(
        &mut self,
        op: &Op,
        calls: &FxHashMap<Pos, Value>,
        olds: &FxHashMap<Pos, Value>,
        out: &mut Vec<Op>,
    ) {
        let at = op.pos;
        match &op.kind {
            // These have no derivative.
            Kind::Lit(_)
            | Kind::Compare(_)
            | Kind::Len(_)
            | Kind::Check(_)
            | Kind::Walked(_)
            | Kind::ShapeOf(_)
            | Kind::ZeroLike
            | Kind::ZeroPart
            | Kind::Zero
            | Kind::Leave
            | Kind::Until
            | Kind::AssertSame
            | Kind::Absorbed { .. } => {}
            Kind::Opaque(_) => self.undo_whole(op, out),
            Kind::Prim(prim) => {
                if let Some(bar) = self.assemble(op.results[0], out) {
                    self.reverse_prim(*prim, op, bar, out);
                }
            }
            // y = f(a, b)   ⇒   (ca, cb) = f'(a, b, ȳ), ā += ca, b̄ += cb
            Kind::Map(_) => {
                if let Some(bar) = self.assemble(op.results[0], out) {
                    self.reverse_map(op, bar, out);
                }
            }
            // y = x as T   ⇒   x̄ += ȳ as the type of x
            Kind::Cast(..) | Kind::CastLike => {
                if let Some(bar) = self
                    .take(op.results[0])
                    .filter(|_| self.activity.value(op.args[0]))
                {
                    let x = op.args[0];
                    let ty = self.func.ty(x).clone();
                    let back = match ty {
                        Ty::Float(Width::F64) => {
                            let cast = Kind::Cast(quote!(f64), ty.clone(), Conversion::As);
                            self.derived(cast, vec![bar], ty, out)
                        }
                        Ty::Float(Width::F32) => {
                            let cast = Kind::Cast(quote!(f32), ty.clone(), Conversion::As);
                            self.derived(cast, vec![bar], ty, out)
                        }
                        ty => {
                            let x = self.need(x, at, out);
                            self.derived(Kind::CastLike, vec![bar, x], ty, out)
                        }
                    };
                    self.accumulate(x, back, out);
                }
            }
            Kind::Aggregate(shape) => self.reverse_aggregate(shape, op, out),
            // y = x   ⇒   x̄ += ȳ as the code leaves it
            Kind::Watch { code, .. } => {
                if let Some(bar) = self.assemble(op.results[0], out) {
                    let mut args = vec![bar];
                    for &v in &op.args[1..] {
                        args.push(self.need(v, at, out));
                    }
                    let ty = self.func.ty(op.args[0]).clone();
                    let code = code.clone();
                    let bar = self.derived(Kind::Watch { code, back: true }, args, ty, out);
                    self.accumulate(op.args[0], bar, out);
                }
            }
            // y = v.k   ⇒   v̄.k += ȳ
            Kind::Component(k) | Kind::WithComponent(k) => {
                if let Some(bar) = self.assemble(op.results[0], out) {
                    self.component(op.args[0], k, bar, out);
                }
            }
            // y = payload of o   ⇒   ō += some ȳ
            Kind::Payload => {
                if let Some(bar) = self.assemble(op.results[0], out) {
                    let ty = Ty::Option(Box::new(self.func.ty(op.results[0]).clone()));
                    let some = self.derived(Kind::Aggregate(Shape::Some), vec![bar], ty, out);
                    self.accumulate(op.args[0], some, out);
                }
            }
            Kind::Element(_)
            | Kind::SumElements
            | Kind::Take(_)
            | Kind::NewZero(_)
            | Kind::TakeZero(_)
            | Kind::Replace(_)
            | Kind::Switch
            | Kind::Need(_)
            | Kind::Give(..)
            | Kind::SumZero(_)
            | Kind::Undo(..)
            | Kind::Mark => {
                unreachable!("an operation of the reverse sweep in a primal")
            }
            // P ← v   ⇒   v̄ += P̄
            Kind::New(p) => {
                if self.activity.place(*p) && self.activity.value(op.args[0]) {
                    let shadow = self.shadow(*p);
                    let ty = self.func.at(*p).ty.clone();
                    let bar = self.derived(Kind::Take(shadow), Vec::new(), ty, out);
                    self.accumulate(op.args[0], bar, out);
                }
            }
            // y = P.π   ⇒   P̄.π += ȳ
            Kind::Load(path) | Kind::Owned(path, _) => {
                let bar = self.assemble(op.results[0], out);
                if let Some(bar) = bar.filter(|_| self.activity.place(path.root)) {
                    let loaded = matches!(op.kind, Kind::Load(_));
                    let path = self.shadow_path(path, at, out);
                    // Whoever gives a seed may have given one of other lengths, which adding it would find.
                    let fits = match self.func.ty(bar) {
                        Ty::Vec(of) => of.is_plain(),
                        // One that comes late was added to a zero of the caller's.
                        Ty::User => self.seed == Seed::Late,
                        _ => false,
                    };
                    let own = fits || out.iter().any(|op| op.results.contains(&bar));
                    let kind = match self.begun(&path, out).filter(|_| loaded && own) {
                        Some(begun) => start(begun, path, out),
                        None => Kind::AddTo(path),
                    };
                    self.effect(kind, vec![bar], out);
                }
            }
            // P.π ← v   ⇒   v̄ += P̄.π, P̄.π = 0, even where v is inactive
            Kind::Store(path) => {
                if self.activity.place(path.root) {
                    let v = op.args[0];
                    let ty = self.func.ty(v).clone();
                    let shadow = self.shadow_path(path, at, out);
                    let mut bar = match olds.get(&at) {
                        Some(&shape) => {
                            let shape = self.need(shape, at, out);
                            let zero = self.derived(Kind::Zero, vec![shape], ty.clone(), out);
                            self.derived(Kind::Replace(shadow), vec![zero], ty, out)
                        }
                        None => self.derived(Kind::TakeZero(shadow), Vec::new(), ty, out),
                    };
                    if self.func.through_field(path) {
                        bar = self.settled(op, 0, bar, out);
                    }
                    self.restore(path, at, out);
                    self.accumulate(v, bar, out);
                } else {
                    self.restore(path, at, out);
                }
            }
            // P.π += v   ⇒   v̄ += P̄.π
            Kind::AddTo(path) => {
                if self.activity.place(path.root) && self.activity.value(op.args[0]) {
                    let ty = self.func.ty(op.args[0]).clone();
                    let shadow = self.shadow_path(path, at, out);
                    let field = self.func.through_field(path);
                    let mut bar = self.derived(Kind::Load(shadow), Vec::new(), ty, out);
                    if field {
                        bar = self.settled(op, 0, bar, out);
                    }
                    self.restore(path, at, out);
                    self.accumulate(op.args[0], bar, out);
                } else {
                    self.restore(path, at, out);
                }
            }
            Kind::Change(..) | Kind::Swap(..) | Kind::Copy(..) | Kind::Fill(_) => {
                self.reverse_memory(op, out);
            }
            Kind::Call(_) => self.reverse_call(op, calls, out),
            Kind::If | Kind::Match(..) => {
                self.reverse_conditional(op, calls, olds, out);
                self.undo_whole(op, out);
            }
            Kind::For(head) => {
                self.reverse_loop(op, head, calls, olds, out);
                self.undo_whole(op, out);
            }
        }
    }

    /// The operation of this block that left a zero in a whole shadow, if nothing has been added to it since.
    fn begun(&self, path: &Path, out: &[Op]) -> Option<usize> {
        let data = self.func.at(path.root);
        let variable = matches!(data.storage, Storage::Local | Storage::Owned) && !data.borrows;
        // A list, or what may be one: of numbers alone there is nothing to gain.
        if !path.steps.is_empty() || !variable || is_known(&data.ty) {
            return None;
        }
        let at = out.iter().rposition(|op| op.mentions(path.root))?;
        let zero = |v| {
            let made = out.iter().rfind(|op| op.results.contains(v));
            made.is_some_and(|op| matches!(op.kind, Kind::Zero))
        };
        let begins = match &out[at].kind {
            Kind::NewZero(_) => true,
            Kind::Replace(whole) => whole.steps.is_empty() && out[at].args.iter().all(zero),
            _ => false,
        };
        begins.then_some(at)
    }

    /// The kernel that will give the cotangents of the operands, the shapes of those whose entries it does not read, and what it is given beside them.
    pub(super) fn pull(&mut self, map: &Map, op: &Op, new: &mut Op, out: &mut Vec<Op>) {
        let wanted: Vec<bool> = op.args.iter().map(|&v| self.activity.value(v)).collect();
        let Backward {
            map: back,
            kept,
            remembered,
        } = map.backward(&wanted);
        for (at, &k) in kept.iter().enumerate() {
            if k < op.args.len() && !back.reads(at) {
                self.shape_of_operand(op, k, out);
            }
        }
        // What is remembered may be the result.
        let y = map.func.body.yields[0];
        let is_result = |v: Value| v == y && map.to[0] == To::Entries;
        let beside: Vec<Value> = (remembered.iter().copied())
            .filter(|&v| !is_result(v))
            .collect();
        let depth = self.depth();
        let mut result = |hint: &str, ty: Ty| {
            let given = self.func.value(hint, ty);
            self.levels.insert(given, depth);
            new.results.push(given);
            given
        };
        let given = remembered.iter().map(|&v| match v {
            v if is_result(v) => op.results[0],
            v => result(map.func.hint(v), Ty::User),
        });
        let mut given: Vec<Value> = given.collect();
        if map.divides_by().is_some() {
            given.push(result("count", map.func.ty(y).clone()));
        }
        new.kind = Kind::Map(map.remembering(&beside));
        self.pulled.insert(op.results[0], (back, kept, given));
    }

    /// The cotangents of the operands of a kernel, by another.
    fn reverse_map(&mut self, op: &Op, bar: Value, out: &mut Vec<Op>) {
        if let Kind::Map(map) = &op.kind {
            if let Some(axis) = map.most() {
                return self.reverse_most(op, map, axis, bar, out);
            }
        }
        let Some((map, kept, given)) = self.pulled.get(&op.results[0]).cloned() else {
            return;
        };
        let wanted: Vec<bool> = op.args.iter().map(|&v| self.activity.value(v)).collect();
        self.name_adjoint(bar, op.results[0]);
        let bar = match &op.kind {
            Kind::Map(map) if map.divides_by().is_some() => {
                let count = self.need(given[given.len() - 1], op.pos, out);
                let ty = self.func.ty(op.results[0]).clone();
                let kind = match map.to[0] {
                    To::Mean => Kind::Prim(Prim::Div),
                    _ => Kind::Map(pair(&map.number, Prim::Div, "mean")),
                };
                self.derived(kind, vec![bar, count], ty, out)
            }
            _ => bar,
        };
        let args = kept.iter().map(|&k| {
            let Some(&v) = op.args.get(k) else {
                return match k - op.args.len() {
                    0 => bar,
                    k => self.need(given[k - 1], op.pos, out),
                };
            };
            let Some(&shape) = self.shapes.get(&(op.pos, k)) else {
                return self.need(v, op.pos, out);
            };
            let shape = self.need(shape, op.pos, out);
            let ty = self.func.ty(v).clone();
            let zero = self.derived(Kind::Zero, vec![shape], ty, out);
            self.func.values[zero.0 as usize].tensor = self.func.values[v.0 as usize].tensor;
            zero
        });
        let args: Vec<Value> = args.collect();
        let active: Vec<Value> = (op.args.iter().zip(wanted))
            .filter(|(_, wanted)| *wanted)
            .map(|(&v, _)| v)
            .collect();
        let bars: Vec<Value> = (active.iter())
            .map(|&v| self.func.value("", self.func.ty(v).clone()))
            .collect();
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        build.push(Kind::Map(map), args, bars.clone());
        out.append(&mut build.ops);
        for (v, bar) in active.into_iter().zip(bars) {
            self.accumulate(v, bar, out);
        }
    }

    /// Those that are tied share what comes for the largest.
    fn reverse_most(&mut self, op: &Op, map: &Map, axis: isize, bar: Value, out: &mut Vec<Op>) {
        let (x, y, number) = (op.args[0], op.results[0], &map.number);
        let ty = self.func.ty(y).clone();
        let [entries, most] = [x, y].map(|v| self.need(v, op.pos, out));
        let count = Kind::Map(tied(number, To::Along(Fold::Sum, axis), false));
        let count = self.derived(count, vec![entries, most], ty.clone(), out);
        let share = Kind::Map(pair(number, Prim::Div, "max"));
        let share = self.derived(share, vec![bar, count], ty, out);
        let back = Kind::Map(tied(number, To::Like(0), true));
        let ty = self.func.ty(x).clone();
        let back = self.derived(back, vec![entries, most, share], ty, out);
        self.accumulate(x, back, out);
    }

    pub(super) fn reverse_prim(&mut self, prim: Prim, op: &Op, bar: Value, out: &mut Vec<Op>) {
        let at = op.pos;
        let (args, y) = (&op.args, op.results[0]);
        let active: Vec<bool> = args.iter().map(|&v| self.activity.value(v)).collect();
        self.name_adjoint(bar, y);
        let unary = |cx: &mut Self, prim: Prim, args: Vec<Value>, out: &mut Vec<Op>| {
            let mut build = Build::new(&mut cx.func, Origin::Derived);
            build.span = op.span;
            let v = build.prim(prim, args, "");
            out.append(&mut build.ops);
            v
        };
        match prim {
            // y = a + b   ⇒   ā += ȳ, b̄ += ȳ
            Prim::Add => {
                for (k, &v) in args.iter().enumerate().filter(|(k, _)| active[*k]) {
                    debug_assert!(k < 2);
                    self.accumulate(v, bar, out);
                }
            }
            // y = a − b   ⇒   ā += ȳ, b̄ −= ȳ
            Prim::Sub => {
                if active[0] {
                    self.accumulate(args[0], bar, out);
                }
                if active[1] {
                    let c = unary(self, Prim::Neg, vec![bar], out);
                    self.accumulate(args[1], c, out);
                }
            }
            // y = a b   ⇒   ā += ȳ b, b̄ += ȳ a
            Prim::Mul => {
                let times = if self.func.strong {
                    Prim::Zmul
                } else {
                    Prim::Mul
                };
                for k in (0..2).filter(|&k| active[k]) {
                    let other = self.need(args[1 - k], at, out);
                    let c = unary(self, times, vec![bar, other], out);
                    self.accumulate(args[k], c, out);
                }
            }
            // y = a / b   ⇒   q = ȳ / b, ā += q, b̄ −= q y
            Prim::Div => {
                let b = self.need(args[1], at, out);
                let q = unary(self, Prim::Sdiv, vec![bar, b], out);
                if active[0] {
                    self.accumulate(args[0], q, out);
                }
                if active[1] {
                    let y = self.need(y, at, out);
                    let p = unary(self, Prim::Smul, vec![q, y], out);
                    let c = unary(self, Prim::Neg, vec![p], out);
                    self.accumulate(args[1], c, out);
                }
            }
            Prim::Neg => {
                let c = unary(self, Prim::Neg, vec![bar], out);
                self.accumulate(args[0], c, out);
            }
            Prim::Operator(operator) => {
                for k in (0..args.len()).filter(|&k| active[k]) {
                    let Some(&kept) = self.kept.get(&(y, k)) else {
                        continue;
                    };
                    let kept = self.need(kept, at, out);
                    let ty = self.func.ty(args[k]).clone();
                    let back = Kind::Prim(Prim::Back(operator, Side::of(k)));
                    let mut build = Build::new(&mut self.func, Origin::Derived);
                    build.span = op.span;
                    let c = build.op(back, vec![kept, bar], ty, "");
                    out.append(&mut build.ops);
                    self.accumulate(args[k], c, out);
                }
            }
            // The field may be declared a constant, which has no place for a cotangent.
            Prim::Number => {
                let mut build = Build::new(&mut self.func, Origin::Derived);
                build.span = op.span;
                let c = build.op(Kind::Prim(Prim::Number), vec![bar], Ty::User, "");
                out.append(&mut build.ops);
                self.accumulate(args[0], c, out);
            }
            Prim::Smul
            | Prim::Select
            | Prim::Zmul
            | Prim::Absorb(_)
            | Prim::Sdiv
            | Prim::Settle
            | Prim::Shape
            | Prim::Keep(..)
            | Prim::Back(..)
            | Prim::Fore(..)
            | Prim::DotKeep(..)
            | Prim::DotBack(..) => {
                unreachable!("an operation of the reverse sweep in a primal")
            }
            // y = linked(v, x…, p…)   ⇒   x̄ += ȳ p
            Prim::Linked => {
                for (k, partial) in Prim::linked(args.len()).filter(|&(k, _)| active[k]) {
                    let p = self.need(args[partial], at, out);
                    let c = unary(self, Prim::Smul, vec![bar, p], out);
                    self.accumulate(args[k], c, out);
                }
            }
            Prim::Rule(row) => {
                for k in 0..args.len() {
                    if !active[k] || rules::rule(row).integer[k] {
                        continue;
                    }
                    let mut build = Build::new(&mut self.func, Origin::Derived);
                    build.span = op.span;
                    let mut placeholders: Vec<(Value, Value)> = Vec::new();
                    let c = build.contribution(row, k, bar, &mut |build, operand| {
                        let v = match operand {
                            Operand::Arg(k) => args[k],
                            Operand::Result => y,
                        };
                        if let Some((_, known)) = placeholders.iter().find(|(old, _)| *old == v) {
                            return *known;
                        }
                        let known = need_op(build, v, at);
                        placeholders.push((v, known));
                        known
                    });
                    let mut ops = std::mem::take(&mut build.ops);
                    self.merge_needs(&mut ops, &placeholders);
                    out.append(&mut ops);
                    if let Some(c) = c {
                        self.accumulate(args[k], c, out);
                    }
                }
            }
        }
    }

    /// Makes needs that were written down apart from the scope the scope's own.
    pub(super) fn merge_needs(&mut self, ops: &mut Vec<Op>, written: &[(Value, Value)]) {
        for &(v, fresh) in written {
            let known = self
                .scopes
                .iter()
                .rev()
                .find_map(|scope| scope.needs.get(&v))
                .copied();
            match known {
                Some(known) => {
                    ops.retain(|op| op.results != [fresh]);
                    for op in ops.iter_mut() {
                        op.for_each_operand(&mut |operand| {
                            if *operand == fresh {
                                *operand = known;
                            }
                        });
                    }
                }
                None => {
                    self.top().needs.insert(v, fresh);
                }
            }
        }
    }

    /// Keeps what the cotangents of the operands of an operator will need.
    pub(super) fn keep(&mut self, operator: Operator, op: &Op, out: &mut Vec<Op>) {
        let depth = self.depth();
        for (k, &v) in op.args.iter().enumerate() {
            if !self.activity.value(v) {
                continue;
            }
            let mut build = Build::new(&mut self.func, Origin::Derived);
            build.span = op.span;
            let keep = Kind::Prim(Prim::Keep(operator, Side::of(k)));
            // What is differentiated again has a tangent.
            let ty = if operator.again { Ty::User } else { Ty::Inert };
            let kept = build.op(keep, op.args.clone(), ty, "kept");
            for new in &mut build.ops {
                new.pos = op.pos;
            }
            out.append(&mut build.ops);
            self.levels.insert(kept, depth);
            self.kept.insert((op.results[0], k), kept);
        }
    }

    /// The cotangent of the operand that goes into a field, which its struct may have declared a constant.
    pub(super) fn settled(&mut self, op: &Op, k: usize, bar: Value, out: &mut Vec<Op>) -> Value {
        let ty = self.func.ty(op.args[k]).clone();
        let number = match &ty {
            Ty::Float(Width::F64) => Some(quote!(0.0_f64)),
            Ty::Float(Width::F32) => Some(quote!(0.0_f32)),
            _ => None,
        };
        let like = match (number, self.shapes.get(&(op.pos, k))) {
            (Some(number), _) => self.derived(Kind::Lit(number), Vec::new(), ty.clone(), out),
            (None, Some(&shape)) => self.need(shape, op.pos, out),
            (None, None) => return bar,
        };
        self.derived(Kind::Prim(Prim::Settle), vec![like, bar], ty, out)
    }

    pub(super) fn reverse_aggregate(&mut self, shape: &Shape, op: &Op, out: &mut Vec<Op>) {
        let y = op.results[0];
        let components = self.top().components.remove(&y);
        let whole = self.take(y);
        match shape {
            Shape::Tuple => {
                for (k, &v) in op
                    .args
                    .iter()
                    .enumerate()
                    .filter(|(_, v)| self.activity.value(**v))
                    .collect::<Vec<_>>()
                {
                    let ty = self.func.ty(v).clone();
                    if let Some(bar) = whole {
                        let c = self.derived(Kind::Component(k.into()), vec![bar], ty, out);
                        self.accumulate(v, c, out);
                    }
                    if let Some(c) = components
                        .as_ref()
                        .and_then(|c| c.get(k).copied().flatten())
                    {
                        self.accumulate(v, c, out);
                    }
                }
            }
            // y = some v, or v in a box   ⇒   v̄ += payload of ȳ
            Shape::Some | Shape::Box => {
                if let Some(bar) = whole {
                    let ty = self.func.ty(op.args[0]).clone();
                    let c = self.derived(Kind::Payload, vec![bar], ty, out);
                    self.accumulate(op.args[0], c, out);
                }
            }
            Shape::Array | Shape::VecList => {
                let Some(bar) = whole else { return };
                for (k, &v) in op.args.iter().enumerate() {
                    if self.activity.value(v) {
                        let ty = self.func.ty(v).clone();
                        let c = self.derived(Kind::Element(k as u32), vec![bar], ty, out);
                        self.accumulate(v, c, out);
                    }
                }
            }
            // y = S { a, ..b }   ⇒   ā += ȳ.a, b̄ += ȳ without a
            Shape::Struct(construct) => {
                let Some(bar) = whole else { return };
                let mut rest = bar;
                for (k, (part, &v)) in construct.tangents.iter().zip(&op.args).enumerate() {
                    let ty = self.func.ty(v).clone();
                    if self.activity.value(v) {
                        let part = Kind::Component(part.clone());
                        let c = self.derived(part, vec![bar], ty.clone(), out);
                        let c = self.settled(op, k, c, out);
                        self.accumulate(v, c, out);
                    }
                }
                let base = op.args.last().copied().filter(|_| construct.base);
                let Some(base) = base.filter(|&v| self.activity.value(v)) else {
                    return;
                };
                // What was replaced is zero, in the shape that it has in the base.
                let last = op.args.len() - 1;
                let zero = self.shapes.get(&(op.pos, last)).copied().map(|shape| {
                    let shape = self.need(shape, op.pos, out);
                    self.derived(Kind::Zero, vec![shape], Ty::User, out)
                });
                for part in &construct.tangents {
                    let with = Kind::WithComponent(part.clone());
                    let mut args = vec![rest];
                    if let Some(zero) = zero {
                        let part = Kind::Component(part.clone());
                        args.push(self.derived(part, vec![zero], Ty::User, out));
                    }
                    rest = self.derived(with, args, Ty::User, out);
                }
                self.accumulate(base, rest, out);
            }
            Shape::Repeat(_) | Shape::VecRepeat => {
                let Some(bar) = whole else { return };
                let v = op.args[0];
                if self.activity.value(v) {
                    let ty = self.func.ty(v).clone();
                    // The sum starts at the zero of one element, which an empty vector cannot show.
                    let zero = self.zero(v, op.pos, out);
                    let c = self.derived(Kind::SumElements, vec![bar, zero], ty, out);
                    self.accumulate(v, c, out);
                }
            }
        }
    }
}

/// What the first cotangent of a place does in place of being added to the zero that `begun` left there: it is moved, and the zero never made.
fn start(begun: usize, shadow: Path, out: &mut Vec<Op>) -> Kind {
    let root = shadow.root;
    if let Kind::NewZero(_) = out[begun].kind {
        // P̄ = 0 … P̄ += ȳ   ⇒   P̄ = ȳ
        out.remove(begun);
        return Kind::New(root);
    }
    // v̄ = P̄, P̄ = 0 … P̄ += ȳ   ⇒   v̄ = P̄ … P̄ = ȳ
    out[begun].kind = Kind::Take(root);
    out[begun].args.clear();
    Kind::Store(shadow)
}
