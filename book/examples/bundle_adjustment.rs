//! Cameras and points from what the cameras saw, by the method of Levenberg and Marquardt.

use autodiff::{Residuals, grad};
use nalgebra::{DMatrix, DVector, Vector3};

use crate::picture::{Series, draw};

/// Where a camera with a rotation vector and a translation sees a point.
#[grad]
fn project(camera: &[f64], point: &[f64]) -> [f64; 2] {
    let r = Vector3::new(camera[0], camera[1], camera[2]);
    let p = Vector3::new(point[0], point[1], point[2]);
    let (angle, axis) = (r.norm(), r.normalize());
    let along = axis * axis.dot(&p);
    let turned = along + (p - along) * angle.cos() + axis.cross(&p) * angle.sin();
    let at = turned + Vector3::new(camera[3], camera[4], camera[5]);
    [at.x / at.z, at.y / at.z]
}

/// What is seen less what was: six numbers for each of three cameras, then three for each point.
#[grad]
fn misses(p: &[f64], #[constant] seen: &[f64]) -> Vec<f64> {
    let (cameras, points) = p.split_at(18);
    let mut out = Vec::new();
    for camera in cameras.chunks(6) {
        for point in points.chunks(3) {
            for at in project(camera, point) {
                out.push(at - seen[out.len()]);
            }
        }
    }
    out
}

pub(crate) fn main() {
    let wave = |i: usize, by: f64| (by * (i + 1) as f64).sin();
    let camera = |i: usize| if i % 6 == 5 { 5.0 } else { 0.6 * wave(i, 1.3) };
    let points = (0..36).map(|i| wave(i * i, 0.7));
    let truth: Vec<f64> = (0..18).map(camera).chain(points).collect();
    let seen = misses(&truth, &[0.0; 72]);
    let mut p: Vec<f64> = (0..54).map(|i| truth[i] + 0.1 * wave(i, 0.7)).collect();
    let problem = misses::with(&seen);
    let square = |p: &[f64]| problem.residuals(p).iter().map(|r| r * r).sum::<f64>();
    let (mut damping, mut errors) = (1e-3, vec![(0.0, square(&p).log10())]);
    for round in 1..25 {
        let (r, j) = problem.residuals_and_jacobian(&p);
        let (r, j) = (DVector::from_vec(r), DMatrix::from(j));
        let normal = j.tr_mul(&j) + DMatrix::identity(p.len(), p.len()) * damping;
        let step = normal.lu().solve(&j.tr_mul(&r)).unwrap();
        let next: Vec<f64> = p.iter().zip(&step).map(|(p, s)| p - s).collect();
        let better = square(&next) < square(&p);
        // The whole scene can be moved and scaled: some damping has to stay.
        damping = f64::max(damping * if better { 0.1 } else { 10.0 }, 1e-7);
        p = if better { next } else { p };
        errors.push((f64::from(round), square(&p).log10()));
    }
    assert!(square(&p) < 1e-20);
    let line = Series::Line("squared error", errors);
    draw("bundle_adjustment", "round", "power of ten", &[line]);
}
