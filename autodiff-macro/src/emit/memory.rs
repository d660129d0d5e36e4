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
                let (to, from) = (self.path(to), self.path(from));
                out.push(quote!(#to.copy_from_slice(&#from);));
            }
            Kind::Fill(path) => {
                let (path, v) = (self.path(path), self.moved(op.args[0]));
                out.push(quote!(#path.fill(#v);));
            }
            Kind::Give(to, from) => {
                let (to, from) = (self.path(to), self.path(from));
                out.push(quote!(rt::give(&mut #to, &mut #from);));
            }
            Kind::SumZero(path) => {
                let (path, zero) = (self.path(path), self.moved(op.args[0]));
                self.bind(op.results[0], &quote!(rt::sum_zero(&mut #path, #zero)), out);
            }
            _ => {}
        }
    }

    fn change(&mut self, change: Change, path: &Path, op: &Op, out: &mut Vec<TokenStream>) {
        let args: Vec<TokenStream> = op.args.iter().map(|&v| self.moved(v)).collect();
        let path = self.path(path);
        let tokens = match (change, args.as_slice()) {
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
                let (i, j, path) = (self.bare(*i), self.bare(*j), self.path(&path));
                quote!(#path.swap(#i, #j);)
            }
            _ => {
                let (a, b) = (self.path(a), self.path(b));
                quote!(rt::swap(&mut #a, &mut #b);)
            }
        }
    }
}
