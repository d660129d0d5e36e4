//! Code that may only read what depends on a parameter: the arguments of macros that are statements, guards, and the operand of `stop_gradient`.
//!
//! It is copied as it stands, and a derivative would not know of a change.
//! What shows is refused here; where only types could tell, the code is given a shared reference, and rustc refuses what changes something through it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

use super::{Binding, Lower};
use crate::facts::{self, Changed, Facts};
use crate::ir::Ty;
use crate::iterators::reads_parts;
use crate::macros;
use crate::names;
use crate::own_names;
use crate::rules;
use crate::syntax;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// What seems to read only.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Macro,
    Guard,
}

impl Reader {
    fn message(self) -> &'static str {
        match self {
            Reader::Macro => {
                "a macro only reads its arguments; change the variable in a statement of its own"
            }
            Reader::Guard => {
                "a guard only reads what has a derivative; change it before the `match`, or in its arms"
            }
        }
    }
}

/// Methods of std's types that read what they are called on, or consume it.
const READING: &[&str] = &[
    "and_then",
    "as_ref",
    "as_slice",
    "clone",
    "cloned",
    "concat",
    "contains",
    "copied",
    "expect",
    "filter",
    "first",
    "get",
    "into_iter",
    "is_empty",
    "is_none",
    "is_none_or",
    "is_some",
    "is_some_and",
    "iter",
    "last",
    "len",
    "map",
    "map_or",
    "map_or_else",
    "ok_or",
    "or",
    "split_at",
    "split_first",
    "split_last",
    "to_vec",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "zip",
];

/// Methods of options that change them.
const OF_OPTIONS: &[&str] = &[
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "replace",
    "take",
    "take_if",
];

/// Whether a method of this name of a type of std changes what it is called on.
fn changes(method: &str, ty: &Ty) -> bool {
    match ty {
        Ty::Option(_) => {
            OF_OPTIONS.contains(&method) || method.split('_').any(|word| word == "mut")
        }
        Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) => {
            facts::changes_receiver(method) || method == "as_mut_slice"
        }
        _ => false,
    }
}

/// Whether a method of this name reads what it is called on, whatever the user defines.
fn reads(method: &str, ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int | Ty::Bool => {
            rules::by_method(method).is_some() || own_names::is_inert_method(method)
        }
        Ty::Option(_) | Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) => {
            READING.contains(&method) || reads_parts(method)
        }
        _ => false,
    }
}

/// The variable of which an expression names a part, and not what a method makes of it.
fn part_of(e: &syn::Expr) -> Option<String> {
    match syntax::peel(e) {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Index(e) => part_of(&e.expr),
        syn::Expr::Field(e) => part_of(&e.base),
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => part_of(&e.expr),
        _ => None,
    }
}

/// Has a variable that is a `&mut` reference to what is taken apart.
fn binds_exclusively(p: &syn::Pat) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= p.by_ref.is_some() && p.mutability.is_some();
            visit::visit_pat_ident(self, p);
        }
    }
    let mut find = Find(false);
    find.visit_pat(p);
    find.0
}

impl Facts {
    /// A variable of this name is active and may be changed.
    pub(super) fn is_changeable(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|v| v.active && (v.mutable || v.exclusive || !v.roots.is_empty()))
    }
}

/// Refuses code that changes something active while it seems to read only.
struct Stores<'a, 'b> {
    cx: &'a mut Lower<'b>,
    reader: Reader,
}

impl Stores<'_, '_> {
    fn refuse(&mut self, left: &syn::Expr, right: &syn::Expr) {
        // What the code declares itself is its own.
        let local = part_of(left).is_some_and(|name| !self.cx.env.contains_key(&name));
        let active = |e| self.cx.facts.mentions_active(e);
        if active(left) || active(right) && !local {
            self.cx.errors.error(left, self.reader.message());
        }
    }

    fn borrowed(&mut self, e: &dyn ToTokens, of: &syn::Expr) {
        if self.cx.facts.mentions_active(of) {
            self.cx.errors.error(e, self.reader.message());
        }
    }
}

