//! The operators `+ - * / %`, unary `-` and their assigning forms on types that the macro does not know.
//!
//! Each operator has a trait, its *rule*, implemented here for numbers (integers have the tangent `()`), and by `#[grad]` on an operator's `impl` block for types of the user's own.
//! `L` and `R` say that the left or the right operand is a reference to a value of the type.
//!
//! Each operand has a derivative of its own: what the reverse sweep needs of the operands is *kept* in the forward sweep,
//! and [`left`](mul::left) or [`right`](mul::right) makes a cotangent of it.
//! Where derivatives are differentiated again, what is kept has a tangent, and so have the cotangents; tangents that are zero everywhere are not there.

use core::ops;

use crate::kernels::{zdiv, zmul};
use crate::tangent::{Accumulate, Differentiable, Tangent};

/// The tangent of a type.
pub type Tan<T> = <T as Differentiable>::Tangent;

/// What is kept for one of the operands of an operator; it remembers the types of both.
#[derive(Debug)]
pub struct Kept<K, A, B, const L: bool = false, const R: bool = false> {
    kept: K,
    of: core::marker::PhantomData<fn() -> (A, B)>,
}

impl<K: Clone, A, B, const L: bool, const R: bool> Clone for Kept<K, A, B, L, R> {
    fn clone(&self) -> Self {
        Kept::new(self.kept.clone())
    }
}

impl<K: Copy, A, B, const L: bool, const R: bool> Copy for Kept<K, A, B, L, R> {}

impl<K, A, B, const L: bool, const R: bool> Kept<K, A, B, L, R> {
    fn new(kept: K) -> Self {
        Kept {
            kept,
            of: core::marker::PhantomData,
        }
    }
}

/// An operand, and whether it is a reference to a value of the type.
#[derive(Debug)]
pub struct Of<'a, T, const LENT: bool>(pub &'a T);

/// An operand without derivative, of which generated code does not know whether it is a reference: its type says so.
///
/// Its method is that of references, where it is one; [`Whole`], to which it dereferences, has that for everything else.
#[derive(Debug)]
pub struct Perhaps<'a, X>(Whole<'a, X>);

/// An operand that is no reference.
#[derive(Debug)]
pub struct Whole<'a, X>(&'a X);

/// An operand that may be a reference.
#[inline]
#[must_use]
pub fn perhaps<X>(x: &X) -> Perhaps<'_, X> {
    Perhaps(Whole(x))
}

impl<'a, X> ops::Deref for Perhaps<'a, X> {
    type Target = Whole<'a, X>;
    #[inline]
    fn deref(&self) -> &Whole<'a, X> {
        &self.0
    }
}

impl<'b, T> Perhaps<'_, &'b T> {
    /// The operand.
    #[inline]
    #[must_use]
    pub fn of(&self) -> Of<'b, T, true> {
        Of(self.0.0)
    }
}

impl<'a, X> Whole<'a, X> {
    /// The operand.
    #[inline]
    #[must_use]
    pub fn of(&self) -> Of<'a, X, false> {
        Of(self.0)
    }
}

