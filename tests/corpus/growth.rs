//! Vectors that change their length.

use autodiff::grad;

#[grad]
fn pushed(x: f64, q: f64, n: usize) -> f64 {
    let mut v = Vec::new();
    v.push(x);
    for i in 1..n {
        let prev = v[i - 1];
        v.push(prev * q + 1.0 / i as f64);
    }
    let last = v[v.len() - 1];
    let mut s = 0.0;
    for i in 0..v.len() {
        s = s * 0.5 + v[i];
    }
    s * last
}

#[grad]
fn popped(x: f64, q: f64, n: usize) -> f64 {
    let mut v = Vec::with_capacity(4);
    v.push(x);
    for i in 0..n {
        v.push(v[i] * q);
    }
    let mut s = 0.0;
    for _ in 0..n {
        let t = v.pop().unwrap();
        s = s * 0.5 + t * v[0] * v[v.len() - 1];
    }
    s
}

#[grad]
fn collected(x: f64, q: f64) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::new();
    for i in 0..4 {
        out.push(x * q.powi(i));
    }
    out.insert(1, q * x);
    out.extend_from_slice(&[x, 1.0]);
    let t = out.remove(0);
    out.swap_remove(2);
    out[0] *= t;
    out.truncate(4);
    out
}

#[grad]
fn everything(x: f64, n: usize) -> f64 {
    let mut v = vec![x, x * x];
    let mut s = 0.0;
    for k in 0..n {
        s = s * 0.5 + v[0] * v[v.len() - 1];
        v.insert(k % v.len(), s * x);
        v.push(s);
        let t = v.remove(1);
        v.extend([t, x].iter());
        if v.len() > 6 {
            v.truncate(3);
        }
        s += v.swap_remove(0) * t;
        v.resize(v.len() + 1, s * 0.1);
        let mut w = vec![s, t];
        v.append(&mut w);
        w.push(x);
        s += w[0] * v.len() as f64;
    }
    let tail = v.split_off(1);
    s + v[0] * tail[0] + tail.len() as f64
}

#[grad]
fn cleared(x: f64, n: usize) -> f64 {
    let mut v: Vec<f64> = vec![];
    let mut s = x;
    for k in 0..n {
        v.clear();
        for i in 0..k + 1 {
            v.push(s * i as f64 + x);
        }
        for i in 0..v.len() {
            s = s * 0.5 + v[i] * v[i];
        }
    }
    s + v.len() as f64
}

#[grad]
fn inner(x: f64, n: usize) -> f64 {
    let mut rows = vec![vec![]; 3];
    for i in 0..n {
        rows[i % 3].push(x * i as f64);
        let k = rows[i % 3].len();
        rows[i % 3][k - 1] *= x;
    }
    let mut s = 0.0;
    for row in &rows {
        for v in row {
            s = s * 0.5 + v * x;
        }
    }
    rows.push(vec![s, x]);
    s * rows[3][0] * rows[0][0]
}

#[grad]
fn local(x: f64, n: usize) -> f64 {
    let mut s = x;
    for k in 0..n {
        let mut v = Vec::new();
        for i in 0..k + 2 {
            v.push(s * x + i as f64);
        }
        v.push(s);
        let t = v.pop().unwrap();
        v.remove(0);
        s = t * v[0] * 0.1;
        for w in &v {
            s += w * w * 0.01;
        }
    }
    s
}

#[grad]
fn whole(x: f64) -> f64 {
    let mut m = vec![0.0; 1];
    m[0] = x;
    m = vec![x, x * x];
    m[1] * m[0]
}

#[grad]
fn whole_rows(x: f64, n: usize) -> f64 {
    let mut rows = vec![vec![x], vec![x, x]];
    let mut s = 0.0;
    for k in 0..n {
        s = s * 0.5 + rows[1][k] * rows[0][0];
        rows[1] = vec![s; k + 2];
        rows[1][k + 1] *= x;
        rows[0] = rows[1].clone();
    }
    s + rows[0][n]
}

#[grad]
fn lengths_looped(x: f64, m: usize) -> f64 {
    let mut a = vec![x; 5];
    let mut s = 0.0;
    for _ in 0..m {
        for i in 0..a.len() {
            s = s * 0.5 + a[i];
        }
        a.pop().unwrap();
    }
    a = vec![x * 2.0; 3];
    a.push(s);
    s + a[0] * a[3]
}

#[grad]
fn inactive(x: f64, n: usize) -> f64 {
    let mut order = Vec::new();
    let mut weights = vec![1.0, 2.0];
    let mut s = x;
    for k in 0..n {
        order.push(k % 2);
        weights.push(k as f64);
        s = s * weights[order[order.len() - 1]] + x * order.len() as f64;
        if k == 2 {
            order.clear();
            order.push(1);
        }
    }
    s * order.len() as f64
}

#[grad]
fn in_branches(x: f64, y: f64, n: usize) -> f64 {
    let mut stack = vec![x];
    let mut s = 0.0;
    for k in 0..n {
        let top = stack[stack.len() - 1];
        if k % 3 == 2 {
            let a = stack.pop().unwrap();
            let b = stack.pop().unwrap();
            stack.push(a * b);
            s += a;
        } else if top > 100.0 {
            stack.clear();
        } else {
            stack.push(top * y + s);
        }
    }
    for v in stack.iter() {
        s = s * v + y;
    }
    s
}

#[grad]
fn tuples(x: f64, n: usize) -> f64 {
    let mut v = Vec::new();
    for k in 0..n {
        v.push((x * k as f64, k));
    }
    let mut s = 0.0;
    for (a, k) in v.iter() {
        s += a * a * *k as f64;
    }
    let (a, k) = v.pop().unwrap();
    let b = v.remove(0);
    s * a + k as f64 + b.0
}

