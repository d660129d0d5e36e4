//! Before anything is timed: do all programs find the same value and the right gradient?

use crate::data::Random;
use crate::problem::{Kind, Problem};

/// How far two programs for the same gradient may differ, relative to the largest entry.
const AGREEMENT: f64 = 1e-10;
/// How far a gradient may differ from central differences, relative to the largest entry compared.
const DIFFERENCES: f64 = 1e-6;
/// At most so many coordinates are compared with central differences one by one.
const COORDINATES: usize = 48;
/// So many random directions are compared besides, which touch all coordinates at once.
const DIRECTIONS: usize = 4;

/// Aborts the program unless every contestant of `problem` is right.
pub(crate) fn check(problem: &Problem) {
    let name = problem.name;
    let value = (problem.value_at)(&problem.point);
    assert!(value.is_finite(), "{name}: the primal is {value}");
    let slopes = slopes(problem);
    let mut reference: Option<(Kind, Vec<f64>)> = None;
    for contestant in &problem.contestants {
        let kind = contestant.kind;
        let (found, gradient) = (contestant.answer)();
        assert!(
            found.to_bits() == value.to_bits(),
            "{name}: {} finds the value {found:e}, the primal {value:e}",
            kind.name(),
        );
        if kind == Kind::Primal {
            continue;
        }
        compare_with_slopes(name, kind, &gradient, &slopes);
        match &reference {
            None => reference = Some((kind, gradient)),
            Some((first, expected)) => {
                compare(name, kind, &gradient, *first, expected);
            }
        }
    }
}

fn compare(name: &str, kind: Kind, gradient: &[f64], first: Kind, expected: &[f64]) {
    assert_eq!(
        gradient.len(),
        expected.len(),
        "{name}: {} and {} differ in length",
        kind.name(),
        first.name()
    );
    let scale = largest(expected);
    for (i, (a, b)) in gradient.iter().zip(expected).enumerate() {
        assert!(
            (a - b).abs() <= AGREEMENT * scale,
            "{name}: entry {i} of the gradient is {a:e} by {} and {b:e} by {}",
            kind.name(),
            first.name(),
        );
    }
}

/// A direction with the slope of the primal along it.
struct Slope {
    direction: Direction,
    slope: f64,
}

enum Direction {
    Axis(usize),
    Any(Vec<f64>),
}

impl Direction {
    fn along(&self, gradient: &[f64]) -> f64 {
        match self {
            Direction::Axis(i) => gradient[*i],
            Direction::Any(d) => d.iter().zip(gradient).map(|(d, g)| d * g).sum(),
        }
    }

    fn step(&self, point: &[f64], h: f64) -> Vec<f64> {
        let mut moved = point.to_vec();
        match self {
            Direction::Axis(i) => moved[*i] += h,
            Direction::Any(d) => moved.iter_mut().zip(d).for_each(|(x, d)| *x += h * d),
        }
        moved
    }
}

fn compare_with_slopes(name: &str, kind: Kind, gradient: &[f64], slopes: &[Slope]) {
    let axes = slopes
        .iter()
        .filter(|s| matches!(s.direction, Direction::Axis(_)));
    let scale = axes.map(|s| s.slope.abs()).fold(0.0, f64::max);
    for Slope { direction, slope } in slopes {
        let found = direction.along(gradient);
        let (what, scale) = match direction {
            Direction::Axis(i) => (format!("along axis {i}"), scale),
            Direction::Any(_) => ("along a random direction".to_string(), slope.abs()),
        };
        assert!(
            (found - slope).abs() <= DIFFERENCES * scale,
            "{name}: {what} the gradient by {} has {found:e}, central differences {slope:e}",
            kind.name(),
        );
    }
}

/// Central differences, extrapolated once (Richardson), along axes spread evenly and along random directions.
fn slopes(problem: &Problem) -> Vec<Slope> {
    let point = &problem.point;
    let stride = point.len().div_ceil(COORDINATES).max(1);
    let axes = (0..point.len()).step_by(stride).map(Direction::Axis);
    let mut random = Random::new(1);
    let length = (point.len() as f64).sqrt();
    let any = (0..DIRECTIONS).map(|_| {
        let direction = random.vec(point.len(), -1.0, 1.0);
        Direction::Any(direction.iter().map(|d| d / length).collect())
    });
    axes.chain(any.collect::<Vec<_>>())
        .map(|direction| {
            let central = |h: f64| {
                let above = (problem.value_at)(&direction.step(point, h));
                let below = (problem.value_at)(&direction.step(point, -h));
                (above - below) / (2.0 * h)
            };
            let h = 1e-3;
            let slope = (4.0 * central(h) - central(2.0 * h)) / 3.0;
            Slope { direction, slope }
        })
        .collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}
