//! Eigenvalues, singular values and orthogonal factors of matrices, by the crate `faer`.
//!
//! Everything is computed in `f64`. Derivatives that divide by the gap of two values that are equal are NaN, unless what is divided is zero:
//! they do not exist, or cannot be told from the factors.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use faer::{Mat, MatRef, Side};

use super::linalg::{Part, Solve, Triangle, matrices, square, symmetric, wrong};
use crate::float::Float;
use crate::tangent::Accumulate as _;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, count};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{self, attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Kept, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;

/// The rows and columns of the matrices that the last two axes are.
fn sizes(operation: &'static str, shape: &[usize]) -> Result<[usize; 2]> {
    match shape {
        [.., m, n] => Ok([*m, *n]),
        _ => Err(Error::new(
            operation,
            format!("{shape:?} is no matrix, nor a batch of them"),
        )),
    }
}

/// A matrix for the crate, whose entries have to be finite.
fn matrix<T: Float>(
    operation: &'static str,
    shape: &[usize],
    k: usize,
    a: &[T],
) -> Result<Mat<f64>> {
    if !a.iter().all(|x| x.is_finite()) {
        return Err(wrong(
            operation,
            shape,
            k,
            "has entries that are not finite",
        ));
    }
    let [m, n] = sizes(operation, shape)?;
    Ok(Mat::from_fn(m, n, |i, j| a[i * n + j].to_f64()))
}

/// The entries of a matrix of the crate row by row, each column with its sign.
fn entries<T: Float>(a: MatRef<'_, f64>, signs: &[f64], out: &mut Vec<T>) {
    for i in 0..a.nrows() {
        out.extend((0..a.ncols()).map(|j| T::from_f64(signs[j] * a[(i, j)])));
    }
}

/// The signs with which the first entry of each column is positive that has at least half of the size of the largest.
///
/// So vectors that are only determined up to their sign follow their matrix without jumps.
fn signs(a: MatRef<'_, f64>) -> Vec<f64> {
    let column = |j: usize| (0..a.nrows()).map(move |i| a[(i, j)]);
    (0..a.ncols())
        .map(|j| {
            let largest = column(j).fold(0.0, |m: f64, x| m.max(x.abs()));
            let first = column(j).find(|x| x.abs() >= 0.5 * largest);
            first.map_or(1.0, f64::signum)
        })
        .collect()
}

/// The shape of a matrix for each of a batch.
fn batch(shape: &[usize], inner: &[usize]) -> Dims {
    let mut out: Dims = shape[..shape.len() - 2].into();
    out.extend(inner.iter().copied());
    out
}

/// Numbers of each matrix as a row.
fn row<T: Float, A: Algebra<T>>(x: &A) -> A {
    let mut shape: Dims = x.lengths().into();
    shape.insert(shape.len() - 1, 1);
    x.shaped(&shape)
}

/// Numbers of each matrix as a column.
fn column<T: Float, A: Algebra<T>>(x: &A) -> A {
    let mut shape: Dims = x.lengths().into();
    shape.push(1);
    x.shaped(&shape)
}

/// The sum over the rows of each matrix, which leaves a number for each column.
fn over_rows<T: Float, A: Algebra<T>>(x: &A) -> A {
    let rank = x.lengths().len();
    let left = batch(x.lengths(), &x.lengths()[rank - 1..]);
    x.summed_over(&[rank - 2]).shaped(&left)
}

/// 1 / (sⱼ − sᵢ) for the numbers of each matrix: 0 on the diagonal, NaN where two are equal but for rounding.
#[derive(Clone)]
struct Gaps;

impl<T: Float> Operation<T> for Gaps {
    const NAME: &'static str = "gaps";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let x = x[0].contiguous();
        let n = x.shape()[x.rank() - 1];
        let mut shape: Dims = x.shape().into();
        shape.push(n);
        let mut out = Vec::with_capacity(count(&shape));
        for s in x.dense().unwrap_or(&[]).chunks_exact(n.max(1)) {
            let largest = s.iter().fold(T::ZERO, |m, s| m.max(s.abs()));
            let least = largest * T::EPSILON * T::from_f64(8.0 * n as f64);
            for i in 0..n {
                out.extend((0..n).map(|j| {
                    let gap = s[j] - s[i];
                    if i == j {
                        T::ZERO
                    } else if gap.abs() <= least {
                        T::NAN
                    } else {
                        T::ONE / gap
                    }
                }));
            }
        }
        Ok(Tensor::of(shape, out))
    }

    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let along = |d: &A| row(d).sub(&column(d)).times(&y.mul(y)).neg();
        dx[0].map_or_else(|| y.nothing(), along)
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let d = dy.times(&y.mul(y));
        let rows = d
            .summed_over(&[x[0].lengths().len()])
            .shaped(x[0].lengths());
        vec![Some(rows.sub(&over_rows(&d)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 3] = [&[3], &[2, 2], &[0]];
        shapes.map(|of| (Gaps, vec![shape(of)])).into()
    }
}

/// The eigenvalues of (A + Aᵀ) / 2 in ascending order, or its eigenvectors as columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Eigen {
    Values,
    Vectors,
}

