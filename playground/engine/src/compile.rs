//! A file through the compiler: refusals, generated code, reports and graphs, and the program that runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use autodiff_cli::expand::parsed;
use autodiff_cli::explain::kind_of;
use autodiff_cli::problem::{Problem, Renderer};
use autodiff_cli::source::{self, Mark, Request, Site, Sites, Source};
use autodiff_compiler::tool;
use autodiff_runtime::graph::Graph;
use proc_macro2::Span;
use serde_json::{Value as Json, json};
use syn::visit_mut::VisitMut;

use crate::bare;
use crate::inputs::{Input, shown, written};
use crate::lines::{self, Listing};
use crate::run::{Program, Value};

/// What the file is called in messages.
const NAME: &str = "playground.rs";

/// A parameter of a function that runs.
struct Parameter {
    name: String,
    input: Input,
    /// Whether the gradient has a part for it.
    differentiable: bool,
}

/// A file that was compiled.
pub(crate) struct Compiled {
    pub(crate) source: String,
    /// What the page is told.
    pub(crate) answer: Json,
    program: Program,
    /// The parameters of functions that run, or why they do not.
    functions: BTreeMap<String, Result<Vec<Parameter>, String>>,
}

impl Compiled {
    pub(crate) fn new(text: &str) -> Compiled {
        let mut compiled = Compiled {
            source: text.to_owned(),
            answer: Json::Null,
            program: Program::default(),
            functions: BTreeMap::new(),
        };
        compiled.answer = match Source::parse(NAME, text) {
            Ok(source) => {
                let (problems, functions) = compiled.file(&source);
                answered(&problems, functions, text)
            }
            Err(problem) => compiled.bare(text, problem),
        };
        // Places in texts are kept for as long as this is not said.
        proc_macro2::extra::invalidate_current_thread_spans();
        compiled
    }

    /// A text that is no file of Rust, and may be an expression.
    fn bare(&mut self, text: &str, problem: Problem) -> Json {
        let bare = match bare::function(text) {
            Ok(bare) => bare,
            Err(error) => {
                // What understood more of it knows better what is wrong.
                let place = match error.span().byte_range() {
                    Range { start: 0, end: 0 } => text.trim_end().len()..text.len(),
                    place => place,
                };
                let further = place.start >= problem.start();
                let own = Problem::at(format!("this is no Rust: {error}"), NAME, text, place);
                return answered(&[if further { own } else { problem }], Vec::new(), text);
            }
        };
        let source = match Source::parse(NAME, &bare.text) {
            Ok(source) => source,
            Err(problem) => return answered(&[problem], Vec::new(), &bare.text),
        };
        let (problems, functions) = self.file(&source);
        let typed = |at: usize| at.saturating_sub(bare.before).min(text.len());
        let problems: Vec<Problem> = problems
            .into_iter()
            .map(|problem| match problem.range() {
                Some(Range { start, end }) => {
                    Problem::at(problem.message, NAME, text, typed(start)..typed(end))
                }
                None => problem,
            })
            .collect();
        let mut answer = answered(&problems, functions, text);
        answer["bare"] = json!(bare.head);
        answer
    }

    /// What is wrong with a file, and its functions.
    fn file(&mut self, source: &Source) -> (Vec<Problem>, Vec<Json>) {
        let request = |trace| Request {
            report: true,
            trace,
            ..Request::default()
        };
        let (traced, plain) = (request(true), request(false));
        let all = Sites::of(&source.file, &traced);
        let again = Sites::of(&source.file, &plain);
        self.program.add(&source.file.items);
        let mut problems = Vec::new();
        let mut functions = Vec::new();
        for (site, without) in all.iter().zip(&again) {
            // A function without a record of its run is one as well.
            let (mut tokens, mut refusals) = source::expansion(site);
            let traced = refusals.is_empty();
            if !traced {
                (tokens, refusals) = source::expansion(without);
            }
            let head = source::head(site);
            let found = refusals.into_iter().map(|r| source.refused(r, &head));
            let found: Vec<Problem> = found.collect();
            let refused = !found.is_empty();
            problems.extend(found);
            match parsed(tokens, site) {
                Ok(_) if refused => {}
                Ok(file) => functions.extend(self.site(source, site, &file, traced)),
                Err(error) if refused => drop(error),
                Err(error) => problems.push(source.refused(error.into(), &head)),
            }
        }
        problems.extend(autodiff_cli::expand::nothing(source, &plain, &all));
        problems.sort_by_key(Problem::start);
        (problems, functions)
    }

