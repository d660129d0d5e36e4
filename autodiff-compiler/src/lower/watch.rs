//! `with_cotangent(x, |c| …)`: the value itself, and code for the reverse sweep.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};

use super::{Lower, Tree};
use crate::facts::Changed;
use crate::ir::{Kind, Opaque, Path, Storage, Ty};
use crate::visit::Visit;

impl Lower<'_> {
    /// The closure is copied as it stands; what it reads is read here, in the forward sweep.
    pub(super) fn watched(&mut self, e: &syn::ExprCall) -> Tree {
        let (Some(x), Some(code), 2) = (e.args.first(), e.args.get(1), e.args.len()) else {
            return self.refuse(
                &e.func,
                "`with_cotangent` takes a value and a closure; write `with_cotangent(x, |c| …)`",
            );
        };
        let x = self.scalar(x);
        let mut changed = Changed::default();
        changed.visit_expr(code);
        let outer = changed.names.iter().find(|name| {
            self.env.contains_key(*name) && self.facts.get(name).is_none_or(|v| v.mutable)
        });
        if let Some(name) = outer {
            return self.refuse(code, format_args!("this closure runs in the reverse sweep, where it cannot change `{name}`; change the cotangent, print, or collect in a `Cell` or `RefCell` that is a parameter"));
        }
        let mut operands = super::opaque::Operands::default();
        let mut tokens = inside(self.substitute(code, &mut operands));
        let mut places = Vec::new();
        // What may change until then is copied now; the numbers of the others stay as they are.
        for (k, p) in operands.places.iter().copied().enumerate() {
            if self.func.at(p).storage == Storage::Shared {
                places.push(p);
                tokens = renamed(tokens, k, &format!("__p{}", places.len() - 1));
                continue;
            }
            let path = Path::whole(p);
            let ty = self.func.at(p).ty.clone();
            let (method, ty) = match ty {
                Ty::Slice(elem) => ("to_vec", Ty::Vec(elem)),
                ty => ("clone", ty),
            };
            let copy = self.emit(Kind::Owned(path, method), Vec::new(), ty, "");
            operands.args.push(copy);
            let to = format!("__a{}", operands.args.len() - 1);
            tokens = renamed(tokens, k, &to);
        }
        let ty = self.func.ty(x).clone();
        let code = Opaque {
            tokens,
            places,
            writes: Vec::new(),
            pure: false,
        };
        let mut args = vec![x];
        args.append(&mut operands.args);
        Tree::Value(self.emit(Kind::Watch { code, back: false }, args, ty, ""))
    }
}

/// Code in which what stands before a closure stands in it: the closure borrows that, and lives longer than a block.
fn inside(tokens: TokenStream) -> TokenStream {
    let Ok(syn::Expr::Block(mut e)) = syn::parse2(tokens.clone()) else {
        return tokens;
    };
    let Some(syn::Stmt::Expr(syn::Expr::Closure(mut code), None)) = e.block.stmts.pop() else {
        return tokens;
    };
    e.block.stmts.push(syn::Stmt::Expr(*code.body, None));
    *code.body = syn::Expr::Block(e);
    code.to_token_stream()
}

/// Code with another name for the place `k`, moved or not.
fn renamed(tokens: TokenStream, k: usize, to: &str) -> TokenStream {
    let names = [format!("__p{k}"), format!("__q{k}")];
    let rename = |token| match token {
        TokenTree::Ident(ident) if names.iter().any(|name| ident == name) => {
            let mut tokens = format_ident!("{to}");
            tokens.set_span(ident.span());
            tokens.into()
        }
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), renamed(group.stream(), k, to));
            inner.set_span(group.span());
            inner.into()
        }
        other => other,
    };
    tokens.into_iter().map(rename).collect()
}
