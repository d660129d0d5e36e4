//! The operations, by kind: each with its rules, its methods and the operands that it is tested at.

pub(crate) mod arithmetic;
pub(crate) mod conv;
mod decompositions;
pub(crate) mod einsum;
pub(crate) mod linalg;
pub(crate) mod moves;
pub(crate) mod pool;
pub(crate) mod products;
pub(crate) mod reductions;
