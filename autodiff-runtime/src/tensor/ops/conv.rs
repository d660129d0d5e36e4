//! Convolutions: windows of the input, times the weights.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::linear;
use crate::float::Float;
use crate::parallel::{Amount, Blocks, Work, divide};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, count, size};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::filled;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

macro_rules! options {
    ($(#[$doc:meta])* $name:ident, $length:ty, $one:expr, $zero:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            stride: $length,
            padding: $length,
            dilation: $length,
            groups: usize,
        }

        impl Default for $name {
            fn default() -> Self {
                $name { stride: $one, padding: $zero, dilation: $one, groups: 1 }
            }
        }

        impl $name {
            /// Step 1, no padding, neighbours, one group.
            #[must_use]
            pub fn new() -> Self {
                Self::default()
            }

            /// From one window to the next.
            #[must_use]
            pub fn stride(mut self, stride: $length) -> Self {
                self.stride = stride;
                self
            }

            /// How many zeros there are on each side.
            #[must_use]
            pub fn padding(mut self, padding: $length) -> Self {
                self.padding = padding;
                self
            }

            /// From one entry of a window to the next.
            #[must_use]
            pub fn dilation(mut self, dilation: $length) -> Self {
                self.dilation = dilation;
                self
            }

            /// Into how many groups the channels are divided, each of which sees its own inputs only.
            #[must_use]
            pub fn groups(mut self, groups: usize) -> Self {
                self.groups = groups;
                self
            }
        }
    };
}

options! {
    /// How the windows of [`conv1d`](Tensor::conv1d) lie.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Conv1d;
    /// let halved = Conv1d::new().stride(2).padding(1);
    /// assert_ne!(halved, Conv1d::default());
    /// ```
    Conv1d, usize, 1, 0
}
options! {
    /// How the windows of [`conv2d`](Tensor::conv2d) lie, by rows and by columns.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Conv2d;
    /// let halved = Conv2d::new().stride([2, 2]).padding([1, 1]);
    /// assert_ne!(halved, Conv2d::default());
    /// ```
    Conv2d, [usize; 2], [1, 1], [0, 0]
}

impl From<Conv1d> for Conv2d {
    fn from(one: Conv1d) -> Self {
        Conv2d {
            stride: [1, one.stride],
            padding: [0, one.padding],
            dilation: [1, one.dilation],
            groups: one.groups,
        }
    }
}

/// Windows of the last two axes.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub(super) kernel: [usize; 2],
    pub(super) stride: [usize; 2],
    pub(super) padding: [usize; 2],
    pub(super) dilation: [usize; 2],
}

impl Window {
    /// How many windows there are along each axis.
    pub(super) fn number(&self, operation: &'static str, input: [usize; 2]) -> Result<[usize; 2]> {
        for (name, of) in [
            ("stride", self.stride),
            ("dilation", self.dilation),
            ("kernel", self.kernel),
        ] {
            if of.contains(&0) {
                return Err(Error::new(
                    operation,
                    format!("the {name} {of:?} has a length of 0"),
                ));
            }
        }
        let mut number = [0; 2];
        for axis in 0..2 {
            let reach = (self.kernel[axis] - 1)
                .checked_mul(self.dilation[axis])
                .and_then(|k| k.checked_add(1));
            let padded = self.padding[axis]
                .checked_mul(2)
                .and_then(|k| k.checked_add(input[axis]));
            let (Some(reach), Some(padded)) = (reach, padded) else {
                return Err(Error::new(
                    operation,
                    "the windows are larger than what fits into memory",
                ));
            };
            let Some(rest) = padded.checked_sub(reach) else {
                return Err(Error::new(
                    operation,
                    format!(
                        "the kernel {:?} reaches over {reach}, but axis {axis} of the input {input:?} has {padded} with its padding",
                        self.kernel
                    ),
                ));
            };
            number[axis] = rest / self.stride[axis] + 1;
        }
        Ok(number)
    }

