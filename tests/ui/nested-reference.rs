use autodiff::grad;

#[grad]
fn f(pair: (&[f64], f64)) -> f64 {
    pair.0[0] * pair.1
}

fn main() {}
