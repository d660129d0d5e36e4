//! ln Σ eˣ and its gradient, the softmax.

#[cfg(feature = "alloc")]
use alloc::{vec, vec::Vec};

use crate::float::Float;
#[cfg(feature = "alloc")]
use crate::generated::HasValueAndGrad;
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

/// A sum with what rounding took from it, so that its error does not grow with the number of terms.
#[derive(Clone, Copy)]
struct Sum<T> {
    sum: T,
    taken: T,
}

impl<T: Float> Sum<T> {
    const ZERO: Self = Sum {
        sum: T::ZERO,
        taken: T::ZERO,
    };

    #[inline]
    fn add(&mut self, x: T) {
        let sum = self.sum + x;
        self.taken += if self.sum.abs() < x.abs() {
            (x - sum) + self.sum
        } else {
            (self.sum - sum) + x
        };
        self.sum = sum;
    }

    #[inline]
    fn value(self) -> T {
        if self.sum.is_finite() {
            self.sum + self.taken
        } else {
            self.sum
        }
    }
}

/// The largest entry, and the sum of the e^(x − largest) without that entry's own 1.
#[derive(Clone, Copy)]
struct Shifted<T> {
    largest: T,
    /// Where it is first.
    at: usize,
    others: T,
}

impl<T: Float> Shifted<T> {
    fn new(xs: &[T]) -> Self {
        let largest = xs
            .iter()
            .fold(T::NEG_INFINITY, |largest, &x| largest.max(x));
        let mut shifted = Self {
            largest,
            at: xs.iter().position(|&x| x == largest).unwrap_or(xs.len()),
            others: T::ZERO,
        };
        let mut others = Sum::ZERO;
        for (k, &x) in xs.iter().enumerate() {
            if k != shifted.at {
                others.add(shifted.term(x));
            }
        }
        shifted.others = others.value();
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

    /// What the derivatives need to know of each direction, of which `along` gives entry `k`.
    fn directions<const N: usize>(
        self,
        xs: &[T],
        along: impl Fn(usize) -> [T; N],
    ) -> [Direction<T>; N] {
        let mut sums = [[Sum::ZERO; 2]; N];
        let at_largest = if self.at < xs.len() {
            along(self.at)
        } else {
            [T::ZERO; N]
        };
        for (k, &x) in xs.iter().enumerate() {
            let share = self.share(x);
            let all = along(k).into_iter().zip(at_largest);
            for ([mean, behind], (d, at_largest)) in sums.iter_mut().zip(all) {
                mean.add(zmul(d, share));
                if k != self.at {
                    behind.add(zmul(at_largest - d, share));
                }
            }
        }
        sums.map(|[mean, behind]| Direction {
            mean: mean.value(),
            ahead: behind.value(),
        })
    }

    /// How the share of entry `k` changes in a direction, of which `d` is that entry: the share times this.
    #[inline]
    fn change(self, k: usize, d: T, direction: Direction<T>) -> T {
        if k == self.at {
            direction.ahead
        } else {
            d - direction.mean
        }
    }

    /// Adds the second derivatives times a direction.
    #[cfg(feature = "alloc")]
    fn add_along(self, xs: &[T], d: &[T], xs_bar: &mut [T]) {
        let [direction] = self.directions(xs, |k| [d[k]]);
        self.add_curvature(T::ONE, xs, d, direction, xs_bar);
    }

    /// Adds a cotangent times the second derivatives times a direction.
    fn add_curvature(self, seed: T, xs: &[T], d: &[T], direction: Direction<T>, xs_bar: &mut [T]) {
        for (k, ((x_bar, &x), &d)) in xs_bar.iter_mut().zip(xs).zip(d).enumerate() {
            *x_bar += zmul(zmul(seed, self.change(k, d, direction)), self.share(x));
        }
    }
}

/// The mean of a direction, each entry with the share of its place, and how far it is exceeded at the largest entry.
///
/// If almost all of the share is there, the difference of the two would have no digits.
#[derive(Clone, Copy)]
struct Direction<T> {
    mean: T,
    ahead: T,
}

/// What third derivatives need to know of two directions, u and v.
///
/// With the change w of a share in a direction (each times the share p), the mixed change of the shares is wᵢ(u) wᵢ(v) − c with the covariance c = Σ pⱼ wⱼ(u) wⱼ(v).
#[derive(Clone, Copy)]
struct Pair<T> {
    shifted: Shifted<T>,
    directions: [Direction<T>; 2],
    covariance: T,
    tie: Option<Tie<T>>,
}

/// The same where the two largest entries have most of the share, each about half perhaps, so that wᵢ(u) wᵢ(v) − c would have few digits.
///
/// So u and v are seen from the middle of their entries there, which are ±a/2 and ±b/2. Their means m and n are as small then as what the shares differ by,
/// and the mixed change is (uᵢ vᵢ − a b / 4) + Σ pⱼ (a b / 4 − uⱼ vⱼ) − (m vᵢ + n uᵢ) + 2 m n, with the sum over all other entries.
#[derive(Clone, Copy)]
struct Tie<T> {
    middle: [T; 2],
    mean: [T; 2],
    /// a b / 4.
    end: T,
    /// The sum over all other entries.
    rest: T,
}

impl<T: Float> Pair<T> {
    fn new(
        shifted: Shifted<T>,
        xs: &[T],
        directions: [Direction<T>; 2],
        along: impl Fn(usize) -> [T; 2],
    ) -> Self {
        let mut pair = Pair {
            shifted,
            directions,
            covariance: T::ZERO,
            tie: Tie::new(shifted, xs, &along),
        };
        let mut covariance = Sum::ZERO;
        for (k, &x) in xs.iter().enumerate() {
            let [u, v] = pair.changes(k, along(k));
            covariance.add(zmul(zmul(u, v), shifted.share(x)));
        }
        pair.covariance = covariance.value();
        pair
    }

