//! Elementary functions that std lacks, each with its derivatives: a type of the same name, as beside every `#[grad]` function.
//!
//! The functions of one number are rows of the rule table with their definition here; the types are made from the rows.

mod log_sum_exp;
mod special;

pub use self::log_sum_exp::logsumexp;
pub use self::special::*;
use crate::dual::{second, third};
use crate::float::Float;
use crate::generated::{HasValueAndGrad, Order};
use crate::graph::Graph;
use crate::kernels::{self, select, zmul};
use crate::lanes::{Lanes, Width};
#[cfg(feature = "alloc")]
use crate::rules::flag;
use crate::rules::{partial, table};
#[cfg(all(feature = "alloc", target_has_atomic = "32"))]
use crate::tape::Var;
#[cfg(feature = "alloc")]
use crate::trace::Recorder;

/// The logistic function, 1 / (1 + e⁻ˣ), accurate for every x.
///
/// ```
/// use autodiff_runtime::functions::sigmoid;
///
/// assert_eq!(sigmoid(0.0), 0.5);
/// assert_eq!(sigmoid::grad(0.0), 0.25);
/// ```
#[inline]
#[must_use]
pub fn sigmoid<T: Float>(x: T) -> T {
    let e = (-x.abs()).exp();
    if x < T::ZERO {
        e / (T::ONE + e)
    } else {
        T::ONE / (T::ONE + e)
    }
}

/// ln(1 + eˣ), a smooth `relu`, without overflow.
///
/// ```
/// use autodiff_runtime::functions::softplus;
///
/// assert_eq!(softplus(0.0), std::f64::consts::LN_2);
/// assert_eq!(softplus::grad(800.0), 1.0);
/// ```
#[inline]
#[must_use]
pub fn softplus<T: Float>(x: T) -> T {
    x.max(T::ZERO) + (-x.abs()).exp().ln_1p()
}

/// x where it is positive, else 0. The derivative at 0 is 0.
///
/// ```
/// use autodiff_runtime::functions::relu;
///
/// assert_eq!(relu(-2.0), 0.0);
/// assert_eq!((relu::grad(3.0), relu::grad(0.0)), (1.0, 0.0));
/// ```
#[inline]
#[must_use]
pub fn relu<T: Float>(x: T) -> T {
    if x <= T::ZERO { T::ZERO } else { x }
}

/// x · sigmoid(x).
///
/// ```
/// use autodiff_runtime::functions::silu;
///
/// assert_eq!(silu(0.0), 0.0);
/// assert_eq!(silu::grad(0.0), 0.5);
/// ```
#[inline]
#[must_use]
pub fn silu<T: Float>(x: T) -> T {
    zmul(sigmoid(x), x)
}

/// The Gaussian error linear unit, x · Φ(x) with the distribution function Φ of the standard normal distribution.
///
/// ```
/// use autodiff_runtime::functions::gelu;
///
/// assert_eq!(gelu(0.0), 0.0);
/// assert_eq!(gelu::grad(0.0), 0.5);
/// ```
#[inline]
#[must_use]
pub fn gelu<T: Float>(x: T) -> T {
    zmul(kernels::normal_cdf(x), x)
}

/// The tanh form of `gelu`: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³))).
///
/// ```
/// use autodiff_runtime::functions::{gelu, gelu_tanh};
///
/// assert!((gelu_tanh(1.0_f64) - gelu(1.0)).abs() < 1e-3);
/// assert_eq!(gelu_tanh::grad(0.0), 0.5);
/// ```
#[inline]
#[must_use]
pub fn gelu_tanh<T: Float>(x: T) -> T {
    kernels::gelu_tanh(x)
}

/// The error function, 2/√π · ∫₀ˣ e^(−t²) dt.
///
/// ```
/// use autodiff_runtime::functions::erf;
///
/// assert_eq!(erf(0.5), 0.5204998778130465);
/// assert_eq!(erf::grad(0.0), std::f64::consts::FRAC_2_SQRT_PI);
/// ```
#[inline]
#[must_use]
pub fn erf<T: Float>(x: T) -> T {
    T::from_f64(libm::erf(x.to_f64()))
}

/// The complementary error function, 1 − erf(x), accurate also where it is tiny.
///
/// ```
/// use autodiff_runtime::functions::erfc;
///
/// assert_eq!(erfc(10.0), 2.088487583762545e-45);
/// assert_eq!(erfc::grad(0.0), -std::f64::consts::FRAC_2_SQRT_PI);
/// ```
#[inline]
#[must_use]
pub fn erfc<T: Float>(x: T) -> T {
    T::from_f64(libm::erfc(x.to_f64()))
}

/// The contribution of a partial to a cotangent or tangent, by the row's flag.
macro_rules! contribution {
    ($d:expr, $partial:expr) => {
        zmul($d, $partial)
    };
    ($d:expr, $partial:expr, guarded) => {
        zmul($d, $partial)
    };
    ($d:expr, $partial:expr, select) => {
        select($d, $partial)
    };
}

