use autodiff::grad;

#[grad]
fn f64(xs: &[f64; 2]) -> f64 {
    (xs[0] - xs[1]).abs()
}

fn main() {}
