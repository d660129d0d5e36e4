//! Conditionals: their arms, and what these leave for the reverse sweep.
//!
//! Arms that remember values of the same types, as far as these can be spelled, are told apart by a number.
//! The others are alternatives of one type, which rustc infers from all arms together, at a cost that is quadratic in their number.
//! So of many alternatives an arm names only a part of that type, and a closure in front makes the whole of it.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::control::spelled;
use super::{Emit, slot};
use crate::ir::{Block, BlockId, Kind, Op, Origin, Ty, Value};

/// Alternatives in one part of a type that has more than twice as many.
const PART: usize = 16;

/// How an arm leaves what it remembers.
#[derive(Clone, Copy)]
pub(super) struct Leaves {
    alternative: usize,
    alternatives: usize,
    /// Among the arms of its alternative.
    number: usize,
    numbers: usize,
}

impl Leaves {
    /// What it leaves, made of the values that it remembers.
    fn value(self, values: &[TokenStream]) -> TokenStream {
        self.whole(self.content(self.literal().to_token_stream(), values))
    }

    /// The pattern of what it leaves, behind those of the arms before.
    fn pattern(self, names: &[TokenStream]) -> TokenStream {
        if self.number + 1 == self.numbers {
            self.whole(self.content(quote!(_), names))
        } else {
            self.value(names)
        }
    }

    /// How many parts the type of all alternatives has, if it has any.
    fn parts(self) -> Option<usize> {
        (self.alternatives > 2 * PART).then(|| self.alternatives.div_ceil(PART))
    }

    /// What it leaves, as far as its part goes, and which part that is.
    fn in_part(self, values: &[TokenStream]) -> (usize, TokenStream) {
        let content = self.content(self.literal().to_token_stream(), values);
        (self.alternative / PART, self.of_part(content))
    }

    fn of_part(self, content: TokenStream) -> TokenStream {
        let before = self.alternative / PART * PART;
        let count = PART.min(self.alternatives - before);
        alternative(self.alternative - before, count, content)
    }

    fn whole(self, content: TokenStream) -> TokenStream {
        match self.parts() {
            Some(parts) => alternative(self.alternative / PART, parts, self.of_part(content)),
            None => alternative(self.alternative, self.alternatives, content),
        }
    }

    fn literal(self) -> Literal {
        if self.numbers <= 1 << u8::BITS {
            Literal::u8_suffixed(self.number as u8)
        } else {
            Literal::u32_suffixed(self.number as u32)
        }
    }

