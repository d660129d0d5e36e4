use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut v = [x, 2.0];
    assert_eq!(v.swap(0, 1), ());
    v[0] * v[1] * v[1]
}

fn main() {}
