use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let (a, b) = ([x, 1.0], [2.0, x]);
    let mut r = &a;
    let first = r[0];
    r = &b;
    first * r[1]
}

fn main() {}
