use autodiff::grad;

fn positive(x: f64) -> Option<f64> {
    (x > 0.0).then_some(x)
}

#[grad]
fn f(x: f64) -> f64 {
    let y = positive(x)?;
    y * y
}

fn main() {}
