//! Matrices, vectors and arrays of other crates as values that have derivatives.
//!
//! To the compiler they are types of a user's own. Operators have rules, see [`operators`](crate::operators); a method has hidden forms, in a trait of its name.
//! `method!` makes that trait and its forms, of the first and the second order, from how the arguments are passed; `row!` says what it computes, for a type.
//! So how generated code calls is in this file alone, and mathematics in those of the crates.

#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
use crate::generated::OwnType;
use crate::tangent::Differentiable;

#[cfg(feature = "num-complex")]
pub mod complex;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;
#[cfg(feature = "ndarray")]
pub mod ndarray;
pub mod plain;

/// What is in scope in generated code about such values: besides what is so everywhere, the traits with the forms that it calls, none of which has a name here.
pub mod scope {
    pub use super::Line as _;
    #[cfg(feature = "num-complex")]
    pub use super::complex::scope::*;
    pub use super::forms::changing::*;
    pub use super::forms::scope::*;
    #[cfg(feature = "nalgebra")]
    pub use super::nalgebra::scope::*;
    #[cfg(feature = "ndarray")]
    pub use super::ndarray::scope::*;

    pub use crate::generated::scope::*;
}

/// The tangent of a type.
pub(crate) type Tan<T> = <T as Differentiable>::Tangent;

/// A type of another crate that has rows here.
pub trait Arranged: Differentiable + Sized {}

/// What a view shows, or an array or a matrix itself: derivatives have it in place of views, which pullbacks outlive.
pub trait Viewed {
    /// The owned type.
    type Shown;
    /// A copy of a view; nothing else is copied.
    fn __shown(self) -> Self::Shown;
}
#[cfg(feature = "nalgebra")]
impl<T, R, C, S> Viewed for ::nalgebra::Matrix<T, R, C, S>
where
    T: ::nalgebra::Scalar,
    R: ::nalgebra::Dim,
    C: ::nalgebra::Dim,
    S: ::nalgebra::Storage<T, R, C>,
    ::nalgebra::DefaultAllocator: ::nalgebra::allocator::Allocator<R, C>,
{
    type Shown = ::nalgebra::OMatrix<T, R, C>;
    #[inline]
    fn __shown(self) -> Self::Shown {
        self.into_owned()
    }
}
#[cfg(feature = "ndarray")]
impl<T: Clone, S: ::ndarray::Data<Elem = T>, D: ::ndarray::Dimension> Viewed
    for ::ndarray::ArrayBase<S, D>
{
    type Shown = ::ndarray::Array<T, D>;
    #[inline]
    fn __shown(self) -> Self::Shown {
        self.into_owned()
    }
}

/// What has rows and columns, to which the elements of a list are added one by one.
pub trait Line {
    /// How far the list moves on from one element of a line of `count` to the next: of ndarray a list of one number has it for each of them.
    ///
    /// # Panics
    ///
    /// If the list is as long as no such line.
    #[track_caller]
    fn __step(&self, count: usize, length: usize) -> usize;
}

#[cold]
#[inline(never)]
#[track_caller]
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
fn no_line(count: usize, length: usize) -> ! {
    panic!("a row or a column of {count} is given {length}")
}
#[cfg(feature = "nalgebra")]
impl<T, R, C, S> Line for ::nalgebra::Matrix<T, R, C, S> {
    #[inline]
    fn __step(&self, count: usize, length: usize) -> usize {
        if length != count {
            no_line(count, length)
        }
        1
    }
}
#[cfg(feature = "ndarray")]
impl<S: ::ndarray::RawData, D> Line for ::ndarray::ArrayBase<S, D> {
    #[inline]
    fn __step(&self, count: usize, length: usize) -> usize {
        if length != count && length != 1 {
            no_line(count, length)
        }
        usize::from(length == count)
    }
}

/// What matrices, vectors and arrays are among types, of numbers of whatever type: their methods are asked for rows.
#[derive(Debug)]
pub enum Foreign {}
/// The same of functions, which their types are asked for by name.
#[derive(Debug)]
pub enum ForeignName {}
/// What types are of which no function has a row, so that names that others have rows for are asked of them too.
#[derive(Debug)]
pub enum Rowless {}

/// What is a matrix or an array, and what has the methods of another one behind it, of which functions alone are asked.
macro_rules! foreign {
    ($([$($g:tt)*] $ty:ty;)* behind $([$($h:tt)*] $behind:ty;)* rowless $([$($r:tt)*] $rowless:ty;)*) => {
        $(
            impl<$($g)*> OwnType<Foreign> for $ty {}
            impl<$($g)*> OwnType<ForeignName> for $ty {}
        )*
        $(impl<$($h)*> OwnType<ForeignName> for $behind {})*
        $(impl<$($r)*> OwnType<Rowless> for $rowless {})*
    };
}
#[cfg(feature = "nalgebra")]
foreign! {
    [T, R, C, S] ::nalgebra::Matrix<T, R, C, S>;
    [T, const D: usize] ::nalgebra::Rotation<T, D>;
    [T, const D: usize] ::nalgebra::Translation<T, D>;
    [T, R, const D: usize] ::nalgebra::Isometry<T, R, D>;
    [T] ::nalgebra::Quaternion<T>;
    [T: ::nalgebra::Scalar, const D: usize] ::nalgebra::OPoint<T, ::nalgebra::Const<D>>;
    behind
    [T] ::nalgebra::Unit<T>;
    [T] ::nalgebra::Perspective3<T>;
    [T] ::nalgebra::Orthographic3<T>;
    [T, R, const D: usize] ::nalgebra::Similarity<T, R, D>;
    [T: ::nalgebra::RealField, C: ::nalgebra::TCategory] ::nalgebra::Transform<T, C, 2>;
    [T: ::nalgebra::RealField, C: ::nalgebra::TCategory] ::nalgebra::Transform<T, C, 3>;
    rowless
    [T] ::nalgebra::Perspective3<T>;
    [T] ::nalgebra::Orthographic3<T>;
    [T, R, const D: usize] ::nalgebra::Similarity<T, R, D>;
    [T: ::nalgebra::RealField, C: ::nalgebra::TCategory] ::nalgebra::Transform<T, C, 2>;
    [T: ::nalgebra::RealField, C: ::nalgebra::TCategory] ::nalgebra::Transform<T, C, 3>;
}
#[cfg(feature = "ndarray")]
foreign! {
    [S: ::ndarray::RawData, D] ::ndarray::ArrayBase<S, D>;
    behind
    rowless
}

/// A matrix or an array whose method has a row: none, which is said where the method is called.
#[diagnostic::on_unimplemented(
    message = "this method of `{Self}` has no derivatives; write it with methods that have, of which the notes name those of most use, or with elements",
    label = "no derivatives",
    note = "of nalgebra there are `dot`, `norm`, `cross`, `normalize`, `transpose`, `component_mul`, `component_div`, `map`, `zip_map`, `sum`, `trace`, `determinant`, `try_inverse`, `lu`, `cholesky`, `row`, `column`, `rows`, `columns`, `fixed_view`, `axpy`, `gemv`, `gemm`",
    note = "of ndarray there are `dot`, `mapv`, `sum`, `mean`, `sum_axis`, `t`, `row`, `column`, `slice`, `outer_iter`, `scaled_add`, `assign`, `from_shape_fn`",
    note = "if the call is a constant, write `autodiff::stop_gradient(…)` around it"
)]
pub trait HasRow {
    /// What its forms return.
    type Forms;
}

/// A type of another crate whose function has a row: this one has none.
#[diagnostic::on_unimplemented(
    message = "this function of `{Self}` has no derivatives; write what it makes with constructors that have, of which the notes name those of most use",
    label = "no derivatives",
    note = "of nalgebra there are `new`, `from_element`, `from_vec`, `from_row_slice`, `from_columns`, `from_rows`, `from_diagonal`, `from_fn`, and of what turns `from_axis_angle`, `from_euler_angles`, `from_scaled_axis`, `from_quaternion`, `from_parts`",
    note = "of ndarray there are `array!`, `from_vec`, `from_elem`, `from_shape_fn`",
    note = "if the call is a constant, write `autodiff::stop_gradient(…)` around it"
)]
pub trait HasFunction {
    /// What its forms return.
    type Forms;
}

/// A type of another crate whose values have derivatives: this one's have none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivatives; write it with a type that has, or with the elements of a matrix",
    label = "no derivatives",
    note = "of nalgebra, what turns is `UnitComplex`, `Rotation2`, `UnitQuaternion` and `Rotation3`, and with a shift `Isometry2` and `Isometry3`",
    note = "a projection is a matrix with its elements, `Matrix4::new(…)`, a product, and a quotient",
    note = "if the call is a constant, write `autodiff::stop_gradient(…)` around it"
)]
pub trait HasRows {
    /// What its forms return.
    type Forms;
}

/// A type whose values are made of numbers by functions that are linear in them, as its tangents are.
pub trait Linear: Differentiable + Sized {
    /// The tangent with these numbers.
    fn __as_tangent(self) -> Self::Tangent;
}

