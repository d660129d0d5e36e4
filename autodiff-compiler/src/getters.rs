//! Functions that lend part of what they are given, `fn q(&self) -> &[f64] { &self.q }`, as derivatives have them: returning a copy of it.
//!
//! A reference out of a call cannot be followed, and what it refers to may have changed when the reverse sweep comes by.

use rustc_hash::FxHashMap;

use proc_macro2::{Ident, Span};
use syn::{Expr, Stmt};

use crate::analysis::Activity;
use crate::function::Uses;
use crate::ir::{Arg, Func, Kind, Op, Place, Value};
use crate::rules;
use crate::std_methods;
use crate::types;
use crate::visit_mut::{self, VisitMut};

/// Makes such a function one that returns a copy, and says whether it was one.
pub(crate) fn return_copy(sig: &mut syn::Signature, block: &mut syn::Block) -> bool {
    let Some(lent) = lent(sig) else {
        return false;
    };
    let (owned, copy): (syn::Type, fn(&Expr) -> Expr) = match lent {
        syn::Type::Slice(s) => {
            let elem = &s.elem;
            (
                syn::parse_quote!(rt::Vec<#elem>),
                |e| syn::parse_quote!((#e).to_vec()),
            )
        }
        syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => return false,
        ty => (ty.clone(), |e| syn::parse_quote!((#e).clone())),
    };
    if let syn::ReturnType::Type(_, ty) = &mut sig.output {
        **ty = owned;
    }
    let mut copied = Copied(copy);
    copied.visit_block_mut(block);
    copied.last(block);
    true
}

/// Lends what a method of the user's own gives a variable that is declared a reference, `let q: &[f64] = s.q();`: in derivatives that is a copy.
pub(crate) fn lend_copies(body: &mut syn::Block) {
    struct Lend;
    impl VisitMut for Lend {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_local_mut(&mut self, local: &mut syn::Local) {
            visit_mut::visit_local_mut(self, local);
            let declared = match &local.pat {
                syn::Pat::Type(p) => {
                    matches!(types::strip_groups(&p.ty), syn::Type::Reference(r) if r.mutability.is_none())
                }
                _ => false,
            };
            let Some(init) = local.init.as_mut().filter(|_| declared) else {
                return;
            };
            if matches!(&*init.expr, Expr::MethodCall(m) if is_own(&m.method)) {
                let call = &init.expr;
                *init.expr = syn::parse_quote!(&#call);
            }
        }
    }
    Lend.visit_block_mut(body);
}

/// The methods whose results functions are given by value: those who ask for a reference have an error there, if it was one.
pub(crate) fn passed_on(func: &Func, activity: &Activity) -> Vec<Ident> {
    let mut results = Results::default();
    for op in &func.body.ops {
        op.walk(&mut |op| results.read(op, activity));
    }
    results.passed_on
}

/// What methods return, and where it goes.
#[derive(Default)]
struct Results<'a> {
    values: FxHashMap<Value, &'a Ident>,
    places: FxHashMap<Place, &'a Ident>,
    passed_on: Vec<Ident>,
}

impl<'a> Results<'a> {
    fn read(&mut self, op: &'a Op, activity: &Activity) {
        let method = match &op.kind {
            Kind::Call(call) => {
                let by_value = call.args[..call.passed].iter().filter_map(|arg| match arg {
                    Arg::Value(v) if activity.value(*v) => self.values.get(v),
                    _ => None,
                });
                self.passed_on
                    .extend(by_value.map(|&method| method.clone()));
                // What `into` returns is for rustc to infer from what asks for it.
                call.member.as_ref().filter(|m| call.receiver && is_own(m))
            }
            Kind::New(place) => {
                let method = op.args.first().and_then(|v| self.values.get(v));
                self.places.extend(method.map(|&method| (*place, method)));
                None
            }
            Kind::Load(path) if path.steps.is_empty() => self.places.get(&path.root).copied(),
            _ => None,
        };
        if let (Some(method), [y]) = (method, &op.results[..]) {
            self.values.insert(*y, method);
        }
    }
}

/// Code that asks rustc of such methods whether they return references, of others whether they are those of lists, and is the same otherwise.
pub(crate) fn asking(block: &syn::Block, uses: &Uses) -> syn::Block {
    let mut block = block.clone();
    Ask(uses).visit_block_mut(&mut block);
    block
}

struct Ask<'a>(&'a Uses);

impl VisitMut for Ask<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = &*e else { return };
        let place = |name: &Ident| format!("{:?}", name.span());
        let is_among = |all: &[Ident]| all.iter().any(|name| place(name) == place(&m.method));
        // rustc shows it there, and finds `rt` where the macro has it.
        let span = Span::call_site().located_at(m.method.span());
        if is_among(&self.0.passed_on) {
            *e = syn::parse_quote_spanned!(span=> rt::Returned(#m).passed_on());
        } else if is_among(&self.0.of_lists) {
            let of = &m.receiver;
            *e = syn::parse_quote_spanned!(span=> { rt::a_list(&#of); #m });
        }
    }
}

fn is_own(method: &Ident) -> bool {
    let name = method.to_string();
    rules::by_method(&name).is_none() && !std_methods::is_standard(&name)
}

/// What a function returns a shared reference to.
fn lent(sig: &syn::Signature) -> Option<&syn::Type> {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return None;
    };
    match types::strip_groups(ty) {
        ty if types::is_constant_of_program(ty) => None,
        syn::Type::Reference(r) if r.mutability.is_none() => Some(types::strip_groups(&r.elem)),
        _ => None,
    }
}

/// Copies what is returned, with the method for it.
struct Copied(fn(&Expr) -> Expr);

impl Copied {
    fn last(&mut self, block: &mut syn::Block) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.copy(last);
        }
    }

    fn copy(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(e) => self.copy(&mut e.expr),
            Expr::Group(e) => self.copy(&mut e.expr),
            Expr::Reference(r) if r.mutability.is_none() => *e = (self.0)(&r.expr),
            Expr::Block(e) if e.label.is_none() => self.last(&mut e.block),
            Expr::Unsafe(e) => self.last(&mut e.block),
            Expr::If(e) => {
                self.last(&mut e.then_branch);
                if let Some((_, other)) = &mut e.else_branch {
                    self.copy(other);
                }
            }
            Expr::Match(e) => e.arms.iter_mut().for_each(|arm| self.copy(&mut arm.body)),
            Expr::Return(_) | Expr::Macro(_) => {}
            _ => *e = (self.0)(e),
        }
    }
}

impl VisitMut for Copied {
    fn visit_expr_return_mut(&mut self, e: &mut syn::ExprReturn) {
        visit_mut::visit_expr_return_mut(self, e);
        if let Some(e) = &mut e.expr {
            self.copy(e);
        }
    }

    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
