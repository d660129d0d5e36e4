//! Methods of types of one's own that are named like those of numbers, lists and options; operators of references alone; types of one letter.

use std::ops::{Add, Mul, Neg, Sub};

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
pub(crate) struct Complex {
    re: f64,
    im: f64,
}

#[grad]
impl Complex {
    fn new(re: f64, im: f64) -> Self {
        Complex { re, im }
    }

    fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn ln(self) -> Self {
        Complex::new(self.abs().ln(), self.im.atan2(self.re))
    }

    fn exp(&self) -> Self {
        let (s, c) = self.im.sin_cos();
        let r = self.re.exp();
        Complex::new(r * c, r * s)
    }

    fn powf(self, p: f64) -> Self {
        let l = self.ln();
        Complex::new(l.re * p, l.im * p).exp()
    }

    fn powi(self, n: u32) -> Self {
        if n == 0 {
            Complex::new(1.0, 0.0)
        } else {
            self.powi(n - 1).mul_add(self, Complex::new(0.0, 0.0))
        }
    }

    fn sqrt(self) -> Self {
        (self.ln() * 0.5).exp()
    }

    fn mul_add(self, by: Complex, more: Complex) -> Self {
        Complex::new(
            self.re * by.re - self.im * by.im + more.re,
            self.re * by.im + self.im * by.re + more.im,
        )
    }

    fn max(self, other: Complex) -> f64 {
        self.abs().max(other.abs())
    }

    fn sum(self, other: Complex) -> Self {
        self + other
    }

    fn recip(&self) -> Self {
        let d = self.re * self.re + self.im * self.im;
        Complex::new(self.re / d, -self.im / d)
    }
}

#[grad]
impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex::new(self.re + other.re, self.im + other.im)
    }
}

#[grad]
impl Mul<f64> for Complex {
    type Output = Complex;
    fn mul(self, k: f64) -> Complex {
        Complex::new(self.re * k, self.im * k)
    }
}

#[grad]
fn of_numbers(x: f64, y: f64, t: f64) -> f64 {
    let z = Complex::new(x, y);
    let w = z.exp().powf(t).sum(z.recip());
    w.abs() + z.max(w) + (z + w).sqrt().re + (z * 0.5).ln().im.exp()
}

/// What a variable holds says what it was made of.
#[grad]
fn by_what_is_made(z: Complex, w: &Complex, t: f64) -> f64 {
    let e = z.exp();
    let r = w.sqrt();
    e.re * t + r.im
}

#[grad]
fn of_what_is_made(x: f64, y: f64) -> f64 {
    by_what_is_made(Complex::new(x, y), &Complex::new(y, x * y), x)
}

/// A parameter is known by its fields, or by those of what a method of a number would have made a number.
#[grad]
fn of_parameters(a: &Complex, b: Complex, c: &[Complex]) -> f64 {
    let mut s = a.exp().re + b.sqrt().abs();
    for z in c {
        s += z.ln().abs() * z.re;
    }
    for i in 0..c.len() {
        s += c[i].exp().max(c[i]) + c[i].im;
    }
    s + c.iter().map(|z: &Complex| z.powi(2).re).sum::<f64>()
}

