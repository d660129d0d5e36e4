//! The rule table of the runtime, with its partials parsed.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

use autodiff_rules::{Flag, RULES, Rule};
use proc_macro2::Ident;

/// A partial derivative as written in the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Partial {
    /// A literal, as written.
    Float(String),
    Int(String),
    /// An argument of the row.
    Arg(usize),
    /// The row's own result.
    Result,
    Neg(Box<Partial>),
    Binary(Sign, Box<Partial>, Box<Partial>),
    /// Another row.
    Call(usize, Vec<Partial>),
}

/// A sign between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Add,
    Sub,
    Mul,
    Div,
}

impl Partial {
    /// Whether it is this literal.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self, Partial::Float(t) if t == text)
    }

    /// Whether it is zero everywhere.
    pub(crate) fn is_zero(&self) -> bool {
        self.is("0.0")
    }
}

struct Table {
    by_name: FxHashMap<&'static str, usize>,
    /// Read when they are asked for, since most functions name few rows; `None` for an integer argument.
    partials: Vec<OnceLock<Vec<Option<Partial>>>>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let names = RULES.iter().enumerate();
        Table {
            by_name: names.map(|(k, rule)| (rule.name, k)).collect(),
            partials: RULES.iter().map(|_| OnceLock::new()).collect(),
        }
    })
}

/// The row of that index.
pub(crate) fn rule(index: usize) -> &'static Rule {
    &RULES[index]
}

/// The partials of a row, one per argument.
pub(crate) fn partials(index: usize) -> &'static [Option<Partial>] {
    let (table, rule) = (table(), &RULES[index]);
    let read = |text: &&str| parse(text, rule, &table.by_name);
    table.partials[index].get_or_init(|| rule.partials.iter().map(read).collect())
}

/// The row of a function.
pub(crate) fn by_name(name: &str) -> Option<usize> {
    table().by_name.get(name).copied()
}

/// The row of a method of the floats.
pub(crate) fn by_method(name: &str) -> Option<usize> {
    by_name(name).filter(|&k| RULES[k].method)
}

/// The names of the rows that are methods of the floats.
pub(crate) fn methods() -> impl Iterator<Item = &'static str> {
    RULES
        .iter()
        .filter(|rule| rule.method)
        .map(|rule| rule.name)
}

/// Whether a function of this name is exported beside the attribute, or may be.
pub(crate) fn is_exported(name: &Ident) -> bool {
    by_name(&name.to_string()).is_some_and(|k| !RULES[k].method)
}

/// How the partials of a row are applied.
pub(crate) fn flag(index: usize) -> Flag {
    RULES[index].flag
}

fn parse(text: &str, rule: &Rule, by_name: &FxHashMap<&str, usize>) -> Option<Partial> {
    if text.trim() == "_" {
        return None;
    }
    let e: syn::Expr =
        syn::parse_str(text).unwrap_or_else(|_| unreachable!("partial of {}: {text}", rule.name));
    Some(convert(&e, rule, by_name))
}

fn convert(e: &syn::Expr, rule: &Rule, by_name: &FxHashMap<&str, usize>) -> Partial {
    let go = |e: &syn::Expr| Box::new(convert(e, rule, by_name));
    match e {
        syn::Expr::Paren(e) => *go(&e.expr),
        syn::Expr::Group(e) => *go(&e.expr),
        syn::Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(i) => Partial::Int(i.to_string()),
            other => Partial::Float(quote::ToTokens::to_token_stream(other).to_string()),
        },
        syn::Expr::Unary(e) => match *go(&e.expr) {
            Partial::Float(text) => Partial::Float(format!("-{text}")),
            inner => Partial::Neg(Box::new(inner)),
        },
        syn::Expr::Binary(e) => {
            let sign = match e.op {
                syn::BinOp::Add(_) => Sign::Add,
                syn::BinOp::Sub(_) => Sign::Sub,
                syn::BinOp::Mul(_) => Sign::Mul,
                syn::BinOp::Div(_) => Sign::Div,
                _ => unreachable!("operator in a partial of {}", rule.name),
            };
            Partial::Binary(sign, go(&e.left), go(&e.right))
        }
        syn::Expr::Path(p) => {
            let name = p
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default();
            match rule.args.iter().position(|arg| *arg == name) {
                Some(k) => Partial::Arg(k),
                None => Partial::Result,
            }
        }
        syn::Expr::Call(call) => {
            let name = quote::ToTokens::to_token_stream(&call.func).to_string();
            let callee = by_name
                .get(name.as_str())
                .copied()
                .unwrap_or_else(|| unreachable!("{name} in a partial of {}", rule.name));
            Partial::Call(callee, call.args.iter().map(|e| *go(e)).collect())
        }
        _ => unreachable!("expression in a partial of {}", rule.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_partial_parses() {
        for k in 0..RULES.len() {
            assert_eq!(partials(k).len(), rule(k).args.len(), "{}", rule(k).name);
        }
    }

    #[test]
    fn methods_are_found() {
        assert!(by_method("sin").is_some());
        assert!(by_method("sigmoid").is_none());
        assert!(by_name("sigmoid").is_some());
    }
}
