//! Computes once what the primal computes twice: equal operations on equal operands, and loads of unchanged memory.
//!
//! Exact, so no bit changes; in the reverse sweep each shared value has one adjoint to add up instead of two.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Block, Func, Kind, Op, Opaque, Place, Step, Ty, Value};

/// What makes two operations equal.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    text: String,
    values: Vec<Value>,
    /// The place read, and how often it had changed.
    memory: Option<(Place, u32)>,
}

#[derive(Default)]
struct Cx {
    /// What is known in the blocks around, innermost last.
    known: Vec<FxHashMap<Key, Value>>,
    renamed: FxHashMap<Value, Value>,
    versions: FxHashMap<Place, u32>,
    next: u32,
    /// Numbers made of literals alone: where they are used decides of which type they are.
    open: FxHashSet<Value>,
}

/// Shares equal values within each block and the blocks inside it; says which value stands for another now.
pub(crate) fn share(func: &mut Func) -> FxHashMap<Value, Value> {
    let mut body = std::mem::take(&mut func.body.ops);
    let mut cx = Cx::default();
    cx.ops(func, &mut body);
    let yields = func.body.yields.iter().map(|&v| cx.rename(v)).collect();
    func.body.ops = body;
    func.body.yields = yields;
    cx.renamed
}

impl Cx {
    fn rename(&self, v: Value) -> Value {
        self.renamed.get(&v).copied().unwrap_or(v)
    }

    fn change(&mut self, p: Place) {
        self.next += 1;
        self.versions.insert(p, self.next);
    }

    fn block(&mut self, func: &mut Func, block: &mut Block) {
        self.ops(func, &mut block.ops);
        for v in &mut block.yields {
            *v = self.rename(*v);
        }
    }

    fn ops(&mut self, func: &mut Func, ops: &mut Vec<Op>) {
        self.known.push(FxHashMap::default());
        let old = std::mem::take(ops);
        for mut op in old {
            op.for_each_operand(&mut |v| *v = self.rename(*v));
            if self.is_open(&op) {
                self.open.extend(&op.results);
            }
            if let Some(key) = self.key(func, &op) {
                let found = self
                    .known
                    .iter()
                    .rev()
                    .find_map(|known| known.get(&key))
                    .copied();
                if let Some(same) = found {
                    func.values[same.0 as usize].assumed |=
                        func.values[op.results[0].0 as usize].assumed;
                    self.renamed.insert(op.results[0], same);
                    continue;
                }
                let last = self.known.len() - 1;
                self.known[last].insert(key, op.results[0]);
            }
            // Another round of a loop, or another arm, may have stored before.
            let mut stored: FxHashSet<Place> = FxHashSet::default();
            op.walk(&mut |inner| stored.extend(inner.stores()));
            let mut stored: Vec<Place> = stored.into_iter().collect();
            stored.sort();
            stored.iter().for_each(|&p| self.change(p));
            for block in &mut op.blocks {
                self.block(func, block);
                stored.iter().for_each(|&p| self.change(p));
            }
            ops.push(op);
        }
        self.known.pop();
    }

    /// Whether nothing says of which type the results are: `-1`, `2.0 / 3.0`, `1 << k`.
    fn is_open(&self, op: &Op) -> bool {
        let shifts = |opaque: &Opaque| opaque.tokens.to_string().contains("<<");
        match &op.kind {
            Kind::Lit(_) => true,
            Kind::Opaque(opaque) if shifts(opaque) => true,
            Kind::Prim(_) | Kind::Opaque(_) => op.operands().iter().all(|v| self.open.contains(v)),
            _ => false,
        }
    }

    /// The key of an operation that may be shared.
    fn key(&self, func: &Func, op: &Op) -> Option<Key> {
        let version = |p: Place| Some((p, self.versions.get(&p).copied().unwrap_or(0)));
        let (text, memory) = match &op.kind {
            // One with a name may have a type written beside it.
            Kind::Lit(tokens)
                if func.ty(op.results[0]).is_scalar() && func.hint(op.results[0]).is_empty() =>
            {
                (format!("lit {tokens} {:?}", op.origin), None)
            }
            Kind::Prim(_) | Kind::Opaque(_) if op.results.iter().any(|y| self.open.contains(y)) => {
                return None;
            }
            Kind::Prim(prim) if func.ty(op.results[0]).is_scalar() => (format!("{prim:?}"), None),
            Kind::Compare(sign) => ((*sign).to_owned(), None),
            Kind::Opaque(opaque)
                if opaque.pure
                    && opaque.places.is_empty()
                    && func.ty(op.results[0]).is_scalar() =>
            {
                (format!("opaque {}", opaque.tokens), None)
            }
            Kind::Load(path)
                if matches!(func.ty(op.results[0]), Ty::Float(_) | Ty::Int | Ty::Bool) =>
            {
                let steps: String = path.steps.iter().map(describe).collect();
                (format!("load{steps}"), version(path.root))
            }
            Kind::Len(path) => {
                let steps: String = path.steps.iter().map(describe).collect();
                (format!("len{steps}"), version(path.root))
            }
            _ => return None,
        };
        Some(Key {
            text: format!("{text} as {:?}", func.ty(op.results[0])),
            values: op.operands(),
            memory,
        })
    }
}

fn describe(step: &Step) -> String {
    match step {
        Step::Index(_) => "[]".to_owned(),
        Step::Field(k) => format!(".{k}"),
        Step::Range(lo, hi) => format!("[{}..{}]", u8::from(lo.is_some()), u8::from(hi.is_some())),
    }
}
