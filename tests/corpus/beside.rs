//! What stands beside active values in types of the user's own: constants that are walked through with them, counts, constructors of zeros.

use autodiff::{Differentiable, grad};

#[derive(Clone, Debug)]
struct Sample {
    features: Vec<f64>,
    label: bool,
    weight: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    #[constant]
    rows: usize,
    cols: usize,
    data: Vec<f64>,
}

#[grad(order = 2)]
impl Matrix {
    fn zeros(rows: usize, cols: usize) -> Matrix {
        Matrix {
            rows,
            cols,
            data: vec![0.0; rows * cols],
        }
    }

    fn unit(n: usize) -> Self {
        let mut unit = Self::zeros(n, n);
        for k in 0..n {
            unit.data[k * unit.cols + k] = 1.0;
        }
        unit
    }

    fn get(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.cols + j]
    }

    fn set(&mut self, i: usize, j: usize, v: f64) {
        self.data[i * self.cols + j] = v;
    }

    fn product(&self, other: &Matrix) -> Matrix {
        let mut out = Matrix::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            for j in 0..other.cols {
                let mut s = 0.0;
                for k in 0..self.cols {
                    s += self.get(i, k) * other.get(k, j);
                }
                out.set(i, j, s);
            }
        }
        out
    }

    fn last(&self) -> f64 {
        let mut all = vec![1.0; self.rows * self.cols];
        for k in 0..self.rows * self.cols {
            all[k] = self.data[k] * self.data[self.rows * self.cols - 1 - k];
        }
        self.data[self.rows * self.cols - 1] * all[self.cols - 1]
            + self.data[self.cols..self.rows * self.cols][0]
    }
}

fn samples() -> Vec<Sample> {
    let sample = |a: f64, b: f64, label| Sample {
        features: vec![a, b],
        label,
        weight: a - b,
    };
    vec![sample(0.5, -1.0, true), sample(1.5, 0.25, false)]
}

second! {
    fn walked(w: &[f64], b: f64, #[constant] s: &Sample) -> f64 {
        let mut sum = b;
        for (w, x) in w.iter().zip(&s.features) {
            sum += w * x * b;
        }
        for (x, w) in s.features.iter().zip(w).rev() {
            sum *= w * x;
        }
        for ((k, x), w) in s.features.iter().enumerate().zip(w.iter()) {
            sum += (k + 1) as f64 * w * x;
        }
        sum * s.weight
    } = [shared w = [0.3, -0.7], value b = 1.2, constant s = &samples()[0]];

    fn chained(w: &[f64], b: f64, #[constant] all: &[Sample]) -> f64 {
        all.iter()
            .map(|s| {
                let z = b + w.iter().zip(&s.features).map(|(w, x)| w * x).sum::<f64>();
                if s.label { z.exp() * s.weight } else { z * z }
            })
            .sum()
    } = [shared w = [0.3, -0.7], value b = 1.2, constant all = &samples()[..]], [shared w = [0.3, -0.7], value b = 1.2, constant all = &samples()[..0]];

    fn matrices(x: f64, y: f64, n: usize) -> f64 {
        let mut m = Matrix::unit(2);
        m.set(0, 1, x);
        m.set(1, 0, x * y);
        let mut power = Matrix::unit(m.rows);
        for _ in 0..n {
            power = power.product(&m);
            power.data[n % (power.rows * power.cols)] += y;
        }
        power.get(0, 1) * power.get(1, 1) + power.last()
    } = [value x = 0.7, value y = -0.4, constant n = 3], [value x = 0.7, value y = -0.4, constant n = 0];
}

#[test]
fn first_derivatives() {
    use plain::{chained, matrices, walked};
    let all = samples();
    check!(walked(shared w = [0.3, -0.7], value b = 1.2, constant s = &all[1]));
    check!(walked(shared w = [0.3], value b = 1.2, constant s = &all[1]));
    check!(chained(shared w = [0.3, -0.7], value b = 1.2, constant all = &all));
    check!(matrices(value x = 0.7, value y = -0.4, constant n = 3));
}

#[derive(Clone, Debug, Differentiable)]
struct Cell {
    gain: f64,
    state: Vec<f64>,
}

#[grad]
impl Cell {
    fn feed(&mut self, y: &mut [f64], xs: &[f64]) {
        for k in 0..y.len() {
            self.state[k] = self.gain * self.state[k] + xs[k];
            y[k] -= self.gain * self.state[k].sin();
        }
    }
}

/// What a method is lent by `&mut` holds what depends on its receiver.
#[grad]
fn fed(gain: f64, #[constant] start: &[f64], n: usize) -> f64 {
    let mut cell = Cell {
        gain,
        state: vec![0.0; start.len()],
    };
    let mut y = start.to_vec();
    for _ in 0..n {
        let xs: Vec<f64> = y.iter().map(|v| 2.0 * v + v.cos()).collect();
        cell.feed(&mut y, &xs);
    }
    y.iter().map(|v| v * v).sum()
}

#[test]
fn methods_change_what_they_are_lent() {
    for n in [0, 1, 4] {
        check!(fed(value gain = 0.4, constant start = &[0.5, -0.3], constant n = n));
    }
}
