//! `m[(i, j)]`, which only a type of one's own can have, as calls of the functions that its `Index` and `IndexMut` define.

use proc_macro2::Span;
use syn::Expr;

use super::apply::unparen;
use super::make;
use crate::errors::Errors;
use crate::facts::Facts;
use crate::forms::{reader, writer};
use crate::names::Names;
use crate::syntax;
use crate::visit_mut::{self, VisitMut};

/// Rewrites what is indexed by tuples.
pub(super) fn indexed(
    body: &mut syn::Block,
    facts: &Facts,
    names: &mut Names,
    errors: &mut Errors,
) {
    Indexed {
        facts,
        names,
        errors,
    }
    .visit_block_mut(body);
}

struct Indexed<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    errors: &'a mut Errors,
}

impl Indexed<'_> {
    /// What is indexed, and by what, if this has to do with something active.
    fn parts(&self, e: &Expr) -> Option<(Expr, syn::ExprTuple)> {
        let Expr::Index(i) = unparen(e) else {
            return None;
        };
        match unparen(&i.index) {
            Expr::Tuple(at) if !at.elems.is_empty() && self.facts.mentions_active(&i.expr) => {
                let mut at = at.clone();
                at.elems.iter_mut().for_each(|e| self.decide(e));
                Some(((*i.expr).clone(), at))
            }
            _ => None,
        }
    }

    /// A part of an index whose type is not known, as that of a field, is a number that counts, which rustc checks.
    fn decide(&self, part: &mut Expr) {
        let ty = self.facts.ty(part);
        if self.facts.mentions_active(part) && !ty.is_inert() && !ty.is_float() {
            let span = syn::spanned::Spanned::span(&*part);
            *part = syn::parse_quote_spanned!(span=> rt::decided(#part));
        }
    }

    /// `of.set(at, value)`
    fn write(of: Expr, (parts, span): (usize, Span), at: Expr, value: Expr) -> Expr {
        make::method(of, writer(parts, span), vec![at, value])
    }

    /// A tuple of places, one of which is such an element.
    fn are_parts(&self, e: &Expr) -> bool {
        matches!(unparen(e), Expr::Tuple(t) if t.elems.iter().any(|e| self.parts(e).is_some()))
    }

    /// `(a, b) = e`, place by place.
    fn spread(&mut self, assign: syn::ExprAssign) -> Expr {
        let Expr::Tuple(places) = unparen(&assign.left) else {
            return Expr::Assign(assign);
        };
        let (mut pats, mut writes) = (Vec::new(), Vec::new());
        for place in &places.elems {
            if let Expr::Infer(_) = place {
                pats.push(make::wild());
                continue;
            }
            let name = self.names.fresh("part", Span::call_site());
            pats.push(make::ident(&name, false));
            writes.push(make::assign(place.clone(), make::path(&name)));
        }
        let first = make::local(make::tuple_pat(pats), (*assign.right).clone());
        make::block([vec![first], writes].concat(), None)
    }

    /// Refuses what would change a copy of what is there.
    fn refuse_part(&mut self, place: &Expr) {
        let mut e = unparen(place);
        loop {
            if self.parts(e).is_some() {
                self.errors.error(e, "what an index of a type of your own gives can be assigned as a whole only; write `m[(i, j)] = …` or `+=`, or a #[grad] method of the type");
                return;
            }
            e = match e {
                Expr::Field(f) => unparen(&f.base),
                Expr::Index(i) => unparen(&i.expr),
                Expr::Unary(u) => unparen(&u.expr),
                _ => return,
            };
        }
    }
}

impl VisitMut for Indexed<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Assign(a) if self.are_parts(&a.left) => *e = self.spread(a.clone()),
            Expr::Assign(a) => match self.parts(&a.left) {
                Some((of, at)) => {
                    *e = Self::write(of, parts(&at), Expr::Tuple(at), (*a.right).clone());
                }
                None => self.refuse_part(&a.left),
            },
            Expr::Binary(b) if syntax::is_compound(&b.op) => match self.parts(&b.left) {
                Some((of, at)) => {
                    let (parts, span) = parts(&at);
                    // The index is evaluated once.
                    let known = self.names.fresh("at", Span::call_site());
                    let first = make::variable(&known, Expr::Tuple(at));
                    let before =
                        make::method(of.clone(), reader(parts, span), vec![make::path(&known)]);
                    let value = make::binary(before, plain(b.op), (*b.right).clone());
                    let write = Self::write(of, (parts, span), make::path(&known), value);
                    *e = make::block(vec![first, make::semi(write)], None);
                }
                None => self.refuse_part(&b.left),
            },
            Expr::Reference(r) if r.mutability.is_some() => self.refuse_part(&r.expr),
            _ => {
                if let Some((of, at)) = self.parts(e) {
                    let (parts, span) = parts(&at);
                    *e = make::method(of, reader(parts, span), vec![Expr::Tuple(at)]);
                }
            }
        }
        visit_mut::visit_expr_mut(self, e);
    }
}

/// How many parts an index has, and where it stands.
fn parts(at: &syn::ExprTuple) -> (usize, Span) {
    (at.elems.len(), at.paren_token.span.join())
}

/// `+` of `+=`.
fn plain(op: syn::BinOp) -> syn::BinOp {
    use syn::BinOp::{AddAssign, DivAssign, MulAssign, RemAssign, SubAssign};
    match op {
        AddAssign(_) => syn::BinOp::Add(<syn::Token![+]>::default()),
        SubAssign(_) => syn::BinOp::Sub(<syn::Token![-]>::default()),
        MulAssign(_) => syn::BinOp::Mul(<syn::Token![*]>::default()),
        DivAssign(_) => syn::BinOp::Div(<syn::Token![/]>::default()),
        RemAssign(_) => syn::BinOp::Rem(<syn::Token![%]>::default()),
        other => other,
    }
}
