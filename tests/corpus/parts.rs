//! Loops that walk through parts of sequences: from an offset, along an index of their own, in both directions.
//! Each stands here twice, the second time over the range that is written.

use autodiff::grad;

in_both_ways! {
    without __rebase_nothing;

    // A lower triangular matrix, row by row below its diagonal.
    fn triangular(l: &[f64], x: &[f64]) -> f64 {
        let d = x.len();
        let mut y = vec![0.0; d];
        let mut at = 0;
        for i in 0..d {
            y[i] += x[i] * x[i];
            for j in i + 1..d {
                y[j] += l[at] * x[i];
                at += 1;
            }
        }
        let mut sum = 0.0;
        for i in 0..d {
            sum += y[i] * y[i];
        }
        sum
    }

    // Backwards, with an index that falls in front of its use.
    fn backwards(l: &[f64], x: &[f64]) -> f64 {
        let d = x.len();
        let mut y = x.to_vec();
        let mut at = l.len();
        for i in (0..d).rev() {
            for j in (i + 1..d).rev() {
                at -= 1;
                y[i] -= l[at] * y[j] * y[j];
            }
        }
        y[0] * y[1]
    }

    // The index rises in front of its use, and its neighbours are read as well.
    fn beside(l: &[f64], x: &[f64]) -> f64 {
        let mut at = 0;
        let mut sum = 0.0;
        for j in 2..x.len() {
            at += 1;
            sum += l[at] * x[j - 2] - l[at - 1] * x[j] * x[j - 1];
            sum += l[at + 1] * (x[j] * l[at]).sin();
        }
        sum + l[at] * at as f64
    }

    fn heat(x: &[f64], #[constant] steps: usize) -> f64 {
        let n = x.len();
        let mut u = x.to_vec();
        let mut next = x.to_vec();
        for _ in 0..steps {
            for i in 1..n - 1 {
                next[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
            }
            u.copy_from_slice(&next);
        }
        u[n / 2] * u[1]
    }

    // In place: what is written is read in the next round.
    fn recurrence(x: &[f64]) -> f64 {
        let mut a = x.to_vec();
        for i in 2..a.len() {
            a[i] = a[i - 1] * a[i - 2] + a[i];
        }
        a[a.len() - 1]
    }

    // Ranges of other integers, without rounds, and whose item is not used.
    fn others(l: &[f64], x: &[f64], #[constant] from: usize, #[constant] to: usize) -> f64 {
        let mut at = 1;
        let mut sum = 0.0;
        for k in 1_i32..3 {
            sum += l[at] * f64::from(k);
            at += 1;
        }
        for _ in 0..2 {
            sum += l[at] * l[at];
            at += 1;
        }
        for j in from..to {
            sum += x[j] * l[at];
            at += 1;
        }
        for j in from..to {
            sum *= 1.0 + x[j] * x[to - 1 - (j - from)];
        }
        sum * l[at]
    }

    // What a condition guards, and what steps under one.
    fn guarded(l: &[f64], x: &[f64]) -> f64 {
        let (mut at, mut sparse) = (0, 0);
        let mut sum = 0.0;
        for j in 1..x.len() {
            if x[j] > x[j - 1] {
                sum += l[at] * x[j] + l[sparse];
                sparse += 1;
            }
            sum += x[j] * x[j];
            at += 1;
        }
        sum * l[sparse]
    }

    // Rows of one matrix, both changed: they lie apart, or on each other.
    fn eliminated(m: &[f64], #[constant] n: usize) -> f64 {
        let mut a = m.to_vec();
        for k in 0..n {
            for i in k + 1..n {
                let f = a[i * n + k] / a[k * n + k];
                for j in k..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
            }
        }
        let mut product = 1.0;
        for k in 0..n {
            product *= a[k * n + k];
        }
        product
    }

    // The sum of an index has more than one term, and some are taken away.
    fn offsets(x: &[f64], #[constant] n: usize, #[constant] w: usize) -> f64 {
        let mut sum = 0.0;
        for i in w..n {
            for j in i - w..i {
                sum += x[j + w - i] * x[i - w + (j + w - i)] + x[n + j - i] * x[j];
            }
        }
        // Less than zero would be `j - w`.
        for j in w - 1..n {
            sum += x[j - (w - 1)] * x[n - (n - j)];
        }
        sum
    }

    // Lists in a list, and arrays.
    fn nested(x: &[[f64; 3]], y: &[f64]) -> f64 {
        let mut rows = vec![vec![0.0; y.len()]; 2];
        let mut last = [0.0; 3];
        for r in 0..2 {
            for j in 1..y.len() {
                rows[r][j] += y[j] * y[j - 1] * x[r][1];
            }
            for c in 1..3 {
                last[c] += x[r][c] * x[r][c - 1];
            }
        }
        let mut sum = last[1] * last[2];
        for j in 1..y.len() {
            sum += rows[0][j] * rows[1][j];
        }
        sum
    }
}

const L: [f64; 10] = [0.3, -0.7, 1.1, 0.4, -0.2, 0.9, 0.6, -1.3, 0.8, 0.5];
const X: [f64; 5] = [0.4, -0.3, 0.9, 0.7, -0.8];

macro_rules! held {
    ($($call:tt)*) => {
        check!($($call)*);
        check_second!($($call)*);
    };
}

#[test]
fn parts_are_walked_through() {
    for n in 2..=5 {
        let x = &X[..n];
        held!(triangular(shared l = L, shared x = x.to_vec()));
        held!(backwards(shared l = L[..n * (n - 1) / 2].to_vec(), shared x = x.to_vec()));
        held!(recurrence(shared x = x.to_vec()));
    }
    held!(beside(shared l = L, shared x = X));
    held!(heat(shared x = X, constant steps = 3));
    held!(guarded(shared l = L, shared x = X));
    held!(offsets(shared x = L, constant n = 5, constant w = 2));
    held!(nested(shared x = [[0.5, 0.8, -0.4], [1.2, 0.3, 0.7]], shared y = X));
    let m = [2.0, 0.3, -0.5, 0.4, 1.5, 0.2, 0.1, -0.6, 1.8];
    held!(eliminated(shared m = m, constant n = 3));
    let determinant = 2.0 * (1.5 * 1.8 + 0.2 * 0.6)
        - 0.3 * (0.4 * 1.8 - 0.2 * 0.1)
        - 0.5 * (-0.4 * 0.6 - 1.5 * 0.1);
    crate::check::near(&eliminated(&m, 3), &determinant, 1e-12);
}

#[test]
fn ranges_may_have_no_rounds() {
    for (from, to) in [(0, 4), (2, 4), (3, 3), (4, 1)] {
        held!(others(shared l = L, shared x = X, constant from = from, constant to = to));
        apart_agrees(from, to);
    }
}

/// The same bits as over the range that is written.
fn apart_agrees(from: usize, to: usize) {
    assert_eq!(
        others::grad(&L, &X, from, to),
        apart::others::grad(&L, &X, from, to)
    );
    assert_eq!(triangular::grad(&L, &X), apart::triangular::grad(&L, &X));
    assert_eq!(heat::grad(&X, 3), apart::heat::grad(&X, 3));
    assert_eq!(guarded::grad(&L, &X), apart::guarded::grad(&L, &X));
}
