//! `#[grad(dynamic)]`: the body once more, with variables of a tape in place of floats.
//!
//! What comes of it are functions of the form that `vjp = p` and `jvp = q` take, so everything public is made as for derivatives of the user's own.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};

use crate::attr::{By, GradFn, ParamInfo};
use crate::errors::Errors;

/// Refuses signatures that variables cannot be put into.
pub(crate) fn check(function: &GradFn, errors: &mut Errors) {
    let sig = &function.written.sig;
    if let Some(param) = sig.generics.params.first() {
        errors.error(
            param,
            "a generic function cannot be dynamic; write its types out",
        );
        return;
    }
    if mentions(&sig.to_token_stream(), "f64") && mentions(&sig.to_token_stream(), "f32") {
        errors.error(
            &sig.ident,
            "a dynamic function computes with one type of floats; use `f64` or `f32` throughout",
        );
    }
    for param in function.params.iter().filter(|p| p.active) {
        if !holds_floats(param) {
            errors.error(&param.written, format_args!("in a dynamic function, derivatives are found in numbers, arrays, slices and vectors of them; take the numbers of `{0}`, or mark it with `#[constant]`", param.name));
        }
    }
}

/// The type of floats.
fn float(function: &GradFn) -> Ident {
    let sig = function.written.sig.to_token_stream();
    let name = if mentions(&sig, "f32") { "f32" } else { "f64" };
    Ident::new(name, Span::call_site())
}

/// Whether the written type of a parameter shows floats: then variables take their place.
fn holds_floats(param: &ParamInfo) -> bool {
    let written = param.written.to_token_stream();
    mentions(&written, "f64") || mentions(&written, "f32")
}

fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The function on variables, and what runs it on a tape; `names` are those of the parameters.
pub(crate) fn functions(function: &GradFn, names: &[Ident], forms: &Forms) -> TokenStream {
    let float = float(function);
    let mut sig = function.written.sig.clone();
    let mut block = (*function.item.block).clone();
    let mut variables = Variables {
        float: float.clone(),
        function: sig.ident.clone(),
    };
    variables.visit_block_mut(&mut block);
    for input in &mut sig.inputs {
        variables.visit_fn_arg_mut(input);
    }
    variables.visit_return_type_mut(&mut sig.output);
    let (inputs, output) = (&sig.inputs, &sig.output);

    let params = || names.iter().zip(&function.params);
    let lifted = params().filter(|(_, p)| holds_floats(p)).map(|(name, p)| {
        let borrowed = borrowed(name, p);
        let lift = Ident::new(
            if p.active { "variables" } else { "constants" },
            Span::mixed_site(),
        );
        quote_spanned!(Span::mixed_site()=> let #name = rt::dynamic::#lift(#borrowed, &__tape);)
    });
    let passed = params().map(|(name, p)| match (holds_floats(p), p.by) {
        (true, By::Ref) => quote!(&#name),
        _ => name.to_token_stream(),
    });
    let run = quote_spanned! {Span::mixed_site()=>
        let __tape = rt::dynamic::tape::<#float>();
        let (__value, __nodes) = {
            #(#lifted)*
            let __y = Self::__on_variables(#(#passed),*);
            rt::dynamic::result(&__y)
        };
    };
    let active: Vec<(&Ident, &ParamInfo)> = params().filter(|(_, p)| p.active).collect();
    let zeros = active.iter().map(|(name, p)| {
        let borrowed = borrowed(name, p);
        quote!(rt::zero_like(#borrowed))
    });
    let places = (0..active.len()).map(syn::Index::from);
    let all = match active.len() {
        1 => quote_spanned!(Span::mixed_site()=> __zeros.0),
        _ => quote_spanned!(Span::mixed_site()=> __zeros),
    };
    let Forms {
        inputs: given,
        result,
        result_tangent,
        gradient,
        tangents: (pattern, tangents),
        dots,
    } = forms;
    let flatten = active.iter().zip(dots).map(|((_, p), dot)| match p.by {
        By::Value => quote_spanned!(Span::mixed_site()=> rt::dynamic::flatten(&#dot, &mut __flat);),
        By::Ref | By::Mut => {
            quote_spanned!(Span::mixed_site()=> rt::dynamic::flatten(&*#dot, &mut __flat);)
        }
    });
    // Their names keep apart from those of the parameters.
    quote_spanned! {Span::mixed_site()=>
        fn __on_variables<'__t>(#inputs) #output #block

        fn __tape_vjp(#(#given),*) -> (#result, impl FnOnce(#result_tangent) -> #gradient) {
            let mut __zeros = (#(#zeros,)*);
            #run
            (__value, move |__seed: #result_tangent| {
                let mut __next = rt::dynamic::pull(&__tape, &__nodes, &__seed);
                #(rt::Tangent::for_each_scalar(&mut __zeros.#places, &mut __next);)*
                #all
            })
        }

        fn __tape_jvp(#(#given,)* __tangents: #tangents) -> (#result, #result_tangent) {
            let #pattern = __tangents;
            let mut __flat = rt::Vec::new();
            #(#flatten)*
            #run
            let mut __tangent = rt::zero_like(&__value);
            rt::Tangent::for_each_scalar(&mut __tangent, &mut rt::dynamic::push(&__tape, &__nodes, &__flat));
            (__value, __tangent)
        }
    }
}

/// What the signatures of the functions are made of.
pub(crate) struct Forms {
    pub(crate) inputs: Vec<TokenStream>,
    pub(crate) result: TokenStream,
    pub(crate) result_tangent: TokenStream,
    pub(crate) gradient: TokenStream,
    /// The argument `tangents`: its names as a pattern, and its type.
    pub(crate) tangents: (TokenStream, TokenStream),
    pub(crate) dots: Vec<Ident>,
}

fn borrowed(name: &Ident, param: &ParamInfo) -> TokenStream {
    match param.by {
        By::Value => quote!(&#name),
        By::Ref | By::Mut => quote!(&*#name),
    }
}

/// Puts variables in place of floats.
struct Variables {
    float: Ident,
    /// The function itself, which calls of its own name mean.
    function: Ident,
}

impl Variables {
    fn ty(&self) -> syn::Type {
        let float = &self.float;
        syn::parse_quote!(rt::Var<'__t, #float>)
    }

    fn is_float(&self, ty: &syn::Type) -> bool {
        matches!(ty, syn::Type::Path(p) if p.qself.is_none() && p.path.is_ident(&self.float))
    }

    fn is_literal(&self, literal: &syn::LitFloat) -> bool {
        literal.suffix().is_empty() || self.float == literal.suffix()
    }

    /// The same in the arguments of a macro of which only tokens are known.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut before = ' ';
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let path = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':');
            let last = before;
            before = ' ';
            match token {
                // The name of a module or of a field is none of ours.
                TokenTree::Ident(ident) if ident == self.float && last != ':' && last != '.' => {
                    let ty = self.ty();
                    out.extend(if path { quote!(<#ty>) } else { quote!(#ty) });
                }
                // `x.0.1` has a literal in it.
                TokenTree::Literal(literal) if last != '.' => {
                    let number = syn::parse2::<syn::LitFloat>(literal.to_token_stream());
                    match number {
                        Ok(number) if self.is_literal(&number) => {
                            let float = &self.float;
                            out.extend(quote!(rt::dynamic::constant::<#float>(#number)));
                        }
                        _ => out.extend([TokenTree::Literal(literal)]),
                    }
                }
                TokenTree::Group(group) => {
                    let inner = self.tokens(group.stream());
                    let mut new = Group::new(group.delimiter(), inner);
                    new.set_span(group.span());
                    debug_assert_ne!(
                        group.delimiter(),
                        Delimiter::None,
                        "macros are given as written"
                    );
                    out.extend([TokenTree::Group(new)]);
                }
                TokenTree::Punct(punct) => {
                    before = punct.as_char();
                    out.extend([TokenTree::Punct(punct)]);
                }
                other => out.extend([other]),
            }
        }
        out
    }
}

impl VisitMut for Variables {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if self.is_float(ty) {
            *ty = self.ty();
        } else {
            visit_mut::visit_type_mut(self, ty);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        let (ty, float) = (self.ty(), &self.float);
        match expr {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Float(literal),
                ..
            }) if self.is_literal(literal) => {
                *expr = syn::parse_quote_spanned!(literal.span()=> rt::dynamic::constant::<#float>(#literal));
            }
            syn::Expr::Cast(cast) if self.is_float(&cast.ty) => {
                self.visit_expr_mut(&mut cast.expr);
                let inner = &cast.expr;
                *expr = syn::parse_quote!(rt::dynamic::Cast::<#ty>::cast(#inner));
            }
            syn::Expr::Path(path) if path.qself.is_none() && path.path.leading_colon.is_none() => {
                let segments = &path.path.segments;
                if segments.len() > 1 && segments[0].ident == *float {
                    let rest: Vec<_> = segments.iter().skip(1).collect();
                    *expr = syn::parse_quote!(<#ty>::#(#rest)::*);
                } else {
                    visit_mut::visit_expr_path_mut(self, path);
                }
            }
            syn::Expr::Call(call) => {
                let own =
                    matches!(&*call.func, syn::Expr::Path(p) if p.path.is_ident(&self.function));
                if own {
                    *call.func = syn::parse_quote!(Self::__on_variables);
                }
                visit_mut::visit_expr_call_mut(self, call);
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    /// The arguments of most macros are expressions.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let list = mac.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        let repeat = mac.parse_body_with(|input: ParseStream<'_>| {
            let item: syn::Expr = input.parse()?;
            input.parse::<syn::Token![;]>()?;
            Ok((item, input.parse::<syn::Expr>()?))
        });
        mac.tokens = match (list, repeat) {
            (Ok(mut list), _) => {
                list.iter_mut().for_each(|e| self.visit_expr_mut(e));
                list.to_token_stream()
            }
            (_, Ok((mut item, mut count))) => {
                self.visit_expr_mut(&mut item);
                self.visit_expr_mut(&mut count);
                quote!(#item; #count)
            }
            _ => self.tokens(mac.tokens.clone()),
        };
    }

    /// Functions in the body compute with variables as well; other items stay.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if let syn::Item::Fn(function) = item {
            function
                .sig
                .generics
                .params
                .insert(0, syn::parse_quote!('__t));
            visit_mut::visit_item_fn_mut(self, function);
        }
    }
}
