//! The tangents of what computes.

use crate::build::{Build, Operand};
use crate::ir::{Kind, Op, Prim, Side, Ty, Value};
use crate::rules;

/// The tangent of an arithmetic result; `None` where it is zero everywhere.
pub(super) fn prim_tangent(
    build: &mut Build<'_>,
    prim: Prim,
    op: &Op,
    dots: &[Option<Value>],
) -> Option<Value> {
    let y = op.results[0];
    let args = &op.args;
    match prim {
        // y = a + b   ⇒   ẏ = ȧ + ḃ
        Prim::Add => match (dots[0], dots[1]) {
            (Some(a), Some(b)) => Some(build.prim(Prim::Add, vec![a, b], "")),
            (a, b) => a.or(b),
        },
        // y = a − b   ⇒   ẏ = ȧ − ḃ
        Prim::Sub => match (dots[0], dots[1]) {
            (Some(a), Some(b)) => Some(build.prim(Prim::Sub, vec![a, b], "")),
            (None, Some(b)) => Some(build.prim(Prim::Neg, vec![b], "")),
            (a, None) => a,
        },
        // y = a b   ⇒   ẏ = ȧ b + a ḃ
        Prim::Mul => {
            let left = dots[0].map(|a| build.times(a, args[1]));
            let right = dots[1].map(|b| build.times(b, args[0]));
            sum(build, left, right)
        }
        // y = a / b   ⇒   ẏ = ȧ / b − y (ḃ / b)
        Prim::Div => {
            let left = dots[0].map(|a| build.prim(Prim::Sdiv, vec![a, args[1]], ""));
            let right = dots[1].map(|b| {
                let q = build.prim(Prim::Sdiv, vec![b, args[1]], "");
                build.prim(Prim::Smul, vec![q, y], "")
            });
            match (left, right) {
                (Some(a), Some(b)) => Some(build.prim(Prim::Sub, vec![a, b], "")),
                (None, Some(b)) => Some(build.prim(Prim::Neg, vec![b], "")),
                (a, None) => a,
            }
        }
        Prim::Neg => dots[0].map(|a| build.prim(Prim::Neg, vec![a], "")),
        Prim::Operator(operator) => {
            let mut total = None;
            for (k, d) in dots.iter().enumerate() {
                let Some(d) = d else { continue };
                let mut operands = args.clone();
                operands.push(*d);
                let ty = build.func.ty(y).clone();
                let fore = Kind::Prim(Prim::Fore(operator, Side::of(k)));
                let term = build.op(fore, operands, ty, "");
                total = sum(build, total, Some(term));
            }
            total
        }
        Prim::Number => {
            let ty = build.func.ty(y).clone();
            dots[0].map(|d| build.op(Kind::Prim(prim), vec![d], ty, ""))
        }
        // It moves what stands in the tangent, whatever the value.
        Prim::Settle => {
            let ty = build.func.ty(y).clone();
            dots[1].map(|d| build.op(Kind::Prim(prim), vec![args[0], d], ty, ""))
        }
        Prim::Shape => None,
        Prim::Keep(operator, side) => {
            let there = [0, 1].map(|k| dots.get(k).copied().flatten());
            let of = Prim::DotKeep(operator, side, there.map(|d| d.is_some()));
            let args = args.iter().copied().chain(there.into_iter().flatten());
            Some(build.op(Kind::Prim(of), args.collect(), Ty::User, "kept_dot"))
        }
        Prim::Back(operator, side) => {
            let of = Prim::DotBack(operator, side, [0, 1].map(|k| dots[k].is_some()));
            let args = args.iter().zip(dots);
            let args = args.flat_map(|(&v, &dot)| [Some(v), dot]).flatten();
            let ty = build.func.ty(y).clone();
            Some(build.op(Kind::Prim(of), args.collect(), ty, ""))
        }
        Prim::Fore(..) | Prim::DotKeep(..) | Prim::DotBack(..) => {
            unreachable!("refused where derivatives are differentiated")
        }
        // Guarded products behave as products do, and their terms are guarded as they are.
        // What has a tangent stands in front: it may have several.
        Prim::Select => {
            let left = dots[0].map(|d| build.prim(prim, vec![d, args[1]], ""));
            let right = dots[1].map(|p| build.prim(Prim::Zmul, vec![p, args[0]], ""));
            sum(build, left, right)
        }
        Prim::Smul | Prim::Zmul => {
            let left = dots[0].map(|a| build.prim(prim, vec![a, args[1]], ""));
            // The partial's tangent may overflow where the cotangent is zero.
            let right = dots[1].map(|b| build.prim(Prim::Zmul, vec![b, args[0]], ""));
            sum(build, left, right)
        }
        // The slope bends as the slope, and does not take part in how the partial does.
        Prim::Absorb(_) => {
            let left = dots[0].map(|s| {
                let rest = args[1..].iter().copied();
                build.prim(prim, [s].into_iter().chain(rest).collect(), "")
            });
            let right = dots[1].map(|p| build.prim(Prim::Zmul, vec![p, args[0]], ""));
            sum(build, left, right)
        }
        Prim::Sdiv => {
            let left = dots[0].map(|d| build.prim(Prim::Sdiv, vec![d, args[1]], ""));
            let right = dots[1].map(|b| {
                let q = build.prim(Prim::Sdiv, vec![b, args[1]], "");
                let r = build.prim(Prim::Smul, vec![q, y], "");
                build.prim(Prim::Neg, vec![r], "")
            });
            sum(build, left, right)
        }
        // y = linked(v, x…, p…)   ⇒   ẏ = Σ ẋ p
        Prim::Linked => {
            let mut total = None;
            for (k, partial) in Prim::linked(args.len()) {
                let term = dots[k].map(|d| build.prim(Prim::Smul, vec![d, args[partial]], ""));
                total = sum(build, total, term);
            }
            total
        }
        Prim::Rule(row) => {
            let rule = rules::rule(row);
            let mut total = None;
            for (k, dot) in dots.iter().enumerate() {
                let Some(d) = dot.filter(|_| !rule.integer[k]) else {
                    continue;
                };
                let term = build.contribution(row, k, d, &mut |_, operand| match operand {
                    Operand::Arg(k) => args[k],
                    Operand::Result => y,
                });
                total = sum(build, total, term);
            }
            total
        }
    }
}

/// The tangent of a field `y`, which its struct may have declared a constant.
pub(super) fn settle(build: &mut Build<'_>, y: Value, dot: Value) -> Value {
    let (ty, hint) = (build.func.ty(y).clone(), build.func.hint(dot).to_owned());
    build.op(Kind::Prim(Prim::Settle), vec![y, dot], ty, &hint)
}

fn sum(build: &mut Build<'_>, a: Option<Value>, b: Option<Value>) -> Option<Value> {
    match (a, b) {
        (Some(a), Some(b)) => Some(build.prim(Prim::Add, vec![a, b], "")),
        (a, b) => a.or(b),
    }
}
