//! Turns in the plane by complex numbers, and motions of them.

use autodiff::{Differentiable, grad};
use nalgebra::{Isometry2, Point2, Translation2, UnitComplex, Vector2};

use super::judge;

#[grad(order = 2)]
fn turned(c: &UnitComplex<f64>, v: &Vector2<f64>, p: &Point2<f64>) -> f64 {
    let w = c * v;
    let r = c * p;
    let back = c.inverse() * w;
    w.dot(&r.coords)
        + back.x * w.y
        + c.transform_vector(v).x * c.inverse_transform_point(p).y
        + c.inverse_transform_vector(v).y * r.x
}

#[grad(order = 2)]
fn composed(a: &UnitComplex<f64>, b: &UnitComplex<f64>, v: &Vector2<f64>) -> f64 {
    let mut both = a * b.inverse() * a;
    both *= *b;
    let m = both.to_rotation_matrix();
    let h = a.to_homogeneous();
    (m * v).dot(&(both.conjugate() * v)) + both.cos_angle() * a.sin_angle() + h[(0, 1)] * h[(1, 1)]
}

#[grad(order = 2)]
fn moved(t: &Isometry2<f64>, s: &Isometry2<f64>, p: &Point2<f64>, v: &Vector2<f64>) -> f64 {
    let q = t * p;
    let direction = t * v;
    let at = (t * s).inverse() * q;
    let h = s.inverse().to_homogeneous();
    at.x * q.y
        + direction.dot(&t.translation.vector)
        + h[(0, 2)] * h[(1, 0)]
        + s.inverse_transform_point(p).x * t.rotation.transform_vector(v).y
}

/// Made of angles.
#[grad(order = 2)]
fn driven(x: f64, y: f64, angle: f64, speed: f64) -> f64 {
    let mut pose = Isometry2::new(Vector2::new(x, y), angle);
    let turn = UnitComplex::new(0.3 * speed);
    for _ in 0..3 {
        pose = pose * Isometry2::from_parts(Translation2::new(speed, 0.0), turn);
    }
    let seen = pose.inverse_transform_point(&Point2::new(1.0, 2.0));
    let back = UnitComplex::from_angle(angle * speed);
    (back * seen.coords).norm_squared() + pose.rotation.angle() * seen.x
}

#[derive(Differentiable)]
struct Robot {
    pose: Isometry2<f64>,
    sensor: UnitComplex<f64>,
}

/// Of a type that has them.
#[grad]
fn heading(robot: &Robot, x: f64) -> f64 {
    let ray = robot.pose * (robot.sensor * Vector2::new(x, 1.0));
    ray.x * ray.y
}

#[test]
fn turns_in_the_plane() {
    let (a, b) = (UnitComplex::new(0.4), UnitComplex::new(-1.3));
    let (v, p) = (Vector2::new(0.7, -1.2), Point2::new(1.5, 0.4));
    check!(turned(a by_ref, v by_ref, p by_ref));
    check!(composed(a by_ref, b by_ref, v by_ref));
    let t = Isometry2::new(Vector2::new(0.5, -0.3), 0.8);
    let s = Isometry2::new(Vector2::new(-1.1, 0.2), -0.6);
    check!(moved(t by_ref, s by_ref, p by_ref, v by_ref));
    for [x, y, angle, speed] in [[0.2, -0.4, 0.7, 0.5], [0.0; 4], [1.0, 2.0, -1.9, 1.2]] {
        check!(driven(x by_value, y by_value, angle by_value, speed by_value));
    }
    let robot = Robot { pose: t, sensor: a };
    let (bar, slope) = heading::grad(&robot, 0.5);
    let along = |h: f64| {
        let turned = robot.pose * (a * Vector2::new(0.5 + h, 1.0));
        turned.x * turned.y
    };
    let difference = (along(1e-6) - along(-1e-6)) / 2e-6;
    assert!((slope - difference).abs() < 1e-8, "{slope} {difference}");
    assert_eq!(bar.pose.translation, Vector2::zeros());
}

/// By hand: the end of a turn moves along the turned normal, and is pulled to the centre.
#[test]
fn a_turn_in_the_plane_is_a_circle() {
    #[grad(order = 2)]
    fn height(angle: f64) -> f64 {
        (UnitComplex::new(angle) * Vector2::x()).y
    }
    let angle = 0.7_f64;
    assert!((height::grad(angle) - angle.cos()).abs() < 1e-15);
    let (_, bend) = height::hvp(angle, 1.0);
    assert!((bend + angle.sin()).abs() < 1e-15);
}
