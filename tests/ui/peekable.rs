use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut it = xs.iter().peekable();
    let first = it.next();
    first.copied().unwrap_or(0.0)
}

fn main() {}
