//! Gradient descent as GradBench defines it, for the evals that differentiate what contains derivatives.

use autodiff::grad;

/// The steps and squares below this are taken for none.
const CLOSE: f64 = 1e-5;

#[grad]
fn norm<const N: usize>(v: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += v[i] * v[i];
    }
    sum.sqrt()
}

/// Where `f` is least, from `start` on; `g` is its gradient.
///
/// # Panics
///
/// Where no step leads down, however small it is, as it is where `f` is not a number.
#[grad]
pub(crate) fn argmin<const N: usize>(
    f: impl Fn([f64; N]) -> f64,
    g: impl Fn([f64; N]) -> [f64; N],
    start: [f64; N],
) -> [f64; N] {
    let mut x = start;
    let mut fx = f(x);
    let mut gx = g(x);
    let mut i = 0;
    let mut eta = 1e-5;
    loop {
        if norm(&gx) <= CLOSE {
            return x;
        }
        if i == 10 {
            eta *= 2.0;
            i = 0;
        } else {
            let mut next = x;
            let mut step = [0.0; N];
            for j in 0..N {
                next[j] = x[j] - eta * gx[j];
                step[j] = x[j] - next[j];
            }
            if norm(&step) <= CLOSE {
                return x;
            }
            let fx_next = f(next);
            if fx_next < fx {
                x = next;
                fx = fx_next;
                gx = g(x);
                i += 1;
            } else {
                eta /= 2.0;
                i = 0;
                assert!(eta > 0.0, "no step leads down from {x:?}");
            }
        }
    }
}
