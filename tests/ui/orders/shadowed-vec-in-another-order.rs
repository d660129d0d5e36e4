use autodiff::grad;

macro_rules! vec {
    ($first:expr, $second:expr) => {
        std::vec![$second, $first]
    };
}

#[grad]
fn f(x: f64) -> f64 {
    let v = vec![x, 2.0];
    v[0] * v[0]
}

fn main() {}
