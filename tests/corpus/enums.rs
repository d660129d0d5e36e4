//! Enums that carry active values: made, matched, changed and handed on.

use autodiff::{Differentiable, Parameters, Tangent, grad};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Shape {
    Circle {
        at: Point,
        radius: f64,
    },
    Rect(f64, f64),
    Path {
        closed: bool,
        steps: usize,
        points: Vec<f64>,
    },
    Scaled(f64, #[constant] f64, [f64; 2]),
    Nothing,
}

#[derive(Clone, Copy, Debug, Differentiable)]
enum Either<A, B> {
    Left(A),
    Right(B),
}

#[derive(Clone, Debug, Differentiable)]
enum Law {
    Linear { k: f64 },
    Cubic { k: f64, c: f64 },
    Of(Either<f64, Point>, Option<f64>),
}

#[grad(order = 2)]
fn area(s: &Shape) -> f64 {
    match s {
        Shape::Circle { at, radius: r } => 3.0 * r * r + at.x * at.y,
        Shape::Rect(a, b) => a * b.sin(),
        Shape::Path { points, steps, .. } => {
            let mut sum = 0.0;
            for k in 0..*steps {
                sum += points[k] * points[(k + 1) % points.len()];
            }
            sum
        }
        Shape::Scaled(s, w, [a, b]) => s * w * a * b * b,
        Shape::Nothing => 0.0,
    }
}

#[grad]
fn total(shapes: &[Shape], k: f64) -> f64 {
    let mut total = 0.0;
    for s in shapes {
        total += match s {
            Shape::Circle { radius, .. } if *radius > 1.0 => radius * k,
            Shape::Circle {
                at: Point { x, y },
                radius,
            } => x * y * radius * k * k,
            Shape::Rect(a, b) if a > b => a * a * b,
            Shape::Rect(a, b) => *a * *b * k,
            Shape::Path {
                closed: true,
                points,
                ..
            } => points.iter().sum::<f64>() * k,
            Shape::Path { points: p, .. } => p[0] * total,
            other => area(other) * k,
        };
    }
    total
}

#[grad]
fn owned(s: Shape, k: f64) -> f64 {
    let before = match &s {
        Shape::Rect(a, _) => *a,
        _ => k,
    };
    before
        * match s {
            Shape::Circle { radius: r, at } if r > 1.0 && at.x > 0.0 => r.sin() * at.y,
            Shape::Circle { mut radius, .. } => {
                radius *= radius * k;
                radius
            }
            Shape::Rect(a, b) => a / b,
            Shape::Path { points, steps, .. } => points[steps - 1].exp() * k.powi(steps as i32),
            Shape::Scaled(s, _, rest) => s * rest[0] - rest[1],
            Shape::Nothing => k * k,
        }
}

#[grad]
fn changed(s: &mut Shape, k: f64) -> f64 {
    let mut total = 0.0;
    for n in 0..3 {
        match s {
            Shape::Circle { at, radius } => {
                *radius *= k;
                at.x += *radius * at.y;
                at.y = at.x.sin();
            }
            Shape::Rect(a, b) => {
                *a *= *b;
                *b += k * *a;
                total += *a;
            }
            Shape::Path { points, .. } => {
                for x in points.iter_mut() {
                    *x *= k + n as f64;
                }
                points[0] *= points[1];
            }
            Shape::Scaled(s, w, rest) => {
                rest[0] = *s * *w * rest[1];
                *s = rest[0];
            }
            Shape::Nothing => *s = Shape::Rect(k, k * k),
        }
        if let Shape::Rect(a, b) = s {
            if *a > 1.5 {
                total += *b * k;
                *s = Shape::Circle {
                    at: Point { x: *a, y: k },
                    radius: *b * *a,
                };
            }
        }
    }
    total + k
}

#[grad]
fn returned(s: &Shape, k: f64) -> Shape {
    match s {
        Shape::Circle { at, radius } => Shape::Rect(at.x * radius, k),
        Shape::Rect(a, b) => Shape::Path {
            closed: false,
            steps: 2,
            points: vec![a * k, *b],
        },
        Shape::Path { points, .. } => Shape::Circle {
            at: Point {
                x: points[0],
                y: k * points[1],
            },
            radius: k,
        },
        other => other.clone(),
    }
}

/// A shape of every kind, of two numbers.
fn all(x: f64, y: f64) -> Vec<Shape> {
    vec![
        Shape::Circle {
            at: Point { x, y },
            radius: x * y,
        },
        Shape::Rect(x, y),
        Shape::Path {
            closed: true,
            steps: 3,
            points: vec![x, y, x - y],
        },
        Shape::Path {
            closed: false,
            steps: 1,
            points: vec![y, x],
        },
        Shape::Scaled(x, 2.0, [y, x + y]),
        Shape::Nothing,
    ]
}

/// Reverse mode, forward mode and differences agree on a function of one value of the user's own.
#[track_caller]
fn agree<P: Parameters + Clone>(
    p: &P,
    f: impl Fn(&P) -> f64,
    reverse: impl Fn(&P) -> (f64, P::Tangent),
    forward: impl Fn(&P, &P::Tangent) -> (f64, f64),
) {
    let (value, gradient) = reverse(p);
    assert_eq!(value.to_bits(), f(p).to_bits());
    let g = gradient.to_flat();
    let count = g.len();
    let mut x = vec![0.0; count];
    p.write_flat(&mut x);
    for k in 0..count {
        let mut one = vec![0.0; count];
        one[k] = 1.0;
        let mut t = p.zero_tangent();
        t.read_flat(&one);
        let (same, along) = forward(p, &t);
        assert_eq!(value.to_bits(), same.to_bits());
        let h = 1e-6;
        let moved = |by: f64| {
            let mut q = p.clone();
            q.move_by(by, &t);
            f(&q)
        };
        let difference = (moved(h) - moved(-h)) / (2.0 * h);
        let scale = 1.0 + difference.abs();
        assert!(
            (along - g[k]).abs() <= 1e-12 * scale,
            "{k}: {along} {}",
            g[k]
        );
        assert!(
            (along - difference).abs() <= 1e-7 * scale,
            "{k}: {along} {difference}"
        );
    }
}

/// All scalars of a value, each with a weight of its own.
fn weighted(s: &Shape) -> f64 {
    let mut out = [0.0; 8];
    s.write_flat(&mut out);
    out.iter().zip(1..).map(|(x, k)| x * k as f64).sum()
}

fn weights(s: &Shape) -> ShapeTangent {
    let (mut t, mut k) = (s.zero_tangent(), 0.0);
    t.for_each_scalar(&mut |x| {
        k += 1.0;
        *x = k;
    });
    t
}

#[test]
fn enums_are_parameters() {
    for (x, y) in [(0.7, 1.9), (1.6, 0.9), (-0.8, 1.4)] {
        for s in all(x, y) {
            agree(&s, area, area::value_and_grad, area::jvp);
            agree(
                &s,
                |s| owned(s.clone(), 1.3),
                |s| {
                    let (v, (g, _)) = owned::value_and_grad(s.clone(), 1.3);
                    (v, g)
                },
                |s, t| owned::jvp(s.clone(), 1.3, (t.clone(), 0.0)),
            );
            let hessian = area::hessian(&s);
            let count = s.zero_tangent().scalar_count();
            assert_eq!(hessian.rows(), count);
            for row in 0..count {
                let nth = |s: &Shape| area::grad(s).to_flat()[row];
                agree(
                    &s,
                    nth,
                    |s| {
                        let mut g = s.zero_tangent();
                        g.read_flat(hessian.row(row));
                        (nth(s), g)
                    },
                    |s, t| (nth(s), area::hvp(s, t).1.to_flat()[row]),
                );
            }
        }
        let shapes = all(x, y);
        agree(
            &shapes,
            |s| total(s, 1.2),
            |s| {
                let (v, (g, _)) = total::value_and_grad(s, 1.2);
                (v, g)
            },
            |s, t| total::jvp(s, 1.2, (t, 0.0)),
        );
    }
}

#[test]
fn enums_are_changed_in_place() {
    for (x, y) in [(0.7, 1.9), (1.6, 0.9)] {
        for s in all(x, y) {
            let run = |s: &Shape| {
                let mut s = s.clone();
                let value = changed(&mut s, 1.3);
                (value, s)
            };
            agree(
                &s,
                |s| {
                    let (value, after) = run(s);
                    value + weighted(&after)
                },
                |s| {
                    let (_, after) = run(s);
                    let (mut s, mut bar) = (s.clone(), weights(&after));
                    let (value, _) = changed::vjp(&mut s, 1.3, 1.0, &mut bar);
                    assert_eq!(s, after);
                    (value + weighted(&s), bar)
                },
                |s, t| {
                    let (mut s, mut t) = (s.clone(), t.clone());
                    let (value, along) = changed::jvp(&mut s, 1.3, (&mut t, 0.0));
                    (value + weighted(&s), along + weights(&s).inner(&t))
                },
            );
        }
    }
}

#[test]
fn enums_are_results() {
    for s in all(0.7, 1.9) {
        agree(
            &s,
            |s| weighted(&returned(s, 1.3)),
            |s| {
                let seed = weights(&returned(s, 1.3));
                let (value, (g, _)) = returned::vjp(s, 1.3, seed);
                (weighted(&value), g)
            },
            |s, t| {
                let (value, along) = returned::jvp(s, 1.3, (t, 0.0));
                (weighted(&value), weights(&value).inner(&along))
            },
        );
    }
}

three! {
    fn made_and_matched(x: f64, y: f64) -> f64 {
        use super::{Point, Shape};
        let s = if x > y { Shape::Circle { at: Point { x, y }, radius: x * y } } else { Shape::Rect(x, y * y) };
        if let Shape::Circle { radius, at: Point { x: px, .. } } = &s {
            return radius * radius * px;
        }
        let Shape::Rect(a, b) = s else { return 0.0 };
        a.sin() * b
    } = [value x = 1.7, value y = 0.6], [value x = 0.6, value y = 1.7];

    fn carried_by_a_loop(x: f64, y: f64) -> f64 {
        use super::Shape;
        let mut s = Shape::Nothing;
        let mut total = 0.0;
        for k in 0..5 {
            s = match s {
                Shape::Nothing => Shape::Rect(x, y),
                Shape::Rect(a, b) if k < 3 => Shape::Rect(a * b, b + x),
                Shape::Rect(a, b) => Shape::Path { closed: true, steps: k, points: vec![a, b, x] },
                Shape::Path { points, steps, .. } => Shape::Scaled(points[0] * points[2], steps as f64, [points[1], y]),
                other => other,
            };
            total += match &s { Shape::Rect(a, _) => *a, Shape::Scaled(v, w, p) => v * w * p[0] * p[1], _ => y };
        }
        total
    } = [value x = 1.1, value y = 0.6];

    fn in_memory(x: f64, y: f64) -> f64 {
        use super::{Point, Shape};
        let mut all = vec![Shape::Rect(x, y), Shape::Nothing, Shape::Circle { at: Point { x, y }, radius: 1.0 }];
        for k in 0..4 {
            for s in all.iter_mut() {
                match s {
                    Shape::Rect(a, b) => { *a *= *b; if k == 2 { *s = Shape::Nothing; } }
                    Shape::Nothing if k > 0 => *s = Shape::Circle { at: Point { x: y, y: x }, radius: x * y },
                    Shape::Circle { at, radius } => { at.x *= *radius; *radius += at.y * 0.1; }
                    _ => {}
                }
            }
            all.push(Shape::Rect(x * k as f64, y));
            if k == 1 { all[0] = all[2].clone(); }
        }
        let mut total = 0.0;
        for s in &all {
            total += match s { Shape::Circle { at: Point { x: a, y: b }, radius: r } => a * b * r, Shape::Rect(a, b) => a - b, _ => x };
        }
        total
    } = [value x = 1.1, value y = 0.6];

    fn nested_and_generic(x: f64, y: f64) -> f64 {
        use super::{Either, Law, Point};
        let laws = [
            Law::Linear { k: x },
            Law::Cubic { k: y, c: x },
            Law::Of(Either::Left(x * y), Some(y)),
            Law::Of(Either::Right(Point { x: y, y: x }), None),
            Law::Of(Either::Left(y), None),
        ];
        let mut total = 0.0;
        for law in &laws {
            total += match law {
                Law::Linear { k } => k * x,
                Law::Cubic { k, c } => k * c * c * c,
                Law::Of(Either::Left(a), Some(b)) => a * b * b,
                Law::Of(Either::Left(a), None) => a.exp(),
                Law::Of(Either::Right(Point { x: a, y: b }), _) => a / b,
            };
        }
        total
    } = [value x = 1.1, value y = 0.6];

    fn pairs(x: f64, y: f64) -> f64 {
        use super::Either;
        let mut total = 0.0;
        let all: [Either<f64, (f64, usize)>; 3] = [Either::Left(x), Either::Right((x * y, 2)), Either::Left(y)];
        for a in &all {
            for b in &all {
                total += match (a, b) {
                    (Either::Left(p), Either::Left(q)) => p * q,
                    (Either::Left(p), Either::Right((q, n))) => p.powi(*n as i32) + q,
                    (Either::Right((p, _)), Either::Left(q)) if p > q => p - q * x,
                    _ => x * 0.5,
                };
            }
        }
        total
    } = [value x = 1.1, value y = 0.6], [value x = 0.4, value y = 2.6];

    fn optional(x: f64, y: f64) -> f64 {
        use super::{Either, Point};
        let mut kept: Option<Either<f64, Point>> = None;
        let mut total = 0.0;
        for k in 0..4 {
            if let Some(Either::Right(Point { x: a, y: b })) = &kept {
                total += a * b * k as f64;
            }
            match kept {
                None => kept = Some(Either::Left(x * y)),
                Some(Either::Left(v)) if v > 0.3 => kept = Some(Either::Right(Point { x: v, y })),
                Some(Either::Left(_)) => kept = None,
                Some(Either::Right(p)) => total += p.x,
            }
        }
        total
    } = [value x = 1.1, value y = 0.6], [value x = 0.4, value y = 0.6];

    fn loops_in_arms(x: f64, y: f64) -> f64 {
        use super::Shape;
        let shapes = [Shape::Path { closed: false, steps: 3, points: vec![x, y, x * y] }, Shape::Rect(x, y), Shape::Path { closed: true, steps: 0, points: vec![] }];
        let mut total = 0.0;
        for k in 0..6 {
            match &shapes[k % 3] {
                Shape::Path { points, closed: false, .. } => {
                    for p in points { total += p * total + x; }
                }
                Shape::Path { points, steps, .. } => {
                    for k in 0..*steps { total *= points[k]; }
                }
                Shape::Rect(a, b) => {
                    let mut a = *a;
                    while a < 3.0 { a *= 1.0 + b; total += a; }
                }
                _ => {}
            }
        }
        total
    } = [value x = 0.4, value y = 0.6];

    fn written_through_ref_mut(x: f64, y: f64) -> f64 {
        use super::Shape;
        let mut s = Shape::Rect(x, y);
        for _ in 0..2 {
            if let Shape::Rect(ref mut a, ref b) = s {
                *a *= b * x;
            }
            let Shape::Rect(a, b) = &mut s else { return x };
            *b += *a * *a;
        }
        match s {
            Shape::Rect(a, b) => a * b,
            _ => 0.0,
        }
    } = [value x = 0.7, value y = 0.9];
}

mod alone {
    use super::Law::{self, *};
    use autodiff::grad;

    #[grad]
    pub(super) fn variants_by_their_own_name(x: f64, y: f64) -> f64 {
        let law = if x > y {
            Linear { k: x * y }
        } else {
            Cubic { k: x, c: y }
        };
        let more = [law, Law::Linear { k: y }];
        let mut total = 0.0;
        for law in &more {
            total += match law {
                Linear { k } => k * x,
                Cubic { k, c } => k * c * y,
                Of(..) => 0.0,
            };
        }
        total
    }
}

#[test]
fn variants_by_their_own_name() {
    use alone::variants_by_their_own_name;
    check!(variants_by_their_own_name(value x = 0.3, value y = 1.2));
    check!(variants_by_their_own_name(value x = 1.3, value y = 0.2));
}

#[derive(Clone, Debug, Differentiable)]
enum Layer {
    Dense { w: Vec<f64>, b: f64 },
    Relu,
    Scale(f64),
}

#[grad]
impl Layer {
    fn scale(s: f64) -> Self {
        Self::Scale(s * s)
    }

    fn apply(&self, x: f64) -> f64 {
        match self {
            Self::Dense { w, b } => {
                let mut y = *b;
                for (k, w) in w.iter().enumerate() {
                    y += w * x.powi(k as i32);
                }
                y
            }
            Self::Relu => x.max(0.0),
            Self::Scale(s) => s * x,
        }
    }

    fn decay(&mut self, rate: f64) {
        match self {
            Layer::Dense { w, b } => {
                for w in w.iter_mut() {
                    *w *= rate;
                }
                *b -= rate * w[0];
            }
            Layer::Scale(s) => *s *= rate,
            Layer::Relu => {}
        }
    }
}

#[grad]
fn network(w: &[f64], x: f64) -> f64 {
    let mut layers = vec![
        Layer::Dense {
            w: w.to_vec(),
            b: w[0],
        },
        Layer::Relu,
        Layer::scale(w[1]),
    ];
    let mut x = x;
    for round in 0..2 {
        for layer in &layers {
            x = layer.apply(x);
        }
        for layer in layers.iter_mut() {
            layer.decay(0.5 + w[2]);
        }
    }
    x
}

#[test]
fn methods_of_enums() {
    check!(network(shared w = [0.4, 0.9, 0.3], value x = 0.7));
    check!(network(shared w = [-0.4, -0.9, 0.3], value x = 0.7));
}

#[test]
fn tangents_of_other_variants_are_refused() {
    let s = Shape::Rect(1.0, 2.0);
    let t = Shape::Nothing.zero_tangent();
    let message = crate::check::panic_of(|| area::jvp(&s, &t));
    assert!(message.contains("`Rect`"), "{message}");
    let message = crate::check::panic_of(|| returned::vjp(&s, 1.0, t.clone()));
    assert!(message.contains("`Path`"), "{message}");
}

#[derive(Clone, Debug, Differentiable)]
enum Expr {
    X,
    Number(f64),
    Add(Box<Expr>, Box<Expr>),
    Mul(Box<Expr>, Box<Expr>),
    Sin(Box<Expr>),
}

#[grad]
fn eval(e: &Expr, x: f64) -> f64 {
    match e {
        Expr::X => x,
        Expr::Number(v) => *v,
        Expr::Add(a, b) => eval(a, x) + eval(b, x),
        Expr::Mul(a, b) => eval(a, x) * eval(b, x),
        Expr::Sin(a) => eval(a, x).sin(),
    }
}

#[test]
fn trees_are_walked() {
    let number = |v| Box::new(Expr::Number(v));
    let x = || Box::new(Expr::X);
    let product = Expr::Mul(number(0.7), x());
    let e = Expr::Add(
        Box::new(Expr::Sin(Box::new(product))),
        Box::new(Expr::Mul(x(), number(1.5))),
    );
    agree(
        &e,
        |e| eval(e, 0.4),
        |e| {
            let (v, (g, _)) = eval::value_and_grad(e, 0.4);
            (v, g)
        },
        |e, t| eval::jvp(e, 0.4, (t, 0.0)),
    );
    let (_, by_x) = eval::grad(&e, 0.4);
    assert!((by_x - (0.7 * 0.28_f64.cos() + 1.5)).abs() < 1e-15);
}

#[grad]
fn structs_are_matched(p: &Point, k: f64) -> f64 {
    match p {
        Point { x, y } if *x > k => x * y,
        Point { x, .. } if *x < 0.0 => x * x * k,
        Point { x, y } => x / y,
    }
}

#[test]
fn structs_with_guards() {
    for x in [0.3, -0.7, 1.9] {
        agree(
            &Point { x, y: 1.2 },
            |p| structs_are_matched(p, 0.5),
            |p| {
                let (v, (g, _)) = structs_are_matched::value_and_grad(p, 0.5);
                (v, g)
            },
            |p, t| structs_are_matched::jvp(p, 0.5, (t, 0.0)),
        );
    }
}

#[grad]
fn at_patterns(s: &Shape, x: f64) -> f64 {
    let made = Shape::Rect(x, x * x);
    let first = match made {
        all @ Shape::Rect(a, _) => a * area(&all),
        _ => x,
    };
    match s {
        whole @ Shape::Circle { radius: r, .. } if *r > 0.0 => r * area(whole),
        Shape::Rect(a, b @ 1.0..=2.0) => a * b * first,
        other @ (Shape::Rect(..) | Shape::Scaled(..)) => area(other) * area(other),
        _ => first,
    }
}

#[test]
fn parts_and_the_whole() {
    for (x, y) in [(0.7, 1.9), (1.6, 0.9), (-0.8, 1.4)] {
        for s in all(x, y) {
            agree(
                &s,
                |s| at_patterns(s, 0.8),
                |s| {
                    let (v, (g, _)) = at_patterns::value_and_grad(s, 0.8);
                    (v, g)
                },
                |s, t| at_patterns::jvp(s, 0.8, (t, 0.0)),
            );
            let (h, by) = (1e-6, at_patterns::grad(&s, 0.8).1);
            let slope = (at_patterns(&s, 0.8 + h) - at_patterns(&s, 0.8 - h)) / (2.0 * h);
            assert!((by - slope).abs() < 1e-7);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Corner {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, Differentiable)]
enum Form {
    Number(f64),
    At { corner: Corner },
    Perhaps(Option<Corner>),
}

#[grad]
fn guarded_form(form: &Form, k: f64) -> f64 {
    match form {
        Form::Number(x) if *x > k => x * k,
        Form::Number(x) => x.sin(),
        Form::At { corner } if corner.x > corner.y => corner.x * k,
        Form::At {
            corner: Corner { x, y },
        } => x * y * k,
        Form::Perhaps(Some(c)) if c.x > 0.2 => c.x * c.y,
        Form::Perhaps(_) => k,
    }
}

#[grad]
fn guarded_pair(pair: &(f64, Corner), k: f64) -> f64 {
    match pair {
        (a, c) if *a > c.x => a * k,
        (a, Corner { x, y }) if x > a && *y > 0.0 => x * y * k,
        (a, _) => *a,
    }
}

#[grad]
fn guarded_corner(corner: &Corner, k: f64) -> f64 {
    match *corner {
        Corner { x, y } if x > y => x * k,
        Corner { x, .. } if x < 0.0 => x * x,
        Corner { y, .. } => y * y,
    }
}

#[grad]
fn guarded_list(list: &[Corner], k: f64) -> f64 {
    match list {
        [c, ..] if c.x > k => c.y * k,
        [.., Corner { x, .. }] if *x > 0.0 => x * k,
        [a, b] => a.x * b.y,
        _ => k,
    }
}

#[grad]
fn guarded(x: [f64; 4], k: f64) -> f64 {
    let (a, b) = (Corner { x: x[0], y: x[1] }, Corner { x: x[2], y: x[3] });
    let forms = [
        Form::Number(x[0]),
        Form::At { corner: a },
        Form::At { corner: b },
        Form::Perhaps(Some(b)),
        Form::Perhaps(None),
    ];
    let mut s = 0.0;
    for form in &forms {
        s += guarded_form(form, k + s);
    }
    s * guarded_pair(&(x[1], b), k)
        + guarded_corner(&a, s) * guarded_corner(&b, k)
        + guarded_list(&[a, b], k)
        + guarded_list(&[b], s)
}

#[test]
fn guards_look_at_references() {
    for x in [
        [0.7, -0.4, 1.1, 0.3],
        [-0.7, 0.4, 0.1, 1.3],
        [0.2, 0.9, -0.5, 0.6],
        [1.7, -0.9, -0.5, -0.6],
    ] {
        check!(guarded(value x = x, value k = 0.45));
        check!(guarded(value x = x, value k = -0.8));
    }
}

#[grad]
fn forms_asked_for(forms: &[Form], k: usize) -> Option<f64> {
    let Form::Number(a) = forms.first()? else {
        return None;
    };
    let b = match forms.get(k)? {
        Form::Number(b) => b * a,
        Form::At { corner } => corner.x * a,
        Form::Perhaps(_) => 2.0,
    };
    let last = match forms.last()? {
        Form::Perhaps(Some(corner)) => corner.x * corner.y,
        _ => b * b,
    };
    Some(a * a + b + last)
}

#[grad]
fn forms_of_a_list(x: [f64; 4], k: usize) -> f64 {
    let (a, b) = (Corner { x: x[0], y: x[1] }, Corner { x: x[2], y: x[3] });
    let mut forms = vec![
        Form::Number(x[0] * x[1]),
        Form::At { corner: a },
        Form::Perhaps(Some(b)),
    ];
    let mut s = forms_asked_for(&forms, k).unwrap_or(x[3] * x[3]);
    if let Some(Form::Number(n)) = forms.get_mut(k) {
        *n *= x[2];
    } else {
        s += x[1];
    }
    for i in 0..4 {
        s += match forms.get(i) {
            Some(Form::Number(n)) if *n > 0.0 => n.sin() * s,
            Some(Form::Number(n)) => n * s,
            Some(Form::At {
                corner: Corner { x, y },
            }) => x * y,
            Some(Form::Perhaps(_)) => x[0] * s,
            None => x[1] * s,
        };
    }
    let mut i = 0;
    while let Some(Form::Number(_) | Form::At { .. }) = forms.get(i) {
        i += 1;
        s *= x[i];
    }
    if let Some(Form::Perhaps(Some(corner))) = forms.last() {
        s += corner.x * s;
    }
    let Some(Form::At { corner }) = forms.get(k) else {
        return s * x[0];
    };
    s + corner.y * corner.x
}

#[test]
fn elements_of_a_kind() {
    for x in [
        [0.7, -0.4, 1.1, 0.3],
        [-0.7, 0.4, 0.1, 1.3],
        [0.2, 0.9, -0.5, 0.6],
    ] {
        for k in [0, 1, 2, 3] {
            check!(forms_of_a_list(value x = x, constant k = k));
        }
    }
}

/// Variants that are imported: a name alone may be that of a struct as well.
mod imported {
    use autodiff::{Differentiable, grad};

    use Step::*;

    #[derive(Clone, Debug, Differentiable)]
    pub(super) enum Step {
        Scale(f64),
        Along(Vec<f64>, f64),
        Stay,
    }

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Wave(pub(super) Vec<f64>, pub(super) f64);

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct List(pub(super) Vec<f64>);

    #[grad(order = 2)]
    impl Step {
        fn taken(&self, x: f64) -> f64 {
            match self {
                Scale(k) => k * k * x,
                Along(v, k) => v[0] * v[1] * x + k * x * x,
                Stay => x,
            }
        }
    }

    #[grad(order = 2)]
    pub(super) fn taken(step: Step, x: f64) -> f64 {
        step.taken(x)
    }

    #[grad(order = 2)]
    pub(super) fn squares(l: &List, k: f64) -> List {
        List(l.0.iter().map(|v| v * v * k).collect())
    }

    #[grad(order = 2)]
    pub(super) fn steps(x: f64, y: f64) -> f64 {
        let first = taken(Scale(x * y), x);
        let path = [Scale(first), Stay, Along(vec![x, y], first)];
        let mut s = y;
        for step in &path {
            s += step.taken(s);
        }
        let last = if x > 0.0 {
            Along(vec![s, x], y)
        } else {
            Scale(s)
        };
        let wave = Wave(vec![s, y, x], last.taken(y));
        let list = squares(&List(wave.0), wave.1);
        list.0[0] * list.0[2] + taken(last, list.0[1])
    }
}

#[test]
fn variants_that_are_imported() {
    use imported::steps;
    for (x, y) in [(0.3, 0.2), (-0.4, 0.3)] {
        check!(steps(value x = x, value y = y));
        check_second!(steps(value x = x, value y = y));
    }
}

/// Imported variants whose fields have names, made where nothing else is said of the enum, and beside structs by other names.
mod named_fields {
    use autodiff::{Differentiable, grad};

    use Body::*;

    #[derive(Clone, Debug, Differentiable)]
    pub(super) enum Body {
        Ring { r: f64, width: f64 },
        Chain { links: Vec<f64>, r#type: f64 },
        Point,
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Pair<T> {
        r: T,
        width: T,
    }

    type Numbers = Pair<f64>;

    #[grad(order = 2)]
    pub(super) fn mass(body: Body, k: f64) -> f64 {
        match &body {
            Ring { r, width } if *r > 1.0 => r * r * width * k,
            Ring { width: w, .. } => w * k * k,
            Chain { links, r#type } => links[0] * links[1] * r#type * k,
            Point => k,
        }
    }

    #[grad(order = 2)]
    pub(super) fn made(x: f64, y: f64, n: usize) -> f64 {
        let mut sum = 0.0;
        for k in 0..n {
            let part = match k {
                0 => Ring { r: x * y, width: y },
                1 => Chain {
                    r#type: x,
                    links: vec![y, x + sum],
                },
                _ => Point,
            };
            let Numbers { r, width } = Numbers {
                width: sum * x,
                r: y,
            };
            sum += mass(part, x * y) * r + width;
        }
        if let Ring { r, width: w } = (Ring { width: sum, r: x }) {
            sum += r * w;
        }
        sum
    }
}

#[test]
fn variants_with_named_fields_that_are_imported() {
    use named_fields::made;
    for (x, y) in [(0.3, 0.2), (1.4, 1.3)] {
        for n in [0, 1, 2, 3] {
            check!(made(value x = x, value y = y, constant n = n));
            check_second!(made(value x = x, value y = y, constant n = n));
        }
    }
}

mod alternatives {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Differentiable)]
    pub(super) enum Shape {
        Disc(f64),
        Ball(f64),
        Box { w: f64, h: f64 },
        Frame { w: f64, rim: f64 },
        Scaled(std::boxed::Box<Shape>, f64),
        Nothing,
    }

    #[grad(order = 2)]
    fn area(s: &Shape, x: f64) -> f64 {
        match s {
            Shape::Disc(r) | Shape::Ball(r) if *r > 1.0 => r * 3.0,
            Shape::Disc(r) | Shape::Ball(r) => {
                let squared = r * r * x;
                squared.sin()
            }
            Shape::Box { w, h } | Shape::Frame { w, rim: h } => *w * h,
            Shape::Scaled(inner, k) => k * area(inner, x),
            Shape::Nothing => x,
        }
    }

    #[grad(order = 2)]
    fn change(s: &mut Shape, x: f64) {
        match s {
            Shape::Disc(r) | Shape::Ball(r) | Shape::Scaled(_, r) => *r *= x,
            Shape::Box { w, h: _ } | Shape::Frame { rim: w, .. } => {
                *w += x;
            }
            Shape::Nothing => {}
        }
    }

    #[grad(order = 2)]
    fn taken(s: Shape) -> f64 {
        if let Shape::Disc(r) | Shape::Ball(r) = s {
            return r * r;
        }
        let (Shape::Box { w, .. } | Shape::Frame { w, .. }) = s else {
            return 3.0;
        };
        w * w * w
    }

    mod imported {
        use super::Shape::{self, *};
        use autodiff::grad;

        #[grad(order = 2)]
        pub(super) fn size(s: &Shape, x: f64) -> f64 {
            match s {
                Disc(r) | Ball(r) => r * r * x,
                Box { w, .. } | Frame { w, .. } => *w,
                Scaled(inner, k) => k * size(inner, x),
                Nothing => 1.0,
            }
        }
    }

    #[grad(order = 2)]
    pub(super) fn shapes(x: f64, y: f64) -> f64 {
        let mut all = vec![
            Shape::Disc(x),
            Shape::Ball(y),
            Shape::Box { w: x * y, h: y },
            Shape::Frame { w: x, rim: y * y },
            Shape::Scaled(std::boxed::Box::new(Shape::Ball(x)), y),
            Shape::Nothing,
        ];
        let mut sum = 0.0;
        for shape in all.iter_mut() {
            change(shape, y);
        }
        for shape in &all {
            sum += area(shape, x) * imported::size(shape, y) + taken(shape.clone());
        }
        let mut stack = vec![
            Shape::Disc(x),
            Shape::Nothing,
            Shape::Ball(y),
            Shape::Disc(sum),
        ];
        while let Some(Shape::Disc(r) | Shape::Ball(r)) = stack.pop() {
            sum *= r;
        }
        sum
    }

    #[grad(order = 2)]
    fn either(x: Option<f64>, y: Option<f64>) -> f64 {
        match (x, y) {
            (Some(a), None) | (None, Some(a)) => a * a,
            (Some(a), Some(b)) => a * b,
            (None, None) => 0.0,
        }
    }

    #[grad(order = 2)]
    pub(super) fn options(x: f64, y: f64) -> f64 {
        either(Some(x), None) + either(None, Some(y * x)) + either(Some(x), Some(y))
    }
}

#[test]
fn variables_in_alternatives() {
    use alternatives::{options, shapes};
    for (x, y) in [(0.3, 0.7), (1.4, 1.3)] {
        check!(shapes(value x = x, value y = y));
        check_second!(shapes(value x = x, value y = y));
        check!(options(value x = x, value y = y));
        check_second!(options(value x = x, value y = y));
    }
}
