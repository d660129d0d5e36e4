//! The walk backwards.

use alloc::vec::Vec;
use core::fmt;

use super::calls::Tensors;
use super::{Node, Tape, Var};
use crate::float::Float;
use crate::kept;
use crate::kernels::select;
use crate::tuples::for_tuples;

/// The derivatives of one result, or of a weighted sum of several, with respect to everything that was recorded.
#[derive(Clone)]
pub struct Gradients<T: Float = f64> {
    adjoints: Vec<T>,
    /// Those of tensors.
    #[cfg_attr(not(feature = "tensor"), allow(dead_code, reason = "there are none"))]
    tensors: Tensors<T>,
    /// The generation of the tape, in the upper half; 0 where the result is a constant.
    generation: u64,
}

impl<T: Float> Gradients<T> {
    /// The derivative with respect to a variable, or to each of an array, a slice or a vector of them.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// let x = tape.vars(&[1.0, 2.0, 3.0]);
    /// let s: f64 = x.iter().map(|x| x * x).sum::<autodiff_runtime::tape::Var>().backward().wrt(x[2]);
    /// assert_eq!(s, 6.0);
    /// assert_eq!((x[0] * x[1]).backward().wrt(&x), [2.0, 1.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// If a variable belongs to another tape, or the tape was cleared since, or it is a constant, which has no place in any derivative.
    #[track_caller]
    pub fn wrt<'t, W: Wrt<'t, T>>(&self, variables: W) -> W::Gradient<T, OfTensor<T>> {
        variables.each(&mut &*self)
    }

    #[inline]
    #[track_caller]
    fn of(&self, variable: Var<'_, T>) -> T {
        assert!(
            !variable.is_constant(),
            "the derivative with respect to a constant is asked for; only what is recorded on a tape has one"
        );
        assert!(
            self.generation == 0 || (variable.id ^ self.generation) >> 32 == 0,
            "the gradient with respect to a `Var` of another tape is asked for, or the tape was cleared between"
        );
        self.at(variable.position())
    }

    /// That of the node at a position; what was recorded after the result cannot have part in it.
    #[inline]
    pub(super) fn at(&self, node: usize) -> T {
        self.adjoints.get(node).copied().unwrap_or(T::ZERO)
    }
}

impl<T: Float> Drop for Gradients<T> {
    fn drop(&mut self) {
        kept::put(core::mem::take(&mut self.adjoints));
    }
}

impl<T: Float> fmt::Debug for Gradients<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gradients")
            .field("nodes", &self.adjoints.len())
            .finish_non_exhaustive()
    }
}

/// The gradient with respect to a tensor.
#[cfg(feature = "tensor")]
pub type OfTensor<T> = crate::tensor::Tensor<T>;
/// Without tensors there is none.
#[cfg(not(feature = "tensor"))]
pub type OfTensor<T> = core::marker::PhantomData<T>;

/// Where derivatives come from.
pub trait Source<'t, T: Float> {
    /// That of a number.
    type Number;
    /// That of a tensor.
    type Array;
    /// The derivative with respect to a number.
    #[track_caller]
    fn number(&mut self, variable: Var<'t, T>) -> Self::Number;
    /// The derivative with respect to a tensor.
    #[cfg(feature = "tensor")]
    #[track_caller]
    fn tensor(&mut self, variable: super::TensorVar<'t, T>) -> Self::Array;
}

impl<'t, T: Float> Source<'t, T> for &Gradients<T> {
    type Number = T;
    type Array = OfTensor<T>;
    #[inline]
    fn number(&mut self, variable: Var<'t, T>) -> T {
        self.of(variable)
    }
    #[cfg(feature = "tensor")]
    fn tensor(&mut self, variable: super::TensorVar<'t, T>) -> OfTensor<T> {
        let (at, id) = variable.place();
        assert!(
            self.generation == 0 || (id ^ self.generation) >> 32 == 0,
            "the gradient with respect to a `TensorVar` of another tape is asked for, or the tape was cleared between"
        );
        (self.tensors.get(&at).cloned())
            .unwrap_or_else(|| crate::tensor::Tensor::zeros(&variable.shape()))
    }
}

/// What derivatives are asked for: a variable, or several in an array, a slice, a vector or a tuple.
pub trait Wrt<'t, T: Float> {
    /// Something for each variable: N for a number, A for a tensor.
    type Gradient<N, A>;

    #[doc(hidden)]
    #[track_caller]
    fn each<S: Source<'t, T>>(self, of: &mut S) -> Self::Gradient<S::Number, S::Array>;
}

