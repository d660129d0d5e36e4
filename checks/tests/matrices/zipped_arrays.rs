//! `Zip` of ndarray, methods that change all elements of an array, and such as are computed of each.

#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "closures are what is tested"
)]

use autodiff::{Differentiable, grad};
use ndarray::{Array1, Array2, ArrayView2, Axis, Zip, array, azip};

use super::judge;

#[grad(order = 2)]
fn written(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let mut out = Array1::<f64>::zeros(a.len());
    Zip::from(&mut out)
        .and(a)
        .and(b)
        .for_each(|o, &x, &y| *o = x * y.sin());
    azip!((o in &mut out, &x in a) *o += x * x);
    Zip::from(&mut out).and(b).for_each(|o, y| {
        let t = *o * *y;
        *o = t + y * 2.0;
    });
    out.dot(&out)
}

#[grad(order = 2)]
fn of_two_axes(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let mut out = a.clone();
    Zip::from(&mut out)
        .and(b)
        .for_each(|o, &y| *o = *o * y + o.sin());
    let c = Zip::from(&out).and(b).map_collect(|x, y| x * y);
    let s = Zip::from(a)
        .and(&c)
        .fold(0.5, |sum, &x, &y| sum + x * y * y);
    Zip::indexed(&mut out).for_each(|(i, j), o| {
        *o *= (i + 2 * j) as f64;
    });
    azip!((index (i, j), o in &mut out, &x in b) { *o += x * x * (i + j) as f64; });
    s * out.sum()
}

#[grad(order = 2)]
fn with_rows(x: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let mut y = Array1::zeros(x.nrows());
    Zip::from(&mut y)
        .and(x.rows())
        .for_each(|y: &mut f64, row| *y = row.dot(w).tanh());
    let sums = Zip::from(x.columns()).map_collect(|c| c.dot(&c));
    y.dot(&y) * sums.dot(w)
}

#[grad]
fn moved(out: &mut Array1<f64>, a: &Array1<f64>, k: f64) {
    Zip::from(out).and(a).for_each(|o, &x| *o += k * x * *o);
}

#[grad]
fn scaled_rows(m: &mut Array2<f64>, v: &Array1<f64>) {
    for i in 0..m.nrows() {
        Zip::from(m.row_mut(i)).and(v).for_each(|a, &b| *a *= b);
    }
}

#[grad]
fn lent(m: &Array2<f64>, v: &Array1<f64>, k: f64) -> f64 {
    let (mut m, mut out) = (m.clone(), v * 2.0);
    scaled_rows(&mut m, v);
    moved(&mut out, v, k);
    m.sum() * out.sum()
}

#[grad(order = 2)]
fn in_place(a: &Array1<f64>, k: f64) -> f64 {
    let mut b = a.to_owned();
    b.map_inplace(|v| *v *= k);
    b.mapv_inplace(|v| v.exp());
    b.map_inplace(|v| {
        if *v > 1.2 {
            *v = v.ln() * k;
        }
    });
    b.dot(a)
}

#[grad(order = 2)]
fn by_element(m: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let roots = m.exp().sqrt();
    let sums = m.sum_axis(Axis(0)).tanh();
    roots.sum() * v.powf(1.5).sum() + m.powi(2).sum() + m.row(0).abs().sum() + sums.pow2().sum()
}

#[grad(order = 2)]
fn spreads(m: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let of_columns = m.std_axis(Axis(0), 0.0);
    let of_rows = m.var_axis(Axis(1), 1.0);
    m.std(1.0) * v.var(0.0) + of_columns.dot(v) + of_rows.product() * v.product()
}

#[test]
fn arrays_are_zipped() {
    let a = array![0.3, -1.2, 0.4];
    let b = array![0.7, -0.4, 1.1];
    let k = 1.4;
    check!(written(a by_ref, b by_ref));
    check!(in_place(a by_ref, k by_value));
    let m = array![[0.3, -1.2, 0.4], [0.8, 0.5, 2.0]];
    let n = array![[0.7, -0.4, 1.0], [0.1, 0.9, -0.3]];
    check!(of_two_axes(m by_ref, n by_ref));
    check!(with_rows(m by_ref, b by_ref));
    check!(once lent(m by_ref, a by_ref, k by_value));
    let positive = b.mapv(f64::abs);
    check!(by_element(m by_ref, positive by_ref));
    check!(spreads(m by_ref, b by_ref));
}

