//! Functions of a type that are called by a path with the type in brackets.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use super::call::FLOATS;
use super::{Lower, Tree};
use crate::features::features;
use crate::forms::CALLED;
use crate::function::GradFn;
use crate::ir::{Ty, Width};
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// Functions of `num_traits` that are methods of floats.
const METHODS: &[(&str, usize)] = &[("abs", 1), ("signum", 1)];

/// Writes `<Point>::norm(p)` as `Point::norm(p)`, and functions of other crates as what they are: `num_traits::abs(x)` as `x.abs()`.
pub(super) fn plain(body: &mut syn::Block) {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
            visit_mut::visit_expr_path_mut(self, e);
            let Some(qself) = e.qself.as_ref().filter(|q| q.position == 0) else {
                return;
            };
            let syn::Type::Path(of) = types::strip_groups(&qself.ty) else {
                return;
            };
            if of.qself.is_some() {
                return;
            }
            let mut path = of.path.clone();
            for segment in &mut path.segments {
                if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
                    args.colon2_token.get_or_insert_default();
                }
            }
            path.segments.extend(e.path.segments.clone());
            (e.qself, e.path) = (None, path);
        }

        fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
            visit_mut::visit_expr_mut(self, e);
            let syn::Expr::Call(call) = e else { return };
            let syn::Expr::Path(p) = &*call.func else {
                return;
            };
            let segments: Vec<_> = p.path.segments.iter().map(|s| &s.ident).collect();
            let [of, name] = segments[..] else { return };
            let is_method =
                |(known, count): &(&str, usize)| name == known && call.args.len() == *count;
            let args: Vec<&syn::Expr> = call.args.iter().collect();
            if p.qself.is_some() {
                return;
            }
            if of == "num_traits" && METHODS.iter().any(is_method) {
                let (first, others) = (args[0], &args[1..]);
                *e = syn::parse_quote!((#first).#name(#(#others),*));
            } else if let (true, [x, low, high]) = (name == "clamp", &args[..]) {
                // It takes whatever has an order, which need not be a float.
                if let Some(clamped) = clamped(of) {
                    *e = syn::parse_quote!({
                        let (__x, __low, __high) = (#x, #low, #high);
                        #clamped
                    });
                }
            }
        }

        fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
            Bound.visit_pat_mut(&mut arm.pat);
            visit_mut::visit_arm_mut(self, arm);
        }

        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
    }
    Plain.visit_block_mut(body);
    Capitals.visit_block_mut(body);
}

/// Names of variables may begin with a capital, `Some(K) => K * x`; of constants in patterns, which are not followed, the names are seldom values behind the pattern as well.
struct Capitals;

