//! The rule table against differences, against true figures, and against itself.
#![cfg(any(feature = "std", feature = "libm"))]

mod expression;
mod points;

use autodiff_runtime::float::Float;
use autodiff_runtime::rules::evaluate::Row;
use autodiff_runtime::rules::{RULES, Rule};

use crate::expression::{Dual, derivative};
use crate::points::{Allowed, Point, points};

/// Steps over representable numbers from one to the other; none to NaN from NaN.
fn ulps(a: f64, b: f64) -> u64 {
    let place = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN - bits } else { bits }
    };
    if a.is_nan() && b.is_nan() {
        0
    } else if a.is_nan() != b.is_nan() {
        u64::MAX
    } else {
        place(a).abs_diff(place(b))
    }
}

/// Within `steps` of the truth; next to zero, where numbers are coarse, within what is lost there.
fn close(found: f64, truth: f64, steps: u64) -> bool {
    ulps(found, truth) <= steps
        || (truth.abs() < f64::MIN_POSITIVE && (found - truth).abs() < 1e-320)
}

fn partials<T: Float>(row: &Row<T>, at: &[T]) -> Vec<T> {
    let mut partials = vec![T::NAN; at.len()];
    (row.partials)(at, &mut partials);
    partials
}

/// The derivative of `f` by its argument, from differences with three steps, extrapolated.
fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    let step = 0.01;
    let slope = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
    let [coarse, medium, fine] = [slope(step), slope(step / 2.0), slope(step / 4.0)];
    let [coarse, fine] = [(4.0 * medium - coarse) / 3.0, (4.0 * fine - medium) / 3.0];
    (16.0 * fine - coarse) / 15.0
}

/// Every row with its function and its test point.
fn rows() -> impl Iterator<Item = (&'static Rule, &'static Row<f64>)> {
    assert_eq!(RULES.len(), Row::<f64>::ALL.len());
    RULES.iter().zip(Row::<f64>::ALL)
}

/// `at` with entry `i` moved to `x`.
fn moved(at: &[f64], i: usize, x: f64) -> Vec<f64> {
    let mut at = at.to_vec();
    at[i] = x;
    at
}

#[test]
fn partials_are_the_slopes() {
    for (rule, row) in rows() {
        assert_eq!(
            (rule.at.len(), rule.partials.len(), rule.integer.len()),
            (rule.args.len(), rule.args.len(), rule.args.len()),
            "{}",
            rule.name
        );
        let partials = partials(row, rule.at);
        for i in (0..rule.args.len()).filter(|&i| !rule.integer[i]) {
            let slope = difference(|x| (row.value)(&moved(rule.at, i, x)), rule.at[i]);
            assert!(
                (partials[i] - slope).abs() < 1e-9 * slope.abs().max(1.0),
                "{} by {}: {}, not {slope}",
                rule.name,
                rule.args[i],
                partials[i]
            );
        }
    }
}

#[test]
fn partials_have_the_slopes_that_the_table_gives_them() {
    for (rule, row) in rows() {
        for i in (0..rule.args.len()).filter(|&i| !rule.integer[i]) {
            for j in (0..rule.args.len()).filter(|&j| !rule.integer[j] && rule.given[j].is_empty())
            {
                let Dual { value, tangent } = derivative(rule, row, rule.at, i, j);
                assert_eq!(
                    value.to_bits(),
                    partials(row, rule.at)[i].to_bits(),
                    "{} by {}: the text and the function",
                    rule.name,
                    rule.args[i]
                );
                let tangent = tangent.unwrap_or(0.0);
                let slope = difference(|x| partials(row, &moved(rule.at, j, x))[i], rule.at[j]);
                assert!(
                    (tangent - slope).abs() < 1e-9 * slope.abs().max(1.0),
                    "{} by {} and {}: {tangent}, not {slope}",
                    rule.name,
                    rule.args[i],
                    rule.args[j]
                );
            }
        }
    }
}

