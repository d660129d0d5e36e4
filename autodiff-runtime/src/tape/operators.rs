//! The operators, with variables and plain floats on either side, by value and by reference.

use core::cmp::Ordering;
use core::iter::{Product, Sum, empty};
use core::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

use super::elementary::{Code, rows};
use super::var::{Link, Var};
use crate::float::Float;
use crate::kernels::zdiv;

impl<T: Float> Neg for Var<'_, T> {
    type Output = Self;
    #[inline(always)]
    #[track_caller]
    fn neg(self) -> Self {
        self.unary(Code::neg, -self.value, Link::of(-T::ONE), [self])
    }
}

impl<'t, T: Float> Neg for &Var<'t, T> {
    type Output = Var<'t, T>;
    #[inline(always)]
    #[track_caller]
    fn neg(self) -> Var<'t, T> {
        -*self
    }
}

/// An operator of two variables, and with it all its forms.
macro_rules! operator {
    ($Op:ident $op:ident $OpAssign:ident $op_assign:ident: |$a:ident, $b:ident| $e:expr) => {
        impl<'t, T: Float> $Op for Var<'t, T> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $e
            }
        }

        impl<T: Float> $Op<T> for Var<'_, T> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: T) -> Self {
                let ($a, $b) = (self, Var::constant(other));
                $e
            }
        }

        impl<'t, T: Float> $Op<&Var<'t, T>> for Var<'t, T> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: &Self) -> Self {
                self.$op(*other)
            }
        }

        impl<T: Float> $Op<&T> for Var<'_, T> {
            type Output = Self;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: &T) -> Self {
                self.$op(*other)
            }
        }

        impl<'t, T: Float> $Op<Var<'t, T>> for &Var<'t, T> {
            type Output = Var<'t, T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: Var<'t, T>) -> Var<'t, T> {
                (*self).$op(other)
            }
        }

        impl<'t, T: Float> $Op for &Var<'t, T> {
            type Output = Var<'t, T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: Self) -> Var<'t, T> {
                (*self).$op(*other)
            }
        }

        impl<'t, T: Float> $Op<T> for &Var<'t, T> {
            type Output = Var<'t, T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: T) -> Var<'t, T> {
                (*self).$op(other)
            }
        }

        impl<'t, T: Float> $Op<&T> for &Var<'t, T> {
            type Output = Var<'t, T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: &T) -> Var<'t, T> {
                (*self).$op(*other)
            }
        }

        operator!(@left f64 $Op $op);
        operator!(@left f32 $Op $op);

        impl<'t, T: Float, R> $OpAssign<R> for Var<'t, T>
        where
            Self: $Op<R, Output = Self>,
        {
            #[inline(always)]
            #[track_caller]
            fn $op_assign(&mut self, other: R) {
                *self = (*self).$op(other);
            }
        }
    };
    (@left $T:ident $Op:ident $op:ident) => {
        impl<'t> $Op<Var<'t, $T>> for $T {
            type Output = Var<'t, $T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: Var<'t, $T>) -> Var<'t, $T> {
                Var::constant(self).$op(other)
            }
        }

        impl<'t> $Op<&Var<'t, $T>> for $T {
            type Output = Var<'t, $T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: &Var<'t, $T>) -> Var<'t, $T> {
                Var::constant(self).$op(*other)
            }
        }

        impl<'t> $Op<Var<'t, $T>> for &$T {
            type Output = Var<'t, $T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: Var<'t, $T>) -> Var<'t, $T> {
                Var::constant(*self).$op(other)
            }
        }

        impl<'t> $Op<&Var<'t, $T>> for &$T {
            type Output = Var<'t, $T>;
            #[inline(always)]
            #[track_caller]
            fn $op(self, other: &Var<'t, $T>) -> Var<'t, $T> {
                Var::constant(*self).$op(*other)
            }
        }
    };
}

operator!(Add add AddAssign add_assign: |a, b| {
    a.binary(Code::add, b, a.value + b.value, Link::of(T::ONE), Link::of(T::ONE), [a, b])
});
operator!(Sub sub SubAssign sub_assign: |a, b| {
    a.binary(Code::sub, b, a.value - b.value, Link::of(T::ONE), Link::of(-T::ONE), [a, b])
});
operator!(Mul mul MulAssign mul_assign: |a, b| {
    a.binary(Code::mul, b, a.value * b.value, Link::of(b.value), Link::of(a.value), [a, b])
});
operator!(Div div DivAssign div_assign: |a, b| {
    let y = a.value / b.value;
    a.binary(Code::div, b, y, Link::of(b.value.recip()), Link::of(-zdiv(y, b.value)), [a, b])
});
operator!(Rem rem RemAssign rem_assign: |a, b| rows::rem(a, b));

/// Sums start where those of floats do.
impl<T: Float> Sum for Var<'_, T> {
    #[track_caller]
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        let start = empty::<T>().sum::<T>();
        iter.fold(Var::constant(start), |sum, x| sum + x)
    }
}

impl<'a, 't: 'a, T: Float> Sum<&'a Var<'t, T>> for Var<'t, T> {
    #[track_caller]
    fn sum<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().sum()
    }
}

impl<T: Float> Product for Var<'_, T> {
    #[track_caller]
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        let start = empty::<T>().product::<T>();
        iter.fold(Var::constant(start), |product, x| product * x)
    }
}

impl<'a, 't: 'a, T: Float> Product<&'a Var<'t, T>> for Var<'t, T> {
    #[track_caller]
    fn product<I: Iterator<Item = &'a Self>>(iter: I) -> Self {
        iter.copied().product()
    }
}

impl<T: Float> PartialEq for Var<'_, T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Float> PartialOrd for Var<'_, T> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.value < other.value
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.value <= other.value
    }
    #[inline(always)]
    fn gt(&self, other: &Self) -> bool {
        self.value > other.value
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.value >= other.value
    }
}

impl<T: Float> PartialEq<T> for Var<'_, T> {
    #[inline(always)]
    fn eq(&self, other: &T) -> bool {
        self.value == *other
    }
}

impl<T: Float> PartialOrd<T> for Var<'_, T> {
    #[inline(always)]
    fn partial_cmp(&self, other: &T) -> Option<Ordering> {
        self.value.partial_cmp(other)
    }
}

macro_rules! compared {
    ($($T:ident)*) => {$(
        impl PartialEq<Var<'_, $T>> for $T {
            #[inline(always)]
            fn eq(&self, other: &Var<'_, $T>) -> bool {
                *self == other.value
            }
        }

        impl PartialOrd<Var<'_, $T>> for $T {
            #[inline(always)]
            fn partial_cmp(&self, other: &Var<'_, $T>) -> Option<Ordering> {
                self.partial_cmp(&other.value)
            }
        }
    )*};
}
compared!(f64 f32);
