//! Rotations made of angles and axes, and unit vectors of any: the crate's formulas, on numbers that carry their derivatives along.

use core::array::from_fn;
use core::ops::{Add, Mul, Neg, Sub};

use ::nalgebra::{
    Isometry3, IsometryMatrix2, IsometryMatrix3, Quaternion, Rotation, Rotation2, Rotation3,
    SVector, Translation, Unit, UnitQuaternion, Vector2, Vector3,
};

use super::Real;
use super::rotations::Motion;
use crate::lanes::Width;
use crate::linalg::{Linear, Tan, row};
use crate::tangent::{Differentiable, Shaped};

/// A number with its derivatives along two directions, and the second one along both: a hyper-dual number (Fike and Alonso, 2011).
#[derive(Clone, Copy, Debug)]
pub struct Jet<T> {
    x: T,
    a: T,
    b: T,
    ab: T,
}

impl<T: Real> Jet<T> {
    fn constant(x: T) -> Self {
        let zero = T::zero();
        Jet {
            x,
            a: zero,
            b: zero,
            ab: zero,
        }
    }

    /// A function of the number, of whose value and first two derivatives it is made.
    fn with(self, [f, f1, f2]: [T; 3]) -> Self {
        Jet {
            x: f,
            a: f1 * self.a,
            b: f1 * self.b,
            ab: f1 * self.ab + f2 * self.a * self.b,
        }
    }

    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = (self.x.sin(), self.x.cos());
        (self.with([s, c, -s]), self.with([c, -s, -c]))
    }

    /// `1 / √x`
    fn inverse_root(self) -> Self {
        let (f, half) = (T::one() / self.x.sqrt(), lit::<T>(-0.5));
        let f1 = half * f / self.x;
        self.with([f, f1, lit::<T>(-1.5) * f1 / self.x])
    }

    /// The slope at zero, which is infinite, is taken for zero.
    fn sqrt(self) -> Self {
        if self.x.is_zero() {
            return Self::constant(self.x);
        }
        let f = self.x.sqrt();
        let f1 = lit::<T>(0.5) / f;
        self.with([f, f1, lit::<T>(-0.5) * f1 / self.x])
    }

    /// `1 / x`
    fn inverse(self) -> Self {
        let f = T::one() / self.x;
        self.with([f, -f * f, lit::<T>(2.0) * f * f * f])
    }

    /// The angle of the point `(x, y)`, whose derivatives are those of `atan` of a quotient with `x² + y²` below.
    fn atan2(self, x: Self) -> Self {
        let y = self;
        let square = T::one() / (x.x * x.x + y.x * y.x);
        let (by_y, by_x) = (x.x * square, -y.x * square);
        let (twice, mixed) = (
            lit::<T>(2.0) * by_x * by_y,
            (y.x * y.x - x.x * x.x) * square * square,
        );
        Jet {
            x: y.x.atan2(x.x),
            a: by_y * y.a + by_x * x.a,
            b: by_y * y.b + by_x * x.b,
            ab: by_y * y.ab
                + by_x * x.ab
                + twice * (y.a * y.b - x.a * x.b)
                + mixed * (y.a * x.b + x.a * y.b),
        }
    }

    /// `atan(√x) / √x`, which has all derivatives at zero.
    fn atan_by_root(self) -> Self {
        let u = self.x;
        if u < lit(0.1) {
            return self.with(power_series(u, |n| {
                let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
                sign / (2 * n + 1) as f64
            }));
        }
        let (r, below, double) = (u.sqrt(), T::one() / (T::one() + u), u + u);
        let f = r.atan() / r;
        let f1 = (below - f) / double;
        self.with([f, f1, (-below * below - f1) / double - f1 / u])
    }

    /// `acos(x) / √(1 − x²)`, which has all derivatives at one.
    fn acos_by_sine(self) -> Self {
        let rest = T::one() - self.x;
        if rest < lit(0.1) {
            // 2ⁿ n!² / (2n + 1)!
            let [f, f1, f2] = power_series(rest, |n| {
                (1..=n).fold(1.0, |term, k| term * k as f64 / (2 * k + 1) as f64)
            });
            return self.with([f, -f1, f2]);
        }
        let below = T::one() / (T::one() - self.x * self.x);
        let f = self.x.acos() * below.sqrt();
        let f1 = (self.x * f - T::one()) * below;
        let three = lit::<T>(3.0);
        self.with([f, f1, (f + three * self.x * f1) * below])
    }

    /// `cos(√x / 2)` and `sin(√x / 2) / √x`, which have all derivatives at zero.
    fn half_turn(self) -> (Self, Self) {
        let s = self.x;
        let (c, [k, k1, k2]) = if s < T::one() {
            let half = s.sqrt() * lit(0.5);
            (
                half.cos(),
                power_series(s, |n| {
                    // (−1)ⁿ / ((2n + 1)! 2²ⁿ⁺¹)
                    let factors = (1..=n).map(|k| -0.125 / (k * (2 * k + 1)) as f64);
                    factors.fold(0.5, |term, factor| term * factor)
                }),
            )
        } else {
            let r = s.sqrt();
            let (half, double) = (r * lit(0.5), s + s);
            let (c, k) = (half.cos(), half.sin() / r);
            let k1 = (c * lit(0.5) - k) / double;
            (c, [k, k1, (k * lit(-0.125) - k1) / double - k1 / s])
        };
        let quarter = lit::<T>(-0.25);
        (
            self.with([c, quarter * k, quarter * k1]),
            self.with([k, k1, k2]),
        )
    }
}

