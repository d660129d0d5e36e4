use autodiff::grad;

#[grad(implicit = y.map(|y| y * y - a))]
fn root(a: f64) -> Option<f64> {
    Some(a.sqrt())
}

fn main() {}
