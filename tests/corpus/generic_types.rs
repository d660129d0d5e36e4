//! Functions generic in their float, with the bounds that people write.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

/// Arithmetic and constants, as many crates declare them for themselves.
trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + PartialOrd
{
    fn one() -> Self;
    fn two() -> Self {
        Self::one() + Self::one()
    }
}

impl Real for f64 {
    fn one() -> Self {
        1.0
    }
}

impl Real for f32 {
    fn one() -> Self {
        1.0
    }
}

#[grad]
fn rational<T: Real>(x: T, y: T) -> T {
    let two = T::one() + T::one();
    let d = T::one() + x * x;
    (x * y - two) / d + -(y * y * x)
}

/// No more than this function needs, which is less than its derivative does.
#[grad]
fn only_products<T>(x: T, y: T) -> T
where
    T: Clone + Mul<Output = T>,
{
    x.clone() * y * x
}

#[grad]
fn only_division<T: Copy + Div<Output = T>>(x: T, y: T) -> T {
    x / y / y
}

#[grad]
fn polynomial<T: Float>(x: T, coefficients: &[T]) -> T {
    let mut y = T::ZERO;
    for k in 0..coefficients.len() {
        y = y * x + coefficients[k];
    }
    y
}

#[grad]
fn smooth<T: Float>(x: T, y: T) -> T {
    let h = x.hypot(y).sin_cos();
    h.0 * T::from_f64(0.5) + (x * y).tanh().max(h.1) + x.powi(3) % y - T::sqrt(x * x + T::ONE)
}

#[grad]
fn branches<T: Float>(x: T, y: T) -> T {
    let mut z = if x > y { x * x } else { y.exp() * x };
    match z < T::ZERO {
        true => z = -z,
        false => z *= x,
    }
    z - T::from_f64(0.25)
}

#[grad]
fn sums_and_products<T: Float>(xs: &[T]) -> T {
    let mut sum = T::ZERO;
    let mut product = T::ONE;
    for x in xs {
        sum += *x * *x;
        product *= *x + sum;
    }
    sum.ln() + product
}

#[grad]
fn stencil<T: Float + Default, const N: usize>(start: [T; N], k: T) -> T {
    let mut a = start;
    for _ in 0..3 {
        for i in 1..N - 1 {
            a[i] = a[i - 1] * k + a[i] * a[i + 1];
        }
        a[0] -= a[N - 1] * k;
    }
    let mut s = T::default();
    for i in 0..N {
        s += a[i] * a[i];
    }
    s
}

#[grad]
fn relax<T: Copy + Mul<Output = T> + AddAssign>(u: &mut [T], rate: T) {
    for i in 1..u.len() {
        u[i] += u[i - 1] * rate;
        u[i - 1] = u[i] * u[i - 1];
    }
}

#[grad]
fn relaxed<T: Float>(x: T, rate: T) -> T {
    let mut u = vec![x, x * rate, T::from_f64(0.7)];
    relax(&mut u, rate);
    relax(&mut u[1..], x);
    u[0] + u[1] * u[2]
}

#[grad]
fn calls<T: Float + Real>(x: T, y: T) -> T {
    rational(x, y * y) + only_products::<T>(x, y) * polynomial(y, &[x, T::ONE, y])
}

#[grad]
fn from_concrete(x: f64, y: f32) -> f64 {
    let z = rational::<f64>(x, x * x) + smooth(x, 0.5);
    let w = rational(y, y * 0.5) * smooth::<f32>(y, 1.5);
    z * f64::from(w)
}

#[grad]
fn two_types<A: Float, B: Float>(x: A, y: B, w: f64) -> A {
    let t = y * y + B::from_f64(0.5);
    let wide = t.to_f64() * w;
    x * A::from_f64(wide * wide) + A::from_f64(w)
}

#[grad]
fn pair<T: Real>(x: T, y: T) -> (T, [T; 2]) {
    let s = x + y;
    (s * s, [x / y, T::two()])
}

#[grad]
fn vector<T: Real>(xs: &[T], k: T) -> Vec<T> {
    let mut out = xs.to_vec();
    for i in 0..out.len() {
        out[i] = out[i] * k + xs[0];
    }
    out
}

