use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let text = format!("{x}");
    let y: f64 = text.parse().unwrap();
    y * x
}

fn main() {}