    fn changes(self, k: usize, [u, v]: [T; 2]) -> [T; 2] {
        let [of_u, of_v] = self.directions;
        [
            self.shifted.change(k, u, of_u),
            self.shifted.change(k, v, of_v),
        ]
    }

    /// Adds a cotangent times the third derivatives in the two directions.
    fn add_third(self, seed: T, xs: &[T], along: impl Fn(usize) -> [T; 2], xs_bar: &mut [T]) {
        for (k, (x_bar, &x)) in xs_bar.iter_mut().zip(xs).enumerate() {
            let mixed = if let Some(tie) = self.tie {
                tie.mixed(along(k))
            } else {
                let [u, v] = self.changes(k, along(k));
                zmul(u, v) - self.covariance
            };
            *x_bar += zmul(zmul(seed, mixed), self.shifted.share(x));
        }
    }
}

impl<T: Float> Tie<T> {
    fn new(shifted: Shifted<T>, xs: &[T], along: impl Fn(usize) -> [T; 2]) -> Option<Self> {
        let half = T::from_f64(0.5);
        let first = shifted.at;
        let others = (0..xs.len()).filter(|&k| k != first);
        let second = others.reduce(|best, k| if xs[k] > xs[best] { k } else { best })?;
        // The difference of their shares.
        let lead = if xs[second] == shifted.largest {
            T::ZERO
        } else {
            -(xs[second] - shifted.largest).exp_m1() / (T::ONE + shifted.others)
        };
        let rest = T::ONE - shifted.share(shifted.largest) - shifted.share(xs[second]);
        if lead > half || rest > T::from_f64(0.25) {
            return None;
        }
        let (at_first, at_second) = (along(first), along(second));
        let middle = [0, 1].map(|k| half * at_first[k] + half * at_second[k]);
        let ends = [0, 1].map(|k| half * at_first[k] - half * at_second[k]);
        let end = zmul(ends[0], ends[1]);
        let mut rest = Sum::ZERO;
        let mut mean = ends.map(|end| Sum {
            sum: zmul(end, lead),
            taken: T::ZERO,
        });
        for (k, &x) in xs.iter().enumerate() {
            if k != first && k != second {
                let share = shifted.share(x);
                let [u, v] = [0, 1].map(|of| along(k)[of] - middle[of]);
                rest.add(zmul(end - zmul(u, v), share));
                mean[0].add(zmul(u, share));
                mean[1].add(zmul(v, share));
            }
        }
        let mean = mean.map(Sum::value);
        Some(Tie {
            middle,
            mean,
            end,
            rest: rest.value(),
        })
    }

