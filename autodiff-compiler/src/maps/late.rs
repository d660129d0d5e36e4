//! Kernels of both sweeps merged where that needs the shapes to be known: what one gives for an operand of its own shape goes into the one kernel that reads it.

use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

use super::derive::simplify_all;
use super::merge::{Merged, OPERANDS, is_crowded, is_crowding};
use super::{IN_LANES, parameter, row};
use crate::ir::{Block, Func, Kind, Map, Op, Origin, Path, Place, Prim, Storage, To, Value};
use crate::share::share;

/// The shape of a tensor, as far as others are known to have the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Outline {
    Of(u32),
    /// That shape with length 1 at an axis.
    Lane(u32, isize),
    Number,
}

/// What is known of shapes.
#[derive(Default)]
struct Outlines {
    values: FxHashMap<Value, Outline>,
    places: FxHashMap<Place, Outline>,
    /// Shapes that are values themselves.
    shapes: FxHashMap<Value, Outline>,
    /// That to which the operands of the kernel that gives a value are stretched.
    kernels: FxHashMap<Value, Outline>,
    /// The shapes of operands, and that to which a kernel stretches them.
    wider: FxHashSet<(Outline, Outline)>,
    next: u32,
    /// The cotangent of the result, and the result, whose shape it has.
    seed: Option<[Value; 2]>,
}

impl Outlines {
    fn new(func: &Func, seed: Option<Value>) -> Self {
        let result = func.body.yields.first();
        Outlines {
            seed: seed.zip(result).map(|(seed, &result)| [seed, result]),
            ..Outlines::default()
        }
    }

    fn fresh(&mut self) -> Outline {
        self.next += 1;
        Outline::Of(self.next)
    }

    fn of(&mut self, func: &Func, v: Value) -> Outline {
        if func.ty(v).is_float() {
            return Outline::Number;
        }
        let v = match self.seed {
            Some([seed, result]) if seed == v && self.values.contains_key(&result) => result,
            _ => v,
        };
        match self.values.get(&v) {
            Some(known) => *known,
            None => {
                let fresh = self.fresh();
                self.values.insert(v, fresh);
                fresh
            }
        }
    }

    /// The shape that the operands of a kernel are stretched to.
    fn stretched(&mut self, func: &Func, op: &Op) -> Outline {
        if let Some(known) = op.results.first().and_then(|y| self.kernels.get(y)) {
            return *known;
        }
        let mut of: Vec<Outline> = op.args.iter().map(|&v| self.of(func, v)).collect();
        of.retain(|outline| *outline != Outline::Number);
        if of.is_empty() {
            return Outline::Number;
        }
        let goes = |into: Outline, outline: Outline| match (into, outline) {
            (Outline::Of(a), Outline::Lane(b, _)) if a == b => true,
            (a, b) => a == b || self.wider.contains(&(b, a)),
        };
        let whole = of
            .iter()
            .copied()
            .find(|&into| of.iter().all(|&outline| goes(into, outline)));
        whole.unwrap_or_else(|| self.fresh())
    }

    /// A variable whose shape is always the same.
    fn place(&mut self, func: &Func, path: &Path) -> Option<Outline> {
        let at = func.at(path.root);
        let constant = !at.mutable && at.storage != Storage::Exclusive && !at.borrows;
        if !constant || !path.steps.is_empty() {
            return None;
        }
        Some(match self.places.get(&path.root) {
            Some(known) => *known,
            None => {
                let fresh = self.fresh();
                self.places.insert(path.root, fresh);
                fresh
            }
        })
    }

