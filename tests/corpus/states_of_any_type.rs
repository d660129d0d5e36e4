//! Type parameters that stand for a state, with operators between two types.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use autodiff::{Differentiable, Float, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair {
    x: f64,
    v: f64,
}

#[grad(order = 2)]
impl Add for Pair {
    type Output = Pair;
    fn add(self, o: Pair) -> Pair {
        Pair {
            x: self.x + o.x,
            v: self.v + o.v,
        }
    }
}

#[grad(order = 2)]
impl Mul<f64> for Pair {
    type Output = Pair;
    fn mul(self, k: f64) -> Pair {
        Pair {
            x: self.x * k,
            v: self.v * k,
        }
    }
}

#[grad(order = 2)]
impl AddAssign for Pair {
    fn add_assign(&mut self, o: Pair) {
        self.x += o.x;
        self.v += o.v;
    }
}

#[grad(order = 2)]
impl Neg for Pair {
    type Output = Pair;
    fn neg(self) -> Pair {
        Pair {
            x: -self.x,
            v: -self.v,
        }
    }
}

#[grad(order = 2)]
fn midpoint<Y: Copy + Add<Output = Y> + Mul<f64, Output = Y>>(
    f: impl Fn(f64, Y) -> Y,
    t: f64,
    y: Y,
    h: f64,
) -> Y {
    let k = f(t, y);
    let half = y + k * (h / 2.0);
    y + f(t + h / 2.0, half) * h
}

#[grad(order = 2)]
fn weighted<Y>(ys: &[Y], w: &[f64]) -> Y
where
    Y: Copy + AddAssign + Neg<Output = Y> + Mul<f64, Output = Y>,
{
    let mut sum = -ys[0] * w[0];
    for (y, &w) in ys.iter().zip(w).skip(1) {
        sum += *y * (w * w);
    }
    sum
}

#[grad(order = 2)]
fn oscillator(k: f64, x: f64) -> f64 {
    let mut s = Pair { x, v: 0.5 };
    for i in 0..5 {
        s = midpoint(
            |t, y: Pair| Pair {
                x: y.v,
                v: -k * y.x * (1.0 + t),
            },
            0.1 * i as f64,
            s,
            0.1,
        );
    }
    let all = weighted(&[s, Pair { x: k, v: x }, s], &[x, 0.3, k]);
    all.x * all.v
}

#[grad(order = 2)]
fn decay(k: f64, x: f64) -> f64 {
    let mut y = x;
    for i in 0..5 {
        y = midpoint(|t, y: f64| -k * y + t, 0.1 * i as f64, y, 0.1);
    }
    weighted(&[y, x], &[k, 0.7])
}

/// A filter whose coefficients are of another type than its state.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Filter<C, T> {
    b: [C; 2],
    a: C,
    x: T,
    y: T,
}

trait Runs<T> {
    fn run(&mut self, input: T) -> T;
}

#[grad(order = 2)]
impl<C, T> Runs<T> for Filter<C, T>
where
    T: Copy + Add<T, Output = T> + Sub<T, Output = T>,
    C: Copy + Mul<T, Output = T>,
{
    fn run(&mut self, input: T) -> T {
        let out = self.b[0] * input + self.b[1] * self.x - self.a * self.y;
        self.x = input;
        self.y = out;
        out
    }
}

#[grad(order = 2)]
fn filtered(b: f64, a: f64, signal: &[f64]) -> f64 {
    let mut filter = Filter {
        b: [b, b * b],
        a,
        x: 0.0,
        y: 0.0,
    };
    let mut energy = 0.0;
    for &s in signal {
        let y = filter.run(s);
        energy += y * y;
    }
    energy
}

#[grad(order = 2)]
fn between<T: Float, V: Copy + Sub<Output = V> + Add<Output = V> + Mul<T, Output = V>>(
    a: V,
    b: V,
    t: T,
) -> V {
    a + (b - a) * (t * t)
}

#[grad(order = 2)]
fn on_the_way(a: f64, b: f64, t: f64) -> f64 {
    between(a, b, t) * t
}

#[test]
fn a_state_is_any_type_with_the_operators() {
    check!(oscillator(value k = 1.3, value x = 0.7));
    check_second!(oscillator(value k = 1.3, value x = 0.7));
    check!(decay(value k = 1.3, value x = 0.7));
    check_second!(decay(value k = 1.3, value x = 0.7));
}

#[test]
fn coefficients_may_be_of_another_type_than_the_state() {
    check!(filtered(value b = 0.4, value a = -0.3, shared signal = [1.0, -0.5, 0.7]));
    check_second!(filtered(value b = 0.4, value a = -0.3, shared signal = [1.0, -0.5, 0.7]));
    check!(on_the_way(value a = 0.4, value b = -0.3, value t = 0.6));
    check_second!(on_the_way(value a = 0.4, value b = -0.3, value t = 0.6));
    assert_eq!(between::jvp(1.0, 3.0, 0.5, (0.0, 0.0, 1.0)), (1.5, 2.0));
}

/// Nothing says that it can be copied: derivatives ask for that.
#[grad(order = 2)]
fn blended<Y: Add<Output = Y> + Mul<f64, Output = Y>>(a: Y, b: Y, t: f64) -> Y {
    b * t + a * (1.0 - t)
}

#[grad(order = 2)]
fn of_numbers(a: f64, b: f64, t: f64) -> f64 {
    blended(a * t, b, t * t)
}

#[test]
fn parameters_without_copies() {
    check!(of_numbers(value a = 0.3, value b = 0.7, value t = 0.4));
    check_second!(of_numbers(value a = 0.3, value b = 0.7, value t = 0.4));
    assert_eq!(blended::grad(2.0, 3.0, 0.25), (0.75, 0.25, 1.0));
}
