//! Written types: what the macro reads from them.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use crate::features::features;
use crate::ir::{Number, Operator, Ty, Width};
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, EnterMut as _, OtherMut, VisitMut};

pub(crate) mod operators;
mod views;

use self::operators::are_mixed;
pub(crate) use self::views::{is_view, shown, view_of};

/// Names of types that have no derivative.
const INERT: &[&str] = &[
    "char",
    "str",
    "String",
    "Ordering",
    "Duration",
    "Instant",
    "PhantomData",
];
const INTEGERS: &[&str] = &[
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroUsize",
];

/// Types that keep a value where the graph does not see it.
const HIDING: &[&str] = &[
    "Arc",
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Box",
    "Cell",
    "Cow",
    "HashMap",
    "HashSet",
    "LazyCell",
    "LazyLock",
    "LinkedList",
    "ManuallyDrop",
    "MaybeUninit",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "Pin",
    "Rc",
    "RefCell",
    "RwLock",
    "UnsafeCell",
    "VecDeque",
    "Weak",
];

/// Types whose contents are written to through shared references.
const CELLS: &[&str] = &[
    "Cell",
    "LazyCell",
    "Mutex",
    "OnceCell",
    "OnceLock",
    "RefCell",
    "RwLock",
    "Sender",
    "SyncSender",
    "UnsafeCell",
];

/// Is this the name of a type whose contents are written to through shared references?
pub(crate) fn is_cell(name: &str) -> bool {
    CELLS.contains(&name)
}

/// Is this the name of an integer or a pointer that is written to through shared references?
pub(crate) fn is_atomic(name: &str) -> bool {
    let of = name.strip_prefix("Atomic");
    of.is_some_and(|of| matches!(of, "Bool" | "Ptr") || INTEGERS.contains(&&*of.to_lowercase()))
}

/// Collections of the standard library that may hold what is no number.
const COLLECTIONS: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "HashMap",
    "HashSet",
    "LinkedList",
    "VecDeque",
];

/// A type of numbers of the language itself.
pub(crate) fn is_primitive(name: &str) -> bool {
    matches!(name, "f64" | "f32") || INTEGERS.contains(&name) && !name.starts_with("NonZero")
}

/// Is this the name of a type that hides its contents?
pub(crate) fn is_hiding(name: &str) -> bool {
    HIDING.contains(&name)
}

/// Whether a type as it is written hides its contents; without arguments it is one of the user's that has the name. A box of one thing shows it.
pub(crate) fn hides(segment: &syn::PathSegment) -> bool {
    is_hiding(&segment.ident.to_string())
        && !segment.arguments.is_none()
        && (segment.ident != "Box"
            || argument(segment).is_none_or(|of| matches!(strip(of), syn::Type::Slice(_))))
}

/// Names that are read as types without being looked up.
pub(crate) fn is_known(name: &str) -> bool {
    INTEGERS.contains(&name)
        || INERT.contains(&name)
        || matches!(
            name,
            "f32" | "f64" | "bool" | "Vec" | "Option" | "Range" | "RangeInclusive" | "Box"
        )
}

/// The variant that a path names with its enum: `Shape::Circle`.
pub(crate) fn variant(path: &syn::Path) -> Option<&syn::Ident> {
    let of = path.segments.iter().rev().nth(1)?;
    let last = &path.segments.last()?.ident;
    let named = |ident: &syn::Ident| ident.to_string().starts_with(char::is_uppercase);
    let known = matches!(of.ident.to_string().as_str(), "Option" | "Result");
    let enumeration = named(&of.ident) || of.ident == OWNER;
    (enumeration && named(last) && !known).then_some(last)
}

/// Written as the name of a struct is, and none that the macro knows: a single capital may be a function, a potential `U` say, or a type parameter.
pub(crate) fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.len() > 1 && !is_known(name)
}

/// A single capital: no function is named so where it is called, unless it is a parameter.
pub(crate) fn is_capital(name: &str) -> bool {
    name.len() == 1 && name.starts_with(char::is_uppercase)
}

/// Written as no type is, though with a capital: a function of a formula's letter, `T_saturation`.
pub(crate) fn is_function_name(name: &str) -> bool {
    let letter = name
        .split_once('_')
        .is_some_and(|(first, _)| is_capital(first));
    letter && name.contains(char::is_lowercase)
}

/// The last name of the path of a derivative, `f::grad`.
pub(crate) fn is_derivative(name: &str) -> bool {
    ["grad", "value_and_grad", "jvp", "hvp", "hessian", "vjp"].contains(&name)
}

/// The name of a struct, or `Self`, which stands for one where it is called.
pub(crate) fn is_constructor(name: &str) -> bool {
    is_type_name(name) && !is_function_name(name) || name == OWNER
}

/// `Option<T>` for `Option<&T>`, and the same for lists.
pub(crate) fn without_references(ty: &syn::Type) -> syn::Type {
    let mut ty = ty.clone();
    match &mut ty {
        syn::Type::Tuple(t) => {
            for part in &mut t.elems {
                *part = without_references(part);
            }
        }
        syn::Type::Array(t) => *t.elem = owned(&t.elem),
        ty => {
            if let Some(inside) = inside(ty) {
                *inside = owned(inside);
            }
        }
    }
    ty
}

/// The type of a copy of what a reference refers to.
fn owned(ty: &syn::Type) -> syn::Type {
    match ty {
        syn::Type::Reference(r) if is_lent_whole(r) => owned(&r.elem),
        syn::Type::Tuple(t) => {
            let mut t = t.clone();
            for part in &mut t.elems {
                *part = owned(part);
            }
            syn::Type::Tuple(t)
        }
        ty => without_references(ty),
    }
}

/// A shared reference to something that can be copied.
fn is_lent_whole(r: &syn::TypeReference) -> bool {
    r.mutability.is_none() && !matches!(*r.elem, syn::Type::Slice(_))
}

