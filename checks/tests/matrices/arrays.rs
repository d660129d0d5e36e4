//! Arrays of ndarray.

use autodiff::grad;
use ndarray::{
    Array, Array1, Array2, ArrayD, ArrayView, ArrayView1, ArrayView2, Axis, Dimension, array, s,
};

use super::judge;

#[grad(order = 2)]
fn elementwise(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let c = a + b;
    let d = &c * b - a / &c;
    let mut e = d.clone();
    e += a;
    e -= &(b * 2.0);
    e *= b;
    e /= &c;
    (-e).sum() + (&d * &d).sum()
}

#[grad(order = 2)]
fn with_numbers(a: &Array1<f64>, s: f64) -> f64 {
    let b = a * s + s;
    let c = s * a - 1.0;
    let mut d = &b / s;
    d *= s;
    d += 0.5;
    d -= s;
    d /= s + 1.0;
    (b * c * d).sum() + (s + a).sum() * (s - a).dot(a)
}

#[grad(order = 2)]
fn broadcast(m: &Array2<f64>, row: &Array1<f64>, one: &Array2<f64>) -> f64 {
    let shifted = m + row;
    let scaled = &shifted * one;
    let quotient = m / row;
    (&scaled * &quotient).sum() + (row * m).sum()
}

#[grad(order = 2)]
fn products(m: &Array2<f64>, k: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let y = m.dot(x);
    let z = y.dot(k);
    y.dot(&z) + m.dot(k).sum() + m.t().dot(&y).sum()
}

#[grad(order = 2)]
fn elements(m: &Array2<f64>, a: &Array1<f64>) -> f64 {
    let mut n = m.clone();
    let mut b = a.clone();
    b[0] = a[1] * a[2];
    b[1] += b[0];
    n[[0, 1]] = b[1] * m[[1, 1]];
    n[[2, 2]] *= n[[0, 1]];
    let mut sum = 0.0;
    for i in 0..n.nrows() {
        for j in 0..n.ncols() {
            sum += n[[i, j]] * n[[j, i]];
        }
    }
    for x in b.iter() {
        sum += x * x * x;
    }
    sum + a.iter().zip(b.iter()).map(|(x, y)| x * y).sum::<f64>()
}

#[grad(order = 2)]
fn parts(m: &Array2<f64>) -> f64 {
    let r = m.row(1);
    let c = m.column(0);
    let s = m.sum_axis(Axis(0));
    let k = m.slice(s![0..2, 1..]);
    let l = m.slice(s![.., 2]);
    r.dot(&c) * s.dot(&s) + (&k * &k).sum() * l.sum() + m.mean().unwrap()
}

#[grad(order = 2)]
fn made(x: f64) -> f64 {
    let mut a = Array1::zeros(3);
    a[0] = x;
    a[1] = x * x;
    a[2] = a[0] * a[1];
    a.dot(&a)
}

#[grad(order = 2)]
fn of_any_rank(a: &ArrayD<f64>, b: &ArrayD<f64>) -> f64 {
    (a * b + a).sum()
}

#[grad(order = 2)]
fn by_macro(x: f64) -> f64 {
    let a = array![x, x * x, 1.0];
    let b = Array1::from_vec(vec![x, 2.0, x]) * Array1::from_elem(3, x);
    a.dot(&b)
}

#[grad(order = 2)]
fn mapped_into(a: &Array1<f64>, k: f64) -> f64 {
    let b = k * a.clone().mapv_into(|x| (x * k).sin()) + (a / 2.0).mapv_into(f64::tanh);
    (k / (1.0 + a.clone().mapv_into_any(|x| x * x)) * b).sum()
}

#[grad(order = 2)]
fn divided(a: &Array1<f64>, m: &Array2<f64>, s: f64) -> f64 {
    let b = s / a;
    (&b * &b).sum() + ((s * s) / (m + 3.0)).dot(&b).sum()
}

#[grad(order = 2)]
fn assigned(m: &Array2<f64>, a: &Array1<f64>) -> f64 {
    let mut n = m * 2.0;
    for i in 0..2 {
        let row = a * m[[i, 2]];
        n.row_mut(i).assign(&row);
    }
    n.column_mut(2).assign(&(a * a));
    (&n * m).sum()
}

#[grad(order = 2)]
fn mapped(a: &Array1<f64>, m: &Array2<f64>, k: f64) -> f64 {
    let b = a.mapv(|x| (x * k).sin());
    let n = m.mapv(|x| x * x + k);
    n.dot(&b).sum() + a.mapv(f64::exp).sum()
}

