//! Points, rotations and complex numbers, and models of all of them: against the function itself, the other mode and differences.

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
#[path = "matrices/beside.rs"]
mod beside;
#[path = "matrices/complex.rs"]
mod complex;
#[path = "matrices/models.rs"]
mod models;
#[path = "matrices/plane.rs"]
mod plane;
#[path = "matrices/points.rs"]
mod points;
#[path = "matrices/rotations.rs"]
mod rotations;
