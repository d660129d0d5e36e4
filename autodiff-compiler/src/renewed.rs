//! Tensors that a pullback makes again rather than holds: what the pullback of a product reads, and a kernel or a normalisation gives.
//!
//! A pullback outlives the call, and with it all that it holds: in a network of many layers that is most of the memory.
//! Operands that are held in any case cost nothing more, so the cheapest cut between what is held and what is asked for runs behind them;
//! and the work of going over the entries once more is nothing beside that of the product, which goes over them for every column.
//!
//! The rounds of a loop hold theirs on a stack, in a pullback and in both sweeps at once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{
    Arg, Block, Call, Form, Func, Kind, Op, Origin, Param, Path, Place, Storage, To, Value,
};
use crate::own_names;
use crate::tensors;

/// Makes again in the reverse sweep, which begins at `split`, what need not be held; returns the operations that are repeated.
pub(crate) fn renew(func: &mut Func, split: usize) -> Vec<Op> {
    let mut renewed = Vec::new();
    if !func.values.iter().any(|value| value.tensor) {
        return renewed;
    }
    for k in 0..split {
        let Kind::New(p) = func.body.ops[k].kind else {
            continue;
        };
        let made = func.body.ops[k].args.first().copied();
        let Some(makers) = made.and_then(|v| makers(func, split, p, v)) else {
            continue;
        };
        let data = func.at(p).clone();
        let place = func.place(data.hint, data.ty, data.storage);
        let mut reverse = func.body.ops.split_off(split);
        repeat(
            func,
            &mut reverse,
            (p, place),
            &makers,
            FxHashMap::default(),
        );
        func.body.ops.append(&mut reverse);
        renewed.extend(makers.last().cloned());
    }
    renewed
}

/// The same in the rounds of loops, whose stacks need not hold it then.
pub(crate) fn renew_rounds(func: &mut Func) -> Vec<Op> {
    let mut renewed = Vec::new();
    if !func.values.iter().any(|value| value.tensor) {
        return renewed;
    }
    let mut ops = std::mem::take(&mut func.body.ops);
    in_rounds(func, &mut ops, &mut renewed);
    func.body.ops = ops;
    renewed
}

/// The same in the loops of a block, each of which has its reverse behind it.
fn in_rounds(func: &mut Func, ops: &mut [Op], renewed: &mut Vec<Op>) {
    for k in 0..ops.len() {
        let (before, behind) = ops.split_at_mut(k + 1);
        in_loop(func, &mut before[k], behind, renewed);
    }
}

/// The same in a loop, if one alone of others is its reverse: what several loops read stays.
fn in_loop(func: &mut Func, forward: &mut Op, others: &mut [Op], renewed: &mut Vec<Op>) {
    let tape = |op: &Op| match &op.kind {
        Kind::For(head) => head.tape.filter(|_| op.blocks.len() == 1),
        _ => None,
    };
    let Some(own) = tape(forward) else {
        return;
    };
    let mut others = others.iter_mut().filter(|op| tape(op) == Some(own));
    if let (Some(reverse), None) = (others.next(), others.next()) {
        in_round(
            func,
            &mut forward.blocks[0],
            &mut reverse.blocks[0],
            renewed,
        );
    }
}

/// The same in a round, whose reverse recalls what it records.
fn in_round(func: &mut Func, there: &mut Block, back: &mut Block, renewed: &mut Vec<Op>) {
    if there.record.len() != back.recall.len() {
        return;
    }
    for k in (0..there.record.len()).rev() {
        let Some((loaded, p, q)) = recorded(there, back, k) else {
            continue;
        };
        let made = |op: &Op| matches!(op.kind, Kind::New(made) if made == p);
        let v = there.ops.iter().find(|op| made(op)).map(|op| op.args[0]);
        let behind = back.ops.iter().position(|op| made_in(op, q));
        let Some((v, at)) = v.zip(behind) else {
            continue;
        };
        let mut asked = back.ops[at + 1..]
            .iter()
            .filter(|op| op.mentions(q))
            .peekable();
        let needed = asked.peek().is_some() && asked.all(|op| pulls_product(op, q));
        let tensor = func.values[v.0 as usize].tensor;
        if !needed || !tensor || !is_constant(&there.ops, p) {
            continue;
        }
        let renamed = there.params.iter().chain(&there.record);
        let renamed = renamed
            .copied()
            .zip(back.params.iter().chain(&back.recall).copied());
        let reads = Reads {
            forward: &there.ops,
            reverse: &back.ops,
            values: there.record.iter().copied().collect(),
            renamed: renamed.collect(),
            asks: Some(q),
        };
        let mut makers = Vec::new();
        if there.record.contains(&v) || !reads.repeatable(func, v, &mut makers) {
            continue;
        }
        let renamed = reads.renamed;
        there.record.remove(k);
        back.recall.remove(k);
        there.ops.retain(|op| op.results != [loaded]);
        back.ops.remove(at);
        renewed.extend(makers.last().cloned());
        repeat(func, &mut back.ops, (q, q), &makers, renamed);
    }
    for op in &mut there.ops {
        in_loop(func, op, &mut back.ops, renewed);
    }
}