/// The eigenvalues and eigenvectors of the symmetric parts.
fn eigen<T: Float>(a: &Tensor<T>) -> Result<[Tensor<T>; 2]> {
    let n = square("eigh", a.shape())?;
    let a = Formulas::scaled(&Formulas::add(a, &a.transposed()), 0.5).contiguous();
    let (mut values, mut vectors) = (Vec::new(), Vec::new());
    for (k, one) in matrices(&a).enumerate() {
        let of = matrix("eigh", a.shape(), k, one)?;
        if n == 0 {
            continue;
        }
        let Ok(factors) = of.self_adjoint_eigen(Side::Lower) else {
            return Err(wrong(
                "eigh",
                a.shape(),
                k,
                "has eigenvalues that were not found",
            ));
        };
        values.extend((0..n).map(|i| T::from_f64(factors.S()[i])));
        entries(factors.U(), &signs(factors.U()), &mut vectors);
    }
    Ok([
        Tensor::of(batch(a.shape(), &[n]), values),
        Tensor::of(a.shape().into(), vectors),
    ])
}

impl<T: Float> Operation<T> for Eigen {
    const NAME: &'static str = "eigh";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [values, vectors] = eigen(x[0])?;
        Ok(if *self == Eigen::Values {
            values
        } else {
            vectors
        })
    }

    // With P = Vᵀ Ȧ V: ẇ = diag P, V̇ = V (F ∘ P).
    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0] else { return y.nothing() };
        let d = symmetric(d);
        match self {
            Eigen::Values => {
                let vectors = x[0].then(Eigen::Vectors);
                over_rows(&vectors.mul(&d.matmul(&vectors)))
            }
            Eigen::Vectors => {
                let gaps = x[0].then(Eigen::Values).then(Gaps);
                y.matmul(&y.transposed().matmul(&d).matmul(y).times(&gaps))
            }
        }
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let d = match self {
            Eigen::Values => {
                let vectors = x[0].then(Eigen::Vectors);
                row(dy).times(&vectors).matmul(&vectors.transposed())
            }
            Eigen::Vectors => {
                let gaps = x[0].then(Eigen::Values).then(Gaps);
                let inner = y.transposed().matmul(dy);
                let turn = inner.sub(&inner.transposed()).scaled(0.5).times(&gaps);
                y.matmul(&turn).matmul(&y.transposed())
            }
        };
        vec![Some(d)]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 5] = [&[1, 1], &[2, 2], &[4, 4], &[2, 1, 3, 3], &[0, 0]];
        [Eigen::Values, Eigen::Vectors]
            .iter()
            .flat_map(|of| shapes.map(|shape| (*of, vec![spread(shape)])))
            .collect()
    }
}

/// Matrices whose eigenvalues and singular values are far from each other and from zero.
#[cfg(test)]
fn spread<T: Float>(of: &[usize]) -> Tensor<T> {
    let mut x = shape(of);
    let [m, n] = expect(sizes("svd", of));
    for (k, entry) in x.entries_mut().iter_mut().enumerate() {
        let (i, j) = (k / n % m, k % n);
        if i == j {
            *entry += T::from_f64(1.0 + 2.0 * i as f64);
        }
    }
    x
}

