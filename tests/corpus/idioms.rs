//! Idioms of numeric code around lists: rows that are written as a whole, places that are searched for, orders of indices,
//! ranges and iterators with names.

use autodiff::grad;

#[grad]
fn rows_written(x: &[f64]) -> f64 {
    let mut m = [[0.0; 3]; 2];
    for row in m.iter_mut() {
        row.copy_from_slice(x);
    }
    let mut n = vec![vec![0.0; 3]; 2];
    for (i, row) in n.iter_mut().enumerate() {
        row.fill(x[i]);
        row[0] *= x[2];
    }
    for row in &mut m {
        let q = row[0] * x[1];
        row.fill(q);
    }
    m[0][1] * m[1][2] + n[0][1] * n[1][0]
}

#[grad]
fn chunks_written(x: &[f64]) -> f64 {
    let mut m = [0.0; 6];
    for c in m.chunks_mut(3) {
        c.clone_from_slice(x);
    }
    for c in m.chunks_exact_mut(2) {
        c.swap(0, 1);
        let q = x[0] * c[1];
        c.fill(q);
    }
    m.iter_mut().for_each(|v| *v *= x[2]);
    m[1] * m[5] + m[2]
}

#[grad]
fn found(x: &[f64]) -> f64 {
    let Some(p) = x.iter().position(|v| *v > 1.0) else {
        return 0.0;
    };
    let mut s = x[p] * x[p];
    if let Some(q) = (1..x.len()).min_by(|&i, &j| x[i].partial_cmp(&x[j]).unwrap()) {
        s += x[q] * x[0];
    }
    if let Some(q) = x.iter().rposition(|v| *v > 1.0) {
        s += x[q] * x[0] + q as f64 * x[1];
    }
    s
}

#[grad]
fn pivot(x: &[f64]) -> Option<f64> {
    let p = (0..x.len()).max_by(|&i, &j| x[i].total_cmp(&x[j]))?;
    Some(x[p] * x[p])
}

#[grad]
fn taken_out(x: &[f64]) -> f64 {
    pivot(x).unwrap() + pivot(&x[1..]).expect("two") * x[0]
}

#[grad]
fn sorted(x: &[f64], k: f64) -> f64 {
    let w: Vec<f64> = x.iter().map(|a| a * k).collect();
    let mut order: Vec<usize> = (0..w.len()).collect();
    let mut s = k;
    for &i in &order {
        s = s.sin() + w[i] * k;
    }
    order.sort_by(|&a, &b| w[a].partial_cmp(&w[b]).unwrap());
    for (at, &i) in order.iter().enumerate() {
        s = s.sin() + w[i] * (at as f64 + k);
    }
    order.retain(|&i| w[i] > 0.2);
    order.sort_by_key(|&i| (w[i] * -100.0) as i64);
    for i in order {
        s = s.sin() + w[i] * k;
    }
    let mut last = [2usize, 1, 0];
    last.sort_unstable_by(|a, b| w[*b].total_cmp(&w[*a]));
    s * w[last[0]]
}

#[grad]
fn named_ranges(x: &[f64], k: f64) -> f64 {
    let r = 1..x.len();
    let t: f64 = r.clone().map(|i| x[i] * k).sum();
    let mut s = t + r.len() as f64 * k + r.start as f64;
    for i in r.clone().rev() {
        if r.contains(&(i + 1)) {
            s = s.sin() + x[i] * k;
        }
    }
    let all = 0..r.end;
    for i in all {
        s = s.sin() * x[i];
    }
    let near = 0.5 * k..=x[1];
    let q = x[0] - k;
    if near.contains(&q) {
        s *= q;
    }
    if (0..x.len()).contains(&2) && !(k..2.0).contains(&q) {
        s -= q;
    }
    s + x[r].iter().product::<f64>()
}

#[grad]
fn named_iterators(x: &[f64], k: f64) -> f64 {
    let w = [0.5, 1.5];
    let it = w.into_iter();
    let table = vec![0.3, 0.7];
    let weights = table.iter().enumerate();
    let mut s = 0.0;
    for p in it {
        s += p * k;
    }
    for (i, q) in weights {
        s = s.sin() + q * x[i];
    }
    s
}

