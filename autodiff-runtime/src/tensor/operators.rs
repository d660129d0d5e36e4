//! Operators between tensors, references to them, and numbers; and their derivatives.

use alloc::vec::Vec;
use core::ops;

use super::Tensor;
use super::arguments::{AsTensor, Outcome};
use super::dims::broadcast;
use super::elementwise::{entries, zip};
use super::error::expect;
use super::operation::{Algebra, Dual, Kept, Operation};
use super::ops::arithmetic::{Add, Div, Mul, Sub};
use crate::float::Float;
use crate::operators::{
    AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivAssignAgain, DivAssignRule,
    DivRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, NegAgain, NegRule, SubAgain,
    SubAssignAgain, SubAssignRule, SubRule,
};
use crate::parallel::{Work, divide};

/// `f` of the entries of two tensors; in the buffer of the first, where it is nobody else's and the shapes are the same.
#[track_caller]
fn into_left<T: Float>(
    name: &'static str,
    mut a: Tensor<T>,
    b: &Tensor<T>,
    f: impl Fn(T, T) -> T + Sync,
) -> Tensor<T> {
    if !a.is_alone() {
        return expect(zip(name, &a, b, f));
    }
    if b.rank() == 0 {
        let b = b.only();
        let amount = entries(Work::Memory, a.len());
        divide(a.entries_mut(), amount, |_, a| {
            for a in a {
                *a = f(*a, b);
            }
        });
        return a;
    }
    match b.dense() {
        Some(from) if a.shape == b.shape => {
            let amount = entries(Work::Memory, a.len());
            divide(a.entries_mut(), amount, |some, a| {
                for (a, b) in a.iter_mut().zip(&from[some]) {
                    *a = f(*a, *b);
                }
            });
            a
        }
        _ => expect(zip(name, &a, b, f)),
    }
}

/// The operands of an operator as its derivatives keep them; the result is computed again where a derivative looks at it.
type Operands<A> = Vec<A>;

/// The cotangent of operand `k`.
fn back<T: Float, A: Algebra<T>, O: Operation<T>>(
    operation: O,
    operands: Operands<A>,
    k: usize,
    dy: &A,
) -> A {
    let wanted = [k == 0, k == 1];
    let y = if O::KEEPS == super::operation::Keeps::Everything {
        A::apply(&operation, &operands.iter().collect::<Vec<_>>())
    } else {
        dy.clone()
    };
    let kept = Kept::of(operation, operands, &y);
    kept.pull(dy, &wanted[..]).swap_remove(k)
}

/// The operands, of which the shapes alone are kept where these are enough.
fn keep<T: Float, O: Operation<T>>(_: &O, operands: [Tensor<T>; 2]) -> Operands<Tensor<T>> {
    let keeps = O::KEEPS != super::operation::Keeps::Nothing;
    operands
        .into_iter()
        .map(|x| if keeps { x } else { x.outline() })
        .collect()
}

/// The operands with their tangents.
fn dual<T: Float>(
    operands: Operands<Tensor<T>>,
    dots: Option<[Option<Tensor<T>>; 2]>,
) -> Operands<Dual<T, Tensor<T>>> {
    let dots = dots.unwrap_or_default();
    operands
        .into_iter()
        .zip(dots)
        .map(|(x, dot)| Dual::new(x, dot))
        .collect()
}

/// The tangent of an operator's result where operand `k` has this one.
fn fore<T: Float, O: Operation<T>>(
    operation: &O,
    operands: [Tensor<T>; 2],
    k: usize,
    dot: Tensor<T>,
) -> Tensor<T> {
    let mut dots = [None, None];
    dots[k] = Some(dot);
    let duals = dual(operands.into(), Some(dots));
    Dual::apply(operation, &duals.iter().collect::<Vec<_>>()).into_dot()
}

