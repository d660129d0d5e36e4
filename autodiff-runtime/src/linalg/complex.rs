//! Complex numbers of the crate `num-complex`: derivatives are those of pairs of reals, and so are tangents and cotangents.
//!
//! A holomorphic function has the tangent `f′ dz`, and of a cotangent `d` of its value it makes `f′* d`.

use core::ops::{Index, IndexMut};

use ::num_complex::Complex;
use autodiff_rules::field;

use super::{Arranged, Linear, Tan, binary, constant, constructor, converted, method, row};
use crate::lanes::Width;
use crate::linalg::forms::{Norm, Scale, Unscale};
use crate::num::{Numeric, lit, sdiv, zmul};
use crate::operators::{
    AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivAssignAgain, DivAssignRule,
    DivRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, NegAgain, NegRule, SubAgain,
    SubAssignAgain, SubAssignRule, SubRule,
};
use crate::parts::Field;
use crate::slices::{FieldPath, PairVisitor, Slice, SliceError, SliceMut, SlicePair};
use crate::tangent::{Accumulate, Differentiable, Parameters, Shape, Shaped, Tangent};

/// What generated code imports.
pub mod scope {
    pub use super::forms::scope::*;
    pub use super::{
        Cis as _, FromPolar as _, IsFinite as _, IsInfinite as _, IsNan as _, IsNormal as _,
        New as _,
    };
}

/// The floats of both crates.
pub trait Real: Numeric + ::num_traits::Float {}
impl<T: Numeric + ::num_traits::Float> Real for T {}

impl<T: Numeric> Differentiable for Complex<T> {
    type Tangent = Self;
    #[inline]
    fn zero_tangent(&self) -> Self {
        zero()
    }
    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(&[self.re, self.im], out);
    }
    fn name_scalars(&self, name: &str, out: &mut alloc::vec::Vec<alloc::string::String>) {
        out.extend(["re", "im"].map(|part| alloc::format!("{name}.{part}")));
    }
}

converted! {
    {} [T] T => Complex<T>, |d| d.into(), |dy| dy.re;
}

impl<T: Numeric> Arranged for Complex<T> {}

impl<T: Numeric> Linear for Complex<T> {
    #[inline]
    fn __as_tangent(self) -> Self {
        self
    }
}

impl<T: Numeric> Parameters for Complex<T> {
    fn move_by(&mut self, scale: f64, t: &Self) {
        Tangent::add_scaled(self, scale, t);
    }
    fn read_flat(&mut self, flat: &[f64]) {
        (self.re, self.im) = (lit(flat[0]), lit(flat[1]));
    }
    fn walk_slices(
        &mut self,
        t: Option<&Self>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        let mut pair = [self.re, self.im];
        let slope = t.map(|t| [t.re, t.im]);
        let slope = slope.as_ref().and_then(|slope| T::__as_slice(slope));
        match (T::__as_slice_mut(&mut pair), slope) {
            (Some(SliceMut::F32(x)), Some(Slice::F32(t))) => f(path, SlicePair::F32(x, Some(t))),
            (Some(SliceMut::F64(x)), Some(Slice::F64(t))) => f(path, SlicePair::F64(x, Some(t))),
            (Some(SliceMut::F32(x)), _) => f(path, SlicePair::F32(x, None)),
            (Some(SliceMut::F64(x)), _) => f(path, SlicePair::F64(x, None)),
            (None, _) => unreachable!("floats lie in memory side by side"),
        }
        [self.re, self.im] = pair;
        Ok(())
    }
}

impl<T: Numeric> Tangent for Complex<T> {
    #[inline]
    fn zero_like(&self) -> Self {
        zero()
    }
    #[inline]
    fn __fixed() -> Option<Self> {
        Some(zero())
    }
    #[inline]
    fn add_scaled(&mut self, s: f64, t: &Self) {
        Tangent::add_scaled(&mut self.re, s, &t.re);
        Tangent::add_scaled(&mut self.im, s, &t.im);
    }
    #[inline]
    fn inner(&self, t: &Self) -> f64 {
        Tangent::inner(&self.re, &t.re) + Tangent::inner(&self.im, &t.im)
    }
    fn scalar_count(&self) -> usize {
        2
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        self.re.for_each_scalar(f);
        self.im.for_each_scalar(f);
    }
    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        let mut pair = [self.re, self.im];
        pair.for_each_slice(f);
        [self.re, self.im] = pair;
    }
    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        [self.re, self.im].visit_slices(f);
    }
    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(self, out);
    }
}

/// The shape of a complex number.
#[derive(Clone, Copy, Debug)]
pub struct Alone<T>(core::marker::PhantomData<T>);

