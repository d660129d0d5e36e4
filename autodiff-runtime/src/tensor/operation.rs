//! What an operation is: its value, and how tangents go forward and cotangents back through it.
//!
//! Both rules are written once, in terms of other operations, for anything that has operations: an [`Algebra`].
//! For tensors they give first derivatives; for tensors with a tangent ([`Dual`]), the derivatives of these.
//! An operation that is a formula of others needs no rules: its formula is run on duals, or recorded ([`Traced`]) and walked back.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::marker::PhantomData;

use super::Tensor;
use super::algebra::Formulas;
use super::error::{Result, expect};
use crate::float::Float;

/// Which of its operands and its result an operation's pullback looks at; of the others it knows the shapes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The shapes are enough.
    Nothing,
    /// The operands.
    Operands,
    /// The result.
    Result,
    /// All of them.
    Everything,
}

impl Keeps {
    fn operands(self) -> bool {
        matches!(self, Keeps::Operands | Keeps::Everything)
    }

    fn result(self) -> bool {
        matches!(self, Keeps::Result | Keeps::Everything)
    }
}

/// An operation on tensors, with its attributes.
///
/// Either both rules are defined or the formula is.
pub(crate) trait Operation<T: Float>: Clone + Send + Sync + 'static {
    /// The name in messages.
    const NAME: &'static str;

    /// What the pullback looks at.
    const KEEPS: Keeps = Keeps::Everything;

    /// The value, or what is wrong with the operands.
    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>>;

    /// The operation in terms of others.
    fn formula<A: Algebra<T>>(&self, _: &[&A]) -> A {
        unreachable!("`{}` has rules of its own", Self::NAME)
    }

    /// The tangent of the result from those of the operands, of which one at least is not zero.
    fn push<A: Algebra<T>>(&self, x: &[&A], _y: &A, dx: &[Option<&A>]) -> A {
        let duals: Vec<Dual<T, A>> = (x.iter().zip(dx))
            .map(|(x, dx)| Dual::new((*x).clone(), dx.cloned()))
            .collect();
        let operands: Vec<&Dual<T, A>> = duals.iter().collect();
        let y = self.formula(&operands);
        let outline = y.value.primal().outline();
        y.dot.unwrap_or_else(|| A::constant(outline))
    }

    /// The cotangents of the operands that are wanted, from that of the result; `None` is zero.
    fn pull<A: Algebra<T>>(&self, x: &[&A], _y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let trace = Rc::new(RefCell::new(Vec::new()));
        let leaves: Vec<Traced<T, A>> = (x.iter().zip(wanted))
            .map(|(x, wanted)| {
                if *wanted {
                    Traced::leaf(&trace, (*x).clone())
                } else {
                    Traced::constant_of((*x).clone())
                }
            })
            .collect();
        let operands: Vec<&Traced<T, A>> = leaves.iter().collect();
        let y = self.formula(&operands);
        sweep(&trace, &leaves, &y, dy)
    }

    /// Operands at which tests look at the operation.
    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)>;
}

/// What operations can be applied to.
pub(crate) trait Algebra<T: Float>: Clone + 'static {
    /// The value without tangents.
    fn primal(&self) -> &Tensor<T>;

    /// A constant.
    fn constant(value: Tensor<T>) -> Self;

    /// Whether it is known to be zero everywhere, and its tangents are.
    fn is_nothing(&self) -> bool;

    /// The operation on these operands, whose shapes are known to fit.
    fn apply<O: Operation<T>>(operation: &O, x: &[&Self]) -> Self;
}

impl<T: Float> Algebra<T> for Tensor<T> {
    fn primal(&self) -> &Tensor<T> {
        self
    }

    fn constant(value: Tensor<T>) -> Self {
        value
    }

    fn is_nothing(&self) -> bool {
        self.is_known_zero()
    }

    fn apply<O: Operation<T>>(operation: &O, x: &[&Self]) -> Self {
        expect(operation.value(x))
    }
}

