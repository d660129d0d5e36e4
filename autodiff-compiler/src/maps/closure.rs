//! `x.map(|v| …)` as a kernel: the body of the closure is its graph.

use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::known::{Known, method_name};
use super::{add_parameter, empty, load, method};
use crate::ir::{
    Arg, Block, Call, Closure, Form, Func, Function, Functions, Kind, Map, Number, Op, Param, Part,
    Path, Place, Prim, Step, To, Ty, Value,
};
use crate::rules;
use crate::text::tidy;

/// The kernel that maps a closure over a known tensor, with the load of its operand: if the body does nothing but compute with numbers.
pub(super) fn mapped(func: &mut Func, call: &Call, op: &Op, known: &Known) -> Option<Vec<Op>> {
    let (Some(Arg::Ref(path)), [Function::Closure(closure)]) =
        (call.args.first(), call.functions.as_slice())
    else {
        return None;
    };
    let plain = matches!(call.form, Form::Primal) && call.receiver && call.nested.is_none();
    let is_map = call.passed == 2 && method_name(call).is_some_and(|name| name == "map");
    if !plain || !is_map || closure.inputs != 1 {
        return None;
    }
    let number = known.path(path)?;
    let mut cx = Body {
        closure,
        number: &number,
        values: FxHashMap::default(),
        places: FxHashMap::default(),
        memory: FxHashMap::default(),
        loads: Vec::new(),
        integers: FxHashMap::default(),
        casts: Vec::new(),
        func: empty(func.strong),
    };
    let entry = add_parameter(&mut cx.func, "", &number);
    cx.bind(closure.func.params[0], entry)?;
    let mut ops = Vec::new();
    let mut captured = Vec::new();
    for (at, param) in closure.captured() {
        let v = match (&call.args[at], param) {
            (Arg::Value(v), _) => *v,
            (Arg::Capture(path), Param::Place(p)) => {
                cx.memory.insert(p, path);
                continue;
            }
            _ => return None,
        };
        let value = match known.literal(v) {
            Some(tokens) => {
                let ty = cx.known(func.ty(v))?;
                cx.made(Kind::Lit(tokens.clone()), Vec::new(), ty, op, &mut ops)
            }
            None if func.ty(v).is_float() && !func.refers(v) => {
                captured.push(v);
                add_parameter(&mut cx.func, func.hint(v), &number)
            }
            None => match (func.ty(v), param) {
                (Ty::Int, Param::Value(inner)) => {
                    cx.integers.insert(inner, v);
                    continue;
                }
                _ => return None,
            },
        };
        cx.bind(param, value)?;
    }
    let mut body = cx.block(&closure.func.body)?;
    ops.append(&mut body.ops);
    cx.func.body.ops = ops;
    cx.func.body.yields = body.yields;
    let (inner, loads, casts) = (cx.func, cx.loads, cx.casts);
    let mut out = Vec::new();
    let mut args = vec![load(func, path, op, &mut out)];
    args.append(&mut captured);
    // In the order of the parameters: what memory has and what integers are is added to them on the way.
    let mut loads: Vec<_> = (loads.into_iter())
        .map(|(path, entry)| (entry, load(func, &path, op, &mut out)))
        .collect();
    for (mut cast, entry) in casts {
        let y = func.value("", number.ty());
        cast.results = vec![y];
        out.push(cast);
        loads.push((entry, y));
    }
    loads.sort_by_key(|(entry, _)| *entry);
    args.extend(loads.iter().map(|(_, v)| *v));
    let map = Map {
        func: Rc::new(inner),
        to: vec![To::Entries],
        name: "map".into(),
        number,
        functions: Functions::Std,
    };
    out.push(Op {
        kind: Kind::Map(map),
        args,
        ..op.clone()
    });
    Some(out)
}

/// The body of a closure on its way into a kernel, where all that may be a number of the tensor is one.
struct Body<'a> {
    closure: &'a Closure,
    number: &'a Number,
    values: FxHashMap<Value, Value>,
    /// Variables that never change are values.
    places: FxHashMap<Place, Value>,
    /// Where the memory is that it reads on its own account, and what it reads there, which is the same for all entries.
    memory: FxHashMap<Place, &'a Path>,
    loads: Vec<(Path, Value)>,
    /// The integers that it captures, and what is made of them as a number in front of the kernel.
    integers: FxHashMap<Value, Value>,
    casts: Vec<(Op, Value)>,
    func: Func,
}

