//! Several tensors made one.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use super::moves::{Cut, write};
use crate::float::Float;
use crate::lanes::Width;
use crate::tangent::Accumulate;
use crate::tape::{AsTensorVar, TensorVar};
use crate::tensor::algebra::Formulas;
use crate::tensor::arguments::Arg;
use crate::tensor::dims::{Dims, axis, count, dense_strides, size};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};
use crate::tensor::{AsTensor, Tensor};

/// The tangents of the parts, zeros for those that have none.
fn completed<A: Algebra<T>, T: Float>(x: &[&A], dx: &[Option<&A>]) -> Vec<A> {
    (x.iter().zip(dx))
        .map(|(x, dx)| dx.map_or_else(|| x.nothing(), A::clone))
        .collect()
}

/// One behind the other along an axis that they have.
#[derive(Clone)]
pub(crate) struct Concat {
    pub(crate) axis: isize,
}

impl Concat {
    /// The axis, and the shape of the result.
    fn shape(&self, shapes: &[&[usize]]) -> Result<(usize, Dims)> {
        let Some(first) = shapes.first() else {
            return Err(Error::new("concat", "no tensors are given"));
        };
        let axis = axis("concat", first.len(), self.axis)?;
        let mut whole: Dims = (*first).into();
        whole[axis] = 0;
        for (k, shape) in shapes.iter().enumerate() {
            let alike = shape.len() == first.len()
                && (0..first.len()).all(|other| other == axis || shape[other] == first[other]);
            let sum = shape.get(axis).and_then(|n| whole[axis].checked_add(*n));
            match sum {
                Some(sum) if alike => whole[axis] = sum,
                _ => {
                    return Err(Error::new(
                        "concat",
                        format!(
                            "tensors 0 and {k} have the shapes {first:?} and {shape:?}, which differ in more than the length of axis {axis}"
                        ),
                    ));
                }
            }
        }
        size("concat", &whole)?;
        Ok((axis, whole))
    }
}

impl<T: Float> Operation<T> for Concat {
    const NAME: &'static str = "concat";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let shapes: Vec<&[usize]> = x.iter().map(|x| x.shape()).collect();
        let (axis, whole) = self.shape(&shapes)?;
        if x.iter().all(|x| x.is_known_zero()) {
            return Ok(Tensor::zero(whole));
        }
        let strides = dense_strides(&whole);
        let mut out = anything(count(&whole));
        let mut from = 0;
        for x in x.iter().filter(|x| !x.is_empty()) {
            write(x, &mut out, from, &strides);
            from += x.shape()[axis] * strides[axis];
        }
        Ok(Tensor::of(whole, out))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], _: &A, dx: &[Option<&A>]) -> A {
        A::apply(self, &completed(x, dx).iter().collect::<Vec<_>>())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let axis = expect(axis("concat", dy.lengths().len(), self.axis));
        let mut from = 0;
        (x.iter().zip(wanted))
            .map(|(x, wanted)| {
                let (first, length) = (from, x.lengths()[axis]);
                from += length;
                wanted.then(|| dy.then(Cut::of(dy.lengths(), axis, first, length, 1)))
            })
            .collect()
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (
                Concat { axis: 0 },
                vec![shape(&[2, 3]), shifted(&[4, 3], 9.0)],
            ),
            (
                Concat { axis: -1 },
                vec![shape(&[2, 1]), shifted(&[2, 0], 5.0), shifted(&[2, 3], 9.0)],
            ),
            (
                Concat { axis: 1 },
                vec![shape(&[2, 2, 2]), shifted(&[2, 2, 2], 9.0)],
            ),
            (Concat { axis: 0 }, vec![shape(&[3])]),
            (Concat { axis: 0 }, vec![shape(&[1, 0]), shape(&[2, 0])]),
        ]
    }
}

/// One behind the other along a new axis.
#[derive(Clone)]
pub(crate) struct Stack {
    pub(crate) axis: isize,
}

