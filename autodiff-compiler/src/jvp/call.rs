//! Calls: the form of the callee that has tangents, whichever form was called.

use super::Cx;
use crate::ir::{Arg, Call, Companion, Form, Kind, Op, Value};

impl Cx<'_> {
    pub(super) fn call(&mut self, op: &Op, out: &mut Vec<Op>) {
        let Kind::Call(old) = &op.kind else { return };
        if matches!(old.form, Form::Primal) && !self.activity.concerns(op) {
            out.push(op.clone());
            return;
        }
        let mut call = old.clone();
        call.level += 1;
        let mut new = op.clone();
        // Results without a tangent stand at the end: a pullback knows that of its own.
        let mut results = op.results.as_slice();
        match &old.form {
            Form::Primal => call.form = Form::Jvp(self.arguments(old)),
            Form::Jvp(companions) => call.form = Form::Jvp(self.doubled(old, companions)),
            Form::Forward(companions) => {
                call.form = Form::Forward(self.doubled(old, companions));
                results = &op.results[..op.results.len() - 1];
            }
            Form::AtOnce(_) => {
                unreachable!("a call with its seed in a graph that is differentiated again")
            }
            Form::Backward(companions) => {
                let again = self.arguments(old);
                let again = again.into_iter().zip(&old.args);
                let again: Vec<Companion> = again
                    .filter(|(_, arg)| matches!(arg, Arg::Ref(_) | Arg::Mut(_)))
                    .map(|(companion, _)| companion)
                    .collect();
                let (tangents, shadows) = companions.split_at(again.len() * ((1 << old.level) - 1));
                let mut all = tangents.to_vec();
                all.extend(again);
                all.extend(self.dots_of(tangents));
                all.extend_from_slice(shadows);
                all.extend(self.dots_of(shadows));
                call.form = Form::Backward(all);
                // The shadows of what functions captured have tangents of their own.
                let captured = old.args[old.passed..].iter().map(|arg| match arg {
                    Arg::Capture(path) if self.activity.place(path.root) => {
                        Arg::Capture(self.tangent_path(path))
                    }
                    _ => Arg::Owned,
                });
                let captured: Vec<Arg> = captured.collect();
                call.args.extend(captured);
                for &seed in &op.args[1..] {
                    let dot = self.dot_or_zero(seed, out);
                    new.args.push(dot);
                }
            }
        }
        let dots: Vec<(Value, Value)> = results.iter().map(|&y| (y, self.fresh(y))).collect();
        let at = results.len();
        new.results.splice(at..at, dots.iter().map(|(_, dot)| *dot));
        new.kind = Kind::Call(call);
        out.push(new.clone());
        for (y, dot) in dots {
            self.bind(&new, y, dot, out);
        }
    }

    /// The tangents of the arguments.
    fn arguments(&mut self, call: &Call) -> Vec<Companion> {
        let companions = call.args.iter().map(|arg| match arg {
            Arg::Value(v) => self.dot(*v).map_or(Companion::Zero, Companion::Value),
            Arg::Ref(path) | Arg::Mut(path) | Arg::Capture(path)
                if self.activity.place(path.root) =>
            {
                Companion::Place(self.tangent_path(path))
            }
            Arg::Ref(_) | Arg::Mut(_) | Arg::Owned | Arg::Function(_) | Arg::Capture(_) => {
                Companion::Zero
            }
        });
        companions.collect()
    }

    /// Arguments and companions with their tangents: the companions of the next order.
    fn doubled(&mut self, call: &Call, companions: &[Companion]) -> Vec<Companion> {
        let mut all = companions.to_vec();
        all.extend(self.arguments(call));
        all.extend(self.dots_of(companions));
        all
    }

    fn dots_of(&mut self, companions: &[Companion]) -> Vec<Companion> {
        let dots = companions.iter().map(|companion| match companion {
            Companion::Value(v) => self.dot(*v).map_or(Companion::Zero, Companion::Value),
            Companion::Place(path) if self.activity.place(path.root) => {
                Companion::Place(self.tangent_path(path))
            }
            Companion::Place(_) | Companion::Zero => Companion::Zero,
        });
        dots.collect()
    }
}
