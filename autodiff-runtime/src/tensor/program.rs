//! Kernels one after the other over the same rows: some rows at a time go through all of them, while they are in the nearest caches.
//!
//! What one kernel gives another is in memory only if somebody else asks for it, and what is summed along rows stands there as soon as the rows do.
//! Which kernels go over the same rows the shapes say, so it is found out where the program runs; the others run by themselves.

use alloc::vec::Vec;
use core::cell::RefCell;

use smallvec::SmallVec;

use super::Tensor;
use super::algebra::Formulas as _;
use super::arguments::AsTensor;
use super::dims::{Dims, axis, broadcast, count};
use super::elementwise::{entries, map};
use super::error::expect;
use super::fused::{Chain, Shape, UNIT, run_alone};
pub use super::fused::{Fold, Of, To};
use super::ops::extrema::largest;
use super::ops::reductions::{Lanes as Axes, sum, sum_rows, sums_of_rows};
use super::storage::anything;
use crate::float::Float;
use crate::lane::dispatch;
use crate::parallel::{Amount, Blocks, Work, divide};

/// Entries of a buffer for the rows that go through a program at a time: a few kilobytes.
const BLOCK_BYTES: usize = 1 << 13;

/// What one kernel of a program gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    stage: usize,
    result: usize,
}

/// An operand of a kernel in a program.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum From {
    /// A tensor that is there before.
    Leaf(usize),
    /// What a kernel before gives.
    Given(Given),
}

/// The inner loop of a kernel.
type Inner<'f, T> = dyn Fn(&[&[T]], &mut [&mut [T]], usize) + Sync + 'f;

/// One kernel.
#[allow(
    missing_debug_implementations,
    reason = "an inner loop has nothing to show"
)]
struct Stage<'a, T> {
    shape: Dims,
    operands: SmallVec<[From; 8]>,
    results: SmallVec<[(Of, To); 4]>,
    /// The shapes of the results.
    shapes: SmallVec<[Dims; 4]>,
    /// How many values its inner loop computes for each entry.
    values: usize,
    inner: &'a Inner<'a, T>,
}

/// Kernels that are run together.
///
/// Generated code names the operands of a kernel, and then the kernel; nothing of that is a closure, which rustc would take longer to check.
#[allow(
    missing_debug_implementations,
    reason = "inner loops have nothing to show"
)]
pub struct Program<'a, T: Float> {
    kernels: RefCell<Kernels<'a, T>>,
    /// The shape that the operands of the next one are stretched to.
    shape: RefCell<Shape>,
}

/// The kernels of a program, in their order.
#[allow(
    missing_debug_implementations,
    reason = "inner loops have nothing to show"
)]
pub struct Kernels<'a, T: Float> {
    leaves: Vec<Tensor<T>>,
    stages: Vec<Stage<'a, T>>,
}

impl<T: Float> Default for Program<'_, T> {
    fn default() -> Self {
        Program::new()
    }
}

impl<'a, T: Float> Program<'a, T> {
    /// One without kernels.
    pub fn new() -> Self {
        Program {
            kernels: RefCell::new(Kernels {
                leaves: Vec::with_capacity(16),
                stages: Vec::with_capacity(16),
            }),
            shape: RefCell::new(Shape(Dims::new())),
        }
    }

    /// An operand of the next kernel, a tensor or a number, which this operation is the first to read.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn leaf<L: AsTensor<T>>(&self, operation: &'static str, of: &L) -> From {
        self.operand(self.shape.borrow_mut().leaf(operation, of))
    }

    /// The cotangent of what is computed of the operands before.
    ///
    /// # Panics
    ///
    /// If they would be stretched to its shape, or it does not go together with theirs.
    #[track_caller]
    pub fn seed<L: AsTensor<T>>(&self, of: &L) -> From {
        let seed = self.shape.borrow_mut().seed(of);
        self.operand(seed)
    }

    /// One of which nothing but the shape matters.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn outline<L: AsTensor<T>>(&self, operation: &'static str, of: &L) -> From {
        self.operand(self.shape.borrow_mut().outline(operation, of))
    }

    /// One that a kernel before gives.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn given(&self, operation: &'static str, of: Given) -> From {
        let mut stretched = self.shape.borrow_mut();
        let shape = &self.kernels.borrow().stages[of.stage].shapes[of.result];
        stretched.0 = expect(broadcast(operation, &stretched.0, shape));
        From::Given(of)
    }

    /// One that a kernel before gives, and of which nothing but the shape matters.
    ///
    /// # Panics
    ///
    /// If its shape does not go together with those of the operands before.
    #[track_caller]
    pub fn given_outline(&self, operation: &'static str, of: Given) -> From {
        let shape = self.kernels.borrow().stages[of.stage].shapes[of.result].clone();
        self.outline(operation, &Tensor::zero(shape))
    }

    fn operand(&self, leaf: Tensor<T>) -> From {
        let leaves = &mut self.kernels.borrow_mut().leaves;
        leaves.push(leaf);
        From::Leaf(leaves.len() - 1)
    }

    /// Adds the kernel whose operands have been named: what becomes of the values that its inner loop computes, how many these are, and that loop.
    ///
    /// # Panics
    ///
    /// If the shapes do not fit together.
    #[track_caller]
    pub fn stage<const I: usize, const R: usize>(
        &self,
        operands: [From; I],
        results: [(Of, To); R],
        values: usize,
        inner: &'a Inner<'a, T>,
    ) -> [Given; R] {
        let stage = self.add(&operands, &results, values, inner);
        core::array::from_fn(|result| Given { stage, result })
    }

    #[track_caller]
    fn add(
        &self,
        operands: &[From],
        results: &[(Of, To)],
        values: usize,
        inner: &'a Inner<'a, T>,
    ) -> usize {
        let Shape(shape) = self.shape.replace(Shape(Dims::new()));
        let mut kernels = self.kernels.borrow_mut();
        let of = |from: &From| match *from {
            From::Leaf(k) => kernels.leaves[k].shape(),
            From::Given(of) => &kernels.stages[of.stage].shapes[of.result],
        };
        // No closure, for a panic is to name the place of the caller.
        let mut shapes = SmallVec::new();
        for &(_, to) in results {
            shapes.push(match to {
                To::Like(k) => of(&operands[k]).into(),
                to => to.shape(&shape),
            });
        }
        kernels.stages.push(Stage {
            shape,
            operands: operands.iter().copied().collect(),
            results: results.iter().copied().collect(),
            shapes,
            values,
            inner,
        });
        kernels.stages.len() - 1
    }

    /// Runs them, and returns some of what they give.
    #[track_caller]
    pub fn run<const N: usize>(self, wanted: [Given; N]) -> [Tensor<T>; N] {
        let given = T::program(self.kernels.into_inner(), &wanted);
        <[Tensor<T>; N]>::try_from(given).unwrap_or_else(|_| unreachable!("one for each"))
    }
}