impl<T: Float> Operation<T> for Stack {
    const NAME: &'static str = "stack";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let Some(first) = x.first() else {
            return Err(Error::new("stack", "no tensors are given"));
        };
        axis("stack", first.rank() + 1, self.axis)?;
        if let Some(k) = x.iter().position(|x| x.shape() != first.shape()) {
            return Err(Error::new(
                "stack",
                format!(
                    "tensors 0 and {k} have the shapes {:?} and {:?}",
                    first.shape(),
                    x[k].shape()
                ),
            ));
        }
        let mut whole: Dims = first.shape().into();
        whole.push(x.len());
        size("stack", &whole)?;
        Ok(self.formula(x))
    }

    fn formula<A: Algebra<T>>(&self, x: &[&A]) -> A {
        let mut long: Dims = x[0].lengths().into();
        let at = expect(axis("stack", long.len() + 1, self.axis));
        long.insert(at, 1);
        let parts: Vec<A> = x.iter().map(|x| x.shaped(&long)).collect();
        let concat = Concat { axis: at as isize };
        A::apply(&concat, &parts.iter().collect::<Vec<_>>())
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (Stack { axis: 0 }, vec![shape(&[3]), shifted(&[3], 9.0)]),
            (
                Stack { axis: 1 },
                vec![shape(&[2, 3]), shifted(&[2, 3], 9.0), shifted(&[2, 3], 4.0)],
            ),
            (
                Stack { axis: -1 },
                vec![shape(&[2, 2]), shifted(&[2, 2], 9.0)],
            ),
            (Stack { axis: 0 }, vec![shape(&[]), shifted(&[], 9.0)]),
            (Stack { axis: 1 }, vec![shape(&[2, 0]), shape(&[2, 0])]),
        ]
    }
}

/// The tensors of a list.
pub(super) fn tensors<T: Float, X: AsTensor<T>>(parts: &[X]) -> Vec<Tensor<T>> {
    parts.iter().map(AsTensor::as_tensor).collect()
}

/// Adds to the cotangent of each part.
pub(super) fn give<T: Float, X: Arg<T>>(to: &mut [X::Tangent], bars: Vec<Tensor<T>>) {
    let mut flow = bars.into_iter();
    for to in to {
        X::give(to, &mut flow);
    }
}

