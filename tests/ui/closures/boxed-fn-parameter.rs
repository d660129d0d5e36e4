use autodiff::grad;

#[grad]
fn f(x: f64, g: Box<dyn Fn(f64) -> f64>) -> f64 {
    g(x)
}

fn main() {}
