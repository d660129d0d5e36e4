//! Derivatives against differences: [`gradcheck`], [`gradcheck_at`], [`hessian_check`].

use alloc::{format, string::String, vec::Vec};
use core::fmt;

use crate::tangent::{Differentiable, Parameters, Tangent};

/// How closely derivatives have to agree with differences.
///
/// ```
/// use autodiff_runtime::check::Settings;
/// let strict = Settings { tolerance: 1e-9, ..Settings::default() };
/// assert_eq!(strict.step, Settings::default().step);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The largest difference that is passed over, times the derivative, or times the largest of all if that is larger, but at most 1.
    ///
    /// So what is small beside the others is not judged more closely than those, and a gradient that is small as a whole is judged by its own size.
    pub tolerance: f64,
    /// The first step of the differences, times the larger of 1 and the scalar that is moved.
    pub step: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            tolerance: 1e-6,
            step: 0.02,
        }
    }
}

/// One derivative and what differences say of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it is the derivative by: `x[2]`, or `x[0], x[2]` in a Hessian.
    pub name: String,
    /// The derivative that is checked.
    pub derivative: f64,
    /// The extrapolated difference quotient.
    pub difference: f64,
    /// How far the difference quotient may be off, judged from its table.
    pub uncertainty: f64,
    /// How far they may be apart.
    pub allowed: f64,
}

impl Entry {
    /// The two agree, as far as differences can tell.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.excess() <= 1.0
    }

    /// The differences could be trusted to the tolerance.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.uncertainty <= self.allowed
    }

    /// How far they are apart, in units of what is allowed; infinite where one is no number.
    fn excess(&self) -> f64 {
        let apart = (self.derivative - self.difference).abs();
        let excess = apart / self.allowed.max(self.uncertainty);
        if apart == 0.0 {
            0.0
        } else if excess.is_nan() || !apart.is_finite() {
            f64::INFINITY
        } else {
            excess
        }
    }
}

/// What a check found; printed, it names the worst entry.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a report that nobody reads checks nothing"]
pub struct Report {
    /// Every derivative, in order.
    pub entries: Vec<Entry>,
    what: &'static str,
}

impl Report {
    /// All derivatives agree with differences.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.entries.iter().all(Entry::agrees)
    }

    /// The entry that is off most.
    #[must_use]
    pub fn worst(&self) -> Option<&Entry> {
        self.entries
            .iter()
            .max_by(|a, b| a.excess().total_cmp(&b.excess()))
    }

    /// The report as an error, unless all derivatives agree.
    ///
    /// # Errors
    /// If one does not.
    pub fn ok(self) -> Result<Report, Report> {
        if self.is_ok() { Ok(self) } else { Err(self) }
    }
}

