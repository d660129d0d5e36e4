use autodiff::grad;

#[grad]
fn f(pair: (&[f64], f64)) -> f64 {
    pair.0[0] * pair.1
}

#[grad]
fn shifted(x: f64, by: Option<&f64>) -> f64 {
    by.map_or(x, |by| x + by)
}

fn main() {}
