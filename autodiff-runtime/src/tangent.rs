//! Tangents: the vector spaces in which derivatives live, for numbers, tuples, arrays and vectors of them.

#[cfg(feature = "alloc")]
use alloc::{format, string::String, vec::Vec};
use core::marker::PhantomData;

use crate::lengths::{Whose, check_items};
#[cfg(feature = "alloc")]
use crate::slices::{FieldPath, PairVisitor, SliceError, SlicePair};
use crate::slices::{Slice, SliceMut};
use crate::tuples::for_tuples;

/// A value with a derivative.
///
/// Numbers, tuples, arrays, slices and vectors of them; integers, text and the like have the tangent `()`.
///
/// ```
/// use autodiff_runtime::tangent::Differentiable;
/// let xs = [1.0, 2.0];
/// assert_eq!(xs.zero_tangent(), [0.0, 0.0]);
/// let mut flat = [0.0; 2];
/// xs.write_flat(&mut flat);
/// assert_eq!(flat, [1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivative; write `#[derive(Differentiable)]` above the type (that of `self`, too), or `#[constant]` before the parameter or field",
    label = "this type has no derivative",
    note = "floats have one, and tuples, arrays, slices and vectors of them; the functions of a `trait` have derivatives where its `impl` for a type has `#[grad]`; a type parameter that stands for a number has the bound `Float`"
)]
pub trait Differentiable {
    /// The type of derivatives: what a change of the value is.
    type Tangent: Tangent;

    /// The tangent that is zero, of the value's own shape.
    fn zero_tangent(&self) -> Self::Tangent;

    /// Writes the value's scalars to `out`, in order.
    ///
    /// # Panics
    /// If `out` is shorter than the number of scalars.
    fn write_flat(&self, out: &mut [f64]);

    /// How the value's scalars are called where the value is called `name`, in order: `w[0].1`.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
        match self.zero_tangent().scalar_count() {
            1 => out.push(name.into()),
            count => out.extend((0..count).map(|k| format!("{name}[{k}]"))),
        }
    }

    /// Panics unless the lists of a tangent are as long as those of the value.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
        let _ = (part, t);
    }

    /// Whether there may be any.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn has_lists() -> bool
    where
        Self: Sized,
    {
        false
    }
}

/// A value that optimisers move.
///
/// ```
/// use autodiff_runtime::tangent::Parameters;
/// let mut x = [1.0, 2.0];
/// x.move_by(-0.5, &[2.0, 0.0]);
/// assert_eq!(x, [0.0, 2.0]);
/// ```
pub trait Parameters: Differentiable {
    /// Adds `scale · t`.
    ///
    /// # Panics
    /// If the lengths differ, with both of them.
    fn move_by(&mut self, scale: f64, t: &Self::Tangent);

    /// Replaces the value's scalars by those of `flat`, in order.
    ///
    /// # Panics
    /// If `flat` is shorter than the number of scalars.
    fn read_flat(&mut self, flat: &[f64]);

    /// Calls `f` on each slice of the scalars with the slice of `t` that belongs to it, in order; without `t`, on the parameters alone.
    ///
    /// `path` is where the value stands, [`FieldPath::Whole`] for all there is.
    /// Where a type says nothing else, its scalars are handed out as one slice, a copy that is then read back.
    ///
    /// ```
    /// use autodiff_runtime::slices::{FieldPath, SlicePair};
    /// use autodiff_runtime::tangent::Parameters;
    ///
    /// let mut x = (vec![1.0, 2.0], [3.0_f32]);
    /// let slope = (vec![1.0, 0.0], [2.0]);
    /// x.walk_slices(Some(&slope), &FieldPath::Whole, &mut |path, slices| {
    ///     if let (true, SlicePair::F64(x, Some(slope))) = (*path == "0", slices) {
    ///         x[0] -= 0.5 * slope[0];
    ///     }
    /// })?;
    /// assert_eq!(x, (vec![0.5, 2.0], [3.0]));
    /// # Ok::<(), autodiff_runtime::slices::SliceError>(())
    /// ```
    ///
    /// # Errors
    /// Where lengths or variants of the value and of `t` differ; what comes before that was visited.
    #[cfg(feature = "alloc")]
    fn walk_slices(
        &mut self,
        t: Option<&Self::Tangent>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        let count = self.zero_tangent().scalar_count();
        if count == 0 {
            return Ok(());
        }
        let slope = t.map(Tangent::to_flat);
        if let Some(slope) = slope.as_ref().filter(|slope| slope.len() != count) {
            return Err(SliceError::lengths(path, count, slope.len()));
        }
        let mut values = alloc::vec![0.0; count];
        self.write_flat(&mut values);
        f(path, SlicePair::F64(&mut values, slope.as_deref()));
        self.read_flat(&values);
        Ok(())
    }

    /// Items of a list with those of its tangent, as one slice if they lie in memory so.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    #[inline]
    fn __as_pair<'a>(items: &'a mut [Self], t: Option<&'a [Self::Tangent]>) -> Option<SlicePair<'a>>
    where
        Self: Sized,
    {
        let _ = (items, t);
        None
    }
}

