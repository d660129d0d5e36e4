use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut it = xs.iter().map(|x| x * x);
    let first: f64 = it.by_ref().take(1).sum();
    first * it.sum::<f64>()
}

fn main() {}
