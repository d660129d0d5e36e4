use autodiff::grad;

fn weight() -> f64 {
    2.0
}

#[grad]
fn shadowed(x: f64) -> f64 {
    let u = x * weight();
    if u > 1.0 {
        fn weight() -> f64 {
            5.0
        }
        return u * weight();
    }
    u
}

#[grad]
fn apart(x: f64) -> f64 {
    let mut s = x;
    for _ in 0..3 {
        const EPS: f64 = 0.1;
        use std::f64::consts::PI;
        s += EPS * s.sin() * PI;
    }
    s
}

fn main() {
    let _ = apart::grad(1.0);
}
