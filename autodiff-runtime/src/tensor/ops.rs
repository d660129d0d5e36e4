//! The operations, by kind: each with its rules, its methods and the operands that it is tested at.

pub(crate) mod arithmetic;
pub(crate) mod binary;
pub(crate) mod masks;
pub(crate) mod indices;
pub(crate) mod joins;
pub(crate) mod moves;
pub(crate) mod products;
pub(crate) mod reductions;
pub(crate) mod unary;
