//! Constants of the user's own types: what starts from them, and their methods.

use std::ops::{Add, AddAssign, MulAssign, Neg, Sub, SubAssign};

use autodiff::{Differentiable, grad};

/// The logarithm of a probability: sums are sums of what it is the logarithm of.
#[derive(Clone, Copy, Debug, Differentiable)]
struct LogProb(f64);

impl LogProb {
    const TINY: LogProb = LogProb(-3.0);
}

#[grad]
impl AddAssign for LogProb {
    fn add_assign(&mut self, other: LogProb) {
        let most = self.0.max(other.0);
        self.0 = most + ((self.0 - most).exp() + (other.0 - most).exp()).ln();
    }
}

#[grad]
fn in_bins(xs: &[f64]) -> f64 {
    let mut bins = vec![LogProb::TINY; 2];
    for (i, &x) in xs.iter().enumerate() {
        bins[i % 2] += LogProb(x);
    }
    let mut all = [LogProb::TINY; 3];
    all.iter_mut().zip(&bins).for_each(|(a, b)| *a += *b);
    all[2] += bins[0];
    let mut pair = (LogProb::TINY, 1.0);
    pair.0 += all[0];
    let last = &mut pair.0;
    *last += all[2];
    let mut perhaps = Some(LogProb::TINY);
    if let Some(p) = &mut perhaps {
        *p += pair.0;
    }
    let mut nested = [[LogProb::TINY; 2]; 2];
    for row in nested.iter_mut() {
        for p in row.iter_mut() {
            *p += bins[1];
        }
    }
    bins[0].0 * all[1].0 + pair.0.0 * perhaps.unwrap().0 + nested[1][0].0
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Force {
    x: f64,
    y: f64,
}

impl Force {
    const ZERO: Force = Force { x: 0.0, y: 0.5 };
}

static TABLE: [Force; 2] = [Force { x: 1.0, y: 0.3 }, Force { x: -0.4, y: 2.0 }];
const UP: Force = Force { x: 0.2, y: 1.0 };

#[grad]
impl Add for Force {
    type Output = Force;
    fn add(self, other: Force) -> Force {
        Force {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[grad]
impl Sub for Force {
    type Output = Force;
    fn sub(self, other: Force) -> Force {
        Force {
            x: self.x - other.x,
            y: self.y - other.y,
        }
    }
}

#[grad]
impl Neg for Force {
    type Output = Force;
    fn neg(self) -> Force {
        Force {
            x: -self.x,
            y: -self.y,
        }
    }
}

#[grad]
impl SubAssign<&Force> for Force {
    fn sub_assign(&mut self, other: &Force) {
        self.x -= other.x;
        self.y -= other.y * other.x;
    }
}

#[grad]
impl MulAssign<f64> for Force {
    fn mul_assign(&mut self, by: f64) {
        self.x *= by;
        self.y *= by * by;
    }
}

#[grad]
impl Force {
    fn new(x: f64, y: f64) -> Force {
        Force { x, y }
    }

    fn scaled(self, by: f64) -> Force {
        Force {
            x: self.x * by,
            y: self.y * by,
        }
    }

    fn along(&self, other: &Force) -> f64 {
        self.x * other.x + self.y * other.y
    }

    fn with_x(mut self, x: f64) -> Self {
        self.x = x;
        self
    }
}

#[grad]
fn gathered(t: f64) -> f64 {
    let v = Force { x: t, y: t * t };
    let mut force = vec![Force::ZERO; 3];
    force[0] -= &v;
    force[1] *= t;
    force[2] -= &v;
    let mut table = TABLE;
    table[0] = table[0] + v;
    table[1] = v - table[1];
    let turned = -table[0];
    force[0].along(&force[1]) + force[2].y * turned.along(&table[1])
}

/// What is constant has the methods of its type, with an argument that is not.
#[grad]
fn of_receivers(t: f64) -> f64 {
    let v = Force { x: t, y: t * t };
    let made = Force::new(1.0, 2.0);
    let scaled = made.scaled(t);
    let built = Force::new(0.5, 1.5).with_x(t).scaled(2.0);
    let read = TABLE[1].scaled(t);
    UP.along(&v) * UP.scaled(t).y + scaled.x * scaled.y + built.along(&read)
}

#[test]
fn what_starts_from_constants() {
    check!(in_bins(shared xs = vec![0.3, -0.4, 1.1, 0.2]));
    for t in [0.7, -1.2, 0.3] {
        check!(gathered(value t = t));
        check!(of_receivers(value t = t));
    }
}

/// A type without a copy, and lists and options of it, out of code without derivatives.
#[derive(Clone, Debug, Differentiable)]
struct Layer {
    weight: f64,
    history: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Core {
    first: Layer,
    rest: Option<Layer>,
}

#[derive(Clone, Debug, Differentiable)]
struct Network {
    core: Core,
    layers: Vec<Layer>,
    depth: usize,
}

fn layer(weight: f64) -> Layer {
    Layer {
        weight,
        history: vec![weight, 0.5],
    }
}

fn network() -> Network {
    Network {
        core: Core {
            first: layer(0.8),
            rest: Some(layer(1.3)),
        },
        layers: vec![layer(2.0), layer(-0.5)],
        depth: 2,
    }
}

#[grad(order = 2)]
impl Layer {
    fn at(&self, x: f64) -> f64 {
        self.weight * x * x + self.history[1] * x
    }
}

#[grad(order = 2)]
fn squeezed(layer: &Layer, x: f64) -> f64 {
    (layer.weight * x).tanh()
}

/// What is lent there is gone when the pullback runs, or is borrowed again by it.
#[grad(order = 2)]
fn of_given(x: f64, #[constant] net: &Network) -> f64 {
    let mut s = net.core.first.at(x) * net.layers[net.depth - 1].at(x);
    for layer in &net.layers {
        s = s * layer.at(x) + squeezed(layer, s);
    }
    let last = net.layers.last().unwrap();
    let core = &net.core;
    let mut best = &net.layers[0];
    for layer in &net.layers {
        if layer.weight > best.weight {
            best = layer;
        }
    }
    if let Some(layer) = &core.rest {
        s += layer.at(x) * core.first.at(s);
    }
    let at = |x: f64| net.layers[1].at(x);
    s * at(x) + last.at(x) + best.at(s)
}

#[grad(order = 2)]
fn of_made(x: f64) -> f64 {
    let net = network();
    let mut s = net.core.first.at(x) * net.layers[net.depth - 1].at(x);
    for layer in &net.layers {
        s = s * layer.at(x) + squeezed(layer, s);
    }
    let widest = net
        .layers
        .iter()
        .max_by(|a, b| a.weight.total_cmp(&b.weight));
    let widest = widest.unwrap();
    let lone = &layer(0.7);
    let part = &network().core.first;
    let chained: f64 = net
        .layers
        .iter()
        .map(|layer| layer.at(s) * squeezed(layer, x))
        .sum();
    let numbers = &vec![x.floor(), 2.0];
    s * widest.at(x) + lone.at(s) * part.at(x) + squeezed(lone, x) + chained * numbers[1]
}

#[test]
fn what_code_without_derivatives_made_has_methods() {
    let net = &network();
    for x in [0.7, -0.4] {
        check!(of_given(value x = x, constant net = net));
        check_second!(of_given(value x = x, constant net = net));
        check!(of_made(value x = x));
        check_second!(of_made(value x = x));
    }
}

fn perhaps(there: bool) -> Option<Layer> {
    there.then(|| layer(0.4))
}

/// Options that are constant, where what stands in for what is not there is none.
#[grad]
fn of_options(x: f64, y: f64, there: bool, #[constant] net: &Network) -> f64 {
    let lone: Option<Layer> = perhaps(there);
    let number = there.then_some(0.5);
    let given = net.core.rest.as_ref().map(|l| l.weight).unwrap_or(x);
    let part = lone.as_ref().map(|l| l.weight).unwrap_or(y);
    let some = perhaps(there);
    let active = some.as_ref().map(|l| l.weight * x).unwrap_or(x * y);
    let sum = some
        .as_ref()
        .map(|l| l.history.iter().map(|h| h * y).sum::<f64>());
    let twice = number.map(|n| n * 2.0).unwrap_or(y);
    let kept = match some
        .as_ref()
        .and_then(|l| (l.weight > 0.0).then_some(l.weight * y))
    {
        Some(w) => w * w,
        None => x,
    };
    given * part * y + active * twice + sum.unwrap_or(x) * kept
}

#[test]
fn what_stands_in_for_a_constant() {
    let net = &network();
    for there in [true, false] {
        check!(of_options(value x = 0.7, value y = -0.4, constant there = there, constant net = net));
    }
}

/// What a parameter with `#[constant]` is lent may be differentiable to the caller: what comes by that way is a constant.
mod lent_as_constants {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Field {
        pub(super) strength: f64,
    }

    #[grad(order = 2)]
    pub(super) fn pull(#[constant] field: &Field, x: f64) -> f64 {
        field.strength * x * x
    }

    #[grad(order = 2)]
    pub(super) fn passed_on(#[constant] field: &Field, x: f64) -> f64 {
        pull(field, x) + pull(&Field { strength: 1.0 }, x)
    }

    #[grad(order = 2)]
    pub(super) fn lent(field: &Field, x: f64) -> f64 {
        passed_on(field, x) * field.strength
    }

    #[grad(order = 2)]
    pub(super) fn made(x: f64, n: usize) -> f64 {
        let mut fields = vec![Field { strength: x }; 2];
        let mut sum = 0.0;
        for k in 0..n {
            fields[k % 2].strength += 1.0;
            sum += pull(&fields[k % 2], x);
        }
        sum
    }
}

#[test]
fn what_is_lent_as_a_constant_is_one() {
    use lent_as_constants::{Field, FieldTangent, lent, made};
    let field = Field { strength: 1.5 };
    let (s, x): (f64, f64) = (1.5, 0.7);
    // As if `s` in `s x² + x²` were another.
    let (by_strength, by_x) = ((s + 1.0) * x * x, 2.0 * (s + 1.0) * x * s);
    let (d_field, d_x) = lent::grad(&field, x);
    crate::check::near(&[d_field.strength, d_x], &[by_strength, by_x], 1e-14);
    let along = FieldTangent { strength: 1.0 };
    let (_, dot) = lent::jvp(&field, x, (&along, 0.5));
    crate::check::near(&dot, &(by_strength + 0.5 * by_x), 1e-14);
    let hessian = lent::hessian(&field, x);
    let mixed = 2.0 * (s + 1.0) * x;
    crate::check::near(
        hessian.as_slice(),
        &[0.0, mixed, mixed, 2.0 * (s + 1.0) * s][..],
        1e-14,
    );
    // Strengths 1.7, 1.7, 2.7.
    crate::check::near(&made::grad(x, 3), &(2.0 * x * 6.1), 1e-14);
    crate::check::near(made::hessian(x, 3).as_slice(), &[2.0 * 6.1][..], 1e-14);
}
