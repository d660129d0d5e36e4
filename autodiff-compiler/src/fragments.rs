//! Fragments of `macro_rules!`: an expression keeps together without parentheses as long as nobody takes it apart.
//!
//! The compiler hands `$e` of `2 * $e` over in a group without delimiters, and forgets such groups in what a procedural macro returns.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// The same code, with parentheses around fragments that need them; blocks are no groups, because as statements they need no semicolon.
pub(crate) fn grouped(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let each = tokens.iter().enumerate().map(|(k, token)| match token {
        TokenTree::Group(group) => {
            let inner = grouped(group.stream());
            let hidden = group.delimiter() == Delimiter::None;
            let falls_apart = hidden && falls_apart(&inner, tokens.get(k + 1));
            let goes_on = match tokens.get(k + 1) {
                Some(TokenTree::Group(next)) => {
                    matches!(next.delimiter(), Delimiter::Brace | Delimiter::None)
                }
                next => matches!(next, Some(TokenTree::Ident(_))),
            };
            if let Some(block) = block(&inner).filter(|_| hidden && goes_on && !falls_apart) {
                return block;
            }
            let (delimiter, span) = if falls_apart {
                // Of its own span rustc knows that the user did not write superfluous parentheses.
                let span = group.span().resolved_at(Span::mixed_site());
                (Delimiter::Parenthesis, span)
            } else {
                (group.delimiter(), group.span())
            };
            let mut group = Group::new(delimiter, inner);
            group.set_span(span);
            TokenTree::Group(group)
        }
        other => other.clone(),
    });
    each.collect()
}

/// The block that these tokens are.
fn block(tokens: &TokenStream) -> Option<TokenTree> {
    let mut tokens = tokens.clone().into_iter();
    let first = tokens.next().filter(|_| tokens.next().is_none());
    first.filter(
        |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
    )
}

/// Is it an expression that operators and methods beside it could take apart?
fn falls_apart(tokens: &TokenStream, next: Option<&TokenTree>) -> bool {
    match syn::parse2::<syn::Expr>(tokens.clone()) {
        Ok(
            syn::Expr::Assign(_)
            | syn::Expr::Binary(_)
            | syn::Expr::Cast(_)
            | syn::Expr::Closure(_)
            | syn::Expr::Range(_)
            | syn::Expr::Struct(_)
            | syn::Expr::Unary(_),
        ) => true,
        // A type, a block or a statement may look like this, and needs none.
        Ok(
            syn::Expr::Block(_)
            | syn::Expr::If(_)
            | syn::Expr::Loop(_)
            | syn::Expr::Match(_)
            | syn::Expr::Reference(_)
            | syn::Expr::Unsafe(_),
        ) => match next {
            Some(TokenTree::Punct(p)) => "+-*/%&|^<>.?".contains(p.as_char()),
            Some(TokenTree::Ident(word)) => word == "as",
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn fragment(tokens: TokenStream) -> TokenTree {
        TokenTree::Group(Group::new(Delimiter::None, tokens))
    }

    #[test]
    fn operations_keep_together() {
        for (inside, expected) in [
            (quote!(a + b), "2.0 * (a + b)"),
            (quote!(-a), "2.0 * (- a)"),
            (quote!(x as f64), "2.0 * (x as f64)"),
            (quote!(a.sin()), "2.0 * a . sin ()"),
            (quote!(1.5), "2.0 * 1.5"),
        ] {
            let e = fragment(inside);
            assert_eq!(grouped(quote!(2.0 * #e)).to_string(), expected);
        }
    }

    #[test]
    fn types_stay_as_they_are() {
        let ty = fragment(quote!(&[f64]));
        assert_eq!(
            grouped(quote!(x: #ty, y: f64)).to_string(),
            "x : & [f64] , y : f64"
        );
        let body = fragment(quote!({ x }));
        assert_eq!(grouped(quote!(-> f64 #body)).to_string(), "-> f64 { x }");
        let e = fragment(quote!(&x));
        assert_eq!(grouped(quote!(#e.len())).to_string(), "(& x) . len ()");
        let steps = fragment(quote!({ x }));
        let tokens: Vec<TokenTree> = grouped(quote!(#steps y)).into_iter().collect();
        assert!(
            matches!(&tokens[..], [TokenTree::Group(g), _] if g.delimiter() == Delimiter::Brace)
        );
    }
}
