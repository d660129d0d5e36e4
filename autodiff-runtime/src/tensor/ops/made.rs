//! Tensors that are made of numbers with derivatives: the hidden forms of their constructors.
//!
//! They are linear: the tangent is made of the numbers' tangents alike, and each number's cotangent is what was made of it.

use alloc::vec::Vec;

use crate::float::Float;
use crate::lanes::Width;
use crate::tensor::Tensor;

/// `name(shape, numbers)`, and what makes the numbers' cotangent of the tensor's.
macro_rules! of_shape {
    ($($name:ident($numbers:ty) |$seed:ident| $back:expr;)*) => { pastey::paste! {
        #[allow(clippy::ignored_unit_patterns, clippy::type_complexity, reason = "the forms that generated code calls")]
        impl<T: Float> Tensor<T> {$(
            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_ $name>](shape: &[usize], numbers: $numbers, _: &(), dots: $numbers) -> (Self, Self) {
                (Self::$name(shape, numbers), Self::$name(shape, dots))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__fwd_ $name>](shape: &[usize], numbers: $numbers) -> (Self, impl FnOnce(Self, &[usize], &mut ()) -> ($numbers,) + use<T>) {
                (Self::$name(shape, numbers), |$seed: Self, _: &[usize], _: &mut ()| ($back,))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_fwd_ $name>](shape: &[usize], numbers: $numbers, _: &(), dots: $numbers) -> (Self, Self, impl FnOnce(Self, Self, &[usize], &(), &mut (), &mut ()) -> (($numbers,), ($numbers,)) + use<T>) {
                let back = |$seed: Self| ($back,);
                (Self::$name(shape, numbers), Self::$name(shape, dots), move |seed: Self, dot_seed: Self, _: &[usize], _: &(), _: &mut (), _: &mut ()| (back(seed), back(dot_seed)))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__each_fwd_ $name>]<const N: usize>(shape: &[usize], numbers: $numbers, _: Width<N>, _: [&(); N], dots: [$numbers; N]) -> (Self, [Self; N], impl FnOnce(Self, [Self; N], &[usize], [&(); N], &mut (), [&mut (); N]) -> (($numbers,), ([$numbers; N],)) + use<T, N>) {
                let back = |$seed: Self| $back;
                (Self::$name(shape, numbers), dots.map(|dots| Self::$name(shape, dots)), move |seed: Self, dot_seeds: [Self; N], _: &[usize], _: [&(); N], _: &mut (), _: [&mut (); N]| ((back(seed),), (dot_seeds.map(back),)))
            }

            // The shape as a value that is a reference, `x.shape()`, of which the macro may not know what it is.

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_jvp_ $name>]<Z>(shape: &[usize], numbers: $numbers, _: Z, dots: $numbers) -> (Self, Self) {
                (Self::$name(shape, numbers), Self::$name(shape, dots))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_fwd_ $name>](shape: &[usize], numbers: $numbers) -> (Self, impl FnOnce(Self) -> ((), $numbers) + use<T>) {
                (Self::$name(shape, numbers), |$seed: Self| ((), $back))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_jvp_fwd_ $name>](shape: &[usize], numbers: $numbers, _: (), dots: $numbers) -> (Self, Self, impl FnOnce(Self, Self) -> (((), $numbers), ((), $numbers)) + use<T>) {
                let back = |$seed: Self| ((), $back);
                (Self::$name(shape, numbers), Self::$name(shape, dots), move |seed: Self, dot_seed: Self| (back(seed), back(dot_seed)))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_each_fwd_ $name>]<const N: usize>(shape: &[usize], numbers: $numbers, _: Width<N>, _: [(); N], dots: [$numbers; N]) -> (Self, [Self; N], impl FnOnce(Self, [Self; N]) -> (((), $numbers), ([(); N], [$numbers; N])) + use<T, N>) {
                let back = |$seed: Self| $back;
                (Self::$name(shape, numbers), dots.map(|dots| Self::$name(shape, dots)), move |seed: Self, dot_seeds: [Self; N]| (((), back(seed)), ([(); N], dot_seeds.map(back))))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_even_ $name>](shape: &[usize], numbers: $numbers) -> (Self, impl FnOnce(Self, &[usize], (), &mut (), ()) -> ((), $numbers) + use<T>) {
                (Self::$name(shape, numbers), |$seed: Self, _: &[usize], (), _: &mut (), ()| ((), $back))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__taken_jvp_even_ $name>](shape: &[usize], numbers: $numbers, _: &(), dots: $numbers) -> (Self, Self, impl FnOnce(Self, Self, &[usize], (), &(), (), &mut (), (), &mut (), ()) -> (((), $numbers), ((), $numbers)) + use<T>) {
                let back = |$seed: Self| ((), $back);
                (Self::$name(shape, numbers), Self::$name(shape, dots), move |seed: Self, dot_seed: Self, _: &[usize], (), _: &(), (), _: &mut (), (), _: &mut (), ()| (back(seed), back(dot_seed)))
            }
        )*}
    } };
}
of_shape! {
    full(T) |seed| seed.sum();
    from_vec(Vec<T>) |seed| seed.to_vec();
}

