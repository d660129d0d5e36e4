use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x * x;
    let c = autodiff::stop_gradient({
        y *= 2.0;
        y
    });
    y * c
}

fn main() {}
