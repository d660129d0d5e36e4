//! `Tensor::from_fn`, and what runs over entries, as generated code has it: a loop over their places.

use core::ops::{Index, IndexMut};

use super::Tensor;
use super::dims::{Dims, size};
use super::error::expect;
use crate::element::Element;

/// The entry of this number, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Entry(pub usize);

impl<T: Element> Index<Entry> for Tensor<T> {
    type Output = T;
    #[track_caller]
    fn index(&self, Entry(k): Entry) -> &T {
        &self[place(self.shape(), k).as_ref()]
    }
}

impl<T: Element> IndexMut<Entry> for Tensor<T> {
    #[track_caller]
    fn index_mut(&mut self, Entry(k): Entry) -> &mut T {
        let at = place(self.shape(), k);
        &mut self[at.as_ref()]
    }
}

/// How many entries a tensor of this shape has.
///
/// # Panics
///
/// If it has more than fit into memory.
#[must_use]
#[track_caller]
pub fn number(shape: &[usize]) -> usize {
    expect(size("from_fn", shape))
}

/// The index of entry `k`, row by row.
#[must_use]
pub fn place(shape: &[usize], k: usize) -> impl AsRef<[usize]> + use<> {
    let (mut at, mut rest) = (Dims::from_elem(0, shape.len()), k);
    for (index, length) in at.iter_mut().zip(shape).rev() {
        *index = rest % length;
        rest /= length;
    }
    at
}

#[cfg(test)]
mod tests {
    use crate::tensor::Tensor;

    #[test]
    fn places_are_those_of_from_fn() {
        for shape in [&[][..], &[3], &[2, 3], &[2, 1, 4], &[2, 0]] {
            let mut k = 0;
            let _ = Tensor::from_fn(shape, |at| {
                assert_eq!(super::place(shape, k).as_ref(), at);
                k += 1;
                0.0
            });
            assert_eq!(super::number(shape), k);
        }
    }
}
