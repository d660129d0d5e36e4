use autodiff::grad;

#[grad(implicit)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
