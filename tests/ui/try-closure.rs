use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let y = (|| Some(x * x))();
    y.unwrap_or(0.0)
}

fn main() {}