    fn content(self, number: TokenStream, values: &[TokenStream]) -> TokenStream {
        match (self.numbers, values) {
            (1, _) => slot(values),
            (_, []) => number,
            _ => {
                let values = slot(values);
                quote!((#number, #values))
            }
        }
    }
}

/// Alternative `k` of `count`: a tree of pairs, so that no type is nested as deep as there are alternatives.
fn alternative(k: usize, count: usize, content: TokenStream) -> TokenStream {
    let first = count.div_ceil(2);
    if count == 1 {
        content
    } else if k < first {
        let inner = alternative(k, first, content);
        quote!(rt::Arm::A(#inner))
    } else {
        let inner = alternative(k - first, count - first, content);
        quote!(rt::Arm::B(#inner))
    }
}

/// The variable for what is remembered, and the closures that make it of its parts.
struct Parted {
    residual: Ident,
    makers: Vec<Ident>,
}

impl Parted {
    /// They stand in one statement with the conditional and what binds its other results.
    fn declared(&self, results: Option<TokenStream>) -> TokenStream {
        let Self { residual, makers } = self;
        let made = (0..makers.len()).map(|k| alternative(k, makers.len(), quote!(part)));
        let results = results.unwrap_or_else(|| quote!(let () =));
        quote!(#(let #makers = |part| #made;)* let #residual; #results)
    }
}

/// What most of many arms yield.
struct Usual {
    value: Value,
    arms: FxHashSet<BlockId>,
}

impl Emit<'_> {
    /// The bodies of a conditional, and what binds its results; the last one may be what a forward sweep remembers.
    pub(super) fn arms(
        &mut self,
        op: &Op,
        out: &mut Vec<TokenStream>,
    ) -> (Vec<TokenStream>, Option<TokenStream>) {
        self.lay_out(op);
        let usual = self.usual(op);
        let parted = self.parted(op);
        let bodies = op
            .blocks
            .iter()
            .map(|block| self.arm(op, block, &usual, parted.as_ref()));
        let bodies = bodies.collect();
        let mut results = op.results.clone();
        if parted.is_some() {
            results.pop();
        }
        for (&k, usual) in usual.iter().rev() {
            let v = results.remove(k);
            let (name, init) = (self.name(v), self.moved(usual.value));
            let written = self.ascription(v).cloned();
            let ty =
                written.or_else(|| spelled(self.func.ty(v)).filter(|_| !self.is_directional(v)));
            let ty = ty.map(|ty| quote!(: #ty));
            out.push(quote!(let mut #name #ty = #init;));
        }
        let results = self.results(&results);
        let results = match parted {
            Some(parted) => Some(parted.declared(results)),
            None => results,
        };
        (bodies, results)
    }

    fn parted(&mut self, op: &Op) -> Option<Parted> {
        let mut leaves = op.blocks.iter().filter_map(|b| self.leaves.get(&b.id));
        let parts = leaves.next()?.parts()?;
        Some(Parted {
            residual: self.name(*op.results.last()?),
            makers: (0..parts).map(|_| self.fresh("arm_of")).collect(),
        })
    }

    fn arm(
        &mut self,
        op: &Op,
        block: &Block,
        usual: &BTreeMap<usize, Usual>,
        parted: Option<&Parted>,
    ) -> TokenStream {
        self.block(block, |cx| {
            if block.diverges {
                return TokenStream::new();
            }
            let mut assigned = TokenStream::new();
            let mut values = Vec::new();
            for (k, &v) in block.yields.iter().enumerate() {
                match usual.get(&k) {
                    Some(usual) if usual.arms.contains(&block.id) => {}
                    Some(_) => {
                        let (name, value) = (cx.name(op.results[k]), cx.moved(v));
                        assigned.extend(quote!(#name = #value;));
                    }
                    None => values.push(cx.moved(v)),
                }
            }
            if let Some(&leaves) = cx.leaves.get(&block.id) {
                let records: Vec<_> = block.record.iter().map(|&v| cx.moved(v)).collect();
                if let Some(Parted { residual, makers }) = parted {
                    let (part, value) = leaves.in_part(&records);
                    let maker = &makers[part];
                    assigned.extend(quote!(#residual = #maker(#value);));
                } else {
                    values.push(leaves.value(&records));
                }
            }
            match values.as_slice() {
                [] => assigned,
                [v] => quote!(#assigned #v),
                all => quote!(#assigned (#(#all),*)),
            }
        })
    }

    /// The arm of the reverse sweep that belongs to the one that ran.
    pub(super) fn switch(&mut self, op: &Op, out: &mut Vec<TokenStream>) {
        let on = self.bare(op.args[0]);
        let mut patterns = Vec::new();
        for block in &op.blocks {
            let names: Vec<_> = block.recall.iter().map(|&v| self.binder(v)).collect();
            let leaves = block.mirror.and_then(|m| self.leaves.get(&m).copied());
            patterns.push(leaves.map(|leaves| leaves.pattern(&names)));
        }
        let (bodies, results) = self.arms(op, out);
        let semicolon = results.as_ref().map(|_| quote!(;));
        out.push(quote!(#results match #on { #(#patterns => { #bodies })* } #semicolon));
    }

    /// Of many arms, the numbers that all but a few yield, by the position of the result: a variable, which the few assign.
    /// So the text does not grow with the number of arms times that of results.
    fn usual(&self, op: &Op) -> BTreeMap<usize, Usual> {
        const MANY: usize = 8;
        let live: Vec<&Block> = op.blocks.iter().filter(|b| !b.diverges).collect();
        let mut out = BTreeMap::new();
        if live.len() < MANY || self.has_arrays() {
            return out;
        }
        let mut literals: FxHashMap<Value, String> = FxHashMap::default();
        for op in live.iter().flat_map(|block| &block.ops) {
            // A variable of the user's is known in its arm alone.
            let variable = op.results.iter().any(|&v| {
                op.origin == Origin::User && !self.func.hint(v).is_empty() || self.is_wide(v)
            });
            if let (Kind::Lit(tokens), false) = (&op.kind, variable) {
                literals.insert(op.results[0], tokens.to_string());
            }
        }
        for k in 0..live[0].yields.len() {
            if !self.func.ty(op.results[k]).is_float() {
                continue;
            }
            let mut yielding: FxHashMap<(Option<&String>, Option<Value>), Usual> =
                FxHashMap::default();
            for block in &live {
                let v = block.yields[k];
                let literal = literals.get(&v);
                let key = (literal, literal.is_none().then_some(v));
                let new = || Usual {
                    value: v,
                    arms: FxHashSet::default(),
                };
                yielding
                    .entry(key)
                    .or_insert_with(new)
                    .arms
                    .insert(block.id);
            }
            let most = yielding.into_values().max_by_key(|usual| usual.arms.len());
            let most = most.filter(|usual| 4 * usual.arms.len() >= 3 * live.len());
            out.extend(most.map(|usual| (k, usual)));
        }
        out
    }

    /// Decides how the arms of a conditional leave what they remember, and those of the conditionals in them.
    fn lay_out(&mut self, op: &Op) {
        let Some(&residual) = op.results.last() else {
            return;
        };
        let remembers = matches!(op.kind, Kind::If | Kind::Match(..))
            && matches!(self.func.ty(residual), Ty::Residual { .. })
            && !self.residuals.contains_key(&residual);
        if !remembers {
            return;
        }
        let mut kinds: Vec<(Option<String>, usize)> = Vec::new();
        let mut known: FxHashMap<String, usize> = FxHashMap::default();
        let mut places = Vec::new();
        for block in op.blocks.iter().filter(|b| !b.diverges) {
            block.ops.iter().for_each(|op| self.lay_out(op));
            let types: Option<Vec<String>> =
                block.record.iter().map(|&v| self.spelled(v)).collect();
            let types = types.map(|types| types.join(", "));
            let new = kinds.len();
            let kind = match &types {
                Some(types) => *known.entry(types.clone()).or_insert(new),
                None => new,
            };
            if kind == new {
                kinds.push((types, 0));
            }
            places.push((block.id, kind, kinds[kind].1));
            kinds[kind].1 += 1;
        }
        for (block, kind, number) in places {
            let leaves = Leaves {
                alternative: kind,
                alternatives: kinds.len(),
                number,
                numbers: kinds[kind].1,
            };
            self.leaves.insert(block, leaves);
        }
        let parts = kinds.into_iter().map(|(types, numbers)| {
            let types = types?;
            Some(format!("({numbers}: {types})"))
        });
        let parts: Option<Vec<String>> = parts.collect();
        self.residuals
            .insert(residual, parts.map(|parts| parts.concat()));
    }

    /// Words that are the same only for values of the same type.
    fn spelled(&self, v: Value) -> Option<String> {
        let ty = match self.func.ty(v) {
            Ty::Residual { .. } => self.residuals.get(&v)?.clone()?,
            _ if self.indices.contains(&v) => "usize".to_owned(),
            ty => spelled(ty)?.to_string(),
        };
        let directions = if self.is_directional(v) {
            "lanes of "
        } else {
            ""
        };
        Some(format!("{directions}{ty}"))
    }
}
