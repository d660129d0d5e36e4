use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut v = Vec::new();
    v.push(x * x);
    v[0] * 2.0
}

fn main() {}
