//! The fields of a struct or of a variant, and the code that goes through them.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Input, enums};
use crate::errors::Errors;
use crate::types;
use crate::visit::{self, Enter as _, Visit};

/// A field.
pub(super) struct Field {
    pub(super) member: syn::Member,
    pub(super) ty: syn::Type,
    pub(super) vis: syn::Visibility,
    /// Its tangent is `()`.
    pub(super) constant: bool,
    /// What vouches for its type: where that has no derivative, a constant says so once, and rustc takes the rest without another error.
    pub(super) vouched: Option<Ident>,
    pub(super) docs: Vec<syn::Attribute>,
}

/// Reads the fields, and reports what is wrong with their attributes.
pub(super) fn read(fields: &syn::Fields, errors: &mut Errors) -> Vec<Field> {
    fields
        .iter()
        .zip(fields.members())
        .map(|(field, member)| {
            let mark = mark(field);
            if let Some(mark) = mark.filter(|a| a.meta.require_path_only().is_err()) {
                errors.error(mark, "`#[constant]` takes no arguments; write it alone");
            }
            if let (Some(object), None) = (trait_object(&field.ty), mark) {
                errors.error(object, "a `dyn` trait object has no tangent; use an enum or a type parameter, or write `#[constant]` in front of the field");
            }
            Field {
                member,
                ty: field.ty.clone(),
                vis: field.vis.clone(),
                constant: is_constant(field),
                vouched: None,
                docs: field
                    .attrs
                    .iter()
                    .filter(|a| a.path().is_ident("doc"))
                    .cloned()
                    .collect(),
            }
        })
        .collect()
}

fn mark(field: &syn::Field) -> Option<&syn::Attribute> {
    field.attrs.iter().find(|a| a.path().is_ident("constant"))
}

/// Whether a field is marked `#[constant]`, only names a type, is a pointer to a function, holds a trait object, or is a matrix of integers or truth values.
pub(super) fn is_constant(field: &syn::Field) -> bool {
    if types::is_numberless_of_crates(&field.ty) {
        return true;
    }
    let named = matches!(&field.ty, syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "PhantomData"));
    named || is_function(&field.ty) || trait_object(&field.ty).is_some() || mark(field).is_some()
}

impl Field {
    /// As the user writes it behind the dot.
    pub(super) fn written(&self) -> String {
        match &self.member {
            syn::Member::Named(name) => name.to_string(),
            syn::Member::Unnamed(k) => k.index.to_string(),
        }
    }

    /// Whether its type has a type parameter in it.
    pub(super) fn names_any(&self, generics: &syn::Generics) -> bool {
        let ty = self.ty.to_token_stream();
        !self.constant
            && generics
                .type_params()
                .any(|t| types::mentions(&ty, &t.ident))
    }