/// What stands behind the name of a method: its trait, for rows to implement, and the forms that generated code calls.
///
/// Of the arguments behind the receiver those come first that are lent, then those that are passed by value.
macro_rules! method {
    ($($Trait:ident $name:ident($($b:ident: $B:ident),*; $($s:ident: $S:ident),*);)*) => {
        pastey::paste! {
            /// What generated code imports.
            #[allow(unreachable_pub, reason = "of a module that has it in its own")]
            pub mod scope {
                pub use super::{$($Trait as _, [<$Trait Zeros>] as _),*};
            }
        }
        $($crate::linalg::method!(@one $Trait $name($($b: $B),*; $($s: $S),*));)*
    };
    (@one $Trait:ident $name:ident($($b:ident: $B:ident),*; $($s:ident: $S:ident),*)) => { pastey::paste! {
        /// The zero tangents of the arguments, which need not know the types of one another.
        pub trait [<$Trait Zeros>]: $crate::linalg::Arranged {
            /// Of the receiver.
            #[inline]
            fn [<__zero_of_0_ $name>](&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            $crate::linalg::method!(@zeros $name [1 2 3 4] $($b)* $($s)*);
        }
        impl<A: $crate::linalg::Arranged> [<$Trait Zeros>] for A {}

        #[doc = concat!("The method `", stringify!($name), "`.")]
        #[diagnostic::on_unimplemented(
            message = "this method of `{Self}` has no derivative for these arguments",
            label = "no derivative"
        )]
        #[allow(clippy::type_complexity, clippy::too_many_arguments, clippy::clone_on_copy, clippy::ignored_unit_patterns, clippy::unused_unit, reason = "the forms that generated code calls")]
        pub trait $Trait<$($B: Differentiable,)* $($S: Differentiable + Copy,)*>: $crate::linalg::Arranged {
            /// The type of the result.
            type Y: Differentiable<Tangent: Clone>;
            /// What is kept of the value for its derivatives.
            type Kept: Clone;
            /// The value.
            fn __value(&self, $($b: &$B,)* $($s: &$S,)*) -> (Self::Y, Self::Kept);
            /// The tangent of the value.
            fn __fore(&self, $($b: &$B,)* $($s: &$S,)* kept: &Self::Kept, da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<d $s>]: &$S::Tangent,)*) -> Tan<Self::Y>;
            /// Adds the cotangents of the arguments.
            fn __back(&self, $($b: &$B,)* $($s: &$S,)* kept: &Self::Kept, dy: &Tan<Self::Y>, to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* $([<to_ $s>]: &mut $S::Tangent,)*);
            /// Adds the tangents of what [`__back`](Self::__back) adds, for a cotangent that does not change.
            fn __again(&self, $($b: &$B,)* $($s: &$S,)* kept: &Self::Kept, da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<d $s>]: &$S::Tangent,)* dy: &Tan<Self::Y>, to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* $([<to_ $s>]: &mut $S::Tangent,)*);

            /// The value and its tangent.
            #[inline]
            fn [<__jvp_ $name>](&self, $($b: &$B,)* $($s: $S,)* da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> (Self::Y, Tan<Self::Y>) {
                let (y, kept) = self.__value($($b,)* $(&$s,)*);
                let dot = self.__fore($($b,)* $(&$s,)* &kept, da, $([<d $b>],)* $(&[<d $s>],)*);
                (y, dot)
            }

            /// The value and its pullback.
            #[inline]
            fn [<__fwd_ $name>](&self, $($b: &$B,)* $($s: $S,)*) -> (Self::Y, impl FnOnce(Tan<Self::Y>, &Self, $(&$B,)* &mut Self::Tangent, $(&mut $B::Tangent,)*) -> ($($S::Tangent,)*) + use<Self, $($B,)* $($S,)*>) {
                let (y, kept) = self.__value($($b,)* $(&$s,)*);
                (y, move |seed: Tan<Self::Y>, a: &Self, $($b: &$B,)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)*| {
                    $(let mut [<to_ $s>] = $s.zero_tangent();)*
                    a.__back($($b,)* $(&$s,)* &kept, &seed, to_a, $([<to_ $b>],)* $(&mut [<to_ $s>],)*);
                    ($([<to_ $s>],)*)
                })
            }

            /// The value and its pullback, with a place for every argument.
            #[inline]
            fn [<__even_ $name>](&self, $($b: &$B,)* $($s: $S,)*) -> (Self::Y, impl FnOnce(Tan<Self::Y>, &Self, $(&$B,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)*) -> ((), $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*) + use<Self, $($B,)* $($S,)*>) {
                let (y, kept) = self.__value($($b,)* $(&$s,)*);
                (y, move |seed: Tan<Self::Y>, a: &Self, $($b: &$B,)* $([<_ $s>]: (),)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* $([<_to_ $s>]: (),)*| {
                    $(let mut [<to_ $s>] = $s.zero_tangent();)*
                    a.__back($($b,)* $(&$s,)* &kept, &seed, to_a, $([<to_ $b>],)* $(&mut [<to_ $s>],)*);
                    ((), $($crate::linalg::method!(@nothing $b),)* $([<to_ $s>],)*)
                })
            }

            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__jvp_fwd_ $name>](&self, $($b: &$B,)* $($s: $S,)* da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> (Self::Y, Tan<Self::Y>, impl FnOnce(Tan<Self::Y>, Tan<Self::Y>, &Self, $(&$B,)* &Self::Tangent, $(&$B::Tangent,)* &mut Self::Tangent, $(&mut $B::Tangent,)* &mut Self::Tangent, $(&mut $B::Tangent,)*) -> (($($S::Tangent,)*), ($($S::Tangent,)*)) + use<Self, $($B,)* $($S,)*>) {
                let (y, kept) = self.__value($($b,)* $(&$s,)*);
                let dot = self.__fore($($b,)* $(&$s,)* &kept, da, $([<d $b>],)* $(&[<d $s>],)*);
                (y, dot, move |seed: Tan<Self::Y>, dot_seed: Tan<Self::Y>, a: &Self, $($b: &$B,)* da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* dot_a: &mut Self::Tangent, $([<dot_ $b>]: &mut $B::Tangent,)*| {
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]) = ($s.zero_tangent(), $s.zero_tangent());)*
                    a.__back($($b,)* $(&$s,)* &kept, &seed, to_a, $([<to_ $b>],)* $(&mut [<to_ $s>],)*);
                    a.__back($($b,)* $(&$s,)* &kept, &dot_seed, &mut *dot_a, $(&mut *[<dot_ $b>],)* $(&mut [<dot_ $s>],)*);
                    a.__again($($b,)* $(&$s,)* &kept, da, $([<d $b>],)* $(&[<d $s>],)* &seed, dot_a, $([<dot_ $b>],)* $(&mut [<dot_ $s>],)*);
                    (($([<to_ $s>],)*), ($([<dot_ $s>],)*))
                })
            }

            /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
            #[inline]
            fn [<__jvp_even_ $name>](&self, $($b: &$B,)* $($s: $S,)* da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> (Self::Y, Tan<Self::Y>, impl FnOnce(Tan<Self::Y>, Tan<Self::Y>, &Self, $(&$B,)* $($crate::linalg::method!(@unit $S),)* &Self::Tangent, $(&$B::Tangent,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)*) -> (((), $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*), ((), $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*)) + use<Self, $($B,)* $($S,)*>) {
                let (y, dot, back) = self.[<__jvp_fwd_ $name>]($($b,)* $($s,)* da, $([<d $b>],)* $([<d $s>],)*);
                (y, dot, move |seed: Tan<Self::Y>, dot_seed: Tan<Self::Y>, a: &Self, $($b: &$B,)* $([<_ $s>]: (),)* da: &Self::Tangent, $([<d $b>]: &$B::Tangent,)* $([<_d $s>]: (),)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* $([<_to_ $s>]: (),)* dot_a: &mut Self::Tangent, $([<dot_ $b>]: &mut $B::Tangent,)* $([<_dot_ $s>]: (),)*| {
                    let (($($s,)*), ($([<dot_ $s>],)*)) = back(seed, dot_seed, a, $($b,)* da, $([<d $b>],)* to_a, $([<to_ $b>],)* dot_a, $([<dot_ $b>],)*);
                    (((), $($crate::linalg::method!(@nothing $b),)* $($s,)*), ((), $($crate::linalg::method!(@nothing $b),)* $([<dot_ $s>],)*))
                })
            }

            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__each_fwd_ $name>]<const N: usize>(&self, $($b: &$B,)* $($s: $S,)* _: $crate::lanes::Width<N>, da: [&Self::Tangent; N], $([<d $b>]: [&$B::Tangent; N],)* $([<d $s>]: [$S::Tangent; N],)*) -> (Self::Y, [Tan<Self::Y>; N], impl FnOnce(Tan<Self::Y>, [Tan<Self::Y>; N], &Self, $(&$B,)* [&Self::Tangent; N], $([&$B::Tangent; N],)* &mut Self::Tangent, $(&mut $B::Tangent,)* [&mut Self::Tangent; N], $([&mut $B::Tangent; N],)*) -> (($($S::Tangent,)*), ($([$S::Tangent; N],)*)) + use<Self, $($B,)* $($S,)* N>) {
                let (y, kept) = self.__value($($b,)* $(&$s,)*);
                let dots = core::array::from_fn(|k| self.__fore($($b,)* $(&$s,)* &kept, da[k], $([<d $b>][k],)* $(&[<d $s>][k],)*));
                (y, dots, move |seed: Tan<Self::Y>, dot_seeds: [Tan<Self::Y>; N], a: &Self, $($b: &$B,)* da: [&Self::Tangent; N], $([<d $b>]: [&$B::Tangent; N],)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* dot_a: [&mut Self::Tangent; N], $([<dot_ $b>]: [&mut $B::Tangent; N],)*| {
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]): (_, [_; N]) = ($s.zero_tangent(), core::array::from_fn(|_| $s.zero_tangent()));)*
                    a.__back($($b,)* $(&$s,)* &kept, &seed, to_a, $([<to_ $b>],)* $(&mut [<to_ $s>],)*);
                    for k in 0..N {
                        a.__back($($b,)* $(&$s,)* &kept, &dot_seeds[k], &mut *dot_a[k], $(&mut *[<dot_ $b>][k],)* $(&mut [<dot_ $s>][k],)*);
                        a.__again($($b,)* $(&$s,)* &kept, da[k], $([<d $b>][k],)* $(&[<d $s>][k],)* &seed, &mut *dot_a[k], $(&mut *[<dot_ $b>][k],)* $(&mut [<dot_ $s>][k],)*);
                    }
                    (($([<to_ $s>],)*), ($([<dot_ $s>],)*))
                })
            }
        }
    } };
    (@zeros $name:ident [$($k:literal)*]) => {};
    (@zeros $name:ident [$k:literal $($ks:literal)*] $x:ident $($rest:ident)*) => { pastey::paste! {
        /// Of an argument.
        #[inline]
        fn [<__zero_of_ $k _ $name>]<X: Differentiable>(&self, arg: &X) -> X::Tangent {
            arg.zero_tangent()
        }
        $crate::linalg::method!(@zeros $name [$($ks)*] $($rest)*);
    } };
    (@unit $x:ident) => { () };
    (@nothing $x:ident) => { () };
}
pub(crate) use method;

