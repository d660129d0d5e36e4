//! Functions and methods that the macro takes for those of numbers by their names: rustc checks that they are no others.
//!
//! A module of the user's own may be called `f64`, and on a reference to a number rustc prefers a method of a trait that
//! takes `&self`. Neither can be seen here; both are errors where they are.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use crate::function::{By, GradFn};
use crate::rules;
use crate::syntax;
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};

/// Statements that never do anything, for one of the derivatives.
pub(crate) fn checks(function: &GradFn) -> TokenStream {
    let mut values = Values::default();
    for p in &function.params {
        values.bind(&p.name.to_string(), p.by == By::Value && p.ty.is_float());
    }
    // What a variable is follows from others.
    loop {
        let before = values.all.clone();
        values.visit_block(&function.body);
        if values.all == before {
            break;
        }
    }
    let mut used = Used {
        values,
        paths: BTreeMap::new(),
        methods: BTreeMap::new(),
        zero_tangent: false,
    };
    used.visit_block(&function.body);
    let paths = used.paths.values().map(|(ty, path)| {
        let span = path
            .segments
            .last()
            .map_or_else(Span::call_site, |s| s.ident.span());
        let name = path.segments.last().map(|s| &s.ident);
        let span = span.resolved_at(Span::mixed_site());
        quote_spanned!(span=> let _ = rt::Same { one: <::core::primitive::#ty>::#name, other: #path };)
    });
    let paths: TokenStream = paths.collect();
    let methods = used.methods.values();
    let x = Ident::new("__x", Span::mixed_site());
    let methods = methods.map(|name| {
        let row = rules::by_method(&name.to_string());
        let others = row.map_or(0, |row| rules::rule(row).args.len() - 1);
        let others = std::iter::repeat_n(quote!(rt::any()), others);
        let span = name.span().resolved_at(Span::mixed_site());
        let (x, name) = (Ident::new("__x", span), Ident::new(&name.to_string(), span));
        if name == "abs" || name == "signum" {
            return quote_spanned!(span=> (&&&rt::Found::new(#x, #x.#name())).__autodiff_of_numbers(););
        }
        quote_spanned!(span=> rt::of_numbers(#x.#name(#(#others),*));)
    });
    let methods: TokenStream = methods.collect();
    let written = function.written.to_token_stream();
    let widths = ["f64", "f32"].map(|name| Ident::new(name, Span::call_site()));
    let mentioned = widths.iter().filter(|ty| types::mentions(&written, ty));
    let mut mentioned: Vec<&Ident> = mentioned.collect();
    if mentioned.is_empty() && function.numeric.is_empty() {
        // Floats may have other names.
        mentioned.extend(&widths);
    }
    let numbers = mentioned.into_iter();
    let numbers = numbers.map(|ty| quote!(::core::primitive::#ty));
    let numeric = function.numeric.iter();
    let numeric = numeric.filter(|_| !function.options.assume_std);
    let numbers = numbers.chain(numeric.map(ToTokens::to_token_stream));
    let on_references = (!methods.is_empty()).then(|| {
        quote! {
            {
                use rt::{MethodsOfNumbers as _, OfNumbersOrSigned as _};
                #(let _ = |#x: &#numbers| { #methods };)*
            }
        }
    });
    let numeric = function.numeric.iter().filter(|_| used.zero_tangent);
    quote!(#paths #on_references #(let _ = #numeric::zero_tangent;)*)
}

/// A value of a type parameter, of which a method follows: rustc says whether the bounds of its type make that std's.
pub(crate) fn known(x: &TokenStream, method: &Ident) -> TokenStream {
    let span = method.span();
    let method = Ident::new(&method.to_string(), span.resolved_at(Span::mixed_site()));
    quote_spanned!(span=> ({ use rt::Known as _; (&&&&&&&&&rt::Of::<_, rt::methods::#method>::new(#x)).__autodiff_std() }))
}

/// Whether numbers have a method of this name that has a derivative.
fn is_of_numbers(name: &Ident) -> bool {
    name == "sin_cos" || rules::by_method(&name.to_string()).is_some()
}

/// Which variables are values and no references, as far as the body shows.
#[derive(Default)]
struct Values {
    all: BTreeMap<String, bool>,
}

impl Values {
    /// All variables of a name are one.
    fn bind(&mut self, name: &str, value: bool) {
        let known = self.all.entry(name.to_owned()).or_insert(true);
        *known &= value;
    }

    fn bind_all(&mut self, pat: &syn::Pat, init: Option<&syn::Expr>) {
        match (pat, init.map(syntax::peel)) {
            (syn::Pat::Paren(p), _) => self.bind_all(&p.pat, init),
            (syn::Pat::Ident(p), init) => {
                let value = p.by_ref.is_none() && init.is_some_and(|e| self.is_value(e));
                self.bind(&p.ident.to_string(), value);
            }
            (syn::Pat::Type(p), _) => match &*p.pat {
                syn::Pat::Ident(name) => {
                    let reference = matches!(types::strip_groups(&p.ty), syn::Type::Reference(_));
                    self.bind(&name.ident.to_string(), !reference);
                }
                pat => self.bind_all(pat, init),
            },
            (syn::Pat::Tuple(pats), Some(syn::Expr::Tuple(parts)))
                if pats.elems.len() == parts.elems.len() =>
            {
                for (pat, part) in pats.elems.iter().zip(&parts.elems) {
                    self.bind_all(pat, Some(part));
                }
            }
            (syn::Pat::Tuple(pats), Some(e @ syn::Expr::Call(_))) => {
                pats.elems
                    .iter()
                    .for_each(|pat| self.bind_all(pat, Some(e)));
            }
            // `|&x|` takes a number out of its reference.
            (syn::Pat::Reference(p), _) => match &*p.pat {
                syn::Pat::Ident(p) => self.bind(&p.ident.to_string(), true),
                pat => self.bind_all(pat, None),
            },
            (pat, _) => {
                let mut parts = Parts(Vec::new());
                Other::Pat(pat).walk(&mut parts);
                parts.0.into_iter().for_each(|pat| self.bind_all(pat, None));
            }
        }
    }

    fn is_value(&self, e: &syn::Expr) -> bool {
        match syntax::peel(e) {
            syn::Expr::Path(p) => match p.path.get_ident() {
                Some(name) => self.all.get(&name.to_string()).copied().unwrap_or(true),
                None => true,
            },
            syn::Expr::MethodCall(m) => {
                let of_values = ["clone", "fold", "len", "product", "sum", "unwrap_or"];
                is_of_numbers(&m.method) || of_values.iter().any(|name| m.method == name)
            }
            syn::Expr::Lit(_)
            | syn::Expr::Binary(_)
            | syn::Expr::Unary(_)
            | syn::Expr::Cast(_)
            | syn::Expr::Call(_)
            | syn::Expr::Index(_)
            | syn::Expr::Field(_)
            | syn::Expr::Array(_)
            | syn::Expr::Range(_) => true,
            _ => false,
        }
    }
}

/// The patterns that a pattern is made of.
struct Parts<'a>(Vec<&'a syn::Pat>);

impl<'ast> Visit<'ast> for Parts<'ast> {
    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Pat(pat) => {
                self.0.push(pat);
            }
            other => other.walk(self),
        }
    }
}

impl<'ast> Visit<'ast> for Values {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        self.bind_all(&local.pat, local.init.as_ref().map(|init| &*init.expr));
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        visit::visit_expr_for_loop(self, e);
        let range = matches!(syntax::peel(&e.expr), syn::Expr::Range(_));
        self.bind_all(&e.pat, range.then_some(&*e.expr));
    }

    fn visit_expr_closure(&mut self, e: &'ast syn::ExprClosure) {
        visit::visit_expr_closure(self, e);
        e.inputs.iter().for_each(|pat| self.bind_all(pat, None));
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        self.bind_all(&e.pat, None);
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::Arm(arm) => {
                Other::Arm(arm).walk(self);
                self.bind_all(&arm.pat, None);
            }
            other => other.walk(self),
        }
    }
}

/// The names that are to be checked.
struct Used {
    values: Values,
    /// `f64::sin`, by whatever path.
    paths: BTreeMap<String, (Ident, syn::Path)>,
    /// Methods of what may be a reference.
    methods: BTreeMap<String, Ident>,
    /// Whether one is this library's, which says nothing of a user's that is named so.
    zero_tangent: bool,
}

impl<'ast> Visit<'ast> for Used {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let names: Vec<&Ident> = e.path.segments.iter().map(|s| &s.ident).collect();
        if let ([.., ty, name], None) = (&names[..], &e.qself) {
            if (*ty == "f64" || *ty == "f32") && is_of_numbers(name) {
                let text = e.path.to_token_stream().to_string();
                let entry = ((*ty).clone(), e.path.clone());
                self.paths.entry(text).or_insert(entry);
            }
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        self.zero_tangent |= e.method == "zero_tangent";
        if is_of_numbers(&e.method) && !self.values.is_value(&e.receiver) {
            let name = e.method.to_string();
            self.methods.entry(name).or_insert_with(|| e.method.clone());
        }
    }
}
