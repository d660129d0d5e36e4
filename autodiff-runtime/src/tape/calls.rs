//! Compiled functions on the tape.
//!
//! A call whose result is a number is recorded as one operation, with the partials that the function's own gradient gives.
//! Of several numbers each is a node without operands, and the sweeps call the function's derivative when they come by: once for all of them.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::panic::Location;

use super::details::{self, ARGUMENTS};
use super::dynamic::{Lift, Scalars};
use super::elementary::Code;
use super::{NONE, Node, Tape, Var};
use crate::float::Float;
use crate::matrix::Matrix;
use crate::tangent::Tangent;

#[cfg(feature = "std")]
std::thread_local! {
    /// How often code of the user has looked at a cotangent.
    static WATCHES: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}

#[cfg(not(feature = "std"))]
static WATCHES: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);

/// Code of the user looks at a cotangent.
pub(crate) fn count_watch() {
    #[cfg(feature = "std")]
    let _ = WATCHES.try_with(|watches| watches.set(watches.get().wrapping_add(1)));
    #[cfg(not(feature = "std"))]
    WATCHES.fetch_add(1, core::sync::atomic::Ordering::Relaxed);
}

fn watches() -> usize {
    #[cfg(feature = "std")]
    let count = WATCHES.try_with(core::cell::Cell::get).unwrap_or(0);
    #[cfg(not(feature = "std"))]
    let count = WATCHES.load(core::sync::atomic::Ordering::Relaxed);
    count
}

/// The derivative of a call with cotangents of our choice.
///
/// # Panics
///
/// If code of the user looks at them, which is to see those that come on the tape.
#[track_caller]
fn unwatched<R>(name: &'static str, derivative: impl FnOnce() -> R) -> R {
    let before = watches();
    let made = derivative();
    assert!(
        watches() == before,
        "`{name}` calls a function with `with_cotangent`, which is to see the cotangents of the tape; return the number as an array of one, `[f64; 1]`, and keep no details"
    );
    made
}

/// Records a call whose result is a number, with its gradient, which has an entry for each of the inputs.
#[track_caller]
pub fn graded<'t, T: Float, G: Tangent>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    derivative: impl FnOnce() -> (T, G),
) -> Var<'t, T> {
    let (value, gradient) = unwatched(name, derivative);
    number(name, inputs, value, &entries(&gradient))
}

/// The same, where the entries are known.
#[track_caller]
pub(crate) fn number<'t, T: Float>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    value: T,
    gradient: &[T],
) -> Var<'t, T> {
    match tape_of(inputs) {
        Some(tape) => tape.single(name, inputs, value, gradient, Location::caller()),
        None => Var::constant(value),
    }
}

/// The derivative of a call, in the order of the numbers that go in and come out: forward from tangents to tangents, else from cotangents to cotangents.
pub trait Derivative<T>: Fn(bool, &[T]) -> Vec<T> + Send + 'static {}

impl<T, F: Fn(bool, &[T]) -> Vec<T> + Send + 'static> Derivative<T> for F {}

/// A call with several results, which stand at successive nodes.
pub(super) struct Call<T> {
    first: usize,
    count: usize,
    /// The nodes of what goes in.
    pub(super) inputs: Vec<u32>,
    derivative: Box<dyn Derivative<T>>,
}

/// What is on the tape beside operations of numbers, at nodes of its own: compiled functions, and operations of tensors.
pub(super) enum Entry<T: Float> {
    Call(Call<T>),
    #[cfg(feature = "tensor")]
    Tensor(super::tensor::Record<T>),
}

/// Adjoints or tangents of the tensors on a tape.
#[cfg(feature = "tensor")]
pub(super) type Tensors<T> = super::tensor::Tensors<T>;
#[cfg(not(feature = "tensor"))]
pub(super) type Tensors<T> = core::marker::PhantomData<T>;