/// A rule of a binary operator: its trait, and the functions that generated code calls.
macro_rules! rule {
    ($(#[$doc:meta])* $rule:ident, $again:ident, $module:ident, $message:literal, $note:literal, $message_again:literal, $note_again:literal) => {
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = "this operator has no derivative", note = $note)]
        pub trait $rule<B: Differentiable = Self, const L: bool = false, const R: bool = false>:
            Differentiable + Sized
        {
            /// The type of the result.
            type Result: Differentiable;
            /// What the cotangent of the left operand needs.
            type Left: Clone;
            /// What the cotangent of the right operand needs.
            type Right: Clone;
            /// Keeps what the cotangent of the left operand needs.
            fn __keep_left(&self, b: &B) -> Self::Left;
            /// Keeps what the cotangent of the right operand needs.
            fn __keep_right(&self, b: &B) -> Self::Right;
            /// The cotangent of the left operand.
            fn back_left(kept: Self::Left, dy: &Tan<Self::Result>) -> Tan<Self>;
            /// The cotangent of the right operand.
            fn back_right(kept: Self::Right, dy: &Tan<Self::Result>) -> Tan<B>;
            /// The cotangent of the left operand, where both are still there.
            #[inline]
            fn __left_now(&self, b: &B, dy: &Tan<Self::Result>) -> Tan<Self> {
                Self::back_left(self.__keep_left(b), dy)
            }
            /// The cotangent of the right operand, where both are still there.
            #[inline]
            fn __right_now(&self, b: &B, dy: &Tan<Self::Result>) -> Tan<B> {
                Self::back_right(self.__keep_right(b), dy)
            }
            /// Adds the cotangent of the left operand, where both are still there.
            #[inline]
            #[track_caller]
            fn __add_left(&self, b: &B, dy: &Tan<Self::Result>, to: &mut Tan<Self>)
            where
                Tan<Self>: Accumulate,
            {
                to.__accumulate(&self.__left_now(b, dy));
            }
            /// Adds the cotangent of the right operand, where both are still there.
            #[inline]
            #[track_caller]
            fn __add_right(&self, b: &B, dy: &Tan<Self::Result>, to: &mut Tan<B>)
            where
                Tan<B>: Accumulate,
            {
                to.__accumulate(&self.__right_now(b, dy));
            }
            /// The tangent of the result where only the left operand changes.
            fn __fore_left(&self, b: &B, da: &Tan<Self>) -> Tan<Self::Result>;
            /// The tangent of the result where only the right operand changes.
            fn __fore_right(&self, b: &B, db: &Tan<B>) -> Tan<Self::Result>;
        }

        /// The second derivatives of the operator.
        #[diagnostic::on_unimplemented(message = $message_again, label = "this operator has no second derivatives", note = $note_again)]
        pub trait $again<B: Differentiable = Self, const L: bool = false, const R: bool = false>:
            $rule<B, L, R>
        {
            /// The tangent of what is kept for the left operand.
            type LeftDot: Clone;
            /// The tangent of what is kept for the right operand.
            type RightDot: Clone;
            /// The tangent of what is kept for the left operand, from those of the operands.
            fn __dot_keep_left(&self, b: &B, da: Option<&Tan<Self>>, db: Option<&Tan<B>>) -> Self::LeftDot;
            /// The tangent of what is kept for the right operand, from those of the operands.
            fn __dot_keep_right(&self, b: &B, da: Option<&Tan<Self>>, db: Option<&Tan<B>>) -> Self::RightDot;
            /// The tangent of the cotangent of the left operand.
            fn dot_left(kept: Self::Left, dot: Option<Self::LeftDot>, dy: &Tan<Self::Result>, ddy: Option<&Tan<Self::Result>>) -> Tan<Self>;
            /// The tangent of the cotangent of the right operand.
            fn dot_right(kept: Self::Right, dot: Option<Self::RightDot>, dy: &Tan<Self::Result>, ddy: Option<&Tan<Self::Result>>) -> Tan<B>;
        }

        /// A field that is a reference: what it refers to.
        impl<A: $rule<B, true, R>, B: Differentiable, const R: bool> $rule<B, false, R> for &A {
            type Result = A::Result;
            type Left = A::Left;
            type Right = A::Right;
            #[inline]
            fn __keep_left(&self, b: &B) -> Self::Left {
                (**self).__keep_left(b)
            }
            #[inline]
            fn __keep_right(&self, b: &B) -> Self::Right {
                (**self).__keep_right(b)
            }
            #[inline]
            fn back_left(kept: Self::Left, dy: &Tan<Self::Result>) -> Tan<A> {
                A::back_left(kept, dy)
            }
            #[inline]
            fn back_right(kept: Self::Right, dy: &Tan<Self::Result>) -> Tan<B> {
                A::back_right(kept, dy)
            }
            #[inline]
            fn __left_now(&self, b: &B, dy: &Tan<Self::Result>) -> Tan<A> {
                (**self).__left_now(b, dy)
            }
            #[inline]
            fn __right_now(&self, b: &B, dy: &Tan<Self::Result>) -> Tan<B> {
                (**self).__right_now(b, dy)
            }
            #[inline]
            #[track_caller]
            fn __add_left(&self, b: &B, dy: &Tan<Self::Result>, to: &mut Tan<A>)
            where
                Tan<A>: Accumulate,
            {
                (**self).__add_left(b, dy, to);
            }
            #[inline]
            #[track_caller]
            fn __add_right(&self, b: &B, dy: &Tan<Self::Result>, to: &mut Tan<B>)
            where
                Tan<B>: Accumulate,
            {
                (**self).__add_right(b, dy, to);
            }
            #[inline]
            fn __fore_left(&self, b: &B, da: &Tan<A>) -> Tan<Self::Result> {
                (**self).__fore_left(b, da)
            }
            #[inline]
            fn __fore_right(&self, b: &B, db: &Tan<B>) -> Tan<Self::Result> {
                (**self).__fore_right(b, db)
            }
        }

        impl<A: $again<B, true, R>, B: Differentiable, const R: bool> $again<B, false, R> for &A {
            type LeftDot = A::LeftDot;
            type RightDot = A::RightDot;
            #[inline]
            fn __dot_keep_left(&self, b: &B, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> Self::LeftDot {
                (**self).__dot_keep_left(b, da, db)
            }
            #[inline]
            fn __dot_keep_right(&self, b: &B, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> Self::RightDot {
                (**self).__dot_keep_right(b, da, db)
            }
            #[inline]
            fn dot_left(kept: Self::Left, dot: Option<Self::LeftDot>, dy: &Tan<Self::Result>, ddy: Option<&Tan<Self::Result>>) -> Tan<A> {
                A::dot_left(kept, dot, dy, ddy)
            }
            #[inline]
            fn dot_right(kept: Self::Right, dot: Option<Self::RightDot>, dy: &Tan<Self::Result>, ddy: Option<&Tan<Self::Result>>) -> Tan<B> {
                A::dot_right(kept, dot, dy, ddy)
            }
        }

        /// What generated code calls for this operator.
        ///
        /// Functions `…_of` take operands that say whether they are references, the others operands that are none.
        pub mod $module {
            use super::{Accumulate, $again, Differentiable, Kept, Of, $rule, Tan};

            /// Keeps what the cotangent of the left operand needs.
            #[inline]
            pub fn keep_left<A: $rule<B>, B: Differentiable>(a: &A, b: &B) -> Kept<A::Left, A, B, false, false> {
                Kept::new(a.__keep_left(b))
            }

            /// Keeps what the cotangent of the right operand needs.
            #[inline]
            pub fn keep_right<A: $rule<B>, B: Differentiable>(a: &A, b: &B) -> Kept<A::Right, A, B, false, false> {
                Kept::new(a.__keep_right(b))
            }

            /// As [`keep_left`].
            #[inline]
            pub fn keep_left_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>) -> Kept<A::Left, A, B, L, R> {
                Kept::new(a.0.__keep_left(b.0))
            }

            /// As [`keep_right`].
            #[inline]
            pub fn keep_right_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>) -> Kept<A::Right, A, B, L, R> {
                Kept::new(a.0.__keep_right(b.0))
            }

            /// The cotangent of the left operand.
            #[inline]
            pub fn left<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(kept: Kept<A::Left, A, B, L, R>, dy: &Tan<A::Result>) -> Tan<A> {
                A::back_left(kept.kept, dy)
            }

            /// The cotangent of the right operand.
            #[inline]
            pub fn right<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(kept: Kept<A::Right, A, B, L, R>, dy: &Tan<A::Result>) -> Tan<B> {
                A::back_right(kept.kept, dy)
            }

            /// The cotangent of the left operand, where both are still there: nothing is kept.
            #[inline]
            pub fn left_now<A: $rule<B>, B: Differentiable>(a: &A, b: &B, dy: &Tan<A::Result>) -> Tan<A> {
                a.__left_now(b, dy)
            }

            /// The cotangent of the right operand, where both are still there: nothing is kept.
            #[inline]
            pub fn right_now<A: $rule<B>, B: Differentiable>(a: &A, b: &B, dy: &Tan<A::Result>) -> Tan<B> {
                a.__right_now(b, dy)
            }

            /// As [`left_now`].
            #[inline]
            pub fn left_now_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, dy: &Tan<A::Result>) -> Tan<A> {
                a.0.__left_now(b.0, dy)
            }

            /// As [`right_now`].
            #[inline]
            pub fn right_now_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, dy: &Tan<A::Result>) -> Tan<B> {
                a.0.__right_now(b.0, dy)
            }

            /// Adds the cotangent of the left operand in place, where both operands are still there.
            #[inline]
            #[track_caller]
            pub fn add_left_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, dy: &Tan<A::Result>, to: &mut Tan<A>)
            where
                Tan<A>: Accumulate,
            {
                a.0.__add_left(b.0, dy, to);
            }

            /// Adds the cotangent of the right operand in place, where both operands are still there.
            #[inline]
            #[track_caller]
            pub fn add_right_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, dy: &Tan<A::Result>, to: &mut Tan<B>)
            where
                Tan<B>: Accumulate,
            {
                a.0.__add_right(b.0, dy, to);
            }

            /// The tangent of the result where only the left operand changes.
            #[inline]
            pub fn fore_left<A: $rule<B>, B: Differentiable>(a: &A, b: &B, da: &Tan<A>) -> Tan<A::Result> {
                a.__fore_left(b, da)
            }

            /// The tangent of the result where only the right operand changes.
            #[inline]
            pub fn fore_right<A: $rule<B>, B: Differentiable>(a: &A, b: &B, db: &Tan<B>) -> Tan<A::Result> {
                a.__fore_right(b, db)
            }

            /// As [`fore_left`].
            #[inline]
            pub fn fore_left_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, da: &Tan<A>) -> Tan<A::Result> {
                a.0.__fore_left(b.0, da)
            }

            /// As [`fore_right`].
            #[inline]
            pub fn fore_right_of<A: $rule<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, db: &Tan<B>) -> Tan<A::Result> {
                a.0.__fore_right(b.0, db)
            }

            /// The tangent of what is kept for the left operand.
            #[inline]
            pub fn dot_keep_left<A: $again<B>, B: Differentiable>(a: &A, b: &B, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> A::LeftDot {
                a.__dot_keep_left(b, da, db)
            }

            /// The tangent of what is kept for the right operand.
            #[inline]
            pub fn dot_keep_right<A: $again<B>, B: Differentiable>(a: &A, b: &B, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> A::RightDot {
                a.__dot_keep_right(b, da, db)
            }

            /// As [`dot_keep_left`].
            #[inline]
            pub fn dot_keep_left_of<A: $again<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> A::LeftDot {
                a.0.__dot_keep_left(b.0, da, db)
            }

            /// As [`dot_keep_right`].
            #[inline]
            pub fn dot_keep_right_of<A: $again<B, L, R>, B: Differentiable, const L: bool, const R: bool>(a: Of<'_, A, L>, b: Of<'_, B, R>, da: Option<&Tan<A>>, db: Option<&Tan<B>>) -> A::RightDot {
                a.0.__dot_keep_right(b.0, da, db)
            }

            /// The tangent of the cotangent of the left operand.
            #[inline]
            pub fn dot_left<A: $again<B, L, R>, B: Differentiable, const L: bool, const R: bool>(kept: Kept<A::Left, A, B, L, R>, dot: Option<A::LeftDot>, dy: &Tan<A::Result>, ddy: Option<&Tan<A::Result>>) -> Tan<A> {
                A::dot_left(kept.kept, dot, dy, ddy)
            }

            /// The tangent of the cotangent of the right operand.
            #[inline]
            pub fn dot_right<A: $again<B, L, R>, B: Differentiable, const L: bool, const R: bool>(kept: Kept<A::Right, A, B, L, R>, dot: Option<A::RightDot>, dy: &Tan<A::Result>, ddy: Option<&Tan<A::Result>>) -> Tan<B> {
                A::dot_right(kept.kept, dot, dy, ddy)
            }
        }
    };
}

