use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    loop {
        y = y * x;
    }
}

fn main() {}
