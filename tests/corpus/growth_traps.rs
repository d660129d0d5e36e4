//! Where changes of length and exchanges meet loops, arms, fused loops and calls.

use autodiff::grad;

three! {
    fn insert_apart(x: f64, n: usize) -> f64 {
        let mut a = vec![x, x * x, 0.5, x + 1.0];
        let mut y = x;
        for i in 0..n {
            y = y * 0.5 + a[i] * a[i];
            a[i] = y * x;
            a.insert(0, y);
        }
        y + a[0] * a[n]
    } = [value x = 0.7, constant n = 3];

    fn swap_apart(x: f64, n: usize) -> f64 {
        let mut rows = vec![vec![x], vec![x * x], vec![0.5 * x, x], vec![1.0]];
        let mut y = x;
        for i in 0..n {
            y = y * 0.5 + rows[i][0] * rows[i][0];
            rows.swap(i, i + 1);
            rows[i][0] = y * x;
        }
        y + rows[0][0] * rows[n][0]
    } = [value x = 0.7, constant n = 3];

    fn push_in_arm(x: f64, n: usize) -> f64 {
        let mut v = vec![x];
        let mut s = x;
        for k in 0..n {
            let m = v.len();
            let mut w = vec![s; 2];
            if k % 2 == 0 {
                w.push(v[m - 1] * x);
                v.push(w[2] * s);
                for i in 0..v.len() { s += v[i] * v[i] * 0.1; }
            } else {
                w.pop().unwrap();
                v.insert(1, w[0] * v[0]);
                w.clear();
            }
            for i in 0..w.len().min(v.len()) { s = s * 0.9 + w[i] * v[i]; }
            v[m - 1] = s;
        }
        s + v[v.len() - 1] * v[0]
    } = [value x = 0.7, constant n = 5];

    fn fused_reader(x: f64, n: usize) -> f64 {
        let mut v = Vec::new();
        for i in 0..n { v.push(x * i as f64); }
        let mut s = 0.0;
        for i in 0..v.len() { s += v[i] * v[i]; }
        s * x
    } = [value x = 0.7, constant n = 5];

    fn fused_then_push(x: f64, n: usize) -> f64 {
        let mut v = vec![x; n];
        let mut s = 0.0;
        for i in 0..v.len() { s += v[i] * v[i]; }
        v.push(x * x);
        for i in 0..v.len() { s += v[i] * v[i] * x; }
        s
    } = [value x = 0.7, constant n = 3];

    fn fused_local(x: f64, n: usize) -> f64 {
        let mut s = 0.0;
        for i in 0..n {
            let mut v = vec![x; i];
            v.push(x * i as f64);
            v.push(v[i] * x);
            let t = v.remove(0);
            let u = v.pop().unwrap();
            v.push(t * u);
            s += v[0] * v[v.len() - 1];
            v.clear();
        }
        s
    } = [value x = 0.7, constant n = 4];

    fn inactive_in_fused(x: f64, n: usize) -> f64 {
        let mut w = vec![0.5];
        let mut s = 0.0;
        for i in 0..n {
            w.push(i as f64 * 0.25);
            s += x * w[i] * w[w.len() - 1];
            w[0] = w[i] + 1.0;
        }
        s * x
    } = [value x = 0.7, constant n = 4];

    fn moved_out(x: f64, n: usize) -> f64 {
        let mut all: Vec<Vec<f64>> = Vec::new();
        for k in 0..n {
            let mut row = vec![x * k as f64; k + 1];
            row[k] = x * x;
            all.push(row);
        }
        let mut s = 0.0;
        for row in all.iter() {
            for v in row { s = s * 0.7 + v * v; }
        }
        let last = all.pop().unwrap();
        let first = all.remove(0);
        s * last[n - 1] * first[0] + all.len() as f64
    } = [value x = 0.7, constant n = 4];

    fn array_moved_out(x: f64, n: usize) -> f64 {
        let mut best = [0.0; 2];
        let mut s = x;
        for k in 0..n {
            let mut t = [s, x];
            t[1] *= s + k as f64;
            if k != 1 { best = t; }
            s = s * 0.5 + t[0] * best[1];
        }
        best[0] * best[1] + s
    } = [value x = 0.7, constant n = 4];

    fn grow_matrix(x: f64, n: usize) -> f64 {
        let mut m = vec![vec![x]];
        for k in 0..n {
            for r in 0..m.len() { let t = m[r][k] * x; m[r].push(t); }
            let row = m[0].clone();
            m.push(row);
            m[k + 1][0] = x * 2.0;
        }
        let mut s = 0.0;
        for row in &m { for v in row.iter() { s = s * 0.9 + v * v; } }
        s
    } = [value x = 0.7, constant n = 3];

    fn taken_in_loop(x: f64, n: usize) -> f64 {
        let mut cur = vec![x, 1.0];
        let mut s = 0.0;
        for k in 0..n {
            let old = std::mem::take(&mut cur);
            for i in 0..old.len() { cur.push(old[i] * x + k as f64); }
            cur.push(old[0]);
            s = s * 0.5 + cur[k] * old[old.len() - 1];
        }
        s
    } = [value x = 0.7, constant n = 3];

    fn replaced_in_loop(x: f64, n: usize) -> f64 {
        let mut cur = vec![x, 1.0];
        let mut s = 0.0;
        for k in 0..n {
            let next = vec![s + x; k + 1];
            let old = std::mem::replace(&mut cur, next);
            s = s * 0.5 + cur[k] * old[old.len() - 1];
            cur[0] *= x;
        }
        s
    } = [value x = 0.7, constant n = 3];

    fn appended_both(x: f64, n: usize) -> f64 {
        let mut a = vec![x];
        let mut b = vec![x * x, 2.0];
        let mut s = 0.0;
        for k in 0..n {
            let ab = a[0] * b[1];
            a.append(&mut b);
            b.push(s + ab);
            b.push(a[a.len() - 1]);
            b.extend(&a);
            s = s * 0.5 + a[k] * b[1];
            a.truncate(2);
        }
        s + b[0]
    } = [value x = 0.7, constant n = 3];

    fn zero_trips(x: f64, n: usize) -> f64 {
        let mut v = vec![x];
        for _ in 0..n { v.push(x * v[0]); v.remove(0); }
        v.resize(3, x);
        v.resize(2, 1.0);
        v[0] * v[1]
    } = [value x = 0.7, constant n = 0];

    fn arrays_swapped(x: f64, n: usize) -> f64 {
        let mut a = [x, x * x];
        let mut b = [1.0, x];
        let mut s = 0.0;
        for k in 0..n {
            std::mem::swap(&mut a, &mut b);
            a[0] *= x + s;
            s = s * 0.5 + a[0] * b[1];
            if k == 1 { std::mem::swap(&mut a, &mut b); b[1] += s; }
        }
        s + a[0] * b[0]
    } = [value x = 0.7, constant n = 4];

    fn tuple_of_vecs(x: f64, n: usize) -> f64 {
        let mut t = (vec![x], x * 2.0);
        for k in 0..n {
            t.0.push(t.1 * x);
            t.1 += t.0[k];
        }
        t.0[n] * t.1
    } = [value x = 0.7, constant n = 3];

    fn rows_filled(x: f64, n: usize) -> f64 {
        let mut m = vec![[0.0; 2]; 3];
        let mut s = x;
        for k in 0..n {
            m.fill([s, x]);
            m[k][1] *= s;
            let row = m[k];
            m[(k + 1) % 3].copy_from_slice(&row);
            m[(k + 2) % 3].fill(s * s);
            s = s * 0.5 + m[(k + 1) % 3][1] * m[(k + 2) % 3][0];
        }
        s
    } = [value x = 0.7, constant n = 3];

    fn copied_rows(x: f64, n: usize) -> f64 {
        let mut a = vec![vec![x, 1.0], vec![x * x]];
        let mut b = vec![vec![0.0; 2], vec![0.0; 3]];
        let mut s = 0.0;
        for _ in 0..n {
            b.clone_from_slice(&a);
            b[1].push(x + s);
            a[0][1] *= b[1][1];
            s = s * 0.5 + b[0][1] * a[0][1];
        }
        s + b[1][0]
    } = [value x = 0.7, constant n = 2];
}

