//! What tensors hold: [`Element`].

#![allow(
    clippy::inline_always,
    reason = "what is in a kernel has to be compiled with it"
)]

#[cfg(feature = "tensor")]
use alloc::vec::Vec;
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

    /// The buffers that this thread keeps for reuse.
    #[cfg(feature = "tensor")]
    #[doc(hidden)]
    fn pool()
    -> &'static std::thread::LocalKey<core::cell::RefCell<crate::tensor::storage::Pool<Self>>>;

    /// A list of this length with anything in it. Like all functions of this trait compiled once, and not with each program.
    #[cfg(feature = "tensor")]
    #[doc(hidden)]
    fn anything(length: usize) -> Vec<Self>;

    /// Keeps a buffer for reuse, if it is worth that.
    #[cfg(feature = "tensor")]
    #[doc(hidden)]
    fn keep(entries: Vec<Self>);
}

#[cfg(feature = "tensor")]
use crate::lane::Parts;
/// What elementary functions are made of: nothing, without tensors.
#[cfg(not(feature = "tensor"))]
#[doc(hidden)]
pub trait Parts {}
#[cfg(not(feature = "tensor"))]
impl<T> Parts for T {}

/// What the kernels of tensors ask of floats.
///
/// What is a function of this trait is compiled with the library, once for each float; functions that are generic in the float are compiled with each program that calls them.
#[doc(hidden)]
pub trait Real: Element + Parts {
    /// C = A B + β C for matrices of m × k, k × n, m × n: entries, and the strides of rows and columns; C is dense.
    #[cfg(feature = "tensor")]
    fn gemm(
        sizes: [usize; 3],
        a: crate::tensor::gemm::Lent<'_, Self>,
        b: crate::tensor::gemm::Lent<'_, Self>,
        beta: Self,
        c: &mut [Self],
    );

