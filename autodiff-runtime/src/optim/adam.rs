//! Adam, and `AdamW`, whose decay is no part of the gradient.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::check;
use super::state::{Moments, Number, Settings, Slices, Walk};
use crate::parallel::{Amount, Work, divide};
use crate::slices::{SliceError, SlicePair};

/// Adam, whose weight decay is added to the gradient.
///
/// ```
/// use autodiff_runtime::optim::Adam;
///
/// let mut x = [1.0_f64, 2.0];
/// let mut adam = Adam::new(0.1).betas(0.9, 0.99);
/// adam.step(&mut x, &[3.0, 0.0]);
/// // The first step is of the length of the rate, whatever the gradient.
/// assert!((x[0] - 0.9).abs() < 1e-9 && x[1] == 2.0);
/// ```
///
/// m ← β₁ m + (1 − β₁) g and v ← β₂ v + (1 − β₂) g²; in step t, from 1, x ← x − lr m̂ / (√v̂ + ε) with m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Adam {
    pub(super) state: State,
}

/// Adam, where weight decay shrinks the parameters by rate times decay, beside the step along the gradient.
///
/// ```
/// use autodiff_runtime::optim::AdamW;
///
/// let mut x = [1.0, 2.0];
/// let mut adam = AdamW::new(0.1).weight_decay(0.5);
/// adam.step(&mut x, &[0.0, 0.0]);
/// assert_eq!(x, [0.95, 1.9]);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct AdamW {
    pub(super) state: State,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(super) struct State {
    pub(super) lr: f64,
    betas: (f64, f64),
    eps: f64,
    decay: f64,
    pub(super) steps: u64,
    pub(super) slices: Slices,
    first: Moments,
    second: Moments,
}

/// The settings of both.
macro_rules! settings {
    ($Name:ident, $decay:literal, $how:literal) => {
        impl $Name {
            #[doc = concat!("The optimiser with a rate, β₁ = 0.9, β₂ = 0.999, ε = 10⁻⁸ and the weight decay ", stringify!($decay), ".")]
            ///
            /// # Panics
            /// If the rate is negative or not finite.
            #[must_use]
            #[track_caller]
            pub fn new(lr: f64) -> Self {
                check("the rate", lr);
                $Name {
                    state: State {
                        lr,
                        betas: (0.9, 0.999),
                        eps: 1e-8,
                        decay: $decay,
                        steps: 0,
                        slices: Slices::default(),
                        first: Moments::default(),
                        second: Moments::default(),
                    },
                }
            }

            /// Keeps these parts of the mean of gradients and of the mean of their squares from step to step.
            ///
            /// # Panics
            /// Unless both are at least 0 and less than 1.
            #[must_use]
            #[track_caller]
            pub fn betas(mut self, first: f64, second: f64) -> Self {
                for beta in [first, second] {
                    assert!(
                        (0.0..1.0).contains(&beta),
                        "a beta is {beta}; it must be at least 0 and less than 1"
                    );
                }
                self.state.betas = (first, second);
                self
            }

            /// Adds `eps` to the root of the mean square.
            ///
            /// # Panics
            /// If it is negative or not finite.
            #[must_use]
            #[track_caller]
            pub fn eps(mut self, eps: f64) -> Self {
                check("eps", eps);
                self.state.eps = eps;
                self
            }

            #[doc = $how]
            ///
            /// # Panics
            /// If it is negative or not finite.
            #[must_use]
            #[track_caller]
            pub fn weight_decay(mut self, weight_decay: f64) -> Self {
                check("the weight decay", weight_decay);
                self.state.decay = weight_decay;
                self
            }
        }
    };
}
settings!(
    Adam,
    0.0,
    "Adds `weight_decay` times the parameters to the gradient."
);
settings!(
    AdamW,
    0.01,
    "Takes rate times `weight_decay` times the parameters from them."
);

impl Adam {
    pub(super) fn advance(&mut self, walk: &mut Walk<'_>) -> Result<(), SliceError> {
        let added = |settings: Settings| (settings.decay, 0.0);
        self.state.advance(&added, walk)
    }
}

