//! Methods of tensors: from one row the method, its sibling that returns errors, and the hidden forms that generated code calls.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Tensor;
use super::arguments::{Outcome, Pull, PullEach};
use super::error::{Error, Result, expect};
use super::operation::{Dual, Kept, Operation};
use crate::fallible::{Failure, fail};
use crate::float::Float;

/// What becomes of an error.
pub(super) trait Errors {
    /// What was computed, if anything goes on without it.
    fn of<Y>(self, computed: Result<Y>) -> Option<Y>;
}

/// A method that panics.
pub(super) struct Panics;

impl Errors for Panics {
    #[track_caller]
    fn of<Y>(self, computed: Result<Y>) -> Option<Y> {
        Some(expect(computed))
    }
}

/// The sibling that returns errors: what it gives in place of a value, nobody looks at.
impl Errors for Failure<'_, Error> {
    fn of<Y>(self, computed: Result<Y>) -> Option<Y> {
        computed.map_err(|error| fail(self, error)).ok()
    }
}

/// What stands for a value that was not computed.
fn absent<T: Float, Y: Outcome<T>>() -> Y {
    Y::of(Tensor::zeros(&[]))
}

/// The value and its pullback, which is `lent` the first operand again, or keeps it as it does the others.
#[track_caller]
pub(super) fn forward<T: Float, O: Operation<T>, Y: Outcome<T>>(
    operation: O,
    x: Vec<Tensor<T>>,
    lent: bool,
    errors: impl Errors,
) -> (Y, Pull<T, Y>) {
    let Some(y) = errors.of(operation.value(&x.iter().collect::<Vec<_>>())) else {
        return (absent(), Box::new(move |_, _, _| outlines(&x)));
    };
    let mut kept = Kept::of(operation, x, &y);
    if lent {
        kept.leave_first();
    }
    (
        Y::of(y),
        Box::new(move |seed: Y, first: Option<&Tensor<T>>, wanted: &[bool]| {
            kept.lend_first(first);
            kept.pull(&seed.into_tensor(), wanted)
        }),
    )
}

/// The value and its tangent.
#[track_caller]
pub(super) fn tangent<T: Float, O: Operation<T>, Y: Outcome<T>>(
    operation: &O,
    x: Vec<Tensor<T>>,
    dots: Vec<Tensor<T>>,
    errors: impl Errors,
) -> (Y, Y) {
    let Some(y) = errors.of(operation.value(&x.iter().collect::<Vec<_>>())) else {
        return (absent(), absent());
    };
    let dot = push(operation, &x, &y, &dots);
    (Y::of(y), Y::of(dot))
}

/// The tangent of a value.
pub(super) fn push<T: Float, O: Operation<T>>(
    operation: &O,
    x: &[Tensor<T>],
    y: &Tensor<T>,
    dots: &[Tensor<T>],
) -> Tensor<T> {
    let given: Vec<Option<&Tensor<T>>> = dots
        .iter()
        .map(|dot| (!dot.is_known_zero()).then_some(dot))
        .collect();
    if given.iter().all(Option::is_none) {
        return y.outline();
    }
    operation.push(&x.iter().collect::<Vec<_>>(), y, &given)
}

/// The value, its tangents in several directions, and the pullback with its tangents.
#[track_caller]
pub(super) fn each<T: Float, O: Operation<T>, Y: Outcome<T>, const N: usize>(
    operation: O,
    x: Vec<Tensor<T>>,
    dots: [Vec<Tensor<T>>; N],
    errors: impl Errors,
) -> (Y, [Y; N], PullEach<T, Y, N>) {
    let Some(y) = errors.of(operation.value(&x.iter().collect::<Vec<_>>())) else {
        let back = move |_, _, _: &[bool]| (outlines(&x), core::array::from_fn(|_| outlines(&x)));
        return (absent(), core::array::from_fn(|_| absent()), Box::new(back));
    };
    let dot_ys: [Tensor<T>; N] = core::array::from_fn(|k| push(&operation, &x, &y, &dots[k]));
    let mut dots = dots.into_iter();
    let kept: [_; N] = core::array::from_fn(|k| {
        let pairs = x.iter().cloned().zip(dots.next().unwrap_or_default());
        let duals = pairs.map(|(x, dot)| Dual::new(x, Some(dot))).collect();
        Kept::of(
            operation.clone(),
            duals,
            &Dual::new(y.clone(), Some(dot_ys[k].clone())),
        )
    });
    let plain = Kept::of(operation, x, &y);
    let back = move |seed: Y, dot_seeds: [Y; N], wanted: &[bool]| {
        let seed = seed.into_tensor();
        let mut dot_seeds = dot_seeds.into_iter();
        let dot_bars: [Vec<Tensor<T>>; N] = core::array::from_fn(|k| {
            let dot_seed = dot_seeds.next().map(Y::into_tensor);
            let bars = kept[k].pull(&Dual::new(seed.clone(), dot_seed), wanted);
            bars.into_iter().map(Dual::into_dot).collect()
        });
        (plain.pull(&seed, wanted), dot_bars)
    };
    (Y::of(y), dot_ys.map(Y::of), Box::new(back))
}