/// Whether the elements of a list are references.
pub(crate) fn lends_elements(ty: &syn::Type) -> bool {
    let elem = match ty {
        syn::Type::Array(t) => Some(&*t.elem),
        syn::Type::Path(_) => last(ty).filter(|s| s.ident == "Vec").and_then(argument),
        _ => None,
    };
    matches!(elem, Some(syn::Type::Reference(r)) if is_lent_whole(r))
}

/// What is in an option or a vector.
fn inside(ty: &mut syn::Type) -> Option<&mut syn::Type> {
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let segment = path.path.segments.last_mut()?;
    let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments else {
        return None;
    };
    match args.args.first_mut()? {
        syn::GenericArgument::Type(inside)
            if segment.ident == "Option" || segment.ident == "Vec" =>
        {
            Some(inside)
        }
        _ => None,
    }
}

/// The type's last segment, if it is a path without generic arguments, or the segment with them.
pub(crate) fn last(ty: &syn::Type) -> Option<&syn::PathSegment> {
    match ty {
        syn::Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

/// The types, each once, that are named like those of the standard library without derivative which hold a number: they may be the user's own.
/// Those of parameters with `#[constant]` aside.
pub(crate) fn borrowed_names(sig: &syn::Signature, body: &syn::Block) -> Vec<syn::TypePath> {
    struct Names(Vec<syn::TypePath>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_item(&mut self, _: &'ast syn::Item) {}
        fn visit_pat_type(&mut self, p: &'ast syn::PatType) {
            if !p.attrs.iter().any(|a| a.path().is_ident("constant")) {
                visit::visit_pat_type(self, p);
            }
        }
        fn visit_type_path(&mut self, t: &'ast syn::TypePath) {
            let last = t.path.segments.last();
            let borrowed = |name: &&str| last.is_some_and(|s| s.ident == name);
            if ["Duration", "Instant", "Ordering"].iter().any(borrowed) && !self.0.contains(t) {
                self.0.push(t.clone());
            }
            visit::visit_type_path(self, t);
        }
    }
    let mut names = Names(Vec::new());
    sig.inputs.iter().for_each(|arg| names.visit_fn_arg(arg));
    names.visit_block(body);
    names.0
}

/// The first generic type argument of a path segment.
pub(crate) fn argument(segment: &syn::PathSegment) -> Option<&syn::Type> {
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else {
        return None;
    };
    args.args.iter().find_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Whether a type is written as a collection of the standard library, other than a vector, with no float in it as far as that shows.
pub(crate) fn collects_constants(ty: &syn::Type) -> bool {
    let Some(segment) = last(ty).filter(|s| COLLECTIONS.iter().any(|name| s.ident == name)) else {
        return false;
    };
    let syn::PathArguments::AngleBracketed(args) = &segment.arguments else {
        return false;
    };
    args.args.iter().all(|arg| match arg {
        syn::GenericArgument::Type(ty) => {
            let ty = read(ty);
            ty.is_inert() || matches!(ty, Ty::Unknown)
        }
        _ => true,
    })
}

/// The type in `f::<T>`, as it is written.
pub(crate) fn given(path: &syn::Path) -> Option<&syn::Type> {
    path.segments.last().and_then(argument)
}

/// The type in `Vec<T>`, as it is written.
pub(crate) fn argument_of(ty: &syn::Type) -> Option<&syn::Type> {
    last(ty).and_then(argument)
}

/// The name of a written type that may be one of the user's own, references looked through.
pub(crate) fn named_as(ty: &syn::Type) -> Option<String> {
    match strip(ty) {
        ty if read(ty).is_user() => last(ty).map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// Whether a type is written with floats in it, or with a type parameter, and hides nothing.
pub(crate) fn shows_floats(ty: &syn::Type) -> bool {
    fn float(token: TokenTree) -> bool {
        match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                name == "f64" || name == "f32" || is_capital(&name)
            }
            TokenTree::Group(group) => group.stream().into_iter().any(float),
            _ => false,
        }
    }
    let written = read(ty);
    let hidden = matches!(written, Ty::Unknown) || written.is_inert();
    !hidden && ty.to_token_stream().into_iter().any(float)
}

/// Removes parentheses, invisible groups and references.
pub(crate) fn strip(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(t) => strip(&t.elem),
        syn::Type::Group(t) => strip(&t.elem),
        syn::Type::Reference(t) => strip(&t.elem),
        _ => ty,
    }
}

/// The same, to be changed.
pub(crate) fn strip_mut(ty: &mut syn::Type) -> &mut syn::Type {
    match ty {
        syn::Type::Paren(t) => strip_mut(&mut t.elem),
        syn::Type::Group(t) => strip_mut(&mut t.elem),
        syn::Type::Reference(t) => strip_mut(&mut t.elem),
        _ => ty,
    }
}

/// Removes parentheses and invisible groups.
pub(crate) fn strip_groups(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(t) => strip_groups(&t.elem),
        syn::Type::Group(t) => strip_groups(&t.elem),
        _ => ty,
    }
}

fn read_path(ty: &syn::TypePath) -> Ty {
    read(&syn::Type::Path(ty.clone()))
}

/// What a written type means, references looked through.
pub(crate) fn read(ty: &syn::Type) -> Ty {
    read_in(ty, &[])
}

/// What a written type means where `numeric` are type parameters that stand for floats.
pub(crate) fn read_in(ty: &syn::Type, numeric: &[Ident]) -> Ty {
    let read = |ty: &syn::Type| read_in(ty, numeric);
    match strip(ty) {
        syn::Type::Array(t) => Ty::Array(Box::new(read(&t.elem)), Some(t.len.to_token_stream())),
        syn::Type::Slice(t) => Ty::Slice(Box::new(read(&t.elem))),
        syn::Type::Tuple(t) => Ty::Tuple(t.elems.iter().map(read).collect()),
        syn::Type::Path(t)
            if t.qself.is_none() && numeric.iter().any(|name| t.path.is_ident(name)) =>
        {
            Ty::Float(Width::Generic)
        }
        syn::Type::FnPtr(_) | syn::Type::Never(_) | syn::Type::Ptr(_) => Ty::Inert,
        path => {
            let Some(segment) = last(path) else {
                return Ty::Unknown;
            };
            let name = segment.ident.to_string();
            match name.as_str() {
                "f64" => Ty::Float(Width::F64),
                "f32" => Ty::Float(Width::F32),
                "bool" => Ty::Bool,
                "Vec" => Ty::Vec(Box::new(argument(segment).map_or(Ty::Unknown, read))),
                "Option" => match argument(segment).map(read) {
                    Some(inner) if inner.is_inert() => Ty::Inert,
                    inner => Ty::Option(Box::new(inner.unwrap_or(Ty::Unknown))),
                },
                "Range" | "RangeInclusive" | "Box" => match argument(segment).map(read) {
                    Some(inner) if inner.is_inert() => Ty::Inert,
                    _ if name == "Box" && !hides(segment) => Ty::User,
                    _ => Ty::Unknown,
                },
                other if INTEGERS.contains(&other) => Ty::Int,
                other if INERT.contains(&other) => Ty::Inert,
                // Indices and masks.
                TENSOR if matches!(argument(segment).map(read), Some(Ty::Int | Ty::Bool)) => {
                    Ty::Inert
                }
                _ if is_numberless_of_crates(path) => Ty::Inert,
                _ if hides(segment) => Ty::Unknown,
                _ => Ty::User,
            }
        }
    }
}

/// Whether a type is written as a matrix or an array of another crate, of integers or truth values.
pub(crate) fn is_numberless_of_crates(ty: &syn::Type) -> bool {
    let number = last(strip(ty)).filter(|last| is_of_crates(&last.ident.to_string()));
    let number = number.and_then(argument).map(read);
    matches!(number, Some(Ty::Int | Ty::Bool))
}

/// Whether a type of this name is one of the matrices and arrays of other crates.
fn is_of_crates(name: &str) -> bool {
    let array = |name: &str| {
        let rest = name.strip_prefix("Array")?;
        let rest = rest.strip_prefix("View").unwrap_or(rest);
        let axes = rest.strip_prefix("Mut").unwrap_or(rest);
        Some(matches!(
            axes,
            "" | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "D"
        ))
    };
    let matrix = |name: &str| {
        let kind = name.strip_prefix("Row").unwrap_or(name);
        let kind = kind.trim_start_matches(['D', 'S', 'O']);
        let size = ["Matrix", "Vector"]
            .iter()
            .find_map(|of| kind.strip_prefix(of))?;
        let size = size.strip_prefix("View").unwrap_or(size);
        Some(kind != name && size.is_empty() || size.chars().all(|c| "123456xX".contains(c)))
    };
    features().ndarray && array(name) == Some(true)
        || features().nalgebra && matrix(name) == Some(true)
}

/// The numbers of a tensor, if the type is written as one of floats, as the type parameters `floats` are.
pub(crate) fn tensor_of(ty: &syn::Type, floats: &[Ident]) -> Option<Number> {
    match ty {
        syn::Type::Reference(r) => tensor_of(&r.elem, floats),
        syn::Type::Paren(p) => tensor_of(&p.elem, floats),
        syn::Type::Group(g) => tensor_of(&g.elem, floats),
        syn::Type::Path(p) if features().tensor => {
            let last = p.path.segments.last()?;
            let number = argument(last).filter(|_| last.ident == TENSOR)?;
            match number {
                syn::Type::Path(number) => number.path.get_ident(),
                _ => None,
            }
            .filter(|name| *name == "f64" || *name == "f32" || floats.contains(name))
            .map(|name| Number(name.to_string().into()))
        }
        _ => None,
    }
}

/// Lifetimes that were given a name: `'_`, those of references that have none, and those that are not written at all.
pub(crate) struct Named<'a> {
    prefix: &'static str,
    /// Type parameters, which hide no lifetimes.
    parameters: &'a [Ident],
    all: Vec<syn::Lifetime>,
}

/// Whether a type has a lifetime of its own, behind references to it; `outer` are the parameters of the block, whose type has those there.
pub(crate) fn borrows(ty: &syn::Type, outer: &syn::Generics) -> bool {
    struct Find {
        of_block: bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_path(&mut self, t: &'ast syn::TypePath) {
            let args = t.path.segments.last().map(|last| &last.arguments);
            self.found |= self.of_block && t.path.is_ident(OWNER);
            self.found |= matches!(args, Some(syn::PathArguments::AngleBracketed(args))
                if args.args.iter().any(|arg| matches!(arg, syn::GenericArgument::Lifetime(_))));
            visit::visit_type_path(self, t);
        }
    }
    let mut find = Find {
        of_block: outer.lifetimes().next().is_some(),
        found: false,
    };
    find.visit_type(ty);
    find.found
}

/// Whether only rustc knows if there is a lifetime in a type: `Series` may be short for `Series<'_>`.
pub(crate) fn may_hide_lifetime(ty: &syn::Type, parameters: &[Ident]) -> bool {
    struct Find<'a> {
        parameters: &'a [Ident],
        found: bool,
    }
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_type_path(&mut self, t: &'ast syn::TypePath) {
            let (Some(first), Some(last)) = (t.path.segments.first(), t.path.segments.last())
            else {
                return;
            };
            let ours = first.ident == OWNER || first.ident == "rt";
            if vouches(&t.path) {
                visit::visit_path_segment(self, last);
                return;
            }
            if t.qself.is_some() || ours || self.parameters.contains(&first.ident) {
                return;
            }
            if !read_path(t).is_user() {
                visit::visit_path_segment(self, last);
                return;
            }
            self.found |= match &last.arguments {
                syn::PathArguments::AngleBracketed(args) => {
                    let mut args = args.args.iter();
                    !args.any(|arg| matches!(arg, syn::GenericArgument::Lifetime(_)))
                }
                _ => true,
            };
        }
        fn visit_type_trait_object(&mut self, _: &'ast syn::TypeTraitObject) {}
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {}
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::ParenthesizedGenericArguments(_) => {}
                other => other.walk(self),
            }
        }
    }
    let mut find = Find {
        parameters,
        found: false,
    };
    find.visit_type(ty);
    find.found
}

