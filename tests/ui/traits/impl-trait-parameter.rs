use autodiff::grad;

#[grad]
fn f(xs: impl Iterator<Item = f64>, s: f64) -> f64 {
    let mut sum = 0.0;
    for x in xs {
        sum += x * s;
    }
    sum
}

fn main() {}
