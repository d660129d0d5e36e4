use autodiff::{grad, with_cotangent};

#[grad(dynamic)]
fn clipped(x: f64) -> f64 {
    let y = with_cotangent(x * 2.0, |c| *c = c.min(1.0));
    y * y
}

fn main() {}
