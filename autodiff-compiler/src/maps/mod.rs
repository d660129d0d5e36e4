//! Operations on tensors that go entry by entry, as kernels: each is a graph of numbers, and a chain of them is one such graph.
//!
//! Which values are tensors follows from the types that are written. What is not known to be one keeps the operations of the runtime.

mod closure;
mod derive;
mod gather;
mod known;
mod late;
mod merge;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::Span;

pub(crate) use self::derive::Backward;
pub(crate) use self::gather::{PROGRAM, gather, gather_sweeps, is_linked};
pub(crate) use self::known::Known;
use crate::analysis::varied;
use crate::build::Build;
use crate::errors::Errors;
use crate::ir::{
    Arg, Block, Call, Fold, Form, Func, Functions, Kind, Map, Number, Op, Origin, Param, Path,
    Prim, To, Ty, Value,
};
use crate::rules;
use crate::tensors::{self, ENTRYWISE};

/// Functions that `lane` has, of their first argument: as these the tensors' own methods are computed.
pub(crate) const IN_LANES: &[&str] = &[
    "cos",
    "dgelu",
    "dgelu_tanh",
    "dsigmoid",
    "dsilu",
    "dtanh",
    "erf",
    "erfc",
    "exp",
    "exp_m1",
    "gaussian",
    "gelu",
    "gelu_tanh",
    "ln",
    "ln_1p",
    "normal_pdf",
    "sigmoid",
    "silu",
    "sin",
    "softplus",
    "tan",
    "tanh",
];

/// Those of them that need branches far out.
const FAR: &[&str] = &["cos", "sin", "tan"];

/// Makes kernels of the operations that go entry by entry on tensors that are known, and one of each chain.
pub(crate) fn maps(func: &mut Func, mut known: Known, mutate: Option<&str>) {
    known.count_reads(&func.body);
    let mut body = std::mem::take(&mut func.body);
    block(func, &mut body, &mut known);
    func.body = body;
    known.mark(func);
    merge::forward(func, &known);
    merge::chains(func, mutate == Some("drop_link"));
    merge::again(func);
}

/// Refuses what is called of tensors that has no derivatives.
pub(crate) fn refuse_strange(
    func: &Func,
    known: impl FnOnce() -> Known,
    wrt: &[Param],
    errors: &mut Errors,
) {
    let mut any = false;
    for op in &func.body.ops {
        op.walk(&mut |op| {
            any |= matches!(&op.kind, Kind::Call(call) if known::refusal(call).is_some());
        });
    }
    if !any {
        return;
    }
    let varied = varied(func, wrt);
    let (mut func, mut known) = (func.clone(), known());
    let mut body = std::mem::take(&mut func.body);
    block(&mut func, &mut body, &mut known);
    for strange in known.strangers() {
        if strange.results.iter().any(|&y| varied.value(y)) {
            errors.error_at(strange.span, strange.refusal);
        }
    }
}

/// Makes kernels in a block, and notes on the way which values are tensors.
fn block(func: &mut Func, of: &mut Block, known: &mut Known) {
    let ops = std::mem::take(&mut of.ops);
    let around = known.enter_block();
    for mut op in ops {
        if let Kind::For(head) = &op.kind {
            known.enter_loop(head, &op);
        }
        for inner in &mut op.blocks {
            block(func, inner, known);
        }
        if let Kind::Call(call) = &mut op.kind {
            known.lend(call);
        }
        let made = kernel(func, &op, known).unwrap_or_else(|| vec![op]);
        made.iter().for_each(|op| known.learn(op));
        of.ops.extend(made);
    }
    known.leave_block(around);
}

