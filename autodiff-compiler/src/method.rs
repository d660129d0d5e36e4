//! Methods: a method is differentiated as a function of its receiver, and its derivatives are siblings beside it.

use proc_macro2::{Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

use crate::errors::Errors;
use crate::function::Method;
use crate::types::{self, OWNER};
use crate::visit::{self, Enter as _, Other, Visit};

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

    fn visit_item(&mut self, _: &syn::Item) {}

    fn visit_other(&mut self, node: Other<'_>) {
        match node {
            Other::LitFloat(_) => {
                self.floats = true;
            }
            other => other.walk(self),
        }
    }
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

/// Renames `self`, and `Self`; in `self::name` it is the module.
fn replace(tokens: TokenStream, this: Option<&Ident>, owner: &str) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        let path = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':' && p.spacing() == Spacing::Joint);
        let token = match token {
            TokenTree::Ident(ident) if ident == "Self" => {
                TokenTree::Ident(Ident::new(owner, ident.span()))
            }
            TokenTree::Ident(ident) if ident == "self" && !path => match this {
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
        };
        out.extend([token]);
    }
    out
}
