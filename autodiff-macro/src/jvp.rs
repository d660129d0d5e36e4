//! Forward mode: graph to graph. Every active value gets a tangent, every active place a tangent place.

use std::collections::HashMap;

use quote::quote;

use crate::analysis::Activity;
use crate::build::{Build, Operand};
use crate::ir::{
    Arg, Block, Companion, Form, Func, Kind, Op, Origin, Param, Path, Place, Prim, Shape, Ty,
    Value, Width,
};
use crate::rules;

/// The graph of `func` with its tangents: one tangent parameter per entry of `wrt`, one tangent per result.
///
/// `None` among the tangent parameters: the parameter has none that anything depends on.
pub(crate) struct Jvp {
    pub(crate) func: Func,
    /// The tangents of the parameters, in the order of `func.params`.
    pub(crate) tangents: Vec<Option<Param>>,
}

/// Differentiates along the tangents of the parameters in `wrt`.
pub(crate) fn jvp(func: &Func, activity: &Activity, wrt: &[Param]) -> Jvp {
    forward(func, activity, wrt, None)
}

/// Carries something along with each active value: its tangent, or what `record` makes of the operations that compute.
///
/// All that only moves values about is the same for both.
pub(crate) fn forward(
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
    record: Option<&dyn Record>,
) -> Jvp {
    let mut cx = Cx {
        func: func.clone(),
        activity,
        record,
        values: HashMap::new(),
        places: HashMap::new(),
    };
    let mut tangents = Vec::new();
    for &param in &func.params {
        let tangent = match param {
            _ if !wrt.contains(&param) => None,
            Param::Value(v) => {
                let dot = cx.fresh(v);
                cx.values.insert(v, dot);
                Some(Param::Value(dot))
            }
            Param::Place(p) => Some(Param::Place(cx.tangent_place(p))),
        };
        tangents.push(tangent);
    }
    let mut body = cx.block(&func.body);
    let results: Vec<Value> = func.body.yields.clone();
    let mut end = Build::new(&mut cx.func, Origin::Derived);
    let mut yields = results.clone();
    for &v in &results {
        let dot = match cx.values.get(&v) {
            Some(&dot) => dot,
            None => zero_of(&mut end, v),
        };
        yields.push(dot);
    }
    body.ops.append(&mut end.ops);
    body.yields = yields;
    let mut func = cx.func;
    func.body = body;
    Jvp { func, tangents }
}

/// What goes along with active values in place of tangents.
pub(crate) trait Record {
    /// What goes with the result of an operation that computes, given what goes with its operands; `None` for one that only moves a value.
    fn compute(&self, build: &mut Build<'_>, op: &Op, dots: &[Option<Value>]) -> Option<Value>;

    /// The same for a value `y` that was only moved, along with `dot`.
    fn bind(&self, build: &mut Build<'_>, op: &Op, y: Value, dot: Value) -> Value;
}

struct Cx<'a> {
    func: Func,
    activity: &'a Activity,
    record: Option<&'a dyn Record>,
    values: HashMap<Value, Value>,
    places: HashMap<Place, Place>,
}

/// The zero tangent of a value.
fn zero_of(build: &mut Build<'_>, v: Value) -> Value {
    match build.func.ty(v) {
        ty @ Ty::Float(_) => {
            let ty = ty.clone();
            build.literal(quote!(0.0), ty)
        }
        Ty::Int | Ty::Bool => build.literal(quote!(()), Ty::Inert),
        _ => build.op(Kind::ZeroLike, vec![v], Ty::Unknown, ""),
    }
}

impl Cx<'_> {
    fn fresh(&mut self, v: Value) -> Value {
        let hint = format!("{}_dot", self.func.hint(v));
        let ty = self.func.ty(v).clone();
        self.func
            .value(if hint == "_dot" { String::new() } else { hint }, ty)
    }

    fn tangent_place(&mut self, p: Place) -> Place {
        if let Some(&dot) = self.places.get(&p) {
            return dot;
        }
        let data = self.func.at(p).clone();
        let dot = self
            .func
            .place(format!("{}_dot", data.hint), data.ty, data.storage);
        self.func.at_mut(dot).mutable = data.mutable;
        self.places.insert(p, dot);
        dot
    }

    fn tangent_path(&mut self, path: &Path) -> Path {
        let root = self.tangent_place(path.root);
        path.on(root)
    }

    fn block(&mut self, block: &Block) -> Block {
        let mut ops = Vec::new();
        for op in &block.ops {
            self.op(op, &mut ops);
        }
        Block {
            ops,
            ..block.clone()
        }
    }

    fn dot(&self, v: Value) -> Option<Value> {
        self.values.get(&v).copied()
    }

