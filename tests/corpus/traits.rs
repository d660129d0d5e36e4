//! `#[grad]` on the `impl` of a trait: the derivatives are functions of the type.

use autodiff::{Differentiable, grad};

use crate::check::near;

mod models {
    /// Its name is not imported where the derivatives are used through the type alone.
    pub(super) trait Model {
        type Pair;
        const SCALE: f64;

        fn energy(&self, x: f64) -> f64;

        fn pair(&self, x: f64) -> Self::Pair;

        fn relax(&mut self, rate: f64);

        fn started(k: f64, at: (f64, f64)) -> Self
        where
            Self: Sized;

        fn spent(self, x: f64) -> f64
        where
            Self: Sized;

        fn name(&self) -> &'static str {
            "?"
        }

        fn doubled(&self, x: f64) -> f64 {
            self.energy(x) * 2.0
        }
    }
}

use models::Model;

#[derive(Clone, Copy, Differentiable)]
struct Spring {
    k: f64,
    rest: f64,
}

#[grad]
impl Model for Spring {
    type Pair = (f64, f64);
    const SCALE: f64 = 0.5;

    fn energy(&self, x: f64) -> f64 {
        let d = x - self.rest;
        Self::SCALE * self.k * d * d
    }

    fn pair(&self, x: f64) -> Self::Pair {
        (self.energy(x), self.energy(x * x))
    }

    fn relax(&mut self, rate: f64) {
        self.rest += rate * self.k;
    }

    fn started(k: f64, (a, b): (f64, f64)) -> Self {
        Spring { k, rest: a * b }
    }

    fn spent(mut self, #[constant] x: f64) -> f64 {
        self.relax(x);
        self.rest * self.k
    }

    fn name(&self) -> &'static str {
        "spring"
    }
}

#[derive(Clone, Differentiable)]
struct Scaled<T> {
    by: Vec<T>,
}

#[grad]
impl<T: autodiff::Float> From<T> for Scaled<T> {
    fn from(by: T) -> Self {
        Scaled {
            by: vec![by, by * by],
        }
    }
}

#[grad]
fn total(k: f64, rest: f64, x: f64) -> f64 {
    let s = Spring { k, rest };
    let mut t = Spring::started(x, (k, rest));
    for _ in 0..3 {
        t.relax(0.1 * x);
        t.k = t.energy(s.k).sin();
    }
    let (a, b) = s.pair(x);
    a * b + t.energy(s.k) + s.energy(x) + t.spent(0.3)
}

#[grad]
fn scaled(x: f64) -> f64 {
    let s = Scaled::from(x.sin());
    s.by[0] * s.by[1] * x
}

#[test]
fn functions_of_a_trait_have_derivatives() {
    check!(total(value k = 1.3, value rest = 0.2, value x = 0.7));
    check!(scaled(value x = 0.7));
}

#[test]
fn their_names_are_those_of_methods() {
    let s = Spring { k: 1.3, rest: 0.2 };
    let (d, x) = s.energy_grad(0.7);
    near(&[d.k, d.rest, x], &[0.125, -0.65, 0.65], 1e-15);
    let (value, _) = s.pair_jvp(0.7, (&d, 1.0));
    near(&value, &Model::pair(&s, 0.7), 0.0);
    assert_eq!((s.name(), s.doubled(0.7)), ("spring", 2.0 * s.energy(0.7)));
}

/// Functions of traits, called by a path that names type and trait.
mod by_their_traits {
    use autodiff::{Differentiable, Float, grad};

    pub(super) trait Potential {
        fn new(k: f64) -> Self;
        fn at(&self, x: f64) -> f64;
        fn twice(self, x: f64) -> f64;
    }

