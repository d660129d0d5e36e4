//! Tensors on the tape: each is one node.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops;

use super::sweep::{Gradients, Source, Wrt};
use super::{NONE, Node, Tape, Var};
use crate::float::Float;
use crate::tangent::Accumulate;
use crate::tensor::operation::{Algebra, Dual, Kept, Operation};
use crate::tensor::{AsTensor, Tensor, arithmetic, expect};

/// A tensor whose operations are recorded on a [`Tape`].
///
/// It is `Copy`, and has the operators and methods of [`Tensor`]; what these give of numbers are [`Var`]s.
///
/// ```
/// use autodiff_runtime::tape::Tape;
/// use autodiff_runtime::tensor::Tensor;
///
/// let tape = Tape::new();
/// let x = tape.tensor(Tensor::from([[1.0, 2.0], [3.0, 4.0]]));
/// let k = tape.var(3.0);
/// let y = (x.matmul(x) * k).sum();
/// let g = y.backward();
/// assert_eq!(g.wrt(k), 54.0);
/// assert_eq!(g.wrt(x), Tensor::from([[21.0, 33.0], [27.0, 39.0]]));
/// ```
#[derive(Clone, Copy)]
pub struct TensorVar<'t, T: Float = f64> {
    tape: &'t Tape<T>,
    id: u64,
}

/// Tensors by the positions of their nodes: adjoints, tangents or values.
pub(super) type Tensors<T> = BTreeMap<u32, Tensor<T>>;

/// What an operation of tensors is applied to: a tensor or number, and where it is recorded.
#[derive(Clone, Debug)]
pub struct Operand<'t, T: Float> {
    value: Tensor<T>,
    tape: Option<&'t Tape<T>>,
    id: u64,
    is_number: bool,
}

/// What an operation of recorded tensors takes as an operand: tensors and numbers, recorded or not.
pub trait AsTensorVar<'t, T: Float> {
    /// The operand.
    #[doc(hidden)]
    fn operand(&self) -> Operand<'t, T>;
}

impl<'t, T: Float> AsTensorVar<'t, T> for TensorVar<'t, T> {
    #[track_caller]
    fn operand(&self) -> Operand<'t, T> {
        Operand {
            value: self.value(),
            tape: Some(self.tape),
            id: self.id,
            is_number: false,
        }
    }
}

impl<'t, T: Float> AsTensorVar<'t, T> for Var<'t, T> {
    fn operand(&self) -> Operand<'t, T> {
        Operand {
            value: Tensor::scalar(self.value),
            tape: self.tape,
            id: self.id,
            is_number: true,
        }
    }
}

macro_rules! constants {
    ($($x:ty),*) => {$(
        impl<'t, T: Float> AsTensorVar<'t, T> for $x {
            fn operand(&self) -> Operand<'t, T> {
                Operand {
                    value: self.as_tensor(),
                    tape: None,
                    id: 0,
                    is_number: false,
                }
            }
        }
    )*};
}
constants!(Tensor<T>, &Tensor<T>, T);

/// From the cotangent of a result to those of the operands, or from tangents of operands to that of the result.
type Back<T> = Box<dyn Fn(&Tensor<T>) -> Vec<Tensor<T>> + Send>;
type Fore<T> = Box<dyn Fn(Vec<Tensor<T>>) -> Tensor<T> + Send>;

/// A recorded operation.
pub(super) struct Record<T: Float> {
    node: u32,
    is_number: bool,
    /// The nodes of the operands, and whether they are numbers.
    operands: Vec<(u32, bool)>,
    shapes: Vec<Vec<usize>>,
    back: Back<T>,
    fore: Fore<T>,
}

impl<T: Float> Record<T> {
    pub(super) fn nodes(&self) -> core::ops::Range<usize> {
        self.node as usize..self.node as usize + 1
    }

    /// Hands the adjoint of the result on to the operands.
    pub(super) fn pull(&self, adjoints: &mut [T], tensors: &mut Tensors<T>) {
        let seed = if self.is_number {
            let seed = adjoints.get(self.node as usize).copied().unwrap_or(T::ZERO);
            (seed != T::ZERO).then(|| Tensor::scalar(seed))
        } else {
            tensors.get(&self.node).cloned()
        };
        let Some(seed) = seed else { return };
        for (&(node, is_number), bar) in self.operands.iter().zip((self.back)(&seed)) {
            if node == NONE {
                continue;
            }
            if is_number {
                adjoints[node as usize] += bar.sum();
            } else {
                tensors
                    .entry(node)
                    .or_insert_with(|| bar.outline())
                    .__accumulate(&bar);
            }
        }
    }

