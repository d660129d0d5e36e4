//! The functions of the rule table by name, from the runtime.

use autodiff_rules::{Flag, RULES, Rule};
use autodiff_runtime::generated::{op, partial};

/// An argument as its row takes it.
trait Argument {
    fn of(x: f64) -> Self;
}

impl Argument for f64 {
    fn of(x: f64) -> f64 {
        x
    }
}

impl Argument for i32 {
    fn of(x: f64) -> i32 {
        x as i32
    }
}

/// The row of a name.
pub(crate) fn rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

/// How its partials are applied to a cotangent.
pub(crate) fn applied(rule: &Rule, d: f64, partial: f64) -> f64 {
    match rule.flag {
        Flag::Plain | Flag::Guarded => autodiff_runtime::kernels::zmul(d, partial),
        Flag::Select => autodiff_runtime::kernels::select(d, partial),
    }
}

macro_rules! by_name {
    ($($section:ident { $(
        $name:ident($($arg:ident $(: $integer:ident)? $(= $given:ident($($from:ident),*))?),*) $(-> $y:ident)? $($flag:ident)? = $partials:tt, at $at:tt;
    )* })*) => {
        /// The value of a row; integers are given as numbers. `None` if there is no such row.
        pub(crate) fn value(name: &str, args: &[f64]) -> Option<f64> {
            match name {
                $($(stringify!($name) => {
                    let [$($arg),*] = args else { return None };
                    Some(op::$name::<f64>($(Argument::of(*$arg)),*))
                })*)*
                _ => None,
            }
        }

        /// The partials of a row at arguments and its result.
        pub(crate) fn partials(name: &str, args: &[f64], result: f64) -> Option<Vec<f64>> {
            match name {
                $($(stringify!($name) => {
                    let [$($arg),*] = args else { return None };
                    Some(partial::$name::<f64>($(Argument::of(*$arg),)* result).to_vec())
                })*)*
                _ => None,
            }
        }
    };
}
autodiff_rules::table!(by_name);
