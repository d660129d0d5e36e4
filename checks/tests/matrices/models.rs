//! Functions as people write them.

use autodiff::{Differentiable, grad};
use nalgebra::{
    self as na, DMatrix, DVector, Matrix2, Matrix3, SMatrix, Vector2, Vector3, Vector4,
};
use ndarray::{Array2, Axis, array};
use num_complex::Complex;

use super::judge;

type Point = Vector3<f64>;

#[derive(Clone, Differentiable)]
struct Body {
    at: Vector3<f64>,
    velocity: Vector3<f64>,
    mass: f64,
}

/// The energy of bodies that attract one another.
#[grad(order = 2)]
fn energy(bodies: &[Body]) -> f64 {
    let mut energy = 0.0;
    for i in 0..bodies.len() {
        energy += 0.5 * bodies[i].mass * bodies[i].velocity.norm_squared();
        for j in 0..i {
            let d = bodies[i].at - bodies[j].at;
            energy -= bodies[i].mass * bodies[j].mass / d.norm();
        }
    }
    energy
}

/// Where an arm with two joints has its hand.
#[grad(order = 2)]
fn reach(angles: &Vector2<f64>, lengths: &Vector2<f64>) -> f64 {
    let (s, c) = angles.x.sin_cos();
    let first = Matrix2::new(c, -s, s, c);
    let (s, c) = angles.y.sin_cos();
    let second = Matrix2::new(c, -s, s, c);
    let elbow = first * Vector2::new(lengths.x, 0.0);
    let hand = elbow + first * second * Vector2::new(lengths.y, 0.0);
    let target = Vector2::new(0.5, 1.2);
    (hand - target).norm_squared()
}

/// A step of a Kalman filter, and how likely the measurement was.
#[grad(order = 2)]
fn filter(x: &Vector2<f64>, p: &Matrix2<f64>, noise: f64, z: f64) -> f64 {
    let f = Matrix2::new(1.0, 0.1, 0.0, 1.0);
    let h = na::RowVector2::new(1.0, 0.0);
    let x = f * x;
    let p = f * p * f.transpose() + Matrix2::identity() * (noise * noise);
    let innovation = z - (h * x)[0];
    let s = (h * p * h.transpose())[0] + 0.2;
    let gain = p * h.transpose() / s;
    let x = x + gain * innovation;
    let p = (Matrix2::identity() - gain * h) * p;
    innovation * innovation / s + s.ln() + x.norm() + p.trace()
}

/// Residuals of a curve.
#[grad(order = 2)]
fn squares(beta: &DVector<f64>, ts: &[f64], ys: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..ts.len() {
        let r = ys[i] - beta[0] * (-beta[1] * ts[i]).exp() - beta[2];
        sum += r * r;
    }
    sum
}

/// Linear least squares.
#[grad(order = 2)]
fn least_squares(a: &DMatrix<f64>, x: &DVector<f64>, b: &DVector<f64>) -> f64 {
    let r = a * x - b;
    0.5 * r.dot(&r) + 0.01 * x.norm_squared()
}

/// How a rigid body turns.
#[grad(order = 2)]
fn turning(inertia: &Matrix3<f64>, omega: Vector3<f64>, torque: &Vector3<f64>) -> f64 {
    let inverse = inertia.try_inverse().expect("a body has a mass");
    let mut omega = omega;
    for _ in 0..3 {
        let acceleration = inverse * (torque - omega.cross(&(inertia * omega)));
        omega += acceleration * 0.05;
    }
    0.5 * omega.dot(&(inertia * omega))
}

fn offset() -> f64 {
    1e-9
}

/// The area of a mesh of triangles.
#[grad(order = 2)]
fn area(points: &[Vector3<f64>], #[constant] triangles: &[[usize; 3]]) -> f64 {
    let mut area = 0.0;
    for t in triangles {
        let (a, b, c) = (points[t[0]], points[t[1]], points[t[2]]);
        area += 0.5 * (b - a).cross(&(c - a)).norm();
    }
    area + offset()
}

