//! What generated code calls: short names for the operations of the graph. Not for users.

pub use core::marker::PhantomData;

use crate::tangent::{Accumulate, Differentiable, Shape, Shaped, Tangent};

pub use crate::tangent::{OfAutodiff, OfTangent};

pub use crate::conversions;
pub use crate::counter::{distance, minus, nth, plus, times};
pub use crate::fallible;
pub use crate::float::Float;
pub use crate::graph::Graph;
pub use crate::held::{Held, not_followed, of_order_1, of_order_2, of_order_3};
#[cfg(feature = "alloc")]
pub use crate::jacobian::{
    Entries, all_columns, all_columns_in_lanes, all_rows, all_rows_of_some, by_columns, by_rows,
    cheaper_mode, cheaper_mode_in_lanes, one_column, one_row, write_jacobian,
};
pub use crate::kernels::{absorb, absorb_if, sdiv, select, select_if, smul, zdiv, zmul};
pub use crate::known::{
    Casting, Known, KnownFrom, KnownFromPrimitive, KnownTo, Of, argument, assume_std, casts, into,
    methods,
};
pub use crate::lanes::{self, Lanes};
pub use crate::lengths::{Whose, check_items, check_length, check_tangent, has_lists};
#[cfg(any(feature = "nalgebra", feature = "ndarray", feature = "num-complex"))]
pub use crate::linalg;
pub use crate::num::{self, Numeric, convert};
pub use crate::objective::{FallibleObjective, Objective, fallible_objective, objective};
#[cfg(feature = "alloc")]
pub use crate::objective::{
    FallibleResiduals, Hessian, Residuals, curved, fallible_residuals, flat, residuals, wide,
};
pub use crate::operators::{self, WriteOutMacrosThatJump, cast_back, cast_fore, inert};
#[cfg(any(feature = "std", feature = "libm"))]
pub use crate::rules::op;
#[cfg(feature = "sparse")]
pub use crate::sparse;
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
pub use crate::tape::{Var, dynamic};
pub use core::mem::{replace, swap};
pub use core::option::Option::{None, Some};

pub use crate::arm::Arm;
#[cfg(feature = "alloc")]
pub use crate::captured::Sparse;
pub use crate::captured::{Gathered, Shared};
pub use crate::checked::{
    CarriesNothing, Check, Found, HasNothing, Indexed, MethodsByValue, MethodsOfNumbers, Named,
    OfNumbersOrSigned, OfStandardLibrary, Same, StandardMethods, Undifferentiated, any, of_numbers,
    walked,
};
#[cfg(feature = "alloc")]
pub use crate::checkpoint::{
    checkpoint_binomial, checkpoint_every, checkpoint_while, checkpoint_while_every,
};
#[cfg(feature = "alloc")]
pub use crate::deep::{Deep, Waiting};
pub use crate::elementary_methods::ElementaryMethods;
#[cfg(feature = "alloc")]
pub use crate::matrix::Matrix;
pub use crate::numberless::{Numberless, decided};
pub use crate::operator_methods::{NegationMethod, OperatorMethods};
pub use crate::order::{Borrowed, ByValue, Changed, in_order};
#[cfg(feature = "alloc")]
pub use crate::parts::Grow;
pub use crate::parts::{
    All, At, Behind, Field, Formed, Ignored, Itself, Lend, LendNothing, Lent, Own, Part, PartOf,
    PartWithTangent, PartWithoutTangent, Put, Slot, behind, other_variant, variants_differ,
};
#[cfg(feature = "alloc")]
pub use crate::passed::Kept;
pub use crate::passed::{
    FieldByValue, IsArray, PassedOn, Returned, ReturnedByValue, a_list, an_array, passed,
};
pub use crate::rules::Flag;
#[cfg(any(feature = "std", feature = "libm"))]
pub use crate::rules::partial;
#[cfg(feature = "alloc")]
pub use crate::slices::{FieldPath, PairVisitor, SliceError};
pub use crate::slices::{Slice, SliceMut};
pub use crate::spare::{Again, Spare};
#[cfg(feature = "alloc")]
pub use crate::stack::{Slots, Stack};
pub use crate::state::{Copied, Start};
pub use crate::sums;
#[cfg(feature = "tensor")]
pub use crate::tensor::TensorFunctions;
#[cfg(feature = "tensor")]
pub use crate::tensor::fused;
#[cfg(feature = "tensor")]
pub use crate::tensor::places;
#[cfg(feature = "alloc")]
pub use crate::trace::{Recorder, Trace, integer};
#[cfg(feature = "alloc")]
pub use alloc::vec;
#[cfg(feature = "alloc")]
pub use alloc::vec::Vec;

/// What a function type returns.
pub trait Returns {
    /// The type.
    type Type: ?Sized;
}

impl<A, R: ?Sized> Returns for fn(A) -> R {
    type Type = R;
}

/// `Spelled<fn(&'a ()) -> Series>` is `Series<'a>` if the type has a lifetime, and `Series` if it has none.
pub type Spelled<F> = <F as Returns>::Type;

/// Whether a type has a derivative.
#[derive(Clone, Copy, Debug)]
pub struct Has<const TANGENT: bool>;

/// A type that has one.
pub trait Vouches<T: ?Sized> {
    /// The type.
    type Type: ?Sized;
}

impl<T: ?Sized> Vouches<T> for Has<true> {
    type Type = T;
}

/// A type that has a derivative, if the constant could be computed.
///
/// Where it could not, rustc takes this for whatever it has to be: there is the error of the constant, and no other.
pub type Vouched<const TANGENT: bool, T> = <Has<TANGENT> as Vouches<T>>::Type;

/// Asks whether a type has a derivative: [`Lacks`] has the answer where it has none.
#[derive(Clone, Copy, Debug)]
pub struct Probe<T: ?Sized>(core::marker::PhantomData<T>);

impl<T: Differentiable + ?Sized> Probe<T> {
    /// It has one.
    pub const HAS: bool = true;
}

/// What is found behind the answer of a [`Probe`] that has none.
pub trait Lacks {
    /// It has none.
    const HAS: bool = false;
}

