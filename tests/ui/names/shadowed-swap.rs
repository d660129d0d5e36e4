use autodiff::grad;

fn swap(a: &mut f64, b: &mut f64) {
    *a += *b;
}

#[grad]
fn f(x: f64) -> f64 {
    let (mut a, mut b) = (x, x * x);
    swap(&mut a, &mut b);
    a - b
}

fn main() {}
