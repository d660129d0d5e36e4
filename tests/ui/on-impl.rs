use autodiff::grad;

struct P;

#[grad]
impl P {
    fn f(x: f64) -> f64 {
        x * x
    }
}

fn main() {}
