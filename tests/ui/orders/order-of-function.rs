use autodiff::grad;

#[grad]
fn twice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(f(x))
}

#[grad(order = 2)]
fn f(x: f64, y: f64) -> f64 {
    twice(|t| t * x, y)
}

fn main() {
    f::hvp(1.0, 1.0, (1.0, 0.0));
}
