//! What holds of every graph between passes, checked in debug builds.
//!
//! - Every operand dominates its use: blocks see their parameters, what they recall, and the values of the blocks around.
//! - A value is defined once.
//! - The places an operation names exist.
//! - Arms of a conditional yield as many values as it has results, a loop as many as it carries.

use rustc_hash::FxHashSet;

use crate::ir::{Block, Func, Kind, Param, Ty, Value};

/// Panics if an invariant is broken: a bug of the compiler.
///
/// `extra` are parameters beside those of the function itself: a seed, tangents.
pub(crate) fn verify(func: &Func, extra: impl IntoIterator<Item = Param>) {
    if cfg!(debug_assertions) {
        let mut cx = Verifier {
            func,
            defined: FxHashSet::default(),
        };
        let mut visible = FxHashSet::default();
        for param in func.params.iter().copied().chain(extra) {
            if let Param::Value(v) = param {
                cx.define(v, &mut visible);
            }
        }
        cx.block(&func.body, &visible);
    }
}

struct Verifier<'a> {
    func: &'a Func,
    defined: FxHashSet<Value>,
}

impl Verifier<'_> {
    fn block(&mut self, block: &Block, outer: &FxHashSet<Value>) {
        let mut visible = outer.clone();
        for &v in block.params.iter().chain(&block.recall) {
            self.define(v, &mut visible);
        }
        for op in &block.ops {
            for v in op.operands() {
                assert!(
                    visible.contains(&v) || matches!(op.kind, Kind::Need(_)),
                    "{v:?} ({}) does not dominate its use in {:?}",
                    self.func.hint(v),
                    op.kind
                );
            }
            for path in op.paths() {
                assert!(
                    (path.root.0 as usize) < self.func.places.len(),
                    "no place {:?}",
                    path.root
                );
            }
            for inner in &op.blocks {
                self.block(inner, &visible);
                let expected = match &op.kind {
                    Kind::For(head) => inner.params.len() - head.inductions,
                    _ => op
                        .results
                        .iter()
                        .filter(|&&v| !matches!(self.func.ty(v), Ty::Residual { .. }))
                        .count(),
                };
                assert!(
                    inner.diverges || inner.yields.len() == expected,
                    "{:?} yields {} values for {expected}",
                    op.kind,
                    inner.yields.len()
                );
            }
            for &v in &op.results {
                self.define(v, &mut visible);
            }
        }
        for v in block.yields.iter().chain(&block.record) {
            assert!(
                visible.contains(v),
                "{v:?} ({}) is yielded or recorded where it is not defined",
                self.func.hint(*v)
            );
        }
    }

    fn define(&mut self, v: Value, visible: &mut FxHashSet<Value>) {
        assert!(
            self.defined.insert(v),
            "{v:?} ({}) is defined twice",
            self.func.hint(v)
        );
        visible.insert(v);
    }
}