/// What a method computes, for a type: its value and what is kept of it; the tangent; the cotangents; and the tangents of these for a cotangent that does not change.
///
/// The names in bars stand for the receiver and the arguments, what is kept, their tangents, the cotangent of the result, and what cotangents are added to.
macro_rules! row {
    ($Trait:ident [$($g:tt)*] $a:ty, ($($b:ident: $B:ty),*), ($($s:ident: $S:ty),*) => $y:ty, $kept:ty, where [$($w:tt)*];
     |$($v:pat_param),*| $value:expr; |$($f:pat_param),*| $fore:expr; |$($r:pat_param),*| $back:expr; |$($g2:pat_param),*| $again:expr) => { pastey::paste! {
        impl<$($g)*> $Trait<$($B,)* $($S,)*> for $a where $($w)* {
            type Y = $y;
            type Kept = $kept;
            #[inline]
            fn __value(&self, $($b: &$B,)* $($s: &$S,)*) -> ($y, $kept) {
                let ($($v,)*) = (self, $($b,)* $($s,)*);
                $value
            }
            #[inline]
            fn __fore(&self, $($b: &$B,)* $($s: &$S,)* kept: &$kept, da: &Self::Tangent, $([<d $b>]: &Tan<$B>,)* $([<d $s>]: &Tan<$S>,)*) -> Tan<$y> {
                let ($($f,)*) = (self, $($b,)* $($s,)* kept, da, $([<d $b>],)* $([<d $s>],)*);
                $fore
            }
            #[inline]
            fn __back(&self, $($b: &$B,)* $($s: &$S,)* kept: &$kept, dy: &Tan<$y>, to_a: &mut Self::Tangent, $([<to_ $b>]: &mut Tan<$B>,)* $([<to_ $s>]: &mut Tan<$S>,)*) {
                let ($($r,)*) = (self, $($b,)* $($s,)* kept, dy, to_a, $([<to_ $b>],)* $([<to_ $s>],)*);
                $back
            }
            #[inline]
            fn __again(&self, $($b: &$B,)* $($s: &$S,)* kept: &$kept, da: &Self::Tangent, $([<d $b>]: &Tan<$B>,)* $([<d $s>]: &Tan<$S>,)* dy: &Tan<$y>, to_a: &mut Self::Tangent, $([<to_ $b>]: &mut Tan<$B>,)* $([<to_ $s>]: &mut Tan<$S>,)*) {
                let ($($g2,)*) = (self, $($b,)* $($s,)* kept, da, $([<d $b>],)* $([<d $s>],)* dy, to_a, $([<to_ $b>],)* $([<to_ $s>],)*);
                $again
            }
        }
    } };
}
pub(crate) use row;

/// The same of a method that is linear in its receiver, whose other arguments have no derivative: its value, and what is added to the cotangent.
macro_rules! linear {
    ($($Trait:ident [$($g:tt)*] $a:ty, ($($s:ident: $S:ty),*) => $y:ty, where [$($w:tt)*];
     |$v:ident| $value:expr; |$d:pat_param, $to:pat_param| $back:expr;)*) => {$(
        $crate::linalg::row!($Trait [$($g)*] $a, (), ($($s: $S),*) => $y, (), where [$($w)*];
            |$v $(, $s)*| ($value, ());
            |_ $(, $s)*, (), $v $(, $crate::linalg::linear!(@any $s))*| $value;
            |_ $(, $s)*, (), $d, $to $(, $crate::linalg::linear!(@any $s))*| { $(let _ = $s;)* $back };
            |_ $(, $crate::linalg::linear!(@any $s))*, (), _ $(, $crate::linalg::linear!(@any $s))*, _, _ $(, $crate::linalg::linear!(@any $s))*| ());
    )*};
    (@any $s:ident) => { _ };
}
pub(crate) use linear;