#[grad]
fn of_elements(x: f64, y: f64) -> f64 {
    let all = vec![Complex::new(x, y), Complex::new(y, x * y)];
    let one = if x > 0.0 { Some(all[1]) } else { None };
    let mut s = of_parameters(&all[0], all[1], &all);
    if let Some(z) = one {
        s += z.sqrt().abs();
    }
    for z in all.iter() {
        s += z.recip().abs();
    }
    s + all.iter().map(|z| z.exp().abs()).sum::<f64>()
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Poly {
    c: Vec<f64>,
}

#[grad]
impl Poly {
    fn len(&self) -> usize {
        self.c.len()
    }

    fn push(&mut self, x: f64) {
        self.c.push(2.0 * x);
    }

    fn pop(&mut self) -> f64 {
        let n = self.c.len() - 1;
        let x = self.c[n];
        self.c.truncate(n);
        x
    }

    fn get(&self, i: usize) -> f64 {
        self.c[i]
    }

    fn set(&mut self, i: usize, x: f64) {
        self.c[i] = x;
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.c.swap(i, j);
    }

    fn fill(&mut self, x: f64) {
        for c in self.c.iter_mut() {
            *c *= x;
        }
    }

    fn first(&self) -> f64 {
        self.c[0]
    }

    fn map(&self, k: f64) -> Poly {
        Poly {
            c: self.c.iter().map(|c| c * k).collect(),
        }
    }

    fn insert(&mut self, x: f64) {
        self.c[0] += x;
    }

    fn take(&mut self) -> f64 {
        let x = self.c[0];
        self.c[0] = 0.0;
        x
    }
}

#[grad]
fn of_lists(a: f64, b: f64, x: f64) -> f64 {
    listed(&Poly { c: vec![a, b] }, x)
}

#[grad]
fn listed(p: &Poly, x: f64) -> f64 {
    let mut q = p.map(x);
    q.push(x);
    let y = q.pop();
    q.set(0, y * x);
    q.swap(0, 1);
    q.fill(x);
    let mut s = q.first() + q.get(1);
    q.insert(s);
    s += q.take().sin();
    for i in 0..q.len() {
        s += q.get(i) * x;
    }
    s
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Ends {
    c: Vec<f64>,
}

#[grad]
impl Ends {
    fn get(&self, i: usize) -> f64 {
        2.0 * self.c[i]
    }

    fn first(&self) -> f64 {
        self.c[0]
    }

    fn last(&self) -> f64 {
        3.0 * self.c[1]
    }
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct Ended {
    ends: Ends,
    k: f64,
    #[constant]
    limit: Option<i32>,
}

#[grad]
impl Ended {
    fn go(&self, x: f64) -> f64 {
        self.ends.get(1) * x + self.ends.first() * self.k + self.ends.last()
    }
}

#[grad]
fn limited(#[constant] e: &Ended, x: f64) -> f64 {
    e.limit.map(f64::from).unwrap_or(1.0) * x
}

#[grad]
fn of_parts(x: f64, y: f64) -> f64 {
    let e = Ended {
        ends: Ends { c: vec![x, y] },
        k: x * y,
        limit: Some(3),
    };
    let s = e.ends.get(0) * x + e.ends.first() + e.ends.last() * e.go(x);
    s * e.limit.map(|k| k as f64).unwrap_or(1.0)
}

/// A name for a number is no type of one's own.
type Real = f64;

#[grad]
fn of_other_names(x: Real, y: Real) -> Real {
    let z: Real = x.sqrt();
    let all: [Real; 2] = [z.exp(), y];
    all.iter().map(|v| v.sin()).sum::<Real>() + z.max(y).abs()
}

#[derive(Clone, Debug, Differentiable)]
pub(crate) struct V {
    c: Vec<f64>,
}

#[grad]
impl V {
    fn of(x: f64, y: f64) -> V {
        V {
            c: vec![x, y, x * y],
        }
    }
}

#[grad]
impl<'a> Mul<&'a V> for &'a V {
    type Output = V;
    fn mul(self, other: &'a V) -> V {
        V {
            c: self.c.iter().zip(&other.c).map(|(a, b)| a * b).collect(),
        }
    }
}

#[grad]
impl Add<&V> for &V {
    type Output = V;
    fn add(self, other: &V) -> V {
        V {
            c: self.c.iter().zip(&other.c).map(|(a, b)| a + b).collect(),
        }
    }
}

#[grad]
impl Sub for V {
    type Output = V;
    fn sub(self, other: V) -> V {
        V {
            c: self.c.iter().zip(&other.c).map(|(a, b)| a - b).collect(),
        }
    }
}

#[grad]
impl Neg for &V {
    type Output = V;
    fn neg(self) -> V {
        V {
            c: self.c.iter().map(|a| -a).collect(),
        }
    }
}

#[grad]
fn by_reference(a: &V, b: &V, x: f64) -> f64 {
    let c = a * a;
    let d = &c + b;
    let e = &d * &c - -a;
    e.c[0] * x + e.c[1] * e.c[2]
}

#[grad]
fn of_references(x: f64, y: f64) -> f64 {
    by_reference(&V::of(x, y), &V::of(y, x * x), x)
}

#[test]
fn methods_of_ones_own() {
    check!(of_numbers(value x = 0.7, value y = 0.4, value t = 1.3));
    check!(of_what_is_made(value x = 0.7, value y = 0.4));
    check!(of_elements(value x = 0.7, value y = 0.4));
    check!(of_lists(value a = 0.7, value b = 0.4, value x = 1.3));
    let ended: &'static Ended = Box::leak(Box::new(Ended {
        ends: Ends { c: vec![0.3] },
        k: 0.4,
        limit: Some(3),
    }));
    check!(limited(constant e = ended, value x = 0.7));
    check!(of_parts(value x = 0.7, value y = 0.4));
    check!(of_other_names(value x = 0.7, value y = 0.4));
    check!(of_references(value x = 0.7, value y = 0.4));
}

/// Methods that return no derivative, named like those of numbers and lists that have none either.
mod inert {
    use std::cmp::Ordering;

    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, PartialEq)]
    pub(super) enum Side {
        Left,
        Right,
    }

    #[derive(Clone, Copy, Differentiable, PartialEq, PartialOrd)]
    pub(super) struct Cell {
        pub(super) at: f64,
        pub(super) width: f64,
    }

    impl Cell {
        fn round(&self) -> i32 {
            3
        }

        fn contains(&self, x: f64) -> bool {
            x > self.at
        }

        fn len(&self) -> usize {
            3
        }

        fn classify(&self, x: f64) -> Side {
            if x > self.at { Side::Left } else { Side::Right }
        }
    }

    pub(super) type Real = f64;

    #[grad(order = 2)]
    fn cell(at: f64, width: f64) -> Cell {
        Cell { at, width }
    }

    #[grad(order = 2)]
    pub(super) fn ordered(x: f64, y: f64) -> f64 {
        let (a, b) = (cell(x, y), cell(y, x));
        let first = if a.lt(&b) { a } else { b };
        match a.partial_cmp(&b) {
            Some(Ordering::Less) => first.at * first.width * first.width,
            _ if a.ne(&b) => first.at * first.at * first.width,
            _ => first.at,
        }
    }

    #[grad]
    pub(super) fn weighed(x: Real, y: f64) -> f64 {
        let c = Cell { at: x, width: y };
        of_cell(&c, y) + of_cell(&c, x - 1.0) * x.floor()
    }

    #[grad]
    pub(super) fn of_cell(c: &Cell, x: Real) -> f64 {
        let mut s = c.at;
        for i in 0..c.len() {
            s += x.floor() * c.width.floor() + i as f64 * c.width + x.signum();
        }
        if c.contains(x) {
            s *= x;
        }
        match c.classify(x) {
            Side::Left => s * c.round() as f64,
            Side::Right => x * c.width,
        }
    }
}

#[test]
fn methods_without_derivative() {
    use inert::{ordered, weighed};
    for (x, y) in [(1.3, 2.7), (0.4, -0.6), (-1.2, 0.3)] {
        check!(weighed(value x = x, value y = y));
        check!(ordered(value x = x, value y = y));
        check_second!(ordered(value x = x, value y = y));
    }
}

mod more {
    use autodiff::{Differentiable, grad};