#[cfg(feature = "tensor")]
impl<'t, T: Float> Wrt<'t, T> for super::TensorVar<'t, T> {
    type Gradient<N, A> = A;
    fn each<S: Source<'t, T>>(self, of: &mut S) -> S::Array {
        of.tensor(self)
    }
}

#[cfg(feature = "tensor")]
impl<'t, T: Float> Wrt<'t, T> for &super::TensorVar<'t, T> {
    type Gradient<N, A> = A;
    fn each<S: Source<'t, T>>(self, of: &mut S) -> S::Array {
        of.tensor(*self)
    }
}

impl<'t, T: Float> Wrt<'t, T> for Var<'t, T> {
    type Gradient<N, A> = N;
    #[inline]
    fn each<S: Source<'t, T>>(self, of: &mut S) -> S::Number {
        of.number(self)
    }
}

impl<'t, T: Float> Wrt<'t, T> for &Var<'t, T> {
    type Gradient<N, A> = N;
    #[inline]
    fn each<S: Source<'t, T>>(self, of: &mut S) -> S::Number {
        of.number(*self)
    }
}

impl<'t, T: Float, W: Wrt<'t, T>, const L: usize> Wrt<'t, T> for [W; L] {
    type Gradient<N, A> = [W::Gradient<N, A>; L];
    fn each<S: Source<'t, T>>(self, of: &mut S) -> Self::Gradient<S::Number, S::Array> {
        self.map(|w| w.each(of))
    }
}

impl<'t, 'a, T: Float, W, const L: usize> Wrt<'t, T> for &'a [W; L]
where
    &'a W: Wrt<'t, T>,
{
    type Gradient<N, A> = [<&'a W as Wrt<'t, T>>::Gradient<N, A>; L];
    fn each<S: Source<'t, T>>(self, of: &mut S) -> Self::Gradient<S::Number, S::Array> {
        self.each_ref().map(|w| w.each(of))
    }
}

impl<'t, 'a, T: Float, W> Wrt<'t, T> for &'a [W]
where
    &'a W: Wrt<'t, T>,
{
    type Gradient<N, A> = Vec<<&'a W as Wrt<'t, T>>::Gradient<N, A>>;
    fn each<S: Source<'t, T>>(self, of: &mut S) -> Self::Gradient<S::Number, S::Array> {
        self.iter().map(|w| w.each(of)).collect()
    }
}

impl<'t, 'a, T: Float, W> Wrt<'t, T> for &'a Vec<W>
where
    &'a W: Wrt<'t, T>,
{
    type Gradient<N, A> = Vec<<&'a W as Wrt<'t, T>>::Gradient<N, A>>;
    fn each<S: Source<'t, T>>(self, of: &mut S) -> Self::Gradient<S::Number, S::Array> {
        self.as_slice().each(of)
    }
}

macro_rules! tuple {
    ($($part:ident $k:tt)+) => {
        impl<'t, Number: Float, $($part: Wrt<'t, Number>),*> Wrt<'t, Number> for ($($part,)*) {
            type Gradient<Each, Array> = ($($part::Gradient<Each, Array>,)*);
            fn each<Of: Source<'t, Number>>(self, of: &mut Of) -> Self::Gradient<Of::Number, Of::Array> {
                ($(self.$k.each(of),)*)
            }
        }
    };
}
for_tuples!(tuple);

impl<T: Float> Var<'_, T> {
    /// The derivatives of this number with respect to everything that it was computed from.
    ///
    /// The tape stays as it is, so this may be asked of several results, and again.
    ///
    /// # Panics
    ///
    /// If the tape was cleared since the number was computed.
    #[must_use]
    #[track_caller]
    pub fn backward(self) -> Gradients<T> {
        self.backward_from(T::ONE)
    }

    /// The derivatives of this number, times a seed.
    ///
    /// # Panics
    ///
    /// If the tape was cleared since the number was computed.
    #[must_use]
    #[track_caller]
    pub fn backward_from(self, seed: T) -> Gradients<T> {
        match self.tape {
            Some(tape) => tape.backward(&[(self, seed)]),
            None => Gradients {
                adjoints: Vec::new(),
                tensors: Tensors::default(),
                generation: 0,
            },
        }
    }
}