/// A method that changes its receiver into what a row computes of it: the forms that generated code calls.
///
/// Of its arguments some are passed by value, then some are lent, then some are passed by value.
macro_rules! in_place {
    ($($Trait:ident $name:ident $Row:ident($($p:ident: $P:ident),*; $($b:ident: $B:ident),*; $($s:ident: $S:ident),*);)*) => {
        pastey::paste! {
            /// What generated code imports.
            #[allow(unreachable_pub, reason = "of a module that has it in its own")]
            pub mod changing {
                pub use super::{$($Trait as _, [<$Trait Zeros>] as _),*};
            }
        }
        $($crate::linalg::in_place!(@one $Trait $name $Row($($p: $P),*; $($b: $B),*; $($s: $S),*));)*
    };
    (@one $Trait:ident $name:ident $Row:ident($($p:ident: $P:ident),*; $($b:ident: $B:ident),*; $($s:ident: $S:ident),*)) => { pastey::paste! {
        /// The zero tangents of the arguments.
        pub trait [<$Trait Zeros>]: $crate::linalg::Arranged {
            /// Of the receiver.
            #[inline]
            fn [<__zero_of_0_ $name>](&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            $crate::linalg::method!(@zeros $name [1 2 3 4] $($p)* $($b)* $($s)*);
        }
        impl<A: $crate::linalg::Arranged> [<$Trait Zeros>] for A {}

        #[doc = concat!("The method `", stringify!($name), "`.")]
        #[allow(clippy::type_complexity, clippy::too_many_arguments, clippy::clone_on_copy, clippy::ignored_unit_patterns, clippy::unused_unit, unused_variables, reason = "the forms that generated code calls")]
        pub trait $Trait<$($B: Differentiable,)* $($P: Differentiable + Copy,)* $($S: Differentiable + Copy,)*>: $Row<$($B,)* $($P,)* $($S,)* Y = Self> {
            /// The value and its tangent.
            #[inline]
            fn [<__jvp_ $name>](&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)* d: &mut Self::Tangent, $([<d $p>]: $P::Tangent,)* $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> ((), ()) {
                let (y, kept) = self.__value($($b,)* $(&$p,)* $(&$s,)*);
                *d = self.__fore($($b,)* $(&$p,)* $(&$s,)* &kept, d, $([<d $b>],)* $(&[<d $p>],)* $(&[<d $s>],)*);
                *self = y;
                ((), ())
            }

            /// The value and its pullback, which puts back what was there.
            #[inline]
            fn [<__fwd_ $name>](&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)*) -> ((), impl FnOnce((), &mut Self, $(&$B,)* &mut Self::Tangent, $(&mut $B::Tangent,)*) -> ($($P::Tangent,)* $($S::Tangent,)*) + use<Self, $($B,)* $($P,)* $($S,)*>) {
                let (y, kept) = self.__value($($b,)* $(&$p,)* $(&$s,)*);
                let old = core::mem::replace(self, y);
                ((), move |(): (), a: &mut Self, $($b: &$B,)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)*| {
                    *a = old;
                    let dy = core::mem::replace(to_a, a.zero_tangent());
                    $(let mut [<to_ $p>] = $p.zero_tangent();)*
                    $(let mut [<to_ $s>] = $s.zero_tangent();)*
                    a.__back($($b,)* $(&$p,)* $(&$s,)* &kept, &dy, to_a, $([<to_ $b>],)* $(&mut [<to_ $p>],)* $(&mut [<to_ $s>],)*);
                    ($([<to_ $p>],)* $([<to_ $s>],)*)
                })
            }

            /// The same, with a place for every argument.
            #[inline]
            fn [<__even_ $name>](&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)*) -> ((), impl FnOnce((), &mut Self, $($crate::linalg::method!(@unit $P),)* $(&$B,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $($crate::linalg::method!(@unit $P),)* $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)*) -> ((), $($P::Tangent,)* $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*) + use<Self, $($B,)* $($P,)* $($S,)*>) {
                let ((), back) = self.[<__fwd_ $name>]($($p,)* $($b,)* $($s,)*);
                ((), move |(): (), a: &mut Self, $([<_ $p>]: (),)* $($b: &$B,)* $([<_ $s>]: (),)* to_a: &mut Self::Tangent, $([<_to_ $p>]: (),)* $([<to_ $b>]: &mut $B::Tangent,)* $([<_to_ $s>]: (),)*| {
                    let ($([<to_ $p>],)* $([<to_ $s>],)*) = back((), a, $($b,)* to_a, $([<to_ $b>],)*);
                    ((), $([<to_ $p>],)* $($crate::linalg::method!(@nothing $b),)* $([<to_ $s>],)*)
                })
            }

            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__jvp_fwd_ $name>](&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)* d: &mut Self::Tangent, $([<d $p>]: $P::Tangent,)* $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> ((), (), impl FnOnce((), (), &mut Self, $(&$B,)* &mut Self::Tangent, $(&$B::Tangent,)* &mut Self::Tangent, $(&mut $B::Tangent,)* &mut Self::Tangent, $(&mut $B::Tangent,)*) -> (($($P::Tangent,)* $($S::Tangent,)*), ($($P::Tangent,)* $($S::Tangent,)*)) + use<Self, $($B,)* $($P,)* $($S,)*>) {
                let (y, kept) = self.__value($($b,)* $(&$p,)* $(&$s,)*);
                let dot = self.__fore($($b,)* $(&$p,)* $(&$s,)* &kept, d, $([<d $b>],)* $(&[<d $p>],)* $(&[<d $s>],)*);
                let (old, old_dot) = (core::mem::replace(self, y), core::mem::replace(d, dot));
                ((), (), move |(): (), (): (), a: &mut Self, $($b: &$B,)* d: &mut Self::Tangent, $([<d $b>]: &$B::Tangent,)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* dot_a: &mut Self::Tangent, $([<dot_ $b>]: &mut $B::Tangent,)*| {
                    (*a, *d) = (old, old_dot);
                    let [dy, ddy] = [&mut *to_a, &mut *dot_a].map(|to| core::mem::replace(to, a.zero_tangent()));
                    $(let (mut [<to_ $p>], mut [<dot_ $p>]) = ($p.zero_tangent(), $p.zero_tangent());)*
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]) = ($s.zero_tangent(), $s.zero_tangent());)*
                    a.__back($($b,)* $(&$p,)* $(&$s,)* &kept, &dy, to_a, $([<to_ $b>],)* $(&mut [<to_ $p>],)* $(&mut [<to_ $s>],)*);
                    a.__back($($b,)* $(&$p,)* $(&$s,)* &kept, &ddy, &mut *dot_a, $(&mut *[<dot_ $b>],)* $(&mut [<dot_ $p>],)* $(&mut [<dot_ $s>],)*);
                    a.__again($($b,)* $(&$p,)* $(&$s,)* &kept, d, $([<d $b>],)* $(&[<d $p>],)* $(&[<d $s>],)* &dy, dot_a, $([<dot_ $b>],)* $(&mut [<dot_ $p>],)* $(&mut [<dot_ $s>],)*);
                    (($([<to_ $p>],)* $([<to_ $s>],)*), ($([<dot_ $p>],)* $([<dot_ $s>],)*))
                })
            }

            /// The same, with a place for every argument.
            #[inline]
            fn [<__jvp_even_ $name>](&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)* d: &mut Self::Tangent, $([<d $p>]: $P::Tangent,)* $([<d $b>]: &$B::Tangent,)* $([<d $s>]: $S::Tangent,)*) -> ((), (), impl FnOnce((), (), &mut Self, $($crate::linalg::method!(@unit $P),)* $(&$B,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $($crate::linalg::method!(@unit $P),)* $(&$B::Tangent,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $($crate::linalg::method!(@unit $P),)* $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)* &mut Self::Tangent, $($crate::linalg::method!(@unit $P),)* $(&mut $B::Tangent,)* $($crate::linalg::method!(@unit $S),)*) -> (((), $($P::Tangent,)* $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*), ((), $($P::Tangent,)* $($crate::linalg::method!(@unit $B),)* $($S::Tangent,)*)) + use<Self, $($B,)* $($P,)* $($S,)*>) {
                let ((), (), back) = self.[<__jvp_fwd_ $name>]($($p,)* $($b,)* $($s,)* d, $([<d $p>],)* $([<d $b>],)* $([<d $s>],)*);
                ((), (), move |(): (), (): (), a: &mut Self, $([<_ $p>]: (),)* $($b: &$B,)* $([<_ $s>]: (),)* d: &mut Self::Tangent, $([<_d $p>]: (),)* $([<d $b>]: &$B::Tangent,)* $([<_d $s>]: (),)* to_a: &mut Self::Tangent, $([<_to_ $p>]: (),)* $([<to_ $b>]: &mut $B::Tangent,)* $([<_to_ $s>]: (),)* dot_a: &mut Self::Tangent, $([<_dot_ $p>]: (),)* $([<dot_ $b>]: &mut $B::Tangent,)* $([<_dot_ $s>]: (),)*| {
                    let (($($p,)* $($s,)*), ($([<dot_ $p>],)* $([<dot_ $s>],)*)) = back((), (), a, $($b,)* d, $([<d $b>],)* to_a, $([<to_ $b>],)* dot_a, $([<dot_ $b>],)*);
                    (((), $($p,)* $($crate::linalg::method!(@nothing $b),)* $($s,)*), ((), $([<dot_ $p>],)* $($crate::linalg::method!(@nothing $b),)* $([<dot_ $s>],)*))
                })
            }

            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__each_fwd_ $name>]<const N: usize>(&mut self, $($p: $P,)* $($b: &$B,)* $($s: $S,)* _: $crate::lanes::Width<N>, mut d: [&mut Self::Tangent; N], $([<d $p>]: [$P::Tangent; N],)* $([<d $b>]: [&$B::Tangent; N],)* $([<d $s>]: [$S::Tangent; N],)*) -> ((), [(); N], impl FnOnce((), [(); N], &mut Self, $(&$B,)* [&mut Self::Tangent; N], $([&$B::Tangent; N],)* &mut Self::Tangent, $(&mut $B::Tangent,)* [&mut Self::Tangent; N], $([&mut $B::Tangent; N],)*) -> (($($P::Tangent,)* $($S::Tangent,)*), ($([$P::Tangent; N],)* $([$S::Tangent; N],)*)) + use<Self, $($B,)* $($P,)* $($S,)* N>) {
                let (y, kept) = self.__value($($b,)* $(&$p,)* $(&$s,)*);
                let old_dots: [Self::Tangent; N] = core::array::from_fn(|k| {
                    let dot = self.__fore($($b,)* $(&$p,)* $(&$s,)* &kept, &*d[k], $([<d $b>][k],)* $(&[<d $p>][k],)* $(&[<d $s>][k],)*);
                    core::mem::replace(&mut *d[k], dot)
                });
                let old = core::mem::replace(self, y);
                ((), [(); N], move |(): (), _: [(); N], a: &mut Self, $($b: &$B,)* d: [&mut Self::Tangent; N], $([<d $b>]: [&$B::Tangent; N],)* to_a: &mut Self::Tangent, $([<to_ $b>]: &mut $B::Tangent,)* dot_a: [&mut Self::Tangent; N], $([<dot_ $b>]: [&mut $B::Tangent; N],)*| {
                    *a = old;
                    let dy = core::mem::replace(to_a, a.zero_tangent());
                    $(let (mut [<to_ $p>], mut [<dot_ $p>]): (_, [_; N]) = ($p.zero_tangent(), core::array::from_fn(|_| $p.zero_tangent()));)*
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]): (_, [_; N]) = ($s.zero_tangent(), core::array::from_fn(|_| $s.zero_tangent()));)*
                    a.__back($($b,)* $(&$p,)* $(&$s,)* &kept, &dy, to_a, $([<to_ $b>],)* $(&mut [<to_ $p>],)* $(&mut [<to_ $s>],)*);
                    for (k, ((d, old), dot_a)) in d.into_iter().zip(old_dots).zip(dot_a).enumerate() {
                        *d = old;
                        let ddy = core::mem::replace(dot_a, a.zero_tangent());
                        a.__back($($b,)* $(&$p,)* $(&$s,)* &kept, &ddy, &mut *dot_a, $(&mut *[<dot_ $b>][k],)* $(&mut [<dot_ $p>][k],)* $(&mut [<dot_ $s>][k],)*);
                        a.__again($($b,)* $(&$p,)* $(&$s,)* &kept, d, $([<d $b>][k],)* $(&[<d $p>][k],)* $(&[<d $s>][k],)* &dy, dot_a, $(&mut *[<dot_ $b>][k],)* $(&mut [<dot_ $p>][k],)* $(&mut [<dot_ $s>][k],)*);
                    }
                    (($([<to_ $p>],)* $([<to_ $s>],)*), ($([<dot_ $p>],)* $([<dot_ $s>],)*))
                })
            }
        }
        impl<Of: $Row<$($B,)* $($P,)* $($S,)* Y = Of>, $($B: Differentiable,)* $($P: Differentiable + Copy,)* $($S: Differentiable + Copy,)*> $Trait<$($B,)* $($P,)* $($S,)*> for Of {}
    } };
}
pub(crate) use in_place;

