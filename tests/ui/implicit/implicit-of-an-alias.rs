use autodiff::grad;

type Found = Result<f64, String>;

#[grad(fallible, implicit = y * y - a)]
fn root(a: f64) -> Found {
    Ok(a.sqrt())
}

fn main() {}
