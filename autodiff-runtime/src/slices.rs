//! Numbers as they lie in memory: slices of tangents and of parameters, and the path of fields that leads to each.
//!
//! [`Tangent::for_each_slice`], [`Tangent::visit_slices`] and [`Parameters::walk_slices`] hand them out, in the order in which a value is written.
//! What lies side by side is one slice: a list of numbers, an array of arrays of them.
//! A number that stands alone is a slice of length 1.
//!
//! ```
//! use autodiff_runtime::slices::SliceMut;
//! use autodiff_runtime::tangent::Tangent;
//!
//! // What a reduction over machines does to a gradient, in place.
//! fn halve<T: Tangent>(gradient: &mut T) {
//!     gradient.for_each_slice(&mut |slice| match slice {
//!         SliceMut::F32(xs) => xs.iter_mut().for_each(|x| *x *= 0.5),
//!         SliceMut::F64(xs) => xs.iter_mut().for_each(|x| *x *= 0.5),
//!     });
//! }
//!
//! let mut gradient = (vec![[1.0, 2.0], [3.0, 4.0]], 5.0_f32);
//! halve(&mut gradient);
//! assert_eq!(gradient, (vec![[0.5, 1.0], [1.5, 2.0]], 2.5));
//! ```

#[cfg(feature = "alloc")]
use alloc::{format, string::String};
use core::fmt;

#[cfg(doc)]
use crate::tangent::{Parameters, Tangent};

/// Numbers that lie side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slice<'a> {
    /// In single precision.
    F32(&'a [f32]),
    /// In double precision.
    F64(&'a [f64]),
}

/// Numbers that lie side by side, to be changed.
#[derive(Debug, PartialEq)]
pub enum SliceMut<'a> {
    /// In single precision.
    F32(&'a mut [f32]),
    /// In double precision.
    F64(&'a mut [f64]),
}

/// Parameters that lie side by side, and the part of a tangent that belongs to them, which is as long; `None` is zero.
#[derive(Debug, PartialEq)]
pub enum SlicePair<'a> {
    /// In single precision.
    F32(&'a mut [f32], Option<&'a [f32]>),
    /// In double precision.
    F64(&'a mut [f64], Option<&'a [f64]>),
}

/// What [`Parameters::walk_slices`] calls with each slice and its path.
pub type PairVisitor<'f> = dyn FnMut(&FieldPath<'_>, SlicePair<'_>) + 'f;

impl Slice<'_> {
    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Slice::F32(xs) => xs.len(),
            Slice::F64(xs) => xs.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SliceMut<'_> {
    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers, to be read.
    #[must_use]
    pub fn as_slice(&self) -> Slice<'_> {
        match self {
            SliceMut::F32(xs) => Slice::F32(xs),
            SliceMut::F64(xs) => Slice::F64(xs),
        }
    }

    /// Calls `f` on each number; those of type `f32` are passed as `f64` and rounded back.
    #[inline]
    pub(crate) fn for_each(self, mut f: impl FnMut(&mut f64)) {
        match self {
            SliceMut::F32(xs) => xs.iter_mut().for_each(|x| {
                let mut wide = f64::from(*x);
                f(&mut wide);
                *x = wide as f32;
            }),
            SliceMut::F64(xs) => xs.iter_mut().for_each(f),
        }
    }
}

/// Where a slice lies in a value: `layers[3].w`, and nothing where it is the whole.
///
/// It is written only where someone prints or compares it.
///
/// ```
/// use autodiff_runtime::slices::FieldPath;
/// let layers = FieldPath::Field(&FieldPath::Whole, "layers");
/// let third = FieldPath::Item(&layers, 3);
/// let w = FieldPath::Field(&third, "w");
/// assert_eq!(w.to_string(), "layers[3].w");
/// assert!(w == "layers[3].w");
/// ```
#[derive(Clone, Copy, Debug)]
pub enum FieldPath<'a> {
    /// The whole value.
    Whole,
    /// A field, of a struct, a variant or a tuple.
    Field(&'a FieldPath<'a>, &'a str),
    /// An item of a list.
    Item(&'a FieldPath<'a>, usize),
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPath::Whole => Ok(()),
            FieldPath::Field(FieldPath::Whole, name) => f.write_str(name),
            FieldPath::Field(of, name) => write!(f, "{of}.{name}"),
            FieldPath::Item(of, k) => write!(f, "{of}[{k}]"),
        }
    }
}

impl PartialEq<str> for FieldPath<'_> {
    fn eq(&self, text: &str) -> bool {
        // From the end, so that nothing need be written.
        match self {
            FieldPath::Whole => text.is_empty(),
            FieldPath::Field(FieldPath::Whole, name) => text == *name,
            FieldPath::Field(of, name) => text
                .strip_suffix(name)
                .and_then(|rest| rest.strip_suffix('.'))
                .is_some_and(|rest| *of == rest),
            FieldPath::Item(of, k) => text
                .strip_suffix(']')
                .and_then(|rest| without_number(rest, *k))
                .and_then(|rest| rest.strip_suffix('['))
                .is_some_and(|rest| *of == rest),
        }
    }
}

impl PartialEq<&str> for FieldPath<'_> {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}

/// What is before the number `k` at the end of a text.
fn without_number(mut text: &str, mut k: usize) -> Option<&str> {
    loop {
        text = text.strip_suffix(char::from(b'0' + (k % 10) as u8))?;
        k /= 10;
        if k == 0 {
            return Some(text);
        }
    }
}

/// Slices that do not belong together, and where.
///
/// ```
/// use autodiff_runtime::slices::FieldPath;
/// use autodiff_runtime::tangent::Parameters;
/// let mut x = (vec![1.0, 2.0], 3.0);
/// let error = x.walk_slices(Some(&(vec![1.0], 1.0)), &FieldPath::Whole, &mut |_, _| {});
/// let error = error.unwrap_err();
/// assert_eq!(error.path(), "0");
/// assert_eq!(error.to_string(), "`0` has length 2, but its tangent has length 1");
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceError {
    path: String,
    what: String,
}

#[cfg(feature = "alloc")]
impl SliceError {
    /// An error at a path, and what is wrong with what is there: "has length 2, …".
    #[must_use]
    pub fn new(path: &FieldPath<'_>, what: &str) -> Self {
        SliceError {
            path: format!("{path}"),
            what: what.into(),
        }
    }

    /// Another length than that of the tangent.
    #[must_use]
    pub fn lengths(path: &FieldPath<'_>, value: usize, tangent: usize) -> Self {
        let what = format!("has length {value}, but its tangent has length {tangent}");
        SliceError::new(path, &what)
    }

    /// Another variant than that of the tangent.
    #[doc(hidden)]
    #[must_use]
    #[cold]
    pub fn variants(path: &FieldPath<'_>) -> Self {
        SliceError::new(path, "is of another variant than its tangent")
    }

    /// Where it is: `layers[3].w`, and nothing where it is the whole value.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

#[cfg(feature = "alloc")]
impl fmt::Display for SliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "the value {}", self.what),
            path => write!(f, "`{path}` {}", self.what),
        }
    }
}

#[cfg(feature = "alloc")]
impl core::error::Error for SliceError {}
