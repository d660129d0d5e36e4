//! Lists, tuples and single values of the user's own types that calls return: what is done with them shows what they are.

use std::ops::{Add, AddAssign, Mul, Sub};

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Default, PartialEq, Differentiable)]
pub(crate) struct Point {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl Point {
    fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    fn dot(self, other: Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    fn norm(&self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }
}

#[grad(order = 2)]
impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point::new(self.x + other.x, self.y + other.y)
    }
}

#[grad(order = 2)]
impl Sub for Point {
    type Output = Point;
    fn sub(self, other: Point) -> Point {
        Point::new(self.x - other.x, self.y - other.y)
    }
}

#[grad(order = 2)]
impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, k: f64) -> Point {
        Point::new(self.x * k, self.y * k)
    }
}

#[grad(order = 2)]
impl Mul<Point> for f64 {
    type Output = Point;
    fn mul(self, p: Point) -> Point {
        p * self
    }
}

#[grad(order = 2)]
impl AddAssign for Point {
    fn add_assign(&mut self, other: Point) {
        self.x += other.x;
        self.y += other.y;
    }
}

#[grad(order = 2)]
fn points(x: &[f64]) -> Vec<Point> {
    let next = |i: usize| x[(i + 1) % x.len()];
    (0..x.len())
        .map(|i| Point::new(x[i], x[i] * next(i)))
        .collect()
}

#[grad(order = 2)]
fn both(x: &[f64]) -> (Point, Point) {
    (Point::new(x[0], x[1] * x[2]), Point::new(x[1].sin(), x[3]))
}

#[grad(order = 2)]
fn three(x: &[f64]) -> [Point; 3] {
    [
        Point::new(x[0], x[1]),
        Point::new(x[1].sin(), x[3]),
        Point::new(x[2] * x[0], x[3]),
    ]
}

#[grad(order = 2)]
fn apart(a: &Point, b: &Point) -> f64 {
    let d = *a - *b;
    d.dot(d)
}

fn fixed() -> Vec<Point> {
    vec![Point { x: 1.0, y: 2.0 }, Point { x: -1.0, y: 0.5 }]
}

/// A method of one's own is called on what operators make.
#[grad(order = 2)]
fn computed(x: &[f64]) -> f64 {
    let (a, b) = both(x);
    let c = a + b;
    let parts = both(x);
    let v = points(x);
    let bend = v.windows(3).map(|w| {
        let d = w[0] - w[1] * 2.0 + w[2];
        d.dot(d)
    });
    (a - b).norm() + c.norm() + (parts.0 + parts.1 * x[0]).norm() + bend.sum::<f64>()
}

#[grad(order = 2)]
fn beside_constants(x: &[f64]) -> f64 {
    let v = points(x);
    let mut s = 0.0;
    for (p, q) in v.iter().zip(fixed()) {
        s += (*p - q).norm();
    }
    let w = fixed().into_iter().zip(v).map(|(q, p)| (q - p).dot(q));
    s + w.sum::<f64>()
}

#[grad(order = 2)]
fn folded(x: &[f64]) -> f64 {
    let v = points(x);
    let n = v.len() as f64;
    let mean = v.iter().fold(Point::default(), |a, p| a + *p) * (1.0 / n);
    let twice = v
        .iter()
        .map(|p| *p * 2.0)
        .fold(Point::new(0.0, 0.0), |a, b| a + b);
    let last = v.iter().copied().reduce(|a, b| a + b).unwrap();
    let path: Vec<Point> = v
        .iter()
        .scan(Point::default(), |at, p| {
            *at = *at + *p;
            Some(*at)
        })
        .collect();
    let spread = v.iter().map(|p| apart(p, &mean)).sum::<f64>();
    spread + twice.norm() * last.x + path.iter().map(|p| p.dot(*p)).sum::<f64>()
}

/// The type written beside a list is that of what a closure makes.
#[grad(order = 2)]
fn differences(x: &[f64]) -> f64 {
    let v = points(x);
    let d: Vec<Point> = v.windows(2).map(|w| w[1] - w[0]).collect();
    let mut sums: Vec<Point> = Vec::new();
    for w in v.chunks(2) {
        sums.push(w[0] + w[1] * 0.5);
    }
    apart(&d[0], &d[1]) * apart(&sums[0], &sums[1])
}

