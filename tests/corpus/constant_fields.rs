//! Fields marked `#[constant]`: read by index, lent, walked through, written; their tangent is `()`.

use std::marker::PhantomData;

use autodiff::{Differentiable, grad};

use crate::check::near;

#[derive(Clone, Debug, Differentiable)]
struct Spot {
    x: f64,
    at: [f64; 2],
}

#[derive(Clone, Debug, Differentiable)]
struct Table {
    #[constant]
    w: Vec<f64>,
    #[constant]
    spots: Vec<Spot>,
    #[constant]
    grid: [[f64; 2]; 2],
    #[constant]
    rate: f64,
    v: Vec<f64>,
    spot: Spot,
}

#[derive(Clone, Debug, Differentiable)]
struct Model {
    inner: Table,
    #[constant]
    fixed: Table,
    scale: f64,
    count: usize,
}

fn table(v: &[f64]) -> Table {
    Table {
        w: vec![0.5, -1.5, 2.0],
        spots: vec![
            Spot {
                x: 0.3,
                at: [1.0, 2.0],
            },
            Spot {
                x: -0.7,
                at: [3.0, 0.5],
            },
        ],
        grid: [[1.0, 2.0], [3.0, 4.0]],
        rate: 1.25,
        v: v.to_vec(),
        spot: Spot {
            x: v[0],
            at: [v[1], 0.5],
        },
    }
}

fn model(v: &[f64]) -> Model {
    Model {
        inner: table(v),
        fixed: table(&[2.0, 3.0]),
        scale: v[0],
        count: 2,
    }
}

#[grad(order = 2)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for k in 0..a.len().min(b.len()) {
        sum += a[k] * b[k];
    }
    sum
}

#[grad(order = 2)]
fn of_spot(c: &Spot) -> f64 {
    c.x * c.at[0] + c.at[1] * c.at[1]
}

#[grad(order = 2)]
fn indexed(t: &Table, x: f64) -> f64 {
    let mut sum = t.rate * x;
    for k in 0..t.w.len() {
        sum += t.w[k] * x * t.v[k % t.v.len()];
    }
    sum * t.spots[1].x * t.grid[1][0] * t.spots[0].at[1] + t.spot.at[0] * t.spot.x
}

#[grad(order = 2)]
fn nested(m: &Model, x: f64) -> f64 {
    let mut total = 0.0;
    for w in &m.inner.w {
        total += w * x * m.scale;
    }
    for (k, c) in m.fixed.spots.iter().enumerate() {
        total += c.x * x * x + c.at[k] * m.inner.v[k];
    }
    for row in &m.inner.grid {
        for g in row {
            total *= 1.0 + 0.1 * g * x;
        }
    }
    let spots = &m.inner.spots;
    for k in 0..m.count {
        total += spots[k].at[0] * m.fixed.v[k] * m.inner.v[k] * m.fixed.spot.x;
    }
    total
}

#[grad(order = 2)]
fn lent(m: &Model, xs: &[f64]) -> f64 {
    let all = dot(&m.inner.w, xs) * dot(xs, &m.fixed.v) + dot(&m.inner.v, &m.inner.w[1..]);
    all + dot(&m.inner.w[..2], &xs[1..]) * of_spot(&m.inner.spots[1])
        + of_spot(&m.fixed.spot) * of_spot(&m.inner.spot)
        + dot(&m.inner.w, &m.inner.w) * xs[0]
}

#[grad]
fn chained(m: &Model, xs: &[f64]) -> f64 {
    let a: f64 = m.inner.w.iter().zip(xs).map(|(w, x)| w * x).sum();
    let b = m
        .fixed
        .spots
        .iter()
        .map(|c| c.x * m.scale)
        .fold(1.0, |p, q| p * q);
    let rate: f64 = m.inner.rate;
    let c = rate * rate * xs[0];
    let copy = m.inner.w.clone();
    a * b + c * copy[1] * xs[1]
}

#[grad]
fn written(t: &mut Table, x: f64) -> f64 {
    t.rate = 2.0;
    t.w[0] = 3.0;
    t.w[1] += 1.0;
    let mut total = t.rate * x;
    for k in 0..2 {
        t.v[k] *= t.w[k] * x;
        t.w[k + 1] = t.w[k] * 0.5;
        total += t.v[k] * t.w[k + 1];
    }
    t.spots[0].x *= 2.0;
    total * t.spots[0].x
}

