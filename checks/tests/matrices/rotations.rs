//! Quaternions, rotations and isometries: their derivatives are those of the crate's formulas by the numbers that they are made of.

use autodiff::{Differentiable, Parameters, Tangent, grad};
use nalgebra::{
    Isometry3, IsometryMatrix2, IsometryMatrix3, Matrix2, Matrix3, Point2, Point3, Quaternion,
    Rotation2, Rotation3, Translation2, Translation3, Unit, UnitQuaternion, UnitVector3, Vector2,
    Vector3, Vector4,
};

use super::judge;

#[grad(order = 2)]
fn turned(q: &UnitQuaternion<f64>, v: &Vector3<f64>, p: &Point3<f64>) -> f64 {
    let w = q * v;
    let r = q * p;
    let back = q.inverse() * w;
    w.dot(&r.coords) + back.x * w.y + q.transform_vector(v).z * q.transform_point(p).x + q.i * w.x
}

#[grad(order = 2)]
fn composed(q: &UnitQuaternion<f64>, r: &UnitQuaternion<f64>, v: &Vector3<f64>) -> f64 {
    let both = q * r.inverse() * q;
    let m = both.to_rotation_matrix().into_inner();
    (m * v).dot(&(both.conjugate() * v)) + m.trace() + both.w
}

#[grad(order = 2)]
fn by_matrix(a: &Rotation3<f64>, b: &Rotation3<f64>, v: &Vector3<f64>) -> f64 {
    let w = a * (b.inverse() * v);
    let p: Point3<f64> = (a * b) * Point3::from(*v);
    w.dot(&p.coords) + a.transpose().transform_vector(v).x * w.z
}

#[grad(order = 2)]
fn in_the_plane(a: &Rotation2<f64>, m: &IsometryMatrix2<f64>, v: &Vector2<f64>) -> f64 {
    let w = a * v;
    let p = m * Point2::from(w);
    w.x * w.y + m.translation.vector.dot(&p.coords)
}

#[grad(order = 2)]
fn seen(t: &Isometry3<f64>, x: &Point3<f64>, v: &Vector3<f64>) -> f64 {
    let pc = t.rotation * x.coords + t.translation.vector;
    let qc = t.transform_point(x);
    let direction = t * v;
    let at = t.inverse() * x;
    pc.x / (2.0 + pc.z * pc.z)
        + qc.y * direction.x
        + (at.coords + t.inverse().transform_vector(v)).norm_squared()
        + t.translation.x
}

/// What a rotation or an isometry does, undone.
#[grad(order = 2)]
fn turned_back(q: &UnitQuaternion<f64>, v: &Vector3<f64>, p: &Point3<f64>) -> f64 {
    let w = q.inverse_transform_vector(&(v * 2.0)).normalize();
    q.inverse_transform_point(p).coords.dot(&w) * v.x + q.inverse_transform_vector(v)[2]
}

#[grad(order = 2)]
fn turned_back_by_matrix(a: &Rotation3<f64>, v: &Vector3<f64>, p: &Point3<f64>) -> f64 {
    a.inverse_transform_vector(v)
        .dot(&a.inverse_transform_point(p).coords)
        * p.z
}

#[grad(order = 2)]
fn moved_back(t: &IsometryMatrix3<f64>, v: &Vector3<f64>, p: &Point3<f64>) -> f64 {
    t.inverse_transform_vector(v)
        .dot(&t.inverse_transform_point(p).coords)
        * v.z
}

#[grad(order = 2)]
fn by_its_matrix(t: &Isometry3<f64>, s: &IsometryMatrix3<f64>, v: &Vector3<f64>) -> f64 {
    let at = Vector3::from(t.to_matrix().fixed_view::<3, 1>(0, 3));
    at.dot(v) * (s.to_matrix() * t.to_matrix()).norm_squared() + Vector3::from(v * 2.0).x
}

