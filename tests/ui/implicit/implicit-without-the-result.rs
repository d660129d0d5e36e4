use autodiff::grad;

#[grad(implicit = x * x - a)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
