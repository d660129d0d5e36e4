//! Optimisers: gradient descent with momentum, Adam and `AdamW`, for whatever parameters a gradient has.
//!
//! They compute what those of `PyTorch` do, slice by slice and in place, in the width of each slice.
//!
//! ```
//! use autodiff_runtime::optim::Adam;
//!
//! let mut x = (vec![1.0_f64, -2.0], 0.5_f32);
//! let mut adam = Adam::new(0.1);
//! for _ in 0..500 {
//!     let gradient = (vec![2.0 * x.0[0], 2.0 * x.0[1]], 2.0 * x.1);
//!     adam.step(&mut x, &gradient);
//! }
//! assert!(x.0.iter().all(|x| x.abs() < 1e-6) && x.1.abs() < 1e-6);
//! assert_eq!(adam.steps(), 500);
//! ```
//!
//! An optimiser belongs to one set of parameters: what it keeps, it keeps for each slice by its path and its length.
//! With the feature `serde` it is saved and restored with all of that, and goes on as if nothing had been between.
//! The format has to keep every bit of a number: `serde_json` does with its feature `float_roundtrip`.

#![allow(
    clippy::inline_always,
    reason = "a loop is compiled for the instructions of who calls it"
)]

use crate::slices::{FieldPath, SliceError};
use crate::tangent::Parameters;

/// A loop compiled for the widest vectors of the processor, where there are tensors. It gives the same bits.
#[cfg(feature = "tensor")]
macro_rules! wide {
    ($loop:expr) => {
        $crate::lane::dispatch(
            #[inline(always)]
            |_| $loop,
        )
    };
}
#[cfg(not(feature = "tensor"))]
macro_rules! wide {
    ($loop:expr) => {
        $loop
    };
}

mod adam;
mod clip;
pub mod schedule;
mod sgd;
mod state;

pub use adam::{Adam, AdamW};
pub use clip::{clip_norm, clip_value};
pub use sgd::Sgd;

/// What all optimisers have.
macro_rules! optimiser {
    ($Name:ident, $example:literal) => {
        impl $Name {
            /// Decays those slices alone for which the predicate holds, which is given the path and the length of each.
            ///
            /// It is asked once for each slice, in the first step; what it says is part of the state from then on.
            ///
            /// ```
            #[doc = concat!("use autodiff_runtime::optim::", stringify!($Name), ";")]
            /// // No decay on biases and what else is a single row.
            #[doc = concat!("let optimiser = ", $example, ".weight_decay(0.1).decay_where(|path, _| !path.ends_with(\"bias\"));")]
            /// # let _ = optimiser;
            /// ```
            #[must_use]
            pub fn decay_where(
                mut self,
                predicate: impl Fn(&str, usize) -> bool + Send + Sync + 'static,
            ) -> Self {
                self.state.slices.decay_where(predicate);
                self
            }

            /// Multiplies the rate of each slice by a factor, which `factor` makes of its path and its length; what has the factor 0 stays as it is.
            ///
            /// It is asked once for each slice, in the first step; what it says is part of the state from then on.
            ///
            /// ```
            #[doc = concat!("use autodiff_runtime::optim::", stringify!($Name), ";")]
            #[doc = concat!("let optimiser = ", $example, ".rate_where(|path, _| if path.starts_with(\"head\") { 10.0 } else { 1.0 });")]
            /// # let _ = optimiser;
            /// ```
            ///
            /// # Panics
            /// In a step, if a factor is negative or not finite.
            #[must_use]
            pub fn rate_where(
                mut self,
                factor: impl Fn(&str, usize) -> f64 + Send + Sync + 'static,
            ) -> Self {
                self.state.slices.rate_where(factor);
                self
            }

            /// The rate.
            #[must_use]
            pub fn lr(&self) -> f64 {
                self.state.lr
            }

            /// Sets the rate of the steps to come.
            ///
            /// # Panics
            /// If it is negative or not finite.
            #[track_caller]
            pub fn set_lr(&mut self, lr: f64) {
                check("the rate", lr);
                self.state.lr = lr;
            }

            /// How many steps were made.
            #[must_use]
            pub fn steps(&self) -> u64 {
                self.state.steps
            }

            /// Moves the parameters against the gradient.
            ///
            /// # Panics
            /// Where [`try_step`](Self::try_step) gives an error.
            #[track_caller]
            pub fn step<P: Parameters + ?Sized>(&mut self, p: &mut P, g: &P::Tangent) {
                if let Err(error) = self.try_step(p, g) {
                    panic!("step: {error}");
                }
            }

            /// Moves the parameters against the gradient, or leaves all as it is.
            ///
            /// # Errors
            /// If the gradient has not the lengths of the parameters, or these are not the ones of the steps before: the error names the slice.
            pub fn try_step<P: Parameters + ?Sized>(
                &mut self,
                p: &mut P,
                g: &P::Tangent,
            ) -> Result<(), SliceError> {
                self.advance(&mut |f| p.walk_slices(Some(g), &FieldPath::Whole, f))
            }
        }
    };
}
optimiser!(Sgd, "Sgd::new(0.1)");
optimiser!(Adam, "Adam::new(1e-3)");
optimiser!(AdamW, "AdamW::new(1e-3)");

/// Panics unless a setting is a number that is not negative.
#[track_caller]
fn check(what: &str, x: f64) {
    assert!(
        x >= 0.0 && x.is_finite(),
        "{what} is {x}; it must be finite and not negative"
    );
}
