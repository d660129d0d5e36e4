//! Iterator chains.

use autodiff::grad;

#[grad]
fn joined_behind_what_stops(x: f64, p: &[f64], n: usize) -> f64 {
    let most = p
        .iter()
        .chain(p.iter())
        .map(|&z| (z * x).sin())
        .take_while(|z| *z < 0.3)
        .chain([x])
        .fold(0.4 * x, f64::max);
    let low = p
        .iter()
        .chain(&p[1..])
        .map(|z| z * x)
        .take_while(|z| *z < 0.45);
    let middle = p.iter().map(|z| z + x).take_while(|z| *z < 0.77);
    let high = p.iter().chain(p).map(|z| z * z).take_while(|z| *z < 0.91);
    most + low
        .chain(middle)
        .chain(high)
        .map(|z| z.sin())
        .take(n)
        .sum::<f64>()
}

#[test]
fn chains_that_stop_before_others() {
    for n in 0..16 {
        check!(joined_behind_what_stops(value x = 0.68, shared p = [0.1, 0.25, 0.3, 0.7, 0.9], constant n = n));
    }
    check!(joined_behind_what_stops(value x = 0.3, shared p = [0.1], constant n = 9));
}

#[grad]
fn sums_and_products(a: &[f64], b: &[f64]) -> f64 {
    let dot: f64 = a.iter().zip(b.iter()).map(|(x, y)| x * y).sum();
    let sq = a.iter().map(|x| x * x).sum::<f64>();
    let prod: f64 = b.iter().map(|&y| 1.0 + y * y).product();
    let alt = a.iter().zip(b).enumerate().fold(0.0, |s, (i, (x, y))| {
        if i % 2 == 0 {
            s + x * y
        } else {
            s - x / (1.0 + y * y)
        }
    });
    let big = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    dot * sq.sqrt() + prod.ln() + alt * big
}

#[grad]
fn rosenbrock(x: &[f64]) -> f64 {
    (0..x.len() - 1)
        .map(|i| 100.0 * (x[i + 1] - x[i] * x[i]).powi(2) + (1.0 - x[i]).powi(2))
        .sum()
}

#[grad]
fn layers(w1: &[[f64; 2]; 3], b1: &[f64; 3], w2: &[f64; 3], inp: &[f64; 2]) -> f64 {
    let mut h = [0.0; 3];
    for (i, row) in w1.iter().enumerate() {
        let z = row
            .iter()
            .zip(inp.iter())
            .fold(b1[i], |s, (w, v)| s + w * v);
        h[i] = z.tanh();
    }
    let y: f64 = h.iter().zip(w2).map(|(h, w)| h * w).sum();
    (y - 0.5).powi(2)
}

#[grad]
fn collected(logits: &[f64], label: usize) -> f64 {
    let m = logits.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
    let e: Vec<f64> = logits.iter().map(|l| (l - m).exp()).collect();
    let z: f64 = e.iter().sum();
    let squares = (0..e.len()).map(|i| e[i] * e[i]).collect::<Vec<_>>();
    -(e[label] / z).ln() + squares.iter().sum::<f64>()
}

#[grad]
fn filtered(xs: &[f64], t: f64) -> f64 {
    let big: f64 = xs.iter().filter(|&&v| v > 0.5).sum();
    let small: f64 = xs.iter().filter(|v| **v < 0.5).map(|v| v * t).sum();
    let odd: f64 = xs
        .iter()
        .enumerate()
        .filter(|(i, _)| i % 2 == 1)
        .map(|(_, x)| x * x)
        .sum();
    let roots: f64 = xs
        .iter()
        .filter_map(|&x| if x > 0.0 { Some(x.sqrt()) } else { None })
        .map(|r| r * t)
        .sum();
    let then: f64 = xs
        .iter()
        .filter_map(|&x| (x < 0.0).then(|| x * x * x))
        .sum();
    let kept = xs.iter().map(|x| x * t).filter(|y| y.abs() > 0.1);
    big * small + odd * roots - then + kept.sum::<f64>()
}

