//! Methods, associated functions, and operators of the user's own types.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

use autodiff::{Differentiable, Float, Tangent, grad};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Complex {
    re: f64,
    im: f64,
}

#[grad]
impl Complex {
    fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }

    fn norm2(&self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    fn conjugate(self) -> Self {
        Complex {
            im: -self.im,
            ..self
        }
    }

    fn rotate(&mut self, angle: f64) {
        let (s, c) = angle.sin_cos();
        let re = self.re * c - self.im * s;
        self.im = self.re * s + self.im * c;
        self.re = re;
    }

    fn scaled(mut self, by: f64) -> Self {
        self.re *= by;
        self.im *= by;
        self
    }

    fn inverse(&self) -> Option<Complex> {
        let n = self.norm2();
        if n < 1e-9 {
            return None;
        }
        Some(Self::new(self.re / n, -self.im / n))
    }

    fn power(self, n: usize) -> Self {
        if n == 0 {
            return Self::new(1.0, 0.0);
        }
        self * self.power(n - 1)
    }

    fn parts(&self) -> usize {
        2
    }
}

#[grad]
impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Self::Output {
        Complex::new(self.re + other.re, self.im + other.im)
    }
}

#[grad]
impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

#[grad]
impl Mul for Complex {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self {
            re: self.re * o.re - self.im * o.im,
            im: self.re * o.im + self.im * o.re,
        }
    }
}

#[grad]
impl Mul<Complex> for f64 {
    type Output = Complex;
    fn mul(self, z: Complex) -> Complex {
        z.scaled(self)
    }
}

#[grad]
impl Mul<f64> for Complex {
    type Output = Complex;
    fn mul(self, by: f64) -> Complex {
        self.scaled(by)
    }
}

#[grad]
impl Div<f64> for Complex {
    type Output = Complex;
    fn div(self, by: f64) -> Complex {
        Complex {
            re: self.re / by,
            im: self.im / by,
        }
    }
}

#[grad]
impl Neg for Complex {
    type Output = Complex;
    fn neg(self) -> Complex {
        Complex {
            re: -self.re,
            im: -self.im,
        }
    }
}

#[grad]
impl AddAssign for Complex {
    fn add_assign(&mut self, other: Complex) {
        self.re += other.re;
        self.im += other.im;
    }
}

// Not what one expects of `*=`, so that its rule is not taken for that of a product.
#[grad]
impl MulAssign<f64> for Complex {
    fn mul_assign(&mut self, by: f64) {
        self.re = self.re * by + self.im;
        self.im *= by * by;
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Matrix {
    data: Vec<f64>,
    cols: usize,
}

#[grad]
impl<'a> Mul<&'a Matrix> for &'a Matrix {
    type Output = Matrix;
    fn mul(self, other: &'a Matrix) -> Matrix {
        let (m, n, k) = (self.data.len() / self.cols, other.cols, self.cols);
        let mut data = vec![0.0; m * n];
        for i in 0..m {
            for j in 0..n {
                for l in 0..k {
                    data[i * n + j] += self.data[i * k + l] * other.data[l * n + j];
                }
            }
        }
        Matrix { data, cols: n }
    }
}

impl Matrix {
    #[grad]
    fn trace(&self) -> f64 {
        let mut total = 0.0;
        for k in 0..self.cols {
            total += self.data[k * self.cols + k];
        }
        total
    }

