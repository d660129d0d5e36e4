//! Dynamic methods: blocks of types that are generic in their numbers, of constants, traits and operators.
#![allow(clippy::all, clippy::pedantic)] // the functions show what people write

use std::ops::{Add, Mul};

use autodiff::{Differentiable, Float, grad};

/// A derivative by one number, against a difference.
#[track_caller]
fn agrees(found: f64, f: impl Fn(f64) -> f64, x: f64) {
    let h = 1e-5;
    let difference = (f(x + h) - f(x - h)) / (2.0 * h);
    assert!(
        (found - difference).abs() <= 1e-7 * found.abs().max(1.0),
        "{found} {difference}"
    );
}

#[derive(Clone, Differentiable)]
struct Model<T> {
    w: T,
    b: Vec<T>,
    #[constant]
    k: T,
    n: usize,
}

#[grad(dynamic)]
impl Model<f64> {
    const HALF: f64 = 0.5;

    fn new(w: f64) -> Self {
        Model {
            w,
            b: vec![w; 2],
            k: 3.0,
            n: 1,
        }
    }

    fn scaled(&self, s: f64) -> Self {
        Self {
            w: self.w * s,
            ..self.clone()
        }
    }

    fn loss(&self, x: f64) -> f64 {
        self.scaled(2.0).w * self.norm() * x * Self::HALF + self.k * x
    }

    fn norm(&self) -> f64 {
        let mut sum = 0.0;
        for b in &self.b {
            sum += b * b;
        }
        sum.sqrt()
    }

    fn len(&self) -> usize {
        self.b.len() + self.n
    }

    fn step(&mut self, dt: f64) -> f64 {
        for b in self.b.iter_mut() {
            *b *= 1.0 + dt * self.w;
        }
        self.w += dt;
        self.w * self.len() as f64
    }

    fn grow(&mut self, dt: f64) -> f64 {
        self.b.push(dt);
        dt
    }

    fn consume(mut self, x: f64) -> f64 {
        self.w *= x;
        self.loss(x)
    }

    fn product(&self, other: &Self) -> f64 {
        let more = if self.n > 0 {
            Self::new(other.w).norm()
        } else {
            1.0
        };
        self.w * other.w + more * Model::new(self.w).w
    }

    fn power(&self, k: u32) -> f64 {
        if k == 0 {
            1.0
        } else {
            self.w * self.power(k - 1)
        }
    }
}

fn with(w: f64) -> Model<f64> {
    Model {
        w,
        ..Model::new(2.0)
    }
}

#[test]
fn receivers_of_all_kinds() {
    let m = Model::new(2.0);
    agrees(m.loss_grad(3.0).0.w, |w| with(w).loss(3.0), 2.0);
    agrees(m.loss_grad(3.0).1, |x| m.loss(x), 3.0);
    assert_eq!(
        m.loss_value_and_grad(3.0).0.to_bits(),
        m.loss(3.0).to_bits()
    );
    let by_b = |b: f64| {
        Model {
            b: vec![2.0, b],
            ..m.clone()
        }
        .norm()
    };
    agrees(m.norm_grad().b[1], by_b, 2.0);
    agrees(
        m.clone().consume_grad(3.0).0.w,
        |w| with(w).consume(3.0),
        2.0,
    );
    agrees(
        m.product_grad(&with(5.0)).0.w,
        |w| with(w).product(&with(5.0)),
        2.0,
    );
    agrees(m.product_grad(&with(5.0)).1.w, |w| m.product(&with(w)), 5.0);
    assert_eq!(m.power_grad(4).w, 32.0);
    let mut seed = m.zero_tangent();
    seed.b = vec![1.0, 10.0];
    assert_eq!(Model::new_vjp(2.0, seed).1, 11.0);
    let (_, tangent) = m.loss_jvp(3.0, (&m.zero_tangent(), 1.0));
    assert_eq!(tangent, m.loss_grad(3.0).1);
}

#[test]
fn a_receiver_that_is_changed() {
    let mut m = Model::new(2.0);
    let mut bar = m.zero_tangent();
    bar.b[0] = 1.0;
    let (value, by_dt) = m.step_vjp(0.1, 1.0, &mut bar);
    let mut stepped = Model::new(2.0);
    assert_eq!((value, &m.b), (stepped.step(0.1), &stepped.b));
    let run = |mut m: Model<f64>, dt: f64| m.step(dt) + m.b[0];
    agrees(by_dt, |dt| run(Model::new(2.0), dt), 0.1);
    agrees(bar.w, |w| run(with(w), 0.1), 2.0);
    assert_eq!(bar.b, [1.2, 0.0]);
}

