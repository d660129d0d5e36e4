use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let g: fn(f64) -> f64 = f64::sin;
    g(x)
}

fn main() {}
