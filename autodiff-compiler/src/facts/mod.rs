//! What holds of each variable throughout a body: its type, whether it may be active, whether it is memory.
//!
//! Flow-insensitive, on syntax alone, before lowering: lowering decides by these facts what it copies verbatim.

mod cells;
mod coded;
mod decides;
mod infer;
mod memory;
mod solver;
mod walked;

use rustc_hash::{FxHashMap, FxHashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};

pub(crate) use self::cells::{STORED, is_of_cells};
pub(crate) use self::coded::coded;
use self::memory::Memory;
pub(crate) use self::memory::{Changed, changes_receiver, is_harmless, is_simple_assignment};
use self::solver::Solver;
pub(crate) use self::solver::named;
use crate::ir::Ty;
use crate::std_methods::is_view;
use crate::syntax::{block_value, peel};
use crate::types;

use crate::visit::{self, Enter as _, Visit};

/// What is known of a variable.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts that do not depend on each other"
)]
pub(crate) struct Var {
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// May depend on an active parameter.
    pub(crate) active: bool,
    /// A memory object rather than a value.
    pub(crate) place: bool,
    /// What it may refer to, if it is a reference to a part of another variable.
    pub(crate) roots: Vec<String>,
    /// A `&mut` reference.
    pub(crate) exclusive: bool,
    /// A parameter that is a constant to every function that is lent it.
    pub(crate) constant: bool,
    /// Code that is copied as it stands assigns it as a whole.
    pub(crate) rebound: bool,
    /// A call has returned it, and it is walked through: it is taken for a vector of values of a type of the user's own.
    pub(crate) listed: bool,
}

/// What a signature says.
pub(crate) struct Given {
    pub(crate) params: FxHashMap<String, Var>,
    /// The type of the result, as far as it is known.
    pub(crate) yields: Ty,
    /// The names that stand for types and numbers to be chosen.
    pub(crate) generics: FxHashSet<String>,
    /// Of these, the types that stand for floats.
    pub(crate) numeric: Vec<Ident>,
    /// The function is about tensors.
    pub(crate) tensors: bool,
    /// Parameters that are written to through shared references.
    pub(crate) cells: FxHashSet<String>,
}

/// All variables of a function.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) vars: FxHashMap<String, Var>,
    generics: FxHashSet<String>,
    numeric: Vec<Ident>,
    /// What is multiplied by a number may be of a type of the user's own.
    cautious: bool,
    /// What is of a type that is not known may be a tensor.
    pub(crate) tensors: bool,
    /// Variables that are written to through shared references.
    cells: FxHashSet<String>,
}

/// The variable at the bottom of a place expression.
pub(crate) fn root(e: &syn::Expr) -> Option<String> {
    match e {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        syn::Expr::Paren(e) => root(&e.expr),
        syn::Expr::Group(e) => root(&e.expr),
        syn::Expr::Index(e) => root(&e.expr),
        syn::Expr::Field(e) => root(&e.base),
        syn::Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => root(&e.expr),
        syn::Expr::Reference(e) => root(&e.expr),
        syn::Expr::MethodCall(e) if is_view(&e.method) => root(&e.receiver),
        _ => None,
    }
}

/// Calls `f` with every variable that the tokens of a macro may name.
pub(crate) fn idents(tokens: TokenStream, f: &mut dyn FnMut(String)) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => f(ident.to_string()),
            TokenTree::Group(group) => idents(group.stream(), f),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    crate::syntax::captures(&text.value())
                        .into_iter()
                        .for_each(&mut *f);
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

