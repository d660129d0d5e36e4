//! Jacobians and Hessians that are mostly zero, from a few sweeps.
//!
//! Where two columns of a Jacobian have no row in common, one forward sweep along both gives the entries of both.
//! A [`Pattern`] says where entries may be, a [`Coloring`] which columns share a sweep, and a [`SparseMatrix`] holds what comes of it.
//! Beside a function stand `f::sparse_jacobian(&coloring, …)` and, with `order = 2`, `f::sparse_hessian(&coloring, …)`.
//!
//! After Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices" (1974), and
//! Gebremedhin, Manne and Pothen, "What color is your Jacobian? Graph coloring for computing derivatives" (2005).

mod coloring;
mod conversions;
mod error;
mod matrix;
mod pattern;
mod sweeps;

pub use self::coloring::Coloring;
pub use self::error::SparseError;
pub use self::matrix::SparseMatrix;
pub use self::pattern::Pattern;
pub use self::sweeps::{by_colors, by_colors_in_lanes, by_symmetric_colors, probed};
