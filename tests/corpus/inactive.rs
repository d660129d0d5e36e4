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

#[grad]
fn rooted(x: f64, n: usize) -> Option<f64> {
    if n == 0 {
        return None;
    }
    Some(x.sqrt() + n as f64)
}

#[grad]
fn a_default_for_a_constant(x: f64, n: usize) -> f64 {
    let a = rooted(4.0, n).unwrap_or(x);
    let option = rooted(9.0, n);
    let b = if let Some(v) = option { v } else { x * x };
    a * x + b.sin()
}

#[test]
fn constant_options_with_active_defaults() {
    check!(a_default_for_a_constant(value x = 0.7, constant n = 0));
    check!(a_default_for_a_constant(value x = 0.7, constant n = 2));
}

#[grad]
fn walked_by_constant_code(x: f64, #[constant] data: &[f64]) -> f64 {
    let mut rest = &data[1..];
    let mut most = 0.4;
    while let [z, tail @ ..] = rest {
        if *z > 0.0 {
            most = f64::cos(most) * z;
        }
        rest = tail;
    }
    let (mut even, mut odd) = (data, &data[1..]);
    let mut sum = 0.0;
    for _ in 0..3 {
        sum = f64::sin(sum) * even[0] + odd[1];
        std::mem::swap(&mut even, &mut odd);
    }
    let mut window = data;
    let mut y = x;
    for i in 0..4 {
        if i % 2 == 0 {
            window = &window[1..];
        }
        y = y * x.sin() * window[0] + window[1] * x;
        if i == 2 {
            window = data;
        }
    }
    y * most + sum * x
}

#[test]
fn references_that_constant_code_moves() {
    check!(walked_by_constant_code(value x = 1.2, constant data = &[0.3, 0.7, 1.1, 0.2, -0.3]));
}

#[grad]
fn weighted(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[1].sin() + a[1] * b[2]
}

#[grad]
fn lent_twice(u: &mut [f64], t: f64) -> f64 {
    u[1] *= t;
    let both = weighted(&u[0..2], u) + weighted(u, u);
    u[0] += both;
    t * weighted(u, &u[0..3])
}

#[grad]
fn lends_twice(mut u: [f64; 3], t: f64) -> f64 {
    lent_twice(&mut u, t) + u[0] * u[1]
}

#[test]
fn an_exclusive_reference_lent_twice_is_shared() {
    check!(lends_twice(value u = [0.3, 0.7, 1.1], value t = 0.6));
}

#[grad]
fn taken_out_and_made_active(x: f64) -> f64 {
    let mut a = vec![0.5; 2];
    let mut s = x;
    for _ in 0..3 {
        let mut v = std::mem::replace(&mut a, vec![1.18; 2]);
        v[0] *= x.sin();
        s += v[0] * v[1] * a[0].sin();
        a[1] = 0.3;
        let mut w = std::mem::take(&mut a);
        w.push(s);
        s += w[0] * w[2];
        a = vec![0.7; 2];
    }
    s
}

#[test]
fn what_is_taken_out_has_memory_of_its_own() {
    check!(taken_out_and_made_active(value x = 0.7));
}

#[grad]
fn walked_through_a_slice_of_a_vector(x: f64) -> f64 {
    let mut a = vec![0.5, 0.25];
    let mut v = 1.04f64;
    let mut rest = &a[..];
    while let [z, tail @ ..] = rest {
        if *z > -0.18 {
            v = v.cos() * z;
        }
        rest = tail;
    }
    a[0] = 0.7;
    x * v * a[1] + a[0] * x * x
}

#[test]
fn constants_are_walked_through() {
    check!(walked_through_a_slice_of_a_vector(value x = 0.7));
}

#[grad]
fn counted(v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..(v.len() + 1).saturating_sub(2) {
        s += v[(i + 1).min(v.len() - 1)] * v[i.saturating_sub(1)];
    }
    let k = 7_usize;
    let far = k.wrapping_sub(v.len());
    let near = (v.len() * 2).checked_sub(3).unwrap_or(0) % v.len();
    s * v[far % v.len()] * v[k.rem_euclid(v.len())] + v[near]
}

#[test]
fn numbers_of_elements_are_counted_with() {
    check!(counted(shared v = vec![0.7]));
    check!(counted(shared v = vec![0.6, -0.4, 1.2, 0.2, 0.8]));
}

#[grad]
fn counted_sine(x: f64) -> f64 {
    let _ = tick();
    x.sin()
}

/// What an iterator skips is made all the same.
#[grad]
fn skipped_calls(xs: &[f64], p: f64) -> f64 {
    let a: f64 = xs.iter().map(|x| counted_sine(*x) * p).skip(2).sum();
    let b: f64 = xs
        .iter()
        .map(|x| 0.5 + counted_sine(0.1) * x)
        .step_by(2)
        .sum();
    let c: f64 = xs.iter().copied().map(counted_sine).skip(1).take(1).sum();
    a * p + b + c
}

#[test]
fn functions_are_called_for_skipped_items() {
    check!(skipped_calls(shared xs = [0.3, 0.8, -0.4, 1.1], value p = 0.7));
    let xs = [0.3, 0.8, -0.4, 1.1];
    reset();
    let _ = skipped_calls(&xs, 0.7);
    let expected = reset();
    for run in 0..3 {
        match run {
            0 => drop(skipped_calls::grad(&xs, 0.7)),
            1 => drop(skipped_calls::vjp(&xs, 0.7, 1.0)),
            _ => drop(skipped_calls::jvp(&xs, 0.7, (&xs, 1.0))),
        }
        assert_eq!(reset(), expected);
    }
}

struct Steps {
    left: usize,
}

impl Iterator for Steps {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }
}

#[grad]
fn walked_by_a_struct(x: f64) -> f64 {
    let mut s = 0.0;
    for k in (Steps { left: 3 }) {
        s = s * x + x * k as f64;
    }
    s
}

#[test]
fn structs_that_iterate() {
    check!(walked_by_a_struct(value x = 0.7));
}