impl VisitMut for Capitals {
    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        visit_mut::visit_arm_mut(self, arm);
        let mut values = Values::default();
        values.visit_expr(&arm.body);
        values.visit_pat_mut(&mut arm.pat);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let (cond, body) = match e {
            syn::Expr::If(e) => (&mut *e.cond, &e.then_branch),
            syn::Expr::While(e) => (&mut *e.cond, &e.body),
            _ => return,
        };
        let mut values = Values::default();
        values.visit_block(body);
        values.name_in_condition(cond);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        let mut values = Values::default();
        for stmt in block.stmts.iter_mut().rev() {
            match stmt {
                syn::Stmt::Local(syn::Local {
                    pat,
                    init: Some(init),
                    ..
                }) if init.diverge.is_some() => values.visit_pat_mut(pat),
                _ => {}
            }
            values.visit_stmt(stmt);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// The names that are values where the variables of a pattern are.
#[derive(Default)]
struct Values(BTreeSet<String>);

impl Values {
    /// In the patterns of `let P = a && let Q = b`.
    fn name_in_condition(&mut self, cond: &mut syn::Expr) {
        match cond {
            syn::Expr::Let(e) => self.visit_pat_mut(&mut e.pat),
            syn::Expr::Binary(e) => {
                self.visit_expr(&e.right);
                self.name_in_condition(&mut e.left);
                self.name_in_condition(&mut e.right);
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Values {
    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        self.0.extend(e.path.get_ident().map(ToString::to_string));
    }
}

/// `Some(K)`  ⇒  `Some(K @ _)`: rustc says if a constant is named so.
impl VisitMut for Values {
    fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
        visit_mut::visit_pat_mut(self, pat);
        let syn::Pat::TupleStruct(p) = pat else {
            return;
        };
        for part in &mut p.elems {
            let syn::Pat::Ident(bound) = &*part else {
                continue;
            };
            let name = bound.ident.to_string();
            let variable = name.len() == 1 || name.contains(|c: char| c.is_lowercase());
            if crate::syntax::is_constant(bound) && variable && self.0.contains(&name) {
                *part = syn::parse_quote!(#bound @ _);
            }
        }
    }
}

/// What `clamp` of a crate does, `__x` between `__low` and `__high`; rustc is asked whether it is that crate's.
fn clamped(of: &Ident) -> Option<TokenStream> {
    if of == "num_traits" {
        return Some(quote! {
            let _ = rt::Same { one: ::#of::clamp::<u8>, other: #of::clamp::<u8> };
            debug_assert!(__low <= __high, "min must be less than or equal to max");
            if __x < __low { __low } else if __x > __high { __high } else { __x }
        });
    }
    let named = of == "nalgebra" || of == "na";
    (named && features().nalgebra).then(|| {
        quote! {
            let _ = rt::Same { one: rt::linalg::nalgebra::clamp::<u8>, other: #of::clamp::<u8> };
            if __x > __low { if __x < __high { __x } else { __high } } else { __low }
        }
    })
}

/// `Morse { D } => …`  ⇒  `Morse { D: D @ _ } => …`: no constant is named so, and rustc says if one is.
struct Bound;

impl VisitMut for Bound {
    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        if let (None, syn::Pat::Ident(p)) = (field.colon_token, &*field.pat) {
            if crate::syntax::is_constant(p) {
                let name = &p.ident;
                *field.pat = syn::parse_quote!(#name @ _);
                field.colon_token = Some(<syn::Token![:]>::default());
            }
        }
        visit_mut::visit_field_pat_mut(self, field);
    }
}

/// The names of types in a function that are floats by another name, `type Real = f64`.
///
/// Those are called like the traits of floats, and stand where only types do; or numbers are cast to them, or a literal is said to be of them.
/// Any other name may be that of a type of the user's own, with functions of its own.
pub(super) fn aliases(function: &GradFn) -> BTreeSet<String> {
    #[derive(Default)]
    struct Written {
        types: BTreeSet<String>,
        floats: BTreeSet<String>,
    }
    impl Written {
        fn is_float(&mut self, ty: &syn::Type) {
            if let syn::Type::Path(p) = types::strip_groups(ty) {
                let last = p.path.segments.last();
                self.floats.extend(last.map(|s| s.ident.to_string()));
            }
        }
    }
    impl<'ast> Visit<'ast> for Written {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
            let last = ty.path.segments.last();
            self.types.extend(last.map(|s| s.ident.to_string()));
            visit::visit_type_path(self, ty);
        }

        fn visit_local(&mut self, local: &'ast syn::Local) {
            if let (syn::Pat::Type(p), Some(init)) = (&local.pat, &local.init) {
                if is_literal(&init.expr) {
                    self.is_float(&p.ty);
                }
            }
            visit::visit_local(self, local);
        }

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::ExprCast(e) => {
                    self.is_float(&e.ty);
                    Other::ExprCast(e).walk(self);
                }
                other => other.walk(self),
            }
        }
    }
    fn is_literal(e: &syn::Expr) -> bool {
        matches!(e, syn::Expr::Lit(l) if matches!(l.lit, syn::Lit::Float(_)))
    }
    let mut written = Written::default();
    let sig = &function.item.sig;
    sig.inputs
        .iter()
        .for_each(|input| written.visit_fn_arg(input));
    written.visit_return_type(&sig.output);
    written.visit_block(&function.body);
    let Written { types, floats } = written;
    types
        .into_iter()
        .filter(|name| floats.contains(name) || FLOATS.contains(&name.as_str()))
        .collect()
}

/// What stands beside the siblings of a function of a trait: that they are those of this trait.
///
/// The type may have a function of that name as well, which has siblings.
pub(crate) fn of_trait(of: &Ident, function: &Ident) -> Ident {
    let [of, name] = [of, function].map(|name| name.to_string().replace("r#", ""));
    format_ident!("__put_grad_on_the_impl_of_{of}__{name}")
}

/// Traits of the standard library whose functions have no derivatives of their own, or other ones.
const STANDARD: &[&str] = &[
    "Clone",
    "Into",
    "IntoIterator",
    "Iterator",
    "Product",
    "Sum",
];

impl Lower<'_> {
    /// Makes rustc check that a trait has `#[grad]`.
    fn check_followed(&mut self, of_trait: &TokenStream, span: Span) {
        let called = Ident::new(CALLED, span);
        self.verbatim_statement(&syn::parse_quote!({ let _ = #of_trait::#called; }));
    }

    /// The type in `<Point as Shape>::area(p)`: the siblings of the function are functions of it.
    pub(super) fn through_trait(
        &mut self,
        func: &syn::ExprPath,
    ) -> Result<Option<TokenStream>, Tree> {
        let Some(qself) = &func.qself else {
            let segments: Vec<&Ident> = func.path.segments.iter().map(|s| &s.ident).collect();
            let [of, name] = segments[..] else {
                return Ok(None);
            };
            if !self.is_numeric(&of.to_string()) {
                return Ok(None);
            }
            let [of_trait] = &self.traits[&of.to_string()][..] else {
                return Err(self.refuse(name, format_args!("`{of}::{name}` has no derivative rule; of a trait with #[grad] write `<{of} as Trait>::{name}(…)`, otherwise use another function, or `autodiff::stop_gradient`")));
            };
            let of_trait = quote!(<#of as #of_trait>);
            self.check_followed(&of_trait, name.span());
            return Ok(Some(quote!(<#of>)));
        };
        let (ty, segments) = (&qself.ty, &func.path.segments);
        let of = qself.position.checked_sub(1).map(|k| &segments[k].ident);
        let of = of.filter(|of| STANDARD.iter().all(|name| of != name));
        let own = match types::strip_groups(ty) {
            syn::Type::Path(p) if p.qself.is_none() && types::read(ty).is_user() => {
                let first = p.path.segments.first().map(|s| s.ident.to_string());
                !first.is_some_and(|name| self.facts.is_generic(&name))
            }
            _ => false,
        };
        let held = |name: &Ident| {
            types::read(ty).is_user() && types::mentions(&ty.to_token_stream(), name)
        };
        let numeric = matches!(types::strip_groups(ty), syn::Type::Path(p) if p.path.get_ident().is_some_and(|name| self.is_numeric(&name.to_string())));
        let through = || {
            let mut of = func.path.clone();
            of.segments = segments.iter().take(qself.position).cloned().collect();
            of.segments.pop_punct();
            quote!(<#ty as #of>)
        };
        match (of, segments.last()) {
            // A parameter has what the trait says, and nothing else of the name.
            (Some(_), Some(_)) if self.held.iter().any(held) => Ok(Some(quote!(<#ty>))),
            (Some(of), Some(_)) if numeric => {
                self.check_followed(&through(), of.span());
                Ok(Some(quote!(<#ty>)))
            }
            // A number may have functions of that name by other traits.
            (Some(_), Some(_)) if matches!(types::read(ty), Ty::Float(Width::F64 | Width::F32)) => {
                let of_trait = through();
                self.check_followed(&of_trait, segments[qself.position].ident.span());
                Ok(Some(of_trait))
            }
            // The traits of conversions have other forms than types.
            (Some(of), Some(_)) if own && of == "From" => Ok(Some(quote!(<#ty>))),
            (Some(of), Some(last)) if own => {
                let span = last.ident.span();
                let mut mark = of_trait(of, &last.ident);
                mark.set_span(span);
                let of_type = quote_spanned!(span=> <#ty>);
                self.verbatim_statement(&syn::parse_quote!({ let () = #of_type::#mark; }));
                Ok(Some(of_type))
            }
            _ => Err(self.refuse(ty, "a call through a trait cannot be followed yet; call a #[grad] function by its path")),
        }
    }
}
