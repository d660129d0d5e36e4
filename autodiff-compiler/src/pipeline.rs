//! The pipeline: from the tokens of a function to the function and its derivatives.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::Parser;

use crate::absorbed;
use crate::alike::alike;
use crate::analysis::{self, Activity};
use crate::api::{self, Bodies, Refused};
use crate::attr;
use crate::chosen::chosen;
use crate::cut::{Cut, cut};
use crate::dump::{Stage, dump};
use crate::dynamic;
use crate::emit::{self, Emit};
use crate::errors::Errors;
use crate::failing::failing;
use crate::from_zero::from_zero;
use crate::function::{By, GradFn, Options, Rule, param_names};
use crate::fuse;
use crate::getters;
use crate::idle::idle;
use crate::inspect::{self, Chart, Pullback};
use crate::ir::{self, Block, Form, Func, Kind, Param, Value};
use crate::jvp::{self, Jvp, jvp};
use crate::lanes;
use crate::lower::{self, Lowered};
use crate::maps::{Known, gather, gather_sweeps, maps, refuse_strange};
use crate::mode::{self, Gradient};
use crate::moves::moves;
use crate::mutate;
use crate::neighbours::neighbours;
use crate::onward::onward;
use crate::own;
use crate::own_names;
use crate::print;
use crate::remember::{Outcome, Policy};
use crate::renewed::{renew, renew_rounds};
use crate::scratch;
use crate::second::{self, Dual, Several, dotted};
use crate::share::share;
use crate::simplify::simplify;
use crate::slopes::Steep;
use crate::standard;
use crate::sums::sums;
use crate::sweeps::{needing, simplify_sweeps, sweeps, with_split};
use crate::types;
use crate::verify::verify;
use crate::vjp::{self, Seed};
use crate::vouched::vouched;
use crate::zeroed::zeroed;

