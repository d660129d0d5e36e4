use autodiff::grad;
use std::time::Duration;

#[grad]
fn made(x: f64) -> f64 {
    Duration::from_secs_f64(x).as_secs_f64() * x
}

#[grad]
fn scaled(x: f64) -> f64 {
    let twice = Duration::from_secs(2).mul_f64(x);
    twice.as_secs_f64() * x
}

fn main() {}
