//! When a cotangent is present: always, never, or where a truth value says so.

use quote::quote;

use super::Sink;
use crate::build::Build;
use crate::ir::{Kind, Op, Origin, Ty, Value};

/// When a cotangent is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Presence {
    Never,
    Always,
    When(usize),
}

/// A condition, which becomes a truth value of the reverse sweep only where something asks for it.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Flag {
    /// What each arm of a conditional yields.
    Arms {
        state: usize,
        node: usize,
        per: Vec<Presence>,
    },
    /// One of two.
    Any(usize, usize),
    /// Carried into a round of the loop whose body is that state.
    Param { state: usize, slot: usize },
    /// What the loop with that body ends with.
    Result { state: usize, slot: usize },
    /// The weight of what a function such as `max` chose from is not zero; it is computed in that state.
    Chosen { state: usize, weight: Value },
}

/// A loop that was entered: where it stands, and when what it carries is there at its start and at the end of a round.
pub(super) struct Entered {
    pub(super) state: usize,
    pub(super) node: usize,
    pub(super) inits: Vec<Presence>,
    pub(super) ends: Vec<Presence>,
}

impl Sink<'_> {
    /// The flag, new or known.
    pub(super) fn flag(&mut self, flag: Flag) -> usize {
        if let Some(known) = self.flags.iter().position(|f| *f == flag) {
            return known;
        }
        self.flags.push(flag);
        self.flags.len() - 1
    }

    /// When the cotangent is there, seen from that state.
    pub(super) fn presence(&self, s: usize, v: Value) -> Presence {
        let mut around = self.around(s);
        let found = around.find_map(|t| self.states[t].presence.get(&v));
        match found {
            Some(&Presence::When(flag)) if self.is_assumed(s, flag) => Presence::Always,
            found => found.copied().unwrap_or(Presence::Always),
        }
    }

    /// The state and those around it, outwards.
    fn around(&self, s: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(s), |&s| self.states[s].parent)
    }

    /// Whether the flag is true wherever that state runs.
    fn is_assumed(&self, s: usize, flag: usize) -> bool {
        self.around(s).any(|t| self.states[t].assumed == Some(flag))
            || match self.flags[flag] {
                Flag::Any(a, b) => self.is_assumed(s, a) || self.is_assumed(s, b),
                _ => false,
            }
    }

    /// When one of several is there.
    pub(super) fn any(&mut self, s: usize, all: &[Presence]) -> Presence {
        let mut flags = Vec::new();
        for presence in all {
            match presence {
                Presence::Always => return Presence::Always,
                Presence::When(flag) if !flags.contains(flag) => flags.push(*flag),
                _ => {}
            }
        }
        flags.sort_unstable();
        let Some(flag) = flags.into_iter().reduce(|a, b| self.flag(Flag::Any(a, b))) else {
            return Presence::Never;
        };
        if self.is_assumed(s, flag) {
            Presence::Always
        } else {
            Presence::When(flag)
        }
    }

    /// When the result of a conditional is there, given when each arm's is.
    pub(super) fn of_arms(&mut self, s: usize, node: usize, per: Vec<Presence>) -> Presence {
        let same = per.windows(2).all(|pair| pair[0] == pair[1]);
        match per.first() {
            None => Presence::Always,
            Some(&Presence::When(flag)) if same && self.is_visible(s, flag) => Presence::When(flag),
            Some(&one @ (Presence::Never | Presence::Always)) if same => one,
            _ => Presence::When(self.flag(Flag::Arms {
                state: s,
                node,
                per,
            })),
        }
    }

    /// Whether the flag is decided outside of the blocks of that state.
    fn is_visible(&self, s: usize, flag: usize) -> bool {
        let home = match self.flags[flag] {
            Flag::Arms { state, .. } | Flag::Param { state, .. } | Flag::Chosen { state, .. } => {
                state
            }
            Flag::Result { state, .. } => self.entered[&state].state,
            Flag::Any(a, b) => return self.is_visible(s, a) && self.is_visible(s, b),
        };
        self.around(s).any(|t| t == home)
    }

    /// Whether the flag is that of this conditional.
    pub(super) fn is_of(&self, flag: usize, s: usize, at: usize) -> bool {
        matches!(self.flags[flag], Flag::Arms { state, node, .. } if (state, node) == (s, at))
    }

    /// Whether a loop carries the flag.
    pub(super) fn is_carried(&self, flag: usize) -> bool {
        match &self.flags[flag] {
            Flag::Param { .. } | Flag::Result { .. } => true,
            Flag::Chosen { .. } => false,
            Flag::Any(a, b) => self.is_carried(*a) || self.is_carried(*b),
            Flag::Arms { per, .. } => per
                .iter()
                .any(|p| matches!(p, Presence::When(flag) if self.is_carried(*flag))),
        }
    }

    /// Whether what the flag guards is skipped for its cost alone: without the flag, it would be zero all the same.
    pub(super) fn is_chosen(&self, flag: usize) -> bool {
        match self.flags[flag] {
            Flag::Chosen { .. } => true,
            Flag::Any(a, b) => self.is_chosen(a) || self.is_chosen(b),
            _ => false,
        }
    }

    /// The flag as a truth value; what it takes to compute it goes to `out`.
    pub(super) fn truth(&mut self, flag: usize, out: &mut Vec<Op>) -> Value {
        if let Some(&known) = self.truths.get(&flag) {
            return known;
        }
        match self.flags[flag].clone() {
            Flag::Any(a, b) => {
                let args = vec![self.truth(a, out), self.truth(b, out)];
                let mut build = Build::new(self.func, Origin::Derived);
                let any = build.op(Kind::Compare("||"), args, Ty::Bool, "taken");
                out.append(&mut build.ops);
                any
            }
            Flag::Arms { state, node, per } => {
                let arms = self.states[state].nodes[node].inner.clone();
                let each = arms.iter().zip(per);
                let said: Vec<Value> = each.map(|(&t, presence)| self.said(t, presence)).collect();
                // What one arm says may have made another flag of these arms a truth value, or this one.
                if let Some(&known) = self.truths.get(&flag) {
                    return known;
                }
                let taken = self.func.value("taken", Ty::Bool);
                for (t, v) in arms.into_iter().zip(said) {
                    self.states[t].yields.push(v);
                }
                self.result(state, node, taken);
                self.truths.insert(flag, taken);
                taken
            }
            Flag::Param { state, slot } => {
                let taken = self.func.value("taken", Ty::Bool);
                self.truths.insert(flag, taken);
                // In a loop that is being entered, it is carried at the end.
                if self.entered.contains_key(&state) {
                    self.carry(state, slot);
                }
                taken
            }
            Flag::Result { state, slot } => {
                self.carry(state, slot);
                self.truths[&flag]
            }
            Flag::Chosen { weight, .. } => {
                let ty = self.func.ty(weight).clone();
                let mut build = Build::new(self.func, Origin::Derived);
                let zero = build.literal(quote!(0.0), ty);
                let chosen = build.op(Kind::Compare("!="), vec![weight, zero], Ty::Bool, "chosen");
                out.append(&mut build.ops);
                chosen
            }
        }
    }

    /// A truth value at the end of that state.
    fn said(&mut self, t: usize, presence: Presence) -> Value {
        let mut out = Vec::new();
        let v = self.told(presence, &mut out);
        for op in out {
            self.append(t, op, Vec::new());
        }
        v
    }

    fn told(&mut self, presence: Presence, out: &mut Vec<Op>) -> Value {
        let tokens = match presence {
            Presence::When(flag) => return self.truth(flag, out),
            Presence::Always => quote!(true),
            Presence::Never => quote!(false),
        };
        let mut build = Build::new(self.func, Origin::Derived);
        let v = build.literal(tokens, Ty::Bool);
        out.append(&mut build.ops);
        v
    }

    /// One more result of the conditional or loop at that node.
    fn result(&mut self, s: usize, node: usize, v: Value) {
        let state = &mut self.states[s];
        state.at.insert(v, node);
        state.owned.insert(v);
        let op = &mut state.nodes[node].op;
        let counted = matches!(&op.kind, Kind::For(head) if head.counted);
        let at = op.results.len() - usize::from(counted);
        op.results.insert(at, v);
    }

    /// Carries the flag of a slot through the loop whose body is that state.
    pub(super) fn carry(&mut self, t: usize, slot: usize) {
        let (param, end) = (
            self.flag(Flag::Param { state: t, slot }),
            self.flag(Flag::Result { state: t, slot }),
        );
        if self.truths.contains_key(&end) {
            return;
        }
        let Entered {
            state: s,
            node,
            ref inits,
            ref ends,
        } = self.entered[&t];
        let (init, last) = (inits[slot], ends[slot]);
        let mut prefix = Vec::new();
        let result = self.func.value("taken", Ty::Bool);
        self.truths.insert(end, result);
        let before = self.truth(param, &mut prefix);
        let first = self.told(init, &mut prefix);
        let last = self.said(t, last);
        self.states[t].yields.push(last);
        self.result(s, node, result);
        let node = &mut self.states[s].nodes[node];
        node.prefix.append(&mut prefix);
        node.op.args.push(first);
        node.op.blocks[0].params.push(before);
    }

    /// Whether something in the loop's body asks for the flag of the slot.
    pub(super) fn is_asked(&mut self, t: usize, slot: usize) -> bool {
        let param = self.flag(Flag::Param { state: t, slot });
        self.truths.contains_key(&param)
    }
}
