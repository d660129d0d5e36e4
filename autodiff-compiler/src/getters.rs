//! Functions that lend part of what they are given, `fn q(&self) -> &[f64] { &self.q }`, as derivatives have them: returning a copy of it.
//!
//! A reference out of a call cannot be followed, and what it refers to may have changed when the reverse sweep comes by.

use rustc_hash::FxHashMap;

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, Stmt};

use crate::analysis::Activity;
use crate::function::{GradFn, PassedOn, Uses};
use crate::ir::{Arg, Func, Kind, Op, Param, Part, Path, Place, Step, Ty, Value};
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

/// What a function passes on by value.
pub(crate) fn passed_on(function: &GradFn, func: &Func, activity: &Activity) -> PassedOn {
    let hiding = function.params.iter().zip(&func.params);
    let hiding = hiding.filter_map(|(info, param)| match param {
        Param::Place(place) if function.may_hide_lifetime(info) => Some(*place),
        _ => None,
    });
    let mut results = Results {
        hiding: hiding.collect(),
        ..Results::default()
    };
    for op in &func.body.ops {
        op.walk(&mut |op| results.read(op, func, activity));
    }
    results.passed_on
}

/// What methods return, and where it goes.
#[derive(Default)]
struct Results<'a> {
    values: FxHashMap<Value, &'a Ident>,
    places: FxHashMap<Place, &'a Ident>,
    /// Parameters whose types may hide a lifetime.
    hiding: Vec<Place>,
    /// What fields of these are loaded.
    fields: FxHashMap<Value, String>,
    passed_on: PassedOn,
}

impl<'a> Results<'a> {
    fn read(&mut self, op: &'a Op, func: &Func, activity: &Activity) {
        if let (Kind::Load(path), [y]) = (&op.kind, &op.results[..]) {
            if self.hiding.contains(&path.root) && matches!(func.ty(*y), Ty::Unknown | Ty::User) {
                self.fields
                    .extend(written(func, path).map(|field| (*y, field)));
            }
        }
        let method = match &op.kind {
            Kind::Call(call) => {
                for arg in &call.args[..call.passed] {
                    let Arg::Value(v) = arg else { continue };
                    let method = self.values.get(v).filter(|_| activity.value(*v));
                    let method = method.map(|&method| method.clone());
                    self.passed_on.methods.extend(method);
                    self.passed_on.fields.extend(self.fields.get(v).cloned());
                }
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

/// A field as it is written, behind those that it is in.
fn written(func: &Func, path: &Path) -> Option<String> {
    let fields = path.steps.iter().map(|step| match step {
        Step::Field(Part::Named(name)) => Some(name.to_string()),
        _ => None,
    });
    let fields: Vec<String> = fields.collect::<Option<_>>()?;
    (!fields.is_empty()).then(|| format!("{}.{}", func.at(path.root).hint, fields.join(".")))
}

/// Code that asks rustc of what is passed on whether it is a reference, of methods named like those of lists whether they are those, and is the same otherwise.
pub(crate) fn asking(block: &syn::Block, uses: &Uses) -> syn::Block {
    let mut block = block.clone();
    Ask(uses).visit_block_mut(&mut block);
    block
}

struct Ask<'a>(&'a Uses);

impl Ask<'_> {
    fn fields<'e>(&self, args: impl Iterator<Item = &'e mut Expr>) {
        for arg in args.filter(|arg| matches!(arg, Expr::Field(_))) {
            let written = arg.to_token_stream().to_string().replace(' ', "");
            if self.0.passed_on.fields.contains(&written) {
                let span = Span::call_site().located_at(arg.span());
                *arg = syn::parse_quote_spanned!(span=> rt::Returned(#arg).of_field());
            }
        }
    }
}

impl VisitMut for Ask<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        match e {
            Expr::Call(call) => self.fields(call.args.iter_mut()),
            Expr::MethodCall(m) => {
                self.fields(m.args.iter_mut());
                let place = |name: &Ident| format!("{:?}", name.span());
                let is_among =
                    |all: &[Ident]| all.iter().any(|name| place(name) == place(&m.method));
                // rustc shows it there, and finds `rt` where the macro has it.
                let span = Span::call_site().located_at(m.method.span());
                if is_among(&self.0.passed_on.methods) {
                    *e = syn::parse_quote_spanned!(span=> rt::Returned(#m).passed_on());
                } else if is_among(&self.0.of_lists) {
                    let of = &m.receiver;
                    *e = syn::parse_quote_spanned!(span=> { rt::a_list(&#of); #m });
                }
            }
            _ => {}
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