/// The fold of the lanes along an axis, which stays with length 1.
pub(super) fn along<T: Float>(fold: Fold, along: isize, x: &Tensor<T>) -> Tensor<T> {
    let lanes = Axes::kept(along);
    let [axes, kept, _] = expect(lanes.shapes("sum", x.shape()));
    match fold {
        Fold::Sum => x.summed_to(&kept),
        Fold::Mean => {
            let n = T::from_f64(x.shape()[axes[0]] as f64);
            map(&x.summed_to(&kept), |sum| sum / n)
        }
        Fold::Most => (x.rows(&axes))
            .each(Work::Memory, |row| largest(row, |x| x))
            .reshaped(&kept),
    }
}

/// Runs one kernel.
#[track_caller]
pub(crate) fn run_one<T: Float>(chain: Chain<'_, T>) -> Vec<Tensor<T>> {
    let Shape(shape) = chain.shape;
    let folds = |&(_, to): &(Of, To)| match to {
        To::Like(k) => *chain.operands[k].shape() != shape[..],
        _ => false,
    };
    if !chain.results.iter().any(folds) {
        return run_alone(chain);
    }
    let shapes = chain.results.iter().map(|&(_, to)| match to {
        To::Like(k) => chain.operands[k].shape().into(),
        to => to.shape(shape),
    });
    let stage = Stage {
        shape: shape.clone(),
        operands: (0..chain.operands.len()).map(From::Leaf).collect(),
        results: chain.results.iter().copied().collect(),
        shapes: shapes.collect(),
        values: chain.values,
        inner: chain.inner,
    };
    let kernels = Kernels {
        leaves: chain.operands.to_vec(),
        stages: alloc::vec![stage],
    };
    let wanted: Vec<Given> = (0..chain.results.len())
        .map(|result| Given { stage: 0, result })
        .collect();
    run(kernels, &wanted)
}

/// Runs a program, and returns what is wanted of what it gives.
#[track_caller]
pub(crate) fn run<T: Float>(program: Kernels<'_, T>, wanted: &[Given]) -> Vec<Tensor<T>> {
    let stages = &program.stages;
    let mut made: Vec<SmallVec<[Option<Tensor<T>>; 4]>> = (stages.iter())
        .map(|stage| stage.results.iter().map(|_| None).collect())
        .collect();
    let mut at = 0;
    while at < stages.len() {
        let run = Run {
            program: &program,
            made: &made,
            wanted,
            at,
        };
        let (end, given) = match run.together() {
            Some(together) => together,
            None => (at + 1, run.alone()),
        };
        for (of, tensor) in given {
            made[of.stage][of.result] = Some(tensor);
        }
        at = end;
    }
    let given = |of: &Given| {
        let given = made[of.stage][of.result].clone();
        given.unwrap_or_else(|| unreachable!("what is wanted is kept"))
    };
    wanted.iter().map(given).collect()
}

/// A program of which the kernels before one have run.
struct Run<'r, 'a, T: Float> {
    program: &'r Kernels<'a, T>,
    made: &'r [SmallVec<[Option<Tensor<T>>; 4]>],
    wanted: &'r [Given],
    at: usize,
}

/// What kernels gave.
type Made<T> = Vec<(Given, Tensor<T>)>;

/// What a result is while rows go through a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// An entry for each of the rows' entries.
    Full,
    /// An entry for each row.
    Narrow,
    /// A row that is the sum of all.
    Columns,
    /// A number that is the sum of all.
    Total,
    /// A number that the shapes give.
    Count(usize),
}

impl<T: Float> Run<'_, '_, T> {
    fn tensor(&self, from: From) -> &Tensor<T> {
        match from {
            From::Leaf(k) => &self.program.leaves[k],
            From::Given(of) => (self.made[of.stage][of.result].as_ref())
                .unwrap_or_else(|| unreachable!("what is read later is kept")),
        }
    }

    /// The next kernel by itself.
    #[track_caller]
    fn alone(&self) -> Made<T> {
        let stage = &self.program.stages[self.at];
        let operands: Vec<Tensor<T>> = (stage.operands.iter())
            .map(|&from| self.tensor(from).clone())
            .collect();
        let given = run_alone(Chain {
            shape: &Shape(stage.shape.clone()),
            operands: &operands,
            results: &stage.results,
            values: stage.values,
            inner: stage.inner,
        });
        let of = |result| Given {
            stage: self.at,
            result,
        };
        (given.into_iter().enumerate())
            .map(|(k, tensor)| (of(k), tensor))
            .collect()
    }

