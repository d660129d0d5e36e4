use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let (pairs, _) = xs.as_chunks::<2>();
    pairs[0][0] * pairs[0][1]
}

fn main() {}
