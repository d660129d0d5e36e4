//! What takes closures: they come with their derivative, as any that a `#[grad]` function is given; what they capture has the cotangent `E`.

use alloc::vec::Vec;

use ::ndarray::{Array, ArrayBase, Data, Dimension, ShapeBuilder};

use super::Real;
use crate::linalg::Tan;
use crate::tangent::Differentiable;

/// `a.mapv(|x| …)`
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait Mapv<T: Real, D: Dimension>: Differentiable<Tangent = Array<T, D>> + Sized {
    /// A copy.
    fn __copy(&self) -> Array<T, D>;
    /// The zero tangent of the receiver.
    #[inline]
    fn __zero_of_0_mapv(&self, arg: &Self) -> Self::Tangent {
        arg.zero_tangent()
    }
    /// That of the closure.
    #[inline]
    fn __zero_of_1_mapv<X: ?Sized>(&self, _: &X) {}
    /// The value and its tangent.
    #[inline]
    fn __jvp_mapv<F: Fn(T, T) -> (T, T) + Clone>(
        &self,
        f: F,
        d: &Self::Tangent,
    ) -> (Array<T, D>, Array<T, D>) {
        let (mut y, mut dot) = (self.__copy(), d.clone());
        for (y, d) in y.iter_mut().zip(dot.iter_mut()) {
            (*y, *d) = f(*y, *d);
        }
        (y, dot)
    }
    /// The value and its pullback.
    #[inline]
    fn __fwd_mapv<F, B, E>(
        &self,
        f: F,
    ) -> (
        Array<T, D>,
        impl FnOnce(Array<T, D>, &Self, &mut Self::Tangent, &mut E) + use<Self, T, D, F, B, E>,
    )
    where
        F: Fn(T) -> (T, B) + Clone,
        B: FnOnce(T, &mut E) -> (T,),
    {
        let mut backs = Vec::new();
        let mut y = self.__copy();
        for y in &mut y {
            let (new, back) = f(*y);
            *y = new;
            backs.push(back);
        }
        let back = move |seed: Array<T, D>, _: &Self, to: &mut Self::Tangent, env: &mut E| {
            for ((d, to), back) in seed.iter().zip(to.iter_mut()).zip(backs) {
                *to += back(*d, env).0;
            }
        };
        (y, back)
    }
    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __jvp_fwd_mapv<F, B, E, G>(
        &self,
        f: F,
        d: &Self::Tangent,
    ) -> (
        Array<T, D>,
        Array<T, D>,
        impl FnOnce(
            Array<T, D>,
            Array<T, D>,
            &Self,
            &Self::Tangent,
            &mut Self::Tangent,
            &mut E,
            &mut Self::Tangent,
            &mut G,
        ) -> ((), ())
        + use<Self, T, D, F, B, E, G>,
    )
    where
        F: Fn(T, T) -> (T, T, B) + Clone,
        B: FnOnce(T, T, &mut E, &mut G) -> ((T,), (T,)),
    {
        let mut backs = Vec::new();
        let (mut y, mut dot) = (self.__copy(), d.clone());
        for (y, d) in y.iter_mut().zip(dot.iter_mut()) {
            let (new, new_dot, back) = f(*y, *d);
            (*y, *d) = (new, new_dot);
            backs.push(back);
        }
        let back = move |seed: Array<T, D>,
                         dot_seed: Array<T, D>,
                         _: &Self,
                         _: &Self::Tangent,
                         to: &mut Self::Tangent,
                         env: &mut E,
                         dot_to: &mut Self::Tangent,
                         dot_env: &mut G| {
            let seeds = seed.iter().zip(dot_seed.iter());
            let tos = to.iter_mut().zip(dot_to.iter_mut());
            for (((d, dd), (to, dot_to)), back) in seeds.zip(tos).zip(backs) {
                let ((x,), (dx,)) = back(*d, *dd, env, dot_env);
                *to += x;
                *dot_to += dx;
            }
            ((), ())
        };
        (y, dot, back)
    }
}

impl<T: Real, S: Data<Elem = T>, D: Dimension> Mapv<T, D> for ArrayBase<S, D> {
    #[inline]
    fn __copy(&self) -> Array<T, D> {
        self.to_owned()
    }
}

/// A shape, and where in an array an entry is: neither has a derivative.
pub trait Place: Differentiable<Tangent: Default> {}
impl<P: Differentiable<Tangent: Default>> Place for P {}

