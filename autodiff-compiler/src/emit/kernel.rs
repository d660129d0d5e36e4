//! Kernels over the entries of tensors: closures of numbers, in which elementary functions are those of `lane`.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::Emit;
use crate::ir::{Map, Op, To, Value};
use crate::maps::IN_LANES;

/// What a kernel computes its functions with.
fn math() -> Ident {
    Ident::new("__math", Span::mixed_site())
}

/// A function in a kernel, if it has a form without branches.
pub(super) fn in_lanes(name: &str, args: &[TokenStream]) -> Option<TokenStream> {
    let (math, name) = (math(), IN_LANES.iter().find(|known| **known == name)?);
    let name = Ident::new(name, Span::call_site());
    let x = args.first()?;
    Some(quote!(#math.#name(#x)))
}

impl Emit<'_> {
    /// A kernel that is run, and its results: a number where it is the cotangent of one.
    pub(super) fn kernel(&mut self, op: &Op, map: &Map, out: &mut Vec<TokenStream>) {
        let operands: Vec<_> = op.args.iter().map(|&v| self.operand(v)).collect();
        let none = (BTreeMap::new(), BTreeMap::new());
        let mut inner = Emit::new(&map.func, &none.0, &none.1, None);
        inner.in_kernel = Some(map.functions);
        let params: Vec<Ident> = (map.parameters().into_iter())
            .map(|v| inner.name(v))
            .collect();
        let (statements, yields) = inner.body();
        let (number, math) = (map.number.ident(), math());
        // What several results are made of is computed once.
        let mut values: Vec<Value> = Vec::new();
        let mut given = Vec::new();
        let to = map.func.body.yields.iter().zip(yields).zip(&map.to);
        let operands_of = map.parameters();
        let to = to.map(|((&v, tokens), to)| {
            let to = match to {
                To::Entries => quote!(Entries),
                To::Like(k) => quote!(Like(#k)),
                To::Sum => quote!(Sum),
                To::Mean => quote!(Mean),
                To::Count => quote!(Count),
            };
            if let Some(k) = operands_of.iter().position(|known| *known == v) {
                return quote!((rt::fused::Of::Operand(#k), rt::fused::To::#to));
            }
            let known = values.iter().position(|known| *known == v);
            let of = known.unwrap_or_else(|| {
                values.push(v);
                given.push(tokens);
                values.len() - 1
            });
            quote!((rt::fused::Of::Value(#of), rt::fused::To::#to))
        });
        let to: Vec<_> = to.collect();
        let (inputs, outputs) = (params.len(), given.len());
        let shape = Ident::new("__shape", Span::mixed_site());
        // A shape that does not fit is the user's mistake in the operation that reads it first.
        let leaves = operands.iter().enumerate().map(|(k, operand)| {
            let (name, span) = map.reader(k, op.span);
            if map.reads(k) {
                quote_spanned!(span=> #shape.leaf::<#number, _>(#name, &#operand))
            } else {
                quote_spanned!(span=> #shape.outline::<#number, _>(#name, &#operand))
            }
        });
        let leaves: Vec<_> = leaves.collect();
        let results: Vec<_> = op.results.iter().map(|&v| self.binder(v)).collect();
        let (span, far) = (op.span, map.reaches_far());
        out.push(quote_spanned! {span=>
            let [#(#results),*] = rt::fused::fused::<_, _, _, _, #far>(
                |#shape| [#(#leaves),*],
                [#(#to),*],
                #[inline(always)]
                |#math, [#(#params),*]: [#number; #inputs]| -> [#number; #outputs] { #statements [#(#given),*] },
            );
        });
        for ((&v, result), to) in op.results.iter().zip(results).zip(&map.to) {
            match to {
                _ if self.used(v) == 0 => {}
                To::Entries => {}
                To::Like(k) => {
                    let operand = &operands[*k];
                    out.push(quote!(let #result = rt::fused::like(&#operand, #result);));
                }
                To::Sum | To::Mean | To::Count => {
                    out.push(quote!(let #result = rt::fused::number(#result);));
                }
            }
        }
    }

    /// A kernel in each of several directions: a tangent of each result for each.
    pub(super) fn kernel_in_directions(
        &mut self,
        op: &Op,
        index: &Ident,
        lanes: &Ident,
        written: &[TokenStream],
        out: &mut Vec<TokenStream>,
    ) {
        let used = op.results.iter().copied().filter(|&v| self.used(v) > 0);
        let used: Vec<_> = used.collect();
        let names: Vec<_> = used.iter().map(|&v| self.name(v)).collect();
        let all = Ident::new("__all", Span::mixed_site());
        out.push(quote!(let #all = rt::lanes::each::<_, #lanes>(|#index| { #(#written)* (#(#names,)*) });));
        for (k, name) in names.iter().enumerate() {
            let part = proc_macro2::Literal::usize_unsuffixed(k).to_token_stream();
            out.push(quote!(let #name = rt::lanes::each::<_, #lanes>(|#index| rt::copy(&#all[#index].#part));));
        }
    }
}
