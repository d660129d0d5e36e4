//! The compiler of `autodiff`: `#[grad]` turns a function into a static computation graph and the graph into derivative code.
//!
//! `tokens → attr → lower → Graph → jvp / vjp → remember → emit → tokens`; the pipeline is in `expand`.

mod analysis;
mod api;
mod attr;
mod build;
mod emit;
mod errors;
mod expand;
mod facts;
mod fuse;
mod ir;
mod jvp;
mod lower;
mod mutate;
mod names;
mod remember;
mod rules;
mod share;
mod simplify;
mod types;
mod verify;
mod vjp;

use proc_macro::TokenStream;

/// Differentiates a function at compile time.
///
/// The function stays as it is; beside it appears a type of the same name with its derivatives as associated functions.
#[proc_macro_attribute]
pub fn grad(args: TokenStream, item: TokenStream) -> TokenStream {
    expand::grad(args.into(), item.into()).into()
}
