//! Gives every local variable of a body a name of its own, so that later stages need no scopes.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::macros::VecMacro;
use crate::syntax::is_constant;
use crate::types;
use crate::visit_mut::{self, OtherMut, VisitMut};

/// Renames all variables that shadow or repeat another; `params` are already bound.
pub(crate) fn rename(body: &mut syn::Block, params: &[String]) -> Names {
    let mut open = OpenMacros::default();
    open.visit_block_mut(body);
    let mut taken = FxHashSet::default();
    collect(body.to_token_stream(), &mut taken);
    taken.extend(params.iter().cloned());
    let scope = params.iter().map(|p| (p.clone(), p.clone())).collect();
    let mut renamer = Renamer {
        scopes: vec![scope],
        bound: params.iter().cloned().collect(),
        taken,
        written: FxHashMap::default(),
        capitals: Vec::new(),
    };
    renamer.visit_block_mut(body);
    renamer.scopes.clear();
    let capitals = std::mem::take(&mut renamer.capitals);
    Names {
        renamer,
        checks: open.checks.into_values().chain(capitals).collect(),
    }
}

/// The names of a body, for code that is added to it.
pub(crate) struct Names {
    renamer: Renamer,
    checks: Vec<TokenStream>,
}

impl Names {
    /// The names that renamed variables were written by.
    pub(crate) fn written(self) -> FxHashMap<String, String> {
        self.renamer.written
    }

    /// Statements by which rustc checks that the macros of a body are those of the standard library, and that no constant is named as a variable of a pattern.
    pub(crate) fn checks(&mut self) -> Vec<TokenStream> {
        std::mem::take(&mut self.checks)
    }

    /// A name that nothing has.
    pub(crate) fn fresh(&mut self, base: &str, span: proc_macro2::Span) -> Ident {
        let base = if base.starts_with("r#") { "copy" } else { base };
        let mut ident = Ident::new(base, span);
        self.renamer.bound.insert(base.to_owned());
        if self.renamer.taken.contains(base) {
            self.renamer.bind(&mut ident);
        }
        self.renamer.taken.insert(ident.to_string());
        ident
    }

    /// Gives every variable that a copy of a closure binds a name of its own.
    pub(crate) fn refresh(&mut self, closure: &mut syn::ExprClosure) {
        self.renamer.visit_expr_closure_mut(closure);
    }

    /// Calls a variable by another name throughout an expression.
    pub(crate) fn call(&mut self, from: &str, to: &str, e: &mut syn::Expr) {
        let scope = FxHashMap::from_iter([(from.to_owned(), to.to_owned())]);
        let kept = std::mem::take(&mut self.renamer.bound);
        self.renamer.scopes.push(scope);
        self.renamer.visit_expr_mut(e);
        self.renamer.scopes.pop();
        self.renamer.bound.extend(kept);
    }
}

/// Turns `vec![…]` into calls, whose arguments are expressions like any other, and `matches!(…)` into what it stands for.
#[derive(Default)]
struct OpenMacros {
    /// One for each macro, by how it is written.
    checks: BTreeMap<&'static str, TokenStream>,
}

