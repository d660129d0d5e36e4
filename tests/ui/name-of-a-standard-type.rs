use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Duration {
    seconds: f64,
}

#[grad]
fn way(speed: f64, time: Duration) -> f64 {
    speed * time.seconds
}

fn main() {}
