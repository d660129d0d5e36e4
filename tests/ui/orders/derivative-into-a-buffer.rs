use autodiff::grad;

#[grad(order = 2)]
fn inner(x: &[f64]) -> f64 {
    x[0] * x[1] * x[1]
}

#[grad]
fn f(x: f64, y: f64) -> f64 {
    let mut g = [0.0; 2];
    inner::grad_into(&[x, y], &mut g);
    g[0] * g[1]
}

fn main() {}
