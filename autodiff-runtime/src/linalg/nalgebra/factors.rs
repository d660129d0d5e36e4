//! Factors of a matrix, which solve systems with it: their tangent is that of the matrix.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{Cholesky, DefaultAllocator, Dim, DimMin, LU, Matrix, OMatrix, Storage};

use super::{Of, Real, add_multiple, dot, outer, product, tr_product};
use crate::linalg::forms::{Determinant, TryInverse};
use crate::linalg::{Arranged, Tan, method, row};
use crate::tangent::{Differentiable, Shaped};

method! {
    CholeskyOf cholesky(;);
    LuOf lu(;);
    Solve solve(b: B;);
    Inverse inverse(;);
    LnDeterminant ln_determinant(;);
    Lower l(;);
}

/// What has the tangent of the matrix that it was made of, and the shape of one that it keeps.
macro_rules! of_matrix {
    ($([$($g:tt)*] $a:ty, $kept:ident => $d:ty where [$($w:tt)*];)*) => {$(
        impl<$($g)*> Differentiable for $a where $($w)* {
            type Tangent = OMatrix<T, $d, $d>;
            #[inline]
            fn zero_tangent(&self) -> OMatrix<T, $d, $d> {
                self.$kept().zero_tangent()
            }
            fn write_flat(&self, out: &mut [f64]) {
                Differentiable::write_flat(self.$kept(), out);
            }
            fn has_lists() -> bool {
                <OMatrix<T, $d, $d>>::has_lists()
            }
        }
        impl<$($g)*> Arranged for $a where $($w)* {}
        impl<$($g)*> Shaped for $a where $($w)* {
            type Shape = Of<T, $d, $d>;
            #[inline]
            fn __shape(&self) -> Of<T, $d, $d> {
                self.$kept().__shape()
            }
        }
    )*};
}
of_matrix! {
    [T: Real, D: Dim] Cholesky<T, D>, l_dirty => D where [DefaultAllocator: Allocator<D, D>];
    [T: Real, D: DimMin<D, Output = D>] LU<T, D, D>, lu_internal => D where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
}

/// The symmetric matrix with this lower triangle, which is all that the crate looks at.
fn symmetric<T: Real, D: Dim>(a: &OMatrix<T, D, D>) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (rows, columns) = a.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| a[(i.max(j), i.min(j))])
}

row!(CholeskyOf [T: Real, D: Dim, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => Option<Cholesky<T, D>>, bool, where [DefaultAllocator: Allocator<D, D>];
|a| { let y = a.clone_owned().cholesky(); let is = y.is_some(); (y, is) };
|_, is, da| is.then(|| symmetric(da));
|_, _, d, to| if let Some(d) = d {
    for j in 0..d.ncols() {
        to[(j, j)] += d[(j, j)];
        for i in j + 1..d.nrows() {
            to[(i, j)] += d[(i, j)] + d[(j, i)];
        }
    }
};
|_, _, _, _, _| ());

row!(LuOf [T: Real, D: DimMin<D, Output = D>, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => LU<T, D, D>, (), where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
    |a| (a.clone_owned().lu(), ());
    |_, (), da| da.clone();
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

row!(Solve [T: Real, D: Dim, C: Dim, S: Storage<T, D, C>] Cholesky<T, D>, (b: Matrix<T, D, C, S>), () => OMatrix<T, D, C>, OMatrix<T, D, C>, where [DefaultAllocator: Allocator<D, D> + Allocator<D, C> + Allocator<C, D>];
|a, b| { let x = a.solve(b); (x.clone(), x) };
|a, _, x, da, db| a.solve(&(db - product(da, x)));
|a, _, x, d, to_a, to_b| {
    let g = a.solve(d);
    *to_a -= outer(&g, x);
    *to_b += g;
};
|a, _, x, da, db, d, to_a, to_b| {
    let (g, dx) = (a.solve(d), a.solve(&(db - product(da, x))));
    let dg = -a.solve(&product(da, &g));
    *to_a -= outer(&dg, x) + outer(&g, &dx);
    *to_b += dg;
});

row!(Inverse [T: Real, D: Dim] Cholesky<T, D>, (), () => OMatrix<T, D, D>, OMatrix<T, D, D>, where [DefaultAllocator: Allocator<D, D>];
|a| { let y = a.inverse(); (y.clone(), y) };
|_, y, da| -(y * da * y);
|_, y, d, to| *to -= y * d * y;
|_, y, da, d, to| {
    let dy = -(y * da * y);
    *to -= &dy * d * y + y * d * &dy;
});

row!(Determinant [T: Real, D: Dim] Cholesky<T, D>, (), () => T, T, where [DefaultAllocator: Allocator<D, D>];
|a| { let y = a.determinant(); (y, y) };
|a, y, da| *y * dot(&a.inverse(), da);
|a, y, d, to| add_multiple(to, *d * *y, &a.inverse());
|a, y, da, d, to| {
    let inverse = a.inverse();
    add_multiple(to, *d * *y * dot(&inverse, da), &inverse);
    add_multiple(to, -(*d * *y), &(&inverse * da * &inverse));
});

row!(LnDeterminant [T: Real, D: Dim] Cholesky<T, D>, (), () => T, (), where [DefaultAllocator: Allocator<D, D>];
|a| (a.ln_determinant(), ());
|a, (), da| dot(&a.inverse(), da);
|a, (), d, to| add_multiple(to, *d, &a.inverse());
|a, (), da, d, to| {
    let inverse = a.inverse();
    add_multiple(to, -*d, &(&inverse * da * &inverse));
});

/// The lower triangle, with half of the diagonal.
fn halved<T: Real, D: Dim>(a: &OMatrix<T, D, D>) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (rows, columns) = a.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| match i.cmp(&j) {
        core::cmp::Ordering::Less => T::zero(),
        core::cmp::Ordering::Equal => a[(i, j)] * crate::num::lit(0.5),
        core::cmp::Ordering::Greater => a[(i, j)],
    })
}

/// `l⁻ᵀ · a · l⁻¹`
fn between<T: Real, D: Dim>(l: &OMatrix<T, D, D>, a: &OMatrix<T, D, D>) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let left = l.tr_solve_lower_triangular_unchecked(a);
    l.tr_solve_lower_triangular_unchecked(&left.transpose())
        .transpose()
}

