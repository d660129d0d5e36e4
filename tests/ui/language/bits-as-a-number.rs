use autodiff::grad;

#[grad]
fn logarithm(x: f64) -> f64 {
    let bits = x.to_bits() >> 20;
    bits as f64 * 1e-9 + x
}

fn main() {}