    fn learn(&mut self, func: &Func, op: &Op) {
        match &op.kind {
            Kind::Load(path) => {
                if let Some(outline) = self.place(func, path) {
                    self.values.insert(op.results[0], outline);
                }
            }
            Kind::Prim(Prim::Shape) => {
                let outline = self.of(func, op.args[0]);
                self.shapes.insert(op.results[0], outline);
            }
            Kind::Zero => {
                if let Some(&outline) = self.shapes.get(&op.args[0]) {
                    self.values.insert(op.results[0], outline);
                }
            }
            Kind::Map(map) => {
                let stretched = self.stretched(func, op);
                self.kernels
                    .extend(op.results.iter().map(|&y| (y, stretched)));
                for &v in &op.args {
                    let outline = self.of(func, v);
                    self.wider.insert((outline, stretched));
                }
                for (&y, to) in op.results.iter().zip(&map.to) {
                    let outline = match (*to, stretched) {
                        (To::Entries, outline) => outline,
                        (To::Like(k), _) => self.of(func, op.args[k]),
                        (To::Along(_, axis), Outline::Of(of)) => Outline::Lane(of, axis),
                        (To::Along(..), _) => self.fresh(),
                        _ => Outline::Number,
                    };
                    self.values.insert(y, outline);
                }
            }
            _ => {}
        }
    }
}

/// Merges the kernels of a block, and leaves out those that would give an operand as it is.
pub(super) fn merge(func: &mut Func, seed: Option<Value>) {
    let mut uses = FxHashMap::default();
    super::merge::count(&func.body, &mut uses);
    let mut cx = Late {
        outlines: Outlines::new(func, seed),
        uses,
        renamed: FxHashMap::default(),
    };
    let mut body = std::mem::take(&mut func.body);
    cx.block(func, &mut body);
    func.body = body;
}

/// Merges kernels over the same entries, in a graph whose seed is known before it: what both read is read once, what both compute is computed once, and what one gives the other stays in registers.
///
/// A mutation: `wrong`, the second of two kernels has an operand of the first in place of its own.
pub(super) fn side_by_side(func: &mut Func, seed: Option<Value>, wrong: bool) {
    let mut uses = FxHashMap::default();
    super::merge::count(&func.body, &mut uses);
    let mut outlines = Outlines::new(func, seed);
    let mut out: Vec<Op> = Vec::with_capacity(func.body.ops.len());
    for mut op in std::mem::take(&mut func.body.ops) {
        outlines.learn(func, &op);
        while let Some(k) = companion(func, &mut outlines, &out, &op) {
            let made = out.remove(k);
            op = beside(&made, &op, &uses, wrong);
        }
        out.push(op);
    }
    func.body.ops = out;
}

/// The last of the operations before a kernel that may be one with it, and that nothing between them reads.
fn companion(func: &Func, outlines: &mut Outlines, before: &[Op], op: &Op) -> Option<usize> {
    if !matches!(op.kind, Kind::Map(_)) {
        return None;
    }
    let mut read: FxHashSet<Value> = FxHashSet::default();
    (0..before.len()).rev().find(|&k| {
        let made = &before[k];
        let unread = !made.results.iter().any(|y| read.contains(y));
        let found = unread && may_stand_beside(func, outlines, made, op);
        read.extend(made.operands());
        found
    })
}

/// Whether two kernels may be one, the second of which may read what the first gives.
fn may_stand_beside(func: &Func, outlines: &mut Outlines, made: &Op, op: &Op) -> bool {
    let (Kind::Map(maker), Kind::Map(user)) = (&made.kind, &op.kind) else {
        return false;
    };
    let whole = outlines.stretched(func, op);
    let plain = |map: &Map| {
        let full = map.func.body.ops.iter().filter_map(row);
        !has_arms(map) && map.most().is_none() && !full.into_iter().any(is_crowding)
    };
    let given = op.args.iter().all(|v| {
        let which = made.results.iter().position(|y| y == v);
        which.is_none_or(|which| maker.to[which] == To::Entries && outlines.of(func, *v) == whole)
    });
    let alike = maker.number == user.number
        && (maker.functions == user.functions
            || !maker.chooses_functions()
            || !user.chooses_functions());
    // An axis that is not there is an error at its place, before those that come of what follows.
    let placed = made.origin == Origin::Derived || !folds(maker);
    let mut operands = made.args.clone();
    operands.extend(op.args.iter().filter(|v| !made.args.contains(v)));
    matches!(whole, Outline::Of(_))
        && whole == outlines.stretched(func, made)
        && given
        && alike
        && placed
        && plain(maker)
        && plain(user)
        && operands.len() <= OPERANDS
}

