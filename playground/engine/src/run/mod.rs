//! Runs generated code: an interpreter for the part of Rust that functions of numbers, and their derivatives, are written in.
//!
//! Nothing is differentiated here. What it does not know it refuses to run, and says so.

mod expressions;
mod library;
mod methods;
mod operators;
mod patterns;
mod table;
mod value;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use autodiff_runtime::graph::Graph;
use autodiff_runtime::trace::Trace;

pub(crate) use value::{Cell, Place, Value};

/// Steps after which a run is given up: a page must answer.
const STEPS: u64 = 500_000;
/// Calls inside of calls after which a run is given up.
const CALLS: u32 = 60;

/// Why a run does not go on here.
pub(crate) enum Stop {
    /// What the interpreter does not know.
    Unsupported(String),
    /// What rustc refuses, and what to write.
    Mistyped(String),
    /// The program panics.
    Panic(String),
    Break(Option<String>, Value),
    Continue(Option<String>),
    Return(Value),
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Unsupported(what.into())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Unsupported(what) => write!(
                f,
                "the simulator does not run {what}; the derivatives beside it are complete"
            ),
            Stop::Mistyped(what) => write!(f, "rustc refuses {what}"),
            Stop::Panic(message) => write!(f, "the function panics: {message}"),
            Stop::Break(..) | Stop::Continue(_) | Stop::Return(_) => {
                f.write_str("a jump leaves the function")
            }
        }
    }
}

pub(crate) type Outcome<T = Value> = Result<T, Stop>;

/// A function that can be called.
pub(crate) enum Callable {
    /// A closure with the variables around it.
    Closure {
        syntax: Rc<syn::ExprClosure>,
        variables: Vec<(String, Cell)>,
        own_type: Option<Rc<str>>,
    },
    /// A function by its path.
    Path(Vec<String>),
    /// The pullback of a function of the rule table.
    Pullback {
        rule: &'static autodiff_rules::Rule,
        partials: Vec<f64>,
    },
}

/// A function of the program.
struct Function {
    syntax: syn::Signature,
    body: syn::Block,
    /// What `Self` is in it.
    own_type: Option<Rc<str>>,
}

/// Everything that can be called or named in a file and its expansions.
#[derive(Default)]
pub(crate) struct Program {
    functions: HashMap<String, Rc<Function>>,
    constants: HashMap<String, syn::Expr>,
    structs: HashMap<String, Rc<[String]>>,
    graphs: HashMap<String, &'static Graph>,
    /// Functions by the names that lead to their derivatives.
    renamed: HashMap<String, String>,
}

impl Program {
    /// Adds the items of a file.
    pub(crate) fn add(&mut self, items: &[syn::Item]) {
        for item in items {
            self.item(item);
        }
    }

    /// Adds a graph, which belongs to the function of its name.
    pub(crate) fn add_graph(&mut self, graph: &'static Graph) {
        self.graphs.insert(graph.name().to_owned(), graph);
    }

    fn item(&mut self, item: &syn::Item) {
        match item {
            syn::Item::Fn(f) => self.function(None, &f.sig, &f.block),
            syn::Item::Use(of) => self.renamed(&of.tree),
            syn::Item::Const(c) => {
                if let syn::Expr::Block(block) = &*c.expr {
                    for stmt in &block.block.stmts {
                        if let syn::Stmt::Item(item) = stmt {
                            self.item(item);
                        }
                    }
                }
                self.constants
                    .insert(c.ident.to_string(), (*c.expr).clone());
            }
            syn::Item::Struct(s) => {
                let names = s.fields.iter().filter_map(|f| f.ident.as_ref());
                let names = names.map(ToString::to_string).collect();
                self.structs.insert(s.ident.to_string(), names);
            }
            syn::Item::Impl(block) => {
                let syn::Type::Path(ty) = &*block.self_ty else {
                    return;
                };
                let Some(last) = ty.path.segments.last() else {
                    return;
                };
                let own: Rc<str> = last.ident.to_string().into();
                for item in &block.items {
                    match item {
                        syn::ImplItem::Fn(f) => self.function(Some(&own), &f.sig, &f.block),
                        syn::ImplItem::Const(c) => {
                            let name = format!("{own}::{}", c.ident);
                            self.constants.insert(name, c.expr.clone());
                        }
                        _ => {}
                    }
                }
            }
            syn::Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    self.add(items);
                }
            }
            _ => {}
        }
    }

    /// `use models::energy as __of_energy_or_none;`, which `__of_energy` is where there are derivatives.
    fn renamed(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.renamed(&path.tree),
            syn::UseTree::Rename(of) => {
                if let Some(name) = of.rename.to_string().strip_suffix("_or_none") {
                    self.renamed.insert(name.to_owned(), of.ident.to_string());
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, own_type: Option<&Rc<str>>, syntax: &syn::Signature, body: &syn::Block) {
        let name = match own_type {
            Some(own) => format!("{own}::{}", syntax.ident),
            None => syntax.ident.to_string(),
        };
        let function = Function {
            syntax: syntax.clone(),
            body: body.clone(),
            own_type: own_type.cloned(),
        };
        self.functions.insert(name, Rc::new(function));
    }

    /// Whether there is a function of that path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.functions.contains_key(path)
    }

    /// Calls a function by its path.
    pub(crate) fn call(&self, path: &str, args: Vec<Value>) -> Outcome {
        let mut run = Run::new(self);
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        run.call_path(&path, args)
    }

    /// The record of a run of a function.
    pub(crate) fn trace(&self, function: &str, args: Vec<Value>) -> Outcome<Rc<Trace>> {
        match self.call(&format!("{function}::trace"), args)? {
            Value::Trace(trace) => Ok(trace),
            other => Err(Stop::unsupported(format!("{other:?} as a trace"))),
        }
    }
}

