//! Conditionals and loops: what they yield and carry goes along with its tangent.

use super::Cx;
use crate::ir::{Kind, Op, Ty, Value};

impl Cx<'_> {
    pub(super) fn region(&mut self, op: &Op, out: &mut Vec<Op>) {
        let mut new = op.clone();
        let active = self.activity.slots(op);
        if let Kind::For(head) = &op.kind {
            let first = head.domain.operands();
            for &k in &active {
                let dot = self.dot_or_zero(op.args[first + k], out);
                new.args.push(dot);
            }
        }
        for (block, old) in new.blocks.iter_mut().zip(&op.blocks) {
            let mut params = Vec::new();
            if let Kind::For(head) = &op.kind {
                for &k in &active {
                    let param = old.params[head.inductions + k];
                    let dot = self.fresh(param);
                    self.values.insert(param, dot);
                    params.push(dot);
                }
            }
            *block = self.block(old);
            block.params.append(&mut params);
            if old.diverges {
                continue;
            }
            for &k in &active {
                let dot = self.dot_or_zero(old.yields[k], &mut block.ops);
                block.yields.push(dot);
            }
        }
        // Behind the results stands the number of rounds, or what the arms remembered.
        let remembered = op.results.last().copied();
        let remembered =
            remembered.filter(|&v| matches!(self.func.ty(v), Ty::Residual { plain: true }));
        if let Some(v) = remembered {
            let mut records = new.blocks.iter().flat_map(|block| &block.record);
            let plain = records.all(|&v| self.func.ty(v).is_plain());
            self.func.values[v.0 as usize].ty = Ty::Residual { plain };
        }
        let counted = matches!(&op.kind, Kind::For(head) if head.counted);
        let behind = counted
            || op
                .results
                .last()
                .is_some_and(|&v| matches!(self.func.ty(v), Ty::Residual { .. }));
        let at = op.results.len() - usize::from(behind);
        let dots: Vec<(Value, Value)> = active
            .iter()
            .map(|&k| (op.results[k], self.fresh(op.results[k])))
            .collect();
        new.results.splice(at..at, dots.iter().map(|(_, dot)| *dot));
        out.push(new);
        for (y, dot) in dots {
            self.bind(op, y, dot, out);
        }
    }
}
