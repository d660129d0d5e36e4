//! Jacobians of functions that write to `&mut` parameters, and parameters that are only written.

use autodiff::{Differentiable, Float, Matrix, Residuals, grad};

use crate::check::near;

/// Against differences of the function from flat columns to flat rows.
fn accept(name: &str, at: &[f64], jacobians: &[Matrix<f64>], f: &dyn Fn(&[f64]) -> Vec<f64>) {
    let columns: Vec<Vec<f64>> = (0..at.len())
        .map(|k| {
            let moved = |h: f64| {
                let mut z = at.to_vec();
                z[k] += h;
                f(&z)
            };
            let (up, down) = (moved(1e-5), moved(-1e-5));
            up.iter().zip(&down).map(|(a, b)| (a - b) / 2e-5).collect()
        })
        .collect();
    for jacobian in jacobians {
        assert_eq!(
            (jacobian.rows(), jacobian.cols()),
            (f(at).len(), at.len()),
            "{name}"
        );
        for (k, column) in columns.iter().enumerate() {
            for (i, &slope) in column.iter().enumerate() {
                let entry = jacobian[[i, k]];
                assert!(
                    (entry - slope).abs() < 1e-7 * (1.0 + slope.abs()),
                    "{name}: [{i}, {k}] is {entry}, by differences {slope}"
                );
            }
        }
    }
}

#[grad]
fn step(u: &mut [f64], dt: f64) {
    for i in 1..u.len() {
        u[i] += dt * u[i - 1] * u[i];
    }
    u[0] *= dt;
}

#[test]
fn rows_are_final_states() {
    let at = [0.7, -0.4, 1.2, 0.3];
    let run = |f: fn(&mut [f64], f64) -> Matrix<f64>| {
        let mut u = at[..3].to_vec();
        let jacobian = f(&mut u, at[3]);
        let mut once = at[..3].to_vec();
        step(&mut once, at[3]);
        assert_eq!(u, once);
        jacobian
    };
    let mut into = [7.0; 12];
    step::jacobian_into(&mut at[..3].to_vec(), at[3], &mut into);
    let all = [
        run(step::jacobian),
        run(step::jacfwd),
        run(step::jacrev),
        Matrix::from_vec(3, 4, into.to_vec()),
    ];
    accept("step", &at, &all, &|z| {
        let mut u = z[..3].to_vec();
        step(&mut u, z[3]);
        u
    });
}

#[grad]
fn normalise(v: &mut [f64; 2], w: &[f64], floor: &mut f64) -> (f64, f64) {
    let norm = (v[0] * v[0] + v[1] * v[1] + *floor).sqrt();
    for x in v.iter_mut() {
        *x /= norm;
    }
    *floor *= w[0] * norm;
    (norm, w[1] * v[0])
}

#[test]
fn the_result_comes_before_the_states() {
    let at = [0.7, -0.4, 1.5, -0.3, 0.2];
    let f = |z: &[f64]| {
        let (mut v, mut floor) = ([z[0], z[1]], z[4]);
        let (a, b) = normalise(&mut v, &z[2..4], &mut floor);
        vec![a, b, v[0], v[1], floor]
    };
    let (mut v, mut floor) = ([at[0], at[1]], at[4]);
    let (value, jacobian) = normalise::value_and_jacobian(&mut v, &at[2..4], &mut floor);
    assert_eq!(vec![value.0, value.1, v[0], v[1], floor], f(&at));
    let again = |f: fn(&mut [f64; 2], &[f64], &mut f64) -> Matrix<f64>| {
        f(&mut [at[0], at[1]], &at[2..4], &mut at[4].clone())
    };
    let all = [jacobian, again(normalise::jacfwd), again(normalise::jacrev)];
    accept("normalise", &at, &all, &f);
}

#[grad]
fn accumulate(sum: &mut f64, weights: &[f64]) {
    for (k, w) in weights.iter().enumerate() {
        *sum += (k as f64 + 1.0) * w * w * *sum;
    }
}

#[test]
fn many_columns_are_taken_in_reverse() {
    let at = [0.5, 0.1, 0.2, -0.3, 0.4, 0.25, -0.15, 0.05];
    let mut sum = at[0];
    let jacobian = accumulate::jacobian(&mut sum, &at[1..]);
    let f = |z: &[f64]| {
        let mut sum = z[0];
        accumulate(&mut sum, &z[1..]);
        vec![sum]
    };
    assert_eq!(vec![sum], f(&at));
    accept("accumulate", &at, &[jacobian], &f);
}

/// Predators and prey.
#[grad]
fn rhs(t: f64, y: &[f64], #[out] dy: &mut [f64]) {
    dy[0] = y[0] * (1.1 + t.sin() - 0.4 * y[1]);
    dy[1] = y[1] * (0.1 * y[0] - 0.4);
}

