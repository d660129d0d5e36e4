use autodiff::grad;

#[grad]
fn std(xs: &[f64; 2]) -> f64 {
    (xs[0] - xs[1]).abs()
}

fn main() {}
