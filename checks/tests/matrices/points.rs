//! Points of nalgebra, whose tangents are vectors.

use autodiff::{Differentiable, grad};
use nalgebra::{Matrix2x3, Matrix3, Point2, Point3, Vector2, Vector3};

use super::judge;

#[grad(order = 2)]
fn plane(p: &Point3<f64>, q: &Point3<f64>, r: Point3<f64>) -> f64 {
    let normal = (q - p).cross(&(r - p)).normalize();
    normal.dot(&p.coords) + normal.x * q[1] + r.z
}

#[grad(order = 2)]
fn moved(p: &Point3<f64>, v: &Vector3<f64>, s: f64) -> f64 {
    let mut a = p + v * s;
    a -= v;
    a += v * s;
    let b = a * s - p.coords;
    let c = s * b / (s + 1.0);
    (c - p).norm_squared() + (-a).coords.sum() * a.y
}

#[grad(order = 2)]
fn turned(m: &Matrix3<f64>, n: &Matrix2x3<f64>, p: &Point3<f64>) -> f64 {
    let q: Point3<f64> = m * p;
    let r: Point2<f64> = n * q;
    (r - Point2::origin()).norm() + q.x * r.y
}

#[grad(order = 2)]
fn made(x: f64, y: f64) -> f64 {
    let p = Point3::new(x, y * x, 1.0);
    let q = Point3::from(Vector3::new(y, x, x * y));
    let r = Point2::new(x, y) + Vector2::new(y, 1.0);
    (p - q).norm_squared() * r.x + q.coords.dot(&p.coords)
}

#[derive(Clone, Debug, Differentiable)]
struct Ball {
    center: Point3<f64>,
    radius: f64,
}

#[grad(order = 2)]
fn outside(ball: &Ball, points: &[Point3<f64>]) -> f64 {
    let mut sum = 0.0;
    for p in points {
        let d = (p.coords - ball.center.coords).norm() - ball.radius;
        sum += d * d * ball.center.x;
    }
    sum
}

#[grad]
fn furthest(points: &[Point3<f64>], direction: Vector3<f64>) -> Vector3<f64> {
    let mut far = points[0].coords;
    let mut most = far.dot(&direction);
    for p in points.iter().skip(1) {
        let along = p.coords.dot(&direction);
        if along > most {
            most = along;
            far = p.coords;
        }
    }
    far * most
}

#[grad]
fn shift(p: &mut Point3<f64>, v: &Vector3<f64>) {
    p.coords += v * 2.0;
    p.x *= v.y;
    p.coords[1] = v.x;
}

#[grad]
fn around(center: &Point3<f64>, half: &Vector3<f64>) -> (Point3<f64>, Point3<f64>) {
    (center - half, center + half)
}

#[test]
fn every_row_of_points_has_its_derivatives() {
    let (p, q, r) = (
        Point3::new(1.0, -2.0, 3.0),
        Point3::new(0.3, 0.7, -1.1),
        Point3::new(-0.4, 0.9, 0.2),
    );
    let v = Vector3::new(0.5, -0.8, 1.3);
    let (s, t) = (1.7, 0.6);
    let m = Matrix3::new(1.0, 2.0, 0.5, -1.0, 0.3, 0.8, 2.0, -0.7, 1.5);
    let n = Matrix2x3::new(0.4, -0.3, 1.2, 0.7, 0.9, -0.5);
    check!(plane(p by_ref, q by_ref, r by_value));
    check!(moved(p by_ref, v by_ref, s by_value));
    check!(turned(m by_ref, n by_ref, p by_ref));
    check!(made(s by_value, t by_value));
    let ball = Ball {
        center: q,
        radius: 0.4,
    };
    let points = vec![p, r];
    check!(outside(ball by_ref, points of_list));
}

#[test]
fn a_tangent_of_a_point_is_a_vector() {
    let points = [Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 2.0, 0.0)];
    let (along, seed) = (Vector3::new(0.5, 1.0, 0.0), Vector3::new(1.0, 3.0, 0.0));
    // The second one is far: p (p·d), whose cotangents are s (p·d) + d (p·s) and p (p·s).
    let (y, (bars, bar)) = furthest::vjp(&points, along, seed);
    assert_eq!(y, Vector3::new(0.0, 4.0, 0.0));
    assert_eq!(bars[0], Vector3::zeros());
    assert_eq!(bars[1], seed * 2.0 + along * 6.0);
    assert_eq!(bar, Vector3::new(0.0, 12.0, 0.0));

    let (mut p, v) = (Point3::new(1.0, 2.0, 3.0), Vector3::new(0.5, -1.0, 2.0));
    let mut bar = Vector3::new(1.0, 10.0, 100.0);
    let to_v = shift::vjp(&mut p, &v, &mut bar);
    assert_eq!(p, Point3::new(-2.0, 0.5, 7.0));
    assert_eq!(bar, Vector3::new(-1.0, 0.0, 100.0));
    assert_eq!(to_v, Vector3::new(-2.0 + 10.0, 2.0, 200.0));

    let (_, (to_center, to_half)) = around::vjp(&p, &v, (v, along));
    assert_eq!((to_center, to_half), (v + along, along - v));
}
