//! `let PATTERN: TYPE = e else { … }`: the type is that of a variable in front of it, for the arms of a `match` have none.

use syn::{Expr, Pat, Stmt};

use super::make;
use crate::names::Names;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

pub(super) fn typed(body: &mut syn::Block, names: &mut Names) {
    Typed { names }.visit_block_mut(body);
}

struct Typed<'a> {
    names: &'a mut Names,
}

impl VisitMut for Typed<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Stmt::Local(local) = &mut stmt {
                block.stmts.extend(self.told(local));
            }
            block.stmts.push(stmt);
        }
    }
}

impl Typed<'_> {
    fn told(&mut self, local: &mut syn::Local) -> Option<Stmt> {
        let init = local.init.as_mut().filter(|i| i.diverge.is_some())?;
        let Pat::Type(pat) = &local.pat else {
            return None;
        };
        let (ty, inner) = ((*pat.ty).clone(), (*pat.pat).clone());
        local.pat = inner;
        // What a reference refers to is known without it.
        let mut refers = Refers(false);
        refers.visit_type(&ty);
        if refers.0 {
            return None;
        }
        let name = self.names.fresh("t", init.eq_token.span);
        let value: Expr = std::mem::replace(&mut *init.expr, make::path(&name));
        let pat = make::typed(make::ident(&name, false), &ty);
        Some(make::local(pat, value))
    }
}

/// Whether a type has a reference in it.
struct Refers(bool);

impl<'ast> Visit<'ast> for Refers {
    fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
        self.0 = true;
        visit::visit_type_reference(self, ty);
    }
}