impl<T: ?Sized> Lacks for Probe<T> {}

/// A type that has a tangent, if the constant says so.
pub trait PerhapsDifferentiable<T> {
    /// The type itself, or one without a tangent.
    type Type: Differentiable;
    /// The zero tangent.
    fn zero_of(of: &T) -> <Self::Type as Differentiable>::Tangent;
}

impl<T: Differentiable> PerhapsDifferentiable<T> for Has<true> {
    type Type = T;
    #[inline]
    fn zero_of(of: &T) -> T::Tangent {
        of.zero_tangent()
    }
}

impl<T> PerhapsDifferentiable<T> for Has<false> {
    type Type = ();
    #[inline]
    fn zero_of(_: &T) {}
}

/// What has the tangent of a constant: its type, or `()` where that has no derivative.
pub type Perhaps<const TANGENT: bool, T> = <Has<TANGENT> as PerhapsDifferentiable<T>>::Type;

/// The zero tangent of such a constant.
#[inline]
pub fn zero_of_perhaps<const TANGENT: bool, T>(
    of: &T,
) -> <Perhaps<TANGENT, T> as Differentiable>::Tangent
where
    Has<TANGENT>: PerhapsDifferentiable<T>,
{
    <Has<TANGENT> as PerhapsDifferentiable<T>>::zero_of(of)
}

/// What stands for a constant with the code of a function where its bounds ask for more than `f64` has.
pub trait Unlooked {
    #[doc(hidden)]
    const __CODE: bool = true;
}

impl<T: ?Sized> Unlooked for T {}

/// Its content where the feature `alloc` is on: a `#[cfg]` in generated code would ask the user's crate.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_alloc {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Its content where the feature `alloc` is on: here it is off.
#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_alloc {
    ($($tokens:tt)*) => {};
}

/// Its content where the feature `alloc` is off: here it is on.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __without_alloc {
    ($($tokens:tt)*) => {};
}

/// Its content where the feature `alloc` is off.
#[cfg(not(feature = "alloc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __without_alloc {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Comparison of a derived tangent up to a tolerance: the feature `approx` is on.
#[cfg(feature = "approx")]
#[doc(hidden)]
#[macro_export]
macro_rules! __approximate {
    ([$($generics:tt)*] [$($tangent:tt)*] [$($conditions:tt)*]) => {
        #[automatically_derived]
        impl $($generics)* $crate::approx::AbsDiffEq for $($tangent)* $($conditions)* {
            type Epsilon = f64;
            fn default_epsilon() -> f64 {
                f64::EPSILON
            }
            fn abs_diff_eq(&self, other: &Self, epsilon: f64) -> bool {
                $crate::approx::abs_diff_eq(self, other, epsilon)
            }
        }
        #[automatically_derived]
        impl $($generics)* $crate::approx::RelativeEq for $($tangent)* $($conditions)* {
            fn default_max_relative() -> f64 {
                f64::EPSILON
            }
            fn relative_eq(&self, other: &Self, epsilon: f64, max_relative: f64) -> bool {
                $crate::approx::relative_eq(self, other, epsilon, max_relative)
            }
        }
        #[automatically_derived]
        impl $($generics)* $crate::approx::UlpsEq for $($tangent)* $($conditions)* {
            fn default_max_ulps() -> u32 {
                4
            }
            fn ulps_eq(&self, other: &Self, epsilon: f64, max_ulps: u32) -> bool {
                $crate::approx::ulps_eq(self, other, epsilon, max_ulps)
            }
        }
    };
}

/// Comparison of a derived tangent up to a tolerance: the feature `approx` is off.
#[cfg(not(feature = "approx"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __approximate {
    ($($tokens:tt)*) => {};
}

/// Its content where there is a tape.
#[cfg(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_tape {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// Its content where there is a tape: here there is none.
#[cfg(not(all(
    feature = "alloc",
    any(feature = "std", feature = "libm"),
    target_has_atomic = "32"
)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_tape {
    ($($tokens:tt)*) => {};
}

/// What a method is called on that has no derivatives: types with the derive, and matrices and arrays of other crates, so that of any other type rustc has this to say and no more.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` has no derivatives; if the call is a constant, write `autodiff::stop_gradient(…)` around it; otherwise call a function of `autodiff` or one with `#[grad]` instead, or write `#[derive(Differentiable)]` above a type of your own and `#[grad]` above its `impl` block",
    label = "no derivatives"
)]
pub trait OwnType<Of: ?Sized = ()> {}

// Traits of the user's own have methods for numbers.
impl OwnType for f64 {}
impl OwnType for f32 {}

/// What stands behind the name of a function, whose derivatives come before it; `F` is a type of that name.
#[derive(Debug)]
pub struct NoDerivatives<F>(core::marker::PhantomData<F>);

impl<F> NoDerivatives<F> {
    #[doc(hidden)]
    pub const fn __derived()
    where
        F: IsDifferentiated,
    {
    }
}

/// The same of a function that may be one of another crate that is known, by its name.
#[derive(Debug)]
pub struct OfCrate<F>(core::marker::PhantomData<F>);

impl<F> OfCrate<F> {
    #[doc(hidden)]
    pub const fn __derived()
    where
        F: IsDifferentiatedByPath,
    {
    }
}

/// What every type has; where a function has no derivatives, what its name leads to has another.
pub trait Derived {
    #[doc(hidden)]
    fn __derived() {}
    #[doc(hidden)]
    const __TAKES: TakesAny = TakesAny;
    // Of a function of this library, that it is the one whose derivatives these are: who imports all of its names may have one of their own, which hides the function alone.
    #[doc(hidden)]
    fn __of_single<F>(_: F) {}
    #[doc(hidden)]
    fn __of_double<F>(_: F) {}
}

impl<T: ?Sized> Derived for T {}

/// How many arguments a function takes, and whether it returns a `Result`.
#[derive(Debug)]
pub struct Takes<const NEEDED: usize, const FAILS: bool = false>;

