//! Elementary functions of the crate `libm`, which code without std calls: their values, with the derivatives of std's.

use autodiff::grad;

#[grad(order = 2)]
fn called(x: f64, y: f64, n: usize) -> f64 {
    let mut s = libm::exp(x * y) + libm::pow(x, y);
    for k in 0..n {
        s += libm::sin(x * k as f64) * libm::hypot(x, y) + libm::log(s) * libm::tanh(y);
    }
    s * libm::sqrt(y) + libm::fabs(-x) * libm::erf(x) + libm::lgamma(y + 1.0) + libm::floor(x)
}

#[grad(order = 2)]
fn written(x: f64, y: f64, n: usize) -> f64 {
    let mut s = (x * y).exp() + x.powf(y);
    for k in 0..n {
        s += (x * k as f64).sin() * x.hypot(y) + s.ln() * y.tanh();
    }
    s * y.sqrt() + (-x).abs() * autodiff::erf(x) + autodiff::ln_gamma(y + 1.0) + x.floor()
}

#[grad]
fn single(x: f32) -> f32 {
    libm::expf(-x) * libm::powf(x, 1.5) + libm::fmaxf(x, 0.5) + libm::atan2f(x, 2.0)
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} {b}");
}

#[test]
fn derivatives_are_those_of_stds() {
    let (x, y, n) = (0.3, 0.7, 3);
    let (value, (d_x, d_y), hessian) = called::value_grad_hessian(x, y, n);
    assert_eq!(value.to_bits(), called(x, y, n).to_bits());
    let (_, (e_x, e_y), expected) = written::value_grad_hessian(x, y, n);
    near(d_x, e_x, 1e-13);
    near(d_y, e_y, 1e-13);
    for (a, b) in hessian.as_slice().iter().zip(expected.as_slice()) {
        near(*a, *b, 1e-12);
    }
    let (_, dot) = called::jvp(x, y, n, (1.0, -2.0));
    near(dot, e_x - 2.0 * e_y, 1e-13);
}

#[test]
fn of_single_precision() {
    let x = 0.8_f32;
    let (value, d) = single::value_and_grad(x);
    assert_eq!(value.to_bits(), single(x).to_bits());
    let x = f64::from(x);
    let e = (-x).exp() * (1.5 * x.sqrt() - x.powf(1.5)) + 1.0 + 2.0 / (x * x + 4.0);
    near(f64::from(d), e, 1e-5);
}
