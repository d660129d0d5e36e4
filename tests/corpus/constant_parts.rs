//! What flows into fields marked `#[constant]`: in literals, by assignment, in calls; nothing flows out again.

use autodiff::{Differentiable, grad};

#[derive(Clone, Debug, Differentiable)]
struct Inner {
    q: f64,
    list: Vec<f64>,
}

#[derive(Clone, Debug, Differentiable)]
struct Data {
    w: f64,
    v: Vec<f64>,
    #[constant]
    t: f64,
    #[constant]
    xs: Vec<f64>,
    #[constant]
    pair: [f64; 2],
    #[constant]
    both: (f64, f64),
    #[constant]
    inner: Inner,
    #[constant]
    order: Vec<usize>,
    slots: [usize; 2],
}

#[derive(Clone, Debug, Differentiable)]
enum Kind {
    Fixed(#[constant] Vec<f64>, f64),
    Free {
        #[constant]
        rate: f64,
        x: f64,
    },
}

fn data() -> Data {
    Data {
        w: 1.0,
        v: vec![1.0],
        t: 0.0,
        xs: vec![1.5, 0.5],
        pair: [0.0; 2],
        both: (0.0, 0.0),
        inner: Inner {
            q: 0.0,
            list: vec![0.3],
        },
        order: vec![1, 0, 1],
        slots: [0, 1],
    }
}

#[grad(order = 2)]
fn step(y: &mut [f64], xs: &[f64], w: f64) {
    for k in 0..y.len() {
        y[k] += 0.1 * w * xs[k] * y[k];
    }
}

#[grad(order = 2)]
fn pick(y: &mut [f64], order: &mut [usize], scale: f64) -> f64 {
    order.reverse();
    for k in 0..y.len() {
        y[k] *= scale * y[order[k]];
    }
    y[0]
}

#[grad(order = 2)]
fn along(v: &[f64], order: &[usize], slots: &[usize; 2], scale: f64) -> f64 {
    let mut sum = 0.0;
    for &k in order {
        sum += v[k] * v[slots[k]] * scale;
    }
    sum
}

#[grad(order = 2)]
impl Data {
    fn along(&self, order: &Vec<usize>, slots: &[usize]) -> f64 {
        self.v[order[0]] * self.w + self.xs[slots[1]]
    }

