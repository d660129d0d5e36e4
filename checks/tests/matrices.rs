//! Matrices of nalgebra, arrays of ndarray and complex numbers of num-complex: every operation, and functions as people write them, against the function itself, the other mode and differences.

#![allow(
    clippy::assign_op_pattern,
    clippy::explicit_iter_loop,
    clippy::needless_range_loop,
    clippy::redundant_closure_for_method_calls,
    reason = "loops and statements as people write them"
)]

#[path = "matrices/judge.rs"]
#[macro_use]
mod judge;
#[path = "matrices/angles.rs"]
mod angles;
#[path = "matrices/arrays.rs"]
mod arrays;
#[path = "matrices/beside.rs"]
mod beside;
#[path = "matrices/changed.rs"]
mod changed;
#[path = "matrices/complex.rs"]
mod complex;
#[path = "matrices/factors.rs"]
mod factors;
#[path = "matrices/lengths.rs"]
mod lengths;
#[path = "matrices/lent.rs"]
mod lent;
#[path = "matrices/models.rs"]
mod models;
#[path = "matrices/outer.rs"]
mod outer;
#[path = "matrices/passed_views.rs"]
mod passed_views;
#[path = "matrices/points.rs"]
mod points;
#[path = "matrices/reassigned.rs"]
mod reassigned;
#[path = "matrices/rotations.rs"]
mod rotations;
#[path = "matrices/rows.rs"]
mod rows;
#[path = "matrices/sizes.rs"]
mod sizes;
#[path = "matrices/solves.rs"]
mod solves;
#[path = "matrices/views.rs"]
mod views;
#[path = "matrices/walked_arrays.rs"]
mod walked_arrays;
#[path = "matrices/zipped_arrays.rs"]
mod zipped_arrays;
