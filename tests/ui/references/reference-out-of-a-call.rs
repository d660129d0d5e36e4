use autodiff::grad;

fn tail(a: &mut [f64; 2]) -> &mut [f64] {
    &mut a[1..]
}

#[grad]
fn f(x: f64) -> f64 {
    let mut a = [0.0; 2];
    let r = tail(&mut a);
    r[0] = x;
    a[1] * 2.0
}

fn main() {}