/// An operator on two operands: what is kept for each, the cotangent from it and from that of the result, the tangent;
/// and of second order the tangent of what is kept, of which a cotangent is a bilinear function beside that of the result.
/// Where it pays: what is kept, lent in place of a copy of it, for a cotangent that is computed while the operands are there; and the cotangent added in place.
macro_rules! binary {
    ($op:ident [$($g:tt)*] $a:ty, $b:ty => $y:ty where [$($w:tt)*];
     keep [$kl:ty] |$la:pat_param, $lb:pat_param| $keep_left:expr, [$kr:ty] |$ra:pat_param, $rb:pat_param| $keep_right:expr;
     back |$kept_l:pat_param, $dl:pat_param| $back_left:expr, |$kept_r:pat_param, $dr:pat_param| $back_right:expr;
     fore |$fa:pat_param, $fb:pat_param, $fd:pat_param| $fore_left:expr, |$ga:pat_param, $gb:pat_param, $gd:pat_param| $fore_right:expr;
     dots [$dkl:ty] |$dla:pat_param, $dlb:pat_param, $dlda:pat_param, $dldb:pat_param| $dot_keep_left:expr, [$dkr:ty] |$dra:pat_param, $drb:pat_param, $drda:pat_param, $drdb:pat_param| $dot_keep_right:expr;
     again |$akl:pat_param, $adkl:pat_param, $adl:pat_param| $again_left:expr, |$akr:pat_param, $adkr:pat_param, $adr:pat_param| $again_right:expr
     $(; lend |$lla:pat_param, $llb:pat_param| $lent_left:expr, |$lra:pat_param, $lrb:pat_param| $lent_right:expr)?
     $(; add |$aa:pat_param, $ab:pat_param, $ad:pat_param, $ato:pat_param| $add_left:expr, |$ba:pat_param, $bb:pat_param, $bd:pat_param, $bto:pat_param| $add_right:expr)?) => { pastey::paste! {
        impl<const LA: bool, const RB: bool, $($g)*> [<$op Rule>]<$b, LA, RB> for $a where $($w)* {
            type Result = $y;
            type Left = $kl;
            type Right = $kr;
            #[inline]
            fn __keep_left(&self, b: &$b) -> $kl {
                let ($la, $lb) = (self, b);
                $keep_left
            }
            #[inline]
            fn __keep_right(&self, b: &$b) -> $kr {
                let ($ra, $rb) = (self, b);
                $keep_right
            }
            #[inline]
            fn back_left(kept: $kl, dy: &Tan<$y>) -> Tan<$a> {
                let ($kept_l, $dl) = (&kept, dy);
                $back_left
            }
            #[inline]
            fn back_right(kept: $kr, dy: &Tan<$y>) -> Tan<$b> {
                let ($kept_r, $dr) = (&kept, dy);
                $back_right
            }
            $(
                #[inline]
                fn __left_now(&self, b: &$b, dy: &Tan<$y>) -> Tan<$a> {
                    let ($lla, $llb) = (self, b);
                    let ($kept_l, $dl) = ($lent_left, dy);
                    $back_left
                }
                #[inline]
                fn __right_now(&self, b: &$b, dy: &Tan<$y>) -> Tan<$b> {
                    let ($lra, $lrb) = (self, b);
                    let ($kept_r, $dr) = ($lent_right, dy);
                    $back_right
                }
            )?
            $(
                #[inline]
                #[track_caller]
                fn __add_left(&self, b: &$b, dy: &Tan<$y>, to: &mut Tan<$a>) {
                    let ($aa, $ab, $ad, $ato) = (self, b, dy, to);
                    $add_left
                }
                #[inline]
                #[track_caller]
                fn __add_right(&self, b: &$b, dy: &Tan<$y>, to: &mut Tan<$b>) {
                    let ($ba, $bb, $bd, $bto) = (self, b, dy, to);
                    $add_right
                }
            )?
            #[inline]
            fn __fore_left(&self, b: &$b, d: &Tan<$a>) -> Tan<$y> {
                let ($fa, $fb, $fd) = (self, b, d);
                $fore_left
            }
            #[inline]
            fn __fore_right(&self, b: &$b, d: &Tan<$b>) -> Tan<$y> {
                let ($ga, $gb, $gd) = (self, b, d);
                $fore_right
            }
        }
        $crate::operators::lent_right!([<$op Rule>] [<$op Again>] [$($g)*] $a, $b where [$($w)*]);
        impl<const LA: bool, const RB: bool, $($g)*> [<$op Again>]<$b, LA, RB> for $a where $($w)* {
            type LeftDot = Option<$dkl>;
            type RightDot = Option<$dkr>;
            #[inline]
            fn __dot_keep_left(&self, b: &$b, da: Option<&Tan<$a>>, db: Option<&Tan<$b>>) -> Option<$dkl> {
                let ($dla, $dlb, $dlda, $dldb) = (self, b, da, db);
                $dot_keep_left
            }
            #[inline]
            fn __dot_keep_right(&self, b: &$b, da: Option<&Tan<$a>>, db: Option<&Tan<$b>>) -> Option<$dkr> {
                let ($dra, $drb, $drda, $drdb) = (self, b, da, db);
                $dot_keep_right
            }
            #[inline]
            fn dot_left(kept: $kl, dot: Option<Option<$dkl>>, dy: &Tan<$y>, ddy: Option<&Tan<$y>>) -> Tan<$a> {
                let along = dot.flatten().map(|dot| {
                    let ($akl, $adkl, $adl) = (&kept, &dot, dy);
                    $again_left
                });
                let zero = <$a as [<$op Rule>]<$b, LA, RB>>::back_left;
                $crate::linalg::both(along, ddy.map(|ddy| zero(kept.clone(), ddy)), || zero(kept.clone(), &dy.zero_like()))
            }
            #[inline]
            fn dot_right(kept: $kr, dot: Option<Option<$dkr>>, dy: &Tan<$y>, ddy: Option<&Tan<$y>>) -> Tan<$b> {
                let along = dot.flatten().map(|dot| {
                    let ($akr, $adkr, $adr) = (&kept, &dot, dy);
                    $again_right
                });
                let zero = <$a as [<$op Rule>]<$b, LA, RB>>::back_right;
                $crate::linalg::both(along, ddy.map(|ddy| zero(kept.clone(), ddy)), || zero(kept.clone(), &dy.zero_like()))
            }
        }
    } };
}
pub(crate) use binary;