    /// The operation itself, and what its tangents are.
    fn op(&mut self, op: &Op, out: &mut Vec<Op>) {
        match &op.kind {
            Kind::If | Kind::Match(..) | Kind::For(_) | Kind::Switch => {
                return self.region(op, out);
            }
            Kind::Call(_) => return self.call(op, out),
            _ => {}
        }
        // The zero of a value that is moved into a place is made before the move.
        let mut before = None;
        if let Kind::New(p) = &op.kind {
            if self.activity.place(*p) && self.dot(op.args[0]).is_none() {
                let mut build = Build::new(&mut self.func, Origin::Derived);
                before = Some(zero_of(&mut build, op.args[0]));
                out.append(&mut build.ops);
            }
        }
        // What is moved into memory may be asked for its zero before.
        let last = matches!(
            op.kind,
            Kind::Store(_) | Kind::AddTo(_) | Kind::Fill(_) | Kind::Copy(..) | Kind::Swap(..)
        ) || matches!(op.kind, Kind::Change(change, _) if change.adds());
        if !last {
            out.push(op.clone());
        }
        let active = op.results.first().is_some_and(|&y| self.activity.value(y));
        let dots: Vec<Option<Value>> = op.args.iter().map(|&v| self.dot(v)).collect();
        let hint = op
            .results
            .first()
            .map(|&y| self.func.hint(y).to_owned())
            .filter(|h| !h.is_empty())
            .map(|h| format!("{h}_dot"))
            .unwrap_or_default();
        let ty = op
            .results
            .first()
            .map_or(Ty::Unknown, |&y| self.func.ty(y).clone());
        let tangent_root = match &op.kind {
            Kind::New(p) if self.activity.place(*p) => Some(self.tangent_place(*p)),
            Kind::Load(path)
            | Kind::Owned(path, _)
            | Kind::Store(path)
            | Kind::AddTo(path)
            | Kind::Fill(path)
            | Kind::Copy(path, _)
            | Kind::Swap(path, _)
            | Kind::Change(_, path)
                if self.activity.place(path.root) =>
            {
                Some(self.tangent_place(path.root))
            }
            _ => None,
        };
        let second_root = match &op.kind {
            Kind::Copy(_, from) | Kind::Swap(_, from) if self.activity.place(from.root) => {
                Some(self.tangent_place(from.root))
            }
            _ => None,
        };
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        if let (Some(record), true) = (self.record, active) {
            if let Some(made) = record.compute(&mut build, op, &dots) {
                out.append(&mut build.ops);
                self.values.insert(op.results[0], made);
                return;
            }
        }
        let result = match &op.kind {
            Kind::Prim(prim) if active => prim_tangent(&mut build, *prim, op, &dots),
            Kind::Cast(to, ty) if active => dots[0].map(|d| {
                build.op(
                    Kind::Cast(to.clone(), ty.clone()),
                    vec![d],
                    ty.clone(),
                    &hint,
                )
            }),
            Kind::CastLike if active => {
                dots[0].map(|d| build.op(Kind::CastLike, vec![d, op.args[1]], ty, &hint))
            }
            Kind::Aggregate(shape) if active => {
                let last = if matches!(shape, Shape::VecRepeat) {
                    1
                } else {
                    op.args.len()
                };
                let args = op.args.iter().enumerate().map(|(k, &v)| match dots[k] {
                    Some(d) => d,
                    None if k < last => zero_of(&mut build, v),
                    None => v,
                });
                let args: Vec<Value> = args.collect();
                Some(build.op(Kind::Aggregate(shape.clone()), args, ty, &hint))
            }
            // Tangents pass: the code is about cotangents.
            Kind::Watch { .. } if active => dots[0],
            Kind::Payload if active => dots[0].map(|d| build.op(Kind::Payload, vec![d], ty, &hint)),
            Kind::Component(k) if active => {
                dots[0].map(|d| build.op(Kind::Component(*k), vec![d], ty, &hint))
            }
            Kind::New(_) => {
                if let Some(dot) = tangent_root {
                    if let Some(d) = dots[0].or(before) {
                        build.push(Kind::New(dot), vec![d], Vec::new());
                    }
                }
                None
            }
            Kind::Load(path) if active => {
                tangent_root.map(|root| build.op(Kind::Load(path.on(root)), Vec::new(), ty, &hint))
            }
            Kind::Owned(path, method) if active => tangent_root
                .map(|root| build.op(Kind::Owned(path.on(root), method), Vec::new(), ty, &hint)),
            Kind::Store(path) => {
                if let Some(root) = tangent_root {
                    let d = match dots[0] {
                        Some(d) => d,
                        None => zero_of(&mut build, op.args[0]),
                    };
                    build.push(Kind::Store(path.on(root)), vec![d], Vec::new());
                }
                None
            }
            Kind::AddTo(path) => {
                if let (Some(root), Some(d)) = (tangent_root, dots[0]) {
                    build.push(Kind::AddTo(path.on(root)), vec![d], Vec::new());
                }
                None
            }
            Kind::Fill(path) => {
                if let Some(root) = tangent_root {
                    let d = match dots[0] {
                        Some(d) => d,
                        None => zero_of(&mut build, op.args[0]),
                    };
                    build.push(Kind::Fill(path.on(root)), vec![d], Vec::new());
                }
                None
            }
            Kind::Copy(to, from) => {
                match (tangent_root, second_root) {
                    (Some(root), Some(source)) => {
                        let kind = Kind::Copy(to.on(root), from.on(source));
                        build.push(kind, Vec::new(), Vec::new());
                    }
                    (Some(root), None) => {
                        let zero = build.literal(quote!(0.0), Ty::Float(Width::Any));
                        build.push(Kind::Fill(to.on(root)), vec![zero], Vec::new());
                    }
                    _ => {}
                }
                None
            }
            Kind::Swap(a, b) => {
                if let (Some(x), Some(y)) = (tangent_root, second_root) {
                    build.push(Kind::Swap(a.on(x), b.on(y)), Vec::new(), Vec::new());
                }
                None
            }
            // The tangents change their length in the same way.
            Kind::Change(change, path) => tangent_root.and_then(|root| {
                let mut args = op.args.clone();
                if let (true, Some(content)) = (change.adds(), args.last_mut()) {
                    *content = match dots[op.args.len() - 1] {
                        Some(d) => d,
                        None => zero_of(&mut build, *content),
                    };
                }
                let kind = Kind::Change(*change, path.on(root));
                if change.adds() {
                    build.push(kind, args, Vec::new());
                    None
                } else {
                    Some(build.op(kind, args, ty, &hint))
                }
            }),
            _ => None,
        };
        out.append(&mut build.ops);
        if last {
            out.push(op.clone());
        }
        if let (Some(d), Some(&y)) = (result, op.results.first()) {
            self.bind(op, y, d, out);
        }
    }

