//! Sums of products whose axes are named by letters.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::joins::{give, joins, tensors};
use super::moves::Permute;
use crate::float::Float;
use crate::lanes::Width;
use crate::tape::{AsTensorVar, TensorVar};
use crate::tensor::algebra::Formulas;
use crate::tensor::arguments::Arg;
use crate::tensor::dims::{Dims, count, size};
use crate::tensor::error::{Error, Result, expect};
use crate::tensor::forms::{self, attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::{shape, shifted};
use crate::tensor::views::inverse;
use crate::tensor::{AsTensor, Tensor};

/// The entries of two axes of one length whose numbers are equal; the second axis goes.
#[derive(Clone)]
struct Diagonal {
    axes: [usize; 2],
}

/// Zero but for the diagonal of two axes, the second of which is new.
#[derive(Clone)]
struct FromDiagonal {
    axes: [usize; 2],
}

impl<T: Float> Operation<T> for Diagonal {
    const NAME: &'static str = "einsum";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [to, from] = self.axes;
        let mut out = x[0].clone();
        out.strides[to] += out.strides[from];
        out.strides.remove(from);
        out.shape.remove(from);
        Ok(out)
    }

    super::moves::linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(FromDiagonal { axes: self.axes }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |axes| Diagonal { axes };
        vec![
            (of([0, 1]), vec![shape(&[3, 3])]),
            (of([0, 2]), vec![shape(&[2, 3, 2])]),
            (of([1, 2]), vec![shape(&[2, 0, 0])]),
        ]
    }
}

impl<T: Float> Operation<T> for FromDiagonal {
    const NAME: &'static str = "einsum";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [to, from] = self.axes;
        let mut whole: Dims = x[0].shape().into();
        whole.insert(from, whole[to]);
        size("einsum", &whole)?;
        Ok(Tensor::from_fn(&whole, |at| {
            let mut inner: Dims = at.into();
            if inner.remove(from) == inner[to] {
                x[0][&inner[..]]
            } else {
                T::ZERO
            }
        }))
    }

    super::moves::linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Diagonal { axes: self.axes }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (FromDiagonal { axes: [0, 1] }, vec![shape(&[3])]),
            (FromDiagonal { axes: [0, 2] }, vec![shape(&[2, 3])]),
        ]
    }
}

/// The name of an axis: a letter, or the place of an axis of an ellipsis, counted from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Ellipsis(usize),
    Letter(char),
}

type Labels = SmallVec<[Label; 6]>;

/// The letters of an operand or result, and where among them the ellipsis stands.
struct Term {
    letters: SmallVec<[char; 6]>,
    ellipsis: Option<usize>,
}

impl Term {
    fn read(term: &str, fail: &impl Fn(String) -> Error) -> Result<Self> {
        let mut letters = SmallVec::new();
        let mut ellipsis = None;
        let mut rest = term.chars();
        while let Some(c) = rest.next() {
            match c {
                ' ' => {}
                '.' if ellipsis.is_none()
                    && rest.next() == Some('.')
                    && rest.next() == Some('.') =>
                {
                    ellipsis = Some(letters.len());
                }
                '.' => {
                    return Err(fail(format!(
                        "`{term}` has dots that are not one ellipsis `...`"
                    )));
                }
                c if c.is_ascii_alphabetic() => letters.push(c),
                c => return Err(fail(format!("`{c}` names no axis; letters and `...` do"))),
            }
        }
        Ok(Term { letters, ellipsis })
    }

    /// The labels, with so many axes in place of the ellipsis.
    fn labels(&self, axes: usize) -> Labels {
        let mut labels: Labels = self.letters.iter().map(|c| Label::Letter(*c)).collect();
        if let Some(at) = self.ellipsis {
            labels.insert_many(at, (0..axes).rev().map(Label::Ellipsis));
        }
        labels
    }
}

