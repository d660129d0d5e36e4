use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let future = async { x * x };
    drop(future);
    x
}

fn main() {}