    /// The next kernels together, if there are some that go over the same rows: the number of the one behind them, and what they give.
    fn together(&self) -> Option<(usize, Made<T>)> {
        let rest = &self.program.stages[self.at..];
        let largest = rest.iter().rev().max_by_key(|stage| count(&stage.shape))?;
        [&largest.shape, &rest[0].shape].into_iter().find_map(|s| {
            let rows = Rows::new(s)?;
            let mut classes: Vec<SmallVec<[Class; 4]>> = Vec::new();
            for stage in rest {
                let Some(classified) = self.classified(stage, &rows, &classes) else {
                    break;
                };
                classes.push(classified);
            }
            // One that folds rows does so in the same order whether it is alone or not.
            let folds = |stage: &Stage<'_, T>, classes: &[Class]| {
                let full = stage.shape == rows.full;
                full && classes
                    .iter()
                    .any(|class| matches!(class, Class::Narrow | Class::Columns))
            };
            let worth = classes.len() > 1 || classes.len() == 1 && folds(&rest[0], &classes[0]);
            worth.then(|| {
                let end = self.at + classes.len();
                (end, self.plan(&rows, &classes).run())
            })
        })
    }

    /// What the results of a kernel are, if it goes over these rows together with those before it.
    fn classified(
        &self,
        stage: &Stage<'_, T>,
        rows: &Rows,
        before: &[SmallVec<[Class; 4]>],
    ) -> Option<SmallVec<[Class; 4]>> {
        let full = stage.shape == rows.full;
        if !full && stage.shape != rows.kept {
            return None;
        }
        for from in &stage.operands {
            let From::Given(of) = from else { continue };
            let class = of.stage.checked_sub(self.at).map(|s| before[s][of.result]);
            match class {
                None | Some(Class::Narrow | Class::Count(_)) => {}
                Some(Class::Full) if full => {}
                Some(_) => return None,
            }
        }
        let last = rows.full.len() - 1;
        let is_last = |along: isize| axis("sum", rows.full.len(), along).is_ok_and(|k| k == last);
        let own = if full { Class::Full } else { Class::Narrow };
        (stage.results.iter().zip(&stage.shapes))
            .map(|(&(_, to), shape)| match to {
                To::Entries => Some(own),
                To::Like(_) if *shape == stage.shape => Some(own),
                To::Like(_) if count(shape) == 1 => Some(Class::Total),
                To::Like(_) if full && *shape == rows.kept => Some(Class::Narrow),
                To::Like(_)
                    if full
                        && count(shape) == rows.length
                        && shape.last() == Some(&rows.length) =>
                {
                    Some(Class::Columns)
                }
                To::Along(_, along) if full && is_last(along) => Some(Class::Narrow),
                To::Count => Some(Class::Count(count(&stage.shape))),
                To::CountAlong(along) if full && is_last(along) => Some(Class::Count(rows.length)),
                _ => None,
            })
            .collect()
    }

    /// Whether anything reads a result behind the kernels that run together, which end there.
    fn is_read_after(&self, of: Given, end: usize) -> bool {
        self.wanted.contains(&of) || is_read(of, &self.program.stages[end..])
    }

    /// What is done with some rows, step by step.
    fn plan<'s>(&'s self, rows: &'s Rows, classes: &[SmallVec<[Class; 4]>]) -> Plan<'s, T> {
        let mut plan = Plan::new(rows);
        // What the results are that kernels of the plan read.
        let mut made: Vec<SmallVec<[Option<Source>; 4]>> = Vec::new();
        let end = self.at + classes.len();
        let stages = &self.program.stages[..end];
        for (number, classes) in (self.at..end).zip(classes) {
            let stage = &stages[number];
            let full = stage.shape == rows.full;
            let inputs: SmallVec<[Source; 8]> = (stage.operands.iter())
                .map(|&from| {
                    let source = match from {
                        From::Given(of) if of.stage >= self.at => made[of.stage - self.at]
                            [of.result]
                            .unwrap_or_else(|| unreachable!("rows have it")),
                        from => plan.leaf(self.tensor(from), full),
                    };
                    plan.widened(source, full)
                })
                .collect();
            let given = |result| Given {
                stage: number,
                result,
            };
            let after = |result| self.is_read_after(given(result), end);
            let own = if full { Class::Full } else { Class::Narrow };
            let entries = |k: usize, to: To| classes[k] == own && !matches!(to, To::Along(..));
            let outputs: SmallVec<[Source; 8]> = (0..stage.values)
                .map(|o| {
                    let mut of = stage.results.iter().enumerate();
                    let kept =
                        of.any(|(k, &(of, to))| of == Of::Value(o) && entries(k, to) && after(k));
                    plan.room(full, kept)
                })
                .collect();
            if stage.values > 0 {
                plan.steps.push(Step::Run {
                    inputs: inputs.clone(),
                    outputs: outputs.clone(),
                    inner: stage.inner,
                    full,
                });
            }
            let mut results = SmallVec::new();
            for (k, &(of, to)) in stage.results.iter().enumerate() {
                let source = match of {
                    Of::Value(o) => outputs[o],
                    Of::Operand(k) => inputs[k],
                };
                let here = is_read(given(k), &stages[number..]);
                let shape = &stage.shapes[k];
                let result = match classes[k] {
                    _ if !here && !after(k) => None,
                    Class::Count(n) => {
                        let n = T::from_f64(n as f64);
                        plan.given.push((given(k), Finish::Number(n)));
                        Some(plan.number(n))
                    }
                    Class::Columns => {
                        let out = plan.out(Out::Columns);
                        plan.steps.push(Step::Columns { of: source, out });
                        plan.given
                            .push((given(k), Finish::Columns(out, shape.clone())));
                        None
                    }
                    Class::Total => {
                        // In the order in which the entries are added anywhere.
                        let room = plan.room(full, true);
                        plan.fold(source, How::Copy, room);
                        plan.keep(given(k), room, |out| Finish::Total(out, shape.clone()));
                        None
                    }
                    Class::Full | Class::Narrow if entries(k, to) => {
                        let mut kept = source;
                        if after(k) && !matches!(source.at, At::Out(_)) {
                            kept = plan.room(full, true);
                            plan.fold(source, How::Copy, kept);
                        }
                        plan.keep(given(k), kept, |out| Finish::Entries(out, shape.clone()));
                        Some(source)
                    }
                    Class::Full | Class::Narrow => {
                        let room = plan.room(false, after(k));
                        let how = match to {
                            To::Along(Fold::Mean, _) => How::Mean,
                            To::Along(Fold::Most, _) => How::Most,
                            _ => How::Sum,
                        };
                        plan.fold(source, how, room);
                        plan.keep(given(k), room, |out| Finish::Entries(out, shape.clone()));
                        Some(room)
                    }
                };
                results.push(result);
            }
            made.push(results);
        }
        plan
    }
}

