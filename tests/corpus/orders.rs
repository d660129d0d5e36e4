//! Lists that are sorted, turned round and rotated: what is read afterwards depends on where each element went.

use autodiff::grad;

#[grad]
fn median(v: &mut [f64]) -> f64 {
    v.sort_unstable_by(|a, b| a.total_cmp(b));
    v[v.len() / 2]
}

#[grad]
fn trimmed(v: &[f64], by: f64) -> f64 {
    let mut sorted = v.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut s = 0.0;
    for k in 1..sorted.len() - 1 {
        s += sorted[k] * by * k as f64;
    }
    let mut copy = v.to_vec();
    s * median(&mut copy) + copy[0]
}

#[grad]
fn of_pairs(x: f64, y: f64) -> f64 {
    let mut pairs = [(x, 1.0), (x * y, y), (0.45, x.sin())];
    pairs.sort_unstable_by(|(a, _), (b, _)| b.total_cmp(a));
    let mut numbered = vec![(3, x), (1, y), (2, x * y)];
    numbered.sort_by_key(|p| p.0);
    pairs[0].1 * pairs[1].0 + numbered[0].1 * numbered[2].1
}

#[grad]
fn turned(v: &[f64], by: usize) -> f64 {
    let mut w = v.to_vec();
    w.rotate_left(by);
    w[1..].rotate_right(1);
    w[..3].reverse();
    let mut rows = vec![vec![w[0], 1.0], vec![w[1] * w[2]]];
    rows.reverse();
    w[0] * 2.0 + w[1] * w[2] + w[3] * w[3] + rows[0][0] * rows[1][0]
}

#[grad]
fn again_and_again(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y, 0.35];
    for k in 0..3 {
        a.sort_by(|p, q| {
            if k == 1 {
                q.total_cmp(p)
            } else {
                p.total_cmp(q)
            }
        });
        a[0] = a[0] * a[3] + 0.1;
        a.reverse();
    }
    a[0] - 2.0 * a[1] + a[2] * a[3]
}

#[grad(order = 2)]
fn curved(v: &[f64]) -> f64 {
    let mut w = v.to_vec();
    w.sort_by(|a, b| a.total_cmp(b));
    w[0] * w[1].sin() + w[2] * w[2] * w[0]
}

#[test]
fn lists_in_another_order() {
    for (x, y) in [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9)] {
        check!(of_pairs(value x = x, value y = y));
        check!(again_and_again(value x = x, value y = y));
    }
    for v in [
        vec![0.6, -0.4, 1.2, 0.2, 0.8],
        vec![1.5, 1.1, 0.7, 0.3],
        vec![0.1, 0.4, 0.9, 1.6],
    ] {
        check!(trimmed(shared v = v.clone(), value by = 1.4));
        for by in [0, 1, 3] {
            check!(turned(shared v = v.clone(), constant by = by));
        }
    }
}

#[test]
fn second_derivatives() {
    let v = [0.6, -0.4, 1.2];
    let hessian = curved::hessian(&v);
    // w = (v₁, v₀, v₂): f = v₁ sin v₀ + v₂² v₁.
    let (sin, cos) = v[0].sin_cos();
    let expected = [
        [-v[1] * sin, cos, 0.0],
        [cos, 0.0, 2.0 * v[2]],
        [0.0, 2.0 * v[2], 2.0 * v[1]],
    ];
    for i in 0..3 {
        for j in 0..3 {
            assert!((hessian[[i, j]] - expected[i][j]).abs() < 1e-14);
        }
    }
}

#[grad]
fn interpolated(ts: &[f64], ys: &[f64], t: f64) -> f64 {
    let i = ts.partition_point(|&k| k <= t).clamp(1, ts.len() - 1);
    let w = (t - ts[i - 1]) / (ts[i] - ts[i - 1]);
    let j = match ts.binary_search_by(|p| p.total_cmp(&t)) {
        Ok(j) | Err(j) => j,
    };
    let k = ts
        .binary_search_by(|p| p.partial_cmp(&0.3).unwrap())
        .unwrap_or_else(|k| k);
    ys[i - 1] * (1.0 - w) + ys[i] * w + ys[j.min(3)] * ts[k]
}

#[grad]
fn joined(x: &[f64; 3]) -> f64 {
    x.iter()
        .chain([0.5, 0.25].iter())
        .map(|v| v.exp())
        .sum::<f64>()
        * std::iter::once(1.0)
            .chain(x.iter().copied())
            .map(|v| v.sin())
            .sum::<f64>()
        + x.iter()
            .copied()
            .chain([-0.5])
            .map(|v| v.cos())
            .sum::<f64>()
}

#[test]
fn places_in_sorted_lists() {
    for t in [-0.5, 0.35, 1.7] {
        check!(interpolated(shared ts = vec![-1.0, 0.2, 0.9, 2.5], shared ys = vec![0.3, 1.1, -0.4, 0.8], value t = t));
    }
    check!(joined(shared x = [0.7, -0.4, 1.2]));
}

/// The greatest of numbers without a derivative.
#[grad]
fn last_above(v: &[f64], x: f64) -> f64 {
    let last = v
        .iter()
        .enumerate()
        .filter(|(_, t)| **t > 0.5)
        .map(|(i, _)| i)
        .max();
    let steps = v.iter().map(|t| (t * 10.0) as i64).min().unwrap();
    let place = (0..v.len()).filter(|&i| v[i] < 1.0).max().unwrap_or(0);
    v[last.unwrap_or(0)] * x + steps as f64 * x * v[place]
}

#[test]
fn greatest_and_least() {
    check!(last_above(shared v = vec![0.71, 1.42, 1.23, 0.14], value x = 0.6));
}

#[grad]
fn within(v: &[f64], at: usize) -> f64 {
    let mut w = v.to_vec();
    w.copy_within(1.., 0);
    w.copy_within(..=1, at);
    w[0] * w[1] + w[2] * w[3] * w[0]
}

#[test]
fn parts_copied_within_lists() {
    check!(within(shared v = vec![0.7, -0.4, 1.2, 0.9], constant at = 2));
    check!(within(shared v = vec![0.7, -0.4, 1.2, 0.9], constant at = 1));
}
