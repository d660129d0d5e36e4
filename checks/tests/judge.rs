//! The judge notices every kind of fault.

use autodiff_checks::effect::tick;
use autodiff_checks::judge::{Case, Closeness, judge};
use autodiff_checks::random::Random;

fn primal(x: &[f64]) -> Vec<f64> {
    tick();
    vec![x[0] * x[1], x[1].sin()]
}

fn jvp(x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (
        primal(x),
        vec![v[0] * x[1] + x[0] * v[1], x[1].cos() * v[1]],
    )
}

fn vjp(x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (
        primal(x),
        vec![w[0] * x[1], w[0] * x[0] + x[1].cos() * w[1]],
    )
}

fn jacobian(x: &[f64]) -> Vec<f64> {
    vec![x[1], x[0], 0.0, x[1].cos()]
}

fn into(x: &[f64], w: &[f64], before: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (value, gradient) = vjp(x, w);
    (
        value,
        before.iter().zip(gradient).map(|(b, g)| b + g).collect(),
    )
}

fn sound<'a>() -> Case<'a> {
    Case {
        primal: &primal,
        jvp: &jvp,
        vjp: &vjp,
        twins: vec![("twin", Closeness::Bits, &vjp)],
        gradients: vec![],
        jacobians: vec![("jacobian", &jacobian)],
        into: vec![("vjp_into", &into)],
        strong: None,
        single: false,
        kinks: false,
        overflows: false,
    }
}

fn complaints(case: &Case) -> String {
    judge(case, &[0.7, -1.2], &mut Random::new(1))
        .failures
        .join("\n")
}

#[test]
fn nothing_is_wrong_with_a_sound_function() {
    let verdict = judge(&sound(), &[0.7, -1.2], &mut Random::new(1));
    assert_eq!(
        (verdict.failures.len(), verdict.confirmed, verdict.skipped),
        (0, 4, 0),
        "{:?}",
        verdict.failures
    );
}

#[test]
fn both_modes_wrong_in_the_same_way() {
    let jvp = |x: &[f64], v: &[f64]| (primal(x), vec![v[0] * x[1], x[1].cos() * v[1]]);
    let vjp = |x: &[f64], w: &[f64]| (primal(x), vec![w[0] * x[1], x[1].cos() * w[1]]);
    let case = Case {
        jvp: &jvp,
        vjp: &vjp,
        twins: vec![],
        jacobians: vec![],
        into: vec![],
        ..sound()
    };
    assert!(complaints(&case).starts_with("differences"));
}

#[test]
fn modes_that_disagree() {
    let jvp = |x: &[f64], v: &[f64]| {
        (
            primal(x),
            vec![v[0] * x[1] + x[0] * v[1] * (1.0 + 1e-9), x[1].cos() * v[1]],
        )
    };
    assert!(
        complaints(&Case {
            jvp: &jvp,
            ..sound()
        })
        .contains("jvp and vjp")
    );
}

#[test]
fn a_twin_that_is_off_by_one_bit() {
    let twin = |x: &[f64], w: &[f64]| {
        let (value, gradient) = vjp(x, w);
        (
            value,
            gradient.iter().map(|g| g * (1.0 + f64::EPSILON)).collect(),
        )
    };
    assert!(
        complaints(&Case {
            twins: vec![("twin", Closeness::Bits, &twin)],
            ..sound()
        })
        .contains("twin")
    );
    assert_eq!(
        complaints(&Case {
            twins: vec![("twin", Closeness::Rounding, &twin)],
            ..sound()
        }),
        ""
    );
}

#[test]
fn a_value_that_is_off_by_one_bit() {
    let jvp = |x: &[f64], v: &[f64]| {
        let (value, tangent) = jvp(x, v);
        (
            value.iter().map(|y| y * (1.0 + f64::EPSILON)).collect(),
            tangent,
        )
    };
    assert!(
        complaints(&Case {
            jvp: &jvp,
            ..sound()
        })
        .contains("value of jvp")
    );
}

#[test]
fn effects_that_run_twice() {
    let vjp = |x: &[f64], w: &[f64]| {
        tick();
        vjp(x, w)
    };
    assert!(
        complaints(&Case {
            vjp: &vjp,
            ..sound()
        })
        .contains("ran 2 times, not 1")
    );
}

#[test]
fn buffers_that_are_overwritten() {
    let into = |x: &[f64], w: &[f64], _: &[f64]| vjp(x, w);
    assert!(
        complaints(&Case {
            into: vec![("vjp_into", &into)],
            strong: None,
            ..sound()
        })
        .contains("vjp_into")
    );
}