impl<const NEEDED: usize, const FAILS: bool> Takes<NEEDED, FAILS> {
    #[doc(hidden)]
    pub const fn given<const GIVEN: usize>(self)
    where
        (): Gives<NEEDED, GIVEN>,
    {
    }

    #[doc(hidden)]
    pub const fn fails(self)
    where
        Self: ReturnsResult,
    {
    }
}

/// A function that returns a `Result`: this one does not.
#[diagnostic::on_unimplemented(
    message = "what this function returns is no `Result`, for which it is taken here; bind an `Option` to a variable of its type first, `let found: Option<_> = f(x);`",
    label = "returns no `Result`"
)]
pub trait ReturnsResult {}

#[diagnostic::do_not_recommend]
impl<const NEEDED: usize> ReturnsResult for Takes<NEEDED, true> {}

/// The same where that is not known.
#[derive(Debug)]
pub struct TakesAny;

impl TakesAny {
    #[doc(hidden)]
    pub const fn given<const GIVEN: usize>(self) {}

    #[doc(hidden)]
    pub const fn fails(self) {}
}

/// A call that gives as many arguments as are needed: this one does not.
#[diagnostic::on_unimplemented(
    message = "this function takes {NEEDED} arguments, and is given {GIVEN}; give it {NEEDED}",
    label = "takes {NEEDED} arguments"
)]
pub trait Gives<const NEEDED: usize, const GIVEN: usize> {}

#[diagnostic::do_not_recommend]
impl<const COUNT: usize> Gives<COUNT, COUNT> for () {}

/// A type whose function has derivatives: this one has not.
#[diagnostic::on_unimplemented(
    message = "this function of `{Self}` has no derivatives; write `#[grad]` above it, or above its `impl` block; where it is another crate's, write it with what has derivatives, or `autodiff::stop_gradient(…)` around a call that is a constant",
    label = "no derivatives"
)]
pub trait HasDerivatives {
    /// What its forms return.
    type Forms;
}

/// A type whose method of a name has derivatives: this one has not.
#[diagnostic::on_unimplemented(
    message = "the method `{Method}` of `{Self}` has no derivatives; write `#[grad]` above its `impl` block, above the method itself where it lends a value of a type of your own, and above the trait where it is one of a trait; where it is another crate's, write it with what has derivatives, or `autodiff::stop_gradient(…)` around a call that is a constant",
    label = "no derivatives"
)]
pub trait HasDerivativesOf<Method> {
    /// What its forms return.
    type Forms;
}

/// What a type parameter has whose trait has derivatives of a method of this name: nothing shows that it has.
#[diagnostic::on_unimplemented(
    message = "the method `{Method}` is that of a trait without derivatives; write `#[grad]` above the trait and above its `impl` blocks, or where what has the trait is no variable `#[constant]` before the parameter",
    label = "the trait has no derivatives"
)]
pub trait HasDerivativesOfTrait<Method> {
    /// What its forms return.
    type Forms;
}

/// A type with a method that returns a `Result` and has derivatives: of this one that is not known.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` has no derivatives as one that returns a `Result`; write `#[grad]` above it, or above its `impl` block, and bind an `Option` to a variable of its type first, `let found: Option<_> = x.f();`",
    label = "no derivatives of a `Result`"
)]
pub trait HasDerivativesOfResult {
    /// What its forms return.
    type Forms;
}

/// A type with a method named like a derivative: of its own, and without derivatives, or of one that may be differentiated less than `N` times.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` has no derivatives; write `#[grad]` above it, or above its `impl` block; where it is the derivative of a method, `#[grad(order = {N})]` above that",
    label = "no derivatives"
)]
pub trait HasDerivativesOrOrder<const N: u32> {
    /// What its forms return.
    type Forms;
}

/// A type with a method of its own named like that of an operator: this one has the operator's alone, or none with derivatives.
#[diagnostic::on_unimplemented(
    message = "as a method an operator of `{Self}` has no derivatives; write the operator itself, `a + b` for `a.add(b)`, or `#[grad]` above the `impl` block of a method of your own",
    label = "no derivatives"
)]
pub trait HasOperatorAsMethod {
    /// What its forms return.
    type Forms;
}

/// A function that has derivatives: this one has not.
#[diagnostic::on_unimplemented(
    message = "the function `{Self}` has no derivatives; write `#[grad]` above it, or where it is another crate's, call it in one of your own with `#[grad(partials = (…))]`",
    label = "no derivatives"
)]
pub trait IsDifferentiated {}

/// A function that has derivatives, as those of `libm` and `statrs` have by their paths.
#[diagnostic::on_unimplemented(
    message = "the function `{Self}` has no derivatives; where it is that of `libm` or `statrs`, call it by its whole path, `libm::…(…)`, or call the function of `autodiff`; else write `#[grad]` above it",
    label = "no derivatives"
)]
pub trait IsDifferentiatedByPath {}

