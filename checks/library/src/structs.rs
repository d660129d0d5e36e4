//! Structs with parameters, and their methods.

use std::ops::{Add, Mul};

use autodiff::{Differentiable, Float, grad};

/// A number for each of two directions.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Pair<T> {
    /// The first.
    pub x: T,
    /// The second.
    pub y: T,
}

#[grad(order = 2)]
impl<T: Float> Add for Pair<T> {
    type Output = Pair<T>;

    fn add(self, other: Pair<T>) -> Pair<T> {
        Pair {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[grad(order = 2)]
impl<T: Float> Mul<T> for Pair<T> {
    type Output = Pair<T>;

    fn mul(self, k: T) -> Pair<T> {
        Pair {
            x: self.x * k,
            y: self.y * k,
        }
    }
}

#[grad]
impl<T: Float> Mul for &Pair<T> {
    type Output = T;

    fn mul(self, other: &Pair<T>) -> T {
        self.x * other.x + self.y * other.y
    }
}

/// Order 1.
#[derive(Clone, Debug, Differentiable)]
pub struct Wave<T> {
    /// Of a wave.
    pub height: T,
    /// Of all waves.
    pub rates: Vec<T>,
    /// What it is added to.
    pub base: Pair<T>,
}

#[grad]
impl<T: Float> Wave<T>
where
    Wave<T>: Differentiable,
{
    /// Of a type that is said to have derivatives.
    pub fn known(&self, x: T) -> T {
        self.at(x) * x
    }
}

#[grad]
impl<T: Float> Wave<T> {
    /// One wave.
    pub fn new(height: T, rate: T) -> Self {
        Wave {
            height,
            rates: vec![rate, rate * height],
            base: Pair { x: rate, y: height },
        }
    }

    /// By reference.
    pub fn at(&self, x: T) -> T {
        self.height * (x * self.rates[0]).sin() + self.base.x
    }

    /// With a list beside it.
    pub fn sum(&self, xs: &[T]) -> T {
        let mut sum = T::ZERO;
        for x in xs {
            sum += self.at(*x) * self.at_both(*x, &self.base).x;
        }
        sum
    }

    /// A struct with parameters is given and returned.
    pub fn at_both(&self, x: T, base: &Pair<T>) -> Pair<T> {
        Pair {
            x: base.x * x,
            y: base.y * self.height,
        }
    }

    /// By value.
    pub fn owned(self, x: T) -> T {
        self.rates[1] * x
    }

    /// Changes it.
    pub fn grow(&mut self, by: T) {
        self.height *= by;
        for rate in self.rates.iter_mut() {
            *rate *= by;
        }
    }

    /// Changes and returns.
    pub fn grown(&mut self, by: T) -> T {
        self.grow(by);
        self.height * self.base.y
    }

    /// Calls itself.
    pub fn again(&self, x: T, n: usize) -> T {
        if n == 0 {
            self.at(x)
        } else {
            self.again(x * self.height, n - 1) + self.again(x, n - 1)
        }
    }

    /// Returns its own type.
    #[must_use]
    pub fn scaled(&self, by: T) -> Self {
        Wave {
            height: self.height * by,
            rates: self.rates.clone(),
            base: self.base * by + self.base,
        }
    }

    /// A chain over structs.
    pub fn total(waves: &[Wave<T>], x: T) -> T {
        waves
            .iter()
            .map(|wave| wave.at(x))
            .fold(T::ZERO, |a, b| a + b)
    }
}

/// Order 2.
#[derive(Clone, Debug, Differentiable)]
pub struct Layer<T, const N: usize> {
    /// Weights.
    pub w: [[T; N]; N],
    /// Biases.
    pub b: [T; N],
}

#[grad(order = 2)]
impl<T: Float, const N: usize> Layer<T, N> {
    /// What it makes of `x`.
    pub fn apply(&self, x: &[T; N]) -> [T; N] {
        let mut y = self.b;
        for i in 0..N {
            for j in 0..N {
                y[i] += self.w[i][j] * x[j];
            }
            y[i] = y[i].tanh();
        }
        y
    }

    /// A loss.
    pub fn loss(&self, x: &[T; N], y: &[T; N]) -> T {
        let z = self.apply(&self.apply(x));
        let mut loss = T::ZERO;
        for i in 0..N {
            loss += (z[i] - y[i]) * (z[i] - y[i]);
        }
        loss
    }

    /// Changes it.
    pub fn decay(&mut self, k: T) -> T {
        let mut sum = T::ZERO;
        for b in self.b.iter_mut() {
            *b *= k;
            sum += *b * *b;
        }
        sum
    }

    /// Through a change.
    pub fn decayed(&self, k: T) -> T {
        let mut copy = self.clone();
        let sum = copy.decay(k);
        sum * copy.loss(&self.b, &copy.b)
    }
}

/// Order 3.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Spring<T> {
    /// Stiffness.
    pub k: T,
    /// Rest.
    pub at: Pair<T>,
}

#[grad(order = 3)]
impl<T: Float> Spring<T> {
    /// Of a displacement.
    pub fn energy(&self, x: T) -> T {
        let d = x - self.at.x;
        self.k * d * d * d.exp() + self.at.y
    }

    /// Of two.
    pub fn both(&self, x: T, y: T) -> T {
        self.energy(x) * self.energy(y)
    }
}

/// With a lifetime.
#[derive(Clone, Debug, Differentiable)]
pub struct Weighted<'a, T: 'a> {
    /// A number.
    pub scale: T,
    /// Constants.
    #[constant]
    pub weights: &'a [T],
}

#[grad]
impl<'a, T: Float> Weighted<'a, T> {
    /// Of all.
    pub fn sum(&self, y: T) -> T {
        let mut sum = T::ZERO;
        for w in self.weights {
            sum += *w * y * self.scale;
        }
        sum
    }

    /// Changes it.
    pub fn rescale(&mut self, by: T) {
        self.scale *= by;
    }
}

/// In a struct with parameters of its own.
#[derive(Clone, Debug, Differentiable)]
pub struct Model<T, L> {
    /// Layers.
    pub layers: Vec<L>,
    /// A factor.
    pub factor: T,
}

#[grad]
impl<T: Float> Model<T, Wave<T>> {
    /// Through all.
    pub fn through(&self, x: T) -> T {
        let mut y = x;
        for layer in &self.layers {
            y = layer.at(y) * self.factor;
        }
        y
    }
}

#[grad(order = 2)]
impl<T: Float, const N: usize> Model<T, Layer<T, N>> {
    /// Through all.
    pub fn apply(&self, x: &[T; N]) -> T {
        let mut y = *x;
        for layer in &self.layers {
            y = layer.apply(&y);
        }
        y[0] * self.factor
    }
}
