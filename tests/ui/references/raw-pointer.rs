use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let p = &x as *const f64;
    let _ = p;
    x * x
}

fn main() {}