/// What a loop makes of the elements goes back into the same variable.
#[grad(order = 2)]
fn refined(x: &[f64]) -> f64 {
    let mut c = points(x);
    for _ in 0..2 {
        let mut finer = Vec::new();
        for w in c.windows(2) {
            finer.push(w[0] * 0.75 + w[1] * 0.25);
            finer.push(w[0] * 0.25 + w[1] * 0.75);
        }
        c = finer;
    }
    c.iter().map(|p| p.norm()).sum()
}

#[grad(order = 2)]
fn casteljau(x: &[f64], t: f64) -> f64 {
    let mut c = points(x);
    let n = c.len();
    for k in 1..n {
        for i in 0..n - k {
            c[i] = c[i] * (1.0 - t) + c[i + 1] * t;
        }
    }
    c[0].norm()
}

#[grad(order = 2)]
fn summed(x: &[f64]) -> f64 {
    let mut v = points(x);
    for i in 1..v.len() {
        let before = v[i - 1] * 0.5;
        v[i] += before;
    }
    let mut a = three(x);
    a[1] += a[0];
    a[2] += a[0] * 2.0 + a[1];
    let mut c = Point::default();
    for p in &v {
        c += *p;
    }
    for p in &mut v {
        *p = *p + c * 0.1;
    }
    v[3].x * v[2].y + a[1].x * a[2].norm() + c.norm()
}

#[grad(order = 2)]
fn ordered(x: &[f64]) -> f64 {
    let mut v = points(x);
    v.sort_by(|a, b| a.x.total_cmp(&b.x));
    let s = v[0].x * v[1].y + v[2].norm();
    v.sort_by(|a, b| b.norm().partial_cmp(&a.norm()).unwrap());
    v.reverse();
    v.rotate_left(1);
    let w = v.iter().enumerate().map(|(i, p)| p.x * i as f64);
    s + w.sum::<f64>()
}

#[grad(order = 2)]
fn shortened(x: &[f64]) -> f64 {
    let mut v = points(x);
    v.retain(|p| p.x > -1.0);
    v.dedup();
    v.extend(points(x));
    let taken: Vec<Point> = v.drain(1..3).collect();
    v.push(Point::new(x[0], x[1]));
    v.swap(0, 1);
    let last = v.pop().unwrap();
    let first = v.remove(0);
    v.iter().map(|p| p.norm()).sum::<f64>() + taken[0].dot(taken[1]) + last.x * first.y
}

#[grad(order = 2)]
fn found(x: &[f64]) -> f64 {
    let mut v = points(x);
    if let Some(p) = v.last_mut() {
        p.y = 3.0 * p.x;
    }
    let far = v
        .iter()
        .max_by(|a, b| a.norm().total_cmp(&b.norm()))
        .unwrap();
    let s = far.x * far.y + v.first().map(|p| p.norm()).unwrap();
    let here = v.get(2).copied().unwrap_or_default();
    let there = v.get(9).cloned().unwrap_or(Point::new(x[0], 2.0));
    let mut stack = points(x);
    let mut sum = here.dot(there);
    while let Some(p) = stack.pop() {
        if p.x > 1.0 {
            stack.push(Point::new(p.x - 1.0, p.y));
        }
        sum += p.norm();
    }
    s + sum
}

/// A list of references holds copies; its elements are lent.
#[grad(order = 2)]
fn of_references(x: &[f64]) -> f64 {
    let v = points(x);
    let right: Vec<&Point> = v.iter().filter(|p| p.x > 0.0).collect();
    let (low, high): (Vec<&Point>, Vec<&Point>) = v.iter().partition(|p| p.x < 0.5);
    let ends: [&Point; 2] = [&v[0], &v[3]];
    let numbered: Vec<(usize, &Point)> = v.iter().enumerate().collect();
    let mut s = apart(right[0], right[1]) + apart(low[0], high[0]) + apart(ends[0], ends[1]);
    s += right.windows(2).map(|w| apart(w[0], w[1])).sum::<f64>();
    for p in &right {
        s += apart(p, low[0]);
    }
    for p in right.iter().copied() {
        s += apart(p, &v[1]);
    }
    for p in right {
        s += (*p - *low[0]).dot(*p);
    }
    s + numbered
        .iter()
        .map(|(i, p)| *i as f64 * p.dot(**p))
        .sum::<f64>()
}

