//! The rows of the table on numbers with a tangent: what higher derivatives of the table's own functions are computed with.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::kernels;
use crate::rules::{generic, op, table};

/// A number and its tangent, which may be numbers with tangents themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(
    unreachable_pub,
    reason = "formulas of traits that generated code imports are of it"
)]
pub struct Dual<D> {
    pub(crate) value: D,
    pub(crate) dot: D,
}

/// What a dual number is made of.
pub(crate) trait Part:
    Rows
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;

    fn from_f64(value: f64) -> Self;

    /// d · p, and 0 where one of them is 0.
    fn zmul(self, p: Self) -> Self;

    /// d · p, and 0 where p = 0.
    fn select(self, p: Self) -> Self;
}

impl Part for f64 {
    const ZERO: f64 = 0.0;

    fn from_f64(value: f64) -> f64 {
        value
    }

    fn zmul(self, p: f64) -> f64 {
        kernels::zmul(self, p)
    }

    fn select(self, p: f64) -> f64 {
        kernels::select(self, p)
    }
}

impl<D: Part> Part for Dual<D> {
    const ZERO: Self = Dual {
        value: D::ZERO,
        dot: D::ZERO,
    };

    fn from_f64(value: f64) -> Self {
        Dual {
            value: D::from_f64(value),
            dot: D::ZERO,
        }
    }

    fn zmul(self, p: Self) -> Self {
        Dual {
            value: self.value.zmul(p.value),
            dot: self.dot.zmul(p.value) + p.dot.zmul(self.value),
        }
    }

    fn select(self, p: Self) -> Self {
        Dual {
            value: self.value.select(p.value),
            dot: self.dot.select(p.value) + p.dot.zmul(self.value),
        }
    }
}

impl<D: Part> Add for Dual<D> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual {
            value: self.value + other.value,
            dot: self.dot + other.dot,
        }
    }
}

impl<D: Part> Sub for Dual<D> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual {
            value: self.value - other.value,
            dot: self.dot - other.dot,
        }
    }
}

impl<D: Part> Mul for Dual<D> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            dot: self.dot.zmul(other.value) + other.dot.zmul(self.value),
        }
    }
}

impl<D: Part> Div for Dual<D> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Dual {
            value,
            dot: D::zdiv(self.dot - other.dot.zmul(value), other.value),
        }
    }
}

impl<D: Part> Neg for Dual<D> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual {
            value: -self.value,
            dot: -self.dot,
        }
    }
}

/// The type of an argument.
macro_rules! argument {
    ($D:ty) => {
        $D
    };
    ($D:ty, $integer:ident) => {
        $integer
    };
}

macro_rules! rows {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = [$($partials:tt)*], at $at:tt;
    )* })*) => {
        /// The functions of the table.
        pub(crate) trait Rows: Copy {
            $($( fn $name($($arg: argument!(Self $(, $integer)?)),*) -> Self; )*)*
        }

        impl Rows for f64 {
            $($(
                fn $name($($arg: argument!(f64 $(, $integer)?)),*) -> f64 {
                    op::$name($($arg),*)
                }
            )*)*
        }

        impl<D: Part> Rows for Dual<D> {
            $($(
                fn $name($($arg: argument!(Dual<D> $(, $integer)?)),*) -> Dual<D> {
                    let value = D::$name($(rows!(@value $arg $($integer)?)),*);
                    let partials = partial::$name($(rows!(@value $arg $($integer)?),)* value);
                    let dots = [$(rows!(@dot $arg $($integer)?)),*];
                    let terms = dots.into_iter().zip(partials);
                    let dot = terms.fold(D::ZERO, |sum, (d, p)| sum + rows!(@apply d p $($flag)?));
                    Dual { value, dot }
                }
            )*)*
        }

        /// The functions by name.
        #[allow(dead_code, reason = "few of them occur in the partials that are needed")]
        pub(crate) mod row {
            use super::Part;
            $($(
                pub(crate) fn $name<D: Part>($($arg: argument!(D $(, $integer)?)),*) -> D {
                    D::$name($($arg),*)
                }
            )*)*
        }

        /// The partials by name.
        pub(crate) mod partial {
            use super::{Part, generic};
            $($( rows!(@partial $name [$($arg: argument!(D $(, $integer)?)),*] [$($arg)*] [$($y)?] [$($partials)*]); )*)*
        }
    };
    (@value $arg:ident) => { $arg.value };
    (@value $arg:ident $integer:ident) => { $arg };
    (@dot $arg:ident) => { $arg.dot };
    (@dot $arg:ident $integer:ident) => { D::ZERO };
    (@apply $d:ident $p:ident) => { $d.zmul($p) };
    (@apply $d:ident $p:ident guarded) => { $d.zmul($p) };
    (@apply $d:ident $p:ident select) => { $d.select($p) };
    (@partial $name:ident $typed:tt $args:tt [] $partials:tt) => { rows!(@partial $name $typed $args [y] $partials); };
    (@partial $name:ident [$($typed:tt)*] [$($arg:ident)*] [$y:ident] [$($partials:tt)*]) => {
        #[allow(unused_variables, unused_imports, reason = "few partials use everything")]
        #[allow(clippy::approx_constant, reason = "the macro reads the rows, too: constants are numbers there")]
        pub(crate) fn $name<D: Part>($($typed)*, $y: D) -> [D; [$(stringify!($arg)),*].len()] {
            use super::row::*;
            generic!(@ D [] [] $($partials)*)
        }
    };
}
table!(rows);

