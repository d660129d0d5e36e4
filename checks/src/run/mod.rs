//! Running generated programs: a module of Rust text for each, crates of many modules, and what they report.

mod batch;
mod entry;
mod glue;
mod mutation;
mod reduce;
mod report;
mod series;
pub mod stand_in;
mod variants;

pub use batch::{Workshop, built, project_root};
pub use entry::{Entry, Second, main};
pub use glue::{Forms, module_text};
pub use mutation::{MutantReport, NAMES as MUTATIONS, Trial, test_mutations};
pub use reduce::reduce;
pub use report::{Failure, Report};
pub use series::{Series, run_series};
pub use variants::{VARIANTS, variant};
