//! Memory that changes as a whole: copies, fills, exchanges, moves.

use autodiff::grad;

#[grad]
fn copied(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y];
    let b = [y * 2.0, x, x];
    let s = a[0] * a[1];
    a.copy_from_slice(&b);
    a[1] *= s;
    let mut v = vec![0.0; 5];
    v[1..4].copy_from_slice(&a);
    v[..2].clone_from_slice(&[1.0, 2.0]);
    v[0] * v[1] + v[2] * v[3] + v[4]
}

#[grad]
fn copied_in_loop(x: f64, n: usize) -> f64 {
    let mut a = vec![x, 2.0, x * x];
    let mut b = vec![0.0; 3];
    for _ in 0..n {
        for i in 0..3 {
            b[i] = a[i] * a[(i + 1) % 3] * 0.5;
        }
        a.copy_from_slice(&b);
        b.fill(x);
    }
    a[0] * b[1] + a[1] * a[2]
}

#[grad]
fn filled(x: f64, n: usize) -> f64 {
    let mut a = vec![0.0; 4];
    let mut s = 0.0;
    for k in 0..n {
        a[1..3].fill(x * x);
        s = s * 0.5 + a[1] * a[2] * a[0];
        a.fill(s + x);
        if k == 1 {
            a.fill(0.5);
        }
    }
    s + a[3]
}

#[grad]
fn within(x: f64) -> f64 {
    let mut a = [x, x * x, 3.0, 4.0];
    let (l, r) = a.split_at_mut(2);
    r.copy_from_slice(l);
    r[0] *= l[1];
    a[2] * a[3] * a[0]
}

#[grad]
fn rows_swapped(x: f64, y: f64) -> f64 {
    let mut m = vec![vec![x, y], vec![x * y, 1.0], vec![2.0, x]];
    let mut s = 0.0;
    for k in 0..2 {
        s = s * 0.5 + m[k][0] * m[k + 1][1];
        m.swap(k, k + 1);
        m[k][0] *= s + 1.0;
    }
    s + m[0][0] * m[1][1] + m[2][0] * m[2][1]
}

#[grad]
fn vectors_swapped(x: f64, n: usize) -> f64 {
    let mut a = vec![x, 1.0, x * x];
    let mut b = vec![0.0, 0.0];
    let mut s = 0.0;
    for k in 0..n {
        s = s * 0.5 + a[0] * a[1];
        b[k % 2] = s * a[1];
        std::mem::swap(&mut a, &mut b);
        a[0] += x * b[1];
    }
    s + a[0] * b[0]
}

#[grad]
fn swapped_with_local(x: f64, n: usize) -> f64 {
    let mut a = vec![x, 1.0, x * x];
    let mut s = 0.0;
    for k in 0..n {
        let mut b = vec![s + a[1]; 2 + k];
        b[0] *= a[0];
        std::mem::swap(&mut a, &mut b);
        s += a[0] * b[1];
        b[1] = 0.0;
        a[1] *= s;
    }
    s + a[0]
}

#[grad]
fn replaced(x: f64) -> f64 {
    let mut a = vec![x, x * x];
    let old = std::mem::replace(&mut a, vec![1.0, x, 3.0 * x]);
    let t = std::mem::take(&mut a);
    let mut z = x * 2.0;
    let w = std::mem::take(&mut z);
    a = vec![w, z];
    old[1] * t[2] + a[0] * t[1] + z + a[1] + a.len() as f64
}

#[grad]
fn destructured(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y];
    let (mut p, mut q) = (x, y * y);
    for k in 0..3 {
        (p, q) = (q * 0.5, p + a[k]);
        (a[k], a[2 - k]) = (a[2 - k] * p, a[k]);
        [a[0], a[1]] = [a[1] * q, a[0]];
        [p, _] = [p + 1.0, q];
    }
    p * q + a[0] * a[1] + a[2]
}

/// An array is one value: `level` is taken out of one that depends on `x`, and does not.
#[grad]
fn mixed_array(x: f64) -> f64 {
    let mut level: f64 = 0.1;
    let mut other: f64 = 0.2;
    for _ in 0..2 {
        [level, _] = [2.0 * level + 0.3, x * x];
        [other, level] = [other.sin() + level, x.cos()];
    }
    x.sin() * level.cos() + other.tanh()
}

/// What is exchanged is constant, though its choice asks for `x`.
#[grad]
fn constants_replaced(x: f64) -> f64 {
    let (mut a, mut b): (f64, f64) = (0.3, 0.9);
    let mut y = x;
    for k in 0..3 {
        let old = std::mem::replace(&mut a, if x > 0.2 { 0.2 + b } else { 0.5 });
        std::mem::swap(&mut a, &mut b);
        let taken = if y > 5.0 { 0.1 } else { std::mem::take(&mut b) };
        y += old.sin() * a * x + b + taken * k as f64;
    }
    y * a
}

/// The same literal with a type and without.
#[grad]
fn literals_with_types(x: f64) -> f64 {
    let positive = (x - 0.5).max(0.0);
    let zero: f64 = 0.0;
    let half = 0.5 * x;
    let other: f64 = 0.5;
    positive * zero.cos() + half + other.sin() * x
}

#[grad]
fn copies(x: f64) -> f64 {
    let a = [x, x * x];
    let mut b = a;
    b[0] *= 2.0;
    let v = b.to_vec();
    let mut w = v.clone();
    w[1] += v[0] * a[0];
    let mut rows = vec![];
    for k in 0..2 {
        let mut row = [0.0; 2];
        row[k] = w[k] * x;
        rows.push(row);
    }
    a[1] * b[0] + w[1] * v[1] + rows[0][0] * rows[1][1] + rows[1][0]
}

#[grad]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += a[i] * b[i];
    }
    s
}

#[grad]
fn overlapping(x: f64, y: f64) -> f64 {
    let d = [x, y, x * y];
    dot(&d, &d) * dot(&d[1..], &d[..2])
}

#[grad]
fn shifted(u: &mut [f64], x: f64) {
    u.fill(x);
    let n = u.len();
    u[1..n].copy_from_slice(&[x * x, 1.0]);
    u[0] *= u[1];
}

#[grad]
fn shifts(x: f64, n: usize) -> f64 {
    let mut u = [x, 2.0, 3.0 * x];
    let mut s = 0.0;
    for _ in 0..n {
        s = s * 0.5 + u[0] * u[1];
        shifted(&mut u, s + x);
        s += u[0] * u[2];
    }
    s
}

#[test]
fn copying_and_filling() {
    check!(copied(value x = 0.7, value y = -1.3));
    check!(copied_in_loop(value x = 0.7, constant n = 3));
    check!(filled(value x = 0.7, constant n = 3));
    check!(filled(value x = 0.7, constant n = 0));
    check!(within(value x = 0.7));
    check!(shifts(value x = 0.7, constant n = 3));
}

#[test]
fn exchanging() {
    check!(rows_swapped(value x = 0.7, value y = -1.3));
    check!(vectors_swapped(value x = 0.7, constant n = 3));
    check!(swapped_with_local(value x = 0.7, constant n = 3));
    check!(replaced(value x = 0.7));
    check!(mixed_array(value x = 0.7));
    check!(constants_replaced(value x = 0.7));
    check!(literals_with_types(value x = 0.7));
    check!(destructured(value x = 0.7, value y = -1.3));
}

#[test]
fn copies_and_aliases() {
    check!(copies(value x = 0.7));
    check!(overlapping(value x = 0.7, value y = -1.3));
}
