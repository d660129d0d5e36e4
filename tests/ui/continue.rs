use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    for i in 0..10 {
        if i == 3 {
            continue;
        }
        y = y * x;
    }
    y
}

fn main() {}