/// The contractions that an equation is, one behind the other: of the first two operands, of what comes of them and the third, and so on.
fn steps(equation: &str, shapes: &[&[usize]]) -> Result<Vec<Contraction>> {
    let fail = |reason: String| {
        Error::new(
            "einsum",
            format!("{reason}, in the equation \"{equation}\""),
        )
    };
    let (terms, result) = match equation.split_once("->") {
        Some((terms, result)) => (terms, Some(Term::read(result, &fail)?)),
        None => (equation, None),
    };
    let terms: Vec<Term> = terms
        .split(',')
        .map(|term| Term::read(term, &fail))
        .collect::<Result<_>>()?;
    if terms.len() != shapes.len() {
        return Err(fail(format!(
            "operands are named {} times, but {} are given",
            terms.len(),
            shapes.len()
        )));
    }
    let mut operands: Vec<Labels> = Vec::new();
    let mut longest = 0;
    let mut lengths: BTreeMap<Label, usize> = BTreeMap::new();
    for (k, (term, shape)) in terms.iter().zip(shapes).enumerate() {
        let free = shape.len().checked_sub(term.letters.len());
        let Some(free) = free.filter(|free| *free == 0 || term.ellipsis.is_some()) else {
            return Err(fail(format!(
                "operand {k} has the shape {shape:?}, but {} axes are named",
                term.letters.len()
            )));
        };
        longest = longest.max(free);
        let labels = term.labels(free);
        // Within an operand nothing is stretched.
        for (axis, label) in labels.iter().enumerate() {
            if let Some(first) = labels[..axis].iter().position(|before| before == label) {
                if shape[first] != shape[axis] {
                    return Err(fail(format!(
                        "axes {first} and {axis} of operand {k} have one name, but its shape is {shape:?}"
                    )));
                }
            }
        }
        for (label, n) in labels.iter().zip(*shape) {
            let before = lengths.entry(*label).or_insert(*n);
            if *before == 1 {
                *before = *n;
            } else if *n != 1 && before != n {
                let name = match label {
                    Label::Letter(c) => format!("axis `{c}`"),
                    Label::Ellipsis(at) => format!("axis {} from the end of `...`", at + 1),
                };
                return Err(fail(format!(
                    "{name} has the lengths {before} and {n}: {shapes:?}"
                )));
            }
        }
        operands.push(labels);
    }
    let result = match result {
        Some(result) => result.labels(longest),
        None => {
            let mut all: Vec<Label> = operands.iter().flatten().copied().collect();
            all.sort_unstable();
            let once = |label: &Label| {
                matches!(label, Label::Letter(_))
                    && all.iter().filter(|other| *other == label).count() == 1
            };
            ((0..longest).rev().map(Label::Ellipsis))
                .chain(all.iter().copied().filter(once))
                .collect()
        }
    };
    for (k, label) in result.iter().enumerate() {
        let Label::Letter(c) = label else { continue };
        if result[..k].contains(label) {
            return Err(fail(format!("the result names `{c}` twice")));
        }
        if !lengths.contains_key(label) {
            return Err(fail(format!(
                "the result names `{c}`, which no operand has"
            )));
        }
    }
    if let [only] = &operands[..] {
        return Ok(vec![Contraction {
            operands: [only.clone()].into_iter().collect(),
            result,
        }]);
    }
    let mut so_far = operands[0].clone();
    let mut out = Vec::new();
    for k in 1..operands.len() {
        let next = &operands[k];
        let after = if k + 1 == operands.len() {
            result.clone()
        } else {
            let mut after = Labels::new();
            for label in so_far.iter().chain(next) {
                let needed = result.contains(label)
                    || operands[k + 1..].iter().any(|later| later.contains(label));
                if needed && !after.contains(label) {
                    after.push(*label);
                }
            }
            after
        };
        out.push(Contraction {
            operands: [so_far, next.clone()].into_iter().collect(),
            result: after.clone(),
        });
        so_far = after;
    }
    Ok(out)
}

/// The sum over products of the entries of one operand or two.
#[derive(Clone)]
struct Contraction {
    operands: SmallVec<[Labels; 2]>,
    result: Labels,
}

/// How an operand is brought into the form in which it is multiplied: by way of these shapes.
struct Side {
    /// Pairs of axes with one name, one after the other.
    diagonals: SmallVec<[[usize; 2]; 2]>,
    /// Without a name twice.
    single: Dims,
    /// Summed over what no other has and nobody asks for.
    summed: Dims,
    /// Without these axes, and without those of length 1 along which it is repeated.
    left: Dims,
    order: Dims,
    ordered: Dims,
    /// Axes that are summed over together are one, as are those of the result.
    whole: Dims,
}