rule!(
    /// The derivative of `a + b`.
    AddRule, AddAgain, add,
    "`{Self} + {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} + {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a - b`.
    SubRule, SubAgain, sub,
    "`{Self} - {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} - {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a * b`.
    MulRule, MulAgain, mul,
    "`{Self} * {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} * {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a / b`.
    DivRule, DivAgain, div,
    "`{Self} / {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} / {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a % b`.
    RemRule, RemAgain, rem,
    "`{Self} % {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} % {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a += b`, whose result is the new `a`.
    AddAssignRule, AddAssignAgain, add_assign,
    "`{Self} += {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} += {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a -= b`, whose result is the new `a`.
    SubAssignRule, SubAssignAgain, sub_assign,
    "`{Self} -= {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} -= {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a *= b`, whose result is the new `a`.
    MulAssignRule, MulAssignAgain, mul_assign,
    "`{Self} *= {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} *= {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a /= b`, whose result is the new `a`.
    DivAssignRule, DivAssignAgain, div_assign,
    "`{Self} /= {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} /= {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

rule!(
    /// The derivative of `a %= b`, whose result is the new `a`.
    RemAssignRule, RemAssignAgain, rem_assign,
    "`{Self} %= {B}` has no derivative",
    "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`",
    "`{Self} %= {B}` has no second derivatives",
    "write `#[grad(order = 2)]` on the `impl` of the operator"
);

/// The derivative of `-a`.
#[diagnostic::on_unimplemented(
    message = "`-{Self}` has no derivative",
    label = "this operator has no derivative",
    note = "put `#[grad]` on the `impl` of the operator; of a type parameter, write the bound, as in `Y: Mul<f64, Output = Y>`"
)]
pub trait NegRule<const L: bool = false>: Differentiable + Sized {
    /// The type of the result.
    type Result: Differentiable;
    /// What the cotangent of the operand needs.
    type Left: Clone;
    /// Keeps what the cotangent of the operand needs.
    fn __keep_left(&self) -> Self::Left;
    /// The cotangent of the operand.
    fn back_left(kept: Self::Left, dy: &Tan<Self::Result>) -> Tan<Self>;
    /// The tangent of the result.
    fn __fore_left(&self, da: &Tan<Self>) -> Tan<Self::Result>;
}

