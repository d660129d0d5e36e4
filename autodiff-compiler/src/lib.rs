//! The compiler of `autodiff`, tokens in and tokens out: [`grad`] turns a function into a static computation graph and the graph into derivative code.
//!
//! `tokens → attr → lower → Graph → jvp / vjp → remember → emit → tokens`; the pipeline is in `expand`.
#![forbid(unsafe_code)]

mod absorbed;
mod accessors;
mod alike;
mod analysis;
mod api;
mod attr;
mod block;
mod build;
mod callable;
mod called;

mod chosen;
mod complex;
mod conditional;
mod conversions;
mod counts;
mod cut;
mod depth;
mod derive;
mod desugar;
mod dump;
mod dynamic;
mod emit;
mod errors;
mod expand;
mod factors;
mod facts;
mod fallible;
mod features;
mod forms;
mod fragments;
mod from_zero;
mod function;
mod fuse;
#[cfg(test)]
mod fuzz;
mod getters;
mod hygiene;
mod idle;
mod impls;
mod indexed;
mod inspect;
mod ir;
mod iterators;
mod itself;
mod jvp;
mod labels;
mod lanes;
mod lengths;
mod lower;
mod macros;
mod maps;
mod marks;
mod matrices;
mod method;
mod mode;
mod moves;
mod mutate;
mod names;
mod namesakes;
mod neighbours;
mod onward;
mod outputs;
mod own;
mod own_names;
mod pipeline;
mod print;
mod remember;
mod rules;
mod scratch;
mod second;
mod share;
mod siblings;
mod simplify;
mod sink;
mod slopes;
mod sound;
mod standard;
mod std_methods;
mod sums;
mod sweeps;
mod syntax;
mod tensors;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod tool;
mod traits;
mod types;
mod verify;
mod visit;
mod visit_mut;
mod vjp;
mod vouched;
mod walked_arrays;
mod walked_tensors;
mod zipped_arrays;

pub use conditional::conditional;
pub use derive::differentiable;
pub use expand::{grad, grad_for_rustc, wrapped};
pub use features::Features;
