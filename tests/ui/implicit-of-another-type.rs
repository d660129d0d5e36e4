use autodiff::grad;

#[grad(implicit = [y * y - a])]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
