//! The functions of the rule table, and their partial derivatives, in Rust.

#[cfg(all(feature = "alloc", any(feature = "std", feature = "libm")))]
pub(crate) use autodiff_rules::flag;
pub(crate) use autodiff_rules::table;
pub use autodiff_rules::{Flag, RULES, Rule};

/// The Rust type of an argument.
#[cfg(any(feature = "std", feature = "libm"))]
macro_rules! argument {
    ($T:ident) => {
        $T
    };
    ($T:ident $integer:ident) => {
        $integer
    };
}

/// The functions of the table, by name: `op::sin(x)`.
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod op {
    use crate::float::Float;

    macro_rules! op {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
        )* })*) => { $($(
            #[inline]
            #[must_use]
            pub fn $name<T: Float>($($arg: argument!(T $($integer)?)),*) -> T {
                op!(@call $section $name)($($arg),*)
            }
        )*)* };
        (@call methods $name:ident) => { T::$name };
        (@call functions $name:ident) => { crate::functions::$name };
        (@call special $name:ident) => { crate::functions::$name };
        (@call kernels $name:ident) => { crate::kernels::$name };
    }
    super::table!(op);
}

/// The partials of a row as an array that is generic in `T`: float literals are converted, everything else stays.
#[cfg(any(feature = "std", feature = "libm"))]
macro_rules! generic {
    // Inside brackets of any depth: `out` is what is translated, `stack` holds the surroundings (translated and not).
    (@ $T:ident [$($out:tt)*] []) => { [$($out)*] };
    (@ $T:ident [$($out:tt)*] [{ [$($before:tt)*] [$($after:tt)*] } $($stack:tt)*] ) => { generic!(@ $T [$($before)* ($($out)*)] [$($stack)*] $($after)*) };
    (@ $T:ident $out:tt [$($stack:tt)*] ($($inner:tt)*) $($after:tt)*) => { generic!(@ $T [] [{ $out [$($after)*] } $($stack)*] $($inner)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt 0 $($after:tt)*) => { generic!(@ $T [$($out)* 0] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt 1 $($after:tt)*) => { generic!(@ $T [$($out)* 1] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt 2 $($after:tt)*) => { generic!(@ $T [$($out)* 2] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt _ $($after:tt)*) => { generic!(@ $T [$($out)* $T::ZERO] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt - $($after:tt)*) => { generic!(@ $T [$($out)* -] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt $number:literal $($after:tt)*) => { generic!(@ $T [$($out)* $T::from_f64($number)] $stack $($after)*) };
    (@ $T:ident [$($out:tt)*] $stack:tt $token:tt $($after:tt)*) => { generic!(@ $T [$($out)* $token] $stack $($after)*) };
}

#[cfg(any(feature = "std", feature = "libm"))]
pub(crate) use generic;

/// The partial derivatives of the functions of the table, by name: `partial::sin(x, sin(x))`, one entry per argument, 0 for integers.
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod partial {
    use crate::float::Float;

    macro_rules! partial {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = [$($partials:tt)*], at $at:tt;
        )* })*) => { $($(
            partial!(@row $name [$($arg: argument!(T $($integer)?)),*] [$($arg)*] [$($y)?] [$($partials)*]);
        )*)* };
        (@row $name:ident $typed:tt $args:tt [] $partials:tt) => { partial!(@row $name $typed $args [y] $partials); };
        (@row $name:ident [$($typed:tt)*] [$($arg:ident)*] [$y:ident] [$($partials:tt)*]) => {
            #[inline]
            #[must_use]
            #[allow(unused_variables, unused_imports, reason = "few partials use everything")]
            #[allow(clippy::approx_constant, reason = "the macro reads the rows, too: constants are numbers there")]
            pub fn $name<T: Float>($($typed)*, $y: T) -> [T; [$(stringify!($arg)),*].len()] {
                use super::op::*;
                generic!(@ T [] [] $($partials)*)
            }
        };
    }
    super::table!(partial);
}

/// The rows as functions of a slice of arguments, integers as floats among them, for tests that go over the table.
#[cfg(any(feature = "std", feature = "libm"))]
#[doc(hidden)]
pub mod evaluate {
    use super::{op, partial};
    use crate::float::Float;

    /// A row of the table, in the order of [`RULES`](super::RULES). An argument that follows from the others is computed, its entry in the slice ignored.
    #[derive(Clone, Copy, Debug)]
    pub struct Row<T: 'static> {
        /// The function.
        pub value: fn(&[T]) -> T,
        /// Its partial derivatives, one per argument.
        pub partials: fn(&[T], &mut [T]),
    }

    macro_rules! evaluate {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
        )* })*) => {
            impl<T: Float> Row<T> {
                /// All rows.
                pub const ALL: &'static [Self] = &[$($(Row {
                    value: |at| {
                        let mut at = at.iter();
                        $(let $arg = evaluate!(@bind at.next() $(, $integer)? $(, = op::$given($($from),*))?);)*
                        op::$name($($arg),*)
                    },
                    partials: |at, out| {
                        let mut at = at.iter();
                        $(let $arg = evaluate!(@bind at.next() $(, $integer)? $(, = op::$given($($from),*))?);)*
                        out.copy_from_slice(&partial::$name($($arg,)* op::$name($($arg),*)));
                    },
                },)*)*];
            }
        };
        (@bind $next:expr) => { *$next.expect("one number per argument") };
        (@bind $next:expr, i32) => { $next.expect("one number per argument").to_f64() as i32 };
        (@bind $next:expr, = $given:expr) => {{ let _ = $next; $given }};
    }
    super::table!(evaluate);
}
