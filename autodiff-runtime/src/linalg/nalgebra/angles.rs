//! Rotations made of angles and axes, and unit vectors of any: the crate's formulas, on numbers that carry their derivatives along.

use core::array::from_fn;

use ::nalgebra::{
    Complex, Isometry2, Isometry3, IsometryMatrix2, IsometryMatrix3, Quaternion, Rotation,
    Rotation2, Rotation3, SVector, Translation, Unit, UnitComplex, UnitQuaternion, Vector2,
    Vector3,
};

use super::Real;
use super::rotations::Motion;
use crate::dual::row::{acos, atan, atan2, cos, sin, sqrt};
use crate::dual::{Dual, Part};
use crate::lanes::Width;
use crate::linalg::{Linear, Tan, row};
use crate::rules::op;
use crate::tangent::{Differentiable, Shaped};

/// A number with its tangent along one direction, and the tangents of both along another.
type Jet = Dual<Dual<f64>>;

fn constant(x: f64) -> Jet {
    Jet::from_f64(x)
}

fn sin_cos(x: Jet) -> (Jet, Jet) {
    (sin(x), cos(x))
}

/// A function of a number, of whose value and first two derivatives it is made.
fn composed(x: Jet, [f, f1, f2]: [f64; 3]) -> Jet {
    let outer = Dual {
        value: f1,
        dot: f2 * x.value.dot,
    };
    Dual {
        value: Dual {
            value: f,
            dot: f1 * x.value.dot,
        },
        dot: outer * x.dot,
    }
}

/// `atan(√u) / √u`, which has all derivatives at zero.
fn atan_by_root(x: Jet) -> Jet {
    let u = x.value.value;
    if u < 0.1 {
        return composed(
            x,
            power_series(u, |n| {
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                sign / (2 * n + 1) as f64
            }),
        );
    }
    let root = sqrt(x);
    atan(root) / root
}

/// `acos(c) / √(1 − c²)`, which has all derivatives at one.
fn acos_by_sine(x: Jet) -> Jet {
    let rest = 1.0 - x.value.value;
    if rest < 0.1 {
        // 2ⁿ n!² / (2n + 1)!
        let [f, f1, f2] = power_series(rest, |n| {
            (1..=n).fold(1.0, |term, k| term * k as f64 / (2 * k + 1) as f64)
        });
        return composed(x, [f, -f1, f2]);
    }
    acos(x) / sqrt(constant(1.0) - x * x)
}

/// `cos(√s / 2)` and `sin(√s / 2) / √s`, which have all derivatives at zero.
fn half_turn(x: Jet) -> (Jet, Jet) {
    let s = x.value.value;
    if s >= 1.0 {
        let root = sqrt(x);
        let (sine, cosine) = sin_cos(root * constant(0.5));
        return (cosine, sine / root);
    }
    let [k, k1, k2] = power_series(s, |n| {
        // (−1)ⁿ / ((2n + 1)! 2²ⁿ⁺¹)
        let factors = (1..=n).map(|k| -0.125 / (k * (2 * k + 1)) as f64);
        factors.fold(0.5, |term, factor| term * factor)
    });
    let cosine = op::cos(0.5 * op::sqrt(s));
    (
        composed(x, [cosine, -0.25 * k, -0.25 * k1]),
        composed(x, [k, k1, k2]),
    )
}

/// A power series with these coefficients, and its derivatives.
fn power_series(s: f64, term: impl Fn(usize) -> f64) -> [f64; 3] {
    const TERMS: usize = 24;
    let mut sums = [0.0; 3];
    for n in (0..TERMS).rev() {
        let m = n as f64;
        let factors = [1.0, m, m * (m - 1.0)];
        for (k, sum) in sums.iter_mut().enumerate().filter(|(k, _)| *k <= n) {
            *sum = *sum * s + factors[k] * term(n);
        }
    }
    sums
}

/// What a formula is given or gives, number by number; of a matrix column by column.
pub trait Listed {
    /// Writes the numbers one behind the other, and says how many there are.
    fn __list(&self, out: &mut [f64]) -> usize;
    /// Adds such numbers, and says how many.
    fn __add_list(&mut self, from: &[f64]) -> usize;
}

impl<T: Real> Listed for T {
    fn __list(&self, out: &mut [f64]) -> usize {
        out[0] = crate::num::cast(*self);
        1
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        *self += crate::num::lit::<T>(from[0]);
        1
    }
}

