//! Running sums and products.

use alloc::vec;
use alloc::vec::Vec;

use super::moves::{Cut, linear};
use crate::float::Float;
use crate::kernels::zmul;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::axis;
use crate::tensor::error::{Result, expect};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::ops::joins::Concat;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// Each row of an axis by itself, from one end to the other: `step` is given the entries at a place of as many operands, and those of the result before it.
///
/// Entries that lie beside each other in memory belong to different rows, so that the inner loop is over them.
fn run<T: Float, const N: usize>(
    x: [&Tensor<T>; N],
    axis: usize,
    from_end: bool,
    first: T,
    step: impl Fn([T; N], T) -> T,
) -> Tensor<T> {
    let whole = x.map(Tensor::contiguous);
    let entries = whole.each_ref().map(|x| x.dense().unwrap_or(&[]));
    let shape = &x[0].shape;
    let inner = crate::tensor::dims::count(&shape[axis + 1..]);
    let length = shape[axis];
    let mut out = crate::tensor::storage::anything(x[0].len());
    if out.is_empty() {
        return Tensor::of(shape.clone(), out);
    }
    if inner == 1 {
        for (block, to) in out.chunks_exact_mut(length).enumerate() {
            let entries = entries.map(|x| &x[block * length..(block + 1) * length]);
            let mut before = first;
            for k in 0..length {
                let k = if from_end { length - 1 - k } else { k };
                before = step(entries.map(|x| x[k]), before);
                to[k] = before;
            }
        }
        return Tensor::of(shape.clone(), out);
    }
    let mut before = vec![first; inner];
    for (block, to) in out.chunks_exact_mut(length * inner).enumerate() {
        before.fill(first);
        let at = block * length * inner;
        for k in 0..length {
            let k = if from_end { length - 1 - k } else { k };
            let entries = entries.map(|x| &x[at + k * inner..at + (k + 1) * inner]);
            let row = to[k * inner..(k + 1) * inner].iter_mut().zip(&mut before);
            for (i, (to, before)) in row.enumerate() {
                *before = step(entries.map(|x| x[i]), *before);
                *to = *before;
            }
        }
    }
    Tensor::of(shape.clone(), out)
}

/// The sums of the entries up to each, or from each on.
#[derive(Clone)]
struct CumSum {
    axis: isize,
    from_end: bool,
}

impl<T: Float> Operation<T> for CumSum {
    const NAME: &'static str = "cumsum";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axis = axis("cumsum", x[0].rank(), self.axis)?;
        if x[0].is_known_zero() {
            return Ok(x[0].clone());
        }
        let step = |[x]: [T; 1], sum| sum + x;
        Ok(run([x[0]], axis, self.from_end, T::ZERO, step))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(CumSum {
            axis: self.axis,
            from_end: !self.from_end,
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, from_end| CumSum { axis, from_end };
        vec![
            (of(0, false), vec![shape(&[5])]),
            (of(1, false), vec![shape(&[2, 3, 4])]),
            (of(-1, true), vec![shape(&[2, 3])]),
            (of(0, false), vec![shape(&[0, 2])]),
            (of(0, false), vec![shape(&[1, 2])]),
        ]
    }
}

/// sₖ = bₖ + aₖ sₖ₋₁ along an axis, or from its end sₖ = bₖ + aₖ sₖ₊₁: how derivatives go along a running product.
#[derive(Clone)]
struct Recur {
    axis: usize,
    from_end: bool,
}

impl Recur {
    /// Each entry's predecessor: the entries one place further in the direction of the recurrence, with a constant at its beginning.
    fn before<T: Float, A: Algebra<T>>(&self, x: &A, first: f64) -> A {
        let shape = x.lengths();
        let length = shape[self.axis];
        let mut edge: crate::tensor::dims::Dims = shape.into();
        edge[self.axis] = length.min(1);
        let first = A::number(first).stretched_to(&edge);
        let rest = |from| {
            let cut = Cut::of(shape, self.axis, from, length.saturating_sub(1), 1);
            x.then(cut)
        };
        let axis = self.axis as isize;
        if self.from_end {
            A::apply(&Concat { axis }, &[&rest(length.min(1)), &first])
        } else {
            A::apply(&Concat { axis }, &[&first, &rest(0)])
        }
    }

    fn reversed(&self) -> Self {
        Recur {
            axis: self.axis,
            from_end: !self.from_end,
        }
    }
}

impl<T: Float> Operation<T> for Recur {
    const NAME: &'static str = "cumprod";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let step = |[a, b]: [T; 2], before| b + zmul(before, a);
        Ok(run([x[0], x[1]], self.axis, self.from_end, T::ZERO, step))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let b = match (dx[0].map(|d| d.times(&self.before(y, 0.0))), dx[1]) {
            (Some(a), Some(b)) => a.add(b),
            (Some(b), None) => b,
            (None, Some(b)) => b.clone(),
            (None, None) => return y.nothing(),
        };
        A::apply(self, &[x[0], &b])
    }