/// A vector space over the reals.
///
/// ```
/// use autodiff_runtime::tangent::Tangent;
/// let mut t = (1.0, [2.0, 3.0]);
/// t.add_scaled(2.0, &(1.0, [0.0, 1.0]));
/// assert_eq!(t, (3.0, [2.0, 5.0]));
/// assert_eq!(t.norm2(), 9.0 + 4.0 + 25.0);
/// assert_eq!(t.scalar_count(), 3);
/// ```
pub trait Tangent: Clone {
    /// Zero, of the shape of `self`.
    #[must_use]
    fn zero_like(&self) -> Self;

    /// Adds `s · t`.
    ///
    /// # Panics
    /// If the lengths of vectors differ, with both of them.
    fn add_scaled(&mut self, s: f64, t: &Self);

    /// Multiplies by `s`.
    fn scale_by(&mut self, s: f64) {
        self.for_each_slice(&mut |slice| slice.for_each(|x| *x *= s));
    }

    /// The sum of products of corresponding scalars.
    ///
    /// # Panics
    /// If the lengths of vectors differ, with both of them.
    fn inner(&self, t: &Self) -> f64;

    /// The square of the Euclidean norm.
    fn norm2(&self) -> f64 {
        self.inner(self)
    }

    /// The tangent itself, of a place that is not read again.
    #[doc(hidden)]
    #[must_use]
    fn __taken(&mut self) -> Self {
        self.clone()
    }

    /// Zero, where the type says all of the shape.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn __fixed() -> Option<Self> {
        None
    }

    /// How many scalars there are.
    fn scalar_count(&self) -> usize;

    /// Calls `f` on each scalar, in order; scalars of type `f32` are passed as `f64` and rounded back.
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64));

    /// Calls `f` on each slice of the scalars, in order.
    ///
    /// Where a type says nothing else, these are its scalars one by one.
    ///
    /// ```
    /// use autodiff_runtime::tangent::Tangent;
    /// let mut lengths = Vec::new();
    /// let mut t = (1.0, vec![[2.0, 3.0], [4.0, 5.0]]);
    /// t.for_each_slice(&mut |slice| lengths.push(slice.len()));
    /// assert_eq!(lengths, [1, 4]);
    /// ```
    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        self.for_each_scalar(&mut |x| f(SliceMut::F64(core::slice::from_mut(x))));
    }

    /// Calls `f` on each slice of the scalars, in order, to read it.
    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        self.clone()
            .for_each_slice(&mut |slice| f(slice.as_slice()));
    }

    /// Items of a list, as one slice if they lie in memory so.
    #[doc(hidden)]
    #[inline]
    fn __as_slice(items: &[Self]) -> Option<Slice<'_>> {
        let _ = items;
        None
    }

    /// The same, to be changed.
    #[doc(hidden)]
    #[inline]
    fn __as_slice_mut(items: &mut [Self]) -> Option<SliceMut<'_>> {
        let _ = items;
        None
    }

    /// The scalars, in order.
    #[cfg(feature = "alloc")]
    fn to_flat(&self) -> Vec<f64> {
        let mut out = alloc::vec![0.0; self.scalar_count()];
        self.write_flat(&mut out);
        out
    }

    /// Writes the scalars to `out`, in order.
    ///
    /// # Panics
    /// If `out` is shorter than [`scalar_count`](Tangent::scalar_count).
    fn write_flat(&self, out: &mut [f64]);

    /// Replaces the scalars by those of `flat`, in order.
    ///
    /// # Panics
    /// If `flat` is shorter than [`scalar_count`](Tangent::scalar_count).
    fn read_flat(&mut self, flat: &[f64]) {
        let mut next = flat.iter();
        self.for_each_scalar(&mut |x| match next.next() {
            Some(v) => *x = *v,
            None => panic!("{} scalars are too few for this tangent", flat.len()),
        });
    }
}

/// The value as a constant: a `#[grad]` function takes the whole argument as it stands, and nothing flows back through it.
///
/// ```
/// use autodiff_runtime::tangent::stop_gradient;
/// assert_eq!(stop_gradient(2.0), 2.0);
/// ```
///
/// # Panics
/// For a variable of a tape (in debug builds also for what has variables in it), whose gradient it could not stop: `Var::detach` does.
/// In a `#[grad(dynamic)]` function it is understood like everywhere else.
#[inline]
#[must_use]
#[track_caller]
pub fn stop_gradient<T>(x: T) -> T {
    const VAR: &str = "autodiff_runtime::tape::var::Var<";
    let name = core::any::type_name::<T>();
    // Compared from the start the names are constants, so that nothing is left of this in compiled code.
    assert!(
        !(name.starts_with(VAR) || cfg!(debug_assertions) && name.contains(VAR)),
        "`stop_gradient` does not stop the gradient of variables of a tape; call `detach` on each"
    );
    x
}

