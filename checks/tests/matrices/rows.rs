//! Every operation of the table.

use autodiff::grad;
use nalgebra::{
    DMatrix, DVector, Matrix2, Matrix2x3, Matrix3, Matrix3x2, Matrix4, RowVector2, RowVector3,
    SMatrix, SVector, Vector2, Vector3, Vector4, Vector6, dmatrix, dvector, matrix, vector,
};

use super::judge;

#[grad(order = 2)]
fn sums(a: &Vector3<f64>, b: Vector3<f64>) -> f64 {
    let c = a + b - a * 0.5 - (-b);
    let mut d = c + a;
    d += b;
    d -= a * 3.0;
    d.dot(&c) * d.x
}

#[grad(order = 2)]
fn scaled(a: &Vector3<f64>, s: f64, t: f64) -> f64 {
    let b = a * s;
    let c = t * b / s;
    let mut d = c * (s * t);
    d *= t;
    d /= s + 2.0;
    d.norm_squared() + b.x * c.y
}

#[grad(order = 2)]
fn products(m: &Matrix3<f64>, n: &Matrix2x3<f64>, v: &Vector3<f64>) -> f64 {
    let p = n * (m * v);
    let mut q = m * m;
    q *= m;
    p.norm_squared() + (n * q * n.transpose()).trace() * p.x
}

#[grad(order = 2)]
fn dynamic_products(m: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    let w = m * v;
    let k = m * m.transpose();
    w.dot(&(&k * &w)) + k.trace()
}

#[grad(order = 2)]
fn norms(a: &Vector3<f64>, b: &DVector<f64>) -> f64 {
    a.norm() * b.norm_squared() + b.norm() * a.sum() + a.mean() * b.mean()
}

#[grad(order = 2)]
fn directions(a: &Vector3<f64>, b: Vector3<f64>) -> f64 {
    let u = a.normalize();
    u.cross(&b).dot(&b.normalize().cross(a)) + u.x * b.y
}

#[grad(order = 2)]
fn entrywise(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let p = a.component_mul(b);
    let q = p.component_div(&(a + b * 2.0));
    q.norm_squared() + q.x * p.z
}

#[grad(order = 2)]
fn between(a: &Vector3<f64>, b: &Vector3<f64>, t: f64) -> f64 {
    let p = a.lerp(b, t * t);
    p.scale(t).norm_squared() + p.add_scalar(t).sum() * p.y
}

#[grad(order = 2)]
fn determinant_2(m: &Matrix2<f64>) -> f64 {
    m.determinant() * m.determinant() * m[(0, 1)]
}

#[grad(order = 2)]
fn determinant_3(m: &Matrix3<f64>) -> f64 {
    let d = m.determinant();
    d * d + m.trace()
}

#[grad(order = 2)]
fn determinant_4(m: &Matrix4<f64>) -> f64 {
    m.determinant().powi(2)
}

#[grad(order = 2)]
fn determinant_of_any_size(m: &DMatrix<f64>) -> f64 {
    m.determinant().powi(2)
}

#[grad(order = 2)]
fn inverse(m: &Matrix3<f64>, v: &Vector3<f64>) -> f64 {
    let inverse = m.try_inverse().unwrap();
    v.dot(&(inverse * v)) + inverse[(0, 2)]
}

#[grad(order = 2)]
fn inverse_if_any(m: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    if let Some(inverse) = m.clone().try_inverse() {
        (inverse * v).norm_squared()
    } else {
        0.0
    }
}

#[grad(order = 2)]
fn elements(v: &Vector3<f64>, m: &Matrix3<f64>) -> f64 {
    let mut w = *v;
    w[0] = v.x * v[1];
    w.y += m[(0, 1)] * w[0];
    w.z *= w.y;
    let mut k = *m;
    k[(1, 2)] = w.z * m[(2, 2)];
    k[(0, 0)] += k[(1, 2)] * w[2];
    k[3] *= 2.0;
    k[(0, 0)] * k[(0, 1)] + w.norm()
}

