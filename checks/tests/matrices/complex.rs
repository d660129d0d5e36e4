//! Complex numbers of num-complex: derivatives are those of pairs of reals.

#![allow(
    clippy::op_ref,
    reason = "operators with references are among what is tested"
)]

use autodiff::{Differentiable, grad};
use num_complex::{Complex, Complex32, Complex64};

use super::judge;

/// Elementary functions, by method and by path.
macro_rules! elementary {
    ($($name:ident)*) => {
        $(
            #[grad(order = 2)]
            fn $name(z: Complex64) -> f64 {
                let w = z.$name();
                let v = Complex64::$name(z * 1.1);
                w.re * 0.7 + w.im * w.re + v.im * v.im
            }
        )*
        #[test]
        fn elementary_functions_have_the_slope_of_their_kind() {
            for (re, im) in [(0.7, 1.3), (-0.4, 0.6), (-1.2, -0.8), (1.9, -0.3)] {
                let z = Complex64::new(re, im);
                $(check!($name(z by_value));)*
            }
        }
    };
}
elementary! {
    exp exp2 ln log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    finv
}

#[grad(order = 2)]
fn mirrored(z: Complex64) -> f64 {
    let w = z.inv() + Complex::conj(&z) * Complex64::inv(&(z + 1.0));
    w.re * w.im
}

#[grad(order = 2)]
fn operators(z: Complex64, w: Complex64) -> f64 {
    let p = z * w + z / w - (w - z);
    let q = -(&p * &z) + (p + &w) / (z * 2.0);
    p.re * q.im + q.re
}

#[grad(order = 2)]
fn with_reals(z: Complex64, x: f64) -> f64 {
    let left = x + z * x - x / z;
    let right = (z - x) / x + (x - z) * (x * z);
    left.re * right.im + right.re * left.re
}

#[grad(order = 2)]
fn made_of_reals(z: Complex64, x: f64) -> f64 {
    let real = Complex::from(x.sin());
    let w: Complex64 = (x * z.re).into();
    let p = real * z + Complex64::from(x) * w;
    p.re * p.im + w.re
}

#[grad(order = 2)]
fn assigned(z: Complex64, x: f64) -> f64 {
    let mut w = z;
    w += z * z;
    w -= x;
    w *= Complex::new(x, 1.0);
    w /= z;
    w *= x;
    w += 2.0;
    w /= x + 1.0;
    w -= z.conj();
    w.re * w.im
}

#[grad(order = 2)]
fn parts(z: Complex64, x: f64) -> f64 {
    let mut w = z * x;
    w.re = z.im * w.im;
    w.im += x * w.re;
    let v = Complex { re: w.im, im: x };
    let Complex64 { re, im } = v * w;
    re * im + v.re
}

#[grad(order = 2)]
fn powers(z: Complex64, w: Complex64, x: f64) -> f64 {
    let y = z.powf(x) + z.powc(w) * z.powi(3) + z.powi(-2) + z.powu(2) + z.powi(0);
    y.re * y.im + (z * z).powf(x + 1.0).re
}

#[grad(order = 2)]
fn reals_of(z: Complex64, w: Complex64) -> f64 {
    let p = z * w;
    let (r, t) = p.to_polar();
    p.norm() * z.arg() + p.norm_sqr() * w.arg() + r * t + p.l1_norm() * w.re
}

#[grad(order = 2)]
fn scaled(z: Complex64, x: f64) -> f64 {
    let w = z.scale(x) + z.unscale(x * x) + z.fdiv(z * z + x);
    w.re * w.im
}

#[grad(order = 2)]
fn polar(r: f64, t: f64) -> f64 {
    let z = Complex::from_polar(r, t * t) * Complex64::cis(t) + Complex::new(r, t);
    z.re * z.im
}

#[grad(order = 2)]
fn constants(x: f64) -> f64 {
    let i = Complex64::i();
    let z = Complex64::from(2.0) + i * x + Complex64::ONE - Complex::new(0.0, 1.0);
    (z * Complex64::I).exp().re + z.norm()
}

