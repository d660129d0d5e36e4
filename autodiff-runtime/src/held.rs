//! Traits of the user's whose functions have derivatives, and the types that functions are generic in by them.
//!
//! Nothing shows the `impl` of a trait whether the trait has hidden functions for the derivatives.
//! So a trait that has some gets a macro of its own name, one of [`of_order_1`](crate::__of_order_1) and its siblings,
//! and whatever imports the trait imports that with it. An `impl` calls the macro of its trait's name on the hidden functions;
//! where there is none, it finds that in [`not_followed`] behind it, which drops them.

use crate::tangent::{Accumulate, Differentiable, Shaped};

/// What derivatives ask of a type parameter that stands for a type of the user's own: any that is differentiable has it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no derivative; write `#[derive(Differentiable)]` above the type",
    label = "this type has no derivative"
)]
pub trait Held:
    Shaped
    + Differentiable<
        Tangent: Accumulate + Shaped + Differentiable<Tangent = <Self as Differentiable>::Tangent>,
    >
{
}

impl<T> Held for T
where
    T: Shaped,
    T::Tangent: Accumulate + Shaped + Differentiable<Tangent = T::Tangent>,
{
}

/// The hidden functions of a trait with first derivatives, of those in groups, one for each order.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_order_1 {
    ({ $($first:tt)* } $($rest:tt)*) => { $($first)* };
}

/// The hidden functions of a trait with second derivatives.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_order_2 {
    ({ $($first:tt)* } { $($second:tt)* } $($rest:tt)*) => { $($first)* $($second)* };
    ($({ $($fewer:tt)* })*) => {
        $($($fewer)*)*
        ::core::compile_error!("the trait has `#[grad(order = 2)]`; write the same above its `impl`");
    };
}

/// The hidden functions of a trait with third derivatives.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_order_3 {
    ({ $($first:tt)* } { $($second:tt)* } { $($third:tt)* } $($rest:tt)*) => { $($first)* $($second)* $($third)* };
    ($({ $($fewer:tt)* })*) => {
        $($($fewer)*)*
        ::core::compile_error!("the trait has `#[grad(order = 3)]`; write the same above its `impl`");
    };
}

/// The hidden functions of a trait that has none.
#[doc(hidden)]
#[macro_export]
macro_rules! __of_no_order {
    ($($functions:tt)*) => {};
}

pub use crate::{
    __of_order_1 as of_order_1, __of_order_2 as of_order_2, __of_order_3 as of_order_3,
};

/// What is found behind the name of a trait where there is no macro of that name.
pub mod not_followed {
    pub use crate::__of_no_order as __Followed;
}
