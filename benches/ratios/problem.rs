//! A problem: one function, the programs that compute its value or gradient, and how to run them.

use std::hint::black_box;

use crate::flat::{Flat, flat};

/// What a program computes, and who wrote it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The function itself.
    Primal,
    /// `value_and_grad`, made by `#[grad]`.
    Grad,
    /// The gradient written by hand, returned like that of `value_and_grad`.
    Hand,
    /// `grad_into`, made by `#[grad]`: adds to the caller's buffers.
    GradInto,
    /// The gradient written by hand, added to the caller's buffers.
    HandInto,
}

impl Kind {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Primal => "primal",
            Kind::Grad => "grad",
            Kind::Hand => "hand",
            Kind::GradInto => "grad-into",
            Kind::HandInto => "hand-into",
        }
    }
}

/// Value and flat gradient.
pub(crate) type Answer = (f64, Vec<f64>);

/// A function of a flat point.
type Function = dyn Fn(&[f64]) -> f64;

/// One program.
pub(crate) struct Contestant {
    pub(crate) kind: Kind,
    /// Runs the program so many times; this is what is timed.
    pub(crate) repeat: Box<dyn Fn(u64)>,
    /// Runs the program once and hands out what it found (no gradient for the primal).
    pub(crate) answer: Box<dyn Fn() -> Answer>,
}

/// One function, and everything that is measured about it.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    /// The point at which everything runs, flat.
    pub(crate) point: Vec<f64>,
    /// The primal at any flat point, for central differences.
    pub(crate) value_at: Box<Function>,
    pub(crate) contestants: Vec<Contestant>,
}

impl Problem {
    /// A problem without contestants.
    pub(crate) fn new(
        name: &'static str,
        point: Vec<f64>,
        value_at: impl Fn(&[f64]) -> f64 + 'static,
    ) -> Self {
        Problem {
            name,
            point,
            value_at: Box::new(value_at),
            contestants: Vec::new(),
        }
    }

    /// Adds the function itself.
    pub(crate) fn primal(mut self, run: impl Fn() -> f64 + Clone + 'static) -> Self {
        let once = run.clone();
        self.contestants.push(Contestant {
            kind: Kind::Primal,
            repeat: Box::new(move |times| {
                for _ in 0..times {
                    black_box(run());
                }
            }),
            answer: Box::new(move || (once(), Vec::new())),
        });
        self
    }

    /// Adds a program that returns value and gradient.
    pub(crate) fn returns<G: Flat>(
        mut self,
        kind: Kind,
        run: impl Fn() -> (f64, G) + Clone + 'static,
    ) -> Self {
        let once = run.clone();
        self.contestants.push(Contestant {
            kind,
            repeat: Box::new(move |times| {
                for _ in 0..times {
                    black_box(run());
                }
            }),
            answer: Box::new(move || {
                let (value, gradient) = once();
                (value, flat(&gradient))
            }),
        });
        self
    }

    /// Adds a program that returns the value and adds the gradient to buffers that start as `zeros`.
    pub(crate) fn adds<G: Flat + Clone + 'static>(
        mut self,
        kind: Kind,
        zeros: G,
        run: impl Fn(&mut G) -> f64 + Clone + 'static,
    ) -> Self {
        let (once, fresh) = (run.clone(), zeros.clone());
        self.contestants.push(Contestant {
            kind,
            repeat: Box::new(move |times| {
                let mut buffers = zeros.clone();
                for _ in 0..times {
                    black_box(run(black_box(&mut buffers)));
                }
            }),
            // Twice, and halved: a program that overwrites instead of adding is found out.
            answer: Box::new(move || {
                let mut buffers = fresh.clone();
                once(&mut buffers);
                let value = once(&mut buffers);
                (value, flat(&buffers).iter().map(|g| 0.5 * g).collect())
            }),
        });
        self
    }
}