#[grad(order = 2)]
fn transform(x: &[f64], k: usize) -> f64 {
    let turn = -2.0 * std::f64::consts::PI * k as f64 / x.len() as f64;
    let mut sum = Complex64::new(0.0, 0.0);
    for (n, &x) in x.iter().enumerate() {
        sum += Complex64::from_polar(x, turn * n as f64);
    }
    sum.norm_sqr()
}

#[grad(order = 2)]
fn of_list(z: &[Complex64]) -> f64 {
    let sum: Complex64 = z.iter().sum();
    let product = z.iter().map(|&z| z * 0.5).product::<Complex64>();
    let squares = z.iter().map(|z| z.norm_sqr() * z.re).sum::<f64>();
    (sum * product).exp().re + squares + z[0].im
}

#[grad(order = 2)]
fn polynomial(c: &[f64], z: Complex64) -> f64 {
    let horner = c
        .iter()
        .rev()
        .fold(Complex64::new(0.0, 0.0), |y, &c| y * z + c);
    horner.norm()
}

#[grad(order = 2)]
fn iterated(z: Complex64, rounds: usize) -> f64 {
    let mut w = Complex::new(0.0, 0.0);
    for _ in 0..rounds {
        w = w.powi(2) + z;
        if w.norm_sqr() > 4.0 {
            break;
        }
    }
    w.re * w.im
}

#[derive(Clone, Debug, Differentiable)]
struct Filter {
    poles: Vec<Complex64>,
    zero: Complex64,
    gain: f64,
}

#[grad(order = 2)]
impl Filter {
    fn response(&self, s: Complex64) -> Complex64 {
        let mut h = (s - self.zero) * self.gain;
        for p in &self.poles {
            h /= s - p;
        }
        h
    }
}

#[grad(order = 2)]
fn level(filter: &Filter, omega: f64) -> f64 {
    let h = filter.response(Complex::new(0.0, omega));
    h.norm().ln() + h.arg()
}

#[grad(order = 2)]
fn applied(m: &[[Complex64; 2]; 2], v: &[Complex64; 2]) -> f64 {
    let mut sum = 0.0;
    for row in m {
        let mut y = Complex64::new(0.0, 0.0);
        for j in 0..2 {
            y += row[j] * v[j];
        }
        sum += y.norm_sqr() + y.exp().im;
    }
    sum
}

#[grad(order = 2)]
fn mixed<T: num_traits::Float>(z: Complex<T>, x: T) -> T {
    let w = (z * z + z * x).exp() / z;
    w.norm_sqr() + (w.re * x).sin()
}

#[grad(order = 2)]
fn chosen(z: Complex64, w: Complex64) -> f64 {
    let (a, b) = if z.re > w.re { (z, w) } else { (w, z) };
    let both = |x: Complex64| x * a;
    (both(b) - both(a)).tanh().re
}

#[test]
fn functions_of_complex_numbers() {
    let (z, w, x) = (Complex::new(0.7, 1.3), Complex::new(0.5, -1.1), 0.8);
    check!(mirrored(z by_value));
    check!(operators(z by_value, w by_value));
    check!(with_reals(z by_value, x by_value));
    check!(made_of_reals(z by_value, x by_value));
    check!(assigned(z by_value, x by_value));
    check!(parts(z by_value, x by_value));
    check!(powers(z by_value, w by_value, x by_value));
    check!(reals_of(z by_value, w by_value));
    check!(scaled(z by_value, x by_value));
    let t = 0.6;
    check!(polar(x by_value, t by_value));
    check!(constants(x by_value));
    let list = vec![z, w, Complex::new(-0.3, 0.4)];
    check!(of_list(list of_list));
    let c = vec![0.3, -1.2, 0.7, 0.1];
    check!(polynomial(c of_list, z by_value));
    let filter = Filter {
        poles: list,
        zero: w,
        gain: 1.7,
    };
    check!(level(filter by_ref, x by_value));
    let (m, v) = ([[z, w], [w, z * 0.3]], [w, z]);
    check!(applied(m by_ref, v by_ref));
    check!(mixed(z by_value, x by_value));
    check!(chosen(z by_value, w by_value));
}