    /// The windows along an axis whose entry `offset` lies in an input of this length: from, to, and where the first one's entry is.
    fn inside(
        &self,
        axis: usize,
        offset: usize,
        length: usize,
        number: usize,
    ) -> (usize, usize, usize) {
        let (stride, padding) = (self.stride[axis], self.padding[axis]);
        let at = offset * self.dilation[axis];
        let from = padding.saturating_sub(at).div_ceil(stride);
        let to = (length + padding)
            .saturating_sub(at)
            .div_ceil(stride)
            .min(number);
        if from >= to {
            return (0, 0, 0);
        }
        (from, to, from * stride + at - padding)
    }

    /// Calls `row` for every run of entries that lie in the input: where it begins in the input, where in the windows, and how long it is.
    fn runs(
        &self,
        input: [usize; 2],
        number: [usize; 2],
        mut row: impl FnMut(usize, usize, usize),
    ) {
        let [h, w] = number;
        for i in 0..self.kernel[0] {
            let (i_from, i_to, i_first) = self.inside(0, i, input[0], h);
            for j in 0..self.kernel[1] {
                let (j_from, j_to, j_first) = self.inside(1, j, input[1], w);
                if j_from == j_to {
                    continue;
                }
                for k in i_from..i_to {
                    let from = (i_first + (k - i_from) * self.stride[0]) * input[1] + j_first;
                    let to = ((i * self.kernel[1] + j) * h + k) * w + j_from;
                    row(from, to, j_to - j_from);
                }
            }
        }
    }
}

/// The last two axes, and those before them.
pub(super) fn planes(shape: &[usize]) -> (&[usize], [usize; 2]) {
    let (outer, inner) = shape.split_at(shape.len() - 2);
    (outer, [inner[0], inner[1]])
}

/// Calls `plane` for each plane of a result, which has so many entries, with its number; so many are read or written for it.
fn by_planes<T: Float>(
    out: &mut [T],
    length: usize,
    each: usize,
    plane: impl Fn(usize, &mut [T]) + Sync,
) {
    let amount = Amount {
        work: Work::Memory,
        units: out.len() / length,
        each,
    };
    divide(Blocks(out, length), amount, |some, Blocks(out, _)| {
        for (out, k) in out.chunks_exact_mut(length).zip(some) {
            plane(k, out);
        }
    });
}

/// All windows of the last two axes: [.., h, w] to [.., k, l, windows by rows, windows by columns], zeros where a window reaches beyond.
#[derive(Clone)]
struct Windows {
    window: Window,
}

/// Every entry back to its place, where those of several windows are added.
#[derive(Clone)]
struct Fold {
    window: Window,
    input: [usize; 2],
}