fn made_in(op: &Op, p: Place) -> bool {
    matches!(op.kind, Kind::New(made) if made == p)
}

/// The record of what a variable holds that nothing else reads: the load of it, the variable, and the one that has it on the way back.
fn recorded(there: &Block, back: &Block, k: usize) -> Option<(Value, Place, Place)> {
    let (loaded, recalled) = (there.record[k], back.recall[k]);
    let load = there.ops.iter().find(|op| op.results == [loaded])?;
    let Kind::Load(path) = &load.kind else {
        return None;
    };
    let read = |ops: &[Op], v| ops.iter().filter(|op| op.captures().contains(&v)).count();
    let mut makes = back.ops.iter().filter(|op| op.args == [recalled]);
    let Kind::New(q) = makes.next()?.kind else {
        return None;
    };
    let alone = read(&there.ops, loaded) == 0 && read(&back.ops, recalled) == 1;
    let once = there.record.iter().filter(|v| **v == loaded).count() == 1;
    let alone = alone && once && !there.yields.contains(&loaded);
    (alone && path.steps.is_empty()).then_some((loaded, path.root, q))
}

/// The operations that give what a variable holds, from what the reverse sweep has, if they are to be repeated.
fn makers(func: &Func, split: usize, p: Place, v: Value) -> Option<Vec<Op>> {
    let ops = &func.body.ops;
    let (forward, reverse) = ops.split_at(split);
    let asks = |op: &&Op| op.mentions(p);
    let mut asked = reverse.iter().filter(asks).peekable();
    let needed = asked.peek().is_some() && asked.all(|op| pulls_product(op, p));
    if !needed || !func.values[v.0 as usize].tensor || !is_constant(ops, p) {
        return None;
    }
    let reads = Reads {
        forward,
        reverse,
        values: reverse.iter().flat_map(Op::captures).collect(),
        renamed: FxHashMap::default(),
        asks: None,
    };
    // What is held all the same need not be made again.
    let held = reads.values.contains(&v)
        || forward.iter().any(|op| {
            let loads = matches!(&op.kind, Kind::Load(path) if path.root == p);
            loads && op.results.iter().any(|v| reads.values.contains(v))
        });
    let mut makers = Vec::new();
    (!held && reads.repeatable(func, v, &mut makers)).then_some(makers)
}

/// Whether an operation is the pullback of a product, whose receiver a place is and nothing else.
fn pulls_product(op: &Op, p: Place) -> bool {
    let Kind::Call(call) = &op.kind else {
        return false;
    };
    matches!(call.form, Form::Backward(_))
        && named(call, tensors::is_product)
        && matches!(call.args.first(), Some(Arg::Ref(path)) if path.root == p)
        && op.paths().iter().filter(|path| path.root == p).count() == 1
}

/// Whether a method of a tensor is called, of those that are meant.
fn named(call: &Call, meant: fn(&str) -> bool) -> bool {
    let name = call.member.as_ref().map(ToString::to_string);
    call.receiver && name.is_some_and(|name| meant(own_names::unmarked(&name)))
}

/// Whether a place holds what it was made with.
fn is_constant(ops: &[Op], p: Place) -> bool {
    let mut constant = true;
    for op in ops {
        op.walk(&mut |op| {
            constant &= !op.stores().contains(&p) && !matches!(op.kind, Kind::Take(q) if q == p);
        });
    }
    constant
}

/// So many kernels are repeated for one tensor.
const MOST: usize = 4;

/// What the reverse sweep reads of the forward sweep.
struct Reads<'a> {
    forward: &'a [Op],
    reverse: &'a [Op],
    values: FxHashSet<Value>,
    /// What values are called on the way back, where that is another name.
    renamed: FxHashMap<Value, Value>,
    /// In a round: the variable that is asked for on the way back.
    asks: Option<Place>,
}

