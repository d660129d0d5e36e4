//! What stands in the bodies of dynamic functions: types, traits and functions of their own, data structures, and structs that are generic in their numbers.
#![allow(clippy::all, clippy::pedantic)] // the functions show what people write

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

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

#[grad(dynamic)]
fn orbit(speed: f64, steps: usize) -> f64 {
    #[derive(Clone, Copy, Debug, PartialEq, Default, Differentiable)]
    struct V2 {
        x: f64,
        y: f64,
    }
    impl std::ops::Add for V2 {
        type Output = V2;
        fn add(self, other: V2) -> V2 {
            V2 {
                x: self.x + other.x,
                y: self.y + other.y,
            }
        }
    }
    impl std::ops::Mul<V2> for f64 {
        type Output = V2;
        fn mul(self, v: V2) -> V2 {
            V2 {
                x: self * v.x,
                y: self * v.y,
            }
        }
    }
    impl V2 {
        fn new(x: f64, y: f64) -> Self {
            Self { x, y }
        }
        fn dot(&self, other: &V2) -> f64 {
            let first: f64 = self.x * other.x;
            first + self.y * other.y
        }
    }
    struct Body {
        at: V2,
        v: V2,
        mass: f64,
        count: usize,
    }
    trait Force {
        fn on(&self, body: &Body) -> V2;
        fn scale(&self) -> f64 {
            1.0
        }
    }
    struct Gravity {
        strength: f64,
    }
    struct Drag;
    impl Force for Gravity {
        fn on(&self, body: &Body) -> V2 {
            let r = body.at.dot(&body.at).sqrt();
            (-self.strength / (r * r * r)) * body.at
        }
    }
    impl Force for Drag {
        fn on(&self, body: &Body) -> V2 {
            -0.01 * body.v
        }
        fn scale(&self) -> f64 {
            2.0
        }
    }
    struct Counter {
        n: usize,
    }
    impl Counter {
        fn tick(&mut self, x: f64) -> f64 {
            self.n += 1;
            let y: f64 = x * 2.0;
            y / 2.0
        }
    }
    let mut counter = Counter { n: 0 };
    let forces: Vec<Box<dyn Force>> = vec![
        Box::new(Gravity {
            strength: speed * speed,
        }),
        Box::new(Drag),
    ];
    let mut body = Body {
        at: V2 { x: 1.0, y: 0.0 },
        v: V2::new(0.0, speed),
        mass: 2.0,
        count: 3,
    };
    let dt = 0.01;
    for _ in 0..steps {
        let mut a = V2::default();
        for force in &forces {
            a = a + force.scale() * force.on(&body);
        }
        body.v = body.v + dt * a;
        body.at = body.at + dt * body.v;
    }
    counter.tick(0.5 * body.mass * body.v.dot(&body.v)) * body.count as f64
}

#[test]
fn types_and_traits_of_the_body() {
    let (value, slope) = orbit::value_and_grad(1.0, 100);
    assert_eq!(value.to_bits(), orbit(1.0, 100).to_bits());
    agrees(slope, |v| orbit(v, 100), 1.0);
}