#[test]
fn kinks_are_skipped() {
    let primal = |x: &[f64]| vec![x[0].abs()];
    let jvp = |x: &[f64], v: &[f64]| (vec![x[0].abs()], vec![v[0]]);
    let vjp = |x: &[f64], w: &[f64]| (vec![x[0].abs()], vec![w[0]]);
    let case = Case {
        primal: &primal,
        jvp: &jvp,
        vjp: &vjp,
        twins: vec![],
        jacobians: vec![],
        into: vec![],
        ..sound()
    };
    for x in [0.0, 1e-4, 1e-6] {
        let verdict = judge(&case, &[x], &mut Random::new(1));
        assert!(
            verdict.failures.is_empty(),
            "at {x}: {:?}",
            verdict.failures
        );
    }
}

/// `x₀ + 10⁻⁹ sin(10¹⁰ x₀)`, whose slope at a step of 10⁻⁶ is 1.
fn ripple(x: &[f64]) -> Vec<f64> {
    vec![x[0] + 1e-9 * (1e10 * x[0]).sin()]
}

fn of_ripple(slope: f64) -> autodiff_checks::judge::Verdict {
    let jvp = move |x: &[f64], v: &[f64]| (ripple(x), vec![slope * v[0]]);
    let case = Case::bare(&ripple, &jvp, &jvp);
    judge(&case, &[0.7], &mut Random::new(1))
}

#[test]
fn a_function_that_turns_below_the_steps_of_differences() {
    let right = of_ripple(1.0 + 10.0 * (1e10 * 0.7_f64).cos());
    assert_eq!((right.failures.len(), right.skipped), (0, 1));
    let wrong = of_ripple(1.0 + 11.0 * (1e10 * 0.7_f64).cos());
    assert_eq!(wrong.failures.len(), 1);
}

/// sin(400 x₀), which a first step of 0.02 steps over.
fn of_wave(slope: impl Fn(f64) -> f64) -> autodiff_checks::judge::Verdict {
    let wave = |x: &[f64]| vec![(400.0 * x[0]).sin()];
    let jvp = |x: &[f64], v: &[f64]| (wave(x), vec![slope(x[0]) * v[0]]);
    judge(&Case::bare(&wave, &jvp, &jvp), &[0.0], &mut Random::new(1))
}

#[test]
fn a_function_that_needs_smaller_steps() {
    let right = of_wave(|x| 400.0 * (400.0 * x).cos());
    assert_eq!((right.failures.len(), right.confirmed), (0, 1));
    let wrong = of_wave(|x| 410.0 * (400.0 * x).cos());
    assert_eq!(wrong.failures.len(), 1);
}

/// max(min(x, 0), 0), which is zero.
fn kinked(kinks: bool, beside: f64) -> autodiff_checks::judge::Verdict {
    let zero = |x: &[f64]| {
        let low = x[0].min(0.0);
        vec![low.max(0.0)]
    };
    let jvp = |x: &[f64], v: &[f64]| {
        let slope = if x[0] == 0.0 { 0.25 } else { beside };
        (zero(x), vec![slope * v[0]])
    };
    let case = Case {
        kinks,
        ..Case::bare(&zero, &jvp, &jvp)
    };
    judge(&case, &[0.0], &mut Random::new(1))
}

#[test]
fn kinks_that_cancel_have_the_slope_of_the_rules() {
    let right = kinked(true, 0.0);
    assert_eq!((right.failures.len(), right.skipped), (0, 1));
    assert_eq!(kinked(false, 0.0).failures.len(), 1);
    assert_eq!(kinked(true, 0.25).failures.len(), 1);
}

#[test]
fn a_tangent_that_meets_an_infinite_slope() {
    let flat = |x: &[f64]| vec![x[0].sinh().tanh()];
    let jvp = |x: &[f64], _: &[f64]| (flat(x), vec![f64::NAN]);
    let vjp = |x: &[f64], _: &[f64]| (flat(x), vec![0.0]);
    let fails = |overflows| {
        let case = Case {
            overflows,
            ..Case::bare(&flat, &jvp, &vjp)
        };
        let verdict = judge(&case, &[800.0], &mut Random::new(1));
        verdict.failures.len()
    };
    assert_eq!((fails(true), fails(false)), (0, 1));
}

