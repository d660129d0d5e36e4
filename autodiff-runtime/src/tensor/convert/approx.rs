//! Comparison of tensors up to a tolerance.

use ::approx::{AbsDiffEq, RelativeEq, UlpsEq};

use crate::element::Element;
use crate::tensor::Tensor;

impl<T: Element> Tensor<T> {
    fn all_close(&self, other: &Self, close: impl Fn(&T, &T) -> bool) -> bool {
        self.shape == other.shape && self.iter().zip(other).all(|(a, b)| close(&a, &b))
    }
}

/// Tensors of the same shape whose entries are all close.
///
/// ```
/// use approx::assert_abs_diff_eq;
/// use autodiff_runtime::tensor::Tensor;
///
/// let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::from([1.0, 2.0 + 1e-9]));
/// assert_abs_diff_eq!(a, b, epsilon = 1e-8);
/// ```
impl<T: Element + AbsDiffEq<Epsilon: Clone>> AbsDiffEq for Tensor<T> {
    type Epsilon = T::Epsilon;

    fn default_epsilon() -> T::Epsilon {
        T::default_epsilon()
    }

    fn abs_diff_eq(&self, other: &Self, epsilon: T::Epsilon) -> bool {
        self.all_close(other, |a, b| a.abs_diff_eq(b, epsilon.clone()))
    }
}

impl<T: Element + RelativeEq<Epsilon: Clone>> RelativeEq for Tensor<T> {
    fn default_max_relative() -> T::Epsilon {
        T::default_max_relative()
    }

    fn relative_eq(&self, other: &Self, epsilon: T::Epsilon, max_relative: T::Epsilon) -> bool {
        self.all_close(other, |a, b| {
            a.relative_eq(b, epsilon.clone(), max_relative.clone())
        })
    }
}

impl<T: Element + UlpsEq<Epsilon: Clone>> UlpsEq for Tensor<T> {
    fn default_max_ulps() -> u32 {
        T::default_max_ulps()
    }

    fn ulps_eq(&self, other: &Self, epsilon: T::Epsilon, max_ulps: u32) -> bool {
        self.all_close(other, |a, b| a.ulps_eq(b, epsilon.clone(), max_ulps))
    }
}

#[cfg(test)]
mod tests {
    use ::approx::{abs_diff_eq, relative_eq, ulps_eq};

    use super::*;

    #[test]
    fn close_tensors_have_the_same_shape_and_close_entries() {
        let (a, b) = (Tensor::from([1.0, 1000.0]), Tensor::from([1.0, 1000.001]));
        assert!(abs_diff_eq!(a, b, epsilon = 1e-2));
        assert!(!abs_diff_eq!(a, b, epsilon = 1e-4));
        assert!(relative_eq!(a, b, max_relative = 1e-5));
        assert!(!relative_eq!(a, b, max_relative = 1e-7));
        assert!(ulps_eq!(a, a) && !ulps_eq!(a, b));
        assert!(!abs_diff_eq!(a, a.reshape(&[1, 2]), epsilon = 1e9));
        let nan = Tensor::from([f64::NAN]);
        assert!(!abs_diff_eq!(nan, nan, epsilon = 1e9));
        let infinite = Tensor::from([f32::INFINITY]);
        assert!(relative_eq!(infinite, infinite));
        let counts = Tensor::from([[1, 2_usize], [3, 4]]);
        assert!(abs_diff_eq!(
            counts.permuted(&[1, 0]),
            counts.permuted(&[1, 0])
        ));
        assert!(!abs_diff_eq!(counts.permuted(&[1, 0]), counts));
        assert!(abs_diff_eq!(
            Tensor::<f64>::zeros(&[2, 0]),
            Tensor::zeros(&[2, 0])
        ));
    }
}
