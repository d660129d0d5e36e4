//! Second derivatives on the tape, closures, and numbers that are not finite.

use autodiff::{Tape, Var, grad, hessian, jacobian, value_and_grad};

use crate::message;

#[test]
fn closures() {
    assert_eq!(grad(|x| x[0] * x[1], &[2.0, 3.0]), [3.0, 2.0]);
    let point = vec![1.0, 2.0];
    let (value, gradient) = value_and_grad(
        |x| {
            let mut sum = Var::from(0.0);
            for x in x {
                sum += x.exp();
            }
            sum
        },
        &point,
    );
    let sum = 0.0 + 1.0_f64.exp() + 2.0_f64.exp();
    assert_eq!((value, gradient), (sum, vec![1.0_f64.exp(), 2.0_f64.exp()]));
    assert_eq!(grad(|x| x[0] * 2.0, &[1.0_f32]), [2.0_f32]);
    let j = jacobian(|x| vec![x[0] + x[1], Var::from(1.0)], &[2.0, 3.0]);
    assert_eq!(j.as_slice(), [1.0, 1.0, 0.0, 0.0]);
    // One in another, both on tapes of their own.
    let nested = grad(|x| x[0] * grad(|y| y[0] * y[0], &[x[0].value()])[0], &[3.0]);
    assert_eq!(nested, [6.0]);
}

/// The macro of the same name is in reach as well.
#[grad(order = 2)]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
        sum += a * a + 100.0 * b * b;
    }
    sum
}

#[test]
fn a_hessian_is_that_of_static_code() {
    let at = [0.3, -0.7, 1.1, 0.2];
    let on_tape = hessian(
        |x| {
            let mut sum = Var::from(0.0);
            for i in 0..x.len() - 1 {
                let (a, b) = (1.0 - x[i], x[i + 1] - x[i] * x[i]);
                sum += a * a + 100.0 * b * b;
            }
            sum
        },
        &at,
    );
    let compiled = rosenbrock::hessian(&at);
    for (a, b) in on_tape.as_slice().iter().zip(compiled.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} {b}");
    }
}

/// The second derivative of each function is the difference of the first.
#[test]
#[allow(clippy::redundant_closure_for_method_calls)] // a method is of one lifetime only
fn second_derivatives_of_the_table() {
    type Function = for<'t> fn(Var<'t>) -> Var<'t>;
    let functions: &[(&str, Function)] = &[
        ("neg", |x| -x),
        ("div", |x| 2.0 / x + x / 3.0 + (x + 1.0) / (x + 2.0)),
        ("mul", |x| x * x * x),
        ("rem", |x| (7.3 * x) % x),
        ("sin", |x| x.sin()),
        ("cos", |x| x.cos()),
        ("tan", |x| x.tan()),
        ("asin", |x| x.asin()),
        ("acos", |x| x.acos()),
        ("atan", |x| x.atan()),
        ("atan2", |x| x.atan2(x * x + 1.0)),
        ("sinh", |x| x.sinh()),
        ("cosh", |x| x.cosh()),
        ("tanh", |x| x.tanh()),
        ("asinh", |x| x.asinh()),
        ("acosh", |x| (x + 1.0).acosh()),
        ("atanh", |x| x.atanh()),
        ("exp", |x| x.exp()),
        ("exp2", |x| x.exp2()),
        ("exp_m1", |x| x.exp_m1()),
        ("ln", |x| x.ln()),
        ("ln_1p", |x| x.ln_1p()),
        ("log2", |x| x.log2()),
        ("log10", |x| x.log10()),
        ("log", |x| x.log(x + 2.0)),
        ("sqrt", |x| x.sqrt()),
        ("cbrt", |x| x.cbrt()),
        ("hypot", |x| x.hypot(x * x)),
        ("powi", |x| x.powi(5) + x.powi(-2)),
        ("powf", |x| x.powf(x + 1.0)),
        ("recip", |x| x.recip()),
        ("mul_add", |x| x.mul_add(x * x, x)),
        ("midpoint", |x| x.midpoint(x * x)),
        ("abs", |x| (-x * x).abs()),
        ("max", |x| x.max(x * x)),
        ("min", |x| x.min(x * x)),
        ("clamp", |x| (x * x).clamp(x - 1.0, x + 1.0)),
        ("fract", |x| (x * x).fract()),
        ("sigmoid", |x| x.sigmoid()),
        ("softplus", |x| x.softplus()),
        ("relu", |x| (x * x).relu()),
        ("silu", |x| x.silu()),
        ("gelu", |x| x.gelu()),
        ("gelu_tanh", |x| x.gelu_tanh()),
        ("erf", |x| x.erf()),
        ("erfc", |x| x.erfc()),
    ];
    for (name, f) in functions {
        let slope = |x: f64| grad(|x| f(x[0]), &[x])[0];
        let (x, h) = (0.37, 1e-4);
        let difference = |h: f64| (slope(x + h) - slope(x - h)) / (2.0 * h);
        let extrapolated = (4.0 * difference(h / 2.0) - difference(h)) / 3.0;
        let second = hessian(|x| f(x[0]), &[x])[[0, 0]];
        let error = (second - extrapolated).abs();
        assert!(
            error <= 1e-8 * second.abs().max(1.0),
            "{name}: {second} {extrapolated}"
        );
    }
}

