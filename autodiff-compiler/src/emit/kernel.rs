//! Kernels over the entries of tensors: closures of numbers, in which elementary functions are those of `lane`.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::Emit;
use crate::ir::{Fold, Kind, Map, Op, Origin, To, Value};
use crate::maps::{IN_LANES, PROGRAM, is_linked};

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

/// A kernel as it is written: what its closure computes, and what becomes of that.
struct Written {
    closure: TokenStream,
    /// How many operands it has, and how many values the closure gives.
    sizes: [usize; 2],
    to: Vec<TokenStream>,
}

/// What a result of a kernel is.
#[derive(Clone)]
enum Outcome {
    Tensor,
    Number,
    /// The cotangent of this operand.
    Like(TokenStream),
}

impl Outcome {
    fn of(to: To) -> Self {
        if to.is_number() {
            Outcome::Number
        } else {
            Outcome::Tensor
        }
    }
}

impl Emit<'_> {
    fn written(op: &Op, map: &Map) -> Written {
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
                To::Along(fold, axis) => {
                    let fold = match fold {
                        Fold::Sum => quote!(Sum),
                        Fold::Mean => quote!(Mean),
                        Fold::Most => quote!(Most),
                    };
                    quote!(Along(rt::fused::Fold::#fold, #axis))
                }
                To::CountAlong(axis) => quote!(CountAlong(#axis)),
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
        let closure = quote_spanned! {op.span=>
            #[inline(always)]
            |#math, [#(#params),*]: [#number; #inputs]| -> [#number; #outputs] { #statements [#(#given),*] }
        };
        Written {
            closure,
            sizes: [inputs, outputs],
            to,
        }
    }

    /// A kernel that is run, and its results: a number where it is the cotangent of one.
    pub(super) fn kernel(&mut self, op: &Op, map: &Map, out: &mut Vec<TokenStream>) {
        if map.to.iter().any(|to| matches!(to, To::Along(..))) {
            return self.program(std::slice::from_ref(op), out);
        }
        let operands: Vec<_> = op.args.iter().map(|&v| self.operand(v)).collect();
        let Written { closure, to, .. } = Self::written(op, map);
        let (number, shape) = (
            map.number.ident(),
            Ident::new("__shape", Span::mixed_site()),
        );
        // A shape that does not fit is the user's mistake in the operation that reads it first.
        let leaves = operands.iter().enumerate().map(|(k, operand)| {
            let (name, span) = map.reader(k, op.span);
            if self.stretches_nothing(op, k) {
                quote_spanned!(span=> #shape.seed::<#number, _>(&#operand))
            } else if map.reads(k) {
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
                #closure,
            );
        });
        for (&v, to) in op.results.iter().zip(&map.to) {
            let outcome = match to {
                To::Like(k) => Outcome::Like(operands[*k].clone()),
                to => Outcome::of(*to),
            };
            self.finished(v, &outcome, out);
        }
    }

    /// Whether an operand is the seed, in a kernel that gives the user's own values as well: these keep their shape, whatever that of a seed is.
    fn stretches_nothing(&self, op: &Op, k: usize) -> bool {
        op.origin == Origin::User && self.seed == Some(op.args[k])
    }

    /// Makes a number or a cotangent of what a kernel gives.
    fn finished(&mut self, v: Value, outcome: &Outcome, out: &mut Vec<TokenStream>) {
        if self.used(v) == 0 {
            return;
        }
        let result = self.binder(v);
        match outcome {
            Outcome::Tensor => {}
            Outcome::Like(operand) => {
                out.push(quote!(let #result = rt::fused::like(&#operand, #result);));
            }
            Outcome::Number => out.push(quote!(let #result = rt::fused::number(#result);)),
        }
    }

    /// How many of these operations are kernels of one number that are run together: where one reads what another gives.
    pub(super) fn together(&self, ops: &[Op]) -> usize {
        if self.in_direction() {
            return 0;
        }
        let mut number = None;
        let same = ops.iter().take_while(|op| match &op.kind {
            Kind::Map(map) => {
                *number.get_or_insert(&map.number) == &map.number && !self.is_directed(op)
            }
            _ => false,
        });
        let ops = &ops[..same.count().min(PROGRAM)];
        if is_linked(ops) { ops.len() } else { 0 }
    }

    /// Kernels that are run together, and what others read of their results.
    pub(super) fn program(&mut self, ops: &[Op], out: &mut Vec<TokenStream>) {
        let ident = |name: String| Ident::new(&name, Span::mixed_site());
        let program = ident("__program".into());
        let mut read: FxHashMap<Value, usize> = FxHashMap::default();
        for v in ops.iter().flat_map(|op| &op.args) {
            *read.entry(*v).or_default() += 1;
        }
        let mut given: FxHashMap<Value, (Ident, Outcome)> = FxHashMap::default();
        let (mut number, mut stages) = (None, Vec::new());
        let (mut wanted, mut handles) = (Vec::new(), Vec::new());
        for (at, op) in ops.iter().enumerate() {
            let Kind::Map(map) = &op.kind else {
                unreachable!("a program has kernels");
            };
            let span = op.span;
            let number = &*number.get_or_insert(map.number.ident());
            let mut operands = Vec::new();
            let mut outcomes = Vec::new();
            for (k, &v) in op.args.iter().enumerate() {
                let (name, span) = map.reader(k, span);
                let reads = map.reads(k);
                if let Some((handle, outcome)) = given.get(&v) {
                    let method = if reads {
                        quote!(given)
                    } else {
                        quote!(given_outline)
                    };
                    operands.push(quote_spanned!(span=> #program.#method(#name, #handle)));
                    outcomes.push(outcome.clone());
                } else {
                    let operand = self.operand(v);
                    let method = if reads { quote!(leaf) } else { quote!(outline) };
                    operands.push(if self.stretches_nothing(op, k) {
                        quote_spanned!(span=> #program.seed(&#operand))
                    } else {
                        quote_spanned!(span=> #program.#method(#name, &#operand))
                    });
                    outcomes.push(Outcome::Like(operand));
                }
            }
            let Written {
                closure,
                to,
                sizes: [inputs, outputs],
            } = Self::written(op, map);
            let (inner, far) = (ident(format!("__inner{at}")), map.reaches_far());
            let loops = if outputs == 0 {
                quote!(rt::fused::nothing::<#number>)
            } else {
                out.push(quote_spanned! {span=>
                    let #inner = rt::fused::inner::<#number, #inputs, #outputs, #far>(#closure);
                });
                quote!(#inner)
            };
            let names: Vec<Ident> = (0..op.results.len())
                .map(|k| ident(format!("__given{at}_{k}")))
                .collect();
            stages.push(quote_spanned! {span=>
                let [#(#names),*] = #program.stage([#(#operands),*], [#(#to),*], #outputs, &#loops);
            });
            for ((&v, name), to) in op.results.iter().zip(names).zip(&map.to) {
                let outcome = match to {
                    To::Like(k) => outcomes[*k].clone(),
                    to => Outcome::of(*to),
                };
                if self.used(v) > read.get(&v).copied().unwrap_or(0) {
                    wanted.push((v, outcome.clone()));
                    handles.push(name.clone());
                }
                given.insert(v, (name, outcome));
            }
        }
        let binders: Vec<_> = wanted.iter().map(|(v, _)| self.binder(*v)).collect();
        out.push(quote! {
            let #program = rt::fused::Program::<#number>::new();
            #(#stages)*
            let [#(#binders),*] = #program.run([#(#handles),*]);
        });
        for (v, outcome) in &wanted {
            self.finished(*v, outcome, out);
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
        out.push(quote!(let #all = rt::lanes::Width::<#lanes>.each(|#index| { #(#written)* (#(#names,)*) });));
        for (k, name) in names.iter().enumerate() {
            let part = proc_macro2::Literal::usize_unsuffixed(k).to_token_stream();
            out.push(quote!(let #name = rt::lanes::Width::<#lanes>.each(|#index| rt::copy(&#all[#index].#part));));
        }
    }
}