/// Whether `f` holds for a variable named anywhere in the expression.
struct Mentions<'a> {
    test: &'a dyn Fn(&str) -> bool,
    found: bool,
}

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        match e {
            _ if self.found => {}
            // A long sum is deep on its left, and is asked of at each of its signs.
            syn::Expr::Binary(e) => {
                self.visit_expr(&e.right);
                self.visit_expr(&e.left);
            }
            e => crate::visit::visit_expr(self, e),
        }
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        if let Some(ident) = e.path.get_ident() {
            self.found |= (self.test)(&ident.to_string());
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        idents(mac.tokens.clone(), &mut |name| {
            self.found |= (self.test)(&name);
        });
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// Whether `test` holds for a variable named anywhere in the expression.
pub(crate) fn mentions(e: &syn::Expr, test: &dyn Fn(&str) -> bool) -> bool {
    let mut mentions = Mentions { test, found: false };
    mentions.visit_expr(e);
    mentions.found
}

/// Whether `test` holds for a variable named anywhere in the statement.
pub(crate) fn mentioned(stmt: &syn::Stmt, test: &dyn Fn(&str) -> bool) -> bool {
    let mut mentions = Mentions { test, found: false };
    mentions.visit_stmt(stmt);
    mentions.found
}

impl Facts {
    pub(crate) fn get(&self, name: &str) -> Option<&Var> {
        self.vars.get(name)
    }

    /// Whether a name stands for a type or a number to be chosen.
    pub(crate) fn is_generic(&self, name: &str) -> bool {
        self.generics.contains(name)
    }

    /// Whether a name stands for a float.
    pub(crate) fn is_numeric(&self, name: &str) -> bool {
        self.numeric.iter().any(|numeric| numeric == name)
    }

    /// What a written type means.
    pub(crate) fn read(&self, ty: &syn::Type) -> Ty {
        types::read_in(ty, &self.numeric)
    }

    pub(crate) fn is_place(&self, name: &str) -> bool {
        self.get(name).is_some_and(|v| v.place)
    }

    /// Whether a variable is another one, or a reference that may refer to a part of it.
    pub(crate) fn leads_to(&self, name: &str, other: &str) -> bool {
        self.behind(name).contains(&other)
    }

    /// Whether what a variable holds, or refers to, may change.
    pub(crate) fn may_change(&self, name: &str) -> bool {
        let behind = self.behind(name);
        let mut known = behind.into_iter().filter_map(|name| self.get(name));
        known.any(|var| var.mutable || var.exclusive)
    }

    /// A variable, and those that it may refer to a part of.
    pub(crate) fn behind<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut seen = vec![name];
        let mut next = 0;
        while let Some(&name) = seen.get(next) {
            next += 1;
            let roots = self.get(name).map_or(&[][..], |var| &var.roots);
            let new = roots.iter().map(String::as_str);
            let new: Vec<_> = new.filter(|root| !seen.contains(root)).collect();
            seen.extend(new);
        }
        seen
    }

    /// Whether an expression is a `&mut` reference, or yields some.
    pub(crate) fn lends(&self, e: &syn::Expr) -> bool {
        match peel(e) {
            syn::Expr::Reference(r) => r.mutability.is_some(),
            syn::Expr::MethodCall(m) => {
                m.method.to_string().ends_with("_mut")
                    || is_view(&m.method)
                        && (self.lends(&m.receiver) || m.args.iter().any(|e| self.lends(e)))
            }
            syn::Expr::Path(p) => p
                .path
                .get_ident()
                .and_then(|i| self.get(&i.to_string()))
                .is_some_and(|v| v.exclusive && !matches!(v.ty, Ty::Int | Ty::Bool)),
            _ => false,
        }
    }

    /// Whether a `&mut` reference may be in the value of an expression; there is none in what is `read`.
    pub(crate) fn may_lend(&self, e: &syn::Expr, read: &dyn Fn(&str) -> bool) -> bool {
        struct Lends<'a>(&'a Facts, &'a dyn Fn(&str) -> bool, bool);
        impl<'ast> Visit<'ast> for Lends<'_> {
            fn visit_item(&mut self, _: &'ast syn::Item) {}
            fn visit_expr(&mut self, e: &'ast syn::Expr) {
                // Parts of such a variable, which nobody changes, are no more than it is.
                let known =
                    |name: &String| self.1(name) && self.0.get(name).is_some_and(|v| !v.mutable);
                self.2 |= match e {
                    // A method may return a part of what it is called on.
                    syn::Expr::MethodCall(m) => root(&m.receiver)
                        .and_then(|name| self.0.get(&name))
                        .is_some_and(|v| v.mutable && !v.ty.is_scalar()),
                    // A tuple of references does not say that they are `&mut`.
                    syn::Expr::Path(_) => root(e)
                        .and_then(|name| self.0.get(&name))
                        .is_some_and(|v| !v.roots.iter().all(known)),
                    syn::Expr::Macro(_) => true,
                    _ => false,
                } || self.0.lends(e);
                visit::visit_expr(self, e);
            }
        }
        let mut lends = Lends(self, read, false);
        lends.visit_expr(e);
        lends.2
    }

    /// Names an active variable anywhere.
    pub(crate) fn mentions_active(&self, e: &syn::Expr) -> bool {
        mentions(e, &|name| self.get(name).is_some_and(|v| v.active))
    }

    /// Names an active variable anywhere.
    pub(crate) fn tokens_mention_active(&self, tokens: TokenStream) -> bool {
        let mut found = false;
        idents(tokens, &mut |name| {
            found |= self.get(&name).is_some_and(|v| v.active);
        });
        found
    }
}

