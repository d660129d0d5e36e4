//! What only decides is a constant, whatever it mentions: what lists hold, how they compare, where something is found, text and its length,
//! orders of indices, maps of lengths, functions and macros of the user's own that say yes or no.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque};

use autodiff::grad;

fn above(x: f64, y: f64) -> bool {
    x > y
}

fn bucket(x: f64) -> usize {
    (x.abs() * 3.0) as usize % 3
}

fn size(n: usize, text: &str) -> f64 {
    n as f64 + text.len() as f64
}

macro_rules! near {
    ($a:expr, $b:expr) => {
        ($a - $b).abs() < 0.05
    };
}

macro_rules! assert_near {
    ($a:expr, $b:expr) => {
        assert!(($a - $b).abs() < 100.0, "{} is not {}", $a, $b)
    };
}

#[grad(order = 2)]
fn ranges_and_members(x: f64, y: f64) -> f64 {
    let v = [x, y, x * y];
    let mut s = x * y;
    if (0.0..1.0).contains(&x) {
        s += x.sin();
    }
    if !(0.5..=2.0).contains(&(x * y)) && [0.25, 0.5].iter().all(|p| *p < y) {
        s *= y;
    }
    if v.contains(&0.3) || v[1..].contains(&x) {
        s += x * x * x;
    }
    if v[..2] == [x, y] && v != [0.0; 3] && (v, x) != ([0.0; 3], y) {
        s *= x;
    }
    s
}

#[grad(order = 2)]
fn lists_compared(a: &[f64], b: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..std::cmp::min(a.len(), b.len()) {
        s += a[i] * b[i] * b[i];
    }
    if a == b || a < b {
        s *= a[0];
    }
    if a.is_sorted() || a.is_sorted_by(|p, q| p > q) {
        s += a[1] * a[1] * a[1];
    }
    if a.starts_with(&[0.2]) || b.ends_with(&b[1..]) {
        s += b[2] * b[2] * a[2];
    }
    if a.iter().lt(b.iter()) || a.first() < b.last() {
        s *= b[0];
    }
    match a.iter().partial_cmp(b) {
        Some(Ordering::Less) => s * 2.0,
        _ => s * (std::mem::size_of_val(a) / 8) as f64,
    }
}

#[grad(order = 2)]
fn places_found(xs: &[f64], x: f64) -> f64 {
    let k = xs.partition_point(|p| *p < x);
    let j = match xs.binary_search_by(|p| p.partial_cmp(&x).unwrap()) {
        Ok(j) | Err(j) => j.min(xs.len() - 1),
    };
    let first = xs.iter().position(|&v| v > x).unwrap_or(xs.len() - 1);
    let last = xs.iter().rposition(|v| *v < x);
    let above = xs.iter().filter(|v| **v > x).count();
    let mut s = xs[k.min(2)] * x * x + xs[j] * xs[first];
    if let Some(i) = last {
        s *= xs[i] + x;
    }
    let most = (0..xs.len())
        .max_by(|&a, &b| xs[a].total_cmp(&xs[b]))
        .unwrap();
    s * above as f64 + xs[most] * xs[most] * x
}

#[grad(order = 2)]
fn orders_of_numbers(x: f64, y: f64) -> f64 {
    let order = x.partial_cmp(&y).unwrap_or(Ordering::Equal);
    let other = y.total_cmp(&x).reverse().then(x.total_cmp(&0.0));
    let s = match order.then_with(|| y.total_cmp(&x)) {
        Ordering::Less => x * y,
        Ordering::Equal => x,
        Ordering::Greater => x * x * y,
    };
    let same = PartialOrd::lt(&x, &y) == (other == Ordering::Less);
    if x.total_cmp(&y).is_lt() && same || f64::total_cmp(&x, &y).is_gt() {
        s * s
    } else {
        s
    }
}

#[grad(order = 2)]
fn text_of_numbers(x: f64, y: f64) -> f64 {
    let text = format!("{x:.3} {:?}", y > x);
    let mut words: Vec<String> = Vec::new();
    words.push(y.to_string());
    words.push(text.clone());
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let all = words.join(",");
    let name = if x > y { "large" } else { "no" };
    let key = (x.to_bits() >> 63) as usize;
    let same = x.to_bits() == y.to_bits();
    x * x * y * sign * text.len() as f64
        + if all.is_empty() || same { x } else { y * x * x }
        + [x.sin(), x.cos()][key] * name.len() as f64
}

