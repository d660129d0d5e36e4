//! Operators that are called by the names of their functions.

use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

use autodiff::{Differentiable, Float, grad};

#[grad(order = 2)]
fn methods(a: f64, b: f64, c: f64) -> f64 {
    let product = a.mul(b).add(c);
    let quotient = product.sub(1.0).div(b.mul(b));
    quotient.neg().exp() + product.rem(0.7) + a.sin().mul(c)
}

#[grad(order = 2)]
fn functions(a: f64, b: f64) -> f64 {
    let s = Add::add(a, b) * Mul::mul(a, &b) - Sub::sub(a, 2.0) / std::ops::Div::div(a, b);
    f64::mul(s, s) + <f64 as Sub>::sub(Neg::neg(s), a) + core::ops::Rem::rem(s, 0.9)
}

#[grad(order = 2)]
fn assigning(mut a: f64, b: f64, xs: &[f64]) -> f64 {
    a.add_assign(b);
    a.mul_assign(b);
    let mut list = xs.to_vec();
    for x in list.iter_mut() {
        x.mul_assign(a);
        (*x).sub_assign(1.0);
        SubAssign::sub_assign(x, b);
    }
    list[1].div_assign(b);
    list[0].rem_assign(0.3);
    AddAssign::add_assign(&mut list[2], a);
    std::ops::MulAssign::mul_assign(&mut a, 0.5);
    let mut s = a;
    for x in xs {
        s.add_assign(x.mul(x));
    }
    for x in &list {
        s += x.mul(b).neg().sin();
    }
    s
}

fn assigning_by_hand(mut a: f64, b: f64, xs: &[f64]) -> f64 {
    a += b;
    a *= b;
    let mut list = xs.to_vec();
    for x in &mut list {
        *x = *x * a - 1.0 - b;
    }
    list[1] /= b;
    list[0] %= 0.3;
    list[2] += a;
    a *= 0.5;
    let mut s = a;
    for x in xs {
        s += x * x;
    }
    for x in &list {
        s += (-(x * b)).sin();
    }
    s
}

#[grad(order = 2)]
fn in_chains(xs: &[f64]) -> f64 {
    let product = xs.iter().copied().fold(1.0, f64::mul);
    let sum = xs.iter().copied().fold(0.0, Add::add);
    let squares: f64 = xs.iter().map(|x| x.mul(x)).sum();
    let negated: f64 = xs
        .iter()
        .copied()
        .map(Neg::neg)
        .map(|x| x.add(1.0).mul(x))
        .sum();
    product * sum + squares.div(negated)
}

#[grad]
fn generic<T: Float>(a: T, b: T) -> T {
    a.mul(b).add(a.sub(b).neg()).mul(T::mul(a, b))
}

#[grad]
fn of_integers(n: usize, x: f64) -> f64 {
    let k = n.add(1).mul(2);
    x.mul(k as f64)
}

#[derive(Clone, Copy, Differentiable)]
struct Mass {
    x: f64,
    v: f64,
}

#[grad(order = 2)]
fn assigned_fields(x: f64, v: f64, k: f64) -> f64 {
    let mut mass = Mass { x, v };
    AddAssign::add_assign(&mut mass.x, k.mul(mass.v));
    SubAssign::sub_assign(&mut mass.v, k * mass.x);
    Mul::mul(mass.x, mass.v) + Neg::neg(mass.x)
}

#[test]
fn operators_by_name() {
    let (a, b, c) = (0.7, 1.3, -0.4);
    let product: f64 = a * b + c;
    let by_hand = (-((product - 1.0) / (b * b))).exp() + product % 0.7 + a.sin() * c;
    assert_eq!(methods(a, b, c), by_hand);
    check!(methods(value a = 0.7, value b = 1.3, value c = -0.4));
    check_second!(methods(value a = 0.7, value b = 1.3, value c = -0.4));
    check!(functions(value a = 0.7, value b = 1.3));
    check_second!(functions(value a = 0.7, value b = 1.3));
    let xs = [0.4, -0.8, 1.1];
    assert_eq!(assigning(a, b, &xs), assigning_by_hand(a, b, &xs));
    check!(assigning(value a = 0.7, value b = 1.3, shared xs = vec![0.4, -0.8, 1.1]));
    check_second!(assigning(value a = 0.7, value b = 1.3, shared xs = vec![0.4, -0.8, 1.1]));
    check!(in_chains(shared xs = vec![0.4, -0.8, 1.1]));
    check_second!(in_chains(shared xs = vec![0.4, -0.8, 1.1]));
    check!(generic(value a = 0.7f64, value b = 1.3f64));
    check!(of_integers(constant n = 3, value x = 0.3));
    assert_eq!(of_integers::grad(3, 0.3), 8.0);
    check!(assigned_fields(value x = 0.7, value v = 1.3, value k = 0.2));
    check_second!(assigned_fields(value x = 0.7, value v = 1.3, value k = 0.2));
}

#[grad(order = 2)]
impl Mass {
    /// Its own, which an operator's name does not hide.
    fn add(&self, other: &Mass) -> Mass {
        Mass {
            x: self.x * other.v,
            v: self.v,
        }
    }
}

#[derive(Clone, Differentiable)]
struct Pair {
    left: Mass,
    right: Mass,
    n: usize,
}

#[grad(order = 2)]
fn of_fields(pair: &Pair, k: f64) -> f64 {
    let sum = pair.left.add(&pair.right);
    let scaled = pair
        .left
        .x
        .mul(k)
        .add(pair.right.v)
        .sub(pair.left.v.div(pair.right.x));
    scaled * sum.x.mul(sum.v) + pair.right.x.neg().exp() * pair.n.mul(2) as f64
}

#[grad(order = 2)]
fn of_one(x: f64, v: f64, k: f64) -> f64 {
    let pair = Pair {
        left: Mass { x, v },
        right: Mass { x: k, v: x },
        n: 2,
    };
    of_fields(&pair, k)
}

fn of_one_by_hand(x: f64, v: f64, k: f64) -> f64 {
    (x * k + x - v / k) * (x * x * v) + (-k).exp() * 4.0
}

#[test]
fn fields_by_name() {
    assert_eq!(of_one(0.7, 1.3, 0.9), of_one_by_hand(0.7, 1.3, 0.9));
    check!(of_one(value x = 0.7, value v = 1.3, value k = 0.9));
    check_second!(of_one(value x = 0.7, value v = 1.3, value k = 0.9));
}