    /// What there is to say of a marked item.
    fn site(
        &mut self,
        source: &Source,
        site: &Site,
        file: &syn::File,
        traced: bool,
    ) -> Option<Json> {
        self.program.add(&file.items);
        if !matches!(site.mark, Mark::Grad(_)) {
            return None;
        }
        let name = source.text.get(source::head(site)).unwrap_or_default();
        let graphs: Vec<&'static Graph> = tool::graphs(file).into_iter().map(interned).collect();
        for graph in &graphs {
            self.program.add_graph(graph);
        }
        let line = |span: Span| Some(line_of(&source.text, source.range(span)?.start));
        let forward = lines::listing(functions_of(file, "jvp"), line);
        let reverse = lines::listing(functions_of(file, "vjp"), line);
        let inputs = self.inputs(site, name, traced);
        let described = inputs.as_ref().map(|inputs| {
            let all = inputs.iter().map(|parameter| {
                let mut described = parameter.input.described();
                described["name"] = json!(parameter.name);
                described["differentiable"] = json!(parameter.differentiable);
                described
            });
            Json::Array(all.collect())
        });
        let (parameters, why) = match described {
            Ok(parameters) => (parameters, Json::Null),
            Err(why) => (Json::Null, json!(why)),
        };
        self.functions.insert(name.to_owned(), inputs);
        Some(json!({
            "name": name,
            "line": line_of(&source.text, site.range.start),
            "end": line_of(&source.text, site.range.end),
            "forward": listed(&forward),
            "reverse": listed(&reverse),
            "report": tool::reports(file).join("\n"),
            "graph": graphs.iter().map(|graph| graph.to_svg()).collect::<Vec<_>>(),
            "parameters": parameters,
            "why": why,
        }))
    }

    /// The parameters of a function that runs, or why it does not.
    fn inputs(&self, site: &Site, name: &str, traced: bool) -> Result<Vec<Parameter>, String> {
        let function = syn::parse2::<syn::ItemFn>(site.item.clone());
        let function = function
            .map_err(|_| "the simulator runs functions that stand by themselves".to_owned())?;
        if !traced || !self.program.has(&format!("{name}::trace")) {
            return Err("the simulator runs functions that `trace` can record: of numbers, and with one number as the result".to_owned());
        }
        if !function.sig.generics.params.is_empty() {
            return Err("the simulator runs functions without type parameters".to_owned());
        }
        let parameters = function.sig.inputs.iter().map(|input| {
            let syn::FnArg::Typed(typed) = input else {
                return Err("the simulator runs functions that are no methods".to_owned());
            };
            let name = match &*typed.pat {
                syn::Pat::Ident(p) => p.ident.to_string(),
                other => quote::ToTokens::to_token_stream(other).to_string(),
            };
            let input = Input::of(&typed.ty).map_err(|ty| {
                format!("the simulator gives numbers, truth values, and tuples and lists of them, and not {ty}")
            })?;
            let constant = typed.attrs.iter().any(|a| source::last_is(a.path(), "constant"));
            let differentiable = !constant && input.differentiable();
            Ok(Parameter { name, input, differentiable })
        });
        parameters.collect()
    }

    /// Runs a function with inputs of the page.
    pub(crate) fn run(&self, function: &str, inputs: &[Json]) -> Json {
        match self.ran(function, inputs) {
            Ok(answer) => answer,
            Err(why) => json!({ "failed": why }),
        }
    }

    fn ran(&self, function: &str, given: &[Json]) -> Result<Json, String> {
        let known = self.functions.get(function);
        let inputs = known
            .ok_or_else(|| {
                format!("there is no function `{function}` that is marked and accepted")
            })?
            .as_ref()
            .map_err(Clone::clone)?;
        if inputs.len() != given.len() {
            return Err(format!("`{function}` takes {} inputs", inputs.len()));
        }
        let args = || -> Result<Vec<Value>, String> {
            inputs
                .iter()
                .zip(given)
                .map(|(p, json)| p.input.read(json))
                .collect()
        };
        let traced = self.program.trace(function, args()?);
        let trace = traced.map_err(|stop| stop.to_string())?;
        // Reverse mode, also where forward mode would be cheaper.
        let mut seeded = args()?;
        seeded.push(Value::Float(1.0));
        let swept = self.program.call(&format!("{function}::vjp"), seeded);
        let swept = swept.map_err(|stop| stop.to_string())?;
        let gradient = match swept {
            Value::Tuple(parts) => parts.into_iter().nth(1).unwrap_or_else(Value::unit),
            other => other,
        };
        // Of one parameter the gradient is no tuple.
        let gradient = match inputs.iter().filter(|p| p.differentiable).count() {
            1 => Json::Array(vec![shown(&gradient)]),
            _ => shown(&gradient),
        };
        let nodes = trace.nodes().iter().map(|node| {
            let operands = node.operands.iter().map(|o| {
                json!({ "node": o.node, "value": written(o.value), "partial": written(o.partial) })
            });
            json!({
                "op": node.op,
                "name": node.name,
                "line": node.line,
                "call": trace.calls()[node.call].graph.name(),
                "value": written(node.value),
                "adjoint": written(node.gradient),
                "operands": operands.collect::<Vec<_>>(),
            })
        });
        let nodes: Vec<Json> = nodes.collect();
        let result = trace.result().and_then(|result| {
            trace
                .nodes()
                .iter()
                .position(|node| std::ptr::eq(node, result))
        });
        Ok(json!({
            "value": written(trace.value()),
            "gradient": gradient,
            "nodes": nodes,
            "result": result,
        }))
    }
}

