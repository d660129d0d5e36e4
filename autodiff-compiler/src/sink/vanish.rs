//! What remains of a conditional or loop of the reverse sweep without the cotangents that it is given.

use rustc_hash::{FxHashMap, FxHashSet};

use super::flags::Presence;
use super::{Sink, flow, is_additive, is_zero, loops_of};
use crate::ir::{Block, BlockId, Change, Kind, Op, Path, Place, Prim, Value};

/// What a value is where a cotangent is absent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Skip {
    Zero,
    /// The same as another one, or itself.
    Is(Value),
}

impl Sink<'_> {
    /// The flag without which the region does nothing, and what its results are then.
    pub(super) fn vanishes(&mut self, s: usize, op: &Op) -> Option<(usize, Vec<Skip>)> {
        let used = op.captures();
        let all: Vec<Presence> = used
            .iter()
            .map(|&v| self.presence(s, v))
            .filter(|presence| *presence != Presence::Always)
            .collect();
        let Presence::When(flag) = self.any(s, &all) else {
            return None;
        };
        let mut mirrors = FxHashSet::default();
        let mut refused = false;
        op.walk(&mut |op| {
            mirrors.extend(op.blocks.iter().filter_map(|block| block.mirror));
            refused |= loops_of(op).iter().any(|id| self.whole.contains(id));
        });
        if refused && self.states[s].in_loop {
            return None;
        }
        let mut absent = Absent {
            cx: self,
            s,
            skips: FxHashMap::default(),
            mirrors,
            local: FxHashSet::default(),
        };
        if !absent.op(op) {
            return None;
        }
        let skips: Vec<Skip> = op.results.iter().map(|&y| absent.skip(y)).collect();
        let sound = op.results.iter().zip(&skips).all(|(&y, skip)| match skip {
            Skip::Zero => self.func.ty(y).is_float(),
            Skip::Is(v) => *v != y && used.contains(v),
        });
        sound.then_some((flag, skips))
    }
}

/// A region looked at as if its cotangents were absent.
struct Absent<'a, 'b> {
    cx: &'a Sink<'b>,
    s: usize,
    skips: FxHashMap<Value, Skip>,
    /// The blocks of the forward sweep that the region mirrors.
    mirrors: FxHashSet<BlockId>,
    /// Memory of cotangents that is made inside.
    local: FxHashSet<Place>,
}

impl Absent<'_, '_> {
    fn skip(&self, v: Value) -> Skip {
        if let Some(&known) = self.skips.get(&v) {
            return known;
        }
        match self.cx.presence(self.s, v) {
            Presence::Always => Skip::Is(v),
            Presence::Never | Presence::When(_) => Skip::Zero,
        }
    }

    fn is_zero(&self, v: Value) -> bool {
        self.skip(v) == Skip::Zero
    }

    fn is_local(&self, path: &Path) -> bool {
        self.local.contains(&path.root)
    }

    fn block(&mut self, block: &Block) -> bool {
        block.ops.iter().all(|op| self.op(op))
    }

    /// Whether the operation does nothing that is seen outside; says what its results are.
    fn op(&mut self, op: &Op) -> bool {
        let mut all = None;
        let silent = match &op.kind {
            Kind::If | Kind::Switch => return self.arms(op),
            Kind::For(head) => return self.rounds(op, head.domain.operands(), head.inductions),
            Kind::Call(call) => {
                all = Some(Skip::Zero);
                is_additive(call) && self.is_zero(op.args[1])
            }
            Kind::AddTo(_) => self.is_zero(op.args[0]),
            Kind::NewZero(p) => {
                self.local.insert(*p);
                true
            }
            Kind::Take(p) => {
                all = Some(Skip::Zero);
                self.local.contains(p)
            }
            Kind::TakeZero(path) | Kind::SumZero(path) => {
                all = Some(Skip::Zero);
                self.is_local(path)
            }
            Kind::Load(path) => {
                all = self.is_local(path).then_some(Skip::Zero);
                true
            }
            Kind::Replace(path) => {
                all = Some(Skip::Zero);
                self.is_local(path) && self.is_zero(op.args[0])
            }
            Kind::Change(Change::Push | Change::Append | Change::Insert, path) => {
                let content = op.args.last();
                self.is_local(path) && content.is_some_and(|&v| self.is_zero(v))
            }
            Kind::Change(_, path) => {
                all = Some(Skip::Zero);
                self.is_local(path)
            }
            // With zeros.
            Kind::Fill(path) => self.is_local(path),
            Kind::Swap(a, b) | Kind::Copy(a, b) | Kind::Give(a, b) => {
                self.is_local(a) && self.is_local(b)
            }
            Kind::Undo(undo, _) => {
                let mut roots = op_paths(undo).into_iter();
                roots.all(|p| {
                    let home = self.cx.homes.get(&p);
                    home.is_some_and(|home| self.mirrors.contains(home))
                })
            }
            _ if op.is_pure() => {
                all = self.linear(op);
                true
            }
            _ => false,
        };
        for &y in &op.results {
            self.skips.insert(y, all.unwrap_or(Skip::Is(y)));
        }
        silent
    }

    /// What an operation without effect gives, where it is not as it would be.
    fn linear(&self, op: &Op) -> Option<Skip> {
        if is_zero(op) {
            return Some(Skip::Zero);
        }
        let flow = flow(op)?;
        if flow.iter().all(|&v| self.is_zero(v)) {
            return Some(Skip::Zero);
        }
        match (&op.kind, flow.as_slice()) {
            (Kind::Prim(Prim::Add), &[a, b]) if self.is_zero(a) => Some(self.skip(b)),
            (Kind::Prim(Prim::Add), &[a, b]) if self.is_zero(b) => Some(self.skip(a)),
            _ => None,
        }
    }

    fn arms(&mut self, op: &Op) -> bool {
        if !op.blocks.iter().all(|block| self.block(block)) {
            return false;
        }
        for (j, &y) in op.results.iter().enumerate() {
            let mut each = op.blocks.iter().map(|block| self.skip(block.yields[j]));
            let first = each.next();
            let same = first.filter(|first| each.all(|skip| skip == *first));
            self.skips.insert(y, same.unwrap_or(Skip::Is(y)));
        }
        true
    }

    fn rounds(&mut self, op: &Op, first: usize, inductions: usize) -> bool {
        let block = &op.blocks[0];
        let params = &block.params[inductions..];
        let inits: Vec<Skip> = op.args[first..].iter().map(|&v| self.skip(v)).collect();
        for (&param, &init) in params.iter().zip(&inits) {
            let known = match init {
                Skip::Zero => Skip::Zero,
                Skip::Is(_) => Skip::Is(param),
            };
            self.skips.insert(param, known);
        }
        if !self.block(block) {
            return false;
        }
        for (k, &y) in op.results.iter().enumerate() {
            let end = self.skip(block.yields[k]);
            let known = match inits[k] {
                Skip::Zero if end != Skip::Zero => return false,
                init if end == Skip::Is(params[k]) || end == Skip::Zero && init == end => init,
                Skip::Zero | Skip::Is(_) => Skip::Is(y),
            };
            self.skips.insert(y, known);
        }
        true
    }
}

/// The places that an operation which undoes another names.
fn op_paths(undo: &Kind) -> Vec<Place> {
    undo.paths().into_iter().map(|path| path.root).collect()
}
