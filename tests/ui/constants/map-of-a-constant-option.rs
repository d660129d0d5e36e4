use autodiff::grad;

const LIMIT: Option<f64> = Some(0.5);

#[grad]
fn f(x: f64) -> f64 {
    let scaled = LIMIT.map(|l| l * x);
    scaled.unwrap_or(x)
}

fn main() {}
