//! `kmeans`: a step of Newton's method on the squared distances of points to their nearest centroids.

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::rows::Rows;
use crate::task::{Task, task};

#[grad(order = 2)]
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    sum
}

#[grad(order = 2, wrt(centroids))]
fn objective(points: &[f64], centroids: &[f64], d: usize) -> f64 {
    let n = points.len() / d;
    let k = centroids.len() / d;
    let mut cost = 0.0;
    for i in 0..n {
        let a = &points[i * d..(i + 1) * d];
        let mut closest = f64::INFINITY;
        for j in 0..k {
            let b = &centroids[j * d..(j + 1) * d];
            closest = closest.min(squared_distance(a, b));
        }
        cost += closest;
    }
    cost
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) d: usize,
    pub(crate) points: Vec<f64>,
    pub(crate) centroids: Vec<f64>,
}

#[derive(Deserialize)]
struct Given {
    points: Rows,
    centroids: Rows,
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(Given { points, centroids }: Given) -> Result<Self, String> {
        let (n, k, d) = (points.len(), centroids.len(), points.width());
        if n == 0 || k == 0 || d == 0 {
            return Err("there must be a point, a centroid and a dimension".to_owned());
        }
        Ok(Input {
            d,
            points: points.expect("points", n, d)?,
            centroids: centroids.expect("centroids", k, d)?,
        })
    }
}

/// The sum of squared distances.
pub(crate) fn cost(input: &Input) -> f64 {
    objective(&input.points, &input.centroids, input.d)
}

/// The gradient divided by the diagonal of the Hessian, which has nothing beside the diagonal: a product of it with ones.
pub(crate) fn dir(input: &Input) -> Vec<f64> {
    let ones = vec![1.0; input.centroids.len()];
    let (gradient, diagonal) = objective::hvp(&input.points, &input.centroids, input.d, &ones);
    let quotients = gradient.iter().zip(&diagonal).map(|(g, h)| g / h);
    quotients.collect()
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "cost" => parse(input, |input: Input| {
            task(move || cost(&input), |y| Output::from(*y))
        }),
        "dir" => parse(input, |input: Input| {
            let (d, k) = (input.d, input.centroids.len() / input.d);
            task(
                move || dir(&input),
                move |step| Output::rows(step.clone(), k, d),
            )
        }),
        _ => Err(Refusal::NoFunction),
    }
}
