//! Second derivatives through the user's own types: parameters, fields, methods, calls.

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl Point {
    fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    fn dot(&self, other: &Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    fn scaled(self, s: f64) -> Self {
        Self {
            x: self.x * s,
            ..self
        }
    }

    fn grow(&mut self, s: f64) {
        self.x *= s;
        self.y += s * s * self.x;
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Body {
    at: Point,
    mass: f64,
    weights: Vec<f64>,
    count: usize,
    #[constant]
    gravity: f64,
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair<T>(T, [T; 2]);

#[grad(order = 2)]
fn energy(body: &Body, t: f64) -> f64 {
    let mut e = body.gravity * body.mass * body.at.x.sin();
    for i in 0..body.count {
        e += body.weights[i] * body.at.y * e.cos() * t;
    }
    e * t
}

#[grad(order = 2)]
fn of_pair<T: autodiff::Float>(pair: &Pair<T>, t: T) -> T {
    let Pair(a, b) = pair;
    *a * b[0] * t + b[1].sin() * pair.0
}

type Real = f64;

/// It has no derivative.
fn made_body() -> Body {
    Body {
        at: Point { x: 0.3, y: 0.5 },
        mass: 1.2,
        weights: vec![0.4, 0.7],
        count: 2,
        gravity: 1.5,
    }
}

second! {
    fn of_what_was_made(a: f64, b: f64) -> f64 {
        let body = made_body();
        energy(&body, a * b) + energy(&made_body(), b)
    } = [value a = 0.4, value b = 0.8];

    fn made_and_changed(a: f64, b: f64) -> f64 {
        let p = Point { x: a * b, y: a.sin() };
        let mut q = Point { y: b, ..p };
        q.y *= p.x;
        q.x = q.y * p.y + a;
        let Point { x, y } = q;
        x * y + p.x.powi(3)
    } = [value a = 0.4, value b = 0.8];

    fn methods(a: f64, b: f64, c: f64) -> f64 {
        let p = Point::new(a, b);
        let mut q = Point::new(c, a * b);
        q.x += p.y;
        q.grow(a);
        let r = p.scaled(q.dot(&p));
        r.dot(&q).sin() + r.x
    } = [value a = 0.4, value b = 0.8, value c = 0.3];

    fn through_calls(a: f64, b: f64, n: usize) -> f64 {
        let body = Body { at: Point { x: a, y: a * b }, mass: b, weights: vec![a, b * b], count: n, gravity: 9.81 };
        let pair = Pair(a, [b, body.mass * a]);
        energy(&body, b) + of_pair(&pair, a)
    } = [value a = 0.4, value b = 0.8, constant n = 2], [value a = 0.4, value b = 0.8, constant n = 0];

    fn vectors_of_them(xs: &[f64], t: f64) -> f64 {
        let mut points: Vec<Point> = Vec::new();
        for x in xs {
            points.push(Point { x: *x * t, y: x.cos() });
        }
        points[1].x *= points[0].y;
        let mut s = t;
        for p in &points {
            s = s * p.x + p.y * t;
            if p.y > 0.9 { s *= p.x; }
        }
        s
    } = [shared xs = [0.3, 0.9, -0.5], value t = 0.7];

    fn aliased(x: Real, y: Real) -> Real {
        let z: Real = x * y;
        z * z.sin() / x
    } = [value x = 0.4, value y = 0.8];
}

/// A function of the flat entries, its value and its Hessian.
#[test]
fn a_hessian_has_the_entries_of_structs_in_order() {
    let body = Body {
        at: Point { x: 0.3, y: 0.5 },
        mass: 1.2,
        weights: vec![0.4, 0.7],
        count: 2,
        gravity: 1.5,
    };
    let t = 0.7;
    let hessian = energy::hessian(&body, t);
    let h = 1e-5;
    let row = |changed: &Body, t: f64| {
        let (g, by_t) = energy::grad(changed, t);
        vec![g.at.x, g.at.y, g.mass, g.weights[0], g.weights[1], by_t]
    };
    let slope = |change: &dyn Fn(&mut Body, f64), by_t: f64| -> Vec<f64> {
        let (mut up, mut down) = (body.clone(), body.clone());
        change(&mut up, h);
        change(&mut down, -h);
        let (up, down) = (row(&up, t + by_t * h), row(&down, t - by_t * h));
        up.iter()
            .zip(&down)
            .map(|(a, b)| (a - b) / (2.0 * h))
            .collect()
    };
    let rows = [
        slope(&|body, h| body.at.x += h, 0.0),
        slope(&|body, h| body.at.y += h, 0.0),
        slope(&|body, h| body.mass += h, 0.0),
        slope(&|body, h| body.weights[0] += h, 0.0),
        slope(&|body, h| body.weights[1] += h, 0.0),
        slope(&|_, _| (), 1.0),
    ];
    assert_eq!((hessian.rows(), hessian.cols()), (6, 6));
    for (k, row) in rows.iter().enumerate() {
        crate::check::near(hessian.row(k), row, 1e-8);
    }
    // The constant has no row, and a method's Hessian begins with what it is called on.
    let p = Point { x: 0.3, y: 0.5 };
    let of_dot = p.dot_hessian(&Point { x: 2.0, y: 3.0 });
    assert_eq!(of_dot.row(0), [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(of_dot.row(3), [0.0, 1.0, 0.0, 0.0]);
}

#[derive(Clone, Debug, Differentiable)]
enum Term {
    X,
    Number(f64),
    Add(Box<Term>, Box<Term>),
    Mul(Box<Term>, Box<Term>),
}

#[grad(order = 2)]
fn term(of: &Term, x: f64) -> f64 {
    match of {
        Term::X => x,
        Term::Number(v) => *v,
        Term::Add(a, b) => term(a, x) + term(b, x),
        Term::Mul(a, b) => term(a, x) * term(b, x),
    }
}

impl Term {
    #[grad(order = 2)]
    fn at(&self, x: f64) -> f64 {
        match self {
            Term::X => x,
            Term::Number(v) => *v,
            Term::Add(a, b) => a.at(x) + b.at(x),
            Term::Mul(a, b) => a.at(x) * b.at(x),
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Boxed {
    at: Box<Point>,
}

#[grad(order = 2)]
fn cubic(p: &Point, t: f64) -> f64 {
    p.x * p.x * p.y * t
}

#[grad(order = 2)]
fn of_boxed(p: &Boxed, t: f64) -> f64 {
    cubic(&p.at, t) * t
}

/// What a `Box` holds is lent in several directions at once.
#[test]
fn contents_of_a_box() {
    let p = Boxed {
        at: Box::new(Point { x: 2.0, y: 3.0 }),
    };
    let (x, y, t) = (2.0, 3.0, 5.0);
    let hessian = of_boxed::hessian(&p, t);
    let rows = [
        [2.0 * y * t * t, 2.0 * x * t * t, 4.0 * x * y * t],
        [2.0 * x * t * t, 0.0, 2.0 * x * x * t],
        [4.0 * x * y * t, 2.0 * x * x * t, 2.0 * x * x * y],
    ];
    for (k, row) in rows.iter().enumerate() {
        crate::check::near(hessian.row(k), row, 1e-12);
    }
    // (x² + 3) x
    let square = Term::Mul(Box::new(Term::X), Box::new(Term::X));
    let sum = Term::Add(Box::new(square), Box::new(Term::Number(3.0)));
    let whole = Term::Mul(Box::new(sum), Box::new(Term::X));
    let (along, by_x) = term::grad(&whole, 2.0);
    assert_eq!(by_x, 15.0);
    let lone = term::hvp(&whole, 2.0, (&along, 1.0)).1.1;
    // 6 x, and the number's own tangent, which is x.
    assert_eq!(lone, 14.0);
    assert_eq!(whole.at_hvp(2.0, (&along, 1.0)).1.1, lone);
}

/// Memory of a filter: each number moves on by one place.
#[derive(Clone, Differentiable)]
struct Delay {
    past: Vec<f64>,
    gain: f64,
}

#[grad(order = 2)]
impl Delay {
    fn next(&mut self, x: f64) -> f64 {
        let n = self.past.len();
        self.past.copy_within(0..(n - 1), 1);
        self.past[0] = x * self.gain;
        self.past
            .iter()
            .zip(1..)
            .map(|(v, k)| v * v * f64::from(k))
            .sum()
    }
}

#[grad(order = 2)]
fn delayed(x: f64, gain: f64) -> f64 {
    let past = vec![x, x * x, gain];
    let mut delay = Delay { past, gain };
    delay.next(2.0 * x) * delay.next(gain * x)
}

#[test]
fn memory_that_moves_on() {
    check!(delayed(value x = 1.1, value gain = 0.7));
    check_second!(delayed(value x = 1.1, value gain = 0.7));
}
