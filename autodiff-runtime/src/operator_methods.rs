//! Operators that are called by the names of their functions on what only rustc knows to be a number: `p.x.mul(k)`.
//!
//! A type of the user's own may have a method of that name, with siblings that generated code calls; numbers have these.
//! They take their receiver by value, and give out nothing that borrows: what they are given is changed between the sweeps.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::ops;

use crate::float::Float;
use crate::lanes::Width;
use crate::operators::{
    AddAgain, AddRule, DivAgain, DivRule, MulAgain, MulRule, SubAgain, SubRule, Tan, add, div, mul,
    sub,
};
use crate::tangent::{Accumulate, Differentiable};

macro_rules! binary {
    ($($op:ident $call:ident: $zero:ident $other_zero:ident $jvp:ident $fwd:ident $even:ident $jvp_fwd:ident $jvp_even:ident $each_fwd:ident;)*) => {$(
        /// The zero of the receiver's tangent.
        #[inline]
        fn $zero(self, arg: &Self) -> Tan<Self> {
            arg.zero_tangent()
        }
        /// The zero of the operand's tangent.
        #[inline]
        fn $other_zero(self, arg: &Self) -> Tan<Self> {
            arg.zero_tangent()
        }
        /// The value and its tangent.
        #[inline]
        fn $jvp(self, b: Self, da: &Tan<Self>, db: Tan<Self>) -> (Self, Tan<Self>) {
            let mut tangent = $call::fore_left(&self, &b, da);
            tangent.__accumulate(&$call::fore_right(&self, &b, &db));
            (ops::$op::$call(self, b), tangent)
        }
        /// The value and its pullback.
        #[inline]
        fn $fwd(self, b: Self) -> (Self, impl FnOnce(Tan<Self>, &Self, &mut Tan<Self>) -> (Tan<Self>,)) {
            let left = $call::keep_left(&self, &b);
            let right = $call::keep_right(&self, &b);
            (ops::$op::$call(self, b), move |seed: Tan<Self>, _: &Self, bar: &mut Tan<Self>| {
                bar.__accumulate(&$call::left(left, &seed));
                ($call::right(right, &seed),)
            })
        }
        /// The same, with a place for every parameter.
        #[inline]
        fn $even(self, b: Self) -> (Self, impl FnOnce(Tan<Self>, &Self, (), &mut Tan<Self>, ()) -> ((), Tan<Self>)) {
            let (value, back) = self.$fwd(b);
            (value, move |seed: Tan<Self>, a: &Self, (): (), bar: &mut Tan<Self>, (): ()| ((), back(seed, a, bar).0))
        }
        /// The value, its tangent, and the pullback with its tangent.
        #[cfg(feature = "alloc")]
        fn $jvp_fwd(self, b: Self, da: &Tan<Self>, db: Tan<Self>) -> (Self, Tan<Self>, Box<dyn FnOnce(Tan<Self>, Tan<Self>, &Self, &Tan<Self>, &mut Tan<Self>, &mut Tan<Self>) -> ((Tan<Self>,), (Tan<Self>,))>) {
            let left = $call::keep_left(&self, &b);
            let right = $call::keep_right(&self, &b);
            let dot_left = $call::dot_keep_left(&self, &b, Some(da), Some(&db));
            let dot_right = $call::dot_keep_right(&self, &b, Some(da), Some(&db));
            let (value, tangent) = self.$jvp(b, da, db);
            (value, tangent, Box::new(move |seed: Tan<Self>, dot_seed: Tan<Self>, _: &Self, _: &Tan<Self>, bar: &mut Tan<Self>, dot_bar: &mut Tan<Self>| {
                bar.__accumulate(&$call::left(left.clone(), &seed));
                dot_bar.__accumulate(&$call::dot_left(left, Some(dot_left), &seed, Some(&dot_seed)));
                let of_right = $call::right(right.clone(), &seed);
                ((of_right,), ($call::dot_right(right, Some(dot_right), &seed, Some(&dot_seed)),))
            }))
        }
        /// The same, with a place for every parameter.
        #[cfg(feature = "alloc")]
        fn $jvp_even(self, b: Self, da: &Tan<Self>, db: Tan<Self>) -> (Self, Tan<Self>, Box<dyn FnOnce(Tan<Self>, Tan<Self>, &Self, (), &Tan<Self>, (), &mut Tan<Self>, (), &mut Tan<Self>, ()) -> (((), Tan<Self>), ((), Tan<Self>))>) {
            let (value, tangent, back) = self.$jvp_fwd(b, da, db);
            (value, tangent, Box::new(move |seed: Tan<Self>, dot_seed: Tan<Self>, a: &Self, (): (), da: &Tan<Self>, (): (), bar: &mut Tan<Self>, (): (), dot_bar: &mut Tan<Self>, (): ()| {
                let ((right,), (dot_right,)) = back(seed, dot_seed, a, da, bar, dot_bar);
                (((), right), ((), dot_right))
            }))
        }
        /// The value, its tangents in several directions, and the pullback with its tangents.
        #[cfg(feature = "alloc")]
        fn $each_fwd<const N: usize>(self, b: Self, _: Width<N>, da: [&Tan<Self>; N], db: [Tan<Self>; N]) -> (Self, [Tan<Self>; N], Box<dyn FnOnce(Tan<Self>, [Tan<Self>; N], &Self, [&Tan<Self>; N], &mut Tan<Self>, [&mut Tan<Self>; N]) -> ((Tan<Self>,), ([Tan<Self>; N],))>) {
            let tangents = core::array::from_fn(|lane| self.$jvp(b, da[lane], db[lane].clone()).1);
            let (value, back) = self.$fwd(b);
            (value, tangents, Box::new(move |seed: Tan<Self>, dot_seeds: [Tan<Self>; N], a: &Self, das: [&Tan<Self>; N], bar: &mut Tan<Self>, mut dot_bars: [&mut Tan<Self>; N]| {
                let rights = core::array::from_fn(|lane| {
                    let (_, _, back) = self.$jvp_fwd(b, das[lane], db[lane].clone());
                    let mut none = self.zero_tangent();
                    let (_, (right,)) = back(seed.clone(), dot_seeds[lane].clone(), a, das[lane], &mut none, &mut *dot_bars[lane]);
                    right
                });
                (back(seed, a, bar), (rights,))
            }))
        }
    )*};
}

