//! Two parts of one variable lent to one call.

use autodiff::grad;
#[grad]
fn mix(a: &mut [f64], b: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len().min(b.len()) {
        a[i] = a[i] * b[i] + x;
        s += a[i] * b[i];
    }
    s
}
#[grad]
fn both(a: &mut [f64], b: &mut [f64]) {
    let t = a[0];
    a[0] = b[0] * t;
    b[0] += t * t;
}
#[grad]
fn calls_halves(x: f64, n: usize) -> f64 {
    let mut a = vec![x, x * x, 2.0 * x, 1.0 + x];
    let mut s = x;
    for _ in 0..n {
        let (l, r) = a.split_at_mut(2);
        s = s * 0.5 + mix(l, r, s);
        both(l, r);
        both(&mut r[..1], &mut l[1..]);
    }
    s + a[0] * a[2] + a[1] * a[3]
}
#[grad]
fn recurse(a: &mut [f64], x: f64) {
    let n = a.len();
    if n > 1 {
        let (l, r) = a.split_at_mut(n / 2);
        recurse(l, x);
        recurse(r, x * 2.0);
        for i in 0..l.len() {
            l[i] += r[i] * x;
            r[i] *= l[i];
        }
    }
}
#[grad]
fn recursed(x: f64) -> f64 {
    let mut a = [x, 1.0, x * x, 0.5];
    recurse(&mut a, x);
    a[0] * a[1] + a[2] * a[3]
}
#[test]
fn halves_are_lent_together() {
    check!(calls_halves(value x = 0.7, constant n = 2));
    check!(recursed(value x = 0.7));
}