impl<T: Numeric> Shape for Alone<T> {
    type Zero = Complex<T>;
    #[inline]
    fn zero(&self) -> Complex<T> {
        zero()
    }
}

impl<T: Numeric> Shaped for Complex<T> {
    type Shape = Alone<T>;
    #[inline]
    fn __shape(&self) -> Alone<T> {
        Alone(core::marker::PhantomData)
    }
}

impl<T: Numeric> Accumulate for Complex<T> {
    #[inline]
    fn __accumulate(&mut self, t: &Self) {
        self.re.__accumulate(&t.re);
        self.im.__accumulate(&t.im);
    }
}

impl<T: Numeric> crate::blank::Blank for Complex<T> {
    #[inline]
    fn __blank() -> Self {
        zero()
    }
}

impl<T: Numeric> crate::fallible::Filled for Complex<T> {
    #[inline]
    fn __filled() -> Self {
        zero()
    }
}

/// The crate's sums and products begin with zero and one, and go on by its operators.
impl<T: Numeric> crate::operators::Accumulated for Complex<T> {}

/// The parts, of tangents whose type cannot be spelled.
macro_rules! parts {
    ($($name:literal $at:ident;)*) => {$(
        impl<T: Numeric, const V: u64> Index<Field<{ field($name) }, V>> for Complex<T> {
            type Output = T;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, V>) -> &T {
                &self.$at
            }
        }
        impl<T: Numeric, const V: u64> IndexMut<Field<{ field($name) }, V>> for Complex<T> {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, V>) -> &mut T {
                &mut self.$at
            }
        }
    )*};
}
parts! {
    "re" re;
    "im" im;
}

#[inline]
fn zero<T: Numeric>() -> Complex<T> {
    Complex::new(lit(0.0), lit(0.0))
}

/// A real number.
#[inline]
fn real<T: Real>(x: T) -> Complex<T> {
    Complex::new(x, T::zero())
}

/// Whether a product of zero and an infinity may be in a sum.
#[inline]
fn is_nan<T: Real>(z: Complex<T>) -> bool {
    z.re.is_nan() || z.im.is_nan()
}

/// `a · b`, in which zeros absorb what is infinite.
#[inline]
fn product<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    let y = a * b;
    if !is_nan(y) {
        return y;
    }
    Complex::new(
        zmul(a.re, b.re) - zmul(a.im, b.im),
        zmul(a.re, b.im) + zmul(a.im, b.re),
    )
}

/// `a · s`, in which zeros absorb what is infinite.
#[inline]
fn times<T: Real>(a: Complex<T>, s: T) -> Complex<T> {
    Complex::new(zmul(a.re, s), zmul(a.im, s))
}

/// The sum of products of the parts, in which zeros absorb what is infinite.
#[inline]
fn dot<T: Real>(a: Complex<T>, b: Complex<T>) -> T {
    zmul(a.re, b.re) + zmul(a.im, b.im)
}

/// `a / b`; a zero stays one, whatever it is divided by, and no square overflows.
#[inline]
fn quotient<T: Real>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    if b.re.abs() >= b.im.abs() {
        let r = sdiv(b.im, b.re);
        let d = b.re + b.im * r;
        Complex::new(sdiv(a.re + zmul(a.im, r), d), sdiv(a.im - zmul(a.re, r), d))
    } else {
        let r = b.re / b.im;
        let d = b.re * r + b.im;
        Complex::new(sdiv(zmul(a.re, r) + a.im, d), sdiv(zmul(a.im, r) - a.re, d))
    }
}

/// `a / s`; a zero stays one, whatever it is divided by.
#[inline]
fn over<T: Real>(a: Complex<T>, s: T) -> Complex<T> {
    Complex::new(sdiv(a.re, s), sdiv(a.im, s))
}

/// Times the imaginary unit.
#[inline]
fn turned<T: Real>(a: Complex<T>) -> Complex<T> {
    Complex::new(-a.im, a.re)
}

constructor!(New new [] Complex<T> where [] (; re: T, im: T;); |d| { re.__accumulate(&d.re); im.__accumulate(&d.im) });