/// Methods that say how a value is arranged: they have no derivative, and their receiver no cotangent.
macro_rules! constant {
    ([$($g:tt)*] $a:ty where [$($w:tt)*]; $($Trait:ident $name:ident -> $y:ty;)*) => { $crate::linalg::constant!(@ [[$($g)*] $a; $($w)*] $($Trait $name -> $y;)*); };
    (@ $of:tt $($Trait:ident $name:ident -> $y:ty;)*) => { $($crate::linalg::constant!(@one $of $Trait $name -> $y);)* };
    (@one [[$($g:tt)*] $a:ty; $($w:tt)*] $Trait:ident $name:ident -> $y:ty) => { pastey::paste! {
        #[doc = concat!("The method `", stringify!($name), "`.")]
        #[allow(clippy::type_complexity, reason = "the forms that generated code calls")]
        pub trait $Trait: $crate::linalg::Arranged {
            /// The value.
            fn __constant(&self) -> $y;
            /// The zero tangent of the receiver.
            #[inline]
            fn [<__zero_of_0_ $name>](&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            /// The value and its tangent.
            #[inline]
            fn [<__jvp_ $name>](&self, _: &Self::Tangent) -> ($y, $crate::linalg::Tan<$y>) {
                (self.__constant(), Default::default())
            }
            /// The value and its pullback.
            #[inline]
            fn [<__fwd_ $name>](&self) -> ($y, impl FnOnce($crate::linalg::Tan<$y>, &Self, &mut Self::Tangent) + use<Self>) {
                (self.__constant(), |_: $crate::linalg::Tan<$y>, _: &Self, _: &mut Self::Tangent| ())
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__jvp_fwd_ $name>](&self, _: &Self::Tangent) -> ($y, $crate::linalg::Tan<$y>, impl FnOnce($crate::linalg::Tan<$y>, $crate::linalg::Tan<$y>, &Self, &Self::Tangent, &mut Self::Tangent, &mut Self::Tangent) -> ((), ()) + use<Self>) {
                (self.__constant(), Default::default(), |_: $crate::linalg::Tan<$y>, _: $crate::linalg::Tan<$y>, _: &Self, _: &Self::Tangent, _: &mut Self::Tangent, _: &mut Self::Tangent| ((), ()))
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__each_fwd_ $name>]<const N: usize>(&self, _: $crate::lanes::Width<N>, _: [&Self::Tangent; N]) -> ($y, [$crate::linalg::Tan<$y>; N], impl FnOnce($crate::linalg::Tan<$y>, [$crate::linalg::Tan<$y>; N], &Self, [&Self::Tangent; N], &mut Self::Tangent, [&mut Self::Tangent; N]) -> ((), ()) + use<Self, N>) {
                (self.__constant(), [Default::default(); N], |_: $crate::linalg::Tan<$y>, _: [$crate::linalg::Tan<$y>; N], _: &Self, _: [&Self::Tangent; N], _: &mut Self::Tangent, _: [&mut Self::Tangent; N]| ((), ()))
            }
        }
        impl<$($g)*> $Trait for $a where $($w)* {
            #[inline]
            fn __constant(&self) -> $y {
                self.$name()
            }
        }
    } };
}
pub(crate) use constant;

/// What says where an element is, as it is written.
pub trait Place<At>: Copy {
    /// As its array is asked for it.
    fn __place(self) -> At;
}
impl<const N: usize> Place<Self> for [usize; N] {
    #[inline]
    fn __place(self) -> Self {
        self
    }
}
impl Place<Self> for (usize, usize) {
    #[inline]
    fn __place(self) -> Self {
        self
    }
}
impl Place<[usize; 2]> for (usize, usize) {
    #[inline]
    fn __place(self) -> [usize; 2] {
        self.into()
    }
}

/// An element by several numbers, `m[(i, j)]`, read and written.
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
macro_rules! element {
    ($Trait:ident [$($g:tt)*] $index:ty => $t:ident; [$($s:tt)*] [$($s_mut:tt)*] $a:ty, $tangent:ty where [$($w:tt)*]) => { pastey::paste! {
        /// An element, read.
        #[allow(non_snake_case, reason = "named for the trait of the operator")]
        pub trait $Trait<$t: $crate::num::Numeric>: $crate::linalg::Arranged {
            /// The element.
            fn __get(&self, i: $index) -> $t;
            /// That of a tangent.
            fn __get_dot(d: &Self::Tangent, i: $index) -> $t;
            /// Adds to that of a cotangent.
            fn __add(d: &mut Self::Tangent, i: $index, s: $t);
            /// The zero tangent of the receiver.
            #[inline]
            fn __zero_of_0_of_grad_impl_Index_2(&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            /// That of the index.
            #[inline]
            fn __zero_of_1_of_grad_impl_Index_2<X: ?Sized>(&self, _: &X) {}
            /// The value and its tangent.
            #[inline]
            fn __jvp_of_grad_impl_Index_2<I: $crate::linalg::Place<$index>>(&self, i: I, d: &Self::Tangent, (): ()) -> ($t, $t) {
                let i = i.__place();
                (self.__get(i), Self::__get_dot(d, i))
            }
            /// The value and its pullback.
            #[inline]
            fn __fwd_of_grad_impl_Index_2<I: $crate::linalg::Place<$index>>(&self, i: I) -> ($t, impl FnOnce($t, &Self, &mut Self::Tangent) -> ((),) + use<Self, $t, I>) {
                let i = i.__place();
                (self.__get(i), move |d: $t, _: &Self, to: &mut Self::Tangent| {
                    Self::__add(to, i, d);
                    ((),)
                })
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            #[allow(clippy::type_complexity, reason = "a form that generated code calls")]
            fn __jvp_fwd_of_grad_impl_Index_2<I: $crate::linalg::Place<$index>>(&self, i: I, d: &Self::Tangent, (): ()) -> ($t, $t, impl FnOnce($t, $t, &Self, &Self::Tangent, &mut Self::Tangent, &mut Self::Tangent) -> (((),), ((),)) + use<Self, $t, I>) {
                let i = i.__place();
                (self.__get(i), Self::__get_dot(d, i), move |s: $t, ds: $t, _: &Self, _: &Self::Tangent, to: &mut Self::Tangent, dot: &mut Self::Tangent| {
                    Self::__add(to, i, s);
                    Self::__add(dot, i, ds);
                    (((),), ((),))
                })
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            #[allow(clippy::type_complexity, reason = "a form that generated code calls")]
            fn __each_fwd_of_grad_impl_Index_2<I: $crate::linalg::Place<$index>, const N: usize>(&self, i: I, _: $crate::lanes::Width<N>, d: [&Self::Tangent; N], _: [(); N]) -> ($t, [$t; N], impl FnOnce($t, [$t; N], &Self, [&Self::Tangent; N], &mut Self::Tangent, [&mut Self::Tangent; N]) -> (((),), ([(); N],)) + use<Self, $t, I, N>) {
                let i = i.__place();
                (self.__get(i), d.map(|d| Self::__get_dot(d, i)), move |s: $t, ds: [$t; N], _: &Self, _: [&Self::Tangent; N], to: &mut Self::Tangent, dots: [&mut Self::Tangent; N]| {
                    Self::__add(to, i, s);
                    for (dot, ds) in dots.into_iter().zip(ds) {
                        Self::__add(dot, i, ds);
                    }
                    (((),), ([(); N],))
                })
            }
        }

        /// An element, written.
        #[allow(non_snake_case, reason = "named for the trait of the operator")]
        pub trait [<$Trait Mut>]<$t: $crate::num::Numeric>: $Trait<$t> {
            /// Exchanges the element.
            fn __put(&mut self, i: $index, x: $t) -> $t;
            /// Exchanges that of a tangent.
            fn __put_dot(d: &mut Self::Tangent, i: $index, x: $t) -> $t;
            /// The zero tangent of the receiver.
            #[inline]
            fn __zero_of_0_set_by_grad_impl_IndexMut_2(&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            /// That of the index.
            #[inline]
            fn __zero_of_1_set_by_grad_impl_IndexMut_2<X: ?Sized>(&self, _: &X) {}
            /// That of the new element.
            #[inline]
            fn __zero_of_2_set_by_grad_impl_IndexMut_2(&self, x: &$t) -> $t {
                x.zero_tangent()
            }
            /// What comes out, and its tangent.
            #[inline]
            fn __jvp_set_by_grad_impl_IndexMut_2<I: $crate::linalg::Place<$index>>(&mut self, i: I, x: $t, d: &mut Self::Tangent, (): (), dx: $t) -> ((), ()) {
                let i = i.__place();
                Self::__put_dot(d, i, dx);
                self.__put(i, x);
                ((), ())
            }
            /// What comes out, and the pullback, which puts back what was there.
            #[inline]
            fn __fwd_set_by_grad_impl_IndexMut_2<I: $crate::linalg::Place<$index>>(&mut self, i: I, x: $t) -> ((), impl FnOnce((), &mut Self, &mut Self::Tangent) -> ((), $t) + use<Self, $t, I>) {
                let i = i.__place();
                let old = self.__put(i, x);
                ((), move |(): (), a: &mut Self, to: &mut Self::Tangent| {
                    a.__put(i, old);
                    ((), Self::__put_dot(to, i, $crate::num::lit(0.0)))
                })
            }
            /// What comes out, its tangent, and the pullback with its tangent, which put back what was there.
            #[inline]
            #[allow(clippy::type_complexity, reason = "a form that generated code calls")]
            fn __jvp_fwd_set_by_grad_impl_IndexMut_2<I: $crate::linalg::Place<$index>>(&mut self, i: I, x: $t, d: &mut Self::Tangent, (): (), dx: $t) -> ((), (), impl FnOnce((), (), &mut Self, &mut Self::Tangent, &mut Self::Tangent, &mut Self::Tangent) -> (((), $t), ((), $t)) + use<Self, $t, I>) {
                let i = i.__place();
                let (old, old_dot) = (self.__put(i, x), Self::__put_dot(d, i, dx));
                ((), (), move |(): (), (): (), a: &mut Self, d: &mut Self::Tangent, to: &mut Self::Tangent, dot: &mut Self::Tangent| {
                    a.__put(i, old);
                    Self::__put_dot(d, i, old_dot);
                    let zero = $crate::num::lit(0.0);
                    (((), Self::__put_dot(to, i, zero)), ((), Self::__put_dot(dot, i, zero)))
                })
            }
            /// The same in several directions.
            #[inline]
            #[allow(clippy::type_complexity, reason = "a form that generated code calls")]
            fn __each_fwd_set_by_grad_impl_IndexMut_2<I: $crate::linalg::Place<$index>, const N: usize>(&mut self, i: I, x: $t, _: $crate::lanes::Width<N>, mut d: [&mut Self::Tangent; N], _: [(); N], dx: [$t; N]) -> ((), [(); N], impl FnOnce((), [(); N], &mut Self, [&mut Self::Tangent; N], &mut Self::Tangent, [&mut Self::Tangent; N]) -> (((), $t), ([(); N], [$t; N])) + use<Self, $t, I, N>) {
                let i = i.__place();
                let old = self.__put(i, x);
                let old_dots: [$t; N] = core::array::from_fn(|k| Self::__put_dot(&mut *d[k], i, dx[k]));
                ((), [(); N], move |(): (), _: [(); N], a: &mut Self, mut d: [&mut Self::Tangent; N], to: &mut Self::Tangent, mut dots: [&mut Self::Tangent; N]| {
                    a.__put(i, old);
                    let zero = $crate::num::lit(0.0);
                    let bars = core::array::from_fn(|k| {
                        Self::__put_dot(&mut *d[k], i, old_dots[k]);
                        Self::__put_dot(&mut *dots[k], i, zero)
                    });
                    (((), Self::__put_dot(to, i, zero)), ([(); N], bars))
                })
            }
        }
        impl<$($g)*, $($s)*> $Trait<$t> for $a where $($w)* {
            #[inline]
            fn __get(&self, i: $index) -> $t {
                self[i]
            }
            #[inline]
            fn __get_dot(d: &$tangent, i: $index) -> $t {
                d[i]
            }
            #[inline]
            fn __add(d: &mut $tangent, i: $index, s: $t) {
                d[i] += s;
            }
        }

        impl<$($g)*, $($s_mut)*> [<$Trait Mut>]<$t> for $a where $($w)* {
            #[inline]
            fn __put(&mut self, i: $index, x: $t) -> $t {
                core::mem::replace(&mut self[i], x)
            }
            #[inline]
            fn __put_dot(d: &mut $tangent, i: $index, x: $t) -> $t {
                core::mem::replace(&mut d[i], x)
            }
        }
    } };
}
#[cfg(any(feature = "nalgebra", feature = "ndarray"))]
pub(crate) use element;

/// Conversions by `from` and `into` that are linear: what they make of a tangent, and of a cotangent.
macro_rules! converted {
    ($({$($g:tt)*} [$($c:ident)*] $From:ty => $To:ty $(where [$($w:tt)*])?, |$d:ident| $dot:expr, |$dy:ident| $back:expr;)*) => {$(
        impl<T: Real, $($g)*> $crate::conversions::MadeFrom<$From> for $To $(where $($w)*)? {
            type Order = $crate::conversions::UpTo<2>;

            #[inline]
            fn __alike() {}

            #[inline]
            fn __taken_jvp_from(x: $From, $d: $crate::linalg::Tan<$From>) -> ($To, $crate::linalg::Tan<$To>) {
                (x.into(), $dot)
            }

            #[inline]
            fn __taken_fwd_from(
                x: $From,
            ) -> ($To, impl FnOnce($crate::linalg::Tan<$To>) -> ($crate::linalg::Tan<$From>,) + use<$($c),*>) {
                (x.into(), |$dy: $crate::linalg::Tan<$To>| ($back,))
            }

            #[inline]
            fn __taken_jvp_fwd_from(
                x: $From,
                $d: $crate::linalg::Tan<$From>,
            ) -> (
                $To,
                $crate::linalg::Tan<$To>,
                impl FnOnce($crate::linalg::Tan<$To>, $crate::linalg::Tan<$To>) -> (($crate::linalg::Tan<$From>,), ($crate::linalg::Tan<$From>,)) + use<$($c),*>,
            ) {
                let one = |$dy: $crate::linalg::Tan<$To>| ($back,);
                (x.into(), $dot, move |dy, ddy| (one(dy), one(ddy)))
            }
        }
    )*};
}
pub(crate) use converted;

/// A function of a type that makes a value, linear in the numbers that it is given: what it makes, and what it adds to the cotangents of what it is given.
///
/// Of its arguments those come first that are no numbers, then numbers, then those that are lent; each is its own tangent.
macro_rules! constructor {
    ($Trait:ident $(: $Bound:ident)? $name:ident [$($g:tt)*] $a:ty where [$($w:tt)*] ($($n:ident: $N:ty),*; $($s:ident: $S:ty),*; $($b:ident: $B:ty),*); |$d:pat_param| $back:expr) => { pastey::paste! {
        #[doc = concat!("The function `", stringify!($name), "`.")]
        #[allow(clippy::type_complexity, clippy::too_many_arguments, clippy::clone_on_copy, clippy::ignored_unit_patterns, clippy::unused_unit, reason = "the forms that generated code calls")]
        pub trait $Trait<T: Real>: $($Bound +)? $crate::linalg::Linear + Clone {
            /// The value.
            fn __make($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> Self;
            /// Adds the cotangents of the arguments.
            fn __back(dy: &$crate::linalg::Tan<Self>, $([<to_ $s>]: &mut $S,)* $([<to_ $b>]: &mut $B,)*);

            $crate::linalg::constructor!(@zeros $name [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35] $([constant $N])* $([given $S])* $([lent $B])*);

            /// The value and its tangent.
            #[inline]
            fn [<__taken_jvp_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>) {
                (Self::__make($($n,)* $($s,)* $($b,)*), Self::__make($($n,)* $([<in_ $s>],)* $([<in_ $b>],)*).__as_tangent())
            }
            /// The value and its tangent.
            #[inline]
            fn [<__jvp_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>) {
                Self::[<__taken_jvp_ $name>]($($n,)* $($s,)* $($b,)* $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*)
            }
            /// The value and its pullback.
            #[inline]
            fn [<__taken_fwd_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> (Self, impl FnOnce($crate::linalg::Tan<Self>, $(&$B,)* $(&mut $B,)*) -> ($($crate::linalg::Tan<$N>,)* $($S,)*) + use<Self, T>) {
                $(let [<zero_ $s>] = Tangent::zero_like(&$s);)*
                (Self::__make($($n,)* $($s,)* $($b,)*), move |dy: $crate::linalg::Tan<Self>, $([<_ $b>]: &$B,)* $([<to_ $b>]: &mut $B,)*| {
                    $(let mut [<to_ $s>] = [<zero_ $s>];)*
                    Self::__back(&dy, $(&mut [<to_ $s>],)* $([<to_ $b>],)*);
                    ($(<$crate::linalg::Tan<$N>>::default(),)* $([<to_ $s>],)*)
                })
            }
            /// The value and its pullback.
            #[inline]
            fn [<__fwd_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> (Self, impl FnOnce($crate::linalg::Tan<Self>, $(&$B,)* $(&mut $B,)*) -> ($($crate::linalg::Tan<$N>,)* $($S,)*) + use<Self, T>) {
                Self::[<__taken_fwd_ $name>]($($n,)* $($s,)* $($b,)*)
            }
            /// The value and its pullback, with a place for every argument.
            #[inline]
            fn [<__taken_even_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> (Self, impl FnOnce($crate::linalg::Tan<Self>, $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)*) -> ($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*) + use<Self, T>) {
                $(let [<zero_ $s>] = Tangent::zero_like(&$s);)*
                (Self::__make($($n,)* $($s,)* $($b,)*), move |dy: $crate::linalg::Tan<Self>, $([<_ $n>]: $crate::linalg::Tan<$N>,)* $([<_ $s>]: (),)* $([<_ $b>]: &$B,)* $([<_to_ $n>]: $crate::linalg::Tan<$N>,)* $([<_to_ $s>]: (),)* $([<to_ $b>]: &mut $B,)*| {
                    $(let mut [<to_ $s>] = [<zero_ $s>];)*
                    Self::__back(&dy, $(&mut [<to_ $s>],)* $([<to_ $b>],)*);
                    ($(<$crate::linalg::Tan<$N>>::default(),)* $([<to_ $s>],)* $($crate::linalg::constructor!(@nothing $b),)*)
                })
            }
            /// The value and its pullback, with a place for every argument.
            #[inline]
            fn [<__even_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> (Self, impl FnOnce($crate::linalg::Tan<Self>, $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)*) -> ($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*) + use<Self, T>) {
                Self::[<__taken_even_ $name>]($($n,)* $($s,)* $($b,)*)
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__taken_each_fwd_ $name>]<const W: usize>($($n: $N,)* $($s: $S,)* $($b: &$B,)* _: $crate::lanes::Width<W>, $([<_in_ $n>]: [$crate::linalg::Tan<$N>; W],)* $([<in_ $s>]: [$S; W],)* $([<in_ $b>]: [&$B; W],)*) -> (Self, [$crate::linalg::Tan<Self>; W], impl FnOnce($crate::linalg::Tan<Self>, [$crate::linalg::Tan<Self>; W], $(&$B,)* $([&$B; W],)* $(&mut $B,)* $([&mut $B; W],)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)*), ($([$crate::linalg::Tan<$N>; W],)* $([$S; W],)*)) + use<Self, T, W>) {
                $(let [<zero_ $s>] = Tangent::zero_like(&$s);)*
                let dots = core::array::from_fn(|_k| Self::__make($($n,)* $([<in_ $s>][_k].clone(),)* $([<in_ $b>][_k],)*).__as_tangent());
                (Self::__make($($n,)* $($s,)* $($b,)*), dots, move |dy: $crate::linalg::Tan<Self>, ddy: [$crate::linalg::Tan<Self>; W], $([<_ $b>]: &$B,)* $([<_in_ $b>]: [&$B; W],)* $([<to_ $b>]: &mut $B,)* $([<dot_ $b>]: [&mut $B; W],)*| {
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]): (_, [_; W]) = ([<zero_ $s>].clone(), core::array::from_fn(|_| [<zero_ $s>].clone()));)*
                    Self::__back(&dy, $(&mut [<to_ $s>],)* $([<to_ $b>],)*);
                    for (_k, ddy) in ddy.iter().enumerate() {
                        Self::__back(ddy, $(&mut [<dot_ $s>][_k],)* $(&mut *[<dot_ $b>][_k],)*);
                    }
                    (($(<$crate::linalg::Tan<$N>>::default(),)* $([<to_ $s>],)*), ($([<$crate::linalg::Tan<$N>>::default(); W],)* $([<dot_ $s>],)*))
                })
            }
            /// The value, its tangents in several directions, and the pullback with its tangents.
            #[inline]
            fn [<__each_fwd_ $name>]<const W: usize>($($n: $N,)* $($s: $S,)* $($b: &$B,)* width: $crate::lanes::Width<W>, $([<_in_ $n>]: [$crate::linalg::Tan<$N>; W],)* $([<in_ $s>]: [$S; W],)* $([<in_ $b>]: [&$B; W],)*) -> (Self, [$crate::linalg::Tan<Self>; W], impl FnOnce($crate::linalg::Tan<Self>, [$crate::linalg::Tan<Self>; W], $(&$B,)* $([&$B; W],)* $(&mut $B,)* $([&mut $B; W],)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)*), ($([$crate::linalg::Tan<$N>; W],)* $([$S; W],)*)) + use<Self, T, W>) {
                Self::[<__taken_each_fwd_ $name>]($($n,)* $($s,)* $($b,)* width, $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*)
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__taken_jvp_fwd_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>, impl FnOnce($crate::linalg::Tan<Self>, $crate::linalg::Tan<Self>, $(&$B,)* $(&$B,)* $(&mut $B,)* $(&mut $B,)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)*), ($($crate::linalg::Tan<$N>,)* $($S,)*)) + use<Self, T>) {
                $(let [<zero_ $s>] = Tangent::zero_like(&$s);)*
                let (y, dot) = Self::[<__taken_jvp_ $name>]($($n,)* $($s,)* $($b,)* $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*);
                (y, dot, move |dy: $crate::linalg::Tan<Self>, ddy: $crate::linalg::Tan<Self>, $([<_ $b>]: &$B,)* $([<_in_ $b>]: &$B,)* $([<to_ $b>]: &mut $B,)* $([<dot_ $b>]: &mut $B,)*| {
                    $(let (mut [<to_ $s>], mut [<dot_ $s>]) = ([<zero_ $s>].clone(), [<zero_ $s>]);)*
                    Self::__back(&dy, $(&mut [<to_ $s>],)* $([<to_ $b>],)*);
                    Self::__back(&ddy, $(&mut [<dot_ $s>],)* $([<dot_ $b>],)*);
                    (($(<$crate::linalg::Tan<$N>>::default(),)* $([<to_ $s>],)*), ($(<$crate::linalg::Tan<$N>>::default(),)* $([<dot_ $s>],)*))
                })
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn [<__jvp_fwd_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>, impl FnOnce($crate::linalg::Tan<Self>, $crate::linalg::Tan<Self>, $(&$B,)* $(&$B,)* $(&mut $B,)* $(&mut $B,)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)*), ($($crate::linalg::Tan<$N>,)* $($S,)*)) + use<Self, T>) {
                Self::[<__taken_jvp_fwd_ $name>]($($n,)* $($s,)* $($b,)* $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*)
            }
            /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
            #[inline]
            fn [<__taken_jvp_even_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>, impl FnOnce($crate::linalg::Tan<Self>, $crate::linalg::Tan<Self>, $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*), ($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*)) + use<Self, T>) {
                let (y, dot, back) = Self::[<__taken_jvp_fwd_ $name>]($($n,)* $($s,)* $($b,)* $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*);
                (y, dot, move |dy: $crate::linalg::Tan<Self>, ddy: $crate::linalg::Tan<Self>, $([<_ $n>]: $crate::linalg::Tan<$N>,)* $([<_ $s>]: (),)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<_in_ $s>]: (),)* $([<in_ $b>]: &$B,)* $([<_to_ $n>]: $crate::linalg::Tan<$N>,)* $([<_to_ $s>]: (),)* $([<to_ $b>]: &mut $B,)* $([<_dot_ $n>]: $crate::linalg::Tan<$N>,)* $([<_dot_ $s>]: (),)* $([<dot_ $b>]: &mut $B,)*| {
                    let (($($n,)* $($s,)*), ($([<dot_ $n>],)* $([<dot_ $s>],)*)) = back(dy, ddy, $($b,)* $([<in_ $b>],)* $([<to_ $b>],)* $([<dot_ $b>],)*);
                    (($($n,)* $($s,)* $($crate::linalg::constructor!(@nothing $b),)*), ($([<dot_ $n>],)* $([<dot_ $s>],)* $($crate::linalg::constructor!(@nothing $b),)*))
                })
            }
            /// The value, its tangent, and the pullback with its tangent, with a place for every argument.
            #[inline]
            fn [<__jvp_even_ $name>]($($n: $N,)* $($s: $S,)* $($b: &$B,)* $([<_in_ $n>]: $crate::linalg::Tan<$N>,)* $([<in_ $s>]: $S,)* $([<in_ $b>]: &$B,)*) -> (Self, $crate::linalg::Tan<Self>, impl FnOnce($crate::linalg::Tan<Self>, $crate::linalg::Tan<Self>, $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&$B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)* $($crate::linalg::Tan<$N>,)* $($crate::linalg::constructor!(@unit $s),)* $(&mut $B,)*) -> (($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*), ($($crate::linalg::Tan<$N>,)* $($S,)* $($crate::linalg::constructor!(@unit $b),)*)) + use<Self, T>) {
                Self::[<__taken_jvp_even_ $name>]($($n,)* $($s,)* $($b,)* $([<_in_ $n>],)* $([<in_ $s>],)* $([<in_ $b>],)*)
            }
        }
        impl<T: Real, $($g)*> $Trait<T> for $a where $($w)* {
            #[inline]
            fn __make($($n: $N,)* $($s: $S,)* $($b: &$B,)*) -> Self {
                Self::$name($($n,)* $($s,)* $($b,)*)
            }
            #[inline]
            fn __back(dy: &$crate::linalg::Tan<Self>, $($s: &mut $S,)* $($b: &mut $B,)*) {
                let $d = dy;
                $back
            }
        }
    } };
    (@zeros $name:ident [$($k:literal)*]) => {};
    (@zeros $name:ident [$k:literal $($ks:literal)*] [constant $t:ty] $($rest:tt)*) => { pastey::paste! {
        /// The zero tangent of an argument.
        #[inline]
        fn [<__zero_ $k _ $name>](x: &$t) -> $crate::linalg::Tan<$t> {
            x.zero_tangent()
        }
        $crate::linalg::constructor!(@zeros $name [$($ks)*] $($rest)*);
    } };
    (@zeros $name:ident [$k:literal $($ks:literal)*] [given $t:ty] $($rest:tt)*) => { pastey::paste! {
        /// The zero tangent of an argument.
        #[inline]
        fn [<__zero_ $k _ $name>](x: &$t) -> $t {
            Tangent::zero_like(x)
        }
        $crate::linalg::constructor!(@zeros $name [$($ks)*] $($rest)*);
    } };
    (@zeros $name:ident [$k:literal $($ks:literal)*] [lent $t:ty] $($rest:tt)*) => { pastey::paste! {
        /// The zero tangent of an argument.
        #[inline]
        fn [<__zero_ $k _ $name>]<X: Differentiable + ?Sized>(x: &X) -> X::Tangent {
            x.zero_tangent()
        }
        $crate::linalg::constructor!(@zeros $name [$($ks)*] $($rest)*);
    } };
    (@unit $x:ident) => { () };
    (@nothing $x:ident) => { () };
}
pub(crate) use constructor;

