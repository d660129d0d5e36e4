use autodiff::grad;

fn conjugate_gradients(apply: &dyn Fn(&[f64]) -> Vec<f64>, b: Vec<f64>) -> Vec<f64> {
    apply(&b)
}

#[grad(implicit = y * y - a, solve = conjugate_gradients)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
