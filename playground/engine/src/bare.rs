//! What is typed without a function: an expression, or statements that end in one, is a function of its free names.

use std::collections::BTreeMap;

use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// What is typed, as a function.
pub(crate) struct Bare {
    /// The function, on the lines of what is typed.
    pub(crate) text: String,
    /// The function without its body.
    pub(crate) head: String,
    /// The bytes before what is typed.
    pub(crate) before: usize,
}

/// The function that a text without functions stands for, or why there is none.
pub(crate) fn function(typed: &str) -> syn::Result<Bare> {
    let statements = |input: ParseStream<'_>| syn::Block::parse_within(input);
    let statements = statements.parse_str(typed)?;
    // Of these, what is wrong is at the end of the text.
    let wrong = |message: &str| Err(syn::Error::new(proc_macro2::Span::call_site(), message));
    let item = |statement: &syn::Stmt| matches!(statement, syn::Stmt::Item(_));
    if statements.iter().any(item) {
        return wrong("beside items there is no expression; write a function marked `#[grad]`");
    }
    if !matches!(statements.last(), Some(syn::Stmt::Expr(_, None))) {
        return wrong("it ends in no value");
    }
    let mut names = Names::default();
    names.all(&statements);
    let parameters: Vec<String> = names
        .order
        .iter()
        .map(|name| format!("{name}: {}", names.free[name].written()))
        .collect();
    let head = format!("fn f({}) -> f64", parameters.join(", "));
    let start = format!("#[grad] {head} {{ ");
    Ok(Bare {
        // Behind a comment there is another line.
        text: format!("{start}{typed}\n}}"),
        head,
        before: start.len(),
    })
}

/// What a free name is used as.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Number,
    List,
    Count,
    Exponent,
}

impl Use {
    fn written(self) -> &'static str {
        match self {
            Use::Number => "f64",
            Use::List => "&[f64]",
            Use::Count => "usize",
            Use::Exponent => "i32",
        }
    }
}

/// The names that stand for values from outside.
#[derive(Default)]
struct Names {
    free: BTreeMap<String, Use>,
    /// As they appear.
    order: Vec<String>,
    bound: Vec<String>,
}

impl Names {
    fn all(&mut self, statements: &[syn::Stmt]) {
        let outside = self.bound.len();
        for statement in statements {
            self.visit_stmt(statement);
        }
        self.bound.truncate(outside);
    }

    fn found(&mut self, expr: &syn::Expr, used: Use) -> bool {
        let syn::Expr::Path(path) = expr else {
            return false;
        };
        let Some(name) = path.path.get_ident().map(ToString::to_string) else {
            return false;
        };
        // Constants and variants have capitals.
        let capital = name.starts_with(char::is_uppercase) && name.len() > 1;
        if !capital && name != "self" && !self.bound.contains(&name) {
            if !self.free.contains_key(&name) {
                self.order.push(name.clone());
            }
            let known = self.free.entry(name).or_insert(used);
            if *known == Use::Number {
                *known = used;
            }
        }
        true
    }