/// The second derivatives of `-a`.
#[diagnostic::on_unimplemented(
    message = "`-{Self}` has no second derivatives",
    label = "this operator has no second derivatives",
    note = "write `#[grad(order = 2)]` on the `impl` of the operator"
)]
pub trait NegAgain<const L: bool = false>: NegRule<L> {
    /// The tangent of what is kept.
    type LeftDot: Clone;
    /// The tangent of what is kept, from that of the operand.
    fn __dot_keep_left(&self, da: Option<&Tan<Self>>) -> Self::LeftDot;
    /// The tangent of the cotangent of the operand.
    fn dot_left(
        kept: Self::Left,
        dot: Option<Self::LeftDot>,
        dy: &Tan<Self::Result>,
        ddy: Option<&Tan<Self::Result>>,
    ) -> Tan<Self>;
}

/// What generated code calls for the unary minus.
pub mod neg {
    use super::{Kept, NegAgain, NegRule, Of, Tan};

    /// Keeps what the cotangent of the operand needs.
    #[inline]
    pub fn keep_left<A: NegRule>(a: &A) -> Kept<A::Left, A, (), false> {
        Kept::new(a.__keep_left())
    }

    /// As [`keep_left`].
    #[inline]
    pub fn keep_left_of<A: NegRule<L>, const L: bool>(a: Of<'_, A, L>) -> Kept<A::Left, A, (), L> {
        Kept::new(a.0.__keep_left())
    }

    /// The cotangent of the operand.
    #[inline]
    pub fn left<A: NegRule<L>, const L: bool>(
        kept: Kept<A::Left, A, (), L>,
        dy: &Tan<A::Result>,
    ) -> Tan<A> {
        A::back_left(kept.kept, dy)
    }

    /// The tangent of the result.
    #[inline]
    pub fn fore_left<A: NegRule>(a: &A, da: &Tan<A>) -> Tan<A::Result> {
        a.__fore_left(da)
    }

    /// As [`fore_left`].
    #[inline]
    pub fn fore_left_of<A: NegRule<L>, const L: bool>(
        a: Of<'_, A, L>,
        da: &Tan<A>,
    ) -> Tan<A::Result> {
        a.0.__fore_left(da)
    }

    /// The tangent of what is kept.
    #[inline]
    pub fn dot_keep_left<A: NegAgain>(a: &A, da: Option<&Tan<A>>) -> A::LeftDot {
        a.__dot_keep_left(da)
    }

    /// As [`dot_keep_left`].
    #[inline]
    pub fn dot_keep_left_of<A: NegAgain<L>, const L: bool>(
        a: Of<'_, A, L>,
        da: Option<&Tan<A>>,
    ) -> A::LeftDot {
        a.0.__dot_keep_left(da)
    }

    /// The tangent of the cotangent of the operand.
    #[inline]
    pub fn dot_left<A: NegAgain<L>, const L: bool>(
        kept: Kept<A::Left, A, (), L>,
        dot: Option<A::LeftDot>,
        dy: &Tan<A::Result>,
        ddy: Option<&Tan<A::Result>>,
    ) -> Tan<A> {
        A::dot_left(kept.kept, dot, dy, ddy)
    }
}

