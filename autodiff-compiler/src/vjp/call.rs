//! The reverse of a call: its pullback.

use std::collections::{HashMap, HashSet};

use super::Cx;
use crate::build::Build;
use crate::ir::{Arg, Companion, Form, Kind, Op, Origin, Path, Place, Pos, Step, Storage, Value};

impl Cx<'_> {
    pub(super) fn reverse_call(&mut self, op: &Op, calls: &HashMap<Pos, Value>, out: &mut Vec<Op>) {
        let Kind::Call(call) = &op.kind else { return };
        let at = op.pos;
        let Some(&back) = calls.get(&at) else {
            self.undo_whole(op, out);
            return;
        };
        let y = op.results[0];
        let bar = self.assemble(y, out);
        // What it has changed is undone by the pullback, whether it has a cotangent or not.
        let writes = call.args.iter().any(|arg| matches!(arg, Arg::Mut(_)));
        if bar.is_none() && !writes {
            return;
        }
        let bar = match bar {
            Some(bar) => bar,
            None => self.zero(y, at, out),
        };
        let back = self.need(back, at, out);
        let mut args = Vec::new();
        let mut companions = Vec::new();
        let mut later = Vec::new();
        let mut borrowed: Vec<&Path> = Vec::new();
        // Parts of one place of which one is lent mutably do not overlap.
        let lent: HashSet<Place> = call
            .args
            .iter()
            .filter_map(|arg| match arg {
                Arg::Mut(path) => Some(path.root),
                _ => None,
            })
            .collect();
        for arg in &call.args {
            match arg {
                Arg::Value(_) | Arg::Owned => args.push(Arg::Owned),
                Arg::Function(k) => args.push(Arg::Function(*k)),
                Arg::Capture(path) => args.push(if self.activity.place(path.root) {
                    Arg::Capture(self.shadow_path(path, at, out))
                } else {
                    Arg::Owned
                }),
                Arg::Ref(path) | Arg::Mut(path) => {
                    let again = self.need_path(path, at, out);
                    let companion = if !self.activity.place(path.root) {
                        Companion::Zero
                    } else if lent.contains(&path.root)
                        || borrowed.iter().all(|other| self.apart(path, other))
                    {
                        borrowed.push(path);
                        Companion::Place(self.shadow_path(path, at, out))
                    } else {
                        // A second borrow of one shadow goes through a temporary.
                        let ty = self.func.path_ty(path);
                        let shape = self.shape_of(again.clone(), 0, out);
                        let temporary = self.func.place("d_t", ty.clone(), Storage::Local);
                        self.func.at_mut(temporary).mutable = true;
                        self.effect(Kind::NewZero(temporary), vec![shape], out);
                        later.push((self.shadow_path(path, at, out), temporary, ty));
                        Companion::Place(Path::whole(temporary))
                    };
                    companions.push(companion);
                    args.push(if matches!(arg, Arg::Mut(_)) {
                        Arg::Mut(again)
                    } else {
                        Arg::Ref(again)
                    });
                }
            }
        }
        let owned: Vec<Value> = call
            .args
            .iter()
            .filter_map(|arg| {
                if let Arg::Value(v) = arg {
                    Some(*v)
                } else {
                    None
                }
            })
            .collect();
        let bars: Vec<Value> = owned
            .iter()
            .map(|&v| {
                let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
                self.func.value(hint, ty)
            })
            .collect();
        let reversed = crate::ir::Call {
            args,
            form: Form::Backward(companions),
            ..call.clone()
        };
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        build.push(Kind::Call(reversed), vec![back, bar], bars.clone());
        out.append(&mut build.ops);
        for (path, temporary, ty) in later {
            let bar = self.derived(Kind::Take(temporary), Vec::new(), ty, out);
            self.effect(Kind::AddTo(path), vec![bar], out);
        }
        for (v, bar) in owned.into_iter().zip(bars) {
            self.accumulate(v, bar, out);
        }
    }

    /// Whether rustc sees that two parts do not overlap: other places, or other fields of one struct.
    fn apart(&self, a: &Path, b: &Path) -> bool {
        let common = a.steps.iter().zip(&b.steps);
        let common = common.take_while(|(x, y)| x == y).count();
        let field = |path: &Path| matches!(path.steps.get(common), Some(Step::Field(_)));
        let above = Path {
            root: a.root,
            steps: a.steps[..common].to_vec(),
        };
        let named = |step: &Step| matches!(step, Step::Field(_));
        a.root != b.root
            || field(a)
                && field(b)
                && above.steps.iter().all(named)
                && !self.func.through_field(&above)
    }
}
