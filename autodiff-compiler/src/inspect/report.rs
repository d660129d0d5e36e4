//! `#[grad(report)]`: what the reverse sweep asks of the forward sweep, line by line, and why.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::graph::{Chart, Node, Of};
use crate::ir::{Func, Kind, Op, Origin, Prim, To, Ty, Value, Width};
use crate::maps;
use crate::own_names;
use crate::remember::{Obtained, Outcome, Why};
use crate::rules;

/// The report of a function; `both` is its graph with both sweeps.
pub(crate) fn report(
    name: &str,
    chart: &Chart,
    shared: &FxHashMap<Value, Value>,
    both: &Func,
    outcome: &Outcome,
    pullback: &Pullback<'_>,
) -> String {
    let cx = Report {
        chart,
        shared,
        both,
        outcome,
    };
    let mut lines = Lines::new();
    let mut rounds: BTreeMap<usize, Bytes> = BTreeMap::new();
    for (k, node) in chart.nodes.iter().enumerate() {
        let Some((what, remembered)) = cx.node(k, node) else {
            continue;
        };
        let line = node.span.start().line;
        lines.entry(line).or_default().insert(what);
        if let (Some(bytes), Some(region)) = (remembered, cx.round(node.region)) {
            rounds.entry(region).or_default().add(&bytes);
        }
    }
    let mut arms = Vec::new();
    let mut fused = Vec::new();
    for op in &both.body.ops {
        op.walk(&mut |op| {
            let line = op.span.start().line;
            let residual = |v: &Value| matches!(both.ty(*v), Ty::Residual { .. });
            if op.pos != 0 && op.results.last().is_some_and(residual) {
                arms.push(line);
            }
            if matches!(op.kind, Kind::For(_)) && op.blocks.iter().any(|b| b.segment) {
                fused.push(line);
            }
        });
    }
    for line in arms {
        let text = "which arm ran is remembered, with what that arm remembers";
        lines.entry(line).or_default().insert(text.to_owned());
    }
    for line in fused {
        let text = "loop: each round runs forward and at once backward; nothing is remembered from round to round";
        lines.entry(line).or_default().insert(text.to_owned());
    }
    for (region, bytes) in rounds {
        let line = chart.regions[region].span.start().line;
        let text = format!("loop: {bytes} a round");
        lines.entry(line).or_default().insert(text);
    }
    let mut out = format!("What the reverse sweep of `{name}` has of the forward sweep:\n");
    if lines.is_empty() {
        out.push_str("nothing, it needs no value of it\n");
    }
    write_lines(&lines, &mut out);
    let loops = loops(both);
    if !loops.is_empty() {
        let _ = writeln!(out, "Loops over the entries of tensors:");
        write_lines(&loops, &mut out);
    }
    let alone = alone(both);
    if !alone.is_empty() {
        let _ = writeln!(out, "Operations that are in no such loop:");
        write_lines(&alone, &mut out);
    }
    let held = held(pullback);
    if !held.is_empty() {
        let _ = writeln!(
            out,
            "Tensors that a pullback has, beside parameters and what it holds of calls:"
        );
        write_lines(&held, &mut out);
    }
    let absorbing = absorbing(both);
    if !absorbing.is_empty() {
        let _ = writeln!(out, "Where a zero may absorb an infinite slope:");
        write_lines(&absorbing, &mut out);
    }
    out
}

/// The sweeps of a function that returns before the second one runs.
pub(crate) struct Pullback<'a> {
    pub(crate) func: &'a Func,
    /// Where the second one begins.
    pub(crate) split: usize,
    /// The operations that it repeats.
    pub(crate) renewed: &'a [Op],
}

/// The name of variables that are not the user's.
const UNNAMED: &str = "t";

type Lines = BTreeMap<usize, BTreeSet<String>>;

fn write_lines(lines: &Lines, out: &mut String) {
    for (line, all) in lines {
        for what in all {
            let _ = match line {
                0 => writeln!(out, "{what}"),
                line => writeln!(out, "line {line}: {what}"),
            };
        }
    }
}

/// The kernels of the forward sweep: what each computes, and what of that it remembers.
fn loops(both: &Func) -> Lines {
    let mut lines = Lines::new();
    for op in &both.body.ops {
        op.walk(&mut |op| {
            let (Kind::Map(map), Origin::User) = (&op.kind, op.origin) else {
                return;
            };
            let names = |of: &dyn Fn(&Op) -> bool| {
                let mut names: Vec<String> = Vec::new();
                for op in &map.func.body.ops {
                    op.walk(&mut |op| match sign(op) {
                        name if of(op) && !name.is_empty() => names.push(format!("`{name}`")),
                        _ => {}
                    });
                }
                names.join(", ")
            };
            let all = names(&|_| true);
            let mut text = match (map.to[0], all.as_str()) {
                (To::Along(fold, _), "") => format!("one loop: the {} along an axis", fold.name()),
                _ => format!("one loop: {all}"),
            };
            match map.to[0] {
                To::Sum => text.push_str(", and the sum"),
                To::Mean => text.push_str(", and the mean"),
                To::Along(fold, _) if !all.is_empty() => {
                    let _ = write!(text, ", and the {} along an axis", fold.name());
                }
                _ => {}
            }
            let given = map.func.body.yields.iter().zip(&map.to).skip(1);
            let given = given.filter(|(_, to)| **to == To::Entries);
            let beside: Vec<Value> = given.map(|(&v, _)| v).collect();
            let remembered = names(&|op| op.results.iter().any(|v| beside.contains(v)));
            if !remembered.is_empty() {
                let _ = write!(text, "; what {remembered} gives is remembered");
            }
            let line = op.span.start().line;
            lines.entry(line).or_default().insert(text);
        });
    }
    lines
}

