//! Large local closures that are called often become functions of their own, beside the one that they stand in.
//!
//! Written out at each call, as `closures` does, their text would grow with the calls, and with each closure that calls another.
//! That takes types for a signature, so it is done where these are known: numbers, and lists of numbers that are only read.

use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{Expr, Pat, Stmt};

use super::apply::{unparen, variable};
use super::closures::{captured, changes_captured, count};
use super::{PREFIX, make};
use crate::errors::Errors;
use crate::facts::{self, Changed, Facts, Given};
use crate::function::{Beside, By, GradFn, Options};
use crate::ir::{Ty, Width};
use crate::names::Names;
use crate::rules;
use crate::syntax;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// So many calls are written out, whatever their size.
const CALLS: usize = 3;
/// So many tokens more than the closure itself are written out, however many calls they are.
const TOKENS: usize = 300;

/// Takes closures out of a body; gives what stands beside the function for them.
pub(crate) fn apart(
    body: &mut syn::Block,
    given: &Given,
    (function, beside): (&GradFn, Beside),
    names: &mut Names,
) -> TokenStream {
    let mut out = TokenStream::new();
    let mut wanted = if has_room(function) {
        wanted(body)
    } else {
        BTreeSet::new()
    };
    while !wanted.is_empty() {
        let facts = facts::facts(body, given);
        let mut exact = Exact::new(&facts, function);
        exact.visit_block(body);
        let mut found = Found::new(&wanted, Some(&exact));
        found.visit_block(body);
        let mut types = Types {
            found: &found,
            done: false,
        };
        let annotated = {
            let mut body_with = body.clone();
            types.visit_block_mut(&mut body_with);
            types.done.then_some(body_with)
        };
        if let Some(annotated) = annotated {
            *body = annotated;
            continue;
        }
        let apart = found.order.iter().find_map(|name| {
            let apart = Apart::new(name, &found, &exact, body, function)?;
            Some((name.clone(), apart))
        });
        let Some((name, apart)) = apart else { break };
        wanted.remove(&name);
        let mut errors = Errors::default();
        let made = beside(Apart::options(function), apart.item.clone(), &mut errors);
        if errors.is_empty() {
            out.extend(made);
            Calls {
                name: &name,
                apart: &apart,
                names,
            }
            .visit_block_mut(body);
        }
    }
    out
}

/// Whether there is a place beside a function, from which its derivatives can be seen, and types are not those of a caller.
fn has_room(function: &GradFn) -> bool {
    let options = &function.options;
    let plain = !options.trace && !options.report && options.mutate.is_none();
    let plain = plain && options.checkpoint.is_none();
    let generic = types::named(&function.item.sig.generics).next().is_some();
    plain
        && !options.own.is_given()
        && !generic
        && function.method.is_none()
        && function.callables().is_empty()
}

/// The closures whose calls would take much text if each were written out.
fn wanted(body: &syn::Block) -> BTreeSet<String> {
    let all = BTreeSet::new();
    let mut found = Found::new(&all, None);
    found.visit_block(body);
    // How often a closure is written out; those that call it stand behind it.
    let mut times: FxHashMap<&str, usize> = FxHashMap::default();
    for name in found.order.iter().rev() {
        let calls = found.calls.get(name).into_iter().flatten();
        let n = calls.map(|call| match &call.inside {
            Some(around) => times.get(around.as_str()).copied().unwrap_or(1),
            None => 1,
        });
        let n = n.fold(0, usize::saturating_add);
        times.insert(name, n);
    }
    let large = |name: &&String| {
        let size = count(found.closures[*name].body.to_token_stream());
        let n = times[name.as_str()];
        n > CALLS && size.saturating_mul(n - 1) > TOKENS
    };
    found.order.iter().filter(large).cloned().collect()
}

/// A call of a closure.
struct Call {
    arguments: Vec<Option<syn::Type>>,
    /// The closure that it stands in.
    inside: Option<String>,
}

