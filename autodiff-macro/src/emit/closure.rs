//! Functions that are passed to calls: closures of value and derivative at once.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

use super::{Emit, is_copy};
use crate::ir::{Arg, Call, Closure, Companion, Function, Op, Param, Path, Ty};
use crate::remember::Policy;
use crate::vjp::Seed;
use crate::{analysis, expand, jvp, simplify, types};

/// A closure in the making: what it captures has been bound to names.
struct Captured {
    /// Names of values and places, by parameter.
    names: Vec<(Param, Ident)>,
    /// Memory is a copy of its own, not a reference.
    owned: bool,
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
                    (tokens, closure.func.at(inner).hint.clone())
                }
                _ => (TokenStream::new(), String::new()),
            };
            let name = self.fresh(&hint);
            out.push(quote!(let #name = #tokens;));
            (param, name)
        });
        Captured {
            names: names.collect(),
            owned,
        }
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
            let tokens = match &companions[at] {
                Companion::Value(v) => {
                    let v = self.operand(*v);
                    quote!(rt::copy(&#v))
                }
                Companion::Place(path) => {
                    let path = self.path(path);
                    quote!(&#path)
                }
                Companion::Zero if matches!(call.args[at], Arg::Value(_)) => {
                    quote!(rt::zero_like(&#of))
                }
                Companion::Zero => quote!(&rt::zero_like(#of)),
            };
            let dot = self.fresh(&format!("{of}_dot"));
            *emit.taken.entry(dot.to_string()).or_default() += 1;
            out.push(quote!(let #dot = #tokens;));
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
        out: &mut Vec<TokenStream>,
    ) -> (Vec<TokenStream>, Vec<Ident>) {
        let mut envs = Vec::new();
        let mut functions = Vec::new();
        for function in &call.functions {
            functions.push(match function {
                Function::Parameter(k) => self.handed_on(&call.args[*k]),
                Function::Closure(closure) => self.reverse_closure(closure, call, &mut envs, out),
            });
        }
        (functions, envs)
    }

    fn reverse_closure(
        &mut self,
        closure: &Closure,
        call: &Call,
        envs: &mut Vec<Ident>,
        out: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let captured = self.captured(closure, call, true, out);
        let (env, tie) = (self.fresh("env"), self.fresh("tie"));
        let zeros = captured
            .names
            .iter()
            .filter(|(param, _)| closure.wrt.contains(param))
            .map(|(_, name)| quote!(rt::zero_like(&#name)));
        out.push(quote!(let #env = (#(#zeros,)*); let #tie = rt::type_of(&#env);));
        envs.push(env);
        if closure.is_inert() {
            return self.plain_closure(closure, &captured);
        }
        let activity = analysis::activity(&closure.func, &closure.wrt);
        // A pullback owns what it remembers, since the function outlives what it captured.
        let policy = Policy {
            restore: false,
            everything: true,
            ..Policy::default()
        };
        let (both, _) = expand::sweeps(&closure.func, &activity, &closure.wrt, Seed::Late, &policy);
        let (mut emit, inputs) = self.inside(&both.func, closure, Some(both.split), &captured);
        *emit.taken.entry(tie.to_string()).or_default() += 1;
        let seed = emit.fresh("seed");
        if let Some(v) = both.seed {
            emit.name_value(v, seed.clone());
        }
        // Inputs that are references are given again, with their shadows; what is captured adds to `env`.
        let mut shadows = Vec::new();
        let mut again = Vec::new();
        let mut parts = Vec::new();
        let mut receivers = Vec::new();
        for (k, (&param, shadow)) in closure.func.params.iter().zip(&both.shadows).enumerate() {
            let input = k < closure.inputs;
            let borrowed = matches!(param, Param::Place(p) if closure.func.at(p).storage != crate::ir::Storage::Owned);
            let name = if input {
                inputs[k].clone()
            } else {
                captured.names[k - closure.inputs].1.clone()
            };
            let part = if input && borrowed {
                let part = emit.fresh(&format!("d_{name}"));
                again.push(name);
                shadows.push(part.clone());
                part
            } else if !input && closure.wrt.contains(&param) {
                let part = emit.fresh(&format!("d_{name}"));
                parts.push(part.clone());
                if let Param::Value(_) = param {
                    receivers.push((param, part.clone()));
                }
                part
            } else {
                continue;
            };
            if let (Some(p), true) = (shadow, borrowed) {
                emit.name_place(*p, part);
            }
        }
        let mutable = mutable(&both.func, &inputs);
        let clones = clones(closure, &captured);
        let (forward, value, reverse, bars) = emit.sweeps(both.split, 1);
        // One cotangent per owned parameter that is differentiated, in order.
        let mut bars = bars.into_iter();
        let mut returned = Vec::new();
        let mut adds = TokenStream::new();
        for (k, &param) in closure.func.params.iter().enumerate() {
            let owned = match param {
                Param::Value(_) => true,
                Param::Place(p) => closure.func.at(p).storage == crate::ir::Storage::Owned,
            };
            if !owned {
                continue;
            }
            let bar = if closure.wrt.contains(&param) {
                bars.next()
            } else {
                None
            };
            if k < closure.inputs {
                returned.push(bar.unwrap_or_else(|| quote!(())));
            } else if let (Some(bar), Some((_, part))) =
                (bar, receivers.iter().find(|(p, _)| *p == param))
            {
                adds.extend(quote!(rt::acc(#part, &(#bar));));
            }
        }
        // Memory that the pullback reads again is copied once more, for each call.
        let (mut keep, mut rebind) = (TokenStream::new(), TokenStream::new());
        for (param, name) in &captured.names {
            if matches!(param, Param::Place(_)) && types::mentions(&reverse, name) {
                let kept = emit.fresh("kept");
                keep.extend(quote!(let #kept = rt::copy(#name);));
                rebind.extend(quote!(let #name = &#kept;));
            }
        }
        let (given, all) = (emit.fresh("given"), emit.fresh("bars"));
        quote! {
            move |#(#inputs),*| {
                #clones #mutable #forward #keep
                (#(#value)*, move |#seed #(, #again)* #(, #shadows)*, #given: &mut _| {
                    #rebind
                    let (#(#parts,)*) = rt::tie(#tie, #given);
                    #reverse
                    let #all = (#(#returned,)*);
                    #adds
                    #all
                })
            }
        }
    }

    /// `back(seed, references again, shadows)` of a call with functions: then what they captured gets its part.
    pub(super) fn backward_functions(
        &mut self,
        op: &Op,
        call: &Call,
        (again, mut shadows): (Vec<TokenStream>, Vec<Option<TokenStream>>),
    ) -> TokenStream {
        let (pair, seed) = (self.bare(op.args[0]), self.moved(op.args[1]));
        let back = self.fresh("back");
        let mut envs = Vec::new();
        let mut after = TokenStream::new();
        let mut captured_bars = Vec::new();
        let mut slots = shadows.iter_mut().filter(|slot| slot.is_none());
        for function in &call.functions {
            let Some(slot) = slots.next() else { break };
            match function {
                Function::Parameter(k) => *slot = Some(self.lent(&call.args[*k])),
                Function::Closure(closure) => {
                    let env = self.fresh("env");
                    *slot = (!closure.is_inert()).then(|| quote!(&mut #env));
                    let mut part = 0_u32;
                    for (k, param) in closure.captured() {
                        let known = closure.wrt.contains(&param);
                        let index = proc_macro2::Literal::u32_unsuffixed(part);
                        part += u32::from(known);
                        match (&call.args[k], param) {
                            (_, Param::Value(_)) if known => {
                                captured_bars.push(quote!(#env.#index));
                            }
                            (_, Param::Value(_)) => captured_bars.push(quote!(())),
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
        }
        let passed = op.results.len() - captured_bars.len();
        let bars: Vec<Ident> = (0..passed).map(|_| self.fresh("bar")).collect();
        let mut each = bars.iter();
        let returned = call.args[..call.passed].iter().filter_map(|arg| match arg {
            Arg::Owned => each.next().map(ToTokens::to_token_stream),
            Arg::Function(k) if call.functions[*k].is_inert() => Some(quote!(_)),
            _ => None,
        });
        let returned: Vec<_> = returned.collect();
        let names: Vec<_> = op.results.iter().map(|&v| self.binder(v)).collect();
        let shadows = shadows.into_iter().flatten();
        quote! {
            let (#(#names,)*) = {
                let (#back, #(mut #envs,)*) = #pair;
                let (#(#returned,)*) = #back(#seed #(, #again)* #(, #shadows)*);
                #after
                (#(#bars,)* #(#captured_bars,)*)
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
            Function::Parameter(_) => false,
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

/// Captured values that are not copied freely are cloned in each call.
fn clones(closure: &Closure, captured: &Captured) -> TokenStream {
    let clones = captured
        .names
        .iter()
        .filter_map(|(param, name)| match param {
            Param::Value(v) if !is_copy(closure.func.ty(*v)) => {
                Some(quote!(let #name = rt::copy(&#name);))
            }
            Param::Place(_) if captured.owned => Some(quote!(let #name = &#name;)),
            Param::Value(_) | Param::Place(_) => None,
        });
    clones.collect()
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
