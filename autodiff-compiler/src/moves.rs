//! Moves a list out of the variable that is given another before anything looks at it again.

use crate::ir::{Func, Kind, Op, Storage};

/// `t = P … P = v` with nothing of `P` in between, and no way out: `t` need not be a copy.
pub(crate) fn moves(func: &mut Func) {
    let mut ops = std::mem::take(&mut func.body.ops);
    in_block(func, &mut ops);
    func.body.ops = ops;
}

fn in_block(func: &Func, ops: &mut [Op]) {
    for k in 0..ops.len() {
        for block in &mut ops[k].blocks {
            in_block(func, &mut block.ops);
        }
        let Kind::Load(path) = &ops[k].kind else {
            continue;
        };
        let p = path.root;
        let variable = matches!(func.at(p).storage, Storage::Local | Storage::Owned);
        if !path.steps.is_empty() || !variable || func.at(p).ty.is_plain() {
            continue;
        }
        let leaves =
            |op: &Op| op.exits() || matches!(op.kind, Kind::Leave | Kind::Until | Kind::Mark);
        let next = ops[k + 1..].iter().find(|op| op.mentions(p) || leaves(op));
        if next.is_some_and(|op| matches!(&op.kind, Kind::Store(whole) if whole.steps.is_empty())) {
            ops[k].kind = Kind::Take(p);
        }
    }
}
