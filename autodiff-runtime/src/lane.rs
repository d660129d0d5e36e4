//! Elementary functions without branches and calls, and loops over elements that become vector code with them.
//!
//! A loop over slices is vector code only if everything in it can be done to several elements at once, and a call of std's `exp` cannot.
//! The functions here are arithmetic, comparisons and masks from beginning to end, so the compiler can put as many elements side by side as the machine has lanes.
//!
//! ```
//! use autodiff_runtime::lane;
//!
//! let (a, b) = ([0.5_f32, 1.0, 2.0], [1.0_f32, 0.0, -1.0]);
//! let mut y = [0.0; 3];
//! lane::fused([&a, &b], [&mut y], |lane, [a, b]| [a * b + lane.exp(a)]);
//! assert!((y[2] - 5.389_056).abs() < 1e-6);
//! ```
//!
//! A kernel is compiled for more than one instruction set, and its closure with it, as far as that is inlined.
//! Short closures are in any case, long ones with the attribute `#[inline(always)]` in front; without, they give the same numbers, one at a time.
//!
//! # Accuracy
//!
//! Results are within 2 units in the last place of the true ones, in `f32` for every argument (`cargo run --release -p autodiff-checks --bin ulp` tests all of them).
//! First derivatives, whose names begin with `d`, are within 8, and second ones, with `d2`, within 10; near a root of theirs, of the size around it.
//! They are computed from the argument: in both tails they have their digits, and they are finite for every finite argument.
//! What std says of ±∞, NaN, −0, of arguments and results below the normal numbers holds here as well.
//!
//! # Bits
//!
//! Where the processor rounds a product and a sum at once (FMA), the functions use that, for speed: with it bits differ in the last place from those on other processors.
//! With the feature `reproducible` they are the same everywhere.
//! The closure's own arithmetic is done as it is written, in any case.

#![allow(
    clippy::inline_always,
    reason = "a call that is left over keeps a loop from becoming vector code"
)]

mod activations;
mod dispatch;
mod error;
mod exponential;
mod fused;
mod logarithm;
mod parts;
mod trigonometric;

use core::cell::Cell;

use crate::float::Float;
pub use dispatch::dispatch;
#[doc(hidden)]
pub use fused::Run;
pub use fused::{Operand, Output, Pairwise, drive, fused, sum};
pub(crate) use fused::{inner, walk};
#[doc(hidden)]
pub use parts::Parts;

/// How a kernel computes: its closure is handed this, and calls elementary functions on it.
///
/// A kernel is compiled for several instruction sets, and its functions with it.
#[derive(Clone, Copy, Debug)]
pub struct Math<'a> {
    /// Whether a product and a sum become one rounding.
    contracts: bool,
    /// Where a function notes that an argument is beyond what it can do without branches; its result is then wrong, and the kernel runs the group again.
    beyond: Option<&'a Cell<bool>>,
}

impl Math<'_> {
    /// As the crate as a whole is compiled, outside of kernels.
    const PLAIN: Math<'static> = Math {
        contracts: cfg!(all(
            feature = "std",
            not(feature = "reproducible"),
            any(
                target_feature = "fma",
                all(target_arch = "aarch64", target_feature = "neon")
            )
        )),
        beyond: None,
    };
}

/// Defines the functions: as methods of `Math`, and by themselves. One may be `below` a bound only, and what else does it is a function with branches.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $($path:ident)::+ $(below $bound:expr, else $far:ident)?;)*) => {
        impl Math<'_> {
            $(
                $(#[$doc])*
                #[inline(always)]
                #[must_use]
                pub fn $name<T: Float>(self, x: T) -> T {
                    $(
                        let far = x.abs() >= T::from_f64($bound);
                        if let Some(beyond) = self.beyond {
                            beyond.set(beyond.get() | far);
                        } else if far {
                            return T::$far(x);
                        }
                    )?
                    if self.contracts {
                        $($path)::+::<T, true>(x)
                    } else {
                        $($path)::+::<T, false>(x)
                    }
                }
            )*
        }

        $(
            $(#[$doc])*
            #[inline]
            #[must_use]
            pub fn $name<T: Float>(x: T) -> T {
                Math::PLAIN.$name(x)
            }
        )*
    };
}

functions! {
    /// eˣ.
    exp = exponential::exp;
    /// eˣ − 1, accurate also near zero.
    exp_m1 = exponential::exp_m1;
    /// The natural logarithm.
    ln = logarithm::ln;
    /// ln(1 + x), accurate also near zero.
    ln_1p = logarithm::ln_1p;
    /// The hyperbolic tangent.
    tanh = exponential::tanh;
    /// The logistic function, 1 / (1 + e⁻ˣ).
    sigmoid = exponential::sigmoid;
    /// ln(1 + eˣ).
    softplus = logarithm::softplus;
    /// x · sigmoid(x).
    silu = activations::silu;
    /// x Φ(x) with the standard normal distribution's Φ.
    gelu = activations::gelu;
    /// The approximation of `gelu` by tanh: x · sigmoid(2 √(2/π) (x + 0.044715 x³)).
    gelu_tanh = activations::gelu_tanh;
    /// The derivative of [`tanh`](tanh()).
    dtanh = activations::dtanh;
    /// The second derivative of [`tanh`](tanh()).
    d2tanh = activations::d2tanh;
    /// The derivative of [`sigmoid`](sigmoid()).
    dsigmoid = activations::dsigmoid;
    /// The second derivative of [`sigmoid`](sigmoid()).
    d2sigmoid = activations::d2sigmoid;
    /// The derivative of [`silu`](silu()).
    dsilu = activations::dsilu;
    /// The second derivative of [`silu`](silu()).
    d2silu = activations::d2silu;
    /// The derivative of [`gelu`](gelu()).
    dgelu = activations::dgelu;
    /// The second derivative of [`gelu`](gelu()).
    d2gelu = activations::d2gelu;
    /// The derivative of [`gelu_tanh`](gelu_tanh()).
    dgelu_tanh = activations::dgelu_tanh;
    /// The second derivative of [`gelu_tanh`](gelu_tanh()).
    d2gelu_tanh = activations::d2gelu_tanh;
    /// The derivative of [`erf`](erf()).
    derf = activations::derf;
    /// The second derivative of [`erf`](erf()).
    d2erf = activations::d2erf;
    /// exp(−x²).
    gaussian = activations::gaussian;
    /// The density of the standard normal distribution.
    normal_pdf = activations::normal_pdf;
    /// The error function.
    erf = error::erf;
    /// 1 − erf(x), accurate also where it is tiny.
    erfc = error::erfc;
    /// The sine of an angle in radians.
    sin = trigonometric::sin below trigonometric::BOUND, else far_sin;
    /// The cosine of an angle in radians.
    cos = trigonometric::cos below trigonometric::BOUND, else far_cos;
    /// The tangent of an angle in radians.
    tan = trigonometric::tan below trigonometric::BOUND, else far_tan;
}
