use autodiff::grad;

#[grad(dynamic)]
fn sum(x: f64, y: f32) -> f64 {
    x + y as f64
}

fn main() {}
