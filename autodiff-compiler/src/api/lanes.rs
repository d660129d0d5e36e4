//! Forms that run in several directions at once: Hessians take many columns in one sweep.
//!
//! What is computed of values and first adjoints is the same in every direction; only tangents have lanes.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::reverse::restoring;
use super::second::{Sweep, closure_inputs, dot_type, dual_closure_params};
use super::tangents::{buffer_or_unit, owned_or_unit};
use super::{Bodies, OrderBodies, Pieces, jacobian, prefixed};
use crate::forms::{EACH_FORM, LANES_FORM, form_name, lanes};
use crate::function::{By, GradFn, ParamInfo};
use crate::ir::{Ty, Width};
use crate::second::{Several, dotted};
use crate::types;

/// A type of numbers, with one in each direction in place of each number.
pub(super) fn wide(ty: TokenStream) -> TokenStream {
    in_lanes(ty, &lanes().to_token_stream())
}

/// The same for so many directions.
pub(super) fn in_lanes(ty: TokenStream, lanes: &TokenStream) -> TokenStream {
    let wide = ty.into_iter().map(|token| match token {
        TokenTree::Ident(float) if float == "f64" || float == "f32" => {
            quote!(rt::Lanes<#float, #lanes>)
        }
        TokenTree::Group(group) => TokenTree::Group(Group::new(
            group.delimiter(),
            in_lanes(group.stream(), lanes),
        ))
        .into(),
        other => other.into(),
    });
    wide.collect()
}

/// One for each direction.
fn array(ty: TokenStream) -> TokenStream {
    let lanes = lanes();
    quote!([#ty; #lanes])
}

/// What a pullback takes, its tangents in several directions at once.
pub(super) fn in_several(several: Several, inputs: Vec<(Ident, TokenStream)>) -> TokenStream {
    let references = (inputs.len() - 2) / 4;
    let inputs = inputs.into_iter().enumerate().map(|(k, (name, ty))| {
        if several == Several::No || !is_tangent(k, references) {
            quote!(#name: #ty)
        } else if several == Several::Lanes {
            let ty = wide(ty);
            quote!(#name: #ty)
        } else {
            each_parameter(&name, ty)
        }
    });
    quote!(#(#inputs),*)
}

/// A parameter with one of the type for each direction; what is borrowed mutably is reached through the array.
fn each_parameter(name: &Ident, ty: TokenStream) -> TokenStream {
    let exclusive = ty.clone().into_iter().nth(1);
    let exclusive = exclusive.filter(|token| token.to_string() == "mut");
    let ty = array(ty);
    quote!(#exclusive #name: #ty)
}

/// Whether input `k` of a pullback has directions: behind the cotangents stand the references, then their tangents, shadows and these' tangents.
fn is_tangent(k: usize, references: usize) -> bool {
    let groups = 2..2 + 4 * references;
    k == 1 || groups.contains(&k) && (k - 2) / references % 2 == 1
}

/// Both sweeps with tangents in several directions at once.
pub(super) fn directions_form(
    pieces: &Pieces<'_>,
    several: Several,
    body: &TokenStream,
) -> TokenStream {
    let (clause, function, names) = (&pieces.clause, pieces.function, &pieces.names);
    let vis = &function.item.vis;
    let each = several == Several::Each;
    let wide = |ty: TokenStream| if each { array(ty) } else { wide(ty) };
    // What is borrowed mutably is reached through the array.
    let mutable = each.then(|| quote!(mut));
    let (inputs, ret, tangent) = (
        pieces.inputs(),
        pieces.result(),
        wide(pieces.result_tangent()),
    );
    let dots = pieces.params().map(|(name, p)| {
        let (dot, ty) = (dotted(1, name), wide(dot_type(p)));
        let mutable = (p.by == By::Mut).then_some(&mutable);
        quote!(#mutable #dot: #ty)
    });
    let all = closure_inputs(function, names, 2);
    let references = (all.len() - 2) / 4;
    // The arguments and their tangents are there already.
    let more = all.into_iter().enumerate().filter_map(|(k, (name, ty))| {
        let (given, shadows) = (2..2 + 2 * references, 2 + 3 * references);
        let mutable = (k >= shadows).then_some(&mutable);
        let ty = if is_tangent(k, references) {
            wide(ty)
        } else {
            ty
        };
        (!given.contains(&k)).then(|| quote!(#mutable #name: #ty))
    });
    let owned = pieces.params().filter(|(_, p)| p.by == By::Value);
    let owned: Vec<_> = owned.map(|(_, p)| owned_or_unit(p)).collect();
    let wide_owned = owned.iter().cloned().map(wide);
    let (form, lanes) = (form_name(1, "vjp"), lanes());
    let params = function.item.sig.generics.params.iter();
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #form<#(#params,)* const #lanes: usize>(#(#inputs,)* #(#dots,)* #(#more),*)
            -> (#ret, #tangent, (#(#owned,)*), (#(#wide_owned,)*)) #clause { #body }
    }
}

/// As many columns of the Hessian at once as there are directions; with the value and the gradient, which of lists is written to what is lent.
pub(super) fn pass(pieces: &Pieces<'_>, several: Several) -> Option<TokenStream> {
    let (inputs, function) = (pieces.inputs(), pieces.function);
    let scalar = jacobian::scalar_of(function);
    let lanes = lanes();
    let params = function.item.sig.generics.params.iter();
    let ret = pieces.result();
    let seeded = pieces.seeded(pieces.clause.clone());
    let (seed, clause) = (seeded.parameter(), &seeded.clause);
    let sweep = Sweep::new(pieces, several, &lanes.to_token_stream(), false);
    let (made, call) = (&sweep.made, &sweep.call);
    let Gradient {
        buffers,
        lent,
        entries,
        types,
    } = Gradient::new(pieces, several);
    let written = pieces
        .active()
        .zip(sweep.dots.iter().zip(&sweep.dot_entries));
    let (point, write): (Vec<_>, Vec<_>) = written
        .map(|((_, p), (dot, dot_entry))| match several {
            Several::Each => (
                quote!(rt::lanes::point_each(&mut #dot, first, &mut at);),
                quote!(rt::lanes::write_each(&mut #dot_entry, first, &mut row, columns, matrix);),
            ),
            _ => {
                let list = keeps(p, several).then(|| quote!(*));
                (
                    quote!(rt::lanes::Wide::<#lanes>::point(&mut #list #dot, first, &mut at);),
                    quote!(rt::lanes::Wide::<#lanes>::write_columns(&#list #dot_entry, first, &mut row, columns, matrix);),
                )
            }
        })
        .unzip();
    (several != Several::No).then(|| {
        quote! {
            #[inline]
            fn __hessian_pass<#(#params,)* #seed const #lanes: usize>(#(#inputs,)* first: usize, columns: usize, matrix: &mut [#scalar] #(, #buffers)*) -> (#ret, (#(#types,)*)) #clause {
                #(rt::lanes::clear(&mut *#lent);)*
                #made
                let mut at = 0;
                #(#point)*
                #call
                let mut row = 0;
                #(#write)*
                (value, (#(#entries,)*))
            }
        }
    })
}

/// Whether what is made of a parameter for second derivatives is in memory that the thread keeps, and its gradient in what is lent: a list of numbers.
pub(super) fn keeps(p: &ParamInfo, several: Several) -> bool {
    fn is_plain(ty: &Ty) -> bool {
        match ty {
            Ty::Float(width) => !matches!(width, Width::Generic),
            Ty::Array(elem, _) => is_plain(elem),
            _ => false,
        }
    }
    let list = match &p.ty {
        Ty::Slice(elem) | Ty::Vec(elem) => is_plain(elem),
        _ => false,
    };
    several == Several::Lanes && p.active && p.by == By::Ref && list
}

/// The gradient beside a Hessian: what is lent for the lists in it, and what is returned.
pub(super) struct Gradient {
    /// `d_xs: &mut [f64]`
    pub(super) buffers: Vec<TokenStream>,
    pub(super) lent: Vec<Ident>,
    pub(super) entries: Vec<Ident>,
    pub(super) types: Vec<TokenStream>,
}

impl Gradient {
    pub(super) fn new(pieces: &Pieces<'_>, several: Several) -> Gradient {
        let (lists, others): (Vec<_>, Vec<_>) =
            pieces.active().partition(|(_, p)| keeps(p, several));
        let shadow = |(name, _): &(&Ident, &ParamInfo)| prefixed("d", name);
        let lent: Vec<Ident> = lists.iter().map(shadow).collect();
        let buffers = lists.iter().zip(&lent).map(|((_, p), shadow)| {
            let ty = buffer_or_unit(p);
            quote!(#shadow: &mut #ty)
        });
        Gradient {
            buffers: buffers.collect(),
            lent,
            entries: others.iter().map(shadow).collect(),
            types: others.iter().map(|(_, p)| owned_or_unit(p)).collect(),
        }
    }
}

/// A tangent in several directions at once, whatever its type is; what that asks for.
struct Widened {
    asked: Vec<TokenStream>,
    /// Something asked for may be about `()`, and then rustc takes what this is in lanes for nothing but that.
    perhaps: bool,
}

impl Widened {
    /// In place of each type that is not made of others, what it is in lanes.
    fn ty(&mut self, ty: &TokenStream) -> TokenStream {
        match syn::parse2::<syn::Type>(ty.clone()) {
            Ok(ty) => self.of(&ty),
            Err(_) => wide(ty.clone()),
        }
    }

    fn of(&mut self, ty: &syn::Type) -> TokenStream {
        match ty {
            syn::Type::Reference(r) => {
                let (inner, mutability) = (self.of(&r.elem), &r.mutability);
                quote!(&#mutability #inner)
            }
            syn::Type::Slice(t) => {
                let elem = self.of(&t.elem);
                quote!([#elem])
            }
            syn::Type::Tuple(t) if t.elems.is_empty() && self.perhaps => {
                let lanes = lanes();
                quote!(<() as rt::lanes::Widen<#lanes>>::Wide)
            }
            syn::Type::Tuple(t) => {
                let elems = t.elems.iter().map(|elem| self.of(elem));
                quote!((#(#elems,)*))
            }
            syn::Type::Array(t) => {
                let (elem, len) = (self.of(&t.elem), &t.len);
                quote!([#elem; #len])
            }
            syn::Type::Path(p) if p.qself.is_none() && element(&p.path).is_some() => {
                let elem = element(&p.path).map(|elem| self.of(elem));
                let mut path = p.path.clone();
                if let Some(last) = path.segments.last_mut() {
                    last.arguments = syn::PathArguments::AngleBracketed(syn::parse_quote!(<#elem>));
                }
                path.to_token_stream()
            }
            // What is ignored may be anything.
            syn::Type::TraitObject(t) => t.to_token_stream(),
            ty => {
                let lanes = lanes();
                self.asked
                    .push(quote!(#ty: rt::lanes::Widen<#lanes, Owned = #ty>));
                quote!(<#ty as rt::lanes::Widen<#lanes>>::Wide)
            }
        }
    }
}

/// What `rt::Vec<T>` or an option, as generated code spells them, is made of.
fn element(path: &syn::Path) -> Option<&syn::Type> {
    let last = path.segments.last()?;
    let syn::PathArguments::AngleBracketed(of) = &last.arguments else {
        return None;
    };
    match of.args.first()? {
        syn::GenericArgument::Type(elem) if last.ident == "Vec" || last.ident == "Option" => {
            Some(elem)
        }
        _ => None,
    }
}

/// How the forward form in lanes is written.
struct Signature {
    /// `<'a, T, const LANES: usize>`
    generics: TokenStream,
    clause: TokenStream,
    inputs: TokenStream,
    output: TokenStream,
    /// The type of the pullback, without `impl` or `dyn`.
    pullback: TokenStream,
    /// Names and types of what that is given.
    given: Vec<(Ident, TokenStream)>,
}

/// What tangents in several directions are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tangents {
    /// In lanes; every type is known by its name.
    Native,
    /// In lanes, as the types themselves say.
    Widened,
    /// Arrays with one for each.
    Each,
}

fn signature(
    pieces: &Pieces<'_>,
    tangents: Tangents,
    mut clause: Option<syn::WhereClause>,
) -> Signature {
    let (function, lanes) = (pieces.function, lanes());
    let mut widened = Widened {
        asked: Vec::new(),
        perhaps: function.params.iter().any(|p| p.perhaps),
    };
    let mut widen = |ty: TokenStream| match tangents {
        Tangents::Native => wide(ty),
        Tangents::Widened => widened.ty(&ty),
        Tangents::Each => array(ty),
    };
    let (inputs, ret) = (pieces.inputs(), pieces.result());
    let dots = pieces.params().map(|(name, p)| {
        let (dot, ty) = (dotted(1, name), dot_type(p));
        if tangents == Tangents::Each {
            return each_parameter(&dot, ty);
        }
        let ty = widen(ty);
        quote!(#dot: #ty)
    });
    let dots: Vec<_> = dots.collect();
    let tangent = widen(pieces.result_tangent());
    let all = closure_inputs(function, &pieces.names, 2);
    let references = (all.len() - 2) / 4;
    let given = all.into_iter().enumerate().map(|(k, (name, ty))| {
        let tangent = is_tangent(k, references);
        (name, if tangent { widen(ty) } else { ty })
    });
    let given: Vec<_> = given.collect();
    let owned = owned_bars(pieces).map(|(_, p)| owned_or_unit(p));
    let owned: Vec<_> = owned.collect();
    let wide_owned: Vec<_> = owned.iter().cloned().map(widen).collect();
    let types = given.iter().map(|(_, ty)| ty);
    let params = function.item.sig.generics.params.iter();
    let open = types::named(&function.item.sig.generics).next().is_some() || !function.understood;
    if tangents != Tangents::Each && open {
        let clause = clause.get_or_insert_with(|| syn::parse_quote!(where));
        for asked in &widened.asked {
            clause.predicates.push(syn::parse_quote!(#asked));
        }
        // What is given to each run; of types without parameters that is found out where it is done.
        for (_, p) in owned_bars(pieces) {
            let ty = &p.passed;
            let text = ty.to_token_stream();
            let mut names = types::named(&function.item.sig.generics);
            if names.any(|name| types::mentions(&text, name)) {
                clause
                    .predicates
                    .push(syn::parse_quote!(#ty: ::core::clone::Clone));
            }
        }
    }
    Signature {
        generics: quote!(<#(#params,)* const #lanes: usize>),
        clause: clause.to_token_stream(),
        inputs: match tangents {
            // A receiver comes first.
            Tangents::Each => quote!(#(#inputs,)* _: rt::lanes::Width<#lanes>, #(#dots),*),
            _ => quote!(_: rt::lanes::Width<#lanes>, #(#inputs,)* #(#dots),*),
        },
        output: quote!(#ret, #tangent),
        pullback: quote!(FnOnce(#(#types),*) -> ((#(#owned,)*), (#(#wide_owned,)*))),
        given,
    }
}

/// The parameters whose cotangents are returned.
fn owned_bars<'a>(pieces: &'a Pieces<'_>) -> impl Iterator<Item = (&'a Ident, &'a ParamInfo)> {
    pieces.params().filter(|(_, p)| p.by == By::Value)
}

/// Whether a caller in lanes may call the function at all: by its name, with values.
fn is_called(pieces: &Pieces<'_>) -> bool {
    pieces.function.method.is_none() && pieces.function.callables().is_empty()
}

/// Whether a caller with a tangent for each direction calls it in all at once: it is lent memory.
///
/// What is given values alone is called once for each.
fn is_lent(pieces: &Pieces<'_>) -> bool {
    pieces.params().any(|(_, p)| p.by != By::Value) && pieces.function.callables().is_empty()
}

/// Both sweeps in several directions, the reverse one as a pullback: by a body of its own, or one direction after the other.
pub(super) fn forward_in_lanes(
    pieces: &Pieces<'_>,
    bodies: &Bodies,
    body: &OrderBodies,
) -> TokenStream {
    if bodies.stub {
        // It is refused, and its callers have no error of their own.
        return stubs(pieces, |_, output| output);
    }
    let mut out = TokenStream::new();
    if is_called(pieces) {
        let (made, body) = match &body.wide {
            Some(body) => (Tangents::Native, quote!(#body (value.0, value.1, back))),
            None => (Tangents::Widened, TokenStream::new()),
        };
        let plain = restoring(pieces, pieces.clause.clone());
        let clause = match made {
            Tangents::Native => plain,
            _ => jacobian::copied(pieces, plain),
        };
        let signature = signature(pieces, made, clause);
        let body = match made {
            Tangents::Native => body,
            _ => one_by_one(pieces, &signature),
        };
        out.extend(form(pieces, bodies, LANES_FORM, &signature, body));
    }
    if is_lent(pieces) {
        let plain = restoring(pieces, pieces.clause.clone());
        let (clause, body) = match body {
            OrderBodies {
                each: Some(body), ..
            } => (plain, quote!(#body (value.0, value.1, back))),
            OrderBodies { wide: Some(_), .. } => (plain, through_lanes(pieces)),
            _ => (jacobian::copied(pieces, plain), each_by_itself(pieces)),
        };
        let signature = signature(pieces, Tangents::Each, clause);
        out.extend(form(pieces, bodies, EACH_FORM, &signature, body));
    }
    out
}

/// A forward form in several directions.
fn form(
    pieces: &Pieces<'_>,
    bodies: &Bodies,
    name: &str,
    signature: &Signature,
    body: TokenStream,
) -> TokenStream {
    let Signature {
        generics,
        clause,
        inputs,
        output,
        pullback,
        ..
    } = signature;
    let (vis, captures, lanes) = (&pieces.function.item.vis, &pieces.captures, lanes());
    let form = Ident::new(name, Span::call_site());
    let captures = if captures.is_empty() {
        lanes.to_token_stream()
    } else {
        quote!(#captures, #lanes)
    };
    let (back, body) = if bodies.recursive {
        let boxed =
            quote!(let (value, tangent, back) = { #body }; (value, tangent, rt::Box::new(back)));
        (quote!(rt::Box<dyn #pullback>), boxed)
    } else {
        (quote!(impl #pullback + use<#captures>), body)
    };
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #form #generics (#inputs) -> (#output, #back) #clause { #body }
    }
}

/// What a form returns that never runs, by its function and its own type.
type Returned = fn(&GradFn, TokenStream) -> TokenStream;

/// Stands for the forms of a function that lacks second derivatives, so that who calls it has one error.
pub(super) fn stubs(pieces: &Pieces<'_>, returned: Returned) -> TokenStream {
    let mut out = TokenStream::new();
    if is_called(pieces) {
        out.extend(stub(pieces, LANES_FORM, Tangents::Widened, returned));
    }
    if is_lent(pieces) {
        out.extend(stub(pieces, EACH_FORM, Tangents::Each, returned));
    }
    out
}

fn stub(pieces: &Pieces<'_>, name: &str, tangents: Tangents, returned: Returned) -> TokenStream {
    let Signature {
        generics,
        clause,
        inputs,
        output,
        pullback,
        ..
    } = signature(pieces, tangents, pieces.clause.clone());
    let vis = &pieces.function.item.vis;
    let form = Ident::new(name, Span::call_site());
    // A function pointer needs no heap.
    let pullback = pullback.into_iter().map(|token| match token {
        TokenTree::Ident(ident) if ident == "FnOnce" => quote!(fn),
        other => other.into(),
    });
    let pullback: TokenStream = pullback.collect();
    let output = returned(pieces.function, quote!((#output, #pullback)));
    quote! {
        #[doc(hidden)]
        #[inline]
        #vis fn #form #generics (#inputs) -> #output #clause { ::core::unreachable!() }
    }
}

/// What is done with the arguments of a form that is called once in each direction.
#[derive(Default)]
struct Runs {
    before: TokenStream,
    made: TokenStream,
    args: Vec<TokenStream>,
    kept: TokenStream,
    after: TokenStream,
}

impl Runs {
    /// The state behind a constant: the last direction changes it, each other one a copy.
    fn state(&mut self, name: &Ident, p: &ParamInfo) {
        let mut made = Vec::new();
        let run = last_run(name, &p.again.to_token_stream(), &Copy::State, &mut made);
        self.made.extend(made);
        self.args.push(run);
    }

    /// The same in each direction; each changes a copy of its own.
    fn argument(&mut self, name: &Ident, by: By) {
        let mixed = Span::mixed_site();
        let (run, last) = (prefixed("run", name), prefixed("last", name));
        self.args.push(match by {
            By::Value => quote_spanned!(mixed=> { use rt::lanes::NotAgain as _; rt::lanes::Again(&#name).again() }),
            By::Ref => quote_spanned!(mixed=> &*#name),
            By::Mut => quote_spanned!(mixed=> &mut #run),
        });
        if by == By::Mut {
            self.before
                .extend(quote_spanned!(mixed=> let mut #last = ::core::option::Option::None;));
            self.made
                .extend(quote_spanned!(mixed=> let mut #run = rt::lanes::Kept::keep(&*#name);));
            self.kept
                .extend(quote_spanned!(mixed=> #last = ::core::option::Option::Some(#run);));
            self.after
                .extend(quote_spanned!(mixed=> rt::lanes::put_back(&mut *#name, #last);));
        }
    }

    /// One direction of it.
    fn tangent(&mut self, p: &ParamInfo, name: &Ident, by: By) {
        let (mixed, lanes) = (Span::mixed_site(), lanes());
        if p.ignored {
            let exclusive = (by == By::Mut).then(|| quote!(mut));
            self.args.push(quote_spanned!(mixed=> &#exclusive *#name));
            return;
        }
        let run = prefixed("run", name);
        self.args.push(match by {
            By::Value => quote_spanned!(mixed=> rt::lanes::Wide::<#lanes>::lane(&#name, lane)),
            By::Ref => quote_spanned!(mixed=> &rt::lanes::Wide::<#lanes>::lane(&*#name, lane)),
            By::Mut => quote_spanned!(mixed=> &mut #run),
        });
        if by == By::Mut {
            // Each begins with what there was; a run may change how long it is.
            let all = prefixed("all", name);
            self.before
                .extend(quote_spanned!(mixed=> let mut #all = ::core::option::Option::None;));
            self.made.extend(
                quote_spanned!(mixed=> let mut #run = rt::lanes::Wide::<#lanes>::lane(&*#name, lane);),
            );
            self.kept.extend(quote_spanned!(mixed=> rt::lanes::collect::<_, _, #lanes>(&mut #all, lane, (), &#run);));
            self.after.extend(quote_spanned!(mixed=> rt::lanes::put_back(&mut *#name, #all.map(|((), all)| all));));
        }
    }
}

/// The sweeps of a function that has them in one direction only: as often as there are directions.
fn one_by_one(pieces: &Pieces<'_>, signature: &Signature) -> TokenStream {
    let (form, lanes) = (form_name(1, "fwd"), lanes());
    let (mut forth, mut back) = (Runs::default(), Runs::default());
    let argument = |name: &Ident, p: &ParamInfo, runs: &mut Runs| {
        if is_state(p) {
            runs.state(name, p);
        } else {
            runs.argument(name, p.by);
        }
    };
    for (name, p) in pieces.params() {
        argument(name, p, &mut forth);
    }
    for (name, p) in pieces.params() {
        forth.tangent(p, &dotted(1, name), p.by);
    }
    let borrowed: Vec<_> = pieces.params().filter(|(_, p)| p.by != By::Value).collect();
    for (name, p) in &borrowed {
        argument(name, p, &mut back);
    }
    for (name, p) in &borrowed {
        back.tangent(p, &dotted(1, name), p.by);
    }
    for (name, _) in &borrowed {
        back.argument(&prefixed("d", name), By::Mut);
    }
    for (name, p) in &borrowed {
        back.tangent(p, &dotted(1, &prefixed("d", name)), By::Mut);
    }
    let given = signature.given.iter().map(|(name, ty)| quote!(#name: #ty));
    let owned = owned_bars(pieces).map(|(name, _)| prefixed("bar", name));
    let owned: Vec<Ident> = owned.collect();
    let tangents: Vec<Ident> = owned.iter().map(|name| dotted(1, name)).collect();
    let all: Vec<Ident> = owned.iter().map(|name| prefixed("all", name)).collect();
    let seed = Ident::new("seed", Span::mixed_site());
    let dot_seed = dotted(1, &seed);
    let Runs {
        before,
        made,
        args,
        kept,
        after,
    } = forth;
    let Runs {
        before: before_back,
        made: made_back,
        args: args_back,
        kept: kept_back,
        after: after_back,
    } = back;
    let turbofish = &pieces.turbofish;
    quote_spanned! {Span::mixed_site()=>
        #before
        let mut results = ::core::option::Option::None;
        let backs: [_; #lanes] = ::core::array::from_fn(|lane| {
            #made
            let (value, tangent, back) = Self::#form #turbofish (#(#args),*);
            #kept
            rt::lanes::collect::<_, _, #lanes>(&mut results, lane, value, &tangent);
            back
        });
        #after
        let (value, tangent) = rt::lanes::collected(results);
        let back = move |#(#given),*| {
            #before_back
            #(let mut #all = ::core::option::Option::None;)*
            for (lane, back) in ::core::iter::Iterator::enumerate(::core::iter::IntoIterator::into_iter(backs)) {
                #made_back
                let ((#(#owned,)*), (#(#tangents,)*)) =
                    back(rt::copy(&#seed), rt::lanes::Wide::<#lanes>::lane(&#dot_seed, lane) #(, #args_back)*);
                #kept_back
                #(rt::lanes::collect::<_, _, #lanes>(&mut #all, lane, #owned, &#tangents);)*
            }
            #after_back
            #(let (#owned, #tangents) = rt::lanes::collected(#all);)*
            ((#(#owned,)*), (#(#tangents,)*))
        };
        (value, tangent, back)
    }
}

/// A tangent for each direction, by the form in lanes.
fn through_lanes(pieces: &Pieces<'_>) -> TokenStream {
    let mixed = Span::mixed_site();
    let (form, lanes) = (Ident::new(LANES_FORM, Span::call_site()), lanes());
    let (mut forth, mut back) = (InLanes::default(), InLanes::default());
    let borrowed: Vec<_> = pieces.params().filter(|(_, p)| p.by != By::Value).collect();
    let seed = Ident::new("seed", mixed);
    for (name, p) in pieces.params() {
        forth.tangent(&dotted(1, name), p.by);
    }
    back.tangent(&dotted(1, &seed), By::Value);
    let seeds = std::mem::take(&mut back.given);
    for (name, p) in &borrowed {
        back.tangent(&dotted(1, name), p.by);
    }
    let again = std::mem::take(&mut back.given);
    let shadows: Vec<Ident> = borrowed
        .iter()
        .map(|(name, _)| prefixed("d", name))
        .collect();
    for shadow in &shadows {
        back.tangent(&dotted(1, shadow), By::Mut);
    }
    let borrowed = borrowed.iter().map(|(name, _)| name);
    let (args, chosen) = (pieces.params().map(|(name, _)| name), pieces.given());
    let closure = dual_closure_params(pieces.function, &pieces.names, 2, Several::Each);
    let owned: Vec<Ident> = owned_bars(pieces)
        .map(|(name, _)| prefixed("bar", name))
        .collect();
    let tangents: Vec<Ident> = owned.iter().map(|name| dotted(1, name)).collect();
    let InLanes {
        made,
        given,
        written,
    } = forth;
    let InLanes {
        made: made_back,
        given: shadow_tangents,
        written: written_back,
    } = back;
    quote_spanned! {mixed=>
        #made
        let (value, tangent, back) = Self::#form::<#(#chosen,)* #lanes>(rt::lanes::Width, #(#args,)* #(#given),*);
        #written
        let back = move |#closure| {
            #made_back
            let ((#(#owned,)*), (#(#tangents,)*)) =
                back(#seed, #(#seeds),* #(, #borrowed)* #(, #again)* #(, #shadows)* #(, #shadow_tangents)*);
            #written_back
            ((#(#owned,)*), (#(rt::lanes::apart(&#tangents),)*))
        };
        (value, rt::lanes::apart(&tangent), back)
    }
}

/// Tangents of each direction, given to a form in lanes.
#[derive(Default)]
struct InLanes {
    made: TokenStream,
    given: Vec<TokenStream>,
    written: TokenStream,
}

impl InLanes {
    fn tangent(&mut self, name: &Ident, by: By) {
        let (mixed, wide) = (Span::mixed_site(), prefixed("wide", name));
        let each = match by {
            By::Value => quote_spanned!(mixed=> &#name.each_ref()),
            By::Ref => quote_spanned!(mixed=> &#name),
            By::Mut => quote_spanned!(mixed=> &#name.each_ref().map(|one| &**one)),
        };
        self.made
            .extend(quote_spanned!(mixed=> let mut #wide = rt::lanes::side_by_side(#each);));
        self.given.push(match by {
            By::Value => quote_spanned!(mixed=> #wide),
            By::Ref => quote_spanned!(mixed=> &#wide),
            By::Mut => quote_spanned!(mixed=> &mut #wide),
        });
        if by == By::Mut {
            self.written
                .extend(quote_spanned!(mixed=> rt::lanes::put_apart(&mut #name, &#wide);));
        }
    }
}

/// A tangent for each direction, by the form that has one: as often as there are directions.
///
/// The last run has the values and the memory themselves, those before it have copies of what they change.
fn each_by_itself(pieces: &Pieces<'_>) -> TokenStream {
    let mixed = Span::mixed_site();
    let (form, lanes) = (form_name(1, "fwd"), lanes());
    let owned: Vec<&Ident> = owned_bars(pieces).map(|(name, _)| name).collect();
    let stock: Vec<Ident> = owned.iter().map(|name| prefixed("stock", name)).collect();
    let (mut forth, mut back) = (Vec::new(), Vec::new());
    let argument = |name: &Ident, p: &ParamInfo, out: &mut Vec<TokenStream>| match p.by {
        By::Value => {
            let stock = prefixed("stock", name);
            quote_spanned! {mixed=>
                if lane + 1 == #lanes {
                    rt::lanes::collected(#stock.take())
                } else {
                    use rt::lanes::NotAgain as _;
                    rt::lanes::Again(rt::lanes::collected(#stock.as_ref())).again()
                }
            }
        }
        By::Ref => quote_spanned!(mixed=> &*#name),
        By::Mut => {
            let copy = match p.ty {
                _ if is_state(p) => Copy::State,
                Ty::Slice(_) => Copy::Kept,
                _ => Copy::Again,
            };
            last_run(name, &p.again.to_token_stream(), &copy, out)
        }
    };
    let args: Vec<_> = pieces
        .params()
        .map(|(name, p)| argument(name, p, &mut forth))
        .collect();
    let borrowed: Vec<_> = pieces.params().filter(|(_, p)| p.by != By::Value).collect();
    let again: Vec<_> = borrowed
        .iter()
        .map(|(name, p)| argument(name, p, &mut back))
        .collect();
    let in_direction = |name: &Ident, by: By| match by {
        By::Value => quote_spanned!(mixed=> rt::copy(&#name[lane])),
        By::Ref => quote_spanned!(mixed=> #name[lane]),
        By::Mut => quote_spanned!(mixed=> &mut *#name[lane]),
    };
    let dots = pieces
        .params()
        .map(|(name, p)| in_direction(&dotted(1, name), p.by));
    let dots_again = borrowed
        .iter()
        .map(|(name, p)| in_direction(&dotted(1, name), p.by));
    let shadows = borrowed.iter().map(|(name, p)| {
        let (shadow, ty) = (prefixed("d", name), buffer_or_unit(p));
        // Shadows are added to once: those of the other runs are thrown away.
        last_run(&shadow, &quote!(&mut #ty), &Copy::Kept, &mut back)
    });
    let shadows: Vec<_> = shadows.collect();
    let dot_shadows = borrowed
        .iter()
        .map(|(name, _)| in_direction(&dotted(1, &prefixed("d", name)), By::Mut));
    let closure = dual_closure_params(pieces.function, &pieces.names, 2, Several::Each);
    let parts: Vec<_> = (0..owned.len()).map(Literal::usize_unsuffixed).collect();
    let seed = Ident::new("seed", mixed);
    let dot_seed = in_direction(&dotted(1, &seed), By::Value);
    let turbofish = &pieces.turbofish;
    quote_spanned! {mixed=>
        #(let mut #stock = ::core::option::Option::Some(#owned);)*
        let mut value = ::core::option::Option::None;
        let runs = rt::lanes::Width::<#lanes>.each(|lane| {
            #(#forth)*
            let (found, tangent, back) = Self::#form #turbofish (#(#args,)* #(#dots),*);
            value = ::core::option::Option::Some(found);
            (tangent, back)
        });
        let (tangents, backs) = rt::lanes::parted(runs);
        let back = move |#closure| {
            let mut bars = ::core::option::Option::None;
            let runs = rt::lanes::each_of(backs, |lane, back| {
                #(#back)*
                let (bar, dot_bar) = back(
                    rt::copy(&#seed), #dot_seed #(, #again)* #(, #dots_again)* #(, #shadows)* #(, #dot_shadows)*
                );
                bars = ::core::option::Option::Some(bar);
                dot_bar
            });
            (rt::lanes::collected(bars), (#(rt::lanes::Width::<#lanes>.each(|lane| rt::copy(&runs[lane].#parts)),)*))
        };
        (rt::lanes::collected(value), tangents, back)
    }
}

/// Whether a parameter is a constant that the function may change.
fn is_state(p: &ParamInfo) -> bool {
    p.by == By::Mut && !p.active
}

/// How what a run changes is copied.
enum Copy {
    /// The state behind a constant.
    State,
    Kept,
    /// What may have no copy.
    Again,
}

/// What a run is lent to change: a copy, but for the last.
fn last_run(
    name: &Ident,
    ty: &TokenStream,
    copy: &Copy,
    out: &mut Vec<TokenStream>,
) -> TokenStream {
    let (run, own) = (prefixed("run", name), prefixed("own", name));
    let (mixed, lanes) = (Span::mixed_site(), lanes());
    let (copy, lent) = match copy {
        Copy::State => (
            quote_spanned!(mixed=> rt::Start::of(&*#name)),
            quote_spanned!(mixed=> #own.lend()),
        ),
        Copy::Kept => (
            quote_spanned!(mixed=> rt::lanes::Kept::keep(&*#name)),
            quote_spanned!(mixed=> &mut #own),
        ),
        Copy::Again => (
            quote_spanned!(mixed=> { use rt::lanes::NotAgain as _; rt::lanes::Again(&*#name).again() }),
            quote_spanned!(mixed=> &mut #own),
        ),
    };
    out.push(quote_spanned! {mixed=>
        let mut #own;
        let #run: #ty = if lane + 1 == #lanes { &mut *#name } else { #own = #copy; #lent };
    });
    run.to_token_stream()
}