#[grad(order = 2)]
impl Table {
    fn weighted(&self, x: f64) -> f64 {
        self.w[0] * x + self.v[1] * self.w[1] * self.rate
    }

    fn of(self, x: f64) -> f64 {
        x * self.w[2] * self.v[0] * x
    }
}

#[grad(order = 2)]
fn methods(v: &[f64], x: f64) -> f64 {
    let t = Table {
        w: vec![0.7, 2.0, 3.0],
        spots: vec![],
        grid: [[0.0; 2]; 2],
        rate: 2.0,
        v: v.to_vec(),
        spot: Spot {
            x,
            at: [x * x, v[0]],
        },
    };
    let y = t.weighted(x) * t.spot.at[0];
    y + t.clone().of(y)
}

/// Derivatives by `v` and `x`, of a function of a table or a model that is made of `v`.
#[track_caller]
fn agree(
    f: impl Fn(&[f64], f64) -> f64,
    reverse: impl Fn(&[f64], f64) -> (f64, f64),
    forward: impl Fn(&[f64], f64) -> (f64, f64),
) {
    let (v, x, h) = ([0.7, -0.4], 0.9, 1e-6);
    let (by_v, by_x) = reverse(&v, x);
    let (along_v, along_x) = forward(&v, x);
    let moved = |by: f64| f(&[v[0] + by, v[1] + 2.0 * by], x);
    let slope = (moved(h) - moved(-h)) / (2.0 * h);
    crate::check::near(&by_v, &slope, 1e-8);
    crate::check::near(&along_v, &by_v, 1e-13);
    let slope = (f(&v, x + h) - f(&v, x - h)) / (2.0 * h);
    crate::check::near(&by_x, &slope, 1e-8);
    crate::check::near(&along_x, &by_x, 1e-13);
}

macro_rules! agree {
    ($f:ident, $make:ident, |$x:ident| $pass:expr) => {
        agree(
            |v, $x| $f(&$make(v), $pass),
            |v, $x| {
                let (g, by_x) = $f::grad(&$make(v), $pass);
                let (g, t) = (g, tangent(&$make(&[1.0, 2.0]), &$make(v)));
                (autodiff::Tangent::inner(&g, &t), sum(&by_x))
            },
            |v, $x| {
                let t = tangent(&$make(&[1.0, 2.0]), &$make(v));
                let none = autodiff::Differentiable::zero_tangent(&$pass);
                let one = ones(&$pass);
                let zero = autodiff::Tangent::zero_like(&t);
                let along_v = $f::jvp(&$make(v), $pass, (&t, none)).1;
                (along_v, $f::jvp(&$make(v), $pass, (&zero, one)).1)
            },
        )
    };
}

/// Along `(1, 2)`: all scalars but those that are always the same.
fn tangent<P: autodiff::Parameters>(to: &P, of: &P) -> P::Tangent {
    let mut t = of.zero_tangent();
    let (mut a, mut b) = (t.to_flat_len(), t.to_flat_len());
    to.write_flat(&mut a);
    of.write_flat(&mut b);
    // What does not change with `v` is 0.5 or the like in both.
    let moved: Vec<f64> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| if a == b { 0.0 } else { *a })
        .collect();
    autodiff::Tangent::read_flat(&mut t, &moved);
    t
}

trait Length {
    fn to_flat_len(&self) -> Vec<f64>;
}

impl<T: autodiff::Tangent> Length for T {
    fn to_flat_len(&self) -> Vec<f64> {
        vec![0.0; self.scalar_count()]
    }
}

fn ones(_: &f64) -> f64 {
    1.0
}

fn sum(x: &f64) -> f64 {
    *x
}

#[test]
fn constants_are_indexed() {
    agree!(indexed, table, |x| x);
    agree!(nested, model, |x| x);
}

