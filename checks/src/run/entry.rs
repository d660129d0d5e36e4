//! The side of the generated crates: what a module exports, and the `main` that judges all modules of a crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::judge::{Case, Closeness, judge};
use crate::random::Random;
use crate::second::judge_second;

/// The number of a point, the arguments, a tangent or cotangent; the outputs, and the other tangent or cotangent.
type Linear = fn(usize, &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);

/// The number of a point and the arguments; the value, if the form returns it, and the gradient.
type Gradient = fn(usize, &[f64]) -> (Option<Vec<f64>>, Vec<f64>);
/// The number of a point, the arguments, a cotangent, and what the buffers hold before; the outputs, and what they hold after.
type Into = fn(usize, &[f64], &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);
/// The number of a point and the arguments; the outputs.
type Primal = fn(usize, &[f64]) -> Vec<f64>;

/// The derivatives of one generated function, by flat lists of floats.
pub struct Entry {
    /// The module's path.
    pub path: &'static str,
    /// The differentiable arguments of each point.
    pub points: &'static [&'static [f64]],
    /// The plain function.
    pub primal: Primal,
    /// `jvp`.
    pub jvp: Linear,
    /// `vjp`.
    pub vjp: Linear,
    /// Other ways to the reverse derivative; `true` if they must agree bit for bit.
    pub twins: &'static [(&'static str, bool, Linear)],
    /// Forms for scalar results.
    pub gradients: &'static [(&'static str, Gradient)],
    /// Forms that return the Jacobian.
    pub jacobians: &'static [(&'static str, Primal)],
    /// Forms that add into buffers.
    pub into: &'static [(&'static str, Into)],
    /// Second derivatives.
    pub second: Option<Second>,
    /// `jvp` and `vjp` with `strong_zero`.
    pub strong: Option<(Linear, Linear)>,
    /// Is it computed in `f32`?
    pub single: bool,
    /// May a function inside have a kink?
    pub kinks: bool,
    /// May a function inside overflow?
    pub overflows: bool,
}

/// The second derivatives of one generated function, by flat lists of floats.
pub struct Second {
    /// The gradient.
    pub gradient: Primal,
    /// The gradient, and the Hessian times a vector.
    pub hvp: Linear,
    /// The Hessian, row after row.
    pub hessian: Primal,
}

/// So often points beside those of a program are taken where differences confirm nothing.
const BESIDE: u32 = 8;

/// What came of judging an entry.
#[derive(Default)]
struct Record {
    confirmed: usize,
    skipped: usize,
    absorbed: usize,
    failure: Option<String>,
}

impl Record {
    fn point(&mut self, entry: &Entry, number: usize, point: &[f64]) {
        let verdict = catch_unwind(AssertUnwindSafe(|| at_point(entry, number, point)));
        match verdict {
            Ok(verdict) => {
                self.confirmed += verdict.confirmed;
                self.skipped += verdict.skipped;
                self.absorbed += verdict.absorbed;
                if let Some(first) = verdict.failures.into_iter().next() {
                    self.failure
                        .get_or_insert(format!("{first} (point {number}: {point:?})"));
                }
            }
            Err(payload) => {
                let text = payload
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| payload.downcast_ref::<&str>().copied());
                self.failure.get_or_insert(format!(
                    "panic: {} (point {number}: {point:?})",
                    text.unwrap_or("?")
                ));
            }
        }
    }
}

/// Judges every entry and prints one line for each: what [`super::Report`] reads.
pub fn main(entries: &[Entry]) {
    std::panic::set_hook(Box::new(|_| {}));
    for entry in entries {
        let mut record = Record::default();
        for (number, point) in entry.points.iter().enumerate() {
            record.point(entry, number, point);
        }
        // A function of one number may turn at all points; beside them it does not.
        for round in 1..=BESIDE {
            if record.confirmed > 0 || record.skipped == 0 || record.failure.is_some() {
                break;
            }
            for (number, point) in entry.points.iter().enumerate() {
                let by = 0.07 * f64::from(round);
                let beside: Vec<f64> = point.iter().map(|x| x - by * x.signum()).collect();
                record.point(entry, number, &beside);
            }
        }
        let Record {
            confirmed,
            skipped,
            absorbed,
            failure,
        } = record;
        let name = entry.path.rsplit("::").next().unwrap_or_default();
        match failure {
            None => println!("@@ {name} ok {confirmed} {skipped} {absorbed}"),
            Some(text) => println!("@@ {name} fail {}", text.replace('\n', " ")),
        }
    }
}

fn at_point(entry: &Entry, number: usize, point: &[f64]) -> crate::judge::Verdict {
    let primal = |x: &[f64]| (entry.primal)(number, x);
    let jvp = |x: &[f64], v: &[f64]| (entry.jvp)(number, x, v);
    let vjp = |x: &[f64], w: &[f64]| (entry.vjp)(number, x, w);
    let twins: Vec<_> = entry
        .twins
        .iter()
        .map(|&(name, bits, twin)| (name, bits, move |x: &[f64], w: &[f64]| twin(number, x, w)))
        .collect();
    let gradients: Vec<_> = entry
        .gradients
        .iter()
        .map(|&(name, form)| (name, move |x: &[f64]| form(number, x)))
        .collect();
    let jacobians: Vec<_> = entry
        .jacobians
        .iter()
        .map(|&(name, form)| (name, move |x: &[f64]| form(number, x)))
        .collect();
    let into: Vec<_> = entry
        .into
        .iter()
        .map(|&(name, form)| {
            (name, move |x: &[f64], w: &[f64], b: &[f64]| {
                form(number, x, w, b)
            })
        })
        .collect();
    let strong = entry.strong.map(|(jvp, vjp)| {
        (
            move |x: &[f64], v: &[f64]| jvp(number, x, v),
            move |x: &[f64], w: &[f64]| vjp(number, x, w),
        )
    });
    let case = Case {
        strong: strong.as_ref().map(|(jvp, vjp)| (jvp as _, vjp as _)),
        primal: &primal,
        jvp: &jvp,
        vjp: &vjp,
        twins: twins
            .iter()
            .map(|(name, bits, form)| {
                (
                    *name,
                    match *name {
                        _ if *bits => Closeness::Bits,
                        "dynamic" => Closeness::Defined,
                        _ => Closeness::Rounding,
                    },
                    form as crate::judge::Linear,
                )
            })
            .collect(),
        gradients: gradients
            .iter()
            .map(|(name, form)| (*name, form as _))
            .collect(),
        jacobians: jacobians
            .iter()
            .map(|(name, form)| (*name, form as _))
            .collect(),
        into: into.iter().map(|(name, form)| (*name, form as _)).collect(),
        single: entry.single,
        kinks: entry.kinks,
        overflows: entry.overflows,
    };
    let mut verdict = judge(&case, point, &mut Random::new(number as u64));
    if let Some(second) = &entry.second {
        let case = crate::second::Second {
            gradient: &|x: &[f64]| (second.gradient)(number, x),
            hvp: &|x: &[f64], v: &[f64]| (second.hvp)(number, x, v),
            hessian: &|x: &[f64]| (second.hessian)(number, x),
            kinks: entry.kinks,
        };
        judge_second(&case, point, &mut verdict);
    }
    verdict
}
