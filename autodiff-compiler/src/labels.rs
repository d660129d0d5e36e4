//! Type parameters that stand for no number, such as the unit in `Quantity<U>`: they only tell types apart.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident};

use crate::features::features;
use crate::types;
use crate::visit::{Enter as _, Other, Visit};

/// Traits with which nothing can be computed.
const PLAIN: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Send",
    "Sized",
    "Sync",
];

/// Traits of what says how long matrices and arrays of other crates are.
const OF_LENGTHS: &[&str] = &["Dim", "DimName", "Dimension", "RemoveAxis"];

/// Whether a bound is about where an array or a matrix has its elements: `Data<Elem = f64>`, `Storage<f64, R, C>`.
fn is_of_storage(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(of) = bound else {
        return false;
    };
    let Some(last) = of.path.segments.last() else {
        return false;
    };
    let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
        return false;
    };
    let elem = |arg: &syn::GenericArgument| matches!(arg, syn::GenericArgument::AssocType(of) if of.ident == "Elem");
    let name = last.ident.to_string();
    let array = ["Data", "DataMut", "DataOwned", "RawData", "RawDataMut"];
    let matrix = ["Storage", "StorageMut", "RawStorage", "RawStorageMut"];
    array.contains(&&*name) && args.args.iter().any(elem)
        || matrix.contains(&&*name) && args.args.len() > 1
}

/// Those of a function; `#[constant]` is removed from them.
pub(crate) fn of_function(f: &mut syn::ItemFn) -> Vec<Ident> {
    let code = f.clone();
    take(&mut f.sig.generics, &code.to_token_stream(), |bare| {
        bare.visit_item_fn(&code);
    })
}

/// Those of an `impl` block and of the functions in it; `#[constant]` is removed from them.
pub(crate) fn of_block(block: &mut syn::ItemImpl) -> Vec<Ident> {
    let code = block.clone();
    let mut labels = take(&mut block.generics, &code.to_token_stream(), |bare| {
        bare.visit_item_impl(&code);
    });
    for item in &mut block.items {
        if let syn::ImplItem::Fn(f) = item {
            let code = f.clone();
            labels.extend(take(&mut f.sig.generics, &code.to_token_stream(), |bare| {
                bare.visit_impl_item_fn(&code);
            }));
        }
    }
    labels
}

fn take(generics: &mut syn::Generics, code: &TokenStream, look: impl Fn(&mut Bare)) -> Vec<Ident> {
    let declared = generics.clone();
    // What has such a parameter for nothing but its name says so.
    let phantom = types::mentions(code, &format_ident!("PhantomData"));
    let mut labels = Vec::new();
    for t in generics.type_params_mut() {
        let count = t.attrs.len();
        t.attrs.retain(|a| !a.path().is_ident("constant"));
        let marked = t.attrs.len() < count;
        let bounds = types::bounds(&declared, &t.ident);
        let of_array =
            |bound: &&syn::TypeParamBound| is_trait_of(OF_LENGTHS, bound) || is_of_storage(bound);
        let counts = features().matrices() && bounds.iter().any(of_array);
        let plain = bounds.is_empty() || phantom && bounds.into_iter().all(is_plain);
        let mut bare = Bare {
            name: t.ident.clone(),
            found: false,
        };
        if marked
            || counts
            || plain && {
                look(&mut bare);
                !bare.found
            }
        {
            labels.push(t.ident.clone());
        }
    }
    labels
}

fn is_plain(bound: &syn::TypeParamBound) -> bool {
    is_trait_of(PLAIN, bound) || !matches!(bound, syn::TypeParamBound::Trait(_))
}

/// Whether a bound is one of the traits.
fn is_trait_of(traits: &[&str], bound: &syn::TypeParamBound) -> bool {
    match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|s| traits.iter().any(|name| s.ident == name))
        }
        _ => false,
    }
}

/// Whether there are values of the type: it stands by itself, or in what holds values.
struct Bare {
    name: Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Bare {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        let Some(last) = ty.path.segments.last() else {
            return;
        };
        self.found |= ty
            .path
            .segments
            .first()
            .is_some_and(|s| s.ident == self.name);
        let holds = ["Vec", "Option", "Box"]
            .iter()
            .any(|name| last.ident == name);
        if let (true, syn::PathArguments::AngleBracketed(args)) = (holds, &last.arguments) {
            self.visit_angle_bracketed_generic_arguments(args);
        }
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::PathArguments(_) => {}
            Other::Generics(_) => {}
            other => other.walk(self),
        }
    }
}