/// Springs between points.
#[grad(order = 2)]
fn springs(points: &[Point], rest: f64, stiffness: f64) -> f64 {
    points
        .windows(2)
        .map(|pair| 0.5 * stiffness * ((pair[1] - pair[0]).norm() - rest).powi(2))
        .sum()
}

#[grad(order = 2)]
fn force(p: &Vector3<f64>, k: f64) -> Vector3<f64> {
    p * (-k / p.norm().powi(3))
}

/// An orbit.
#[grad(order = 2)]
fn orbit(p: Vector3<f64>, v: Vector3<f64>, k: f64) -> f64 {
    let mut x = p;
    let mut v = v;
    let dt = 0.05;
    for _ in 0..5 {
        v += force(&x, k) * dt;
        x += v * dt;
    }
    x.norm() + v.dot(&x)
}

#[grad(order = 2)]
fn square(x: f64) -> f64 {
    x * x
}

/// What is a matrix for certain, by how it is made, by its parts or by its type, mapped entry by entry.
#[grad(order = 2)]
fn mapped(p: &Vector3<f64>, y: f64) -> f64 {
    let v = p * y;
    let made = Vector3::new(y, v.x.sin(), y * y).map(|z| z.sin() * y);
    let scaled: Vector3<f64> = p.map(|z| z.atan()) * y;
    let signs = v.map(|z| if z > 0.0 { 1.0 } else { -1.0 });
    v.x * v.map(|z| z.exp() * y).sum()
        + v.map(f64::sin).y
        + v.map(square).z
        + (made - p).map(|z| (z * y).max(0.0)).norm_squared()
        + scaled.sum()
        + signs.dot(&v)
}

/// Sums of vectors and matrices, whose types have their sizes in them.
#[grad(order = 2)]
fn inertia(a: &[Vector3<f64>], k: f64) -> f64 {
    let centre: Vector3<f64> = a.iter().sum::<Vector3<f64>>() / a.len() as f64;
    let turned = a
        .iter()
        .map(|v| v.cross(&centre) * v.x.sin())
        .sum::<Vector3<f64>>();
    let tensor = (0..a.len())
        .map(|i| (a[i] - centre) * (a[i] - centre).transpose() * k)
        .sum::<Matrix3<f64>>();
    tensor.trace() + 0.5 * turned.y + a.iter().copied().sum::<Vector3<f64>>().norm()
}

/// A quadratic form with a gradient step in it.
#[grad(order = 2)]
fn after_a_step(q: &Matrix3<f64>, x: &Vector3<f64>, rate: f64) -> f64 {
    let g = (q + q.transpose()) * x;
    let y = x - rate * g;
    y.dot(&(q * y))
}

/// The energy of a strained triangle.
#[grad(order = 2)]
fn strain(a: Vector2<f64>, b: Vector2<f64>, c: Vector2<f64>) -> f64 {
    let edges = Matrix2::from_columns(&[b - a, c - a]);
    let rest = Matrix2::new(1.2, 0.1, -0.2, 0.9);
    let f = edges * rest;
    let green = (f.transpose() * f - Matrix2::identity()) * 0.5;
    let j = f.determinant();
    green.norm_squared() * 3.0 + 0.5 * green.trace().powi(2) + j.ln().powi(2)
}

/// Reflection of light at a surface.
#[grad(order = 2)]
fn shade(normal: &Vector3<f64>, light: &Vector3<f64>, eye: &Vector3<f64>) -> f64 {
    let n = normal.normalize();
    let l = light.normalize();
    let reflected = 2.0 * n.dot(&l) * n - l;
    let diffuse = n.dot(&l).max(0.0);
    let specular = reflected.dot(&eye.normalize()).max(0.0).powi(8);
    0.3 * diffuse + 0.7 * specular
}