/// What an operation on numbers is called; nothing if it has no name.
fn sign(op: &Op) -> &'static str {
    match &op.kind {
        Kind::Prim(Prim::Add) => "+",
        Kind::Prim(Prim::Sub | Prim::Neg) => "-",
        Kind::Prim(Prim::Mul) => "*",
        Kind::Prim(Prim::Div) => "/",
        Kind::Prim(Prim::Rule(row)) => rules::rule(*row).name,
        _ => "",
    }
}

/// What an operation gives, in words.
fn given(op: &Op) -> String {
    let name = match &op.kind {
        Kind::Map(map) => map.func.body.ops.last().map(|op| sign(op).to_owned()),
        Kind::Call(call) => Some(match &call.member {
            Some(name) => own_names::unmarked(&name.to_string()).to_owned(),
            None => call.path.to_string(),
        }),
        _ => None,
    };
    match name {
        Some(name) if !name.is_empty() => format!("what `{name}` gives"),
        _ => "a tensor".to_owned(),
    }
}

/// What a pullback holds of the forward sweep, and what it makes again.
fn held(pullback: &Pullback<'_>) -> Lines {
    let func = pullback.func;
    let mut lines = Lines::new();
    if !func.values.iter().any(|value| value.tensor) {
        return lines;
    }
    let (forward, reverse) = func.body.ops.split_at(pullback.split);
    let read: FxHashSet<Value> = reverse.iter().flat_map(Op::captures).collect();
    let mut say = |op: &Op, what: &str, how: &str| {
        let text = format!("{what} is {how}");
        lines.entry(op.span.start().line).or_default().insert(text);
    };
    let tensor = |v: &Value| func.values[v.0 as usize].tensor;
    for op in forward {
        match &op.kind {
            Kind::Load(_) => {}
            Kind::New(p) if op.args.iter().any(tensor) => {
                let made = &op.args;
                if reverse.iter().any(|op| op.mentions(*p)) {
                    let maker = forward.iter().find(|op| op.results.first() == made.first());
                    let what = match (func.at(*p).hint.as_str(), maker) {
                        (UNNAMED, Some(maker)) => given(maker),
                        (name, _) => format!("`{name}`"),
                    };
                    say(op, &what, "held");
                }
            }
            _ => {
                if op.results.iter().any(|v| tensor(v) && read.contains(v)) {
                    say(op, &given(op), "held");
                }
            }
        }
    }
    for op in pullback.renewed {
        let how = "made again in front of a product: what it is made of is there in any case";
        say(op, &given(op), how);
    }
    lines
}

/// The operations that would be part of a loop, if what they are given were known to be tensors.
fn alone(both: &Func) -> Lines {
    let mut lines = Lines::new();
    if !both.values.iter().any(|value| value.tensor) {
        return lines;
    }
    let mut elements = FxHashSet::default();
    for op in &both.body.ops {
        op.walk(&mut |op| {
            let name = match &op.kind {
                Kind::Load(path) if !path.steps.is_empty() => {
                    elements.extend(op.results.iter().copied());
                    return;
                }
                Kind::Prim(Prim::Operator(operator)) if !operator.assigns() => {
                    // An element is a number, and so is what an operation of tensors sums up to.
                    let number = |v: &Value| both.ty(*v).is_float() || elements.contains(v);
                    if op.args.iter().all(number) {
                        elements.extend(op.results.iter().copied());
                        return;
                    }
                    operator.sign.to_owned()
                }
                Kind::Call(call) => match maps::entry_by_entry(call) {
                    Some(name) => name,
                    None => {
                        if maps::gives_number(call) {
                            elements.extend(op.results.iter().copied());
                        }
                        return;
                    }
                },
                _ => return,
            };
            if op.origin == Origin::User {
                let text = format!("`{name}`: nothing that is written says that it is given tensors; write their type, `let x: Tensor<f64> = …`");
                lines.entry(op.span.start().line).or_default().insert(text);
            }
        });
    }
    lines
}