/// The name of what spells out such a lifetime.
const SPELLED: &str = "Spelled";
/// The name of what stands for a type that may have no derivative, before a number.
pub(crate) const VOUCHED: &str = "__Has";

/// A type with a lifetime for those that are not written: what a function type returns has that of what it takes, if there is one to have.
fn spelled(ty: &syn::Type, lifetime: &syn::Lifetime) -> syn::Type {
    syn::Type::Path(spelled_path(ty, lifetime))
}

fn spelled_path(ty: &syn::Type, lifetime: &syn::Lifetime) -> syn::TypePath {
    let name = Ident::new(SPELLED, Span::call_site());
    syn::parse_quote!(rt::#name<fn(&#lifetime ()) -> #ty>)
}

/// The lifetime and the type that such a type is made of.
fn unspelled_path(path: &syn::TypePath) -> Option<(Option<syn::Lifetime>, syn::Type)> {
    let of = argument(path.path.segments.last()?).filter(|_| is_spelled(&path.path))?;
    let syn::Type::FnPtr(f) = of else {
        return None;
    };
    match (f.inputs.first().map(|arg| &arg.ty)?, &f.output) {
        (syn::Type::Reference(r), syn::ReturnType::Type(_, of)) => {
            Some((r.lifetime.clone(), (**of).clone()))
        }
        _ => None,
    }
}

/// Whether a path is that of such a type.
fn is_spelled(path: &syn::Path) -> bool {
    let mut names = path.segments.iter().map(|s| &s.ident);
    names.next().is_some_and(|name| name == "rt")
        && names.next().is_some_and(|name| name == SPELLED)
}

/// Whether a type has a tangent where its argument has one, as far as its name shows.
pub(crate) fn is_transparent(ty: &syn::TypePath) -> bool {
    let last = ty.path.segments.last();
    let holds = |s: &syn::PathSegment| ["Vec", "Option", "Box"].iter().any(|of| s.ident == of);
    ty.qself.is_none() && (is_spelled(&ty.path) || last.is_some_and(holds))
}

/// Whether a type is vouched for.
pub(crate) fn is_vouched(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(t) if vouches(&t.path))
}

