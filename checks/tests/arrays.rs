//! Arrays of ndarray and views of them: against the function itself, the other mode and differences.

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
#[path = "matrices/arrays.rs"]
mod arrays;
#[path = "matrices/lengths.rs"]
mod lengths;
#[path = "matrices/made_arrays.rs"]
mod made_arrays;
#[path = "matrices/outer.rs"]
mod outer;
#[path = "matrices/passed_views.rs"]
mod passed_views;
#[path = "matrices/reassigned.rs"]
mod reassigned;
#[path = "matrices/walked_arrays.rs"]
mod walked_arrays;
#[path = "matrices/zipped_arrays.rs"]
mod zipped_arrays;
