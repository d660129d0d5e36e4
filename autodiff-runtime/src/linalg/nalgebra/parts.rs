//! Parts of matrices whose size is written in the type.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{Const, DefaultAllocator, Dim, Matrix, OMatrix, Storage};

use super::Real;
use crate::tangent::Differentiable;

/// A method that copies a part: what it is called, the sizes that are written, what says where the part is, and the part of a matrix, read and written.
macro_rules! part {
    ($Trait:ident $name:ident [$($n:ident),*] ($($at:ident $zero:ident $unit:ty),*) => $rows:ty, $columns:ty; $part:ident $part_mut:ident;
     $jvp:ident $fwd:ident $jvp_fwd:ident $each_fwd:ident $zero_of:ident) => {
        #[doc = concat!("The method `", stringify!($name), "`.")]
        #[allow(clippy::type_complexity, reason = "the forms that generated code calls")]
        pub trait $Trait<T: Real, R: Dim, C: Dim>: Differentiable<Tangent = OMatrix<T, R, C>> + Sized
        where
            DefaultAllocator: Allocator<R, C>,
        {
            /// The part.
            fn __part<$(const $n: usize),*>(&self, $($at: usize),*) -> OMatrix<T, $rows, $columns>
            where
                DefaultAllocator: Allocator<$rows, $columns>;
            /// The zero tangent of the receiver.
            #[inline]
            fn $zero_of(&self, arg: &Self) -> Self::Tangent {
                arg.zero_tangent()
            }
            $(
                /// That of what says where the part is.
                #[inline]
                fn $zero<X: ?Sized>(&self, _: &X) {}
            )*
            /// The value and its tangent.
            #[inline]
            fn $jvp<$(const $n: usize),*>(&self, $($at: usize,)* da: &Self::Tangent, $(_: $unit),*) -> (OMatrix<T, $rows, $columns>, OMatrix<T, $rows, $columns>)
            where
                DefaultAllocator: Allocator<$rows, $columns>,
            {
                (self.__part::<$($n),*>($($at),*), da.$part::<$($n),*>($($at),*).clone_owned())
            }
            /// The value and its pullback.
            #[inline]
            fn $fwd<$(const $n: usize),*>(&self, $($at: usize),*) -> (OMatrix<T, $rows, $columns>, impl FnOnce(OMatrix<T, $rows, $columns>, &Self, &mut Self::Tangent) -> ($($unit,)*) + use<Self, T, R, C, $($n),*>)
            where
                DefaultAllocator: Allocator<$rows, $columns>,
            {
                (self.__part::<$($n),*>($($at),*), move |d, _: &Self, to: &mut Self::Tangent| {
                    let mut part = to.$part_mut::<$($n),*>($($at),*);
                    part += d;
                    <($($unit,)*)>::default()
                })
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn $jvp_fwd<$(const $n: usize),*>(&self, $($at: usize,)* da: &Self::Tangent, $(_: $unit),*) -> (OMatrix<T, $rows, $columns>, OMatrix<T, $rows, $columns>, impl FnOnce(OMatrix<T, $rows, $columns>, OMatrix<T, $rows, $columns>, &Self, &Self::Tangent, &mut Self::Tangent, &mut Self::Tangent) -> (($($unit,)*), ($($unit,)*)) + use<Self, T, R, C, $($n),*>)
            where
                DefaultAllocator: Allocator<$rows, $columns>,
            {
                let dot = da.$part::<$($n),*>($($at),*).clone_owned();
                (self.__part::<$($n),*>($($at),*), dot, move |d, dd, _: &Self, _: &Self::Tangent, to: &mut Self::Tangent, dot: &mut Self::Tangent| {
                    let mut part = to.$part_mut::<$($n),*>($($at),*);
                    part += d;
                    let mut part = dot.$part_mut::<$($n),*>($($at),*);
                    part += dd;
                    Default::default()
                })
            }
        }

        impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> $Trait<T, R, C> for Matrix<T, R, C, S>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            #[inline]
            fn __part<$(const $n: usize),*>(&self, $($at: usize),*) -> OMatrix<T, $rows, $columns>
            where
                DefaultAllocator: Allocator<$rows, $columns>,
            {
                self.$part::<$($n),*>($($at),*).clone_owned()
            }
        }
    };
}
part!(FixedRows fixed_rows [N] (i __zero_of_1_fixed_rows ()) => Const<N>, C; fixed_rows fixed_rows_mut;
    __jvp_fixed_rows __fwd_fixed_rows __jvp_fwd_fixed_rows __each_fwd_fixed_rows __zero_of_0_fixed_rows);
part!(FixedColumns fixed_columns [N] (j __zero_of_1_fixed_columns ()) => R, Const<N>; fixed_columns fixed_columns_mut;
    __jvp_fixed_columns __fwd_fixed_columns __jvp_fwd_fixed_columns __each_fwd_fixed_columns __zero_of_0_fixed_columns);
part!(FixedView fixed_view [M, N] (i __zero_of_1_fixed_view (), j __zero_of_2_fixed_view ()) => Const<M>, Const<N>; fixed_view fixed_view_mut;
    __jvp_fixed_view __fwd_fixed_view __jvp_fwd_fixed_view __each_fwd_fixed_view __zero_of_0_fixed_view);
