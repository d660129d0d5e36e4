//! Arrays that are walked through by value: the loop has a copy of its own, whatever its body does to the array.

use syn::spanned::Spanned;
use syn::{Expr, Stmt};

use super::apply::unparen;
use super::make;
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::names::Names;
use crate::visit_mut::{self, VisitMut};

/// Makes the copies that can be told from the arrays.
pub(super) fn copies(body: &mut syn::Block, facts: &Facts, names: &mut Names) {
    Copies { facts, names }.visit_block_mut(body);
}

/// Whether something that runs while an iterator lives names a variable.
type Touched<'a> = &'a dyn Fn(&str) -> bool;

fn names_it(e: &Expr, name: &str) -> bool {
    facts::mentions(e, &|other| other == name)
}

/// The functions that the methods of a chain are given.
fn closures(e: &Expr) -> Vec<Expr> {
    match unparen(e) {
        Expr::MethodCall(m) => {
            let mut out = closures(&m.receiver);
            let functions = m.args.iter().filter(|arg| matches!(arg, Expr::Closure(_)));
            out.extend(functions.cloned());
            out
        }
        _ => Vec::new(),
    }
}

struct Copies<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
}

impl Copies<'_> {
    /// Gives names to copies of the arrays that an iterator walks through by value.
    ///
    /// Only those that `touched` holds for: what else runs meanwhile names them.
    fn take(&mut self, e: &mut Expr, bare: bool, touched: Touched<'_>, out: &mut Vec<Stmt>) {
        match e {
            Expr::Paren(e) => self.take(&mut e.expr, bare, touched, out),
            Expr::Group(e) => self.take(&mut e.expr, bare, touched, out),
            // A list that is made to be walked through.
            Expr::MethodCall(m) if bare && self.makes_list(m) => {
                let copy = self.names.fresh("walked", m.span());
                let list = std::mem::replace(e, make::path(&copy));
                out.push(make::variable(&copy, list));
            }
            Expr::Reference(r) if bare && matches!(&*r.expr, Expr::MethodCall(_)) => {
                self.take(&mut r.expr, bare, touched, out);
            }
            Expr::MethodCall(m) => {
                self.take(&mut m.receiver, m.method == "into_iter", touched, out);
                if m.method == "zip" || m.method == "chain" {
                    let args = m.args.iter_mut();
                    args.for_each(|arg| self.take(arg, true, touched, out));
                }
            }
            array if bare && self.is_changing_array(array, touched) => {
                let copy = self.names.fresh("walked", array.span());
                let array = std::mem::replace(array, make::path(&copy));
                out.push(make::variable(&copy, array));
            }
            _ => {}
        }
    }

    fn makes_list(&self, m: &syn::ExprMethodCall) -> bool {
        let copies = ["clone", "to_vec", "to_owned"];
        let list = matches!(
            self.facts.ty(&m.receiver),
            Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_)
        );
        list && m.args.is_empty() && copies.iter().any(|name| m.method == name)
    }

    /// A place that is an array itself, no reference to one, and may be written to.
    fn is_changing_array(&self, e: &Expr, touched: Touched<'_>) -> bool {
        let e = unparen(e);
        let own = match e {
            Expr::Path(_) => facts::root(e)
                .and_then(|name| self.facts.get(&name))
                .is_some_and(|v| v.roots.is_empty() && !v.exclusive),
            Expr::Field(_) | Expr::Index(_) => true,
            Expr::Unary(e) => matches!(e.op, syn::UnOp::Deref(_)),
            _ => false,
        };
        let array = match self.facts.ty(e) {
            Ty::Array(..) => true,
            Ty::User => matches!(e, Expr::Field(_)),
            _ => false,
        };
        let changes = facts::root(e)
            .filter(|name| touched(name))
            .and_then(|name| self.facts.get(&name))
            .is_some_and(|v| v.mutable || v.exclusive);
        own && array && changes
    }

    /// The outermost call of a chain, with the copies before it.
    fn chain(&mut self, e: &mut Expr) {
        let mut copies = Vec::new();
        let code = closures(e);
        let touched = |name: &str| code.iter().any(|e| names_it(e, name));
        self.take(e, false, &touched, &mut copies);
        if !copies.is_empty() {
            let chain = std::mem::replace(e, make::unit());
            *e = make::block(copies, Some(chain));
        }
    }
}

/// `let [a, b] = [x, y];` is `let (a, b) = (x, y);`: nothing is moved out of an array.
fn spread(local: &mut syn::Local) {
    let (syn::Pat::Slice(pats), Some(init)) = (&local.pat, &mut local.init) else {
        return;
    };
    let Expr::Array(array) = unparen(&init.expr) else {
        return;
    };
    let rest = pats.elems.iter().any(|p| match p {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(p) => p.subpat.is_some(),
        _ => false,
    });
    if !rest && pats.elems.len() == array.elems.len() && init.diverge.is_none() {
        *init.expr = make::tuple(array.elems.clone());
        local.pat = make::tuple_pat(pats.elems.clone());
    }
}

impl VisitMut for Copies<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        spread(local);
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            // An iterator that has a name is not moved into a block.
            if let Stmt::Local(local) = &mut stmt {
                if let Some(init) = &mut local.init {
                    self.take(&mut init.expr, false, &|_| true, &mut block.stmts);
                }
            }
            self.visit_stmt_mut(&mut stmt);
            block.stmts.push(stmt);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::ForLoop(f) => {
                let mut copies = Vec::new();
                let mut code = closures(&f.expr);
                code.push(Expr::Block(syn::ExprBlock {
                    attrs: Vec::new(),
                    label: None,
                    block: f.body.clone(),
                }));
                let touched = |name: &str| code.iter().any(|e| names_it(e, name));
                self.take(&mut f.expr, true, &touched, &mut copies);
                self.visit_expr_mut(&mut f.expr);
                self.visit_block_mut(&mut f.body);
                if !copies.is_empty() {
                    let walk = std::mem::replace(e, make::unit());
                    copies.push(Stmt::Expr(walk, None));
                    *e = make::block(copies, None);
                }
                return;
            }
            Expr::MethodCall(_) => self.chain(e),
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
    }
}