#[grad(dynamic)]
fn borrowed_and_boxed(x: f64) -> f64 {
    type Pair = [f64; 2];
    enum Shape<'a> {
        Circle(f64),
        Path(&'a [f64]),
        Both(Box<Shape<'a>>, Box<Shape<'a>>),
    }
    impl Shape<'_> {
        fn area(&self) -> f64 {
            match self {
                Shape::Circle(r) => r * r,
                Shape::Path(p) => p.iter().product(),
                Self::Both(a, b) => a.area() + b.area() * borrowed_or(0.5, 2.0),
            }
        }
    }
    fn borrowed_or(a: f64, b: f64) -> f64 {
        if a > b { borrowed_and_boxed(a) } else { b }
    }
    fn largest<'a>(shapes: &'a [Shape<'a>]) -> Option<&'a Shape<'a>> {
        shapes.iter().max_by(|a, b| a.area().total_cmp(&b.area()))
    }
    fn damper(k: f64) -> Box<dyn Fn(f64) -> f64> {
        Box::new(move |x| x * k)
    }
    fn newton(f: impl Fn(f64) -> f64, slope: &dyn Fn(f64) -> f64, mut x: f64) -> f64 {
        while f(x).abs() > 1e-13 {
            x -= f(x) / slope(x);
        }
        x
    }
    let pair: Pair = [x, 3.0];
    let shapes = [
        Shape::Circle(x),
        Shape::Path(&pair),
        Shape::Both(Box::new(Shape::Circle(x)), Box::new(Shape::Path(&pair))),
    ];
    let added: Box<dyn Fn(f64) -> f64> = Box::new(move |y| x + y);
    let root = newton(|y| y * y - x, &|y| 2.0 * y, 1.0);
    largest(&shapes).map_or(0.0, |s| s.area()) + damper(x)(added(1.0)) + root
}

#[test]
fn lifetimes_boxes_and_functions_of_the_body() {
    let (value, slope) = borrowed_and_boxed::value_and_grad(2.0);
    assert_eq!(value.to_bits(), borrowed_and_boxed(2.0).to_bits());
    agrees(slope, borrowed_and_boxed, 2.0);
    // x² + 6x + x (x + 1) + √x
    assert!(
        (slope - (4.0 + 6.0 + 5.0 + 0.5 / 2.0_f64.sqrt())).abs() < 1e-9,
        "{slope}"
    );
}

enum Expr {
    X,
    Constant(f64),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Sin(Box<Expr>),
}

#[grad(dynamic)]
fn eval(#[constant] e: &Expr, x: f64) -> f64 {
    match e {
        Expr::X => x,
        Expr::Constant(c) => *c,
        Expr::Add(a, b) => eval(a, x) + eval(b, x),
        Expr::Mul(a, b) => eval(a, x) * eval(b, x),
        Expr::Sin(a) => eval(a, x).sin(),
    }
}

#[test]
fn an_interpreter() {
    let sum = Expr::Add(Box::new(Expr::X), Box::new(Expr::Constant(1.0)));
    let e = Expr::Mul(Box::new(Expr::X), Box::new(Expr::Sin(Box::new(sum))));
    let (value, slope) = eval::value_and_grad(&e, 0.5);
    assert_eq!(value, 0.5 * 1.5_f64.sin());
    assert!((slope - (1.5_f64.sin() + 0.5 * 1.5_f64.cos())).abs() < 1e-15);
    assert_eq!(eval::grad(&Expr::Constant(2.0), 0.5), 0.0);
}

struct Node<T> {
    value: T,
    next: Option<Rc<RefCell<Node<T>>>>,
}

#[grad(dynamic)]
fn structures(xs: &[f64]) -> f64 {
    let mut head: Option<Rc<RefCell<Node<f64>>>> = None;
    for x in xs {
        head = Some(Rc::new(RefCell::new(Node {
            value: *x,
            next: head.take(),
        })));
    }
    let mut sum = 0.0;
    let mut at = head;
    while let Some(node) = at {
        node.borrow_mut().value *= 2.0;
        sum += node.borrow().value * node.borrow().value;
        at = node.borrow().next.clone();
    }
    let mut queue: VecDeque<f64> = xs.iter().copied().collect();
    while let (Some(a), true) = (queue.pop_front(), queue.len() > 0) {
        let b = queue.pop_front().unwrap();
        queue.push_back(a * b);
        if queue.len() == 1 {
            break;
        }
    }
    let mut sorted = xs.to_vec();
    sorted.sort_by(|a, b| b.partial_cmp(a).unwrap());
    sum + queue[0] + sorted[0] * 10.0 + format!("{:.2}", xs[0]).len() as f64
}

