//! Cotangents that are known to be zero are stored, not added to; and what is overwritten next is not set to zero before.
//!
//! A list that each step of a method writes anew has a cotangent that is zero between its steps:
//!
//! ```text
//! for step {                                    for step {
//!   for i { d_t[i] += a[i] }                      for i { d_t[i] = a[i] }
//!   for i { e = d_t[i]; d_t[i] = 0; … e … }  ⇒    for i { e = d_t[i]; … e … }
//! }                                             }
//! ```
//!
//! Two walks over the graph with the same facts: forward, which parts are zero, from where they were made or taken; backward, which are overwritten before they are read.
//! A part is a path, of which a step may be each of the indices of a range: what holds of the element of a round, where each round has its own, holds of all of them behind the loop.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Domain, For, Func, Kind, Op, Origin, Path, Place, Step, Storage, Value};
use crate::sums::is_number;

/// Stores what is added to zero, and takes without a trace what is overwritten; the mutation `add_to_nothing` forgets that it added.
pub(crate) fn zeroed(func: &mut Func, mutate: Option<&str>) {
    let mut body = std::mem::take(&mut func.body);
    let added = places(func, &body, |kind| match kind {
        Kind::AddTo(path) => Some(path),
        _ => None,
    });
    let mut same = FxHashMap::default();
    literals(&body, &mut BTreeMap::new(), &mut same);
    let zero = Walk {
        func,
        same: &same,
        places: &added,
        backward: false,
        forgets: mutate == Some("add_to_nothing"),
    };
    zero.block(&mut body, &mut Facts::new(), true);
    let taken = places(func, &body, |kind| match kind {
        Kind::TakeZero(path) => Some(path),
        _ => None,
    });
    let overwritten = Walk {
        func,
        same: &same,
        places: &taken,
        backward: true,
        forgets: false,
    };
    let gone = taken
        .iter()
        .filter(|&&p| func.at(p).storage == Storage::Local);
    let mut gone = gone.map(|&p| (p, vec![Vec::new()])).collect();
    overwritten.block(&mut body, &mut gone, true);
    func.body = body;
}

/// The memory of its own that holds numbers which such operations name.
fn places<'a>(
    func: &Func,
    body: &'a Block,
    named: impl Fn(&'a Kind) -> Option<&'a Path>,
) -> FxHashSet<Place> {
    let mut out = FxHashSet::default();
    for op in &body.ops {
        op.walk(&mut |op| {
            let path = named(&op.kind).filter(|path| is_plain(func, path));
            out.extend(path.map(|path| path.root));
        });
    }
    out.retain(|&p| !func.at(p).borrows);
    out
}

/// For literals of one text, the first of them.
fn literals(
    block: &Block,
    texts: &mut BTreeMap<String, Value>,
    same: &mut FxHashMap<Value, Value>,
) {
    for op in &block.ops {
        if let (Kind::Lit(tokens), &[v]) = (&op.kind, &op.results[..]) {
            same.insert(v, *texts.entry(tokens.to_string()).or_insert(v));
        }
        for inner in &op.blocks {
            literals(inner, texts, same);
        }
    }
}

/// Whether a path leads to a number of std's, and not by what may be a constant of the user's.
fn is_plain(func: &Func, path: &Path) -> bool {
    is_number(func, &func.path_ty(path)) && !func.through_field(path)
}

/// A step to a part.
#[derive(Clone, PartialEq)]
enum To {
    Step(Step),
    /// The elements from one index to another.
    Each(Value, Value),
}

/// A part of a place.
type Region = Vec<To>;

/// The parts of each place of which something is known.
type Facts = BTreeMap<Place, Vec<Region>>;

fn values(region: &Region) -> impl Iterator<Item = Value> + '_ {
    region.iter().flat_map(|to| match to {
        To::Step(Step::Index(v)) => vec![*v],
        To::Step(Step::Range(lo, hi)) => lo.iter().chain(hi).copied().collect(),
        To::Step(Step::Field(_)) => Vec::new(),
        To::Each(lo, hi) => vec![*lo, *hi],
    })
}

/// Whether what is known of a part is known of this one as well.
fn covers(regions: &[Region], part: &[To]) -> bool {
    regions.iter().any(|region| part.starts_with(region))
}

/// Whether two parts have nothing in common: other fields.
fn are_apart(a: &[To], b: &[To]) -> bool {
    let differing = a.iter().zip(b).find(|(a, b)| a != b);
    matches!(
        differing,
        Some((To::Step(Step::Field(_)), To::Step(Step::Field(_))))
    )
}

/// What is known on both ways.
fn both(a: &Facts, b: &Facts) -> Facts {
    let mut out = Facts::new();
    for (place, here) in a {
        let Some(there) = b.get(place) else { continue };
        let mut known: Vec<Region> = Vec::new();
        let either = here.iter().filter(|region| covers(there, region));
        for region in either.chain(there.iter().filter(|region| covers(here, region))) {
            if !covers(&known, region) {
                known.push(region.clone());
            }
        }
        if !known.is_empty() {
            out.insert(*place, known);
        }
    }
    out
}