#[test]
fn constants_are_lent_and_walked_through() {
    for f in [
        |m: &Model, x: f64| lent(m, &[x, x * x, 0.5]),
        |m: &Model, x: f64| chained(m, &[x, x * x, 0.5]),
    ] {
        assert!(f(&model(&[0.7, -0.4]), 0.9).is_finite());
    }
    let made = |v: &[f64], x: f64| (model(v), [x, x * x, 0.5]);
    agree(
        |v, x| lent(&model(v), &made(v, x).1),
        |v, x| {
            let (m, xs) = made(v, x);
            let (g, by) = lent::grad(&m, &xs);
            let t = tangent(&model(&[1.0, 2.0]), &m);
            (autodiff::Tangent::inner(&g, &t), by[0] + by[1] * 2.0 * x)
        },
        |v, x| {
            let (m, xs) = made(v, x);
            let t = tangent(&model(&[1.0, 2.0]), &m);
            let zero = autodiff::Tangent::zero_like(&t);
            let by_v = lent::jvp(&m, &xs, (&t, &[0.0; 3])).1;
            (by_v, lent::jvp(&m, &xs, (&zero, &[1.0, 2.0 * x, 0.0])).1)
        },
    );
    agree(
        |v, x| chained(&model(v), &made(v, x).1),
        |v, x| {
            let (m, xs) = made(v, x);
            let (g, by) = chained::grad(&m, &xs);
            let t = tangent(&model(&[1.0, 2.0]), &m);
            (autodiff::Tangent::inner(&g, &t), by[0] + by[1] * 2.0 * x)
        },
        |v, x| {
            let (m, xs) = made(v, x);
            let t = tangent(&model(&[1.0, 2.0]), &m);
            let zero = autodiff::Tangent::zero_like(&t);
            let by_v = chained::jvp(&m, &xs, (&t, &[0.0; 3])).1;
            (by_v, chained::jvp(&m, &xs, (&zero, &[1.0, 2.0 * x, 0.0])).1)
        },
    );
}

#[test]
fn constants_are_written() {
    agree(
        |v, x| written(&mut table(v), x),
        |v, x| {
            let mut bar = table(v).zero_tangent();
            let by_x = written::vjp(&mut table(v), x, 1.0, &mut bar);
            let by_x = by_x.1;
            let t = tangent(&table(&[1.0, 2.0]), &table(v));
            (autodiff::Tangent::inner(&bar, &t), by_x)
        },
        |v, x| {
            let t = tangent(&table(&[1.0, 2.0]), &table(v));
            let mut zero = autodiff::Tangent::zero_like(&t);
            let by_v = written::jvp(&mut table(v), x, (&mut t.clone(), 0.0)).1;
            (by_v, written::jvp(&mut table(v), x, (&mut zero, 1.0)).1)
        },
    );
}

#[test]
fn second_derivatives_with_constants() {
    let m = model(&[0.7, -0.4]);
    let xs = [0.9, 0.3, -0.2];
    let hessian = lent::hessian(&m, &xs);
    let n = hessian.rows();
    let gradient = |by: f64, k: usize| {
        let (mut m, mut xs) = (m.clone(), xs);
        let count = n - 3;
        let mut flat = vec![0.0; count];
        m.write_flat(&mut flat);
        if k < count {
            flat[k] += by;
            autodiff::Parameters::read_flat(&mut m, &flat);
        } else {
            xs[k - count] += by;
        }
        let (g, by) = lent::grad(&m, &xs);
        let mut all = autodiff::Tangent::to_flat(&g);
        all.extend(by);
        all
    };
    for k in 0..n {
        let (up, down) = (gradient(1e-6, k), gradient(-1e-6, k));
        for row in 0..n {
            let difference = (up[row] - down[row]) / 2e-6;
            crate::check::near(&hessian[[row, k]], &difference, 1e-7);
        }
    }
    check_second!(methods(shared v = [0.7, -0.4], value x = 0.9));
    check!(methods(shared v = [0.7, -0.4], value x = 0.9));
}

/// No derivative, and no `#[derive(Differentiable)]`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Activation {
    Linear,
    Sine,
    Power(i32),
    Scaled { by: f64 },
}

#[derive(Clone, Debug, Differentiable)]
struct Layer {
    w: f64,
    #[constant]
    activation: Activation,
    #[constant]
    skips: Option<usize>,
}

#[grad(order = 2)]
fn one_layer(l: &Layer, x: f64) -> f64 {
    match l.activation {
        Activation::Linear => l.w * x,
        Activation::Sine => (l.w * x).sin(),
        Activation::Power(n) => (l.w * x).powi(n),
        Activation::Scaled { by } => l.w * x * by,
    }
}

