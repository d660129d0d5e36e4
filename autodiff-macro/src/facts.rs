//! What holds of each variable throughout a body: its type, whether it may be active, whether it is memory.
//!
//! Flow-insensitive, on syntax alone, before lowering: lowering decides by these facts what it copies verbatim.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::ir::{Ty, Width};
use crate::rules;
use crate::types;

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// May depend on an active parameter.
    pub(crate) active: bool,
    /// A memory object rather than a value.
    pub(crate) place: bool,
    /// What it refers to, if it is a reference to a part of another variable.
    pub(crate) root: Option<String>,
}

/// All variables of a function.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) vars: HashMap<String, Var>,
}

/// Methods whose result never carries a derivative.
pub(crate) const INERT_METHODS: &[&str] = &[
    "len",
    "is_empty",
    "is_nan",
    "is_finite",
    "is_infinite",
    "is_sign_negative",
    "is_sign_positive",
    "is_normal",
    "is_subnormal",
    "total_cmp",
    "partial_cmp",
    "cmp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "classify",
    "floor",
    "ceil",
    "round",
    "round_ties_even",
    "trunc",
    "signum",
    "div_euclid",
    "is_some",
    "is_none",
];

/// The variable at the bottom of a place expression.
pub(crate) fn root(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Paren(e) => root(&e.expr),
        syn::Expr::Group(e) => root(&e.expr),
        syn::Expr::Index(e) => root(&e.expr),
        syn::Expr::Field(e) => root(&e.base),
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => root(&e.expr),
        syn::Expr::Reference(e) => root(&e.expr),
        syn::Expr::MethodCall(e) if VIEW_METHODS.iter().any(|m| e.method == m) => root(&e.receiver),
        _ => None,
    }
}

/// Methods whose result refers into their receiver.
const VIEW_METHODS: &[&str] = &[
    "iter",
    "iter_mut",
    "enumerate",
    "zip",
    "rev",
    "as_slice",
    "as_mut_slice",
    "as_ref",
    "as_mut",
    "skip",
    "take",
    "step_by",
    "windows",
    "chunks",
    "chunks_exact",
    "chunks_mut",
    "copied",
    "cloned",
    "into_iter",
    "split_at",
    "split_at_mut",
    "first",
    "last",
];

/// Calls `f` with every variable that the tokens of a macro may name.
pub(crate) fn idents(tokens: TokenStream, f: &mut dyn FnMut(String)) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => f(ident.to_string()),
            TokenTree::Group(group) => idents(group.stream(), f),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    crate::names::captures(&text.value())
                        .into_iter()
                        .for_each(&mut *f);
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

/// Whether `f` holds for a variable named anywhere in the expression.
struct Mentions<'a> {
    test: &'a dyn Fn(&str) -> bool,
    found: bool,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        if let Some(ident) = e.path.get_ident() {
            self.found |= (self.test)(&ident.to_string());
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        idents(mac.tokens.clone(), &mut |name| {
            self.found |= (self.test)(&name);
        });
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether `test` holds for a variable named anywhere in the expression.
pub(crate) fn mentions(e: &syn::Expr, test: &dyn Fn(&str) -> bool) -> bool {
    let mut mentions = Mentions { test, found: false };
    mentions.visit_expr(e);
    mentions.found
}

/// The arguments of a macro that takes expressions; none if it takes something else.
pub(crate) fn macro_arguments(mac: &syn::Macro) -> Vec<syn::Expr> {
    let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, mac.tokens.clone())
        .map(|args| args.into_iter().collect())
        .unwrap_or_default()
}

/// Elements of `vec![…]`.
pub(crate) enum VecMacro<'e> {
    List(Vec<&'e syn::Expr>),
    Repeat(&'e syn::Expr, &'e syn::Expr),
}

/// The functions that stand for `vec!`, so that everything sees the expressions in it.
const LIST: &str = "__autodiff_vec_list";
const REPEAT: &str = "__autodiff_vec_repeat";

