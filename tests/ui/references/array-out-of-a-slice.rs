use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let [a, b] = xs.first_chunk::<2>().unwrap();
    a * b
}

fn main() {}
