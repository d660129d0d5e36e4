//! Sinks the reverse of what a guard selects under that guard, so that what is not taken contributes nothing.
//!
//! A cotangent that some ways through a conditional do not give is written as zero there, and zero times infinity is no number.
//! So it is known of each cotangent when it is *present*: where it is not, no operation that multiplies it runs.
//!
//! ```text
//! ā = if c { ȳ } else { −0 }          x̄ = if c { ȳ · p } else { −0 }
//! x̄ = ā · p                       ⇒
//! ```
//!
//! The identity: a cotangent that is absent is the zero of the sum that it belongs to, and what is linear in it is so as well.
//! Where one arm alone gives the cotangent, its reverse moves to the end of the reverse of that arm.
//! Otherwise a truth value says whether there is one ([`flags`]), and its reverse stands in a conditional of its own.
//! Whole loops and pullbacks are sunk as one, if nothing in them remains without the cotangent ([`vanish`]).
//!
//! A function such as `max` gives a cotangent to what it chose, and zero to the others: `ā = select(ȳ, w)` is present where `w ≠ 0`.
//! There the guard saves time alone, so it stands only in front of what takes time: loops, calls, elementary functions.
//! The weight is piecewise constant, so where it is zero, the change of the cotangent is zero as well.
//!
//! It runs before `remember`, and leaves a need where memory is in the same state.

mod assemble;
mod flags;
mod vanish;

use rustc_hash::{FxHashMap, FxHashSet};

use self::flags::{Entered, Flag, Presence};
use self::vanish::Skip;
use crate::ir::{Arg, Block, BlockId, Companion, Form, Func, Kind, Op, Origin, Place, Prim, Value};

/// Above this cost the additions to memory are skipped as well; below it they would only stop vector code.
const DEAR: u32 = 10;

/// Sinks what it can; the loops in `whole` are never skipped as one.
///
/// Returns the loops that may now be skipped in a round of another one: `remember` must not let them remember anything.
pub(crate) fn sink(func: &mut Func, whole: &FxHashSet<BlockId>) -> FxHashSet<BlockId> {
    let body = std::mem::take(&mut func.body.ops);
    let mut cx = Sink {
        homes: homes(&body),
        func,
        whole,
        states: Vec::new(),
        flags: Vec::new(),
        truths: FxHashMap::default(),
        entered: FxHashMap::default(),
        skips: FxHashMap::default(),
        skipped: FxHashSet::default(),
        factors: FxHashMap::default(),
        leading: FxHashSet::default(),
        moved: false,
    };
    for op in &body {
        op.walk(&mut |op| {
            if let [y] = op.results[..] {
                cx.factors.insert(y, (op.kind.clone(), op.args.clone()));
            }
        });
    }
    for op in body.iter().rev() {
        cx.lead(op);
    }
    let original = body.clone();
    let top = cx.state(None, None, false);
    for op in body {
        cx.push(top, op);
    }
    if !cx.moved {
        func.body.ops = original;
        return FxHashSet::default();
    }
    let ops = cx.assemble(top);
    let skipped = std::mem::take(&mut cx.skipped);
    let skips = std::mem::take(&mut cx.skips);
    func.body.ops = ops;
    assemble::hand_out(func, &skips);
    skipped
}

/// The loops among these that remember something.
pub(crate) fn remembering(func: &Func, loops: &FxHashSet<BlockId>) -> FxHashSet<BlockId> {
    let mut out = FxHashSet::default();
    for op in &func.body.ops {
        op.walk(&mut |op| {
            if let Kind::For(head) = &op.kind {
                let mirrors = op.blocks.iter().filter_map(|block| block.mirror);
                out.extend(mirrors.filter(|id| head.tape.is_some() && loops.contains(id)));
            }
        });
    }
    out
}

/// The block in which each place of the forward sweep is made.
fn homes(ops: &[Op]) -> FxHashMap<Place, BlockId> {
    fn go(ops: &[Op], out: &mut FxHashMap<Place, BlockId>) {
        for op in ops {
            for block in &op.blocks {
                for inner in &block.ops {
                    if let (Kind::New(p), true) = (&inner.kind, inner.pos != 0) {
                        out.insert(*p, block.id);
                    }
                }
                go(&block.ops, out);
            }
        }
    }
    let mut out = FxHashMap::default();
    go(ops, &mut out);
    out
}

