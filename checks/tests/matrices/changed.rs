//! Methods that change a matrix, and methods that give it another shape.

use std::ops::{AddAssign, DivAssign, MulAssign, SubAssign};

use autodiff::grad;
use nalgebra::{
    DMatrix, DVector, Matrix3, Matrix4, Quaternion, Rotation3, Unit, UnitQuaternion, Vector3,
};
use ndarray::{Array1, Array2, array};

use super::judge;

#[grad(order = 2)]
fn updated(m: &DMatrix<f64>, x: &DVector<f64>, s: f64) -> f64 {
    let mut y = x * s;
    y.axpy(s * s, x, 2.0);
    y.gemv(s, m, x, s);
    let mut k = m * s;
    k.gemm(s, m, m, s * s);
    k.ger(s, x, &y, 0.5);
    y.axpy(1.0, &(m * x), s);
    y.norm_squared() + (k * y).dot(x)
}

#[grad(order = 2)]
fn updated_in_a_loop(m: &Matrix3<f64>, x: &Vector3<f64>, s: f64) -> f64 {
    let mut y = *x;
    for k in 0..3 {
        y.gemv(s, m, x, 0.1 * f64::from(k));
        y.component_mul_assign(x);
        if y[0] > 0.0 {
            y.scale_mut(s);
        }
    }
    y.norm_squared()
}

#[grad(order = 2)]
fn by_entries(x: &DVector<f64>, s: f64) -> f64 {
    let mut y = x * s;
    y.component_div_assign(&x.add_scalar(4.0));
    y.unscale_mut(s * s);
    y.add_scalar_mut(s);
    let mut z = DVector::zeros(3);
    z.copy_from(&y);
    y.fill(s);
    y[1] *= x[0];
    z.component_mul_assign(&y);
    z.norm_squared() + z[2] * y[1]
}

#[grad(order = 2)]
fn rows_and_columns(m: &DMatrix<f64>, x: &DVector<f64>, s: f64) -> f64 {
    let mut k = m * s;
    k.set_row(1, &x.transpose());
    k.set_column(2, &(m * x));
    let a = k.trace() * k.norm_squared();
    k.set_diagonal(x);
    let b = k.norm_squared();
    k.fill_diagonal(s);
    a + b * (k * x).sum()
}

#[grad(order = 2)]
fn reshaped(m: &DMatrix<f64>, x: &DVector<f64>, v: &Vector3<f64>, s: f64) -> f64 {
    let longer = m.clone().insert_row(1, s).insert_column(0, s * s);
    let shorter = longer.clone().remove_row(0).remove_column(3);
    let list = x.clone().insert_row(3, s);
    let point = v.push(s);
    (longer * list).norm_squared() + (shorter * x).norm_squared() + point.norm_squared() * point[3]
}

#[grad(order = 2)]
fn sums_of_rows(m: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let part = m.view((0, 1), (2, 2));
    let sums = m.row_sum().transpose().component_mul(&m.column_mean());
    let means = m.row_mean() * m.column_sum();
    (part * x.rows(0, 2)).norm_squared() + sums.dot(x) + means[0] * m.view((1, 1), (2, 1)).norm()
}

#[grad(order = 2)]
fn arrays(m: &Array2<f64>, a: &Array1<f64>, s: f64) -> f64 {
    let mut b = a * s;
    b.scaled_add(s * s, a);
    let mut n = m.clone();
    n.scaled_add(s, &b);
    let mut k = n.clone();
    k.assign(a);
    let mut c = a.clone();
    c.fill(s);
    (&k * &n).sum() + n.dot(&c).sum() * c.dot(a)
}

#[grad(order = 2)]
fn in_other_shapes(m: &Array2<f64>, s: f64) -> f64 {
    let turned = m.clone().reversed_axes();
    let list = turned.flatten();
    let again = (m * s).into_shape_with_order((3, 2)).unwrap();
    let long = m.to_shape(6).unwrap();
    list.dot(&long)
        + (&again * &turned).sum()
        + again.dot(&m.view()).diag().dot(&array![s, 1.0, 2.0])
}