/// The value itself; in the reverse sweep of a `#[grad]` function, `f` is given the cotangent that arrives here, to look at or to change.
///
/// ```
/// use autodiff_runtime::tangent::with_cotangent;
/// assert_eq!(with_cotangent(2.0_f64, |c| *c = c.clamp(-1.0, 1.0)), 2.0);
/// ```
#[inline]
#[must_use]
pub fn with_cotangent<T: Differentiable>(x: T, f: impl FnOnce(&mut T::Tangent)) -> T {
    drop(f);
    x
}

/// What generated code gives to functions of this crate that it knows by their names alone, to make sure that they are these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfAutodiff;

impl Differentiable for OfAutodiff {
    type Tangent = ();
    fn zero_tangent(&self) {}
    fn write_flat(&self, _: &mut [f64]) {}
}

/// What is left of a value when its numbers are taken away: enough to make its zero tangent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derived derivative; write `#[derive(Differentiable)]` above the type, or `#[constant]` before the field",
    label = "this type has no derived derivative",
    note = "a type with an `impl` of `Differentiable` that was written by hand is passed to functions with derivatives of their own, but is no part of types that have one"
)]
pub trait Shaped: Differentiable {
    /// The shape; of size zero where the type says it all.
    type Shape: Shape<Zero = Self::Tangent>;

    /// The shape of this value.
    fn __shape(&self) -> Self::Shape;
}

/// A shape, which knows its zero.
pub trait Shape: Clone {
    /// The tangent of values of this shape.
    type Zero;

    /// The tangent that is zero.
    fn zero(&self) -> Self::Zero;
}

/// Adds a tangent to another, which may be a slice.
pub trait Accumulate<T: ?Sized = Self> {
    /// `self += t`.
    fn __accumulate(&mut self, t: &T);
}

/// The shape of a value that is a tangent itself: its zero.
#[derive(Clone, Debug)]
pub struct OfTangent<T>(T);

impl<T: Tangent> OfTangent<T> {
    /// The shape of this tangent.
    #[inline]
    pub fn new(of: &T) -> Self {
        OfTangent(of.zero_like())
    }
}

impl<T: Tangent> Shape for OfTangent<T> {
    type Zero = T;
    #[inline]
    fn zero(&self) -> T {
        self.0.clone()
    }
}

/// The shape of a scalar with tangent `T`.
#[derive(Debug)]
pub struct Scalar<T>(PhantomData<T>);

impl<T> Clone for Scalar<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Scalar<T> {}

impl<T> Default for Scalar<T> {
    fn default() -> Self {
        Scalar(PhantomData)
    }
}

impl<T: Default> Shape for Scalar<T> {
    type Zero = T;

    fn zero(&self) -> T {
        T::default()
    }
}

#[inline]
#[track_caller]
fn same_length(what: &str, ours: usize, theirs: usize) {
    assert!(ours == theirs, "{what}: lengths {ours} and {theirs} differ");
}

macro_rules! float {
    ($($t:ty, $Width:ident;)*) => {$(
        impl Differentiable for $t {
            type Tangent = $t;
            #[inline]
            fn zero_tangent(&self) -> $t {
                0.0
            }
            fn write_flat(&self, out: &mut [f64]) {
                out[0] = f64::from(*self);
            }
        }
        impl Parameters for $t {
            #[inline]
            fn move_by(&mut self, scale: f64, t: &$t) {
                *self = (f64::from(*self) + scale * f64::from(*t)) as $t;
            }
            fn read_flat(&mut self, flat: &[f64]) {
                *self = flat[0] as $t;
            }
            #[cfg(feature = "alloc")]
            fn walk_slices(
                &mut self,
                t: Option<&$t>,
                path: &FieldPath<'_>,
                f: &mut PairVisitor<'_>,
            ) -> Result<(), SliceError> {
                let t = t.map(core::slice::from_ref);
                f(path, SlicePair::$Width(core::slice::from_mut(self), t));
                Ok(())
            }
            #[cfg(feature = "alloc")]
            #[inline]
            fn __as_pair<'a>(
                items: &'a mut [$t],
                t: Option<&'a [$t]>,
            ) -> Option<SlicePair<'a>> {
                Some(SlicePair::$Width(items, t))
            }
        }
        impl Tangent for $t {
            #[inline]
            fn zero_like(&self) -> $t {
                0.0
            }
            #[inline]
            fn add_scaled(&mut self, s: f64, t: &$t) {
                *self = (f64::from(*self) + s * f64::from(*t)) as $t;
            }
            #[inline]
            fn scale_by(&mut self, s: f64) {
                *self = (f64::from(*self) * s) as $t;
            }
            #[inline]
            fn inner(&self, t: &$t) -> f64 {
                f64::from(*self) * f64::from(*t)
            }
            #[inline]
            fn __fixed() -> Option<$t> {
                Some(0.0)
            }
            #[inline]
            fn scalar_count(&self) -> usize {
                1
            }
            #[inline]
            fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
                let mut wide = f64::from(*self);
                f(&mut wide);
                *self = wide as $t;
            }
            fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
                f(SliceMut::$Width(core::slice::from_mut(self)));
            }
            fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
                f(Slice::$Width(core::slice::from_ref(self)));
            }
            #[inline]
            fn __as_slice(items: &[$t]) -> Option<Slice<'_>> {
                Some(Slice::$Width(items))
            }
            #[inline]
            fn __as_slice_mut(items: &mut [$t]) -> Option<SliceMut<'_>> {
                Some(SliceMut::$Width(items))
            }
            #[inline]
            fn write_flat(&self, out: &mut [f64]) {
                out[0] = f64::from(*self);
            }
        }
        impl Shaped for $t {
            type Shape = Scalar<$t>;
            #[inline]
            fn __shape(&self) -> Scalar<$t> {
                Scalar::default()
            }
        }
        impl Accumulate for $t {
            #[inline]
            fn __accumulate(&mut self, t: &$t) {
                *self += *t;
            }
        }
    )*};
}
float!(f32, F32; f64, F64;);

