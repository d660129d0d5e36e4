use autodiff::grad;

macro_rules! halved {
    ($x:expr) => {{
        $x *= 0.5;
        $x < 1.0
    }};
}

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    if halved!(y) { y } else { y * y }
}

fn main() {}