/// The singular values in descending order, or the vectors on the left or on the right as columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Singular {
    Values,
    Left,
    Right,
}

/// U, s and V of A = U diag(s) Vᵀ.
fn singular<T: Float>(a: &Tensor<T>) -> Result<[Tensor<T>; 3]> {
    let [m, n] = sizes("svd", a.shape())?;
    let k = m.min(n);
    let a = a.contiguous();
    let (mut left, mut values, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for (number, one) in matrices(&a).enumerate() {
        let of = matrix("svd", a.shape(), number, one)?;
        if k == 0 {
            continue;
        }
        let Ok(factors) = of.thin_svd() else {
            return Err(wrong(
                "svd",
                a.shape(),
                number,
                "has singular values that were not found",
            ));
        };
        let signs = signs(factors.U());
        entries(factors.U(), &signs, &mut left);
        values.extend((0..k).map(|i| T::from_f64(factors.S()[i])));
        entries(factors.V(), &signs, &mut right);
    }
    Ok([
        Tensor::of(batch(a.shape(), &[m, k]), left),
        Tensor::of(batch(a.shape(), &[k]), values),
        Tensor::of(batch(a.shape(), &[n, k]), right),
    ])
}

impl Singular {
    /// The matrix of which these are the vectors on the left, and its vectors on the left and on the right.
    fn turned<T: Float, A: Algebra<T>>(self, x: &A) -> A {
        if self == Singular::Right {
            x.transposed()
        } else {
            x.clone()
        }
    }

    fn other(self) -> Self {
        if self == Singular::Right {
            Singular::Left
        } else {
            Singular::Right
        }
    }
}

impl<T: Float> Operation<T> for Singular {
    const NAME: &'static str = "svd";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [left, values, right] = singular(x[0])?;
        Ok(match self {
            Singular::Values => values,
            Singular::Left => left,
            Singular::Right => right,
        })
    }

    // With P = Uᵀ Ȧ V: ṡ = diag P, U̇ = U (F ∘ (P S + S Pᵀ)) + (Ȧ V − U P) S⁻¹, where F has the gaps of the squares.
    // Source: Townsend, Differentiating the singular value decomposition (2016).
    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0] else { return y.nothing() };
        if *self == Singular::Values {
            let [left, right] = [Singular::Left, Singular::Right].map(|of| x[0].then(of));
            return over_rows(&left.mul(&d.matmul(&right)));
        }
        let values = x[0].then(Singular::Values);
        let moved = self.turned(d).matmul(&x[0].then(self.other()));
        let inner = y.transposed().matmul(&moved);
        let scaled = inner.mul(&row(&values));
        let turn = scaled
            .add(&scaled.transposed())
            .times(&values.mul(&values).then(Gaps));
        let inside = y.matmul(&turn);
        if y.lengths()[y.lengths().len() - 2] == values.lengths()[values.lengths().len() - 1] {
            return inside;
        }
        inside.add(&moved.sub(&y.matmul(&inner)).over(&row(&values)))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        if *self == Singular::Values {
            let [left, right] = [Singular::Left, Singular::Right].map(|of| x[0].then(of));
            return vec![Some(row(dy).times(&left).matmul(&right.transposed()))];
        }
        let values = x[0].then(Singular::Values);
        let inner = y.transposed().matmul(dy);
        let turn = inner
            .sub(&inner.transposed())
            .times(&values.mul(&values).then(Gaps));
        let mut d = y.matmul(&turn.mul(&row(&values)));
        if y.lengths()[y.lengths().len() - 2] != values.lengths()[values.lengths().len() - 1] {
            d = d.add(&dy.sub(&y.matmul(&inner)).over(&row(&values)));
        }
        vec![Some(
            self.turned(&d.matmul(&x[0].then(self.other()).transposed())),
        )]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 6] = [&[1, 1], &[3, 3], &[4, 2], &[2, 4], &[2, 1, 3, 2], &[2, 0]];
        [Singular::Values, Singular::Left, Singular::Right]
            .iter()
            .flat_map(|of| shapes.map(|shape| (*of, vec![spread(shape)])))
            .collect()
    }
}

/// The first columns of each matrix.
#[derive(Clone)]
struct Leading {
    columns: usize,
}