/// The derivatives of the functions above, from their rows.
macro_rules! derivatives {
    (
        methods $methods:tt
        functions { $($name:ident($x:ident) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;)* }
        special $special:tt
        kernels $kernels:tt
    ) => { $(
        #[doc = concat!("The derivatives of the function `", stringify!($name), "`, as of every `#[grad]` function.")]
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named like the function")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name {}

        impl $name {
            #[doc(hidden)]
            pub const __STEEP: bool = false;

            #[doc(hidden)]
            pub fn __of_single(_: fn(f32) -> f32) {}

            #[doc(hidden)]
            pub fn __of_double(_: fn(f64) -> f64) {}

            /// The derivative.
            #[inline]
            #[must_use]
            pub fn grad<T: Float>(x: T) -> T {
                Self::value_and_grad(x).1
            }

            /// The value and the derivative.
            #[inline]
            #[must_use]
            pub fn value_and_grad<T: Float>(x: T) -> (T, T) {
                let y = $name(x);
                let [partial] = partial::$name(x, y);
                (y, partial)
            }

            /// The value, and the derivative times a tangent.
            #[inline]
            #[must_use]
            pub fn jvp<T: Float>(x: T, tangent: T) -> (T, T) {
                let (y, partial) = Self::value_and_grad(x);
                (y, contribution!(tangent, partial $(, $flag)?))
            }

            /// The value, and the derivative times a cotangent.
            #[inline]
            #[must_use]
            pub fn vjp<T: Float>(x: T, seed: T) -> (T, T) {
                Self::jvp(x, seed)
            }

            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn __zero_0<T: Float>(_: &T) -> T {
                -T::ZERO
            }

            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn __jvp<T: Float>(x: T, d0: T) -> (T, T) {
                Self::jvp(x, d0)
            }

            crate::generated::with_tape! {
                /// The function of a variable.
                #[inline]
                #[must_use]
                #[track_caller]
                pub fn on_tape<T: Float>(x: Var<'_, T>) -> Var<'_, T> {
                    x.$name()
                }

                #[doc(hidden)]
                pub fn __dynamic<'t, T: Float>(_: fn(T) -> T) -> fn(Var<'t, T>) -> Var<'t, T> {
                    Var::$name
                }
            }

            /// The computation graph: one operation.
            #[must_use]
            pub fn graph() -> &'static Graph {
                const NODES: &str = concat!("parameter\tx\t0\t0\t0\t*kept\t\n", stringify!($name), "\t\t0\t0\t0\t*not needed\t0\n");
                static GRAPH: Graph = Graph::encoded(stringify!($name), file!(), NODES, "", &[0], &[1]);
                &GRAPH
            }

            #[cfg(feature = "alloc")]
            #[doc(hidden)]
            pub fn __trace<T: Float>(x: T, d0: T, trace: &mut Recorder) -> (T, T) {
                let y = $name(x);
                (y, trace.elementary(flag!($($flag)?), y, &[(x, d0)], &partial::$name(x, y)))
            }

            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn __vjp<T: Float>(x: T, seed: T) -> (T, (T,)) {
                let (y, x_bar) = Self::vjp(x, seed);
                (y, (x_bar,))
            }

            #[doc(hidden)]
            #[inline]
            pub fn __fwd<T: Float>(x: T) -> (T, impl FnOnce(T) -> (T,) + use<T>) {
                let y = $name(x);
                (y, move |seed| {
                    let [partial] = partial::$name(x, y);
                    (contribution!(seed, partial $(, $flag)?),)
                })
            }

            #[doc(hidden)]
            #[inline]
            pub fn __jvp_fwd<T: Float>(x: T, d0: T) -> (T, T, impl FnOnce(T, T) -> ((T,), (T,)) + use<T>) {
                let (y, partial) = Self::value_and_grad(x);
                (y, contribution!(d0, partial $(, $flag)?), move |seed, dot_seed| {
                    let curvature = zmul(seed, zmul(d0, second::$name(x)));
                    (
                        (contribution!(seed, partial $(, $flag)?),),
                        (contribution!(dot_seed, partial $(, $flag)?) + curvature,),
                    )
                })
            }

            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
            pub fn __jvp_jvp_fwd<T: Float>(
                x: T,
                d1: T,
                d2: T,
                d3: T,
            ) -> (T, T, T, T, impl FnOnce(T, T, T, T) -> ((T,), (T,), (T,), (T,)) + use<T>) {
                let (y, first) = Self::value_and_grad(x);
                let [second, third] = third::$name(x);
                let along = move |d| contribution!(d, first $(, $flag)?);
                let bent = move |a, b| zmul(a, zmul(b, second));
                let back = move |s0, s1, s2, s3| {
                    let twisted = zmul(s0, zmul(d1, zmul(d2, third)));
                    (
                        (along(s0),),
                        (along(s1) + bent(s0, d1),),
                        (along(s2) + bent(s0, d2),),
                        (along(s3) + bent(s1, d2) + bent(s2, d1) + bent(s0, d3) + twisted,),
                    )
                };
                (y, along(d1), along(d2), along(d3) + bent(d1, d2), back)
            }

            #[doc(hidden)]
            pub const __IN_LANES: bool = true;

            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn __lanes_jvp<T: Float, const N: usize>(
                _: Width<N>,
                (x,): (T,),
                (d0,): (Lanes<T, N>,),
            ) -> (T, Lanes<T, N>) {
                let (y, partial) = Self::value_and_grad(x);
                (y, d0.map(|d0| contribution!(d0, partial $(, $flag)?)))
            }

            #[doc(hidden)]
            #[inline]
            pub fn __lanes_fwd<T: Float, const N: usize>(
                _: Width<N>,
                x: T,
                d0: Lanes<T, N>,
            ) -> (T, Lanes<T, N>, impl FnOnce(T, Lanes<T, N>) -> ((T,), (Lanes<T, N>,)) + use<T, N>) {
                let (y, partial) = Self::value_and_grad(x);
                (y, d0.map(|d0| contribution!(d0, partial $(, $flag)?)), move |seed, dot_seed: Lanes<T, N>| {
                    let second = second::$name(x);
                    let dot_bar = dot_seed.zip(d0, |dot_seed, d0| {
                        contribution!(dot_seed, partial $(, $flag)?) + zmul(seed, zmul(d0, second))
                    });
                    ((contribution!(seed, partial $(, $flag)?),), (dot_bar,))
                })
            }
        }

        impl Order<2> for $name {}
        impl Order<3> for $name {}

        #[allow(clippy::unused_self, clippy::type_complexity, reason = "the forms that generated code calls")]
        const _: () = {
            /// The derivatives of the function's derivative.
            #[derive(Clone, Copy, Debug, Default)]
            struct Slope {}

            impl Slope {
                #[inline]
                #[must_use]
                fn __jvp<T: Float>(self, x: T, d0: T) -> (T, T) {
                    ($name::grad(x), zmul(d0, second::$name(x)))
                }

                #[inline]
                fn __fwd<T: Float>(self, x: T) -> (T, impl FnOnce(T) -> (T,) + use<T>) {
                    ($name::grad(x), move |seed| (zmul(seed, second::$name(x)),))
                }

                #[inline]
                fn __jvp_fwd<T: Float>(self, x: T, d0: T) -> (T, T, impl FnOnce(T, T) -> ((T,), (T,)) + use<T>) {
                    let [second, third] = third::$name(x);
                    let back = move |seed, dot_seed| {
                        let bar = zmul(seed, second);
                        ((bar,), (zmul(dot_seed, second) + zmul(seed, zmul(d0, third)),))
                    };
                    ($name::grad(x), zmul(d0, second), back)
                }
            }

            /// Those of the value and the derivative.
            #[derive(Clone, Copy, Debug, Default)]
            pub struct Both {}

            impl Both {
                #[inline]
                #[must_use]
                pub fn __zero_0<T: Float>(self, _: &T) -> T {
                    -T::ZERO
                }

                #[inline]
                #[must_use]
                pub fn __jvp<T: Float>(self, x: T, d0: T) -> ((T, T), (T, T)) {
                    let (y, tangent) = $name::jvp(x, d0);
                    let (slope, bend) = Slope {}.__jvp(x, d0);
                    ((y, slope), (tangent, bend))
                }

                #[inline]
                pub fn __fwd<T: Float>(self, x: T) -> ((T, T), impl FnOnce((T, T)) -> (T,) + use<T>) {
                    let (y, of_value) = $name::__fwd(x);
                    let (slope, of_slope) = Slope {}.__fwd(x);
                    ((y, slope), move |seed: (T, T)| (of_value(seed.0).0 + of_slope(seed.1).0,))
                }

                #[inline]
                pub fn __jvp_fwd<T: Float>(
                    self,
                    x: T,
                    d0: T,
                ) -> ((T, T), (T, T), impl FnOnce((T, T), (T, T)) -> ((T,), (T,)) + use<T>) {
                    let (y, tangent, of_value) = $name::__jvp_fwd(x, d0);
                    let (slope, bend, of_slope) = Slope {}.__jvp_fwd(x, d0);
                    let back = move |seed: (T, T), dot_seed: (T, T)| {
                        let ((a,), (dot_a,)) = of_value(seed.0, dot_seed.0);
                        let ((b,), (dot_b,)) = of_slope(seed.1, dot_seed.1);
                        ((a + b,), (dot_a + dot_b,))
                    };
                    ((y, slope), (tangent, bend), back)
                }
            }

            impl HasValueAndGrad for $name {
                type Forms = Both;
            }
        };
    )* };
}
table!(derivatives);