/// A rotation by Rodrigues' formula.
#[grad(order = 2)]
fn rotated(w: &Vector3<f64>, p: &Vector3<f64>) -> f64 {
    let angle = w.norm();
    let axis = w / angle;
    let turned =
        p * angle.cos() + axis.cross(p) * angle.sin() + axis * (axis.dot(p) * (1.0 - angle.cos()));
    turned.x * turned.y + turned.z
}

/// The product of quaternions.
#[grad(order = 2)]
fn turn(a: &Vector4<f64>, b: &Vector4<f64>) -> Vector4<f64> {
    Vector4::new(
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    )
}

#[grad(order = 2)]
fn turns(a: &Vector4<f64>, b: &Vector4<f64>) -> f64 {
    let q = turn(&turn(a, b), a).normalize();
    q.w * q.x + q.z
}

/// The mean and the spread of points.
#[grad(order = 2)]
fn spread(points: &[Vector2<f64>]) -> f64 {
    let mut mean = Vector2::zeros();
    for p in points {
        mean += p;
    }
    mean /= points.len() as f64;
    let mut covariance = Matrix2::zeros();
    for p in points {
        let d = p - mean;
        covariance += d * d.transpose();
    }
    covariance.determinant() + covariance.trace()
}

/// The density of a normal distribution.
#[grad(order = 2)]
fn density(x: &Vector2<f64>, mean: &Vector2<f64>, covariance: &Matrix2<f64>) -> f64 {
    let d = x - mean;
    let Some(precision) = covariance.try_inverse() else {
        return 0.0;
    };
    -0.5 * (d.transpose() * precision * d)[(0, 0)] - 0.5 * covariance.determinant().ln()
}

/// A layer of a network.
#[grad(order = 2)]
fn layer(w: &SMatrix<f64, 2, 3>, x: &Vector3<f64>, b: &Vector2<f64>) -> f64 {
    let z = w * x + b;
    let mut sum = 0.0;
    for i in 0..2 {
        sum += z[i].tanh();
    }
    sum
}

/// A camera with a distortion.
#[grad(order = 2)]
fn projection(point: &Vector3<f64>, camera: &Matrix3<f64>, k: f64) -> f64 {
    let q = camera * point;
    let p = Vector2::new(q.x / q.z, q.y / q.z);
    let r2 = p.norm_squared();
    let seen = p * (1.0 + k * r2);
    (seen - Vector2::new(0.3, -0.2)).norm()
}

impl Body {
    #[grad(order = 2)]
    fn action(&self, field: &Vector3<f64>) -> f64 {
        let momentum = self.velocity * self.mass;
        momentum.dot(&self.velocity) * 0.5 - field.dot(&self.at) + self.at.cross(&momentum).norm()
    }
}

const TILT: f64 = 0.7;

#[grad(order = 2)]
fn pulled(v: Vector2<f64>) -> Array2<f64> {
    array![[v.x.cos(), v.y], [v.norm_squared(), v.x * v.y]] * v.y.sin()
}

/// What is made of constants and of what is active, beside a method whose arguments may be anything.
#[grad(order = 2)]
fn tilted(t: f64) -> f64 {
    let pull = pulled(if t > 0.2 {
        Vector2::new(TILT.cos(), -t)
    } else {
        Vector2::new((t + t).sin(), 0.1)
    });
    let (about, to) = (
        na::Unit::new_normalize(Vector3::new(t, TILT.sin(), 0.3)),
        Vector3::new(t, 0.1, TILT),
    );
    let turned = na::Rotation3::from_axis_angle(&about, TILT.cos()) * to;
    let turn = na::Rotation3::from_euler_angles(TILT.cos(), t, 0.1);
    let wave = Complex::new(TILT.cos(), t) * Complex::from_polar(TILT.cos(), t * t);
    pull.sum_axis(Axis(0))[1].tanh() + turned.x * turned.y + turn.angle() + wave.re * wave.im
}