#[test]
fn rounds_and_lists_beside_counts() {
    let z = Complex64::new(-0.3, 0.5);
    let flat = |g: Complex64| vec![g.re, g.im];
    let value = |x: &[f64]| vec![iterated(Complex::new(x[0], x[1]), 5)];
    let slope = judge::differences(&[z.re, z.im], value);
    judge::assert_near("iterated", &flat(iterated::grad(z, 5)), &slope, 1e-8);
    let x = [0.3, -1.0, 0.8, 0.2, 1.4];
    let slope = judge::differences(&x, |x| vec![transform(x, 2)]);
    judge::assert_near("transform", &transform::grad(&x, 2), &slope, 1e-8);
}

#[grad(order = 2)]
fn holomorphic(z: Complex64) -> Complex64 {
    z.exp() * z + 1.0 / z
}

/// A tangent is multiplied by the derivative, a cotangent by its conjugate.
#[test]
fn a_cotangent_is_multiplied_by_the_conjugate_of_the_derivative() {
    let (z, d) = (Complex64::new(0.4, -0.9), Complex64::new(1.3, 0.2));
    let slope = z.exp() * (z + 1.0) - 1.0 / (z * z);
    let (y, tangent) = holomorphic::jvp(z, d);
    assert_eq!(y, holomorphic(z));
    assert!((tangent - slope * d).norm() < 1e-14);
    let (_, pulled) = holomorphic::vjp(z, d);
    assert!((pulled - slope.conj() * d).norm() < 1e-14);
    let jacobian = holomorphic::jacobian(z);
    let expected = [slope.re, -slope.im, slope.im, slope.re];
    judge::assert_near("jacobian", jacobian.as_slice(), &expected, 1e-14);
}

#[grad]
fn step(z: &mut [Complex64], rate: f64) {
    for k in 1..z.len() {
        let before = z[k - 1];
        z[k] -= (z[k] - before * before) * rate;
    }
}

#[test]
fn what_is_changed_in_place_has_cotangents_in_place() {
    let start = [
        Complex::new(0.3, 0.9),
        Complex::new(-0.2, 0.5),
        Complex::new(1.1, 0.1),
    ];
    let seed = [
        Complex::new(0.4, -0.6),
        Complex::new(0.9, 0.3),
        Complex::new(-0.7, 0.2),
    ];
    let (mut z, mut bar) = (start, seed);
    let rate_bar = step::vjp(&mut z, 0.3, &mut bar);
    let along = [
        Complex::new(0.1, 0.8),
        Complex::new(-0.5, 0.3),
        Complex::new(0.2, -0.9),
    ];
    let (mut z, mut tangent) = (start, along);
    step::jvp(&mut z, 0.3, (&mut tangent, 0.7));
    let inner = |a: &[Complex64], b: &[Complex64]| {
        let products = a.iter().zip(b).map(|(a, b)| (a.conj() * b).re);
        products.sum::<f64>()
    };
    let (forward, backward) = (inner(&tangent, &seed), inner(&bar, &along) + 0.7 * rate_bar);
    assert!((forward - backward).abs() < 1e-14, "{forward} {backward}");
}

#[grad]
fn root_of(z: Complex64) -> Result<f64, String> {
    if z.norm() == 0.0 {
        return Err("zero".to_owned());
    }
    Ok(z.ln().re)
}

#[grad]
fn away(z: Complex64) -> f64 {
    z.norm() + (z * z).sqrt().re * 0.0
}

#[grad]
fn single(z: Complex32) -> f32 {
    (z * z).norm()
}

