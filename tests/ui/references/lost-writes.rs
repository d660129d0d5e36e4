//! What is written through a `&mut` reference that is a copy in the derivatives would be lost there.

use autodiff::grad;

#[grad]
fn of_an_end(x: f64, t: f64) -> f64 {
    let mut m = [[x, 1.0], [t, 2.0]];
    let last = m.iter_mut().last().unwrap();
    last[0] *= x;
    if let Some(r) = m.iter_mut().find(|r| r[0] < 0.8) {
        r[0] *= x;
    }
    m[1][0]
}

#[grad]
fn of_a_loop(x: f64, t: f64) -> f64 {
    let mut a = [x, t];
    let r = loop {
        break &mut a;
    };
    r[0] *= t;
    a[0]
}

#[grad]
fn exchanged(x: f64, t: f64) -> f64 {
    let (mut a, mut b) = ([x, 1.0], [t, 2.0]);
    let mut p = &mut a;
    let q = std::mem::replace(&mut p, &mut b);
    q[0] *= t;
    p[0] *= x;
    a[0] * b[0]
}

#[grad]
fn in_values(x: f64, t: f64) -> f64 {
    let mut a = [x];
    for (p, k) in [(&mut a, 2.0)] {
        p[0] *= k * t;
    }
    let o = Some(&mut a);
    if let Some(p) = o {
        p[0] *= t;
    }
    a[0]
}

fn main() {}
