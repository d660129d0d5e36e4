//! What is in an option, changed where it is: `if let Some(v) = &mut o { *v *= x; }`.

use autodiff::{Differentiable, grad};

const POINTS: [(f64, f64); 4] = [(1.3, 0.7), (-0.4, 1.1), (0.6, -0.9), (-1.2, -0.3)];

const FLOOR: f64 = 0.5;

programs! {
    POINTS;

    fn referred(x: f64, y: f64) -> f64 {
        let mut o = if x > 0.0 { Some(x * y) } else { None };
        if let Some(v) = &mut o {
            *v *= y;
            *v += v.sin() * x;
        }
        let before = o;
        if let Some(v) = o.as_mut() {
            *v = v.exp();
        }
        before.unwrap_or(2.0) * x + o.unwrap_or(y) * y
    }

    fn beside_literals(x: f64, y: f64) -> f64 {
        let o = if x > 0.0 { Some(x * y) } else { None };
        let v = match &o {
            None => &1.5,
            Some(v) => v,
        };
        let w = match o.as_ref() {
            Some(w) => w,
            None => &super::FLOOR,
        };
        v * x + w * y
    }

    fn of_both_arms(x: f64, y: f64) -> f64 {
        let mut o = Some(x);
        let mut s = 0.0;
        for k in 0..5 {
            match &mut o {
                Some(v) if *v > 0.0 => {
                    *v = v.cos() - y;
                    s += *v * x;
                }
                Some(v) => *v += 0.7 * y * y,
                None => s += y.sin(),
            }
            if k == 2 {
                o = None;
            } else if k == 3 {
                o = Some(s * y);
            }
        }
        s + o.unwrap_or(0.0)
    }

    fn with_jumps(x: f64, y: f64) -> f64 {
        let mut o = Some(y);
        let mut s = x;
        for k in 0..4 {
            if let Some(v) = &mut o {
                *v *= s;
                if *v > 0.8 {
                    s += *v;
                    continue;
                }
                if k == 2 {
                    break;
                }
                *v += x;
            }
            s *= 0.9;
        }
        if let Some(v) = &mut o {
            if *v < 0.0 {
                return *v * s;
            }
            *v -= s;
        }
        o.unwrap() * s.sin()
    }

    fn of_tuples_and_lists(x: f64, y: f64) -> f64 {
        let mut pair = Some((x, y * y));
        if let Some((a, b)) = &mut pair {
            *a *= *b;
            *b = a.sin();
        }
        let mut list = if y > 0.0 { Some(vec![x, y]) } else { None };
        if let Some(v) = &mut list {
            v[0] *= y;
            v.push(x * v[0]);
        }
        let mut rows = Some([[x; 2]; 2]);
        if let Some(m) = rows.as_mut() {
            m[1][0] = m[0][1] * y;
            m[0][1] += m[1][0];
        }
        let (a, b) = pair.unwrap();
        let m = rows.unwrap();
        a * b + list.map_or(x, |v| v.iter().sum()) + m[0][1] * m[1][0]
    }

    fn bound_by_reference(x: f64, y: f64) -> f64 {
        let mut o = Some(x * x);
        if let Some(ref mut v) = o {
            *v *= y;
        }
        *o.as_mut().unwrap() += y.cos();
        let v = o.as_mut().unwrap();
        *v = v.sin();
        o.unwrap() * x
    }

    fn of_elements(x: f64, y: f64) -> f64 {
        let mut all = vec![Some(x), None, Some(y * x)];
        for o in all.iter_mut() {
            if let Some(v) = o {
                *v = *v * y + 1.0;
            } else {
                *o = Some(y.sin());
            }
        }
        let i = usize::from(x > 0.0);
        if let Some(v) = &mut all[i] {
            *v *= *v;
        }
        all.iter().map(|o| o.unwrap_or(0.0)).sum::<f64>() * all[i].unwrap()
    }
}

#[derive(Clone, Differentiable)]
struct Filter {
    last: Option<f64>,
    rate: f64,
    #[constant]
    rounds: usize,
}

#[grad]
impl Filter {
    fn update(&mut self, x: f64) -> f64 {
        self.rounds += 1;
        if let Some(last) = &mut self.last {
            *last += self.rate * (x - *last);
            *last
        } else {
            self.last = Some(x);
            x
        }
    }
}

fn smooth(f: &mut Option<f64>, x: f64) -> f64 {
    match f {
        Some(last) => {
            *last = 0.5 * (*last + x) * x;
            *last
        }
        None => {
            *f = Some(x * x);
            x
        }
    }
}