#[grad(order = 2)]
fn dynamic_elements(v: &DVector<f64>) -> f64 {
    let n = v.len();
    let mut m = DMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            m[(i, j)] = v[i] * v[j] + v[i];
        }
    }
    let mut sum = 0.0;
    for i in 0..m.nrows() {
        for j in 0..m.ncols() {
            sum += m[(i, j)] * m[(j, i)];
        }
    }
    (&m * v).norm() + sum
}

#[grad(order = 2)]
fn parts(m: &Matrix3<f64>, n: &DMatrix<f64>) -> f64 {
    let r = m.row(1);
    let c = m.column(2);
    let d = n.column(0);
    let e = n.row(1);
    (r * c).trace() * d.dot(&d) + e.norm_squared() * c.dot(&m.column(0))
}

#[grad(order = 2)]
fn iterated(v: &DVector<f64>, w: &DVector<f64>) -> f64 {
    let squares: f64 = v.iter().map(|x| x * x * x).sum();
    let products = v.iter().zip(w.iter()).map(|(a, b)| a * b).sum::<f64>();
    let mut sum = 0.0;
    for x in w.iter() {
        sum += x.sin();
    }
    squares * products + sum
}

#[grad(order = 2)]
fn vectors(x: f64, y: f64) -> f64 {
    let a = Vector2::new(x, y * x);
    let b = Vector3::new(a.y, x, 1.0);
    let c = Vector4::new(x, b.norm(), y, 2.0);
    let d = Vector6::new(x, y, x * y, 1.0, c.norm(), x);
    let e = RowVector3::new(x, y, x) * b;
    a.norm_squared() * d.norm() + e[0] + (RowVector2::new(y, x) * a)[(0, 0)]
}

#[grad(order = 2)]
fn matrices(x: f64, y: f64) -> f64 {
    let a = Matrix2::new(x, -y, y, x * x);
    let b = Matrix3::new(x, y, 0.0, y, x * y, 1.0, 0.0, x, 2.0);
    let c = Matrix2x3::new(x, y, 1.0, 0.0, x, y * y);
    let d = Matrix3x2::new(1.0, x, y, x, y, 2.0);
    let e = Matrix4::new(
        x,
        0.0,
        0.0,
        y,
        0.0,
        y,
        1.0,
        0.0,
        x,
        x,
        2.0,
        0.0,
        1.0,
        0.0,
        0.0,
        x * y,
    );
    (a * c * b * d).trace() + e.determinant()
}

#[grad(order = 2)]
fn of_lists(x: f64, y: f64) -> f64 {
    let a = Vector3::from_row_slice(&[x, y, x * y]);
    let b = Matrix2x3::from_row_slice(&[x, 1.0, y, x * x, y, 2.0]);
    let c = DVector::from_column_slice(&[x, y]);
    let d = DVector::from_vec(vec![x, y * y, 1.0]);
    let e = DMatrix::from_row_slice(2, 3, &[x, y, 1.0, y, x, 3.0]);
    let f = DMatrix::from_vec(3, 2, vec![x, y, 1.0, y, x * x, 3.0]);
    let g = SMatrix::<f64, 2, 2>::from_column_slice(&[x, 2.0, y, x]);
    (b * a).norm_squared() + c.dot(&(&e * d)) + (f * c).sum() + g.determinant()
}

#[grad(order = 2)]
fn of_one_number(x: f64) -> f64 {
    let a = Vector3::from_element(x);
    let b = DVector::from_element(3, x * x);
    let c = DMatrix::from_element(3, 3, x);
    let d = Matrix3::from_diagonal_element(x);
    let e = Vector3::repeat(x * 2.0);
    a.norm_squared() + (c * b).sum() + (d * e).norm_squared()
}

#[grad(order = 2)]
fn of_parts(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    let m = Matrix3::from_columns(&[*a, *b, a.cross(b)]);
    let n = Matrix3::from_diagonal(a);
    let k = Matrix3::from_rows(&[a.transpose(), b.transpose(), a.transpose() * 2.0]);
    m.determinant() + (n * k * m).trace()
}

#[grad(order = 2)]
fn constants(x: f64) -> f64 {
    let m = Matrix3::identity() * x + Matrix3::zeros();
    let v = Vector3::x() * x + Vector3::y() * (x * x);
    (m * v).norm()
}