/// One operator between two types of operands: its rule, and that of second order. One of the operands at least is a tensor.
macro_rules! rule {
    ($rule:ident $again:ident $operation:ident [$($g:tt)*] $a:ty, $b:ty, $scalar:ty) => {
        impl<$($g)* const L: bool, const R: bool> $rule<$b, L, R> for $a {
            type Result = Tensor<$scalar>;
            type Left = Operands<Tensor<$scalar>>;
            type Right = Operands<Tensor<$scalar>>;
            fn __keep_left(&self, b: &$b) -> Self::Left {
                keep(&$operation, [self.as_tensor(), b.as_tensor()])
            }
            fn __keep_right(&self, b: &$b) -> Self::Right {
                keep(&$operation, [self.as_tensor(), b.as_tensor()])
            }
            fn back_left(kept: Self::Left, dy: &Tensor<$scalar>) -> $a {
                Outcome::of(back($operation, kept, 0, dy))
            }
            fn back_right(kept: Self::Right, dy: &Tensor<$scalar>) -> $b {
                Outcome::of(back($operation, kept, 1, dy))
            }
            fn __fore_left(&self, b: &$b, da: &$a) -> Tensor<$scalar> {
                fore(&$operation, [self.as_tensor(), b.as_tensor()], 0, da.as_tensor())
            }
            fn __fore_right(&self, b: &$b, db: &$b) -> Tensor<$scalar> {
                fore(&$operation, [self.as_tensor(), b.as_tensor()], 1, db.as_tensor())
            }
        }

        impl<$($g)* const L: bool, const R: bool> $again<$b, L, R> for $a {
            type LeftDot = [Option<Tensor<$scalar>>; 2];
            type RightDot = [Option<Tensor<$scalar>>; 2];
            fn __dot_keep_left(&self, _: &$b, da: Option<&$a>, db: Option<&$b>) -> Self::LeftDot {
                [da.map(AsTensor::as_tensor), db.map(AsTensor::as_tensor)]
            }
            fn __dot_keep_right(&self, _: &$b, da: Option<&$a>, db: Option<&$b>) -> Self::RightDot {
                [da.map(AsTensor::as_tensor), db.map(AsTensor::as_tensor)]
            }
            fn dot_left(kept: Self::Left, dot: Option<Self::LeftDot>, dy: &Tensor<$scalar>, ddy: Option<&Tensor<$scalar>>) -> $a {
                Outcome::of(back($operation, dual(kept, dot), 0, &Dual::new(dy.clone(), ddy.cloned())).into_dot())
            }
            fn dot_right(kept: Self::Right, dot: Option<Self::RightDot>, dy: &Tensor<$scalar>, ddy: Option<&Tensor<$scalar>>) -> $b {
                Outcome::of(back($operation, dual(kept, dot), 1, &Dual::new(dy.clone(), ddy.cloned())).into_dot())
            }
        }
    };
}