/// The elements, if a call stands for `vec!`.
pub(crate) fn vec_macro(call: &syn::ExprCall) -> Option<VecMacro<'_>> {
    let syn::Expr::Path(func) = &*call.func else {
        return None;
    };
    if func.path.is_ident(LIST) {
        return Some(VecMacro::List(call.args.iter().collect()));
    }
    if func.path.is_ident(REPEAT) {
        return Some(VecMacro::Repeat(&call.args[0], &call.args[1]));
    }
    None
}

/// `vec![…]` as a call that stands for it; `None` for any other macro.
pub(crate) fn open_vec(mac: &syn::Macro) -> Option<syn::ExprCall> {
    if !mac.path.is_ident("vec") {
        return None;
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        let mut all: Vec<syn::Expr> = Vec::new();
        if !input.is_empty() {
            all.push(input.parse()?);
        }
        if input.peek(syn::Token![;]) {
            input.parse::<syn::Token![;]>()?;
            all.push(input.parse()?);
            return Ok((REPEAT, all));
        }
        while !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
            if !input.is_empty() {
                all.push(input.parse()?);
            }
        }
        Ok((LIST, all))
    };
    let (name, all) = syn::parse::Parser::parse2(parser, mac.tokens.clone()).ok()?;
    let span = syn::spanned::Spanned::span(&mac.path);
    let func = proc_macro2::Ident::new(name, span);
    Some(syn::parse_quote_spanned!(span=> #func(#(#all),*)))
}

/// The macro again, for code that is copied.
pub(crate) fn close_vec(call: &syn::ExprCall) -> Option<syn::Expr> {
    Some(match vec_macro(call)? {
        VecMacro::List(all) => syn::parse_quote!(vec![#(#all),*]),
        VecMacro::Repeat(v, n) => syn::parse_quote!(vec![#v; #n]),
    })
}

impl Facts {
    pub(crate) fn get(&self, name: &str) -> Option<&Var> {
        self.vars.get(name)
    }

    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.get(name).is_some_and(|v| v.place)
    }

    /// Names an active variable anywhere.
    pub(crate) fn mentions_active(&self, e: &syn::Expr) -> bool {
        mentions(e, &|name| self.get(name).is_some_and(|v| v.active))
    }

    /// Names an active variable anywhere.
    pub(crate) fn tokens_mention_active(&self, tokens: TokenStream) -> bool {
        let mut found = false;
        idents(tokens, &mut |name| {
            found |= self.get(&name).is_some_and(|v| v.active);
        });
        found
    }

    /// Whether the value of an expression may carry a derivative.
    pub(crate) fn active(&self, e: &syn::Expr) -> bool {
        if self.ty(e).is_inert() {
            return false;
        }
        let any = |exprs: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>| {
            exprs.iter().any(|e| self.active(e))
        };
        match e {
            syn::Expr::Lit(_) | syn::Expr::Range(_) => false,
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|i| self.get(&i.to_string()).is_some_and(|v| v.active)),
            syn::Expr::Binary(e) => {
                !is_comparison(&e.op) && (self.active(&e.left) || self.active(&e.right))
            }
            syn::Expr::Unary(e) => self.active(&e.expr),
            syn::Expr::Cast(e) => self.active(&e.expr),
            syn::Expr::Paren(e) => self.active(&e.expr),
            syn::Expr::Group(e) => self.active(&e.expr),
            syn::Expr::Reference(e) => self.active(&e.expr),
            syn::Expr::Field(e) => self.active(&e.base),
            syn::Expr::Index(e) => self.active(&e.expr),
            syn::Expr::Call(e) => match vec_macro(e) {
                Some(VecMacro::Repeat(v, _)) => self.active(v),
                _ => !is_stop_gradient(&e.func) && any(&e.args),
            },
            syn::Expr::Macro(_) => false,
            syn::Expr::MethodCall(e) => {
                !INERT_METHODS.iter().any(|m| e.method == m)
                    && (self.active(&e.receiver) || any(&e.args))
            }
            syn::Expr::Tuple(e) => any(&e.elems),
            syn::Expr::Array(e) => any(&e.elems),
            syn::Expr::Repeat(e) => self.active(&e.expr),
            syn::Expr::Block(e) => block_value(&e.block).is_some_and(|e| self.active(e)),
            syn::Expr::If(e) => {
                block_value(&e.then_branch).is_some_and(|e| self.active(e))
                    || e.else_branch.as_ref().is_some_and(|(_, e)| self.active(e))
            }
            syn::Expr::Match(e) => e.arms.iter().any(|arm| self.active(&arm.body)),
            other => self.mentions_active(other),
        }
    }

    /// What is known of an expression's type.
    pub(crate) fn ty(&self, e: &syn::Expr) -> Ty {
        match e {
            syn::Expr::Lit(lit) => literal_ty(&lit.lit),
            syn::Expr::Path(p) => match p.path.get_ident() {
                Some(ident) => self
                    .get(&ident.to_string())
                    .map_or(Ty::Unknown, |v| v.ty.clone()),
                None => path_ty(&p.path),
            },
            syn::Expr::Paren(e) => self.ty(&e.expr),
            syn::Expr::Group(e) => self.ty(&e.expr),
            syn::Expr::Reference(e) => self.ty(&e.expr),
            syn::Expr::Unary(e) => self.ty(&e.expr),
            syn::Expr::Binary(e) if is_comparison(&e.op) || is_logical(&e.op) => Ty::Bool,
            syn::Expr::Binary(e) => join(self.ty(&e.left), self.ty(&e.right)),
            syn::Expr::Cast(e) => types::read(&e.ty),
            syn::Expr::Field(e) => match &e.member {
                syn::Member::Unnamed(index) => self.ty(&e.base).field(index.index as usize),
                syn::Member::Named(_) => Ty::Unknown,
            },
            syn::Expr::Index(e) => match &*e.index {
                syn::Expr::Range(_) => Ty::Slice(Box::new(self.ty(&e.expr).element())),
                _ => self.ty(&e.expr).element(),
            },
            syn::Expr::Tuple(e) => Ty::Tuple(e.elems.iter().map(|e| self.ty(e)).collect()),
            syn::Expr::Array(e) => {
                let len = proc_macro2::Literal::usize_unsuffixed(e.elems.len());
                Ty::Array(
                    Box::new(e.elems.iter().map(|e| self.ty(e)).fold(Ty::Unknown, join)),
                    Some(TokenTree::from(len).into()),
                )
            }
            syn::Expr::Repeat(e) => Ty::Array(
                Box::new(self.ty(&e.expr)),
                Some(quote::ToTokens::to_token_stream(&e.len)),
            ),
            syn::Expr::Block(e) => {
                block_value(&e.block).map_or(Ty::Tuple(Vec::new()), |e| self.ty(e))
            }
            syn::Expr::If(e) => {
                let then =
                    block_value(&e.then_branch).map_or(Ty::Tuple(Vec::new()), |e| self.ty(e));
                e.else_branch
                    .as_ref()
                    .map_or(then.clone(), |(_, e)| join(then, self.ty(e)))
            }
            syn::Expr::Match(e) => e
                .arms
                .iter()
                .map(|arm| self.ty(&arm.body))
                .fold(Ty::Unknown, join),
            syn::Expr::MethodCall(e) => self.method_ty(e),
            syn::Expr::Call(e) => self.call_ty(e),
            syn::Expr::Macro(m) if m.mac.path.is_ident("format") => Ty::Inert,
            syn::Expr::Range(_) => Ty::Inert,
            _ => Ty::Unknown,
        }
    }

    fn method_ty(&self, e: &syn::ExprMethodCall) -> Ty {
        let receiver = self.ty(&e.receiver);
        let name = e.method.to_string();
        match name.as_str() {
            "len" | "count" | "count_ones" | "to_bits" => Ty::Int,
            "is_empty" | "is_nan" | "is_finite" | "is_infinite" | "is_sign_negative"
            | "is_sign_positive" | "contains" | "any" | "all" | "is_some" | "is_none" => Ty::Bool,
            "to_string" => Ty::Inert,
            "to_owned" => match receiver {
                Ty::Slice(elem) => Ty::Vec(elem),
                other => other,
            },
            "to_vec" => Ty::Vec(Box::new(receiver.element())),
            "clone" | "as_slice" | "as_ref" | "as_mut" | "as_mut_slice" => receiver,
            "sin_cos" => Ty::Tuple(vec![receiver.clone(), receiver]),
            "iter" | "iter_mut" | "into_iter" | "copied" | "cloned" | "rev" | "skip" | "take"
            | "step_by" => match receiver {
                Ty::Array(elem, _) | Ty::Slice(elem) | Ty::Vec(elem) => Ty::Slice(elem),
                other => other,
            },
            "enumerate" => match receiver {
                Ty::Slice(elem) => Ty::Slice(Box::new(Ty::Tuple(vec![Ty::Int, *elem]))),
                other => other,
            },
            "zip" => {
                let other = e.args.first().map_or(Ty::Unknown, |e| self.ty(e));
                Ty::Slice(Box::new(Ty::Tuple(vec![
                    receiver.element(),
                    other.element(),
                ])))
            }
            _ => match rules::by_method(&name) {
                _ if receiver.is_scalar() && !is_odd_integer_method(&name) => receiver,
                // Only floats have these methods; the others exist on integers, too.
                Some(_)
                    if !SHARED_METHODS.contains(&name.as_str())
                        && matches!(receiver, Ty::Unknown) =>
                {
                    Ty::Float(Width::Any)
                }
                _ => Ty::Unknown,
            },
        }
    }

    fn call_ty(&self, e: &syn::ExprCall) -> Ty {
        match vec_macro(e) {
            Some(VecMacro::List(all)) => {
                let elem = all.iter().map(|e| self.ty(e)).fold(Ty::Unknown, join);
                return Ty::Vec(Box::new(elem));
            }
            Some(VecMacro::Repeat(v, _)) => return Ty::Vec(Box::new(self.ty(v))),
            None => {}
        }
        let syn::Expr::Path(p) = &*e.func else {
            return Ty::Unknown;
        };
        let segments: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        match segments
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [.., "f64", "from" | "from_bits"] => Ty::F64,
            [.., "f32", "from" | "from_bits"] => Ty::Float(Width::F32),
            [.., ty @ ("f64" | "f32"), name] if rules::by_method(name).is_some() => {
                Ty::Float(if *ty == "f64" { Width::F64 } else { Width::F32 })
            }
            [.., ty, "from" | "try_from" | "min" | "max"]
                if syn::parse_str::<syn::Type>(ty).is_ok_and(|t| types::read(&t).is_inert()) =>
            {
                Ty::Int
            }
            [.., "stop_gradient"] => e.args.first().map_or(Ty::Unknown, |e| self.ty(e)),
            ["String", ..] => Ty::Inert,
            _ => Ty::Unknown,
        }
    }
}

/// Methods of the rule table that integers have as well.
pub(crate) const SHARED_METHODS: &[&str] = &[
    "abs",
    "min",
    "max",
    "clamp",
    "signum",
    "rem_euclid",
    "div_euclid",
    "abs_sub",
];

/// Methods of numbers whose result is no number of the same type.
fn is_odd_integer_method(name: &str) -> bool {
    name.starts_with("is_")
        || name.starts_with("checked_")
        || name.starts_with("overflowing_")
        || matches!(
            name,
            "cmp"
                | "partial_cmp"
                | "total_cmp"
                | "eq"
                | "ne"
                | "lt"
                | "le"
                | "gt"
                | "ge"
                | "to_bits"
                | "to_string"
                | "leading_zeros"
                | "trailing_zeros"
                | "unsigned_abs"
        )
}

pub(crate) fn is_stop_gradient(func: &syn::Expr) -> bool {
    matches!(func, syn::Expr::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "stop_gradient"))
}

pub(crate) fn is_comparison(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

pub(crate) fn is_logical(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::And(_) | syn::BinOp::Or(_))
}

/// The expression that a block yields.
pub(crate) fn block_value(block: &syn::Block) -> Option<&syn::Expr> {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(e, None)) => Some(e),
        _ => None,
    }
}