/// The tangent of a Cholesky factor `l` of a matrix with this tangent.
fn factor_along<T: Real, D: Dim>(l: &OMatrix<T, D, D>, da: &OMatrix<T, D, D>) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let left = l.solve_lower_triangular_unchecked(da);
    l * halved(&l.solve_lower_triangular_unchecked(&left.transpose()))
}

row!(Lower [T: Real, D: Dim] Cholesky<T, D>, (), () => OMatrix<T, D, D>, OMatrix<T, D, D>, where [DefaultAllocator: Allocator<D, D>];
|a| { let l = a.l(); (l.clone(), l) };
|_, l, da| factor_along(l, da);
|_, l, d, to| *to += between(l, &halved(&l.tr_mul(d)));
|_, l, da, d, to| {
    let dl = factor_along(l, da);
    let g = between(l, &halved(&l.tr_mul(d)));
    *to += between(l, &(halved(&dl.tr_mul(d)) - dl.tr_mul(&(&g * l)) - l.tr_mul(&(g * dl))));
});

/// The solution of the transposed system.
fn transposed<T: Real, D: DimMin<D, Output = D>, C: Dim>(
    a: &LU<T, D, D>,
    d: &OMatrix<T, D, C>,
) -> OMatrix<T, D, C>
where
    DefaultAllocator: Allocator<D, D> + Allocator<D> + Allocator<D, C>,
{
    let mut g = a.u().tr_solve_upper_triangular_unchecked(d);
    a.l().tr_solve_lower_triangular_unchecked_mut(&mut g);
    a.p().inv_permute_rows(&mut g);
    g
}

row!(Solve [T: Real, D: DimMin<D, Output = D>, C: Dim, S: Storage<T, D, C>] LU<T, D, D>, (b: Matrix<T, D, C, S>), () => Option<OMatrix<T, D, C>>, Option<OMatrix<T, D, C>>, where [DefaultAllocator: Allocator<D, D> + Allocator<D> + Allocator<D, C> + Allocator<C, D>];
|a, b| { let x = a.solve(b); (x.clone(), x) };
|a, _, x, da, db| x.as_ref().and_then(|x| a.solve(&(db - product(da, x))));
|a, _, x, d, to_a, to_b| if let (Some(x), Some(d)) = (x, d) {
    let g = transposed(a, d);
    *to_a -= outer(&g, x);
    *to_b += g;
};
|a, _, x, da, db, d, to_a, to_b| if let (Some(x), Some(d)) = (x, d) {
    let g = transposed(a, d);
    let dg = -transposed(a, &tr_product(da, &g));
    if let Some(dx) = a.solve(&(db - product(da, x))) {
        *to_a -= outer(&dg, x) + outer(&g, &dx);
    }
    *to_b += dg;
});

row!(TryInverse [T: Real, D: DimMin<D, Output = D>] LU<T, D, D>, (), () => Option<OMatrix<T, D, D>>, Option<OMatrix<T, D, D>>, where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
|a| { let y = a.try_inverse(); (y.clone(), y) };
|_, y, da| y.as_ref().map(|y| -(y * da * y));
|_, y, d, to| if let (Some(y), Some(d)) = (y, d) { *to -= y.tr_mul(d) * y.transpose() };
|_, y, da, d, to| if let (Some(y), Some(d)) = (y, d) {
    let dy = -(y * da * y);
    *to -= dy.tr_mul(d) * y.transpose() + y.tr_mul(d) * dy.transpose();
});
