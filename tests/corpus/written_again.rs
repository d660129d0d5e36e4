//! Helpers that write to the same elements of lent memory more than once, for callers that need what was there before.

use autodiff::grad;

/// Each element is overwritten, and then summed up in place.
#[grad(order = 2)]
fn product(a: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        out[i] = 0.0;
        for j in 0..n {
            out[i] += a[i * n + j] * x[j];
        }
    }
}

/// Every element is overwritten by one loop, and changed by the next.
#[grad(order = 2)]
fn lower(d: &[f64], l: &[f64], x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        out[i] = d[i] * x[i];
    }
    let mut at = 0;
    for i in 0..n {
        for j in i + 1..n {
            out[j] += l[at] * x[i];
            at += 1;
        }
    }
}

/// What the second loop changes first is not overwritten by the first one.
#[grad(order = 2)]
fn shorter(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n - 1 {
        out[i] = x[i] * x[i + 1];
    }
    for i in 0..n {
        out[i] += x[i] * x[i];
    }
}

/// The same of a first loop that does not begin at the start.
#[grad(order = 2)]
fn later(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 1..n {
        out[i] = x[i] * x[i - 1];
    }
    for i in 0..n {
        out[i] *= 0.5 * x[i];
    }
}

/// The first loop may end early, and the first store may not be made.
#[grad(order = 2)]
fn perhaps(x: &[f64], out: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        if x[i] < 0.0 {
            break;
        }
        out[i] = x[i] * x[i];
    }
    for i in 0..n {
        out[i] += x[i];
    }
    if x[0] > 0.5 {
        out[1] = x[1] * x[0];
    }
    out[1] *= x[2];
}

/// Elements of their own, one of them twice.
#[grad(order = 2)]
fn apart(x: &[f64], out: &mut [f64]) {
    out[0] = x[0] * x[1];
    out[1] = x[1] * x[2];
    out[0] += x[2] * x[0];
    for i in 0..2 {
        out[2] = x[i] * x[2];
        out[i + 1] += x[0];
    }
}

/// An element that moves takes what was written to it along.
#[grad(order = 2)]
fn moved(x: &[f64], out: &mut [f64]) {
    out[0] = x[0] * x[1];
    out.swap(0, 1);
    out[0] = x[1] * x[2];
}

/// Is changed again behind a call that has changed it, and read in between.
#[grad(order = 2)]
fn between(x: &[f64], out: &mut [f64]) -> f64 {
    let n = x.len();
    for i in 0..n {
        out[i] = x[i] * x[0];
    }
    let mut sum = 0.0;
    for i in 0..n {
        sum += out[i] * out[i];
    }
    shorter(x, out);
    for i in 0..n {
        out[i] += x[i] * sum;
    }
    sum
}

/// Adds to one element in an inner loop that may have no rounds, in which case there need not be one.
#[grad(order = 2)]
fn into_one(x: &[f64], out: &mut [f64], at: usize, n: usize) {
    for j in 0..n {
        out[at] += x[j] * x[at];
    }
}

