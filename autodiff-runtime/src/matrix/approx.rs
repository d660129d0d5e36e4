//! Comparison of matrices up to a tolerance.

use ::approx::{AbsDiffEq, RelativeEq, UlpsEq};

use super::Matrix;

impl<T> Matrix<T> {
    fn all(&self, other: &Self, close: impl Fn(&T, &T) -> bool) -> bool {
        (self.rows, self.cols) == (other.rows, other.cols)
            && (self.data.iter().zip(&other.data)).all(|(a, b)| close(a, b))
    }
}

/// Matrices of the same shape whose numbers are all close.
///
/// ```
/// use approx::assert_abs_diff_eq;
/// use autodiff_runtime::matrix::Matrix;
///
/// let a = Matrix::from_vec(1, 2, vec![1.0, 2.0]);
/// let b = Matrix::from_vec(1, 2, vec![1.0, 2.0 + 1e-9]);
/// assert_abs_diff_eq!(a, b, epsilon = 1e-8);
/// ```
impl<T: AbsDiffEq<Epsilon: Clone>> AbsDiffEq for Matrix<T> {
    type Epsilon = T::Epsilon;

    fn default_epsilon() -> T::Epsilon {
        T::default_epsilon()
    }

    fn abs_diff_eq(&self, other: &Self, epsilon: T::Epsilon) -> bool {
        self.all(other, |a, b| a.abs_diff_eq(b, epsilon.clone()))
    }
}

impl<T: RelativeEq<Epsilon: Clone>> RelativeEq for Matrix<T> {
    fn default_max_relative() -> T::Epsilon {
        T::default_max_relative()
    }

    fn relative_eq(&self, other: &Self, epsilon: T::Epsilon, max_relative: T::Epsilon) -> bool {
        self.all(other, |a, b| {
            a.relative_eq(b, epsilon.clone(), max_relative.clone())
        })
    }
}

impl<T: UlpsEq<Epsilon: Clone>> UlpsEq for Matrix<T> {
    fn default_max_ulps() -> u32 {
        T::default_max_ulps()
    }

    fn ulps_eq(&self, other: &Self, epsilon: T::Epsilon, max_ulps: u32) -> bool {
        self.all(other, |a, b| a.ulps_eq(b, epsilon.clone(), max_ulps))
    }
}

#[cfg(test)]
mod tests {
    use ::approx::{abs_diff_eq, relative_eq, ulps_eq};

    use super::*;

    #[test]
    fn close_matrices_have_the_same_shape_and_close_numbers() {
        let a = Matrix::from_vec(1, 2, alloc::vec![1.0, 1000.0]);
        let b = Matrix::from_vec(1, 2, alloc::vec![1.0, 1000.001]);
        assert!(abs_diff_eq!(a, b, epsilon = 1e-2));
        assert!(!abs_diff_eq!(a, b, epsilon = 1e-4));
        assert!(relative_eq!(a, b, max_relative = 1e-5));
        assert!(!relative_eq!(a, b, max_relative = 1e-7));
        assert!(ulps_eq!(a, a) && !ulps_eq!(a, b));
        assert!(!abs_diff_eq!(a, a.transpose(), epsilon = 1e9));
        assert!(abs_diff_eq!(
            Matrix::<f32>::zeros(0, 2),
            Matrix::zeros(0, 2)
        ));
    }
}