/// Of one operand and the value there: its tangents in several directions, and the pullback with its tangents.
#[cfg(feature = "linalg")]
#[allow(clippy::type_complexity, reason = "a list of tangents and a pullback")]
pub(super) fn each_of<T: Float, O: Operation<T>>(
    operation: O,
    x: &Tensor<T>,
    y: &Tensor<T>,
    dots: &[&Tensor<T>],
) -> (
    Vec<Tensor<T>>,
    impl FnOnce(Tensor<T>, Vec<Tensor<T>>) -> (Tensor<T>, Vec<Tensor<T>>) + use<T, O>,
) {
    let one = core::slice::from_ref::<Tensor<T>>;
    let dot_ys: Vec<_> = (dots.iter().map(|dot| push(&operation, one(x), y, one(dot)))).collect();
    let along = dots.iter().zip(&dot_ys).map(|(dot, dot_y)| {
        let dual = |x: &Tensor<T>, dot: &Tensor<T>| Dual::new(x.clone(), Some(dot.clone()));
        Kept::of(
            operation.clone(),
            alloc::vec![dual(x, dot)],
            &dual(y, dot_y),
        )
    });
    let along: Vec<_> = along.collect();
    let plain = Kept::of(operation, alloc::vec![x.clone()], y);
    let back = move |seed: Tensor<T>, dot_seeds: Vec<Tensor<T>>| {
        let bars = along.iter().zip(dot_seeds).flat_map(|(kept, dot_seed)| {
            kept.pull(&Dual::new(seed.clone(), Some(dot_seed)), &[true])
        });
        let dot_bars = bars.map(Dual::into_dot).collect();
        let bar = plain.pull(&seed, &[true]).pop().unwrap_or_default();
        (bar, dot_bars)
    };
    (dot_ys, back)
}

/// Zeros of the same shapes.
fn outlines<T: Float>(x: &[Tensor<T>]) -> Vec<Tensor<T>> {
    x.iter().map(Tensor::outline).collect()
}

/// The value, or something in its place beside the error.
pub(super) fn reported<T: Float, Y: Outcome<T>>(y: Result<Y>, to: Failure<'_, Error>) -> Y {
    to.of(y).unwrap_or_else(absent)
}

/// The value of an operation on anything that has operations, whose shapes may not fit.
pub(super) fn value<T: Float, O: Operation<T>, Y: Outcome<T>>(
    operation: &O,
    x: &[&Tensor<T>],
) -> Result<Y> {
    operation.value(x).map(Y::of)
}

