use autodiff::grad;

#[grad(solve = conjugate_gradients)]
fn root(a: f64) -> f64 {
    a.sqrt()
}

fn main() {}
