//! Forms that run in several directions at once.
//!
//! Where every type is known, each number of a tangent has *lanes*: operations are written once, on wide numbers.
//! Of other types nobody knows what they are in lanes. There *each* direction has a tangent of its own, in an array of them:
//! what computes with tangents is written as in one direction, and done for each.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, lanes};
use crate::ir::{Block, Call, Companion, Form, Kind, Op, Place, Prim, Storage, Value};
use crate::jvp::Dotted;
use crate::second::Several;

/// What has a tangent for each direction, and how these are kept.
#[derive(Default)]
pub(super) struct Directions<'a> {
    several: Several,
    dotted: Option<&'a Dotted>,
    /// The direction that an operation is written in.
    lane: Option<TokenStream>,
    /// Places whose contents in that direction have a name of their own: a reference.
    items: Vec<(Place, Ident)>,
    /// The value that an operation makes in that direction.
    made: Option<Value>,
    /// The expression that makes it, and the number of statements in front of it.
    end: Option<(usize, TokenStream)>,
}

impl<'a> Directions<'a> {
    /// What has lanes.
    pub(super) fn lanes(&self) -> Option<&'a Dotted> {
        self.dotted.filter(|_| self.several == Several::Lanes)
    }

    fn each(&self) -> Option<&'a Dotted> {
        self.dotted.filter(|_| self.several == Several::Each)
    }
}

impl<'a> Emit<'a> {
    /// These are tangents, in several directions at once.
    pub(crate) fn run_in(&mut self, several: Several, dotted: &'a Dotted) {
        self.directions = Directions {
            several,
            dotted: Some(dotted),
            ..Directions::default()
        };
    }

    /// Leaves the expression that makes a value to what is around a direction, if that is the one that is written.
    pub(super) fn ends_direction(
        &mut self,
        v: Value,
        tokens: &TokenStream,
        out: &[TokenStream],
    ) -> bool {
        let ends = self.directions.made == Some(v);
        if ends {
            self.directions.end = Some((out.len(), tokens.clone()));
        }
        ends
    }

    /// A tangent whose numbers have lanes.
    pub(super) fn is_wide(&self, v: Value) -> bool {
        self.directions
            .lanes()
            .is_some_and(|dotted| dotted.value(v))
    }

    /// A tangent in several directions at once.
    pub(super) fn is_directional(&self, v: Value) -> bool {
        let Directions {
            several, dotted, ..
        } = self.directions;
        several != Several::No && dotted.is_some_and(|dotted| dotted.value(v))
    }

    /// A place that holds one of its contents for each direction.
    pub(super) fn is_directional_place(&self, p: Place) -> bool {
        self.directions.each().is_some_and(|dotted| dotted.place(p))
    }

    /// Whether each direction has a tangent of its own.
    pub(super) fn has_arrays(&self) -> bool {
        self.directions.each().is_some()
    }

    /// Whether an operation is being written for one of them.
    pub(super) fn in_direction(&self) -> bool {
        self.directions.lane.is_some()
    }