/// Functions of a list, with an attribute before it by reference or behind it by value: each with its sibling that returns errors, the hidden forms that generated code calls, and the function on the tape.
macro_rules! joins {
    ($($(#[$doc:meta])* $name:ident [$($first:ident: &$first_ty:ty)?] $parts:ident [$($last:ident: $last_ty:ty)?] = $operation:expr;)*) => {
        $(joins!(@row [$(#[$doc])*] $name [$($first: $first_ty)?] $parts [$($last: $last_ty)?] $operation);)*
    };
    // A unit for each, as a type and as a value.
    (@units [$($x:ident)*]) => { ($(joins!(@unit $x),)*) };
    (@units [$($x:ident)*] $n:ident) => { ($([joins!(@unit $x); $n],)*) };
    (@row [$(#[$doc:meta])*] $name:ident [$($first:ident: $first_ty:ty)?] $parts:ident [$($last:ident: $last_ty:ty),*] $operation:expr) => { pastey::paste! {
        #[allow(non_snake_case, reason = "the forms that generated code calls")]
        impl<T: Float> Tensor<T> {
            $(#[$doc])*
            #[track_caller]
            pub fn $name($($first: &$first_ty,)? $parts: &[impl AsTensor<T>] $(, $last: $last_ty)*) -> Self {
                expect(Self::[<try_ $name>]($($first,)? $parts $(, $last)*))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Tensor::", stringify!($name), ").")]
            ///
            /// # Errors
            /// Where that panics, with the shapes.
            pub fn [<try_ $name>]($($first: &$first_ty,)? $parts: &[impl AsTensor<T>] $(, $last: $last_ty)*) -> Result<Self> {
                $operation.value(&tensors($parts).iter().collect::<Vec<_>>())
            }

            #[doc(hidden)]
            pub fn [<__try_try_ $name>]($($first: &$first_ty,)? $parts: &[impl AsTensor<T>], $($last: $last_ty,)* failure: $crate::fallible::Failure<'_, $crate::tensor::Error>) -> Self {
                forms::reported(Self::[<try_ $name>]($($first,)? $parts $(, $last)*), failure)
            }
        }

        joins!(@forms $name [$($first: $first_ty)?] $parts [$($last: $last_ty),*] $operation, forms::Panics);
        joins!(@forms [<__try_try_ $name>] [$($first: $first_ty)?] $parts [$($last: $last_ty,)* failure: $crate::fallible::Failure<'_, $crate::tensor::Error>] $operation, failure);

        impl<'t, T: Float> TensorVar<'t, T> {
            #[doc = concat!("As of [tensors](Tensor::", stringify!($name), "), which may be variables, numbers on the tape, and constants.")]
            ///
            /// # Panics
            /// Where that does, or none is on a tape, or they are on several.
            #[track_caller]
            #[must_use]
            pub fn $name($($first: &$first_ty,)? $parts: &[impl AsTensorVar<'t, T>] $(, $last: $last_ty)*) -> Self {
                let parts = $parts.iter().map(AsTensorVar::operand).collect();
                crate::tape::tensor::tensor($operation, parts)
            }
        }
    } };
    // The forms that generated code calls.
    (@forms $name:ident [$($first:ident: $first_ty:ty)?] $parts:ident [$($last:ident: $last_ty:ty),*] $operation:expr, $errors:expr) => { pastey::paste! {
        #[allow(non_snake_case, clippy::type_complexity, clippy::unused_unit, reason = "the forms that generated code calls")]
        impl<T: Float> Tensor<T> {
            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__jvp_ $name>]<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>>($($first: &$first_ty,)? $parts: &[X], $($last: $last_ty,)* $([<_dot_ $first>]: &(),)? dots: &[X::Tangent], $([<_dot_ $last>]: (),)*) -> (Self, Self) {
                forms::tangent(&$operation, tensors($parts), tensors(dots), $errors)
            }

            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__fwd_ $name>]<X: AsTensor<T> + Arg<T>>($($first: &$first_ty,)? $parts: &[X] $(, $last: $last_ty)*) -> (Self, Box<dyn FnOnce(Tensor<T>, $(&$first_ty,)? &[X], $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent]) -> joins!(@units [$($last)*])>) {
                let wanted = vec![true; $parts.len()];
                let (y, pull) = forms::forward::<T, _, Self>($operation, tensors($parts), false, $errors);
                (y, Box::new(move |seed, $([<_ $first>],)? _, $([<_to_ $first>],)? to| {
                    give::<T, X>(to, pull(seed, None, &wanted));
                    joins!(@units [$($last)*])
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__jvp_fwd_ $name>]<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>>($($first: &$first_ty,)? $parts: &[X], $($last: $last_ty,)* $([<_dot_ $first>]: &(),)? dots: &[X::Tangent], $([<_dot_ $last>]: (),)*) -> (Self, Self, Box<dyn FnOnce(Tensor<T>, Tensor<T>, $(&$first_ty,)? &[X], $(joins!(@dot $first),)? &[<X as Arg<T>>::Tangent], $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent], $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent]) -> (joins!(@units [$($last)*]), joins!(@units [$($last)*]))>) {
                let wanted = vec![true; $parts.len()];
                let (y, [dot_y], pull) = forms::each::<T, _, Self, 1>($operation, tensors($parts), [tensors(dots)], $errors);
                (y, dot_y, Box::new(move |seed, dot_seed, $([<_ $first>],)? _, $([<_dot_ $first>],)? _, $([<_to_ $first>],)? to, $([<_dot_to_ $first>],)? dot_to| {
                    let (bars, [dot_bars]) = pull(seed, [dot_seed], &wanted);
                    give::<T, X>(to, bars);
                    give::<T, X>(dot_to, dot_bars);
                    (joins!(@units [$($last)*]), joins!(@units [$($last)*]))
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__even_ $name>]<X: AsTensor<T> + Arg<T>>($($first: &$first_ty,)? $parts: &[X] $(, $last: $last_ty)*) -> (Self, Box<dyn FnOnce(Tensor<T>, $(&$first_ty,)? &[X], $(joins!(@unit $last),)* $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent], $(joins!(@unit $last),)*) -> joins!(@units [$($first)? $parts $($last)*])>) {
                let wanted = vec![true; $parts.len()];
                let (y, pull) = forms::forward::<T, _, Self>($operation, tensors($parts), false, $errors);
                (y, Box::new(move |seed, $([<_ $first>],)? _, $([<_ $last>],)* $([<_to_ $first>],)? to, $([<_to_ $last>],)*| {
                    give::<T, X>(to, pull(seed, None, &wanted));
                    joins!(@units [$($first)? $parts $($last)*])
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__jvp_even_ $name>]<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>>($($first: &$first_ty,)? $parts: &[X], $($last: $last_ty,)* $([<_dot_ $first>]: &(),)? dots: &[X::Tangent], $([<_dot_ $last>]: (),)*) -> (Self, Self, Box<dyn FnOnce(Tensor<T>, Tensor<T>, $(&$first_ty,)? &[X], $(joins!(@unit $last),)* $(joins!(@dot $first),)? &[<X as Arg<T>>::Tangent], $(joins!(@unit $last),)* $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent], $(joins!(@unit $last),)* $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent], $(joins!(@unit $last),)*) -> (joins!(@units [$($first)? $parts $($last)*]), joins!(@units [$($first)? $parts $($last)*]))>) {
                let wanted = vec![true; $parts.len()];
                let (y, [dot_y], pull) = forms::each::<T, _, Self, 1>($operation, tensors($parts), [tensors(dots)], $errors);
                (y, dot_y, Box::new(move |seed, dot_seed, $([<_ $first>],)? _, $([<_ $last>],)* $([<_dot_ $first>],)? _, $([<_dot_ $last>],)* $([<_to_ $first>],)? to, $([<_to_ $last>],)* $([<_dot_to_ $first>],)? dot_to, $([<_dot_to_ $last>],)*| {
                    let (bars, [dot_bars]) = pull(seed, [dot_seed], &wanted);
                    give::<T, X>(to, bars);
                    give::<T, X>(dot_to, dot_bars);
                    (joins!(@units [$($first)? $parts $($last)*]), joins!(@units [$($first)? $parts $($last)*]))
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            #[must_use]
            pub fn [<__each_fwd_ $name>]<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>, const N: usize>($($first: &$first_ty,)? $parts: &[X], $($last: $last_ty,)* _: Width<N>, $([<_dot_ $first>]: [&(); N],)? dots: [&[X::Tangent]; N], $([<_dot_ $last>]: [(); N],)*) -> (Self, [Self; N], Box<dyn FnOnce(Tensor<T>, [Tensor<T>; N], $(&$first_ty,)? &[X], $([joins!(@dot $first); N],)? [&[<X as Arg<T>>::Tangent]; N], $(joins!(@to $first),)? &mut [<X as Arg<T>>::Tangent], $([joins!(@to $first); N],)? [&mut [<X as Arg<T>>::Tangent]; N]) -> (joins!(@units [$($last)*]), joins!(@units [$($last)*] N))>) {
                let dots = dots.map(tensors);
                let wanted = vec![true; $parts.len()];
                let (y, dot_ys, pull) = forms::each::<T, _, Self, N>($operation, tensors($parts), dots, $errors);
                (y, dot_ys, Box::new(move |seed, dot_seeds, $([<_ $first>],)? _, $([<_dot_ $first>],)? _, $([<_to_ $first>],)? to, $([<_dot_to_ $first>],)? dot_to| {
                    let (bars, dot_bars) = pull(seed, dot_seeds, &wanted);
                    give::<T, X>(to, bars);
                    for (to, bars) in dot_to.into_iter().zip(dot_bars) {
                        give::<T, X>(to, bars);
                    }
                    (joins!(@units [$($last)*]), joins!(@units [$($last)*] N))
                }))
            }
        }
    } };
    (@unit $last:ident) => { () };
    (@to $first:ident) => { &mut () };
    (@dot $first:ident) => { &() };
}
pub(super) use joins;
joins! {
    /// Tensors one behind the other along an axis; their shapes differ in its length at most.
    ///
    /// # Panics
    /// If there are none, or their shapes do not fit.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([[1.0, 2.0]]), Tensor::from([[3.0, 4.0], [5.0, 6.0]]));
    /// assert_eq!(Tensor::concat(&[&a, &b], 0).to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// ```
    concat [] parts [axis: isize] = Concat { axis };
    /// Tensors of one shape, or numbers, one behind the other along a new axis.
    ///
    /// # Panics
    /// If there are none, or their shapes differ.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0]));
    /// assert_eq!(Tensor::stack(&[&a, &b], 1), Tensor::from([[1.0, 3.0], [2.0, 4.0]]));
    /// assert_eq!(Tensor::stack(&[1.0, 2.0], 0), a);
    /// ```
    stack [] parts [axis: isize] = Stack { axis };
}

/// The axis, and the lengths of parts of `size` entries along it; the last part may be shorter.
fn pieces(
    operation: &'static str,
    shape: &[usize],
    at: isize,
    size: usize,
) -> Result<(usize, Vec<usize>)> {
    let axis = axis(operation, shape.len(), at)?;
    if size == 0 {
        return Err(Error::new(operation, "parts of no entries, or no parts"));
    }
    let length = shape[axis];
    let mut lengths: Vec<usize> = (0..length)
        .step_by(size)
        .map(|k| size.min(length - k))
        .collect();
    if lengths.is_empty() {
        // Of nothing, one part that is empty.
        lengths.push(0);
    }
    Ok((axis, lengths))
}

/// Views of the parts of an axis.
fn parts<T: Float>(x: &Tensor<T>, axis: usize, lengths: &[usize]) -> Vec<Tensor<T>> {
    let mut from = 0;
    (lengths.iter())
        .map(|length| {
            from += length;
            x.cut(axis, from - length, *length, 1)
        })
        .collect()
}

/// Several parts of one tensor.
macro_rules! splits {
    ($($(#[$doc:meta])* $name:ident($number:ident) = |$x:ident, $axis:ident| $lengths:expr;)*) => { pastey::paste! {
        #[allow(clippy::type_complexity, clippy::unused_self, reason = "what the hidden forms are made from")]
        impl<T: Float> Tensor<T> {$(
            $(#[$doc])*
            ///
            /// # Panics
            /// Where the sibling that is named `try_…` returns an error.
            #[track_caller]
            #[must_use]
            pub fn $name(&self, axis: isize, $number: usize) -> Vec<Self> {
                expect(self.[<try_ $name>](axis, $number))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Tensor::", stringify!($name), ").")]
            ///
            /// # Errors
            /// If there is no such axis, or the number is 0.
            pub fn [<try_ $name>](&self, axis: isize, $number: usize) -> Result<Vec<Self>> {
                let (axis, lengths) = self.[<pieces_of_ $name>](axis, $number)?;
                Ok(parts(self, axis, &lengths))
            }

            fn [<pieces_of_ $name>](&self, $axis: isize, $number: usize) -> Result<(usize, Vec<usize>)> {
                let $x = self;
                $lengths
            }

            // The operation is linear: the pullback joins the cotangents of the parts, and so do the pullback's tangents.

            fn [<dots_of_ $name>](&self, _: &[Self], dot: &Self, axis: isize, $number: usize) -> Vec<Self> {
                dot.$name(axis, $number)
            }

            fn [<back_of_ $name>](&self, _: &[Self], axis: isize, _: usize) -> impl FnOnce(Vec<Self>, &mut Self) + use<T> {
                move |seed, to| to.__accumulate(&Tensor::concat(&seed, axis))
            }

            fn [<each_of_ $name>]<const N: usize>(&self, _: &[Self], dots: [&Self; N], axis: isize, $number: usize) -> ([Vec<Self>; N], impl FnOnce(Vec<Self>, [Vec<Self>; N], &mut Self, [&mut Self; N]) + use<T, N>) {
                (dots.map(|dot| dot.$name(axis, $number)), move |seed: Vec<Self>, dot_seeds: [Vec<Self>; N], to: &mut Self, dot_to: [&mut Self; N]| {
                    to.__accumulate(&Tensor::concat(&seed, axis));
                    for (to, seed) in dot_to.into_iter().zip(dot_seeds) {
                        to.__accumulate(&Tensor::concat(&seed, axis));
                    }
                })
            }
        )*}

        crate::tensor::forms::several! { $( $name(axis: isize, $number: usize) -> Vec<Tensor<T>>; )* }

        impl<T: Float> TensorVar<'_, T> {$(
            #[doc = concat!("As of [tensors](Tensor::", stringify!($name), ").")]
            ///
            /// # Panics
            /// Where that does.
            #[track_caller]
            #[must_use]
            pub fn $name(self, axis: isize, $number: usize) -> Vec<Self> {
                let (_, lengths) = expect(self.value().[<pieces_of_ $name>](axis, $number));
                let mut from = 0;
                let part = |length| {
                    from += length;
                    self.narrow(axis, from - length, length)
                };
                lengths.into_iter().map(part).collect()
            }
        )*}
    } };
}
splits! {
    /// Views of the parts of an axis, `size` entries each; the last may be shorter.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let parts = Tensor::from([1.0, 2.0, 3.0]).split(0, 2);
    /// assert_eq!((parts[0].to_vec(), parts[1].to_vec()), (vec![1.0, 2.0], vec![3.0]));
    /// ```
    split(size) = |x, axis| pieces("split", x.shape(), axis, size);
    /// Views of at most `number` parts of an axis, of one length but for the last, which may be shorter; there can be fewer.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let parts = Tensor::<f64>::ones(&[2, 6]).chunk(1, 3);
    /// assert_eq!((parts.len(), parts[0].shape()), (3, &[2, 2][..]));
    /// ```
    chunk(number) = |x, axis| {
        let length = self::axis("chunk", x.rank(), axis).map(|axis| x.shape()[axis])?;
        pieces("chunk", x.shape(), axis, if number == 0 { 0 } else { length.div_ceil(number).max(1) })
    };
}

impl<T: Float> Tensor<T> {
    /// For each of some vectors the tensor of all combinations in which it runs along its own axis: views. As `indexing="ij"` elsewhere.
    ///
    /// # Panics
    /// If one is no vector.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([5.0, 6.0, 7.0]));
    /// let grid = Tensor::meshgrid(&[&x, &y]);
    /// assert_eq!((grid[0].shape(), grid[0][[1, 0]], grid[1][[1, 2]]), (&[2, 3][..], 2.0, 7.0));
    /// ```
    #[track_caller]
    pub fn meshgrid(vectors: &[impl AsTensor<T>]) -> Vec<Self> {
        expect(Self::try_meshgrid(vectors))
    }

    /// As [`meshgrid`](Tensor::meshgrid).
    ///
    /// # Errors
    /// Where that panics, with the shape.
    pub fn try_meshgrid(vectors: &[impl AsTensor<T>]) -> Result<Vec<Self>> {
        let vectors = tensors(vectors);
        if let Some(other) = vectors.iter().find(|x| x.rank() != 1) {
            return Err(Error::new(
                "meshgrid",
                format!("a tensor of shape {:?} is no vector", other.shape()),
            ));
        }
        let whole: Dims = vectors.iter().map(Tensor::len).collect();
        size("meshgrid", &whole)?;
        let along = |(axis, x): (usize, &Tensor<T>)| {
            let mut shape = Dims::from_elem(1, whole.len());
            shape[axis] = x.len();
            x.with_axes(&shape).stretched_view(&whole)
        };
        Ok(vectors.iter().enumerate().map(along).collect())
    }
}

/// The hidden forms of [`meshgrid`](Tensor::meshgrid), which is linear: each vector's cotangent is its tensor's, summed over the other axes.
#[allow(
    clippy::type_complexity,
    reason = "the forms that generated code calls"
)]
impl<T: Float> Tensor<T> {
    #[doc(hidden)]
    #[track_caller]
    pub fn __jvp_meshgrid<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>>(
        vectors: &[X],
        dots: &[X::Tangent],
    ) -> (Vec<Self>, Vec<Self>) {
        (Self::meshgrid(vectors), Self::meshgrid(dots))
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn __fwd_meshgrid<X: AsTensor<T> + Arg<T>>(
        vectors: &[X],
    ) -> (
        Vec<Self>,
        Box<dyn FnOnce(Vec<Self>, &[X], &mut [<X as Arg<T>>::Tangent])>,
    ) {
        let back = |seed: Vec<Self>, _: &[X], to: &mut [<X as Arg<T>>::Tangent]| {
            give::<T, X>(to, along_axes(seed));
        };
        (Self::meshgrid(vectors), Box::new(back))
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn __jvp_fwd_meshgrid<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>>(
        vectors: &[X],
        dots: &[X::Tangent],
    ) -> (
        Vec<Self>,
        Vec<Self>,
        Box<
            dyn FnOnce(
                Vec<Self>,
                Vec<Self>,
                &[X],
                &[<X as Arg<T>>::Tangent],
                &mut [<X as Arg<T>>::Tangent],
                &mut [<X as Arg<T>>::Tangent],
            ) -> ((), ()),
        >,
    ) {
        let back = |seed, dot_seed, _: &[X], _: &[X::Tangent], to: &mut [_], dot_to: &mut [_]| {
            give::<T, X>(to, along_axes(seed));
            give::<T, X>(dot_to, along_axes(dot_seed));
            ((), ())
        };
        (
            Self::meshgrid(vectors),
            Self::meshgrid(dots),
            Box::new(back),
        )
    }

    #[doc(hidden)]
    #[track_caller]
    pub fn __each_fwd_meshgrid<X: AsTensor<T> + Arg<T, Tangent: AsTensor<T>>, const N: usize>(
        vectors: &[X],
        _: Width<N>,
        dots: [&[X::Tangent]; N],
    ) -> (
        Vec<Self>,
        [Vec<Self>; N],
        Box<
            dyn FnOnce(
                Vec<Self>,
                [Vec<Self>; N],
                &[X],
                [&[<X as Arg<T>>::Tangent]; N],
                &mut [<X as Arg<T>>::Tangent],
                [&mut [<X as Arg<T>>::Tangent]; N],
            ) -> ((), ()),
        >,
    ) {
        let back = |seed,
                    dot_seeds: [Vec<Self>; N],
                    _: &[X],
                    _: [&[X::Tangent]; N],
                    to: &mut [_],
                    dot_to: [&mut [_]; N]| {
            give::<T, X>(to, along_axes(seed));
            for (to, seed) in dot_to.into_iter().zip(dot_seeds) {
                give::<T, X>(to, along_axes(seed));
            }
            ((), ())
        };
        (
            Self::meshgrid(vectors),
            dots.map(Self::meshgrid),
            Box::new(back),
        )
    }
}

/// Of each tensor the sums along the axis that has its place in the list.
fn along_axes<T: Float>(tensors: Vec<Tensor<T>>) -> Vec<Tensor<T>> {
    let along = |(axis, x): (usize, Tensor<T>)| {
        let others: Vec<isize> = (0..x.rank())
            .filter(|other| *other != axis)
            .map(|other| other as isize)
            .collect();
        x.sum_axis(&others[..])
    };
    tensors.into_iter().enumerate().map(along).collect()
}

#[cfg(test)]
crate::tensor::testing::operations!(Concat Stack);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tangent::Tangent;
    use crate::tensor::operation::Dual;

    #[test]
    fn what_does_not_fit_is_named() {
        let of = |shape: &[usize]| Tensor::<f64>::ones(shape);
        let message =
            |parts: &[Tensor<f64>], axis| Tensor::try_concat(parts, axis).unwrap_err().to_string();
        assert_eq!(message(&[], 0), "concat: no tensors are given");
        assert_eq!(
            message(&[of(&[2, 3]), of(&[2, 4])], 0),
            "concat: tensors 0 and 1 have the shapes [2, 3] and [2, 4], which differ in more than the length of axis 0"
        );
        assert_eq!(
            message(&[of(&[])], 0),
            "concat: axis 0 of a tensor that has 0 axes"
        );
        assert!(message(&[of(&[2]), of(&[2, 2])], 0).contains("[2] and [2, 2]"));
        assert_eq!(
            Tensor::try_stack(&[of(&[2]), of(&[3])], 0)
                .unwrap_err()
                .to_string(),
            "stack: tensors 0 and 1 have the shapes [2] and [3]"
        );
    }

    #[test]
    fn parts_without_a_tangent_do_not_shift_the_others() {
        let (a, b, c) = (shape::<f64>(&[2]), shape(&[1]), shape(&[3]));
        let duals = [
            Dual::new(a, None),
            Dual::new(b, None),
            Dual::new(c.clone(), Some(Tensor::ones(&[3]))),
        ];
        let y = Dual::apply(&Concat { axis: 0 }, &duals.iter().collect::<Vec<_>>());
        assert_eq!(y.into_dot().to_vec(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        let dy = Tensor::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let x = [&shape(&[2]), &shape(&[1]), &c];
        let back = Concat { axis: 0 }.pull(&x, &dy, &dy, &[false, false, true]);
        assert!(back[0].is_none() && back[1].is_none());
        assert_eq!(back[2].as_ref().unwrap().to_vec(), [4.0, 5.0, 6.0]);
    }

    #[test]
    fn parts_of_an_axis() {
        let x = shape::<f64>(&[2, 5]);
        let lengths =
            |parts: Vec<Tensor<f64>>| parts.iter().map(|x| x.shape()[1]).collect::<Vec<_>>();
        assert_eq!(lengths(x.split(1, 2)), [2, 2, 1]);
        assert_eq!(lengths(x.split(-1, 9)), [5]);
        assert_eq!(lengths(x.chunk(1, 3)), [2, 2, 1]);
        assert_eq!(lengths(x.chunk(1, 4)), [2, 2, 1]);
        assert_eq!(lengths(shape::<f64>(&[2, 0]).chunk(1, 3)), [0]);
        assert_eq!(Tensor::concat(&x.split(1, 2), 1), x);
        assert!(
            x.try_split(1, 0).is_err() && x.try_chunk(0, 0).is_err() && x.try_split(2, 1).is_err()
        );
        assert!(Tensor::try_meshgrid(&[x]).is_err());
    }

    #[test]
    fn lists_on_the_tape() {
        let tape = crate::tape::Tape::new();
        let (x, k) = (tape.tensor(shape::<f64>(&[2, 5])), tape.var(3.0));
        let y = TensorVar::concat(&x.split(1, 2), 1) * TensorVar::concat(&x.chunk(0, 2), 0);
        let z = (y.sum() * TensorVar::stack(&[k, k * k], 0)).sum();
        let g = z.backward();
        // z = (k + k²) Σ x².
        let squares = x.value().inner(&x.value());
        assert!((g.wrt(k) - 7.0 * squares).abs() < 1e-12 * squares);
        let doubled = &x.value() * 24.0;
        assert!(g.wrt(x).allclose(&doubled, 1e-13, 0.0));
    }
}
