//! How tensors are made.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::dims::{Dims, size};
use super::error::{Error, Result, expect};
use super::{Tensor, storage};
use crate::element::Element;
use crate::float::Float;

impl<T: Element> Tensor<T> {
    /// A tensor of zeros (`false` in a mask); it takes no memory until something is written.
    ///
    /// # Panics
    /// If the shape has more entries than fit into memory.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::<f32>::zeros(&[2, 2]).to_vec(), [0.0; 4]);
    /// ```
    #[track_caller]
    pub fn zeros(shape: &[usize]) -> Self {
        expect(Self::try_zeros(shape))
    }

    /// As [`zeros`](Tensor::zeros).
    ///
    /// # Errors
    /// Where that panics.
    pub fn try_zeros(shape: &[usize]) -> Result<Self> {
        size("zeros", shape)?;
        Ok(Tensor::zero(shape.into()))
    }

    /// A tensor of one value.
    ///
    /// # Panics
    /// If the shape has more entries than fit into memory.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::full(&[3], 0.5).to_vec(), [0.5; 3]);
    /// ```
    #[track_caller]
    pub fn full(shape: &[usize], value: T) -> Self {
        let length = expect(size("full", shape));
        Tensor::of(shape.into(), storage::filled(length, value))
    }

    /// A tensor of entries row by row.
    ///
    /// # Panics
    /// If there are not as many as the shape says, with both numbers.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from_vec(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x[[1, 0]], 3.0);
    /// ```
    #[track_caller]
    pub fn from_vec(shape: &[usize], entries: Vec<T>) -> Self {
        expect(Self::try_from_vec(shape, entries))
    }

    /// As [`from_vec`](Tensor::from_vec).
    ///
    /// # Errors
    /// Where that panics.
    pub fn try_from_vec(shape: &[usize], entries: Vec<T>) -> Result<Self> {
        let length = size("from_vec", shape)?;
        if length != entries.len() {
            return Err(Error::new(
                "from_vec",
                format!(
                    "the shape {shape:?} has {length} entries, but {} are given",
                    entries.len()
                ),
            ));
        }
        Ok(Tensor::of(shape.into(), entries))
    }

    /// A tensor whose entries a function of their indices gives.
    ///
    /// # Panics
    /// If the shape has more entries than fit into memory.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from_fn(&[2, 3], |at| (10 * at[0] + at[1]) as f64);
    /// assert_eq!(x[[1, 2]], 12.0);
    /// ```
    #[track_caller]
    pub fn from_fn(shape: &[usize], mut entry: impl FnMut(&[usize]) -> T) -> Self {
        let length = expect(size("from_fn", shape));
        let mut at = vec![0; shape.len()];
        let entries = (0..length)
            .map(|_| {
                let value = entry(&at);
                advance(&mut at, shape);
                value
            })
            .collect();
        Tensor::of(shape.into(), entries)
    }

    /// A tensor of rank 0.
    pub fn scalar(value: T) -> Self {
        Tensor::of(Dims::new(), vec![value])
    }
}

/// The next index, row by row.
pub(super) fn advance(at: &mut [usize], shape: &[usize]) {
    for axis in (0..shape.len()).rev() {
        at[axis] += 1;
        if at[axis] < shape[axis] {
            return;
        }
        at[axis] = 0;
    }
}

impl<T: Float> Tensor<T> {
    /// A tensor of ones.
    ///
    /// # Panics
    /// If the shape has more entries than fit into memory.
    #[track_caller]
    pub fn ones(shape: &[usize]) -> Self {
        Tensor::full(shape, T::ONE)
    }

    /// The identity matrix of `n` rows.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::<f64>::eye(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn eye(n: usize) -> Self {
        Tensor::from_fn(&[n, n], |at| if at[0] == at[1] { T::ONE } else { T::ZERO })
    }

    /// `start`, `start + step`, … before `stop`, each computed from its number.
    ///
    /// # Panics
    /// If the step is zero or there are more entries than fit into memory.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::arange(0.0, 1.0, 0.25).to_vec(), [0.0, 0.25, 0.5, 0.75]);
    /// ```
    #[track_caller]
    pub fn arange(start: T, stop: T, step: T) -> Self {
        let count = ((stop.to_f64() - start.to_f64()) / step.to_f64()).ceil();
        assert!(
            count.is_finite(),
            "arange: there is no number of steps of {step} from {start} to {stop}"
        );
        let count = count.max(0.0) as usize;
        Tensor::from_fn(&[count], |at| start + T::from_f64(at[0] as f64) * step)
    }

    /// `count` numbers at equal distances from `start` to `stop`, both of them included.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::linspace(0.0, 1.0, 5).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// ```
    #[track_caller]
    pub fn linspace(start: T, stop: T, count: usize) -> Self {
        let step = (stop.to_f64() - start.to_f64()) / (count.max(2) - 1) as f64;
        Tensor::from_fn(&[count], |at| {
            if at[0] > 0 && at[0] == count - 1 {
                stop
            } else {
                T::from_f64(start.to_f64() + at[0] as f64 * step)
            }
        })
    }

    /// Normally distributed numbers of mean 0 and variance 1, from a caller's generator of numbers that are uniform in [0, 1).
    ///
    /// Source: the transformation of Box and Muller (1958).
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let mut state = 1_u64;
    /// let mut uniform = || {
    ///     state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    ///     (state >> 11) as f64 / (1_u64 << 53) as f64
    /// };
    /// let x = Tensor::<f64>::randn(&[1000], &mut uniform);
    /// assert!(x.mean().abs() < 0.1);
    /// ```
    #[track_caller]
    pub fn randn(shape: &[usize], uniform: &mut impl FnMut() -> f64) -> Self {
        let mut second = None;
        Tensor::from_fn(shape, |_| {
            T::from_f64(second.take().unwrap_or_else(|| {
                // 1 − u is never 0.
                let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
                let (sin, cos) = (core::f64::consts::TAU * uniform()).sin_cos();
                second = Some(radius * sin);
                radius * cos
            }))
        })
    }
}

impl<T: Element> From<Vec<T>> for Tensor<T> {
    fn from(entries: Vec<T>) -> Self {
        Tensor::of([entries.len()].into_iter().collect(), entries)
    }
}

impl<T: Element> From<&[T]> for Tensor<T> {
    fn from(entries: &[T]) -> Self {
        entries.to_vec().into()
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Tensor<T> {
    fn from(entries: [T; N]) -> Self {
        Vec::from(entries).into()
    }
}

impl<T: Element, const N: usize, const M: usize> From<[[T; M]; N]> for Tensor<T> {
    fn from(rows: [[T; M]; N]) -> Self {
        Tensor::of([N, M].into_iter().collect(), rows.concat())
    }
}