#[grad]
fn changes_a_variable(xs: &[f64], t: f64) -> f64 {
    let mut s = 0.0;
    let mut last = t;
    xs.iter().for_each(|x| {
        s += x * last;
        last = x * t;
    });
    let mut ys = [t, 2.0 * t, 3.0];
    ys.iter_mut().zip(xs).for_each(|(y, x)| *y *= x);
    ys.iter_mut()
        .filter(|y| **y > 0.0)
        .for_each(|y| *y = *y * *y);
    s * last + ys.iter().sum::<f64>()
}

#[grad]
fn nested(m: &[[f64; 3]], w: &[f64]) -> f64 {
    m.iter()
        .enumerate()
        .map(|(i, row)| {
            let scale = w[i % 2];
            let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
            scale * row.iter().zip(w).map(|(a, b)| a * b).sum::<f64>() / norm
        })
        .map(f64::tanh)
        .sum()
}

#[grad]
fn flat(m: &[[f64; 3]], t: f64) -> f64 {
    let all: f64 = m.iter().flat_map(|row| row.iter()).map(|v| v * v * t).sum();
    let pairs: f64 = (0..m.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| m[i][j] * m[j][i] * t)
        .sum();
    all + pairs + m.iter().flatten().sum::<f64>()
}

#[grad]
fn ranges(x: &[f64]) -> f64 {
    let n = x.len();
    let a: f64 = (1..n).rev().map(|i| x[i] * x[i - 1]).sum();
    let b: f64 = (0..n).step_by(2).map(|i| x[i] * x[i]).sum();
    let c: f64 = (1..=n).zip(x).map(|(i, v)| i as f64 * v).sum();
    let d: f64 = x.iter().zip(1..).map(|(v, i)| v / i as f64).sum();
    let e: f64 = (0..n).zip(1..n).map(|(i, j)| x[i] / (2.0 + x[j])).product();
    let f: f64 = (0..n).enumerate().map(|(k, i)| x[i] * k as f64).sum();
    a * b + c * d + e + f
}

#[grad]
fn parts(x: &[f64], t: f64) -> f64 {
    let a: f64 = x.iter().skip(1).map(|v| v * t).sum();
    let b: f64 = x.iter().map(|v| v * t).take(2).product();
    let c: f64 = x
        .iter()
        .rev()
        .take(2)
        .zip(x.iter().skip(1))
        .map(|(a, b)| a * b)
        .sum();
    let d: f64 = x.iter().map(|v| v * v).rev().fold(0.0, |s, v| s * t + v);
    let e: f64 = x.iter().chain(&[1.5, 2.5]).map(|v| v * v * t).sum();
    let f: f64 = x.iter().step_by(2).map(|v| v * t).sum();
    let g: f64 = x
        .iter()
        .filter(|v| **v > -2.0)
        .enumerate()
        .map(|(i, v)| v * i as f64)
        .skip(1)
        .sum();
    a * b + c * d + e * f + g
}

#[grad]
fn arrays(x: f64, y: f64) -> f64 {
    let sq = [x, y, x * y].map(|v| v * v);
    let grid: [f64; 5] = std::array::from_fn(|i| x * i as f64 + y);
    let sines = grid.map(|v| v.sin());
    let sizes = [x, y].map(f64::abs);
    sq[0] * sq[1] + sq[2] * sines.iter().sum::<f64>() + sizes[0] * grid[4]
}

#[grad]
fn scans(xs: &[f64], t: f64) -> f64 {
    let decay: f64 = xs
        .iter()
        .scan(0.0, |s, v| {
            *s = *s * 0.5 + v * t;
            Some(*s)
        })
        .map(|s| s * s)
        .sum();
    let steps: Vec<f64> = xs
        .iter()
        .scan((t, 1.0), |s, v| {
            s.0 += v;
            s.1 *= s.0;
            Some(s.1)
        })
        .collect();
    decay + steps[2] * steps[1]
}

