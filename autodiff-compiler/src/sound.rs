//! Bodies that rustc takes: where one has an error, its derivatives have none.
//!
//! What derivatives are given is `__Sound<f64>`, which is `f64` where a constant can be computed that holds the user's code once more, and nothing that could be wrong where it cannot.
//! rustc says once what it has to say of both copies, since they are the same tokens at the same place.
//!
//! Code with parameters stands in a constant of a type that has them, which is computed for `f64`, if that has what the bounds ask for.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::forms::SOUND;
use crate::function::{self, Options, Uses};
use crate::getters;
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

const CODE: &str = "__CODE";
const OWNER: &str = "__Owner";
const OPEN: &str = "__Open";
const LENDS: &str = "'__lends";

/// The code of a function.
pub(crate) struct Code {
    /// An expression, which is true.
    text: TokenStream,
    /// The type parameters that it has.
    open: Vec<Ident>,
}

impl Code {
    /// Whether rustc looks at it whatever bounds there are.
    pub(crate) fn is_closed(&self) -> bool {
        self.open.is_empty()
    }
}

/// The code of a function, if that can be a closure; `of` is the block whose method it is.
pub(crate) fn closure(
    attrs: &[syn::Attribute],
    sig: &syn::Signature,
    block: &syn::Block,
    of: Option<&syn::ItemImpl>,
    uses: &Uses,
) -> Option<Code> {
    let generics = &sig.generics;
    let plain = sig.asyncness.is_none()
        && matches!(sig.safety, syn::Safety::Default)
        && sig.abi.is_none()
        && sig.variadic.is_none()
        && !has_items(block);
    let outer = of.map(|of| &of.generics);
    let all = || outer.into_iter().chain([generics]);
    let lifetimes = || all().flat_map(syn::Generics::lifetimes);
    let is_free = |p| all().all(|generics| is_free(p, generics, block));
    if !plain || !lifetimes().all(is_free) {
        return None;
    }
    let parameters = Parameters::of(generics, outer)?;
    let owner = of.map(|of| &*of.self_ty);
    let borrowed = outer.map(|of| borrowed_by(owner, of)).unwrap_or_default();
    let given_owner = parameters.given_to(owner, &[]);
    let given_type = parameters.given_to(owner, &borrowed);
    let mut this = "self_".to_owned();
    let body = getters::asking(block, uses).into_token_stream();
    let asked = (!uses.passed_on.is_empty()).then(|| {
        quote!(
            use rt::PassedOn as _;
        )
    });
    while types::mentions(&body, &Ident::new(&this, Span::call_site())) {
        this.push('_');
    }
    let replaced = |tokens: TokenStream, stands: Stands| {
        let of = match (of, stands) {
            (None, _) => (Stands::Nowhere, &None),
            // Bodies cannot name the lifetimes of their closure.
            (_, Stands::BeforeParts) => (stands, &given_owner),
            _ => (stands, &given_type),
        };
        written_out(tokens, &this, of)
    };
    let lends = sig.receiver().and_then(|receiver| match &receiver.kind {
        syn::ReceiverKind::Reference(_, lifetime, _) => {
            let new = || syn::Lifetime::new(LENDS, Span::mixed_site());
            Some(lifetime.clone().unwrap_or_else(new))
        }
        _ => None,
    });
    let (mut names, mut given, mut unnamed) = (Vec::new(), Vec::new(), Vec::new());
    for input in &sig.inputs {
        match input {
            syn::FnArg::Receiver(receiver) => {
                let name = Ident::new(&this, receiver.self_token.span);
                let mutable = receiver.mutability;
                let of = Ident::new(OWNER, receiver.self_token.span);
                let of = quote!(#of #given_type);
                match &receiver.kind {
                    syn::ReceiverKind::Reference(_, _, by) => {
                        names.push(quote!(#name));
                        given.push(quote!(&#lends #by #of));
                        unnamed.push(quote!(&#by #of));
                    }
                    syn::ReceiverKind::Typed(..) => return None,
                    _ => {
                        names.push(quote!(#mutable #name));
                        given.push(quote!(#of));
                        unnamed.push(quote!(#of));
                    }
                }
            }
            syn::FnArg::Typed(arg) => {
                names.push(replaced(arg.pat.to_token_stream(), Stands::BeforeParts)?);
                let ty = replaced(arg.ty.to_token_stream(), Stands::Anywhere)?;
                given.push(ty.clone());
                unnamed.push(ty);
            }
        }
    }
    let (mut output, mut again, mut returned) = (None, None, None);
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        returned = Some(replaced(ty.to_token_stream(), Stands::Anywhere)?);
        let owned = is_owned(ty, None, &parameters.types);
        let mut ty = (**ty).clone();
        if sig.receiver().is_some() && !owned && !is_owned(&ty, owner, &parameters.types) {
            // What hides a lifetime may borrow from anything.
            if !is_owned(&unborrowed(&ty), owner, &parameters.types) {
                return None;
            }
            Lent(lends.as_ref()?).visit_type_mut(&mut ty);
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
    let declared_so = of.and_then(|of| as_declared(sig, of, &unnamed, returned.as_ref()));
    let new = lends.iter().filter(|of| of.to_string() == LENDS);
    let lifetimes = lifetimes().map(|p| &p.lifetime).chain(new);
    let said = attrs.iter().filter(|a| {
        let path = a.path();
        ["allow", "cfg"].iter().any(|name| path.is_ident(name))
    });
    let said = said.map(|a| a.meta.to_token_stream());
    let alias = Ident::new(OWNER, Span::mixed_site());
    let declared = parameters.declared_by(owner, &borrowed);
    let of = owner.map(|of| quote!(type #alias #declared = #of;));
    let code = quote!(#asked let _: for<#(#lifetimes),*> fn(#(#given),*) #output = |#(#names),*| #again #body; #declared_so);
    let text = parameters.around(&quote!(#(#[#said])*), &of.into_token_stream(), &code);
    let open = parameters.types;
    Some(Code { text, open })
}

/// What says that a trait declares a function that is given this and returns that.
///
/// A trait may ask for less than a function can do with what is lent to it: a call leaves lifetimes open.
fn as_declared(
    sig: &syn::Signature,
    of: &syn::ItemImpl,
    given: &[TokenStream],
    output: Option<&TokenStream>,
) -> Option<TokenStream> {
    let (path, _) = of.trait_.as_ref()?;
    let plain = sig.generics.params.is_empty() && of.generics.params.is_empty();
    let name = &sig.ident;
    // Where rustc proposes no other text.
    let span = Span::mixed_site().located_at(name.span());
    let owner = Ident::new(OWNER, span);
    let ty = output.map(|ty| quote!(: #ty));
    plain.then(|| {
        quote_spanned! {span=>
            let _ = || {
                let _ #ty = <#owner as #path>::#name(#(::core::option::Option::<#given>::None.unwrap()),*);
            };
        }
    })
}

/// The code of a function that stands alone.
pub(crate) fn of_function(function: &function::GradFn) -> Option<Code> {
    let item = &function.written;
    let plain = function.options.for_rustc && function.method.is_none() && !function.hidden;
    plain
        .then(|| {
            let uses = &function.options.uses.borrow();
            closure(&item.attrs, &item.sig, &item.block, None, uses)
        })
        .flatten()
}

/// The code of those functions of a block that have derivatives.
pub(crate) fn of_block(
    options: &Options,
    block: &syn::ItemImpl,
    derived: &[syn::Signature],
) -> Vec<Code> {
    if !options.for_rustc {
        return Vec::new();
    }
    let uses = &options.uses.borrow();
    let functions = block.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(f) if derived.iter().any(|sig| sig.ident == f.sig.ident) => Some(f),
        _ => None,
    });
    functions
        // What a type of the trait is, its name does not say.
        .filter(|f| block.trait_.is_none() || !names_types(f.to_token_stream()))
        .filter_map(|f| closure(&f.attrs, &f.sig, &f.block, Some(block), uses))
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

/// What has no errors where the code has some, if it stands in what is around derivatives.
pub(crate) fn depending(codes: &[Code], tokens: TokenStream) -> TokenStream {
    let name = Ident::new(SOUND, Span::mixed_site());
    let changed = |tokens: &TokenStream| Sound::of(&name, codes).changed(tokens);
    let none = codes.is_empty();
    (!none)
        .then(|| changed(&tokens))
        .flatten()
        .unwrap_or(tokens)
}

/// The type of what has no errors where the code has some.
pub(crate) fn inferred(codes: &[Code]) -> Option<TokenStream> {
    let name = Ident::new(SOUND, Span::mixed_site());
    (!codes.is_empty()).then(|| quote!(: #name<_>))
}

/// The same of what vouches for others.
pub(crate) fn asked(codes: &[Code]) -> Option<TokenStream> {
    let name = Ident::new(SOUND, Span::mixed_site());
    (!codes.is_empty()).then(|| asking(&name))
}

fn asking(name: &Ident) -> TokenStream {
    quote!(let _: #name<()>;)
}

/// Derivatives that have no errors where the code has some.
pub(crate) fn around(
    codes: &[Code],
    attrs: &[syn::Attribute],
    derivatives: TokenStream,
) -> TokenStream {
    behind(codes, attrs, depending(codes, derivatives))
}

/// Derivatives behind the code that they depend on.
pub(crate) fn behind(
    codes: &[Code],
    attrs: &[syn::Attribute],
    derivatives: TokenStream,
) -> TokenStream {
    if codes.is_empty() {
        return derivatives;
    }
    let [name, code] = [SOUND, CODE].map(|name| Ident::new(name, Span::mixed_site()));
    let allowed = attrs.iter().filter(|a| a.path().is_ident("allow"));
    let texts = codes.iter().map(|code| &code.text);
    quote! {
        // An item of its own: linters lose their way in closures that are arguments of types.
        #(#allowed)*
        #[allow(unused)]
        const #code: bool = true #(& #texts)*;
        type #name<T> = rt::Vouched<{ #code }, T>;
        #derivatives
    }
}

/// The lifetimes of a block that its type names.
fn borrowed_by<'a>(
    owner: Option<&syn::Type>,
    generics: &'a syn::Generics,
) -> Vec<&'a syn::Lifetime> {
    let owner = owner.to_token_stream();
    let lifetimes = generics.lifetimes().map(|p| &p.lifetime);
    let named = lifetimes.filter(|of| types::mentions(&owner, &of.ident));
    named.collect()
}

/// References that are lent get a lifetime.
struct Lent<'a>(&'a syn::Lifetime);

impl VisitMut for Lent<'_> {
    fn visit_type_reference_mut(&mut self, ty: &mut syn::TypeReference) {
        ty.lifetime.get_or_insert_with(|| self.0.clone());
        visit_mut::visit_type_reference_mut(self, ty);
    }
}

/// A type with what its references lead to in their place.
fn unborrowed(ty: &syn::Type) -> syn::Type {
    struct Unborrowed;
    impl VisitMut for Unborrowed {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            while let syn::Type::Reference(syn::TypeReference { elem, .. })
            | syn::Type::Slice(syn::TypeSlice { elem, .. }) = ty
            {
                *ty = (**elem).clone();
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    let mut ty = ty.clone();
    Unborrowed.visit_type_mut(&mut ty);
    ty
}

/// A lifetime without bounds that neither the code nor another parameter names.
fn is_free(param: &syn::LifetimeParam, generics: &syn::Generics, block: &syn::Block) -> bool {
    struct Names<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::Lifetime(lifetime) => {
                    self.1 |= lifetime.ident == *self.0;
                }
                other => other.walk(self),
            }
        }
    }
    let mut names = Names(&param.lifetime.ident, false);
    names.visit_block(block);
    for of in generics.type_params() {
        names.visit_type_param(of);
    }
    if let Some(clause) = &generics.where_clause {
        names.visit_where_clause(clause);
    }
    param.bounds.is_empty() && !names.1
}

/// The parameters of code that are no lifetimes: of a function, and of the block that it stands in.
struct Parameters {
    types: Vec<Ident>,
    /// As they are declared, with the arguments that stand for them, and values that are as good as any.
    all: Vec<(syn::GenericParam, TokenStream, TokenStream)>,
    clause: TokenStream,
}

impl Parameters {
    fn of(function: &syn::Generics, block: Option<&syn::Generics>) -> Option<Parameters> {
        let mut of = Parameters {
            types: Vec::new(),
            all: Vec::new(),
            clause: TokenStream::new(),
        };
        for generics in block.into_iter().chain([function]) {
            for param in &generics.params {
                let (argument, value) = match param {
                    syn::GenericParam::Lifetime(_) => continue,
                    syn::GenericParam::Type(ty) => {
                        of.types.push(ty.ident.clone());
                        (ty.ident.to_token_stream(), quote!(f64))
                    }
                    syn::GenericParam::Const(number) => {
                        let ty = &number.ty;
                        let is = |name: &str| quote!(#ty).to_string() == name;
                        let value = if is("bool") {
                            quote!(true)
                        } else if is("char") {
                            quote!(' ')
                        } else {
                            quote!(1)
                        };
                        (number.ident.to_token_stream(), value)
                    }
                };
                of.all.push((param.clone(), argument, value));
            }
            let clause = generics.where_clause.iter();
            let predicates = clause.flat_map(|clause| clause.predicates.iter());
            of.clause.extend(predicates.map(|p| quote!(#p,)));
        }
        let own = Ident::new("Self", Span::call_site());
        let params = of.all.iter().map(|(param, ..)| param.to_token_stream());
        let mut bounds = params.chain([of.clause.clone()]);
        // `?Sized`
        let strange = bounds.any(|of| types::mentions(&of, &own) || of.to_string().contains('?'));
        (!strange).then_some(of)
    }

    /// Those that a type mentions.
    fn named_by<'a>(
        &'a self,
        ty: Option<&syn::Type>,
    ) -> impl Iterator<Item = (&'a syn::GenericParam, &'a TokenStream)> {
        let ty = ty.to_token_stream();
        self.all.iter().filter_map(move |(param, argument, _)| {
            let name = match param {
                syn::GenericParam::Type(t) => &t.ident,
                syn::GenericParam::Const(c) => &c.ident,
                syn::GenericParam::Lifetime(_) => return None,
            };
            types::mentions(&ty, name).then_some((param, argument))
        })
    }

    /// What is written behind the name of that type, where it is used.
    fn given_to(&self, ty: Option<&syn::Type>, of: &[&syn::Lifetime]) -> Option<TokenStream> {
        let arguments: Vec<_> = self.named_by(ty).map(|(_, argument)| argument).collect();
        let some = !arguments.is_empty() || !of.is_empty();
        some.then(|| quote!(::<#(#of,)* #(#arguments),*>))
    }

    /// The same where the name is declared.
    fn declared_by(&self, ty: Option<&syn::Type>, of: &[&syn::Lifetime]) -> Option<TokenStream> {
        let params = self.named_by(ty).map(|(param, argument)| match param {
            syn::GenericParam::Const(number) => number.to_token_stream(),
            _ => argument.clone(),
        });
        let params: Vec<_> = params.collect();
        let some = !params.is_empty() || !of.is_empty();
        some.then(|| quote!(<#(#of,)* #(#params),*>))
    }

    /// An expression with a declaration and the code that has the parameters.
    fn around(
        &self,
        said: &TokenStream,
        declared: &TokenStream,
        code: &TokenStream,
    ) -> TokenStream {
        if self.all.is_empty() {
            return quote!({ #said { #declared #code } true });
        }
        let [open, name] = [OPEN, CODE].map(|name| Ident::new(name, Span::mixed_site()));
        let params = self.all.iter().map(|(param, ..)| param);
        let arguments = self.all.iter().map(|(_, argument, _)| argument);
        let values = self.all.iter().map(|(.., value)| value);
        let bare = self.all.iter().map(|(param, argument, _)| match param {
            syn::GenericParam::Const(number) => number.to_token_stream(),
            _ => argument.clone(),
        });
        let (types, clause) = (&self.types, &self.clause);
        quote!({
            #declared
            struct #open<#(#bare),*>(#(rt::PhantomData<#types>),*);
            #said
            impl<#(#params),*> #open<#(#arguments),*> where #clause {
                const #name: bool = { #code true };
            }
            use rt::Unlooked as _;
            #open::<#(#values),*>::#name
        })
    }
}

/// Whether there are items that may stand only once: implementations, and what an attribute makes more of.
fn has_items(block: &syn::Block) -> bool {
    struct Items(bool);
    impl<'ast> Visit<'ast> for Items {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            let attrs = match item {
                syn::Item::Const(item) => &item.attrs,
                syn::Item::Fn(item) => &item.attrs,
                syn::Item::Type(item) => &item.attrs,
                syn::Item::Use(item) => &item.attrs,
                _ => {
                    self.0 = true;
                    return;
                }
            };
            self.0 |= !attrs.is_empty();
            visit::visit_item(self, item);
        }
    }
    let mut items = Items(false);
    Other::Block(block).walk(&mut items);
    items.0
}

/// Whether the type of a result is seen to borrow nothing; `of` is a type that does not, and `params` are others.
fn is_owned(ty: &syn::Type, of: Option<&syn::Type>, params: &[Ident]) -> bool {
    const KNOWN: &[&str] = &["f32", "f64", "bool", "usize", "i32", "String"];
    match ty {
        syn::Type::Path(path) if path.qself.is_none() && path.path.segments.len() == 1 => {
            let segment = &path.path.segments[0];
            let is = |name: &str| segment.ident == name;
            match &segment.arguments {
                syn::PathArguments::None => {
                    KNOWN.iter().any(|known| is(known))
                        || params.contains(&segment.ident)
                        || of.is_some_and(|of| is("Self") || ty == of)
                }
                syn::PathArguments::AngleBracketed(all) => {
                    let owned = |arg: &syn::GenericArgument| matches!(arg, syn::GenericArgument::Type(ty) if is_owned(ty, of, params));
                    ["Vec", "Option", "Result"].iter().any(|known| is(known))
                        && all.args.iter().all(owned)
                }
                syn::PathArguments::Parenthesized(_) => false,
            }
        }
        syn::Type::Array(array) => is_owned(&array.elem, of, params),
        syn::Type::Tuple(tuple) => tuple.elems.iter().all(|ty| is_owned(ty, of, params)),
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
///
/// With the parameters of the latter.
fn written_out(
    tokens: TokenStream,
    this: &str,
    of: (Stands, &Option<TokenStream>),
) -> Option<TokenStream> {
    let (stands, given) = of;
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
                let owner = Ident::new(OWNER, name.span());
                out.extend(quote!(#owner #given));
                continue;
            }
            TokenTree::Group(group) => regrouped(&group, written_out(group.stream(), this, of)?),
            other => other,
        };
        out.extend([token]);
    }
    Some(out)
}

/// What is written in place of the types of numbers.
struct Sound<'a> {
    name: &'a Ident,
    numbers: BTreeSet<String>,
}

impl<'a> Sound<'a> {
    fn of(name: &'a Ident, codes: &[Code]) -> Sound<'a> {
        let open = codes.iter().flat_map(|code| &code.open);
        let mut numbers: BTreeSet<_> = open.map(ToString::to_string).collect();
        if !numbers.is_empty() {
            // Nothing else may vouch for the type of a block with parameters.
            numbers.insert("Self".to_owned());
        }
        numbers.extend(NUMBERS.iter().map(ToString::to_string));
        Sound { name, numbers }
    }

    /// The tokens with the name around the numbers in the signatures of hidden forms, and in what vouches for others, if there are some.
    fn changed(&self, tokens: &TokenStream) -> Option<TokenStream> {
        let name = self.name;
        let (mut at, mut word) = (At::Elsewhere, Word::Other);
        // Within the parameters of a form, `<T: Fn(f64) -> f64>`.
        let (mut depth, mut arrow) = (0, false);
        let (mut out, mut changes) = (Vec::new(), false);
        let mut tokens = tokens.clone().into_iter().peekable();
        while let Some(token) = tokens.next() {
            if let (At::Form, TokenTree::Punct(sign)) = (at, &token) {
                match sign.as_char() {
                    '<' => depth += 1,
                    '>' if !arrow => depth -= 1,
                    _ => {}
                }
                arrow = sign.as_char() == '-';
            }
            let (next, this) = match &token {
                TokenTree::Group(group) if depth > 0 => {
                    out.push(group.clone().into());
                    continue;
                }
                TokenTree::Group(group) => {
                    let brace = group.delimiter() == Delimiter::Brace;
                    let inner = match at {
                        At::Form | At::Result | At::Closure if !brace => {
                            Some(self.around(group.stream()))
                        }
                        _ => self.changed(&group.stream()),
                    };
                    let vouches = brace && word == Word::VouchedFor;
                    let asked = vouches.then(|| asking(name));
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
                    (At::Captures, '>') => (At::Result, Word::Other),
                    (_, '|') if word == Word::Move => (At::Closure, Word::Other),
                    (_, '<') if word == Word::Vouched => (at, Word::VouchedFor),
                    (At::Function, _) => (At::Elsewhere, Word::Other),
                    _ => (at, Word::Other),
                },
                TokenTree::Ident(ident) => match (at, ident.to_string().as_str()) {
                    (At::Function, form) if is_form(form) => (At::Form, Word::Other),
                    (At::Function, _) => (At::Elsewhere, Word::Other),
                    (At::Result, "use") => (At::Captures, Word::Other),
                    (At::Result, "where") => (At::Elsewhere, Word::Other),
                    (At::Result | At::Closure, word)
                        if self.numbers.contains(word) && !leads_on(tokens.peek()) =>
                    {
                        out.extend(quote!(#name<#ident>));
                        changes = true;
                        continue;
                    }
                    (_, "Vouched") => (at, Word::Vouched),
                    (At::Result | At::Closure | At::Captures, _) => (at, Word::Other),
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

    /// A type with the name around its numbers.
    fn around(&self, tokens: TokenStream) -> TokenStream {
        let name = self.name;
        let mut tokens = tokens.into_iter().peekable();
        let mut out = TokenStream::new();
        // `use<T>`
        let mut captures = false;
        while let Some(token) = tokens.next() {
            captures = match &token {
                TokenTree::Ident(word) => captures || word == "use",
                TokenTree::Punct(sign) => captures && sign.as_char() != '>',
                _ => captures,
            };
            match token {
                TokenTree::Ident(word)
                    if !captures
                        && self.numbers.contains(&word.to_string())
                        && !leads_on(tokens.peek()) =>
                {
                    out.extend(quote!(#name<#word>));
                }
                TokenTree::Group(group) => {
                    out.extend([regrouped(&group, self.around(group.stream()))]);
                }
                other => out.extend([other]),
            }
        }
        out
    }
}

/// Whether what comes before is a name of a path, `T::Output`, or of an argument.
fn leads_on(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Punct(p)) if p.as_char() == ':')
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
    /// What the type of a result captures: `use<T>`.
    Captures,
}

fn regrouped(group: &Group, inner: TokenStream) -> TokenTree {
    let mut again = Group::new(group.delimiter(), inner);
    again.set_span(group.span());
    again.into()
}
