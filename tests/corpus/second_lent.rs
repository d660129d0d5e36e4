//! Hessians through functions and methods that are lent memory, many columns at once: each is a difference of gradients.

use std::ops::{Add, Mul};

use autodiff::{Differentiable, Float, grad, logsumexp};

use crate::effect;

use super::second_directions::{compare, flat};

#[derive(Clone, Copy, Debug, Differentiable)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}

#[grad(order = 2)]
impl V3 {
    fn dot(&self, other: &V3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(self) -> f64 {
        self.dot(&self).sqrt()
    }

    fn scaled(&self, by: f64) -> V3 {
        V3 {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }
}

#[grad(order = 2)]
impl Add for V3 {
    type Output = V3;
    fn add(self, other: V3) -> V3 {
        V3 {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Body {
    at: V3,
    mass: f64,
    #[constant]
    fixed: V3,
    charges: Vec<f64>,
}

#[grad(order = 2)]
fn weighted(a: &[f64], b: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        s += (a[i] * b[i] * k).sin() + a[i] * a[i];
    }
    s
}

#[grad(order = 2)]
fn shifted(v: &V3, by: f64) -> V3 {
    let mut out = v.scaled(by);
    out.x += v.y * v.z;
    out
}

#[grad(order = 2)]
impl Body {
    fn pull(&self, other: &Body) -> f64 {
        let apart = self.at + other.at.scaled(-1.0);
        self.mass * other.mass / (0.1 + apart.dot(&apart)).sqrt()
    }

    fn charge(&self) -> f64 {
        weighted(&self.charges, &self.charges, self.mass) + logsumexp(&self.charges)
    }

    /// A part that has no derivative is lent like one that has.
    fn tied(&self) -> f64 {
        self.at.dot(&self.fixed) + self.fixed.dot(&self.at) * self.fixed.length()
    }

    fn energy(&self) -> f64 {
        self.charge() * self.tied()
            + self.at.length()
            + weighted(&self.charges[1..], &self.charges[..2], 0.5)
    }
}

/// What follows a call; a branch and loops around it; two elements of one list.
#[grad(order = 2)]
fn system(bodies: &[Body], k: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..bodies.len() {
        for j in 0..i {
            sum += bodies[i].pull(&bodies[j]) * k;
        }
        if sum > 0.1 {
            sum *= bodies[i].energy().sin();
        }
        let moved = shifted(&bodies[i].at, k);
        sum += moved.dot(&bodies[0].at) * shifted(&moved, sum).length();
    }
    sum
}

fn bodies(p: &[f64]) -> Vec<Body> {
    p.chunks(7)
        .map(|p| Body {
            at: V3 {
                x: p[0],
                y: p[1],
                z: p[2],
            },
            mass: p[3],
            fixed: V3 {
                x: 0.4,
                y: -1.2,
                z: 0.7,
            },
            charges: p[4..7].to_vec(),
        })
        .collect()
}

fn point(count: usize) -> Vec<f64> {
    (0..count)
        .map(|i| 0.2 + 0.09 * (i * 5 % 13) as f64)
        .collect()
}

#[test]
fn of_a_system_of_bodies() {
    let at = point(22);
    let hessian = system::hessian(&bodies(&at[..21]), at[21]);
    compare(&hessian, &at, &|p| {
        let (bodies, k) = system::grad(&bodies(&p[..21]), p[21]);
        [flat(&bodies), vec![k]].concat()
    });
    let at = &at[..7];
    let hessian = bodies(at)[0].energy_hessian();
    compare(&hessian, at, &|p| flat(&[bodies(p)[0].energy_grad()]));
    let (gradient, product) = bodies(at)[0].energy_hvp(&bodies_tangent(0));
    assert_eq!(flat(&[gradient]), flat(&[bodies(at)[0].energy_grad()]));
    for (row, entry) in flat(&[product]).into_iter().enumerate() {
        assert!((entry - hessian[[row, 0]]).abs() < 1e-13);
    }
}

/// The direction of one scalar.
fn bodies_tangent(scalar: usize) -> BodyTangent {
    use autodiff::Tangent;
    let mut tangent = bodies(&[0.0; 7])[0].zero_tangent();
    let mut at = 0;
    tangent.for_each_scalar(&mut |x| {
        *x = f64::from(u8::from(at == scalar));
        at += 1;
    });
    tangent
}

#[derive(Clone, Copy, Debug, Differentiable)]
enum Spring {
    Linear(f64),
    Stiff { k: f64, power: f64 },
    Loose,
}

#[grad(order = 2)]
impl Spring {
    fn energy(&self, at: f64) -> f64 {
        match self {
            Spring::Linear(k) => 0.5 * k * at * at,
            Spring::Stiff { k, power } => k * (1.0 + at * at).powf(*power),
            Spring::Loose => at,
        }
    }
}

/// Memory of its own is lent; what it lends is changed behind the call.
#[grad(order = 2)]
fn chain(springs: &[Spring], start: f64) -> f64 {
    let mut ends = vec![start; springs.len() + 1];
    let mut total = 0.0;
    for (i, spring) in springs.iter().enumerate() {
        let energy = spring.energy(ends[i]);
        ends[i + 1] = energy * ends[i];
        total += weighted(&ends[..i + 1], &ends[1..i + 2], 0.3) * energy;
        ends[i] *= 0.5;
    }
    total
}

#[test]
fn of_enums_and_local_memory() {
    let made = |p: &[f64]| {
        [
            Spring::Linear(p[0]),
            Spring::Stiff {
                k: p[1],
                power: p[2],
            },
            Spring::Loose,
            Spring::Linear(p[3]),
        ]
    };
    let at = [0.6, 0.4, 1.2, 0.8, 0.7];
    let hessian = chain::hessian(&made(&at), at[4]);
    compare(&hessian, &at, &|p| {
        let (springs, start) = chain::grad(&made(p), p[4]);
        [flat(&springs), vec![start]].concat()
    });
}

#[derive(Clone, Debug, Differentiable)]
struct Layer<T> {
    weights: Vec<T>,
    bias: T,
}

#[grad(order = 2)]
impl<T: Float> Layer<T> {
    fn forward(&self, x: &[T]) -> T {
        let mut sum = self.bias;
        for i in 0..x.len() {
            sum = sum + self.weights[i] * x[i];
        }
        sum.tanh()
    }
}

#[grad(order = 2)]
fn network<T: Float>(layers: &[Layer<T>], x: &[T]) -> T {
    let mut values = x.to_vec();
    let mut last = x[0];
    for layer in layers {
        last = layer.forward(&values);
        values[0] = values[1] * last;
    }
    last * last + values[0]
}

#[test]
fn of_generic_layers() {
    let made = |p: &[f64]| {
        let layer = |p: &[f64]| Layer {
            weights: p[..2].to_vec(),
            bias: p[2],
        };
        [layer(&p[..3]), layer(&p[3..6]), layer(&p[6..9])]
    };
    let at = point(11);
    let hessian = network::hessian(&made(&at), &at[9..]);
    compare(&hessian, &at, &|p| {
        let (layers, x) = network::grad(&made(p), &p[9..]);
        [flat(&layers), x].concat()
    });
}

#[derive(Clone, Debug, Differentiable)]
struct Tree {
    worth: f64,
    children: Vec<Tree>,
}

#[grad(order = 2)]
impl Tree {
    fn sum(&self, depth: f64) -> f64 {
        let mut sum = (self.worth * depth).exp();
        for child in &self.children {
            sum += child.sum(depth * self.worth) * self.worth;
        }
        sum
    }
}

/// It changes memory that it is lent: such a call is made in one direction.
#[grad(order = 2)]
fn settle(v: &mut [f64], by: f64) {
    for x in v {
        *x *= *x * by;
    }
}

#[grad(order = 2)]
fn settled(v: &[f64], token: Token, by: f64) -> f64 {
    let mut own = v.to_vec();
    settle(&mut own, by);
    own.iter().sum::<f64>() * token.worth * token.worth
}

#[derive(Clone, Debug, Differentiable)]
struct Token {
    worth: f64,
}

#[grad(order = 2)]
fn with_settled(body: &Body, by: f64) -> f64 {
    let twice = Twice { k: body.mass };
    settled_alone(&body.charges, by) * body.mass + twice * by
}

#[grad(order = 2)]
fn settled_alone(v: &[f64], by: f64) -> f64 {
    let mut own = v.to_vec();
    settle(&mut own, by);
    own.iter().sum::<f64>() * by
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Twice {
    k: f64,
}

#[grad(order = 2)]
impl Mul<f64> for Twice {
    type Output = f64;
    fn mul(self, by: f64) -> f64 {
        2.0 * self.k * by
    }
}

/// A value is given away to what has one direction.
#[grad(order = 2)]
fn spends(body: &Body, by: f64) -> f64 {
    settled(&body.charges, Token { worth: by }, body.mass)
}

#[test]
fn of_trees() {
    let leaf = |worth| Tree {
        worth,
        children: vec![],
    };
    let made = |p: &[f64]| Tree {
        worth: p[0],
        children: vec![
            leaf(p[1]),
            Tree {
                worth: p[2],
                children: vec![leaf(p[3]), leaf(p[4])],
            },
        ],
    };
    let at = [0.6, 0.4, 1.2, 0.8, 0.7, 0.9];
    compare(&made(&at).sum_hessian(0.9), &at, &|p| {
        let (tree, depth) = made(p).sum_grad(p[5]);
        [flat(&[tree]), vec![depth]].concat()
    });
}

#[test]
fn of_functions_that_have_one_direction() {
    let at = point(8);
    let hessian = with_settled::hessian(&bodies(&at[..7])[0], at[7]);
    compare(&hessian, &at, &|p| {
        let (body, by) = with_settled::grad(&bodies(&p[..7])[0], p[7]);
        [flat(&[body]), vec![by]].concat()
    });
    let (gradient, product) = spends::hvp(&bodies(&at[..7])[0], at[7], (&bodies_tangent(3), 0.0));
    let up = {
        let mut up = at.clone();
        up[3] += 1e-6;
        spends::grad(&bodies(&up[..7])[0], up[7])
    };
    let slope = (up.1 - gradient.1) / 1e-6;
    assert!((product.1 - slope).abs() < 1e-4 * (1.0 + slope.abs()));
}

#[derive(Clone, Debug, Differentiable)]
struct Kinds {
    a: f64,
    b: Vec<f64>,
    #[constant]
    n: usize,
    o: Option<f64>,
    t: (f64, [f64; 2]),
    #[constant]
    k: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Two(f64, f64);

trait Law {
    fn rate(&self, x: f64) -> f64;
    fn both(&self, q: &Two) -> Two;
}

#[grad(order = 2)]
impl Law for Kinds {
    fn rate(&self, x: f64) -> f64 {
        self.a * x * x + self.b[0] * x
    }

    fn both(&self, q: &Two) -> Two {
        Two(q.0 * self.a, q.1 * q.0 * self.b[1])
    }
}

#[grad(order = 2)]
impl Kinds {
    fn option(&self, o: Option<f64>) -> Option<f64> {
        match o {
            Some(v) => Some(v * self.a),
            None => self.o,
        }
    }

    fn tuple(&self, t: (f64, [f64; 2])) -> (f64, f64) {
        (t.0 * self.t.1[0], t.1[1] * self.t.0 * self.a)
    }

    fn slice(&self, x: &[f64], #[constant] w: &[f64], n: usize) -> Vec<f64> {
        let mut out = vec![0.0; n];
        for i in 0..n {
            out[i] = x[i] * self.b[i] * w[i];
        }
        out
    }

    fn arrays(&self, x: [f64; 2], m: &[[f64; 2]; 2]) -> [f64; 2] {
        [
            m[0][0] * x[0] + m[0][1] * x[1] * self.a,
            m[1][0] * x[0] * x[1],
        ]
    }

    fn unused(&self, _x: f64) -> f64 {
        self.a.sin()
    }

    fn list(&self, qs: &[Two]) -> f64 {
        let mut s = 0.0;
        for q in qs {
            s += q.0 * q.1 * self.a;
        }
        s
    }

    fn owned(&self, q: Two, v: Vec<f64>) -> f64 {
        q.0 * v[0] * v[1] * self.b[2]
    }

    fn consts(&self) -> f64 {
        self.k[..self.n - 1]
            .iter()
            .map(|k| k * self.a * self.a)
            .sum()
    }

    fn early(&self, x: f64) -> f64 {
        for b in &self.b {
            if *b > 0.5 {
                return b * x * x;
            }
        }
        x * self.a
    }

    fn modify(&mut self, x: f64) {
        self.a *= x * self.b[0];
        self.b[1] += self.a * x;
    }

    fn recursive(&self, x: f64, n: usize) -> f64 {
        if n == 0 {
            x * self.a
        } else {
            self.recursive(x * x * self.b[n % 3], n - 1)
        }
    }

    /// It has the name of the function that it calls.
    fn part(&self) -> f64 {
        part(&self.b[1..], &self.t.1) * part(&self.b, &self.b[..2])
    }
}

#[grad(order = 2)]
fn part(x: &[f64], y: &[f64]) -> f64 {
    x[0] * y[1] + (x[1] * y[0]).sin()
}

#[grad(order = 2)]
fn sum_of(q: &Two, by: &f64) -> Two {
    Two(q.0 * *by, q.1 * *by * *by)
}

#[grad(order = 2)]
fn generic<T: Float, const N: usize>(x: &[T; N], y: T) -> T {
    let mut s = y;
    for i in 0..N {
        s = s * x[i] + y;
    }
    s
}

/// Options, tuples, arrays, lists and parts of them are lent beside values.
#[grad(order = 2)]
fn every_signature(p: &Kinds, q: &Two, x: f64) -> f64 {
    let mut s = p.rate(x) + p.recursive(x, 2) + p.part() + p.consts() + p.unused(x) + p.early(x);
    let r = p.both(q);
    s += p.option(Some(r.0)).unwrap_or(0.3) * p.option(None).unwrap_or(0.2);
    let (a, b) = p.tuple((x, [r.1, q.0]));
    s += a * b;
    let w = [0.5, 0.3, 0.2];
    let v = p.slice(&p.b, &w, 3);
    s += v[0] * v[2] + v[1];
    let c = p.arrays([x, q.1], &[[q.0, r.0], [x, a]]);
    s += c[0] * c[1];
    let qs = vec![r, *q, Two(x, b)];
    s += p.list(&qs) + p.list(&qs[1..]);
    s += p.owned(r, v);
    let by = x * 0.5;
    let t = sum_of(&qs[0], &by);
    s += t.0 * t.1;
    let xs = [x, q.0, q.1];
    s += generic(&xs, t.0) + generic(&[x, s], q.1);
    s
}

#[grad(order = 2)]
fn changed_by_methods(p: &Kinds, q: &Two, x: f64) -> f64 {
    let mut own = p.clone();
    own.modify(x);
    own.modify(q.0);
    own.rate(q.1) + own.b[1]
}

#[grad(order = 2)]
fn elements_of_its_own(x: f64, y: f64) -> f64 {
    let mut v = vec![Two(x, y); 3];
    for i in 0..3 {
        v[i] = sum_of(&v[(i + 1) % 3], &x);
    }
    let mut s = 0.0;
    for i in 0..3 {
        let t = sum_of(&v[i], &v[(i + 2) % 3].1);
        s += t.0 * t.1;
        v[i].0 += s;
    }
    s + v[2].0 * part(&[x, y, s], &[v[1].0, s])
}

fn kinds(p: &[f64]) -> (Kinds, Two, f64) {
    (
        Kinds {
            a: p[0],
            b: p[1..4].to_vec(),
            n: 3,
            o: Some(p[4]),
            t: (p[5], [p[6], p[7]]),
            k: vec![0.1, 0.2],
        },
        Two(p[8], p[9]),
        p[10],
    )
}

#[test]
fn of_every_kind_of_signature() {
    let at: Vec<f64> = (0..11)
        .map(|i| 0.3 + 0.07 * ((i * 7) % 11) as f64)
        .collect();
    let (p, q, x) = kinds(&at);
    let h = every_signature::hessian(&p, &q, x);
    let g = |a: &[f64]| {
        let (p, q, x) = kinds(a);
        let (p, q, x) = every_signature::grad(&p, &q, x);
        [flat(&[p]), flat(&[q]), vec![x]].concat()
    };
    assert_eq!(h.rows(), g(&at).len());
    compare(&h, &at, &g);
    let h = changed_by_methods::hessian(&p, &q, x);
    let g = |a: &[f64]| {
        let (p, q, x) = kinds(a);
        let (p, q, x) = changed_by_methods::grad(&p, &q, x);
        [flat(&[p]), flat(&[q]), vec![x]].concat()
    };
    compare(&h, &at, &g);
    let h = elements_of_its_own::hessian(0.6, 0.8);
    compare(&h, &[0.6, 0.8], &|a| {
        let (x, y) = elements_of_its_own::grad(a[0], a[1]);
        vec![x, y]
    });
}

#[derive(Clone, Debug, Differentiable)]
struct State {
    at: Vec<f64>,
    speed: [f64; 2],
    #[constant]
    steps: usize,
}

#[grad(order = 2)]
fn applied<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x) * x
}

#[grad(order = 2)]
impl State {
    /// It changes its receiver and returns nothing.
    fn step(&mut self, pull: &Pull, dt: f64) {
        for i in 0..2 {
            let force = pull.force(self.at[i], self.speed[1 - i]);
            self.speed[i] += force * dt;
            self.at[i] += self.speed[i] * dt;
        }
        self.steps += 1;
    }

    fn grow(&mut self, by: f64) -> f64 {
        self.at.push(by * self.speed[0]);
        self.at[0] * by
    }

    /// What it calls is given a function, so it has one direction.
    fn bend(&mut self, by: f64) {
        let k = self.speed[0];
        self.at[1] *= applied(|t| t * k * by, self.at[0]);
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pull {
    k: f64,
    drag: f64,
}

#[grad(order = 2)]
impl Pull {
    fn force(&self, at: f64, speed: f64) -> f64 {
        -self.k * at.sin() - self.drag * speed * speed
    }
}

#[grad(order = 2)]
fn exchange(a: &mut [f64], b: &mut f64, #[constant] log: &mut [f64]) {
    for x in a.iter_mut() {
        *b += *x * *x;
        *x *= *b;
    }
    log[0] = 0.25;
}

#[grad(order = 2)]
fn extend(list: &mut Vec<f64>, by: f64) {
    let last = list[list.len() - 1];
    list.push(last * last * by);
    list[0] *= by;
}

#[grad(order = 2)]
fn simulated(pull: &Pull, start: &[f64], speed: [f64; 2]) -> f64 {
    let mut state = State {
        at: start.to_vec(),
        speed,
        steps: 0,
    };
    for _ in 0..3 {
        state.step(pull, 0.1);
    }
    let grown = state.grow(pull.k) + state.grow(0.7);
    state.bend(pull.drag);
    let mut log = [0.5 * grown, 0.2];
    exchange(&mut state.at[1..], &mut state.speed[1], &mut log);
    extend(&mut state.at, speed[0]);
    let mut pair = [state.clone(), state];
    pair[1].step(pull, grown);
    let sum: f64 = pair[0].at.iter().chain(&pair[1].at).sum();
    sum * sum + log[0] * pair[1].speed[0] + pair[0].speed[1] * grown
}

#[test]
fn of_what_is_lent_to_be_changed() {
    let pull = |p: &[f64]| Pull {
        k: p[0],
        drag: p[1],
    };
    let at = [0.9, 0.3, 0.7, -0.4, 0.5, 0.8];
    let speed = |p: &[f64]| [p[4], p[5]];
    let hessian = simulated::hessian(&pull(&at), &at[2..4], speed(&at));
    compare(&hessian, &at, &|p| {
        let (pull, start, speed) = simulated::grad(&pull(p), &p[2..4], speed(p));
        [flat(&[pull]), start, speed.to_vec()].concat()
    });
}

/// Eight numbers: one sweep of a Hessian.
#[derive(Clone, Debug, Differentiable)]
struct Counted {
    x: [f64; 8],
}

#[grad(order = 2)]
fn counted_square(x: &[f64]) -> f64 {
    effect::tick();
    x.iter().map(|x| x * x).sum()
}

#[grad(order = 2)]
impl Counted {
    fn spread(&mut self) {
        effect::tick();
        for i in 1..8 {
            self.x[i] *= self.x[i - 1];
        }
    }

    fn energy(&self) -> f64 {
        effect::tick();
        counted_square(&self.x).sin()
    }
}

#[grad(order = 2)]
fn counted(start: &Counted) -> f64 {
    let mut own = Counted { x: start.x };
    own.spread();
    own.energy()
}

#[test]
fn all_columns_run_what_they_call_once() {
    let start = Counted {
        x: [0.9, 1.1, 0.8, 1.2, 0.7, 1.3, 0.6, 1.4],
    };
    effect::reset();
    let hessian = counted::hessian(&start);
    assert_eq!(effect::reset(), 3);
    compare(&hessian, &start.x, &|x| {
        let start = Counted {
            x: x.try_into().expect("there are eight"),
        };
        counted::grad(&start).x.to_vec()
    });
}

/// A type of the user's own beside lists that are borrowed, owned and returned.
#[derive(Clone, Debug, Differentiable)]
struct Weight {
    w: f64,
}

#[grad(order = 2)]
fn scaled(by: &Weight, x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| by.w * v * v).collect()
}

#[grad(order = 2)]
fn both_scaled(by: &Weight, x: &[f64], y: Vec<f64>, z: &[Vec<f64>]) -> (Vec<Weight>, f64) {
    let w = by.w * x[0] * y[0].sin() * z[0][1];
    (vec![Weight { w }], y[1] * w)
}

#[grad(order = 2)]
fn maybe_scaled(by: &Weight, x: &[Option<f64>], y: (f64, [f64; 2])) -> Option<f64> {
    Some(by.w * x[0]? * y.1[0].cos() * y.0)
}

#[grad(order = 2)]
fn of_lists(by: &Weight, x: &[f64]) -> f64 {
    let v = scaled(by, x);
    let (all, k) = both_scaled(by, x, v.clone(), &[x.to_vec(), v.clone()]);
    let found = maybe_scaled(by, &[Some(k), None], (v[1], [x[1], 0.5]));
    all[0].w * v[1] + found.unwrap_or(0.0)
}

#[test]
fn of_lists_beside_types() {
    let at = [0.7, 1.3, -0.6];
    let hessian = of_lists::hessian(&Weight { w: at[0] }, &at[1..]);
    compare(&hessian, &at, &|p| {
        let (by, x) = of_lists::grad(&Weight { w: p[0] }, &p[1..]);
        [vec![by.w], x].concat()
    });
}