/// A function that makes a complex number of reals: its partials, and the tangents of these along a change of all.
macro_rules! made {
    ($Trait:ident $name:ident($($k:literal $x:ident $d:ident),*); |$y:ident| [$($partial:expr),*]; [$($along:expr),*]) => { pastey::paste! {
        #[doc = concat!("The function `", stringify!($name), "`.")]
        #[allow(clippy::type_complexity, reason = "the forms that generated code calls")]
        pub trait $Trait<T: Real> {
            $(
                /// The zero tangent of an argument.
                #[inline]
                fn [<__zero_ $k _ $name>](_: &T) -> T {
                    lit(0.0)
                }
            )*
            /// The value and its tangent.
            #[inline]
            fn [<__taken_jvp_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>) {
                let $y = Complex::$name($($x),*);
                ($y, zero::<T>() $(+ times($partial, $d))*)
            }
            /// The value and its tangent.
            #[inline]
            fn [<__jvp_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>) {
                Self::[<__taken_jvp_ $name>]($($x,)* $($d),*)
            }
            /// The value and its pullback.
            #[inline]
            fn [<__taken_fwd_ $name>]($($x: T),*) -> (Complex<T>, impl FnOnce(Complex<T>) -> ($(made!(@real $x),)*) + use<Self, T>) {
                let $y = Complex::$name($($x),*);
                ($y, move |seed: Complex<T>| ($(dot($partial, seed),)*))
            }
            /// The value and its pullback.
            #[inline]
            fn [<__fwd_ $name>]($($x: T),*) -> (Complex<T>, impl FnOnce(Complex<T>) -> ($(made!(@real $x),)*) + use<Self, T>) {
                Self::[<__taken_fwd_ $name>]($($x),*)
            }
            /// The value and its pullback, with a place for every argument.
            #[inline]
            fn [<__taken_even_ $name>]($($x: T),*) -> (Complex<T>, impl FnOnce(Complex<T>, $(made!(@unit $x),)* $(made!(@unit $x)),*) -> ($(made!(@real $x),)*) + use<Self, T>) {
                let (y, back) = Self::[<__taken_fwd_ $name>]($($x),*);
                (y, move |seed: Complex<T>, $($x: (),)* $($d: ()),*| {
                    $( let ((), ()) = ($x, $d); )*
                    back(seed)
                })
            }
            /// The value and its pullback, with a place for every argument.
            #[inline]
            fn [<__even_ $name>]($($x: T),*) -> (Complex<T>, impl FnOnce(Complex<T>, $(made!(@unit $x),)* $(made!(@unit $x)),*) -> ($(made!(@real $x),)*) + use<Self, T>) {
                Self::[<__taken_even_ $name>]($($x),*)
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__taken_jvp_fwd_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>, impl FnOnce(Complex<T>, Complex<T>) -> (($(made!(@real $x),)*), ($(made!(@real $x),)*)) + use<Self, T>) {
                let ($y, tangent) = Self::[<__taken_jvp_ $name>]($($x,)* $($d),*);
                ($y, tangent, move |seed: Complex<T>, dot_seed: Complex<T>| {
                    (($(dot($partial, seed),)*), ($(dot($partial, dot_seed) + dot($along, seed),)*))
                })
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__jvp_fwd_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>, impl FnOnce(Complex<T>, Complex<T>) -> (($(made!(@real $x),)*), ($(made!(@real $x),)*)) + use<Self, T>) {
                Self::[<__taken_jvp_fwd_ $name>]($($x,)* $($d),*)
            }
            /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
            #[inline]
            fn [<__taken_jvp_even_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>, impl FnOnce(Complex<T>, Complex<T>, $(made!(@unit $x),)* $(made!(@unit $x),)* $(made!(@unit $x),)* $(made!(@unit $x),)*) -> (($(made!(@real $x),)*), ($(made!(@real $x),)*)) + use<Self, T>) {
                let (y, tangent, back) = Self::[<__taken_jvp_fwd_ $name>]($($x,)* $($d),*);
                (y, tangent, move |seed: Complex<T>, dot_seed: Complex<T>, $($x: (),)* $($d: (),)* $([<to_ $x>]: (),)* $([<to_ $d>]: (),)*| {
                    $( let ((), (), (), ()) = ($x, $d, [<to_ $x>], [<to_ $d>]); )*
                    back(seed, dot_seed)
                })
            }
            /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
            #[inline]
            fn [<__jvp_even_ $name>]($($x: T,)* $($d: T),*) -> (Complex<T>, Complex<T>, impl FnOnce(Complex<T>, Complex<T>, $(made!(@unit $x),)* $(made!(@unit $x),)* $(made!(@unit $x),)* $(made!(@unit $x),)*) -> (($(made!(@real $x),)*), ($(made!(@real $x),)*)) + use<Self, T>) {
                Self::[<__taken_jvp_even_ $name>]($($x,)* $($d),*)
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__taken_each_fwd_ $name>]<const N: usize>($($x: T,)* _: Width<N>, $($d: [T; N]),*) -> (Complex<T>, [Complex<T>; N], impl FnOnce(Complex<T>, [Complex<T>; N]) -> (($(made!(@real $x),)*), ($([made!(@real $x); N],)*)) + use<Self, T, N>) {
                let $y = Complex::$name($($x),*);
                let tangents = core::array::from_fn(|k| zero::<T>() $(+ times($partial, $d[k]))*);
                ($y, tangents, move |seed: Complex<T>, dot_seeds: [Complex<T>; N]| {
                    let mut dots = ($(made!(@zeros $x N),)*);
                    for k in 0..N {
                        $( let $d = $d[k]; )*
                        let each = ($(dot($partial, dot_seeds[k]) + dot($along, seed),)*);
                        $( dots.$k[k] = each.$k; )*
                    }
                    (($(dot($partial, seed),)*), dots)
                })
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__each_fwd_ $name>]<const N: usize>($($x: T,)* width: Width<N>, $($d: [T; N]),*) -> (Complex<T>, [Complex<T>; N], impl FnOnce(Complex<T>, [Complex<T>; N]) -> (($(made!(@real $x),)*), ($([made!(@real $x); N],)*)) + use<Self, T, N>) {
                Self::[<__taken_each_fwd_ $name>]($($x,)* width, $($d),*)
            }
        }
        impl<T: Real> $Trait<T> for Complex<T> {}
    } };
    (@real $x:ident) => { T };
    (@unit $x:ident) => { () };
    (@zeros $x:ident $n:ident) => { [lit::<T>(0.0); $n] };
}
made!(Cis cis(0 phase dp); |y| [turned(y)]; [times(y, -dp)]);
made!(FromPolar from_polar(0 r dr, 1 theta dt); |y| [Complex::cis(theta), turned(y)];
    [times(turned(Complex::cis(theta)), dt), times(turned(Complex::cis(theta)), dr) - times(y, dt)]);

