//! Bodies that rustc takes: where one has an error, its derivatives have none.
//!
//! What derivatives are given is `__Sound<f64>`, which is `f64` where a constant can be computed that holds the user's code once more, and nothing that could be wrong where it cannot.
//! rustc says once what it has to say of both copies, since they are the same tokens at the same place.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};

use crate::function::{self, Options};
use crate::types;

const SOUND: &str = "__Sound";
const CODE: &str = "__CODE";
const OWNER: &str = "__Owner";

/// A statement with the code of a function, if that can be a closure; `of` is the type whose method it is.
pub(crate) fn closure(
    attrs: &[syn::Attribute],
    sig: &syn::Signature,
    block: &syn::Block,
    of: Option<&syn::Type>,
) -> Option<TokenStream> {
    let generics = &sig.generics;
    let plain = sig.asyncness.is_none()
        && matches!(sig.safety, syn::Safety::Default)
        && sig.abi.is_none()
        && sig.variadic.is_none()
        && generics.where_clause.is_none()
        && !has_items(block);
    if !plain || !generics.params.iter().all(|p| is_free(p, block)) {
        return None;
    }
    let mut this = "self_".to_owned();
    let body = block.to_token_stream();
    while types::mentions(&body, &Ident::new(&this, Span::call_site())) {
        this.push('_');
    }
    let replaced = |tokens: TokenStream, stands: Stands| {
        let stands = if of.is_some() {
            stands
        } else {
            Stands::Nowhere
        };
        written_out(tokens, &this, stands)
    };
    let (mut names, mut given) = (Vec::new(), Vec::new());
    for input in &sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => {
                let name = Ident::new(&this, receiver.self_token.span);
                let mutable = receiver.mutability;
                let of = Ident::new(OWNER, receiver.self_token.span);
                match &receiver.kind {
                    syn::ReceiverKind::Reference(_, lifetime, by) => {
                        names.push(quote!(#name));
                        given.push(quote!(&#lifetime #by #of));
                    }
                    syn::ReceiverKind::Typed(..) => return None,
                    _ => {
                        names.push(quote!(#mutable #name));
                        given.push(quote!(#of));
                    }
                }
            }
            syn::FnArg::Typed(arg) => {
                names.push(replaced(arg.pat.to_token_stream(), Stands::BeforeParts)?);
                given.push(replaced(arg.ty.to_token_stream(), Stands::Anywhere)?);
            }
        }
    }
    let (mut output, mut again) = (None, None);
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        let owned = is_owned(ty, None);
        // What a closure lends is of no lifetime that its parameters have.
        if sig.receiver().is_some() && !owned && !is_owned(ty, of) {
            return None;
        }
        let ty = replaced(ty.to_token_stream(), Stands::Anywhere)?;
        again = owned.then(|| quote!(-> #ty));
        output = Some(ty);
    }
    let is_opaque = |ty: &TokenStream| types::mentions(ty, &Ident::new("impl", Span::call_site()));
    if given.iter().chain(&output).any(is_opaque) {
        return None;
    }
    let body = replaced(body, Stands::BeforeParts)?;
    let output = output.map(|ty| quote!(-> #ty));
    let lifetimes = generics.lifetimes();
    let said = attrs.iter().filter(|a| {
        let path = a.path();
        ["allow", "cfg"].iter().any(|name| path.is_ident(name))
    });
    let said = said.map(|a| a.meta.to_token_stream());
    let owner = Ident::new(OWNER, Span::mixed_site());
    let of = of.map(|of| quote!(type #owner = #of;));
    Some(quote! {
        #(#[#said])*
        {
            #of
            let _: for<#(#lifetimes),*> fn(#(#given),*) #output = |#(#names),*| #again #body;
        }
    })
}

/// The code of a function that stands alone.
pub(crate) fn of_function(function: &function::GradFn) -> Option<TokenStream> {
    let item = &function.written;
    let plain = function.options.for_rustc && function.method.is_none() && !function.hidden;
    plain
        .then(|| closure(&item.attrs, &item.sig, &item.block, None))
        .flatten()
}

/// The code of those functions of a block that have derivatives.
pub(crate) fn of_block(
    options: &Options,
    block: &syn::ItemImpl,
    derived: &[syn::Signature],
) -> Vec<TokenStream> {
    if !options.for_rustc || !block.generics.params.is_empty() {
        return Vec::new();
    }
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) if derived.iter().any(|sig| sig.ident == f.sig.ident) => Some(f),
        _ => None,
    });
    functions
        // What a type of the trait is, its name does not say.
        .filter(|f| block.trait_.is_none() || !names_types(f.to_token_stream()))
        .filter_map(|f| closure(&f.attrs, &f.sig, &f.block, Some(&*block.self_ty)))
        .collect()
}

/// Whether `Self::…` stands there.
fn names_types(tokens: TokenStream) -> bool {
    let mut before = false;
    tokens.into_iter().any(|token| {
        let found = match &token {
            TokenTree::Group(group) => names_types(group.stream()),
            TokenTree::Punct(p) => before && p.as_char() == ':',
            _ => false,
        };
        before = matches!(&token, TokenTree::Ident(name) if name == "Self");
        found
    })
}

/// Derivatives that have no errors where the code has some.
pub(crate) fn around(
    closures: &[TokenStream],
    attrs: &[syn::Attribute],
    derivatives: TokenStream,
) -> TokenStream {
    if closures.is_empty() {
        return derivatives;
    }
    let [name, code] = [SOUND, CODE].map(|name| Ident::new(name, Span::mixed_site()));
    let allowed = attrs.iter().filter(|a| a.path().is_ident("allow"));
    let derivatives = read(derivatives, &name);
    quote! {
        // An item of its own: linters lose their way in closures that are arguments of types.
        #(#allowed)*
        const #code: bool = { #(#closures)* true };
        type #name<T> = rt::Vouched<{ #code }, T>;
        #derivatives
    }
}

/// A lifetime without bounds that the code does not name.
fn is_free(param: &syn::GenericParam, block: &syn::Block) -> bool {
    struct Names<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
            self.1 |= lifetime.ident == *self.0;
        }
    }
    let syn::GenericParam::Lifetime(param) = param else {
        return false;
    };
    let mut names = Names(&param.lifetime.ident, false);
    names.visit_block(block);
    param.bounds.is_empty() && !names.1
}

/// Items of a body may stand only once.
fn has_items(block: &syn::Block) -> bool {
    struct Items(bool);
    impl<'ast> Visit<'ast> for Items {
        fn visit_item(&mut self, _: &'ast syn::Item) {
            self.0 = true;
        }
    }
    let mut items = Items(false);
    visit::visit_block(&mut items, block);
    items.0
}

/// Whether the type of a result is seen to borrow nothing; `of` is a type that does not.
fn is_owned(ty: &syn::Type, of: Option<&syn::Type>) -> bool {
    const KNOWN: &[&str] = &["f32", "f64", "bool", "usize", "i32", "String"];
    match ty {
        syn::Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            let segment = &path.path.segments[0];
            let is = |name: &str| segment.ident == name;
            match &segment.arguments {
                syn::PathArguments::None => {
                    KNOWN.iter().any(|known| is(known))
                        || of.is_some_and(|of| is("Self") || ty == of)
                }
                syn::PathArguments::AngleBracketed(all) => {
                    let owned = |arg: &syn::GenericArgument| matches!(arg, syn::GenericArgument::Type(ty) if is_owned(ty, of));
                    ["Vec", "Option", "Result"].iter().any(|known| is(known))
                        && all.args.iter().all(owned)
                }
                syn::PathArguments::Parenthesized(_) => false,
            }
        }
        syn::Type::Array(array) => is_owned(&array.elem, of),
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(|ty| is_owned(ty, of)),
        _ => false,
    }
}

/// Where `Self` may stand for a name of the type to do: that cannot be called, and is no value.
#[derive(Clone, Copy)]
enum Stands {
    Nowhere,
    /// `Self::new`, `Self { … }`
    BeforeParts,
    Anywhere,
}

/// Other names for `self` and for `Self`, if that stands only where it may.
fn written_out(tokens: TokenStream, this: &str, stands: Stands) -> Option<TokenStream> {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        // `self::name`
        let path = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':');
        let literal =
            matches!(tokens.peek(), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace);
        let token = match token {
            TokenTree::Ident(name) if name == "self" && !path => {
                Ident::new(this, name.span()).into()
            }
            TokenTree::Ident(name) if name == "Self" => {
                match stands {
                    Stands::Anywhere => {}
                    Stands::BeforeParts if path || literal => {}
                    Stands::BeforeParts | Stands::Nowhere => return None,
                }
                Ident::new(OWNER, name.span()).into()
            }
            TokenTree::Group(group) => {
                regrouped(&group, written_out(group.stream(), this, stands)?)
            }
            other => other,
        };
        out.extend([token]);
    }
    Some(out)
}

/// Puts the name around the numbers in the signatures of hidden forms, and into what vouches for others.
fn read(tokens: TokenStream, name: &Ident) -> TokenStream {
    changed(tokens.clone(), name).unwrap_or(tokens)
}

/// The same where it changes something.
fn changed(tokens: TokenStream, name: &Ident) -> Option<TokenStream> {
    let (mut at, mut word) = (At::Elsewhere, Word::Other);
    let (mut out, mut changes) = (Vec::new(), false);
    for token in tokens {
        let (next, this) = match &token {
            TokenTree::Group(group) => {
                let brace = group.delimiter() == Delimiter::Brace;
                let inner = match at {
                    At::Form | At::Result | At::Closure if !brace => {
                        Some(numbers(group.stream(), name))
                    }
                    _ => changed(group.stream(), name),
                };
                let vouches = brace && word == Word::VouchedFor;
                let asked = vouches.then(|| quote!(let _: #name<()>;));
                if inner.is_some() || vouches {
                    let inner = inner.unwrap_or_else(|| group.stream());
                    out.push(regrouped(group, quote!(#asked #inner)));
                    changes = true;
                } else {
                    out.push(token.clone());
                }
                at = match at {
                    At::Form if group.delimiter() == Delimiter::Parenthesis => At::Result,
                    At::Result | At::Closure if !brace => at,
                    _ => At::Elsewhere,
                };
                word = Word::Other;
                continue;
            }
            TokenTree::Punct(sign) => match (at, sign.as_char()) {
                (At::Closure, '|') => (At::Elsewhere, Word::Other),
                (_, '|') if word == Word::Move => (At::Closure, Word::Other),
                (_, '<') if word == Word::Vouched => (at, Word::VouchedFor),
                (At::Function, _) => (At::Elsewhere, Word::Other),
                _ => (at, Word::Other),
            },
            TokenTree::Ident(ident) => match (at, ident.to_string().as_str()) {
                (At::Function, form) if is_form(form) => (At::Form, Word::Other),
                (At::Function, _) => (At::Elsewhere, Word::Other),
                (At::Result | At::Closure, word) if NUMBERS.contains(&word) => {
                    out.extend(quote!(#name<#ident>));
                    changes = true;
                    continue;
                }
                (_, "Vouched") => (at, Word::Vouched),
                (At::Result | At::Closure, _) => (at, Word::Other),
                (_, "fn") => (At::Function, Word::Other),
                (_, "move") => (at, Word::Move),
                _ => (at, Word::Other),
            },
            TokenTree::Literal(_) => (at, Word::Other),
        };
        (at, word) = (next, this);
        out.push(token);
    }
    changes.then(|| out.into_iter().collect())
}

/// The token before, where that matters.
#[derive(Clone, Copy, PartialEq)]
enum Word {
    Move,
    Vouched,
    /// `Vouched<`
    VouchedFor,
    Other,
}

/// Types that stand for themselves where the code is sound.
const NUMBERS: &[&str] = &["f64", "f32", "usize", "i32", "bool"];

/// What it is that derivatives begin from is known without them.
fn is_form(name: &str) -> bool {
    name.starts_with("__") && !name.starts_with("__zero")
}

/// Where a token stands.
#[derive(Clone, Copy)]
enum At {
    Elsewhere,
    /// Behind `fn`.
    Function,
    /// Behind the name of a hidden form.
    Form,
    /// Behind its parameters.
    Result,
    /// Among the parameters of a closure.
    Closure,
}

fn regrouped(group: &Group, inner: TokenStream) -> TokenTree {
    let mut again = Group::new(group.delimiter(), inner);
    again.set_span(group.span());
    again.into()
}

/// Puts the name around the numbers of types.
fn numbers(tokens: TokenStream, name: &Ident) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) => number(ident, name),
            TokenTree::Group(group) => regrouped(&group, numbers(group.stream(), name)).into(),
            other => other.into(),
        })
        .collect()
}

/// A word of a type, with the name around it if it is a number.
fn number(word: Ident, name: &Ident) -> TokenStream {
    if NUMBERS.iter().any(|number| word == number) {
        quote!(#name<#word>)
    } else {
        word.into_token_stream()
    }
}