#[grad]
fn all_layers(layers: &[Layer], x: f64) -> f64 {
    let mut y = x;
    for l in layers {
        y = match &l.activation {
            Activation::Linear => l.w * y,
            Activation::Sine => (l.w * y).sin(),
            Activation::Power(n) => (l.w * y).powi(*n),
            Activation::Scaled { by } if *by > 0.0 => l.w * y * by,
            Activation::Scaled { .. } => y,
        };
        if l.activation == Activation::Sine {
            y *= 2.0;
        }
        if let Some(n) = l.skips {
            y += n as f64 * l.w;
        }
        if matches!(l.activation, Activation::Power(_)) {
            y += l.w;
        }
        let Layer {
            w,
            activation,
            skips,
        } = l;
        y += match (activation, skips) {
            (Activation::Linear, Some(n)) => w * x * *n as f64,
            (Activation::Scaled { by }, _) => w * by,
            _ => *w,
        };
    }
    y
}

#[grad]
fn layered(w: &[f64], x: f64) -> f64 {
    let layers = vec![
        Layer {
            w: w[0],
            activation: Activation::Linear,
            skips: Some(2),
        },
        Layer {
            w: w[1],
            activation: Activation::Sine,
            skips: None,
        },
        Layer {
            w: w[2],
            activation: Activation::Power(3),
            skips: Some(1),
        },
        Layer {
            w: w[3],
            activation: Activation::Scaled { by: 0.7 },
            skips: Some(1),
        },
        Layer {
            w: w[4],
            activation: Activation::Scaled { by: -0.7 },
            skips: None,
        },
    ];
    let mut s = all_layers(&layers, x);
    for l in &layers {
        s += one_layer(l, s);
    }
    s
}

#[test]
fn constants_without_derivatives_are_matched() {
    check!(layered(shared w = [0.7, -0.4, 1.1, 0.3, 0.9], value x = 0.6));
    let layer = |activation| Layer {
        w: 0.8,
        activation,
        skips: None,
    };
    let second = one_layer::hessian(&layer(Activation::Power(3)), 0.6);
    near(
        &[second[[0, 0]], second[[0, 1]]],
        &[6.0 * 0.8 * 0.6 * 0.6 * 0.6, 9.0 * 0.64 * 0.36],
        1e-14,
    );
    let (by_layer, by_x) = one_layer::grad(&layer(Activation::Scaled { by: 0.5 }), 0.6);
    near(&[by_layer.w, by_x], &[0.3, 0.4], 1e-15);
}

/// What a quantity is measured in; it has no derivative.
#[derive(Clone, Copy, Debug)]
struct Metre;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Quantity<U> {
    value: f64,
    unit: PhantomData<U>,
}

#[derive(Clone, Debug, Differentiable)]
enum Labelled<T, L: Clone>
where
    L: Into<String>,
{
    Plain(T),
    With {
        value: T,
        #[constant]
        label: L,
    },
}

#[grad(order = 2)]
fn area(a: &Quantity<Metre>, b: &Quantity<Metre>) -> f64 {
    let c = Quantity::<Metre> {
        value: a.value * b.value,
        unit: PhantomData,
    };
    let d = Quantity {
        value: c.value * a.value,
        ..c
    };
    c.value + d.value * d.value
}

#[grad(order = 2)]
fn area_of(x: f64, y: f64) -> f64 {
    let a = Quantity {
        value: x * y,
        unit: PhantomData,
    };
    area(&a, &Quantity { value: y, ..a })
}

#[grad(order = 2)]
fn labelled(of: &Labelled<f64, char>, x: f64) -> f64 {
    match of {
        Labelled::Plain(t) => t * x,
        Labelled::With { value, .. } => value * value * x,
    }
}

/// The tangent has no type parameter that stands in constants alone.
#[test]
fn parameters_of_constants() {
    check!(area_of(value x = 0.7, value y = 1.2));
    check_second!(area_of(value x = 0.7, value y = 1.2));
    let with = Labelled::With {
        value: 3.0,
        label: 'a',
    };
    let (of, by_x): (LabelledTangent<f64>, f64) = labelled::grad(&with, 2.0);
    assert_eq!(
        (of, by_x),
        (
            LabelledTangent::With {
                value: 12.0,
                label: ()
            },
            9.0
        )
    );
    let plain = Labelled::Plain(3.0);
    let (of, by_x) = labelled::grad(&plain, 2.0);
    assert_eq!((of, by_x), (LabelledTangent::Plain(2.0), 3.0));
    let (of, by_x) = labelled::hvp(
        &with,
        2.0,
        (
            &LabelledTangent::With {
                value: 1.0,
                label: (),
            },
            0.0,
        ),
    )
    .1;
    assert_eq!(
        (of, by_x),
        (
            LabelledTangent::With {
                value: 4.0,
                label: ()
            },
            6.0
        )
    );
}