    #[grad]
    fn scale(&mut self, by: f64) {
        for x in self.data.iter_mut() {
            *x *= by;
        }
    }
}

#[grad]
fn calls(a: f64, b: f64) -> f64 {
    let mut z = Complex::new(a, b);
    let w = z.conjugate();
    z.rotate(a * b);
    let mut total = z.norm2() * w.norm2();
    for k in 0..3 {
        z.rotate(0.1 * k as f64);
        total += z.re * w.im + z.scaled(b).norm2();
        z.im = z.im * a;
    }
    total + z.parts() as f64 * z.re
}

#[grad]
fn operators(a: f64, b: f64) -> f64 {
    let z = Complex { re: a, im: b };
    let w = z * z + Complex::new(0.3, a * b);
    let u = -(w - z) * 2.0 + 0.5 * w;
    let v = (u / (1.0 + a * a)).conjugate();
    (v * u).re * b + v.im
}

#[grad]
fn assigning(a: f64, b: f64) -> f64 {
    let mut z = Complex { re: a, im: b };
    let step = Complex { re: b, im: a * a };
    let mut path = vec![z; 2];
    for k in 0..3 {
        z += step * z;
        z *= 0.5 * a;
        path[k % 2] += z;
        path[1 - k % 2] *= b;
    }
    z.norm2() + path[0].re * path[1].im
}

#[grad]
fn julia(a: f64, b: f64) -> f64 {
    let c = Complex::new(0.1 * a, 0.2);
    let mut z = Complex::new(a, b);
    let mut rounds = 0;
    while z.norm2() < 4.0 && rounds < 6 {
        z = z * z + c;
        rounds += 1;
    }
    z.norm2() * rounds as f64 + z.power(3).im
}

#[grad]
fn inverses(a: f64, b: f64) -> f64 {
    match Complex::new(a, b).inverse() {
        Some(z) => z.re * z.im,
        None => a,
    }
}

#[grad]
fn matrices(x: &[f64]) -> f64 {
    let mut m = Matrix {
        data: vec![x[0], x[1], x[2], x[0] * x[1]],
        cols: 2,
    };
    let square = &m * &m;
    m.scale(x[2]);
    let product = &square * &m;
    product.trace() + square.trace() * m.data[1]
}

#[derive(Clone, Differentiable)]
struct Oscillator {
    position: Complex,
    stiffness: f64,
    history: Vec<f64>,
}

#[grad]
impl Oscillator {
    fn force(&self, t: f64) -> f64 {
        -self.stiffness * self.position.re + t.sin()
    }

    fn step(&mut self, t: f64, dt: f64) -> f64 {
        let f = self.force(t);
        self.position.im += f * dt;
        self.position.re += self.position.im * dt;
        self.history.push(self.position.re);
        if self.position.re < 0.0 {
            return self.energy();
        }
        f
    }

    fn energy(&self) -> f64 {
        let x = self.position.re;
        0.5 * (self.position.im * self.position.im + self.stiffness * x * x)
    }

    fn run(mut self, n: usize) -> f64 {
        let mut total = 0.0;
        for k in 0..n {
            total += self.step(k as f64 * 0.1, 0.1);
        }
        total + self.energy() + self.history[n / 2]
    }
}

#[grad]
fn oscillates(k: f64, x: f64) -> f64 {
    let o = Oscillator {
        position: Complex::new(x, 0.2),
        stiffness: k * k,
        history: Vec::new(),
    };
    o.run(7) * k
}

#[test]
fn methods_and_operators() {
    for (a, b) in [(0.7, 1.3), (1.1, -0.4), (-0.6, 0.8)] {
        check!(calls(value a = a, value b = b));
        check!(operators(value a = a, value b = b));
        check!(assigning(value a = a, value b = b));
        check!(julia(value a = a, value b = b));
        check!(inverses(value a = a, value b = b));
        check!(oscillates(value k = a, value x = b));
    }
    check!(matrices(shared x = [0.7, -1.2, 0.4]));
}

#[test]
fn derivatives_are_methods() {
    let z = Complex { re: 0.6, im: -0.8 };
    let g: ComplexTangent = z.norm2_grad();
    assert_eq!((g.re, g.im), (1.2, -1.6));
    let (value, g) = z.norm2_value_and_grad();
    assert_eq!(value, z.norm2());
    let (_, dot) = z.norm2_jvp(&g);
    assert!((dot - g.norm2()).abs() < 1e-15);
    let (w, (dz, by)) = z.scaled_vjp(3.0, ComplexTangent { re: 1.0, im: 2.0 });
    assert_eq!(w, z.scaled(3.0));
    assert_eq!((dz.re, dz.im, by), (3.0, 6.0, 0.6 - 1.6));
    let mut into = g.clone();
    z.norm2_grad_into(&mut into);
    assert_eq!(into.re, 2.0 * g.re);
    let (_, bars) = Complex::new_vjp(1.0, 2.0, ComplexTangent { re: 5.0, im: 7.0 });
    assert_eq!(bars, (5.0, 7.0));
    let mut moved = z;
    let mut bar = ComplexTangent { re: 1.0, im: 0.0 };
    let angle = moved.rotate_vjp(0.0, &mut bar);
    assert_eq!((bar.re, bar.im, angle), (1.0, 0.0, 0.8));
}

#[derive(Clone, Differentiable)]
struct Gain {
    by: f64,
}

impl Gain {
    #[grad]
    fn applied(#[constant] &self, x: f64) -> f64 {
        self.by * x * x
    }

