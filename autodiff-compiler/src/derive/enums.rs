//! The tangent of an enum: an enum of the same variants.
//!
//! Derivative code cannot spell the tangent type, so it reaches what a variant holds by an index: `shape[rt::Field::<…>]`, of a value and of its tangent alike.
//! Where another variant is there, that panics.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::Input;
use super::fields::{self, Field};
use super::lifted::lifted;
use crate::errors::Errors;

pub(super) struct Variant {
    pub(super) name: Ident,
    docs: Vec<syn::Attribute>,
    shape: syn::Fields,
    pub(super) fields: Vec<Field>,
}

impl Variant {
    /// `{ a: x_0, b: x_1 }`, as a pattern or as an expression.
    fn named(&self, prefix: &str) -> TokenStream {
        let mut k = 0;
        fields::literal(&self.fields, |_| {
            k += 1;
            name(prefix, k - 1).to_token_stream()
        })
    }

    /// What is made of each field, in order.
    pub(super) fn each(&self, mut f: impl FnMut(usize, &Field) -> TokenStream) -> Vec<TokenStream> {
        self.fields
            .iter()
            .enumerate()
            .map(|(k, field)| f(k, field))
            .collect()
    }

    /// A value of this variant of another enum, from what is made of each field.
    fn literal(&self, mut f: impl FnMut(usize, &Field) -> TokenStream) -> TokenStream {
        let mut k = 0;
        let body = fields::literal(&self.fields, |field| {
            k += 1;
            f(k - 1, field)
        });
        let variant = &self.name;
        quote!(#variant #body)
    }
}

pub(super) fn name(prefix: &str, k: usize) -> Ident {
    format_ident!("{prefix}_{k}", span = Span::mixed_site())
}

/// The types, as `beside` has them, and their traits.
pub(super) fn derive(
    beside: &Input,
    input: &Input,
    data: &syn::DataEnum,
    errors: &mut Errors,
) -> [TokenStream; 2] {
    if data.variants.is_empty() {
        errors.error(
            &input.item.ident,
            "an enum without variants has no values, and no tangent; remove the derive",
        );
        return Default::default();
    }
    let mut variants: Vec<Variant> = data
        .variants
        .iter()
        .map(|v| Variant {
            name: v.ident.clone(),
            docs: v
                .attrs
                .iter()
                .filter(|a| a.path().is_ident("doc"))
                .cloned()
                .collect(),
            shape: v.fields.clone(),
            fields: fields::read(&v.fields, errors),
        })
        .collect();
    let vouched = variants
        .iter_mut()
        .map(|v| fields::vouch(beside, &v.name.to_string(), &mut v.fields));
    let vouched: TokenStream = vouched.collect();
    let [beside, derive] = [beside, input].map(|input| Derive {
        input,
        rt: &input.rt,
        variants: &variants,
        of_values: false,
    });
    let values = Derive {
        of_values: true,
        ..derive
    };
    let parts = [
        derive.plain_traits(),
        values.differentiable(),
        values.parameters(),
        derive.tangent(),
        derive.shape(),
        derive.own_type(),
        derive.projections(),
        values.with_variables(),
    ];
    let tangent = beside.tangent_type();
    [quote!(#vouched #tangent), quote!(#(#parts)*)]
}

#[derive(Clone, Copy)]
pub(super) struct Derive<'a> {
    pub(super) input: &'a Input,
    pub(super) rt: &'a TokenStream,
    pub(super) variants: &'a [Variant],
    /// Of values, and not of their tangents or shapes: their fields are of the types that are vouched for.
    pub(super) of_values: bool,
}

impl Derive<'_> {
    fn with_variables(&self) -> TokenStream {
        let owner = &self.input.item.ident;
        let all: Vec<&Field> = self.variants.iter().flat_map(|v| &v.fields).collect();
        lifted(self.input, &all, &|each| {
            self.arms(|v| {
                let made = v.literal(|k, f| each(f, name("x", k).to_token_stream()));
                quote!(#owner::#made)
            })
        })
    }

    /// The fields of a variant of `self`, seen as what vouches for their types.
    fn seen(&self, v: &Variant) -> TokenStream {
        let rt = self.rt;
        let seen = v.each(|k, f| {
            let (x, ty) = (name("x", k), &f.ty);
            let vouched = f.vouched.as_ref().filter(|_| self.of_values);
            vouched.map_or_else(
                TokenStream::new,
                |vouched| quote!(let #x = #rt::seen_as::<#vouched<#ty>, _>(#x);),
            )
        });
        seen.into_iter().collect()
    }

    /// One arm for each variant, of `self`.
    pub(super) fn arms(&self, mut f: impl FnMut(&Variant) -> TokenStream) -> TokenStream {
        let arms = self.variants.iter().map(|v| {
            let (variant, pattern, seen, body) = (&v.name, v.named("x"), self.seen(v), f(v));
            quote!(Self::#variant #pattern => { #seen #body })
        });
        quote!(match self { #(#arms)* })
    }

    /// One arm for each variant that both are of, and what there is for two of different ones.
    pub(super) fn pairs(
        &self,
        other: &TokenStream,
        with: &TokenStream,
        mut f: impl FnMut(&Variant) -> TokenStream,
        otherwise: &TokenStream,
    ) -> TokenStream {
        let arms = self.variants.iter().map(|v| {
            let (variant, ours, theirs, body) = (&v.name, v.named("x"), v.named("y"), f(v));
            let seen = self.seen(v);
            quote!((Self::#variant #ours, #other::#variant #theirs) => { #seen #body })
        });
        let otherwise = (self.variants.len() > 1).then(|| quote!(_ => #otherwise,));
        quote!(match (self, #with) { #(#arms)* #otherwise })
    }

    fn all(&self) -> Vec<&Field> {
        self.variants.iter().flat_map(|v| &v.fields).collect()
    }

    /// The conditions of an impl that needs a trait of the tangents of all fields.
    pub(super) fn with_fields(
        &self,
        generics: &syn::Generics,
        bound: &TokenStream,
    ) -> Option<syn::WhereClause> {
        self.input.with_fields(generics, self.all(), bound)
    }

    /// The definition of an enum of the same variants.
    pub(super) fn definition(
        &self,
        name: &Ident,
        generics: &syn::Generics,
        public: bool,
        ty: &dyn Fn(&Field) -> TokenStream,
    ) -> TokenStream {
        let vis = &self.input.item.vis;
        let (impls, _, clause) = generics.split_for_impl();
        let variants = self.variants.iter().map(|v| {
            let body = fields::definition(&v.shape, &v.fields, public, ty);
            let docs = v.docs.iter().filter(|_| public);
            let variant = &v.name;
            quote!(#(#docs)* #variant #body)
        });
        quote!(#vis enum #name #impls #clause { #(#variants,)* })
    }

    fn tangent_type(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let tangent = input.tangent();
        let differentiable = quote!(#rt::Differentiable);
        let generics = input.owned(&differentiable);
        let definition = self.definition(&tangent, &generics, true, &|f| {
            f.of(&differentiable, "Tangent")
        });
        let doc = format!(
            "The tangent of [`{}`]: of the same variant, a change of each of its fields.",
            input.item.ident
        );
        quote!(#[doc = #doc] #definition)
    }

    /// What any type has.
    fn plain_traits(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let tangent = input.tangent();
        let generics = input.owned(&quote!(#rt::Differentiable));
        let (impls, names, clause) = generics.split_for_impl();
        let comparing = self.with_fields(&generics, &quote!(::core::cmp::PartialEq));
        let approximate = input.approximate(comparing.as_ref());
        let printing = self.with_fields(&generics, &quote!(::core::fmt::Debug));
        let clone = self.cloned();
        let same = self.pairs(
            &quote!(Self),
            &quote!(other),
            |v| {
                let same = v.each(|k, _| {
                    let (x, y) = (name("x", k), name("y", k));
                    quote!(&& #x == #y)
                });
                quote!(true #(#same)*)
            },
            &quote!(false),
        );
        let print = self.arms(|v| {
            let text = v.name.to_string();
            let parts = v.each(|k, f| {
                let (x, written) = (name("x", k), f.written());
                match v.shape {
                    syn::Fields::Named(_) => quote!(.field(#written, #x)),
                    _ => quote!(.field(#x)),
                }
            });
            match v.shape {
                syn::Fields::Named(_) => quote!(f.debug_struct(#text)#(#parts)*.finish()),
                _ => quote!(f.debug_tuple(#text)#(#parts)*.finish()),
            }
        });
        quote! {
            #[automatically_derived]
            impl #impls ::core::clone::Clone for #tangent #names #clause {
                #[inline]
                fn clone(&self) -> Self {
                    #clone
                }
            }
            #[automatically_derived]
            impl #impls ::core::cmp::PartialEq for #tangent #names #comparing {
                #[inline]
                fn eq(&self, other: &Self) -> bool {
                    #same
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

    pub(super) fn cloned(&self) -> TokenStream {
        self.arms(|v| {
            let whole = v.literal(|k, _| {
                let x = name("x", k);
                quote!(::core::clone::Clone::clone(#x))
            });
            quote!(Self::#whole)
        })
    }

    /// `self` as a value of another enum.
    pub(super) fn mapped(
        &self,
        to: &Ident,
        constant: &TokenStream,
        f: &TokenStream,
    ) -> TokenStream {
        self.arms(|v| {
            let whole = v.literal(|k, field| {
                let x = name("x", k);
                if field.constant {
                    constant.clone()
                } else {
                    quote!(#f(#x))
                }
            });
            quote!(#to::#whole)
        })
    }

    /// Goes through the scalars of the variant that is there, in order.
    pub(super) fn flat(
        &self,
        step: &dyn Fn(&Ident) -> TokenStream,
        count: &TokenStream,
    ) -> TokenStream {
        self.arms(|v| {
            let steps = v.each(|k, f| {
                let x = name("x", k);
                if f.constant {
                    return quote!();
                }
                let step = step(&x);
                quote!(#step at += #count(#x);)
            });
            quote!(let mut at = 0; #(#steps)* let _ = at;)
        })
    }

    fn differentiable(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        let (ident, tangent) = (&input.item.ident, input.tangent());
        let generics = input.bounded(&quote!(#rt::Differentiable));
        let (impls, names, clause) = generics.split_for_impl();
        let owned = input.owned(&quote!(#rt::Differentiable));
        let (_, tangent_names, _) = owned.split_for_impl();
        let zero = self.mapped(
            &tangent,
            &quote!(()),
            &quote!(#rt::Differentiable::zero_tangent),
        );
        let write = self.flat(
            &|x| quote!(#rt::Differentiable::write_flat(#x, &mut out[at..]);),
            &quote!(#rt::scalars),
        );
        let naming = self.arms(|v| {
            let names = v.each(|k, f| {
                let (x, written) = (name("x", k), f.written());
                if f.constant {
                    quote!()
                } else {
                    quote!(#rt::name_scalars_of(#x, name, #written, out);)
                }
            });
            quote!(#(#names)*)
        });
        // One of another variant is found where it is used.
        let checks = self.pairs(
            &tangent.to_token_stream(),
            &quote!(t),
            |v| {
                let checks = v.each(|k, f| {
                    let (x, y, written) = (name("x", k), name("y", k), f.written());
                    if f.constant {
                        quote!()
                    } else {
                        quote!(#rt::Differentiable::check_tangent(#x, #rt::Whose::Field(&part, #written), #y);)
                    }
                });
                quote!(#(#checks)*)
            },
            &quote!({}),
        );
        let lists = fields::lists(rt, self.all());
        quote! {
            #[automatically_derived]
                impl #impls #rt::Differentiable for #ident #names #clause {
                type Tangent = #tangent #tangent_names;
                #[inline]
                fn zero_tangent(&self) -> Self::Tangent {
                    #zero
                }
                #[inline]
                fn write_flat(&self, out: &mut [f64]) {
                    #write
                }
                #rt::with_alloc! {
                    #[inline]
                    fn name_scalars(&self, name: &str, out: &mut #rt::Vec<#rt::String>) {
                        #naming
                    }
                }
                #[inline]
                #[track_caller]
                fn check_tangent(&self, part: #rt::Whose<'_>, t: &Self::Tangent) {
                    #checks
                }
                #lists
            }
        }
    }

    /// What is true of types of the user's own; a value is of the variant with the fewest fields.
    fn own_type(&self) -> TokenStream {
        let variants = self.variants.iter().map(|v| {
            let name = &v.name;
            (quote!(Self::#name), &v.fields[..])
        });
        fields::own_enum(self.input, &variants.collect::<Vec<_>>())
    }

    /// What optimisers take; a value that borrows cannot be moved.
    fn parameters(&self) -> TokenStream {
        let (input, rt) = (self.input, self.rt);
        if self
            .all()
            .iter()
            .any(|f| !f.constant && fields::borrows(&f.ty))
        {
            return TokenStream::new();
        }
        let ident = &input.item.ident;
        let generics = input.bounded(&quote!(#rt::Parameters));
        let (impls, names, clause) = generics.split_for_impl();
        let tangent = input.tangent();
        let moving = self.pairs(
            &tangent.to_token_stream(),
            &quote!(t),
            |v| {
                let steps = v.each(|k, f| {
                    let (x, y) = (name("x", k), name("y", k));
                    if f.constant {
                        quote!()
                    } else {
                        quote!(#rt::Parameters::move_by(#x, scale, #y);)
                    }
                });
                quote!(#(#steps)*)
            },
            &quote!(#rt::variants_differ()),
        );
        let read = self.flat(
            &|x| quote!(#rt::Parameters::read_flat(#x, &flat[at..]);),
            &quote!(#rt::scalars),
        );
        let step = |k: usize, f: &Field, t: TokenStream| {
            let (x, written) = (name("x", k), f.written());
            if f.constant {
                quote!()
            } else {
                quote!(#rt::Parameters::walk_slices(#x, #t, &#rt::FieldPath::Field(path, #written), f)?;)
            }
        };
        let with_tangent = self.pairs(
            &tangent.to_token_stream(),
            &quote!(t),
            |v| {
                let steps = v.each(|k, f| {
                    let y = name("y", k);
                    step(k, f, quote!(::core::option::Option::Some(#y)))
                });
                quote!(#(#steps)*)
            },
            &quote!(return ::core::result::Result::Err(#rt::SliceError::variants(path))),
        );
        let alone = self.arms(|v| {
            let steps = v.each(|k, f| step(k, f, quote!(::core::option::Option::None)));
            quote!(#(#steps)*)
        });
        let walk = fields::walk(
            rt,
            &quote! {
                match t {
                    ::core::option::Option::Some(t) => #with_tangent,
                    ::core::option::Option::None => #alone,
                }
                ::core::result::Result::Ok(())
            },
        );
        quote! {
            #[automatically_derived]
                impl #impls #rt::Parameters for #ident #names #clause {
                #[track_caller]
                #[inline]
                fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
                    #moving
                }
                #[inline]
                fn read_flat(&mut self, flat: &[f64]) {
                    #read
                }
                #walk
            }
        }
    }
}