/// A run of a program.
struct Run<'a> {
    program: &'a Program,
    /// Variables of the function that runs, the innermost last.
    variables: Vec<(String, Cell)>,
    own_type: Option<Rc<str>>,
    steps: u64,
    calls: u32,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program) -> Run<'a> {
        Run {
            program,
            variables: Vec::new(),
            own_type: None,
            steps: 0,
            calls: 0,
        }
    }

    fn step(&mut self) -> Outcome<()> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Stop::unsupported("so many steps"));
        }
        Ok(())
    }

    fn variable(&self, name: &str) -> Option<&Cell> {
        let mut all = self.variables.iter().rev();
        all.find(|(n, _)| n == name).map(|(_, cell)| cell)
    }

    fn define(&mut self, name: String, value: Value) {
        let cell = Rc::new(RefCell::new(value));
        self.variables.push((name, cell));
    }

    /// Runs something with variables and a `Self` of its own.
    fn within(
        &mut self,
        variables: Vec<(String, Cell)>,
        own_type: Option<Rc<str>>,
        body: impl FnOnce(&mut Self) -> Outcome,
    ) -> Outcome {
        if self.calls == CALLS {
            return Err(Stop::unsupported("calls inside of so many calls"));
        }
        self.calls += 1;
        let outer = std::mem::replace(&mut self.variables, variables);
        let outer_type = std::mem::replace(&mut self.own_type, own_type);
        let outcome = body(self);
        self.variables = outer;
        self.own_type = outer_type;
        self.calls -= 1;
        match outcome {
            Err(Stop::Return(value)) => Ok(value),
            other => other,
        }
    }

    fn call_function(&mut self, function: &Function, args: Vec<Value>) -> Outcome {
        let own = function.own_type.clone();
        self.within(Vec::new(), own, |run| {
            for (input, arg) in function.syntax.inputs.iter().zip(args) {
                match input {
                    syn::FnArg::Receiver(_) => run.define("self".to_owned(), arg),
                    syn::FnArg::Typed(typed) => {
                        run.bind_always(&typed.pat, arg)?;
                    }
                }
            }
            run.block(&function.body)
        })
    }

    /// Calls what a value is.
    fn call_value(&mut self, callable: &Callable, args: Vec<Value>) -> Outcome {
        match callable {
            Callable::Closure {
                syntax,
                variables,
                own_type,
            } => self.within(variables.clone(), own_type.clone(), |run| {
                for (pat, arg) in syntax.inputs.iter().zip(args) {
                    run.bind_always(pat, arg)?;
                }
                run.eval(&syntax.body)
            }),
            Callable::Path(path) => self.call_path(path, args),
            Callable::Pullback { rule, partials } => {
                let seed = args
                    .into_iter()
                    .next()
                    .unwrap_or_else(Value::unit)
                    .float()?;
                let all = partials.iter();
                let all = all.map(|&p| Value::Float(table::applied(rule, seed, p)));
                Ok(Value::Tuple(all.collect()))
            }
        }
    }

    /// The function of the program that a path means, and what else it may be: its last two names.
    fn resolved(&self, path: &[String]) -> (Option<Rc<Function>>, String) {
        let own = |name: &String| match (&self.own_type, name.as_str()) {
            (Some(own), "Self") => own.to_string(),
            _ => name.clone(),
        };
        let (last, before) = match path {
            [.., before, last] => (last.clone(), Some(own(before))),
            [last] => (last.clone(), None),
            [] => (String::new(), None),
        };
        let functions = &self.program.functions;
        let Some(before) = before else {
            return (functions.get(&last).cloned(), last);
        };
        let qualified = format!("{before}::{last}");
        let found = functions.get(&qualified).or_else(|| {
            // A module of the file; `rt` and the standard library are none.
            let plain = matches!(before.as_str(), "crate" | "self" | "super");
            functions.get(&last).filter(|_| plain)
        });
        (found.cloned(), qualified)
    }

    fn call_path(&mut self, path: &[String], args: Vec<Value>) -> Outcome {
        self.step()?;
        let renamed = &self.program.renamed;
        let path = path.iter().map(|name| renamed.get(name).unwrap_or(name));
        let path: &[String] = &path.cloned().collect::<Vec<_>>();
        let (function, qualified) = self.resolved(path);
        if let Some(graph) = qualified
            .strip_suffix("::graph")
            .and_then(|name| self.program.graphs.get(name))
        {
            return Ok(Value::Graph(graph));
        }
        if let Some(function) = function {
            return self.call_function(&function, args);
        }
        // A form that not every function has: what is called without it stands behind the arguments.
        let form = path.last().map(String::as_str);
        if let (Some("__leaving"), [given, otherwise @ Value::Function(_)]) = (form, &args[..]) {
            return self.apply(&otherwise.clone(), vec![given.clone()]);
        }
        // A constant that is a function.
        if let Some(constant) = self.program.constants.get(&qualified) {
            let function = self.within(Vec::new(), None, |run| run.eval(constant))?;
            if matches!(function, Value::Function(_)) {
                return self.apply(&function, args);
            }
        }
        self.library(path, &qualified, args)
    }
}
