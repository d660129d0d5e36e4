//! The machinery that looks for silently wrong gradients: random programs, the checks each of them is put to,
//! and the test that the checks would notice a broken compiler.

pub mod difference;
pub mod effect;
pub mod flat;
pub mod generate;
pub mod judge;
mod matrices;
pub mod random;
pub mod run;
pub mod second;
mod tensors;
