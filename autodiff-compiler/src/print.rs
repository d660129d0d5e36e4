//! The text of a graph, for the tests of the passes: one operation per line, `*` behind active values.
//!
//! Values and places bear the names of the source; `y#2` is the second value of that name, `v3` one without a name.
//! A literal stands where it is used.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::fmt::Write;

use crate::analysis::{Activity, Node};
use crate::ir::{
    Arg, Asks, Block, Call, Companion, Domain, For, Form, Func, Kind, Op, Opaque, Param, Path,
    Place, Prim, Shape, Step, Storage, To, Value,
};
use crate::rules;
use crate::text::tidy;

/// What the text of a graph shows beside the graph.
#[derive(Default)]
pub(crate) struct Notes<'a> {
    /// Marks active values and places.
    pub(crate) activity: Option<&'a Activity>,
    /// Parameters that a derivative has beside those of the function.
    pub(crate) extra: Vec<Param>,
    /// The reverse sweep begins at this operation of the body.
    pub(crate) split: Option<usize>,
}

/// The graph as text.
pub(crate) fn print(func: &Func, notes: &Notes<'_>) -> String {
    let mut literals = FxHashMap::default();
    collect_literals(&func.body, &mut literals);
    let mut cx = Printer {
        func,
        activity: notes.activity,
        literals,
        names: RefCell::default(),
        out: String::new(),
    };
    let params = cx.params(&func.params);
    let extra = match notes.extra.as_slice() {
        [] => String::new(),
        extra => format!("; {}", cx.params(extra)),
    };
    let _ = writeln!(cx.out, "fn({params}{extra}) {{");
    let split = notes.split.unwrap_or(func.body.ops.len());
    for (at, op) in func.body.ops.iter().enumerate() {
        if at == split {
            cx.out.push_str("  // reverse\n");
        }
        cx.op(op, 1);
    }
    cx.end(&func.body, 1);
    cx.out.push('}');
    cx.out
}

fn collect_literals(block: &Block, out: &mut FxHashMap<Value, String>) {
    for op in &block.ops {
        if let Kind::Lit(tokens) = &op.kind {
            out.insert(op.results[0], tidy(&tokens.to_string()).replace("- ", "-"));
        }
        for inner in &op.blocks {
            collect_literals(inner, out);
        }
    }
}

#[derive(Default)]
struct Names {
    given: FxHashMap<Node, String>,
    taken: FxHashSet<String>,
    anonymous: u32,
}

impl Names {
    /// The name of a node, given when it is first mentioned.
    fn get(&mut self, node: Node, hint: &str) -> String {
        if let Some(name) = self.given.get(&node) {
            return name.clone();
        }
        let mut name = hint.to_owned();
        let mut count = 1;
        while name.is_empty() || !self.taken.insert(name.clone()) {
            if hint.is_empty() {
                name = format!("v{}", self.anonymous);
                self.anonymous += 1;
            } else {
                count += 1;
                name = format!("{hint}#{count}");
            }
        }
        self.given.insert(node, name.clone());
        name
    }
}

struct Printer<'a> {
    func: &'a Func,
    activity: Option<&'a Activity>,
    literals: FxHashMap<Value, String>,
    names: RefCell<Names>,
    out: String,
}