/// Sums, of complex numbers and with reals.
macro_rules! sums {
    ($($op:ident $sign:tt;)*) => {$(
        binary!($op [T: Real] Complex<T>, Complex<T> => Complex<T> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| *d, |(), d| sums!(@ $sign *d);
            fore |_, _, d| *d, |_, _, d| sums!(@ $sign *d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), _| zero(), |(), (), _| zero());
        binary!($op [T: Real] Complex<T>, T => Complex<T> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| *d, |(), d| sums!(@ $sign d.re);
            fore |_, _, d| *d, |_, _, d| real(sums!(@ $sign *d));
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), _| zero(), |(), (), _| lit(0.0));
    )*};
    (@ + $d:expr) => { $d };
    (@ - $d:expr) => { -($d) };
}
sums! { Add +; Sub -; AddAssign +; SubAssign -; }

macro_rules! products {
    ($($op:ident)*) => {$(
        binary!($op [T: Real] Complex<T>, Complex<T> => Complex<T> where [];
            keep [Complex<T>] |_, b| *b, [Complex<T>] |a, _| *a;
            back |b, d| product(*d, b.conj()), |a, d| product(*d, a.conj());
            fore |_, b, d| product(*d, *b), |a, _, d| product(*a, *d);
            dots [Complex<T>] |_, _, _, db| db.copied(), [Complex<T>] |_, _, da, _| da.copied();
            again |_, db, d| product(*d, db.conj()), |_, da, d| product(*d, da.conj()));
        binary!($op [T: Real] Complex<T>, T => Complex<T> where [];
            keep [T] |_, b| *b, [Complex<T>] |a, _| *a;
            back |b, d| times(*d, *b), |a, d| dot(*a, *d);
            fore |_, b, d| times(*d, *b), |a, _, d| times(*a, *d);
            dots [T] |_, _, _, db| db.copied(), [Complex<T>] |_, _, da, _| da.copied();
            again |_, db, d| times(*d, *db), |_, da, d| dot(*da, *d));
    )*};
}
products!(Mul MulAssign);

/// Of quotients, `a / b = y`: the tangent of `y` where both change.
#[inline]
fn quotient_along<T: Real>(
    b: Complex<T>,
    y: Complex<T>,
    da: Option<Complex<T>>,
    db: Option<Complex<T>>,
) -> Complex<T> {
    let of_a = da.map_or_else(zero, |da| quotient(da, b));
    db.map_or(of_a, |db| of_a - product(quotient(db, b), y))
}

