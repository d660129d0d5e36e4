//! Floats by another name, whose functions are called by that: `Real::max(x, y)`.

use autodiff::{Differentiable, grad};

type Real = f64;
type Scalar = f32;
type Num = f64;

mod units {
    pub(crate) type Float = f64;
}

#[grad]
fn like_a_trait(x: Real, y: Real) -> Real {
    Real::max(x, y) * Real::sin(x) + Real::powi(y, 2)
}

#[grad]
fn of_single_precision(x: Scalar) -> Scalar {
    let none: Scalar = 0.0;
    Scalar::sqrt(x) * Scalar::exp(none - x)
}

#[grad]
fn by_a_module(x: units::Float) -> units::Float {
    units::Float::hypot(x, 2.0) * x
}

#[grad]
fn of_any_name(x: Num, n: usize) -> Num {
    let limit = Num::min(x, 10.0);
    Num::powf(limit, n as Num) * Num::ln(x)
}

#[grad(order = 2)]
fn by_the_full_name(x: std::primitive::f64, n: ::core::primitive::usize) -> std::primitive::f64 {
    let s: core::primitive::f64 = x.sin();
    std::primitive::f64::powi(s, 2) * x + n as std::primitive::f64
}

#[derive(Clone, Copy, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

#[grad]
impl Pair {
    fn new(a: f64, b: f64) -> Pair {
        Pair { a, b }
    }

    fn max(self, other: Pair) -> f64 {
        self.a * other.b
    }

    fn powf(self, n: f64) -> f64 {
        self.a.powf(n) + self.b
    }
}

/// One that is named as floats often are.
mod linear {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Differentiable)]
    pub(super) struct Scalar {
        pub(super) v: f64,
    }

    #[grad]
    impl Scalar {
        pub(super) fn sqrt(self) -> Scalar {
            Scalar { v: 2.0 * self.v }
        }

        pub(super) fn min(v: f64, other: f64) -> Scalar {
            Scalar { v: v * other }
        }
    }

    #[grad]
    pub(super) fn of_a_scalar(s: Scalar) -> f64 {
        let least: Scalar = Scalar::min(s.v, 1.5);
        Scalar::sqrt(s).v * least.v
    }
}

/// A type of the user's own keeps its functions.
#[grad]
fn of_a_type(x: f64) -> f64 {
    let p = Pair::new(x, 3.0);
    Pair::max(p, Pair::new(1.0, x)) + Pair::powf(p, 2.0)
}

#[test]
fn names_of_floats_have_the_functions_of_floats() {
    let (dx, dy) = like_a_trait::grad(2.0, 1.5);
    assert!((dx - (2f64.sin() + 2.0 * 2f64.cos())).abs() < 1e-14 && dy == 3.0);
    let d = of_single_precision::grad(0.64);
    assert!((d - (0.5 / 0.8 - 0.8) * (-0.64f32).exp()).abs() < 1e-6);
    let d = by_a_module::grad(1.5);
    assert!((d - (2.5 + 1.5 * 1.5 / 2.5)).abs() < 1e-14);
    let d = of_any_name::grad(1.5, 2);
    assert!((d - (2.0 * 1.5 * 1.5f64.ln() + 1.5)).abs() < 1e-14);
    let (value, dot) = of_any_name::jvp(1.5, 2, 1.0);
    assert!(value == 1.5f64.powf(2.0) * 1.5f64.ln() && (dot - d).abs() < 1e-14);
    // x sin² x
    let (sin, cos) = 1.5f64.sin_cos();
    let d = sin * sin + 1.5 * 2.0 * sin * cos;
    assert!((by_the_full_name::grad(1.5, 2) - d).abs() < 1e-14);
    let (value, dot) = by_the_full_name::jvp(1.5, 2, 1.0);
    assert!((value - (1.5 * sin * sin + 2.0)).abs() < 1e-14 && (dot - d).abs() < 1e-14);
    let second = 4.0 * sin * cos + 1.5 * 2.0 * (cos * cos - sin * sin);
    assert!((by_the_full_name::hvp(1.5, 2, 1.0).1 - second).abs() < 1e-13);
    let d = of_a_type::grad(1.5);
    assert!((d - (2.0 * 1.5 + 2.0 * 1.5)).abs() < 1e-14);
    let d = linear::of_a_scalar::grad(linear::Scalar { v: 2.0 });
    assert_eq!(d.v, 2.0 * 2.0 * 1.5 * 2.0);
}