#[test]
fn lists_queues_and_sorting() {
    assert_eq!(
        structures::value_and_grad(&[1.0, 2.0, 0.5]),
        (46.0, vec![9.0, 26.5, 6.0])
    );
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V2<T> {
    x: T,
    y: T,
}

#[derive(Clone, Differentiable)]
struct Params<T> {
    k: T,
    xs: Vec<T>,
    n: usize,
    at: V2<T>,
    pairs: [(T, T); 1],
    #[constant]
    rest: T,
    #[constant]
    table: Vec<f64>,
    name: String,
}

#[derive(Clone, Differentiable)]
struct Wrapped<T, const N: usize>([T; N], Option<T>);

/// What variables cannot be put into is still differentiable.
#[derive(Clone, Differentiable)]
struct Bounded<T: autodiff::Float> {
    a: T,
}

#[derive(Clone, Differentiable)]
struct Mixed<T> {
    a: T,
    b: f64,
}

#[grad]
fn of_others(p: &Bounded<f64>, q: &Mixed<f64>) -> f64 {
    p.a * q.a + q.b * p.a
}

#[grad(dynamic)]
fn energy(p: &Params<f64>, w: Wrapped<f64, 2>) -> f64 {
    let mut sum = 0.0;
    for x in &p.xs {
        sum += 0.5 * p.k * x * x + p.at.x * p.at.y * p.pairs[0].1;
    }
    (sum - p.rest) * p.n as f64 + p.table[0] * w.0[1] * w.1.unwrap_or(1.0)
}

#[grad(dynamic)]
fn stepped(p: Params<f64>, dt: f64) -> Params<f64> {
    Params {
        k: p.k * dt,
        xs: p.xs.iter().map(|x| x * dt).collect(),
        ..p
    }
}

#[grad(dynamic)]
fn chain(p: &Params<f64>) -> f64 {
    let q = stepped(p.clone(), 0.5);
    energy(&q, Wrapped([p.k, 1.0], Some(p.k))) + energy(p, Wrapped([1.0, 2.0], None))
}

#[grad]
fn compiled(k: f64, y: f64) -> f64 {
    let p = Params {
        k,
        xs: vec![k, y],
        n: 3,
        at: V2 { x: 1.0, y },
        pairs: [(1.0, 2.0)],
        rest: y,
        table: vec![3.0],
        name: String::new(),
    };
    energy(&p, Wrapped([k, y], Some(2.0))) * y
}

fn params(k: f64) -> Params<f64> {
    Params {
        k,
        xs: vec![1.0, 2.0],
        n: 3,
        at: V2 { x: 1.0, y: 2.0 },
        pairs: [(1.0, 2.0)],
        rest: 0.5,
        table: vec![3.0],
        name: "spring".to_owned(),
    }
}

#[test]
fn structs_that_are_generic_in_their_numbers() {
    let (value, (dp, dw)) = energy::value_and_grad(&params(2.0), Wrapped([1.0, 2.0], Some(3.0)));
    assert_eq!(value, energy(&params(2.0), Wrapped([1.0, 2.0], Some(3.0))));
    assert_eq!((dp.k, &dp.xs[..]), (7.5, &[6.0, 12.0][..]));
    assert_eq!((dp.at.x, dp.at.y, dp.pairs), (24.0, 12.0, [(0.0, 12.0)]));
    assert_eq!((dw.0, dw.1), ([0.0, 9.0], Some(6.0)));
    agrees(chain::grad(&params(2.0)).k, |k| chain(&params(k)), 2.0);
    let (moved, tangent) = stepped::jvp(
        params(2.0),
        0.5,
        (Differentiable::zero_tangent(&params(2.0)), 1.0),
    );
    assert_eq!((moved.k, tangent.k, tangent.xs), (1.0, 2.0, vec![1.0, 2.0]));
    let (dk, dy) = compiled::grad(1.5, 0.5);
    agrees(dk, |k| compiled(k, 0.5), 1.5);
    // The number in the constant field is none of those that derivatives flow to.
    let flowing = |y: f64| compiled(1.5, y) + 3.0 * y * (y - 0.5);
    agrees(dy, flowing, 0.5);
    let (p, q) = (Bounded { a: 2.0 }, Mixed { a: 3.0, b: 5.0 });
    let (dp, dq) = of_others::grad(&p, &q);
    assert_eq!((dp.a, dq.a, dq.b), (8.0, 2.0, 2.0));
}

#[test]
fn maps_of_constants() {
    #[grad(dynamic)]
    fn looked_up(
        x: f64,
        #[constant] table: &HashMap<String, f64>,
        #[constant] more: BTreeMap<u8, Vec<f64>>,
    ) -> f64 {
        x * table["a"] + more[&1][0] * x
    }
    let table = HashMap::from([("a".to_owned(), 2.0)]);
    assert_eq!(
        looked_up::grad(1.0, &table, BTreeMap::from([(1, vec![0.5])])),
        2.5
    );
}

#[grad(dynamic)]
fn all_kinds_of_items(x: f64, xs: &[f64]) -> f64 {
    use std::collections::HashMap;
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
    struct Pair<T> {
        a: T,
        b: f64,
    }
    impl<T: Copy + Into<f64>> Pair<T> {
        const K: f64 = 2.0;
        fn new(a: T, b: f64) -> Self {
            Pair { a, b }
        }
        fn total(&self) -> f64 {
            self.b * Self::K + self.a.into()
        }
    }
    struct Up {
        at: f64,
        step: f64,
        left: usize,
    }
    impl Iterator for Up {
        type Item = f64;
        fn next(&mut self) -> Option<f64> {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            self.at += self.step;
            Some(self.at)
        }
    }
    struct Matrix {
        rows: usize,
        data: Vec<f64>,
    }
    impl std::ops::Index<(usize, usize)> for Matrix {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.data[i * self.rows + j]
        }
    }
    impl std::ops::IndexMut<(usize, usize)> for Matrix {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.data[i * self.rows + j]
        }
    }
    impl From<f64> for Matrix {
        fn from(x: f64) -> Self {
            Matrix {
                rows: 2,
                data: vec![x; 4],
            }
        }
    }
    struct Solver<F> {
        f: F,
        tol: f64,
        rounds: u32,
    }
    impl<F: Fn(f64) -> f64> Solver<F> {
        fn run(&mut self, mut x: f64) -> f64 {
            while (self.f)(x).abs() > self.tol && self.rounds < 60 {
                x = x - 0.25 * (self.f)(x);
                self.rounds += 1;
            }
            x
        }
    }
    trait Layer<T> {
        fn apply(&self, x: T) -> T;
        fn named(&self) -> &'static str {
            "layer"
        }
    }
    struct Dense {
        w: f64,
        f: Box<dyn Fn(f64) -> f64>,
    }
    impl Layer<f64> for Dense {
        fn apply(&self, x: f64) -> f64 {
            (self.f)(self.w * x)
        }
    }
    struct Twice<'a, L: ?Sized> {
        inner: &'a L,
        bias: f64,
    }
    impl<'a, L: Layer<f64> + ?Sized> Layer<f64> for Twice<'a, L> {
        fn apply(&self, x: f64) -> f64 {
            self.inner.apply(self.inner.apply(x)) + self.bias
        }
    }
    trait Norm {
        type Out;
        fn norm(&self) -> f64;
        fn out(&self) -> Self::Out;
    }
    impl Norm for [f64] {
        type Out = f64;
        fn norm(&self) -> f64 {
            self.iter().map(|v| v * v).sum::<f64>().sqrt()
        }
        fn out(&self) -> f64 {
            self[0]
        }
    }
    impl Norm for f64 {
        type Out = Vec<f64>;
        fn norm(&self) -> f64 {
            self.abs()
        }
        fn out(&self) -> Vec<f64> {
            vec![*self]
        }
    }
    fn all<N: Norm + ?Sized>(n: &N, k: &impl Norm) -> f64
    where
        N::Out: Clone,
    {
        n.norm() * k.norm()
    }
    fn first<'a>(p: &'a Pair<f64>, _q: &Pair<f64>) -> &'a f64 {
        &p.b
    }
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    enum Key {
        A = 1,
        B = 2,
    }
    const TABLE: [f64; 2] = [0.5, 0.25];
    let p = Pair::<f64>::new(x, xs[0]);
    let q: Pair<f64> = Default::default();
    let mut s = p.total() + *first(&p, &q);
    s += Up {
        at: x,
        step: 0.5,
        left: 3,
    }
    .map(|v| v * v)
    .sum::<f64>();
    let mut m = Matrix::from(x);
    m[(0, 1)] *= 3.0;
    m[(1, 0)] += m[(0, 1)] * xs[1];
    s += m[(1, 0)] + m[(0, 0)];
    s += Solver {
        f: |y: f64| y * y - x,
        tol: 1e-13,
        rounds: 0,
    }
    .run(1.0);
    let k = xs[1];
    let d = Dense {
        w: x,
        f: Box::new(move |v| (v * k).tanh()),
    };
    let layers: Vec<Box<dyn Layer<f64> + '_>> = vec![
        Box::new(Twice {
            inner: &d,
            bias: 0.25,
        }),
        Box::new(Dense {
            w: 2.0,
            f: Box::new(f64::sin),
        }),
    ];
    let mut y = x;
    for l in &layers {
        y = l.apply(y);
        s += l.named().len() as f64 * TABLE[0];
    }
    let mut map: HashMap<Key, Pair<f64>> = HashMap::new();
    map.insert(Key::A, p);
    map.entry(Key::B).or_default().b += x * TABLE[1];
    {
        struct Inner {
            v: f64,
        }
        impl Inner {
            fn get(self) -> f64 {
                self.v * 2.0
            }
        }
        s += Inner { v: y }.get();
    }
    macro_rules! sq {
        ($e:expr) => {
            $e * $e
        };
    }
    s + all(xs, &x) + map[&Key::A].b + map[&Key::B].b + sq!(x) + xs.out() + x.out()[0]
}
#[grad(dynamic)]
fn heap(xs: &[f64]) -> f64 {
    // Ord for a wrapper, in a heap
    #[derive(PartialEq, PartialOrd)]
    struct Ordered(f64);
    impl Eq for Ordered {}
    impl Ord for Ordered {
        fn cmp(&self, o: &Self) -> std::cmp::Ordering {
            self.0.total_cmp(&o.0)
        }
    }
    let mut h: std::collections::BinaryHeap<Ordered> = xs.iter().map(|x| Ordered(x * x)).collect();
    while h.len() > 1 {
        let a = h.pop().unwrap();
        let b = h.pop().unwrap();
        h.push(Ordered(a.0 - 0.5 * b.0));
    }
    h.pop().map_or(0.0, |o| o.0)
}

