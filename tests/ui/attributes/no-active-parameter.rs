use autodiff::grad;

#[grad]
fn f(n: usize, #[constant] x: f64) -> f64 {
    x * n as f64
}

fn main() {}