#[grad(order = 2)]
fn functions_that_say_yes(x: f64, y: f64) -> f64 {
    assert_near!(x, y);
    let weights = [0.5, 1.5, -0.7];
    let mut s = x * y;
    let mut rounds = 0;
    while rounds < 3 && above(x * y, s) {
        s = s * 0.5 + x;
        rounds += 1;
    }
    if above(x, y) || near!(s, x) {
        s += x.sin() * y;
    }
    let up = above(y, x);
    if !up {
        s *= x;
    }
    let table = [x, y, x * x * y];
    let n: usize = bucket(x * y);
    let value = match bucket(y) {
        0 => x * x,
        1 => y * y,
        _ => x * y * y,
    };
    for _ in 0..bucket(x) {
        s = s * 0.5 + value;
    }
    s * weights[bucket(x)] + table[n] * table[bucket(y)]
}

#[grad(order = 2)]
fn counts_and_lengths(rows: &[Vec<f64>], x: f64) -> f64 {
    let lens: Vec<usize> = rows.iter().map(|r| r.len()).collect();
    let most = rows.iter().map(Vec::len).max().unwrap_or(0);
    let all: usize = rows.iter().map(|r| r.len()).sum();
    let by_row: BTreeMap<usize, usize> =
        rows.iter().enumerate().map(|(i, r)| (i, r.len())).collect();
    let mut of_length: HashMap<usize, usize> = HashMap::new();
    for r in rows {
        *of_length.entry(r.len()).or_insert(0) += 1;
    }
    let mut s = 0.0;
    for (i, n) in &by_row {
        s += rows[*i][0] * rows[*i][0] * x * *n as f64;
    }
    for (r, n) in rows.iter().zip(&lens) {
        s += r[n - 1] * x * x * of_length[n] as f64;
    }
    s * size(rows.len(), "ab") / (most + all) as f64
}

#[grad(order = 2)]
fn sets_of_indices(xs: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..xs.len()).collect();
    order.sort_by(|&i, &j| xs[i].total_cmp(&xs[j]));
    let mut coarse: Vec<usize> = (0..xs.len()).collect();
    coarse.sort_by_key(|&i| (xs[i] * 4.0) as i64);
    coarse.retain(|&i| xs[i] > -0.5);
    let mut seen = HashSet::new();
    let mut queue: VecDeque<usize> = VecDeque::new();
    let mut heap = BinaryHeap::new();
    let mut groups: BTreeMap<bool, Vec<usize>> = BTreeMap::new();
    for i in 0..xs.len() {
        if xs[i] > 0.0 {
            seen.insert(i);
            queue.push_back(i);
        } else {
            heap.push(i);
        }
        groups.entry(xs[i] > 0.5).or_default().push(i);
    }
    let positive: BTreeSet<usize> = (0..xs.len()).filter(|&i| xs[i] > 0.0).collect();
    let large: Vec<bool> = xs.iter().map(|v| *v > 1.0).collect();
    let mut s = xs[order[0]] * xs[order[1]] + xs[coarse[0]];
    while let Some(i) = queue.pop_front() {
        s = s * xs[i] + 0.5;
    }
    while let Some(i) = heap.pop() {
        s += xs[i] * xs[i] * xs[i];
    }
    for i in 0..xs.len() {
        if seen.contains(&i) == positive.contains(&i) && !large[i] {
            s *= 1.0 + 0.1 * xs[i];
        }
    }
    for (large, of) in &groups {
        for &i in of {
            s += xs[i] * xs[i] * if *large { 2.0 } else { 3.0 };
        }
    }
    s
}

#[grad(order = 2)]
fn memory_that_changes(xs: &mut [f64], x: f64) -> f64 {
    let mut s = 0.0;
    for k in 0..3 {
        let i = xs.iter().position(|v| *v > x).unwrap_or(k);
        let text = format!("{:.2?}", &xs[..i]);
        xs[i] = xs[i] * xs[k] * 0.5 + text.len() as f64;
        if xs.contains(&x) || xs.is_sorted() {
            xs[0] *= x;
        }
        let mut order = vec![0, 1, 2];
        order.sort_by(|a, b| xs[*b].partial_cmp(&xs[*a]).unwrap());
        s += xs[order[0]] * xs[order[2]] * x;
    }
    s
}

#[grad(order = 2)]
fn shown(x: f64, y: f64) -> f64 {
    let z = dbg!(x * y);
    let (a, b) = dbg!(z * z, x.sin());
    dbg!(a);
    a * dbg!(b * y)
}