trait Unit {
    const IN_METRES: f64;
}

/// It is none of `Clone`, as lengths are.
struct Inch;

impl Unit for Inch {
    const IN_METRES: f64 = 0.0254;
}

impl Unit for Metre {
    const IN_METRES: f64 = 1.0;
}

#[derive(Debug, Differentiable)]
struct Stretch<U>(f64, PhantomData<U>);

impl<U> Clone for Stretch<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Stretch<U> {}

#[grad(order = 2)]
impl<U> Stretch<U> {
    fn new(value: f64) -> Stretch<U> {
        Stretch(value, PhantomData)
    }
    fn value(&self) -> f64 {
        self.0
    }
    fn scaled(self, by: f64) -> Stretch<U> {
        Stretch(self.0 * by, PhantomData)
    }
    fn stretch(&mut self, by: f64) {
        self.0 *= by;
    }
}

#[grad(order = 2)]
impl<#[constant] U: Unit> Stretch<U> {
    fn metres(&self) -> f64 {
        self.0 * U::IN_METRES
    }
    fn to<#[constant] V: Unit>(self) -> Stretch<V> {
        Stretch::new(self.metres() / V::IN_METRES)
    }
}

#[grad(order = 2)]
impl<U> std::ops::Add for Stretch<U> {
    type Output = Stretch<U>;
    fn add(self, other: Stretch<U>) -> Stretch<U> {
        Stretch(self.0 + other.0, PhantomData)
    }
}

#[grad(order = 2)]
impl<U> std::ops::Mul<f64> for Stretch<U> {
    type Output = Stretch<U>;
    fn mul(self, by: f64) -> Stretch<U> {
        Stretch(self.0 * by, PhantomData)
    }
}

#[grad(order = 2)]
impl<U: Copy> std::ops::Neg for Quantity<U> {
    type Output = Quantity<U>;
    fn neg(self) -> Quantity<U> {
        Quantity {
            value: -self.value,
            unit: PhantomData,
        }
    }
}

#[grad(order = 2)]
fn diagonal<U>(a: Stretch<U>, b: &Stretch<U>) -> f64 {
    (a.value() * a.value() + b.value() * b.value()).sqrt()
}

#[grad(order = 2)]
fn in_metres<#[constant] U: Unit>(all: &[Stretch<U>], by: f64) -> f64 {
    all.iter().map(|l| l.metres() * l.value() * by).sum()
}

#[grad(order = 2)]
fn with_units(x: f64, y: f64) -> f64 {
    let mut a = Stretch::<Metre>::new(x);
    a.stretch(y);
    let b = (a + a.scaled(x)) * y;
    let c: Stretch<Inch> = Stretch::new(y * y);
    let back = -Quantity::<Metre> {
        value: x * y,
        unit: PhantomData,
    };
    diagonal(a, &b) + c.metres() * a.to::<Inch>().value() + back.value * in_metres(&[c, c * x], y)
}

#[test]
fn type_parameters_that_are_no_numbers() {
    check!(with_units(value x = 0.7, value y = 1.2));
    check_second!(with_units(value x = 0.7, value y = 1.2));
    let inches = [Stretch::<Inch>::new(2.0), Stretch::new(3.0)];
    let (by_length, _) = in_metres::grad(&inches, 1.0);
    near(
        &[by_length[0].0, by_length[1].0],
        &[4.0 * 0.0254, 6.0 * 0.0254],
        1e-15,
    );
}

/// It has no derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Plain,
    Log,
}

#[derive(Clone, Debug, Differentiable)]
struct Normal {
    mean: f64,
    width: f64,
    #[constant]
    scale: Scale,
    #[constant]
    used: Vec<Scale>,
}

#[derive(Clone, Debug, Differentiable)]
struct Tagged<D> {
    inner: Normal,
    #[constant]
    tag: D,
}