/// Whether one of the kernels reads a result.
fn is_read<T>(of: Given, by: &[Stage<'_, T>]) -> bool {
    let is = |from: &From| matches!(from, From::Given(known) if *known == of);
    by.iter().any(|stage| stage.operands.iter().any(is))
}

/// The rows that go through kernels, each as long as the last axis.
struct Rows {
    full: Dims,
    /// The shape of what has one entry for each.
    kept: Dims,
    length: usize,
    number: usize,
}

impl Rows {
    fn new(shape: &[usize]) -> Option<Self> {
        let length = *shape.last()?;
        let number = count(&shape[..shape.len() - 1]);
        let mut kept: Dims = shape.into();
        kept[shape.len() - 1] = 1;
        // Longer rows would not stay in the cache.
        ((2..=UNIT).contains(&length) && number > 0).then_some(Rows {
            full: shape.into(),
            kept,
            length,
            number,
        })
    }

    /// How many entries so many rows have.
    fn entries(&self, rows: usize, narrow: bool) -> usize {
        if narrow { rows } else { rows * self.length }
    }

    /// How many rows go through the steps at a time, and how many a thread has at least.
    fn parts<T>(&self) -> [usize; 2] {
        // As many as whole groups of eight entries have, where that is possible.
        let whole = match self.length % 8 {
            0 => 1,
            4 => 2,
            2 | 6 => 4,
            _ => 8,
        };
        let most = (BLOCK_BYTES / size_of::<T>() / self.length).max(1);
        let block = if most < whole {
            most
        } else {
            most - most % whole
        };
        [block, (UNIT / self.length / block).max(1) * block]
    }
}

/// Where the entries are that a step reads or writes: of each row, or one for each row.
#[derive(Clone, Copy, PartialEq)]
struct Source {
    at: At,
    narrow: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum At {
    /// A tensor that is there before.
    Leaf(usize),
    /// A buffer for some rows.
    Buffer(usize),
    /// A result.
    Out(usize),
}

/// What a row becomes a number by.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Copy,
    Sum,
    Mean,
    Most,
}

/// What is done with some rows.
#[allow(
    clippy::large_enum_variant,
    reason = "most are runs, and a box for each would be an allocation"
)]
enum Step<'s, T> {
    /// Each number stands for a row.
    Widen { of: Source, to: usize },
    /// The inner loop of a kernel.
    Run {
        inputs: SmallVec<[Source; 8]>,
        outputs: SmallVec<[Source; 8]>,
        inner: &'s Inner<'s, T>,
        full: bool,
    },
    /// Each row gives a number.
    Fold { of: Source, how: How, to: Source },
    /// The rows are added to a sum.
    Columns { of: Source, out: usize },
}

impl<T> Step<'_, T> {
    /// Calls `f` with each buffer that it reads or writes.
    fn each_buffer(&mut self, mut f: impl FnMut(&mut usize)) {
        let mut of = |source: &mut Source| {
            if let At::Buffer(k) = &mut source.at {
                f(k);
            }
        };
        match self {
            Step::Widen { of: from, to } => {
                of(from);
                f(to);
            }
            Step::Run {
                inputs, outputs, ..
            } => inputs.iter_mut().chain(outputs).for_each(of),
            Step::Fold { of: from, to, .. } => {
                of(from);
                of(to);
            }
            Step::Columns { of: from, .. } => of(from),
        }
    }
}

/// What a buffer has before the first rows come.
enum Room<'s, T: Float> {
    Narrow,
    Full,
    Number(T),
    /// A row, again and again.
    Row(&'s Tensor<T>),
}

/// A result in memory.
#[derive(Clone, Copy, PartialEq)]
enum Out {
    Full,
    Narrow,
    /// A row for each part of a thread.
    Columns,
}

/// What becomes of it at the end.
enum Finish<T> {
    Entries(usize, Dims),
    Columns(usize, Dims),
    Total(usize, Dims),
    Number(T),
}

/// What is done with some rows, and for which results.
struct Plan<'s, T: Float> {
    rows: &'s Rows,
    steps: Vec<Step<'s, T>>,
    rooms: Vec<Room<'s, T>>,
    leaves: Vec<Tensor<T>>,
    outs: Vec<Out>,
    wide: Vec<(Source, usize)>,
    given: Vec<(Given, Finish<T>)>,
}

impl<'s, T: Float> Plan<'s, T> {
    fn new(rows: &'s Rows) -> Self {
        Plan {
            rows,
            steps: Vec::with_capacity(32),
            rooms: Vec::with_capacity(32),
            leaves: Vec::with_capacity(16),
            outs: Vec::with_capacity(16),
            wide: Vec::with_capacity(8),
            given: Vec::with_capacity(16),
        }
    }

    fn buffer(&mut self, room: Room<'s, T>) -> Source {
        let narrow = matches!(room, Room::Narrow);
        self.rooms.push(room);
        Source {
            at: At::Buffer(self.rooms.len() - 1),
            narrow,
        }
    }