/// With columns of zeros behind the others.
#[derive(Clone)]
struct Extended {
    columns: usize,
}

impl<T: Float> Operation<T> for Leading {
    const NAME: &'static str = "qr";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        Ok(x[0].cut(x[0].rank() - 1, 0, self.columns, 1))
    }

    super::moves::linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let columns = x[0].lengths()[x[0].lengths().len() - 1];
        vec![Some(dy.then(Extended { columns }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (Leading { columns: 2 }, vec![shape(&[2, 2, 3])]),
            (Leading { columns: 0 }, vec![shape(&[2, 3])]),
        ]
    }
}

impl<T: Float> Operation<T> for Extended {
    const NAME: &'static str = "qr";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [m, n] = sizes("qr", x[0].shape())?;
        let shape = batch(x[0].shape(), &[m, self.columns]);
        let mut out = vec![T::ZERO; count(&shape)];
        let x = x[0].contiguous();
        if n > 0 {
            for (to, from) in out
                .chunks_exact_mut(self.columns)
                .zip(x.dense().unwrap_or(&[]).chunks_exact(n))
            {
                to[..n].copy_from_slice(from);
            }
        }
        Ok(Tensor::of(shape, out))
    }

    super::moves::linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let columns = x[0].lengths()[x[0].lengths().len() - 1];
        vec![Some(dy.then(Leading { columns }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (Extended { columns: 3 }, vec![shape(&[2, 2, 2])]),
            (Extended { columns: 3 }, vec![shape(&[2, 0])]),
        ]
    }
}

/// Q of A = Q R, where A has no more columns than rows.
#[derive(Clone)]
struct Orthogonal;

/// R of A = Q R.
#[derive(Clone)]
struct Upper;

/// Q and R of A = Q R.
fn orthogonal<T: Float>(a: &Tensor<T>) -> Result<[Tensor<T>; 2]> {
    let [m, n] = sizes("qr", a.shape())?;
    let k = m.min(n);
    let a = a.contiguous();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (number, one) in matrices(&a).enumerate() {
        let of = matrix("qr", a.shape(), number, one)?;
        if k == 0 {
            continue;
        }
        let factors = of.qr();
        entries(factors.compute_thin_Q().as_ref(), &vec![1.0; k], &mut left);
        entries(factors.thin_R(), &vec![1.0; n], &mut right);
    }
    let upper = Tensor::of(batch(a.shape(), &[k, n]), right);
    Ok([
        Tensor::of(batch(a.shape(), &[m, k]), left),
        Part::Upper.value(&[&upper])?,
    ])
}

impl<T: Float> Operation<T> for Orthogonal {
    const NAME: &'static str = "qr";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        orthogonal(x[0]).map(|[left, _]| left)
    }

    // With X = Ȧ R⁻¹ and W = Qᵀ X, whose lower triangle turns Q: Q̇ = X − Q W + Q (L − Lᵀ).
    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0] else { return y.nothing() };
        let upper = Solve(Some(Triangle::upper().transposed()));
        let moved = A::apply(&upper, &[&x[0].then(Upper), &d.transposed()]).transposed();
        let inner = y.transposed().matmul(&moved);
        let lower = inner.then(Part::StrictLower);
        moved.sub(&y.matmul(&inner.sub(&lower).add(&lower.transposed())))
    }

    // Source: Walter and Lehmann, Algorithmic differentiation of linear algebra functions with application in optimum experimental design (2010).
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let inner = dy.transposed().matmul(y).neg();
        let mirrored = inner
            .then(Part::Lower)
            .add(&inner.then(Part::StrictLower).transposed());
        let d = dy.add(&y.matmul(&mirrored)).transposed();
        let upper = Solve(Some(Triangle::upper()));
        vec![Some(
            A::apply(&upper, &[&x[0].then(Upper), &d]).transposed(),
        )]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 5] = [&[1, 1], &[3, 3], &[4, 2], &[2, 1, 3, 2], &[2, 0]];
        shapes.map(|shape| (Orthogonal, vec![spread(shape)])).into()
    }
}