macro_rules! operators {
    ($($op:ident $method:ident $op_assign:ident $assign:ident: $rule:ident $again:ident $assign_rule:ident $assign_again:ident, |$x:ident, $y:ident| $f:expr;)*) => {$(
        operators!(@right $op $method $op_assign $assign Tensor<T>, |$x, $y| $f);
        operators!(@right $op $method $op_assign $assign &Tensor<T>, |$x, $y| $f);
        operators!(@right $op $method $op_assign $assign T, |$x, $y| $f);
        operators!(@left $op $method f32, |$x, $y| $f);
        operators!(@left $op $method f64, |$x, $y| $f);

        rule!($rule $again $op [T: Float,] Tensor<T>, Tensor<T>, T);
        rule!($rule $again $op [T: Float,] Tensor<T>, T, T);
        rule!($assign_rule $assign_again $op [T: Float,] Tensor<T>, Tensor<T>, T);
        rule!($assign_rule $assign_again $op [T: Float,] Tensor<T>, T, T);
        operators!(@left_rule $rule $again $op f32);
        operators!(@left_rule $rule $again $op f64);
    )*};
    (@right $op:ident $method:ident $op_assign:ident $assign:ident $b:ty, |$x:ident, $y:ident| $f:expr) => {
        impl<T: Float> ops::$op<$b> for Tensor<T> {
            type Output = Tensor<T>;
            #[track_caller]
            fn $method(self, b: $b) -> Tensor<T> {
                into_left(stringify!($method), self, &b.as_tensor(), |$x, $y| $f)
            }
        }

        impl<T: Float> ops::$op<$b> for &Tensor<T> {
            type Output = Tensor<T>;
            #[track_caller]
            fn $method(self, b: $b) -> Tensor<T> {
                expect(zip(stringify!($method), self, &b.as_tensor(), |$x, $y| $f))
            }
        }

        impl<T: Float> ops::$op_assign<$b> for Tensor<T> {
            #[track_caller]
            fn $assign(&mut self, b: $b) {
                let b = b.as_tensor();
                let shape = expect(broadcast(stringify!($assign), &self.shape, &b.shape));
                assert!(shape == self.shape, concat!(stringify!($assign), ": the shape {:?} does not go into {:?}"), b.shape(), self.shape());
                *self = into_left(stringify!($assign), core::mem::take(self), &b, |$x, $y| $f);
            }
        }
    };
    (@left $op:ident $method:ident $t:ty, |$x:ident, $y:ident| $f:expr) => {
        impl ops::$op<Tensor<$t>> for $t {
            type Output = Tensor<$t>;
            #[track_caller]
            fn $method(self, b: Tensor<$t>) -> Tensor<$t> {
                into_left(stringify!($method), b, &self.as_tensor(), |$y, $x| $f)
            }
        }

        impl ops::$op<&Tensor<$t>> for $t {
            type Output = Tensor<$t>;
            #[track_caller]
            fn $method(self, b: &Tensor<$t>) -> Tensor<$t> {
                expect(zip(stringify!($method), &self.as_tensor(), b, |$x, $y| $f))
            }
        }
    };
    (@left_rule $rule:ident $again:ident $op:ident $t:ty) => {
        rule!($rule $again $op [] $t, Tensor<$t>, $t);
    };
}
operators! {
    Add add AddAssign add_assign: AddRule AddAgain AddAssignRule AddAssignAgain, |x, y| x + y;
    Sub sub SubAssign sub_assign: SubRule SubAgain SubAssignRule SubAssignAgain, |x, y| x - y;
    Mul mul MulAssign mul_assign: MulRule MulAgain MulAssignRule MulAssignAgain, |x, y| x * y;
    Div div DivAssign div_assign: DivRule DivAgain DivAssignRule DivAssignAgain, |x, y| x / y;
}

impl<T: Float> ops::Neg for Tensor<T> {
    type Output = Tensor<T>;
    fn neg(self) -> Tensor<T> {
        super::elementwise::map(&self, |x| -x)
    }
}

impl<T: Float> ops::Neg for &Tensor<T> {
    type Output = Tensor<T>;
    fn neg(self) -> Tensor<T> {
        super::elementwise::map(self, |x| -x)
    }
}

/// −d, and nothing of what is known to be zero.
fn negated<T: Float>(d: &Tensor<T>) -> Tensor<T> {
    if d.is_known_zero() { d.outline() } else { -d }
}

impl<T: Float, const L: bool> NegRule<L> for Tensor<T> {
    type Result = Tensor<T>;
    type Left = ();
    fn __keep_left(&self) {}
    fn back_left((): (), dy: &Tensor<T>) -> Tensor<T> {
        negated(dy)
    }
    fn __fore_left(&self, da: &Tensor<T>) -> Tensor<T> {
        negated(da)
    }
}

impl<T: Float, const L: bool> NegAgain<L> for Tensor<T> {
    type LeftDot = ();
    fn __dot_keep_left(&self, _: Option<&Tensor<T>>) {}
    fn dot_left((): (), _: Option<()>, dy: &Tensor<T>, ddy: Option<&Tensor<T>>) -> Tensor<T> {
        ddy.map_or_else(|| dy.outline(), negated)
    }
}