    fn number(&mut self, x: T) -> Source {
        // Of two zeros the sign is seen by what they divide.
        let is = |y: T| y == x && T::ONE / y == T::ONE / x;
        let known = (self.rooms.iter()).position(|room| matches!(room, Room::Number(y) if is(*y)));
        match known {
            Some(at) => Source {
                at: At::Buffer(at),
                narrow: false,
            },
            None => self.buffer(Room::Number(x)),
        }
    }

    fn out(&mut self, out: Out) -> usize {
        self.outs.push(out);
        self.outs.len() - 1
    }

    /// Where a kernel writes what it computes.
    fn room(&mut self, full: bool, kept: bool) -> Source {
        if kept {
            let out = if full { Out::Full } else { Out::Narrow };
            return Source {
                at: At::Out(self.out(out)),
                narrow: !full,
            };
        }
        self.buffer(if full { Room::Full } else { Room::Narrow })
    }

    /// What a tensor has for each entry, or for each row.
    fn leaf(&mut self, of: &'s Tensor<T>, full: bool) -> Source {
        if of.is_known_zero() {
            return self.number(T::ZERO);
        }
        if of.len() == 1 {
            return self.number(of.only());
        }
        let rows = self.rows;
        let dense = of.dense().is_some();
        if dense && of.shape == rows.full || of.shape == rows.kept {
            return self.tensor(of.contiguous(), of.shape == rows.kept);
        }
        if dense && full && of.len() == rows.length && of.shape.last() == Some(&rows.length) {
            let known = (self.rooms.iter()).position(
                |room| matches!(room, Room::Row(row) if row.data().as_ptr() == of.data().as_ptr()),
            );
            return match known {
                Some(at) => Source {
                    at: At::Buffer(at),
                    narrow: false,
                },
                None => self.buffer(Room::Row(of)),
            };
        }
        let shape = if full { &rows.full } else { &rows.kept };
        self.tensor(of.stretched_to(shape).contiguous(), !full)
    }

    fn tensor(&mut self, of: Tensor<T>, narrow: bool) -> Source {
        let is = |known: &Tensor<T>| {
            known.data().as_ptr() == of.data().as_ptr() && known.shape == of.shape
        };
        let known = self.leaves.iter().position(is);
        let at = known.unwrap_or_else(|| {
            self.leaves.push(of);
            self.leaves.len() - 1
        });
        Source {
            at: At::Leaf(at),
            narrow,
        }
    }

    /// What a kernel over all entries reads where there is one for each row.
    fn widened(&mut self, of: Source, full: bool) -> Source {
        if !(full && of.narrow) {
            return of;
        }
        let known = self.wide.iter().find(|(known, _)| *known == of);
        let to = known.map(|(_, to)| *to);
        let to = to.unwrap_or_else(|| {
            self.rooms.push(Room::Full);
            let to = self.rooms.len() - 1;
            self.steps.push(Step::Widen { of, to });
            self.wide.push((of, to));
            to
        });
        Source {
            at: At::Buffer(to),
            narrow: false,
        }
    }

    fn fold(&mut self, of: Source, how: How, to: Source) {
        self.steps.push(Step::Fold { of, how, to });
    }

    /// Notes what becomes of a result that is in memory.
    fn keep(&mut self, of: Given, at: Source, finish: impl FnOnce(usize) -> Finish<T>) {
        if let At::Out(out) = at.at {
            self.given.push((of, finish(out)));
        }
    }

