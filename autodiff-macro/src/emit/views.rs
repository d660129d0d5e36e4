//! Borrows in front of loops: rows of larger arrays, and slices as long as the loop runs.
//!
//! Where every access of an innermost loop to a place begins with the same steps, the part they lead to is borrowed once before the loop.
//! Where the loop runs over `0..n` and reads element `k` in each round, the slice is cut to `n` elements: rustc then need not check the index.
//! It panics where the loop itself would have.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emit;
use crate::ir::{
    Arg, Block, Call, Companion, Domain, For, Kind, Op, Part, Path, Place, Step, Ty, Value,
};

/// A borrowed part of a place, by the name of its reference.
#[derive(Clone)]
pub(super) struct Alias {
    root: Place,
    prefix: Vec<Step>,
    /// Cut to the loop's length: good for this index alone.
    only: Option<Value>,
    name: Ident,
}

/// An access inside a loop.
struct Access<'a> {
    path: &'a Path,
    writes: bool,
    /// In every round.
    always: bool,
}

#[derive(Default)]
struct Accesses<'a> {
    list: Vec<Access<'a>>,
    /// Used in a way that a mutable borrow would forbid.
    others: HashSet<Place>,
    /// Made inside the loop, or lent out mutably.
    blocked: HashSet<Place>,
}

impl<'a> Accesses<'a> {
    fn block(&mut self, block: &'a Block, always: bool) {
        for op in &block.ops {
            self.op(op, always);
            for inner in &op.blocks {
                self.block(inner, false);
            }
        }
    }

    fn op(&mut self, op: &'a Op, always: bool) {
        match &op.kind {
            Kind::Load(path) => self.list.push(Access {
                path,
                writes: false,
                always,
            }),
            Kind::Store(path) | Kind::AddTo(path) | Kind::TakeZero(path) | Kind::Replace(path) => {
                self.list.push(Access {
                    path,
                    writes: true,
                    always,
                });
            }
            Kind::New(p) | Kind::NewZero(p) | Kind::Take(p) => {
                self.blocked.insert(*p);
            }
            Kind::Change(..)
            | Kind::Swap(..)
            | Kind::Copy(..)
            | Kind::Fill(_)
            | Kind::Give(..)
            | Kind::SumZero(_) => {
                self.blocked.extend(op.paths().iter().map(|p| p.root));
            }
            Kind::Opaque(opaque) | Kind::Match(opaque, _) | Kind::Watch { code: opaque, .. } => {
                self.others.extend(&opaque.places);
                self.blocked.extend(&opaque.writes);
            }
            Kind::Call(call) => {
                for path in op.paths() {
                    self.others.insert(path.root);
                }
                for arg in &call.args {
                    if let Arg::Mut(path) | Arg::Capture(path) = arg {
                        self.blocked.insert(path.root);
                    }
                }
                self.companions(call);
            }
            _ => self.others.extend(op.paths().iter().map(|p| p.root)),
        }
    }

    /// Shadows lent to a pullback are borrowed mutably.
    fn companions(&mut self, call: &Call) {
        for companion in call.form.companions() {
            if let Companion::Place(path) = companion {
                self.blocked.insert(path.root);
            }
        }
    }
}

/// Values defined in a block, at any depth.
fn defined(block: &Block, out: &mut HashSet<Value>) {
    out.extend(block.params.iter().chain(&block.recall));
    for op in &block.ops {
        out.extend(&op.results);
        for inner in &op.blocks {
            defined(inner, out);
        }
    }
}

