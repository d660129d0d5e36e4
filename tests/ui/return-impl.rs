use autodiff::grad;

#[grad]
fn f(x: f64) -> impl Copy {
    x * x
}

fn main() {}