    /// An associated type of the field's type, in an error at the field.
    pub(super) fn of(&self, bound: &TokenStream, name: &str) -> TokenStream {
        if self.constant {
            return quote!(());
        }
        let ty = types::unborrowed(&self.ty);
        let name = Ident::new(name, Span::mixed_site());
        let span = ty.span().resolved_at(Span::call_site());
        match &self.vouched {
            Some(vouched) => quote_spanned!(span=> <#vouched<#ty> as #bound>::#name),
            None => quote_spanned!(span=> <#ty as #bound>::#name),
        }
    }

    /// The field of `self`, lent.
    pub(super) fn lent(&self, mutable: Option<&TokenStream>) -> TokenStream {
        let (member, ty) = (&self.member, &self.ty);
        match &self.vouched {
            Some(vouched) => {
                quote!({ let __field: &#mutable #vouched<#ty> = &#mutable self.#member; __field })
            }
            None => quote!(&#mutable self.#member),
        }
    }

    /// Whether its type is known without its parameters, and may lack a derivative.
    fn is_closed(&self, input: &Input) -> bool {
        let ty = self.ty.to_token_stream();
        let generics = &input.item.generics;
        let params = generics.params.iter().map(|p| match p {
            syn::GenericParam::Type(p) => &p.ident,
            syn::GenericParam::Const(p) => &p.ident,
            syn::GenericParam::Lifetime(p) => &p.lifetime.ident,
        });
        let itself = [&input.item.ident, &Ident::new("Self", Span::call_site())];
        !self.constant
            && !types::read(&self.ty).is_understood()
            && !borrows(&self.ty)
            // Where that leads, its own place says.
            && !ty.to_string().contains("$crate")
            && !params.chain(itself).any(|name| types::mentions(&ty, name))
    }
}

/// Tokens that all stand at one place, and mean what they mean there.
fn all_at(tokens: TokenStream, span: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), all_at(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    });
    tokens.collect()
}

/// What vouches for the types of fields, one item for each, beside the type; of a `variant` by its name.
pub(super) fn vouch(input: &Input, variant: &str, fields: &mut [Field]) -> TokenStream {
    let rt = &input.rt;
    let mut items = TokenStream::new();
    for (k, field) in fields.iter_mut().enumerate() {
        if !field.is_closed(input) {
            continue;
        }
        let span = field.ty.span().resolved_at(Span::call_site());
        let name = Ident::new(&format!("__{}{variant}Field{k}", input.item.ident), span);
        // All at one place, where rustc says it once.
        let ty = all_at(field.ty.to_token_stream(), span);
        let asked = quote_spanned!(span=> let _ = <#ty as #rt::Differentiable>::zero_tangent;);
        items.extend(quote_spanned! {span=>
            #[doc(hidden)]
            #[allow(dead_code, non_camel_case_types)]
            type #name<__T> = #rt::Vouched<{ #asked true }, __T>;
        });
        field.vouched = Some(name);
    }
    items
}

/// `{ a: …, b: … }`, which names the fields of tuples as well.
pub(super) fn literal(
    fields: &[Field],
    mut value: impl FnMut(&Field) -> TokenStream,
) -> TokenStream {
    let fields = fields.iter().map(|f| {
        let (member, value) = (&f.member, value(f));
        quote!(#member: #value)
    });
    quote!({ #(#fields,)* })
}

/// What is said of a type of the user's own, and of which type with which conditions.
fn said(input: &Input, name: &str, of: &TokenStream) -> TokenStream {
    let (rt, ident) = (&input.rt, &input.item.ident);
    let name = Ident::new(name, Span::mixed_site());
    let (impls, names, clause) = input.item.generics.split_for_impl();
    let conditions = clause.iter().flat_map(|c| &c.predicates);
    quote!(#rt::#name! { [#impls] [#ident #names] [#(#conditions,)*] #of })
}

/// Whether there may be no value of the type by itself.
fn is_unsized(input: &Input, fields: &[Field]) -> bool {
    let generics = input.item.generics.to_token_stream();
    let is_unsized = |ty: &syn::Type| matches!(ty, syn::Type::Slice(_) | syn::Type::TraitObject(_));
    generics.to_string().contains("? Sized") || fields.iter().any(|f| is_unsized(&f.ty))
}

/// The fields, each with the name of its place in a pattern and how it is copied.
fn copies(input: &Input, fields: &[Field]) -> TokenStream {
    let parameters = input.item.generics.type_params();
    let parameters: Vec<_> = parameters.map(|t| t.ident.clone()).collect();
    let parts = fields.iter().enumerate().map(|(k, f)| {
        let (member, ty, x) = (&f.member, &f.ty, enums::name("x", k));
        // Types of the standard library are `Clone`, and of a constant there is no other copy.
        let cloned = f.constant || types::read_in(ty, &parameters).is_understood();
        let how = if cloned {
            quote!(ClonedPart)
        } else {
            quote!(CopiedPart)
        };
        quote!(#member #x #how #ty)
    });
    quote!(#(#parts),*)
}

/// That a struct is a type of the user's own, a value of it, which stands for one that a function has failed to compute, and how it is copied part by part.
/// There is no value of what has no size.
pub(super) fn own_struct(input: &Input, fields: &[Field]) -> TokenStream {
    if is_unsized(input, fields) {
        return own_unsized(input);
    }
    let copies = copies(input, fields);
    said(input, "own_type", &quote!([Self] #copies))
}

/// The same of an enum, of which the value is one of the variant with the fewest fields.
pub(super) fn own_enum(input: &Input, variants: &[(TokenStream, &[Field])]) -> TokenStream {
    let Some((made, fewest)) = variants.iter().min_by_key(|(_, fields)| fields.len()) else {
        return TokenStream::new();
    };
    if variants.iter().any(|(_, fields)| is_unsized(input, fields)) {
        return own_unsized(input);
    }
    let parts = fewest.iter().map(|f| (&f.member, &f.ty));
    let parts = parts.map(|(member, ty)| quote!(#member: #ty));
    let own = said(input, "own_type", &quote!([#made] #(#parts),*));
    let copies = variants.iter().map(|(made, fields)| {
        let copies = copies(input, fields);
        quote!([#made] { #copies })
    });
    let copies = said(input, "by_parts", &quote!(#(#copies)*));
    quote!(#own #copies)
}

/// That a type which may have no size is one of the user's own.
fn own_unsized(input: &Input) -> TokenStream {
    let (rt, name) = (&input.rt, &input.item.ident);
    let (impls, names, clause) = input.item.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impls #rt::OwnType for #name #names #clause {}
    }
}

/// The definition of a type with these fields, its body only.
pub(super) fn definition(
    shape: &syn::Fields,
    fields: &[Field],
    public: bool,
    mut ty: impl FnMut(&Field) -> TokenStream,
) -> TokenStream {
    let fields = fields.iter().map(|f| {
        let (vis, ty) = (&f.vis, ty(f));
        let vis = if public {
            vis.to_token_stream()
        } else {
            quote!()
        };
        let docs = &f.docs;
        match &f.member {
            syn::Member::Named(name) if public => quote!(#(#docs)* #vis #name: #ty),
            syn::Member::Named(name) => quote!(#name: #ty),
            syn::Member::Unnamed(_) => quote!(#vis #ty),
        }
    });
    match shape {
        syn::Fields::Named(_) => quote!({ #(#fields,)* }),
        syn::Fields::Unnamed(_) => quote!((#(#fields,)*)),
        syn::Fields::Unit => quote!(),
    }
}

/// Whether the type is that of pointers to functions: of one that takes references of any lifetime only the syntax says it.
fn is_function(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::FnPtr(_) => true,
        syn::Type::Paren(t) => is_function(&t.elem),
        syn::Type::Group(t) => is_function(&t.elem),
        syn::Type::Array(t) => is_function(&t.elem),
        _ => false,
    }
}

/// The first trait object in a type that is a value, and not only named.
fn trait_object(ty: &syn::Type) -> Option<syn::TypeTraitObject> {
    struct Find(Option<syn::TypeTraitObject>);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_trait_object(&mut self, ty: &'ast syn::TypeTraitObject) {
            self.0.get_or_insert_with(|| ty.clone());
        }

        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            if segment.ident != "PhantomData" {
                visit::visit_path_segment(self, segment);
            }
        }

        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}
    }
    let mut find = Find(None);
    find.visit_type(ty);
    find.0
}

/// Whether lists may stand in the fields.
pub(super) fn lists<'f>(
    rt: &TokenStream,
    fields: impl IntoIterator<Item = &'f Field>,
) -> TokenStream {
    let active = fields.into_iter().filter(|f| !f.constant);
    let types = active.map(|f| {
        let ty = &f.ty;
        match &f.vouched {
            Some(vouched) => quote!(#vouched<#ty>),
            None => ty.to_token_stream(),
        }
    });
    quote! {
        #[inline]
        fn has_lists() -> bool {
            false #(|| #rt::has_lists::<#types>())*
        }
    }
}

/// How parameters and the tangent are visited slice by slice.
pub(super) fn walk(rt: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        #rt::with_alloc! {
            #[inline]
            fn walk_slices(
                &mut self,
                t: ::core::option::Option<&Self::Tangent>,
                path: &#rt::FieldPath<'_>,
                f: &mut #rt::PairVisitor<'_>,
            ) -> ::core::result::Result<(), #rt::SliceError> {
                #body
            }
        }
    }
}

/// Whether a reference stands in the type.
pub(super) fn borrows(ty: &syn::Type) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_type_reference(&mut self, _: &syn::TypeReference) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}