impl Emit<'_> {
    /// Borrows what an innermost loop works on; the aliases hold until they are removed.
    pub(super) fn hoist(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) {
        let block = &op.blocks[0];
        let mut innermost = true;
        for inner in &block.ops {
            inner.walk(&mut |op| innermost &= !matches!(op.kind, Kind::For(_)));
        }
        if !innermost {
            return;
        }
        let mut inside = HashSet::new();
        defined(block, &mut inside);
        let mut accesses = Accesses::default();
        accesses.block(block, true);
        let counter = self.counter(op, head);
        let mut places: Vec<Place> = accesses.list.iter().map(|a| a.path.root).collect();
        places.sort();
        places.dedup();
        for p in places {
            if accesses.blocked.contains(&p)
                || matches!(
                    self.func.at(p).ty,
                    Ty::Unknown | Ty::Float(_) | Ty::Tuple(_)
                )
            {
                continue;
            }
            let here: Vec<&Access<'_>> =
                accesses.list.iter().filter(|a| a.path.root == p).collect();
            if here.iter().any(|a| a.writes) {
                if !accesses.others.contains(&p) {
                    self.hoist_mutable(p, &here, &inside, counter.as_ref(), out);
                }
            } else {
                self.hoist_shared(p, &here, &inside, counter.as_ref(), out);
            }
        }
    }

    /// The item of a loop over `0..n`, and `n`.
    fn counter(&mut self, op: &Op, head: &For) -> Option<(Value, TokenStream)> {
        if !matches!(
            head.domain,
            Domain::Range {
                inclusive: false,
                ..
            }
        ) || op.exits()
            || self.bare(op.args[0]).to_string() != "0"
        {
            return None;
        }
        Some((op.blocks[0].params[0], self.bare(op.args[1])))
    }

    fn hoist_shared(
        &mut self,
        p: Place,
        here: &[&Access<'_>],
        inside: &HashSet<Value>,
        counter: Option<&(Value, TokenStream)>,
        out: &mut Vec<TokenStream>,
    ) {
        let mut seen: Vec<(Vec<Step>, Option<Value>)> = Vec::new();
        for access in here {
            let prefix = invariant(access.path, inside);
            let Some(Step::Index(index)) = access.path.steps.get(prefix.len()) else {
                continue;
            };
            let only = counter.map(|(k, _)| *k).filter(|k| k == index);
            if seen.contains(&(prefix.clone(), only)) {
                continue;
            }
            seen.push((prefix.clone(), only));
            let always = here.iter().any(|a| {
                a.always
                    && a.path.steps.starts_with(&prefix)
                    && only.is_some_and(|k| a.path.steps.get(prefix.len()) == Some(&Step::Index(k)))
            });
            let cut = counter.filter(|_| only.is_some() && always && self.is_sequence(p, &prefix));
            self.borrow(p, prefix, cut, &quote!(&), out);
        }
    }

    fn hoist_mutable(
        &mut self,
        p: Place,
        here: &[&Access<'_>],
        inside: &HashSet<Value>,
        counter: Option<&(Value, TokenStream)>,
        out: &mut Vec<TokenStream>,
    ) {
        let mut prefix = invariant(here[0].path, inside);
        for access in here {
            let common = prefix
                .iter()
                .zip(&access.path.steps)
                .take_while(|(a, b)| a == b)
                .count();
            prefix.truncate(common);
        }
        // Each access must go on from the borrowed part by an index.
        let goes_on = |len: usize| {
            here.iter()
                .all(|a| matches!(a.path.steps.get(len), Some(Step::Index(_))))
        };
        while !goes_on(prefix.len()) {
            if prefix.pop().is_none() {
                return;
            }
        }
        let by_counter = counter.filter(|(k, _)| {
            here.iter()
                .all(|a| a.path.steps.get(prefix.len()) == Some(&Step::Index(*k)))
        });
        let cut =
            by_counter.filter(|_| here.iter().any(|a| a.always) && self.is_sequence(p, &prefix));
        self.borrow(p, prefix, cut, &quote!(&mut), out);
    }

    /// A part whose length only the running program knows.
    fn is_sequence(&self, p: Place, prefix: &[Step]) -> bool {
        let path = Path {
            root: p,
            steps: prefix.to_vec(),
        };
        matches!(self.func.path_ty(&path), Ty::Slice(_) | Ty::Vec(_))
    }

    fn borrow(
        &mut self,
        p: Place,
        prefix: Vec<Step>,
        cut: Option<&(Value, TokenStream)>,
        how: &TokenStream,
        out: &mut Vec<TokenStream>,
    ) {
        let path = Path {
            root: p,
            steps: prefix.clone(),
        };
        let vector = matches!(self.func.path_ty(&path), Ty::Vec(_));
        if prefix.is_empty() && cut.is_none() && !vector {
            return;
        }
        let root = self.root(p, false);
        let tokens = self.steps(root, &path, 0, 0);
        let hint = if prefix.is_empty() {
            self.func.at(p).hint.clone()
        } else {
            format!("{}_row", self.func.at(p).hint)
        };
        let name = self.fresh(&hint);
        out.push(match cut {
            Some((_, n)) if self.may_be_nothing(&path) => {
                quote!(let #name = #how #tokens[rt::At(..#n)];)
            }
            Some((_, n)) => quote!(let #name = #how #tokens[..#n];),
            None if vector => quote!(let #name = #how #tokens[..];),
            None => quote!(let #name = #how #tokens;),
        });
        self.aliases.push(Alias {
            root: p,
            prefix,
            only: cut.map(|(k, _)| *k),
            name,
        });
    }

    /// The name and the remaining steps, if a part of this path is borrowed.
    pub(super) fn aliased<'p>(&self, path: &'p Path) -> Option<(Ident, &'p [Step])> {
        let alias = self.aliases.iter().rev().find(|alias| {
            let next = path.steps.get(alias.prefix.len());
            alias.root == path.root
                && path.steps.starts_with(&alias.prefix)
                && matches!(next, Some(Step::Index(v)) if alias.only.is_none_or(|k| k == *v))
        })?;
        Some((alias.name.clone(), &path.steps[alias.prefix.len()..]))
    }
}

/// The leading steps that are the same in every round.
fn invariant(path: &Path, inside: &HashSet<Value>) -> Vec<Step> {
    let fixed = |step: &Step| match step {
        Step::Index(v) => !inside.contains(v),
        // Another variant may be there before an arm asks which.
        Step::Field(part) => !matches!(part, Part::Of(..)),
        Step::Range(lo, hi) => lo.iter().chain(hi).all(|v| !inside.contains(v)),
    };
    path.steps
        .iter()
        .take_while(|step| fixed(step))
        .cloned()
        .collect()
}
