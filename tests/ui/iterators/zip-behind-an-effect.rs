use autodiff::grad;

#[grad]
fn f(xs: &[f64], ys: &[f64]) -> f64 {
    let mut n = 0.0;
    let s: f64 = xs
        .iter()
        .map(|x| {
            n += x;
            x * n
        })
        .zip(ys)
        .map(|(x, y)| x * y)
        .sum();
    s * n
}

fn main() {}