/// Stands behind the hidden forms that some derivatives call, of methods and of functions of types.
#[doc(hidden)]
#[macro_export]
macro_rules! __undifferentiated {
    ({ $($of_types:tt)* } { $($own:tt)* }) => {
        trait __OfTypes {
            $($crate::__undifferentiated! { @ $of_types })*
        }
        impl<__Of: ?::core::marker::Sized + $crate::generated::OwnType> __OfTypes for __Of {}
        // What is called as `Self::form` is that of whatever type it is.
        trait __OfSelf {
            $($crate::__undifferentiated! { @ $own })*
        }
        impl<__Of> __OfSelf for __Of {}
    };
    // Of matrices and arrays of other crates, whose own forms are those of traits: what has a row is found before.
    ({ $($of_types:tt)* } { $($own:tt)* } { $($of_matrices:tt)* } { $($functions:tt)* } { $($rowless:tt)* }) => {
        $crate::__undifferentiated! { { $($of_types)* } { $($own)* } }
        trait __OfMatrices {
            $($crate::__undifferentiated! { @@ $of_matrices })*
        }
        impl<__Of: $crate::generated::OwnType<$crate::linalg::Foreign>> __OfMatrices for __Of {}
        trait __OfMatrixTypes {
            $($crate::__undifferentiated! { @@ $functions })*
        }
        impl<__Of: $crate::generated::OwnType<$crate::linalg::ForeignName>> __OfMatrixTypes for __Of {}
        trait __OfRowless {
            $($crate::__undifferentiated! { @@ $rowless })*
        }
        impl<__Of: $crate::generated::OwnType<$crate::linalg::Rowless>> __OfRowless for __Of {}
    };
    (@@ [zero $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> ! { loop {} }
    };
    (@@ [beside $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> ! { loop {} }
    };
    (@@ [method $bound:path; $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $bound>::Forms where Self: $bound { loop {} }
    };
    (@@ [function $bound:path; $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> <Self as $bound>::Forms where Self: $bound { loop {} }
    };
    // Borrowed so, it is found behind those that are lent.
    (@ [of $method:path; $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivativesOf<$method>>::Forms where Self: $crate::generated::HasDerivativesOf<$method> { loop {} }
    };
    (@ [bound $method:path; $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <$crate::generated::Lacking<'static> as $crate::generated::HasDerivativesOfTrait<$method>>::Forms where for<'__any> $crate::generated::Lacking<'__any>: $crate::generated::HasDerivativesOfTrait<$method> { loop {} }
    };
    (@ [method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivatives>::Forms where Self: $crate::generated::HasDerivatives { loop {} }
    };
    (@ [operator method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasOperatorAsMethod>::Forms where Self: $crate::generated::HasOperatorAsMethod { loop {} }
    };
    (@ [$form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivatives>::Forms where Self: $crate::generated::HasDerivatives { loop {} }
    };
    (@ [result method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivativesOfResult>::Forms where Self: $crate::generated::HasDerivativesOfResult { loop {} }
    };
    (@ [result $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivativesOfResult>::Forms where Self: $crate::generated::HasDerivativesOfResult { loop {} }
    };
    (@ [beside method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> ! { loop {} }
    };
    (@ [beside $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> ! { loop {} }
    };
    (@ [derivative $order:literal method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <Self as $crate::generated::HasDerivativesOrOrder<$order>>::Forms where Self: $crate::generated::HasDerivativesOrOrder<$order> { loop {} }
    };
    (@ [$order:literal method $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>(&mut self, $($given: impl ::core::marker::Sized),*) -> <$crate::generated::Lacking<'static> as $crate::generated::OrderOfMethod<$order>>::Forms where for<'__any> $crate::generated::Lacking<'__any>: $crate::generated::OrderOfMethod<$order> { loop {} }
    };
    (@ [$order:literal $form:ident $({ $($generic:tt)* })* ($($given:tt)*)]) => {
        fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> <$crate::generated::Lacking<'static> as $crate::generated::OrderOfMethod<$order>>::Forms where for<'__any> $crate::generated::Lacking<'__any>: $crate::generated::OrderOfMethod<$order> { loop {} }
    };
}

/// Stands behind the forms of methods that a type parameter has of a trait: where the trait has them they are the bound's own, which rustc finds before.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_bound {
    ($forms:ident $bound:path $(, $form:tt)*) => {
        trait $forms {
            $($crate::__undifferentiated! { @ $form })*
        }
        impl<__Of: ?::core::marker::Sized + $bound> $forms for __Of {}
    };
}

/// A field of a tangent, by which derivatives find it under the field's name.
#[doc(hidden)]
#[macro_export]
macro_rules! __part {
    ([$($generics:tt)*] [$($tangent:tt)*] [$($conditions:tt)*] $member:tt: $part:ty, $key:tt) => {
        #[automatically_derived]
        #[doc(hidden)]
        impl $($generics)* ::core::ops::Index<$crate::generated::Field<$key, __VARIANT>> for $($tangent)* $($conditions)* {
            type Output = $part;
            #[inline]
            fn index(&self, _: $crate::generated::Field<$key, __VARIANT>) -> &$part {
                &self.$member
            }
        }
        #[automatically_derived]
        #[doc(hidden)]
        impl $($generics)* ::core::ops::IndexMut<$crate::generated::Field<$key, __VARIANT>> for $($tangent)* $($conditions)* {
            #[inline]
            fn index_mut(&mut self, _: $crate::generated::Field<$key, __VARIANT>) -> &mut $part {
                &mut self.$member
            }
        }
    };
}

/// What a type with the name of a function is; derived, each would repeat the lints.
#[doc(hidden)]
#[macro_export]
macro_rules! __function {
    ($function:ident) => {
        impl ::core::default::Default for $function {
            #[inline]
            fn default() -> Self {
                Self {}
            }
        }
        impl ::core::fmt::Debug for $function {
            #[inline]
            fn fmt(&self, out: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                out.write_str(::core::stringify!($function))
            }
        }
    };
}

/// The forms of higher order that are called of a function, for the case that its order is lower, which is the caller's one error.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_lower_order {
    ($forms:ident $function:ident $([$form:ident $({ $($generic:tt)* })* ($($given:tt)*)])*) => {
        trait $forms {
            $(fn $form<$($($generic)*),*>($($given: impl ::core::marker::Sized),*) -> ! { ::core::unreachable!() })*
        }
        impl $forms for $function {}
    };
}

pub use autodiff_rules::holding;

pub use crate::copies::{Original, copy};

pub use crate::{
    __approximate as approximate, __by_parts as by_parts, __function as function,
    __of_bound as of_bound, __of_lower_order as of_lower_order, __own_type as own_type,
    __part as part, __undifferentiated as undifferentiated, __with_alloc as with_alloc,
    __with_tape as with_tape, __without_alloc as without_alloc,
};

#[cfg(feature = "alloc")]
pub use alloc::{borrow::ToOwned, boxed::Box, string::String};

/// The zero tangent of a value.
#[inline]
pub fn zero_like<T: Differentiable + ?Sized>(x: &T) -> T::Tangent {
    x.zero_tangent()
}

/// Sets each tangent of a slice to zero.
#[inline]
pub fn set_zero<T: Tangent>(tangents: &mut [T]) {
    tangents.iter_mut().for_each(|t| *t = t.zero_like());
}

/// How many scalars a value has.
#[inline]
pub fn scalars<T: Differentiable + ?Sized>(x: &T) -> usize {
    x.zero_tangent().scalar_count()
}

/// How the scalars of a field are called.
#[cfg(feature = "alloc")]
pub fn name_scalars_of<T: Differentiable + ?Sized>(
    x: &T,
    name: &str,
    field: &str,
    out: &mut Vec<String>,
) {
    x.name_scalars(&alloc::format!("{name}.{field}"), out);
}

/// The shape of a value.
#[inline]
pub fn shape_of<T: Shaped + ?Sized>(x: &T) -> T::Shape {
    x.__shape()
}

/// The zero tangent of a shape.
#[inline]
pub fn zero_of<S: Shape>(shape: &S) -> S::Zero {
    shape.zero()
}

/// `a += t`.
#[inline]
#[track_caller]
pub fn acc<A: Accumulate<T> + ?Sized, T: ?Sized>(a: &mut A, t: &T) {
    a.__accumulate(t);
}

/// `a + b`.
#[inline]
pub fn sum<T: Accumulate>(mut a: T, b: T) -> T {
    a.__accumulate(&b);
    a
}

/// A cotangent as the user's code leaves it.
#[inline]
pub fn watched<T>(mut cotangent: T, code: impl FnOnce(&mut T)) -> T {
    // Where there are tapes.
    #[cfg(all(
        feature = "alloc",
        any(feature = "std", feature = "libm"),
        target_has_atomic = "32"
    ))]
    crate::tape::calls::count_watch();
    code(&mut cotangent);
    cotangent
}

/// The sum of all elements, added to `zero`.
#[inline]
pub fn sum_elements<T: Accumulate>(all: &[T], zero: T) -> T {
    let mut total = zero;
    all.iter().for_each(|t| total.__accumulate(t));
    total
}

/// An array of copies.
#[inline]
pub fn repeat<T: Clone, const N: usize>(x: &T) -> [T; N] {
    core::array::from_fn(|_| x.clone())
}

/// Reads a place, and leaves zero in it.
#[inline]
pub fn take_zero<T: Tangent>(place: &mut T) -> T {
    let zero = place.zero_like();
    replace(place, zero)
}

/// The sum of all elements, added to `zero`; they are set to zero.
#[inline]
pub fn sum_zero<T: Tangent + Accumulate>(all: &mut [T], zero: T) -> T {
    let mut total = zero;
    for t in all {
        total.__accumulate(&take_zero(t));
    }
    total
}

/// `to += from`, and `from` is set to zero.
#[inline]
#[track_caller]
pub fn give<T: Tangent + Accumulate>(to: &mut [T], from: &mut [T]) {
    assert_eq!(to.len(), from.len(), "copying between slices");
    for (a, b) in to.iter_mut().zip(from) {
        a.__accumulate(&take_zero(b));
    }
}

/// Two parts of a sequence that do not overlap, each from its first element to the one behind its last.
///
/// # Panics
/// If they overlap.
#[inline]
#[track_caller]
pub fn two_parts<T>(
    all: &mut [T],
    a: (usize, Option<usize>),
    b: (usize, Option<usize>),
) -> (&mut [T], &mut [T]) {
    let end = all.len();
    let (a, b) = ((a.0, a.1.unwrap_or(end)), (b.0, b.1.unwrap_or(end)));
    if a.1 <= b.0 {
        let (left, right) = all.split_at_mut(b.0);
        (&mut left[a.0..a.1], &mut right[..b.1 - b.0])
    } else {
        let (left, right) = all.split_at_mut(a.0);
        (&mut right[..a.1 - a.0], &mut left[b.0..b.1])
    }
}

/// Removes the last element.
///
/// # Panics
/// If there is none.
#[cfg(feature = "alloc")]
#[inline]
#[track_caller]
pub fn pop<T>(all: &mut Vec<T>) -> T {
    match all.pop() {
        Some(last) => last,
        None => panic!("an empty vector has no last element"),
    }
}

/// Appends a vector.
#[cfg(feature = "alloc")]
#[inline]
pub fn append<T>(all: &mut Vec<T>, mut tail: Vec<T>) {
    all.append(&mut tail);
}

/// A number, or what a reference to one refers to.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no number, and part of an expression that is differentiated",
    label = "no number",
    note = "bind what the expression needs by `let`, with its type"
)]
pub trait Plain {
    /// The number's type.
    type Number;
    /// The number.
    fn plain(&self) -> Self::Number;
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Plain for $t {
            type Number = $t;
            #[inline]
            fn plain(&self) -> $t {
                *self
            }
        }
    )*};
}
plain!(f32 f64 bool u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: Plain + ?Sized> Plain for &T {
    type Number = T::Number;
    #[inline]
    fn plain(&self) -> T::Number {
        (**self).plain()
    }
}

impl<T: Plain + ?Sized> Plain for &mut T {
    type Number = T::Number;
    #[inline]
    fn plain(&self) -> T::Number {
        (**self).plain()
    }
}

/// A number that may stand behind references.
#[inline]
pub fn plain<T: Plain + ?Sized>(x: &T) -> T::Number {
    x.plain()
}

/// The number of a known type that a value is, or refers to.
#[inline]
pub fn number<N: Clone, T: core::borrow::Borrow<N> + ?Sized>(x: &T) -> N {
    x.borrow().clone()
}

/// References to values of a type, of which nothing more is said where there is no such type.
pub trait SeenAs<T: ?Sized> {
    /// The reference.
    type Reference;
    /// Itself.
    fn seen(self) -> Self::Reference;
}

impl<'a, T: ?Sized> SeenAs<T> for &'a T {
    type Reference = &'a T;
    #[inline]
    fn seen(self) -> &'a T {
        self
    }
}

impl<'a, T: ?Sized> SeenAs<T> for &'a mut T {
    type Reference = &'a mut T;
    #[inline]
    fn seen(self) -> &'a mut T {
        self
    }
}

/// A reference to a value of this type.
#[inline]
pub fn seen_as<T: ?Sized, R: SeenAs<T>>(reference: R) -> R::Reference {
    reference.seen()
}

/// A float in the type of another.
#[inline]
pub fn cast_like<A: Numeric, B: Numeric>(x: A, _: &B) -> B {
    num::cast(x)
}

/// What is inside an option.
///
/// # Panics
/// If it is empty, as `unwrap` does.
#[inline]
#[track_caller]
pub fn payload<T>(option: Option<T>) -> T {
    option.unwrap()
}

/// What may hold a value: an option, or a result, whose error is left.
pub trait Optional {
    /// The value.
    type Value;
    /// The value, if there is one.
    fn optional(self) -> Option<Self::Value>;
}

impl<T> Optional for Option<T> {
    type Value = T;
    #[inline]
    fn optional(self) -> Option<T> {
        self
    }
}

impl<T, E> Optional for Result<T, E> {
    type Value = T;
    #[inline]
    fn optional(self) -> Option<T> {
        self.ok()
    }
}

/// What a call gives that is gone on with as an option.
#[inline]
pub fn optional<T: Optional>(given: T) -> Option<T::Value> {
    given.optional()
}

/// What holds one thing: a box, or an option that is not empty.
pub trait Holds {
    /// What it holds.
    type Held;
    /// The same.
    ///
    /// # Panics
    /// If it is an empty option.
    fn held(self) -> Self::Held;
}

impl<T> Holds for Option<T> {
    type Held = T;
    #[inline]
    #[track_caller]
    fn held(self) -> T {
        payload(self)
    }
}

#[cfg(feature = "alloc")]
impl<T> Holds for Box<T> {
    type Held = T;
    #[inline]
    fn held(self) -> T {
        *self
    }
}

/// Says that an option is of the type of an item; always true.
#[inline]
#[must_use]
pub fn alike<T>(_: &Option<T>, _: &T) -> bool {
    true
}

/// The ends of a range of integers.
pub trait Items: Iterator {
    /// The first `n` items.
    #[must_use]
    fn front(self, n: usize) -> Self;
    /// The last `n` items.
    #[must_use]
    fn back(self, n: usize) -> Self;
}

macro_rules! items {
    ($($t:ty)*) => {$(
        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_lossless, clippy::reversed_empty_ranges)]
        impl Items for core::ops::Range<$t> {
            #[inline]
            fn front(self, n: usize) -> Self {
                self.start..self.start.wrapping_add(n as $t)
            }
            #[inline]
            fn back(self, n: usize) -> Self {
                self.end.wrapping_sub(n as $t)..self.end
            }
        }

        #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_lossless, clippy::reversed_empty_ranges)]
        impl Items for core::ops::RangeInclusive<$t> {
            #[inline]
            fn front(self, n: usize) -> Self {
                let (start, _) = self.into_inner();
                if n == 0 { 1..=0 } else { start..=start.wrapping_add((n - 1) as $t) }
            }
            #[inline]
            fn back(self, n: usize) -> Self {
                let (_, end) = self.into_inner();
                if n == 0 { 1..=0 } else { end.wrapping_sub((n - 1) as $t)..=end }
            }
        }
    )*};
}
items!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// The first `n` items of a range.
#[inline]
pub fn first_items<R: Items>(range: R, n: usize) -> R {
    range.front(n)
}

/// The last `n` items of a range.
#[inline]
pub fn last_items<R: Items>(range: R, n: usize) -> R {
    range.back(n)
}

/// How many rounds a range makes.
#[inline]
pub fn rounds<I: Iterator>(range: &I) -> usize {
    range.size_hint().0
}

/// The number at an index, or some number where there is none.
#[inline]
pub fn number_at<T: Copy + Default>(all: &[T], index: usize) -> T {
    all.get(index).copied().unwrap_or_default()
}

/// Puts a number back where [`number_at`] found it.
#[inline]
pub fn put_number<T>(all: &mut [T], index: usize, number: T) {
    if let Some(slot) = all.get_mut(index) {
        *slot = number;
    }
}

/// So many elements from `start` on, which is not computed where there are none.
#[inline]
pub fn row<T>(all: &[T], length: usize, start: impl FnOnce() -> usize) -> &[T] {
    if length == 0 {
        return &[];
    }
    &all[start()..][..length]
}

/// As [`row`], to be changed.
#[inline]
pub fn row_mut<T>(all: &mut [T], length: usize, start: impl FnOnce() -> usize) -> &mut [T] {
    if length == 0 {
        return &mut [];
    }
    &mut all[start()..][..length]
}

/// Two rows to be changed, each of so many elements, if they lie within and do not overlap, and are long enough to be worth it.
#[inline]
pub fn two_rows<T>(
    all: &mut [T],
    length: usize,
    starts: impl FnOnce() -> (usize, usize),
) -> Option<(&mut [T], &mut [T])> {
    const WORTH_IT: usize = 8;
    if length < WORTH_IT {
        return None;
    }
    let (first, second) = starts();
    let (low, high) = (first.min(second), first.max(second));
    let (above, below) = all.split_at_mut_checked(high)?;
    let (lower, upper) = (
        above.get_mut(low..low.checked_add(length)?)?,
        below.get_mut(..length)?,
    );
    Some(if first == low {
        (lower, upper)
    } else {
        (upper, lower)
    })
}

/// The seed of a gradient: one, if the result is a number.
pub trait Unit {
    /// One.
    ///
    /// # Panics
    /// If the type is no number: a gradient is that of one number.
    fn unit() -> Self;
}

impl<T: Numeric> Unit for T {
    #[inline]
    fn unit() -> T {
        num::lit(1.0)
    }
}

/// Of a number that may be absent, where it is there.
impl<T: Numeric> Unit for Option<T> {
    #[inline]
    fn unit() -> Option<T> {
        Some(T::unit())
    }
}

/// A type whose tangent is `S`, where only the caller knows that.
pub trait Seeded<S> {
    /// The tangent, as what it is.
    fn seeded(s: S) -> <Self as Differentiable>::Tangent
    where
        Self: Differentiable;
}

impl<T: Differentiable> Seeded<T::Tangent> for T {
    #[inline]
    fn seeded(s: T::Tangent) -> T::Tangent {
        s
    }
}

/// A cotangent of a result of type `R`.
#[inline]
pub fn seed<R: Differentiable + Seeded<S>, S>(s: S) -> R::Tangent {
    R::seeded(s)
}

/// Panics unless a value computed again is the one remembered, bit for bit.
#[track_caller]
pub fn assert_same<T: Numeric>(name: &str, again: T, remembered: T) {
    assert!(
        num::same(again, remembered),
        "`{name}` was {:?}, but {:?} when computed again",
        num::cast::<T, f64>(remembered),
        num::cast::<T, f64>(again),
    );
}

/// Whether it is a zero, of either sign.
#[inline]
#[must_use]
pub fn is_zero<T: Numeric>(x: T) -> bool {
    num::cast::<T, f64>(x) == 0.0
}

/// Panics where a factor of a derivative's product that is zero absorbs one that is not finite; only zeros count of which that is said.
///
/// # Panics
///
/// As it says.
#[inline]
#[track_caller]
pub fn absorbed<T: Numeric>(slope: T, partial: T, of_slope: bool, of_partial: bool) {
    let [d, p] = [slope, partial].map(num::cast::<T, f64>);
    let absorbs =
        of_slope && d == 0.0 && !p.is_finite() || of_partial && p == 0.0 && !d.is_finite();
    assert!(
        !absorbs,
        "a zero absorbs an infinite slope: {d:?} * {p:?} is taken for 0; the function may be smooth here and its derivative another one"
    );
}

/// The same of a quotient, where a divisor that is infinite absorbs.
///
/// # Panics
///
/// As it says.
#[inline]
#[track_caller]
pub fn quotient_absorbed<T: Numeric>(slope: T, divisor: T, of_slope: bool, of_divisor: bool) {
    let divisor = num::cast::<T, f64>(divisor);
    absorbed(
        num::cast::<T, f64>(slope),
        divisor.recip(),
        of_slope,
        of_divisor,
    );
}

/// The matrix of zeros.
#[cfg(feature = "alloc")]
#[must_use]
pub fn zeros<T: Numeric>(rows: usize, cols: usize) -> Matrix<T> {
    Matrix::from_vec(rows, cols, vec![num::lit(0.0); rows * cols])
}

/// A function that may be differentiated `N` times.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivatives of order {N}, which this function asks for",
    label = "no derivatives of order {N}",
    note = "write `#[grad(order = {N})]` on `{Self}`, too"
)]
pub trait Order<const N: u32> {}

/// The tangent of what is a constant to the function that is called, as it is to the one that calls it.
#[diagnostic::on_unimplemented(
    message = "a constant is passed to this function, which may write to it and takes it as a parameter with derivatives",
    label = "what it writes may have a derivative",
    note = "write `#[constant]` before the parameter there, too"
)]
pub trait Nothing {}

