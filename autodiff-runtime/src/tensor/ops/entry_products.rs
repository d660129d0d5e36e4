//! Products of entries.

use alloc::vec;
use alloc::vec::Vec;

use super::reductions::{Lanes, reduction};
use crate::float::Float;
use crate::kernels::zmul;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::Axes;
use crate::tensor::error::Result;
use crate::tensor::forms::attribute;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::{anything, filled};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// The product over axes.
#[derive(Clone)]
pub(crate) struct Prod {
    lanes: Lanes,
}

impl Prod {
    fn others<T: Float, A: Algebra<T>>(&self, x: &A) -> A {
        x.then(Others {
            axes: self.lanes.axes.clone(),
        })
    }
}

impl<T: Float> Operation<T> for Prod {
    const NAME: &'static str = "prod";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [axes, _, left] = self.lanes.shapes("prod", x[0].shape())?;
        let rows = x[0].rows(&axes);
        let products = (0..rows.number).map(|k| rows.row(k).iter().product());
        Ok(rows.per_row(products.collect()).reshaped(&left))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let sum = |d: &A| self.lanes.summed(&d.times(&self.others(x[0])));
        dx[0].map_or_else(|| y.nothing(), sum)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let d = self.lanes.repeated(dy, x[0].lengths());
        vec![Some(d.times(&self.others(x[0])))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        super::reductions::lanes(|lanes| Prod { lanes }, true)
    }
}

/// For each entry the product of the others along its axes; with more operands, the derivative of that in their directions.
///
/// The derivative of order m of a product P in directions d₁ … dₘ and eᵢ is a form that is linear and symmetric in all of them,
/// so its own derivatives are the same operation with one direction more or another.
#[derive(Clone)]
pub(crate) struct Others {
    axes: Axes,
}

/// Times one more entry: of a product, one derivative for each set of directions, of which bit k says whether direction k is in it.
fn extended<T: Float>(so_far: &mut [T], entry: T, directions: impl Fn(usize) -> T) {
    for set in (0..so_far.len()).rev() {
        let mut sum = so_far[set] * entry;
        let mut left = set;
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            sum += zmul(so_far[set & !(1 << k)], directions(k));
        }
        so_far[set] = sum;
    }
}

impl<T: Float> Operation<T> for Others {
    const NAME: &'static str = "prod";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let axes = self.axes.of("prod", x[0].rank())?;
        let rows: Vec<_> = x.iter().map(|x| x.rows(&axes)).collect();
        let (length, number) = (rows[0].length, rows[0].number);
        let sets = 1 << (x.len() - 1);
        let one = || {
            let mut one = filled(sets, T::ZERO);
            one[0] = T::ONE;
            one
        };
        let mut before = filled(sets * length, T::ZERO);
        let mut out = anything(length * number);
        for (k, out) in out.chunks_exact_mut(length.max(1)).enumerate() {
            let lent: Vec<&[T]> = rows.iter().map(|rows| rows.row(k)).collect();
            let mut product = one();
            for i in 0..length {
                before[i * sets..(i + 1) * sets].copy_from_slice(&product);
                extended(&mut product, lent[0][i], |k| lent[k + 1][i]);
            }
            product = one();
            for i in (0..length).rev() {
                let before = &before[i * sets..(i + 1) * sets];
                out[i] = (0..sets)
                    .map(|set| zmul(before[set], product[sets - 1 - set]))
                    .sum();
                extended(&mut product, lent[0][i], |k| lent[k + 1][i]);
            }
        }
        Ok(rows[0].back(out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        (dx.iter().enumerate())
            .filter_map(|(k, d)| d.map(|d| self.along(x, k, d)))
            .reduce(|a, b| a.add(&b))
            .unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        (wanted.iter().enumerate())
            .map(|(k, wanted)| wanted.then(|| self.along(x, k, dy)))
            .collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axes: &[isize]| Others { axes: axes.into() };
        let two = |lengths: &[usize]| vec![shape(lengths), shifted(lengths, 4.0)];
        vec![
            (along(&[0]), vec![shape(&[4])]),
            (along(&[1]), vec![shape(&[2, 3, 2])]),
            (along(&[0]), two(&[4])),
            (along(&[0, 2]), two(&[2, 2, 2])),
            (along(&[1]), two(&[2, 1])),
            (along(&[0]), vec![shape(&[0, 2])]),
        ]
    }
}

impl Others {
    /// The derivative in the direction `d` of operand `k`.
    fn along<T: Float, A: Algebra<T>>(&self, x: &[&A], k: usize, d: &A) -> A {
        let mut operands = x.to_vec();
        if k == 0 {
            operands.push(d);
        } else {
            operands[k] = d;
        }
        A::apply(self, &operands)
    }
}

reduction!(
    prod(),
    "The product (1 of nothing; the derivative is the product of the others, also where entries are 0)",
    "assert_eq!(x.prod(), 36.0);",
    (|lanes| Prod { lanes })
);

#[cfg(test)]
crate::tensor::testing::operations!(Prod Others);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::testing::{pulled, pushed, second};

    #[test]
    fn zeros_lane_by_lane() {
        let x = [Tensor::from([
            [2.0, 0.0, 3.0],
            [0.0, 5.0, 0.0],
            [2.0, 3.0, 4.0],
            [0.0, 0.0, 0.0],
        ])];
        let prod = Prod {
            lanes: Lanes::dropped(1),
        };
        let c = Tensor::from([1.0; 4]);
        assert_eq!(
            pulled(&prod, &x, &c)[0].to_vec(),
            [0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 12.0, 8.0, 6.0, 0.0, 0.0, 0.0]
        );
        let d = [Tensor::ones(&[4, 3])];
        assert_eq!(pushed(&prod, &x, &d).to_vec(), [6.0, 0.0, 26.0, 0.0]);
        let (_, dots) = second(&prod, &x, &d, &c, &c.outline());
        assert_eq!(
            dots[0].to_vec(),
            [3.0, 5.0, 2.0, 5.0, 0.0, 5.0, 7.0, 6.0, 5.0, 0.0, 0.0, 0.0]
        );
    }

    #[test]
    fn of_nothing() {
        assert_eq!(Tensor::<f64>::zeros(&[0]).prod(), 1.0);
        assert_eq!(
            Tensor::<f64>::zeros(&[0, 2]).prod_axis(0).to_vec(),
            [1.0, 1.0]
        );
    }

    #[test]
    fn nothing_overflows_on_the_way() {
        let x = [Tensor::from([1e200, 1e-200, 1e-200, 1e200])];
        let prod = Prod {
            lanes: Lanes::all(),
        };
        let bar = &pulled(&prod, &x, &Tensor::scalar(1.0))[0];
        assert!((bar[[1]] / 1e200 - 1.0).abs() < 1e-15);
    }
}