#[grad]
fn rows<T: Float>(m: &[[T; 2]; 2], v: (T, T)) -> T {
    let mut s = T::ZERO;
    for row in m {
        s += row[0] * v.0 - row[1] * v.1;
    }
    s * v.0
}

#[grad]
fn recursive<T: Float>(x: T, n: u32) -> T {
    if n == 0 {
        x
    } else {
        recursive(x * x, n - 1).sin() + x
    }
}

/// The operators of references are all there is.
#[grad]
fn by_reference<T>(x: T, y: T) -> T
where
    T: Clone,
    for<'a> &'a T: Mul<&'a T, Output = T> + Sub<&'a T, Output = T>,
{
    let z = &x * &y;
    &z - &(&z * &x)
}

/// Of a type that is said: rustc does not find it where a crate has such operators for its matrices of any numbers.
#[grad]
fn by_reference_of_doubles(x: f64, y: f64) -> f64 {
    by_reference::<f64>(x, y)
}

trait Shift {
    fn shift(&self) -> usize;
}

impl Shift for u8 {
    fn shift(&self) -> usize {
        usize::from(*self)
    }
}

/// A type parameter that is no float.
#[grad]
fn other_parameters<'a, T: Real, S: Shift>(xs: &'a [T], #[constant] s: &S) -> T {
    xs[s.shift()] * xs[0]
}

#[grad(wrt(x))]
fn constant_of_the_type<T: Real>(x: T, k: T, ks: &[T]) -> T {
    x * k * ks[0] + ks[1] * x * x
}

#[grad(verify)]
fn verified<T: Float>(xs: &[T]) -> T {
    let mut a = xs.to_vec();
    let mut s = T::ONE;
    for i in 0..a.len() {
        a[i] = a[i] * s.cos();
        s = s * a[i] + xs[i];
    }
    s * a[0]
}

#[test]
fn with_bounds_of_the_user() {
    check!(rational(value x = 0.7, value y = -0.4));
    check!(rational(value x = 0.7_f32, value y = -0.4_f32));
    check!(only_products(value x = 0.7, value y = -0.4));
    check!(only_division(value x = 0.7, value y = -0.4));
    check!(by_reference_of_doubles(value x = 0.7, value y = -0.4));
    near(&by_reference::grad::<f64>(0.7, -0.4), &(0.16, 0.21), 1e-15);
    near(&rational::grad::<f64>(0.5, 1.0), &(0.76, -0.6), 1e-15);
}

#[test]
fn with_the_methods_of_floats() {
    check!(polynomial(value x = 0.7, shared coefficients = [0.3, -0.4, 1.2]));
    check!(smooth(value x = 0.7, value y = -0.4));
    check!(smooth(value x = 0.7_f32, value y = -0.4_f32));
    check!(branches(value x = 0.7, value y = -0.4));
    check!(branches(value x = -0.7, value y = 0.4));
}

#[test]
fn with_memory() {
    check!(sums_and_products(shared xs = [0.7, 1.4, 0.2]));
    check!(sums_and_products(shared xs = [0.7_f32, 1.4, 0.2]));
    check!(stencil(value start = [0.7, -0.4, 1.2, 0.3], value k = 0.6));
    check!(relaxed(value x = 0.7, value rate = 0.4));
    check!(verified(shared xs = [0.7, 1.4, 0.2]));
}

#[test]
fn called_and_calling() {
    check!(calls(value x = 0.7, value y = -0.4));
    let (value, slope) = from_concrete::jvp(0.7, -0.4, (0.3, 0.9));
    let (same, (x, y)) = from_concrete::vjp(0.7, -0.4, 1.0);
    assert_eq!(value, same);
    near(&(x * 0.3 + f64::from(y) * 0.9), &slope, 1e-6);
    let difference = from_concrete(0.701, -0.397) - from_concrete(0.699, -0.403);
    near(&(difference / 0.002), &(x + 3.0 * f64::from(y)), 1e-3);
    check!(recursive(value x = 0.7, constant n = 3));
}

