//! What a guard does not select contributes nothing, however steep it is where it stands.

use autodiff::grad;

use crate::check::near;

#[grad(order = 2)]
fn quotient_before_its_guard(x: f64, d: f64) -> f64 {
    let inv = 1.0 / d;
    let a = x * inv;
    if d > 0.0 { a } else { 0.0 }
}

#[grad(order = 2)]
fn overflow_before_its_test(x: f64, d: f64) -> f64 {
    let a = x.exp() * (d * d).exp();
    let b = x * d;
    if a.is_finite() { a } else { b }
}

#[grad(order = 2)]
fn logs_of_counts(x: f64, counts: &[f64]) -> f64 {
    let mut s = x;
    for i in 0..counts.len() {
        let c = counts[i];
        let w = c.ln() * x;
        if c > 0.0 {
            s += c * w;
        }
    }
    s * s
}

#[grad(order = 2)]
fn logs_in_a_recurrence(x: f64, counts: &[f64]) -> f64 {
    let mut s = x;
    for &c in counts {
        let w = c.ln() * x;
        if c > 0.0 {
            s = 0.5 * s + c * w * s;
        }
    }
    s
}

#[grad(order = 2)]
fn some_arms_of_a_match(x: f64, d: f64, k: usize) -> f64 {
    let r = 1.0 / d;
    let q = x * r;
    match k {
        0 => q,
        1 if d > 0.0 => q * r,
        2 => {
            if d > 0.0 {
                q * q
            } else if x > 0.0 {
                x * x
            } else {
                d
            }
        }
        _ => x * d,
    }
}

#[grad(order = 2)]
fn two_guards_of_one_value(x: f64, d: f64) -> f64 {
    let a = x * (1.0 / d);
    let mut s = x * x;
    if d > 0.0 {
        s += a * x;
    }
    if d > 0.5 {
        s += a * a;
    }
    s
}

#[grad(order = 2)]
fn a_guard_in_a_loop_behind_it(x: f64, d: f64, v: &[f64]) -> f64 {
    let a = x * (1.0 / d);
    let mut s = x;
    for i in 0..v.len() {
        if v[i] * d > 0.1 {
            s = s * a + v[i];
        }
    }
    s
}

#[grad(order = 2)]
fn a_guard_in_a_sum_behind_it(x: f64, d: f64, v: &[f64]) -> f64 {
    let a = x * (1.0 / d);
    let mut s = x * x;
    for i in 0..v.len() {
        if v[i] * d > 0.1 {
            s += a * v[i];
        }
    }
    s
}

#[grad(order = 2)]
fn nearest(x: [f64; 2], centres: &[[f64; 2]]) -> f64 {
    let mut best = 1e9;
    for k in 0..centres.len() {
        let mut d2 = 0.0;
        for j in 0..2 {
            let e = x[j] - centres[k][j];
            d2 += e * e;
        }
        best = if d2 < best { d2 } else { best };
    }
    best * x[0]
}

/// The rounds inside remember something, so the loop around runs them without a cotangent, too.
#[grad(order = 2)]
fn nearest_by_another_measure(x: [f64; 2], centres: &[[f64; 2]]) -> f64 {
    let mut best = 1e9;
    for k in 0..centres.len() {
        let mut d2 = 0.0;
        for j in 0..2 {
            let e = (x[j] - centres[k][j]).sin();
            d2 = d2 * 0.5 + e * e.exp();
        }
        best = if d2 < best { d2 } else { best };
    }
    best * x[0]
}

#[grad(order = 2)]
fn a_sum_before_its_guard(x: f64, d: f64, v: &[f64]) -> f64 {
    let mut t = 0.0;
    for i in 0..v.len() {
        t += v[i] * (1.0 / d);
    }
    let m = t * x;
    if d > 0.0 { m } else { x }
}

#[grad(order = 2)]
fn ratio(x: f64, v: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * x;
    }
    s / (x * x)
}

#[grad(order = 2)]
fn a_call_before_its_guard(x: f64, d: f64, v: &[f64]) -> f64 {
    let a = ratio(d, v) * x;
    if d != 0.0 { a } else { x }
}

