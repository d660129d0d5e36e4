//! Rates as functions of the step, counted from 0.
//!
//! ```
//! use autodiff_runtime::optim::Adam;
//! use autodiff_runtime::optim::schedule::{cosine, warm_up};
//!
//! // Up in 10 steps, and down again in the 90 that follow.
//! let rate = |step: usize| warm_up(step, 10) * cosine(step.saturating_sub(10), 90, 1e-3, 1e-4);
//! assert_eq!(rate(0), 1e-4);
//! assert_eq!(rate(10), 1e-3);
//! assert_eq!(rate(100), 1e-4);
//!
//! let mut x = [1.0];
//! let mut adam = Adam::new(rate(0));
//! for step in 0..100 {
//!     adam.set_lr(rate(step));
//!     let gradient = [2.0 * x[0]];
//!     adam.step(&mut x, &gradient);
//! }
//! ```

/// From `from` at step 0 in a straight line to `to` at step `steps`, and `to` from there on.
///
/// ```
/// use autodiff_runtime::optim::schedule::linear;
/// assert_eq!([0, 1, 4, 9].map(|step| linear(step, 4, 1.0, 0.0)), [1.0, 0.75, 0.0, 0.0]);
/// ```
#[must_use]
pub fn linear(step: usize, steps: usize, from: f64, to: f64) -> f64 {
    if step >= steps {
        return to;
    }
    let done = step as f64 / steps as f64;
    from * (1.0 - done) + to * done
}

/// From `from` at step 0 along half a wave of the cosine to `to` at step `steps`, and `to` from there on.
///
/// ```
/// use autodiff_runtime::optim::schedule::cosine;
/// assert_eq!([0, 4, 9].map(|step| cosine(step, 4, 1.0, 0.5)), [1.0, 0.5, 0.5]);
/// assert!((cosine(2, 4, 1.0, 0.5) - 0.75).abs() < 1e-15);
/// ```
#[must_use]
pub fn cosine(step: usize, steps: usize, from: f64, to: f64) -> f64 {
    if step >= steps {
        return to;
    }
    let done = step as f64 / steps as f64;
    to + (from - to) * 0.5 * (1.0 + libm::cos(core::f64::consts::PI * done))
}

/// A factor that grows by the same amount in each of the first `steps` steps, and is 1 from the last of them on.
///
/// ```
/// use autodiff_runtime::optim::schedule::warm_up;
/// assert_eq!([0, 1, 3, 9].map(|step| warm_up(step, 4)), [0.25, 0.5, 1.0, 1.0]);
/// ```
#[must_use]
pub fn warm_up(step: usize, steps: usize) -> f64 {
    if step >= steps {
        return 1.0;
    }
    (step + 1) as f64 / steps as f64
}
