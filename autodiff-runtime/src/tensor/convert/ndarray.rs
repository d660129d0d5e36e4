//! Tensors from and into arrays of the crate `ndarray`.

use alloc::vec::Vec;

use ::ndarray::{Array, ArrayBase, ArrayD, ArrayViewD, Axis, Data, Dimension, IxDyn, ShapeBuilder};

use crate::element::Element;
use crate::tensor::Tensor;
use crate::tensor::dims::Dims;

impl<T: Element> Tensor<T> {
    /// The entries as a view of the crate `ndarray`, wherever they lie: nothing is copied.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    ///
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// let columns = x.t();
    /// let view = columns.as_ndarray();
    /// assert_eq!(view[[0, 1]], 3.0);
    /// assert_eq!(view.sum(), 10.0);
    /// ```
    pub fn as_ndarray(&self) -> ArrayViewD<'_, T> {
        let (strides, entries) = if self.is_empty() {
            (Dims::from_elem(0, self.rank()), &[][..])
        } else if self.is_known_zero() {
            let nothing = core::slice::from_ref(T::NOTHING);
            (Dims::from_elem(0, self.rank()), nothing)
        } else {
            (self.strides.clone(), self.data())
        };
        // What is repeated is allowed in a view.
        ArrayViewD::from_shape(self.shape().strides(&strides), entries)
            .unwrap_or_else(|_| unreachable!("all indices lead into the buffer"))
    }
}

/// Without a copy where nobody else has the entries and they lie row by row.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// use ndarray::{ArrayD, Ix2};
///
/// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
/// let array = ArrayD::from(x).into_dimensionality::<Ix2>().unwrap();
/// assert_eq!(array.row(1).to_vec(), [3.0, 4.0]);
/// ```
impl<T: Element> From<Tensor<T>> for ArrayD<T> {
    fn from(tensor: Tensor<T>) -> Self {
        let shape = IxDyn(tensor.shape());
        ArrayD::from_shape_vec(shape, tensor.into_entries())
            .unwrap_or_else(|_| unreachable!("as many as the shape says"))
    }
}

/// Without a copy, unless an axis is flipped.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// use ndarray::array;
///
/// let x = Tensor::from(array![[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(x.shape(), [2, 2]);
/// assert_eq!(x[[1, 0]], 3.0);
/// ```
impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor<T> {
    fn from(array: Array<T, D>) -> Self {
        let flipped = |axis: usize| array.len_of(Axis(axis)) > 1 && array.strides()[axis] < 0;
        if array.is_empty() || (0..array.ndim()).any(flipped) {
            return Tensor::from(&array);
        }
        let shape: Dims = array.shape().into();
        let strides = (array.strides().iter().zip(&shape))
            .map(|(stride, n)| if *n > 1 { *stride as usize } else { 1 })
            .collect();
        let (entries, offset) = array.into_raw_vec_and_offset();
        let mut tensor = Tensor::from(entries);
        (tensor.shape, tensor.strides) = (shape, strides);
        tensor.offset = offset.unwrap_or(0);
        tensor
    }
}

/// A copy, of arrays and views alike.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
/// use ndarray::array;
///
/// let rows = array![[1.0, 2.0], [3.0, 4.0]];
/// let column = rows.column(1);
/// assert_eq!(Tensor::from(&column), Tensor::from([2.0, 4.0]));
/// ```
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Tensor<T> {
    fn from(array: &ArrayBase<S, D>) -> Self {
        let entries: Vec<T> = array.iter().copied().collect();
        Tensor::of(array.shape().into(), entries)
    }
}

#[cfg(test)]
mod tests {
    use ::ndarray::{Array0, Array1, Array2, Array3, arr0, s};

    use super::*;

    fn numbers(shape: &[usize]) -> Tensor<f64> {
        let mut k = 0.0;
        Tensor::from_fn(shape, |_| {
            k += 1.0;
            k
        })
    }