#[grad(order = 2)]
fn selected_before_it_is_guarded(x: f64, d: f64) -> f64 {
    let p = if x > 0.0 {
        x * (1.0 / d)
    } else {
        d.ln() * x * d.recip()
    };
    if d > 0.0 { p * p } else { x }
}

#[grad(order = 2)]
fn memory_between(x: f64, d: f64) -> f64 {
    let mut b = [x, d];
    let a = b[0] * (1.0 / b[1]);
    b[0] = 3.0;
    b[1] = x;
    let t = b[1] * b[0];
    if d > 0.0 { a * b[1] } else { t }
}

#[grad(order = 2)]
fn memory_in_a_loop(x: f64, d: f64, v: &[f64]) -> f64 {
    let mut b = [x, d, 1.0];
    for i in 0..v.len() {
        let a = b[0] * (1.0 / b[1]);
        b[1] = b[1] + v[i] * v[i];
        b[2] = b[2] * 0.5 + v[i];
        b[0] = if a.is_finite() { a * b[2] } else { b[2] * b[2] };
    }
    b[0] * b[2]
}

#[grad(order = 2)]
fn an_exit_is_a_guard(x: f64, d: f64) -> f64 {
    let p = x * (1.0 / d);
    if d == 0.0 {
        return x;
    }
    p * p
}

#[grad(order = 2)]
fn an_option_is_a_guard(x: f64, d: f64) -> f64 {
    let p = x * (1.0 / d);
    let found = if d > 0.0 { Some(p) } else { None };
    match found {
        Some(q) => q * q,
        None => x,
    }
}

/// First and second derivatives by `x` and `d` against closed forms, in every form that goes backwards and in forward mode.
macro_rules! closed {
    ($f:ident($x:expr, $d:expr $(, $more:expr)*): $gradient:expr, $hessian:expr) => {{
        let (gx, gd): (f64, f64) = $gradient;
        let [[xx, xd], [_, dd]]: [[f64; 2]; 2] = $hessian;
        let first = |g: &dyn Fn(usize) -> f64| near(&[g(0), g(1)], &[gx, gd], 1e-13);
        let g = $f::grad($x, $d $(, $more)*);
        first(&|k| [g.0, g.1][k]);
        let g = $f::vjp($x, $d $(, $more)*, 1.0).1;
        first(&|k| [g.0, g.1][k]);
        let g = $f::pullback($x, $d $(, $more)*).1(1.0);
        first(&|k| [g.0, g.1][k]);
        let h = $f::hessian($x, $d $(, $more)*);
        near(&[h[[0, 0]], h[[0, 1]], h[[1, 0]], h[[1, 1]]], &[xx, xd, xd, dd], 1e-13);
    }};
}

const FLAT: [[f64; 2]; 2] = [[0.0; 2]; 2];

/// Each of two cotangents, of the result and of what the loop carries, is present by what some arms say of the other.
#[grad(order = 2)]
fn exits_of_some_arms(x: f64, y: f64, ks: &[usize]) -> f64 {
    let mut s = x;
    for k in ks {
        s = match *k {
            0 => logs_of_counts(s, &[1.0, 0.0]) * 0.3,
            1 => break,
            2 => return s * y,
            _ => s * y,
        };
    }
    s
}

#[test]
fn a_singular_value_that_is_not_selected_contributes_nothing() {
    for x in [1.5, 0.0, -0.7] {
        for d in [0.0, -0.0] {
            closed!(quotient_before_its_guard(x, d): (0.0, 0.0), FLAT);
            closed!(two_guards_of_one_value(x, d): (2.0 * x, 0.0), [[2.0, 0.0], [0.0, 0.0]]);
            closed!(selected_before_it_is_guarded(x, d): (1.0, 0.0), FLAT);
            closed!(memory_between(x, d): (3.0, 0.0), FLAT);
            closed!(an_exit_is_a_guard(x, d): (1.0, 0.0), FLAT);
            closed!(an_option_is_a_guard(x, d): (1.0, 0.0), FLAT);
            closed!(some_arms_of_a_match(x, d, 1): (d, x), [[0.0, 1.0], [1.0, 0.0]]);
            closed!(some_arms_of_a_match(x, d, 3): (d, x), [[0.0, 1.0], [1.0, 0.0]]);
        }
        closed!(overflow_before_its_test(x, 30.0): (30.0, x), [[0.0, 1.0], [1.0, 0.0]]);
    }
    closed!(some_arms_of_a_match(1.5, 0.0, 2): (3.0, 0.0), [[2.0, 0.0], [0.0, 0.0]]);
    closed!(some_arms_of_a_match(-1.5, 0.0, 2): (0.0, 1.0), FLAT);
}

