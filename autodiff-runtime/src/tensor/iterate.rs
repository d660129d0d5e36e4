//! Entries one by one: indexing, iteration, comparison.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::{Tensor, elementwise};
use crate::element::Element;
use crate::float::Float;
use crate::parts::At;

impl<T: Element> Tensor<T> {
    /// The entries row by row.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[1.0, 2.0], [3.0, 4.0]]).transpose(0, 1).to_vec(), [1.0, 3.0, 2.0, 4.0]);
    /// ```
    pub fn to_vec(&self) -> Vec<T> {
        self.dense()
            .map_or_else(|| elementwise::gather(self), <[T]>::to_vec)
    }

    /// The entries row by row.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0]).iter().sum::<f64>(), 3.0);
    /// ```
    pub fn iter(&self) -> Iter<'_, T> {
        Iter {
            of: self,
            at: smallvec::smallvec![0; self.rank()],
            left: self.len(),
        }
    }

    /// The entry of a tensor that has one.
    pub(crate) fn only(&self) -> T {
        debug_assert_eq!(self.len(), 1);
        self.data().first().copied().unwrap_or_default()
    }

    /// Where the entry at an index lies.
    #[track_caller]
    fn position(&self, at: &[usize]) -> usize {
        let inside = at.len() == self.rank() && at.iter().zip(&self.shape).all(|(k, n)| k < n);
        assert!(
            inside,
            "index {at:?} of a tensor of shape {:?}",
            self.shape()
        );
        at.iter().zip(&self.strides).map(|(k, s)| k * s).sum()
    }
}

/// The entries of a tensor row by row.
#[derive(Debug)]
pub struct Iter<'a, T: Element> {
    of: &'a Tensor<T>,
    at: super::dims::Dims,
    left: usize,
}

impl<T: Element> Iterator for Iter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        let position: usize = self
            .at
            .iter()
            .zip(&self.of.strides)
            .map(|(k, s)| k * s)
            .sum();
        super::construct::advance(&mut self.at, &self.of.shape);
        Some(self.of.data().get(position).copied().unwrap_or_default())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Element> ExactSizeIterator for Iter<'_, T> {}

impl<'a, T: Element> IntoIterator for &'a Tensor<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: Element, const N: usize> Index<[usize; N]> for Tensor<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, at: [usize; N]) -> &T {
        &self[&at[..]]
    }
}

impl<T: Element> Index<&[usize]> for Tensor<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, at: &[usize]) -> &T {
        let position = self.position(at);
        self.data().get(position).unwrap_or(T::NOTHING)
    }
}

impl<T: Element> Index<usize> for Tensor<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, at: usize) -> &T {
        &self[[at]]
    }
}

impl<T: Element, I> Index<At<I>> for Tensor<T>
where
    Self: Index<I>,
{
    type Output = <Self as Index<I>>::Output;
    #[track_caller]
    fn index(&self, At(at): At<I>) -> &Self::Output {
        &self[at]
    }
}

impl<T: Element, I> IndexMut<At<I>> for Tensor<T>
where
    Self: IndexMut<I>,
{
    #[track_caller]
    fn index_mut(&mut self, At(at): At<I>) -> &mut Self::Output {
        &mut self[at]
    }
}

impl<T: Element, const N: usize> IndexMut<[usize; N]> for Tensor<T> {
    #[track_caller]
    fn index_mut(&mut self, at: [usize; N]) -> &mut T {
        &mut self[&at[..]]
    }
}

impl<T: Element> IndexMut<&[usize]> for Tensor<T> {
    #[track_caller]
    fn index_mut(&mut self, at: &[usize]) -> &mut T {
        self.position(at);
        // Where it lies once the entries are this tensor's own, row by row.
        self.entries_mut();
        let position = self.position(at);
        &mut self.entries_mut()[position]
    }
}

impl<T: Element> IndexMut<usize> for Tensor<T> {
    #[track_caller]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self[&[at][..]]
    }
}

macro_rules! only {
    ($($t:ident)*) => {$(
        impl Tensor<$t> {
            /// The only entry.
            ///
            /// # Panics
            /// If there is not exactly one.
            #[track_caller]
            pub fn item(&self) -> $t {
                assert!(self.len() == 1, "item: a tensor of shape {:?} has {} entries", self.shape(), self.len());
                self.iter().next().unwrap_or_default()
            }
        }
    )*};
}
only!(usize bool);

impl<T: Element> PartialEq for Tensor<T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.iter().eq(other.iter())
    }
}

impl<T: Float> Tensor<T> {
    /// Whether all entries are close to those of another tensor of the same shape: |a − b| ≤ `absolute` + `relative` · |b|.
    ///
    /// Infinite entries are close to themselves, NaN to nothing.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::from([1.0, 2.0 + 1e-9]));
    /// assert!(a.allclose(&b, 1e-8, 0.0));
    /// ```
    pub fn allclose(&self, other: &Self, relative: f64, absolute: f64) -> bool {
        let close = |a: f64, b: f64| a == b || (a - b).abs() <= absolute + relative * b.abs();
        self.shape == other.shape
            && (self.iter().zip(other.iter())).all(|(a, b)| close(a.to_f64(), b.to_f64()))
    }
}
