use autodiff::grad;

fn drop(a: &mut f64) {
    *a *= 2.0;
}

#[grad]
fn f(x: f64) -> f64 {
    let mut p = x;
    drop(&mut p);
    p * p
}

fn main() {}