    mod convert {
        #[autodiff::grad]
        pub(super) fn to_kelvin(c: f64) -> f64 {
            c * c + 273.15
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    struct Pair {
        x: f64,
        y: f64,
    }

    #[grad]
    impl Pair {
        fn scaled(self, s: f64) -> Pair {
            Pair {
                x: s * self.x,
                y: s * self.y,
            }
        }

        fn or(self, other: Pair) -> Pair {
            other.scaled(self.x)
        }

        fn max(&self) -> f64 {
            if self.x > self.y { self.x } else { self.y }
        }

        fn min(&self) -> f64 {
            self.x.min(self.y)
        }
    }

    /// An interval, which is empty where its ends meet; what it is long is the number of its samples.
    #[derive(Clone, Differentiable)]
    struct Span {
        samples: usize,
        width: f64,
    }

    #[grad]
    impl Span {
        fn len(&self) -> usize {
            self.samples
        }

        fn is_empty(&self) -> bool {
            self.width <= 0.0
        }

        fn cost(&self) -> f64 {
            if self.is_empty() {
                3.0 * self.width
            } else {
                self.width * self.width * self.len() as f64
            }
        }
    }

    #[grad]
    pub(super) fn of_spans(x: f64, y: f64) -> f64 {
        let s = Span {
            samples: 0,
            width: x,
        };
        let t: Span = Span {
            samples: 4,
            width: y * x,
        };
        let u = if t.is_empty() { y } else { x * x };
        s.cost() * u + if s.is_empty() { 1.0 } else { y * t.cost() }
    }

    #[grad]
    fn either(p: Pair, q: &Pair) -> f64 {
        p.or(*q).y
    }

    #[grad]
    pub(super) fn of_pairs(x: f64, y: f64) -> f64 {
        let p = Pair { x, y };
        let c = p.scaled(x);
        c.max() * p.max() + either(p, &c) + p.scaled(2.0).min() + convert::to_kelvin(x) * y
    }
}

#[test]
fn named_like_what_takes_more() {
    use more::{of_pairs, of_spans};
    check!(of_spans(value x = 1.3, value y = 2.7));
    check!(of_spans(value x = -0.4, value y = 1.2));
    check!(of_pairs(value x = 1.3, value y = 2.7));
    check!(of_pairs(value x = 0.4, value y = -0.6));
}

mod made {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Differentiable)]
    struct Curve {
        v: Vec<f64>,
        k: f64,
    }

    #[grad]
    impl Curve {
        fn of(x: f64) -> Self {
            Curve {
                v: vec![x, x * x],
                k: x,
            }
        }

        fn list(x: f64) -> Vec<f64> {
            vec![x, x * x, 2.0]
        }

        fn sum(&self) -> f64 {
            self.v.iter().sum()
        }

        fn add(&self, other: &Curve) -> Curve {
            Curve::of(self.k + other.k)
        }

        fn next(&mut self) -> f64 {
            self.k *= 1.5;
            self.k
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    struct Mean {
        n: f64,
        mean: f64,
    }

    #[grad]
    impl Mean {
        fn empty() -> Self {
            Mean { n: 0.0, mean: 0.0 }
        }

        fn push(&mut self, x: f64) {
            self.n += 1.0;
            self.mean += (x - self.mean) / self.n;
        }

        fn merge(self, other: Mean) -> Mean {
            Mean {
                n: self.n + other.n,
                mean: self.mean * other.mean,
            }
        }
    }

    #[grad]
    pub(super) fn of_constructors(x: f64, y: f64) -> f64 {
        let mut c = Curve::of(x);
        let list = Curve::list(y);
        let (mut a, mut b) = (Mean::empty(), Mean::empty());
        for (k, &v) in [x, x * y, x.sin(), 0.3].iter().enumerate() {
            if k < 2 { a.push(v) } else { b.push(v) }
        }
        let mean = a.merge(b);
        let rest = list.iter().rev().skip(1).fold(0.0, |a, b| a * x + b);
        c.add(&c).k * c.sum() + c.next() * c.next() + list.iter().sum::<f64>() * rest * mean.mean
    }
}

#[test]
fn made_by_functions_of_their_types() {
    use made::of_constructors;
    check!(of_constructors(value x = 1.3, value y = 2.7));
    check!(of_constructors(value x = 0.4, value y = -0.6));
}

mod unnamed {
    use autodiff::{Differentiable, grad};

    /// The value of a function and its slope; the names of numbers' methods are its own.
    #[derive(Clone, Copy, Debug, Differentiable)]
    struct Dual(f64, f64);

    #[grad]
    impl Dual {
        fn sin(self) -> Dual {
            Dual(self.0.sin(), self.1 * self.0.cos())
        }

        fn abs(&self) -> f64 {
            self.0 * self.0 + self.1
        }
    }

    #[grad]
    fn slope(d: Dual, x: f64) -> f64 {
        let s = d.sin();
        s.0 * s.1 * x
    }

    #[grad]
    fn size(d: &Dual) -> f64 {
        let a = d.abs();
        a * a + d.1
    }

    #[grad]
    pub(super) fn of_tuples(x: f64, y: f64) -> f64 {
        let pair = (x.exp(), y.sin());
        let both = x.sin_cos();
        let q = pair.0.sin();
        let d = Dual(x, 1.0);
        q * pair.1.abs() + both.0 * both.1 + slope(d, y) + size(&d)
    }
}

#[test]
fn of_structs_whose_fields_have_no_names() {
    use unnamed::of_tuples;
    check!(of_tuples(value x = 1.3, value y = 0.7));
    check!(of_tuples(value x = 0.4, value y = -0.6));
}

mod made_of_a_constant {
    use std::ops::{Add, Mul};

    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    struct Length(f64);