#[test]
fn edges() {
    assert!(root_of::grad(Complex64::new(0.0, 0.0)).is_err());
    let slope = root_of::grad(Complex64::new(3.0, 4.0)).unwrap();
    assert!((slope - Complex64::new(0.12, 0.16)).norm() < 1e-15);
    // The norm of zero has the gradient zero, and zero absorbs an infinite slope.
    let zero = Complex64::new(0.0, 0.0);
    assert_eq!(away::grad(zero), zero);
    assert_eq!(
        single::grad(Complex32::new(3.0, 4.0)),
        Complex32::new(6.0, 8.0)
    );
    // No square on the way overflows.
    let far = Complex64::new(3e200, -4e200);
    let slope = root_of::grad(far).unwrap();
    assert!((slope * 1e200 - Complex64::new(0.12, -0.16)).norm() < 1e-15);
}

/// The fast Fourier transform, as textbooks have it.
#[grad(order = 2)]
#[allow(clippy::ptr_arg, reason = "a list that is lent, as textbooks have it")]
fn transformed(a: &mut Vec<Complex64>) {
    let n = a.len();
    if n <= 1 {
        return;
    }
    let mut even: Vec<Complex64> = a.iter().step_by(2).copied().collect();
    let mut odd: Vec<Complex64> = a.iter().skip(1).step_by(2).copied().collect();
    transformed(&mut even);
    transformed(&mut odd);
    for k in 0..n / 2 {
        let turn = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let t = Complex64::from_polar(1.0, turn) * odd[k];
        a[k] = even[k] + t;
        a[k + n / 2] = even[k] - t;
    }
}

/// Its energy, which is that of the signal.
#[grad(order = 2)]
fn energy_of_spectrum(xs: &[f64]) -> f64 {
    let mut buffer: Vec<Complex64> = xs.iter().map(|&x| Complex64::new(x, 0.0)).collect();
    transformed(&mut buffer);
    buffer.iter().map(|c| c.norm_sqr()).sum::<f64>() / xs.len() as f64
}

/// The gain of a digital filter at a frequency.
#[grad(order = 2)]
fn gain(numerator: &[f64], denominator: &[f64; 2], frequency: f64) -> f64 {
    let z = Complex64::from_polar(1.0, -frequency);
    let powers = [Complex64::new(1.0, 0.0), z, z * z];
    let above: Complex64 = numerator.iter().zip(&powers).map(|(b, z)| z * b).sum();
    let mut below = powers[0];
    for (a, z) in denominator.iter().zip(&powers[1..]) {
        below += a * z;
    }
    (above / below).norm()
}

#[test]
fn transforms_and_filters() {
    let xs = [1.0, -2.0, 0.5, 3.0, 0.1, 0.2, -0.7, 4.0];
    let (_, gradient) = energy_of_spectrum::value_and_grad(&xs);
    for (g, x) in gradient.iter().zip(xs) {
        assert!((g - 2.0 * x).abs() < 1e-12, "{gradient:?}");
    }
    let hessian = energy_of_spectrum::hessian(&xs);
    for i in 0..8 {
        for k in 0..8 {
            let wanted = if i == k { 2.0 } else { 0.0 };
            assert!((hessian[[i, k]] - wanted).abs() < 1e-12);
        }
    }
    let (b, a, w) = ([0.4, 0.3, 0.1], [-0.5, 0.2], 0.8);
    let by_frequency = gain::grad(&b, &a, w).2;
    let difference = (gain(&b, &a, w + 1e-6) - gain(&b, &a, w - 1e-6)) / 2e-6;
    assert!((by_frequency - difference).abs() < 1e-8);
    let curvature = gain::hessian(&b, &a, w)[[5, 5]];
    let difference = (gain::grad(&b, &a, w + 1e-6).2 - gain::grad(&b, &a, w - 1e-6).2) / 2e-6;
    assert!((curvature - difference).abs() < 1e-8);
}