/// The element that each round of a loop has of a place: what leads to the sequence, and the index.
struct Own {
    sequence: Region,
    round: Value,
    range: (Value, Value),
}

impl Own {
    /// What is known of the element of a round.
    fn inside(&self, regions: &[Region]) -> Vec<Region> {
        let n = self.sequence.len();
        let element = || {
            let mut element = self.sequence.clone();
            element.push(To::Step(Step::Index(self.round)));
            element
        };
        if covers(regions, &self.sequence) {
            return vec![element()];
        }
        let each = To::Each(self.range.0, self.range.1);
        let of_all = regions
            .iter()
            .filter(|region| region.get(n) == Some(&each) && region.starts_with(&self.sequence));
        of_all
            .map(|region| {
                let mut element = element();
                element.extend_from_slice(&region[n + 1..]);
                element
            })
            .collect()
    }

    /// What is known of all elements, where this is known of that of a round, and that on the other side of the loop.
    fn outside(&self, of_round: &[Region], before: &[Region]) -> Vec<Region> {
        let n = self.sequence.len();
        let mut out = Vec::new();
        for region in of_round {
            if region.len() == n + 1 && covers(before, &self.sequence) {
                out.push(self.sequence.clone());
            }
            let mut all = region.clone();
            all[n] = To::Each(self.range.0, self.range.1);
            out.push(all);
        }
        out
    }
}

struct Walk<'a> {
    func: &'a Func,
    /// What stands for literals: one of those of the same text.
    same: &'a FxHashMap<Value, Value>,
    /// Facts are about these.
    places: &'a FxHashSet<Place>,
    /// What is overwritten before it is read; forward, what is zero.
    backward: bool,
    /// What was added to is taken for zero, on purpose.
    forgets: bool,
}