impl Shape for () {
    type Zero = ();
    #[inline]
    fn zero(&self) {}
}

impl Tangent for () {
    #[inline]
    fn zero_like(&self) {}
    #[inline]
    fn add_scaled(&mut self, _: f64, (): &()) {}
    #[inline]
    fn inner(&self, (): &()) -> f64 {
        0.0
    }
    #[inline]
    fn scalar_count(&self) -> usize {
        0
    }
    fn for_each_scalar(&mut self, _: &mut dyn FnMut(&mut f64)) {}
    fn for_each_slice(&mut self, _: &mut dyn FnMut(SliceMut<'_>)) {}
    fn visit_slices(&self, _: &mut dyn FnMut(Slice<'_>)) {}
    fn write_flat(&self, _: &mut [f64]) {}
}

/// To what has no derivative nothing is ever added.
impl<T: ?Sized> Accumulate<T> for () {
    #[inline]
    fn __accumulate(&mut self, _: &T) {}
}

impl<T: Differentiable + ?Sized> Differentiable for &T {
    type Tangent = T::Tangent;
    #[inline]
    fn zero_tangent(&self) -> T::Tangent {
        (**self).zero_tangent()
    }
    fn write_flat(&self, out: &mut [f64]) {
        (**self).write_flat(out);
    }
    #[cfg(feature = "alloc")]
    fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
        (**self).name_scalars(name, out);
    }
    #[inline]
    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &T::Tangent) {
        (**self).check_tangent(part, t);
    }
    #[inline]
    fn has_lists() -> bool {
        true
    }
}

impl<T: Shaped + ?Sized> Shaped for &T {
    type Shape = T::Shape;
    #[inline]
    fn __shape(&self) -> T::Shape {
        (**self).__shape()
    }
}

impl<T: Differentiable + ?Sized> Differentiable for &mut T {
    type Tangent = T::Tangent;
    #[inline]
    fn zero_tangent(&self) -> T::Tangent {
        (**self).zero_tangent()
    }
    fn write_flat(&self, out: &mut [f64]) {
        (**self).write_flat(out);
    }
    #[cfg(feature = "alloc")]
    fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
        (**self).name_scalars(name, out);
    }
    #[inline]
    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &T::Tangent) {
        (**self).check_tangent(part, t);
    }
    #[inline]
    fn has_lists() -> bool {
        true
    }
}

impl<T: Differentiable> Differentiable for Option<T> {
    type Tangent = Option<T::Tangent>;
    #[inline]
    fn zero_tangent(&self) -> Self::Tangent {
        self.as_ref().map(Differentiable::zero_tangent)
    }
    fn write_flat(&self, out: &mut [f64]) {
        if let Some(x) = self {
            x.write_flat(out);
        }
    }
    #[inline]
    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
        if let (Some(x), Some(t)) = (self, t) {
            x.check_tangent(part, t);
        }
    }
    #[inline]
    fn has_lists() -> bool {
        T::has_lists()
    }
}

impl<T: Parameters> Parameters for Option<T> {
    fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
        if let (Some(x), Some(t)) = (self, t) {
            x.move_by(scale, t);
        }
    }
    fn read_flat(&mut self, flat: &[f64]) {
        if let Some(x) = self {
            x.read_flat(flat);
        }
    }
    #[cfg(feature = "alloc")]
    fn walk_slices(
        &mut self,
        t: Option<&Self::Tangent>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        match self {
            Some(x) => x.walk_slices(t.and_then(Option::as_ref), path, f),
            None => Ok(()),
        }
    }
}