impl<T: Float> Operation<T> for Windows {
    const NAME: &'static str = "conv";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let (outer, input) = planes(x[0].shape());
        let number = self.window.number("conv", input)?;
        let mut whole: Dims = outer.into();
        whole.extend(self.window.kernel.into_iter().chain(number));
        let mut out = filled(size("conv", &whole)?, T::ZERO);
        let (from, to) = (count(&input), count(&whole[outer.len()..]));
        if x[0].is_known_zero() || from == 0 || out.is_empty() {
            return Ok(Tensor::of(whole, out));
        }
        let x = x[0].contiguous();
        let step = self.window.stride[1];
        let entries = x.data();
        by_planes(&mut out, to, to, |k, out| {
            let x = &entries[k * from..(k + 1) * from];
            self.window.runs(input, number, |from, to, n| {
                let out = &mut out[to..to + n];
                if step == 1 {
                    out.copy_from_slice(&x[from..from + n]);
                } else {
                    for (out, x) in out.iter_mut().zip(x[from..].iter().step_by(step)) {
                        *out = *x;
                    }
                }
            });
        });
        Ok(Tensor::of(whole, out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let (_, input) = planes(x[0].lengths());
        vec![Some(dy.then(Fold {
            window: self.window,
            input,
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        windows()
            .into_iter()
            .map(|(window, input)| (Windows { window }, vec![shape(&[2, input[0], input[1]])]))
            .collect()
    }
}

impl<T: Float> Operation<T> for Fold {
    const NAME: &'static str = "conv";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let outer = &x[0].shape()[..x[0].rank() - 4];
        let number = self.window.number("conv", self.input)?;
        let mut whole: Dims = outer.into();
        whole.extend(self.input);
        let mut out = filled(size("conv", &whole)?, T::ZERO);
        let (from, to) = (count(&x[0].shape()[outer.len()..]), count(&self.input));
        if x[0].is_known_zero() || to == 0 || from == 0 {
            return Ok(Tensor::of(whole, out));
        }
        let x = x[0].contiguous();
        let step = self.window.stride[1];
        let entries = x.data();
        by_planes(&mut out, to, from, |k, out| {
            let x = &entries[k * from..(k + 1) * from];
            self.window.runs(self.input, number, |to, from, n| {
                let x = &x[from..from + n];
                if step == 1 {
                    for (out, x) in out[to..to + n].iter_mut().zip(x) {
                        *out += *x;
                    }
                } else {
                    for (out, x) in out[to..].iter_mut().step_by(step).zip(x) {
                        *out += *x;
                    }
                }
            });
        });
        Ok(Tensor::of(whole, out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Windows {
            window: self.window,
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        (windows().into_iter())
            .filter_map(|(window, input)| {
                let [h, w] = window.number("conv", input).ok()?;
                let [k, l] = window.kernel;
                Some((Fold { window, input }, vec![shape(&[2, k, l, h, w])]))
            })
            .collect()
    }
}

#[cfg(test)]
fn windows() -> Vec<(Window, [usize; 2])> {
    let window = |kernel, stride, padding, dilation| Window {
        kernel,
        stride,
        padding,
        dilation,
    };
    vec![
        (window([2, 3], [1, 1], [0, 0], [1, 1]), [3, 4]),
        (window([2, 2], [2, 3], [1, 0], [1, 1]), [4, 6]),
        (window([1, 2], [1, 1], [0, 4], [1, 2]), [1, 3]),
        (window([3, 2], [2, 1], [3, 2], [2, 1]), [3, 2]),
        (window([2, 2], [3, 3], [0, 0], [1, 1]), [6, 7]),
        (window([1, 1], [4, 4], [2, 2], [1, 1]), [3, 3]),
        (window([2, 1], [1, 1], [1, 0], [1, 1]), [0, 2]),
    ]
}

/// The correlation of the last two axes with windows of weights.
#[derive(Clone)]
pub(crate) struct Convolution {
    name: &'static str,
    options: Conv2d,
}

/// Lengths of a convolution.
struct Sizes {
    window: Window,
    /// Images, groups, channels of an input group and of a result's group.
    n: usize,
    groups: usize,
    from: usize,
    to: usize,
    number: [usize; 2],
}

impl Sizes {
    /// Entries of the windows at one place that one group sees.
    fn inner(&self) -> usize {
        self.from * count(&self.window.kernel)
    }

    fn columns(&self) -> [usize; 4] {
        [self.n, self.groups, self.inner(), count(&self.number)]
    }

    fn weights(&self) -> [usize; 4] {
        [1, self.groups, self.to, self.inner()]
    }

    fn product(&self) -> [usize; 4] {
        [self.n, self.groups, self.to, count(&self.number)]
    }

    fn result(&self) -> [usize; 4] {
        [
            self.n,
            self.groups * self.to,
            self.number[0],
            self.number[1],
        ]
    }
}

impl Convolution {
    fn sizes(&self, x: &[usize], w: &[usize]) -> Result<Sizes> {
        let fail = |reason: &str| Err(Error::shapes(self.name, reason, x, w));
        let (&[n, c, h, width], &[o, per_group, k, l]) = (x, w) else {
            return fail(
                "an input of images, channels and places, and weights of outputs, channels and places are expected",
            );
        };
        let Conv2d {
            stride,
            padding,
            dilation,
            groups,
        } = self.options;
        if groups == 0 || c % groups != 0 || o % groups != 0 {
            return fail(&format!("the channels are not divided by {groups} groups"));
        }
        if per_group != c / groups {
            return fail(&format!(
                "a group of the input has {} channels, one of the weights {per_group}",
                c / groups
            ));
        }
        let window = Window {
            kernel: [k, l],
            stride,
            padding,
            dilation,
        };
        let number = window.number(self.name, [h, width])?;
        let sizes = Sizes {
            window,
            n,
            groups,
            from: per_group,
            to: o / groups,
            number,
        };
        size(self.name, &sizes.columns())?;
        size(self.name, &sizes.result())?;
        Ok(sizes)
    }

    fn columns<T: Float, A: Algebra<T>>(sizes: &Sizes, x: &A) -> A {
        x.then(Windows {
            window: sizes.window,
        })
        .shaped(&sizes.columns())
    }
}

impl<T: Float> Operation<T> for Convolution {
    const NAME: &'static str = "conv";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let sizes = self.sizes(x[0].shape(), x[1].shape())?;
        let weights = x[1].reshaped(&sizes.weights());
        let y = Formulas::matmul(&weights, &Self::columns(&sizes, x[0]));
        Ok(y.reshaped(&sizes.result()))
    }

    super::products::bilinear!();

    // The windows are taken again: they are larger than the input by the size of the kernel.
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let Ok(sizes) = self.sizes(x[0].lengths(), x[1].lengths()) else {
            return vec![Some(y.nothing()), None];
        };
        let d = dy.shaped(&sizes.product());
        vec![
            wanted[0].then(|| {
                let back = x[1].shaped(&sizes.weights()).transposed().matmul(&d);
                let ([n, c], input) = (
                    [sizes.n, sizes.groups * sizes.from],
                    planes(x[0].lengths()).1,
                );
                let ([k, l], [h, w]) = (sizes.window.kernel, sizes.number);
                back.shaped(&[n, c, k, l, h, w]).then(Fold {
                    window: sizes.window,
                    input,
                })
            }),
            wanted[1].then(|| {
                let columns = Self::columns(&sizes, x[0]);
                d.matmul(&columns.transposed())
                    .summed_to(&sizes.weights())
                    .shaped(x[1].lengths())
            }),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |options: Conv2d, x: &[usize], w: &[usize]| {
            (
                Convolution {
                    name: "conv2d",
                    options,
                },
                vec![shape(x), shifted(w, 31.0)],
            )
        };
        let plain = Conv2d::new();
        vec![
            of(plain, &[2, 3, 3, 4], &[2, 3, 2, 3]),
            of(
                plain.padding([1, 0]).stride([1, 2]),
                &[1, 2, 3, 5],
                &[2, 2, 3, 2],
            ),
            of(
                plain.stride([2, 1]).padding([0, 1]).groups(2),
                &[1, 4, 4, 3],
                &[4, 2, 2, 3],
            ),
            of(plain.groups(3), &[2, 3, 2, 3], &[3, 1, 2, 1]),
            of(
                plain.dilation([2, 1]).padding([2, 3]),
                &[1, 2, 3, 2],
                &[1, 2, 2, 2],
            ),
            of(plain.stride([3, 3]), &[1, 1, 5, 6], &[2, 1, 2, 2]),
            of(plain, &[0, 2, 3, 3], &[2, 2, 2, 2]),
            of(plain, &[1, 2, 2, 2], &[0, 2, 2, 2]),
            of(plain, &[2, 0, 2, 2], &[3, 0, 2, 2]),
        ]
    }
}

/// The correlation of the last axis with windows of weights.
#[derive(Clone)]
pub(crate) struct Convolution1d(pub(crate) Conv1d);

impl Convolution1d {
    /// As one of two axes, the first of which has length 1.
    fn wide<T: Float, A: Algebra<T>>(&self, x: &[&A]) -> Result<(Convolution, [A; 2])> {
        let [a, b] = [x[0].lengths(), x[1].lengths()];
        let (&[n, c, l], &[o, i, k]) = (a, b) else {
            return Err(Error::shapes(
                "conv1d",
                "an input of rows, channels and places, and weights of outputs, channels and places are expected",
                a,
                b,
            ));
        };
        let convolution = Convolution {
            name: "conv1d",
            options: self.0.into(),
        };
        convolution.sizes(&[n, c, 1, l], &[o, i, 1, k])?;
        Ok((
            convolution,
            [x[0].shaped(&[n, c, 1, l]), x[1].shaped(&[o, i, 1, k])],
        ))
    }
}

/// Without the axis of length 1 before the last one.
pub(super) fn narrow<T: Float, A: Algebra<T>>(x: &A) -> A {
    let mut shape: Dims = x.lengths().into();
    shape.remove(shape.len() - 2);
    x.shaped(&shape)
}

/// With an axis of length 1 before the last one.
pub(super) fn widened<T: Float, A: Algebra<T>>(x: &A) -> A {
    let mut shape: Dims = x.lengths().into();
    shape.insert(shape.len() - 1, 1);
    x.shaped(&shape)
}

impl<T: Float> Operation<T> for Convolution1d {
    const NAME: &'static str = "conv1d";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let (convolution, [x, w]) = self.wide(x)?;
        Ok(narrow(&convolution.value(&[&x, &w])?))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Ok((convolution, [a, b])) = self.wide(x) else {
            return y.nothing();
        };
        let dots = [0, 1].map(|k| dx[k].map(widened));
        narrow(&convolution.push(
            &[&a, &b],
            &widened(y),
            &[dots[0].as_ref(), dots[1].as_ref()],
        ))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let Ok((convolution, [a, b])) = self.wide(x) else {
            return vec![None, None];
        };
        let bars = convolution.pull(&[&a, &b], &widened(y), &widened(dy), wanted);
        bars.into_iter().map(|d| d.map(|d| narrow(&d))).collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |options: Conv1d, x: &[usize], w: &[usize]| {
            (Convolution1d(options), vec![shape(x), shifted(w, 31.0)])
        };
        let plain = Conv1d::new();
        vec![
            of(plain.padding(1), &[2, 3, 4], &[2, 3, 3]),
            of(plain.stride(2).groups(2), &[1, 4, 6], &[2, 2, 3]),
            of(plain.padding(2).dilation(3), &[1, 2, 4], &[2, 2, 2]),
        ]
    }
}

methods! {
    /// The correlation of rows of channels with windows of weights: [n, c, l] with [o, c / groups, k] is [n, o, places].
    ///
    /// A bias of one number per output is added as `+ bias.reshape(&[o, 1])`. The input is padded with zeros; there are ⌊(l + 2 padding − dilation (k − 1) − 1) / stride⌋ + 1 places.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{Conv1d, Tensor};
    /// let x = Tensor::from_vec(&[1, 1, 4], vec![1.0, 2.0, 3.0, 4.0]);
    /// let w = Tensor::from_vec(&[1, 1, 2], vec![-1.0, 1.0]);
    /// assert_eq!(x.conv1d(w, Conv1d::new().stride(2)).to_vec(), [1.0, 1.0]);
    /// ```
    conv1d(weight; options: given [Conv1d]) -> tensor = Convolution1d(options);
    /// The correlation of images of channels with windows of weights: [n, c, h, w] with [o, c / groups, k, l] is [n, o, places by rows, places by columns].
    ///
    /// A bias of one number per output is added as `+ bias.reshape(&[o, 1, 1])`. The input is padded with zeros.
    ///
    /// ```
    /// use autodiff_runtime::tensor::{Conv2d, Tensor};
    /// let x = Tensor::ones(&[1, 2, 3, 3]);
    /// let y = x.conv2d(Tensor::full(&[1, 2, 2, 2], 0.5), Conv2d::new());
    /// assert_eq!((y.shape(), y[[0, 0, 1, 1]]), (&[1, 1, 2, 2][..], 4.0));
    /// ```
    conv2d(weight; options: given [Conv2d]) -> tensor = Convolution { name: "conv2d", options };
}

#[cfg(test)]
crate::tensor::testing::operations!(Windows Fold Convolution Convolution1d);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::pulled;

    /// By its definition, place by place.
    fn by_hand(x: &Tensor<f64>, w: &Tensor<f64>, o: Conv2d) -> Tensor<f64> {
        let [h, v] = [0, 1].map(|axis| {
            (x.shape()[axis + 2] + 2 * o.padding[axis]
                - o.dilation[axis] * (w.shape()[axis + 2] - 1)
                - 1)
                / o.stride[axis]
                + 1
        });
        let (inputs, outputs) = (w.shape()[1], w.shape()[0] / o.groups);
        Tensor::from_fn(&[x.shape()[0], w.shape()[0], h, v], |at| {
            let mut sum = 0.0;
            for c in 0..inputs {
                for i in 0..w.shape()[2] {
                    for j in 0..w.shape()[3] {
                        let row =
                            (at[2] * o.stride[0] + i * o.dilation[0]).wrapping_sub(o.padding[0]);
                        let column =
                            (at[3] * o.stride[1] + j * o.dilation[1]).wrapping_sub(o.padding[1]);
                        if row < x.shape()[2] && column < x.shape()[3] {
                            sum += w[[at[1], c, i, j]]
                                * x[[at[0], at[1] / outputs * inputs + c, row, column]];
                        }
                    }
                }
            }
            sum
        })
    }

    #[test]
    fn places_are_those_of_the_definition() {
        for (options, x, w) in [
            (Conv2d::new(), [2, 3, 4, 5], [4, 3, 2, 3]),
            (
                Conv2d::new().stride([2, 1]).padding([0, 2]).groups(2),
                [1, 4, 6, 3],
                [6, 2, 3, 2],
            ),
            (
                Conv2d::new().dilation([1, 3]).padding([4, 3]),
                [1, 2, 2, 3],
                [2, 2, 3, 2],
            ),
            (
                Conv2d::new().groups(3).stride([3, 2]),
                [2, 3, 7, 4],
                [3, 1, 1, 2],
            ),
        ] {
            let (x, w) = (shape(&x), shifted(&w, 8.0));
            assert!(
                x.conv2d(&w, options)
                    .allclose(&by_hand(&x, &w, options), 1e-13, 1e-14)
            );
        }
    }

    #[test]
    fn what_no_window_reaches_has_gradient_zero() {
        let of = Convolution {
            name: "conv2d",
            options: Conv2d::new().stride([3, 3]),
        };
        let bars = pulled(
            &of,
            &[Tensor::ones(&[1, 1, 5, 6]), Tensor::ones(&[1, 1, 2, 2])],
            &Tensor::ones(&[1, 1, 2, 2]),
        );
        assert_eq!(bars[0].to_vec()[..6], [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(bars[0].to_vec()[12..18], [0.0; 6]);
        assert_eq!((bars[1].shape(), bars[1].sum()), (&[1, 1, 2, 2][..], 16.0));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let x = Tensor::<f64>::ones(&[1, 4, 3, 3]);
        let fails = |w: &[usize], options: Conv2d, expected: &str| {
            assert_eq!(
                x.try_conv2d(Tensor::ones(w), options)
                    .unwrap_err()
                    .to_string(),
                expected
            );
        };
        fails(
            &[2, 4, 5, 1],
            Conv2d::new(),
            "conv2d: the kernel [5, 1] reaches over 5, but axis 0 of the input [3, 3] has 3 with its padding",
        );
        fails(
            &[2, 3, 1, 1],
            Conv2d::new(),
            "conv2d: a group of the input has 4 channels, one of the weights 3: [1, 4, 3, 3] and [2, 3, 1, 1]",
        );
        fails(
            &[2, 4, 1, 1],
            Conv2d::new().groups(3),
            "conv2d: the channels are not divided by 3 groups: [1, 4, 3, 3] and [2, 4, 1, 1]",
        );
        fails(
            &[2, 4, 1, 1],
            Conv2d::new().groups(0),
            "conv2d: the channels are not divided by 0 groups: [1, 4, 3, 3] and [2, 4, 1, 1]",
        );
        fails(
            &[2, 4, 1, 1],
            Conv2d::new().stride([0, 1]),
            "conv2d: the stride [0, 1] has a length of 0",
        );
        fails(
            &[2, 4, 1],
            Conv2d::new(),
            "conv2d: an input of images, channels and places, and weights of outputs, channels and places are expected: [1, 4, 3, 3] and [2, 4, 1]",
        );
        let row = Tensor::<f64>::ones(&[1, 2, 3]);
        assert_eq!(
            row.try_conv1d(Tensor::ones(&[1, 2, 4]), Conv1d::new())
                .unwrap_err()
                .to_string(),
            "conv1d: the kernel [1, 4] reaches over 4, but axis 1 of the input [1, 3] has 3 with its padding"
        );
    }
}