#[grad(__remember_all)]
fn everything_all(x: f64, n: usize) -> f64 {
    let mut v = vec![x, x * x];
    let mut s = 0.0;
    for k in 0..n {
        s = s * 0.5 + v[0] * v[v.len() - 1];
        v.insert(k % v.len(), s * x);
        v.push(s);
        let t = v.remove(1);
        v.extend([t, x].iter());
        if v.len() > 6 {
            v.truncate(3);
        }
        s += v.swap_remove(0) * t;
        v.resize(v.len() + 1, s * 0.1);
        let mut w = vec![s, t];
        v.append(&mut w);
        w.push(x);
        s += w[0] * v.len() as f64;
    }
    let tail = v.split_off(1);
    s + v[0] * tail[0] + tail.len() as f64
}

#[grad(verify)]
fn everything_verified(x: f64, n: usize) -> f64 {
    let mut v = vec![x, x * x];
    let mut s = 0.0;
    for k in 0..n {
        s = s * 0.5 + v[0] * v[v.len() - 1];
        v.insert(k % v.len(), s * x);
        v.push(s);
        let t = v.remove(1);
        v.extend([t, x].iter());
        if v.len() > 6 {
            v.truncate(3);
        }
        s += v.swap_remove(0) * t;
        v.resize(v.len() + 1, s * 0.1);
        let mut w = vec![s, t];
        v.append(&mut w);
        w.push(x);
        s += w[0] * v.len() as f64;
    }
    let tail = v.split_off(1);
    s + v[0] * tail[0] + tail.len() as f64
}

#[test]
fn pushes_and_pops() {
    check!(pushed(value x = 0.7, value q = -1.3, constant n = 4));
    check!(popped(value x = 0.7, value q = -1.3, constant n = 4));
    check!(inner(value x = 0.7, constant n = 7));
    check!(local(value x = 0.7, constant n = 3));
    check!(in_branches(value x = 0.7, value y = 1.1, constant n = 9));
    check!(tuples(value x = 0.7, constant n = 4));
}

#[test]
fn every_change_of_length() {
    check_vector!(collected(value x = 0.7, value q = -1.3));
    check!(everything(value x = 0.7, constant n = 4));
    check!(everything_all(value x = 0.7, constant n = 4));
    check!(everything_verified(value x = 0.7, constant n = 4));
    check!(cleared(value x = 0.7, constant n = 3));
    check!(cleared(value x = 0.7, constant n = 0));
}

#[test]
fn vectors_of_another_length() {
    check!(whole(value x = 0.7));
    check!(whole_rows(value x = 0.7, constant n = 3));
    check!(lengths_looped(value x = 0.7, constant m = 3));
}

#[test]
fn constants_that_grow() {
    check!(inactive(value x = 0.7, constant n = 5));
}

#[grad]
fn with_room(xs: &[f64], x: f64) -> f64 {
    let mut squares = Vec::with_capacity(xs.len());
    let mut rows: Vec<Vec<f64>> = Vec::with_capacity(xs.len().min(2));
    for y in xs {
        squares.push(y * y * x);
        let mut row = Vec::with_capacity(xs.len() + squares.len());
        row.push(x * y);
        rows.push(row);
    }
    squares.iter().sum::<f64>() * rows[0][0]
}

#[test]
fn vectors_with_room_for_what_is_active() {
    check!(with_room(shared xs = [0.3, -0.7], value x = 1.2));
}

#[grad]
fn kept_and_drained(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for (i, a) in v.drain(1..=2).enumerate() {
        s += a * a * (i + 1) as f64;
    }
    let mut n = 0;
    v.retain(|a| {
        n += 1;
        *a * s > -1.0
    });
    v.resize_with(6, || s * x[3]);
    let mut halves = Vec::new();
    while v.len() > 1 {
        let half = v.len() / 2;
        let taken: Vec<f64> = v.drain(..half).collect();
        halves.push(taken);
        s += v[0] * s;
    }
    let mut all = halves.concat();
    v.drain(v.len() - 1..);
    all.extend(v.drain(..));
    all.resize_with(5, || 1.0);
    let more = [&all[1..3], x].concat();
    s + more.iter().map(|a| a * a * s).sum::<f64>() * n as f64 + v.len() as f64
}

#[grad]
fn without_repetitions(x: &[f64]) -> f64 {
    let mut v = vec![x[0], x[0], x[1], x[1], x[2]];
    v.dedup();
    let mut w = v.clone();
    w.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    let mut order = vec![1, 1, 0];
    order.dedup();
    v[0] * v[1] * v[2] + w[w.len() - 1] * x[order[1]]
}

#[grad]
fn rows_kept(x: &[f64]) -> f64 {
    let mut rows: Vec<Vec<f64>> = x.iter().map(|a| vec![*a, a * a]).collect();
    let kept = &mut rows;
    kept.retain(|row| row[0] > -0.5);
    kept[0][1] *= x[2];
    rows.concat().iter().map(|a| a * a).sum()
}

#[test]
fn elements_kept_and_taken_out() {
    for x in [
        [1.3, 0.7, -0.4, 1.1, 0.6],
        [-0.9, -1.2, -0.3, 0.5, 0.8],
        [0.45, 1.9, 1.2, -0.7, -1.6],
    ] {
        check!(kept_and_drained(shared x = x));
        check!(without_repetitions(shared x = x));
        check!(rows_kept(shared x = x));
    }
}