#[grad]
fn copies_walked(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for r in v.clone() {
        v[1] *= r;
        s += r * v[1];
    }
    for r in &v.to_vec() {
        v[0] += r * s;
    }
    s * v[0]
}

#[grad]
fn mapped<const N: usize>(a: &[f64; N], k: f64) -> f64 {
    let b = a.map(|x| x * k);
    let c = b.map(f64::sin);
    b.iter().sum::<f64>() * c[N - 1]
}

#[test]
fn lists_and_their_places() {
    check!(rows_written(shared x = [1.2, 0.8, 1.7]));
    check!(chunks_written(shared x = [1.2, 0.8, 1.7]));
    check!(found(shared x = [1.2, 0.8, 1.7]));
    check!(taken_out(shared x = [1.2, 0.8, 1.7]));
    check!(sorted(shared x = [1.2, 0.1, 1.7], value k = 0.6));
    check!(named_ranges(shared x = [1.2, 0.8, 1.7], value k = 0.6));
    check!(named_iterators(shared x = [1.2, 0.8], value k = 0.6));
    check!(copies_walked(shared x = [1.2, 0.8, 1.7]));
    check!(mapped(shared a = [1.2, 0.8, 1.7], value k = 0.6));
    check!(mapped(shared a = [1.2, 0.8, 1.7, 0.3, 0.9, 1.1], value k = 0.6));
}

#[grad(order = 2)]
fn counted_for_what_they_change(x: &[f64]) -> f64 {
    let mut y = [0.0; 3];
    x.iter()
        .zip(y.iter_mut())
        .map(|(&a, b)| *b = a.sin() * a)
        .count();
    let mut z = vec![0.0; x.len()];
    let positive = x
        .iter()
        .enumerate()
        .filter(|(_, a)| **a > 0.5)
        .map(|(i, a)| z[i] += a * y[i])
        .count();
    z.iter().sum::<f64>() * y[0] * positive as f64
}

#[test]
fn chains_that_are_counted() {
    check!(counted_for_what_they_change(shared x = [0.7, 1.1, 0.3]));
    check_second!(counted_for_what_they_change(shared x = [0.7, 1.1, 0.3]));
}

/// A number that is made of literals alone: whose method it is stands in the path.
#[grad(order = 2)]
fn named_by_their_type(x: f64, y: f64) -> f64 {
    let base = if x > y { 2.0 } else { 3.0 };
    let weights = [0.5, 1.5];
    let (sign, limit) = match x > 5.0 {
        true => (1., 5.),
        false => (-1., 0.25),
    };
    let angle = f64::to_radians(match y > 5.0 {
        true => 6.,
        false => 12.,
    });
    let power = f64::powf(base, x) + f64::powf(weights[usize::from(x > y)], y);
    power * f64::copysign(sign, y) + x * angle + f64::max(limit, y) * f64::sqrt(2.0)
}

#[test]
fn numbers_of_literals_alone() {
    check!(named_by_their_type(value x = 0.7, value y = 1.3));
    check!(named_by_their_type(value x = 1.7, value y = 0.1));
    check_second!(named_by_their_type(value x = 0.7, value y = 1.3));
}

/// As `log` has it: an expression, which may stand at the end of a block.
macro_rules! warn {
    ($($told:tt)*) => {{
        let _ = format!($($told)*);
    }};
}

/// What is told of a number is read alone, also where a block ends in it.
#[grad(order = 2)]
fn told_at_the_end(x: f64, y: f64) -> f64 {
    let mut z = y;
    if x > 1.0 {
        z *= x;
    } else {
        warn!("{} of {}", x.max(2.0), z)
    }
    match z > 2.0 {
        true => z = z.sin(),
        false => warn!("{z}"),
    }
    z * x
}

#[test]
fn what_is_told() {
    check!(told_at_the_end(value x = 0.7, value y = 1.3));
    check!(told_at_the_end(value x = 1.7, value y = 1.3));
    check_second!(told_at_the_end(value x = 1.7, value y = 1.3));
}
