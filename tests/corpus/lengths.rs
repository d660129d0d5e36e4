//! Lengths that do not match: a panic that says both, before anything is written.

use autodiff::grad;

use crate::check::panic_of;

#[grad]
fn sum(a: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += a[i] * x;
    }
    s
}

#[grad]
fn scaled(a: &[f64], x: f64) -> Vec<f64> {
    let mut b = a.to_vec();
    for i in 0..b.len() {
        b[i] *= x;
    }
    b
}

#[grad]
fn advance(u: &mut [f64], x: f64) {
    for i in 0..u.len() {
        u[i] *= x;
    }
}

#[track_caller]
fn names_both(message: &str, one: &str, other: &str) {
    assert!(
        message.contains(one) && message.contains(other),
        "{message:?} does not name {one} and {other}"
    );
}

#[test]
fn a_tangent_of_the_wrong_length() {
    names_both(
        &panic_of(|| sum::jvp(&[1.0, 2.0, 3.0], 2.0, (&[1.0, 2.0], 0.5))),
        "3",
        "2",
    );
}

#[test]
fn a_buffer_of_the_wrong_length_is_not_written() {
    let mut buffer = [7.0; 4];
    let mut x = 5.0;
    names_both(
        &panic_of(|| sum::grad_into(&[1.0, 2.0, 3.0], 2.0, &mut buffer, &mut x)),
        "3",
        "4",
    );
    assert_eq!((buffer, x), ([7.0; 4], 5.0));
    let mut short = [7.0; 2];
    names_both(
        &panic_of(|| sum::vjp_into(&[1.0, 2.0, 3.0], 2.0, 1.0, &mut short, &mut x)),
        "3",
        "2",
    );
    assert_eq!((short, x), ([7.0; 2], 5.0));
}

#[test]
fn a_seed_of_the_wrong_length() {
    names_both(
        &panic_of(|| scaled::vjp(&[1.0, 2.0, 3.0], 2.0, vec![1.0, 1.0])),
        "3",
        "2",
    );
    names_both(
        &panic_of(|| scaled::pullback(&[1.0, 2.0, 3.0], 2.0).1(vec![1.0, 1.0])),
        "3",
        "2",
    );
}

#[test]
fn a_cotangent_of_the_wrong_length_leaves_the_state() {
    let mut u = [1.0, 2.0, 3.0];
    let mut bar = [1.0, 1.0];
    names_both(&panic_of(|| advance::vjp(&mut u, 2.0, &mut bar)), "3", "2");
    assert_eq!((u, bar), ([1.0, 2.0, 3.0], [1.0, 1.0]));
    names_both(
        &panic_of(|| advance::jvp(&mut u, 2.0, (&mut bar, 0.0))),
        "3",
        "2",
    );
    assert_eq!((u, bar), ([1.0, 2.0, 3.0], [1.0, 1.0]));
}
