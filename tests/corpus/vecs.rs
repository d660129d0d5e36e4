//! `Vec`: made, cloned, read and written by index.

use autodiff::grad;

#[grad]
fn filled(x: f64, n: usize) -> f64 {
    let mut a = vec![x; n];
    for i in 1..n {
        a[i] = a[i - 1] * x + a[i];
    }
    a[n - 1] * a[0]
}

#[grad]
fn copied(x: &[f64], k: f64) -> f64 {
    let mut y = x.to_vec();
    for i in 0..y.len() {
        y[i] *= k * x[i];
    }
    let mut z = y.clone();
    z[0] = y[1] * z[1];
    y[1] = 2.0;
    y[0] * y[1] + z[0] * z[1] + x[0]
}

#[grad]
fn made_of_lists(x: &[f64], k: f64) -> f64 {
    let pair = [k, x[1]];
    let mut a = Vec::from([k * k, x[0], 1.0]);
    let b: Vec<f64> = pair.into();
    for i in 0..x.len() {
        let mut c = Vec::from(&x[i..]);
        c[0] += a[i] * b[i % 2];
        a.extend(Vec::<f64>::from(pair));
        a[i] = c[0].sin();
    }
    a[0] * a[1] + a[2] * a[5] + <Vec<f64>>::from(a.clone())[3]
}

#[grad]
fn by_value(x: Vec<f64>, k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * k.powi(i as i32);
    }
    sum
}

#[grad]
fn heat(u0: &[f64], alpha: f64, steps: usize) -> f64 {
    let n = u0.len();
    let mut u = u0.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            next[i] = u[i] + alpha * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * u[i];
        }
        next[0] = u[0];
        next[n - 1] = u[n - 1];
        for i in 0..n {
            u[i] = next[i];
        }
    }
    let mut energy = 0.0;
    for i in 0..n {
        energy += u[i] * u[i];
    }
    energy
}

#[grad]
fn two_dimensions(x: f64, n: usize) -> f64 {
    let mut grid = vec![vec![x; n]; n];
    for i in 1..n {
        for j in 1..n {
            grid[i][j] = grid[i - 1][j] * grid[i][j - 1] + 0.1 * j as f64;
        }
    }
    grid[n - 1][n - 1]
}

#[grad]
fn replaced_each_round(x: f64, n: usize) -> f64 {
    let mut last = vec![x, 0.5];
    for i in 0..n {
        let next = vec![last[1] * x, last[0].sin() + 0.2 * i as f64];
        last = next;
    }
    last[0] * last[1]
}

#[grad]
fn squares(x: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    for i in 0..x.len() {
        y[i] = x[i] * x[i] + x[0];
    }
    y
}

#[test]
fn vecs_by_index() {
    check!(filled(value x = 0.8, constant n = 4));
    check!(filled(value x = 0.8, constant n = 1));
    check!(copied(shared x = [0.7, -0.4, 1.2], value k = 1.3));
    check!(made_of_lists(shared x = [0.7, -0.4, 1.2], value k = 1.3));
    check!(by_value(value x = vec![0.7, -0.4, 1.2], value k = 1.3));
}

#[test]
fn stencils() {
    check!(heat(shared u0 = [0.7, -0.4, 1.2, 0.9, 0.1], value alpha = 0.2, constant steps = 3));
    check!(heat(shared u0 = [0.7, -0.4, 1.2, 0.9, 0.1], value alpha = 0.2, constant steps = 0));
    check!(two_dimensions(value x = 0.8, constant n = 4));
}

#[test]
fn whole_vecs() {
    check!(replaced_each_round(value x = 0.8, constant n = 3));
    check!(replaced_each_round(value x = 0.8, constant n = 0));
    check_vector!(squares(shared x = [0.7, -0.4, 1.2]));
}

#[grad]
fn doubled(v: &mut Vec<f64>) {
    v[0] *= 2.0;
}

#[grad]
fn cloned(v: &Vec<f64>, rows: &Vec<Vec<f64>>) -> f64 {
    let mut w = v.clone();
    doubled(&mut w);
    w.push(0.5);
    let mut m = rows.clone();
    doubled(&mut m[0]);
    w[0] * w[2] + w[1] * m[0][0] * v[0]
}

#[grad]
fn twice(x: f64) -> Vec<f64> {
    vec![x, 2.0 * x.sin()]
}

#[grad]
fn taken_apart_at_once(x: f64) -> f64 {
    let [q, k] = [twice(x), twice(x * x)];
    q[0] * k[1] + q[1]
}

#[test]
fn copies_of_borrowed_vecs() {
    check!(cloned(shared v = vec![0.7, -0.4], shared rows = vec![vec![1.2, 0.3]]));
    check!(taken_apart_at_once(value x = 0.7));
}