#[grad(order = 2)]
fn moved_back_in_the_plane(t: &IsometryMatrix2<f64>, v: &Vector2<f64>) -> f64 {
    let p = t.inverse_transform_point(&Point2::from(*v));
    p.x * t.inverse_transform_vector(v).y + p.y
}

#[derive(Clone, Debug, Differentiable)]
struct Camera {
    pose: Isometry3<f64>,
    up: UnitVector3<f64>,
    turn: Rotation3<f64>,
    focal: f64,
}

#[grad(order = 2)]
fn projected(camera: &Camera, x: &Point3<f64>) -> f64 {
    let p = camera.pose * (camera.turn * x);
    camera.focal * p.x / (4.0 + p.z) + p.coords.dot(&camera.up.into_inner()) * p.y
}

#[grad(order = 2)]
fn chained(s: &Isometry3<f64>, t: &Isometry3<f64>, x: &Point3<f64>) -> f64 {
    let both = s * t.inverse() * s;
    let y = both * x;
    y.coords.norm_squared() + both.translation.vector.x * both.rotation.w
}

#[grad(order = 2)]
fn chained_by_matrix(s: &IsometryMatrix3<f64>, t: &IsometryMatrix3<f64>, x: &Point3<f64>) -> f64 {
    let y = (s * t.inverse()) * x;
    y.coords.norm_squared() + y.x
}

#[grad(order = 2)]
fn rate(q: &Quaternion<f64>, omega: &Vector3<f64>) -> f64 {
    let o = Quaternion::new(0.0, omega.x, omega.y, omega.z);
    let d = (q * o) * 0.5 + *q - o;
    d.coords.norm_squared() + d.w * d.i
}

#[grad(order = 2)]
fn along(n: &UnitVector3<f64>, v: &Vector3<f64>) -> f64 {
    n.dot(v) * v.norm() + n.x * v.y + n.into_inner().cross(v).z
}

/// Puts a function of what no optimizer may move to the checks: by the numbers that its arguments are made of.
macro_rules! by_entries {
    ($f:ident($($x:ident: $make:expr),*)) => {{
        use autodiff::{Differentiable, Tangent};
        let mut at: Vec<f64> = Vec::new();
        let mut ends = Vec::new();
        $(
            let start = at.len();
            let count = $x.zero_tangent().scalar_count();
            at.resize(start + count, 0.0);
            Differentiable::write_flat(&$x, &mut at[start..]);
            ends.push((start, at.len()));
        )*
        let value = |flat: &[f64]| {
            let mut ends = ends.iter();
            $(let $x = { let (a, b) = ends.next().unwrap(); $make(&flat[*a..*b]) };)*
            $f($(&$x),*)
        };
        let gradient = |flat: &[f64]| {
            let mut ends = ends.iter();
            $(let $x = { let (a, b) = ends.next().unwrap(); $make(&flat[*a..*b]) };)*
            judge::flat(&$f::grad($(&$x),*))
        };
        let name = stringify!($f);
        let ours = gradient(&at);
        judge::assert_near(name, &ours, &judge::differences(&at, |at| vec![value(at)]), 1e-8);
        let second = judge::differences(&at, &gradient);
        judge::assert_near(name, $f::hessian($(&$x),*).as_slice(), &second, 1e-7);
    }};
}

fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(x)
}

fn point(x: &[f64]) -> Point3<f64> {
    Point3::from(vector(x))
}

fn quaternion(x: &[f64]) -> Quaternion<f64> {
    Quaternion::from(Vector4::from_column_slice(x))
}

fn unit(x: &[f64]) -> UnitQuaternion<f64> {
    Unit::new_unchecked(quaternion(x))
}

fn rotation(x: &[f64]) -> Rotation3<f64> {
    Rotation3::from_matrix_unchecked(Matrix3::from_column_slice(x))
}

fn isometry(x: &[f64]) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(vector(&x[4..])), unit(&x[..4]))
}

fn with_matrix(x: &[f64]) -> IsometryMatrix3<f64> {
    IsometryMatrix3::from_parts(Translation3::from(vector(&x[9..])), rotation(&x[..9]))
}