    /// Runs a kernel of `lane` by its inner loop.
    #[cfg(feature = "tensor")]
    fn walk(
        length: usize,
        inputs: &[crate::lane::Operand<'_, Self>],
        outputs: &mut [crate::lane::Output<'_, Self>],
        run: &crate::lane::Run<'_, Self>,
    );

    /// Runs a kernel over tensors by its inner loop.
    #[cfg(feature = "tensor")]
    #[track_caller]
    fn chain(chain: crate::tensor::fused::Chain<'_, Self>) -> Vec<crate::tensor::Tensor<Self>>
    where
        Self: crate::float::Float;

    /// Runs kernels over tensors together.
    #[cfg(feature = "tensor")]
    #[track_caller]
    fn program(
        program: crate::tensor::program::Kernels<'_, Self>,
        wanted: &[crate::tensor::program::Given],
    ) -> Vec<crate::tensor::Tensor<Self>>
    where
        Self: crate::float::Float;

    /// Adds `s · t` to a tensor, in place.
    #[cfg(feature = "tensor")]
    #[track_caller]
    fn add_multiple(to: &mut crate::tensor::Tensor<Self>, s: Self, t: &crate::tensor::Tensor<Self>)
    where
        Self: crate::float::Float;

    /// The sum to a shape that can be stretched to the operand's.
    #[cfg(feature = "tensor")]
    fn sum_to(x: &crate::tensor::Tensor<Self>, shape: &[usize]) -> crate::tensor::Tensor<Self>
    where
        Self: crate::float::Float;

    /// exp(k x − m) of every entry of a list, into another of the same length.
    #[cfg(feature = "tensor")]
    fn exponentials(x: &[Self], k: Self, m: Self, out: &mut [Self]);

    /// A function of every entry of a list, into another of the same length.
    #[cfg(feature = "tensor")]
    fn values(function: Lanes, x: &[Self], out: &mut [Self]);

    /// The function's slope at every entry times a tangent or cotangent, where a zero absorbs; it is not asked of those whose slopes are arithmetic.
    #[cfg(feature = "tensor")]
    fn along(function: Lanes, x: &[Self], d: &[Self], out: &mut [Self]);
}

/// The functions that [`lane`](crate::lane) has, of most the slopes as well.
#[cfg(feature = "tensor")]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Lanes {
    Tanh,
    Sigmoid,
    Silu,
    Gelu,
    GeluTanh,
    Erf,
    Erfc,
    Exp,
    ExpM1,
    Ln,
    Ln1p,
    Softplus,
    Sin,
    Cos,
    Tan,
}

macro_rules! elements {
    ($($t:ident $is_float:literal $nothing:literal;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const IS_FLOAT: bool = $is_float;
            const NOTHING: &'static $t = &$nothing;

            #[cfg(feature = "tensor")]
            fn pool() -> &'static std::thread::LocalKey<
                core::cell::RefCell<crate::tensor::storage::Pool<$t>>,
            > {
                use crate::tensor::storage::Pool;
                std::thread_local! {
                    static POOL: core::cell::RefCell<Pool<$t>> = const { core::cell::RefCell::new(Pool::new()) };
                }
                &POOL
            }

            #[cfg(feature = "tensor")]
            fn anything(length: usize) -> Vec<$t> {
                crate::tensor::storage::taken(length)
            }

            #[cfg(feature = "tensor")]
            fn keep(entries: Vec<$t>) {
                crate::tensor::storage::kept(entries);
            }
        }
    )*};
}
elements! { f32 true 0.0; f64 true 0.0; usize false 0; bool false false; }

/// The kernels of one float.
macro_rules! real {
    ($t:ident $gemm:ident) => {
        impl Real for $t {
            #[cfg(feature = "tensor")]
            fn gemm(
                sizes: [usize; 3],
                a: crate::tensor::gemm::Lent<'_, $t>,
                b: crate::tensor::gemm::Lent<'_, $t>,
                beta: $t,
                c: &mut [$t],
            ) {
                crate::tensor::gemm::$gemm(sizes, a, b, beta, c);
            }

            #[cfg(feature = "tensor")]
            fn walk(
                length: usize,
                inputs: &[crate::lane::Operand<'_, $t>],
                outputs: &mut [crate::lane::Output<'_, $t>],
                run: &crate::lane::Run<'_, $t>,
            ) {
                crate::lane::walk(length, inputs, outputs, run);
            }

            #[cfg(feature = "tensor")]
            #[track_caller]
            fn chain(
                chain: crate::tensor::fused::Chain<'_, $t>,
            ) -> Vec<crate::tensor::Tensor<$t>> {
                crate::tensor::program::run_one(chain)
            }

            #[cfg(feature = "tensor")]
            #[track_caller]
            fn program(
                program: crate::tensor::program::Kernels<'_, $t>,
                wanted: &[crate::tensor::program::Given],
            ) -> Vec<crate::tensor::Tensor<$t>> {
                crate::tensor::program::run(program, wanted)
            }

            #[cfg(feature = "tensor")]
            #[track_caller]
            fn add_multiple(
                to: &mut crate::tensor::Tensor<$t>,
                s: $t,
                t: &crate::tensor::Tensor<$t>,
            ) {
                crate::tensor::add_multiple(to, s, t);
            }

            #[cfg(feature = "tensor")]
            fn sum_to(
                x: &crate::tensor::Tensor<$t>,
                shape: &[usize],
            ) -> crate::tensor::Tensor<$t> {
                crate::tensor::sum_to(x, shape)
            }

            #[cfg(feature = "tensor")]
            fn exponentials(x: &[$t], k: $t, m: $t, out: &mut [$t]) {
                crate::lane::fused(
                    [x],
                    [out],
                    #[inline(always)]
                    |lane, [x]| [lane.exp(x * k - m)],
                );
            }

            #[cfg(feature = "tensor")]
            fn values(function: Lanes, x: &[$t], out: &mut [$t]) {
                real!(@values function x out: Tanh tanh, Sigmoid sigmoid, Silu silu, Gelu gelu, GeluTanh gelu_tanh, Erf erf, Erfc erfc, Exp exp, ExpM1 exp_m1, Ln ln, Ln1p ln_1p, Softplus softplus, Sin sin, Cos cos, Tan tan);
            }

            #[cfg(feature = "tensor")]
            fn along(function: Lanes, x: &[$t], d: &[$t], out: &mut [$t]) {
                real!(@along function x d out: Tanh dtanh, Sigmoid dsigmoid, Silu dsilu, Gelu dgelu, GeluTanh dgelu_tanh, Erf derf, Erfc -derf, ExpM1 exp, Softplus sigmoid, Sin cos, Cos -sin);
            }
        }
    };
    (@values $function:ident $x:ident $out:ident: $($Name:ident $name:ident),*) => {
        match $function {
            $(Lanes::$Name => crate::lane::fused([$x], [$out], #[inline(always)] |lane, [x]| [lane.$name(x)]),)*
        }
    };
    (@along $function:ident $x:ident $d:ident $out:ident: $($Name:ident $(- $negated:ident)? $($name:ident)?),*) => {
        match $function {
            $(Lanes::$Name => crate::lane::fused([$x, $d], [$out], #[inline(always)] |lane, [x, d]| {
                let slope = $(-lane.$negated(x))? $(lane.$name(x))?;
                [if d == 0.0 || slope == 0.0 { 0.0 } else { d * slope }]
            }),)*
            Lanes::Exp | Lanes::Ln | Lanes::Ln1p | Lanes::Tan => unreachable!("slopes that are arithmetic"),
        }
    };
}
real!(f32 sgemm);
real!(f64 dgemm);