/// The gradient and a column of the Hessian by `x`, `d` and the list.
macro_rules! behind_a_loop {
    ($f:ident($x:expr, $d:expr, $v:expr): $gradient:expr, $column:expr) => {{
        let v: &[f64] = $v;
        let zeros = vec![0.0; v.len()];
        let (gx, gd, gv): (f64, f64, Vec<f64>) = $gradient;
        near(&$f::grad($x, $d, v), &(gx, gd, gv.clone()), 1e-13);
        near(&$f::vjp($x, $d, v, 1.0).1, &(gx, gd, gv.clone()), 1e-13);
        near(&$f::pullback($x, $d, v).1(1.0), &(gx, gd, gv), 1e-13);
        let (_, column) = $f::hvp($x, $d, v, (1.0, 0.0, &zeros));
        near(&column, &$column, 1e-13);
    }};
}

#[test]
fn nor_does_one_that_no_round_selects() {
    let v = [1.5, 0.0, -2.0];
    let zeros = vec![0.0; 3];
    for x in [1.5, -0.7] {
        let flat = (0.0, 0.0, zeros.clone());
        behind_a_loop!(a_guard_in_a_loop_behind_it(x, 0.0, &v): (1.0, 0.0, zeros.clone()), flat.clone());
        behind_a_loop!(a_guard_in_a_sum_behind_it(x, 0.0, &v): (2.0 * x, 0.0, zeros.clone()), (2.0, 0.0, zeros.clone()));
        behind_a_loop!(a_sum_before_its_guard(x, 0.0, &v): (1.0, 0.0, zeros.clone()), flat.clone());
        behind_a_loop!(a_call_before_its_guard(x, 0.0, &v): (1.0, 0.0, zeros.clone()), flat.clone());
    }
    // (½ + v)³
    let b = 1.5 + 0.5;
    let gradient = memory_in_a_loop::grad(0.7, 0.0, &[1.5]);
    near(&gradient, &(0.0, 0.0, vec![3.0 * b * b]), 1e-13);
}

#[test]
fn logs_of_zero_counts_are_skipped() {
    let (x, counts) = (0.7, [2.0, 0.0, 1.0, -0.0, 3.0]);
    let log = |c: f64| if c > 0.0 { c * c.ln() } else { 0.0 };
    let slope = |c: f64| if c > 0.0 { c.ln() + 1.0 } else { 0.0 };
    // (x (1 + Σ c ln c))²
    let k = 1.0 + counts.iter().map(|&c| log(c)).sum::<f64>();
    let by_counts: Vec<f64> = counts.iter().map(|&c| 2.0 * x * x * k * slope(c)).collect();
    let expected = (2.0 * x * k * k, by_counts);
    near(&logs_of_counts::grad(x, &counts), &expected, 1e-13);
    near(&logs_of_counts::vjp(x, &counts, 1.0).1, &expected, 1e-13);
    near(
        &logs_of_counts::pullback(x, &counts).1(1.0),
        &expected,
        1e-13,
    );
    let (_, column) = logs_of_counts::hvp(x, &counts, (1.0, &[0.0; 5]));
    let bend: Vec<f64> = counts.iter().map(|&c| 4.0 * x * k * slope(c)).collect();
    near(&column, &(2.0 * k * k, bend), 1e-13);

    // x ∏ (½ + x c ln c) over what is counted
    let counted: Vec<f64> = counts.iter().copied().filter(|&c| c > 0.0).collect();
    let all: f64 = counted.iter().map(|&c| 0.5 + x * log(c)).product();
    let shares = counted.iter().map(|&c| x * log(c) / (0.5 + x * log(c)));
    let by_x = all * (1.0 + shares.sum::<f64>());
    let by_counts: Vec<f64> = counts
        .iter()
        .map(|&c| x * all * x * slope(c) / (0.5 + x * log(c)))
        .collect();
    let expected = (by_x, by_counts);
    near(&logs_in_a_recurrence::grad(x, &counts), &expected, 1e-13);
    near(
        &logs_in_a_recurrence::pullback(x, &counts).1(1.0),
        &expected,
        1e-13,
    );
    let step = 1e-5;
    let (up, down) = (
        logs_in_a_recurrence::grad(x + step, &counts),
        logs_in_a_recurrence::grad(x - step, &counts),
    );
    let (_, column) = logs_in_a_recurrence::hvp(x, &counts, (1.0, &[0.0; 5]));
    near(&column.0, &((up.0 - down.0) / (2.0 * step)), 1e-7);
    let bend: Vec<f64> =
        up.1.iter()
            .zip(&down.1)
            .map(|(a, b)| (a - b) / (2.0 * step))
            .collect();
    near(&column.1, &bend, 1e-7);
}

