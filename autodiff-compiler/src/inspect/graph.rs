//! `f::graph()`: the primal's graph as the tokens of a static.

use rustc_hash::FxHashMap;
use std::fmt::Write;

use autodiff_rules::Reverse;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;

use crate::analysis::Activity;
use crate::function::GradFn;
use crate::ir::{Block, Func, Kind, Op, Opaque, Param, Place, Pos, Prim, Shape, Storage, Value};
use crate::remember::{Obtained, Outcome};
use crate::rules;

/// Copied code longer than this is cut.
const LONGEST: usize = 40;

/// The graph of a function before anything is shared: the operations as the user wrote them.
#[derive(Default)]
pub(crate) struct Chart {
    pub(crate) nodes: Vec<Node>,
    pub(crate) regions: Vec<Region>,
    parameters: Vec<usize>,
    results: Vec<usize>,
    values: FxHashMap<Value, usize>,
    stores: FxHashMap<Pos, usize>,
    places: FxHashMap<Place, usize>,
}

/// A node of the chart.
pub(crate) struct Node {
    pub(crate) op: String,
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) region: Option<usize>,
    /// Operands that nothing defines are left out.
    operands: Vec<usize>,
    pub(crate) of: Of,
}

/// What a node stands for.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    Value(Value),
    Place(Place),
    /// An operation without result.
    Store(Pos),
}

pub(crate) struct Region {
    pub(crate) kind: String,
    pub(crate) span: Span,
    pub(crate) parent: Option<usize>,
}

/// The name of an operation.
pub(crate) fn operation(kind: &Kind) -> String {
    match kind {
        Kind::Lit(tokens) => tidy(tokens),
        Kind::Prim(Prim::Rule(row)) => rules::rule(*row).name.to_owned(),
        Kind::Prim(Prim::Operator(operator)) => operator.sign.to_owned(),
        Kind::Compare(sign) => (*sign).to_owned(),
        Kind::Cast(to, ..) => format!("as {}", tidy(to)),
        Kind::Opaque(opaque) => code(opaque),
        Kind::Aggregate(shape) => match shape {
            Shape::Tuple => "tuple",
            Shape::Array | Shape::Repeat(_) => "array",
            Shape::VecList | Shape::VecRepeat => "vec",
            Shape::Some => "some",
            Shape::Box => "box",
            Shape::Struct(_) => "struct",
        }
        .to_owned(),
        Kind::Component(k) => format!(".{k}"),
        Kind::WithComponent(k) => format!("with .{k}"),
        Kind::Element(k) => format!("[{k}]"),
        Kind::Owned(_, method) => (*method).to_owned(),
        Kind::AddTo(_) => "add to".to_owned(),
        Kind::Change(change, _) => first_word(&format!("{change:?}")),
        Kind::Call(call) => format!("call {}", tidy(&call.path)),
        Kind::Match(..) => "match".to_owned(),
        Kind::For(_) => "for".to_owned(),
        // Others by the name they have in this crate.
        Kind::Prim(other) => first_word(&format!("{other:?}")),
        other => first_word(&format!("{other:?}")),
    }
}

fn first_word(text: &str) -> String {
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    text[..end].to_lowercase()
}

/// The user's own code, its placeholders left out.
fn code(opaque: &Opaque) -> String {
    let mut text = tidy(&opaque.tokens);
    for prefix in ["__a", "__c", "__p", "__q", "__b"] {
        for k in (0..10).rev() {
            text = text.replace(&format!("{prefix}{k}"), "_");
        }
    }
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST - 1).collect();
        text.push('…');
    }
    text
}

fn tidy(tokens: &TokenStream) -> String {
    crate::text::tidy(&tokens.to_string())
}

impl Chart {
    /// The chart of a numbered graph; `written` has the user's names of renamed variables.
    pub(crate) fn new(
        function: &GradFn,
        func: &Func,
        written: &FxHashMap<String, String>,
    ) -> Chart {
        let mut chart = Chart::default();
        for (param, info) in func.params.iter().zip(&function.params) {
            let (name, span) = (info.name.to_string(), info.name.span());
            let (of, known) = match *param {
                Param::Value(v) => (Of::Value(v), Node::PARAMETER),
                Param::Place(p) => (Of::Place(p), Node::PARAMETER),
            };
            let node = chart.node(known.to_owned(), &name, span, None, Vec::new(), of);
            chart.parameters.push(node);
        }
        chart.block(func, &func.body, None);
        let mut results: Vec<usize> = chart.all(&func.body.yields);
        results.extend(func.params.iter().filter_map(|param| match param {
            Param::Place(p) if func.at(*p).storage == Storage::Exclusive => {
                chart.places.get(p).copied()
            }
            _ => None,
        }));
        chart.results = results;
        for node in &mut chart.nodes {
            if let Some(name) = written.get(&node.name) {
                node.name.clone_from(name);
            }
        }
        chart
    }