/// What a loop stores as a whole is stored at all only if it has a round.
#[grad(order = 2)]
fn in_rounds(x: &[f64], out: &mut [f64; 3], n: usize) {
    for i in 0..n {
        *out = [x[0] * x[1], x[i] * x[2], out[i] * out[1]];
    }
    for i in 0..3 {
        out[i] += x[i] * x[0];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn memory_is_left_as_the_function_leaves_it() {
    let x = [0.6, 0.9, -0.4];
    let mut out = [3.0, 4.0, 5.0];
    let mut seed = [1.0, -0.5, 2.0];
    let slope = shorter::vjp(&x, &mut out, &mut seed);
    let expected = [0.6 * 0.9 + 0.36, -0.9 * 0.4 + 0.81, 5.0 + 0.16];
    assert!(dot(&out, &expected) - dot(&expected, &expected) < 1e-15);
    // What was there before has a part in the last element alone.
    assert_eq!(seed, [0.0, 0.0, 2.0]);
    let by_hand = [
        0.9 + 2.0 * 0.6,
        0.6 - 0.5 * (-0.4 + 2.0 * 0.9),
        -0.5 * 0.9 - 2.0 * 0.8,
    ];
    for (a, b) in slope.iter().zip(by_hand) {
        assert!((a - b).abs() < 1e-15, "{slope:?}");
    }
    // No round, and no such element.
    let (mut none, mut seed) = ([0.0; 0], [0.0; 0]);
    assert_eq!(into_one::vjp(&x, &mut none, 7, 0, &mut seed), [0.0; 3]);
}

second! {
    fn of_products(a: &[f64; 9], x: &[f64; 3]) -> f64 {
        let mut out = vec![0.3, 0.5, -0.2];
        let mut sum = 0.0;
        for k in 0..3 {
            sum += out[k] * out[k] * x[0];
            product(a, x, &mut out);
            sum += out[0] * out[1] * out[2];
        }
        sum
    } = [shared a = [0.3, -0.4, 0.5, 0.6, 0.1, -0.2, 0.7, 0.8, -0.9], shared x = [0.5, 0.7, -0.3]];
    fn of_lower(d: &[f64; 3], l: &[f64; 3], x: &[f64; 3]) -> f64 {
        let mut out = vec![0.0; 3];
        let mut norm = x[0];
        for k in 0..3 {
            let y = [x[0] * norm, x[1] + norm, x[2] * k as f64];
            lower(d, l, &y, &mut out);
            norm = out[0] * out[0] + out[1] * out[2];
        }
        norm
    } = [shared d = [0.8, 1.1, 0.9], shared l = [0.3, -0.2, 0.4], shared x = [0.5, 0.7, -0.3]];
    fn of_shorter(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            shorter(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.5, 0.7, -0.3]];
    fn of_later(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            later(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.5, 0.7, -0.3]];
    fn of_perhaps(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            perhaps(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3]], [shared x = [0.6, -0.7, 0.3]], [shared x = [0.2, 0.7, -0.3]];
    fn of_apart(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            apart(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3]];
    fn of_moved(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            moved(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3]];
    fn of_between(x: &[f64; 3]) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            sum += between(x, &mut out);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3]];
    fn of_rounds(x: &[f64; 3], n: usize) -> f64 {
        let mut out = [0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            in_rounds(x, &mut out, n);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3], constant n = 2], [shared x = [0.6, 0.7, 0.3], constant n = 0];
    fn of_one(x: &[f64; 3], at: usize, n: usize) -> f64 {
        let mut out = vec![0.4, x[1], 0.6];
        let mut sum = 0.0;
        for k in 0..3 {
            // Read again in the reverse sweep, when the call has put it back.
            sum += out[0] * out[1] * out[2] + out[k] * out[k];
            into_one(x, &mut out, at, n);
        }
        sum + out[0] * out[1] * out[2]
    } = [shared x = [0.6, 0.7, 0.3], constant at = 1, constant n = 3], [shared x = [0.6, 0.7, 0.3], constant at = 0, constant n = 0];
}

#[test]
fn first_derivatives() {
    use plain::*;
    check!(of_products(shared a = [0.3, -0.4, 0.5, 0.6, 0.1, -0.2, 0.7, 0.8, -0.9], shared x = [0.5, 0.7, -0.3]));
    check!(of_lower(shared d = [0.8, 1.1, 0.9], shared l = [0.3, -0.2, 0.4], shared x = [0.5, 0.7, -0.3]));
    check!(of_shorter(shared x = [0.5, 0.7, -0.3]));
    check!(of_later(shared x = [0.5, 0.7, -0.3]));
    check!(of_perhaps(shared x = [0.6, 0.7, 0.3]));
    check!(of_perhaps(shared x = [0.6, -0.7, 0.3]));
    check!(of_perhaps(shared x = [0.2, 0.7, -0.3]));
    check!(of_apart(shared x = [0.6, 0.7, 0.3]));
    check!(of_moved(shared x = [0.6, 0.7, 0.3]));
    check!(of_between(shared x = [0.6, 0.7, 0.3]));
    check!(of_rounds(shared x = [0.6, 0.7, 0.3], constant n = 2));
    check!(of_rounds(shared x = [0.6, 0.7, 0.3], constant n = 0));
    check!(of_one(shared x = [0.6, 0.7, 0.3], constant at = 1, constant n = 3));
    check!(of_one(shared x = [0.6, 0.7, 0.3], constant at = 0, constant n = 0));
}