/// A quotient whose divisor is complex; of a divisor that is real the derivative has a real part alone.
macro_rules! quotients {
    ($op:ident [$($g:tt)*] $t:ty, $a:ty, |$x:pat_param| $whole:expr, |$dx:pat_param| $left:expr) => {
        binary!($op [$($g)*] $a, Complex<$t> => Complex<$t> where [];
            keep [Complex<$t>] |_, b| *b, [(Complex<$t>, Complex<$t>)] |a, b| (*b, *a / *b);
            back |b, d| { let $dx = quotient(*d, b.conj()); $left }, |(b, y), d| -product(quotient(*d, b.conj()), y.conj());
            fore |_, b, d| { let $x = d; quotient($whole, *b) }, |a, b, d| -product(quotient(*d, *b), *a / *b);
            dots [Complex<$t>] |_, _, _, db| db.copied(), [(Option<Complex<$t>>, Complex<$t>)] |a, b, da, db| (da.is_some() || db.is_some()).then(|| {
                let da = da.map(|$x| $whole);
                (db.copied(), quotient_along(*b, *a / *b, da, db.copied()))
            });
            again |b, db, d| { let $dx = -quotient(product(quotient(*d, b.conj()), db.conj()), b.conj()); $left },
            |(b, y), (db, dy), d| {
                let q = quotient(*d, b.conj());
                let along = db.map_or_else(zero, |db| quotient(product(q, db.conj()), b.conj()));
                product(along, y.conj()) - product(q, dy.conj())
            });
    };
}
quotients!(Div [T: Real] T, Complex<T>, |a| *a, |d| d);
quotients!(DivAssign [T: Real] T, Complex<T>, |a| *a, |d| d);

macro_rules! shrunk {
    ($($op:ident)*) => {$(
        binary!($op [T: Real] Complex<T>, T => Complex<T> where [];
            keep [T] |_, b| *b, [(Complex<T>, T)] |a, b| (*a / *b, *b);
            back |b, d| over(*d, *b), |(y, b), d| -dot(over(*d, *b), *y);
            fore |_, b, d| over(*d, *b), |a, b, d| -times(*a / *b, sdiv(*d, *b));
            dots [T] |_, _, _, db| db.copied(), [(Complex<T>, Option<T>)] |a, b, da, db| (da.is_some() || db.is_some()).then(|| {
                let of_a = da.map_or_else(zero, |da| over(*da, *b));
                (db.map_or(of_a, |db| of_a - times(*a / *b, sdiv(*db, *b))), db.copied())
            });
            again |b, db, d| -times(over(*d, *b), sdiv(*db, *b)),
            |(y, b), (dy, db), d| {
                let q = over(*d, *b);
                db.map_or_else(|| lit(0.0), |db| dot(times(q, sdiv(db, *b)), *y)) - dot(q, *dy)
            });
    )*};
}
shrunk!(Div DivAssign);

// A real on the left: each type of numbers for itself, as the crate has them.
macro_rules! reals {
    ($($t:ident)*) => {$(
        reals!(@ $t Add +);
        reals!(@ $t Sub -);
        binary!(Mul [] $t, Complex<$t> => Complex<$t> where [];
            keep [Complex<$t>] |_, b| *b, [$t] |a, _| *a;
            back |b, d| dot(*b, *d), |a, d| times(*d, *a);
            fore |_, b, d| times(*b, *d), |a, _, d| times(*d, *a);
            dots [Complex<$t>] |_, _, _, db| db.copied(), [$t] |_, _, da, _| da.copied();
            again |_, db, d| dot(*db, *d), |_, da, d| times(*d, *da));
    )*};
    (@ $t:ident $op:ident $sign:tt) => {
        binary!($op [] $t, Complex<$t> => Complex<$t> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.re, |(), d| sums!(@ $sign *d);
            fore |_, _, d| real(*d), |_, _, d| sums!(@ $sign *d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), _| 0.0, |(), (), _| zero());
    };
}
reals!(f32 f64);
quotients!(Div [] f32, f32, |a| real(*a), |d| d.re);
quotients!(Div [] f64, f64, |a| real(*a), |d| d.re);

impl<T: Real, const L: bool> NegRule<L> for Complex<T> {
    type Result = Self;
    type Left = ();
    #[inline]
    fn __keep_left(&self) {}
    #[inline]
    fn back_left((): (), dy: &Self) -> Self {
        -*dy
    }
    #[inline]
    fn __fore_left(&self, da: &Self) -> Self {
        -*da
    }
}

impl<T: Real, const L: bool> NegAgain<L> for Complex<T> {
    type LeftDot = ();
    #[inline]
    fn __dot_keep_left(&self, _: Option<&Self>) {}
    #[inline]
    fn dot_left((): (), _: Option<()>, _: &Self, ddy: Option<&Self>) -> Self {
        ddy.map_or_else(zero, |ddy| -*ddy)
    }
}

/// The methods that only these numbers have.
pub mod forms {
    use super::{Differentiable, Tan};

