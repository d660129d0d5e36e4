//! Expressions as they are written.

/// Without parentheses and invisible groups.
pub(crate) fn peel(e: &syn::Expr) -> &syn::Expr {
    match e {
        syn::Expr::Paren(e) => peel(&e.expr),
        syn::Expr::Group(e) => peel(&e.expr),
        _ => e,
    }
}

/// The arguments of a macro that takes expressions; none if it takes something else.
pub(crate) fn macro_arguments(mac: &syn::Macro) -> Vec<syn::Expr> {
    let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    syn::parse::Parser::parse2(parser, mac.tokens.clone())
        .map(|args| args.into_iter().collect())
        .unwrap_or_default()
}

/// Whether an operator is one of the four of arithmetic.
pub(crate) fn is_arithmetic(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Add, Div, Mul, Sub};
    matches!(op, Add(_) | Sub(_) | Mul(_) | Div(_))
}

pub(crate) fn is_compound(op: &syn::BinOp) -> bool {
    use syn::BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | BitXorAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

pub(crate) fn is_comparison(op: &syn::BinOp) -> bool {
    use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}

pub(crate) fn is_logical(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::And(_) | syn::BinOp::Or(_))
}

/// The expression that a block yields.
pub(crate) fn block_value(block: &syn::Block) -> Option<&syn::Expr> {
    match block.stmts.last() {
        Some(syn::Stmt::Expr(e, None)) => Some(e),
        _ => None,
    }
}

/// The names that a format string captures.
pub(crate) fn captures(format: &str) -> Vec<String> {
    let plain = format.replace("{{", "").replace("}}", "");
    plain
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split(['}', ':']).next())
        .filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .map(str::to_owned)
        .collect()
}

/// Whether an identifier pattern names a constant rather than binding a variable.
pub(crate) fn is_constant(pattern: &syn::PatIdent) -> bool {
    pattern.by_ref.is_none()
        && pattern.mutability.is_none()
        && pattern.subpat.is_none()
        && pattern
            .ident
            .to_string()
            .starts_with(|c: char| c.is_uppercase())
}
