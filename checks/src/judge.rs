//! The checks that one function is put to, at one point: everything that must agree, agrees.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::difference::{directional_within, moved};
use crate::effect;
use crate::random::Random;

/// A flat function: the arguments' floats to the floats of the result and of the final states of `&mut` parameters.
pub type Primal<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;
/// Arguments and a tangent or cotangent; the outputs, and the other tangent or cotangent.
pub type Linear<'a> = &'a dyn Fn(&[f64], &[f64]) -> (Vec<f64>, Vec<f64>);
/// Arguments, a cotangent, and what the buffers hold before; the outputs, and what the buffers hold after.
pub type Into<'a> = &'a dyn Fn(&[f64], &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);

/// Arguments; the value, if the form returns it, and the gradient.
pub type Gradient<'a> = &'a dyn Fn(&[f64]) -> (Option<Vec<f64>>, Vec<f64>);

/// How close another form of the same function must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closeness {
    /// Bit for bit (one NaN is like another).
    Bits,
    /// The value bit for bit, the gradient up to rounding.
    Rounding,
    /// The same where the gradient is defined: another order of sums and products has other infinities on its way.
    Defined,
}

/// A function in all its forms. Forms that it does not have are left out.
pub struct Case<'a> {
    /// The plain function.
    pub primal: Primal<'a>,
    /// `jvp`.
    pub jvp: Linear<'a>,
    /// `vjp`.
    pub vjp: Linear<'a>,
    /// The reverse derivative in other ways, each with its name and how close it must be.
    pub twins: Vec<(&'a str, Closeness, Linear<'a>)>,
    /// Forms that must give the cotangent that `vjp` gives for the seed 1.
    pub gradients: Vec<(&'a str, Gradient<'a>)>,
    /// Forms that must give the Jacobian, row after row.
    pub jacobians: Vec<(&'a str, Primal<'a>)>,
    /// Forms that add into buffers.
    pub into: Vec<(&'a str, Into<'a>)>,
    /// `jvp` and `vjp` of the function with `strong_zero`.
    pub strong: Option<(Linear<'a>, Linear<'a>)>,
    /// Is it computed in `f32`?
    pub single: bool,
    /// May a function inside have a kink (`abs`, `max`, …)?
    pub kinks: bool,
    /// May a function inside overflow (`exp`, `sinh`, …)?
    pub overflows: bool,
}

impl<'a> Case<'a> {
    /// Both modes of a function, and nothing else.
    #[must_use]
    pub fn bare(primal: Primal<'a>, jvp: Linear<'a>, vjp: Linear<'a>) -> Self {
        Case {
            primal,
            jvp,
            vjp,
            twins: vec![],
            gradients: vec![],
            jacobians: vec![],
            into: vec![],
            strong: None,
            single: false,
            kinks: false,
            overflows: false,
        }
    }
}

/// What came out for one point.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// What disagreed.
    pub failures: Vec<String>,
    /// Partial derivatives that differences could confirm.
    pub confirmed: usize,
    /// Partial derivatives next to kinks or steps, which they could not.
    pub skipped: usize,
    /// Partial derivatives that are NaN in one way and a number in another, as they may be without `strong_zero`.
    pub absorbed: usize,
}

/// Are they the same bits, or both NaN?
#[must_use]
pub fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

/// Are they equal up to `tolerance` times `scale` (infinities and NaN exactly)?
pub(crate) fn close(a: f64, b: f64, tolerance: f64, scale: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance * scale
}

/// The largest finite magnitude.
pub(crate) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values
        .into_iter()
        .filter(|value| value.is_finite())
        .fold(0.0, |most: f64, value| most.max(value.abs()))
}

impl Verdict {
    pub(crate) fn vectors(
        &mut self,
        name: &str,
        got: &[f64],
        expected: &[f64],
        tolerance: f64,
        scale: f64,
    ) {
        if got.len() != expected.len()
            || got
                .iter()
                .zip(expected)
                .any(|(a, b)| !close(*a, *b, tolerance, scale))
        {
            self.failures
                .push(format!("{name}: {got:?} is not {expected:?}"));
        }
    }

