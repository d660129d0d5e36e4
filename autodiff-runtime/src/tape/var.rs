//! A number that is recorded as it is computed with.

use core::fmt;

use super::details::Arguments;
use super::elementary::Code;
use super::{NONE, Node, Tape};
use crate::float::Float;
use crate::rules::Flag;

/// A number whose operations are recorded on a [`Tape`].
///
/// It is `Copy`, and has every operator and method of the float, mixed with plain floats on either side.
/// It compares by value. `Var::from(2.0)` is a constant, which is on no tape.
///
/// ```
/// use autodiff_runtime::tape::{Tape, Var};
///
/// fn horner<'t>(coefficients: &[f64], x: Var<'t>) -> Var<'t> {
///     coefficients.iter().fold(Var::from(0.0), |sum, c| sum * x + c)
/// }
///
/// let tape = Tape::new();
/// let x = tape.var(2.0);
/// let y = horner(&[1.0, 0.0, -1.0], x);
/// assert_eq!((y.value(), y.backward().wrt(x)), (3.0, 4.0));
/// ```
#[derive(Clone, Copy)]
pub struct Var<'t, T: Float = f64> {
    pub(super) value: T,
    /// The number of the node; 0 of a constant.
    pub(super) id: u64,
    pub(super) tape: Option<&'t Tape<T>>,
}

/// An operand: its derivative, and whether one flows there at all.
#[derive(Clone, Copy)]
pub(super) struct Link<T> {
    pub(super) partial: T,
    pub(super) flows: bool,
}

impl<T: Float> Link<T> {
    /// An operand of an operator.
    #[inline(always)]
    pub(super) fn of(partial: T) -> Self {
        Link {
            partial,
            flows: true,
        }
    }

    /// An operand of a row of the table, where the partial may be the literal zero.
    #[inline(always)]
    pub(super) fn row(partial: T, flag: Flag, zero: bool) -> Self {
        let flows = !zero && (!matches!(flag, Flag::Select) || partial != T::ZERO);
        Link { partial, flows }
    }

    #[inline(always)]
    fn operand(self, id: u64) -> u32 {
        if self.flows { id as u32 } else { NONE }
    }
}

impl<'t, T: Float> Var<'t, T> {
    #[inline(always)]
    pub(super) const fn constant(value: T) -> Self {
        Var {
            value,
            id: 0,
            tape: None,
        }
    }

    #[inline(always)]
    pub(super) const fn recorded(tape: &'t Tape<T>, value: T, id: u64) -> Self {
        Var {
            value,
            id,
            tape: Some(tape),
        }
    }

    /// The number.
    #[inline(always)]
    #[must_use]
    pub const fn value(self) -> T {
        self.value
    }

    /// Whether it is a constant, which no derivative flows to.
    #[inline(always)]
    #[must_use]
    pub const fn is_constant(self) -> bool {
        self.tape.is_none()
    }

    /// The number as a constant.
    #[inline(always)]
    #[must_use]
    pub fn detach(self) -> Self {
        Var::constant(self.value)
    }

    /// The position of the node.
    #[inline(always)]
    pub(super) fn position(self) -> usize {
        self.id as u32 as usize
    }

    /// Whether the node is one that `tape` holds now.
    #[inline(always)]
    pub(super) fn is_of(self, tape: &Tape<T>) -> bool {
        (self.id ^ tape.arena.next()) >> 32 == 0
    }

    /// Panics because the variable is not one of those that `tape` holds now.
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(super) fn refuse(self, tape: &Tape<T>) -> ! {
        let own = self.tape.is_some_and(|own| core::ptr::eq(own, tape));
        assert!(!own, "a `Var` is used after its tape was cleared");
        panic!("a `Var` is used on a tape that it does not belong to");
    }

    /// Records an operation with one operand. `arguments` are those of the function, for a tape that keeps them.
    #[inline(always)]
    #[track_caller]
    pub(super) fn unary(
        self,
        code: Code,
        value: T,
        link: Link<T>,
        arguments: impl Arguments<T>,
    ) -> Self {
        let Some(tape) = self.tape else {
            return Var::constant(value);
        };
        if !self.is_of(tape) {
            self.refuse(tape);
        }
        let node = Node {
            partials: [link.partial, T::ZERO],
            operands: [link.operand(self.id), NONE],
        };
        tape.record(node, code, value, arguments)
    }

