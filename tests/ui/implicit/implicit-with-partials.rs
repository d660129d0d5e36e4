use autodiff::grad;

#[grad(implicit = y * y - a, partials = (0.5 / y))]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