impl Side {
    fn there<T: Float, A: Algebra<T>>(&self, x: &A) -> A {
        let mut x = x.clone();
        for axes in &self.diagonals {
            x = x.then(Diagonal { axes: *axes });
        }
        let x = x.summed_to(&self.summed).shaped(&self.left);
        ordered(&x, &self.order).shaped(&self.whole)
    }

    fn back<T: Float, A: Algebra<T>>(&self, d: &A) -> A {
        let d = ordered(&d.shaped(&self.ordered), &inverse(&self.order));
        let mut d = d.shaped(&self.summed).stretched_to(&self.single);
        for axes in self.diagonals.iter().rev() {
            d = d.then(FromDiagonal { axes: *axes });
        }
        d
    }
}

/// With the axes in this order.
fn ordered<T: Float, A: Algebra<T>>(x: &A, order: &[usize]) -> A {
    if order.iter().copied().eq(0..order.len()) {
        x.clone()
    } else {
        x.then(Permute {
            order: order.into(),
        })
    }
}

/// What is done to the operands, and to what comes of them.
struct Plan {
    sides: SmallVec<[Side; 2]>,
    /// Whether something is summed over that both operands have: then it is a product of matrices.
    inner: bool,
    /// What the product is taken apart to, and the order of the result's axes among these.
    split: Dims,
    order: Dims,
}

impl Contraction {
    fn plan(&self, shapes: &[&[usize]]) -> Plan {
        let two = shapes.len() == 2;
        let length = |label: Label| {
            let of = |k: usize| {
                let axis = self.operands[k].iter().position(|other| *other == label);
                axis.map(|axis| shapes[k][axis])
            };
            (0..shapes.len())
                .filter_map(of)
                .find(|n| *n != 1)
                .unwrap_or(1)
        };
        // The labels of each operand, each once, without those along which it is repeated.
        let own: SmallVec<[Labels; 2]> = (self.operands.iter().zip(shapes))
            .map(|(labels, shape)| {
                (labels.iter().enumerate())
                    .filter(|(axis, label)| {
                        !labels[..*axis].contains(label) && shape[*axis] == length(**label)
                    })
                    .map(|(_, label)| *label)
                    .collect()
            })
            .collect();
        let other = |k: usize, label: &Label| two && own[1 - k].contains(label);
        let asked = |label: &Label| self.result.contains(label);
        let chosen = |k: usize, shared: bool, in_result: bool| -> Labels {
            (own[k].iter().copied())
                .filter(|label| other(k, label) == shared && asked(label) == in_result)
                .collect()
        };
        let batch = chosen(0, true, true);
        let inner = chosen(0, true, false);
        let free: SmallVec<[Labels; 2]> =
            (0..shapes.len()).map(|k| chosen(k, false, true)).collect();
        let lengths =
            |labels: &[Label]| -> Dims { labels.iter().map(|label| length(*label)).collect() };

        let sides = (0..shapes.len())
            .map(|k| {
                let mut labels = self.operands[k].clone();
                let mut single: Dims = shapes[k].into();
                let mut diagonals = SmallVec::new();
                let mut axis = 0;
                while axis < labels.len() {
                    if let Some(first) = labels[..axis]
                        .iter()
                        .position(|label| *label == labels[axis])
                    {
                        diagonals.push([first, axis]);
                        labels.remove(axis);
                        single.remove(axis);
                    } else {
                        axis += 1;
                    }
                }
                let stays =
                    |label: &Label| own[k].contains(label) && (asked(label) || other(k, label));
                let left_labels: Labels = labels.iter().copied().filter(stays).collect();
                let summed: Dims = (labels.iter().zip(&single))
                    .map(|(label, n)| if stays(label) { *n } else { 1 })
                    .collect();
                let groups: [&[Label]; 3] = if k == 0 {
                    [&batch, &free[0], &inner]
                } else {
                    [&batch, &inner, &free[1]]
                };
                let sorted = groups.concat();
                let order: Dims = (sorted.iter())
                    .filter_map(|label| left_labels.iter().position(|other| other == label))
                    .collect();
                let whole = if !two {
                    lengths(&sorted)
                } else if inner.is_empty() {
                    let mut whole = lengths(&batch);
                    for (side, free) in free.iter().enumerate() {
                        whole.extend(
                            free.iter()
                                .map(|label| if side == k { length(*label) } else { 1 }),
                        );
                    }
                    whole
                } else {
                    let mut whole = lengths(&batch);
                    whole.extend(groups[1..].iter().map(|group| count(&lengths(group))));
                    whole
                };
                Side {
                    diagonals,
                    left: lengths(&left_labels),
                    ordered: lengths(&sorted),
                    single,
                    summed,
                    order,
                    whole,
                }
            })
            .collect();
        let mut after = batch.clone();
        free.iter().for_each(|free| after.extend_from_slice(free));
        let order = (self.result.iter())
            .filter_map(|label| after.iter().position(|other| other == label))
            .collect();
        Plan {
            sides,
            inner: !inner.is_empty(),
            split: lengths(&after),
            order,
        }
    }

