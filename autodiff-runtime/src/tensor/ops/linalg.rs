//! Linear algebra: equations, inverses, determinants and Cholesky's factors, of one matrix or a batch.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::decompositions::{Complete, Factors, cholesky, substitute};
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, broadcast, count, dense_strides, size, stretched};
use crate::tensor::elementwise::walk;
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};

/// The size of the square matrices that the last two axes are.
pub(super) fn square(operation: &'static str, shape: &[usize]) -> Result<usize> {
    match shape {
        [.., n, m] if n == m => Ok(*n),
        _ => Err(Error::new(
            operation,
            format!("{shape:?} is no square matrix, nor a batch of them"),
        )),
    }
}

/// What is wrong with a matrix of a batch.
pub(super) fn wrong(operation: &'static str, shape: &[usize], k: usize, what: &str) -> Error {
    let which = if shape.len() > 2 {
        format!("matrix {k} of {shape:?}")
    } else {
        format!("the matrix {shape:?}")
    };
    Error::new(operation, format!("{which} {what}"))
}

/// The matrices that the last two axes are, one after the other.
pub(super) fn matrices<T: Float>(x: &Tensor<T>) -> impl Iterator<Item = &[T]> {
    let plane = count(&x.shape()[x.rank() - 2..]);
    // Those without entries are as many as there are.
    let number = count(&x.shape()[..x.rank() - 2]);
    let entries = x.dense().unwrap_or(&[]);
    (0..number).map(move |k| &entries[k * plane..(k + 1) * plane])
}

/// A part of each matrix, and zero elsewhere: an operation that is its own adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Lower,
    StrictLower,
    Upper,
    StrictUpper,
    /// The lower triangle with one half of the diagonal.
    Half,
}

impl<T: Float> Operation<T> for Part {
    const NAME: &'static str = "triangle";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if x[0].is_known_zero() {
            return Ok(x[0].clone());
        }
        let mut out = x[0].contiguous();
        let [rows, columns] = [x[0].shape()[x[0].rank() - 2], x[0].shape()[x[0].rank() - 1]];
        if out.is_empty() {
            return Ok(out);
        }
        for matrix in out.entries_mut().chunks_exact_mut(rows * columns) {
            for (i, row) in matrix.chunks_exact_mut(columns).enumerate() {
                let diagonal = i.min(columns);
                match self {
                    Part::Lower => row[(i + 1).min(columns)..].fill(T::ZERO),
                    Part::StrictLower => row[diagonal..].fill(T::ZERO),
                    Part::Upper => row[..diagonal].fill(T::ZERO),
                    Part::StrictUpper => row[..(i + 1).min(columns)].fill(T::ZERO),
                    Part::Half => {
                        row[(i + 1).min(columns)..].fill(T::ZERO);
                        if let Some(x) = row.get_mut(i) {
                            *x *= T::from_f64(0.5);
                        }
                    }
                }
            }
        }
        Ok(out)
    }

    super::moves::linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(*self))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        [
            Part::Lower,
            Part::StrictLower,
            Part::Upper,
            Part::StrictUpper,
            Part::Half,
        ]
        .map(|part| (part, vec![shape(&[2, 3, 3])]))
        .into()
    }
}

/// Which triangle of a matrix [`triangular_solve_with`](Tensor::triangular_solve_with) reads, and how.
///
/// ```
/// use autodiff_runtime::tensor::{Tensor, Triangle};
/// let u = Tensor::from([[2.0, 1.0], [0.0, 4.0]]);
/// let x = u.triangular_solve_with(Tensor::from([4.0, 4.0]), Triangle::upper());
/// assert_eq!(x.to_vec(), [1.5, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    upper: bool,
    transposed: bool,
    unit: bool,
}

impl Triangle {
    /// The lower triangle.
    #[must_use]
    pub fn lower() -> Self {
        Triangle {
            upper: false,
            transposed: false,
            unit: false,
        }
    }

    /// The upper triangle.
    #[must_use]
    pub fn upper() -> Self {
        Triangle {
            upper: true,
            ..Self::lower()
        }
    }

