//! Sums, products and quotients, entry by entry.

use alloc::vec;
use alloc::vec::Vec;

use crate::float::Float;
use crate::kernels::{sdiv, zmul};
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::broadcast;
use crate::tensor::elementwise::{map, zip};
use crate::tensor::error::Result;
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{pairs, shape};

/// The cotangents of two operands that were stretched to each other, of those that are wanted.
pub(super) fn each<T: Float, A: Algebra<T>>(
    x: &[&A],
    wanted: &[bool],
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> A,
) -> Vec<Option<A>> {
    let to = |k: usize, d: A| d.summed_to(x[k].lengths());
    vec![wanted[0].then(|| to(0, a())), wanted[1].then(|| to(1, b()))]
}

/// The sum of those terms that are there, stretched to the shape of the result.
pub(super) fn total<T: Float, A: Algebra<T>>(y: &A, a: Option<A>, b: Option<A>) -> A {
    let sum = match (a, b) {
        (Some(a), Some(b)) => a.add(&b),
        (Some(a), None) | (None, Some(a)) => a,
        (None, None) => y.nothing(),
    };
    sum.stretched_to(y.lengths())
}

/// a + b.
#[derive(Clone)]
pub(crate) struct Add;

impl<T: Float> Operation<T> for Add {
    const NAME: &'static str = "add";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip("add", x[0], x[1], |a, b| a + b)
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        total(y, dx[0].cloned(), dx[1].cloned())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        each(x, wanted, || dy.clone(), || dy.clone())
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Add)
    }
}

/// a − b.
#[derive(Clone)]
pub(crate) struct Sub;

impl<T: Float> Operation<T> for Sub {
    const NAME: &'static str = "sub";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip("sub", x[0], x[1], |a, b| a - b)
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        total(y, dx[0].cloned(), dx[1].map(A::neg))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        each(x, wanted, || dy.clone(), || dy.neg())
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Sub)
    }
}

/// The rules of a product, by whichever product.
macro_rules! product {
    () => {
        fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
            total(
                y,
                dx[0].map(|d| d.times(x[1])),
                dx[1].map(|d| d.times(x[0])),
            )
        }

        fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
            each(x, wanted, || dy.times(x[1]), || dy.times(x[0]))
        }
    };
}

/// a b.
#[derive(Clone)]
pub(crate) struct Mul;

impl<T: Float> Operation<T> for Mul {
    const NAME: &'static str = "mul";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip("mul", x[0], x[1], |a, b| a * b)
    }

    product!();

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Mul)
    }
}

/// a b, and 0 where one of them is, whatever the other: what derivatives are multiplied by.
#[derive(Clone)]
pub(crate) struct Times;

impl<T: Float> Operation<T> for Times {
    const NAME: &'static str = "mul";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if x[0].is_known_zero() || x[1].is_known_zero() {
            return broadcast("mul", x[0].shape(), x[1].shape()).map(Tensor::zero);
        }
        zip("mul", x[0], x[1], zmul)
    }

    product!();

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Times)
    }
}

/// The rules of a quotient: 1 / b, and − y / b.
macro_rules! quotient {
    () => {
        fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
            total(
                y,
                dx[0].map(|d| d.over(x[1])),
                dx[1].map(|d| d.over(x[1]).times(y).neg()),
            )
        }

        fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
            let over = dy.over(x[1]);
            each(x, wanted, || over.clone(), || over.times(y).neg())
        }
    };
}

/// a / b.
#[derive(Clone)]
pub(crate) struct Div;

impl<T: Float> Operation<T> for Div {
    const NAME: &'static str = "div";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip("div", x[0], x[1], |a, b| a / b)
    }

    quotient!();

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Div)
    }
}

/// a / b, and 0 where a is 0, whatever b: what derivatives are divided by.
#[derive(Clone)]
pub(crate) struct Over;

impl<T: Float> Operation<T> for Over {
    const NAME: &'static str = "div";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        zip("div", x[0], x[1], sdiv)
    }

    quotient!();

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        pairs(&Over)
    }
}

/// −a.
#[derive(Clone)]
pub(crate) struct Neg;

impl<T: Float> Operation<T> for Neg {
    const NAME: &'static str = "neg";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        // A zero that was not computed has no sign.
        if x[0].is_known_zero() {
            return Ok(x[0].outline());
        }
        Ok(map(x[0], |a| -a))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), A::neg)
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.neg())]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(Neg, vec![shape(&[2, 3])])]
    }
}

/// a k for a constant number k.
#[derive(Clone)]
pub(crate) struct Scale(pub(crate) f64);

impl<T: Float> Operation<T> for Scale {
    const NAME: &'static str = "mul";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if x[0].is_known_zero() {
            return Ok(x[0].outline());
        }
        let k = T::from_f64(self.0);
        Ok(map(x[0], |a| a * k))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| d.scaled(self.0))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.scaled(self.0))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![(Scale(-1.5), vec![shape(&[2, 3])])]
    }
}

#[cfg(test)]
crate::tensor::testing::operations!(Add Sub Mul Times Div Over Neg Scale);
