use autodiff::grad;

/// Stands for what `use libm::sqrt;` imports.
fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

#[grad]
fn f(x: f64) -> f64 {
    sqrt(x) * x
}

fn main() {}