#[grad(order = 2)]
impl Normal {
    fn on(self, #[constant] scale: Scale) -> Self {
        Normal { scale, ..self }
    }
    fn put_on(&mut self, #[constant] scale: Scale) -> &mut Self {
        if self.scale != scale {
            self.used = vec![scale];
            self.scale = scale;
        }
        self.mean *= self.width;
        self
    }
    fn density(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.width;
        match self.scale {
            Scale::Log => -0.5 * z * z,
            Scale::Plain => (-0.5 * z * z).exp(),
        }
    }
}

#[grad(order = 2)]
fn tagged<#[constant] D: Clone>(
    of: &Normal,
    #[constant] tag: D,
    #[constant] other: D,
) -> Tagged<D> {
    let mut tagged = Tagged {
        inner: of.clone(),
        tag,
    };
    tagged.inner.mean *= of.width;
    tagged.tag = other;
    tagged.inner.scale = Scale::Plain;
    tagged
}

#[grad(order = 2)]
fn scaled(x: f64, y: f64) -> f64 {
    let normal = Normal {
        mean: x,
        width: y,
        scale: Scale::Plain,
        used: Vec::new(),
    };
    let mut one = normal.on(Scale::Log);
    one.put_on(Scale::Plain).put_on(Scale::Log);
    let mut all = vec![one.clone(), one];
    for (k, one) in all.iter_mut().enumerate() {
        one.scale = if k == 0 { Scale::Plain } else { Scale::Log };
        one.used = vec![Scale::Plain];
        one.used[0] = Scale::Log;
        one.width += x;
    }
    let last = tagged(&all[1], 'a', 'b');
    all[0].density(x * y) + all[1].density(y) * last.inner.density(x)
}

#[test]
fn constants_without_derivatives_are_written() {
    check!(scaled(value x = 0.7, value y = 1.2));
    check_second!(scaled(value x = 0.7, value y = 1.2));
}

#[derive(Clone, Debug, Differentiable)]
struct Series {
    values: [f64; 2],
    #[constant]
    name: &'static str,
    #[constant]
    width: usize,
}

#[grad(order = 2)]
impl Series {
    fn renamed(self, #[constant] name: &'static str) -> Self {
        Self {
            name,
            width: name.len(),
            ..self
        }
    }
    fn product(&self) -> f64 {
        self.values[0] * self.values[1] * self.width as f64
    }
}

#[grad]
fn named(x: f64, name: &'static str) -> f64 {
    let one = Series {
        values: [x, x.sin()],
        name,
        width: 1,
    };
    let other = Series {
        name: name,
        ..one.clone()
    };
    one.product() * other.values[1] * other.name.len() as f64
}

#[grad(order = 2)]
fn renamed(x: f64, y: f64) -> f64 {
    let series = Series {
        values: [x, x * y],
        name: "of x",
        width: 1,
    };
    series.renamed("other").product() * y
}

#[test]
fn names_are_put_into_fields() {
    check!(named(value x = 0.7, constant name = "ab"));
    check!(renamed(value x = 0.7, value y = 1.2));
    check_second!(renamed(value x = 0.7, value y = 1.2));
}

#[derive(Differentiable)]
struct Servers {
    arrivals: f64,
    service: f64,
    count: usize,
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// What a range counts to is no number with a derivative, and may be given to any function.
#[grad(order = 2)]
fn idle(queue: &Servers) -> f64 {
    let load = queue.arrivals / queue.service;
    let count = queue.count;
    let mut sum = 0.0;
    for k in 0..count {
        sum += load.powi(k as i32) / factorial(k);
    }
    let full = load.powi(count as i32) / factorial(count);
    1.0 / (sum + full / (1.0 - load / count as f64))
}

#[test]
fn counts_in_fields() {
    let at = |arrivals| Servers {
        arrivals,
        service: 1.3,
        count: 2,
    };
    // (1 − a/2) / (1 + a/2) for two servers.
    let slope = |a: f64| -1.0 / (1.0 + a / 2.0).powi(2);
    let found = idle::grad(&at(0.8));
    near(&found.arrivals, &(slope(0.8 / 1.3) / 1.3), 1e-14);
    near(
        &found.service,
        &(-slope(0.8 / 1.3) * 0.8 / (1.3 * 1.3)),
        1e-14,
    );
}
