//! Operators that are called by the names of their functions: `a.mul(b)` of numbers is `a * b`, and so is `Mul::mul(a, b)` of anything.

use proc_macro2::{Ident, Span};
use syn::{BinOp, Expr, Token, UnOp, parse_quote};

use super::apply::unparen;
use super::{check_standard, make};
use crate::facts::{self, Facts, Given};
use crate::ir::Ty;
use crate::visit::{Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// The name of its trait, that of its function, and what it is.
const OPERATORS: &[(&str, &str, Operator)] = &[
    (
        "Add",
        "add",
        Operator::Binary(|span| BinOp::Add(Token![+](span))),
    ),
    (
        "Sub",
        "sub",
        Operator::Binary(|span| BinOp::Sub(Token![-](span))),
    ),
    (
        "Mul",
        "mul",
        Operator::Binary(|span| BinOp::Mul(Token![*](span))),
    ),
    (
        "Div",
        "div",
        Operator::Binary(|span| BinOp::Div(Token![/](span))),
    ),
    (
        "Rem",
        "rem",
        Operator::Binary(|span| BinOp::Rem(Token![%](span))),
    ),
    (
        "AddAssign",
        "add_assign",
        Operator::Assigning(|span| BinOp::AddAssign(Token![+=](span))),
    ),
    (
        "SubAssign",
        "sub_assign",
        Operator::Assigning(|span| BinOp::SubAssign(Token![-=](span))),
    ),
    (
        "MulAssign",
        "mul_assign",
        Operator::Assigning(|span| BinOp::MulAssign(Token![*=](span))),
    ),
    (
        "DivAssign",
        "div_assign",
        Operator::Assigning(|span| BinOp::DivAssign(Token![/=](span))),
    ),
    (
        "RemAssign",
        "rem_assign",
        Operator::Assigning(|span| BinOp::RemAssign(Token![%=](span))),
    ),
    ("Neg", "neg", Operator::Negation),
];

#[derive(Clone, Copy)]
enum Operator {
    Binary(fn(Span) -> BinOp),
    Assigning(fn(Span) -> BinOp),
    Negation,
}

/// Writes the operators of active numbers with their signs; `true` if there was one.
///
/// What is not known to be of a type of the user's own is a number, once nothing more can be learnt of it.
pub(super) fn operators(body: &mut syn::Block, given: &Given, unknown: Unknown) -> bool {
    let mut named = Named(false);
    named.visit_block(body);
    if !named.0 {
        return false;
    }
    let mut operators = Operators {
        facts: &facts::facts(body, given),
        unknown,
        found: false,
    };
    operators.visit_block_mut(body);
    operators.found
}

/// Whether some operator is named.
struct Named(bool);

impl Visit<'_> for Named {
    fn visit_item(&mut self, _: &syn::Item) {}

    fn visit_ident(&mut self, name: &Ident) {
        self.0 |= of_function(name).is_some();
    }
}

/// What is done with a method of something of which nothing is known.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unknown {
    Leave,
    Rewrite,
}

struct Operators<'a> {
    facts: &'a Facts,
    unknown: Unknown,
    found: bool,
}

fn of_function(name: &Ident) -> Option<Operator> {
    let found = OPERATORS.iter().find(|(_, function, _)| name == function);
    found.map(|(.., operator)| *operator)
}

impl Operators<'_> {
    /// Whether a method of that name is the operator's: that of a type of the user's own may be its own.
    fn is_number(&self, receiver: &Expr) -> bool {
        match self.facts.ty(receiver) {
            Ty::Float(_) | Ty::Int => true,
            Ty::Unknown => self.unknown == Unknown::Rewrite,
            _ => false,
        }
    }

    /// What a reference that an assigning operator is given refers to.
    fn behind(&self, e: Expr) -> Expr {
        let name = super::apply::variable(&e).map(ToString::to_string);
        let var = name.and_then(|name| self.facts.get(&name));
        if var.is_some_and(|var| var.exclusive) {
            make::deref(e)
        } else {
            e
        }
    }

    fn signed(&self, operator: Operator, span: Span, mut operands: Vec<Expr>) -> Option<Expr> {
        let right = operands.pop()?;
        Some(match (operator, operands.pop()) {
            (Operator::Negation, None) => make::unary(UnOp::Neg(Token![-](span)), right),
            (Operator::Binary(sign), Some(left)) => make::binary(left, sign(span), right),
            (Operator::Assigning(sign), Some(left)) => {
                make::binary(self.behind(left), sign(span), right)
            }
            _ => return None,
        })
    }

    /// `a.mul(b)`
    fn method(&self, m: &syn::ExprMethodCall) -> Option<Expr> {
        let operator = of_function(&m.method)?;
        if !self.is_number(&m.receiver) {
            return None;
        }
        let mut operands = vec![(*m.receiver).clone()];
        operands.extend(m.args.iter().cloned());
        self.signed(operator, m.method.span(), operands)
    }

    /// `Mul::mul(a, b)`, `f64::mul(a, b)`
    fn function(&self, call: &syn::ExprCall) -> Option<Expr> {
        let Expr::Path(func) = unparen(&call.func) else {
            return None;
        };
        let mut names = func.path.segments.iter().rev();
        let (last, of) = (&names.next()?.ident, &names.next()?.ident);
        let operator = of_function(last)?;
        let of_trait = OPERATORS
            .iter()
            .any(|(name, function, _)| of == name && last == function);
        let number =
            ["f32", "f64"].iter().any(|name| of == name) || self.facts.is_generic(&of.to_string());
        if !of_trait && !number {
            return None;
        }
        let mut operands: Vec<Expr> = call.args.iter().cloned().collect();
        if let (Operator::Assigning(_), Some(place)) = (operator, operands.first_mut()) {
            if let Expr::Reference(r) = unparen(place) {
                *place = (*r.expr).clone();
            }
        }
        let signed = self.signed(operator, last.span(), operands)?;
        let standard = parse_quote!(<i8 as ::core::ops::#of>::#last);
        let check = check_standard(&func.path, &standard);
        let check = check.filter(|_| of_trait && func.qself.is_none());
        Some(match check {
            Some(check) => make::block(vec![check], Some(signed)),
            None => signed,
        })
    }
}

impl VisitMut for Operators<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let signed = match e {
            Expr::MethodCall(m) => self.method(m),
            Expr::Call(call) => self.function(call),
            _ => None,
        };
        let signed = signed.filter(|_| self.facts.mentions_active(e));
        if let Some(signed) = signed {
            *e = make::paren(signed);
            self.found = true;
        }
    }
}