/// `mem::take`, `mem::replace`: what the first argument refers to is the result.
pub(crate) fn takes_out(func: &syn::Expr) -> bool {
    let syn::Expr::Path(p) = func else {
        return false;
    };
    let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
    let name = names.next();
    matches!(name.as_deref(), Some("take" | "replace")) && names.next().as_deref() == Some("mem")
}

/// The values that a labelled block is left with by `break`.
pub(crate) fn break_values(block: &syn::ExprBlock) -> Vec<&syn::Expr> {
    struct Breaks<'a> {
        label: &'a syn::Lifetime,
        values: Vec<&'a syn::Expr>,
    }
    impl<'a> crate::visit::Visit<'a> for Breaks<'a> {
        fn visit_item(&mut self, _: &'a syn::Item) {}

        fn visit_expr_break(&mut self, e: &'a syn::ExprBreak) {
            if e.label.as_ref() == Some(self.label) {
                self.values.extend(e.expr.as_deref());
            }
            crate::visit::visit_expr_break(self, e);
        }
    }
    let Some(label) = &block.label else {
        return Vec::new();
    };
    let mut breaks = Breaks {
        label: &label.name,
        values: Vec::new(),
    };
    crate::visit::Enter::visit_block(&mut breaks, &block.block);
    breaks.values
}

/// Computes the facts of a body whose names are unique.
pub(crate) fn facts(body: &syn::Block, given: &Given) -> Facts {
    let counts: FxHashMap<String, Ty> = walked::counted(body)
        .into_iter()
        .map(|name| (name, Ty::Int))
        .collect();
    let mut solver = solved(body, given, counts.clone(), false);
    if solver.doubted {
        let cautious = solved(body, given, counts.clone(), true).facts.vars;
        let own = cautious
            .into_iter()
            .filter(|(_, var)| solver::innermost(&var.ty).is_user());
        let own = own.map(|(name, var)| (name, var.ty));
        solver = solved(body, given, own.chain(counts).collect(), false);
    }
    let mut memory = Memory {
        facts: solver.facts,
    };
    memory.visit_block(body);
    memory.facts
}

/// Types and activity, where it is known of some variables that they are of types of the user's own, or integers.
fn solved(body: &syn::Block, given: &Given, own: FxHashMap<String, Ty>, cautious: bool) -> Solver {
    let params = &given.params;
    let numbers = params
        .iter()
        .filter(|(_, v)| v.ty.is_scalar() && !v.place && v.roots.is_empty())
        .map(|(name, _)| name.clone())
        .collect();
    let by_value = params.iter().filter(|(_, v)| !v.place);
    let shared = params.iter().filter(|(_, v)| v.place && !v.exclusive);
    let mut solver = Solver {
        numbers,
        shared: shared.map(|(name, _)| name.clone()).collect(),
        owned: by_value.map(|(name, _)| name.clone()).collect(),
        facts: Facts {
            vars: params.clone(),
            generics: given.generics.clone(),
            numeric: given.numeric.clone(),
            cautious,
            tensors: given.tensors,
            cells: cells::cells(body, &given.cells),
        },
        own,
        doubted: false,
        walked: walked::walked(body),
        returned: FxHashSet::default(),
        changed: true,
        lending: false,
        closures: FxHashMap::default(),
    };
    while solver.changed {
        solver.changed = false;
        solver.visit_block(body);
        if let Some(e) = block_value(body) {
            solver.must_be(e, &given.yields, true);
        }
    }
    solver
}

impl Memory {}

/// The function that makes rustc check that its argument is a list.
pub(crate) const WALKED: &str = "__autodiff_walked";

/// The variables of a body, one per line.
pub(crate) fn printed(facts: &Facts) -> String {
    let mut lines: Vec<String> = facts
        .vars
        .iter()
        .map(|(name, var)| {
            let active = if var.active { "active" } else { "constant" };
            format!("{name}: {:?}, {active}", var.ty)
        })
        .collect();
    lines.sort();
    lines.join("\n")
}