/// `name(numbers)`, of what `$numbers` is a bound of, and what makes the numbers' cotangent of the tensor's.
macro_rules! of_numbers {
    ($($name:ident[$($x:ident: $bound:path)?]($numbers:ty) = $make:path, |$seed:ident| $back:expr;)*) => { pastey::paste! {
        #[allow(clippy::type_complexity, reason = "the forms that generated code calls")]
        impl<T: Float> Tensor<T> {$(
            #[doc(hidden)]
            pub fn [<__taken_jvp_ $name>]$(<$x: $bound>)?(numbers: $numbers, dots: $numbers) -> (Self, Self) {
                ($make(numbers), $make(dots))
            }

            #[doc(hidden)]
            pub fn [<__taken_fwd_ $name>]$(<$x: $bound>)?(numbers: $numbers) -> (Self, impl FnOnce(Self) -> ($numbers,) + use<T $(, $x)?>) {
                ($make(numbers), |$seed: Self| ($back,))
            }

            #[doc(hidden)]
            pub fn [<__taken_jvp_fwd_ $name>]$(<$x: $bound>)?(numbers: $numbers, dots: $numbers) -> (Self, Self, impl FnOnce(Self, Self) -> (($numbers,), ($numbers,)) + use<T $(, $x)?>) {
                let back = |$seed: Self| ($back,);
                ($make(numbers), $make(dots), move |seed: Self, dot_seed: Self| (back(seed), back(dot_seed)))
            }

            #[doc(hidden)]
            pub fn [<__taken_each_fwd_ $name>]<$($x: $bound,)? const N: usize>(numbers: $numbers, _: Width<N>, dots: [$numbers; N]) -> (Self, [Self; N], impl FnOnce(Self, [Self; N]) -> (($numbers,), ([$numbers; N],)) + use<T, $($x,)? N>) {
                let back = |$seed: Self| $back;
                ($make(numbers), dots.map($make), move |seed: Self, dot_seeds: [Self; N]| ((back(seed),), (dot_seeds.map(back),)))
            }
        )*}
    } };
}
of_numbers! {
    scalar[](T) = Tensor::scalar, |seed| seed.only();
    from[X: Numbers<Number = T>](X) = X::into, |seed| X::of_cotangent(&seed);
}

/// Lists and arrays that tensors are made from.
pub trait Numbers: Into<Tensor<Self::Number>> {
    /// The type of the numbers.
    type Number: Float;
    /// The cotangents of the numbers.
    #[doc(hidden)]
    fn of_cotangent(seed: &Tensor<Self::Number>) -> Self;
}

impl<T: Float> Numbers for Vec<T> {
    type Number = T;
    fn of_cotangent(seed: &Tensor<T>) -> Self {
        seed.to_vec()
    }
}

impl<T: Float, const N: usize> Numbers for [T; N] {
    type Number = T;
    fn of_cotangent(seed: &Tensor<T>) -> Self {
        let seed = seed.to_vec();
        core::array::from_fn(|k| seed[k])
    }
}

impl<T: Float, const N: usize, const M: usize> Numbers for [[T; M]; N] {
    type Number = T;
    fn of_cotangent(seed: &Tensor<T>) -> Self {
        let seed = seed.to_vec();
        core::array::from_fn(|row| core::array::from_fn(|k| seed[row * M + k]))
    }
}

/// `Tensor::from` of a slice.
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
impl<T: Float> Tensor<T> {
    #[doc(hidden)]
    pub fn __jvp_from(numbers: &[T], dots: &[T]) -> (Self, Self) {
        (numbers.into(), dots.into())
    }

    #[doc(hidden)]
    pub fn __fwd_from(numbers: &[T]) -> (Self, impl FnOnce(Self, &[T], &mut [T]) + use<T>) {
        (numbers.into(), |seed: Self, _: &[T], to: &mut [T]| {
            add(to, &seed);
        })
    }

    #[doc(hidden)]
    pub fn __jvp_fwd_from(
        numbers: &[T],
        dots: &[T],
    ) -> (
        Self,
        Self,
        impl FnOnce(Self, Self, &[T], &[T], &mut [T], &mut [T]) -> ((), ()) + use<T>,
    ) {
        let back =
            |seed: Self, dot_seed: Self, _: &[T], _: &[T], to: &mut [T], dot_to: &mut [T]| {
                add(to, &seed);
                add(dot_to, &dot_seed);
                ((), ())
            };
        (numbers.into(), dots.into(), back)
    }

    #[doc(hidden)]
    pub fn __each_fwd_from<const N: usize>(
        numbers: &[T],
        _: Width<N>,
        dots: [&[T]; N],
    ) -> (
        Self,
        [Self; N],
        impl FnOnce(Self, [Self; N], &[T], [&[T]; N], &mut [T], [&mut [T]; N]) -> ((), ()) + use<T, N>,
    ) {
        let back = |seed: Self,
                    dot_seeds: [Self; N],
                    _: &[T],
                    _: [&[T]; N],
                    to: &mut [T],
                    dot_to: [&mut [T]; N]| {
            add(to, &seed);
            dot_to
                .into_iter()
                .zip(&dot_seeds)
                .for_each(|(to, seed)| add(to, seed));
            ((), ())
        };
        (numbers.into(), dots.map(Into::into), back)
    }
}

/// Adds the cotangents of numbers.
fn add<T: Float>(to: &mut [T], seed: &Tensor<T>) {
    to.iter_mut()
        .zip(seed.iter())
        .for_each(|(to, seed)| *to += seed);
}
