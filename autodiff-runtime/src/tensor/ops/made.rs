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
            pub fn [<__zero_0_ $name>](_: &[usize]) {}

            #[doc(hidden)]
            pub fn [<__zero_1_ $name>](numbers: &$numbers) -> $numbers {
                crate::tangent::Tangent::zero_like(numbers)
            }

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
        )*}
    } };
}
of_shape! {
    full(T) |seed| seed.sum();
    from_vec(Vec<T>) |seed| seed.to_vec();
}

#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
impl<T: Float> Tensor<T> {
    #[doc(hidden)]
    pub fn __taken_jvp_scalar(value: T, dot: T) -> (Self, Self) {
        (Self::scalar(value), Self::scalar(dot))
    }

    #[doc(hidden)]
    pub fn __taken_fwd_scalar(value: T) -> (Self, impl FnOnce(Self) -> (T,) + use<T>) {
        (Self::scalar(value), |seed: Self| (seed.only(),))
    }

    #[doc(hidden)]
    pub fn __taken_jvp_fwd_scalar(
        value: T,
        dot: T,
    ) -> (Self, Self, impl FnOnce(Self, Self) -> ((T,), (T,)) + use<T>) {
        (
            Self::scalar(value),
            Self::scalar(dot),
            |seed: Self, dot_seed: Self| ((seed.only(),), (dot_seed.only(),)),
        )
    }

    #[doc(hidden)]
    pub fn __taken_each_fwd_scalar<const N: usize>(
        value: T,
        _: Width<N>,
        dots: [T; N],
    ) -> (
        Self,
        [Self; N],
        impl FnOnce(Self, [Self; N]) -> ((T,), ([T; N],)) + use<T, N>,
    ) {
        (
            Self::scalar(value),
            dots.map(Self::scalar),
            |seed: Self, dot_seeds: [Self; N]| {
                ((seed.only(),), (dot_seeds.map(|seed| seed.only()),))
            },
        )
    }
}