impl Reads<'_> {
    /// Whether it has a value, and nothing moves it away.
    fn by_kernels(&self, v: Value) -> bool {
        let there = self.renamed.get(&v).unwrap_or(&v);
        let mut readers = (self.reverse.iter()).filter(|op| op.captures().contains(there));
        self.values.contains(&v) && readers.all(|op| matches!(op.kind, Kind::Map(_)))
    }

    /// Whether what a path leads to is lent to it, as it was in the forward sweep.
    fn lends(&self, func: &Func, path: &Path) -> bool {
        let p = path.root;
        let given = func.params.contains(&Param::Place(p)) && func.at(p).storage == Storage::Shared;
        let made = |op: &Op| made_in(op, p);
        let held = || {
            self.asks.is_none()
                && self.forward.iter().any(made)
                && self.reverse.iter().any(|op| op.mentions(p))
                && is_constant(self.forward, p)
                && is_constant(self.reverse, p)
        };
        let mut indices = path.values();
        indices.all(|v| self.renamed.contains_key(&v)) && (given || held())
    }

    /// Whether in a round the pullback of a call is lent the same, and nothing changes that from where it is asked for: then it holds what it held at the call.
    fn lends_as_pullback(&self, maker: &Op, path: &Path) -> bool {
        let back = maker.results.get(1).and_then(|back| self.renamed.get(back));
        let (Some(back), Some(asks)) = (back, self.asks) else {
            return false;
        };
        let from = (self.reverse.iter()).position(|op| op.mentions(asks) && !made_in(op, asks));
        let to = self.reverse.iter().position(|op| {
            let pulls =
                matches!(&op.kind, Kind::Call(call) if matches!(call.form, Form::Backward(_)));
            pulls && op.args.first() == Some(back)
        });
        let Some((from, to)) = from.zip(to).filter(|(from, to)| from <= to) else {
            return false;
        };
        let lent = self.reverse[to]
            .paths()
            .iter()
            .any(|lent| lent.root == path.root);
        lent && path.steps.is_empty() && is_constant(&self.reverse[from..to], path.root)
    }

    /// Whether a number is there on the way back, or is spelled out again.
    fn has(&self, func: &Func, v: Value, out: &mut Vec<Op>) -> bool {
        let maker = self.forward.iter().find(|op| op.results.contains(&v));
        let Some(maker) = maker.filter(|_| self.asks.is_some()) else {
            return true;
        };
        let spelled = matches!(maker.kind, Kind::Lit(_));
        self.renamed.contains_key(&v) || spelled && self.repeatable(func, v, out)
    }

    /// Whether a tensor can be made again from what it reads, and by which operations.
    fn repeatable(&self, func: &Func, v: Value, out: &mut Vec<Op>) -> bool {
        let makes = |op: &&Op| op.results.first() == Some(&v);
        let Some(maker) = self.forward.iter().find(makes) else {
            return false;
        };
        let from = match &maker.kind {
            Kind::Map(map) if map.to == [To::Entries] => maker.args.iter().all(|&v| {
                let made = out.iter().any(|op| op.results.contains(&v));
                made || self.by_kernels(v) || self.repeatable(func, v, out)
            }),
            Kind::Load(path) => self.lends(func, path),
            Kind::Lit(_) => true,
            Kind::Call(call) => {
                let mut has = |arg: &Arg| match arg {
                    Arg::Ref(path) => self.lends(func, path) || self.lends_as_pullback(maker, path),
                    Arg::Mut(path) => self.lends_as_pullback(maker, path),
                    Arg::Value(v) => func.ty(*v).is_scalar() && self.has(func, *v, out),
                    _ => false,
                };
                named(call, tensors::goes_row_by_row)
                    && call.unsure.is_empty()
                    && call.args.iter().all(&mut has)
            }
            _ => false,
        };
        out.push(maker.clone());
        let kernels = (out.iter()).filter(|op| !matches!(op.kind, Kind::Load(_) | Kind::Lit(_)));
        from && kernels.count() <= MOST
    }
}

/// Repeats operations in front of the first one of the reverse sweep that reads what a place holds, into one that takes its place there.
fn repeat(
    func: &mut Func,
    reverse: &mut Vec<Op>,
    (p, place): (Place, Place),
    makers: &[Op],
    mut renamed: FxHashMap<Value, Value>,
) {
    let mut again = Vec::new();
    for maker in makers {
        let mut op = maker.clone();
        (op.origin, op.pos) = (Origin::Derived, 0);
        if let Kind::Call(call) = &mut op.kind {
            call.form = Form::Primal;
        }
        op.for_each_operand(&mut |v| *v = renamed.get(v).copied().unwrap_or(*v));
        let made = maker.results[0];
        func.values.push(func.values[made.0 as usize].clone());
        op.results = vec![Value(func.values.len() as u32 - 1)];
        renamed.insert(made, op.results[0]);
        again.push(op);
    }
    again.extend(again.last().map(|last| Op {
        kind: Kind::New(place),
        args: last.results.clone(),
        results: Vec::new(),
        ..last.clone()
    }));
    let first = reverse.iter().position(|op| op.mentions(p));
    for op in &mut *reverse {
        op.for_each_place(&mut |q| *q = if *q == p { place } else { *q });
    }
    let first = first.unwrap_or(reverse.len());
    reverse.splice(first..first, again);
}
