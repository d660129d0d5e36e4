//! What code jumps to, and whether control reaches its end.

use quote::ToTokens;

use crate::visit::{self, Enter as _, Other, Visit};

/// A jump, by the label of its target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Jump {
    Break(String),
    Continue(String),
    Return,
}

/// Collects the jumps that leave the code visited.
#[derive(Default)]
struct Escapes {
    inside: Vec<String>,
    found: Vec<Jump>,
}

impl Escapes {
    fn add(&mut self, jump: Jump) {
        let internal = match &jump {
            Jump::Break(label) | Jump::Continue(label) => self.inside.contains(label),
            Jump::Return => false,
        };
        if !internal && !self.found.contains(&jump) {
            self.found.push(jump);
        }
    }

    fn within(&mut self, label: Option<&syn::Label>, f: impl FnOnce(&mut Self)) {
        self.inside.extend(label.map(|l| l.name.ident.to_string()));
        f(self);
        if label.is_some() {
            self.inside.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Escapes {
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        visit::visit_expr_return(self, e);
        self.add(Jump::Return);
    }

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        visit::visit_expr_try(self, e);
        self.add(Jump::Return);
    }

    fn visit_expr_break(&mut self, e: &'ast syn::ExprBreak) {
        visit::visit_expr_break(self, e);
        if let Some(label) = &e.label {
            self.add(Jump::Break(label.ident.to_string()));
        }
    }

    fn visit_expr_continue(&mut self, e: &'ast syn::ExprContinue) {
        if let Some(label) = &e.label {
            self.add(Jump::Continue(label.ident.to_string()));
        }
    }

    fn visit_expr_loop(&mut self, e: &'ast syn::ExprLoop) {
        self.within(e.label.as_ref(), |cx| cx.visit_block(&e.body));
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.within(e.label.as_ref(), |cx| {
            cx.visit_expr(&e.cond);
            cx.visit_block(&e.body);
        });
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        self.within(e.label.as_ref(), |cx| cx.visit_block(&e.body));
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ExprAsync(_) => {}
            Other::ExprBlock(e) => {
                self.within(e.label.as_ref(), |cx| cx.visit_block(&e.block));
            }
            other => other.walk(self),
        }
    }
}

/// The jumps that leave a statement.
pub(super) fn of_stmt(stmt: &syn::Stmt) -> Vec<Jump> {
    let mut escapes = Escapes::default();
    escapes.visit_stmt(stmt);
    escapes.found
}

/// The jumps that leave an expression.
pub(super) fn of_expr(e: &syn::Expr) -> Vec<Jump> {
    let mut escapes = Escapes::default();
    escapes.visit_expr(e);
    escapes.found
}

/// The jumps that leave a block.
pub(super) fn of_block(block: &syn::Block) -> Vec<Jump> {
    let mut escapes = Escapes::default();
    escapes.visit_block(block);
    escapes.found
}

/// Whether anything in a body is for this pass.
pub(super) fn has_exits(body: &syn::Block) -> bool {
    #[derive(Default)]
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            self.0 |= matches!(
                e,
                syn::Expr::Return(_)
                    | syn::Expr::Try(_)
                    | syn::Expr::Break(_)
                    | syn::Expr::Continue(_)
                    | syn::Expr::Loop(_)
                    | syn::Expr::While(_)
                    | syn::Expr::Let(_)
            );
            visit::visit_expr(self, e);
        }
        fn visit_local(&mut self, local: &'ast syn::Local) {
            self.0 |= local.init.as_ref().is_some_and(|i| i.diverge.is_some());
            visit::visit_local(self, local);
        }
    }
    let mut find = Find::default();
    find.visit_block(body);
    find.0
}

/// A macro that does not come back.
fn panics(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|s| {
        matches!(
            s.ident.to_string().as_str(),
            "panic" | "unreachable" | "todo" | "unimplemented"
        )
    })
}

/// Whether control may reach the end of a block.
pub(in crate::desugar) fn block_falls(block: &syn::Block) -> bool {
    block.stmts.iter().all(stmt_falls)
}

/// Whether control may reach the end of a statement.
pub(super) fn stmt_falls(stmt: &syn::Stmt) -> bool {
    match stmt {
        syn::Stmt::Local(local) => local.init.as_ref().is_none_or(|i| falls(&i.expr)),
        syn::Stmt::Expr(e, _) => falls(e),
        syn::Stmt::Macro(m) => !panics(&m.mac.path),
        syn::Stmt::Item(_) => true,
    }
}

