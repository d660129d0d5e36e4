//! Automatic differentiation of plain Rust functions, at compile time.
#![no_std]

extern crate self as autodiff;

pub use autodiff_macro::grad;
#[cfg(any(feature = "std", feature = "libm"))]
pub use autodiff_runtime::functions::*;
#[cfg(feature = "alloc")]
pub use autodiff_runtime::matrix::Matrix;
pub use autodiff_runtime::{
    float::Float,
    tangent::{Differentiable, Parameters, Tangent},
};

/// What generated code calls.
#[doc(hidden)]
pub mod __private {
    #[cfg(feature = "alloc")]
    pub use autodiff_runtime::alloc_to_owned::ToOwned;
    pub use autodiff_runtime::generated::*;
    pub use autodiff_runtime::tangent::*;
}
