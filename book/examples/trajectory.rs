//! The swing of a pendulum to the top with the least effort, by sequential quadratic programming.

use autodiff::grad;
use nalgebra::{DMatrix, DVector};

use crate::picture::{Series, draw};

const STEPS: usize = 100;
const H: f64 = 0.04;

/// By how much angle and speed miss the top after all torques.
#[grad]
fn end(torques: &[f64]) -> [f64; 2] {
    let (mut angle, mut speed) = (0.0, 0.0);
    for u in torques {
        speed += H * (u - f64::sin(angle));
        angle += H * speed;
    }
    [angle - std::f64::consts::PI, speed]
}

pub(crate) fn main() {
    let mut u = DVector::from_element(STEPS, 0.5);
    let mut multipliers = DVector::zeros(2);
    for _ in 0..200 {
        // The least torques that meet the linearised end; half of the way there.
        let (missed, j) = end::value_and_jacobian(u.as_slice());
        let j = DMatrix::from_row_slice(2, STEPS, j.as_slice());
        let wanted = &j * &u - DVector::from_row_slice(&missed);
        let both = &j * j.transpose();
        multipliers = both.lu().solve(&wanted).expect("the end can be steered");
        let least = j.tr_mul(&multipliers);
        u = 0.5 * &u + 0.5 * least;
    }
    // It is at rest at the top, and no way there is shorter to first order.
    let missed = end(u.as_slice());
    assert!(missed[0].hypot(missed[1]) < 1e-9, "{missed:?}");
    let (_, pulled) = end::vjp(u.as_slice(), [multipliers[0], multipliers[1]]);
    assert!((DVector::from_vec(pulled) - &u).norm() < 1e-8);

    let (mut angle, mut speed, mut path) = (0.0_f64, 0.0, vec![(0.0, 0.0)]);
    for (i, u) in u.iter().enumerate() {
        speed += H * (u - angle.sin());
        angle += H * speed;
        path.push((H * (i + 1) as f64, angle));
    }
    let torques = u.iter().enumerate().map(|(i, u)| (H * i as f64, *u));
    draw(
        "trajectory",
        "time",
        "angle, torque",
        &[
            Series::Line("angle", path),
            Series::Line("torque", torques.collect()),
        ],
    );
}
