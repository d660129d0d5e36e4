//! Forms that run in several directions at once.
//!
//! Where every type is known, each number of a tangent has *lanes*: operations are written once, on wide numbers.
//! Of other types nobody knows what they are in lanes. There *each* direction has a tangent of its own, in an array of them:
//! what computes with tangents is written as in one direction, and done for each.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, lanes, mentioned};
use crate::ir::{Block, Call, Form, Kind, Op, Place, Value};
use crate::jvp::Dotted;
use crate::second::Several;

/// What has a tangent for each direction, and how these are kept.
#[derive(Default)]
pub(super) struct Directions<'a> {
    several: Several,
    dotted: Option<&'a Dotted>,
    /// The direction that an operation is written in.
    lane: Option<TokenStream>,
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
            lane: None,
        };
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
            return call.level > 0;
        }
        // An array of tangents is moved as a whole.
        op.blocks.is_empty()
            && !matches!(op.kind, Kind::Take(_))
            && (op.args.iter().chain(&op.results).any(|&v| dotted.value(v))
                || mentioned(op).iter().any(|&p| dotted.place(p)))
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
        let mut written = Vec::new();
        self.at_once(op, None, block, &mut written);
        self.directions.lane = None;
        let made = match (&op.kind, op.results.first()) {
            _ if first => return out.extend(written),
            (&(Kind::New(p) | Kind::NewZero(p)), _) => Some((self.place(p), true)),
            (_, Some(&v)) if self.used(v) > 0 => Some((self.name(v), false)),
            _ => None,
        };
        let lanes = lanes();
        out.push(match made {
            Some((name, place)) => {
                let mutable = place.then(|| quote!(mut));
                quote!(let #mutable #name = rt::lanes::each::<_, #lanes>(|#index| { #(#written)* #name });)
            }
            None => quote!(for #index in 0..#lanes { #(#written)* }),
        });
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
            _ => quote!(rt::lanes::each::<_, #lanes>(|#index| { #once })),
        };
        let parts = apart.iter().enumerate().map(|(k, (name, moved))| {
            let part = Literal::usize_unsuffixed(k);
            if *moved {
                quote!(let #name = #all.map(|all| all.#part);)
            } else {
                quote!(let #name = rt::lanes::each::<_, #lanes>(|#index| rt::copy(&#all[#index].#part));)
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