    /// Lets buffers that are read no more be those of later steps: the fewer there are, the nearer the cache.
    fn reuse(&mut self) {
        let mut last: Vec<usize> = self.rooms.iter().map(|_| 0).collect();
        for (at, step) in self.steps.iter_mut().enumerate() {
            step.each_buffer(|k| last[*k] = at);
        }
        let mut rooms: Vec<Room<'s, T>> = Vec::new();
        let mut free: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        let mut places: Vec<Option<usize>> = self.rooms.iter().map(|_| None).collect();
        let mut kinds: Vec<Option<Room<'s, T>>> = self.rooms.drain(..).map(Some).collect();
        let narrow = |room: &Room<'_, T>| match room {
            Room::Narrow => Some(1),
            Room::Full => Some(0),
            _ => None,
        };
        for (at, step) in self.steps.iter_mut().enumerate() {
            let mut ended: SmallVec<[[usize; 2]; 8]> = SmallVec::new();
            step.each_buffer(|k| {
                let place = *places[*k].get_or_insert_with(|| {
                    let room = kinds[*k].take().unwrap_or(Room::Full);
                    let kind = narrow(&room);
                    let known = kind.and_then(|kind| free[kind].pop());
                    known.unwrap_or_else(|| {
                        rooms.push(room);
                        rooms.len() - 1
                    })
                });
                if let (true, Some(kind)) = (last[*k] == at, narrow(&rooms[place])) {
                    ended.push([kind, place]);
                }
                *k = place;
            });
            // Not before the step has written what it writes.
            for [kind, place] in ended {
                if !free[kind].contains(&place) {
                    free[kind].push(place);
                }
            }
        }
        self.rooms = rooms;
    }

    /// Lets all rows go through the steps.
    fn run(mut self) -> Made<T> {
        self.reuse();
        let rows = self.rows;
        let [block, unit] = rows.parts::<T>();
        let units = rows.number.div_ceil(unit);
        let per_unit = |out: Out| match out {
            Out::Full => unit * rows.length,
            Out::Narrow => unit,
            Out::Columns => rows.length,
        };
        let mut outs: Vec<Vec<T>> = (self.outs.iter())
            .map(|&out| {
                anything(match out {
                    Out::Full => rows.number * rows.length,
                    Out::Narrow => rows.number,
                    Out::Columns => units * rows.length,
                })
            })
            .collect();
        let parts: Vec<Blocks<'_, T>> = (outs.iter_mut().zip(&self.outs))
            .map(|(out, &kind)| Blocks(out, per_unit(kind)))
            .collect();
        let amount = Amount {
            each: unit * rows.length,
            ..entries(Work::Function, units)
        };
        divide(parts, amount, |some, mut parts| {
            let lengths = self.rooms.iter().map(|room| match room {
                Room::Narrow => block.next_multiple_of(8),
                _ => (block * rows.length).next_multiple_of(8),
            });
            let mut memory = anything(lengths.clone().sum());
            let outs: SmallVec<[&mut [T]; 8]> = (parts.iter_mut())
                .map(|Blocks(out, _)| &mut **out)
                .collect();
            let mut left = &mut memory[..];
            let buffers: SmallVec<[&mut [T]; 16]> = (lengths.zip(&self.rooms))
                .map(|(length, room)| {
                    let (buffer, rest) = core::mem::take(&mut left).split_at_mut(length);
                    left = rest;
                    match room {
                        Room::Number(x) => buffer.fill(*x),
                        Room::Row(row) => {
                            let row = row.dense().unwrap_or(&[]);
                            for to in buffer.chunks_mut(rows.length) {
                                to.copy_from_slice(&row[..to.len()]);
                            }
                        }
                        _ => {}
                    }
                    buffer
                })
                .collect();
            let mut going = Going {
                rows,
                leaves: (self.leaves.iter())
                    .map(|leaf| leaf.dense().unwrap_or(&[]))
                    .collect(),
                buffers,
                outs,
                begin: some.start * unit,
                first: 0,
                count: 0,
            };
            for at in some.clone() {
                for (kind, out) in self.outs.iter().zip(&mut going.outs) {
                    if *kind == Out::Columns {
                        out[(at - some.start) * rows.length..][..rows.length].fill(T::ZERO);
                    }
                }
                let end = rows.number.min((at + 1) * unit);
                for first in (at * unit..end).step_by(block) {
                    (going.first, going.count) = (first, block.min(end - first));
                    for step in &self.steps {
                        going.step(step, at - some.start);
                    }
                }
            }
            drop(going);
            T::keep(memory);
        });
        let mut tensors: Vec<Option<Tensor<T>>> = Vec::new();
        tensors.resize_with(outs.len(), || None);
        let mut outs: Vec<Vec<T>> = outs;
        (self.given.into_iter())
            .map(|(of, finish)| {
                let tensor = match finish {
                    Finish::Number(x) => Tensor::scalar(x),
                    // Several results may be one value.
                    Finish::Entries(out, shape) => tensors[out]
                        .get_or_insert_with(|| Tensor::of(shape, core::mem::take(&mut outs[out])))
                        .clone(),
                    Finish::Columns(out, shape) => {
                        let sums = core::mem::take(&mut outs[out]);
                        let mut sum = anything(rows.length);
                        sum_rows(&sums, units, &mut sum);
                        T::keep(sums);
                        Tensor::of(shape, sum)
                    }
                    Finish::Total(out, shape) => {
                        let sums = core::mem::take(&mut outs[out]);
                        let total = sum(&sums);
                        T::keep(sums);
                        Tensor::of(shape, alloc::vec![total])
                    }
                };
                (of, tensor)
            })
            .collect()
    }
}