    super::method! {
        NormSqr norm_sqr(;);
        L1Norm l1_norm(;);
        Arg arg(;);
        ToPolar to_polar(;);
        Conj conj(;);
        Inv inv(;);
        Finv finv(;);
        Exp exp(;);
        Exp2 exp2(;);
        Ln ln(;);
        Log2 log2(;);
        Log10 log10(;);
        Sqrt sqrt(;);
        Cbrt cbrt(;);
        Sin sin(;);
        Cos cos(;);
        Tangens tan(;);
        Asin asin(;);
        Acos acos(;);
        Atan atan(;);
        Sinh sinh(;);
        Cosh cosh(;);
        Tanh tanh(;);
        Asinh asinh(;);
        Acosh acosh(;);
        Atanh atanh(;);
        Powi powi(; n: I);
        Powu powu(; n: I);
        Powf powf(; s: S);
        Powc powc(; s: S);
        Fdiv fdiv(; s: S);
    }
}
use forms::{
    Acos, Acosh, Arg, Asin, Asinh, Atan, Atanh, Cbrt, Conj, Cos, Cosh, Exp, Exp2, Fdiv, Finv, Inv,
    L1Norm, Ln, Log2, Log10, NormSqr, Powc, Powf, Powi, Powu, Sin, Sinh, Sqrt, Tangens, Tanh,
    ToPolar,
};

/// Functions of one complex number, of which `y` is the value: the derivative, and the second one.
macro_rules! holomorphic {
    ($bounds:tt $($Trait:ident $name:ident |$z:ident, $y:ident| $slope:expr, $bend:expr;)*) => {
        $(holomorphic!(@ $bounds $Trait $name |$z, $y| $slope, $bend);)*
    };
    (@ [$($bounds:tt)*] $Trait:ident $name:ident |$z:ident, $y:ident| $slope:expr, $bend:expr) => {
        row!($Trait [T: $($bounds)*] Complex<T>, (), () => Complex<T>, Complex<T>, where [];
            |z| { let y = z.$name(); (y, y) };
            |&$z, &$y, dz| { let _ = ($z, $y); product($slope, *dz) };
            |&$z, &$y, d, to| { let _ = ($z, $y); to.__accumulate(&product(($slope).conj(), *d)) };
            |&$z, &$y, dz, d, to| { let _ = ($z, $y); to.__accumulate(&product(product($bend, *dz).conj(), *d)) });
    };
}
holomorphic! {
    [Real]
    Inv inv |z, y| -product(y, y), times(product(y, product(y, y)), lit(2.0));
    Finv finv |z, y| -product(y, y), times(product(y, product(y, y)), lit(2.0));
    Exp exp |z, y| y, y;
    Ln ln |z, y| one_over(z), -one_over(z * z);
    Sqrt sqrt |z, y| one_over(y + y), -one_over(z * y * lit::<T>(4.0));
    Cbrt cbrt |z, y| quotient(y, z * lit::<T>(3.0)), quotient(y * lit::<T>(-2.0), z * z * lit::<T>(9.0));
    Sin sin |z, y| z.cos(), -y;
    Cos cos |z, y| -z.sin(), -y;
    Tangens tan |z, y| squared(one_over(z.cos())), y * squared(one_over(z.cos())) * lit::<T>(2.0);
    Sinh sinh |z, y| z.cosh(), y;
    Cosh cosh |z, y| z.sinh(), y;
    Tanh tanh |z, y| squared(one_over(z.cosh())), y * squared(one_over(z.cosh())) * lit::<T>(-2.0);
    Asin asin |z, y| one_over(arm(z)), quotient(z, arm(z) * arm(z) * arm(z));
    Acos acos |z, y| -one_over(arm(z)), -quotient(z, arm(z) * arm(z) * arm(z));
    Atan atan |z, y| one_over(one_plus_square(z)), -quotient(z + z, squared(one_plus_square(z)));
    Asinh asinh |z, y| one_over(arm(turned(z))), -quotient(z, arm(turned(z)) * arm(turned(z)) * arm(turned(z)));
    Acosh acosh |z, y| one_over(beam(z)), -quotient(z, beam(z) * beam(z) * beam(z));
    Atanh atanh |z, y| one_over(one_plus_square(turned(z))), quotient(z + z, squared(one_plus_square(turned(z))));
}
holomorphic! {
    [Real + ::num_traits::FloatConst]
    Exp2 exp2 |z, y| y * T::LN_2(), y * (T::LN_2() * T::LN_2());
    Log2 log2 |z, y| one_over(z * T::LN_2()), -one_over(z * z * T::LN_2());
    Log10 log10 |z, y| one_over(z * T::LN_10()), -one_over(z * z * T::LN_10());
}

#[inline]
fn one_over<T: Real>(z: Complex<T>) -> Complex<T> {
    quotient(real(T::one()), z)
}

#[inline]
fn squared<T: Real>(z: Complex<T>) -> Complex<T> {
    z * z
}

/// `1 + z²`, without a loss of digits near its zeros.
#[inline]
fn one_plus_square<T: Real>(z: Complex<T>) -> Complex<T> {
    let i = Complex::i();
    (z + i) * (z - i)
}

