use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let mut it = xs.iter().map(|x| x * x);
    let first: f64 = it.by_ref().take(1).sum();
    first * it.sum::<f64>()
}

#[grad]
fn counts(xs: &[f64]) -> f64 {
    let mut n = 0;
    let mut it = xs.iter().map(|x| {
        n += 1;
        x * n as f64
    });
    it.next();
    let mut s = 0.0;
    for x in it {
        s += x;
    }
    s
}

fn main() {}
