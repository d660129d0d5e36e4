use autodiff::grad;

#[grad(implicit = y * y - a)]
fn root(a: f64, guess: &mut f64) -> f64 {
    *guess = a.sqrt();
    *guess
}

fn main() {}
