//! `ba`: bundle adjustment, the errors of points as cameras see them.

use std::cell::RefCell;
use std::rc::Rc;

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::task::{Task, task};

/// Rotation (3), centre (3), focal length, principal point (2), distortion (2).
pub(crate) const CAMERA: usize = 11;
/// The entries in a row of the Jacobian of an error: camera, point and weight.
pub(crate) const ROW: usize = CAMERA + 3 + 1;

#[grad]
fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[grad]
fn rodrigues_rotate(rot: &[f64; 3], pt: &[f64; 3]) -> [f64; 3] {
    let square = rot[0] * rot[0] + rot[1] * rot[1] + rot[2] * rot[2];
    if square == 0.0 {
        let x = cross(rot, pt);
        return [pt[0] + x[0], pt[1] + x[1], pt[2] + x[2]];
    }
    let theta = square.sqrt();
    let (sin, cos) = theta.sin_cos();
    let inverse = 1.0 / theta;
    let w = [rot[0] * inverse, rot[1] * inverse, rot[2] * inverse];
    let x = cross(&w, pt);
    let along = (w[0] * pt[0] + w[1] * pt[1] + w[2] * pt[2]) * (1.0 - cos);
    let mut rotated = [0.0; 3];
    for i in 0..3 {
        rotated[i] = pt[i] * cos + x[i] * sin + w[i] * along;
    }
    rotated
}

#[grad]
fn project(cam: &[f64; CAMERA], x: &[f64; 3]) -> [f64; 2] {
    let from_centre = [x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]];
    let seen = rodrigues_rotate(&[cam[0], cam[1], cam[2]], &from_centre);
    let p = [seen[0] / seen[2], seen[1] / seen[2]];
    let square = p[0] * p[0] + p[1] * p[1];
    let distortion = 1.0 + cam[9] * square + cam[10] * square * square;
    [
        p[0] * distortion * cam[6] + cam[7],
        p[1] * distortion * cam[6] + cam[8],
    ]
}

#[grad]
fn reprojection_error(
    cam: &[f64; CAMERA],
    x: &[f64; 3],
    w: f64,
    #[constant] feat: &[f64; 2],
) -> [f64; 2] {
    let p = project(cam, x);
    [w * (p[0] - feat[0]), w * (p[1] - feat[1])]
}

#[grad]
fn weight_error(w: f64) -> f64 {
    1.0 - w * w
}

/// What the functions are given: every observation has its own camera, point, weight and feature, though the benchmark repeats the same ones.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) cams: Vec<[f64; CAMERA]>,
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) weights: Vec<f64>,
    pub(crate) feats: Vec<[f64; 2]>,
    pub(crate) observations: Vec<(usize, usize)>,
}

/// The one of each that the benchmark sends, and how often it is repeated.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Given {
    pub(crate) n: usize,
    pub(crate) m: usize,
    pub(crate) p: usize,
    pub(crate) cam: [f64; CAMERA],
    pub(crate) x: [f64; 3],
    pub(crate) w: f64,
    pub(crate) feat: [f64; 2],
}

/// More than this many cameras, points or observations are taken for a mistake: they come as a number, and would take all memory.
const MOST: usize = 1 << 22;

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(given: Given) -> Result<Self, String> {
        let Given { n, m, p, .. } = given;
        if n == 0 || m == 0 || p == 0 {
            return Err("`n`, `m` and `p` must be at least 1".to_owned());
        }
        if n.max(m).max(p) > MOST {
            return Err(format!("`n`, `m` and `p` may be at most {MOST}"));
        }
        Ok(Input {
            cams: vec![given.cam; n],
            points: vec![given.x; m],
            weights: vec![given.w; p],
            feats: vec![given.feat; p],
            observations: (0..p).map(|i| (i % n, i % m)).collect(),
        })
    }
}

/// The errors of all observations, and of their weights.
pub(crate) fn objective(input: &Input) -> (Vec<[f64; 2]>, Vec<f64>) {
    let errors = input
        .observations
        .iter()
        .enumerate()
        .map(|(i, &(cam, pt))| {
            let (cam, point) = (&input.cams[cam], &input.points[pt]);
            reprojection_error(cam, point, input.weights[i], &input.feats[i])
        });
    let weights = input.weights.iter().map(|w| weight_error(*w));
    (errors.collect(), weights.collect())
}