/// An operation, with the states of its blocks if they were entered.
struct Node {
    op: Op,
    inner: Vec<usize>,
    /// What must stand before it.
    prefix: Vec<Op>,
}

/// Operations that run only where a flag is true, at a node of the state.
#[derive(Clone, Copy)]
struct Group {
    node: usize,
    /// The state of the block.
    state: usize,
    cost: u32,
    /// The memory of the primal has changed since.
    sealed: bool,
}

/// A block in the making.
struct State {
    parent: Option<usize>,
    nodes: Vec<Node>,
    presence: FxHashMap<Value, Presence>,
    /// The node that a value comes from.
    at: FxHashMap<Value, usize>,
    /// The values that operations of this very state define.
    owned: FxHashSet<Value>,
    /// The last group of each flag.
    groups: FxHashMap<usize, Group>,
    /// The flag that is true in here.
    assumed: Option<usize>,
    renamed: FxHashMap<Value, Value>,
    yields: Vec<Value>,
    in_loop: bool,
}

struct Sink<'a> {
    func: &'a mut Func,
    whole: &'a FxHashSet<BlockId>,
    homes: FxHashMap<Place, BlockId>,
    states: Vec<State>,
    flags: Vec<Flag>,
    /// The flags that are truth values.
    truths: FxHashMap<usize, Value>,
    /// The loops that were entered, by the state of the body.
    entered: FxHashMap<usize, Entered>,
    /// What stands for a value that was skipped.
    skips: FxHashMap<Value, Skip>,
    skipped: FxHashSet<BlockId>,
    /// Where values come from.
    factors: FxHashMap<Value, (Kind, Vec<Value>)>,
    /// Cotangents that are multiplied sooner or later.
    leading: FxHashSet<Value>,
    moved: bool,
}

