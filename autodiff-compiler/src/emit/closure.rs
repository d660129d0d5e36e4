//! Functions that are passed to calls: closures of value and derivative at once.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::mem::take;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, copies_by_type, copy_of, is_copy};
use crate::analysis;
use crate::callable;
use crate::forms::{PASSED, form_name};
use crate::function::Rule;
use crate::ir::{
    Arg, Call, Closure, Companion, Form, Function, Kind, Op, Param, Path, Place, Step, Storage, Ty,
};
use crate::jvp;
use crate::remember::Policy;
use crate::second::Dual;
use crate::simplify;
use crate::sweeps;
use crate::types;
use crate::vjp::Seed;

/// What never changes while a function runs, so that all its closures share a copy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lasting {
    Memory(Place),
    /// The zero tangent of such memory.
    Zero(Place),
}

/// Which of what closures capture has one sum of cotangents for all calls, by the closure and the number of the argument: a call adds only where it uses something.
#[derive(Default)]
pub(super) struct Gathered {
    captures: FxHashSet<(*const Closure, usize)>,
    /// Those of which the sum is [`sparse`].
    sparse: FxHashSet<(*const Closure, usize)>,
    /// The sums, each with whose it is.
    sums: Vec<(Sum, Ident)>,
    /// The shadows to which a sum is still to be added, with the sums.
    waiting: Vec<(Place, Ident)>,
}

/// Whose cotangents a sum has.
#[derive(Clone, Copy, PartialEq)]
enum Sum {
    /// Of a shadow, [`sparse`] or not, by the number of the argument: what one call captures twice it is lent apart.
    Of(Place, bool, usize),
    /// Of a capture that has no shadow, in that group of cotangents.
    Unused(*const Closure, usize, usize),
}

/// A closure in the making: what it captures has been bound to names.
struct Captured {
    /// Names of values and places, by parameter.
    names: Vec<(Param, Ident)>,
    /// What has one copy for all calls, by the name it has in the closure: the name of that copy, which is behind a reference.
    shared: BTreeMap<Ident, Ident>,
    /// Memory is a copy of its own, not a reference.
    owned: bool,
}