    /// The node of a value.
    pub(crate) fn of_value(&self, v: Value) -> Option<usize> {
        self.values.get(&v).copied()
    }

    /// The node of an operation, for generated code.
    pub(crate) fn label(&self, op: &Op) -> Literal {
        let value = op.results.first().and_then(|&v| self.of_value(v));
        let node = value.or_else(|| self.stores.get(&op.pos).copied());
        Literal::usize_unsuffixed(node.unwrap_or_default())
    }

    /// The node of a value, for generated code.
    pub(crate) fn label_of(&self, v: Value) -> Literal {
        Literal::usize_unsuffixed(self.of_value(v).unwrap_or_default())
    }

    /// The value that a store stores.
    pub(crate) fn stored(&self, store: &Node) -> Option<Value> {
        match self.nodes[*store.operands.first()?].of {
            Of::Value(v) => Some(v),
            Of::Place(_) | Of::Store(_) => None,
        }
    }

    fn all(&self, values: &[Value]) -> Vec<usize> {
        values.iter().filter_map(|&v| self.of_value(v)).collect()
    }

    fn node(
        &mut self,
        op: String,
        name: &str,
        span: Span,
        region: Option<usize>,
        operands: Vec<usize>,
        of: Of,
    ) -> usize {
        let node = self.nodes.len();
        match of {
            Of::Value(v) => {
                self.values.insert(v, node);
            }
            Of::Place(p) => {
                self.places.insert(p, node);
            }
            Of::Store(pos) => {
                self.stores.insert(pos, node);
            }
        }
        self.nodes.push(Node {
            op,
            name: name.replace("r#", ""),
            span,
            region,
            operands,
            of,
        });
        node
    }

    fn block(&mut self, func: &Func, block: &Block, region: Option<usize>) {
        for op in &block.ops {
            self.op(func, op, region);
        }
    }

    fn op(&mut self, func: &Func, op: &Op, region: Option<usize>) {
        if matches!(op.kind, Kind::Check(_) | Kind::Walked(_) | Kind::Mark) {
            return;
        }
        let mut operands = self.all(&op.operands());
        let mut read: Vec<Place> = op.paths().iter().map(|path| path.root).collect();
        if let Kind::Opaque(opaque) | Kind::Match(opaque, _) = &op.kind {
            read.extend(&opaque.places);
        }
        let written = op.stores();
        for p in read {
            // A store does not depend on what was there, unless it adds to it.
            let blind = matches!(op.kind, Kind::Store(_));
            operands.extend(self.places.get(&p).copied().filter(|_| !blind));
        }
        match &op.kind {
            Kind::New(p) | Kind::NewZero(p) => {
                let name = func.at(*p).hint.clone();
                let of = Of::Place(*p);
                self.node("memory".to_owned(), &name, op.span, region, operands, of);
            }
            _ if !op.blocks.is_empty() => self.region(func, op, region, operands),
            kind => {
                let (name, of) = match op.results.first() {
                    // The name of a length is the macro's own.
                    Some(&v) if matches!(kind, Kind::Len(_)) => (String::new(), Of::Value(v)),
                    Some(&v) => (func.hint(v).to_owned(), Of::Value(v)),
                    None => (String::new(), Of::Store(op.pos)),
                };
                let node = self.node(operation(kind), &name, op.span, region, operands, of);
                for &v in op.results.iter().skip(1) {
                    self.values.insert(v, node);
                }
                for p in written {
                    if let Some(&place) = self.places.get(&p) {
                        self.nodes[place].operands.push(node);
                    }
                }
            }
        }
    }