impl<T: Real, const R: usize, const C: usize> Listed for ::nalgebra::SMatrix<T, R, C> {
    fn __list(&self, out: &mut [f64]) -> usize {
        let numbers = out.iter_mut().zip(self.iter());
        numbers.for_each(|(to, x)| *to = crate::num::cast(*x));
        R * C
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        let numbers = self.iter_mut().zip(from);
        numbers.for_each(|(to, x)| *to += crate::num::lit::<T>(*x));
        R * C
    }
}

impl<T: Real> Listed for Quaternion<T> {
    fn __list(&self, out: &mut [f64]) -> usize {
        self.coords.__list(out)
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        self.coords.__add_list(from)
    }
}

impl<T: Real> Listed for Complex<T> {
    fn __list(&self, out: &mut [f64]) -> usize {
        Vector2::new(self.re, self.im).__list(out)
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        self.re.__add_list(&from[..1]) + self.im.__add_list(&from[1..])
    }
}

impl<R: Listed, V: Listed> Listed for Motion<R, V> {
    fn __list(&self, out: &mut [f64]) -> usize {
        let at = self.rotation.__list(out);
        at + self.translation.__list(&mut out[at..])
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        let at = self.rotation.__add_list(from);
        at + self.translation.__add_list(&from[at..])
    }
}

/// Three numbers, as a method gives them.
impl<T: Real> Listed for (T, T, T) {
    fn __list(&self, out: &mut [f64]) -> usize {
        Vector3::new(self.0, self.1, self.2).__list(out)
    }
    fn __add_list(&mut self, from: &[f64]) -> usize {
        let numbers = [&mut self.0, &mut self.1, &mut self.2];
        let numbers = numbers.into_iter().zip(from);
        numbers.map(|(to, x)| to.__add_list(&[*x])).sum()
    }
}

/// What a formula is given whose tangents are others: its numbers alone.
macro_rules! given {
    ($([$($g:tt)*] $a:ty, |$x:ident| $of:expr;)*) => {$(
        impl<T: Real $($g)*> Listed for $a {
            fn __list(&self, out: &mut [f64]) -> usize {
                let $x = self;
                $of.__list(out)
            }
            fn __add_list(&mut self, _: &[f64]) -> usize {
                unreachable!("this is no tangent")
            }
        }
    )*};
}
given! {
    [, const D: usize] Unit<SVector<T, D>>, |x| x.as_ref();
    [] UnitQuaternion<T>, |x| x.as_ref();
    [] UnitComplex<T>, |x| x.as_ref();
    [, const D: usize] Rotation<T, D>, |x| x.matrix();
    [, const D: usize] Translation<T, D>, |x| x.vector;
}

/// As many numbers as a formula may take, and may give.
const MOST: usize = 12;
type Numbers = [f64; MOST];
type Jets = [Jet; MOST];

/// A formula, along one direction and along another.
fn along(
    formula: impl Fn(&Jets) -> Jets,
    x: &Numbers,
    a: impl Fn(usize) -> f64,
    b: impl Fn(usize) -> f64,
) -> Jets {
    formula(&from_fn(|k| Dual {
        value: Dual {
            value: x[k],
            dot: a(k),
        },
        dot: Dual {
            value: b(k),
            dot: 0.0,
        },
    }))
}

/// The tangent of what a formula gives, along `dx`, added to `dy`.
fn fore<D: Listed>(formula: impl Fn(&Jets) -> Jets, [x, dx]: [&Numbers; 2], mut dy: D) -> D {
    let jets = along(formula, x, |k| dx[k], |_| 0.0);
    dy.__add_list(&jets.map(|y| y.value.dot));
    dy
}

/// The cotangents of `count` numbers; with a tangent of these, the tangents of the cotangents.
fn back(
    formula: impl Fn(&Jets) -> Jets,
    x: &Numbers,
    dx: Option<&Numbers>,
    count: usize,
    dy: &impl Listed,
) -> Numbers {
    let mut seeds = [0.0; MOST];
    let seeded = dy.__list(&mut seeds);
    from_fn(|i| {
        if i >= count {
            return 0.0;
        }
        let unit = |k| if k == i { 1.0 } else { 0.0 };
        let jets = along(&formula, x, unit, |k| dx.map_or(0.0, |dx| dx[k]));
        let parts = jets[..seeded].iter().zip(&seeds);
        parts.fold(0.0, |sum, (y, dy)| {
            let slope = if dx.is_some() { y.dot.dot } else { y.value.dot };
            sum + crate::num::zmul(*dy, slope)
        })
    })
}

