use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let v = Vec::from_iter([x, 1.0]);
    v[0] * v[1]
}

fn main() {}