    fn region(&mut self, func: &Func, op: &Op, region: Option<usize>, operands: Vec<usize>) {
        let count = op.blocks.len();
        let (items, domain) = match &op.kind {
            Kind::For(head) => (head.inductions, head.domain.operands()),
            _ => (usize::MAX, 0),
        };
        // What decides: the condition, the scrutinee or the bounds.
        let deciding = self.all(&op.args[..domain.max(1).min(op.args.len())]);
        let deciding = if items == usize::MAX {
            operands
        } else {
            deciding
        };
        let mut leaving: Vec<Vec<usize>> = vec![deciding.clone(); op.results.len()];
        for (k, block) in op.blocks.iter().enumerate() {
            let kind = match (&op.kind, k) {
                (Kind::If, 0) => "then".to_owned(),
                (Kind::If, _) => "else".to_owned(),
                (_, k) if count > 1 => format!("arm {}", k + 1),
                (kind, _) => operation(kind),
            };
            self.regions.push(Region {
                kind,
                span: op.span,
                parent: region,
            });
            let inner = Some(self.regions.len() - 1);
            let mut carried = Vec::new();
            for (k, &v) in block.params.iter().enumerate() {
                let (kind, from) = if items == usize::MAX {
                    ("bound", deciding.clone())
                } else if k < items {
                    ("item", deciding.clone())
                } else {
                    (
                        "carried",
                        self.all(
                            op.args
                                .get(domain + k - items..)
                                .and_then(|a| a.get(..1))
                                .unwrap_or_default(),
                        ),
                    )
                };
                let name = func.hint(v).to_owned();
                let of = Of::Value(v);
                let node = self.node(kind.to_owned(), &name, op.span, inner, from, of);
                if kind == "carried" {
                    carried.push(node);
                }
            }
            self.block(func, block, inner);
            for (k, &v) in block.yields.iter().enumerate() {
                let Some(from) = self.of_value(v) else {
                    continue;
                };
                if let Some(&node) = carried.get(k) {
                    self.nodes[node].operands.push(from);
                }
                if let Some(leaving) = leaving.get_mut(k) {
                    leaving.push(from);
                }
            }
        }
        for (&v, from) in op.results.iter().zip(leaving) {
            let name = func.hint(v).to_owned();
            let kind = operation(&op.kind);
            self.node(kind, &name, op.span, region, from, Of::Value(v));
        }
    }

    /// What the reverse sweep does with a node.
    fn reverse(&self, node: usize, shared: &FxHashMap<Value, Value>, outcome: &Outcome) -> Reverse {
        match self.nodes[node].of {
            Of::Value(v) => match outcome.values.get(shared.get(&v).unwrap_or(&v)) {
                Some(Obtained::Kept) => Reverse::Kept,
                Some(Obtained::Reread) => Reverse::Reread,
                Some(Obtained::Recomputed) => Reverse::Recomputed,
                Some(Obtained::Remembered(_)) => Reverse::Remembered,
                None => Reverse::Nothing,
            },
            Of::Place(p) if outcome.kept.contains(&p) => Reverse::Remembered,
            Of::Store(pos) if outcome.saved.contains(&pos) => Reverse::Saved,
            Of::Place(_) | Of::Store(_) => Reverse::Nothing,
        }
    }

    fn active(&self, node: &Node, shared: &FxHashMap<Value, Value>, activity: &Activity) -> bool {
        match node.of {
            Of::Value(v) => activity.value(*shared.get(&v).unwrap_or(&v)),
            Of::Place(p) => activity.place(p),
            Of::Store(_) => node.operands.iter().any(|&k| {
                matches!(self.nodes[k].of, Of::Value(_))
                    && self.active(&self.nodes[k], shared, activity)
            }),
        }
    }

    /// The body of `graph`.
    pub(crate) fn tokens(
        &self,
        name: &str,
        shared: &FxHashMap<Value, Value>,
        activity: &Activity,
        outcome: &Outcome,
    ) -> TokenStream {
        let mut nodes = String::new();
        for (k, node) in self.nodes.iter().enumerate() {
            let (line, column) = position(node.span);
            let (op, name) = (one_line(&node.op), &node.name);
            // 0 is the function itself.
            let region = node.region.map_or(0, |r| r + 1);
            let active = if self.active(node, shared, activity) {
                "*"
            } else {
                ""
            };
            let reverse = self.reverse(k, shared, outcome).word();
            let operands: Vec<String> = node.operands.iter().map(usize::to_string).collect();
            let _ = writeln!(
                nodes,
                "{op}\t{name}\t{line}\t{column}\t{region}\t{active}{reverse}\t{}",
                operands.join(" ")
            );
        }
        let mut regions = String::new();
        for region in &self.regions {
            let (line, _) = position(region.span);
            let parent = region.parent.map_or(0, |r| r + 1);
            let _ = writeln!(regions, "{}\t{line}\t{parent}", region.kind);
        }
        let plain = |all: &[usize]| -> Vec<Literal> {
            all.iter().map(|&k| Literal::usize_unsuffixed(k)).collect()
        };
        let (parameters, results) = (plain(&self.parameters), plain(&self.results));
        // One literal, however large the graph: tokens cost the compiler more than all the rest.
        quote! {
            static GRAPH: rt::Graph = rt::Graph::encoded(#name, ::core::file!(), #nodes, #regions, &[#(#parameters),*], &[#(#results),*]);
            &GRAPH
        }
    }
}

/// Text without what separates the fields and lines of a graph.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}

impl Node {
    const PARAMETER: &'static str = "parameter";
}

/// Line and column from 1, or zeros where the compiler does not say.
fn position(span: Span) -> (usize, usize) {
    let start = span.start();
    let column = if start.line == 0 { 0 } else { start.column + 1 };
    (start.line, column)
}