#[test]
#[should_panic(expected = "a dynamic function changed how many numbers there are in `self`")]
fn a_receiver_of_another_shape() {
    let mut m = Model::new(2.0);
    let mut bar = m.zero_tangent();
    m.grow_vjp(1.0, 1.0, &mut bar);
}

#[derive(Clone, Differentiable)]
struct Net<T> {
    layers: Vec<Model<T>>,
}

#[grad]
impl Net<f64> {
    #[grad(dynamic)]
    fn run(&self, x: f64) -> f64 {
        let mut y = x;
        for layer in &self.layers {
            y = layer.loss(y).sin() + 0.1;
        }
        y
    }

    fn total(&self) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.layers.len() {
            sum += self.layers[i].w;
        }
        sum
    }
}

#[grad]
fn compiled(m: &Model<f64>, x: f64) -> f64 {
    m.loss(x) * x + m.norm()
}

#[grad(dynamic)]
fn dynamic(m: &Model<f64>, x: f64) -> f64 {
    let mut m = m.clone();
    let first = m.step(x);
    m.loss(x) * x + m.norm() + first
}

#[test]
fn methods_that_others_call() {
    let net = Net {
        layers: vec![Model::new(0.3), Model::new(0.7)],
    };
    agrees(net.run_grad(0.4).1, |x| net.run(x), 0.4);
    assert_eq!(net.total_grad().layers[1].w, 1.0);
    let m = Model::new(2.0);
    agrees(
        compiled::grad(&m, 3.0).0.w,
        |w| compiled(&with(w), 3.0),
        2.0,
    );
    agrees(compiled::grad(&m, 3.0).1, |x| compiled(&m, x), 3.0);
    agrees(dynamic::grad(&m, 3.0).0.w, |w| dynamic(&with(w), 3.0), 2.0);
    agrees(dynamic::grad(&m, 3.0).1, |x| dynamic(&m, x), 3.0);
}

#[derive(Clone, Differentiable)]
struct Generic<T> {
    a: T,
}

#[grad(dynamic)]
impl<T: Float> Generic<T> {
    fn whole(&self, x: T) -> T {
        self.part(x) * Self::other(x) + self.a
    }

    fn part(&self, x: T) -> T {
        x * self.a.sin()
    }

    fn other(x: T) -> T
    where
        T: Float,
    {
        x.exp() * T::from_f64(0.5)
    }
}

trait Energy {
    fn energy(&self, x: f64) -> f64;
    fn twice(&self, x: f64) -> f64 {
        2.0 * self.energy(x)
    }
}

#[grad(dynamic)]
impl Energy for Generic<f64> {
    fn energy(&self, x: f64) -> f64 {
        self.a * x * x
    }
}

#[test]
fn generic_blocks_and_traits() {
    let g = Generic { a: 0.3 };
    agrees(g.whole_grad(0.7).0.a, |a| Generic { a }.whole(0.7), 0.3);
    agrees(g.whole_grad(0.7).1, |x| g.whole(x), 0.7);
    let single = Generic { a: 0.3_f32 }.whole_grad(0.7).1;
    assert!((f64::from(single) - g.whole_grad(0.7).1).abs() < 1e-6);
    agrees(g.energy_grad(0.7).1, |x| g.energy(x), 0.7);
    assert_eq!(g.twice(1.0), 0.6);
}

#[derive(Differentiable)]
struct Data {
    all: Vec<f64>,
}

#[grad(dynamic)]
impl Data {
    fn fit(#[constant] &self, w: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (d, w) in self.all.iter().zip(w) {
            sum += d * w * w;
        }
        sum + self.power(w[0], 3) + Self::square(w[1])
    }

    fn power(#[constant] &self, x: f64, k: u32) -> f64 {
        if k == 0 { x } else { x * self.power(x, k - 1) }
    }

    fn square(x: f64) -> f64 {
        x * x
    }
}

impl Data {
    #[grad(dynamic)]
    fn lone(#[constant] &self, w: f64, k: u32) -> f64 {
        if k == 0 {
            self.all[0]
        } else {
            w * self.lone(w, k - 1)
        }
    }
}