/// Functions of types by formulas: a trait with the forms of each, of arguments that are lent and then of some that are passed by value.
macro_rules! formulas {
    ($($Trait:ident $(<$V:ident: $Bound:ident>)? $name:ident($($b:ident: $B:ty),*; $($s:ident: $S:ty),*);)*) => { pastey::paste! {
        /// What generated code imports.
        #[allow(unreachable_pub, reason = "of a module that has it in its own")]
        pub mod scope {
            pub use super::methods::scope::*;
            pub use super::{$($Trait as _),*};
        }
        $(
            #[doc = concat!("The function `", stringify!($name), "`.")]
            #[allow(clippy::type_complexity, clippy::ignored_unit_patterns, clippy::unused_unit, reason = "the forms that generated code calls")]
            pub trait $Trait<T: Real $(, $V: $Bound<T>)?>: Linear<Tangent: Listed> + Copy {
                /// Of the numbers of the arguments, those of the value.
                fn __formula(x: &Jets) -> Jets;
                /// The value.
                fn __make($($b: &$B,)* $($s: $S),*) -> Self;

                /// The numbers of the arguments, and how many.
                fn __listed($($b: &impl Listed,)* $($s: &impl Listed),*) -> (Numbers, usize) {
                    let (mut all, mut count) = ([0.0; MOST], 0);
                    $(count += $b.__list(&mut all[count..]);)*
                    $(count += $s.__list(&mut all[count..]);)*
                    (all, count)
                }

                formulas!(@zeros $name [0 1 2 3] $([$B])* $([$S])*);

                /// The value and its tangent.
                #[inline]
                fn [<__taken_jvp_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>) {
                    let (x, _) = Self::__listed($($b,)* $(&$s),*);
                    let (dx, _) = Self::__listed($([<d $b>],)* $(&[<d $s>]),*);
                    let y = Self::__make($($b,)* $($s),*);
                    (y, fore(Self::__formula, [&x, &dx], y.zero_tangent()))
                }
                /// The value and its tangent.
                #[inline]
                fn [<__jvp_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>) {
                    Self::[<__taken_jvp_ $name>]($($b,)* $($s,)* $([<d $b>],)* $([<d $s>]),*)
                }
                /// The value and its pullback.
                #[inline]
                fn [<__taken_fwd_ $name>]($($b: &$B,)* $($s: $S),*) -> (Self, impl FnOnce(Tan<Self>, $(&$B,)* $(&mut Tan<$B>),*) -> ($(Tan<$S>,)*) + use<Self, T $(, $V)?>) {
                    let (x, count) = Self::__listed($($b,)* $(&$s),*);
                    (Self::__make($($b,)* $($s),*), move |dy: Tan<Self>, $([<_ $b>]: &$B,)* $([<to_ $b>]: &mut Tan<$B>),*| {
                        let bars = back(Self::__formula, &x, None, count, &dy);
                        let mut _at = 0;
                        $(_at += [<to_ $b>].__add_list(&bars[_at..]);)*
                        $(let mut $s = $s.zero_tangent(); _at += $s.__add_list(&bars[_at..]);)*
                        ($($s,)*)
                    })
                }
                /// The value and its pullback.
                #[inline]
                fn [<__fwd_ $name>]($($b: &$B,)* $($s: $S),*) -> (Self, impl FnOnce(Tan<Self>, $(&$B,)* $(&mut Tan<$B>),*) -> ($(Tan<$S>,)*) + use<Self, T $(, $V)?>) {
                    Self::[<__taken_fwd_ $name>]($($b,)* $($s),*)
                }
                /// The value and its pullback, with a place for every argument.
                #[inline]
                fn [<__taken_even_ $name>]($($b: &$B,)* $($s: $S),*) -> (Self, impl FnOnce(Tan<Self>, $(&$B,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s)),*) -> ($(formulas!(@unit $b),)* $(Tan<$S>,)*) + use<Self, T $(, $V)?>) {
                    let (y, back) = Self::[<__taken_fwd_ $name>]($($b,)* $($s),*);
                    (y, move |dy: Tan<Self>, $($b: &$B,)* $([<_ $s>]: (),)* $([<to_ $b>]: &mut Tan<$B>,)* $([<_to_ $s>]: ()),*| {
                        let ($($s,)*) = back(dy, $($b,)* $([<to_ $b>]),*);
                        ($(formulas!(@nothing $b),)* $($s,)*)
                    })
                }
                /// The value and its pullback, with a place for every argument.
                #[inline]
                fn [<__even_ $name>]($($b: &$B,)* $($s: $S),*) -> (Self, impl FnOnce(Tan<Self>, $(&$B,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s)),*) -> ($(formulas!(@unit $b),)* $(Tan<$S>,)*) + use<Self, T $(, $V)?>) {
                    Self::[<__taken_even_ $name>]($($b,)* $($s),*)
                }
                /// The value, its tangents in several directions, and the pullback with its tangents.
                #[inline]
                fn [<__taken_each_fwd_ $name>]<const W: usize>($($b: &$B,)* $($s: $S,)* _: Width<W>, $([<d $b>]: [&Tan<$B>; W],)* $([<d $s>]: [Tan<$S>; W]),*) -> (Self, [Tan<Self>; W], impl FnOnce(Tan<Self>, [Tan<Self>; W], $(&$B,)* $([&Tan<$B>; W],)* $(&mut Tan<$B>,)* $([&mut Tan<$B>; W]),*) -> (($(Tan<$S>,)*), ($([Tan<$S>; W],)*)) + use<Self, T $(, $V)?, W>) {
                    let (x, count) = Self::__listed($($b,)* $(&$s),*);
                    let y = Self::__make($($b,)* $($s),*);
                    let directions: [_; W] = from_fn(|w| Self::__listed($([<d $b>][w],)* $(&[<d $s>][w]),*).0);
                    let dots = from_fn(|w| fore(Self::__formula, [&x, &directions[w]], y.zero_tangent()));
                    (y, dots, move |dy: Tan<Self>, ddy: [Tan<Self>; W], $([<_ $b>]: &$B,)* $([<_d $b>]: [&Tan<$B>; W],)* $([<to_ $b>]: &mut Tan<$B>,)* $([<dot_ $b>]: [&mut Tan<$B>; W]),*| {
                        let bars = back(Self::__formula, &x, None, count, &dy);
                        let mut _at = 0;
                        $(_at += [<to_ $b>].__add_list(&bars[_at..]);)*
                        $(let mut [<to_ $s>] = $s.zero_tangent(); _at += [<to_ $s>].__add_list(&bars[_at..]);)*
                        $(let mut [<dot_ $s>]: [_; W] = from_fn(|_| $s.zero_tangent());)*
                        for w in 0..W {
                            let (one, two) = (back(Self::__formula, &x, None, count, &ddy[w]), back(Self::__formula, &x, Some(&directions[w]), count, &dy));
                            let bars: Numbers = from_fn(|k| one[k] + two[k]);
                            let mut _at = 0;
                            $(_at += [<dot_ $b>][w].__add_list(&bars[_at..]);)*
                            $(_at += [<dot_ $s>][w].__add_list(&bars[_at..]);)*
                        }
                        (($([<to_ $s>],)*), ($([<dot_ $s>],)*))
                    })
                }
                /// The value, its tangents in several directions, and the pullback with its tangents.
                #[inline]
                fn [<__each_fwd_ $name>]<const W: usize>($($b: &$B,)* $($s: $S,)* width: Width<W>, $([<d $b>]: [&Tan<$B>; W],)* $([<d $s>]: [Tan<$S>; W]),*) -> (Self, [Tan<Self>; W], impl FnOnce(Tan<Self>, [Tan<Self>; W], $(&$B,)* $([&Tan<$B>; W],)* $(&mut Tan<$B>,)* $([&mut Tan<$B>; W]),*) -> (($(Tan<$S>,)*), ($([Tan<$S>; W],)*)) + use<Self, T $(, $V)?, W>) {
                    Self::[<__taken_each_fwd_ $name>]($($b,)* $($s,)* width, $([<d $b>],)* $([<d $s>]),*)
                }
                /// The value, its tangent, and the pullback with its tangent.
                #[inline]
                fn [<__taken_jvp_fwd_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>, impl FnOnce(Tan<Self>, Tan<Self>, $(&$B,)* $(&Tan<$B>,)* $(&mut Tan<$B>,)* $(&mut Tan<$B>),*) -> (($(Tan<$S>,)*), ($(Tan<$S>,)*)) + use<Self, T $(, $V)?>) {
                    let (y, [dot], back) = Self::[<__taken_each_fwd_ $name>]::<1>($($b,)* $($s,)* Width, $([[<d $b>]],)* $([[<d $s>]]),*);
                    (y, dot, move |dy: Tan<Self>, ddy: Tan<Self>, $($b: &$B,)* $([<d $b>]: &Tan<$B>,)* $([<to_ $b>]: &mut Tan<$B>,)* $([<dot_ $b>]: &mut Tan<$B>),*| {
                        let (bars, ($([$s],)*)) = back(dy, [ddy], $($b,)* $([[<d $b>]],)* $([<to_ $b>],)* $([[<dot_ $b>]]),*);
                        (bars, ($($s,)*))
                    })
                }
                /// The value, its tangent, and the pullback with its tangent.
                #[inline]
                fn [<__jvp_fwd_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>, impl FnOnce(Tan<Self>, Tan<Self>, $(&$B,)* $(&Tan<$B>,)* $(&mut Tan<$B>,)* $(&mut Tan<$B>),*) -> (($(Tan<$S>,)*), ($(Tan<$S>,)*)) + use<Self, T $(, $V)?>) {
                    Self::[<__taken_jvp_fwd_ $name>]($($b,)* $($s,)* $([<d $b>],)* $([<d $s>]),*)
                }
                /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
                #[inline]
                fn [<__taken_jvp_even_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>, impl FnOnce(Tan<Self>, Tan<Self>, $(&$B,)* $(formulas!(@unit $s),)* $(&Tan<$B>,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s),)*) -> (($(formulas!(@unit $b),)* $(Tan<$S>,)*), ($(formulas!(@unit $b),)* $(Tan<$S>,)*)) + use<Self, T $(, $V)?>) {
                    let (y, dot, back) = Self::[<__taken_jvp_fwd_ $name>]($($b,)* $($s,)* $([<d $b>],)* $([<d $s>]),*);
                    (y, dot, move |dy: Tan<Self>, ddy: Tan<Self>, $($b: &$B,)* $([<_ $s>]: (),)* $([<d $b>]: &Tan<$B>,)* $([<_d $s>]: (),)* $([<to_ $b>]: &mut Tan<$B>,)* $([<_to_ $s>]: (),)* $([<dot_ $b>]: &mut Tan<$B>,)* $([<_dot_ $s>]: (),)*| {
                        let (($($s,)*), ($([<dot_ $s>],)*)) = back(dy, ddy, $($b,)* $([<d $b>],)* $([<to_ $b>],)* $([<dot_ $b>]),*);
                        (($(formulas!(@nothing $b),)* $($s,)*), ($(formulas!(@nothing $b),)* $([<dot_ $s>],)*))
                    })
                }
                /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
                #[inline]
                fn [<__jvp_even_ $name>]($($b: &$B,)* $($s: $S,)* $([<d $b>]: &Tan<$B>,)* $([<d $s>]: Tan<$S>),*) -> (Self, Tan<Self>, impl FnOnce(Tan<Self>, Tan<Self>, $(&$B,)* $(formulas!(@unit $s),)* $(&Tan<$B>,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s),)* $(&mut Tan<$B>,)* $(formulas!(@unit $s),)*) -> (($(formulas!(@unit $b),)* $(Tan<$S>,)*), ($(formulas!(@unit $b),)* $(Tan<$S>,)*)) + use<Self, T $(, $V)?>) {
                    Self::[<__taken_jvp_even_ $name>]($($b,)* $($s,)* $([<d $b>],)* $([<d $s>]),*)
                }
            }
        )*
    } };
    (@zeros $name:ident [$($k:literal)*]) => {};
    (@zeros $name:ident [$k:literal $($ks:literal)*] [$t:ty] $($rest:tt)*) => { pastey::paste! {
        /// The zero tangent of an argument.
        #[inline]
        fn [<__zero_ $k _ $name>](x: &$t) -> Tan<$t> {
            x.zero_tangent()
        }
        formulas!(@zeros $name [$($ks)*] $($rest)*);
    } };
    (@unit $x:ident) => { () };
    (@nothing $x:ident) => { () };
}

