//! What a gradient allocates from its second call on: its result, and what the function itself allocates, once more for its cotangent.
//!
//! What sweeps remember stands in memory that the thread keeps from call to call.
//! What calls in a loop remember is one list in each call.

use allocation_counter::measure;
use autodiff::grad;

/// Loops that remember a number a round.
#[grad]
fn iterated(x: f64, rounds: usize) -> f64 {
    let mut v = x;
    for k in 0..rounds {
        v = (v * v + k as f64).sqrt().sin();
    }
    v
}

#[grad]
fn recurrence(xs: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut v = 1.0;
    for x in xs {
        v = (v * x).tanh() + x;
        sum += v * v;
    }
    sum
}

/// A number of rounds that nobody knows before.
#[grad]
fn jumps(xs: &[f64]) -> f64 {
    let mut product = 1.0;
    for x in xs {
        if product > 50.0 {
            break;
        }
        if *x < 0.0 {
            continue;
        }
        product *= 1.0 + x.sin();
    }
    product
}

#[grad]
fn chain(xs: &[f64]) -> f64 {
    xs.iter()
        .zip(&xs[1..])
        .map(|(a, b)| (a - b).powi(2) * a)
        .filter(|v| *v > 0.0)
        .sum()
}

/// Memory of the function's own, on the stack.
#[grad]
#[allow(
    clippy::needless_range_loop,
    reason = "the row of the pivot is read while another one is written"
)]
fn eliminated(xs: &[f64]) -> f64 {
    let mut m = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            m[i][j] = xs[i] * xs[j + 4];
        }
        m[i][i] += 1.0;
    }
    let mut det = 1.0;
    for k in 0..4 {
        det *= m[k][k];
        for i in k + 1..4 {
            let factor = m[i][k] / m[k][k];
            for j in k..4 {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    det
}

/// A list of the function's own.
#[grad]
fn smoothed(xs: &[f64]) -> f64 {
    let mut u = xs.to_vec();
    for t in 0..10 {
        for j in 1..u.len() {
            u[j] += 0.1 * (u[j - 1] - u[j] * u[j]) * f64::from(t);
        }
    }
    u.iter().map(|v| v * v).sum()
}

#[grad]
fn grown(x: f64, y: f64) -> f64 {
    let mut v = x;
    while v < 10.0 {
        v = v * 1.3 + y * y;
    }
    v
}

/// Calls whose cotangents are known only behind the loop.
#[grad]
fn of_calls(xs: &[f64]) -> f64 {
    let mut sum: f64 = 0.0;
    for w in xs.windows(2) {
        sum += grown(w[0].abs() + 0.1, w[1]) * sum.cos();
    }
    sum
}

#[grad(order = 2)]
fn bent(xs: &[f64], at: [f64; 2], #[constant] weights: &[f64]) -> f64 {
    let mut sum = at[0] * at[1];
    for (w, pair) in weights.iter().zip(xs.windows(2)) {
        let r = pair[1] - pair[0] * pair[0] * at[0];
        sum += w * r * r.cos();
    }
    sum
}

#[grad(order = 2)]
fn apart(points: &[[f64; 3]], stiffness: f64) -> f64 {
    let mut sum = 0.0;
    for p in points.windows(2) {
        let d: f64 = (0..3).map(|k| (p[1][k] - p[0][k]).powi(2)).sum();
        sum += stiffness * (d.sqrt() - 1.0).powi(2);
    }
    sum
}

#[grad(order = 2)]
fn of_four(x: &[f64; 4]) -> f64 {
    x[0] * x[1] * x[2].sin() + x[3].powi(3)
}

/// How often the second call allocates.
fn allocations<R>(call: impl Fn() -> R) -> u64 {
    let _first = call();
    let mut second = None;
    let counted = measure(|| second = Some(call())).count_total;
    drop(second);
    counted
}

#[test]
fn of_a_second_call() {
    let xs: Vec<f64> = (0..200).map(|k| 0.3 + (f64::from(k) * 0.7).sin()).collect();
    assert_eq!(allocations(|| iterated::grad(0.3, 1000)), 0);
    let result = 1;
    assert_eq!(allocations(|| recurrence::grad(&xs)), result);
    assert_eq!(allocations(|| jumps::grad(&xs)), result);
    assert_eq!(allocations(|| chain::grad(&xs)), result);
    assert_eq!(allocations(|| eliminated::grad(&xs)), result);
    assert_eq!(allocations(|| smoothed(&xs)), 1);
    assert_eq!(allocations(|| smoothed::grad(&xs)), result + 2);
    assert_eq!(allocations(|| of_calls::grad(&xs)), result + 1);
}

#[test]
fn into_buffers() {
    let xs = [0.3; 200];
    let gradient = std::cell::RefCell::new([0.0; 200]);
    let into = || recurrence::value_and_grad_into(&xs, &mut *gradient.borrow_mut());
    assert_eq!(allocations(into), 0);
}

#[test]
fn hessians_in_memory_that_is_given() {
    use std::cell::RefCell;
    let (xs, weights) = ([0.3; 21], [0.5; 20]);
    let (g, at, h) = (
        RefCell::new([0.0; 21]),
        RefCell::new([0.0; 2]),
        RefCell::new(vec![0.0; 23 * 23]),
    );
    let into = || bent::hessian_into(&xs, [0.4, 0.6], &weights, &mut h.borrow_mut());
    assert_eq!(allocations(into), 0);
    let (value, gradient, hessian) = bent::value_grad_hessian(&xs, [0.4, 0.6], &weights);
    assert_eq!(*h.borrow(), hessian.as_slice());
    let all = || {
        let (mut g, mut at, mut h) = (g.borrow_mut(), at.borrow_mut(), h.borrow_mut());
        h.fill(7.0);
        g.fill(7.0);
        bent::value_grad_hessian_into(&xs, [0.4, 0.6], &weights, &mut *g, &mut at, &mut h)
    };
    assert_eq!((allocations(all), all()), (0, value));
    let all = (g.borrow().to_vec(), *at.borrow());
    assert_eq!((all, h.borrow().as_slice()), (gradient, hessian.as_slice()));

    let points = [[0.0, 0.1, 0.2], [1.0, 1.5, 0.3], [2.0, 1.0, -0.2]];
    let (g, stiff) = (RefCell::new([[0.0; 3]; 3]), RefCell::new(0.0));
    let h = RefCell::new([0.0; 100]);
    let all = || {
        let (mut g, mut stiff, mut h) = (g.borrow_mut(), stiff.borrow_mut(), h.borrow_mut());
        apart::value_grad_hessian_into(&points, 2.0, &mut *g, &mut stiff, &mut *h)
    };
    let (value, gradient, hessian) = apart::value_grad_hessian(&points, 2.0);
    assert_eq!((allocations(all), all()), (0, value));
    let all = (g.borrow().to_vec(), *stiff.borrow());
    assert_eq!((all, h.borrow().as_slice()), (gradient, hessian.as_slice()));

    let h = RefCell::new([0.0; 16]);
    let into = || of_four::hessian_into(&[0.1, 0.2, 0.3, 0.4], &mut *h.borrow_mut());
    assert_eq!(allocations(into), 0);
    let short =
        std::panic::catch_unwind(|| bent::hessian_into(&xs, [0.4, 0.6], &weights, &mut [0.0; 3]));
    assert!(short.is_err());
}