/// `None` is zero, of whatever shape.
impl<T: Tangent> Tangent for Option<T> {
    #[inline]
    fn zero_like(&self) -> Self {
        self.as_ref().map(Tangent::zero_like)
    }
    fn add_scaled(&mut self, s: f64, t: &Self) {
        match (self, t) {
            (Some(a), Some(b)) => a.add_scaled(s, b),
            (a @ None, Some(b)) => {
                let mut b = b.clone();
                b.scale_by(s);
                *a = Some(b);
            }
            (_, None) => {}
        }
    }
    fn inner(&self, t: &Self) -> f64 {
        match (self, t) {
            (Some(a), Some(b)) => a.inner(b),
            _ => 0.0,
        }
    }
    fn scalar_count(&self) -> usize {
        self.as_ref().map_or(0, Tangent::scalar_count)
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        if let Some(t) = self {
            t.for_each_scalar(f);
        }
    }
    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        if let Some(t) = self {
            t.for_each_slice(f);
        }
    }
    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        if let Some(t) = self {
            t.visit_slices(f);
        }
    }
    fn write_flat(&self, out: &mut [f64]) {
        if let Some(t) = self {
            t.write_flat(out);
        }
    }
    fn read_flat(&mut self, flat: &[f64]) {
        if let Some(t) = self {
            t.read_flat(flat);
        }
    }
}

impl<T: Shaped> Shaped for Option<T> {
    type Shape = Option<T::Shape>;
    #[inline]
    fn __shape(&self) -> Self::Shape {
        self.as_ref().map(Shaped::__shape)
    }
}

impl<S: Shape> Shape for Option<S> {
    type Zero = Option<S::Zero>;
    #[inline]
    fn zero(&self) -> Self::Zero {
        self.as_ref().map(Shape::zero)
    }
}

impl<A: Accumulate<B> + Clone + From<B>, B: Clone> Accumulate<Option<B>> for Option<A> {
    #[inline]
    fn __accumulate(&mut self, t: &Option<B>) {
        match (self, t) {
            (Some(a), Some(b)) => a.__accumulate(b),
            (a @ None, Some(b)) => *a = Some(A::from(b.clone())),
            (_, None) => {}
        }
    }
}

/// Writes the scalars of each item after those of the one before.
fn write_all<T: Differentiable>(items: &[T], out: &mut [f64]) {
    let mut at = 0;
    for item in items {
        item.write_flat(&mut out[at..]);
        at += item.zero_tangent().scalar_count();
    }
}

fn read_all<T: Parameters>(items: &mut [T], flat: &[f64]) {
    let mut at = 0;
    for item in items {
        item.read_flat(&flat[at..]);
        at += item.zero_tangent().scalar_count();
    }
}

/// Names the scalars of each item after its position.
#[cfg(feature = "alloc")]
fn name_all<T: Differentiable>(items: &[T], name: &str, out: &mut Vec<String>) {
    for (k, item) in items.iter().enumerate() {
        item.name_scalars(&format!("{name}[{k}]"), out);
    }
}

fn write_tangents<T: Tangent>(items: &[T], out: &mut [f64]) {
    let mut at = 0;
    for item in items {
        item.write_flat(&mut out[at..]);
        at += item.scalar_count();
    }
}

/// Visits the items of a list with those of its tangent.
#[cfg(feature = "alloc")]
fn walk_items<T: Parameters>(
    items: &mut [T],
    t: Option<&[T::Tangent]>,
    path: &FieldPath<'_>,
    f: &mut PairVisitor<'_>,
) -> Result<(), SliceError> {
    // To what has no derivative no tangent need be given.
    if size_of::<T::Tangent>() == 0 {
        return Ok(());
    }
    if let Some(t) = t.filter(|t| t.len() != items.len()) {
        return Err(SliceError::lengths(path, items.len(), t.len()));
    }
    if let Some(pair) = T::__as_pair(items, t) {
        f(path, pair);
        return Ok(());
    }
    items
        .iter_mut()
        .enumerate()
        .try_for_each(|(k, item)| item.walk_slices(t.map(|t| &t[k]), &FieldPath::Item(path, k), f))
}

macro_rules! sequence_tangent {
    () => {
        #[inline]
        #[track_caller]
        fn add_scaled(&mut self, s: f64, t: &Self) {
            same_length("adding tangents", self.len(), t.len());
            self.iter_mut().zip(t).for_each(|(a, b)| a.add_scaled(s, b));
        }
        #[inline]
        fn scale_by(&mut self, s: f64) {
            self.iter_mut().for_each(|t| t.scale_by(s));
        }
        #[inline]
        #[track_caller]
        fn inner(&self, t: &Self) -> f64 {
            same_length("inner product of tangents", self.len(), t.len());
            self.iter().zip(t).map(|(a, b)| a.inner(b)).sum()
        }
        #[inline]
        fn scalar_count(&self) -> usize {
            self.iter().map(Tangent::scalar_count).sum()
        }
        #[inline]
        fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
            self.iter_mut().for_each(|t| t.for_each_scalar(f));
        }
        fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
            match T::__as_slice_mut(self) {
                Some(slice) => f(slice),
                None => self.iter_mut().for_each(|t| t.for_each_slice(f)),
            }
        }
        fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
            match T::__as_slice(self) {
                Some(slice) => f(slice),
                None => self.iter().for_each(|t| t.visit_slices(f)),
            }
        }
        #[inline]
        fn write_flat(&self, out: &mut [f64]) {
            write_tangents(self, out);
        }
    };
}