    /// Sets the tangent of the result to what comes of those of the operands.
    pub(super) fn push(&self, tangents: &mut [T], tensors: &mut Tensors<T>) {
        let of = |(&(node, is_number), shape): (&(u32, bool), &Vec<usize>)| match tangents
            .get(node as usize)
        {
            Some(dot) if is_number && *dot != T::ZERO => Tensor::scalar(*dot),
            _ => tensors
                .get(&node)
                .filter(|_| !is_number)
                .cloned()
                .unwrap_or_else(|| Tensor::zeros(shape)),
        };
        let dots: Vec<Tensor<T>> = self.operands.iter().zip(&self.shapes).map(of).collect();
        let dot = (self.fore)(dots);
        if self.is_number {
            tangents[self.node as usize] += dot.only();
        } else {
            tensors.insert(self.node, dot);
        }
    }
}

impl<T: Float> Tape<T> {
    /// A variable: a tensor that derivatives are taken with respect to.
    #[must_use]
    #[track_caller]
    pub fn tensor(&self, value: Tensor<T>) -> TensorVar<'_, T> {
        self.tensor_node(value)
    }

    /// A node without operands that stands for a tensor.
    #[track_caller]
    fn tensor_node(&self, value: Tensor<T>) -> TensorVar<'_, T> {
        let id = self.arena.push(Node {
            partials: [T::ZERO; 2],
            operands: [NONE; 2],
        });
        self.tensors.borrow_mut().insert(id as u32, value);
        TensorVar { tape: self, id }
    }

    /// The tangents of everything that is recorded, in a direction, which is given as numbers and tensors with their tangents; those of others are zero.
    ///
    /// ```
    /// use autodiff_runtime::tape::Tape;
    /// use autodiff_runtime::tensor::Tensor;
    ///
    /// let tape = Tape::new();
    /// let (x, k) = (tape.tensor(Tensor::from([1.0, 2.0])), tape.var(3.0));
    /// let y = x * k;
    /// let tangents = tape.tangents(&[(k, 10.0)], &[(x, Tensor::from([1.0, 0.0]))]);
    /// assert_eq!(tangents.of(y), Tensor::from([13.0, 20.0]));
    /// assert_eq!(tangents.of(y.sum()), 0.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If a variable belongs to another tape, or the tape was cleared since, or a tangent has another shape.
    #[must_use]
    #[track_caller]
    pub fn tangents(
        &self,
        numbers: &[(Var<'_, T>, T)],
        tensors: &[(TensorVar<'_, T>, Tensor<T>)],
    ) -> Tangents<T> {
        let mut tangents = Tangents {
            numbers: vec![T::ZERO; self.arena.read(<[_]>::len)],
            tensors: Tensors::default(),
            generation: self.arena.next() >> 32 << 32,
        };
        for (variable, tangent) in numbers.iter().filter(|(x, _)| !x.is_constant()) {
            tangents.check(variable.id);
            tangents.numbers[variable.position()] += *tangent;
        }
        for (variable, tangent) in tensors {
            tangents.check(variable.id);
            let shape = variable.shape();
            assert!(
                shape == tangent.shape(),
                "tangents: a tensor of shape {shape:?} and a tangent of shape {:?}",
                tangent.shape()
            );
            (tangents.tensors.entry(variable.id as u32))
                .or_insert_with(|| tangent.outline())
                .__accumulate(tangent);
        }
        self.walk(&mut tangents.numbers, &mut tangents.tensors);
        tangents
    }
}

/// Tangents of everything that was recorded when they were computed.
#[derive(Clone, Debug)]
pub struct Tangents<T: Float = f64> {
    numbers: Vec<T>,
    tensors: Tensors<T>,
    generation: u64,
}

impl<T: Float> Tangents<T> {
    /// The tangent of a result, or of each of several; zero for what was recorded since.
    ///
    /// # Panics
    ///
    /// If a result belongs to another tape, or the tape was cleared since.
    #[track_caller]
    pub fn of<'t, W: Wrt<'t, T>>(&self, results: W) -> W::Gradient<T, Tensor<T>> {
        results.each(&mut &*self)
    }

    #[track_caller]
    fn check(&self, id: u64) {
        assert!(
            (id ^ self.generation) >> 32 == 0,
            "the tangent of something on another tape is asked for or given, or the tape was cleared between"
        );
    }
}

impl<'t, T: Float> Source<'t, T> for &Tangents<T> {
    type Number = T;
    type Array = Tensor<T>;
    fn number(&mut self, result: Var<'t, T>) -> T {
        if result.is_constant() {
            return T::ZERO;
        }
        self.check(result.id);
        let found = self.numbers.get(result.position()).copied();
        found.unwrap_or(T::ZERO)
    }
    fn tensor(&mut self, result: TensorVar<'t, T>) -> Tensor<T> {
        self.check(result.id);
        let found = self.tensors.get(&(result.id as u32)).cloned();
        found.unwrap_or_else(|| Tensor::zeros(&result.shape()))
    }
}

/// Records an operation whose result is a tensor.
///
/// # Panics
/// If the shapes do not fit, or an operand belongs to another tape.
#[track_caller]
pub(crate) fn tensor<T: Float, O: Operation<T>>(
    operation: O,
    operands: Vec<Operand<'_, T>>,
) -> TensorVar<'_, T> {
    let tape = tape_of(&operands);
    let (value, record) = run(operation, operands);
    let tape = tape.expect("the receiver is on a tape");
    let result = tape.tensor_node(value);
    tape.calls
        .borrow_mut()
        .push(super::calls::Entry::Tensor(Record {
            node: result.id as u32,
            is_number: false,
            ..record
        }));
    result
}

/// Records an operation whose result is a number.
///
/// # Panics
/// If the shapes do not fit, or an operand belongs to another tape.
#[track_caller]
pub(crate) fn scalar<T: Float, O: Operation<T>>(
    operation: O,
    operands: Vec<Operand<'_, T>>,
) -> Var<'_, T> {
    let tape = tape_of(&operands);
    let (value, record) = run(operation, operands);
    let Some(tape) = tape else {
        return Var::constant(value.only());
    };
    let id = tape.arena.push(Node {
        partials: [T::ZERO; 2],
        operands: [NONE; 2],
    });
    tape.calls
        .borrow_mut()
        .push(super::calls::Entry::Tensor(Record {
            node: id as u32,
            is_number: true,
            ..record
        }));
    Var::recorded(tape, value.only(), id)
}

/// The tape of the operands, which is one.
#[track_caller]
fn tape_of<'t, T: Float>(operands: &[Operand<'t, T>]) -> Option<&'t Tape<T>> {
    let tape = operands.iter().find_map(|x| x.tape)?;
    for x in operands.iter().filter(|x| x.tape.is_some()) {
        x.check(tape);
    }
    Some(tape)
}

