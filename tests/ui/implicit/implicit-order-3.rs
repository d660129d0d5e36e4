use autodiff::grad;

#[grad(order = 3, implicit = y * y - a)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