/// Whether a kernel folds lanes along an axis.
pub(super) fn folds(map: &Map) -> bool {
    map.to.iter().any(|to| matches!(to, To::Along(..)))
}

/// Two kernels as one, without those results of the first that nothing else reads.
fn beside(made: &Op, op: &Op, uses: &FxHashMap<Value, usize>, wrong: bool) -> Op {
    let (Kind::Map(maker), Kind::Map(user)) = (&made.kind, &op.kind) else {
        unreachable!("they are kernels");
    };
    let mut merged = Merged::new(user);
    let first = merged.add(made, maker, |_| None);
    let operand = parameter(&merged.func, 0);
    let second = merged.add(op, user, |v| {
        let which = made.results.iter().position(|y| *y == v);
        let mistaken = (wrong && !made.args.contains(&v)).then_some(operand);
        which.map(|which| first[which]).or(mistaken)
    });
    let Merged { mut func, args } = merged;
    let to = |map: &Map, of: &Op, k: usize| match map.to[k] {
        To::Like(k) => match args.iter().position(|known| *known == of.args[k]) {
            Some(k) => To::Like(k),
            None => To::Entries,
        },
        to => to,
    };
    let (mut results, mut goals) = (Vec::new(), Vec::new());
    for (k, &y) in made.results.iter().enumerate() {
        let here = op.args.iter().filter(|v| **v == y).count();
        if uses.get(&y).copied().unwrap_or(0) > here {
            func.body.yields.push(first[k]);
            results.push(y);
            goals.push(to(maker, made, k));
        }
    }
    for (k, &y) in op.results.iter().enumerate() {
        func.body.yields.push(second[k]);
        results.push(y);
        goals.push(to(user, op, k));
    }
    share(&mut func);
    let functions = if user.chooses_functions() {
        user.functions
    } else {
        maker.functions
    };
    Op {
        kind: Kind::Map(Map {
            func: Rc::new(func),
            to: goals,
            name: "a chain of operations".into(),
            number: user.number.clone(),
            functions,
        }),
        args,
        results,
        span: if op.origin == Origin::Derived {
            made.span
        } else {
            op.span
        },
        origin: if made.origin == Origin::User {
            Origin::User
        } else {
            op.origin
        },
        ..op.clone()
    }
}

struct Late {
    outlines: Outlines,
    uses: FxHashMap<Value, usize>,
    renamed: FxHashMap<Value, Value>,
}

impl Late {
    fn rename(&self, v: &mut Value) {
        if let Some(known) = self.renamed.get(v) {
            *v = *known;
        }
    }

    fn block(&mut self, func: &mut Func, of: &mut Block) {
        // The kernels since the last barrier, by their results.
        let mut kernels: FxHashMap<Value, usize> = FxHashMap::default();
        let mut out: Vec<Op> = Vec::with_capacity(of.ops.len());
        for mut op in std::mem::take(&mut of.ops) {
            op.for_each_operand(&mut |v| self.rename(v));
            if matches!(op.kind, Kind::Mark) {
                kernels.clear();
            }
            for inner in &mut op.blocks {
                self.block(func, inner);
            }
            while let Some((joined, maker)) = self.joined(func, &op, &kernels, &out) {
                self.mention(&op, -1);
                self.mention(&out[maker.0], -1);
                op = joined;
                out[maker.0] = maker.1;
                self.mention(&op, 1);
                self.mention(&out[maker.0], 1);
            }
            self.outlines.learn(func, &op);
            self.forward(func, &mut op);
            self.tidy(func, &mut op);
            if let Kind::Map(_) = op.kind {
                kernels.extend(op.results.iter().map(|&y| (y, out.len())));
            }
            out.push(op);
        }
        out.retain(|op| !matches!(op.kind, Kind::Map(_)) || !op.results.is_empty());
        of.ops = out;
        for v in &mut of.yields {
            self.rename(v);
        }
    }

