//! Sparse Jacobians beside their function, beside the Jacobian block by block, and beside one by hand.
//!
//!     cargo bench --features sparse --bench sparse

use std::hint::black_box;
use std::time::{Duration, Instant};

use autodiff::grad;
use autodiff::sparse::{Coloring, Pattern};

/// Diffusion and reaction on a line.
#[grad]
fn diffusion(u: &[f64], #[constant] rate: f64) -> Vec<f64> {
    let n = u.len();
    let mut du = vec![0.0; n];
    for i in 1..n - 1 {
        du[i] = rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + u[i] * (1.0 - u[i]);
    }
    du
}

/// Bratu's problem on a line, u″ + e^u, in differences.
#[grad]
fn bratu(u: &[f64], #[constant] rate: f64) -> Vec<f64> {
    let n = u.len();
    let mut du = vec![0.0; n];
    for i in 1..n - 1 {
        du[i] = rate * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + u[i].exp();
    }
    du
}

/// How many numbers a camera has, and a point.
const CAMERA: usize = 11;
const POINT: usize = 3;

/// Where a camera sees a point, beside where it was seen, both with radial distortion.
#[grad]
fn reprojection(camera: &[f64], point: &[f64], #[constant] seen: [f64; 2]) -> [f64; 2] {
    let (mut turned, mut angle2) = ([0.0; 3], 0.0);
    for part in &camera[..3] {
        angle2 += part * part;
    }
    let x = [
        point[0] - camera[3],
        point[1] - camera[4],
        point[2] - camera[5],
    ];
    let (angle, cross) = (
        angle2.sqrt(),
        [
            camera[1] * x[2] - camera[2] * x[1],
            camera[2] * x[0] - camera[0] * x[2],
            camera[0] * x[1] - camera[1] * x[0],
        ],
    );
    let along = (camera[0] * x[0] + camera[1] * x[1] + camera[2] * x[2]) / angle2;
    let (sin, cos) = angle.sin_cos();
    for k in 0..3 {
        turned[k] = x[k] * cos + cross[k] * (sin / angle) + camera[k] * along * (1.0 - cos);
    }
    let (u, v) = (turned[0] / turned[2], turned[1] / turned[2]);
    let r2 = u * u + v * v;
    let radial = 1.0 + camera[9] * r2 + camera[10] * r2 * r2;
    [
        camera[6] * u * radial + camera[7] - seen[0],
        camera[6] * v * radial + camera[8] - seen[1],
    ]
}

/// All of them, from cameras and points one behind the other.
#[grad]
fn reprojections(
    x: &[f64],
    #[constant] cameras: usize,
    #[constant] seen: &[(usize, usize, [f64; 2])],
) -> Vec<f64> {
    let mut all = Vec::with_capacity(2 * seen.len());
    for (c, p, at) in seen {
        let start = CAMERA * cameras + POINT * p;
        let error = reprojection(
            &x[CAMERA * c..CAMERA * c + CAMERA],
            &x[start..start + POINT],
            *at,
        );
        all.push(error[0]);
        all.push(error[1]);
    }
    all
}

/// The nanoseconds that this thread has run so far, whatever else the machine does; Linux tells them.
fn used() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// The milliseconds of the fastest of some rounds, each long enough for the system's clock.
fn fastest<R>(mut run: impl FnMut() -> R) -> f64 {
    let mut round = |times: u32| {
        let (start, before) = (Instant::now(), used());
        for _ in 0..times {
            black_box(run());
        }
        let passed = match (before, used()) {
            (Some(before), Some(now)) => Duration::from_nanos(now - before),
            _ => start.elapsed(),
        };
        passed.as_secs_f64() * 1e3
    };
    let mut times = 1;
    while round(times) < 100.0 {
        times *= 2;
    }
    let fastest = (0..7).map(|_| round(times)).fold(f64::INFINITY, f64::min);
    fastest / f64::from(times)
}

fn main() {
    for n in [10_000, 100_000] {
        let u: Vec<f64> = (0..n).map(|k| (k as f64 * 0.1).sin()).collect();
        let coloring = Coloring::of_columns(Pattern::banded(n, n, 1, 1));
        let colors = coloring.colors() as f64;
        let told = |name: &str, function: f64, jacobian: f64| {
            let ratio = jacobian / function;
            println!(
                "{name}, {n}: function {function:.3} ms, Jacobian {jacobian:.3} ms, {ratio:.1} times, {:.2} a color",
                ratio / colors
            );
        };
        told(
            "diffusion",
            fastest(|| diffusion(black_box(&u), 0.7)),
            fastest(|| diffusion::sparse_jacobian(&coloring, black_box(&u), 0.7)),
        );
        told(
            "Bratu",
            fastest(|| bratu(black_box(&u), 0.7)),
            fastest(|| bratu::sparse_jacobian(&coloring, black_box(&u), 0.7)),
        );
    }
    let (cameras, points) = (50, 2_000);
    let mut x: Vec<f64> = (0..CAMERA * cameras + POINT * points)
        .map(|k| 0.3 + 0.2 * (k as f64 * 1.7).sin())
        .collect();
    x.chunks_exact_mut(CAMERA)
        .take(cameras)
        .for_each(|camera| camera[5] = -4.0);
    let seen: Vec<(usize, usize, [f64; 2])> = (0..10_000)
        .map(|k| (k * 7 % cameras, k % points, [0.1, 0.2]))
        .collect();
    let entries = seen.iter().enumerate().flat_map(|(k, (c, p, _))| {
        let start = CAMERA * cameras + POINT * p;
        let columns = (CAMERA * c..CAMERA * c + CAMERA).chain(start..start + POINT);
        columns.flat_map(move |column| [(2 * k, column), (2 * k + 1, column)])
    });
    let pattern = Pattern::new(2 * seen.len(), x.len(), entries);
    let coloring = Coloring::of_columns(pattern);
    let function = fastest(|| reprojections(black_box(&x), cameras, &seen));
    let sparse =
        fastest(|| reprojections::sparse_jacobian(&coloring, black_box(&x), cameras, &seen));
    let blocks = fastest(|| {
        let mut values = Vec::with_capacity(coloring.pattern().len());
        for (c, p, at) in &seen {
            let start = CAMERA * cameras + POINT * p;
            let (camera, point) = (
                &x[CAMERA * c..CAMERA * c + CAMERA],
                &x[start..start + POINT],
            );
            for (by_camera, by_point) in reprojection::jacobian_rows(camera, point, *at) {
                values.extend(by_camera);
                values.extend(by_point);
            }
        }
        values
    });
    println!(
        "bundle adjustment, {} errors, {} colors: function {function:.2} ms, sparse {sparse:.2} ms ({:.1}), by blocks {blocks:.2} ms ({:.1}), ratio {:.2}",
        2 * seen.len(),
        coloring.colors(),
        sparse / function,
        blocks / function,
        sparse / blocks
    );
}
