//! Calls of other differentiable functions, in all their forms.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Emit, lanes, located_at};
use crate::callable;
use crate::forms::{
    self, DEEP, EACH_FORM, JVP_LANES, JVP_LANES_MUT, LANES_FORM, LEAVING, form_name,
};
use crate::inspect::recorder;
use crate::ir::{Arg, Call, Companion, Form, Op, Path, Place, Step, Ty, Value};
use crate::matrices;
use crate::second::Several;

impl Emit<'_> {
    pub(super) fn argument(&mut self, arg: &Arg) -> TokenStream {
        match arg {
            Arg::Value(v) => self.moved(*v),
            Arg::Owned | Arg::Function(_) | Arg::Capture(_) => TokenStream::new(),
            Arg::Ref(path) => {
                let path = self.lent_part(path);
                quote!(&#path)
            }
            Arg::Mut(path) => {
                let path = self.lent_part(path);
                quote!(&mut #path)
            }
        }
    }

    /// Argument `k` of a call as its forms are given it.
    fn given(&mut self, call: &Call, k: usize) -> TokenStream {
        if call.unsure.contains(&k) {
            self.of_unsure(&call.args[k], &quote!(arg()))
        } else {
            self.argument(&call.args[k])
        }
    }

    /// What the type of an argument makes of it: one thing of a reference, another of a value.
    fn of_unsure(&mut self, arg: &Arg, what: &TokenStream) -> TokenStream {
        let (Arg::Ref(path) | Arg::Mut(path)) = arg else {
            return TokenStream::new();
        };
        let path = self.path(path);
        quote!(rt::passed(&#path).#what)
    }

    /// A form of the function that is called; of a method, on its receiver.
    pub(super) fn form(&mut self, call: &Call, form: &str) -> TokenStream {
        let owner = &call.owner;
        let name = match &call.member {
            Some(member) => {
                let mut name = if call.takes_first() {
                    forms::sibling(&forms::taken(form), member)
                } else {
                    forms::sibling(form, member)
                };
                name.set_span(member.span());
                name
            }
            None => {
                let mut name = format_ident!("{form}");
                // rustc names this place where a type that is called has no derivative.
                if let Some(last) = owner.to_token_stream().into_iter().last() {
                    name.set_span(name.span().located_at(last.span()));
                }
                name
            }
        };
        match (&call.member, call.args.first()) {
            (Some(_), Some(Arg::Ref(path) | Arg::Mut(path))) if call.receiver => {
                let receiver = self.lent_part(path);
                quote!(#receiver.#name)
            }
            _ if call.nested.is_some() => quote!(#owner.#name),
            // An error that is found twice is reported once where it is at one place.
            (Some(member), _) => {
                let owner = located_at(owner.to_token_stream(), member.span());
                quote!(#owner::#name)
            }
            _ => quote!(#owner::#name),
        }
    }

    /// The arguments of a form: without the receiver of a method.
    fn passed(call: &Call) -> std::ops::Range<usize> {
        usize::from(call.receiver)..call.passed
    }

    pub(super) fn call(&mut self, op: &Op, call: &Call, span: Span, out: &mut Vec<TokenStream>) {
        let generics = &call.generics;
        let path = match call.args.get(call.passed) {
            Some(Arg::Capture(parameter)) if call.parameter => {
                self.place(parameter.root).to_token_stream()
            }
            _ => call.path.clone(),
        };
        self.lent.clear();
        self.lend_parts(call, false, out);
        match &call.form {
            Form::Primal => {
                let args: Vec<_> = Self::passed(call).map(|k| self.given(call, k)).collect();
                let receiver = match call.args.first() {
                    Some(Arg::Ref(path) | Arg::Mut(path)) if call.receiver => {
                        let receiver = self.path(path);
                        quote!(#receiver.)
                    }
                    _ => quote!(),
                };
                let given = quote!(#receiver #path #generics (#(#args),*));
                let given = if call.optional {
                    quote!(rt::optional(#given))
                } else {
                    given
                };
                self.bind(op.results[0], &given, out);
            }
            Form::Jvp(companions) => {
                let own = call
                    .member
                    .as_ref()
                    .filter(|_| call.receiver && call.level == 1);
                if let (Some(method), Some(Arg::Ref(path) | Arg::Mut(path)), None) =
                    (own, call.args.first(), self.recording)
                {
                    let receiver = self.lent_part(path);
                    out.push(matrices::check(method, &receiver));
                }
                let functions = self.forward_functions(call, companions, out);
                let (args, companions) = self.with_tangents(call, &functions, companions, out);
                let results = self.results(&op.results);
                out.push(match self.recording {
                    _ if call.parameter => {
                        quote_spanned!(span=> #results #path(#(#args,)* #(#companions),*);)
                    }
                    // A function that takes functions has no form that is traced.
                    Some(chart) if functions.is_empty() => {
                        let (trace, node) = (recorder(), chart.label(op));
                        let graph = match &call.member {
                            Some(_) if call.receiver => {
                                let graph = self.form(call, "__graph");
                                quote!(#graph())
                            }
                            _ => {
                                let graph = self.form(call, "graph");
                                quote!(#graph())
                            }
                        };
                        let form = self.form(call, "__trace");
                        quote_spanned! {span=>
                            let caller = #trace.enter(#node, #graph);
                            #results #form #generics (#(#args,)* #(#companions,)* #trace);
                            #trace.leave(caller);
                        }
                    }
                    _ if self.several(call) == Several::Lanes => {
                        self.call_in_lanes(op, call, &args, &companions)
                    }
                    _ => {
                        let form = self.form(call, &form_name(call.level, "").to_string());
                        // All of it at the method's place, which a panic then names.
                        let span = op.span;
                        quote_spanned!(span=> #results #form #generics (#(#args,)* #(#companions),*);)
                    }
                });
            }
            Form::Forward(companions) => self.forward_call(op, call, companions, &path, out),
            Form::Backward(_) => self.backward_call(op, call, out),
            Form::AtOnce(_) => self.call_at_once(op, call, out),
        }
    }

    /// Forward mode in lanes.
    ///
    /// The function may have none, and then this never runs: what it would give is of the types that stand here.
    fn call_in_lanes(
        &mut self,
        op: &Op,
        call: &Call,
        args: &[TokenStream],
        companions: &[TokenStream],
    ) -> TokenStream {
        let (span, lanes) = (op.span, lanes());
        let given = quote!(rt::lanes::Width::<#lanes>, (#(#args,)*), (#(#companions,)*));
        let names = op.results.iter().map(|&v| self.binder(v));
        let names: Vec<_> = names.collect();
        if call.changes() {
            let form = self.form(call, JVP_LANES_MUT);
            return quote_spanned!(span=> let (#(#names),*) = #form(#given););
        }
        let form = self.form(call, JVP_LANES);
        let ty = self.func.ty(op.results[0]);
        let types = [None, Some(&lanes)].map(|lanes| crate::lanes::spelled(ty, lanes));
        let types = types.iter().flatten();
        quote_spanned!(span=> let (#(#names),*): (#(#types),*) = #form(#given);)
    }

    /// `__fwd`, and with tangents its siblings of higher order: the arguments, and behind them their tangents.
    fn forward_call(
        &mut self,
        op: &Op,
        call: &Call,
        companions: &[Companion],
        path: &TokenStream,
        out: &mut Vec<TokenStream>,
    ) {
        let (span, generics) = (op.span, &call.generics);
        let mut before = Vec::new();
        let (functions, envs) = self.reverse_functions(call, companions, &mut before);
        let (args, tangents) = self.with_tangents(call, &functions, companions, out);
        let results = self.results(&op.results);
        if call.parameter {
            out.push(quote_spanned!(span=> #results #path(#(#args,)* #(#tangents),*);));
            return;
        }
        // The sibling of a method that lacks the order says so itself.
        if call.level > 0 && call.member.is_none() {
            out.push(require_order(call, span));
        }
        let base = if call.unsure.is_empty() {
            "fwd"
        } else {
            "even"
        };
        let several = self.several(call);
        if several != Several::No {
            let lanes = lanes();
            let width = quote!(rt::lanes::Width::<#lanes>);
            out.push(if several == Several::Lanes {
                let form = self.form(call, LANES_FORM);
                quote_spanned!(span=> #results #form(#width, #(#args,)* #(#tangents),*);)
            } else {
                let form = self.form(call, EACH_FORM);
                quote_spanned!(span=> #results #form(#(#args,)* #width, #(#tangents),*);)
            });
            return;
        }
        if self.is_deep(call) {
            let (form, deep) = (
                self.form(call, DEEP),
                Ident::new("deep", Span::mixed_site()),
            );
            out.push(quote_spanned!(span=> #results (#form(#(#args,)* &mut *#deep), ());));
            return;
        }
        let form = self.form(call, &form_name(call.level, base).to_string());
        if call.level == 0 && self.func.left.contains(&op.pos) {
            let leaving = self.form(call, LEAVING);
            let names =
                (0..args.len()).map(|k| format_ident!("arg_{k}", span = Span::mixed_site()));
            let names: Vec<Ident> = names.collect();
            out.push(quote_spanned! {span=>
                #results #leaving((#(#args,)*), |(#(#names,)*)| #form(#(#names),*));
            });
            return;
        }
        out.push(if functions.is_empty() {
            quote_spanned!(span=> #results #form #generics (#(#args,)* #(#tangents),*);)
        } else {
            let values: Vec<Ident> = (0..1 << call.level).map(|_| self.fresh("value")).collect();
            let back = self.fresh("back");
            quote_spanned! {span=>
                #results {
                    #(#before)*
                    let (#(#values,)* #back) = #form #generics (#(#args,)* #(#tangents),*);
                    (#(#values,)* (#back, #(#envs,)*))
                };
            }
        });
    }

    /// How the tangents of a call have several directions.
    ///
    /// One that lends nothing is written once and done in each.
    pub(super) fn several(&self, call: &Call) -> Several {
        match call.level {
            0 => Several::No,
            _ if self.directions.lanes().is_some() => Several::Lanes,
            _ if self.has_arrays() && call.lends() => Several::Each,
            _ => Several::No,
        }
    }

    /// What is zero in one direction, in all.
    pub(super) fn widened(zero: TokenStream, several: Several) -> TokenStream {
        let lanes = lanes();
        match several {
            Several::No => zero,
            Several::Lanes => quote!(rt::lanes::widen::<_, #lanes>(&#zero)),
            Several::Each => quote!(rt::lanes::Width::<#lanes>.each(|_| #zero)),
        }
    }

    /// The arguments of a form, without the receiver of a method, and the tangents that go with them.
    fn with_tangents(
        &mut self,
        call: &Call,
        functions: &[TokenStream],
        companions: &[Companion],
        out: &mut Vec<TokenStream>,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let given = call.args[..call.passed].iter().map(|arg| match arg {
            Arg::Function(number) => Some(functions[*number].clone()),
            _ => None,
        });
        let mut args: Vec<Option<TokenStream>> = given.collect();
        let mut tangents = Vec::new();
        let several = self.several(call);
        let lent = call.companions().into_iter();
        let lent = lent.filter(|(_, k, _)| *k < call.passed);
        let mut lent = self.lent_in_directions(call, several, lent, out);
        let each = call.args.iter().enumerate().cycle().zip(companions);
        for ((k, arg), companion) in each.filter(|((k, _), _)| *k < call.passed) {
            tangents.push(match (arg, companion) {
                (Arg::Function(number), _) if call.functions[*number].is_inert() => quote!(()),
                (Arg::Function(_), _) => continue,
                (Arg::Value(v), Companion::Zero)
                    if self.literals.contains(v) && !self.is_integer(arg) =>
                {
                    self.literal_zero(call, k, *v, &mut args[k], out)
                }
                (_, Companion::Place(_)) if several == Several::Each => {
                    lent.next().unwrap_or_default()
                }
                _ => self.companion(call, k, arg, companion, (arg, several), out),
            });
        }
        let given = Self::passed(call).map(|k| {
            let bound = args[k].take();
            bound.unwrap_or_else(|| self.given(call, k))
        });
        (given.collect(), tangents)
    }

    /// The zero tangent of a literal argument, which is bound as `arg`: both are of one type, which the callee says.
    fn literal_zero(
        &mut self,
        call: &Call,
        k: usize,
        literal: Value,
        arg: &mut Option<TokenStream>,
        out: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let name = arg.get_or_insert_with(|| {
            let (name, literal) = (self.fresh("arg"), self.bare(literal));
            out.push(quote!(let #name = #literal;));
            name.to_token_stream()
        });
        let (zero, form) = (self.fresh("zero"), self.zero_of(call, k));
        let made = Self::widened(quote!(#form(&#name)), self.several(call));
        out.push(quote!(let #zero = #made;));
        zero.to_token_stream()
    }

    /// The pullback of a call: cotangents and references, each with their tangents behind them, then the shadows and theirs.
    fn backward_call(&mut self, op: &Op, call: &Call, out: &mut Vec<TokenStream>) {
        let count = 1_usize << call.level;
        let exclusive = Arg::Mut(Path::whole(Place(0)));
        let passed = &call.args[..call.passed];
        let lent: Vec<usize> = (0..call.passed)
            .filter(|&k| matches!(passed[k], Arg::Ref(_) | Arg::Mut(_)))
            .collect();
        let even = !call.unsure.is_empty();
        // Tangents of what is lent, a group for each direction; behind them its shadows, with one group more.
        let mut groups: Vec<Vec<TokenStream>> = vec![Vec::new(); 2 * count - 1];
        // The first group of shadows belongs to no direction.
        let several = |cx: &Self, group| {
            if group + 1 == count {
                Several::No
            } else {
                cx.several(call)
            }
        };
        let in_directions = call.companions().into_iter().enumerate();
        let in_directions = in_directions.filter(|(at, _)| at / lent.len() + 1 != count);
        let in_directions = in_directions.map(|(_, companion)| companion);
        let mut in_directions =
            self.lent_in_directions(call, self.several(call), in_directions, out);
        for (at, (companion, k, _)) in call.companions().into_iter().enumerate() {
            let (group, arg) = (at / lent.len(), &call.args[k]);
            let shadow = group + 1 >= count;
            let like = if shadow { &exclusive } else { arg };
            let tokens = match (companion, several(self, group)) {
                (Companion::Place(_), Several::Each) => in_directions.next().unwrap_or_default(),
                (_, several) => self.companion(call, k, arg, companion, (like, several), out),
            };
            groups[group].push(tokens);
        }
        let again = lent.iter().map(|&k| {
            if call.unsure.contains(&k) {
                self.of_unsure(&call.args[k], &quote!(again()))
            } else {
                self.argument(&call.args[k])
            }
        });
        let mut again: Vec<_> = again.collect();
        if even {
            // Such a pullback takes something for each argument.
            let owned = (0..call.passed).filter(|k| !lent.contains(k));
            let owned: Vec<usize> = owned.collect();
            for group in groups.iter_mut().chain([&mut again]) {
                fill_up(group, &owned, &quote!(()));
            }
        }
        let shadows = groups.split_off(count - 1);
        let again: Vec<_> = again
            .into_iter()
            .chain(groups.into_iter().flatten())
            .collect();
        if !call.functions.is_empty() {
            // Among the shadows stand the cotangents of what the functions captured.
            let shadows = shadows.into_iter().map(|group| {
                let mut group = group.into_iter();
                let slots = passed.iter().filter(|arg| !matches!(arg, Arg::Owned));
                let slots = slots.map(|arg| match arg {
                    Arg::Function(_) => None,
                    _ => group.next(),
                });
                slots.collect()
            });
            let shadows = shadows.collect();
            out.push(self.backward_functions(op, call, &again, shadows));
            return;
        }
        let mut given = Vec::new();
        for (group, shadows) in shadows.into_iter().enumerate() {
            given.extend(shadows);
            if call.parameter {
                given.push(self.lent(&call.args[call.passed + group]));
            }
        }
        let back = self.bare(op.args[0]);
        let seeds: Vec<_> = op.args[1..].iter().map(|&v| self.moved(v)).collect();
        let names: Vec<_> = op.results.iter().map(|&v| self.binder(v)).collect();
        let names = names.chunks((names.len() / count).max(1));
        let mut names: Vec<Vec<TokenStream>> = names.map(<[TokenStream]>::to_vec).collect();
        let mut gathered = Vec::new();
        if even {
            names.resize(count, Vec::new());
            names
                .iter_mut()
                .for_each(|group| fill_up(group, &lent, &quote!(_)));
            gathered = self.gathered(call, &lent, &mut names);
        }
        let results = (!names.is_empty()).then(|| {
            let names = callable::groups(&names);
            quote!(let #names =)
        });
        if self.is_deep(call) {
            let deep = Ident::new("deep", Span::mixed_site());
            out.push(quote! {
                let () = #back;
                #results #deep.last().run(#(#seeds),* #(, #again)* #(, #given)*, #deep);
            });
            return;
        }
        out.push(quote!(#results #back(#(#seeds),* #(, #again)* #(, #given)*);));
        out.extend(gathered);
    }

    /// Names the cotangents of what is passed by value unless it is a reference, and adds them where those of the reference would be.
    fn gathered(
        &mut self,
        call: &Call,
        lent: &[usize],
        names: &mut [Vec<TokenStream>],
    ) -> Vec<TokenStream> {
        let count = names.len();
        let mut out = Vec::new();
        for (at, (companion, k, _)) in call.companions().into_iter().enumerate() {
            let Some(direction) = (at / lent.len()).checked_sub(count - 1) else {
                continue;
            };
            if let (Companion::Place(path), true) = (companion, call.unsure.contains(&k)) {
                let (bar, to) = (self.fresh("bar"), self.path(path));
                let gather = quote!(gather(&#bar, &mut #to));
                let gather = self.of_unsure(&call.args[k], &gather);
                out.push(quote!(#gather;));
                names[direction][k] = bar.to_token_stream();
            }
        }
        out
    }

    /// `__vjp`: the arguments, the seed, and the shadows of what is lent.
    fn call_at_once(&mut self, op: &Op, call: &Call, out: &mut Vec<TokenStream>) {
        let (span, generics) = (op.span, &call.generics);
        let exclusive = Arg::Mut(Path::whole(Place(0)));
        let shadows: Vec<_> = (call.companions().into_iter())
            .map(|(companion, k, _)| {
                let like = (&exclusive, Several::No);
                self.companion(call, k, &call.args[k], companion, like, out)
            })
            .collect();
        let args: Vec<_> = Self::passed(call).map(|k| self.given(call, k)).collect();
        let seed = self.moved(op.args[0]);
        let form = self.form(call, "__vjp");
        let value = self.binder(op.results[0]);
        let bars: Vec<_> = op.results[1..].iter().map(|&v| self.binder(v)).collect();
        let bars = callable::groups(&[bars]);
        out.push(quote_spanned!(span=> let (#value, #bars) = #form #generics (#(#args,)* #seed #(, #shadows)*);));
    }

    /// Whether the pullback of a call stands on the stack of the function.
    fn is_deep(&self, call: &Call) -> bool {
        self.deep.as_ref().is_some_and(|name| call.is_of(name))
    }

    /// The place expression of what is lent.
    fn lent_part(&mut self, path: &Path) -> TokenStream {
        match self.lent.iter().find(|(known, _)| known == path) {
            Some((_, part)) => part.clone(),
            None => self.path(path),
        }
    }

    /// Where a call borrows two parts of one place and one of them mutably, the place is split before; `directed` are places that there are one
    /// of in each direction.
    pub(super) fn lend_parts(&mut self, call: &Call, directed: bool, out: &mut Vec<TokenStream>) {
        let several = self.several(call) == Several::Each;
        let mut borrowed: Vec<(&Path, bool)> = Vec::new();
        for arg in &call.args {
            match arg {
                Arg::Ref(path) => borrowed.push((path, false)),
                Arg::Mut(path) => borrowed.push((path, true)),
                Arg::Value(_) | Arg::Owned | Arg::Function(_) | Arg::Capture(_) => {}
            }
        }
        for (companion, _, changes) in call.companions() {
            if let Companion::Place(path) = companion {
                borrowed.push((path, changes));
            }
        }
        for (k, &(a, mutable)) in borrowed.iter().enumerate() {
            for &(b, other) in &borrowed[k + 1..] {
                if a.root != b.root || !mutable && !other {
                    continue;
                }
                if several && self.is_directional_place(a.root) != directed {
                    continue;
                }
                let common = a
                    .steps
                    .iter()
                    .zip(&b.steps)
                    .take_while(|(x, y)| x == y)
                    .count();
                let (Some(x), Some(y)) = (a.steps.get(common), b.steps.get(common)) else {
                    continue;
                };
                let (Some((from_a, single_a)), Some((from_b, single_b))) =
                    (self.extent(x), self.extent(y))
                else {
                    continue;
                };
                let root = self.root(a.root, common == 0);
                let above = Path {
                    root: a.root,
                    steps: a.steps[..common].to_vec(),
                };
                let whole = self.steps(root, &above, 0, 0);
                let (one, two) = (self.fresh("part"), self.fresh("part"));
                out.push(
                    quote!(let (#one, #two) = rt::two_parts(&mut #whole[..], #from_a, #from_b);),
                );
                for (path, name, single) in [(a, one, single_a), (b, two, single_b)] {
                    let part = if single {
                        quote!(#name[0])
                    } else {
                        quote!((*#name))
                    };
                    let part = self.steps(part, path, common + 1, 0);
                    self.lent.push((path.clone(), part));
                }
            }
        }
    }

    /// The first element of a step and the one behind its last; and whether it is a single element.
    fn extent(&mut self, step: &Step) -> Option<(TokenStream, bool)> {
        match step {
            Step::Index(v) => {
                let v = self.operand(*v);
                Some((quote!((#v, ::core::option::Option::Some(#v + 1))), true))
            }
            Step::Range(lo, hi) => {
                let lo = lo.map_or_else(|| quote!(0), |v| self.bare(v));
                let hi = match hi {
                    Some(v) => {
                        let v = self.bare(*v);
                        quote!(::core::option::Option::Some(#v))
                    }
                    None => quote!(::core::option::Option::None),
                };
                Some((quote!((#lo, #hi)), false))
            }
            Step::Field(_) => None,
        }
    }

    /// An integer or truth value, which has the tangent `()` whatever it is passed to.
    fn is_integer(&self, arg: &Arg) -> bool {
        matches!(arg, Arg::Value(v) if matches!(self.func.ty(*v), Ty::Int | Ty::Bool))
    }

    /// The tangent of an integer, or of a tuple of them.
    fn integers(&self, arg: &Arg) -> Option<TokenStream> {
        fn of(ty: &Ty) -> Option<TokenStream> {
            match ty {
                Ty::Int | Ty::Bool => Some(quote!(())),
                Ty::Tuple(parts) => {
                    let parts: Option<Vec<_>> = parts.iter().map(of).collect();
                    parts.map(|parts| quote!((#(#parts,)*)))
                }
                _ => None,
            }
        }
        match arg {
            Arg::Value(v) => of(self.func.ty(*v)),
            _ => None,
        }
    }

    /// What makes the zero tangent of argument `k`.
    fn zero_of(&mut self, call: &Call, k: usize) -> TokenStream {
        if call.parameter {
            quote!(rt::zero_like)
        } else {
            self.form(call, &zero_form(call, k))
        }
    }

    /// The tangent or shadow that goes with argument `k`, borrowed as `like` is.
    pub(super) fn companion(
        &mut self,
        call: &Call,
        k: usize,
        arg: &Arg,
        companion: &Companion,
        (like, several): (&Arg, Several),
        out: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let borrow = borrowed_as(like);
        match companion {
            Companion::Value(v) => self.moved(*v),
            Companion::Place(path) if call.unsure.contains(&k) => {
                let (lent, _) = self.lent_companion(call, k, path, (&borrow, several), out);
                let as_given = match (like, &call.form) {
                    (Arg::Mut(_), _) => quote!(shadow(&mut *#lent)),
                    (_, Form::Backward(_)) => quote!(tangent_again(&*#lent)),
                    _ => quote!(tangent(&*#lent)),
                };
                self.of_unsure(arg, &as_given)
            }
            Companion::Place(path) => {
                match self.lent_companion(call, k, path, (&borrow, several), out) {
                    (lent, true) => quote!(#borrow *#lent),
                    (part, false) => part,
                }
            }
            Companion::Zero if call.unsure.contains(&k) => {
                let (zero, name) = (self.zero_of(call, k), self.fresh("zero"));
                let made = self.of_unsure(arg, &quote!(zero(|x| #zero(x))));
                out.push(quote!(let mut #name = #made;));
                let as_given = match (like, &call.form) {
                    (Arg::Mut(_), _) => quote!(shadow(&mut #name)),
                    (_, Form::Backward(_)) => quote!(tangent_again(&#name)),
                    _ => quote!(tangent(&#name)),
                };
                self.of_unsure(arg, &as_given)
            }
            // The function that makes it may be of a generic type, of which these say nothing.
            Companion::Zero if self.is_integer(arg) || reports_by(call, k) => {
                Self::widened(quote!(()), several)
            }
            Companion::Zero if matrices::is_shape(call, k) && self.integers(arg).is_some() => {
                Self::widened(self.integers(arg).unwrap_or_default(), several)
            }
            Companion::Zero => {
                let zero = self.zero_of(call, k);
                let name = self.fresh("zero");
                let of = match arg {
                    Arg::Value(v) => self.operand(*v),
                    Arg::Owned | Arg::Function(_) | Arg::Capture(_) => TokenStream::new(),
                    Arg::Ref(path) | Arg::Mut(path) => self.path(path),
                };
                let mutable = matches!(like, Arg::Mut(_)).then(|| quote!(mut));
                let constant = matches!(arg, Arg::Mut(path) if self.func.at(path.root).constant);
                let zero = if constant {
                    // What the function writes to it would be lost if it had a derivative.
                    quote_spanned!(call.path.span()=> rt::nothing(#zero(&#of)))
                } else {
                    quote!(#zero(&#of))
                };
                let known = match arg {
                    Arg::Value(v) => self.func.ty(*v).is_numbers(),
                    Arg::Ref(path) | Arg::Mut(path) => self.func.path_ty(path).is_numbers(),
                    Arg::Owned | Arg::Function(_) | Arg::Capture(_) => false,
                };
                let single = matches!(call.form, Form::Jvp(_)) && !known;
                let zero = if single && several == Several::Lanes {
                    // It may be of a type that has no lanes, and then neither has the function.
                    let lanes = lanes();
                    quote!(rt::lanes::Zeros::<_, #lanes>(#zero).widened())
                } else {
                    Self::widened(zero, several)
                };
                if self.is_row(arg) && several != Several::Each {
                    if let Some(spare) = self.spare() {
                        out.push(quote! {
                            let #name = rt::Spare(&mut #spare, || #zero).lend(&#of);
                        });
                        return if mutable.is_some() {
                            quote!(#name)
                        } else {
                            quote!(&*#name)
                        };
                    }
                }
                out.push(quote!(let #mutable #name = #zero;));
                match (like, several) {
                    (Arg::Ref(_), Several::Each) => quote!(rt::lanes::lent(&#name.each_ref())),
                    (Arg::Mut(_), Several::Each) => {
                        quote!(rt::lanes::lent_mut(&mut #name.each_mut()))
                    }
                    _ => quote!(#borrow #name),
                }
            }
        }
    }

    /// Whether an argument is lent numbers in a row, to which a pullback only adds: so one zero serves all rounds, whatever was added.
    fn is_row(&self, arg: &Arg) -> bool {
        let Arg::Ref(path) = arg else { return false };
        matches!(self.func.path_ty(path), Ty::Slice(elem) | Ty::Vec(elem) if elem.is_float())
    }

    /// In a loop, the variable in front of it for one more zero.
    fn spare(&mut self) -> Option<Ident> {
        self.spares.as_ref()?;
        let name = self.fresh("spare");
        self.spares.as_mut()?.push(name.clone());
        Some(name)
    }

    /// The tangent or shadow that is there for argument `k`; if the answer says so, it is behind what is lent in its place.
    pub(super) fn lent_companion(
        &mut self,
        call: &Call,
        k: usize,
        path: &Path,
        (borrow, several): (&TokenStream, Several),
        out: &mut Vec<TokenStream>,
    ) -> (TokenStream, bool) {
        let arg = &call.args[k];
        let alone = self.lent.iter().all(|(known, _)| known != path);
        // How far the paths of others go the same way.
        let beside = call.form.companions().iter().filter_map(|c| match c {
            Companion::Place(p) if p.root == path.root && p != path => {
                let both = p.steps.iter().zip(&path.steps);
                Some(both.take_while(|(a, b)| a == b).count())
            }
            _ => None,
        });
        let tokens = match beside.max() {
            Some(shared) if alone && self.aliased(path).is_none() => {
                let root = self.root(path.root, path.steps.is_empty());
                self.steps(root, path, 0, shared + 1)
            }
            _ => self.lent_part(path),
        };
        match arg {
            // The callee is given a zero of its own for what may be a constant.
            Arg::Ref(of) | Arg::Mut(of)
                if alone
                    && (self.may_be_nothing(path)
                        || path.steps.is_empty() && self.func.through_field(of)) =>
            {
                let (zero, from) = (self.zero_of(call, k), self.path(of));
                let zero = if call.unsure.contains(&k) {
                    self.of_unsure(arg, &quote!(zero(|x| #zero(x))))
                } else {
                    Self::widened(quote!(#zero(&#from)), several)
                };
                let mut make = quote!(|| #zero);
                // What the call changes is not borrowed beside it.
                let changes = |arg: &Arg| matches!(arg, Arg::Mut(p) if p.root == of.root);
                let receiver = call.receiver && matches!(call.args[0], Arg::Mut(_));
                if receiver || call.args.iter().any(changes) {
                    let spare = self.fresh("spare");
                    out.push(quote! {
                        let #spare = rt::Lent(rt::Some(&#tokens), #make).spare();
                    });
                    make = quote!(move || #spare);
                }
                (
                    quote!(rt::Lent(rt::Some(#borrow #tokens), #make).lend()),
                    true,
                )
            }
            _ => (quote!(#borrow #tokens), false),
        }
    }
}

/// How an argument is borrowed.
fn borrowed_as(arg: &Arg) -> TokenStream {
    match arg {
        Arg::Value(_) | Arg::Owned | Arg::Function(_) | Arg::Capture(_) => quote!(),
        Arg::Ref(_) => quote!(&),
        Arg::Mut(_) => quote!(&mut),
    }
}

/// Puts something in those places of a list that have nothing, in order.
fn fill_up(group: &mut Vec<TokenStream>, places: &[usize], with: &TokenStream) {
    for &k in places {
        group.insert(k, with.clone());
    }
}

/// Whether argument `k` is where the function reports its error.
fn reports_by(call: &Call, k: usize) -> bool {
    let fails = |name: &Ident| name.to_string().starts_with(forms::VALUE);
    k + 1 == call.passed && call.member.as_ref().is_some_and(fails)
}

/// The form that makes the zero tangent of argument `k`.
fn zero_form(call: &Call, k: usize) -> String {
    if call.receiver {
        format!("__zero_of_{k}")
    } else {
        format!("__zero_{k}")
    }
}

/// Says where a function is called that lacks the order that is asked for.
fn require_order(call: &Call, span: Span) -> TokenStream {
    let order = call.level + 1 + u32::from(call.nested.is_some());
    let order = Literal::u32_unsuffixed(order);
    let owner = call.nested.as_ref().unwrap_or(&call.owner);
    quote_spanned!(span=> rt::require_order::<#owner, #order>();)
}