impl<T: Float> Tape<T> {
    /// The derivatives of several results, each times its seed, added up: one walk for all.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    ///
    /// let tape = Tape::new();
    /// let x = tape.var(3.0);
    /// let g = tape.backward(&[(x * x, 1.0), (x.recip(), 9.0)]);
    /// assert_eq!(g.wrt(x), 6.0 - 1.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If a result belongs to another tape, or the tape was cleared since.
    #[must_use]
    #[track_caller]
    pub fn backward(&self, seeds: &[(Var<'_, T>, T)]) -> Gradients<T> {
        let recorded = || seeds.iter().filter(|(result, _)| !result.is_constant());
        let mut len = 0;
        for (result, _) in recorded() {
            if !result.is_of(self) {
                result.refuse(self);
            }
            len = len.max(result.position() + 1);
        }
        let mut adjoints = super::empty();
        adjoints.resize(len, T::ZERO);
        for (result, seed) in recorded() {
            adjoints[result.position()] += *seed;
        }
        let leading = self.leading.get();
        let mut tensors = Tensors::default();
        self.arena.read(|nodes| {
            if self.details.borrow().strict {
                self.check(&nodes[..len], adjoints.clone());
            }
            let mut end = len;
            for call in self
                .calls
                .borrow()
                .iter()
                .rev()
                .filter(|call| call.nodes().start < len)
            {
                let results = call.nodes();
                sweep(&nodes[..end], results.end.min(end), &mut adjoints);
                call.pull(&mut adjoints, &mut tensors);
                end = results.start;
            }
            sweep(&nodes[..end], leading.min(end), &mut adjoints);
        });
        Gradients {
            adjoints,
            tensors,
            generation: self.arena.next() >> 32 << 32,
        }
    }
}

impl<T: Float> Tape<T> {
    /// The same walk, which panics at the first derivative that is not finite.
    fn check(&self, nodes: &[Node<T>], mut adjoints: Vec<T>) {
        for (at, node) in nodes.iter().enumerate().rev() {
            let adjoint = adjoints[at];
            for (operand, partial) in node.operands.into_iter().zip(node.partials) {
                let Some(sum) = adjoints.get_mut(operand as usize) else {
                    continue;
                };
                if adjoint != T::ZERO {
                    *sum += select(adjoint, partial);
                    if !sum.is_finite() {
                        self.refuse_derivative(at, adjoint, partial);
                    }
                }
            }
        }
    }
}

/// Hands the adjoint of each node on to its operands, from the last node to the one behind the leading ones, which have no operands.
///
/// A node whose adjoint is zero hands on nothing, however large its partials, and a partial that is zero nothing of its adjoint.
/// What a node hands to the one just before it, as every other node does, stays in a register: through memory it would arrive many cycles later.
fn sweep<T: Float>(nodes: &[Node<T>], leading: usize, adjoints: &mut [T]) {
    let adjoints = &mut adjoints[..nodes.len()];
    let Some(&(mut adjoint)) = adjoints.last() else {
        return;
    };
    for (at, node) in nodes.iter().enumerate().skip(leading).rev() {
        adjoints[at] = adjoint;
        let before = at.wrapping_sub(1);
        let mut next = adjoints.get(before).copied().unwrap_or(T::ZERO);
        if adjoint != T::ZERO {
            for (operand, partial) in node.operands.into_iter().zip(node.partials) {
                let operand = operand as usize;
                if operand == before {
                    next += select(adjoint, partial);
                } else if let Some(sum) = adjoints.get_mut(operand) {
                    *sum += select(adjoint, partial);
                }
            }
        }
        adjoint = next;
    }
    if let Some(last) = leading.checked_sub(1).and_then(|at| adjoints.get_mut(at)) {
        *last = adjoint;
    }
}
