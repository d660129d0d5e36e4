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
