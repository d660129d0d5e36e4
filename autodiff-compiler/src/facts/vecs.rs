//! `vec!` as a call and `matches!` as a `match`, so that everything sees the expressions in them.

/// Elements of `vec![…]`.
pub(crate) enum VecMacro<'e> {
    List(Vec<&'e syn::Expr>),
    Repeat(&'e syn::Expr, &'e syn::Expr),
}

/// The functions that stand for `vec!`, so that everything sees the expressions in it.
pub(super) const LIST: &str = "__autodiff_vec_list";

pub(super) const REPEAT: &str = "__autodiff_vec_repeat";

/// The elements, if a call stands for `vec!`.
pub(crate) fn vec_macro(call: &syn::ExprCall) -> Option<VecMacro<'_>> {
    let syn::Expr::Path(func) = &*call.func else {
        return None;
    };
    if func.path.is_ident(LIST) {
        return Some(VecMacro::List(call.args.iter().collect()));
    }
    if func.path.is_ident(REPEAT) {
        return Some(VecMacro::Repeat(&call.args[0], &call.args[1]));
    }
    None
}

/// `vec![…]` as a call that stands for it; `None` for any other macro.
pub(crate) fn open_vec(mac: &syn::Macro) -> Option<syn::ExprCall> {
    if !mac.path.is_ident("vec") {
        return None;
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        let mut all: Vec<syn::Expr> = Vec::new();
        if !input.is_empty() {
            all.push(input.parse()?);
        }
        if input.peek(syn::Token![;]) {
            input.parse::<syn::Token![;]>()?;
            all.push(input.parse()?);
            return Ok((REPEAT, all));
        }
        while !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
            if !input.is_empty() {
                all.push(input.parse()?);
            }
        }
        Ok((LIST, all))
    };
    let (name, all) = syn::parse::Parser::parse2(parser, mac.tokens.clone()).ok()?;
    let span = syn::spanned::Spanned::span(&mac.path);
    let func = proc_macro2::Ident::new(name, span);
    Some(syn::parse_quote_spanned!(span=> #func(#(#all),*)))
}

/// What `matches!(…)` stands for; `None` for any other macro.
pub(crate) fn open_matches(mac: &syn::Macro) -> Option<syn::Expr> {
    if !mac.path.is_ident("matches") {
        return None;
    }
    let span = syn::spanned::Spanned::span(&mac.path);
    let parser = |input: syn::parse::ParseStream<'_>| {
        let e: syn::Expr = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
        let guard: Option<syn::Token![if]> = input.parse()?;
        let guard = guard.map(|word| Ok::<_, syn::Error>((word, input.parse::<syn::Expr>()?)));
        let guard = guard
            .transpose()?
            .map(|(word, guard)| quote::quote!(#word #guard));
        input.parse::<Option<syn::Token![,]>>()?;
        let mut opened: syn::ExprMatch =
            syn::parse_quote_spanned!(span=> match () { #pat #guard => true, _ => false });
        // As tokens, a struct would be taken for the braces of the `match`.
        opened.expr = Box::new(e);
        Ok(syn::Expr::Match(opened))
    };
    syn::parse::Parser::parse2(parser, mac.tokens.clone()).ok()
}

/// The call that stands for `vec![value; n]`.
pub(crate) fn repeated(value: syn::Expr, n: syn::Expr, span: proc_macro2::Span) -> syn::Expr {
    let func = proc_macro2::Ident::new(REPEAT, span);
    let mut call: syn::ExprCall = syn::parse_quote_spanned!(span=> #func());
    call.args = [value, n].into_iter().collect();
    syn::Expr::Call(call)
}

/// The macro again, for code that is copied.
pub(crate) fn close_vec(call: &syn::ExprCall) -> Option<syn::Expr> {
    Some(match vec_macro(call)? {
        VecMacro::List(all) => syn::parse_quote!(vec![#(#all),*]),
        VecMacro::Repeat(v, n) => syn::parse_quote!(vec![#v; #n]),
    })
}
