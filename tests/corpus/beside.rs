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

#[derive(Clone, Copy, Debug, Default, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Optional {
    number: Option<f64>,
    point: Option<Point>,
    list: Option<Vec<f64>>,
}

#[grad(order = 2)]
impl Point {
    fn beyond(&self, lo: f64) -> Option<Point> {
        if self.x > lo {
            Some(Point {
                x: self.x - lo,
                ..*self
            })
        } else {
            None
        }
    }

    fn area(&self, lo: f64) -> Option<f64> {
        let p = self.beyond(lo)?;
        let q = p.beyond(0.01)?;
        Some(q.x * p.y)
    }
}

mod of_options {
    use super::{Optional, Point};
    use autodiff::grad;

    second! {
        fn options(x: f64, y: f64, which: usize) -> f64 {
            let o = Optional {
                number: if which > 0 { Some(x * y) } else { None },
                point: if which > 1 { Some(Point { x, y }) } else { None },
                list: if which > 2 { Some(vec![x, y * y]) } else { None },
            };
            let a = o.number.map_or(x, |v| v * v) + o.number.unwrap_or(0.3) * y;
            let b = o.point.as_ref().map(|p| p.x * p.x * p.y).unwrap_or_default();
            let c = o.list.as_ref().map_or(y, |v| v[0] * v[1] * x);
            let d = o.point.unwrap_or_default().area(0.1).unwrap_or(0.25);
            let p = Point { x: y, y: x };
            a * b + c * d + p.beyond(-1.0).map_or(0.0, |p| p.x * p.y)
        } = [value x = 0.7, value y = -0.4, constant which = 3], [value x = 0.7, value y = -0.4, constant which = 2], [value x = 0.7, value y = -0.4, constant which = 1], [value x = 0.7, value y = -0.4, constant which = 0];
    }
}

#[grad]
fn lists_in_options(o: &Optional, x: f64) -> f64 {
    let a = match &o.list {
        Some(v) => v[0] * v[1] * x,
        None => x,
    };
    let b = if let Some(v) = &o.list { v[1] } else { x * x };
    let r = &o.list;
    let c = match r {
        None => 2.0,
        Some(v) => {
            let mut sum = 0.0;
            for y in v {
                sum += y * y;
            }
            sum
        }
    };
    a * b + c * o.number.map_or(x, |v| v * x)
}

#[test]
fn lists_are_left_in_their_options() {
    let x = 0.7;
    let of = |list: Option<Vec<f64>>| Optional {
        number: Some(0.3),
        point: None,
        list,
    };
    // v₀ v₁² x + (v₀² + v₁²) 0.3 x
    let (v, h) = ([0.4, -1.2], 1e-6);
    let (g, by_x) = lists_in_options::grad(&of(Some(v.to_vec())), x);
    crate::check::near(&by_x, &(v[0] * v[1] * v[1] + 0.3 * (0.16 + 1.44)), 1e-13);
    let bar = g.list.as_ref().unwrap();
    crate::check::near(&bar[0], &(v[1] * v[1] * x + 0.6 * x * v[0]), 1e-13);
    crate::check::near(&bar[1], &(2.0 * v[0] * v[1] * x + 0.6 * x * v[1]), 1e-13);
    crate::check::near(&g.number.unwrap(), &(x * (0.16 + 1.44)), 1e-13);
    let along = lists_in_options::jvp(&of(Some(v.to_vec())), x, (&g, by_x)).1;
    crate::check::near(
        &along,
        &(autodiff::Tangent::inner(&g, &g) + by_x * by_x),
        1e-13,
    );
    let f = |x: f64| lists_in_options(&of(None), x);
    crate::check::near(
        &lists_in_options::grad(&of(None), x).1,
        &((f(x + h) - f(x - h)) / (2.0 * h)),
        1e-8,
    );
}
