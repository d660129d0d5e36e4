use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    for _ in 0..10 {
        if y > 5.0 {
            break;
        }
        y = y * x;
    }
    y
}

fn main() {}
