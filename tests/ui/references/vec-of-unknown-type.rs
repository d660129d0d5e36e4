use autodiff::grad;

#[grad]
fn make(x: f64) -> Vec<f64> {
    vec![x]
}

#[grad]
fn f(x: f64) -> f64 {
    let mut v = make(x);
    v.push(x);
    v[0] * 2.0
}

fn main() {}
