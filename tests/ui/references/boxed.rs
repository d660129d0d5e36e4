use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let b = Box::leak(Box::new(x));
    *b * 2.0
}

fn main() {}
