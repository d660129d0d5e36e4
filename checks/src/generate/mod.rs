//! The generator: seeded source text of `#[grad]` functions.
//!
//! Programs are right by construction: indices are in range, arguments stay in their domains, magnitudes stay small,
//! so that a difference between two derivatives is the compiler's fault and never the program's.

mod arrays;
mod calls;
mod chains;
mod closures;
mod constructs;
mod control;
mod decides;
mod exits;
mod expr;
mod fallible;
mod functions;
mod growth;
mod loops;
mod main_function;
mod matrices;
mod own_numbers;
mod patterns;
mod program;
mod recursion;
mod scope;
mod statement;
mod tensors;
mod traps;
mod types;
mod views;

use std::collections::BTreeSet;

pub use constructs::{CONSTRUCTS, Constructs};
pub use matrices::Matrix;
pub use program::{
    Bound, CLOSE, Function, OPEN, OwnFloat, Param, ParamType, Part, Point, Program, ResultType,
    Stmt, plain,
};
pub use tensors::{Shape, tensor_types_text};
pub use traps::TRAPS;
pub(crate) use traps::is_steep;
pub use types::{types_on_tape, types_text};

use crate::random::Random;
use scope::Var;

/// What programs with these are drawn by.
const TENSORS: u64 = 0x7E45_0125;
const MATRICES: u64 = 0x3A71_0C0F;
const FALLIBLE: u64 = 0x0E44_0411;
const OWN_NUMBERS: u64 = 0x0511_B0E5;

/// The program of place `index` in the series of `seed`.
#[must_use]
pub fn generate(seed: u64, index: u64, constructs: &Constructs) -> Program {
    let mut random = Random::item(seed, index);
    let scalar = if constructs.on("f32") && random.chance(0.08) {
        "f32"
    } else {
        "f64"
    };
    // Drawn apart, so that programs without them do not depend on it.
    let drawn = |salt, part| Random::item(seed ^ salt, index).chance(part);
    let generator = Generator {
        random,
        on: constructs.clone(),
        scalar,
        tensors: constructs.on("tensor") && constructs.on("vec") && drawn(TENSORS, 0.2),
        matrices: constructs.on("matrix") && !drawn(TENSORS, 0.2) && drawn(MATRICES, 0.2),
        fallible: constructs.on("fallible") && drawn(FALLIBLE, 0.3),
        own_numbers: constructs.on("own_numbers") && drawn(OWN_NUMBERS, 0.15),
        vars: Vec::new(),
        next: 0,
        used: BTreeSet::new(),
        traps: Vec::new(),
        planned: Vec::new(),
        helpers: Vec::new(),
        items: Vec::new(),
        globals: Vec::new(),
        targets: Vec::new(),
        result: None,
        loops: 0,
        rounds: 1,
        nesting: 0,
        marks: true,
    };
    generator.program(seed, index)
}

/// The state while one program is written.
#[allow(
    clippy::struct_excessive_bools,
    reason = "what is drawn does not depend on what else is"
)]
pub(crate) struct Generator {
    random: Random,
    on: Constructs,
    scalar: &'static str,
    /// Are tensors drawn, too?
    tensors: bool,
    /// Matrices of other crates?
    matrices: bool,
    /// Functions that return results?
    fallible: bool,
    /// Traits of the program's own that floats have?
    own_numbers: bool,
    /// The variables in scope, the innermost last; a later one hides earlier ones of its name.
    vars: Vec<Var>,
    /// The number of the next fresh name.
    next: usize,
    used: BTreeSet<&'static str>,
    traps: Vec<&'static str>,
    /// Places in the table of the traps that are still to be set.
    planned: Vec<usize>,
    helpers: Vec<Function>,
    items: Vec<String>,
    /// The constants of the module.
    globals: Vec<Var>,
    /// The loops and labelled blocks of the function around the place where text is written.
    targets: Vec<exits::Target>,
    /// What that function returns.
    result: Option<ResultType>,
    /// How many loops are around the place where text is written.
    loops: usize,
    /// An upper bound of how often that place is executed.
    rounds: usize,
    /// How many blocks are around it.
    nesting: usize,
    /// May subexpressions be marked as movable?
    marks: bool,
}

impl Generator {
    /// Is the construct switched on? Notes that it is used, if it is.
    fn use_of(&mut self, name: &'static str) -> bool {
        let on = self.on.on(name);
        if on {
            self.used.insert(name);
        }
        on
    }

    /// A fresh name.
    fn fresh(&mut self, stem: &str) -> String {
        self.next += 1;
        format!("{stem}{}", self.next)
    }

    /// A literal between the bounds, not 0, without a suffix.
    fn literal(&mut self, low: f64, high: f64) -> String {
        let value = self.random.uniform(low, high);
        let value = if value.abs() < 0.05 { 0.25 } else { value };
        format!("{value:.2}")
    }
}
