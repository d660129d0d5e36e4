//! What runs over the elements of an array of more than one axis: chains and loops walk by one index, so they run over what it is flattened to.
//!
//! Of which rank an array is the macro sees of parameters and of what is computed of them alone; rustc refuses the others.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use rustc_hash::FxHashMap;
use syn::visit_mut::{self, VisitMut};

use crate::features::features;
use crate::function::GradFn;
use crate::types;

/// How many axes an array has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rank {
    One,
    Two,
    /// More, or any number.
    Other,
}

/// Writes `a.iter()` as `a.flatten().iter()`, and with it what else runs over elements.
pub(crate) fn flatten(body: &mut syn::Block, function: &GradFn) {
    if !features().matrices() {
        return;
    }
    let params = function.params.iter();
    let known = params.filter_map(|p| Some((p.name.to_string(), of_type(&p.written)?)));
    let params = function.params.iter();
    let matrices = params.filter(|p| is_matrix(&p.written));
    let mut walk = Walk {
        known: known.collect(),
        matrices: matrices.map(|p| p.name.to_string()).collect(),
    };
    walk.visit_block_mut(body);
}

/// The rank that a type says.
fn of_type(ty: &syn::Type) -> Option<Rank> {
    let ty = match types::strip(ty) {
        syn::Type::Reference(r) => types::strip(&r.elem),
        other => other,
    };
    let syn::Type::Path(path) = ty else {
        return None;
    };
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    let rest = name.strip_prefix("Array")?;
    let rest = rest.strip_prefix("View").unwrap_or(rest);
    let rest = rest.strip_prefix("Mut").unwrap_or(rest);
    match rest {
        // `Array<f64, Ix2>`
        "" | "Base" => {
            let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
                return None;
            };
            // Of a type parameter any number.
            let axes = args.args.iter().nth(1)?.to_token_stream().to_string();
            Some(
                axes.strip_prefix("Ix")
                    .and_then(of_axes)
                    .unwrap_or(Rank::Other),
            )
        }
        axes => of_axes(axes),
    }
}

fn of_axes(axes: &str) -> Option<Rank> {
    match axes {
        "1" => Some(Rank::One),
        "2" => Some(Rank::Two),
        "3" | "4" | "5" | "6" | "D" | "Dyn" => Some(Rank::Other),
        _ => None,
    }
}

