use autodiff::grad;
use std::sync::Mutex;

static LAST: Mutex<f64> = Mutex::new(0.0);

fn keep(x: f64) {
    *LAST.lock().unwrap() = x;
}

fn kept() -> f64 {
    *LAST.lock().unwrap()
}

#[grad]
fn f(x: f64) -> f64 {
    if x > 0.0 {
        keep(x * x);
    }
    kept() * x
}

fn main() {}