    fn mention(&mut self, op: &Op, by: isize) {
        for v in op.operands() {
            let uses = self.uses.entry(v).or_default();
            *uses = uses.wrapping_add_signed(by);
        }
    }

    /// Leaves out what a kernel would give of an operand as it is.
    fn forward(&mut self, func: &Func, op: &mut Op) {
        let Kind::Map(map) = &op.kind else {
            return;
        };
        if op.origin != Origin::Derived {
            return;
        }
        let mut left: Vec<usize> = Vec::new();
        for (k, (&y, &v)) in op.results.iter().zip(&map.func.body.yields).enumerate() {
            let operand = (0..op.args.len()).find(|&k| parameter(&map.func, k) == v);
            let same = operand.filter(|&j| {
                let x = op.args[j];
                let as_it_is = matches!(map.to[k], To::Entries | To::Like(_));
                let tensors = func.values[x.0 as usize].tensor && func.values[y.0 as usize].tensor;
                as_it_is && tensors && self.outlines.of(func, x) == self.outlines.of(func, y)
            });
            if let Some(j) = same {
                self.renamed.insert(y, op.args[j]);
                *self.uses.entry(op.args[j]).or_default() +=
                    self.uses.get(&y).copied().unwrap_or(0);
                left.push(k);
            }
        }
        if left.is_empty() {
            return;
        }
        self.mention(op, -1);
        without(op, &left);
        if !op.results.is_empty() {
            self.mention(op, 1);
        }
    }

    /// Leaves out operands of which nothing but the shape matters, where others have it as well.
    fn tidy(&mut self, func: &Func, op: &mut Op) {
        let Kind::Map(map) = &mut op.kind else { return };
        if op.origin != Origin::Derived || op.results.is_empty() {
            return;
        }
        let outlines: Vec<Outline> = op.args.iter().map(|&v| self.outlines.of(func, v)).collect();
        let tensor = |v: Value| func.values[v.0 as usize].tensor;
        let mut kept: Vec<usize> = (0..op.args.len()).collect();
        for k in (0..op.args.len()).rev() {
            let own = outlines[k];
            let other = kept.iter().copied().find(|&j| {
                j != k && outlines[j] == own && tensor(op.args[j]) && tensor(op.args[k])
            });
            let Some(j) = other.filter(|_| !map.reads(k)) else {
                continue;
            };
            for to in &mut map.to {
                if *to == To::Like(k) {
                    *to = To::Like(j);
                }
            }
            kept.retain(|of| *of != k);
        }
        if kept.len() == op.args.len() {
            return;
        }
        for v in &op.args {
            self.uses.entry(*v).and_modify(|uses| *uses -= 1);
        }
        op.args = kept.iter().map(|&k| op.args[k]).collect();
        for v in &op.args {
            *self.uses.entry(*v).or_default() += 1;
        }
        let mut func = Func::clone(&map.func);
        func.params = kept.iter().map(|&k| func.params[k]).collect();
        map.func = Rc::new(func);
        for to in &mut map.to {
            if let To::Like(k) = to {
                *k = kept.iter().position(|of| of == k).unwrap_or(*k);
            }
        }
    }