/// The closures with a name, and their calls.
struct Found<'a> {
    /// Those that are looked for; all of them before any type is known.
    wanted: &'a BTreeSet<String>,
    exact: Option<&'a Exact<'a>>,
    /// In the order of their definitions.
    order: Vec<String>,
    closures: BTreeMap<String, syn::ExprClosure>,
    calls: BTreeMap<String, Vec<Call>>,
    /// Used otherwise than called.
    others: BTreeSet<String>,
    inside: Option<String>,
}

/// `let name = |…| …;`
fn defined(local: &syn::Local) -> Option<(String, &syn::ExprClosure)> {
    let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
    match (&local.pat, unparen(&init.expr)) {
        (Pat::Ident(p), Expr::Closure(closure)) if p.by_ref.is_none() => {
            Some((p.ident.to_string(), closure))
        }
        _ => None,
    }
}

impl<'a> Found<'a> {
    fn new(wanted: &'a BTreeSet<String>, exact: Option<&'a Exact<'a>>) -> Self {
        Found {
            wanted,
            exact,
            order: Vec::new(),
            closures: BTreeMap::new(),
            calls: BTreeMap::new(),
            others: BTreeSet::new(),
            inside: None,
        }
    }

    fn is_known(&self, name: &syn::Ident) -> bool {
        self.closures.contains_key(&name.to_string())
    }

    /// The type of parameter `k`: all calls pass the same, but for references, which may be turned into others.
    fn parameter(&self, name: &str, k: usize) -> Option<syn::Type> {
        let calls = self.calls.get(name)?;
        let mut given = calls.iter().map(|call| call.arguments.get(k)?.clone());
        let ty = given.clone().find_map(|ty| ty)?;
        let reference = matches!(ty, syn::Type::Reference(_));
        (!reference || given.all(|other| other.as_ref() == Some(&ty))).then_some(ty)
    }
}

impl<'ast> Visit<'ast> for Found<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let Some((name, closure)) = defined(local) else {
            return visit::visit_local(self, local);
        };
        let around = self.inside.clone();
        if self.exact.is_none() || self.wanted.contains(&name) {
            self.inside = Some(name.clone());
        }
        self.visit_expr(&closure.body);
        self.inside = around;
        if self.exact.is_none() || self.wanted.contains(&name) {
            self.order.push(name.clone());
            self.closures.insert(name, closure.clone());
        }
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        let known = variable(&e.func).filter(|name| self.is_known(name));
        let Some(name) = known else {
            return visit::visit_expr_call(self, e);
        };
        let ty = |e| self.exact?.ty(e);
        let call = Call {
            arguments: e.args.iter().map(ty).collect(),
            inside: self.inside.clone(),
        };
        self.calls.entry(name.to_string()).or_default().push(call);
        e.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let named = e.path.get_ident().filter(|name| self.is_known(name));
        self.others.extend(named.map(ToString::to_string));
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            if self.closures.contains_key(&name) {
                self.others.insert(name);
            }
        });
    }
}

/// The type of a number whose width is known.
fn number(ty: &Ty) -> Option<syn::Type> {
    match ty {
        Ty::Float(Width::F32 | Width::F64) => types::written(ty),
        Ty::Bool => Some(syn::parse_quote!(bool)),
        _ => None,
    }
}

/// A type whose name says all: a number, or a reference to some.
fn is_plain(ty: &syn::Type) -> bool {
    match types::strip_groups(ty) {
        syn::Type::Path(p) => p.path.get_ident().is_some_and(|name| {
            matches!(
                name.to_string().as_str(),
                "f32"
                    | "f64"
                    | "bool"
                    | "usize"
                    | "isize"
                    | "u8"
                    | "u16"
                    | "u32"
                    | "u64"
                    | "i8"
                    | "i16"
                    | "i32"
                    | "i64"
            )
        }),
        syn::Type::Reference(r) => {
            let inner = match types::strip_groups(&r.elem) {
                syn::Type::Slice(s) => &s.elem,
                syn::Type::Array(a) if matches!(a.len, Expr::Lit(_)) => &a.elem,
                other => other,
            };
            r.mutability.is_none()
                && r.lifetime.is_none()
                && matches!(inner, syn::Type::Path(_))
                && is_plain(inner)
        }
        _ => false,
    }
}

