//! A library of differentiable types with parameters, as other crates would use it: it is enough that it compiles, with optimisations.
//!
//! rustc optimises what is generic or may be inlined before it knows the types, and is strict there about how they are written.
//! Nothing of that is seen in a build without optimisations.

#![allow(
    clippy::all,
    clippy::pedantic,
    reason = "the functions show what people write, not what is best"
)]

pub mod closures;
pub mod enums;
pub mod functions;
pub mod structs;
pub mod traits;
