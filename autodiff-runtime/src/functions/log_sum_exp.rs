//! ln Σ eˣ and its gradient, the softmax.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use crate::float::Float;
use crate::generated::Order;
use crate::graph::Graph;
use crate::kernels::zmul;
use crate::lanes::{Lanes, Width};
#[cfg(feature = "alloc")]
use crate::rules::Flag;
#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
use crate::tape::{Var, calls};
#[cfg(feature = "alloc")]
use crate::trace::Recorder;

/// ln(e^x₁ + … + e^xₙ), without overflow and accurate also where one term dominates.
///
/// Entries that are −∞ count for nothing; of no entries it is −∞.
/// The gradient is the softmax, e^xᵢ / Σ e^xⱼ; if the largest entry is infinite, the entries that equal it share it evenly.
///
/// ```
/// use autodiff_runtime::functions::logsumexp;
///
/// assert_eq!(logsumexp(&[1000.0, 1000.0]), 1000.0 + std::f64::consts::LN_2);
/// assert_eq!(logsumexp::grad(&[1000.0, 1000.0]), [0.5, 0.5]);
/// ```
#[must_use]
pub fn logsumexp<T: Float>(xs: &[T]) -> T {
    Shifted::new(xs).value()
}

/// The largest entry, and the sum of the e^(x − largest) without that entry's own 1.
#[derive(Clone, Copy)]
struct Shifted<T> {
    largest: T,
    others: T,
}

impl<T: Float> Shifted<T> {
    fn new(xs: &[T]) -> Self {
        let largest = xs
            .iter()
            .fold(T::NEG_INFINITY, |largest, &x| largest.max(x));
        let mut shifted = Self {
            largest,
            others: T::ZERO,
        };
        let mut seen = false;
        for &x in xs {
            if seen || x != largest {
                shifted.others += shifted.term(x);
            } else {
                seen = true;
            }
        }
        shifted
    }

    /// e^(x − largest), also where both are infinite.
    #[inline]
    fn term(self, x: T) -> T {
        if x == self.largest {
            T::ONE
        } else {
            (x - self.largest).exp()
        }
    }

    fn value(self) -> T {
        self.largest + self.others.ln_1p()
    }

    /// The partial derivative by an entry.
    #[inline]
    fn share(self, x: T) -> T {
        self.term(x) / (T::ONE + self.others)
    }

    fn add_gradient(self, seed: T, xs: &[T], xs_bar: &mut [T]) {
        for (x_bar, &x) in xs_bar.iter_mut().zip(xs) {
            *x_bar += zmul(seed, self.share(x));
        }
    }
}

#[doc = "The derivatives of the function `logsumexp`, as of every `#[grad]` function."]
#[doc(hidden)]
#[allow(non_camel_case_types, reason = "named like the function")]
#[derive(Clone, Copy, Debug, Default)]
pub struct logsumexp {}

impl logsumexp {
    #[doc(hidden)]
    pub const __STEEP: bool = false;

