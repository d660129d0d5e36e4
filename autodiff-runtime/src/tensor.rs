//! Tensors: dense arrays of any rank, and their operations with derivatives.
//!
//! The names and meanings are those of NumPy and PyTorch. Shapes are checked before anything is computed: an operation that cannot be done panics with both
//! shapes in words, and has a sibling `try_…` that returns them.
//!
//! ```
//! use autodiff_runtime::tensor::Tensor;
//!
//! let x = Tensor::from_vec(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
//! let bias = Tensor::from_vec(&[3], vec![0.5, 0.0, -0.5]);
//! let y = (x + bias) * 2.0;
//! assert_eq!(y.shape(), [2, 3]);
//! assert_eq!(y.sum(), 42.0);
//! ```

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::element::Element;
use dims::{Dims, count, dense_strides};
use storage::Buffer;

mod algebra;
#[doc(hidden)]
pub mod arguments;
mod construct;
mod convert;
mod dims;
mod display;
mod elementwise;
mod error;
mod forms;
mod functions;
#[doc(hidden)]
pub mod fused;
pub(crate) mod gemm;
mod iterate;
pub(crate) mod operation;
mod operators;
mod ops;
#[doc(hidden)]
pub mod places;
#[doc(hidden)]
pub mod program;
pub(crate) mod storage;
mod tangent;
#[cfg(test)]
mod testing;
#[cfg(all(test, feature = "rayon"))]
mod threads;
mod views;

pub use arguments::AsTensor;
#[cfg(any(feature = "npy", feature = "safetensors"))]
pub use convert::NamedTensors;
pub use dims::Axes;
pub(crate) use error::expect;
pub use error::{Error, Result};
#[doc(hidden)]
pub use functions::TensorFunctions;
pub(crate) use ops::arithmetic;
pub use ops::cast::Cast;
pub use ops::conv::{Conv1d, Conv2d};
pub use ops::linalg::Triangle;
pub use ops::pool::{Pool1d, Pool2d};
pub(crate) use ops::reductions::sum_to;
pub(crate) use tangent::add_multiple;

/// A dense array of any rank.
///
/// Cheap to clone: clones and views share their entries until one of them is changed.
pub struct Tensor<T: Element> {
    /// The entries; without any, all are zero.
    buffer: Option<Arc<Buffer<T>>>,
    shape: Dims,
    strides: Dims,
    offset: usize,
}

/// Where the entries of a zero begin that only holds the place of a cotangent.
const UNREAD: usize = usize::MAX;

// Of a method without derivatives rustc says that, and of which.
impl<T: Element> crate::generated::OwnType for Tensor<T> {}

impl<T: Element> Clone for Tensor<T> {
    fn clone(&self) -> Self {
        Tensor {
            buffer: self.buffer.clone(),
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            offset: self.offset,
        }
    }
}

impl<T: Element> Tensor<T> {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many axes there are.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        count(&self.shape)
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A tensor of these entries, row by row.
    fn of(shape: Dims, entries: Vec<T>) -> Self {
        debug_assert_eq!(count(&shape), entries.len());
        Tensor {
            buffer: Some(Arc::new(Buffer(entries))),
            strides: dense_strides(&shape),
            shape,
            offset: 0,
        }
    }

    /// Zero everywhere, without a buffer.
    fn zero(shape: Dims) -> Self {
        Tensor {
            buffer: None,
            strides: dense_strides(&shape),
            shape,
            offset: 0,
        }
    }

    /// Zero everywhere, of the shape of `self`, without a buffer: all that is left of a tensor whose entries are not needed.
    pub(crate) fn outline(&self) -> Self {
        Tensor::zero(self.shape.clone())
    }

    /// As [`outline`](Self::outline), of a cotangent that nobody reads.
    fn nobodys(&self) -> Self {
        Tensor {
            offset: UNREAD,
            ..self.outline()
        }
    }

    /// Whether it is such a cotangent.
    fn is_unread(&self) -> bool {
        self.buffer.is_none() && self.offset == UNREAD
    }

    /// Whether it is known to be zero everywhere, without a look at the entries.
    fn is_known_zero(&self) -> bool {
        self.buffer.is_none()
    }

    /// Whether the entries lie row by row without gaps.
    fn is_dense(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut stride = 1;
        for (n, s) in self.shape.iter().zip(&self.strides).rev() {
            if *n != 1 {
                if *s != stride {
                    return false;
                }
                stride *= n;
            }
        }
        true
    }

    /// The entries from the first one on, with strides; none of a tensor without a buffer.
    fn data(&self) -> &[T] {
        self.buffer
            .as_ref()
            .map_or(&[], |buffer| &buffer.0[self.offset.min(buffer.0.len())..])
    }

    /// The entries row by row, where they lie so.
    fn dense(&self) -> Option<&[T]> {
        (self.buffer.is_some() && self.is_dense()).then(|| &self.data()[..self.len()])
    }

    /// The same tensor with its entries row by row, in a buffer.
    fn contiguous(&self) -> Self {
        if self.dense().is_some() {
            self.clone()
        } else {
            Tensor::of(self.shape.clone(), elementwise::gather(self))
        }
    }

    /// Whether the entries can be changed in place: they are nobody else's, and lie row by row.
    fn is_alone(&mut self) -> bool {
        self.is_dense()
            && self
                .buffer
                .as_mut()
                .is_some_and(|buffer| Arc::get_mut(buffer).is_some())
    }

    /// The entries row by row, to be changed: in place where nobody else has them, a copy otherwise.
    fn entries_mut(&mut self) -> &mut [T] {
        if !self.is_alone() {
            *self = Tensor::of(self.shape.clone(), elementwise::gather(self));
        }
        let length = self.len();
        // Of no entries it does not matter where they lie.
        let from = if length == 0 { 0 } else { self.offset };
        let buffer = self.buffer.as_mut().and_then(Arc::get_mut);
        &mut buffer.expect("a buffer of its own").0[from..from + length]
    }
}