#[grad(order = 2)]
fn of_shapes(a: &Array1<f64>, m: &Array2<f64>, k: f64) -> f64 {
    let n = Array2::from_shape_fn((3, 2), |(i, j)| (a[i] * k).exp() * m[[j, i]]);
    let b: Array1<f64> = Array::from_shape_fn(a.len(), |i| a[i] * a[i] * k + i as f64);
    m.dot(&n).sum() * k + n.t().dot(&b).sum()
}

/// Named as a function of this library, for arrays of however many axes.
#[grad(order = 2)]
fn sigmoid<D: Dimension>(x: &Array<f64, D>) -> Array<f64, D> {
    x.mapv(|x| 1.0 / (1.0 + (-x).exp()))
}

#[grad(order = 2)]
fn softplus<D>(x: ArrayView<f64, D>) -> Array<f64, D>
where
    D: Dimension,
{
    x.mapv(|x| (1.0 + x.exp()).ln())
}

#[grad(order = 2)]
fn of_names_of_ours(m: &Array2<f64>, a: &Array1<f64>) -> f64 {
    sigmoid(m).sum() + sigmoid(&(a * 2.0))[0] * softplus(m.view()).sum()
}

#[test]
fn arrays_have_their_derivatives() {
    let (a, b) = (array![1.0, -2.0, 0.5], array![0.3, 0.7, -1.1]);
    let m = array![[1.0, 2.0, 0.5], [-1.0, 0.3, 0.8], [2.0, -0.7, 1.5]];
    let k = array![[0.4, -0.3, 1.2], [0.7, 0.9, -0.5], [0.1, 1.4, 0.6]];
    let one = array![[1.0], [2.0], [0.5]];
    let s = 1.7;
    check!(elementwise(a by_ref, b by_ref));
    check!(with_numbers(a by_ref, s by_value));
    check!(broadcast(m by_ref, a by_ref, one by_ref));
    check!(products(m by_ref, k by_ref, a by_ref));
    check!(elements(m by_ref, a by_ref));
    check!(parts(m by_ref));
    check!(made(s by_value));
    check!(by_macro(s by_value));
    check!(mapped(a by_ref, m by_ref, s by_value));
    check!(mapped_into(a by_ref, s by_value));
    check!(of_shapes(a by_ref, m by_ref, s by_value));
    check!(assigned(m by_ref, a by_ref));
    check!(divided(a by_ref, m by_ref, s by_value));
    let (c, d) = (m.clone().into_dyn(), k.clone().into_dyn());
    check!(of_any_rank(c by_ref, d by_ref));
}

#[grad]
fn scale_entries(a: &mut Array1<f64>, s: f64) {
    for i in 0..a.len() {
        a[i] *= s;
    }
}

#[grad]
fn of_views(m: ArrayView2<f64>, x: ArrayView1<f64>) -> f64 {
    m.dot(&x).sum()
}

#[test]
fn views_are_read_and_memory_is_written() {
    let (a, b) = (array![1.0, -2.0], array![0.3, 0.7]);
    let (mut u, mut bar) = (a.clone(), b.clone());
    let s = scale_entries::vjp(&mut u, 2.0, &mut bar);
    assert_eq!((u, bar, s), (&a * 2.0, &b * 2.0, a.dot(&b)));
    let m = array![[1.0, 2.0], [3.0, 5.0]];
    let (gm, gx) = of_views::grad(m.view(), a.view());
    assert_eq!(
        (gm, gx),
        (array![[1.0, -2.0], [1.0, -2.0]], array![4.0, 7.0])
    );
}

#[grad(order = 2)]
fn by_pairs(m: &Array2<f64>) -> f64 {
    let mut n = m.clone();
    n[(0, 1)] = m[(1, 0)] * m[[1, 1]];
    n[(1, 2)] *= n[[0, 1]];
    let mut sum = 0.0;
    for i in 0..m.nrows() {
        for j in 0..m.ncols() {
            sum += n[(i, j)] * m[(i, j)] * n[[i, j]];
        }
    }
    sum / m.nrows() as f64
}

#[grad(order = 2)]
fn along_axes(m: &Array2<f64>) -> f64 {
    let mean = m.mean_axis(Axis(0)).unwrap();
    let centered = m - &mean;
    let squares = (&centered * &centered)
        .sum_axis(Axis(1))
        .insert_axis(Axis(1));
    let row = m.index_axis(Axis(1), 2);
    (&centered / &(squares + 1.0)).dot(&m.t()).sum() + row.dot(&row) * mean[0]
}

#[grad(order = 2)]
fn by_lists(x: f64, y: f64) -> f64 {
    let m = array![[x, 2.0, y * x], [1.0, x * x, y]];
    let n = ndarray::array![[y], [x], [1.0]];
    (m.dot(&n)).sum() * m[(0, 2)]
}

