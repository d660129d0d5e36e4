//! The chains as loops by hand, forward and backward, with the elementary functions of the kernels.

#![allow(
    clippy::inline_always,
    reason = "what is in a kernel has to be compiled with it"
)]

use std::hint::black_box;

use autodiff_runtime::float::Float;
use autodiff_runtime::lane::{Math, dispatch};

/// A loop over rows that is compiled for the vectors of the processor.
macro_rules! rows {
    ($n:ident, |$lane:ident, $at:ident| $body:block) => {
        dispatch(
            #[inline(always)]
            |$lane: Math<'_>| {
                let mut from = 0;
                while from < $n.0 * $n.1 {
                    let $at = from..from + $n.1;
                    $body
                    from += $n.1;
                }
            },
        )
    };
}

/// The sum of `f` over the entries, in eight lanes.
#[inline(always)]
fn sum<T: Float>(length: usize, f: impl Fn(usize) -> T) -> T {
    let mut lanes = [T::ZERO; 32];
    let mut at = 0;
    while at + 32 <= length {
        for (k, lane) in lanes.iter_mut().enumerate() {
            *lane += f(at + k);
        }
        at += 32;
    }
    let mut sum = lanes.into_iter().fold(T::ZERO, |sum, lane| sum + lane);
    while at < length {
        sum += f(at);
        at += 1;
    }
    sum
}

fn zeros<T: Float, const N: usize>(length: usize) -> [Vec<T>; N] {
    std::array::from_fn(|_| vec![T::ZERO; length])
}

pub(crate) fn tanh<T: Float>(m: usize, n: usize, x: [Vec<T>; 4], seed: Vec<T>) -> impl FnMut() {
    let [mut y, mut t, mut to_a, mut to_b, mut to_c, mut to_d] = zeros::<T, 6>(m * n);
    let size = (1, m * n);
    move || {
        let [a, b, c, d] = black_box(&x);
        rows!(size, |lane, at| {
            let (a, b, c, d) = (
                &a[at.clone()],
                &b[at.clone()],
                &c[at.clone()],
                &d[at.clone()],
            );
            let (y, t) = (&mut y[at.clone()], &mut t[at]);
            for i in 0..y.len() {
                t[i] = lane.tanh(a[i] * b[i] + c[i]);
                y[i] = t[i] * d[i];
            }
        });
        black_box(&y);
        let seed = black_box(&seed);
        rows!(size, |lane, at| {
            let (a, b, c, d) = (
                &a[at.clone()],
                &b[at.clone()],
                &c[at.clone()],
                &d[at.clone()],
            );
            let (t, seed) = (&t[at.clone()], &seed[at.clone()]);
            let (to_a, to_b) = (&mut to_a[at.clone()], &mut to_b[at.clone()]);
            let (to_c, to_d) = (&mut to_c[at.clone()], &mut to_d[at]);
            for i in 0..a.len() {
                let g = seed[i] * d[i] * lane.dtanh(a[i] * b[i] + c[i]);
                to_a[i] = g * b[i];
                to_b[i] = g * a[i];
                to_c[i] = g;
                to_d[i] = seed[i] * t[i];
            }
        });
        black_box([&to_a, &to_b, &to_c, &to_d]);
    }
}

pub(crate) use self::tanh as tanh_generic;

pub(crate) fn gelu_bias<T: Float>(
    m: usize,
    n: usize,
    x: [Vec<T>; 2],
    seed: Vec<T>,
) -> impl FnMut() {
    let [mut y, mut to_h] = zeros::<T, 2>(m * n);
    let [mut to_b] = zeros::<T, 1>(n);
    let size = (m, n);
    move || {
        let [h, bias] = black_box(&x);
        rows!(size, |lane, at| {
            let (h, y) = (&h[at.clone()], &mut y[at]);
            let bias = &bias[..y.len()];
            for i in 0..y.len() {
                y[i] = lane.gelu(h[i] + bias[i]);
            }
        });
        black_box(&y);
        let seed = black_box(&seed);
        to_b.fill(T::ZERO);
        rows!(size, |lane, at| {
            let (h, seed, to_h) = (&h[at.clone()], &seed[at.clone()], &mut to_h[at]);
            let (bias, to_b) = (&bias[..h.len()], &mut to_b[..h.len()]);
            for i in 0..h.len() {
                let g = seed[i] * lane.dgelu(h[i] + bias[i]);
                to_h[i] = g;
                to_b[i] += g;
            }
        });
        black_box([&to_h, &to_b]);
    }
}