impl<'ast> Visit<'ast> for Stores<'_, '_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.refuse(&e.left, &e.right);
        visit::visit_expr_assign(self, e);
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if syntax::is_compound(&e.op) {
            self.refuse(&e.left, &e.right);
        }
        visit::visit_expr_binary(self, e);
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        if e.mutability.is_some() {
            self.borrowed(e, &e.expr);
        }
        visit::visit_expr_reference(self, e);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            if binds_exclusively(&local.pat) {
                self.borrowed(&local.pat, &init.expr);
            }
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        if binds_exclusively(&e.pat) {
            self.borrowed(&e.pat, &e.expr);
        }
        visit::visit_expr_let(self, e);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        for arm in &e.arms {
            if binds_exclusively(&arm.pat) {
                self.borrowed(&arm.pat, &e.expr);
            }
        }
        visit::visit_expr_match(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let method = e.method.to_string();
        let stores = super::hidden::stores(&method)
            && e.args.iter().any(|arg| self.cx.facts.mentions_active(arg));
        let of = part_of(&e.receiver).filter(|name| self.cx.facts.is_changeable(name));
        if stores || of.is_some() && changes(&method, &self.cx.facts.ty(&e.receiver)) {
            self.cx.errors.error(&e.method, self.reader.message());
        }
        visit::visit_expr_method_call(self, e);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        match opened(mac) {
            Opened::Arguments(args) => args.iter().for_each(|arg| self.visit_expr(value(arg))),
            Opened::Match(e) => self.visit_expr(&e),
            // In any other condition it is refused, too.
            Opened::Unknown if self.reader == Reader::Guard && !facts::is_harmless(mac) => {
                self.cx.refuse_unknown_macro(mac);
            }
            Opened::Unknown => {}
        }
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ExprRawAddr(e) => {
                if matches!(e.mutability, syn::PointerMutability::Mut(_)) {
                    self.borrowed(e, &e.expr);
                }
                Other::ExprRawAddr(e).walk(self);
            }
            other => other.walk(self),
        }
    }
}

/// What is known of a macro in code that only reads.
enum Opened {
    Arguments(Vec<syn::Expr>),
    Match(Box<syn::Expr>),
    Unknown,
}

fn opened(mac: &syn::Macro) -> Opened {
    if let Some(e) = macros::open_matches(mac) {
        return Opened::Match(Box::new(e));
    }
    match syntax::macro_arguments(mac) {
        args if !args.is_empty() && facts::is_harmless(mac) => Opened::Arguments(args),
        _ => Opened::Unknown,
    }
}

/// At the outermost level, `name = value` names an argument of the format.
fn value(arg: &syn::Expr) -> &syn::Expr {
    match arg {
        syn::Expr::Assign(named) => &named.right,
        arg => arg,
    }
}

/// Lends what code could change.
struct OnlyRead<'a> {
    facts: &'a Facts,
}

impl OnlyRead<'_> {
    /// What stands in a place expression beside the variable.
    fn beside(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Path(_) => {}
            syn::Expr::Paren(e) => self.beside(&mut e.expr),
            syn::Expr::Group(e) => self.beside(&mut e.expr),
            syn::Expr::Field(e) => self.beside(&mut e.base),
            syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => self.beside(&mut e.expr),
            syn::Expr::Index(e) => {
                self.beside(&mut e.expr);
                self.visit_expr_mut(&mut e.index);
            }
            e => self.visit_expr_mut(e),
        }
    }

    /// A `&mut` reference that is passed on.
    fn passes_on(&self, e: &syn::Expr) -> bool {
        let name = match e {
            syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        name.and_then(|name| self.facts.get(&name))
            .is_some_and(|v| v.active && (v.exclusive || v.mutable && !v.roots.is_empty()))
    }

    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        // What is stored in a variable may be active, if the variable is not.
        let active = self.facts.tokens_mention_active(tokens.clone());
        let mut variable = |name: &Ident| {
            let text = name.to_string();
            let changeable = self.facts.is_changeable(&text)
                || active && self.facts.get(&text).is_some_and(|v| v.mutable);
            changeable.then(|| lent(name, name.span()))
        };
        names::replaced(tokens, &mut variable, &|literal| literal)
    }
}

