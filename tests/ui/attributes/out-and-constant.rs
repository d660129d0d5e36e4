use autodiff::grad;

#[grad]
fn f(
    x: f64,
    #[out]
    #[constant]
    y: &mut [f64],
) -> f64 {
    y[0] = 1.0;
    x
}

fn main() {}
