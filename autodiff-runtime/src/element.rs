//! What tensors hold: [`Element`].

#![allow(
    clippy::inline_always,
    reason = "what is in a kernel has to be compiled with it"
)]

use core::fmt::{Debug, Display};

mod sealed {
    pub trait Sealed {}
}

/// The types of a tensor's entries: `f32` and `f64`, which have derivatives, `usize` for indices, and `bool` for masks.
pub trait Element:
    sealed::Sealed + Copy + Default + PartialEq + PartialOrd + Debug + Display + Send + Sync + 'static
{
    /// Whether it is a float: what has derivatives.
    #[doc(hidden)]
    const IS_FLOAT: bool;

    /// What a tensor without a buffer holds.
    #[doc(hidden)]
    const NOTHING: &'static Self;

    /// Lends the buffers that this thread keeps for reuse; `None` while the thread ends.
    #[cfg(feature = "tensor")]
    #[doc(hidden)]
    fn with_pool<R>(f: impl FnOnce(&mut crate::tensor::storage::Pool<Self>) -> R) -> Option<R>;
}

/// What the kernels of tensors ask of floats.
#[doc(hidden)]
pub trait Real: Element {
    /// C = A B + β C for matrices of m × k, k × n, m × n: entries, and the strides of rows and columns; C is dense.
    #[cfg(feature = "tensor")]
    fn gemm(
        sizes: [usize; 3],
        a: crate::tensor::gemm::Lent<'_, Self>,
        b: crate::tensor::gemm::Lent<'_, Self>,
        beta: Self,
        c: &mut [Self],
    );

    /// exp(k x − m) of every entry of a list, into another of the same length.
    #[cfg(feature = "tensor")]
    fn exponentials(x: &[Self], k: Self, m: Self, out: &mut [Self]);
}

macro_rules! elements {
    ($($t:ident $is_float:literal $nothing:literal;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const IS_FLOAT: bool = $is_float;
            const NOTHING: &'static $t = &$nothing;

            #[cfg(feature = "tensor")]
            fn with_pool<R>(f: impl FnOnce(&mut crate::tensor::storage::Pool<Self>) -> R) -> Option<R> {
                use crate::tensor::storage::Pool;
                std::thread_local! {
                    static POOL: core::cell::RefCell<Pool<$t>> = const { core::cell::RefCell::new(Pool::new()) };
                }
                POOL.try_with(|pool| f(&mut pool.borrow_mut())).ok()
            }
        }
    )*};
}
elements! { f32 true 0.0; f64 true 0.0; usize false 0; bool false false; }

impl Real for f32 {
    #[cfg(feature = "tensor")]
    fn gemm(
        sizes: [usize; 3],
        a: crate::tensor::gemm::Lent<'_, f32>,
        b: crate::tensor::gemm::Lent<'_, f32>,
        beta: f32,
        c: &mut [f32],
    ) {
        crate::tensor::gemm::sgemm(sizes, a, b, beta, c);
    }

    #[cfg(feature = "tensor")]
    fn exponentials(x: &[f32], k: f32, m: f32, out: &mut [f32]) {
        crate::lane::fused(
            [x],
            [out],
            #[inline(always)]
            |lane, [x]| [lane.exp(x * k - m)],
        );
    }
}

impl Real for f64 {
    #[cfg(feature = "tensor")]
    fn gemm(
        sizes: [usize; 3],
        a: crate::tensor::gemm::Lent<'_, f64>,
        b: crate::tensor::gemm::Lent<'_, f64>,
        beta: f64,
        c: &mut [f64],
    ) {
        crate::tensor::gemm::dgemm(sizes, a, b, beta, c);
    }

    #[cfg(feature = "tensor")]
    fn exponentials(x: &[f64], k: f64, m: f64, out: &mut [f64]) {
        crate::lane::fused(
            [x],
            [out],
            #[inline(always)]
            |lane, [x]| [lane.exp(x * k - m)],
        );
    }
}
