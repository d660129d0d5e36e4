use autodiff::grad;

#[grad(order = 2)]
fn curved<F: FnMut() -> f64>(x: &[f64], #[constant] draw: &mut F) -> f64 {
    draw() * x[0] * x[1]
}

fn main() {
    let mut count = 0.0;
    let mut draw = || {
        count += 1.0;
        count
    };
    let x = [1.0, 2.0];
    curved::hvp(&x, &mut draw, &[1.0, 0.0]);
    curved::hessian(&x, &mut draw);
}