macro_rules! along {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        /// The tangents of the partials of the table's methods along a direction, by name: `along::sin(x, dx)`.
        #[cfg(any(feature = "tensor", feature = "num-complex"))]
        pub(crate) mod along {
            use super::{Dual, partial, row};
            use crate::float::Float;
            $($( along!(@$section $name [$($arg $($integer)?),*]); )*)*
        }
    };
    (@methods $name:ident [$($arg:ident $($integer:ident)?),*]) => {
        #[allow(unused_variables, reason = "integers have no tangent")]
        pub(crate) fn $name<T: Float>(args: ($(along!(@type T $($integer)?),)*), dots: ($(along!(@type T $($integer)?),)*)) -> [T; [$(stringify!($arg)),*].len()] {
            let ($($arg,)*) = args;
            let args = ($(along!(@value $arg $($integer)?),)*);
            let ($($arg,)*) = dots;
            let dots = ($(along!(@value $arg $($integer)?),)*);
            let dual = along!(@dual args dots [0 1 2] [$($arg $($integer)?),*] []);
            let ($($arg,)*) = dual;
            let y = row::$name($($arg),*);
            partial::$name($($arg,)* y).map(|p| T::from_f64(p.dot))
        }
    };
    (@functions $($rest:tt)*) => {};
    (@special $($rest:tt)*) => {};
    (@kernels $($rest:tt)*) => {};
    (@type $T:ident) => { $T };
    (@type $T:ident $integer:ident) => { $integer };
    (@value $arg:ident) => { $arg.to_f64() };
    (@value $arg:ident $integer:ident) => { $arg };
    (@dual $args:ident $dots:ident [$k:tt $($ks:tt)*] [$arg:ident, $($rest:tt)*] [$($done:tt)*]) => {
        along!(@dual $args $dots [$($ks)*] [$($rest)*] [$($done)* Dual { value: $args.$k, dot: $dots.$k },])
    };
    (@dual $args:ident $dots:ident [$k:tt $($ks:tt)*] [$arg:ident] [$($done:tt)*]) => {
        ($($done)* Dual { value: $args.$k, dot: $dots.$k },)
    };
    (@dual $args:ident $dots:ident [$k:tt $($ks:tt)*] [$arg:ident $integer:ident] [$($done:tt)*]) => {
        ($($done)* $args.$k,)
    };
}
table!(along);

macro_rules! of_functions {
    (
        methods $methods:tt
        functions { $($name:ident($x:ident) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;)* }
        special $special:tt
        kernels $kernels:tt
    ) => {
        /// The second and third derivatives of the table's own functions of one number.
        pub(crate) mod third {
            use super::{Dual, partial, row};
            use crate::float::Float;
            $(
                pub(crate) fn $name<T: Float>(x: T) -> [T; 2] {
                    let one = Dual { value: 1.0, dot: 0.0 };
                    let x = Dual { value: Dual { value: x.to_f64(), dot: 1.0 }, dot: one };
                    let [partial] = partial::$name(x, row::$name(x));
                    [partial.dot.value, partial.dot.dot].map(T::from_f64)
                }
            )*
        }
    };
}
table!(of_functions);

macro_rules! seconds {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        /// The second derivatives of the functions of one or two numbers, by name: `second::sigmoid(x)`, and `second::hypot(a, b)` by a twice, by both, and by b twice.
        #[allow(dead_code, reason = "without tensors few of them are called")]
        pub(crate) mod second {
            use super::{Dual, partial, row};
            use crate::float::Float;
            $($( seconds!(@row $name [$($arg $(: $integer)? $(= $given)?),*]); )*)*
        }
    };
    (@row $name:ident [$x:ident]) => {
        pub(crate) fn $name<T: Float>(x: T) -> T {
            let x = Dual { value: x.to_f64(), dot: 1.0 };
            let [partial] = partial::$name(x, row::$name(x));
            T::from_f64(partial.dot)
        }
    };
    (@row $name:ident [$a:ident, $b:ident]) => {
        pub(crate) fn $name<T: Float>(a: T, b: T) -> [T; 3] {
            let along = |da: f64, db: f64| {
                let (a, b) = (Dual { value: a.to_f64(), dot: da }, Dual { value: b.to_f64(), dot: db });
                partial::$name(a, b, row::$name(a, b)).map(|partial| partial.dot)
            };
            let ([aa, ab], [_, bb]) = (along(1.0, 0.0), along(0.0, 1.0));
            [aa, ab, bb].map(T::from_f64)
        }
    };
    (@row $name:ident $other:tt) => {};
}
table!(seconds);

#[cfg(test)]
mod tests {
    use super::{second, third};

    #[test]
    fn known_values() {
        assert!(
            (second::sigmoid(0.5_f64)
                - 0.235_003_712_201_594_5 * (1.0 - 2.0 * 0.622_459_331_201_854_6))
                .abs()
                < 1e-15
        );
        assert!((second::erf(0.5_f64) + 0.878_782_578_935_444_8).abs() < 1e-15);
        assert!((second::relu(0.5_f64)).abs() < 1e-300);
        assert!((second::softplus(0.0_f64) - 0.25).abs() < 1e-15);
        let [second, third] = third::erf(0.5_f64);
        assert!((second + 0.878_782_578_935_444_8).abs() < 1e-15);
        assert!((third + 0.878_782_578_935_444_8).abs() < 1e-15);
    }
}