fn in_plane(x: &[f64]) -> Rotation2<f64> {
    Rotation2::from_matrix_unchecked(Matrix2::from_column_slice(x))
}

fn moved_in_plane(x: &[f64]) -> IsometryMatrix2<f64> {
    IsometryMatrix2::from_parts(Translation2::new(x[4], x[5]), in_plane(&x[..4]))
}

#[test]
fn rotations_have_the_derivatives_of_their_entries() {
    let (q, r) = (
        UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1),
        UnitQuaternion::from_euler_angles(-0.9, 0.2, 0.5),
    );
    let (v, p) = (Vector3::new(0.5, -0.8, 1.3), Point3::new(1.0, -2.0, 3.0));
    by_entries!(turned(q: unit, v: vector, p: point));
    by_entries!(composed(q: unit, r: unit, v: vector));
    let (a, b) = (q.to_rotation_matrix(), r.to_rotation_matrix());
    by_entries!(by_matrix(a: rotation, b: rotation, v: vector));
    let (s, t) = (
        Isometry3::from_parts(Translation3::new(0.4, 1.2, -0.3), q),
        Isometry3::from_parts(Translation3::new(-1.0, 0.1, 0.7), r),
    );
    by_entries!(seen(t: isometry, p: point, v: vector));
    by_entries!(chained(s: isometry, t: isometry, p: point));
    let (c, w) = (Rotation2::new(0.4), Vector2::new(0.3, -1.2));
    let m = IsometryMatrix2::from_parts(Translation2::new(1.0, 2.0), Rotation2::new(-0.9));
    by_entries!(in_the_plane(c: in_plane, m: moved_in_plane, w: Vector2::from_column_slice));
    let u = t;
    let (s, t) = (
        IsometryMatrix3::from_parts(s.translation, a),
        IsometryMatrix3::from_parts(t.translation, b),
    );
    by_entries!(turned_back(q: unit, v: vector, p: point));
    by_entries!(turned_back_by_matrix(a: rotation, v: vector, p: point));
    by_entries!(by_its_matrix(u: isometry, t: with_matrix, v: vector));
    by_entries!(moved_back(t: with_matrix, v: vector, p: point));
    by_entries!(moved_back_in_the_plane(m: moved_in_plane, w: Vector2::from_column_slice));
    by_entries!(chained_by_matrix(s: with_matrix, t: with_matrix, p: point));
    let d = q.into_inner() * 1.7;
    by_entries!(rate(d: quaternion, v: vector));
    let n = Unit::new_normalize(v);
    by_entries!(along(n: |x| Unit::new_unchecked(vector(x)), v: vector));
}

#[test]
fn the_tangent_of_an_isometry_has_a_rotation_and_a_translation() {
    let t = Isometry3::from_parts(
        Translation3::new(0.4, 1.2, -0.3),
        UnitQuaternion::from_euler_angles(0.3, -0.7, 1.1),
    );
    let (x, v) = (Point3::origin(), Vector3::zeros());
    let g = seen::grad(&t, &x, &v).0;
    assert_eq!(g.rotation.coords.len(), 4);
    assert_eq!(g.translation.len(), 3);
}

