//! Derivatives of derivatives: forward mode over both sweeps of one graph.
//!
//! A graph of both sweeps is made of the operations that every graph is made of, so it is differentiated like one.
//! Each order doubles what goes in and out: the arguments and their tangents, the cotangents and theirs.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use crate::analysis;
use crate::errors::Errors;
use crate::function::GradFn;
use crate::ir::{Arg, Block, Companion, Form, Func, Kind, Op, Param, Place, Storage, Ty, Value};
use crate::jvp::{Dotted, Inputs, forward};
use crate::simplify::simplify;
use crate::slopes::Steep;
use crate::verify::verify;
use crate::vjp::Vjp;

/// Refuses what has no second derivatives yet.
pub(crate) fn refuse(function: &GradFn, func: &Func, errors: &mut Errors) {
    let order = function.options.order;
    if order < 2 {
        return;
    }
    for op in &func.body.ops {
        op.walk(&mut |op| {
            if matches!(op.kind, Kind::Watch { .. }) {
                errors.error_at(
                    op.span,
                    format_args!("`with_cotangent` is not supported with `order = {order}`: what it makes of a cotangent has no known derivative"),
                );
            }
        });
    }
}

/// How both sweeps have several directions at once.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Several {
    /// They have one.
    #[default]
    No,
    /// Each number of a tangent has lanes.
    Lanes,
    /// Each direction has a tangent, of whatever type.
    Each,
}

/// The most operations that are written for tangents in arrays, one per direction.
///
/// Beyond, such forms take rustc seconds that hardly any caller has a use for, as those of a match with a hundred arms do: there one direction runs after the other.
const MOST_WITH_ARRAYS: usize = 2000;

/// Both sweeps with tangents; entry 0 of each list is the thing itself, entry `k` its tangent by the directions whose bits are in `k`.
pub(crate) struct Dual {
    pub(crate) func: Func,
    /// The reverse sweep begins at this operation of the body.
    pub(crate) split: usize,
    pub(crate) seeds: Vec<Option<Value>>,
    /// In the order of the function's parameters.
    pub(crate) args: Vec<Vec<Option<Param>>>,
    pub(crate) shadows: Vec<Vec<Option<Place>>>,
    /// How many of the yields are results; those behind them are cotangents.
    pub(crate) results: usize,
    /// What has a tangent for each direction, with one direction after the other or all at once.
    pub(crate) dotted: Dotted,
    /// Whether what it gives may be an infinite slope.
    pub(crate) steep: Steep,
}

impl Dual {
    /// Both sweeps as they are.
    pub(crate) fn new(both: Vjp, results: usize) -> Dual {
        let borrowed = |p: &Place| both.func.at(*p).storage != Storage::Owned;
        Dual {
            args: vec![both.func.params.iter().map(|&p| Some(p)).collect()],
            seeds: vec![both.seed],
            shadows: vec![both.shadows.iter().map(|s| s.filter(borrowed)).collect()],
            split: both.split,
            func: both.func,
            results,
            dotted: Dotted::default(),
            steep: both.steep,
        }
    }

    /// What comes from outside beside the function's own parameters.
    pub(crate) fn extra(&self) -> Vec<Param> {
        let args = self.args[1..].iter().flatten().copied().flatten();
        let seeds = self.seeds.iter().copied().flatten().map(Param::Value);
        let shadows = self.shadows.iter().flatten().copied().flatten();
        args.chain(seeds).chain(shadows.map(Param::Place)).collect()
    }

    /// How it may run in several directions at once: in lanes if every type is known, and what it calls has a form that does so too. What is very long runs in one.
    pub(crate) fn several(&self, function: &GradFn) -> Several {
        // An operator's rule has one direction.
        let apart = function.callables().is_empty() && !function.hidden;
        if !apart || self.seeds.len() != 2 {
            return Several::No;
        }
        let plain =
            function.item.sig.generics.params.is_empty() && function.outer.params.is_empty();
        let (mut in_lanes, mut alone) = (true, true);
        for op in &self.func.body.ops {
            op.walk(&mut |op| {
                in_lanes &= self.calls_in_lanes(op);
                alone &= calls_in_directions(op);
            });
        }
        // A number of a type of the user's own has no lanes.
        let owned = self.func.values.iter().any(|v| v.ty.is_user())
            || self.func.places.iter().any(|p| p.ty.is_user());
        if plain && function.understood && function.method.is_none() && in_lanes && !owned {
            Several::Lanes
        } else if alone && self.func.count_ops() <= MOST_WITH_ARRAYS {
            Several::Each
        } else {
            Several::No
        }
    }

    /// Of a call with tangents: whether what it gives is known, for functions may give what has one direction.
    ///
    /// Where memory is lent to be changed and nothing is made of the result, that is `()`.
    fn calls_in_lanes(&self, op: &Op) -> bool {
        let Kind::Call(call) = &op.kind else {
            return true;
        };
        let results = match call.form {
            _ if call.level == 0 => return true,
            Form::Forward(_) => &op.results[..op.results.len() - 1],
            Form::Backward(_) => &op.results,
            Form::Primal | Form::Jvp(_) | Form::AtOnce(_) => return false,
        };
        let changes = call.args.iter().any(|arg| matches!(arg, Arg::Mut(_)));
        let known = |&v: &Value| {
            self.func.ty(v).is_understood() || changes && !is_computed_with(&self.func.body, v)
        };
        // A constant may be of a type of the user's own, whose tangent has no lanes.
        let mut constants = call.args.iter().cycle().zip(call.form.companions());
        let plain = constants.all(|(arg, companion)| match (arg, companion) {
            (Arg::Value(v), Companion::Zero) => !matches!(self.func.ty(*v), Ty::Unknown),
            (Arg::Ref(path) | Arg::Mut(path), Companion::Zero) => {
                !matches!(self.func.path_ty(path), Ty::Unknown)
            }
            _ => true,
        });
        results.iter().all(known)
            && plain
            && call.member.is_none()
            && call.generics.is_empty()
            && call.functions.is_empty()
            && call.unsure.is_empty()
            && !call.parameter
            && call.nested.is_none()
    }

