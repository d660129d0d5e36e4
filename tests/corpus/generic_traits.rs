//! `#[grad]` on a trait: functions that are generic in it have derivatives.

use autodiff::{Differentiable, grad};

use crate::check::near;

mod potentials {
    use autodiff::{Differentiable, grad};

    /// Implemented before it is declared.
    #[derive(Clone, Differentiable)]
    pub(super) struct Morse {
        pub(super) depth: f64,
        pub(super) width: f64,
        pub(super) at: f64,
    }

    #[grad(order = 2)]
    impl Potential for Morse {
        const SCALE: f64 = 2.0;

        fn energy(&self, r: f64) -> f64 {
            let e = 1.0 - (-self.width * (r - self.at)).exp();
            self.depth * e * e
        }
    }

    #[grad(order = 2)]
    pub(super) trait Potential {
        const SCALE: f64;

        fn energy(&self, r: f64) -> f64;

        fn slope(&self, r: f64) -> f64 {
            (self.energy(r + 0.1) - self.energy(r - 0.1)) * Self::SCALE
        }

        fn order(&self) -> usize {
            2
        }

        fn is_bound(&self, r: f64) -> bool {
            self.energy(r) < 0.0
        }
    }
}

use potentials::*;

#[derive(Clone, Copy, Differentiable)]
struct Well(f64);

#[grad(order = 2)]
impl potentials::Potential for Well {
    const SCALE: f64 = 1.0;

    fn energy(&self, r: f64) -> f64 {
        self.0 * r * r - 1.0
    }

    // What the trait provides has another derivative.
    fn slope(&self, r: f64) -> f64 {
        2.0 * self.0 * r
    }

    fn order(&self) -> usize {
        3
    }
}

#[grad(order = 2)]
fn total<P: Potential + Differentiable>(p: &P, rs: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &r in rs {
        sum += p.energy(r) * p.slope(r).sin();
        if p.is_bound(r) {
            sum += r * r;
        }
        for k in 0..p.order() {
            sum += r.powi(k as i32);
        }
    }
    sum + rs.iter().map(|&r| p.energy(2.0 * r)).sum::<f64>()
}

#[grad(order = 2)]
fn of_both(depth: f64, k: f64, rs: &[f64]) -> f64 {
    let morse = Morse {
        depth,
        width: k,
        at: 0.4 * depth,
    };
    total(&morse, rs) * total(&Well(k * k), rs)
}

#[grad(order = 2)]
fn by_paths<P>(p: &P, r: f64) -> f64
where
    P: Potential + Differentiable,
{
    P::energy(p, r) * <P as Potential>::slope(p, r)
}

#[grad(order = 2)]
fn through_paths(k: f64, r: f64) -> f64 {
    by_paths(&Well(k), r) + by_paths(&Well(r), k)
}

/// The model is a constant, what it is given is none.
#[grad(order = 2)]
fn at_constant<P: Potential + Differentiable>(#[constant] p: &P, r: f64) -> f64 {
    p.energy(r) * p.slope(r * r)
}

#[grad(order = 2)]
fn of_constant(r: f64) -> f64 {
    let fixed = Morse {
        depth: 1.0,
        width: 0.7,
        at: 1.1,
    };
    at_constant(&fixed, r.sin())
}

#[grad(order = 2)]
fn twice<F: Fn(f64) -> f64>(f: F, a: f64) -> f64 {
    f(a) + f(2.0 * a)
}

#[grad(order = 2)]
fn in_closures<P: Potential + Differentiable + Clone>(p: &P, r: f64) -> f64 {
    let energy = |t: f64| p.energy(t) * r;
    twice(|t| p.slope(t) * t, r) + energy(r) * energy(0.5)
}

#[grad(order = 2)]
fn again<P: Potential + Differentiable>(p: &P, r: f64, #[constant] n: usize) -> f64 {
    if n == 0 {
        p.energy(r)
    } else {
        again(p, p.slope(r).cos(), n - 1) + r
    }
}

