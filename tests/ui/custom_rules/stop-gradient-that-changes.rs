use autodiff::grad;

fn doubled(buffer: &mut [f64]) {
    buffer[0] *= 2.0;
}

#[grad]
fn f(x: f64) -> f64 {
    let mut buffer = [x, 1.0];
    autodiff::stop_gradient(doubled(&mut buffer));
    buffer[0] * x
}

fn main() {}