    /// Equations with the transpose of that triangle.
    #[must_use]
    pub fn transposed(mut self) -> Self {
        self.transposed = !self.transposed;
        self
    }

    /// Ones on the diagonal, whatever stands there.
    #[must_use]
    pub fn unit(mut self) -> Self {
        self.unit = true;
        self
    }

    fn part(self) -> Part {
        match (self.upper, self.unit) {
            (false, false) => Part::Lower,
            (false, true) => Part::StrictLower,
            (true, false) => Part::Upper,
            (true, true) => Part::StrictUpper,
        }
    }
}

/// The solution of A X = B: of whole matrices, or of a triangle.
#[derive(Clone)]
pub(crate) struct Solve(pub(crate) Option<Triangle>);

/// B with a last axis where it is a vector, X likewise, and X as it is given.
struct Sizes {
    n: usize,
    b: Dims,
    whole: Dims,
    result: Dims,
}

impl Solve {
    fn name(&self) -> &'static str {
        self.0.map_or("solve", |_| "triangular_solve")
    }

    fn sizes(&self, a: &[usize], b: &[usize]) -> Result<Sizes> {
        let name = self.name();
        let n = square(name, a)?;
        let outer = &a[..a.len() - 2];
        let vector = b.len() == 1 || *b == a[..a.len() - 1];
        let mut matrix: Dims = b.into();
        if vector {
            matrix.push(1);
        }
        let fits = matrix.len() >= 2 && matrix[matrix.len() - 2] == n;
        let (true, Ok(mut whole)) = (
            fits,
            broadcast(name, outer, &matrix[..matrix.len().max(2) - 2]),
        ) else {
            return Err(Error::shapes(
                name,
                "the right-hand sides do not go with the matrix",
                a,
                b,
            ));
        };
        whole.extend([n, matrix[matrix.len() - 1]]);
        size(name, &whole)?;
        let mut result = whole.clone();
        if vector {
            result.pop();
        }
        Ok(Sizes {
            n,
            b: matrix,
            whole,
            result,
        })
    }

    /// What is to be solved with the transpose, and how.
    fn adjoint<T: Float, A: Algebra<T>>(&self, a: &A, b: &A) -> A {
        match self.0 {
            None => A::apply(self, &[&a.transposed(), b]),
            Some(triangle) => A::apply(&Solve(Some(triangle.transposed())), &[a, b]),
        }
    }

    /// A tangent of the matrix as the equations have it.
    fn there<T: Float, A: Algebra<T>>(&self, d: &A) -> A {
        match self.0 {
            None => d.clone(),
            Some(triangle) if triangle.transposed => d.then(triangle.part()).transposed(),
            Some(triangle) => d.then(triangle.part()),
        }
    }

    /// The cotangent of the matrix from that of what the equations have.
    fn back<T: Float, A: Algebra<T>>(&self, d: &A) -> A {
        match self.0 {
            None => d.clone(),
            Some(triangle) if triangle.transposed => d.transposed().then(triangle.part()),
            Some(triangle) => d.then(triangle.part()),
        }
    }
}

