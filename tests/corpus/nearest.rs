//! Functions of which `min` and `max` choose one: only what was chosen is reversed. What is constant to a caller is lent one zero for all rounds.

use autodiff::grad;

#[grad(order = 2)]
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    sum
}

/// The rows are constants, the candidates are not.
#[grad(order = 2, wrt(candidates, scale))]
fn cost(rows: &[f64], candidates: &[f64], scale: f64, d: usize) -> f64 {
    let mut cost = 0.0;
    for i in 0..rows.len() / d {
        let row = &rows[i * d..(i + 1) * d];
        let mut closest = f64::INFINITY;
        for j in 0..candidates.len() / d {
            let here = squared_distance(row, &candidates[j * d..(j + 1) * d]);
            closest = closest.min(here * scale);
        }
        cost += closest * closest;
    }
    cost
}

/// What is chosen from has loops of its own, and what chooses is chosen from again.
#[grad(order = 2)]
fn largest_of_smallest(x: &[f64], w: f64) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for i in 0..x.len() {
        let mut smallest = 10.0_f64;
        for j in 0..3 {
            let mut sum = w;
            for k in 0..=j {
                sum += (x[i] * (k + 1) as f64).sin() * w;
            }
            smallest = smallest.min(sum * sum);
        }
        largest = largest.max(smallest);
    }
    largest * w
}

/// The cotangent of what is chosen is zero, and its change is not.
#[grad(order = 2)]
fn times(x: &[f64], y: f64) -> f64 {
    let a = squared_distance(x, &[0.3, 0.1]);
    y * a.max(-1.0) + y * y * squared_distance(x, &[0.0, y]).min(0.01)
}

/// Pieces of several lengths, some of them constant in one place alone.
#[grad(order = 2, wrt(x))]
fn pieces(p: &[f64], x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..p.len() {
        s += squared_distance(&p[i..], &x[i..]) * x[i];
        s += squared_distance(&x[..i], &p[..i]) - squared_distance(p, p);
    }
    s
}

#[grad]
fn first(#[constant] a: &[f64], b: &Vec<f64>, c: &Vec<Vec<f64>>) -> f64 {
    a[0] * b[0] * c[0][0]
}

/// Zeros of other types: nothing, a list, and a list of lists.
#[grad(wrt(x))]
fn kinds(p: &[f64], q: &Vec<f64>, v: &Vec<Vec<f64>>, x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..p.len() {
        s += first(&p[i..], q, v) * x[i] + x[0] * first(p, q, v);
    }
    s
}

/// A function that calls itself, of which the smallest is taken.
#[grad(order = 2)]
fn descent(x: f64, w: f64) -> f64 {
    if x > 8.0 {
        return x * w;
    }
    let mut least = 1e9_f64;
    for k in 0..3 {
        let y = x * (1.6 + 0.2 * f64::from(k));
        least = (descent(y, w) + y.sin()).min(least);
    }
    least * w.cos()
}

/// The weights of what is equal are a half each; they are those of the tape and of forward mode.
#[grad(order = 2)]
fn tied(x: &[f64], w: f64) -> f64 {
    let a = squared_distance(x, &[0.2, 0.4]);
    let b = squared_distance(&[0.2, 0.4], x) * 1.0;
    a.max(b) * w
}

#[test]
fn only_the_chosen_one() {
    let rows = [0.1, 0.2, -0.4, 0.9, 0.8, -0.7];
    let candidates = vec![0.0, 0.1, 1.0, -1.0, -0.5, 0.6];
    check!(cost(constant rows = &rows[..], shared candidates = candidates.clone(), value scale = 0.7, constant d = 2));
    check_second!(cost(constant rows = &rows[..], shared candidates = candidates.clone(), value scale = 0.7, constant d = 2));
    check!(largest_of_smallest(shared x = [0.3, -0.8, 1.4], value w = 0.6));
    check_second!(largest_of_smallest(shared x = [0.3, -0.8, 1.4], value w = 0.6));
    check!(descent(value x = 0.7, value w = 0.4));
    check_second!(descent(value x = 0.7, value w = 0.4));
}

#[test]
fn a_cotangent_that_is_zero_may_change() {
    for y in [0.0, 0.8] {
        check!(times(shared x = [0.5, -0.2], value y = y));
        check_second!(times(shared x = [0.5, -0.2], value y = y));
    }
}

#[test]
fn one_zero_for_all_rounds() {
    let p = [0.4, -0.3, 0.2];
    check!(pieces(constant p = &p[..], shared x = [0.5, 0.7, -0.1]));
    check_second!(pieces(constant p = &p[..], shared x = [0.5, 0.7, -0.1]));
    check!(kinds(constant p = &p[..], constant q = &vec![0.4, 2.0], constant v = &vec![vec![1.5]], shared x = [0.5, 0.7, -0.1]));
}

#[test]
fn of_equal_ones_a_half_each() {
    let x = [0.7, -0.3];
    let (_, (d_x, d_w)) = tied::vjp(&x, 0.5, 1.0);
    assert!((d_x[0] - 0.5).abs() < 1e-15 && (d_x[1] + 0.7).abs() < 1e-15);
    assert!((d_w - 0.74).abs() < 1e-15);
}

/// What is not chosen contributes nothing, be its slope infinite.
#[grad]
fn of_a_root(x: f64) -> f64 {
    let root = steep(x);
    root.max(2.0)
}

#[grad]
fn steep(x: f64) -> f64 {
    x.sqrt()
}

#[test]
fn an_infinite_slope_that_is_not_chosen() {
    assert_eq!(of_a_root::grad(0.0), 0.0);
}
