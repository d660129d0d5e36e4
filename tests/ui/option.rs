use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let y = Some(x);
    y.unwrap() * 2.0
}

fn main() {}
