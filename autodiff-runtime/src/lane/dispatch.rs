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
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            // SAFETY: both features have just been detected.
            return unsafe { with_avx2_and_fma(kernel) };
        }
    }
    kernel(Math::PLAIN)
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