impl Nothing for () {}

/// Makes sure of it.
#[inline]
#[must_use]
pub fn nothing<Z: Nothing>(zero: Z) -> Z {
    zero
}

/// What a method returns that changes its receiver and lends it to the next one of a chain, as far as derivatives know.
#[diagnostic::on_unimplemented(
    message = "this method returns `{Self}`, and the next one is called on that; write `let a = …;` for the result first",
    label = "does not return `&mut Self`"
)]
pub trait ReturnsItself {}

impl ReturnsItself for () {}

/// Makes sure of it.
#[inline]
pub fn itself<T: ReturnsItself>(_: T) {}

/// A method that may be differentiated `N` times.
#[diagnostic::on_unimplemented(
    message = "this method has no derivatives of order {N}, which the function that calls it asks for",
    label = "no derivatives of order {N}",
    note = "write `#[grad(order = {N})]` on the method, or on its `impl`, too"
)]
pub trait OrderOfMethod<const N: u32> {
    /// What its forms return.
    type Forms;
}

/// A function that may be differentiated `N` times, where it is called by its own name.
#[diagnostic::on_unimplemented(
    message = "this function has no derivatives of order {N}",
    label = "no derivatives of order {N}",
    note = "write `#[grad(order = {N})]` on the function"
)]
pub trait OrderOfFunction<const N: u32> {}