/// What the derivatives of `add`, `sub`, `mul` and `div` are called on numbers.
pub trait OperatorMethods:
    Copy
    + 'static
    + Differentiable<Tangent: Accumulate + 'static>
    + ops::Add<Output = Self>
    + ops::Sub<Output = Self>
    + ops::Mul<Output = Self>
    + ops::Div<Output = Self>
    + AddRule<Self, Result = Self, Left: 'static, Right: 'static>
    + AddAgain<Self, LeftDot: 'static, RightDot: 'static>
    + SubRule<Self, Result = Self, Left: 'static, Right: 'static>
    + SubAgain<Self, LeftDot: 'static, RightDot: 'static>
    + MulRule<Self, Result = Self, Left: 'static, Right: 'static>
    + MulAgain<Self, LeftDot: 'static, RightDot: 'static>
    + DivRule<Self, Result = Self, Left: 'static, Right: 'static>
    + DivAgain<Self, LeftDot: 'static, RightDot: 'static>
{
    binary! {
        Add add: __zero_of_0_add __zero_of_1_add __jvp_add __fwd_add __even_add __jvp_fwd_add __jvp_even_add __each_fwd_add;
        Sub sub: __zero_of_0_sub __zero_of_1_sub __jvp_sub __fwd_sub __even_sub __jvp_fwd_sub __jvp_even_sub __each_fwd_sub;
        Mul mul: __zero_of_0_mul __zero_of_1_mul __jvp_mul __fwd_mul __even_mul __jvp_fwd_mul __jvp_even_mul __each_fwd_mul;
        Div div: __zero_of_0_div __zero_of_1_div __jvp_div __fwd_div __even_div __jvp_fwd_div __jvp_even_div __each_fwd_div;
    }
}

/// What the derivatives of `neg` are called on floats.
pub trait NegationMethod: Float + Differentiable<Tangent = Self> {
    /// The zero of the tangent.
    #[inline]
    #[must_use]
    fn __zero_of_0_neg(self, _: &Self) -> Self {
        Self::ZERO
    }
    /// The value and its tangent.
    #[inline]
    fn __jvp_neg(self, da: &Self) -> (Self, Self) {
        (-self, -*da)
    }
    /// The value and its pullback.
    #[inline]
    fn __fwd_neg(self) -> (Self, fn(Self, &Self, &mut Self)) {
        let back = |seed: Self, _: &Self, bar: &mut Self| *bar -= seed;
        (-self, back)
    }
    /// The value, its tangent, and the pullback with its tangent.
    #[inline]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    fn __jvp_fwd_neg(
        self,
        da: &Self,
    ) -> (
        Self,
        Self,
        fn(Self, Self, &Self, &Self, &mut Self, &mut Self) -> ((), ()),
    ) {
        let back =
            |seed: Self, dot_seed: Self, _: &Self, _: &Self, bar: &mut Self, dot_bar: &mut Self| {
                *bar -= seed;
                *dot_bar -= dot_seed;
                ((), ())
            };
        (-self, -*da, back)
    }
    /// The value, its tangents in several directions, and the pullback with its tangents.
    #[inline]
    #[allow(clippy::type_complexity, reason = "the form that generated code calls")]
    fn __each_fwd_neg<const N: usize>(
        self,
        _: Width<N>,
        da: [&Self; N],
    ) -> (
        Self,
        [Self; N],
        fn(Self, [Self; N], &Self, [&Self; N], &mut Self, [&mut Self; N]) -> ((), ()),
    ) {
        let back = |seed: Self,
                    dot_seeds: [Self; N],
                    _: &Self,
                    _: [&Self; N],
                    bar: &mut Self,
                    dot_bars: [&mut Self; N]| {
            *bar -= seed;
            for (dot_bar, dot_seed) in dot_bars.into_iter().zip(dot_seeds) {
                *dot_bar -= dot_seed;
            }
            ((), ())
        };
        (-self, da.map(|da| -*da), back)
    }
}

macro_rules! numbers {
    ($($t:ty)*) => { $(impl OperatorMethods for $t {})* };
}
numbers!(f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

impl NegationMethod for f32 {}
impl NegationMethod for f64 {}
