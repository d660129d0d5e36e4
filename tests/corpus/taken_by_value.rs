//! Arrays that are taken apart or walked through by value are copied first: what is written to them then changes nothing of the copies, nor the other way round.

use autodiff::{Differentiable, grad};

#[grad]
fn stepped(s: &mut [f64; 3]) -> f64 {
    match *s {
        [a, b, c] => {
            s[0] = b;
            s[1] = a * c;
            s[2] = a;
        }
    }
    s[1] * s[2]
}

#[grad]
fn to_the_slice(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let [a, b, ..] = v[..] else { return 0.0 };
    v[0] = b;
    a * v[0]
}

#[grad]
fn with_the_rest(x: &[f64; 3]) -> f64 {
    let mut v = *x;
    let [a, rest @ ..] = v;
    v[1] = a;
    rest[0] * v[1] + rest[1].sin()
}

#[grad]
fn as_a_whole(x: f64) -> f64 {
    let mut m = [x, x * x];
    let t = match m {
        w => {
            m[0] *= 2.0;
            w
        }
    };
    t[0] * m[0] + t[1]
}

#[grad]
fn bound_to_be_changed(s: &mut [f64]) -> f64 {
    let [mut a, b, ..] = s[..] else { return 0.0 };
    a += b;
    a * s[0]
}

#[grad]
fn only_read(x: &[f64]) -> f64 {
    let [mut q, p, ..] = x[..] else { return 0.0 };
    q += p;
    q * p
}

#[grad]
fn in_arms(x: &[f64; 3]) -> f64 {
    let mut m = *x;
    let s = match m {
        [mut a, b, _] if a > b => {
            m[0] = 7.0 * b;
            a += m[0];
            a * b
        }
        [a, .., c] => {
            m[2] *= a;
            a * c
        }
    };
    s * m[0] + m[2]
}

#[grad]
fn in_conditions(x: &[f64], i: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    if let [a, b, ..] = v[i..] {
        v[i] *= b;
        s += a * v[i];
    }
    if let [a, b] = v[..2] {
        v[1] = a;
        s += b * v[1];
    }
    while let [.., a] = v[..] {
        v.pop();
        s = s.sin() + a * a;
    }
    s
}

#[grad]
fn of_rows(x: f64, y: f64) -> f64 {
    let mut m = [[x, y], [y * y, x]];
    let s = match m[1] {
        [a, b] => {
            m[1][0] = 0.5 * b;
            a * m[1][0] + b
        }
    };
    let t = match m {
        [r, q] => {
            m[0][0] = 3.0;
            r[0] * q[1] * m[0][0]
        }
    };
    for r in m.iter_mut() {
        match *r {
            [a, b] if a > b => {
                r[0] = b;
                r[1] = a * 0.5;
            }
            [a, b] => r[1] = a * b,
        }
    }
    s * t + m[0][0] * m[0][1] + m[1][0] * m[1][1]
}

/// No reference is chosen here.
#[grad]
fn returned_from_inside(x: &[f64; 2]) -> f64 {
    let [a, b] = x[..] else { unreachable!() };
    if a > b {
        return b;
    }
    a * b
}

#[grad]
fn yielded(v: &[f64]) -> f64 {
    match v[..] {
        [.., a] => a,
        _ => 0.0,
    }
}

#[grad]
fn walked(x: &[f64; 3]) -> f64 {
    let mut m = *x;
    let mut s = 0.0;
    for v in m {
        m[1] *= v;
        s += v;
    }
    s + m[1]
}

#[grad]
fn walked_later(x: &[f64; 3]) -> f64 {
    let mut m = *x;
    let mut s = 0.0;
    let it = m.into_iter();
    m[1] = 7.0 * x[0];
    for v in it {
        s += v.sin();
    }
    s * m[1]
}

