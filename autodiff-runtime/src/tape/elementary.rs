//! The functions of the rule table on variables, and the numbers of all operations.

use super::var::{Link, Var};
use crate::float::Float;
use crate::rules::{flag, op, partial, table};

/// Whether a partial is the literal zero.
const fn is_zero(partial: &str) -> bool {
    matches!(partial.as_bytes(), b"0.0")
}

/// The type of an argument.
macro_rules! argument {
    ($V:ty) => {
        $V
    };
    ($V:ty, $integer:ident) => {
        $integer
    };
}

/// What a function of floats is given.
macro_rules! value {
    ($arg:ident) => {
        $arg.value
    };
    ($arg:ident $integer:ident) => {
        $arg
    };
}

macro_rules! codes {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        /// What a recorded operation is.
        #[allow(non_camel_case_types, reason = "named like the functions")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Code {
            variable, neg, add, sub, mul, div, zmul,
            /// A compiled function, and which of the calls it is.
            call(u32),
            $($($name,)*)*
        }

        impl Code {
            pub(super) fn name(self) -> &'static str {
                match self {
                    Code::variable => "parameter",
                    Code::neg => "neg",
                    Code::add => "add",
                    Code::sub => "sub",
                    Code::mul => "mul",
                    Code::div => "div",
                    Code::zmul => "zmul",
                    Code::call(_) => "call",
                    $($(Code::$name => stringify!($name),)*)*
                }
            }
        }
    };
}
table!(codes);

/// The rows by name.
pub(crate) mod rows {
    use super::{Code, Float, Link, Var, flag, is_zero, op, partial, table};

    macro_rules! rows {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = [$($partial:expr),*], at $at:tt;
        )* })*) => { $($(
            #[inline]
            #[track_caller]
            #[allow(dead_code, reason = "some are called by derivatives alone")]
            #[allow(clippy::elidable_lifetime_names, reason = "some have several variables")]
            pub(crate) fn $name<'t, T: Float>($($arg: argument!(Var<'t, T> $(, $integer)?)),*) -> Var<'t, T> {
                const ZERO: [bool; [$(stringify!($arg)),*].len()] = [$(is_zero(stringify!($partial))),*];
                let value = op::$name($(value!($arg $($integer)?)),*);
                if true $(&& rows!(@constant $arg $($integer)?))* {
                    return Var::constant(value);
                }
                let partials = partial::$name($(value!($arg $($integer)?),)* value);
                let arguments = [$(rows!(@operand $arg $($integer)?)),*];
                rows!(@record (Code::$name) value partials ZERO (flag!($($flag)?)) arguments [] [0 1 2 3 4 5] $($arg [$($integer)?])*)
            }
        )*)* };
        (@operand $arg:ident) => { $arg };
        (@operand $arg:ident $integer:ident) => { Var::constant(T::from_f64(f64::from($arg))) };
        (@constant $arg:ident) => { $arg.is_constant() };
        (@constant $arg:ident $integer:ident) => { true };
        // The floats among the arguments, each with its place.
        (@record $code:tt $value:ident $partials:ident $zero:ident $flag:tt $all:ident [$($done:tt)*] [$k:tt $($more:tt)*] $arg:ident [] $($rest:tt)*) => {
            rows!(@record $code $value $partials $zero $flag $all [$($done)* ($arg, Link::row($partials[$k], $flag, $zero[$k]))] [$($more)*] $($rest)*)
        };
        (@record $code:tt $value:ident $partials:ident $zero:ident $flag:tt $all:ident [$($done:tt)*] [$k:tt $($more:tt)*] $arg:ident [$integer:ident] $($rest:tt)*) => {
            rows!(@record $code $value $partials $zero $flag $all [$($done)*] [$($more)*] $($rest)*)
        };
        (@record ($code:expr) $value:ident $partials:ident $zero:ident $flag:tt $all:ident [($a:ident, $l:expr)] $ks:tt) => {
            $a.unary($code, $value, $l, $all)
        };
        (@record ($code:expr) $value:ident $partials:ident $zero:ident $flag:tt $all:ident [($a:ident, $l:expr) ($b:ident, $m:expr)] $ks:tt) => {
            $a.binary($code, $b, $value, $l, $m, $all)
        };
        (@record ($code:expr) $value:ident $partials:ident $zero:ident $flag:tt $all:ident [($a:ident, $l:expr) ($b:ident, $m:expr) ($c:ident, $n:expr)] $ks:tt) => {
            Var::ternary([$a, $b, $c], $code, $value, [$l, $m, $n], $all)
        };
    }
    table!(rows);
}

