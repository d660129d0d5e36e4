//! Innermost loops that walk through parts of sequences run from zero, so that emission cuts these parts out in front of them.
//!
//! `for j in lo..hi { x[j]; l[at]; at += 1 }` becomes `for k in 0..n { x[lo + k]; l[at₀ + k]; at += 1 }` with `n` the number of rounds and `at₀` what `at` was before the first.
//! A loop in the other direction, in which `at` falls by one, ends where `at₀ - n` is.
//! The last pass: how the reverse sweep obtains what it needs is decided on the user's own indices.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::build::Build;
use crate::ir::{Block, Domain, For, Func, Kind, Op, Opaque, Origin, Path, Step, Ty, Value};
use crate::syntax::peel;
use crate::types::mentions;

pub(crate) fn from_zero(func: &mut Func) {
    let mut ops = std::mem::take(&mut func.body.ops);
    let mut literals = FxHashMap::default();
    in_ops(func, &mut ops, &mut literals);
    func.body.ops = ops;
}

/// Integers that are written as they are.
pub(crate) type Literals = FxHashMap<Value, u64>;

/// Takes note of an operation that is one.
pub(crate) fn collect(op: &Op, literals: &mut Literals) {
    let text = match &op.kind {
        Kind::Lit(tokens) | Kind::Opaque(Opaque { tokens, .. }) => tokens.to_string(),
        _ => String::new(),
    };
    if let (&[v], Ok(number)) = (&op.results[..], text.parse()) {
        literals.insert(v, number);
    }
}

fn in_ops(func: &mut Func, ops: &mut Vec<Op>, literals: &mut Literals) {
    for mut op in std::mem::take(ops) {
        collect(&op, literals);
        for block in &mut op.blocks {
            in_ops(func, &mut block.ops, literals);
        }
        ops.extend(rebased(func, &mut op, literals));
        ops.push(op);
    }
}

/// What an index that goes up by one each round is in the round 0: this value and so much more.
#[derive(Clone, Copy)]
struct Start {
    value: Value,
    more: u64,
}

/// A loop over a range with the integers that it carries.
struct Walk<'a> {
    func: &'a Func,
    op: &'a Op,
    block: &'a Block,
    reversed: bool,
}

impl<'a> Walk<'a> {
    fn of(func: &'a Func, op: &'a Op) -> Option<Self> {
        let Kind::For(For {
            domain:
                Domain::Range {
                    inclusive: false,
                    reversed,
                },
            inductions: 1,
            ..
        }) = op.kind
        else {
            return None;
        };
        let block = &op.blocks[0];
        (block.is_innermost() && !op.exits()).then_some(Walk {
            func,
            op,
            block,
            reversed,
        })
    }

    /// The integers that go by one each round as the range does, with what they are in front of the loop, and whether they are meant behind their step.
    fn running(&self, literals: &Literals) -> Vec<(Value, Value, bool)> {
        let mut out = Vec::new();
        for (slot, (&p, &y)) in (self.block.params[1..].iter().zip(&self.block.yields)).enumerate()
        {
            let steps = self.block.ops.iter().any(|op| {
                op.results == [y]
                    && op.args.first() == Some(&p)
                    && step(op, literals) == Some(self.reversed)
            });
            if steps {
                let before = self.op.args[2 + slot];
                out.extend([(p, before, false), (y, before, true)]);
            }
        }
        out
    }

    /// The indices by which each round reads or writes a sequence whose length only the running program knows.
    fn indices(&self, inside: &FxHashSet<Value>) -> FxHashSet<Value> {
        let mut out = FxHashSet::default();
        for op in &self.block.ops {
            if let Kind::Load(path)
            | Kind::Store(path)
            | Kind::AddTo(path)
            | Kind::TakeZero(path)
            | Kind::Replace(path) = &op.kind
            {
                let at = path
                    .steps
                    .iter()
                    .position(|step| matches!(step, Step::Index(v) if inside.contains(v)));
                let Some(at) = at else { continue };
                let sequence = Path {
                    root: path.root,
                    steps: path.steps[..at].to_vec(),
                };
                let known = matches!(self.func.path_ty(&sequence), Ty::Slice(_) | Ty::Vec(_));
                if let Step::Index(v) = path.steps[at] {
                    out.extend(known.then_some(v));
                }
            }
        }
        out
    }

    /// Whether a value says by its use that it is of the type of indices.
    fn is_index(&self, v: Value) -> bool {
        let mut found = false;
        for op in &self.block.ops {
            op.walk(&mut |op| {
                found |= (op.paths().iter()).any(|path| path.steps.contains(&Step::Index(v)));
            });
        }
        found
    }
}

fn uses(block: &Block, v: Value) -> bool {
    block.yields.contains(&v)
        || block.record.contains(&v)
        || (block.ops.iter())
            .any(|op| op.operands().contains(&v) || op.blocks.iter().any(|inner| uses(inner, v)))
}