    fn bits(&mut self, name: &str, got: &[f64], expected: &[f64]) {
        if !same(got, expected) {
            self.failures
                .push(format!("{name}: {got:?} is not bit for bit {expected:?}"));
        }
    }
}

/// Runs `call` with the counter of effects at its start.
fn afresh<T>(call: impl FnOnce() -> T) -> T {
    effect::reset();
    call()
}

/// Runs `call` and notes it as a failure if inactive code ran another number of times than in the primal.
fn counted<T>(verdict: &mut Verdict, name: &str, expected: usize, call: impl FnOnce() -> T) -> T {
    let result = afresh(call);
    let count = effect::reset();
    if count != expected {
        verdict.failures.push(format!(
            "{name}: inactive code ran {count} times, not {expected}"
        ));
    }
    result
}

/// The entries of columns, row after row.
fn columns_of(columns: &[Vec<f64>], outputs: usize) -> impl Iterator<Item = f64> + '_ {
    (0..outputs).flat_map(move |output| columns.iter().map(move |column| column[output]))
}

/// The Jacobian with strong zeros, row after row, in which both modes must agree.
fn strong_jacobian(
    (jvp, vjp): (Linear, Linear),
    x: &[f64],
    (outputs, tolerance): (usize, f64),
    verdict: &mut Verdict,
) -> Vec<f64> {
    let unit = |length: usize, one: usize| {
        let at = |k: usize| if k == one { 1.0 } else { 0.0 };
        (0..length).map(at).collect::<Vec<f64>>()
    };
    let rows: Vec<f64> = (0..outputs)
        .flat_map(|k| afresh(|| vjp(x, &unit(outputs, k))).1)
        .collect();
    let columns: Vec<Vec<f64>> = (0..x.len())
        .map(|k| afresh(|| jvp(x, &unit(x.len(), k))).1)
        .collect();
    let forward: Vec<f64> = columns_of(&columns, outputs).collect();
    verdict.vectors(
        "jvp and vjp with strong zeros",
        &forward,
        &rows,
        tolerance,
        largest(&rows).max(1e-3),
    );
    rows
}

/// What `call` returns, unless it panics because a zero absorbs an infinite slope, as `verify` does.
fn unless_absorbed<T>(call: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload.downcast_ref::<String>();
            if text.is_some_and(|text| text.contains("a zero absorbs an infinite slope")) {
                None
            } else {
                resume_unwind(payload)
            }
        }
    }
}

