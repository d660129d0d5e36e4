use autodiff::grad;

#[grad]
fn stop_gradient(x: f64) -> f64 {
    x * 5.0
}

#[grad]
fn f(x: f64) -> f64 {
    stop_gradient(x) * x
}

fn main() {}
