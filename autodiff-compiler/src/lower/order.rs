//! Receivers that are taken by value before an argument changes them.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::Lower;
use super::opaque::Operands;
use crate::forms::sibling;
use crate::ir::{Arg, Kind, Op, Opaque, Path, Step};

impl Lower<'_> {
    /// Makes rustc check that `method` is lent its receiver, if what has been lowered since `before` may change that.
    ///
    /// Only the type says how a method takes its receiver: forms beside those that take it by value do, and beside those that change it.
    pub(super) fn require_order(&mut self, receiver: &Path, method: &Ident, before: usize) {
        let mut changes = Vec::new();
        for op in &self.ops[before..] {
            changes.extend(change(op, receiver));
            for op in op.blocks.iter().flat_map(|block| &block.ops) {
                op.walk(&mut |op| {
                    // An index that is known in there only.
                    let inside = |(path, by): (Path, Option<Ident>)| {
                        let by = by.filter(|_: &Ident| path.values().next().is_none());
                        (path, by)
                    };
                    changes.extend(change(op, receiver).map(inside));
                });
            }
        }
        for (path, by) in changes {
            self.require_order_of((receiver, method), &path, by.as_ref());
        }
    }

    /// `by` is the method that may change the receiver; anything else does.
    fn require_order_of(
        &mut self,
        (receiver, method): (&Path, &Ident),
        changed: &Path,
        by: Option<&Ident>,
    ) {
        let mut operands = Operands::default();
        let receiver = self.borrowed_tokens(receiver, &mut operands);
        let taken = sibling("__by_value", method);
        let asked = |form: &Ident, of: &TokenStream| {
            quote! {{
                trait __Asked { #[inline] fn #form(&self) -> rt::Borrowed { rt::Borrowed } }
                impl<__T: ?::core::marker::Sized> __Asked for __T {}
                (&*#of).#form()
            }}
        };
        let first = asked(&taken, &receiver);
        let second = match by {
            Some(by) => {
                let changed = self.borrowed_tokens(changed, &mut operands);
                asked(&sibling("__changed", by), &changed)
            }
            None => quote!(rt::Changed),
        };
        let span = method.span();
        let check = Opaque {
            tokens: quote_spanned!(span=> if false { let __order = (#first, #second); rt::in_order(__order); }),
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        self.push(Kind::Opaque(check), operands.args, Vec::new());
    }
}

/// The part of the receiver that an operation may change, and the method that does if it is one.
fn change(op: &Op, receiver: &Path) -> Option<(Path, Option<Ident>)> {
    let overlaps = |path: &&Path| {
        let steps = path.steps.iter().zip(&receiver.steps);
        let fork = steps
            .skip_while(|(a, b)| a == b)
            .map(|(step, _)| step)
            .next();
        path.root == receiver.root && !matches!(fork, Some(Step::Field(_)))
    };
    if let Kind::Call(call) = &op.kind {
        let lent = |arg: &Arg| match arg {
            Arg::Mut(path) => Some(path).filter(overlaps).cloned(),
            _ => None,
        };
        let by = call.member.clone().filter(|_| call.receiver);
        let mut args = call.args.iter().enumerate();
        return args.find_map(|(k, arg)| Some((lent(arg)?, by.clone().filter(|_| k == 0))));
    }
    if !op.stores().contains(&receiver.root) {
        return None;
    }
    let paths = op.paths();
    let whole = Path::whole(receiver.root);
    let all = if paths.is_empty() {
        vec![&whole]
    } else {
        paths
    };
    all.into_iter()
        .find(overlaps)
        .map(|path| (path.clone(), None))
}
