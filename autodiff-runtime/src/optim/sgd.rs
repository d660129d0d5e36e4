//! Gradient descent with momentum.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::check;
use super::state::{Moments, Number, Settings, Slices, Walk};
use crate::parallel::{Amount, Work, divide};
use crate::slices::{SliceError, SlicePair};

/// Gradient descent, with momentum and Nesterov's look ahead where they are asked for.
///
/// ```
/// use autodiff_runtime::optim::Sgd;
///
/// let mut x = [1.0, 2.0];
/// let mut sgd = Sgd::new(0.1).momentum(0.5);
/// sgd.step(&mut x, &[1.0, 0.0]);
/// assert_eq!(x, [0.9, 2.0]);
/// sgd.step(&mut x, &[1.0, 0.0]);
/// assert_eq!(x, [0.75, 2.0]);
/// ```
///
/// The velocity is v ← m v + g, not dampened, so the first one is the gradient, and x ← x − lr v.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Sgd {
    pub(super) state: State,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(super) struct State {
    pub(super) lr: f64,
    momentum: f64,
    nesterov: bool,
    decay: f64,
    pub(super) steps: u64,
    pub(super) slices: Slices,
    velocity: Moments,
}

impl Sgd {
    /// Gradient descent with a rate, without momentum and decay.
    ///
    /// # Panics
    /// If the rate is negative or not finite.
    #[must_use]
    #[track_caller]
    pub fn new(lr: f64) -> Self {
        check("the rate", lr);
        Sgd {
            state: State {
                lr,
                momentum: 0.0,
                nesterov: false,
                decay: 0.0,
                steps: 0,
                slices: Slices::default(),
                velocity: Moments::default(),
            },
        }
    }

    /// Keeps this part of the velocity from step to step.
    ///
    /// # Panics
    /// If it is negative or not finite.
    #[must_use]
    #[track_caller]
    pub fn momentum(mut self, momentum: f64) -> Self {
        check("momentum", momentum);
        self.state.momentum = momentum;
        self
    }

    /// Steps along g + m v, where v is the new velocity and m the momentum.
    #[must_use]
    pub fn nesterov(mut self) -> Self {
        self.state.nesterov = true;
        self
    }

    /// Adds `weight_decay` times the parameters to the gradient.
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

    pub(super) fn advance(&mut self, walk: &mut Walk<'_>) -> Result<(), SliceError> {
        let state = &mut self.state;
        let heavy = state.momentum != 0.0;
        if heavy || state.slices.differ() {
            state.slices.meet(walk)?;
        } else {
            walk(&mut |_, _| {})?;
        }
        if heavy {
            state.velocity.fit(&state.slices)?;
        }
        state.steps += 1;
        let mut settings = state.slices.settings(Settings {
            lr: state.lr,
            decay: state.decay,
        });
        let mut velocity = state.velocity.parts();
        let (momentum, nesterov) = (state.momentum, state.nesterov);
        walk(&mut |_, pair| {
            let weights = settings().map(|all| Weights::<f64>::new(all, momentum, nesterov));
            match pair {
                SlicePair::F32(p, g) => {
                    let v = heavy.then(|| Number::part(&mut velocity, p.len()));
                    if let Some(weights) = weights {
                        weights.rounded().slice(p, g, v);
                    }
                }
                SlicePair::F64(p, g) => {
                    let v = heavy.then(|| Number::part(&mut velocity, p.len()));
                    if let Some(weights) = weights {
                        weights.rounded().slice(p, g, v);
                    }
                }
            }
        })
    }
}

/// What a step is made with.
#[derive(Clone, Copy)]
struct Weights<T> {
    lr: T,
    decay: T,
    momentum: T,
    /// Of the gradient and of the velocity in the direction of the step.
    ahead: T,
    behind: T,
}

impl Weights<f64> {
    fn new(settings: Settings, momentum: f64, nesterov: bool) -> Self {
        let (ahead, behind) = if nesterov {
            (1.0, momentum)
        } else {
            (0.0, 1.0)
        };
        Weights {
            lr: settings.lr,
            decay: settings.decay,
            momentum,
            ahead,
            behind,
        }
    }

    /// As numbers of the width of a slice.
    fn rounded<T: Number>(self) -> Weights<T> {
        Weights {
            lr: T::from_f64(self.lr),
            decay: T::from_f64(self.decay),
            momentum: T::from_f64(self.momentum),
            ahead: T::from_f64(self.ahead),
            behind: T::from_f64(self.behind),
        }
    }
}

impl<T: Number> Weights<T> {
    fn slice(self, p: &mut [T], g: Option<&[T]>, v: Option<&mut [T]>) {
        let amount = Amount {
            work: Work::Memory,
            units: p.len(),
            each: 2,
        };
        divide((p, v), amount, |some, (p, v)| match g {
            Some(g) => wide!(self.each(p, g[some].iter().copied(), v)),
            None => wide!(self.each(p, core::iter::repeat(T::ZERO), v)),
        });
    }

    /// In one pass, of which the compiler makes vector instructions.
    #[inline(always)]
    fn each(self, p: &mut [T], g: impl Iterator<Item = T>, v: Option<&mut [T]>) {
        let Some(v) = v else {
            for (p, g) in p.iter_mut().zip(g) {
                *p -= self.lr * (g + self.decay * *p);
            }
            return;
        };
        for ((p, g), v) in p.iter_mut().zip(g).zip(v) {
            let g = g + self.decay * *p;
            *v = self.momentum * *v + g;
            *p -= self.lr * (self.ahead * g + self.behind * *v);
        }
    }
}
