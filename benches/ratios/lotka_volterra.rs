//! Predators and prey (Lotka–Volterra) by 1,000 steps of the classic Runge–Kutta method, by the four parameters.

use std::hint::black_box;

use autodiff::grad;

use crate::problem::{Kind, Problem};

const STEPS: usize = 1000;
const DT: f64 = 0.01;
/// Prey and predators at the start.
const START: (f64, f64) = (10.0, 5.0);

#[grad]
fn lotka_volterra(a: f64, b: f64, c: f64, d: f64, steps: usize) -> f64 {
    let (mut u, mut v) = START;
    for _ in 0..steps {
        let u1 = u * (a - b * v);
        let v1 = v * (c * u - d);
        let (p, q) = (u + 0.5 * DT * u1, v + 0.5 * DT * v1);
        let u2 = p * (a - b * q);
        let v2 = q * (c * p - d);
        let (p, q) = (u + 0.5 * DT * u2, v + 0.5 * DT * v2);
        let u3 = p * (a - b * q);
        let v3 = q * (c * p - d);
        let (p, q) = (u + DT * u3, v + DT * v3);
        let u4 = p * (a - b * q);
        let v4 = q * (c * p - d);
        u += DT / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
        v += DT / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
    u * u + v * v
}

/// Remembers where each stage of a step stands, and computes the slopes there again on the way back.
fn hand(a: f64, b: f64, c: f64, d: f64, steps: usize) -> (f64, (f64, f64, f64, f64)) {
    let (mut u, mut v) = START;
    let mut tape = vec![(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0); steps];
    for slot in &mut tape {
        let (u1, v1) = (u * (a - b * v), v * (c * u - d));
        let (p2, q2) = (u + 0.5 * DT * u1, v + 0.5 * DT * v1);
        let (u2, v2) = (p2 * (a - b * q2), q2 * (c * p2 - d));
        let (p3, q3) = (u + 0.5 * DT * u2, v + 0.5 * DT * v2);
        let (u3, v3) = (p3 * (a - b * q3), q3 * (c * p3 - d));
        let (p4, q4) = (u + DT * u3, v + DT * v3);
        let (u4, v4) = (p4 * (a - b * q4), q4 * (c * p4 - d));
        *slot = (u, v, p2, q2, p3, q3, p4, q4);
        u += DT / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
        v += DT / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
    let (mut da, mut db, mut dc, mut dd) = (0.0, 0.0, 0.0, 0.0);
    let (mut du, mut dv) = (2.0 * u, 2.0 * v);
    for &(u, v, p2, q2, p3, q3, p4, q4) in tape.iter().rev() {
        // The two factors of each slope, and from the last slope to the first: what it and its stage get.
        let (r1, s1) = (a - b * v, c * u - d);
        let (r2, s2) = (a - b * q2, c * p2 - d);
        let (r3, s3) = (a - b * q3, c * p3 - d);
        let (r4, s4) = (a - b * q4, c * p4 - d);
        let (w, x) = (DT / 6.0 * du, DT / 6.0 * dv);
        let (e4, f4) = (w, x);
        let (dr4, ds4) = (p4 * e4, q4 * f4);
        let (dp4, dq4) = (r4 * e4 + c * ds4, s4 * f4 - b * dr4);
        let (e3, f3) = (2.0 * w + DT * dp4, 2.0 * x + DT * dq4);
        let (dr3, ds3) = (p3 * e3, q3 * f3);
        let (dp3, dq3) = (r3 * e3 + c * ds3, s3 * f3 - b * dr3);
        let (e2, f2) = (2.0 * w + 0.5 * DT * dp3, 2.0 * x + 0.5 * DT * dq3);
        let (dr2, ds2) = (p2 * e2, q2 * f2);
        let (dp2, dq2) = (r2 * e2 + c * ds2, s2 * f2 - b * dr2);
        let (e1, f1) = (w + 0.5 * DT * dp2, x + 0.5 * DT * dq2);
        let (dr1, ds1) = (u * e1, v * f1);
        let (dp1, dq1) = (r1 * e1 + c * ds1, s1 * f1 - b * dr1);
        da = da + dr4 + dr3 + dr2 + dr1;
        db = db - q4 * dr4 - q3 * dr3 - q2 * dr2 - v * dr1;
        dc = dc + p4 * ds4 + p3 * ds3 + p2 * ds2 + u * ds1;
        dd = dd - ds4 - ds3 - ds2 - ds1;
        du = du + dp4 + dp3 + dp2 + dp1;
        dv = dv + dq4 + dq3 + dq2 + dq1;
    }
    (u * u + v * v, (da, db, dc, dd))
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    const A: f64 = 1.5;
    const B: f64 = 0.1;
    const C: f64 = 0.075;
    const D: f64 = 1.0;
    Problem::new("lotka-volterra", vec![A, B, C, D], |p| {
        lotka_volterra(p[0], p[1], p[2], p[3], STEPS)
    })
    .primal(|| {
        lotka_volterra(
            black_box(A),
            black_box(B),
            black_box(C),
            black_box(D),
            STEPS,
        )
    })
    .returns(Kind::Grad, || {
        lotka_volterra::value_and_grad(
            black_box(A),
            black_box(B),
            black_box(C),
            black_box(D),
            STEPS,
        )
    })
    .returns(Kind::Hand, || {
        hand(
            black_box(A),
            black_box(B),
            black_box(C),
            black_box(D),
            STEPS,
        )
    })
}
