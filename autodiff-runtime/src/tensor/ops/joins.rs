//! Several tensors made one.

use alloc::format;
#[cfg(test)]
use alloc::vec;
use alloc::vec::Vec;

use super::moves::{Cut, write};
use crate::float::Float;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, axis, count, dense_strides, size};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};
use crate::tensor::{AsTensor, Tensor};

/// The tangents of the parts, zeros for those that have none.
fn completed<A: Algebra<T>, T: Float>(x: &[&A], dx: &[Option<&A>]) -> Vec<A> {
    (x.iter().zip(dx))
        .map(|(x, dx)| dx.map_or_else(|| x.nothing(), A::clone))
        .collect()
}

/// One behind the other along an axis that they have.
#[derive(Clone)]
pub(crate) struct Concat {
    pub(crate) axis: isize,
}

impl Concat {
    /// The axis, and the shape of the result.
    fn shape(&self, shapes: &[&[usize]]) -> Result<(usize, Dims)> {
        let Some(first) = shapes.first() else {
            return Err(Error::new("concat", "no tensors are given"));
        };
        let axis = axis("concat", first.len(), self.axis)?;
        let mut whole: Dims = (*first).into();
        whole[axis] = 0;
        for (k, shape) in shapes.iter().enumerate() {
            let alike = shape.len() == first.len()
                && (0..first.len()).all(|other| other == axis || shape[other] == first[other]);
            let sum = shape.get(axis).and_then(|n| whole[axis].checked_add(*n));
            match sum {
                Some(sum) if alike => whole[axis] = sum,
                _ => {
                    return Err(Error::new(
                        "concat",
                        format!(
                            "tensors 0 and {k} have the shapes {first:?} and {shape:?}, which differ in more than the length of axis {axis}"
                        ),
                    ));
                }
            }
        }
        size("concat", &whole)?;
        Ok((axis, whole))
    }
}

impl<T: Float> Operation<T> for Concat {
    const NAME: &'static str = "concat";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let shapes: Vec<&[usize]> = x.iter().map(|x| x.shape()).collect();
        let (axis, whole) = self.shape(&shapes)?;
        if x.iter().all(|x| x.is_known_zero()) {
            return Ok(Tensor::zero(whole));
        }
        let strides = dense_strides(&whole);
        let mut out = anything(count(&whole));
        let mut from = 0;
        for x in x.iter().filter(|x| !x.is_empty()) {
            write(x, &mut out, from, &strides);
            from += x.shape()[axis] * strides[axis];
        }
        Ok(Tensor::of(whole, out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], _: &A, dx: &[Option<&A>]) -> A {
        A::apply(self, &completed(x, dx).iter().collect::<Vec<_>>())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let axis = expect(axis("concat", dy.lengths().len(), self.axis));
        let mut from = 0;
        (x.iter().zip(wanted))
            .map(|(x, wanted)| {
                let (first, length) = (from, x.lengths()[axis]);
                from += length;
                wanted.then(|| dy.then(Cut::of(dy.lengths(), axis, first, length, 1)))
            })
            .collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (
                Concat { axis: 0 },
                vec![shape(&[2, 3]), shifted(&[4, 3], 9.0)],
            ),
            (
                Concat { axis: -1 },
                vec![shape(&[2, 1]), shifted(&[2, 0], 5.0), shifted(&[2, 3], 9.0)],
            ),
            (
                Concat { axis: 1 },
                vec![shape(&[2, 2, 2]), shifted(&[2, 2, 2], 9.0)],
            ),
            (Concat { axis: 0 }, vec![shape(&[3])]),
            (Concat { axis: 0 }, vec![shape(&[1, 0]), shape(&[2, 0])]),
        ]
    }
}

/// One behind the other along a new axis.
#[derive(Clone)]
pub(crate) struct Stack {
    pub(crate) axis: isize,
}

impl<T: Float> Operation<T> for Stack {
    const NAME: &'static str = "stack";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let Some(first) = x.first() else {
            return Err(Error::new("stack", "no tensors are given"));
        };
        axis("stack", first.rank() + 1, self.axis)?;
        if let Some(k) = x.iter().position(|x| x.shape() != first.shape()) {
            return Err(Error::new(
                "stack",
                format!(
                    "tensors 0 and {k} have the shapes {:?} and {:?}",
                    first.shape(),
                    x[k].shape()
                ),
            ));
        }
        let mut whole: Dims = first.shape().into();
        whole.push(x.len());
        size("stack", &whole)?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let mut long: Dims = x[0].lengths().into();
        let at = expect(axis("stack", long.len() + 1, self.axis));
        long.insert(at, 1);
        let parts: Vec<A> = x.iter().map(|x| x.shaped(&long)).collect();
        let concat = Concat { axis: at as isize };
        A::apply(&concat, &parts.iter().collect::<Vec<_>>())
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (Stack { axis: 0 }, vec![shape(&[3]), shifted(&[3], 9.0)]),
            (
                Stack { axis: 1 },
                vec![shape(&[2, 3]), shifted(&[2, 3], 9.0), shifted(&[2, 3], 4.0)],
            ),
            (
                Stack { axis: -1 },
                vec![shape(&[2, 2]), shifted(&[2, 2], 9.0)],
            ),
            (Stack { axis: 0 }, vec![shape(&[]), shifted(&[], 9.0)]),
            (Stack { axis: 1 }, vec![shape(&[2, 0]), shape(&[2, 0])]),
        ]
    }
}