    /// The sizes of what is computed on the way, which may be too large.
    fn check(&self, shapes: &[&[usize]]) -> Result<()> {
        let plan = self.plan(shapes);
        plan.sides
            .iter()
            .try_for_each(|side| size("einsum", &side.whole).map(|_| ()))?;
        size("einsum", &plan.split).map(|_| ())
    }
}

impl<T: Float> Operation<T> for Contraction {
    const NAME: &'static str = "einsum";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let shapes: SmallVec<[&[usize]; 2]> = x.iter().map(|x| x.shape()).collect();
        self.check(&shapes)?;
        let plan = self.plan(&shapes);
        let sides: SmallVec<[Tensor<T>; 2]> = plan
            .sides
            .iter()
            .zip(x)
            .map(|(side, x)| side.there(*x))
            .collect();
        let y = match &sides[..] {
            [a, b] if plan.inner => a.matmul(b),
            [a, b] => Formulas::mul(a, b),
            _ => sides[0].clone(),
        };
        Ok(ordered(&y.shaped(&plan.split), &plan.order))
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let along = |k: usize| {
            let mut x: SmallVec<[&A; 2]> = x.into();
            x[k] = dx[k]?;
            Some(A::apply(self, &x))
        };
        let terms: SmallVec<[A; 2]> = (0..x.len()).filter_map(along).collect();
        match &terms[..] {
            [a, b] => a.add(b),
            [a] => a.clone(),
            _ => y.nothing(),
        }
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let shapes: SmallVec<[&[usize]; 2]> = x.iter().map(|x| x.lengths()).collect();
        let plan = self.plan(&shapes);
        let d = ordered(dy, &inverse(&plan.order));
        if x.len() == 1 {
            return vec![Some(plan.sides[0].back(&d))];
        }
        let [a, b] = [0, 1].map(|k| plan.sides[k].there(x[k]));
        let [left, right] = if plan.inner {
            let rank = plan.sides[0].whole.len();
            let mut whole: Dims = plan.sides[0].whole.clone();
            whole[rank - 1] = plan.sides[1].whole[rank - 1];
            let d = d.shaped(&whole);
            [
                wanted[0].then(|| d.matmul(&b.transposed())),
                wanted[1].then(|| a.transposed().matmul(&d)),
            ]
        } else {
            [
                wanted[0].then(|| d.times(&b).summed_to(a.lengths())),
                wanted[1].then(|| d.times(&a).summed_to(b.lengths())),
            ]
        };
        vec![
            left.map(|d| plan.sides[0].back(&d)),
            right.map(|d| plan.sides[1].back(&d)),
        ]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |equation: &str, x: Vec<Tensor<T>>| {
            let shapes: Vec<&[usize]> = x.iter().map(Tensor::shape).collect();
            (expect(steps(equation, &shapes)).remove(0), x)
        };
        vec![
            of("ij,jk->ik", vec![shape(&[2, 3]), shape(&[3, 4])]),
            of("i,i->i", vec![shape(&[3]), shifted(&[3], 5.0)]),
            of("iji->j", vec![shape(&[2, 3, 2])]),
        ]
    }
}

/// The sum over products of the operands' entries, axis by axis as an equation names them.
#[derive(Clone)]
pub(crate) struct Einsum {
    pub(crate) equation: String,
}

impl Einsum {
    fn steps<T: Float, A: Algebra<T>>(&self, x: &[&A]) -> Vec<Contraction> {
        let shapes: SmallVec<[&[usize]; 4]> = x.iter().map(|x| x.lengths()).collect();
        expect(steps(&self.equation, &shapes))
    }
}

