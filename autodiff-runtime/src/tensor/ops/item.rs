//! The number in a tensor that has one.

use super::moves::Reshape;
use crate::tensor::dims::Dims;
use crate::tensor::forms::{attribute, methods};

methods! {
    /// The only entry.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[2.5]]).item(), 2.5);
    /// assert!(Tensor::from([1.0, 2.0]).try_item().is_err());
    /// ```
    item(;) -> scalar = Reshape { shape: Dims::new() };
}
