//! What the programs in `src/bin` share: arguments, figures and the check against them, progress, pictures; and the model that is trained by several processes as well.

// An error is a `Stop`, which says what it means, or the sentence for one.
#![allow(clippy::missing_errors_doc)]

mod check;
mod clock;
mod common;
mod figures;
pub mod gpt2;
mod moons;
mod picture;
mod program;
mod progress;

pub use check::{Check, distance};
pub use clock::{Clock, peak_memory};
pub use common::{Common, Run};
pub use figures::{Figures, expect_length, parse, read};
pub use moons::{TwoMoons, moons};
pub use picture::{boundary, curve};
pub use program::{Stop, Verdict, run};
pub use progress::bar;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The source of all random numbers of a program: the same seed gives the same numbers on every machine.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
