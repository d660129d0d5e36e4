//! References to parts: halves, ends, windows, chunks, slices of slices.

use autodiff::grad;

#[grad]
fn halves(xs: &[f64]) -> f64 {
    let (l, r) = xs.split_at(2);
    let mut s = 0.0;
    for (a, b) in l.iter().zip(r) {
        s += a * b.sin();
    }
    s * r[0]
}

#[grad]
fn halves_mut(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y, 1.0];
    let (l, r) = a.split_at_mut(2);
    for k in 0..2 {
        r[k] = r[k] * l[1 - k] + l[k];
        l[k] *= r[k];
    }
    a[0] * a[1] + a[2] * a[3]
}

#[grad]
fn last_element(x: f64) -> f64 {
    let mut a = [x, 2.0 * x, 1.0, x * x];
    let last = &mut a[3];
    *last *= 3.0;
    *last += x;
    a[3] * a[0]
}

#[grad]
fn by_ref(x: f64, y: f64) -> f64 {
    let mut t = (x, y);
    let (ref mut a, b) = t;
    *a *= b;
    *a += 1.0;
    t.0 * t.1
}

#[grad]
fn ends(xs: &[f64]) -> f64 {
    let first = xs.first().unwrap();
    let last = xs.last().expect("not empty");
    let middle = *xs.get(1).unwrap();
    let c = xs.last().copied().unwrap();
    first * last + middle * middle * c
}

#[grad]
fn ends_mut(x: f64, y: f64) -> f64 {
    let mut v = vec![x, y, x * y];
    *v.first_mut().unwrap() += y * y;
    *v.last_mut().unwrap() *= x;
    *v.get_mut(1).unwrap() *= v[0];
    v[0] * v[1] * v[2]
}

#[grad]
fn head_and_rest(xs: &[f64]) -> f64 {
    let (head, rest) = xs.split_first().unwrap();
    let (tail, front) = xs.split_last().unwrap();
    let mut s = 0.0;
    for (a, b) in rest.iter().zip(front) {
        s += a * b;
    }
    s * head + tail
}

#[grad]
fn roughness(y: &[f64]) -> f64 {
    let mut r = 0.0;
    for w in y.windows(3) {
        let d = w[0] - 2.0 * w[1] + w[2];
        r += d * d;
    }
    for c in y.chunks(2) {
        r += c[0] * c[c.len() - 1].cos();
    }
    for (k, c) in y.chunks_exact(2).enumerate() {
        r += c[0] * c[1] * k as f64;
    }
    r
}

#[grad]
fn window_nested(y: &[f64], w: &[f64]) -> f64 {
    let mut out = 0.0;
    for win in y.windows(w.len()) {
        let mut s = 0.0;
        for (a, b) in win.iter().zip(w) {
            s += a * b;
        }
        out += s.tanh() * s;
    }
    out
}

#[grad]
fn scaled_blocks(x: f64, y: f64) -> f64 {
    let mut a = vec![x, y, x + y, x * y, 2.0, x];
    for (k, block) in a.chunks_mut(4).enumerate().rev() {
        let n = block.len();
        for j in 0..n {
            block[j] = block[j] * block[n - 1 - j] + k as f64;
        }
    }
    for (p, q) in a.chunks_exact_mut(3).zip([x, y].iter()) {
        p[0] *= *q;
        p[2] += p[0] * p[1];
    }
    a[0] * a[1] + a[2] * a[3] + a[4] * a[5]
}

#[grad]
fn prefix(x: f64) -> f64 {
    let mut a = [x, 2.0, x * x, 3.0];
    for w in 0..3 {
        let (l, r) = a.split_at_mut(w + 1);
        let s = &mut r[0];
        *s = *s * l[w] + l[0];
        let row = &l[..w + 1];
        *s += row[row.len() - 1].sin();
    }
    a[3] + a[2]
}

#[grad(__remember_all)]
fn prefix_all(x: f64) -> f64 {
    let mut a = [x, 2.0, x * x, 3.0];
    for w in 0..3 {
        let (l, r) = a.split_at_mut(w + 1);
        let s = &mut r[0];
        *s = *s * l[w] + l[0];
        let row = &l[..w + 1];
        *s += row[row.len() - 1].sin();
    }
    a[3] + a[2]
}

#[grad]
fn slice_of_slice(xs: &[f64], n: usize) -> f64 {
    let inner = &xs[1..n];
    let more = &inner[1..];
    let mut s = 0.0;
    for i in 0..more.len() {
        s += more[i] * inner[i];
    }
    s
}

#[grad]
fn rows(m: &[f64], v: &[f64]) -> f64 {
    let mut s = 0.0;
    for (row, x) in m.chunks_exact(v.len()).zip(v) {
        let mut t = 0.0;
        for (a, b) in row.iter().zip(v.iter()) {
            t += a * b;
        }
        s += t * x;
    }
    s
}

#[test]
fn halves_and_ends() {
    check!(halves(shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]));
    check!(halves_mut(value x = 0.7, value y = -1.3));
    check!(ends(shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]));
    check!(ends_mut(value x = 0.7, value y = -1.3));
    check!(head_and_rest(shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]));
    check!(prefix(value x = 0.7));
    check!(prefix_all(value x = 0.7));
}

#[test]
fn references_to_elements() {
    check!(last_element(value x = 0.7));
    check!(by_ref(value x = 0.7, value y = -1.3));
}

#[test]
fn windows_and_chunks() {
    check!(roughness(shared xs = [0.3, -0.7, 1.2, 0.4, 0.9]));
    check!(roughness(shared xs = [0.3]));
    check!(window_nested(shared y = [0.3, -0.7, 1.2, 0.4, 0.9], shared w = [0.5, 0.25]));
    check!(scaled_blocks(value x = 0.7, value y = -1.3));
    check!(rows(shared m = [0.3, -0.7, 1.2, 0.4], shared v = [0.2, 0.9]));
}

#[test]
fn slices_of_slices() {
    check!(slice_of_slice(shared xs = [0.3, -0.7, 1.2, 0.4, 0.9], constant n = 4));
}
