//! One item of `chunks`, `chunks_exact` or `windows`, which may not be there.

use autodiff::grad;

#[grad(order = 2)]
fn matched(q: &[f64], k: f64) -> f64 {
    let mut s = k;
    if let Some(w) = q.chunks_exact(2).last() {
        s += w[0] * w[1] * k;
    }
    s += match q.chunks(2).nth(1) {
        Some(w) => w[0] * w[w.len() - 1] * s,
        None => k * k,
    };
    if let Some([a, b]) = q.windows(2).next_back() {
        s += a.sin() * b;
    }
    let n = q.len();
    if let Some(w) = q.chunks(n / 2 + 1).rev().next() {
        s *= w[0];
    }
    if let Some(w) = q[1..].windows(2).skip(1).next() {
        s += w[0] / w[1];
    }
    s
}

#[grad(order = 2)]
fn bound(q: &[f64], k: f64) -> f64 {
    let Some(w) = q.windows(3).next() else {
        return k * k;
    };
    let last = q.windows(2).last().unwrap();
    let first = q.chunks(2).next().expect("there are three");
    let sum: f64 = q.chunks(2).last().unwrap().iter().map(|x| x * k).sum();
    w[0] * w[1] * w[2] * k + last[1] * first[0] * sum
}

#[grad(order = 2)]
fn mapped(q: &[f64], k: f64) -> f64 {
    q.chunks(2).last().map_or(k, |w| w[0] * k)
        + q.windows(2).nth(2).map(|w| w[0] * w[1] * k).unwrap_or(k)
}

#[grad]
fn asked(q: &[f64], k: f64) -> Option<f64> {
    let w = q.windows(2).nth(2)?;
    Some(w[0] * w[1] * k)
}

#[grad(order = 2)]
fn changed(q: &[f64], k: f64) -> f64 {
    let mut list = q.to_vec();
    if let Some(w) = list.chunks_mut(2).last() {
        w[0] *= k;
    }
    if let Some(w) = list.chunks_exact_mut(2).nth(1) {
        w[1] *= k * w[0];
    }
    list.iter().map(|x| x * x).sum()
}

#[test]
fn items_of_chunks() {
    for q in [
        vec![0.7],
        vec![0.7, -0.4],
        vec![0.7, -0.4, 1.3],
        vec![0.7, -0.4, 1.3, 0.9, 0.2],
    ] {
        check!(matched(shared q = q.clone(), value k = 1.2));
        check!(bound(shared q = q.clone(), value k = 1.2));
        check!(mapped(shared q = q.clone(), value k = 1.2));
        check!(changed(shared q = q.clone(), value k = 1.2));
        check_second!(matched(shared q = q.clone(), value k = 1.2));
        check_second!(bound(shared q = q.clone(), value k = 1.2));
        check_second!(mapped(shared q = q.clone(), value k = 1.2));
        check_second!(changed(shared q = q.clone(), value k = 1.2));
    }
    let (none, _) = asked::vjp(&[1.0, 2.0, 3.0], 2.0, Some(1.0));
    assert_eq!(none, None);
    let gradient = (vec![0.0, 0.0, 8.0, 6.0], 12.0);
    let found = asked::vjp(&[1.0, 2.0, 3.0, 4.0], 2.0, Some(1.0));
    assert_eq!(found, (Some(24.0), gradient));
}
