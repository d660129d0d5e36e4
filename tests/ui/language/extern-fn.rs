use autodiff::grad;

#[grad]
pub extern "C" fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