#[grad(order = 2)]
fn of_any_length<const N: usize>(v: &SVector<f64, N>) -> f64 {
    v.dot(v) * v.norm()
}

#[grad(order = 2)]
fn by_path(v: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    Vector3::norm(v) * Vector3::dot(v, w)
}

#[grad(order = 2)]
fn extremes(m: &Matrix3<f64>, v: &DVector<f64>) -> f64 {
    m.max() * v.min() + m.min() * m.max()
}

#[grad(order = 2)]
fn more_parts(m: &Matrix3<f64>, v: &Vector3<f64>, w: &Vector4<f64>) -> f64 {
    let d = m.diagonal();
    let top = m.rows(0, 2);
    let left = m.columns(1, 2);
    d.dot(v) * v.xy().norm() + w.xyz().dot(&d) + (top * left).norm_squared()
}

#[grad(order = 2)]
fn by_macros(x: f64, y: f64) -> f64 {
    let v = nalgebra::vector![x, y * x, 1.0];
    let m = matrix![x, 2.0, y; 1.0, x * x, y];
    let c = vector![1.0, 2.0];
    (m * v).dot(&c) + v.norm()
}

/// Of a size that is known when the program runs.
#[grad(order = 2)]
fn by_macros_of_any_size(x: f64, y: f64) -> f64 {
    let v = nalgebra::dvector![x, y * x, 1.0];
    let m = dmatrix![x, 2.0, y; 1.0, x * x, y];
    let c = dvector![1.0, 2.0];
    (m * v).dot(&c) + c.norm()
}

/// Matrices of sizes that have no short names.
#[grad(order = 2)]
fn of_many_sizes(x: f64, y: f64) -> f64 {
    let one = SMatrix::<f64, 1, 1>::new(x * y);
    let tall = SMatrix::<f64, 4, 2>::new(x, 0.0, y, x, x * y, 1.0, 0.0, y);
    let wide = SMatrix::<f64, 2, 5>::new(1.0, x, 2.0, y, 3.0, y, x, 0.5, x, y);
    let six = nalgebra::RowVector6::new(x, y, 1.0, x, y, 2.0);
    (tall * wide).norm_squared() * one[(0, 0)] + six.norm() + tall[(3, 1)] * wide[(1, 4)]
}

#[grad(order = 2)]
fn mapped(v: &DVector<f64>, k: f64) -> f64 {
    let w = v.map(|x| (x * k).sin());
    w.norm() + v.map(|x| x * x).sum() * k
}

/// A matrix and a number of one type parameter.
#[grad(order = 2)]
fn scaled_by_any_number<T: nalgebra::RealField>(v: &DVector<T>, m: &Matrix2<T>, k: T) -> T {
    let u = v / k.clone() * (k.clone() + T::one());
    let mut n = m * k.clone();
    n /= k.clone() + T::one();
    n *= k.clone();
    u.norm_squared() * n.norm() + u[0].clone() * k
}

#[derive(Clone, Debug, autodiff::Differentiable)]
struct Body<T: nalgebra::RealField + Copy> {
    velocity: Vector3<T>,
    mass: T,
}

#[grad(order = 2)]
impl<T: nalgebra::RealField + Copy> Body<T> {
    fn energy(&self, by: &Matrix3<T>) -> T {
        self.velocity.dot(&(by * self.velocity)) * self.mass
    }
}

/// A type of matrices of any number.
#[grad(order = 2)]
fn of_a_body(velocity: Vector3<f64>, by: &Matrix3<f64>, mass: f64) -> f64 {
    Body { velocity, mass }.energy(by)
}

/// Of two matrices entry by entry, of views and of what is made there.
#[grad(order = 2)]
fn zipped(m: &Matrix3<f64>, v: &DVector<f64>, k: f64) -> f64 {
    let p = m.zip_map(&m.transpose(), |a, b| a * b.sin() * k);
    let w = v.zip_map(&(v * k), |a, b| (a - b).tanh() + a * k);
    p.norm_squared() + w.zip_map(v, |a, b| a / (2.0 + b * b)).sum() * m[(0, 1)]
}