    pub(super) trait Response<T> {
        fn to(&self, x: T) -> T;
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Well {
        depth: f64,
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub(super) struct Gain<T> {
        gain: T,
    }

    #[grad(order = 2)]
    impl Potential for Well {
        fn new(k: f64) -> Self {
            Well { depth: k * k }
        }
        fn at(&self, x: f64) -> f64 {
            self.depth * x * x
        }
        fn twice(self, x: f64) -> f64 {
            <Self as Potential>::at(&self, x) + <Well as Potential>::at(&self, 2.0 * x)
        }
    }

    #[grad(order = 2)]
    impl<T: Float> Response<T> for Gain<T> {
        fn to(&self, x: T) -> T {
            self.gain * x * x
        }
    }

    /// It has the name of a rule.
    #[grad(order = 2)]
    impl Well {
        fn sin(&self) -> f64 {
            3.0 * self.depth * self.depth
        }
    }

    #[grad(order = 2)]
    pub(super) fn by_paths(x: f64, y: f64) -> f64 {
        let well = <Well as Potential>::new(x);
        let mut sum = <Well>::sin(&well) + <f64>::sin(y);
        for _ in 0..2 {
            let gain = Gain { gain: sum * y };
            sum += <Gain<f64> as Response<f64>>::to(&gain, x);
            sum += <Well as Potential>::twice(well, y * sum);
        }
        sum
    }
}

#[test]
fn a_function_of_a_trait_called_by_its_path() {
    use by_their_traits::by_paths;
    check!(by_paths(value x = 0.4, value y = 0.3));
    check_second!(by_paths(value x = 0.4, value y = 0.3));
}

/// Functions of a trait that may fail.
#[grad(order = 2)]
trait Response {
    fn response(&self, x: f64) -> Result<f64, String>;

