//! Bounds of `num-traits`: `Float`, its parts, and traits built on them.

use std::iter::Sum;
use std::ops::Mul;

use autodiff::{Differentiable, grad};
use num_traits::float::FloatCore;
use num_traits::{Float, FloatConst, FromPrimitive, Num, NumCast, ToPrimitive, Zero};

use crate::check::near;

#[grad(order = 2)]
fn rosenbrock<T: Float>(x: T, y: T) -> T {
    let one = T::one();
    let hundred = T::from(100.0).unwrap();
    (one - x).powi(2) + hundred * (y - x * x).powi(2)
}

#[grad(order = 2)]
fn horner<T: Zero + Copy + Mul<Output = T>>(c: &[T], x: T) -> T {
    c.iter().rev().fold(T::zero(), |sum, &a| sum * x + a)
}

#[grad(order = 2)]
fn gauss<T: Float + FloatConst>(x: T, mu: T, sigma: T) -> T {
    let two = T::from(2.0).unwrap();
    let z = (x - mu) / sigma;
    (-(z * z) / two).exp() / (sigma * (two * T::PI()).sqrt())
}

/// Called as std's, in the user's words.
trait Real: Float + FromPrimitive {
    fn half() -> Self {
        Self::from_f64(0.5).unwrap()
    }
}
impl Real for f64 {}
impl Real for f32 {}

#[grad(order = 2)]
fn logistic_cdf<T: Real>(x: T) -> T {
    T::half() * (T::one() + (x * T::from_f64(0.8).unwrap()).tanh())
}

#[grad(order = 2)]
fn black_scholes<T: Real>(s: T, k: T, r: T, sigma: T, t: T) -> T {
    let d1 = ((s / k).ln() + (r + T::half() * sigma.powi(2)) * t) / (sigma * t.sqrt());
    let d2 = d1 - sigma * t.sqrt();
    s * logistic_cdf(d1) - k * (-r * t).exp() * logistic_cdf(d2)
}

#[grad(order = 2)]
fn sum_of_squares<T: Float>(xs: &[T]) -> T {
    xs.iter().fold(T::zero(), |a, &x| a + x * x)
}

#[grad(order = 2)]
fn mean<T: Float + Sum>(xs: &[T]) -> T {
    let s: T = xs.iter().map(|&x| x.sin()).sum();
    s / T::from(xs.len()).unwrap()
}

#[grad(order = 2)]
fn log_sum_exp<T>(xs: &[T]) -> T
where
    T: Float + Sum<T>,
{
    let m = xs.iter().copied().fold(T::neg_infinity(), T::max);
    m + xs.iter().map(|&x| (x - m).exp()).sum::<T>().ln()
}

#[grad(order = 2)]
fn smoothstep<T: Float>(a: T, b: T, x: T) -> T {
    let t = ((x - a) / (b - a)).max(T::zero()).min(T::one());
    t * t * (T::from(3.0).unwrap() - T::from(2.0).unwrap() * t)
}

#[grad(order = 2)]
fn by_paths<T: Float>(a: T, b: T) -> T {
    T::max(a, b) * T::sin(a) + Float::cos(a) * num_traits::Float::sqrt(b) + <T as Float>::exp(a)
}

#[grad(order = 2)]
fn distance<T: Float>(a: (T, T), b: [T; 2]) -> T {
    ((a.0 - b[0]).powi(2) + (a.1 - b[1]).powi(2)).sqrt()
}

#[grad(order = 2)]
fn of_references<T>(a: &[T], b: &[T]) -> T
where
    T: Float + Sum,
    for<'a> &'a T: Mul<&'a T, Output = T>,
{
    let s: T = a.iter().zip(b).map(|(x, y)| x * y).sum();
    s.sqrt()
}

#[grad(order = 2)]
fn constants<T: Float + FloatConst + Default + FromPrimitive>(x: T) -> T {
    let a = T::epsilon()
        + T::default()
        + <T as NumCast>::from(2.0).unwrap()
        + T::from_i32(3).expect("small")
        + T::infinity().recip()
        + num_traits::cast::<f64, T>(0.5).unwrap()
        + T::FRAC_PI_2();
    if x < T::zero() || x.is_zero() {
        a
    } else {
        x * a * x + num_traits::zero::<T>() + num_traits::one::<T>()
    }
}

