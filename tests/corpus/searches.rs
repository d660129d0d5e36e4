//! Searches: loops that keep the largest, the smallest, or the last value that a condition held for, of what their rounds compute.
//! Each stands here twice, the second time differentiated in every round.

use autodiff::{Float, grad};

use crate::check::near;

#[grad(order = 2)]
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    sum
}

in_both_ways! {
    without __choose_nothing;

    fn log_sum_exp(x: &[f64]) -> f64 {
        let mut max = x[0];
        for i in 1..x.len() {
            max = max.max(x[i]);
        }
        let mut sum = 0.0;
        for i in 0..x.len() {
            sum += (x[i] - max).exp();
        }
        sum.ln() + max
    }

    fn folded(x: &[f64]) -> f64 {
        let low = x.iter().fold(f64::INFINITY, |a, &b| a.min(b.sin()));
        let high = x.iter().copied().fold(f64::NAN, f64::max);
        (high - low) * high
    }

    // From a start that may be the best itself.
    fn above(x: &[f64], floor: f64) -> f64 {
        let mut m = floor * 2.0;
        for v in x {
            m = (v * v).max(m);
        }
        m * m + floor
    }

    fn nearest(points: &[f64], centroids: &[f64], #[constant] d: usize) -> f64 {
        let mut cost = 0.0;
        for i in 0..points.len() / d {
            let a = &points[i * d..(i + 1) * d];
            let mut closest = f64::INFINITY;
            for j in 0..centroids.len() / d {
                closest = closest.min(squared_distance(a, &centroids[j * d..(j + 1) * d]));
            }
            cost += closest * (1.0 + i as f64);
        }
        cost
    }

    // Where it stands is used as well, and more than one value is kept.
    fn argmin(p: &[f64], c: &[f64]) -> f64 {
        let (mut best, mut slope, mut at) = (f64::INFINITY, 0.0, 0);
        for j in 0..c.len() {
            let d = p[0] - c[j];
            let q = d * d + p[1] * (j as f64);
            if q < best {
                best = q;
                slope = d.exp();
                at = j;
            }
        }
        best * slope + c[at] * at as f64
    }

    fn argmax_from_the_end(x: &[f64]) -> f64 {
        let mut m = x[0] - 10.0;
        for i in (0..x.len()).rev() {
            let v = x[i] * (1.0 + i as f64);
            m = if m >= v { m } else { v };
        }
        m * x[1]
    }

    fn with_a_cursor(x: &[f64], w: f64) -> f64 {
        let mut last = w;
        let mut k = 0;
        while k < x.len() {
            let y = x[k] * w;
            if y > 0.5 && k != 3 {
                last = y.sin() + x[k];
            }
            k += 1;
        }
        last * last
    }

    // The loop ends before its range does, or chooses nothing at all.
    fn until(x: &[f64], limit: f64) -> f64 {
        let mut m = 0.25;
        let mut never = x[0];
        for i in 0..x.len() {
            if x[i] > limit {
                break;
            }
            if x[i] > m {
                m = x[i] * x[i];
            }
            if x[i] > 100.0 {
                never = x[i];
            }
        }
        m * 3.0 + never
    }

    fn minimax(x: &[f64], #[constant] n: usize) -> f64 {
        let mut high = f64::NEG_INFINITY;
        for i in 0..n {
            let mut low = f64::INFINITY;
            for j in 0..n {
                low = low.min((x[i * n + j] * 1.5).tanh());
            }
            high = high.max(low * x[i]);
        }
        high.exp()
    }

    // Every round changes what the others read.
    fn rescaled(x: &[f64]) -> f64 {
        let mut y = x.to_vec();
        let mut m = 0.0;
        for i in 1..y.len() {
            y[i] = y[i] + 0.5 * y[i - 1];
            if y[i] > m {
                m = y[i];
            }
        }
        m * m
    }

    // The offers depend on what is carried from round to round.
    fn drawdown(x: &[f64]) -> f64 {
        let (mut sum, mut peak, mut worst) = (0.0, 0.0, 0.0);
        for i in 0..x.len() {
            sum += x[i];
            peak = sum.max(peak);
            worst = (peak - sum).max(worst);
        }
        worst * peak
    }

    // The second best needs what the best was.
    fn two_best(x: &[f64]) -> f64 {
        let (mut first, mut second) = (-10.0, -20.0);
        for i in 0..x.len() {
            if x[i] > first {
                second = first;
                first = x[i];
            } else if x[i] > second {
                second = x[i];
            }
        }
        first * first * second
    }

    // What is kept is looked at in every round.
    fn records(x: &[f64]) -> f64 {
        let (mut m, mut sum) = (0.1, 0.0);
        for i in 0..x.len() {
            m = x[i].max(m);
            sum += m * m;
        }
        sum
    }

    // After a character comes none that `+ 1` is.
    fn of_letters(x: &[f64]) -> f64 {
        let mut m = 0.0;
        for c in 'a'..'e' {
            m = (x[(c as u8 - b'a') as usize] * 1.5).max(m);
        }
        m * m
    }

    // A search in each of several rounds, with sums beside it.
    fn in_rounds(x: &[f64], #[constant] rounds: usize) -> f64 {
        let mut total = 0.0;
        for r in 0..rounds {
            let (mut m, mut s) = (0.0, 0.0);
            for i in 0..x.len() {
                let v = x[i] * ((r + i) as f64).cos();
                m = v.max(m);
                s += v * v;
            }
            total += m * s;
        }
        total
    }
}

