//! `a.map(|x| …)` and `a.zip_map(&b, |x, y| …)`: the closure comes with its derivative, as any that a `#[grad]` function is given; what it captures has the cotangent `E`.

use alloc::vec::Vec;

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix, Storage};

use super::{Real, same_shape};
use crate::tangent::Differentiable;

/// The method `zip_map`.
#[allow(
    clippy::type_complexity,
    clippy::too_many_arguments,
    reason = "the forms that generated code calls"
)]
pub trait ZipMap<T: Real, R: Dim, C: Dim>:
    Differentiable<Tangent = OMatrix<T, R, C>> + Sized
where
    DefaultAllocator: Allocator<R, C>,
{
    /// What a function makes of the entries of both, one behind the other.
    fn __each<Z>(
        &self,
        b: &impl ZipMap<T, R, C>,
        f: impl FnMut(usize, T, T) -> (T, Z),
    ) -> (OMatrix<T, R, C>, Vec<Z>);
    /// An entry.
    fn __entry(&self, k: usize) -> T;
    /// The zero tangent of the receiver.
    #[inline]
    fn __zero_of_0_zip_map(&self, arg: &Self) -> Self::Tangent {
        arg.zero_tangent()
    }
    /// That of the other matrix.
    #[inline]
    fn __zero_of_1_zip_map<X: Differentiable>(&self, arg: &X) -> X::Tangent {
        arg.zero_tangent()
    }
    /// That of the closure.
    #[inline]
    fn __zero_of_2_zip_map<X: ?Sized>(&self, _: &X) {}
    /// The value and its tangent.
    #[inline]
    fn __jvp_zip_map<M: ZipMap<T, R, C>, F: Fn(T, T, T, T) -> (T, T) + Clone>(
        &self,
        b: &M,
        f: F,
        da: &Self::Tangent,
        db: &M::Tangent,
    ) -> (OMatrix<T, R, C>, OMatrix<T, R, C>) {
        let (y, dots) = self.__each(b, |k, x, y| f(x, y, da[k], db[k]));
        let (rows, columns) = y.shape_generic();
        (y, OMatrix::from_iterator_generic(rows, columns, dots))
    }
    /// The value and its pullback.
    #[inline]
    fn __fwd_zip_map<M: ZipMap<T, R, C>, F, B, E>(
        &self,
        b: &M,
        f: F,
    ) -> (
        OMatrix<T, R, C>,
        impl FnOnce(OMatrix<T, R, C>, &Self, &M, &mut Self::Tangent, &mut M::Tangent, &mut E)
        + use<Self, T, R, C, M, F, B, E>,
    )
    where
        F: Fn(T, T) -> (T, B) + Clone,
        B: FnOnce(T, &mut E) -> (T, T),
    {
        let (y, backs) = self.__each(b, |_, x, y| f(x, y));
        let back = move |seed: OMatrix<T, R, C>,
                         _: &Self,
                         _: &M,
                         to_a: &mut Self::Tangent,
                         to_b: &mut M::Tangent,
                         env: &mut E| {
            same_shape(to_a.shape(), seed.shape());
            for (k, back) in backs.into_iter().enumerate() {
                let (a, b) = back(seed[k], env);
                to_a[k] += a;
                to_b[k] += b;
            }
        };
        (y, back)
    }
    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __jvp_fwd_zip_map<M: ZipMap<T, R, C>, F, B, E, D>(
        &self,
        b: &M,
        f: F,
        da: &Self::Tangent,
        db: &M::Tangent,
    ) -> (
        OMatrix<T, R, C>,
        OMatrix<T, R, C>,
        impl FnOnce(
            OMatrix<T, R, C>,
            OMatrix<T, R, C>,
            &Self,
            &M,
            &Self::Tangent,
            &M::Tangent,
            &mut Self::Tangent,
            &mut M::Tangent,
            &mut E,
            &mut Self::Tangent,
            &mut M::Tangent,
            &mut D,
        ) -> ((), ())
        + use<Self, T, R, C, M, F, B, E, D>,
    )
    where
        F: Fn(T, T, T, T) -> (T, T, B) + Clone,
        B: FnOnce(T, T, &mut E, &mut D) -> ((T, T), (T, T)),
    {
        let (y, rest) = self.__each(b, |k, x, y| {
            let (y, dot, back) = f(x, y, da[k], db[k]);
            (y, (dot, back))
        });
        let (dots, backs): (Vec<T>, Vec<B>) = rest.into_iter().unzip();
        let (rows, columns) = y.shape_generic();
        let dot = OMatrix::from_iterator_generic(rows, columns, dots);
        let back = move |seed: OMatrix<T, R, C>,
                         dot_seed: OMatrix<T, R, C>,
                         _: &Self,
                         _: &M,
                         _: &Self::Tangent,
                         _: &M::Tangent,
                         to_a: &mut Self::Tangent,
                         to_b: &mut M::Tangent,
                         env: &mut E,
                         dot_a: &mut Self::Tangent,
                         dot_b: &mut M::Tangent,
                         dot_env: &mut D| {
            same_shape(to_a.shape(), seed.shape());
            for (k, back) in backs.into_iter().enumerate() {
                let ((a, b), (da, db)) = back(seed[k], dot_seed[k], env, dot_env);
                to_a[k] += a;
                to_b[k] += b;
                dot_a[k] += da;
                dot_b[k] += db;
            }
            ((), ())
        };
        (y, dot, back)
    }
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> ZipMap<T, R, C> for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline]
    fn __each<Z>(
        &self,
        b: &impl ZipMap<T, R, C>,
        mut f: impl FnMut(usize, T, T) -> (T, Z),
    ) -> (OMatrix<T, R, C>, Vec<Z>) {
        let (mut y, mut rest) = (self.clone_owned(), Vec::with_capacity(self.len()));
        for (k, y) in y.iter_mut().enumerate() {
            let (new, more) = f(k, *y, b.__entry(k));
            *y = new;
            rest.push(more);
        }
        (y, rest)
    }
    #[inline]
    fn __entry(&self, k: usize) -> T {
        self[k]
    }
}