#[grad]
fn inert_ends(xs: &[f64], t: f64) -> f64 {
    let any = xs.iter().any(|x| *x > 1.0);
    let all = xs.iter().map(|x| x * t).all(|x| x < 5.0);
    let at = xs.iter().position(|&x| x > 0.5).unwrap_or(0);
    let count = xs.iter().filter(|x| **x > 0.0).count();
    let order: Vec<usize> = (0..xs.len()).filter(|&i| xs[i] > 0.0).collect();
    let k = if any && all { 2.0 } else { 3.0 };
    order.iter().map(|&i| xs[i]).sum::<f64>() * k + xs[at] * count as f64
}

#[grad]
fn heads(xs: &[f64], t: f64) -> f64 {
    let mut s = 0.0;
    for (i, v) in xs.iter().map(|x| x * t).enumerate() {
        s = s * 0.5 + v * i as f64;
    }
    for v in xs.iter().filter(|x| **x > 0.0) {
        s += v * v;
    }
    for (k, i) in (0..xs.len()).rev().enumerate() {
        s += xs[i] * xs[k];
    }
    for x in xs.iter().chain(xs.iter().rev()) {
        s = s * 0.9 + x.sin();
    }
    s
}

#[grad]
fn closures_by_name(xs: &[f64], t: f64) -> f64 {
    let scale = |x: f64| x * t;
    let square = |x: &f64| x * x;
    let positive = |x: &f64| *x > 0.0;
    let a: f64 = xs.iter().map(square).map(scale).sum();
    let b: f64 = xs
        .iter()
        .copied()
        .filter(positive)
        .map(&scale)
        .map(f64::exp)
        .sum();
    let dot = |u: &[f64], v: &[f64]| -> f64 { u.iter().zip(v).map(|(a, b)| a * b).sum() };
    a * b + dot(xs, xs) * dot(&xs[1..], xs)
}

#[grad]
fn prints(xs: &[f64]) -> f64 {
    let mut n = 0;
    let s = xs
        .iter()
        .inspect(|x| assert!(x.is_finite()))
        .map(|x| {
            n += 1;
            x * n as f64
        })
        .sum::<f64>();
    s * s
}

#[grad]
fn extended(xs: &[f64], t: f64, n: usize) -> f64 {
    let mut v = vec![t];
    let mut rows = vec![vec![t], vec![xs[0]]];
    for i in 0..n {
        if t < 0.7 {
            v.extend(xs.iter().filter(|z| **z > 0.2));
        }
        v.extend((0..i).map(|k| xs[k] * xs[i]));
        rows[i].extend(xs.iter().enumerate().map(|(k, z)| z * k as f64 * v[0]));
        v.extend(rows[i].iter().skip(1).map(|z| z.sin()).take(2));
        v.extend(xs.windows(2).map(|w| &w[1]));
        v[0] *= v[v.len() - 1];
    }
    v.extend([t, xs[1]].into_iter().map(|x| x * x));
    let rows: f64 = rows.iter().flatten().map(|z| z.sin()).sum();
    rows + v.iter().map(|z| z * z).sum::<f64>()
}

/// Only the numbers of the items are used, or the items, too.
#[grad]
fn largest_with_number(xs: &[f64]) -> f64 {
    let by_field = |a: &(usize, &f64), b: &(usize, &f64)| a.1.partial_cmp(b.1).unwrap();
    let k = xs.iter().enumerate().max_by(by_field).unwrap().0;
    let (j, v) = xs
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.partial_cmp(b.1).unwrap())
        .unwrap();
    let squares: Vec<f64> = xs.iter().map(|v| v * v).collect();
    let largest = squares
        .iter()
        .enumerate()
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    let i = largest.map(|(i, _)| i).unwrap();
    xs[k] * xs[k] * v + xs[j].sin() * xs[i]
}

