//! Derivatives of conversions: of `From`, which a type may have for many others, and of `Into`, which follows from it.
//!
//! Functions of the type's own, as other traits' derivatives are, would all have one name here.
//! So each `impl From<X>` fills a trait that has the type `X` as well, and rustc finds out which is called.

use crate::generated::acc;
use crate::lanes::Width;
use crate::tangent::{Accumulate, Differentiable};

type Tan<T> = <T as Differentiable>::Tangent;

/// Derivatives up to an order.
#[derive(Debug)]
pub struct UpTo<const N: u32>;

/// Derivatives up to the second order at least.
#[diagnostic::on_unimplemented(
    message = "this conversion has no second derivatives",
    label = "no second derivatives",
    note = "write `#[grad(order = 2)]` above `impl From<…>`"
)]
pub trait SecondOrder {}

impl SecondOrder for UpTo<2> {}

/// The forms of `Self::from(x)`, where `x` is passed by value.
#[diagnostic::on_unimplemented(
    message = "the conversion from `{X}` to `{Self}` has no derivative; write `#[grad]` above `impl From<{X}> for {Self}`, or where neither is yours, `from` of the type: `Vector3::from(x)`",
    label = "this conversion has no derivative"
)]
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait MadeFrom<X: Differentiable>: Differentiable + Sized {
    /// Up to which order there are derivatives.
    type Order;

    /// Makes rustc check that `Self::from` is the conversion: the type may have a function of its own of that name.
    fn __alike();

    /// The value and its tangent.
    fn __taken_jvp_from(x: X, dot: Tan<X>) -> (Self, Tan<Self>);

    /// The value and its pullback.
    fn __taken_fwd_from(x: X) -> (Self, impl FnOnce(Tan<Self>) -> (Tan<X>,) + use<Self, X>);

    /// The value and its pullback, with a place for every argument.
    #[inline]
    fn __taken_even_from(
        x: X,
    ) -> (
        Self,
        impl FnOnce(Tan<Self>, (), ()) -> (Tan<X>,) + use<Self, X>,
    ) {
        let (y, back) = Self::__taken_fwd_from(x);
        (y, move |dy, (), ()| back(dy))
    }

    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __taken_jvp_fwd_from(
        x: X,
        dot: Tan<X>,
    ) -> (
        Self,
        Tan<Self>,
        impl FnOnce(Tan<Self>, Tan<Self>) -> ((Tan<X>,), (Tan<X>,)) + use<Self, X>,
    )
    where
        Self::Order: SecondOrder,
    {
        let (y, dot) = Self::__taken_jvp_from(x, dot);
        (y, dot, |_: Tan<Self>, _: Tan<Self>| unreachable!())
    }

    /// The same with a place for every argument.
    #[inline]
    fn __taken_jvp_even_from(
        x: X,
        dot: Tan<X>,
    ) -> (
        Self,
        Tan<Self>,
        impl FnOnce(Tan<Self>, Tan<Self>, (), (), (), ()) -> ((Tan<X>,), (Tan<X>,)) + use<Self, X>,
    )
    where
        Self::Order: SecondOrder,
    {
        let (y, dot, back) = Self::__taken_jvp_fwd_from(x, dot);
        (y, dot, move |dy, ddy, (), (), (), ()| back(dy, ddy))
    }
}

/// The forms of `Self::from(&x)`.
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait MadeFromLent<Y: ?Sized>: Differentiable + Sized {
    /// Up to which order there are derivatives.
    type Order;

    /// A tangent of what is lent, as it is lent itself.
    type Dot: ?Sized;

    /// The same, owned.
    type Zero;

    /// Makes rustc check that `Self::from` is the conversion: the type may have a function of its own of that name.
    fn __alike();

    /// The tangent of what is lent that is zero.
    fn __zero_0_from(x: &Y) -> Self::Zero;

    /// The value and its tangent.
    fn __jvp_from(x: &Y, dot: &Self::Dot) -> (Self, Tan<Self>);

    /// The value and its pullback.
    fn __fwd_from(
        x: &Y,
    ) -> (
        Self,
        impl FnOnce(Tan<Self>, &Y, &mut Self::Dot) + use<Self, Y>,
    );

    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    fn __jvp_fwd_from(
        x: &Y,
        dot: &Self::Dot,
    ) -> (
        Self,
        Tan<Self>,
        impl FnOnce(Tan<Self>, Tan<Self>, &Y, &Self::Dot, &mut Self::Dot, &mut Self::Dot) -> ((), ())
        + use<Self, Y>,
    )
    where
        Self::Order: SecondOrder,
    {
        let (y, dot) = Self::__jvp_from(x, dot);
        (
            y,
            dot,
            |_: Tan<Self>,
             _: Tan<Self>,
             _: &Y,
             _: &Self::Dot,
             _: &mut Self::Dot,
             _: &mut Self::Dot| unreachable!(),
        )
    }

    /// The value, its tangents in several directions, and the pullback with its tangents.
    #[inline]
    fn __each_fwd_from<const W: usize>(
        x: &Y,
        _: Width<W>,
        dots: [&Self::Dot; W],
    ) -> (
        Self,
        [Tan<Self>; W],
        impl FnOnce(
            Tan<Self>,
            [Tan<Self>; W],
            &Y,
            [&Self::Dot; W],
            &mut Self::Dot,
            [&mut Self::Dot; W],
        ) -> ((), ())
        + use<Self, Y, W>,
    )
    where
        Self::Order: SecondOrder,
    {
        let y = Self::__fwd_from(x).0;
        (
            y,
            dots.map(|_| unreachable!()),
            |_: Tan<Self>,
             _: [Tan<Self>; W],
             _: &Y,
             _: [&Self::Dot; W],
             _: &mut Self::Dot,
             _: [&mut Self::Dot; W]| unreachable!(),
        )
    }
}