#[grad(order = 2)]
fn generic<T: autodiff::Float>(xs: &[T]) -> T {
    let n = T::from_f64(xs.len() as f64);
    let mut s = xs[0] * xs[0] * xs[1] / n;
    if xs.contains(&T::from_f64(0.0)) || xs.is_sorted_by(|a, b| a < b) {
        s = s * xs[1];
    }
    s
}

#[grad(order = 2)]
fn options_of_numbers(x: f64, y: f64) -> f64 {
    let v = [x, y];
    let some = v.iter().copied().find(|p| *p > 0.5);
    let mut s = x * x * y;
    if some.is_some_and(|p| p > y) || some == None {
        s += x;
    }
    if matches!(some, Some(p) if p > 1.0) || some > Some(0.75) {
        s *= y;
    }
    if (x, y) < (1.0, 2.0) {
        s *= x;
    }
    s
}

#[test]
fn what_only_decides_is_a_constant() {
    for (x, y) in [(0.3, 0.7), (1.3, 0.8), (-0.4, 1.2), (2.1, -0.6)] {
        check!(ranges_and_members(value x = x, value y = y));
        check_second!(ranges_and_members(value x = x, value y = y));
        check!(orders_of_numbers(value x = x, value y = y));
        check_second!(orders_of_numbers(value x = x, value y = y));
        check!(text_of_numbers(value x = x, value y = y));
        check_second!(text_of_numbers(value x = x, value y = y));
        check!(functions_that_say_yes(value x = x, value y = y));
        check_second!(functions_that_say_yes(value x = x, value y = y));
        check!(options_of_numbers(value x = x, value y = y));
        check_second!(options_of_numbers(value x = x, value y = y));
    }
    for (a, b) in [
        ([0.2, 0.5, 0.9], [0.3, -0.7, 1.1]),
        ([0.8, 0.6, -0.4], [0.1, 0.4, 0.7]),
    ] {
        check!(lists_compared(shared a = a.to_vec(), shared b = b.to_vec()));
        check_second!(lists_compared(shared a = a.to_vec(), shared b = b.to_vec()));
    }
}

#[test]
fn what_is_found_and_counted_is_a_constant() {
    for x in [0.1, 0.45, 0.8] {
        check!(places_found(shared xs = vec![-0.2, 0.3, 0.6, 0.9], value x = x));
        check_second!(places_found(shared xs = vec![-0.2, 0.3, 0.6, 0.9], value x = x));
        check!(counts_and_lengths(shared rows = vec![vec![0.3], vec![0.4, 0.7], vec![-0.2, 1.1]], value x = x));
        check_second!(counts_and_lengths(shared rows = vec![vec![0.3], vec![0.4, 0.7], vec![-0.2, 1.1]], value x = x));
    }
    for xs in [vec![0.6, -0.3, 1.2, 0.2], vec![-0.7, 0.9, 0.4, -0.1]] {
        check!(sets_of_indices(shared xs = xs.clone()));
        check_second!(sets_of_indices(shared xs = xs.clone()));
        check!(generic(shared xs = xs.clone()));
        check_second!(generic(shared xs = xs.clone()));
    }
    check!(shown(value x = 0.7, value y = 1.3));
    check_second!(shown(value x = 0.7, value y = 1.3));
}

/// Of the place that is lent the cotangent goes in, and comes out by closed differences.
#[test]
fn what_decides_reads_memory_as_it_is_then() {
    let at = |x: &[f64]| {
        let mut xs = x[..3].to_vec();
        memory_that_changes(&mut xs, x[3])
    };
    for x in [[0.6, -0.3, 0.9, 0.45], [-0.2, 0.8, 0.35, 0.55]] {
        let mut back = [0.0; 3];
        let (value, slope) = memory_that_changes::vjp(&mut x[..3].to_vec(), x[3], 1.0, &mut back);
        assert_eq!(value, at(&x));
        let gradient = [back[0], back[1], back[2], slope];
        for k in 0..4 {
            let (mut up, mut down) = (x, x);
            up[k] += 1e-6;
            down[k] -= 1e-6;
            let difference = (at(&up) - at(&down)) / 2e-6;
            assert!(
                (gradient[k] - difference).abs() < 1e-6 * difference.abs().max(1.0),
                "{k}: {gradient:?}, {difference}"
            );
            let mut tangent = [0.0; 3];
            let one = if k < 3 {
                tangent[k] = 1.0;
                0.0
            } else {
                1.0
            };
            let (_, forward) =
                memory_that_changes::jvp(&mut x[..3].to_vec(), x[3], (&mut tangent, one));
            assert!((gradient[k] - forward).abs() < 1e-12 * forward.abs().max(1.0));
        }
    }
}
