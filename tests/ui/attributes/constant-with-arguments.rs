use autodiff::grad;

#[grad]
fn f(x: f64, #[constant(yes)] k: f64) -> f64 {
    x * k
}

fn main() {}
