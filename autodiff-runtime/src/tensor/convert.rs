//! Tensors from and into what other crates, and files, hold arrays in.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Tensor, elementwise};
use crate::element::Element;

#[cfg(feature = "approx")]
mod approx;
mod matrix;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(any(feature = "npy", feature = "safetensors"))]
mod named;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "npy")]
mod npy;
#[cfg(feature = "safetensors")]
mod safetensors;
#[cfg(feature = "serde")]
mod serde;

#[cfg(any(feature = "npy", feature = "safetensors"))]
pub use named::NamedTensors;

impl<T: Element> Tensor<T> {
    /// The entries row by row, in a list of their own: the buffer itself where nobody else has it.
    fn into_entries(mut self) -> Vec<T> {
        let length = self.len();
        if self.is_dense() && self.offset == 0 {
            if let Some(buffer) = self.buffer.as_mut().and_then(Arc::get_mut) {
                if buffer.0.len() == length {
                    return core::mem::take(&mut buffer.0);
                }
            }
        }
        elementwise::gather(&self)
    }
}