#[grad(order = 2)]
fn steps<T: Float>(x: T) -> T {
    let whole = x.floor();
    (x - whole) * x + x.signum() * x.abs().ln() + (x.trunc() + x.fract()) * x
}

#[grad(order = 2)]
fn several<T: Float, U: Float + Sum>(x: T, ys: &[U]) -> (T, U) {
    let s: U = ys.iter().map(|y| y.powi(2)).sum();
    (x.sin() * x, s.ln())
}

#[grad(order = 2)]
fn loops<T: Float>(x: T, n: usize) -> T {
    let mut y = T::one();
    for i in 0..n {
        let k = T::from(i + 1).unwrap();
        y = y * x / k + (y / k).tanh();
        if y > T::from(100).unwrap() {
            break;
        }
    }
    y
}

#[grad(order = 2)]
fn in_place<T: Float + std::ops::AddAssign + std::ops::MulAssign>(xs: &[T], k: T) -> T {
    let mut s = T::zero();
    for &x in xs {
        let mut t = x;
        t *= k;
        s += t.sin();
    }
    s
}

#[grad(order = 2)]
fn rk4<T: Float>(y: [T; 2], h: T) -> [T; 2] {
    let two = T::one() + T::one();
    let six = two + two + two;
    let f = |y: [T; 2]| [y[1], -y[0].sin()];
    let step = |y: [T; 2], k: [T; 2], h: T| [y[0] + k[0] * h, y[1] + k[1] * h];
    let k1 = f(y);
    let k2 = f(step(y, k1, h / two));
    let k3 = f(step(y, k2, h / two));
    let k4 = f(step(y, k3, h));
    let mut out = y;
    for i in 0..2 {
        out[i] = y[i] + h * (k1[i] + two * k2[i] + two * k3[i] + k4[i]) / six;
    }
    out
}

#[grad(order = 2)]
fn energy<T: Float>(y: [T; 2], h: T) -> T {
    let z = rk4(y, h);
    z[1] * z[1] / (T::one() + T::one()) - z[0].cos()
}

struct Poly<T> {
    c: Vec<T>,
}

