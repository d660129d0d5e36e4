//! The functions that std lacks, with the derivatives beside them.
#![cfg(all(feature = "alloc", any(feature = "std", feature = "libm")))]

use autodiff_runtime::functions::{
    erf, erfc, gelu, gelu_tanh, logsumexp, relu, sigmoid, silu, softplus,
};

/// Within a few units of the last digit.
fn close(found: f64, truth: f64) -> bool {
    (found - truth).abs() <= 4.0 * f64::EPSILON / 2.0 * truth.abs()
}

#[test]
fn logsumexp_is_accurate_at_the_ends() {
    // True figures, rounded once from many digits.
    let points: &[(&[f64], f64, &[f64])] = &[
        (&[0.0, 0.0], std::f64::consts::LN_2, &[0.5, 0.5]),
        (
            &[-3.0, 0.5],
            0.5297504182726206,
            &[0.02931223075135632, 0.9706877692486436],
        ),
        (
            &[5.0, -5.0],
            5.000045398899217,
            &[0.9999546021312976, 4.5397868702434395e-05],
        ),
        (
            &[-1000.0, -1001.0],
            -999.6867383124818,
            &[0.7310585786300049, 0.2689414213699951],
        ),
        (&[-745.0, 0.0], 5e-324, &[5e-324, 1.0]),
        (&[f64::NEG_INFINITY, 1.0], 1.0, &[0.0, 1.0]),
        (
            &[0.0, 0.0, 0.0],
            1.0986122886681098,
            &[0.3333333333333333, 0.3333333333333333, 0.3333333333333333],
        ),
        (
            &[-3.0, 0.5, 0.25],
            1.0927731928657807,
            &[0.016692876743401208, 0.5527921578484749, 0.4305149654081239],
        ),
        (
            &[1000.0, 1001.0, 999.0],
            1001.4076059644444,
            &[0.24472847105479764, 0.6652409557748219, 0.09003057317038046],
        ),
        (&[800.0, 0.0, -800.0], 800.0, &[1.0, 0.0, 0.0]),
    ];
    for &(xs, value, gradient) in points {
        let (found_value, found_gradient) = logsumexp::value_and_grad(xs);
        assert!(
            close(found_value, value),
            "{xs:?}: {found_value}, not {value}"
        );
        for (found, &truth) in found_gradient.iter().zip(gradient) {
            assert!(close(*found, truth), "{xs:?}: {found}, not {truth}");
        }
        assert_eq!(found_gradient.len(), gradient.len());
    }
}

/// One large entry and many that are the same, whose derivatives have closed forms.
#[test]
fn digits_of_logsumexp_do_not_depend_on_the_number_of_terms() {
    for count in [1_u32, 10, 1000, 10_000] {
        for gap in [0.0_f64, 0.3, 5.0, 40.0, 300.0] {
            let mut xs = vec![-gap; count as usize + 1];
            xs[0] = 0.0;
            let e = (-gap).exp();
            let all = 1.0 + f64::from(count) * e;
            let (first, other, rest) = (1.0 / all, e / all, f64::from(count) * e / all);
            let near = |found: f64, truth: f64| {
                let fine = (found - truth).abs() <= 16.0 * f64::EPSILON * truth.abs();
                assert!(
                    fine,
                    "{count} entries {gap} below: {found:e}, not {truth:e}"
                );
            };
            let gradient = logsumexp::grad(&xs);
            near(gradient[0], first);
            near(gradient[1], other);
            let axis = |k: usize| {
                let mut axis = vec![0.0; xs.len()];
                axis[k] = 1.0;
                axis
            };
            let zero = vec![0.0; xs.len()];
            let third = |i: usize, j: usize| {
                let (u, v) = (axis(i), axis(j));
                let (.., mixed, back) = logsumexp::__jvp_jvp_fwd(&xs, &u, &v, &zero);
                let mut bars = [zero.clone(), zero.clone(), zero.clone(), zero.clone()];
                let [a, b, c, d] = &mut bars;
                back(1.0, 0.0, 0.0, 0.0, &xs, &u, &v, &zero, a, b, c, d);
                let [_, along, _, third] = bars;
                near(along[j], mixed);
                (along, third)
            };
            let (along, twice) = third(0, 0);
            near(along[0], first * rest);
            near(along[1], -first * other);
            if (first - rest).abs() > 0.2 {
                near(twice[0], first * rest * (rest - first));
                near(twice[1], other * first * (first - rest));
            }
            let (along, mixed) = third(0, 1);
            near(along[0], first * rest);
            near(along[1], -first * other);
            if count > 1 {
                near(along[2], -first * other);
                near(mixed[2], 2.0 * first * other * other);
            }
        }
    }
}