#[test]
fn chains() {
    check!(largest_with_number(shared xs = [1.0, 3.0, -4.0, 2.0]));
    for n in 0..3 {
        check!(extended(shared xs = [1.0, 0.1, 0.6], value t = 0.3, constant n = n));
        check!(extended(shared xs = [1.0, 0.1, 0.6], value t = 0.9, constant n = n));
    }
    let (a, b) = ([0.7, -0.4, 1.2, 0.9], [0.3, 0.9, -1.1, 0.4]);
    let m = [[0.7, -0.4, 1.2], [0.9, 0.3, -1.1], [0.2, 0.8, 0.5]];
    check!(sums_and_products(shared a = a, shared b = b));
    check!(rosenbrock(shared x = a));
    check!(layers(shared w1 = [[0.7, -0.4], [1.2, 0.9], [0.1, 0.2]], shared b1 = [0.3, 0.9, -1.1], shared w2 = [0.2, 0.8, 0.5], shared inp = [0.6, -0.7]));
    check!(collected(shared logits = a, constant label = 2));
    check!(filtered(shared xs = a, value t = 0.6));
    check!(changes_a_variable(shared xs = [0.7, -0.4, 1.2], value t = 0.6));
    check!(nested(shared m = m, shared w = [0.2, 0.8, 0.5]));
    check!(flat(shared m = m, value t = 0.6));
    check!(ranges(shared x = a));
    check!(parts(shared x = a, value t = 0.6));
    check!(arrays(value x = 0.7, value y = 1.3));
    check!(scans(shared xs = a, value t = 0.6));
    check!(inert_ends(shared xs = a, value t = 0.6));
    check!(heads(shared xs = a, value t = 0.6));
    check!(closures_by_name(shared xs = a, value t = 0.6));
    check!(prints(shared xs = a));
}

#[grad]
fn joins_what_stops_early(x: &[f64], y: f64) -> f64 {
    let head = x.iter().take_while(|z| **z < 1.0).map(|z| z * z);
    head.chain([y.sin(), y]).map(|z| z * y).sum()
}

#[grad]
fn stops_early_inside_and_behind(x: &[f64], y: f64) -> Vec<f64> {
    let middle = x.iter().map(|z| z * y).take_while(|z| *z < 1.0);
    [y * y, 2.0]
        .into_iter()
        .chain(middle)
        .chain([y, y * y])
        .scan(1.0, |c, z| {
            *c = *c * z + y;
            if *c > 3.5 { None } else { Some(*c) }
        })
        .collect()
}

#[grad]
fn stops_twice_in_a_loop(x: &[f64], y: f64) -> f64 {
    let mut s = 0.0;
    let head = x.iter().copied().take_while(|z| *z < 1.0);
    for z in head.chain([y.sin(), y]).take_while(|z| *z > 0.25) {
        if z > 0.95 {
            break;
        }
        s += z * z * y;
    }
    s
}

#[test]
fn chains_of_what_stops_early() {
    check!(joins_what_stops_early(shared x = [0.3, 0.7, 1.4, 0.2], value y = 0.8));
    check_vector!(stops_early_inside_and_behind(shared x = [0.3, 0.7, 1.4, 0.2], value y = 0.8));
    check!(stops_twice_in_a_loop(shared x = [0.3, 0.7, 1.4, 0.2], value y = 0.8));
    assert_eq!(joins_what_stops_early(&[], 1.0), 1.0 + 1.0_f64.sin());
}

#[grad]
fn parted(x: &[f64]) -> f64 {
    let (a, b): (Vec<f64>, Vec<f64>) = x.iter().map(|v| v * x[0]).partition(|v| *v > 0.0);
    let (high, low): (Vec<usize>, Vec<usize>) = (0..x.len()).partition(|&i| x[i] > 0.55);
    let s: f64 = high.iter().map(|&i| x[i] * x[i]).sum();
    a.iter().product::<f64>() * s + b.iter().sum::<f64>() * low.len() as f64
}

#[grad]
fn first_by_key(x: &[f64]) -> f64 {
    let k = (0..x.len()).max_by_key(|&i| (x[i] * 10.0) as i64).unwrap();
    let nearest = x.iter().min_by_key(|v| (v.abs() * 100.0) as i64).unwrap();
    let mut s = x[k] * nearest;
    if let Some(most) = x.iter().map(|v| v * v).max_by_key(|v| (v * 100.0) as i64) {
        s += most * s;
    }
    s
}