/// `Array2::from_shape_fn((rows, columns), |(i, j)| …)`
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait FromShapeFn<T: Real, D: Dimension<Pattern: Place>>: Sized {
    /// The array of what a closure returns, and what it returns beside that, row by row.
    fn __filled<Sh: ShapeBuilder<Dim = D>, Z>(
        shape: Sh,
        f: impl FnMut(D::Pattern) -> (T, Z),
    ) -> (Self, Vec<Z>);
    /// The entries, row by row.
    fn __entries(&self) -> impl Iterator<Item = &T>;
    /// An array of this shape with these entries.
    #[must_use]
    fn __refilled(&self, entries: Vec<T>) -> Self;
    /// The zero tangent of a shape.
    #[inline]
    fn __zero_0_from_shape_fn<X: Place>(_: &X) -> X::Tangent {
        X::Tangent::default()
    }
    /// The value and its tangent.
    #[inline]
    fn __taken_jvp_from_shape_fn<Sh, F>(shape: Sh, f: F, _: Tan<Sh>) -> (Self, Self)
    where
        Sh: ShapeBuilder<Dim = D> + Place,
        F: Fn(D::Pattern, Tan<D::Pattern>) -> (T, T) + Clone,
    {
        let (y, dots) = Self::__filled(shape, |at| f(at, Default::default()));
        let dot = y.__refilled(dots);
        (y, dot)
    }
    /// The value and its pullback.
    #[inline]
    fn __taken_fwd_from_shape_fn<Sh, F, B, E>(
        shape: Sh,
        f: F,
    ) -> (
        Self,
        impl FnOnce(Self, &mut E) -> (Tan<Sh>,) + use<Self, T, D, Sh, F, B, E>,
    )
    where
        Sh: ShapeBuilder<Dim = D> + Place,
        F: Fn(D::Pattern) -> (T, B) + Clone,
        B: FnOnce(T, &mut E) -> (Tan<D::Pattern>,),
    {
        let (y, backs) = Self::__filled(shape, f);
        (y, move |seed: Self, env: &mut E| {
            for (d, back) in seed.__entries().zip(backs) {
                back(*d, env);
            }
            Default::default()
        })
    }
    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __taken_jvp_fwd_from_shape_fn<Sh, F, B, E, G>(
        shape: Sh,
        f: F,
        _: Tan<Sh>,
    ) -> (
        Self,
        Self,
        impl FnOnce(Self, Self, &mut E, &mut G) -> ((Tan<Sh>,), (Tan<Sh>,))
        + use<Self, T, D, Sh, F, B, E, G>,
    )
    where
        Sh: ShapeBuilder<Dim = D> + Place,
        F: Fn(D::Pattern, Tan<D::Pattern>) -> (T, T, B) + Clone,
        B: FnOnce(T, T, &mut E, &mut G) -> ((Tan<D::Pattern>,), (Tan<D::Pattern>,)),
    {
        let (y, rest) = Self::__filled(shape, |at| {
            let (y, dot, back) = f(at, Default::default());
            (y, (dot, back))
        });
        let (dots, backs): (Vec<T>, Vec<B>) = rest.into_iter().unzip();
        let dot = y.__refilled(dots);
        let back = move |seed: Self, dot_seed: Self, env: &mut E, dot_env: &mut G| {
            let seeds = seed.__entries().zip(dot_seed.__entries());
            for ((d, dd), back) in seeds.zip(backs) {
                back(*d, *dd, env, dot_env);
            }
            Default::default()
        };
        (y, dot, back)
    }
}

/// `Array2::zeros((rows, columns))` and `ones`, of a shape of which the macro does not see that it is a constant.
macro_rules! filled {
    ($($Trait:ident $name:ident;)*) => { pastey::paste! {$(
        #[doc = concat!("The function `", stringify!($name), "`.")]
        pub trait $Trait<T: Real, D: Dimension>: Sized {
            /// The array.
            fn __make<Sh: ShapeBuilder<Dim = D>>(shape: Sh) -> Self;
            /// The zero tangent of an array.
            #[must_use]
            fn __zeros_like(&self) -> Self;
            /// The zero tangent of a shape.
            #[inline]
            fn [<__zero_0_ $name>]<X: Place>(_: &X) -> X::Tangent {
                X::Tangent::default()
            }
            /// The value and its tangent.
            #[inline]
            fn [<__taken_jvp_ $name>]<Sh: ShapeBuilder<Dim = D> + Place>(shape: Sh, _: Tan<Sh>) -> (Self, Self) {
                let y = Self::__make(shape);
                let dot = y.__zeros_like();
                (y, dot)
            }
            /// The value and its pullback.
            #[inline]
            fn [<__taken_fwd_ $name>]<Sh: ShapeBuilder<Dim = D> + Place>(shape: Sh) -> (Self, impl FnOnce(Self) -> (Tan<Sh>,) + use<Self, T, D, Sh>) {
                (Self::__make(shape), |_: Self| Default::default())
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            #[allow(clippy::type_complexity, reason = "the forms that generated code calls")]
            fn [<__taken_jvp_fwd_ $name>]<Sh: ShapeBuilder<Dim = D> + Place>(shape: Sh, _: Tan<Sh>) -> (Self, Self, impl FnOnce(Self, Self) -> ((Tan<Sh>,), (Tan<Sh>,)) + use<Self, T, D, Sh>) {
                let y = Self::__make(shape);
                let dot = y.__zeros_like();
                (y, dot, |_: Self, _: Self| Default::default())
            }
        }
        impl<T: Real, D: Dimension> $Trait<T, D> for Array<T, D> {
            #[inline]
            fn __make<Sh: ShapeBuilder<Dim = D>>(shape: Sh) -> Self {
                Array::$name(shape)
            }
            #[inline]
            fn __zeros_like(&self) -> Self {
                self.zero_tangent()
            }
        }
    )*}};
}
filled! {
    ZerosArray zeros;
    OnesArray ones;
}

impl<T: Real, D: Dimension<Pattern: Place>> FromShapeFn<T, D> for Array<T, D> {
    #[inline]
    fn __filled<Sh: ShapeBuilder<Dim = D>, Z>(
        shape: Sh,
        f: impl FnMut(D::Pattern) -> (T, Z),
    ) -> (Self, Vec<Z>) {
        // The closure may be asked in another order.
        let both = Array::from_shape_fn(shape, f);
        let y = both.map(|(y, _)| *y);
        (y, both.into_iter().map(|(_, rest)| rest).collect())
    }
    #[inline]
    fn __entries(&self) -> impl Iterator<Item = &T> {
        self.iter()
    }
    #[inline]
    fn __refilled(&self, entries: Vec<T>) -> Self {
        let mut made = self.clone();
        for (to, entry) in made.iter_mut().zip(entries) {
            *to = entry;
        }
        made
    }
}
