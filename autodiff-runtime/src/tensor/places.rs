//! `Tensor::from_fn` as generated code has it: a loop over the places of entries.

use super::dims::{Dims, size};
use super::error::expect;

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