impl<T: Float> Operation<T> for Upper {
    const NAME: &'static str = "qr";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        orthogonal(x[0]).map(|[_, right]| right)
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].then(LeftFactor)
            .transposed()
            .matmul(x[0])
            .then(Part::Upper)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 5] = [&[1, 1], &[3, 3], &[4, 2], &[2, 4], &[2, 1, 3, 2]];
        shapes.map(|shape| (Upper, vec![spread(shape)])).into()
    }
}

/// Q of A = Q R, which is that of as many columns as A has rows.
#[derive(Clone)]
struct LeftFactor;

impl LeftFactor {
    fn square<T: Float, A: Algebra<T>>(x: &A) -> A {
        match x.lengths() {
            [.., m, n] if m < n => x.then(Leading { columns: *m }),
            _ => x.clone(),
        }
    }
}

impl<T: Float> Operation<T> for LeftFactor {
    const NAME: &'static str = "qr";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        sizes("qr", x[0].shape())?;
        Orthogonal.value(&[&Self::square(x[0])])
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        Self::square(x[0]).then(Orthogonal)
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 3] = [&[3, 2], &[2, 4], &[2, 2, 3]];
        shapes.map(|shape| (LeftFactor, vec![spread(shape)])).into()
    }
}

/// The singular vectors on the right as rows.
#[derive(Clone)]
struct RightRows;

impl<T: Float> Operation<T> for RightRows {
    const NAME: &'static str = "svd";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        Ok(Formulas::transposed(&Singular::Right.value(x)?))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        x[0].then(Singular::Right).transposed()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 3] = [&[3, 2], &[2, 4], &[2, 2, 3]];
        shapes.map(|shape| (RightRows, vec![spread(shape)])).into()
    }
}

/// Methods that return several tensors, each of which is the value of an operation; one decomposition is computed for all.
macro_rules! together {
    ($($name:ident($($part:ident: $Part:ident = $operation:expr),*);)*) => { pastey::paste! {
        #[allow(clippy::type_complexity, reason = "tuples of tensors and pullbacks")]
        impl<T: Float> Tensor<T> {$(
            fn [<dots_of_ $name>](&self, ($($part,)*): &($($Part,)*), dot: &Self) -> ($($Part,)*) {
                ($(forms::push(&$operation, core::slice::from_ref(self), $part, core::slice::from_ref(dot)),)*)
            }

            fn [<back_of_ $name>](&self, ($($part,)*): &($($Part,)*)) -> impl FnOnce(($($Part,)*), &mut Self) + use<T> {
                $(let [<back_ $part>] = Kept::of($operation, vec![self.clone()], $part);)*
                move |($([<seed_ $part>],)*): ($($Part,)*), to: &mut Self| {
                    $([<back_ $part>].pull(&[<seed_ $part>], &[true]).iter().for_each(|bar| to.__accumulate(bar));)*
                }
            }

            fn [<each_of_ $name>]<const N: usize>(&self, ($($part,)*): &($($Part,)*), dots: [&Self; N]) -> ([($($Part,)*); N], impl FnOnce(($($Part,)*), [($($Part,)*); N], &mut Self, [&mut Self; N]) + use<T, N>) {
                $(let ([<dot_ $part>], [<back_ $part>]) = forms::each_of($operation, self, $part, &dots);)*
                $(let mut [<dot_ $part>] = [<dot_ $part>].into_iter();)*
                let mut next = || ($([<dot_ $part>].next().unwrap_or_default(),)*);
                let dot_parts = core::array::from_fn(|_| next());
                (dot_parts, move |($([<seed_ $part>],)*): ($($Part,)*), dot_seeds: [($($Part,)*); N], to: &mut Self, mut dot_to: [&mut Self; N]| {
                    $(let mut [<each_ $part>] = Vec::with_capacity(N);)*
                    for ($([<dot_ $part>],)*) in dot_seeds {
                        $([<each_ $part>].push([<dot_ $part>]);)*
                    }
                    $(
                        let (bar, dot_bars) = [<back_ $part>]([<seed_ $part>], [<each_ $part>]);
                        to.__accumulate(&bar);
                        dot_to.iter_mut().zip(&dot_bars).for_each(|(to, bar)| to.__accumulate(bar));
                    )*
                })
            }
        )*}

        forms::several! { $( $name() -> ($(together!(@tensor $part),)*); )* }
    } };
    (@tensor $part:ident) => { Tensor<T> };
}
together! {
    eigh(
        values: Self = Eigen::Values,
        vectors: Self = Eigen::Vectors
    );
    svd(
        left: Self = Singular::Left,
        values: Self = Singular::Values,
        right: Self = RightRows
    );
    qr(
        left: Self = LeftFactor,
        right: Self = Upper
    );
}