/// Every point of the data with its row.
fn known() -> impl Iterator<Item = (Point, &'static Rule, usize)> {
    points().map(|point| {
        let i = RULES
            .iter()
            .position(|rule| rule.name == point.name)
            .unwrap_or_else(|| panic!("no row {}", point.name));
        (point, &RULES[i], i)
    })
}

/// Where a row stands: `xlogy` is the first of the special functions, `rem` of the kernels.
fn position(name: &str) -> usize {
    RULES.iter().position(|rule| rule.name == name).unwrap()
}

#[test]
fn every_function_has_points() {
    // The kernels have points through the functions that use them, but for `rem`; the special functions have figures of their own.
    let rem = &RULES[position("rem")];
    for rule in RULES[..position("xlogy")].iter().chain([rem]) {
        assert!(
            points().any(|point| point.name == rule.name),
            "{}",
            rule.name
        );
    }
}

#[test]
fn every_function_has_figures_of_all_orders() {
    // They are put to what users call, in the tests of the crate `autodiff`.
    let (special, kernels) = (position("xlogy"), position("rem"));
    let elementary = include_str!("../data/partials.csv");
    let of_special = include_str!("../data/special.csv");
    for (rules, figures) in [
        (&RULES[..special], elementary),
        (&RULES[special..kernels], of_special),
    ] {
        for rule in rules {
            for kind in ["f64", "f32"] {
                let start = format!("{};{kind};", rule.name);
                assert!(
                    figures.lines().any(|line| line.starts_with(&start)),
                    "{start}"
                );
            }
        }
    }
}

#[test]
fn first_partials_are_within_four_ulp() {
    for (point, rule, i) in known() {
        let found = partials(&Row::<f64>::ALL[i], &point.at);
        let found: Vec<_> = (0..found.len())
            .filter(|&i| !rule.integer[i])
            .map(|i| found[i])
            .collect();
        assert_eq!(found.len(), point.first.len(), "{point:?}");
        for ((&found, &truth), allowed) in found.iter().zip(&point.first).zip(&point.allowed) {
            let fine = match allowed {
                Allowed::Truth => close(found, truth, 4),
                Allowed::Between(low, high) => (*low..=*high).contains(&found),
                Allowed::Anything => true,
            };
            assert!(
                fine,
                "{point:?}: {found:e}, {} ulp from {truth:e}",
                ulps(found, truth)
            );
        }
        assert!(
            point.sum.is_none_or(|sum| found.iter().sum::<f64>() == sum),
            "{point:?}: {found:?}"
        );
    }
}

#[test]
fn values_of_our_own_functions_are_within_two_ulp() {
    for (point, _, i) in known().filter(|(_, rule, _)| !rule.method) {
        let found = (Row::<f64>::ALL[i].value)(&point.at);
        assert!(close(found, point.value, 2), "{point:?}: {found:e}");
    }
}

#[test]
fn second_partials_follow_from_the_table() {
    let mut count = 0;
    for (point, rule, i) in known() {
        let n = point.first.len();
        for (k, truth) in point.second.iter().enumerate() {
            let found = derivative(rule, &Row::<f64>::ALL[i], &point.at, k / n, k % n)
                .tangent
                .unwrap_or(0.0);
            assert!(
                (found - truth).abs() <= 1e-13 * truth.abs().max(1e-3),
                "{point:?}, second partial {k}: {found:e}, not {truth:e}"
            );
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn single_precision_is_within_four_ulp() {
    let mut count = 0;
    for (point, rule, i) in known().filter(|(point, ..)| point.kind == "regular") {
        let at: Vec<_> = point.at.iter().map(|&x| x as f32).collect();
        let found = partials(&Row::<f32>::ALL[i], &at);
        let truth = partials(
            &Row::<f64>::ALL[i],
            &at.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(),
        );
        for k in (0..found.len()).filter(|&k| !rule.integer[k]) {
            let ulp = f64::from(f32::EPSILON) * truth[k].abs() / 2.0;
            assert!(
                (f64::from(found[k]) - truth[k]).abs() <= 4.0 * ulp + f64::from(f32::MIN_POSITIVE),
                "{point:?}: {:e}, not {:e}",
                found[k],
                truth[k]
            );
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}