    #[grad(wrt(self))]
    fn alone(&self, x: f64) -> f64 {
        self.by * self.by * x
    }

    #[grad(wrt(x, self))]
    fn with(&self, x: f64, y: f64) -> f64 {
        self.by * x * x * y
    }
}

#[test]
fn a_receiver_is_named_by_wrt() {
    let gain = Gain { by: 2.0 };
    assert_eq!(gain.alone_grad(3.0).by, 12.0);
    let (by, x) = gain.with_grad(3.0, 5.0);
    assert_eq!((by.by, x), (45.0, 60.0));
}

#[grad]
fn gained(by: f64, x: f64) -> f64 {
    let gain = Gain { by };
    gain.applied(x)
}

#[test]
fn a_constant_receiver_has_no_gradient() {
    let gain = Gain { by: 2.0 };
    assert_eq!(gain.applied_grad(3.0), 12.0);
    assert_eq!(gain.applied_jvp(3.0, 1.0), (18.0, 12.0));
    assert_eq!(gained::grad(2.0, 3.0), (0.0, 12.0));
}

#[derive(Clone, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
impl Point {
    fn shifted_dot(&mut self, other: &Point) -> f64 {
        self.x += 1.0;
        self.x * other.x + self.y * other.y
    }

    fn dot(&self, other: &Point) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

#[derive(Clone, Differentiable)]
struct Ball {
    at: Point,
    radius: f64,
}

#[grad]
fn fields_meet_fields(x: f64, y: f64) -> f64 {
    let mut a = Ball {
        at: Point { x, y },
        radius: 2.0,
    };
    let b = Ball {
        at: Point { x: y, y: x * x },
        radius: x,
    };
    let first = a.at.shifted_dot(&b.at);
    a.at.x *= b.radius;
    first * a.at.dot(&b.at) + a.at.dot(&a.at) * a.radius + a.at.shifted_dot(&b.at)
}

#[test]
fn fields_are_lent_beside_fields_that_change() {
    check!(fields_meet_fields(value x = 0.7, value y = 1.3));
}

#[derive(Clone, Differentiable)]
struct Charge {
    q: f64,
}

#[grad]
impl Charge {
    fn energy(&self) -> f64 {
        self.q * self.q
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Of<T> {
    d: T,
    e: T,
}

#[derive(Clone, Copy, Differentiable)]
struct Many<const N: usize> {
    d: [f64; N],
}

#[grad]
fn with_weight(x: f64) -> (Charge, f64) {
    (Charge { q: x }, x)
}

#[grad]
fn charges(x: f64) -> Vec<Charge> {
    vec![Charge { q: x.sin() }, Charge { q: x }]
}

#[grad]
fn of<T: Float>(a: T) -> Of<T> {
    Of { d: a * a, e: a }
}

#[grad]
fn same<const N: usize>(v: &Many<N>) -> Many<N> {
    *v
}

#[grad]
fn elements_of_results(x: f64) -> f64 {
    let t = charges(x);
    t[0].energy() * x + t[1].energy() + with_weight(x * x).0.energy()
}

#[grad]
fn structs_with_one_parameter(x: f64) -> f64 {
    let v = of(x);
    let w = same(&Many { d: [x, x * x] });
    v.d * v.e * w.d[1]
}

#[test]
fn methods_of_what_calls_return() {
    for x in [1.3, -0.7] {
        check!(elements_of_results(value x = x));
        check!(structs_with_one_parameter(value x = x));
    }
}

#[derive(Clone, Differentiable)]
struct Rows {
    data: Vec<f64>,
    columns: usize,
}

#[grad]
fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p * q).sum()
}

#[grad]
impl Rows {
    fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.columns..(i + 1) * self.columns]
    }

