use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let y: f64 = x.to_string().parse().unwrap();
    y * x
}

fn main() {}