impl Body<'_> {
    fn bind(&mut self, param: Param, value: Value) -> Option<()> {
        match param {
            Param::Value(v) if !self.closure.func.refers(v) => self.values.insert(v, value),
            Param::Place(p) if !self.closure.func.at(p).mutable => self.places.insert(p, value),
            _ => return None,
        };
        Some(())
    }

    /// The type of what is of this one in the closure, if a kernel has it.
    fn known(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Int | Ty::Bool => Some(ty.clone()),
            Ty::Float(_) | Ty::User | Ty::Unknown => Some(self.number.ty()),
            _ => None,
        }
    }

    fn made(&mut self, kind: Kind, args: Vec<Value>, ty: Ty, of: &Op, out: &mut Vec<Op>) -> Value {
        let y = self.func.value("", ty);
        out.push(Op {
            kind,
            args,
            results: vec![y],
            blocks: Vec::new(),
            ..of.clone()
        });
        y
    }

    fn block(&mut self, of: &Block) -> Option<Block> {
        let mut block = self.func.block();
        for op in &of.ops {
            self.op(op, &mut block.ops)?;
        }
        block.yields = self.all(&of.yields)?;
        (!of.diverges).then_some(block)
    }

    fn all(&self, of: &[Value]) -> Option<Vec<Value>> {
        of.iter().map(|v| self.values.get(v).copied()).collect()
    }

    /// A number in memory that the closure captures: a variable or a field, which is there also where no entry asks for it.
    fn captured(&mut self, path: &Path) -> Option<Value> {
        let mut whole = Path::clone(self.memory.get(&path.root)?);
        whole.steps.extend(path.steps.iter().cloned());
        let is_field = |step: &Step| matches!(step, Step::Field(Part::At(_) | Part::Named(_)));
        if !whole.steps.iter().all(is_field) {
            return None;
        }
        let known = self.loads.iter().find(|(path, _)| *path == whole);
        if let Some(&(_, value)) = known {
            return Some(value);
        }
        let value = add_parameter(&mut self.func, "", self.number);
        self.loads.push((whole, value));
        Some(value)
    }

    /// `n as f64` of an integer that it captures, which is the same for all entries.
    fn cast(&mut self, op: &Op) -> Option<Value> {
        let Kind::Opaque(code) = &op.kind else {
            return None;
        };
        let ([v], [y]) = (op.args.as_slice(), op.results.as_slice()) else {
            return None;
        };
        let integer = *self.integers.get(v)?;
        let is_cast = tidy(&code.tokens.to_string()).starts_with("__a0 as ");
        let (Ty::Float(made), Ty::Float(wanted)) = (self.closure.func.ty(*y), self.number.ty())
        else {
            return None;
        };
        if !is_cast || *made != wanted {
            return None;
        }
        let mut cast = op.clone();
        cast.args = vec![integer];
        let entry = add_parameter(&mut self.func, "", self.number);
        self.casts.push((cast, entry));
        Some(entry)
    }

    /// What a path leads to, if that is a variable.
    fn read(&self, path: &Path) -> Option<Value> {
        (self.places.get(&path.root).copied()).filter(|_| path.steps.is_empty())
    }

    fn op(&mut self, op: &Op, out: &mut Vec<Op>) -> Option<()> {
        let (kind, args) = match &op.kind {
            Kind::New(p) => {
                let value = *self.values.get(op.args.first()?)?;
                return self.bind(Param::Place(*p), value);
            }
            Kind::Load(path) if self.known(self.closure.func.ty(op.results[0]))?.is_float() => {
                let value = match self.read(path) {
                    Some(value) => value,
                    None => self.captured(path)?,
                };
                self.values.insert(op.results[0], value);
                return Some(());
            }
            Kind::Prim(Prim::Operator(operator)) if !operator.assigns() => {
                let prim = super::arithmetic(operator.name)?;
                (Kind::Prim(prim), self.all(&op.args)?)
            }
            Kind::Prim(
                Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Neg | Prim::Rule(_),
            )
            | Kind::Lit(_)
            | Kind::Compare(_)
            | Kind::If => (op.kind.clone(), self.all(&op.args)?),
            Kind::Opaque(_) if op.args.iter().any(|v| self.integers.contains_key(v)) => {
                let entry = self.cast(op)?;
                self.values.insert(op.results[0], entry);
                return Some(());
            }
            // Names of constants, and arithmetic on them.
            Kind::Opaque(code) if code.pure && code.places.is_empty() => {
                (op.kind.clone(), self.all(&op.args)?)
            }
            // The methods that numbers have by themselves are nobody else's.
            Kind::Call(call) => {
                let (name, path, given) = method(call)?;
                let row = rules::by_method(&name)?;
                let mut args = vec![self.read(path)?];
                for arg in given {
                    args.push(match arg {
                        Arg::Value(v) => *self.values.get(v)?,
                        Arg::Ref(path) => self.read(path)?,
                        _ => return None,
                    });
                }
                if rules::rule(row).args.len() != args.len() {
                    return None;
                }
                (Kind::Prim(Prim::Rule(row)), args)
            }
            _ => return None,
        };
        let mut blocks = Vec::new();
        for block in &op.blocks {
            blocks.push(self.block(block)?);
        }
        let mut results = Vec::new();
        for &y in &op.results {
            let ty = self.known(self.closure.func.ty(y))?;
            let made = self.func.value(self.closure.func.hint(y), ty);
            self.values.insert(y, made);
            results.push(made);
        }
        out.push(Op {
            kind,
            args,
            results,
            blocks,
            ..op.clone()
        });
        Some(())
    }
}
