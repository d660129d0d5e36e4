use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    if x < 1.0 { x } else { f(x - 1.0) * x }
}

fn main() {}
