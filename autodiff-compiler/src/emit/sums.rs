//! Loops that are one sum of cotangents, as calls of the runtime, which adds up in lanes.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::views::Alias;
use super::{Emit, slot, tape_name};
use crate::ir::{Block, For, Op, Path, Step};
use crate::sums::{Sum, is_index, is_reversed};

impl Emit<'_> {
    /// Writes a loop that is one sum of cotangents over parts of sequences as a call of the runtime; `false` where it is another loop, or these parts cannot be cut out.
    pub(super) fn sum_in_lanes(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) -> bool {
        let func = self.func;
        let Some(sum) = Sum::alone(func, op) else {
            return false;
        };
        let block = &op.blocks[0];
        let directional = block.params.iter().chain(&block.recall);
        let directional = directional.chain(sum.ops.iter().flat_map(|op| &op.results));
        let mut directional = directional.copied();
        let slots = |tape| block.mirror.is_some() && self.opened.get(&tape) == Some(&true);
        if directional.any(|v| self.is_directional(v)) || !head.tape.is_none_or(slots) {
            return false;
        }
        if self.bare(op.args[0]).to_string() != "0" {
            return false;
        }
        let outer = self.aliases.len();
        let mut before = Vec::new();
        self.name_end(op.args[1], out);
        self.hoist(op, head, &mut before);
        let parts: Option<Vec<Ident>> = sum.elements.iter().map(|path| self.part(path)).collect();
        let Some(parts) = parts else {
            self.aliases.truncate(outer);
            return false;
        };
        let mut parts: Vec<TokenStream> = parts.iter().map(|name| quote!(#name[..])).collect();
        let mut elements = Vec::new();
        for &path in &sum.elements {
            let name = self.fresh(&func.at(path.root).hint);
            (self.aliases).push(Alias::number(path.clone(), name.clone()));
            elements.push(name.to_token_stream());
        }
        let n = self.bare(op.args[1]);
        let rounds = quote!(rt::rounds(&(0..#n)));
        let tape = head.tape.map(tape_name);
        if let (Some(tape), true) = (&tape, sum.recalls) {
            parts.push(quote!(#tape.last(#rounds)[..]));
            let names: Vec<TokenStream> = block.recall.iter().map(|&v| self.binder(v)).collect();
            elements.push(slot(&names));
        }
        let index = |op: &&Op| is_index(op, &sum.elements);
        let round = Block {
            ops: (block.ops.iter().filter(|op| !index(op)).cloned()).collect(),
            ..block.clone()
        };
        let carried = self.name(block.params[1]);
        let next = self.block(&round, |cx| cx.moved(block.yields[0]));
        self.aliases.truncate(outer);
        let start = self.moved(op.args[2]);
        let total = self.results(&op.results);
        // What is remembered is read from its end, whichever way the loop goes.
        let backward = is_reversed(op) || sum.recalls;
        let along = match parts.len() {
            1 => quote!(along_one),
            2 => quote!(along_two),
            _ => quote!(along_three),
        };
        out.append(&mut before);
        out.push(quote! {
            #total rt::sums::#along(#backward, #start, #(&#parts,)* |#carried, #(#elements),*| { #next });
        });
        if let Some(tape) = tape.filter(|_| !head.peeks) {
            out.push(quote!(#tape.close(#rounds);));
        }
        true
    }

    /// The name of the part of a sequence, as long as the loop, through which its rounds walk to reach this element.
    fn part(&self, element: &Path) -> Option<Ident> {
        let (Step::Index(index), above) = element.steps.split_last()? else {
            return None;
        };
        let mut known = self.aliases.iter().rev();
        let cut = known.find(|alias| alias.is_cut(element.root, above, *index))?;
        Some(cut.name.clone())
    }
}