impl<T: Float> Entry<T> {
    pub(super) fn nodes(&self) -> core::ops::Range<usize> {
        match self {
            Entry::Call(call) => call.nodes(),
            #[cfg(feature = "tensor")]
            Entry::Tensor(record) => record.nodes(),
        }
    }

    /// Whether it is an operation of tensors.
    pub(super) fn is_of_tensors(&self) -> bool {
        !matches!(self, Entry::Call(_))
    }

    /// Hands the adjoints of the results on to what goes in.
    pub(super) fn pull(&self, adjoints: &mut [T], tensors: &mut Tensors<T>) {
        let _ = &tensors;
        match self {
            Entry::Call(call) => call.pull(adjoints),
            #[cfg(feature = "tensor")]
            Entry::Tensor(record) => record.pull(adjoints, tensors),
        }
    }

    /// Sets the tangents of the results to those that come of what goes in.
    pub(super) fn push(&self, tangents: &mut [T], tensors: &mut Tensors<T>) {
        let _ = &tensors;
        match self {
            Entry::Call(call) => call.push(tangents),
            #[cfg(feature = "tensor")]
            Entry::Tensor(record) => record.push(tangents, tensors),
        }
    }
}

/// Records a call with any result.
#[track_caller]
pub fn results<'t, T: Float, R: Lift<T>>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    value: &R,
    derivative: impl Derivative<T>,
) -> R::Vars<'t> {
    let Some(tape) = tape_of(inputs) else {
        return value.lift(&mut Var::constant);
    };
    if tape.arena.is_watched() {
        // Pictures want the partials.
        let mut count = 0;
        let _ = value.lift(&mut |value| {
            count += 1;
            Var::constant(value)
        });
        let mut seeds = vec![T::ZERO; count];
        let mut at = 0;
        let location = Location::caller();
        return value.lift(&mut |value| {
            seeds[at] = T::ONE;
            let row = unwatched(name, || derivative(false, &seeds));
            seeds[at] = T::ZERO;
            at += 1;
            tape.single(name, inputs, value, &row, location)
        });
    }
    let first = tape.len();
    let leaf = Node {
        partials: [T::ZERO; 2],
        operands: [NONE; 2],
    };
    let vars = value.lift(&mut |value| Var::recorded(tape, value, tape.arena.push(leaf)));
    if tape.len() == first {
        return vars;
    }
    let inputs = inputs.iter().map(|var| {
        if var.is_constant() {
            NONE
        } else {
            var.id as u32
        }
    });
    tape.calls.borrow_mut().push(Entry::Call(Call {
        first,
        count: tape.len() - first,
        inputs: inputs.collect(),
        derivative: Box::new(derivative),
    }));
    vars
}

/// Records a call whose result has several numbers, with all partials at once; the Jacobian has a row for each number.
#[track_caller]
pub fn rows<'t, T: Float, R: Lift<T>>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    derivative: impl FnOnce() -> (R, Matrix<T>),
) -> R::Vars<'t> {
    let (value, jacobian) = unwatched(name, derivative);
    let Some(tape) = tape_of(inputs) else {
        return value.lift(&mut Var::constant);
    };
    let location = Location::caller();
    let mut rows = 0..;
    value.lift(&mut |value| {
        let row = rows.next().unwrap_or_default();
        tape.single(name, inputs, value, jacobian.row(row), location)
    })
}

impl<T: Float> Call<T> {
    fn nodes(&self) -> core::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// Hands the adjoints of the results on to what goes in; where all are zero, nothing.
    fn pull(&self, adjoints: &mut [T]) {
        let of_results = self
            .nodes()
            .map(|at| adjoints.get(at).copied().unwrap_or(T::ZERO));
        let seeds: Vec<T> = of_results.collect();
        if seeds.iter().all(|seed| *seed == T::ZERO) {
            return;
        }
        for (&at, bar) in self.inputs.iter().zip((self.derivative)(false, &seeds)) {
            if let Some(sum) = adjoints.get_mut(at as usize) {
                *sum += bar;
            }
        }
    }