/// Whether control may reach the end of an expression.
pub(in crate::desugar) fn falls(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_) => false,
        syn::Expr::Macro(m) => !panics(&m.mac.path),
        syn::Expr::Paren(e) => falls(&e.expr),
        syn::Expr::Group(e) => falls(&e.expr),
        syn::Expr::If(e) => {
            falls(&e.cond)
                && (block_falls(&e.then_branch)
                    || e.else_branch.as_ref().is_none_or(|(_, e)| falls(e)))
        }
        syn::Expr::Match(e) => falls(&e.expr) && e.arms.iter().any(|arm| falls(&arm.body)),
        syn::Expr::Block(e) => block_falls(&e.block) || is_left(e.label.as_ref(), &e.block),
        syn::Expr::Loop(e) => is_left(e.label.as_ref(), &e.body),
        syn::Expr::Assign(e) => falls(&e.right),
        _ => true,
    }
}

/// Whether code breaks to the label around it.
fn is_left(label: Option<&syn::Label>, body: &syn::Block) -> bool {
    label.is_some_and(|l| of_block(body).contains(&Jump::Break(l.name.ident.to_string())))
}

/// The values that jumps carry to a target.
pub(super) fn values<'e>(body: &'e syn::Block, target: &Jump) -> Vec<&'e syn::Expr> {
    struct Values<'e, 't> {
        target: &'t Jump,
        found: Vec<&'e syn::Expr>,
    }
    impl<'e> Visit<'e> for Values<'e, '_> {
        fn visit_item(&mut self, _: &'e syn::Item) {}
        fn visit_expr_closure(&mut self, _: &'e syn::ExprClosure) {}
        fn visit_expr_break(&mut self, e: &'e syn::ExprBreak) {
            if let (Some(label), Jump::Break(target)) = (&e.label, self.target) {
                if label.ident == target {
                    self.found.extend(e.expr.as_deref());
                }
            }
            visit::visit_expr_break(self, e);
        }
        fn visit_expr_return(&mut self, e: &'e syn::ExprReturn) {
            if *self.target == Jump::Return {
                self.found.extend(e.expr.as_deref());
            }
            visit::visit_expr_return(self, e);
        }
    }
    let mut values = Values {
        target,
        found: Vec::new(),
    };
    values.visit_block(body);
    values.found
}

/// Whether the statements before a test at the head of a loop body may run once more than the others: nothing they do must be undone.
pub(super) fn is_clean(stmts: &[syn::Stmt], cond: &syn::Expr) -> bool {
    #[derive(Default)]
    struct Effects(bool);
    impl<'ast> Visit<'ast> for Effects {
        fn visit_expr(&mut self, e: &'ast syn::Expr) {
            self.0 |= matches!(
                e,
                syn::Expr::Loop(_)
                    | syn::Expr::While(_)
                    | syn::Expr::ForLoop(_)
                    | syn::Expr::Closure(_)
                    | syn::Expr::If(_)
                    | syn::Expr::Match(_)
            );
            visit::visit_expr(self, e);
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.0 |= panics(&mac.path);
        }
    }
    let mut effects = Effects::default();
    let mut changed = crate::facts::Changed::default();
    for stmt in stmts {
        effects.0 |= !matches!(stmt, syn::Stmt::Local(_) | syn::Stmt::Item(_));
        effects.visit_stmt(stmt);
        changed.visit_stmt(stmt);
    }
    effects.visit_expr(cond);
    changed.visit_expr(cond);
    !effects.0 && changed.names.is_empty()
}

/// `if c { break; }` out of the loop of that label: the condition.
pub(super) fn plain_break<'s>(stmt: &'s syn::Stmt, label: &str) -> Option<&'s syn::Expr> {
    let syn::Stmt::Expr(syn::Expr::If(e), _) = stmt else {
        return None;
    };
    if e.else_branch.is_some() || matches!(&*e.cond, syn::Expr::Let(_)) {
        return None;
    }
    let [syn::Stmt::Expr(syn::Expr::Break(jump), _)] = e.then_branch.stmts.as_slice() else {
        return None;
    };
    let own = jump.expr.is_none() && jump.label.as_ref().is_some_and(|l| l.ident == label);
    own.then_some(&e.cond)
}

/// The text of a label.
pub(super) fn label_of(label: Option<&syn::Label>) -> String {
    label
        .map(|l| l.name.ident.to_token_stream().to_string())
        .unwrap_or_default()
}
