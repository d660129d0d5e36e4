//! Types and traits of one's own beside matrices, with methods of the same names.

use autodiff::{Differentiable, grad};
use nalgebra::Vector3;

use super::judge;

#[derive(Clone, Differentiable)]
struct Own {
    at: Vector3<f64>,
    weight: f64,
}

#[grad(order = 2)]
impl Own {
    fn dot(&self, other: &Own) -> f64 {
        self.at.dot(&other.at) * self.weight + other.weight.powi(3)
    }

    fn norm(&self) -> f64 {
        self.weight * self.weight
    }
}

#[grad(order = 2)]
trait Measured {
    fn norm_squared(&self) -> f64;
    fn scale(&self, s: f64) -> f64;
}

#[grad(order = 2)]
impl Measured for Own {
    fn norm_squared(&self) -> f64 {
        self.at.norm_squared() * self.weight
    }

    fn scale(&self, s: f64) -> f64 {
        self.at.x * s * s
    }
}

#[grad(order = 2)]
fn both(a: &Own, v: &Vector3<f64>, s: f64) -> f64 {
    a.dot(a) * v.norm() + a.norm() * v.norm_squared() + a.norm_squared() * a.scale(s) + v.scale(s).x
}

#[grad(order = 2)]
fn generic<M: Measured + Differentiable>(m: &M, v: &Vector3<f64>) -> f64 {
    m.norm_squared() * v.norm_squared() + m.scale(2.0)
}

/// The crate's own method is meant where both have one.
trait Loud {
    fn norm(&self) -> f64;
}

impl Loud for Vector3<f64> {
    fn norm(&self) -> f64 {
        1e6
    }
}

#[grad(order = 2)]
fn quiet(v: &Vector3<f64>) -> f64 {
    v.norm() * v.x
}

#[grad(order = 2)]
fn deep(bodies: &mut [Own], s: f64) -> f64 {
    for i in 0..bodies.len() {
        bodies[i].at.x *= s;
        bodies[i].at[1] += bodies[i].at.x * bodies[i].weight;
    }
    bodies[0].at.y * bodies[1].at.x + bodies[1].at.y * bodies[0].at.z
}

#[grad(order = 2)]
fn over_copies(bodies: &[Own], s: f64) -> f64 {
    let mut copies = bodies.to_vec();
    deep(&mut copies, s)
}

#[test]
fn methods_of_the_same_names_are_told_apart() {
    let v = Vector3::new(1.0, -2.0, 0.4);
    let own = Own {
        at: Vector3::new(0.3, 0.7, -1.1),
        weight: 1.3,
    };
    let s = 0.8;
    check!(both(own by_ref, v by_ref, s by_value));
    check!(generic(own by_ref, v by_ref));
    check!(quiet(v by_ref));
    let other = Own { at: v, weight: 0.6 };
    let bodies = vec![own.clone(), other];
    check!(over_copies(bodies of_list, s by_value));
    assert_eq!(Loud::norm(&v), 1e6);
}
