use autodiff::grad;

#[derive(Clone, Copy)]
struct P {
    a: f64,
}

#[grad]
fn f(x: f64, p: P) -> f64 {
    let q = p;
    let _ = q;
    x * x
}

fn main() {}
