//! Numbers in another form: text and bits that are made of what is active.
//!
//! They are constants as long as they only decide. What makes a number of them again would lose the derivative, and is refused;
//! what the macro does not know is checked by rustc to make none.

use rustc_hash::FxHashMap;

use proc_macro2::{Ident, Span};
use quote::ToTokens;

use super::{Facts, idents, root};
use crate::errors::Errors;
use crate::marks::{is_decided, is_stop_gradient};
use crate::own_names;
use crate::std_methods::codes_by_name;
use crate::syntax::{is_comparison, is_compound, is_logical, peel};
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// The form that a number is in.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Bits,
}

impl Form {
    /// What is refused: the function that made it, and that which makes a number of it again.
    fn refusal(self, made: &Ident, again: &str) -> String {
        match self {
            Form::Text => format!(
                "`{made}` of an active float: the derivative is lost where `{again}` reads the number again; keep the number, or write `autodiff::stop_gradient`"
            ),
            Form::Bits => format!(
                "bit manipulation of an active float, `{made}`: the derivative is lost where `{again}` makes a number again; use arithmetic, or `autodiff::stop_gradient`"
            ),
        }
    }
}

/// Functions that make a number of bits or text.
const DECODING: &[(&str, Form)] = &[
    ("from_be_bytes", Form::Bits),
    ("from_bits", Form::Bits),
    ("from_le_bytes", Form::Bits),
    ("from_ne_bytes", Form::Bits),
    ("from_str", Form::Text),
    ("from_str_radix", Form::Text),
];

/// Refuses what makes a number again of text or bits that are made of a number with a derivative.
pub(crate) fn coded(body: &mut syn::Block, facts: &Facts, errors: &mut Errors) {
    if !may_code(body) {
        return;
    }
    let known = Holds {
        facts,
        coded: FxHashMap::default(),
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
    fn bind(&mut self, pat: &syn::Pat, made: &Ident) {
        struct Names<'a, 'b, 'c>(&'a mut Flow<'b>, &'c Ident);
        impl<'ast> Visit<'ast> for Names<'_, '_, '_> {
            fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
                self.0.learn(Some(p.ident.to_string()), self.1);
                visit::visit_pat_ident(self, p);
            }
        }
        Names(self, made).visit_pat(pat);
    }

    fn learn(&mut self, name: Option<String>, made: &Ident) {
        if let Some(name) = name {
            if !self.known.coded.contains_key(&name) {
                self.more = true;
                self.known.coded.insert(name, made.clone());
            }
        }
    }

    /// The function or macro of the user's own that makes text, or an integer with as many bits as a float, of something active.
    fn made(&self, pat: &syn::Pat, e: &syn::Expr) -> Option<Ident> {
        let syn::Pat::Type(typed) = pat else {
            return None;
        };
        let named = |name| types::last(types::strip(&typed.ty)).is_some_and(|s| s.ident == name);
        let made = ["String", "str", "u32", "u64"].into_iter().any(named);
        let of = |path: &syn::Path| path.segments.last().map(|s| s.ident.clone());
        let by = match peel(e) {
            syn::Expr::Call(c) if !is_stop_gradient(&c.func) => match peel(&c.func) {
                syn::Expr::Path(p) => of(&p.path),
                func => Some(Ident::new("call", syn::spanned::Spanned::span(func))),
            },
            syn::Expr::Macro(m) => of(&m.mac.path),
            syn::Expr::MethodCall(m) if own_names::is_foreign(&m.method.to_string()) => {
                Some(m.method.clone())
            }
            _ => None,
        };
        by.filter(|_| made && self.known.facts.mentions_active(e))
    }

    /// What a call is lent to be changed may hold what it is given.
    fn lent<'e>(&mut self, args: impl Iterator<Item = &'e syn::Expr> + Clone) {
        if let Some(made) = args.clone().find_map(|arg| self.known.of(arg)) {
            for arg in args.filter(|arg| self.known.facts.lends(arg)) {
                self.learn(root(arg), &made);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Flow<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        visit::visit_local(self, local);
        let Some(init) = &local.init else { return };
        let known = self.known.of(&init.expr);
        if let Some(made) = known.or_else(|| self.made(&local.pat, &init.expr)) {
            self.bind(&local.pat, &made);
        }
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        visit::visit_expr_let(self, e);
        if let Some(made) = self.known.of(&e.expr) {
            self.bind(&e.pat, &made);
        }
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        visit::visit_expr_match(self, e);
        if let Some(made) = self.known.of(&e.expr) {
            e.arms.iter().for_each(|arm| self.bind(&arm.pat, &made));
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        if let Some(made) = self.known.of(&e.expr) {
            self.bind(&e.pat, &made);
        }
        visit::visit_expr_for_loop(self, e);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        visit::visit_expr_assign(self, e);
        if let Some(made) = self.known.of(&e.right) {
            self.learn(root(&e.left), &made);
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        visit::visit_expr_binary(self, e);
        if let Some(made) = self.known.of(&e.right).filter(|_| is_compound(&e.op)) {
            self.learn(root(&e.left), &made);
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
                if let Some(made) = &of {
                    closure
                        .inputs
                        .iter()
                        .for_each(|input| self.bind(input, made));
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
        let given = e.args.iter().find_map(|arg| self.known.of(arg));
        if let (Some(_), Some(made)) = (&receiver, given) {
            self.learn(receiver, &made);
        }
        self.lent(e.args.iter());
    }
}

/// The variables that may hold a number in another form, and what made it.
struct Holds<'a> {
    facts: &'a Facts,
    coded: FxHashMap<String, Ident>,
}

impl Holds<'_> {
    /// What made the number in another form that an expression may hold.
    fn of(&self, e: &syn::Expr) -> Option<Ident> {
        let mut find = Find {
            facts: self.facts,
            coded: &self.coded,
            found: None,
        };
        find.visit_expr(e);
        find.found
    }
}

/// Finds what may hold a number in another form in the value of an expression.
struct Find<'a> {
    facts: &'a Facts,
    coded: &'a FxHashMap<String, Ident>,
    found: Option<Ident>,
}

impl Find<'_> {
    fn find(&mut self, made: Option<&Ident>) {
        self.found = self.found.take().or_else(|| made.cloned());
    }
}

impl<'ast> Visit<'ast> for Find<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        let name = e.path.get_ident().map(ToString::to_string);
        self.find(name.and_then(|name| self.coded.get(&name)));
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        if !is_comparison(&e.op) && !is_logical(&e.op) {
            visit::visit_expr_binary(self, e);
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
        if self.facts.codes(m) && self.facts.mentions_active(&m.receiver) {
            self.find(Some(&m.method));
        }
        visit::visit_expr_method_call(self, m);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let format = mac.path.get_ident().filter(|name| *name == "format");
        self.find(format.filter(|_| self.facts.tokens_mention_active(mac.tokens.clone())));
        idents(mac.tokens.clone(), &mut |name| {
            self.find(self.coded.get(&name));
        });
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ExprIf(e) => {
                self.visit_block(&e.then_branch);
                if let Some((_, other)) = &e.else_branch {
                    self.visit_expr(other);
                }
            }
            other => other.walk(self),
        }
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
        .is_some_and(|name| name.starts_with(char::is_uppercase) && !types::is_function_name(name));
    !standard && !made && !is_stop_gradient(&e.func) && crate::macros::vec_macro(e).is_none()
}