#[test]
fn models_have_their_derivatives() {
    let a = Vector3::new(1.0, -0.4, 0.8);
    let b = Vector3::new(0.3, 0.7, -1.1);
    let c = Vector3::new(-0.5, 1.2, 0.6);
    let (s, t) = (1.7, 0.6);
    let (p, q, r) = (
        Vector2::new(0.2, 0.1),
        Vector2::new(1.1, 0.3),
        Vector2::new(0.4, 1.3),
    );
    let m = Matrix3::new(1.0, 0.2, 0.5, 0.1, 1.3, 0.3, 0.4, -0.2, 1.5);
    let p2 = Matrix2::new(0.8, 0.1, 0.2, 0.6);
    let bodies = vec![
        Body {
            at: a,
            velocity: b,
            mass: 2.0,
        },
        Body {
            at: b,
            velocity: c,
            mass: 0.7,
        },
        Body {
            at: c,
            velocity: a,
            mass: 1.1,
        },
    ];
    check!(energy(bodies of_list));
    check!(reach(p by_ref, q by_ref));
    check!(filter(p by_ref, p2 by_ref, t by_value, s by_value));
    let beta = DVector::from_vec(vec![1.2, 0.4, -0.3]);
    let ts = vec![0.1, 0.5, 1.1];
    let ys = vec![0.9, 0.4, 0.2];
    check!(squares(beta by_ref, ts of_list, ys of_list));
    let k = DMatrix::from_fn(4, 3, |i, j| ((i * 2 + j) as f64 * 0.9).cos());
    let rhs = DVector::from_vec(vec![0.3, -0.2, 0.6, 1.1]);
    check!(least_squares(k by_ref, beta by_ref, rhs by_ref));
    check!(turning(m by_ref, a by_value, b by_ref));
    let points = vec![a, b, c, a + b];
    check!(springs(points of_list, t by_value, s by_value));
    check!(inertia(points of_list, t by_value));
    check!(orbit(a by_value, b by_value, t by_value));
    check!(mapped(a by_ref, t by_value));
    check!(after_a_step(m by_ref, a by_ref, t by_value));
    check!(strain(p by_value, q by_value, r by_value));
    check!(shade(a by_ref, c by_ref, b by_ref));
    check!(rotated(a by_ref, b by_ref));
    let (qa, qb) = (
        Vector4::new(0.1, 0.5, -0.3, 0.9),
        Vector4::new(0.6, -0.2, 0.4, 0.7),
    );
    check!(turns(qa by_ref, qb by_ref));
    let plane = vec![p, q, r];
    check!(spread(plane of_list));
    check!(density(p by_ref, q by_ref, p2 by_ref));
    let w = SMatrix::<f64, 2, 3>::new(0.3, -0.2, 0.8, 0.5, 0.9, -0.4);
    check!(layer(w by_ref, a by_ref, p by_ref));
    check!(projection(a by_ref, m by_ref, t by_value));
    let triangles = [[0, 1, 2], [1, 2, 3]];
    let flat = |g: Vec<Vector3<f64>>| {
        g.into_iter()
            .flat_map(|g| [g.x, g.y, g.z])
            .collect::<Vec<f64>>()
    };
    let at = flat(points.clone());
    let truth = judge::differences(&at, |at| {
        let points: Vec<Vector3<f64>> = at.chunks(3).map(Vector3::from_column_slice).collect();
        vec![area(&points, &triangles)]
    });
    judge::assert_near("area", &flat(area::grad(&points, &triangles)), &truth, 1e-8);
    let truth = judge::differences(b.as_slice(), |b| {
        vec![bodies[0].action(&Vector3::from_column_slice(b))]
    });
    judge::assert_near(
        "action",
        bodies[0].action_grad(&b).1.as_slice(),
        &truth,
        1e-8,
    );
    for t in [0.6, -0.4] {
        check!(tilted(t by_value));
    }
}
