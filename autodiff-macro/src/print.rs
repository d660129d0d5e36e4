//! The text of a graph, for the tests of the passes: one operation per line, `*` behind active values.

use std::fmt::Write;

use crate::analysis::Activity;
use crate::ir::{Arg, Block, Companion, Domain, Form, Func, Kind, Op, Opaque, Param, Path, Prim, Step, Value};
use crate::rules;

/// The graph as text.
pub(crate) fn print(func: &Func, activity: Option<&Activity>) -> String {
    let mut cx = Printer { func, activity, out: String::new() };
    let params: Vec<String> = func
        .params
        .iter()
        .map(|param| match *param {
            Param::Value(v) => format!("{} {}", cx.value(v), func.hint(v)),
            Param::Place(p) => format!("{:?} p{} {}", func.at(p).storage, p.0, func.at(p).hint).to_lowercase(),
        })
        .collect();
    let _ = writeln!(cx.out, "fn({}) {{", params.join(", "));
    cx.block(&func.body, 1);
    cx.out.push('}');
    cx.out
}

struct Printer<'a> {
    func: &'a Func,
    activity: Option<&'a Activity>,
    out: String,
}

impl Printer<'_> {
    fn value(&self, v: Value) -> String {
        let star = self.activity.is_some_and(|a| a.value(v));
        format!("v{}{}", v.0, if star { "*" } else { "" })
    }

    fn values(&self, all: &[Value]) -> String {
        all.iter().map(|&v| self.value(v)).collect::<Vec<_>>().join(", ")
    }

    fn path(&self, path: &Path) -> String {
        let star = self.activity.is_some_and(|a| a.place(path.root));
        let mut out = format!("p{}{}", path.root.0, if star { "*" } else { "" });
        for step in &path.steps {
            let _ = match step {
                Step::Index(v) => write!(out, "[{}]", self.value(*v)),
                Step::Field(k) => write!(out, ".{k}"),
                Step::Range(lo, hi) => {
                    let end = |v: &Option<Value>| v.map(|v| self.value(v)).unwrap_or_default();
                    write!(out, "[{}..{}]", end(lo), end(hi))
                }
            };
        }
        out
    }

    fn block(&mut self, block: &Block, depth: usize) {
        let indent = "  ".repeat(depth);
        if !block.recall.is_empty() {
            let _ = writeln!(self.out, "{indent}recall {}", self.values(&block.recall));
        }
        for op in &block.ops {
            self.op(op, depth);
        }
        if !block.record.is_empty() {
            let _ = writeln!(self.out, "{indent}record {}", self.values(&block.record));
        }
        if !block.yields.is_empty() {
            let _ = writeln!(self.out, "{indent}yield {}", self.values(&block.yields));
        }
        if block.diverges {
            let _ = writeln!(self.out, "{indent}never");
        }
    }

    fn op(&mut self, op: &Op, depth: usize) {
        let indent = "  ".repeat(depth);
        let results = self.values(&op.results);
        let equals = if results.is_empty() { "" } else { " = " };
        let text = self.kind(op);
        let _ = writeln!(self.out, "{}", format!("{indent}{results}{equals}{text}").trim_end());
        for block in &op.blocks {
            let params = if block.params.is_empty() { String::new() } else { format!(" |{}|", self.values(&block.params)) };
            let _ = writeln!(self.out, "{indent}{{{params}");
            self.block(block, depth + 1);
            let _ = writeln!(self.out, "{indent}}}");
        }
    }

    fn opaque(&self, opaque: &Opaque) -> String {
        let places: Vec<String> = opaque.places.iter().map(|p| format!("p{}", p.0)).collect();
        let writes: Vec<String> = opaque.writes.iter().map(|p| format!("p{}", p.0)).collect();
        let mut out = format!("`{}`", opaque.tokens);
        if !places.is_empty() {
            let _ = write!(out, " reads {}", places.join(", "));
        }
        if !writes.is_empty() {
            let _ = write!(out, " writes {}", writes.join(", "));
        }
        out
    }

    fn kind(&self, op: &Op) -> String {
        let args = self.values(&op.args);
        match &op.kind {
            Kind::Lit(tokens) => tokens.to_string().replace(' ', ""),
            Kind::Prim(Prim::Rule(row)) => format!("{} {args}", rules::rule(*row).name),
            Kind::Prim(prim) => format!("{prim:?} {args}").to_lowercase(),
            Kind::Compare(sign) => format!("compare {sign} {args}"),
            Kind::Cast(to, _) => format!("cast {args} as {to}"),
            Kind::CastLike => format!("castlike {args}"),
            Kind::Opaque(opaque) => format!("{} {} {args}", if opaque.pure { "pure" } else { "opaque" }, self.opaque(opaque)),
            Kind::Aggregate(shape) => format!("{shape:?} {args}").to_lowercase(),
            Kind::Component(k) => format!("component {k} of {args}"),
            Kind::WithComponent(k) => format!("with component {k} {args}"),
            Kind::Element(k) => format!("element {k} of {args}"),
            Kind::SumElements => format!("sum {args}"),
            Kind::ZeroLike => format!("zerolike {args}"),
            Kind::Zero => format!("zero {args}"),
            Kind::ShapeOf(path) => format!("shape {}", self.path(path)),
            Kind::New(p) => format!("new p{} {args}", p.0),
            Kind::NewZero(p) => format!("newzero p{} {args}", p.0),
            Kind::Load(path) => format!("load {}", self.path(path)),
            Kind::Take(p) => format!("take p{}", p.0),
            Kind::Owned(path, method) => format!("{method} {}", self.path(path)),
            Kind::Store(path) => format!("store {} {args}", self.path(path)),
            Kind::AddTo(path) => format!("add {} {args}", self.path(path)),
            Kind::TakeZero(path) => format!("takezero {}", self.path(path)),
            Kind::Replace(path) => format!("replace {} {args}", self.path(path)),
            Kind::Len(path) => format!("len {}", self.path(path)),
            Kind::Check(path) => format!("check {}", self.path(path)),
            Kind::Call(call) => {
                let companion = |c: &Companion| match c {
                    Companion::Zero => "zero".to_owned(),
                    Companion::Value(v) => self.value(*v),
                    Companion::Place(path) => self.path(path),
                };
                let given: Vec<String> = call
                    .args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Value(v) => self.value(*v),
                        Arg::Ref(path) => format!("&{}", self.path(path)),
                        Arg::Mut(path) => format!("&mut {}", self.path(path)),
                        Arg::Owned => "_".to_owned(),
                    })
                    .collect();
                let (form, companions) = match &call.form {
                    Form::Primal => ("call", Vec::new()),
                    Form::Forward => ("forward", Vec::new()),
                    Form::Jvp(c) => ("jvp", c.iter().map(companion).collect()),
                    Form::Backward(c) => ("backward", c.iter().map(companion).collect::<Vec<_>>()),
                };
                format!("{form} {}({}) {} {args}", call.path, given.join(", "), companions.join(", ")).replace("  ", " ")
            }
            Kind::If => format!("if {args}"),
            Kind::Match(opaque, heads) => {
                let heads: Vec<String> = heads
                    .iter()
                    .map(|head| match &head.guard {
                        Some(guard) => format!("{} if {guard}", head.pat),
                        None => head.pat.to_string(),
                    })
                    .collect();
                format!("match {} [{}] {args}", self.opaque(opaque), heads.join(" | "))
            }
            Kind::Switch => format!("switch {args}"),
            Kind::For(head) => {
                let count = head.domain.operands();
                let (domain, carried) = op.args.split_at(count);
                let domain = self.values(domain);
                let over = match &head.domain {
                    Domain::Range { inclusive, reversed } => {
                        format!("range {domain}{}{}", if *inclusive { " inclusive" } else { "" }, if *reversed { " reversed" } else { "" })
                    }
                    Domain::Verbatim { iter, .. } => format!("over {} {domain}", self.opaque(iter)),
                    Domain::Count => format!("count {domain}"),
                };
                let tape = head.tape.map(|k| format!(" tape {k}")).unwrap_or_default();
                format!("for {over} carry ({}){tape}", self.values(carried))
            }
            Kind::Need(_) => format!("need {args}"),
            Kind::Restore(path, _) => format!("restore {}", self.path(path)),
            Kind::AssertSame => format!("assertsame {args}"),
            Kind::Mark => "mark".to_owned(),
        }
    }
}
