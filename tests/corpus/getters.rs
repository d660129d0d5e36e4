//! Methods that lend part of their receiver, called from outside of their block; and what a function that fails returns of a type of the user's own.

use autodiff::{Differentiable, Float, grad};

#[derive(Clone, Differentiable)]
pub struct State {
    q: Vec<f64>,
    m: f64,
    at: [f64; 3],
}

#[grad(order = 2)]
impl State {
    fn q(&self) -> &[f64] {
        &self.q
    }

    fn list(&self) -> &Vec<f64> {
        &self.q
    }

    fn mass(&self) -> &f64 {
        &self.m
    }

    fn momentum(&self) -> f64 {
        self.m * self.at[0]
    }

    fn scaled(&self, by: f64) -> Vec<f64> {
        self.q.iter().map(|q| q * by).collect()
    }

    fn at(&self) -> &[f64; 3] {
        &self.at
    }

    fn first(&self) -> &f64 {
        self.q.first().unwrap()
    }

    fn chosen(&self) -> &[f64] {
        if self.m > 1.0 {
            return &self.q[1..];
        }
        match self.q.len() {
            0 => unreachable!(),
            _ => self.q.as_slice(),
        }
    }
}

#[derive(Clone, Differentiable)]
struct System {
    state: State,
    k: f64,
}

#[grad(order = 2)]
impl System {
    fn state(&self) -> &State {
        &self.state
    }

    #[grad]
    fn lent(&self) -> &State {
        &self.state
    }

    fn energy(&self) -> f64 {
        let q = self.state.q();
        self.k * q.iter().map(|x| x * x).sum::<f64>() + self.state.at()[2]
    }

    /// What was lent before is not what is there later.
    fn advance(&mut self, dt: f64) {
        let first = *self.state.first();
        let q = self.state.list().clone();
        self.state.q[0] += dt * self.state.mass() * q[1];
        self.state.m = first * self.state.first();
    }
}

#[grad(order = 2)]
fn squares(q: &[f64]) -> f64 {
    q.iter().map(|x| x * x).sum()
}

#[grad(order = 2)]
fn last(q: Vec<f64>) -> f64 {
    q[0] * q[q.len() - 1]
}

#[grad(order = 2)]
fn cube(x: f64) -> f64 {
    x * x * x
}

fn made(x: f64, y: f64) -> State {
    State {
        q: vec![x, x * y, y],
        m: y * y,
        at: [x, 1.0, y.sin()],
    }
}

#[grad(order = 2)]
trait Body {
    fn place(&self) -> &[f64; 2];
    fn mass(&self) -> f64;
    fn moment(&self) -> f64 {
        self.place()[0] * self.mass()
    }
}

#[derive(Clone, Differentiable)]
struct Ball {
    place: [f64; 2],
    m: f64,
}

#[grad(order = 2)]
impl Body for Ball {
    fn place(&self) -> &[f64; 2] {
        &self.place
    }

    fn mass(&self) -> f64 {
        self.m * self.m
    }
}

#[grad(order = 2)]
fn potential<B: Body + Differentiable + Clone>(b: &B) -> f64 {
    let p = b.place();
    b.mass() * (p[0] * p[0] + p[1]) + b.moment()
}

#[derive(Clone, Differentiable)]
struct Many<T: Float> {
    x: Vec<T>,
}

#[grad(order = 2)]
impl<T: Float> Many<T> {
    fn all(&self) -> &[T] {
        &self.x
    }

    fn at(&self, i: usize) -> &T {
        &self.x[i]
    }
}

#[grad(order = 2)]
fn of_many<T: Float>(s: &Many<T>) -> T {
    s.all()[0] * *s.at(1)
}

#[grad]
fn of_state(s: &State) -> f64 {
    s.q()[0] * s.list()[1] * *s.mass()
}

#[test]
fn what_methods_lend_is_differentiated() {
    let g = of_state::grad(&made(0.5, 2.0));
    assert_eq!((g.q, g.m), (vec![4.0, 2.0, 0.0], 0.5));
    let system = System {
        state: made(0.5, 2.0),
        k: 1.0,
    };
    assert_eq!(system.state().m, system.lent().m);
}

