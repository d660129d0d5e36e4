//! `Zip` of ndarray, which goes through the elements of several arrays at once: a loop over their indices.
//!
//! A closure is lent elements, and some of them to write; rustc checks that `Zip` is the crate's.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::parse::Parser;

use crate::features::features;
use crate::syntax;

/// How many axes an array has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    One,
    Two,
    /// More, or any number.
    Other,
}

/// What the arrays of a function are, as far as it is seen.
pub(crate) trait Arrays {
    /// How many axes an array has.
    fn rank(&self, e: &syn::Expr) -> Option<Rank>;
    /// Whether a variable is lent to be written to.
    fn is_lent_to_write(&self, name: &Ident) -> bool;
}

/// Whether a macro is named like the one that stands for such methods.
pub(crate) fn is_zip(mac: &syn::Macro) -> bool {
    let last = mac.path.segments.last();
    features().ndarray && last.is_some_and(|s| s.ident == "azip")
}

/// What such a macro is given: patterns, arrays, whether the first pattern is that of the index, and what is done in each round.
type Given = (Vec<syn::Pat>, Vec<syn::Expr>, bool, syn::Expr);

/// `azip!((o in &mut out, &x in a) *o += x)` as the methods that it stands for.
pub(crate) fn open(mac: &syn::Macro) -> Option<syn::Expr> {
    if !is_zip(mac) {
        return None;
    }
    let parser = |input: syn::parse::ParseStream<'_>| -> syn::Result<Given> {
        let given;
        syn::parenthesized!(given in input);
        let (mut pats, mut arrays, mut indexed) = (Vec::new(), Vec::new(), false);
        while !given.is_empty() {
            let fork = given.fork();
            let named = pats.is_empty() && fork.parse::<Ident>().is_ok_and(|word| word == "index");
            // A variable may be called so.
            if named && !fork.peek(syn::Token![in]) {
                given.parse::<Ident>()?;
                indexed = true;
                pats.push(syn::Pat::parse_single(&given)?);
                given.parse::<syn::Token![,]>()?;
                continue;
            }
            pats.push(syn::Pat::parse_single(&given)?);
            given.parse::<syn::Token![in]>()?;
            arrays.push(given.parse()?);
            if !given.is_empty() {
                given.parse::<syn::Token![,]>()?;
            }
        }
        Ok((pats, arrays, indexed, input.parse()?))
    };
    let (pats, arrays, indexed, body) = parser.parse2(mac.tokens.clone()).ok()?;
    let begin = format_ident!("{}", if indexed { "indexed" } else { "from" });
    let path = quote!(rt::linalg::ndarray::Zip::#begin);
    let (first, rest) = arrays.split_first()?;
    Some(syn::parse_quote!(#path(#first)#(.and(#rest))*.for_each(|#(#pats),*| #body)))
}

/// An array that is gone through, or the rows of one.
enum Part {
    Elements {
        of: syn::Expr,
        written: bool,
        rank: Option<Rank>,
    },
    /// One row or column of a matrix, to write: its number.
    RowToWrite(syn::Expr, Box<syn::Expr>),
    ColumnToWrite(syn::Expr, Box<syn::Expr>),
    Rows(syn::Expr),
    Columns(syn::Expr),
}

/// What such a chain of methods computes, if it is one and enough is seen of its arrays; `number` tells it from others of the function.
pub(crate) fn written(
    m: &syn::ExprMethodCall,
    arrays: &dyn Arrays,
    number: usize,
) -> Option<syn::Expr> {
    let end = m.method.to_string();
    let mut given = Vec::new();
    let mut at = &*m.receiver;
    let (path, indexed) = loop {
        match at {
            syn::Expr::MethodCall(and) if and.method == "and" && and.args.len() == 1 => {
                given.push(&and.args[0]);
                at = &and.receiver;
            }
            syn::Expr::Call(call) if call.args.len() == 1 => {
                let syn::Expr::Path(path) = &*call.func else {
                    return None;
                };
                let names: Vec<_> = path.path.segments.iter().map(|s| &s.ident).collect();
                let [.., of, begin] = names[..] else {
                    return None;
                };
                if of != "Zip" || begin != "from" && begin != "indexed" {
                    return None;
                }
                given.push(&call.args[0]);
                break (&path.path, begin == "indexed");
            }
            _ => return None,
        }
    };
    given.reverse();
    let (init, closure) = match (end.as_str(), m.args.len()) {
        ("for_each" | "par_for_each" | "map_collect" | "par_map_collect", 1) => (None, &m.args[0]),
        ("fold", 2) => (Some(&m.args[0]), &m.args[1]),
        _ => return None,
    };
    let syn::Expr::Closure(closure) = syntax::peel(closure) else {
        return None;
    };
    let mut zip = Zip {
        number,
        lets: TokenStream::new(),
        count: 0,
        arrays,
    };
    let parts: Vec<Part> = given.iter().map(|e| zip.part(e)).collect::<Option<_>>()?;
    let mut pats: Vec<&syn::Pat> = closure.inputs.iter().collect();
    let others = usize::from(init.is_some()) + usize::from(indexed);
    if pats.len() != parts.len() + others {
        return None;
    }
    let carried = init.map(|_| pats.remove(0));
    let index = indexed.then(|| pats.remove(0));
    let of_index = match index {
        Some(syn::Pat::Ident(_)) => Some(Rank::One),
        Some(syn::Pat::Tuple(pair)) if pair.elems.len() == 2 => Some(Rank::Two),
        _ => None,
    };
    let rank = parts.iter().find_map(Part::rank).or(of_index)?;
    if rank == Rank::Other || index.is_some() && of_index != Some(rank) {
        return None;
    }
    let [i, j] = ["i", "j"].map(|axis| format_ident!("__zip_{number}_{axis}"));
    let at = match rank {
        Rank::One => quote!([#i]),
        _ => quote!([[#i, #j]]),
    };
    let (mut before, mut after) = (TokenStream::new(), TokenStream::new());
    if let Some(pat) = index {
        before.extend(match rank {
            Rank::One => quote!(let #pat = #i;),
            _ => quote!(let #pat = (#i, #j);),
        });
    }
    for (k, (pat, part)) in pats.into_iter().zip(&parts).enumerate() {
        let element = format_ident!("__zip_{number}_{k}");
        let (of, written) = match part {
            Part::Elements { of, written, .. } => (quote!(#of #at), *written),
            Part::RowToWrite(of, row) => (quote!(#of[[#row, #i]]), true),
            Part::ColumnToWrite(of, column) => (quote!(#of[[#i, #column]]), true),
            Part::Rows(of) => {
                before.extend(quote!(let #pat = #of.row(#i);));
                continue;
            }
            Part::Columns(of) => {
                before.extend(quote!(let #pat = #of.column(#i);));
                continue;
            }
        };
        match pat {
            syn::Pat::Reference(lent) => {
                let pat = &lent.pat;
                before.extend(quote!(let #pat = #of;));
            }
            pat if written => {
                before.extend(quote!(let mut #element = #of; let #pat = &mut #element;));
                after.extend(quote!(#of = #element;));
            }
            pat => before.extend(quote!(let #element = #of; let #pat = &#element;)),
        }
    }
    let body = &closure.body;
    let lengths: Vec<TokenStream> = parts.iter().map(|part| lengths(part, rank)).collect();
    let (first, rest) = lengths.split_first()?;
    let lets = &zip.lets;
    let around = |round: TokenStream| match rank {
        Rank::One => quote!(for #i in 0..#first.0 { #round }),
        _ => quote!(for #i in 0..#first.0 { for #j in 0..#first.1 { #round } }),
    };
    let checks = quote! {
        #(::core::assert!(#rest == #first, "arrays of different shapes");)*
    };
    let of_crate = of_crate(path);
    let list = format_ident!("__zip_{number}");
    let all = match end.as_str() {
        "for_each" | "par_for_each" => {
            let rounds = around(quote!(#before #body; #after));
            quote!({ #of_crate #lets #checks #rounds })
        }
        "fold" => {
            let (init, pat) = (init?, carried?);
            let rounds = around(quote!(#before #list = { let #pat = #list; #body }; #after));
            quote!({ #of_crate #lets #checks let mut #list = #init; #rounds #list })
        }
        _ => {
            let made = format_ident!("__zip_{number}_made");
            let rounds = around(quote!(#before let #made = #body; #list.push(#made); #after));
            let array = match rank {
                Rank::One => quote!(rt::linalg::ndarray::Array1::<_>::from_vec(#list)),
                _ => {
                    quote!(rt::linalg::ndarray::Array2::<_>::of_entries(#first.0, #first.1, #list))
                }
            };
            quote!({ #of_crate #lets #checks let mut #list = Vec::new(); #rounds #array })
        }
    };
    syn::parse2(all).ok()
}

/// What makes rustc check that a path to a function of `Zip` is one of the crate's.
fn of_crate(path: &syn::Path) -> TokenStream {
    let mut ty = path.clone();
    ty.segments.pop();
    ty.segments.pop_punct();
    let (zip, one) = (
        quote!(rt::linalg::ndarray::Zip),
        quote!(rt::linalg::ndarray::Ix1),
    );
    quote!(const _: fn(#zip<(), #one>) = |_: #ty<(), #one>| ();)
}

/// How long an array is along each of its axes, as a tuple.
fn lengths(part: &Part, rank: Rank) -> TokenStream {
    match part {
        Part::Elements { of, .. } if rank == Rank::One => quote!((#of.len(),)),
        Part::Elements { of, .. } => quote!((#of.nrows(), #of.ncols())),
        Part::RowToWrite(of, _) | Part::Columns(of) => quote!((#of.ncols(),)),
        Part::ColumnToWrite(of, _) | Part::Rows(of) => quote!((#of.nrows(),)),
    }
}

impl Part {
    fn rank(&self) -> Option<Rank> {
        match self {
            Part::Elements { rank, .. } => *rank,
            _ => Some(Rank::One),
        }
    }
}

struct Zip<'a> {
    number: usize,
    /// Variables for arrays that are computed, and how many there are.
    lets: TokenStream,
    count: usize,
    arrays: &'a dyn Arrays,
}

impl Zip<'_> {
    fn part(&mut self, e: &syn::Expr) -> Option<Part> {
        let (of, written) = match syntax::peel(e) {
            syn::Expr::Reference(r) => (syntax::peel(&r.expr), r.mutability.is_some()),
            syn::Expr::Path(p) => {
                let lent = p
                    .path
                    .get_ident()
                    .is_some_and(|name| self.arrays.is_lent_to_write(name));
                (syntax::peel(e), lent)
            }
            other => (other, false),
        };
        if let syn::Expr::MethodCall(m) = of {
            let base = || is_place(&m.receiver).then(|| (*m.receiver).clone());
            let first = || m.args.first().map(|e| Box::new(e.clone()));
            match (m.method.to_string().as_str(), m.args.len()) {
                ("view" | "view_mut", 0) => {
                    let to_write = m.method == "view_mut";
                    let of = base()?;
                    let rank = self.arrays.rank(&of);
                    return Some(Part::Elements {
                        of,
                        written: to_write,
                        rank,
                    });
                }
                ("rows" | "outer_iter" | "genrows", 0) => return base().map(Part::Rows),
                ("columns" | "gencolumns", 0) => return base().map(Part::Columns),
                ("row_mut", 1) => return Some(Part::RowToWrite(base()?, first()?)),
                ("column_mut", 1) => return Some(Part::ColumnToWrite(base()?, first()?)),
                _ => {}
            }
        }
        let rank = self.arrays.rank(of);
        if is_place(of) {
            let of = of.clone();
            return Some(Part::Elements { of, written, rank });
        }
        if written {
            return None;
        }
        let name = format_ident!("__zip_{}_of_{}", self.number, self.count);
        self.count += 1;
        self.lets.extend(quote!(let #name = #of;));
        let of = syn::parse_quote!(#name);
        Some(Part::Elements { of, written, rank })
    }
}

/// Whether its elements can be read again and again: a variable, or a field of one.
fn is_place(e: &syn::Expr) -> bool {
    match syntax::peel(e) {
        syn::Expr::Path(p) => p.path.get_ident().is_some(),
        syn::Expr::Field(f) => is_place(&f.base),
        _ => false,
    }
}
