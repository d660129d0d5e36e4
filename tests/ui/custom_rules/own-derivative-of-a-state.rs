use autodiff::grad;

fn p(u: &mut [f64]) -> (f64, impl FnOnce(f64) -> f64) {
    (u[0], |seed| seed)
}

#[grad(vjp = p)]
fn f(u: &mut [f64]) -> f64 {
    u[0] += 1.0;
    u[0]
}

fn main() {}
