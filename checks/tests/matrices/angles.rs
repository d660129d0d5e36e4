//! Rotations and isometries made of angles and axes.

use autodiff::grad;
use nalgebra::{
    Isometry3, IsometryMatrix2, IsometryMatrix3, Matrix3, Matrix3x2, Point2, Point3, Quaternion,
    Rotation2, Rotation3, Translation2, Translation3, Unit, UnitQuaternion, Vector2, Vector3,
    Vector4,
};

use super::judge;

/// Where an arm with three joints ends.
#[grad(order = 2)]
fn arm(a: f64, b: f64, c: f64, length: f64) -> f64 {
    let base = Rotation3::from_axis_angle(&Vector3::z_axis(), a);
    let elbow = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), b);
    let wrist = Rotation3::from_euler_angles(c, 0.3 * a, b * c);
    let hand = wrist * Vector3::new(length, 0.2 * length, 1.0);
    let p = base * (elbow * hand + Vector3::new(0.0, 0.0, length));
    p.x + 2.0 * p.y * p.z
}

#[grad(order = 2)]
fn about_axes(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let axis = Unit::new_normalize(Vector3::new(a, b, 1.0));
    let turns = UnitQuaternion::from_axis_angle(&axis, c)
        * UnitQuaternion::from_scaled_axis(Vector3::new(a * c, b, d))
        * UnitQuaternion::new(Vector3::new(0.1 * a, b * c, d))
        * UnitQuaternion::from_euler_angles(a, b, d)
        * UnitQuaternion::from_quaternion(Quaternion::new(1.0, a, b, c));
    let r = Rotation3::new(Vector3::new(d, a, b * b))
        * Rotation3::from_scaled_axis(Vector3::new(b, c, a))
        * Rotation3::from_axis_angle(&axis, a * d);
    let y = turns * (r * Vector3::new(1.0, 0.5, -0.3));
    y.x + y.y * y.z
}

#[grad(order = 2)]
fn units(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let flat = Unit::new_normalize(Vector2::new(a, 2.0 + b));
    let long = Unit::new_normalize(Vector4::new(a, b, c * d, 1.5));
    let q = Unit::new_normalize(Quaternion::new(2.0, c, d, a * b));
    let given = Unit::new_unchecked(Vector3::new(0.6 * a, 0.8, b));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(a, b, c, d));
    flat.x * long.w
        + (q * Vector3::new(b, 1.0, a)).dot(&Vector3::new(1.0, c, flat.y))
        + given.dot(&(turn * Vector3::new(a, b, 1.0)))
}

#[grad(order = 2)]
fn isometries(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let first = Isometry3::new(Vector3::new(a, b, c), Vector3::new(d, a, 0.2));
    let turn = UnitQuaternion::from_euler_angles(c, d, 0.1);
    let second = Isometry3::from_parts(Translation3::new(b, 1.0, a * a), turn);
    let p = first * (second * Point3::new(a, 1.0, d));
    let by_matrix = IsometryMatrix3::new(Vector3::new(b, a, 0.3), Vector3::new(c, 0.1, d));
    let turn = Rotation3::from_euler_angles(c, d, b);
    let last = IsometryMatrix3::from_parts(Translation3::new(b, 1.0, a * a), turn);
    let q = by_matrix * (last * p);
    q.x + q.y * q.z
}

#[grad(order = 2)]
fn in_the_plane(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let w = Rotation2::new(a) * Vector2::new(b, c);
    let moved = IsometryMatrix2::new(Vector2::new(a, b), c) * Point2::new(d, 1.0);
    let parts = IsometryMatrix2::from_parts(Translation2::new(c, d * d), Rotation2::new(b));
    let p = parts * moved;
    w.x * w.y + p.x * p.y
}

#[grad(order = 2)]
fn inertia(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let r = Rotation3::from_euler_angles(a, b, c);
    let own = Matrix3::new(1.0, d, 0.0, d, 2.0, a, 0.0, a, 3.0);
    let turned = r * own * r.transpose();
    let m = r.matrix();
    let columns = r * Matrix3x2::new(a, 1.0, d, b, 0.5, c);
    turned[(0, 1)] * turned[(2, 2)] + m[(0, 1)] * m[(2, 0)] + columns[(1, 1)] * columns[(2, 0)]
}

#[grad(order = 2)]
fn angles_of(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let q =
        UnitQuaternion::from_euler_angles(a, b, c) * UnitQuaternion::new(Vector3::new(d, a, 0.3));
    let r = Rotation3::from_euler_angles(b, 0.5 * c, d) * Rotation3::new(Vector3::new(0.2, a, b));
    let (roll, pitch, yaw) = q.euler_angles();
    let by_matrix = r.euler_angles();
    let flat = Rotation2::new(a + 0.3) * Rotation2::new(b * c);
    q.angle() * roll
        + r.angle() * pitch.sin()
        + yaw * by_matrix.0
        + by_matrix.1 * by_matrix.2
        + flat.angle() * d
}