#[test]
fn what_is_only_written_has_rows_and_no_columns() {
    let at = [0.3, 10.0, 5.0];
    let f = |z: &[f64]| {
        let mut dy = [f64::NAN; 2];
        rhs(z[0], &z[1..], &mut dy);
        dy.to_vec()
    };
    // What it held before is of no consequence.
    let run = |f: fn(f64, &[f64], &mut [f64]) -> Matrix<f64>| f(at[0], &at[1..], &mut [9.0; 2]);
    let all = [run(rhs::jacobian), run(rhs::jacfwd), run(rhs::jacrev)];
    accept("rhs", &at, &all, &f);
    let mut dy = [0.0; 2];
    let jacobian = rhs::jacobian(at[0], &at[1..], &mut dy);
    assert_eq!(dy.to_vec(), f(&at));
    near(jacobian.row(1), &[0.0, 0.5, 0.6], 1e-14);

    let (mut dy, mut tangent) = ([0.0; 2], [f64::NAN; 2]);
    rhs::jvp(at[0], &at[1..], &mut dy, (0.0, &[0.0, 1.0], &mut tangent));
    near(&tangent, &[-4.0, 0.6], 1e-14);
    let (mut dy, mut bar) = ([0.0; 2], [0.0, 1.0]);
    let (_, y_bar) = rhs::vjp(at[0], &at[1..], &mut dy, &mut bar);
    near(&y_bar, &[0.5, 0.6], 1e-14);
    assert_eq!(bar, [0.0, 0.0]);
}

/// Some of it is left as it is.
#[grad]
fn first(x: f64, #[out] out: &mut [f64; 3]) {
    out[0] = x * x;
    out[1] += x;
}

#[test]
fn what_stood_there_is_a_constant() {
    let mut out = [1.0, 2.0, 3.0];
    let jacobian = first::jacobian(3.0, &mut out);
    assert_eq!(out, [9.0, 5.0, 3.0]);
    assert_eq!(jacobian.as_slice(), [6.0, 1.0, 0.0]);
    let (mut out, mut dot) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
    first::jvp(3.0, &mut out, (1.0, &mut dot));
    assert_eq!(dot, [6.0, 1.0, 0.0]);
    let (mut out, mut bar) = ([1.0, 2.0, 3.0], [1.0, 10.0, 100.0]);
    assert_eq!(first::vjp(3.0, &mut out, &mut bar), 16.0);
    assert_eq!(bar, [0.0; 3]);
}

/// A caller has the whole derivative, also of what the function leaves.
#[grad]
fn caller(x: f64) -> f64 {
    let mut out = [x, 2.0 * x, x * x];
    first(x, &mut out);
    out[0] + 10.0 * out[1] + 100.0 * out[2]
}

#[test]
fn callers_lose_nothing() {
    assert_eq!(caller::grad(3.0), 6.0 + 30.0 + 600.0);
    assert_eq!(caller::jvp(3.0, 1.0).1, 636.0);
}

#[grad]
fn scaled<T: Float>(x: &mut [T], by: T) -> T {
    let mut sum = by;
    for x in x.iter_mut() {
        *x = *x * by;
        sum = sum + *x;
    }
    sum
}

#[test]
fn generic_functions_have_them() {
    let jacobian = scaled::jacobian(&mut [1.0_f32, 2.0], 3.0);
    let wanted: Matrix<f32> =
        Matrix::from_vec(3, 3, vec![3.0, 3.0, 4.0, 3.0, 0.0, 1.0, 0.0, 3.0, 2.0]);
    assert_eq!(jacobian, wanted);
}

#[grad]
fn grown(list: &mut Vec<f64>, x: f64) {
    let last = list[list.len() - 1];
    list.push(last * x);
}

#[test]
fn a_list_may_grow() {
    for f in [grown::jacobian, grown::jacfwd, grown::jacrev] {
        let mut list = vec![2.0, 3.0];
        let jacobian = f(&mut list, 5.0);
        assert_eq!(list, [2.0, 3.0, 15.0]);
        let wanted = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 5.0, 3.0];
        assert_eq!(jacobian.as_slice(), wanted);
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    at: [f64; 2],
    speed: f64,
    #[constant]
    name: u32,
}

#[grad]
impl Body {
    fn drift(&mut self, dt: f64, #[out] energy: &mut f64) {
        self.at[0] += dt * self.speed;
        self.at[1] *= self.at[0];
        *energy = 0.5 * self.speed * self.speed;
    }
}

#[test]
fn methods_have_them() {
    let body = || Body {
        at: [1.0, 2.0],
        speed: 3.0,
        name: 7,
    };
    let (mut moved, mut energy) = (body(), 0.0);
    let jacobian = moved.drift_jacobian(0.5, &mut energy);
    assert_eq!((moved.at, energy, moved.name), ([2.5, 5.0], 4.5, 7));
    let wanted = [
        [1.0, 0.0, 0.5, 3.0],
        [2.0, 2.5, 1.0, 6.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 3.0, 0.0],
    ];
    assert_eq!(jacobian.as_slice(), wanted.as_flattened());
    assert_eq!(body().drift_jacrev(0.5, &mut 0.0), jacobian);
}

#[derive(Debug, PartialEq)]
struct Negative;

