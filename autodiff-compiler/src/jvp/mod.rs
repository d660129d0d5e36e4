//! Forward mode: graph to graph. Every active value gets a tangent, every active place a tangent place.

mod arithmetic;
mod call;
mod control;
mod memory;

use rustc_hash::{FxHashMap, FxHashSet};

use quote::quote;

use self::arithmetic::{prim_tangent, settle};
use crate::analysis::{Activity, Node};
use crate::build::Build;
use crate::ir::{
    Block, BlockId, Fold, Func, Kind, Map, Op, Origin, Param, Path, Place, Prim, Shape, To, Ty,
    Value,
};
use crate::maps::{pair, tied};
use crate::print::{Notes, print};
use crate::slopes::{self, Direction, Steep};

/// The graph of `func` with its tangents: one tangent parameter per entry of `wrt`, one tangent per result.
///
/// `None` among the tangent parameters: the parameter has none that anything depends on.
pub(crate) struct Jvp {
    pub(crate) func: Func,
    /// What is a tangent: inputs, and what is computed with them.
    pub(crate) dotted: Dotted,
    /// The tangents of the inputs, in their order.
    pub(crate) tangents: Vec<Option<Param>>,
    /// Whether the tangents of the results may be infinite.
    pub(crate) steep: Steep,
}

impl Jvp {
    /// Guards the products that an infinite slope may meet; says whether a tangent may be one.
    ///
    /// The tangents are those of `results` yields, which stand in front, and those in memory that is lent.
    pub(crate) fn guard(&mut self, activity: &Activity, results: usize) -> Steep {
        let slopes = slopes::guard(&mut self.func, activity, Direction::Forward);
        let yields = self.func.body.yields[results..].iter();
        let lent = self
            .tangents
            .iter()
            .flatten()
            .filter_map(|param| match param {
                Param::Place(p) => Some(Node::Place(*p)),
                Param::Value(_) => None,
            });
        slopes.of_all(yields.map(|&v| Node::Value(v)).chain(lent))
    }
}

/// The values and places of a graph that are tangents.
#[derive(Default)]
pub(crate) struct Dotted {
    values: FxHashSet<Value>,
    places: FxHashSet<Place>,
}

impl Dotted {
    pub(crate) fn value(&self, v: Value) -> bool {
        self.values.contains(&v)
    }

    pub(crate) fn place(&self, p: Place) -> bool {
        self.places.contains(&p)
    }

    /// What is computed with a tangent is one; what a call gives is known already.
    fn spread(&mut self, block: &Block) {
        for op in &block.ops {
            let computes = op.blocks.is_empty() && !matches!(op.kind, Kind::Call(_));
            if computes && op.args.iter().any(|&v| self.value(v)) {
                self.values.extend(&op.results);
            }
            op.blocks.iter().for_each(|inner| self.spread(inner));
        }
    }
}

/// Differentiates along the tangents of the parameters in `wrt`.
pub(crate) fn jvp(func: &Func, activity: &Activity, wrt: &[Param]) -> Jvp {
    let mut dual = forward(func, activity, &Inputs::new(func, wrt), None);
    dual.steep = dual.guard(activity, func.body.yields.len());
    dual
}

/// What a graph is differentiated by.
pub(crate) struct Inputs {
    /// Everything that comes from outside.
    pub(crate) all: Vec<Param>,
    /// Of these, what has a tangent.
    pub(crate) wrt: Vec<Param>,
    /// How many of the results are handed out before the reverse sweep of the graph begins.
    pub(crate) handed_out: usize,
}

impl Inputs {
    /// The parameters of a function.
    pub(crate) fn new(func: &Func, wrt: &[Param]) -> Inputs {
        Inputs {
            all: func.params.clone(),
            wrt: wrt.to_vec(),
            handed_out: 0,
        }
    }
}

