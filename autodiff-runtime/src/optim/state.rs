//! What an optimiser keeps from step to step.

use alloc::{boxed::Box, format, string::ToString, sync::Arc, vec::Vec};
use core::fmt;
use core::mem;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::check;
use crate::float::Float;
use crate::slices::{FieldPath, PairVisitor, SliceError, SlicePair};

/// Goes through parameters and gradient.
pub(super) type Walk<'a> = dyn FnMut(&mut PairVisitor<'_>) -> Result<(), SliceError> + 'a;

/// A function of a slice: of its path and its length.
type OfSlice<T> = dyn Fn(&str, usize) -> T + Send + Sync;

/// The slices of the parameters that an optimiser belongs to, in visiting order.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(super) struct Slices {
    known: Vec<Known>,
    decays: Says<bool>,
    factor: Says<f64>,
}

/// What says something of each slice that is seen for the first time.
#[derive(Clone, Default)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(
        into = "bool",
        from = "bool",
        bound(serialize = "T: Clone", deserialize = "")
    )
)]
enum Says<T> {
    /// The same of all slices.
    #[default]
    Nothing,
    Asked(Arc<OfSlice<T>>),
    /// A function, which cannot be saved.
    #[cfg(feature = "serde")]
    Lost,
}

#[cfg(feature = "serde")]
impl<T> From<Says<T>> for bool {
    fn from(says: Says<T>) -> bool {
        !matches!(says, Says::Nothing)
    }
}

#[cfg(feature = "serde")]
impl<T> From<bool> for Says<T> {
    fn from(said: bool) -> Self {
        if said { Says::Lost } else { Says::Nothing }
    }
}

impl<T> Says<T> {
    /// What is said of a slice, or `all`.
    fn of(&self, path: &str, len: usize, all: T) -> T {
        if let Says::Asked(says) = self {
            return says(path, len);
        }
        all
    }
}

#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
struct Known {
    path: Box<str>,
    len: usize,
    width: Width,
    decays: bool,
    factor: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
enum Width {
    F32,
    F64,
}

/// What holds for one slice.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) lr: f64,
    pub(super) decay: f64,
}

impl Width {
    fn name(self) -> &'static str {
        match self {
            Width::F32 => "f32",
            Width::F64 => "f64",
        }
    }
}

fn measure(pair: &SlicePair<'_>) -> (Width, usize) {
    match pair {
        SlicePair::F32(xs, _) => (Width::F32, xs.len()),
        SlicePair::F64(xs, _) => (Width::F64, xs.len()),
    }
}

impl Slices {
    pub(super) fn decay_where(
        &mut self,
        says: impl Fn(&str, usize) -> bool + Send + Sync + 'static,
    ) {
        for known in &mut self.known {
            known.decays = says(&known.path, known.len);
        }
        self.decays = Says::Asked(Arc::new(says));
    }

    #[track_caller]
    pub(super) fn rate_where(&mut self, says: impl Fn(&str, usize) -> f64 + Send + Sync + 'static) {
        for known in &mut self.known {
            known.factor = says(&known.path, known.len);
            check("the factor of a rate", known.factor);
        }
        self.factor = Says::Asked(Arc::new(says));
    }

    /// Whether anything was said of slices one by one.
    pub(super) fn differ(&self) -> bool {
        let alike = matches!((&self.decays, &self.factor), (Says::Nothing, Says::Nothing));
        !alike || !self.known.is_empty()
    }

    /// Makes sure that parameters and gradient fit together and are those of the steps before, without a change to them.
    pub(super) fn meet(&mut self, walk: &mut Walk<'_>) -> Result<(), SliceError> {
        if self.known.is_empty() {
            #[cfg(feature = "serde")]
            if matches!(self.decays, Says::Lost) || matches!(self.factor, Says::Lost) {
                return Err(SliceError::new(
                    &FieldPath::Whole,
                    "has slices with rates or decays of their own, and the functions that say so were not saved before the first step; call `decay_where` and `rate_where` again",
                ));
            }
            let mut known = Vec::new();
            walk(&mut |path, pair| known.push(self.seen(path, &pair)))?;
            self.known = known;
            return Ok(());
        }
        let mut rest = self.known.iter();
        let mut wrong = None;
        walk(&mut |path, pair| {
            if wrong.is_none() {
                wrong = match rest.next() {
                    Some(known) => known.differs(path, &pair),
                    None => Some(SliceError::new(
                        path,
                        "has no state in this optimiser, which belongs to other parameters",
                    )),
                };
            }
        })?;
        let missing = rest.next().map(|known| {
            SliceError::new(
                &FieldPath::Field(&FieldPath::Whole, &known.path),
                "has a state in this optimiser, but is not among these parameters",
            )
        });
        wrong.or(missing).map_or(Ok(()), Err)
    }