/// The sum of those terms that are there, or zero.
#[inline]
pub(crate) fn both<T: crate::tangent::Accumulate>(
    a: Option<T>,
    b: Option<T>,
    zero: impl FnOnce() -> T,
) -> T {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.__accumulate(&b);
            a
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => zero(),
    }
}

/// The methods that crates share.
pub mod forms {
    use super::{Differentiable, Tan};

    super::method! {
        Norm norm(;);
        NormSquared norm_squared(;);
        Magnitude magnitude(;);
        MagnitudeSquared magnitude_squared(;);
        SumAll sum(;);
        MeanAll mean(;);
        Trace trace(;);
        Transpose transpose(;);
        Owned clone_owned(;);
        IntoOwned into_owned(;);
        Normalize normalize(;);
        Determinant determinant(;);
        TryInverse try_inverse(;);
        Dot dot(b: B;);
        Cross cross(b: B;);
        ComponentMul component_mul(b: B;);
        ComponentDiv component_div(b: B;);
        Lerp lerp(b: B; s: S);
        Scale scale(; s: S);
        Unscale unscale(; s: S);
        TrMul tr_mul(b: B;);
        MetricDistance metric_distance(b: B;);
        AddScalar add_scalar(; s: S);
        Max max(;);
        Min min(;);
        Diagonal diagonal(;);
        Xy xy(;);
        Xyz xyz(;);
        RowsOf rows(; i: I, n: K);
        ColumnsOf columns(; i: I, n: K);
        RowOf row(; s: S);
        ColumnOf column(; s: S);
        ViewOf view(; at: I, size: K);
        RowSum row_sum(;);
        ColumnSum column_sum(;);
        RowMean row_mean(;);
        ColumnMean column_mean(;);
        RemoveRow remove_row(; s: S);
        RemoveColumn remove_column(; s: S);
        Push push(; s: S);
        InsertRow insert_row(; i: I, s: S);
        InsertColumn insert_column(; i: I, s: S);
        Axpied axpied(b: B; s: S, t: U);
        Gemved gemved(b: B, c: C; s: S, t: U);
        Gemmed gemmed(b: B, c: C; s: S, t: U);
        Gered gered(b: B, c: C; s: S, t: U);
        AddedScaled added_scaled(b: B; s: S);
        FilledWith filled_with(; s: S);
        CopiedFrom copied_from(b: B;);
        WithRow with_row(b: B; s: S);
        WithColumn with_column(b: B; s: S);
        WithDiagonal with_diagonal(b: B;);
        DiagonalFilledWith diagonal_filled_with(; s: S);
        Renormalized renormalized(;);
        LowerFromUpper lower_from_upper(;);
        UpperFromLower upper_from_lower(;);
    }

