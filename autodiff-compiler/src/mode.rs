//! Which mode computes a gradient: forward for few inputs of a recurrence, reverse otherwise.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::analysis::Activity;
use crate::forms::{IN_LANES, MUT_IN_LANES};
use crate::function::{By, GradFn, Mode, Rule};
use crate::fuse;
use crate::ir::{Block, Func, Kind, Param, Prim, Storage, Ty, Value, Width};
use crate::lanes::{scalars, spelled};
use crate::second::is_computed_with;

/// So many directions hide in the latency of a recurrence, whose reverse would need a tape.
const FEW: usize = 4;
/// More directions than this are not carried at once.
const MANY: usize = 16;

/// How the gradient is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gradient {
    Reverse,
    /// All directions at once.
    Lanes,
    /// One direction after the other, as many as there are at run time.
    Columns,
}

/// Chooses the mode of `grad`.
pub(crate) fn gradient(
    function: &GradFn,
    func: &Func,
    activity: &Activity,
    wrt: &[Param],
) -> Gradient {
    let options = &function.options;
    let scalar = matches!(function.ret_ty, Ty::Float(width) if width != Width::Generic);
    let mutates = function.params.iter().any(|p| p.by == By::Mut);
    // Code for the reverse sweep is to run.
    let watched = options.mode.is_none() && watches(&func.body);
    // What tests the reverse sweep is not to be passed by.
    let tested = options.verify || !options.applies(Rule::Remember) || options.mutate.is_some();
    if !scalar || mutates || tested || watched || options.mode == Some(Mode::Reverse) {
        return Gradient::Reverse;
    }
    let count = wrt.iter().try_fold(0, |sum, param| {
        let (ty, owned) = match *param {
            Param::Value(v) => (func.ty(v), true),
            Param::Place(p) => (&func.at(p).ty, func.at(p).storage != Storage::Exclusive),
        };
        scalars(ty).filter(|_| owned).map(|n| sum + n)
    });
    let calls = has_calls(&func.body, activity);
    match (count, options.mode) {
        (Some(1), Some(Mode::Forward)) => Gradient::Lanes,
        (Some(n), Some(Mode::Forward)) if n <= MANY && !calls => Gradient::Lanes,
        (_, Some(Mode::Forward)) => Gradient::Columns,
        // Straight-line code has no tape to save.
        (Some(n), None) if n == 1 || n <= FEW && !calls => {
            if has_recurrence(func, &func.body, activity) {
                Gradient::Lanes
            } else {
                Gradient::Reverse
            }
        }
        _ => Gradient::Reverse,
    }
}

/// Whether a function has forward mode in lanes: the types of all that has a tangent are known, and so is what it calls.
///
/// Given are the constants that say whether what it calls has it as well.
pub(crate) fn in_lanes(
    function: &GradFn,
    func: &Func,
    activity: &Activity,
) -> Option<BTreeMap<String, TokenStream>> {
    let options = &function.options;
    let generics = [&function.item.sig.generics, &function.outer];
    let mut generics = generics.into_iter().flat_map(|g| &g.params);
    let plain = generics.all(|p| matches!(p, syn::GenericParam::Lifetime(_)));
    let plain = plain && function.method.is_none() && !function.hidden;
    // A constant of a type of the user's own has no tangent, if it is declared one.
    let given = function
        .params
        .iter()
        .all(|p| p.callable.is_none() && (p.ty.is_understood() || !p.tangible));
    let whole = options.fails.is_none() && !options.called_only && !options.own.is_given();
    let known = |ty: &Ty| !ty.is_user() && ty.is_understood();
    let values = (0..func.values.len() as u32).map(Value);
    let places = (0..func.places.len() as u32).map(crate::ir::Place);
    let fits = plain
        && given
        && whole
        && function.sound
        && function.ret_ty.is_understood()
        && !watches(&func.body)
        && values
            .filter(|&v| activity.value(v))
            .all(|v| known(func.ty(v)) || !is_computed_with(&func.body, v))
        && places
            .filter(|&p| activity.place(p))
            .all(|p| known(&func.at(p).ty))
        && func.body.yields.iter().all(|&v| activity.value(v));
    let mut callees = BTreeMap::new();
    (fits && callees_in_lanes(func, &func.body, activity, &mut callees)).then_some(callees)
}

