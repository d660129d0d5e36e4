use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut v = vec![x, x * x, 1.0];
    v.splice(1.., [1.0]);
    v[0] * 2.0
}

fn main() {}
