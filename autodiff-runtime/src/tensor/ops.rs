//! The operations, by kind: each with its rules, its methods and the operands that it is tested at.

pub(crate) mod arithmetic;
pub(crate) mod attention;
pub(crate) mod binary;
pub(crate) mod cast;
pub(crate) mod conv;
mod decompositions;
pub(crate) mod einsum;
pub(crate) mod entry_products;
pub(crate) mod extrema;
pub(crate) mod indices;
pub(crate) mod item;
pub(crate) mod joins;
pub(crate) mod lengths;
pub(crate) mod linalg;
pub(crate) mod losses;
mod made;
mod mapped;
pub(crate) mod masks;
pub(crate) mod moves;
pub(crate) mod norms;
pub(crate) mod pair_losses;
pub(crate) mod pool;
pub(crate) mod products;
pub(crate) mod reductions;
pub(crate) mod rows;
pub(crate) mod scans;
pub(crate) mod sorting;
#[cfg(feature = "linalg")]
pub(crate) mod spectra;
pub(crate) mod spread;
pub(crate) mod unary;
