use std::sync::atomic::{AtomicU64, Ordering};

use autodiff::grad;

static BITS: AtomicU64 = AtomicU64::new(0);

#[grad]
fn f(x: f64) -> f64 {
    BITS.store((x * 1e9) as u64, Ordering::Relaxed);
    BITS.load(Ordering::Relaxed) as f64 * x
}

fn main() {}