    /// From now on `dot` goes with `y`.
    fn bind(&mut self, op: &Op, y: Value, dot: Value, out: &mut Vec<Op>) {
        let mut dot = dot;
        if let Some(record) = self.record {
            let mut build = Build::new(&mut self.func, Origin::Derived);
            dot = record.bind(&mut build, op, y, dot);
            out.append(&mut build.ops);
        }
        self.values.insert(y, dot);
    }

    fn call(&mut self, op: &Op, out: &mut Vec<Op>) {
        let Kind::Call(call) = &op.kind else { return };
        let concerned = op.results.iter().any(|&y| self.activity.value(y))
            || call
                .args
                .iter()
                .any(|arg| matches!(arg, Arg::Mut(p) if self.activity.place(p.root)));
        if !concerned && !call.is_formed() {
            out.push(op.clone());
            return;
        }
        let companions = call
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Value(v) => self.dot(*v).map_or(Companion::Zero, Companion::Value),
                Arg::Ref(path) | Arg::Mut(path) | Arg::Capture(path)
                    if self.activity.place(path.root) =>
                {
                    Companion::Place(self.tangent_path(path))
                }
                Arg::Ref(_) | Arg::Mut(_) | Arg::Owned | Arg::Function(_) | Arg::Capture(_) => {
                    Companion::Zero
                }
            })
            .collect();
        let mut call = call.clone();
        call.form = Form::Jvp(companions);
        let mut op = op.clone();
        let y = op.results[0];
        let dot = self.fresh(y);
        op.kind = Kind::Call(call);
        op.results.push(dot);
        out.push(op.clone());
        self.bind(&op, y, dot, out);
    }

    fn region(&mut self, op: &Op, out: &mut Vec<Op>) {
        let mut new = op.clone();
        let active = self.activity.slots(op);
        let mut before = Build::new(&mut self.func, Origin::Derived);
        if let Kind::For(head) = &op.kind {
            let first = head.domain.operands();
            for &k in &active {
                let init = op.args[first + k];
                let dot = match self.values.get(&init) {
                    Some(&dot) => dot,
                    None => zero_of(&mut before, init),
                };
                new.args.push(dot);
            }
        }
        out.append(&mut before.ops);
        for (block, old) in new.blocks.iter_mut().zip(&op.blocks) {
            if let Kind::For(head) = &op.kind {
                for &k in &active {
                    let param = old.params[head.inductions + k];
                    let dot = self.fresh(param);
                    self.values.insert(param, dot);
                    block.params.push(dot);
                }
            }
            block.ops = self.block(old).ops;
            if old.diverges {
                continue;
            }
            for &k in &active {
                let v = old.yields[k];
                let dot = match self.values.get(&v) {
                    Some(&dot) => dot,
                    None => {
                        let mut build = Build::new(&mut self.func, Origin::Derived);
                        let dot = zero_of(&mut build, v);
                        block.ops.append(&mut build.ops);
                        dot
                    }
                };
                block.yields.push(dot);
            }
        }
        let mut dots = Vec::new();
        for &k in &active {
            let dot = self.fresh(op.results[k]);
            new.results.push(dot);
            dots.push((op.results[k], dot));
        }
        out.push(new);
        for (y, dot) in dots {
            self.bind(op, y, dot, out);
        }
    }
}

