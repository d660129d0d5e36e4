//! Reverse mode: graph to graph. The forward sweep is the primal; the reverse sweep walks it backwards and carries adjoints.
//!
//! The reverse sweep is written naively: wherever it mentions a primal value it says [`Kind::Need`], and after each store [`Kind::Restore`].
//! `remember` decides afterwards how each need is met.
//!
//! Where the seed is known before the call, a loop whose active carried values are sums alone runs forward and backward in one pass
//! ([`Cx::fuse`]); a loop body that holds both sweeps is a *segment* like the function body itself.

use std::collections::{HashMap, HashSet};

use quote::quote;

use crate::analysis::Activity;
use crate::build::{Build, Operand};
use crate::fuse::{self, Early};
use crate::ir::{
    Arg, Block, Companion, Domain, For, Form, Func, Kind, Op, Origin, Param, Path, Place, Pos,
    Prim, Shape, Storage, Ty, Value, Width,
};
use crate::rules;

/// The position after all others: what is needed there may not have changed since.
const LAST: Pos = Pos::MAX;

/// When the cotangent of the result is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seed {
    /// Before the call: loops may fuse.
    Early,
    /// After the forward sweep.
    Late,
}

/// A graph of both sweeps.
pub(crate) struct Vjp {
    pub(crate) func: Func,
    /// The reverse sweep begins at this operation of the body.
    pub(crate) split: usize,
    /// The cotangent of the result, if anything depends on it.
    pub(crate) seed: Option<Value>,
    /// The shadows of the place parameters, in the order of `func.params`; `None` for values and inactive places.
    pub(crate) shadows: Vec<Option<Place>>,
}

/// Both sweeps of `func`; its body yields the result (if any), then the cotangent of each owned parameter in `wrt`.
pub(crate) fn vjp(func: &Func, activity: &Activity, wrt: &[Param], seed: Seed) -> Vjp {
    let mut cx = Cx {
        func: func.clone(),
        activity,
        seed,
        shadows: HashMap::new(),
        created: HashSet::new(),
        levels: HashMap::new(),
        scopes: Vec::new(),
    };
    let mut shadows = Vec::new();
    for &param in &func.params {
        shadows.push(match param {
            Param::Place(p) if wrt.contains(&param) => {
                let shadow = cx.shadow(p);
                if func.at(p).storage != Storage::Owned {
                    cx.created.insert(p);
                }
                Some(shadow)
            }
            _ => None,
        });
    }
    let result = func.body.yields.first().copied();
    let seed_value = result.filter(|&y| activity.value(y)).map(|y| {
        let ty = func.ty(y).clone();
        cx.func.value("seed", ty)
    });
    let owned: Vec<Place> = func
        .params
        .iter()
        .filter_map(|p| match *p {
            Param::Place(p) if func.at(p).storage == Storage::Owned && activity.place(p) => Some(p),
            _ => None,
        })
        .collect();
    let block = Block {
        ops: Vec::new(),
        ..func.body.clone()
    };
    let outer: Vec<Value> = func
        .params
        .iter()
        .filter_map(|p| {
            if let Param::Value(v) = p {
                Some(*v)
            } else {
                None
            }
        })
        .collect();
    let seeds = result.zip(seed_value).into_iter().collect();
    let (mut forward, mut reverse, scope) = cx.segment(
        &func.body.ops,
        Scope::new(ScopeKind::Segment),
        &outer,
        seeds,
        &owned,
    );
    let split = forward.len();
    let mut scope = scope;
    for &param in &func.params {
        if let Param::Value(v) = param {
            if let Some(bar) = cx.finish_component(v, &mut scope, &mut reverse) {
                scope.adj.insert(v, bar);
            }
        }
    }
    // Owned parameters hand back their cotangents.
    let mut yields: Vec<Value> = result.into_iter().collect();
    let mut end = Build::new(&mut cx.func, Origin::Derived);
    for &param in &func.params {
        match param {
            Param::Value(v) if wrt.contains(&param) => {
                let bar = match scope.adj.get(&v) {
                    Some(&bar) => bar,
                    None => match end.func.ty(v) {
                        Ty::Float(_) => end.literal(quote!(0.0), Ty::F64),
                        _ => {
                            let need = need_op(&mut end, v, LAST);
                            end.op(Kind::ZeroLike, vec![need], Ty::Unknown, "")
                        }
                    },
                };
                yields.push(bar);
            }
            Param::Place(p) if wrt.contains(&param) && end.func.at(p).storage == Storage::Owned => {
                let ty = end.func.at(p).ty.clone();
                let bar = if activity.place(p) {
                    end.op(Kind::Take(cx.shadows[&p]), Vec::new(), ty, "")
                } else {
                    let need = end.op(Kind::ShapeOf(Path::whole(p)), Vec::new(), Ty::Inert, "");
                    end.op(Kind::Zero, vec![need], ty, "")
                };
                yields.push(bar);
            }
            _ => {}
        }
    }
    reverse.append(&mut end.ops);
    forward.append(&mut reverse);
    let mut func = cx.func;
    func.body = Block {
        ops: forward,
        yields,
        segment: true,
        ..block
    };
    Vjp {
        func,
        split,
        seed: seed_value,
        shadows,
    }
}