fn vouches(path: &syn::Path) -> bool {
    path.segments[0].ident.to_string().starts_with(VOUCHED)
}

/// A type without what vouches for it.
pub(crate) fn unvouched(ty: &syn::Type) -> syn::Type {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            if let Some(of) = argument_of(ty).filter(|_| is_vouched(ty)) {
                *ty = of.clone();
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    let mut ty = ty.clone();
    Plain.visit_type_mut(&mut ty);
    ty
}

/// Types of other crates that borrow, and are mostly written without the lifetime.
const VIEWS: &[&str] = &[
    "ArrayView",
    "ArrayView0",
    "ArrayView1",
    "ArrayView2",
    "ArrayView3",
    "ArrayView4",
    "ArrayView5",
    "ArrayView6",
    "ArrayViewD",
    "DMatrixView",
    "DVectorView",
];

/// Writes the lifetimes of views, `ArrayView1<'_, f64>`.
pub(crate) fn show_lifetimes(sig: &mut syn::Signature) {
    struct Show;
    impl VisitMut for Show {
        fn visit_other_mut(&mut self, node: OtherMut<'_>) {
            match node {
                OtherMut::PathSegment(segment) => {
                    OtherMut::PathSegment(segment).walk(self);
                    if let syn::PathArguments::AngleBracketed(args) = &mut segment.arguments {
                        let shown = args
                            .args
                            .iter()
                            .any(|a| matches!(a, syn::GenericArgument::Lifetime(_)));
                        if !shown && VIEWS.iter().any(|name| segment.ident == name) {
                            args.args.insert(0, syn::parse_quote!('_));
                        }
                    }
                }
                other => other.walk(self),
            }
        }
    }
    Show.visit_signature_mut(sig);
}

/// Writes `'static` for lifetimes that no parameter has: the caller chooses them, so that this is one of them.
///
/// `fn f<'a>(x: f64) -> Result<f64, &'a str>`
pub(crate) fn close_lifetimes(item: &mut syn::ItemFn) {
    struct Close(Vec<Ident>);
    impl VisitMut for Close {
        fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
            if self.0.contains(&lifetime.ident) {
                lifetime.ident = Ident::new("static", lifetime.ident.span());
            }
        }
    }
    let generics = &item.sig.generics;
    let inputs = item.sig.inputs.to_token_stream();
    let others = generics.type_params().map(ToTokens::to_token_stream);
    let clause = generics.where_clause.to_token_stream();
    let held: TokenStream = others.chain([inputs, clause]).collect();
    let free = generics.lifetimes().map(|p| &p.lifetime.ident);
    let free: Vec<Ident> = free.filter(|l| !mentions(&held, l)).cloned().collect();
    if free.is_empty() {
        return;
    }
    let params = std::mem::take(&mut item.sig.generics.params).into_iter();
    let others = params.filter(
        |p| !matches!(p, syn::GenericParam::Lifetime(p) if free.contains(&p.lifetime.ident)),
    );
    item.sig.generics.params = others.collect();
    Close(free).visit_item_fn_mut(item);
}

/// Writes `f64` for `std::primitive::f64`.
pub(crate) fn plain_primitives(item: &mut syn::ItemFn) {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_other_mut(&mut self, node: OtherMut<'_>) {
            match node {
                OtherMut::Path(path) => {
                    let is = |k: usize, names: &[&str]| {
                        let segment = path.segments.iter().nth(k);
                        segment.is_some_and(|s| names.iter().any(|name| s.ident == name))
                    };
                    if path.segments.len() > 2 && is(0, &["std", "core"]) && is(1, &["primitive"]) {
                        path.leading_colon = None;
                        path.segments = std::mem::take(&mut path.segments)
                            .into_iter()
                            .skip(2)
                            .collect();
                    }
                    OtherMut::Path(path).walk(self);
                }
                other => other.walk(self),
            }
        }
    }
    Plain.visit_item_fn_mut(item);
}

/// A type as one would write it, for a message.
pub(crate) fn unspelled(tokens: TokenStream) -> TokenStream {
    struct Unspell;
    impl VisitMut for Unspell {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            if let syn::Type::Path(t) = &*ty {
                if let Some((_, of)) = unspelled_path(t) {
                    *ty = of;
                }
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    match syn::parse2::<syn::Type>(tokens.clone()) {
        Ok(ty) => {
            let mut ty = unvouched(&ty);
            Unspell.visit_type_mut(&mut ty);
            ty.into_token_stream()
        }
        Err(_) => tokens,
    }
}

/// A bound on a type, whatever its lifetimes are.
///
/// One that does not hold is an error where it is asked for and none where it is written, because lifetimes stand in front.
/// They are of the bound alone: where a bound is on the lifetimes of one parameter, rustc would take it for that on another.
pub(crate) fn deferred(ty: &syn::Type, bound: &TokenStream) -> syn::WherePredicate {
    struct Any {
        /// Those of the type, and those of the bound that stand for them.
        all: Vec<(Option<Ident>, syn::Lifetime)>,
    }
    impl Any {
        fn of(&mut self, written: Option<&syn::Lifetime>) -> syn::Lifetime {
            let name = written.map(|l| &l.ident).filter(|name| *name != "_");
            let known = self
                .all
                .iter()
                .find(|(of, _)| name.is_some() && of.as_ref() == name);
            if let Some((_, lifetime)) = known {
                return lifetime.clone();
            }
            let lifetime = format!("'__any{}", self.all.len());
            let lifetime = syn::Lifetime::new(&lifetime, Span::mixed_site());
            self.all.push((name.cloned(), lifetime.clone()));
            lifetime
        }
    }
    impl VisitMut for Any {
        fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
            if lifetime.ident != "static" {
                *lifetime = self.of(Some(lifetime));
            }
        }
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            if t.lifetime.is_none() {
                t.lifetime = Some(self.of(None));
            }
            visit_mut::visit_type_reference_mut(self, t);
        }
        fn visit_type_path_mut(&mut self, t: &mut syn::TypePath) {
            match unspelled_path(t) {
                Some((lifetime, mut of)) => {
                    let lifetime = self.of(lifetime.as_ref());
                    self.visit_type_mut(&mut of);
                    *t = spelled_path(&of, &lifetime);
                }
                None => visit_mut::visit_type_path_mut(self, t),
            }
        }

        fn visit_other_mut(&mut self, node: OtherMut<'_>) {
            match node {
                // The lifetimes of what functions take are their own.
                OtherMut::TypeFnPtr(_) => {}
                OtherMut::ParenthesizedGenericArguments(_) => {}
                other => other.walk(self),
            }
        }
    }
    let (mut any, mut ty) = (Any { all: Vec::new() }, ty.clone());
    any.visit_type_mut(&mut ty);
    // An object has the lifetime of the reference to it, if it shows none.
    let shown = |b: &syn::TypeParamBound| matches!(b, syn::TypeParamBound::Lifetime(_));
    let object = matches!(&ty, syn::Type::TraitObject(t) if !t.bounds.iter().any(shown));
    let own = any.of(None);
    if let (true, syn::Type::TraitObject(t)) = (object, &mut ty) {
        t.bounds.push(syn::TypeParamBound::Lifetime(own));
    }
    let all = any.all.iter().map(|(_, lifetime)| lifetime);
    syn::parse_quote!(for<#(#all),*> #ty: #bound)
}

impl VisitMut for Named<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.fresh();
        }
    }

    fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
        t.lifetime.get_or_insert_with(|| self.fresh());
        visit_mut::visit_type_reference_mut(self, t);
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            // The lifetimes of what functions take are their own.
            OtherMut::TypeFnPtr(_) => {}
            OtherMut::ParenthesizedGenericArguments(_) => {}
            other => other.walk(self),
        }
    }
}