/// A filter's covariance, changed block by block.
#[grad(order = 2)]
fn by_parts(m: &Matrix3<f64>, x: &Vector3<f64>, s: f64) -> f64 {
    let mut p = Matrix4::<f64>::identity() * s;
    p.fixed_view_mut::<3, 3>(0, 1).add_assign(m * s);
    p.fixed_view_mut::<3, 3>(1, 0).sub_assign(m);
    p.fixed_view_mut::<2, 2>(2, 2).mul_assign(s);
    p.row_mut(1).scale_mut(x.x);
    p.column_mut(2).div_assign(x.y);
    p.rows_mut(0, 1).unscale_mut(s);
    p.fixed_columns_mut::<1>(3)
        .component_mul_assign(&x.push(1.5));
    p.view_mut((3, 0), (1, 2)).fill(x.z);
    let mut upper = p;
    upper.fill_lower_triangle_with_upper_triangle();
    let lower = &mut p;
    lower.fill_upper_triangle_with_lower_triangle();
    (upper * p).trace() * upper[(2, 0)] + p[(0, 3)] * s + upper.norm_squared()
}

#[grad(order = 2)]
fn lines_of_arrays(m: &Array2<f64>, a: &Array1<f64>, s: f64) -> f64 {
    let mut n = m * s;
    n.row_mut(0).mul_assign(s);
    n.row_mut(1).add_assign(&(a * s));
    n.column_mut(2).fill(s * s);
    n.row_mut(0).sub_assign(&(a * s));
    n.column_mut(1).div_assign(s + 2.0);
    let first = &n.row(0) * a;
    n.row_mut(1).assign(&first);
    (&n * m).sum() + n.row(1).dot(a)
}

/// Which row it is, is found out before what is added.
#[grad(order = 2)]
fn in_its_order(m: &Matrix3<f64>, s: f64) -> f64 {
    let mut n = m * s;
    let mut k = 0;
    n.row_mut({
        k += 1;
        k
    })
    .copy_from(&(m.row(k) * s));
    n.fixed_view_mut::<1, 3>(
        {
            k += 1;
            k
        },
        0,
    )
    .copy_from(&(m.row(k - 1) * (s * s)));
    (n * m).trace() + n[(1, 0)] * n[(2, 1)]
}

/// An attitude that is turned in place.
#[grad(order = 2)]
fn attitude(q: &UnitQuaternion<f64>, w: &Vector3<f64>, dt: f64) -> f64 {
    let mut turn = *q;
    let mut frame = Rotation3::new(*w);
    for k in 0..3 {
        turn *= UnitQuaternion::from_scaled_axis(w * dt);
        turn.renormalize_fast();
        if k > 0 {
            frame *= Rotation3::new(w * (dt * 2.0));
        }
    }
    let mut plain = turn.into_inner();
    plain *= Quaternion::new(w.x, 1.0, w.y, dt);
    let v = frame * (turn * Vector3::new(0.4, -0.3, 1.1));
    v.x + v.y * v.z + plain.w * plain.i
}

#[test]
fn what_is_changed_has_its_derivatives() {
    let m = DMatrix::from_fn(3, 3, |i, j| ((i * 3 + j * 2) as f64 * 0.9).cos() + 0.3);
    let x = DVector::from_vec(vec![0.7, -0.4, 1.3]);
    let (s, v) = (0.8, Vector3::new(0.3, -0.5, 0.9));
    let k = Matrix3::from_fn(|i, j| ((i * 2 + j) as f64 * 0.7).sin() + 0.2);
    check!(updated(m by_ref, x by_ref, s by_value));
    check!(updated_in_a_loop(k by_ref, v by_ref, s by_value));
    check!(by_entries(x by_ref, s by_value));
    check!(rows_and_columns(m by_ref, x by_ref, s by_value));
    check!(reshaped(m by_ref, x by_ref, v by_ref, s by_value));
    check!(sums_of_rows(m by_ref, x by_ref));
    let (n, a) = (
        array![[0.3, -0.8, 1.1], [0.6, 0.2, -0.5]],
        array![0.9, -0.3, 0.4],
    );
    check!(arrays(n by_ref, a by_ref, s by_value));
    check!(in_other_shapes(n by_ref, s by_value));
    check!(lines_of_arrays(n by_ref, a by_ref, s by_value));
    check!(by_parts(k by_ref, v by_ref, s by_value));
    check!(in_its_order(k by_ref, s by_value));
    // No unit, so that what makes it one again has slopes.
    let q = Unit::new_unchecked(Quaternion::new(0.9, 0.3, -0.2, 0.4));
    check!(attitude(q by_ref, v by_ref, s by_value));
}