impl<T: Float> Operand<'_, T> {
    #[track_caller]
    fn check(&self, tape: &Tape<T>) {
        let var = Var {
            value: T::ZERO,
            id: self.id,
            tape: self.tape,
        };
        if !var.is_of(tape) {
            var.refuse(tape);
        }
    }
}

/// The value, and what is recorded of it.
#[track_caller]
fn run<T: Float, O: Operation<T>>(
    operation: O,
    operands: Vec<Operand<'_, T>>,
) -> (Tensor<T>, Record<T>) {
    let x: Vec<Tensor<T>> = operands.iter().map(|x| x.value.clone()).collect();
    let y = expect(operation.value(&x.iter().collect::<Vec<_>>()));
    let wanted: Vec<bool> = operands.iter().map(|x| x.tape.is_some()).collect();
    let kept = Kept::of(operation.clone(), x.clone(), &y);
    let shapes = x.iter().map(|x| x.shape().to_vec()).collect();
    let record = Record {
        node: NONE,
        is_number: false,
        operands: (operands.iter())
            .map(|x| {
                (
                    if x.tape.is_some() { x.id as u32 } else { NONE },
                    x.is_number,
                )
            })
            .collect(),
        shapes,
        back: Box::new(move |seed| kept.pull(seed, &wanted)),
        fore: Box::new(move |dots| {
            let duals: Vec<_> = x
                .iter()
                .cloned()
                .zip(dots)
                .map(|(x, dot)| Dual::new(x, Some(dot)))
                .collect();
            Dual::apply(&operation, &duals.iter().collect::<Vec<_>>()).into_dot()
        }),
    };
    (y, record)
}

