//! Tensors from and into matrices and vectors of the crate `nalgebra`, which lie column by column: copies.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix, RawStorage, Scalar};

use crate::element::Element;
use crate::tensor::dims::Dims;
use crate::tensor::{Error, Tensor};

/// A copy: of a vector's type a tensor of one axis, of any other one of two.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// use nalgebra::{DMatrix, Vector3};
///
/// let m = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(Tensor::from(&m), Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
/// assert_eq!(Tensor::from(Vector3::new(1.0, 2.0, 3.0)).shape(), [3]);
/// ```
impl<T: Element + Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C>> From<&Matrix<T, R, C, S>>
    for Tensor<T>
{
    fn from(matrix: &Matrix<T, R, C, S>) -> Self {
        let (rows, cols) = matrix.shape();
        let mut shape: Dims = [rows, cols].into_iter().collect();
        if C::try_to_usize() == Some(1) {
            shape.truncate(1);
        }
        let entries: Vec<T> = (0..rows)
            .flat_map(|i| (0..cols).map(move |j| matrix[(i, j)]))
            .collect();
        Tensor::of(shape, entries)
    }
}

/// As of a reference.
impl<T: Element + Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C>> From<Matrix<T, R, C, S>>
    for Tensor<T>
{
    fn from(matrix: Matrix<T, R, C, S>) -> Self {
        Tensor::from(&matrix)
    }
}

/// A copy: a matrix of a tensor of two axes, a vector of one of one axis; an error where the lengths are not those of the type.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// use nalgebra::{DMatrix, DVector, Matrix2};
///
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// let m = DMatrix::try_from(&x).unwrap();
/// assert_eq!(m[(0, 1)], 2.0);
/// assert_eq!(Matrix2::try_from(&x).unwrap(), Matrix2::new(1.0, 2.0, 3.0, 4.0));
/// assert!(DVector::try_from(&x).is_err());
/// ```
impl<T: Element + Scalar, R: Dim, C: Dim> TryFrom<&Tensor<T>> for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Error = Error;

    fn try_from(tensor: &Tensor<T>) -> Result<Self, Error> {
        let sizes = match *tensor.shape() {
            [rows, cols] => Some((rows, cols)),
            [rows] if C::try_to_usize() == Some(1) => Some((rows, 1)),
            _ => None,
        };
        let fits = |of: Option<usize>, n: usize| of.is_none_or(|of| of == n);
        match sizes {
            Some((rows, cols))
                if fits(R::try_to_usize(), rows) && fits(C::try_to_usize(), cols) =>
            {
                let (rows, cols) = (R::from_usize(rows), C::from_usize(cols));
                Ok(OMatrix::from_row_iterator_generic(rows, cols, tensor))
            }
            _ => Err(Error::new(
                "nalgebra",
                format!(
                    "a tensor of shape {:?} is no matrix of {} rows and {} columns",
                    tensor.shape(),
                    wanted(R::try_to_usize()),
                    wanted(C::try_to_usize())
                ),
            )),
        }
    }
}

/// As of a reference.
impl<T: Element + Scalar, R: Dim, C: Dim> TryFrom<Tensor<T>> for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Error = Error;

    fn try_from(tensor: Tensor<T>) -> Result<Self, Error> {
        OMatrix::try_from(&tensor)
    }
}

fn wanted(size: Option<usize>) -> String {
    size.map_or_else(|| "any".to_string(), |size| size.to_string())
}

#[cfg(test)]
mod tests {
    use ::nalgebra::{DMatrix, DVector, Matrix2x3, RowVector3, SMatrix, Vector2, Vector3};

    use super::*;

    #[test]
    fn rows_stay_rows() {
        for shape in [[2, 3], [1, 1], [3, 1], [0, 2], [2, 0]] {
            let x = Tensor::from_fn(&shape, |at| 10 * at[0] + at[1]);
            let m = DMatrix::try_from(&x).unwrap();
            assert_eq!((m.nrows(), m.ncols()), (shape[0], shape[1]));
            for (i, j) in (0..shape[0]).flat_map(|i| (0..shape[1]).map(move |j| (i, j))) {
                assert_eq!(m[(i, j)], 10 * i + j);
            }
            assert_eq!(Tensor::from(m.transpose()), x.permuted(&[1, 0]));
            assert_eq!(Tensor::from(m), x);
        }
        let x = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let fixed = Matrix2x3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        assert_eq!(Matrix2x3::try_from(&x).unwrap(), fixed);
        assert_eq!(
            SMatrix::<f64, 3, 2>::try_from(x.t()).unwrap(),
            fixed.transpose()
        );
        assert_eq!(Tensor::from(fixed.columns(1, 2)), x.slice(1, 1, 3, 1));
    }

    #[test]
    fn vectors_have_one_axis() {
        let x = Tensor::from([1.0_f32, 2.0, 3.0]);
        assert_eq!(Tensor::from(Vector3::new(1.0, 2.0, 3.0)), x);
        assert_eq!(Tensor::from(DVector::try_from(&x).unwrap()), x);
        assert_eq!(
            Vector3::try_from(x.clone()).unwrap(),
            Vector3::new(1.0, 2.0, 3.0)
        );
        assert_eq!(Tensor::from(RowVector3::new(1, 2, 3)).shape(), [1, 3]);
        assert_eq!(DVector::try_from(x.reshape(&[3, 1])).unwrap().len(), 3);
        assert_eq!(
            DVector::try_from(Tensor::<bool>::zeros(&[0]))
                .unwrap()
                .len(),
            0
        );
    }

    #[test]
    fn lengths_have_to_fit() {
        let error = Vector2::try_from(Tensor::from([1.0, 2.0, 3.0])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nalgebra: a tensor of shape [3] is no matrix of 2 rows and 1 columns"
        );
        let error = DMatrix::try_from(Tensor::from([1.0, 2.0, 3.0])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "nalgebra: a tensor of shape [3] is no matrix of any rows and any columns"
        );
        assert!(DMatrix::try_from(Tensor::scalar(1.0)).is_err());
        assert!(DVector::try_from(Tensor::scalar(1.0)).is_err());
        assert!(DMatrix::try_from(Tensor::<f64>::zeros(&[1, 1, 1])).is_err());
    }
}
