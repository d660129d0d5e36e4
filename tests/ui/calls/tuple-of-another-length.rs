use autodiff::grad;

#[grad]
fn folded(xs: &[f64]) -> f64 {
    let sums = xs.iter().fold((0.0, 0.0), |(a, b), x| (a + x,));
    sums.0
}

#[grad]
fn assigned(x: f64) -> f64 {
    let mut pair = (x, 1.0);
    for _ in 0..3 {
        pair = (x, x, x);
    }
    pair.0
}

fn main() {}