impl Captured {
    /// What is captured, as a place expression in front of the closure.
    fn outside(&self, name: &Ident) -> TokenStream {
        match self.shared.get(name) {
            Some(copy) => quote!(*#copy),
            None => name.to_token_stream(),
        }
    }
}

impl Emit<'_> {
    /// The functions of a call as `__jvp` takes them.
    pub(super) fn forward_functions(
        &mut self,
        call: &Call,
        companions: &[Companion],
        out: &mut Vec<TokenStream>,
    ) -> Vec<TokenStream> {
        let functions = call.functions.iter().map(|function| match function {
            Function::Parameter(k) => self.handed_on(&call.args[*k]),
            Function::Closure(closure) => self.forward_closure(closure, call, companions, out),
            Function::Named(path, generics) => {
                let form = form_name(call.level, "");
                quote!(#path::#form #generics)
            }
        });
        functions.collect()
    }

    /// A function parameter, for a call that keeps it.
    fn handed_on(&mut self, arg: &Arg) -> TokenStream {
        match arg {
            Arg::Capture(path) => {
                let name = self.place(path.root);
                copy_of(copies_by_type(&self.func.path_ty(path)), &name)
            }
            _ => TokenStream::new(),
        }
    }

    /// Binds what a closure captures: values as they are, memory by reference or, where the closure outlives it, as a copy.
    fn captured(
        &mut self,
        closure: &Closure,
        call: &Call,
        owned: bool,
        out: &mut Vec<TokenStream>,
    ) -> Captured {
        let mut shared = BTreeMap::new();
        let names = closure.captured().map(|(k, param)| {
            let (tokens, hint) = match (&call.args[k], param) {
                (Arg::Value(v), Param::Value(inner)) => {
                    let tokens = self.operand(*v);
                    let tokens = if is_copy(self.func.ty(*v)) {
                        tokens
                    } else {
                        copy_of(self.copies_by_type(*v), &tokens)
                    };
                    (tokens, closure.func.hint(inner).to_owned())
                }
                (Arg::Capture(path), Param::Place(inner)) => {
                    let tokens = if owned {
                        self.owned(path)
                    } else {
                        let tokens = self.path(path);
                        quote!(&#tokens)
                    };
                    let hint = &closure.func.at(inner).hint;
                    if owned && self.is_lasting(path) {
                        let name = self.fresh(hint);
                        let copy = self.share(Lasting::Memory(path.root), hint, &tokens, out);
                        shared.insert(name.clone(), copy);
                        return (param, name);
                    }
                    (tokens, hint.clone())
                }
                _ => (TokenStream::new(), String::new()),
            };
            let name = self.fresh(&hint);
            out.push(quote!(let #name = #tokens;));
            (param, name)
        });
        let names = names.collect();
        Captured {
            names,
            shared,
            owned,
        }
    }

    /// Whether the path leads to memory that is there from before the first statement, or from one that runs once, and never changes.
    pub(super) fn is_lasting(&self, path: &Path) -> bool {
        let data = self.func.at(path.root);
        let once = match data.storage {
            Storage::Local => self.made_in.get(&path.root) == Some(&self.func.body.id),
            Storage::Owned | Storage::Shared => true,
            Storage::Exclusive => false,
        };
        let own = !data.ty.is_scalar() && !data.borrows;
        once && own && path.steps.is_empty() && !data.mutable && !self.in_direction()
    }

    /// Binds what is the same in all calls, a copy that the first makes.
    fn share(
        &mut self,
        what: Lasting,
        hint: &str,
        made: &TokenStream,
        out: &mut Vec<TokenStream>,
    ) -> Ident {
        let all = match self.shared.get(&what) {
            Some(name) => name.clone(),
            None => {
                let name = self.fresh(&format!("shared_{hint}"));
                self.shared.insert(what, name.clone());
                name
            }
        };
        let copy = self.fresh(hint);
        out.push(quote!(let #copy = #all.get(|| #made);));
        copy
    }

    /// An emitter for the body of a closure, in which captures and inputs have names.
    fn inside<'f>(
        &self,
        func: &'f crate::ir::Func,
        closure: &'f Closure,
        split: Option<usize>,
        captured: &Captured,
    ) -> (Emit<'f>, Vec<Ident>) {
        let mut emit = Emit::new(func, &closure.ascribed, &closure.ascribed_places, split);
        emit.generic |= self.generic;
        for (param, name) in &captured.names {
            emit.name_param(*param, name.clone());
        }
        for copy in captured.shared.values() {
            *emit.taken.entry(copy.to_string()).or_default() += 1;
        }
        let inputs = closure.func.params[..closure.inputs].iter();
        let inputs = inputs.map(|&param| match param {
            Param::Value(v) => emit.name(v),
            Param::Place(p) => emit.place(p),
        });
        let inputs = inputs.collect();
        (emit, inputs)
    }

    fn name_param(&mut self, param: Param, name: Ident) {
        match param {
            Param::Value(v) => self.name_value(v, name),
            Param::Place(p) => self.name_place(p, name),
        }
    }

    /// Binds the tangent of what a closure captures as `of`, for a call that lends it.
    fn captured_dot(
        &mut self,
        companion: &Companion,
        arg: &Arg,
        (of, like): (&Ident, TokenStream),
        out: &mut Vec<TokenStream>,
    ) -> Ident {
        let tokens = match companion {
            Companion::Value(v) => {
                let v = self.operand(*v);
                quote!(rt::copy(&#v))
            }
            Companion::Place(path) => {
                let path = self.path(path);
                quote!(&#path)
            }
            Companion::Zero if matches!(arg, Arg::Value(_)) => quote!(rt::zero_like(&#like)),
            Companion::Zero => quote!(&rt::zero_like(#of)),
        };
        let dot = self.fresh(&format!("{of}_dot"));
        out.push(quote!(let #dot = #tokens;));
        dot
    }

    /// The same for a closure that keeps it.
    fn owned_dot(
        &mut self,
        companion: &Companion,
        arg: &Arg,
        of: &Ident,
        captured: &mut Captured,
        out: &mut Vec<TokenStream>,
    ) -> Ident {
        let hint = format!("{of}_dot");
        let dot = self.fresh(&hint);
        let (tokens, lasting) = match (companion, arg) {
            (Companion::Value(v), _) => {
                let v = self.operand(*v);
                (quote!(rt::copy(&#v)), None)
            }
            (Companion::Place(path), _) => {
                let lasting = self.is_lasting(path).then_some(Lasting::Memory(path.root));
                (self.owned(path), lasting)
            }
            (Companion::Zero, arg) => {
                let like = captured.outside(of);
                let lasting = match arg {
                    Arg::Capture(path) if self.is_lasting(path) => Some(Lasting::Zero(path.root)),
                    _ => None,
                };
                (quote!(rt::zero_like(&#like)), lasting)
            }
        };
        match lasting {
            Some(what) => {
                let copy = self.share(what, &hint, &tokens, out);
                captured.shared.insert(dot.clone(), copy);
            }
            None => out.push(quote!(let #dot = #tokens;)),
        }
        dot
    }

    /// A copy of what the path leads to.
    fn owned(&mut self, path: &Path) -> TokenStream {
        let ty = &self.func.path_ty(path);
        let slice = matches!(ty, Ty::Slice(_));
        let path = self.path(path);
        if slice {
            quote!(rt::ToOwned::to_owned(&#path))
        } else {
            copy_of(copies_by_type(ty), &path)
        }
    }

    fn forward_closure(
        &mut self,
        closure: &Closure,
        call: &Call,
        companions: &[Companion],
        out: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let captured = self.captured(closure, call, false, out);
        if closure.is_inert() {
            return self.plain_closure(closure, &captured);
        }
        let activity = analysis::activity(&closure.func, &closure.wrt);
        let mut dual = jvp::jvp(&closure.func, &activity, &closure.wrt);
        simplify::simplify(&mut dual.func);
        let (mut emit, inputs) = self.inside(&dual.func, closure, None, &captured);
        let (mut dots, mut changing) = (Vec::new(), TokenStream::new());
        for (k, tangent) in dual.tangents.iter().enumerate() {
            if k < closure.inputs {
                let dot = emit.fresh(&format!("{}_dot", inputs[k]));
                dots.push(dot.clone());
                if let Some(tangent) = tangent {
                    if matches!(*tangent, Param::Place(p) if dual.func.at(p).mutable) {
                        changing.extend(quote!(let mut #dot = #dot;));
                    }
                    emit.name_param(*tangent, dot);
                }
                continue;
            }
            let Some(tangent) = tangent else { continue };
            let at = closure.captures + k - closure.inputs;
            let of = &captured.names[k - closure.inputs].1;
            let like = captured.outside(of);
            let dot = self.captured_dot(&companions[at], &call.args[at], (of, like), out);
            *emit.taken.entry(dot.to_string()).or_default() += 1;
            emit.name_param(*tangent, dot);
        }
        let mutable = mutable(&dual.func, &inputs);
        let clones = clones(closure, &captured, &captured.names);
        let (body, yields) = emit.body();
        quote!(|#(#inputs,)* #(#dots),*| { #clones #mutable #changing #body (#(#yields),*) })
    }

    /// A closure whose result has no derivative.
    fn plain_closure(&mut self, closure: &Closure, captured: &Captured) -> TokenStream {
        let (mut emit, inputs) = self.inside(&closure.func, closure, None, captured);
        let (mutable, clones) = (
            mutable(&closure.func, &inputs),
            clones(closure, captured, &captured.names),
        );
        let (body, yields) = emit.body();
        quote!(move |#(#inputs),*| { #clones #mutable #body #(#yields)* })
    }

    /// The functions of a call as `__fwd` takes them, and the zero cotangents of what each captures.
    pub(super) fn reverse_functions(
        &mut self,
        call: &Call,
        companions: &[Companion],
        out: &mut Vec<TokenStream>,
    ) -> (Vec<TokenStream>, Vec<Ident>) {
        let mut envs = Vec::new();
        let mut functions = Vec::new();
        for function in &call.functions {
            functions.push(match function {
                Function::Parameter(k) => self.handed_on(&call.args[*k]),
                Function::Closure(closure) => {
                    self.reverse_closure(closure, call, companions, &mut envs, out)
                }
                Function::Named(path, generics) => {
                    // It captures nothing.
                    for _ in 0..1 << call.level {
                        let env = self.fresh("env");
                        out.push(quote!(let #env = ();));
                        envs.push(env);
                    }
                    if call.level > 0 {
                        let order = Literal::u32_unsuffixed(call.level + 1);
                        out.push(quote!(rt::require_order::<#path, #order>();));
                    }
                    let form = form_name(call.level, PASSED);
                    quote!(#path::#form #generics)
                }
            });
        }
        (functions, envs)
    }

    fn reverse_closure(
        &mut self,
        closure: &Closure,
        call: &Call,
        companions: &[Companion],
        envs: &mut Vec<Ident>,
        out: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let count = 1_usize << call.level;
        let mut captured = self.captured(closure, call, true, out);
        let mut dual = (!closure.is_inert()).then(|| both_sweeps(closure, call.level));
        let sparse = dual.as_mut().map(|dual| sparse(closure, call.level, dual));
        let sparse = sparse.unwrap_or_default();
        let tie = self.fresh("tie");
        let known = closure.captured().zip(&captured.names);
        let known = known.filter(|((_, param), _)| closure.wrt.contains(param));
        let (mut zeros, mut kept) = (Vec::new(), Vec::new());
        let mut gathers = false;
        for ((k, param), (_, name)) in known {
            let of = captured.outside(name);
            let zero = if sparse.contains(&param) {
                self.gathered
                    .sparse
                    .insert((std::ptr::from_ref(closure), k));
                quote!(rt::Sparse::of(&#of))
            } else {
                quote!(rt::zero_like(&#of))
            };
            kept.push(match captured.shared.get(name) {
                Some(copy) if self.is_gathered(closure, k) => {
                    gathers = true;
                    quote!(rt::copy(&#copy))
                }
                _ => zero.clone(),
            });
            zeros.push(zero);
        }
        for k in 0..count {
            let env = self.fresh("env");
            out.push(quote!(let #env = (#(#kept,)*);));
            if k == 0 {
                out.push(if gathers {
                    quote!(let #tie = rt::type_made_by(|| (#(#zeros,)*));)
                } else {
                    quote!(let #tie = rt::type_of(&#env);)
                });
            }
            envs.push(env);
        }
        let Some(dual) = dual else {
            return self.plain_closure(closure, &captured);
        };
        let (mut emit, inputs) = self.inside(&dual.func, closure, Some(dual.split), &captured);
        *emit.taken.entry(tie.to_string()).or_default() += 1;
        // Inputs come with their tangents; those of what is captured are bound outside.
        let mut dots = Vec::new();
        let mut changing = TokenStream::new();
        let mut owned_dots = Vec::new();
        for (group, of) in dual.args[1..]
            .iter()
            .zip(companions.chunks(call.args.len()))
        {
            let mut names = Vec::new();
            for (k, &tangent) in group.iter().enumerate() {
                if k < closure.inputs {
                    let dot = emit.fresh(&format!("{}_dot", inputs[k]));
                    names.push(dot.clone());
                    if let Some(tangent) = tangent {
                        if matches!(tangent, Param::Place(p) if dual.func.at(p).storage == Storage::Owned && dual.func.at(p).mutable)
                        {
                            changing.extend(quote!(let mut #dot = #dot;));
                        }
                        emit.name_param(tangent, dot);
                    }
                    continue;
                }
                let Some(tangent) = tangent else { continue };
                let (param, name) = &captured.names[k - closure.inputs];
                let at = closure.captures + k - closure.inputs;
                let (param, name) = (*param, name.clone());
                let dot = self.owned_dot(&of[at], &call.args[at], &name, &mut captured, out);
                for name in [Some(&dot), captured.shared.get(&dot)]
                    .into_iter()
                    .flatten()
                {
                    *emit.taken.entry(name.to_string()).or_default() += 1;
                }
                owned_dots.push((param, dot.clone()));
                emit.name_param(tangent, dot);
            }
            dots.push(names);
        }
        let seeds: Vec<Ident> = (0..count).map(|_| emit.fresh("seed")).collect();
        for (seed, value) in seeds.iter().zip(&dual.seeds) {
            if let Some(v) = *value {
                emit.name_value(v, seed.clone());
            }
        }
        // Inputs that are references are given again, with their shadows; what is captured adds to `env`.
        let borrowed = |param: Param| matches!(param, Param::Place(p) if closure.func.at(p).storage != Storage::Owned);
        let params = || closure.func.params.iter().copied().enumerate();
        let lent: Vec<usize> = params()
            .filter(|&(k, param)| k < closure.inputs && borrowed(param))
            .map(|(k, _)| k)
            .collect();
        let again = lent.iter().map(|&k| &inputs[k]);
        let again: Vec<Ident> = again
            .chain(
                dots.iter()
                    .flat_map(|names| lent.iter().map(|&k| &names[k])),
            )
            .cloned()
            .collect();
        let mut shadows = TokenStream::new();
        let mut untied = TokenStream::new();
        let mut receivers = Vec::new();
        for group in &dual.shadows {
            let (mut received, mut parts) = (Vec::new(), Vec::new());
            for (k, param) in params() {
                let input = k < closure.inputs;
                if input && !borrowed(param) || !input && !closure.wrt.contains(&param) {
                    continue;
                }
                let name = if input {
                    &inputs[k]
                } else {
                    &captured.names[k - closure.inputs].1
                };
                let part = emit.fresh(&format!("d_{name}"));
                if let (Some(p), true) = (group[k], borrowed(param)) {
                    emit.name_place(p, part.clone());
                }
                if input {
                    shadows.extend(quote!(#part,));
                    continue;
                }
                if let Param::Value(_) = param {
                    received.push((param, part.clone()));
                }
                parts.push(part);
            }
            let given = emit.fresh("given");
            shadows.extend(quote!(#given: &mut _,));
            untied.extend(quote!(let (#(#parts,)*) = rt::tie(#tie, #given);));
            receivers.push(received);
        }
        let mutable = mutable(&dual.func, &inputs);
        let clones = [&captured.names, &owned_dots].map(|names| clones(closure, &captured, names));
        let (forward, values, reverse, bars) = emit.sweeps(dual.split, dual.results);
        // One cotangent per owned parameter that is differentiated, in order.
        let mut returned = Vec::new();
        let mut adds = TokenStream::new();
        let each = bars.len() / count;
        for (k, receivers) in receivers.iter().enumerate() {
            let mut bars = bars[k * each..(k + 1) * each].iter().cloned();
            let mut group = Vec::new();
            for (at, param) in params().filter(|&(_, param)| !borrowed(param)) {
                let bar = if closure.wrt.contains(&param) {
                    bars.next()
                } else {
                    None
                };
                if at < closure.inputs {
                    group.push(bar.unwrap_or_else(|| quote!(())));
                } else if let (Some(bar), Some((_, part))) =
                    (bar, receivers.iter().find(|(p, _)| *p == param))
                {
                    adds.extend(quote!(rt::acc(#part, &(#bar));));
                }
            }
            returned.push(group);
        }
        let returned = callable::groups(&returned);
        // Memory that the pullback reads again is copied once more, for each call.
        let (mut keep, mut rebind) = (TokenStream::new(), TokenStream::new());
        for (param, name) in captured.names.iter().chain(&owned_dots) {
            if matches!(param, Param::Place(_)) && types::mentions(&reverse, name) {
                let kept = emit.fresh("kept");
                if let Some(copy) = captured.shared.get(name) {
                    keep.extend(quote!(let #kept = rt::copy(&#copy);));
                    rebind.extend(quote!(let #name = &*#kept;));
                } else {
                    keep.extend(quote!(let #kept = rt::Original(#name).__copy();));
                    rebind.extend(quote!(let #name = &#kept;));
                }
            }
        }
        let all = emit.fresh("bars");
        let dots = dots.iter().flatten();
        quote! {
            move |#(#inputs,)* #(#dots),*| {
                #(#clones)* #mutable #changing #forward #keep
                (#(#values,)* move |#(#seeds,)* #(#again,)* #shadows| {
                    #rebind
                    #untied
                    #reverse
                    let #all = #returned;
                    #adds
                    #all
                })
            }
        }
    }

    /// `back(seed, references again, shadows)` of a call with functions: then what they captured gets its part.
    ///
    /// `shadows` has a list for each group, with `None` where a function stands.
    pub(super) fn backward_functions(
        &mut self,
        op: &Op,
        call: &Call,
        again: &[TokenStream],
        mut shadows: Vec<Vec<Option<TokenStream>>>,
    ) -> TokenStream {
        let count = shadows.len();
        let pair = self.bare(op.args[0]);
        let seeds: Vec<_> = op.args[1..].iter().map(|&v| self.moved(v)).collect();
        let back = self.fresh("back");
        let mut envs = Vec::new();
        let (mut rebound, mut after) = (TokenStream::new(), TokenStream::new());
        let mut captured_bars = vec![Vec::new(); count];
        let captures = (call.args.len() - call.passed) / count;
        for (number, function) in call.functions.iter().enumerate() {
            let at = call.args[..call.passed]
                .iter()
                .filter(|arg| !matches!(arg, Arg::Owned))
                .position(|arg| matches!(arg, Arg::Function(n) if *n == number));
            for (group, shadows) in shadows.iter_mut().enumerate() {
                // A shadow and its tangents stand one after the other.
                let shadow_of = |k: usize| &call.args[k + group * captures];
                let mut lent = None;
                match function {
                    Function::Parameter(k) => lent = Some(self.lent(shadow_of(*k))),
                    Function::Named(..) => {
                        let env = self.fresh("env");
                        lent = Some(quote!(&mut #env));
                        envs.push(env);
                    }
                    Function::Closure(closure) => {
                        let env = self.fresh("env");
                        lent = (!closure.is_inert()).then(|| quote!(&mut #env)).or(lent);
                        let (mut own, mut gathers) = (Vec::new(), false);
                        for (k, param) in closure.captured() {
                            if !closure.wrt.contains(&param) {
                                if let Param::Value(_) = param {
                                    captured_bars[group].push(quote!(()));
                                }
                                continue;
                            }
                            let part = Literal::usize_unsuffixed(own.len());
                            match (shadow_of(k), param) {
                                (_, Param::Value(_)) => {
                                    captured_bars[group].push(quote!(#env.#part));
                                }
                                (shadow, Param::Place(_)) if self.is_gathered(closure, k) => {
                                    let sum = self.sum(closure, k, group, shadow);
                                    after.extend(quote!(#sum.put(#env.#part);));
                                    let zero = if self.is_sparse(closure, k) {
                                        quote!(rt::Sparse::of)
                                    } else {
                                        quote!(rt::zero_like)
                                    };
                                    own.push(quote!(#sum.taken(|| #zero(&*#env.#part))));
                                    gathers = true;
                                    continue;
                                }
                                (Arg::Capture(shadow), Param::Place(_)) => {
                                    let shadow = self.path(shadow);
                                    after.extend(quote!(rt::acc(&mut #shadow, &#env.#part);));
                                }
                                (_, Param::Place(_)) => {}
                            }
                            own.push(quote!(#env.#part));
                        }
                        if gathers {
                            rebound.extend(quote!(let mut #env = (#(#own,)*);));
                        }
                        envs.push(env);
                    }
                }
                if let Some(at) = at {
                    shadows[at] = lent;
                }
            }
        }
        let passed = op.results.len() / count - captured_bars[0].len();
        let mut returned = Vec::new();
        let mut bars = Vec::new();
        for captured in captured_bars {
            let own: Vec<Ident> = (0..passed).map(|_| self.fresh("bar")).collect();
            let mut each = own.iter();
            let group = call.args[..call.passed].iter().filter_map(|arg| match arg {
                Arg::Owned => each.next().map(ToTokens::to_token_stream),
                Arg::Function(k) if call.functions[*k].is_inert() => Some(quote!(_)),
                _ => None,
            });
            returned.push(group.collect::<Vec<_>>());
            bars.extend(own.iter().map(ToTokens::to_token_stream));
            bars.extend(captured);
        }
        let returned = callable::groups(&returned);
        let names: Vec<_> = op.results.iter().map(|&v| self.binder(v)).collect();
        let shadows = shadows.into_iter().flatten().flatten();
        quote! {
            let (#(#names,)*) = {
                let (#back, #(mut #envs,)*) = #pair;
                #rebound
                let #returned = #back(#(#seeds),* #(, #again)* #(, #shadows)*);
                #after
                (#(#bars,)*)
            };
        }
    }

    /// Which of what closures capture has one sum of cotangents.
    pub(super) fn find_gathered(&mut self) {
        let (mut found, mut within, mut not) = (
            FxHashSet::default(),
            FxHashSet::default(),
            FxHashSet::default(),
        );
        for op in self
            .func
            .body
            .ops
            .iter()
            .flat_map(|op| &op.blocks)
            .flat_map(|b| &b.ops)
        {
            op.walk(&mut |op| {
                if !matches!(op.kind, Kind::AddTo(_) | Kind::Call(_)) {
                    within.extend(op.places());
                }
            });
        }
        // A sum is added to its shadow between statements of the function's own block, and nothing else looks at the shadow.
        let is_shadow = |path: &Path| {
            let made_in = self.made_in.get(&path.root);
            let once = made_in.is_none_or(|block| *block == self.func.body.id);
            once && path.steps.is_empty() && !within.contains(&path.root)
        };
        for op in &self.func.body.ops {
            op.walk(&mut |op| {
                let Kind::Call(call) = &op.kind else { return };
                for (closure, k) in captured_memory(call) {
                    let gathers = match &call.form {
                        Form::Forward(_) => {
                            matches!(&call.args[k], Arg::Capture(path) if self.is_lasting(path))
                        }
                        Form::Backward(_) => {
                            let captures = (call.args.len() - call.passed) >> call.level;
                            let mut shadows = call.args[k..].iter().step_by(captures);
                            shadows.all(|arg| match arg {
                                Arg::Capture(shadow) => is_shadow(shadow),
                                _ => true,
                            })
                        }
                        Form::Primal | Form::Jvp(_) | Form::AtOnce(_) => continue,
                    };
                    let into = if gathers { &mut found } else { &mut not };
                    into.insert((std::ptr::from_ref(closure), k));
                }
            });
        }
        self.gathered.captures = &found - &not;
    }

    fn is_gathered(&self, closure: &Closure, k: usize) -> bool {
        let capture = (std::ptr::from_ref(closure), k);
        !self.in_direction() && self.gathered.captures.contains(&capture)
    }

    fn is_sparse(&self, closure: &Closure, k: usize) -> bool {
        let capture = (std::ptr::from_ref(closure), k);
        self.gathered.sparse.contains(&capture)
    }

    /// The variable that has the sum of the cotangents of a capture.
    fn sum(&mut self, closure: &Closure, k: usize, group: usize, shadow: &Arg) -> Ident {
        let (of, hint) = match shadow {
            Arg::Capture(path) => {
                let hint = self.func.at(path.root).hint.clone();
                (Sum::Of(path.root, self.is_sparse(closure, k), k), hint)
            }
            _ => (
                Sum::Unused(std::ptr::from_ref(closure), k, group),
                String::new(),
            ),
        };
        let found = self.gathered.sums.iter().find(|(sum, _)| *sum == of);
        let name = match found {
            Some((_, name)) => name.clone(),
            None => {
                let name = self.fresh(&format!("sum_{hint}"));
                self.gathered.sums.push((of, name.clone()));
                name
            }
        };
        let waiting = &mut self.gathered.waiting;
        if let (Sum::Of(p, ..), false) = (of, waiting.iter().any(|(_, other)| *other == name)) {
            waiting.push((p, name.clone()));
        }
        name
    }

    /// Adds sums to their shadows before `next`, if it may look at these; without it, all.
    pub(super) fn add_sums(&mut self, next: Option<&Op>, out: &mut Vec<TokenStream>) {
        let adds = |op: &Op| matches!(&op.kind, Kind::Call(call) if !call.functions.is_empty());
        if next.is_some_and(adds) {
            return;
        }
        let looks = |(p, _): &(Place, Ident)| next.is_none_or(|op| op.mentions(*p));
        let (due, waiting): (Vec<_>, Vec<_>) = take(&mut self.gathered.waiting)
            .into_iter()
            .partition(looks);
        self.gathered.waiting = waiting;
        for (p, name) in due {
            let shadow = self.path(&Path::whole(p));
            out.push(quote!(#name.leave(|sum| rt::acc(&mut #shadow, sum));));
        }
    }

    /// Declarations of the sums.
    pub(super) fn sums(&self) -> TokenStream {
        let sums = self.gathered.sums.iter();
        let sums = sums.map(|(_, name)| quote!(let mut #name = rt::Gathered::new();));
        sums.collect()
    }

    /// The cotangents of what a function parameter captured, lent out.
    pub(super) fn lent(&mut self, arg: &Arg) -> TokenStream {
        match arg {
            Arg::Capture(path) => {
                let path: &Path = path;
                let path = self.path(path);
                quote!(&mut #path)
            }
            _ => TokenStream::new(),
        }
    }
}

impl Function {
    /// Its result has no derivative: it is an argument like any other.
    pub(super) fn is_inert(&self) -> bool {
        match self {
            Function::Closure(closure) => closure.is_inert(),
            Function::Parameter(_) | Function::Named(..) => false,
        }
    }
}

impl Closure {
    /// Its result has no derivative: it is passed as it is.
    fn is_inert(&self) -> bool {
        self.func
            .body
            .yields
            .first()
            .is_some_and(|&v| self.func.ty(v).is_inert())
    }
}

/// The closures of a call with the numbers of the memory that they capture and that has a derivative.
fn captured_memory(call: &Call) -> impl Iterator<Item = (&Closure, usize)> {
    let closures = call.functions.iter().filter_map(|function| match function {
        Function::Closure(closure) => Some(&**closure),
        Function::Parameter(_) | Function::Named(..) => None,
    });
    closures.flat_map(|closure| {
        let memory = closure
            .captured()
            .filter(|(_, param)| matches!(param, Param::Place(_)) && closure.wrt.contains(param));
        memory.map(move |(k, _)| (closure, k))
    })
}

/// Captured values that are not copied freely are cloned in each call; memory is a reference there.
fn clones(closure: &Closure, captured: &Captured, names: &[(Param, Ident)]) -> TokenStream {
    if captured.owned {
        let (shared, own): (Vec<_>, Vec<_>) = names
            .iter()
            .cloned()
            .partition(|(_, name)| captured.shared.contains_key(name));
        let own = clones_of(closure, &own);
        let shared = shared.iter().map(|(_, name)| {
            let copy = captured.outside(name);
            quote!(let #name = &#copy;)
        });
        return quote!(#own #(#shared)*);
    }
    let values = names
        .iter()
        .filter(|(param, _)| matches!(param, Param::Value(_)));
    clones_of(closure, &values.cloned().collect::<Vec<_>>())
}

/// The same for names of what is owned.
fn clones_of(closure: &Closure, names: &[(Param, Ident)]) -> TokenStream {
    let clones = names.iter().filter_map(|(param, name)| match param {
        Param::Value(v) if !is_copy(closure.func.ty(*v)) => {
            Some(quote!(let #name = rt::Original(&#name).__copy();))
        }
        Param::Place(_) => Some(quote!(let #name = &#name;)),
        Param::Value(_) => None,
    });
    clones.collect()
}

/// The captured lists of numbers of which elements are used alone: their cotangents are kept element by element, so that a call costs what it uses.
fn sparse(closure: &Closure, level: u32, dual: &mut Dual) -> Vec<Param> {
    let mut found = Vec::new();
    if level > 0 {
        return found;
    }
    for (k, &param) in closure.func.params.iter().enumerate().skip(closure.inputs) {
        let (Param::Place(p), Some(shadow)) = (param, dual.shadows[0][k]) else {
            continue;
        };
        let data = closure.func.at(p);
        let numbers = matches!(&data.ty, Ty::Slice(of) | Ty::Vec(of) if of.is_float());
        let mut alone = true;
        for op in &dual.func.body.ops {
            op.walk(&mut |op| {
                let element = matches!(&op.kind, Kind::AddTo(path) if matches!(path.steps[..], [Step::Index(_)]));
                alone &= element || !op.places().contains(&shadow);
            });
        }
        if numbers && alone && data.storage != Storage::Owned && closure.wrt.contains(&param) {
            // Nothing borrows a part of it.
            dual.func.at_mut(shadow).ty = Ty::User;
            found.push(param);
        }
    }
    found
}

/// Both sweeps of a closure, with tangents by `level` directions.
fn both_sweeps(closure: &Closure, level: u32) -> Dual {
    let activity = analysis::activity(&closure.func, &closure.wrt);
    // A pullback owns what it remembers, since the function outlives what it captured.
    let policy = Policy {
        restore: false,
        without: vec![Rule::Remember, Rule::Fuse],
        ..Policy::default()
    };
    let (both, _) = sweeps::sweeps(&closure.func, &activity, &closure.wrt, Seed::Late, &policy);
    (0..level).fold(Dual::new(both, 1), |dual, _| dual.jvp(&closure.wrt))
}

/// Inputs that are memory and change are variables of the body.
fn mutable(func: &crate::ir::Func, inputs: &[Ident]) -> TokenStream {
    let mutable = func
        .params
        .iter()
        .zip(inputs)
        .filter_map(|(param, name)| match param {
            Param::Place(p)
                if func.at(*p).storage == crate::ir::Storage::Owned && func.at(*p).mutable =>
            {
                Some(quote!(let mut #name = #name;))
            }
            _ => None,
        });
    mutable.map(ToTokens::into_token_stream).collect()
}
