use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Duration {
    seconds: f64,
}

#[grad]
fn way(speed: f64, times: &[Duration]) -> f64 {
    speed * times[0].seconds
}

#[grad]
fn area(x: f64) -> f64 {
    let side: Duration = Duration { seconds: x * x };
    side.seconds * x
}

#[grad]
fn of_a_constant(x: f64, #[constant] time: Duration) -> f64 {
    time.seconds * x
}

fn main() {}
