use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let (_, pairs) = xs.as_rchunks::<2>();
    pairs[0][0] * pairs[0][1]
}

fn main() {}
