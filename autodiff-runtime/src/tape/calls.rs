//! Compiled functions on the tape: a call of one is recorded as one operation for each number of its result, with the partials that its own derivative gives.

use alloc::vec::Vec;
use core::panic::Location;

use super::details::{ARGUMENTS, Call};
use super::dynamic::Lift;
use super::elementary::Code;
use super::{NONE, Node, Tape, Var};
use crate::float::Float;
use crate::matrix::Matrix;
use crate::tangent::Tangent;

/// Records a call whose result is a number; the gradient has an entry for each of the inputs.
#[track_caller]
pub fn number<'t, T: Float>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    value: T,
    gradient: &[T],
) -> Var<'t, T> {
    match tape_of(inputs) {
        Some(tape) => tape.call(name, inputs, value, gradient, Location::caller()),
        None => Var::constant(value),
    }
}

/// Records a call with any result; the Jacobian has a row for each of its numbers.
#[track_caller]
pub fn results<'t, T: Float, R: Lift<T>>(
    name: &'static str,
    inputs: &[Var<'t, T>],
    value: &R,
    jacobian: &Matrix<T>,
) -> R::Vars<'t> {
    let Some(tape) = tape_of(inputs) else {
        return value.lift(&mut Var::constant);
    };
    let location = Location::caller();
    let mut rows = 0..;
    value.lift(&mut |value| {
        let row = rows.next().unwrap_or_default();
        tape.call(name, inputs, value, jacobian.row(row), location)
    })
}

/// The entries of a gradient.
pub fn entries<T: Float, G: Tangent>(gradient: &G) -> Vec<T> {
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
    fn call(
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
            let call = self.details.borrow_mut().call(Call {
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
