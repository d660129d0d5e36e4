//! What stands around `?`: an assertion about it is one about a variable, and an option that comes out of it is one where its methods are called.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Stmt, Token, parse_quote_spanned};

use super::apply::unparen;
use super::make;
use crate::names::Names;
use crate::visit::Visit;
use crate::visit_mut::{self, VisitMut};

/// Takes `?` out of assertions, and writes methods of options behind it as `match`.
pub(super) fn ahead(body: &mut syn::Block, names: &mut Names) {
    Ahead(names).visit_block_mut(body);
}

struct Ahead<'a>(&'a mut Names);

impl VisitMut for Ahead<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let stmts = std::mem::take(&mut block.stmts).into_iter();
        let stmts = stmts.flat_map(|stmt| match self.asserted(&stmt) {
            Some(stmts) => stmts,
            None => vec![stmt],
        });
        block.stmts = stmts.collect();
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = &*e else { return };
        let (option, span) = match unparen(&m.receiver) {
            tried @ Expr::Try(_) => (tried, m.method.span()),
            _ => return,
        };
        let (some, given) = (self.0.fresh("some", span), self.0.fresh("given", span));
        let args: Vec<&Expr> = m.args.iter().collect();
        let mut stmts = vec![make::variable(&given, option.clone())];
        let absent: Expr = match (m.method.to_string().as_str(), &args[..]) {
            // It is computed in any case, after the option.
            ("unwrap_or", [other]) => {
                let default = self.0.fresh("default", span);
                stmts.push(make::variable(&default, (*other).clone()));
                make::path(&default)
            }
            ("unwrap_or_else", [Expr::Closure(f)]) if f.inputs.is_empty() => (*f.body).clone(),
            ("unwrap_or_default", []) => {
                parse_quote_spanned!(span=> ::core::default::Default::default())
            }
            _ => return,
        };
        let chosen =
            parse_quote_spanned!(span=> match #given { Some(#some) => #some, None => #absent });
        *e = make::block(stmts, Some(chosen));
    }
}

impl Ahead<'_> {
    /// `assert!(f(x)? > 0.0)`: what is asserted is computed before.
    fn asserted(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Stmt::Macro(m) = stmt else { return None };
        let name = m.mac.path.get_ident()?.to_string();
        let count = match name.as_str() {
            "assert" => 1,
            "assert_eq" | "assert_ne" => 2,
            _ => return None,
        };
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let args = parser.parse2(m.mac.tokens.clone()).ok()?;
        let mut args: Vec<Expr> = args.into_iter().collect();
        if args.len() < count || !args[..count].iter().any(tries) {
            return None;
        }
        let (mut stmts, mut of) = (Vec::new(), Vec::new());
        for arg in &mut args[..count] {
            let asserted: Ident = self.0.fresh("asserted", arg.span());
            of.push(arg.to_token_stream().to_string());
            let arg = std::mem::replace(arg, make::path(&asserted));
            stmts.push(make::variable(&asserted, arg));
        }
        let (path, semi) = (&m.mac.path, &m.semi_token);
        let message = (name == "assert" && args.len() == 1).then(|| {
            let text = format!("assertion failed: {}", of[0]);
            quote!(, "{}", #text)
        });
        let asserted: Stmt = parse_quote_spanned!(path.span()=> #path!(#(#args),* #message) #semi);
        stmts.push(asserted);
        Some(stmts)
    }
}

/// Whether an expression may leave the function by `?`.
fn tries(e: &Expr) -> bool {
    struct Tries(bool);
    impl<'ast> Visit<'ast> for Tries {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = true;
        }
    }
    let mut tries = Tries(false);
    tries.visit_expr(e);
    tries.0
}
