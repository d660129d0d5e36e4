use std::sync::Mutex;

use autodiff::grad;

static TOTAL: Mutex<f64> = Mutex::new(1.0);

#[grad]
fn f(x: f64) -> f64 {
    let mut total = TOTAL.lock().unwrap();
    *total += x;
    *total * x
}

fn main() {}
