//! Which products of derivatives may meet an infinite slope, and are guarded: a zero absorbs it.
//!
//! A partial that may be infinite or undefined and a quotient give a *steep* slope, on which zero times infinity is zero ([`Prim::Smul`], [`Prim::Sdiv`]).
//! The slope travels, with tangents forward and with cotangents backward, through sums, copies, memory and loops, and through products with what does not
//! depend on a parameter, until it meets the first product with a factor that does. Each product on the way absorbs ([`Prim::Absorb`]).
//! What a call gives is steep if the type of the function says so; a product that only such a slope meets asks the type.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::analysis::{self, Activity, Node};
use crate::build::Build;
use crate::ir::{
    Arg, Asks, Block, Call, Companion, Form, Func, Kind, Map, Op, Operator, Origin, Param, Path,
    Place, Prim, Ty, Value,
};
use crate::rules;

/// Whether something may be an infinite slope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steep {
    always: bool,
    /// It may be if one of these functions can give one: the types that carry their derivatives, by their text.
    callees: BTreeMap<String, TokenStream>,
}

impl Steep {
    pub(crate) const ALWAYS: Steep = Steep {
        always: true,
        callees: BTreeMap::new(),
    };

    pub(crate) fn join(mut self, other: Steep) -> Steep {
        self.always |= other.always;
        self.callees.extend(other.callees);
        self
    }

    fn is_never(&self) -> bool {
        !self.always && self.callees.is_empty()
    }

    /// The same where the types of functions that are called cannot be asked: a function's own, and those that only its body can name.
    pub(crate) fn without_callees(self) -> Steep {
        if self.callees.is_empty() {
            self
        } else {
            Steep::ALWAYS
        }
    }

    /// Whether, as a constant expression.
    pub(crate) fn tokens(&self) -> TokenStream {
        let callees = self.callees.values();
        match self {
            Steep { always: true, .. } => quote!(true),
            Steep { callees, .. } if callees.is_empty() => quote!(false),
            Steep { .. } => quote!(#(#callees::__STEEP)||*),
        }
    }
}

/// The values and places of a graph that may be, or hold, infinite slopes.
pub(crate) struct Slopes {
    always: FxHashSet<Node>,
    callees: Vec<(String, TokenStream, FxHashSet<Node>)>,
}

impl Slopes {
    fn of(&self, node: Node) -> Steep {
        let callees = self
            .callees
            .iter()
            .filter(|(.., from)| from.contains(&node));
        Steep {
            always: self.always.contains(&node),
            callees: callees
                .map(|(text, owner, _)| (text.clone(), owner.clone()))
                .collect(),
        }
    }

    /// Of all of these together.
    pub(crate) fn of_all(&self, nodes: impl IntoIterator<Item = Node>) -> Steep {
        let nodes = nodes.into_iter().map(|node| self.of(node));
        nodes.fold(Steep::default(), Steep::join)
    }
}

/// Guards the products of a graph with derivatives that an infinite slope may meet.
///
/// `activity` is that of the graph from which it was made: it knows which factors depend on a parameter.
pub(crate) fn guard(func: &mut Func, activity: &Activity, direction: Direction) -> Slopes {
    let facts = Facts::new(func, activity);
    let mut seeds = Seeds::default();
    // Where the value itself is infinite, so is what follows from it, and nothing backward depends on more.
    if direction == Direction::Forward {
        func.overflows.clear();
    }
    let edges = analysis::edges(func, |op, edges| match &op.kind {
        Kind::Prim(prim) => facts.arithmetic(func, *prim, op, edges, &mut seeds),
        Kind::Map(map) if op.origin == Origin::Derived => {
            through_kernel(&facts, map, op, edges, &mut seeds.always);
        }
        Kind::Map(_) => {}
        Kind::Call(call) => through_call(call, op, edges, &mut seeds),
        _ => analysis::op_edges(func, op, edges),
    });
    let slopes = Slopes {
        always: analysis::reach(&edges, seeds.always, |edge| edge),
        callees: (seeds.callees.into_iter())
            .map(|(text, (owner, from))| (text, owner, analysis::reach(&edges, from, |edge| edge)))
            .collect(),
    };
    let mut body = std::mem::take(&mut func.body.ops);
    facts.rewrite(func, &mut body, &slopes, 0);
    func.body.ops = body;
    slopes
}

/// Which way slopes travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// Where slopes may come to be infinite.
#[derive(Default)]
struct Seeds {
    always: Vec<Node>,
    callees: BTreeMap<String, (TokenStream, Vec<Node>)>,
}

/// How a value is made, as far as it matters here.
enum Def {
    /// A literal; NaN if it is no number.
    Literal(f64),
    /// The same value at another time.
    Again(Value),
    /// From these values by arithmetic.
    Prim(Prim, Vec<Value>, Origin),
    /// From these values, by a derivative.
    Made(Vec<Value>),
    Read(Place),
}

pub(crate) struct Facts<'a> {
    activity: &'a Activity,
    defs: FxHashMap<Value, Def>,
    /// In how many of the loops around it a value is another one in each round.
    loops: FxHashMap<Value, u32>,
}