#[grad(order = 2)]
fn filled(v: &DVector<f64>, k: f64) -> f64 {
    let a = DVector::from_fn(3, |i, _| v[i] * k);
    let b = Matrix3::from_fn(|i, j| v[i] * v[j] + k * (i + 2 * j) as f64);
    let c = DMatrix::from_fn(2, 3, |i, j| v[j] * k + i as f64);
    a.norm() + b.determinant() + (c * a).norm()
}

#[test]
fn every_row_has_its_derivatives() {
    let a = Vector3::new(1.0, -2.0, 3.0);
    let b = Vector3::new(0.3, 0.7, -1.1);
    let (s, t) = (1.7, 0.6);
    let m = Matrix3::new(1.0, 2.0, 0.5, -1.0, 0.3, 0.8, 2.0, -0.7, 1.5);
    let n = Matrix2x3::new(0.4, -0.3, 1.2, 0.7, 0.9, -0.5);
    let two = Matrix2::new(1.2, 0.3, -0.8, 0.9);
    let four =
        Matrix4::from_fn(|i, j| ((i * 5 + j * 3) as f64).sin() + if i == j { 1.5 } else { 0.0 });
    let d = DVector::from_vec(vec![1.0, 2.0, -0.5]);
    let e = DVector::from_vec(vec![0.4, -2.0, 1.5]);
    let k = DMatrix::from_fn(3, 3, |i, j| {
        ((i * 2 + j) as f64 * 0.9).cos() + if i == j { 1.0 } else { 0.0 }
    });
    let five = DMatrix::from_fn(5, 5, |i, j| {
        ((i * 4 + j) as f64 * 0.7).cos() + if i == j { 2.0 } else { 0.0 }
    });
    let fixed = SVector::<f64, 5>::from_fn(|i, _| i as f64 * 0.5 + 0.3);
    check!(sums(a by_ref, b by_value));
    check!(scaled(a by_ref, s by_value, t by_value));
    check!(products(m by_ref, n by_ref, a by_ref));
    check!(dynamic_products(k by_ref, d by_ref));
    check!(norms(a by_ref, d by_ref));
    check!(directions(a by_ref, b by_value));
    check!(entrywise(a by_ref, b by_ref));
    check!(between(a by_ref, b by_ref, t by_value));
    check!(determinant_2(two by_ref));
    check!(determinant_3(m by_ref));
    check!(determinant_4(four by_ref));
    check!(determinant_of_any_size(five by_ref));
    check!(inverse(m by_ref, a by_ref));
    check!(inverse_if_any(k by_ref, d by_ref));
    check!(elements(a by_ref, m by_ref));
    check!(dynamic_elements(d by_ref));
    check!(parts(m by_ref, k by_ref));
    check!(iterated(d by_ref, e by_ref));
    check!(vectors(s by_value, t by_value));
    check!(matrices(s by_value, t by_value));
    check!(of_lists(s by_value, t by_value));
    check!(of_one_number(s by_value));
    check!(of_parts(a by_ref, b by_ref));
    check!(constants(s by_value));
    check!(of_any_length(fixed by_ref));
    check!(by_path(a by_ref, b by_ref));
    let alone =
        m - Matrix3::identity().scale(0.1) + Matrix3::from_fn(|i, j| 0.01 * (i * 3 + j) as f64);
    check!(extremes(alone by_ref, d by_ref));
    let w = Vector4::new(0.3, -0.2, 0.9, 1.4);
    check!(more_parts(m by_ref, a by_ref, w by_ref));
    check!(by_macros(s by_value, t by_value));
    check!(by_macros_of_any_size(s by_value, t by_value));
    check!(of_many_sizes(s by_value, t by_value));
    check!(scaled_by_any_number(d by_ref, two by_ref, s by_value));
    check!(mapped(d by_ref, t by_value));
    check!(of_a_body(a by_value, m by_ref, s by_value));
    check!(zipped(m by_ref, d by_ref, s by_value));
    check!(filled(d by_ref, t by_value));
}