#[grad]
fn roots(x: &[f64], #[out] y: &mut [f64], #[constant] calls: &mut u32) -> Result<(), Negative> {
    *calls += 1;
    for (y, x) in y.iter_mut().zip(x) {
        if *x < 0.0 {
            return Err(Negative);
        }
        *y = x.sqrt();
    }
    Ok(())
}

#[test]
fn a_function_may_fail() {
    let (mut y, mut calls) = ([0.0; 2], 0);
    let jacobian = roots::jacobian(&[4.0, 0.25], &mut y, &mut calls).unwrap();
    assert_eq!((y, calls), ([2.0, 0.5], 1));
    assert_eq!(jacobian.as_slice(), [0.25, 0.0, 0.0, 1.0]);
    let failed = roots::jacobian(&[4.0, -1.0], &mut y, &mut calls);
    assert_eq!(failed, Err(Negative));
    let mut into = [7.0; 4];
    let failed = roots::jacobian_into(&[4.0, -1.0], &mut y, &mut calls, &mut into);
    assert_eq!((failed, into), (Err(Negative), [7.0; 4]));
}

#[test]
fn several_directions_have_one_value() {
    let at = [0.7, -0.4];
    let (mut v, mut floor) = (at, 0.2);
    let mut dots = [([1.0, 0.0], 0.0), ([0.0, 2.0], 1.0)];
    let [(dv, df), (dw, dg)] = &mut dots;
    let w = [1.5, -0.3];
    let tangents = [(dv, &[0.0; 2][..], df), (dw, &[1.0, 1.0][..], dg)];
    let (value, along) = normalise::jvp_lanes(&mut v, &w, &mut floor, tangents);
    for (k, along) in along.iter().enumerate() {
        let (mut u, mut f) = (at, 0.2);
        let mut dot = [([1.0, 0.0], 0.0), ([0.0, 2.0], 1.0)][k];
        let by_w = [[0.0; 2], [1.0; 2]][k];
        let given = (&mut dot.0, &by_w[..], &mut dot.1);
        assert_eq!(normalise::jvp(&mut u, &w, &mut f, given), (value, *along));
        assert_eq!((u, f, dot), (v, floor, dots[k]));
    }
    let (mut u, mut du) = ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]]);
    let [a, b] = &mut du;
    step::jvp_lanes(&mut u, 0.5, [(&mut a[..], 0.0), (&mut b[..], 0.0)]);
    assert_eq!((u, du), ([0.5, 3.0], [[0.5, 1.0], [0.0, 1.5]]));
}

#[test]
fn several_seeds_have_one_value() {
    let at = [0.7, -0.4];
    let (mut v, mut floor) = (at, 0.2);
    let w = [1.5, -0.3];
    let seeds = [(1.0, 0.0), (-0.5, 0.3), (0.0, 0.0)];
    let given = [([1.0, 0.0], 0.0), ([0.0, 2.0], 1.0), ([0.0, 0.0], 0.7)];
    let mut bars = given;
    let [(av, af), (bv, bf), (cv, cf)] = &mut bars;
    let (value, all) =
        normalise::vjp_lanes(&mut v, &w, &mut floor, seeds, [av, bv, cv], [af, bf, cf]);
    for (k, by_w) in all.iter().enumerate() {
        let (mut u, mut f, mut bar) = (at, 0.2, given[k]);
        let apart = normalise::vjp(&mut u, &w, &mut f, seeds[k], &mut bar.0, &mut bar.1);
        assert_eq!(apart, (value, by_w.clone()));
        assert_eq!((u, f, bar), (v, floor, bars[k]));
    }
    let (mut u, mut bars) = ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]]);
    let [a, b] = &mut bars;
    let by_rate = step::vjp_lanes(&mut u, 0.5, [&mut a[..], &mut b[..]]);
    assert_eq!(
        (u, bars, by_rate),
        ([0.5, 3.0], [[0.5, 0.0], [1.0, 1.5]], [1.0, 2.0])
    );
    let [] = step::vjp_lanes(&mut u, 0.5, []);
    assert_eq!(u, [0.25, 3.75]);
}

#[grad]
fn reaction(#[constant] rate: f64, y: &[f64; 2], #[out] dy: &mut [f64]) {
    dy[0] = -rate * y[0] * y[1];
    dy[1] = rate * y[0] - 2.0;
}

#[grad]
fn relax(u: &mut [f64], #[constant] by: f64) {
    u[0] *= by * u[1];
}

#[test]
fn they_are_functions_of_residuals() {
    let mut dy = [0.0; 2];
    let f = reaction::with(3.0, &mut dy);
    assert_eq!(f.residuals(&[2.0, 5.0]), [-30.0, 4.0]);
    let (values, jacobian) = f.residuals_and_jacobian(&[2.0, 5.0]);
    assert_eq!(values, [-30.0, 4.0]);
    assert_eq!(jacobian.as_slice(), [-15.0, -6.0, 3.0, 0.0]);

    let f = relax::with(2.0);
    let (values, jacobian) = f.residuals_and_jacobian(&[3.0, 5.0]);
    assert_eq!(values, [30.0, 5.0]);
    assert_eq!(jacobian.as_slice(), [10.0, 6.0, 0.0, 1.0]);
}