/// Carries something along with each active value: its tangent, or what `record` makes of the operations that compute.
///
/// All that only moves values about is the same for both.
pub(crate) fn forward(
    func: &Func,
    activity: &Activity,
    inputs: &Inputs,
    record: Option<&dyn Record>,
) -> Jvp {
    let mut recalls = FxHashMap::default();
    collect_recalls(&func.body, &mut recalls);
    let mut cx = Cx {
        func: func.clone(),
        activity,
        record,
        values: FxHashMap::default(),
        places: FxHashMap::default(),
        dotted: FxHashSet::default(),
        recalls,
        recorded: FxHashMap::default(),
        handed_out: func.body.yields[..inputs.handed_out].to_vec(),
    };
    let mut tangents = Vec::new();
    for &param in &inputs.all {
        let tangent = match param {
            _ if !inputs.wrt.contains(&param) => None,
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
    let mut yields = results.clone();
    for &v in &results {
        yields.push(cx.dot_or_zero(v, &mut body.ops));
    }
    body.yields = yields;
    let mut func = cx.func;
    func.body = body;
    let mut dotted = Dotted {
        values: cx.dotted,
        places: cx.places.into_values().collect(),
    };
    dotted.spread(&func.body);
    Jvp {
        func,
        dotted,
        tangents,
        steep: Steep::default(),
    }
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
    values: FxHashMap<Value, Value>,
    places: FxHashMap<Place, Place>,
    /// Tangents that are not computed from others.
    dotted: FxHashSet<Value>,
    /// Under which names the mirrors of a block recall what the block remembers.
    recalls: FxHashMap<BlockId, Vec<Vec<Value>>>,
    /// Which of the values that a block remembers have tangents there.
    recorded: FxHashMap<BlockId, Vec<usize>>,
    /// Results whose tangents must be there before the reverse sweep begins.
    handed_out: Vec<Value>,
}

/// For each block that remembers, what its mirrors recall: sums that were taken out of a loop recall what it does.
fn collect_recalls(block: &Block, out: &mut FxHashMap<BlockId, Vec<Vec<Value>>>) {
    if let Some(mirror) = block.mirror {
        out.entry(mirror).or_default().push(block.recall.clone());
    }
    for op in &block.ops {
        for inner in &op.blocks {
            collect_recalls(inner, out);
        }
    }
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

/// The zero tangent of a value that is put into a part of a struct.
fn zero_of_part(build: &mut Build<'_>, v: Value) -> Value {
    if build.func.ty(v).may_be_foreign() {
        build.op(Kind::ZeroPart, vec![v], Ty::Unknown, "")
    } else {
        zero_of(build, v)
    }
}

impl Cx<'_> {
    fn fresh(&mut self, v: Value) -> Value {
        let (hint, ty) = (self.dot_hint(v), self.func.ty(v).clone());
        let dot = self.func.value(hint, ty);
        self.dotted.insert(dot);
        dot
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
        self.func.at_mut(dot).tangent = true;
        self.places.insert(p, dot);
        dot
    }

    fn tangent_path(&mut self, path: &Path) -> Path {
        let root = self.tangent_place(path.root);
        path.on(root)
    }

    /// A block with its tangents; what it remembers or recalls has one where its value has one.
    fn block(&mut self, block: &Block) -> Block {
        let mut new = Block {
            ops: Vec::with_capacity(block.ops.len()),
            ..block.clone()
        };
        if let Some(mirror) = block.mirror {
            for k in self.recorded.get(&mirror).cloned().unwrap_or_default() {
                let dot = self.fresh(block.recall[k]);
                self.values.insert(block.recall[k], dot);
                new.recall.push(dot);
            }
        }
        for op in &block.ops {
            self.op(op, &mut new.ops);
        }
        let mirrors = self.recalls.get(&block.id).cloned().unwrap_or_default();
        let mut recorded = Vec::new();
        for (k, v) in block.record.iter().enumerate() {
            let mut again = mirrors.iter().filter_map(|recall| recall.get(k));
            let wanted = again.any(|again| self.activity.value(*again));
            if let (Some(dot), true) = (self.dot(*v), wanted) {
                new.record.push(dot);
                recorded.push(k);
            }
        }
        self.recorded.insert(block.id, recorded);
        new
    }

    fn dot(&self, v: Value) -> Option<Value> {
        self.values.get(&v).copied()
    }

    /// The tangent of `v`, as a zero where it has none.
    fn dot_or_zero(&mut self, v: Value, out: &mut Vec<Op>) -> Value {
        self.dot_or(zero_of, v, out)
    }

    fn dot_or(
        &mut self,
        zero_of: fn(&mut Build<'_>, Value) -> Value,
        v: Value,
        out: &mut Vec<Op>,
    ) -> Value {
        if let Some(dot) = self.dot(v) {
            return dot;
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        let zero = zero_of(&mut build, v);
        out.append(&mut build.ops);
        self.dotted.insert(zero);
        zero
    }

    /// The operation itself, and what its tangents are.
    fn op(&mut self, op: &Op, out: &mut Vec<Op>) {
        match &op.kind {
            Kind::If | Kind::Match(..) | Kind::For(_) | Kind::Switch => self.region(op, out),
            Kind::Call(_) => self.call(op, out),
            Kind::New(_)
            | Kind::NewZero(_)
            | Kind::Load(_)
            | Kind::Take(_)
            | Kind::Owned(..)
            | Kind::Store(_)
            | Kind::AddTo(_)
            | Kind::TakeZero(_)
            | Kind::Replace(_)
            | Kind::Change(..)
            | Kind::Swap(..)
            | Kind::Copy(..)
            | Kind::Fill(_)
            | Kind::Give(..)
            | Kind::SumZero(_) => self.memory(op, out),
            Kind::Prim(_)
            | Kind::Cast(..)
            | Kind::CastLike
            | Kind::Aggregate(_)
            | Kind::Component(_)
            | Kind::WithComponent(_)
            | Kind::Element(_)
            | Kind::Payload
            | Kind::Watch { .. }
            | Kind::SumElements => {
                out.push(op.clone());
                self.compute(op, out);
            }
            Kind::Map(map) => {
                out.push(op.clone());
                self.map(op, map, out);
            }
            Kind::Mark => {
                for v in std::mem::take(&mut self.handed_out) {
                    let dot = self.dot_or_zero(v, out);
                    self.values.insert(v, dot);
                }
                out.push(op.clone());
            }
            // These have no derivative.
            Kind::Lit(_)
            | Kind::Compare(_)
            | Kind::Opaque(_)
            | Kind::ZeroLike
            | Kind::ZeroPart
            | Kind::Zero
            | Kind::ShapeOf(_)
            | Kind::Len(_)
            | Kind::Check(_)
            | Kind::Walked(_)
            | Kind::Leave
            | Kind::Until
            | Kind::AssertSame
            | Kind::Absorbed { .. } => out.push(op.clone()),
            Kind::Need(_) | Kind::Undo(..) => {
                unreachable!("the needs of a reverse sweep are met before it is differentiated")
            }
        }
    }

    /// The tangents of the results of a kernel, by another.
    fn map(&mut self, op: &Op, map: &Map, out: &mut Vec<Op>) {
        let dots: Vec<Option<Value>> = op.args.iter().map(|&v| self.dot(v)).collect();
        if dots.iter().all(Option::is_none) {
            return;
        }
        if let (Some(axis), [Some(dot)]) = (map.most(), dots.as_slice()) {
            return self.most(op, map, axis, *dot, out);
        }
        let moved: Vec<bool> = dots.iter().map(Option::is_some).collect();
        let original = map;
        let (map, kept) = map.forward(&moved);
        let operands: Vec<Value> = op
            .args
            .iter()
            .copied()
            .chain(dots.into_iter().flatten())
            .collect();
        // How many entries there are is a constant.
        let moving = original.to.iter().zip(&op.results);
        let moving: Vec<Value> = (moving.filter(|(to, _)| !to.is_count()))
            .map(|(_, &y)| y)
            .collect();
        let tangents: Vec<Value> = moving.iter().map(|&y| self.fresh(y)).collect();
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        let args = kept.iter().map(|&k| operands[k]).collect();
        build.push(Kind::Map(map), args, tangents.clone());
        out.append(&mut build.ops);
        for (&y, dot) in moving.iter().zip(tangents) {
            self.bind(op, y, dot, out);
        }
    }

    /// The mean of the tangents of those that are tied in being the largest.
    fn most(&mut self, op: &Op, map: &Map, axis: isize, dot: Value, out: &mut Vec<Op>) {
        let (x, y) = (op.args[0], op.results[0]);
        let [sum, count, mean] = [(); 3].map(|()| self.fresh(y));
        let along = To::Along(Fold::Sum, axis);
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        let [moved, all] = [true, false].map(|moved| Kind::Map(tied(&map.number, along, moved)));
        build.push(moved, vec![x, y, dot], vec![sum]);
        build.push(all, vec![x, y], vec![count]);
        let share = Kind::Map(pair(&map.number, Prim::Div, "max"));
        build.push(share, vec![sum, count], vec![mean]);
        out.append(&mut build.ops);
        self.bind(op, y, mean, out);
    }

    /// The tangent of the one result of an operation without effects.
    fn compute(&mut self, op: &Op, out: &mut Vec<Op>) {
        let y = op.results[0];
        if !self.activity.value(y) {
            return;
        }
        let hint = self.dot_hint(y);
        let ty = match &op.kind {
            Kind::Cast(_, ty, _) => ty.clone(),
            _ => self.func.ty(y).clone(),
        };
        let dots: Vec<Option<Value>> = op.args.iter().map(|&v| self.dot(v)).collect();
        // The operands of which one without tangent needs a zero.
        let moved = dots.iter().any(Option::is_some);
        let zeros = match &op.kind {
            // The second operand is a zero to start with.
            Kind::SumElements => 1..2,
            // The length of a vector is none of its contents.
            Kind::Aggregate(Shape::VecRepeat) if moved => 0..1,
            Kind::Aggregate(shape) if moved && !matches!(shape, Shape::Struct(_)) => {
                0..op.args.len()
            }
            Kind::WithComponent(_) if moved => 0..op.args.len(),
            _ => 0..0,
        };
        let mut filled = dots.clone();
        for k in zeros.clone() {
            filled[k] = Some(self.dot_or_zero(op.args[k], out));
        }
        if matches!(op.kind, Kind::Aggregate(Shape::VecRepeat)) {
            filled[1] = None;
        }
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        if let Some(record) = self.record {
            if let Some(made) = record.compute(&mut build, op, &dots) {
                out.append(&mut build.ops);
                self.values.insert(y, made);
                return;
            }
        }
        // What is linear in its first operand.
        let linear = |build: &mut Build<'_>, more: &[Value]| {
            dots[0].map(|d| {
                let mut args = vec![d];
                args.extend(more);
                build.op(op.kind.clone(), args, ty.clone(), &hint)
            })
        };
        let dot = match &op.kind {
            Kind::Prim(prim) => prim_tangent(&mut build, *prim, op, &dots),
            // Tangents pass: the code is about cotangents.
            Kind::Watch { .. } => dots[0],
            Kind::Component(_) if build.func.ty(op.args[0]).is_user() => {
                linear(&mut build, &[]).map(|dot| settle(&mut build, y, dot))
            }
            Kind::Cast(..) | Kind::Component(_) | Kind::Element(_) | Kind::Payload => {
                linear(&mut build, &[])
            }
            Kind::CastLike => linear(&mut build, &op.args[1..]),
            Kind::Aggregate(Shape::Struct(construct)) if moved => {
                let base = dots.last().copied().flatten().filter(|_| construct.base);
                let mut whole = match base {
                    Some(dot) => dot,
                    None => build.op(Kind::ZeroLike, vec![y], Ty::User, &hint),
                };
                for (k, part) in construct.tangents.iter().enumerate() {
                    let inert = build.func.ty(op.args[k]).is_inert();
                    let dot = match dots[k] {
                        Some(dot) => dot,
                        None if base.is_none() || inert => continue,
                        None => zero_of_part(&mut build, op.args[k]),
                    };
                    let with = Kind::WithComponent(part.clone());
                    whole = build.op(with, vec![whole, dot], Ty::User, &hint);
                }
                Some(whole)
            }
            Kind::SumElements => {
                let zero: Vec<Value> = filled[1..].iter().copied().flatten().collect();
                linear(&mut build, &zero)
            }
            Kind::WithComponent(_) | Kind::Aggregate(_) if !zeros.is_empty() => {
                let args = filled.iter().zip(&op.args);
                let args: Vec<Value> = args.map(|(dot, &v)| dot.unwrap_or(v)).collect();
                Some(build.op(op.kind.clone(), args, ty.clone(), &hint))
            }
            _ => None,
        };
        out.append(&mut build.ops);
        if let Some(dot) = dot {
            self.bind(op, y, dot, out);
        }
    }

    fn dot_hint(&self, v: Value) -> String {
        match self.func.hint(v) {
            "" => String::new(),
            hint => format!("{hint}_dot"),
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
}

/// Forward mode with the tangents of the parameters.
pub(crate) fn printed(dual: &Jvp) -> String {
    let notes = Notes {
        extra: dual.tangents.iter().flatten().copied().collect(),
        ..Notes::default()
    };
    print(&dual.func, &notes)
}