    /// The gradient: the softmax of `xs`.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn grad<T: Float>(xs: &[T]) -> Vec<T> {
        Self::value_and_grad(xs).1
    }

    /// The value and the gradient.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn value_and_grad<T: Float>(xs: &[T]) -> (T, Vec<T>) {
        let shifted = Shifted::new(xs);
        (
            shifted.value(),
            xs.iter().map(|&x| shifted.share(x)).collect(),
        )
    }

    /// The value, and the derivative in the direction of a tangent.
    ///
    /// # Panics
    ///
    /// If they differ in length.
    #[must_use]
    pub fn jvp<T: Float>(xs: &[T], tangent: &[T]) -> (T, T) {
        assert!(
            xs.len() == tangent.len(),
            "logsumexp: {} entries, but a tangent of length {}",
            xs.len(),
            tangent.len()
        );
        let shifted = Shifted::new(xs);
        (
            shifted.value(),
            xs.iter()
                .zip(tangent)
                .map(|(&x, &t)| zmul(t, shifted.share(x)))
                .sum(),
        )
    }

    /// The value, and the gradient times a cotangent.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn vjp<T: Float>(xs: &[T], seed: T) -> (T, Vec<T>) {
        let mut xs_bar = vec![T::ZERO; xs.len()];
        let (value, ()) = Self::__vjp(xs, seed, &mut xs_bar);
        (value, xs_bar)
    }

    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[must_use]
    pub fn __zero_0<T: Float>(xs: &[T]) -> Vec<T> {
        vec![T::ZERO; xs.len()]
    }

    #[doc(hidden)]
    #[must_use]
    pub fn __jvp<T: Float>(xs: &[T], d0: &[T]) -> (T, T) {
        Self::jvp(xs, d0)
    }

    crate::generated::with_tape! {
        /// The function of variables, which is recorded as one operation.
        ///
        /// # Panics
        ///
        /// If they are of several tapes.
        #[must_use]
        #[track_caller]
        pub fn on_tape<'t, T: Float>(xs: &[Var<'t, T>]) -> Var<'t, T> {
            let values: Vec<T> = xs.iter().map(|x| x.value()).collect();
            if calls::are_constant(xs) {
                return logsumexp(&values).into();
            }
            let (value, gradient) = Self::value_and_grad(&values);
            calls::number("logsumexp", xs, value, &gradient)
        }

        #[doc(hidden)]
        pub fn __dynamic<'t, T: Float>(_: fn(&[T]) -> T) -> fn(&[Var<'t, T>]) -> Var<'t, T> {
            Self::on_tape
        }
    }

    /// The computation graph: one operation.
    #[must_use]
    pub fn graph() -> &'static Graph {
        const NODES: &str =
            "parameter\txs\t0\t0\t0\t*kept\t\nlogsumexp\t\t0\t0\t0\t*not needed\t0\n";
        static GRAPH: Graph = Graph::encoded("logsumexp", file!(), NODES, "", &[0], &[1]);
        &GRAPH
    }

    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    pub fn __trace<T: Float>(xs: &[T], d0: &[T], trace: &mut Recorder) -> (T, T) {
        let shifted = Shifted::new(xs);
        let operands: Vec<(T, T)> = xs.iter().copied().zip(d0.iter().copied()).collect();
        let partials: Vec<T> = xs.iter().map(|&x| shifted.share(x)).collect();
        let y = shifted.value();
        let node = trace.elementary(Flag::Guarded, y, &operands, &partials);
        (y, node)
    }

    #[doc(hidden)]
    pub fn __vjp<T: Float>(xs: &[T], seed: T, d0: &mut [T]) -> (T, ()) {
        let shifted = Shifted::new(xs);
        shifted.add_gradient(seed, xs, d0);
        (shifted.value(), ())
    }

    #[doc(hidden)]
    pub fn __fwd<T: Float>(xs: &[T]) -> (T, impl FnOnce(T, &[T], &mut [T]) + use<T>) {
        let shifted = Shifted::new(xs);
        (shifted.value(), move |seed, xs: &[T], xs_bar: &mut [T]| {
            shifted.add_gradient(seed, xs, xs_bar);
        })
    }

    #[doc(hidden)]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    pub fn __jvp_fwd<T: Float>(
        xs: &[T],
        d0: &[T],
    ) -> (
        T,
        T,
        impl FnOnce(T, T, &[T], &[T], &mut [T], &mut [T]) -> ((), ()) + use<T>,
    ) {
        let shifted = Shifted::new(xs);
        let (value, tangent) = Self::jvp(xs, d0);
        let back =
            move |seed, dot_seed, xs: &[T], d0: &[T], xs_bar: &mut [T], dot_bar: &mut [T]| {
                shifted.add_gradient(seed, xs, xs_bar);
                shifted.add_gradient(dot_seed, xs, dot_bar);
                for ((dot_bar, &x), &t) in dot_bar.iter_mut().zip(xs).zip(d0) {
                    *dot_bar += zmul(zmul(seed, t - tangent), shifted.share(x));
                }
                ((), ())
            };
        (value, tangent, back)
    }

    #[doc(hidden)]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    pub fn __lanes_fwd<T: Float, const N: usize>(
        _: Width<N>,
        xs: &[T],
        d0: &[Lanes<T, N>],
    ) -> (
        T,
        Lanes<T, N>,
        impl FnOnce(T, Lanes<T, N>, &[T], &[Lanes<T, N>], &mut [T], &mut [Lanes<T, N>]) -> ((), ())
        + use<T, N>,
    ) {
        let shifted = Shifted::new(xs);
        let mut tangent = Lanes::default();
        for (&x, &t) in xs.iter().zip(d0) {
            let share = shifted.share(x);
            tangent += t.map(|t| zmul(t, share));
        }
        let back = move |seed,
                         dot_seed: Lanes<T, N>,
                         xs: &[T],
                         d0: &[Lanes<T, N>],
                         xs_bar: &mut [T],
                         dot_bar: &mut [Lanes<T, N>]| {
            shifted.add_gradient(seed, xs, xs_bar);
            for ((dot_bar, &x), &t) in dot_bar.iter_mut().zip(xs).zip(d0) {
                let share = shifted.share(x);
                *dot_bar += dot_seed.map(|dot_seed| zmul(dot_seed, share));
                *dot_bar += (t - tangent).map(|t| zmul(zmul(seed, t), share));
            }
            ((), ())
        };
        (shifted.value(), tangent, back)
    }

    #[doc(hidden)]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    pub fn __each_fwd<T: Float, const N: usize>(
        xs: &[T],
        _: Width<N>,
        d0: [&[T]; N],
    ) -> (
        T,
        [T; N],
        impl FnOnce(T, [T; N], &[T], [&[T]; N], &mut [T], [&mut [T]; N]) -> ((), ()) + use<T, N>,
    ) {
        let shifted = Shifted::new(xs);
        let tangent = d0.map(|d0| Self::jvp(xs, d0).1);
        let back = move |seed,
                         dot_seed: [T; N],
                         xs: &[T],
                         d0: [&[T]; N],
                         xs_bar: &mut [T],
                         dot_bar: [&mut [T]; N]| {
            shifted.add_gradient(seed, xs, xs_bar);
            for (lane, dot_bar) in dot_bar.into_iter().enumerate() {
                shifted.add_gradient(dot_seed[lane], xs, dot_bar);
                for ((dot_bar, &x), &t) in dot_bar.iter_mut().zip(xs).zip(d0[lane]) {
                    *dot_bar += zmul(zmul(seed, t - tangent[lane]), shifted.share(x));
                }
            }
            ((), ())
        };
        (shifted.value(), tangent, back)
    }
}

impl Order<2> for logsumexp {}