impl<T: Float> Operation<T> for Solve {
    const NAME: &'static str = "solve";
    const KEEPS: Keeps = Keeps::Everything;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let (a, b) = (x[0].contiguous(), x[1].contiguous());
        let Sizes {
            n,
            b: matrix,
            whole,
            result,
        } = self.sizes(a.shape(), b.shape())?;
        let mut factors = Vec::new();
        for (k, a) in matrices(&a).enumerate() {
            let singular = match self.0 {
                None => {
                    factors.push(Factors::new(a, n));
                    factors[k].is_singular()
                }
                Some(triangle) => !triangle.unit && (0..n).any(|i| a[i * n + i] == T::ZERO),
            };
            if singular {
                return Err(wrong(self.name(), x[0].shape(), k, "is singular"));
            }
        }
        let batch = &whole[..whole.len() - 2];
        let m = whole[whole.len() - 1];
        let mut out = anything(count(&whole));
        let outer = |shape: &[usize]| {
            let outer = &shape[..shape.len() - 2];
            stretched(outer, &dense_strides(outer), batch)
        };
        let (sa, sb) = (outer(a.shape()), outer(&matrix));
        let mut next = 0;
        let (matrix, sides) = (a.data(), b.data());
        if !out.is_empty() {
            walk(batch, [&sa, &sb], |at, step, times| {
                for k in 0..times {
                    let (k_a, k_b) = (at[0] + k * step[0], at[1] + k * step[1]);
                    let to = &mut out[next..next + n * m];
                    next += n * m;
                    let side = &sides[k_b * n * m..(k_b + 1) * n * m];
                    if let Some(triangle) = self.0 {
                        to.copy_from_slice(side);
                        let strides = if triangle.transposed { [1, n] } else { [n, 1] };
                        let lower = triangle.upper == triangle.transposed;
                        substitute(
                            &matrix[k_a * n * n..(k_a + 1) * n * n],
                            strides,
                            n,
                            lower,
                            triangle.unit,
                            to,
                            m,
                        );
                    } else {
                        factors[k_a].solve(side, to, m);
                    }
                }
            });
        }
        Ok(Tensor::of(result, out))
    }

    // Ẋ = A⁻¹ (Ḃ − Ȧ X).
    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Ok(sizes) = self.sizes(x[0].lengths(), x[1].lengths()) else {
            return y.nothing();
        };
        let moved = dx[0].map(|d| self.there(d).matmul(&y.shaped(&sizes.whole)));
        let given = dx[1].map(|d| d.shaped(&sizes.b));
        let side = match (given, moved) {
            (Some(b), Some(a)) => b.sub(&a),
            (Some(b), None) => b,
            (None, Some(a)) => a.neg(),
            (None, None) => return y.nothing(),
        };
        A::apply(self, &[x[0], &side.stretched_to(&sizes.whole)]).shaped(&sizes.result)
    }

    // B̄ = A⁻ᵀ X̄, Ā = −B̄ Xᵀ.
    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let Ok(sizes) = self.sizes(x[0].lengths(), x[1].lengths()) else {
            return vec![None, None];
        };
        let back = self.adjoint(x[0], &dy.shaped(&sizes.whole));
        let matrix = wanted[0].then(|| {
            let d = back.matmul(&y.shaped(&sizes.whole).transposed()).neg();
            self.back(&d.summed_to(x[0].lengths()))
        });
        let side = wanted[1].then(|| back.summed_to(&sizes.b).shaped(x[1].lengths()));
        vec![matrix, side]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [[&[usize]; 2]; 10] = [
            [&[2, 2], &[2, 2]],
            [&[3, 3], &[3, 2]],
            [&[3, 3], &[3]],
            [&[2, 3, 3], &[2, 3, 1]],
            [&[2, 3, 3], &[2, 3]],
            [&[3, 3], &[2, 3, 2]],
            [&[2, 1, 2, 2], &[3, 2, 1]],
            [&[2, 2], &[2, 0]],
            [&[0, 0], &[0, 2]],
            [&[0, 2, 2], &[2, 1]],
        ];
        let lower = Triangle::lower();
        let forms = [
            None,
            Some(lower),
            Some(lower.transposed()),
            Some(Triangle::upper()),
            Some(Triangle::upper().transposed().unit()),
            Some(lower.unit()),
        ];
        forms
            .iter()
            .flat_map(|form| {
                shapes.map(|[a, b]| (Solve(*form), vec![regular(a), shifted(b, 40.0)]))
            })
            .collect()
    }
}

/// Matrices that are far from singular, with a positive definite symmetric part.
#[cfg(test)]
fn regular<T: Float>(of: &[usize]) -> Tensor<T> {
    let mut x = shape(of);
    let n = of[of.len() - 1];
    for (k, entry) in x.entries_mut().iter_mut().enumerate() {
        if k / n % n == k % n {
            *entry += T::from_f64(n as f64);
        }
    }
    x
}

