//! Chains of kernels, as one each.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use super::known::Known;
use super::{empty, parameter, row};
use crate::ir::{Block, Func, Kind, Map, Op, Param, Place, Prim, Storage, To, Value};
use crate::share::share;

/// How many operands a kernel has at most: their entries stay in registers.
pub(super) const OPERANDS: usize = 16;

/// Hands the values of variables that never change to the kernels that read these: what is in memory is in no chain.
pub(super) fn forward(func: &mut Func, known: &Known) {
    // Variables that a kernel gives and that are read as a whole and nothing else; and what else is read twice.
    let mut made: FxHashMap<Place, Value> = FxHashMap::default();
    let mut other: FxHashSet<Place> = FxHashSet::default();
    let mut kernels: FxHashSet<Value> = FxHashSet::default();
    for op in &func.body.ops {
        op.walk(&mut |op| match &op.kind {
            Kind::Map(_) => kernels.extend(&op.results),
            Kind::New(p) if func.at(*p).storage == Storage::Local && !func.at(*p).mutable => {
                made.insert(*p, op.args[0]);
            }
            Kind::Load(path) if path.steps.is_empty() => {}
            _ => other.extend(op.places()),
        });
    }
    made.retain(|p, v| !other.contains(p) && kernels.contains(v));
    let constant = |p: Place| !func.at(p).mutable && func.at(p).storage != Storage::Exclusive;
    let constants: FxHashSet<Place> = (0..func.places.len() as u32)
        .map(Place)
        .filter(|&p| constant(p) && !func.at(p).borrows)
        .collect();
    let mut cx = Forward {
        known,
        made,
        constants,
        renamed: FxHashMap::default(),
    };
    let mut body = std::mem::take(&mut func.body);
    cx.block(&mut body, &FxHashMap::default());
    func.body = body;
}

struct Forward<'a> {
    known: &'a Known,
    /// The variables that go, and their values.
    made: FxHashMap<Place, Value>,
    /// Memory that is the same whenever it is read.
    constants: FxHashSet<Place>,
    renamed: FxHashMap<Value, Value>,
}

impl Forward<'_> {
    fn block(&mut self, block: &mut Block, read: &FxHashMap<Place, Value>) {
        let mut read = read.clone();
        for mut op in std::mem::take(&mut block.ops) {
            op.for_each_operand(&mut |v| *v = self.value(*v));
            match &op.kind {
                Kind::New(p) if self.made.contains_key(p) => continue,
                // A tensor, and all of it: kernels give nothing else.
                Kind::Load(path)
                    if self.made.contains_key(&path.root) || self.known.path(path).is_some() =>
                {
                    let p = path.root;
                    let same = match self.made.get(&p) {
                        Some(&v) => Some(self.value(v)),
                        None => read.get(&p).copied(),
                    };
                    if let Some(v) = same {
                        self.renamed.insert(op.results[0], v);
                        continue;
                    }
                    if self.constants.contains(&p) {
                        read.insert(p, op.results[0]);
                    }
                }
                _ => {}
            }
            for inner in &mut op.blocks {
                self.block(inner, &read);
            }
            block.ops.push(op);
        }
        for v in &mut block.yields {
            *v = self.value(*v);
        }
    }

    fn value(&self, v: Value) -> Value {
        self.renamed.get(&v).copied().unwrap_or(v)
    }
}

/// Merges kernels into the only kernel that reads them; `wrong` as a mutation.
pub(super) fn chains(func: &mut Func, wrong: bool) {
    each_once(&mut func.body);
    let mut uses = FxHashMap::default();
    count(&func.body, &mut uses);
    let mut body = std::mem::take(&mut func.body);
    block(func, &mut body, &mut uses, wrong);
    func.body = body;
}

/// Notes what kernels alone read and takes less to compute again, from one or two tensors, than to write and to read.
pub(super) fn again(func: &mut Func) {
    let mut uses = FxHashMap::default();
    count(&func.body, &mut uses);
    let mut cheap: Vec<Value> = Vec::new();
    func.body.ops.iter().for_each(|op| {
        let Kind::Map(map) = &op.kind else { return };
        let is_cheap = |op: &Op| {
            matches!(
                op.kind,
                Kind::Lit(_) | Kind::Prim(Prim::Add | Prim::Sub | Prim::Mul | Prim::Neg)
            )
        };
        let tensors = op.args.iter().filter(|v| !func.ty(**v).is_float()).count();
        let few = map.func.body.ops.len() <= 3 && map.func.body.ops.iter().all(is_cheap);
        if map.to == [To::Entries] && few && tensors <= 2 {
            cheap.push(op.results[0]);
        }
    });
    // Whoever else reads one has it made in any case.
    for op in &func.body.ops {
        if let Kind::Map(_) = op.kind {
            for v in &op.args {
                uses.entry(*v).and_modify(|uses| *uses -= 1);
            }
        }
    }
    cheap.retain(|v| uses.get(v) == Some(&0));
    for v in cheap {
        func.values[v.0 as usize].again = true;
    }
}