    fn count(&self) -> usize {
        self.data.len() / self.columns
    }

    fn gram(&self) -> f64 {
        let mut s = self.row(0)[1] * self.row(1)[0];
        for i in 0..self.count() {
            for j in 0..self.count() {
                s += inner(self.row(i), self.row(j)) * (i + 1) as f64;
            }
        }
        s + (0..self.count())
            .map(|i| self.row(i).iter().sum::<f64>().sin())
            .sum::<f64>()
    }

    fn largest(&self) -> f64 {
        let row = self.row(1);
        let mut best = row[0];
        for v in row {
            best = best.max(*v);
        }
        best * self.row(0).len() as f64
    }
}

#[grad]
fn of_rows(x: f64, y: f64) -> f64 {
    let rows = Rows {
        data: vec![x, x * y, 1.0, x.sin()],
        columns: 2,
    };
    rows.gram() * rows.largest()
}

#[test]
fn rows_that_methods_lend_to_each_other() {
    check!(of_rows(value x = 1.3, value y = 2.7));
    check!(of_rows(value x = 0.4, value y = -0.6));
}

#[derive(Clone, Copy, Differentiable)]
struct Arrow {
    x: f64,
    y: f64,
}

struct Earth;

impl Earth {
    const RADIUS: f64 = 2.5;
    const ROUNDS: usize = 2;
}

#[grad]
impl Arrow {
    const EAST: Arrow = Arrow { x: 1.0, y: 0.0 };
    #[cfg(test)]
    const LENGTH: f64 = 1.5;

    #[cfg(not(test))]
    fn stretched(&self) -> f64 {
        self.x
    }

    #[cfg(test)]
    fn stretched(&self) -> f64 {
        self.length() * 2.0
    }

    fn length(&self) -> f64 {
        self.x.hypot(self.y) * Self::LENGTH
    }
}

#[grad]
impl Mul<f64> for Arrow {
    type Output = Arrow;
    fn mul(self, by: f64) -> Arrow {
        Arrow {
            x: self.x * by,
            y: self.y * by,
        }
    }
}