/// A⁻¹.
#[derive(Clone)]
pub(crate) struct Inv {
    /// Whether a singular matrix is an error; otherwise its inverse is NaN throughout.
    strict: bool,
}

impl<T: Float> Operation<T> for Inv {
    const NAME: &'static str = "inv";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("inv", x[0].shape())?;
        let a = x[0].contiguous();
        let mut out = anything(a.len());
        let unit = Tensor::<T>::eye(n);
        for (k, a) in matrices(&a).enumerate() {
            let to = &mut out[k * n * n..(k + 1) * n * n];
            let factors = Factors::new(a, n);
            if factors.is_singular() {
                if self.strict {
                    return Err(wrong("inv", x[0].shape(), k, "is singular"));
                }
                to.fill(T::NAN);
            } else {
                factors.solve(unit.data(), to, n);
            }
        }
        Ok(Tensor::of(x[0].shape().into(), out))
    }

    // −Y Ȧ Y.
    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| y.matmul(d).matmul(y).neg())
    }

    // −Yᵀ Ȳ Yᵀ.
    fn pull<A: Algebra<T>>(&self, _: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let turned = y.transposed();
        vec![Some(turned.matmul(dy).matmul(&turned).neg())]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 6] = [
            &[2, 2],
            &[3, 3],
            &[2, 1, 2, 2],
            &[1, 1],
            &[0, 0],
            &[0, 2, 2],
        ];
        shapes
            .map(|of| (Inv { strict: true }, vec![regular(of)]))
            .into()
    }
}

/// A number for each matrix, as a matrix of one entry.
fn single<T: Float, A: Algebra<T>>(x: &A) -> A {
    let mut shape: Dims = x.lengths().into();
    shape.extend([1, 1]);
    x.shaped(&shape)
}

/// The sum over the entries of each matrix.
fn total<T: Float, A: Algebra<T>>(x: &A) -> A {
    let rank = x.lengths().len();
    let outer: Dims = x.lengths()[..rank - 2].into();
    x.summed_over(&[rank - 2, rank - 1]).shaped(&outer)
}

/// |A|.
#[derive(Clone)]
pub(crate) struct Det;

impl<T: Float> Operation<T> for Det {
    const NAME: &'static str = "det";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("det", x[0].shape())?;
        let a = x[0].contiguous();
        let out = matrices(&a)
            .map(|a| Factors::new(a, n).determinant())
            .collect();
        Ok(Tensor::of(x[0].shape()[..x[0].rank() - 2].into(), out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| total(&d.times(&x[0].then(Cofactors))))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(single(dy).times(&x[0].then(Cofactors)))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 7] = [
            &[1, 1],
            &[2, 2],
            &[3, 3],
            &[5, 5],
            &[2, 1, 2, 2],
            &[0, 0],
            &[0, 2, 2],
        ];
        let mut points: Vec<_> = shapes.map(|of| (Det, vec![shape(of)])).into();
        let singular = |n: usize, rank: usize| {
            let (a, b): (Tensor<T>, Tensor<T>) = (shape(&[n, rank]), shifted(&[rank, n], 9.0));
            (Det, vec![Formulas::matmul(&a, &b)])
        };
        points.extend([
            singular(1, 0),
            singular(2, 1),
            singular(2, 0),
            singular(3, 2),
            singular(4, 2),
            singular(4, 1),
            singular(5, 3),
        ]);
        points
    }
}

/// The matrix of cofactors: what the determinant's derivative by each entry is.
///
/// They are polynomials in the entries, and computed without a division by what may be zero: with A = P L D V Q, where pivots are searched in rows and columns,
/// L and V are far from singular, and the cofactors of D are products of its entries.
#[derive(Clone)]
struct Cofactors;

