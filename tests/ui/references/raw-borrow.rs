use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let p = &raw const x;
    let _ = p;
    x * x
}

fn main() {}
