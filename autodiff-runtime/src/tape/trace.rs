//! What was recorded, with values and gradients, as a table and as a picture.

use alloc::string::String;
use alloc::vec::Vec;

use super::{NONE, Tape, Var};
use crate::float::Float;
use crate::graph::Graph;
use crate::trace::{Operand, Trace, TraceNode};

/// Stands for the function, which has no static graph.
static TAPE: Graph = Graph::encoded("tape", "", "", "", &[], &[]);

impl<T: Float> Tape<T> {
    /// Everything that was recorded, with the value of each node and the gradient of `result` with respect to it.
    ///
    /// It prints as a table, and [`to_svg`](Trace::to_svg) and [`to_dot`](Trace::to_dot) draw it, as they do that of a static function.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// tape.keep_details();
    /// let (x, y) = (tape.var(3.0).named("x"), tape.var(1.0).named("y"));
    /// let p = (x + y).named("p");
    /// let trace = tape.trace(p * (x - y));
    /// let p = trace.node("p").unwrap();
    /// assert_eq!((p.op, p.value, p.gradient), ("add", 4.0, 2.0));
    /// assert!(trace.to_svg().starts_with("<svg"));
    /// println!("{trace}");
    /// ```
    ///
    /// # Panics
    ///
    /// If the tape did not [keep details](Tape::keep_details), or `result` belongs to another one.
    #[must_use]
    #[track_caller]
    pub fn trace(&self, result: Var<'_, T>) -> Trace {
        let gradients = self.backward(&[(result, T::ONE)]);
        let details = self.details.borrow();
        assert!(
            details.kept,
            "a trace needs a tape that keeps details; call `keep_details` on it first"
        );
        // Nodes that are nobody's are left out, so positions change.
        let place = |node: u32| {
            let place = details
                .all
                .binary_search_by_key(&node, |detail| detail.node);
            if node == NONE { None } else { place.ok() }
        };
        let known = |node: u32| {
            assert!(
                node as usize >= details.since,
                "something was recorded before `keep_details` was called; call it on a tape that is empty"
            );
            place(node)
        };
        let mut names = alloc::vec![String::new(); details.all.len()];
        for (node, name) in &details.names {
            if let Some(place) = place(*node) {
                names[place].clone_from(name);
            }
        }
        let nodes = details.all.iter().zip(names).map(|(detail, name)| {
            let operands = details.operands(detail).into_iter();
            TraceNode {
                op: details.name(detail),
                name,
                line: detail.location.line(),
                call: 0,
                value: detail.value.to_f64(),
                gradient: gradients.at(detail.node as usize).to_f64(),
                operands: operands
                    .map(|(node, value, partial)| Operand {
                        node: known(node),
                        value: value.to_f64(),
                        partial: partial.to_f64(),
                    })
                    .collect(),
            }
        });
        let nodes: Vec<TraceNode> = nodes.collect();
        let at = if result.is_constant() {
            None
        } else {
            place(result.position() as u32)
        };
        Trace::new(&TAPE, nodes, result.value().to_f64(), at)
    }
}
