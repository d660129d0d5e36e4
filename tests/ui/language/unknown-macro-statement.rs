use autodiff::grad;

macro_rules! double {
    ($e:expr) => {
        $e *= 2.0
    };
}

#[grad]
fn f(x: f64) -> f64 {
    let mut y = x;
    double!(y);
    y
}

fn main() {}