/// A mention of the primal value `v` in the reverse of the operation at `at`.
fn need_op(build: &mut Build<'_>, v: Value, at: Pos) -> Value {
    let (ty, hint) = (build.func.ty(v).clone(), build.func.hint(v).to_owned());
    build.op(Kind::Need(at), vec![v], ty, &hint)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ScopeKind {
    /// Both sweeps stand here, or the reverse sweep of the function.
    Segment,
    Arm,
    /// A reversed loop body, or the body of a fused loop: adjoints of outer values are carried.
    Loop,
}

/// The adjoints known in one block of the reverse sweep.
struct Scope {
    kind: ScopeKind,
    adj: HashMap<Value, Value>,
    /// Cotangents of the components of a tuple, until the tuple itself is reached.
    components: HashMap<Value, Vec<Option<Value>>>,
    needs: HashMap<Value, Value>,
    /// In a loop: outer values whose adjoint is carried, with the block parameter. In an arm: outer values touched.
    outer: Vec<(Value, Value)>,
}

impl Scope {
    fn new(kind: ScopeKind) -> Scope {
        Scope {
            kind,
            adj: HashMap::new(),
            components: HashMap::new(),
            needs: HashMap::new(),
            outer: Vec::new(),
        }
    }
}

struct Cx<'a> {
    func: Func,
    activity: &'a Activity,
    seed: Seed,
    shadows: HashMap<Place, Place>,
    /// Places whose shadow exists already.
    created: HashSet<Place>,
    /// The scope in which a primal value is local.
    levels: HashMap<Value, usize>,
    scopes: Vec<Scope>,
}

/// What a fused loop leaves for the reverse sweep to add.
struct Fused {
    /// Cotangents of the initial values.
    inits: Vec<(Value, Value)>,
    /// Contributions to outer values.
    outer: Vec<(Value, Value)>,
}