impl<T: Float> Tensor<T> {
    /// The eigenvalues of the symmetric part (A + Aᵀ) / 2 in ascending order, and its eigenvectors as columns; of one square matrix or a batch `[.., n, n]`.
    ///
    /// Of the two signs of a vector, the one is taken that makes positive the first entry of at least half of the largest size.
    /// Derivatives are those of [`eigvalsh`](Tensor::eigvalsh) and [`eigvecsh`](Tensor::eigvecsh).
    ///
    /// # Panics
    /// If the matrices are not square, or an entry is not finite.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (w, v) = Tensor::<f64>::from([[2.0, 1.0], [1.0, 2.0]]).eigh();
    /// assert!(w.allclose(&Tensor::from([1.0, 3.0]), 1e-12, 0.0));
    /// assert!((v[[0, 0]].abs() - 0.5_f64.sqrt()).abs() < 1e-12);
    /// ```
    #[track_caller]
    pub fn eigh(&self) -> (Self, Self) {
        expect(self.try_eigh())
    }

    /// As [`eigh`](Tensor::eigh).
    ///
    /// # Errors
    /// Where that panics.
    pub fn try_eigh(&self) -> Result<(Self, Self)> {
        eigen(self).map(|[values, vectors]| (values, vectors))
    }

    /// U, s and Vᵀ of A = U diag(s) Vᵀ, with the singular values in descending order; of one matrix or a batch [.., m, n]. U has min(m, n) columns, Vᵀ as many rows.
    ///
    /// Of the two signs of a vector in U, the one is taken that makes positive the first entry of at least half of the largest size.
    /// Derivatives are those of [`svdvals`](Tensor::svdvals), [`svd_u`](Tensor::svd_u) and [`svd_v`](Tensor::svd_v).
    ///
    /// # Panics
    /// If there are no two axes, or an entry is not finite.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let a = Tensor::from([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]]);
    /// let (u, s, vt) = a.svd();
    /// assert!(s.allclose(&Tensor::from([4.0, 3.0]), 1e-12, 0.0));
    /// assert!((u * s).matmul(vt).allclose(&a, 1e-12, 1e-12));
    /// ```
    #[track_caller]
    pub fn svd(&self) -> (Self, Self, Self) {
        expect(self.try_svd())
    }

    /// As [`svd`](Tensor::svd).
    ///
    /// # Errors
    /// Where that panics.
    pub fn try_svd(&self) -> Result<(Self, Self, Self)> {
        singular(self).map(|[left, values, right]| (left, values, Formulas::transposed(&right)))
    }

    /// Q and R of A = Q R, where Q has orthonormal columns and R is an upper triangle; of one matrix or a batch [.., m, n]. Q has min(m, n) columns, R as many rows.
    ///
    /// Derivatives are those of [`qr_q`](Tensor::qr_q) and [`qr_r`](Tensor::qr_r).
    ///
    /// # Panics
    /// If there are no two axes, or an entry is not finite.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let a = Tensor::from([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]);
    /// let (q, r) = a.qr();
    /// assert_eq!(r[[1, 0]], 0.0);
    /// assert!(q.matmul(r).allclose(&a, 1e-12, 1e-12));
    /// ```
    #[track_caller]
    pub fn qr(&self) -> (Self, Self) {
        expect(self.try_qr())
    }

    /// As [`qr`](Tensor::qr).
    ///
    /// # Errors
    /// Where that panics.
    pub fn try_qr(&self) -> Result<(Self, Self)> {
        let left = LeftFactor.value(&[self])?;
        Ok((left, Upper.value(&[self])?))
    }
}

