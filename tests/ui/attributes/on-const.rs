use autodiff::grad;

#[grad]
const X: f64 = 1.0;

fn main() {}
