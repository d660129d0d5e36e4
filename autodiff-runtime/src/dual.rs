//! The rows of the table on numbers with a tangent: what second derivatives of the table's own functions are computed with.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::kernels::{select, zdiv, zmul};
use crate::rules::{generic, partial, table};

/// A number and its tangent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual {
    value: f64,
    dot: f64,
}

impl Dual {
    const fn from_f64(value: f64) -> Dual {
        Dual { value, dot: 0.0 }
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        Dual {
            value: self.value + other.value,
            dot: self.dot + other.dot,
        }
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        Dual {
            value: self.value - other.value,
            dot: self.dot - other.dot,
        }
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        Dual {
            value: self.value * other.value,
            dot: zmul(self.dot, other.value) + zmul(other.dot, self.value),
        }
    }
}

impl Div for Dual {
    type Output = Dual;
    fn div(self, other: Dual) -> Dual {
        let value = self.value / other.value;
        Dual {
            value,
            dot: zdiv(self.dot - zmul(other.dot, value), other.value),
        }
    }
}

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual {
            value: -self.value,
            dot: -self.dot,
        }
    }
}

/// The functions of the table.
#[allow(
    dead_code,
    reason = "few of them occur in the partials that are needed"
)]
mod row {
    use super::{Dual, partial, select, table, zmul};
    use crate::rules::op;

    macro_rules! argument {
        () => {
            Dual
        };
        ($integer:ident) => {
            $integer
        };
    }
    macro_rules! value {
        ($arg:ident) => {
            $arg.value
        };
        ($arg:ident $integer:ident) => {
            $arg
        };
    }
    macro_rules! dot {
        ($arg:ident) => {
            $arg.dot
        };
        ($arg:ident $integer:ident) => {
            0.0
        };
    }
    macro_rules! apply {
        ($d:expr, $partial:expr) => {
            zmul($d, $partial)
        };
        ($d:expr, $partial:expr, guarded) => {
            zmul($d, $partial)
        };
        ($d:expr, $partial:expr, select) => {
            select($d, $partial)
        };
    }
    macro_rules! rows {
        ($($section:ident { $(
            $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
        )* })*) => { $($( rows!(@row $name [$($flag)?] $($arg [$($integer)?])*); )*)* };
        (@row $name:ident [$($flag:ident)?] $($arg:ident [$($integer:ident)?])*) => {
            pub(super) fn $name($($arg: argument!($($integer)?)),*) -> Dual {
                let value = op::$name($(value!($arg $($integer)?)),*);
                let partials = partial::$name($(value!($arg $($integer)?),)* value);
                let dots = [$(dot!($arg $($integer)?)),*];
                let dot = dots.into_iter().zip(partials).map(|(d, p)| apply!(d, p $(, $flag)?)).sum();
                Dual { value, dot }
            }
        };
    }
    table!(rows);
}

/// The second derivatives of the table's functions of one number, by name: `second::sigmoid(x)`.
pub(crate) mod second {
    use super::{Dual, generic, row, table};
    use crate::float::Float;

    macro_rules! seconds {
        (
            methods $methods:tt
            functions { $($name:ident($x:ident) $(-> $y:ident)? $($flag:ident)? = [$($partial:tt)*], at $at:tt;)* }
            kernels $kernels:tt
        ) => { $( seconds!(@row $name $x [$($y)?] [$($partial)*]); )* };
        (@row $name:ident $x:ident [] $partial:tt) => { seconds!(@row $name $x [y] $partial); };
        (@row $name:ident $x:ident [$y:ident] [$($partial:tt)*]) => {
            #[allow(unused_variables, unused_imports, reason = "few partials use everything")]
            #[allow(clippy::approx_constant, reason = "the macro reads the rows, too: constants are numbers there")]
            pub(crate) fn $name<T: Float>(x: T) -> T {
                use super::row::*;
                let $x = Dual { value: x.to_f64(), dot: 1.0 };
                let $y = row::$name($x);
                let [partial] = generic!(@ Dual [] [] $($partial)*);
                T::from_f64(partial.dot)
            }
        };
    }
    table!(seconds);
}

#[cfg(test)]
mod tests {
    use super::second;

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
    }
}
