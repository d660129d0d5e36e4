//! Tensors from and into matrices.

use alloc::format;

use crate::element::Element;
use crate::matrix::Matrix;
use crate::tensor::{Error, Tensor};

/// A tensor of two axes, without a copy.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::tensor::Tensor;
///
/// let jacobian = Matrix::from_vec(1, 2, vec![1.0, 2.0]);
/// assert_eq!(Tensor::from(jacobian), Tensor::from([[1.0, 2.0]]));
/// ```
impl<T: Element> From<Matrix<T>> for Tensor<T> {
    fn from(matrix: Matrix<T>) -> Self {
        Tensor::of(
            [matrix.rows(), matrix.cols()].into_iter().collect(),
            matrix.into_vec(),
        )
    }
}

/// Without a copy where nobody else has the entries and they lie row by row; an error unless there are two axes.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::tensor::Tensor;
///
/// let rows = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(Matrix::try_from(rows.t()).unwrap().row(0), [1.0, 3.0]);
/// ```
impl<T: Element> TryFrom<Tensor<T>> for Matrix<T> {
    type Error = Error;

    fn try_from(tensor: Tensor<T>) -> Result<Self, Error> {
        let &[rows, cols] = tensor.shape() else {
            return Err(Error::new(
                "matrix",
                format!(
                    "a matrix has two axes, and the tensor has the shape {:?}",
                    tensor.shape()
                ),
            ));
        };
        Ok(Matrix::from_vec(rows, cols, tensor.into_entries()))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    #[test]
    fn matrices_and_tensors_are_the_same_rows() {
        for (rows, cols) in [(2, 3), (1, 1), (0, 3), (3, 0)] {
            let entries: vec::Vec<usize> = (0..rows * cols).collect();
            let matrix = Matrix::from_vec(rows, cols, entries);
            let tensor = Tensor::from(matrix.clone());
            assert_eq!(tensor.shape(), [rows, cols]);
            assert_eq!(Matrix::try_from(tensor).unwrap(), matrix);
        }
        let zeros = Matrix::try_from(Tensor::<f64>::zeros(&[2, 2])).unwrap();
        assert_eq!(zeros, Matrix::zeros(2, 2));
    }

    #[test]
    fn only_two_axes_make_a_matrix() {
        let error = Matrix::try_from(Tensor::<f64>::zeros(&[2])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "matrix: a matrix has two axes, and the tensor has the shape [2]"
        );
    }
}
