//! Automatic differentiation of plain Rust functions, at compile time.
//!
//! `#[grad]` on a function reads its body, and makes beside it the functions that compute its derivatives: plain Rust again, exact to rounding, without a tape or operator overloading.
//!
//! ```
//! use autodiff::grad;
//!
//! #[grad]
//! fn rosenbrock(x: f64, y: f64) -> f64 {
//!     let a = 1.0 - x;
//!     let b = y - x * x;
//!     a * a + 100.0 * b * b
//! }
//!
//! assert_eq!(rosenbrock(0.0, 1.0), 101.0);
//! assert_eq!(rosenbrock::grad(0.0, 1.0), (-2.0, 200.0));
//! assert_eq!(rosenbrock::value_and_grad(0.0, 1.0), (101.0, (-2.0, 200.0)));
//! ```
//!
//! The function `f` stays as it is written, and its derivatives are associated functions of a type `f` beside it:
//!
//! | function | returns | meaning |
//! |---|---|---|
//! | `f::grad(args…)`, `f::value_and_grad(args…)` | `G`, `(R, G)` | the gradient of the result, a number |
//! | `f::jvp(args…, tangents)` | `(R, Ṙ)` | forward mode: value, and derivative along `tangents` |
//! | `f::vjp(args…, seed)`, `f::pullback(args…)` | `(R, G)`, `(R, impl FnOnce(seed) -> G)` | reverse mode: value, and what the cotangent `seed` of the result is pulled back to |
//! | `f::grad_into(args…, &mut g₁, …)` and its kin | `R` | the same, added to buffers of the caller |
//! | `f::jacobian(args…)` | [`Matrix`] | a row per scalar of the result, a column per scalar of the parameters |
//! | `f::hvp(args…, tangents)`, `f::hessian(args…)` | `(G, G)`, [`Matrix`] | second derivatives, with `#[grad(order = 2)]` |
//! | `f::with(constants…)` | `impl` [`Objective`] or `impl` [`Residuals`] | the function of its one differentiable parameter, for solvers; where it may fail, [`FallibleObjective`], [`FallibleResiduals`] |
//! | `f::graph()` | `&'static` [`Graph`] | the computation graph as data, and as a picture |
//!
//! `R` is the return type and `Ṙ` its tangent type; `G` has one entry per differentiable parameter, in order: a tuple, or the bare entry if there is one.
//! Every parameter counts that may hold floats, unless it is marked `#[constant]`: slices, vectors, structs with [`Differentiable`], tensors and matrices among them.
//! A call of another `#[grad]` function, by any path, is differentiated through.
//!
//! ```
//! use autodiff::grad;
//!
//! /// Residual sum of squares of a line.
//! #[grad]
//! fn loss(line: &[f64; 2], #[constant] xs: &[f64], #[constant] ys: &[f64]) -> f64 {
//!     let mut sum = 0.0;
//!     for (x, y) in xs.iter().zip(ys) {
//!         let r = line[0] + line[1] * x - y;
//!         sum += r * r;
//!     }
//!     sum
//! }
//!
//! let (xs, ys) = ([0.0, 1.0, 2.0], [1.0, 3.0, 6.0]);
//! assert_eq!(loss::grad(&[1.0, 2.0], &xs, &ys), [-2.0, -4.0]);
//! ```
//!
//! What cannot be differentiated correctly is a compile error at the place, which says what to write instead.
//!
//! # The book
//!
//! All that there is to know is in the book, in the folder `book` of the repository: `mdbook serve book --open`, or read `book/src` as it is.
//!
//! | you want to know | chapter |
//! |---|---|
//! | how to begin | `start.md` |
//! | what a body may contain, what `&mut` parameters are, what derivatives mean at kinks | `body.md` |
//! | what the tangent of a type is, and what is a constant | `types.md` |
//! | methods, operators, traits | `methods.md` |
//! | functions generic in their float, bounds of other crates and of your own | `generic.md` |
//! | functions that return `Result` or `Option` | `fallible.md` |
//! | special functions: [`ln_gamma`], [`erf`](fn@erf), [`bessel_j`], [`sigmoid`], … | `functions.md` |
//! | derivatives of your own, functions that are defined by an equation | `own.md` |
//! | what an error means | `refusals.md`, and `cargo run -p autodiff-cli -- explain` |
//! | what the reverse sweep remembers, and checkpoints | `memory.md` |
//! | second and third derivatives | `second.md` |
//! | `nalgebra`, `ndarray` and `num-complex` | `matrices.md` |
//! | tensors, and training with [`optim`] | `tensors.md` |
//! | the [`tape`], and `#[grad(dynamic)]` | `tape.md` |
//! | [`Objective`], [`Residuals`], and solvers of other crates | `solvers.md` |
//! | [`Graph`], [`Trace`](trace::Trace), [`gradcheck`] | `inside.md` |
//! | what it costs | `speed.md` |
//! | all derivatives, all options of `#[grad]`, names, features, `no_std` | `reference.md` |
//! | how other tools say it | `coming.md` |
//! | what does not go; zero times infinity | `limits.md` |
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
extern crate self as autodiff;