formulas! {
    FromAxisAngle from_axis_angle(axis: Unit<Vector3<T>>; angle: T);
    FromEulerAngles from_euler_angles(; roll: T, pitch: T, yaw: T);
    FromScaledAxis from_scaled_axis(; axis: Vector3<T>);
    NewByScaledAxis new(; axis: Vector3<T>);
    NewByAngle new(; angle: T);
    FromAngle from_angle(; angle: T);
    NewUnit<V: OfUnit> new_normalize(; v: V);
    UncheckedUnit<V: OfUnit> new_unchecked(; v: V);
    FromQuaternion from_quaternion(; v: Quaternion<T>);
    NewIsometry new(; v: Vector3<T>, axis: Vector3<T>);
    NewIsometry2 new(; v: Vector2<T>, angle: T);
    OfPartsQuaternion from_parts(; v: Translation<T, 3>, r: UnitQuaternion<T>);
    OfParts from_parts(; v: Translation<T, 3>, r: Rotation3<T>);
    OfParts2 from_parts(; v: Translation<T, 2>, r: Rotation2<T>);
    OfPartsComplex from_parts(; v: Translation<T, 2>, r: UnitComplex<T>);
}

/// What can be a unit.
pub trait OfUnit<T: Real>:
    Linear<Tangent: Listed> + Listed + Shaped + Copy + ::nalgebra::Normed<Norm = T>
{
    /// How many numbers it is of.
    const COUNT: usize;
}

