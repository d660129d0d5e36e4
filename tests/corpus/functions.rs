//! Elementary functions, as methods and by path, against central differences and some closed forms.

use autodiff::grad;

use crate::check::near;

macro_rules! unary {
    ($($name:ident at $($point:literal),+;)*) => {$(
        mod $name {
            use autodiff::grad;

            #[grad]
            fn method(x: f64) -> f64 {
                x.$name() * (x + 0.5)
            }

            #[grad]
            fn path(x: f64) -> f64 {
                f64::$name(0.5 * x) + f64::$name(x)
            }

            #[test]
            fn derivative() {
                $(
                    check!(method(value x = $point));
                    check!(path(value x = $point));
                )+
            }
        }
    )*};
}

unary! {
    sin at 0.3, -2.0;
    cos at 0.3, 4.0;
    tan at 0.3, -1.2;
    asin at 0.3, -0.9;
    acos at 0.3, -0.9;
    atan at 0.3, -8.0;
    sinh at 0.3, -2.0;
    cosh at 0.3, -2.0;
    tanh at 0.3, -2.0;
    asinh at 0.3, -20.0;
    atanh at 0.3, -0.9;
    exp at 0.3, -3.0;
    exp2 at 0.3, -3.0;
    exp_m1 at 0.3, 0.001;
    ln at 0.3, 8.0;
    ln_1p at 0.3, 0.001;
    log2 at 0.3, 8.0;
    log10 at 0.3, 8.0;
    sqrt at 0.3, 8.0;
    cbrt at 0.3, -8.0;
    recip at 0.3, -8.0;
    abs at 0.3, -8.0;
    signum at 0.3, -8.0;
    floor at 0.3, -2.7;
    ceil at 0.3, -2.7;
    round at 0.3, -2.7;
    trunc at 0.3, -2.7;
    fract at 0.3, -2.7;
    to_radians at 0.3, 90.0;
    to_degrees at 0.3, 1.5;
}

#[grad]
fn acosh_of(x: f64) -> f64 {
    x.acosh() + f64::acosh(x * x)
}

#[grad]
fn binary_methods(x: f64, y: f64) -> f64 {
    x.powf(y) + x.hypot(y) * x.atan2(y) + x.log(y + 2.0) + x.mul_add(y, x) + x.copysign(-y)
}

#[grad]
fn binary_paths(x: f64, y: f64) -> f64 {
    f64::powf(x, y) + f64::hypot(x, y) * f64::atan2(x, y) + f64::max(x, y) - f64::min(x, y * y)
        + f64::powi(x, -2)
}

#[grad]
fn selections(x: f64, y: f64) -> f64 {
    x.max(y) * y.min(0.5) + (x * y).clamp(-0.25, 0.6) + (x - y).abs()
}

#[grad]
fn powers(x: f64, n: i32) -> f64 {
    x.powi(n) + x.powi(0) + x.powi(1) + x.powi(-1) * x.powi(n + 2)
}

#[grad]
fn euclidean(x: f64, y: f64) -> f64 {
    x.rem_euclid(1.5) * y + y.div_euclid(0.5) * x
}

#[grad]
fn both(x: f64) -> f64 {
    let (s, c) = x.sin_cos();
    s * c + s
}

#[test]
fn functions_of_two_arguments() {
    check!(acosh_of(value x = 1.7));
    check!(binary_methods(value x = 0.7, value y = 1.3));
    check!(binary_paths(value x = 0.7, value y = 1.3));
    check!(binary_paths(value x = 1.7, value y = 1.2));
    check!(selections(value x = 0.7, value y = 0.3));
    check!(selections(value x = -0.7, value y = 1.3));
    check!(selections(value x = 2.0, value y = 2.5));
}

#[test]
fn integer_powers() {
    for n in [-3, -1, 0, 1, 2, 7] {
        check!(powers(value x = 0.7, constant n = n));
        check!(powers(value x = -1.3, constant n = n));
    }
}

#[test]
fn euclidean_division() {
    check!(euclidean(value x = 0.7, value y = 1.3));
    check!(euclidean(value x = -2.2, value y = -1.3));
}

#[test]
fn sine_and_cosine_together() {
    check!(both(value x = 0.6));
    near(&both::grad(0.6), &(1.2f64.cos() + 0.6f64.cos()), 1e-14);
}

#[grad]
fn learning(x: f64) -> f64 {
    autodiff::sigmoid(x) + autodiff::softplus(x) * autodiff::relu(x) - autodiff::gelu(x)
        + autodiff::erf(x) * autodiff::erfc(0.5 * x)
}

#[test]
fn functions_of_machine_learning() {
    check!(learning(value x = 0.6));
    check!(learning(value x = -1.1));
}