impl Printer<'_> {
    fn value(&self, v: Value) -> String {
        if let Some(text) = self.literals.get(&v) {
            return text.clone();
        }
        let mut name = self
            .names
            .borrow_mut()
            .get(Node::Value(v), self.func.hint(v));
        if self.activity.is_some_and(|a| a.value(v)) {
            name.push('*');
        }
        name
    }

    fn place(&self, p: Place) -> String {
        let hint = &self.func.at(p).hint;
        let mut name = self.names.borrow_mut().get(Node::Place(p), hint);
        if self.activity.is_some_and(|a| a.place(p)) {
            name.push('*');
        }
        name
    }

    fn values(&self, all: &[Value]) -> String {
        let all: Vec<String> = all.iter().map(|&v| self.value(v)).collect();
        all.join(", ")
    }

    fn params(&self, params: &[Param]) -> String {
        let params: Vec<String> = params
            .iter()
            .map(|param| match *param {
                Param::Value(v) => self.value(v),
                Param::Place(p) => {
                    let data = self.func.at(p);
                    let reference = match data.storage {
                        Storage::Local | Storage::Owned => "place ",
                        Storage::Shared if !data.mutable => "&",
                        Storage::Shared | Storage::Exclusive => "&mut ",
                    };
                    format!("{reference}{}", self.place(p))
                }
            })
            .collect();
        params.join(", ")
    }

    fn path(&self, path: &Path) -> String {
        let mut out = self.place(path.root);
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

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(depth));
    }

    fn block(&mut self, block: &Block, depth: usize) {
        if !block.recall.is_empty() {
            let text = format!("recall {}", self.values(&block.recall));
            self.line(depth, &text);
        }
        for op in &block.ops {
            self.op(op, depth);
        }
        self.end(block, depth);
    }

    fn end(&mut self, block: &Block, depth: usize) {
        if !block.record.is_empty() {
            let text = format!("record {}", self.values(&block.record));
            self.line(depth, &text);
        }
        if !block.yields.is_empty() {
            let text = format!("yield {}", self.values(&block.yields));
            self.line(depth, &text);
        }
        if block.diverges {
            self.line(depth, "never");
        }
        if block.fails {
            self.line(depth, "fails");
        }
    }

    fn op(&mut self, op: &Op, depth: usize) {
        let text = match &op.kind {
            Kind::Lit(_) => return,
            Kind::For(head) => self.for_head(op, head),
            _ => self.kind(op),
        };
        let results = self.values(&op.results);
        let equals = if results.is_empty() { "" } else { " = " };
        if let Kind::Map(map) = &op.kind {
            self.line(depth, &format!("{results}{equals}{text}"));
            let inner = print(&map.func, &Notes::default());
            inner.lines().for_each(|line| self.line(depth + 1, line));
            return;
        }
        if op.blocks.is_empty() {
            return self.line(depth, &format!("{results}{equals}{text}"));
        }
        self.line(depth, &format!("{results}{equals}{text} {{"));
        match &op.kind {
            Kind::Match(_, heads) => {
                for (block, head) in op.blocks.iter().zip(heads) {
                    let fill = |tokens: String| {
                        self.fill(&self.fill(&tokens, "__b", &block.params), "__a", &op.args)
                    };
                    let pat = fill(head.pat.to_string());
                    let guard = match &head.guard {
                        Some(guard) => format!(" if {}", fill(guard.to_string())),
                        None => String::new(),
                    };
                    self.line(depth + 1, &format!("{pat}{guard} => {{"));
                    self.block(block, depth + 2);
                    self.line(depth + 1, "}");
                }
            }
            _ => {
                for (k, block) in op.blocks.iter().enumerate() {
                    if k > 0 {
                        self.line(depth, "} else {");
                    }
                    self.block(block, depth + 1);
                }
            }
        }
        self.line(depth, "}");
    }

    /// `for i in 0..n, y = x`: the items, the domain, and what is carried with its start.
    fn for_head(&self, op: &Op, head: &For) -> String {
        let (domain, inits) = op.args.split_at(head.domain.operands());
        let (items, carried) = op.blocks[0].params.split_at(head.inductions);
        let over = match &head.domain {
            Domain::Range {
                inclusive,
                reversed,
            } => {
                let dots = if *inclusive { "..=" } else { ".." };
                let rev = if *reversed { "rev " } else { "" };
                format!(
                    "{rev}{}{dots}{}",
                    self.value(domain[0]),
                    self.value(domain[1])
                )
            }
            Domain::Verbatim { iter, .. } => self.opaque(iter, domain),
            Domain::Count => format!("count {}", self.value(domain[0])),
            Domain::Forever => "forever".to_owned(),
            Domain::Taken {
                inclusive,
                reversed,
            } => format!(
                "first {} of {}{}{}{}, backwards",
                self.value(domain[2]),
                self.value(domain[0]),
                if *inclusive { "..=" } else { ".." },
                self.value(domain[1]),
                if *reversed { " reversed" } else { "" },
            ),
        };
        let mut out = format!("for {} in {over}", self.values(items));
        for (&param, &init) in carried.iter().zip(inits) {
            let _ = write!(out, ", {} = {}", self.value(param), self.value(init));
        }
        if let Some(tape) = head.tape {
            let how = if head.peeks { ", which stays" } else { "" };
            let order = if head.onward { ", from the first" } else { "" };
            let _ = write!(out, " on tape {tape}{how}{order}");
        }
        out
    }

    /// Verbatim code with the names of what its placeholders stand for.
    fn opaque(&self, opaque: &Opaque, args: &[Value]) -> String {
        let mut out = self.fill(&opaque.tokens.to_string(), "__a", args);
        out = self.fill(&out, "__c", args);
        for (k, &p) in opaque.places.iter().enumerate().rev() {
            for placeholder in ["__p", "__q"] {
                out = out.replace(&format!("{placeholder}{k}"), &self.place(p));
            }
        }
        out = format!("`{out}`");
        if !opaque.writes.is_empty() {
            let writes: Vec<String> = opaque.writes.iter().map(|&p| self.place(p)).collect();
            let _ = write!(out, " writes {}", writes.join(", "));
        }
        out
    }

    fn fill(&self, tokens: &str, prefix: &str, values: &[Value]) -> String {
        let mut out = tidy(tokens);
        for (k, &v) in values.iter().enumerate().rev() {
            out = out.replace(&format!("{prefix}{k}"), &self.value(v));
        }
        out
    }

    fn kind(&self, op: &Op) -> String {
        let arg = |k: usize| self.value(op.args[k]);
        let args = self.values(&op.args);
        match &op.kind {
            Kind::Lit(tokens) => tidy(&tokens.to_string()),
            Kind::Map(map) => {
                let to = map.to.iter().map(|to| match *to {
                    To::Entries => "entries".to_owned(),
                    To::Like(k) => format!("like {}", arg(k)),
                    To::Sum => "sum".to_owned(),
                    To::Mean => "mean".to_owned(),
                    To::Count => "count".to_owned(),
                    To::Along(fold, axis) => format!("{} along {axis}", fold.name()),
                    To::CountAlong(axis) => format!("count along {axis}"),
                });
                match map.to.as_slice() {
                    [To::Entries] => format!("map ({args})"),
                    _ => format!("map ({args}) to {}", to.collect::<Vec<_>>().join(", ")),
                }
            }
            Kind::Prim(Prim::Add) => format!("{} + {}", arg(0), arg(1)),
            Kind::Prim(Prim::Sub) => format!("{} - {}", arg(0), arg(1)),
            Kind::Prim(Prim::Mul) => format!("{} * {}", arg(0), arg(1)),
            Kind::Prim(Prim::Div) => format!("{} / {}", arg(0), arg(1)),
            Kind::Watch { code, back } => {
                let code = self.fill(&code.tokens.to_string(), "__a", &op.args[1..]);
                let (of, kept) = (arg(0), if *back { "watched" } else { "watch" });
                format!("{kept}({of}) `{code}`")
            }
            Kind::Prim(Prim::Linked) => format!("linked({args})"),
            Kind::Prim(Prim::Absorb(Asks::Partial)) => format!("absorb({args})"),
            Kind::Prim(Prim::Absorb(Asks::Slope)) => format!("absorb once({args})"),
            Kind::Prim(Prim::Neg) => format!("-{}", arg(0)),
            Kind::Prim(Prim::Rule(row)) => format!("{}({args})", rules::rule(*row).name),
            Kind::Prim(prim @ (Prim::Smul | Prim::Select | Prim::Zmul | Prim::Sdiv)) => {
                format!("{}({args})", format!("{prim:?}").to_lowercase())
            }
            Kind::Prim(Prim::Operator(o)) if op.args.len() == 1 => format!("{}'{}", o.sign, arg(0)),
            Kind::Prim(Prim::Operator(o)) => format!("{} {}' {}", arg(0), o.sign, arg(1)),
            Kind::Prim(Prim::Number) => format!("number {}", arg(0)),
            Kind::Prim(Prim::Shape) => format!("shape of {}", arg(0)),
            Kind::Prim(Prim::Settle) => format!("tangent of {} by {}", arg(0), arg(1)),
            Kind::Prim(Prim::Keep(o, side)) => {
                format!("keep for the {} of {} ({args})", side.name(), o.name)
            }
            Kind::Prim(Prim::Back(o, side)) => {
                format!("back to the {} of {} ({args})", side.name(), o.name)
            }
            Kind::Prim(Prim::Fore(o, side)) => {
                format!("fore from the {} of {} ({args})", side.name(), o.name)
            }
            Kind::Prim(Prim::DotKeep(o, side, _)) => {
                format!(
                    "tangent of what is kept for the {} of {} ({args})",
                    side.name(),
                    o.name
                )
            }
            Kind::Prim(Prim::DotBack(o, side, _)) => {
                format!(
                    "tangent of what goes back to the {} of {} ({args})",
                    side.name(),
                    o.name
                )
            }
            Kind::Compare(sign) => format!("{} {sign} {}", arg(0), arg(1)),
            Kind::Cast(to, ..) => format!("{} as {to}", arg(0)),
            Kind::CastLike => format!("{} as the type of {}", arg(0), arg(1)),
            Kind::Opaque(opaque) => {
                let effect = if opaque.pure { "pure" } else { "opaque" };
                format!("{effect} {}", self.opaque(opaque, &op.args))
            }
            Kind::Aggregate(shape) => match shape {
                Shape::Tuple => format!("({args})"),
                Shape::Array => format!("[{args}]"),
                Shape::Repeat(len) => format!("[{}; {len}]", arg(0)),
                Shape::VecList => format!("vec![{args}]"),
                Shape::VecRepeat => format!("vec![{}; {}]", arg(0), arg(1)),
                Shape::Some => format!("some {}", arg(0)),
                Shape::Box => format!("box {}", arg(0)),
                Shape::Struct(construct) => {
                    let mut parts: Vec<String> = construct
                        .fields
                        .iter()
                        .enumerate()
                        .map(|(k, part)| format!("{part}: {}", arg(k)))
                        .collect();
                    if construct.base {
                        parts.push(format!("..{}", arg(construct.fields.len())));
                    }
                    format!(
                        "{} {{ {} }}",
                        tidy(&construct.path.to_string()),
                        parts.join(", ")
                    )
                }
            },
            Kind::Component(k) => format!("{}.{k}", arg(0)),
            Kind::WithComponent(k) if op.args.len() == 1 => format!("{} without .{k}", arg(0)),
            Kind::WithComponent(k) => format!("{} with .{k} = {}", arg(0), arg(1)),
            Kind::Element(k) => format!("{}[{k}]", arg(0)),
            Kind::Payload => format!("payload of {}", arg(0)),
            Kind::SumElements => format!("sum of {} from {}", arg(0), arg(1)),
            Kind::ZeroLike => format!("zero like {}", arg(0)),
            Kind::ZeroPart => format!("zero of part {}", arg(0)),
            Kind::Zero => format!("zero of {}", arg(0)),
            Kind::ShapeOf(path) => format!("shape of {}", self.path(path)),
            Kind::New(p) => format!("new {} = {}", self.place(*p), arg(0)),
            Kind::NewZero(p) if op.args.is_empty() => format!("new {} = zero", self.place(*p)),
            Kind::NewZero(p) => format!("new {} = zero of {}", self.place(*p), arg(0)),
            Kind::Load(path) => format!("load {}", self.path(path)),
            Kind::Take(p) => format!("take {}", self.place(*p)),
            Kind::Owned(path, method) => format!("{method} {}", self.path(path)),
            Kind::Store(path) => format!("store {} = {}", self.path(path), arg(0)),
            Kind::AddTo(path) => format!("store {} += {}", self.path(path), arg(0)),
            Kind::TakeZero(path) => format!("load and zero {}", self.path(path)),
            Kind::Replace(path) => format!("replace {} = {}", self.path(path), arg(0)),
            Kind::Change(..)
            | Kind::Swap(..)
            | Kind::Copy(..)
            | Kind::Fill(_)
            | Kind::Give(..)
            | Kind::SumZero(_) => self.memory(&op.kind, &op.args),
            Kind::Len(path) => format!("len {}", self.path(path)),
            Kind::Check(path) => format!("check {}", self.path(path)),
            Kind::Walked(path) => format!("walked {}", self.path(path)),
            Kind::Call(call) if self.func.left.contains(&op.pos) => {
                format!("leaving {}", self.call(op, call))
            }
            Kind::Call(call) => self.call(op, call),
            Kind::Leave => format!("leave if {args}"),
            Kind::Until => format!("last if {args}"),
            Kind::If => format!("if {args}"),
            Kind::Match(opaque, _) => format!("match {}", self.opaque(opaque, &op.args)),
            Kind::Switch => format!("switch {args}"),
            Kind::For(head) => self.for_head(op, head),
            Kind::Need(_) => format!("need {args}"),
            Kind::Undo(kind, _) => match &**kind {
                Kind::Store(path) => format!("restore {}", self.path(path)),
                kind => format!("undo: {}", self.memory(kind, &op.args)),
            },
            Kind::AssertSame => format!("assert same {args}"),
            Kind::Absorbed { .. } => format!("absorbed {args}"),
            Kind::Mark => "mark".to_owned(),
        }
    }

    /// Changes of more than one element, and of lengths.
    fn memory(&self, kind: &Kind, args: &[Value]) -> String {
        let args = self.values(args);
        match kind {
            Kind::Change(change, path) => {
                let name = format!("{change:?}").to_lowercase();
                format!("{name} {}({args})", self.path(path))
            }
            Kind::Swap(a, b) => format!("swap {}, {}", self.path(a), self.path(b)),
            Kind::Copy(to, from) => format!("copy {} = {}", self.path(to), self.path(from)),
            Kind::Fill(path) => format!("fill {} = {args}", self.path(path)),
            Kind::Give(to, from) => format!("give {} += {}", self.path(to), self.path(from)),
            Kind::SumZero(path) => format!("sum and zero {} from {args}", self.path(path)),
            _ => String::new(),
        }
    }

    /// `form f(arguments; companions)`; a pullback is named by its value, and its seed comes first.
    fn call(&self, op: &Op, call: &Call) -> String {
        let mut given: Vec<String> = call
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Value(v) => self.value(*v),
                Arg::Ref(path) => format!("&{}", self.path(path)),
                Arg::Mut(path) => format!("&mut {}", self.path(path)),
                Arg::Owned => "_".to_owned(),
                Arg::Function(k) => format!("fn {k}"),
                Arg::Capture(path) => format!("capture {}", self.path(path)),
            })
            .collect();
        let form = match &call.form {
            Form::Primal => "call",
            Form::Forward(_) => "forward",
            Form::Jvp(_) => "jvp",
            Form::Backward(_) => "backward",
            Form::AtOnce(_) => "at once",
        };
        let mut name = tidy(&call.path.to_string());
        if let (Form::Backward(_), [back, seeds @ ..]) = (&call.form, op.args.as_slice()) {
            name = self.value(*back);
            given.splice(0..0, seeds.iter().map(|&seed| self.value(seed)));
        }
        if let Form::AtOnce(_) = call.form {
            given.extend(
                op.args
                    .iter()
                    .map(|&seed| format!("seed {}", self.value(seed))),
            );
        }
        let mut out = format!("{form} {name}({}", given.join(", "));
        let companions = call.form.companions();
        if !companions.is_empty() {
            let companions: Vec<String> = companions
                .iter()
                .map(|companion| match companion {
                    Companion::Zero => "zero".to_owned(),
                    Companion::Value(v) => self.value(*v),
                    Companion::Place(path) => self.path(path),
                })
                .collect();
            let _ = write!(out, "; {}", companions.join(", "));
        }
        out.push(')');
        out
    }
}

/// The primal with its active values marked.
pub(crate) fn primal(func: &Func, activity: &Activity) -> String {
    let notes = Notes {
        activity: Some(activity),
        ..Notes::default()
    };
    print(func, &notes)
}
