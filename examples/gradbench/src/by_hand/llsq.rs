//! `llsq`: the powers of a point are kept until its residual is known.

use crate::evals::llsq::Input;

pub(crate) fn gradient(input: &Input) -> Vec<f64> {
    let (x, n) = (&input.x[..], input.n);
    let mut gradient = vec![0.0; x.len()];
    let mut powers = vec![0.0; x.len()];
    for i in 0..n {
        let t = -1.0 + i as f64 * 2.0 / (n as f64 - 1.0);
        let mut inner = f64::from(i8::from(t > 0.0) - i8::from(t < 0.0));
        let mut power = 1.0;
        for (x, kept) in x.iter().zip(&mut powers) {
            *kept = power;
            inner -= x * power;
            power *= t;
        }
        for (g, power) in gradient.iter_mut().zip(&powers) {
            *g -= inner * power;
        }
    }
    gradient
}
