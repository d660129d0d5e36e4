//! `[a, b].map(f)`, `core::array::from_fn(f)`, `Tensor::from_fn(shape, f)` and `list.try_into().unwrap()`.

use proc_macro2::{Ident, Span};
use quote::quote;
use syn::{Expr, Stmt, parse_quote, parse_quote_spanned};

use super::super::apply::{apply, flatten, unparen};
use super::super::{check_standard, make};
use super::Chains;
use crate::features::features;
use crate::ir::Ty;
use crate::types::TENSOR;

/// Longer arrays are mapped in a loop.
const UNROLLED: usize = 4;

/// Longer arrays are not written element by element.
const WRITTEN: usize = 16;

impl Chains<'_> {
    /// `array.map(f)`
    pub(super) fn array_map(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        if m.args.len() != 1 {
            return None;
        }
        let receiver = unparen(&m.receiver);
        let ty = self.facts.ty(receiver);
        let constant = self.is_constant(receiver);
        let (elem, len) = match &ty {
            _ if constant => (&Ty::Unknown, None),
            Ty::Array(elem, len) => (&**elem, len.as_ref()),
            // Tensors have forms of `map` of their own.
            Ty::User if self.facts.tensors => return None,
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
        let receiver = if constant {
            // What else has `map` is known by its type alone, which rustc sees.
            let span = m.method.span();
            parse_quote_spanned!(span=> rt::stop_gradient(rt::an_array(#receiver)))
        } else {
            receiver.clone()
        };
        let mut stmts = vec![make::variable(&source, receiver)];
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
        if constant && !matches!(self.facts.ty(&value), Ty::Float(_)) {
            return None;
        }
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
        let copy = if constant {
            // Of as many numbers, whatever the elements of the constant are.
            parse_quote!(rt::stop_gradient(#source.map(|_| 0.0)))
        } else {
            make::method(make::path(&source), clone, Vec::new())
        };
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

    /// Whether it is named as constants are, which are arrays where they have `map`.
    fn is_constant(&self, e: &Expr) -> bool {
        let Expr::Path(p) = e else {
            return false;
        };
        let name = p.path.segments.last().map(|s| s.ident.to_string());
        let written = name.is_some_and(|name| {
            name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
        });
        written && matches!(self.facts.ty(e), Ty::Unknown)
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
        let zero = super::ends::zero(&self.facts.read(&elem));
        let length = literal(&n).filter(|&n| n <= WRITTEN);
        if zero.is_none() && length.is_none() {
            self.errors.error(
                &elem,
                format_args!("an array of these is made element by element only where its length is a number, and at most {WRITTEN}; collect a `Vec`, or make it of floats"),
            );
            return None;
        }
        let of_std = parse_quote!(::core::array::from_fn::<u8, 1, fn(usize) -> u8>);
        let mut stmts = Vec::from_iter(check_standard(&p.path, &of_std));
        let mut function = self.function(c.args.first(), 1, &mut stmts, &last.ident)?;
        let Some(zero) = zero else {
            let mut made = Vec::new();
            for k in 0..length.unwrap_or_default() {
                let k = proc_macro2::Literal::usize_suffixed(k);
                let closure = self.copy(&mut function);
                let (body, value) = apply(closure, vec![parse_quote!(#k)], self.names);
                let name = self.names.fresh("made", last.ident.span());
                stmts.extend(body);
                let pat = make::typed(make::ident(&name, false), &elem);
                stmts.push(make::local(pat, value));
                made.push(make::path(&name));
            }
            return Some(make::block(stmts, Some(make::array(made))));
        };
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
        let (mut body, mut value) = apply(closure, vec![make::path(&i)], self.names);
        if let syn::Type::Array(_) = &elem {
            // A row may be made likewise, and has a type only here.
            let row = self.names.fresh("row", last.ident.span());
            let pat = make::typed(make::ident(&row, false), &elem);
            body.push(make::local(
                pat,
                std::mem::replace(&mut value, make::path(&row)),
            ));
        }
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

impl Chains<'_> {
    /// `Tensor::from_fn(shape, f)`, as a list of entries.
    pub(super) fn tensor_from_fn(&mut self, c: &syn::ExprCall) -> Option<Expr> {
        let Expr::Path(p) = unparen(&c.func) else {
            return None;
        };
        let mut names = p.path.segments.iter().rev();
        let last = names.next().filter(|s| s.ident == "from_fn")?;
        let tensor = names.next().filter(|s| s.ident == TENSOR)?;
        if !features().tensor || c.args.len() != 2 {
            return None;
        }
        let span = last.ident.span();
        let mut name = |name| self.names.fresh(name, span);
        let [shape, out, k, place, at] = ["shape", "out", "k", "place", "at"].map(&mut name);
        let lengths: syn::Type = parse_quote!(&[::core::primitive::usize]);
        let mut stmts = vec![make::local(
            make::typed(make::ident(&shape, false), &lengths),
            c.args[0].clone(),
        )];
        let mut function = self.function(c.args.get(1), 1, &mut stmts, &last.ident)?;
        let list: syn::Type = match &tensor.arguments {
            syn::PathArguments::AngleBracketed(of) => parse_quote!(::std::vec::Vec #of),
            _ => parse_quote!(::std::vec::Vec<_>),
        };
        let empty = parse_quote!(::std::vec::Vec::new());
        stmts.push(make::mutable(&out, Some(&list), empty));
        let mut body = vec![
            make::variable(&place, parse_quote!(rt::places::place(#shape, #k))),
            make::local(
                make::typed(make::ident(&at, false), &lengths),
                parse_quote!(#place.as_ref()),
            ),
        ];
        let closure = self.copy(&mut function);
        let (inner, value) = apply(closure, vec![make::path(&at)], self.names);
        body.extend(inner);
        let push = Ident::new("push", span);
        body.push(make::semi(make::method(
            make::path(&out),
            push,
            vec![value],
        )));
        let number: Expr = parse_quote_spanned!(span=> rt::places::number(#shape));
        let over = make::range(Some(parse_quote!(0)), Some(number));
        let e = make::for_loop(None, make::ident(&k, false), over, body);
        stmts.push(Stmt::Expr(e, None));
        let mut made = p.clone();
        if let Some(last) = made.path.segments.last_mut() {
            last.ident = Ident::new("from_vec", span);
        }
        let made = make::call(Expr::Path(made), vec![make::path(&shape), make::path(&out)]);
        Some(make::block(stmts, Some(made)))
    }

    /// `list.try_into().unwrap()` and `<[T; N]>::try_from(list).unwrap()`
    pub(super) fn array_of_list(
        &mut self,
        m: &syn::ExprMethodCall,
        ty: Option<&syn::Type>,
    ) -> Option<Expr> {
        let (list, ty, said) = match unparen(&m.receiver) {
            Expr::MethodCall(t) if t.method == "try_into" => (&*t.receiver, ty, &t.method),
            Expr::Call(c) => match unparen(&c.func) {
                Expr::Path(p) => {
                    let last = &p.path.segments.last()?.ident;
                    let of_type = p.path.segments.len() == 1;
                    let ty = p.qself.as_ref().filter(|_| of_type && last == "try_from")?;
                    (c.args.first()?, Some(&*ty.ty), last)
                }
                _ => return None,
            },
            _ => return None,
        };
        let part =
            matches!(unparen(list), Expr::Index(i) if matches!(unparen(&i.index), Expr::Range(_)));
        let of = self.facts.ty(list);
        if of.is_scalar() || of.is_user() && !part && ty.and_then(array).is_none() {
            return None;
        }
        let Some((array, lent)) = ty.and_then(array) else {
            self.errors.error(
                said,
                "the type of this array cannot be seen, or it is borrowed mutably; write it in a `let`: `let a: [f64; N] = …`",
            );
            return None;
        };
        let span = said.span();
        let name = self.names.fresh("list", span);
        let mut stmts = Vec::new();
        let whole = match unparen(list) {
            Expr::Reference(_) => list.clone(),
            Expr::Index(_) if part => make::reference(list.clone(), false),
            e if super::is_place(e) => {
                make::reference(make::index(e.clone(), parse_quote!(..)), false)
            }
            e => {
                let made = self.names.fresh("made", span);
                stmts.push(make::variable(&made, e.clone()));
                make::reference(make::index(make::path(&made), parse_quote!(..)), false)
            }
        };
        stmts.push(make::variable(&name, whole));
        let n = &array.len;
        stmts.push(
            parse_quote!(assert!(#name.len() == #n, "the list is not as long as the array");),
        );
        let moved = matches!(&of, Ty::Vec(elem) if !elem.is_scalar());
        let clone = moved.then(|| quote!(.clone()));
        let value = match literal(n).filter(|&n| n <= WRITTEN) {
            Some(n) => make::array(
                (0..n)
                    .map(|k| {
                        let k = proc_macro2::Literal::usize_unsuffixed(k);
                        parse_quote!(#name[#k] #clone)
                    })
                    .collect(),
            ),
            None => {
                let (elem, k) = (&array.elem, self.names.fresh("k", span));
                parse_quote!(::core::array::from_fn::<#elem, #n, _>(|#k| #name[#k] #clone))
            }
        };
        let made = make::block(stmts, Some(value));
        Some(if lent {
            make::reference(made, false)
        } else {
            made
        })
    }
}

fn literal(n: &Expr) -> Option<usize> {
    match n {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(n),
            ..
        }) => n.base10_parse().ok(),
        _ => None,
    }
}

/// The array that a type is, or is a shared reference to.
fn array(ty: &syn::Type) -> Option<(&syn::TypeArray, bool)> {
    match ty {
        syn::Type::Array(a) => Some((a, false)),
        syn::Type::Paren(p) => array(&p.elem),
        syn::Type::Reference(r) if r.mutability.is_none() => match &*r.elem {
            syn::Type::Array(a) => Some((a, true)),
            _ => None,
        },
        _ => None,
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