    // λₖ = ȳₖ + aₖ₊₁ λₖ₊₁ is b̄ₖ, and āₖ = λₖ sₖ₋₁.
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let back = self.reversed();
        let slopes = back.before(x[0], 0.0);
        let b = A::apply(&back, &[&slopes, dy]);
        vec![
            wanted[0].then(|| b.times(&self.before(y, 0.0))),
            wanted[1].then(|| b.clone()),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis, from_end, at: &[usize]| {
            (Recur { axis, from_end }, vec![shape(at), shifted(at, 40.0)])
        };
        vec![
            of(0, false, &[5]),
            of(1, true, &[2, 3, 2]),
            of(0, false, &[0]),
            of(1, true, &[2, 1]),
        ]
    }
}

/// The products of the entries up to each.
#[derive(Clone)]
struct CumProd {
    axis: isize,
}

impl CumProd {
    fn recurrence(&self, rank: usize) -> Recur {
        Recur {
            axis: expect(axis("cumprod", rank, self.axis)),
            from_end: false,
        }
    }
}

impl<T: Float> Operation<T> for CumProd {
    const NAME: &'static str = "cumprod";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axis = axis("cumprod", x[0].rank(), self.axis)?;
        let step = |[x]: [T; 1], product| product * x;
        Ok(run([x[0]], axis, false, T::ONE, step))
    }

    // ẏₖ = ẋₖ yₖ₋₁ + xₖ ẏₖ₋₁: no entry is divided by.
    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let recurrence = self.recurrence(y.lengths().len());
        dx[0].map_or_else(
            || y.nothing(),
            |d| A::apply(&recurrence, &[x[0], &d.times(&recurrence.before(y, 1.0))]),
        )
    }

    // x̄ₖ = λₖ yₖ₋₁ with λₖ = ȳₖ + xₖ₊₁ λₖ₊₁.
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let recurrence = self.recurrence(y.lengths().len());
        let back = recurrence.reversed();
        let sum = A::apply(&back, &[&back.before(x[0], 0.0), dy]);
        vec![Some(sum.times(&recurrence.before(y, 1.0)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axis| CumProd { axis };
        vec![
            (of(0), vec![shape(&[5])]),
            (of(1), vec![shape(&[2, 3, 2])]),
            (of(-1), vec![shape(&[2, 4])]),
            (of(0), vec![shape(&[0])]),
            (of(0), vec![shape(&[1, 2])]),
            (
                of(0),
                vec![Tensor::from([1.5, 0.0, -0.5, 0.0, 2.0].map(T::from_f64))],
            ),
        ]
    }
}

methods! {
    /// Along an axis, the sum of the entries up to each.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, 3.0]).cumsum(0).to_vec(), [1.0, 3.0, 6.0]);
    /// ```
    cumsum(; axis: given [isize]) -> tensor = CumSum { axis, from_end: false };
    /// Along an axis, the product of the entries up to each. Its derivatives are right where entries are zero.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([1.0, 2.0, 3.0]).cumprod(0).to_vec(), [1.0, 2.0, 6.0]);
    /// ```
    cumprod(; axis: given [isize]) -> tensor = CumProd { axis };
}

#[cfg(test)]
crate::tensor::testing::operations!(CumSum Recur CumProd);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::operation::{Dual, Kept};

    /// x₀ x₁ x₂ with two zeros: the gradient is zero, and the second derivatives are not.
    #[test]
    fn two_zeros_in_second_order() {
        let x = Tensor::from([3.0, 0.0, 0.0]);
        let d = Tensor::from([0.0, 1.0, 0.0]);
        let (y, kept) = Kept::new(CumProd { axis: 0 }, vec![Dual::new(x, Some(d))]);
        assert_eq!(y.value.to_vec(), [3.0, 0.0, 0.0]);
        let last = Dual::new(Tensor::from([0.0, 0.0, 1.0]), None);
        let bar = kept.pull(&last, &[true]).remove(0);
        assert_eq!(bar.value.to_vec(), [0.0, 0.0, 0.0]);
        assert_eq!(bar.into_dot().to_vec(), [0.0, 0.0, 3.0]);
    }

    /// A large number before small ones does not spoil their sum.
    #[test]
    fn the_pullback_of_a_sum_is_a_sum_from_the_end() {
        let x = Tensor::from([0.0; 3]);
        let seed = Tensor::from([1e16, 1.0, 1.0]);
        let (_, kept) = Kept::new(
            CumSum {
                axis: 0,
                from_end: false,
            },
            vec![x],
        );
        assert_eq!(
            kept.pull(&seed, &[true])[0].to_vec(),
            [1e16 + 2.0, 2.0, 1.0]
        );
    }

    /// An infinite entry says nothing about what does not depend on it.
    #[test]
    fn infinite_entries_stay_where_they_are() {
        let x = Tensor::from([2.0, 3.0, f64::INFINITY]);
        let (_, kept) = Kept::new(CumProd { axis: 0 }, vec![x]);
        let seed = Tensor::from([1.0, 1.0, 0.0]);
        assert_eq!(kept.pull(&seed, &[true])[0].to_vec(), [4.0, 2.0, 0.0]);
    }
}