impl<T: Real, const D: usize> OfUnit<T> for SVector<T, D> {
    const COUNT: usize = {
        assert!(
            D <= MOST,
            "unit vectors have derivatives up to twelve numbers"
        );
        D
    };
}

impl<T: Real> OfUnit<T> for Quaternion<T> {
    const COUNT: usize = 4;
}

impl<T: Real, V: OfUnit<T>> NewUnit<T, V> for Unit<V> {
    fn __formula(x: &Jets) -> Jets {
        unit(x, V::COUNT)
    }
    #[inline]
    fn __make(v: V) -> Self {
        Unit::new_normalize(v)
    }
}

impl<T: Real, V: OfUnit<T>> UncheckedUnit<T, V> for Unit<V> {
    fn __formula(x: &Jets) -> Jets {
        *x
    }
    #[inline]
    fn __make(v: V) -> Self {
        Unit::new_unchecked(v)
    }
}

/// A function of a type by its formula.
macro_rules! formula {
    ($($Trait:ident $a:ty, $name:ident($($b:ident: $B:ty),*; $($s:ident: $S:ty),*), |$x:ident| $y:expr;)*) => {$(
        impl<T: Real> $Trait<T> for $a {
            fn __formula($x: &Jets) -> Jets {
                filled($y)
            }
            #[inline]
            fn __make($($b: &$B,)* $($s: $S),*) -> Self {
                Self::$name($($b,)* $($s),*)
            }
        }
    )*};
}

