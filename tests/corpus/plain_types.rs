//! Enums that are cast, fields of private types, options in constant fields, and parameters that only a trait mentions.

use autodiff::{Differentiable, Float, grad};

#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    First,
    Last = 2,
}

#[derive(Clone, Debug, Differentiable)]
pub enum Scale {
    Half,
    Twice = 4,
}

fn place(n: usize) -> Place {
    if n > 1 { Place::Last } else { Place::First }
}

#[grad(order = 2)]
fn cast_constants(#[constant] at: Place, w: &[f64], n: usize) -> f64 {
    let i = at as usize;
    let mut s = w[i] * w[0];
    for j in 0..n {
        let k = place(j);
        s = s * w[place(j) as usize] + w[k as usize];
    }
    s * Place::Last as usize as f64
}

#[grad(order = 2)]
fn of_places(w: &[f64], n: usize) -> f64 {
    let at = if n > 2 { Place::Last } else { Place::First };
    cast_constants(at, w, n) * w[1]
}

#[grad(order = 2)]
fn cast(scale: Scale, x: f64) -> f64 {
    let by = scale as i32 as f64;
    by * x * x
}

#[grad(order = 2)]
fn chosen(x: f64) -> f64 {
    let scale = if x > 1.0 { Scale::Twice } else { Scale::Half };
    let w = [x, x * x, x, x, x.sin()];
    w[scale as usize] * x
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Inner {
    a: f64,
}

/// What others see of it has a private part.
#[derive(Clone, Debug, Differentiable)]
pub struct Outer {
    inner: Inner,
    list: Vec<Inner>,
    pair: (Inner, f64),
    pub k: f64,
}

#[derive(Clone, Debug, Differentiable)]
pub struct Deeper {
    outer: Outer,
}

#[grad(order = 2)]
fn private(x: f64, y: f64) -> f64 {
    let inner = Inner { a: x };
    let mut deeper = Deeper {
        outer: Outer {
            inner,
            list: vec![inner, inner],
            pair: (inner, y),
            k: x * y,
        },
    };
    deeper.outer.inner.a *= y;
    deeper.outer.list[1].a += deeper.outer.inner.a;
    of_parts(&deeper)
}

#[grad(order = 2)]
fn of_parts(d: &Deeper) -> f64 {
    d.outer.inner.a * d.outer.list[1].a * d.outer.pair.0.a + d.outer.pair.1 * d.outer.k
}

#[derive(Clone, Debug, Differentiable)]
struct Settings {
    w: f64,
    #[constant]
    scale: Option<f64>,
    #[constant]
    rounds: Option<usize>,
    #[constant]
    name: Option<String>,
}

#[grad]
fn of_settings(c: &Settings, x: f64) -> f64 {
    let mut s = c.scale.unwrap_or(2.0) * x * c.w;
    for i in 0..c.rounds.unwrap_or(2) {
        s += x * i as f64 * c.w;
    }
    if let Some(scale) = c.scale {
        s *= scale;
    }
    s += match c.scale {
        Some(scale) if scale > 2.0 => scale * x,
        Some(_) => x * c.w,
        None => 0.0,
    };
    let letters = c.name.as_ref().map_or(0, |name| name.len());
    s * c.scale.map(|s| s * s).unwrap_or(1.0) + c.scale.unwrap_or(x) * letters as f64
}

#[test]
fn enums_are_cast() {
    check!(of_places(shared w = vec![0.7, 0.4, 1.1], constant n = 3));
    check_second!(of_places(shared w = vec![0.7, 0.4, 1.1], constant n = 3));
    assert_eq!(cast(Scale::Twice, 3.0), 36.0);
    assert_eq!(cast::vjp(Scale::Twice, 3.0, 1.0).1.1, 24.0);
    check!(chosen(value x = 0.7));
    check!(chosen(value x = 1.7));
    check_second!(chosen(value x = 1.7));
}

#[test]
fn private_parts() {
    let (x, y) = (0.7, 1.3);
    assert_eq!(private(x, y), x * y * (x + x * y) * x + y * (x * y));
    check!(private(value x = 0.7, value y = 1.3));
    check_second!(private(value x = 0.7, value y = 1.3));
}

#[test]
fn options_in_constant_fields() {
    for (scale, rounds) in [(None, None), (Some(1.5), Some(3)), (Some(2.5), Some(0))] {
        let at = |w: f64| Settings {
            w,
            scale,
            rounds,
            name: Some("abc".into()),
        };
        let (w, x, h) = (0.6, 1.1, 1e-6);
        let (tangent, along) = of_settings::grad(&at(w), x);
        let by_w = (of_settings(&at(w + h), x) - of_settings(&at(w - h), x)) / (2.0 * h);
        let by_x = (of_settings(&at(w), x + h) - of_settings(&at(w), x - h)) / (2.0 * h);
        crate::check::near(&(tangent.w, along), &(by_w, by_x), 1e-8);
        let direction = SettingsTangent {
            w: 2.0,
            scale: (),
            rounds: (),
            name: (),
        };
        let forward = of_settings::jvp(&at(w), x, (&direction, 3.0)).1;
        crate::check::near(&forward, &(2.0 * by_w + 3.0 * by_x), 1e-8);
    }
}

#[derive(Clone, Copy, Debug, Differentiable)]
struct Spring {
    k: f64,
}

trait Energy<T> {
    fn energy(&self, x: T) -> T;
}

trait Norm<T: Float, const N: usize> {
    fn norm(&self, x: [T; N]) -> T;
}

#[grad(order = 2)]
impl<T: Float> Energy<T> for Spring {
    fn energy(&self, x: T) -> T {
        x * x * x
    }
}

#[grad(order = 2)]
impl<T, const N: usize> Norm<T, N> for Spring
where
    T: Float,
{
    fn norm(&self, x: [T; N]) -> T {
        let mut s = x[0];
        for v in x {
            s = s * v + v * v;
        }
        s
    }
}

#[grad(order = 2)]
fn of_parameters(x: f64, y: f64) -> f64 {
    let spring = Spring { k: y };
    spring.energy(x) * spring.k + spring.norm([x, y, x * y])
}

#[test]
fn parameters_that_only_a_trait_mentions() {
    assert_eq!(Spring { k: 1.0 }.energy_grad(3.0f32).1, 27.0);
    check!(of_parameters(value x = 0.7, value y = 1.3));
    check_second!(of_parameters(value x = 0.7, value y = 1.3));
}