/// Whatever turns is a field of a struct as well: its entries are parameters.
#[test]
fn what_turns_is_a_field_of_a_struct() {
    let turn = UnitQuaternion::from_euler_angles(0.3, -0.2, 0.5);
    let camera = Camera {
        pose: Isometry3::from_parts(Translation3::new(0.2, -0.4, 0.9), turn),
        up: UnitVector3::new_normalize(Vector3::new(0.3, 1.0, -0.2)),
        turn: Rotation3::from_euler_angles(-0.1, 0.4, 0.2),
        focal: 1.7,
    };
    let x = Point3::new(0.5, -0.8, 1.3);
    let (slope, _) = projected::grad(&camera, &x);
    let mut entries = vec![0.0; slope.scalar_count()];
    assert_eq!(entries.len(), 4 + 3 + 3 + 9 + 1);
    camera.write_flat(&mut entries);
    let mut expected = vec![0.0; entries.len()];
    Tangent::write_flat(&slope, &mut expected);
    for (k, expected) in expected.into_iter().enumerate() {
        let at = |h: f64| {
            let (mut moved, mut entries) = (camera.clone(), entries.clone());
            entries[k] += h;
            moved.read_flat(&entries);
            projected(&moved, &x)
        };
        let found = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((found - expected).abs() < 1e-8, "{k}: {found} {expected}");
    }
    let mut stepped = camera.clone();
    stepped.move_by(1e-6, &slope);
    let rise = projected(&stepped, &x) - projected(&camera, &x);
    assert!((rise / 1e-6 - slope.inner(&slope)).abs() < 1e-3);
    let (_, (_, along)) = projected::hvp(&camera, &x, (&slope, &Vector3::zeros()));
    let slope_at = |h: f64| {
        let mut moved = camera.clone();
        moved.move_by(h, &slope);
        projected::grad(&moved, &x).1
    };
    let found = (slope_at(1e-5) - slope_at(-1e-5)) / 2e-5;
    assert!((found - along).norm() < 1e-6, "{found} {along}");
}

#[grad(order = 2)]
fn homogeneous(a: f64, v: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    let m = Translation3::new(v.x, v.y, a).to_homogeneous()
        * Rotation3::from_scaled_axis(*w).to_homogeneous()
        * UnitQuaternion::from_scaled_axis(*v).to_homogeneous()
        * Isometry3::new(*v, *w).to_homogeneous()
        * nalgebra::IsometryMatrix3::new(*w, *v).to_homogeneous();
    let n = nalgebra::Rotation2::new(a).to_homogeneous()
        * nalgebra::Translation2::new(a, v.x).to_homogeneous()
        * nalgebra::IsometryMatrix2::new(v.xy(), v.x).to_homogeneous();
    m.component_mul(&m).row(0).sum() + m[(1, 3)] * m[(2, 0)] + n[(0, 2)] * n[(1, 0)]
}

#[test]
fn motions_are_matrices() {
    let (a, v, w) = (
        0.3,
        Vector3::new(0.3, -0.2, 0.4),
        Vector3::new(-0.5, 0.2, 0.1),
    );
    check!(homogeneous(a by_value, v by_ref, w by_ref));
}

/// Quaternions by their parts, lengths and directions.
#[grad(order = 2)]
fn parts_of_quaternions(a: f64, v: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    let q = Quaternion::from_parts(a, *v) * Quaternion::from_imag(*w);
    let r = UnitQuaternion::from_quaternion(q);
    let turned = r.vector().dot(w) * r.scalar() + r.imag().cross(v).norm();
    let u = (q.conjugate() + Quaternion::new(0.1, a, 0.3, 0.4)).normalize();
    turned * q.norm() + q.norm_squared() * u.w + q.magnitude() * u.magnitude_squared() * u.imag().x
}

#[test]
fn quaternions_have_parts() {
    let (v, w) = (Vector3::new(0.3, -0.2, 0.4), Vector3::new(-0.5, 0.2, 0.1));
    let a = 0.3;
    check!(parts_of_quaternions(a by_value, v by_ref, w by_ref));
}

#[grad(order = 2)]
fn crossed(a: f64, v: &Vector3<f64>, w: &Vector3<f64>) -> f64 {
    let c = v.cross_matrix() * w.cross_matrix() * a;
    v.xy().perp(&w.xy()) * c.trace() + c[(0, 1)] * c[(2, 0)]
}

#[test]
fn products_that_cross() {
    let (v, w) = (Vector3::new(0.3, -0.2, 0.4), Vector3::new(-0.5, 0.2, 0.1));
    let a = 0.7;
    check!(crossed(a by_value, v by_ref, w by_ref));
}
