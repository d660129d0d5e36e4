use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    macro_rules! square {
        ($e:expr) => {
            $e * $e
        };
    }
    square!(3.0) * x
}

fn main() {}
