//! Ranges of integers whose type generated code leaves open.

/// An integer that a range counts by.
pub trait Counter: Copy {
    /// How many numbers there are from this one to `end`, without it.
    fn distance(self, end: Self) -> usize;

    /// The number `k` behind this one.
    #[must_use]
    fn nth(self, k: usize) -> Self;

    /// The sum, which may run over.
    #[must_use]
    fn plus(self, step: Self) -> Self;

    /// The difference, which may run over.
    #[must_use]
    fn minus(self, step: Self) -> Self;

    /// So many times the number, which may run over.
    #[must_use]
    fn times(self, n: usize) -> Self;
}

macro_rules! counters {
    ($($t:ty)*) => {$(
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_lossless,
            reason = "of numbers that are in the range, whose length may be more than the type holds"
        )]
        impl Counter for $t {
            #[inline]
            fn distance(self, end: Self) -> usize {
                if self < end { end.abs_diff(self) as usize } else { 0 }
            }

            #[inline]
            fn nth(self, k: usize) -> Self {
                self.wrapping_add(k as $t)
            }

            #[inline]
            fn plus(self, step: Self) -> Self {
                self.wrapping_add(step)
            }

            #[inline]
            fn minus(self, step: Self) -> Self {
                self.wrapping_sub(step)
            }

            #[inline]
            fn times(self, n: usize) -> Self {
                self.wrapping_mul(n as $t)
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

/// What an integer was before it was made less by `step`.
#[inline]
#[must_use]
pub fn plus<T: Counter>(after: T, step: T) -> T {
    after.plus(step)
}

/// What an integer was before it was made more by `step`.
#[inline]
#[must_use]
pub fn minus<T: Counter>(after: T, step: T) -> T {
    after.minus(step)
}

/// What so many rounds add that add `step` each.
#[inline]
#[must_use]
pub fn times<T: Counter>(step: T, rounds: usize) -> T {
    step.times(rounds)
}

#[cfg(test)]
mod tests {
    use super::{distance, nth};

    #[test]
    fn ranges_longer_than_their_type_holds() {
        assert_eq!(distance(-100_i8, 100), (-100_i8..100).count());
        assert_eq!(distance(i16::MIN, i16::MAX), 65_535);
        assert_eq!(distance(3_u8, 250), 247);
        for (k, i) in (-100_i8..100).enumerate() {
            assert_eq!(nth(-100_i8, k), i);
        }
    }

    #[test]
    fn empty_ranges() {
        assert_eq!(distance(4, 4), 0);
        assert_eq!(distance(4_usize, 1), 0);
        assert_eq!(distance(2, -3), 0);
    }
}