/// The operation on a list of tensors or references to tensors.
fn joined<T: Float>(
    operation: &impl Operation<T>,
    parts: &[impl AsTensor<T>],
) -> Result<Tensor<T>> {
    let parts: Vec<Tensor<T>> = parts.iter().map(AsTensor::as_tensor).collect();
    operation.value(&parts.iter().collect::<Vec<_>>())
}

impl<T: Float> Tensor<T> {
    /// Tensors one behind the other along an axis; their shapes differ in its length at most.
    ///
    /// # Panics
    /// If there are none, or their shapes do not fit.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([[1.0, 2.0]]), Tensor::from([[3.0, 4.0], [5.0, 6.0]]));
    /// assert_eq!(Tensor::concat(&[&a, &b], 0).to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn concat(parts: &[impl AsTensor<T>], axis: isize) -> Self {
        expect(Self::try_concat(parts, axis))
    }

    /// As [`concat`](Tensor::concat).
    ///
    /// # Errors
    /// Where that panics, with the shapes.
    pub fn try_concat(parts: &[impl AsTensor<T>], axis: isize) -> Result<Self> {
        joined(&Concat { axis }, parts)
    }

    /// Tensors of one shape one behind the other along a new axis.
    ///
    /// # Panics
    /// If there are none, or their shapes differ.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0]));
    /// assert_eq!(Tensor::stack(&[&a, &b], 1), Tensor::from([[1.0, 3.0], [2.0, 4.0]]));
    /// ```
    #[track_caller]
    pub fn stack(parts: &[impl AsTensor<T>], axis: isize) -> Self {
        expect(Self::try_stack(parts, axis))
    }

    /// As [`stack`](Tensor::stack).
    ///
    /// # Errors
    /// Where that panics, with the shapes.
    pub fn try_stack(parts: &[impl AsTensor<T>], axis: isize) -> Result<Self> {
        joined(&Stack { axis }, parts)
    }
}

#[cfg(test)]
crate::tensor::testing::operations!(Concat Stack);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::operation::Dual;

    #[test]
    fn what_does_not_fit_is_named() {
        let of = |shape: &[usize]| Tensor::<f64>::ones(shape);
        let message =
            |parts: &[Tensor<f64>], axis| Tensor::try_concat(parts, axis).unwrap_err().to_string();
        assert_eq!(message(&[], 0), "concat: no tensors are given");
        assert_eq!(
            message(&[of(&[2, 3]), of(&[2, 4])], 0),
            "concat: tensors 0 and 1 have the shapes [2, 3] and [2, 4], which differ in more than the length of axis 0"
        );
        assert_eq!(
            message(&[of(&[])], 0),
            "concat: axis 0 of a tensor that has 0 axes"
        );
        assert!(message(&[of(&[2]), of(&[2, 2])], 0).contains("[2] and [2, 2]"));
        assert_eq!(
            Tensor::try_stack(&[of(&[2]), of(&[3])], 0)
                .unwrap_err()
                .to_string(),
            "stack: tensors 0 and 1 have the shapes [2] and [3]"
        );
    }

    #[test]
    fn parts_without_a_tangent_do_not_shift_the_others() {
        let (a, b, c) = (shape::<f64>(&[2]), shape(&[1]), shape(&[3]));
        let duals = [
            Dual::new(a, None),
            Dual::new(b, None),
            Dual::new(c.clone(), Some(Tensor::ones(&[3]))),
        ];
        let y = Dual::apply(&Concat { axis: 0 }, &duals.iter().collect::<Vec<_>>());
        assert_eq!(y.into_dot().to_vec(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let dy = Tensor::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let x = [&shape(&[2]), &shape(&[1]), &c];
        let back = Concat { axis: 0 }.pull(&x, &dy, &dy, &[false, false, true]);
        assert!(back[0].is_none() && back[1].is_none());
        assert_eq!(back[2].as_ref().unwrap().to_vec(), [4.0, 5.0, 6.0]);
    }
}