/// The functions as methods, under the names that floats have for them.
macro_rules! methods {
    (
        methods { $($method:tt)* }
        functions { $($function:tt)* }
        special { $($special:tt)* }
        kernels $kernels:tt
    ) => {
        impl<'t, T: Float> Var<'t, T> {
            methods!(@each $($method)*);
            methods!(@each $($function)*);
            methods!(@special $($special)*);
        }
    };
    (@each $($name:ident($first:ident $(, $arg:ident $(: $integer:ident)?)*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;)*) => { $(
        #[doc = concat!("The function `", stringify!($name), "` of this crate's table.")]
        #[inline]
        #[must_use]
        #[track_caller]
        pub fn $name(self $(, $arg: argument!(impl Into<Self> $(, $integer)?))*) -> Self {
            rows::$name(self $(, methods!(@pass $arg $($integer)?))*)
        }
    )* };
    (@special $($name:ident($($args:tt)*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;)*) => { $(
        methods!(@one $name $($args)*);
    )* };
    (@one $name:ident $n:ident: i32, $x:ident) => {
        #[doc = concat!("The function `", stringify!($name), "` of this crate's table.")]
        #[inline]
        #[must_use]
        #[track_caller]
        pub fn $name($n: i32, $x: impl Into<Self>) -> Self {
            rows::$name($n, $x.into())
        }
    };
    (@one $name:ident $first:ident $(, $arg:ident)*) => {
        methods!(@each $name($first $(, $arg)*) = [], at [];);
    };
    (@pass $arg:ident) => { $arg.into() };
    (@pass $arg:ident $integer:ident) => { $arg };
}
table!(methods);

impl<T: Float> Var<'_, T> {
    /// The sine and the cosine.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }

    /// The total order of the values, in which NaN has its place.
    #[inline]
    #[must_use]
    pub fn total_cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.value.to_f64().total_cmp(&other.value.to_f64())
    }

    /// Whether the value is NaN.
    #[inline]
    #[must_use]
    pub fn is_nan(self) -> bool {
        self.value.is_nan()
    }

    /// Whether the value is neither infinite nor NaN.
    #[inline]
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.value.is_finite()
    }

    /// Whether the value is infinite.
    #[inline]
    #[must_use]
    pub fn is_infinite(self) -> bool {
        !self.value.is_finite() && !self.value.is_nan()
    }

    /// Whether the sign bit is clear.
    #[inline]
    #[must_use]
    pub fn is_sign_positive(self) -> bool {
        T::ONE.copysign(self.value) > T::ZERO
    }

    /// Whether the sign bit is set.
    #[inline]
    #[must_use]
    pub fn is_sign_negative(self) -> bool {
        !self.is_sign_positive()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{rows, table};
    use crate::rules::RULES;
    use crate::rules::evaluate::Row;
    use crate::tape::{Tape, Var};

    macro_rules! evaluated {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
        )* })*) => {
            /// The rows as functions of a slice, in the order of the table.
            const ALL: &[for<'t> fn(&[Var<'t>]) -> Var<'t>] = &[$($(|at| {
                let mut at = at.iter();
                $(let $arg = evaluated!(@bind at.next() $(, $integer)? $(, = rows::$given($($from),*))?);)*
                rows::$name($($arg),*)
            },)*)*];
        };
        (@bind $next:expr) => { *$next.expect("one number per argument") };
        (@bind $next:expr, i32) => { $next.expect("one number per argument").value() as i32 };
        (@bind $next:expr, = $given:expr) => {{ let _ = $next; $given }};
    }
    table!(evaluated);

    #[test]
    fn every_row_has_its_value_and_its_partials() {
        let tape = Tape::new();
        for ((rule, row), on_tape) in RULES.iter().zip(Row::<f64>::ALL).zip(ALL) {
            tape.clear();
            let at = tape.vars(rule.at);
            let y = on_tape(&at);
            assert_eq!(
                y.value().to_bits(),
                (row.value)(rule.at).to_bits(),
                "{}",
                rule.name
            );
            let mut partials = alloc::vec![0.0; rule.at.len()];
            (row.partials)(rule.at, &mut partials);
            let g = y.backward();
            // An argument that follows from others has its derivative through them.
            if rule.given.iter().all(|given| given.is_empty()) {
                assert_eq!(g.wrt(&at), partials, "{}", rule.name);
            }
            let ones: Vec<_> = at.iter().map(|&x| (x, 1.0)).collect();
            let forward = tape.jvp(&ones, &[y])[0];
            let sum: f64 = g.wrt(&at).iter().sum();
            assert!((forward - sum).abs() <= 1e-15 * sum.abs(), "{}", rule.name);
        }
    }

    #[test]
    fn constants_are_not_recorded() {
        for (rule, on_tape) in RULES.iter().zip(ALL) {
            let at: Vec<Var> = rule.at.iter().map(|&x| Var::from(x)).collect();
            assert!(on_tape(&at).is_constant(), "{}", rule.name);
        }
    }
}
