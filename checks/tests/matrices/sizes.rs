//! Sizes of matrices, parts of them, and what zeros do to infinite slopes.

use autodiff::grad;
use nalgebra::{
    DMatrix, DVector, Matrix2, Matrix3, Matrix3x2, RowVector2, SVector, Vector3, Vector6,
};
use ndarray::{Array1, Array2, array};

use super::judge;

type V3 = Vector3<f64>;

#[grad(order = 2)]
fn to_array(v: &V3, x: f64) -> f64 {
    let a: [f64; 3] = (*v * x).into();
    a[0] * a[1] * a[2] + a[1].sin()
}

#[grad(order = 2)]
fn to_columns(m: &Matrix3x2<f64>) -> f64 {
    let a: [[f64; 3]; 2] = (*m).into();
    a[0][1] * a[1][1] * a[1][2] + a[0][2].exp()
}

#[grad(order = 2)]
fn walked(m: &V3) -> f64 {
    let t = m.normalize();
    let mut s = 0.0;
    for x in t.iter() {
        s += x * x * x;
    }
    s + t.iter().map(|x| x * x).sum::<f64>() + m.sum() * m.max()
}

#[grad(order = 2)]
fn of_its_size(m: &DMatrix<f64>) -> f64 {
    let n = m.nrows();
    let mut l = DMatrix::zeros(n, n);
    let (r, c) = m.shape();
    l[(0, 0)] = m[(r - 1, c - 1)];
    let mut k = DMatrix::identity(r, m.shape().1);
    k[(0, 1)] = m[(0, 0)];
    let v = DVector::from_element(m.ncols(), 2.0);
    (l * m * k * v).norm()
}

#[grad(order = 2)]
fn of_all_entries(m: &Array2<f64>) -> f64 {
    let (r, c) = m.dim();
    let mut s = 0.0;
    for i in 0..r {
        for j in 0..c {
            s += m[[i, j]] * m[[j, i]];
        }
    }
    s * s
}

#[grad(order = 2)]
fn by_other_names(a: &Vector3<f64>, b: &Vector3<f64>, s: f64) -> f64 {
    a.magnitude() * b.magnitude_squared()
        + a.metric_distance(b) * a.unscale(s).norm()
        + a.tr_mul(b)[(0, 0)] * s
}

#[grad(order = 2)]
fn transposed(a: &Matrix3<f64>, b: &Matrix3x2<f64>) -> f64 {
    let c = a.tr_mul(b);
    c.norm_squared() * c[(0, 1)]
}

#[grad(order = 2)]
fn parts(m: &Matrix3<f64>, v: &Vector6<f64>, d: &DMatrix<f64>) -> f64 {
    let a = m.fixed_view::<2, 2>(1, 0);
    let p = v.fixed_rows::<3>(0);
    let q = v.fixed_rows::<3>(3);
    let c = m.fixed_columns::<2>(1);
    let e = d.fixed_view::<2, 2>(0, 1);
    p.dot(&q) * a.determinant() + p.cross(&q).norm() + (c.tr_mul(&c) * e).trace() + (a * e).trace()
}

#[grad]
fn pair(x: f64) -> Matrix2<f64> {
    Matrix2::new(x, x * x, 1.0, x)
}

#[grad]
fn of_no_name(x: f64) -> f64 {
    let m = pair(x);
    m[(0, 1)] * m[(1, 1)]
}

#[grad(order = 2)]
fn of_arrays(a: [f64; 3], x: f64, y: f64) -> f64 {
    let v = SVector::from([x, y, x * y]);
    let w = Vector3::<f64>::from([a[1], a[2], y]);
    let r = RowVector2::from([x, y * y]);
    let m = Matrix2::from([[x, y], [1.0, x * y]]);
    let k = Matrix3x2::from([[x, y, 2.0], [y, a[0], 1.0]]);
    v.cross(&Vector3::from(a)).dot(&w) + (r * m).norm() + (k * m).norm_squared() * v[2]
}

#[test]
fn sizes_and_parts_have_their_derivatives() {
    let a = Vector3::new(1.0, -2.0, 0.4);
    let b = Vector3::new(0.3, 0.7, -1.1);
    let s = 1.7;
    let m = Matrix3::new(1.0, 2.0, 0.5, -1.0, 0.3, 0.8, 2.0, -0.7, 1.5);
    let d = DMatrix::from_row_slice(3, 3, m.as_slice());
    let n = array![[1.0, 2.0, 0.5], [-1.0, 0.3, 0.8], [2.0, -0.7, 1.5]];
    let k = Matrix3x2::new(1.0, 2.0, 0.5, -1.0, 0.3, 0.8);
    let v = Vector6::new(1.0, 2.0, 0.5, -1.0, 0.3, 0.8);
    check!(walked(a by_ref));
    let x = 0.7;
    check!(to_array(a by_ref, x by_value));
    let columns = Matrix3x2::new(0.3, -0.7, 1.2, 0.4, 0.5, -1.1);
    check!(to_columns(columns by_ref));
    check!(of_its_size(d by_ref));
    check!(of_all_entries(n by_ref));
    check!(by_other_names(a by_ref, b by_ref, s by_value));
    check!(transposed(m by_ref, k by_ref));
    check!(parts(m by_ref, v by_ref, d by_ref));
    let (of, x, y) = ([0.5, 0.7, -0.2], 0.7, 1.2);
    check!(of_arrays(of by_value, x by_value, y by_value));
    check!(once of_no_name(s by_value));
}

#[grad(order = 2)]
fn length(d: &V3) -> f64 {
    d.dot(d).sqrt() + d.norm_squared().sqrt() + (d.transpose() * d)[0].sqrt()
}

#[grad(order = 2)]
fn length_of_array(d: &Array1<f64>) -> f64 {
    d.dot(d).sqrt() + (d * d).sum().sqrt() + d.dot(&(d * 2.0)).sqrt()
}

#[grad(order = 2)]
fn through_a_root(x: f64) -> f64 {
    let s = Vector3::new(x.sqrt(), 2.0, 1.0);
    let entries = s.scale(0.0).sum() + s.component_mul(&s).sum() + (s * 0.0).sum();
    s.dot(&s) + s.norm_squared() + entries + (Matrix3::identity() * s).y
}

#[grad]
fn array_through_a_root(x: f64) -> f64 {
    let s = array![x.sqrt(), 2.0];
    (&s * &s).sum() + s.dot(&s)
}

#[test]
fn zeros_absorb_infinite_slopes() {
    let zero = Vector3::zeros();
    assert_eq!(length::grad(&zero), zero);
    let zero = array![0.0, 0.0];
    assert_eq!(length_of_array::grad(&zero), zero);
    assert_eq!(through_a_root::grad(0.0), 0.0);
    assert_eq!(through_a_root::jvp(0.0, 1.0).1, 0.0);
    assert_eq!(array_through_a_root::grad(0.0), 0.0);
    assert_eq!(array_through_a_root::jvp(0.0, 1.0).1, 0.0);
}

/// The crate's own `clamp`, by its names.
#[grad(order = 2)]
fn clamped(v: &V3, low: f64, high: f64) -> f64 {
    use nalgebra as na;
    let inner = na::clamp(v[0], low, high) * v[1];
    inner * nalgebra::clamp(v[2] * v[2], low, high)
}

#[test]
fn between_two_bounds() {
    let (low, high) = (0.2, 1.1);
    for v in [[0.3, 0.7, 0.9], [1.4, 0.2, -0.4], [-0.6, 0.9, 1.3]] {
        let v = V3::from(v);
        check!(clamped(v by_ref, low by_value, high by_value));
    }
}