#[test]
fn spread_of_equal_numbers_is_flat() {
    let m = Array2::from_elem((2, 2), 3.0);
    let (by_m, _) = spreads::grad(&m, &array![1.0, 2.0]);
    assert!(by_m.iter().all(|d| *d == 0.0));
}

#[test]
fn zipped_arrays_of_other_lengths_panic() {
    let (a, b) = (array![1.0, 2.0], array![1.0, 2.0, 3.0]);
    assert!(std::panic::catch_unwind(|| written::grad(&a, &b)).is_err());
}

#[grad(order = 2)]
fn mapped(a: &Array1<f64>) -> Array1<f64> {
    a.iter().map(|x| x * x).collect()
}

#[grad(order = 2)]
fn collected(a: &Array1<f64>, k: f64) -> f64 {
    let sines: Array1<f64> = mapped(a).iter().map(|x| x.sin()).collect();
    let filled = Array2::from_elem((2, 3), k * a[0]);
    sines.dot(a) * filled.dot(a).sum()
}

#[test]
fn chains_are_collected_to_arrays() {
    let (a, k) = (array![0.3, -1.2, 0.4], 0.7);
    check!(collected(a by_ref, k by_value));
}

#[grad(order = 2)]
fn by_three_numbers(t: &ndarray::Array3<f64>) -> f64 {
    let (a, b, c) = t.dim();
    let mut sum = t[(1, 0, 1)] * t[[0, 1, 0]];
    for i in 0..a {
        for j in 0..b {
            for k in 0..c {
                sum += t[(i, j, k)] * t[[i, j, 0]].sin();
            }
        }
    }
    sum
}

#[test]
fn elements_of_three_axes() {
    let t = ndarray::Array3::from_shape_fn((2, 2, 2), |(i, j, k)| {
        (i + 2 * j + 3 * k) as f64 * 0.3 - 0.7
    });
    check!(by_three_numbers(t by_ref));
}

#[derive(Clone, Differentiable)]
struct Data {
    x: Array2<f64>,
    labels: Array1<usize>,
    mask: Array2<bool>,
    counts: nalgebra::DVector<i32>,
}

#[grad(order = 2)]
fn likelihood(data: &Data, w: &Array1<f64>, labels: &Array1<usize>, mask: ArrayView2<bool>) -> f64 {
    let mut sum = 0.0;
    for (i, &label) in labels.iter().enumerate() {
        if mask[[i, 0]] && data.mask[[0, i]] {
            sum += data.x[[i, label]] * w[data.labels[i]] * f64::from(data.counts[i]);
        }
    }
    sum * sum
}

#[test]
fn arrays_of_integers_are_constants() {
    let data = Data {
        x: array![[0.3, -1.2], [0.8, 0.5]],
        labels: array![1, 0],
        mask: array![[true, true]],
        counts: nalgebra::DVector::from_vec(vec![2, 3]),
    };
    let (labels, mask) = (array![0, 1], array![[true], [true]]);
    let w = array![0.7, -0.4];
    let (of_data, by_w) = likelihood::grad(&data, &w, &labels, mask.view());
    let value = 0.3 * -0.4 * 2.0 + 0.5 * 0.7 * 3.0;
    let expected = [2.0 * value * 0.5 * 3.0, 2.0 * value * 0.3 * 2.0];
    judge::assert_near("by w", by_w.as_slice().unwrap(), &expected, 1e-14);
    let expected = [2.0 * value * -0.4 * 2.0, 0.0, 0.0, 2.0 * value * 0.7 * 3.0];
    judge::assert_near("by x", of_data.x.as_slice().unwrap(), &expected, 1e-14);
}
