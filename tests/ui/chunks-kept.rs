use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let pairs = xs.chunks(2);
    xs[0] * pairs.len() as f64
}

fn main() {}