#[grad]
fn smoothed(f: &mut Option<f64>, x: f64) -> f64 {
    match f {
        Some(last) => {
            *last = 0.5 * (*last + x) * x;
            *last
        }
        None => {
            *f = Some(x * x);
            x
        }
    }
}

#[grad]
fn filtered(x: f64, y: f64) -> f64 {
    let mut filter = Filter {
        last: None,
        rate: 0.3 * y,
        rounds: 0,
    };
    let mut s = 0.0;
    for k in 0..3 {
        s += filter.update(x * y + k as f64) * y;
    }
    let mut lent = None;
    for k in 0..3 {
        s += smoothed(&mut lent, x - 0.2 * k as f64) * y;
    }
    s + filter.last.unwrap_or(0.0) * filter.rounds as f64 + lent.unwrap_or(0.0)
}

#[grad(order = 2)]
fn curved(x: f64, y: f64) -> f64 {
    let mut o = if x > 0.0 { Some(x * y) } else { None };
    for _ in 0..2 {
        if let Some(v) = &mut o {
            *v = v.sin() * y;
        }
    }
    o.unwrap_or(x * x * y)
}

#[test]
fn of_fields_and_parameters() {
    for (x, y) in POINTS {
        check!(filtered(value x = x, value y = y));
        let mut lent = Some(y);
        assert_eq!(smooth(&mut lent, x).to_bits(), {
            let mut same = Some(y);
            smoothed(&mut same, x).to_bits()
        });
    }
}

#[test]
fn second_derivatives() {
    for (x, y) in POINTS {
        let hessian = curved::hessian(x, y);
        for (j, (dx, dy)) in [(1e-5, 0.0), (0.0, 1e-5)].into_iter().enumerate() {
            let (above, below) = (curved::grad(x + dx, y + dy), curved::grad(x - dx, y - dy));
            let slopes = [(above.0 - below.0) / 2e-5, (above.1 - below.1) / 2e-5];
            for (i, slope) in slopes.into_iter().enumerate() {
                assert!((hessian[[i, j]] - slope).abs() < 1e-8);
            }
        }
    }
}

#[derive(Clone, Differentiable)]
enum Shape {
    Circle(f64),
    Box(f64, f64),
    Point,
}

