//! Views of constant matrices and arrays, as regressions have them: rows, columns and parts beside what has a derivative.

use autodiff::grad;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use ndarray::{Array1, Array2, ArrayView1, array, s};

use super::judge;

fn turned() -> Matrix3<f64> {
    Matrix3::new(1.0, 2.0, 3.0, -1.0, 0.5, 0.25, 2.0, 2.5, -0.5)
}

fn data() -> DMatrix<f64> {
    DMatrix::from_row_slice(3, 2, &[1.0, 2.0, -0.5, 0.3, 0.7, -1.1])
}

fn samples() -> Array2<f64> {
    array![[1.0, 2.0], [-0.5, 0.3], [0.7, -1.1]]
}

#[grad(order = 2)]
fn of_parameter(w: &Vector3<f64>, #[constant] m: &Matrix3<f64>) -> f64 {
    let part = m.fixed_view::<1, 3>(0, 0).transpose();
    let inner = m.column(1).dot(w) + w.dot(&m.column(2));
    inner * inner + (m.row(0) * w)[0] * part.dot(w) + (m.fixed_rows::<1>(1) * w)[0].sin()
}

#[grad(order = 2)]
fn of_local(w: &Vector3<f64>) -> f64 {
    let m = turned();
    let c = m.column(1);
    let parameter = of_parameter(w, &m);
    c.dot(w) * w.norm() * c.norm() + c[1] + (c - w).norm_squared() + (w - c).x.powi(3) + parameter
}

#[grad(order = 2)]
fn of_temporary(w: &Vector3<f64>) -> f64 {
    let m = data();
    let both = turned().column(1).dot(w) * w.dot(&turned().column(0));
    both + (m.rows(0, 2).columns(0, 1).transpose() * w.rows(0, 2))[0].powi(2)
}

#[grad(order = 2)]
fn squares(w: &DVector<f64>, #[constant] m: &DMatrix<f64>, #[constant] y: &DVector<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..m.nrows() {
        let row = m.row(i);
        let off = (row * w)[0] - y[i];
        sum += off * off * row[0];
    }
    sum
}

#[grad(order = 2)]
fn distances(w: &DVector<f64>, #[constant] m: &DMatrix<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..m.ncols() {
        sum += (m.column(i) - w).norm();
    }
    for column in m.column_iter() {
        sum += column.dot(w).sin();
    }
    sum
}

#[grad(order = 2)]
fn regressions(w: &DVector<f64>, v: &DVector<f64>) -> f64 {
    let m = data();
    let y = DVector::from_vec(vec![0.3, 0.1, -0.4]);
    squares(w, &m, &y) + distances(v, &m)
}

#[grad(order = 2, wrt(w))]
fn fitted(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.nrows() {
        let row = x.row(i);
        sum += (row.dot(w) - y[i]).powi(2) * row[0];
    }
    let off = x.dot(w) - y;
    let slope = x.t().dot(&off);
    sum + slope.dot(&slope)
}

#[grad(order = 2)]
fn iterated(w: &Array1<f64>, #[constant] x: &Array2<f64>, #[constant] y: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for row in x.outer_iter() {
        sum += row.dot(w).sin();
    }
    for (row, y) in x.rows().into_iter().zip(y.iter()) {
        sum += (row.dot(w) - y).powi(2);
    }
    sum
}

#[grad(order = 2)]
fn beside_operators(w: &Array1<f64>, #[constant] x: &Array2<f64>) -> f64 {
    let c = x.row(1);
    let scaled = &x.slice(s![1..2, ..]) * w;
    scaled.sum() * w.dot(&(&c * w))
        + (&x.row(0) - w).sum().powi(2) * w.dot(&x.row(0))
        + (w / &x.row(2)).sum()
}

#[grad(order = 2)]
fn arrays(w: &Array1<f64>) -> f64 {
    let x = samples();
    let y = array![0.3, 0.1, -0.4];
    let kept = x.row(2);
    fitted(w, &x, &y) + iterated(w, &x, &y) + beside_operators(w, &x) + kept.dot(w)
}

#[grad(order = 2)]
fn view(w: &Array1<f64>, #[constant] x: ArrayView1<f64>) -> f64 {
    x.dot(w).powi(3)
}

#[grad(order = 2)]
fn assembled(a: &Vector3<f64>, p: &DMatrix<f64>) -> f64 {
    let mut turning = nalgebra::Matrix4::zeros();
    turning
        .fixed_view_mut::<3, 3>(0, 1)
        .copy_from(&(turned() * a.x));
    turning
        .fixed_view_mut::<1, 3>(3, 0)
        .copy_from(&a.transpose());
    turning
        .fixed_view_mut::<2, 2>(1, 2)
        .copy_from(&nalgebra::Matrix2::identity());
    let n = p.nrows();
    let mut whole = DMatrix::zeros(n + 4, n + 4);
    whole.view_mut((0, 0), (n, n)).copy_from(p);
    whole.view_mut((n, n), (4, 4)).copy_from(&turning);
    let edge = whole.column(n + 1).into_owned();
    whole.row_mut(0).copy_from(&edge.transpose());
    let mut ends = nalgebra::Vector6::zeros();
    ends.rows_mut(2, 3).copy_from(a);
    ends.fixed_rows_mut::<2>(0)
        .copy_from(&edge.fixed_rows::<2>(n));
    (&whole * whole.transpose()).trace() * ends.norm_squared() + (whole[(0, n)] * a.y).sin()
}

#[grad(order = 2)]
fn owned_by_into(v: &nalgebra::Vector6<f64>) -> f64 {
    let a: Vector3<f64> = v.fixed_rows::<3>(3).into();
    v.fixed_rows::<3>(0).cross(&a).norm_squared()
}

#[test]
fn a_view_is_made_a_vector() {
    let v = nalgebra::Vector6::new(0.4, -0.9, 1.3, 0.2, 0.7, -0.5);
    check!(owned_by_into(v by_ref));
}

/// No type of a matrix is named, and no method that is none of iterators.
mod unnamed {
    use autodiff::grad;
    use nalgebra::{matrix, vector};

    #[grad(order = 2)]
    pub(super) fn made(x: f64, y: f64) -> f64 {
        let v = vector![x, y, 1.0] * (x * y);
        (matrix![x, y, 0.5; y, 1.0, x; 0.0, x * y, 2.0] * v).sum()
    }
}

#[test]
fn macros_alone_name_matrices() {
    use unnamed::made;
    let (x, y) = (0.7, -1.2);
    check!(made(x by_value, y by_value));
}

#[test]
fn views_of_constants_stand_beside_what_has_a_derivative() {
    let w = Vector3::new(1.0, -2.0, 0.4);
    check!(of_local(w by_ref));
    check!(of_temporary(w by_ref));
    let (w, v) = (
        DVector::from_vec(vec![0.6, -0.3]),
        DVector::from_vec(vec![0.2, 0.9, -0.7]),
    );
    check!(regressions(w by_ref, v by_ref));
    let (a, p) = (
        Vector3::new(0.4, -0.9, 1.3),
        DMatrix::from_row_slice(2, 2, &[0.3, 1.2, -0.8, 0.5]),
    );
    check!(assembled(a by_ref, p by_ref));
    let w = array![0.6, -0.3];
    check!(arrays(w by_ref));
    let x = samples();
    let cubed = 3.0 * x.row(1).dot(&w).powi(2);
    judge::assert_near(
        "view",
        &judge::flat(&view::grad(&w, x.row(1))),
        &(&x.row(1) * cubed).to_vec(),
        1e-14,
    );
}
