use autodiff::grad;

#[grad]
pub async fn f(x: f64) -> f64 {
    x * x
}

fn main() {}
