//! The angles of an arm whose hand is to be at a point, by damped least squares.

use autodiff::grad;
use nalgebra::{Matrix2, SMatrix, Vector2, Vector4};

use crate::picture::{Series, draw};

const LENGTHS: [f64; 4] = [1.0, 0.8, 0.6, 0.4];

/// Where the joints are; the last one is the hand.
#[grad]
fn joints(angles: &[f64; 4]) -> [[f64; 2]; 5] {
    let mut at = [[0.0; 2]; 5];
    let mut direction = 0.0;
    for i in 0..4 {
        direction += angles[i];
        at[i + 1][0] = at[i][0] + LENGTHS[i] * direction.cos();
        at[i + 1][1] = at[i][1] + LENGTHS[i] * direction.sin();
    }
    at
}

#[grad]
fn hand(angles: &[f64; 4]) -> [f64; 2] {
    let at = joints(angles);
    at[4]
}

pub(crate) fn main() {
    let target = Vector2::new(-0.6, 1.7);
    let start = [0.3, 0.3, 0.3, 0.3];
    let mut angles = start;
    for _ in 0..100 {
        let (at, j) = hand::value_and_jacobian(&angles);
        let j = SMatrix::<f64, 2, 4>::from_row_slice(j.as_slice());
        let damped = j * j.transpose() + Matrix2::identity() * 1e-2;
        let error = target - Vector2::from(at);
        let step: Vector4<f64> = j.tr_mul(&damped.lu().solve(&error).expect("regular"));
        angles.iter_mut().zip(&step).for_each(|(a, s)| *a += s);
    }
    println!("angles {angles:.4?}");
    assert!((Vector2::from(hand(&angles)) - target).norm() < 1e-9);
    // No bone has become longer.
    for (pair, length) in joints(&angles).windows(2).zip(LENGTHS) {
        let bone = (pair[1][0] - pair[0][0]).hypot(pair[1][1] - pair[0][1]);
        assert!((bone - length).abs() < 1e-12);
    }

    let arm = |angles| joints(angles).iter().map(|p| (p[0], p[1])).collect();
    draw(
        "inverse_kinematics",
        "x",
        "y",
        &[
            Series::Line("found", arm(&angles)),
            Series::Line("start", arm(&start)),
            Series::Dots("target", vec![(target.x, target.y)]),
        ],
    );
}