/// Puts the function to all checks at `x`.
#[must_use]
pub fn judge(case: &Case, x: &[f64], random: &mut Random) -> Verdict {
    let mut verdict = Verdict::default();
    let verdict_ = &mut verdict;
    let value = afresh(|| (case.primal)(x));
    let ticks = effect::reset();
    let (tolerance, tight) = if case.single {
        (1e-3, 1e-4)
    } else {
        (1e-10, 1e-12)
    };
    let (inputs, outputs) = (x.len(), value.len());
    let unit = |length: usize, one: usize| {
        (0..length)
            .map(|k| if k == one { 1.0 } else { 0.0 })
            .collect::<Vec<f64>>()
    };

    // The Jacobian, by rows in reverse and by columns forward.
    let mut rows = Vec::new();
    for k in 0..outputs {
        let (again, row) = counted(verdict_, "vjp", ticks, || (case.vjp)(x, &unit(outputs, k)));
        verdict_.bits("value of vjp", &again, &value);
        rows.push(row);
    }
    let mut columns = Vec::new();
    for k in 0..inputs {
        let (again, column) = counted(verdict_, "jvp", ticks, || (case.jvp)(x, &unit(inputs, k)));
        verdict_.bits("value of jvp", &again, &value);
        columns.push(column);
    }
    if rows.iter().any(|row| row.len() != inputs)
        || columns.iter().any(|column| column.len() != outputs)
    {
        verdict
            .failures
            .push("a derivative has the wrong number of entries".to_owned());
        return verdict;
    }
    let scale = largest(rows.iter().flatten());
    // Where something has overflowed a NaN times zero is met from one side or from the other.
    let defined = value.iter().all(|value| value.is_finite());
    let mut whole: Vec<f64> = rows.iter().flatten().copied().collect();
    let mut met_forward = Vec::new();
    let strong = case.strong.filter(|_| defined).map(|both| {
        let found = strong_jacobian(both, x, (outputs, tolerance), &mut verdict);
        let plain = rows.iter().flatten().zip(columns_of(&columns, outputs));
        for (k, ((reverse, forward), strong)) in plain.zip(&found).enumerate() {
            for plain in [*reverse, forward] {
                if !plain.is_nan() && !close(plain, *strong, tolerance, scale) {
                    verdict.failures.push(format!(
                        "entry {k} of the Jacobian is {plain:?}, and {strong:?} with strong zeros"
                    ));
                }
            }
        }
        found
    });
    for (k, column) in columns.iter().enumerate().filter(|_| defined) {
        let mut reverse: Vec<f64> = rows.iter().map(|row| row[k]).collect();
        // An infinite slope times the flat one of tanh(∞) is met as NaN by tangents, but the cotangent is zero before it gets there.
        // So it is in all the neighbourhood, where what has gone wrong at a special point has not.
        let beside = |output: usize| {
            [1e-6, -1e-6].iter().all(|&step| {
                let along = unit(inputs, k);
                let (_, tangent) = afresh(|| (case.jvp)(&moved(x, &along, step), &along));
                tangent[output].is_nan()
            })
        };
        // The cotangent that is zero behind tanh(∞) meets the infinite factor of a product as NaN, where the tangent is infinite, and met by zero.
        let behind = |output: usize| {
            [1e-6, -1e-6].iter().all(|&step| {
                let (along, seed) = (unit(inputs, k), unit(outputs, output));
                let (_, gradient) = afresh(|| (case.vjp)(&moved(x, &along, step), &seed));
                gradient[k].is_nan()
            })
        };
        for (output, (forward, reverse)) in column.iter().zip(&mut reverse).enumerate() {
            // A zero met the slope on one way only.
            let number = |found: &Vec<f64>| !found[output * inputs + k].is_nan();
            if forward.is_nan() != reverse.is_nan() && strong.as_ref().is_some_and(number) {
                verdict.absorbed += 1;
                met_forward.push(output * inputs + k);
                *reverse = *forward;
            } else if case.overflows && forward.is_nan() && beside(output) {
                *reverse = f64::NAN;
                met_forward.push(output * inputs + k);
            } else if case.overflows && reverse.is_nan() && behind(output) {
                *reverse = *forward;
            }
        }
        verdict.vectors(
            &format!("jvp and vjp, input {k}"),
            column,
            &reverse,
            tolerance,
            scale,
        );
    }

    // ⟨w, J v⟩ = ⟨Jᵀ w, v⟩, and the other ways to the same reverse derivative.
    let w: Vec<f64> = (0..outputs)
        .map(|_| single(case, random.uniform(-1.0, 1.0)))
        .collect();
    let v: Vec<f64> = (0..inputs)
        .map(|_| single(case, random.uniform(-1.0, 1.0)))
        .collect();
    let (_, forward) = afresh(|| (case.jvp)(x, &v));
    let (_, reverse) = afresh(|| (case.vjp)(x, &w));
    let (left, right) = (dot(&w, &forward), dot(&reverse, &v));
    if scale.is_finite()
        && left.is_finite()
        && right.is_finite()
        && !close(left, right, tolerance, scale * (inputs * outputs) as f64)
    {
        verdict
            .failures
            .push(format!("⟨w, Jv⟩ = {left:?} is not ⟨Jᵀw, v⟩ = {right:?}"));
    }
    for (name, closeness, twin) in &case.twins {
        for seed in (0..outputs).map(|k| unit(outputs, k)).chain([w.clone()]) {
            let call = || counted(&mut verdict, name, ticks, || twin(x, &seed));
            let Some((again, gradient)) = unless_absorbed(call) else {
                verdict.absorbed += 1;
                continue;
            };
            let (_, expected) = afresh(|| (case.vjp)(x, &seed));
            verdict.bits(&format!("value of {name}"), &again, &value);
            match closeness {
                Closeness::Bits => verdict.bits(name, &gradient, &expected),
                Closeness::Defined if !defined => {}
                Closeness::Rounding | Closeness::Defined => {
                    // A tape guards every product.
                    let mut expected = expected;
                    let tape = *closeness == Closeness::Defined;
                    for (expected, got) in expected.iter_mut().zip(&gradient) {
                        if tape && expected.is_nan() && !got.is_nan() {
                            verdict.absorbed += 1;
                            *expected = *got;
                        }
                    }
                    // What cancels in one order of sums leaves rounding in another; of `f32` that shows at derivatives that are small themselves.
                    let least = if case.single { 1e-2 } else { 0.0 };
                    let scale = largest(&expected).max(1e-3 * scale).max(least);
                    verdict.vectors(name, &gradient, &expected, tight, scale);
                }
            }
        }
    }

    // The other forms.
    for (name, gradient) in &case.gradients {
        let (again, gradient) = counted(&mut verdict, name, ticks, || gradient(x));
        if let Some(again) = again {
            verdict.bits(&format!("value of {name}"), &again, &value);
        }
        if defined {
            // Whichever mode it chose.
            let mut expected = rows[0].clone();
            for (k, expected) in expected.iter_mut().enumerate() {
                if met_forward.contains(&k) && (gradient[k].is_nan() || expected.is_nan()) {
                    *expected = gradient[k];
                }
            }
            // What cancels leaves rounding of what it was made of.
            verdict.vectors(name, &gradient, &expected, tight, scale.max(1e-6));
        }
    }
    for (name, jacobian) in &case.jacobians {
        let got = afresh(|| jacobian(x));
        if defined {
            // Whichever mode it chose.
            for &entry in &met_forward {
                let (output, input) = (entry / inputs, entry % inputs);
                whole[entry] = match (got.get(entry), rows[output][input]) {
                    (Some(got), _) if got.is_nan() => f64::NAN,
                    (_, reverse) if reverse.is_nan() => columns[input][output],
                    (_, reverse) => reverse,
                };
            }
            verdict.vectors(name, &got, &whole, tolerance, scale);
        }
    }
    for (name, into) in &case.into {
        let before: Vec<f64> = (0..inputs)
            .map(|_| single(case, random.uniform(-2.0, 2.0)))
            .collect();
        let seed = if *name == "grad_into" {
            vec![1.0]
        } else {
            w.clone()
        };
        let (_, expected) = afresh(|| (case.vjp)(x, &seed));
        let (again, after) = counted(&mut verdict, name, ticks, || into(x, &seed, &before));
        verdict.bits(&format!("value of {name}"), &again, &value);
        let expected: Vec<f64> = before
            .iter()
            .zip(&expected)
            .map(|(before, added)| before + added)
            .collect();
        verdict.vectors(name, &after, &expected, tight, largest(&expected).max(2.0));
    }
    if !case.single {
        differences(case, x, &columns, scale, &mut verdict);
    }
    verdict
}

