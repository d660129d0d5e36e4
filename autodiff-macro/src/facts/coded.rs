//! Numbers in another form: text and bits that are made of what is active.
//!
//! They are constants as long as they only decide. What makes a number of them again would lose the derivative, and is refused;
//! what the macro does not know is checked by rustc to make none.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use super::decides::codes_by_name;
use super::{
    Facts, idents, is_comparison, is_compound, is_decided, is_logical, is_stop_gradient, peel, root,
};
use crate::errors::Errors;
use crate::{own_names, types};

const TEXT: &str = "this number is read from text that is made of an active float: the derivative is lost; keep the number, or write `autodiff::stop_gradient`";

const BITS: &str = "bit manipulation of an active float: the derivative is lost; use arithmetic, or `autodiff::stop_gradient`";

/// Functions that make a number of bits or text.
const DECODING: &[(&str, &str)] = &[
    ("from_be_bytes", BITS),
    ("from_bits", BITS),
    ("from_le_bytes", BITS),
    ("from_ne_bytes", BITS),
    ("from_str", TEXT),
    ("from_str_radix", TEXT),
];

/// Refuses what makes a number again of text or bits that are made of a number with a derivative.
pub(crate) fn coded(body: &mut syn::Block, facts: &Facts, errors: &mut Errors) {
    if !may_code(body) {
        return;
    }
    let known = Holds {
        facts,
        coded: HashSet::new(),
    };
    let mut flow = Flow { known, more: true };
    while flow.more {
        flow.more = false;
        flow.visit_block(body);
    }
    let holds = flow.known;
    Refuse { holds, errors }.visit_block_mut(body);
}

/// Whether a body names what makes text or bits, or numbers of them; most do not.
fn may_code(body: &syn::Block) -> bool {
    let types = ["String", "format", "str", "u32", "u64"];
    let mut found = false;
    idents(body.to_token_stream(), &mut |name| {
        found |= types.contains(&name.as_str())
            || codes_by_name(&name)
            || DECODING.iter().any(|(known, _)| name == *known);
    });
    found
}

/// Follows numbers in another form from variable to variable.
struct Flow<'a> {
    known: Holds<'a>,
    more: bool,
}

impl Flow<'_> {
    fn bind(&mut self, pat: &syn::Pat) {
        struct Names<'a, 'b>(&'a mut Flow<'b>);
        impl<'ast> Visit<'ast> for Names<'_, '_> {
            fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
                self.0.learn(Some(p.ident.to_string()));
                visit::visit_pat_ident(self, p);
            }
        }
        Names(self).visit_pat(pat);
    }

    fn learn(&mut self, name: Option<String>) {
        if let Some(name) = name {
            self.more |= self.known.coded.insert(name);
        }
    }

    /// Whether the user's own code makes text, or an integer with as many bits as a float, of something active.
    fn is_made(&self, pat: &syn::Pat, e: &syn::Expr) -> bool {
        let syn::Pat::Type(typed) = pat else {
            return false;
        };
        let named = |name| types::last(types::strip(&typed.ty)).is_some_and(|s| s.ident == name);
        let made = ["String", "str", "u32", "u64"].into_iter().any(named);
        let by = match peel(e) {
            syn::Expr::Call(c) => !is_stop_gradient(&c.func),
            syn::Expr::Macro(_) => true,
            syn::Expr::MethodCall(m) => own_names::is_foreign(&m.method.to_string()),
            _ => false,
        };
        made && by && self.known.facts.mentions_active(e)
    }

    /// What a call is lent to be changed may hold what it is given.
    fn lent<'e>(&mut self, args: impl Iterator<Item = &'e syn::Expr> + Clone) {
        if args.clone().any(|arg| self.known.of(arg)) {
            for arg in args.filter(|arg| self.known.facts.lends(arg)) {
                self.learn(root(arg));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Flow<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        let Some(init) = &local.init else { return };
        if self.known.of(&init.expr) || self.is_made(&local.pat, &init.expr) {
            self.bind(&local.pat);
        }
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        if self.known.of(&e.expr) {
            self.bind(&e.pat);
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        visit::visit_expr_match(self, e);
        if self.known.of(&e.expr) {
            e.arms.iter().for_each(|arm| self.bind(&arm.pat));
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        if self.known.of(&e.expr) {
            self.bind(&e.pat);
        }
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        if self.known.of(&e.right) {
            self.learn(root(&e.left));
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if is_compound(&e.op) && self.known.of(&e.right) {
            self.learn(root(&e.left));
        }
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        self.lent(e.args.iter());
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let of = self.known.of(&e.receiver);
        for arg in &e.args {
            if let syn::Expr::Closure(closure) = peel(arg) {
                if of {
                    closure.inputs.iter().for_each(|input| self.bind(input));
                }
            }
        }
        visit::visit_expr_method_call(self, e);
        let stores = |name: &String| {
            self.known
                .facts
                .get(name)
                .is_some_and(|v| v.mutable || v.exclusive)
        };
        let receiver = root(&e.receiver).filter(stores);
        if receiver.is_some() && e.args.iter().any(|arg| self.known.of(arg)) {
            self.learn(receiver);
        }
        self.lent(e.args.iter());
    }
}

/// The variables that may hold a number in another form.
struct Holds<'a> {
    facts: &'a Facts,
    coded: HashSet<String>,
}

impl Holds<'_> {
    fn of(&self, e: &syn::Expr) -> bool {
        Find {
            facts: self.facts,
            coded: &self.coded,
            found: false,
        }
        .of(e)
    }
}

/// Finds what may hold a number in another form in the value of an expression.
struct Find<'a> {
    facts: &'a Facts,
    coded: &'a HashSet<String>,
    found: bool,
}

impl Find<'_> {
    fn of(mut self, e: &syn::Expr) -> bool {
        self.visit_expr(e);
        self.found
    }
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let name = e.path.get_ident().map(ToString::to_string);
        self.found |= name.is_some_and(|name| self.coded.contains(&name));
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if !is_comparison(&e.op) && !is_logical(&e.op) {
            visit::visit_expr_binary(self, e);
        }
    }

    fn visit_expr_if(&mut self, e: &'ast syn::ExprIf) {
        self.visit_block(&e.then_branch);
        if let Some((_, other)) = &e.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        e.arms.iter().for_each(|arm| self.visit_expr(&arm.body));
    }

    fn visit_expr_index(&mut self, e: &'ast syn::ExprIndex) {
        self.visit_expr(&e.expr);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        if is_stop_gradient(&e.func) && !is_decided(&e.func) {
            return;
        }
        e.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if self.facts.forgets(m) {
            return;
        }
        self.found |= self.facts.codes(m) && self.facts.mentions_active(&m.receiver);
        visit::visit_expr_method_call(self, m);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let format = mac.path.is_ident("format");
        self.found |= format && self.facts.tokens_mention_active(mac.tokens.clone());
        idents(mac.tokens.clone(), &mut |name| {
            self.found |= self.coded.contains(&name);
        });
    }
}