impl Cx<'_> {
    fn shadow(&mut self, p: Place) -> Place {
        if let Some(&shadow) = self.shadows.get(&p) {
            return shadow;
        }
        let data = self.func.at(p).clone();
        let shadow = self
            .func
            .place(format!("d_{}", data.hint), data.ty, data.storage);
        self.func.at_mut(shadow).mutable = true;
        self.shadows.insert(p, shadow);
        shadow
    }

    fn depth(&self) -> usize {
        self.scopes.len() - 1
    }

    fn top(&mut self) -> &mut Scope {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// The operations of a block and their reverse; `seeds` are cotangents of values of the block.
    ///
    /// `locals` are values that the block itself defines beside its operations, `shadows` places whose shadows it must make.
    fn segment(
        &mut self,
        ops: &[Op],
        scope: Scope,
        locals: &[Value],
        seeds: Vec<(Value, Value)>,
        shadows: &[Place],
    ) -> (Vec<Op>, Vec<Op>, Scope) {
        self.scopes.push(scope);
        let depth = self.depth();
        for &v in locals {
            self.levels.insert(v, depth);
        }
        let mut forward = Vec::new();
        let mut fused: HashMap<Pos, Fused> = HashMap::new();
        // Local places of this block need a shadow before anything is added to it.
        let mut local_places: Vec<(Place, Option<Value>)> =
            shadows.iter().map(|&p| (p, None)).collect();
        let mut calls = HashMap::new();
        let mut olds = HashMap::new();
        for (at, op) in ops.iter().enumerate() {
            for &v in &op.results {
                self.levels.insert(v, depth);
            }
            if self.seed == Seed::Early {
                if let Some((mut ops, left)) = self.fuse(op, at, ops, &seeds, &mut local_places) {
                    forward.append(&mut ops);
                    fused.insert(op.pos, left);
                    continue;
                }
            }
            self.forward(op, &mut forward, &mut local_places, &mut calls, &mut olds);
        }
        let mut reverse = Vec::new();
        for (value, seed) in &seeds {
            self.accumulate(*value, *seed, &mut reverse);
        }
        for (p, shape) in local_places {
            if self.created.insert(p) {
                self.make_shadow(p, shape, LAST, &mut reverse);
            }
        }
        for op in ops.iter().rev() {
            if let Some(left) = fused.remove(&op.pos) {
                for (v, bar) in left.inits.into_iter().chain(left.outer) {
                    self.accumulate(v, bar, &mut reverse);
                }
                continue;
            }
            self.reverse(op, &calls, &olds, &mut reverse);
        }
        let scope = self
            .scopes
            .pop()
            .unwrap_or_else(|| Scope::new(ScopeKind::Segment));
        (forward, reverse, scope)
    }

    /// The forward sweep of one operation: as it is, with what its reverse will ask for.
    fn forward(
        &mut self,
        op: &Op,
        out: &mut Vec<Op>,
        local_places: &mut Vec<(Place, Option<Value>)>,
        calls: &mut HashMap<Pos, Value>,
        olds: &mut HashMap<Pos, Value>,
    ) {
        let mut new = op.clone();
        match &op.kind {
            Kind::New(p) if self.activity.place(*p) => {
                out.push(new);
                let shape = if is_known(&self.func.at(*p).ty) {
                    None
                } else {
                    Some(self.shape_of(Path::whole(*p), op.pos, out))
                };
                local_places.push((*p, shape));
                return;
            }
            // A whole vector may be replaced by one of another length.
            Kind::Store(path)
                if path.steps.is_empty()
                    && self.activity.place(path.root)
                    && !is_known(&self.func.at(path.root).ty) =>
            {
                let shape = self.shape_of(path.clone(), op.pos, out);
                olds.insert(op.pos, shape);
            }
            Kind::Call(call) => {
                let concerned = op.results.iter().any(|&y| self.activity.value(y))
                    || call
                        .args
                        .iter()
                        .any(|arg| matches!(arg, Arg::Mut(p) if self.activity.place(p.root)));
                if concerned {
                    let mut call = call.clone();
                    call.form = Form::Forward;
                    let back = self.func.value("back", Ty::Unknown);
                    let depth = self.depth();
                    self.levels.insert(back, depth);
                    new.results.push(back);
                    new.kind = Kind::Call(call);
                    calls.insert(op.pos, back);
                }
            }
            Kind::If | Kind::Match(..) => {
                let residual = self.func.value("arm", Ty::Residual { plain: true });
                let depth = self.depth();
                self.levels.insert(residual, depth);
                new.results.push(residual);
                calls.insert(op.pos, residual);
                self.region(&mut new, calls, olds);
            }
            Kind::For(head) => {
                if !matches!(head.domain, Domain::Range { .. }) {
                    let rounds = self.func.value("rounds", Ty::Int);
                    let depth = self.depth();
                    self.levels.insert(rounds, depth);
                    new.results.push(rounds);
                    if let Kind::For(head) = &mut new.kind {
                        head.counted = true;
                    }
                    calls.insert(op.pos, rounds);
                }
                self.region(&mut new, calls, olds);
            }
            _ => {}
        }
        out.push(new);
    }

    /// The forward sweep of the blocks of a region.
    fn region(
        &mut self,
        op: &mut Op,
        calls: &mut HashMap<Pos, Value>,
        olds: &mut HashMap<Pos, Value>,
    ) {
        for block in &mut op.blocks {
            let ops = std::mem::take(&mut block.ops);
            let mut unused = Vec::new();
            for op in &ops {
                self.forward(op, &mut block.ops, &mut unused, calls, olds);
            }
            // Shapes of the block's places are looked up again when the block is reversed.
            for (p, shape) in unused {
                if let Some(shape) = shape {
                    olds.insert(shape_key(p), shape);
                }
            }
        }
    }

    fn shape_of(&mut self, path: Path, pos: Pos, out: &mut Vec<Op>) -> Value {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let shape = build.op(Kind::ShapeOf(path), Vec::new(), Ty::Inert, "shape");
        for op in &mut build.ops {
            op.pos = pos;
        }
        out.append(&mut build.ops);
        shape
    }

    fn make_shadow(&mut self, p: Place, shape: Option<Value>, at: Pos, out: &mut Vec<Op>) {
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
    fn need(&mut self, v: Value, at: Pos, out: &mut Vec<Op>) -> Value {
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

    fn need_path(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) -> Path {
        let mut path = path.clone();
        for v in path.values_mut() {
            *v = self.need(*v, at, out);
        }
        path
    }

    fn shadow_path(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) -> Path {
        let root = self.shadow(path.root);
        self.need_path(path, at, out).on(root)
    }

    /// A zero to start the adjoint of `v` with.
    fn zero(&mut self, v: Value, at: Pos, out: &mut Vec<Op>) -> Value {
        if self.func.ty(v).is_float() {
            let mut build = Build::new(&mut self.func, Origin::Derived);
            let zero = build.zero();
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
    fn accumulate(&mut self, v: Value, c: Value, out: &mut Vec<Op>) {
        if !self.activity.value(v) {
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

    fn name_adjoint(&mut self, bar: Value, v: Value) {
        let hint = self.func.hint(v).to_owned();
        let data = &mut self.func.values[bar.0 as usize];
        if data.hint.is_empty() && !hint.is_empty() {
            data.hint = format!("d_{hint}");
        }
        if matches!(data.ty, Ty::Unknown | Ty::Float(Width::Any)) {
            let ty = self.func.ty(v).clone();
            self.func.values[bar.0 as usize].ty = ty;
        }
    }

    /// The cotangent of a result, removed from the scope.
    fn take(&mut self, y: Value) -> Option<Value> {
        self.top().adj.remove(&y)
    }

    /// The reverse of one operation.
    fn reverse(
        &mut self,
        op: &Op,
        calls: &HashMap<Pos, Value>,
        olds: &HashMap<Pos, Value>,
        out: &mut Vec<Op>,
    ) {
        let at = op.pos;
        match &op.kind {
            // These have no derivative.
            Kind::Lit(_)
            | Kind::Compare(_)
            | Kind::Opaque(_)
            | Kind::Len(_)
            | Kind::Check(_)
            | Kind::ShapeOf(_)
            | Kind::ZeroLike
            | Kind::Zero
            | Kind::AssertSame => {}
            Kind::Prim(prim) => {
                if let Some(bar) = self.take(op.results[0]) {
                    self.reverse_prim(*prim, op, bar, out);
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
                            self.derived(Kind::Cast(quote!(f64), ty.clone()), vec![bar], ty, out)
                        }
                        Ty::Float(Width::F32) => {
                            self.derived(Kind::Cast(quote!(f32), ty.clone()), vec![bar], ty, out)
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
            // y = v.k   ⇒   v̄.k += ȳ
            Kind::Component(k) | Kind::WithComponent(k) => {
                if let Some(bar) = self.take(op.results[0]) {
                    self.component(op.args[0], *k as usize, bar, out);
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
            | Kind::Restore(..)
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
                if let Some(bar) = self
                    .take(op.results[0])
                    .filter(|_| self.activity.place(path.root))
                {
                    let path = self.shadow_path(path, at, out);
                    self.effect(Kind::AddTo(path), vec![bar], out);
                }
            }
            // P.π ← v   ⇒   v̄ += P̄.π, P̄.π = 0, even where v is inactive
            Kind::Store(path) => {
                if self.activity.place(path.root) {
                    let v = op.args[0];
                    let ty = self.func.ty(v).clone();
                    let shadow = self.shadow_path(path, at, out);
                    let bar = match olds.get(&at) {
                        Some(&shape) => {
                            let shape = self.need(shape, at, out);
                            let zero = self.derived(Kind::Zero, vec![shape], ty.clone(), out);
                            self.derived(Kind::Replace(shadow), vec![zero], ty, out)
                        }
                        None => self.derived(Kind::TakeZero(shadow), Vec::new(), ty, out),
                    };
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
                    let bar = self.derived(Kind::Load(shadow), Vec::new(), ty, out);
                    self.restore(path, at, out);
                    self.accumulate(op.args[0], bar, out);
                } else {
                    self.restore(path, at, out);
                }
            }
            Kind::Call(_) => self.reverse_call(op, calls, out),
            Kind::If | Kind::Match(..) => self.reverse_conditional(op, calls, olds, out),
            Kind::For(head) => self.reverse_loop(op, head, calls, olds, out),
        }
    }

    fn derived(&mut self, kind: Kind, args: Vec<Value>, ty: Ty, out: &mut Vec<Op>) -> Value {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let v = build.op(kind, args, ty, "");
        out.append(&mut build.ops);
        v
    }

    fn effect(&mut self, kind: Kind, args: Vec<Value>, out: &mut Vec<Op>) {
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.push(kind, args, Vec::new());
        out.append(&mut build.ops);
    }

    fn restore(&mut self, path: &Path, at: Pos, out: &mut Vec<Op>) {
        let needed = self.need_path(path, at, out);
        self.effect(Kind::Restore(needed, at), Vec::new(), out);
    }

    fn reverse_prim(&mut self, prim: Prim, op: &Op, bar: Value, out: &mut Vec<Op>) {
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
                for k in (0..2).filter(|&k| active[k]) {
                    let other = self.need(args[1 - k], at, out);
                    let c = unary(self, Prim::Mul, vec![bar, other], out);
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
            Prim::Smul | Prim::Select | Prim::Sdiv => {
                unreachable!("an operation of the reverse sweep in a primal")
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
    fn merge_needs(&mut self, ops: &mut Vec<Op>, written: &[(Value, Value)]) {
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

    fn reverse_aggregate(&mut self, shape: &Shape, op: &Op, out: &mut Vec<Op>) {
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
                        let c = self.derived(Kind::Component(k as u32), vec![bar], ty, out);
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

    /// Keeps the cotangent of one component until the tuple itself is reached.
    fn component(&mut self, tuple: Value, k: usize, bar: Value, out: &mut Vec<Op>) {
        if !self.activity.value(tuple) {
            return;
        }
        let depth = self.depth();
        let local = self.levels.get(&tuple).is_none_or(|&level| level == depth);
        let known = match self.func.ty(tuple) {
            Ty::Tuple(parts) => Some(parts.clone()),
            _ => None,
        };
        match known {
            Some(parts) if local => {
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
                let whole = self.derived(Kind::WithComponent(k as u32), vec![zero, bar], ty, out);
                self.accumulate(tuple, whole, out);
            }
        }
    }

    /// The whole cotangent of a value that may have been taken apart.
    fn assemble(&mut self, y: Value, out: &mut Vec<Op>) -> Option<Value> {
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
                        None if ty.is_float() => build.zero(),
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
                            Kind::WithComponent(k as u32),
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

    fn reverse_call(&mut self, op: &Op, calls: &HashMap<Pos, Value>, out: &mut Vec<Op>) {
        let Kind::Call(call) = &op.kind else { return };
        let at = op.pos;
        let Some(&back) = calls.get(&at) else { return };
        let y = op.results[0];
        let bar = self.assemble(y, out);
        let writes = call
            .args
            .iter()
            .any(|arg| matches!(arg, Arg::Mut(p) if self.activity.place(p.root)));
        if bar.is_none() && !writes {
            return;
        }
        let bar = match bar {
            Some(bar) => bar,
            None => self.zero(y, at, out),
        };
        let back = self.need(back, at, out);
        let mut args = Vec::new();
        let mut companions = Vec::new();
        let mut later = Vec::new();
        let mut roots: HashSet<Place> = HashSet::new();
        for arg in &call.args {
            match arg {
                Arg::Value(_) | Arg::Owned => args.push(Arg::Owned),
                Arg::Ref(path) | Arg::Mut(path) => {
                    let again = self.need_path(path, at, out);
                    let companion = if !self.activity.place(path.root) {
                        Companion::Zero
                    } else if roots.insert(path.root) {
                        Companion::Place(self.shadow_path(path, at, out))
                    } else {
                        // A second borrow of one shadow goes through a temporary.
                        let ty = self.func.path_ty(path);
                        let shape = self.shape_of(again.clone(), 0, out);
                        let temporary = self.func.place("d_t", ty.clone(), Storage::Local);
                        self.func.at_mut(temporary).mutable = true;
                        self.effect(Kind::NewZero(temporary), vec![shape], out);
                        later.push((self.shadow_path(path, at, out), temporary, ty));
                        Companion::Place(Path::whole(temporary))
                    };
                    companions.push(companion);
                    args.push(if matches!(arg, Arg::Mut(_)) {
                        Arg::Mut(again)
                    } else {
                        Arg::Ref(again)
                    });
                }
            }
        }
        let owned: Vec<Value> = call
            .args
            .iter()
            .filter_map(|arg| {
                if let Arg::Value(v) = arg {
                    Some(*v)
                } else {
                    None
                }
            })
            .collect();
        let bars: Vec<Value> = owned
            .iter()
            .map(|&v| {
                let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
                self.func.value(hint, ty)
            })
            .collect();
        let reversed = crate::ir::Call {
            args,
            form: Form::Backward(companions),
            ..call.clone()
        };
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        build.push(Kind::Call(reversed), vec![back, bar], bars.clone());
        out.append(&mut build.ops);
        for (path, temporary, ty) in later {
            let bar = self.derived(Kind::Take(temporary), Vec::new(), ty, out);
            self.effect(Kind::AddTo(path), vec![bar], out);
        }
        for (v, bar) in owned.into_iter().zip(bars) {
            self.accumulate(v, bar, out);
        }
    }

    /// The reverse of one block of a region, in a scope of its own.
    fn reverse_block(
        &mut self,
        block: &Block,
        prepared: Scope,
        seeds: Vec<(Value, Value)>,
        calls: &HashMap<Pos, Value>,
        olds: &HashMap<Pos, Value>,
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

    fn reverse_conditional(
        &mut self,
        op: &Op,
        calls: &HashMap<Pos, Value>,
        olds: &HashMap<Pos, Value>,
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
        // Outer values that some arm adds to.
        let mut touched: Vec<Value> = Vec::new();
        for (_, scope) in &arms {
            for &(v, _) in &scope.outer {
                if !touched.contains(&v) {
                    touched.push(v);
                }
            }
        }
        if touched.is_empty()
            && arms
                .iter()
                .all(|(block, _)| block.ops.iter().all(Op::is_pure))
        {
            return;
        }
        let mut results = Vec::new();
        for &v in &touched {
            let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
            let existing = self.top().adj.get(&v).copied();
            for (block, scope) in &mut arms {
                let bar = match scope.adj.get(&v).copied().or(existing) {
                    Some(bar) => bar,
                    None => {
                        let mut ops = Vec::new();
                        self.scopes.push(Scope::new(ScopeKind::Arm));
                        self.top().needs.clone_from(&scope.needs);
                        let zero = self.zero(v, op.pos, &mut ops);
                        self.scopes.pop();
                        block.ops.append(&mut ops);
                        zero
                    }
                };
                block.yields.push(bar);
            }
            let result = self.func.value(hint, ty);
            results.push(result);
        }
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
        build.push(kind, args, results.clone()).blocks =
            arms.into_iter().map(|(block, _)| block).collect();
        out.append(&mut build.ops);
        for (v, result) in touched.into_iter().zip(results) {
            let existed = self.top().adj.remove(&v).is_some();
            if existed {
                self.top().adj.insert(v, result);
            } else {
                self.accumulate(v, result, out);
            }
        }
    }

    fn reverse_loop(
        &mut self,
        op: &Op,
        head: &For,
        calls: &HashMap<Pos, Value>,
        olds: &HashMap<Pos, Value>,
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
                let old = block.params[0];
                let (ty, hint) = (self.func.ty(old).clone(), self.func.hint(old).to_owned());
                let again = self.func.value(hint, ty);
                scope.needs.insert(old, again);
                inductions.push(again);
                Domain::Range {
                    inclusive: *inclusive,
                    reversed: !*reversed,
                }
            }
            Domain::Verbatim { .. } | Domain::Count => {
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

    /// The cotangent of a block's parameter at the end of the block's reverse.
    fn finish_component(
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

    /// Runs a loop forward and backward in one pass, if every cotangent it needs is known before it.
    fn fuse(
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
        for &k in &slots {
            match fuse::early(op.results[k], &op.results, &ops[at + 1..], seeds) {
                Early::Never => return None,
                Early::Nothing => {}
                Early::Known(terms) => {
                    let mut total = None;
                    for term in terms {
                        let mut build = Build::new(&mut self.func, Origin::Derived);
                        let c = term.build(&mut build, &ops[at + 1..]);
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

/// Whether the zero tangent of this type can be written down without asking a value.
pub(crate) fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) => true,
        Ty::Array(elem, Some(_)) => is_known(elem),
        Ty::Tuple(parts) => parts
            .iter()
            .all(|p| is_known(p) || matches!(p, Ty::Int | Ty::Bool)),
        _ => false,
    }
}

/// The key under which the shape of a place in a region's block is kept, apart from all positions.
fn shape_key(p: Place) -> Pos {
    Pos::MAX - p.0
}