const X: [f64; 5] = [0.4, -0.3, 0.9, 0.7, -0.8];

#[test]
fn of_numbers() {
    check!(log_sum_exp(shared x = X));
    check_second!(log_sum_exp(shared x = X));
    check!(folded(shared x = X));
    check_second!(folded(shared x = X));
    check!(above(shared x = X, value floor = 0.2));
    check_second!(above(shared x = X, value floor = 0.2));
    // The start is the largest.
    check!(above(shared x = X, value floor = 0.7));
    check!(records(shared x = X));
    check_second!(records(shared x = X));
}

#[test]
fn with_calls_and_places() {
    let points = [0.1, 0.9, 0.7, -0.4, 0.3, 0.2];
    let centroids = [0.0, 0.8, 0.6, -0.1];
    check!(nearest(shared points = points, shared centroids = centroids, constant d = 2));
    check_second!(nearest(shared points = points, shared centroids = centroids, constant d = 2));
    check!(argmin(shared p = [0.6, 0.05], shared c = X));
    check_second!(argmin(shared p = [0.6, 0.05], shared c = X));
    check!(argmax_from_the_end(shared x = X));
    check_second!(argmax_from_the_end(shared x = X));
    check!(with_a_cursor(shared x = X, value w = 0.8));
    check_second!(with_a_cursor(shared x = X, value w = 0.8));
}

#[test]
fn of_loops_that_end_early_and_loops_inside() {
    check!(until(shared x = X, value limit = 0.8));
    check_second!(until(shared x = X, value limit = 0.8));
    check!(until(shared x = X, value limit = 5.0));
    let x = [0.4, 0.2, 0.9, 0.7, 0.8, 0.35, 0.5, 0.6, 0.1];
    check!(minimax(shared x = x, constant n = 3));
    check_second!(minimax(shared x = x, constant n = 3));
    check!(in_rounds(shared x = X, constant rounds = 3));
    check_second!(in_rounds(shared x = X, constant rounds = 3));
}

#[test]
fn what_cannot_be_computed_again() {
    check!(rescaled(shared x = X));
    check_second!(rescaled(shared x = X));
    check!(drawdown(shared x = X));
    check_second!(drawdown(shared x = X));
    check!(two_best(shared x = X));
    check_second!(two_best(shared x = X));
    check!(of_letters(shared x = X));
    check_second!(of_letters(shared x = X));
}