impl<T: Float> Operation<T> for Einsum {
    const NAME: &'static str = "einsum";
    const KEEPS: Keeps = Keeps::Operands;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let shapes: SmallVec<[&[usize]; 4]> = x.iter().map(|x| x.shape()).collect();
        let steps = steps(&self.equation, &shapes)?;
        if x.len() == 1 {
            return steps[0].value(x);
        }
        let mut y = x[0].clone();
        for (step, x) in steps.iter().zip(&x[1..]) {
            y = step.value(&[&y, x])?;
        }
        Ok(y)
    }

    fn push<A: Algebra<T>>(&self, x: &[&A], y: &A, dx: &[Option<&A>]) -> A {
        let steps = self.steps(x);
        if x.len() == 1 {
            return steps[0].push(x, y, dx);
        }
        let (mut so_far, mut dot) = (x[0].clone(), dx[0].cloned());
        for (k, step) in steps.iter().enumerate() {
            let operands = [&so_far, x[k + 1]];
            let dots = [dot.as_ref(), dx[k + 1]];
            dot = (dots.iter().any(Option::is_some)).then(|| step.push(&operands, y, &dots));
            if k + 1 < steps.len() {
                so_far = A::apply(step, &operands);
            }
        }
        dot.unwrap_or_else(|| y.nothing())
    }

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, wanted: &[bool]) -> Vec<Option<A>> {
        let steps = self.steps(x);
        if x.len() == 1 {
            return steps[0].pull(x, y, dy, wanted);
        }
        let mut before = vec![x[0].clone()];
        for (k, step) in steps[..steps.len() - 1].iter().enumerate() {
            before.push(A::apply(step, &[&before[k], x[k + 1]]));
        }
        let mut bars = vec![None; x.len()];
        let mut d = Some(dy.clone());
        for (k, step) in steps.iter().enumerate().rev() {
            let Some(dy) = d else { break };
            let earlier = wanted[..=k].contains(&true);
            let mut both = step.pull(&[&before[k], x[k + 1]], y, &dy, &[earlier, wanted[k + 1]]);
            bars[k + 1] = both.pop().flatten();
            d = both.pop().flatten();
        }
        bars[0] = d;
        bars
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let of = |equation: &str, shapes: &[&[usize]]| {
            let x = (shapes.iter().enumerate())
                .map(|(k, of)| shifted(of, 17.0 * k as f64))
                .collect();
            (
                Einsum {
                    equation: equation.into(),
                },
                x,
            )
        };
        vec![
            of("ij,jk->ik", &[&[2, 3], &[3, 4]]),
            of("ij,jk", &[&[2, 2], &[2, 2]]),
            of("bij,bjk->bik", &[&[2, 2, 3], &[2, 3, 2]]),
            of("bhqd,bhkd->bhqk", &[&[2, 2, 3, 2], &[2, 2, 4, 2]]),
            of("ii->", &[&[4, 4]]),
            of("ii->i", &[&[3, 3]]),
            of("ii", &[&[3, 3]]),
            of("iji->j", &[&[2, 3, 2]]),
            of("iii->i", &[&[2, 2, 2]]),
            of("ijij->ji", &[&[2, 3, 2, 3]]),
            of("ijk->kj", &[&[2, 3, 4]]),
            of("ba", &[&[2, 3]]),
            of("i,j->ij", &[&[3], &[4]]),
            of("i,j->ji", &[&[3], &[4]]),
            of("i,i->", &[&[3], &[3]]),
            of("i,i->i", &[&[3], &[3]]),
            of("i,j->", &[&[3], &[2]]),
            of("ii,ij->j", &[&[3, 3], &[3, 2]]),
            of("ij,ij->", &[&[2, 3], &[2, 3]]),
            of("ijk,jil->kl", &[&[2, 3, 2], &[3, 2, 2]]),
            of("ij,kl->ijkl", &[&[2, 3], &[2, 2]]),
            of("bi,ij,bj->b", &[&[3, 2], &[2, 4], &[3, 4]]),
            of("i,i,i->i", &[&[3], &[3], &[3]]),
            of("i,i,i->", &[&[3], &[3], &[3]]),
            of("ab,bc,cd,de->ae", &[&[2, 3], &[3, 2], &[2, 4], &[4, 2]]),
            of("...ij,...jk->...ik", &[&[2, 2, 3], &[3, 4]]),
            of("...ij,...jk", &[&[2, 1, 2, 3], &[3, 3, 2]]),
            of("i...->...", &[&[2, 3, 2]]),
            of("...i,...i->", &[&[2, 3], &[2, 3]]),
            of("b...,b...->...b", &[&[2, 3], &[2, 2, 3]]),
            of(",i->i", &[&[], &[3]]),
            of(",", &[&[], &[]]),
            of("->", &[&[]]),
            of("ij,jk->ik", &[&[2, 1], &[3, 4]]),
            of("ij,ij->ij", &[&[2, 1], &[1, 3]]),
            of("i,i,i->i", &[&[1], &[1], &[3]]),
            of("i,i->", &[&[1], &[3]]),
            of("i,i->i", &[&[1], &[0]]),
            of("ij,jk->ik", &[&[2, 0], &[0, 3]]),
            of("ij,jk->ik", &[&[0, 2], &[2, 3]]),
            of("bij,bjk->bik", &[&[0, 2, 3], &[0, 3, 2]]),
            of("ii->i", &[&[0, 0]]),
        ]
    }
}

