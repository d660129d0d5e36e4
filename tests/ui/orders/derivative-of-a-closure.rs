use autodiff::grad;

#[grad]
fn twice<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(f(x))
}

fn main() {
    twice::grad(|t: f64| t * t, 1.0);
}
