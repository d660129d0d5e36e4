use autodiff::grad;

fn helper(v: f64) -> f64 {
    v * v
}

#[grad]
fn f(x: f64) -> f64 {
    helper(x) + 1.0
}

fn main() {}
