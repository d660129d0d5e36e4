use autodiff::*;

fn gamma(v: f64) -> f64 {
    1.0 / (1.0 - v * v).sqrt()
}

#[grad]
fn f(v: f64) -> f64 {
    gamma(v)
}

fn main() {}
