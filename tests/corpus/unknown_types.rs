//! What the macro does not know the type of: options in fields, parts of what a call returns, the least of a list, counters of any integer type.

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Point {
    x: f64,
    y: f64,
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Held {
    o: Option<f64>,
    p: Option<Point>,
    k: f64,
    v: Vec<Option<f64>>,
}

#[grad]
impl Point {
    fn inner(&self, other: &Point) -> f64 {
        self.x * other.x
    }

    fn twice(&self) -> f64 {
        self.x * self.x
    }

    fn turned(self, k: f64) -> Point {
        Point {
            x: self.y * k,
            y: self.x,
        }
    }
}

#[grad]
fn made(x: f64) -> Point {
    Point { x, y: x * x }
}

#[grad]
fn of_methods(x: f64) -> f64 {
    let p = made(x);
    let mut q = made(x * x);
    for _ in 0..3 {
        q = q.turned(x);
    }
    p.inner(&q) + made(x).twice() * made(x).turned(x).turned(2.0).twice()
}

#[grad]
fn of_fields(o: f64, x: f64, k: f64) -> f64 {
    let h = Held {
        o: Some(o),
        p: Some(Point { x, y: k }),
        k,
        v: vec![Some(x * k), None],
    };
    fields(&h)
}

#[grad]
fn fields(h: &Held) -> f64 {
    let mut s = h.o.unwrap() * h.k + h.p.unwrap().x * h.o.expect("a number");
    s += h.v[0].unwrap_or(1.0) * h.k + h.v[1].unwrap_or(2.0);
    let own = h.o;
    s *= own.unwrap_or(1.0);
    let Held { o, k, .. } = h;
    s += o.unwrap_or(1.0) * k;
    s + h.v.iter().map(|o| o.unwrap_or(1.0).sin()).sum::<f64>()
}

#[grad]
fn counted(x: f64) -> (f64, usize) {
    (x * x, 3)
}

#[grad]
fn rounded(x: f64) -> (f64, f32) {
    (x * x, x as f32)
}

#[grad]
fn perhaps(x: f64) -> Option<(f64, u8)> {
    if x > 0.0 { Some((x * x, 3)) } else { None }
}

#[grad]
fn of_parts(x: f64) -> f64 {
    let (v, n) = counted(x);
    let t = counted(x);
    let mut s = v.powi(n as i32) * (n as f64 + 1.0) + t.0 * t.1 as f64;
    s += (0..n).map(|i| x * i as f64).sum::<f64>();
    if let Some((v, n)) = perhaps(x) {
        s += v * n as f64;
    }
    for _ in 0..3 {
        let (v, n) = counted(s);
        s = (v * n as f64).sin();
    }
    s
}

#[grad]
fn of_a_rounded_part(x: f64) -> f64 {
    let (v, w) = rounded(x);
    v * w as f64 + (w * 2.0) as f64
}

#[grad]
fn of_the_least(x: f64, y: f64, z: f64) -> f64 {
    let points = [Point { x, y }, Point { x: y, y: z }, Point { x: z, y: x }];
    let xs = [x, y, z];
    let i = (0..xs.len())
        .max_by(|&i, &j| xs[i].total_cmp(&xs[j]))
        .unwrap();
    let j = (0..xs.len())
        .min_by(|&a, &b| xs[a].partial_cmp(&xs[b]).unwrap())
        .unwrap();
    let all = points
        .iter()
        .copied()
        .reduce(|a, b| Point {
            x: a.x * b.x,
            y: a.y + b.y,
        })
        .unwrap();
    let lowest = points.iter().min_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
    let top = points
        .iter()
        .map(|p| p.x * p.y)
        .max_by(|a, b| a.total_cmp(b))
        .unwrap();
    lowest.y * top + all.x * all.y + xs[i] * xs[i] * xs[j]
}

#[grad]
fn of_counters(v: &[f64]) -> f64 {
    let mut s: f64 = v.iter().zip(1i32..).map(|(x, k)| x.powi(k)).sum();
    for (x, k) in v.iter().zip(1i32..=2) {
        s += x.powi(k) * s;
    }
    s += v
        .iter()
        .zip(0u32..)
        .map(|(x, k)| x * f64::from(k))
        .sum::<f64>();
    s += (-1..4i32).zip(v).map(|(k, x)| x.powi(k)).sum::<f64>();
    s + (-1i32..3).zip(v).map(|(k, x)| x.powi(k)).sum::<f64>()
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Filled {
    o: Option<f64>,
    a: f64,
    three: [f64; 3],
    hist: Vec<f64>,
}

#[grad]
fn options_that_fields_are(m: &Filled, x: f64) -> f64 {
    let s = m.o.map(|p| p * x).unwrap_or(m.a);
    let t = m.o.filter(|p| *p > 0.0).map_or(0.1, |q| q * x) + m.three.map(|p| p * x)[1];
    let u = if let Some(q) = m.o.map(|p| p.sin()) {
        q
    } else {
        m.a * x
    };
    s * t + u
}

#[grad]
fn options_with_names(ms: &[Filled], x: f64) -> f64 {
    let m = &ms[0];
    let a = m.o.map(|p| p * x);
    let b: Option<f64> = m.o.filter(|p| *p > 0.0);
    let own = m.o;
    let c = own.map(|p| p.sin());
    let d = c.map(|p| p * p);
    let e = ms[0].o.map(|p| p * x);
    let three = m.three.map(|p| p * x);
    let mut s = a.unwrap_or(m.a) + three[0] * three[2];
    if let Some(p) = b {
        s *= p;
    }
    s += match d {
        Some(p) => p * x,
        None => x,
    };
    let Some(last) = m.o.map(|p| p * p) else {
        return s;
    };
    s = s * last + e.unwrap();
    let mut f = m.o.map(|p| p * s);
    f = f.map(|p| p.sin());
    if f.is_some() && s > 0.0 {
        f = Some(s);
    }
    f.unwrap_or(x)
}

#[grad]
fn ends_of_fields(m: &Filled, x: f64) -> f64 {
    let mut s = if let Some(h) = m.hist.last() {
        *h * x
    } else {
        m.a
    };
    s *= match m.hist.first() {
        Some(h) => h * x,
        None => m.a,
    };
    s += m.hist.first().copied().unwrap_or(m.a) * x;
    s + m.hist.get(1).map_or(0.3, |h| h * x) + m.three.last().unwrap()
}

#[grad]
fn of_filled(o: f64, x: f64, y: f64, n: usize) -> f64 {
    let m = Filled {
        o: if n > 1 { Some(o) } else { None },
        a: o * x,
        three: [x, y, o],
        hist: vec![y; n],
    };
    let s = options_that_fields_are(&m, x) + ends_of_fields(&m, x);
    s * options_with_names(&[m], x)
}

#[test]
fn their_types_are_asked() {
    check!(of_methods(value x = 0.7));
    check!(of_fields(value o = 0.7, value x = 0.4, value k = 1.3));
    check!(of_parts(value x = 0.7));
    check!(of_the_least(value x = 0.7, value y = 0.4, value z = 1.3));
    for n in 0..4 {
        check!(of_filled(value o = 0.7, value x = 0.4, value y = 1.3, constant n = n));
    }
    check!(of_counters(shared v = [0.7, 0.4, 1.3]));
    let slope = of_a_rounded_part::grad(0.5);
    assert!((slope - (3.0 * 0.25 + 2.0)).abs() < 1e-12, "{slope}");
}