/// Writes down the types of parameters that all calls agree on.
struct Types<'a> {
    found: &'a Found<'a>,
    done: bool,
}

impl VisitMut for Types<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        let Some((name, _)) = defined(local) else {
            return;
        };
        let Some(init) = &mut local.init else { return };
        let Some(closure) = super::closures::literal_mut(&mut init.expr) else {
            return;
        };
        for (k, input) in closure.inputs.iter_mut().enumerate() {
            if let (Pat::Ident(_), Some(ty)) = (&*input, self.found.parameter(&name, k)) {
                *input = make::typed(input.clone(), &ty);
                self.done = true;
            }
        }
    }
}

/// A closure as a function.
struct Apart {
    item: syn::ItemFn,
    /// What it captures, as its calls pass it.
    captures: Vec<Expr>,
    ret: syn::Type,
}

impl Apart {
    fn new(
        name: &str,
        found: &Found<'_>,
        exact: &Exact<'_>,
        body: &syn::Block,
        function: &GradFn,
    ) -> Option<Self> {
        let (closure, facts) = (&found.closures[name], exact.facts);
        let text = closure.to_token_stream();
        let own = &function.item.sig.ident;
        let free = !found.others.contains(name)
            && closure.asyncness.is_none()
            && !changes_captured(closure, facts)
            && facts::mentions(&Expr::Closure(closure.clone()), &|name| {
                facts.get(name).is_some_and(|v| v.active)
            })
            && !mentions(text, &|word| {
                let marked = word.starts_with("__") && !word.starts_with(&format!("__{own}_"));
                own == word || marked || word.starts_with(PREFIX)
            });
        let calls = found.calls.get(name)?;
        let inputs = closure.inputs.len();
        if !free || calls.iter().any(|call| call.arguments.len() != inputs) {
            return None;
        }
        let mut params: Vec<syn::FnArg> = Vec::new();
        for input in &closure.inputs {
            match input {
                Pat::Type(p)
                    if matches!(&*p.pat, Pat::Ident(p) if p.by_ref.is_none())
                        && is_plain(&p.ty) =>
                {
                    params.push(syn::parse_quote!(#input));
                }
                _ => return None,
            }
        }
        let ret = match &closure.output {
            syn::ReturnType::Type(_, ty)
                if is_plain(ty) && !matches!(**ty, syn::Type::Reference(_)) =>
            {
                (**ty).clone()
            }
            syn::ReturnType::Type(..) => return None,
            syn::ReturnType::Default => exact.ty(&closure.body)?,
        };
        let mut changed = Changed::default();
        if closure.capture.is_some() {
            changed.visit_block(body);
        }
        let mut captures = Vec::new();
        for name in captured(closure, facts) {
            if changed.names.contains(&name) {
                return None;
            }
            let (ty, passed) = capture(&name, closure, exact, function)?;
            let ident = written(closure.body.to_token_stream(), &name)?;
            params.push(syn::parse_quote!(#ident: #ty));
            captures.push(passed);
        }
        let items = body
            .stmts
            .iter()
            .filter(|stmt| matches!(stmt, Stmt::Item(_)));
        let mut stmts: Vec<Stmt> = items.cloned().collect();
        if !may_stand_twice(body, stmts.len()) {
            return None;
        }
        stmts.push(Stmt::Expr((*closure.body).clone(), None));
        let block = make::braces(stmts);
        // Two words between two names: `at` in `bond_price` is not `price_at` in `bond`.
        let plain = |name: &str| name.trim_start_matches("r#").to_owned();
        let (own, name) = (plain(&own.to_string()), plain(name));
        let ident = format_ident!("__{own}_closure_{name}");
        let item = syn::parse_quote! {
            #[doc(hidden)]
            #[allow(warnings, clippy::all, clippy::pedantic)]
            fn #ident(#(#params),*) -> #ret #block
        };
        Some(Apart {
            item,
            captures,
            ret,
        })
    }

    fn options(function: &GradFn) -> Options {
        let of = &function.options;
        Options {
            krate: of.krate.clone(),
            order: of.order,
            verify: of.verify,
            strong_zero: of.strong_zero,
            without: of.without.clone(),
            ..Options::default()
        }
    }
}

/// The type of the parameter for what a closure captures, and what is passed for it.
fn capture(
    name: &str,
    closure: &syn::ExprClosure,
    exact: &Exact<'_>,
    function: &GradFn,
) -> Option<(syn::Type, Expr)> {
    let path = make::path(&written(closure.body.to_token_stream(), name)?);
    if let Some(ty) = exact.types.get(name) {
        return Some((ty.clone(), path));
    }
    let param = function.params.iter().find(|p| p.name == name)?;
    match param.by {
        By::Ref if is_plain(&param.written) => Some((param.written.clone(), path)),
        By::Value => {
            let ty: syn::Type = match types::strip_groups(&param.written) {
                syn::Type::Array(array) => syn::parse_quote!(&#array),
                _ => {
                    let Ty::Vec(elem) = &param.ty else {
                        return None;
                    };
                    let elem = number(elem)?;
                    syn::parse_quote!(&[#elem])
                }
            };
            let mut read = Read { name, only: true };
            read.visit_expr(&closure.body);
            (read.only && is_plain(&ty)).then(|| (ty, make::reference(path, false)))
        }
        _ => None,
    }
}

/// The types of variables that are no references for sure, which the facts do not tell from what they refer to.
struct Exact<'a> {
    facts: &'a Facts,
    types: FxHashMap<String, syn::Type>,
    /// Lists of numbers among the parameters.
    lists: BTreeSet<String>,
}

impl<'a> Exact<'a> {
    fn new(facts: &'a Facts, function: &GradFn) -> Self {
        let params = || function.params.iter();
        let numbers = params().filter(|p| p.by == By::Value && is_plain(&p.written));
        let lists = params().filter(|p| match types::strip(&p.inner) {
            syn::Type::Array(array) => is_plain(&array.elem),
            syn::Type::Slice(slice) => is_plain(&slice.elem),
            _ => {
                matches!(&p.ty, Ty::Vec(elem) if number(elem).is_some())
                    && !mentions_reference(&p.inner)
            }
        });
        Exact {
            facts,
            types: numbers
                .map(|p| (p.name.to_string(), p.written.clone()))
                .collect(),
            lists: lists.map(|p| p.name.to_string()).collect(),
        }
    }

    /// The type of an expression that is a number for sure.
    fn ty(&self, e: &Expr) -> Option<syn::Type> {
        match unparen(e) {
            Expr::Path(_) => self.types.get(&variable(e)?.to_string()).cloned(),
            Expr::Lit(_) => number(&self.facts.ty(e)),
            Expr::Cast(e) => Some((*e.ty).clone()).filter(is_plain),
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_)) => {
                number(&self.facts.ty(e)).or_else(|| self.operand(&u.expr))
            }
            Expr::Binary(b) if matches!(b.op, syn::BinOp::Shl(_) | syn::BinOp::Shr(_)) => None,
            Expr::Binary(b) => number(&self.facts.ty(e)).or_else(|| {
                // A number times a type of the user's own is no number.
                match (self.operand(&b.left), self.operand(&b.right)) {
                    (Some(left), Some(right)) => (left == right).then_some(left),
                    (Some(ty), None) => matches!(unparen(&b.right), Expr::Lit(_)).then_some(ty),
                    (None, Some(ty)) => matches!(unparen(&b.left), Expr::Lit(_)).then_some(ty),
                    (None, None) => None,
                }
            }),
            Expr::MethodCall(m) if m.method == "len" && m.args.is_empty() => {
                Some(syn::parse_quote!(usize))
            }
            Expr::MethodCall(m) => {
                rules::by_method(&m.method.to_string())?;
                number(&self.facts.ty(e))
            }
            Expr::Index(i) if !matches!(&*i.index, Expr::Range(_)) => {
                let list = variable(&i.expr)?.to_string();
                self.lists
                    .contains(&list)
                    .then(|| number(&self.facts.ty(e)))?
            }
            Expr::Block(b) => self.ty(syntax::block_value(&b.block)?),
            Expr::If(i) => self.ty(syntax::block_value(&i.then_branch)?),
            _ => None,
        }
    }

    /// The type of what an operator makes of this and of others like it.
    fn operand(&self, e: &Expr) -> Option<syn::Type> {
        self.ty(e)
            .filter(|ty| !matches!(ty, syn::Type::Reference(_)))
    }
}

/// Whether a reference stands anywhere in a type.
fn mentions_reference(ty: &syn::Type) -> bool {
    ty.to_token_stream().to_string().contains('&')
}

impl<'ast> Visit<'ast> for Exact<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        if let (Pat::Ident(p), Some(init)) = (&local.pat, &local.init) {
            if p.by_ref.is_none() && init.diverge.is_none() {
                let ty = self.ty(&init.expr);
                self.types.extend(ty.map(|ty| (p.ident.to_string(), ty)));
            }
        }
    }

    fn visit_pat_type(&mut self, p: &'ast syn::PatType) {
        if let Pat::Ident(name) = &*p.pat {
            if is_plain(&p.ty) && name.by_ref.is_none() {
                self.types.insert(name.ident.to_string(), (*p.ty).clone());
            }
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        if let (Pat::Ident(p), Expr::Range(range)) = (&*e.pat, unparen(&e.expr)) {
            let mut bounds = range.end.iter().chain(&range.start);
            let ty = bounds.find_map(|e| self.ty(e));
            self.types.extend(ty.map(|ty| (p.ident.to_string(), ty)));
        }
        visit::visit_expr_for_loop(self, e);
    }
}

/// Whether what a body defines may be defined in another function as well: so many items, at the top of it, that are the same in both.
fn may_stand_twice(body: &syn::Block, at_the_top: usize) -> bool {
    struct Items {
        count: usize,
        plain: bool,
    }
    impl<'ast> Visit<'ast> for Items {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            self.count += 1;
            self.plain &= matches!(
                item,
                syn::Item::Const(_) | syn::Item::Fn(_) | syn::Item::Use(_)
            );
        }
    }
    let mut items = Items {
        count: 0,
        plain: true,
    };
    items.visit_block(body);
    items.plain && items.count == at_the_top
}

/// Whether a list is only read by its elements.
struct Read<'a> {
    name: &'a str,
    only: bool,
}

impl<'ast> Visit<'ast> for Read<'_> {
    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        if variable(&e.expr).is_none_or(|name| name != self.name) {
            self.visit_expr(&e.expr);
        }
        self.visit_expr(&e.index);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let reads = (e.method == "len" || e.method == "iter") && e.args.is_empty();
        if reads && variable(&e.receiver).is_some_and(|name| name == self.name) {
            return;
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.only &= !e.path.is_ident(self.name);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        facts::idents(mac.tokens.clone(), &mut |name| {
            self.only &= name != self.name;
        });
    }
}

