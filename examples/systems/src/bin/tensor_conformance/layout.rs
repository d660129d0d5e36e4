//! The same numbers, laid out otherwise in memory.

use autodiff::Tensor;

/// How the entries of a tensor lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Layout {
    /// One behind the other.
    Dense,
    /// The first axis runs fastest.
    Transposed,
    /// From the last to the first, flipped back.
    Flipped,
    /// Every second entry of every axis of a larger tensor.
    Sparse,
    /// Axes along which all entries are alike have one entry in memory.
    Expanded,
}

impl Layout {
    pub(crate) const ALL: [Layout; 5] = [
        Layout::Dense,
        Layout::Transposed,
        Layout::Flipped,
        Layout::Sparse,
        Layout::Expanded,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Layout::Dense => "dense",
            Layout::Transposed => "transposed",
            Layout::Flipped => "flipped",
            Layout::Sparse => "sparse",
            Layout::Expanded => "expanded",
        }
    }

    /// A tensor with the entries of `x`.
    pub(crate) fn of(self, x: &Tensor<f64>) -> Tensor<f64> {
        match self {
            Layout::Dense => x.clone(),
            Layout::Transposed => {
                let backwards: Vec<isize> = (0..x.rank() as isize).rev().collect();
                let turned = x.permute(&backwards);
                Tensor::from_vec(turned.shape(), turned.to_vec()).permute(&backwards)
            }
            Layout::Flipped => {
                let turned: Vec<f64> = x.to_vec().into_iter().rev().collect();
                Tensor::from_vec(x.shape(), turned).flip(..)
            }
            Layout::Sparse => {
                let shape: Vec<usize> = x.shape().iter().map(|n| 2 * n).collect();
                let is_between = |at: &[usize]| at.iter().any(|k| k % 2 == 1);
                let wide = Tensor::from_fn(&shape, |at| {
                    if is_between(at) {
                        return f64::NAN;
                    }
                    let at: Vec<usize> = at.iter().map(|k| k / 2).collect();
                    x[&at[..]]
                });
                (0..x.rank() as isize).fold(wide, |wide, axis| wide.slice(axis, 0, isize::MAX, 2))
            }
            Layout::Expanded => {
                let mut one = x.clone();
                for axis in 0..x.rank() as isize {
                    if one.shape()[axis as usize] == 0 {
                        continue;
                    }
                    let first = one.narrow(axis, 0, 1);
                    let alike = first
                        .broadcast_to(one.shape())
                        .iter()
                        .zip(&one)
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    if alike {
                        one = first;
                    }
                }
                one.broadcast_to(x.shape())
            }
        }
    }

    /// A tensor that repeats the first entries of `x` along its last axis that has several; none if there is no such axis.
    pub(crate) fn repeated(x: &Tensor<f64>) -> Option<Tensor<f64>> {
        let axis = x.shape().iter().rposition(|n| *n > 1)?;
        Some(x.narrow(axis as isize, 0, 1).broadcast_to(x.shape()))
    }
}
