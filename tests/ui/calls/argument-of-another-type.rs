use autodiff::grad;

#[grad]
fn sum(xs: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for x in xs {
        s += x * k;
    }
    s
}

#[grad]
fn square(x: f64) -> f64 {
    x * x
}

#[grad]
fn not_lent(x: f64, y: f64) -> f64 {
    let v = vec![x, y];
    sum(v, x) * y
}

#[grad]
fn lent(x: f64) -> Result<f64, String> {
    let y = square(&x);
    Ok(y)
}

#[grad(order = 2)]
fn of_an_iterator(xs: &[f64]) -> f64 {
    xs.iter().map(|x| square(x)).sum()
}

#[grad]
fn of_another_width(xs: &[f64], n: usize) -> f64 {
    sum(xs, n)
}

fn main() {}
