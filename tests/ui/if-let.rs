use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    if let [a, b] = xs { a * b } else { 0.0 }
}

fn main() {}