/// The place behind a shared reference.
fn lent<T: syn::parse::Parse>(e: &dyn ToTokens, span: Span) -> T {
    let span = span.resolved_at(Span::call_site());
    syn::parse_quote_spanned!(span=> (*&#e))
}

impl VisitMut for OnlyRead<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::MethodCall(m) => {
                let of = part_of(&m.receiver).filter(|name| self.facts.is_changeable(name));
                if of.is_none() {
                    return visit_mut::visit_expr_mut(self, e);
                }
                let known = reads(&m.method.to_string(), &self.facts.ty(&m.receiver));
                self.beside(&mut m.receiver);
                if !known {
                    *m.receiver = lent(&m.receiver, m.receiver.span());
                }
                m.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            }
            syn::Expr::Path(_) if self.passes_on(e) => {
                *e = lent(e, e.span());
            }
            syn::Expr::Reference(r) => self.beside(&mut r.expr),
            syn::Expr::Binary(b) => {
                self.beside(&mut b.left);
                self.beside(&mut b.right);
            }
            syn::Expr::Field(_) | syn::Expr::Index(_) => self.beside(e),
            syn::Expr::Unary(u) => self.beside(&mut u.expr),
            syn::Expr::Assign(a) => {
                self.beside(&mut a.left);
                self.visit_expr_mut(&mut a.right);
            }
            syn::Expr::Macro(m) => {
                if let Opened::Match(mut opened) = opened(&m.mac) {
                    self.visit_expr_mut(&mut opened);
                    *e = *opened;
                } else {
                    self.visit_macro_mut(&mut m.mac);
                }
            }
            e => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        if self.passes_on(&field.expr) {
            field.colon_token.get_or_insert_default();
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        match opened(mac) {
            Opened::Arguments(mut args) => {
                for arg in &mut args {
                    let arg = match arg {
                        syn::Expr::Assign(named) => &mut *named.right,
                        arg => arg,
                    };
                    // The macros themselves only refer to their arguments.
                    self.beside(arg);
                }
                mac.tokens = quote!(#(#args),*);
            }
            // `vec![x; n]` among others.
            Opened::Match(_) | Opened::Unknown => {
                mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
            }
        }
    }
}

impl Lower<'_> {
    /// A macro that is a statement, such that it only reads what is active; it is refused if it seems to do more.
    pub(super) fn only_reading_macro(&mut self, mac: &syn::Macro) -> syn::Macro {
        let reader = Reader::Macro;
        Stores { cx: self, reader }.visit_macro(mac);
        let mut mac = mac.clone();
        OnlyRead { facts: &self.facts }.visit_macro_mut(&mut mac);
        mac
    }

    /// A guard, such that it only reads what is active; it is refused if it seems to do more.
    pub(super) fn only_reading_guard(&mut self, guard: &syn::Expr) -> syn::Expr {
        let reader = Reader::Guard;
        Stores { cx: self, reader }.visit_expr(guard);
        let mut guard = guard.clone();
        OnlyRead { facts: &self.facts }.beside(&mut guard);
        guard
    }

    /// The operand of `stop_gradient`, or what only decides, such that it only reads what is active.
    pub(super) fn only_reading(&mut self, e: &syn::Expr, changes: &str) -> syn::Expr {
        let mut changed = Changed::default();
        changed.visit_expr(e);
        // Of places it is looked at later whether what is in them depends on a parameter.
        let of_value = |name: &String| {
            let value = matches!(
                self.env.get(name),
                Some(Binding::Value(_) | Binding::Tuple(_) | Binding::Unset)
            );
            value && self.facts.is_changeable(name)
        };
        if changed.certain.iter().any(of_value) {
            self.errors.error(e, changes);
        }
        let mut e = e.clone();
        OnlyRead { facts: &self.facts }.beside(&mut e);
        e
    }
}