    fn doubled(&self, x: f64) -> Result<f64, String> {
        Ok(self.response(x)? * 2.0)
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Root {
    scale: f64,
}

#[derive(Clone, Debug, Differentiable)]
struct Waves {
    scale: f64,
    rates: Vec<f64>,
}

#[grad(order = 2)]
impl Response for Root {
    fn response(&self, x: f64) -> Result<f64, String> {
        if x < 0.0 {
            return Err(format!("{x} has no root"));
        }
        Ok(self.scale * x.sqrt())
    }
}

#[grad(order = 2)]
impl Response for Waves {
    fn response(&self, x: f64) -> Result<f64, String> {
        let mut sum = 0.0;
        for rate in &self.rates {
            if *rate < 0.0 {
                return Err("a rate is below zero".to_owned());
            }
            sum += (rate * x).sin();
        }
        Ok(sum * self.scale)
    }

    fn doubled(&self, x: f64) -> Result<f64, String> {
        let once = self.response(x)?;
        Ok(once + once * x)
    }
}

#[grad(order = 2)]
fn responded<R: Response + Differentiable>(r: &R, x: f64) -> Result<f64, String> {
    let doubled = r.doubled(x)?;
    match r.response(x) {
        Ok(once) => Ok(doubled * once),
        Err(_) => Ok(doubled),
    }
}

#[test]
fn functions_of_a_trait_that_may_fail() {
    let root = Root { scale: 2.0 };
    let (of_root, of_x) = responded::grad(&root, 1.5).unwrap();
    // 2 s² x
    near(&of_root.scale, &(4.0 * 2.0 * 1.5), 1e-12);
    near(&of_x, &8.0, 1e-12);
    assert_eq!(responded::grad(&root, -1.0).unwrap_err(), "-1 has no root");
    near(&root.response_grad(2.25).unwrap().1, &(2.0 / 3.0), 1e-12);

    let waves = Waves {
        scale: 1.1,
        rates: vec![0.3, 0.7],
    };
    let x: f64 = 1.5;
    let [s, ds, dds] = [
        (0.3 * x).sin() + (0.7 * x).sin(),
        0.3 * (0.3 * x).cos() + 0.7 * (0.7 * x).cos(),
        -0.09 * (0.3 * x).sin() - 0.49 * (0.7 * x).sin(),
    ]
    .map(|v| 1.1 * v);
    // (1 + x) s²
    let (_, of_x) = responded::grad(&waves, x).unwrap();
    near(&of_x, &(s * s + (1.0 + x) * 2.0 * s * ds), 1e-12);
    let h = responded::hessian(&waves, x).unwrap();
    near(
        &h[[3, 3]],
        &(4.0 * s * ds + (1.0 + x) * 2.0 * (ds * ds + s * dds)),
        1e-12,
    );
    let along = responded::jvp(&waves, x, (&waves.zero_tangent(), 1.0));
    near(&along.unwrap().1, &of_x, 1e-12);
}

/// A type of a trait that is another one.
trait Average {
    type Input;
    type Output;

    fn next(&mut self, value: &Self::Input) -> Self::Output;
}

#[derive(Clone, Copy, Differentiable)]
struct Exponential {
    alpha: f64,
    value: f64,
}

#[grad]
impl Average for Exponential {
    type Input = f64;
    type Output = Self::Input;

    fn next(&mut self, value: &Self::Input) -> Self::Output {
        self.value = (value - self.value).mul_add(self.alpha, self.value);
        self.value
    }
}

#[grad]
fn averaged(alpha: f64, x: &[f64]) -> f64 {
    let mut average = Exponential { alpha, value: x[0] };
    let mut sum: f64 = 0.0;
    for v in x {
        sum += average.next(v) * sum.cos();
    }
    sum
}

#[test]
fn types_of_traits_that_are_each_other() {
    check!(averaged(value alpha = 0.3, shared x = vec![0.7, -0.4, 1.2]));
}

/// A trait of which types have the functions themselves.
#[grad(order = 2)]
trait Shape {
    fn area(&self) -> f64;

    fn scaled(&self, by: f64, shift: &[f64]) -> f64;

    fn radius(&self) -> f64;

    fn corners(&self) -> usize;

    fn bent(&self, by: f64) -> f64;

    fn nested(&self, depth: usize) -> f64;

    fn doubled(&self) -> f64 {
        2.0 * self.area()
    }
}

#[derive(Clone, Copy, Differentiable)]
struct Disc {
    r: f64,
}

#[grad(order = 2)]
impl Disc {
    fn area(&self) -> f64 {
        3.0 * self.r * self.r
    }

    fn scaled(&self, by: f64, shift: &[f64]) -> f64 {
        self.r * by * by * by + shift[0] * self.r * self.r
    }

    fn radius(&self) -> f64 {
        self.r
    }

    fn corners(&self) -> usize {
        2
    }

    fn bent(&self, by: f64) -> f64 {
        self.r * by
    }
}

#[grad(order = 2)]
impl Shape for Disc {
    fn area(&self) -> f64 {
        self.area()
    }

    fn scaled(&self, by: f64, shift: &[f64]) -> f64 {
        let y = self.scaled(by, shift);
        y * y.sin()
    }

    fn radius(&self) -> f64 {
        self.radius()
    }

    fn corners(&self) -> usize {
        self.corners()
    }

    // One call behind another: the type's own is a part of it.
    fn bent(&self, by: f64) -> f64 {
        self.bent(by).sin()
    }

    // It calls itself: what it is given has the name of its parameter, and is another.
    fn nested(&self, depth: usize) -> f64 {
        let mut sum = self.r;
        for depth in 0..depth {
            sum += self.r * self.nested(depth);
        }
        sum
    }
}

#[grad(order = 2)]
fn shapes(x: f64, shift: &[f64]) -> f64 {
    let disc = Disc { r: x };
    let through = Shape::area(&disc) * <Disc as Shape>::area(&disc) + disc.doubled();
    disc.area() + through + disc.scaled(x, shift) * Shape::scaled(&disc, 0.5 * x, shift)
}

#[grad(order = 2)]
fn of_any_shape<S: Shape + Differentiable>(shape: &S, x: f64, shift: &[f64]) -> f64 {
    let scaled = shape.scaled(x, shift) * shape.radius().powi(shape.corners() as i32);
    shape.area() * x + scaled + shape.bent(x) * shape.nested(2)
}

#[grad(order = 2)]
fn bent_disc(x: f64, by: f64) -> f64 {
    Shape::bent(&Disc { r: x }, by)
}

#[grad(order = 2)]
fn of_a_disc(x: f64, shift: &[f64]) -> f64 {
    of_any_shape(&Disc { r: x }, x, shift)
}

#[test]
fn functions_of_traits_that_call_those_of_the_type_by_their_name() {
    check!(shapes(value x = 0.7, shared shift = vec![0.3]));
    check!(of_a_disc(value x = 0.9, shared shift = vec![-0.4]));
    let by_hand = |x: f64| {
        let (area, y) = (3.0 * x * x, x.powi(4) + 0.3 * x * x);
        let half = x.powi(4) / 8.0 + 0.3 * x * x;
        area + area * area + 2.0 * area + y * half * half.sin()
    };
    near(&shapes(0.7, &[0.3]), &by_hand(0.7), 1e-14);
    let slope = (by_hand(0.7 + 1e-5) - by_hand(0.7 - 1e-5)) / 2e-5;
    assert!((shapes::grad(0.7, &[0.3]).0 - slope).abs() < 1e-8);
    let (_, along) = shapes::hvp(0.7, &[0.3], (1.0, &[0.0]));
    let bend = (by_hand(0.7 + 1e-4) - 2.0 * by_hand(0.7) + by_hand(0.7 - 1e-4)) / 1e-8;
    assert!((along.0 - bend).abs() < 1e-5 * bend.abs());
    assert_eq!(Disc { r: 2.0 }.area_grad().r, 12.0);
    let (x, by) = (0.9_f64, (0.9_f64 * 0.9).sin());
    near(&Shape::bent(&Disc { r: x }, x), &by, 1e-15);
    near(&bent_disc::grad(x, 0.5).0, &(0.5 * (0.5 * x).cos()), 1e-15);
    near(
        &bent_disc::jvp(x, 0.5, (1.0, 0.0)).1,
        &(0.5 * (0.5 * x).cos()),
        1e-15,
    );
    near(
        &Disc { r: x }.nested(2),
        &(x + 2.0 * x * x + x * x * x),
        1e-15,
    );
    near(
        &Disc { r: x }.nested_grad(2).r,
        &(1.0 + 4.0 * x + 3.0 * x * x),
        1e-14,
    );
}

/// Functions that bodies import, of what a trait provides and of a method that stands alone.
mod halves {
    use autodiff::grad;

    #[grad]
    pub(super) fn half(x: f64) -> f64 {
        0.5 * x
    }
}

#[grad]
trait Halved {
    fn whole(&self) -> f64;

    fn halved(&self) -> f64 {
        use halves::half;
        half(self.whole()) * self.whole()
    }
}

#[grad]
impl Halved for Disc {
    fn whole(&self) -> f64 {
        use halves::half as of;
        self.r + of(self.r * self.r)
    }
}

impl Disc {
    #[grad(method)]
    fn half_of(&self, x: f64) -> f64 {
        use halves::half;
        half(x) * self.r
    }
}

#[grad]
fn halves_of(x: f64) -> f64 {
    let disc = Disc { r: x };
    disc.halved() + disc.half_of(x.sin())
}

#[test]
fn what_bodies_import() {
    check!(halves_of(value x = 0.8));
}

/// A trait whose functions every type that has those of another gets.
#[grad(order = 2)]
trait Rounded: Shape {
    fn rounded(&self, by: f64) -> f64 {
        self.area() * by.cos() + self.radius()
    }
}

#[grad(order = 2)]
impl<S: Shape + Differentiable> Rounded for S {}

#[grad(order = 2)]
fn rounded_disc(x: f64, by: f64) -> f64 {
    let disc = Disc { r: x };
    disc.rounded(by) * by
}

#[test]
fn functions_that_all_types_of_another_trait_get() {
    check!(rounded_disc(value x = 0.8, value by = 0.3));
    check_second!(rounded_disc(value x = 0.8, value by = 0.3));
}