#[grad]
fn grow(v: &mut Vec<f64>, x: f64) {
    let t = v[0] * x;
    v.push(t);
    v[0] += x;
}

#[grad]
fn grow_sum(v: &mut Vec<f64>, x: f64) -> f64 {
    v.insert(0, x * v[0]);
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * v[i];
    }
    v.pop().unwrap();
    v.pop().unwrap();
    s
}
#[grad]
fn grown(x: f64, n: usize) -> f64 {
    let mut v = vec![x, x * x, 1.0];
    let mut s = 0.0;
    for _ in 0..n {
        s = s * 0.5 + v[0] * v[v.len() - 1];
        grow(&mut v, s + x);
        s += grow_sum(&mut v, x);
    }
    s + v[0]
}
#[grad]
fn owned(mut v: Vec<f64>, x: f64) -> Vec<f64> {
    v.push(x * v[0]);
    let t = v.remove(1);
    v[0] *= t;
    v
}

#[grad]
fn owned_called(x: f64) -> f64 {
    let v = owned(vec![x, 2.0, x * x], x);
    v[0] * v[2] + v[1]
}
#[test]
fn vectors_that_calls_change() {
    check_vector!(owned(value v = vec![0.3, 0.7, 0.2], value x = 0.7));
    check!(owned_called(value x = 0.7));
    check!(grown(value x = 0.7, constant n = 3));
}
