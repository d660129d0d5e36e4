use autodiff::grad;

#[grad]
fn f(x: &[_; 2]) -> f64 {
    x[0] * x[1]
}

fn main() {}