impl<T: Float> Operation<T> for Cofactors {
    const NAME: &'static str = "det";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("det", x[0].shape())?;
        let a = x[0].contiguous();
        let out: Vec<T> = matrices(&a)
            .flat_map(|a| Complete::new(a, n).cofactors())
            .collect();
        Ok(Tensor::of(x[0].shape().into(), out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        dx[0].map_or_else(|| y.nothing(), |d| A::apply(&CofactorSlope, &[x[0], d]))
    }

    // Second derivatives are symmetric.
    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(A::apply(&CofactorSlope, &[x[0], dy]))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 5] = [&[1, 1], &[2, 2], &[3, 3], &[2, 4, 4], &[0, 0]];
        shapes.map(|of| (Cofactors, vec![regular(of)])).into()
    }
}

/// How the cofactors of the first operand change along the second.
#[derive(Clone)]
struct CofactorSlope;

impl<T: Float> Operation<T> for CofactorSlope {
    const NAME: &'static str = "det";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("det", x[0].shape())?;
        let (a, e) = (x[0].contiguous(), x[1].contiguous());
        let out: Vec<T> = (matrices(&a).zip(matrices(&e)))
            .flat_map(|(a, e)| Complete::new(a, n).slope(e))
            .collect();
        Ok(Tensor::of(x[0].shape().into(), out))
    }

    // |A| (tr(A⁻¹ E) A⁻¹ − A⁻¹ E A⁻¹)ᵀ, of regular matrices: for derivatives of order three.
    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let inverse = x[0].then(Inv { strict: true });
        let product = inverse.matmul(x[1]);
        let trace = total(&inverse.transposed().mul(x[1]));
        let slope = single(&trace).mul(&inverse).sub(&product.matmul(&inverse));
        single(&x[0].then(Det)).mul(&slope).transposed()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 3] = [&[2, 2], &[3, 3], &[2, 2, 2]];
        shapes
            .map(|of| (CofactorSlope, vec![regular(of), shifted(of, 60.0)]))
            .into()
    }
}

/// ln |det A|.
#[derive(Clone)]
pub(crate) struct LogDet;

impl<T: Float> Operation<T> for LogDet {
    const NAME: &'static str = "logdet";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("logdet", x[0].shape())?;
        let a = x[0].contiguous();
        let out = matrices(&a)
            .map(|a| Factors::new(a, n).log_determinant())
            .collect();
        Ok(Tensor::of(x[0].shape()[..x[0].rank() - 2].into(), out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let slope = || x[0].then(Inv { strict: false }).transposed();
        dx[0].map_or_else(|| y.nothing(), |d| total(&d.times(&slope())))
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let slope = x[0].then(Inv { strict: false }).transposed();
        vec![Some(single(dy).times(&slope))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 5] = [&[1, 1], &[3, 3], &[2, 1, 2, 2], &[0, 0], &[0, 2, 2]];
        let mut points: Vec<_> = shapes.map(|of| (LogDet, vec![regular(of)])).into();
        // Of a negative determinant.
        let order = [1, 0].into_iter().collect::<Dims>();
        points.push((
            LogDet,
            vec![Tensor::from([[T::ZERO, T::ONE], [T::from_f64(3.0), T::ONE]]).permuted(&order)],
        ));
        points
    }
}

/// The lower triangle L of L Lᵀ = (A + Aᵀ) / 2.
#[derive(Clone)]
pub(crate) struct Cholesky;

impl<T: Float> Operation<T> for Cholesky {
    const NAME: &'static str = "cholesky";
    const KEEPS: Keeps = Keeps::Result;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let n = square("cholesky", x[0].shape())?;
        let a = x[0].contiguous();
        let mut out = anything(a.len());
        for (k, a) in matrices(&a).enumerate() {
            if let Err(pivot) = cholesky(a, &mut out[k * n * n..(k + 1) * n * n], n) {
                return Err(wrong(
                    "cholesky",
                    x[0].shape(),
                    k,
                    &format!("is not positive definite: pivot {pivot} is not positive"),
                ));
            }
        }
        Ok(Tensor::of(x[0].shape().into(), out))
    }

