use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    panic!("{x}")
}

fn main() {}