/// A function whose result is one number.
#[diagnostic::on_unimplemented(
    message = "`grad`, `hvp` and `hessian` are of functions whose result is one number",
    label = "the result of this function is not one number",
    note = "use `jacobian` or `vjp`; for second derivatives write a `#[grad(order = 2)]` function that returns one of the results, or a weighted sum of them"
)]
pub trait ResultIsOneNumber {}

/// A function that is no constant to the functions that call it.
#[diagnostic::on_unimplemented(
    message = "this function has no derivative: there is nothing to differentiate",
    label = "a constant to the functions that call it",
    note = "it returns no float, or has `#[grad(constant)]`; return a float"
)]
pub trait HasSomethingToDifferentiate {}

/// A float, by another name.
#[diagnostic::on_unimplemented(
    message = "this function of `{Self}` is taken for that of a float, which `{Self}` is not",
    label = "neither `f32` nor `f64`",
    note = "call it as a method of its first argument"
)]
pub trait NameOfFloat {}

impl NameOfFloat for f32 {}
impl NameOfFloat for f64 {}

/// Asks rustc whether `T` is a float.
#[inline]
pub fn name_of_float<T: NameOfFloat>() {}

/// Stands for any method that lacks an order: the lifetime defers the error to the call.
#[derive(Debug)]
pub struct Lacking<'a>(PhantomData<&'a ()>);

