//! Scratch memory: what each round of a loop overwrites before it reads it, and what nothing else reads.
//!
//! Such memory is private to the round, wherever it was made: no derivative passes through it from one round to the next.
//! After the reverse of a round its shadow is zero again, since all that was read had been stored in that round.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{
    Arg, Block, Call, Domain, Func, Kind, Op, Param, Path, Place, Step, Storage, Value,
};
use crate::lengths::{as_long, defining, is_length};

/// What is taken for granted of functions that are called: which overwrite all of what they are lent before they read it.
///
/// For a callee and an argument: it is overwritten up to the length of one of these arguments, a bit for each.
#[derive(Clone, Default)]
pub(crate) struct Relied(BTreeMap<(String, usize), (TokenStream, BTreeSet<u64>)>);

impl Relied {
    /// Whether nothing is.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// That it is so, as a constant expression.
    pub(crate) fn tokens(&self) -> TokenStream {
        let each = self.0.iter().flat_map(|((_, k), (callee, all))| {
            let implied = |mask: u64| all.iter().any(|&other| other != mask && other & !mask == 0);
            let masks = all.iter().filter(move |&&mask| !implied(mask));
            masks.map(move |mask| quote!(#callee::__OVERWRITES[#k] & #mask != 0))
        });
        quote!(#(#each)&&*)
    }

    pub(crate) fn extend(&mut self, more: Relied) {
        for (of, (callee, masks)) in more.0 {
            let known = self.0.entry(of);
            known
                .or_insert_with(|| (callee, BTreeSet::new()))
                .1
                .extend(masks);
        }
    }

    fn add(&mut self, callee: &TokenStream, k: usize, lengths: u64) {
        let known = self.0.entry((callee.to_string(), k));
        let (_, masks) = known.or_insert_with(|| (callee.clone(), BTreeSet::new()));
        masks.insert(lengths);
    }
}

/// Those of `places` that are private to each round of the loop, and what that relies on, if it may rely on callees.
pub(crate) fn scratch(
    func: &Func,
    op: &Op,
    places: &BTreeSet<Place>,
    trusting: bool,
) -> (BTreeSet<Place>, Relied) {
    let mut relied = Relied::default();
    let mut private = places.clone();
    private.retain(|&p| {
        let elsewhere = (func.body.ops.iter()).any(|other| is_mentioned(other, p, op));
        let mut reshaped = false;
        op.walk(&mut |inner| {
            // A callee that is relied on leaves the length as it is; one that is not has the last word below.
            let trusted = trusting && matches!(inner.kind, Kind::Call(_));
            reshaped |= !trusted && inner.reshapes(func).contains(&p);
        });
        let mut rounds = Rounds {
            func,
            place: p,
            items: Vec::new(),
            relied: trusting.then(Relied::default),
        };
        let private = func.at(p).storage == Storage::Local
            && !func.at(p).borrows
            && !elsewhere
            && !reshaped
            && rounds.overwrites(&op.blocks[0], &mut Covered::default());
        if private {
            relied.extend(rounds.relied.unwrap_or_default());
        }
        private
    });
    (private, relied)
}

/// Up to the lengths of which parameters the function overwrites each parameter, before it reads anything of it: a bit for each of these.
///
/// No bit is set where the function may leave before, or change how many elements there are.
pub(crate) fn overwritten(func: &Func) -> Vec<u64> {
    let mut exits = false;
    for op in &func.body.ops {
        op.walk(&mut |op| exits |= op.exits() || op.blocks.iter().any(|block| block.diverges));
    }
    let places = func.params.iter().map(|param| match *param {
        Param::Place(p) => Some(p),
        Param::Value(_) => None,
    });
    let places: Vec<Option<Place>> = places.collect();
    let of = |p: Place| {
        let mut reshaped = false;
        for op in &func.body.ops {
            op.walk(&mut |op| reshaped |= op.reshapes(func).contains(&p));
        }
        let mut rounds = Rounds {
            func,
            place: p,
            items: Vec::new(),
            relied: None,
        };
        let mut covered = Covered::default();
        let lent = func.at(p).storage == Storage::Exclusive && !func.at(p).borrows;
        if exits || reshaped || !lent || !rounds.overwrites(&func.body, &mut covered) {
            return 0;
        }
        let up_to = |q: Place| {
            let mut ends = covered.swept.iter();
            ends.any(|end| !end.inclusive && is_length(func, q, end.bound))
        };
        let bits = places.iter().take(64).enumerate().map(|(k, q)| {
            let here = q.is_some_and(|q| q == p && covered.whole || up_to(q));
            u64::from(here) << k
        });
        bits.sum()
    };
    places.iter().map(|p| p.map_or(0, of)).collect()
}

/// Whether the place is mentioned outside of the loop, but where it is made.
fn is_mentioned(op: &Op, p: Place, inside: &Op) -> bool {
    if op.pos == inside.pos {
        return false;
    }
    let made = matches!(&op.kind, Kind::New(of) if *of == p);
    !made && op.places().contains(&p)
        || (op.blocks.iter())
            .flat_map(|block| &block.ops)
            .any(|op| is_mentioned(op, p, inside))
}

/// What of a place has been overwritten since the round began.
#[derive(Clone, Default)]
struct Covered {
    whole: bool,
    parts: Vec<Path>,
    /// All elements up to such ends.
    swept: Vec<End>,
}

/// The end of a range, which is its last item or one behind.
#[derive(Clone, Copy)]
struct End {
    bound: Value,
    inclusive: bool,
}

struct Rounds<'a> {
    func: &'a Func,
    place: Place,
    /// The items of the loops around, with the ends of these.
    items: Vec<(Value, End)>,
    /// What is relied on of callees, if that is allowed.
    relied: Option<Relied>,
}

impl Rounds<'_> {
    /// Whether the block reads nothing of the place that is not covered.
    fn overwrites(&mut self, block: &Block, covered: &mut Covered) -> bool {
        block.ops.iter().all(|op| self.passes(op, covered))
    }

    fn passes(&mut self, op: &Op, covered: &mut Covered) -> bool {
        let p = self.place;
        match &op.kind {
            Kind::Len(_) | Kind::Check(_) | Kind::ShapeOf(_) => return true,
            Kind::Store(path) | Kind::Fill(path) if path.root == p => {
                covered.whole |= is_whole(path);
                covered.parts.push(path.clone());
                return true;
            }
            Kind::Copy(to, from) if to.root == p && from.root != p => {
                covered.whole |= is_whole(to);
                covered.parts.push(to.clone());
                return true;
            }
            Kind::Call(call) if self.relies(call) => {
                covered.whole = true;
                return true;
            }
            Kind::For(head) => {
                if op.places().contains(&p) {
                    return false;
                }
                let known = self.items.len();
                let mut swept = None;
                if let Domain::Range { inclusive, .. } = head.domain {
                    let (item, bound) = (op.blocks[0].params[0], op.args[1]);
                    let end = End { bound, inclusive };
                    self.items.push((item, end));
                    let all = !op.exits() && self.is_zero(op.args[0]);
                    swept = Some((item, end)).filter(|_| all);
                }
                let read = self.overwrites(&op.blocks[0], &mut covered.clone());
                self.items.truncate(known);
                if let Some((item, end)) = swept {
                    let each = [Step::Index(item)];
                    let stores = |op: &Op| matches!(&op.kind, Kind::Store(path) if path.root == p && path.steps == each);
                    if op.blocks[0].ops.iter().any(stores) {
                        covered.whole |= !end.inclusive && is_length(self.func, p, end.bound);
                        covered.swept.push(end);
                    }
                }
                return read;
            }
            _ => {}
        }
        if !op.blocks.is_empty() {
            let here = !op.places().contains(&p);
            let mut arms = op.blocks.iter();
            return here && arms.all(|block| self.overwrites(block, &mut covered.clone()));
        }
        match &op.kind {
            Kind::Load(path) | Kind::AddTo(path) | Kind::Owned(path, _) if path.root == p => {
                self.is_covered(path, covered)
            }
            _ if op.stores().contains(&p) => false,
            _ => covered.whole || !op.places().contains(&p),
        }
    }

    /// Whether the callee may be relied on to overwrite the place, which it is lent once: then that is noted.
    fn relies(&mut self, call: &Call) -> bool {
        let Some(relied) = &mut self.relied else {
            return false;
        };
        let (func, place) = (self.func, self.place);
        let paths = call.args.iter().map(path).enumerate();
        let paths: Vec<(usize, &Path)> = paths.filter_map(|(k, path)| Some((k, path?))).collect();
        let mut named = paths.iter().filter(|(_, path)| path.root == place);
        let (Some((k, lent)), None) = (named.next(), named.next()) else {
            return false;
        };
        if !is_plain(call) || !matches!(call.args[*k], Arg::Mut(_)) || !is_whole(lent) || *k >= 64 {
            return false;
        }
        let mut lengths = 0;
        for &(k, path) in paths.iter().take_while(|(k, _)| *k < 64) {
            let kept = (path.root == place).then(Relied::default);
            let kept = kept.or_else(|| keeps_length(func, path.root));
            if let (true, Some(kept)) = (as_long(func, path, place), kept) {
                lengths |= 1 << k;
                relied.extend(kept);
            }
        }
        relied.add(&call.owner, *k, lengths);
        lengths != 0
    }

    fn is_covered(&self, path: &Path, covered: &Covered) -> bool {
        let under = |part: &Path| path.steps.starts_with(&part.steps);
        let Some(Step::Index(at)) = path.steps.first() else {
            return covered.whole || covered.parts.iter().any(under);
        };
        let within = |end: &End| {
            let mut swept = covered.swept.iter();
            swept.any(|all| all.bound == end.bound && (all.inclusive || !end.inclusive))
        };
        let mut items = self.items.iter();
        covered.whole
            || covered.parts.iter().any(under)
            || items.any(|(item, end)| item == at && within(end))
    }

    fn is_zero(&self, v: Value) -> bool {
        defining(&self.func.body, v)
            .is_some_and(|op| matches!(&op.kind, Kind::Lit(tokens) if tokens.to_string() == "0"))
    }
}

/// A call of a function by its path alone, whose arguments are its parameters.
pub(crate) fn is_plain(call: &Call) -> bool {
    call.member.is_none()
        && call.nested.is_none()
        && !call.parameter
        && call.functions.is_empty()
        && call.unsure.is_empty()
        && !call.is_of_runtime()
}

/// What is lent, or captured.
fn path(arg: &Arg) -> Option<&Path> {
    match arg {
        Arg::Ref(path) | Arg::Mut(path) | Arg::Capture(path) => Some(path),
        Arg::Value(_) | Arg::Owned | Arg::Function(_) => None,
    }
}

/// What callees are relied on for, if with that the number of elements stays as it is: those that overwrite all leave it.
fn keeps_length(func: &Func, p: Place) -> Option<Relied> {
    let (mut kept, mut relied) = (true, Relied::default());
    for op in &func.body.ops {
        op.walk(&mut |op| {
            if !op.reshapes(func).contains(&p) {
                return;
            }
            match &op.kind {
                Kind::Call(call) if is_plain(call) => {
                    let lent = |arg: &Arg| matches!(arg, Arg::Mut(path) if path.root == p);
                    for k in (0..call.args.len()).filter(|&k| lent(&call.args[k])) {
                        relied.add(&call.owner, k, u64::MAX);
                    }
                }
                _ => kept = false,
            }
        });
    }
    kept.then_some(relied)
}

/// The path names all of its place.
fn is_whole(path: &Path) -> bool {
    matches!(path.steps[..], [] | [Step::Range(None, None)])
}