    #[grad]
    impl Length {
        fn twice(&self) -> Self {
            let one = Self(1.0);
            Self(self.0 * 2.0 * one.0)
        }

        fn eq(&self) -> f64 {
            self.0 * self.0
        }

        fn total_cmp(&self, a: f64, b: f64) -> f64 {
            self.0 * a * b
        }
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    struct C {
        re: f64,
        im: f64,
    }

    #[grad]
    impl C {
        fn new(re: f64) -> C {
            C { re, im: 0.5 * re }
        }

        fn norm2(self) -> f64 {
            self.re * self.re + self.im * self.im
        }
    }

    #[grad]
    impl Add for C {
        type Output = C;
        fn add(self, o: C) -> C {
            C {
                re: self.re + o.re,
                im: self.im + o.im,
            }
        }
    }

    #[grad]
    impl Mul for C {
        type Output = C;
        fn mul(self, o: C) -> C {
            C {
                re: self.re * o.re - self.im * o.im,
                im: self.im * o.re + self.re * o.im,
            }
        }
    }

    #[grad]
    pub(super) fn of_lengths(x: f64, y: f64) -> f64 {
        let l = Length(x * y);
        l.twice().0 * y + l.eq() * x + l.total_cmp(x, 3.0)
    }

    #[grad]
    pub(super) fn iterated(x: f64, y: f64) -> f64 {
        let mut z = C::new(0.0);
        let c = C::new(x);
        for _ in 0..3 {
            z = z * z + c;
        }
        z.norm2() * y
    }
}

#[test]
fn of_what_is_made_of_a_constant() {
    use made_of_a_constant::{iterated, of_lengths};
    for (x, y) in [(1.3, 0.7), (0.4, -0.6)] {
        check!(of_lengths(value x = x, value y = y));
        check!(iterated(value x = x, value y = y));
    }
}

mod shown_by_what_is_read {
    use std::ops::{Add, Div, Mul, Neg, Sub};

    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct C {
        re: f64,
        im: f64,
    }

    #[grad]
    impl Add for C {
        type Output = C;
        fn add(self, o: C) -> C {
            C {
                re: self.re + o.re,
                im: self.im + o.im,
            }
        }
    }

    #[grad]
    impl Sub for C {
        type Output = C;
        fn sub(self, o: C) -> C {
            C {
                re: self.re - o.re,
                im: self.im - o.im,
            }
        }
    }

    #[grad]
    impl Mul for C {
        type Output = C;
        fn mul(self, o: C) -> C {
            C {
                re: self.re * o.re - self.im * o.im,
                im: self.im * o.re + self.re * o.im,
            }
        }
    }

    #[grad]
    impl Mul<C> for f64 {
        type Output = C;
        fn mul(self, o: C) -> C {
            C {
                re: self * o.re,
                im: self * o.im,
            }
        }
    }

    #[grad]
    impl Div for C {
        type Output = C;
        fn div(self, o: C) -> C {
            let d = o.abs2();
            self * C {
                re: o.re / d,
                im: -o.im / d,
            }
        }
    }

    #[grad]
    impl Neg for C {
        type Output = C;
        fn neg(self) -> C {
            C {
                re: -self.re,
                im: -self.im,
            }
        }
    }

    #[grad]
    impl C {
        const I: C = C { re: 0.0, im: 1.0 };

        fn real(x: f64) -> Self {
            C { re: x, im: 0.0 }
        }

        fn abs2(self) -> f64 {
            self.re * self.re + self.im * self.im
        }

        fn exp(self) -> C {
            let r = self.re.exp();
            C {
                re: r * self.im.cos(),
                im: r * self.im.sin(),
            }
        }

        fn ln(self) -> C {
            C {
                re: 0.5 * self.abs2().ln(),
                im: self.im.atan2(self.re),
            }
        }

        fn sqrt(self) -> C {
            (0.5 * self.ln()).exp()
        }
    }

    #[grad]
    pub(super) fn of_a_constant(x: f64) -> f64 {
        let iu = x * C::I;
        let b = C::real(x) - (x * x) * iu;
        iu.abs2() * b.im
    }

    #[grad]
    pub(super) fn of_a_number_and_a_sum(x: f64) -> f64 {
        let b = C::real(x);
        let d = (b * b + x * x * (b + C::I)).sqrt();
        d.re
    }

    #[grad]
    pub(super) fn of_what_is_negated(x: f64) -> f64 {
        (-(x * C::real(x))).exp().re
    }

    #[grad]
    pub(super) fn characteristic(p: &[f64]) -> f64 {
        let [kappa, sigma, rho] = [p[0], p[1], p[2]];
        let mut sum = 0.0;
        for j in 1..3 {
            let u = 0.7 * j as f64;
            let iu = u * C::I;
            let b = C::real(kappa) - (rho * sigma) * iu;
            let d = (b * b + sigma * sigma * (iu + C::real(u * u))).sqrt();
            let g = (b - d) / (b + d);
            let e = (-(0.5 * d)).exp();
            let one = C::real(1.0);
            let cc = (kappa / (sigma * sigma))
                * (0.5 * (b - d) - 2.0 * ((one - g * e) / (one - g)).ln());
            let phi = cc.exp();
            sum += (phi.re * u.cos() + phi.im * u.sin()) / u;
        }
        sum
    }
}

#[test]
fn shown_by_fields_of_what_is_computed() {
    use shown_by_what_is_read::{
        characteristic, of_a_constant, of_a_number_and_a_sum, of_what_is_negated,
    };
    for x in [0.7, 1.9] {
        check!(of_a_constant(value x = x));
        check!(of_a_number_and_a_sum(value x = x));
        check!(of_what_is_negated(value x = x));
    }
    check!(characteristic(shared p = vec![1.5, 0.6, -0.7]));
}

mod duals {
    use std::ops::{Add, AddAssign, Div, Mul};

    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Dual {
        v: f64,
        d: f64,
    }