joins! {
    /// The sum of products that an equation names axis by axis: what the result does not name is summed over.
    ///
    /// A letter that one operand has twice takes its diagonal; one that several operands have runs through them together, and a length of 1 is stretched.
    /// Without `->` the result has the letters that stand once, in the order of the alphabet. `...` is any number of axes, stretched to each other.
    /// Operands are multiplied from left to right, two at a time. The methods [`contract`](Tensor::contract) and [`contract_self`](Tensor::contract_self) take the same equations.
    ///
    /// # Panics
    /// If the equation and the shapes do not go together.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (a, b) = (Tensor::from([[1.0, 2.0], [3.0, 4.0]]), Tensor::from([1.0, -1.0]));
    /// assert_eq!(Tensor::einsum("ij,j->i", &[&a, &b]).to_vec(), [-1.0, -1.0]);
    /// assert_eq!(Tensor::einsum("i,ij,j->", &[&b, &a, &b]).item(), 0.0);
    /// ```
    einsum [equation: &str] operands [] = Einsum { equation: equation.into() };
}

methods! {
    /// The sum of products of two tensors' entries that an equation names axis by axis, as [`einsum`](Tensor::einsum) has it.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let (x, y) = (Tensor::from([1.0, 2.0]), Tensor::from([3.0, 4.0]));
    /// assert_eq!(x.contract(y, "i,j->ji").to_vec(), [3.0, 6.0, 4.0, 8.0]);
    /// ```
    contract(other; equation: lent [str]) -> tensor = Einsum { equation: equation.into() };
    /// The sum of a tensor's entries that an equation names axis by axis, as [`einsum`](Tensor::einsum) has it: diagonals, sums and other orders of axes.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.contract_self("ii->i").to_vec(), [1.0, 4.0]);
    /// ```
    contract_self(; equation: lent [str]) -> tensor = Einsum { equation: equation.into() };
}

