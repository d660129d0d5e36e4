//! The mathematics of `autodiff`: the rule table, elementary functions, matrices.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "approx")]
#[doc(hidden)]
pub mod approx;
#[doc(hidden)]
pub mod arm;
#[doc(hidden)]
pub mod blank;
#[doc(hidden)]
pub mod captured;
#[cfg(feature = "alloc")]
pub mod check;
pub mod checked;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod checkpoint;
#[doc(hidden)]
pub mod conversions;
#[doc(hidden)]
pub mod copies;
#[doc(hidden)]
pub mod counter;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod deep;
#[cfg(any(feature = "std", feature = "libm"))]
mod dual;
pub mod element;
mod elementary_methods;
#[doc(hidden)]
pub mod fallible;
pub mod float;
#[cfg(any(feature = "std", feature = "libm"))]
pub mod functions;
#[doc(hidden)]
pub mod generated;
pub mod graph;
#[doc(hidden)]
pub mod held;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod jacobian;
#[cfg(feature = "alloc")]
mod kept;
pub mod kernels;
#[doc(hidden)]
pub mod known;
#[cfg(all(feature = "tensor", any(feature = "std", feature = "libm")))]
pub mod lane;
#[doc(hidden)]
pub mod lanes;
#[doc(hidden)]
pub mod lengths;
#[cfg(all(
    any(feature = "nalgebra", feature = "ndarray", feature = "num-complex"),
    feature = "std"
))]
#[doc(hidden)]
pub mod linalg;
/// What generated code imports, with nothing of matrices here.
#[cfg(all(
    any(feature = "nalgebra", feature = "ndarray", feature = "num-complex"),
    not(feature = "std")
))]
#[doc(hidden)]
pub mod linalg {
    pub use crate::generated::scope;
}
#[cfg(feature = "alloc")]
pub mod matrix;
#[doc(hidden)]
pub mod num;
#[doc(hidden)]
pub mod numberless;
pub mod objective;
mod operator_methods;
#[doc(hidden)]
pub mod operators;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
pub mod optim;
mod order;
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
mod parallel;
mod parts;
mod passed;
#[cfg(feature = "alloc")]
mod picture;
pub mod rules;
pub mod slices;
#[cfg(any(feature = "argmin", feature = "levenberg-marquardt"))]
pub mod solvers;
#[doc(hidden)]
pub mod spare;
#[cfg(feature = "sparse")]
pub mod sparse;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub mod stack;
#[doc(hidden)]
pub mod state;
#[doc(hidden)]
pub mod sums;
pub mod tangent;
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
pub mod tape;
#[cfg(feature = "tensor")]
pub mod tensor;
#[cfg(feature = "alloc")]
pub mod trace;
mod tuples;

#[cfg(feature = "std")]
pub use kept::{kept_memory, release_memory, set_memory_limit};