/// Gives each kernel an operand once that it has more often.
fn each_once(block: &mut Block) {
    for op in &mut block.ops {
        if let Kind::Map(map) = &op.kind {
            let (args, map) = rebuilt(op, map, None, false);
            (op.args, op.kind) = (args, Kind::Map(map));
        }
        op.blocks.iter_mut().for_each(each_once);
    }
}

/// How often each value is mentioned.
pub(super) fn count(block: &Block, uses: &mut FxHashMap<Value, usize>) {
    let mut mention = |v: Value| *uses.entry(v).or_default() += 1;
    block.yields.iter().copied().for_each(&mut mention);
    for op in &block.ops {
        op.operands().into_iter().for_each(&mut mention);
    }
    for inner in block.ops.iter().flat_map(|op| &op.blocks) {
        count(inner, uses);
    }
}

fn block(func: &Func, of: &mut Block, uses: &mut FxHashMap<Value, usize>, wrong: bool) {
    // The kernels of this block by their result; those that have gone into another are left out.
    let mut kernels: FxHashMap<Value, Op> = FxHashMap::default();
    let mut merged: FxHashSet<Value> = FxHashSet::default();
    let mut narrow: FxHashSet<Value> = FxHashSet::default();
    for op in &mut of.ops {
        for inner in &mut op.blocks {
            block(func, inner, uses, wrong);
        }
        while let Some((v, joined)) = joined(func, op, &kernels, &narrow, uses, wrong) {
            // What both have read is read once less.
            for v in op.args.iter().chain(&kernels[&v].args) {
                uses.entry(*v).and_modify(|uses| *uses -= 1);
            }
            for v in &joined.args {
                *uses.entry(*v).or_default() += 1;
            }
            merged.insert(v);
            *op = joined;
        }
        if let Kind::Map(map) = &op.kind {
            if map.to == [To::Entries] {
                kernels.insert(op.results[0], op.clone());
            }
            if matches!(map.to[0], To::Along(..)) || is_narrow(func, op, &narrow) {
                narrow.extend(&op.results);
            }
        }
    }
    of.ops
        .retain(|op| !(matches!(op.kind, Kind::Map(_)) && merged.contains(&op.results[0])));
}

/// A kernel together with one of those that it reads, if nothing else reads that.
fn joined(
    func: &Func,
    op: &Op,
    kernels: &FxHashMap<Value, Op>,
    narrow: &FxHashSet<Value>,
    uses: &FxHashMap<Value, usize>,
    wrong: bool,
) -> Option<(Value, Op)> {
    let Kind::Map(user) = &op.kind else {
        return None;
    };
    op.args.iter().find_map(|&v| {
        let made = kernels.get(&v)?;
        let Kind::Map(maker) = &made.kind else {
            return None;
        };
        let differs = user.functions != maker.functions;
        if differs && user.chooses_functions() && maker.chooses_functions() {
            return None;
        }
        // What is the largest is looked for among entries that are there.
        if uses.get(&v) != Some(&1) || user.most().is_some() {
            return None;
        }
        // What there is one of for a lane is computed once for a lane.
        if narrow.contains(&v) && !is_narrow(func, op, narrow) {
            return None;
        }
        let entry = op.args.iter().position(|of| *of == v)?;
        if is_crowded(&user.func, parameter(&user.func, entry)) {
            return None;
        }
        let (args, map) = rebuilt(op, user, Some((v, made, maker)), wrong);
        let kind = Kind::Map(map);
        (args.len() <= OPERANDS).then(|| {
            let op = op.clone();
            (v, Op { kind, args, ..op })
        })
    })
}

/// Whether a kernel has one entry for a lane: it reads nothing but what is folded along one, and numbers.
fn is_narrow(func: &Func, op: &Op, narrow: &FxHashSet<Value>) -> bool {
    let mut folded = op.args.iter().filter(|v| !func.ty(**v).is_float());
    op.args.iter().any(|v| narrow.contains(v)) && folded.all(|v| narrow.contains(v))
}