    /// A kernel together with one that it alone reads something of, and the rest of that one.
    fn joined(
        &mut self,
        func: &Func,
        op: &Op,
        kernels: &FxHashMap<Value, usize>,
        out: &[Op],
    ) -> Option<(Op, (usize, Op))> {
        let Kind::Map(user) = &op.kind else {
            return None;
        };
        if op.args.iter().all(|v| !kernels.contains_key(v)) || has_arms(user) {
            return None;
        }
        let stretched = self.outlines.stretched(func, op);
        for (at, &v) in op.args.iter().enumerate() {
            let Some(&k) = kernels.get(&v) else { continue };
            let made = &out[k];
            let Kind::Map(maker) = &made.kind else {
                continue;
            };
            let Some(which) = made.results.iter().position(|y| *y == v) else {
                continue;
            };
            let outline = self.outlines.of(func, v);
            let own = matches!(maker.to[which], To::Entries | To::Like(_))
                && outline == self.outlines.stretched(func, made);
            // What there is one of for a lane is computed once for a lane.
            let once = matches!(outline, Outline::Lane(..)) && outline != stretched;
            let to = (user.to.iter()).all(|to| *to != To::Like(at) || stretched == outline);
            let alone = self.uses.get(&v) == Some(&1) && func.values[v.0 as usize].tensor;
            let differs = user.functions != maker.functions
                && user.chooses_functions()
                && maker.chooses_functions();
            let derived = op.origin == Origin::Derived;
            let cheap = made.results.len() == 1 || derived && is_cheap(maker, which);
            let crowded = is_crowded(&user.func, parameter(&user.func, at));
            let other = op.origin != made.origin;
            let refused = has_arms(maker) || user.most().is_some();
            if !own || once || !to || !alone || differs || !cheap || crowded || other || refused {
                continue;
            }
            let (args, map) = join(op, user, (v, made, maker, which));
            if args.len() <= OPERANDS {
                let mut rest = made.clone();
                without(&mut rest, &[which]);
                if rest.results.is_empty() {
                    rest.args.clear();
                }
                let op = op.clone();
                let kind = Kind::Map(map);
                return Some((Op { kind, args, ..op }, (k, rest)));
            }
        }
        None
    }
}

/// Whether a kernel has arms: what they remember for those of the reverse sweep is named by where it stands.
fn has_arms(map: &Map) -> bool {
    map.func.body.ops.iter().any(|op| !op.blocks.is_empty())
}

/// Whether a result of a kernel takes so little that it may be computed in two.
fn is_cheap(map: &Map, which: usize) -> bool {
    let mut asked: FxHashSet<Value> = FxHashSet::default();
    asked.insert(map.func.body.yields[which]);
    let mut operations = 0;
    for op in map.func.body.ops.iter().rev() {
        if op.results.iter().any(|y| asked.contains(y)) {
            operations += match &op.kind {
                Kind::Lit(_) => 0,
                Kind::Prim(Prim::Add | Prim::Sub | Prim::Neg | Prim::Mul) => 1,
                Kind::Prim(_) if row(op).is_none_or(|name| !IN_LANES.contains(&name)) => 2,
                _ => return false,
            };
            asked.extend(op.operands());
        }
    }
    operations <= 4
}

/// Leaves out results of a kernel, and what only they need.
fn without(op: &mut Op, left: &[usize]) {
    let Kind::Map(map) = &mut op.kind else {
        return;
    };
    let mut func = Func::clone(&map.func);
    for &k in left.iter().rev() {
        op.results.remove(k);
        map.to.remove(k);
        func.body.yields.remove(k);
    }
    simplify_all(&mut func);
    map.func = Rc::new(func);
}

/// A kernel with what another computes in place of its operand `v`.
fn join(
    op: &Op,
    user: &Map,
    (v, made, maker, which): (Value, &Op, &Map, usize),
) -> (Vec<Value>, Map) {
    let mut merged = Merged::new(user);
    let y = merged.add(made, maker, |_| None)[which];
    let yields = merged.add(op, user, |of| (of == v).then_some(y));
    let Merged { mut func, args } = merged;
    func.body.yields = yields;
    share(&mut func);
    if op.origin == Origin::Derived {
        simplify_all(&mut func);
    }
    let to = user.to.iter().map(|to| match *to {
        To::Like(k) if op.args[k] == v => To::Entries,
        To::Like(k) => {
            let of = op.args[k];
            To::Like(args.iter().position(|known| *known == of).unwrap_or(k))
        }
        to => to,
    });
    let functions = if user.chooses_functions() {
        user.functions
    } else {
        maker.functions
    };
    let map = Map {
        to: to.collect(),
        func: Rc::new(func),
        name: "a chain of operations".into(),
        number: user.number.clone(),
        functions,
    };
    (args, map)
}
