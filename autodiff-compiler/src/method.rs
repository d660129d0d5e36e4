//! Methods: a method is differentiated as a function of its receiver, and its derivatives are siblings beside it.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit::{self, Visit};
use syn::visit_mut::VisitMut;

use crate::attr::{By, GradFn, ParamInfo};
use crate::called::Called;
use crate::emit::EACH_FORM;
use crate::errors::Errors;
use crate::types;

/// What `Self` is called while the derivatives of a method are made, so that it is not mistaken for theirs.
pub(crate) const OWNER: &str = "__SelfType";

/// A function of an `impl` block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    /// It has a receiver.
    pub(crate) receiver: bool,
    /// The receiver is passed by value.
    pub(crate) owned: bool,
    /// The receiver is lent to the forms of a method that takes it by value.
    pub(crate) lent: bool,
}

/// Turns a method into a function of the same meaning, whose first parameter is the receiver.
///
/// Of a number the receiver has the type `number`.
pub(crate) fn open(item: &mut syn::ItemFn, number: Option<&Ident>, errors: &mut Errors) -> Method {
    let owner = number.map_or_else(|| OWNER.to_owned(), ToString::to_string);
    let mentioned = |name: &str| {
        let name = Ident::new(name, Span::call_site());
        types::mentions(&item.block.to_token_stream(), &name)
    };
    let mut name = "self_".to_owned();
    while mentioned(&name) {
        name.push('_');
    }
    let this = Ident::new(&name, Span::mixed_site());
    let receiver = item.sig.receiver().cloned();
    let sig = replace(item.sig.to_token_stream(), None, &owner);
    let block = replace(item.block.to_token_stream(), Some(&this), &owner);
    if let Ok(block) = syn::parse2::<syn::Block>(block) {
        *item.block = block;
    }
    match syn::parse2::<syn::Signature>(sig) {
        Ok(sig) => item.sig = sig,
        Err(error) => errors.take(error),
    }
    let Some(receiver) = receiver else {
        return Method {
            receiver: false,
            owned: false,
            lent: false,
        };
    };
    let span = receiver.self_token.span.resolved_at(Span::mixed_site());
    let owner_type = Ident::new(&owner, span);
    let ty: syn::Type = match &receiver.kind {
        syn::ReceiverKind::Reference(_, lifetime, mutable) => {
            syn::parse_quote!(&#lifetime #mutable #owner_type)
        }
        syn::ReceiverKind::Typed(_, ty) => {
            let ty = replace(ty.to_token_stream(), None, &owner);
            syn::parse2(ty).unwrap_or_else(|_| syn::parse_quote!(#owner_type))
        }
        _ => syn::parse_quote!(#owner_type),
    };
    let plain = |ty: &syn::Type| matches!(ty, syn::Type::Path(p) if p.path.is_ident(&owner));
    let by_value = plain(&ty);
    let borrowed = matches!(&ty, syn::Type::Reference(r) if plain(&r.elem));
    if !by_value && !borrowed {
        errors.error(
            &receiver,
            "this receiver cannot be followed; take `self`, `&self` or `&mut self`",
        );
    }
    if let Some(first) = item.sig.inputs.first_mut() {
        let attrs = &receiver.attrs;
        let mutable = receiver.mutability.filter(|_| by_value);
        *first = syn::parse_quote!(#(#attrs)* #mutable #this: #ty);
    }
    Method {
        receiver: true,
        owned: by_value,
        lent: false,
    }
}

/// Functions of type parameters that stand for floats, of which no float has one of its own: a type that has one is no alias of a float.
const OF_PARAMETERS: &[&str] = &[
    "zero",
    "one",
    "from_f64",
    "from_f32",
    "from_usize",
    "from_isize",
    "from_u32",
    "from_i32",
    "from_u64",
    "from_i64",
    "from_subset",
    "from_real",
    "infinity",
    "neg_infinity",
    "nan",
    "epsilon",
    "default_epsilon",
    "min_value",
    "max_value",
    "min_positive_value",
    "pi",
    "two_pi",
    "frac_pi_2",
    "PI",
    "TAU",
    "E",
    "FRAC_PI_2",
    "FRAC_PI_4",
    "SQRT_2",
    "LN_2",
];

/// What shows that a type of one letter is a type parameter of the block around a function, and a number.
#[derive(Default)]
struct Letters {
    /// Those that have functions of such numbers.
    numbers: Vec<Ident>,
    /// Those that numbers are made of by a function that floats have, too.
    made: Vec<Ident>,
    /// Floats, or their types, are written, which have no operators with type parameters.
    floats: bool,
}

impl Letters {
    fn of(item: &syn::ItemFn) -> Letters {
        let mut letters = Letters::default();
        letters.visit_signature(&item.sig);
        letters.visit_block(&item.block);
        let own = |name: &Ident| item.sig.generics.type_params().any(|t| t.ident == *name);
        letters.numbers.retain(|name| !own(name));
        letters.made.retain(|name| !own(name));
        letters
    }
}

impl Visit<'_> for Letters {
    fn visit_expr_call(&mut self, call: &syn::ExprCall) {
        if let syn::Expr::Path(p) = &*call.func {
            let segments: Vec<_> = p.path.segments.iter().map(|s| &s.ident).collect();
            if let [owner, name] = segments[..] {
                if types::is_capital(&owner.to_string()) {
                    let of_number = OF_PARAMETERS.iter().any(|known| name == known);
                    self.numbers.extend(of_number.then(|| owner.clone()));
                    self.made.extend((name == "from").then(|| owner.clone()));
                }
            }
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_ident(&mut self, name: &Ident) {
        self.floats |= name == "f64" || name == "f32";
    }

    fn visit_lit_float(&mut self, _: &syn::LitFloat) {
        self.floats = true;
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Whether a type parameter of the block around a function stands for a number in it.
pub(crate) fn has_numbers_of_block(item: &syn::ItemFn) -> bool {
    !Letters::of(item).numbers.is_empty()
}

/// The type parameters of the block that a method stands in, as far as it shows them: numbers that it takes by value or returns.
pub(crate) fn of_block(item: &syn::ItemFn) -> syn::Generics {
    let letters = Letters::of(item);
    let mut names = letters.numbers;
    names.extend(letters.made);
    let whole = |ty: &syn::Type| match ty {
        syn::Type::Path(p) => p.path.get_ident().cloned(),
        _ => None,
    };
    if !letters.floats {
        let taken = item.sig.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(arg) => whole(&arg.ty),
            syn::FnArg::Receiver(_) => None,
        });
        let given = match &item.sig.output {
            syn::ReturnType::Type(_, ty) => whole(ty),
            syn::ReturnType::Default => None,
        };
        let own = &item.sig.generics;
        names.extend(taken.chain(given).filter(|name| {
            // Others are names of types as well.
            let usual = ["F", "N", "R", "T"].iter().any(|letter| name == letter);
            usual && own.type_params().all(|t| t.ident != *name)
        }));
    }
    names.sort();
    names.dedup();
    syn::parse_quote!(<#(#names),*>)
}

/// Renames `self`, and `Self`.
fn replace(tokens: TokenStream, this: Option<&Ident>, owner: &str) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                TokenTree::Ident(Ident::new(owner, ident.span()))
            }
            TokenTree::Ident(ident) if ident == "self" => match this {
                Some(this) => {
                    let mut this = this.clone();
                    this.set_span(ident.span().resolved_at(Span::mixed_site()));
                    TokenTree::Ident(this)
                }
                None => TokenTree::Ident(ident),
            },
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), this, owner));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            other => other,
        })
        .collect()
}