/// `√(1 − z²)`, with the cuts of the arc sine.
#[inline]
fn arm<T: Real>(z: Complex<T>) -> Complex<T> {
    (real(T::one()) - z).sqrt() * (z + T::one()).sqrt()
}

/// `√(z² − 1)`, with the cut of the area hyperbolic cosine.
#[inline]
fn beam<T: Real>(z: Complex<T>) -> Complex<T> {
    (z - T::one()).sqrt() * (z + T::one()).sqrt()
}

/// Powers, by the exponent as well: the partials by base and exponent, and the second ones by base, by both, and by the exponent.
macro_rules! powers {
    ($($Trait:ident $name:ident $s:ty, |$d:pat_param| $as_complex:expr, |$bar:pat_param| $of_exponent:expr;)*) => {$(
        row!($Trait [T: Real] Complex<T>, (), (s: $s) => Complex<T>, Complex<T>, where [];
            |z, s| { let y = z.$name(*s); (y, y) };
            |&z, &s, &y, dz, $d| {
                let p = z.$name(s - T::one()) * s;
                product(p, *dz) + product(by_exponent(z, y), $as_complex)
            };
            |&z, &s, &y, d, to_z, to_s| {
                let p = z.$name(s - T::one()) * s;
                to_z.__accumulate(&product(p.conj(), *d));
                let $bar = product(by_exponent(z, y).conj(), *d);
                to_s.__accumulate(&$of_exponent);
            };
            |&z, &s, &y, dz, $d, d, to_z, to_s| {
                let (one, ds) = (T::one(), $as_complex);
                let zz = z.$name(s - (one + one)) * (s * (s - one));
                let below = z.$name(s - one);
                let zs = below + by_exponent(z, below) * s;
                let ss = by_exponent(z, by_exponent(z, y));
                to_z.__accumulate(&product((product(zz, *dz) + product(zs, ds)).conj(), *d));
                let $bar = product((product(zs, *dz) + product(ss, ds)).conj(), *d);
                to_s.__accumulate(&$of_exponent);
            });
    )*};
}
powers! {
    Powf powf T, |d| real(*d), |bar| bar.re;
    Powc powc Complex<T>, |d| *d, |bar| bar;
}

/// `y ln z`, of a power `y` of `z`: zero where that is zero.
#[inline]
fn by_exponent<T: Real>(z: Complex<T>, y: Complex<T>) -> Complex<T> {
    if z.re == T::zero() && z.im == T::zero() {
        return zero();
    }
    product(y, z.ln())
}

/// Powers by an integer, which has no derivative.
macro_rules! integer_powers {
    ($($Trait:ident $name:ident $n:ident;)*) => {$(
        row!($Trait [T: Real] Complex<T>, (), (n: $n) => Complex<T>, (), where [];
            |z, n| (z.$name(*n), ());
            |z, n, (), dz, ()| product(slope_of_power(*n, |n| z.$name(n)), *dz);
            |z, n, (), d, to, ()| to.__accumulate(&product(slope_of_power(*n, |n| z.$name(n)).conj(), *d));
            |z, n, (), dz, (), d, to, ()| {
                let bend = slope_of_power(n.saturating_sub(1), |n| z.$name(n)) * lit::<T>(f64::from(*n));
                to.__accumulate(&product(product(bend, *dz).conj(), *d));
            });
    )*};
}
integer_powers! {
    Powi powi i32;
    Powu powu u32;
}

/// `n zⁿ⁻¹`, zero for `n = 0`.
#[inline]
fn slope_of_power<T: Real, N: num_traits::PrimInt + num_traits::Saturating + Into<f64>>(
    n: N,
    power: impl Fn(N) -> Complex<T>,
) -> Complex<T> {
    if n.is_zero() {
        return zero();
    }
    power(n.saturating_sub(N::one())) * lit::<T>(n.into())
}

row!(Fdiv [T: Real] Complex<T>, (), (s: Complex<T>) => Complex<T>, Complex<T>, where [];
|a, b| { let y = a.fdiv(*b); (y, y) };
|_, &b, &y, da, db| quotient_along(b, y, Some(*da), Some(*db));
|_, &b, &y, d, to_a, to_b| {
    let q = quotient(*d, b.conj());
    to_a.__accumulate(&q);
    to_b.__accumulate(&(-product(q, y.conj())));
};
|_, &b, &y, da, db, d, to_a, to_b| {
    let q = quotient(*d, b.conj());
    let along = quotient(product(q, db.conj()), b.conj());
    to_a.__accumulate(&(-along));
    let dy = quotient_along(b, y, Some(*da), Some(*db));
    to_b.__accumulate(&(product(along, y.conj()) - product(q, dy.conj())));
});

