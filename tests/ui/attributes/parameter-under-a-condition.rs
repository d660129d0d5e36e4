use autodiff::grad;

#[grad]
fn f(x: f64, #[cfg(any())] y: f64) -> f64 {
    x * x
}

fn main() {}
