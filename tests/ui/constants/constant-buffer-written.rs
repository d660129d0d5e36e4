use autodiff::grad;

#[grad]
fn f(x: f64, #[constant] buffer: &mut [f64]) -> f64 {
    buffer[0] = x;
    buffer[0] * 2.0
}

fn main() {}
