use autodiff::grad;

union U {
    f: f64,
    b: u64,
}

#[grad]
fn f(x: f64) -> f64 {
    let u = U { f: x };
    let s = unsafe { u.b } >> 63;
    x * s as f64
}

fn main() {}