    #[grad]
    impl Mul for Dual {
        type Output = Dual;
        fn mul(self, o: Dual) -> Dual {
            Dual {
                v: self.v * o.v,
                d: self.d * o.v + self.v * o.d,
            }
        }
    }

    #[grad]
    impl Add<f64> for Dual {
        type Output = Dual;
        fn add(self, o: f64) -> Dual {
            Dual {
                v: self.v + o,
                d: self.d,
            }
        }
    }

    #[grad]
    impl Mul<f64> for Dual {
        type Output = Dual;
        fn mul(self, o: f64) -> Dual {
            Dual {
                v: self.v * o,
                d: self.d * o,
            }
        }
    }

    #[grad]
    impl AddAssign for Dual {
        fn add_assign(&mut self, o: Dual) {
            self.v += o.v;
            self.d += o.d;
        }
    }

    #[grad]
    impl Dual {
        fn var(v: f64) -> Self {
            Dual { v, d: 1.0 }
        }

        fn sin(self) -> Self {
            Dual {
                v: self.v.sin(),
                d: self.d * self.v.cos(),
            }
        }

        fn exp(self) -> Self {
            let e = self.v.exp();
            Dual {
                v: e,
                d: self.d * e,
            }
        }

        fn powi(self, n: i32) -> Self {
            Dual {
                v: self.v.powi(n),
                d: self.d * n as f64 * self.v.powi(n - 1),
            }
        }
    }

    #[grad]
    pub(super) fn product_of_two_alike(x: f64) -> f64 {
        let a = Dual::var(x);
        let y = a * a + 1.0;
        (y.sin() * a).d
    }

    #[grad]
    pub(super) fn beside_a_number(x: f64, k: f64) -> f64 {
        let a = Dual::var(x);
        let y = (a + k) * k.sqrt();
        y.exp().d
    }

    #[grad]
    pub(super) fn powers(x: f64, c: &[f64]) -> f64 {
        let t = Dual::var(x);
        let mut s = Dual { v: 0.0, d: 0.0 };
        for (i, &ci) in c.iter().enumerate() {
            s += t.powi(i as i32) * ci;
        }
        s.d + s.v
    }

    #[grad]
    pub(super) fn horner(x: f64, c: &[f64]) -> f64 {
        let t = Dual::var(x);
        let s = c.iter().fold(Dual { v: 0.0, d: 0.0 }, |s, &ci| s * t + ci);
        s.exp().d * s.v
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    struct Length(f64);

    #[grad]
    impl Div for Length {
        type Output = f64;
        fn div(self, o: Length) -> f64 {
            self.0 / o.0
        }
    }

    #[grad]
    impl Mul<f64> for Length {
        type Output = Length;
        fn mul(self, o: f64) -> Length {
            Length(self.0 * o)
        }
    }

    #[grad]
    pub(super) fn quotient_that_is_a_number(a: f64, b: f64) -> f64 {
        let l = Length(a);
        let m = Length(b) * 2.0;
        let r = l / m;
        r.sqrt() + (l / m).ln()
    }
}

#[test]
fn methods_of_numbers_that_are_ones_own() {
    use duals::{beside_a_number, horner, powers, product_of_two_alike, quotient_that_is_a_number};
    check!(product_of_two_alike(value x = 0.7));
    check!(beside_a_number(value x = 0.7, value k = 0.9));
    check!(powers(value x = 0.7, shared c = vec![0.3, 0.5, -0.2, 0.9]));
    check!(horner(value x = 0.7, shared c = vec![0.3, 0.5, -0.2, 0.9]));
    check!(quotient_that_is_a_number(value a = 0.7, value b = 0.9));
}

/// Products of two are numbers here, and of the type itself there: what is done with them says which.
mod of_products {
    use std::ops::Mul;

    use autodiff::grad;

    use super::Complex;

    #[derive(Clone, Copy, Debug, autodiff::Differentiable)]
    pub(super) struct Pair {
        x: f64,
        y: f64,
    }

    #[grad]
    impl Mul for Pair {
        type Output = f64;
        fn mul(self, o: Pair) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }

    #[grad]
    impl Mul for Complex {
        type Output = Complex;
        fn mul(self, o: Complex) -> Complex {
            self.mul_add(o, Complex::new(0.0, 0.0))
        }
    }

    #[grad]
    impl Complex {
        fn size(self) -> f64 {
            self.re * self.re + self.im * self.im
        }

        fn wave(&self, t: f64) -> Self {
            (*self * t).exp()
        }

        fn early(self, t: f64) -> Complex {
            if t > 5.0 {
                return (self * self).ln();
            }
            let mut z = self * self;
            z = z.exp();
            z
        }
    }

    #[grad]
    pub(super) fn of_the_type(x: f64, y: f64) -> f64 {
        let z = Complex { re: x, im: y };
        let a = (z * z).exp();
        let b: Complex = (z * x).sqrt();
        let c = z * z;
        let half = 0.5;
        let d = (z * (half * x)).recip();
        a.size()
            + b.re
            + c.ln().im
            + (z * z).sqrt().size()
            + z.early(x).size()
            + d.exp().im * z.wave(y).re
    }

    #[grad]
    pub(super) fn of_numbers(x: f64, y: f64) -> f64 {
        let v = Pair { x, y };
        let w = Pair { x: y, y: x * y };
        let d = v * w;
        let n = (v * v).sqrt();
        n * d.exp() + (w * w).ln().max(0.1) + d.powi(3)
    }
}

#[test]
fn of_what_operators_make() {
    use of_products::{of_numbers, of_the_type};
    for (x, y) in [(1.3, 0.7), (0.4, 0.6)] {
        check!(of_the_type(value x = x, value y = y));
        check!(of_numbers(value x = x, value y = y));
    }
}

mod products_that_are_numbers {
    use std::ops::{Div, Mul};

