use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    x.powf(2.0, 3.0)
}

fn main() {}
