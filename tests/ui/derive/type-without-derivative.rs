use autodiff::grad;

struct P {
    a: f64,
}

#[grad]
fn f(x: f64, p: &P) -> f64 {
    p.a * x
}

fn main() {}
