use autodiff::grad;

#[grad]
fn f(xs: &[f64], w: &[f64]) -> f64 {
    xs.windows(2).cycle().zip(w).map(|(x, w)| x[0] * x[1] * w).sum()
}

fn main() {}