#[test]
fn items_of_all_kinds() {
    let xs = [0.7, -0.4];
    let (value, (dx, dxs)) = all_kinds_of_items::value_and_grad(1.3, &xs);
    assert_eq!(value.to_bits(), all_kinds_of_items(1.3, &xs).to_bits());
    agrees(dx, |x| all_kinds_of_items(x, &xs), 1.3);
    agrees(dxs[0], |y| all_kinds_of_items(1.3, &[y, xs[1]]), xs[0]);
    agrees(dxs[1], |y| all_kinds_of_items(1.3, &[xs[0], y]), xs[1]);
    assert_eq!(
        heap::value_and_grad(&[1.0, 2.0, 3.0]),
        (6.5, vec![-1.0, -2.0, 6.0])
    );
}

#[grad(dynamic)]
fn generic<T: Float>(x: T, xs: &[T]) -> T {
    let mut sum = T::ZERO;
    for v in xs {
        sum += *v * x.sin() + T::from_f64(0.5);
    }
    let half = T::from_f64(0.5);
    while sum > T::ONE {
        sum *= half;
    }
    sum.max(T::EPSILON)
}

#[grad(dynamic)]
fn lengths<'a, const N: usize>(x: &'a [f64; N], y: [f64; N]) -> f64 {
    if N == 0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for i in 0..N {
        sum += x[i] * y[i];
    }
    let shorter = if N > 2 {
        lengths(&[x[0], 1.0], [y[1], 2.0])
    } else {
        lengths::<0>(&[], [])
    };
    generic(sum, x) + shorter
}