/// What stands in for what an option has not is made of constants.
#[grad(order = 2)]
fn chosen(x: &[f64]) -> f64 {
    let v = points(x);
    let o = if x[0] > 1.0 { Some(v[1]) } else { None };
    let zero = Point::default();
    let p = match &o {
        None => &zero,
        Some(p) => p,
    };
    let q = o.as_ref().unwrap_or(&v[0]);
    p.x * p.y + (*q - v[2]).norm()
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct System {
    at: Vec<Point>,
    speed: Vec<Point>,
}

#[grad(order = 2)]
impl System {
    fn turn(&mut self) {
        self.at.sort_by(|a, b| a.x.total_cmp(&b.x));
        self.at.reverse();
        self.speed.retain(|v| v.x > -1.0);
        self.speed.dedup();
    }

    fn places(&self) -> Vec<Point> {
        self.at.clone()
    }

    fn sizes(&self) -> Vec<f64> {
        self.speed.iter().map(|v| v.norm()).collect()
    }

    fn step(&mut self, dt: f64) {
        for (p, v) in self.at.iter_mut().zip(&self.speed) {
            *p += *v * dt;
        }
    }
}

#[grad(order = 2)]
fn of_fields(x: &[f64]) -> f64 {
    let mut s = System {
        at: points(x),
        speed: points(x),
    };
    s.turn();
    s.step(x[0]);
    s.at[0].x * s.at[1].y + s.at.iter().chain(&s.speed).map(|p| p.norm()).sum::<f64>()
}

#[grad(order = 2)]
fn squares(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x * x).collect()
}

/// What a loop runs over is called where it stands.
#[grad(order = 2)]
fn looped(x: &[f64]) -> f64 {
    let system = System {
        at: points(x),
        speed: points(x),
    };
    let mut s = 0.0;
    for p in points(x) {
        s += p.norm();
    }
    for (p, q) in points(x).iter().zip(&points(&x[1..])) {
        s += p.dot(*q);
    }
    for y in &squares(x) {
        s += y.sin();
    }
    for p in system.places() {
        s += p.x * p.norm();
    }
    for y in system.sizes() {
        s += y * y;
    }
    let mut at = system.places();
    at.sort_by(|a, b| a.x.total_cmp(&b.x));
    at.reverse();
    s + at[0].x * at[1].y + at.get(1).map(|p| p.norm()).unwrap_or(0.0)
}

/// Puts functions of a slice to all checks, and their second derivatives.
macro_rules! check_lists {
    ($x:expr; $($f:ident)*) => {$(
        check!($f(shared x = $x.to_vec()));
        check_second!($f(shared x = $x.to_vec()));
    )*};
}

#[test]
fn what_calls_return_is_known_by_its_use() {
    for x in [[0.7, -0.4, 1.3, 0.25], [1.4, 0.6, -0.3, 0.9]] {
        check_lists!(x; computed beside_constants folded differences refined summed ordered shortened found of_references chosen of_fields looped);
        check!(casteljau(shared x = x.to_vec(), value t = 0.3));
        check_second!(casteljau(shared x = x.to_vec(), value t = 0.3));
    }
}

#[grad(order = 2)]
fn lent_squared(p: &Point) -> f64 {
    p.x * p.x
}

#[grad(order = 2)]
fn taken_scaled(p: Point, k: f64) -> f64 {
    p.y * k
}

#[grad(order = 2)]
fn number_squared(x: &f64) -> f64 {
    x * x
}

#[grad(order = 2)]
fn halved(x: f64) -> f64 {
    0.5 * x
}

#[grad(order = 2)]
fn taken_out_of_lists_of_references(xs: &[f64]) -> f64 {
    let points: Vec<Point> = xs.iter().map(|&x| Point { x, y: x * x }).collect();
    let mut far: Vec<&Point> = points.iter().filter(|p| p.x > 0.1).collect();
    far.sort_by(|a, b| a.x.total_cmp(&b.x));
    let q = far.remove(0);
    let r = far.pop().unwrap();
    let first = *far.first().unwrap();
    let mut sum = lent_squared(q) * taken_scaled(*q, 2.0) * r.x + lent_squared(r) * first.x;
    sum += lent_squared(far.swap_remove(0)) * taken_scaled(*far[0], 3.0);
    while let Some(p) = far.pop() {
        sum *= lent_squared(p) * taken_scaled(*p, 3.0) + p.x;
    }
    let mut numbers: Vec<&f64> = xs.iter().collect();
    let last = numbers.pop().unwrap();
    let first = *numbers.first().unwrap();
    if let Some(x) = numbers.pop() {
        sum += number_squared(x) * halved(*x) * last * first;
    }
    sum
}

#[test]
fn elements_of_lists_of_references() {
    let xs = [0.3, 0.7, -0.2, 1.9, 1.1, 0.5];
    check!(taken_out_of_lists_of_references(shared xs = xs));
    check_second!(taken_out_of_lists_of_references(shared xs = xs));
}