/// A function of which `grad` and `value_and_grad` have derivatives themselves: a type carries those of both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivatives of order 2, which the derivative of its gradient is",
    label = "no derivatives of order 2",
    note = "write `#[grad(order = 2)]` on `{Self}`, whose result has to be a number"
)]
pub trait HasValueAndGrad {
    /// The type.
    type Forms: Default;
}

/// What carries the derivatives of `F::value_and_grad`.
#[inline]
pub fn value_and_grad_of<F: HasValueAndGrad>() -> F::Forms {
    F::Forms::default()
}

/// A function of which `jvp` has derivatives itself: a type carries them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivatives of order 2, which the derivative of its `jvp` is",
    label = "no derivatives of order 2",
    note = "write `#[grad(order = 2)]` on `{Self}`, whose result has to be a number"
)]
pub trait HasJvp {
    /// The type.
    type Forms: Default;
}

/// What carries the derivatives of `F::jvp`.
#[inline]
pub fn jvp_of<F: HasJvp>() -> F::Forms {
    F::Forms::default()
}

/// A function of which `hvp` has derivatives itself: a type carries them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivatives of order 3, which the derivative of its `hvp` is",
    label = "no derivatives of order 3",
    note = "write `#[grad(order = 3)]` on `{Self}`, whose result has to be a number"
)]
pub trait HasHvp {
    /// The type.
    type Forms: Default;
}

