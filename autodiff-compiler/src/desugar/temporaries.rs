//! `let work = &mut [0.0; 8];`, `step(x, &mut [0, 1])`: what has no name but is lent to be changed gets one, and so does a copy that a loop walks.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{Expr, parse_quote};

use super::apply::unparen;
use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};

/// Names lists and arrays that are made where they are lent, and copies of fields where they are walked.
pub(crate) fn temporaries(body: &mut syn::Block) {
    Temporaries { count: 0 }.visit_block_mut(body);
}

struct Temporaries {
    count: usize,
}

impl Temporaries {
    fn name(&mut self) -> Ident {
        self.count += 1;
        format_ident!("made{}", self.count, span = Span::mixed_site())
    }

    /// The variable that has what is lent, where that is made on the spot.
    fn take(&mut self, e: &mut Expr) -> Option<syn::Stmt> {
        let Expr::Reference(lent) = e else {
            return None;
        };
        if lent.mutability.is_none() || !is_made(&lent.expr) {
            return None;
        }
        let name = self.name();
        let made = std::mem::replace(&mut *lent.expr, parse_quote!(#name));
        Some(parse_quote!(let mut #name = #made;))
    }
}

impl VisitMut for Temporaries {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let syn::Stmt::Local(local) = &mut stmt {
                let init = local.init.as_mut().filter(|init| init.diverge.is_none());
                block
                    .stmts
                    .extend(init.and_then(|init| self.take(&mut init.expr)));
            }
            block.stmts.push(stmt);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        if let Expr::ForLoop(walk) = e {
            if is_copy_of_field(&walk.expr) {
                let name = self.name();
                let made = std::mem::replace(&mut *walk.expr, parse_quote!(#name));
                *e = parse_quote!({ let #name = #made; #e });
            }
            return;
        }
        let args = match e {
            Expr::Call(call) => &mut call.args,
            Expr::MethodCall(call) => &mut call.args,
            _ => return,
        };
        let mut before = Still(true);
        let mut made = Vec::new();
        for arg in args {
            // What an argument before may change is not read earlier.
            if before.0 || names_nothing(arg) {
                made.extend(self.take(arg));
            }
            before.visit_expr(arg);
        }
        if !made.is_empty() {
            *e = parse_quote!({ #(#made)* #e });
        }
    }
}

/// `self.list.clone()`, of which a loop would not know that it is a list.
fn is_copy_of_field(e: &Expr) -> bool {
    match unparen(e) {
        Expr::MethodCall(call) => {
            let copies = call.method == "clone" || call.method == "to_vec";
            copies && call.args.is_empty() && matches!(unparen(&call.receiver), Expr::Field(_))
        }
        _ => false,
    }
}

/// Whether a list or an array is made here.
fn is_made(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Array(_) | Expr::Repeat(_) => true,
        Expr::Macro(e) => e.mac.path.is_ident("vec"),
        _ => false,
    }
}

/// Whether an expression is made of numbers alone.
fn names_nothing(e: &Expr) -> bool {
    fn only_numbers(tokens: TokenStream) -> bool {
        tokens.into_iter().all(|token| match token {
            TokenTree::Ident(name) => name == "mut" || name == "vec",
            TokenTree::Group(group) => only_numbers(group.stream()),
            TokenTree::Punct(_) | TokenTree::Literal(_) => true,
        })
    }
    only_numbers(e.to_token_stream())
}

/// Whether an expression changes nothing.
struct Still(bool);

impl<'ast> Visit<'ast> for Still {
    fn visit_expr(&mut self, e: &'ast Expr) {
        let changes = match e {
            Expr::Reference(e) => e.mutability.is_some() && !matches!(*e.expr, Expr::Path(_)),
            Expr::Binary(e) => crate::syntax::is_compound(&e.op),
            Expr::Path(_) | Expr::Lit(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => {
                false
            }
            Expr::Paren(_) | Expr::Array(_) | Expr::Repeat(_) | Expr::Cast(_) => false,
            _ => true,
        };
        self.0 &= !changes;
        visit::visit_expr(self, e);
    }
}