    fn mix(&mut self, y: &mut [f64], xs: &[f64]) {
        for k in 0..y.len() {
            y[k] += 0.1 * self.w * xs[k] * self.xs[k];
            self.w += y[k];
        }
    }
}

/// Functions of `x` and of what flows into constants alone, as they are and in other forms: reverse, forward and differences agree by `x`, and by `c` there is nothing.
macro_rules! only_x {
    ($($(#[$attr:meta])* fn $name:ident($x:ident: f64, $c:ident: f64) -> f64 $body:block)*) => {
        mod plain { use super::*; $($(#[$attr])* #[grad] pub(super) fn $name($x: f64, $c: f64) -> f64 $body)* }
        mod all { use super::*; $($(#[$attr])* #[grad(__remember_all)] pub(super) fn $name($x: f64, $c: f64) -> f64 $body)* }
        mod verified { use super::*; $($(#[$attr])* #[grad(verify)] pub(super) fn $name($x: f64, $c: f64) -> f64 $body)* }
        mod twice { use super::*; $($(#[$attr])* #[grad(order = 2)] pub(super) fn $name($x: f64, $c: f64) -> f64 $body)* }
        $(
            #[test]
            fn $name() {
                let (x, c, h) = (0.7, 1.3, 1e-6);
                let f = plain::$name;
                let slope = (f(x + h, c) - f(x - h, c)) / (2.0 * h);
                let (value, bar) = plain::$name::vjp(x, c, 1.0);
                assert_eq!(value, f(x, c));
                crate::check::near(&bar.0, &slope, 1e-8);
                assert_eq!(bar.1, 0.0, "nothing flows back to what became a constant");
                assert_eq!(all::$name::vjp(x, c, 1.0).1, bar);
                assert_eq!(verified::$name::vjp(x, c, 1.0).1, bar);
                crate::check::near(&twice::$name::vjp(x, c, 1.0).1.0, &bar.0, 1e-13);
                let (value, back) = plain::$name::pullback(x, c);
                assert_eq!(value, f(x, c));
                crate::check::near(&back(1.0).0, &bar.0, 1e-13);
                crate::check::near(&plain::$name::jvp(x, c, (1.0, 0.0)).1, &bar.0, 1e-13);
                assert_eq!(plain::$name::jvp(x, c, (0.0, 1.0)).1, 0.0);
                let g = |x: f64| plain::$name::vjp(x, c, 1.0).1.0;
                let bend = (g(x + h) - g(x - h)) / (2.0 * h);
                let (_, second) = twice::$name::hvp(x, c, (1.0, 0.0));
                crate::check::near(&second.0, &bend, 1e-7);
                assert_eq!(second.1, 0.0);
                assert_eq!(twice::$name::hvp(x, c, (0.0, 1.0)).1, (0.0, 0.0));
            }
        )*
    };
}

only_x! {
    fn literals(x: f64, c: f64) -> f64 {
        let list = vec![c, c * c];
        let inner = Inner { q: c.sin(), list: list.clone() };
        let d = Data { w: x * x, v: vec![x, 2.0], t: c * 2.0, xs: list, pair: [c, 1.0], both: (c, 2.0), inner, order: vec![], slots: [0; 2] };
        d.w * d.t + d.xs[1] * d.v[0] * d.w + d.pair[0] * d.both.0 * x + d.inner.q * d.inner.list[1] * d.w
    }

    fn assigned(x: f64, c: f64) -> f64 {
        let mut d = data();
        d.w = x.sin();
        d.xs = vec![c, c, 3.0];
        let before = d.xs[0] * d.w;
        d.xs = vec![c; 5];
        d.t = c;
        d.t += c * c;
        d.pair = [c, c.exp()];
        d.pair[0] *= c;
        d.xs[1] += c * 3.0;
        d.xs[2] = c * c;
        d.both = (c, c + 1.0);
        d.inner = Inner { q: c, list: vec![c] };
        d.inner.list[0] *= c;
        let mut fixed = 0.0;
        for k in 0..d.xs.len() {
            fixed += d.xs[k];
        }
        before + d.w * d.t * fixed / d.xs[2] * x + d.pair[0] * d.w * d.both.1 * d.inner.list[0]
    }

    fn lengths(x: f64, c: f64) -> f64 {
        let mut d = data();
        d.v.push(x);
        d.xs.clear();
        d.xs.push(c);
        d.xs.push(1.5);
        d.xs.insert(0, c * c);
        d.xs.extend_from_slice(&[c, 2.0]);
        let last = d.xs.pop().unwrap();
        let first = d.xs.remove(0);
        d.xs.truncate(2);
        d.xs.swap(0, 1);
        d.w *= x * x;
        d.xs[0] * d.xs[1] * d.w + last * x + first * d.v[1] * d.xs.len() as f64
    }

    fn bulk(x: f64, c: f64) -> f64 {
        let mut d = data();
        d.w = x * x;
        d.xs = vec![1.0; 4];
        d.xs.fill(c);
        d.xs[2..].fill(2.0 * c);
        let source = [c, c * c];
        d.xs[..2].copy_from_slice(&source);
        d.pair.copy_from_slice(&source);
        let old = std::mem::replace(&mut d.xs, vec![c]);
        d.pair.swap(0, 1);
        let mut sum = 0.0;
        for y in &old {
            sum += y * d.w;
        }
        sum + d.xs[0] * d.pair[0] * x
    }

    fn rounds(x: f64, c: f64) -> f64 {
        let mut all: Vec<Data> = vec![];
        let mut y = x;
        for k in 0..3 {
            let d = Data { w: y, v: vec![y; k], t: c, xs: vec![c; k + 1], ..data() };
            y = y * 1.1 + d.w * d.xs[k] * 0.1;
            all.push(d);
        }
        let mut sum = 0.0;
        for d in &all {
            if d.t > 1.0 {
                sum += d.w * d.xs[0];
            }
            for v in &d.v {
                sum *= 1.0 + 0.1 * v * d.t;
            }
        }
        sum
    }

    fn lent(x: f64, c: f64) -> f64 {
        let mut d = Data { w: x, v: vec![x, x * x], xs: vec![c, 2.0], pair: [c, c], ..data() };
        let mut y = [x, 1.0];
        for _ in 0..2 {
            step(&mut y, &d.xs, d.w);
            step(&mut d.v, &d.xs, x);
            step(&mut d.xs, &d.pair, c);
            step(&mut d.v[..1], &d.inner.list, x);
            d.inner.list.push(c);
            d.inner.list.insert(0, 0.5);
        }
        let other = data().xs;
        d.mix(&mut y, &[x, 0.1]);
        let mut e = Data { xs: vec![c; 3], ..d.clone() };
        e.mix(&mut d.v, &d.xs);
        d.mix(&mut e.v, &e.xs);
        y[0] * y[1] + d.v[0] * d.v[1] * d.xs[0] + e.w * d.w + other.len() as f64
    }

    fn connected(x: f64, c: f64) -> f64 {
        let d = Data { w: x, v: vec![x, x * x], xs: vec![c, 2.0], t: c, ..data() };
        let mut sum = 0.0;
        for _ in 0..2 {
            sum += along(&d.v, &d.order, &d.slots, d.w) * along(&d.xs, &d.order, &d.slots, d.t);
            sum += along(&d.v, &d.order[1..], &d.slots, d.w) + d.along(&d.order, &d.slots);
            sum *= along(&d.v, &d.slots, &d.slots, x);
        }
        sum
    }

    fn orders(x: f64, c: f64) -> f64 {
        let mut d = Data { t: c, ..data() };
        let mut y = vec![x, 2.0 * x];
        let mut sum = 0.0;
        for _ in 0..2 {
            sum += pick(&mut y, &mut d.order, x) + pick(&mut y, &mut d.slots, d.t);
        }
        sum * d.order[0] as f64 + y[d.slots[0]]
    }

    fn variants(x: f64, c: f64) -> f64 {
        let list = vec![c, c];
        let all = [Kind::Fixed(list, x), Kind::Free { rate: c * c, x: x * x }];
        let mut sum = 0.0;
        for kind in &all {
            sum += match kind {
                Kind::Fixed(list, x) => list[0] * list[1] * x,
                Kind::Free { rate, x } => rate * x,
            };
        }
        sum
    }

    fn taken_out(x: f64, c: f64) -> f64 {
        let d = Data { w: x, v: vec![x], t: c, xs: vec![c, c * c], pair: [c; 2], ..data() };
        let list: Vec<f64> = d.xs.clone();
        let [a, b] = d.pair;
        let e = Data { w: d.w * x, xs: vec![c], ..d.clone() };
        let Data { w, xs, t, .. } = e;
        w * xs[0] * t + list[1] * x + a * b * x * x
    }
}

#[grad(order = 2)]
fn make(x: f64, xs: Vec<f64>, inner: Inner) -> Data {
    Data {
        w: x * xs[0],
        t: inner.q,
        xs,
        inner,
        ..data()
    }
}

#[grad(order = 2)]
fn made(x: f64, c: f64) -> f64 {
    let inner = Inner {
        q: c,
        list: vec![c],
    };
    let d = make(x, vec![2.0, c], inner);
    d.w * d.t * d.xs[1] + d.inner.q * d.inner.list[0] * x
}

#[test]
fn constants_out_of_a_call() {
    // 2 x c² + c² x
    let c = 1.3;
    crate::check::near(&made::grad(0.7, c).0, &(3.0 * c * c), 1e-13);
    assert_eq!(made::grad(0.7, c).1, 0.0);
    assert_eq!(made::jvp(0.7, c, (0.0, 1.0)).1, 0.0);
    assert_eq!(made::hvp(0.7, c, (1.0, 1.0)).1, (0.0, 0.0));
}
