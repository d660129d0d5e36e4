//! Integers that loops carry and that are run back: by how much each round changes them.

use rustc_hash::FxHashSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::index::is_literal;
use super::{Link, Stepped};
use crate::ir::{Block, Domain, Func, Kind, Op, Opaque, Ty, Value};

/// How the value that is carried in this slot is run back: an integer to which each round adds numbers that do not depend on it.
pub(super) fn stepped(
    func: &Func,
    op: &Op,
    block: &Block,
    slot: usize,
    items: &[Value],
) -> Option<Stepped> {
    let carried = block.params[block.params.len() - block.yields.len() + slot];
    let mut after = block.yields[slot];
    if !matches!(func.ty(carried), Ty::Int) || after == carried {
        return None;
    }
    let mut links = Vec::new();
    while after != carried {
        let change = Change::of(block, after)?;
        if !change.values().all(|v| is_fixed(block, items, v)) {
            return None;
        }
        links.push(Link {
            after,
            args: change.values().collect(),
            inverse: change.inverse(),
        });
        after = change.before;
    }
    Some(Stepped {
        after: op.results[slot],
        links,
    })
}

/// Whether a number is the same whatever integers the loop around the block carries: it comes from outside, or from these items.
fn is_fixed(block: &Block, items: &[Value], v: Value) -> bool {
    let Some(op) = defined(block, v) else {
        return items.contains(&v) || !block.params.contains(&v);
    };
    let fixed = |v: Value| is_fixed(block, items, v);
    match &op.kind {
        Kind::Lit(_) => true,
        Kind::Opaque(opaque) => {
            opaque.pure && opaque.places.is_empty() && op.args.iter().all(|v| fixed(*v))
        }
        Kind::Len(path) => path.values().all(fixed),
        _ => false,
    }
}

/// The operation of the block itself that defines the value.
fn defined(block: &Block, v: Value) -> Option<&Op> {
    block.ops.iter().find(|op| op.results.contains(&v))
}

/// What an operation adds to an integer, or takes from it: a number, once or in each round of a loop over ranges.
struct Change {
    before: Value,
    taken: bool,
    by: Number,
    rounds: Vec<(Number, Number, bool)>,
}

/// A number that is written there, or a value.
#[derive(Clone)]
enum Number {
    Literal(TokenStream),
    Value(Value),
}

impl Number {
    /// What it is where nothing of the block is: a value of it only if it is a literal there.
    fn outside(self, block: &Block, inside: &FxHashSet<Value>) -> Option<Self> {
        match self {
            Number::Value(v) if inside.contains(&v) => match &defined(block, v)?.kind {
                Kind::Lit(tokens) => Some(Number::Literal(tokens.clone())),
                kind @ Kind::Opaque(Opaque { tokens, .. }) if is_literal(kind) => {
                    Some(Number::Literal(tokens.clone()))
                }
                _ => None,
            },
            number => Some(number),
        }
    }
}

impl Change {
    /// How the operation of the block that defines the integer has changed it.
    fn of(block: &Block, v: Value) -> Option<Change> {
        let op = defined(block, v)?;
        match &op.kind {
            Kind::Opaque(sum) => Change::sum(sum, &op.args),
            Kind::For(head) if !op.exits() => {
                let Domain::Range { inclusive, .. } = head.domain else {
                    return None;
                };
                let slot = op.results.iter().position(|result| *result == v)?;
                let round = &op.blocks[0];
                let change = Change::of(round, *round.yields.get(slot)?)?;
                if change.before != round.params[head.inductions + slot] {
                    return None;
                }
                let mut inside = FxHashSet::default();
                round.defined(&mut inside);
                let mut rounds = Vec::new();
                for (lo, hi, inclusive) in change.rounds {
                    let (lo, hi) = (lo.outside(round, &inside)?, hi.outside(round, &inside)?);
                    rounds.push((lo, hi, inclusive));
                }
                let (lo, hi) = (Number::Value(op.args[0]), Number::Value(op.args[1]));
                rounds.push((lo, hi, inclusive));
                Some(Change {
                    before: op.args[2 + slot],
                    by: change.by.outside(round, &inside)?,
                    rounds,
                    ..change
                })
            }
            _ => None,
        }
    }

    /// `__a0 + 1`, `__a0 - __a1` and the like.
    fn sum(sum: &Opaque, args: &[Value]) -> Option<Change> {
        let tokens: Vec<_> = sum.tokens.clone().into_iter().collect();
        let [TokenTree::Ident(first), TokenTree::Punct(sign), step] = tokens.as_slice() else {
            return None;
        };
        let (&before, rest) = args.split_first()?;
        let by = match (step, rest) {
            (TokenTree::Literal(_), []) => Number::Literal(step.clone().into()),
            (TokenTree::Ident(second), &[by]) if second == "__a1" => Number::Value(by),
            _ => return None,
        };
        if first != "__a0" || !sum.pure || !sum.places.is_empty() {
            return None;
        }
        let taken = match sign.as_char() {
            '+' => false,
            '-' => true,
            _ => return None,
        };
        Some(Change {
            before,
            taken,
            by,
            rounds: Vec::new(),
        })
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        let bounds = (self.rounds.iter()).flat_map(|(lo, hi, _)| [lo, hi]);
        std::iter::once(&self.by).chain(bounds)
    }

    /// The values that it depends on beside the integer.
    fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.numbers().filter_map(|number| match number {
            Number::Value(v) => Some(*v),
            Number::Literal(_) => None,
        })
    }

    /// What undoes it, of the integer behind it and its values.
    fn inverse(&self) -> Opaque {
        let mut place = 0;
        let mut spell = |number: &Number| match number {
            Number::Literal(tokens) => tokens.clone(),
            Number::Value(_) => {
                place += 1;
                format_ident!("__a{place}").into_token_stream()
            }
        };
        let mut by = spell(&self.by);
        for (lo, hi, inclusive) in &self.rounds {
            let (lo, hi) = (spell(lo), spell(hi));
            let range = if *inclusive {
                quote!(#lo..=#hi)
            } else {
                quote!(#lo..#hi)
            };
            by = quote!(rt::times(#by, rt::rounds(&(#range))));
        }
        Opaque {
            tokens: if self.taken {
                quote!(rt::plus(__a0, #by))
            } else {
                quote!(rt::minus(__a0, #by))
            },
            places: Vec::new(),
            writes: Vec::new(),
            pure: true,
        }
    }
}