/// None of these has a default.
#[allow(
    dead_code,
    clippy::large_enum_variant,
    reason = "of a length that has no default"
)]
#[derive(Clone, Debug, PartialEq, Differentiable)]
enum Kind {
    Long(f64, [f64; 40]),
    Short { x: f64 },
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Inner {
    kind: Kind,
    list: Vec<f64>,
    #[constant]
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Pair(f64, f64);

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Outer {
    inner: Inner,
    pair: Pair,
}

#[grad(order = 2)]
fn pair(x: f64, y: f64) -> Result<Pair, String> {
    if y > 5.0 {
        return Err("large".to_string());
    }
    Ok(Pair(x * y, y))
}

#[grad(order = 2)]
fn outer(x: f64, y: f64) -> Result<Outer, String> {
    if x < 0.0 {
        return Err("negative".to_string());
    }
    let kind = Kind::Short { x: x * y };
    let inner = Inner {
        kind,
        list: vec![x],
        name: "a".to_string(),
    };
    Ok(Outer {
        inner,
        pair: pair(x, y)?,
    })
}

#[grad(order = 2)]
fn total(x: f64, y: f64) -> Result<f64, String> {
    let o = outer(x, y)?;
    let k = match o.inner.kind {
        Kind::Long(a, _) => a,
        Kind::Short { x } => x,
    };
    Ok(k + o.inner.list[0] * y * 3.0 + o.pair.0)
}

second! {
    fn elements(x: f64, y: f64) -> f64 {
        let s = State { q: vec![x, x * y, y], m: y * y, at: [x, 1.0, y.sin()] };
        let q = s.q();
        let mut sum = s.at()[2] * s.list()[1];
        for i in 0..q.len() {
            sum += q[i] * q[i] * i as f64;
        }
        for v in s.list() {
            sum *= *v;
        }
        sum + s.q().iter().zip(s.at()).map(|(a, b)| a * b).sum::<f64>()
    } = [value x = 0.7, value y = 1.3], [value x = 0.7, value y = 0.4];
    fn numbers(x: f64, y: f64) -> f64 {
        let s = State { q: vec![x, x * y], m: y * y, at: [x, 1.0, y] };
        let (mass, &first) = (s.mass(), s.first());
        *s.mass() * first + mass * s.mass().sin()
    } = [value x = 0.7, value y = 1.3];
    fn declared(x: f64, y: f64) -> f64 {
        let s = State { q: vec![x, x * y], m: y * y, at: [x, 1.0, y] };
        let q: &[f64] = s.q();
        let m: &f64 = s.mass();
        q[0] * q[1] * m + squares(&s.q()) * squares(q)
    } = [value x = 0.7, value y = 1.3];
    fn passed_on(x: f64, y: f64) -> f64 {
        let s = State { q: vec![x, x * y], m: y * y, at: [x, 1.0, y] };
        let scaled = s.scaled(y);
        let p = s.momentum();
        let q: &Vec<f64> = s.list();
        cube(s.momentum()) + p * cube(p) + scaled[1] * last(scaled) * last(s.scaled(x)) + squares(q)
    } = [value x = 0.7, value y = 1.3];
    fn ways(x: f64, y: f64) -> f64 {
        let s = State { q: vec![x, x * y], m: y * y, at: [x, 1.0, y] };
        let mut sum = 0.0;
        for (i, &v) in s.chosen().iter().enumerate() {
            sum += v * v * (i + 1) as f64;
        }
        sum
    } = [value x = 0.7, value y = 1.3], [value x = 0.7, value y = 0.4];
    fn of_parts(x: f64, y: f64) -> f64 {
        let state = State { q: vec![x, x * y], m: y * y, at: [x, 1.0, y] };
        let mut s = System { state, k: x };
        let before = s.energy() + s.lent().q()[1];
        s.advance(y);
        s.advance(x);
        before * s.energy() + s.lent().m * *s.lent().mass()
    } = [value x = 0.7, value y = 1.3];
    fn of_traits(x: f64, y: f64) -> f64 {
        let many = Many { x: vec![x, y * y] };
        potential(&Ball { place: [x, y], m: x * y }) * of_many(&many)
    } = [value x = 0.7, value y = 1.3];
    fn alternatives(x: f64, y: f64) -> f64 {
        total(x, y).unwrap_or(x * x)
    } = [value x = 0.7, value y = 1.3], [value x = -0.7, value y = 1.3], [value x = 0.7, value y = 6.0];
}

#[test]
fn failures_of_types_without_a_default_are_errors() {
    assert_eq!(total::grad(2.0, 3.0), Ok((15.0, 10.0)));
    assert_eq!(total::grad(-1.0, 3.0), Err("negative".to_string()));
    assert_eq!(total::grad(1.0, 7.0), Err("large".to_string()));
    let hessian = total::hessian(2.0, 3.0).unwrap();
    assert_eq!(hessian.as_slice(), [0.0, 5.0, 5.0, 0.0]);
}
