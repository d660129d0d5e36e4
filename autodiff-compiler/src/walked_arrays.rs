//! What runs over the elements of an array of more than one axis: chains and loops walk by one index, so they run over what it is flattened to.
//!
//! What is done to each element by one method of the array, `a.exp()`, `a.mapv_inplace(f)`, is written as what has rules, and so is an array that a chain is collected to.
//!
//! Of which rank an array is the macro sees of parameters and of what is computed of them alone; rustc refuses the others.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use rustc_hash::FxHashMap;

use crate::features::features;
use crate::function::{By, GradFn};
use crate::matrices;
use crate::syntax;
use crate::types;
use crate::visit_mut::{self, VisitMut};
use crate::zipped_arrays::{self, Arrays, Rank};

/// Writes `a.iter()` as `a.flatten().iter()`, and with it what else runs over elements.
pub(crate) fn flatten(body: &mut syn::Block, function: &GradFn) {
    if !features().matrices() {
        return;
    }
    let params = function.params.iter();
    let known = params.filter_map(|p| Some((p.name.to_string(), of_type(&p.written)?)));
    let params = function.params.iter();
    let matrices = params.filter(|p| is_matrix(&p.written));
    let params = function.params.iter();
    let to_write = params.filter(|p| p.by == By::Mut);
    let mut walk = Walk {
        known: known.collect(),
        matrices: matrices.map(|p| p.name.to_string()).collect(),
        to_write: to_write.map(|p| p.name.to_string()).collect(),
        zips: 0,
    };
    walk.visit_block_mut(body);
    let array = match &function.item.sig.output {
        syn::ReturnType::Type(_, ty) => of_type(ty) == Some(Rank::One),
        syn::ReturnType::Default => false,
    };
    if let (true, Some(syn::Stmt::Expr(value, None))) = (array, body.stmts.last_mut()) {
        Walk::collected(value);
    }
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

/// What `s![0, 1.., ..;2]` leaves of an array: an axis for each range, none for an index.
fn of_slice(places: &syn::Expr) -> Option<Rank> {
    let syn::Expr::Macro(places) = syntax::peel(places) else {
        return None;
    };
    let (mut axes, mut kept, mut before) = (0, false, None);
    let tokens = places.mac.tokens.clone().into_iter();
    for token in tokens.map(|token| token.to_string()) {
        kept |= token == "NewAxis" || token == "." && before.as_deref() == Some(".");
        if token == "," {
            axes += usize::from(std::mem::take(&mut kept));
        }
        before = Some(token);
    }
    match axes + usize::from(kept) {
        0 => None,
        1 => Some(Rank::One),
        2 => Some(Rank::Two),
        _ => Some(Rank::Other),
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
    features().nalgebra && last.is_some_and(|last| is_named_matrix(&last.ident))
}

fn is_named_matrix(name: &Ident) -> bool {
    let name = name.to_string();
    let kind = name
        .trim_start_matches("Row")
        .trim_start_matches(['D', 'S']);
    let size = ["Matrix", "Vector"]
        .iter()
        .find_map(|of| kind.strip_prefix(of));
    size.is_some_and(|size| size.chars().all(|c| "123456xX".contains(c)))
}

/// `DMatrix::from_fn(n, n, |i, j| …)`: what the closure is given are indices.
fn say_indices(call: &mut syn::ExprCall) {
    let syn::Expr::Path(path) = &*call.func else {
        return;
    };
    let mut names = path.path.segments.iter().rev().map(|s| &s.ident);
    let of_matrix = names.next().is_some_and(|name| name == "from_fn")
        && names.next().is_some_and(is_named_matrix);
    if let (true, Some(syn::Expr::Closure(closure))) = (of_matrix, call.args.last_mut()) {
        for pat in &mut closure.inputs {
            if matches!(pat, syn::Pat::Ident(_) | syn::Pat::Wild(_)) {
                *pat = syn::Pat::Type(syn::parse_quote!(#pat: usize));
            }
        }
    }
}

struct Walk {
    /// Variables that are arrays, each with a name of its own.
    known: FxHashMap<String, Rank>,
    /// Those that are vectors or matrices of nalgebra.
    matrices: Vec<String>,
    /// What is lent to be written to.
    to_write: Vec<String>,
    /// How many chains of `Zip` there are so far.
    zips: usize,
}

impl Arrays for Walk {
    fn is_lent_to_write(&self, name: &Ident) -> bool {
        self.to_write.iter().any(|lent| name == lent)
    }

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
            syn::Expr::MethodCall(m) if m.method == "slice" => of_slice(m.args.first()?),
            syn::Expr::MethodCall(m) => {
                let of = self.rank(&m.receiver)?;
                let name = m.method.to_string();
                let fewer = match of {
                    Rank::Two => Some(Rank::One),
                    _ => None,
                };
                match (name.as_str(), m.args.len()) {
                    (
                        "clone" | "to_owned" | "into_owned" | "view" | "t" | "reversed_axes"
                        | "unwrap",
                        0,
                    )
                    | ("map" | "mapv" | "mapv_into" | "expect", 1) => Some(of),
                    ("row" | "column" | "sum_axis" | "mean_axis", 1)
                    | ("index_axis" | "var_axis" | "std_axis", 2) => fewer,
                    ("diag" | "flatten", 0) => Some(Rank::One),
                    ("dot", 1) => match [of, self.rank(&m.args[0])?] {
                        [Rank::Two, with] => Some(with),
                        [Rank::One, Rank::Two] => Some(Rank::One),
                        _ => None,
                    },
                    (name, count) if matrices::is_by_element(name, count) => Some(of),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Walk {
    /// What runs over its elements by one index.
    fn elements(&self, of: &syn::Expr) -> Option<TokenStream> {
        let sliced = matches!(of, syn::Expr::MethodCall(m) if m.method == "slice");
        Some(match self.rank(of)? {
            Rank::One => quote!(#of.iter()),
            // What is flattened may borrow from the view, which nothing else holds.
            _ if sliced => quote!(#of.flatten().to_owned().iter()),
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
            matches!(&**list, syn::Expr::Path(_)) && self.is_matrix(list)
        };
        known.then(|| syn::parse_quote!(&#list.iter().copied().collect::<Vec<_>>()))
    }

    /// Whether an expression yields a vector or a matrix of nalgebra, where that is seen.
    fn is_matrix(&self, e: &syn::Expr) -> bool {
        match syntax::peel(e) {
            syn::Expr::Path(path) => {
                let name = path.path.get_ident();
                name.is_some_and(|name| self.matrices.iter().any(|known| name == known))
            }
            syn::Expr::Reference(e) => self.is_matrix(&e.expr),
            syn::Expr::Unary(e) => self.is_matrix(&e.expr),
            syn::Expr::Binary(e) => self.is_matrix(&e.left) || self.is_matrix(&e.right),
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) => {
                    let of = path.path.segments.iter().rev().nth(1);
                    features().nalgebra && of.is_some_and(|of| is_named_matrix(&of.ident))
                }
                _ => false,
            },
            syn::Expr::MethodCall(m) => {
                let of_two = m.args.first().filter(|_| m.method == "tr_mul");
                matrices::yields_matrix(&m.method)
                    && (self.is_matrix(&m.receiver) || of_two.is_some_and(|e| self.is_matrix(e)))
            }
            _ => false,
        }
    }

    /// An array of what a chain yields: it is followed where it is collected to a list.
    fn collected(e: &mut syn::Expr) {
        let chain = match syntax::peel(e) {
            syn::Expr::MethodCall(m) if m.method == "collect" && m.turbofish.is_none() => m,
            _ => return,
        };
        let chain = &chain.receiver;
        *e = syn::parse_quote!(rt::linalg::ndarray::Array1::<_>::from_vec(#chain.collect::<::std::vec::Vec<_>>()));
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
            ("map", 1) => {
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
            // They are functions of the crate, of all elements.
            (name, count) if matrices::is_by_element(name, count) => {
                let (method, args) = (&m.method, &m.args);
                Some(match (name, args.first()) {
                    ("pow2", _) => quote!(#of.mapv(|__x| __x * __x)),
                    (_, Some(with)) => {
                        quote!({ let __with = #with; #of.mapv(|__x| __x.#method(__with)) })
                    }
                    _ => quote!(#of.mapv(|__x| __x.#method())),
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

/// A method that changes all elements of an array, as one that assigns what a function makes of them.
fn in_place(m: &syn::ExprMethodCall) -> Option<syn::Expr> {
    let (of, arg) = (&m.receiver, m.args.first().filter(|_| m.args.len() == 1)?);
    let made = match m.method.to_string().as_str() {
        "mapv_inplace" | "par_mapv_inplace" => quote!(#of.mapv(#arg)),
        "map_inplace" | "par_map_inplace" => {
            let syn::Expr::Closure(closure) = arg else {
                return None;
            };
            let (pat, body) = (closure.inputs.first()?, &closure.body);
            quote!(#of.mapv(|__x| { let mut __y = __x; { let #pat = &mut __y; #body; } __y }))
        }
        _ => return None,
    };
    syn::parse2(quote!({ let __made = #made; #of.assign(&__made); })).ok()
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
        if let (Some(Rank::One), Some(init)) = (said, &mut local.init) {
            Self::collected(&mut init.expr);
        }
        let rank = said.or_else(|| self.rank(&local.init.as_ref()?.expr));
        let matrix = match (&local.pat, &local.init) {
            (syn::Pat::Type(typed), _) => is_matrix(&typed.ty),
            (_, Some(init)) => self.is_matrix(&init.expr),
            _ => false,
        };
        if let (syn::Pat::Ident(name), Some(rank)) = (pat, rank) {
            self.known.insert(name.ident.to_string(), rank);
        }
        if let (syn::Pat::Ident(name), true) = (pat, matrix) {
            self.matrices.push(name.ident.to_string());
        }
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.given(&mut e.expr);
        visit_mut::visit_expr_for_loop_mut(self, e);
    }

    // A slice that is lent to a function: elsewhere it stands for the vector.
    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        say_indices(call);
        for arg in &mut call.args {
            if let Some(slice) = self.slice(arg) {
                *arg = slice;
            }
        }
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::MethodCall(m) = &*e {
            if let Some(written) = zipped_arrays::written(m, self, self.zips) {
                self.zips += 1;
                *e = written;
            } else if let Some(written) = in_place(m) {
                *e = written;
            }
        }
        visit_mut::visit_expr_mut(self, e);
        if let syn::Expr::Index(indexed) = &mut *e {
            if let (syn::Expr::Tuple(at), Some(Rank::Other)) =
                (&*indexed.index, self.rank(&indexed.expr))
            {
                let at = &at.elems;
                *indexed.index = syn::parse_quote!([#at]);
            }
        }
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
