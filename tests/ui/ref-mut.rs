use autodiff::grad;

#[grad]
fn f(x: f64, y: f64) -> f64 {
    let mut t = (x, y);
    let (ref mut a, b) = t;
    *a *= b;
    t.0 + t.1
}

fn main() {}
