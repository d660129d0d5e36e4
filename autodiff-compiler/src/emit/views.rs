//! Borrows in front of loops: rows of larger arrays, and slices as long as the loop runs.
//!
//! Where every access of an innermost loop to a place begins with the same steps, the part they lead to is borrowed once before the loop.
//! Where the loop runs over `0..n` and reads element `k` in each round, the slice is cut to `n` elements: rustc then need not check the index.
//! So it is where each round reads element `i * n + k` of a flat matrix: the row is cut out, and its element `k` is read. Loops that begin elsewhere were made such ones (`from_zero.rs`).
//! It panics where the loop itself would have.
//!
//! A loop that changes two such rows of one matrix is there twice: with both rows cut out, where they do not overlap, and as it was written. Rows that are a few elements apart, `x[i]` and `x[i + 1]`, always overlap.
//!
//! Where every access of a reversed loop to a place is to one number of it, which is the same in all rounds, that number is a variable around the loop:
//! `for j { d[i] += e }` is `let mut s = d[i]; for j { s += e } d[i] = s`, with the same additions in the same order. rustc cannot see that, because it does not know that nothing else in the loop is the same memory.

use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::Emit;
use crate::from_zero::{self, Sum};
use crate::ir::{
    Arg, Block, Call, Companion, Domain, For, Kind, Op, Part, Path, Place, Step, Ty, Value, Width,
};

/// A borrowed part of a place, by the name of its reference.
#[derive(Clone)]
pub(super) struct Alias {
    root: Place,
    prefix: Vec<Step>,
    /// It is one number, and what has the name is the number itself.
    number: bool,
    /// Cut to the loop's length: good for this index alone.
    only: Option<Value>,
    /// What that index is within the part.
    within: Option<Value>,
    pub(super) name: Ident,
}

impl Alias {
    /// A number that has a name of its own.
    pub(super) fn number(path: Path, name: Ident) -> Self {
        Alias {
            root: path.root,
            prefix: path.steps,
            number: true,
            only: None,
            within: None,
            name,
        }
    }

    /// Whether it is what an index walks through of a sequence, cut to the loop's length.
    pub(super) fn is_cut(&self, root: Place, sequence: &[Step], index: Value) -> bool {
        self.root == root && self.prefix == sequence && self.only == Some(index)
    }
}

/// The rounds of a loop over `0..n`.
struct Rounds {
    /// The number of the round.
    counter: Value,
    /// How many there are.
    length: TokenStream,
    /// Indices that are computed in every round as a sum of the number of the round and of what is the same in all: the rest of the sum.
    rows: FxHashMap<Value, TokenStream>,
}

impl Rounds {
    /// Does the index walk through a part of a sequence, one element a round?
    fn walks(&self, index: Value) -> bool {
        index == self.counter || self.rows.contains_key(&index)
    }

    /// The start of the row that an index walks through.
    fn start(&self, index: Value) -> TokenStream {
        self.rows.get(&index).cloned().unwrap_or(quote!(0))
    }

    /// Whether two rows are a few elements apart: `x[i]` and `x[i - 1]`.
    fn overlap(&self, a: Value, b: Value) -> bool {
        let [mut a, mut b] = [a, b].map(|index| {
            let mut terms = Vec::new();
            if let Ok(start) = syn::parse2(self.start(index)) {
                from_zero::terms(&start, false, &mut terms);
            }
            let written = |term: &TokenStream| term.to_string().parse::<u64>().is_ok();
            let said = terms.iter().filter(|(_, term)| !written(term));
            said.map(|(less, term)| (*less, term.to_string()))
                .collect::<Vec<_>>()
        });
        a.sort();
        b.sort();
        a == b
    }
}

/// Two rows of one place that a loop changes.
pub(super) struct Pair {
    /// Computes both, if they do not overlap.
    pub(super) rows: TokenStream,
    pub(super) names: [Ident; 2],
    pub(super) aliases: [Alias; 2],
}

impl Pair {
    /// What the rows are of.
    pub(super) fn place(&self) -> Place {
        self.aliases[0].root
    }
}

/// What is borrowed for a loop.
#[derive(Default)]
pub(super) struct Hoisted {
    /// The pairs of rows that may be borrowed beside the rest.
    pub(super) pairs: Vec<Pair>,
    /// Puts back the numbers that were variables.
    pub(super) after: Vec<TokenStream>,
}