impl Sink<'_> {
    fn state(&mut self, parent: Option<usize>, assumed: Option<usize>, looped: bool) -> usize {
        let in_loop = looped || parent.is_some_and(|p| self.states[p].in_loop);
        self.states.push(State {
            parent,
            nodes: Vec::new(),
            presence: FxHashMap::default(),
            at: FxHashMap::default(),
            owned: FxHashSet::default(),
            groups: FxHashMap::default(),
            assumed,
            renamed: FxHashMap::default(),
            yields: Vec::new(),
            in_loop,
        });
        self.states.len() - 1
    }

    /// Takes the next operation of a block.
    fn push(&mut self, s: usize, mut op: Op) {
        rename(&mut op, &self.states[s].renamed);
        // The forward sweep stays, but for loops and arms that hold both sweeps.
        if op.pos != 0 {
            let segment = op.blocks.iter().any(|block| block.segment);
            match op.kind {
                Kind::For(_) if segment => self.enter_loop(s, op),
                _ if segment => self.enter_segments(s, op),
                _ => {
                    self.append(s, op, Vec::new());
                }
            }
            return;
        }
        match &op.kind {
            Kind::If | Kind::Switch | Kind::For(_) => self.region(s, op),
            Kind::Call(_) | Kind::AddTo(_) => self.effect(s, op),
            _ if op.is_pure() && op.results.len() == 1 => self.pure(s, op),
            _ => {
                self.append(s, op, Vec::new());
            }
        }
    }

    /// Puts the operation at the end of the block.
    fn append(&mut self, s: usize, op: Op, inner: Vec<usize>) -> usize {
        let disturbs = disturbs(&op) || inner.iter().any(|&t| self.disturbed(t));
        let state = &mut self.states[s];
        let node = state.nodes.len();
        for &v in &op.results {
            state.at.insert(v, node);
            state.owned.insert(v);
            state.presence.entry(v).or_insert(Presence::Always);
        }
        if disturbs {
            state.groups.values_mut().for_each(|g| g.sealed = true);
        }
        state.nodes.push(Node {
            op,
            inner,
            prefix: Vec::new(),
        });
        node
    }

    /// Whether an operation of that block changes memory of the primal, on the way back.
    fn disturbed(&self, t: usize) -> bool {
        let mut nodes = self.states[t].nodes.iter();
        nodes.any(|node| disturbs(&node.op) || node.inner.iter().any(|&t| self.disturbed(t)))
    }

    fn pure(&mut self, s: usize, op: Op) {
        let y = op.results[0];
        if is_zero(&op) {
            self.states[s].presence.insert(y, Presence::Never);
            self.append(s, op, Vec::new());
            return;
        }
        let Some(flow) = flow(&op) else {
            self.append(s, op, Vec::new());
            return;
        };
        let all: Vec<Presence> = flow.iter().map(|&v| self.presence(s, v)).collect();
        let presence = match (self.any(s, &all), &op.kind) {
            // What is zero where it was not chosen: so is its tangent.
            (Presence::Always, Kind::Prim(Prim::Select)) => {
                let weight = op.args[1];
                let flag = self.flag(Flag::Chosen { state: s, weight });
                self.states[s].presence.insert(y, Presence::When(flag));
                self.append(s, op, Vec::new());
                return;
            }
            (presence, _) => presence,
        };
        let cost = self.weight(&op);
        let Presence::When(flag) = presence else {
            // A product of a zero may be no zero.
            if cost == 0 {
                self.states[s].presence.insert(y, presence);
            }
            self.append(s, op, Vec::new());
            return;
        };
        let float = self.func.ty(y).is_float();
        self.states[s].presence.insert(y, presence);
        let dear = cost > 0 && float && self.matters(flag, &op);
        let begun = self.states[s].groups.get(&flag).is_some_and(|g| g.cost > 0);
        let joins = dear || begun || self.leading.contains(&y);
        if float && joins && self.join(s, flag, &op, cost) {
            return;
        }
        if dear {
            self.open(s, flag);
            let joined = self.join(s, flag, &op, cost);
            debug_assert!(joined, "a group that stands last takes everything");
        } else {
            self.append(s, op, Vec::new());
        }
    }

    /// A pullback, or an addition to memory.
    fn effect(&mut self, s: usize, op: Op) {
        let bar = match (&op.kind, op.args.as_slice()) {
            (Kind::AddTo(_), [bar]) => *bar,
            (Kind::Call(call), [_, bar]) if is_additive(call) => *bar,
            _ => {
                self.append(s, op, Vec::new());
                return;
            }
        };
        let Presence::When(flag) = self.presence(s, bar) else {
            self.append(s, op, Vec::new());
            return;
        };
        if matches!(op.kind, Kind::AddTo(_)) {
            let dear = |g: &Group| g.cost >= DEAR;
            let worth = self.states[s].groups.get(&flag).is_some_and(dear);
            if !worth || !self.join(s, flag, &op, 0) {
                self.append(s, op, Vec::new());
            }
            return;
        }
        for &y in &op.results {
            self.states[s].presence.insert(y, Presence::When(flag));
        }
        let handed = op.results.iter().all(|&y| self.func.ty(y).is_float());
        if handed {
            if !self.join(s, flag, &op, DEAR) {
                self.open(s, flag);
                self.join(s, flag, &op, DEAR);
            }
        } else {
            self.append(s, op, Vec::new());
        }
    }

    /// A conditional or loop of the reverse sweep: skipped as a whole, or entered.
    fn region(&mut self, s: usize, op: Op) {
        let vanishes = self.vanishes(s, &op);
        let worth = |flag| !self.is_chosen(flag) || is_long(&op);
        if let Some((flag, skips)) = vanishes.filter(|(flag, _)| worth(*flag)) {
            for (&y, skip) in op.results.iter().zip(&skips) {
                let presence = match skip {
                    Skip::Zero => Presence::When(flag),
                    Skip::Is(v) => {
                        let before = self.presence(s, *v);
                        self.any(s, &[before, Presence::When(flag)])
                    }
                };
                self.states[s].presence.insert(y, presence);
                self.skips.insert(y, *skip);
            }
            if self.states[s].in_loop {
                op.walk(&mut |op| self.skipped.extend(loops_of(op)));
            }
            if !self.join(s, flag, &op, DEAR) {
                self.open(s, flag);
                self.join(s, flag, &op, DEAR);
            }
            return;
        }
        match op.kind {
            Kind::For(_) => self.enter_loop(s, op),
            _ => self.enter_arms(s, op),
        }
    }

    /// Arms that hold both sweeps: what they give is there for good, since the forward sweep goes on behind them.
    fn enter_segments(&mut self, s: usize, mut op: Op) {
        let inner = self.arms(s, &mut op);
        self.append(s, op, inner);
    }

    /// A state for each arm.
    fn arms(&mut self, s: usize, op: &mut Op) -> Vec<usize> {
        let mut inner = Vec::new();
        for block in &mut op.blocks {
            let t = self.state(Some(s), None, false);
            self.fill(t, block);
            inner.push(t);
        }
        inner
    }

    fn enter_arms(&mut self, s: usize, mut op: Op) {
        let inner = self.arms(s, &mut op);
        let node = self.append(s, op, inner.clone());
        let op = &self.states[s].nodes[node].op;
        let results = op.results.clone();
        let yields: Vec<Vec<Value>> = op.blocks.iter().map(|b| b.yields.clone()).collect();
        for (j, &y) in results.iter().enumerate() {
            let each = inner.iter().zip(&yields);
            let per: Vec<Presence> = each.map(|(&t, vs)| self.presence(t, vs[j])).collect();
            let presence = self.of_arms(s, node, per.clone());
            self.states[s].presence.insert(y, presence);
            let Presence::When(flag) = presence else {
                continue;
            };
            // Where one arm alone gives it, that is where its reverse goes.
            let mut there = (0..per.len()).filter(|&k| per[k] != Presence::Never);
            if let (Some(k), None, true) = (there.next(), there.next(), self.is_of(flag, s, node)) {
                let t = inner[k];
                self.states[t].renamed.insert(y, yields[k][j]);
                self.states[t].assumed = Some(flag);
                let group = Group {
                    node,
                    state: t,
                    cost: 0,
                    sealed: false,
                };
                self.states[s].groups.entry(flag).or_insert(group);
            }
        }
    }

    /// Takes the operations of a block.
    fn fill(&mut self, t: usize, block: &mut Block) {
        for &v in &block.params {
            self.states[t].presence.entry(v).or_insert(Presence::Always);
        }
        for op in std::mem::take(&mut block.ops) {
            self.push(t, op);
        }
    }

    fn enter_loop(&mut self, s: usize, mut op: Op) {
        let Kind::For(head) = &op.kind else { return };
        let (first, inductions) = (head.domain.operands(), head.inductions);
        let t = self.state(Some(s), None, true);
        let inits: Vec<Presence> = op.args[first..]
            .iter()
            .map(|&v| self.presence(s, v))
            .collect();
        let params: Vec<Value> = op.blocks[0].params[inductions..].to_vec();
        let mut carried = Vec::new();
        for (k, init) in inits.iter().enumerate() {
            let presence = match init {
                Presence::Always => Presence::Always,
                _ => Presence::When(self.flag(Flag::Param { state: t, slot: k })),
            };
            self.states[t].presence.insert(params[k], presence);
            carried.push(presence);
        }
        let mut block = op.blocks.remove(0);
        self.fill(t, &mut block);
        let yields = block.yields.clone();
        op.blocks.push(block);
        let results = op.results.clone();
        let ends: Vec<Presence> = yields.iter().map(|&v| self.presence(t, v)).collect();
        let node = self.append(s, op, vec![t]);
        let slots = carried.len();
        let entered = Entered {
            state: s,
            node,
            inits: inits.clone(),
            ends: ends.clone(),
        };
        self.entered.insert(t, entered);
        for (slot, &y) in results.iter().enumerate().take(slots) {
            let presence = match ends[slot] {
                _ if carried[slot] == Presence::Always => Presence::Always,
                Presence::Always => Presence::Always,
                end if end == carried[slot] => inits[slot],
                _ => Presence::When(self.flag(Flag::Result { state: t, slot })),
            };
            self.states[s].presence.insert(y, presence);
        }
        // Flags that were asked for inside are carried.
        for slot in 0..slots {
            if self.is_asked(t, slot) {
                self.carry(t, slot);
            }
        }
    }

    /// A conditional of its own for what a flag guards, at the end of the block.
    fn open(&mut self, s: usize, flag: usize) {
        let mut prefix = Vec::new();
        let cond = self.truth(flag, &mut prefix);
        let blocks = vec![self.func.block(), self.func.block()];
        let op = Op {
            kind: Kind::If,
            args: vec![cond],
            results: Vec::new(),
            blocks,
            origin: Origin::Derived,
            span: proc_macro2::Span::call_site(),
            pos: 0,
        };
        let then = self.state(Some(s), Some(flag), false);
        let other = self.state(Some(s), None, false);
        let node = self.append(s, op, vec![then, other]);
        self.states[s].nodes[node].prefix = prefix;
        let group = Group {
            node,
            state: then,
            cost: 0,
            sealed: false,
        };
        self.states[s].groups.insert(flag, group);
    }

    /// Moves the operation into the group of the flag, if all that it needs is there.
    fn join(&mut self, s: usize, flag: usize, op: &Op, cost: u32) -> bool {
        let Some(&group) = self.states[s].groups.get(&flag) else {
            return false;
        };
        if group.sealed || self.collides(s, group.node, op) {
            return false;
        }
        let mut pulled = Vec::new();
        let there = |cx: &Self, v: Value, pulled: &mut Vec<usize>| cx.reaches(s, group, v, pulled);
        if !op
            .captures()
            .into_iter()
            .all(|v| there(self, v, &mut pulled))
        {
            return false;
        }
        let mut total = cost;
        for node in pulled {
            let mut copy = self.states[s].nodes[node].op.clone();
            total += self.weight(&copy);
            let old = copy.results[0];
            if self.states[group.state].renamed.contains_key(&old) {
                continue;
            }
            let data = &self.func.values[old.0 as usize];
            let (hint, ty) = (data.hint.clone(), data.ty.clone());
            let new = self.func.value(hint, ty);
            if let Some(&of) = self.func.copies.get(&old) {
                self.func.copies.insert(new, of);
            }
            if let Some(factor) = self.factors.get(&old).cloned() {
                self.factors.insert(new, factor);
            }
            copy.results[0] = new;
            self.push(group.state, copy);
            self.states[group.state].renamed.insert(old, new);
        }
        for &y in &op.results {
            self.states[s].at.insert(y, group.node);
        }
        if let Some(group) = self.states[s].groups.get_mut(&flag) {
            group.cost += total;
        }
        self.moved |= cost > 0;
        self.push(group.state, op.clone());
        true
    }

    /// Whether the group has the value, or may compute it; then the nodes to copy are added, in order.
    fn reaches(&self, s: usize, group: Group, v: Value, pulled: &mut Vec<usize>) -> bool {
        let state = &self.states[s];
        let inside = &self.states[group.state];
        if inside.renamed.contains_key(&v) || inside.owned.contains(&v) {
            return true;
        }
        let Some(&at) = state.at.get(&v) else {
            return true;
        };
        if at < group.node {
            return true;
        }
        let node = &state.nodes[at];
        if node.op.results != [v] || !self.is_primal(v) {
            return false;
        }
        // What is needed is a value of the forward sweep.
        let operands = match &node.op.kind {
            Kind::Need(_) => Vec::new(),
            _ => node.op.operands(),
        };
        if !operands
            .into_iter()
            .all(|v| self.reaches(s, group, v, pulled))
        {
            return false;
        }
        if !pulled.contains(&at) {
            pulled.push(at);
        }
        true
    }

    /// Whether the value is made of values of the forward sweep.
    fn is_primal(&self, v: Value) -> bool {
        let Some((kind, args)) = self.factors.get(&v) else {
            return false;
        };
        match kind {
            Kind::Need(_) | Kind::Lit(_) => true,
            Kind::Prim(_)
            | Kind::Compare(_)
            | Kind::Cast(..)
            | Kind::CastLike
            | Kind::Component(_) => args.iter().all(|&v| self.is_primal(v)),
            _ => false,
        }
    }

    /// Whether something since the node touches the same memory in another order.
    fn collides(&self, s: usize, node: usize, op: &Op) -> bool {
        let mut adds = Vec::new();
        touched(op, &mut adds);
        !adds.is_empty()
            && self.states[s].nodes[node + 1..]
                .iter()
                .any(|node| self.crosses(node, &adds))
    }

    fn crosses(&self, node: &Node, adds: &[(Place, bool)]) -> bool {
        let mut here = Vec::new();
        touched(&node.op, &mut here);
        let meets = |(p, additive): &(Place, bool)| {
            adds.iter()
                .any(|(q, other)| p == q && !(*additive && *other))
        };
        here.iter().any(meets)
            || node.inner.iter().any(|&t| {
                let mut nodes = self.states[t].nodes.iter();
                nodes.any(|node| self.crosses(node, adds))
            })
    }

    /// Whether the value is a number that the source spells out.
    fn is_literal(&self, v: Value) -> bool {
        match self.factors.get(&v) {
            Some((Kind::Lit(_), _)) => true,
            Some((Kind::Need(_), args)) => self.is_literal(args[0]),
            _ => false,
        }
    }

    /// What an operation costs; nothing if it only passes numbers on.
    fn weight(&self, op: &Op) -> u32 {
        match &op.kind {
            Kind::Prim(Prim::Mul | Prim::Zmul | Prim::Absorb(_)) if self.is_literal(op.args[1]) => {
                0
            }
            Kind::Prim(Prim::Mul) => 1,
            Kind::Prim(Prim::Smul | Prim::Zmul | Prim::Absorb(_) | Prim::Select) => 2,
            Kind::Prim(Prim::Sdiv | Prim::Div) => 5,
            Kind::Prim(Prim::Rule(_) | Prim::Back(..)) => DEAR,
            _ => 0,
        }
    }

    /// Notes which cotangents lead to a product; the operations behind this one were seen.
    fn lead(&mut self, op: &Op) {
        for block in &op.blocks {
            for inner in block.ops.iter().rev() {
                self.lead(inner);
            }
        }
        let multiplies = !op.blocks.is_empty()
            || matches!(op.kind, Kind::Call(_))
            || self.weight(op) > 0
            || op.results.iter().any(|y| self.leading.contains(y));
        if multiplies && op.pos == 0 {
            self.leading.extend(op.operands());
        }
    }

    /// Whether the guard is worth its flag: one that loops carry has to keep an infinite factor away, one of a choice saves what is dear.
    fn matters(&self, flag: usize, op: &Op) -> bool {
        if self.is_chosen(flag) {
            return self.weight(op) >= DEAR;
        }
        if !self.is_carried(flag) {
            return true;
        }
        matches!(&op.kind, Kind::Prim(Prim::Mul | Prim::Absorb(_)))
            && self.may_be_infinite(op.args[1], 20)
    }

    /// Whether the value may be infinite although the numbers it is made of are not.
    fn may_be_infinite(&self, v: Value, budget: u32) -> bool {
        let Some((kind, args)) = self.factors.get(&v).filter(|_| budget > 0) else {
            return false;
        };
        match kind {
            Kind::Prim(Prim::Div | Prim::Sdiv | Prim::Rule(_)) => true,
            Kind::If | Kind::Match(..) | Kind::For(_) | Kind::Call(_) => true,
            Kind::Prim(_) | Kind::Need(_) => {
                let mut args = args.iter();
                args.any(|&v| self.may_be_infinite(v, budget - 1))
            }
            _ => false,
        }
    }
}

