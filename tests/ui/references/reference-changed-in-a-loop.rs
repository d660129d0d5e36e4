use autodiff::grad;

#[grad]
fn f(x: f64, n: usize) -> f64 {
    let (a, b, c) = ([x, 1.0], [2.0, x], [x, x]);
    let mut r = &a;
    let mut s = 0.0;
    for k in 0..n {
        s += r[0] * r[1];
        r = if k == 0 { &b } else { &c };
    }
    s
}

fn main() {}
