//! Both sweeps of a graph, with every need met.

use rustc_hash::FxHashSet;

use crate::absorbed;
use crate::analysis::Activity;
use crate::factors::factors;
use crate::function::Rule;
use crate::ir::{Func, Param};
use crate::moves::moves;
use crate::mutate;
use crate::remember::{Outcome, Policy, remember};
use crate::simplify::simplify;
use crate::sink::{remembering, sink};
use crate::slopes::{self, Direction};
use crate::verify::verify;
use crate::vjp::{Seed, Vjp, vjp};

/// Both sweeps of a graph, as they are before their needs are met.
pub(crate) fn needing(
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
    seed: Seed,
    policy: &Policy,
) -> Vjp {
    let seed = if policy.applies(Rule::Fuse) {
        seed
    } else {
        Seed::Late
    };
    let at_once = policy.at_once.clone();
    vjp(func, activity, wrt, seed, at_once, policy.trusting)
}

/// Both sweeps of a graph, with every need met.
pub(crate) fn sweeps(
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
    seed: Seed,
    policy: &Policy,
) -> (Vjp, Outcome) {
    // The loops that may not be skipped as one.
    let mut whole = FxHashSet::default();
    loop {
        let mut both = needing(func, activity, wrt, seed, policy);
        let slopes = with_split(&mut both, |func| {
            slopes::guard(func, activity, Direction::Backward)
        });
        both.find_steep(&slopes);
        simplify_sweeps(&mut both);
        if policy.applies(Rule::Factor) {
            with_split(&mut both, factors);
            simplify_sweeps(&mut both);
        }
        let mut skipped = FxHashSet::default();
        if policy.applies(Rule::Sink) {
            skipped = with_split(&mut both, |func| sink(func, &whole));
            simplify_sweeps(&mut both);
        }
        if policy.verify {
            let (seed, several) = match both.seed {
                Some(v) if both.func.ty(v).is_float() => (Some(v), None),
                several => (None, several.map(Param::Value)),
            };
            let shadows = both.shadows.iter().flatten().map(|&p| Param::Place(p));
            let given: Vec<Param> = several.into_iter().chain(shadows).collect();
            with_split(&mut both, |func| {
                absorbed::watch(func, activity, given.into_iter(), seed);
            });
        }
        mutate::before(&mut both.func, policy);
        let outcome = with_split(&mut both, |func| remember(func, policy));
        // What a round remembers is taken back in every round, so such a loop runs without a cotangent, too.
        let remembering = remembering(&both.func, &skipped);
        if !remembering.is_empty() {
            whole.extend(remembering);
            continue;
        }
        simplify_sweeps(&mut both);
        match seed {
            Seed::Early | Seed::AtOnce => moves(&mut both.func),
            // The reverse sweep is a closure: what was moved out before it is made cannot be given another value in it.
            Seed::Late => with_split(&mut both, moves),
        }
        verify(&both.func, both.seed.map(Param::Value));
        return (both, outcome);
    }
}

/// Simplifies, and keeps track of where the reverse sweep begins.
pub(crate) fn simplify_sweeps(both: &mut Vjp) {
    with_split(both, simplify);
}

/// Runs a pass that adds and removes operations of the body, and finds the split again.
pub(crate) fn with_split<T>(both: &mut Vjp, pass: impl FnOnce(&mut Func) -> T) -> T {
    both.func.body.mark_split(both.split);
    let made = pass(&mut both.func);
    both.split = both.func.body.unmark_split();
    made
}
