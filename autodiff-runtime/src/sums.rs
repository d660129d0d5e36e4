//! Sums of cotangents over the rounds of a loop, on eight lanes: their order is free.
//!
//! Element k of the parts makes what round k adds; lane l adds up the rounds l, l + 8, l + 16, ….
//! Floats that are added up one after the other wait for each other, and are no vector code.
//! Fewer rounds than there are lanes are added up in the order of the loop.

use crate::float::Float;

const LANES: usize = 8;

/// Adds up eight lanes.
#[inline]
fn all<T: Float>([a, b, c, d, e, f, g, h]: [T; LANES]) -> T {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

macro_rules! sums {
    ($($(#[$doc:meta])* $name:ident($first:ident: $First:ident $(, $part:ident: $Part:ident)*);)*) => {$(
        $(#[$doc])*
        ///
        /// The parts are of one length; `add` adds what a round adds to what it is given.
        #[inline]
        pub fn $name<T: Float, $First: Copy $(, $Part: Copy)*>(
            backward: bool,
            start: T,
            $first: &[$First],
            $($part: &[$Part],)*
            add: impl Fn(T, $First $(, $Part)*) -> T,
        ) -> T {
            let long = $first.len() >= LANES;
            let $first = $first.chunks_exact(LANES);
            $(let $part = $part.chunks_exact(LANES);)*
            let rest = $first.remainder().iter()$(.zip($part.remainder()))*;
            let one = |sum, together!($first $($part)*): together!(@of $First $($Part)*)| {
                add(sum, *$first $(, *$part)*)
            };
            let sum = if backward {
                rest.rev().fold(start, one)
            } else {
                rest.fold(start, one)
            };
            if !long {
                return sum;
            }
            // What every compiler may drop from a sum.
            let mut lanes = [T::from_f64(-0.0); LANES];
            for together!($first $($part)*) in $first$(.zip($part))* {
                for lane in 0..LANES {
                    lanes[lane] = add(lanes[lane], $first[lane] $(, $part[lane])*);
                }
            }
            sum + all(lanes)
        }
    )*};
}

/// The pattern of an element of each part, and its type.
macro_rules! together {
    ($a:ident) => {
        $a
    };
    ($a:ident $b:ident) => {
        ($a, $b)
    };
    ($a:ident $b:ident $c:ident) => {
        (($a, $b), $c)
    };
    (@of $A:ident) => {
        &$A
    };
    (@of $A:ident $B:ident) => {
        (&$A, &$B)
    };
    (@of $A:ident $B:ident $C:ident) => {
        ((&$A, &$B), &$C)
    };
}

sums! {
    /// The sum along one part.
    along_one(a: A);
    /// The sum along two parts.
    along_two(a: A, b: B);
    /// The sum along three parts.
    along_three(a: A, b: B, c: C);
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{along_one, along_three, along_two};

    #[test]
    fn every_round_is_added_once_whatever_the_length() {
        for (n, backward) in (0..40_u32).flat_map(|n| [(n, false), (n, true)]) {
            // Integers: every order of these sums is exact.
            let a: Vec<f64> = (0..n).map(|k| f64::from(k + 1)).collect();
            let b: Vec<f64> = (0..n).map(|k| f64::from(k * k)).collect();
            let c: Vec<f64> = (0..n).map(|k| f64::from(k % 3)).collect();
            let (m, start) = (f64::from(n), 0.5);
            let one = along_one(backward, start, &a, |s, a| s + a);
            assert_eq!(one, start + m * (m + 1.0) / 2.0);
            let squares = m * (m - 1.0) * (2.0 * m - 1.0) / 6.0;
            let cubes = (m * (m - 1.0) / 2.0).powi(2);
            let two = along_two(backward, start, &a, &b, |s, a, b| s + a * b);
            assert_eq!(two, start + cubes + squares);
            let by_hand: u32 = (0..n).map(|k| (k + 1) * k * k * (k % 3)).sum();
            let three = along_three(backward, start, &a, &b, &c, |s, a, b, c| s + a * b * c);
            assert_eq!(three, start + f64::from(by_hand));
        }
    }

    #[test]
    fn few_rounds_are_added_in_the_order_of_the_loop() {
        let x = [1e16, 1.0, -1e16, 0.5];
        assert_eq!(along_one(false, 0.25, &x, |s, a| s + a), 0.5);
        assert_eq!(along_one(true, 0.25, &x, |s, a| s + a), 0.0);
    }

    #[test]
    fn nothing_to_add_leaves_the_start() {
        assert!(along_one(true, -0.0_f32, &[0.0_f32; 0], |s, a| s + a).is_sign_negative());
    }
}