type Edges = Vec<(Node, Node)>;

impl<'a> Facts<'a> {
    pub(crate) fn new(func: &Func, activity: &'a Activity) -> Facts<'a> {
        let mut facts = Facts {
            activity,
            defs: FxHashMap::default(),
            loops: FxHashMap::default(),
        };
        facts.collect(&func.body, 0);
        facts
    }

    fn collect(&mut self, block: &Block, loops: u32) {
        // What each round hands on as it is comes from outside.
        let made = block.params.iter().filter(|v| !block.yields.contains(v));
        let made = made.chain(&block.recall);
        self.loops.extend(made.map(|&v| (v, loops)));
        for op in &block.ops {
            let made = match &op.kind {
                // Where its operands are the same in every round, so is what is computed of them.
                Kind::Prim(_) => {
                    let around = op.args.iter().map(|&v| self.loops_around(v));
                    around.max().unwrap_or(0)
                }
                _ => loops,
            };
            self.loops.extend(op.results.iter().map(|&v| (v, made)));
            let def = match &op.kind {
                Kind::Lit(tokens) => Some(Def::Literal(number(tokens))),
                Kind::Need(_) => Some(Def::Again(op.args[0])),
                Kind::Prim(prim) => Some(Def::Prim(*prim, op.args.clone(), op.origin)),
                _ if op.origin == Origin::User => None,
                Kind::Cast(..)
                | Kind::CastLike
                | Kind::Component(_)
                | Kind::Element(_)
                | Kind::Payload => Some(Def::Made(op.args.clone())),
                Kind::Load(path) => Some(Def::Read(path.root)),
                _ => None,
            };
            if let (Some(def), Some(&y)) = (def, op.results.first()) {
                self.defs.insert(y, def);
            }
            let inside = loops + u32::from(matches!(op.kind, Kind::For(_)));
            for inner in &op.blocks {
                self.collect(inner, inside);
            }
        }
    }

    fn loops_around(&self, v: Value) -> u32 {
        self.loops.get(&v).copied().unwrap_or(0)
    }

    fn def(&self, v: Value) -> Option<&Def> {
        match self.defs.get(&v) {
            Some(Def::Again(v)) => self.def(*v),
            def => def,
        }
    }

    /// The value that this is, perhaps at another time.
    fn same(&self, v: Value) -> Value {
        match self.defs.get(&v) {
            Some(Def::Again(v)) => self.same(*v),
            _ => v,
        }
    }

    /// A literal that is neither zero nor infinite, in `f32` as well.
    fn is_literal(&self, v: Value) -> bool {
        #[allow(clippy::cast_possible_truncation, reason = "that is what is asked")]
        match self.def(v) {
            Some(Def::Literal(x)) => (*x as f32).is_normal(),
            Some(Def::Prim(Prim::Neg, args, _)) => self.is_literal(args[0]),
            _ => false,
        }
    }

    /// Surely not negative, or NaN; `depth` is how far is looked.
    fn is_positive(&self, v: Value, depth: u32) -> bool {
        let positive = |v: &Value| depth > 0 && self.is_positive(*v, depth - 1);
        match self.def(v) {
            Some(Def::Literal(x)) => *x >= 0.0,
            Some(Def::Prim(Prim::Mul, args, _)) if self.same(args[0]) == self.same(args[1]) => true,
            Some(Def::Prim(Prim::Add | Prim::Mul | Prim::Div, args, _)) => {
                args.iter().all(positive)
            }
            Some(Def::Prim(Prim::Rule(row), ..)) => POSITIVE.contains(&rules::rule(*row).name),
            _ => false,
        }
    }

    /// Surely larger than some number above zero, or NaN.
    fn is_apart(&self, v: Value, depth: u32) -> bool {
        let apart = |v: &Value| depth > 0 && self.is_apart(*v, depth - 1);
        match self.def(v) {
            Some(Def::Literal(x)) => *x > 0.0 && self.is_literal(v),
            Some(Def::Prim(Prim::Add, args, _)) => {
                args.iter().any(apart) && args.iter().all(|&v| self.is_positive(v, depth))
            }
            Some(Def::Prim(Prim::Rule(row), args, _)) => match rules::rule(*row).name {
                "cosh" => true,
                "sqrt" => args.iter().all(apart),
                "max" | "hypot" => args.iter().any(|&v| self.is_apart(v, depth)),
                _ => false,
            },
            _ => false,
        }
    }

    /// A quotient's slope by its divisor, `q y`: that of which quotient.
    fn by_divisor(&self, op: &Op) -> Option<(Value, Value)> {
        let (Def::Prim(Prim::Sdiv, q, _), Def::Prim(Prim::Div, y, _)) =
            (self.def(op.args[0])?, self.def(op.args[1])?)
        else {
            return None;
        };
        (self.same(q[1]) == self.same(y[1])).then(|| (q[0], q[1]))
    }

    /// Whether a derivative's product or quotient has an infinite slope only if it meets one.
    fn is_bounded(&self, prim: Prim, op: &Op) -> bool {
        match prim {
            Prim::Sdiv => self.is_apart(op.args[1], DEPTH),
            Prim::Smul => {
                let of = self.by_divisor(op);
                of.is_some_and(|(_, divisor)| self.is_apart(divisor, DEPTH))
            }
            _ => false,
        }
    }

    /// A constant, unless it is seen not to be zero.
    pub(crate) fn may_be_constant_zero(&self, v: Value) -> bool {
        self.is_fixed(v) && !self.is_literal(v)
    }

    /// Does not depend on a parameter.
    pub(crate) fn is_fixed(&self, v: Value) -> bool {
        !self.activity.value(v)
            && match self.defs.get(&v) {
                Some(Def::Again(v)) => self.is_fixed(*v),
                Some(Def::Made(args) | Def::Prim(_, args, Origin::Derived)) => {
                    args.iter().all(|&v| self.is_fixed(v))
                }
                Some(Def::Read(p)) => !self.activity.place(*p),
                Some(Def::Literal(_) | Def::Prim(..)) | None => true,
            }
    }

    /// Where a slope goes through arithmetic, and where it may come to be infinite.
    fn arithmetic(&self, func: &Func, prim: Prim, op: &Op, edges: &mut Edges, seeds: &mut Seeds) {
        let y = Node::Value(op.results[0]);
        if op.origin == Origin::User {
            return;
        }
        let mut pass = |k: usize| edges.push((Node::Value(op.args[k]), y));
        match prim {
            Prim::Add | Prim::Sub | Prim::Neg | Prim::Number | Prim::Settle => {
                (0..op.args.len()).for_each(pass);
            }
            // What was chosen passes whole.
            Prim::Select => pass(0),
            Prim::Mul | Prim::Zmul | Prim::Absorb(_) => {
                for k in (0..2).filter(|&k| self.is_fixed(op.args[1 - k])) {
                    pass(k);
                }
            }
            Prim::Smul | Prim::Sdiv if self.is_bounded(prim, op) => {
                if self.is_fixed(op.args[1]) {
                    pass(0);
                }
            }
            Prim::Sdiv if self.is_literal(op.args[1]) => pass(0),
            Prim::Smul if func.overflows.contains(&op.results[0]) => {}
            Prim::Smul | Prim::Sdiv => seeds.always.push(y),
            Prim::Div if self.is_fixed(op.args[1]) => pass(0),
            // Of these only the runtime knows whether they divide.
            Prim::Back(operator, _)
            | Prim::Fore(operator, _)
            | Prim::DotBack(operator, ..)
            | Prim::DotKeep(operator, ..)
                if divides(operator) =>
            {
                seeds.always.push(y);
            }
            Prim::Back(..) | Prim::Fore(..) | Prim::DotBack(..) | Prim::DotKeep(..) => {
                (0..op.args.len()).for_each(pass);
            }
            Prim::Div
            | Prim::Rule(_)
            | Prim::Linked
            | Prim::Shape
            | Prim::Operator(_)
            | Prim::Keep(..) => {}
        }
    }

    fn rewrite(&self, func: &mut Func, ops: &mut Vec<Op>, slopes: &Slopes, loops: u32) {
        for mut op in std::mem::take(ops) {
            let inside = loops + u32::from(matches!(op.kind, Kind::For(_)));
            for block in &mut op.blocks {
                self.rewrite(func, &mut block.ops, slopes, inside);
            }
            if op.origin == Origin::Derived {
                self.product(func, &mut op, slopes, loops, ops);
                self.kernel(&mut op, slopes);
            }
            ops.push(op);
        }
    }

    /// Guards the products within a kernel.
    fn kernel(&self, op: &mut Op, slopes: &Slopes) {
        let Kind::Map(map) = &mut op.kind else { return };
        let inner = activity_within(self, map, &op.args);
        let facts = Facts::new(&map.func, &inner);
        let (edges, mut from) = slopes_within(&facts, map);
        // A kernel cannot ask the type of a function.
        let steep = |v: &Value| !slopes.of(Node::Value(*v)).is_never();
        let given = map.parameters().into_iter().zip(&op.args);
        from.extend(given.filter(|(_, v)| steep(v)).map(|(v, _)| Node::Value(v)));
        let within = Slopes {
            always: analysis::reach(&edges, from, |edge| edge),
            callees: Vec::new(),
        };
        let mut func = Func::clone(&map.func);
        let mut body = std::mem::take(&mut func.body.ops);
        facts.rewrite(&mut func, &mut body, &within, 0);
        func.body.ops = body;
        map.func = Rc::new(func);
    }

    /// The form that a product or quotient needs.
    fn product(
        &self,
        func: &mut Func,
        op: &mut Op,
        slopes: &Slopes,
        loops: u32,
        out: &mut Vec<Op>,
    ) {
        let Kind::Prim(prim) = op.kind else { return };
        let steep = |v: Value| slopes.of(Node::Value(v));
        let (y, d) = (op.results[0], op.args[0]);
        match prim {
            Prim::Sdiv if self.is_literal(op.args[1]) => op.kind = Kind::Prim(Prim::Div),
            Prim::Sdiv | Prim::Smul => {
                // The slope by a divisor is infinite together with the quotient's, which is no zero then.
                let given = self.by_divisor(op).map_or(d, |(d, _)| d);
                let mild = prim == Prim::Smul && steep(given).is_never() || steep(d).is_never();
                match prim {
                    Prim::Sdiv if mild && self.is_bounded(prim, op) => {
                        op.kind = Kind::Prim(Prim::Div);
                    }
                    Prim::Smul if mild && self.is_bounded(prim, op) => {
                        op.kind = Kind::Prim(Prim::Mul);
                    }
                    _ if mild => {
                        func.mild.insert(y);
                    }
                    _ => {
                        func.mild.remove(&y);
                    }
                }
            }
            Prim::Div if !steep(d).is_never() => op.kind = Kind::Prim(Prim::Sdiv),
            Prim::Mul => {
                let met = |k: usize| !self.is_literal(op.args[1 - k]);
                let [slope, other] = [0, 1].map(|k| {
                    let slope = met(k).then(|| steep(op.args[k]));
                    slope.unwrap_or_default()
                });
                if !other.is_never() {
                    op.kind = Kind::Prim(Prim::Zmul);
                } else if !slope.is_never() {
                    if !slope.always {
                        let mut build = Build::new(func, Origin::Derived);
                        build.span = op.span;
                        op.args.push(build.literal(slope.tokens(), Ty::Bool));
                        out.append(&mut build.ops);
                    }
                    op.kind = Kind::Prim(Prim::Absorb(if self.loops_around(d) < loops {
                        Asks::Slope
                    } else {
                        Asks::Partial
                    }));
                }
            }
            _ => {}
        }
    }
}

fn divides(operator: Operator) -> bool {
    ["/", "%", "/=", "%="].contains(&operator.sign)
}

/// How far is looked for what a divisor is made of.
const DEPTH: u32 = 6;

/// Rows whose values are not negative.
const POSITIVE: &[&str] = &[
    "abs", "sqrt", "exp", "exp2", "cosh", "hypot", "sigmoid", "softplus", "relu",
];

/// The number that a literal is.
pub(crate) fn number(tokens: &TokenStream) -> f64 {
    let text = tokens.to_string().replace([' ', '_'], "");
    let text = text.trim_end_matches("f64").trim_end_matches("f32");
    text.parse().unwrap_or(f64::NAN)
}

/// Which values within a kernel depend on a parameter.
fn activity_within(facts: &Facts<'_>, map: &Map, args: &[Value]) -> Activity {
    let moving = map.func.params.iter().zip(args);
    let moving: Vec<Param> = moving
        .filter(|(_, v)| !facts.is_fixed(**v))
        .map(|(p, _)| *p)
        .collect();
    analysis::activity(&map.func, &moving)
}

/// Where slopes go within a kernel, and where they may come to be infinite.
fn slopes_within(facts: &Facts<'_>, map: &Map) -> (Edges, Vec<Node>) {
    let mut seeds = Seeds::default();
    let edges = analysis::edges(&map.func, |op, edges| match &op.kind {
        Kind::Prim(prim) => facts.arithmetic(&map.func, *prim, op, edges, &mut seeds),
        _ => analysis::op_edges(&map.func, op, edges),
    });
    (edges, seeds.always)
}

/// What a kernel gives is steep if its products give it, or it was given it.
fn through_kernel(
    facts: &Facts<'_>,
    map: &Map,
    op: &Op,
    edges: &mut Edges,
    always: &mut Vec<Node>,
) {
    let inner = activity_within(facts, map, &op.args);
    let (within, from) = slopes_within(&Facts::new(&map.func, &inner), map);
    let results = || op.results.iter().zip(&map.func.body.yields);
    let made = analysis::reach(&within, from, |edge| edge);
    let steep = results().filter(|(_, v)| made.contains(&Node::Value(**v)));
    always.extend(steep.map(|(&y, _)| Node::Value(y)));
    for (v, &arg) in map.parameters().into_iter().zip(&op.args) {
        let reached = analysis::reach(&within, vec![Node::Value(v)], |edge| edge);
        let given = results().filter(|(_, v)| reached.contains(&Node::Value(**v)));
        edges.extend(given.map(|(&y, _)| (Node::Value(arg), Node::Value(y))));
    }
}

/// What a call gives is steep if the function can give it, or was given it.
fn through_call(call: &Call, op: &Op, edges: &mut Edges, seeds: &mut Seeds) {
    let value = |v: &Value| Node::Value(*v);
    let (mut given, mut made): (Vec<Node>, Vec<Node>) = match &call.form {
        Form::Primal => return,
        Form::Jvp(_) => (Vec::new(), op.results.iter().skip(1).map(value).collect()),
        // The value stands in front, and the pullback behind.
        Form::Forward(_) => {
            let tangents = op.results.iter().rev().skip(1).rev().skip(1);
            (Vec::new(), tangents.map(value).collect())
        }
        Form::Backward(_) => (
            op.args.iter().skip(1).map(value).collect(),
            op.results.iter().map(value).collect(),
        ),
        Form::AtOnce(_) => (
            op.args.iter().map(value).collect(),
            op.results.iter().skip(1).map(value).collect(),
        ),
    };
    let place = |path: &Path| Node::Place(path.root);
    if matches!(call.form, Form::Backward(_)) {
        made.extend(call.args.iter().filter_map(|arg| match arg {
            Arg::Capture(path) => Some(place(path)),
            _ => None,
        }));
    }
    for (companion, _, changes) in call.companions() {
        match companion {
            Companion::Zero => {}
            Companion::Value(v) => given.push(value(v)),
            Companion::Place(path) => {
                given.push(place(path));
                if changes {
                    made.push(place(path));
                }
            }
        }
    }
    for &from in &given {
        edges.extend(made.iter().map(|&to| (from, to)));
    }
    // Of a method nobody knows the type, nor of a function that is passed.
    if call.member.is_some() || call.parameter || call.nested.is_some() {
        seeds.always.extend(made);
    } else {
        let owner = call.owner.to_token_stream();
        let known = seeds.callees.entry(owner.to_string());
        known.or_insert((owner, Vec::new())).1.extend(made);
    }
}