impl Refuse<'_> {
    /// Such a thing, or an integer that is made of a number in any way.
    fn comes_from_active(&self, e: &syn::Expr) -> bool {
        self.holds.of(e).is_some() || self.holds.facts.mentions_active(e)
    }

    /// Whether a function or method of the user's own is given such a thing.
    fn is_given(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Call(c) => {
                is_unknown(c) && c.args.iter().any(|arg| self.holds.of(arg).is_some())
            }
            syn::Expr::MethodCall(m) => {
                let mut all = m.args.iter().chain([&*m.receiver]);
                !self.holds.facts.knows(m) && all.any(|e| self.holds.of(e).is_some())
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
            syn::Expr::MethodCall(m) if m.method == "parse" => {
                if let Some(made) = self.holds.of(&m.receiver) {
                    self.errors.error(&made, Form::Text.refusal(&made, "parse"));
                    return;
                }
            }
            syn::Expr::Cast(c) if !types::read(&c.ty).is_inert() => {
                if let Some(made) = self.holds.of(&c.expr) {
                    self.errors.error(&made, Form::Bits.refusal(&made, "as"));
                    return;
                }
            }
            syn::Expr::Call(c) if c.args.iter().any(|arg| self.comes_from_active(arg)) => {
                if let syn::Expr::Path(p) = peel(&c.func) {
                    let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
                    let (last, of) = (names.next(), names.next());
                    let known = |name: &Ident| DECODING.iter().find(|(known, _)| name == known);
                    let float = of.is_some_and(|of| of == "f64" || of == "f32");
                    let coded = c.args.iter().find_map(|arg| self.holds.of(arg));
                    let form = last
                        .and_then(known)
                        .filter(|_| float || coded.is_some())
                        .map(|(_, form)| *form);
                    let widened =
                        float && coded.is_some() && last.is_some_and(|name| name == "from");
                    let form = form.or(widened.then_some(Form::Bits));
                    if let (Some(name), Some(form)) = (last, form) {
                        // Where nothing is known of the bits, the cause is what makes a number of them.
                        let made = coded.as_ref().unwrap_or(name);
                        self.errors
                            .error(made, form.refusal(made, &name.to_string()));
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
