use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    f64::from_bits(x as u64)
}

fn main() {}