/// A loop with more operations is there once only.
const SMALL: usize = 64;

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
    others: FxHashSet<Place>,
    /// Made inside the loop, or lent out mutably.
    blocked: FxHashSet<Place>,
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

impl Emit<'_> {
    /// Borrows what an innermost loop works on; the aliases hold until they are removed.
    pub(super) fn hoist(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) -> Hoisted {
        let mut hoisted = Hoisted::default();
        let block = &op.blocks[0];
        if !block.is_innermost() {
            return hoisted;
        }
        let mut inside = FxHashSet::default();
        block.defined(&mut inside);
        let mut accesses = Accesses::default();
        accesses.block(block, true);
        let rounds = self.rounds(op, head, &inside);
        let mut places: Vec<Place> = accesses.list.iter().map(|a| a.path.root).collect();
        places.sort();
        places.dedup();
        for p in places {
            if accesses.blocked.contains(&p)
                || self.is_directional_place(p)
                || matches!(
                    self.func.at(p).ty,
                    Ty::Unknown | Ty::Float(_) | Ty::Tuple(_)
                )
            {
                continue;
            }
            let here: Vec<&Access<'_>> =
                accesses.list.iter().filter(|a| a.path.root == p).collect();
            let lent = accesses.others.contains(&p);
            if block.mirror.is_some() && !lent && self.is_one_number(&here, &inside) {
                hoisted.after.extend(self.number(&here, out));
            } else if here.iter().any(|a| a.writes) {
                if !lent {
                    hoisted.pairs.extend(self.hoist_mutable(
                        p,
                        &here,
                        &inside,
                        rounds.as_ref(),
                        out,
                    ));
                }
            } else {
                self.hoist_shared(p, &here, &inside, rounds.as_ref(), out);
            }
        }
        if !is_small(block) {
            hoisted.pairs.clear();
        }
        hoisted
    }

    /// Whether all of these are accesses to one and the same number of a sequence.
    fn is_one_number(&self, here: &[&Access<'_>], inside: &FxHashSet<Value>) -> bool {
        let path = here[0].path;
        let Some((Step::Index(_), above)) = path.steps.split_last() else {
            return false;
        };
        let sequence = Path {
            root: path.root,
            steps: above.to_vec(),
        };
        // To find the sequence must not panic, where there is no round.
        let found = above.iter().all(|step| matches!(step, Step::Field(_)));
        let number = match self.func.path_ty(path) {
            Ty::Float(Width::F32 | Width::F64) => true,
            Ty::Float(Width::Any) => !self.generic,
            _ => false,
        };
        found
            && number
            && matches!(
                self.func.path_ty(&sequence),
                Ty::Slice(_) | Ty::Vec(_) | Ty::Array(..)
            )
            && !self.may_be_nothing(&sequence)
            && here.iter().all(|access| access.path == path)
            && invariant(path, inside).len() == path.steps.len()
    }

    /// Makes a number a variable of its own, and says what puts it back if it changes.
    ///
    /// The forward sweep, or the loop of the primal in the same rounds, has shown that there is such a number if there is a round.
    fn number(&mut self, here: &[&Access<'_>], out: &mut Vec<TokenStream>) -> Option<TokenStream> {
        let path = here[0].path;
        let Some((Step::Index(index), above)) = path.steps.split_last() else {
            return None;
        };
        let sequence = Path {
            root: path.root,
            steps: above.to_vec(),
        };
        let root = self.root(path.root, false);
        let sequence = self.steps(root, &sequence, 0, 0);
        let index = self.bare(*index);
        let name = self.fresh(&format!("{}_here", self.func.at(path.root).hint));
        let writes = here.iter().any(|access| access.writes);
        let how = writes.then(|| quote!(mut));
        out.push(quote!(let #how #name = rt::number_at(&#sequence[..], #index);));
        (self.aliases).push(Alias::number(path.clone(), name.clone()));
        writes.then(|| quote!(rt::put_number(&mut #sequence[..], #index, #name);))
    }

    /// The rounds of a loop over `0..n`, where all of them run.
    fn rounds(&mut self, op: &Op, head: &For, inside: &FxHashSet<Value>) -> Option<Rounds> {
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
        let block = &op.blocks[0];
        let counter = block.params[0];
        let mut rows = FxHashMap::default();
        for op in &block.ops {
            let sum = Sum::of(op, inside).filter(|sum| sum.of == counter);
            let start = sum.and_then(|sum| sum.rest());
            if let (Some(start), &[index]) = (start, &op.results[..]) {
                rows.insert(index, self.fill(&start, &op.args, &[], &[]));
            }
        }
        Some(Rounds {
            counter,
            length: self.bare(op.args[1]),
            rows,
        })
    }

    fn hoist_shared(
        &mut self,
        p: Place,
        here: &[&Access<'_>],
        inside: &FxHashSet<Value>,
        rounds: Option<&Rounds>,
        out: &mut Vec<TokenStream>,
    ) {
        let mut seen: Vec<(Vec<Step>, Option<Value>)> = Vec::new();
        for access in here {
            let prefix = invariant(access.path, inside);
            let Some(Step::Index(index)) = access.path.steps.get(prefix.len()) else {
                continue;
            };
            let only = rounds.and_then(|rounds| rounds.walks(*index).then_some(*index));
            if seen.contains(&(prefix.clone(), only)) {
                continue;
            }
            seen.push((prefix.clone(), only));
            let always = here.iter().any(|a| {
                a.always
                    && a.path.steps.starts_with(&prefix)
                    && only.is_some_and(|k| a.path.steps.get(prefix.len()) == Some(&Step::Index(k)))
            });
            let cut = rounds.filter(|_| always);
            let cut = cut.and_then(|rounds| self.cut(p, &prefix, rounds, only?));
            self.borrow(p, prefix, cut, false, out);
        }
    }

    fn hoist_mutable(
        &mut self,
        p: Place,
        here: &[&Access<'_>],
        inside: &FxHashSet<Value>,
        rounds: Option<&Rounds>,
        out: &mut Vec<TokenStream>,
    ) -> Option<Pair> {
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
        let index = |access: &Access<'_>, len: usize| match access.path.steps.get(len) {
            Some(Step::Index(index)) => Some(*index),
            _ => None,
        };
        while here.iter().any(|a| index(a, prefix.len()).is_none()) {
            prefix.pop()?;
        }
        let mut indices: Vec<Value> = here.iter().filter_map(|a| index(a, prefix.len())).collect();
        indices.sort();
        indices.dedup();
        let cut = |cx: &Self, of: Value| {
            let always = |a: &&Access<'_>| a.always && index(a, prefix.len()) == Some(of);
            let rounds = rounds.filter(|_| here.iter().any(always))?;
            cx.cut(p, &prefix, rounds, of)
        };
        match indices[..] {
            [one] => {
                let cut = cut(self, one);
                self.borrow(p, prefix, cut, true, out);
                None
            }
            [a, b] => {
                let both = cut(self, a).zip(cut(self, b));
                self.borrow(p, prefix.clone(), None, true, out);
                let ((rounds, _), _) = both?;
                if rounds.overlap(a, b) {
                    return None;
                }
                Some(self.pair(p, prefix, rounds, [a, b]))
            }
            _ => {
                self.borrow(p, prefix, None, true, out);
                None
            }
        }
    }

    fn pair(&mut self, p: Place, prefix: Vec<Step>, rounds: &Rounds, indices: [Value; 2]) -> Pair {
        let path = Path {
            root: p,
            steps: prefix.clone(),
        };
        let known = self
            .aliases
            .last()
            .filter(|alias| alias.root == p && alias.prefix == prefix);
        let whole = match known {
            Some(alias) => alias.name.to_token_stream(),
            None => {
                let root = self.root(p, false);
                self.steps(root, &path, 0, 0)
            }
        };
        let n = &rounds.length;
        let [first, second] = indices.map(|index| rounds.start(index));
        let hint = format!("{}_row", self.func.at(p).hint);
        let names = [self.fresh(&hint), self.fresh(&hint)];
        let alias = |k: usize| Alias {
            root: p,
            prefix: prefix.clone(),
            number: false,
            only: Some(indices[k]),
            within: Some(rounds.counter),
            name: names[k].clone(),
        };
        Pair {
            rows: quote!(rt::two_rows(&mut #whole[..], #n, || (#first, #second))),
            aliases: [alias(0), alias(1)],
            names,
        }
    }

    /// What an index walks through in these rounds, if that is part of a sequence whose length only the running program knows.
    fn cut<'r>(
        &self,
        p: Place,
        prefix: &[Step],
        rounds: &'r Rounds,
        index: Value,
    ) -> Option<(&'r Rounds, Value)> {
        let path = Path {
            root: p,
            steps: prefix.to_vec(),
        };
        let sequence = matches!(self.func.path_ty(&path), Ty::Slice(_) | Ty::Vec(_));
        let row = rounds.rows.contains_key(&index) && !self.may_be_nothing(&path);
        (sequence && (index == rounds.counter || row)).then_some((rounds, index))
    }

    /// With `cut`, the elements that an index walks through in so many rounds.
    fn borrow(
        &mut self,
        p: Place,
        prefix: Vec<Step>,
        cut: Option<(&Rounds, Value)>,
        mutable: bool,
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
        let start = cut.and_then(|(rounds, index)| rounds.rows.get(&index));
        let hint = if prefix.is_empty() && start.is_none() {
            self.func.at(p).hint.clone()
        } else {
            format!("{}_row", self.func.at(p).hint)
        };
        let name = self.fresh(&hint);
        let how = mutable.then(|| quote!(mut));
        let perhaps = self.may_be_nothing(&path);
        out.push(match (cut, start) {
            // Where there is no round, its start is never computed.
            (Some((Rounds { length: n, .. }, _)), Some(start)) => {
                let row = if mutable {
                    quote!(row_mut)
                } else {
                    quote!(row)
                };
                quote!(let #name = rt::#row(& #how #tokens[..], #n, || #start);)
            }
            (Some((Rounds { length: n, .. }, _)), None) if perhaps => {
                quote!(let #name = & #how #tokens[rt::At(..#n)];)
            }
            (Some((Rounds { length: n, .. }, _)), None) => {
                quote!(let #name = & #how #tokens[..#n];)
            }
            (None, _) if vector => quote!(let #name = & #how #tokens[..];),
            (None, _) => quote!(let #name = & #how #tokens;),
        });
        self.aliases.push(Alias {
            root: p,
            prefix,
            number: false,
            only: cut.map(|(_, index)| index),
            within: cut.and_then(|(rounds, _)| start.map(|_| rounds.counter)),
            name,
        });
    }

    /// The name of a borrowed part, the path with the index within it, and how many of its steps the part stands for.
    pub(super) fn aliased<'p>(&self, path: &'p Path) -> Option<(Ident, Cow<'p, Path>, usize)> {
        let alias = self.aliases.iter().rev().find(|alias| {
            let next = path.steps.get(alias.prefix.len());
            let goes_on = match next {
                Some(Step::Index(v)) => !alias.number && alias.only.is_none_or(|k| k == *v),
                Some(_) => false,
                None => alias.number,
            };
            goes_on && alias.root == path.root && path.steps.starts_with(&alias.prefix)
        })?;
        let from = alias.prefix.len();
        let path = match alias.within {
            Some(index) => {
                let mut path = path.clone();
                path.steps[from] = Step::Index(index);
                Cow::Owned(path)
            }
            None => Cow::Borrowed(path),
        };
        Some((alias.name.clone(), path, from))
    }
}

/// Whether a loop may be a function of its own, called once a round: it is innermost, runs to its end, and hands nothing from round to round.
pub(super) fn stands_alone(op: &Op, head: &For) -> bool {
    let block = &op.blocks[0];
    let carries = block.params.len() > head.inductions || head.counted || head.tape.is_some();
    let ranges = matches!(head.domain, Domain::Range { .. });
    ranges
        && !carries
        && !op.exits()
        && block.is_innermost()
        && is_small(block)
        && !moves_out(block)
}

/// Is something moved out of a variable that stands around a block? A function may not do that to what it captures.
fn moves_out(block: &Block) -> bool {
    let (mut own, mut taken) = (FxHashSet::default(), FxHashSet::default());
    for op in &block.ops {
        op.walk(&mut |op| match &op.kind {
            Kind::New(p) | Kind::NewZero(p) => _ = own.insert(*p),
            Kind::Take(p) => _ = taken.insert(*p),
            _ => {}
        });
    }
    !taken.is_subset(&own)
}

/// Is the code of a loop so little, and such, that it may be there twice?
fn is_small(block: &Block) -> bool {
    let (mut count, mut plain) = (0, true);
    for op in &block.ops {
        op.walk(&mut |op| {
            count += 1;
            plain &= match &op.kind {
                Kind::Opaque(opaque) => opaque.pure,
                Kind::Call(_) | Kind::Match(..) | Kind::Watch { .. } => false,
                _ => true,
            };
        });
    }
    plain && count <= SMALL
}

/// The leading steps that are the same in every round.
fn invariant(path: &Path, inside: &FxHashSet<Value>) -> Vec<Step> {
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