/// A value with a tangent; without one it is zero.
#[derive(Clone, Debug)]
pub(crate) struct Dual<T, A> {
    pub(crate) value: A,
    pub(crate) dot: Option<A>,
    of: PhantomData<T>,
}

impl<T: Float, A: Algebra<T>> Dual<T, A> {
    pub(crate) fn new(value: A, dot: Option<A>) -> Self {
        Dual {
            value,
            dot: dot.filter(|dot| !dot.is_nothing()),
            of: PhantomData,
        }
    }

    /// The tangent, in full.
    pub(crate) fn into_dot(self) -> A {
        let outline = self.value.primal().outline();
        self.dot.unwrap_or_else(|| A::constant(outline))
    }
}

impl<T: Float, A: Algebra<T>> Algebra<T> for Dual<T, A> {
    fn primal(&self) -> &Tensor<T> {
        self.value.primal()
    }

    fn constant(value: Tensor<T>) -> Self {
        Dual::new(A::constant(value), None)
    }

    fn is_nothing(&self) -> bool {
        self.value.is_nothing() && self.dot.is_none()
    }

    fn apply<O: Operation<T>>(operation: &O, x: &[&Self]) -> Self {
        let values: Vec<&A> = x.iter().map(|x| &x.value).collect();
        let dots: Vec<Option<&A>> = x.iter().map(|x| x.dot.as_ref()).collect();
        let y = A::apply(operation, &values);
        let dot = dots
            .iter()
            .any(Option::is_some)
            .then(|| operation.push(&values, &y, &dots));
        Dual::new(y, dot)
    }
}

/// The pullback of a recorded operation.
type Back<A> = Box<dyn Fn(&A) -> Vec<Option<A>>>;

/// A recorded operation: which records its operands are, and its pullback.
struct Record<A> {
    operands: Vec<Option<usize>>,
    back: Option<Back<A>>,
}

/// The operations of a formula in the order in which they were done.
type Trace<A> = Rc<RefCell<Vec<Record<A>>>>;

/// A value that knows how it was made; constants do not.
#[derive(Clone)]
pub(crate) struct Traced<T, A> {
    value: A,
    made: Option<(Trace<A>, usize)>,
    of: PhantomData<T>,
}

impl<T: Float, A: Algebra<T>> Traced<T, A> {
    fn leaf(trace: &Trace<A>, value: A) -> Self {
        Self::record(
            trace,
            value,
            Record {
                operands: Vec::new(),
                back: None,
            },
        )
    }

    fn constant_of(value: A) -> Self {
        Traced {
            value,
            made: None,
            of: PhantomData,
        }
    }

    fn record(trace: &Trace<A>, value: A, record: Record<A>) -> Self {
        let mut records = trace.borrow_mut();
        records.push(record);
        Traced {
            value,
            made: Some((trace.clone(), records.len() - 1)),
            of: PhantomData,
        }
    }

    fn number(&self) -> Option<usize> {
        self.made.as_ref().map(|(_, k)| *k)
    }
}

impl<T: Float, A: Algebra<T>> Algebra<T> for Traced<T, A> {
    fn primal(&self) -> &Tensor<T> {
        self.value.primal()
    }

    fn constant(value: Tensor<T>) -> Self {
        Traced::constant_of(A::constant(value))
    }

    fn is_nothing(&self) -> bool {
        self.value.is_nothing()
    }

    fn apply<O: Operation<T>>(operation: &O, x: &[&Self]) -> Self {
        let values: Vec<A> = x.iter().map(|x| x.value.clone()).collect();
        let y = A::apply(operation, &values.iter().collect::<Vec<_>>());
        let Some((trace, _)) = x.iter().find_map(|x| x.made.clone()) else {
            return Traced::constant_of(y);
        };
        let operands: Vec<Option<usize>> = x.iter().map(|x| x.number()).collect();
        let wanted: Vec<bool> = operands.iter().map(Option::is_some).collect();
        let (operation, result) = (operation.clone(), y.clone());
        let back =
            move |dy: &A| operation.pull(&values.iter().collect::<Vec<_>>(), &result, dy, &wanted);
        let record = Record {
            operands,
            back: Some(Box::new(back)),
        };
        Traced::record(&trace, y, record)
    }
}