    /// Differentiates once more; `wrt` are the differentiable parameters of the function.
    pub(crate) fn jvp(self, wrt: &[Param]) -> Dual {
        let Dual {
            mut func,
            split,
            seeds,
            args,
            shadows,
            results,
            steep,
            ..
        } = self;
        let mut all: Vec<Param> = Vec::new();
        let mut active: Vec<Param> = Vec::new();
        for (k, group) in args.iter().enumerate() {
            for &param in group.iter().flatten() {
                all.push(param);
                if k > 0 || wrt.contains(&param) {
                    active.push(param);
                }
            }
        }
        let behind = seeds.iter().copied().flatten().map(Param::Value);
        let memory = shadows.iter().flatten().copied().flatten();
        for param in behind.chain(memory.clone().map(Param::Place)) {
            all.push(param);
            active.push(param);
        }
        let exclusive = args.iter().flatten().filter_map(|param| match param {
            Some(Param::Place(p)) if func.at(*p).storage == Storage::Exclusive => Some(*p),
            _ => None,
        });
        let kept: Vec<Place> = memory.chain(exclusive).collect();
        let activity = analysis::activity_to(&func, &active, kept);
        func.body.mark_split(split);
        let inputs = Inputs {
            all,
            wrt: active,
            handed_out: results,
        };
        let mut dual = forward(&func, &activity, &inputs, None);
        let steep = steep.join(dual.guard(&activity, func.body.yields.len()));
        simplify(&mut dual.func);
        let split = dual.func.body.unmark_split();
        // The tangents of the inputs, in the order in which these were listed.
        let mut dots = dual.tangents.into_iter();
        let doubled_args = doubled(&args, |param| param.and_then(|_| dots.next().flatten()));
        let doubled_seeds = {
            let mut all = seeds.clone();
            all.extend(seeds.iter().map(|seed| {
                seed.and_then(|_| match dots.next().flatten() {
                    Some(Param::Value(v)) => Some(v),
                    _ => None,
                })
            }));
            all
        };
        let doubled_shadows = doubled(&shadows, |shadow| {
            shadow.and_then(|_| match dots.next().flatten() {
                Some(Param::Place(p)) => Some(p),
                _ => None,
            })
        });
        // Yields stand with their tangents.
        let yields = std::mem::take(&mut dual.func.body.yields);
        let (plain, tangents) = yields.split_at(yields.len() / 2);
        let both = [&plain[..results], &tangents[..results]];
        let bars = [&plain[results..], &tangents[results..]];
        dual.func.body.yields = [both, bars].concat().concat();
        let dual = Dual {
            func: dual.func,
            split,
            seeds: doubled_seeds,
            args: doubled_args,
            shadows: doubled_shadows,
            results: 2 * results,
            dotted: dual.dotted,
            steep,
        };
        verify(&dual.func, dual.extra());
        dual
    }
}

/// Of a call with tangents: whether it has several directions at once, whatever its types are.
fn calls_in_directions(op: &Op) -> bool {
    match &op.kind {
        Kind::Call(call) if call.level > 0 => {
            matches!(call.form, Form::Forward(_) | Form::Backward(_))
                && (call.generics.is_empty() || !call.lends())
                && call.functions.is_empty()
                && call.unsure.is_empty()
                && !call.parameter
                && call.nested.is_none()
        }
        _ => true,
    }
}

/// Whether anything but a zero is made of a value.
pub(crate) fn is_computed_with(block: &Block, v: Value) -> bool {
    let mut computed = block.yields.contains(&v);
    for op in &block.ops {
        op.walk(&mut |op| {
            let inner = op.blocks.iter().any(|b| b.yields.contains(&v));
            let mentioned =
                op.args.contains(&v) && !matches!(op.kind, Kind::ZeroLike | Kind::ZeroPart);
            computed |= inner || mentioned;
        });
    }
    computed
}

/// A list of groups, and behind them the groups of what belongs to their entries.
fn doubled<T: Copy>(
    groups: &[Vec<Option<T>>],
    mut tangent: impl FnMut(Option<T>) -> Option<T>,
) -> Vec<Vec<Option<T>>> {
    let mut all = groups.to_vec();
    all.extend(
        groups
            .iter()
            .map(|group| group.iter().map(|&entry| tangent(entry)).collect()),
    );
    all
}

/// The name of the tangent of something by the directions whose bits are in `k`; for 0 the name itself.
pub(crate) fn dotted(k: usize, name: &Ident) -> Ident {
    let plain = name.to_string().replace("r#", "");
    match k {
        0 => name.clone(),
        1 => format_ident!("dot_{plain}", span = Span::mixed_site()),
        k => format_ident!("dot{k}_{plain}", span = Span::mixed_site()),
    }
}