/// Replaces the operands of an operation, those in its blocks included.
fn rename(op: &mut Op, renamed: &FxHashMap<Value, Value>) {
    if renamed.is_empty() {
        return;
    }
    let new = |v: &mut Value| {
        while let Some(&other) = renamed.get(v) {
            *v = other;
        }
    };
    // A need names a value of the forward sweep.
    if !matches!(op.kind, Kind::Need(_)) {
        op.for_each_operand(&mut |v| new(v));
    }
    for block in &mut op.blocks {
        block.yields.iter_mut().for_each(new);
        block.ops.iter_mut().for_each(|op| rename(op, renamed));
    }
}

/// The mirrors of the loops among an operation's blocks.
fn loops_of(op: &Op) -> Vec<BlockId> {
    match op.kind {
        Kind::For(_) => op.blocks.iter().filter_map(|block| block.mirror).collect(),
        _ => Vec::new(),
    }
}

/// A zero to start a sum with.
fn is_zero(op: &Op) -> bool {
    match &op.kind {
        // How the sign is spaced, only rustc knows.
        Kind::Lit(tokens) => {
            op.origin == Origin::Derived && tokens.to_string().replace(' ', "") == "-0.0"
        }
        Kind::ZeroLike | Kind::ZeroPart | Kind::Zero => true,
        _ => false,
    }
}

