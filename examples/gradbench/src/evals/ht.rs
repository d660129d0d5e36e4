//! `ht`: hand tracking, the distances of measured points from the skin of a hand in a pose.

use std::array::from_fn;

use autodiff::grad;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Refusal, parse};
use crate::output::Output;
use crate::rows::Rows;
use crate::task::{Task, task};

/// How many parameters a pose has: rotation (3), translation (3), four for each finger.
pub(crate) const THETA: usize = 26;
const FINGERS: usize = 5;
/// How many columns are computed at once: a divisor of 28.
const LANES: usize = 7;

type Matrix4 = [[f64; 4]; 4];

/// A hand: its bones, and its skin, whose vertices are drawn along by them.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) base_relatives: Vec<Matrix4>,
    pub(crate) inverse_base_absolutes: Vec<Matrix4>,
    pub(crate) base_positions: Vec<[f64; 4]>,
    /// A row for each vertex, with an entry for each bone.
    pub(crate) weights: Vec<f64>,
    pub(crate) is_mirrored: bool,
}

#[grad]
fn multiply3(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut c = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[grad]
fn multiply4(a: &[[f64; 4]; 4], b: &[[f64; 4]; 4]) -> [[f64; 4]; 4] {
    let mut c = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[grad]
fn angle_axis_to_rotation(v: &[f64; 3]) -> [[f64; 3]; 3] {
    let norm = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    if norm < 0.0001 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let (x, y, z) = (v[0] / norm, v[1] / norm, v[2] / norm);
    let (s, c) = norm.sin_cos();
    [
        [
            x * x + (1.0 - x * x) * c,
            x * y * (1.0 - c) - z * s,
            x * z * (1.0 - c) + y * s,
        ],
        [
            x * y * (1.0 - c) + z * s,
            y * y + (1.0 - y * y) * c,
            y * z * (1.0 - c) - x * s,
        ],
        [
            x * z * (1.0 - c) - y * s,
            z * y * (1.0 - c) + x * s,
            z * z + (1.0 - z * z) * c,
        ],
    ]
}

#[grad]
fn euler_angles_to_rotation(xzy: &[f64; 3]) -> [[f64; 3]; 3] {
    let (sin_x, cos_x) = xzy[0].sin_cos();
    let (sin_z, cos_z) = xzy[1].sin_cos();
    let (sin_y, cos_y) = xzy[2].sin_cos();
    let rx = [[1.0, 0.0, 0.0], [0.0, cos_x, -sin_x], [0.0, sin_x, cos_x]];
    let ry = [[cos_y, 0.0, sin_y], [0.0, 1.0, 0.0], [-sin_y, 0.0, cos_y]];
    let rz = [[cos_z, -sin_z, 0.0], [sin_z, cos_z, 0.0], [0.0, 0.0, 1.0]];
    let zy: [[f64; 3]; 3] = multiply3(&rz, &ry);
    multiply3(&zy, &rx)
}

/// Global rotation, scale and translation, and then the angles of each bone.
#[grad]
fn pose_params(theta: &[f64; THETA], #[constant] bones: usize) -> Vec<[f64; 3]> {
    let mut pose = vec![[0.0; 3]; bones + 3];
    for i in 0..3 {
        pose[0][i] = theta[i];
        pose[1][i] = 1.0;
        pose[2][i] = theta[3 + i];
    }
    let mut from = 6;
    let mut to = 5;
    for _ in 0..FINGERS {
        for i in 2..=4 {
            pose[to][0] = theta[from];
            from += 1;
            if i == 2 {
                pose[to][1] = theta[from];
                from += 1;
            }
            to += 1;
        }
        to += 1;
    }
    pose
}

#[grad]
fn bone_transforms(pose: &[[f64; 3]], #[constant] model: &Model) -> Vec<[[f64; 4]; 4]> {
    let bones = model.parents.len();
    let mut absolutes = vec![[[0.0; 4]; 4]; bones];
    for bone in 0..bones {
        let rotation: [[f64; 3]; 3] = euler_angles_to_rotation(&pose[bone + 3]);
        let mut turn = [[0.0; 4]; 4];
        for i in 0..3 {
            for j in 0..3 {
                turn[i][j] = rotation[i][j];
            }
        }
        turn[3][3] = 1.0;
        let relative: [[f64; 4]; 4] = multiply4(&model.base_relatives[bone], &turn);
        absolutes[bone] = match model.parents[bone] {
            Some(parent) => multiply4(&absolutes[parent], &relative),
            None => relative,
        };
    }
    let mut transforms = vec![[[0.0; 4]; 4]; bones];
    for bone in 0..bones {
        transforms[bone] = multiply4(&absolutes[bone], &model.inverse_base_absolutes[bone]);
    }
    transforms
}

/// Where the vertices of the skin are.
#[grad]
fn vertex_positions(theta: &[f64; THETA], #[constant] model: &Model) -> Vec<[f64; 3]> {
    let bones = model.parents.len();
    let vertices = model.base_positions.len();
    let pose: Vec<[f64; 3]> = pose_params(theta, bones);
    let transforms: Vec<[[f64; 4]; 4]> = bone_transforms(&pose, model);
    let mut positions = vec![[0.0; 3]; vertices];
    for bone in 0..bones {
        let transform = &transforms[bone];
        for vertex in 0..vertices {
            let base: [f64; 4] = model.base_positions[vertex];
            let weight: f64 = model.weights[vertex * bones + bone];
            for i in 0..3 {
                let mut moved = 0.0;
                for j in 0..4 {
                    moved += transform[i][j] * base[j];
                }
                positions[vertex][i] += moved * weight;
            }
        }
    }
    if model.is_mirrored {
        for vertex in 0..vertices {
            positions[vertex][0] = -positions[vertex][0];
        }
    }
    let mut rotation: [[f64; 3]; 3] = angle_axis_to_rotation(&pose[0]);
    for i in 0..3 {
        for j in 0..3 {
            rotation[j][i] *= pose[1][i];
        }
    }
    for vertex in 0..vertices {
        let p = positions[vertex];
        for i in 0..3 {
            positions[vertex][i] =
                rotation[i][0] * p[0] + rotation[i][1] * p[1] + rotation[i][2] * p[2] + pose[2][i];
        }
    }
    positions
}

/// The points and the vertices that they correspond to.
#[grad(wrt(theta))]
fn simple(
    theta: &[f64; THETA],
    model: &Model,
    vertices: &[usize],
    points: &[[f64; 3]],
) -> Vec<f64> {
    let positions: Vec<[f64; 3]> = vertex_positions(theta, model);
    let mut errors = vec![0.0; 3 * points.len()];
    for i in 0..points.len() {
        for j in 0..3 {
            errors[3 * i + j] = points[i][j] - positions[vertices[i]][j];
        }
    }
    errors
}

/// The points and places in the triangles that they correspond to, by two coordinates each.
#[grad(wrt(theta, us))]
fn complicated(
    theta: &[f64; THETA],
    us: &[[f64; 2]],
    model: &Model,
    triangles: &[[usize; 3]],
    points: &[[f64; 3]],
) -> Vec<f64> {
    let positions: Vec<[f64; 3]> = vertex_positions(theta, model);
    let mut errors = vec![0.0; 3 * points.len()];
    for i in 0..points.len() {
        let corners = triangles[i];
        let u = us[i];
        for j in 0..3 {
            let on_hand = u[0] * positions[corners[0]][j]
                + u[1] * positions[corners[1]][j]
                + (1.0 - u[0] - u[1]) * positions[corners[2]][j];
            errors[3 * i + j] = points[i][j] - on_hand;
        }
    }
    errors
}

/// What a point corresponds to.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Vertices.
    Vertices(Vec<usize>),
    /// Triangles by their corners, and where in them.
    Triangles(Vec<[usize; 3]>, Vec<[f64; 2]>),
}

/// What the functions are given.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Given")]
pub(crate) struct Input {
    pub(crate) theta: [f64; THETA],
    pub(crate) model: Model,
    pub(crate) places: Places,
    pub(crate) points: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Given {
    theta: Vec<f64>,
    data: GivenData,
    us: Vec<[f64; 2]>,
}

#[derive(Deserialize)]
struct GivenData {
    model: GivenModel,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct GivenModel {
    bone_count: usize,
    parents: Vec<i64>,
    base_relatives: Vec<Matrix4>,
    inverse_base_absolutes: Vec<Matrix4>,
    base_positions: Vec<[f64; 4]>,
    weights: Rows,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

impl TryFrom<GivenModel> for Model {
    type Error = String;

    fn try_from(given: GivenModel) -> Result<Self, String> {
        let bones = given.bone_count;
        // The last finger's angles are those of the bones up to this one.
        let least = 4 * FINGERS + 1;
        if bones < least {
            return Err(format!("`bone_count` is {bones}, below {least}"));
        }
        for (name, length) in [
            ("parents", given.parents.len()),
            ("base_relatives", given.base_relatives.len()),
            ("inverse_base_absolutes", given.inverse_base_absolutes.len()),
        ] {
            if length != bones {
                return Err(format!(
                    "`{name}` has the length {length} instead of {bones}"
                ));
            }
        }
        let parent = |(bone, parent): (usize, &i64)| match usize::try_from(*parent) {
            Ok(parent) if parent < bone => Ok(Some(parent)),
            Err(_) if *parent == -1 => Ok(None),
            _ => Err(format!("bone {bone} cannot have the parent {parent}")),
        };
        let parents: Result<_, _> = given.parents.iter().enumerate().map(parent).collect();
        let vertices = given.base_positions.len();
        Ok(Model {
            parents: parents?,
            base_relatives: given.base_relatives,
            inverse_base_absolutes: given.inverse_base_absolutes,
            weights: given.weights.expect("weights", vertices, bones)?,
            base_positions: given.base_positions,
            is_mirrored: given.is_mirrored,
        })
    }
}

impl TryFrom<Given> for Input {
    type Error = String;

    fn try_from(given: Given) -> Result<Self, String> {
        let theta = <[f64; THETA]>::try_from(given.theta).map_err(|theta| {
            let found = theta.len();
            format!("`theta` has the length {found} instead of {THETA}")
        })?;
        let GivenData {
            mut model,
            correspondences,
            points,
        } = given.data;
        let triangles = std::mem::take(&mut model.triangles);
        let model = Model::try_from(model)?;
        if correspondences.len() != points.len() {
            return Err("`correspondences` and `points` differ in length".to_owned());
        }
        let vertices = model.base_positions.len();
        let places = if given.us.is_empty() {
            if let Some(vertex) = correspondences.iter().find(|v| **v >= vertices) {
                return Err(format!("there is no vertex {vertex}"));
            }
            Places::Vertices(correspondences)
        } else {
            if given.us.len() != points.len() {
                return Err("`us` and `points` differ in length".to_owned());
            }
            let mut corners = Vec::with_capacity(correspondences.len());
            for t in correspondences {
                let Some(triangle) = triangles.get(t) else {
                    return Err(format!("there is no triangle {t}"));
                };
                if let Some(vertex) = triangle.iter().find(|v| **v >= vertices) {
                    return Err(format!("there is no vertex {vertex}"));
                }
                corners.push(*triangle);
            }
            Places::Triangles(corners, given.us)
        };
        Ok(Input {
            theta,
            model,
            places,
            points,
        })
    }
}

/// The distances of all points, three numbers each.
pub(crate) fn objective(input: &Input) -> Vec<f64> {
    let Input {
        theta,
        model,
        places,
        points,
    } = input;
    match places {
        Places::Vertices(vertices) => simple(theta, model, vertices, points),
        Places::Triangles(triangles, us) => complicated(theta, us, model, triangles, points),
    }
}

/// Its Jacobian with as many columns, row by row.
pub(crate) struct Jacobian {
    pub(crate) columns: usize,
    pub(crate) numbers: Vec<f64>,
}

/// The Jacobian, forward; a point's distances depend on the coordinates in its own triangle alone, so those of all points share two columns in front.
pub(crate) fn jacobian(input: &Input) -> Jacobian {
    let Input {
        theta,
        model,
        places,
        points,
    } = input;
    match places {
        Places::Vertices(vertices) => Jacobian {
            columns: THETA,
            numbers: simple::jacfwd(theta, model, vertices, points)
                .as_slice()
                .to_vec(),
        },
        Places::Triangles(triangles, us) => {
            let columns = 2 + THETA;
            let mut numbers = vec![0.0; 3 * points.len() * columns];
            let inside = [[1.0, 0.0], [0.0, 1.0], [0.0; 2]].map(|u| vec![u; us.len()]);
            for first in (0..columns).step_by(LANES) {
                let mut along = [[0.0; THETA]; LANES];
                for (lane, along) in along.iter_mut().enumerate() {
                    if let Some(k) = (first + lane).checked_sub(2) {
                        along[k] = 1.0;
                    }
                }
                let tangents: [_; LANES] =
                    from_fn(|lane| (&along[lane], inside[(first + lane).min(2)].as_slice()));
                let (_, ds) = complicated::jvp_lanes(theta, us, model, triangles, points, tangents);
                for (row, numbers) in numbers.chunks_exact_mut(columns).enumerate() {
                    for (number, d) in numbers[first..].iter_mut().zip(&ds) {
                        *number = d[row];
                    }
                }
            }
            Jacobian { columns, numbers }
        }
    }
}

/// The function of this name with its input.
pub(crate) fn prepare(function: &str, input: &RawValue) -> Result<Box<dyn Task>, Refusal> {
    match function {
        "objective" => parse(input, |input: Input| {
            task(move || objective(&input), |y| Output::from(y.clone()))
        }),
        "jacobian" => parse(input, |input: Input| {
            let rows = 3 * input.points.len();
            task(
                move || jacobian(&input),
                move |j| Output::rows(j.numbers.clone(), rows, j.columns),
            )
        }),
        _ => Err(Refusal::NoFunction),
    }
}