/// Refuses what makes a number again.
struct Refuse<'a> {
    holds: Holds<'a>,
    errors: &'a mut Errors,
}

/// A function of the user's own that is given such a thing must make no number of it.
fn is_unknown(e: &syn::ExprCall) -> bool {
    let syn::Expr::Path(p) = peel(&e.func) else {
        return true;
    };
    let names: Vec<_> = p
        .path
        .segments
        .iter()
        .map(|s| s.ident.to_string())
        .collect();
    let own = names
        .iter()
        .any(|name| types::is_type_name(name) && !types::is_hiding(name));
    let standard = matches!(names[0].as_str(), "std" | "core" | "alloc" | "rt" | "mem")
        || names
            .iter()
            .any(|name| name.starts_with(char::is_uppercase))
            && !own;
    // What a constructor makes holds what it is given.
    let made = names
        .last()
        .is_some_and(|name| name.starts_with(char::is_uppercase));
    !standard && !made && !is_stop_gradient(&e.func) && super::vec_macro(e).is_none()
}

impl Refuse<'_> {
    /// Such a thing, or an integer that is made of a number in any way.
    fn comes_from_active(&self, e: &syn::Expr) -> bool {
        self.holds.of(e) || self.holds.facts.mentions_active(e)
    }

    /// Whether a function or method of the user's own is given such a thing.
    fn is_given(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Call(c) => is_unknown(c) && c.args.iter().any(|arg| self.holds.of(arg)),
            syn::Expr::MethodCall(m) => {
                let mut all = m.args.iter().chain([&*m.receiver]);
                !self.holds.facts.knows(m) && all.any(|e| self.holds.of(e))
            }
            _ => false,
        }
    }
}

impl VisitMut for Refuse<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Call(c) if is_stop_gradient(&c.func) && !is_decided(&c.func) => return,
            syn::Expr::MethodCall(m) if m.method == "parse" && self.holds.of(&m.receiver) => {
                self.errors.error(&m.method, TEXT);
                return;
            }
            syn::Expr::Cast(c) if !types::read(&c.ty).is_inert() && self.holds.of(&c.expr) => {
                self.errors.error(c.as_token, BITS);
                return;
            }
            syn::Expr::Call(c) if c.args.iter().any(|arg| self.comes_from_active(arg)) => {
                if let syn::Expr::Path(p) = peel(&c.func) {
                    let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
                    let (last, of) = (names.next(), names.next());
                    let known = |name: &Ident| DECODING.iter().find(|(known, _)| name == known);
                    let float = of.is_some_and(|of| of == "f64" || of == "f32");
                    let coded = c.args.iter().any(|arg| self.holds.of(arg));
                    let why = last.and_then(known).filter(|_| float || coded);
                    let widened = float && coded && last.is_some_and(|name| name == "from");
                    let why = why.map(|(_, why)| *why).or(widened.then_some(BITS));
                    if let (Some(name), Some(why)) = (last, why) {
                        self.errors.error(name, why);
                        return;
                    }
                }
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
        if self.is_given(e) && !self.holds.facts.active(e) {
            let span = Span::call_site().located_at(syn::spanned::Spanned::span(&*e));
            let inner = &*e;
            *e = syn::parse_quote_spanned!(span=> rt::decided(#inner));
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
        // What nobody looks at is no number.
        match stmt {
            syn::Stmt::Expr(syn::Expr::Call(c), Some(_)) => {
                c.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            }
            syn::Stmt::Expr(syn::Expr::MethodCall(m), Some(_)) => {
                visit_mut::visit_expr_method_call_mut(self, m);
            }
            stmt => visit_mut::visit_stmt_mut(self, stmt),
        }
    }
}