/// How the type of an argument is written: in the method, in a list of them, and as the type of its tangent.
macro_rules! attribute {
    (@public given $ty:ty) => { $ty };
    (@public lent $ty:ty) => { &$ty };
    (@public axes) => { impl Into<$crate::tensor::Axes> };
    (@described given $ty:ty) => { $crate::tensor::arguments::Given };
    (@described lent $ty:ty) => { $crate::tensor::arguments::Lent<$ty> };
    (@described axes) => { $crate::tensor::arguments::Given };
    (@dot given $ty:ty) => { () };
    (@dot lent $ty:ty) => { &() };
    (@dot axes) => { () };
    (@outcome tensor) => { $crate::tensor::Tensor<T> };
    (@outcome scalar) => { T };
    (@recorded tensor) => { $crate::tape::TensorVar<'t, T> };
    (@recorded scalar) => { $crate::tape::Var<'t, T> };
}
pub(super) use attribute;

/// The zero tangents of arguments by their number: `()` of attributes.
macro_rules! zeros {
    ($name:ident [$($k:literal)*] []) => {};
    ($name:ident [$k:literal $($ks:literal)*] [given $($rest:ident)*]) => { $crate::tensor::forms::zeros!(@unit $name $k); $crate::tensor::forms::zeros!($name [$($ks)*] [$($rest)*]); };
    ($name:ident [$k:literal $($ks:literal)*] [lent $($rest:ident)*]) => { $crate::tensor::forms::zeros!(@unit $name $k); $crate::tensor::forms::zeros!($name [$($ks)*] [$($rest)*]); };
    ($name:ident [$k:literal $($ks:literal)*] [axes $($rest:ident)*]) => { $crate::tensor::forms::zeros!(@unit $name $k); $crate::tensor::forms::zeros!($name [$($ks)*] [$($rest)*]); };
    ($name:ident [$k:literal $($ks:literal)*] [$operand:ident $($rest:ident)*]) => { pastey::paste! {
        #[doc(hidden)]
        pub fn [<__zero_of_ $k _ $name>]<X: $crate::tensor::arguments::Constant>(&self, argument: &X) -> X::Tangent {
            argument.unread()
        }
    } $crate::tensor::forms::zeros!($name [$($ks)*] [$($rest)*]); };
    (@unit $name:ident $k:literal) => { pastey::paste! {
        #[doc(hidden)]
        pub fn [<__zero_of_ $k _ $name>]<X: ?Sized>(&self, _: &X) {}
    } };
}
pub(super) use zeros;

/// The methods of rows `name(operands; attributes) -> outcome = operation;`.
///
/// Attributes are `axis: given [isize]`, `shape: lent [[usize]]` (by reference) or `axes: axes`; those before the operands stand before a further `;`.
/// The operation is an expression in the attributes; its operands are the receiver and then those that are named.
/// After `of mask: Tensor<bool>;` the receiver is no operand: what rows call `mask` is a reference to it.
macro_rules! methods {
    (of $constant:ident: $of:ty; $( $(#[$doc:meta])* $name:ident($($operand:ident),*; $($attr:ident: $kind:ident $([$ty:ty])?),*) -> $outcome:ident = $operation:expr; )*) => {
        $( $crate::tensor::forms::methods!(@row [] [$of] [T: $crate::float::Float,] [] [$constant] [$(#[$doc])*] $name [] [$($operand)*] [$($attr: $kind $([$ty])?),*] $outcome $operation); )*
    };
    ($( $(#[$doc:meta])* $name:ident($($operand:ident),*; $($attr:ident: $kind:ident $([$ty:ty])?),*) -> $outcome:ident = $operation:expr; )*) => {
        $( $crate::tensor::forms::methods!(@row [T: $crate::float::Float] [$crate::tensor::Tensor<T>] [] [receiver] [] [$(#[$doc])*] $name [] [$($operand)*] [$($attr: $kind $([$ty])?),*] $outcome $operation); )*
    };
    ($( $(#[$doc:meta])* $name:ident($($first:ident: $first_kind:ident $([$first_ty:ty])?),*; $($operand:ident),*; $($attr:ident: $kind:ident $([$ty:ty])?),*) -> $outcome:ident = $operation:expr; )*) => {
        $( $crate::tensor::forms::methods!(@row [T: $crate::float::Float] [$crate::tensor::Tensor<T>] [] [receiver] [] [$(#[$doc])*] $name [$($first: $first_kind $([$first_ty])?),*] [$($operand)*] [$($attr: $kind $([$ty])?),*] $outcome $operation); )*
    };
    (@row [$($impl_generics:tt)*] [$self_ty:ty] [$($generics:tt)*] [$($receiver:ident)?] [$($constant:ident)?] [$(#[$doc:meta])*] $name:ident [$($first:ident: $first_kind:ident $([$first_ty:ty])?),*] [$($operand:ident)*] [$($attr:ident: $kind:ident $([$ty:ty])?),*] $outcome:ident $operation:expr) => { pastey::paste! {
        #[allow(clippy::too_many_arguments, reason = "one form for any number of arguments")]
        impl<$($impl_generics)*> $self_ty {
            $(#[$doc])*
            ///
            /// # Panics
            /// Where the sibling that is named `try_…` returns an error.
            #[must_use]
            #[track_caller]
            pub fn $name<$($generics)*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: impl $crate::tensor::AsTensor<T>,)* $($attr: attribute!(@public $kind $($ty)?),)*) -> attribute!(@outcome $outcome) {
                $crate::tensor::error::expect(self.[<try_ $name>]($($first,)* $($operand,)* $($attr,)*))
            }

            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), ").")]
            ///
            /// # Errors
            /// If the shapes do not fit, with the operation and the shapes in words.
            pub fn [<try_ $name>]<$($generics)*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: impl $crate::tensor::AsTensor<T>,)* $($attr: attribute!(@public $kind $($ty)?),)*) -> $crate::tensor::Result<attribute!(@outcome $outcome)> {
                $(let $constant = self;)?
                $crate::tensor::forms::value(&$operation, &[$({ let $receiver = self; $receiver },)? $(&$operand.as_tensor()),*])
            }

            #[doc(hidden)]
            #[must_use]
            pub fn [<__try_try_ $name>]<$($generics)*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: impl $crate::tensor::AsTensor<T>,)* $($attr: attribute!(@public $kind $($ty)?),)* failure: $crate::fallible::Failure<'_, $crate::tensor::Error>) -> attribute!(@outcome $outcome) {
                $crate::tensor::forms::reported(self.[<try_ $name>]($($first,)* $($operand,)* $($attr,)*), failure)
            }
        }

        $crate::tensor::forms::methods!(@forms [$($impl_generics)*] [$self_ty] [$($generics)*] [$($receiver)?] [$($constant)?] $name [$($first: $first_kind $([$first_ty])?),*] [$($operand)*] [$($attr: $kind $([$ty])?),*] $outcome $operation, $crate::tensor::forms::Panics);
        $crate::tensor::forms::methods!(@forms [$($impl_generics)*] [$self_ty] [$($generics)*] [$($receiver)?] [$($constant)?] [<__try_try_ $name>] [$($first: $first_kind $([$first_ty])?),*] [$($operand)*] [$($attr: $kind $([$ty])?,)* failure: given [$crate::fallible::Failure<'_, $crate::tensor::Error>]] $outcome $operation, failure);
        $crate::tensor::forms::methods!(@recorded [$self_ty] [$($constant)?] $name [$($first: $first_kind $([$first_ty])?),*] [$($operand)*] [$($attr: $kind $([$ty])?),*] $outcome $operation);
    } };
    // The forms that generated code calls.
    (@forms [$($impl_generics:tt)*] [$self_ty:ty] [$($generics:tt)*] [$($receiver:ident)?] [$($constant:ident)?] $name:ident [$($first:ident: $first_kind:ident $([$first_ty:ty])?),*] [$($operand:ident)*] [$($attr:ident: $kind:ident $([$ty:ty])?),*] $outcome:ident $operation:expr, $errors:expr) => { pastey::paste! {
        #[allow(non_snake_case, clippy::type_complexity, clippy::too_many_arguments, clippy::missing_panics_doc, clippy::ignored_unit_patterns, reason = "the forms that generated code calls")]
        impl<$($impl_generics)*> $self_ty {
            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>),*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)* dot: &<Self as $crate::tangent::Differentiable>::Tangent, $([<_dot_ $first>]: attribute!(@dot $first_kind $($first_ty)?),)* $([<dot_ $operand>]: [<$operand:camel>]::Dot<'_>,)* $([<_dot_ $attr>]: attribute!(@dot $kind $($ty)?),)*) -> (attribute!(@outcome $outcome), attribute!(@outcome $outcome)) {
                $(let ($constant, _) = (self, dot);)?
                $crate::tensor::forms::tangent(&$operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], alloc::vec![$({ let $receiver = dot; $receiver.clone() },)? $([<$operand:camel>]::dot([<dot_ $operand>])),*], $errors)
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__fwd_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>),*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)*) -> (attribute!(@outcome $outcome), <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::Back)
            where
                ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*): $crate::tensor::arguments::Passed<T, By: $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>,
            {
                $(let $constant = self;)?
                let (y, pull) = $crate::tensor::forms::forward($operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], !stringify!($($receiver)?).is_empty(), $errors);
                (y, <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::back(pull))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_fwd_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>),*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)* dot: &<Self as $crate::tangent::Differentiable>::Tangent, $([<_dot_ $first>]: attribute!(@dot $first_kind $($first_ty)?),)* $([<dot_ $operand>]: [<$operand:camel>]::Dot<'_>,)* $([<_dot_ $attr>]: attribute!(@dot $kind $($ty)?),)*) -> (attribute!(@outcome $outcome), attribute!(@outcome $outcome), <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::DotBack)
            where
                ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*): $crate::tensor::arguments::Passed<T, By: $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>,
            {
                $(let ($constant, _) = (self, dot);)?
                let dots = alloc::vec![$({ let $receiver = dot; $receiver.clone() },)? $([<$operand:camel>]::dot([<dot_ $operand>])),*];
                let (y, [dot_y], pull) = $crate::tensor::forms::each($operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], [dots], $errors);
                (y, dot_y, <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::dot_back(pull))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__even_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>),*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)*) -> (attribute!(@outcome $outcome), <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::EvenBack)
            where
                ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*): $crate::tensor::arguments::Passed<T, By: $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>,
            {
                $(let $constant = self;)?
                let (y, pull) = $crate::tensor::forms::forward($operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], !stringify!($($receiver)?).is_empty(), $errors);
                (y, <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::even_back(pull))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_even_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>),*>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)* dot: &<Self as $crate::tangent::Differentiable>::Tangent, $([<_dot_ $first>]: attribute!(@dot $first_kind $($first_ty)?),)* $([<dot_ $operand>]: [<$operand:camel>]::Dot<'_>,)* $([<_dot_ $attr>]: attribute!(@dot $kind $($ty)?),)*) -> (attribute!(@outcome $outcome), attribute!(@outcome $outcome), <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::DotEvenBack)
            where
                ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*): $crate::tensor::arguments::Passed<T, By: $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>,
            {
                $(let ($constant, _) = (self, dot);)?
                let dots = alloc::vec![$({ let $receiver = dot; $receiver.clone() },)? $([<$operand:camel>]::dot([<dot_ $operand>])),*];
                let (y, [dot_y], pull) = $crate::tensor::forms::each($operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], [dots], $errors);
                (y, dot_y, <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::dot_even_back(pull))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__each_fwd_ $name>]<$($generics)* $([<$operand:camel>]: $crate::tensor::arguments::Operand<T>,)* const N: usize>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: [<$operand:camel>],)* $($attr: attribute!(@public $kind $($ty)?),)* _: $crate::lanes::Width<N>, dots: [&<Self as $crate::tangent::Differentiable>::Tangent; N], $([<_dot_ $first>]: [attribute!(@dot $first_kind $($first_ty)?); N],)* $([<dot_ $operand>]: [[<$operand:camel>]::Dot<'_>; N],)* $([<_dot_ $attr>]: [attribute!(@dot $kind $($ty)?); N],)*) -> (attribute!(@outcome $outcome), [attribute!(@outcome $outcome); N], <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::EachBack<N>)
            where
                ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*): $crate::tensor::arguments::Passed<T, By: $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>,
            {
                $(let mut [<dot_ $operand>] = [<dot_ $operand>].into_iter();)*
                $(let $constant = self;)?
                let dots = dots.map(|_dot| alloc::vec![$({ let $receiver = _dot; $receiver.clone() },)? $([<dot_ $operand>].next().map_or_else($crate::tensor::Tensor::default, [<$operand:camel>]::dot)),*]);
                let (y, dot_ys, pull) = $crate::tensor::forms::each($operation, alloc::vec![$({ let $receiver = self; $receiver.clone() },)? $($operand.as_tensor()),*], dots, $errors);
                (y, dot_ys, <<($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*) as $crate::tensor::arguments::Passed<T>>::By as $crate::tensor::arguments::Arity<T, ($(attribute!(@described $first_kind $($first_ty)?),)* $([<$operand:camel>],)* $(attribute!(@described $kind $($ty)?),)*), attribute!(@outcome $outcome), Self>>::each_back(pull))
            }

            $crate::tensor::forms::zeros!($name [1 2 3 4 5] [$($first_kind)* $([<$operand _operand>])* $($kind)*]);

            #[doc(hidden)]
            pub fn [<__zero_of_0_ $name>](&self, receiver: &Self) -> <Self as $crate::tangent::Differentiable>::Tangent {
                $crate::tensor::arguments::Constant::unread(receiver)
            }
        }
    } };
    (@recorded [$self_ty:ty] [] $name:ident [$($first:ident: $first_kind:ident $([$first_ty:ty])?),*] [$($operand:ident)*] [$($attr:ident: $kind:ident $([$ty:ty])?),*] $outcome:ident $operation:expr) => {
        impl<'t, T: $crate::float::Float> $crate::tape::TensorVar<'t, T> {
            #[doc = concat!("As of [tensors](crate::tensor::Tensor::", stringify!($name), ").")]
            ///
            /// # Panics
            /// Where that does, or an operand belongs to another tape.
            #[must_use]
            #[allow(clippy::should_implement_trait, reason = "named as of numbers")]
            #[track_caller]
            pub fn $name(self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: impl $crate::tape::AsTensorVar<'t, T>,)* $($attr: attribute!(@public $kind $($ty)?),)*) -> attribute!(@recorded $outcome) {
                use $crate::tape::AsTensorVar as _;
                $crate::tape::tensor::$outcome($operation, alloc::vec![self.operand(), $($operand.operand()),*])
            }
        }
    };
    (@recorded [$self_ty:ty] [$constant:ident] $name:ident [$($first:ident: $first_kind:ident $([$first_ty:ty])?),*] [$($operand:ident)*] [$($attr:ident: $kind:ident $([$ty:ty])?),*] $outcome:ident $operation:expr) => { pastey::paste! {
        impl $self_ty {
            #[doc = concat!("As [`", stringify!($name), "`](Self::", stringify!($name), "), of operands of which one at least is recorded on a tape.")]
            ///
            /// # Panics
            /// Where that does, or an operand belongs to another tape, or none is on one.
            #[must_use]
            #[track_caller]
            pub fn [<$name _on_tape>]<'t, T: $crate::float::Float>(&self, $($first: attribute!(@public $first_kind $($first_ty)?),)* $($operand: impl $crate::tape::AsTensorVar<'t, T>,)* $($attr: attribute!(@public $kind $($ty)?),)*) -> attribute!(@recorded $outcome) {
                let $constant = self;
                $crate::tape::tensor::$outcome($operation, alloc::vec![$($operand.operand()),*])
            }
        }
    } };
}
pub(super) use methods;