#[grad(dynamic)]
fn of_a_generic_struct<T: Float>(p: &V2<T>, xs: &[T]) -> T {
    xs.iter().fold(p.y, |sum, x| sum + *x * p.x)
}

#[grad]
fn calls_generic_ones(x: f64) -> f64 {
    generic(x, &[x, 2.0]) + lengths(&[x, 1.0, 2.0], [x, x, 3.0])
}

#[test]
fn generic_functions() {
    let (slope, of_xs) = generic::grad(1.0, &[2.0]);
    agrees(slope, |x| generic(x, &[2.0]), 1.0);
    agrees(of_xs[0], |y| generic(1.0, &[y]), 2.0);
    assert!((generic::grad(1.0_f32, &[2.0]).0 - slope as f32).abs() < 1e-6);
    let (of_x, of_y) = lengths::grad(&[1.0, 2.0, 3.0], [0.5, 0.25, 2.0]);
    agrees(of_x[0], |x| lengths(&[x, 2.0, 3.0], [0.5, 0.25, 2.0]), 1.0);
    agrees(of_y[1], |y| lengths(&[1.0, 2.0, 3.0], [0.5, y, 2.0]), 0.25);
    agrees(calls_generic_ones::grad(1.3), calls_generic_ones, 1.3);
    let (p, of_xs) = of_a_generic_struct::grad(&V2 { x: 4.0, y: 1.0 }, &[1.0, 2.0]);
    assert_eq!((p.x, p.y, of_xs), (3.0, 1.0, vec![4.0, 4.0]));
}

