//! What generated code asks of functions of `Tensor` that are no methods, whose arguments do not say of which numbers: `Tensor::full(&[2], k)`.

use super::Tensor;
use crate::element::Element;
use crate::tangent::Differentiable;

/// For each function, which of its arguments have tangents: their zeros, for the sibling that returns errors as well.
///
/// A call `Tensor::concat(…)` leaves the type of the numbers open where a zero is all that is asked for; so one type has them as functions of its own,
/// which rustc then takes. `Tensor::<f32>::concat(…)` finds those of the trait.
macro_rules! functions {
    ($($name:ident($($k:literal: $kind:ident $ty:tt),*);)*) => { pastey::paste! {
        /// The zero tangents of arguments of functions.
        #[allow(non_snake_case, reason = "the forms that generated code calls")]
        pub trait TensorFunctions {
            $($( functions!(@$kind [] [<__zero_ $k _ $name>] $ty); functions!(@$kind [] [<__zero_ $k ___try_try_ $name>] $ty); )*)*
        }

        impl<T: Element> TensorFunctions for Tensor<T> {}

        #[allow(non_snake_case, reason = "the forms that generated code calls")]
        impl Tensor<f64> {
            $($( functions!(@$kind [pub] [<__zero_ $k _ $name>] $ty); functions!(@$kind [pub] [<__zero_ $k ___try_try_ $name>] $ty); )*)*
        }
    } };
    (@constant [$($vis:tt)?] $name:ident [$ty:ty]) => {
        #[doc(hidden)]
        $($vis)? fn $name(_: &$ty) {}
    };
    (@active [$($vis:tt)?] $name:ident []) => {
        #[doc(hidden)]
        #[must_use]
        $($vis)? fn $name<X: Differentiable + ?Sized>(x: &X) -> X::Tangent {
            x.zero_tangent()
        }
    };
}
functions! {
    full(0: constant [[usize]], 1: active []);
    from_vec(0: constant [[usize]], 1: active []);
    concat(0: active [], 1: constant [isize]);
    stack(0: active [], 1: constant [isize]);
    einsum(0: constant [str], 1: active []);
    meshgrid(0: active []);
}
