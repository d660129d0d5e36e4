use autodiff::grad;

macro_rules! scaled {
    ($e:expr) => {
        2.0 * $e
    };
}

// What is refused is refused once, and not where it is called.
#[grad(order = 2)]
fn refused(x: f64) -> f64 {
    scaled!(x)
}

#[grad(order = 2)]
fn caller(x: f64) -> f64 {
    let y = refused(x);
    y * x
}

#[grad(order = 2)]
fn with_list(xs: &[f64]) -> f64 {
    xs.iter().map(|x| refused(*x)).sum()
}

fn main() {
    let _ = (caller::hessian(1.0), with_list::hvp(&[1.0], &[1.0]));
}
