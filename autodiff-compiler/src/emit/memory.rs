//! Operations that change more than one element, or a length.

use proc_macro2::TokenStream;
use quote::quote;

use super::Emit;
use crate::ir::{Change, Kind, Op, Path, Step};

impl Emit<'_> {
    pub(super) fn memory(&mut self, op: &Op, out: &mut Vec<TokenStream>) {
        match &op.kind {
            Kind::Change(change, path) => self.change(*change, path, op, out),
            Kind::Swap(a, b) => out.push(self.swap(a, b)),
            Kind::Copy(to, from) => {
                let nothing = self.may_be_nothing(to) || self.may_be_nothing(from);
                let (to, from) = (self.path(to), self.path(from));
                out.push(if nothing {
                    quote!(rt::Slot(&mut #to).copy(&#from);)
                } else {
                    quote!(#to.copy_from_slice(&#from);)
                });
            }
            Kind::Fill(path) => {
                let nothing = self.may_be_nothing(path);
                let (path, v) = (self.path(path), self.moved(op.args[0]));
                out.push(if nothing {
                    quote!(rt::Slot(&mut #path).fill(#v);)
                } else {
                    quote!(#path.fill(#v);)
                });
            }
            Kind::Give(to, from) => {
                let nothing = self.may_be_nothing(to) || self.may_be_nothing(from);
                let (to, from) = (self.path(to), self.path(from));
                out.push(if nothing {
                    quote!(rt::Slot(&mut #from).give(&mut #to);)
                } else {
                    quote!(rt::give(&mut #to, &mut #from);)
                });
            }
            Kind::SumZero(path) => {
                let nothing = self.may_be_nothing(path);
                let (path, zero) = (self.path(path), self.moved(op.args[0]));
                let sum = if nothing {
                    quote!(rt::Slot(&mut #path).sum_zero(#zero))
                } else {
                    quote!(rt::sum_zero(&mut #path, #zero))
                };
                self.bind(op.results[0], &sum, out);
            }
            _ => {}
        }
    }

    fn change(&mut self, change: Change, path: &Path, op: &Op, out: &mut Vec<TokenStream>) {
        let args: Vec<TokenStream> = op.args.iter().map(|&v| self.moved(v)).collect();
        let nothing = self.may_be_nothing(path);
        let path = self.path(path);
        let tokens = match (change, args.as_slice()) {
            (Change::Push, [v]) if nothing => quote!(rt::Slot(&mut #path).push(#v)),
            (Change::Append, [_, w]) if nothing => quote!(rt::Slot(&mut #path).append(#w)),
            (Change::Insert, [i, v]) if nothing => quote!(rt::Slot(&mut #path).insert(#i, #v)),
            (Change::Cut, [n]) if nothing => quote!(rt::Slot(&mut #path).cut(#n)),
            (Change::Remove, [i]) if nothing => quote!(rt::Slot(&mut #path).remove(#i)),
            _ if nothing => quote!(rt::Slot(&mut #path).pop()),
            (Change::Push, [v]) => quote!(#path.push(#v)),
            (Change::Append, [_, w]) => quote!(rt::append(&mut #path, #w)),
            (Change::Insert, [i, v]) => quote!(#path.insert(#i, #v)),
            (Change::Cut, [n]) => quote!(#path.split_off(#n)),
            (Change::Remove, [i]) => quote!(#path.remove(#i)),
            _ => quote!(rt::pop(&mut #path)),
        };
        match op.results.first() {
            Some(&v) => self.bind(v, &tokens, out),
            None => out.push(quote!(#tokens;)),
        }
    }

    fn swap(&mut self, a: &Path, b: &Path) -> TokenStream {
        match (a.steps.split_last(), b.steps.split_last()) {
            (Some((Step::Index(i), above)), Some((Step::Index(j), other)))
                if a.root == b.root && above == other =>
            {
                let path = Path {
                    root: a.root,
                    steps: above.to_vec(),
                };
                let nothing = self.may_be_nothing(&path);
                let (i, j, path) = (self.bare(*i), self.bare(*j), self.path(&path));
                if nothing {
                    quote!(rt::Slot(&mut #path).swap(#i, #j);)
                } else {
                    quote!(#path.swap(#i, #j);)
                }
            }
            _ => {
                let (a, b) = (self.path(a), self.path(b));
                quote!(rt::swap(&mut #a, &mut #b);)
            }
        }
    }
}