/// The columns of the Jacobian against central differences.
fn differences(case: &Case, x: &[f64], columns: &[Vec<f64>], scale: f64, verdict: &mut Verdict) {
    let f = |x: &[f64]| afresh(|| (case.primal)(x));
    // Where values have overflown, sums have lost what was small before.
    let boundless = f(x).iter().any(|value| !value.is_finite());
    for (k, column) in columns.iter().enumerate() {
        let along: Vec<f64> = (0..x.len())
            .map(|j| if j == k { 1.0 } else { 0.0 })
            .collect();
        let limit = 1e-7 * scale.max(1e-3);
        let estimates = directional_within(limit, &f, x, &along);
        for (output, (derivative, estimate)) in column.iter().zip(estimates).enumerate() {
            if estimate.error > limit || !derivative.is_finite() {
                verdict.skipped += 1;
            } else if close(*derivative, estimate.value, 1e-5, scale.max(1e-3)) {
                verdict.confirmed += 1;
            } else if boundless
                || at_kink(&f, x, &along, output)
                || too_fine(&f, x, &along, output, (*derivative, estimate.value))
                || case.kinks
                    && by_convention(
                        &|x| (case.jvp)(x, &along).1[output],
                        (x, &along),
                        (estimate.value, scale.max(1e-3)),
                    )
            {
                verdict.skipped += 1;
            } else {
                verdict.failures.push(format!(
                    "differences: output {output}, input {k}: {derivative:?} is not {:?} ± {:.1e}",
                    estimate.value, estimate.error
                ));
            }
        }
    }
}

