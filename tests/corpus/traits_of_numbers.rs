//! Traits of the user's own that floats have, with functions that compute.

use autodiff::{Differentiable, grad};

use crate::check::near;

#[grad(order = 2)]
trait Activation: Copy {
    fn relu6(self) -> Self;
    fn scaled(&self, k: f64) -> f64;
    fn swish(self, beta: Self) -> Self;

    fn twice(self) -> f64 {
        self.scaled(2.0) * self.scaled(1.0)
    }
}

#[grad(order = 2)]
impl Activation for f64 {
    fn relu6(self) -> f64 {
        self.max(0.0).min(6.0) * self
    }

    fn scaled(&self, k: f64) -> f64 {
        self.sin() * k
    }

    fn swish(self, beta: Self) -> Self {
        self / (1.0 + (-beta * self).exp())
    }
}

#[grad(order = 2)]
impl Activation for f32 {
    fn relu6(self) -> f32 {
        self.max(0.0).min(6.0) * self
    }

    fn scaled(&self, k: f64) -> f64 {
        f64::from(*self) * k
    }

    fn swish(self, beta: Self) -> Self {
        let mut y = self;
        for _ in 0..2 {
            y = y * beta + self;
        }
        y
    }
}

/// Another trait with a function of the same name.
#[grad(order = 2)]
trait Clipped: Copy {
    fn relu6(self) -> Self;
}

#[grad(order = 2)]
impl Clipped for f64 {
    fn relu6(self) -> f64 {
        3.0 * self
    }
}

#[grad(order = 2)]
fn by_paths(x: f64, k: f64) -> f64 {
    Activation::relu6(x) * Activation::scaled(&x, k) + <f64 as Activation>::swish(x, k)
}

#[grad(order = 2)]
fn of_one_of_two(x: f64) -> f64 {
    <f64 as Clipped>::relu6(x) * <f64 as Activation>::relu6(x) + Clipped::relu6(x)
}

#[grad(order = 2)]
fn of_a_parameter<T: Activation + Differentiable>(x: T, k: f64) -> f64 {
    x.scaled(k) * x.relu6().scaled(k) + x.twice()
}

#[grad(order = 2)]
fn layer(w: &[f64], x: &[f64]) -> f64 {
    let mut s = 0.0;
    for (w, x) in w.iter().zip(x) {
        s += w * x;
    }
    Activation::swish(s, 1.0)
}

/// Methods that decide stand beside such that compute.
#[grad(order = 2)]
trait Signal: Copy {
    fn is_loud(&self) -> bool;
    fn above(self, other: Self) -> bool;
    fn sign(self) -> i32;
    fn squared(&self) -> Self;
    fn gap(self, other: f64) -> f64;
    fn safe_ln(self) -> Option<f64>;
    fn relu(self) -> Self;
}

#[grad(order = 2)]
impl Signal for f64 {
    fn is_loud(&self) -> bool {
        *self > 2.0
    }

    fn above(self, other: Self) -> bool {
        self > other
    }

    fn sign(self) -> i32 {
        if self > 0.0 { 1 } else { -1 }
    }

    fn squared(&self) -> f64 {
        self * self
    }

    fn gap(self, other: f64) -> f64 {
        (self - other).abs()
    }

    fn safe_ln(self) -> Option<f64> {
        if self > 0.0 { Some(self.ln()) } else { None }
    }

    fn relu(self) -> f64 {
        self.max(0.0)
    }
}

#[grad(order = 2)]
fn by_methods(x: f64, y: f64) -> f64 {
    if x.is_loud() || y.above(x * 9.0) {
        return x * y.squared();
    }
    let z: f64 = -x.swish(y) * 2.0;
    z.relu() + z.squared().gap(y) * f64::from(x.sign()) + (x * y).safe_ln().unwrap_or(0.0)
        - if let Some(l) = y.safe_ln() { l } else { x }
}

#[grad(order = 2)]
fn of_elements(x: &[f64]) -> f64 {
    let mut y = x[0];
    for _ in 0..2 {
        y = y.swish(0.5).sin();
    }
    x.iter().map(|x| (x * y).squared()).sum::<f64>() + x.iter().map(Signal::squared).sum::<f64>()
}

#[test]
fn methods() {
    for x in [0.3, -0.4, 2.7] {
        check!(by_methods(value x = x, value y = 0.7));
        check_second!(by_methods(value x = x, value y = 0.7));
    }
    check!(of_elements(shared x = [0.3, -0.4]));
    check_second!(of_elements(shared x = [0.3, -0.4]));
}

#[test]
fn functions() {
    for x in [0.3, -0.4, 6.7] {
        check!(by_paths(value x = x, value k = 0.7));
        check_second!(by_paths(value x = x, value k = 0.7));
        check!(of_a_parameter(value x = x, value k = 0.7));
        check_second!(of_a_parameter(value x = x, value k = 0.7));
    }
    check!(of_one_of_two(value x = 0.3));
    check_second!(of_one_of_two(value x = 0.3));
    check!(layer(shared w = [0.3, -0.4], shared x = [0.7, 1.1]));
    check_second!(layer(shared w = [0.3, -0.4], shared x = [0.7, 1.1]));
    near(&of_one_of_two::grad(0.5), &(9.0 * 0.25 + 3.0), 1e-14);
}

#[test]
fn of_single_precision() {
    // 4 (x k) (x² k) and 2 x²
    let (x, k) = (0.5_f32, 3.0);
    let (dx, dk) = of_a_parameter::grad(x, k);
    near(&f64::from(dx), &(9.0 * 0.75 + 4.0 * 0.5), 1e-6);
    near(&dk, &(2.0 * 3.0 * 0.125), 1e-6);
}

/// Functions of a trait that are called on a type parameter, and on each other.
#[grad(order = 2)]
trait Blend: Copy {
    fn mix(a: Self, b: Self, t: Self) -> Self;
    fn soft(self) -> Self;
    fn softly(a: Self, b: Self) -> Self;
}

#[grad(order = 2)]
impl Blend for f64 {
    fn mix(a: f64, b: f64, t: f64) -> f64 {
        a + (b - a) * t
    }

    fn soft(self) -> f64 {
        self.tanh() * self
    }

    fn softly(a: Self, b: Self) -> Self {
        Self::mix(a, b, Self::soft(b)) * Self::cos(a)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Shade<T> {
    light: T,
    dark: T,
}

#[grad(order = 2)]
impl<T: Blend> Shade<T> {
    fn mixed(self, other: Self, t: T) -> Self {
        Shade {
            light: T::mix(self.light, other.light, t),
            dark: T::softly(self.dark, other.dark).soft(),
        }
    }
}

#[grad(order = 2)]
fn through_a_parameter<T: Blend>(a: T, b: T) -> T {
    T::mix(a, <T as Blend>::soft(b), T::softly(a, b))
}

#[grad(order = 2)]
fn of_parameters(x: f64, y: f64, z: f64) -> f64 {
    let shade = Shade { light: x, dark: y };
    let mixed = shade.mixed(Shade { light: y, dark: z }, x * z);
    mixed.light * mixed.dark + through_a_parameter(x, z)
}

#[test]
fn functions_of_traits_of_a_parameter() {
    check!(of_parameters(value x = 0.3, value y = 0.7, value z = -0.4));
    check_second!(of_parameters(value x = 0.3, value y = 0.7, value z = -0.4));
}