#[test]
fn a_tangent_that_is_nothing_at_one_point_alone() {
    let jvp = |x: &[f64], v: &[f64]| {
        let slope = if x[0] == 0.5 { f64::NAN } else { x[0].exp() };
        (vec![x[0].exp()], vec![slope * v[0]])
    };
    let vjp = |x: &[f64], w: &[f64]| (vec![x[0].exp()], vec![x[0].exp() * w[0]]);
    let value = |x: &[f64]| vec![x[0].exp()];
    let case = Case {
        overflows: true,
        ..Case::bare(&value, &jvp, &vjp)
    };
    let verdict = judge(&case, &[0.5], &mut Random::new(1));
    assert!(!verdict.failures.is_empty());
}

#[test]
fn other_forms_differ_by_the_rounding_of_what_cancels() {
    let value = |x: &[f64]| vec![1.9e-7 * x[0]];
    let sweep = |x: &[f64], v: &[f64]| (value(x), vec![1.9e-7 * v[0]]);
    let fails = |error: f64| {
        let gradient = move |x: &[f64]| (Some(value(x)), vec![1.9e-7 + error]);
        let case = Case {
            gradients: vec![("grad", &gradient)],
            ..Case::bare(&value, &sweep, &sweep)
        };
        judge(&case, &[0.7], &mut Random::new(1)).failures.len()
    };
    assert_eq!((fails(3e-19), fails(3e-18)), (0, 1));
}

#[test]
fn a_function_that_nothing_resolves() {
    // Of what the sine is taken is known to a thousandth of a turn.
    let f = |x: &[f64]| vec![1e9 * x[0] + (3e12 * x[0] + 0.3).sin()];
    let fails = |slope: f64| {
        let jvp = move |x: &[f64], v: &[f64]| (f(x), vec![slope * v[0]]);
        let case = Case::bare(&f, &jvp, &jvp);
        judge(&case, &[0.7], &mut Random::new(1)).failures.len()
    };
    let slope = |x: f64| 1e9 + 3e12 * (3e12 * x + 0.3).cos();
    assert_eq!((fails(slope(0.7)), fails(slope(0.7) + 1e15)), (0, 1));
}

#[test]
fn a_slope_that_no_number_follows() {
    // Neighbours of 0.7 are half a turn of the sine apart.
    let f = |x: &[f64]| vec![3e16 * x[0] + (3e16 * x[0]).sin()];
    let fails = |slope: f64| {
        let sweep = move |x: &[f64], v: &[f64]| (f(x), vec![slope * v[0]]);
        judge(&Case::bare(&f, &sweep, &sweep), &[0.7], &mut Random::new(1))
            .failures
            .len()
    };
    assert_eq!((fails(4.2e16), fails(1e18)), (0, 1));
    let g = |x: &[f64]| vec![3e9 * x[0]];
    let wrong = |x: &[f64], v: &[f64]| (g(x), vec![4e9 * v[0]]);
    let verdict = judge(&Case::bare(&g, &wrong, &wrong), &[0.7], &mut Random::new(1));
    assert!(!verdict.failures.is_empty());
}

#[test]
fn a_sine_that_drowns_in_rounding() {
    let fails = |size: f64, turns: f64| {
        let f = move |x: &[f64]| vec![size * x[0] + (turns * x[0]).sin()];
        let slope = move |x: &[f64]| size + turns * (turns * x[0]).cos();
        let sweep = move |x: &[f64], v: &[f64]| (f(x), vec![slope(x) * v[0]]);
        judge(&Case::bare(&f, &sweep, &sweep), &[0.7], &mut Random::new(1))
            .failures
            .len()
    };
    assert_eq!(fails(1e20, 1e40), 0);
    // A thousand times as fast as the values run: nothing that a sine of them would do.
    assert_eq!((fails(1e20, 1e23), fails(1e12, 1e40)), (1, 1));
}

#[test]
fn what_is_small_is_lost_where_values_overflow() {
    // The sine of a number of which 10¹⁸ has left nothing: it does not change, and its derivative is no zero.
    let fails = |other: f64| {
        let f = move |x: &[f64]| vec![(1e18 + x[0]).sin(), other];
        let slope = |x: &[f64]| (1e18 + x[0]).cos();
        let jvp = move |x: &[f64], v: &[f64]| (f(x), vec![slope(x) * v[0], 0.0]);
        let vjp = move |x: &[f64], w: &[f64]| (f(x), vec![slope(x) * w[0]]);
        judge(&Case::bare(&f, &jvp, &vjp), &[0.7], &mut Random::new(1))
            .failures
            .len()
    };
    assert_eq!((fails(f64::INFINITY), fails(1e18)), (0, 1));
}
