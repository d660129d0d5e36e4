use autodiff::grad;

const K: f64 = 10.0;

fn weight() -> f64 {
    2.0
}

#[grad]
fn shadowed(x: f64) -> f64 {
    let v = K * x * weight();
    let u = {
        const K: f64 = 3.0;
        v * K
    };
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

#[grad]
fn two(x: f64) -> f64 {
    let v = {
        const N: f64 = 2.0;
        x * N
    };
    let u = {
        const N: f64 = 3.0;
        x * N
    };
    u * v
}

fn main() {
    let _ = apart::grad(1.0);
}