/// The tangent of an arithmetic result; `None` where it is zero everywhere.
fn prim_tangent(
    build: &mut Build<'_>,
    prim: Prim,
    op: &Op,
    dots: &[Option<Value>],
) -> Option<Value> {
    let y = op.results[0];
    let args = &op.args;
    match prim {
        // y = a + b   ⇒   ẏ = ȧ + ḃ
        Prim::Add => match (dots[0], dots[1]) {
            (Some(a), Some(b)) => Some(build.prim(Prim::Add, vec![a, b], "")),
            (a, b) => a.or(b),
        },
        // y = a − b   ⇒   ẏ = ȧ − ḃ
        Prim::Sub => match (dots[0], dots[1]) {
            (Some(a), Some(b)) => Some(build.prim(Prim::Sub, vec![a, b], "")),
            (None, Some(b)) => Some(build.prim(Prim::Neg, vec![b], "")),
            (a, None) => a,
        },
        // y = a b   ⇒   ẏ = ȧ b + a ḃ
        Prim::Mul => {
            let left = dots[0].map(|a| build.prim(Prim::Mul, vec![a, args[1]], ""));
            let right = dots[1].map(|b| build.prim(Prim::Mul, vec![b, args[0]], ""));
            sum(build, left, right)
        }
        // y = a / b   ⇒   ẏ = ȧ / b − y (ḃ / b)
        Prim::Div => {
            let left = dots[0].map(|a| build.prim(Prim::Sdiv, vec![a, args[1]], ""));
            let right = dots[1].map(|b| {
                let q = build.prim(Prim::Sdiv, vec![b, args[1]], "");
                build.prim(Prim::Smul, vec![q, y], "")
            });
            match (left, right) {
                (Some(a), Some(b)) => Some(build.prim(Prim::Sub, vec![a, b], "")),
                (None, Some(b)) => Some(build.prim(Prim::Neg, vec![b], "")),
                (a, None) => a,
            }
        }
        Prim::Neg => dots[0].map(|a| build.prim(Prim::Neg, vec![a], "")),
        // smul, select and sdiv are linear in the cotangent; by the partial they behave as the product and quotient do.
        Prim::Smul | Prim::Select => {
            let left = dots[0].map(|d| build.prim(prim, vec![d, args[1]], ""));
            let right = dots[1].map(|p| build.prim(Prim::Smul, vec![args[0], p], ""));
            sum(build, left, right)
        }
        Prim::Sdiv => {
            let left = dots[0].map(|d| build.prim(Prim::Sdiv, vec![d, args[1]], ""));
            let right = dots[1].map(|b| {
                let q = build.prim(Prim::Sdiv, vec![b, args[1]], "");
                let r = build.prim(Prim::Smul, vec![q, y], "");
                build.prim(Prim::Neg, vec![r], "")
            });
            sum(build, left, right)
        }
        // y = linked(v, x…, p…)   ⇒   ẏ = Σ ẋ p
        Prim::Linked => {
            let mut total = None;
            for (k, partial) in Prim::linked(args.len()) {
                let term = dots[k].map(|d| build.prim(Prim::Smul, vec![d, args[partial]], ""));
                total = sum(build, total, term);
            }
            total
        }
        Prim::Rule(row) => {
            let rule = rules::rule(row);
            let mut total = None;
            for (k, dot) in dots.iter().enumerate() {
                let Some(d) = dot.filter(|_| !rule.integer[k]) else {
                    continue;
                };
                let term = build.contribution(row, k, d, &mut |_, operand| match operand {
                    Operand::Arg(k) => args[k],
                    Operand::Result => y,
                });
                total = sum(build, total, term);
            }
            total
        }
    }
}

fn sum(build: &mut Build<'_>, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(build.prim(Prim::Add, vec![a, b], "")),
        (a, b) => a.or(b),
    }
}