impl<'a> Named<'a> {
    /// Names that begin so.
    pub(crate) fn new(prefix: &'static str, parameters: &'a [Ident]) -> Named<'a> {
        Named {
            prefix,
            parameters,
            all: Vec::new(),
        }
    }

    fn fresh(&mut self) -> syn::Lifetime {
        let name = format!("'__{}{}", self.prefix, self.all.len());
        let lifetime = syn::Lifetime::new(&name, Span::mixed_site());
        self.all.push(lifetime.clone());
        lifetime
    }

    /// The type with a name for each lifetime that it shows but for those of the references in front.
    pub(crate) fn within(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Paren(t) => self.within(&mut t.elem),
            syn::Type::Group(t) => self.within(&mut t.elem),
            syn::Type::Reference(t) => self.within(&mut t.elem),
            syn::Type::Slice(t) => self.within(&mut t.elem),
            ty => {
                let hides = may_hide_lifetime(ty, self.parameters);
                self.visit_type_mut(ty);
                if hides {
                    *ty = spelled(ty, &self.fresh());
                }
            }
        }
    }

    /// Makes them parameters, if there are any.
    pub(crate) fn declare(self, generics: &mut syn::Generics) -> bool {
        let any = !self.all.is_empty();
        for (k, lifetime) in self.all.into_iter().enumerate() {
            let param = syn::GenericParam::Lifetime(syn::LifetimeParam::new(lifetime));
            generics.params.insert(k, param);
        }
        any
    }
}

