//! Matrices in flat slices: elements `i * n + k`, whose rows generated code cuts out in front of loops.

use autodiff::{Differentiable, grad};

use crate::check::{near, panic_of};

#[grad(order = 2)]
fn product(a: &[f64], b: &[f64], n: usize) -> f64 {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    let mut s = 0.0;
    for i in 0..n {
        for k in (0..n).rev() {
            s += c[k + n * i] * c[k + n * i].sin();
        }
    }
    s
}

#[grad(order = 2)]
fn factored(a: &[f64], n: usize) -> f64 {
    let mut l = a.to_vec();
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..i {
            let mut entry = l[i * n + j];
            for k in 0..j {
                entry -= l[i * n + k] * l[j * n + k];
            }
            l[i * n + j] = entry / l[j * n + j];
        }
        let mut square = l[i * n + i];
        for k in 0..i {
            square -= l[i * n + k] * l[i * n + k];
        }
        l[i * n + i] = square.sqrt();
        sum += l[i * n + i].ln();
    }
    2.0 * sum
}

/// In the first rows `(i - 1) * n` is no number, and no element is read.
#[grad]
fn rows_above(mut a: Vec<f64>, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        let known = if i == 0 { 0 } else { n };
        for k in 0..known {
            s += a[(i - 1) * n + k] * a[k + i * n];
        }
        for k in 0..known {
            a[i * n + k] = a[i * n + k].sin() + 0.5 * s;
        }
    }
    s
}

/// Neighbours overlap; some elements are read in some rounds only, and lie outside in the others.
#[grad]
fn neighbours(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    for k in 0..x.len() - 1 {
        y[k + 1] += y[k] * x[k + 1];
    }
    let mut s = 0.0;
    for k in 0..x.len() {
        if k + 2 < x.len() {
            s += y[k + 2] * x[k];
        }
        let at = k + 1;
        if at < x.len() {
            s += y[at].sin() * at as f64;
        }
    }
    s
}

/// Two rows of one matrix are changed at once, and may be the same.
#[grad]
fn rotated(mut a: Vec<f64>, n: usize, p: usize, q: usize, angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    let mut sum = 0.0;
    for k in 0..n {
        sum += a[k + p * n] * a[k] + a[q * n + k];
    }
    sum
}

#[grad]
fn shifted(x: &[f64], n: usize, by: usize) -> f64 {
    let mut y = x.to_vec();
    for k in 0..n {
        y[k + by] += y[k] * x[k];
        y[k] *= y[k + by];
    }
    y[0] + y[n] * y[by + n - 1]
}

#[derive(Clone, Differentiable)]
struct Layer {
    weights: Vec<f64>,
    bias: Vec<f64>,
    #[constant]
    mask: Vec<f64>,
    width: usize,
}

#[grad(order = 2)]
fn layer(p: &Layer, x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..p.bias.len() {
        let mut z = p.bias[i];
        for k in 0..p.width {
            z += p.weights[i * p.width + k] * x[k] * p.mask[i * p.width + k];
        }
        s += z.tanh();
    }
    s
}

#[grad]
fn rows_of_rows(mut a: Vec<Vec<f64>>, n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        for k in 0..n {
            a[i][k + n] += a[i][n + k] * a[i][k];
            s += a[i][n + k];
        }
    }
    s
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n)
        .map(|k| ((7 * k + 3) % 11) as f64 * 0.1 - 0.35)
        .collect()
}

#[test]
fn elements_of_flat_matrices() {
    check!(product(shared a = numbers(9), shared b = numbers(9), constant n = 3));
    let definite = vec![4.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.5, -0.4, 2.0];
    check!(factored(shared a = definite.clone(), constant n = 3));
    check!(rows_above(value a = numbers(9), constant n = 3));
    check!(rows_above(value a = numbers(0), constant n = 0));
    check!(neighbours(shared x = numbers(6)));
    check!(neighbours(shared x = numbers(1)));
    check!(rows_of_rows(value a = vec![numbers(6), numbers(6)], constant n = 3));
}

#[test]
fn two_rows_at_once() {
    for (p, q) in [(0, 2), (2, 0), (1, 1), (0, 1)] {
        check!(rotated(value a = numbers(9), constant n = 3, constant p = p, constant q = q, value angle = 0.7));
    }
    for (p, q) in [(0, 2), (2, 0), (1, 1)] {
        check!(rotated(value a = numbers(30), constant n = 10, constant p = p, constant q = q, value angle = 0.7));
    }
    // Rows that overlap.
    check!(shifted(shared x = numbers(12), constant n = 9, constant by = 1));
    check!(shifted(shared x = numbers(19), constant n = 9, constant by = 9));
    check!(rotated(value a = numbers(9), constant n = 1, constant p = 3, constant q = 4, value angle = 0.7));
    check!(rotated(value a = numbers(9), constant n = 0, constant p = 30, constant q = 4, value angle = 0.7));
}

#[test]
fn second_derivatives() {
    let h = 1e-5;
    let definite = [4.0, 0.0, 0.0, 1.0, 3.0, 0.0, 0.5, -0.4, 2.0];
    let hessian = factored::hessian(&definite, 3);
    for column in 0..9 {
        let moved = |by: f64| {
            let mut a = definite;
            a[column] += by;
            factored::grad(&a, 3)
        };
        let (above, below) = (moved(h), moved(-h));
        for row in 0..9 {
            let difference = (above[row] - below[row]) / (2.0 * h);
            assert!((hessian[[row, column]] - difference).abs() < 1e-7);
        }
    }
    let layer_ = Layer {
        weights: numbers(6),
        bias: vec![0.2, -0.3],
        mask: vec![1.0, 0.0, 1.0, 0.5, 1.0, 2.0],
        width: 3,
    };
    let x = [0.4, -0.7, 0.2];
    let (gradient, _) = layer::grad(&layer_, &x);
    for k in 0..6 {
        let moved = |by: f64| {
            let mut p = layer_.clone();
            p.weights[k] += by;
            layer(&p, &x)
        };
        let difference = (moved(h) - moved(-h)) / (2.0 * h);
        near(&[gradient.weights[k]], &[difference], 1e-8);
    }
}

#[grad]
fn too_far(a: &[f64], n: usize, i: usize) -> f64 {
    let mut s = 0.0;
    for k in 0..n {
        s += a[i * n + k] * a[i * n + k];
    }
    s
}

#[test]
fn what_lies_outside_panics() {
    let a = numbers(9);
    assert!(!panic_of(|| too_far(&a, 3, 3)).is_empty());
    assert!(!panic_of(|| too_far::grad(&a, 3, 3)).is_empty());
    assert!(!panic_of(|| too_far::jvp(&a, 3, 3, &a)).is_empty());
    assert!(!panic_of(|| too_far::grad(&a, 4, 2)).is_empty());
    assert!(!panic_of(|| rotated::grad(a.clone(), 3, 2, 3, 0.1)).is_empty());
    near(&too_far::grad(&a, 0, 30), &vec![0.0; 9], 0.0);
}
