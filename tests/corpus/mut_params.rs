//! `&mut` parameters: inputs and outputs.

use autodiff::grad;

use crate::check::{accept_flat, near};

#[grad]
fn step(u: &mut [f64], dt: f64) {
    let n = u.len();
    for i in 1..n {
        u[i] += dt * u[i - 1] * u[i];
    }
    u[0] *= dt;
}

#[test]
fn a_function_without_result() {
    let primal = |z: &[f64]| {
        let mut u = z[..3].to_vec();
        step(&mut u, z[3]);
        u
    };
    let jvp = |z: &[f64], v: &[f64]| {
        let (mut u, mut du) = (z[..3].to_vec(), v[..3].to_vec());
        step::jvp(&mut u, z[3], (&mut du, v[3]));
        (u, du)
    };
    let vjp = |z: &[f64], w: &[f64]| {
        let (mut u, mut bar) = (z[..3].to_vec(), w.to_vec());
        let dt = step::vjp(&mut u, z[3], &mut bar);
        bar.push(dt);
        (u, bar)
    };
    accept_flat("step", &[0.7, -0.4, 1.2, 0.3], &primal, &jvp, &vjp);
}

#[grad]
fn normalise(v: &mut [f64; 3], floor: f64) -> f64 {
    let mut norm = floor;
    for i in 0..3 {
        norm += v[i] * v[i];
    }
    norm = norm.sqrt();
    for i in 0..3 {
        v[i] /= norm;
    }
    norm
}

#[test]
fn a_function_with_result_and_final_state() {
    let primal = |z: &[f64]| {
        let mut v = [z[0], z[1], z[2]];
        let norm = normalise(&mut v, z[3]);
        vec![norm, v[0], v[1], v[2]]
    };
    let jvp = |z: &[f64], d: &[f64]| {
        let (mut v, mut dv) = ([z[0], z[1], z[2]], [d[0], d[1], d[2]]);
        let (norm, dnorm) = normalise::jvp(&mut v, z[3], (&mut dv, d[3]));
        (
            vec![norm, v[0], v[1], v[2]],
            vec![dnorm, dv[0], dv[1], dv[2]],
        )
    };
    let vjp = |z: &[f64], w: &[f64]| {
        let (mut v, mut bar) = ([z[0], z[1], z[2]], [w[1], w[2], w[3]]);
        let (norm, floor) = normalise::vjp(&mut v, z[3], w[0], &mut bar);
        (
            vec![norm, v[0], v[1], v[2]],
            vec![bar[0], bar[1], bar[2], floor],
        )
    };
    accept_flat("normalise", &[0.7, -0.4, 1.2, 0.3], &primal, &jvp, &vjp);
}

#[grad]
fn exchange(a: &mut f64, b: &mut f64, x: f64) {
    let t = *a;
    *a = *b * x;
    *b = t * *a;
}

#[test]
fn references_to_scalars() {
    let primal = |z: &[f64]| {
        let (mut a, mut b) = (z[0], z[1]);
        exchange(&mut a, &mut b, z[2]);
        vec![a, b]
    };
    let jvp = |z: &[f64], d: &[f64]| {
        let (mut a, mut b, mut da, mut db) = (z[0], z[1], d[0], d[1]);
        exchange::jvp(&mut a, &mut b, z[2], (&mut da, &mut db, d[2]));
        (vec![a, b], vec![da, db])
    };
    let vjp = |z: &[f64], w: &[f64]| {
        let (mut a, mut b, mut abar, mut bbar) = (z[0], z[1], w[0], w[1]);
        let x = exchange::vjp(&mut a, &mut b, z[2], &mut abar, &mut bbar);
        (vec![a, b], vec![abar, bbar, x])
    };
    accept_flat("exchange", &[0.7, -0.4, 1.2], &primal, &jvp, &vjp);
}

#[grad]
fn fill(out: &mut [f64], x: &[f64]) {
    for i in 0..out.len() {
        out[i] = x[i] * x[i];
    }
}

#[test]
fn what_is_overwritten_has_a_zero_cotangent() {
    let mut out = [5.0, 6.0];
    let mut bar = [1.0, 10.0];
    let x = fill::vjp(&mut out, &[3.0, 4.0], &mut bar);
    assert_eq!(out, [9.0, 16.0]);
    assert_eq!(bar, [0.0, 0.0]);
    near(&x, &[6.0, 80.0], 0.0);
}

#[grad]
fn each(u: &mut [f64], w: &[f64]) -> f64 {
    let mut s = 0.0;
    for (v, k) in u.iter_mut().zip(w.iter()) {
        *v = *v * *v * k;
        s += *v;
    }
    s * u[0]
}

#[test]
fn elements_changed_through_iter_mut() {
    let primal = |z: &[f64]| {
        let mut u = z[..2].to_vec();
        let s = each(&mut u, &z[2..]);
        vec![s, u[0], u[1]]
    };
    let jvp = |z: &[f64], d: &[f64]| {
        let (mut u, mut du) = (z[..2].to_vec(), d[..2].to_vec());
        let (s, ds) = each::jvp(&mut u, &z[2..], (&mut du, &d[2..]));
        (vec![s, u[0], u[1]], vec![ds, du[0], du[1]])
    };
    let vjp = |z: &[f64], w: &[f64]| {
        let (mut u, mut bar) = (z[..2].to_vec(), w[1..].to_vec());
        let (s, g) = each::vjp(&mut u, &z[2..], w[0], &mut bar);
        (vec![s, u[0], u[1]], vec![bar[0], bar[1], g[0], g[1]])
    };
    accept_flat("each", &[0.7, -0.4, 1.2, 0.6], &primal, &jvp, &vjp);
}

#[grad]
fn rolled(v: &mut Vec<f64>, x: f64) -> f64 {
    let old = std::mem::replace(v, vec![x, x * x]);
    old[0] * old[1] + v[1]
}

#[test]
fn a_lent_list_is_replaced() {
    let primal = |z: &[f64]| {
        let mut v = z[..2].to_vec();
        let s = rolled(&mut v, z[2]);
        vec![s, v[0], v[1]]
    };
    let jvp = |z: &[f64], d: &[f64]| {
        let (mut v, mut dv) = (z[..2].to_vec(), d[..2].to_vec());
        let (s, ds) = rolled::jvp(&mut v, z[2], (&mut dv, d[2]));
        (vec![s, v[0], v[1]], vec![ds, dv[0], dv[1]])
    };
    let vjp = |z: &[f64], w: &[f64]| {
        let (mut v, mut bar) = (z[..2].to_vec(), w[1..].to_vec());
        let (s, d_x) = rolled::vjp(&mut v, z[2], w[0], &mut bar);
        (vec![s, v[0], v[1]], vec![bar[0], bar[1], d_x])
    };
    accept_flat("rolled", &[0.7, -0.4, 1.2], &primal, &jvp, &vjp);
}