/// Whether a type is a vector or a matrix of nalgebra, by its name.
fn is_matrix(ty: &syn::Type) -> bool {
    let ty = match types::strip(ty) {
        syn::Type::Reference(r) => types::strip(&r.elem),
        other => other,
    };
    let last = match ty {
        syn::Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    features().nalgebra
        && last.is_some_and(|last| {
            let name = last.ident.to_string();
            let kind = name
                .trim_start_matches("Row")
                .trim_start_matches(['D', 'S']);
            let size = ["Matrix", "Vector"]
                .iter()
                .find_map(|of| kind.strip_prefix(of));
            size.is_some_and(|size| size.chars().all(|c| "123456xX".contains(c)))
        })
}

struct Walk {
    /// Variables that are arrays, each with a name of its own.
    known: FxHashMap<String, Rank>,
    /// Those that are vectors or matrices of nalgebra.
    matrices: Vec<String>,
}

impl Walk {
    /// The rank of what an expression yields, where that is seen.
    fn rank(&self, e: &syn::Expr) -> Option<Rank> {
        match e {
            syn::Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                self.known.get(&name).copied()
            }
            syn::Expr::Paren(e) => self.rank(&e.expr),
            syn::Expr::Group(e) => self.rank(&e.expr),
            syn::Expr::Reference(e) => self.rank(&e.expr),
            syn::Expr::Unary(e) => self.rank(&e.expr),
            // `Array2::zeros(…)`
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => {
                    let of = path.path.segments.iter().rev().nth(1)?.ident.to_string();
                    of_axes(of.strip_prefix("Array")?)
                }
                _ => None,
            },
            // One that is broadcast has as many axes as the other or fewer.
            syn::Expr::Binary(e) => match (self.rank(&e.left), self.rank(&e.right)) {
                (Some(a), Some(b)) if a != b => Some(if a == Rank::One { b } else { a }),
                (a, b) => a.or(b),
            },
            syn::Expr::MethodCall(m) => {
                let of = self.rank(&m.receiver)?;
                let name = m.method.to_string();
                match (name.as_str(), m.args.len()) {
                    ("clone" | "to_owned" | "into_owned" | "view" | "t" | "reversed_axes", 0)
                    | ("map" | "mapv" | "mapv_into", 1) => Some(of),
                    ("dot", 1) => {
                        let with = self.rank(&m.args[0])?;
                        ([of, with] == [Rank::Two; 2]).then_some(Rank::Two)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What runs over its elements by one index.
    fn elements(&self, of: &syn::Expr) -> Option<TokenStream> {
        Some(match self.rank(of)? {
            Rank::One => quote!(#of.iter()),
            _ => quote!(#of.flatten().iter()),
        })
    }

    /// What a chain is given to be zipped with, or a loop to run over.
    fn given(&self, e: &mut syn::Expr) {
        let of = match &*e {
            syn::Expr::Reference(r) if r.mutability.is_none() => &*r.expr,
            other => other,
        };
        if self.rank(of).is_some_and(|rank| rank != Rank::One) {
            if let Some(elements) = self.elements(of) {
                *e = syn::Expr::Verbatim(elements);
                reparse(e);
            }
        }
    }

    /// The numbers of a vector as a list that is lent, for `x.as_slice()`, or of an array `x.as_slice().unwrap()`.
    fn slice(&self, e: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::MethodCall(m) = e else {
            return None;
        };
        let unwrapped = m.method == "unwrap" || m.method == "expect";
        let of = match &*m.receiver {
            syn::Expr::MethodCall(of) if unwrapped => of,
            _ => m,
        };
        if of.method != "as_slice" || !of.args.is_empty() {
            return None;
        }
        let list = &of.receiver;
        let known = if unwrapped {
            self.rank(list) == Some(Rank::One)
        } else {
            matches!(&**list, syn::Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.matrices.iter().any(|known| name == known)))
        };
        known.then(|| syn::parse_quote!(&#list.iter().copied().collect::<Vec<_>>()))
    }

    /// What a method call runs over.
    fn written(&self, m: &syn::ExprMethodCall) -> Option<TokenStream> {
        let of = &*m.receiver;
        let rank = self.rank(of)?;
        match (m.method.to_string().as_str(), m.args.len()) {
            ("iter", 0) if rank != Rank::One => self.elements(of),
            ("fold", 2) => {
                let (elements, args) = (self.elements(of)?, &m.args);
                Some(quote!(#elements.fold(#args)))
            }
            // The closure is lent each element.
            ("map", 1) if rank != Rank::One => {
                let syn::Expr::Closure(closure) = &m.args[0] else {
                    return None;
                };
                let (pat, body) = (closure.inputs.first()?, &closure.body);
                Some(match pat {
                    syn::Pat::Reference(lent) => {
                        let pat = &lent.pat;
                        quote!(#of.mapv(|#pat| #body))
                    }
                    _ => quote!(#of.mapv(|__x| { let #pat = &__x; #body })),
                })
            }
            ("to_vec", 0) if rank == Rank::One => {
                Some(quote!(#of.iter().copied().collect::<Vec<_>>()))
            }
            ("rows", 0) if rank == Rank::Two => Some(quote!(#of.outer_iter().into_iter())),
            ("columns", 0) if rank == Rank::Two => Some(quote!(#of.t().outer_iter().into_iter())),
            ("indexed_iter", 0) => match rank {
                Rank::One => Some(quote!(#of.iter().enumerate())),
                Rank::Two if matches!(of, syn::Expr::Path(_)) => Some(quote! {
                    #of.flatten().iter().enumerate().map(|(__k, __x)| ((__k / #of.ncols(), __k % #of.ncols()), __x))
                }),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Reads what was written as tokens.
fn reparse(e: &mut syn::Expr) {
    if let Ok(read) = syn::parse2(e.to_token_stream()) {
        *e = read;
    }
}

impl VisitMut for Walk {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        visit_mut::visit_local_mut(self, local);
        let (pat, said) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, of_type(&typed.ty)),
            pat => (pat, None),
        };
        let rank = said.or_else(|| self.rank(&local.init.as_ref()?.expr));
        if let (syn::Pat::Ident(name), Some(rank)) = (pat, rank) {
            self.known.insert(name.ident.to_string(), rank);
        }
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.given(&mut e.expr);
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    // A slice that is lent to a function: elsewhere it stands for the vector.
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        for arg in &mut call.args {
            if let Some(slice) = self.slice(arg) {
                *arg = slice;
            }
        }
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        visit_mut::visit_expr_mut(self, e);
        let syn::Expr::MethodCall(m) = e else {
            return;
        };
        if m.method == "zip" && m.args.len() == 1 {
            self.given(&mut m.args[0]);
        }
        if let Some(written) = self.written(m) {
            *e = syn::Expr::Verbatim(written);
            reparse(e);
        }
    }
}
