use autodiff::grad;

#[grad]
fn f(xs: &[f64], w: &[f64]) -> f64 {
    xs.iter().cycle().zip(w).map(|(x, w)| x * w).sum()
}

fn main() {}