/// A type with lifetimes that may stand anywhere: tangents do not borrow.
pub(crate) fn unborrowed(ty: &syn::Type) -> syn::Type {
    struct Static;
    impl VisitMut for Static {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            t.lifetime = Some(syn::parse_quote!('static));
            visit_mut::visit_type_reference_mut(self, t);
        }
        fn visit_lifetime_mut(&mut self, l: &mut syn::Lifetime) {
            l.ident = Ident::new("static", l.ident.span());
        }
    }
    let mut ty = strip(ty).clone();
    Static.visit_type_mut(&mut ty);
    ty
}

/// As `unborrowed`, where lifetimes need not be written.
pub(crate) fn lasting(ty: &syn::Type) -> syn::Type {
    let ty = unborrowed(ty);
    if may_hide_lifetime(&ty, &[]) {
        spelled(&ty, &syn::parse_quote!('static))
    } else {
        ty
    }
}

/// Whether a type is, or holds, a trait object or a type parameter, which are nothing but what a trait says of them.
pub(crate) fn is_by_trait(ty: &syn::Type, generics: &syn::Generics) -> bool {
    match strip(ty) {
        syn::Type::TraitObject(_) | syn::Type::ImplTrait(_) => true,
        syn::Type::Slice(t) => is_by_trait(&t.elem, generics),
        syn::Type::Array(t) => is_by_trait(&t.elem, generics),
        syn::Type::Path(p) if p.qself.is_none() => {
            let is_parameter = |t: &syn::TypeParam| p.path.is_ident(&t.ident);
            generics
                .type_params()
                .any(|t| is_parameter(t) && !is_held(&t.ident, generics))
                || last(ty).is_some_and(|segment| {
                    let name = segment.ident.to_string();
                    (is_known(&name) || is_hiding(&name))
                        && argument(segment).is_some_and(|of| is_by_trait(of, generics))
                })
        }
        _ => false,
    }
}

/// The type parameters that stand for types of the user's own.
pub(crate) fn held(generics: &syn::Generics) -> impl Iterator<Item = Ident> + '_ {
    let names = generics.type_params().map(|t| t.ident.clone());
    names.filter(|name| is_held(name, generics))
}

/// Whether a type parameter stands for a type of the user's own: it has the bound `Differentiable`, and none that makes it a number, or an operator that numbers of one type have not.
pub(crate) fn is_held(name: &Ident, generics: &syn::Generics) -> bool {
    let derived = traits_of(name, generics).any(|bound| bound == "Differentiable");
    derived && !is_number(name, generics) || are_mixed(name, generics) && !is_float(name, generics)
}

/// Whether a type parameter has a bound that makes it a number.
pub(crate) fn is_number(name: &Ident, generics: &syn::Generics) -> bool {
    let is_number = |bound: &Ident| {
        let bound = bound.to_string();
        bound == "Float" || Operator::of_trait(&bound).is_some()
    };
    traits_of(name, generics).any(is_number)
}

/// Whether a type parameter has the bound `Float`, which is all that tensors of floats ask for.
pub(crate) fn is_float(name: &Ident, generics: &syn::Generics) -> bool {
    traits_of(name, generics).any(|bound| bound == "Float")
}

/// The type where `f64` stands for floats and 1 for lengths, if it names no other parameters, and `f64` has all that is asked of those.
pub(crate) fn closed(ty: &syn::Type, generics: &syn::Generics) -> Option<syn::Type> {
    const OF_FLOATS: &[&str] = &[
        "Float",
        "Differentiable",
        "Copy",
        "Clone",
        "Debug",
        "Default",
        "PartialEq",
        "PartialOrd",
        "Send",
        "Sync",
    ];
    let mut tokens = ty.to_token_stream();
    for param in &generics.params {
        let (name, given) = match param {
            syn::GenericParam::Type(p) => (&p.ident, quote!(f64)),
            syn::GenericParam::Const(p) => (&p.ident, quote!(1)),
            syn::GenericParam::Lifetime(_) => continue,
        };
        if !mentions(&tokens, name) {
            continue;
        }
        let known = match param {
            syn::GenericParam::Const(p) => is_named(&p.ty, &format_ident!("usize")),
            _ => {
                let known = |bound: &Ident| OF_FLOATS.iter().any(|of| bound == of);
                is_float(name, generics) && traits_of(name, generics).all(known)
            }
        };
        if !known {
            return None;
        }
        tokens = instead(tokens, name, &given);
    }
    syn::parse2(tokens).ok()
}

/// Tokens with others in the place of a name.
fn instead(tokens: TokenStream, name: &Ident, given: &TokenStream) -> TokenStream {
    let one = |token| match token {
        TokenTree::Ident(ident) if ident == *name => given.clone(),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), instead(group.stream(), name, given));
            inner.set_span(group.span());
            TokenTree::from(inner).into()
        }
        other => other.into(),
    };
    tokens.into_iter().map(one).collect()
}

/// Whether a type parameter has a trait of this name.
pub(crate) fn has_bound(name: &Ident, of: &Ident, generics: &syn::Generics) -> bool {
    traits_of(name, generics).any(|bound| bound == of)
}

/// The names of the traits that a type parameter has.
fn traits_of<'a>(name: &'a Ident, generics: &'a syn::Generics) -> impl Iterator<Item = &'a Ident> {
    let all = bounds(generics, name).into_iter();
    all.filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| &last.ident),
        _ => None,
    })
}

/// Where an error about a type is said, once however often it is needed.
pub(crate) fn span_of(ty: &syn::Type) -> Span {
    syn::spanned::Spanned::span(ty).resolved_at(Span::call_site())
}

/// A type without the names of its lifetimes.
pub(crate) fn elide(ty: &syn::Type) -> syn::Type {
    struct Elide;
    impl VisitMut for Elide {
        fn visit_type_reference_mut(&mut self, t: &mut syn::TypeReference) {
            t.lifetime = None;
            visit_mut::visit_type_reference_mut(self, t);
        }
        fn visit_lifetime_mut(&mut self, l: &mut syn::Lifetime) {
            if l.ident != "static" {
                l.ident = Ident::new("_", l.ident.span());
            }
        }
        fn visit_type_path_mut(&mut self, t: &mut syn::TypePath) {
            if !is_spelled(&t.path) {
                visit_mut::visit_type_path_mut(self, t);
            }
        }
    }
    let mut ty = ty.clone();
    Elide.visit_type_mut(&mut ty);
    ty
}

/// A type behind references of its own, without the names of their lifetimes.
pub(crate) fn elide_references(ty: &mut syn::Type) {
    match ty {
        syn::Type::Paren(t) => elide_references(&mut t.elem),
        syn::Type::Group(t) => elide_references(&mut t.elem),
        syn::Type::Slice(t) => elide_references(&mut t.elem),
        syn::Type::Reference(t) => {
            t.lifetime = None;
            elide_references(&mut t.elem);
        }
        _ => {}
    }
}