/// The kernel that an operation is, with the load of its operand.
fn kernel(func: &mut Func, op: &Op, known: &mut Known) -> Option<Vec<Op>> {
    match &op.kind {
        Kind::Prim(Prim::Operator(operator)) if !operator.assigns() => {
            let prim = arithmetic(operator.name)?;
            let mut loads = Vec::new();
            let mut value = |&v: &Value| match known.reference(v) {
                Some(p) => load(func, &Path::whole(p), op, &mut loads),
                None => v,
            };
            let args: Vec<Value> = op.args.iter().map(&mut value).collect();
            loads.iter().for_each(|op| known.learn(op));
            let number = known.common(&args)?;
            let strange = |v: &Value| {
                let ty = func.ty(*v);
                func.refers(*v) || !(ty.is_float() || matches!(ty, Ty::User | Ty::Unknown))
            };
            if args.iter().any(strange) {
                return None;
            }
            let (args, map) = single(
                func,
                &args,
                &number,
                Some(prim),
                To::Entries,
                (operator.name, op.span),
                known,
            );
            loads.push(Op {
                kind: Kind::Map(map),
                args,
                ..op.clone()
            });
            Some(loads)
        }
        Kind::Call(call) if !call.functions.is_empty() => closure::mapped(func, call, op, known),
        Kind::Call(call) => {
            let (name, path, given) = method(call)?;
            let number = known.path(path)?;
            let mut loads = Vec::new();
            let receiver = load(func, path, op, &mut loads);
            let mut args = vec![receiver];
            for arg in given {
                args.push(match arg {
                    Arg::Value(v) if func.ty(*v).is_float() || known.literal(*v).is_some() => *v,
                    Arg::Ref(path) if known.path(path).as_ref() == Some(&number) => {
                        load(func, path, op, &mut loads)
                    }
                    _ => return None,
                });
            }
            let to = match name.as_str() {
                "sum" => To::Sum,
                "mean" => To::Mean,
                _ => To::Entries,
            };
            let literals = args[1..].iter().map(|&v| known.literal(v));
            let literals: Vec<Option<f64>> = literals
                .map(|tokens| tokens.and_then(|t| t.to_string().replace(' ', "").parse().ok()))
                .collect();
            if let (Some(fold), [Some(axis)]) = (fold(&name), literals.as_slice()) {
                if axis.fract() != 0.0 {
                    return None;
                }
                let to = To::Along(fold, *axis as isize);
                let (args, map) = single(
                    func,
                    &args[..1],
                    &number,
                    None,
                    to,
                    (fold.name(), op.span),
                    known,
                );
                loads.push(Op {
                    kind: Kind::Map(map),
                    args,
                    ..op.clone()
                });
                return Some(loads);
            }
            let prim = match (name.as_str(), literals.as_slice()) {
                // What nobody else looks at is not written.
                ("sum" | "mean", []) if known.is_read_once(path.root) => None,
                ("square", []) => {
                    args.push(receiver);
                    Some(Prim::Mul)
                }
                ("maximum" | "minimum" | "powf", [_]) => Some(Prim::Rule(rules::by_name(&name)?)),
                ("clamp", [Some(low), Some(high)]) if low <= high => {
                    Some(Prim::Rule(rules::by_name(&name)?))
                }
                // A product of few factors.
                ("powi", [Some(n)]) if (1.0..=4.0).contains(n) => {
                    Some(Prim::Rule(rules::by_name(&name)?))
                }
                (name, []) if ENTRYWISE.contains(&name) => Some(Prim::Rule(rules::by_name(name)?)),
                _ => return None,
            };
            let (args, map) = single(func, &args, &number, prim, to, (&name, op.span), known);
            let map = Op {
                kind: Kind::Map(map),
                args,
                ..op.clone()
            };
            loads.push(map);
            Some(loads)
        }
        _ => None,
    }
}

/// The name of the method that is called, if it is a kernel wherever its receiver is known to be a tensor.
pub(crate) fn entry_by_entry(call: &Call) -> Option<String> {
    let name = known::method_name(call)?;
    (call.receiver && ENTRYWISE.contains(&name.as_str())).then_some(name)
}

/// Whether a method is called that gives a number, of tensors as of lists.
pub(crate) fn gives_number(call: &Call) -> bool {
    let name = known::method_name(call);
    call.receiver && name.is_some_and(|name| tensors::gives_number(&name))
}

/// What a method folds the lanes along an axis to, which stays.
fn fold(name: &str) -> Option<Fold> {
    match name {
        "sum_axis_keep" => Some(Fold::Sum),
        "mean_axis_keep" => Some(Fold::Mean),
        "max_axis_keep" => Some(Fold::Most),
        _ => None,
    }
}