fn literal_ty(lit: &syn::Lit) -> Ty {
    match lit {
        syn::Lit::Float(f) => suffix_ty(f.suffix(), Ty::Float(Width::Any)),
        syn::Lit::Int(i) => suffix_ty(i.suffix(), Ty::Int),
        syn::Lit::Bool(_) => Ty::Bool,
        _ => Ty::Inert,
    }
}

fn suffix_ty(suffix: &str, otherwise: Ty) -> Ty {
    match suffix {
        "f64" => Ty::F64,
        "f32" => Ty::Float(Width::F32),
        _ => otherwise,
    }
}

fn path_ty(path: &syn::Path) -> Ty {
    let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    match names.iter().any(|n| n == "f32") {
        true => Ty::Float(Width::F32),
        false if names.iter().any(|n| n == "f64") => Ty::F64,
        false => Ty::Unknown,
    }
}

/// The type of two things that must have the same type.
pub(crate) fn join(a: Ty, b: Ty) -> Ty {
    match (a, b) {
        (Ty::Float(Width::Any), b @ Ty::Float(_)) => b,
        (a @ Ty::Float(_), _) => a,
        (_, b @ Ty::Float(_)) => b,
        (Ty::Unknown, b) => b,
        (Ty::Array(a, n), Ty::Array(b, _)) => Ty::Array(Box::new(join(*a, *b)), n),
        (Ty::Vec(a), Ty::Vec(b)) => Ty::Vec(Box::new(join(*a, *b))),
        (Ty::Slice(a), Ty::Slice(b)) => Ty::Slice(Box::new(join(*a, *b))),
        (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => {
            Ty::Tuple(a.into_iter().zip(b).map(|(a, b)| join(a, b)).collect())
        }
        (a, _) => a,
    }
}

/// Computes the facts of a body whose names are unique; `params` are given.
pub(crate) fn facts(body: &syn::Block, params: HashMap<String, Var>) -> Facts {
    let mut solver = Solver {
        facts: Facts { vars: params },
        changed: true,
    };
    while solver.changed {
        solver.changed = false;
        solver.visit_block(body);
    }
    let Facts { vars } = solver.facts;
    let mut memory = Memory {
        facts: Facts { vars },
    };
    memory.visit_block(body);
    memory.facts
}

/// Propagates types and activity to a fixed point.
struct Solver {
    facts: Facts,
    changed: bool,
}

impl Solver {
    fn touch(&mut self, name: &str, ty: &Ty, active: bool) {
        let Some(var) = self.facts.vars.get_mut(name) else {
            return;
        };
        let known = !matches!(var.ty, Ty::Unknown | Ty::Float(Width::Any)) && !incomplete(&var.ty);
        if !known {
            let joined = join(var.ty.clone(), ty.clone());
            if format!("{joined:?}") != format!("{:?}", var.ty) {
                var.ty = joined;
                self.changed = true;
            }
        }
        if active && !var.active && !var.ty.is_inert() {
            var.active = true;
            self.changed = true;
            if let Some(root) = var.root.clone() {
                self.touch(&root, &Ty::Unknown, true);
            }
        }
    }

    /// Data flows from an expression into a pattern.
    fn bind(
        &mut self,
        pattern: &syn::Pat,
        ty: &Ty,
        active: bool,
        source: Option<&syn::Expr>,
        root: Option<&String>,
    ) {
        match pattern {
            syn::Pat::Ident(p) => {
                let name = p.ident.to_string();
                self.facts.vars.entry(name.clone()).or_insert_with(|| {
                    self.changed = true;
                    Var {
                        ty: Ty::Unknown,
                        mutable: p.mutability.is_some(),
                        active: false,
                        place: false,
                        root: root.cloned(),
                    }
                });
                self.touch(&name, ty, active);
                if let Some((_, sub)) = &p.subpat {
                    self.bind(sub, ty, active, source, root);
                }
            }
            syn::Pat::Type(p) => {
                let annotated = types::read(&p.ty);
                let active = active && !annotated.is_inert();
                self.bind(&p.pat, &join(annotated, ty.clone()), active, source, root);
            }
            syn::Pat::Paren(p) => self.bind(&p.pat, ty, active, source, root),
            syn::Pat::Reference(p) => self.bind(&p.pat, ty, active, source, None),
            syn::Pat::Guard(p) => self.bind(&p.pat, ty, active, source, root),
            syn::Pat::Tuple(p) => {
                let parts = match source.map(peel) {
                    Some(syn::Expr::Tuple(t)) if t.elems.len() == p.elems.len() => Some(&t.elems),
                    _ => None,
                };
                let rest = p.elems.iter().position(|e| matches!(e, syn::Pat::Rest(_)));
                for (k, elem) in p.elems.iter().enumerate() {
                    let part = parts.map(|parts| &parts[k]);
                    let index = match rest {
                        Some(at) if k > at => None,
                        _ => Some(k),
                    };
                    let ty = index.map_or(Ty::Unknown, |k| ty.field(k));
                    let active = part.map_or(active, |e| self.facts.active(e)) && !ty.is_inert();
                    self.bind(elem, &ty, active, part, root);
                }
            }
            syn::Pat::Slice(p) => {
                for elem in &p.elems {
                    self.bind(elem, &ty.element(), active, None, root);
                }
            }
            syn::Pat::Or(p) => p
                .cases
                .iter()
                .for_each(|case| self.bind(case, ty, active, source, root)),
            syn::Pat::TupleStruct(p) => p
                .elems
                .iter()
                .for_each(|e| self.bind(e, &Ty::Unknown, active, None, root)),
            syn::Pat::Struct(p) => p
                .fields
                .iter()
                .for_each(|f| self.bind(&f.pat, &Ty::Unknown, active, None, root)),
            _ => {}
        }
    }

    /// Data flows from an expression into a place.
    fn assign(&mut self, left: &syn::Expr, right: &syn::Expr) {
        if let syn::Expr::Tuple(left) = left {
            let parts = match peel(right) {
                syn::Expr::Tuple(t) if t.elems.len() == left.elems.len() => Some(&t.elems),
                _ => None,
            };
            for (k, elem) in left.elems.iter().enumerate() {
                self.assign(elem, parts.map_or(right, |parts| &parts[k]));
            }
            return;
        }
        if let Some(name) = root(left) {
            let ty = if matches!(left, syn::Expr::Path(_)) {
                self.facts.ty(right)
            } else {
                Ty::Unknown
            };
            let active = self.facts.active(right) && !self.facts.ty(left).is_inert();
            self.touch(&name, &ty, active);
        }
    }
}

/// Has a part whose type is not known yet.
fn incomplete(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Float(Width::Any) => true,
        Ty::Array(e, _) | Ty::Slice(e) | Ty::Vec(e) => incomplete(e),
        Ty::Tuple(parts) => parts.iter().any(incomplete),
        _ => false,
    }
}

