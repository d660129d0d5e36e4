//! Enums with parameters.

use autodiff::{Differentiable, Float, grad};

use crate::structs::{Pair, Wave};

/// Order 1.
#[derive(Clone, Debug, Differentiable)]
pub enum Curve<T> {
    /// Nothing to compute.
    Flat,
    /// A slope.
    Line(T, T),
    /// A struct with parameters.
    Wave(Wave<T>),
    /// Fields with names.
    Points {
        /// A list.
        points: Vec<Pair<T>>,
        /// A number.
        weight: T,
    },
}

#[grad]
impl<T: Float> Curve<T> {
    /// Its height.
    pub fn at(&self, x: T) -> T {
        match self {
            Curve::Flat => T::ONE,
            Curve::Line(a, b) => *a * x + *b,
            Curve::Wave(wave) => wave.at(x),
            Curve::Points { points, weight } => {
                let mut sum = T::ZERO;
                for p in points {
                    sum += p.x * x + p.y;
                }
                sum * *weight
            }
        }
    }

    /// Changes it.
    pub fn lift(&mut self, by: T) {
        match self {
            Curve::Flat => {}
            Curve::Line(_, b) => *b += by,
            Curve::Wave(wave) => wave.grow(by),
            Curve::Points { weight, .. } => *weight *= by,
        }
    }
}

/// Of an enum by reference, by value and in a list.
#[grad]
pub fn of_curves<T: Float>(curves: &[Curve<T>], last: Curve<T>, x: T) -> T {
    let mut sum = last.at(x);
    for curve in curves {
        sum += curve.at(x) * x;
    }
    let mut last = last;
    last.lift(x);
    sum * last.at(x)
}

/// Order 2.
#[derive(Clone, Copy, Debug, Differentiable)]
pub enum Law<T> {
    /// One number.
    Linear(T),
    /// Two.
    Cubic {
        /// First.
        k: T,
        /// Third.
        c: T,
    },
}

#[grad(order = 2)]
impl<T: Float> Law<T> {
    /// A force.
    pub fn force(&self, x: T) -> T {
        match *self {
            Law::Linear(k) => k * x,
            Law::Cubic { k, c } => k * x + c * x * x * x,
        }
    }
}

/// Makes one and uses it.
#[grad(order = 2)]
pub fn of_law<T: Float>(k: T, x: T) -> T {
    let law = if x > T::ZERO {
        Law::Linear(k)
    } else {
        Law::Cubic { k, c: k * x }
    };
    law.force(x) * law.force(k)
}

/// Two parameters.
#[derive(Clone, Copy, Debug, Differentiable)]
pub enum Either<A, B> {
    /// One.
    Left(A),
    /// The other.
    Right(B),
}

#[grad]
impl<T: Float> Either<T, Pair<T>> {
    /// A number.
    pub fn number(&self) -> T {
        match self {
            Either::Left(a) => *a * *a,
            Either::Right(p) => p.x * p.y,
        }
    }
}