    fn mixed(self, at: [T; 2]) -> T {
        let [u, v] = [0, 1].map(|k| at[k] - self.middle[k]);
        let [m, n] = self.mean;
        // In this order: the two in the inner parentheses may all but cancel.
        let shift = (self.rest - (zmul(m, v) + zmul(n, u))) + T::from_f64(2.0) * zmul(m, n);
        (zmul(u, v) - self.end) + shift
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

    #[doc(hidden)]
    pub fn __of_single(_: fn(&[f32]) -> f32) {}

    #[doc(hidden)]
    pub fn __of_double(_: fn(&[f64]) -> f64) {}

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
        let mut sum = Sum::ZERO;
        for (&x, &t) in xs.iter().zip(tangent) {
            sum.add(zmul(t, shifted.share(x)));
        }
        (shifted.value(), sum.value())
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
        let [direction] = shifted.directions(xs, |k| [d0[k]]);
        let back =
            move |seed, dot_seed, xs: &[T], d0: &[T], xs_bar: &mut [T], dot_bar: &mut [T]| {
                shifted.add_gradient(seed, xs, xs_bar);
                shifted.add_gradient(dot_seed, xs, dot_bar);
                shifted.add_curvature(seed, xs, d0, direction, dot_bar);
                ((), ())
            };
        (shifted.value(), direction.mean, back)
    }

    #[doc(hidden)]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    pub fn __jvp_jvp_fwd<T: Float>(
        xs: &[T],
        d1: &[T],
        d2: &[T],
        d3: &[T],
    ) -> (
        T,
        T,
        T,
        T,
        impl FnOnce(
            T,
            T,
            T,
            T,
            &[T],
            &[T],
            &[T],
            &[T],
            &mut [T],
            &mut [T],
            &mut [T],
            &mut [T],
        ) -> ((), (), (), ())
        + use<T>,
    ) {
        let shifted = Shifted::new(xs);
        let [a, b, c] = shifted.directions(xs, |k| [d1[k], d2[k], d3[k]]);
        let pair = Pair::new(shifted, xs, [a, b], |k| [d1[k], d2[k]]);
        let back = move |s0,
                         s1,
                         s2,
                         s3,
                         xs: &[T],
                         d1: &[T],
                         d2: &[T],
                         d3: &[T],
                         bar0: &mut [T],
                         bar1: &mut [T],
                         bar2: &mut [T],
                         bar3: &mut [T]| {
            shifted.add_gradient(s0, xs, bar0);
            shifted.add_gradient(s1, xs, bar1);
            shifted.add_curvature(s0, xs, d1, a, bar1);
            shifted.add_gradient(s2, xs, bar2);
            shifted.add_curvature(s0, xs, d2, b, bar2);
            shifted.add_gradient(s3, xs, bar3);
            shifted.add_curvature(s1, xs, d2, b, bar3);
            shifted.add_curvature(s2, xs, d1, a, bar3);
            shifted.add_curvature(s0, xs, d3, c, bar3);
            pair.add_third(s0, xs, |k| [d1[k], d2[k]], bar3);
            ((), (), (), ())
        };
        (
            shifted.value(),
            a.mean,
            b.mean,
            c.mean + pair.covariance,
            back,
        )
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
        let directions = shifted.directions(xs, |k| d0[k].0);
        let back = move |seed,
                         dot_seed: Lanes<T, N>,
                         xs: &[T],
                         d0: &[Lanes<T, N>],
                         xs_bar: &mut [T],
                         dot_bar: &mut [Lanes<T, N>]| {
            shifted.add_gradient(seed, xs, xs_bar);
            for (k, ((dot_bar, &x), &t)) in dot_bar.iter_mut().zip(xs).zip(d0).enumerate() {
                let share = shifted.share(x);
                *dot_bar += dot_seed.map(|dot_seed| zmul(dot_seed, share));
                let changes: [T; N] =
                    core::array::from_fn(|lane| shifted.change(k, t.0[lane], directions[lane]));
                *dot_bar += Lanes(changes).map(|change| zmul(zmul(seed, change), share));
            }
            ((), ())
        };
        let means = directions.map(|direction| direction.mean);
        (shifted.value(), Lanes(means), back)
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
        let directions = shifted.directions(xs, |k| d0.map(|d0| d0[k]));
        let back = move |seed,
                         dot_seed: [T; N],
                         xs: &[T],
                         d0: [&[T]; N],
                         xs_bar: &mut [T],
                         dot_bar: [&mut [T]; N]| {
            shifted.add_gradient(seed, xs, xs_bar);
            for (lane, dot_bar) in dot_bar.into_iter().enumerate() {
                shifted.add_gradient(dot_seed[lane], xs, dot_bar);
                shifted.add_curvature(seed, xs, d0[lane], directions[lane], dot_bar);
            }
            ((), ())
        };
        let means = directions.map(|direction| direction.mean);
        (shifted.value(), means, back)
    }
}

impl Order<2> for logsumexp {}
impl Order<3> for logsumexp {}

