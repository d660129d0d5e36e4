use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    while y < 10.0 {
        y = y * x;
    }
    y
}

fn main() {}