/// A sparse matrix by rows: where each row begins, and the columns and values of its entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    pub(crate) rows: Vec<u32>,
    pub(crate) cols: Vec<u32>,
    pub(crate) vals: Vec<f64>,
}

/// The Jacobian of all errors, in memory that is used again: two rows for each observation, and then one for each weight.
pub(crate) fn jacobian(input: &Input, jacobian: &mut Sparse) {
    let errors = reprojection_error::jacobian_into;
    fill(jacobian, input, errors, weight_error::grad);
}

/// Fills the Jacobian from those of its parts: `errors` writes the two rows of an observation, `weights` returns the entry of a weight.
pub(crate) fn fill(
    jacobian: &mut Sparse,
    input: &Input,
    errors: impl Fn(&[f64; CAMERA], &[f64; 3], f64, &[f64; 2], &mut [f64]),
    weights: impl Fn(f64) -> f64,
) {
    let (n, m, p) = (
        input.cams.len(),
        input.points.len(),
        input.observations.len(),
    );
    let Sparse { rows, cols, vals } = jacobian;
    rows.clear();
    rows.reserve(3 * p + 1);
    cols.clear();
    cols.reserve((2 * ROW + 1) * p);
    vals.clear();
    vals.reserve((2 * ROW + 1) * p);
    rows.push(0);
    for (i, &(cam, pt)) in input.observations.iter().enumerate() {
        let start = vals.len();
        vals.resize(start + 2 * ROW, 0.0);
        let (camera, point) = (&input.cams[cam], &input.points[pt]);
        let (weight, feat) = (input.weights[i], &input.feats[i]);
        errors(camera, point, weight, feat, &mut vals[start..]);
        for _ in 0..2 {
            cols.extend((0..CAMERA).map(|k| (CAMERA * cam + k) as u32));
            cols.extend((0..3).map(|k| (CAMERA * n + 3 * pt + k) as u32));
            cols.push((CAMERA * n + 3 * m + i) as u32);
            rows.push(cols.len() as u32);
        }
    }
    for (i, w) in input.weights.iter().enumerate() {
        vals.push(weights(*w));
        cols.push((CAMERA * n + 3 * m + i) as u32);
        rows.push(cols.len() as u32);
    }
}

/// The first error stands for all.
fn show_errors((errors, weights): &(Vec<[f64; 2]>, Vec<f64>)) -> Output {
    let repeated = Output::Count(errors.len());
    Output::Fields(vec![
        (
            "reproj_error",
            Output::Fields(vec![
                ("elements", errors[0].to_vec().into()),
                ("repeated", repeated.clone()),
            ]),
        ),
        (
            "w_err",
            Output::Fields(vec![("element", weights[0].into()), ("repeated", repeated)]),
        ),
    ])
}

/// The first thirty and the last of each.
fn show_sparse(jacobian: &Sparse) -> Output {
    fn ends<T: Copy>(list: &[T]) -> impl Iterator<Item = T> {
        let first = &list[..list.len().min(30)];
        first.iter().chain(list.last()).copied()
    }
    let count = |count| Output::Count(count as usize);
    let counts = |list| Output::List(ends(list).map(count).collect());
    Output::Fields(vec![
        ("rows", counts(&jacobian.rows)),
        ("cols", counts(&jacobian.cols)),
        ("vals", ends(&jacobian.vals).collect::<Vec<_>>().into()),
    ])
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "objective" => parse(input, |input: Input| {
            task(move || objective(&input), show_errors)
        }),
        "jacobian" => parse(input, |input: Input| {
            let matrix = Rc::new(RefCell::new(Sparse::default()));
            let filled = Rc::clone(&matrix);
            task(
                move || jacobian(&input, &mut matrix.borrow_mut()),
                move |()| show_sparse(&filled.borrow()),
            )
        }),
        _ => Err(Refusal::NoFunction),
    }
}
