//! Code that names what is active, and yet is a constant: what only decides, what is given constants alone, the operand of `stop_gradient`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::expr::unparen;
use super::opaque::Operands;
use super::{Lower, Tree};
use crate::facts;
use crate::ir::{Kind, Opaque, Ty, Value};
use crate::macros;
use crate::marks;
use crate::own_names;
use crate::syntax;

type Args = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;

const DECIDED_CHANGES: &str = "this changes what depends on a differentiable parameter on the way to a value without derivative; change it in a statement of its own";

const FROZEN_CHANGES: &str = "`stop_gradient` cannot change what depends on a differentiable parameter; let it compute a value, and assign that";

impl Lower<'_> {
    /// `stop_gradient(e)`: the expression verbatim, as a constant.
    pub(super) fn frozen(&mut self, e: &syn::Expr) -> Tree {
        let ty = self.facts.ty(e);
        let (opaque, args) = self.only_read(e, FROZEN_CHANGES);
        Tree::Value(self.emit(Kind::Opaque(opaque), args, ty, ""))
    }

    /// What only decides: rustc checks that no float is in it.
    pub(super) fn decided(&mut self, call: &syn::ExprCall, e: &syn::Expr) -> Tree {
        let ty = self.facts.ty(&syn::Expr::Call(call.clone()));
        let (opaque, args) = self.only_read(e, DECIDED_CHANGES);
        let (func, tokens) = (&call.func, opaque.tokens);
        // An error of rustc is at the name that it is given; what is made on the way lives on.
        let span = func.to_token_stream().into_iter().last();
        let span = span.map_or(self.span, |token| token.span());
        let decision = Ident::new("decision", span.resolved_at(Span::mixed_site()));
        let opaque = Opaque {
            tokens: quote_spanned!(span=> match #tokens { #decision => #func(#decision) }),
            ..opaque
        };
        let value = self.emit(Kind::Opaque(opaque), args, ty, "");
        self.may_refer_as(value, e);
        Tree::Value(value)
    }

    /// An expression that is copied as it stands, and may only read what is active; `changes` is why it is refused if it does more.
    fn only_read(&mut self, e: &syn::Expr, changes: &'static str) -> (Opaque, Vec<Value>) {
        self.verbatim.push(super::Verbatim {
            code: e.clone(),
            args: Vec::new(),
            places: self.certain_writes(e),
            changes,
        });
        let e = &self.only_reading(e, changes);
        let mut operands = Operands::default();
        let tokens = self.substitute(e, &mut operands);
        self.copied(e, tokens, operands)
    }

    /// Whether something that may carry a derivative is among the arguments of a call.
    pub(super) fn passes_active(&self, args: &Args) -> bool {
        args.iter().any(|arg| self.facts.active(arg))
    }

    /// Whether a method is called on a constant, and with constants alone.
    pub(super) fn is_given_constants(&self, e: &syn::ExprMethodCall) -> bool {
        !self.facts.active(&e.receiver) && !self.passes_active(&e.args)
    }

    /// Whether a method changes what it is called on, of which the macro knows no inverse: `seen.insert(x as i64)`.
    pub(super) fn changes_unknown(&self, e: &syn::ExprMethodCall) -> bool {
        let name = e.method.to_string();
        let changes = super::hidden::stores(&name) || facts::changes_receiver(&name);
        let ty = self.facts.ty(&e.receiver);
        changes && matches!(ty, Ty::Unknown | Ty::Inert)
    }

    /// Whether a statement changes, by constants, what a method lends out of a constant: `*counts.entry(x as usize).or_insert(0) += 1`.
    pub(super) fn is_told_constants(&self, e: &syn::Expr) -> bool {
        let (left, right) = match e {
            syn::Expr::Assign(e) => (&e.left, &e.right),
            syn::Expr::Binary(e) if syntax::is_compound(&e.op) => (&e.left, &e.right),
            _ => return false,
        };
        let lent = match unparen(left) {
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => unparen(&u.expr),
            _ => return false,
        };
        matches!(lent, syn::Expr::MethodCall(m) if self.is_given_constants(m))
            && !self.facts.active(right)
    }

    /// A call that is given constants alone, though it names what is active.
    pub(super) fn constant_call(&mut self, e: &syn::Expr) -> Tree {
        let (opaque, args) = self.given_constants(e);
        let ty = match self.facts.ty(e) {
            Ty::Unknown if self.calls_associated(e) => Ty::User,
            ty => ty,
        };
        let value = self.emit(Kind::Opaque(opaque), args, ty, "");
        self.may_refer_as(value, e);
        Tree::Value(value)
    }

    /// The same, as a statement.
    pub(super) fn constant_statement(&mut self, e: &syn::Expr) {
        let (opaque, args) = self.given_constants(e);
        self.push(Kind::Opaque(opaque), args, Vec::new());
    }

    /// The arguments of a method that has no derivative.
    pub(super) fn constant_arguments(
        &mut self,
        args: &Args,
        operands: &mut Operands,
    ) -> Vec<TokenStream> {
        let mut given = args.clone();
        given
            .iter_mut()
            .map(|arg| {
                self.evaluate(arg, operands);
                self.substitute(arg, operands)
            })
            .collect()
    }

    fn given_constants(&mut self, e: &syn::Expr) -> (Opaque, Vec<Value>) {
        let mut operands = Operands::default();
        let mut given = e.clone();
        self.evaluate(&mut given, &mut operands);
        let tokens = self.substitute(&given, &mut operands);
        self.copied(&given, tokens, operands)
    }

    fn copied(
        &mut self,
        e: &syn::Expr,
        tokens: TokenStream,
        operands: Operands,
    ) -> (Opaque, Vec<Value>) {
        let writes = self.writes(e);
        let opaque = Opaque {
            tokens,
            places: operands.places,
            writes,
            pure: false,
        };
        (opaque, operands.args)
    }

    /// Puts values in place of what names something active.
    fn evaluate(&mut self, e: &mut syn::Expr, operands: &mut Operands) {
        match e {
            e if !self.facts.mentions_active(e) => {}
            syn::Expr::Paren(e) => self.evaluate(&mut e.expr, operands),
            syn::Expr::Group(e) => self.evaluate(&mut e.expr, operands),
            syn::Expr::Reference(e) => self.evaluate(&mut e.expr, operands),
            syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => {
                self.evaluate(&mut e.expr, operands);
            }
            syn::Expr::Assign(e) => {
                self.evaluate(&mut e.right, operands);
                self.evaluate(&mut e.left, operands);
            }
            syn::Expr::Binary(e) if syntax::is_compound(&e.op) => {
                self.evaluate(&mut e.right, operands);
                self.evaluate(&mut e.left, operands);
            }
            syn::Expr::Index(e) if !self.facts.mentions_active(&e.expr) => {
                self.evaluate(&mut e.index, operands);
            }
            syn::Expr::MethodCall(m) if self.is_of_constants(m) => {
                self.evaluate(&mut m.receiver, operands);
                for arg in &mut m.args {
                    self.evaluate(arg, operands);
                }
            }
            syn::Expr::Call(c) if self.is_of_function(c) => {
                for arg in &mut c.args {
                    self.evaluate(arg, operands);
                }
            }
            e => {
                let v = self.scalar(e);
                *e = syn::Expr::Verbatim(operands.value(v).into_token_stream());
            }
        }
    }

    /// A method that the graph does not know, of constants.
    fn is_of_constants(&self, m: &syn::ExprMethodCall) -> bool {
        let name = m.method.to_string();
        let known = own_names::is_inert_method(&name) || crate::rules::by_method(&name).is_some();
        !known && self.is_given_constants(m)
    }

    /// A function that the graph does not know, given constants.
    fn is_of_function(&self, c: &syn::ExprCall) -> bool {
        let syn::Expr::Path(p) = unparen(&c.func) else {
            return false;
        };
        let of_graph = marks::is_stop_gradient(&c.func)
            || marks::is_with_cotangent(&c.func)
            || macros::vec_macro(c).is_some()
            || p.path.segments[0].ident == "rt";
        !of_graph && !self.passes_active(&c.args)
    }
}