fn filled<const N: usize>(y: [Jet; N]) -> Jets {
    from_fn(|k| y.get(k).copied().unwrap_or(constant(0.0)))
}

/// The quaternion of a turn about an axis that is a unit.
fn about(x: &Jets) -> [Jet; 4] {
    let (s, c) = sin_cos(x[3] * constant(0.5));
    [x[0] * s, x[1] * s, x[2] * s, c]
}

/// The matrix of the same turn.
fn matrix_about(x: &Jets) -> [Jet; 9] {
    let one = constant(1.0);
    let ([x, y, z], (s, c)) = ([x[0], x[1], x[2]], sin_cos(x[3]));
    let square = |u: Jet| u * u + (one - u * u) * c;
    let rest = one - c;
    let [xy, xz, yz] = [x * y * rest, x * z * rest, y * z * rest];
    [
        square(x),
        xy + z * s,
        xz - y * s,
        xy - z * s,
        square(y),
        yz + x * s,
        xz + y * s,
        yz - x * s,
        square(z),
    ]
}

/// The quaternion of a turn about `x`, by its length.
fn by_scaled_axis(x: &Jets) -> [Jet; 4] {
    let (c, k) = half_turn(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    [x[0] * k, x[1] * k, x[2] * k, c]
}

/// The matrix of a unit quaternion.
fn matrix_of([i, j, k, w]: [Jet; 4]) -> [Jet; 9] {
    let (ww, ii, jj, kk) = (w * w, i * i, j * j, k * k);
    let [ij, ik, jk] = [i * j, i * k, j * k].map(|x| x + x);
    let [wi, wj, wk] = [w * i, w * j, w * k].map(|x| x + x);
    [
        ww + ii - jj - kk,
        wk + ij,
        ik - wj,
        ij - wk,
        ww - ii + jj - kk,
        wi + jk,
        wj + ik,
        jk - wi,
        ww - ii - jj + kk,
    ]
}

/// The quaternion of turns about three axes, one after the other.
fn by_euler_angles(x: &Jets) -> [Jet; 4] {
    let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| sin_cos(x[k] * constant(0.5)));
    [
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ]
}

/// The matrix of the same turns.
fn matrix_by_euler_angles(x: &Jets) -> [Jet; 9] {
    let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| sin_cos(x[k]));
    [
        cy * cp,
        sy * cp,
        -sp,
        cy * sp * sr - sy * cr,
        sy * sp * sr + cy * cr,
        cp * sr,
        cy * sp * cr + sy * sr,
        sy * sp * cr - cy * sr,
        cp * cr,
    ]
}