impl Walk<'_> {
    fn region(&self, path: &Path) -> Region {
        let mut path = path.clone();
        for v in path.values_mut() {
            *v = self.one(*v);
        }
        path.steps.into_iter().map(To::Step).collect()
    }

    fn one(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    /// Whether something is known of all that a path leads to, and that is a number.
    fn knows(&self, known: &Facts, path: &Path) -> bool {
        let regions = known.get(&path.root);
        is_plain(self.func, path)
            && regions.is_some_and(|regions| covers(regions, &self.region(path)))
    }

    /// Takes note of a part.
    fn learn(&self, known: &mut Facts, path: &Path) {
        let part = self.region(path);
        let regions = known.entry(path.root).or_default();
        if !covers(regions, &part) {
            regions.push(part);
        }
    }

    /// Forgets what was known of parts that may have something in common with this one.
    fn forget(&self, known: &mut Facts, path: &Path) {
        let part = self.region(path);
        if let Some(regions) = known.get_mut(&path.root) {
            regions.retain(|region| are_apart(region, &part));
        }
    }

    /// Walks through a block; `changes` says whether operations are rewritten by what is known then.
    fn block(&self, block: &mut Block, known: &mut Facts, changes: bool) {
        if self.backward {
            for op in block.ops.iter_mut().rev() {
                self.op(op, known, changes);
            }
        } else {
            for op in &mut block.ops {
                self.op(op, known, changes);
            }
        }
    }

    fn op(&self, op: &mut Op, known: &mut Facts, changes: bool) {
        if op.blocks.is_empty() {
            return if self.backward {
                self.before(op, known, changes);
            } else {
                self.after(op, known, changes);
            };
        }
        let mut touches = false;
        op.walk(&mut |op| touches |= op.places().iter().any(|p| self.places.contains(p)));
        if !touches {
            return;
        }
        // Its conditions may be code that reads or writes.
        let asked = op.places();
        known.retain(|p, _| !asked.contains(p));
        if let Kind::For(_) = op.kind {
            self.rounds(op, known, changes);
        } else {
            let mut ways = op.blocks.iter_mut().map(|arm| {
                let mut known = known.clone();
                self.block(arm, &mut known, changes);
                known
            });
            let first = ways.next().unwrap_or_default();
            *known = ways.fold(first, |a, b| both(&a, &b));
        }
        known.retain(|p, _| !asked.contains(p));
    }

    /// A loop: what is known of elements of which each round has its own, and what each round leaves as it found it.
    fn rounds(&self, op: &mut Op, known: &mut Facts, changes: bool) {
        let mut named: FxHashSet<Place> = FxHashSet::default();
        op.walk(&mut |op| named.extend(op.places().iter().filter(|p| self.places.contains(p))));
        let own: BTreeMap<Place, Own> = (named.iter())
            .filter_map(|&p| Some((p, self.own(op, p)?)))
            .collect();
        let from_outside = known.clone();
        // Rounds that are left early may not be those of an element.
        if op.exits() {
            known.retain(|p, _| !named.contains(p));
        }
        for (p, own) in &own {
            if let Some(regions) = known.remove(p) {
                known.insert(*p, own.inside(&regions));
            }
        }
        let mut inside = FxHashSet::default();
        op.blocks[0].defined(&mut inside);
        let round = loop {
            let mut round = known.clone();
            self.block(&mut op.blocks[0], &mut round, false);
            let mut next = known.clone();
            next.retain(|p, _| own.contains_key(p));
            let (mut a, mut b) = (known.clone(), round.clone());
            a.retain(|p, _| !own.contains_key(p));
            b.retain(|p, _| !own.contains_key(p));
            next.extend(both(&a, &b));
            for (p, regions) in &mut next {
                if !own.contains_key(p) {
                    regions.retain(|region| values(region).all(|v| !inside.contains(&v)));
                }
            }
            next.retain(|_, regions| !regions.is_empty());
            if next == *known {
                break round;
            }
            *known = next;
        };
        if changes {
            self.block(&mut op.blocks[0], &mut known.clone(), true);
        }
        for (p, own) in &own {
            known.remove(p);
            let Some(regions) = round.get(p).filter(|_| !op.exits()) else {
                continue;
            };
            let none = Vec::new();
            let mut regions = own.outside(regions, from_outside.get(p).unwrap_or(&none));
            regions.retain(|region| values(region).all(|v| !inside.contains(&v)));
            known.insert(*p, regions);
        }
    }

    /// What is zero behind an operation.
    fn after(&self, op: &mut Op, known: &mut Facts, changes: bool) {
        let zero = match &op.kind {
            Kind::NewZero(p) => Some(Path::whole(*p)),
            Kind::TakeZero(path) | Kind::SumZero(path) | Kind::Give(_, path) => Some(path.clone()),
            _ => None,
        };
        if let Kind::AddTo(path) = &op.kind {
            if changes && op.origin == Origin::Derived && self.knows(known, path) {
                op.kind = Kind::Store(path.clone());
            }
        }
        let forgets = self.forgets && matches!(op.kind, Kind::AddTo(_) | Kind::Store(_));
        if !matches!(op.kind, Kind::TakeZero(_) | Kind::SumZero(_)) && !forgets {
            let changed = op.stores();
            match op.paths()[..] {
                [path] if !changed.is_empty() => self.forget(known, path),
                _ => known.retain(|p, _| !changed.contains(p)),
            }
        }
        if let Kind::New(p) | Kind::Take(p) = &op.kind {
            known.remove(p);
        }
        if let Some(path) = zero.filter(|path| self.places.contains(&path.root)) {
            self.learn(known, &path);
        }
    }

    /// What is overwritten before it is read in front of an operation.
    fn before(&self, op: &mut Op, known: &mut Facts, changes: bool) {
        if let Kind::TakeZero(path) = &op.kind {
            if changes && self.knows(known, path) {
                op.kind = Kind::Load(path.clone());
            }
        }
        let overwritten = match &op.kind {
            Kind::New(p) | Kind::NewZero(p) => Some(Path::whole(*p)),
            Kind::Store(path) if is_plain(self.func, path) => Some(path.clone()),
            // They say nothing of what the numbers are.
            Kind::ShapeOf(_) | Kind::Len(_) | Kind::Check(_) | Kind::Walked(_) => return,
            _ => None,
        };
        match overwritten {
            Some(path) if self.places.contains(&path.root) => self.learn(known, &path),
            Some(_) => {}
            None => match op.paths()[..] {
                [path] => self.forget(known, path),
                _ => {
                    let named = op.places();
                    known.retain(|p, _| !named.contains(p));
                }
            },
        }
    }

    /// The element that each round of a loop has of a place, if all that the loop does with it is with such an element of its round.
    fn own(&self, op: &Op, place: Place) -> Option<Own> {
        let Kind::For(For {
            domain: Domain::Range {
                inclusive: false, ..
            },
            inductions: 1,
            counted: false,
            ..
        }) = op.kind
        else {
            return None;
        };
        let block = &op.blocks[0];
        let round = block.params[0];
        let mut inside = FxHashSet::default();
        block.defined(&mut inside);
        let mut sequence: Option<Region> = None;
        let mut all = true;
        for inner in &block.ops {
            inner.walk(&mut |inner| {
                let paths = inner.paths();
                let named = paths.iter().filter(|path| path.root == place);
                let mut found = false;
                for path in named {
                    found = true;
                    let at = path
                        .steps
                        .iter()
                        .position(|step| *step == Step::Index(round));
                    let above = at.map(|at| {
                        let mut above = self.region(path);
                        above.truncate(at);
                        above
                    });
                    all &= above.is_some() && (sequence.is_none() || sequence == above);
                    sequence = sequence.take().or(above);
                }
                all &= found || !inner.places().contains(&place);
            });
        }
        let sequence =
            sequence.filter(|sequence| all && values(sequence).all(|v| !inside.contains(&v)))?;
        Some(Own {
            sequence,
            round,
            range: (self.one(op.args[0]), self.one(op.args[1])),
        })
    }
}
