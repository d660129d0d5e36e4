//! Rewrites both sweeps by what was decided: each need becomes a value that is there.

use rustc_hash::FxHashMap;

use super::{Resolve, RunBack, Scope, Stepped};
use crate::ir::{Block, BlockId, Domain, Kind, Op, Origin, Path, Place, Pos, Ty, Value};

impl Resolve<'_> {
    /// Before each saved store, its old contents are loaded.
    pub(super) fn add_saves(&mut self, block: &mut Block) {
        let mut ops = Vec::with_capacity(block.ops.len());
        for mut op in std::mem::take(&mut block.ops) {
            for inner in &mut op.blocks {
                self.add_saves(inner);
            }
            if op.pos != 0 && self.decisions.saved.contains(&op.pos) {
                let path = match &op.kind {
                    Kind::Store(path)
                    | Kind::AddTo(path)
                    | Kind::Copy(path, _)
                    | Kind::Fill(path) => Some(path.clone()),
                    _ => None,
                };
                // What a whole variable held is moved out rather than copied.
                if let (Kind::Store(_), Some(path)) =
                    (&op.kind, path.as_ref().filter(|path| path.steps.is_empty()))
                {
                    let old = self.func.value("old", self.func.path_ty(path));
                    self.olds.insert((op.pos, path.root), old);
                    op.kind = Kind::Replace(path.clone());
                    op.results = vec![old];
                    ops.push(op);
                    continue;
                }
                if let Some(path) = path {
                    ops.push(self.save(path, &op));
                }
                for place in self.saved_whole(op.pos) {
                    ops.push(self.save(Path::whole(place), &op));
                }
            }
            ops.push(op);
        }
        block.ops = ops;
    }

    /// The places of which all is saved before the operation at `at`, which has no derivatives.
    fn saved_whole(&self, at: Pos) -> Vec<Place> {
        let whole = &self.decisions.whole;
        let here = whole.range((at, Place(0))..=(at, Place(u32::MAX)));
        here.map(|(_, place)| *place).collect()
    }

    /// Loads what the operation will overwrite.
    fn save(&mut self, path: Path, op: &Op) -> Op {
        let root = path.root;
        let (ty, load) = match self.func.path_ty(&path) {
            Ty::Slice(elem) => (Ty::Vec(elem), Kind::Owned(path, "to_vec")),
            ty => (ty, Kind::Load(path)),
        };
        let old = self.func.value("old", ty);
        self.olds.insert((op.pos, root), old);
        Op {
            kind: load,
            args: Vec::new(),
            results: vec![old],
            blocks: Vec::new(),
            origin: Origin::Derived,
            span: op.span,
            pos: op.pos,
        }
    }

    pub(super) fn block(&mut self, block: &mut Block) {
        self.scopes.push(Scope {
            of: block.mirror.unwrap_or(block.id),
            out: Vec::with_capacity(block.ops.len()),
            known: FxHashMap::default(),
        });
        for op in std::mem::take(&mut block.ops) {
            self.op(op);
        }
        for k in 0..block.yields.len() {
            block.yields[k] = self.operand(block.yields[k]);
        }
        if let Some(scope) = self.scopes.pop() {
            block.ops = scope.out;
        }
    }

    pub(super) fn push(&mut self, op: Op) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.out.push(op);
        }
    }

    pub(super) fn op(&mut self, mut op: Op) {
        match &op.kind {
            Kind::Need(_) => {
                self.pending.insert(op.results[0], op.args[0]);
                return;
            }
            Kind::Undo(inverse, pos) => {
                if !self.decisions.saved.contains(pos) {
                    return;
                }
                if let Kind::Store(path) = &**inverse {
                    let Some(&old) = self.olds.get(&(*pos, path.root)) else {
                        return;
                    };
                    let block = self.index.block_of[pos];
                    let old = if self.index.is_segment(block) {
                        old
                    } else {
                        self.recall(block, old)
                    };
                    op.args = vec![old];
                }
                op.kind = (**inverse).clone();
            }
            _ => {}
        }
        if op.pos == 0 && matches!(op.kind, Kind::If | Kind::Switch) {
            self.conditional(&mut op);
            self.push(op);
            return;
        }
        let mut args = Vec::new();
        op.for_each_operand(&mut |v| args.push(*v));
        let resolved: Vec<Value> = args.into_iter().map(|v| self.operand(v)).collect();
        let mut resolved = resolved.into_iter();
        op.for_each_operand(&mut |v| {
            if let Some(new) = resolved.next() {
                *v = new;
            }
        });
        for inner in &mut op.blocks {
            if let (Kind::For(head), Some(mirror)) = (&op.kind, inner.mirror) {
                if matches!(head.domain, Domain::Range { .. } | Domain::Taken { .. }) {
                    if let Some(&old) = self.index.items.get(&mirror) {
                        self.renamed.insert(old, inner.params[0]);
                    }
                }
            }
            self.block(inner);
            let mirror = inner.mirror;
            for run in mirror
                .and_then(|m| self.run_back.remove(&m))
                .into_iter()
                .flatten()
            {
                inner.params.push(run.end);
                inner.yields.push(run.start);
                op.args.push(self.obtain(run.stepped.after));
                let (ty, hint) = (Ty::Int, self.func.hint(run.end).to_owned());
                op.results.push(self.func.value(hint, ty));
            }
            if let (Kind::For(head), Some(mirror)) = (&mut op.kind, mirror) {
                if self.records.get(&mirror).is_some_and(|r| !r.is_empty()) {
                    let tape = self.func.tapes;
                    self.func.tapes += 1;
                    head.tape = Some(tape);
                    self.tapes.insert(mirror, tape);
                }
            }
        }
        self.push(op);
    }

    /// A reversed conditional asks its condition, or what the arms have remembered.
    pub(super) fn conditional(&mut self, op: &mut Op) {
        for inner in &mut op.blocks {
            self.block(inner);
        }
        let remembers = op.blocks.iter().any(|b| {
            b.mirror
                .is_some_and(|m| self.records.get(&m).is_some_and(|r| !r.is_empty()))
        });
        if matches!(op.kind, Kind::If) && !remembers {
            let cond = self.operand(op.args[0]);
            op.args = vec![cond];
            return;
        }
        op.kind = Kind::Switch;
        let need = op.args[op.args.len() - 1];
        let Some(&residual) = self.pending.get(&need) else {
            return;
        };
        self.residuals.insert(residual);
        let mut remembered = op.blocks.iter().filter_map(|b| b.mirror);
        let plain = remembered.all(|m| {
            self.records
                .get(&m)
                .is_none_or(|r| r.iter().all(|&v| self.func.ty(v).is_plain()))
        });
        self.func.values[residual.0 as usize].ty = Ty::Residual { plain };
        let residual = self.obtain(residual);
        op.args = vec![residual];
    }

    /// An operand of the reverse sweep, its need met.
    pub(super) fn operand(&mut self, v: Value) -> Value {
        match self.pending.get(&v) {
            Some(&primal) => self.obtain(primal),
            None => v,
        }
    }

    pub(super) fn recall(&mut self, block: BlockId, v: Value) -> Value {
        if let Some(&again) = self.recalls.get(&(block, v)) {
            return again;
        }
        let (ty, hint) = (self.func.ty(v).clone(), self.func.hint(v).to_owned());
        let again = self.func.value(hint, ty);
        self.recalls.insert((block, v), again);
        self.records.entry(block).or_default().push(v);
        again
    }

    /// The primal value `v` in the reverse sweep.
    pub(super) fn obtain(&mut self, v: Value) -> Value {
        if !self.obtained.contains_key(&v) {
            let how = self.how(v);
            self.obtained.insert(v, how);
        }
        if let Some(&again) = self.renamed.get(&v) {
            return again;
        }
        if self.index.is_free(v) {
            return v;
        }
        let mut scopes = self.scopes.iter().rev();
        if let Some(&again) = scopes.find_map(|scope| scope.known.get(&v)) {
            return again;
        }
        let Some(def) = self.index.defs.get(&v) else {
            return v;
        };
        let block = def.block;
        if !self.decisions.recorded.contains(&v) {
            if let Some(stepped) = &def.stepped {
                return self.run_back(v, block, stepped.clone());
            }
            let start = self.index.walked.get(&v);
            let start = start.filter(|_| matches!(def.op, Some((Kind::For(_), _))));
            if let Some((&start, Some(stepped))) =
                start.map(|start| (start, &self.index.defs[start].stepped))
            {
                self.run_back(start, block, stepped.clone());
                return self.obtain(v);
            }
        }
        let literal = matches!(def.op, Some((Kind::Lit(_), _)));
        let remembered =
            self.decisions.recorded.contains(&v) || matches!(self.func.ty(v), Ty::Residual { .. });
        let (mut kind, args) = match &def.op {
            Some(op) if literal || !remembered => op.clone(),
            _ => return self.recall(block, v),
        };
        let args: Vec<Value> = args.into_iter().map(|v| self.obtain(v)).collect();
        let mut reads = matches!(&kind, Kind::Opaque(o) if !o.places.is_empty());
        if let Kind::Load(path) | Kind::Len(path) = &mut kind {
            reads = true;
            let values: Vec<Value> = path.values().collect();
            let again: Vec<Value> = values.into_iter().map(|v| self.obtain(v)).collect();
            let mut again = again.into_iter();
            path.values_mut().for_each(|v| {
                if let Some(new) = again.next() {
                    *v = new;
                }
            });
        }
        let (ty, hint) = (self.func.ty(v).clone(), self.func.hint(v).to_owned());
        let checked = self.policy.verify && !literal && ty.is_float();
        let again = self.func.value(hint, ty);
        self.func.copies.insert(again, v);
        let new = |kind, args, results| Op {
            kind,
            args,
            results,
            blocks: Vec::new(),
            origin: Origin::Derived,
            span: proc_macro2::Span::call_site(),
            pos: 0,
        };
        // Arithmetic is repeated where the forward sweep did it, outside of inner loops; memory is read where its state is known.
        let last = self.scopes.len() - 1;
        let home = self.scopes.iter().position(|scope| scope.of == block);
        let level = match home {
            Some(home) if !reads => {
                let deepest = args.iter().filter_map(|v| self.levels.get(v)).max();
                deepest.map_or(home, |&deepest| home.max(deepest))
            }
            _ => last,
        };
        self.scopes[level].out.push(new(kind, args, vec![again]));
        self.scopes[level].known.insert(v, again);
        self.levels.insert(again, level);
        if checked {
            let recorded = self.recall(block, v);
            self.push(new(Kind::AssertSame, vec![again, recorded], Vec::new()));
        }
        again
    }

    /// The carried integer `v` at the start of the round that is reversed.
    fn run_back(&mut self, v: Value, block: BlockId, stepped: Stepped) -> Value {
        let home = self.scopes.iter().position(|scope| scope.of == block);
        let home = home.unwrap_or(self.scopes.len() - 1);
        let inner = self.scopes.split_off(home + 1);
        let hint = self.func.hint(v).to_owned();
        let end = self.func.value(&hint, Ty::Int);
        let mut start = end;
        for link in &stepped.links {
            let args = link.args.iter().map(|v| self.obtain(*v));
            let args = std::iter::once(start).chain(args).collect();
            self.scopes[home].known.insert(link.after, start);
            self.levels.insert(start, home);
            start = self.func.value(&hint, Ty::Int);
            self.scopes[home].out.push(Op {
                kind: Kind::Opaque(link.inverse.clone()),
                args,
                results: vec![start],
                blocks: Vec::new(),
                origin: Origin::Derived,
                span: proc_macro2::Span::call_site(),
                pos: 0,
            });
        }
        self.scopes[home].known.insert(v, start);
        self.levels.insert(start, home);
        self.scopes.extend(inner);
        let run = RunBack {
            stepped,
            end,
            // A mutation: all rounds have the value of the last.
            start: if self.policy.mutates("drop_step") {
                end
            } else {
                start
            },
        };
        self.run_back.entry(block).or_default().push(run);
        start
    }

    /// Writes down in each block what it remembers, and in its mirror what that recalls.
    pub(super) fn finish(&mut self, block: &mut Block) {
        if let Some(records) = self.records.get(&block.id) {
            block.record.clone_from(records);
        }
        if let Some(mirror) = block.mirror {
            let records = self.records.get(&mirror).cloned().unwrap_or_default();
            block.recall = records
                .iter()
                .map(|&v| self.recalls[&(mirror, v)])
                .collect();
        }
        for op in &mut block.ops {
            if op.pos != 0 && matches!(op.kind, Kind::If | Kind::Match(..)) {
                let unused = |v: &Value| {
                    matches!(self.func.ty(*v), Ty::Residual { .. }) && !self.residuals.contains(v)
                };
                op.results.retain(|v| !unused(v));
            }
            for inner in &mut op.blocks {
                if let (Kind::For(head), Some(&tape)) = (&mut op.kind, self.tapes.get(&inner.id)) {
                    head.tape = Some(tape);
                }
                self.finish(inner);
            }
        }
    }
}
