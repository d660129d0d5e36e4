//! What the command line of `autodiff` does, for other tools that show derivatives: a file with what is marked in it, its expansion, and refusals as rustc prints them.
#![forbid(unsafe_code)]

pub mod expand;
pub mod explain;
pub mod problem;
pub mod show;
pub mod source;