/// The complex number of a turn in the plane.
fn in_plane(angle: Jet) -> [Jet; 2] {
    let (s, c) = sin_cos(angle);
    [c, s]
}

/// The matrix of a turn in the plane.
fn matrix_in_plane(angle: Jet) -> [Jet; 4] {
    let [c, s] = in_plane(angle);
    [c, s, -s, c]
}

/// A rotation, and the first numbers behind it.
fn joined<const R: usize, const D: usize, const N: usize>(
    rotation: [Jet; R],
    x: &Jets,
) -> [Jet; N] {
    from_fn(|k| if k < R { rotation[k] } else { x[(k - R) % D] })
}

/// The first numbers, divided by their length.
fn unit(x: &Jets, count: usize) -> Jets {
    let zero = constant(0.0);
    let square = x[..count].iter().fold(zero, |sum, x| sum + *x * *x);
    let length = sqrt(square);
    from_fn(|k| if k < count { x[k] / length } else { zero })
}

formula! {
    FromAxisAngle UnitQuaternion<T>, from_axis_angle(axis: Unit<Vector3<T>>; angle: T), |x| about(x);
    FromAxisAngle Rotation3<T>, from_axis_angle(axis: Unit<Vector3<T>>; angle: T), |x| matrix_about(x);
    FromEulerAngles UnitQuaternion<T>, from_euler_angles(; roll: T, pitch: T, yaw: T), |x| by_euler_angles(x);
    FromEulerAngles Rotation3<T>, from_euler_angles(; roll: T, pitch: T, yaw: T), |x| matrix_by_euler_angles(x);
    FromScaledAxis UnitQuaternion<T>, from_scaled_axis(; axis: Vector3<T>), |x| by_scaled_axis(x);
    FromScaledAxis Rotation3<T>, from_scaled_axis(; axis: Vector3<T>), |x| matrix_of(by_scaled_axis(x));
    NewByScaledAxis UnitQuaternion<T>, new(; axis: Vector3<T>), |x| by_scaled_axis(x);
    NewByScaledAxis Rotation3<T>, new(; axis: Vector3<T>), |x| matrix_of(by_scaled_axis(x));
    NewByAngle Rotation2<T>, new(; angle: T), |x| matrix_in_plane(x[0]);
    NewByAngle UnitComplex<T>, new(; angle: T), |x| in_plane(x[0]);
    FromAngle UnitComplex<T>, from_angle(; angle: T), |x| in_plane(x[0]);
    FromQuaternion UnitQuaternion<T>, from_quaternion(; v: Quaternion<T>), |x| unit(x, 4);
    NewIsometry Isometry3<T>, new(; v: Vector3<T>, axis: Vector3<T>), |x| {
        joined::<4, 3, 7>(by_scaled_axis(&from_fn(|k| x[(k + 3) % MOST])), x)
    };
    NewIsometry IsometryMatrix3<T>, new(; v: Vector3<T>, axis: Vector3<T>), |x| {
        joined::<9, 3, 12>(matrix_of(by_scaled_axis(&from_fn(|k| x[(k + 3) % MOST]))), x)
    };
    NewIsometry2 IsometryMatrix2<T>, new(; v: Vector2<T>, angle: T), |x| joined::<4, 2, 6>(matrix_in_plane(x[2]), x);
    NewIsometry2 Isometry2<T>, new(; v: Vector2<T>, angle: T), |x| joined::<2, 2, 4>(in_plane(x[2]), x);
    OfPartsQuaternion Isometry3<T>, from_parts(; v: Translation<T, 3>, r: UnitQuaternion<T>), |x| {
        joined::<4, 3, 7>(from_fn(|k| x[k + 3]), x)
    };
    OfParts IsometryMatrix3<T>, from_parts(; v: Translation<T, 3>, r: Rotation3<T>), |x| {
        joined::<9, 3, 12>(from_fn(|k| x[k + 3]), x)
    };
    OfPartsComplex Isometry2<T>, from_parts(; v: Translation<T, 2>, r: UnitComplex<T>), |x| {
        joined::<2, 2, 4>(from_fn(|k| x[k + 2]), x)
    };
    OfParts2 IsometryMatrix2<T>, from_parts(; v: Translation<T, 2>, r: Rotation2<T>), |x| {
        joined::<4, 2, 6>(from_fn(|k| x[k + 2]), x)
    };
}

