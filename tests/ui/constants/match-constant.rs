use autodiff::grad;

const ZERO: f64 = 0.0;

#[grad]
fn f(x: f64) -> f64 {
    match x {
        ZERO => 1.0,
        _ => x.sin() / x,
    }
}

fn main() {}