/// How many wrong entries a report prints.
const SHOWN: usize = 10;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.entries.iter().filter(|e| !e.agrees()).count();
        let count = self.entries.len();
        match self.worst() {
            Some(worst) if wrong > 0 => write!(
                f,
                "{wrong} of {count} entries of the {} disagree with differences; the worst is that by {}: {:e}, but differences give {:e} ± {:.0e}",
                self.what, worst.name, worst.derivative, worst.difference, worst.uncertainty
            )?,
            _ => write!(
                f,
                "all {count} entries of the {} agree with differences",
                self.what
            )?,
        }
        let uncertain: Vec<&Entry> = self.entries.iter().filter(|e| !e.is_certain()).collect();
        if let Some(first) = uncertain.first() {
            let more = if uncertain.len() > 1 { ", …" } else { "" };
            write!(
                f,
                "; {} could not be told to the tolerance ({}{more}), as near a kink or a jump, or of a value that is rounded by more than that",
                uncertain.len(),
                first.name
            )?;
        }
        let mut wrong: Vec<&Entry> = self.entries.iter().filter(|e| !e.agrees()).collect();
        wrong.sort_by(|a, b| b.excess().total_cmp(&a.excess()));
        for entry in wrong.iter().take(SHOWN) {
            write!(
                f,
                "\n  {}: derivative {:e}, differences {:e} ± {:.0e}",
                entry.name, entry.derivative, entry.difference, entry.uncertainty
            )?;
        }
        if wrong.len() > SHOWN {
            write!(f, "\n  … and {} more", wrong.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl core::error::Error for Report {}

/// Checks a gradient against differences.
///
/// `f` and `gradient` take the point as a slice; [`gradcheck_at`] is for points of other types.
///
/// ```
/// use autodiff_runtime::check::gradcheck;
/// let f = |x: &[f64]| x[0] * x[0] * x[1];
/// let right = gradcheck(f, |x: &[f64]| vec![2.0 * x[0] * x[1], x[0] * x[0]], &[1.5, -0.5]);
/// assert!(right.is_ok(), "{right}");
///
/// let wrong = gradcheck(f, |x: &[f64]| vec![2.0 * x[0] * x[1], x[0]], &[1.5, -0.5]);
/// assert_eq!(wrong.worst().unwrap().name, "x[1]");
/// assert!(wrong.to_string().starts_with("1 of 2 entries of the gradient disagree"));
/// ```
///
/// # Panics
/// If the gradient does not have an entry for each scalar of the point.
pub fn gradcheck<G: Tangent>(
    f: impl Fn(&[f64]) -> f64,
    gradient: impl Fn(&[f64]) -> G,
    x: &[f64],
) -> Report {
    gradcheck_with(&Settings::default(), f, gradient, x)
}

/// [`gradcheck`] with other settings.
///
/// # Panics
/// If the gradient does not have an entry for each scalar of the point.
pub fn gradcheck_with<G: Tangent>(
    settings: &Settings,
    f: impl Fn(&[f64]) -> f64,
    gradient: impl Fn(&[f64]) -> G,
    x: &[f64],
) -> Report {
    let names = names(x, x.len());
    let gradient = gradient(x).to_flat();
    same_count(gradient.len(), x.len());
    let found = differences(settings, &|x| alloc::vec![f(x)], x, largest(&gradient));
    Report {
        entries: compare(settings, names, gradient, found),
        what: "gradient",
    }
}

/// Checks a gradient at a point of any type that optimisers move: a number, an array, a vector, a tuple, a structure of them.
///
/// ```
/// use autodiff_runtime::check::gradcheck_at;
/// let f = |(a, w): &(f64, [f64; 2])| a * w[0] + w[1].sin();
/// let g = |(a, w): &(f64, [f64; 2])| (w[0], [*a, w[1].cos()]);
/// gradcheck_at(f, g, &(0.5, [1.0, 2.0])).ok().unwrap();
/// ```
///
/// # Panics
/// If the gradient does not have an entry for each scalar of the point.
pub fn gradcheck_at<P: Parameters + Clone, G: Tangent>(
    f: impl Fn(&P) -> f64,
    gradient: impl Fn(&P) -> G,
    x: &P,
) -> Report {
    let count = x.zero_tangent().scalar_count();
    let mut flat = alloc::vec![0.0; count];
    x.write_flat(&mut flat);
    let at = |flat: &[f64]| {
        let mut moved = x.clone();
        moved.read_flat(flat);
        moved
    };
    let mut report = gradcheck(|z| f(&at(z)), |z| gradient(&at(z)), &flat);
    for (entry, name) in report.entries.iter_mut().zip(names(x, count)) {
        entry.name = name;
    }
    report
}

/// Checks a Hessian against differences of the gradient; both by rows, as a slice or a [`Matrix`](crate::matrix::Matrix) has them.
///
/// ```
/// use autodiff_runtime::check::hessian_check;
/// let gradient = |x: &[f64]| vec![2.0 * x[0] * x[1], x[0] * x[0]];
/// let hessian = |x: &[f64]| vec![2.0 * x[1], 2.0 * x[0], 2.0 * x[0], 0.0];
/// hessian_check(gradient, hessian, &[1.5, -0.5]).ok().unwrap();
/// ```
///
/// # Panics
/// If the Hessian does not have as many rows and columns as the point has scalars.
pub fn hessian_check<G: Tangent, H: AsRef<[f64]>>(
    gradient: impl Fn(&[f64]) -> G,
    hessian: impl Fn(&[f64]) -> H,
    x: &[f64],
) -> Report {
    let settings = Settings::default();
    let names = names(x, x.len());
    let hessian = hessian(x);
    let hessian = hessian.as_ref();
    same_count(hessian.len(), x.len() * x.len());
    let gradient = |x: &[f64]| gradient(x).to_flat();
    let found = differences(&settings, &gradient, x, largest(hessian));
    let of = |at: usize| (at % x.len(), at / x.len());
    let all = (0..hessian.len()).map(of);
    let pairs = all.clone();
    let pairs = pairs.map(|(row, column)| format!("{}, {}", names[row], names[column]));
    let given = all.map(|(row, column)| hessian[row * x.len() + column]);
    Report {
        entries: compare(&settings, pairs.collect(), given.collect(), found),
        what: "Hessian",
    }
}

#[track_caller]
fn same_count(given: usize, wanted: usize) {
    assert!(
        given == wanted,
        "{given} derivatives were given, but the point has {wanted}"
    );
}

fn names<T: Differentiable + ?Sized>(x: &T, count: usize) -> Vec<String> {
    let mut names = Vec::new();
    x.name_scalars("x", &mut names);
    if names.len() != count {
        names = (0..count).map(|k| format!("x[{k}]")).collect();
    }
    names
}

/// The size of the largest number.
fn largest(of: &[f64]) -> f64 {
    of.iter().fold(0.0, |largest, x| largest.max(x.abs()))
}

fn compare(
    settings: &Settings,
    names: Vec<String>,
    derivatives: Vec<f64>,
    found: Vec<Estimate>,
) -> Vec<Entry> {
    // The smaller, as either may be wrong, or far from what the derivatives are.
    let differences: Vec<f64> = found.iter().map(|estimate| estimate.value).collect();
    let largest = largest(&derivatives).min(largest(&differences));
    let all = names.into_iter().zip(derivatives).zip(found);
    all.map(|((name, derivative), estimate)| Entry {
        name,
        derivative,
        difference: estimate.value,
        uncertainty: estimate.error,
        allowed: estimate.allowed(settings, largest),
    })
    .collect()
}

/// What differences say of one derivative.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
    /// The larger of the slopes of the two sides, in the smallest step: where a derivative is zero, it is known as a sum of these.
    size: f64,
    /// What rounding may hide, where no step changes the output.
    unmoved: f64,
}

impl Estimate {
    const NONE: Estimate = Estimate {
        value: f64::NAN,
        error: f64::INFINITY,
        size: 0.0,
        unmoved: 0.0,
    };

    /// How far it may be off, where the largest derivative is known.
    fn allowed(self, settings: &Settings, largest: f64) -> f64 {
        let floor = largest.max(self.size).min(1.0);
        (settings.tolerance * self.value.abs().max(floor)).max(self.unmoved)
    }
}

/// What one step says.
#[derive(Clone, Copy)]
struct Quotient {
    /// The central difference quotient.
    slope: f64,
    /// The slopes of the two sides.
    sides: [f64; 2],
    /// What rounding of the outputs does to the slope.
    noise: f64,
}

impl Quotient {
    /// By how much the slopes of the two sides differ.
    fn bend(self) -> f64 {
        self.sides[1] - self.sides[0]
    }
}

/// The derivatives of all outputs by each scalar, those by one behind the other; `largest` is about the size of the largest of them.
fn differences(
    settings: &Settings,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    largest: f64,
) -> Vec<Estimate> {
    let center = f(x);
    let of = |k| partial(settings, f, (x, &center), k, largest);
    (0..x.len()).flat_map(of).collect()
}

/// The derivatives of all outputs by scalar `k`, from the first steps that can be trusted to the tolerance, or else from the best ones.
///
/// Smaller steps are for what is close to a kink or to the end of its domain, or changes on a small scale.
fn partial(
    settings: &Settings,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    at: (&[f64], &[f64]),
    k: usize,
    largest: f64,
) -> Vec<Estimate> {
    const SMALLER: [f64; 5] = [1.0, 1e-2, 1e-4, 1e-6, 1e-8];
    let (x, center) = at;
    let certain = |of: &Estimate| of.error <= of.allowed(settings, largest);
    let mut best = alloc::vec![Estimate::NONE; center.len()];
    for smaller in SMALLER {
        let step = settings.step * x[k].abs().max(1.0) * smaller;
        let found = of_steps(step, f, at, k);
        for (best, found) in best.iter_mut().zip(found) {
            if !certain(best) && found.error < best.error {
                *best = found;
            }
        }
        if best.iter().all(certain) {
            break;
        }
    }
    best
}

/// The same by Ridders' table: central differences of shrinking steps, extrapolated to none.
///
/// Near a kink or a step the columns of the table disagree, or the slopes of the two sides do, and the error is large; so it is where the outputs are rounded by more than the steps change them.
fn of_steps(
    mut step: f64,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    (x, center): (&[f64], &[f64]),
    k: usize,
) -> Vec<Estimate> {
    const ROWS: usize = 8;
    const SHRINK: f64 = 1.6;
    let mut z = x.to_vec();
    let mut rows: Vec<Vec<Quotient>> = Vec::new();
    for _ in 0..ROWS {
        // The steps that are really taken.
        let (right, left) = (x[k] + step, x[k] - step);
        z[k] = right;
        let above = f(&z);
        z[k] = left;
        let below = f(&z);
        let outputs = above.iter().zip(&below).zip(center);
        let row = outputs.map(|((a, b), c)| Quotient {
            slope: (a - b) / (right - left),
            sides: [(c - b) / (x[k] - left), (a - c) / (right - x[k])],
            noise: f64::EPSILON * (a.abs() + b.abs()) / (right - left),
        });
        rows.push(row.collect());
        step /= SHRINK;
    }
    (0..center.len())
        .map(|output| {
            let quotients: Vec<Quotient> = rows.iter().map(|row| row[output]).collect();
            let mut found = ridders(&quotients, SHRINK * SHRINK);
            // The bend of a smooth function vanishes with the step.
            if let [.., before, last] = &*quotients {
                let kink = (last.bend() * SHRINK - before.bend()) / (SHRINK - 1.0);
                found.error = found.error.max(kink.abs() / 2.0 + 5.0 * last.noise);
                found.size = largest(&last.sides);
            }
            // Of what nothing moves there is nothing to be told but that.
            if quotients.iter().all(|of| of.sides == [0.0, 0.0]) {
                found.unmoved = found.error;
            }
            found
        })
        .collect()
}

/// Ridders' extrapolation of difference quotients whose squared steps shrink by `ratio`.
fn ridders(quotients: &[Quotient], ratio: f64) -> Estimate {
    /// Twice extrapolated quotients of the smallest steps are the same, but for rounding.
    const SETTLED: usize = 2;
    const LAST: usize = 4;
    let mut best = Estimate::NONE;
    let mut scatter: f64 = 0.0;
    let mut previous: Vec<f64> = Vec::new();
    for (at, quotient) in quotients.iter().enumerate() {
        let mut row = alloc::vec![quotient.slope];
        let mut factor = ratio;
        for (column, &above) in previous.iter().enumerate() {
            let next = (row[column] * factor - above) / (factor - 1.0);
            factor *= ratio;
            let error = (next - row[column]).abs().max((next - above).abs());
            let error = error.max(quotient.noise);
            if next.is_finite() && error <= best.error {
                let value = next;
                best = Estimate {
                    value,
                    error,
                    ..best
                };
            }
            row.push(next);
        }
        if at + LAST >= quotients.len() {
            if let (Some(now), Some(before)) = (row.get(SETTLED), previous.get(SETTLED)) {
                scatter = scatter.max((now - before).abs());
            }
        }
        previous = row;
    }
    best.error = best.error.max(scatter);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec};

    #[test]
    fn a_right_gradient_passes_at_any_scale() {
        let f = |x: &[f64]| (x[0] / x[1]).exp() * 1e6 + x[2] * x[2] * 1e-3;
        let g = |x: &[f64]| {
            let e = (x[0] / x[1]).exp() * 1e6;
            vec![e / x[1], -e * x[0] / (x[1] * x[1]), 2e-3 * x[2]]
        };
        let report = gradcheck(f, g, &[300.0, 200.0, 1e5]);
        assert!(report.is_ok(), "{report}");
        assert_eq!(
            report.to_string(),
            "all 3 entries of the gradient agree with differences"
        );
    }

    #[test]
    fn a_wrong_entry_is_named() {
        let f = |(a, w): &(f64, [f64; 2])| a * w[0] + w[1].sin();
        let g = |(a, w): &(f64, [f64; 2])| (w[0], [*a, w[1].cos() + 1e-4]);
        let report = gradcheck_at(f, g, &(0.5, [1.0, 2.0])).ok().unwrap_err();
        assert_eq!(report.worst().map(|e| e.name.as_str()), Some("x.1[1]"));
        assert!(
            report.to_string().contains("the worst is that by x.1[1]"),
            "{report}"
        );
    }

    #[test]
    fn no_number_is_no_agreement() {
        let f = |x: &[f64]| x[0].sqrt();
        assert!(!gradcheck(f, |_: &[f64]| vec![f64::NAN], &[2.0]).is_ok());
        assert!(!gradcheck(f, |_: &[f64]| vec![f64::INFINITY], &[2.0]).is_ok());
        assert!(!gradcheck(|_: &[f64]| f64::NAN, |_: &[f64]| vec![0.0], &[2.0]).is_ok());
    }

    #[test]
    fn a_jump_is_uncertain() {
        let report = gradcheck(|x: &[f64]| x[0].floor(), |_: &[f64]| vec![0.0], &[1.0]);
        assert!(
            !report.entries[0].is_certain() || !report.is_ok(),
            "{report}"
        );
        assert!(
            report.to_string().contains("near a kink or a jump"),
            "{report}"
        );
    }

    #[test]
    fn at_a_kink_the_slopes_of_both_sides_agree() {
        let relu = |x: &[f64]| 3.0 * x[0].max(0.0) + x[1] * x[1];
        for slope in [0.0, 1.5, 3.0] {
            let report = gradcheck(relu, |x: &[f64]| vec![slope, 2.0 * x[1]], &[0.0, 1.0]);
            assert!(report.is_ok(), "{report}");
            assert!(
                report.to_string().contains("(x[0]), as near a kink"),
                "{report}"
            );
        }
        assert!(!gradcheck(relu, |x: &[f64]| vec![-0.5, 2.0 * x[1]], &[0.0, 1.0]).is_ok());
        // Beside it, one is right.
        for x in [1e-2, 1e-5, 1e-8] {
            assert!(gradcheck(relu, |x: &[f64]| vec![3.0, 2.0 * x[1]], &[x, 1.0]).is_ok());
            assert!(!gradcheck(relu, |x: &[f64]| vec![1.5, 2.0 * x[1]], &[x, 1.0]).is_ok());
            assert!(!gradcheck(relu, |x: &[f64]| vec![0.0, 2.0 * x[1]], &[x, 1.0]).is_ok());
        }
    }

    #[test]
    fn small_scales_take_small_steps() {
        let f = |x: &[f64]| (x[0] * 1e8).sin() + x[1].ln() + x[2].sqrt();
        let g = |x: &[f64]| vec![1e8 * (x[0] * 1e8).cos(), 1.0 / x[1], 0.5 / x[2].sqrt()];
        let x = [1e-8, 1e-8, 1e-6];
        let report = gradcheck(f, g, &x);
        assert_eq!(
            report.to_string(),
            "all 3 entries of the gradient agree with differences"
        );
        for k in 0..3 {
            let wrong = |x: &[f64]| {
                let mut g = g(x);
                g[k] *= 1.01;
                g
            };
            let report = gradcheck(f, wrong, &x);
            assert_eq!(report.worst().map(|e| &*e.name), Some(&*format!("x[{k}]")));
            assert!(!report.is_ok());
        }
    }

    #[test]
    fn a_large_value_hides_small_derivatives() {
        let f = |x: &[f64]| x.iter().map(|x| x * x).sum();
        let g = |x: &[f64]| x.iter().map(|x| 2.0 * x).collect::<Vec<_>>();
        let report = gradcheck(f, g, &[1e8, 1.0]);
        assert!(report.is_ok(), "{report}");
        assert!(!report.entries[1].is_certain(), "{report}");
    }

    #[test]
    fn a_gradient_that_is_small_as_a_whole_is_judged() {
        for scale in [1e-3, 1e-9, 1e-30, 1e-200] {
            let f = |x: &[f64]| scale * (x[0].sin() * x[1] + x[1].exp());
            let g = |x: &[f64], wrong: f64| {
                let by_second = x[0].sin() + x[1].exp();
                vec![scale * x[0].cos() * x[1] * wrong, scale * by_second]
            };
            let x = [0.4, 0.7];
            let report = gradcheck(f, |x: &[f64]| g(x, 1.0), &x);
            assert_eq!(
                report.to_string(),
                "all 2 entries of the gradient agree with differences"
            );
            for wrong in [0.0, 0.999, -1.0, 2.0, f64::INFINITY] {
                let report = gradcheck(f, |x: &[f64]| g(x, wrong), &x);
                assert_eq!(report.worst().map(|e| &*e.name), Some("x[0]"), "{report}");
                assert!(!report.is_ok(), "{scale:e} {wrong}");
            }
            assert!(!gradcheck(f, |_: &[f64]| vec![0.0; 2], &x).is_ok());
            let hessian = |x: &[f64], wrong: f64| {
                let mixed = scale * x[0].cos();
                let first = -scale * x[0].sin() * x[1] * wrong;
                vec![first, mixed, mixed, scale * x[1].exp()]
            };
            let g = |x: &[f64]| g(x, 1.0);
            assert!(hessian_check(g, |x: &[f64]| hessian(x, 1.0), &x).is_ok());
            assert!(!hessian_check(g, |x: &[f64]| hessian(x, 1.01), &x).is_ok());
        }
    }

    #[test]
    fn small_beside_a_kink_and_on_a_small_scale() {
        let relu = |x: &[f64]| 1e-9 * (3.0 * x[0].max(0.0) + x[1] * x[1]);
        let g = |x: &[f64], slope: f64| vec![1e-9 * slope, 2e-9 * x[1]];
        for slope in [0.0, 1.5, 3.0] {
            let report = gradcheck(relu, |x: &[f64]| g(x, slope), &[0.0, 1.0]);
            assert!(report.is_ok(), "{report}");
        }
        assert!(!gradcheck(relu, |x: &[f64]| g(x, -0.5), &[0.0, 1.0]).is_ok());
        for x in [1e-2, 1e-5, 1e-8] {
            assert!(gradcheck(relu, |x: &[f64]| g(x, 3.0), &[x, 1.0]).is_ok());
            assert!(!gradcheck(relu, |x: &[f64]| g(x, 1.5), &[x, 1.0]).is_ok());
            assert!(!gradcheck(relu, |x: &[f64]| g(x, 0.0), &[x, 1.0]).is_ok());
        }
        let waves = |x: &[f64]| 1e-12 * (1e4 * x[0]).sin();
        let slope = |x: &[f64]| 1e-8 * (1e4 * x[0]).cos();
        assert!(gradcheck(waves, |x: &[f64]| vec![slope(x)], &[0.3]).is_ok());
        assert!(!gradcheck(waves, |x: &[f64]| vec![slope(x) * 1.01], &[0.3]).is_ok());
    }

    #[test]
    fn rounding_is_no_disagreement() {
        // At a minimum, where nothing varies, and where what varies is far below the value or lost within the function.
        let minimum = |x: &[f64]| (x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.7).powi(2) * 1e-7;
        assert!(gradcheck(minimum, |_: &[f64]| vec![0.0; 2], &[0.3, 0.7]).is_ok());
        let report = gradcheck(|_: &[f64]| 5.0, |_: &[f64]| vec![0.0; 2], &[0.3, 0.7]);
        assert_eq!(
            report.to_string(),
            "all 2 entries of the gradient agree with differences"
        );
        let one = |x: &[f64]| x[0].sin().powi(2) + x[0].cos().powi(2);
        for at in 0..50 {
            let at = 0.1 * f64::from(at);
            for slope in [0.0, 1e-17] {
                let report = gradcheck(one, |_: &[f64]| vec![slope], &[at]);
                assert!(report.is_ok(), "{report}");
            }
            let sum = |x: f64| (0..50).fold(0.0, |sum, k| sum + (f64::from(k) + x).sin().exp());
            let cancelled = |x: &[f64]| (sum(x[0]) + 1e5) - 1e5 - sum(x[0]) + 1e-5 * x[0];
            let report = gradcheck(cancelled, |_: &[f64]| vec![1e-5], &[at]);
            assert!(report.is_ok(), "{report}");
            let hidden = |x: &[f64]| 1e3 + 1e-9 * x[0].sin();
            let report = gradcheck(hidden, |x: &[f64]| vec![1e-9 * x[0].cos()], &[at]);
            assert!(report.is_ok(), "{report}");
        }
    }

    #[test]
    fn a_wrong_hessian_is_named() {
        let gradient = |x: &[f64]| vec![2.0 * x[0] * x[1], x[0] * x[0]];
        let right = |x: &[f64]| vec![2.0 * x[1], 2.0 * x[0], 2.0 * x[0], 0.0];
        let wrong = |x: &[f64]| vec![2.0 * x[1], 2.0 * x[0], x[0], 0.0];
        assert!(hessian_check(gradient, right, &[1.5, -0.5]).is_ok());
        let report = hessian_check(gradient, wrong, &[1.5, -0.5]);
        assert_eq!(report.worst().map(|e| e.name.as_str()), Some("x[1], x[0]"));
    }

    #[test]
    #[should_panic(expected = "1 derivatives were given, but the point has 2")]
    fn a_gradient_of_another_length_is_a_mistake() {
        let _ = gradcheck(|x: &[f64]| x[0] * x[1], |x: &[f64]| vec![x[1]], &[1.0, 2.0]);
    }
}
