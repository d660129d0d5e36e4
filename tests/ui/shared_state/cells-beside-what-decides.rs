use std::cell::Cell;
use std::sync::mpsc::{Sender, channel};

use autodiff::grad;

#[grad]
fn sent(x: f64, y: f64) -> f64 {
    let (to, from) = channel();
    if to.send(x * y).is_ok() {
        let z: f64 = from.recv().unwrap();
        z * y
    } else {
        x
    }
}

#[grad]
fn sent_by_a_reference(x: f64, #[constant] to: &Sender<f64>) -> Result<f64, String> {
    to.send(x * x).map_err(|e| e.to_string())?;
    Ok(x)
}

fn kept(x: f64, seen: &Cell<f64>) -> Result<(), String> {
    seen.set(x);
    Ok(())
}

#[grad]
fn checked(x: f64, #[constant] seen: &Cell<f64>) -> Result<f64, String> {
    kept(x * x, seen)?;
    Ok(seen.get() * x)
}

#[grad]
fn unwrapped(x: f64) -> f64 {
    let seen = Cell::new(0.0);
    kept(x * x, &seen).unwrap();
    seen.get() * x
}

fn main() {}
