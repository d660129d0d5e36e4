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
use crate::features::features;
use crate::{fragments, types};

use crate::visit::{self, Enter as _, Visit};

/// A type to derive for.
struct Input {
    item: syn::DeriveInput,
    /// What generated code calls.
    rt: TokenStream,
    /// Type parameters that stand in constants alone: the tangent does not have them.
    constant: Vec<Ident>,
}

/// What `#[derive(Differentiable)]` adds to a type: the tangent type with its traits, `Differentiable` and `Parameters`, or the errors.
///
/// The types stand beside the type that it is derived for, their traits in a block that names what they call.
#[must_use]
pub fn differentiable(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = match syn::parse2::<syn::DeriveInput>(fragments::grouped(input)) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let rt = krate(&item.attrs, &mut errors);
    let rt = quote!(#rt::__private);
    let constant = of_constants(&item);
    let beside = Input {
        item: item.clone(),
        rt: rt.clone(),
        constant: constant.clone(),
    };
    let input = Input {
        item,
        rt: quote!(__rt),
        constant,
    };
    let [types, derived] = match &input.item.data {
        syn::Data::Struct(data) => structs::derive(&beside, &input, data, &mut errors),
        syn::Data::Enum(data) => enums::derive(&beside, &input, data, &mut errors),
        syn::Data::Union(data) => {
            errors.error(
                data.union_token,
                "a union has no derivative: which of its fields is there is not known; use a struct or an enum",
            );
            Default::default()
        }
    };
    let numberless = input.numberless();
    let errors = errors.to_tokens();
    quote! {
        #types
        #[allow(dead_code, unused_variables, unreachable_pub)]
        const _: () = {
            use #rt as __rt;
            #derived
            #numberless
        };
        #errors
    }
}

/// The fields that are not said to be constants.
fn active(item: &syn::DeriveInput) -> impl Iterator<Item = &syn::Field> {
    let fields: Vec<&syn::Fields> = match &item.data {
        syn::Data::Struct(data) => vec![&data.fields],
        syn::Data::Enum(data) => data.variants.iter().map(|v| &v.fields).collect(),
        syn::Data::Union(_) => Vec::new(),
    };
    let fields = fields.into_iter().flatten();
    fields.filter(|f| !fields::is_constant(f))
}

/// Whether the type of a field may lead back to the type that the field is in: what is behind a pointer is of a type of the user's own.
fn may_recur(ty: &syn::Type) -> bool {
    struct Behind {
        pointer: bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Behind {
        fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
            let before = std::mem::replace(&mut self.pointer, true);
            visit::visit_type_reference(self, ty);
            self.pointer = before;
        }

        fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
            let last = ty.path.segments.last();
            let takes = last.is_some_and(|s| !s.arguments.is_empty() && s.ident != "Option");
            let plain = types::read(&syn::Type::Path(ty.clone())).is_inert();
            self.found |= self.pointer && !takes && !plain;
            let before = self.pointer;
            self.pointer |= takes;
            visit::visit_type_path(self, ty);
            self.pointer = before;
        }
    }
    let mut behind = Behind {
        pointer: false,
        found: false,
    };
    behind.visit_type(ty);
    behind.found
}

/// The type parameters that no field with a tangent has in its type.
fn of_constants(item: &syn::DeriveInput) -> Vec<Ident> {
    let active: Vec<TokenStream> = active(item).map(|f| f.ty.to_token_stream()).collect();
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

    /// Rustc knows a type without floats in it as such.
    fn numberless(&self) -> TokenStream {
        let types: Vec<&syn::Type> = active(&self.item).map(|f| &f.ty).collect();
        let has_number = |ty: &&syn::Type| {
            let read = types::read(ty);
            read.is_float() || read.element().is_float()
        };
        // Rustc does not follow types that are parts of each other.
        if types.iter().any(|ty| has_number(ty) || may_recur(ty)) {
            return TokenStream::new();
        }
        let (rt, name) = (&self.rt, &self.item.ident);
        let mut generics = self.item.generics.clone();
        let clause = generics.make_where_clause();
        for ty in types {
            // A condition that is known not to hold would be an error without a lifetime to be chosen.
            clause
                .predicates
                .push(syn::parse_quote!(for<'__any> #ty: #rt::Numberless));
        }
        let (impls, names, clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            #[allow(private_bounds)]
            impl #impls #rt::Numberless for #name #names #clause {}
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
            if let Some(element) = self.element(&name) {
                clause.predicates.push(syn::parse_quote!(#name: #element));
            }
        }
        generics
    }

    /// What matrices of other crates ask of their elements, where fields may be such and a bound of the type parameter says that they can be.
    fn element(&self, name: &Ident) -> Option<TokenStream> {
        let has =
            |bound: &str| types::has_bound(name, &format_ident!("{bound}"), &self.item.generics);
        let rt = &self.rt;
        let real = if features().nalgebra && has("RealField") {
            quote!(#rt::linalg::nalgebra::Real)
        } else if features().ndarray && has("NdFloat") {
            quote!(#rt::linalg::ndarray::Real)
        } else {
            return None;
        };
        let within = |f: &syn::Field| {
            types::read(&f.ty).is_user() && types::mentions(&f.ty.to_token_stream(), name)
        };
        let plain = |f: &syn::Field| types::is_named(&f.ty, name);
        active(&self.item)
            .any(|f| within(f) && !plain(f))
            .then_some(real)
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
