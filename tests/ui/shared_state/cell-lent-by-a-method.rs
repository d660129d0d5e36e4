//! A cell that a method lends is not copied for a function with derivatives.

use std::cell::Cell;

use autodiff::grad;

struct Rig {
    calls: Cell<usize>,
}

impl Rig {
    fn calls(&self) -> &Cell<usize> {
        &self.calls
    }
}

#[grad]
fn counted(x: f64, #[constant] calls: &Cell<usize>) -> f64 {
    calls.set(calls.get() + 1);
    x * calls.get() as f64
}

#[grad]
fn by_name(x: f64, #[constant] rig: &Rig) -> f64 {
    let calls = rig.calls();
    counted(x, calls) * x
}

#[grad]
fn at_once(x: f64, #[constant] rig: &Rig) -> f64 {
    counted(x, rig.calls()) * x
}

#[grad]
fn of_the_field(x: f64, #[constant] rig: &Rig) -> f64 {
    counted(x, &rig.calls) * x
}

fn main() {}