/// The rows of [`methods!`], of operations that arrange entries: tensors of indices and masks have the methods as well, without hidden forms, as they are constants.
macro_rules! moves {
    ($( $(#[$doc:meta])* $name:ident(; $($attr:ident: $kind:ident $([$ty:ty])?),*) -> tensor = $operation:expr; )*) => {
        $crate::tensor::forms::methods! { $( $(#[$doc])* $name(; $($attr: $kind $([$ty])?),*) -> tensor = $operation; )* }
        $(
            $crate::tensor::forms::moves!(@of usize $name($($attr: $kind $([$ty])?),*) $operation);
            $crate::tensor::forms::moves!(@of bool $name($($attr: $kind $([$ty])?),*) $operation);
        )*
    };
    (@of $entry:ident $name:ident($($attr:ident: $kind:ident $([$ty:ty])?),*) $operation:expr) => { pastey::paste! {
        impl $crate::tensor::Tensor<$entry> {
            #[doc = concat!("As `", stringify!($name), "` of a tensor of floats.")]
            ///
            /// # Panics
            /// Where the sibling that is named `try_…` returns an error.
            #[must_use]
            #[track_caller]
            pub fn $name(&self, $($attr: attribute!(@public $kind $($ty)?),)*) -> Self {
                $crate::tensor::error::expect(self.[<try_ $name>]($($attr,)*))
            }

            #[doc = concat!("As `try_", stringify!($name), "` of a tensor of floats.")]
            ///
            /// # Errors
            /// If the shapes do not fit, with the operation and the shapes in words.
            pub fn [<try_ $name>](&self, $($attr: attribute!(@public $kind $($ty)?),)*) -> $crate::tensor::Result<Self> {
                $crate::tensor::ops::moves::Moves::moved(&$operation, self)
            }
        }
    } };
}
pub(super) use moves;

/// The hidden forms of methods that yield several tensors, and of their siblings that return errors; attributes are given by value.
///
/// From what a method yields, `y`, `dots_of_name(y, dot, …)` makes its tangents, `back_of_name(y, …)` the pullback, and `each_of_name(y, dots, …)` tangents in several directions and the pullback with these.
macro_rules! several {
    ($($name:ident($($arg:ident: $Arg:ty),*) -> $Y:ty;)*) => { pastey::paste! { $(
        impl<T: $crate::float::Float> $crate::tensor::Tensor<T> {
            #[doc(hidden)]
            #[must_use]
            pub fn [<__try_try_ $name>](&self, $($arg: $Arg,)* failure: $crate::fallible::Failure<'_, $crate::tensor::Error>) -> $Y {
                $crate::tensor::forms::Errors::of(failure, self.[<try_ $name>]($($arg),*)).unwrap_or_default()
            }
        }

        $crate::tensor::forms::several!(@forms $name [$($arg)*] $name [$($arg: $Arg),*] $Y, $crate::tensor::forms::Panics);
        $crate::tensor::forms::several!(@forms $name [$($arg)*] [<__try_try_ $name>] [$($arg: $Arg,)* failure: $crate::fallible::Failure<'_, $crate::tensor::Error>] $Y, failure);
    )* } };
    (@forms $of:ident [$($given:ident)*] $name:ident [$($arg:ident: $Arg:ty),*] $Y:ty, $errors:expr) => { pastey::paste! {
        #[allow(non_snake_case, clippy::type_complexity, clippy::too_many_arguments, clippy::missing_panics_doc, reason = "the forms that generated code calls")]
        impl<T: $crate::float::Float> $crate::tensor::Tensor<T> {
            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_ $name>](&self, $($arg: $Arg,)* dot: &Self, $([<_dot_ $arg>]: (),)*) -> ($Y, $Y) {
                match $crate::tensor::forms::Errors::of($errors, self.[<try_ $of>]($($given),*)) {
                    Some(y) => {
                        let dots = self.[<dots_of_ $of>](&y, dot, $($given),*);
                        (y, dots)
                    }
                    None => Default::default(),
                }
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__fwd_ $name>](&self, $($arg: $Arg,)*) -> ($Y, alloc::boxed::Box<dyn FnOnce($Y, &Self, &mut Self) -> $crate::tensor::forms::several!(@bars $($arg)*)>) {
                match $crate::tensor::forms::Errors::of($errors, self.[<try_ $of>]($($given),*)) {
                    Some(y) => {
                        let back = self.[<back_of_ $of>](&y, $($given),*);
                        (y, alloc::boxed::Box::new(move |seed, _, to| {
                            back(seed, to);
                            $crate::tensor::forms::several!(@bars $($arg)*)
                        }))
                    }
                    None => (Default::default(), alloc::boxed::Box::new(|_, _, _| $crate::tensor::forms::several!(@bars $($arg)*))),
                }
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_fwd_ $name>](&self, $($arg: $Arg,)* dot: &Self, $([<_dot_ $arg>]: (),)*) -> ($Y, $Y, alloc::boxed::Box<dyn FnOnce($Y, $Y, &Self, &Self, &mut Self, &mut Self) -> ($crate::tensor::forms::several!(@bars $($arg)*), $crate::tensor::forms::several!(@bars $($arg)*))>) {
                let (y, [dot_y], back) = self.[<__each_fwd_ $name>]($($arg,)* $crate::lanes::Width::<1>, [dot], $([[<_dot_ $arg>]],)*);
                (y, dot_y, alloc::boxed::Box::new(move |seed, dot_seed, x, dot, to, dot_to| {
                    back(seed, [dot_seed], x, [dot], to, [dot_to]);
                    ($crate::tensor::forms::several!(@bars $($arg)*), $crate::tensor::forms::several!(@bars $($arg)*))
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__even_ $name>](&self, $($arg: $Arg,)*) -> ($Y, alloc::boxed::Box<dyn FnOnce($Y, &Self, $($crate::tensor::forms::several!(@unit $arg),)* &mut Self, $($crate::tensor::forms::several!(@unit $arg),)*) -> $crate::tensor::forms::several!(@bars self $($arg)*)>) {
                let (y, back) = self.[<__fwd_ $name>]($($arg),*);
                (y, alloc::boxed::Box::new(move |seed, x, $([<_ $arg>],)* to, $([<_to_ $arg>],)*| {
                    back(seed, x, to);
                    $crate::tensor::forms::several!(@bars self $($arg)*)
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__jvp_even_ $name>](&self, $($arg: $Arg,)* dot: &Self, $([<_dot_ $arg>]: (),)*) -> ($Y, $Y, alloc::boxed::Box<dyn FnOnce($Y, $Y, &Self, $($crate::tensor::forms::several!(@unit $arg),)* &Self, $($crate::tensor::forms::several!(@unit $arg),)* &mut Self, $($crate::tensor::forms::several!(@unit $arg),)* &mut Self, $($crate::tensor::forms::several!(@unit $arg),)*) -> ($crate::tensor::forms::several!(@bars self $($arg)*), $crate::tensor::forms::several!(@bars self $($arg)*))>) {
                let (y, dot_y, back) = self.[<__jvp_fwd_ $name>]($($arg,)* dot, $([<_dot_ $arg>],)*);
                (y, dot_y, alloc::boxed::Box::new(move |seed, dot_seed, x, $([<_ $arg>],)* dot, $([<_dot_ $arg>],)* to, $([<_to_ $arg>],)* dot_to, $([<_dot_to_ $arg>],)*| {
                    back(seed, dot_seed, x, dot, to, dot_to);
                    ($crate::tensor::forms::several!(@bars self $($arg)*), $crate::tensor::forms::several!(@bars self $($arg)*))
                }))
            }

            #[doc(hidden)]
            #[track_caller]
            pub fn [<__each_fwd_ $name>]<const N: usize>(&self, $($arg: $Arg,)* _: $crate::lanes::Width<N>, dots: [&Self; N], $([<_dot_ $arg>]: [(); N],)*) -> ($Y, [$Y; N], alloc::boxed::Box<dyn FnOnce($Y, [$Y; N], &Self, [&Self; N], &mut Self, [&mut Self; N]) -> ($crate::tensor::forms::several!(@bars $($arg)*), $crate::tensor::forms::several!(@lanes N $($arg)*))>) {
                match $crate::tensor::forms::Errors::of($errors, self.[<try_ $of>]($($given),*)) {
                    Some(y) => {
                        let (dot_ys, back) = self.[<each_of_ $of>](&y, dots, $($given),*);
                        (y, dot_ys, alloc::boxed::Box::new(move |seed, dot_seeds, _, _, to, dot_to| {
                            back(seed, dot_seeds, to, dot_to);
                            ($crate::tensor::forms::several!(@bars $($arg)*), $crate::tensor::forms::several!(@lanes N $($arg)*))
                        }))
                    }
                    None => (Default::default(), core::array::from_fn(|_| Default::default()), alloc::boxed::Box::new(|_, _, _, _, _, _| ($crate::tensor::forms::several!(@bars $($arg)*), $crate::tensor::forms::several!(@lanes N $($arg)*)))),
                }
            }

            #[doc(hidden)]
            #[must_use]
            pub fn [<__zero_of_0_ $name>](&self, _: &Self) -> Self {
                $crate::tangent::Differentiable::zero_tangent(self)
            }

            $crate::tensor::forms::zeros!(@unit $name 1);
            $crate::tensor::forms::zeros!(@unit $name 2);
            $crate::tensor::forms::zeros!(@unit $name 3);
        }
    } };
    // What a pullback yields of so many arguments without a tangent, as a type and as a value; the same in several directions.
    (@unit $one:ident) => { () };
    (@bars) => { () };
    (@bars $one:ident) => { ((),) };
    (@bars $one:ident $two:ident) => { ((), ()) };
    (@bars $one:ident $two:ident $three:ident) => { ((), (), ()) };
    (@bars $one:ident $two:ident $three:ident $four:ident) => { ((), (), (), ()) };
    (@lanes $n:ident) => { () };
    (@lanes $n:ident $one:ident) => { ([(); $n],) };
    (@lanes $n:ident $one:ident $two:ident) => { ([(); $n], [(); $n]) };
    (@lanes $n:ident $one:ident $two:ident $three:ident) => { ([(); $n], [(); $n], [(); $n]) };
}
pub(super) use several;
