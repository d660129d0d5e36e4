use autodiff::grad;

type Law = fn(f64, f64) -> f64;

#[grad]
fn f(x: f64, law: Law) -> f64 {
    law(x, 2.0) * x
}

fn main() {}
