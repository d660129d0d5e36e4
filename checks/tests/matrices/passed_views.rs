//! Views as parameters of functions that others call, of rows, columns and slices, of parameters and of constants.

use autodiff::grad;
use nalgebra::{DMatrix, DVectorView, Matrix3, MatrixView3, VectorView3};
use ndarray::{Array1, Array2, ArrayBase, ArrayView1, ArrayView2, Data, Ix1, NdFloat, array, s};

use super::judge;

#[grad(order = 2)]
fn sigmoid(x: ArrayView1<f64>) -> Array1<f64> {
    x.mapv(|x| 1.0 / (1.0 + (-x).exp()))
}

#[grad(order = 2)]
fn of_whole(x: &Array1<f64>) -> f64 {
    let y = sigmoid(x.view());
    y.dot(&sigmoid(y.view()))
}

#[grad(order = 2)]
fn loss(x: ArrayView1<f64>, w: &Array1<f64>) -> f64 {
    x.dot(w).powi(2) + x[0] * w[1]
}

#[grad(order = 2)]
fn of_rows(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..m.nrows() {
        sum += loss(m.row(i), w) * loss(m.column(i), w);
    }
    sum + loss(m.slice(s![1, ..]), w)
}

#[grad(order = 2)]
fn of_constant_rows(#[constant] m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..m.nrows() {
        sum += loss(m.row(i), w) * loss(m.column(i), w);
    }
    sum
}

// A view is passed on more than once.
#[grad(order = 2)]
fn passed_on(m: ArrayView2<f64>, w: &Array1<f64>) -> f64 {
    let row: ArrayView1<f64> = m.row(0);
    let again = row;
    loss(row, w) * loss(row, w) + again[1] * m[[1, 1]]
}

#[grad(order = 2)]
fn passes_on(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    passed_on(m.view(), w) * passed_on(m.t(), w)
}

fn total(x: ArrayView1<f64>) -> f64 {
    x.sum()
}

#[grad(constant)]
fn count(x: ArrayView1<f64>) -> usize {
    x.len()
}

#[grad(order = 2)]
fn error(#[constant] truth: ArrayView1<f64>, x: ArrayView1<f64>) -> f64 {
    let d = &x - &truth;
    d.dot(&d) * total(truth) / count(x) as f64
}

#[grad(order = 2)]
fn errors(#[constant] truth: &Array2<f64>, m: &Array2<f64>) -> f64 {
    let mut sum = 0.0;
    for (truth, row) in truth.outer_iter().zip(m.outer_iter()) {
        sum += error(truth, row);
    }
    for (i, row) in m.outer_iter().enumerate() {
        sum += error(truth.row(i), row).sin();
    }
    sum
}

#[grad(order = 2)]
fn errors_of(m: &Array2<f64>) -> f64 {
    errors(&array![[0.5, 1.0], [2.0, -1.0]], m)
}

#[grad(order = 2)]
fn checked(x: ArrayView1<f64>, w: ArrayView1<'_, f64>) -> Result<f64, String> {
    if x.len() != w.len() {
        return Err("lengths differ".into());
    }
    Ok(x.dot(&w))
}

#[grad(order = 2)]
fn unwrapped(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    match checked(m.row(0), w.view()) {
        Ok(y) => y * checked(w.slice(s![..]), m.column(1)).unwrap_or(1.0),
        Err(_) => 0.0,
    }
}

#[grad(order = 2)]
fn generic<T: NdFloat + num_traits::Float>(x: ArrayView1<T>, w: &Array1<T>) -> T {
    x.dot(w)
}

#[grad(order = 2)]
fn of_storage<S: Data<Elem = f64>>(x: &ArrayBase<S, Ix1>, w: &Array1<f64>) -> f64 {
    x.dot(w).exp()
}

/// The type of the entries is said by where they are.
#[grad(order = 2)]
fn of_any_storage<T, S, R>(x: &ArrayBase<S, Ix1>, w: &ArrayBase<R, Ix1>) -> T
where
    T: NdFloat,
    S: Data<Elem = T>,
    R: Data<Elem = T>,
{
    let difference = x - w;
    (&difference * &difference).sum() / T::from(difference.len()).unwrap()
}

#[derive(Clone, Debug, autodiff::Differentiable)]
struct Weighted<T: NdFloat> {
    weights: Array1<T>,
}

#[grad(order = 2)]
impl<T: NdFloat> Weighted<T> {
    fn both(&self, m: &Array2<T>) -> Array2<T> {
        let logits = m.dot(&self.weights);
        let mut both = Array2::zeros((m.nrows(), 2));
        both.slice_mut(s![.., 1]).assign(&logits);
        both.slice_mut(s![.., 0])
            .assign(&logits.mapv(|x| T::one() - x * x));
        both.slice_mut(s![0, ..]).fill(self.weights[0]);
        both
    }
}