#[cfg(test)]
crate::tensor::testing::operations!(Diagonal FromDiagonal Contraction Einsum);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::tensor::testing::pulled;

    fn einsum(equation: &str, x: &[&Tensor<f64>]) -> Tensor<f64> {
        Tensor::einsum(equation, x)
    }

    #[test]
    fn entries_are_sums_over_all_values_of_the_letters() {
        let (a, b) = (shape::<f64>(&[2, 3, 2]), shifted(&[3, 4], 5.0));
        let y = einsum("iji,jk->kj", &[&a, &b]);
        for k in 0..4 {
            for j in 0..3 {
                let sum: f64 = (0..2).map(|i| a[[i, j, i]] * b[[j, k]]).sum();
                assert!((y[[k, j]] - sum).abs() < 1e-14);
            }
        }
        let (x, c) = (shape::<f64>(&[3]), shifted(&[2, 3], 2.0));
        let y = einsum("i,ji,j", &[&x, &c, &Tensor::from([2.0, -1.0])]);
        let sum: f64 = (0..3).map(|i| x[i] * (2.0 * c[[0, i]] - c[[1, i]])).sum();
        assert!((y.item() - sum).abs() < 1e-14);
    }

    #[test]
    fn the_result_is_alphabetical_unless_it_is_named() {
        let x = shape::<f64>(&[2, 3]);
        assert_eq!(einsum("ba", &[&x]).shape(), [3, 2]);
        assert_eq!(einsum("Ab", &[&x]).shape(), [2, 3]);
        assert_eq!(einsum("ij,jk", &[&x, &shape(&[3, 4])]).shape(), [2, 4]);
        assert_eq!(einsum(" i j -> j i ", &[&x]), einsum("ij->ji", &[&x]));
        assert_eq!(einsum("a...", &[&x]).shape(), [3, 2]);
        // An ellipsis that the result does not name is summed over.
        assert_eq!(einsum("...j->j", &[&x]), x.sum_axis(0));
    }

    #[test]
    fn lengths_of_one_are_stretched_and_those_of_zero_are_empty_sums() {
        let one = Tensor::from([2.0]);
        assert_eq!(
            einsum("i,i->i", &[&one, &Tensor::from([1.0, 3.0])]).to_vec(),
            [2.0, 6.0]
        );
        assert_eq!(
            einsum("i,i->", &[&one, &Tensor::from([1.0, 3.0])]).item(),
            8.0
        );
        let x = [one.clone(), Tensor::zeros(&[0])];
        let sum = Einsum {
            equation: "i,i->".into(),
        };
        assert_eq!(sum.value(&[&x[0], &x[1]]).unwrap().item(), 0.0);
        let bars = pulled(&sum, &x, &Tensor::scalar(1.0));
        assert_eq!((bars[0].to_vec(), bars[1].shape()), (vec![0.0], &[0][..]));
    }

    #[test]
    fn one_tensor_twice_is_two_operands() {
        let x = Tensor::from([[1.0, 2.0], [3.0, 5.0]]);
        let product = Einsum {
            equation: "ij,kj->ik".into(),
        };
        let bars = pulled(&product, &[x.clone(), x.clone()], &Tensor::ones(&[2, 2]));
        assert_eq!(bars[0].to_vec(), [4.0, 7.0, 4.0, 7.0]);
        assert_eq!(bars[0], bars[1]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (a, b) = (Tensor::<f64>::ones(&[2, 3]), Tensor::ones(&[4, 2]));
        let fails = |equation: &str, x: &[&Tensor<f64>], expected: &str| {
            assert_eq!(
                Tensor::try_einsum(equation, x).unwrap_err().to_string(),
                expected
            );
        };
        fails(
            "ij,jk->ik",
            &[&a, &b],
            r#"einsum: axis `j` has the lengths 3 and 4: [[2, 3], [4, 2]], in the equation "ij,jk->ik""#,
        );
        fails(
            "ij->i",
            &[&a, &b],
            r#"einsum: operands are named 1 times, but 2 are given, in the equation "ij->i""#,
        );
        fails(
            "i->i",
            &[&a],
            r#"einsum: operand 0 has the shape [2, 3], but 1 axes are named, in the equation "i->i""#,
        );
        fails(
            "ijk...->i",
            &[&a],
            r#"einsum: operand 0 has the shape [2, 3], but 3 axes are named, in the equation "ijk...->i""#,
        );
        fails(
            "ii->i",
            &[&a],
            r#"einsum: axes 0 and 1 of operand 0 have one name, but its shape is [2, 3], in the equation "ii->i""#,
        );
        fails(
            "ij->ii",
            &[&a],
            r#"einsum: the result names `i` twice, in the equation "ij->ii""#,
        );
        fails(
            "ij->k",
            &[&a],
            r#"einsum: the result names `k`, which no operand has, in the equation "ij->k""#,
        );
        fails(
            "i2->i",
            &[&a],
            r#"einsum: `2` names no axis; letters and `...` do, in the equation "i2->i""#,
        );
        fails(
            "ij->i->j",
            &[&a],
            r#"einsum: `-` names no axis; letters and `...` do, in the equation "ij->i->j""#,
        );
        fails(
            "i..j",
            &[&a],
            r#"einsum: `i..j` has dots that are not one ellipsis `...`, in the equation "i..j""#,
        );
        let long = Tensor::<f64>::zeros(&[1 << 40]);
        assert!(Tensor::try_einsum("i,j->ij", &[&long, &long]).is_err());
    }
}