/// A power series with these coefficients, and its derivatives.
fn power_series<T: Real>(s: T, term: impl Fn(usize) -> f64) -> [T; 3] {
    const TERMS: usize = 24;
    let mut sums = [T::zero(); 3];
    for n in (0..TERMS).rev() {
        let m = n as f64;
        let factors = [1.0, m, m * (m - 1.0)];
        for (k, sum) in sums.iter_mut().enumerate().filter(|(k, _)| *k <= n) {
            *sum = *sum * s + lit(factors[k] * term(n));
        }
    }
    sums
}

fn lit<T: Real>(x: f64) -> T {
    crate::num::lit::<T>(x)
}

impl<T: Real> Add for Jet<T> {
    type Output = Self;
    fn add(self, y: Self) -> Self {
        Jet {
            x: self.x + y.x,
            a: self.a + y.a,
            b: self.b + y.b,
            ab: self.ab + y.ab,
        }
    }
}

impl<T: Real> Neg for Jet<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Jet {
            x: -self.x,
            a: -self.a,
            b: -self.b,
            ab: -self.ab,
        }
    }
}

impl<T: Real> Sub for Jet<T> {
    type Output = Self;
    fn sub(self, y: Self) -> Self {
        self + -y
    }
}

impl<T: Real> Mul for Jet<T> {
    type Output = Self;
    fn mul(self, y: Self) -> Self {
        Jet {
            x: self.x * y.x,
            a: self.a * y.x + self.x * y.a,
            b: self.b * y.x + self.x * y.b,
            ab: self.ab * y.x + self.a * y.b + self.b * y.a + self.x * y.ab,
        }
    }
}

impl<T: Real> Mul<f64> for Jet<T> {
    type Output = Self;
    fn mul(self, y: f64) -> Self {
        self * Jet::constant(lit(y))
    }
}

/// What a formula is given or gives, number by number; of a matrix column by column.
pub trait Listed<T> {
    /// Writes the numbers one behind the other, and says how many there are.
    fn __list(&self, out: &mut [T]) -> usize;
    /// Adds such numbers, and says how many.
    fn __add_list(&mut self, from: &[T]) -> usize;
}

impl<T: Real> Listed<T> for T {
    fn __list(&self, out: &mut [T]) -> usize {
        out[0] = *self;
        1
    }
    fn __add_list(&mut self, from: &[T]) -> usize {
        *self += from[0];
        1
    }
}

impl<T: Real, const R: usize, const C: usize> Listed<T> for ::nalgebra::SMatrix<T, R, C> {
    fn __list(&self, out: &mut [T]) -> usize {
        out[..R * C].copy_from_slice(self.as_slice());
        R * C
    }
    fn __add_list(&mut self, from: &[T]) -> usize {
        self.iter_mut().zip(from).for_each(|(to, x)| *to += *x);
        R * C
    }
}

impl<T: Real> Listed<T> for Quaternion<T> {
    fn __list(&self, out: &mut [T]) -> usize {
        self.coords.__list(out)
    }
    fn __add_list(&mut self, from: &[T]) -> usize {
        self.coords.__add_list(from)
    }
}

impl<T: Real, R: Listed<T>, V: Listed<T>> Listed<T> for Motion<R, V> {
    fn __list(&self, out: &mut [T]) -> usize {
        let at = self.rotation.__list(out);
        at + self.translation.__list(&mut out[at..])
    }
    fn __add_list(&mut self, from: &[T]) -> usize {
        let at = self.rotation.__add_list(from);
        at + self.translation.__add_list(&from[at..])
    }
}