impl AdamW {
    pub(super) fn advance(&mut self, walk: &mut Walk<'_>) -> Result<(), SliceError> {
        let apart = |settings: Settings| (0.0, settings.lr * settings.decay);
        self.state.advance(&apart, walk)
    }
}

impl State {
    /// A step; `decay` says what times the parameters is added to the gradient, and what is taken from them.
    fn advance(
        &mut self,
        decay: &dyn Fn(Settings) -> (f64, f64),
        walk: &mut Walk<'_>,
    ) -> Result<(), SliceError> {
        self.slices.meet(walk)?;
        self.first.fit(&self.slices)?;
        self.second.fit(&self.slices)?;
        self.steps += 1;
        let mut settings = self.slices.settings(Settings {
            lr: self.lr,
            decay: self.decay,
        });
        // The same bits with and without std.
        let left = |beta: f64| 1.0 - libm::pow(beta, self.steps as f64);
        let (beta1, beta2) = self.betas;
        let (left1, root2) = (left(beta1), libm::sqrt(left(beta2)));
        let (mut first, mut second) = (self.first.parts(), self.second.parts());
        walk(&mut |_, pair| {
            let weights = settings().map(|settings| {
                let (added, taken) = decay(settings);
                Weights {
                    beta1,
                    new1: 1.0 - beta1,
                    beta2,
                    new2: 1.0 - beta2,
                    added,
                    taken,
                    rate: settings.lr / left1,
                    root: 1.0 / root2,
                    eps: self.eps,
                }
            });
            match pair {
                SlicePair::F32(p, g) => {
                    let m = Number::part(&mut first, p.len());
                    let v = Number::part(&mut second, p.len());
                    if let Some(weights) = weights {
                        weights.rounded().slice(p, g, m, v);
                    }
                }
                SlicePair::F64(p, g) => {
                    let m = Number::part(&mut first, p.len());
                    let v = Number::part(&mut second, p.len());
                    if let Some(weights) = weights {
                        weights.rounded().slice(p, g, m, v);
                    }
                }
            }
        })
    }
}

/// How many numbers a step reads and writes for each parameter.
const NUMBERS: usize = 4;

/// What a step is made with.
#[derive(Clone, Copy)]
struct Weights<T> {
    beta1: T,
    new1: T,
    beta2: T,
    new2: T,
    added: T,
    taken: T,
    rate: T,
    root: T,
    eps: T,
}

impl Weights<f64> {
    /// As numbers of the width of a slice.
    fn rounded<T: Number>(self) -> Weights<T> {
        Weights {
            beta1: T::from_f64(self.beta1),
            new1: T::from_f64(self.new1),
            beta2: T::from_f64(self.beta2),
            new2: T::from_f64(self.new2),
            added: T::from_f64(self.added),
            taken: T::from_f64(self.taken),
            rate: T::from_f64(self.rate),
            root: T::from_f64(self.root),
            // Where all gradients were zero it divides zero, and must not be zero itself.
            eps: T::from_f64(self.eps).max(T::MIN_POSITIVE),
        }
    }
}

impl<T: Number> Weights<T> {
    fn slice(self, p: &mut [T], g: Option<&[T]>, m: &mut [T], v: &mut [T]) {
        let amount = Amount {
            work: Work::Memory,
            units: p.len(),
            each: NUMBERS,
        };
        divide((p, (m, v)), amount, |some, (p, (m, v))| match g {
            Some(g) => wide!(self.each(p, g[some].iter().copied(), m, v)),
            None => wide!(self.each(p, core::iter::repeat(T::ZERO), m, v)),
        });
    }

    /// In one pass, of which the compiler makes vector instructions.
    #[inline(always)]
    fn each(self, p: &mut [T], g: impl Iterator<Item = T>, m: &mut [T], v: &mut [T]) {
        for (((p, g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
            let g = g + self.added * *p;
            *m = self.beta1 * *m + self.new1 * g;
            *v = self.beta2 * *v + self.new2 * g * g;
            *p -= self.taken * *p + self.rate * *m / ((*v).root() * self.root + self.eps);
        }
    }
}