#[grad]
fn walked_by_chains(x: &[f64; 3]) -> f64 {
    let mut m = *x;
    let s: f64 = m
        .into_iter()
        .map(|v| {
            m[1] *= v;
            v * m[0]
        })
        .sum();
    let mut t = 0.0;
    for (a, b) in x.iter().zip(m) {
        m[1] += a;
        t += a * b;
    }
    for (k, v) in m.into_iter().enumerate().rev() {
        m[0] += v * k as f64;
        t += v * m[0];
    }
    m.into_iter().for_each(|v| {
        m[2] *= v;
        t += v;
    });
    let c: Vec<f64> = m
        .into_iter()
        .map(|v| {
            m[2] += v;
            v * m[2]
        })
        .collect();
    s * t
        + c[0] * c[2]
        + m.into_iter().fold(1.0, |p, v| {
            m[2] = 0.5;
            p * v
        })
        + m[2]
}

#[grad]
fn constants_walked(x: &[f64; 3]) -> f64 {
    let mut s = 0.0;
    let mut order = [0usize, 1, 2];
    for p in order {
        order[2] = 0;
        s = 2.0 * s + x[p];
    }
    let mut w = [0.5, 1.5];
    for p in w {
        w[1] *= 3.0;
        s += p * w[1] * x[0];
    }
    s
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Pair {
    a: [f64; 2],
    k: f64,
}

#[grad]
fn parts_walked(x: f64, y: f64) -> f64 {
    let mut p = Pair {
        a: [x, y],
        k: x * y,
    };
    let mut s = 0.0;
    for v in p.a {
        p.a[1] *= v;
        s += v * p.a[1];
    }
    let mut t = ([x, s], 2.0);
    for v in t.0 {
        t.0[1] += v;
        s += v * t.0[1];
    }
    let mut rows = vec![[x, y], [s, x]];
    for v in rows[1] {
        rows[1][1] += 1.0;
        s = s.sin() + v;
    }
    let mut m = [[x, s], [y, x]];
    for r in m {
        m[1][0] = 5.0;
        s += r[0] * m[1][0];
    }
    for [a, b] in m {
        m[1][1] *= 0.5;
        s += a * b * m[1][1];
    }
    let r = &mut m[0];
    for v in *r {
        r[1] += v;
        s += v * r[1];
    }
    s + rows[1][1] * p.k + p.a[1]
}

#[grad]
fn lent_to_be_changed(x: &[f64; 3]) -> f64 {
    let (mut s, mut t) = (*x, *x);
    let whole = stepped(&mut s) * bound_to_be_changed(&mut t);
    whole + s[0] * s[1] + s[2] + t[0] * t[1]
}

#[test]
fn arrays_are_copied() {
    check!(lent_to_be_changed(shared x = [0.7, 0.4, 1.3]));
    check!(to_the_slice(shared x = [0.7, 0.4, 1.3]));
    check!(with_the_rest(shared x = [0.7, 0.4, 1.3]));
    check!(as_a_whole(value x = 0.7));
    check!(only_read(shared x = [0.7, 0.4, 1.3]));
    check!(in_arms(shared x = [0.7, 0.4, 1.3]));
    check!(in_arms(shared x = [0.4, 0.7, 1.3]));
    check!(in_conditions(shared x = [0.7, 0.4, 1.3], constant i = 1));
    check!(of_rows(value x = 0.7, value y = 0.4));
    check!(of_rows(value x = 0.4, value y = 0.7));
    check!(returned_from_inside(shared x = [0.7, 0.4]));
    check!(returned_from_inside(shared x = [0.4, 0.7]));
    check!(yielded(shared v = [0.7, 0.4, 1.3]));
    check!(walked(shared x = [0.7, 0.4, 1.3]));
    check!(walked_later(shared x = [0.7, 0.4, 1.3]));
    check!(walked_by_chains(shared x = [0.7, 0.4, 1.3]));
    check!(constants_walked(shared x = [0.7, 0.4, 1.3]));
    check!(parts_walked(value x = 0.7, value y = 0.4));
}