impl<T: Differentiable, const N: usize> Differentiable for [T; N] {
    type Tangent = [T::Tangent; N];
    #[inline]
    fn zero_tangent(&self) -> Self::Tangent {
        core::array::from_fn(|k| self[k].zero_tangent())
    }
    fn write_flat(&self, out: &mut [f64]) {
        write_all(self, out);
    }
    #[cfg(feature = "alloc")]
    fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
        name_all(self, name, out);
    }
    #[inline]
    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
        check_items(part, self, t);
    }
    #[inline]
    fn has_lists() -> bool {
        T::has_lists()
    }
}

impl<T: Parameters, const N: usize> Parameters for [T; N] {
    fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
        self.iter_mut()
            .zip(t)
            .for_each(|(a, b)| a.move_by(scale, b));
    }
    fn read_flat(&mut self, flat: &[f64]) {
        read_all(self, flat);
    }
    #[cfg(feature = "alloc")]
    fn walk_slices(
        &mut self,
        t: Option<&Self::Tangent>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        walk_items(self, t.map(<[_; N]>::as_slice), path, f)
    }
    #[cfg(feature = "alloc")]
    #[inline]
    fn __as_pair<'a>(
        items: &'a mut [Self],
        t: Option<&'a [Self::Tangent]>,
    ) -> Option<SlicePair<'a>> {
        T::__as_pair(items.as_flattened_mut(), t.map(<[_]>::as_flattened))
    }
}

impl<T: Tangent, const N: usize> Tangent for [T; N] {
    #[inline]
    fn __fixed() -> Option<Self> {
        let zero = T::__fixed()?;
        Some(core::array::from_fn(|_| zero.clone()))
    }
    #[inline]
    fn zero_like(&self) -> Self {
        core::array::from_fn(|k| self[k].zero_like())
    }
    #[inline]
    fn __as_slice(items: &[Self]) -> Option<Slice<'_>> {
        T::__as_slice(items.as_flattened())
    }
    #[inline]
    fn __as_slice_mut(items: &mut [Self]) -> Option<SliceMut<'_>> {
        T::__as_slice_mut(items.as_flattened_mut())
    }
    sequence_tangent!();
}

impl<T: Shaped, const N: usize> Shaped for [T; N] {
    type Shape = [T::Shape; N];
    #[inline]
    fn __shape(&self) -> Self::Shape {
        core::array::from_fn(|k| self[k].__shape())
    }
}

impl<S: Shape, const N: usize> Shape for [S; N] {
    type Zero = [S::Zero; N];
    #[inline]
    fn zero(&self) -> Self::Zero {
        core::array::from_fn(|k| self[k].zero())
    }
}

impl<A: Accumulate<B>, B, const N: usize> Accumulate<[B; N]> for [A; N] {
    #[inline]
    fn __accumulate(&mut self, t: &[B; N]) {
        self.iter_mut().zip(t).for_each(|(a, b)| a.__accumulate(b));
    }
}

impl<A: Accumulate<B>, B> Accumulate<[B]> for [A] {
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &[B]) {
        same_length("adding tangents", self.len(), t.len());
        self.iter_mut().zip(t).for_each(|(a, b)| a.__accumulate(b));
    }
}

#[cfg(feature = "alloc")]
mod vectors {
    use super::{
        Accumulate, Differentiable, FieldPath, PairVisitor, Parameters, Shape, Shaped, Slice,
        SliceError, SliceMut, Tangent, Whose, check_items, name_all, read_all, same_length,
        walk_items, write_all, write_tangents,
    };
    use alloc::{boxed::Box, string::String, vec::Vec};