/// The same of a right operand that is a reference in a field: of each pair of types by itself, because the left one may be a reference, too.
macro_rules! lent_right {
    ($rule:ident $again:ident [$($g:tt)*] $a:ty, $b:ty where [$($w:tt)*]) => {
        impl<'__b, const LA: bool, $($g)*> $crate::operators::$rule<&'__b $b, LA, false> for $a
        where
            $a: $crate::operators::$rule<$b, LA, true>,
            $($w)*
        {
            type Result = <$a as $crate::operators::$rule<$b, LA, true>>::Result;
            type Left = <$a as $crate::operators::$rule<$b, LA, true>>::Left;
            type Right = <$a as $crate::operators::$rule<$b, LA, true>>::Right;
            #[inline]
            fn __keep_left(&self, b: &&'__b $b) -> Self::Left {
                <$a as $crate::operators::$rule<$b, LA, true>>::__keep_left(self, b)
            }
            #[inline]
            fn __keep_right(&self, b: &&'__b $b) -> Self::Right {
                <$a as $crate::operators::$rule<$b, LA, true>>::__keep_right(self, b)
            }
            #[inline]
            fn back_left(kept: Self::Left, dy: &$crate::operators::Tan<Self::Result>) -> $crate::operators::Tan<$a> {
                <$a as $crate::operators::$rule<$b, LA, true>>::back_left(kept, dy)
            }
            #[inline]
            fn back_right(kept: Self::Right, dy: &$crate::operators::Tan<Self::Result>) -> $crate::operators::Tan<$b> {
                <$a as $crate::operators::$rule<$b, LA, true>>::back_right(kept, dy)
            }
            #[inline]
            fn __left_now(&self, b: &&'__b $b, dy: &$crate::operators::Tan<Self::Result>) -> $crate::operators::Tan<$a> {
                <$a as $crate::operators::$rule<$b, LA, true>>::__left_now(self, b, dy)
            }
            #[inline]
            fn __right_now(&self, b: &&'__b $b, dy: &$crate::operators::Tan<Self::Result>) -> $crate::operators::Tan<$b> {
                <$a as $crate::operators::$rule<$b, LA, true>>::__right_now(self, b, dy)
            }
            #[inline]
            fn __fore_left(&self, b: &&'__b $b, da: &$crate::operators::Tan<$a>) -> $crate::operators::Tan<Self::Result> {
                <$a as $crate::operators::$rule<$b, LA, true>>::__fore_left(self, b, da)
            }
            #[inline]
            fn __fore_right(&self, b: &&'__b $b, db: &$crate::operators::Tan<$b>) -> $crate::operators::Tan<Self::Result> {
                <$a as $crate::operators::$rule<$b, LA, true>>::__fore_right(self, b, db)
            }
        }

        impl<'__b, const LA: bool, $($g)*> $crate::operators::$again<&'__b $b, LA, false> for $a
        where
            $a: $crate::operators::$again<$b, LA, true>,
            $($w)*
        {
            type LeftDot = <$a as $crate::operators::$again<$b, LA, true>>::LeftDot;
            type RightDot = <$a as $crate::operators::$again<$b, LA, true>>::RightDot;
            #[inline]
            fn __dot_keep_left(&self, b: &&'__b $b, da: Option<&$crate::operators::Tan<$a>>, db: Option<&$crate::operators::Tan<$b>>) -> Self::LeftDot {
                <$a as $crate::operators::$again<$b, LA, true>>::__dot_keep_left(self, b, da, db)
            }
            #[inline]
            fn __dot_keep_right(&self, b: &&'__b $b, da: Option<&$crate::operators::Tan<$a>>, db: Option<&$crate::operators::Tan<$b>>) -> Self::RightDot {
                <$a as $crate::operators::$again<$b, LA, true>>::__dot_keep_right(self, b, da, db)
            }
            #[inline]
            fn dot_left(kept: Self::Left, dot: Option<Self::LeftDot>, dy: &$crate::operators::Tan<Self::Result>, ddy: Option<&$crate::operators::Tan<Self::Result>>) -> $crate::operators::Tan<$a> {
                <$a as $crate::operators::$again<$b, LA, true>>::dot_left(kept, dot, dy, ddy)
            }
            #[inline]
            fn dot_right(kept: Self::Right, dot: Option<Self::RightDot>, dy: &$crate::operators::Tan<Self::Result>, ddy: Option<&$crate::operators::Tan<Self::Result>>) -> $crate::operators::Tan<$b> {
                <$a as $crate::operators::$again<$b, LA, true>>::dot_right(kept, dot, dy, ddy)
            }
        }
    };
}
#[cfg(all(
    any(feature = "nalgebra", feature = "ndarray", feature = "num-complex"),
    feature = "std"
))]
pub(crate) use lent_right;

/// The derivatives of one operator on floats: partials by `d`, from what is kept.
macro_rules! float_rule {
    ($rule:ident, $t:ty, [$($L:literal $R:literal),*]; keep [$kl:ty] $left:expr, $kr:ty, $right:expr; back $back_left:expr, $back_right:expr) => {$(
        impl $rule<$t, $L, $R> for $t {
            type Result = $t;
            type Left = $kl;
            type Right = $kr;
            #[inline]
            fn __keep_left(&self, b: &$t) -> $kl {
                let keep: fn($t, $t) -> $kl = $left;
                keep(*self, *b)
            }
            #[inline]
            fn __keep_right(&self, b: &$t) -> $kr {
                let keep: fn($t, $t) -> $kr = $right;
                keep(*self, *b)
            }
            #[inline]
            fn back_left(kept: $kl, dy: &$t) -> $t {
                let back: fn($kl, $t) -> $t = $back_left;
                back(kept, *dy)
            }
            #[inline]
            fn back_right(kept: $kr, dy: &$t) -> $t {
                let back: fn($kr, $t) -> $t = $back_right;
                back(kept, *dy)
            }
            // One number has one partial, which is its own transpose.
            #[inline]
            fn __fore_left(&self, b: &$t, da: &$t) -> $t {
                <$t as $rule<$t, $L, $R>>::back_left(<$t as $rule<$t, $L, $R>>::__keep_left(self, b), da)
            }
            #[inline]
            fn __fore_right(&self, b: &$t, db: &$t) -> $t {
                <$t as $rule<$t, $L, $R>>::back_right(<$t as $rule<$t, $L, $R>>::__keep_right(self, b), db)
            }
        }
    )*};
}

