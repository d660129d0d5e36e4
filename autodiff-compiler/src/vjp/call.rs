//! The reverse of a call: its pullback.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Cx;
use crate::build::Build;
use crate::ir::{
    Arg, Call, Companion, Form, Kind, Op, Origin, Path, Place, Pos, Step, Storage, Ty, Value,
};

/// What was added to a shadow's stand-in, and where it belongs.
type Later = Vec<(Path, Place, Ty)>;

impl Cx<'_> {
    pub(super) fn reverse_call(
        &mut self,
        op: &Op,
        calls: &FxHashMap<Pos, Value>,
        out: &mut Vec<Op>,
    ) {
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
        for arg in &call.args {
            args.push(match arg {
                Arg::Value(_) | Arg::Owned => Arg::Owned,
                Arg::Function(k) => Arg::Function(*k),
                Arg::Capture(path) if self.activity.place(path.root) => {
                    Arg::Capture(self.shadow_path(path, at, out))
                }
                Arg::Capture(_) => Arg::Owned,
                Arg::Ref(path) => Arg::Ref(self.need_path(path, at, out)),
                Arg::Mut(path) => Arg::Mut(self.need_path(path, at, out)),
            });
        }
        let (companions, later) = self.shadows_of(call, at, out);
        let bars = self.cotangents_of(call);
        let reversed = Call {
            args,
            form: Form::Backward(companions),
            ..call.clone()
        };
        let mut build = Build::new(&mut self.func, Origin::Derived);
        build.span = op.span;
        let results = bars.iter().map(|&(_, bar)| bar).collect();
        build.push(Kind::Call(reversed), vec![back, bar], results);
        out.append(&mut build.ops);
        self.give(later, out);
        for (v, bar) in bars {
            self.accumulate(v, bar, out);
        }
    }

    /// A cotangent for each argument that is passed by value.
    pub(super) fn cotangents_of(&mut self, call: &Call) -> Vec<(Value, Value)> {
        let bars = call.values().map(|v| {
            let (ty, hint) = (self.func.ty(v).clone(), format!("d_{}", self.func.hint(v)));
            (v, self.func.value(hint, ty))
        });
        bars.collect()
    }

    /// The shadows of what a call is lent: those to which its reverse adds.
    pub(super) fn shadows_of(
        &mut self,
        call: &Call,
        at: Pos,
        out: &mut Vec<Op>,
    ) -> (Vec<Companion>, Later) {
        let (mut companions, mut later) = (Vec::new(), Vec::new());
        let mut borrowed: Vec<&Path> = Vec::new();
        // Parts of one place of which one is lent mutably do not overlap.
        let changed = |arg: &Arg| match arg {
            Arg::Mut(path) => Some(path.root),
            _ => None,
        };
        let lent: FxHashSet<Place> = call.args.iter().filter_map(changed).collect();
        for arg in &call.args {
            let (Arg::Ref(path) | Arg::Mut(path)) = arg else {
                continue;
            };
            companions.push(if !self.activity.place(path.root) {
                Companion::Zero
            } else if lent.contains(&path.root)
                || borrowed.iter().all(|other| self.apart(path, other))
            {
                borrowed.push(path);
                Companion::Place(self.shadow_path(path, at, out))
            } else {
                // A second borrow of one shadow goes through a temporary.
                let ty = self.func.path_ty(path);
                let again = self.need_path(path, at, out);
                let shape = self.shape_of(again, 0, out);
                let temporary = self.func.place("d_t", ty.clone(), Storage::Local);
                self.func.at_mut(temporary).mutable = true;
                self.effect(Kind::NewZero(temporary), vec![shape], out);
                later.push((self.shadow_path(path, at, out), temporary, ty));
                Companion::Place(Path::whole(temporary))
            });
        }
        (companions, later)
    }

    /// Adds what stands apart to the shadows.
    pub(super) fn give(&mut self, later: Later, out: &mut Vec<Op>) {
        for (path, temporary, ty) in later {
            let bar = self.derived(Kind::Take(temporary), Vec::new(), ty, out);
            self.effect(Kind::AddTo(path), vec![bar], out);
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