/// Whether a name stands somewhere in the tokens of a type.
pub(crate) fn mentions(tokens: &TokenStream, name: &Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// Whether a body may call the function that it is of, or hand it on; `is_method` if that has a receiver, so that only a type or a value calls it.
///
/// A variable or a field of its name is another thing.
pub(crate) fn names_itself(body: &syn::Block, name: &Ident, is_method: bool) -> bool {
    let mut found = Itself {
        name,
        function: (!is_method).then_some(name),
        called: false,
        alone: false,
        bound: false,
    };
    found.visit_block(body);
    found.called || found.alone && !found.bound
}

struct Itself<'a> {
    name: &'a Ident,
    /// The name, if it is called as it stands.
    function: Option<&'a Ident>,
    called: bool,
    /// The name stands alone, and is not called.
    alone: bool,
    /// A variable has the name.
    bound: bool,
}

impl<'ast> Visit<'ast> for Itself<'_> {
    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        if let syn::Expr::Path(p) = &*e.func {
            self.called |= self.function.is_some_and(|name| p.path.is_ident(name));
        }
        visit::visit_expr_call(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        self.called |= e.method == *self.name;
        visit::visit_expr_method_call(self, e);
    }

    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.bound |= p.ident == *self.name;
        visit::visit_pat_ident(self, p);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.is_ident(self.name) {
            self.alone |= self.function.is_some();
        } else {
            self.called |= path.segments.iter().any(|s| s.ident == *self.name);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.called |= mentions(&mac.tokens, self.name);
    }
}

/// A known type as one would write it.
pub(crate) fn written(ty: &Ty) -> Option<syn::Type> {
    Some(match ty {
        Ty::Float(Width::F64) => syn::parse_quote!(f64),
        Ty::Float(Width::F32) => syn::parse_quote!(f32),
        Ty::Vec(elem) => {
            let elem = written(elem).unwrap_or_else(|| syn::parse_quote!(_));
            syn::parse_quote!(Vec<#elem>)
        }
        Ty::Tuple(parts) if !parts.is_empty() => {
            let parts = parts
                .iter()
                .map(|ty| written(ty).unwrap_or_else(|| syn::parse_quote!(_)));
            syn::parse_quote!((#(#parts,)*))
        }
        _ => return None,
    })
}

/// The generic parameters that a caller may name: types and constants.
pub(crate) fn named(generics: &syn::Generics) -> impl Iterator<Item = &proc_macro2::Ident> {
    generics.params.iter().filter_map(|p| match p {
        syn::GenericParam::Type(p) => Some(&p.ident),
        syn::GenericParam::Const(p) => Some(&p.ident),
        syn::GenericParam::Lifetime(_) => None,
    })
}

/// The name of the type.
pub(crate) const TENSOR: &str = "Tensor";

/// Functions of traits of std that lend, whose derivatives are those of operators.
const OF_OPERATORS: &[&str] = &["as_ref", "borrow", "deref", "index"];

/// Whether a type is a reference to what holds no float and outlives all calls, as `&'static str`.
pub(crate) fn is_constant_of_program(ty: &syn::Type) -> bool {
    match ty {
        syn::Type::Reference(r) => {
            let lasts = r.lifetime.as_ref().is_some_and(|l| l.ident == "static");
            lasts && r.mutability.is_none() && read(&r.elem).is_inert()
        }
        _ => false,
    }
}

/// Whether a function lends what does not show its floats, as `&str`, which callers have without derivatives.
pub(crate) fn lends_constant(sig: &syn::Signature) -> bool {
    match &sig.output {
        syn::ReturnType::Type(_, ty) => {
            let lends = matches!(&**ty, syn::Type::Reference(r) if !shows_floats(&r.elem));
            lends && !is_constant_of_program(ty)
        }
        syn::ReturnType::Default => false,
    }
}

/// Whether a function of a block has something to differentiate, as far as its signature shows.
pub(crate) fn worthwhile(sig: &syn::Signature) -> bool {
    let mut inputs = false;
    let mut writes = false;
    for input in &sig.inputs {
        let (ty, mutable) = match input {
            syn::FnArg::Receiver(r) => (
                if r.attrs.iter().any(|a| a.path().is_ident("constant")) {
                    Ty::Inert
                } else {
                    Ty::User
                },
                matches!(&r.kind, syn::ReceiverKind::Reference(_, _, Some(_))),
            ),
            syn::FnArg::Typed(arg) => {
                let mutable = matches!(&*arg.ty, syn::Type::Reference(r) if r.mutability.is_some());
                let constant = arg.attrs.iter().any(|a| a.path().is_ident("constant"));
                let ty = if constant { Ty::Inert } else { read(&arg.ty) };
                (ty, mutable)
            }
        };
        inputs |= !ty.is_inert();
        writes |= mutable && !ty.is_inert();
    }
    let output = match &sig.output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => match &**ty {
            syn::Type::Reference(r) => {
                let of_operator = OF_OPERATORS.iter().any(|name| sig.ident == name);
                if r.mutability.is_some() || of_operator || !shows_floats(&r.elem) {
                    return false;
                }
                true
            }
            syn::Type::ImplTrait(_) => false,
            result if is_result(result) => match value_of(result) {
                Some(value) => !read(value).is_inert(),
                None => true,
            },
            syn::Type::Path(p) => {
                let last = p.path.segments.last().map(|s| s.ident.to_string());
                !read(ty).is_inert() && !last.is_some_and(|name| is_hiding(&name))
            }
            ty => !read(ty).is_inert(),
        },
    };
    inputs && (output || writes)
}

/// Gives each parameter a plain name, to pass it on.
pub(crate) fn passed_on(sig: &mut syn::Signature) -> Vec<TokenStream> {
    let inputs = sig.inputs.iter_mut().enumerate();
    inputs
        .map(|(k, input)| match input {
            syn::FnArg::Receiver(receiver) => {
                receiver.mutability = None;
                receiver.self_token.to_token_stream()
            }
            syn::FnArg::Typed(arg) => {
                let name = format_ident!("__{k}");
                *arg.pat = syn::parse_quote!(#name);
                name.to_token_stream()
            }
        })
        .collect()
}

/// Whether a type is named like a result.
pub(crate) fn is_result(ty: &syn::Type) -> bool {
    last(strip_groups(ty)).is_some_and(|last| last.ident.to_string().ends_with("Result"))
}

/// What a result is of, where it is written.
pub(crate) fn value_of(ty: &syn::Type) -> Option<&syn::Type> {
    argument_of(strip_groups(ty)).filter(|_| is_result(ty))
}

/// All bounds of a type parameter.
pub(crate) fn bounds<'a>(
    generics: &'a syn::Generics,
    name: &'a Ident,
) -> Vec<&'a syn::TypeParamBound> {
    let inline = generics.type_params().filter(|p| p.ident == *name);
    let inline = inline.flat_map(|p| &p.bounds);
    inline.chain(predicates(generics, name)).collect()
}

/// The bounds of a type parameter in the `where` clause.
pub(crate) fn predicates<'a>(
    generics: &'a syn::Generics,
    name: &'a Ident,
) -> impl Iterator<Item = &'a syn::TypeParamBound> {
    generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
        .filter_map(move |predicate| match predicate {
            syn::WherePredicate::Type(p) if is_named(&p.bounded_ty, name) => Some(&p.bounds),
            _ => None,
        })
        .flatten()
}

