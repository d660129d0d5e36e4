//! What has no derivative: unused parameters, `#[constant]`, `wrt`, inactive code that runs exactly once.

use autodiff::grad;

use crate::check::near;
use crate::effect::{reset, tick};

#[grad]
fn unused(x: f64, _y: f64, _a: &[f64], _b: [f64; 2]) -> f64 {
    x * x
}

#[test]
fn unused_parameters_have_zero_gradients_of_their_shape() {
    near(
        &unused::grad(0.7, 1.0, &[1.0, 2.0, 3.0], [4.0, 5.0]),
        &(1.4, 0.0, vec![0.0; 3], [0.0, 0.0]),
        0.0,
    );
    let (_, y, a, b) = unused::grad(0.7, 1.0, &[1.0], [4.0, 5.0]);
    assert!(
        [y, a[0], b[0], b[1]]
            .iter()
            .all(|zero| zero.is_sign_positive())
    );
}

#[grad]
fn independent(x: f64) -> f64 {
    let _ = x;
    3.0
}

#[test]
fn a_result_that_depends_on_nothing() {
    assert_eq!(independent::value_and_grad(0.7), (3.0, 0.0));
    assert_eq!(independent::jvp(0.7, 1.0), (3.0, 0.0));
}

#[grad]
fn marked(w: &[f64], #[constant] data: &[f64], #[constant] scale: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += (w[i] - data[i]) * (w[i] - data[i]) * scale;
    }
    s
}

#[grad(wrt(w))]
fn named(w: &[f64], data: &[f64], scale: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..w.len() {
        s += (w[i] - data[i]) * (w[i] - data[i]) * scale;
    }
    s
}

#[test]
fn constant_parameters_have_no_entry() {
    check!(marked(shared w = [0.7, -0.4], constant data = &[0.5, 0.5], constant scale = 2.0));
    check!(named(shared w = [0.7, -0.4], constant data = &[0.5, 0.5], constant scale = 2.0));
    near(
        &named::grad(&[1.0, 2.0], &[0.0, 0.0], 3.0),
        &[6.0, 12.0],
        0.0,
    );
}

#[grad]
fn counts(x: f64, n: usize) -> f64 {
    let mut y = x;
    for _ in 0..n {
        let k = tick();
        if k == 1 {
            y = y * x;
        } else {
            y += x * k as f64;
        }
    }
    let last = tick() as f64;
    y * last * y
}

#[test]
fn inactive_code_runs_exactly_once() {
    for n in 0..5 {
        check!(counts(value x = 0.7, constant n = n));
    }
    reset();
    let _ = counts(0.7, 3);
    let once = reset();
    let _ = counts::grad(0.7, 3);
    assert_eq!(reset(), once);
    let _ = counts::jvp(0.7, 3, 1.0);
    assert_eq!(reset(), once);
}

#[grad]
fn verbatim(x: f64, words: &str, table: &[(usize, bool)]) -> f64 {
    let lengths: Vec<usize> = words.split(' ').map(str::len).collect();
    let total: usize = table
        .iter()
        .filter(|entry| entry.1)
        .map(|entry| entry.0)
        .sum();
    let label = format!("{}-{}", words, total);
    let mut y = x;
    for i in 0..lengths.len() {
        y = y * x + lengths[i] as f64;
    }
    y * label.len() as f64
}

#[test]
fn inactive_code_of_any_kind_stays_as_it_is() {
    check!(verbatim(value x = 0.7, constant words = "one three eleven", constant table = &[(3, true), (4, false)]));
}

#[grad]
fn statements(x: f64, n: usize) -> f64 {
    let y = x * x;
    assert!(y < 100.0, "too large: {y}");
    debug_assert!(n < 10);
    println!("{} {n}", y);
    let mut z = y;
    for i in 0..n {
        assert_eq!(i, i, "{}", z);
        z += y * x;
    }
    assert_ne!(n, 17);
    z
}

#[test]
fn macros_as_statements() {
    check!(statements(value x = 0.7, constant n = 3));
}

#[test]
fn a_panic_of_the_primal_is_the_panic_of_its_derivatives() {
    let expected = crate::check::panic_of(|| statements(11.0, 3));
    assert_eq!(
        crate::check::panic_of(|| statements::grad(11.0, 3)),
        expected
    );
    assert_eq!(
        crate::check::panic_of(|| statements::jvp(11.0, 3, 1.0)),
        expected
    );
    assert_eq!(
        crate::check::panic_of(|| statements::pullback(11.0, 3).0),
        expected
    );
}

#[grad]
fn constant_there_and_back(x: f64, c: i32) -> f64 {
    let mut a = [x, 2.0 * x];
    let d = f64::from(c) * 0.25;
    a[0] = d;
    let z = a[0] * x;
    a[0] = x * z;
    a[0] * a[1] + d
}

#[test]
fn inactive_values_in_active_arrays() {
    check!(constant_there_and_back(value x = 0.7, constant c = 3));
}