#[cfg(feature = "alloc")]
#[allow(
    clippy::unused_self,
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
const _: () = {
    /// The derivatives of the gradient, which is the softmax.
    #[derive(Clone, Copy, Debug, Default)]
    struct Softmax {}

    impl Softmax {
        #[must_use]
        fn __jvp<T: Float>(self, xs: &[T], d0: &[T]) -> (Vec<T>, Vec<T>) {
            let mut along = vec![T::ZERO; xs.len()];
            Shifted::new(xs).add_along(xs, d0, &mut along);
            (logsumexp::grad(xs), along)
        }

        fn __fwd<T: Float>(
            self,
            xs: &[T],
        ) -> (Vec<T>, impl FnOnce(Vec<T>, &[T], &mut [T]) + use<T>) {
            let shifted = Shifted::new(xs);
            let back = move |seed: Vec<T>, xs: &[T], xs_bar: &mut [T]| {
                shifted.add_along(xs, &seed, xs_bar);
            };
            (logsumexp::grad(xs), back)
        }

        fn __jvp_fwd<T: Float>(
            self,
            xs: &[T],
            d0: &[T],
        ) -> (
            Vec<T>,
            Vec<T>,
            impl FnOnce(Vec<T>, Vec<T>, &[T], &[T], &mut [T], &mut [T]) -> ((), ()) + use<T>,
        ) {
            let shifted = Shifted::new(xs);
            let back = move |seed: Vec<T>,
                             dot_seed: Vec<T>,
                             xs: &[T],
                             d0: &[T],
                             xs_bar: &mut [T],
                             dot_bar: &mut [T]| {
                shifted.add_along(xs, &seed, xs_bar);
                shifted.add_along(xs, &dot_seed, dot_bar);
                let both = |k: usize| [seed[k], d0[k]];
                let pair = Pair::new(shifted, xs, shifted.directions(xs, both), both);
                pair.add_third(T::ONE, xs, both, dot_bar);
                ((), ())
            };
            let (value, along) = self.__jvp(xs, d0);
            (value, along, back)
        }
    }

    /// The derivatives of the value and the gradient.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Both {}

    impl Both {
        #[must_use]
        pub fn __zero_0<T: Float>(self, xs: &[T]) -> Vec<T> {
            vec![T::ZERO; xs.len()]
        }

        #[must_use]
        pub fn __jvp<T: Float>(self, xs: &[T], d0: &[T]) -> ((T, Vec<T>), (T, Vec<T>)) {
            let (value, tangent) = logsumexp::jvp(xs, d0);
            let (gradient, along) = Softmax {}.__jvp(xs, d0);
            ((value, gradient), (tangent, along))
        }

        pub fn __fwd<T: Float>(
            self,
            xs: &[T],
        ) -> (
            (T, Vec<T>),
            impl FnOnce((T, Vec<T>), &[T], &mut [T]) + use<T>,
        ) {
            let (value, of_value) = logsumexp::__fwd(xs);
            let (gradient, of_gradient) = Softmax {}.__fwd(xs);
            let back = move |seed: (T, Vec<T>), xs: &[T], xs_bar: &mut [T]| {
                // Of the gradient alone the value has none.
                if seed.0 != T::ZERO {
                    of_value(seed.0, xs, xs_bar);
                }
                of_gradient(seed.1, xs, xs_bar);
            };
            ((value, gradient), back)
        }

        pub fn __jvp_fwd<T: Float>(
            self,
            xs: &[T],
            d0: &[T],
        ) -> (
            (T, Vec<T>),
            (T, Vec<T>),
            impl FnOnce((T, Vec<T>), (T, Vec<T>), &[T], &[T], &mut [T], &mut [T]) -> ((), ()) + use<T>,
        ) {
            let (value, tangent, of_value) = logsumexp::__jvp_fwd(xs, d0);
            let (gradient, along, of_gradient) = Softmax {}.__jvp_fwd(xs, d0);
            let back = move |seed: (T, Vec<T>),
                             dot_seed: (T, Vec<T>),
                             xs: &[T],
                             d0: &[T],
                             xs_bar: &mut [T],
                             dot_bar: &mut [T]| {
                if seed.0 != T::ZERO || dot_seed.0 != T::ZERO {
                    of_value(seed.0, dot_seed.0, xs, d0, xs_bar, dot_bar);
                }
                of_gradient(seed.1, dot_seed.1, xs, d0, xs_bar, dot_bar)
            };
            ((value, gradient), (tangent, along), back)
        }
    }

    impl HasValueAndGrad for logsumexp {
        type Forms = Both;
    }
};
