//! Stacks: `pop`, `last` and `get` yield options.

use autodiff::grad;
#[grad]
fn popping(x: f64, q: f64, n: usize) -> f64 {
    let mut v = Vec::new();
    v.push(x);
    for i in 1..n {
        let prev = v[i - 1];
        v.push(prev * q + 1.0 / i as f64);
    }
    let last = v[v.len() - 1];
    let mut s = 0.0;
    while let Some(t) = v.pop() {
        s = s * 0.5 + t;
    }
    s * last
}
#[grad]
fn stack(x: f64, n: usize) -> f64 {
    let mut v = vec![x];
    let mut s = x;
    for k in 0..n {
        v.push(s * x);
        if k % 2 == 0 {
            v.pop();
        }
        if let Some(t) = v.last() {
            s = s * 0.5 + t * x;
        }
        if let Some(t) = v.get(k) {
            s += t * t;
        } else {
            s *= 0.9;
        }
        if let Some(&t) = v.first() {
            s += t;
        }
        let _ = v.pop();
        if let Some(t) = v.pop() {
            s += t;
        }
    }
    s + match v.pop() {
        Some(t) => t * t,
        None => x,
    }
}
#[grad]
fn rows(x: f64, n: usize) -> f64 {
    let mut v: Vec<Vec<f64>> = vec![];
    for k in 0..n {
        v.push(vec![x * k as f64; k + 1]);
    }
    let mut s = x;
    while let Some(row) = v.pop() {
        for t in row.iter() {
            s = s * 0.5 + t * t;
        }
        if row.len() == 3 {
            v.push(vec![s]);
        }
    }
    s
}
#[grad]
fn tree(x: f64, n: usize) -> f64 {
    let mut todo = vec![(x, n)];
    let mut s = 0.0;
    while let Some((t, k)) = todo.pop() {
        s += t * t;
        if k > 0 {
            todo.push((t * x, k - 1));
            if k > 1 {
                todo.push((t.sin(), k - 2));
            }
        }
    }
    s
}
#[test]
fn elements_that_may_be_missing() {
    check!(popping(value x = 0.7, value q = -1.3, constant n = 4));
    check!(stack(value x = 0.7, constant n = 4));
    check!(rows(value x = 0.7, constant n = 4));
    check!(tree(value x = 0.7, constant n = 4));
}
