use autodiff::grad;

#[grad]
fn f(#[constant] scale: impl Fn(usize) -> f64, x: f64) -> f64 {
    scale(2) * x
}

fn main() {}
