use autodiff::grad;

#[grad]
fn f() -> f64 {
    1.0
}

fn main() {}