/// The forms of `x.into()`, to which `x` is lent.
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
pub trait MadeInto<T: Differentiable>: Differentiable + Clone {
    /// The tangent of `self` that is zero.
    #[inline]
    fn __zero_of_0_into(&self) -> Tan<Self> {
        self.zero_tangent()
    }

    /// The value and its tangent.
    fn __jvp_into(&self, dot: &Tan<Self>) -> (T, Tan<T>);

    /// The value and its pullback.
    fn __fwd_into(&self) -> (T, impl FnOnce(Tan<T>, &Self, &mut Tan<Self>) + use<Self, T>);

    /// The value, its tangent, and the pullback with its tangent.
    fn __jvp_fwd_into(
        &self,
        dot: &Tan<Self>,
    ) -> (
        T,
        Tan<T>,
        impl FnOnce(Tan<T>, Tan<T>, &Self, &Tan<Self>, &mut Tan<Self>, &mut Tan<Self>) -> ((), ())
        + use<Self, T>,
    )
    where
        T: MadeFrom<Self, Order: SecondOrder>;

    /// The value, its tangents in several directions, and the pullback with its tangents.
    fn __each_fwd_into<const W: usize>(
        &self,
        width: Width<W>,
        dots: [&Tan<Self>; W],
    ) -> (
        T,
        [Tan<T>; W],
        impl FnOnce(
            Tan<T>,
            [Tan<T>; W],
            &Self,
            [&Tan<Self>; W],
            &mut Tan<Self>,
            [&mut Tan<Self>; W],
        ) -> ((), ())
        + use<Self, T, W>,
    )
    where
        T: MadeFrom<Self, Order: SecondOrder>;
}

impl<X, T: MadeFrom<X>> MadeInto<T> for X
where
    X: Differentiable<Tangent: Accumulate> + Clone,
{
    #[inline]
    fn __jvp_into(&self, dot: &Tan<X>) -> (T, Tan<T>) {
        T::__taken_jvp_from(self.clone(), dot.clone())
    }

    #[inline]
    fn __fwd_into(&self) -> (T, impl FnOnce(Tan<T>, &X, &mut Tan<X>) + use<X, T>) {
        let (y, back) = T::__taken_fwd_from(self.clone());
        (y, move |dy: Tan<T>, _: &X, dx: &mut Tan<X>| {
            acc(dx, &back(dy).0);
        })
    }

    #[inline]
    fn __jvp_fwd_into(
        &self,
        dot: &Tan<X>,
    ) -> (
        T,
        Tan<T>,
        impl FnOnce(Tan<T>, Tan<T>, &X, &Tan<X>, &mut Tan<X>, &mut Tan<X>) -> ((), ()) + use<X, T>,
    )
    where
        T: MadeFrom<X, Order: SecondOrder>,
    {
        let (y, dot, back) = T::__taken_jvp_fwd_from(self.clone(), dot.clone());
        (
            y,
            dot,
            move |dy: Tan<T>, ddy: Tan<T>, _: &X, _: &Tan<X>, dx: &mut Tan<X>, ddx: &mut Tan<X>| {
                let ((x,), (dot,)) = back(dy, ddy);
                (acc(dx, &x), acc(ddx, &dot))
            },
        )
    }

    #[inline]
    fn __each_fwd_into<const W: usize>(
        &self,
        _: Width<W>,
        dots: [&Tan<X>; W],
    ) -> (
        T,
        [Tan<T>; W],
        impl FnOnce(Tan<T>, [Tan<T>; W], &X, [&Tan<X>; W], &mut Tan<X>, [&mut Tan<X>; W]) -> ((), ())
        + use<X, T, W>,
    )
    where
        T: MadeFrom<X, Order: SecondOrder>,
    {
        let (y, back) = T::__taken_fwd_from(self.clone());
        let ways = dots.map(|dot| T::__taken_jvp_fwd_from(self.clone(), dot.clone()));
        let mut tangents = core::array::from_fn(|_| None);
        let mut k = 0;
        let backs = ways.map(|(_, dot, back)| {
            tangents[k] = Some(dot);
            k += 1;
            back
        });
        let tangents = tangents.map(|dot| dot.unwrap_or_else(|| unreachable!()));
        (
            y,
            tangents,
            move |dy: Tan<T>,
                  ddy: [Tan<T>; W],
                  _: &X,
                  _: [&Tan<X>; W],
                  dx: &mut Tan<X>,
                  ddx: [&mut Tan<X>; W]| {
                for ((back, ddy), ddx) in backs.into_iter().zip(ddy).zip(ddx) {
                    let (_, (dot,)) = back(dy.clone(), ddy);
                    acc(ddx, &dot);
                }
                (acc(dx, &back(dy).0), ())
            },
        )
    }
}

/// Two that are one and the same function.
#[inline]
pub fn same<F>(_: F, _: F) {}