#[grad(order = 2)]
impl<T: Float> Poly<T> {
    fn eval(#[constant] &self, x: T) -> T {
        let mut r = T::zero();
        for c in self.c.iter().rev() {
            r = r * x + *c;
        }
        r
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Vec2<T> {
    x: T,
    y: T,
}

#[grad(order = 2)]
impl<T: Float> std::ops::Add for Vec2<T> {
    type Output = Vec2<T>;
    fn add(self, o: Vec2<T>) -> Vec2<T> {
        Vec2 {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}

#[grad(order = 2)]
impl<T: Float> Mul<T> for Vec2<T> {
    type Output = Vec2<T>;
    fn mul(self, k: T) -> Vec2<T> {
        Vec2 {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

#[grad(order = 2)]
impl<T: Float> Vec2<T> {
    fn norm(&self) -> T {
        self.x.hypot(self.y)
    }

    fn dot(self, o: Self) -> T {
        self.x * o.x + self.y * o.y
    }
}

#[grad(order = 2)]
fn of_vectors<T: Float>(x: T, y: T) -> T {
    let a = Vec2 { x, y };
    let b = (a + Vec2 { x: y, y: T::one() }) * x;
    b.norm() + a.dot(b)
}

#[grad(order = 2)]
fn casts<T: Float>(x: f64, y: T) -> f64 {
    let t = T::from(x * x).unwrap() * y;
    t.to_f64().unwrap() * 2.0
}

#[grad(order = 2)]
fn casts_by_other_paths<T: Float, U: Float>(x: T, y: U) -> U {
    let t: U = NumCast::from(x).unwrap();
    t * y + num_traits::cast::<T, U>(x * x).unwrap() + <U as NumCast>::from(x.sin()).expect("fits")
}

#[grad(order = 2)]
fn casts_by_paths<T: Float + FromPrimitive>(x: T, y: f64) -> f64 {
    let z: T = FromPrimitive::from_f64(y * y).unwrap();
    ToPrimitive::to_f64(&(z * x)).unwrap() + <T as ToPrimitive>::to_f64(&x).unwrap() * y
}

#[grad(order = 2)]
fn of_whole_numbers<T: Float>(x: T, y: T) -> T {
    let k = x.floor().to_i32().unwrap();
    y * T::from(k).unwrap() * x
}

/// The part of `Float` that needs no libm, and another trait that has the rest.
trait Halves: FloatCore {
    fn half(self) -> Self;
}
impl Halves for f64 {
    fn half(self) -> f64 {
        self / 2.0
    }
}

#[grad(order = 2)]
fn of_core<T: Halves>(x: T, y: T, #[constant] c: T) -> T {
    let t = x.max(y).clamp(-T::one(), T::one());
    t.powi(3) * y.abs() * c.half() + x.fract() * y.recip() + y.to_radians() * x.floor()
}

#[grad(order = 2)]
fn of_reals<T: num_traits::real::Real>(xs: &[T], y: T) -> T {
    let mut s = y.hypot(T::one());
    for x in xs {
        s = s + x.abs().sqrt() * x.atan2(y) + x.mul_add(y, s).tanh();
    }
    s
}

#[grad(order = 2)]
fn of_products<T: num_traits::MulAdd<Output = T> + Copy>(x: T, y: T) -> T {
    x.mul_add(y, y).mul_add(x, y)
}

#[grad(order = 2)]
fn of_primitives<T: FromPrimitive + Copy + Mul<Output = T>>(x: f64, y: T) -> T {
    T::from_f64(x.sin()).unwrap() * y
}

#[grad(order = 2)]
fn newton<T: Float>(start: T, a: T) -> T {
    let mut x = start;
    let two = T::from(2.0).unwrap();
    for _ in 0..20 {
        let d = (x * x - a) / (two * x);
        x = x - d;
        if d.abs() < T::from(1e-12).unwrap() {
            break;
        }
    }
    x
}

#[grad]
fn midpoints<T: Float>(f: impl Fn(T) -> T, a: T, b: T, n: usize) -> T {
    let h = (b - a) / T::from(n).unwrap();
    let mut s = T::zero();
    for i in 0..n {
        s = s + f(a + h * (T::from(i).unwrap() + T::from(0.5).unwrap()));
    }
    s * h
}

#[grad]
fn of_a_closure(a: f64) -> f64 {
    midpoints(|x: f64| x * x * a, 0.0, a, 8)
}

#[grad(order = 2)]
fn variance<T: Float + Sum<T> + for<'a> Sum<&'a T>>(xs: &[T]) -> T {
    let n = T::from(xs.len()).unwrap();
    let m = xs.iter().sum::<T>() / n;
    xs.iter().map(|&x| (x - m).powi(2)).sum::<T>() / (n - T::one())
}

#[grad]
fn softmax<T: Float + Sum>(xs: &[T]) -> Vec<T> {
    let m = xs.iter().fold(T::neg_infinity(), |a, &b| a.max(b));
    let e: Vec<T> = xs.iter().map(|&x| (x - m).exp()).collect();
    let s: T = e.iter().copied().sum();
    e.into_iter().map(|x| x / s).collect()
}

#[grad(order = 2)]
fn power<T: num_traits::One + Copy + Mul<Output = T>>(x: T, n: usize) -> T {
    let mut y = T::one();
    for _ in 0..n {
        y = y * x;
    }
    y
}

#[grad(dynamic)]
fn dynamic(x: f64, y: f64) -> f64 {
    let mut s = power(x, 3) * y;
    if s > 0.0 {
        s = s * sum_of_squares(&[x, y]);
    }
    s
}

#[test]
fn whole_algorithms() {
    check!(newton(value start = 1.0, value a = 2.0));
    near(
        &newton::grad::<f64>(1.0, 2.0).1,
        &(0.5 / 2.0_f64.sqrt()),
        1e-12,
    );
    check!(of_a_closure(value a = 1.3));
    check!(variance(shared xs = [0.3, -0.4, 1.1]));
    check_second!(variance(shared xs = [0.3, -0.4, 1.1]));
    check_vector!(softmax(shared xs = [0.3, -0.4, 1.1]));
    check!(power(value x = 0.7, constant n = 3));
    check_second!(power(value x = 0.7, constant n = 3));
    check!(dynamic(value x = 0.7, value y = 0.4));
}

#[test]
fn plain_functions_take_complex_numbers() {
    let i = num_complex::Complex::new(0.0, 1.0);
    assert_eq!(power(i, 2), -num_complex::Complex::new(1.0, 0.0));
}

#[test]
fn conversions() {
    check!(casts(value x = 0.3, value y = 0.7));
    check_second!(casts(value x = 0.3, value y = 0.7));
    check!(casts_by_other_paths(value x = 0.3, value y = 0.7));
    check_second!(casts_by_other_paths(value x = 0.3, value y = 0.7));
    check!(of_primitives(value x = 0.3, value y = 0.7));
    check_second!(of_primitives(value x = 0.3, value y = 0.7));
    assert_eq!(casts::grad(3.0, 2.0_f32), (24.0, 18.0));
}

#[test]
fn parts_of_float() {
    check!(casts_by_paths(value x = 0.3, value y = 0.7));
    check_second!(casts_by_paths(value x = 0.3, value y = 0.7));
    check!(of_whole_numbers(value x = 2.3, value y = 0.7));
    check_second!(of_whole_numbers(value x = 2.3, value y = 0.7));
    for (x, y) in [(0.3, 0.7), (-0.4, -1.7), (0.9, -0.2)] {
        check!(of_core(value x = x, value y = y, constant c = 0.6));
        check_second!(of_core(value x = x, value y = y, constant c = 0.6));
    }
    check!(of_reals(shared xs = [0.3, -0.4], value y = 0.7));
    check_second!(of_reals(shared xs = [0.3, -0.4], value y = 0.7));
    check!(of_products(value x = 0.3, value y = 0.7));
    check_second!(of_products(value x = 0.3, value y = 0.7));
    near(
        &of_products::grad(2.0, 3.0),
        &(3.0 * 2.0 * 2.0 + 3.0, 2.0 * 2.0 + 2.0 + 1.0),
        1e-14,
    );
}

#[test]
fn scalars() {
    check!(rosenbrock(value x = 0.3, value y = 0.7));
    check_second!(rosenbrock(value x = 0.3, value y = 0.7));
    check!(rosenbrock(value x = 0.3_f32, value y = 0.7_f32));
    check!(gauss(value x = 0.3, value mu = 0.1, value sigma = 1.2));
    check_second!(gauss(value x = 0.3, value mu = 0.1, value sigma = 1.2));
    check!(black_scholes(value s = 1.1, value k = 0.9, value r = 0.1, value sigma = 0.4, value t = 0.8));
    check_second!(black_scholes(value s = 1.1, value k = 0.9, value r = 0.1, value sigma = 0.4, value t = 0.8));
    for x in [0.3, -0.4, 1.7] {
        check!(smoothstep(value a = 0.1, value b = 1.2, value x = x));
        check!(constants(value x = x));
    }
    check_second!(smoothstep(value a = 0.1, value b = 1.2, value x = 0.3));
    check_second!(constants(value x = 0.3));
    check!(by_paths(value a = 0.3, value b = 0.7));
    check_second!(by_paths(value a = 0.9, value b = 0.7));
    check!(distance(value a = (0.3, 0.4), value b = [1.1, -0.2]));
    check_second!(distance(value a = (0.3, 0.4), value b = [1.1, -0.2]));
    check!(steps(value x = 1.3));
    check_second!(steps(value x = -1.3));
    check!(loops(value x = 1.3, constant n = 4));
    check_second!(loops(value x = 1.3, constant n = 4));
    let exact = |x: f64| -400.0 * x * (0.7 - x * x) - 2.0 * (1.0 - x);
    near(&rosenbrock::grad(0.3, 0.7).0, &exact(0.3), 1e-14);
}

#[test]
fn lists() {
    check!(horner(shared c = [0.3, -0.4, 1.1], value x = 0.7));
    check_second!(horner(shared c = [0.3, -0.4, 1.1], value x = 0.7));
    check!(sum_of_squares(shared xs = [0.3, -0.4, 1.1]));
    check_second!(sum_of_squares(shared xs = [0.3, -0.4, 1.1]));
    check!(mean(shared xs = [0.3, -0.4, 1.1]));
    check_second!(mean(shared xs = [0.3, -0.4, 1.1]));
    check!(log_sum_exp(shared xs = [0.3, -0.4, 1.1]));
    check_second!(log_sum_exp(shared xs = [0.3, -0.4, 1.1]));
    check!(of_references(shared a = [0.3, 0.4], shared b = [0.7, 1.1]));
    check_second!(of_references(shared a = [0.3, 0.4], shared b = [0.7, 1.1]));
    check!(in_place(shared xs = [0.3, 0.4], value k = 0.7));
    check_second!(in_place(shared xs = [0.3, 0.4], value k = 0.7));
    check_vector!(several(value x = 0.3, shared ys = [0.3, 0.4]));
    check_vector!(rk4(value y = [0.3, 0.4], value h = 0.1));
    check!(energy(value y = [0.3, 0.4], value h = 0.1));
    check_second!(energy(value y = [0.3, 0.4], value h = 0.1));
}

#[test]
fn types() {
    check!(of_vectors(value x = 0.3, value y = 0.7));
    check_second!(of_vectors(value x = 0.3, value y = 0.7));
    let p = Poly {
        c: vec![1.0, 2.0, 3.0],
    };
    assert_eq!(p.eval_grad(0.5), 2.0 + 6.0 * 0.5);
}

#[test]
fn on_a_tape() {
    let tape = autodiff::Tape::new();
    let (x, y) = (tape.var(0.3), tape.var(0.7));
    let z = black_scholes::on_tape(x, y, x, y, x) * x;
    let by_hand = {
        let g = black_scholes::grad(0.3, 0.7, 0.3, 0.7, 0.3);
        let f = black_scholes(0.3, 0.7, 0.3, 0.7, 0.3);
        (f + 0.3 * (g.0 + g.2 + g.4), 0.3 * (g.1 + g.3))
    };
    near(&z.backward().wrt((x, y)), &by_hand, 1e-14);
    // The function itself takes variables as well.
    let again = rosenbrock(x, y).backward().wrt((x, y));
    near(&again, &rosenbrock::grad(0.3, 0.7), 1e-14);
}

/// Methods of `num_traits` on numbers that only decide.
#[grad]
fn limited(numerator: f64, denominator: f64) -> f64 {
    use num_traits::{One, Zero};

    let side = match (denominator.is_zero(), numerator > 0.0) {
        (true, true) => return 1.0,
        (true, false) => return -1.0,
        (false, above) => above,
    };
    let slope = numerator / denominator;
    if side && !slope.is_one() && denominator > 0.0 {
        slope * slope
    } else {
        slope.sin()
    }
}

#[test]
fn decisions() {
    check!(limited(value numerator = 0.3, value denominator = 0.7));
    check!(limited(value numerator = -0.3, value denominator = 0.7));
    check!(limited(value numerator = 0.3, value denominator = -0.7));
    assert_eq!(limited::grad(0.5, 0.0), (0.0, 0.0));
}

/// Numbers that need not be floats, and the crate's functions of them.
trait Quantity: PartialOrd + num_traits::Signed + Copy {}
impl<T: PartialOrd + num_traits::Signed + Copy> Quantity for T {}

#[grad(order = 2)]
fn within<T: Quantity>(limit: T, value: T) -> T {
    num_traits::clamp(value, -limit.abs(), limit.abs()) * value
}

/// Two parameters with an operator between them, and the others of `Num`.
#[grad(order = 2)]
fn between<C, Z>(x: C, (x0, x1): (C, C), (z0, z1): (Z, Z)) -> Z
where
    C: Num + Copy + Mul<Z, Output = Z>,
    Z: Num + Copy + Mul<C, Output = Z>,
{
    let t = (x - x0) / (x1 - x0);
    z0 * (C::one() - t) + t * z1 - z0 / (z1 + Z::one())
}

#[grad(order = 2)]
fn of_quantities(x: f64, y: f64, z: f64) -> f64 {
    within(x, y) * within(y, z) + between(z, (x, y * 2.0), (x * y, z))
}

#[test]
fn functions_of_the_crate() {
    for [x, y, z] in [[0.3, 0.7, -0.2], [0.7, 0.3, 0.8], [-0.7, -0.4, -0.5]] {
        check!(of_quantities(value x = x, value y = y, value z = z));
        check_second!(of_quantities(value x = x, value y = y, value z = z));
        check!(within(value limit = x, value value = y));
    }
    let (slope, _, _) = between::grad(0.5, (0.2, 0.9), (1.5, 0.45));
    let expected = (0.45 - 1.5) / (0.9 - 0.2);
    near(&slope, &expected, 1e-14);
}