/// The name of a derivative of the method `name`: `loss_grad`, or `__fwd_loss` for a hidden form.
pub(crate) fn sibling(form: &str, name: &Ident) -> Ident {
    let name = name.to_string().replace("r#", "");
    if form.starts_with("__") {
        format_ident!("{form}_{name}")
    } else {
        format_ident!("{name}_{form}")
    }
}

/// Whether other derivatives call the form, whatever they know of the first argument.
fn is_called(form: &str) -> bool {
    let in_forward_mode = form.starts_with("__jvp") && !form.ends_with("_vjp");
    in_forward_mode || ["__fwd", "__even", "__value", "__trace", EACH_FORM].contains(&form)
}

/// The form that is called by the path of a function with a first argument by value, which may be the receiver of a method.
///
/// Another name, because methods are called on what is lent to them: `__fwd_sq` borrows the receiver.
pub(crate) fn taken(form: &str) -> String {
    if is_called(form) {
        form.replacen("__", "__taken_", 1)
    } else {
        form.to_owned()
    }
}

/// A body with what stands behind the names that it calls.
fn alone(rt: &TokenStream, name: &Ident, body: TokenStream) -> TokenStream {
    let mut called = Called::default();
    let body = called.read(body);
    called.defined(name);
    if called.is_empty() {
        return body;
    }
    let around = called.around(&body, false);
    quote!({ use #rt as rt; #around })
}

/// The first thing beside a method that stands alone, for its name.
///
/// Nothing shows a method that its block is an `impl` of a trait, which has no room for siblings:
/// rustc then names each as no member of the trait, and this one says what to do.
pub(crate) fn advice(name: &Ident) -> TokenStream {
    let name = name.to_string().replace("r#", "");
    let advice = format_ident!("__in_an_impl_of_a_trait_put_grad_on_the_whole_impl__{name}");
    quote! {
        #[doc(hidden)]
        #[allow(non_upper_case_globals, unused)]
        const #advice: () = ();
    }
}

/// The form that has both names, under the other one.
fn other(f: &syn::ImplItemFn) -> syn::ImplItemFn {
    let (form, mut other) = (&f.sig.ident, f.clone());
    let mut args = Vec::new();
    for (k, input) in other.sig.inputs.iter_mut().enumerate() {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        let name = match &*arg.pat {
            syn::Pat::Ident(name) => name.ident.clone(),
            _ => format_ident!("__{k}"),
        };
        *arg.pat = syn::parse_quote!(#name);
        args.push(name);
    }
    let generics: Vec<&Ident> = types::named(&f.sig.generics).collect();
    let turbofish = (!generics.is_empty()).then(|| quote!(::<#(#generics),*>));
    other.block = syn::parse_quote!({ Self::#form #turbofish (#(#args),*) });
    other
}

/// What the derivatives of a method become: the items of an `impl` block of the type beside a function, as siblings of the method.
pub(crate) struct Siblings<'a> {
    method: Method,
    name: &'a Ident,
    /// The first parameter is passed by value.
    by_value: bool,
    /// The block that it stands in is not known.
    lone: bool,
    /// The path of what generated code calls.
    rt: TokenStream,
    /// The lints that each cannot heed, where nothing around them says it for all.
    allowed: Option<TokenStream>,
    /// The traits whose methods it calls, where nothing around them imports these for all.
    scope: Option<syn::Stmt>,
}

/// Makes a pullback hold the type parameters of the block that a method stands in, which is not known where the method stands alone.
struct Holding<'a>(&'a TokenStream);

impl VisitMut for Holding<'_> {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        syn::visit_mut::visit_type_mut(self, ty);
        // `impl FnOnce(…) -> … + use<>`  ⇒  `rt::holding!(FnOnce(…) -> …)`
        let syn::Type::ImplTrait(held) = &*ty else {
            return;
        };
        let named =
            |bound: &&syn::TypeParamBound| matches!(bound, syn::TypeParamBound::PreciseCapture(_));
        if held.bounds.iter().any(|bound| named(&bound)) {
            let (rt, bounds) = (self.0, held.bounds.iter().filter(|bound| !named(bound)));
            *ty = syn::Type::Verbatim(quote!(#rt::holding!(#(#bounds)+*)));
        }
    }
}

impl<'a> Siblings<'a> {
    /// Of a function, if it stands in an `impl` block.
    pub(crate) fn new(function: &'a GradFn, allowed: TokenStream) -> Option<Siblings<'a>> {
        let (krate, method) = (function.krate(), function.method?);
        let by_value = |p: &ParamInfo| p.by == By::Value;
        let apart = function.options.apart;
        Some(Siblings {
            method,
            name: &function.item.sig.ident,
            by_value: function.params.first().is_some_and(by_value),
            lone: !apart && !function.options.of_trait,
            rt: if apart {
                quote!(rt)
            } else {
                quote!(#krate::__private)
            },
            allowed: (!apart).then_some(allowed),
            scope: (!apart || crate::matrices::may_concern(function)).then(|| {
                let scope = crate::api::scope(function);
                syn::parse_quote!(
                    use #krate::__private::#scope::*;
                )
            }),
        })
    }

    /// The items of `block`, an `impl` block, as items of the block that the method stands in.
    pub(crate) fn of(&self, items: TokenStream) -> TokenStream {
        let parsed = syn::parse2::<syn::ItemImpl>(quote!(impl __S { #items }));
        let Ok(parsed) = parsed else {
            return items;
        };
        parsed
            .items
            .into_iter()
            .map(|item| self.item(item))
            .collect()
    }

    fn item(&self, item: syn::ImplItem) -> TokenStream {
        match item {
            syn::ImplItem::Fn(f) => {
                let form = f.sig.ident.to_string();
                if self.has_two_names(&form) {
                    let other = other(&f);
                    let (one, other) =
                        (self.function(f, &form), self.function(other, &taken(&form)));
                    return quote!(#one #other);
                }
                self.function(f, &form)
            }
            // Items behind a feature.
            syn::ImplItem::Macro(m) => {
                let inner = self.of(m.mac.tokens);
                let path = self.rename(m.mac.path.to_token_stream());
                quote!(#path! { #inner })
            }
            other => self.rename(other.to_token_stream()),
        }
    }

    /// Whether a form is called by either name. Only that which is called where it is known that the first argument is lent has one.
    fn has_two_names(&self, form: &str) -> bool {
        let known = form.ends_with("fwd") && !self.by_value;
        is_called(form) && !self.method.owned && !known
    }

    /// A function of the block of the derivatives, as a sibling.
    fn function(&self, mut f: syn::ImplItemFn, form: &str) -> TokenStream {
        f.sig.ident = self.named(form);
        let first = f.sig.inputs.first_mut();
        if let (true, Some(syn::FnArg::Typed(first))) = (self.method.receiver, first) {
            if let syn::Pat::Ident(p) = &*first.pat {
                let this = p.ident.clone();
                if this.to_string().starts_with("self_") {
                    let (ty, own) = (&first.ty, types::unvouched(&first.ty));
                    let here = Ident::new("self", Span::mixed_site());
                    let receiver: syn::FnArg = syn::parse_quote!(#here: #own);
                    let known = (**ty != own).then(|| quote!(: #ty));
                    f.block
                        .stmts
                        .insert(0, syn::parse_quote!(let #this #known = #here;));
                    f.sig.inputs[0] = receiver;
                }
            }
        }
        if self.lone {
            Holding(&self.rt).visit_return_type_mut(&mut f.sig.output);
        }
        if let Some(scope) = &self.scope {
            f.block.stmts.insert(0, scope.clone());
        }
        let allowed = &self.allowed;
        let body = self.rename(f.block.to_token_stream());
        // Where nothing is around them all, each says for itself what stands behind the names that it calls.
        let body = match allowed {
            Some(_) => alone(&self.rt, self.name, body),
            None => body,
        };
        let head = syn::ImplItemFn {
            block: syn::parse_quote!({}),
            ..f
        };
        let (attrs, vis, sig) = (&head.attrs, &head.vis, head.sig.to_token_stream());
        let sig = self.rename(sig);
        let tokens = quote!(#(#attrs)* #vis #sig #body);
        quote!(#allowed #tokens)
    }

    /// Of a method that takes its receiver by value, the forms that borrow it have the plain names.
    fn named(&self, form: &str) -> Ident {
        if self.method.owned && !self.method.lent {
            sibling(&taken(form), self.name)
        } else {
            sibling(form, self.name)
        }
    }

    /// `Self::fwd` names a sibling, `rt` is a path, and the type is `Self` again.
    fn rename(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |k: usize, c: char| matches!(tokens.get(k), Some(TokenTree::Punct(p)) if p.as_char() == c);
        let mut out = TokenStream::new();
        for (k, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(ident)
                    if ident == "rt"
                        && is(k + 1, ':')
                        && is(k + 2, ':')
                        && !(k > 1 && is(k - 1, ':') && is(k - 2, ':')) =>
                {
                    out.extend(self.rt.clone());
                }
                TokenTree::Ident(ident) if ident == OWNER => {
                    out.extend([TokenTree::Ident(Ident::new("Self", ident.span()))]);
                }
                TokenTree::Ident(ident)
                    if k >= 3
                        && is(k - 1, ':')
                        && is(k - 2, ':')
                        && matches!(&tokens[k - 3], TokenTree::Ident(owner) if owner == "Self") =>
                {
                    let mut sibling = self.named(&ident.to_string());
                    sibling.set_span(ident.span());
                    out.extend([TokenTree::Ident(sibling)]);
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.rename(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                other => out.extend([other.clone()]),
            }
        }
        out
    }
}