    use autodiff::{Differentiable, grad};

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Arrow {
        x: f64,
        y: f64,
    }

    #[grad]
    impl Mul for Arrow {
        type Output = f64;
        fn mul(self, o: Arrow) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }

    #[grad]
    impl Div<f64> for Arrow {
        type Output = Arrow;
        fn div(self, by: f64) -> Arrow {
            Arrow {
                x: self.x / by,
                y: self.y / by,
            }
        }
    }

    #[grad]
    impl Arrow {
        fn length(&self) -> f64 {
            self.x.hypot(self.y)
        }
    }

    #[grad]
    fn unit(a: Arrow) -> Arrow {
        a / a.length()
    }

    #[grad]
    pub(super) fn with_what_functions_return(x: f64, y: f64) -> f64 {
        let a = Arrow { x, y };
        let n: Arrow = unit(Arrow { x: y, y: x * y });
        let d = a * n;
        d.abs().sqrt() + (a * unit(a)).ln()
    }

    /// Whoever looks for what it is made of looks at each factor once.
    #[grad]
    pub(super) fn of_many(x: f64, y: f64) -> f64 {
        let a = Arrow { x, y };
        let t = a.length();
        let p = t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t
            * t;
        p.sqrt()
    }
}

#[test]
fn products_of_what_functions_return_are_numbers() {
    use products_that_are_numbers::{of_many, with_what_functions_return};
    check!(with_what_functions_return(value x = 0.7, value y = 0.9));
    check!(of_many(value x = 0.7, value y = 0.8));
}

/// A list of the user's own: what makes it does not show what it is, its other methods do.
mod histories {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Default, Differentiable)]
    pub(super) struct History {
        sum: f64,
        steps: Vec<f64>,
    }

    #[grad(order = 2)]
    impl History {
        fn push(&mut self, x: f64) {
            self.sum += x;
            self.steps.push(self.sum * x);
        }
        fn add(&mut self, x: f64) {
            self.sum *= x;
        }
        fn pop(&mut self) -> Option<f64> {
            self.steps.pop()
        }
        fn last(&self) -> Option<f64> {
            self.steps.last().copied()
        }
        fn total(&self) -> f64 {
            self.sum * self.steps[0]
        }
    }

    #[grad(order = 2)]
    pub(super) fn pushed(x: f64, y: f64) -> f64 {
        let mut history = History::default();
        history.push(x);
        history.push(y * x);
        history.total()
    }

    #[grad(order = 2)]
    pub(super) fn popped(x: f64, y: f64) -> f64 {
        let mut history = History::default();
        for k in 0..3 {
            history.push(x * f64::from(k) + y);
        }
        history.add(y);
        let mut sum = history.last().unwrap_or(x);
        while let Some(step) = history.pop() {
            sum += step * step * x;
        }
        sum
    }
}

#[test]
fn methods_of_lists_of_ones_own() {
    use histories::{popped, pushed};
    check!(pushed(value x = 0.4, value y = 0.7));
    check_second!(pushed(value x = 0.4, value y = 0.7));
    check!(popped(value x = 0.4, value y = 0.7));
    check_second!(popped(value x = 0.4, value y = 0.7));
}

/// Functions of the user's own that have names of the standard library's.
mod borrowed_names {
    use autodiff::grad;

    #[grad(order = 2)]
    pub(super) fn drop(x: f64) -> f64 {
        x * x
    }

    #[grad(order = 2)]
    pub(super) fn swap(x: f64, k: f64) -> f64 {
        x * k * x
    }

    #[grad(order = 2)]
    pub(super) fn falling(x: f64) -> f64 {
        let y = 2.0 * x;
        let mut z = drop(y);
        for _ in 0..2 {
            z += drop(x * y) + swap(z, y) + swap(x + 1.0, z) + swap(y, 2.0);
        }
        drop(z)
    }
}

#[test]
fn functions_named_like_those_of_the_standard_library() {
    use borrowed_names::falling;
    check!(falling(value x = 0.3));
    check_second!(falling(value x = 0.3));
}

/// Methods named like those of lists, which how they are called shows to be the type's own.
mod like_lists {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Differentiable)]
    pub(super) enum List {
        Nil,
        Cons(f64, Box<List>),
    }

    #[grad(order = 2)]
    impl List {
        fn push(self, head: f64) -> List {
            List::Cons(head, Box::new(self))
        }

