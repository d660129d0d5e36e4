//! What tools that show derivatives ask of the compiler, beside the tokens of [`grad`](crate::grad): refusals with their places, the stages on the way, graphs and reports.

use proc_macro2::{Span, TokenStream};

use crate::dump;
pub use crate::dump::Shown;
use crate::visit::{self, Enter as _, Other, Visit};

/// A refusal: what cannot be differentiated, and after a semicolon what to write instead.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The message, as rustc prints it.
    pub message: String,
    /// The first token that it is about.
    pub start: Span,
    /// The last token that it is about.
    pub end: Span,
}

impl From<syn::Error> for Refusal {
    fn from(error: syn::Error) -> Refusal {
        let tokens = error.to_compile_error();
        let (_, mut refusals) = refusals(tokens);
        refusals.pop().unwrap_or_else(|| Refusal {
            message: error.to_string(),
            start: error.span(),
            end: error.span(),
        })
    }
}

/// What [`grad`](crate::grad) or [`differentiable`](crate::differentiable) gave, without its errors, and these.
#[must_use]
pub fn refusals(expansion: TokenStream) -> (TokenStream, Vec<Refusal>) {
    let tokens: Vec<_> = expansion.into_iter().collect();
    let mut kept = TokenStream::new();
    let mut found = Vec::new();
    let mut k = 0;
    while k < tokens.len() {
        // ::core::compile_error! { "…" }
        let length = tokens.len().min(k + 8);
        match refusal(&tokens[k..length]) {
            Some(refusal) => {
                found.push(refusal);
                k = length;
            }
            None => {
                kept.extend([tokens[k].clone()]);
                k += 1;
            }
        }
    }
    (kept, found)
}

fn refusal(tokens: &[proc_macro2::TokenTree]) -> Option<Refusal> {
    let [first, _, _, _, _, name, _, last] = tokens else {
        return None;
    };
    let proc_macro2::TokenTree::Group(group) = last else {
        return None;
    };
    let mark: TokenStream = tokens[..7].iter().cloned().collect();
    if name.to_string() != "compile_error" || mark.to_string() != ":: core :: compile_error !" {
        return None;
    }
    let message = syn::parse2::<syn::LitStr>(group.stream()).ok()?.value();
    let end = group.stream().into_iter().last();
    Some(Refusal {
        message,
        start: first.span(),
        end: end.map_or(first.span(), |token| token.span()),
    })
}

/// The stages that can be shown, in the order in which they come.
pub fn stage_names() -> impl Iterator<Item = &'static str> {
    dump::Stage::ALL.into_iter().map(dump::Stage::name)
}

/// What an expansion gave, and every stage that the compiler passed through in it.
pub fn with_stages<T>(expand: impl FnOnce() -> T) -> (T, Vec<Shown>) {
    dump::collect(expand)
}

/// The static graph of a function, as the text that `Graph::encoded` of the runtime reads.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The name of the function.
    pub function: String,
    /// One line per node.
    pub nodes: String,
    /// One line per region.
    pub regions: String,
    /// The positions of the parameters.
    pub parameters: Vec<usize>,
    /// The positions of the results.
    pub results: Vec<usize>,
}

/// The graphs in an expansion: of the function, or of the methods of a block.
#[must_use]
pub fn graphs(expansion: &syn::File) -> Vec<Graph> {
    struct Graphs(Vec<Graph>);
    impl<'ast> Visit<'ast> for Graphs {
        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::ItemStatic(item) => {
                    if let ("GRAPH", Some(graph)) =
                        (item.ident.to_string().as_str(), graph(&item.expr))
                    {
                        self.0.push(graph);
                    }
                    Other::ItemStatic(item).walk(self);
                }
                other => other.walk(self),
            }
        }
    }
    let mut graphs = Graphs(Vec::new());
    graphs.visit_file(expansion);
    graphs.0
}

fn graph(expression: &syn::Expr) -> Option<Graph> {
    let syn::Expr::Call(call) = expression else {
        return None;
    };
    let mut args = call.args.iter();
    let function = text(args.next()?)?;
    let (nodes, regions) = (text(args.nth(1)?)?, text(args.next()?)?);
    let (parameters, results) = (positions(args.next()?)?, positions(args.next()?)?);
    Some(Graph {
        function,
        nodes,
        regions,
        parameters,
        results,
    })
}

fn text(expression: &syn::Expr) -> Option<String> {
    match expression {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

fn positions(expression: &syn::Expr) -> Option<Vec<usize>> {
    let syn::Expr::Reference(list) = expression else {
        return None;
    };
    let syn::Expr::Array(list) = &*list.expr else {
        return None;
    };
    let position = |e: &syn::Expr| match e {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(n),
            ..
        }) => n.base10_parse().ok(),
        _ => None,
    };
    list.elems.iter().map(position).collect()
}

/// The reports in an expansion under the option `report`: what is remembered and why.
#[must_use]
pub fn reports(expansion: &syn::File) -> Vec<String> {
    struct Reports(Vec<String>);
    impl Reports {
        fn add(&mut self, sig: &syn::Signature, body: &syn::Block) {
            // Of a method it has the method's name in front.
            let named = sig.ident == "report" || sig.ident.to_string().ends_with("_report");
            if let (true, [syn::Stmt::Expr(body, None)]) = (named, body.stmts.as_slice()) {
                self.0.extend(text(body));
            }
        }
    }
    impl<'ast> Visit<'ast> for Reports {
        fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
            self.add(&f.sig, &f.block);
            visit::visit_item_fn(self, f);
        }

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::ImplItemFn(f) => {
                    self.add(&f.sig, &f.block);
                    Other::ImplItemFn(f).walk(self);
                }
                other => other.walk(self),
            }
        }
    }
    let mut reports = Reports(Vec::new());
    reports.visit_file(expansion);
    reports.0
}