#[test]
fn zeros_of_the_first_sweep_have_derivatives() {
    // The cotangent of the inner square is zero at 0, its derivative is not.
    let h = hessian(|x| (x[0] * x[0]).powi(2) + x[0].sin() * x[0], &[0.0]);
    assert_eq!(h.as_slice(), [2.0]);
    let tape = Tape::new();
    tape.keep_details();
    let x = tape.var(0.0);
    let slope = (x.sqrt() * 0.0 + x * x).backward_recorded().wrt(x);
    assert_eq!(slope.value(), 0.0);
}

#[test]
fn second_derivatives_need_details() {
    let tape = Tape::new();
    let x = tape.var(1.0);
    assert!(message(|| (x * x).backward_recorded()).contains("keep_details"));
    assert!(message(|| tape.trace(x * x)).contains("keep_details"));
}

#[test]
fn the_first_value_that_is_not_finite_is_named() {
    let tape = Tape::new();
    tape.detect_anomaly();
    let x = tape.var(-1.0);
    let line = line!() + 1;
    let text = message(|| (x + 1.0).ln());
    assert!(text.starts_with("`ln` of 0 is -inf, at "), "{text}");
    assert!(text.contains(&format!("derivatives.rs:{line}:")), "{text}");
    let line = line!() + 1;
    let text = message(|| 2.0 / (x + 1.0));
    assert!(text.starts_with("`div` of 2, 0 is inf, at "), "{text}");
    assert!(text.contains(&format!("derivatives.rs:{line}:")), "{text}");
    assert!(message(|| tape.var(f64::NAN)).contains("`parameter` is NaN"));
    // The tape is as good as before.
    assert_eq!((x * x).backward().wrt(x), -2.0);
}

#[test]
fn the_first_derivative_that_is_not_finite_is_named() {
    let tape = Tape::new();
    tape.detect_anomaly();
    let x = tape.var(0.0);
    let line = line!() + 1;
    let root = x.sqrt();
    let y = 3.0 * root;
    let text = message(|| y.backward());
    assert!(
        text.starts_with(
            "the derivative of `sqrt` of 0 is inf, which times the cotangent 3 is inf, at "
        ),
        "{text}"
    );
    assert!(text.contains(&format!("derivatives.rs:{line}:")), "{text}");
    assert_eq!((0.0 * root + x).backward().wrt(x), 1.0);
}

#[test]
fn stop_gradient_refuses_variables_instead_of_letting_them_through() {
    let tape = Tape::new();
    let x = tape.var(2.0);
    let text = message(|| autodiff::stop_gradient(x) * x);
    assert!(text.contains("call `detach` on each"), "{text}");
    assert_eq!((x.detach() * x).backward().wrt(x), 2.0);
    assert_eq!(autodiff::stop_gradient([1.0, 2.0]), [1.0, 2.0]);
}