/// The operation on numbers that an operator is.
fn arithmetic(operator: &str) -> Option<Prim> {
    Some(match operator {
        "add" => Prim::Add,
        "sub" => Prim::Sub,
        "mul" => Prim::Mul,
        "div" => Prim::Div,
        "neg" => Prim::Neg,
        _ => return None,
    })
}

/// Loads an operand for a kernel.
fn load(func: &mut Func, path: &Path, op: &Op, out: &mut Vec<Op>) -> Value {
    let loaded = func.value("", Ty::User);
    out.push(Op {
        kind: Kind::Load(path.clone()),
        args: Vec::new(),
        results: vec![loaded],
        blocks: Vec::new(),
        ..op.clone()
    });
    loaded
}

/// The name of a method that is called, what it is called on, and its further arguments.
fn method(call: &Call) -> Option<(String, &Path, &[Arg])> {
    let plain = call.receiver && call.functions.is_empty() && call.nested.is_none();
    let (Some((Arg::Ref(path), given)), Form::Primal, true) =
        (call.args.split_first(), &call.form, plain)
    else {
        return None;
    };
    Some((known::method_name(call)?, path, given))
}

/// A kernel of one operation, or of none, and its operands: numbers that the source spells out stand in it.
fn single(
    func: &Func,
    args: &[Value],
    number: &Number,
    prim: Option<Prim>,
    to: To,
    (name, span): (&str, Span),
    known: &Known,
) -> (Vec<Value>, Map) {
    let mut inner = empty(func.strong);
    let mut outer: Vec<Value> = Vec::new();
    let mut operands = Vec::new();
    // Of a power whose exponent it knows rustc would make something else than the tensors' own method is.
    let spelled = |v| known.literal(v).filter(|_| name != "powf");
    for &v in args {
        if let Some(literal) = spelled(v) {
            let mut build = Build::new(&mut inner, Origin::User);
            let ty = match func.ty(v) {
                Ty::Int => Ty::Int,
                _ => number.ty(),
            };
            operands.push(build.literal(literal.clone(), ty));
            let mut ops = std::mem::take(&mut build.ops);
            inner.body.ops.append(&mut ops);
        } else if let Some(k) = outer.iter().position(|known| *known == v) {
            operands.push(parameter(&inner, k));
        } else {
            let hint = func.hint(v).to_owned();
            operands.push(add_parameter(&mut inner, &hint, number));
            outer.push(v);
        }
    }
    let mut build = Build::new(&mut inner, Origin::User);
    build.span = span;
    let y = match prim {
        Some(prim) => build.op(Kind::Prim(prim), operands, number.ty(), ""),
        None => operands[0],
    };
    let mut ops = std::mem::take(&mut build.ops);
    inner.body.ops.append(&mut ops);
    inner.body.yields = vec![y];
    let map = Map {
        func: Rc::new(inner),
        to: vec![to],
        name: name.into(),
        number: number.clone(),
        functions: Functions::Lanes,
    };
    (outer, map)
}

/// A graph of numbers without operations; `strong`, all products of its derivatives are guarded.
fn empty(strong: bool) -> Func {
    Func {
        values: Vec::new(),
        places: Vec::new(),
        blocks: 1,
        tapes: 0,
        copies: BTreeMap::new(),
        recursive: false,
        params: Vec::new(),
        generic: false,
        assume_std: None,
        strong,
        mild: BTreeSet::new(),
        overflows: BTreeSet::new(),
        left: BTreeSet::new(),
        body: Block::default(),
    }
}

fn add_parameter(func: &mut Func, hint: &str, number: &Number) -> Value {
    let v = func.value(hint, number.ty());
    func.params.push(Param::Value(v));
    v
}

