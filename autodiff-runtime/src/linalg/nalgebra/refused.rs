//! Methods that have no row: rustc says so at their names, and what to write.

/// A method without derivative, and what is said where it is called: its forms exist, for types that have a trait which none has.
macro_rules! refused {
    ($($Trait:ident $name:ident [$($g:tt)*] ($($arg:ident),*) $message:literal;)*) => { pastey::paste! {
        $(
            /// What no type has.
            #[diagnostic::on_unimplemented(message = $message, label = "this method has no derivative")]
            pub trait [<Has $Trait>] {}

            #[doc = concat!("The method `", stringify!($name), "`.")]
            #[allow(clippy::too_many_arguments, reason = "as many as the form has")]
            pub trait $Trait<Y>: $crate::linalg::Arranged {
                /// The zero tangent of the receiver.
                fn [<__zero_of_0_ $name>](&self, arg: &Self) -> Self::Tangent {
                    arg.zero_tangent()
                }
                /// The zero tangent of an argument.
                fn [<__zero_of_1_ $name>]<X: ?Sized>(&self, _: &X) {}
                /// The zero tangent of an argument.
                fn [<__zero_of_2_ $name>]<X: ?Sized>(&self, _: &X) {}
                /// The zero tangent of an argument.
                fn [<__zero_of_3_ $name>]<X: ?Sized>(&self, _: &X) {}
                /// The value and its tangent.
                fn [<__jvp_ $name>]<$($g)*>(&self, $($arg: impl Sized,)* _tangent: impl Sized, $([<_d $arg>]: impl Sized,)*) -> Y
                where
                    Self: [<Has $Trait>],
                {
                    $(let _ = $arg;)*
                    unreachable!("no type has the bound")
                }
                /// The value and its pullback.
                fn [<__fwd_ $name>]<$($g)*>(&self, $($arg: impl Sized),*) -> Y
                where
                    Self: [<Has $Trait>],
                {
                    $(let _ = $arg;)*
                    unreachable!("no type has the bound")
                }
                /// The value and its pullback, with a place for every argument.
                fn [<__even_ $name>]<$($g)*>(&self, $($arg: impl Sized),*) -> Y
                where
                    Self: [<Has $Trait>],
                {
                    $(let _ = $arg;)*
                    unreachable!("no type has the bound")
                }
            }

            impl<T: super::Real, R: ::nalgebra::Dim, C: ::nalgebra::Dim, S: ::nalgebra::Storage<T, R, C>, Y> $Trait<Y> for ::nalgebra::Matrix<T, R, C, S>
            where
                ::nalgebra::DefaultAllocator: ::nalgebra::allocator::Allocator<R, C>,
            {
            }
        )*

        /// What generated code imports.
        #[allow(unreachable_pub, reason = "of a module that has it in its own")]
        pub mod scope {
            pub use super::{$($Trait as _),*};
        }
    } };
}
refused! {
    Qr qr [] () "method `qr` of a matrix has no derivative; solve with `lu` or `cholesky`, or write it with elements";
    Svd svd [] (u, v) "method `svd` of a matrix has no derivative; write what is asked of it with elements";
    SymmetricEigen symmetric_eigen [] () "method `symmetric_eigen` of a matrix has no derivative; write what is asked of it with elements";
    Angle angle [] (b) "method `angle` of a vector has no derivative; write `a.cross(b).norm().atan2(a.dot(b))`";
    TryNormalize try_normalize [] (least) "method `try_normalize` has no derivative; ask for the norm in an `if`, and write `normalize`";
    NormalizeMut normalize_mut [] () "method `normalize_mut` has no derivative; write `v = v.normalize()`";
    Axpy axpy [] (a, x, b) "method `axpy` has no derivative; write `y = x * a + y * b`";
    ColumnIter column_iter [] () "method `column_iter` has no derivative; write a loop, `for j in 0..m.ncols()`, with `m.column(j)`";
    RowIter row_iter [] () "method `row_iter` has no derivative; write a loop, `for i in 0..m.nrows()`, with `m.row(i)`";
    RowMut row_mut [] (i) "method `row_mut` lends what is changed, which is not followed; assign elements, `m[(i, j)] = …`";
    ColumnMut column_mut [] (j) "method `column_mut` lends what is changed, which is not followed; assign elements, `m[(i, j)] = …`";
    SetDiagonal set_diagonal [] (d) "method `set_diagonal` has no derivative; assign elements, `m[(i, i)] = …`";
    FillDiagonal fill_diagonal [] (x) "method `fill_diagonal` has no derivative; assign elements, `m[(i, i)] = …`";
    MulTo mul_to [] (b, c) "method `mul_to` has no derivative; write `c = a * b`";
    SetRow set_row [] (i, row) "method `set_row` has no derivative; assign elements, `m[(i, j)] = …`";
    SetColumn set_column [] (j, column) "method `set_column` has no derivative; assign elements, `m[(i, j)] = …`";
    View view [] (start, shape) "method `view` has no derivative; write `rows` and `columns`";
    Kronecker kronecker [] (b) "method `kronecker` has no derivative; write it with elements";
    Amax amax [] () "method `amax` has no derivative; write a loop with `abs` of elements";
    Apply apply [] (f) "method `apply` has no derivative; write `v = v.map(…)`";
    Fill fill [] (x) "method `fill` has no derivative; write a constructor, `from_element`";
}