#[grad]
fn rest_of_pairs(x: &[f64]) -> f64 {
    let rest = x.chunks_exact(2).remainder();
    let mut s = rest[0] * rest[0];
    for pair in x.chunks_exact(2) {
        s += pair[0] * pair[1] * s;
    }
    s + x.chunks_exact(3).remainder().iter().sum::<f64>()
}

#[test]
fn parts_and_keys() {
    for x in [
        [1.3, 0.7, -0.4, 1.1, 0.6],
        [-0.9, -1.2, -0.3, 0.5, 0.8],
        [0.45, 1.9, 1.2, -0.7, -1.6],
    ] {
        check!(parted(shared x = x));
        check!(first_by_key(shared x = x));
        check!(rest_of_pairs(shared x = x));
    }
}

#[grad]
fn made_of_itself(x: &[f64]) -> f64 {
    let all = x.iter();
    let mut s: f64 = 0.5;
    for v in x.iter().skip(1).into_iter().map(|v| v * v) {
        s += v * s.sin();
    }
    s + all.into_iter().map(|v| v * v).sum::<f64>()
}

#[test]
fn iterators_of_iterators() {
    check!(made_of_itself(shared x = [1.3, 0.7, -0.4]));
}

#[grad]
fn made_from_iterators(x: &[f64], k: f64) -> f64 {
    let scaled = Vec::from_iter(x.iter().map(|v| v * k));
    let squares = Vec::<f64>::from_iter(scaled.iter().filter(|v| **v > 0.2).map(|v| v * v));
    squares.iter().sum::<f64>() * scaled[1]
}

#[test]
fn lists_are_made_from_iterators() {
    check!(made_from_iterators(shared x = [1.3, 0.7, -0.4], value k = 0.9));
}

/// The function `zip` by its name alone.
#[grad]
fn zipped_by_function(x: [f64; 3], y: &[f64]) -> f64 {
    use std::iter::zip;
    let mut s = 0.0;
    for (a, b) in zip(&x, y) {
        s += a * b.sin();
    }
    zip(x, y).map(|(a, b)| a * a * b).sum::<f64>() * s
}

#[test]
fn a_function_that_zips() {
    check!(zipped_by_function(value x = [0.3, 1.2, -0.7], shared y = [1.1, 0.4, 0.9]));
}

const TABLE: [[f64; 3]; 2] = [[0.4, -0.3, 0.9], [0.2, 0.7, -0.6]];

mod tables {
    pub(super) static ROWS: &[&[f64]] = &[&[0.3, 0.8, 0.1], &[-0.2, 0.5, 0.7]];

    pub(super) struct Scheme {
        pub(super) weights: [f64; 3],
    }

    pub(super) const SCHEME: Scheme = Scheme {
        weights: [0.25, 0.5, 0.35],
    };
}

/// A row of a table of constants is walked beside what is active.
#[grad(order = 2)]
fn rows_of_tables(x: [f64; 3], k: usize) -> f64 {
    const LOCAL: [[f64; 3]; 2] = [[1.0, 0.5, 0.2], [0.1, 0.9, 0.3]];
    let by_rows: [f64; 2] =
        core::array::from_fn(|i| TABLE[i].iter().zip(&x).map(|(m, c)| m * c * c).sum());
    let mut out = [0.0; 2];
    for i in 0..2 {
        out[i] = LOCAL[i]
            .iter()
            .zip(x.iter())
            .map(|(m, c)| m * c.sin())
            .sum();
    }
    let of_module: f64 = x.iter().zip(tables::ROWS[k]).map(|(c, m)| c * c * m).sum();
    let of_field: f64 = tables::SCHEME
        .weights
        .iter()
        .zip(x)
        .map(|(m, c)| m / c)
        .sum();
    let mut turned = 0.0;
    for (m, c) in TABLE[k][1..].iter().rev().zip(&x) {
        turned += m * c.exp();
    }
    by_rows[0] * by_rows[1] + out[0] * out[1] + of_module * of_field + turned
}

#[test]
fn tables_beside_what_is_active() {
    check!(rows_of_tables(value x = [0.4, 0.7, 1.3], constant k = 1));
    check_second!(rows_of_tables(value x = [0.4, 0.7, 1.3], constant k = 1));
}