/// The functions of an expansion that are the derivatives of one mode, each in the block of its type.
fn functions_of(file: &syn::File, mode: &str) -> Vec<syn::Item> {
    fn collect(items: &[syn::Item], mode: &str, found: &mut Vec<syn::Item>) {
        for item in items {
            match item {
                syn::Item::Const(c) => {
                    if let syn::Expr::Block(block) = &*c.expr {
                        let items = block.block.stmts.iter().filter_map(|stmt| match stmt {
                            syn::Stmt::Item(item) => Some(item.clone()),
                            _ => None,
                        });
                        collect(&items.collect::<Vec<_>>(), mode, found);
                    }
                }
                syn::Item::Impl(block) if block.trait_.is_none() => {
                    for item in &block.items {
                        let syn::ImplItem::Fn(f) = item else {
                            continue;
                        };
                        let name = f.sig.ident.to_string();
                        let hidden = name
                            .strip_suffix(mode)
                            .is_some_and(|start| start.starts_with("__") && !start.contains("jvp"));
                        if hidden {
                            let mut block = f.block.clone();
                            Plain.visit_block_mut(&mut block);
                            found.push(syn::Item::Fn(syn::ItemFn {
                                attrs: Vec::new(),
                                vis: syn::Visibility::Inherited,
                                modifiers: f.modifiers.clone(),
                                sig: f.sig.clone(),
                                block: Box::new(block),
                            }));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(&file.items, mode, &mut found);
    found
}

/// Functions under their own names, where others lead to their derivatives.
struct Plain;

impl VisitMut for Plain {
    fn visit_ident_mut(&mut self, ident: &mut syn::Ident) {
        if let Some(plain) = ident.to_string().strip_prefix("__of_") {
            *ident = syn::Ident::new(plain, ident.span());
        }
    }
}

fn listed(listing: &Listing) -> Json {
    json!({ "text": listing.text, "lines": listing.lines })
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().iter().take(at);
    before.filter(|b| **b == b'\n').count() + 1
}

/// What the page is told of a text.
fn answered(problems: &[Problem], functions: Vec<Json>, text: &str) -> Json {
    let problems: Vec<Json> = problems.iter().map(|p| described(p, text)).collect();
    json!({ "problems": problems, "functions": functions })
}

/// A problem for the page: places are counted in UTF-16, as texts of pages are.
fn described(problem: &Problem, text: &str) -> Json {
    let known = kind_of(&problem.message);
    let units = |at: usize| text.get(..at).map_or(0, |t| t.encode_utf16().count());
    let Range { start, end } = problem.range().unwrap_or(0..0);
    json!({
        "message": problem.message,
        "start": units(start),
        "end": units(end),
        "line": line_of(text, start),
        "rendered": problem.render(&Renderer::plain()),
        "kind": known.map(|kind| kind.name),
        "explained": known.and_then(|kind| autodiff_cli::explain::explain(Some(kind.name)).ok()),
    })
}

thread_local! {
    /// Graphs that the runtime holds for ever, each once.
    static GRAPHS: RefCell<HashMap<String, &'static Graph>> = RefCell::new(HashMap::new());
}

/// A graph as the runtime reads it.
fn interned(graph: tool::Graph) -> &'static Graph {
    let key = format!("{graph:?}");
    GRAPHS.with_borrow_mut(|all| {
        *all.entry(key).or_insert_with(|| {
            let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
            let list =
                |list: Vec<usize>| -> &'static [usize] { Box::leak(list.into_boxed_slice()) };
            Box::leak(Box::new(Graph::encoded(
                text(graph.function),
                NAME,
                text(graph.nodes),
                text(graph.regions),
                list(graph.parameters),
                list(graph.results),
            )))
        })
    })
}
