//! The dynamic tape: operations are recorded while a program runs, and one walk backwards gives every derivative.
//!
//! For code whose way only the running program knows: any function of [`Var`]s can be differentiated, whatever its control flow and data structures.
//!
//! ```
//! use autodiff_runtime::tape::Tape;
//!
//! let tape = Tape::new();
//! let (a, b, d) = (tape.var(2.0), tape.var(-3.0), tape.var(10.0));
//! let f = (a * b + d).relu();
//! let g = f.backward();
//! assert_eq!(f.value(), 4.0);
//! assert_eq!((g.wrt(a), g.wrt(b), g.wrt(d)), (-3.0, 2.0, 1.0));
//! ```
//!
//! A recorded operation is 24 bytes in one growable array: its partial derivatives by two operands, and where these are.
//! Values stay in the `Var`s. What has constants as operands only is a constant itself, and is not recorded.

#![allow(
    clippy::inline_always,
    reason = "a call for each operation would take as long as all the rest"
)]

mod arena;
pub(crate) mod calls;
mod closures;
#[cfg(feature = "sparse")]
mod dependence;
mod details;
#[doc(hidden)]
pub mod dynamic;
mod elementary;
mod forward;
mod higher;
#[cfg(feature = "num-traits")]
mod num_traits;
mod operators;
mod sweep;
#[cfg(feature = "tensor")]
pub(crate) mod tensor;
mod trace;
mod var;

use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::fmt;

use self::arena::Arena;
use self::calls::Entry;
pub use self::closures::{derivative, grad, hessian, jacobian, value_and_grad};
use self::details::Details;
use self::elementary::Code;
pub(crate) use self::elementary::rows;
pub use self::higher::{RecordedGradients, Unrecorded};
pub use self::sweep::{Gradients, Wrt};
#[doc(hidden)]
pub use self::sweep::{OfTensor, Source};
#[cfg(feature = "tensor")]
pub use self::tensor::{AsTensorVar, Tangents, TensorVar};
pub use self::var::Var;
use crate::float::Float;
use crate::kept;

/// No operand.
const NONE: u32 = u32::MAX;

/// A recorded operation: by how much it moves with its operands, and where these are.
#[derive(Clone, Copy, Debug)]
struct Node<T> {
    partials: [T; 2],
    operands: [u32; 2],
}

/// What [`Var`]s are recorded on.
///
/// It grows as operations are recorded, and keeps its memory when it is cleared, so one tape that is cleared for each step of an optimisation allocates nothing after the first.
///
/// ```
/// use autodiff_runtime::tape::Tape;
///
/// let tape = Tape::new();
/// let mut x = 0.0;
/// for _ in 0..100 {
///     tape.clear();
///     let v = tape.var(x);
///     let loss = (v - 3.0).powi(2);
///     x -= 0.1 * loss.backward().wrt(v);
/// }
/// assert!((x - 3.0_f64).abs() < 1e-6);
/// ```
///
/// # Panics
///
/// A `Var` may not be mixed with those of another tape, nor be used after `clear`: every operation panics, in release builds as well.
pub struct Tape<T: Float = f64> {
    arena: Arena<Node<T>>,
    /// So many nodes at the start are variables, which no sweep needs to visit.
    leading: Cell<usize>,
    details: RefCell<Details<T>>,
    /// In the order of their nodes.
    calls: RefCell<Vec<Entry<T>>>,
    /// The tensors of those nodes that stand for one.
    #[cfg(feature = "tensor")]
    tensors: RefCell<tensor::Tensors<T>>,
}

/// Constructors for `f64` alone, so that the type of `Tape::new()` is known where it stands; a tape of `f32` is `Tape::<f32>::default()`.
impl Tape {
    /// An empty tape.
    ///
    /// It takes the memory of a tape that the thread has dropped, if there is one, and else allocates as it grows.
    #[must_use]
    pub fn new() -> Self {
        Tape::default()
    }

    /// An empty tape with room for so many operations.
    #[must_use]
    pub fn with_capacity(operations: usize) -> Self {
        let mut slots = empty();
        slots.reserve(operations);
        Tape {
            arena: Arena::new(slots),
            leading: Cell::new(0),
            details: RefCell::default(),
            calls: RefCell::default(),
            #[cfg(feature = "tensor")]
            tensors: RefCell::default(),
        }
    }
}

impl<T: Float> Tape<T> {
    /// A variable: what derivatives are taken with respect to.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn var(&self, value: T) -> Var<'_, T> {
        let leaf = Node {
            partials: [T::ZERO; 2],
            operands: [NONE; 2],
        };
        let before = self.leading.get();
        if self.len() == before {
            self.leading.set(before + 1);
        }
        self.record(leaf, Code::variable, value, [])
    }

    /// A variable for each of the values.
    #[must_use]
    #[track_caller]
    pub fn vars(&self, values: &[T]) -> Vec<Var<'_, T>> {
        let mut all = Vec::with_capacity(values.len());
        for &value in values {
            all.push(self.var(value));
        }
        all
    }

    /// The number of recorded nodes, variables included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether nothing is recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything that was recorded, and keeps the memory.
    ///
    /// What was recorded before must not be used any more, which is checked.
    pub fn clear(&self) {
        self.arena.clear();
        self.leading.set(0);
        self.calls.borrow_mut().clear();
        #[cfg(feature = "tensor")]
        self.tensors.borrow_mut().clear();
        let mut details = self.details.borrow_mut();
        if details.kept || !details.names.is_empty() {
            details.clear();
        }
    }
}

/// An empty list, with memory that was used before if there is any.
fn empty<N: Copy + 'static>() -> Vec<N> {
    let mut items = kept::take(0);
    items.clear();
    items
}

/// An empty tape, as of [`Tape::new`], of any float.
impl<T: Float> Default for Tape<T> {
    fn default() -> Self {
        Tape {
            arena: Arena::new(empty()),
            leading: Cell::new(0),
            details: RefCell::default(),
            calls: RefCell::default(),
            #[cfg(feature = "tensor")]
            tensors: RefCell::default(),
        }
    }
}

impl<T: Float> fmt::Debug for Tape<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tape")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl<T: Float> Drop for Tape<T> {
    fn drop(&mut self) {
        kept::put(self.arena.free());
    }
}
