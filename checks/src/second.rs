//! The checks of second derivatives: they are symmetric, agree with each other, and with differences of the gradient.

use crate::difference::directional;
use crate::judge::{Linear, Primal, Verdict, at_kink, by_convention, close, largest, too_fine};

/// A scalar function's gradient, and its second derivatives.
pub struct Second<'a> {
    /// The gradient.
    pub gradient: Primal<'a>,
    /// `hvp`: the gradient, and the Hessian times a vector.
    pub hvp: Linear<'a>,
    /// The Hessian, row after row.
    pub hessian: Primal<'a>,
    /// May a function inside have a kink (`abs`, `max`, …)?
    pub kinks: bool,
}

/// Puts the second derivatives to all checks at `x`.
pub fn judge_second(case: &Second, x: &[f64], verdict: &mut Verdict) {
    let n = x.len();
    let gradient = (case.gradient)(x);
    let hessian = (case.hessian)(x);
    if gradient.len() != n || hessian.len() != n * n {
        verdict
            .failures
            .push("a second derivative has the wrong number of entries".to_owned());
        return;
    }
    // Where something has overflowed, other orders of sums meet other infinities.
    if !gradient
        .iter()
        .chain(&hessian)
        .all(|value| value.is_finite())
    {
        verdict.skipped += n * n;
        return;
    }
    let scale = largest(&hessian).max(largest(&gradient)).max(1e-3);
    for (row, k) in (0..n).flat_map(|row| (0..row).map(move |k| (row, k))) {
        let (a, b) = (hessian[row * n + k], hessian[k * n + row]);
        if !close(a, b, 1e-10, scale) {
            verdict.failures.push(format!(
                "hessian: entry ({row}, {k}) is {a:?}, its mirror {b:?}"
            ));
        }
    }
    for k in 0..n {
        let along: Vec<f64> = (0..n).map(|j| if j == k { 1.0 } else { 0.0 }).collect();
        let column: Vec<f64> = (0..n).map(|row| hessian[row * n + k]).collect();
        let (first, second) = (case.hvp)(x, &along);
        verdict.vectors(
            "gradient of hvp",
            &first,
            &gradient,
            1e-12,
            largest(&gradient),
        );
        verdict.vectors(
            &format!("hvp and hessian, column {k}"),
            &second,
            &column,
            1e-10,
            scale,
        );
        let estimates = directional(case.gradient, x, &along);
        for (row, (entry, estimate)) in column.iter().zip(estimates).enumerate() {
            if estimate.error > 1e-7 * scale || at_kink(case.gradient, x, &along, row) {
                verdict.skipped += 1;
            } else if close(*entry, estimate.value, 1e-5, scale) {
                verdict.confirmed += 1;
            } else if too_fine(case.gradient, x, &along, row, (*entry, estimate.value))
                || case.kinks
                    && by_convention(
                        &|x| (case.hvp)(x, &along).1[row],
                        (x, &along),
                        (estimate.value, scale),
                    )
            {
                verdict.skipped += 1;
            } else {
                verdict.failures.push(format!(
                    "differences of the gradient: entry ({row}, {k}): {entry:?} is not {:?} ± {:.1e}",
                    estimate.value, estimate.error
                ));
            }
        }
    }
}