    /// Sets the tangents of the results to those that come of what goes in.
    fn push(&self, tangents: &mut [T]) {
        let of_inputs = self
            .inputs
            .iter()
            .map(|&at| tangents.get(at as usize).copied().unwrap_or(T::ZERO));
        let inputs: Vec<T> = of_inputs.collect();
        if inputs.iter().all(|tangent| *tangent == T::ZERO) {
            return;
        }
        for (at, dot) in self.nodes().zip((self.derivative)(true, &inputs)) {
            if let Some(tangent) = tangents.get_mut(at) {
                *tangent += dot;
            }
        }
    }
}

/// Sets the scalars of a tangent, or of several in a slice, to the next ones of `flat`.
pub fn fill<T: Float, X: Scalars + ?Sized>(tangent: &mut X, flat: &mut core::slice::Iter<'_, T>) {
    tangent.fill(&mut |entry| *entry = flat.next().map_or(0.0, |x| x.to_f64()));
}

/// Appends the scalars of a tangent.
pub fn append<T: Float, X: Tangent>(tangent: &X, flat: &mut Vec<T>) {
    flat.extend(tangent.to_flat().into_iter().map(T::from_f64));
}

/// The entries of a gradient.
fn entries<T: Float, G: Tangent>(gradient: &G) -> Vec<T> {
    gradient.to_flat().into_iter().map(T::from_f64).collect()
}

/// Whether the result of a call with these inputs is a constant.
#[must_use]
pub fn are_constant<T: Float>(inputs: &[Var<'_, T>]) -> bool {
    inputs.iter().all(|var| var.is_constant())
}

/// The tape of the variables, if they are not all constants.
#[track_caller]
fn tape_of<'t, T: Float>(inputs: &[Var<'t, T>]) -> Option<&'t Tape<T>> {
    let tape = inputs.iter().find_map(|var| var.tape)?;
    for var in inputs {
        if !var.is_constant() && !var.is_of(tape) {
            var.refuse(tape);
        }
    }
    Some(tape)
}

impl<T: Float> Tape<T> {
    /// A number with given partials: a chain of nodes with two operands each, of which the last is that of the number, and the others are nobody's.
    fn single(
        &self,
        name: &'static str,
        inputs: &[Var<'_, T>],
        value: T,
        partials: &[T],
        location: &'static Location<'static>,
    ) -> Var<'_, T> {
        debug_assert_eq!(inputs.len(), partials.len(), "a partial for each input");
        let mut node = Node {
            partials: [T::ZERO; 2],
            operands: [NONE; 2],
        };
        // The number of operands that `node` has.
        let mut filled = 0;
        let moving = inputs.iter().zip(partials);
        // What it does not depend on gets nothing, however large the cotangent.
        for (var, &partial) in
            moving.filter(|(var, partial)| !var.is_constant() && **partial != T::ZERO)
        {
            if filled == 2 {
                let part = self.arena.push(node);
                node = Node {
                    partials: [T::ONE, T::ZERO],
                    operands: [part as u32, NONE],
                };
                filled = 1;
            }
            node.partials[filled] = partial;
            node.operands[filled] = var.id as u32;
            filled += 1;
        }
        if self.arena.is_watched() {
            let operands = inputs.iter().zip(partials).map(|(var, &partial)| {
                let at = if var.is_constant() {
                    NONE
                } else {
                    var.id as u32
                };
                (at, var.value, partial)
            });
            let call = self.details.borrow_mut().call(details::Call {
                name,
                operands: operands.collect(),
            });
            self.note(
                Code::call(call),
                value,
                (0, [(0, T::ZERO); ARGUMENTS]),
                location,
            );
        }
        Var::recorded(self, value, self.arena.push(node))
    }
}
