//! Derivatives of kernels, which are kernels: those of their graphs.

use std::collections::HashSet;
use std::rc::Rc;

use super::parameter;
use crate::analysis::activity;
use crate::ir::{Func, Map, Origin, Param, Value};
use crate::jvp::{Inputs, forward};
use crate::remember::{Policy, remember};
use crate::simplify::simplify;
use crate::vjp::{Seed, vjp};

impl Map {
    /// The tangents of the results, of the operands and then the tangents of those that have one; and which of these operands it reads.
    pub(crate) fn forward(&self, moved: &[bool]) -> (Map, Vec<usize>) {
        let wrt = self.params_where(moved);
        let active = activity(&self.func, &wrt);
        let dual = forward(&self.func, &active, &Inputs::new(&self.func, &wrt), None);
        let mut func = dual.func;
        let results = self.func.body.yields.len();
        func.body.yields.drain(..results);
        func.params.extend(dual.tangents.into_iter().flatten());
        self.finish(func, self.summed.clone())
    }

    /// The cotangents of those operands that want one, of the operands and then that of the result; and which of these it reads.
    pub(crate) fn backward(&self, wanted: &[bool]) -> (Map, Vec<usize>) {
        let wrt = self.params_where(wanted);
        let active = activity(&self.func, &wrt);
        let mut both = vjp(&self.func, &active, &wrt, Seed::Early);
        let ty = self.func.ty(self.func.body.yields[0]).clone();
        let seed = both.seed.unwrap_or_else(|| both.func.value("seed", ty));
        let policy = Policy {
            restore: false,
            everything: false,
            sink: false,
            verify: false,
            mutate: None,
        };
        both.func.body.mark_split(both.split);
        remember(&mut both.func, &policy);
        both.func.body.unmark_split();
        let mut func = both.func;
        func.body.yields.remove(0);
        func.params.push(Param::Value(seed));
        let summed = (0..wanted.len()).filter(|&k| wanted[k]).map(Some).collect();
        self.finish(func, summed)
    }

    /// Whether it reads the entries of an operand; of others it has the shape.
    pub(crate) fn reads(&self, k: usize) -> bool {
        let v = parameter(&self.func, k);
        let mut ops = self.func.body.ops.iter();
        self.func.body.yields.contains(&v) || ops.any(|op| op.operands().contains(&v))
    }

    fn params_where(&self, chosen: &[bool]) -> Vec<Param> {
        let params = self.func.params.iter().zip(chosen);
        params
            .filter(|(_, chosen)| **chosen)
            .map(|(p, _)| *p)
            .collect()
    }

    /// A derivative, without what nothing asks for.
    fn finish(&self, mut func: Func, summed: Vec<Option<usize>>) -> (Map, Vec<usize>) {
        for op in &mut func.body.ops {
            op.origin = Origin::Derived;
        }
        func.body.segment = false;
        simplify(&mut func);
        let mut used: HashSet<Value> = func.body.yields.iter().copied().collect();
        for op in &func.body.ops {
            used.extend(op.operands());
        }
        let kept: Vec<usize> = (0..func.params.len())
            .filter(|&k| used.contains(&parameter(&func, k)) || summed.contains(&Some(k)))
            .collect();
        func.params = kept.iter().map(|&k| func.params[k]).collect();
        let place = |k: usize| kept.iter().position(|&kept| kept == k);
        let map = Map {
            summed: summed.iter().map(|to| to.and_then(place)).collect(),
            func: Rc::new(func),
            name: self.name.clone(),
        };
        (map, kept)
    }
}
