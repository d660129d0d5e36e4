//! References to constant variables of the body, moved by constant code: what they refer to is gone when the reverse sweep runs.

use autodiff::grad;

#[grad]
fn exchanged(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let (mut p, mut q) = (&a[..], &a[1..]);
    let mut s = x;
    for i in 0..n {
        s = s.sin() * p[0] + q[1];
        if i % 2 == 1 {
            std::mem::swap(&mut p, &mut q);
        }
    }
    for i in 0..n {
        s = s.sin() * p[i % 2] + x;
    }
    s
}

#[grad]
fn in_a_round(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let mut s = x.sin();
    for k in 0..n {
        let b = [0.4, 0.7 + k as f64, s.cos()];
        let c = vec![0.4, k as f64, 0.9];
        let mut t = s * x;
        let (mut p, mut q) = (&a[..], &c[..]);
        for i in 0..n {
            t = t.sin() * p[i % 3] + q[1] * b[i % 3];
            std::mem::swap(&mut p, &mut q);
        }
        s += t * t;
    }
    s
}

#[grad]
fn in_an_arm(x: f64, n: usize) -> f64 {
    let mut s = x;
    if n > 1 {
        let a = [0.5f64, 0.3, 0.8];
        let other = [0.9, 0.1, -0.6];
        let mut p = &a;
        if n > 2 {
            p = &other;
        }
        for i in 0..n {
            s = s.sin() * p[i % 3] + p.len() as f64 * x;
        }
    }
    s
}

#[grad]
fn of_an_owned_parameter(x: f64, #[constant] a: [f64; 3], n: usize) -> f64 {
    let mut p = &a[..];
    let words = [String::from("ab"), String::from("c")];
    let mut word = &words[0];
    if n > 1 {
        p = &p[1..];
        word = &words[1];
    }
    let mut s = x;
    for i in 0..n {
        s = s.sin() * p[i % 2] * word.len() as f64;
    }
    s
}

#[grad]
fn weighted(a: &[f64], x: f64) -> f64 {
    let mut s = x;
    for v in a {
        s = s.sin() * v;
    }
    s
}

#[grad]
fn lent_on(x: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        let a = vec![0.5 + k as f64, 0.3, 0.8];
        let mut p = &a[..];
        if n > 2 {
            p = &p[1..];
        }
        s += weighted(&p[..], s) * weighted(&[p[0]], x);
        let mut whole = &a;
        let other = vec![0.6; k];
        if k == 1 {
            whole = &other;
        }
        s += weighted(&whole, x);
    }
    s
}

#[grad]
fn captured(x: f64, n: usize) -> f64 {
    let a = vec![0.5f64, 0.3, 0.8];
    let mut p = &a[..];
    if n > 2 {
        p = &p[1..];
    }
    let f = |t: f64| t.sin() * p[0] + p[p.len() - 1];
    let mut s = x;
    for _ in 0..n {
        s = f(s);
    }
    s
}

#[test]
fn references_to_constant_variables_end_with_them() {
    for n in 0..4 {
        check!(exchanged(value x = 0.7, constant n = n));
        check!(in_a_round(value x = 0.7, constant n = n));
        check!(in_an_arm(value x = 0.7, constant n = n));
        check!(of_an_owned_parameter(value x = 0.7, constant a = [0.4, 0.7, 1.2], constant n = n));
        check!(lent_on(value x = 0.7, constant n = n));
        check!(captured(value x = 0.7, constant n = n));
    }
}
