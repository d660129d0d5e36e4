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

/// Remembers `u` and `v` of each step, and computes the stages again on the way back.
fn hand(a: f64, b: f64, c: f64, d: f64, steps: usize) -> (f64, (f64, f64, f64, f64)) {
    let (mut u, mut v) = START;
    let mut tape = vec![(0.0, 0.0); steps];
    for slot in &mut tape {
        *slot = (u, v);
        let (u1, v1) = (u * (a - b * v), v * (c * u - d));
        let (p, q) = (u + 0.5 * DT * u1, v + 0.5 * DT * v1);
        let (u2, v2) = (p * (a - b * q), q * (c * p - d));
        let (p, q) = (u + 0.5 * DT * u2, v + 0.5 * DT * v2);
        let (u3, v3) = (p * (a - b * q), q * (c * p - d));
        let (p, q) = (u + DT * u3, v + DT * v3);
        let (u4, v4) = (p * (a - b * q), q * (c * p - d));
        u += DT / 6.0 * (u1 + 2.0 * u2 + 2.0 * u3 + u4);
        v += DT / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
    }
    let (mut da, mut db, mut dc, mut dd) = (0.0, 0.0, 0.0, 0.0);
    let (mut du, mut dv) = (2.0 * u, 2.0 * v);
    for &(u, v) in tape.iter().rev() {
        // The stages again, with the two factors of each slope.
        let (r1, s1) = (a - b * v, c * u - d);
        let (p2, q2) = (u + 0.5 * DT * (u * r1), v + 0.5 * DT * (v * s1));
        let (r2, s2) = (a - b * q2, c * p2 - d);
        let (p3, q3) = (u + 0.5 * DT * (p2 * r2), v + 0.5 * DT * (q2 * s2));
        let (r3, s3) = (a - b * q3, c * p3 - d);
        let (p4, q4) = (u + DT * (p3 * r3), v + DT * (q3 * s3));
        let (r4, s4) = (a - b * q4, c * p4 - d);
        // For one slope: what the parameters and the stage's state get of `du`, `dv`.
        let mut stage = |p: f64, q: f64, r: f64, s: f64, du: f64, dv: f64| {
            let (dr, ds) = (p * du, q * dv);
            da += dr;
            db -= q * dr;
            dc += p * ds;
            dd -= ds;
            (r * du + c * ds, s * dv - b * dr)
        };
        let (w, x) = (DT / 6.0 * du, DT / 6.0 * dv);
        let (dp4, dq4) = stage(p4, q4, r4, s4, w, x);
        let (dp3, dq3) = stage(p3, q3, r3, s3, 2.0 * w + DT * dp4, 2.0 * x + DT * dq4);
        let (dp2, dq2) = stage(
            p2,
            q2,
            r2,
            s2,
            2.0 * w + 0.5 * DT * dp3,
            2.0 * x + 0.5 * DT * dq3,
        );
        let (dp1, dq1) = stage(u, v, r1, s1, w + 0.5 * DT * dp2, x + 0.5 * DT * dq2);
        du += dp1 + dp2 + dp3 + dp4;
        dv += dq1 + dq2 + dq3 + dq4;
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
