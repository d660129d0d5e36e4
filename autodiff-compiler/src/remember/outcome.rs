//! What was decided, for those who want to know: how the reverse sweep has each value, and why.

use std::collections::{BTreeMap, BTreeSet};

use super::Resolve;
use crate::function::Rule;
use crate::ir::{Kind, Place, Pos, Prim, Ty, Value};

/// So many loops in each other are told apart.
const LOOPS: usize = 8;

/// How the reverse sweep has what it mentions of the forward sweep.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// The values that it mentions, of the forward sweep.
    pub(crate) values: BTreeMap<Value, Obtained>,
    /// The positions of the stores that it undoes.
    pub(crate) saved: BTreeSet<Pos>,
    /// The places whose contents it reads again.
    pub(crate) reread: BTreeSet<Place>,
    /// The places of a round or arm that it receives whole.
    pub(crate) kept: BTreeSet<Place>,
    /// How many values and old contents are kept, those in the deepest loops first.
    pub(crate) counts: [usize; LOOPS],
}

/// How a value of the forward sweep is had in the reverse sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Obtained {
    Kept,
    Reread,
    Recomputed,
    Remembered(Why),
}

/// Why a value is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// The operation takes longer than remembering.
    Dear,
    /// What it is computed from would have to be had as well.
    Operands,
    /// The memory that it was read from is gone.
    Gone,
    /// The memory that it was read from has changed.
    Changed,
    /// Undoing the stores to its memory would take more.
    Stores,
    /// It comes out of a conditional or a loop.
    Region,
    /// The next round has another one.
    Round,
    Call,
    /// Code of the user runs once.
    Code,
    /// The option that remembers everything.
    Asked,
}

impl Resolve<'_> {
    /// How many values and old contents are kept, those in the deepest loops first.
    pub(super) fn counts(&self) -> [usize; LOOPS] {
        let remembered = |how: &Obtained| matches!(how, Obtained::Remembered(_));
        let values = self.obtained.iter().filter(|(_, how)| remembered(how));
        let values = values.filter_map(|(v, _)| self.index.defs.get(v).map(|def| def.block));
        let saved = self.decisions.saved.iter();
        let saved = saved.filter_map(|pos| self.index.block_of.get(pos).copied());
        let mut counts = [0; LOOPS];
        for block in values.chain(saved) {
            let depth = self.index.blocks.get(&block).map_or(0, |info| info.depth);
            counts[(LOOPS - 1).saturating_sub(depth as usize)] += 1;
        }
        counts
    }

    /// How `v` is had; mirrors what `obtain` does.
    pub(super) fn how(&self, v: Value) -> Obtained {
        if self.renamed.contains_key(&v) || self.index.is_free(v) {
            return Obtained::Kept;
        }
        let Some(def) = self.index.defs.get(&v) else {
            return Obtained::Kept;
        };
        let residual = matches!(self.func.ty(v), Ty::Residual { .. });
        match &def.op {
            Some((Kind::Lit(_), _)) => Obtained::Recomputed,
            Some((kind, _)) if residual || self.decisions.recorded.contains(&v) => {
                Obtained::Remembered(self.why(kind))
            }
            Some((Kind::Load(_) | Kind::Len(_), _)) => Obtained::Reread,
            Some(_) => Obtained::Recomputed,
            None if def.stepped.is_some() && !self.decisions.recorded.contains(&v) => {
                Obtained::Recomputed
            }
            None => Obtained::Remembered(Why::Round),
        }
    }

    fn why(&self, kind: &Kind) -> Why {
        match kind {
            Kind::If | Kind::Match(..) | Kind::Switch | Kind::For(_) => Why::Region,
            Kind::Call(_) => Why::Call,
            Kind::Opaque(opaque) if !opaque.pure => Why::Code,
            _ if !self.policy.applies(Rule::Remember) => Why::Asked,
            Kind::Load(path) | Kind::Len(path) => {
                if !self.index.is_alive(path.root) && !self.decisions.kept.contains(&path.root) {
                    Why::Gone
                } else if self.decisions.no_reread.contains(&path.root) {
                    Why::Stores
                } else {
                    Why::Changed
                }
            }
            Kind::Prim(Prim::Rule(_) | Prim::Div | Prim::Sdiv) => Why::Dear,
            _ => Why::Operands,
        }
    }
}
