//! Bounds of type parameters that are operators, conversions of std, or traits of the user's own, whatever they are called.

use std::ops::{Add, Div, Mul, Neg, Sub};

use autodiff::grad;

use crate::check::near;

#[grad(order = 2)]
fn horner<T: Copy + Add<Output = T> + Mul<Output = T>>(c: &[T], x: T) -> T {
    let mut r = c[c.len() - 1];
    for i in (0..c.len() - 1).rev() {
        r = r * x + c[i];
    }
    r
}

#[grad(order = 2)]
fn lerp<T>(a: T, b: T, t: T) -> T
where
    T: Copy + Add<T, Output = T> + Sub<Output = T> + Mul<T, Output = T>,
{
    a + (b - a) * t
}

#[grad(order = 2)]
fn of_singles<T: From<f32> + Copy + Add<Output = T> + Mul<T, Output = T>>(x: T) -> T {
    x * T::from(2.0) + T::from(1.5) * x * x
}

#[grad(order = 2)]
fn of_doubles<T: From<f64> + Copy + Div<Output = T> + Mul<Output = T> + Neg<Output = T>>(
    x: f64,
    y: T,
) -> T {
    let half: T = 0.5.into();
    -(T::from(x * x) * y * half) / y.clone()
}

#[grad(order = 2)]
fn into_doubles<T: Into<f64> + Copy>(x: T, y: f64) -> f64 {
    let z: f64 = x.into();
    z * z * y
}

#[grad(order = 2)]
fn square<T: Copy + Mul>(x: T) -> <T as Mul>::Output {
    x * x
}

#[grad(order = 2)]
fn product<T>(x: T, y: T) -> T::Output
where
    T: Copy + Mul<T>,
{
    let p: T::Output = x * y;
    p
}

#[grad(order = 2)]
fn of_references<T: Copy + Add<Output = T>>(a: &[T], b: &[T]) -> T
where
    for<'a> &'a T: Mul<&'a T, Output = T>,
{
    let mut s = &a[0] * &b[0];
    for i in 1..a.len() {
        s = s + &a[i] * &b[i];
    }
    s
}

/// Called as this library's is, with methods of other meaning and of names that derivatives use.
trait Float: Copy + Mul<Output = Self> + Add<Output = Self> {
    fn sin(self) -> Self;
    fn half(self) -> Self;
    fn one() -> Self;
    fn blank() -> Self;
    fn shape(&self) -> Self;
    fn accumulate(&mut self);
    fn keep_left(&self) -> Self;
}

impl Float for f64 {
    fn sin(self) -> f64 {
        f64::sin(self)
    }
    fn half(self) -> f64 {
        self / 2.0
    }
    fn one() -> f64 {
        1.0
    }
    fn blank() -> f64 {
        0.25
    }
    fn shape(&self) -> f64 {
        3.0 * self
    }
    fn accumulate(&mut self) {
        *self += 1.0;
    }
    fn keep_left(&self) -> f64 {
        5.0 * self
    }
}

#[grad(order = 2)]
fn with_operators<T: Float>(x: T, #[constant] c: T) -> T {
    x * x + x * c.half() + T::one()
}

#[grad(order = 2)]
fn with_names<T: Float>(x: T, #[constant] c: T) -> T {
    let mut d = c;
    d.accumulate();
    x * x * c.shape() + x * d.keep_left() * T::blank()
}

#[grad(order = 2, assume_std)]
fn assumed<T: Float>(x: T) -> T {
    x.sin() * x + T::sin(x) + Float::sin(x * x)
}

/// Methods that take references.
trait Ordered: Copy + Add<Output = Self> + Mul<Output = Self> {
    fn max(&self, other: &Self) -> Self;
    fn abs(&self) -> Self;
    fn powi(&self, n: i32) -> Self;
}

impl Ordered for f64 {
    fn max(&self, other: &f64) -> f64 {
        f64::max(*self, *other)
    }
    fn abs(&self) -> f64 {
        f64::abs(*self)
    }
    fn powi(&self, n: i32) -> f64 {
        f64::powi(*self, n)
    }
}

#[grad(order = 2, assume_std)]
fn assumed_of_references<T: Ordered>(x: T, y: T) -> T {
    let mut s = x.max(&y) * x.powi(3) + (x + y).abs() * y;
    for z in &[x, y] {
        s = s + z.abs() * z.max(&s);
    }
    s
}

/// Numbers modulo 7, which are no floats.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Mod7(u8);

impl Mul for Mod7 {
    type Output = Mod7;
    fn mul(self, o: Mod7) -> Mod7 {
        Mod7(self.0 * o.0 % 7)
    }
}

impl Add for Mod7 {
    type Output = Mod7;
    fn add(self, o: Mod7) -> Mod7 {
        Mod7((self.0 + o.0) % 7)
    }
}

#[test]
fn operators() {
    check!(horner(shared c = [0.3, -0.4, 1.1], value x = 0.7));
    check_second!(horner(shared c = [0.3, -0.4, 1.1], value x = 0.7));
    check!(lerp(value a = 0.3, value b = -0.4, value t = 0.7));
    check_second!(lerp(value a = 0.3, value b = -0.4, value t = 0.7));
    check!(square(value x = 0.7));
    check_second!(square(value x = 0.7));
    check!(product(value x = 0.7, value y = 0.4));
    check_second!(product(value x = 0.7, value y = 0.4));
    check!(of_references(shared a = [0.3, -0.4], shared b = [0.7, 0.2]));
    check_second!(of_references(shared a = [0.3, -0.4], shared b = [0.7, 0.2]));
    near(&horner::grad(&[1.0, 2.0, 3.0], 0.5).1, &5.0, 1e-15);
}

#[test]
fn conversions() {
    check!(of_singles(value x = 0.7));
    check_second!(of_singles(value x = 0.7));
    check!(of_doubles(value x = 0.7, value y = 0.4));
    check_second!(of_doubles(value x = 0.7, value y = 0.4));
    check!(into_doubles(value x = 0.7, value y = 0.4));
    check_second!(into_doubles(value x = 0.7, value y = 0.4));
    assert_eq!(into_doubles::grad(0.5_f32, 3.0), (3.0, 0.25));
}

#[test]
fn traits_of_the_users_own() {
    check!(with_operators(value x = 0.7, constant c = 0.4));
    check_second!(with_operators(value x = 0.7, constant c = 0.4));
    check!(with_names(value x = 0.7, constant c = 0.4));
    check_second!(with_names(value x = 0.7, constant c = 0.4));
    for (x, y) in [(0.7, 0.4), (-1.3, 0.2)] {
        check!(assumed_of_references(value x = x, value y = y));
        check_second!(assumed_of_references(value x = x, value y = y));
    }
    check!(assumed(value x = 0.7));
    check_second!(assumed(value x = 0.7));
}

#[test]
fn plain_functions_take_what_is_no_float() {
    assert_eq!(horner(&[Mod7(1), Mod7(2), Mod7(3)], Mod7(4)), Mod7(1));
    assert_eq!(square(3_i32), 9);
}