        fn weighed(&self, k: f64) -> f64 {
            match self {
                List::Nil => k,
                List::Cons(head, tail) => head * k + tail.weighed(k * 0.5),
            }
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Tree {
        value: f64,
        left: Option<Box<Tree>>,
        right: Option<Box<Tree>>,
    }

    #[grad(order = 2)]
    impl Tree {
        fn leaf(value: f64) -> Tree {
            Tree {
                value,
                left: None,
                right: None,
            }
        }

        fn insert(&mut self, value: f64) {
            if value < self.value {
                match &mut self.left {
                    Some(left) => left.insert(value),
                    None => self.left = Some(Box::new(Tree::leaf(value))),
                }
            } else if let Some(right) = self.right.as_mut() {
                right.insert(value);
            } else {
                self.right = Some(Box::new(Tree::leaf(value)));
            }
        }

        fn weighed(&self, k: f64) -> f64 {
            let left = self.left.as_ref().map_or(0.0, |t| t.weighed(k * 0.5));
            let right = match &self.right {
                Some(t) => t.weighed(k * 0.25),
                None => 0.0,
            };
            self.value * self.value * k + left * right + left
        }
    }

    #[grad(order = 2)]
    pub(super) fn grown(x: f64, y: f64) -> f64 {
        let list = List::Nil.push(x).push(y);
        let list = list.push(x * y);
        let mut tree = Tree::leaf(x);
        for value in [y, x * y, x + y, 0.5 * x, 1.5 * y] {
            tree.insert(value);
        }
        list.weighed(x) * tree.weighed(y)
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Vector {
        x: f64,
        y: f64,
    }

    #[grad(order = 2)]
    impl std::ops::Sub for Vector {
        type Output = Vector;
        fn sub(self, other: Vector) -> Vector {
            Vector {
                x: self.x - other.x,
                y: self.y - other.y,
            }
        }
    }

    #[grad(order = 2)]
    impl Vector {
        fn len(self) -> f64 {
            (self.x * self.x + self.y * self.y).sqrt()
        }
    }

    #[grad(order = 2)]
    fn distance(a: &Vector, b: Vector) -> f64 {
        (*a - b).len()
    }

    #[grad(order = 2)]
    pub(super) fn lengths(x: f64, y: f64) -> f64 {
        distance(&Vector { x, y: 3.0 }, Vector { x: y, y: x * y })
    }
}

#[test]
fn methods_named_like_those_of_lists() {
    use like_lists::{grown, lengths};
    for (x, y) in [(0.7, 1.3), (1.4, 0.3)] {
        check!(grown(value x = x, value y = y));
        check_second!(grown(value x = x, value y = y));
        check!(lengths(value x = x, value y = y));
        check_second!(lengths(value x = x, value y = y));
    }
}

/// Texts in types, and elements that a condition of several links asks for.
mod named_terms {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Differentiable)]
    pub(super) enum Term {
        Call(String, Vec<f64>),
        Power { c: f64, e: i32 },
    }

    #[grad(order = 2)]
    fn value(t: &Term, x: f64) -> f64 {
        match t {
            Term::Call(name, args) => match name.as_str() {
                "sin" => args[0].sin() * x,
                "sum" | "total" => args.iter().sum(),
                other if other.starts_with('p') => args.iter().product(),
                _ => x,
            },
            Term::Power { c, e } => c * x.powi(*e),
        }
    }

    #[grad(order = 2)]
    fn by_letters(t: &Term) -> f64 {
        let Term::Call(name, args) = t else {
            return 1.0;
        };
        match &**name {
            "sin" => args[0],
            _ if name.ends_with("um") || name.as_str() > "t" => args[0] * args[0],
            _ => 2.0,
        }
    }

    #[grad(order = 2)]
    fn merged(terms: Vec<(f64, i32)>) -> Vec<(f64, i32)> {
        let mut out: Vec<(f64, i32)> = Vec::new();
        for (c, e) in terms {
            if let Some(last) = out.last_mut()
                && last.1 == e
            {
                last.0 += c;
                continue;
            }
            out.push((c, e));
        }
        out
    }

    #[grad(order = 2)]
    fn first_but_small(xs: &[f64], y: f64) -> f64 {
        if let Some(x) = xs.first()
            && *x > 0.5
            && let Some(z) = xs.get(1)
        {
            x * z * y
        } else {
            y
        }
    }

    #[grad(order = 2)]
    pub(super) fn all(x: f64, y: f64) -> f64 {
        let terms = [
            Term::Call("sin".to_owned(), vec![x]),
            Term::Call("total".to_owned(), vec![x, y]),
            Term::Call("product".to_owned(), vec![x, y]),
            Term::Call("other".to_owned(), vec![]),
            Term::Power { c: x * y, e: 3 },
        ];
        let mut sum = by_letters(&terms[0]) + by_letters(&terms[1]) * by_letters(&terms[3]);
        for t in &terms {
            sum += value(t, y);
        }
        for (c, e) in merged(vec![(x, 1), (y, 1), (x * y, 2), (sum, 2), (x, 1)]) {
            sum += c * y.powi(e);
        }
        sum * first_but_small(&[x, y], y) + first_but_small(&[x], y)
    }
}

#[test]
fn texts_in_types() {
    use named_terms::all;
    for (x, y) in [(0.7, 1.3), (0.4, 0.3)] {
        check!(all(value x = x, value y = y));
        check_second!(all(value x = x, value y = y));
    }
}

/// On a number itself, its own method is meant, and not that of a trait which takes a reference.
mod methods_by_reference {
    use autodiff::grad;
    use std::{array, iter, mem};

    trait Wave {
        fn sin(&self) -> f64;
        fn exp(&self) -> f64;
    }

    impl Wave for f64 {
        fn sin(&self) -> f64 {
            2.0 * *self
        }
        fn exp(&self) -> f64 {
            3.0 * *self
        }
    }

    pub(super) fn by_reference(x: f64) -> f64 {
        let r = &x;
        r.sin() + r.exp()
    }

    #[grad]
    pub(super) fn by_value(x: f64, ys: &[f64; 3]) -> f64 {
        let z = x * ys[0];
        let (a, b) = (x, z.exp());
        let mut s = ys[1].exp() + ys.iter().map(|&y| y.sin()).sum::<f64>();
        for &y in ys {
            s += y.sin() * x.exp();
        }
        for (i, v) in ys.iter().enumerate() {
            let w: f64 = v * i as f64;
            s += (*v).sin() + w.exp();
        }
        s + z.sin() + a.exp() + b.sin() + f64::sin(s) + s.abs().exp() * 1e-3
    }

