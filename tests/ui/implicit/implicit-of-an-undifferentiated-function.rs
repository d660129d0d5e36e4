use autodiff::grad;

fn residual(y: f64, a: f64) -> f64 {
    y * y - a
}

#[grad(implicit = residual(y, a))]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