pub(crate) fn silu_gate<T: Float>(
    m: usize,
    n: usize,
    x: [Vec<T>; 2],
    seed: Vec<T>,
) -> impl FnMut() {
    let [mut y, mut s, mut to_g, mut to_u] = zeros::<T, 4>(m * n);
    let size = (1, m * n);
    move || {
        let [gate, up] = black_box(&x);
        rows!(size, |lane, at| {
            let (gate, up) = (&gate[at.clone()], &up[at.clone()]);
            let (y, s) = (&mut y[at.clone()], &mut s[at]);
            for i in 0..y.len() {
                s[i] = lane.silu(gate[i]);
                y[i] = s[i] * up[i];
            }
        });
        black_box(&y);
        let seed = black_box(&seed);
        rows!(size, |lane, at| {
            let (gate, up) = (&gate[at.clone()], &up[at.clone()]);
            let (s, seed) = (&s[at.clone()], &seed[at.clone()]);
            let (to_g, to_u) = (&mut to_g[at.clone()], &mut to_u[at]);
            for i in 0..gate.len() {
                to_g[i] = seed[i] * up[i] * lane.dsilu(gate[i]);
                to_u[i] = seed[i] * s[i];
            }
        });
        black_box([&to_g, &to_u]);
    }
}

pub(crate) fn layernorm<T: Float>(
    m: usize,
    n: usize,
    x: [Vec<T>; 3],
    seed: Vec<T>,
) -> impl FnMut() {
    let [mut y, mut normed, mut to_x] = zeros::<T, 3>(m * n);
    let [mut scales] = zeros::<T, 1>(m);
    let [mut to_w, mut to_b] = zeros::<T, 2>(n);
    let size = (m, n);
    let each = T::ONE / T::from_f64(n as f64);
    move || {
        let [x, w, b] = black_box(&x);
        rows!(size, |_lane, at| {
            let row = at.start / n;
            let (x, y, normed) = (&x[at.clone()], &mut y[at.clone()], &mut normed[at]);
            let (w, b) = (&w[..x.len()], &b[..x.len()]);
            let mean = sum(
                x.len(),
                #[inline(always)]
                |i| x[i],
            ) * each;
            let var = sum(
                x.len(),
                #[inline(always)]
                |i| (x[i] - mean) * (x[i] - mean),
            ) * each;
            let scale = T::ONE / (var + T::from_f64(1e-5)).sqrt();
            scales[row] = scale;
            for i in 0..x.len() {
                normed[i] = (x[i] - mean) * scale;
                y[i] = normed[i] * w[i] + b[i];
            }
        });
        black_box(&y);
        let seed = black_box(&seed);
        to_w.fill(T::ZERO);
        to_b.fill(T::ZERO);
        rows!(size, |_lane, at| {
            let scale = scales[at.start / n];
            let (normed, seed, to_x) = (&normed[at.clone()], &seed[at.clone()], &mut to_x[at]);
            let (w, to_w, to_b) = (
                &w[..seed.len()],
                &mut to_w[..seed.len()],
                &mut to_b[..seed.len()],
            );
            let level = sum(
                w.len(),
                #[inline(always)]
                |i| w[i] * seed[i],
            ) * each;
            let along = sum(
                w.len(),
                #[inline(always)]
                |i| w[i] * seed[i] * normed[i],
            ) * each;
            for i in 0..seed.len() {
                to_x[i] = scale * (w[i] * seed[i] - level - normed[i] * along);
                to_w[i] += seed[i] * normed[i];
                to_b[i] += seed[i];
            }
        });
        black_box([&to_x, &to_w, &to_b]);
    }
}