    impl<T: Differentiable> Differentiable for [T] {
        type Tangent = Vec<T::Tangent>;
        #[inline]
        fn zero_tangent(&self) -> Self::Tangent {
            self.iter().map(Differentiable::zero_tangent).collect()
        }
        fn write_flat(&self, out: &mut [f64]) {
            write_all(self, out);
        }
        fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
            name_all(self, name, out);
        }
        #[inline]
        #[track_caller]
        fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
            check_items(part, self, t);
        }
    }

    impl<T: Differentiable> Differentiable for Box<T> {
        type Tangent = Box<T::Tangent>;
        #[inline]
        fn zero_tangent(&self) -> Self::Tangent {
            Box::new((**self).zero_tangent())
        }
        fn write_flat(&self, out: &mut [f64]) {
            (**self).write_flat(out);
        }
        fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
            (**self).name_scalars(name, out);
        }
        #[inline]
        #[track_caller]
        fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
            (**self).check_tangent(part, t);
        }
        // A type that holds itself does so in a box.
        #[inline]
        fn has_lists() -> bool {
            true
        }
    }

    impl<T: Parameters> Parameters for Box<T> {
        fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
            (**self).move_by(scale, t);
        }
        fn read_flat(&mut self, flat: &[f64]) {
            (**self).read_flat(flat);
        }
        fn walk_slices(
            &mut self,
            t: Option<&Self::Tangent>,
            path: &FieldPath<'_>,
            f: &mut PairVisitor<'_>,
        ) -> Result<(), SliceError> {
            (**self).walk_slices(t.map(|t| &**t), path, f)
        }
    }

    impl<T: Tangent> Tangent for Box<T> {
        fn zero_like(&self) -> Self {
            Box::new((**self).zero_like())
        }
        fn add_scaled(&mut self, s: f64, t: &Self) {
            (**self).add_scaled(s, t);
        }
        fn inner(&self, t: &Self) -> f64 {
            (**self).inner(t)
        }
        fn scalar_count(&self) -> usize {
            (**self).scalar_count()
        }
        fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
            (**self).for_each_scalar(f);
        }
        fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
            (**self).for_each_slice(f);
        }
        fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
            (**self).visit_slices(f);
        }
        fn write_flat(&self, out: &mut [f64]) {
            (**self).write_flat(out);
        }
    }

    impl<T: Shaped> Shaped for Box<T> {
        type Shape = Box<T::Shape>;
        #[inline]
        fn __shape(&self) -> Self::Shape {
            Box::new((**self).__shape())
        }
    }

    impl<S: Shape> Shape for Box<S> {
        type Zero = Box<S::Zero>;
        #[inline]
        fn zero(&self) -> Self::Zero {
            Box::new((**self).zero())
        }
    }

    impl<A: Accumulate<B>, B> Accumulate<Box<B>> for Box<A> {
        #[inline]
        #[track_caller]
        fn __accumulate(&mut self, t: &Box<B>) {
            (**self).__accumulate(t);
        }
    }

    /// Lists on the heap: what is theirs is that of the slice.
    macro_rules! list {
        ($List:ty) => {
            impl<T: Differentiable> Differentiable for $List {
                type Tangent = Vec<T::Tangent>;
                #[inline]
                fn zero_tangent(&self) -> Self::Tangent {
                    (**self).zero_tangent()
                }
                fn write_flat(&self, out: &mut [f64]) {
                    write_all(self, out);
                }
                fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
                    name_all(self, name, out);
                }
                #[inline]
                #[track_caller]
                fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
                    check_items(part, self, t);
                }
                #[inline]
                fn has_lists() -> bool {
                    size_of::<T::Tangent>() != 0
                }
            }

            impl<T: Parameters> Parameters for $List {
                #[track_caller]
                fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
                    (**self).move_by(scale, t);
                }
                fn read_flat(&mut self, flat: &[f64]) {
                    read_all(self, flat);
                }
                fn walk_slices(
                    &mut self,
                    t: Option<&Self::Tangent>,
                    path: &FieldPath<'_>,
                    f: &mut PairVisitor<'_>,
                ) -> Result<(), SliceError> {
                    walk_items(self, t.map(Vec::as_slice), path, f)
                }
            }

            impl<T: Shaped> Shaped for $List {
                type Shape = Vec<T::Shape>;
                #[inline]
                fn __shape(&self) -> Self::Shape {
                    (**self).__shape()
                }
            }
        };
    }
    list!(Vec<T>);
    list!(Box<[T]>);

    impl<T: Parameters> Parameters for [T] {
        #[track_caller]
        fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
            same_length("moving parameters", self.len(), t.len());
            self.iter_mut()
                .zip(t)
                .for_each(|(a, b)| a.move_by(scale, b));
        }
        fn read_flat(&mut self, flat: &[f64]) {
            read_all(self, flat);
        }
        fn walk_slices(
            &mut self,
            t: Option<&Self::Tangent>,
            path: &FieldPath<'_>,
            f: &mut PairVisitor<'_>,
        ) -> Result<(), SliceError> {
            walk_items(self, t.map(Vec::as_slice), path, f)
        }
    }

    impl<T: Tangent> Tangent for Vec<T> {
        fn zero_like(&self) -> Self {
            self.iter().map(Tangent::zero_like).collect()
        }
        fn __taken(&mut self) -> Self {
            core::mem::take(self)
        }
        sequence_tangent!();
    }

    impl<T: Shaped> Shaped for [T] {
        type Shape = Vec<T::Shape>;
        #[inline]
        fn __shape(&self) -> Self::Shape {
            self.iter().map(Shaped::__shape).collect()
        }
    }

    impl<S: Shape> Shape for Vec<S> {
        type Zero = Vec<S::Zero>;
        #[inline]
        fn zero(&self) -> Self::Zero {
            self.iter().map(Shape::zero).collect()
        }
    }

    impl<A: Accumulate<B>, B> Accumulate<Vec<B>> for Vec<A> {
        #[inline]
        #[track_caller]
        fn __accumulate(&mut self, t: &Vec<B>) {
            self.as_mut_slice().__accumulate(t.as_slice());
        }
    }

    impl<A: Accumulate<B>, B> Accumulate<Vec<B>> for [A] {
        #[inline]
        #[track_caller]
        fn __accumulate(&mut self, t: &Vec<B>) {
            self.__accumulate(t.as_slice());
        }
    }

    impl<A: Accumulate<B>, B> Accumulate<[B]> for Vec<A> {
        #[inline]
        #[track_caller]
        fn __accumulate(&mut self, t: &[B]) {
            self.as_mut_slice().__accumulate(t);
        }
    }

    impl<A: Accumulate<B>, B, const N: usize> Accumulate<Vec<B>> for [A; N] {
        #[inline]
        #[track_caller]
        fn __accumulate(&mut self, t: &Vec<B>) {
            self.as_mut_slice().__accumulate(t.as_slice());
        }
    }
}