#[test]
fn of_two_types() {
    check!(two_types(value x = 0.7, value y = -0.4, value w = 1.2));
}

#[test]
fn with_compound_results() {
    check_vector!(pair(value x = 0.7, value y = -0.4));
    check_vector!(vector(shared xs = [0.7, -0.4], value k = 1.3));
    check!(rows(shared m = [[0.7, -0.4], [1.2, 0.3]], value v = (0.5, 0.9)));
    let matrix = pair::jacobian(0.5_f32, 1.0);
    assert_eq!(matrix.as_slice(), [3.0, 3.0, 1.0, -0.5, 0.0, 0.0]);
}

#[test]
fn with_parameters_that_are_constants() {
    check!(other_parameters(shared xs = [0.7, -0.4], constant s = &1_u8));
    near(
        &constant_of_the_type::grad(0.5, 2.0, &[3.0, 4.0]),
        &10.0,
        0.0,
    );
    near(
        &constant_of_the_type::jvp(0.5, 2.0, &[3.0, 4.0], 1.0).1,
        &10.0,
        0.0,
    );
}

#[derive(Clone, Copy, Differentiable)]
struct Colour<T> {
    r: T,
    g: T,
}

#[grad]
impl<T: Float> Colour<T> {
    fn root(self) -> Colour<T> {
        Colour {
            r: self.r.sqrt(),
            g: self.g,
        }
    }

    fn lightness(self) -> T {
        let [f, h] = [self.r, self.g].map(|t| if t > T::ONE { t.cbrt() } else { t });
        f * h
    }
}

#[grad]
fn of_fields_alone(x: f64, y: f64) -> f64 {
    let c = Colour { r: x, g: y }.root();
    c.lightness() * c.r + Colour { r: y * 2.0, g: x }.lightness()
}

#[test]
fn where_only_the_block_names_the_parameter() {
    check!(of_fields_alone(value x = 0.7, value y = 0.4));
    check!(of_fields_alone(value x = 2.3, value y = 1.2));
}

/// The types say themselves what their numbers are.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Bounded<T: Float> {
    x: T,
    y: T,
}

#[derive(Clone, Debug, Differentiable)]
struct Row<T, const N: usize>
where
    T: Float,
{
    xs: [T; N],
}

#[grad(order = 2)]
impl<T: Float> Bounded<T> {
    fn product(self) -> T {
        self.x * self.y
    }
    fn power(self, n: u32, halved: bool) -> T {
        let mut p = T::ONE;
        for _ in 0..n {
            p = p * self.x;
        }
        if halved { p * T::from_f64(0.5) } else { p }
    }
    fn exp(self) -> Self {
        Bounded {
            x: self.x.exp(),
            y: self.y * self.x,
        }
    }
}

#[grad(order = 2)]
fn of_bounded<T: Float>(p: Bounded<T>, x: T) -> T {
    p.x * x * x + p.product()
}

#[grad(order = 2)]
fn of_rows<'a, T: Float, const N: usize>(row: &'a Row<T, N>, all: &[Bounded<T>], x: T) -> T
where
    T: core::fmt::Debug,
{
    let mut s = x;
    for (a, p) in row.xs.iter().zip(all) {
        s += *a * of_bounded(*p, x);
    }
    s
}

#[grad(order = 2)]
fn bounded(x: f64, y: f64) -> f64 {
    let p = Bounded { x, y };
    let row = Row { xs: [x, y, x * y] };
    // What these are generic in, the integers do not say.
    let power = Bounded::power(p, 3, false) + Bounded::power(p, 2, true);
    let q = Bounded::exp(p);
    of_rows(&row, &[p, p], y) * of_bounded(p, x) + power * Bounded::exp(q).exp().product()
}

#[test]
fn types_with_bounds() {
    check!(bounded(value x = 0.7, value y = -0.4));
    check_second!(bounded(value x = 0.7, value y = -0.4));
    let gradient = of_bounded::grad(Bounded { x: 0.5_f32, y: 2.0 }, 3.0);
    assert_eq!((gradient.0.x, gradient.0.y, gradient.1), (11.0, 0.5, 3.0));
}