/// Collects what is called with tangents; whether all of it may have a form in lanes.
fn callees_in_lanes(
    func: &Func,
    block: &Block,
    activity: &Activity,
    callees: &mut BTreeMap<String, TokenStream>,
) -> bool {
    block.ops.iter().all(|op| {
        let own = match &op.kind {
            Kind::Call(call) if activity.concerns(op) => {
                let known = if call.changes() {
                    MUT_IN_LANES
                } else {
                    IN_LANES
                };
                let (owner, known) = (&call.owner, Ident::new(known, Span::call_site()));
                let known = quote!(#owner::#known);
                callees.insert(known.to_string(), known);
                let result = op.results[0];
                call.may_have_lanes()
                    && if call.changes() {
                        !is_computed_with(&func.body, result)
                    } else {
                        // What is only computed with may be of any type to rustc.
                        let ty = func.ty(result);
                        !matches!(ty, Ty::Float(Width::Any)) && spelled(ty, None).is_some()
                    }
            }
            // A kernel has one for the entries of tensors.
            Kind::Map(_) => !op.results.iter().any(|&v| activity.value(v)),
            // An operator of a type that is not known has a rule for one direction.
            Kind::Prim(prim) if op.results.iter().any(|&v| activity.value(v)) => {
                let known = |&v: &Value| func.ty(v).is_understood();
                !matches!(prim, Prim::Operator(_)) && op.args.iter().all(known)
            }
            // A part of a type of the user's own has a tangent in one direction.
            Kind::Aggregate(_) => {
                let known = |&v: &Value| !func.ty(v).is_user() && func.ty(v).is_understood();
                !op.results.iter().any(|&v| activity.value(v)) || op.results.iter().all(known)
            }
            Kind::Cast(..) | Kind::CastLike => {
                op.args.iter().all(|&v| func.ty(v).is_understood())
                    || !op.results.iter().any(|&v| activity.value(v))
            }
            _ => true,
        };
        own && op
            .blocks
            .iter()
            .all(|inner| callees_in_lanes(func, inner, activity, callees))
    })
}

fn watches(block: &Block) -> bool {
    let mut found = false;
    for op in &block.ops {
        op.walk(&mut |op| found |= matches!(op.kind, Kind::Watch { .. }));
    }
    found
}

/// A call takes one direction at a time, also if its result is not used and it changes memory alone.
fn has_calls(block: &Block, activity: &Activity) -> bool {
    block.ops.iter().any(|op| {
        matches!(&op.kind, Kind::Call(call) if call.is_formed()
            || op.results.iter().any(|&v| activity.value(v))
            || op.stores().iter().any(|p| activity.place(*p)))
            || op.blocks.iter().any(|inner| has_calls(inner, activity))
    })
}

/// A loop of which a round depends on the one before by more than sums.
fn has_recurrence(func: &Func, block: &Block, activity: &Activity) -> bool {
    block.ops.iter().enumerate().any(|(at, op)| {
        let here = match &op.kind {
            Kind::For(head) => {
                let slots = activity.slots(op);
                let memory = stores(op, activity);
                (memory || !slots.is_empty())
                    && !fuse::is_fusable(
                        func,
                        op,
                        head,
                        &slots,
                        &block.ops[at + 1..],
                        activity,
                        fuse::Calls {
                            at_once: &FxHashSet::default(),
                            relied: None,
                        },
                    )
            }
            _ => false,
        };
        here || op
            .blocks
            .iter()
            .any(|inner| has_recurrence(func, inner, activity))
    })
}

fn stores(op: &crate::ir::Op, activity: &Activity) -> bool {
    let mut found = false;
    op.walk(&mut |inner| found |= inner.stores().iter().any(|p| activity.place(*p)));
    found
}
