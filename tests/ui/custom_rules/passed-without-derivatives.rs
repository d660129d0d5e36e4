use autodiff::grad;

fn square(x: f64) -> f64 {
    x * x
}

#[grad]
fn twice(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[grad]
fn fourth(x: f64) -> f64 {
    twice(square, x)
}

fn main() {}