#[grad]
fn of_an_enum(x: f64, y: f64) -> f64 {
    let mut shape = Some(Shape::Circle(x));
    if let Some(Shape::Circle(r)) = &mut shape {
        *r *= y + x;
    }
    let r = match &shape {
        Some(Shape::Circle(r)) => *r,
        _ => 0.0,
    };
    if r > 0.5 {
        shape = Some(Shape::Box(r, x));
    } else if r < -3.0 {
        shape = Some(Shape::Point);
    }
    if let Some(Shape::Box(a, b)) = &mut shape {
        std::mem::swap(a, b);
        *a *= *b * y;
    }
    match shape {
        Some(Shape::Circle(r)) => r * x,
        Some(Shape::Box(a, b)) => a * a - b,
        Some(Shape::Point) | None => 0.0,
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[grad]
impl Point {
    fn grow(&mut self, k: f64) {
        self.x *= k;
    }
}

#[derive(Clone, Differentiable)]
struct Held {
    p: Option<Point>,
    k: f64,
}

#[grad]
fn grown(s: &mut Held, t: f64) -> f64 {
    match s {
        Held { p: Some(p), .. } => p.x *= t,
        _ => {}
    }
    if let Some(p) = &mut s.p {
        p.grow(t);
    }
    s.k
}

#[grad]
fn of_a_struct(x: f64, y: f64) -> f64 {
    let mut held = Held {
        p: Some(Point { x, y: x * y }),
        k: y,
    };
    let k = grown(&mut held, x.sin());
    let p = held.p.unwrap();
    k + p.x * p.y
}

#[test]
fn of_types_of_the_user() {
    for (x, y) in POINTS {
        check!(of_an_enum(value x = x, value y = y));
        check!(of_a_struct(value x = x, value y = y));
    }
}

#[grad]
fn walked_through(x: f64, y: f64) -> f64 {
    let o = if x > 0.0 { Some((x, y)) } else { None };
    let mut s = x;
    for (a, b) in o.iter() {
        if *a > 1.0 {
            break;
        }
        s += a * b;
    }
    let mut square = Some(x * y);
    for v in square.iter_mut() {
        if *v > 2.0 {
            continue;
        }
        *v *= y;
    }
    let w = [x, y];
    let joined: f64 = w.iter().chain(square.iter()).map(|v| v * v).sum();
    s * joined + square.iter().sum::<f64>()
}

#[grad]
fn squares(p: &[Option<f64>]) -> f64 {
    p.iter().flatten().map(|v| v * v).sum()
}

#[grad]
fn flattened(x: f64, y: f64) -> f64 {
    let mut m = vec![Some(x), None, Some(x * x)];
    for v in m.iter_mut().flatten() {
        *v *= x;
    }
    let s: f64 = m.iter().flatten().map(|v| v.sin()).sum();
    s * squares(&[Some(y), None, Some(x * y)])
}

#[grad]
fn a_number_for_none(p: &[f64], x: f64) -> f64 {
    let d = x * x;
    let s = *p.first().unwrap_or(&0.5);
    let e = p.get(7).unwrap_or(&d);
    s * s + e * s
}

#[test]
fn loops_over_options() {
    for (x, y) in POINTS {
        check!(walked_through(value x = x, value y = y));
        check!(flattened(value x = x, value y = y));
    }
    check!(a_number_for_none(shared p = [0.4, 0.2], value x = 0.7));
    check!(a_number_for_none(shared p = [0.0; 0], value x = 0.7));
}

#[derive(Clone, Debug, Differentiable)]
struct Register {
    c: f64,
}

#[grad]
impl Register {
    fn replace(&mut self, x: f64) -> f64 {
        let y = self.c;
        self.c = x * x;
        y
    }
    fn insert(&mut self, x: f64) {
        self.c += x * x;
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Memory {
    last: Option<Point>,
    best: Option<f64>,
    own: Register,
}

#[grad]
impl Memory {
    fn see(&mut self, x: f64) -> f64 {
        self.own.insert(x);
        let mut s = self.own.replace(x) * self.own.c;
        if let Some(last) = self.last.replace(Point { x, y: s }) {
            s += last.x * last.y;
        }
        if self.best.is_none() {
            let _ = self.best.insert(s);
        }
        let best = self.best.get_or_insert_with(|| x);
        *best *= x;
        s += *best;
        s + *self.best.insert(s * x) * *self.best.get_or_insert(x)
    }
}

#[grad]
fn filled_fields(x: f64, y: f64) -> f64 {
    let mut memory = Memory {
        last: None,
        best: None,
        own: Register { c: x },
    };
    let mut s = 0.0;
    for i in 0..3 {
        s += memory.see(x + y * i as f64);
    }
    let last = memory.last.take().map(|p| p.x * p.y).unwrap_or(y);
    memory.best.replace(x).map_or(s, |best| s + best) + last * memory.best.unwrap()
}

#[grad]
fn filled_in_an_argument(last: &mut Option<f64>, x: f64) -> f64 {
    match last.replace(x) {
        Some(before) => before * x,
        None => x,
    }
}

#[grad]
fn filled_variables(x: f64, y: f64) -> f64 {
    let (mut last, mut best, mut lent) = (None, None, None);
    let mut s = *best.insert(x * y);
    for i in 0..3 {
        let v = x * i as f64 + y;
        if let Some(before) = last.replace(v) {
            s += v * before;
        }
        *best.get_or_insert(y) *= y;
        s += *best.get_or_insert_with(|| x * y) * x;
        s += filled_in_an_argument(&mut lent, s);
    }
    s * last.take().unwrap_or(x) + best.unwrap() + last.map_or(y, |v| v * x)
}

#[grad]
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x * x) } else { None }
}

#[grad]
fn guards_look_inside(x: f64, y: f64) -> f64 {
    let (mut last, mut point) = (None, None);
    let mut s = 0.0;
    for i in 0..3 {
        s += match last {
            Some(z) if z > 0.1 => z * y,
            Some(z) => z,
            None => y,
        };
        s += match &last {
            Some(z) if *z > 0.1 => z * y,
            Some(z) => *z,
            None => x,
        };
        s += match (last, point) {
            (Some(z), Some(Point { x: a, .. })) if z > 0.1 && a > z => z * a,
            (Some(z), _) => z,
            _ => y,
        };
        last = positive(x * i as f64);
        point = Some(Point { x: s, y: x });
    }
    s
}

#[test]
fn options_are_filled() {
    for (x, y) in POINTS {
        check!(guards_look_inside(value x = x, value y = y));
        check!(filled_fields(value x = x, value y = y));
        check!(filled_variables(value x = x, value y = y));
    }
}