/// What carries the derivatives of `F::hvp`.
#[inline]
pub fn hvp_of<F: HasHvp>() -> F::Forms {
    F::Forms::default()
}

/// Asks for it.
#[inline]
pub fn require_order<F: Order<N>, const N: u32>() {}

/// A function that comes with its derivative; no closure does.
#[diagnostic::on_unimplemented(
    message = "the derivative of a closure is known only within a `#[grad]` function",
    label = "a closure, of which only the value is known here",
    note = "write a #[grad] function that makes this call, and differentiate that one"
)]
pub trait WithDerivative {}

/// A function whose derivative a dynamic function could be given; none is.
#[diagnostic::on_unimplemented(
    message = "a dynamic function that takes functions has no derivative of its own",
    label = "of this function only the value is known here",
    note = "write a `#[grad(dynamic)]` function that makes this call, and differentiate that one"
)]
pub trait OfVariables {}

/// A function that takes functions, and can be called with those of variables.
#[diagnostic::on_unimplemented(
    message = "a compiled function that takes functions cannot be called in a dynamic one",
    label = "this takes a function of plain numbers",
    note = "write `#[grad(dynamic)]` above the function that is called"
)]
pub trait CalledOnTape {}

/// The type of a value, to be named without the value.
#[inline]
pub fn type_of<T>(_: &T) -> PhantomData<T> {
    PhantomData
}

/// The type of what a function would return.
#[inline]
pub fn type_made_by<T>(_: impl FnOnce() -> T) -> PhantomData<T> {
    PhantomData
}

/// Says that a reference is to that type.
#[inline]
pub fn tie<T>(_: PhantomData<T>, x: &mut T) -> &mut T {
    x
}

/// A direction times a slope, in the order of their scalars, where nothing comes of a zero.
#[cfg(feature = "alloc")]
#[inline]
pub fn pair<D: Differentiable + ?Sized, T: Tangent>(direction: &D, slope: &T) -> f64 {
    // As many as need no heap.
    const FEW: usize = 16;
    let with = |along: &mut [f64], slopes: &mut [f64]| {
        direction.write_flat(along);
        slope.write_flat(slopes);
        let terms = along.iter().zip(&*slopes);
        terms.fold(0.0, |sum, (&d, &p)| sum + zmul(d, p))
    };
    let count = slope.scalar_count();
    if count <= FEW {
        with(&mut [0.0; FEW][..count], &mut [0.0; FEW][..count])
    } else {
        with(&mut vec![0.0; count], &mut vec![0.0; count])
    }
}

/// Times a cotangent; where that is zero nothing is left, whatever was there, and a zero stays one, whatever that is.
#[inline]
pub fn scale<T: Tangent>(bar: &mut T, cotangent: f64) {
    if cotangent == 0.0 {
        *bar = bar.zero_like();
    } else if cotangent.is_finite() {
        bar.scale_by(cotangent);
    } else {
        bar.for_each_scalar(&mut |x| *x = zmul(*x, cotangent));
    }
}

/// The sum of products of corresponding scalars, where nothing flows back to a zero.
#[cfg(feature = "alloc")]
pub fn inner<T: Tangent>(cotangent: &T, partials: &T) -> f64 {
    let (cotangent, partials) = (cotangent.to_flat(), partials.to_flat());
    let terms = cotangent.iter().zip(&partials);
    terms.fold(0.0, |sum, (&d, &p)| sum + zmul(d, p))
}

/// The same without a heap.
#[cfg(not(feature = "alloc"))]
pub fn inner<T: Tangent>(cotangent: &T, partials: &T) -> f64 {
    let scalar = |of: &T, k| {
        let (mut at, mut found) = (0, 0.0);
        of.clone().for_each_scalar(&mut |x| {
            if at == k {
                found = *x;
            }
            at += 1;
        });
        found
    };
    (0..cotangent.scalar_count()).fold(0.0, |sum, k| {
        sum + zmul(scalar(cotangent, k), scalar(partials, k))
    })
}

/// What is in scope in generated code: the traits whose methods it calls, and for a module without the prelude what that has.
pub mod scope {
    #[cfg(feature = "tensor")]
    pub use super::TensorFunctions as _;
    pub use super::{
        CarriesNothing as _, Check as _, ElementaryMethods as _, HasNothing as _,
        NegationMethod as _, OperatorMethods as _,
    };
    pub use crate::conversions::{MadeFrom as _, MadeFromLent as _, MadeInto as _};
    pub use crate::copies::{CopyByParts as _, NoCopy as _};
    pub use crate::lanes::{InOneDirection as _, NotWidened as _};
    #[cfg(feature = "alloc")]
    pub use crate::parts::Grow as _;
    pub use crate::parts::{
        All as _, Lend as _, LendNothing as _, Own as _, PartWithTangent as _,
        PartWithoutTangent as _, Put as _,
    };
    pub use crate::spare::Again as _;
    pub use core::clone::Clone as _;
    pub use core::iter::{
        DoubleEndedIterator as _, ExactSizeIterator as _, IntoIterator as _, Iterator as _,
    };
    pub use core::ops::FnOnce;
}