/// The operands that an operation of the reverse sweep is linear in; `None` if it has none.
fn flow(op: &Op) -> Option<Vec<Value>> {
    let args = &op.args;
    match &op.kind {
        Kind::Prim(Prim::Add) => Some(args.clone()),
        Kind::Prim(
            Prim::Mul
            | Prim::Absorb(_)
            | Prim::Zmul
            | Prim::Smul
            | Prim::Sdiv
            | Prim::Select
            | Prim::Div
            | Prim::Neg
            | Prim::Number,
        )
        | Kind::Cast(..)
        | Kind::CastLike
        | Kind::Component(_)
        | Kind::Element(_)
        | Kind::Payload
        | Kind::SumElements => Some(vec![args[0]]),
        Kind::Prim(Prim::Back(..) | Prim::Settle) => Some(vec![args[1]]),
        Kind::Aggregate(_) | Kind::WithComponent(_) if !args.is_empty() => Some(args.clone()),
        _ => None,
    }
}

/// Changes memory of the primal, on the way back.
fn disturbs(op: &Op) -> bool {
    let mut found = false;
    op.walk(&mut |op| {
        found |= match &op.kind {
            Kind::Undo(..) => true,
            Kind::Call(call) => !is_additive(call),
            _ => false,
        };
    });
    found
}