/// The sum of those terms that are there.
#[inline]
fn total<T: crate::float::Float>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, None) => a,
        (None, b) => b,
    }
}

/// The tangent of `dy / b`, whose value is `q`.
#[inline]
fn dot_quotient<T: crate::float::Float>(b: T, q: T, ddy: Option<T>, db: Option<T>) -> Option<T> {
    let left = ddy.map(|d| zdiv(d, b));
    total(left, db.map(|d| -zmul(zdiv(d, b), q)))
}

/// The second derivatives of one operator on floats: `keep` makes of the operands and their tangents those of what is kept,
/// `back` of what is kept, its tangent, the cotangent and its tangent that of the operand's cotangent.
macro_rules! float_again {
    ($t:ty, $name:ident $assigning:ident; $($rest:tt)*) => {
        float_again!(@ $t, $name [false false, true false, false true, true true]; $($rest)*);
        float_again!(@ $t, $assigning [false false, false true]; $($rest)*);
    };
    (@ $t:ty, $again:ident [$($L:literal $R:literal),*]; left [$kl:ty, $dl:ty] $keep_left:expr, $left:expr; right [$kr:ty, $dr:ty] $keep_right:expr, $right:expr) => {$(
        impl $again<$t, $L, $R> for $t {
            type LeftDot = $dl;
            type RightDot = $dr;
            #[inline]
            fn __dot_keep_left(&self, b: &$t, da: Option<&$t>, db: Option<&$t>) -> $dl {
                let keep: fn($t, $t, Option<$t>, Option<$t>) -> $dl = $keep_left;
                keep(*self, *b, da.copied(), db.copied())
            }
            #[inline]
            fn __dot_keep_right(&self, b: &$t, da: Option<&$t>, db: Option<&$t>) -> $dr {
                let keep: fn($t, $t, Option<$t>, Option<$t>) -> $dr = $keep_right;
                keep(*self, *b, da.copied(), db.copied())
            }
            #[inline]
            fn dot_left(kept: $kl, dot: Option<$dl>, dy: &$t, ddy: Option<&$t>) -> $t {
                let back: fn($kl, $dl, $t, Option<$t>) -> Option<$t> = $left;
                back(kept, dot.unwrap_or_default(), *dy, ddy.copied()).unwrap_or_default()
            }
            #[inline]
            fn dot_right(kept: $kr, dot: Option<$dr>, dy: &$t, ddy: Option<&$t>) -> $t {
                let back: fn($kr, $dr, $t, Option<$t>) -> Option<$t> = $right;
                back(kept, dot.unwrap_or_default(), *dy, ddy.copied()).unwrap_or_default()
            }
        }
    )*};
}

/// `x − y`, as the multiple of `b` that it is, over `b`: the quotient that `%` and its like leave out.
#[cfg(any(feature = "std", feature = "libm"))]
#[inline]
pub(crate) fn left_out<T: crate::float::Float>(x: T, b: T, y: T) -> T {
    ((y - x) / b).round()
}

macro_rules! floats {
    ($($t:ident)*) => {$(
        float_rule!(AddRule, $t, [false false, true false, false true, true true]; keep [()] |_, _| (), (), |_, _| (); back |(), d| d, |(), d| d);
        float_rule!(SubRule, $t, [false false, true false, false true, true true]; keep [()] |_, _| (), (), |_, _| (); back |(), d| d, |(), d| -d);
        float_rule!(MulRule, $t, [false false, true false, false true, true true]; keep [$t] |_, b| b, $t, |a, _| a; back |b, d| zmul(d, b), |a, d| zmul(d, a));
        float_rule!(DivRule, $t, [false false, true false, false true, true true]; keep [$t] |_, b| b, ($t, $t), |a, b| (b, a / b); back |b, d| zdiv(d, b), |(b, y), d| -zmul(zdiv(d, b), y));
        float_rule!(AddAssignRule, $t, [false false, false true]; keep [()] |_, _| (), (), |_, _| (); back |(), d| d, |(), d| d);
        float_rule!(SubAssignRule, $t, [false false, false true]; keep [()] |_, _| (), (), |_, _| (); back |(), d| d, |(), d| -d);
        float_rule!(MulAssignRule, $t, [false false, false true]; keep [$t] |_, b| b, $t, |a, _| a; back |b, d| zmul(d, b), |a, d| zmul(d, a));
        float_rule!(DivAssignRule, $t, [false false, false true]; keep [$t] |_, b| b, ($t, $t), |a, b| (b, a / b); back |b, d| zdiv(d, b), |(b, y), d| -zmul(zdiv(d, b), y));
        impl<const L: bool> NegRule<L> for $t {
            type Result = $t;
            type Left = ();
            #[inline]
            fn __keep_left(&self) {}
            #[inline]
            fn back_left((): (), dy: &$t) -> $t {
                -*dy
            }
            #[inline]
            fn __fore_left(&self, da: &$t) -> $t {
                -*da
            }
        }
        float_again!($t, AddAgain AddAssignAgain;
            left [(), ()] |_, _, _, _| (), |(), (), _, dd| dd; right [(), ()] |_, _, _, _| (), |(), (), _, dd| dd);
        float_again!($t, SubAgain SubAssignAgain;
            left [(), ()] |_, _, _, _| (), |(), (), _, dd| dd; right [(), ()] |_, _, _, _| (), |(), (), _, dd| dd.map(|d| -d));
        float_again!($t, MulAgain MulAssignAgain;
            left [$t, Option<$t>] |_, _, _, db| db, |b, db, d, dd| total(dd.map(|dd| zmul(dd, b)), db.map(|db| zmul(d, db)));
            right [$t, Option<$t>] |_, _, da, _| da, |a, da, d, dd| total(dd.map(|dd| zmul(dd, a)), da.map(|da| zmul(d, da))));
        float_again!($t, DivAgain DivAssignAgain;
            left [$t, Option<$t>] |_, _, _, db| db, |b, db, d, dd| dot_quotient(b, zdiv(d, b), dd, db);
            right [($t, $t), (Option<$t>, Option<$t>)] |a, b, da, db| (db, dot_quotient(b, a / b, da, db)),
            |(b, y), (db, dy), d, dd| {
                let q = zdiv(d, b);
                let dq = dot_quotient(b, q, dd, db);
                total(dq.map(|dq| -zmul(dq, y)), dy.map(|dy| -zmul(dy, q)))
            });
        impl<const L: bool> NegAgain<L> for $t {
            type LeftDot = ();
            #[inline]
            fn __dot_keep_left(&self, _: Option<&$t>) {}
            #[inline]
            fn dot_left((): (), _: Option<()>, _: &$t, ddy: Option<&$t>) -> $t {
                ddy.map(|d| -*d).unwrap_or_default()
            }
        }
    )*};
}
floats!(f32 f64);

