//! Ordinary numeric code: models, solvers, geometry.

use autodiff::grad;

#[grad]
fn lotka_volterra(a: f64, b: f64, c: f64, d: f64, steps: usize) -> f64 {
    let h = 0.05;
    let (mut x, mut y) = (1.5, 1.0);
    for _ in 0..steps {
        let k1 = (a * x - b * x * y, d * x * y - c * y);
        let (x2, y2) = (x + 0.5 * h * k1.0, y + 0.5 * h * k1.1);
        let k2 = (a * x2 - b * x2 * y2, d * x2 * y2 - c * y2);
        x += h * k2.0;
        y += h * k2.1;
    }
    x * x + y
}

#[grad]
fn newton(s: f64, rounds: usize) -> f64 {
    let mut x = 0.5 * (1.0 + s);
    for _ in 0..rounds {
        x = 0.5 * (x + s / x);
    }
    x
}

#[grad]
fn cholesky_logdet(a: [[f64; 3]; 3]) -> f64 {
    let mut l = [[0.0; 3]; 3];
    let mut logdet = 0.0;
    for i in 0..3 {
        for j in 0..=i {
            let mut s = a[i][j];
            for k in 0..j {
                s -= l[i][k] * l[j][k];
            }
            if i == j {
                l[i][i] = s.sqrt();
                logdet += 2.0 * l[i][i].ln();
            } else {
                l[i][j] = s / l[j][j];
            }
        }
    }
    logdet
}

#[grad]
fn gauss_pulse(b: &[f64], x: f64) -> f64 {
    b[0] * (-b[1] * x).exp() + b[2] * (-((x - b[3]) / b[4]).powi(2)).exp()
}

#[grad]
fn perceptron(w: &[f64], x: &[f64], hidden: usize) -> f64 {
    let inputs = x.len();
    let mut out = 0.0;
    for h in 0..hidden {
        let mut s = w[h * (inputs + 2)];
        for i in 0..inputs {
            s += w[h * (inputs + 2) + 1 + i] * x[i];
        }
        out += w[h * (inputs + 2) + 1 + inputs] * s.tanh();
    }
    1.0 / (1.0 + (-out).exp())
}

#[grad]
fn nearest_centre(points: &[[f64; 2]], centres: &[[f64; 2]]) -> f64 {
    let mut total = 0.0;
    for p in points {
        let mut best = f64::INFINITY;
        for c in centres {
            let (dx, dy) = (p[0] - c[0], p[1] - c[1]);
            let d = dx * dx + dy * dy;
            if d < best {
                best = d;
            }
        }
        total += best.sqrt();
    }
    total
}

#[test]
fn models() {
    check!(lotka_volterra(value a = 1.1, value b = 0.4, value c = 0.6, value d = 0.2, constant steps = 12));
    check!(newton(value s = 2.0, constant rounds = 5));
    check!(gauss_pulse(shared b = [1.2, 0.3, 0.8, 1.1, 0.7], value x = 0.9));
    check!(perceptron(shared w = [0.1, 0.4, -0.3, 0.8, -0.2, 0.5, 0.9, -0.6], shared x = [0.7, -1.1], constant hidden = 2));
}

#[test]
fn matrices() {
    check!(cholesky_logdet(value a = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]));
}

#[test]
fn selections_in_loops() {
    check!(nearest_centre(shared points = [[0.1, 0.2], [1.3, -0.4], [0.6, 0.9]], shared centres = [[0.0, 0.0], [1.0, 0.5]]));
}