impl OpenMacros {
    /// What a macro stands for, if it is one of these by its name.
    fn open(&mut self, mac: &syn::Macro) -> Option<syn::Expr> {
        let path = &mac.path;
        let at = Span::mixed_site().located_at(path.span());
        if let Some((name, check, made)) = crate::macros::open(mac) {
            self.checks.entry(name).or_insert(check);
            return Some(made);
        }
        if let Some(zipped) = crate::zipped_arrays::open(mac) {
            self.checks.entry("azip").or_insert_with(|| {
                quote_spanned! {at=>
                    let _: fn(&mut rt::linalg::ndarray::Array1<rt::OfAutodiff>) = |of| #path!((x in of) *x = rt::OfAutodiff);
                }
            });
            return Some(zipped);
        }
        if let Some(call) = crate::macros::open_vec(mac) {
            match crate::macros::vec_macro(&call) {
                Some(VecMacro::Repeat(..)) => self.checks.entry("vec of one").or_insert_with(
                    || quote_spanned!(at=> let _: fn() -> rt::Vec<rt::OfAutodiff> = || #path![rt::OfAutodiff; 2];),
                ),
                // Only if the elements are evaluated from left to right does the second one have the first one's variable.
                _ => self.checks.entry("vec").or_insert_with(|| {
                    quote_spanned! {at=>
                        let _: fn() -> (rt::Vec<rt::OfAutodiff>, bool) = || {
                            let (first, second);
                            (#path![{ first = true; rt::OfAutodiff }, { second = first; rt::OfAutodiff }], second)
                        };
                    }
                }),
            };
            return Some(syn::Expr::Call(call));
        }
        if let Some(shown) = open_dbg(mac) {
            self.checks.entry("dbg").or_insert_with(|| {
                quote_spanned! {at=>
                    let _: fn(rt::OfAutodiff) -> rt::OfAutodiff = |value| #path!(value);
                }
            });
            return Some(shown);
        }
        let matched = crate::macros::open_matches(mac)?;
        self.checks.entry("matches").or_insert_with(|| {
            quote_spanned! {at=>
                let _: fn(rt::OfAutodiff) -> bool = |value| #path!(value, rt::OfAutodiff);
                const _: () = ::core::assert!(
                    #path!(1, 0 | 1) && !#path!(1, 0) && #path!(1, n if n == 1) && !#path!(1, n if n == 0),
                    "`matches!` means another macro here than that of the standard library; give that one another name"
                );
            }
        });
        Some(matched)
    }
}

impl VisitMut for OpenMacros {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Macro(m) = e {
            if let Some(opened) = self.open(&m.mac) {
                *e = opened;
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
        if let syn::Stmt::Macro(m) = stmt {
            let known = m.mac.path.is_ident("vec") || is_dbg(&m.mac);
            if known || crate::zipped_arrays::is_zip(&m.mac) {
                if let Some(opened) = self.open(&m.mac) {
                    *stmt = syn::Stmt::Expr(opened, m.semi_token);
                }
            }
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }
}

fn is_dbg(mac: &syn::Macro) -> bool {
    let names = mac.path.segments.iter().map(|s| s.ident.to_string());
    let names: Vec<_> = names.collect();
    matches!(&names[..], [dbg] if dbg == "dbg")
        || matches!(&names[..], [std, dbg] if std == "std" && dbg == "dbg")
}

/// `dbg!(e)`, which is `e`, and shows it once.
fn open_dbg(mac: &syn::Macro) -> Option<syn::Expr> {
    if !is_dbg(mac) {
        return None;
    }
    let span = mac.path.span().resolved_at(Span::call_site());
    let shown = |e: &syn::Expr| -> syn::Expr {
        let text = e.to_token_stream().to_string();
        syn::parse_quote_spanned! {span=> {
            let shown = #e;
            ::std::eprintln!(
                "[{}:{}:{}] {} = {:#?}",
                ::core::file!(), ::core::line!(), ::core::column!(), #text, &shown
            );
            shown
        }}
    };
    match &crate::syntax::macro_arguments(mac)[..] {
        [] => None,
        [one] => Some(shown(one)),
        all => {
            let all = all.iter().map(shown);
            Some(syn::parse_quote_spanned!(span=> (#(#all),*)))
        }
    }
}

fn collect(tokens: TokenStream, into: &mut FxHashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                into.insert(ident.to_string());
            }
            TokenTree::Group(group) => collect(group.stream(), into),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether a pattern always matches: a struct is taken apart, and nothing is asked of its parts.
pub(crate) fn always_matches(p: &syn::Pat) -> bool {
    match p {
        syn::Pat::Ident(p) => p.subpat.is_none() && !is_constant(p),
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => true,
        syn::Pat::Reference(p) => always_matches(&p.pat),
        syn::Pat::Paren(p) => always_matches(&p.pat),
        syn::Pat::Type(p) => always_matches(&p.pat),
        syn::Pat::Tuple(p) => p.elems.iter().all(always_matches),
        syn::Pat::Struct(p) => {
            types::variant(&p.path).is_none() && p.fields.iter().all(|f| always_matches(&f.pat))
        }
        syn::Pat::TupleStruct(p) => {
            let last = p.path.segments.last();
            let known = last.is_some_and(|s| ["Some", "Ok", "Err"].iter().any(|n| s.ident == n));
            !known && types::variant(&p.path).is_none() && p.elems.iter().all(always_matches)
        }
        _ => false,
    }
}

/// `K @ _`, which is how a variable is marked whose name begins with a capital.
fn is_marked(pattern: &syn::PatIdent) -> bool {
    let capital = |name: String| name.starts_with(|c: char| c.is_uppercase());
    let whole = |(_, sub): &(_, Box<syn::Pat>)| matches!(**sub, syn::Pat::Wild(_));
    pattern.subpat.as_ref().is_some_and(whole) && capital(pattern.ident.to_string())
}

struct Renamer {
    scopes: Vec<FxHashMap<String, String>>,
    bound: FxHashSet<String>,
    taken: FxHashSet<String>,
    /// For each new name, the one that the user wrote.
    written: FxHashMap<String, String>,
    /// What rustc is asked of names that begin with a capital.
    capitals: Vec<TokenStream>,
}

impl Renamer {
    fn lookup(&self, name: &str) -> Option<&String> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn bind(&mut self, ident: &mut Ident) {
        let name = ident.to_string();
        let unique = if self.bound.contains(&name) {
            let base = name.trim_start_matches("r#");
            let fresh = (1..=self.taken.len() + 1)
                .map(|k| format!("{base}_{k}"))
                .find(|n| !self.taken.contains(n));
            fresh.unwrap_or_else(|| name.clone())
        } else {
            name.clone()
        };
        self.bound.insert(unique.clone());
        self.taken.insert(unique.clone());
        if unique != name {
            *ident = Ident::new(&unique, ident.span());
            // A copy of a variable that was renamed itself is written like the first.
            let written = self.written.get(&name).unwrap_or(&name).clone();
            self.written.insert(unique.clone(), written);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, unique);
        }
    }

    /// `Some(K @ _)`  ⇒  `Some(k)`: no later stage takes the variable for a constant.
    fn bind_capital(&mut self, ident: &mut syn::PatIdent) {
        let (name, span) = (ident.ident.clone(), ident.ident.span());
        self.capitals
            .push(quote_spanned!(span=> let _ = |#name @ _: ()| ();));
        let mut lower = name.to_string().to_lowercase();
        while self.taken.contains(&lower) || syn::parse_str::<Ident>(&lower).is_err() {
            lower.push('_');
        }
        ident.ident = Ident::new(&lower, span);
        ident.subpat = None;
        self.bind(&mut ident.ident);
        let unique = ident.ident.to_string();
        self.written.insert(unique.clone(), name.to_string());
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_string(), unique);
        }
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashMap::default());
        f(self);
        self.scopes.pop();
    }

    /// Binds the variables of a pattern that always matches, in which even `X` is a variable.
    fn irrefutable(&mut self, pattern: &mut syn::Pat) {
        match pattern {
            syn::Pat::Ident(ident) if ident.subpat.is_none() => self.bind(&mut ident.ident),
            syn::Pat::Paren(p) => self.irrefutable(&mut p.pat),
            syn::Pat::Reference(p) => self.irrefutable(&mut p.pat),
            syn::Pat::Type(p) => self.irrefutable(&mut p.pat),
            syn::Pat::Slice(p) => p.elems.iter_mut().for_each(|p| self.irrefutable(p)),
            syn::Pat::Tuple(p) => p.elems.iter_mut().for_each(|p| self.irrefutable(p)),
            other => self.pattern(other),
        }
    }

    /// Binds the variables of a pattern; the cases of an or-pattern share theirs.
    fn pattern(&mut self, pattern: &mut syn::Pat) {
        if let syn::Pat::Or(or) = pattern {
            let mut cases = or.cases.iter_mut();
            if let Some(first) = cases.next() {
                self.pattern(first);
            }
            let mut same = SameNames {
                scope: self.scopes.last().cloned().unwrap_or_default(),
            };
            cases.for_each(|case| same.visit_pat_mut(case));
            return;
        }
        match pattern {
            syn::Pat::Guard(guard) => {
                self.pattern(&mut guard.pat);
                self.visit_expr_mut(&mut guard.guard);
            }
            syn::Pat::Ident(ident) => {
                if !is_constant(ident) {
                    self.bind(&mut ident.ident);
                }
                if let Some((_, sub)) = &mut ident.subpat {
                    self.pattern(sub);
                }
            }
            syn::Pat::Paren(p) => self.pattern(&mut p.pat),
            syn::Pat::Reference(p) => self.pattern(&mut p.pat),
            syn::Pat::Type(p) => self.pattern(&mut p.pat),
            syn::Pat::Slice(p) => p.elems.iter_mut().for_each(|p| self.pattern(p)),
            syn::Pat::Tuple(p) => p.elems.iter_mut().for_each(|p| self.pattern(p)),
            syn::Pat::TupleStruct(p) => p.elems.iter_mut().for_each(|p| match p {
                syn::Pat::Ident(ident) if is_marked(ident) => self.bind_capital(ident),
                p => self.pattern(p),
            }),
            syn::Pat::Struct(p) => {
                for field in &mut p.fields {
                    self.pattern(&mut field.pat);
                    keep_field(field);
                }
            }
            syn::Pat::Range(_) | syn::Pat::Lit(_) | syn::Pat::Const(_) | syn::Pat::Path(_) => {}
            _ => {}
        }
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut renamed = |ident: &Ident| {
            let name = self.lookup(&ident.to_string())?;
            (ident != name).then(|| Ident::new(name, ident.span()).into_token_stream())
        };
        replaced(tokens, &mut renamed, &|literal| self.literal(literal))
    }

    /// Renames `{name}` in a format string.
    fn literal(&self, literal: Literal) -> Literal {
        let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else {
            return literal;
        };
        let value = text.value();
        // Behind each opening brace that is not doubled stands a name, up to `:` or `}`.
        let mut out = String::new();
        let mut rest = value.as_str();
        while let Some(at) = rest.find('{') {
            let (before, behind) = rest.split_at(at + 1);
            out.push_str(before);
            if let Some(escaped) = behind.strip_prefix('{') {
                out.push('{');
                rest = escaped;
                continue;
            }
            let end = behind.find([':', '}']).unwrap_or(behind.len());
            let name = &behind[..end];
            out.push_str(self.lookup(name).map_or(name, String::as_str));
            rest = &behind[end..];
        }
        out.push_str(rest);
        if out == value {
            return literal;
        }
        let mut renamed = Literal::string(&out);
        renamed.set_span(literal.span());
        renamed
    }
}

/// The tokens of a macro with other ones in place of variables, as far as tokens show what is one; and what `literal` makes of literals.
pub(crate) fn replaced(
    tokens: TokenStream,
    variable: &mut dyn FnMut(&Ident) -> Option<TokenStream>,
    literal: &dyn Fn(Literal) -> Literal,
) -> TokenStream {
    replaced_in(tokens, false, variable, literal)
}

/// With `fields`, the tokens are between the braces of a struct.
fn replaced_in(
    tokens: TokenStream,
    fields: bool,
    variable: &mut dyn FnMut(&Ident) -> Option<TokenStream>,
    literal: &dyn Fn(Literal) -> Literal,
) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, c: char| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == c)
    };
    let mut out = TokenStream::new();
    let mut after_dot = false;
    for (k, token) in tokens.iter().enumerate() {
        let before = |n| k.checked_sub(n);
        match token {
            TokenTree::Ident(ident) => {
                let colon = is(Some(k + 1), ':');
                let path =
                    colon && is(Some(k + 2), ':') || is(before(1), ':') && is(before(2), ':');
                let first = fields && (k == 0 || is(before(1), ','));
                let new = if after_dot || path || first && colon {
                    None
                } else {
                    variable(ident)
                };
                match new {
                    // `S { x }` is `S { x: … }`.
                    Some(new) if first && (k + 1 == tokens.len() || is(Some(k + 1), ',')) => {
                        out.extend(quote!(#ident: #new));
                    }
                    Some(new) => out.extend(new),
                    None => out.extend([token.clone()]),
                }
            }
            TokenTree::Group(group) => {
                let of_type = match before(1).map(|at| &tokens[at]) {
                    Some(TokenTree::Ident(name)) => {
                        name.to_string().starts_with(|c: char| c.is_uppercase())
                    }
                    Some(TokenTree::Punct(p)) => p.as_char() == '>',
                    _ => false,
                };
                let fields = of_type
                    && group.delimiter() == Delimiter::Brace
                    && begins_with_field(group.stream());
                let inner = replaced_in(group.stream(), fields, variable, literal);
                let mut inner = Group::new(group.delimiter(), inner);
                inner.set_span(group.span());
                out.extend([TokenTree::from(inner)]);
            }
            TokenTree::Literal(text) => out.extend([TokenTree::from(literal(text.clone()))]),
            TokenTree::Punct(_) => out.extend([token.clone()]),
        }
        after_dot = is(Some(k), '.') && !after_dot;
    }
    out
}

/// `x: …` or `x, …` or `x` alone, as in no block with a statement in it.
fn begins_with_field(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter();
    let name = matches!(tokens.next(), Some(TokenTree::Ident(_)));
    let next = tokens.next();
    let colon = matches!(&next, Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Alone);
    let comma = matches!(&next, Some(TokenTree::Punct(p)) if p.as_char() == ',');
    name && (next.is_none() || colon || comma)
}

fn pattern_is(pattern: &syn::Pat, name: &Ident) -> bool {
    matches!(pattern, syn::Pat::Ident(p) if p.ident == *name)
}

/// `S { x }` stays a binding of field `x` under the new name.
fn keep_field(field: &mut syn::FieldPat) {
    if field.colon_token.is_none()
        && matches!(&field.member, syn::Member::Named(m) if !pattern_is(&field.pat, m))
    {
        field.colon_token = Some(syn::token::Colon::default());
    }
}

/// Gives the bindings of later cases of an or-pattern the names of the first.
struct SameNames {
    scope: FxHashMap<String, String>,
}

impl VisitMut for SameNames {
    fn visit_pat_ident_mut(&mut self, pattern: &mut syn::PatIdent) {
        if let Some(name) = self.scope.get(&pattern.ident.to_string()) {
            pattern.ident = Ident::new(name, pattern.ident.span());
        }
        visit_mut::visit_pat_ident_mut(self, pattern);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        visit_mut::visit_field_pat_mut(self, field);
        keep_field(field);
    }
}

impl VisitMut for Renamer {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.scoped(|cx| {
            block
                .stmts
                .iter_mut()
                .for_each(|stmt| cx.visit_stmt_mut(stmt));
        });
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_expr_mut(&mut init.expr);
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.irrefutable(&mut local.pat);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        self.scoped(|cx| {
            closure
                .inputs
                .iter_mut()
                .for_each(|input| cx.irrefutable(input));
            cx.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        self.scoped(|cx| {
            cx.irrefutable(&mut e.pat);
            cx.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        self.scoped(|cx| {
            cx.visit_expr_mut(&mut e.cond);
            cx.visit_block_mut(&mut e.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scoped(|cx| {
            cx.pattern(&mut arm.pat);
            cx.visit_expr_mut(&mut arm.body);
        });
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        if let Some(ident) = e.path.get_ident() {
            if let Some(name) = self
                .lookup(&ident.to_string())
                .filter(|name| ident != *name)
            {
                e.path = Ident::new(name, ident.span()).into();
            }
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        visit_mut::visit_expr_mut(self, &mut field.expr);
        let renamed = matches!((&field.member, &field.expr), (syn::Member::Named(m), syn::Expr::Path(p)) if !p.path.is_ident(m));
        if field.colon_token.is_none() && renamed {
            field.colon_token = Some(syn::token::Colon::default());
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::ExprIf(e) => {
                self.scoped(|cx| {
                    cx.visit_expr_mut(&mut e.cond);
                    cx.visit_block_mut(&mut e.then_branch);
                });
                if let Some((_, other)) = &mut e.else_branch {
                    self.visit_expr_mut(other);
                }
            }
            OtherMut::ExprLet(e) => {
                self.visit_expr_mut(&mut e.expr);
                self.pattern(&mut e.pat);
            }
            other => other.walk(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let mut body: syn::Block = syn::parse_str(source).expect("a block");
        rename(&mut body, &["x".to_owned()]);
        let expected: syn::Block = syn::parse_str(expected).expect("a block");
        assert_eq!(
            body.to_token_stream().to_string(),
            expected.to_token_stream().to_string()
        );
    }

    #[test]
    fn shadowing_gets_a_new_name() {
        check(
            "{ let x = x + 1.0; h({ let x = x * 2.0; g(x) }) + x }",
            "{ let x_1 = x + 1.0; h({ let x_2 = x_1 * 2.0; g(x_2) }) + x_1 }",
        );
    }

    #[test]
    fn a_name_of_the_user_is_never_taken() {
        check(
            "{ let x_1 = x; let x = x_1; x }",
            "{ let x_1 = x; let x_2 = x_1; x_2 }",
        );
    }

    #[test]
    fn format_strings_follow() {
        check(
            r#"{ let x = 1.0; println!("{x} {x:?} {{x}}", x.y) }"#,
            r#"{ let x_1 = 1.0; println!("{x_1} {x_1:?} {{x}}", x_1.y) }"#,
        );
    }

    #[test]
    fn fields_and_paths_in_macros_keep_their_names() {
        check(
            "{ let x = 1.0; println!(\"{:?}\", (S { x: x, y: [x] }, S { x }, x::K, S::x(x), |x: f64| x, if x { x })) }",
            "{ let x_1 = 1.0; println!(\"{:?}\", (S { x: x_1, y: [x_1] }, S { x: x_1 }, x::K, S::x(x_1), |x_1: f64| x_1, if x_1 { x_1 })) }",
        );
    }

    #[test]
    fn or_patterns_share_their_names() {
        check(
            "{ match x { (x, 0) | (0, x) => x, _ => x } }",
            "{ match x { (x_1, 0) | (0, x_1) => x_1, _ => x } }",
        );
        check(
            "{ match x { S { x } | T { x, .. } | U { y: x } => x } }",
            "{ match x { S { x: x_1 } | T { x: x_1, .. } | U { y: x_1 } => x_1 } }",
        );
    }
}
