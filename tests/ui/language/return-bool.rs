use autodiff::grad;

#[grad]
fn f(x: f64, y: f64) -> bool {
    x > y
}

fn main() {}