/// The cotangents of the leaves of a formula.
fn sweep<T: Float, A: Algebra<T>>(
    trace: &Trace<A>,
    leaves: &[Traced<T, A>],
    y: &Traced<T, A>,
    dy: &A,
) -> Vec<Option<A>> {
    let Some(last) = y.number() else {
        return vec![None; leaves.len()];
    };
    let records = trace.borrow();
    let mut cotangents: Vec<Option<A>> = vec![None; records.len()];
    cotangents[last] = Some(dy.clone());
    for (k, record) in records.iter().enumerate().rev() {
        let (Some(back), Some(cotangent)) = (&record.back, &cotangents[k]) else {
            continue;
        };
        for (operand, more) in record.operands.iter().zip(back(cotangent)) {
            if let (Some(k), Some(more)) = (operand, more) {
                cotangents[*k] = Some(match cotangents[*k].take() {
                    Some(so_far) => so_far.add(&more),
                    None => more,
                });
            }
        }
    }
    leaves
        .iter()
        .map(|leaf| leaf.number().and_then(|k| cotangents[k].clone()))
        .collect()
}

/// The operands and the result of an operation, as far as its pullback looks at them.
#[derive(Clone)]
pub(crate) struct Kept<O, A> {
    operation: O,
    operands: Vec<A>,
    result: A,
}

impl<O, A> Kept<O, A> {
    #[cfg(test)]
    /// The value, and what is kept of it.
    pub(crate) fn new<T: Float>(operation: O, operands: Vec<A>) -> (A, Self)
    where
        O: Operation<T>,
        A: Algebra<T>,
    {
        let y = A::apply(&operation, &operands.iter().collect::<Vec<_>>());
        let kept = Self::of(operation, operands, &y);
        (y, kept)
    }

    /// What is kept.
    pub(crate) fn of<T: Float>(operation: O, operands: Vec<A>, y: &A) -> Self
    where
        O: Operation<T>,
        A: Algebra<T>,
    {
        let outline = |x: &A| A::constant(x.primal().outline());
        Kept {
            operands: if O::KEEPS.operands() {
                operands
            } else {
                operands.iter().map(outline).collect()
            },
            result: if O::KEEPS.result() {
                y.clone()
            } else {
                outline(y)
            },
            operation,
        }
    }

    /// Keeps of the first operand the shape alone: whoever pulls has it, and lends it again.
    pub(crate) fn leave_first<T: Float>(&mut self)
    where
        A: Algebra<T>,
    {
        if let Some(first) = self.operands.first_mut() {
            *first = A::constant(first.primal().outline());
        }
    }

    /// The first operand, as it was.
    pub(crate) fn lend_first(&mut self, lent: Option<&A>)
    where
        A: Clone,
    {
        if let (Some(first), Some(lent)) = (self.operands.first_mut(), lent) {
            *first = lent.clone();
        }
    }

    /// The cotangents of the operands, in full.
    pub(crate) fn pull<T: Float>(&self, dy: &A, wanted: &[bool]) -> Vec<A>
    where
        O: Operation<T>,
        A: Algebra<T>,
    {
        let outlines = || {
            self.operands
                .iter()
                .map(|x| A::constant(x.primal().outline()))
        };
        if dy.is_nothing() {
            return outlines().collect();
        }
        let x: Vec<&A> = self.operands.iter().collect();
        let back = self.operation.pull(&x, &self.result, dy, wanted);
        back.into_iter()
            .zip(outlines())
            .map(|(d, zero)| d.unwrap_or(zero))
            .collect()
    }
}