/// `a.map(|x| …)` of what is a matrix for certain; where it may be a list or an option, the compiler writes a loop over the entries.
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait Map<T: Real, R: Dim, C: Dim>: Differentiable<Tangent = OMatrix<T, R, C>> + Sized
where
    DefaultAllocator: Allocator<R, C>,
{
    /// What a function makes of the entries, and what it returns beside them.
    fn __map_each<Z>(&self, f: impl FnMut(usize, T) -> (T, Z)) -> (OMatrix<T, R, C>, Vec<Z>);
    /// The zero tangent of the receiver.
    #[inline]
    fn __zero_of_0_map(&self, arg: &Self) -> Self::Tangent {
        arg.zero_tangent()
    }
    /// That of the closure.
    #[inline]
    fn __zero_of_1_map<X: ?Sized>(&self, _: &X) {}
    /// The value and its tangent.
    #[inline]
    fn __jvp_map<F: Fn(T, T) -> (T, T) + Clone>(
        &self,
        f: F,
        d: &Self::Tangent,
    ) -> (OMatrix<T, R, C>, OMatrix<T, R, C>) {
        let (y, dots) = self.__map_each(|k, x| f(x, d[k]));
        let (rows, columns) = y.shape_generic();
        (y, OMatrix::from_iterator_generic(rows, columns, dots))
    }
    /// The value and its pullback.
    #[inline]
    fn __fwd_map<F, B, E>(
        &self,
        f: F,
    ) -> (
        OMatrix<T, R, C>,
        impl FnOnce(OMatrix<T, R, C>, &Self, &mut Self::Tangent, &mut E) + use<Self, T, R, C, F, B, E>,
    )
    where
        F: Fn(T) -> (T, B) + Clone,
        B: FnOnce(T, &mut E) -> (T,),
    {
        let (y, backs) = self.__map_each(|_, x| f(x));
        let back = move |seed: OMatrix<T, R, C>, _: &Self, to: &mut Self::Tangent, env: &mut E| {
            same_shape(to.shape(), seed.shape());
            for (k, back) in backs.into_iter().enumerate() {
                to[k] += back(seed[k], env).0;
            }
        };
        (y, back)
    }
    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __jvp_fwd_map<F, B, E, G>(
        &self,
        f: F,
        d: &Self::Tangent,
    ) -> (
        OMatrix<T, R, C>,
        OMatrix<T, R, C>,
        impl FnOnce(
            OMatrix<T, R, C>,
            OMatrix<T, R, C>,
            &Self,
            &Self::Tangent,
            &mut Self::Tangent,
            &mut E,
            &mut Self::Tangent,
            &mut G,
        ) -> ((), ())
        + use<Self, T, R, C, F, B, E, G>,
    )
    where
        F: Fn(T, T) -> (T, T, B) + Clone,
        B: FnOnce(T, T, &mut E, &mut G) -> ((T,), (T,)),
    {
        let (y, rest) = self.__map_each(|k, x| {
            let (y, dot, back) = f(x, d[k]);
            (y, (dot, back))
        });
        let (dots, backs): (Vec<T>, Vec<B>) = rest.into_iter().unzip();
        let (rows, columns) = y.shape_generic();
        let dot = OMatrix::from_iterator_generic(rows, columns, dots);
        let back = move |seed: OMatrix<T, R, C>,
                         dot_seed: OMatrix<T, R, C>,
                         _: &Self,
                         _: &Self::Tangent,
                         to: &mut Self::Tangent,
                         env: &mut E,
                         dot_to: &mut Self::Tangent,
                         dot_env: &mut G| {
            same_shape(to.shape(), seed.shape());
            for (k, back) in backs.into_iter().enumerate() {
                let ((x,), (dx,)) = back(seed[k], dot_seed[k], env, dot_env);
                to[k] += x;
                dot_to[k] += dx;
            }
            ((), ())
        };
        (y, dot, back)
    }
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> Map<T, R, C> for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline]
    fn __map_each<Z>(&self, mut f: impl FnMut(usize, T) -> (T, Z)) -> (OMatrix<T, R, C>, Vec<Z>) {
        let (mut y, mut rest) = (self.clone_owned(), Vec::with_capacity(self.len()));
        for (k, y) in y.iter_mut().enumerate() {
            let (new, more) = f(k, *y);
            *y = new;
            rest.push(more);
        }
        (y, rest)
    }
}
