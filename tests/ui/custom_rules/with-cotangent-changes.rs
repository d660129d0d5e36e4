use autodiff::{grad, with_cotangent};

#[grad]
fn f(x: f64) -> f64 {
    let mut sum = 0.0;
    let y = with_cotangent(x * x, |c| sum += *c);
    y + sum
}

fn main() {}
