//! Lengths of arrays and matrices: those that methods of arrays say, and those that are fields of what a method is called on.

use autodiff::{Differentiable, grad};
use nalgebra::{DMatrix, DVector};
use ndarray::{Array1, Array2, Array3, ArrayView1, Axis, array};

use super::judge;

#[grad(order = 2)]
fn mean_squared(x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let rows = x.shape()[0];
    let n = rows as f64 * x.len_of(Axis(1)) as f64;
    let mut s = 0.0;
    for i in 0..rows {
        for j in 0..x.shape()[1] {
            let d = x[[i, j]] - y[j];
            s += d * d * d;
        }
    }
    s / n * y.shape()[0] as f64
}

#[grad(order = 2)]
fn of_three_axes(x: &Array3<f64>) -> f64 {
    let (planes, rows, columns) = x.dim();
    let mut sums = Array2::<f64>::zeros((planes, rows));
    for k in 0..planes {
        for i in 0..rows {
            for j in 0..columns {
                sums[[k, i]] += x[[k, i, j]] * x[[k, i, 0]];
            }
        }
    }
    let same: Array3<f64> = Array3::ones(x.dim());
    sums.mapv(f64::sin).sum() + (x * &same).sum()
}

#[derive(Clone, Differentiable)]
struct Layer {
    inputs: usize,
    outputs: usize,
    width: usize,
    weight: Array2<f64>,
    kernel: Array3<f64>,
    bias: Array1<f64>,
}

#[grad(order = 2)]
impl Layer {
    fn forward(&self, x: &Array2<f64>) -> Array2<f64> {
        let (batch, _) = x.dim();
        let mut forward = Array2::<f64>::zeros((batch, self.outputs));
        for b in 0..batch {
            for o in 0..self.outputs {
                let mut sum = self.bias[o];
                for i in 0..self.inputs {
                    sum += x[[b, i]] * self.weight[[o, i]];
                    let before = i as i32 - 1;
                    if before >= 0 {
                        sum += x[(b, before as usize)] * self.kernel[[o, i, before as usize]];
                    }
                }
                forward[[b, o]] = sum;
            }
        }
        forward
    }

    fn shared(&self, x: f64) -> f64 {
        let level = Array2::<f64>::from_elem((self.outputs, self.inputs), x * x);
        let unit = Array2::<f64>::eye(self.width);
        let steps = Array1::<f64>::linspace(0.0, 1.0, self.inputs);
        let filled = Array3::<f64>::from_elem(self.kernel.dim(), x.sin());
        ((level * &self.weight).dot(&unit) * steps).sum() + (filled * &self.kernel).sum()
    }

    #[allow(clippy::let_and_return, reason = "as people write it")]
    fn nearness(&self, data: &ArrayView1<f64>) -> f64 {
        // The name is that of its method, which does not make it a call of itself.
        let nearness = data.dot(&self.bias);
        nearness
    }

    fn step(&mut self, rate: f64) {
        for o in 0..self.outputs {
            for i in 0..self.inputs {
                self.weight[[o, i]] -= rate * self.weight[(o, i)] * self.bias[o];
            }
        }
    }
}

#[grad(order = 2)]
fn through_a_layer(layer: &Layer, x: &Array2<f64>) -> f64 {
    let y = layer.forward(x);
    let mut next = layer.clone();
    next.step(y[[0, 0]]);
    (&y * &next.forward(x)).sum() + layer.shared(y[[1, 1]])
}

#[derive(Clone, Differentiable)]
struct Filter {
    states: usize,
    transition: DMatrix<f64>,
    mean: DVector<f64>,
}

#[grad(order = 2)]
impl Filter {
    fn energy(&self, x: f64) -> f64 {
        let mut moved = DVector::zeros(self.states);
        for i in 0..self.states {
            for j in 0..self.states {
                moved[i] += self.transition[(i, j)] * self.mean[j];
            }
        }
        let all = DVector::from_element(self.states, x);
        let unit = DMatrix::<f64>::identity(self.states, self.states);
        let energy = moved.dot(&(unit * &all)) * x;
        let bent = DVector::from_iterator(self.states, self.mean.iter().map(|m| m * m.sin()));
        let all = self.mean.iter().chain(moved.iter()).map(|m| m * x);
        let square = DMatrix::from_iterator(self.states, self.states, all);
        energy + moved.norm_squared() + (square * bent).sum()
    }
}

#[grad(order = 2)]
fn through_a_filter(filter: &Filter, x: f64) -> f64 {
    filter.energy(x)
}

#[test]
fn lengths_are_constants() {
    let x = array![[0.3, -0.7, 1.2], [0.5, 0.9, -0.4]];
    let y = array![0.2, 0.6, -0.3];
    check!(mean_squared(x by_ref, y by_ref));
    let cube = Array3::from_shape_fn((2, 3, 2), |(k, i, j)| {
        0.3 + 0.4 * k as f64 - 0.2 * i as f64 * j as f64
    });
    check!(of_three_axes(cube by_ref));
    let layer = Layer {
        inputs: 3,
        outputs: 2,
        width: 3,
        weight: array![[0.5, -0.2, 0.8], [0.1, 0.7, -0.6]],
        kernel: Array3::from_shape_fn((2, 3, 2), |(k, i, j)| {
            0.1 + 0.2 * k as f64 - 0.3 * i as f64 + 0.1 * j as f64
        }),
        bias: array![0.3, -0.4],
    };
    check!(through_a_layer(layer by_ref, x by_ref));
    let data = array![0.7, 0.2];
    let (of_layer, of_data) = layer.nearness_grad(&data.view());
    assert_eq!((of_layer.bias, of_data), (data, layer.bias.clone()));
    let filter = Filter {
        states: 2,
        transition: DMatrix::from_row_slice(2, 2, &[0.9, 0.2, -0.3, 0.8]),
        mean: DVector::from_vec(vec![0.4, -1.1]),
    };
    let x = 0.7;
    check!(through_a_filter(filter by_ref, x by_value));
}

#[grad]
fn copied(m: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    let mut m = m.clone();
    m.row_mut(0).copy_from(&v.transpose());
    m.sum()
}

#[grad]
fn listed(v: &[f64], n: usize) -> f64 {
    DVector::from_iterator(n, v.iter().map(|x| x * x)).sum()
}

/// Lengths that do not fit are a panic, in derivatives too.
#[test]
fn lengths_have_to_fit() {
    let fails = |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
    let m = DMatrix::from_element(2, 2, 0.5);
    let one = DVector::from_element(1, 0.5);
    assert!(fails(&|| _ = copied(&m, &one)));
    assert!(fails(&|| _ = copied::grad(&m, &one)));
    assert!(fails(&|| _ = listed(&[0.5], 2)));
    assert!(fails(&|| _ = listed::grad(&[0.5], 2)));
    assert_eq!(listed::grad(&[0.5, 1.0, 2.0], 2), [1.0, 2.0, 0.0]);
}