methods! {
    /// The eigenvalues of the symmetric part (A + Aᵀ) / 2 in ascending order, of one square matrix or a batch `[.., n, n]`: `[.., n]`.
    ///
    /// Where eigenvalues are equal, the gradient is that of any function that treats them alike; second derivatives are NaN there.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::<f64>::eye(2).eigvalsh().to_vec(), [1.0, 1.0]);
    /// ```
    eigvalsh(;) -> tensor = Eigen::Values;
    /// The eigenvectors of the symmetric part (A + Aᵀ) / 2 as columns, in the order of [`eigvalsh`](Tensor::eigvalsh).
    ///
    /// Eigenvectors of equal eigenvalues have no derivative: it is NaN.
    eigvecsh(;) -> tensor = Eigen::Vectors;
    /// The singular values in descending order, of one matrix or a batch [.., m, n]: [.., min(m, n)].
    ///
    /// Where singular values are equal, the gradient is that of any function that treats them alike; second derivatives are NaN there.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::<f64>::eye(2).svdvals().to_vec(), [1.0, 1.0]);
    /// ```
    svdvals(;) -> tensor = Singular::Values;
    /// The singular vectors on the left as columns, [.., m, min(m, n)]. Those of equal singular values have no derivative: it is NaN.
    svd_u(;) -> tensor = Singular::Left;
    /// The singular vectors on the right as columns, [.., n, min(m, n)]. Those of equal singular values have no derivative: it is NaN.
    svd_v(;) -> tensor = Singular::Right;
    /// Q of [`qr`](Tensor::qr). There is a derivative where the first min(m, n) columns are independent; it panics otherwise.
    qr_q(;) -> tensor = LeftFactor;
    /// R of [`qr`](Tensor::qr). There is a derivative where the first min(m, n) columns are independent; it panics otherwise.
    qr_r(;) -> tensor = Upper;
}

#[cfg(test)]
crate::tensor::testing::operations!(Gaps Eigen Singular Leading Extended Orthogonal Upper LeftFactor RightRows);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::testing::{pulled, second};

    #[test]
    fn equal_values_leave_functions_of_values_alone() {
        // Σ w² is the sum of all squares, Σ s of the identity has the gradient U Vᵀ.
        let x = Tensor::<f64>::eye(3);
        let d = pulled(
            &Eigen::Values,
            core::slice::from_ref(&x),
            &Tensor::full(&[3], 2.0),
        );
        assert!(d[0].allclose(&Formulas::scaled(&x, 2.0), 1e-14, 1e-14));
        let d = pulled(
            &Singular::Values,
            core::slice::from_ref(&x),
            &Tensor::ones(&[3]),
        );
        assert!(d[0].allclose(&x, 1e-14, 1e-14));
    }

    #[test]
    fn what_depends_on_the_choice_of_vectors_is_nan() {
        let x = Tensor::<f64>::eye(2);
        let c = Tensor::from([[1.0, 2.0], [3.0, 5.0]]);
        // What turns the two vectors into each other; the zeros of the vectors absorb it elsewhere.
        assert!(pulled(&Eigen::Vectors, core::slice::from_ref(&x), &c)[0][[0, 1]].is_nan());
        assert!(pulled(&Singular::Left, core::slice::from_ref(&x), &c)[0][[0, 1]].is_nan());
        let (_, dots) = second(
            &Eigen::Values,
            &[x],
            &[c],
            &Tensor::ones(&[2]),
            &Tensor::zeros(&[2]),
        );
        assert!(dots[0].iter().any(f64::is_nan));
    }

    #[test]
    fn entries_that_are_not_finite_are_refused() {
        let x = Tensor::from([[f64::NAN, 0.0], [0.0, 1.0]]);
        assert!(x.try_svd().is_err() && x.try_eigh().is_err() && x.try_qr().is_err());
        assert!(Tensor::<f64>::ones(&[2, 3]).try_eigh().is_err());
        assert!(Tensor::<f64>::ones(&[3]).try_svd().is_err());
    }

    #[test]
    fn single_precision_is_rounded_from_double() {
        let x = Tensor::<f32>::from([[2.0, 1.0], [1.0, 3.0]]);
        let (u, s, vt) = x.svd();
        assert!((u * s).matmul(vt).allclose(&x, 1e-6, 0.0));
    }
}
