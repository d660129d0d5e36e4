use autodiff::grad;

#[grad]
fn f(x: f64) -> Option<f64> {
    Some(x.sqrt())
}

fn main() {}
