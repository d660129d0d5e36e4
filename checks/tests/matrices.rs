//! Matrices and vectors of nalgebra: every operation, and functions as people write them, against the function itself, the other mode and differences.

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
#[path = "matrices/changed.rs"]
mod changed;
#[path = "matrices/factors.rs"]
mod factors;
#[path = "matrices/lent.rs"]
mod lent;
#[path = "matrices/rows.rs"]
mod rows;
#[path = "matrices/sizes.rs"]
mod sizes;
#[path = "matrices/solves.rs"]
mod solves;
#[path = "matrices/views.rs"]
mod views;
