//! The tangent of a struct: a struct of the same fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::Input;
use super::fields::{self, Field};
use super::lifted::lifted;
use crate::errors::Errors;
use crate::ir;
use crate::types;

/// The types, as `beside` has them, and their traits.
pub(super) fn derive(
    beside: &Input,
    input: &Input,
    data: &syn::DataStruct,
    errors: &mut Errors,
) -> [TokenStream; 2] {
    let mut fields = fields::read(&data.fields, errors);
    let vouched = fields::vouch(beside, "", &mut fields);
    let parts = [
        plain_traits(input, data, &fields),
        differentiable(input, &fields),
        parameters(input, &fields),
        tangent(input, &fields),
        shape(input, data, &fields),
        fields::own_struct(input, &fields),
        projections(input, &fields),
        with_variables(input, &fields),
    ];
    let tangent = tangent_type(beside, data, &fields);
    [quote!(#vouched #tangent), quote!(#(#parts)*)]
}

fn with_variables(input: &Input, fields: &[Field]) -> TokenStream {
    let name = &input.item.ident;
    let all: Vec<&Field> = fields.iter().collect();
    lifted(input, &all, &|each| {
        let made = fields::literal(fields, |f| {
            let member = &f.member;
            each(f, quote!(&self.#member))
        });
        quote!(#name #made)
    })
}

/// The fields that have a tangent of their own.
fn active(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|f| !f.constant)
}

fn tangent_type(input: &Input, data: &syn::DataStruct, fields: &[Field]) -> TokenStream {
    let (rt, name, vis) = (&input.rt, &input.item.ident, &input.item.vis);
    let tangent = input.tangent();
    let differentiable = quote!(#rt::Differentiable);
    let generics = input.owned(&differentiable);
    let (impls, _, clause) = generics.split_for_impl();
    let of = |f: &Field| f.of(&differentiable, "Tangent");
    let body = fields::definition(&data.fields, fields, true, of);
    let doc = format!("The tangent of [`{name}`]: a change of each of its fields.");
    let definition = match &data.fields {
        syn::Fields::Named(_) => quote!(#vis struct #tangent #impls #clause #body),
        _ => quote!(#vis struct #tangent #impls #body #clause;),
    };
    // A constant's part of it holds nothing, and may be private.
    quote!(#[doc = #doc] #[allow(clippy::manual_non_exhaustive)] #definition)
}

/// What any type has.
fn plain_traits(input: &Input, data: &syn::DataStruct, fields: &[Field]) -> TokenStream {
    let (rt, tangent) = (&input.rt, input.tangent());
    let generics = input.owned(&quote!(#rt::Differentiable));
    let (impls, names, clause) = generics.split_for_impl();
    let comparing = input.with_fields(&generics, fields, &quote!(::core::cmp::PartialEq));
    let approximate = input.approximate(comparing.as_ref());
    let printing = input.with_fields(&generics, fields, &quote!(::core::fmt::Debug));
    let text = tangent.to_string();
    let members: Vec<_> = fields.iter().map(|f| &f.member).collect();
    let print = match &data.fields {
        syn::Fields::Named(_) => {
            let names = fields.iter().map(Field::written);
            quote!(f.debug_struct(#text)#(.field(#names, &self.#members))*.finish())
        }
        _ => quote!(f.debug_tuple(#text)#(.field(&self.#members))*.finish()),
    };
    let clone = fields::literal(fields, |f| {
        let member = &f.member;
        quote!(::core::clone::Clone::clone(&self.#member))
    });
    quote! {
        #[automatically_derived]
        impl #impls ::core::clone::Clone for #tangent #names #clause {
            #[inline]
            fn clone(&self) -> Self {
                Self #clone
            }
        }
        #[automatically_derived]
        impl #impls ::core::cmp::PartialEq for #tangent #names #comparing {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                true #(&& self.#members == other.#members)*
            }
        }
        #approximate
        #[automatically_derived]
        impl #impls ::core::fmt::Debug for #tangent #names #printing {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                #print
            }
        }
    }
}

fn differentiable(input: &Input, fields: &[Field]) -> TokenStream {
    let (rt, name) = (&input.rt, &input.item.ident);
    let tangent = input.tangent();
    let generics = input.bounded(&quote!(#rt::Differentiable));
    let (impls, names, clause) = generics.split_for_impl();
    let owned = input.owned(&quote!(#rt::Differentiable));
    let (_, tangent_names, _) = owned.split_for_impl();
    let zero = fields::literal(fields, |f| {
        if f.constant {
            quote!(())
        } else {
            let field = f.lent(None);
            quote!(#rt::Differentiable::zero_tangent(#field))
        }
    });
    let write = active(fields).map(|f| {
        let field = f.lent(None);
        quote! {
            #rt::Differentiable::write_flat(#field, &mut out[at..]);
            at += #rt::scalars(#field);
        }
    });
    let write: Vec<_> = write.collect();
    let write = flat(&write);
    let naming = active(fields).map(|f| {
        let (field, written) = (f.lent(None), f.written());
        quote!(#rt::name_scalars_of(#field, name, #written, out);)
    });
    let checks = active(fields).map(|f| {
        let (field, member, written) = (f.lent(None), &f.member, f.written());
        quote!(#rt::Differentiable::check_tangent(#field, #rt::Whose::Field(&part, #written), &t.#member);)
    });
    let lists = fields::lists(rt, fields);
    quote! {
        #[automatically_derived]
        impl #impls #rt::Differentiable for #name #names #clause {
            type Tangent = #tangent #tangent_names;
            #[inline]
            fn zero_tangent(&self) -> Self::Tangent {
                #tangent #zero
            }
            #[inline]
            fn write_flat(&self, out: &mut [f64]) {
                #write
            }
            #rt::with_alloc! {
                #[inline]
                fn name_scalars(&self, name: &str, out: &mut #rt::Vec<#rt::String>) {
                    #(#naming)*
                }
            }
            #[inline]
            #[track_caller]
            fn check_tangent(&self, part: #rt::Whose<'_>, t: &Self::Tangent) {
                #(#checks)*
            }
            #lists
        }
    }
}

/// Steps that go through flat memory.
fn flat(steps: &[TokenStream]) -> TokenStream {
    if steps.is_empty() {
        return quote!();
    }
    quote! {
        let mut at = 0;
        #(#steps)*
        let _ = at;
    }
}

/// What optimisers take; a value that borrows cannot be moved.
fn parameters(input: &Input, fields: &[Field]) -> TokenStream {
    if active(fields).any(|f| fields::borrows(&f.ty)) {
        return TokenStream::new();
    }
    let (rt, name) = (&input.rt, &input.item.ident);
    let generics = input.bounded(&quote!(#rt::Parameters));
    let (impls, names, clause) = generics.split_for_impl();
    let mutable = quote!(mut);
    let members: Vec<_> = active(fields).map(|f| &f.member).collect();
    let changed: Vec<_> = active(fields).map(|f| f.lent(Some(&mutable))).collect();
    let reads: Vec<_> = active(fields)
        .zip(&changed)
        .map(|(f, changed)| {
            let field = f.lent(None);
            quote! {
                #rt::Parameters::read_flat(#changed, &flat[at..]);
                at += #rt::scalars(#field);
            }
        })
        .collect();
    let reads = flat(&reads);
    let walks = active(fields).zip(&changed).map(|(f, changed)| {
        let (member, written) = (&f.member, f.written());
        quote!(#rt::Parameters::walk_slices(#changed, t.map(|t| &t.#member), &#rt::FieldPath::Field(path, #written), f)?;)
    });
    let walk = fields::walk(rt, &quote!(#(#walks)* ::core::result::Result::Ok(())));
    quote! {
        #[automatically_derived]
        impl #impls #rt::Parameters for #name #names #clause {
            #[inline]
            fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
                #(#rt::Parameters::move_by(#changed, scale, &t.#members);)*
            }
            #[inline]
            fn read_flat(&mut self, flat: &[f64]) {
                #reads
            }
            #walk
        }
    }
}

fn tangent(input: &Input, fields: &[Field]) -> TokenStream {
    let rt = &input.rt;
    let tangent = input.tangent();
    let generics = input.owned(&quote!(#rt::Differentiable));
    let itself = input.tangent_of_tangent();
    let (impls, names, clause) = generics.split_for_impl();
    let zero = fields::literal(fields, |f| {
        let member = &f.member;
        quote!(#rt::Tangent::zero_like(&self.#member))
    });
    let members: Vec<_> = active(fields).map(|f| &f.member).collect();
    let writes: Vec<_> = members
        .iter()
        .map(|member| {
            quote! {
                #rt::Tangent::write_flat(&self.#member, &mut out[at..]);
                at += #rt::Tangent::scalar_count(&self.#member);
            }
        })
        .collect();
    let writes = flat(&writes);
    let adding = input.with_fields(&generics, fields, &quote!(#rt::Accumulate));
    quote! {
        #[automatically_derived]
        impl #impls #rt::Tangent for #tangent #names #clause {
            #[inline]
            fn zero_like(&self) -> Self {
                Self #zero
            }
            #[inline]
            fn add_scaled(&mut self, s: f64, t: &Self) {
                #(#rt::Tangent::add_scaled(&mut self.#members, s, &t.#members);)*
            }
            #[inline]
            fn inner(&self, t: &Self) -> f64 {
                0.0 #(+ #rt::Tangent::inner(&self.#members, &t.#members))*
            }
            #[inline]
            fn scalar_count(&self) -> usize {
                0 #(+ #rt::Tangent::scalar_count(&self.#members))*
            }
            #[inline]
            fn for_each_scalar(&mut self, f: &mut dyn ::core::ops::FnMut(&mut f64)) {
                #(#rt::Tangent::for_each_scalar(&mut self.#members, f);)*
            }
            #[inline]
            fn for_each_slice(&mut self, f: &mut dyn ::core::ops::FnMut(#rt::SliceMut<'_>)) {
                #(#rt::Tangent::for_each_slice(&mut self.#members, f);)*
            }
            #[inline]
            fn visit_slices(&self, f: &mut dyn ::core::ops::FnMut(#rt::Slice<'_>)) {
                #(#rt::Tangent::visit_slices(&self.#members, f);)*
            }
            #[inline]
            fn write_flat(&self, out: &mut [f64]) {
                #writes
            }
        }
        #itself
        #[automatically_derived]
        impl #impls #rt::Accumulate for #tangent #names #adding {
            #[inline]
            fn __accumulate(&mut self, t: &Self) {
                #(#rt::Accumulate::__accumulate(&mut self.#members, &t.#members);)*
            }
        }
    }
}

/// Whether the type of a field may be more private than the struct.
fn may_leak(input: &Input, field: &Field) -> bool {
    let private = matches!(input.item.vis, syn::Visibility::Inherited);
    let parameters = input.item.generics.type_params();
    let parameters: Vec<_> = parameters.map(|t| t.ident.clone()).collect();
    let standard = types::read_in(&field.ty, &parameters).is_understood();
    !private && !field.constant && !standard
}

/// The fields of the tangent by an index: in another struct it may be that of a constant, which has no fields.
fn projections(input: &Input, fields: &[Field]) -> TokenStream {
    let rt = &input.rt;
    let tangent = input.tangent();
    let generics = input.owned(&quote!(#rt::Differentiable));
    let mut any = generics.clone();
    any.params.push(syn::parse_quote!(const __VARIANT: u64));
    let (_, names, clause) = generics.split_for_impl();
    let (impls, ..) = any.split_for_impl();
    let (plain, ..) = generics.split_for_impl();
    let parts = fields.iter().map(|f| {
        let (member, written) = (&f.member, f.written());
        let ty = f.of(&quote!(#rt::Differentiable), "Tangent");
        let key = ir::key(&written);
        if may_leak(input, f) {
            let mut any = any.clone();
            any.params.push(syn::parse_quote!(__Part));
            let bounds = any.make_where_clause();
            bounds.predicates.push(syn::parse_quote!(#tangent #names: __Parts<#key, Type = __Part>));
            let (impls, _, bounded) = any.split_for_impl();
            return quote! {
                const _: () = {
                    // What a public type has of a private one may be named by what is private alone.
                    trait __Parts<const KEY: u64> {
                        type Type;
                        fn part(&self) -> &Self::Type;
                        fn part_mut(&mut self) -> &mut Self::Type;
                    }
                    impl #plain __Parts<#key> for #tangent #names #clause {
                        type Type = #ty;
                        #[inline]
                        fn part(&self) -> &Self::Type {
                            &self.#member
                        }
                        #[inline]
                        fn part_mut(&mut self) -> &mut Self::Type {
                            &mut self.#member
                        }
                    }
                    #[automatically_derived]
                    #[doc(hidden)]
                    impl #impls ::core::ops::Index<#rt::Field<#key, __VARIANT>> for #tangent #names #bounded {
                        type Output = __Part;
                        #[inline]
                        fn index(&self, _: #rt::Field<#key, __VARIANT>) -> &__Part {
                            self.part()
                        }
                    }
                    #[automatically_derived]
                    #[doc(hidden)]
                    impl #impls ::core::ops::IndexMut<#rt::Field<#key, __VARIANT>> for #tangent #names #bounded {
                        #[inline]
                        fn index_mut(&mut self, _: #rt::Field<#key, __VARIANT>) -> &mut __Part {
                            self.part_mut()
                        }
                    }
                };
            };
        }
        quote!(#rt::part! { [#impls] [#tangent #names] [#clause] #member: #ty, #key })
    });
    quote!(#(#parts)*)
}

/// What is left of a value without its numbers.
fn shape(input: &Input, data: &syn::DataStruct, fields: &[Field]) -> TokenStream {
    let (rt, name, vis) = (&input.rt, &input.item.ident, &input.item.vis);
    let (tangent, shape) = (input.tangent(), input.shape());
    let shaped = quote!(#rt::Shaped);
    let generics = input.owned(&shaped);
    let (impls, names, clause) = generics.split_for_impl();
    let of_value = input.bounded(&shaped);
    let (value_impls, value_names, value_clause) = of_value.split_for_impl();
    let of = |f: &Field| f.of(&shaped, "Shape");
    let body = fields::definition(&data.fields, fields, false, of);
    let definition = match &data.fields {
        syn::Fields::Named(_) => quote!(#vis struct #shape #impls #clause #body),
        _ => quote!(#vis struct #shape #impls #body #clause;),
    };
    let clone = fields::literal(fields, |f| {
        let member = &f.member;
        quote!(::core::clone::Clone::clone(&self.#member))
    });
    let make = fields::literal(fields, |f| {
        if f.constant {
            quote!(())
        } else {
            let field = f.lent(None);
            quote!(#rt::Shaped::__shape(#field))
        }
    });
    let zero = fields::literal(fields, |f| {
        let member = &f.member;
        if f.constant {
            quote!(())
        } else {
            quote!(#rt::Shape::zero(&self.#member))
        }
    });
    quote! {
        #[doc(hidden)]
        #definition
        #[automatically_derived]
        impl #impls ::core::clone::Clone for #shape #names #clause {
            #[inline]
            fn clone(&self) -> Self {
                Self #clone
            }
        }
        #[automatically_derived]
        impl #impls #rt::Shape for #shape #names #clause {
            type Zero = #tangent #names;
            #[inline]
            fn zero(&self) -> Self::Zero {
                #tangent #zero
            }
        }
        #[automatically_derived]
        impl #value_impls #rt::Shaped for #name #value_names #value_clause {
            type Shape = #shape #names;
            #[inline]
            fn __shape(&self) -> Self::Shape {
                #shape #make
            }
        }
    }
}