/// The logarithm of what is between two turns, as graphs of poses have it.
#[grad(order = 2)]
fn between(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let one =
        UnitQuaternion::from_euler_angles(a, 0.3, b) * UnitQuaternion::new(Vector3::new(0.1, c, d));
    let other = UnitQuaternion::from_euler_angles(0.3, 0.2, -0.1);
    let off = (other.inverse() * one).scaled_axis();
    let matrices =
        Rotation3::from_euler_angles(a, b, c).inverse() * Rotation3::new(Vector3::new(d, 0.2, a));
    let turned = matrices.scaled_axis();
    off.norm_squared() + off.x * turned.y + turned.z * turned.z
}

/// The same near no turn at all.
#[grad(order = 2)]
fn close(a: f64, b: f64, c: f64, d: f64) -> f64 {
    let off = UnitQuaternion::new(Vector3::new(a, b, c)).scaled_axis();
    let more = UnitQuaternion::from_scaled_axis(Vector3::new(d, a, c)).scaled_axis();
    off.dot(&Vector3::new(1.0, 2.0, -0.5)) * (1.0 + more.x) + more.dot(&off) + more.z
}

/// The logarithm of an exponential is what it was made of.
#[grad(order = 2)]
fn again(a: f64, b: f64) -> f64 {
    let v = Vector3::new(a, b, 0.3);
    let (q, r) = (UnitQuaternion::new(v), Rotation3::new(v));
    q.scaled_axis().x * 2.0 + r.scaled_axis().y * 3.0 + q.angle() * r.angle()
}

/// At no turn differences of the crate's values tell nothing: they are made of `acos` near one.
#[grad(order = 2)]
fn of_none(a: f64, b: f64) -> f64 {
    let r = Rotation3::new(Vector3::new(a, b, 0.0)).scaled_axis();
    2.0 * r.x + 3.0 * r.y
}

#[test]
fn turns_have_angles() {
    for [a, b, c, d] in [
        [0.3, -0.4, 0.7, 1.1],
        [1.3, 0.4, -0.7, 0.6],
        [-0.2, 0.9, 0.1, -0.8],
    ] {
        check!(angles_of(a by_value, b by_value, c by_value, d by_value));
        check!(between(a by_value, b by_value, c by_value, d by_value));
        check!(close(a by_value, b by_value, c by_value, d by_value));
    }
    for [a, b, c, d] in [
        [0.0, 0.0, 0.0, 0.0],
        [1e-9, 2e-8, -1e-9, 3e-9],
        [0.01, 0.2, -0.1, 0.3],
    ] {
        check!(close(a by_value, b by_value, c by_value, d by_value));
    }
    assert_eq!(of_none::grad(0.0, 0.0), (2.0, 3.0));
    assert_eq!(of_none::hessian(0.0, 0.0).as_slice(), [0.0; 4]);
    let (by_a, by_b) = again::grad(0.4, -0.7);
    assert!(
        (by_a - 2.8).abs() < 1e-13 && (by_b - 1.6).abs() < 1e-13,
        "{by_a} {by_b}"
    );
    let hessian = again::hessian(0.4, -0.7);
    let expected = [2.0, 0.0, 0.0, 2.0];
    for (x, y) in hessian.as_slice().iter().zip(expected) {
        assert!((x - y).abs() < 1e-12, "{x} {y}");
    }
}

#[test]
fn turns_are_made_of_angles() {
    let points = [
        [0.3, -0.4, 0.7, 1.1],
        [1.3, 2.4, -1.7, 0.6],
        [0.01, 0.02, -0.01, 0.005],
        // Where formulas by the length of an axis would divide by zero.
        [0.0, 0.0, 0.0, 0.0],
    ];
    for [a, b, c, d] in points {
        check!(arm(a by_value, b by_value, c by_value, d by_value));
        check!(about_axes(a by_value, b by_value, c by_value, d by_value));
        check!(units(a by_value, b by_value, c by_value, d by_value));
        check!(isometries(a by_value, b by_value, c by_value, d by_value));
        check!(in_the_plane(a by_value, b by_value, c by_value, d by_value));
        check!(inertia(a by_value, b by_value, c by_value, d by_value));
    }
}

/// By hand: the end of a turn moves along the turned normal, and is pulled to the axis.
#[test]
fn the_derivatives_of_a_turn_are_those_of_a_circle() {
    #[grad(order = 2)]
    fn height(angle: f64) -> f64 {
        (Rotation3::from_axis_angle(&Vector3::x_axis(), angle) * Vector3::y()).z
    }
    let angle = 0.7_f64;
    assert!((height::grad(angle) - angle.cos()).abs() < 1e-15);
    let (_, bend) = height::hvp(angle, 1.0);
    assert!((bend + angle.sin()).abs() < 1e-15);
}
