//! Central differences with Richardson's extrapolation (Ridders' table), which know when they cannot be trusted.

/// What differences say of one directional derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The extrapolated difference quotient.
    pub value: f64,
    /// How far it may be off, judged from the table.
    pub error: f64,
}

/// The derivatives of all outputs of `f` at `x` in the direction of `along`.
///
/// Near a kink or a step the rows of the table disagree, and `error` is large.
pub fn directional(f: &dyn Fn(&[f64]) -> Vec<f64>, x: &[f64], along: &[f64]) -> Vec<Estimate> {
    directional_from(0.02, f, x, along)
}

/// [`directional`], again with small steps for what bends so fast that its table converges too slowly: where the error is above `limit`,
/// the better of the two estimates.
pub fn directional_within(
    limit: f64,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    along: &[f64],
) -> Vec<Estimate> {
    let mut estimates = directional(f, x, along);
    if estimates.iter().any(|estimate| estimate.error > limit) {
        let closer = directional_from(1e-3, f, x, along);
        for (estimate, closer) in estimates.iter_mut().zip(closer) {
            if estimate.error > limit && closer.error < estimate.error {
                *estimate = closer;
            }
        }
    }
    estimates
}

fn directional_from(
    first: f64,
    f: &dyn Fn(&[f64]) -> Vec<f64>,
    x: &[f64],
    along: &[f64],
) -> Vec<Estimate> {
    const ROWS: usize = 7;
    const SHRINK: f64 = 1.6;
    let centre = f(x);
    let outputs = centre.len();
    let quotients: Vec<Vec<f64>> = (0..ROWS)
        .map(|row| {
            let h = first / SHRINK.powi(row as i32);
            let (right, left) = (f(&moved(x, along, h)), f(&moved(x, along, -h)));
            (0..outputs)
                .map(|k| {
                    if right.len() == outputs && left.len() == outputs {
                        (right[k] - left[k]) / (2.0 * h)
                    } else {
                        f64::NAN
                    }
                })
                .collect()
        })
        .collect();
    (0..outputs)
        .map(|k| ridders(quotients.iter().map(|row| row[k]), SHRINK * SHRINK))
        .collect()
}

/// `x + step · along`, with the bits of `x` where nothing is added (a kink may tell `-0.0` from `0.0`).
pub fn moved(x: &[f64], along: &[f64], step: f64) -> Vec<f64> {
    x.iter()
        .zip(along)
        .map(|(x, along)| {
            let added = step * along;
            if added == 0.0 { *x } else { x + added }
        })
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
        let mut row = vec![quotient];
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