pub(crate) fn softmax<T: Float>(m: usize, n: usize, x: [Vec<T>; 1], seed: Vec<T>) -> impl FnMut() {
    let [mut y, mut to_x] = zeros::<T, 2>(m * n);
    let size = (m, n);
    move || {
        let [x] = black_box(&x);
        rows!(size, |lane, at| {
            let (x, y) = (&x[at.clone()], &mut y[at]);
            let mut most = [x[0]; 8];
            for group in x.chunks(8) {
                for (most, &x) in most.iter_mut().zip(group) {
                    *most = if x > *most { x } else { *most };
                }
            }
            let most = most
                .into_iter()
                .fold(x[0], |a, b| if b > a { b } else { a });
            for i in 0..x.len() {
                y[i] = lane.exp(x[i] - most);
            }
            let each = T::ONE
                / sum(
                    y.len(),
                    #[inline(always)]
                    |i| y[i],
                );
            for y in &mut *y {
                *y *= each;
            }
        });
        black_box(&y);
        let seed = black_box(&seed);
        rows!(size, |_lane, at| {
            let (y, seed, to_x) = (&y[at.clone()], &seed[at.clone()], &mut to_x[at]);
            let along = sum(
                y.len(),
                #[inline(always)]
                |i| y[i] * seed[i],
            );
            for i in 0..y.len() {
                to_x[i] = y[i] * (seed[i] - along);
            }
        });
        black_box(&to_x);
    }
}

pub(crate) fn huber<T: Float>(m: usize, n: usize, x: [Vec<T>; 2], _: Vec<T>) -> impl FnMut() {
    let [mut to_x, mut to_y] = zeros::<T, 2>(m * n);
    let size = (1, m * n);
    let each = T::ONE / T::from_f64((m * n) as f64);
    let half = T::from_f64(0.5);
    move || {
        let [x, y] = black_box(&x);
        rows!(size, |_lane, at| {
            let (x, y) = (&x[at.clone()], &y[at]);
            let total = sum(
                x.len(),
                #[inline(always)]
                |i| {
                    let q = (x[i] - y[i]).abs();
                    let c = if q < T::ONE { q } else { T::ONE };
                    c * c * half + (q - c)
                },
            );
            black_box(total * each);
        });
        rows!(size, |_lane, at| {
            let (x, y) = (&x[at.clone()], &y[at.clone()]);
            let (to_x, to_y) = (&mut to_x[at.clone()], &mut to_y[at]);
            for i in 0..x.len() {
                let d = x[i] - y[i];
                let d = if d > T::ONE { T::ONE } else { d };
                let d = if d < -T::ONE { -T::ONE } else { d };
                to_x[i] = d * each;
                to_y[i] = -d * each;
            }
        });
        black_box([&to_x, &to_y]);
    }
}

pub(crate) fn rms<T: Float>(m: usize, n: usize, x: [Vec<T>; 2], _: Vec<T>) -> impl FnMut() {
    let [mut to_x, mut to_y] = zeros::<T, 2>(m * n);
    let size = (1, m * n);
    let each = T::ONE / T::from_f64((m * n) as f64);
    move || {
        let [x, y] = black_box(&x);
        let mut scale = T::ZERO;
        rows!(size, |_lane, at| {
            let (x, y) = (&x[at.clone()], &y[at]);
            let total = sum(
                x.len(),
                #[inline(always)]
                |i| (x[i] - y[i]) * (x[i] - y[i]),
            );
            scale = each / black_box((total * each).sqrt());
        });
        rows!(size, |_lane, at| {
            let (x, y) = (&x[at.clone()], &y[at.clone()]);
            let (to_x, to_y) = (&mut to_x[at.clone()], &mut to_y[at]);
            for i in 0..x.len() {
                to_x[i] = (x[i] - y[i]) * scale;
                to_y[i] = -to_x[i];
            }
        });
        black_box([&to_x, &to_y]);
    }
}
