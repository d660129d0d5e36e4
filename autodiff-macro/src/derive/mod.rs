//! `#[derive(Differentiable)]`: the tangent of a type of the user's own, and how values and tangents of it are moved, added and read.

mod enums;
mod fields;
mod lifted;
mod structs;
mod variants;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::ParseStream;

use crate::errors::Errors;
use crate::{fragments, types};

/// A type to derive for.
struct Input {
    item: syn::DeriveInput,
    /// What generated code calls.
    rt: TokenStream,
    /// Type parameters that stand in constants alone: the tangent does not have them.
    constant: Vec<Ident>,
}

/// Derives `Differentiable`, `Parameters`, and the tangent type with its traits.
pub(crate) fn differentiable(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = match syn::parse2::<syn::DeriveInput>(fragments::grouped(input)) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let rt = krate(&item.attrs, &mut errors);
    let rt = quote!(#rt::__private);
    let constant = of_constants(&item);
    let input = Input { item, rt, constant };
    let derived = match &input.item.data {
        syn::Data::Struct(data) => structs::derive(&input, data, &mut errors),
        syn::Data::Enum(data) => enums::derive(&input, data, &mut errors),
        syn::Data::Union(data) => {
            errors.error(
                data.union_token,
                "a union has no derivative: which of its fields is there is not known; use a struct or an enum",
            );
            TokenStream::new()
        }
    };
    let errors = errors.to_tokens();
    quote!(#derived #errors)
}

/// The type parameters that no field with a tangent has in its type.
fn of_constants(item: &syn::DeriveInput) -> Vec<Ident> {
    let fields: Vec<&syn::Fields> = match &item.data {
        syn::Data::Struct(data) => vec![&data.fields],
        syn::Data::Enum(data) => data.variants.iter().map(|v| &v.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    };
    let active = fields
        .into_iter()
        .flatten()
        .filter(|f| !fields::is_constant(f));
    let active: Vec<TokenStream> = active.map(|f| f.ty.to_token_stream()).collect();
    let names = item.generics.type_params().map(|t| &t.ident);
    let constant = names.filter(|name| !active.iter().any(|ty| types::mentions(ty, name)));
    constant.cloned().collect()
}

/// The path of the facade: `#[differentiable(crate = path)]`.
fn krate(attrs: &[syn::Attribute], errors: &mut Errors) -> TokenStream {
    let mut path = quote!(::autodiff);
    for attr in attrs.iter().filter(|a| a.path().is_ident("differentiable")) {
        let parsed = attr.parse_args_with(|input: ParseStream<'_>| {
            input.parse::<syn::Token![crate]>()?;
            input.parse::<syn::Token![=]>()?;
            input.parse::<syn::Path>()
        });
        match parsed {
            Ok(found) => path = quote!(#found),
            Err(_) => errors.error(
                attr,
                "this says nothing to the derive; write `#[differentiable(crate = path)]`",
            ),
        }
    }
    path
}

impl Input {
    /// A tangent is a value as well, and its own tangent.
    fn tangent_of_tangent(&self) -> TokenStream {
        let rt = &self.rt;
        let tangent = self.tangent();
        let generics = self.owned(&quote!(#rt::Differentiable));
        let (impls, names, clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            #[allow(unused_variables)]
            impl #impls #rt::Differentiable for #tangent #names #clause {
                type Tangent = Self;
                #[inline]
                fn zero_tangent(&self) -> Self {
                    #rt::Tangent::zero_like(self)
                }
                #[inline]
                fn write_flat(&self, out: &mut [f64]) {
                    #rt::Tangent::write_flat(self, out);
                }
            }
            #[automatically_derived]
            impl #impls #rt::Shaped for #tangent #names #clause {
                type Shape = #rt::OfTangent<Self>;
                #[inline]
                fn __shape(&self) -> Self::Shape {
                    #rt::OfTangent::new(self)
                }
            }
        }
    }

    /// Tangents are compared up to a tolerance where the crate `approx` is at hand; `comparing` are the conditions of plain comparison.
    fn approximate(&self, comparing: Option<&syn::WhereClause>) -> TokenStream {
        let rt = &self.rt;
        let tangent = self.tangent();
        let generics = self.owned(&quote!(#rt::Differentiable));
        let (impls, names, _) = generics.split_for_impl();
        quote!(#rt::approximate! { [#impls] [#tangent #names] [#comparing] })
    }

    fn tangent(&self) -> Ident {
        format_ident!("{}Tangent", self.item.ident)
    }

    fn shape(&self) -> Ident {
        format_ident!("__{}Shape", self.item.ident)
    }

    /// The generics of the tangent and of the shape, which do not borrow and have no constants in them, with a bound on every type parameter.
    fn owned(&self, bound: &TokenStream) -> syn::Generics {
        let constant = |tokens: TokenStream| {
            let mut names = self.constant.iter();
            names.any(|name| types::mentions(&tokens, name))
        };
        let mut generics = self.bounded(bound);
        generics.params = generics
            .params
            .into_iter()
            .filter(|p| match p {
                syn::GenericParam::Lifetime(_) => false,
                syn::GenericParam::Type(t) => !self.constant.contains(&t.ident),
                syn::GenericParam::Const(_) => true,
            })
            .collect();
        if let Some(clause) = &mut generics.where_clause {
            let lifetime = |p: &syn::WherePredicate| matches!(p, syn::WherePredicate::Lifetime(_));
            clause.predicates = clause
                .predicates
                .iter()
                .filter(|p| !lifetime(p) && !constant(p.to_token_stream()))
                .cloned()
                .collect();
        }
        for t in generics.type_params_mut() {
            let borrowed = |b: &syn::TypeParamBound| matches!(b, syn::TypeParamBound::Lifetime(_));
            let kept = |b: &&syn::TypeParamBound| !borrowed(b) && !constant(b.to_token_stream());
            t.bounds = t.bounds.iter().filter(kept).cloned().collect();
        }
        generics
    }

    /// The generics of an impl, with a bound on every type parameter that is not of constants alone.
    fn bounded(&self, bound: &TokenStream) -> syn::Generics {
        self.with_bound(bound, |name| !self.constant.contains(name))
    }

    /// The generics of an impl, with a bound on some type parameters.
    fn with_bound(&self, bound: &TokenStream, on: impl Fn(&Ident) -> bool) -> syn::Generics {
        let mut generics = self.item.generics.clone();
        let names = generics.type_params().map(|t| t.ident.clone());
        let names: Vec<Ident> = names.filter(on).collect();
        let clause = generics.make_where_clause();
        for name in names {
            clause.predicates.push(syn::parse_quote!(#name: #bound));
        }
        generics
    }

    /// The conditions of an impl that needs a trait of the tangents of all fields.
    fn with_fields<'f>(
        &self,
        generics: &syn::Generics,
        fields: impl IntoIterator<Item = &'f fields::Field>,
        bound: &TokenStream,
    ) -> Option<syn::WhereClause> {
        let mut generics = generics.clone();
        let rt = &self.rt;
        for f in fields
            .into_iter()
            .filter(|f| f.names_any(&self.item.generics) && !self.holds(&f.ty))
        {
            let of = f.of(&quote!(#rt::Differentiable), "Tangent");
            let clause = generics.make_where_clause();
            clause.predicates.push(syn::parse_quote!(#of: #bound));
        }
        generics.where_clause
    }

    /// Whether this type is inside of itself there, in a box: to ask something of the field would be to ask it of the whole, and so on.
    fn holds(&self, ty: &syn::Type) -> bool {
        types::mentions(&ty.to_token_stream(), &self.item.ident)
    }
}