macro_rules! tuple {
    ($($name:ident $k:tt)+) => {
        impl<$($name: Differentiable),+> Differentiable for ($($name,)+) {
            type Tangent = ($($name::Tangent,)+);
            #[inline]
            fn zero_tangent(&self) -> Self::Tangent {
                ($(self.$k.zero_tangent(),)+)
            }
            #[allow(unused_assignments)]
            fn write_flat(&self, out: &mut [f64]) {
                let mut at = 0;
                $(
                    self.$k.write_flat(&mut out[at..]);
                    at += self.$k.zero_tangent().scalar_count();
                )+
            }
            #[cfg(feature = "alloc")]
            fn name_scalars(&self, name: &str, out: &mut Vec<String>) {
                $(self.$k.name_scalars(&format!(concat!("{}.", $k), name), out);)+
            }
            #[inline]
            #[track_caller]
            fn check_tangent(&self, part: Whose<'_>, t: &Self::Tangent) {
                $(self.$k.check_tangent(Whose::Field(&part, stringify!($k)), &t.$k);)+
            }
            #[inline]
            fn has_lists() -> bool {
                false $(|| $name::has_lists())+
            }
        }
        impl<$($name: Parameters),+> Parameters for ($($name,)+) {
            fn move_by(&mut self, scale: f64, t: &Self::Tangent) {
                $(self.$k.move_by(scale, &t.$k);)+
            }
            #[allow(unused_assignments)]
            fn read_flat(&mut self, flat: &[f64]) {
                let mut at = 0;
                $(
                    self.$k.read_flat(&flat[at..]);
                    at += self.$k.zero_tangent().scalar_count();
                )+
            }
            #[cfg(feature = "alloc")]
            fn walk_slices(
                &mut self,
                t: Option<&Self::Tangent>,
                path: &FieldPath<'_>,
                f: &mut PairVisitor<'_>,
            ) -> Result<(), SliceError> {
                $(self.$k.walk_slices(t.map(|t| &t.$k), &FieldPath::Field(path, stringify!($k)), f)?;)+
                Ok(())
            }
        }
        impl<$($name: Tangent),+> Tangent for ($($name,)+) {
            #[inline]
            fn __fixed() -> Option<Self> {
                Some(($($name::__fixed()?,)+))
            }
            #[inline]
            fn zero_like(&self) -> Self {
                ($(self.$k.zero_like(),)+)
            }
            #[inline]
            fn add_scaled(&mut self, s: f64, t: &Self) {
                $(self.$k.add_scaled(s, &t.$k);)+
            }
            #[inline]
            fn inner(&self, t: &Self) -> f64 {
                0.0 $(+ self.$k.inner(&t.$k))+
            }
            #[inline]
            fn scalar_count(&self) -> usize {
                0 $(+ self.$k.scalar_count())+
            }
            #[inline]
            fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
                $(self.$k.for_each_scalar(f);)+
            }
            fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
                $(self.$k.for_each_slice(f);)+
            }
            fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
                $(self.$k.visit_slices(f);)+
            }
            #[allow(unused_assignments)]
            #[inline]
            fn write_flat(&self, out: &mut [f64]) {
                let mut at = 0;
                $(
                    self.$k.write_flat(&mut out[at..]);
                    at += self.$k.scalar_count();
                )+
            }
        }
        impl<$($name: Shaped),+> Shaped for ($($name,)+) {
            type Shape = ($($name::Shape,)+);
            #[inline]
            fn __shape(&self) -> Self::Shape {
                ($(self.$k.__shape(),)+)
            }
        }
        impl<$($name: Shape),+> Shape for ($($name,)+) {
            type Zero = ($($name::Zero,)+);
            #[inline]
            fn zero(&self) -> Self::Zero {
                ($(self.$k.zero(),)+)
            }
        }
        impl<$($name: Accumulate),+> Accumulate for ($($name,)+) {
            #[inline]
            fn __accumulate(&mut self, t: &Self) {
                $(self.$k.__accumulate(&t.$k);)+
            }
        }
    };
}
for_tuples!(tuple);