    /// A value by its name, in the direction at hand.
    pub(super) fn named(&mut self, v: Value) -> TokenStream {
        let name = self.name(v);
        match &self.directions.lane {
            Some(lane) if self.is_directional(v) => quote!(#name[#lane]),
            _ => name.to_token_stream(),
        }
    }

    /// A place by its name, in the direction at hand.
    pub(super) fn place_named(&mut self, p: Place) -> TokenStream {
        if let Some((_, item)) = self.directions.items.iter().find(|(of, _)| *of == p) {
            return quote!((*#item));
        }
        let name = self.place(p);
        match &self.directions.lane {
            Some(lane) if self.is_directional_place(p) => quote!(#name[#lane]),
            _ => name.to_token_stream(),
        }
    }

    /// Whether an operation is done for each direction.
    pub(super) fn is_directed(&self, op: &Op) -> bool {
        let Some(dotted) = self.directions.each() else {
            return false;
        };
        if let Kind::Call(call) = &op.kind {
            return call.level > 0 && !call.lends();
        }
        // An array of tangents is moved as a whole.
        let whole = match &op.kind {
            Kind::Take(_) => true,
            Kind::Store(path) => {
                let variable = matches!(
                    self.func.at(path.root).storage,
                    Storage::Local | Storage::Owned
                );
                path.steps.is_empty()
                    && variable
                    && dotted.place(path.root)
                    && dotted.value(op.args[0])
            }
            _ => false,
        };
        op.blocks.is_empty()
            && !whole
            && (op.args.iter().chain(&op.results).any(|&v| dotted.value(v))
                || op.places().iter().any(|&p| dotted.place(p)))
    }

    /// Whether an operation may be written in the place of its result in another: is both done once, or both for each direction.
    pub(super) fn is_written_with(&self, op: &Op, user: Option<&Op>) -> bool {
        !self.has_arrays()
            || user.is_some_and(|user| {
                // What an operator has no second derivatives for is said once, where it stands.
                let kept = matches!(op.kind, Kind::Prim(Prim::Keep(..) | Prim::DotKeep(..)));
                !kept
                    && matches!(user.kind, Kind::Prim(_))
                    && self.is_directed(user) == self.is_directed(op)
                    && self.is_directional(user.results[0]) == self.is_directional(op.results[0])
            })
    }

    /// Writes an operation as in one direction, and does it for each.
    pub(super) fn in_each_direction(&mut self, op: &Op, block: &Block, out: &mut Vec<TokenStream>) {
        let index = Ident::new("__lane", Span::mixed_site());
        if let Kind::Call(call) = &op.kind {
            return self.call_in_each_direction(op, call, &index, out);
        }
        // What is the same in each direction, a length, is asked of the first.
        let first = op.results.iter().any(|&v| !self.is_directional(v));
        self.directions.lane = Some(if first { quote!(0) } else { quote!(#index) });
        let made = op.results.first().copied();
        let is_kernel = matches!(op.kind, Kind::Map(_));
        self.directions.made = made.filter(|&v| !first && !is_kernel && self.used(v) > 0);
        let mut written = Vec::new();
        self.at_once(op, None, block, &mut written);
        self.directions.lane = None;
        self.directions.made = None;
        let end = match self.directions.end.take() {
            Some((before, made)) if before == written.len() => Some(made),
            Some((before, made)) => {
                let name = self.name(op.results[0]);
                written.insert(before, quote!(let #name = #made;));
                None
            }
            None => None,
        };
        let made = match (&op.kind, op.results.first()) {
            _ if first => return out.extend(written),
            _ if op.results.iter().any(|v| self.inlined.contains_key(v)) => return,
            (&(Kind::New(p) | Kind::NewZero(p)), _) => Some((self.place(p), true)),
            (_, Some(&v)) if self.used(v) > 0 => Some((self.name(v), false)),
            _ => None,
        };
        let lanes = lanes();
        if is_kernel {
            return self.kernel_in_directions(op, &index, &lanes, &written, out);
        }
        out.push(match made {
            Some((name, place)) => {
                let mutable = place.then(|| quote!(mut));
                let made = match end {
                    Some(made) if written.is_empty() => made,
                    Some(made) => quote!({ #(#written)* #made }),
                    None => quote!({ #(#written)* #name }),
                };
                quote!(let #mutable #name = rt::lanes::Width::<#lanes>.each(|#index| #made);)
            }
            None => quote!(for #index in 0..#lanes { #(#written)* }),
        });
    }

    /// What a call that has several directions is lent for its arguments, for each direction: arrays of references.
    pub(super) fn lent_in_directions<'c>(
        &mut self,
        call: &'c Call,
        several: Several,
        companions: impl Iterator<Item = (&'c Companion, usize, bool)>,
        out: &mut Vec<TokenStream>,
    ) -> std::vec::IntoIter<TokenStream> {
        let lent = companions.filter_map(|(companion, k, mutable)| match companion {
            Companion::Place(path) => Some((path, k, mutable)),
            _ => None,
        });
        let lent: Vec<_> = lent.filter(|_| several == Several::Each).collect();
        if lent.is_empty() {
            return Vec::new().into_iter();
        }
        // Of what is changed there is one reference at a time, so each direction is taken out of its place once.
        let mut items: Vec<(Place, Ident)> = Vec::new();
        let (mut walks, mut steps) = (Vec::new(), Vec::new());
        for (path, _, _) in lent.iter().filter(|(_, _, mutable)| *mutable) {
            let p = path.root;
            if self.is_directional_place(p) && items.iter().all(|(known, _)| *known != p) {
                let (name, walk, item) = (self.place(p), self.fresh("walk"), self.fresh("item"));
                walks.push(quote!(let mut #walk = #name.iter_mut();));
                steps.push(quote!(let #item = rt::lanes::collected(#walk.next());));
                items.push((p, item));
            }
        }
        let (index, lanes) = (Ident::new("__lane", Span::mixed_site()), lanes());
        self.directions.lane = Some(index.to_token_stream());
        self.directions.items = items;
        let known = self.lent.len();
        let mut written = Vec::new();
        self.lend_parts(call, true, &mut written);
        let (mut names, mut given) = (Vec::new(), Vec::new());
        for (path, k, mutable) in lent {
            let borrow = if mutable { quote!(&mut) } else { quote!(&) };
            let owner = self.lent_companion(call, k, path, (&borrow, Several::No), &mut written);
            let (name, owner) = (self.fresh("lent"), owner.0);
            written.push(quote!(#name[#index] = ::core::option::Option::Some(#owner);));
            given.push(if mutable {
                quote!(rt::lanes::lent_mut(&mut #name))
            } else {
                quote!(rt::lanes::lent(&#name))
            });
            names.push(name);
        }
        self.lent.truncate(known);
        self.directions.items.clear();
        self.directions.lane = None;
        out.push(quote! {
            #(#walks)*
            #(let mut #names = rt::lanes::Width::<#lanes>.each(|_| ::core::option::Option::None);)*
            for #index in 0..#lanes { #(#steps)* #(#written)* }
            #(let mut #names = #names.map(rt::lanes::collected);)*
        });
        given.into_iter()
    }

    /// Calls a function that has one direction, by its values, as often as there are directions.
    fn call_in_each_direction(
        &mut self,
        op: &Op,
        call: &Call,
        index: &Ident,
        out: &mut Vec<TokenStream>,
    ) {
        self.directions.lane = Some(index.to_token_stream());
        let mut written = Vec::new();
        self.call(op, call, op.span, &mut written);
        self.directions.lane = None;
        let (lanes, all) = (lanes(), Ident::new("__all", Span::mixed_site()));
        let used: Vec<Value> = op
            .results
            .iter()
            .copied()
            .filter(|&v| self.used(v) > 0)
            .collect();
        // The pullback, the last that a forward sweep gives, is called once in each direction as well.
        let pullback = match call.form {
            Form::Forward(_) => op.results.last(),
            _ => None,
        };
        let is_apart = |cx: &Self, v: &Value| cx.is_directional(*v) || Some(v) == pullback;
        let (apart, same): (Vec<Value>, Vec<Value>) =
            used.into_iter().partition(|v| is_apart(self, v));
        let apart: Vec<(Ident, bool)> = apart
            .into_iter()
            .map(|v| (self.name(v), Some(&v) == pullback))
            .collect();
        let names: Vec<&Ident> = apart.iter().map(|(name, _)| name).collect();
        let same: Vec<Ident> = same.into_iter().map(|v| self.name(v)).collect();
        let found: Vec<Ident> = same.iter().map(|_| self.fresh("found")).collect();
        let once = quote! {
            #(#written)*
            #(#found = ::core::option::Option::Some(#same);)*
            (#(#names,)*)
        };
        let runs = match call.form {
            Form::Backward(_) => {
                let back = self.name(op.args[0]);
                quote!(rt::lanes::each_of(#back, |#index, #back| { #once }))
            }
            _ => quote!(rt::lanes::Width::<#lanes>.each(|#index| { #once })),
        };
        let parts = apart.iter().enumerate().map(|(k, (name, moved))| {
            let part = Literal::usize_unsuffixed(k);
            if *moved {
                quote!(let #name = #all.map(|all| all.#part);)
            } else {
                quote!(let #name = rt::lanes::Width::<#lanes>.each(|#index| rt::copy(&#all[#index].#part));)
            }
        });
        let parts: Vec<_> = parts.collect();
        out.push(quote! {
            #(let mut #found = ::core::option::Option::None;)*
            let #all = #runs;
            #(let #same = rt::lanes::collected(#found);)*
            #(#parts)*
        });
    }
}
