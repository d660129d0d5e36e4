//! Reverse mode: graph to graph. The forward sweep is the primal; the reverse sweep walks it backwards and carries adjoints.
//!
//! The reverse sweep is written naively: wherever it mentions a primal value it says [`Kind::Need`], and after each store [`Kind::Undo`].
//! `remember` decides afterwards how each need is met.
//!
//! Where the seed is known before the call, a loop whose active carried values are sums alone runs forward and backward in one pass
//! ([`Cx::fuse`]); a loop body that holds both sweeps is a *segment* like the function body itself.

mod adjoints;
mod call;
mod control;
mod fused;
mod memory;
mod operations;

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

use quote::quote;

use self::fused::Behind;
use crate::analysis::{Activity, Node, lent};
use crate::build::Build;
use crate::fuse::Calls;
use crate::ir::{
    Block, Domain, Form, Func, Kind, Map, Op, Origin, Param, Path, Place, Pos, Prim, Shape,
    Storage, Ty, Value, Width,
};
use crate::print::{Notes, print};
use crate::scratch::Relied;
use crate::slopes::{Slopes, Steep};

/// The position after all others: what is needed there may not have changed since.
const LAST: Pos = Pos::MAX;

/// When the cotangent of the result is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seed {
    /// Before the call: loops may fuse.
    Early,
    /// The same, and calls may be given theirs; such a graph is not differentiated again.
    AtOnce,
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
    /// Whether the cotangents that it gives may be infinite slopes.
    pub(crate) steep: Steep,
    /// What it takes for granted of functions that are called.
    pub(crate) relied: Relied,
    /// All that takes time is one program of kernels, of both sweeps.
    pub(crate) program: bool,
}

impl Vjp {
    /// Keeps in mind which of the cotangents that it gives may be infinite.
    pub(crate) fn find_steep(&mut self, slopes: &Slopes) {
        let yields = self.func.body.yields.iter().map(|&v| Node::Value(v));
        let shadows = self.shadows.iter().flatten().map(|&p| Node::Place(p));
        self.steep = slopes.of_all(yields.chain(shadows));
    }
}

/// Both sweeps of `func`; its body yields the result (if any), then the cotangent of each owned parameter in `wrt`.
///
/// The calls at the positions in `at_once` are given their seeds if these are known; `trusting`, callees are relied on.
pub(crate) fn vjp(
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
    seed: Seed,
    mut at_once: FxHashSet<Pos>,
    trusting: bool,
) -> Vjp {
    loop {
        // What is not known of one call may decide about others.
        match sweeps(func, activity, wrt, seed, (&at_once, trusting)) {
            Ok(both) => return both,
            Err(late) => at_once.retain(|pos| !late.contains(pos)),
        }
    }
}

/// Both sweeps, or the calls that cannot be given their seeds.
fn sweeps(
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
    seed: Seed,
    (at_once, trusting): (&FxHashSet<Pos>, bool),
) -> Result<Vjp, FxHashSet<Pos>> {
    let mut cx = Cx {
        func: func.clone(),
        activity,
        seed,
        shadows: FxHashMap::default(),
        created: FxHashSet::default(),
        levels: FxHashMap::default(),
        scopes: Vec::new(),
        kept: FxHashMap::default(),
        pulled: FxHashMap::default(),
        shapes: FxHashMap::default(),
        lent: lent(&func.body.ops, activity, at_once),
        at_once,
        relied: trusting.then(RefCell::default),
        late: FxHashSet::default(),
        known: FxHashSet::default(),
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
    if !cx.late.is_empty() {
        return Err(cx.late);
    }
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
                        ty @ Ty::Float(_) => {
                            let ty = ty.clone();
                            end.literal(quote!(0.0), ty)
                        }
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
    Ok(Vjp {
        func,
        split,
        seed: seed_value,
        shadows,
        steep: Steep::default(),
        relied: cx.relied.map(RefCell::into_inner).unwrap_or_default(),
        program: false,
    })
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
    adj: FxHashMap<Value, Value>,
    /// Cotangents of the components of a tuple, until the tuple itself is reached.
    components: FxHashMap<Value, Vec<Option<Value>>>,
    needs: FxHashMap<Value, Value>,
    /// In a loop: outer values whose adjoint is carried, with the block parameter. In an arm: outer values touched.
    outer: Vec<(Value, Value)>,
}

impl Scope {
    fn new(kind: ScopeKind) -> Scope {
        Scope {
            kind,
            adj: FxHashMap::default(),
            components: FxHashMap::default(),
            needs: FxHashMap::default(),
            outer: Vec::new(),
        }
    }
}

struct Cx<'a> {
    func: Func,
    activity: &'a Activity,
    seed: Seed,
    shadows: FxHashMap<Place, Place>,
    /// Places whose shadow exists already.
    created: FxHashSet<Place>,
    /// The scope in which a primal value is local.
    levels: FxHashMap<Value, usize>,
    scopes: Vec<Scope>,
    /// What is kept for the operands of an operator, by its result.
    kept: FxHashMap<(Value, usize), Value>,
    /// The kernels that give cotangents, by the result, with the operands of the primal that each has and what it is given of the primal's own.
    pulled: FxHashMap<Value, (Map, Vec<usize>, Vec<Value>)>,
    /// The shapes of what goes into fields, by operation and operand.
    shapes: FxHashMap<(Pos, usize), Value>,
    /// Places that pullbacks borrow again.
    lent: FxHashSet<Place>,
    /// The calls that are to be given their seeds.
    at_once: &'a FxHashSet<Pos>,
    /// What callees are relied on for, if they may be.
    relied: Option<RefCell<Relied>>,
    /// Of these, the ones whose seeds are not known in time.
    late: FxHashSet<Pos>,
    /// Values whose cotangents were known before their uses were reversed: nothing is added to these any more.
    known: FxHashSet<Value>,
}