/// Whether the operation, or one in its blocks, is a loop or a call.
fn is_long(op: &Op) -> bool {
    let mut found = false;
    op.walk(&mut |op| found |= matches!(op.kind, Kind::For(_) | Kind::Call(_)));
    found
}

/// A pullback that does nothing but add to cotangents.
fn is_additive(call: &crate::ir::Call) -> bool {
    matches!(call.form, Form::Backward(_)) && !call.args.iter().any(|a| matches!(a, Arg::Mut(_)))
}

/// The memory of cotangents that an operation and its blocks name, and whether they only add to it.
fn touched(op: &Op, out: &mut Vec<(Place, bool)>) {
    op.walk(&mut |op| match &op.kind {
        Kind::AddTo(path) => out.push((path.root, true)),
        Kind::New(p) | Kind::NewZero(p) | Kind::Take(p) => out.push((*p, false)),
        Kind::Call(call) if is_additive(call) => {
            for arg in &call.args {
                match arg {
                    Arg::Capture(path) => out.push((path.root, true)),
                    // Of the primal: how it changes is known otherwise.
                    Arg::Ref(_) | Arg::Mut(_) | Arg::Value(_) | Arg::Owned | Arg::Function(_) => {}
                }
            }
            for companion in call.form.companions() {
                if let Companion::Place(path) = companion {
                    out.push((path.root, true));
                }
            }
        }
        // What is undone is memory of the primal.
        Kind::Undo(..) => {}
        _ => out.extend(op.paths().into_iter().map(|path| (path.root, false))),
    });
}
