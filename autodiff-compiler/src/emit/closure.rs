//! Functions that are passed to calls: closures of value and derivative at once.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, is_copy};
use crate::analysis;
use crate::callable;
use crate::forms::{PASSED, form_name};
use crate::ir::{
    Arg, Call, Closure, Companion, Function, Kind, Op, Param, Path, Place, Step, Storage, Ty,
};
use crate::jvp;
use crate::remember::Policy;
use crate::second::Dual;
use crate::simplify;
use crate::sweeps;
use crate::types;
use crate::vjp::Seed;

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
                quote!(rt::copy(&#name))
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
                        quote!(rt::copy(&#tokens))
                    };
                    (tokens, closure.func.hint(inner).to_owned())
                }
                (Arg::Capture(path), Param::Place(inner)) => {
                    let slice = matches!(self.func.path_ty(path), Ty::Slice(_));
                    let tokens = self.path(path);
                    let tokens = match (owned, slice) {
                        (false, _) => quote!(&#tokens),
                        (true, true) => quote!(rt::ToOwned::to_owned(&#tokens)),
                        (true, false) => quote!(rt::copy(&#tokens)),
                    };
                    let hint = &closure.func.at(inner).hint;
                    if owned && self.is_lasting(path) {
                        let all = self.shared_copy(path.root);
                        let (name, copy) = (self.fresh(hint), self.fresh(hint));
                        out.push(quote!(let #copy = #all.get(|| #tokens);));
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

    /// Whether the path leads to a list that is there from before the first statement, or from one that runs once, and never changes.
    fn is_lasting(&self, path: &Path) -> bool {
        let data = self.func.at(path.root);
        let once = match data.storage {
            Storage::Local => self.made_in.get(&path.root) == Some(&self.func.body.id),
            Storage::Owned | Storage::Shared => true,
            Storage::Exclusive => false,
        };
        let list = matches!(data.ty, Ty::Slice(_) | Ty::Vec(_));
        once && list && path.steps.is_empty() && !data.mutable && !self.in_direction()
    }

    /// The variable that has the copy of a place which all closures share.
    fn shared_copy(&mut self, p: Place) -> Ident {
        if let Some(name) = self.shared.get(&p) {
            return name.clone();
        }
        let name = self.fresh(&format!("shared_{}", self.func.at(p).hint));
        self.shared.insert(p, name.clone());
        name
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

    /// Binds the tangent of what a closure captures as `of`.
    fn captured_dot(
        &mut self,
        companion: &Companion,
        arg: &Arg,
        (of, like): (&Ident, TokenStream),
        owned: bool,
        out: &mut Vec<TokenStream>,
    ) -> Ident {
        let tokens = match companion {
            Companion::Value(v) => {
                let v = self.operand(*v);
                quote!(rt::copy(&#v))
            }
            Companion::Place(path) => {
                let slice = matches!(self.func.path_ty(path), Ty::Slice(_));
                let path = self.path(path);
                match (owned, slice) {
                    (false, _) => quote!(&#path),
                    (true, true) => quote!(rt::ToOwned::to_owned(&#path)),
                    (true, false) => quote!(rt::copy(&#path)),
                }
            }
            Companion::Zero if matches!(arg, Arg::Value(_)) || owned => {
                quote!(rt::zero_like(&#like))
            }
            Companion::Zero => quote!(&rt::zero_like(#of)),
        };
        let dot = self.fresh(&format!("{of}_dot"));
        out.push(quote!(let #dot = #tokens;));
        dot
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
            let dot = self.captured_dot(&companions[at], &call.args[at], (of, like), false, out);
            *emit.taken.entry(dot.to_string()).or_default() += 1;
            emit.name_param(*tangent, dot);
        }
        let mutable = mutable(&dual.func, &inputs);
        let clones = clones(closure, &captured);
        let (body, yields) = emit.body();
        quote!(|#(#inputs,)* #(#dots),*| { #clones #mutable #changing #body (#(#yields),*) })
    }

    /// A closure whose result has no derivative.
    fn plain_closure(&mut self, closure: &Closure, captured: &Captured) -> TokenStream {
        let (mut emit, inputs) = self.inside(&closure.func, closure, None, captured);
        let (mutable, clones) = (mutable(&closure.func, &inputs), clones(closure, captured));
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
        let captured = self.captured(closure, call, true, out);
        let mut dual = (!closure.is_inert()).then(|| both_sweeps(closure, call.level));
        let sparse = dual.as_mut().map(|dual| sparse(closure, call.level, dual));
        let sparse = sparse.unwrap_or_default();
        let tie = self.fresh("tie");
        for k in 0..count {
            let env = self.fresh("env");
            let zeros = captured
                .names
                .iter()
                .filter(|(param, _)| closure.wrt.contains(param))
                .map(|(param, name)| {
                    let of = captured.outside(name);
                    if sparse.contains(param) {
                        quote!(rt::Sparse::of(&#of))
                    } else {
                        quote!(rt::zero_like(&#of))
                    }
                });
            out.push(quote!(let #env = (#(#zeros,)*);));
            if k == 0 {
                out.push(quote!(let #tie = rt::type_of(&#env);));
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
                let like = captured.outside(name);
                let dot = self.captured_dot(&of[at], &call.args[at], (name, like), true, out);
                *emit.taken.entry(dot.to_string()).or_default() += 1;
                owned_dots.push((*param, dot.clone()));
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
        let (mutable, clones) = (mutable(&dual.func, &inputs), clones(closure, &captured));
        let clones_of_dots = clones_of(closure, &owned_dots);
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
                    keep.extend(quote!(let #kept = rt::copy(#name);));
                    rebind.extend(quote!(let #name = &#kept;));
                }
            }
        }
        let all = emit.fresh("bars");
        let dots = dots.iter().flatten();
        quote! {
            move |#(#inputs,)* #(#dots),*| {
                #clones #clones_of_dots #mutable #changing #forward #keep
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
        let mut after = TokenStream::new();
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
                        let mut part = 0_u32;
                        for (k, param) in closure.captured() {
                            let known = closure.wrt.contains(&param);
                            let index = proc_macro2::Literal::u32_unsuffixed(part);
                            part += u32::from(known);
                            match (shadow_of(k), param) {
                                (_, Param::Value(_)) if known => {
                                    captured_bars[group].push(quote!(#env.#index));
                                }
                                (_, Param::Value(_)) => captured_bars[group].push(quote!(())),
                                (Arg::Capture(shadow), Param::Place(_)) if known => {
                                    let shadow = self.path(shadow);
                                    after.extend(quote!(rt::acc(&mut #shadow, &#env.#index);));
                                }
                                (_, Param::Place(_)) => {}
                            }
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
                let #returned = #back(#(#seeds),* #(, #again)* #(, #shadows)*);
                #after
                (#(#bars,)*)
            };
        }
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

/// Captured values that are not copied freely are cloned in each call; memory is a reference there.
fn clones(closure: &Closure, captured: &Captured) -> TokenStream {
    if captured.owned {
        let (shared, own): (Vec<_>, Vec<_>) = captured
            .names
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
    let values = captured
        .names
        .iter()
        .filter(|(param, _)| matches!(param, Param::Value(_)));
    clones_of(closure, &values.cloned().collect::<Vec<_>>())
}

/// The same for names of what is owned.
fn clones_of(closure: &Closure, names: &[(Param, Ident)]) -> TokenStream {
    let clones = names.iter().filter_map(|(param, name)| match param {
        Param::Value(v) if !is_copy(closure.func.ty(*v)) => {
            Some(quote!(let #name = rt::copy(&#name);))
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
        everything: true,
        sink: true,
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