/// What a loop, a conditional or a call that was reversed at once leaves for the reverse sweep to add: contributions to values.
type Fused = Vec<(Value, Value)>;

impl Cx<'_> {
    /// What is known of calls.
    fn callees(&self) -> Calls<'_> {
        Calls {
            at_once: self.at_once,
            relied: self.relied.as_ref(),
        }
    }

    fn shadow(&mut self, p: Place) -> Place {
        if let Some(&shadow) = self.shadows.get(&p) {
            return shadow;
        }
        let data = self.func.at(p).clone();
        let shadow = self
            .func
            .place(format!("d_{}", data.hint), data.ty, data.storage);
        self.func.at_mut(shadow).mutable = true;
        self.func.at_mut(shadow).tangent = true;
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
        let mut fused: FxHashMap<Pos, Fused> = FxHashMap::default();
        // Local places of this block need a shadow before anything is added to it.
        let mut local_places: Vec<(Place, Option<Value>)> =
            shadows.iter().map(|&p| (p, None)).collect();
        let mut calls = FxHashMap::default();
        let mut olds = FxHashMap::default();
        let settled = settled(&self.func, ops);
        for (at, op) in ops.iter().enumerate() {
            for &v in &op.results {
                self.levels.insert(v, depth);
            }
            if self.seed != Seed::Late {
                let behind = Behind {
                    later: &ops[at + 1..],
                    seeds: &seeds,
                };
                if let Some((mut ops, left)) = self.fuse(op, behind, &mut local_places) {
                    forward.append(&mut ops);
                    fused.insert(op.pos, left);
                    continue;
                }
            }
            self.forward(op, &mut forward, &mut local_places, &mut calls, &mut olds);
            self.settle(op, &settled[at], &mut forward, &mut local_places);
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
                for (v, bar) in left {
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
        calls: &mut FxHashMap<Pos, Value>,
        olds: &mut FxHashMap<Pos, Value>,
    ) {
        let mut new = op.clone();
        match &op.kind {
            Kind::New(p) if self.activity.place(*p) => {
                out.push(new);
                if is_known(&self.func.at(*p).ty) {
                    local_places.push((*p, None));
                }
                return;
            }
            Kind::Prim(Prim::Operator(operator)) if self.activity.value(op.results[0]) => {
                self.keep(*operator, op, out);
            }
            Kind::Map(map) if self.activity.value(op.results[0]) && map.most().is_none() => {
                self.pull(map, op, &mut new, out);
            }
            Kind::Aggregate(Shape::Struct(_)) if self.activity.value(op.results[0]) => {
                for k in 0..op.args.len() {
                    self.shape(op, k, out);
                }
            }
            Kind::Store(path) if self.activity.place(path.root) => {
                // A vector may be replaced by one of another length.
                if !op.reshapes(&self.func).is_empty() {
                    let shape = self.shape_of(path.clone(), op.pos, out);
                    // This is the first to find out that there is no such element.
                    if let Some(of) = out.last_mut() {
                        of.span = op.span;
                    }
                    olds.insert(op.pos, shape);
                }
                if self.func.through_field(path) {
                    self.shape(op, 0, out);
                }
            }
            Kind::AddTo(path) | Kind::Change(_, path)
                if self.activity.place(path.root) && self.func.through_field(path) =>
            {
                if let Some(last) = op.args.len().checked_sub(1) {
                    self.shape(op, last, out);
                }
            }
            Kind::Call(call) if self.activity.concerns(op) => {
                if self.at_once.contains(&op.pos) {
                    self.late.insert(op.pos);
                }
                let mut call = call.clone();
                call.form = Form::Forward(Vec::new());
                let back = self.func.value("back", Ty::Unknown);
                let depth = self.depth();
                self.levels.insert(back, depth);
                new.results.push(back);
                new.kind = Kind::Call(call);
                calls.insert(op.pos, back);
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
                if !matches!(head.domain, Domain::Range { .. }) || op.exits() {
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

    /// Looks at the shape of what goes into a field: its cotangent, if the struct declared that a constant.
    fn shape(&mut self, op: &Op, k: usize, out: &mut Vec<Op>) {
        if self.activity.value(op.args[k]) {
            self.shape_of_operand(op, k, out);
        }
    }

    /// Looks at the shape of an operand, unless it is a number.
    fn shape_of_operand(&mut self, op: &Op, k: usize, out: &mut Vec<Op>) {
        let v = op.args[k];
        if matches!(self.func.ty(v), Ty::Float(Width::F32 | Width::F64)) {
            return;
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        let shape = build.op(Kind::Prim(Prim::Shape), vec![v], Ty::Inert, "shape");
        for new in &mut build.ops {
            new.pos = op.pos;
        }
        out.append(&mut build.ops);
        self.shapes.insert((op.pos, k), shape);
    }

    /// Looks at the shape of places that `op` was the last to change: it is that of the shadow the reverse sweep begins with.
    fn settle(
        &mut self,
        op: &Op,
        places: &[Place],
        out: &mut Vec<Op>,
        local_places: &mut Vec<(Place, Option<Value>)>,
    ) {
        for &p in places {
            if self.activity.place(p) && !is_known(&self.func.at(p).ty) {
                let shape = self.shape_of(Path::whole(p), op.pos, out);
                local_places.push((p, Some(shape)));
            }
        }
    }

    /// The forward sweep of the blocks of a region.
    fn region(
        &mut self,
        op: &mut Op,
        calls: &mut FxHashMap<Pos, Value>,
        olds: &mut FxHashMap<Pos, Value>,
    ) {
        for block in &mut op.blocks {
            let ops = std::mem::take(&mut block.ops);
            let mut unused = Vec::new();
            let settled = settled(&self.func, &ops);
            for (op, places) in ops.iter().zip(&settled) {
                self.forward(op, &mut block.ops, &mut unused, calls, olds);
                self.settle(op, places, &mut block.ops, &mut unused);
            }
            // Shapes of the block's places are looked up again when the block is reversed.
            for (p, shape) in unused {
                if let Some(shape) = shape {
                    olds.insert(shape_key(p), shape);
                }
            }
        }
    }
}

/// For each operation the places made here whose shape it is the last to change.
fn settled(func: &Func, ops: &[Op]) -> Vec<Vec<Place>> {
    let mut last: FxHashMap<Place, usize> = FxHashMap::default();
    for (k, op) in ops.iter().enumerate() {
        if let Kind::New(p) = &op.kind {
            last.insert(*p, k);
        }
        op.walk(&mut |inner| {
            for p in inner.reshapes(func) {
                if let Some(at) = last.get_mut(&p) {
                    *at = k;
                }
            }
        });
    }
    let mut out = vec![Vec::new(); ops.len()];
    for (p, k) in last {
        out[k].push(p);
    }
    out.iter_mut().for_each(|places| places.sort());
    out
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

/// Both sweeps with the parameters that the reverse sweep adds.
pub(crate) fn printed(both: &Vjp) -> String {
    let seed = both.seed.map(Param::Value);
    let borrowed = |p: &Place| both.func.at(*p).storage != Storage::Owned;
    let shadows = both.shadows.iter().flatten().copied().filter(borrowed);
    let notes = Notes {
        extra: seed.into_iter().chain(shadows.map(Param::Place)).collect(),
        split: Some(both.split),
        ..Notes::default()
    };
    print(&both.func, &notes)
}
