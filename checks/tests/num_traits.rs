//! Numeric code of others, generic by `num-traits`, on the variables of the dynamic tape: complex numbers of the crate `num-complex`.

use autodiff::{Tape, Var};
use num_complex::Complex;
use num_traits::{Float, FloatConst, Num, NumCast};

/// All roots of the polynomial with these coefficients, the constant first and the leading 1 left out (Durand–Kerner).
fn roots<T: Float + FloatConst>(coefficients: &[T]) -> Vec<Complex<T>> {
    let number = |x: f64| <T as NumCast>::from(x).expect("a float");
    let degree = coefficients.len();
    let start = Complex::new(number(0.4), number(0.9));
    let mut roots: Vec<Complex<T>> = (0..degree).map(|k| start.powu(k as u32)).collect();
    for _ in 0..60 {
        for i in 0..degree {
            let z = roots[i];
            let one = Complex::new(T::one(), T::zero());
            let value = coefficients
                .iter()
                .rev()
                .fold(one, |sum, c| sum * z + Complex::new(*c, T::zero()));
            let others = (0..degree).filter(|&j| j != i);
            let product = others.fold(one, |product, j| product * (z - roots[j]));
            roots[i] = z - value / product;
        }
    }
    roots
}

#[test]
fn roots_of_a_polynomial_by_its_coefficients() {
    let tape = Tape::new();
    // (z − 1)(z² + 4) = z³ − z² + 4 z − 4
    let coefficients = tape.vars(&[-4.0, 4.0, -1.0]);
    for z in roots(&coefficients) {
        let at = Complex::new(z.re.value(), z.im.value());
        let slope = at * at * 3.0 - at * 2.0 + 4.0;
        for (k, c) in coefficients.iter().enumerate() {
            // By the implicit function theorem.
            let truth = -at.powu(k as u32) / slope;
            assert!((z.re.backward().wrt(c) - truth.re).abs() < 1e-12);
            assert!((z.im.backward().wrt(c) - truth.im).abs() < 1e-12);
        }
    }
}

#[test]
fn complex_functions_are_holomorphic() {
    type Function = for<'t> fn(Complex<Var<'t>>) -> Complex<Var<'t>>;
    let functions: [Function; 9] = [
        |z| z.exp(),
        |z| z.ln(),
        |z| z.sqrt(),
        |z| z.sin(),
        |z| z.tan(),
        |z| z.cosh(),
        |z| z.atan(),
        |z| z.powc(z),
        |z| z.powi(-3),
    ];
    for f in functions {
        let tape = Tape::new();
        let (x, y) = (tape.var(0.6), tape.var(0.8));
        let w = f(Complex::new(x, y));
        let (u, v) = (w.re.backward().wrt((x, y)), w.im.backward().wrt((x, y)));
        // The equations of Cauchy and Riemann.
        assert!(
            (u.0 - v.1).abs() < 1e-13 && (u.1 + v.0).abs() < 1e-13,
            "{w}"
        );
    }
}

#[test]
fn numbers_become_constants() {
    let x: Var = NumCast::from(2.5).expect("a number");
    assert!(x.is_constant() && x == 2.5);
    let text = <Var as Num>::from_str_radix("1.5", 10);
    assert!(text.is_ok_and(|x| x == 1.5));
    assert_eq!(<Var as FloatConst>::PI(), std::f64::consts::PI);
    let tape = Tape::new();
    let y = tape.var(2.0);
    assert_eq!(Float::max(y, x).backward().wrt(y), 0.0);
    assert!(Float::is_normal(y) && !Float::is_nan(y));
}
