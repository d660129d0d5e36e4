//! Decides what is remembered, what is saved, and which places are kept.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::index::unchanged;
use super::{Decisions, Planner, Reread, Stepped, StoreSite, THRESHOLD};
use crate::function::Rule;
use crate::ir::{BlockId, Kind, Place, Pos, Prim, Ty, Value};
use crate::rules;

impl Decisions {
    fn save(&mut self, store: &StoreSite) {
        self.saved.insert(store.pos);
        if store.whole {
            self.whole.insert((store.pos, store.place));
        }
    }
}

impl Planner<'_> {
    /// The cost of having `v` at the reverse of the operation at `at`; more than [`THRESHOLD`] if it must be remembered.
    pub(super) fn cost(&self, v: Value, at: Pos) -> u32 {
        const NEVER: u32 = THRESHOLD + 1;
        if self.index.is_free(v) {
            return 0;
        }
        let Some(def) = self.index.defs.get(&v) else {
            return 0;
        };
        if def.induction {
            return 0;
        }
        let Some((kind, args)) = &def.op else {
            return match &def.stepped {
                _ if self.decisions.recorded.contains(&v) => 1,
                Some(stepped) if self.runs_back(stepped, at) => 1,
                _ => NEVER,
            };
        };
        if matches!(kind, Kind::Lit(_)) {
            return 0;
        }
        if self.decisions.recorded.contains(&v) {
            return 1;
        }
        if !self.policy.applies(Rule::Remember) {
            return NEVER;
        }
        if self
            .of_round(v, kind)
            .is_some_and(|stepped| self.runs_back(stepped, at))
        {
            return 1;
        }
        let own = match kind {
            Kind::Load(path) if self.rereadable(path.root, def.pos, at) => 1,
            Kind::Len(path)
                if self.is_alive(path.root) && !self.index.reshapes.contains_key(&path.root)
                    || self.measurable(path.root, def.pos, at) =>
            {
                // A number that is at hand.
                0
            }
            Kind::Prim(Prim::Rule(row)) => match rules::rule(*row).name {
                "abs" | "max" | "min" | "copysign" | "relu" | "mul_add" | "clamp" => 1,
                _ => NEVER,
            },
            Kind::Prim(Prim::Div | Prim::Sdiv | Prim::Shape) => NEVER,
            Kind::Prim(_) | Kind::Compare(_) | Kind::Cast(..) => 1,
            Kind::Opaque(opaque)
                if opaque.pure
                    && !args.iter().any(|v| self.index.borrowed_values.contains(v))
                    && opaque
                        .places
                        .iter()
                        .all(|&p| self.rereadable(p, def.pos, at)) =>
            {
                1
            }
            _ => NEVER,
        };
        let mut total = own;
        let mut seen: Vec<Value> = Vec::new();
        let path = match kind {
            Kind::Load(path) | Kind::Len(path) => path.values().collect(),
            _ => Vec::new(),
        };
        for v in args.iter().copied().chain(path) {
            if total > THRESHOLD {
                return total;
            }
            if !seen.contains(&v) {
                seen.push(v);
                let cost = self.cost(v, at);
                // What stands in front of a loop is computed once for all its rounds.
                let outside = self.depth_of(v).is_some_and(|d| d < self.depth(def.block));
                if cost > THRESHOLD || !outside {
                    total += cost;
                }
            }
        }
        total
    }

    /// Whether all that a carried integer is run back from and by is there, whatever memory holds.
    fn runs_back(&self, stepped: &Stepped, at: Pos) -> bool {
        let mut reads = Vec::new();
        let mut has = |v| {
            self.rereads(v, at, &mut reads);
            self.cost(v, at) <= THRESHOLD
        };
        self.policy.applies(Rule::Remember)
            && stepped.values().all(&mut has)
            && (reads.iter())
                .all(|read| read.length && !self.index.reshapes.contains_key(&read.place))
    }

    /// The carried integer that a loop inside has made this of.
    fn of_round(&self, v: Value, kind: &Kind) -> Option<&Stepped> {
        let start = self.index.walked.get(&v)?;
        let stepped = self.index.defs.get(start)?.stepped.as_ref();
        stepped.filter(|_| matches!(kind, Kind::For(_)))
    }

    /// Remembers `v`, or what it is computed from where that is one value for many rounds.
    fn record(&mut self, v: Value, at: Pos) {
        let mut outer = BTreeSet::new();
        let depth = self.index.defs.get(&v).map_or(0, |d| self.depth(d.block));
        if self.policy.applies(Rule::Remember)
            && self.outside(v, at, depth, &mut outer)
            && !outer.is_empty()
        {
            let before = self.decisions.recorded.clone();
            self.decisions.recorded.extend(&outer);
            if self.cost(v, at) <= THRESHOLD {
                self.decisions.recorded = before;
                for u in outer {
                    self.record(u, at);
                }
                if self.cost(v, at) <= THRESHOLD {
                    return;
                }
            } else {
                self.decisions.recorded = before;
            }
        }
        self.decisions.recorded.insert(v);
    }

    /// What would have to be remembered around the loop at this depth, so that `v` in it need not be; `false` if that is not enough.
    fn outside(&self, v: Value, at: Pos, depth: u32, out: &mut BTreeSet<Value>) -> bool {
        let Some(def) = self.index.defs.get(&v) else {
            return true;
        };
        let there = self.index.is_free(v) || def.induction || self.decisions.recorded.contains(&v);
        if there {
            return true;
        }
        if self.depth(def.block) < depth {
            if self.cost(v, at) > THRESHOLD {
                out.insert(v);
            }
            let ty = self.func.ty(v);
            return ty.is_float() || matches!(ty, Ty::Int | Ty::Bool);
        }
        let stepped = match &def.op {
            None => def.stepped.as_ref(),
            Some((kind, _)) => self.of_round(v, kind),
        };
        if let Some(stepped) = stepped {
            return stepped.values().all(|v| self.outside(v, at, depth, out));
        }
        let Some((kind, args)) = &def.op else {
            return false;
        };
        let path = match kind {
            Kind::Load(path) | Kind::Len(path) => path.values().collect(),
            _ => Vec::new(),
        };
        let mut operands = args.iter().copied().chain(path);
        operands.all(|v| self.outside(v, at, depth, out))
    }

    fn depth(&self, block: BlockId) -> u32 {
        self.index.blocks.get(&block).map_or(0, |info| info.depth)
    }

    /// How many loops stand around the operation that defines `v`; `None` if it reads memory.
    fn depth_of(&self, v: Value) -> Option<u32> {
        let def = self.index.defs.get(&v)?;
        let reads = match &def.op {
            Some((Kind::Load(_), _)) => true,
            Some((Kind::Opaque(opaque), _)) => !opaque.places.is_empty(),
            _ => false,
        };
        (!reads).then(|| self.depth(def.block))
    }

    /// The place is still there in the reverse sweep, or again.
    pub(super) fn is_alive(&self, p: Place) -> bool {
        self.index.is_alive(p) || self.decisions.kept.contains(&p)
    }

    /// Keeps places whose elements would otherwise be remembered one by one in loops inside; `true` if there are new ones.
    pub(super) fn keep_places(&mut self, needs: &[(Value, Pos)]) -> bool {
        let before = self.decisions.kept.len();
        for &(v, at) in needs {
            let Some(def) = self.index.defs.get(&v) else {
                continue;
            };
            let Some((Kind::Load(path), _)) = &def.op else {
                continue;
            };
            let p = path.root;
            if !self.decisions.recorded.contains(&v)
                || self.is_alive(p)
                || !self.policy.applies(Rule::Remember)
            {
                continue;
            }
            if self.index.borrowing.contains(&p) {
                continue;
            }
            let Some(born) = self.index.born.get(&p) else {
                continue;
            };
            if self.depth(def.block) > self.depth(*born)
                && unchanged(&self.index.changes, p, def.pos, at)
            {
                self.decisions.kept.insert(p);
            }
        }
        self.decisions.kept.len() > before
    }

    pub(super) fn rereadable(&self, p: Place, from: Pos, at: Pos) -> bool {
        self.is_alive(p)
            && !(self.policy.leave && self.index.exclusive.contains(&p))
            && !self.decisions.no_reread.contains(&p)
            && unchanged(&self.index.changes, p, from, at)
    }

    /// The length is what it was, once what changed it since is undone.
    fn measurable(&self, p: Place, from: Pos, at: Pos) -> bool {
        self.is_alive(p)
            && !self.decisions.no_reread.contains(&p)
            && unchanged(&self.index.reshapes, p, from, at)
    }

    /// The places that obtaining `v` reads again.
    pub(super) fn rereads(&self, v: Value, at: Pos, out: &mut Vec<Reread>) {
        // Which arm ran is always remembered.
        let residual = matches!(self.func.ty(v), Ty::Residual { .. });
        if residual || self.index.is_free(v) || self.decisions.recorded.contains(&v) {
            return;
        }
        let Some((kind, args)) = self.index.defs.get(&v).and_then(|d| d.op.as_ref()) else {
            return;
        };
        if self.of_round(v, kind).is_some() {
            return;
        }
        match kind {
            Kind::Load(path) | Kind::Len(path) => {
                out.push(Reread {
                    place: path.root,
                    at,
                    path: Some(path.clone()),
                    value: Some(v),
                    length: matches!(kind, Kind::Len(_)),
                    lent: None,
                });
                path.values().for_each(|v| self.rereads(v, at, out));
            }
            Kind::Opaque(opaque) => out.extend(opaque.places.iter().map(|&place| Reread {
                place,
                at,
                path: None,
                value: Some(v),
                length: false,
                lent: None,
            })),
            _ => {}
        }
        for &v in args {
            self.rereads(v, at, out);
        }
    }

    /// All that is read again: a pullback reads what its call has read, as it was at the call.
    pub(super) fn all_rereads(&self, needs: &[(Value, Pos)]) -> Vec<Reread> {
        let mut rereads = self.index.borrowed.clone();
        for &(v, at) in needs {
            self.rereads(v, at, &mut rereads);
        }
        rereads
    }

    /// Whether the old contents must be put back before the memory is read again.
    pub(super) fn must_undo(&self, store: &StoreSite, read: &Reread) -> bool {
        // Where contents are exchanged, the elements of one place become those of another.
        let same = store.place == read.place;
        if !same && self.index.group(store.place) != self.index.group(read.place)
            || read.length && same && !store.reshapes
        {
            return false;
        }
        let fixed = same && !self.index.moved.contains(&store.place);
        let at = read.at;
        let Some(&home) = self.index.block_of.get(&at) else {
            return store.pos > at;
        };
        let within = self.index.fused(home);
        if within.is_some() && !self.index.around(store.block).any(|b| Some(b) == within) {
            return false;
        }
        store.pos > at
            || self
                .index
                .share_a_loop(store, home, read.path.as_ref().filter(|_| fixed), within)
    }

    /// Decides for all needs; restarts when a place turns out cheaper to remember by value.
    pub(super) fn decide(&mut self, needs: &[(Value, Pos)]) {
        let mut ordered: Vec<(Value, Pos)> = needs.to_vec();
        ordered.sort_by_key(|(v, at)| (self.index.defs.get(v).map_or(0, |d| d.pos), *v, *at));
        loop {
            self.decisions.recorded.clear();
            for &(v, at) in &ordered {
                if matches!(self.func.ty(v), Ty::Residual { .. }) {
                    continue;
                }
                if self.cost(v, at) > THRESHOLD {
                    self.record(v, at);
                }
            }
            if self.keep_places(&ordered) {
                continue;
            }
            let rereads = self.all_rereads(&ordered);
            if !self.plan_saves(&rereads) {
                return;
            }
        }
    }

    /// Chooses the stores to save; `true` if a place was given up for re-reading instead.
    pub(super) fn plan_saves(&mut self, rereads: &[Reread]) -> bool {
        let mut wanted: FxHashMap<Place, Vec<&StoreSite>> = FxHashMap::default();
        for store in &self.index.stores {
            let asked = rereads.iter().any(|read| self.must_undo(store, read));
            if asked && !store.undone {
                wanted.entry(store.place).or_default().push(store);
            }
        }
        let mut places: Vec<Place> = wanted.keys().copied().collect();
        places.sort();
        // What is exchanged with a place of a round is put back there.
        for &p in &places {
            if self.index.is_joined(p) && !self.is_alive(p) {
                self.decisions.kept.insert(p);
                return true;
            }
        }
        for p in places {
            let stores = &wanted[&p];
            let impossible = stores.iter().any(|s| {
                s.path.is_none()
                    || s.whole
                    || self
                        .index
                        .fused(s.block)
                        .is_some_and(|f| !self.is_local_to(p, f))
            });
            let saves = stores
                .iter()
                .map(|s| self.depth(s.block))
                .fold((0, 0), count);
            let mut read: Vec<Value> = rereads
                .iter()
                .filter(|read| read.place == p)
                .filter_map(|read| read.value)
                .collect();
            read.sort();
            read.dedup();
            let records = read
                .iter()
                .filter_map(|v| self.index.defs.get(v))
                .map(|d| self.depth(d.block))
                .fold((0, 0), count);
            // What pullbacks borrow is saved in any case.
            let lent = rereads
                .iter()
                .any(|read| read.place == p && read.value.is_none());
            if (impossible || records < saves && !lent) && self.decisions.no_reread.insert(p) {
                return true;
            }
        }
        self.decisions.saved.clear();
        self.decisions.whole.clear();
        for store in wanted.values().flatten().filter(|s| s.path.is_some()) {
            self.decisions.save(store);
        }
        // So it is where everything is put back, whether it is asked for or not.
        for store in &self.index.stores {
            let p = store.place;
            if !self.policy.applies(Rule::Remember) && self.index.is_joined(p) && !self.is_alive(p)
            {
                self.decisions.kept.insert(p);
                return true;
            }
        }
        for store in &self.index.stores {
            let kept = self.policy.restore
                && self.index.exclusive.contains(&store.place)
                && !self.index.is_covered(store);
            let all = !self.policy.applies(Rule::Remember)
                && self.is_alive(store.place)
                && self
                    .index
                    .fused(store.block)
                    .is_none_or(|f| self.is_local_to(store.place, f));
            if (kept || all) && store.path.is_some() && !store.whole && !store.undone {
                self.decisions.save(store);
            }
        }
        false
    }

    /// The places that the reverse sweep reads again, and those in which it puts back what they held.
    pub(super) fn had_again(&self, needs: &[(Value, Pos)]) -> BTreeSet<Place> {
        let rereads = self.all_rereads(needs);
        let saved = |store: &&StoreSite| self.decisions.saved.contains(&store.pos);
        let saved = self.index.stores.iter().filter(saved);
        let read = rereads.iter().map(|read| read.place);
        read.chain(saved.map(|store| store.place)).collect()
    }

    pub(super) fn is_local_to(&self, p: Place, block: BlockId) -> bool {
        self.index
            .born
            .get(&p)
            .is_some_and(|&born| self.index.around(born).any(|b| b == block))
    }
}

/// The deepest loop counts first, then how many stand there.
pub(super) fn count((depth, n): (u32, u32), d: u32) -> (u32, u32) {
    match d.cmp(&depth) {
        std::cmp::Ordering::Greater => (d, 1),
        std::cmp::Ordering::Equal => (depth, n + 1),
        std::cmp::Ordering::Less => (depth, n),
    }
}