/// The numbers of a receiver or of its tangent, and how many.
fn listed(x: &impl Listed) -> (Numbers, usize) {
    let mut all = [0.0; MOST];
    let count = x.__list(&mut all);
    (all, count)
}

#[allow(unreachable_pub, reason = "its traits are what generated code imports")]
pub mod methods {
    //! Methods by formulas.

    use crate::linalg::{Tan, method};
    use crate::tangent::Differentiable;

    method! {
        Angle angle(;);
        ScaledAxis scaled_axis(;);
        EulerAngles euler_angles(;);
    }
}
use methods::{Angle, EulerAngles, ScaledAxis};

/// A method without arguments by its formula, of the numbers of its receiver.
macro_rules! method_by_formula {
    ($($Trait:ident [$($g:tt)*] $a:ty => $y:ty, $name:ident, $formula:expr;)*) => {$(
        row!($Trait [T: Real $($g)*] $a, (), () => $y, (), where [];
            |a| (a.$name(), ());
            |a, (), da| fore($formula, [&listed(a).0, &listed(da).0], a.$name().zero_tangent());
            |a, (), d, to| {
                let (x, count) = listed(a);
                to.__add_list(&back($formula, &x, None, count, d));
            };
            |a, (), da, d, to| {
                let (x, count) = listed(a);
                to.__add_list(&back($formula, &x, Some(&listed(da).0), count, d));
            });
    )*};
}

/// The quaternion with a real part that is not negative, of the same turn.
fn nearer(x: &Jets) -> [Jet; 4] {
    let sign = constant(if x[3].value.value < 0.0 { -1.0 } else { 1.0 });
    from_fn(|k| x[k] * sign)
}

fn squares([x, y, z]: [Jet; 3]) -> Jet {
    x * x + y * y + z * z
}

/// The angle of a quaternion.
fn angle_of(q: &Jets) -> Jets {
    let [i, j, k, w] = nearer(q);
    filled([atan2(sqrt(squares([i, j, k])), w) * constant(2.0)])
}

/// The axis of a quaternion, as long as its angle.
fn scaled_axis_of(q: &Jets) -> Jets {
    let [i, j, k, w] = nearer(q);
    let square = squares([i, j, k]);
    let real = w.value.value;
    let half = if square.value.value < 0.1 * real * real {
        atan_by_root(square / (w * w)) / w
    } else {
        let length = sqrt(square);
        atan2(length, w) / length
    };
    let scale = half + half;
    filled([i * scale, j * scale, k * scale])
}

/// The cosine of the angle of a matrix.
fn cosine(m: &Jets) -> Jet {
    (m[0] + m[4] + m[8] - constant(1.0)) * constant(0.5)
}

/// The axis of a matrix, as long as its angle.
fn scaled_axis_of_matrix(m: &Jets) -> Jets {
    let scale = acos_by_sine(cosine(m)) * constant(0.5);
    filled([
        (m[5] - m[7]) * scale,
        (m[6] - m[2]) * scale,
        (m[1] - m[3]) * scale,
    ])
}

/// The angle of a matrix.
fn angle_of_matrix(m: &Jets) -> Jets {
    let c = cosine(m);
    let sine = sqrt(constant(1.0) - c * c);
    filled([acos_by_sine(c) * sine])
}

/// The angles of turns about three axes of a matrix, of which the one in the middle is no quarter.
fn euler_angles_of(m: &Jets) -> Jets {
    let cosine = sqrt(constant(1.0) - m[2] * m[2]);
    filled([atan2(m[5], m[8]), atan2(-m[2], cosine), atan2(m[1], m[0])])
}

method_by_formula! {
    Angle [] UnitQuaternion<T> => T, angle, angle_of;
    Angle [] Rotation3<T> => T, angle, angle_of_matrix;
    Angle [] UnitComplex<T> => T, angle, |c: &Jets| filled([atan2(c[1], c[0])]);
    Angle [] Rotation2<T> => T, angle, |m: &Jets| filled([atan2(m[1], m[0])]);
    ScaledAxis [] UnitQuaternion<T> => Vector3<T>, scaled_axis, scaled_axis_of;
    ScaledAxis [] Rotation3<T> => Vector3<T>, scaled_axis, scaled_axis_of_matrix;
    EulerAngles [] UnitQuaternion<T> => (T, T, T), euler_angles, |q: &Jets| {
        euler_angles_of(&filled(matrix_of(from_fn(|k| q[k]))))
    };
    EulerAngles [] Rotation3<T> => (T, T, T), euler_angles, euler_angles_of;
}