#[grad]
impl Add<&Arrow> for &Arrow {
    type Output = Arrow;
    fn add(self, other: &Arrow) -> Arrow {
        Arrow {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[grad]
fn from_constants(x: f64, y: f64) -> f64 {
    let mut v: Arrow = Arrow::EAST;
    v = v * x;
    v = v * y;
    let w = &Arrow { x, y } + &v;
    let mut s = Earth::RADIUS;
    for k in 0..Earth::ROUNDS {
        s = s * x + k as f64;
    }
    let h = (Earth::RADIUS + y).sqrt() * Earth::RADIUS.powi(2) + x.max(Earth::RADIUS);
    v.length() * y + w.stretched() * s + h
}

#[test]
fn constants_of_types() {
    check!(from_constants(value x = 1.3, value y = 2.7));
    check!(from_constants(value x = 0.4, value y = -0.6));
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair {
    x: f64,
    y: f64,
}

#[grad]
impl Pair {
    fn scaled(self, k: f64) -> Pair {
        Pair {
            x: self.x * k,
            y: self.y,
        }
    }
    fn with(self, o: Pair) -> f64 {
        self.x * o.x + self.y * o.y
    }
    fn size(self) -> f64 {
        Self::with(self, self).sqrt()
    }
    fn twice(self, k: f64) -> f64 {
        let v = Self::scaled(self, k);
        Pair::size(v) + Self::size(Self::scaled(v, 2.0))
    }
    fn all(list: &[Pair], k: f64) -> f64 {
        list.iter().map(|v| Self::with(*v, v.scaled(k))).sum()
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Lender {
    at: Pair,
    list: Vec<Pair>,
    xs: Vec<f64>,
    k: f64,
}

#[grad]
impl Lender {
    fn at(&self) -> &Pair {
        &self.at
    }
    fn nth(&self, i: usize) -> &Pair {
        &self.list[i]
    }
    fn list(&self) -> &[Pair] {
        &self.list
    }
    fn factor(&self) -> &f64 {
        &self.k
    }
    fn xs(&self) -> &Vec<f64> {
        &self.xs
    }
    fn total(&self) -> f64 {
        let (v, w) = (self.at(), self.nth(1));
        v.x * w.y
            + self.list().iter().map(|v| v.x * v.y).sum::<f64>()
            + self.xs()[0] * self.at().x * *self.factor()
    }
}

#[grad]
fn by_path_and_lent(x: [f64; 6], k: f64) -> f64 {
    let (a, b) = (Pair { x: x[0], y: x[1] }, Pair { x: x[2], y: x[3] });
    let lender = Lender {
        at: a,
        list: vec![b, a.scaled(k)],
        xs: vec![x[4]],
        k: x[5],
    };
    a.twice(k) + b.size() + Pair::all(&[a, b], k) * lender.total()
}

#[test]
fn methods_by_their_path_and_methods_that_lend() {
    check!(by_path_and_lent(value x = [0.7, -0.4, 1.1, 0.3, 0.9, -0.6], value k = 1.3));
}

/// No copy of it is made by itself.
#[derive(Clone, Debug, Differentiable)]
struct Layer {
    weights: Vec<f64>,
    bias: f64,
}

#[grad(order = 2)]
impl Layer {
    fn of(bias: f64, size: usize) -> Layer {
        let weights = (0..size).map(|k| bias * k as f64).collect();
        Layer { weights, bias }
    }
    fn merged(self, other: Layer) -> Layer {
        Layer {
            bias: self.bias * other.bias,
            weights: other.weights,
        }
    }
    fn grown(mut self, k: f64) -> Layer {
        self.weights.push(k * self.bias);
        self
    }
    fn cost(self, x: f64) -> f64 {
        self.weights.iter().map(|w| w * w * x).sum::<f64>() + self.bias * x
    }
    fn applied(self, f: impl Fn(f64) -> f64) -> f64 {
        f(self.bias) * self.weights[1]
    }
    fn weighed(self, by: &[f64]) -> f64 {
        by.iter().zip(&self.weights).map(|(a, b)| a * a * b).sum()
    }
    fn shrunk(self, rounds: usize) -> f64 {
        if rounds == 0 {
            self.cost(1.5)
        } else {
            let bias = self.bias;
            bias * Layer::shrunk(self.grown(0.5), rounds - 1)
        }
    }
}

/// From outside of the block, by path and as methods.
#[grad(order = 2)]
fn by_value(x: f64, y: f64) -> f64 {
    let layer = Layer::of(x, 3);
    let merged = Layer::merged(layer.clone(), Layer::of(y, 2));
    let grown = Layer::grown(merged, x).grown(y);
    let by = [x, x * y, y];
    Layer::cost(layer.clone(), y) * Layer::weighed(layer.clone(), &by)
        + grown.clone().weighed(&by[1..])
        + grown.clone().cost(x)
        + Layer::shrunk(grown, 2)
        + layer.shrunk(1)
}

const EAST: Pair = Pair { x: 1.0, y: 2.0 };

/// It is not known of a constant whether it is a reference.
#[grad]
fn constants_as_receivers(x: f64, y: f64) -> f64 {
    let v = Pair { x, y };
    Pair::with(EAST, v) * Pair::with(v, EAST) + Pair::scaled(EAST, x).y + EAST.scaled(y).x
}

#[grad]
fn by_value_with_functions(x: f64, y: f64) -> f64 {
    let layer = Layer::of(x, 3);
    Layer::applied(layer.clone(), |v| v * y) + layer.applied(|v| v * v * y)
}

/// The tangent of a receiver that is passed by value is, too; so are those of derivatives in a body.
#[grad]
fn derivatives_of_methods_by_value(x: f64, y: f64) -> f64 {
    let layer = Layer::of(x, 3);
    let dot = layer.clone().cost_grad(y).0;
    let (value, slope) = layer.clone().cost_jvp(y, (dot.clone(), x));
    let (_, again) = Layer::cost_jvp(layer.clone(), x, (dot, y));
    value * slope + again + Layer::cost_value_and_grad(layer, y).1.1
}

#[test]
fn methods_by_value_and_by_their_path() {
    check!(by_value(value x = 0.7, value y = -0.4));
    check_second!(by_value(value x = 0.7, value y = -0.4));
    check!(constants_as_receivers(value x = 0.7, value y = -0.4));
    check!(by_value_with_functions(value x = 0.7, value y = -0.4));
    check!(derivatives_of_methods_by_value(value x = 0.7, value y = -0.4));
    let (layer, dot) = (
        Layer::of(0.7, 3),
        LayerTangent {
            weights: vec![0.0, 1.0, 2.0],
            bias: 0.5,
        },
    );
    let gradient = layer.clone().shrunk_grad(2);
    let (_, slope) = Layer::shrunk_jvp(layer.clone(), 2, dot.clone());
    assert!((slope - gradient.inner(&dot)).abs() < 1e-12 * slope.abs());
    let (again, _) = layer.shrunk_hvp(2, dot);
    assert_eq!(again.bias, gradient.bias);
}

#[derive(Clone, Debug, Differentiable)]
struct Body {
    at: f64,
    speed: f64,
}

#[grad]
impl Body {
    fn kick(&mut self, by: f64) {
        self.speed += by * self.at;
    }
    fn pull(&mut self, other: &Body) {
        self.speed += other.at * self.at * other.speed;
    }
    fn trade(&mut self, other: &mut Body) {
        let t = self.speed * other.at;
        self.speed += other.speed;
        other.speed = t;
    }
    fn gap(&self, other: &Body) -> f64 {
        (self.at - other.speed) * (self.speed + other.at)
    }
    fn all(&self, others: &[Body]) -> f64 {
        others.iter().map(|other| self.gap(other)).sum()
    }
}

#[grad]
fn bodies(x: f64, y: f64) -> Vec<Body> {
    let places = [x, y, x + y, x * y];
    let body = |at: f64| Body { at, speed: at * x };
    places.into_iter().map(body).collect()
}

#[grad]
fn halves_collide(x: f64, y: f64) -> f64 {
    let mut list = bodies(x, y);
    for k in 1..4 {
        let (head, tail) = list.split_at_mut(k);
        head[0].pull(&tail[0]);
        tail[0].trade(&mut head[k - 1]);
        for other in tail.iter_mut() {
            other.kick(head[k - 1].gap(other));
        }
    }
    let (first, rest) = list.split_first_mut().unwrap();
    let (second, rest) = rest.split_first_mut().unwrap();
    second.pull(&rest[0]);
    first.trade(second);
    let last = &rest[1];
    second.pull(last);
    list.iter().map(|body| body.speed).sum()
}

#[grad]
fn slices_are_kicked(x: f64, y: f64) -> f64 {
    let mut list = bodies(x, y);
    for body in &mut list[1..] {
        body.kick(x);
    }
    for pair in list.chunks_mut(2) {
        pair[0].kick(y);
        if let [a, b] = pair {
            a.pull(b);
        }
    }
    let part = &mut list[2..];
    part[0].kick(y);
    part[1].speed * part[0].gap(&part[1]) * list[0].speed
}

#[grad]
fn elements_look_at_each_other(list: &mut [Body], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..list.len() {
        for j in 0..list.len() {
            s += list[i].gap(&list[j]) * k;
        }
        s += list[i].all(list) * list[1..][0].all(&list[..2]);
        list[i].kick(s);
    }
    s
}

#[grad]
fn looked_at(x: f64, y: f64) -> f64 {
    let mut list = bodies(x, y);
    let s = elements_look_at_each_other(&mut list[..2], 0.1) / 64.0;
    elements_look_at_each_other(&mut list[1..], s) + list[1].speed
}

#[test]
fn elements_of_parts_are_changed_by_methods() {
    check!(halves_collide(value x = 0.7, value y = 0.4));
    check!(slices_are_kicked(value x = 0.7, value y = 0.4));
    check!(looked_at(value x = 0.3, value y = 0.2));
}

#[derive(Clone, Debug, Differentiable)]
struct Plan {
    rate: f64,
    offset: f64,
    steps: usize,
    weights: Vec<f64>,
}

/// Its methods lend what they have changed to the next one.
#[grad(order = 2)]
impl Plan {
    fn new() -> Self {
        Plan {
            rate: 1.0,
            offset: 0.0,
            steps: 1,
            weights: Vec::new(),
        }
    }
    fn rate(&mut self, rate: f64) -> &mut Self {
        self.rate = rate;
        self
    }
    fn offset(&mut self, offset: f64) -> &mut Plan {
        if offset < 0.0 {
            return self;
        }
        self.offset = offset * self.rate;
        self
    }
    fn steps(&mut self, steps: usize) -> &mut Self {
        self.steps = steps;
        self
    }
    fn weight(&mut self, weight: f64) -> &mut Self {
        self.weights.push(weight);
        self
    }
    /// A part that is lent to others.
    fn weights_mut(&mut self) -> &mut Vec<f64> {
        &mut self.weights
    }
    fn run(&self, x: f64) -> f64 {
        let mut y = x;
        for _ in 0..self.steps {
            y = (y * self.rate + self.offset).sin() + self.weights.iter().sum::<f64>() * y;
        }
        y
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Plans {
    first: Plan,
    by: f64,
}

impl Plan {
    #[grad(order = 2)]
    fn shifted(&mut self, by: f64) -> &mut Self {
        self.offset += by * by;
        self
    }
}

#[grad(order = 2)]
fn planned(x: f64, y: f64) -> f64 {
    let mut plan = Plan::new();
    plan.rate(x).steps(3).offset(y).weight(x * y).offset(-x);
    plan.shifted(x);
    let mut plans = Plans {
        first: plan.clone(),
        by: x,
    };
    for k in 0..2 {
        plans.first.steps(k).rate(y).shifted(plans.by);
    }
    plan.run(y) + plans.first.run(x) * plan.rate
}

#[test]
fn methods_that_lend_what_they_change() {
    check!(planned(value x = 0.7, value y = 0.4));
    check_second!(planned(value x = 0.7, value y = 0.4));
    assert_eq!(Plan::new().weight(2.0).weights_mut(), &[2.0]);
}

/// The output of an operator by the name that its trait has for it.
#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Polar<T> {
    length: T,
    angle: T,
}

#[grad]
impl<T> Polar<T> {
    const fn new(length: T, angle: T) -> Self {
        Self { length, angle }
    }
}

#[grad]
impl<'a, T: Copy + Add<Output = T> + Mul<Output = T>> Mul<&'a Polar<T>> for &Polar<T> {
    type Output = Polar<T>;
    fn mul(self, other: &'a Polar<T>) -> Self::Output {
        Self::Output::new(self.length * other.length, self.angle + other.angle)
    }
}

#[grad]
impl<T: Copy + Add<Output = T>> Add<T> for Polar<T> {
    type Output = Self;
    fn add(self, angle: T) -> Self::Output {
        Self::Output {
            length: self.length,
            angle: self.angle + angle,
        }
    }
}

trait Opposite {
    type Output;
    fn opposite(&self) -> Self::Output;
}

#[grad]
impl Opposite for Polar<f64> {
    type Output = Polar<f64>;
    fn opposite(&self) -> Self::Output {
        Self::Output::new(-self.length, self.angle * self.angle)
    }
}

#[grad]
fn turned(a: f64, b: f64) -> f64 {
    let p = Polar {
        length: a,
        angle: b,
    };
    let q = (&p * &Polar::new(b, a)) + a;
    let r = q.opposite();
    q.length * q.angle.sin() + r.length * r.angle
}

#[test]
fn outputs_are_made_by_their_name_in_the_trait() {
    check!(turned(value a = 0.7, value b = 1.3));
}

#[grad(order = 2)]
fn weighed(x: f64) -> f64 {
    x * x.sin()
}

#[derive(Clone, Differentiable)]
struct Scale {
    k: f64,
}

#[grad(order = 2)]
impl Scale {
    fn weigh(&self, x: f64) -> f64 {
        self::weighed(x * self.k) + [x, self.k].iter().map(|x| self::weighed(*x)).sum::<f64>()
    }
}

#[grad(order = 2)]
fn by_the_module(x: f64, k: f64) -> f64 {
    Scale { k }.weigh(x)
}

#[test]
fn self_in_a_path_is_the_module() {
    check!(by_the_module(value x = 0.7, value k = 1.3));
}
