use autodiff::grad;

#[grad(implicit = { if y > 1e9 { return 0.0; } y * y - a })]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
