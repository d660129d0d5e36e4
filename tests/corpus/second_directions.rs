//! Hessians through the user's own types, many columns at once: each is a difference of gradients.

use std::ops::{Add, Div, Mul, Neg, Sub};

use autodiff::{Differentiable, Float, Matrix, Tangent, grad};

#[derive(Clone, Copy, Debug, Differentiable)]
struct V(f64, f64);

#[grad(order = 2)]
impl Add for V {
    type Output = V;
    fn add(self, other: V) -> V {
        V(self.0 + other.0, self.1 + other.1)
    }
}

#[grad(order = 2)]
impl Mul<f64> for V {
    type Output = V;
    fn mul(self, by: f64) -> V {
        V(self.0 * by, self.1 * by)
    }
}

#[grad(order = 2)]
impl Mul for V {
    type Output = f64;
    fn mul(self, other: V) -> f64 {
        self.0 * other.0 + self.1 * other.1
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
enum Shape {
    Disk(f64),
    Rect { w: f64, h: f64 },
    Dot,
}

#[derive(Debug, Differentiable)]
struct Inner {
    pair: [f64; 2],
    rows: Vec<[f64; 2]>,
}

#[derive(Debug, Differentiable)]
struct Model {
    x: f64,
    weights: Vec<f64>,
    inner: Inner,
    #[constant]
    count: usize,
    perhaps: Option<f64>,
}

#[grad(order = 2)]
fn everything(m: &Model, shapes: &[Shape], vectors: &[V], t: &[f64]) -> f64 {
    let mut acc = m.x * 0.3;
    for (i, w) in m.weights.iter().enumerate() {
        acc += w.sin() * m.inner.pair[i % 2] * t[i % t.len()];
    }
    for row in &m.inner.rows {
        acc += row[0] * row[1] * m.x;
    }
    if let Some(p) = m.perhaps {
        acc *= p.cos();
    }
    for shape in shapes {
        acc += match shape {
            Shape::Disk(r) => r * r * m.x,
            Shape::Rect { w, h } => w * h * acc,
            Shape::Dot => 0.1,
        };
    }
    let mut sum = vectors[0];
    for v in &vectors[1..] {
        sum = sum + *v * m.x;
    }
    let mut list = Vec::new();
    for k in 0..m.count {
        list.push(sum.0 * k as f64 + acc);
    }
    let mut turned = vec![V(0.0, 1.0); 2];
    turned[1] = sum * acc;
    turned[0].1 = acc;
    let mut halved: f64 = list.iter().map(|x| x * x).sum();
    while halved.abs() > 2.0 {
        halved *= 0.5;
    }
    sum * sum * acc + halved + turned[1] * turned[0]
}

#[grad(order = 2)]
fn kernel(a: f64, b: f64) -> f64 {
    (a * b).sin() / (1.0 + a * a)
}

#[grad(order = 2)]
fn two(a: f64, b: [f64; 2]) -> (f64, f64) {
    (a * b[0], b[1].exp() * a)
}

#[grad(order = 2)]
fn turned(v: V, angle: f64) -> V {
    V(
        v.0 * angle.cos() - v.1 * angle.sin(),
        v.0 * angle.sin() + v.1 * angle.cos(),
    )
}

#[grad(order = 2)]
fn with_calls(v: &V, angle: f64) -> f64 {
    let mut s = 0.0;
    let r = turned(*v, angle);
    for i in 0..3 {
        s += kernel(r.0 * i as f64, v.1);
        let (a, b) = two(v.0, [angle, r.1]);
        s += a * b;
        if s > 0.1 {
            s *= kernel(v.1, 0.3);
        }
    }
    s * s
}

/// Variables of the user's that are named like ours.
#[grad(order = 2)]
fn named_like_ours(v: &V, lane: usize, all: f64) -> f64 {
    let list = [v.0, v.1, v.0 * v.1];
    let mut found = 0.0;
    for i in 0..2 {
        let lane = (lane + i) % 3;
        found += list[lane] * list[lane] * all;
        let all = found * v.0;
        found += kernel(all, v.1) * all;
    }
    found
}

#[derive(Clone, Debug, Differentiable)]
struct Token {
    worth: f64,
}

#[grad(order = 2)]
fn minted(x: f64) -> Token {
    Token { worth: x * x }
}

#[grad(order = 2)]
fn spent(token: Token, at: f64) -> f64 {
    token.worth * at.sin()
}

#[grad(order = 2)]
fn given_away(v: V, #[constant] k: f64) -> f64 {
    let token = minted(v.0);
    spent(token, v.1) * k + v.0 * v.1
}

#[grad(order = 2)]
impl Inner {
    fn energy(&self, scale: f64) -> f64 {
        let mut sum = self.pair[0] * scale;
        for row in &self.rows {
            sum += (row[0] * self.pair[1]).exp() * row[1] * sum.cos();
        }
        sum
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Pair<T> {
    x: T,
    y: T,
}

#[grad(order = 2)]
impl<T: autodiff::Float> Pair<T> {
    fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y * self.y
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Lent<'a> {
    #[constant]
    of: &'a [f64],
    scale: f64,
}

#[grad(order = 2)]
impl<'a> Lent<'a> {
    fn sum(&self, power: f64) -> f64 {
        let mut s = 0.0;
        for x in self.of {
            s += (x * self.scale).powf(power);
        }
        s
    }
}

#[grad(order = 2)]
fn lent(l: &Lent<'_>, at: f64) -> f64 {
    (l.of[0] * l.scale * at).sin() + l.scale * l.scale
}

/// The Hessian against differences of `gradient`, which is flat, at a flat point.
pub(super) fn compare(hessian: &Matrix<f64>, point: &[f64], gradient: &dyn Fn(&[f64]) -> Vec<f64>) {
    let (n, h) = (point.len(), 1e-5);
    assert_eq!((hessian.rows(), hessian.cols()), (n, n));
    for column in 0..n {
        let (mut up, mut down) = (point.to_vec(), point.to_vec());
        up[column] += h;
        down[column] -= h;
        let (up, down) = (gradient(&up), gradient(&down));
        for row in 0..n {
            let slope = (up[row] - down[row]) / (2.0 * h);
            let entry = hessian[[row, column]];
            let error = (entry - slope).abs() / (1.0 + slope.abs());
            assert!(
                error < 1e-8,
                "({row}, {column}): {entry} instead of {slope}"
            );
            let mirrored = hessian[[column, row]];
            assert!((entry - mirrored).abs() <= 1e-13 * (1.0 + entry.abs()));
        }
    }
}

pub(super) fn flat<T: Tangent>(tangents: &[T]) -> Vec<f64> {
    let mut out = Vec::new();
    for tangent in tangents {
        let at = out.len();
        out.resize(at + tangent.scalar_count(), 0.0);
        tangent.write_flat(&mut out[at..]);
    }
    out
}

#[test]
fn of_every_kind_of_type() {
    let made = |p: &[f64]| {
        let model = Model {
            x: p[0],
            weights: p[1..4].to_vec(),
            inner: Inner {
                pair: [p[4], p[5]],
                rows: vec![[p[6], p[7]]],
            },
            count: 3,
            perhaps: Some(p[8]),
        };
        let shapes = [
            Shape::Disk(p[9]),
            Shape::Rect { w: p[10], h: p[11] },
            Shape::Dot,
        ];
        (
            model,
            shapes,
            [V(p[12], p[13]), V(p[14], p[15])],
            [p[16], p[17]],
        )
    };
    let point: Vec<f64> = (0..18)
        .map(|i| 0.3 + 0.07 * f64::from(i * 7 % 11))
        .collect();
    let (model, shapes, vectors, t) = made(&point);
    let hessian = everything::hessian(&model, &shapes, &vectors, &t);
    compare(&hessian, &point, &|p| {
        let (model, shapes, vectors, t) = made(p);
        let (m, s, v, t) = everything::grad(&model, &shapes, &vectors, &t);
        [flat(&[m]), flat(&s), flat(&v), t].concat()
    });
}

#[test]
fn through_calls_with_values() {
    let point = [1.0, 0.4, 0.3];
    let hessian = with_calls::hessian(&V(1.0, 0.4), 0.3);
    compare(&hessian, &point, &|p| {
        let (v, angle) = with_calls::grad(&V(p[0], p[1]), p[2]);
        vec![v.0, v.1, angle]
    });
    let (gradient, product) = with_calls::hvp(&V(1.0, 0.4), 0.3, (&VTangent(0.5, -1.0), 2.0));
    assert_eq!(gradient, with_calls::grad(&V(1.0, 0.4), 0.3));
    let expected = |row| 0.5 * hessian[[row, 0]] - hessian[[row, 1]] + 2.0 * hessian[[row, 2]];
    let close = |a: f64, row| (a - expected(row)).abs() < 1e-14;
    assert!(close(product.0.0, 0) && close(product.0.1, 1) && close(product.1, 2));
}

#[test]
fn beside_names_like_ours() {
    let hessian = named_like_ours::hessian(&V(0.7, 0.4), 1, 0.8);
    compare(&hessian, &[0.7, 0.4, 0.8], &|p| {
        let (v, all) = named_like_ours::grad(&V(p[0], p[1]), 1, p[2]);
        vec![v.0, v.1, all]
    });
}

#[test]
fn of_what_is_given_away() {
    let hessian = given_away::hessian(V(0.6, 0.2), 3.0);
    let (x, y) = (0.6_f64, 0.2_f64);
    // k x² sin y + x y
    let cross = 6.0 * x * y.cos() + 1.0;
    let expected = [6.0 * y.sin(), cross, cross, -3.0 * x * x * y.sin()];
    for (k, expected) in expected.into_iter().enumerate() {
        assert!((hessian[[k / 2, k % 2]] - expected).abs() < 1e-14);
    }
}

#[test]
fn of_a_method() {
    let made = |p: &[f64]| Inner {
        pair: [p[0], p[1]],
        rows: vec![[p[2], p[3]], [p[4], p[5]]],
    };
    let point = [0.3, -0.2, 0.5, 0.7, -0.4, 1.1, 0.9];
    let hessian = made(&point).energy_hessian(point[6]);
    compare(&hessian, &point, &|p| {
        let (inner, scale) = made(p).energy_grad(p[6]);
        [flat(&[inner]), vec![scale]].concat()
    });
}

#[test]
fn of_methods_in_generic_blocks() {
    let (a, b) = (Pair { x: 1.0, y: 2.0 }, Pair { x: 3.0, y: 4.0 });
    let hessian = a.dot_hessian(b);
    let expected = [
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 8.0, 0.0, 4.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 4.0, 0.0, 0.0],
    ];
    for (row, expected) in expected.iter().enumerate() {
        assert_eq!(hessian.row(row), expected);
    }
    let of = [0.7, 1.3];
    let hessian = Lent {
        of: &of,
        scale: 0.9,
    }
    .sum_hessian(2.5);
    compare(&hessian, &[0.9, 2.5], &|p| {
        let (by_scale, by_power) = Lent {
            of: &of,
            scale: p[0],
        }
        .sum_grad(p[1]);
        vec![by_scale.scale, by_power]
    });
    let hessian = lent::hessian(
        &Lent {
            of: &of,
            scale: 0.9,
        },
        0.4,
    );
    compare(&hessian, &[0.9, 0.4], &|p| {
        let (l, at) = lent::grad(
            &Lent {
                of: &of,
                scale: p[0],
            },
            p[1],
        );
        vec![l.scale, at]
    });
}

#[grad(order = 2)]
fn of_any_float<T: Float>(x: &[T], k: T) -> T {
    let mut s = k;
    for i in 0..x.len() - 1 {
        s = s + (x[i] * x[i + 1] * k).sin() * x[i];
    }
    s
}

#[grad(order = 2)]
fn of_any_length<'a, T: Float, const N: usize>(x: &'a [T; N], k: T) -> T {
    let mut s = k;
    for i in 0..N {
        s = s + (x[i] * k).exp() * x[(i + 1) % N];
    }
    s
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Both<T> {
    a: T,
    b: T,
}

#[grad(order = 2)]
impl<T: Float> Both<T> {
    fn blend(&self, k: T) -> T {
        (self.a * self.a + self.b * k).sqrt() * self.b
    }
}

#[grad(order = 2)]
fn of_both<T: Float>(x: &Both<T>, k: T) -> T {
    (x.a * x.b * k).sin() * x.b
}

/// Numbers of somebody else's.
trait Field:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn one() -> Self;
}

impl Field for f64 {
    fn one() -> Self {
        1.0
    }
}

#[grad(order = 2)]
fn of_a_field<T: Field>(x: T, y: &[T; 3]) -> T {
    let two = T::one() + T::one();
    let mut s = T::one() + x * x;
    for i in 0..3 {
        let t = if i == 1 { -(y[i] * x) } else { y[i] / s };
        s = s + t * t * x;
    }
    (x * y[0] - two) / s + -(y[1] * y[2] * x)
}

type Real = f64;

#[grad(order = 2)]
fn of_an_alias(x: &[Real], k: Real) -> Real {
    (x[0] * k).sin() * x[1]
}

#[test]
fn of_generic_functions() {
    let point = [0.4, -0.7, 1.1, 0.3, 0.8, -0.2, 0.6, 0.9, 0.1, -0.5];
    let hessian = of_any_float::hessian(&point[..9], point[9]);
    compare(&hessian, &point, &|p| {
        let (mut x, k) = of_any_float::grad(&p[..9], p[9]);
        x.push(k);
        x
    });
    let narrow: Vec<f32> = point.iter().map(|x| *x as f32).collect();
    let single = of_any_float::hessian(&narrow[..9], narrow[9]);
    for (row, column) in [(0, 1), (3, 9), (9, 9)] {
        let (a, b) = (single[[row, column]], hessian[[row, column]]);
        assert!((f64::from(a) - b).abs() < 1e-5 * (1.0 + b.abs()));
    }
    let (_, product) = of_any_float::hvp(&point[..9], point[9], (&[1.0; 9], -2.0));
    for row in 0..10 {
        let expected: f64 =
            (0..9).map(|column| hessian[[row, column]]).sum::<f64>() - 2.0 * hessian[[row, 9]];
        let got = if row < 9 { product.0[row] } else { product.1 };
        assert!((got - expected).abs() < 1e-13 * (1.0 + expected.abs()));
    }

    let at = |p: &[f64]| [p[0], p[1], p[2]];
    let hessian = of_any_length::hessian(&at(&point), 0.7);
    compare(&hessian, &[0.4, -0.7, 1.1, 0.7], &|p| {
        let (x, k) = of_any_length::grad(&at(p), p[3]);
        [&x[..], &[k]].concat()
    });

    let both = |p: &[f64]| Both { a: p[0], b: p[1] };
    let point = [0.9, 0.4, 1.3];
    compare(&both(&point).blend_hessian(1.3), &point, &|p| {
        let (x, k) = both(p).blend_grad(p[2]);
        vec![x.a, x.b, k]
    });
    compare(&of_both::hessian(&both(&point), 1.3), &point, &|p| {
        let (x, k) = of_both::grad(&both(p), p[2]);
        vec![x.a, x.b, k]
    });
    let y = |p: &[f64]| [p[1], p[2], p[3]];
    let wide = [0.9, 0.4, 1.3, -0.6];
    compare(&of_a_field::hessian(0.9, &y(&wide)), &wide, &|p| {
        let (x, y) = of_a_field::grad(p[0], &y(p));
        [&[x], &y[..]].concat()
    });
    compare(&of_an_alias::hessian(&point[..2], 1.3), &point, &|p| {
        let (mut x, k) = of_an_alias::grad(&p[..2], p[2]);
        x.push(k);
        x
    });
}
