//! Forward mode along what is recorded.

use alloc::vec::Vec;

use super::calls::Tensors;
use super::{Tape, Var};
use crate::float::Float;
use crate::kernels::select;

impl<T: Float> Tape<T> {
    /// The derivative of each result in a direction, which is given as variables and their tangents; those of others are zero.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// let (x, y) = (tape.var(3.0), tape.var(2.0));
    /// let results = [x * y, x.powi(2)];
    /// assert_eq!(tape.jvp(&[(x, 1.0), (y, 10.0)], &results), [32.0, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If a variable or a result belongs to another tape, or the tape was cleared since.
    #[must_use]
    #[track_caller]
    pub fn jvp(&self, direction: &[(Var<'_, T>, T)], results: &[Var<'_, T>]) -> Vec<T> {
        let variables = direction.iter().map(|(variable, _)| variable);
        for var in variables.chain(results).filter(|var| !var.is_constant()) {
            if !var.is_of(self) {
                var.refuse(self);
            }
        }
        let recorded = results.iter().filter(|result| !result.is_constant());
        let len = recorded.map(|result| result.position() + 1).max();
        let mut tangents = alloc::vec![T::ZERO; len.unwrap_or(0)];
        for (variable, tangent) in direction {
            if variable.is_constant() {
                continue;
            }
            if let Some(sum) = tangents.get_mut(variable.position()) {
                *sum += *tangent;
            }
        }
        self.walk(&mut tangents, &mut Tensors::default());
        let of = |result: &Var<'_, T>| {
            let recorded = !result.is_constant();
            if recorded {
                tangents[result.position()]
            } else {
                T::ZERO
            }
        };
        results.iter().map(of).collect()
    }

    /// Hands tangents on from node to node, as far as there are places for them.
    pub(super) fn walk(&self, tangents: &mut [T], tensors: &mut Tensors<T>) {
        self.arena.read(|nodes| {
            let calls = self.calls.borrow();
            let mut calls = calls.iter().peekable();
            for (at, node) in nodes[..tangents.len()].iter().enumerate() {
                if let Some(call) = calls.next_if(|call| call.nodes().start == at) {
                    call.push(tangents, tensors);
                }
                let mut sum = tangents[at];
                for (operand, partial) in node.operands.into_iter().zip(node.partials) {
                    let tangent = tangents.get(operand as usize).copied();
                    let tangent = tangent.unwrap_or(T::ZERO);
                    // A zero tangent contributes nothing, whatever the partial, and a zero partial nothing, whatever the tangent.
                    if tangent != T::ZERO {
                        sum += select(tangent, partial);
                    }
                }
                tangents[at] = sum;
            }
        });
    }
}