/// Traits of the standard library and of crates that are known, which say of a type that it is a number.
const OF_NUMBERS: &[&str] = &[
    "Add",
    "AddAssign",
    "ComplexField",
    "Div",
    "DivAssign",
    "Float",
    "FloatCore",
    "Mul",
    "MulAdd",
    "MulAssign",
    "Neg",
    "Num",
    "NumCast",
    "Product",
    "Real",
    "RealField",
    "Rem",
    "RemAssign",
    "Sub",
    "SubAssign",
    "Sum",
];

/// Traits that other types have as well.
const OF_TYPES: &[&str] = &[
    "Bounded",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Differentiable",
    "Display",
    "Eq",
    "FloatConst",
    "From",
    "FromPrimitive",
    "Hash",
    "Into",
    "One",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Scalar",
    "Send",
    "Signed",
    "Sized",
    "Sync",
    "ToPrimitive",
    "Unpin",
    "Zero",
];

/// The one bound of these type parameters that may be a trait of the user's own, beside those of a number.
pub(crate) fn beside_numbers(generics: &syn::Generics, params: &[Ident]) -> Option<Ident> {
    let bounds = generics
        .type_params()
        .filter(|param| params.contains(&param.ident))
        .flat_map(|param| {
            param
                .bounds
                .iter()
                .chain(predicates(generics, &param.ident))
        });
    let named = bounds.filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound.path.segments.last(),
        _ => None,
    });
    let is = |names: &[&str], name: &Ident| names.iter().any(|of| name == of);
    let (numbers, others): (Vec<_>, Vec<_>) = named
        .map(|segment| segment.ident.clone())
        .filter(|name| !is(OF_TYPES, name))
        .partition(|name| is(OF_NUMBERS, name));
    match &others[..] {
        [one] if !numbers.is_empty() => Some(one.clone()),
        _ => None,
    }
}

/// The list that a bound converts from or into, `From<[f64; 3]>`.
pub(crate) fn list_of(bound: &syn::TypeParamBound) -> Option<&syn::Type> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last()?;
    let converts = last.ident == "From" || last.ident == "Into";
    argument(last).filter(|ty| {
        converts
            && matches!(
                strip(ty),
                syn::Type::Array(_) | syn::Type::Tuple(_) | syn::Type::Slice(_)
            )
    })
}

/// Whether a bound of a type parameter says what another one is, `S: Data<Elem = T>`; `Mul<T, Output = T>` asks for it first.
pub(crate) fn tells(name: &Ident, other: &Ident, generics: &syn::Generics) -> bool {
    bounds(generics, name).into_iter().any(|bound| {
        let arguments = match bound {
            syn::TypeParamBound::Trait(bound) => {
                bound.path.segments.last().map(|last| &last.arguments)
            }
            _ => None,
        };
        let Some(syn::PathArguments::AngleBracketed(written)) = arguments else {
            return false;
        };
        let asks = |argument: &syn::GenericArgument| {
            matches!(argument, syn::GenericArgument::Type(ty) if mentions(&ty.to_token_stream(), other))
        };
        let says = |argument: &syn::GenericArgument| {
            matches!(argument, syn::GenericArgument::AssocType(of) if is_named(&of.ty, other))
        };
        written.args.iter().any(says) && !written.args.iter().any(asks)
    })
}

/// The bounds of a type parameter that may be traits of the user's own.
pub(crate) fn own_traits(name: &Ident, generics: [&syn::Generics; 2]) -> Vec<syn::Path> {
    let bounds = generics.into_iter().flat_map(|g| bounds(g, name));
    own_traits_among(bounds).cloned().collect()
}

/// Those of some bounds that may be traits of the user's own.
pub(crate) fn own_traits_among<'a>(
    bounds: impl IntoIterator<Item = &'a syn::TypeParamBound>,
) -> impl Iterator<Item = &'a syn::Path> {
    let paths = bounds.into_iter().filter_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => Some(&bound.path),
        _ => None,
    });
    let known = |path: &&syn::Path| {
        let mut known = OF_TYPES.iter().chain(OF_NUMBERS);
        let last = path.segments.last();
        last.is_some_and(|last| known.any(|name| last.ident == name))
    };
    paths.filter(move |path| !known(path))
}

/// Is the type this type parameter?
pub(crate) fn is_named(ty: &syn::Type, name: &Ident) -> bool {
    matches!(strip(ty), syn::Type::Path(p) if p.qself.is_none() && p.path.is_ident(name))
}

/// What `Self` is called while the derivatives of a method are made, so that it is not mistaken for theirs.
pub(crate) const OWNER: &str = "__SelfType";