/// Do the slopes to the left and to the right differ?
pub(crate) fn at_kink(
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    along: &[f64],
    output: usize,
) -> bool {
    let at = |step: f64| f(&moved(x, along, step))[output];
    let centre = at(0.0);
    [1e-4, 1e-6].iter().any(|&h| {
        let (right, left) = ((at(h) - centre) / h, (centre - at(-h)) / h);
        (right - left).abs() > 1e-2 * right.abs().max(left.abs()).max(1e-3)
    })
}

/// Does the function turn on a scale so small that differences step over it?
///
/// There the derivative is its slope; or it turns faster still, and quotients are of no use: they are much larger than the `estimate`.
/// Only quotients that rounding cannot have made count. And where the values run so fast
/// that the next number is far away, a sine of them turns as fast as they run.
/// Beside a value whose rounding is more than a sine can be, one that turns a million times as fast is not seen at all.
pub(crate) fn too_fine(
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    along: &[f64],
    output: usize,
    (derivative, estimate): (f64, f64),
) -> bool {
    let next: f64 = x
        .iter()
        .zip(along)
        .map(|(x, along)| f64::EPSILON * (x * along).abs())
        .sum();
    let skipped =
        (derivative - estimate).abs() * next > 0.01 && derivative.abs() < 10.0 * estimate.abs();
    let rounding = f64::EPSILON * f(x)[output].abs();
    let drowned = rounding > 1.0 && derivative.abs() * next > 1e6 * rounding;
    skipped
        || drowned
        || (8..=15).map(|k| 10f64.powi(-k)).any(|h| {
            let (right, left) = (moved(x, along, h), moved(x, along, -h));
            let step: f64 = right
                .iter()
                .zip(&left)
                .zip(along)
                .map(|((right, left), along)| (right - left) * along)
                .sum();
            let (above, below) = (f(&right)[output], f(&left)[output]);
            let quotient = (above - below) / step;
            let rounding = 16.0 * f64::EPSILON * (above.abs() + below.abs()) / step;
            let near = 0.02 * derivative.abs();
            let far = (100.0 * estimate.abs()).max(0.1 * derivative.abs());
            let unresolved = quotient.abs() > far && rounding < 0.1 * quotient.abs();
            unresolved || rounding < near && (quotient - derivative).abs() < near
        })
}

/// Do the derivatives on both sides say, on average, what differences do?
///
/// max(min(x, 0), 0) is zero everywhere, but at 0 each of its two kinks has the slope that the rules agree on, and their product is not 0.
/// So it is with the slopes of slopes: the derivative of cos(|x|) is smooth, but that of |x| is not.
/// And where a number is sorted behind such a kink, the slopes to its sides may differ by little, and that of the rules by more.
pub(crate) fn by_convention(
    derivative: &dyn Fn(&[f64]) -> f64,
    (x, along): (&[f64], &[f64]),
    (expected, scale): (f64, f64),
) -> bool {
    let [right, left] = [1e-7, -1e-7].map(|step| derivative(&moved(x, along, step)));
    close(f64::midpoint(right, left), expected, 1e-5, scale)
}

/// The number as the function's own floats can hold it.
fn single(case: &Case, value: f64) -> f64 {
    if case.single {
        f64::from(value as f32)
    } else {
        value
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
