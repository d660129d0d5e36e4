//! Runs a closure compiled for the best instruction set that the processor has.
//!
//! The only unsafe code of `lane`: a function that is compiled for instructions which not every processor has may be called only where they are there.
//! Each such call stands behind the detection of exactly the features that its function names.
#![allow(unsafe_code, reason = "see the argument above")]

use super::Math;

/// Calls `kernel` with the widest vectors of the processor.
///
/// What it calls is compiled for them only as far as it is inlined: so the closure and what is in it had better be `#[inline(always)]`.
/// (A closure that is not is right, but slow.)
#[inline]
pub fn dispatch<R>(kernel: impl FnOnce(Math<'static>) -> R) -> R {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        if has_avx2_and_fma() {
            // SAFETY: the processor has just been found to have both.
            return unsafe { with_avx2_and_fma(kernel) };
        }
    }
    plain(kernel)
}

/// A function of its own: what a kernel becomes in the middle of another is larger, and may be no vector code.
#[inline(never)]
fn plain<R>(kernel: impl FnOnce(Math<'static>) -> R) -> R {
    kernel(Math::PLAIN)
}

/// Whether the processor has AVX2 and FMA; a call, so that each kernel is smaller.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[inline(never)]
fn has_avx2_and_fma() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// # Safety
///
/// The processor must have AVX2 and FMA.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2_and_fma<R>(kernel: impl FnOnce(Math<'static>) -> R) -> R {
    kernel(Math {
        contracts: cfg!(not(feature = "reproducible")),
        beyond: None,
    })
}
