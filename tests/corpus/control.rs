//! `stop_gradient` and `with_cotangent`.

use std::cell::{Cell, RefCell};

use autodiff::{grad, stop_gradient, with_cotangent};

use crate::check::near;

thread_local!(static SEEN: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) });

fn see(c: &mut f64) {
    SEEN.with(|seen| seen.borrow_mut().push(*c));
}

fn seen() -> Vec<f64> {
    SEEN.with(RefCell::take)
}

// Code that only looks changes nothing.
three! {
    fn looked_at(x: f64, k: f64, n: usize) -> f64 {
        let mut s = x;
        let mut kept = [x, k, 0.5];
        for i in 0..n {
            let t = autodiff::with_cotangent(s * kept[i % 3], |c| assert!(c.is_finite() && s <= 1e9 && kept.len() == 3));
            kept[i % 3] = (t + k).sin();
            s = autodiff::with_cotangent(t * s, |_| {}) + kept[(i + 1) % 3];
            if s > 1.0 {
                s = autodiff::with_cotangent(s, |c| assert!(!c.is_nan())).sqrt();
            }
        }
        s + kept[0]
    } = [value x = 0.7, value k = -0.4, constant n = 5];

    fn looked_at_whole(xs: &[f64], k: f64) -> f64 {
        let mut v = autodiff::with_cotangent(xs.to_vec(), |c| assert_eq!(c.len(), 3));
        let mut total = 0.0;
        for i in 0..3 {
            v[i] *= k;
            let w = autodiff::with_cotangent([v[0], v[i] * v[2]], |c| assert!(c[0].is_finite() && v.len() == 3));
            let (a, b) = autodiff::with_cotangent((w[0], w[1] * k), |c| assert!(c.0 == c.0));
            total += a.exp() * b;
        }
        total
    } = [shared xs = [0.5, -1.2, 0.3], value k = 0.8];

    fn looked_at_in_a_sum(xs: &[f64], k: f64) -> f64 {
        let mut total = 0.0;
        for (i, x) in xs.iter().enumerate() {
            total += autodiff::with_cotangent(x * k, |c| assert!(c.is_finite(), "round {i} of {k}")).exp();
        }
        total
    } = [shared xs = [0.5, -1.2, 0.3], value k = 0.8];
}

#[grad]
fn seen_once_a_round(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        y = with_cotangent(y * y, see);
    }
    y
}

#[grad]
fn clipped(x: f64, limit: f64) -> f64 {
    let y = with_cotangent(3.0 * x, |c| *c = c.clamp(-limit, limit));
    with_cotangent(y * y, |c| *c *= 0.5)
}

#[grad]
fn collected(xs: &[f64], #[constant] log: &RefCell<Vec<f64>>) -> f64 {
    let mut scale = [1.0, 10.0];
    let mut total = 0.0;
    for i in 0..xs.len() {
        // The scale is that of this round, although it changes.
        let a = with_cotangent(xs[i], |c| {
            *c *= scale[i % 2];
            log.borrow_mut().push(*c);
        });
        total = total * a + a;
        scale[i % 2] += 1.0;
    }
    total
}

#[grad]
fn not_on_the_way(x: f64, flag: bool) -> f64 {
    let unused = with_cotangent(x.sin(), see);
    let used = if flag { with_cotangent(x * x, see) } else { x };
    let constant = with_cotangent(2.0, see);
    used * constant
}

#[grad]
fn singles(x: &[f32; 2]) -> f32 {
    let y = with_cotangent(x[0] * x[1], |c| *c = c.min(0.25));
    y + with_cotangent([x[0]; 2], |c| c[1] = 0.0)[1]
}

// An unannotated function.
fn rounded(x: f64) -> f64 {
    format!("{x:.1}").parse().unwrap()
}

#[grad]
fn stopped(xs: &[f64], k: f64, n: usize) -> f64 {
    let mut a = xs.to_vec();
    let mut s = 0.0;
    let first = stop_gradient([a[0], k]);
    for i in 0..n {
        let w = stop_gradient(rounded(a[i % 2] * k) + s);
        a[i % 2] = a[i % 2] * w + stop_gradient(a.iter().map(|v| rounded(v * k)).sum::<f64>());
        s += a[i % 2] * first[i % 2] + stop_gradient(&a)[0] + stop_gradient((k, s)).0 * k;
    }
    s
}