#[test]
fn receivers_that_are_constants() {
    let data = Data {
        all: vec![2.0, 3.0],
    };
    agrees(data.fit_grad(&[1.5, 0.5])[0], |x| data.fit(&[x, 0.5]), 1.5);
    agrees(data.fit_grad(&[1.5, 0.5])[1], |x| data.fit(&[1.5, x]), 0.5);
    assert_eq!(Data::square_grad(2.0), 4.0);
    assert_eq!(data.lone_value_and_grad(3.0, 2), (18.0, 12.0));
}

#[derive(Clone, Copy, Differentiable)]
struct V2<T> {
    x: T,
    y: T,
}

#[grad(dynamic)]
impl Mul<f64> for V2<f64> {
    type Output = V2<f64>;
    fn mul(self, k: f64) -> V2<f64> {
        V2 {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

#[grad(dynamic)]
impl Add for V2<f64> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        V2 {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

mod layers {
    pub(super) trait Layer<T> {
        fn forward(&self, x: T) -> T;
        fn name(&self) -> &'static str {
            "layer"
        }
    }
}

#[derive(Clone, Differentiable)]
struct Dense<T> {
    w: T,
}

#[grad(dynamic)]
impl layers::Layer<f64> for Dense<f64> {
    fn forward(&self, x: f64) -> f64 {
        let mut y = self.w * x;
        while y > 1.0 {
            y *= 0.5;
        }
        y.tanh()
    }
}

#[derive(Clone, Differentiable)]
struct Bias<T> {
    b: T,
}

#[grad(dynamic)]
impl layers::Layer<f64> for Bias<f64> {
    fn forward(&self, x: f64) -> f64 {
        x + self.b
    }
}

#[grad(dynamic)]
fn of_objects(dense: &Dense<f64>, bias: &Bias<f64>, x: f64) -> f64 {
    use layers::Layer;
    let all: Vec<Box<dyn Layer<f64>>> = vec![
        Box::new(dense.clone()),
        Box::new(bias.clone()),
        Box::new(dense.clone()),
    ];
    let v = V2 { x, y: 2.0 * x } * 3.0 + V2 { x: 1.0, y: x };
    all.iter().fold(x, |x, layer| layer.forward(x)) * all[0].name().len() as f64 + v.x * v.y
}

#[grad]
fn of_operators(x: f64) -> f64 {
    let v = V2 { x, y: 2.0 * x } * x;
    v.x * v.y
}

#[test]
fn operators_and_trait_objects() {
    let (dense, bias) = (Dense { w: 3.0 }, Bias { b: 0.3 });
    let (of_dense, of_bias, of_x) = of_objects::grad(&dense, &bias, 1.3);
    agrees(of_dense.w, |w| of_objects(&Dense { w }, &bias, 1.3), 3.0);
    agrees(of_bias.b, |b| of_objects(&dense, &Bias { b }, 1.3), 0.3);
    agrees(of_x, |x| of_objects(&dense, &bias, x), 1.3);
    assert_eq!(of_operators::grad(1.5), 27.0);
    agrees(
        dense.forward_grad(2.0).0.w,
        |w| layers::Layer::forward(&Dense { w }, 2.0),
        3.0,
    );
}

enum Token {
    Number(f64),
    Pair([f64; 2]),
    Input,
}

#[grad(dynamic)]
fn first(#[constant] tokens: &[Token], x: f64) -> f64 {
    fn of(token: &Token, x: f64) -> f64 {
        match *token {
            Token::Number(c) => c,
            Token::Pair(p) => {
                if p[0] > 0.0 {
                    p[0]
                } else {
                    p[1] * x
                }
            }
            Token::Input => x,
        }
    }
    let mut sum = 0.0;
    for token in tokens {
        let value: f64 = of(token, x);
        sum += value * x;
    }
    sum
}

#[test]
fn floats_of_the_data_as_results() {
    let tokens = [
        Token::Number(2.0),
        Token::Pair([-1.0, 3.0]),
        Token::Pair([1.0, 0.0]),
        Token::Input,
    ];
    assert_eq!(
        first::value_and_grad(&tokens, 2.0),
        (4.0 + 12.0 + 2.0 + 4.0, 2.0 + 12.0 + 1.0 + 4.0)
    );
}