/// Where offers tie, each has its weight; infinities, undefined numbers and no rounds at all are as they were.
#[test]
fn ties_have_the_weights_of_their_steps() {
    let lists: [&[f64]; 8] = [
        &[0.5, 0.9, 0.9, 0.1],
        &[0.9, 0.9, 0.9],
        &[0.9, 0.2, 0.9, 0.3, 0.9, 0.3],
        &[0.2, 0.2],
        &[0.0, -0.0],
        &[-0.0, 0.0, -0.0],
        &[f64::NEG_INFINITY, f64::NEG_INFINITY],
        &[0.3],
    ];
    for x in lists {
        near(&folded(x), &apart::folded(x), 0.0);
        near(&folded::grad(x), &apart::folded::grad(x), 0.0);
        let ways = [
            above::value_and_grad(x, 0.1),
            apart::above::value_and_grad(x, 0.1),
        ];
        near(&ways[0], &ways[1], 0.0);
        let ways = [
            above::value_and_grad(x, 0.125),
            apart::above::value_and_grad(x, 0.125),
        ];
        near(&ways[0], &ways[1], 0.0);
        let one = vec![1.0; x.len()];
        near(&folded::jvp(x, &one), &apart::folded::jvp(x, &one), 0.0);
        near(&records::grad(x), &apart::records::grad(x), 0.0);
    }
    // Of four maxima the last has half, the one before it a quarter.
    let (value, slopes) = log_sum_exp::value_and_grad(&[1.0, 1.0, 1.0, 1.0]);
    near(&value, &(1.0 + 4f64.ln()), 1e-15);
    near(&slopes, &[0.25; 4], 1e-15);
    let slopes = above::grad(&[1.0, 1.0, 1.0, 0.5], 0.1).0;
    near(&slopes, &[1.0, 1.0, 2.0, 0.0], 1e-15);
    let none: [f64; 0] = [];
    near(
        &above::value_and_grad(&none, 0.3),
        &apart::above::value_and_grad(&none, 0.3),
        0.0,
    );
    // A number that is none loses every search; what is multiplied by zero there need not be computed.
    for x in [
        [f64::NAN, 0.5, 0.7],
        [0.5, f64::NAN, 0.7],
        [0.9, 0.5, f64::NAN],
    ] {
        let (value, slopes) = folded::value_and_grad(&x);
        let (other, others) = apart::folded::value_and_grad(&x);
        near(&value, &other, 0.0);
        for (slope, other) in slopes
            .iter()
            .zip(&others)
            .filter(|(_, other)| !other.is_nan())
        {
            near(slope, other, 0.0);
        }
    }
}

#[grad]
fn generic<T: Float>(x: &[T]) -> T {
    let mut max = x[0];
    for &v in x {
        max = max.max(v);
    }
    let mut best = max;
    for i in 0..x.len() {
        let d = (x[i] - T::ONE) * x[i];
        if d < best {
            best = d;
        }
    }
    max * max + best
}

#[grad]
fn single(x: &[f32]) -> f32 {
    let mut m = f32::MIN;
    for v in x {
        m = m.max(v * 2.0);
    }
    m * m
}

#[test]
fn of_all_floats() {
    check!(generic(shared x = X));
    check!(generic(shared x = X.map(|x| x as f32)));
    check!(single(shared x = X.map(|x| x as f32)));
}

thread_local! {
    static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

#[grad]
fn changing(x: f64) -> f64 {
    let calls = CALLS.with(|calls| calls.replace(calls.get() + 1));
    x + f64::from(calls)
}

#[grad]
fn of_changing(x: &[f64]) -> f64 {
    let mut m = f64::NEG_INFINITY;
    for i in 0..x.len() {
        m = m.max(changing(x[i]));
    }
    m
}

#[grad]
fn last_of_changing(x: &[f64]) -> f64 {
    let mut m = 0.0;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            m = changing(x[i]);
        }
    }
    m
}

/// A constant whose products change from one to the next.
#[derive(Clone, Copy)]
struct Ticks<'a>(&'a std::cell::Cell<u32>);

impl std::ops::Mul<f64> for Ticks<'_> {
    type Output = f64;

    fn mul(self, by: f64) -> f64 {
        self.0.set(self.0.get() + 1);
        f64::from(self.0.get()) * by
    }
}

#[grad]
fn of_ticks(x: &[f64], #[constant] ticks: Ticks<'_>) -> f64 {
    let mut m = 0.0;
    for i in 0..x.len() {
        let weight = ticks * 2.0;
        if x[i] * weight > m {
            m = x[i] * weight;
        }
    }
    m
}

/// What a function makes of the calls before comes back as another value; no derivative is made of that.
#[test]
fn what_changes_from_call_to_call_is_noticed() {
    let raised = |f: fn()| std::panic::catch_unwind(f).is_err();
    assert!(raised(|| drop(of_changing::grad(&X))));
    assert!(raised(|| drop(last_of_changing::grad(&X))));
    assert!(raised(|| _ = last_of_changing::jvp(&X, &X)));
    check!(last_of_changing(shared x = [-1.0, -2.0]));
    assert!(raised(|| {
        of_ticks::grad(&X, Ticks(&std::cell::Cell::new(0)));
    }));
}
