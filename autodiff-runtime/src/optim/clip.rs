//! Gradients that are cut to a norm or to a range.

use crate::slices::{Slice, SliceMut};
use crate::tangent::Tangent;

/// Shortens a gradient to the norm `max` if it is longer, and gives the norm that it had.
///
/// A gradient that is not longer keeps every bit, and so does one whose norm is not finite: what is given says so.
///
/// ```
/// use autodiff_runtime::optim::clip_norm;
///
/// let mut gradient = (vec![3.0, 0.0], 4.0);
/// assert_eq!(clip_norm(&mut gradient, 2.5), 5.0);
/// assert_eq!(gradient, (vec![1.5, 0.0], 2.0));
/// ```
///
/// # Panics
/// If `max` is negative or NaN.
#[track_caller]
pub fn clip_norm<T: Tangent>(gradient: &mut T, max: f64) -> f64 {
    limit(max);
    let norm = norm(gradient);
    if norm > max && norm.is_finite() {
        gradient.scale_by(max / norm);
    }
    norm
}

/// Puts each number of a gradient that is outside of `-max` to `max` to the end that is nearer.
///
/// ```
/// use autodiff_runtime::optim::clip_value;
///
/// let mut gradient = [3.0, -0.5, -7.0];
/// clip_value(&mut gradient, 1.0);
/// assert_eq!(gradient, [1.0, -0.5, -1.0]);
/// ```
///
/// # Panics
/// If `max` is negative or NaN.
#[track_caller]
pub fn clip_value<T: Tangent>(gradient: &mut T, max: f64) {
    limit(max);
    gradient.for_each_slice(&mut |slice| match slice {
        SliceMut::F32(xs) => {
            let max = max as f32;
            xs.iter_mut().for_each(|x| *x = x.clamp(-max, max));
        }
        SliceMut::F64(xs) => xs.iter_mut().for_each(|x| *x = x.clamp(-max, max)),
    });
}

#[track_caller]
fn limit(max: f64) {
    assert!(
        max >= 0.0,
        "a gradient cannot be clipped to {max}; a limit is not negative"
    );
}

/// The Euclidean norm, which neither overflows nor underflows where it is a number of `f64`.
fn norm<T: Tangent>(t: &T) -> f64 {
    let square = sum(t, |x| x * x);
    if square.is_normal() {
        return libm::sqrt(square);
    }
    let mut largest = 0.0_f64;
    sum(t, |x| {
        largest = if x.is_nan() { x } else { largest.max(x.abs()) };
        0.0
    });
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * libm::sqrt(sum(t, |x| (x / largest) * (x / largest)))
}

/// The sum of `f` of all numbers, in several sums so that these can be made side by side.
fn sum<T: Tangent>(t: &T, mut f: impl FnMut(f64) -> f64) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    let mut rest = 0.0;
    macro_rules! add {
        ($xs:ident) => {{
            let groups = $xs.chunks_exact(SUMS);
            let last = groups.remainder();
            for group in groups {
                for (sum, x) in sums.iter_mut().zip(group) {
                    *sum += f(f64::from(*x));
                }
            }
            for x in last {
                rest += f(f64::from(*x));
            }
        }};
    }
    t.visit_slices(&mut |slice| match slice {
        Slice::F32(xs) => add!(xs),
        Slice::F64(xs) => add!(xs),
    });
    sums.iter().sum::<f64>() + rest
}