/// Whether a number goes into a function that needs all registers for itself.
///
/// What it is computed from would stand in memory in the midst of it, which costs more than a tensor between two kernels.
pub(super) fn is_crowded(func: &Func, v: Value) -> bool {
    func.body
        .ops
        .iter()
        .any(|op| row(op).is_some_and(is_crowding) && op.args.first() == Some(&v))
}

/// Whether a function needs all registers for itself.
pub(super) fn is_crowding(name: &str) -> bool {
    ["erf", "erfc", "gelu"].contains(&name)
}

/// A graph of numbers that several kernels go into, and its operands, each once.
pub(super) struct Merged {
    pub(super) func: Func,
    pub(super) args: Vec<Value>,
}

impl Merged {
    /// One for kernels like this.
    pub(super) fn new(like: &Map) -> Self {
        Merged {
            func: empty(like.func.strong),
            args: Vec::new(),
        }
    }

    /// Adds the operations of a kernel, whose operands are `known` in the graph or become operands of all; returns what it yields.
    pub(super) fn add(
        &mut self,
        op: &Op,
        map: &Map,
        known: impl Fn(Value) -> Option<Value>,
    ) -> Vec<Value> {
        let given: Vec<Value> = (op.args.iter().enumerate())
            .map(|(k, &v)| known(v).unwrap_or_else(|| self.operand(&map.func, k, v)))
            .collect();
        copy(&mut self.func, &map.func, &given)
    }

    fn operand(&mut self, from: &Func, k: usize, v: Value) -> Value {
        if let Some(known) = self.args.iter().position(|known| *known == v) {
            return parameter(&self.func, known);
        }
        self.args.push(v);
        let of = parameter(from, k);
        let entry = self.func.value(from.hint(of), from.ty(of).clone());
        self.func.params.push(Param::Value(entry));
        entry
    }
}

/// A kernel with each operand once, and with what another computes in place of its operand `v`.
fn rebuilt(
    op: &Op,
    map: &Map,
    joins: Option<(Value, &Op, &Map)>,
    wrong: bool,
) -> (Vec<Value>, Map) {
    let mut merged = Merged::new(map);
    let (mut name, mut functions) = (map.name.clone(), map.functions);
    let joined = joins.map(|(v, made, maker)| {
        name = "a chain of operations".into();
        if !map.chooses_functions() {
            functions = maker.functions;
        }
        let made = merged.add(made, maker, |_| None)[0];
        // A mutation: what goes into the kernel is taken for what comes out.
        let y = if wrong {
            parameter(&merged.func, 0)
        } else {
            made
        };
        (v, y)
    });
    let yields = merged.add(op, map, |of| {
        joined.filter(|(v, _)| *v == of).map(|(_, y)| y)
    });
    let Merged { mut func, args } = merged;
    func.body.yields = yields;
    share(&mut func);
    let map = Map {
        func: Rc::new(func),
        to: map.to.clone(),
        name,
        number: map.number.clone(),
        functions,
    };
    (args, map)
}

/// Appends the operations of a graph, with these values as its parameters; returns what it yields.
fn copy(to: &mut Func, from: &Func, given: &[Value]) -> Vec<Value> {
    let params = (0..from.params.len()).map(|k| parameter(from, k));
    let mut named: FxHashMap<Value, Value> = params.zip(given.iter().copied()).collect();
    let block = copy_block(to, from, &from.body, &mut named);
    to.body.ops.extend(block.ops);
    block.yields
}

fn copy_block(
    to: &mut Func,
    from: &Func,
    block: &Block,
    named: &mut FxHashMap<Value, Value>,
) -> Block {
    let mut copied = to.block();
    for op in &block.ops {
        let mut op = op.clone();
        // A slope by `lane` is asked for its argument alone: of derived kernels the rest may be gone.
        let first = op.args.first().and_then(|v| named.get(v).copied());
        op.for_each_operand(&mut |v| match (named.get(v), first) {
            (Some(known), _) => *v = *known,
            (None, Some(first)) => *v = first,
            (None, None) => unreachable!("a kernel reads what it has"),
        });
        for inner in &mut op.blocks {
            *inner = copy_block(to, from, inner, named);
        }
        for y in &mut op.results {
            let data = from.values[y.0 as usize].clone();
            to.values.push(data);
            let copied = Value(to.values.len() as u32 - 1);
            if from.mild.contains(y) {
                to.mild.insert(copied);
            }
            named.insert(*y, copied);
            *y = copied;
        }
        copied.ops.push(op);
    }
    copied.yields = block.yields.iter().map(|v| named[v]).collect();
    copied
}
