use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let scale = |t: f64| t * x;
    scale(2.0)
}

fn main() {}
