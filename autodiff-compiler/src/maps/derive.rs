//! Derivatives of kernels, which are kernels: those of their graphs.

use rustc_hash::FxHashSet;
use std::rc::Rc;

use super::{parameter, read, row};
use crate::analysis::activity;
use crate::ir::{Fold, Func, Map, Op, Origin, Param, To, Value};
use crate::jvp::{Inputs, forward};
use crate::remember::{Policy, remember};
use crate::simplify::simplify;
use crate::vjp::{Seed, vjp};

/// The cotangents of a kernel's operands, by another kernel.
#[derive(Clone)]
pub(crate) struct Backward {
    pub(crate) map: Map,
    /// Which of the operands it has: those of the kernel, the cotangent of its result, and what is remembered.
    pub(crate) kept: Vec<usize>,
    /// The values of the kernel's graph that it is given.
    pub(crate) remembered: Vec<Value>,
}

impl Map {
    /// The tangents of the results but for numbers of entries, of the operands and then the tangents of those that have one; and which of these operands it has.
    pub(crate) fn forward(&self, moved: &[bool]) -> (Map, Vec<usize>) {
        let wrt = self.params_where(moved);
        let active = activity(&self.func, &wrt);
        let dual = forward(&self.func, &active, &Inputs::new(&self.func, &wrt), None);
        let mut func = dual.func;
        // Where a value is infinite, so is what follows from it; nothing backward depends on more.
        func.overflows.clear();
        let results = self.func.body.yields.len();
        func.body.yields.drain(..results);
        let mut to = self.to.clone();
        let mut count = self.to.iter().map(|to| to.is_count());
        func.body.yields.retain(|_| count.next() != Some(true));
        to.retain(|to| !to.is_count());
        func.params.extend(dual.tangents.into_iter().flatten());
        // The tangent of what is stretched to an operand's shape is as well.
        self.finish(func, to, moved.len())
    }

    /// The cotangents of those operands that want one, of the operands, that of the result, and then what is remembered.
    pub(crate) fn backward(&self, wanted: &[bool]) -> Backward {
        let wrt = self.params_where(wanted);
        let active = activity(&self.func, &wrt);
        let mut both = vjp(
            &self.func,
            &active,
            &wrt,
            Seed::Early,
            FxHashSet::default(),
            false,
        );
        let ty = self.func.ty(self.func.body.yields[0]).clone();
        let seed = both.seed.unwrap_or_else(|| both.func.value("seed", ty));
        let policy = Policy::default();
        both.func.body.mark_split(both.split);
        remember(&mut both.func, &policy);
        both.func.body.unmark_split();
        let mut func = both.func;
        func.body.yields.remove(0);
        func.params.push(Param::Value(seed));
        simplify_all(&mut func);
        let remembered = dear(&self.func, &func);
        func.params
            .extend(remembered.iter().map(|&v| Param::Value(v)));
        for op in &mut func.body.ops {
            op.results.retain(|v| !remembered.contains(v));
        }
        func.body.ops.retain(|op| !op.results.is_empty());
        let to = (0..wanted.len()).filter(|&k| wanted[k]).map(To::Like);
        // Where it gives entries, their cotangent has the shape that all operands are stretched to.
        let shaping = match self.to[0] {
            To::Entries => 0,
            _ => wanted.len(),
        };
        let (map, kept) = self.finish(func, to.collect(), shaping);
        Backward {
            map,
            kept,
            remembered,
        }
    }

    /// The kernel that also gives these values of its graph.
    pub(crate) fn remembering(&self, values: &[Value]) -> Map {
        let mut func = Func::clone(&self.func);
        func.body.yields.extend(values);
        let mut to = self.to.clone();
        to.extend(values.iter().map(|_| To::Entries));
        // What the cotangent of a mean is divided by.
        if let Some(count) = self.divides_by() {
            func.body.yields.push(func.body.yields[0]);
            to.push(count);
        }
        Map {
            func: Rc::new(func),
            to,
            name: self.name.clone(),
            number: self.number.clone(),
            functions: self.functions,
        }
    }

    /// What a mean is divided by, if it gives one.
    pub(crate) fn divides_by(&self) -> Option<To> {
        match self.to[0] {
            To::Mean => Some(To::Count),
            To::Along(Fold::Mean, axis) => Some(To::CountAlong(axis)),
            _ => None,
        }
    }

    /// Whether it reads the entries of an operand; of others it has the shape.
    pub(crate) fn reads(&self, k: usize) -> bool {
        let v = parameter(&self.func, k);
        let mut ops = self.func.body.ops.iter();
        self.func.body.yields.contains(&v) || ops.any(|op| read(op).contains(&v))
    }

    fn params_where(&self, chosen: &[bool]) -> Vec<Param> {
        let params = self.func.params.iter().zip(chosen);
        params
            .filter(|(_, chosen)| **chosen)
            .map(|(p, _)| *p)
            .collect()
    }

    /// A derivative, without what nothing asks for but the shapes of so many operands.
    fn finish(&self, mut func: Func, to: Vec<To>, shaping: usize) -> (Map, Vec<usize>) {
        simplify_all(&mut func);
        let mut used: FxHashSet<Value> = func.body.yields.iter().copied().collect();
        for op in &func.body.ops {
            used.extend(read(op));
        }
        let kept: Vec<usize> = (0..func.params.len())
            .filter(|&k| {
                k < shaping || used.contains(&parameter(&func, k)) || to.contains(&To::Like(k))
            })
            .collect();
        func.params = kept.iter().map(|&k| func.params[k]).collect();
        let place = |to: &To| match *to {
            To::Like(k) => To::Like(kept.iter().filter(|&&kept| kept < k).count()),
            to => to,
        };
        let map = Map {
            to: to.iter().map(place).collect(),
            func: Rc::new(func),
            name: self.name.clone(),
            number: self.number.clone(),
            functions: self.functions,
        };
        (map, kept)
    }
}

/// Drops what nothing uses, the user's own operations as well: they are repeated only for what follows from them.
pub(super) fn simplify_all(func: &mut Func) {
    fn derived(op: &mut Op) {
        op.origin = Origin::Derived;
        let inner = op.blocks.iter_mut().flat_map(|block| &mut block.ops);
        inner.for_each(derived);
    }
    func.body.ops.iter_mut().for_each(derived);
    func.body.segment = false;
    simplify(func);
}

/// The values of a kernel that the kernel of its cotangents is given, rather than computes again: the dear ones that it asks for.
///
/// A value that is remembered is a tensor, written and read once. That takes as long as a dozen operations of arithmetic, a root or a quotient among them,
/// and half as long as an elementary function.
fn dear(kernel: &Func, backward: &Func) -> Vec<Value> {
    let forward: FxHashSet<Value> = (kernel.body.ops.iter())
        .flat_map(|op| op.results.iter().copied())
        .collect();
    let mut asked: FxHashSet<Value> = backward.body.yields.iter().copied().collect();
    let mut dear = Vec::new();
    for op in backward.body.ops.iter().rev() {
        if !op.results.iter().any(|y| asked.contains(y)) {
            continue;
        }
        match op.results[..] {
            [y] if forward.contains(&y) && is_dear(op) => dear.push(y),
            _ => asked.extend(read(op)),
        }
    }
    dear.reverse();
    dear
}

fn is_dear(op: &Op) -> bool {
    let cheap = [
        "abs", "clamp", "max", "maximum", "min", "minimum", "powi", "recip", "relu", "sqrt",
    ];
    row(op).is_some_and(|name| !cheap.contains(&name))
}