    /// An expression that is used as a list or as a count if it is a name.
    fn used(&mut self, expr: &syn::Expr, used: Use) {
        let expr = match expr {
            syn::Expr::Reference(to) if used == Use::List => &to.expr,
            other => other,
        };
        if !self.found(expr, used) {
            self.visit_expr(expr);
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.all(&block.stmts);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, diverges)) = &init.diverge {
                self.visit_expr(diverges);
            }
        }
        self.visit_pat(&local.pat);
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.bound.push(pat.ident.to_string());
        visit::visit_pat_ident(self, pat);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        // What `if let` binds is there in one of the arms.
        let outside = self.bound.len();
        self.visit_expr(&expr.cond);
        self.visit_block(&expr.then_branch);
        self.bound.truncate(outside);
        if let Some((_, other)) = &expr.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.visit_expr(&expr.expr);
        self.visit_pat(&expr.pat);
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        let outside = self.bound.len();
        visit::visit_expr_while(self, expr);
        self.bound.truncate(outside);
    }

    fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
        let outside = self.bound.len();
        self.used(&expr.expr, Use::List);
        self.visit_pat(&expr.pat);
        self.visit_block(&expr.body);
        self.bound.truncate(outside);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let outside = self.bound.len();
        visit::visit_arm(self, arm);
        self.bound.truncate(outside);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        let outside = self.bound.len();
        visit::visit_expr_closure(self, closure);
        self.bound.truncate(outside);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        // The name of a function is none of a value.
        if !matches!(&*call.func, syn::Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        for arg in &call.args {
            self.visit_expr(arg);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = call.method.to_string();
        let of_lists = [
            "iter", "len", "windows", "chunks", "first", "last", "to_vec",
        ];
        let receiver = if of_lists.contains(&method.as_str()) {
            Use::List
        } else {
            Use::Number
        };
        self.used(&call.receiver, receiver);
        let args = match method.as_str() {
            "powi" => Use::Exponent,
            "zip" | "chain" => Use::List,
            _ => Use::Number,
        };
        for arg in &call.args {
            self.used(arg, args);
        }
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        // As `vec!` and `assert!` have them.
        let args = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        for arg in called.parse_body_with(args).into_iter().flatten() {
            self.visit_expr(&arg);
        }
    }

    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        self.used(&index.expr, Use::List);
        self.used(&index.index, Use::Count);
    }

    fn visit_expr_range(&mut self, range: &'ast syn::ExprRange) {
        for end in [&range.start, &range.end].into_iter().flatten() {
            self.used(end, Use::Count);
        }
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        if !self.found(expr, Use::Number) {
            visit::visit_expr(self, expr);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::function;

    fn head(typed: &str) -> String {
        function(typed).map_or_else(|error| error.to_string(), |bare| bare.head)
    }

    #[test]
    fn free_names_are_parameters_as_they_appear() {
        assert_eq!(head("x * y.sin()"), "fn f(x: f64, y: f64) -> f64");
        assert_eq!(head("b * a + b"), "fn f(b: f64, a: f64) -> f64");
        assert_eq!(head("2.0_f64.sqrt()"), "fn f() -> f64");
        assert_eq!(
            head("std::f64::consts::PI * r.powi(2)"),
            "fn f(r: f64) -> f64"
        );
        assert_eq!(
            head("f64::max(x, sigmoid(y))"),
            "fn f(x: f64, y: f64) -> f64"
        );
    }

    #[test]
    fn what_is_bound_is_no_parameter() {
        assert_eq!(
            head("let a = a * x; a + 1.0"),
            "fn f(a: f64, x: f64) -> f64"
        );
        assert_eq!(
            head("({ let a = x; a }) + a"),
            "fn f(x: f64, a: f64) -> f64"
        );
        assert_eq!(
            head("let g = |t: f64| t * k; g(x)"),
            "fn f(k: f64, x: f64) -> f64"
        );
        assert_eq!(
            head("match n { m if m > 0.0 => m, _ => z }"),
            "fn f(n: f64, z: f64) -> f64"
        );
        assert_eq!(
            head("if x > 0.0 { x } else { y }"),
            "fn f(x: f64, y: f64) -> f64"
        );
    }

    #[test]
    fn names_are_what_they_are_used_as() {
        assert_eq!(
            head("xs.iter().zip(&ys).map(|(x, y)| x * y).sum::<f64>()"),
            "fn f(xs: &[f64], ys: &[f64]) -> f64"
        );
        assert_eq!(
            head("vec![x, y].len() as f64"),
            "fn f(x: f64, y: f64) -> f64"
        );
        assert_eq!(head("x.powi(n)"), "fn f(x: f64, n: i32) -> f64");
        assert_eq!(
            head("w[0] * x + w[i]"),
            "fn f(w: &[f64], x: f64, i: usize) -> f64"
        );
        assert_eq!(
            head("xs.iter().map(|x| x * a).sum::<f64>()"),
            "fn f(xs: &[f64], a: f64) -> f64"
        );
        assert_eq!(
            head("let mut s = 0.0; for i in 0..n { s += x; } s"),
            "fn f(n: usize, x: f64) -> f64"
        );
        assert_eq!(
            head("let mut s = 0.0; for v in xs { s += v; } s"),
            "fn f(xs: &[f64]) -> f64"
        );
    }

    #[test]
    fn what_ends_in_no_value_is_none() {
        assert_eq!(head("let a = x;"), "it ends in no value");
        assert_eq!(head(""), "it ends in no value");
        assert!(function("fn f() {}").is_err());
        assert!(function("fn g(x: f64) -> f64 { x } x * y").is_err());
        assert!(function("x * ").is_err());
    }

    #[test]
    fn what_is_typed_stays_on_its_lines() {
        let bare = function("let a = x; // one\na * a // two").expect("a function");
        let typed = &bare.text[bare.before..];
        assert!(
            typed.starts_with("let a = x; // one\na * a // two\n}"),
            "{typed}"
        );
        assert!(!bare.text[..bare.before].contains('\n'));
    }
}