macro_rules! lent_floats {
    ($($t:ident)*) => {$(
        lent_right!(AddRule AddAgain [] $t, $t where []);
        lent_right!(SubRule SubAgain [] $t, $t where []);
        lent_right!(MulRule MulAgain [] $t, $t where []);
        lent_right!(DivRule DivAgain [] $t, $t where []);
        lent_right!(AddAssignRule AddAssignAgain [] $t, $t where []);
        lent_right!(SubAssignRule SubAssignAgain [] $t, $t where []);
        lent_right!(MulAssignRule MulAssignAgain [] $t, $t where []);
        lent_right!(DivAssignRule DivAssignAgain [] $t, $t where []);
    )*};
}
lent_floats!(f32 f64);

#[cfg(any(feature = "std", feature = "libm"))]
macro_rules! remainders {
    ($($t:ident)*) => {$(
        float_rule!(RemRule, $t, [false false, true false, false true, true true]; keep [()] |_, _| (), ($t, $t), |a, b| (a, b); back |(), d| d, |(a, b), d| zmul(d, left_out(a, b, a % b)));
        float_rule!(RemAssignRule, $t, [false false, false true]; keep [()] |_, _| (), ($t, $t), |a, b| (a, b); back |(), d| d, |(a, b), d| zmul(d, left_out(a, b, a % b)));
        float_again!($t, RemAgain RemAssignAgain;
            left [(), ()] |_, _, _, _| (), |(), (), _, dd| dd; right [($t, $t), ()] |_, _, _, _| (), |(a, b), (), _, dd| dd.map(|dd| zmul(dd, left_out(a, b, a % b))));
    )*};
}
#[cfg(any(feature = "std", feature = "libm"))]
remainders!(f32 f64);

/// Numbers without derivative.
macro_rules! integers {
    ($($t:ty)*) => {$(
        integers!(@ $t, false false; AddRule AddAgain, SubRule SubAgain, MulRule MulAgain, DivRule DivAgain, RemRule RemAgain, AddAssignRule AddAssignAgain, SubAssignRule SubAssignAgain, MulAssignRule MulAssignAgain, DivAssignRule DivAssignAgain, RemAssignRule RemAssignAgain);
        integers!(@ $t, false true; AddRule AddAgain, SubRule SubAgain, MulRule MulAgain, DivRule DivAgain, RemRule RemAgain, AddAssignRule AddAssignAgain, SubAssignRule SubAssignAgain, MulAssignRule MulAssignAgain, DivAssignRule DivAssignAgain, RemAssignRule RemAssignAgain);
        integers!(@ $t, true false; AddRule AddAgain, SubRule SubAgain, MulRule MulAgain, DivRule DivAgain, RemRule RemAgain);
        integers!(@ $t, true true; AddRule AddAgain, SubRule SubAgain, MulRule MulAgain, DivRule DivAgain, RemRule RemAgain);
    )*};
    (@ $t:ty, $L:literal $R:literal; $($rule:ident $again:ident),*) => {$(
        impl $rule<$t, $L, $R> for $t {
            type Result = $t;
            type Left = ();
            type Right = ();
            #[inline]
            fn __keep_left(&self, _: &$t) {}
            #[inline]
            fn __keep_right(&self, _: &$t) {}
            #[inline]
            fn back_left((): (), (): &()) {}
            #[inline]
            fn back_right((): (), (): &()) {}
            #[inline]
            fn __fore_left(&self, _: &$t, (): &()) {}
            #[inline]
            fn __fore_right(&self, _: &$t, (): &()) {}
        }
        impl $again<$t, $L, $R> for $t {
            type LeftDot = ();
            type RightDot = ();
            #[inline]
            fn __dot_keep_left(&self, _: &$t, _: Option<&()>, _: Option<&()>) {}
            #[inline]
            fn __dot_keep_right(&self, _: &$t, _: Option<&()>, _: Option<&()>) {}
            #[inline]
            fn dot_left((): (), _: Option<()>, (): &(), _: Option<&()>) {}
            #[inline]
            fn dot_right((): (), _: Option<()>, (): &(), _: Option<&()>) {}
        }
    )*};
}
integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! signed {
    ($($t:ty)*) => {$(
        impl<const L: bool> NegRule<L> for $t {
            type Result = $t;
            type Left = ();
            #[inline]
            fn __keep_left(&self) {}
            #[inline]
            fn back_left((): (), (): &()) {}
            #[inline]
            fn __fore_left(&self, (): &()) {}
        }
        impl<const L: bool> NegAgain<L> for $t {
            type LeftDot = ();
            #[inline]
            fn __dot_keep_left(&self, _: Option<&()>) {}
            #[inline]
            fn dot_left((): (), _: Option<()>, (): &(), _: Option<&()>) {}
        }
    )*};
}
signed!(i8 i16 i32 i64 i128 isize);

