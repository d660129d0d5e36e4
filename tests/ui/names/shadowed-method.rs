use autodiff::grad;

trait Wave {
    fn sin(&self) -> f64;
}

impl Wave for f64 {
    fn sin(&self) -> f64 {
        2.0 * *self
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let r = &x;
    r.sin() * x
}

/// Of a number itself, that of numbers is meant.
#[grad]
fn g(x: f64, y: [f64; 2]) -> f64 {
    let z = x * y[0];
    z.sin() + y[1].sin() + x.sin()
}

fn main() {}