    // L Φ(L⁻¹ Ȧ L⁻ᵀ), where Φ is the lower triangle with one half of the diagonal.
    // Source: Murray, Differentiation of the Cholesky decomposition (2016).
    fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let Some(d) = dx[0] else { return y.nothing() };
        let left = |b: &A| A::apply(&Solve(Some(Triangle::lower())), &[y, b]);
        let inner = left(&left(&symmetric(d)).transposed());
        y.matmul(&inner.then(Part::Half))
    }

    fn pull<A: Algebra<T>>(&self, _: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let left = |b: &A| A::apply(&Solve(Some(Triangle::lower().transposed())), &[y, b]);
        let inner = y
            .transposed()
            .matmul(&dy.then(Part::Lower))
            .then(Part::Half);
        vec![Some(symmetric(&left(&left(&inner).transposed())))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let shapes: [&[usize]; 6] = [
            &[1, 1],
            &[2, 2],
            &[4, 4],
            &[2, 1, 3, 3],
            &[0, 0],
            &[0, 2, 2],
        ];
        shapes.map(|of| (Cholesky, vec![regular(of)])).into()
    }
}

/// (A + Aᵀ) / 2.
pub(super) fn symmetric<T: Float, A: Algebra<T>>(x: &A) -> A {
    x.add(&x.transposed()).scaled(0.5)
}

methods! {
    /// The solution X of A X = B, of one square matrix or a batch `[.., n, n]`.
    ///
    /// B is `[.., n, m]`, and the batches are stretched to each other; or a vector, `[n]`, or a batch of vectors whose shape is that of A without its last axis.
    ///
    /// # Errors
    /// `try_solve` says if a matrix is singular.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let a = Tensor::from([[2.0, 0.0], [1.0, 4.0]]);
    /// assert_eq!(a.solve(Tensor::from([2.0, 5.0])).to_vec(), [1.0, 1.0]);
    /// ```
    solve(b;) -> tensor = Solve(None);
    /// The solution X of L X = B, where L is the lower triangle; what stands above is not looked at, and has gradient zero. Shapes are those of [`solve`](Tensor::solve).
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let l = Tensor::from([[2.0, 7.0], [1.0, 4.0]]);
    /// assert_eq!(l.triangular_solve(Tensor::from([2.0, 5.0])).to_vec(), [1.0, 1.0]);
    /// ```
    triangular_solve(b;) -> tensor = Solve(Some(Triangle::lower()));
    /// As [`triangular_solve`](Tensor::triangular_solve), of either triangle or its transpose.
    triangular_solve_with(b; triangle: given [Triangle]) -> tensor = Solve(Some(triangle));
    /// The inverse, of one square matrix or a batch `[.., n, n]`; an error if one is singular. [`solve`](Tensor::solve) is faster and more accurate than a product with it.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[2.0, 0.0], [0.0, 4.0]]).inv().to_vec(), [0.5, 0.0, 0.0, 0.25]);
    /// ```
    inv(;) -> tensor = Inv { strict: true };
    /// The determinant, of one square matrix (a tensor of rank 0) or a batch `[.., n, n]`.
    ///
    /// The gradient is the matrix of cofactors, also of a singular matrix.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[2.0, 1.0], [0.0, 4.0]]).det().item(), 8.0);
    /// ```
    det(;) -> tensor = Det;
    /// ln |det|, of one square matrix (a tensor of rank 0) or a batch `[.., n, n]`: summed from the factors, so that it is finite where the determinant is too large or too small.
    ///
    /// It is −∞ of a singular matrix, with the gradient NaN.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[0.0, 1.0], [1.0, 0.0]]).logdet().item(), 0.0);
    /// ```
    logdet(;) -> tensor = LogDet;
    /// The lower triangle L with L Lᵀ = (A + Aᵀ) / 2, of one square matrix or a batch `[.., n, n]`; an error if that is not positive definite. The gradient is symmetric.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// assert_eq!(Tensor::from([[4.0, 2.0], [2.0, 10.0]]).cholesky().to_vec(), [2.0, 0.0, 1.0, 3.0]);
    /// ```
    cholesky(;) -> tensor = Cholesky;
}