/// Whether some word stands anywhere in tokens.
fn mentions(tokens: TokenStream, test: &dyn Fn(&str) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => test(&word.to_string()),
        TokenTree::Group(group) => mentions(group.stream(), test),
        _ => false,
    })
}

/// A name as it stands in tokens: of variables that are called alike, the macros they come from tell which it is.
fn written(tokens: TokenStream, name: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) => (word == name).then_some(word),
        TokenTree::Group(group) => written(group.stream(), name),
        _ => None,
    })
}

/// Takes a definition away, and lets its calls go to the function.
struct Calls<'a> {
    name: &'a str,
    apart: &'a Apart,
    names: &'a mut Names,
}

impl VisitMut for Calls<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|stmt| {
            !matches!(stmt, Stmt::Local(local) if defined(local).is_some_and(|(name, _)| name == self.name))
        });
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::Call(call) = e else { return };
        let Some(name) = variable(&call.func).filter(|name| *name == self.name) else {
            return;
        };
        let result = self.names.fresh(self.name, name.span());
        let mut ident = self.apart.item.sig.ident.clone();
        ident.set_span(name.span());
        *call.func = make::path(&ident);
        call.args.extend(self.apart.captures.iter().cloned());
        let pat = make::typed(make::ident(&result, false), &self.apart.ret);
        let stmts = vec![make::local(pat, e.clone())];
        *e = make::block(stmts, Some(make::path(&result)));
    }
}