/// What a formula is given whose tangents are others: its numbers alone.
macro_rules! given {
    ($([$($g:tt)*] $a:ty, |$x:ident| $of:expr;)*) => {$(
        impl<T: Real $($g)*> Listed<T> for $a {
            fn __list(&self, out: &mut [T]) -> usize {
                let $x = self;
                $of.__list(out)
            }
            fn __add_list(&mut self, _: &[T]) -> usize {
                unreachable!("this is no tangent")
            }
        }
    )*};
}
given! {
    [, const D: usize] Unit<SVector<T, D>>, |x| x.as_ref();
    [] UnitQuaternion<T>, |x| x.as_ref();
    [, const D: usize] Rotation<T, D>, |x| x.matrix();
    [, const D: usize] Translation<T, D>, |x| x.vector;
}

/// As many numbers as a formula may take, and may give.
const MOST: usize = 12;
type Jets<T> = [Jet<T>; MOST];

/// The formula, along one direction and along another.
fn along<T: Real>(
    formula: impl Fn(&Jets<T>) -> Jets<T>,
    x: &[T; MOST],
    a: impl Fn(usize) -> T,
    b: impl Fn(usize) -> T,
) -> Jets<T> {
    formula(&from_fn(|k| Jet {
        x: x[k],
        a: a(k),
        b: b(k),
        ab: T::zero(),
    }))
}

/// The tangent of what a formula gives, along `dx`, added to `dy`.
fn fore<T: Real, D: Listed<T>>(
    formula: impl Fn(&Jets<T>) -> Jets<T>,
    [x, dx]: [&[T; MOST]; 2],
    mut dy: D,
) -> D {
    let jets = along(formula, x, |k| dx[k], |_| T::zero());
    dy.__add_list(&jets.map(|y| y.a));
    dy
}