    /// These are the functions of the standard library, whatever their paths are.
    #[grad]
    pub(super) fn functions_of_std(x: f64, y: f64) -> f64 {
        use std::mem::swap;
        let (mut a, mut b) = (x, x * y);
        swap(&mut a, &mut b);
        let old = mem::replace(&mut a, y) + mem::take(&mut b);
        let parts: [f64; 3] = array::from_fn(|k| a * k as f64);
        let ends: f64 = iter::once(x)
            .chain(iter::repeat(y).take(2))
            .map(f64::cos)
            .sum();
        let boxed = Box::new(old * f64::powi(x, 2));
        ends * parts[2] + *boxed + f64::max(b, x)
    }
}

#[test]
fn methods_that_a_reference_would_have() {
    use methods_by_reference::{by_reference, by_value, functions_of_std};
    assert_eq!(by_reference(2.0), 10.0);
    check!(by_value(value x = 0.7, shared ys = [0.3, 0.5, 0.2]));
    check!(functions_of_std(value x = 0.7, value y = 0.4));
}

mod named_like_searches {
    use autodiff::{Differentiable, grad};

    #[derive(Clone, Debug, Differentiable)]
    pub(super) struct Weights {
        pub(super) all: Vec<f64>,
    }

    #[grad(order = 2)]
    impl Weights {
        fn all(&self) -> f64 {
            self.all.iter().product()
        }

        fn any(&self, k: usize) -> f64 {
            self.all[k] * self.all[0]
        }

        fn count(&self) -> f64 {
            self.all.iter().map(|w| w * w).sum()
        }

        fn is_empty(&self) -> bool {
            self.all.is_empty()
        }

        fn contains(&self, of: f64) -> bool {
            self.all.contains(&of)
        }
    }

    #[grad(order = 2)]
    fn cube(x: f64) -> f64 {
        x * x * x
    }

    #[grad(order = 2)]
    fn of(x: f64, y: f64) -> Weights {
        Weights {
            all: vec![x, y, x * y],
        }
    }

    #[grad(order = 2)]
    pub(super) fn lent(w: &Weights) -> f64 {
        cube(w.all()) + cube(w.count()) * 2.0 + cube(w.any(1))
    }

    #[grad(order = 2)]
    pub(super) fn made(x: f64, y: f64) -> f64 {
        let w = of(x, y);
        if w.is_empty() || w.contains(0.0) {
            0.0
        } else {
            cube(w.all()) + cube(w.count()) * x + cube(w.any(1))
        }
    }
}

#[test]
fn methods_named_like_searches_return_numbers() {
    use named_like_searches::{Weights, lent, made};
    let weights = |x: f64, y: f64, z: f64| Weights { all: vec![x, y, z] };
    check!(made(value x = 0.7, value y = 1.2));
    check_second!(made(value x = 0.7, value y = 1.2));
    // Of x y z, x² + y² + z² and x y.
    let (x, y, z) = (0.7, 1.2, 0.4);
    let [all, count, any] = [x * y * z, x * x + y * y + z * z, x * y].map(|v| 3.0 * v * v);
    let slope = lent::grad(&weights(x, y, z)).all;
    let expected = [
        all * y * z + count * 4.0 * x + any * y,
        all * x * z + count * 4.0 * y + any * x,
        all * x * y + count * 4.0 * z,
    ];
    for (d, expected) in slope.iter().zip(expected) {
        assert!((d - expected).abs() < 1e-12, "{slope:?} for {expected}");
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Column {
    entries: Vec<f64>,
}

#[grad(order = 2)]
impl Column {
    fn scaled(&self, s: f64) -> Column {
        Column {
            entries: self.entries.iter().map(|x| x * s).collect(),
        }
    }

    fn sum(&self) -> f64 {
        self.entries.iter().sum()
    }

    fn product(&self) -> f64 {
        self.entries.iter().product()
    }
}

#[grad(order = 2)]
fn column(x: &[f64]) -> Column {
    Column {
        entries: x.to_vec(),
    }
}

#[grad(order = 2)]
fn ends_of_what_is_returned(x: &[f64]) -> f64 {
    column(x).sum().sin() + column(x).scaled(x[0]).product()
}

#[test]
fn what_a_function_returns_is_no_iterator() {
    check!(ends_of_what_is_returned(shared x = [0.7, 1.1]));
    check_second!(ends_of_what_is_returned(shared x = [0.7, 1.1]));
}

/// A type whose methods are named like those of lists, in a field that a function of the block makes by a function of that type.
#[derive(Clone, Differentiable)]
struct Force {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl Force {
    fn along(x: f64, y: f64) -> Force {
        Force { x, y }
    }

    fn clear(&mut self) {
        self.x = 0.0;
        self.y *= 0.5;
    }

    fn push(&mut self, by: f64) {
        self.x += by * by;
    }
}

#[derive(Clone, Differentiable)]
struct Body {
    force: Force,
    speed: f64,
    speeds: Vec<f64>,
}

#[grad(order = 2)]
impl Body {
    fn new(x: f64, y: f64) -> Body {
        Self {
            force: Force::along(x, y),
            speed: x * y,
            speeds: Vec::new(),
        }
    }

    fn step(&mut self, time: f64) {
        self.force.push(time);
        self.speed += self.force.x * time + self.force.y;
        self.speeds.push(self.speed);
        self.force.clear();
    }

    fn restart(&mut self) {
        Force::clear(&mut self.force);
        self.speeds.clear();
    }
}

#[grad(order = 2)]
fn moved(x: f64, y: f64, time: f64) -> f64 {
    let mut body = Body::new(x, y);
    body.step(time);
    body.step(time * x);
    let mean = body.speeds[0] * body.speeds[1];
    body.restart();
    body.step(y);
    mean + body.speed * body.force.y
}

#[test]
fn fields_whose_methods_are_named_like_those_of_lists() {
    check!(moved(value x = 0.7, value y = 1.1, value time = 0.3));
    check_second!(moved(value x = 0.7, value y = 1.1, value time = 0.3));
}