    fn seen(&self, path: &FieldPath<'_>, pair: &SlicePair<'_>) -> Known {
        let path = path.to_string().into_boxed_str();
        let (width, len) = measure(pair);
        let factor = self.factor.of(&path, len, 1.0);
        check("the factor of a rate", factor);
        Known {
            decays: self.decays.of(&path, len, true),
            factor,
            path,
            len,
            width,
        }
    }

    /// Rate and decay of each slice in turn, and nothing for one that stays as it is.
    pub(super) fn settings(&self, all: Settings) -> impl FnMut() -> Option<Settings> + use<'_> {
        let mut known = self.known.iter();
        move || match known.next() {
            Some(known) => (known.factor != 0.0).then_some(Settings {
                lr: all.lr * known.factor,
                decay: if known.decays { all.decay } else { 0.0 },
            }),
            None => Some(all),
        }
    }

    /// How many numbers there are of each width.
    fn counts(&self) -> (usize, usize) {
        self.known
            .iter()
            .fold((0, 0), |(f32, f64), known| match known.width {
                Width::F32 => (f32 + known.len, f64),
                Width::F64 => (f32, f64 + known.len),
            })
    }
}

impl Known {
    /// What is wrong if another slice stands where this one was.
    fn differs(&self, path: &FieldPath<'_>, pair: &SlicePair<'_>) -> Option<SliceError> {
        let (width, len) = measure(pair);
        let what = if *path != *self.path {
            format!(
                "stands where this optimiser has the state of `{}`; it belongs to one set of parameters, in one order",
                self.path
            )
        } else if width != self.width {
            format!(
                "is of {}, but its state in this optimiser of {}",
                width.name(),
                self.width.name()
            )
        } else if len != self.len {
            format!(
                "has length {len}, but its state in this optimiser has length {}",
                self.len
            )
        } else {
            return None;
        };
        Some(SliceError::new(path, &what))
    }
}

impl fmt::Debug for Slices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.known.iter().map(|known| &known.path))
            .finish()
    }
}

/// A number for each parameter, those of all slices of a width one after the other.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub(super) struct Moments {
    f32: Vec<f32>,
    f64: Vec<f64>,
}

impl Moments {
    /// Makes zeros for slices that are seen for the first time.
    pub(super) fn fit(&mut self, slices: &Slices) -> Result<(), SliceError> {
        let counts = slices.counts();
        if self.f32.is_empty() && self.f64.is_empty() {
            self.f32.resize(counts.0, 0.0);
            self.f64.resize(counts.1, 0.0);
        }
        if (self.f32.len(), self.f64.len()) == counts {
            return Ok(());
        }
        // Only what was saved elsewhere, or changed since, is like this.
        Err(SliceError::new(
            &FieldPath::Whole,
            "does not fit the state of this optimiser, which is damaged",
        ))
    }

    /// The numbers of each slice in turn.
    pub(super) fn parts(&mut self) -> Parts<'_> {
        Parts {
            f32: &mut self.f32,
            f64: &mut self.f64,
        }
    }
}

impl fmt::Debug for Moments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} numbers", self.f32.len() + self.f64.len())
    }
}

/// What is left of the numbers of a walk.
pub(super) struct Parts<'a> {
    f32: &'a mut [f32],
    f64: &'a mut [f64],
}

/// `f32` and `f64`, as optimisers compute with them.
pub(super) trait Number: Float {
    /// The square root, with or without std.
    fn root(self) -> Self;

    /// The numbers of the next slice.
    fn part<'a>(parts: &mut Parts<'a>, len: usize) -> &'a mut [Self];
}

macro_rules! number {
    ($($t:ident, $root:path;)*) => {$(
        impl Number for $t {
            #[inline]
            fn root(self) -> $t {
                #[cfg(feature = "std")]
                return self.sqrt();
                #[cfg(not(feature = "std"))]
                return $root(self);
            }
            fn part<'a>(parts: &mut Parts<'a>, len: usize) -> &'a mut [$t] {
                let (part, rest) = mem::take(&mut parts.$t).split_at_mut(len);
                parts.$t = rest;
                part
            }
        }
    )*};
}
number!(f32, libm::sqrtf; f64, libm::sqrt;);