#[grad(order = 2)]
fn of_wells(k: f64, r: f64) -> f64 {
    in_closures(&Well(k), r) + again(&Well(k), r, 3)
}

/// Types that are generic in the trait.
#[derive(Clone, Differentiable)]
struct Chain<P> {
    links: Vec<P>,
    weight: f64,
}

#[grad(order = 2)]
impl<P: Potential + Differentiable> Chain<P> {
    fn energy(&self, r: f64) -> f64 {
        let mut sum = 0.0;
        for link in &self.links {
            sum += self.weight * link.energy(r) + link.slope(r * r);
        }
        sum
    }
}

#[grad(order = 2)]
fn of_chains(k: f64, r: f64) -> f64 {
    let chain = Chain {
        links: vec![Well(k), Well(k * r), Well(0.3)],
        weight: r,
    };
    chain.energy(k + r)
}

/// Generic in a length, and with results that are written.
#[grad(order = 2)]
trait System<const N: usize> {
    fn rate(&self, t: f64, y: &[f64; N], dy: &mut [f64; N]);

    fn energy(&self, y: &[f64; N]) -> f64 {
        y.iter().map(|v| v * v).sum()
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Prey {
    a: f64,
    b: f64,
}

#[grad(order = 2)]
impl System<2> for Prey {
    fn rate(&self, t: f64, y: &[f64; 2], dy: &mut [f64; 2]) {
        dy[0] = self.a * y[0] - y[0] * y[1] + 0.1 * t;
        dy[1] = y[0] * y[1] - self.b * y[1];
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Lorenz {
    s: f64,
    r: f64,
    b: f64,
}

#[grad(order = 2)]
impl System<3> for Lorenz {
    fn rate(&self, _t: f64, y: &[f64; 3], dy: &mut [f64; 3]) {
        *dy = [
            self.s * (y[1] - y[0]),
            y[0] * (self.r - y[2]) - y[1],
            y[0] * y[1] - self.b * y[2],
        ];
    }

    fn energy(&self, y: &[f64; 3]) -> f64 {
        y[0] * y[0] * self.s + y[1] * y[2]
    }
}

#[grad(order = 2)]
fn heun<const N: usize, S>(system: &S, start: [f64; N], h: f64, #[constant] n: usize) -> [f64; N]
where
    S: System<N> + Differentiable,
{
    let mut y = start;
    for k in 0..n {
        let (mut first, mut second, mut to) = ([0.0; N], [0.0; N], [0.0; N]);
        system.rate(h * k as f64, &y, &mut first);
        for j in 0..N {
            to[j] = y[j] + h * first[j];
        }
        system.rate(h * (k + 1) as f64, &to, &mut second);
        for j in 0..N {
            y[j] += 0.5 * h * (first[j] + second[j]);
        }
    }
    y
}

#[grad(order = 2)]
fn end<const N: usize, S: System<N> + Differentiable>(system: &S, start: [f64; N], h: f64) -> f64 {
    let y = heun(system, start, h, 4);
    system.energy(&y)
}

#[grad(order = 2)]
fn of_systems(p: &[f64; 3], y: [f64; 3]) -> f64 {
    let prey = Prey { a: p[0], b: p[1] };
    let lorenz = Lorenz {
        s: p[0],
        r: p[1],
        b: p[2],
    };
    end(&prey, [y[0], y[1]], 0.1) + end(&lorenz, y, 0.05)
}

/// By value, by `&mut`, and functions without a receiver.
#[grad(order = 2)]
trait Layer: Copy {
    fn new(weight: f64, bias: f64) -> Self;

    fn apply(self, x: f64) -> f64;

    fn shift(&mut self, by: f64);

    fn parts(&self) -> Vec<f64>;

    fn pair(&self, x: f64) -> (f64, f64) {
        (self.apply(x), self.apply(x * x))
    }

    fn twice(self, x: f64) -> f64 {
        self.apply(self.apply(x))
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Soft {
    weight: f64,
    bias: f64,
}

#[grad(order = 2)]
impl Layer for Soft {
    fn new(weight: f64, bias: f64) -> Self {
        Soft { weight, bias }
    }

    fn apply(self, x: f64) -> f64 {
        (self.weight * x + self.bias).tanh()
    }

    fn shift(&mut self, by: f64) {
        self.bias += by * self.weight;
    }

    fn parts(&self) -> Vec<f64> {
        vec![self.weight, self.bias]
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Square(f64, f64);

#[grad(order = 2)]
impl Layer for Square {
    fn new(weight: f64, bias: f64) -> Self {
        Square(weight * weight, bias)
    }

    fn apply(self, x: f64) -> f64 {
        self.0 * x * x + self.1
    }

    fn shift(&mut self, by: f64) {
        self.1 *= by;
    }

    fn parts(&self) -> Vec<f64> {
        vec![self.0]
    }

    fn twice(self, x: f64) -> f64 {
        self.apply(x) * self.0
    }
}

#[grad(order = 2)]
fn trained<L: Layer + Differentiable>(weight: f64, bias: f64, xs: &[f64]) -> f64 {
    let mut layer = L::new(weight, bias);
    let mut sum = 0.0;
    for &x in xs {
        let (a, b) = layer.pair(x);
        sum += layer.apply(x) * layer.twice(x) + a * b;
        layer.shift(0.3 * x);
        sum += layer.parts().iter().map(|p| p * p).sum::<f64>();
    }
    sum
}

#[grad(order = 2)]
fn of_layers(weight: f64, bias: f64, xs: &[f64]) -> f64 {
    trained::<Soft>(weight, bias, xs) * trained::<Square>(bias, weight, xs)
}

/// A trait on which another one stands, of the first order.
#[grad]
trait Shape {
    fn area(&self) -> f64;
}

#[grad]
trait Solid: Shape {
    fn volume(&self, height: f64) -> f64 {
        self.area() * height
    }
}

#[derive(Clone, Differentiable)]
struct Polygon {
    sides: Vec<f64>,
    #[constant]
    count: usize,
}

#[grad]
impl Shape for Polygon {
    fn area(&self) -> f64 {
        self.sides.iter().map(|s| s * s).sum::<f64>() / self.count as f64
    }
}

#[grad]
impl Solid for Polygon {}

#[derive(Clone, Copy, Differentiable)]
struct Disc {
    r: f64,
}

#[grad]
impl Shape for Disc {
    fn area(&self) -> f64 {
        3.0 * self.r * self.r
    }
}

#[grad]
impl Solid for Disc {
    fn volume(&self, height: f64) -> f64 {
        self.area() * height.sin()
    }
}

#[grad]
fn volume<A: Solid + Differentiable, B: Shape + Differentiable>(
    many: &[A],
    one: Option<B>,
    height: f64,
) -> f64
where
    B: Clone,
{
    let all: f64 = many.iter().map(|solid| solid.volume(height)).sum();
    match &one {
        Some(shape) => all * shape.area(),
        None => all,
    }
}

#[grad]
fn of_solids(r: f64, height: f64) -> f64 {
    let polygon = Polygon {
        sides: vec![r, r * height, 0.5],
        count: 3,
    };
    let discs = [Disc { r }, Disc { r: height }];
    volume(&discs, Some(polygon.clone()), height) + volume(&[polygon], None::<Disc>, r)
}

/// Third derivatives.
#[grad(order = 3)]
trait Curve {
    fn at(&self, x: f64) -> f64;
}

#[derive(Clone, Copy, Differentiable)]
struct Cubic {
    a: f64,
}

#[grad(order = 3)]
impl Curve for Cubic {
    fn at(&self, x: f64) -> f64 {
        self.a * x * x * x
    }
}

#[grad(order = 3)]
fn on_curve<C: Curve + Differentiable>(c: &C, x: f64) -> f64 {
    c.at(x) * x
}

#[grad(order = 3)]
fn on_cubic(a: f64, x: f64) -> f64 {
    on_curve(&Cubic { a }, x)
}

#[test]
fn functions_are_generic_in_traits() {
    let rs = [0.3, 0.8, 1.3];
    check!(of_both(value depth = 1.2, value k = 0.7, shared rs = rs));
    check_second!(of_both(value depth = 1.2, value k = 0.7, shared rs = rs));
    check_second!(through_paths(value k = 0.7, value r = 1.3));
    check!(of_constant(value r = 0.7));
    check_second!(of_constant(value r = 0.7));
    check!(of_wells(value k = 0.7, value r = 1.3));
    check_second!(of_wells(value k = 0.7, value r = 1.3));
}

#[test]
fn types_are_generic_in_traits() {
    check!(of_chains(value k = 0.7, value r = 1.3));
    check_second!(of_chains(value k = 0.7, value r = 1.3));
}

#[test]
fn traits_are_generic_in_lengths() {
    let (p, y) = ([0.7, 1.1, 0.4], [0.8, 0.5, 0.3]);
    check!(of_systems(shared p = p, value y = y));
    check_second!(of_systems(shared p = p, value y = y));
}

#[test]
fn functions_of_traits_take_their_receiver_as_they_like() {
    let xs = [0.2, 0.5];
    check!(of_layers(value weight = 0.7, value bias = 0.3, shared xs = xs));
    check_second!(of_layers(value weight = 0.7, value bias = 0.3, shared xs = xs));
}

#[test]
fn traits_stand_on_traits() {
    check!(of_solids(value r = 0.7, value height = 1.3));
}

#[test]
fn derivatives_are_with_respect_to_the_type() {
    let well = Well(0.7);
    let (d, r) = by_paths::grad(&well, 1.3);
    // (k r² − 1) 2 k r
    near(&d.0, &(4.0 * 0.7 * 1.3_f64.powi(3) - 2.6), 1e-14);
    near(&r, &(6.0 * 0.49 * 1.69 - 1.4), 1e-14);
    let hessian = by_paths::hessian(&well, 1.3);
    near(&hessian[[0, 1]], &(12.0 * 0.7 * 1.69 - 2.0), 1e-14);
    let jacobian = heun::jacobian(&Prey { a: 1.0, b: 2.0 }, [1.0, 1.0], 0.0, 1);
    near(&jacobian[[0, 2]], &1.0, 1e-15);
}

#[test]
fn third_derivatives() {
    // a x⁴
    let ((_, along), (_, third)) = on_cubic::hvp_jvp(2.0, 0.5, (0.0, 1.0), (0.0, 1.0));
    near(&along.1, &6.0, 1e-14);
    near(&third.1, &24.0, 1e-14);
}

#[test]
fn such_a_trait_may_be_an_object() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Disc { r: 1.0 })];
    near(&shapes[0].area(), &3.0, 0.0);
}

/// A potential made of two others, of whatever types.
#[derive(Clone, Differentiable)]
struct Mixed<A, B> {
    first: A,
    second: B,
    share: f64,
}

#[grad(order = 2)]
impl<A, B> Potential for Mixed<A, B>
where
    A: Potential + Differentiable,
    B: Potential + Differentiable,
{
    const SCALE: f64 = 3.0;

    fn energy(&self, r: f64) -> f64 {
        let first = self.first.energy(r);
        self.share * first + (1.0 - self.share) * self.second.energy(r) * first
    }
}

/// The same potential at several places.
#[derive(Clone, Differentiable)]
struct Images<P> {
    of: P,
    at: Vec<f64>,
}

#[grad(order = 2)]
impl<P: Potential + Differentiable> Potential for Images<P> {
    const SCALE: f64 = P::SCALE;

    fn energy(&self, r: f64) -> f64 {
        let near = |at: &f64| if r > *at { self.of.energy(r - at) } else { 0.0 };
        self.at.iter().map(near).sum()
    }

    fn slope(&self, r: f64) -> f64 {
        self.at.iter().map(|at| self.of.slope(r - at)).sum()
    }
}

#[grad(order = 2)]
fn of_combined(k: f64, r: f64) -> f64 {
    let morse = Morse {
        depth: 1.2,
        width: k,
        at: 0.4,
    };
    let images = Images {
        of: morse.clone(),
        at: vec![0.1 * k, 0.5, 9.0],
    };
    let mixed = Mixed {
        first: Images {
            of: images,
            at: vec![0.0, k * k],
        },
        second: morse,
        share: 0.3 * r,
    };
    mixed.energy(r) * k + mixed.slope(r) + mixed.first.slope(r)
}

#[test]
fn of_types_that_combine_others() {
    check!(of_combined(value k = 0.7, value r = 1.9));
    check_second!(of_combined(value k = 0.7, value r = 1.9));
}

/// That a parameter stands for a type of one's own is what its methods say: the bound `Differentiable` need not be written.
#[grad(order = 2)]
fn without_the_bound<P: Potential>(p: &P, rs: &[f64]) -> f64 {
    rs.iter().map(|&r| p.energy(r) * p.slope(r).sin()).sum()
}

#[grad(order = 2)]
fn behind_where<P>(p: P, r: f64) -> f64
where
    P: Potential + Clone,
{
    let mut sum = r;
    for _ in 0..p.order() {
        sum += p.energy(sum * 0.3);
    }
    sum
}

#[grad(order = 2)]
fn of_any(p: &impl Potential, r: f64) -> f64 {
    p.energy(r) * r
}

#[grad(order = 2)]
fn of_those_without_the_bound(k: f64, rs: &[f64]) -> f64 {
    let morse = Morse {
        depth: 1.3,
        width: k,
        at: 0.4 * k,
    };
    without_the_bound(&morse, rs) + behind_where(Well(k), rs[0]) * of_any(&morse, rs[1])
}

#[test]
fn of_parameters_without_the_bound() {
    let rs = [1.9, 0.6, 1.2];
    check!(of_those_without_the_bound(value k = 0.7, shared rs = rs));
    check_second!(of_those_without_the_bound(value k = 0.7, shared rs = rs));
    let (potential, r) = of_any::grad(&Well(2.0), 3.0);
    near(&potential.0, &27.0, 1e-14);
    near(&r, &(3.0 * 2.0 * 9.0 - 1.0), 1e-14);
}

#[grad]
trait Stage {
    fn advance(&self, x: f64) -> Result<f64, String>;
}

#[derive(Clone, Differentiable)]
struct Nozzle {
    throat: f64,
}

#[grad]
impl Stage for Nozzle {
    fn advance(&self, x: f64) -> Result<f64, String> {
        if x < 0.0 {
            return Err("no flow".to_owned());
        }
        Ok((self.throat * x).sqrt())
    }
}

#[grad]
fn staged<S: Stage>(stage: &S, x: f64) -> Result<f64, String> {
    let mut y = x;
    for _ in 0..2 {
        y = stage.advance(y)? * x;
    }
    Ok(y)
}

#[test]
fn of_fallible_methods() {
    // y = √(t x) x, then √(t y) x = t^(3/4) x^(7/4).
    let (t, x) = (0.7_f64, 1.3_f64);
    let (stage, along) = staged::grad(&Nozzle { throat: t }, x).unwrap();
    near(&stage.throat, &(0.75 * t.powf(-0.25) * x.powf(1.75)), 1e-13);
    near(&along, &(1.75 * t.powf(0.75) * x.powf(0.75)), 1e-13);
    assert!(staged::grad(&Nozzle { throat: t }, -1.0).is_err());
}
