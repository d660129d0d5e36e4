//! The tangent of an enum as a vector space, its shape, and what its variants hold by an index.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::enums::{Derive, Variant, name};
use super::fields::Field;
use crate::ir;

impl Derive<'_> {
    pub(super) fn tangent(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let tangent = input.tangent();
        let generics = input.owned(&quote!(#rt::Differentiable));
        let itself = input.tangent_of_tangent();
        let (impls, names, clause) = generics.split_for_impl();
        let differ = quote!(#rt::variants_differ());
        let zero = self.mapped(&tangent, &quote!(()), &quote!(#rt::Tangent::zero_like));
        let both = |f: &dyn Fn(&Ident, &Ident) -> TokenStream, start: &TokenStream| {
            self.pairs(
                &quote!(Self),
                &quote!(t),
                |v| {
                    let steps = v.each(|k, _| f(&name("x", k), &name("y", k)));
                    quote!(#start #(#steps)*)
                },
                &differ,
            )
        };
        let adding_scaled = both(
            &|x, y| quote!(#rt::Tangent::add_scaled(#x, s, #y);),
            &quote!(),
        );
        let inner = both(&|x, y| quote!(+ #rt::Tangent::inner(#x, #y)), &quote!(0.0));
        let accumulating = both(
            &|x, y| quote!(#rt::Accumulate::__accumulate(#x, #y);),
            &quote!(),
        );
        let count = self.arms(|v| {
            let counts = v.each(|k, _| {
                let x = name("x", k);
                quote!(+ #rt::Tangent::scalar_count(#x))
            });
            quote!(0 #(#counts)*)
        });
        let walk = |method: &TokenStream| {
            self.arms(|v| {
                let steps = v.each(|k, _| {
                    let x = name("x", k);
                    quote!(#rt::Tangent::#method(#x, f);)
                });
                quote!(#(#steps)*)
            })
        };
        let scalars = walk(&quote!(for_each_scalar));
        let slices = walk(&quote!(for_each_slice));
        let read = walk(&quote!(visit_slices));
        let write = self.flat(
            &|x| quote!(#rt::Tangent::write_flat(#x, &mut out[at..]);),
            &quote!(#rt::Tangent::scalar_count),
        );
        let adding = self.with_fields(&generics, &quote!(#rt::Accumulate));
        quote! {
            #[automatically_derived]
            impl #impls #rt::Tangent for #tangent #names #clause {
                #[inline]
                fn zero_like(&self) -> Self {
                    #zero
                }
                #[inline]
                #[track_caller]
                fn add_scaled(&mut self, s: f64, t: &Self) {
                    #adding_scaled
                }
                #[inline]
                #[track_caller]
                fn inner(&self, t: &Self) -> f64 {
                    #inner
                }
                #[inline]
                fn scalar_count(&self) -> usize {
                    #count
                }
                #[inline]
                fn for_each_scalar(&mut self, f: &mut dyn ::core::ops::FnMut(&mut f64)) {
                    #scalars
                }
                #[inline]
                fn for_each_slice(&mut self, f: &mut dyn ::core::ops::FnMut(#rt::SliceMut<'_>)) {
                    #slices
                }
                #[inline]
                fn visit_slices(&self, f: &mut dyn ::core::ops::FnMut(#rt::Slice<'_>)) {
                    #read
                }
                #[inline]
                fn write_flat(&self, out: &mut [f64]) {
                    #write
                }
            }
            #itself
            #[automatically_derived]
            impl #impls #rt::Accumulate for #tangent #names #adding {
                #[inline]
                #[track_caller]
                fn __accumulate(&mut self, t: &Self) {
                    #accumulating
                }
            }
        }
    }

    /// What is left of a value without its numbers.
    pub(super) fn shape(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let (ident, tangent, shape) = (&input.item.ident, input.tangent(), input.shape());
        let shaped = quote!(#rt::Shaped);
        let generics = input.owned(&shaped);
        let (impls, names, clause) = generics.split_for_impl();
        let of_value = input.bounded(&shaped);
        let (value_impls, value_names, value_clause) = of_value.split_for_impl();
        let definition = self.definition(&shape, &generics, false, &|f| f.of(&shaped, "Shape"));
        let clone = self.cloned();
        let values = Derive {
            of_values: true,
            ..*self
        };
        let make = values.mapped(&shape, &quote!(()), &quote!(#rt::Shaped::__shape));
        let zero = self.mapped(&tangent, &quote!(()), &quote!(#rt::Shape::zero));
        quote! {
            #[doc(hidden)]
            #definition
            #[automatically_derived]
            impl #impls ::core::clone::Clone for #shape #names #clause {
                #[inline]
                fn clone(&self) -> Self {
                    #clone
                }
            }
            #[automatically_derived]
            impl #impls #rt::Shape for #shape #names #clause {
                type Zero = #tangent #names;
                #[inline]
                fn zero(&self) -> Self::Zero {
                    #zero
                }
            }
            #[automatically_derived]
            impl #value_impls #rt::Shaped for #ident #value_names #value_clause {
                type Shape = #shape #names;
                #[inline]
                fn __shape(&self) -> Self::Shape {
                    #make
                }
            }
        }
    }

    /// What each variant holds, by an index.
    pub(super) fn projections(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let differentiable = quote!(#rt::Differentiable);
        let (ident, tangent) = (&input.item.ident, input.tangent());
        let plain = &input.item.generics;
        let owned = input.owned(&differentiable);
        let mut out = TokenStream::new();
        for v in self.variants {
            for f in &v.fields {
                let ty = &f.ty;
                out.extend(self.projection(v, f, ident, plain, &quote!(#ty)));
                let ty = f.of(&differentiable, "Tangent");
                out.extend(self.projection(v, f, &tangent, &owned, &ty));
            }
        }
        out
    }

    fn projection(
        &self,
        v: &Variant,
        f: &Field,
        ident: &Ident,
        generics: &syn::Generics,
        ty: &TokenStream,
    ) -> TokenStream {
        let rt = self.rt;
        let (impls, names, clause) = generics.split_for_impl();
        let (variant, member) = (&v.name, &f.member);
        let key = ir::field_key(rt, &f.written(), Some(&variant.to_string()));
        let wrong =
            format!("`{variant}` is what the value or its tangent should be here, and is not");
        let otherwise = (self.variants.len() > 1).then(|| quote!(_ => #rt::other_variant(#wrong),));
        quote! {
            #[automatically_derived]
            #[doc(hidden)]
            impl #impls ::core::ops::Index<#key> for #ident #names #clause {
                type Output = #ty;
                #[inline]
                #[track_caller]
                fn index(&self, _: #key) -> &Self::Output {
                    match self {
                        Self::#variant { #member: x, .. } => x,
                        #otherwise
                    }
                }
            }
            #[automatically_derived]
            #[doc(hidden)]
            impl #impls ::core::ops::IndexMut<#key> for #ident #names #clause {
                #[inline]
                #[track_caller]
                fn index_mut(&mut self, _: #key) -> &mut Self::Output {
                    match self {
                        Self::#variant { #member: x, .. } => x,
                        #otherwise
                    }
                }
            }
        }
    }
}