/// A kernel of x and the largest of each of its lanes, and perhaps of what stands for each lane: how many are tied there, or what each of the tied has of it.
pub(crate) fn tied(number: &Number, to: To, shared: bool) -> Map {
    let mut func = empty(false);
    let mut operand = || add_parameter(&mut func, "", number);
    let [x, most] = [operand(), operand()];
    let share = shared.then(operand);
    let mut build = Build::new(&mut func, Origin::Derived);
    let row = rules::by_name("tied").unwrap_or_else(|| unreachable!("the table has it"));
    let mut y = build.prim(Prim::Rule(row), vec![x, most], "");
    if let Some(share) = share {
        y = build.prim(Prim::Zmul, vec![share, y], "");
    }
    func.body.ops = std::mem::take(&mut build.ops);
    func.body.yields = vec![y];
    Map {
        func: Rc::new(func),
        to: vec![to],
        name: "max".into(),
        number: number.clone(),
        functions: Functions::Lanes,
    }
}

/// A kernel of one operation between two operands, derived.
pub(crate) fn pair(number: &Number, prim: Prim, name: &str) -> Map {
    let mut func = empty(false);
    let operands = vec![
        add_parameter(&mut func, "", number),
        add_parameter(&mut func, "", number),
    ];
    let mut build = Build::new(&mut func, Origin::Derived);
    let y = build.op(Kind::Prim(prim), operands, number.ty(), "");
    func.body.ops = std::mem::take(&mut build.ops);
    func.body.yields = vec![y];
    Map {
        func: Rc::new(func),
        to: vec![To::Entries],
        name: name.into(),
        number: number.clone(),
        functions: Functions::Lanes,
    }
}

/// The values that an operation of a kernel reads, and those in it.
fn read(op: &Op) -> Vec<Value> {
    let mut all = Vec::new();
    op.walk(&mut |op| {
        let mut operands = op.operands();
        if row(op).is_some_and(|name| IN_LANES.contains(&name)) {
            operands.truncate(1);
        }
        all.append(&mut operands);
        all.extend(op.blocks.iter().flat_map(|block| &block.yields));
    });
    all
}

/// The function that an operation is.
fn row(op: &Op) -> Option<&'static str> {
    match &op.kind {
        Kind::Prim(Prim::Rule(row)) => Some(rules::rule(*row).name),
        _ => None,
    }
}

/// The entry of an operand.
fn parameter(func: &Func, k: usize) -> Value {
    match func.params[k] {
        Param::Value(v) => v,
        Param::Place(_) => unreachable!("a graph of numbers has no memory"),
    }
}

impl Map {
    /// The operation that first reads an operand, as the runtime calls it, and where it stands; else the kernel's own place.
    pub(crate) fn reader(&self, k: usize, own: Span) -> (&str, Span) {
        let v = parameter(&self.func, k);
        let reader = self.func.body.ops.iter().find(|op| op.args.contains(&v));
        reader.map_or((&*self.name, own), |op| {
            let name = match op.kind {
                Kind::Prim(Prim::Add) => "add",
                Kind::Prim(Prim::Sub) => "sub",
                Kind::Prim(Prim::Mul) => "mul",
                Kind::Prim(Prim::Div) => "div",
                _ => row(op).unwrap_or(&self.name),
            };
            (name, op.span)
        })
    }

    /// Whether it has functions that are not the same by `lane` and by the standard library.
    fn chooses_functions(&self) -> bool {
        let mut chooses = false;
        for op in &self.func.body.ops {
            op.walk(&mut |op| chooses |= row(op).is_some_and(|name| IN_LANES.contains(&name)));
        }
        chooses
    }

    /// Whether it has functions that need branches far out, and so a form with these.
    pub(crate) fn reaches_far(&self) -> bool {
        let mut far = false;
        for op in &self.func.body.ops {
            op.walk(&mut |op| far |= row(op).is_some_and(|name| FAR.contains(&name)));
        }
        far
    }

    /// The axis along which it gives the largest entries.
    pub(crate) fn most(&self) -> Option<isize> {
        match self.to[0] {
            To::Along(Fold::Most, axis) => Some(axis),
            _ => None,
        }
    }

    /// The entries of the operands.
    pub(crate) fn parameters(&self) -> Vec<Value> {
        (0..self.func.params.len())
            .map(|k| parameter(&self.func, k))
            .collect()
    }
}