/// A function that the macro made, and its derivatives beside it.
pub(crate) fn beside(options: Options, item: syn::ItemFn, errors: &mut Errors) -> TokenStream {
    let function = attr::function(options, item, &syn::Generics::default(), errors);
    let derivatives = derivatives_of(&function, errors);
    let user = &function.written;
    quote!(#user #derivatives)
}

/// The derivatives of a function, or what stands for them where it is refused.
pub(crate) fn derivatives_of(function: &GradFn, errors: &mut Errors) -> TokenStream {
    if errors.is_empty() && function.options.own.is_constant() {
        own::check_constant(function, errors);
        if errors.is_empty() {
            return api::constant(function);
        }
    }
    if function.options.declared {
        return if function.sound {
            api::declared(function)
        } else {
            TokenStream::new()
        };
    }
    if errors.is_empty() && dynamic::takes_functions(function) {
        return dumped(function, api::of_variables(function));
    }
    let lowered = if errors.is_empty() {
        lower::lower(function, beside, errors)
    } else {
        None
    };
    if let Some(lowered) = &lowered {
        refuse_lost(function, lowered, errors);
        second::refuse(function, &lowered.func, errors);
        refuse_trace(function, &lowered.func, errors);
        let (values, places) = (&lowered.ascribed, &lowered.ascribed_places);
        let known = || Known::declared(function, &lowered.func, values, places);
        let wrt = differentiable(function, &lowered.func);
        refuse_strange(&lowered.func, known, &wrt, errors);
    }
    match lowered {
        Some(lowered) if errors.is_empty() => {
            let marked = own_names::has_marks(&lowered.written);
            let beside = lowered.beside.clone();
            let out = derivatives(function, lowered);
            let out = if marked { own_names::unmark(out) } else { out };
            quote!(#beside #out)
        }
        _ => api::stub(function, &errors.to_tokens()),
    }
}

/// The graph of a function, ready to be differentiated.
pub(crate) struct Prepared {
    pub(crate) func: Func,
    pub(crate) wrt: Vec<Param>,
    pub(crate) activity: Activity,
    /// The graph as users see it, and which values stand for others since.
    pub(crate) chart: Chart,
    pub(crate) shared: FxHashMap<ir::Value, ir::Value>,
    /// The graph as it was charted, to be traced.
    plain: Option<Func>,
}

impl Prepared {
    /// What users see of it.
    fn seen(&self) -> (&Chart, &FxHashMap<ir::Value, ir::Value>, &Activity) {
        (&self.chart, &self.shared, &self.activity)
    }
}

/// Refuses what would lose a derivative: code copied as inactive that turns out to read what depends on a parameter.
fn refuse_lost(function: &GradFn, lowered: &Lowered, errors: &mut Errors) {
    let wrt = differentiable(function, &lowered.func);
    let varied = analysis::varied(&lowered.func, &wrt);
    let lent = lowered.func.params.iter().zip(&function.params);
    let lent = lent.filter(|(param, info)| {
        matches!(**param, Param::Place(p) if varied.place(p)) && info.is_object() && !info.active
    });
    let lent: Vec<&Ident> = lent.map(|(_, info)| &info.name).collect();
    if !lent.is_empty() {
        for name in lent {
            errors.error(name, format_args!("`{name}` is lent to a #[grad] function, and there is no copy of it for the reverse sweep; take it as a type parameter, `fn f<R: Trait + Clone>(#[constant] {name}: &mut R, …)`"));
        }
        return;
    }
    lower::refuse_lost(&lowered.func, &wrt, &lowered.verbatim, errors);
    for (param, info) in lowered.func.params.iter().zip(&function.params) {
        let written = matches!(*param, Param::Place(p) if info.by == By::Mut && varied.place(p));
        if written && !info.ty.is_inert() && !info.active {
            errors.error(&info.name, format_args!("`{}` is no differentiable parameter, but something active is written to it; make it one, or write to a variable of the body", info.name));
        }
    }
}

/// Refuses to trace operators on parts of types that the macro does not know: what it records are the operations of numbers.
fn refuse_trace(function: &GradFn, func: &Func, errors: &mut Errors) {
    if !function.options.trace {
        return;
    }
    let varied = analysis::varied(func, &differentiable(function, func));
    // What follows from one is not seen either.
    let mut refused = FxHashSet::default();
    for op in &func.body.ops {
        op.walk(&mut |op| {
            let operator = matches!(op.kind, ir::Kind::Prim(ir::Prim::Operator(_)));
            if !operator || !op.results.iter().any(|&y| varied.value(y)) {
                return;
            }
            refused.extend(op.results.iter().copied());
            if !op.args.iter().any(|v| refused.contains(v)) {
                errors.error_at(op.span, "an operator on a value of a type that is not seen cannot be traced; take the number out of it first, `let x: f64 = point.x`");
            }
        });
    }
}

/// The parameters that are differentiated with respect to.
fn differentiable(function: &GradFn, func: &Func) -> Vec<Param> {
    func.params
        .iter()
        .zip(&function.params)
        .filter(|(_, info)| info.active)
        .map(|(p, _)| *p)
        .collect()
}

/// Analyses of the lowered graph.
pub(crate) fn prepare(
    function: &GradFn,
    mut func: Func,
    written: &FxHashMap<String, String>,
    (values, places): Annotations<'_>,
) -> Prepared {
    analysis::kinds(&mut func);
    // Positions stay when operations are shared.
    ir::number(&mut func);
    let chart = Chart::new(function, &func, written);
    let plain = function.options.trace.then(|| func.clone());
    let shared = share(&mut func);
    if function.options.applies(Rule::Map) {
        let known = Known::declared(function, &func, values, places);
        maps(&mut func, known, function.options.mutate.as_deref());
    }
    let wrt = differentiable(function, &func);
    let mut activity = analysis::activity(&func, &wrt);
    let forget = function.options.mutate.as_deref() == Some("drop_choice");
    if function.options.applies(Rule::Choose) && chosen(&mut func, &activity, forget) {
        ir::number(&mut func);
        activity = analysis::activity(&func, &wrt);
    }
    if function.options.applies(Rule::Fuse) && api::discards(function) {
        failing(&mut func);
    }
    verify(&func, []);
    let name = &function.item.sig.ident;
    dump(name, Stage::Lowered, || print::primal(&func, &activity));
    Prepared {
        func,
        wrt,
        activity,
        chart,
        shared,
        plain,
    }
}

/// The sweeps of a function that is lent memory to change, of which the reverse sweep reads and changes nothing: what that held need not be saved.
///
/// Only where no more is kept than by the sweeps that put it back, whose outcome is given, and the function leaves the lengths as they are.
fn leaving(function: &GradFn, prepared: &Prepared, restoring: &Outcome) -> Option<crate::vjp::Vjp> {
    let func = &prepared.func;
    let is_lent = |p: &ir::Place| func.at(*p).storage == ir::Storage::Exclusive;
    let plain = function.method.is_none()
        && function.callables().is_empty()
        && function.item.sig.generics.params.is_empty()
        && function.options.fails.is_none()
        && function.options.applies(Rule::Remember)
        && function.options.applies(Rule::Leave)
        && !restoring.saved.is_empty();
    let mut lent = function
        .params
        .iter()
        .filter(|p| p.by == By::Mut)
        .peekable();
    if !plain || lent.peek().is_none() || !lent.all(|p| p.active && p.ty.is_numbers()) {
        return None;
    }
    let mut apart = true;
    for op in &func.body.ops {
        op.walk(&mut |op| {
            // A pullback reads what it borrows again.
            let called = matches!(op.kind, Kind::Call(_)) && op.places().iter().any(is_lent);
            let reshaped = op.reshapes(func).iter().any(is_lent);
            let whole = matches!(op.kind, Kind::Opaque(_)) && op.stores().iter().any(is_lent);
            apart &= !called && !reshaped && !whole;
        });
    }
    let policy = Policy {
        restore: false,
        leave: true,
        ..policy(function, prepared, Seed::Late, false)
    };
    let (both, outcome) = apart.then(|| reverse_by(function, prepared, Seed::Late, &policy))?;
    let reads = outcome.reread.iter().any(is_lent);
    (!reads && outcome.counts <= restoring.counts).then_some(both)
}

/// Both sweeps of a function with every need met, and how.
pub(crate) fn reverse(
    function: &GradFn,
    prepared: &Prepared,
    seed: Seed,
) -> (crate::vjp::Vjp, Outcome) {
    reverse_relying(function, prepared, seed, false)
}

/// The same; `trusting`, callees are relied on to overwrite what they are lent, and the result says which.
pub(crate) fn reverse_relying(
    function: &GradFn,
    prepared: &Prepared,
    seed: Seed,
    trusting: bool,
) -> (crate::vjp::Vjp, Outcome) {
    let policy = policy(function, prepared, seed, trusting);
    reverse_by(function, prepared, seed, &policy)
}

/// What the options of a function ask of its sweeps.
fn policy(function: &GradFn, prepared: &Prepared, seed: Seed, trusting: bool) -> Policy {
    // The pullbacks of a function that calls itself stand on a stack: none may be skipped, or come before another.
    let calls_itself = prepared.func.body.ops.iter().any(|op| {
        let mut found = false;
        op.walk(&mut |op| {
            found |= matches!(&op.kind, Kind::Call(call) if call.is_of(&function.item.sig.ident));
        });
        found
    });
    let (name, fuse) = (
        &function.item.sig.ident,
        function.options.applies(Rule::Fuse),
    );
    let at_once = if seed == Seed::AtOnce && fuse {
        let known = (name, function.options.at_once.as_slice());
        fuse::callable_at_once(&prepared.func, &prepared.activity, known)
    } else {
        FxHashSet::default()
    };
    let mut without = function.options.without.clone();
    if calls_itself {
        without.push(Rule::Sink);
    }
    Policy {
        restore: seed == Seed::Late,
        leave: false,
        without,
        at_once,
        trusting,
        verify: function.options.verify,
        mutate: function.options.mutate.clone(),
    }
}

fn reverse_by(
    function: &GradFn,
    prepared: &Prepared,
    seed: Seed,
    policy: &Policy,
) -> (crate::vjp::Vjp, Outcome) {
    let name = &function.item.sig.ident;
    let Prepared {
        func,
        activity,
        wrt,
        ..
    } = prepared;
    dump(name, Stage::Vjp, || {
        vjp::printed(&needing(func, activity, wrt, seed, policy))
    });
    let (mut both, outcome) = sweeps(func, activity, wrt, seed, policy);
    dump(name, Stage::Residuals, || vjp::printed(&both));
    if function.options.applies(Rule::Zero) {
        with_split(&mut both, |func| zeroed(func, policy.mutate.as_deref()));
        simplify_sweeps(&mut both);
    }
    if function.options.applies(Rule::Rebase) {
        with_split(&mut both, from_zero);
        if function.options.applies(Rule::Sum) {
            with_split(&mut both, |func| sums(func, policy.mutate.as_deref()));
        }
        if function.options.applies(Rule::Turn) {
            with_split(&mut both, onward);
        }
        if function.options.applies(Rule::Carry) {
            with_split(&mut both, |func| neighbours(func, policy.mutate.as_deref()));
        }
        simplify_sweeps(&mut both);
        verify(&both.func, both.seed.map(Param::Value));
    }
    let how = (
        !function.options.applies(Rule::Beside),
        policy.mutate.as_deref(),
    );
    let end = (seed == Seed::AtOnce).then(|| gather_sweeps(&mut both.func, both.seed, how));
    match end.flatten() {
        Some(end) => (both.split, both.program) = (end, true),
        None => {
            let seed = both.seed;
            with_split(&mut both, |func| gather(func, seed));
        }
    }
    (both, outcome)
}

/// Gives a value of a block a type, and what the arms of a conditional yield for it.
fn ascribe(block: &Block, v: Value, ty: &TokenStream, ascribed: &mut BTreeMap<Value, TokenStream>) {
    ascribed.entry(v).or_insert_with(|| ty.clone());
    for op in &block.ops {
        let chosen = matches!(op.kind, Kind::If | Kind::Match(..) | Kind::Switch);
        let result = op.results.iter().position(|&y| y == v);
        let Some(k) = result.filter(|_| chosen) else {
            continue;
        };
        for arm in &op.blocks {
            if let Some(&v) = arm.yields.get(k) {
                ascribe(arm, v, ty, ascribed);
            }
        }
    }
}

fn derivatives(function: &GradFn, lowered: Lowered) -> TokenStream {
    let Lowered {
        func,
        items,
        mut ascribed,
        ascribed_places,
        recursive,
        written,
        of_lists,
        ..
    } = lowered;
    // What is known of types, the names that the user wrote say.
    let prepared = prepare(function, func, &written, (&ascribed, &ascribed_places));
    let function = &vouched(function, Some((&prepared.func, &prepared.activity)));
    let mut uses = function.options.uses.borrow_mut();
    uses.passed_on.extend(getters::passed_on(
        function,
        &prepared.func,
        &prepared.activity,
    ));
    uses.of_lists.extend(of_lists);
    drop(uses);
    // What is made of a type without a derivative is no second error.
    let made = (function.ret.as_ref()).filter(|ty| types::is_vouched(ty));
    if let (Some(&v), Some(ty)) = (prepared.func.body.yields.first(), made) {
        ascribe(&prepared.func.body, v, &ty.to_token_stream(), &mut ascribed);
    }
    let annotations = (&ascribed, &ascribed_places);
    let names = param_names(function);
    let items = quote!(#(#items)*);
    let mutates = function.params.iter().any(|p| p.by == By::Mut && p.active);
    let mutates = mutates || !function.callables().is_empty();
    let mut early = (!mutates).then(|| reverse(function, &prepared, Seed::AtOnce));
    // Where callees keep what is hoped of them: rustc knows when it compiles the call. It asks beside the body.
    let hopeful =
        (early.as_ref()).filter(|_| !has_names(&items) && lends_in_a_loop(&prepared.func));
    let hopeful = hopeful.map(|_| reverse_relying(function, &prepared, Seed::AtOnce, true).0);
    let mut hopeful = hopeful.filter(|both| !both.relied.is_empty());
    let mut late = reverse(function, &prepared, Seed::Late);
    let mut renewed = Vec::new();
    if function.options.applies(Rule::Remember) {
        renewed = renew(&mut late.0.func, late.0.split);
        renewed.extend(renew_rounds(&mut late.0.func));
        verify(&late.0.func, late.0.seed.map(Param::Value));
        let early = early.iter_mut().map(|(both, _)| both);
        for both in early.chain(&mut hopeful) {
            renew_rounds(&mut both.func);
            verify(&both.func, both.seed.map(Param::Value));
        }
    }
    let inspect = {
        let pullback = Pullback {
            func: &late.0.func,
            split: late.0.split,
            renewed: &renewed,
        };
        let both = early.as_ref().unwrap_or(&late);
        inspect::functions(function, prepared.seen(), both, &pullback)
    };
    if function.options.own.step.is_some() {
        return dumped(function, api::step(function));
    }
    if function.options.own.is_called() {
        return dumped(function, api::derivatives(function, names, &inspect));
    }
    let (orders, bent) = orders(function, &prepared, &names, annotations, &items);
    let mut dual = jvp(&prepared.func, &prepared.activity, &prepared.wrt);
    dump(&function.item.sig.ident, Stage::Jvp, || jvp::printed(&dual));
    if function.options.verify {
        simplify(&mut dual.func);
        let tangents = dual.tangents.iter().copied().flatten();
        absorbed::watch(&mut dual.func, &prepared.activity, tangents, None);
    }
    if function.options.applies(Rule::Rebase) {
        from_zero(&mut dual.func);
    }
    let steep = (dual.steep.clone()).join(late.0.steep.clone()).join(bent);
    let bodies = Bodies {
        jvp: {
            let checks = standard::checks(function);
            let checked = quote!(#items #checks);
            let body = forward_body(dual, None, Several::No, &names, annotations, &checked);
            let dot = |name: &Ident| vec![(prefixed("dot", name), Several::No)];
            let Cut { before, after } = cut(function, &prepared.func, &names, dot);
            if after.is_empty() {
                body
            } else {
                quote!(#before let out = { #body }; #after out)
            }
        },
        trace: prepared.plain.as_ref().map(|func| {
            let dual = inspect::trace(func, &prepared.chart, &prepared.wrt);
            forward_body(
                dual,
                Some(&prepared.chart),
                Several::No,
                &names,
                annotations,
                &items,
            )
        }),
        gradient: gradient_body(function, &prepared, &names, annotations, &items),
        lanes: forward_in_lanes(function, &prepared, recursive, &names, annotations, &items),
        vjp: early.as_ref().map(|(both, _)| {
            let body = |both| vjp_body(function, &prepared, both, &names, annotations, &items);
            let plain = body(both);
            match &hopeful {
                Some(both) => {
                    let (holds, hopeful) = (both.relied.tokens(), body(both));
                    quote!(if #holds { #hopeful } else { #plain })
                }
                None => plain,
            }
        }),
        program: early.as_ref().is_some_and(|(both, _)| both.program),
        overwrites: scratch::overwritten(&prepared.func),
        leaving: (!recursive)
            .then(|| leaving(function, &prepared, &late.1))
            .flatten()
            .map(|both| fwd_body(function, &prepared, &both, &names, annotations, &items)),
        fwd: fwd_body(function, &prepared, &late.0, &names, annotations, &items),
        orders,
        // What it calls of itself is the value alone.
        recursive: recursive && !function.options.own.is_given(),
        // The names of a body mean nothing beside it.
        steep: if recursive || !items.is_empty() {
            steep.without_callees()
        } else {
            steep
        },
        deep: deep(function, &late.0.func, &items).is_some(),
        refused: Refused::default(),
        hidden: function.options.called_only,
        stub: false,
        inspect: if function.options.called_only {
            TokenStream::new()
        } else {
            inspect
        },
    };
    dumped(function, api::api(function, names, &bodies))
}

/// A loop lends memory of the body to what it calls.
fn lends_in_a_loop(func: &Func) -> bool {
    let mut found = false;
    for op in &func.body.ops {
        op.walk(&mut |op| {
            if matches!(op.kind, Kind::For(_)) {
                op.walk(&mut |op| {
                    if let Kind::Call(call) = &op.kind {
                        found |= (call.args.iter()).any(|arg| matches!(arg, ir::Arg::Mut(path) if func.at(path.root).storage == ir::Storage::Local));
                    }
                });
            }
        });
    }
    found
}

/// Prints what is asked for.
fn dumped(function: &GradFn, out: TokenStream) -> TokenStream {
    dump(&function.item.sig.ident, Stage::Emitted, || out.to_string());
    out
}

/// The bodies of each order above the first, and whether what they give may be an infinite slope.
fn orders(
    function: &GradFn,
    prepared: &Prepared,
    names: &[Ident],
    annotations: Annotations<'_>,
    items: &TokenStream,
) -> (Vec<api::OrderBodies>, Steep) {
    let results = usize::from(!prepared.func.body.yields.is_empty());
    let mutates = function.params.iter().any(|p| p.by == By::Mut && p.active);
    let dual = |seed| Dual::new(reverse(function, prepared, seed).0, results);
    let mut out = Vec::new();
    if function.options.order < 2 {
        return (out, Steep::default());
    }
    let mut early = (!mutates).then(|| dual(Seed::Early));
    let mut late = dual(Seed::Late);
    for _ in 1..function.options.order {
        early = early.map(|early| early.jvp(&prepared.wrt));
        late = late.jvp(&prepared.wrt);
        for dual in early.iter_mut().chain([&mut late]) {
            mutate::second(&mut dual.func, function.options.mutate.as_deref());
        }
        let several = match &early {
            Some(dual) if function.ret_ty.is_float() => dual.several(function),
            _ => Several::No,
        };
        let fwd = |several| {
            dual_fwd_body(
                function,
                prepared,
                &late,
                names,
                (annotations, several),
                items,
            )
        };
        let lends = function.params.iter().any(|p| p.by != By::Value);
        out.push(api::OrderBodies {
            several,
            vjp: early
                .as_ref()
                .map(|dual| dual_vjp_body(function, dual, names, (annotations, several), items)),
            wide: (late.several(function) == Several::Lanes).then(|| fwd(Several::Lanes)),
            each: (lends && late.several(function) == Several::Each).then(|| fwd(Several::Each)),
            fwd: fwd(Several::No),
        });
    }
    (out, late.steep)
}

type Annotations<'a> = (
    &'a BTreeMap<ir::Value, TokenStream>,
    &'a BTreeMap<ir::Place, TokenStream>,
);

fn prefixed(prefix: &str, name: &Ident) -> Ident {
    let name = name.to_string().replace("r#", "");
    quote::format_ident!("{prefix}_{name}", span = Span::mixed_site())
}

/// Gives the parameters of a graph the names of the signature.
fn name_params(emit: &mut Emit<'_>, func: &Func, names: &[Ident]) {
    for (&param, name) in func.params.iter().zip(names) {
        match param {
            Param::Value(v) => emit.name_value(v, name.clone()),
            Param::Place(p) => emit.name_place(p, name.clone()),
        }
    }
}

/// Owned parameters that are memory and change are variables of the body.
fn mutable_params(func: &Func, names: &[Ident]) -> TokenStream {
    func.params
        .iter()
        .zip(names)
        .filter_map(|(param, name)| match param {
            Param::Place(p) if func.at(*p).storage == ir::Storage::Owned && func.at(*p).mutable => {
                Some(quote!(let mut #name = #name;))
            }
            _ => None,
        })
        .collect()
}

/// The body of forward mode, or of the form that records.
fn forward_body(
    mut dual: Jvp,
    recording: Option<&Chart>,
    several: Several,
    names: &[Ident],
    (values, places): Annotations<'_>,
    items: &TokenStream,
) -> TokenStream {
    simplify(&mut dual.func);
    moves(&mut dual.func);
    verify(&dual.func, dual.tangents.iter().flatten().copied());
    let mut emit = Emit::new(&dual.func, values, places, None);
    emit.recording = recording;
    emit.run_in(several, &dual.dotted);
    name_params(&mut emit, &dual.func, names);
    let mut mutable = mutable_params(&dual.func, names);
    for (tangent, name) in dual.tangents.iter().zip(names) {
        let dot = prefixed("dot", name);
        match tangent {
            Some(Param::Value(v)) => emit.name_value(*v, dot),
            Some(Param::Place(p)) => {
                if dual.func.at(*p).storage == ir::Storage::Owned && dual.func.at(*p).mutable {
                    mutable.extend(quote!(let mut #dot = #dot;));
                }
                emit.name_place(*p, dot);
            }
            None => {}
        }
    }
    let (body, yields) = emit.body();
    let (value, tangent) = match yields.as_slice() {
        [value, tangent] => (value.clone(), tangent.clone()),
        _ => (quote!(()), quote!(())),
    };
    quote!(#items #mutable #body (#value, #tangent))
}

/// Forward mode in lanes, if the function has it.
fn forward_in_lanes(
    function: &GradFn,
    prepared: &Prepared,
    recursive: bool,
    names: &[Ident],
    annotations: Annotations<'_>,
    items: &TokenStream,
) -> Option<api::InLanes> {
    if recursive || !function.options.applies(Rule::Lanes) {
        return None;
    }
    let mut func = prepared.func.clone();
    alike(&mut func, &function.ret_ty, annotations.0);
    let callees = mode::in_lanes(function, &func, &prepared.activity)?;
    if !callees.is_empty() && has_names(items) {
        return None;
    }
    let mut dual = jvp(&func, &prepared.activity, &prepared.wrt);
    // Their types are those that the user wrote.
    let mut places = annotations.1.clone();
    let made = if function.options.applies(Rule::Idle) {
        idle(&mut dual, &func)
    } else {
        Vec::new()
    };
    for (new, old) in made {
        let ty = places.get(&old).cloned();
        places.extend(ty.map(|ty| (new, ty)));
    }
    let annotations = (annotations.0, &places);
    if function.options.applies(Rule::Rebase) {
        from_zero(&mut dual.func);
    }
    let body = forward_body(dual, None, Several::Lanes, names, annotations, items);
    let dot = |name: &Ident| vec![(prefixed("dot", name), Several::Lanes)];
    let Cut { before, after } = cut(function, &prepared.func, names, dot);
    Some(api::InLanes {
        body: if after.is_empty() {
            body
        } else {
            quote!(#before let out = { #body }; #after out)
        },
        callees: callees.into_values().collect(),
    })
}

/// Whether a body has items, whose names mean nothing beside it.
fn has_names(items: &TokenStream) -> bool {
    let has_items = |body: Vec<syn::Stmt>| body.iter().any(|s| matches!(s, syn::Stmt::Item(_)));
    let parsed = syn::Block::parse_within.parse2(items.clone());
    parsed.map_or(true, has_items)
}

/// The body of a gradient in forward mode, if that is the better one.
fn gradient_body(
    function: &GradFn,
    prepared: &Prepared,
    names: &[Ident],
    (values, places): Annotations<'_>,
    items: &TokenStream,
) -> api::GradientBody {
    let (func, wrt) = (&prepared.func, &prepared.wrt);
    match mode::gradient(function, func, &prepared.activity, wrt) {
        Gradient::Reverse => return api::GradientBody::Reverse,
        Gradient::Columns => return api::GradientBody::Columns,
        Gradient::Lanes => {}
    }
    let mut all = lanes::lanes(func, wrt);
    moves(&mut all);
    if function.options.applies(Rule::Rebase) {
        from_zero(&mut all);
    }
    verify(&all, []);
    let mut emit = Emit::new(&all, values, places, None);
    name_params(&mut emit, &all, names);
    let mutable = mutable_params(&all, names);
    let (body, yields) = emit.body();
    let mut yields = yields.into_iter();
    let value = yields.next();
    let entries: Vec<TokenStream> = wrt
        .iter()
        .map(|param| {
            let ty = match *param {
                Param::Value(v) => func.ty(v),
                Param::Place(p) => &func.at(p).ty,
            };
            lanes::entry(ty, &mut yields)
        })
        .collect();
    let gradient = match entries.as_slice() {
        [one] => one.clone(),
        all => quote!((#(#all),*)),
    };
    api::GradientBody::Lanes(quote!(#items #mutable #body (#value, #gradient)))
}

/// Slices with the lengths of their arguments, which rustc then need not check again.
fn trims(function: &GradFn, names: &[Ident]) -> TokenStream {
    function
        .params
        .iter()
        .zip(names)
        .filter(|(p, _)| {
            // A vector behind `&mut` may change its length.
            let fixed = matches!(p.ty, ir::Ty::Slice(_))
                || p.by == By::Ref && matches!(p.ty, ir::Ty::Vec(_));
            p.by != By::Value && p.active && fixed
        })
        .map(|(_, name)| {
            let shadow = prefixed("d", name);
            quote!(let #shadow = &mut #shadow[..#name.len()];)
        })
        .collect()
}

fn name_shadows(emit: &mut Emit<'_>, both: &crate::vjp::Vjp, names: &[Ident], seed: &Ident) {
    if let Some(v) = both.seed {
        emit.name_value(v, seed.clone());
    }
    for ((shadow, &param), name) in both.shadows.iter().zip(&both.func.params).zip(names) {
        let borrowed =
            matches!(param, Param::Place(p) if both.func.at(p).storage != ir::Storage::Owned);
        if let (Some(p), true) = (shadow, borrowed) {
            emit.name_place(*p, prefixed("d", name));
        }
    }
}

/// One entry per owned parameter: its cotangent, zero for a constant one.
fn owned_bars(
    function: &GradFn,
    names: &[Ident],
    yields: &[TokenStream],
    several: Several,
) -> TokenStream {
    let mut yields = yields.iter();
    let entries = function
        .params
        .iter()
        .zip(names)
        .enumerate()
        .filter(|(_, (p, _))| p.by == By::Value)
        .map(|(k, (p, name))| {
            if p.active {
                let bar = yields.next().cloned().unwrap_or_else(|| quote!(()));
                // A scalar sum may have started at −0.0, which nobody computed.
                return match p.ty {
                    ir::Ty::Float(_) if several == Several::Each => {
                        quote!(rt::lanes::settled(#bar))
                    }
                    ir::Ty::Float(_) if several == Several::Lanes => {
                        quote!(#bar + rt::lanes::zero())
                    }
                    ir::Ty::Float(ir::Width::Generic) => {
                        quote!(rt::num::add(#bar, rt::num::lit(0.0)))
                    }
                    ir::Ty::Float(_) => quote!(#bar + 0.0),
                    _ => bar,
                };
            }
            let form = quote::format_ident!("__zero_{k}");
            // What is constant may be gone by then.
            let zero = if function.is_gone(p) {
                let zero = prefixed("zero", name);
                quote!(rt::copy(&#zero))
            } else if p.tangible {
                quote!(Self::#form(&#name))
            } else {
                quote!(())
            };
            let lanes = crate::forms::lanes();
            match several {
                Several::No => zero,
                Several::Lanes => quote!(rt::lanes::widen::<_, #lanes>(&#zero)),
                Several::Each => quote!(rt::lanes::Width::<#lanes>.each(|_| #zero)),
            }
        });
    let entries: Vec<_> = entries.collect();
    quote!((#(#entries,)*))
}

/// The zeros of constants that the body may move, made before it does.
fn zeros_before(function: &GradFn, names: &[Ident]) -> TokenStream {
    let params = function.params.iter().zip(names).enumerate();
    params
        .filter(|(_, (p, _))| function.is_gone(p))
        .map(|(k, (_, name))| {
            let (zero, form) = (prefixed("zero", name), quote::format_ident!("__zero_{k}"));
            quote!(let #zero = Self::#form(&#name);)
        })
        .collect()
}

fn vjp_body(
    function: &GradFn,
    prepared: &Prepared,
    both: &crate::vjp::Vjp,
    names: &[Ident],
    (values, places): Annotations<'_>,
    items: &TokenStream,
) -> TokenStream {
    let zeros = zeros_before(function, names);
    let (keep, put_back) = final_memory(function, &both.func, names);
    let split = (!keep.is_empty()).then_some(both.split);
    let mut emit = Emit::new(&both.func, values, places, split);
    emit.seed = both.seed;
    name_params(&mut emit, &both.func, names);
    name_shadows(
        &mut emit,
        both,
        names,
        &Ident::new("seed", Span::call_site()),
    );
    let results = usize::from(!prepared.func.body.yields.is_empty());
    let (mutable, trims) = (mutable_params(&both.func, names), trims(function, names));
    if split.is_some() {
        let (forward, value, reverse, bars) = emit.sweeps(both.split, results);
        let bars = owned_bars(function, names, &bars, Several::No);
        let value = value.into_iter().next().unwrap_or_else(|| quote!(()));
        return quote! {
            #items #zeros #mutable #trims #forward
            let value = #value;
            #keep #reverse
            let bars = #bars;
            #put_back
            (value, bars)
        };
    }
    let (body, yields) = emit.body();
    let bars = owned_bars(function, names, &yields[results..], Several::No);
    let value = if results == 1 {
        yields[0].clone()
    } else {
        quote!(())
    };
    quote!(#items #zeros #mutable #trims #body let value = #value; (value, #bars))
}

/// Names what comes from outside a graph with tangents; says which owned memory is to be a variable.
fn name_dual(emit: &mut Emit<'_>, dual: &Dual, names: &[Ident], seed: &Ident) -> TokenStream {
    let mut mutable = TokenStream::new();
    for (k, group) in dual.args.iter().enumerate() {
        for (param, name) in group.iter().zip(names) {
            let name = dotted(k, name);
            match *param {
                Some(Param::Value(v)) => emit.name_value(v, name),
                Some(Param::Place(p)) => {
                    let data = dual.func.at(p);
                    if data.storage == ir::Storage::Owned && data.mutable {
                        mutable.extend(quote!(let mut #name = #name;));
                    }
                    emit.name_place(p, name);
                }
                None => {}
            }
        }
    }
    for (k, &value) in dual.seeds.iter().enumerate() {
        if let Some(v) = value {
            emit.name_value(v, dotted(k, seed));
        }
    }
    for (k, group) in dual.shadows.iter().enumerate() {
        for (shadow, name) in group.iter().zip(names) {
            if let Some(p) = shadow {
                emit.name_place(*p, dotted(k, &prefixed("d", name)));
            }
        }
    }
    mutable
}

/// The cotangents of the owned parameters, group by group.
fn dual_bars(
    function: &GradFn,
    dual: &Dual,
    names: &[Ident],
    yields: &[TokenStream],
    several: Several,
) -> TokenStream {
    let count = dual.seeds.len();
    let groups = (0..count).map(|k| {
        let each = yields.len() / count;
        owned_bars(
            function,
            names,
            &yields[k * each..(k + 1) * each],
            if k > 0 { several } else { Several::No },
        )
    });
    quote!(#(#groups),*)
}

fn dual_vjp_body(
    function: &GradFn,
    dual: &Dual,
    names: &[Ident],
    ((values, places), several): (Annotations<'_>, Several),
    items: &TokenStream,
) -> TokenStream {
    let zeros = zeros_before(function, names);
    let (keep, put_back) = final_memory(function, &dual.func, names);
    let split = (!keep.is_empty()).then_some(dual.split);
    let mut emit = Emit::new(&dual.func, values, places, split);
    emit.run_in(several, &dual.dotted);
    let seed = Ident::new("seed", Span::mixed_site());
    let mutable = name_dual(&mut emit, dual, names, &seed);
    if split.is_some() {
        let (forward, results, reverse, bars) = emit.sweeps(dual.split, dual.results);
        let bars = dual_bars(function, dual, names, &bars, several);
        let results_at = (0..results.len()).map(Literal::usize_unsuffixed);
        let bars_at = (0..dual.seeds.len()).map(Literal::usize_unsuffixed);
        return quote! {
            #items #zeros #mutable #forward
            let value = (#(#results,)*);
            #keep #reverse
            let bars = (#bars,);
            #put_back
            (#(value.#results_at,)* #(bars.#bars_at),*)
        };
    }
    let (body, yields) = emit.body();
    let (results, bars) = yields.split_at(dual.results);
    let bars = dual_bars(function, dual, names, bars, several);
    quote!(#items #zeros #mutable #body (#(#results,)* #bars))
}

fn dual_fwd_body(
    function: &GradFn,
    prepared: &Prepared,
    dual: &Dual,
    names: &[Ident],
    ((values, places), several): (Annotations<'_>, Several),
    items: &TokenStream,
) -> TokenStream {
    let zeros = zeros_before(function, names);
    let mut emit = Emit::new(&dual.func, values, places, Some(dual.split));
    emit.run_in(several, &dual.dotted);
    let seed = Ident::new("seed", Span::mixed_site());
    let mutable = name_dual(&mut emit, dual, names, &seed);
    let (forward, mut results, reverse, bars) = emit.sweeps(dual.split, dual.results);
    let count = dual.seeds.len();
    let no_tangent = match several {
        Several::No => quote!(0.0),
        Several::Lanes => quote!(rt::lanes::zero()),
        Several::Each => {
            let lanes = crate::forms::lanes();
            quote!(rt::lanes::Width::<#lanes>.each(|_| 0.0))
        }
    };
    let mut none = vec![quote!(0.0); bars.len() / count];
    none.resize(bars.len(), no_tangent);
    let none = dual_bars(function, dual, names, &none, several);
    let (failed, unless_failed) = api::unless_failed(function, names, &quote!((#none)));
    let bars = dual_bars(function, dual, names, &bars, several);
    if results.is_empty() {
        let tangent = match several {
            Several::Each => {
                let lanes = crate::forms::lanes();
                quote!(rt::lanes::Width::<#lanes>.each(|_| ()))
            }
            Several::No | Several::Lanes => quote!(()),
        };
        results = vec![quote!(())];
        results.resize(count, tangent);
    }
    let closure = api::dual_closure_params(function, names, count, several);
    let (keep, put_back) = kept_memory(function, prepared, names);
    let tangents = |name: &Ident| (1..count).map(|k| (dotted(k, name), several)).collect();
    let shadows = |name: &Ident| {
        let shadow = prefixed("d", name);
        let several = |k| if k > 0 { several } else { Several::No };
        let groups = (0..count).map(|k| (dotted(k, &shadow), several(k)));
        groups.collect()
    };
    let forth = cut(function, &prepared.func, names, tangents);
    let back = cut(function, &prepared.func, names, shadows);
    let (before, after) = (forth.before, forth.after);
    let (before_back, after_back) = (back.before, back.after);
    quote! {
        #items #zeros #keep #before #mutable #forward #after
        let value = (#(#results,)*);
        #failed
        let back = move |#closure| { #unless_failed #before_back #reverse #put_back #after_back (#bars) };
    }
}

/// What takes a copy of memory, and what writes it back.
fn copied(name: &Ident, ty: &ir::Ty) -> (TokenStream, TokenStream) {
    let kept = prefixed("kept", name);
    if let ir::Ty::Slice(_) = ty {
        let keep = quote!(let #kept = rt::ToOwned::to_owned(&*#name););
        return (keep, quote!(#name.clone_from_slice(&#kept);));
    }
    let copy = emit::copy_of(emit::copies_by_type(ty), quote!(*#name));
    (quote!(let #kept = #copy;), quote!(*#name = #kept;))
}

/// Copies of constant `&mut` arguments that the reverse sweep undoes, for they hold their final state after every call.
fn final_memory(function: &GradFn, func: &Func, names: &[Ident]) -> (TokenStream, TokenStream) {
    let mut undone = Vec::new();
    for op in &func.body.ops {
        op.walk(&mut |op| {
            if op.pos == 0 {
                undone.extend(op.stores());
            }
        });
    }
    let (mut keep, mut put_back) = (TokenStream::new(), TokenStream::new());
    for ((param, info), name) in func.params.iter().zip(&function.params).zip(names) {
        let Param::Place(p) = param else { continue };
        if info.by == By::Mut && undone.contains(p) {
            let (before, after) = copied(name, &info.ty);
            keep.extend(before);
            put_back.extend(after);
        }
    }
    (keep, put_back)
}

/// Copies of `&mut` arguments that copied code changes, which the reverse sweep cannot undo store by store.
fn kept_memory(
    function: &GradFn,
    prepared: &Prepared,
    names: &[Ident],
) -> (TokenStream, TokenStream) {
    let func = &prepared.func;
    let mut changed = Vec::new();
    for op in &func.body.ops {
        op.walk(&mut |op| {
            let saved = matches!(
                op.kind,
                ir::Kind::Store(_)
                    | ir::Kind::AddTo(_)
                    | ir::Kind::Change(..)
                    | ir::Kind::Swap(..)
                    | ir::Kind::Copy(..)
                    | ir::Kind::Fill(_)
            ) || prepared.activity.concerns(op);
            if !saved {
                changed.extend(op.stores());
            }
        });
    }
    let (mut keep, mut put_back) = (TokenStream::new(), TokenStream::new());
    for ((param, info), name) in func.params.iter().zip(&function.params).zip(names) {
        let Param::Place(p) = param else { continue };
        if info.by != By::Mut || !changed.contains(p) {
            continue;
        }
        // What a type of the user holds is never read again by a caller.
        if !matches!(info.ty, ir::Ty::Unknown | ir::Ty::Inert) {
            let (before, after) = copied(name, &info.ty);
            keep.extend(before);
            put_back.extend(after);
        }
    }
    (keep, put_back)
}

fn fwd_body(
    function: &GradFn,
    prepared: &Prepared,
    both: &crate::vjp::Vjp,
    names: &[Ident],
    (values, places): Annotations<'_>,
    items: &TokenStream,
) -> TokenStream {
    let zeros = zeros_before(function, names);
    let mut emit = Emit::new(&both.func, values, places, Some(both.split));
    emit.deep = deep(function, &both.func, items);
    name_params(&mut emit, &both.func, names);
    let seed = Ident::new("seed", Span::mixed_site());
    name_shadows(&mut emit, both, names, &seed);
    let results = usize::from(!prepared.func.body.yields.is_empty());
    let (forward, value, reverse, bars) = emit.sweeps(both.split, results);
    let none = vec![quote!(0.0); bars.len()];
    let none = owned_bars(function, names, &none, Several::No);
    let (failed, unless_failed) = match emit.deep {
        None => api::unless_failed(function, names, &none),
        // What the calls have left on the stack is taken from it in any case.
        Some(_) => Default::default(),
    };
    let bars = owned_bars(function, names, &bars, Several::No);
    let value = value.into_iter().next().unwrap_or_else(|| quote!(()));
    let (mutable, trims) = (mutable_params(&both.func, names), trims(function, names));
    let closure = api::closure_params(function, names);
    let (keep, put_back) = kept_memory(function, prepared, names);
    let tangent = function.ret.as_ref().map_or(quote!(()), api::owned);
    let shadow = |name: &Ident| vec![(prefixed("d", name), Several::No)];
    let Cut { before, after } = cut(function, &prepared.func, names, shadow);
    let deep = emit.deep.map(|_| api::deep_param());
    quote! {
        #items #zeros #keep #mutable #forward
        let value = #value;
        #failed
        let back = move |#seed: #tangent #closure #deep| { #unless_failed #before #trims #reverse #put_back #after #bars };
    }
}

/// The name by which a function calls itself, if the pullbacks of these calls may stand on one stack: the reverse sweep takes each from it, the last one first.
fn deep(function: &GradFn, func: &Func, items: &TokenStream) -> Option<Ident> {
    let sig = &function.item.sig;
    let plain = function.method.is_none() && sig.generics.params.is_empty();
    // An item of the body may have the name.
    if !plain || !items.is_empty() || !function.callables().is_empty() || function.hidden {
        return None;
    }
    let (mut calls, mut pullbacks) = (0, 0);
    for op in &func.body.ops {
        op.walk(&mut |op| match &op.kind {
            Kind::Call(call) if call.is_of(&sig.ident) => match call.form {
                Form::Forward(_) => calls += 1,
                Form::Backward(_) => pullbacks += 1,
                Form::Primal | Form::Jvp(_) | Form::AtOnce(_) => {}
            },
            _ => {}
        });
    }
    (calls > 0 && calls == pullbacks).then(|| sig.ident.clone())
}
