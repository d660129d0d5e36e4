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
    /// The largest difference that is passed over, times the larger of 1 and the derivative.
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
        let uncertain = self.entries.iter().filter(|e| !e.is_certain()).count();
        if uncertain > 0 {
            write!(
                f,
                "; {uncertain} could not be told to the tolerance, as near a kink or a jump"
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
    let entries = (0..x.len())
        .flat_map(|k| {
            let found = partial(settings, &|x| alloc::vec![f(x)], x, k);
            compare(settings, &names[k..=k], &gradient[k..=k], &found)
        })
        .collect();
    Report {
        entries,
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
    let mut entries: Vec<Entry> = Vec::new();
    for column in 0..x.len() {
        let found = partial(&settings, &gradient, x, column);
        let of = |row: usize| format!("{}, {}", names[row], names[column]);
        let of: Vec<String> = (0..x.len()).map(of).collect();
        let given: Vec<f64> = (0..x.len())
            .map(|row| hessian[row * x.len() + column])
            .collect();
        entries.extend(compare(&settings, &of, &given, &found));
    }
    Report {
        entries,
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

fn compare(
    settings: &Settings,
    names: &[String],
    derivatives: &[f64],
    found: &[Estimate],
) -> Vec<Entry> {
    let all = names.iter().zip(derivatives).zip(found);
    all.map(|((name, &derivative), estimate)| Entry {
        name: name.clone(),
        derivative,
        difference: estimate.value,
        uncertainty: estimate.error,
        allowed: settings.tolerance * estimate.value.abs().max(1.0),
    })
    .collect()
}

/// What differences say of one derivative.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
}

/// The derivatives of all outputs by scalar `k`, by Ridders' table: central differences of shrinking steps, extrapolated to none.
///
/// Near a kink or a step the columns of the table disagree, and the error is large.
fn partial(
    settings: &Settings,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    k: usize,
) -> Vec<Estimate> {
    const ROWS: usize = 8;
    const SHRINK: f64 = 1.6;
    let mut z = x.to_vec();
    let mut step = settings.step * x[k].abs().max(1.0);
    let mut quotients: Vec<Vec<f64>> = Vec::new();
    for _ in 0..ROWS {
        // The steps that are really taken.
        let (right, left) = (x[k] + step, x[k] - step);
        z[k] = right;
        let above = f(&z);
        z[k] = left;
        let below = f(&z);
        let pairs = above.iter().zip(&below);
        quotients.push(pairs.map(|(a, b)| (a - b) / (right - left)).collect());
        step /= SHRINK;
    }
    let outputs = quotients.iter().map(Vec::len).min().unwrap_or(0);
    (0..outputs)
        .map(|output| ridders(quotients.iter().map(|row| row[output]), SHRINK * SHRINK))
        .collect()
}

/// Ridders' extrapolation of difference quotients whose squared steps shrink by `ratio`.
fn ridders(quotients: impl Iterator<Item = f64>, ratio: f64) -> Estimate {
    let mut best = Estimate {
        value: f64::NAN,
        error: f64::INFINITY,
    };
    let mut previous: Vec<f64> = Vec::new();
    for quotient in quotients {
        let mut row = alloc::vec![quotient];
        let mut factor = ratio;
        for (column, &above) in previous.iter().enumerate() {
            let next = (row[column] * factor - above) / (factor - 1.0);
            factor *= ratio;
            let error = (next - row[column]).abs().max((next - above).abs());
            if error <= best.error {
                best = Estimate { value: next, error };
            }
            row.push(next);
        }
        previous = row;
    }
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