    /// The view and the array have the tensor's entries, and so has the tensor that is made of them.
    fn round<T: Element>(x: &Tensor<T>) {
        let view = x.as_ndarray();
        assert_eq!(view.shape(), x.shape());
        assert!(view.iter().copied().eq(x.iter()), "{view} and {x}");
        assert_eq!(&Tensor::from(&view), x);
        let array = ArrayD::from(x.clone());
        assert_eq!(array, view);
        assert_eq!(&Tensor::from(array), x);
    }

    #[test]
    fn any_shape_goes_there_and_back() {
        for shape in [&[][..], &[0], &[1], &[5], &[2, 0, 3], &[2, 3], &[1, 4, 1]] {
            round(&numbers(shape));
            round(&Tensor::<f32>::zeros(shape));
            round(&Tensor::from_fn(shape, |at| at.iter().sum::<usize>()));
            round(&Tensor::from_fn(shape, |at| at.iter().sum::<usize>() > 1));
        }
    }

    #[test]
    fn views_with_any_strides_are_viewed() {
        let x = numbers(&[3, 4]);
        round(&x.t());
        round(&x.slice(1, 1, 4, 2));
        round(&x.slice(0, 2, 2, 1));
        round(&x.slice(0, 1, 3, 1).t());
        round(&numbers(&[3, 1]).broadcast_to(&[2, 3, 5]));
        round(&Tensor::scalar(2.0).broadcast_to(&[2, 2]));
        let turned = x.t();
        assert_eq!(turned.as_ndarray().as_ptr(), x.as_ndarray().as_ptr());
    }

    #[test]
    fn owned_entries_are_not_copied() {
        let array = Array2::from_shape_fn((3, 4), |(i, j)| (4 * i + j) as f64);
        let place = array.as_ptr();
        let tensor = Tensor::from(array);
        assert_eq!(tensor.as_ndarray().as_ptr(), place);
        let array = ArrayD::from(tensor);
        assert_eq!(array.as_ptr(), place);

        // One that others hold as well is copied, and theirs stays.
        let tensor = Tensor::from(array);
        let other = tensor.clone();
        assert_ne!(ArrayD::from(tensor).as_ptr(), place);
        assert_eq!(other.as_ndarray().as_ptr(), place);
    }

    #[test]
    fn arrays_in_any_layout_are_taken() {
        let columns = Array2::from_shape_vec((2, 3).f(), (0..6).collect()).unwrap();
        let expected = Tensor::from([[0, 2, 4], [1, 3, 5_usize]]);
        assert_eq!(Tensor::from(columns.clone()), expected);
        assert_eq!(Tensor::from(&columns), expected);

        let mut flipped = columns.clone();
        flipped.invert_axis(Axis(1));
        assert_eq!(
            Tensor::from(flipped),
            Tensor::from([[4, 2, 0], [5, 3, 1_usize]])
        );

        // A part of a buffer: its entries begin behind the buffer's.
        let part = columns.slice_move(s![1.., 1..;2]);
        let part = Tensor::from(part);
        assert_eq!(part, Tensor::from([[3]]));
        assert_eq!(ArrayD::from(part).shape(), [1, 1]);

        let mut middle =
            Tensor::from(Array1::from(alloc::vec![0.0, 1.0, 2.0, 3.0]).slice_move(s![1..3]));
        middle[[0]] = 7.0;
        assert_eq!(middle.to_vec(), [7.0, 2.0]);

        assert_eq!(Tensor::from(arr0(true)), Tensor::scalar(true));
        assert_eq!(
            Tensor::from(Array3::<f32>::zeros((2, 0, 3))).shape(),
            [2, 0, 3]
        );
        assert_eq!(
            Tensor::from(Array0::from_elem((), 2.0).into_shared().view().to_owned()).item(),
            2.0
        );
    }

    #[test]
    fn operations_on_what_came_from_an_array_are_right() {
        let array = Array2::from_shape_vec((2, 3).f(), (0..6).map(f64::from).collect()).unwrap();
        let x = Tensor::from(array.slice_move(s![.., 1..]));
        assert_eq!(x.matmul(x.t()), Tensor::from([[20.0, 26.0], [26.0, 34.0]]));
    }
}