row!(Conj [T: Real] Complex<T>, (), () => Complex<T>, (), where [];
    |z| (z.conj(), ());
    |_, (), dz| dz.conj();
    |_, (), d, to| to.__accumulate(&d.conj());
    |_, (), _, _, _| ());

row!(Scale [T: Real] Complex<T>, (), (s: T) => Complex<T>, (), where [];
    |z, s| (z.scale(*s), ());
    |z, s, (), dz, ds| times(*dz, *s) + times(*z, *ds);
    |z, s, (), d, to_z, to_s| { to_z.__accumulate(&times(*d, *s)); to_s.__accumulate(&(dot(*z, *d))) };
    |_, _, (), dz, ds, d, to_z, to_s| { to_z.__accumulate(&times(*d, *ds)); to_s.__accumulate(&(dot(*dz, *d))) });

row!(Unscale [T: Real] Complex<T>, (), (s: T) => Complex<T>, Complex<T>, where [];
|z, s| { let y = z.unscale(*s); (y, y) };
|_, &s, &y, dz, &ds| over(*dz, s) - times(y, sdiv(ds, s));
|_, &s, &y, d, to_z, to_s| { let q = over(*d, s); to_z.__accumulate(&q); to_s.__accumulate(&(-dot(q, y))) };
|_, &s, &y, dz, &ds, d, to_z, to_s| {
    let (q, dy) = (over(*d, s), over(*dz, s) - times(y, sdiv(ds, s)));
    let along = times(q, sdiv(ds, s));
    to_z.__accumulate(&(-along));
    to_s.__accumulate(&(dot(along, y) - dot(q, dy)));
});

row!(Norm [T: Real] Complex<T>, (), () => T, T, where [];
    |z| { let n = z.norm(); (n, n) };
    |&z, &n, dz| dot(over(z, n), *dz);
    |&z, &n, d, to| to.__accumulate(&times(over(z, n), *d));
    |&z, &n, dz, d, to| to.__accumulate(&direction_along(z, n, *dz, *d)));

/// The tangent of the slope of the absolute value, `d · z / n`.
#[inline]
fn direction_along<T: Real>(z: Complex<T>, n: T, dz: Complex<T>, d: T) -> Complex<T> {
    let unit = over(z, n);
    times(over(dz - times(unit, dot(unit, dz)), n), d)
}

row!(NormSqr [T: Real] Complex<T>, (), () => T, (), where [];
    |z| (z.norm_sqr(), ());
    |z, (), dz| { let t = dot(*z, *dz); t + t };
    |z, (), d, to| to.__accumulate(&times(*z, *d + *d));
    |_, (), dz, d, to| to.__accumulate(&times(*dz, *d + *d)));

row!(L1Norm [T: Real + ::num_traits::Signed] Complex<T>, (), () => T, (), where [];
    |z| (z.l1_norm(), ());
    |z, (), dz| dot(signs(*z), *dz);
    |z, (), d, to| to.__accumulate(&times(signs(*z), *d));
    |_, (), _, _, _| ());

/// The slope of the sum of absolute values: zero at zero.
#[inline]
fn signs<T: Real>(z: Complex<T>) -> Complex<T> {
    let sign = |x: T| if x == T::zero() { x } else { x.signum() };
    Complex::new(sign(z.re), sign(z.im))
}

/// The slope of the argument.
#[inline]
fn around<T: Real>(z: Complex<T>) -> Complex<T> {
    quotient(Complex::i(), z.conj())
}

/// Its tangent.
#[inline]
fn around_along<T: Real>(z: Complex<T>, dz: Complex<T>) -> Complex<T> {
    -product(quotient(dz.conj(), z.conj()), around(z))
}

row!(Arg [T: Real] Complex<T>, (), () => T, (), where [];
    |z| (z.arg(), ());
    |z, (), dz| dot(around(*z), *dz);
    |z, (), d, to| to.__accumulate(&times(around(*z), *d));
    |z, (), dz, d, to| to.__accumulate(&times(around_along(*z, *dz), *d)));

row!(ToPolar [T: Real] Complex<T>, (), () => (T, T), T, where [];
    |z| { let y = z.to_polar(); (y, y.0) };
    |&z, &n, dz| (dot(over(z, n), *dz), dot(around(z), *dz));
    |&z, &n, d, to| to.__accumulate(&(times(over(z, n), d.0) + times(around(z), d.1)));
    |&z, &n, dz, d, to| to.__accumulate(&(direction_along(z, n, *dz, d.0) + times(around_along(z, *dz), d.1))));

constant! {
    [T: Real + ::num_traits::float::FloatCore] Complex<T> where [];
    IsNan is_nan -> bool;
    IsFinite is_finite -> bool;
    IsInfinite is_infinite -> bool;
    IsNormal is_normal -> bool;
}