    /// Records an operation with two operands.
    #[inline(always)]
    #[track_caller]
    pub(super) fn binary(
        self,
        code: Code,
        other: Self,
        value: T,
        left: Link<T>,
        right: Link<T>,
        arguments: impl Arguments<T>,
    ) -> Self {
        let Some(tape) = self.tape.or(other.tape) else {
            return Var::constant(value);
        };
        let next = tape.arena.next();
        let node = if ((self.id ^ next) | (other.id ^ next)) >> 32 == 0 {
            Node {
                partials: [left.partial, right.partial],
                operands: [left.operand(self.id), right.operand(other.id)],
            }
        } else {
            let (var, link, constant) = if self.is_constant() {
                (other, right, self)
            } else {
                (self, left, other)
            };
            if !var.is_of(tape) {
                var.refuse(tape);
            }
            if !constant.is_constant() {
                constant.refuse(tape);
            }
            Node {
                partials: [link.partial, T::ZERO],
                operands: [link.operand(var.id), NONE],
            }
        };
        tape.record(node, code, value, arguments)
    }

    /// Records an operation with three operands: two nodes, of which the first is nobody's.
    #[inline]
    #[track_caller]
    pub(super) fn ternary(
        all: [Self; 3],
        code: Code,
        value: T,
        links: [Link<T>; 3],
        arguments: impl Arguments<T>,
    ) -> Self {
        let Some(tape) = all.iter().find_map(|var| var.tape) else {
            return Var::constant(value);
        };
        let mut used = [(T::ZERO, NONE); 3];
        for ((used, link), var) in used.iter_mut().zip(links).zip(all) {
            if var.is_constant() {
                continue;
            }
            if !var.is_of(tape) {
                var.refuse(tape);
            }
            *used = (link.partial, link.operand(var.id));
        }
        let [first, second, third] = used;
        let part = tape.arena.push(Node {
            partials: [first.0, second.0],
            operands: [first.1, second.1],
        });
        let node = Node {
            partials: [T::ONE, third.0],
            operands: [part as u32, third.1],
        };
        tape.record(node, code, value, arguments)
    }
}

impl<T: Float> From<T> for Var<'_, T> {
    /// A constant.
    #[inline(always)]
    fn from(value: T) -> Self {
        Var::constant(value)
    }
}

macro_rules! integers {
    ($float:ident: $($t:ident)*) => {$(
        impl From<$t> for Var<'_, $float> {
            /// A constant, as of `f64::from`.
            #[inline(always)]
            fn from(value: $t) -> Self {
                Var::constant($float::from(value))
            }
        }
    )*};
}
integers!(f64: i8 i16 i32 u8 u16 u32 bool);
integers!(f32: i8 i16 u8 u16 bool);

impl<T: Float + core::str::FromStr> core::str::FromStr for Var<'_, T> {
    type Err = T::Err;
    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Var::constant)
    }
}

/// The constants of the float.
#[allow(missing_docs, reason = "named as those of the float")]
impl<T: Float> Var<'_, T> {
    pub const ZERO: Self = Var::constant(T::ZERO);
    pub const ONE: Self = Var::constant(T::ONE);
    pub const EPSILON: Self = Var::constant(T::EPSILON);
    pub const MAX: Self = Var::constant(T::MAX);
    pub const MIN: Self = Var::constant(T::MIN);
    pub const MIN_POSITIVE: Self = Var::constant(T::MIN_POSITIVE);
    pub const INFINITY: Self = Var::constant(T::INFINITY);
    pub const NEG_INFINITY: Self = Var::constant(T::NEG_INFINITY);
    pub const NAN: Self = Var::constant(T::NAN);
}

impl<T: Float> Var<'_, T> {
    /// The constant nearest to `x`.
    #[must_use]
    pub fn from_f64(x: f64) -> Self {
        Var::constant(T::from_f64(x))
    }
}

impl<T: Float> Default for Var<'_, T> {
    /// The constant 0.
    fn default() -> Self {
        Var::constant(T::ZERO)
    }
}

impl<T: Float> fmt::Display for Var<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value, f)
    }
}

impl<T: Float> fmt::LowerExp for Var<'_, T>
where
    T: fmt::LowerExp,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerExp::fmt(&self.value, f)
    }
}

impl<T: Float> fmt::Debug for Var<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Var").field(&self.value).finish()
    }
}
