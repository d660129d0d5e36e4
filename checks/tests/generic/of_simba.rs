//! Bounds of `nalgebra` and `simba`, whose numbers are not `Copy` and whose `abs` returns an associated type.

use autodiff::grad;
use nalgebra::{ComplexField, RealField};

#[grad(order = 2)]
fn euler<T: RealField>(y: T, h: T) -> T {
    let two: T = nalgebra::convert(2.0);
    let k1 = y.clone().sin();
    let k2 = (y.clone() + k1.clone() * h.clone() * nalgebra::convert(0.5)).sin();
    y + h * (k1 + k2 * two) / nalgebra::convert(3.0)
}

#[grad(order = 2)]
fn copied<T: RealField + Copy>(y: T, h: T) -> T {
    let k1 = y.sin().max(T::zero());
    let k2 = (y + k1 * h * nalgebra::convert(0.5)).abs();
    y + h * k2 * T::pi() + y.powf(h) + T::one().atan2(h)
}

#[grad(order = 2)]
fn abs_and_powf<T: RealField>(x: T, y: T) -> T {
    let two: T = nalgebra::convert(2.0);
    x.clone().sin() * y.clone().abs() + x.clone() * two + x.powf(y) * T::pi()
}

#[grad(order = 2)]
fn of_lists<T: RealField + Copy>(xs: &[T], k: T) -> T {
    let mut s = T::zero();
    for x in xs {
        s += (*x - k).powi(2);
    }
    let n = nalgebra::convert::<f64, T>(xs.len() as f64);
    (s / n).sqrt()
}

/// `Signed`, which is a part of `RealField`, has methods that take references.
#[grad(order = 2)]
fn of_references<T: RealField + Copy>(xs: &[T], y: T) -> T {
    let r = &y;
    xs.iter()
        .fold(r.abs(), |s, x| s + x.abs() * *x + x.signum() * r.exp())
}

#[grad(order = 2)]
fn of_paths<T: RealField>(x: T) -> T {
    ComplexField::exp(x.clone()) * RealField::max(x.clone(), T::one()) + T::sin(x)
}

#[grad(order = 2)]
fn complex_field<T: ComplexField<RealField = T> + Copy>(x: T) -> T {
    x.cosh() * x + x.recip()
}

#[test]
fn functions() {
    check!(euler(value y = 0.3, value h = 0.1));
    check_second!(euler(value y = 0.3, value h = 0.1));
    check!(copied(value y = 0.3, value h = 0.1));
    check_second!(copied(value y = 0.3, value h = 0.1));
    check!(abs_and_powf(value x = 1.3, value y = -0.7));
    check_second!(abs_and_powf(value x = 1.3, value y = -0.7));
    check!(of_lists(shared xs = [0.3, 1.2], value k = -0.7));
    check_second!(of_lists(shared xs = [0.3, 1.2], value k = -0.7));
    check!(of_references(shared xs = [0.3, -1.2], value y = -0.7));
    check_second!(of_references(shared xs = [0.3, -1.2], value y = -0.7));
    check!(of_paths(value x = 1.3));
    check_second!(of_paths(value x = 1.3));
    check!(complex_field(value x = 1.3));
    check_second!(complex_field(value x = 1.3));
    check!(copied(value y = 0.3_f32, value h = 0.1_f32));
}