#[grad(order = 2)]
fn of_generic(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let both = Weighted { weights: w.clone() }.both(m);
    generic(m.row(0), w) * generic(w.view(), w)
        + of_storage(&m.row(1), w)
        + of_storage(w, w)
        + of_any_storage(w, &m.row(0)) * both[[1, 0]]
        + both[[0, 1]] * both[[1, 1]]
}

#[derive(Clone, Debug, autodiff::Differentiable)]
struct Layer {
    weights: Array1<f64>,
}

#[grad(order = 2)]
trait Predict {
    fn predict(&self, x: ArrayView1<f64>) -> f64;
}

#[grad(order = 2)]
impl Predict for Layer {
    fn predict(&self, x: ArrayView1<f64>) -> f64 {
        self.weights.dot(&x)
    }
}

#[grad(order = 2)]
impl Layer {
    fn squared(&self, x: ArrayView1<f64>) -> f64 {
        self.predict(x) * self.predict(x)
    }
    fn all(&self, x: &Array2<f64>) -> f64 {
        let mut sum = 0.0;
        for row in x.rows() {
            sum += self.squared(row);
        }
        sum
    }
}

#[grad(order = 2)]
fn of_methods(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let layer = Layer { weights: w.clone() };
    layer.all(m) * layer.predict(m.row(0))
}

#[grad(order = 2)]
fn product(x: ArrayView1<f64>) -> f64 {
    if x.len() <= 1 {
        return x[0];
    }
    product(x.slice(s![1..])) * x[0]
}

#[grad(order = 2)]
fn of_slice(w: &[f64]) -> f64 {
    let a = ArrayView1::from(w);
    let b = ndarray::arr1(&[w[0] * w[1], w[1], 1.0]);
    let c: Array1<f64> = w.to_vec().into();
    product(a) * sigmoid(b.view()).sum() * product(c.view())
}

#[grad(order = 2)]
fn squares(v: DVectorView<f64>) -> f64 {
    v.norm_squared() + v[0]
}

#[grad(order = 2)]
fn of_columns(m: &DMatrix<f64>) -> f64 {
    let mut sum = squares(m.column(0)) * squares(m.column(1));
    for column in m.column_iter() {
        sum += squares(column).sin();
    }
    sum + m.row_iter().map(|row| row.norm()).sum::<f64>()
}

#[grad(order = 2)]
fn moved(m: MatrixView3<f64>, v: VectorView3<f64>) -> f64 {
    (m * v).norm()
}

#[grad(order = 2)]
fn of_blocks(m: &Matrix3<f64>) -> f64 {
    moved(m.as_view(), m.fixed_view::<3, 1>(0, 1))
}

#[test]
fn views_are_passed() {
    let m = array![[0.3, -1.2], [0.8, 0.5]];
    let w = array![0.7, -0.4];
    check!(of_whole(w by_ref));
    check!(of_rows(m by_ref, w by_ref));
    check!(passes_on(m by_ref, w by_ref));
    check!(errors_of(m by_ref));
    check!(unwrapped(m by_ref, w by_ref));
    check!(of_generic(m by_ref, w by_ref));
    check!(of_methods(m by_ref, w by_ref));
    let list = vec![0.7, -0.4, 1.3];
    check!(of_slice(list of_list));
    let n = DMatrix::from_row_slice(2, 2, &[0.3, -1.2, 0.8, 0.5]);
    check!(of_columns(n by_ref));
    let k = Matrix3::new(0.3, -1.2, 0.8, 0.5, 0.2, 1.4, -0.6, 0.9, 0.1);
    check!(of_blocks(k by_ref));
}

#[test]
fn rows_of_constants_are_passed() {
    let m = array![[0.3, -1.2], [0.8, 0.5]];
    let w = array![0.7, -0.4];
    let at = |w: &[f64]| of_constant_rows(&m, &Array1::from(w.to_vec()));
    let gradient = of_constant_rows::grad(&m, &w);
    let differences = judge::differences(w.as_slice().unwrap(), |w| vec![at(w)]);
    judge::assert_near(
        "constant rows",
        gradient.as_slice().unwrap(),
        &differences,
        1e-8,
    );
    let of_both = of_rows::grad(&m, &w);
    assert_ne!(of_both.1, gradient);
}

#[test]
fn a_view_is_the_argument_of_a_derivative() {
    let (m, w) = (array![[0.3, -1.2], [0.8, 0.5]], array![0.7, -0.4]);
    let y = m.row(0).dot(&w);
    let (by_row, by_weights) = loss::grad(m.row(0), &w);
    assert_eq!(by_row, &w * (2.0 * y) + &array![w[1], 0.0]);
    assert_eq!(by_weights, &m.row(0) * (2.0 * y) + &array![0.0, m[[0, 0]]]);
    let (value, tangent) = loss::jvp(m.row(0), &w, (w.clone(), &m.row(1).to_owned()));
    assert_eq!(value, loss(m.row(0), &w));
    let truth = by_row.dot(&w) + by_weights.dot(&m.row(1));
    assert!((tangent - truth).abs() < 1e-14);
}