/// Whether an operation takes one from its first operand, if it adds one or takes one.
fn step(op: &Op, literals: &Literals) -> Option<bool> {
    let Kind::Opaque(Opaque {
        tokens, pure: true, ..
    }) = &op.kind
    else {
        return None;
    };
    let one = match op.args[1..] {
        [] => quote!(1),
        [step] if literals.get(&step) == Some(&1) => quote!(__a1),
        _ => return None,
    };
    let is = |other: TokenStream| tokens.to_string() == other.to_string();
    if is(quote!(__a0 + #one)) {
        Some(false)
    } else if is(quote!(__a0 - #one)) || is(quote!(rt::minus(__a0, #one))) {
        Some(true)
    } else {
        None
    }
}

/// Makes a loop run from zero where that lets parts be cut out; what is computed in front of it.
fn rebased(func: &mut Func, op: &mut Op, literals: &Literals) -> Vec<Op> {
    let Some(walk) = Walk::of(func, op) else {
        return Vec::new();
    };
    let mut inside = FxHashSet::default();
    walk.block.defined(&mut inside);
    let indices = walk.indices(&inside);
    let (j, lo, hi) = (walk.block.params[0], op.args[0], op.args[1]);
    let reversed = walk.reversed;
    let running = walk.running(literals);
    let sums: Vec<(usize, Sum)> = (walk.block.ops.iter().enumerate())
        .filter(|(_, op)| matches!(op.results[..], [v] if indices.contains(&v)))
        .filter_map(|(at, op)| Some((at, Sum::of(op, &inside)?)))
        .collect();
    let begins = literals.get(&lo) == Some(&0);
    let counts = walk.is_index(j) || sums.iter().any(|(_, sum)| sum.of == j);
    // A loop over integers of another type keeps them.
    if !counts && uses(walk.block, j) {
        return Vec::new();
    }
    let moves = |v: Value| indices.contains(&v) || sums.iter().any(|(_, sum)| sum.of == v);
    let running: Vec<_> = running.into_iter().filter(|(v, ..)| moves(*v)).collect();
    let moved = !begins && moves(j);
    if running.is_empty() && !moved {
        return Vec::new();
    }

    let mut build = Build::new(func, Origin::Derived);
    build.span = op.span;
    let pure = |tokens| {
        Kind::Opaque(Opaque {
            tokens,
            places: Vec::new(),
            writes: Vec::new(),
            pure: true,
        })
    };
    let mut starts = BTreeMap::new();
    let keeps = begins && counts;
    let (k, n) = if keeps {
        (j, hi)
    } else {
        let n = build.op(
            pure(quote!(rt::rounds(&(__a0..__a1)))),
            vec![lo, hi],
            Ty::Int,
            "n",
        );
        let zero = build.literal(quote!(0), Ty::Int);
        (op.args[0], op.args[1]) = (zero, n);
        if counts {
            starts.insert(j, Start { value: lo, more: 0 });
        }
        (build.func.value("k", Ty::Int), n)
    };
    for (v, before, behind) in running {
        let value = if reversed {
            build.op(
                pure(quote!(rt::minus(__a0, __a1))),
                vec![before, n],
                Ty::Int,
                "start",
            )
        } else {
            before
        };
        let more = u64::from(behind != reversed);
        starts.insert(v, Start { value, more });
    }
    let before = std::mem::take(&mut build.ops);

    let block = &mut op.blocks[0];
    block.params[0] = k;
    let (mut renamed, mut itself) = (FxHashMap::default(), Vec::new());
    for (at, sum) in sums {
        if let Some(start) = starts.get(&sum.of) {
            let inner = &mut block.ops[at];
            let base = literals.get(&start.value).copied();
            match sum.number(*start, base) {
                Some(0) => {
                    renamed.insert(inner.results[0], k);
                    itself.push(inner.results[0]);
                }
                number => {
                    let (tokens, args) = sum.from(*start, number, k, &inner.args);
                    (inner.kind, inner.args) = (pure(tokens), args);
                }
            }
        }
    }
    for (v, start) in starts {
        let tokens = match start.more {
            0 => quote!(__a0 + __a1),
            more => {
                let more = Literal::u64_unsuffixed(more);
                quote!((__a0 + #more) + __a1)
            }
        };
        if v == j {
            build.push(pure(tokens), vec![start.value, k], vec![j]);
        } else if indices.contains(&v) {
            let hint = build.func.hint(v).to_owned();
            renamed.insert(
                v,
                build.op(pure(tokens), vec![start.value, k], Ty::Int, &hint),
            );
        }
    }
    let first = build.ops;
    block.ops.iter_mut().for_each(|op| rename(op, &renamed));
    // What is the number of the round itself is not computed.
    let unused: Vec<Value> = (itself.into_iter()).filter(|&v| !uses(block, v)).collect();
    (block.ops).retain(|op| !unused.iter().any(|v| op.results.contains(v)));
    block.ops.splice(0..0, first);
    before
}

/// Puts other indices in place of these.
fn rename(op: &mut Op, renamed: &FxHashMap<Value, Value>) {
    op.kind.for_each_path(&mut |path| {
        for step in &mut path.steps {
            if let Step::Index(v) = step {
                *v = renamed.get(v).copied().unwrap_or(*v);
            }
        }
    });
    for inner in op.blocks.iter_mut().flat_map(|block| &mut block.ops) {
        rename(inner, renamed);
    }
}

/// What is added to an integer of a loop: a number, and terms that are none, each with whether it is taken away.
#[derive(Default, PartialEq)]
pub(crate) struct Apart {
    pub(crate) number: i64,
    pub(crate) rest: Vec<(bool, String)>,
}

/// An index that is an integer of the loop and what is the same in all rounds.
pub(crate) struct Sum {
    pub(crate) of: Value,
    /// Which of the operands that is.
    place: usize,
    /// The rest, each with whether it is taken away.
    rest: Vec<(bool, TokenStream)>,
}

impl Sum {
    pub(crate) fn of(op: &Op, inside: &FxHashSet<Value>) -> Option<Self> {
        let Kind::Opaque(opaque) = &op.kind else {
            return None;
        };
        let mut varying = (0..op.args.len()).filter(|&k| inside.contains(&op.args[k]));
        let place = varying.next()?;
        if !opaque.pure || !opaque.places.is_empty() || varying.next().is_some() {
            return None;
        }
        let mut rest = Vec::new();
        terms(&syn::parse2(opaque.tokens.clone()).ok()?, false, &mut rest);
        let name = format_ident!("__a{place}");
        let itself = |(less, term): &(bool, TokenStream)| {
            !less
                && matches!(syn::parse2(term.clone()), Ok(syn::Expr::Path(p)) if p.path.is_ident(&name))
        };
        let at = rest.iter().position(itself)?;
        rest.remove(at);
        let again = rest.iter().any(|(_, term)| mentions(term, &name));
        (!rest.is_empty() && !again).then_some(Sum {
            of: op.args[place],
            place,
            rest,
        })
    }

    /// The rest, if it is no less than zero whatever it is made of.
    pub(crate) fn rest(&self) -> Option<TokenStream> {
        let [more, less] = self.parted();
        (!more.is_empty()).then(|| quote!(#(#more)+* #(- #less)*))
    }

    /// The rest, taken apart; `args` are the operands of the sum.
    pub(crate) fn apart(&self, args: &[Value], literals: &Literals) -> Option<Apart> {
        let mut apart = Apart::default();
        for (less, term) in &self.rest {
            let text = term.to_string();
            let literal = (args.iter().enumerate())
                .find(|(k, _)| text == format!("__a{k}"))
                .and_then(|(_, v)| literals.get(v).copied());
            let number = literal.or_else(|| text.parse().ok());
            if let Some(number) = number {
                let number = i64::try_from(number).ok()?;
                apart.number = (apart.number).checked_add(if *less { -number } else { number })?;
                continue;
            }
            // By the values that they are made of: other operations number them otherwise.
            let named = |text: String, (k, v): (usize, &Value)| {
                text.replace(&format!("__a{k}"), &format!("v{}", v.0))
            };
            let text = args.iter().enumerate().rev().fold(text, named);
            apart.rest.push((*less, text));
        }
        apart.rest.sort();
        Some(apart)
    }

    /// What is added and what is taken away: in this order no integer is less than zero on the way.
    fn parted(&self) -> [Vec<&TokenStream>; 2] {
        let of = |taken: bool| {
            let terms = self.rest.iter().filter(move |(less, _)| *less == taken);
            terms.map(|(_, term)| term).collect()
        };
        [of(false), of(true)]
    }

    /// What the index is in the round 0, if that is written; `base` is the number that its integer starts from.
    fn number(&self, start: Start, base: Option<u64>) -> Option<u64> {
        let first = base?.checked_add(start.more)?;
        self.rest.iter().try_fold(first, |sum, (less, term)| {
            let by = term.to_string().parse::<u64>().ok()?;
            if *less {
                sum.checked_sub(by)
            } else {
                sum.checked_add(by)
            }
        })
    }

    /// The same sum, counted from where its integer starts.
    fn from(
        &self,
        start: Start,
        number: Option<u64>,
        k: Value,
        args: &[Value],
    ) -> (TokenStream, Vec<Value>) {
        let mut args = args.to_vec();
        args[self.place] = k;
        let k = format_ident!("__a{}", self.place);
        if let Some(number) = number.map(Literal::u64_unsuffixed) {
            return (quote!(#number + #k), args);
        }
        let first = format_ident!("__a{}", args.len());
        args.push(start.value);
        let more = (start.more > 0).then(|| {
            let more = Literal::u64_unsuffixed(start.more);
            quote!(+ #more)
        });
        let [rest, less] = self.parted();
        (quote!((#first #more #(+ #rest)* #(- #less)*) + #k), args)
    }
}

/// The terms of a sum, each with whether it is taken away.
pub(crate) fn terms(sum: &syn::Expr, less: bool, out: &mut Vec<(bool, TokenStream)>) {
    if let syn::Expr::Binary(binary) = peel(sum) {
        let second = match binary.op {
            syn::BinOp::Add(_) => Some(less),
            syn::BinOp::Sub(_) => Some(!less),
            _ => None,
        };
        if let Some(second) = second {
            terms(&binary.left, less, out);
            terms(&binary.right, second, out);
            return;
        }
    }
    out.push((less, sum.to_token_stream()));
}
