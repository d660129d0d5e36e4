//! Operators on numbers, as Rust computes them.

use std::cmp::Ordering;

use super::value::Width;
use super::{Outcome, Stop, Value};

/// The least and the largest value of an integer type.
fn limits(width: &str) -> Option<(i128, i128)> {
    Some(match width {
        "u8" => (0, i128::from(u8::MAX)),
        "u16" => (0, i128::from(u16::MAX)),
        "u32" => (0, i128::from(u32::MAX)),
        "u64" => (0, i128::from(u64::MAX)),
        // As where programs run, and not as on the page's 32 bits.
        "usize" => (0, i128::from(u64::MAX)),
        "i8" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "i16" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "i32" => (i128::from(i32::MIN), i128::from(i32::MAX)),
        "i64" | "isize" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        _ => return None,
    })
}

/// The name of an integer type as it is kept.
pub(super) fn width(name: &str) -> Width {
    [
        "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
    ]
    .into_iter()
    .find(|w| *w == name)
}

/// An integer that is within its type.
pub(super) fn integer(n: Option<i128>, width: Width) -> Outcome {
    let within = |n: &i128| {
        width
            .and_then(limits)
            .is_none_or(|(least, most)| (least..=most).contains(n))
    };
    match n.filter(within) {
        Some(n) => Ok(Value::Int(n, width)),
        None => Err(Stop::Panic("an integer overflows".to_owned())),
    }
}

/// Whether two values are equal, as `==` says.
pub(super) fn equal(a: &Value, b: &Value) -> Outcome<bool> {
    Ok(match (a, b) {
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Int(a, _), Value::Int(b, _)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Variant(a, _), Value::Variant(b, _)) if a != b => false,
        (Value::Ref(a), b) => equal(&a.read()?, b)?,
        (a, Value::Ref(b)) => equal(a, &b.read()?)?,
        _ => match (a.parts(), b.parts()) {
            (Some(a), Some(b)) => {
                let mut same = a.len() == b.len();
                for (a, b) in a.iter().zip(b) {
                    same = same && equal(a, b)?;
                }
                same
            }
            _ => {
                return Err(Stop::unsupported(format!(
                    "the comparison of {a:?} and {b:?}"
                )));
            }
        },
    })
}

/// How two values compare.
pub(super) fn order(a: &Value, b: &Value) -> Outcome<Option<Ordering>> {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => Ok(a.partial_cmp(b)),
        (Value::Int(a, _), Value::Int(b, _)) => Ok(Some(a.cmp(b))),
        (Value::Bool(a), Value::Bool(b)) => Ok(Some(a.cmp(b))),
        _ => Err(Stop::unsupported(format!(
            "the comparison of {a:?} and {b:?}"
        ))),
    }
}

/// A binary operator, without `&&`, `||` and assignments.
pub(super) fn binary(op: &syn::BinOp, a: Value, b: Value) -> Outcome {
    use syn::BinOp;
    let (a, b) = (a.followed()?, b.followed()?);
    match op {
        BinOp::Eq(_) => return equal(&a, &b).map(Value::Bool),
        BinOp::Ne(_) => return equal(&a, &b).map(|same| Value::Bool(!same)),
        BinOp::Lt(_) => return order(&a, &b).map(|o| Value::Bool(o == Some(Ordering::Less))),
        BinOp::Gt(_) => return order(&a, &b).map(|o| Value::Bool(o == Some(Ordering::Greater))),
        BinOp::Le(_) => {
            return order(&a, &b).map(|o| Value::Bool(o.is_some_and(Ordering::is_le)));
        }
        BinOp::Ge(_) => {
            return order(&a, &b).map(|o| Value::Bool(o.is_some_and(Ordering::is_ge)));
        }
        _ => {}
    }
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(match op {
            BinOp::Add(_) | BinOp::AddAssign(_) => a + b,
            BinOp::Sub(_) | BinOp::SubAssign(_) => a - b,
            BinOp::Mul(_) | BinOp::MulAssign(_) => a * b,
            BinOp::Div(_) | BinOp::DivAssign(_) => a / b,
            BinOp::Rem(_) | BinOp::RemAssign(_) => a % b,
            _ => {
                let what = "this operator between floats; a power is `x.powf(y)`";
                return Err(Stop::Mistyped(what.to_owned()));
            }
        })),
        (Value::Int(a, wa), Value::Int(b, wb)) => {
            let shift = |b: i128| u32::try_from(b).ok().filter(|b| *b < 64);
            let n = match op {
                BinOp::Add(_) | BinOp::AddAssign(_) => a.checked_add(b),
                BinOp::Sub(_) | BinOp::SubAssign(_) => a.checked_sub(b),
                BinOp::Mul(_) | BinOp::MulAssign(_) => a.checked_mul(b),
                BinOp::Div(_) | BinOp::DivAssign(_) => a.checked_div(b),
                BinOp::Rem(_) | BinOp::RemAssign(_) => a.checked_rem(b),
                BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => Some(a & b),
                BinOp::BitOr(_) | BinOp::BitOrAssign(_) => Some(a | b),
                BinOp::BitXor(_) | BinOp::BitXorAssign(_) => Some(a ^ b),
                BinOp::Shr(_) | BinOp::ShrAssign(_) => {
                    return integer(shift(b).map(|b| a >> b), wa);
                }
                BinOp::Shl(_) | BinOp::ShlAssign(_) => {
                    return integer(shift(b).map(|b| a << b), wa);
                }
                _ => return Err(Stop::unsupported("this operator on integers")),
            };
            integer(n, wa.or(wb))
        }
        (Value::Bool(a), Value::Bool(b)) => Ok(Value::Bool(match op {
            BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => a & b,
            BinOp::BitOr(_) | BinOp::BitOrAssign(_) => a | b,
            BinOp::BitXor(_) | BinOp::BitXorAssign(_) => a ^ b,
            _ => return Err(Stop::unsupported("this operator on truth values")),
        })),
        (Value::Int(n, _), Value::Float(_)) | (Value::Float(_), Value::Int(n, _)) => {
            let power = match n > 1 {
                true => format!(", and a power as `x.powi({n})`"),
                false => String::new(),
            };
            Err(Stop::Mistyped(format!(
                "an operator between a float and the integer {n}; write `{n}.0`{power}"
            )))
        }
        (a, b) => Err(Stop::unsupported(format!(
            "an operator between {a:?} and {b:?}"
        ))),
    }
}

/// `value as ty`
pub(super) fn cast(value: Value, ty: &str) -> Outcome {
    let value = value.followed()?;
    if ty == "f64" {
        return match value {
            Value::Float(x) => Ok(Value::Float(x)),
            Value::Int(n, _) => Ok(Value::Float(n as f64)),
            other => Err(Stop::unsupported(format!("{other:?} as a number"))),
        };
    }
    let Some((to, (least, most))) = width(ty).and_then(|w| Some((w, limits(w)?))) else {
        return Err(Stop::unsupported(format!("`as {ty}`")));
    };
    let n = match value {
        // `as` saturates, and makes 0 of NaN.
        Value::Float(x) => (x as i128).clamp(least, most),
        Value::Int(n, _) => {
            let size = most - least + 1;
            (n - least).rem_euclid(size) + least
        }
        Value::Bool(b) => i128::from(b),
        other => return Err(Stop::unsupported(format!("{other:?} as an integer"))),
    };
    Ok(Value::Int(n, Some(to)))
}