fn peel(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(e) => peel(&e.expr),
        syn::Expr::Group(e) => peel(&e.expr),
        _ => e,
    }
}

/// Whether binding this expression makes a reference into a variable.
fn refers(e: &syn::Expr) -> bool {
    match peel(e) {
        syn::Expr::Reference(_) => true,
        syn::Expr::MethodCall(m) => VIEW_METHODS.iter().any(|name| m.method == name),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Solver {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        match &local.init {
            Some(init) => {
                let ty = self.facts.ty(&init.expr);
                let active = self.facts.active(&init.expr);
                let root = if refers(&init.expr) {
                    root(&init.expr)
                } else {
                    None
                };
                self.bind(&local.pat, &ty, active, Some(&init.expr), root.as_ref());
            }
            None => self.bind(&local.pat, &Ty::Unknown, false, None, None),
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        let (ty, active) = match peel(&e.expr) {
            syn::Expr::Range(r) => (
                r.start
                    .as_ref()
                    .map_or(Ty::Int, |s| join(self.facts.ty(s), Ty::Int)),
                false,
            ),
            other => (
                range_item(other).unwrap_or_else(|| self.facts.ty(other).element()),
                self.facts.active(other),
            ),
        };
        let root = root(&e.expr);
        self.bind(&e.pat, &ty, active && !ty.is_inert(), None, root.as_ref());
        self.visit_block(&e.body);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        self.assign(&e.left, &e.right);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_compound(&e.op) {
            self.assign(&e.left, &e.right);
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        // A method that takes an active argument may store it in its receiver.
        if let Some(name) = root(&e.receiver) {
            let stores = self.facts.get(&name).is_some_and(|v| v.mutable)
                && rules::by_method(&e.method.to_string()).is_none();
            if stores && e.args.iter().any(|arg| self.facts.active(arg)) {
                self.touch(&name, &Ty::Unknown, true);
            }
        }
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        // A call may store any active argument in what it borrows mutably.
        let active = e.args.iter().any(|arg| self.facts.active(arg));
        for arg in &e.args {
            let borrowed = match peel(arg) {
                syn::Expr::Reference(r) if r.mutability.is_some() => root(&r.expr),
                syn::Expr::Path(_) => root(arg).filter(|name| {
                    self.facts
                        .get(name)
                        .is_some_and(|v| v.mutable && v.root.is_some())
                }),
                _ => None,
            };
            if let Some(name) = borrowed.filter(|_| active && !is_stop_gradient(&e.func)) {
                self.touch(&name, &Ty::Unknown, true);
            }
        }
    }

    fn visit_arm(&mut self, _: &'ast syn::Arm) {}

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        self.visit_expr(&e.expr);
        let (ty, active) = (self.facts.ty(&e.expr), self.facts.active(&e.expr));
        for arm in &e.arms {
            self.bind(&arm.pat, &ty, active, Some(&e.expr), root(&e.expr).as_ref());
            self.visit_expr(&arm.body);
        }
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        let (ty, active) = (self.facts.ty(&e.expr), self.facts.active(&e.expr));
        self.bind(&e.pat, &ty, active, Some(&e.expr), root(&e.expr).as_ref());
    }
}

/// The item type of `(a..b).rev()` and the like.
fn range_item(e: &syn::Expr) -> Option<Ty> {
    match peel(e) {
        syn::Expr::Range(_) => Some(Ty::Int),
        syn::Expr::MethodCall(m) if m.method == "rev" || m.method == "step_by" => {
            range_item(&m.receiver)
        }
        _ => None,
    }
}

pub(crate) fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | BitXorAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// Decides which variables are memory.
struct Memory {
    facts: Facts,
}

impl Memory {
    fn mark(&mut self, name: &str) {
        if let Some(var) = self.facts.vars.get_mut(name) {
            var.place = true;
        }
    }

    /// Projected or borrowed: memory, unless it is a number that a temporary can stand for.
    fn projected(&mut self, e: &syn::Expr) {
        if let Some(name) = root(e) {
            if !self.facts.get(&name).is_some_and(|v| v.ty.is_scalar()) {
                self.mark(&name);
            }
        }
    }

    /// Every variable that verbatim code changes is memory.
    fn verbatim(&mut self, look: impl FnOnce(&mut Changed)) {
        let mut changed = Changed { names: Vec::new() };
        look(&mut changed);
        for name in changed.names {
            if self
                .facts
                .get(&name)
                .is_some_and(|v| v.mutable || v.root.is_some())
            {
                self.mark(&name);
            }
        }
    }
}

/// Collects the variables that code may change.
pub(crate) struct Changed {
    pub(crate) names: Vec<String>,
}

impl<'ast> Visit<'ast> for Changed {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        let mut lefts = vec![&*e.left];
        while let Some(left) = lefts.pop() {
            match left {
                syn::Expr::Tuple(t) => lefts.extend(&t.elems),
                syn::Expr::Array(t) => lefts.extend(&t.elems),
                left => self.names.extend(root(left)),
            }
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_compound(&e.op) {
            self.names.extend(root(&e.left));
        }
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        visit::visit_expr_reference(self, e);
        if e.mutability.is_some() {
            self.names.extend(root(&e.expr));
        }
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        let name = e.method.to_string();
        let reads = rules::by_method(&name).is_some()
            || INERT_METHODS.contains(&name.as_str())
            || matches!(
                name.as_str(),
                "iter"
                    | "clone"
                    | "to_vec"
                    | "to_string"
                    | "to_bits"
                    | "copied"
                    | "cloned"
                    | "get"
                    | "as_slice"
                    | "windows"
                    | "chunks"
            );
        if !reads {
            self.names.extend(root(&e.receiver));
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        // A macro of unknown meaning may change whatever it names.
        let harmless = matches!(
            mac.path
                .segments
                .last()
                .map(|s| s.ident.to_string())
                .as_deref(),
            Some(
                "println"
                    | "print"
                    | "eprintln"
                    | "eprint"
                    | "assert"
                    | "assert_eq"
                    | "assert_ne"
                    | "debug_assert"
                    | "debug_assert_eq"
                    | "debug_assert_ne"
                    | "format"
                    | "vec"
                    | "panic"
                    | "unreachable"
                    | "matches"
                    | "todo"
                    | "unimplemented"
            )
        );
        if harmless {
            macro_arguments(mac).iter().for_each(|e| match e {
                // `name = value` names an argument of the format.
                syn::Expr::Assign(named) => self.visit_expr(&named.right),
                e => self.visit_expr(e),
            });
        } else {
            idents(mac.tokens.clone(), &mut |name| self.names.push(name));
        }
    }
}

impl<'ast> Visit<'ast> for Memory {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        if !self.facts.mentions_active(e) && !is_simple_assignment(e) {
            self.verbatim(|changed| changed.visit_expr(e));
        }
        visit::visit_expr(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.verbatim(|changed| changed.visit_macro(mac));
    }

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.projected(&e.expr);
        visit::visit_expr_index(self, e);
    }

    fn visit_expr_field(&mut self, e: &'ast syn::ExprField) {
        // A tuple whose shape is known is a bundle of variables.
        if !matches!(self.facts.ty(&e.base), Ty::Tuple(_)) {
            self.projected(&e.base);
        }
        visit::visit_expr_field(self, e);
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        if e.mutability.is_some() {
            if let Some(name) = root(&e.expr) {
                self.mark(&name);
            }
        } else {
            self.projected(&e.expr);
        }
        visit::visit_expr_reference(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        if rules::by_method(&e.method.to_string()).is_none() {
            self.projected(&e.receiver);
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.projected(&e.expr);
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            if matches!(pattern(&local.pat), syn::Pat::Slice(_))
                || !matches!(self.facts.ty(&init.expr), Ty::Tuple(_))
                    && matches!(pattern(&local.pat), syn::Pat::Tuple(_))
            {
                self.projected(&init.expr);
            }
        }
        visit::visit_local(self, local);
    }
}

fn pattern(p: &syn::Pat) -> &syn::Pat {
    match p {
        syn::Pat::Type(t) => pattern(&t.pat),
        syn::Pat::Paren(t) => pattern(&t.pat),
        other => other,
    }
}

/// `x = e` and `x += e` with a whole variable on the left are lowered even where they are inactive.
pub(crate) fn is_simple_assignment(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Assign(e) => {
            matches!(&*e.left, syn::Expr::Path(_) | syn::Expr::Tuple(_))
                && !has_nested_change(&e.right)
        }
        syn::Expr::Binary(e) => {
            is_compound(&e.op)
                && matches!(&*e.left, syn::Expr::Path(_))
                && !has_nested_change(&e.right)
        }
        _ => false,
    }
}

fn has_nested_change(e: &syn::Expr) -> bool {
    let mut changed = Changed { names: Vec::new() };
    changed.visit_expr(e);
    !changed.names.is_empty()
}