#[test]
fn what_is_selected_has_its_derivatives() {
    for (x, d) in [(0.8, 1.3), (-0.6, 0.4), (1.1, -0.9)] {
        check!(quotient_before_its_guard(value x = x, value d = d));
        check!(overflow_before_its_test(value x = x, value d = d));
        check!(two_guards_of_one_value(value x = x, value d = d));
        check!(memory_between(value x = x, value d = d));
        check!(an_exit_is_a_guard(value x = x, value d = d));
        check!(an_option_is_a_guard(value x = x, value d = d));
        for k in 0..4 {
            check!(some_arms_of_a_match(value x = x, value d = d, constant k = k));
        }
        let v = [1.5, 0.2, -0.7, 0.4];
        check!(a_guard_in_a_loop_behind_it(value x = x, value d = d, shared v = v));
        check!(a_guard_in_a_sum_behind_it(value x = x, value d = d, shared v = v));
        check!(a_sum_before_its_guard(value x = x, value d = d, shared v = v));
        check!(a_call_before_its_guard(value x = x, value d = d, shared v = v));
        check!(memory_in_a_loop(value x = x, value d = d, shared v = v));
    }
    check!(selected_before_it_is_guarded(value x = 0.8, value d = 1.3));
    check!(selected_before_it_is_guarded(value x = -0.6, value d = 0.4));
    check!(logs_of_counts(value x = 0.7, shared counts = [2.0, 0.4, 1.0]));
    check!(logs_in_a_recurrence(value x = 0.7, shared counts = [2.0, 0.4, 1.0]));
}

#[test]
fn the_nearest_centre_has_the_gradient() {
    let centres = [[2.0, 1.0], [0.5, 0.25], [-1.0, 3.0], [0.75, 0.5]];
    for x in [[0.4, 0.2], [1.9, 0.7], [-0.8, 2.0]] {
        check!(nearest(value x = x, shared centres = centres));
        check!(nearest_by_another_measure(value x = x, shared centres = centres));
        // (e₀² + e₁²) x₀ of the nearest one.
        let distance = |c: &[f64; 2]| (x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2);
        let c = centres
            .iter()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let c = c.expect("there are some");
        let e = [x[0] - c[0], x[1] - c[1]];
        let flat = [[0.0; 2]; 4];
        let (gradient, column) = nearest::hvp(x, &centres, ([1.0, 0.0], &flat));
        let by_x = [distance(c) + 2.0 * e[0] * x[0], 2.0 * e[1] * x[0]];
        near(&gradient.0, &by_x, 1e-13);
        near(&column.0, &[4.0 * e[0] + 2.0 * x[0], 2.0 * e[1]], 1e-13);
    }
}

#[test]
fn exits_of_some_arms_have_the_gradient() {
    for ks in [
        &[][..],
        &[0, 3, 0],
        &[0, 3, 1, 0],
        &[3, 0, 2, 0],
        &[3, 3, 3],
        &[2],
        &[1],
    ] {
        check!(exits_of_some_arms(value x = 0.7, value y = 0.4, constant ks = ks));
        check_second!(exits_of_some_arms(value x = 0.7, value y = 0.4, constant ks = ks));
    }
}