#[cfg(feature = "alloc")]
mod implicit;
#[cfg(feature = "alloc")]
mod interpolation;
#[cfg(all(feature = "nalgebra", feature = "std"))]
pub mod linalg;

/// Makes the derivatives of a function.
///
/// ```
/// use autodiff::grad;
///
/// #[grad]
/// fn area(width: f64, height: f64) -> f64 {
///     width * height
/// }
///
/// assert_eq!(area::grad(2.0, 3.0), (3.0, 2.0));
/// ```
#[doc(inline)]
pub use autodiff_macro::grad;

#[cfg(feature = "alloc")]
pub use self::interpolation::*;
/// Gives a type of your own a tangent.
///
/// ```
/// use autodiff::{Differentiable, Tangent};
///
/// #[derive(Differentiable)]
/// struct Spring {
///     stiffness: f64,
///     #[constant]
///     length: f64,
///     coils: usize,
/// }
///
/// let spring = Spring { stiffness: 2.0, length: 1.0, coils: 7 };
/// let zero: SpringTangent = spring.zero_tangent();
/// assert_eq!(zero.stiffness, 0.0);
/// assert_eq!(zero.scalar_count(), 1);
/// # let _ = (spring.length, spring.coils);
/// ```
///
/// Fields of types of the standard library that hold no floats, as `Duration`, `Range<usize>` or `HashMap<String, usize>`, need no mark.
/// A `#[constant]` field has the tangent `()`: what a body stores in it is a constant from then on.
#[doc(inline)]
pub use autodiff_macro::Differentiable;
#[cfg(feature = "alloc")]
#[doc(inline)]
pub use autodiff_runtime::check::{self, gradcheck, gradcheck_at, hessian_check};
#[cfg(any(feature = "std", feature = "libm"))]
pub use autodiff_runtime::functions::*;
pub use autodiff_runtime::graph;
#[doc(no_inline)]
pub use autodiff_runtime::graph::Graph;
#[cfg(feature = "alloc")]
pub use autodiff_runtime::matrix::Matrix;
#[cfg(feature = "alloc")]
pub use autodiff_runtime::objective::{FallibleResiduals, Hessian, Residuals};
#[cfg(all(feature = "alloc", target_has_atomic = "ptr"))]
pub use autodiff_runtime::optim;
pub use autodiff_runtime::slices;
#[cfg(any(feature = "argmin", feature = "levenberg-marquardt"))]
pub use autodiff_runtime::solvers;
#[cfg(feature = "sparse")]
pub use autodiff_runtime::sparse;
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
#[doc(no_inline)]
pub use autodiff_runtime::tape::{self, Tape, Var};
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
#[doc(inline)]
pub use autodiff_runtime::tape::{derivative, grad, hessian, jacobian, value_and_grad};
#[cfg(feature = "tensor")]
pub use autodiff_runtime::tensor::{self, AsTensor, Axes, Tensor};
#[cfg(feature = "alloc")]
pub use autodiff_runtime::trace;
pub use autodiff_runtime::{
    float::Float,
    objective::{FallibleObjective, Objective},
    tangent::{Differentiable, Parameters, Tangent, stop_gradient, with_cotangent},
};
#[cfg(feature = "std")]
pub use autodiff_runtime::{kept_memory, release_memory, set_memory_limit};

/// The items beside a function, where a function stands; in an `impl` block rustc refuses the type, and names the macro to a user who wrote `#[grad]` alone on a function without `self`.
///
/// All else is made of the type's attribute, which it comes to only where there may be a type: so there is one error.
#[doc(hidden)]
#[macro_export]
macro_rules! __in_an_impl_block_write_grad_method {
    () => {};
    ($($items:tt)+) => {
        #[$crate::__private::beside($($items)+)]
        struct __Beside;
    };
}

/// What generated code calls.
#[doc(hidden)]
pub mod __private {
    pub use crate::__in_an_impl_block_write_grad_method as in_an_impl_block_write_grad_method;
    pub use autodiff_macro::beside;
    pub use autodiff_runtime::generated::*;
    pub use autodiff_runtime::tangent::*;

    /// The derivatives of functions that are defined by an equation.
    #[cfg(feature = "alloc")]
    pub mod implicit {
        pub use crate::implicit::*;
        pub use autodiff_runtime::jacobian::{
            assert_found, inverse_at, less, reciprocal_at, solved,
        };
    }
}
