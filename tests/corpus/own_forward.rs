//! Functions with forward mode alone, called by functions with both modes.

use autodiff::grad;

fn first_along(xs: &[f64], dxs: &[f64]) -> (f64, f64) {
    let last = xs.len() - 1;
    (
        xs[0] * xs[0] * xs[last],
        2.0 * xs[0] * xs[last] * dxs[0] + xs[0] * xs[0] * dxs[last],
    )
}

#[grad(jvp = first_along)]
fn ends(xs: &[f64]) -> f64 {
    xs[0] * xs[0] * xs[xs.len() - 1]
}

#[grad]
fn calls_forward_alone(xs: &[f64], c: f64) -> f64 {
    let mut a = xs.to_vec();
    let mut s = c;
    for i in 0..a.len() {
        s = s.sin() + ends(&a) * c;
        a[i] += s;
    }
    s + ends(&a[1..])
}

/// Reverse mode suits its Jacobian.
#[grad]
fn few_of_many(xs: &[f64]) -> (f64, f64) {
    (ends(xs) * xs[2], ends(&xs[3..]))
}

#[test]
fn a_function_with_forward_mode_alone_is_called() {
    check!(calls_forward_alone(shared xs = [0.5, -1.2, 0.3], value c = 0.6));
    check_vector!(few_of_many(shared xs = [0.4, 0.1, -0.3, 0.9, 1.1, 0.2, 0.6, -0.8, 0.5, 1.3]));
}