/// The left side of an operator that assigns.
#[derive(Debug)]
pub struct Left<A>(pub A);

macro_rules! assigning {
    ($($name:ident $trait:ident;)*) => {
        impl<A> Left<A> {
            $(
                /// The new left side.
                #[inline]
                #[track_caller]
                pub fn $name<B>(mut self, b: B) -> A
                where
                    A: ops::$trait<B>,
                {
                    ops::$trait::$name(&mut self.0, b);
                    self.0
                }
            )*
        }
    };
}
assigning! {
    add_assign AddAssign;
    sub_assign SubAssign;
    mul_assign MulAssign;
    div_assign DivAssign;
    rem_assign RemAssign;
}

/// `x as T`, for a number of whatever type.
pub trait Cast: Differentiable {
    /// The cotangent of the number, from that of the result.
    fn cast_back<S: crate::num::Numeric>(&self, dy: S) -> Tan<Self>;
}

/// The tangent of a number of whatever type, as that of a float.
pub trait CastTangent: Tangent {
    /// The tangent of `x as T`.
    fn cast_fore<S: crate::num::Numeric>(&self) -> S;
}

impl CastTangent for () {
    #[inline]
    fn cast_fore<S: crate::num::Numeric>(&self) -> S {
        crate::num::lit(0.0)
    }
}

macro_rules! casts {
    (floats $($t:ty)*; others $($o:ty)*) => {
        $(
            impl Cast for $t {
                #[inline]
                fn cast_back<S: crate::num::Numeric>(&self, dy: S) -> $t {
                    crate::num::cast(dy)
                }
            }
            impl CastTangent for $t {
                #[inline]
                fn cast_fore<S: crate::num::Numeric>(&self) -> S {
                    crate::num::cast(*self)
                }
            }
        )*
        $(
            impl Cast for $o {
                #[inline]
                fn cast_back<S: crate::num::Numeric>(&self, _: S) {}
            }
        )*
    };
}
casts!(floats f32 f64; others u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize bool char);

/// The cotangent of `x` from that of `x as T`.
#[inline]
pub fn cast_back<X: Cast, S: crate::num::Numeric>(dy: S, x: &X) -> Tan<X> {
    x.cast_back(dy)
}

/// The tangent of `x as T` from that of `x`.
#[inline]
pub fn cast_fore<D: CastTangent, S: crate::num::Numeric>(d: D) -> S {
    d.cast_fore()
}

/// A value that has no derivative, for operators that would lose one.
#[inline]
pub fn inert<T>(x: T) -> T
where
    T: Differentiable,
    T::Tangent: Nothing,
{
    x
}

/// What a macro of unknown meaning comes to that does not jump out of the derivative; the name is what an error shows.
#[derive(Clone, Copy, Debug)]
pub struct WriteOutMacrosThatJump;

/// The tangent of what has no derivative.
#[diagnostic::on_unimplemented(
    message = "this operator has no derivative on a type of one's own",
    label = "this operator has no derivative",
    note = "call a #[grad] method in place of the operator"
)]
pub trait Nothing {}

impl Nothing for () {}

/// A number that stands in a value of the user's own type; rustc checks that it is one.
#[inline]
#[must_use]
pub fn number<T: crate::num::Numeric>(x: T) -> T {
    x
}

/// A number, whose operators are known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has operators of its own, and this value is not seen to be one; give it a name with its type: `let a: {Self} = …`",
    label = "not seen to be of the type `{Self}`"
)]
pub trait Number {}

/// A number, whose methods are known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may have this method itself, and this value is not seen to be of the type; call the method by its path, `{Self}::name(…)`, or on the number in it, `(*b).name(…)`",
    label = "taken for a method of numbers"
)]
pub trait Calculated {}

/// A number, whose sums and products are known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has sums and products of its own, which have no derivative; use `fold`",
    label = "not of numbers"
)]
pub trait Accumulated {}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Number for $t {}
        impl Calculated for $t {}
        impl Accumulated for $t {}
    )*};
}
impl<T: Number + ?Sized> Number for &T {}
impl<T: Calculated + ?Sized> Calculated for &T {}
numbers!(f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// A value whose type the macro does not see, and whose operators it takes for those of numbers; rustc checks that it is one.
#[inline]
#[must_use]
pub fn assumed<T: Number>(x: T) -> T {
    x
}

/// As [`assumed`], for a method of numbers.
#[inline]
#[must_use]
pub fn calculated<T: Calculated>(x: T) -> T {
    x
}

/// As [`assumed`], for what goes into a variable that the macro takes for a number.
#[inline]
pub fn assume<T: Number + ?Sized>(_: &T) {}

/// The sum or product of nothing; rustc checks that it is one of numbers.
#[inline]
#[must_use]
pub fn accumulated<T: Accumulated>(x: T) -> T {
    x
}
