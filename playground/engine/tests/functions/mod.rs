//! Functions that the interpreter runs and that are compiled here: each construct that people type first.
use autodiff::{grad, sigmoid};

#[grad(trace)]
pub(crate) fn product(x: f64, y: f64) -> f64 {
    x * y.sin()
}

#[grad(trace)]
pub(crate) fn used_twice(x: f64, y: f64) -> f64 {
    let p = x + y;
    let q = p * p - x / y;
    let r = (-q).exp().ln_1p();
    r.sqrt() + q.tanh() * p.powi(3) + (x * y).abs().powf(1.3)
}

#[grad(trace)]
pub(crate) fn one(x: f64) -> f64 {
    let y = 3.0 * x + 1.0;
    y * y
}

#[grad(trace)]
pub(crate) fn branches(x: f64, y: f64) -> f64 {
    if x > y {
        x * x
    } else if x < -1.0 {
        let z = x * y;
        z.cos()
    } else {
        y.max(x) / 2.0
    }
}

#[grad(trace)]
pub(crate) fn looped(w: &[f64], x: f64) -> f64 {
    let mut y = x;
    for v in w {
        if y > 0.5 {
            y = (v * y).tanh();
        } else {
            y = y * y + 0.25;
        }
    }
    y
}

#[grad(trace)]
pub(crate) fn indexed(v: &[f64], c: f64, k: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        s += product(v[i], c).powi(2) + sigmoid(c);
    }
    let (a, b) = (s / c, s.max(c));
    let mut m = [0.0; 3];
    m[k] = a * b;
    m[k] += 1.0;
    m.iter().sum::<f64>()
}

#[grad(trace)]
pub(crate) fn slope(x: &[f64], y: &[f64], out: &mut [f64]) {
    for i in 0..x.len() {
        out[i] = x[i] * y[i].sin();
    }
}

#[grad(trace)]
pub(crate) fn stages(x: &[f64], h: f64, steps: usize) -> f64 {
    let (mut y, mut k) = (x.to_vec(), vec![0.0; x.len()]);
    for _ in 0..steps {
        slope(x, &y, &mut k);
        for i in 0..x.len() {
            y[i] += 0.5 * k[i];
        }
        halve(&mut k);
        y[0] += h * k[1];
    }
    y[0] * y[1]
}

#[grad(trace)]
pub(crate) fn halve(v: &mut [f64]) {
    for i in 0..v.len() {
        v[i] *= 0.5;
    }
}

#[grad(trace)]
pub(crate) fn chained(w: [f64; 3], x: (f64, f64)) -> f64 {
    let h: Vec<f64> = w.iter().map(|w| (w * x.0).tanh()).collect();
    h.iter().zip(&w).map(|(a, b)| a * b).sum::<f64>() + x.1
}

#[grad(trace)]
pub(crate) fn newton(a: f64, n: usize) -> f64 {
    let mut y = a;
    let mut k = 0;
    while k < n {
        y = 0.5 * (y + a / y);
        k += 1;
        if (y * y - a).abs() < 1e-14 {
            break;
        }
    }
    y
}

#[grad(trace)]
pub(crate) fn matched(x: f64, kind: usize, flip: bool) -> f64 {
    let y = match kind {
        0 => x.sin(),
        1 | 2 => x.exp() * 2.0,
        n if n > 10 => x * x,
        _ => x,
    };
    if flip { -y } else { y }
}

#[grad(trace)]
pub(crate) fn rows(m: &[[f64; 2]], v: &Vec<f64>) -> f64 {
    let mut total = 0.0;
    for (row, x) in m.iter().zip(v) {
        let mut dot = 0.0;
        for j in 0..2 {
            dot += row[j] * x;
        }
        total += dot * dot;
    }
    total
}

#[grad(trace)]
pub(crate) fn in_place(x: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let n = a.len();
    for i in 1..n {
        a[i] = a[i] * a[i - 1];
    }
    a.swap(0, n - 1);
    a[0] - a[n - 1].sqrt()
}

#[grad(trace)]
pub(crate) fn pushed(x: f64, n: usize) -> f64 {
    let mut all = Vec::new();
    for i in 0..n {
        all.push(x * i as f64);
    }
    let mut s = 0.0;
    while let Some(v) = all.pop() {
        s = s * 0.5 + v.cos();
    }
    s
}

#[grad(trace)]
pub(crate) fn nested(x: &[f64], n: usize) -> f64 {
    let mut best = x[0];
    'outer: for i in 0..n {
        for j in 0..=i {
            let t = x[j] * x[i];
            if t > 9.0 {
                break 'outer;
            }
            if t < 0.0 {
                continue 'outer;
            }
            best = best * 0.9 + t;
        }
    }
    best
}

#[grad(trace)]
pub(crate) fn early(x: f64, y: f64) -> f64 {
    if x < 0.0 {
        return y;
    }
    let root = |z: f64| z.sqrt() + y;
    root(x) * root(2.0)
}

/// A constant of the file, and a function without derivatives.
const SCALE: f64 = 0.1;

fn count(n: usize) -> usize {
    (0..n).filter(|k| k % 2 == 0).count()
}

#[grad(trace)]
pub(crate) fn with_constants(x: f64, n: usize) -> f64 {
    let k = count(n);
    SCALE * x.powi(k as i32) + std::f64::consts::PI * x
}