#[test]
fn logsumexp_of_the_infinite() {
    let infinity = f64::INFINITY;
    assert_eq!(logsumexp::<f64>(&[]), -infinity);
    assert_eq!(
        logsumexp::value_and_grad(&[-infinity, -infinity]),
        (-infinity, vec![0.5, 0.5])
    );
    assert_eq!(
        logsumexp::value_and_grad(&[infinity, 1.0, infinity]),
        (infinity, vec![0.5, 0.0, 0.5])
    );
    assert!(logsumexp(&[1.0, f64::NAN]).is_nan());
    assert!(logsumexp(&[f64::NAN, infinity]).is_nan());
}

#[test]
fn all_forms_of_logsumexp_agree() {
    let xs = [0.3, -1.2, 2.0];
    let (value, gradient) = logsumexp::value_and_grad(&xs);
    assert_eq!(logsumexp::grad(&xs), gradient);
    assert_eq!(
        logsumexp::vjp(&xs, 2.0),
        (value, gradient.iter().map(|g| 2.0 * g).collect())
    );

    let mut shadow = logsumexp::__zero_0(&xs);
    assert_eq!(logsumexp::__vjp(&xs, 1.0, &mut shadow), (value, ()));
    assert_eq!(shadow, gradient);
    let (again, pullback) = logsumexp::__fwd(&xs);
    pullback(1.0, &xs, &mut shadow);
    assert_eq!(
        (again, &shadow),
        (value, &gradient.iter().map(|g| g + g).collect())
    );

    let tangent = [1.0, 2.0, -1.0];
    let directional: f64 = gradient.iter().zip(tangent).map(|(g, t)| g * t).sum();
    let (value_again, found) = logsumexp::__jvp(&xs, &tangent);
    assert_eq!(value_again, value);
    assert!(close(found, directional), "{found}, not {directional}");
}

#[test]
fn tangents_of_logsumexp_have_its_length() {
    let panic = std::panic::catch_unwind(|| logsumexp::jvp(&[1.0, 2.0], &[1.0])).unwrap_err();
    assert_eq!(
        *panic.downcast::<String>().unwrap(),
        "logsumexp: 2 entries, but a tangent of length 1"
    );
}

#[test]
fn all_forms_of_a_row_agree() {
    macro_rules! check {
        ($($name:ident)*) => { $(
            let (value, slope) = ($name(0.7_f64), $name::grad(0.7));
            assert_eq!($name::value_and_grad(0.7), (value, slope));
            assert_eq!($name::jvp(0.7, 2.0), (value, 2.0 * slope));
            assert_eq!($name::vjp(0.7, 2.0), (value, 2.0 * slope));
            assert_eq!($name::__jvp(0.7, 2.0), (value, 2.0 * slope));
            assert_eq!($name::__vjp(0.7, 2.0), (value, (2.0 * slope,)));
            let (again, pullback) = $name::__fwd(0.7);
            assert_eq!((again, pullback(2.0)), (value, (2.0 * slope,)));
            assert_eq!($name::__zero_0(&0.7), 0.0);
            let (single, truth) = ($name::grad(0.7_f32), $name::grad(f64::from(0.7_f32)) as f32);
            assert!((single - truth).abs() <= 2.0 * f32::EPSILON, "{}", stringify!($name));
        )* };
    }
    check!(sigmoid softplus relu silu gelu gelu_tanh erf erfc);
}

#[test]
fn ends_of_the_line() {
    let infinity = f64::INFINITY;
    let ends = |f: fn(f64) -> f64| [f(-infinity), f(infinity)];
    assert_eq!(ends(sigmoid), [0.0, 1.0]);
    assert_eq!(ends(softplus), [0.0, infinity]);
    assert_eq!(ends(relu), [0.0, infinity]);
    assert_eq!(ends(silu), [0.0, infinity]);
    assert_eq!(ends(gelu), [0.0, infinity]);
    assert_eq!(ends(gelu_tanh), [0.0, infinity]);
    assert_eq!(ends(erf), [-1.0, 1.0]);
    assert_eq!(ends(erfc), [2.0, 0.0]);

    assert_eq!(ends(sigmoid::grad), [0.0, 0.0]);
    assert_eq!(ends(softplus::grad), [0.0, 1.0]);
    assert_eq!(ends(relu::grad), [0.0, 1.0]);
    assert_eq!(ends(silu::grad), [0.0, 1.0]);
    assert_eq!(ends(gelu::grad), [0.0, 1.0]);
    assert_eq!(ends(gelu_tanh::grad), [0.0, 1.0]);
    assert_eq!(ends(erf::grad), [0.0, 0.0]);
    assert_eq!(ends(erfc::grad), [0.0, 0.0]);

    for f in [sigmoid, softplus, relu, silu, gelu, gelu_tanh, erf, erfc] {
        assert!(f(f64::NAN).is_nan());
    }
}

#[test]
fn not_chosen_is_zero_whatever_the_cotangent() {
    assert_eq!(relu::vjp(-1.0, f64::NAN), (0.0, 0.0));
    assert_eq!(relu::vjp(1.0, f64::INFINITY), (1.0, f64::INFINITY));
}