impl<T: Float> TensorVar<'_, T> {
    /// The tensor.
    ///
    /// # Panics
    /// If the tape was cleared since it was computed.
    #[must_use]
    #[track_caller]
    pub fn value(self) -> Tensor<T> {
        let var = Var {
            value: T::ZERO,
            id: self.id,
            tape: Some(self.tape),
        };
        if !var.is_of(self.tape) {
            var.refuse(self.tape);
        }
        self.tape.tensors.borrow()[&(self.id as u32)].clone()
    }

    /// The lengths of the axes.
    ///
    /// # Panics
    /// If the tape was cleared since it was computed.
    #[must_use]
    #[track_caller]
    pub fn shape(self) -> Vec<usize> {
        self.value().shape().to_vec()
    }

    /// The derivatives of the sum of all entries, each times that of a seed, with respect to everything that they were computed from.
    ///
    /// # Panics
    /// If the seed has another shape, or the tape was cleared since.
    #[must_use]
    #[track_caller]
    pub fn backward_from(self, seed: Tensor<T>) -> Gradients<T> {
        let shape = self.shape();
        assert!(
            shape == seed.shape(),
            "backward_from: a tensor of shape {shape:?} and a seed of shape {:?}",
            seed.shape()
        );
        (self * seed).sum().backward()
    }

    /// The position of the node, and whether it is one that a generation of the tape holds.
    pub(super) fn place(self) -> (u32, u64) {
        (self.id as u32, self.id)
    }
}

macro_rules! operators {
    ($($op:ident $method:ident;)*) => {$(
        impl<'t, T: Float, B: AsTensorVar<'t, T>> ops::$op<B> for TensorVar<'t, T> {
            type Output = TensorVar<'t, T>;
            #[track_caller]
            fn $method(self, b: B) -> TensorVar<'t, T> {
                tensor(arithmetic::$op, vec![self.operand(), b.operand()])
            }
        }

        impl<'t, T: Float> ops::$op<TensorVar<'t, T>> for Tensor<T> {
            type Output = TensorVar<'t, T>;
            #[track_caller]
            fn $method(self, b: TensorVar<'t, T>) -> TensorVar<'t, T> {
                tensor(arithmetic::$op, vec![self.operand(), b.operand()])
            }
        }

        impl<'t, T: Float> ops::$op<TensorVar<'t, T>> for &Tensor<T> {
            type Output = TensorVar<'t, T>;
            #[track_caller]
            fn $method(self, b: TensorVar<'t, T>) -> TensorVar<'t, T> {
                tensor(arithmetic::$op, vec![self.operand(), b.operand()])
            }
        }

        impl<'t, T: Float> ops::$op<TensorVar<'t, T>> for Var<'t, T> {
            type Output = TensorVar<'t, T>;
            #[track_caller]
            fn $method(self, b: TensorVar<'t, T>) -> TensorVar<'t, T> {
                tensor(arithmetic::$op, vec![self.operand(), b.operand()])
            }
        }

        operators!(@number $op $method f32);
        operators!(@number $op $method f64);
    )*};
    (@number $op:ident $method:ident $t:ty) => {
        impl<'t> ops::$op<TensorVar<'t, $t>> for $t {
            type Output = TensorVar<'t, $t>;
            #[track_caller]
            fn $method(self, b: TensorVar<'t, $t>) -> TensorVar<'t, $t> {
                tensor(arithmetic::$op, vec![self.operand(), b.operand()])
            }
        }
    };
}
operators! {
    Add add;
    Sub sub;
    Mul mul;
    Div div;
}

impl<'t, T: Float> ops::Neg for TensorVar<'t, T> {
    type Output = TensorVar<'t, T>;
    #[track_caller]
    fn neg(self) -> TensorVar<'t, T> {
        tensor(arithmetic::Neg, vec![self.operand()])
    }
}

impl<T: Float> fmt::Debug for TensorVar<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TensorVar").field(&self.value()).finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use crate::tape::Tape;
    use crate::tensor::Tensor;

    #[test]
    fn second_derivatives_are_refused() {
        let tape = Tape::new();
        tape.keep_details();
        let (x, t) = (tape.var(3.0), tape.tensor(Tensor::from([1.0, 2.0])));
        let y = (t * x).sum();
        let square = y * y;
        let second = core::panic::AssertUnwindSafe(|| square.backward_recorded().wrt(x).value());
        let message = std::panic::catch_unwind(second).map_err(|cause| {
            cause.downcast::<String>().map_or_else(
                |cause| cause.downcast_ref::<&str>().map(|text| String::from(*text)),
                |text| Some(*text),
            )
        });
        let message = message.expect_err("it is lost otherwise").expect("a text");
        assert!(
            message.contains("derivatives of derivatives of tensors are not recorded"),
            "{message}"
        );
    }
}
