//! Which variables results follow from, on what is recorded.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::calls::Entry;
use super::{Tape, Var};
use crate::float::Float;
use crate::sparse::Pattern;

/// The numbers of variables, ascending.
type Set = Rc<[usize]>;

fn union(one: &Set, other: &Set) -> Set {
    if one.is_empty() || Rc::ptr_eq(one, other) {
        return Rc::clone(other);
    }
    if other.is_empty() {
        return Rc::clone(one);
    }
    let mut both = [&one[..], &other[..]].concat();
    both.sort_unstable();
    both.dedup();
    both.into()
}

impl Pattern {
    /// The pattern of the Jacobian of a closure from variables to variables, by one run on a tape.
    ///
    /// Every operand of every operation that runs counts, whatever its slope: so it holds at all points for which the closure takes the same way.
    /// What goes through tensors counts as following from all variables.
    ///
    /// ```
    /// use autodiff_runtime::sparse::Pattern;
    ///
    /// let pattern = Pattern::recorded(&[1.0, 2.0, 0.0], |x| vec![x[0] * x[2], x[1].sin()]);
    /// assert_eq!(pattern, Pattern::new(2, 3, [(0, 0), (0, 2), (1, 1)]));
    /// ```
    pub fn recorded<T: Float>(
        x: &[T],
        f: impl for<'t> FnOnce(&[Var<'t, T>]) -> Vec<Var<'t, T>>,
    ) -> Pattern {
        let tape = Tape::default();
        let variables = tape.vars(x);
        let results = f(&variables);
        let sets = sets(&tape, &variables);
        let rows = results.iter().enumerate();
        let rows = rows.filter(|(_, result)| !result.is_constant());
        let entries = rows.flat_map(|(row, result)| {
            let set = Rc::clone(&sets[result.position()]);
            (0..set.len()).map(move |k| (row, set[k]))
        });
        Pattern::new(results.len(), x.len(), entries)
    }
}

/// What each node of a tape follows from.
fn sets<T: Float>(tape: &Tape<T>, variables: &[Var<'_, T>]) -> Vec<Set> {
    let nothing: Set = Rc::new([]);
    let mut sets = alloc::vec![Rc::clone(&nothing); tape.len()];
    for (k, variable) in variables.iter().enumerate() {
        sets[variable.position()] = Rc::new([k]);
    }
    tape.arena.read(|nodes| {
        let calls = tape.calls.borrow();
        let mut calls = calls.iter().peekable();
        for (at, node) in nodes[..sets.len()].iter().enumerate() {
            if let Some(call) = calls.next_if(|call| call.nodes().start == at) {
                let of = match call {
                    Entry::Call(call) => {
                        let inputs = call.inputs.iter().filter_map(|&k| sets.get(k as usize));
                        inputs.fold(Rc::clone(&nothing), |all, set| union(&all, set))
                    }
                    #[cfg(feature = "tensor")]
                    Entry::Tensor(_) => (0..variables.len()).collect(),
                };
                for result in call.nodes() {
                    sets[result] = Rc::clone(&of);
                }
            }
            for operand in node.operands {
                if let Some(set) = sets.get(operand as usize).cloned() {
                    sets[at] = union(&sets[at], &set);
                }
            }
        }
    });
    sets
}