    super::in_place! {
        Axpy axpy Axpied(s: S; b: B; t: U);
        Gemv gemv Gemved(s: S; b: B, c: C; t: U);
        Gemm gemm Gemmed(s: S; b: B, c: C; t: U);
        Ger ger Gered(s: S; b: B, c: C; t: U);
        ScaledAdd scaled_add AddedScaled(s: S; b: B;);
        Fill fill FilledWith(; ; s: S);
        CopyFrom copy_from CopiedFrom(; b: B;);
        Assign assign CopiedFrom(; b: B;);
        SetRow set_row WithRow(s: S; b: B;);
        SetColumn set_column WithColumn(s: S; b: B;);
        SetDiagonal set_diagonal WithDiagonal(; b: B;);
        FillDiagonal fill_diagonal DiagonalFilledWith(; ; s: S);
        RenormalizeFast renormalize_fast Renormalized(; ;);
        FillLowerTriangle fill_lower_triangle_with_upper_triangle LowerFromUpper(; ;);
        FillUpperTriangle fill_upper_triangle_with_lower_triangle UpperFromLower(; ;);
        ComponentMulAssign component_mul_assign ComponentMul(; b: B;);
        ComponentDivAssign component_div_assign ComponentDiv(; b: B;);
        ScaleMut scale_mut Scale(; ; s: S);
        UnscaleMut unscale_mut Unscale(; ; s: S);
        AddScalarMut add_scalar_mut AddScalar(; ; s: S);
    }
}