/// Some rows on their way.
struct Going<'g, T> {
    rows: &'g Rows,
    leaves: SmallVec<[&'g [T]; 8]>,
    buffers: SmallVec<[&'g mut [T]; 16]>,
    /// The results of the thread, which begin with this row.
    outs: SmallVec<[&'g mut [T]; 8]>,
    begin: usize,
    /// The first one of these rows, and how many they are.
    first: usize,
    count: usize,
}

impl<'g, T: Float> Going<'g, T> {
    fn read(&self, of: Source, length: usize) -> &[T] {
        let from = |row| self.rows.entries(row, of.narrow);
        match of.at {
            At::Leaf(k) => &self.leaves[k][from(self.first)..][..length],
            At::Buffer(k) => &self.buffers[k][..length],
            At::Out(k) => &self.outs[k][from(self.first - self.begin)..][..length],
        }
    }

    /// Takes what is written to out of the rows, so that others can be read meanwhile.
    fn take(&mut self, to: At) -> &'g mut [T] {
        match to {
            At::Buffer(k) => core::mem::take(&mut self.buffers[k]),
            At::Out(k) => core::mem::take(&mut self.outs[k]),
            At::Leaf(_) => unreachable!("no step writes to what was there"),
        }
    }

    fn put(&mut self, to: At, all: &'g mut [T]) {
        match to {
            At::Buffer(k) => self.buffers[k] = all,
            At::Out(k) => self.outs[k] = all,
            At::Leaf(_) => {}
        }
    }

    /// Where the entries of these rows are in what has been taken.
    fn from(&self, to: Source) -> usize {
        match to.at {
            At::Out(_) => self.rows.entries(self.first - self.begin, to.narrow),
            _ => 0,
        }
    }

    /// Runs a kernel with at most `N` operands and as many results: their slices are in arrays, which cost less than lists for some rows.
    fn run<const N: usize>(
        &mut self,
        inputs: &[Source],
        outputs: &[Source],
        inner: &Inner<'_, T>,
        full: bool,
    ) {
        let entries = self.rows.entries(self.count, !full);
        let mut taken: [&mut [T]; N] = core::array::from_fn(|_| &mut [][..]);
        for (all, to) in taken.iter_mut().zip(outputs) {
            *all = self.take(to.at);
        }
        let mut x: [&[T]; N] = [&[]; N];
        for (x, of) in x.iter_mut().zip(inputs) {
            *x = self.read(*of, entries);
        }
        let mut y: [&mut [T]; N] = core::array::from_fn(|_| &mut [][..]);
        for ((y, all), to) in y.iter_mut().zip(&mut taken).zip(outputs) {
            *y = &mut all[self.from(*to)..][..entries];
        }
        in_groups(&x[..inputs.len()], &mut y[..outputs.len()], entries, inner);
        for (to, all) in outputs.iter().zip(taken) {
            self.put(to.at, all);
        }
    }

    fn step(&mut self, step: &Step<'_, T>, unit: usize) {
        let length = self.rows.length;
        match step {
            Step::Widen { of, to } => {
                let all = self.take(At::Buffer(*to));
                let numbers = self.read(*of, self.count);
                dispatch(
                    #[inline(always)]
                    |_| {
                        for (row, x) in all.chunks_exact_mut(length).zip(numbers) {
                            row.fill(*x);
                        }
                    },
                );
                self.put(At::Buffer(*to), all);
            }
            Step::Run {
                inputs,
                outputs,
                inner,
                full,
            } => match inputs.len().max(outputs.len()) {
                0..=8 => self.run::<8>(inputs, outputs, *inner, *full),
                9..=24 => self.run::<24>(inputs, outputs, *inner, *full),
                _ => self.run::<1024>(inputs, outputs, *inner, *full),
            },
            Step::Fold { of, how, to } => {
                let all = self.take(to.at);
                let from = self.from(*to);
                if *how == How::Copy {
                    let entries = self.rows.entries(self.count, to.narrow);
                    all[from..][..entries].copy_from_slice(self.read(*of, entries));
                } else {
                    let entries = self.read(*of, self.count * length);
                    let to = &mut all[from..][..self.count];
                    if *how == How::Most {
                        for (to, row) in to.iter_mut().zip(entries.chunks_exact(length)) {
                            *to = largest(row, |x| x);
                        }
                    } else {
                        sums_of_rows(entries, length, to);
                    }
                    if *how == How::Mean {
                        let n = T::from_f64(length as f64);
                        for to in to {
                            *to /= n;
                        }
                    }
                }
                self.put(to.at, all);
            }
            Step::Columns { of, out } => {
                let all = self.take(At::Out(*out));
                let sums = &mut all[unit * length..][..length];
                let entries = self.read(*of, self.count * length);
                dispatch(
                    #[inline(always)]
                    |_| {
                        for row in entries.chunks_exact(length) {
                            for (sum, x) in sums.iter_mut().zip(row) {
                                *sum += *x;
                            }
                        }
                    },
                );
                self.put(At::Out(*out), all);
            }
        }
    }
}

/// The inner loop of a kernel over any number of entries.
fn in_groups<T: Float>(
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
    length: usize,
    inner: &Inner<'_, T>,
) {
    let whole = length - length % 8;
    if whole > 0 {
        inner(inputs, outputs, whole);
    }
    let rest = length - whole;
    if rest == 0 {
        return;
    }
    let mut x: SmallVec<[[T; 8]; 8]> = (inputs.iter()).map(|_| [T::ZERO; 8]).collect();
    let mut y: SmallVec<[[T; 8]; 8]> = (outputs.iter()).map(|_| [T::ZERO; 8]).collect();
    for (x, input) in x.iter_mut().zip(inputs) {
        x[..rest].copy_from_slice(&input[whole..]);
    }
    {
        let x: SmallVec<[&[T]; 16]> = x.iter().map(|x| &x[..]).collect();
        let mut y: SmallVec<[&mut [T]; 8]> = y.iter_mut().map(|y| &mut y[..]).collect();
        inner(&x, &mut y, 8);
    }
    for (y, output) in y.iter().zip(outputs) {
        output[whole..].copy_from_slice(&y[..rest]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::fused::inner;

    fn some(shape: &[usize], k: f64) -> Tensor<f64> {
        let mut at = k;
        Tensor::from_fn(shape, |_| {
            at += 0.754877666;
            at.fract() - 0.4
        })
    }

    /// The kernels one by one.
    fn apart(program: Program<'_, f64>, wanted: &[Given]) -> Vec<Tensor<f64>> {
        let program = &program.kernels.into_inner();
        let mut made: Vec<SmallVec<[Option<Tensor<f64>>; 4]>> = Vec::new();
        for stage in &program.stages {
            made.push(stage.results.iter().map(|_| None).collect());
        }
        for at in 0..program.stages.len() {
            let run = Run {
                program,
                made: &made,
                wanted,
                at,
            };
            for (of, tensor) in run.alone() {
                made[of.stage][of.result] = Some(tensor);
            }
        }
        let given = |of: &Given| made[of.stage][of.result].clone().unwrap();
        wanted.iter().map(given).collect()
    }

    const ENTRIES: (Of, To) = (Of::Value(0), To::Entries);

    /// A normalisation of rows and its cotangents, put to `check`.
    fn normalisation(
        [x, w, b, seed]: [&Tensor<f64>; 4],
        along: isize,
        check: impl FnOnce(Program<'_, f64>, [Given; 8]),
    ) {
        let centred = inner::<f64, 2, 1, false>(|_, [x, m]| [x - m]);
        let square = inner::<f64, 1, 1, false>(|_, [d]| [d * d]);
        let root = inner::<f64, 1, 1, false>(|_, [v]: [f64; 1]| [(v + 1e-5).sqrt()]);
        let last = inner::<f64, 4, 1, false>(|_, [d, s, w, b]| [d / s * w + b]);
        let back = inner::<f64, 4, 3, false>(|_, [d, s, w, g]: [f64; 4]| {
            [g * w / s, g * (d / s), -(g * w * d / (s * s))]
        });
        let slope = inner::<f64, 3, 1, false>(|_, [d, s, ds]| [ds / s * d]);
        let sum = inner::<f64, 2, 2, false>(|_, [a, b]: [f64; 2]| [a + b, -(a + b)]);
        let s = Program::new();
        let [mean] = s.stage(
            [s.leaf("mean", x)],
            [(Of::Operand(0), To::Along(Fold::Mean, along))],
            0,
            &|_, _, _| {},
        );
        let [d] = s.stage(
            [s.leaf("sub", x), s.given("sub", mean)],
            [ENTRIES],
            1,
            &centred,
        );
        let [var, n] = s.stage(
            [s.given("mul", d)],
            [
                (Of::Value(0), To::Along(Fold::Mean, along)),
                (Of::Value(0), To::CountAlong(along)),
            ],
            1,
            &square,
        );
        let [scale] = s.stage([s.given("add", var)], [ENTRIES], 1, &root);
        let [y] = s.stage(
            {
                let [d, scale] = [d, scale].map(|x| s.given("div", x));
                [d, scale, s.leaf("mul", w), s.leaf("add", b)]
            },
            [ENTRIES],
            1,
            &last,
        );
        let [d_d, d_w, d_b, d_scale] = s.stage(
            {
                let [d, scale] = [d, scale].map(|x| s.given("div", x));
                [d, scale, s.leaf("mul", w), s.leaf("add", seed)]
            },
            [
                (Of::Value(0), To::Like(0)),
                (Of::Value(1), To::Like(2)),
                (Of::Operand(3), To::Like(2)),
                (Of::Value(2), To::Like(1)),
            ],
            3,
            &back,
        );
        let [also] = s.stage(
            [d, scale, d_scale].map(|x| s.given("mul", x)),
            [(Of::Value(0), To::Like(0))],
            1,
            &slope,
        );
        let [d_x, d_mean] = s.stage(
            [d_d, also].map(|x| s.given("add", x)),
            [ENTRIES, (Of::Value(1), To::Along(Fold::Sum, along))],
            2,
            &sum,
        );
        let [most] = s.stage(
            [s.given("max", d_x), s.given("max", n)],
            [(Of::Operand(0), To::Along(Fold::Most, along))],
            0,
            &|_, _, _| {},
        );
        check(s, [y, d_w, d_b, d_x, d_mean, scale, d, most]);
    }

    const SHAPES: [&[usize]; 9] = [
        &[70, 500],
        &[3, 5, 1000],
        &[500, 7],
        &[301, 100],
        &[5, 2],
        &[1, 6],
        &[2, UNIT + 8],
        &[9],
        &[4, 1],
    ];

    #[test]
    fn together_kernels_give_what_they_give_one_by_one() {
        for shape in SHAPES {
            let row = &shape[shape.len() - 1..];
            let operands = [
                some(shape, 0.1),
                some(row, 0.2),
                some(row, 0.3),
                some(shape, 0.4),
            ];
            let [x, w, b, seed] = &operands;
            for along in [-1, 0, shape.len() as isize - 1] {
                let mut all = Vec::new();
                for together in [false, true] {
                    normalisation([x, w, b, seed], along, |program, wanted| {
                        all.push(if together {
                            program.run(wanted).into()
                        } else {
                            apart(program, &wanted)
                        });
                    });
                }
                for (k, (a, b)) in all[0].iter().zip(&all[1]).enumerate() {
                    assert_eq!(a.shape(), b.shape(), "{k} of {shape:?}");
                    // What is added up over all rows is so in another order.
                    if [1, 2, 3, 4, 7].contains(&k) {
                        let all = a.abs().max().max(1.0);
                        assert!((a - b).abs().max() < 1e-12 * all, "{k} of {shape:?}");
                    } else {
                        assert_eq!(a, b, "{k} of {shape:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_go_through_together() {
        let of = |shape: &[usize]| {
            let row = &shape[shape.len() - 1..];
            let operands = [
                some(shape, 0.1),
                some(row, 0.2),
                some(row, 0.3),
                some(shape, 0.4),
            ];
            let mut ends = 0;
            normalisation(operands.each_ref(), -1, |program, wanted| {
                let program = &program.kernels.into_inner();
                let run = Run {
                    program,
                    made: &program
                        .stages
                        .iter()
                        .map(|_| SmallVec::new())
                        .collect::<Vec<_>>(),
                    wanted: &wanted,
                    at: 0,
                };
                ends = run.together().map_or(0, |(end, _)| end);
            });
            ends
        };
        assert_eq!(of(&[70, 500]), 9);
        assert_eq!(of(&[2, UNIT + 8]), 0);
    }

    #[test]
    fn operands_that_lie_otherwise() {
        let turned = some(&[50, 40], 0.1).transpose(0, 1);
        let (zero, column) = (
            Tensor::zeros(&[40, 50]),
            some(&[1, 40], 0.3).transpose(0, 1),
        );
        let f = inner::<f64, 3, 1, false>(|_, [a, b, c]| [a * c + b]);
        let mut all = Vec::new();
        for together in [false, true] {
            let s = Program::new();
            let [sum, y] = s.stage(
                [&turned, &zero, &column].map(|x| s.leaf("mul", x)),
                [(Of::Value(0), To::Along(Fold::Sum, 1)), ENTRIES],
                1,
                &f,
            );
            let [n] = s.stage(
                [
                    s.leaf("add", &2.0),
                    s.given("add", sum),
                    s.given("add", sum),
                ],
                [ENTRIES],
                1,
                &f,
            );
            let wanted = [sum, y, n];
            all.push(if together {
                s.run(wanted).into()
            } else {
                apart(s, &wanted)
            });
        }
        assert_eq!(all[0], all[1]);
    }

    #[test]
    #[should_panic(expected = "[2] and [3]")]
    fn shapes_that_do_not_fit() {
        let (a, b) = (some(&[2], 0.1), some(&[3], 0.1));
        let s = Program::new();
        let _ = s.stage(
            [&a, &b].map(|x| s.leaf("add", x)),
            [ENTRIES],
            1,
            &|_, _, _| {},
        );
    }
}
