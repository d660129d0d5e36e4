//! Wrong answers on purpose: what the tests of the compiler must notice.

use rustc_hash::FxHashSet;

use quote::quote;

use crate::build::Build;
use crate::ir::{Block, Domain, Func, Kind, Op, Opaque, Origin, Path, Prim, Ty, Value};
use crate::remember::Policy;

/// Mutations of the reverse sweep before its needs are met.
pub(crate) fn before(func: &mut Func, policy: &Policy) {
    let mut done = false;
    match policy.mutate.as_deref() {
        Some("keep_adjoint") => each(&mut func.body, &mut |op| {
            if let Kind::TakeZero(path) = &op.kind {
                if !done {
                    let path: Path = path.clone();
                    op.kind = Kind::Load(path);
                    done = true;
                }
            }
        }),
        Some("drop_carried") => each(&mut func.body, &mut |op| {
            if let Kind::For(head) = &op.kind {
                let first = head.inductions;
                for block in &mut op.blocks {
                    if block.mirror.is_some()
                        && !done
                        && block
                            .yields
                            .iter()
                            .zip(&block.params[first..])
                            .any(|(y, p)| y != p)
                    {
                        let slot = block
                            .yields
                            .iter()
                            .zip(&block.params[first..])
                            .position(|(y, p)| y != p);
                        if let Some(k) = slot {
                            block.yields[k] = block.params[first + k];
                            done = true;
                        }
                    }
                }
            }
        }),
        Some("whole_range") => each(&mut func.body, &mut |op| {
            if let Kind::For(head) = &mut op.kind {
                if let Domain::Taken {
                    inclusive,
                    reversed,
                } = head.domain
                {
                    head.domain = Domain::Range {
                        inclusive,
                        reversed: !reversed,
                    };
                    op.args.remove(2);
                }
            }
        }),
        // A cotangent that is there is taken for absent.
        Some("forget_taken") => each(&mut func.body, &mut |op| {
            let says = matches!(&op.kind, Kind::Lit(tokens) if tokens.to_string() == "true");
            if says && op.origin == Origin::Derived && op.pos == 0 && !done {
                op.kind = Kind::Lit(quote!(false));
                done = true;
            }
        }),
        // What stands under a guard is lost.
        Some("drop_sunk") => each(&mut func.body, &mut |op| {
            if op.pos != 0 || !matches!(op.kind, Kind::If | Kind::Switch) || done {
                return;
            }
            for block in &mut op.blocks {
                let product = |v: Value| {
                    let mut ops = block.ops.iter();
                    ops.any(|op| op.results == [v] && matches!(op.kind, Kind::Prim(Prim::Mul)))
                };
                if let Some(k) = block.yields.iter().position(|&v| product(v)) {
                    let (zero, v) = (quote!(0.0), block.yields[k]);
                    let made = block.ops.iter_mut().find(|op| op.results == [v]);
                    if let Some(op) = made.filter(|_| !done) {
                        op.kind = Kind::Lit(zero);
                        op.args.clear();
                        done = true;
                    }
                }
            }
        }),
        Some("drop_round") => {
            let mut body = std::mem::take(&mut func.body.ops);
            drop_round(&mut body, func);
            func.body.ops = body;
        }
        _ => {}
    }
}

/// Mutations of both sweeps with tangents.
pub(crate) fn second(func: &mut Func, mutate: Option<&str>) {
    let mut done = false;
    match mutate {
        // A partial derivative that changes is taken for one that does not.
        Some("drop_bend") => {
            // Times what the partial itself is multiplied with.
            let mut multiplied = FxHashSet::default();
            each(&mut func.body, &mut |op| {
                if is_guarded(&op.kind) {
                    multiplied.insert(op.args[0]);
                }
            });
            each(&mut func.body, &mut |op| {
                if is_guarded(&op.kind) && multiplied.contains(&op.args[1]) && !done {
                    op.kind = Kind::Prim(Prim::Sub);
                    op.args[1] = op.args[0];
                    op.args.truncate(2);
                    done = true;
                }
            });
        }
        // The same of operators of the user's own types: of all of them, since for many (sums) nothing is kept that has a tangent.
        Some("drop_kept_dot") => each(&mut func.body, &mut |op| {
            if let Kind::Prim(Prim::DotBack(_, _, there @ [true, _])) = &mut op.kind {
                there[0] = false;
                op.args.remove(1);
            }
        }),
        _ => {}
    }
}

fn is_guarded(kind: &Kind) -> bool {
    matches!(kind, Kind::Prim(Prim::Smul | Prim::Zmul | Prim::Absorb(_)))
}

/// The first reversed loop that counts its rounds does one too few; says whether there was one.
fn drop_round(ops: &mut Vec<Op>, func: &mut Func) -> bool {
    for at in 0..ops.len() {
        let op = &mut ops[at];
        let reversed = op.blocks.first().is_some_and(|b| b.mirror.is_some());
        let count = match &op.kind {
            Kind::For(head) if reversed => match head.domain {
                Domain::Count => Some(0),
                Domain::Taken { .. } => Some(2),
                _ => None,
            },
            _ => None,
        };
        if let Some(count) = count {
            let fewer = func.value("fewer", Ty::Int);
            let rounds = std::mem::replace(&mut op.args[count], fewer);
            let opaque = Opaque {
                tokens: quote!(usize::saturating_sub(__a0, 1)),
                places: Vec::new(),
                writes: Vec::new(),
                pure: true,
            };
            let mut build = Build::new(func, Origin::Derived);
            build.push(Kind::Opaque(opaque), vec![rounds], vec![fewer]);
            ops.splice(at..at, build.ops);
            return true;
        }
        for block in 0..ops[at].blocks.len() {
            let mut inner = std::mem::take(&mut ops[at].blocks[block].ops);
            let done = drop_round(&mut inner, func);
            ops[at].blocks[block].ops = inner;
            if done {
                return true;
            }
        }
    }
    false
}

fn each(block: &mut Block, f: &mut dyn FnMut(&mut Op)) {
    for op in &mut block.ops {
        f(op);
        for inner in &mut op.blocks {
            each(inner, f);
        }
    }
}
