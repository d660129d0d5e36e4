use autodiff::grad;

macro_rules! scaled {
    ($e:expr) => {
        2.0 * $e
    };
}

#[grad]
fn refused(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    scaled!(f(x))
}

#[grad]
fn caller(x: f64) -> f64 {
    refused(|t| t * x, x) * x
}

fn main() {
    let _ = caller::grad(1.0);
}