#[grad]
fn perhaps(m: &Array2<f64>) -> Option<Array1<f64>> {
    m.mean_axis(Axis(0))
}

#[test]
fn matrices_are_indexed_by_pairs_and_summed_along_axes() {
    let m = array![[1.0, -0.5, 2.0], [0.7, 0.3, -1.1]];
    check!(by_pairs(m by_ref));
    check!(along_axes(m by_ref));
    let turned = m
        .clone()
        .reversed_axes()
        .as_standard_layout()
        .reversed_axes()
        .to_owned();
    check!(along_axes(turned by_ref));
    let (s, t) = (1.7, 0.6);
    check!(by_lists(s by_value, t by_value));
    let d = array![3.0, 1.0, 2.0];
    let (y, bar) = perhaps::vjp(&m, Some(d.clone()));
    assert_eq!(y, m.mean_axis(Axis(0)));
    assert_eq!(bar, array![[1.5, 0.5, 1.0], [1.5, 0.5, 1.0]]);
    let none = Array2::zeros((0, 3));
    assert_eq!(perhaps::vjp(&none, None), (None, none));
}

#[grad(order = 2)]
fn collected(x: &Array1<f64>, k: f64) -> f64 {
    let scaled: Array1<f64> = x.iter().map(|v| v * k).collect();
    let kept = Array1::from_iter(
        scaled
            .iter()
            .zip(x)
            .map(|(s, v)| if *v > 0.5 { s * v } else { 0.0 }),
    );
    kept.dot(&scaled) + x.iter().map(|v| v.sin()).collect::<Array1<f64>>().sum()
}

#[test]
fn chains_are_collected_into_arrays() {
    let (x, k) = (array![1.0, 0.7, 0.3], 0.9);
    check!(collected(x by_ref, k by_value));
}

/// Of as many axes as there are.
#[grad(order = 2)]
fn squashed<D: Dimension>(x: &Array<f64, D>, s: f64) -> Array<f64, D> {
    x.mapv(|x| s / (1.0 + (-x).exp()))
}

#[grad(order = 2)]
fn softmax_of_rows(x: ArrayView2<f64>) -> Array2<f64> {
    let mut rows = Array::zeros(x.raw_dim());
    for i in 0..x.raw_dim()[0] {
        let row = x.row(i).to_owned();
        let most = row.iter().fold(f64::NEG_INFINITY, |most, &x| x.max(most));
        let sum = row.mapv(|x| (x - most).exp()).sum();
        rows.row_mut(i)
            .assign(&row.mapv(|x| (x - most).exp() / sum));
    }
    rows
}

#[grad(order = 2)]
fn of_lengths(m: &Array2<f64>, a: &Array1<f64>, s: f64) -> f64 {
    let rows = m.raw_dim()[0] as f64;
    let all = squashed(m, s * rows);
    let mut kept = Array::zeros(a.raw_dim());
    kept += &squashed(a, s);
    (&all * m).sum() + kept.dot(a) * s
}

#[test]
fn arrays_of_any_dimension_and_their_lengths() {
    let (m, a, s) = (
        array![[0.3, -0.8, 1.1], [0.6, 0.2, -0.5]],
        array![0.9, -0.3, 0.4],
        1.3,
    );
    check!(of_lengths(m by_ref, a by_ref, s by_value));
    check!(of_names_of_ours(m by_ref, a by_ref));
    let seed = array![[1.0, 0.5, -0.3], [0.2, -1.0, 0.7]];
    let (p, slope) = softmax_of_rows::vjp(m.view(), seed.clone());
    // p (seed - Σ p seed), row by row.
    for (i, (row, seeds)) in p.rows().into_iter().zip(seed.rows()).enumerate() {
        let mean = row.dot(&seeds);
        let expected = &row * &(&seeds - mean);
        judge::assert_near("softmax", &slope.row(i).to_vec(), &expected.to_vec(), 1e-14);
    }
    let (_, along) = softmax_of_rows::jvp(m.view(), seed.clone());
    judge::assert_near(
        "softmax forward",
        &[(&along * &seed).sum()],
        &[(&slope * &seed).sum()],
        1e-13,
    );
}

#[grad(order = 2)]
fn on_a_grid(low: f64, high: f64) -> f64 {
    let grid = Array1::linspace(low, high, 5);
    let fixed = Array1::linspace(0.0, 1.0, 5);
    let one = Array::linspace(high, low, 1);
    grid.iter().map(|x| x * x).sum::<f64>() + grid.dot(&fixed) * one[0]
}

#[test]
fn evenly_spaced_entries() {
    let (low, high) = (0.3, 1.7);
    check!(on_a_grid(low by_value, high by_value));
}
