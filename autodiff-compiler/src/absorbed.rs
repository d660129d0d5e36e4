//! `#[grad(verify)]`: where a zero that was computed absorbs a slope that is not finite, the derivative says so.
//!
//! Zeros that nobody computed are no news: that of a branch that was not taken, of a direction, of a constant.

use rustc_hash::FxHashSet;

use crate::analysis::{self, Activity, Node};
use crate::ir::{Block, Func, Kind, Op, Origin, Param, Prim, Value};
use crate::slopes::Facts;

/// Looks at the factors of each product that may absorb a slope, right before it.
///
/// `given` are the tangents or cotangents from outside, which are zero where the caller says so; of `seed` that is asked.
pub(crate) fn watch(
    func: &mut Func,
    activity: &Activity,
    given: impl Iterator<Item = Param>,
    seed: Option<Value>,
) {
    let mut zeros: FxHashSet<Node> = given
        .map(|param| match param {
            Param::Value(v) => Node::Value(v),
            Param::Place(p) => Node::Place(p),
        })
        .collect();
    let facts = Facts::new(func, activity);
    while spread(func, &func.body, &facts, &mut zeros) {}
    let mut ops = std::mem::take(&mut func.body.ops);
    insert(&mut ops, &facts, &zeros, seed);
    func.body.ops = ops;
}

/// Finds more of what may be a zero that nobody computed; says whether there was more.
fn spread(func: &Func, block: &Block, facts: &Facts<'_>, zeros: &mut FxHashSet<Node>) -> bool {
    let mut more = false;
    for op in &block.ops {
        let is_zero = |k: usize| zeros.contains(&Node::Value(op.args[k]));
        let mut found: Vec<Node> = Vec::new();
        let mut edges = Vec::new();
        match &op.kind {
            Kind::Lit(tokens) if op.origin == Origin::Derived => {
                if ["0.0", "- 0.0", "-0.0"].contains(&tokens.to_string().as_str()) {
                    found.extend(op.results.iter().map(|&v| Node::Value(v)));
                }
            }
            Kind::ZeroLike | Kind::ZeroPart | Kind::Zero | Kind::Call(_) => {
                found.extend(op.results.iter().map(|&v| Node::Value(v)));
            }
            Kind::NewZero(p) => found.push(Node::Place(*p)),
            Kind::Prim(_) if op.origin == Origin::User => {}
            Kind::Prim(prim) => {
                let zero = match prim {
                    // A sum is computed if one of its terms is.
                    Prim::Add | Prim::Sub => is_zero(0) && is_zero(1),
                    Prim::Settle => is_zero(1),
                    Prim::Mul | Prim::Smul | Prim::Zmul | Prim::Absorb(_) => {
                        is_zero(0) || facts.may_be_constant_zero(op.args[1])
                    }
                    // The tangent or cotangent stands in front.
                    _ => is_zero(0),
                };
                if zero {
                    found.push(Node::Value(op.results[0]));
                }
            }
            // What a loop without rounds leaves is not looked for.
            Kind::For(head) => {
                for block in &op.blocks {
                    for (k, &param) in block.params[head.inductions..].iter().enumerate() {
                        let init = op.args[head.domain.operands() + k];
                        for end in block.yields.get(k).into_iter().chain([&init]) {
                            edges.push((Node::Value(*end), Node::Value(param)));
                        }
                        if let (Some(&end), Some(&y)) = (block.yields.get(k), op.results.get(k)) {
                            edges.push((Node::Value(end), Node::Value(y)));
                        }
                    }
                }
            }
            _ => analysis::op_edges(func, op, &mut edges),
        }
        let through = edges.into_iter().filter(|(from, _)| zeros.contains(from));
        found.extend(through.map(|(_, to)| to));
        for node in found {
            more |= zeros.insert(node);
        }
        for inner in &op.blocks {
            more |= spread(func, inner, facts, zeros);
        }
    }
    more
}

fn insert(ops: &mut Vec<Op>, facts: &Facts<'_>, zeros: &FxHashSet<Node>, seed: Option<Value>) {
    for mut op in std::mem::take(ops) {
        for block in &mut op.blocks {
            insert(&mut block.ops, facts, zeros, seed);
        }
        let divides = matches!(op.kind, Kind::Prim(Prim::Sdiv));
        let absorbs = divides
            || matches!(
                op.kind,
                Kind::Prim(Prim::Smul | Prim::Zmul | Prim::Absorb(_))
            );
        if absorbs && op.origin == Origin::Derived {
            let [d, p] = [op.args[0], op.args[1]];
            let counts = [!zeros.contains(&Node::Value(d)), !facts.is_fixed(p)];
            ops.push(Op {
                kind: Kind::Absorbed { counts, divides },
                args: op.args[..2].iter().copied().chain(seed).collect(),
                results: Vec::new(),
                blocks: Vec::new(),
                ..op.clone()
            });
        }
        ops.push(op);
    }
}
