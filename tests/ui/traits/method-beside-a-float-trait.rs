use autodiff::grad;
use num_traits::float::FloatCore;
use num_traits::real::Real;

trait Angles: Copy {
    fn sin(self) -> Self;
}

impl Angles for f64 {
    fn sin(self) -> f64 {
        self.to_radians()
    }
}

trait Between: Copy {
    fn clamp(self, low: Self, high: Self) -> Self;
    fn midpoint(self, other: Self) -> Self;
}

impl Between for f64 {
    fn clamp(self, low: f64, high: f64) -> f64 {
        low + high - self
    }
    fn midpoint(self, _: f64) -> f64 {
        self
    }
}

#[grad]
fn of_core<T: FloatCore + Angles>(x: T) -> T {
    x.sin()
}

#[grad]
fn of_real<T: Real + Between>(x: T) -> T {
    x.clamp(T::zero(), T::one())
}

#[grad]
fn of_float<T: num_traits::Float>(x: T, y: T) -> T
where
    T: Between,
{
    T::midpoint(x, y)
}

fn main() {
    of_core::grad(1.0);
    of_real::grad(1.0);
    of_float::grad(1.0, 1.0);
}
