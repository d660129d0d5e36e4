//! Conditionals and loops.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, items_name, room_name, rounds_label, slot, tape_name, unparen, views};
use crate::ir::{Domain, For, Kind, Op, Ty, Value, Width};
use crate::onward::is_free;

impl Emit<'_> {
    /// `let (a, b): (f32, _) =`, or nothing where there are no results.
    pub(super) fn results(&mut self, results: &[Value]) -> Option<TokenStream> {
        match results {
            [] => None,
            [v] => {
                let name = self.binder(*v);
                let ty = self.ascription(*v).map(|ty| quote!(: #ty));
                Some(quote!(let #name #ty =))
            }
            all => {
                let names: Vec<_> = all.iter().map(|&v| self.binder(v)).collect();
                let written = all.iter().any(|&v| self.ascription(v).is_some());
                let tys = all.iter().map(|&v| {
                    self.ascription(v)
                        .map_or_else(|| quote!(_), ToTokens::to_token_stream)
                });
                let tys = written.then(|| quote!(: (#(#tys),*)));
                Some(quote!(let (#(#names),*) #tys =))
            }
        }
    }

    /// The types that the user wrote for what a pattern binds, which cannot say them.
    pub(super) fn ascribed(&mut self, bound: &[Value]) -> TokenStream {
        let mut out = TokenStream::new();
        for &v in bound {
            if let Some(ty) = self.ascription(v).filter(|_| self.used(v) > 0) {
                let name = self.name(v);
                out.extend(quote!(let #name: #ty = #name;));
            }
        }
        out
    }

    /// A loop, and in front of the outermost one the zeros that calls in it are lent.
    pub(super) fn for_loop(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) {
        if self.spares.is_some() {
            self.rounds_in(op, head, out);
            return;
        }
        self.spares = Some(Vec::new());
        let mut written = Vec::new();
        self.room_for_rounds(op, head, &mut written);
        self.rounds_in(op, head, &mut written);
        let spares = self.spares.take().unwrap_or_default();
        out.extend(spares.iter().map(|name| quote!(let mut #name = rt::None;)));
        out.append(&mut written);
    }

    /// Makes room for what the rounds of an outermost loop push, so that it is moved once at most; inner loops find what earlier rounds left.
    fn room_for_rounds(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) {
        let Domain::Range { inclusive, .. } = head.domain else {
            return;
        };
        let slots = op.opens_slots(self.func) || op.counts_slots(self.func);
        let known = !slots && !op.exits() && op.blocks[0].mirror.is_none();
        let Some(tape) = head.tape.filter(|_| known).map(tape_name) else {
            return;
        };
        self.name_end(op.args[1], out);
        let (lo, hi) = (self.operand(op.args[0]), self.operand(op.args[1]));
        let range = if inclusive {
            quote!(#lo..=#hi)
        } else {
            quote!(#lo..#hi)
        };
        out.push(quote!(#tape.reserve(rt::rounds(&(#range)));));
    }

    fn rounds_in(&mut self, op: &Op, head: &For, out: &mut Vec<TokenStream>) {
        if self.sum_in_lanes(op, head, out) {
            return;
        }
        let block = &op.blocks[0];
        let domain = head.domain.operands();
        let params = &block.params[head.inductions..];
        // Carried values are variables around the loop.
        for (k, &param) in params.iter().enumerate() {
            let init = self.moved(op.args[domain + k]);
            let name = self.name(param);
            let bare = syn::parse2::<syn::LitFloat>(init.clone()).is_ok();
            let result = op.results.get(k).copied();
            let written = [Some(param), result]
                .into_iter()
                .flatten()
                .find_map(|v| self.ascription(v));
            let ty = match self.func.ty(param) {
                _ if written.is_some() => written.map(|ty| quote!(: #ty)),
                _ if self.is_directional(param) => None,
                // The type of a bare literal may have been written elsewhere.
                Ty::Float(Width::F64) if bare => Some(quote!(: f64)),
                Ty::Float(Width::F32) if bare => Some(quote!(: f32)),
                // An option that starts empty does not show what it holds.
                option @ Ty::Option(_) => spelled(option).map(|ty| quote!(: #ty)),
                _ => None,
            };
            out.push(quote!(let mut #name #ty = #init;));
            if let Some(result) = result {
                self.names.insert(result, name);
            }
        }
        let rounds = head
            .counted
            .then(|| self.name(op.results[op.results.len() - 1]));
        if let Some(rounds) = &rounds {
            out.push(quote!(let mut #rounds = 0_usize;));
        }
        let mirrors = block.mirror.is_some();
        if let (Domain::Range { .. }, true) = (&head.domain, block.is_innermost()) {
            self.name_end(op.args[1], out);
        }
        let range = match &head.domain {
            Domain::Range { inclusive, .. } => {
                let (lo, hi) = (self.operand(op.args[0]), self.operand(op.args[1]));
                if *inclusive {
                    quote!((#lo..=#hi))
                } else {
                    quote!((#lo..#hi))
                }
            }
            Domain::Count => {
                let n = self.operand(op.args[0]);
                quote!((0..#n))
            }
            Domain::Taken {
                inclusive,
                reversed,
            } => {
                let (lo, hi) = (self.operand(op.args[0]), self.operand(op.args[1]));
                let n = self.operand(op.args[2]);
                let range = if *inclusive {
                    quote!(#lo..=#hi)
                } else {
                    quote!(#lo..#hi)
                };
                // The items of the first rounds, last round first.
                if *reversed {
                    quote!(rt::last_items(#range, #n))
                } else {
                    quote!(rt::first_items(#range, #n).rev())
                }
            }
            Domain::Forever => TokenStream::new(),
            Domain::Verbatim { iter, .. } => {
                self.fill(&iter.tokens, &op.args[..domain], &iter.places, &[])
            }
        };
        let exits = !mirrors && op.exits();
        let reversed = matches!(head.domain, Domain::Range { reversed: true, .. });
        let walk = if reversed {
            quote!(#range.rev())
        } else {
            range.clone()
        };
        let pat = match &head.domain {
            Domain::Forever => TokenStream::new(),
            Domain::Verbatim { pat, .. } => {
                self.fill(pat, &[], &[], &block.params[..head.inductions])
            }
            _ => self.binder(block.params[0]),
        };
        let open = match head.tape {
            Some(tape) if !mirrors => {
                let open = op.opens_slots(self.func);
                self.opened.insert(tape, open || op.counts_slots(self.func));
                open
            }
            Some(tape) => self.opened.get(&tape).copied().unwrap_or(false),
            None => false,
        };
        let counts = !mirrors && !open && op.counts_slots(self.func);
        let counted = head.tape.filter(|_| counts);
        // The loops inside leave themselves.
        let around = std::mem::replace(&mut self.leaving, counted.map(rounds_label));
        let count = rounds.as_ref().map(|rounds| quote!(#rounds += 1;));
        let outer_aliases = self.aliases.len();
        let views::Hoisted { pairs, after } = self.hoist(op, head, out);
        let alone = after.is_empty() && views::stands_alone(op, head);
        let rounds_of = |cx: &mut Self, walk: &TokenStream| {
            let ascribed = cx.ascribed(&block.params[..head.inductions]);
            let body = cx.block(block, |cx| {
                let assign = cx.carry(params, &block.yields);
                let records: Vec<_> = block.record.iter().map(|&v| cx.moved(v)).collect();
                let records = slot(&records);
                let record = match head.tape {
                    Some(_) if mirrors => TokenStream::new(),
                    Some(_) if open || counts => quote!(*slot = #records;),
                    Some(tape) => {
                        let tape = tape_name(tape);
                        quote!(#tape.push(#records);)
                    }
                    None => TokenStream::new(),
                };
                // What is remembered may be a carried value of before: it is written first.
                // Whether this was the last round was evaluated before the carried values changed.
                let last = block.ops.iter().rev().find_map(|op| match op.kind {
                    Kind::Until => Some(op.args[0]),
                    _ => None,
                });
                let until = last.filter(|_| exits).map(|v| {
                    let v = cx.name(v);
                    let label = &cx.leaving;
                    quote!(if #v { break #label; })
                });
                quote!(#record #assign #count #until)
            });
            let body = quote!(#ascribed #body);
            let names: Vec<_> = block.recall.iter().map(|&v| cx.binder(v)).collect();
            let names = slot(&names);
            match head.tape {
                Some(tape) if !mirrors && open => {
                    let tape = tape_name(tape);
                    let walk = unparen(walk);
                    quote!(for (slot, #pat) in #tape.open(rt::rounds(&#range)).iter_mut().zip(#walk) { #body })
                }
                Some(tape) if mirrors && open => {
                    let tape = tape_name(tape);
                    let walk = unparen(walk);
                    let rounds = match head.domain {
                        Domain::Count => cx.operand(op.args[0]),
                        Domain::Taken { .. } => cx.operand(op.args[2]),
                        _ => quote!(rt::rounds(&#range)),
                    };
                    let close = (!head.peeks).then(|| quote!(#tape.close(#rounds);));
                    if block.ops.is_empty() && params == block.yields {
                        return quote!(#close);
                    }
                    let rev = (!head.onward).then(|| quote!(.rev()));
                    let slots = quote!(#tape.last(#rounds).iter() #rev);
                    let walk = if pat.to_string() == "_" {
                        quote!(for slot in #slots)
                    } else {
                        quote!(for (slot, #pat) in #slots.zip(#walk))
                    };
                    quote! {
                        #walk {
                            let #names = *slot;
                            #body
                        }
                        #close
                    }
                }
                Some(tape) if mirrors => {
                    let tape = tape_name(tape);
                    let walk = unparen(walk);
                    quote! {
                        for #pat in #walk {
                            let #names = #tape.pop();
                            #body
                        }
                    }
                }
                Some(tape) if counts => {
                    let rounds = rounds.as_ref().map(ToTokens::to_token_stream);
                    let walk = match head.domain {
                        Domain::Forever => None,
                        Domain::Verbatim { .. } => {
                            Some(quote!(::core::iter::IntoIterator::into_iter(#walk)))
                        }
                        _ => Some(quote!(#walk.into_iter())),
                    };
                    let walk = walk.map(|walk| (walk, pat.clone()));
                    let written = matches!(head.domain, Domain::Verbatim { .. });
                    in_room(tape, walk, &body, &rounds.unwrap_or_default(), written)
                }
                _ if matches!(head.domain, Domain::Forever) => quote!(loop { #body }),
                // LLVM optimises a function of its own before it is a part of what is around it: in place, it does not unroll nests
                // whose inner loop runs as often as the shorter of two sequences is long (1.5 times the instructions).
                _ if alone => {
                    quote!(::core::iter::Iterator::for_each(#walk, |#pat| { #body });)
                }
                _ => {
                    let walk = unparen(walk);
                    quote!(for #pat in #walk { #body })
                }
            }
        };
        let written = if pairs.is_empty() {
            rounds_of(self, &walk)
        } else {
            let aliases = self.aliases.len();
            self.aliases
                .extend(pairs.iter().flat_map(|pair| pair.aliases.clone()));
            let apart: Vec<_> = pairs.iter().map(views::Pair::place).collect();
            // Of such rows no round touches what another one does: none need be the last.
            let free = reversed && head.tape.is_none() && is_free(self.func, op, &apart);
            let by_rows = rounds_of(self, if free { &range } else { &walk });
            self.aliases.truncate(aliases);
            let by_index = rounds_of(self, &walk);
            let names = pairs.iter().map(
                |views::Pair { names: [a, b], .. }| quote!(::core::option::Option::Some((#a, #b))),
            );
            let rows = pairs.iter().map(|pair| &pair.rows);
            quote!(if let (#(#names,)*) = (#(#rows,)*) { #by_rows } else { #by_index })
        };
        self.aliases.truncate(outer_aliases);
        self.leaving = around;
        out.push(written);
        if let Some(tape) = counted.map(tape_name) {
            out.push(quote!(#tape.opened(#rounds);));
        }
        out.extend(after);
    }

    /// Gives the end of a range a name, since it is written for each part that is cut out for its loop.
    pub(super) fn name_end(&mut self, end: Value, out: &mut Vec<TokenStream>) {
        let Some((tokens, size)) = self.inlined.get(&end).cloned() else {
            return;
        };
        if size > 1 {
            self.inlined.remove(&end);
            let name = self.name(end);
            out.push(quote!(let #name = #tokens;));
        }
    }

    /// The assignments at the end of a round.
    pub(super) fn carry(&mut self, params: &[Value], yields: &[Value]) -> TokenStream {
        let pairs: Vec<(Value, Value)> = params
            .iter()
            .copied()
            .zip(yields.iter().copied())
            .filter(|(p, y)| p != y)
            .collect();
        let names: Vec<Ident> = pairs.iter().map(|&(p, _)| self.name(p)).collect();
        let values: Vec<TokenStream> = pairs.iter().map(|&(_, y)| self.moved(y)).collect();
        match names.as_slice() {
            [] => TokenStream::new(),
            [name] => {
                let value = &values[0];
                quote!(#name = #value;)
            }
            names => quote!((#(#names),*) = (#(#values),*);),
        }
    }
}

/// A loop that counts its rounds, one for each slot that there is room for, and again whenever there is more.
///
/// So no round asks for room, and none has a call in it, around which all that the rounds carry would be in memory.
fn in_room(
    tape: u32,
    walk: Option<(TokenStream, TokenStream)>,
    body: &TokenStream,
    rounds: &TokenStream,
    written: bool,
) -> TokenStream {
    let (label, room) = (rounds_label(tape), room_name(tape));
    let (items, tape) = (items_name(tape), tape_name(tape));
    let next = walk.as_ref().map(|(_, pat)| {
        quote! {
            let ::core::option::Option::Some(#pat) = #items.next() else { break #label; };
        }
    });
    let all = quote! {
        let mut #room = #tape.room();
        #label: loop {
            for slot in &mut #room[#rounds..] {
                #next
                #body
            }
            #room = #tape.more_room(#rounds);
        }
    };
    // What the user wrote may borrow from values that live as long as the loop, as those in the head of a `for` do.
    match walk {
        None => all,
        Some((walk, _)) if written => quote!(match #walk { mut #items => { #all } }),
        Some((walk, _)) => quote!(let mut #items = #walk; #all),
    }
}

/// A type in Rust, where it is known to its last part.
pub(super) fn spelled(ty: &Ty) -> Option<TokenStream> {
    Some(match ty {
        Ty::Float(Width::F64) => quote!(f64),
        Ty::Float(Width::F32) => quote!(f32),
        Ty::Bool => quote!(bool),
        Ty::Option(inner) => {
            let inner = spelled(inner)?;
            quote!(::core::option::Option<#inner>)
        }
        Ty::Array(elem, Some(len)) => {
            let elem = spelled(elem)?;
            quote!([#elem; #len])
        }
        Ty::Tuple(parts) => {
            let parts: Option<Vec<TokenStream>> = parts.iter().map(spelled).collect();
            let parts = parts?;
            quote!((#(#parts,)*))
        }
        _ => return None,
    })
}