#[test]
fn a_determinant_has_cofactors_where_there_is_no_inverse() {
    // Of rank two: the cofactors are those of a matrix of rank one.
    let m = Matrix3::new(1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.5, -1.0, 2.0);
    check!(determinant_3(m by_ref));
    let mut five = DMatrix::from_fn(5, 5, |i, j| {
        ((i * 4 + j) as f64 * 0.7).cos() + if i == j { 2.0 } else { 0.0 }
    });
    five.set_row(2, &(five.row(0) + five.row(4)));
    check!(determinant_of_any_size(five by_ref));
    let mut four = Matrix4::from_fn(|i, j| ((i * 5 + j * 3) as f64).sin());
    four.set_column(1, &four.column(2).clone_owned());
    check!(determinant_4(four by_ref));
}

#[test]
fn the_norm_of_zero_has_slope_zero_as_that_of_an_array_has() {
    let zero = Vector3::zeros();
    let (ga, _) = norms::grad(&zero, &DVector::from_element(2, 1.0));
    assert_eq!(ga, Vector3::repeat(2.0_f64.sqrt() + 1.0 / 3.0));
}

#[grad]
fn doubled(v: &Vector3<f64>) -> Vector3<f64> {
    v * 2.0
}

#[grad]
fn made(x: f64) -> Vector3<f64> {
    Vector3::new(x, x * x, 1.0)
}

#[grad]
fn scale_entries(v: &mut DVector<f64>, s: f64) {
    for i in 0..v.len() {
        v[i] *= s;
    }
}

#[grad]
fn scale_whole(v: &mut Vector3<f64>, s: f64) {
    *v *= s;
}

#[grad]
fn scale_matrix(m: &mut DMatrix<f64>, s: f64) {
    for i in 0..m.nrows() {
        for j in 0..m.ncols() {
            m[(i, j)] *= s;
        }
    }
}

#[grad]
fn several(v: Vector3<f64>) -> (f64, Vector3<f64>) {
    (v.norm(), v * v.x)
}

#[grad]
fn perhaps(x: f64) -> Option<Vector3<f64>> {
    if x > 0.0 {
        Some(Vector3::new(x, x, x))
    } else {
        None
    }
}

#[grad]
fn single(x: &Vector3<f32>) -> f32 {
    x.scale(2.0).norm() * x[0]
}

#[test]
fn results_and_memory_are_matrices() {
    let (a, b) = (Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.3, 0.7, -1.1));
    let (d, e) = (
        DVector::from_vec(vec![1.0, 2.0]),
        DVector::from_vec(vec![0.4, -2.0]),
    );
    assert_eq!(doubled::vjp(&a, b), (a * 2.0, b * 2.0));
    assert_eq!(
        made::jvp(3.0, 1.0),
        (Vector3::new(3.0, 9.0, 1.0), Vector3::new(1.0, 6.0, 0.0))
    );
    assert_eq!(made::jacobian(3.0).as_slice(), [1.0, 6.0, 0.0]);
    let (mut u, mut bar) = (d.clone(), e.clone());
    let s = scale_entries::vjp(&mut u, 2.0, &mut bar);
    assert_eq!((u, bar, s), (&d * 2.0, &e * 2.0, d.dot(&e)));
    let (mut u, mut bar) = (a, b);
    let s = scale_whole::vjp(&mut u, 2.0, &mut bar);
    assert_eq!((u, bar, s), (a * 2.0, b * 2.0, a.dot(&b)));
    let m = DMatrix::from_fn(2, 3, |i, j| (i + 2 * j) as f64);
    let (mut u, mut bar) = (m.clone(), m.clone());
    let s = scale_matrix::vjp(&mut u, 2.0, &mut bar);
    assert_eq!((u, bar, s), (&m * 2.0, &m * 2.0, m.dot(&m)));
    let ((n, w), g) = several::vjp(a, (1.0, b));
    assert_eq!((n, w), (a.norm(), a * a.x));
    let expected = a / a.norm() + b * a.x + Vector3::new(a.dot(&b), 0.0, 0.0);
    assert!((g - expected).norm() < 1e-14);
    let (y, dy) = perhaps::jvp(2.0, 1.0);
    assert_eq!(
        (y, dy),
        (Some(Vector3::repeat(2.0)), Some(Vector3::repeat(1.0)))
    );
    let x = Vector3::new(1.0_f32, 2.0, 2.0);
    assert_eq!(
        single::grad(&x),
        Vector3::new(6.0 + 2.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0)
    );
}
