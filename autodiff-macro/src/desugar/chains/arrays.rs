//! `[a, b].map(f)` and `core::array::from_fn(f)`.

use proc_macro2::{Ident, Span};
use syn::{Expr, Stmt, parse_quote};

use super::super::apply::{apply, flatten, unparen};
use super::super::{check_standard, make};
use super::Chains;
use crate::ir::Ty;
use crate::types;

/// Longer arrays are mapped in a loop.
const UNROLLED: usize = 4;

impl Chains<'_> {
    /// `array.map(f)`
    pub(super) fn array_map(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        if m.args.len() != 1 {
            return None;
        }
        let receiver = unparen(&m.receiver);
        let ty = self.facts.ty(receiver);
        let (elem, len) = match &ty {
            Ty::Array(elem, len) => (&**elem, len.as_ref()),
            // A field: whether it is an array, whose elements stay of one type, rustc sees.
            Ty::User if !matches!(receiver, Expr::MethodCall(m) if m.method == "as_ref") => {
                (&Ty::User, None)
            }
            _ => return None,
        };
        let mut before = Vec::new();
        let mut function = self.function(m.args.first(), 1, &mut before, &m.method)?;
        let length = len
            .and_then(|n| syn::parse2::<syn::LitInt>(n.clone()).ok())
            .and_then(|n| n.base10_parse::<usize>().ok());
        let source = self.names.fresh("source", m.method.span());
        let mut stmts = vec![make::variable(&source, receiver.clone())];
        stmts.extend(before);
        if let Some(n) = length.filter(|&n| n <= UNROLLED) {
            let mut mapped = Vec::new();
            for k in 0..n {
                let at = proc_macro2::Literal::usize_unsuffixed(k);
                let item = make::index(make::path(&source), parse_quote!(#at));
                let closure = self.copy(&mut function);
                let (body, value) = apply(closure, vec![item], self.names);
                let name = self.names.fresh("mapped", m.method.span());
                stmts.extend(body);
                stmts.push(make::variable(&name, value));
                mapped.push(make::path(&name));
            }
            return Some(make::block(stmts, Some(make::array(mapped))));
        }
        let mut inner = Vec::new();
        let value = flatten(function.body().clone(), &mut inner);
        let same = matches!(elem, Ty::User | Ty::Unknown)
            || matches!((elem, self.facts.ty(&value)), (Ty::Float(a), Ty::Float(b)) if *a == b || b == crate::ir::Width::Any);
        if !same {
            self.errors.error(&m.method, "`map` on this array may change the type of its elements; make the new array, and write its elements in a `for` loop");
            return None;
        }
        let out = self.names.fresh("out", m.method.span());
        let k = self.names.fresh("k", m.method.span());
        // The source may be a reference.
        let clone = Ident::new("clone", m.method.span());
        let copy = make::method(make::path(&source), clone, Vec::new());
        stmts.push(make::mutable(&out, None, copy));
        let closure = self.copy(&mut function);
        let item = make::index(make::path(&source), make::path(&k));
        let (mut body, value) = apply(closure, vec![item], self.names);
        let at = make::index(make::path(&out), make::path(&k));
        body.push(make::assign(at, value));
        let count = make::method(
            make::path(&source),
            Ident::new("len", m.method.span()),
            Vec::new(),
        );
        let over = make::range(Some(parse_quote!(0)), Some(count));
        let e = make::for_loop(None, make::ident(&k, false), over, body);
        stmts.push(Stmt::Expr(e, None));
        Some(make::block(stmts, Some(make::path(&out))))
    }

    /// `core::array::from_fn(f)`
    pub(super) fn array_from_fn(
        &mut self,
        c: &syn::ExprCall,
        ty: Option<&syn::Type>,
    ) -> Option<Expr> {
        let Expr::Path(p) = unparen(&c.func) else {
            return None;
        };
        let mut names = p.path.segments.iter().rev();
        let last = names.next().filter(|s| s.ident == "from_fn")?;
        if names.next().is_none_or(|s| s.ident != "array") || c.args.len() != 1 {
            return None;
        }
        let (elem, n) = from_fn_type(last, ty);
        let (Some(elem), Some(n)) = (elem, n) else {
            self.errors.error(
                &last.ident,
                "the type of this array cannot be seen; write it in a `let`: `let a: [f64; N] = …`",
            );
            return None;
        };
        let Some(zero) = super::ends::zero(&types::read(&elem)) else {
            self.errors.error(
                &elem,
                "an array of these cannot be made element by element yet; make it of floats",
            );
            return None;
        };
        let of_std = parse_quote!(fn(fn(usize) -> u8) -> [u8; 1]);
        let mut stmts = Vec::from_iter(check_standard(&p.path, &of_std));
        let mut function = self.function(c.args.first(), 1, &mut stmts, &last.ident)?;
        let (out, i) = (
            self.names.fresh("out", Span::call_site()),
            self.names.fresh("i", Span::call_site()),
        );
        let whole: syn::Type = parse_quote!([#elem; #n]);
        let zeros = Expr::Repeat(syn::ExprRepeat {
            attrs: Vec::new(),
            bracket_token: syn::token::Bracket::default(),
            expr: Box::new(zero),
            semi_token: syn::token::Semi::default(),
            len: Box::new(n.clone()),
        });
        stmts.push(make::mutable(&out, Some(&whole), zeros));
        let closure = self.copy(&mut function);
        let (mut body, value) = apply(closure, vec![make::path(&i)], self.names);
        body.push(make::assign(
            make::index(make::path(&out), make::path(&i)),
            value,
        ));
        let over = make::range(Some(parse_quote!(0)), Some(n));
        let e = make::for_loop(None, make::ident(&i, false), over, body);
        stmts.push(Stmt::Expr(e, None));
        Some(make::block(stmts, Some(make::path(&out))))
    }
}

/// Element type and length, from `from_fn::<f64, 3, _>` or the type of the result.
fn from_fn_type(
    segment: &syn::PathSegment,
    ty: Option<&syn::Type>,
) -> (Option<syn::Type>, Option<Expr>) {
    if let syn::PathArguments::AngleBracketed(args) = &segment.arguments {
        let mut args = args.args.iter();
        let elem = match args.next() {
            Some(syn::GenericArgument::Type(syn::Type::Infer(_))) | None => None,
            Some(syn::GenericArgument::Type(ty)) => Some(ty.clone()),
            Some(_) => None,
        };
        let n = match args.next() {
            Some(syn::GenericArgument::Const(n)) => Some(n.clone()),
            Some(syn::GenericArgument::Type(syn::Type::Path(p))) => {
                let path = &p.path;
                Some(parse_quote!(#path))
            }
            _ => None,
        };
        if elem.is_some() && n.is_some() {
            return (elem, n);
        }
    }
    match ty {
        Some(syn::Type::Array(array)) => (Some((*array.elem).clone()), Some(array.len.clone())),
        _ => (None, None),
    }
}
