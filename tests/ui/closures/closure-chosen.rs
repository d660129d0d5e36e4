use autodiff::grad;

#[grad]
fn f(x: f64, up: bool) -> f64 {
    let step: &dyn Fn(f64) -> f64 = if up { &|t| t * x } else { &|t| t / x };
    step(2.0)
}

fn main() {}