/// The same, with what is stopped given from outside.
fn replayed(xs: &[f64], k: f64, n: usize, stopped: &mut dyn Iterator<Item = f64>) -> f64 {
    let mut a = xs.to_vec();
    let mut s = 0.0;
    let mut next = || stopped.next().unwrap();
    let first = [next(), next()];
    for i in 0..n {
        let w = next();
        a[i % 2] = a[i % 2] * w + next();
        s += a[i % 2] * first[i % 2] + next() + next() * k;
    }
    s
}

fn recorded(xs: &[f64], k: f64, n: usize) -> Vec<f64> {
    let mut a = xs.to_vec();
    let mut s = 0.0;
    let mut out = vec![a[0], k];
    for i in 0..n {
        let w = rounded(a[i % 2] * k) + s;
        let sum = a.iter().map(|v| rounded(v * k)).sum::<f64>();
        a[i % 2] = a[i % 2] * w + sum;
        s += a[i % 2] * out[i % 2] + a[0] + k * k;
        out.extend([w, sum, a[0], k]);
    }
    out
}

#[test]
fn code_runs_once_in_each_reverse_sweep_of_its_place() {
    near(
        &seen_once_a_round::grad(1.1, 3),
        &(8.0 * 1.1f64.powi(7)),
        1e-14,
    );
    let found = seen();
    near(
        &found,
        &[1.0, 2.0 * 1.1f64.powi(4), 4.0 * 1.1f64.powi(6)],
        1e-14,
    );
    let (_, back) = seen_once_a_round::pullback(1.1, 3);
    assert!(seen().is_empty());
    back(1.0);
    assert_eq!(seen(), found);
    seen_once_a_round::jvp(1.1, 3, 1.0);
    assert!(seen().is_empty());
}

#[test]
fn a_cotangent_is_changed() {
    assert_eq!(clipped::grad(2.0, 100.0).0, 0.5 * 18.0 * 2.0);
    assert_eq!(clipped::grad(2.0, 4.0), (12.0, 0.0));
    assert_eq!(clipped::jvp(2.0, 4.0, (1.0, 0.0)).1, 36.0);
    assert_eq!(singles::grad(&[0.5, 2.0]), [0.5, 0.125]);
}

#[test]
fn code_reads_what_was_there() {
    let log = RefCell::new(Vec::new());
    let g = collected::grad(&[0.5, 2.0, 3.0], &log);
    // total = ((a + a) b..: (1 + t₁) c with t₁ = (1 + a) b.
    let plain = [2.0 * 3.0, 1.5 * 3.0, 1.0 + 3.0];
    assert_eq!(g, [plain[0], 10.0 * plain[1], 2.0 * plain[2]]);
    assert_eq!(log.take(), [g[2], g[1], g[0]]);
}

#[test]
fn code_does_not_run_where_nothing_flows_back() {
    assert_eq!(not_on_the_way::grad(3.0, true), 12.0);
    assert_eq!(seen(), [2.0]);
    assert_eq!(not_on_the_way::grad(3.0, false), 2.0);
    assert!(seen().is_empty());
}

#[test]
fn what_is_stopped_is_a_constant() {
    let (xs, k, h) = ([0.5, -1.2], 0.7, 1e-6);
    for n in 0..4 {
        let known = recorded(&xs, k, n);
        let at = |xs: &[f64], k: f64| replayed(xs, k, n, &mut known.iter().copied());
        near(&stopped(&xs, k, n), &at(&xs, k), 1e-15);
        let (dxs, dk) = stopped::grad(&xs, k, n);
        near(&dk, &((at(&xs, k + h) - at(&xs, k - h)) / (2.0 * h)), 1e-7);
        for i in 0..2 {
            let moved = |h: f64| {
                let mut xs = xs;
                xs[i] += h;
                at(&xs, k)
            };
            near(&dxs[i], &((moved(h) - moved(-h)) / (2.0 * h)), 1e-7);
        }
        let along = stopped::jvp(&xs, k, n, (&[1.0, 2.0], -1.0)).1;
        near(&along, &(dxs[0] + 2.0 * dxs[1] - dk), 1e-13);
    }
}

#[test]
fn code_may_count() {
    let count = Cell::new(0);
    assert_eq!(counted::grad(2.0, &count), 4.0);
    assert_eq!(count.get(), 1);
}

#[grad]
fn counted(x: f64, #[constant] count: &Cell<usize>) -> f64 {
    with_cotangent(x * x, |_| count.set(count.get() + 1))
}
