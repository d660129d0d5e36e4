use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let product = xs
        .iter()
        .try_fold(1.0, |p, x| if *x > 0.0 { Ok(p * x) } else { Err("negative") });
    product.unwrap_or(0.0)
}

fn main() {}
