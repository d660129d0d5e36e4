use autodiff::grad;

struct P {
    a: f64,
}

#[grad]
fn f(x: f64) -> f64 {
    let mut p = P { a: 0.0 };
    p.a = x;
    p.a * p.a
}

fn main() {}