#[cfg(test)]
crate::tensor::testing::operations!(Part Solve Inv Det Cofactors CofactorSlope LogDet Cholesky);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::{pulled, second};

    /// Entries that need pivots: without order, some of them zero.
    fn unordered(n: usize) -> Tensor<f64> {
        Tensor::from_fn(&[n, n], |at| {
            let k = (at[0] * 7919 + at[1] * 104_729 + at[0] * at[1] * 31) % 1009;
            if k % 5 == 0 || at[0] == at[1] {
                0.0
            } else {
                k as f64 / 504.5 - 1.0
            }
        })
    }

    #[test]
    fn large_matrices_are_solved_block_by_block() {
        for n in [31, 32, 33, 65, 100] {
            let (a, b) = (unordered(n), shape(&[n, 3]));
            assert!(a.matmul(a.solve(&b)).allclose(&b, 1e-9, 1e-9), "{n}");
            assert!(
                a.matmul(a.inv()).allclose(&Tensor::eye(n), 0.0, 1e-9),
                "{n}"
            );
            let v = shape(&[n]);
            assert!(a.matmul(a.solve(&v)).allclose(&v, 1e-9, 1e-9), "{n}");
            let definite = a.matmul(a.transposed()) + Tensor::eye(n);
            let l = definite.cholesky();
            assert!(
                l.matmul(l.transposed()).allclose(&definite, 1e-12, 1e-12),
                "{n}"
            );
            assert!(
                (l.logdet() * 2.0).allclose(&definite.logdet(), 1e-12, 0.0),
                "{n}"
            );
            for triangle in [Triangle::lower(), Triangle::lower().transposed()] {
                let x = l.triangular_solve_with(&b, triangle);
                let m = if triangle.transposed {
                    l.transposed()
                } else {
                    l.clone()
                };
                assert!(m.matmul(x).allclose(&b, 1e-10, 1e-10), "{n}");
                let u = l.transposed();
                let x = u.triangular_solve_with(
                    &b,
                    Triangle {
                        upper: true,
                        ..triangle
                    },
                );
                assert!(m.transposed().matmul(x).allclose(&b, 1e-10, 1e-10), "{n}");
            }
        }
    }

    #[test]
    fn zeros_on_the_diagonal_are_no_trouble() {
        let a = Tensor::from([[0.0, 2.0], [3.0, 0.0]]);
        assert_eq!(a.solve(Tensor::from([4.0, 9.0])).to_vec(), [3.0, 2.0]);
        assert_eq!(a.det().item(), -6.0);
        assert_eq!(a.logdet().item(), 6.0_f64.ln());
    }

    #[test]
    fn the_determinant_has_cofactors_as_its_gradient() {
        let gradient = |x: Tensor<f64>| pulled(&Det, &[x], &Tensor::scalar(1.0))[0].to_vec();
        assert_eq!(gradient(Tensor::from([[0.0]])), [1.0]);
        assert_eq!(
            gradient(Tensor::from([[1.0, 2.0], [2.0, 4.0]])),
            [4.0, -2.0, -2.0, 1.0]
        );
        assert_eq!(gradient(Tensor::zeros(&[2, 2])), [0.0; 4]);
        assert_eq!(gradient(Tensor::zeros(&[0, 0])), [0.0; 0]);
        // diag(0, 2, 3): the cofactor of the zero is 6; of rank one all are zero, and the second derivative is not.
        let of = |d: [f64; 3]| {
            Tensor::from_fn(&[3, 3], |at| if at[0] == at[1] { d[at[0]] } else { 0.0 })
        };
        let mut expected = [0.0; 9];
        expected[0] = 6.0;
        assert_eq!(gradient(of([0.0, 2.0, 3.0])), expected);
        assert_eq!(gradient(of([0.0, 0.0, 3.0])), [0.0; 9]);
        let (_, dots) = second(
            &Det,
            &[of([0.0, 0.0, 3.0])],
            &[Tensor::eye(3)],
            &Tensor::scalar(1.0),
            &Tensor::zeros(&[]),
        );
        assert_eq!(dots[0], of([3.0, 3.0, 0.0]));
    }

    #[test]
    fn the_logarithm_of_a_determinant_needs_no_determinant() {
        let x = Tensor::from_fn(&[200, 200], |at| if at[0] == at[1] { -1e-3 } else { 0.0 });
        assert_eq!(x.det().item(), 0.0);
        assert!((x.logdet().item() - 200.0 * 1e-3_f64.ln()).abs() < 1e-9);
        let d = pulled(&LogDet, &[x], &Tensor::scalar(1.0));
        assert!((d[0][[3, 3]] + 1000.0).abs() < 1e-9);
        let singular = Tensor::from([[1.0, 2.0], [2.0, 4.0]]);
        assert_eq!(singular.logdet().item(), f64::NEG_INFINITY);
        assert!(
            pulled(
                &LogDet,
                core::slice::from_ref(&singular),
                &Tensor::scalar(1.0)
            )[0][[0, 0]]
            .is_nan()
        );
        // Of a batch, what is not asked for leaves nothing.
        let batch = Tensor::from_fn(&[2, 2, 2], |at| {
            if at[0] == 0 {
                singular[[at[1], at[2]]]
            } else {
                Tensor::<f64>::eye(2)[[at[1], at[2]]]
            }
        });
        let d = pulled(&LogDet, &[batch], &Tensor::from([0.0, 1.0]));
        assert_eq!(d[0].to_vec(), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_triangle_is_all_that_is_looked_at() {
        let l = Tensor::from([[2.0, f64::NAN], [1.0, 4.0]]);
        let of = Solve(Some(Triangle::lower()));
        let bars = pulled(&of, &[l, Tensor::from([2.0, 5.0])], &Tensor::ones(&[2]));
        assert_eq!(bars[0].to_vec(), [-0.375, 0.0, -0.25, -0.25]);
        assert_eq!(bars[1].to_vec(), [0.375, 0.25]);
        let bars = pulled(
            &Cholesky,
            &[Tensor::from([[4.0, 1.0], [3.0, 10.0]])],
            &Tensor::from([[0.0, f64::INFINITY], [1.0, 0.0]]),
        );
        assert_eq!(bars[0].to_vec(), [-0.125, 0.25, 0.25, 0.0]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let fails = |result: Result<Tensor<f64>>, expected: &str| {
            assert_eq!(result.unwrap_err().to_string(), expected);
        };
        let singular = Tensor::from([[1.0, 2.0], [2.0, 4.0]]);
        fails(singular.try_inv(), "inv: the matrix [2, 2] is singular");
        fails(
            singular.try_solve(Tensor::ones(&[2])),
            "solve: the matrix [2, 2] is singular",
        );
        fails(
            Tensor::<f64>::zeros(&[3, 2, 2]).try_inv(),
            "inv: matrix 0 of [3, 2, 2] is singular",
        );
        fails(
            singular.try_solve(Tensor::ones(&[3])),
            "solve: the right-hand sides do not go with the matrix: [2, 2] and [3]",
        );
        fails(
            singular.try_solve(1.0),
            "solve: the right-hand sides do not go with the matrix: [2, 2] and []",
        );
        fails(
            Tensor::<f64>::ones(&[2, 3]).try_det(),
            "det: [2, 3] is no square matrix, nor a batch of them",
        );
        fails(
            Tensor::<f64>::ones(&[3]).try_logdet(),
            "logdet: [3] is no square matrix, nor a batch of them",
        );
        fails(
            singular.try_cholesky(),
            "cholesky: the matrix [2, 2] is not positive definite: pivot 1 is not positive",
        );
        fails(
            Tensor::from([[f64::NAN]]).try_cholesky(),
            "cholesky: the matrix [1, 1] is not positive definite: pivot 0 is not positive",
        );
        fails(
            Tensor::from([[1.0, 0.0], [1.0, 0.0]]).try_triangular_solve(Tensor::ones(&[2])),
            "triangular_solve: the matrix [2, 2] is singular",
        );
    }
}