/// The cotangents of `count` numbers; with a tangent of these, the tangents of the cotangents.
fn back<T: Real>(
    formula: impl Fn(&Jets<T>) -> Jets<T>,
    x: &[T; MOST],
    dx: Option<&[T; MOST]>,
    count: usize,
    dy: &impl Listed<T>,
) -> [T; MOST] {
    let mut seeds = [T::zero(); MOST];
    let seeded = dy.__list(&mut seeds);
    from_fn(|i| {
        if i >= count {
            return T::zero();
        }
        let unit = |k| if k == i { T::one() } else { T::zero() };
        let jets = along(&formula, x, unit, |k| dx.map_or(T::zero(), |dx| dx[k]));
        let parts = jets[..seeded].iter().zip(&seeds);
        parts.fold(T::zero(), |sum, (y, dy)| {
            sum + crate::num::zmul(*dy, if dx.is_some() { y.ab } else { y.a })
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
            pub trait $Trait<T: Real $(, $V: $Bound<T>)?>: Linear<Tangent: Listed<T>> + Copy {
                /// Of the numbers of the arguments, those of the value.
                fn __formula(x: &Jets<T>) -> Jets<T>;
                /// The value.
                fn __make($($b: &$B,)* $($s: $S),*) -> Self;

                /// The numbers of the arguments, and how many.
                fn __listed($($b: &impl Listed<T>,)* $($s: &impl Listed<T>),*) -> ([T; MOST], usize) {
                    let (mut all, mut count) = ([T::zero(); MOST], 0);
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
                            let bars: [T; MOST] = from_fn(|k| one[k] + two[k]);
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
    NewUnit<V: OfUnit> new_normalize(; v: V);
    FromQuaternion from_quaternion(; v: Quaternion<T>);
    NewIsometry new(; v: Vector3<T>, axis: Vector3<T>);
    NewIsometry2 new(; v: Vector2<T>, angle: T);
    OfPartsQuaternion from_parts(; v: Translation<T, 3>, r: UnitQuaternion<T>);
    OfParts from_parts(; v: Translation<T, 3>, r: Rotation3<T>);
    OfParts2 from_parts(; v: Translation<T, 2>, r: Rotation2<T>);
}

/// Three numbers, as a method gives them.
impl<T: Real> Listed<T> for (T, T, T) {
    fn __list(&self, out: &mut [T]) -> usize {
        out[..3].copy_from_slice(&[self.0, self.1, self.2]);
        3
    }
    fn __add_list(&mut self, from: &[T]) -> usize {
        self.0 += from[0];
        self.1 += from[1];
        self.2 += from[2];
        3
    }
}

/// What can be a unit.
pub trait OfUnit<T: Real>:
    Linear<Tangent: Listed<T>> + Listed<T> + Shaped + Copy + ::nalgebra::Normed<Norm = T>
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
    fn __formula(x: &Jets<T>) -> Jets<T> {
        unit(x, V::COUNT)
    }
    #[inline]
    fn __make(v: V) -> Self {
        Unit::new_normalize(v)
    }
}

/// A function of a type by its formula.
macro_rules! formula {
    ($($Trait:ident $a:ty, $name:ident($($b:ident: $B:ty),*; $($s:ident: $S:ty),*), |$x:ident| $y:expr;)*) => {$(
        impl<T: Real> $Trait<T> for $a {
            fn __formula($x: &Jets<T>) -> Jets<T> {
                filled($y)
            }
            #[inline]
            fn __make($($b: &$B,)* $($s: $S),*) -> Self {
                Self::$name($($b,)* $($s),*)
            }
        }
    )*};
}

fn filled<T: Real, const N: usize>(y: [Jet<T>; N]) -> Jets<T> {
    from_fn(|k| y.get(k).copied().unwrap_or(Jet::constant(T::zero())))
}

/// The quaternion of a turn about an axis that is a unit.
fn about<T: Real>(x: &Jets<T>) -> [Jet<T>; 4] {
    let (s, c) = (x[3] * 0.5).sin_cos();
    [x[0] * s, x[1] * s, x[2] * s, c]
}

/// The matrix of the same turn.
fn matrix_about<T: Real>(x: &Jets<T>) -> [Jet<T>; 9] {
    let one = Jet::constant(T::one());
    let ([x, y, z], (s, c)) = ([x[0], x[1], x[2]], x[3].sin_cos());
    let square = |u: Jet<T>| u * u + (one - u * u) * c;
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
fn by_scaled_axis<T: Real>(x: &Jets<T>) -> [Jet<T>; 4] {
    let (c, k) = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).half_turn();
    [x[0] * k, x[1] * k, x[2] * k, c]
}

/// The matrix of a unit quaternion.
fn matrix_of<T: Real>([i, j, k, w]: [Jet<T>; 4]) -> [Jet<T>; 9] {
    let (ww, ii, jj, kk) = (w * w, i * i, j * j, k * k);
    let [ij, ik, jk] = [i * j * 2.0, i * k * 2.0, j * k * 2.0];
    let [wi, wj, wk] = [w * i * 2.0, w * j * 2.0, w * k * 2.0];
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
fn by_euler_angles<T: Real>(x: &Jets<T>) -> [Jet<T>; 4] {
    let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| (x[k] * 0.5).sin_cos());
    [
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
        cr * cp * cy + sr * sp * sy,
    ]
}

/// The matrix of the same turns.
fn matrix_by_euler_angles<T: Real>(x: &Jets<T>) -> [Jet<T>; 9] {
    let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| x[k].sin_cos());
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

/// The matrix of a turn in the plane.
fn in_plane<T: Real>(angle: Jet<T>) -> [Jet<T>; 4] {
    let (s, c) = angle.sin_cos();
    [c, s, -s, c]
}

/// A rotation, and the first numbers behind it.
fn joined<T: Real, const R: usize, const D: usize, const N: usize>(
    rotation: [Jet<T>; R],
    x: &Jets<T>,
) -> [Jet<T>; N] {
    from_fn(|k| if k < R { rotation[k] } else { x[(k - R) % D] })
}

/// The first numbers, divided by their length.
fn unit<T: Real>(x: &Jets<T>, count: usize) -> Jets<T> {
    let zero = Jet::constant(T::zero());
    let square = x[..count].iter().fold(zero, |sum, x| sum + *x * *x);
    let inverse = square.inverse_root();
    from_fn(|k| if k < count { x[k] * inverse } else { zero })
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
    NewByAngle Rotation2<T>, new(; angle: T), |x| in_plane(x[0]);
    FromQuaternion UnitQuaternion<T>, from_quaternion(; v: Quaternion<T>), |x| unit(x, 4);
    NewIsometry Isometry3<T>, new(; v: Vector3<T>, axis: Vector3<T>), |x| {
        joined::<T, 4, 3, 7>(by_scaled_axis(&from_fn(|k| x[(k + 3) % MOST])), x)
    };
    NewIsometry IsometryMatrix3<T>, new(; v: Vector3<T>, axis: Vector3<T>), |x| {
        joined::<T, 9, 3, 12>(matrix_of(by_scaled_axis(&from_fn(|k| x[(k + 3) % MOST]))), x)
    };
    NewIsometry2 IsometryMatrix2<T>, new(; v: Vector2<T>, angle: T), |x| joined::<T, 4, 2, 6>(in_plane(x[2]), x);
    OfPartsQuaternion Isometry3<T>, from_parts(; v: Translation<T, 3>, r: UnitQuaternion<T>), |x| {
        joined::<T, 4, 3, 7>(from_fn(|k| x[k + 3]), x)
    };
    OfParts IsometryMatrix3<T>, from_parts(; v: Translation<T, 3>, r: Rotation3<T>), |x| {
        joined::<T, 9, 3, 12>(from_fn(|k| x[k + 3]), x)
    };
    OfParts2 IsometryMatrix2<T>, from_parts(; v: Translation<T, 2>, r: Rotation2<T>), |x| {
        joined::<T, 4, 2, 6>(from_fn(|k| x[k + 2]), x)
    };
}

/// The numbers of a receiver or of its tangent, and how many.
fn listed<T: Real>(x: &impl Listed<T>) -> ([T; MOST], usize) {
    let mut all = [T::zero(); MOST];
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
fn nearer<T: Real>(x: &Jets<T>) -> [Jet<T>; 4] {
    let sign = if x[3].x < T::zero() { -1.0 } else { 1.0 };
    from_fn(|k| x[k] * sign)
}

fn squares<T: Real>([x, y, z]: [Jet<T>; 3]) -> Jet<T> {
    x * x + y * y + z * z
}

/// The angle of a quaternion.
fn angle_of<T: Real>(q: &Jets<T>) -> Jets<T> {
    let [i, j, k, w] = nearer(q);
    filled([squares([i, j, k]).sqrt().atan2(w) * 2.0])
}

/// The axis of a quaternion, as long as its angle.
fn scaled_axis_of<T: Real>(q: &Jets<T>) -> Jets<T> {
    let [i, j, k, w] = nearer(q);
    let square = squares([i, j, k]);
    let scale = if square.x < lit::<T>(0.1) * w.x * w.x {
        let inverse = w.inverse();
        (square * inverse * inverse).atan_by_root() * inverse * 2.0
    } else {
        let length = square.sqrt();
        length.atan2(w) * length.inverse() * 2.0
    };
    filled([i * scale, j * scale, k * scale])
}

/// The cosine of the angle of a matrix.
fn cosine<T: Real>(m: &Jets<T>) -> Jet<T> {
    (m[0] + m[4] + m[8] - Jet::constant(T::one())) * 0.5
}

/// The axis of a matrix, as long as its angle.
fn scaled_axis_of_matrix<T: Real>(m: &Jets<T>) -> Jets<T> {
    let scale = cosine(m).acos_by_sine() * 0.5;
    filled([
        (m[5] - m[7]) * scale,
        (m[6] - m[2]) * scale,
        (m[1] - m[3]) * scale,
    ])
}

/// The angle of a matrix.
fn angle_of_matrix<T: Real>(m: &Jets<T>) -> Jets<T> {
    let c = cosine(m);
    let sine = (Jet::constant(T::one()) - c * c).sqrt();
    filled([c.acos_by_sine() * sine])
}

/// The angles of turns about three axes of a matrix, of which the one in the middle is no quarter.
fn euler_angles_of<T: Real>(m: &Jets<T>) -> Jets<T> {
    let cosine = (Jet::constant(T::one()) - m[2] * m[2]).sqrt();
    filled([m[5].atan2(m[8]), (-m[2]).atan2(cosine), m[1].atan2(m[0])])
}

method_by_formula! {
    Angle [] UnitQuaternion<T> => T, angle, angle_of;
    Angle [] Rotation3<T> => T, angle, angle_of_matrix;
    Angle [] Rotation2<T> => T, angle, |m: &Jets<T>| filled([m[1].atan2(m[0])]);
    ScaledAxis [] UnitQuaternion<T> => Vector3<T>, scaled_axis, scaled_axis_of;
    ScaledAxis [] Rotation3<T> => Vector3<T>, scaled_axis, scaled_axis_of_matrix;
    EulerAngles [] UnitQuaternion<T> => (T, T, T), euler_angles, |q: &Jets<T>| {
        euler_angles_of(&filled(matrix_of(from_fn(|k| q[k]))))
    };
    EulerAngles [] Rotation3<T> => (T, T, T), euler_angles, euler_angles_of;
}
