//! Ranges of integers whose type generated code leaves open.

/// An integer that a range counts by.
pub trait Counter: Copy {
    /// How many numbers there are from this one to `end`, without it.
    fn distance(self, end: Self) -> usize;

    /// The number `k` behind this one.
    #[must_use]
    fn nth(self, k: usize) -> Self;
}

macro_rules! counters {
    ($($t:ty)*) => {$(
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            reason = "of numbers that are in the range"
        )]
        impl Counter for $t {
            #[inline]
            fn distance(self, end: Self) -> usize {
                if self < end { end.wrapping_sub(self) as usize } else { 0 }
            }

            #[inline]
            fn nth(self, k: usize) -> Self {
                self + k as $t
            }
        }
    )*};
}
counters!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// How many numbers there are in `start..end`.
#[inline]
#[must_use]
pub fn distance<T: Counter>(start: T, end: T) -> usize {
    start.distance(end)
}

/// Number `k` of a range.
#[inline]
#[must_use]
pub fn nth<T: Counter>(start: T, k: usize) -> T {
    start.nth(k)
}