#[derive(Clone, Differentiable)]
enum Shape<T> {
    Nothing,
    Circle(T),
    Rect {
        w: T,
        h: T,
        #[constant]
        scale: T,
        n: usize,
    },
    Many(Vec<Part<T>>),
}

#[derive(Clone, Differentiable)]
enum Part<T> {
    Line([T; 2]),
    Dot,
}

#[grad(dynamic)]
fn area(shapes: &[Shape<f64>]) -> f64 {
    let mut sum = 0.0;
    for shape in shapes {
        sum += match shape {
            Shape::Nothing => 0.0,
            Shape::Circle(r) => 0.5 * r * r,
            Shape::Rect { w, h, scale, n } => w * h * scale * *n as f64,
            Shape::Many(all) => all
                .iter()
                .map(|part| match part {
                    Part::Line([a, b]) => a * b,
                    Part::Dot => 1.0,
                })
                .sum(),
        };
    }
    sum
}

#[test]
fn enums_that_are_generic_in_their_numbers() {
    let rect = Shape::Rect {
        w: 1.0,
        h: 2.0,
        scale: 3.0,
        n: 2,
    };
    let many = Shape::Many(vec![Part::Dot, Part::Line([3.0, 4.0])]);
    let shapes = [Shape::Nothing, Shape::Circle(2.0), rect, many];
    let (value, gradient) = area::value_and_grad(&shapes);
    assert_eq!(value, 2.0 + 12.0 + 13.0);
    assert_eq!(
        autodiff::Tangent::to_flat(&gradient),
        [2.0, 12.0, 6.0, 4.0, 3.0]
    );
}
