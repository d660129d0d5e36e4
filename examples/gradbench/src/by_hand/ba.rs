//! `ba`: both rows of an observation in one sweep, side by side.

use crate::evals::ba::{CAMERA, Input, ROW, Sparse, fill};

/// The adjoints of the two errors.
type Two = [f64; 2];
/// Those of a vector.
type Vector = [Two; 3];

fn times(a: Two, b: f64) -> Two {
    [a[0] * b, a[1] * b]
}

fn plus(a: Two, b: Two) -> Two {
    [a[0] + b[0], a[1] + b[1]]
}

fn minus(a: Two, b: Two) -> Two {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Adds what flows back through `cross(a, b)` to the adjoints of both.
fn cross_back(d: &Vector, a: &[f64; 3], b: &[f64; 3], d_a: &mut Vector, d_b: &mut Vector) {
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        d_a[i] = plus(d_a[i], minus(times(d[k], b[j]), times(d[j], b[k])));
        d_b[i] = plus(d_b[i], minus(times(d[j], a[k]), times(d[k], a[j])));
    }
}

/// Rotates, and returns as well what leads from the adjoint of the result to those of both arguments.
#[inline]
fn rotate(
    rot: &[f64; 3],
    pt: &[f64; 3],
) -> ([f64; 3], impl FnOnce(Vector) -> (Vector, Vector) + use<>) {
    let (rot, pt) = (*rot, *pt);
    let square = rot[0] * rot[0] + rot[1] * rot[1] + rot[2] * rot[2];
    let small = square == 0.0;
    let theta = square.sqrt();
    let (sin, cos) = theta.sin_cos();
    let inverse = 1.0 / theta;
    let w = if small { rot } else { rot.map(|r| r * inverse) };
    let x = cross(&w, &pt);
    let dot = w[0] * pt[0] + w[1] * pt[1] + w[2] * pt[2];
    let along = dot * (1.0 - cos);
    let rotated = if small {
        std::array::from_fn(|i| pt[i] + x[i])
    } else {
        std::array::from_fn(|i| pt[i] * cos + x[i] * sin + w[i] * along)
    };
    let back = move |d: Vector| {
        let mut d_w = [[0.0; 2]; 3];
        let mut d_pt = d;
        if small {
            cross_back(&d, &rot, &pt, &mut d_w, &mut d_pt);
            return (d_w, d_pt);
        }
        let (mut d_along, mut d_sin, mut d_cos) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        let mut d_x = d;
        for i in 0..3 {
            d_along = plus(d_along, times(d[i], w[i]));
            d_sin = plus(d_sin, times(d[i], x[i]));
            d_cos = plus(d_cos, times(d[i], pt[i]));
            d_x[i] = times(d[i], sin);
            d_w[i] = times(d[i], along);
            d_pt[i] = times(d[i], cos);
        }
        let d_dot = times(d_along, 1.0 - cos);
        d_cos = minus(d_cos, times(d_along, dot));
        for i in 0..3 {
            d_w[i] = plus(d_w[i], times(d_dot, pt[i]));
            d_pt[i] = plus(d_pt[i], times(d_dot, w[i]));
        }
        cross_back(&d_x, &w, &pt, &mut d_w, &mut d_pt);
        // w = rot / theta, and theta has the derivative w.
        let mut d_theta = minus(times(d_sin, cos), times(d_cos, sin));
        for i in 0..3 {
            d_theta = minus(d_theta, times(d_w[i], w[i] * inverse));
        }
        let d_rot = std::array::from_fn(|i| plus(times(d_w[i], inverse), times(d_theta, w[i])));
        (d_rot, d_pt)
    };
    (rotated, back)
}

fn rows(cam: &[f64; CAMERA], x: &[f64; 3], w: f64, feat: &[f64; 2], rows: &mut [f64]) {
    let at = [x[0] - cam[3], x[1] - cam[4], x[2] - cam[5]];
    let (seen, back) = rotate(&[cam[0], cam[1], cam[2]], &at);
    let inverse = 1.0 / seen[2];
    let p = [seen[0] * inverse, seen[1] * inverse];
    let square = p[0] * p[0] + p[1] * p[1];
    let distortion = 1.0 + cam[9] * square + cam[10] * square * square;
    let q = [p[0] * distortion, p[1] * distortion];
    let off = [
        q[0] * cam[6] + cam[7] - feat[0],
        q[1] * cam[6] + cam[8] - feat[1],
    ];

    // Each error has the adjoint one in its own row.
    let d_q = [[w * cam[6], 0.0], [0.0, w * cam[6]]];
    let d_distortion = [d_q[0][0] * p[0], d_q[1][1] * p[1]];
    let d_square = times(d_distortion, cam[9] + 2.0 * cam[10] * square);
    let d_p = [0, 1].map(|i| plus(times(d_q[i], distortion), times(d_square, 2.0 * p[i])));
    let d_seen = [
        times(d_p[0], inverse),
        times(d_p[1], inverse),
        times(plus(times(d_p[0], p[0]), times(d_p[1], p[1])), -inverse),
    ];
    let (d_rot, d_at) = back(d_seen);
    let (first, second) = rows.split_at_mut(ROW);
    for (r, row) in [first, second].into_iter().enumerate() {
        let row = &mut row[..ROW];
        for i in 0..3 {
            row[i] = d_rot[i][r];
            row[3 + i] = -d_at[i][r];
            row[CAMERA + i] = d_at[i][r];
        }
        row[6] = w * q[r];
        row[7 + r] = w;
        row[8 - r] = 0.0;
        row[9] = d_distortion[r] * square;
        row[10] = d_distortion[r] * square * square;
        row[14] = off[r];
    }
}

pub(crate) fn jacobian(input: &Input, jacobian: &mut Sparse) {
    fill(jacobian, input, rows, |w| -2.0 * w);
}