/// The products that are guarded against zero times infinity.
fn absorbing(both: &Func) -> Lines {
    let mut lines = Lines::new();
    for op in &both.body.ops {
        op.walk(&mut |op| {
            let what = match op.kind {
                Kind::Prim(Prim::Smul | Prim::Sdiv) if op.origin == Origin::Derived => {
                    "the slope may be infinite or undefined; a cotangent that is zero absorbs it"
                }
                Kind::Prim(Prim::Zmul | Prim::Absorb(_)) => {
                    "an infinite slope may arrive; a factor that is zero absorbs it"
                }
                _ => return,
            };
            let line = op.span.start().line;
            lines.entry(line).or_default().insert(what.to_owned());
        });
    }
    lines
}

struct Report<'a> {
    chart: &'a Chart,
    shared: &'a FxHashMap<Value, Value>,
    both: &'a Func,
    outcome: &'a Outcome,
}

impl Report<'_> {
    /// What there is to say of a node, and how much is remembered of it.
    fn node(&self, k: usize, node: &Node) -> Option<(String, Option<Bytes>)> {
        let name = match (node.name.as_str(), node.op.as_str()) {
            (name, "parameter" | "item" | "carried" | "memory") if !name.is_empty() => {
                format!("`{name}`")
            }
            ("", op) => format!("`{op}`"),
            (name, op) => format!("`{name} = {op}`"),
        };
        match node.of {
            Of::Value(v) => {
                let v = *self.shared.get(&v).unwrap_or(&v);
                // Said once, where it is computed first.
                if self.chart.of_value(v) != Some(k) {
                    return None;
                }
                let ty = self.both.ty(v);
                match self.outcome.values.get(&v)? {
                    Obtained::Kept | Obtained::Recomputed if is_literal(&node.op) => None,
                    Obtained::Kept => {
                        Some((format!("{name} is kept: its variable is still there"), None))
                    }
                    Obtained::Reread => Some((
                        format!("{name} is read again: its memory is as it was"),
                        None,
                    )),
                    Obtained::Recomputed => Some((
                        format!("{name} is computed again: cheaper than to remember it"),
                        None,
                    )),
                    Obtained::Remembered(why) => {
                        let bytes = size(ty);
                        Some((
                            format!(
                                "{name} is remembered, {}: {}",
                                in_bytes(bytes),
                                reason(*why)
                            ),
                            Some(Bytes::of(bytes)),
                        ))
                    }
                }
            }
            Of::Place(p) if self.outcome.kept.contains(&p) => {
                let bytes = size(&self.both.at(p).ty);
                Some((
                    format!(
                        "{name} is remembered whole, {}: the reverse sweep reads it after its scope has ended",
                        in_bytes(bytes)
                    ),
                    Some(Bytes::of(bytes)),
                ))
            }
            Of::Store(pos) if self.outcome.saved.contains(&pos) => {
                let bytes = self.chart.stored(node).and_then(|v| size(self.both.ty(v)));
                Some((
                    format!(
                        "{name} saves what it overwrites, {}: that is read again, or handed back to the caller",
                        in_bytes(bytes)
                    ),
                    Some(Bytes::of(bytes)),
                ))
            }
            Of::Place(_) | Of::Store(_) => None,
        }
    }

    /// The loop body around a region.
    fn round(&self, region: Option<usize>) -> Option<usize> {
        let regions = &self.chart.regions;
        std::iter::successors(region, |&r| regions[r].parent).find(|&r| regions[r].kind == "for")
    }
}

fn is_literal(op: &str) -> bool {
    op.starts_with(|c: char| c.is_ascii_digit() || c == '-')
}

/// A number of bytes, and whether there is more of unknown size.
#[derive(Default)]
struct Bytes {
    known: usize,
    more: bool,
}

impl Bytes {
    fn of(size: Option<usize>) -> Bytes {
        Bytes {
            known: size.unwrap_or(0),
            more: size.is_none(),
        }
    }

    fn add(&mut self, other: &Bytes) {
        self.known += other.known;
        self.more |= other.more;
    }
}

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.known, self.more) {
            (0, true) => f.write_str("what has no size known to the macro"),
            (known, true) => write!(f, "{known} bytes, and what has no size known to the macro,"),
            (known, false) => write!(f, "{known} bytes"),
        }
    }
}

fn in_bytes(bytes: Option<usize>) -> String {
    match bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "of a size that the macro does not know".to_owned(),
    }
}

/// The size of a value, if the macro can tell.
fn size(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Float(Width::F64) | Ty::Int => Some(8),
        Ty::Float(Width::F32) => Some(4),
        Ty::Bool => Some(1),
        Ty::Array(elem, Some(len)) => Some(size(elem)? * len.to_string().parse::<usize>().ok()?),
        Ty::Tuple(parts) => parts.iter().map(size).sum(),
        _ => None,
    }
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::Dear => "it takes longer to compute than to remember",
        Why::Operands => "what it is computed from would have to be remembered instead",
        Why::Gone => "the memory that it was read from is gone by then",
        Why::Changed => "the memory that it was read from has changed by then",
        Why::Stores => "undoing what is stored there since would take more",
        Why::Region => "it comes out of a conditional or a loop",
        Why::Round => "the next round has another one",
        Why::Call => "a call runs once",
        Why::Code => "copied code runs once",
        Why::Asked => "an option asks for it",
    }
}
