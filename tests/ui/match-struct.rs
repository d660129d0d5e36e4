use autodiff::grad;

struct P {
    a: f64,
}

#[grad]
fn f(x: f64) -> f64 {
    match (P { a: x }) {
        P { a } => a * x,
    }
}

fn main() {}
