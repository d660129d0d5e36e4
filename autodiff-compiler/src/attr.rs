//! The attribute and the signature: what is to be differentiated, with respect to what.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::parse::{Parse, ParseStream, Parser};

use crate::bounds;
use crate::callable;
use crate::dynamic;
use crate::errors::Errors;
use crate::features::features;
use crate::forms;
use crate::function::{By, GIVEN, GradFn, MOST, Mode, Options, Own, ParamInfo, Rule};
use crate::getters;
use crate::hygiene;
use crate::ir::Ty;
use crate::itself;
use crate::marks::{self, is_grad, skip_to_comma, strip, take_mark};
use crate::method;
use crate::outputs;
use crate::own;
use crate::text;
use crate::types::{self, operators};
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, OtherMut, VisitMut};

/// Each order takes several times the code of the one before.
const MOST_ORDERS: u32 = 3;

const LONG_TUPLE: &str = "a tuple of more than 26 parts has no tangent; use an array or a struct";

impl Options {
    pub(crate) fn applies(&self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }

    /// Reads the arguments of the attribute.
    pub(crate) fn read(&mut self, args: TokenStream, errors: &mut Errors) {
        let parser = |input: ParseStream<'_>| self.parse(input, errors);
        if let Err(error) = syn::parse::Parser::parse2(parser, args) {
            errors.take(error);
        }
    }

    fn parse(&mut self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
        let mut seen = Vec::new();
        while !input.is_empty() {
            if !input.peek(<Ident as syn::ext::IdentExt>::peek_any) {
                let token: TokenTree = input.parse()?;
                errors.error(
                    token,
                    "an option begins with its name; write `order = 2`, for one",
                );
                skip_to_comma(input)?;
                input.parse::<Option<syn::Token![,]>>()?;
                continue;
            }
            let name = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
            if seen.contains(&name) {
                errors.error(&name, format_args!("`{name}` is given twice; give it once"));
            }
            seen.push(name.clone());
            match name.to_string().as_str() {
                "wrt" if !input.peek(syn::Token![=]) && !input.peek(syn::token::Paren) => {
                    errors.error(
                        &name,
                        "`wrt` takes the names of parameters; write `wrt(a, b)`",
                    );
                    skip_to_comma(input)?;
                }
                "name" | "crate" | "mode" | "order" if !input.peek(syn::Token![=]) => {
                    errors.error(
                        &name,
                        format_args!("`{name}` takes a value; write `{name} = …`"),
                    );
                    skip_to_comma(input)?;
                }
                "wrt" => {
                    let names = if input.peek(syn::Token![=]) {
                        input.parse::<syn::Token![=]>()?;
                        vec![parameter(input)?]
                    } else {
                        let content;
                        syn::parenthesized!(content in input);
                        let names = content.parse_terminated(TokenTree::parse, syn::Token![,])?;
                        names
                            .into_iter()
                            .filter_map(|name| match parameter.parse2(name.to_token_stream()) {
                                Ok(name) => Some(name),
                                Err(_) => {
                                    errors.error(
                                        name,
                                        "`wrt` takes the names of parameters; write `wrt(a, b)`",
                                    );
                                    None
                                }
                            })
                            .collect()
                    };
                    for (k, name) in names.iter().enumerate() {
                        if names[..k].contains(name) {
                            errors
                                .error(name, format_args!("`{name}` is named twice; name it once"));
                        }
                    }
                    self.wrt = Some(names);
                }
                "name" => {
                    input.parse::<syn::Token![=]>()?;
                    self.name = Some(input.parse()?);
                }
                "crate" => {
                    input.parse::<syn::Token![=]>()?;
                    self.krate = Some(input.parse::<syn::Path>()?.to_token_stream());
                }
                "mode" => {
                    input.parse::<syn::Token![=]>()?;
                    let mode: TokenTree = input.parse()?;
                    match mode.to_string().as_str() {
                        "forward" => self.mode = Some(Mode::Forward),
                        "reverse" => self.mode = Some(Mode::Reverse),
                        _ => errors.error(
                            &mode,
                            "this is no mode; write `mode = forward` or `mode = reverse`",
                        ),
                    }
                }
                "order" => {
                    input.parse::<syn::Token![=]>()?;
                    let order: TokenTree = input.parse()?;
                    let number = syn::parse2::<syn::LitInt>(order.to_token_stream());
                    match number.and_then(|n| n.base10_parse()) {
                        Ok(n @ 1..=MOST_ORDERS) => self.order = n,
                        _ => {
                            errors.error(
                                &order,
                                format_args!("the order is a number from 1 to {MOST_ORDERS}; write `order = 2`"),
                            );
                            skip_to_comma(input)?;
                        }
                    }
                }
                "checkpoint" => self.checkpoint = Some(name.span()),
                "fallible" => self.fallible = true,
                "recursive" => self.recursive = true,
                "verify" => self.verify = true,
                "assume_std" => self.assume_std = true,
                "strong_zero" => self.strong_zero = true,
                "method" => self.method = true,
                "report" => self.report = true,
                "trace" => self.trace = true,
                "__twin" => self.twin = true,
                "__only" => {
                    input.parse::<syn::Token![=]>()?;
                    self.only = Some(input.parse::<syn::LitStr>()?.value());
                }
                "__mutate" => {
                    input.parse::<syn::Token![=]>()?;
                    self.mutate = Some(input.parse::<syn::LitStr>()?.value());
                }
                hidden if Rule::left_out_by(hidden).is_some() => {
                    self.without.extend(Rule::left_out_by(hidden));
                }
                "skip" => errors.error(&name, "`skip` stands alone, on a function of an `impl` block or a trait that has #[grad]; remove the attribute from what is to have no derivatives"),
                other if Own::OPTIONS.contains(&other) => self.own.parse(&name, input, errors)?,
                other => {
                    errors.error(&name, format_args!("unknown option `{other}`; known are `wrt(…)`, `name = …`, `crate = …`, `mode = …`, `order = …`, `partials = (…)`, `implicit = …`, `solve = …`, `vjp = …`, `jvp = …`, `assume_std`, `constant`, `dynamic`, `checkpoint`, `fallible`, `recursive`, `report`, `skip`, `strong_zero`, `trace` and `verify`"));
                    skip_to_comma(input)?;
                }
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// Names that a type beside the function would hide.
const CRATES: &[&str] = &["std", "core", "alloc", "autodiff"];
const PRIMITIVES: &[&str] = &[
    "f32", "f64", "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// Reads a function, or a method; `outer` are the parameters of the block it stands in.
pub(crate) fn function(
    mut options: Options,
    mut item: syn::ItemFn,
    outer: &syn::Generics,
    errors: &mut Errors,
) -> GradFn {
    let mut written = item.clone();
    written.sig.inputs.iter_mut().for_each(strip);
    types::plain_primitives(&mut item);
    types::close_lifetimes(&mut item);
    if features().matrices() {
        types::show_lifetimes(&mut item.sig);
    }
    name_types(&mut item);
    bounds::complete(&mut item, &options.labels);
    let mut outputs = outputs::write_out(&mut item, &options.labels);
    let in_impl = is_method(&options, &item);
    if in_impl && itself::is_lent(&item.sig, &item.block, options.of_type.as_deref()) {
        itself::return_nothing(&mut item.sig, &mut item.block);
    }
    options.called_only |= in_impl && getters::return_copy(&mut item.sig, &mut item.block);
    // What yields a constant is a function of the trait whatever type it is for.
    let number = options.of_number.as_ref();
    let number = number.filter(|_| !options.own.is_constant());
    let method = in_impl.then(|| method::open(&mut item, number, errors));
    check_signature(&item.sig, errors);
    if !options.own.is_given() {
        refuse_borrowing_result(&mut item.sig, errors);
    }
    check_trace(&item.sig, &options, errors);
    if options.name.is_none()
        && method.is_none()
        && CRATES
            .iter()
            .chain(PRIMITIVES)
            .any(|name| item.sig.ident == name)
    {
        let name = &item.sig.ident;
        let hidden = if CRATES.iter().any(|crate_name| name == crate_name) {
            "crate"
        } else {
            "type"
        };
        errors.error(name, format_args!("the type made beside this function would hide the {hidden} of that name; give it another name, `#[grad(name = …)]`"));
        // So it hides nothing, and there is one error.
        options.name = Some(format_ident!("{name}_"));
    }
    own::check_options(&options, errors);
    let mut body = (*item.block).clone();
    let mut strip = marks::Strip::default();
    strip.visit_block_mut(&mut item.block);
    marks::Strip::default().visit_block_mut(&mut written.block);
    check_checkpoints(&options, strip.found, errors);
    if let Some(span) = strip.misplaced {
        errors.error_at(
            span,
            "`#[checkpoint]` stands once on a loop; take it away here",
        );
    }
    if options.own.is_given() {
        body.stmts.clear();
    }
    let borrowed_names = types::borrowed_names(&item.sig, &body);
    let mut numeric = numeric(&item.sig, &options);
    let held: Vec<Ident> = [&item.sig.generics, outer]
        .into_iter()
        .flat_map(types::held)
        .collect();
    let again = options.order > 1;
    outputs.extend(operators::rules([&item.sig.generics, outer], &held, again));
    let of_block = outer.type_params().map(|t| &t.ident);
    numeric.extend(
        of_block
            .filter(|name| !held.contains(name) && !options.labels.contains(name))
            .cloned(),
    );
    for name in &numeric {
        let bounds = [&item.sig.generics, outer].into_iter();
        let lists = bounds.flat_map(|g| types::bounds(g, name));
        if let Some(list) = lists.into_iter().find_map(types::list_of) {
            errors.error(list, format_args!("`{name}` stands for a float in a #[grad] function, and is made of a list here; take `{}`, and let those who call this convert", text::of_type(list)));
        }
    }
    let receiver = method.is_some_and(|method| method.receiver);
    let mut params = read_params(&mut item, receiver, &mut body, &options, &numeric, errors);
    if let (true, Some(first)) = (receiver, params.first_mut()) {
        // Whoever calls a method may have a tangent for what it is called on.
        first.ignored = first.by == By::Ref && !first.tangible;
        first.tangible = !first.ignored;
    }
    read_perhaps(&mut params, [&item.sig.generics, outer]);
    let mentioned = types::names_itself(&body, &item.sig.ident, receiver);
    let calls_itself = options.recursive || mentioned && !options.namesake;
    let parameters: Vec<Ident> = [&item.sig.generics, outer]
        .into_iter()
        .flat_map(types::named)
        .cloned()
        .collect();
    forget_derived(&mut item.sig.generics, &parameters);
    name_lifetimes(
        &mut params,
        &mut item.sig.generics,
        &parameters,
        calls_itself,
    );
    // The user's own derivatives are given what the user writes.
    for param in params.iter_mut().filter(|p| p.by == By::Ref) {
        if types::is_view(&param.inner) && !options.own.is_called() {
            let shown = types::shown(&param.inner);
            param.again = syn::parse_quote!(&#shown);
        }
    }
    hygiene::separate(&mut body, params.iter_mut().map(|p| &mut p.name), errors);
    let ret = match &item.sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => match &**ty {
            syn::Type::Tuple(t) if t.elems.is_empty() => None,
            ty => Some(ty.clone()),
        },
    };
    let ret_ty = ret
        .as_ref()
        .map_or(Ty::Tuple(Vec::new()), |ty| types::read_in(ty, &numeric));
    let count = errors.count();
    for param in params.iter().filter(|p| !p.of_variables) {
        refuse_type(param, errors);
    }
    let active = |p: &&ParamInfo| p.active && p.callable.is_none();
    if let Some(one_too_many) = params.iter().filter(active).nth(MOST) {
        errors.error(&one_too_many.name, format_args!("this is one more than {MOST} differentiable parameters, and a longer tuple is no gradient; take several of them as an array or a struct, or mark what is constant `#[constant]`"));
    }
    if !options.own.is_constant() {
        check_result(&item.sig, ret.as_ref(), &ret_ty, &params, errors);
    }
    let sound = errors.count() == count && item.sig.variadic.is_none();
    let understood = sound
        && ret_ty.is_understood()
        && params
            .iter()
            .all(|p| p.ty.is_understood() || p.callable.is_some());
    let mut function = GradFn {
        options,
        written,
        item,
        method,
        outer: outer.clone(),
        hidden: false,
        body,
        params,
        borrowed_names,
        numeric,
        outputs,
        held,
        calls_itself,
        sound,
        understood,
        ret,
        ret_ty,
        vouched: TokenStream::new(),
        derived: 0,
    };
    own::apply(&mut function, errors);
    function
}

/// Takes away the bounds that say of a type that it has the derivative which its `impl` gives it.
///
/// `Wave<T>: Differentiable` hides which tangent that is, and the pullbacks of functions without the bound are given the one of the `impl`:
/// to rustc's optimiser these are two types.
pub(crate) fn forget_derived(generics: &mut syn::Generics, parameters: &[Ident]) {
    let Some(clause) = &mut generics.where_clause else {
        return;
    };
    let derivative = |bound: &syn::TypeParamBound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|s| s.ident == "Differentiable" && s.arguments.is_none())
        }
        _ => false,
    };
    for predicate in &mut clause.predicates {
        let syn::WherePredicate::Type(predicate) = predicate else {
            continue;
        };
        let syn::Type::Path(ty) = &predicate.bounded_ty else {
            continue;
        };
        let first = &ty.path.segments[0].ident;
        if ty.qself.is_none() && first != "Self" && !parameters.contains(first) {
            let bounds = std::mem::take(&mut predicate.bounds).into_iter();
            predicate.bounds = bounds.filter(|bound| !derivative(bound)).collect();
        }
    }
}

/// Gives names to the lifetimes of what is passed.
fn name_lifetimes(
    params: &mut [ParamInfo],
    own: &mut syn::Generics,
    parameters: &[Ident],
    calls_itself: bool,
) {
    let mut named = types::Named::new("by", parameters);
    // The reverse sweep reports no errors.
    let kept = |p: &&mut ParamInfo| p.callable.is_none() && p.name != forms::FAILURE;
    for param in params.iter_mut().filter(kept) {
        // A boxed pullback holds nothing that borrows from behind a reference.
        if calls_itself && param.by != By::Value {
            continue;
        }
        named.within(&mut param.passed);
        param.again = param.passed.clone();
        types::elide_references(&mut param.again);
    }
    named.declare(own);
}

/// Loops that run again have no single operations to trace.
fn check_checkpoints(options: &Options, found: Option<Span>, errors: &mut Errors) {
    let Some(span) = found.or(options.checkpoint) else {
        return;
    };
    if options.trace {
        errors.error_at(
            span,
            "a loop with `#[checkpoint]` cannot be traced; leave it out, or `trace`",
        );
    }
}

/// The first `Self`.
fn find_self(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        proc_macro2::TokenTree::Ident(ident) if ident == "Self" => Some(ident.span()),
        proc_macro2::TokenTree::Group(group) => find_self(group.stream()),
        _ => None,
    })
}

/// Whether a function stands in an `impl` block, as far as it shows.
pub(crate) fn is_method(options: &Options, item: &syn::ItemFn) -> bool {
    options.method
        || item.sig.receiver().is_some()
        || mentions_self(item)
        || method::has_numbers_of_block(item)
}

/// Whether `Self` stands in a function, other than in the items of its body, where it is a type of the body.
fn mentions_self(item: &syn::ItemFn) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_ident(&mut self, ident: &Ident) {
            self.0 |= ident == "Self";
        }
        fn visit_macro(&mut self, mac: &syn::Macro) {
            self.0 |= find_self(mac.tokens.clone()).is_some();
        }
        fn visit_item(&mut self, _: &syn::Item) {}
    }
    let mut find = Find(false);
    find.visit_item_fn(item);
    find.0
}

/// Refuses attributes of ours on a function that has `#[grad]`, and removes them.
pub(crate) fn refuse_attributes(item: &mut syn::ItemFn, errors: &mut Errors) {
    item.attrs.retain(|a| {
        if is_grad(a.path()) {
            errors.error(
                a,
                "this function has `#[grad]` already; put all options in one",
            );
        } else if a.path().is_ident("checkpoint") {
            errors.error(
                a,
                "`#[checkpoint]` stands on a loop; put it there, or write `#[grad(checkpoint)]`",
            );
        } else {
            return true;
        }
        false
    });
}

/// Refuses what is neither a function nor an `impl` block.
pub(crate) fn refuse_item(item: &syn::Item, errors: &mut Errors) {
    let message = "#[grad] differentiates functions; put it on a `fn`";
    match item {
        syn::Item::Struct(s) => errors.error(s.struct_token, message),
        syn::Item::Enum(e) => errors.error(e.enum_token, message),
        syn::Item::Mod(m) => errors.error(m.mod_token, message),
        syn::Item::Verbatim(tokens) => match syn::parse2::<syn::TraitItemFn>(tokens.clone()) {
            Ok(f) => errors.error(
                &f.sig.ident,
                "this function of a trait has no body to differentiate; put #[grad] on the whole trait, and on each `impl` of it",
            ),
            Err(_) => errors.error(tokens, message),
        },
        other => errors.error(other, message),
    }
}

/// The tokens whose kind a function with derivatives cannot have.
fn check_signature(sig: &syn::Signature, errors: &mut Errors) {
    if let Some(token) = &sig.asyncness {
        errors.error(
            token,
            "an `async fn` cannot be differentiated; move the numeric part into a plain function",
        );
    }
    match &sig.safety {
        syn::Safety::Unsafe(token) => errors.error(
            token,
            "an `unsafe fn` cannot be differentiated; make the function safe",
        ),
        syn::Safety::Safe(token) => errors.error(
            token,
            "a `safe` foreign function has no body to differentiate; write a plain function",
        ),
        syn::Safety::Default => {}
    }
    if let Some(abi) = &sig.abi {
        errors.error(abi, "an `extern` function cannot be differentiated; annotate a plain function and call it from the exported one");
    }
    if let Some(variadic) = &sig.variadic {
        errors.error(
            variadic,
            "a variadic function cannot be differentiated; take a slice",
        );
    }
}

/// Refuses results of types that borrow from what is passed, `ArrayView1<'_, f64>`; what stands in place of derivatives returns one that lasts.
fn refuse_borrowing_result(sig: &mut syn::Signature, errors: &mut Errors) {
    struct Borrows(bool);
    impl VisitMut for Borrows {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            self.0 |= types::is_view(ty);
            visit_mut::visit_type_mut(self, ty);
        }

        fn visit_other_mut(&mut self, node: OtherMut<'_>) {
            match node {
                OtherMut::AngleBracketedGenericArguments(args) => {
                    for arg in &mut args.args {
                        if let syn::GenericArgument::Lifetime(l) = arg {
                            self.0 |= l.ident == "_";
                            l.ident = Ident::new("static", l.ident.span());
                        }
                    }
                    OtherMut::AngleBracketedGenericArguments(args).walk(self);
                }
                other => other.walk(self),
            }
        }
    }
    let syn::ReturnType::Type(_, ty) = &mut sig.output else {
        return;
    };
    let mut lasting = ty.clone();
    let mut borrows = Borrows(false);
    borrows.visit_type_mut(&mut lasting);
    if borrows.0 {
        errors.error(&*ty, "a result that borrows from what is passed cannot be followed; return a copy, as `into_owned` makes, or write `#[grad(skip)]` above a function of a block");
        *ty = lasting;
    }
}

/// Refuses to trace what is generic in its float, or takes functions.
fn check_trace(sig: &syn::Signature, options: &Options, errors: &mut Errors) {
    if let (true, Some(t)) = (options.trace, numeric(sig, options).first()) {
        errors.error(t, format_args!("a function that is generic in `{t}` cannot be traced yet; leave `trace` out, or write `f64`"));
    }
    for (k, input) in sig.inputs.iter().enumerate() {
        if let (true, syn::FnArg::Typed(arg)) = (options.trace, input) {
            if matches!(
                callable::read(k, &arg.ty, &sig.generics),
                callable::Kind::Callable(_)
            ) {
                errors.error(
                    &arg.ty,
                    "a function that takes functions cannot be traced; trace one that calls it",
                );
            }
        }
    }
}

/// The type parameters that stand for floats: those in the types of differentiable parameters, and of the result.
fn numeric(sig: &syn::Signature, options: &Options) -> Vec<Ident> {
    let mut mentioned = TokenStream::new();
    sig.output.to_tokens(&mut mentioned);
    for input in &sig.inputs {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        let constant = arg.attrs.iter().any(|a| a.path().is_ident("constant"));
        let named = match (&options.wrt, &*arg.pat) {
            (None, _) => true,
            (Some(names), syn::Pat::Ident(p)) => names.contains(&p.ident),
            (Some(_), _) => false,
        };
        if named && !constant {
            arg.ty.to_tokens(&mut mentioned);
        }
    }
    sig.generics
        .type_params()
        .map(|t| t.ident.clone())
        .filter(|name| types::mentions(&mentioned, name) && !options.labels.contains(name))
        .filter(|name| !types::is_held(name, &sig.generics))
        .filter(|name| {
            let ty = syn::parse_quote!(#name);
            matches!(callable::read(0, &ty, &sig.generics), callable::Kind::Other)
        })
        .collect()
}

/// `receiver`: the first of them is `self`, under a name of its own.
fn read_params(
    item: &mut syn::ItemFn,
    receiver: bool,
    body: &mut syn::Block,
    options: &Options,
    numeric: &[Ident],
    errors: &mut Errors,
) -> Vec<ParamInfo> {
    let mut params = Vec::new();
    let mut constants: Vec<Ident> = Vec::new();
    let mut lets: Vec<syn::Stmt> = Vec::new();
    let generics = item.sig.generics.clone();
    for (k, input) in item.sig.inputs.iter_mut().enumerate() {
        let syn::FnArg::Typed(arg) = input else {
            continue;
        };
        let marked = take_mark("constant", &mut arg.attrs, errors);
        let out = take_mark("out", &mut arg.attrs, errors);
        let constant = marked || options.own.is_constant();
        let conditions = ["cfg", "cfg_attr"];
        let condition = |a: &&syn::Attribute| conditions.iter().any(|c| a.path().is_ident(c));
        if let Some(attr) = arg.attrs.iter().find(condition) {
            errors.error(attr, format_args!("whether `#[{}]` holds is not known to the macro; write two functions with `#[cfg]` above them", text::of_type(attr.path())));
        }
        let of_variables =
            options.own.is_dynamic() && !constant && dynamic::is_function(&arg.ty, &generics);
        let kind = if of_variables {
            callable::Kind::Constant
        } else {
            callable::read(k, &arg.ty, &generics)
        };
        let function = matches!(kind, callable::Kind::Callable(_)) && !constant;
        let name = match &*arg.pat {
            syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                if p.mutability.is_some() && !function {
                    let ident = &p.ident;
                    lets.push(syn::parse_quote!(let mut #ident = #ident;));
                }
                p.ident.clone()
            }
            pattern => {
                let name = format_ident!("arg{}", k, span = Span::mixed_site());
                lets.push(syn::parse_quote!(let #pattern = #name;));
                name
            }
        };
        if marked {
            constants.push(if receiver && k == 0 {
                <syn::Token![self]>::default().into()
            } else {
                name.clone()
            });
        }
        let (by, inner) = match unparen(&arg.ty) {
            syn::Type::Reference(r) if r.mutability.is_some() => (By::Mut, (*r.elem).clone()),
            syn::Type::Reference(r) => (By::Ref, (*r.elem).clone()),
            other => (By::Value, other.clone()),
        };
        let ty = match &kind {
            callable::Kind::Other => types::read_in(&inner, numeric),
            callable::Kind::Callable(_) if function => Ty::Unknown,
            _ => Ty::Inert,
        };
        let tangible = !ty.is_inert();
        if !constant {
            refuse_pointers(&inner, errors);
        }
        if out && marked {
            errors.error(
                &arg.pat,
                "what is written is no constant; mark the parameter `#[out]` or `#[constant]`",
            );
        } else if out && (by != By::Mut || !tangible) {
            errors.error(&arg.ty, "`#[out]` marks memory of floats that is only written; take `&mut [f64]`, or leave the mark out");
        }
        if let (callable::Kind::Callable(callable), false) = (kind, constant) {
            let generic = &callable.generic;
            params.push(ParamInfo {
                name,
                by: By::Ref,
                inner: syn::parse_quote!(#generic),
                written: syn::parse_quote!(#generic),
                passed: syn::parse_quote!(#generic),
                again: syn::parse_quote!(#generic),
                ty,
                active: true,
                tangible: false,
                out: false,
                perhaps: false,
                ignored: false,
                callable: Some(*callable),
                of_variables: false,
            });
            continue;
        }
        params.push(ParamInfo {
            callable: None,
            of_variables,
            name,
            by,
            written: (*arg.ty).clone(),
            passed: (*arg.ty).clone(),
            again: types::elide(&arg.ty),
            inner,
            ty,
            active: tangible && !constant,
            tangible,
            out: out && by == By::Mut,
            perhaps: false,
            ignored: false,
        });
    }
    if let Some(names) = &options.wrt {
        let is = |name: &Ident, k: usize, param: &ParamInfo| {
            if receiver && k == 0 {
                name == "self"
            } else {
                param.name == *name
            }
        };
        for name in names {
            let found = params.iter().enumerate().find(|(k, p)| is(name, *k, p));
            match found.map(|(_, p)| p) {
                _ if constants.contains(name) => errors.error(name, format_args!("parameter `{name}` is marked with `#[constant]`; take that away, or the name here")),
                None => errors.error(name, format_args!("`{name}` is no parameter of this function; name one of its parameters")),
                Some(p) if !p.tangible && p.callable.is_none() => errors.error(name, format_args!("parameter `{name}` has no derivative, its type is `{}`; name one that holds floats", text::of_type(&p.written))),
                Some(_) => {}
            }
        }
        for (k, param) in params.iter_mut().enumerate() {
            let named = names.iter().any(|name| is(name, k, param));
            param.active = param.callable.is_some() || param.tangible && (named || param.out);
        }
    }
    for param in &mut params {
        // A constant of a type that the macro does not know needs no tangent type, and whoever lends it may have a tangent for it.
        let view = param.by == By::Value && types::is_view(&param.inner);
        let constant = param.tangible && !param.active && !param.ty.is_understood() && !view;
        param.tangible &= !constant;
        param.ignored = constant && param.by == By::Ref && param.callable.is_none();
    }
    lets.append(&mut body.stmts);
    body.stmts = lets;
    params
}

/// Constants that are passed by value, of types of which only rustc knows whether they have a derivative.
fn read_perhaps(params: &mut [ParamInfo], generics: [&syn::Generics; 2]) {
    for param in params {
        let unknown = !param.ty.is_inert() && !param.ty.is_understood();
        let plain = param.callable.is_none() && !param.of_variables && !param.tangible;
        if param.by != By::Value || !unknown || !plain || !is_closed(&param.inner, generics) {
            continue;
        }
        // Tangents do not borrow.
        let ty = types::lasting(&param.inner);
        param.inner = syn::parse_quote! {
            rt::Perhaps<{ use rt::Lacks as _; rt::Probe::<#ty>::HAS }, #ty>
        };
        (param.perhaps, param.tangible) = (true, true);
    }
}

/// Whether a type can be looked at in a constant: it depends on nothing around it.
fn is_closed(ty: &syn::Type, generics: [&syn::Generics; 2]) -> bool {
    struct Open(bool);
    impl Visit<'_> for Open {
        fn visit_type_reference(&mut self, _: &syn::TypeReference) {
            self.0 = true;
        }
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }

        fn visit_other(&mut self, node: Other<'_>) {
            match node {
                Other::Lifetime(_) => {
                    self.0 = true;
                }
                other => other.walk(self),
            }
        }
    }
    let mut open = Open(false);
    open.visit_type(ty);
    let tokens = ty.to_token_stream();
    let own = [types::OWNER, "Self"].map(|name| Ident::new(name, Span::call_site()));
    let of_generics = generics.into_iter().flat_map(types::named);
    !open.0
        && !own
            .iter()
            .chain(of_generics)
            .any(|name| types::mentions(&tokens, name))
}

/// The name of a parameter in `wrt`; that of a receiver is a keyword.
fn parameter(input: ParseStream) -> syn::Result<Ident> {
    if input.peek(syn::Token![self]) {
        Ok(input.parse::<syn::Token![self]>()?.into())
    } else {
        input.parse()
    }
}

fn unparen(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Paren(t) => unparen(&t.elem),
        syn::Type::Group(t) => unparen(&t.elem),
        _ => ty,
    }
}

/// Whether a bound says that a type is a float, or becomes one.
fn is_of_float(bound: &syn::TypeParamBound) -> bool {
    let floats = |of: &syn::TraitBound| of.path.segments.last().is_some_and(|s| s.ident == "Float");
    match into_what(bound) {
        Some(ty) => types::read(ty).is_float(),
        None => matches!(bound, syn::TypeParamBound::Trait(of) if floats(of)),
    }
}

/// What a type becomes by a bound, `Into<Point>`.
fn into_what(bound: &syn::TypeParamBound) -> Option<&syn::Type> {
    let syn::TypeParamBound::Trait(of) = bound else {
        return None;
    };
    let last = of.path.segments.last().filter(|s| s.ident == "Into")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(of) => of.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}

/// Gives the types of parameters that are written `impl Trait` names where these are constants, floats, or the user's own.
fn name_types(item: &mut syn::ItemFn) {
    struct Name<'a> {
        known: bool,
        named: &'a mut Vec<syn::TypeParam>,
    }
    impl VisitMut for Name<'_> {
        fn visit_type_mut(&mut self, ty: &mut syn::Type) {
            match ty {
                syn::Type::ImplTrait(t)
                    if !is_function(&t.bounds)
                        && (self.known || t.bounds.iter().any(is_of_float)) =>
                {
                    let (name, bounds) = (format_ident!("{GIVEN}{}", self.named.len()), &t.bounds);
                    self.named.push(syn::parse_quote!(#name: #bounds));
                    *ty = syn::parse_quote!(#name);
                }
                _ => visit_mut::visit_type_mut(self, ty),
            }
        }
    }
    let mut named = Vec::new();
    for input in &mut item.sig.inputs {
        if let syn::FnArg::Typed(arg) = input {
            let constant = arg.attrs.iter().any(|a| a.path().is_ident("constant"));
            let itself = matches!(types::strip(&arg.ty), syn::Type::ImplTrait(_));
            let own = itself
                && matches!(&*arg.pat, syn::Pat::Ident(p) if bounds::own_methods(vec![&p.ident], &item.block).is_some());
            let (known, named) = (constant || own, &mut named);
            Name { known, named }.visit_type_mut(&mut arg.ty);
        }
    }
    let named = named.into_iter().map(syn::GenericParam::Type);
    item.sig.generics.params.extend(named);
}

/// A pointer, unless what it points to has no derivative or is said to be constant.
fn refuse_pointers(ty: &syn::Type, errors: &mut Errors) {
    struct Pointers<'a>(&'a mut Errors);
    impl<'ast> Visit<'ast> for Pointers<'_> {
        fn visit_type_fn_ptr(&mut self, _: &'ast syn::TypeFnPtr) {}

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::TypePtr(t) => {
                    if !types::read(&t.elem).is_inert() {
                        self.0.error(t, "a raw pointer hides what it points to from differentiation; take a reference or a slice, or mark the parameter `#[constant]`");
                    }
                }
                other => other.walk(self),
            }
        }
    }
    Pointers(errors).visit_type(ty);
}

/// Parameter types that no derivative can be passed through.
fn refuse_type(param: &ParamInfo, errors: &mut Errors) {
    struct Opaque<'a> {
        active: bool,
        /// It is a function without derivative.
        constant: bool,
        errors: &'a mut Errors,
    }
    impl<'ast> Visit<'ast> for Opaque<'_> {
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            if let Some(ty) = t.bounds.iter().find_map(into_what) {
                let ty = crate::text::tidy(&ty.to_token_stream().to_string());
                self.errors.error(t, format_args!("what becomes a `{ty}` has no known tangent; take a `{ty}`, and let those who call this write `.into()`"));
                return;
            }
            let message = if is_function(&t.bounds) && self.constant {
                "a function without derivative needs a name for its type; write `fn f<F: Fn(…) -> …>(f: F, …)`"
            } else if is_function(&t.bounds) {
                "a function as parameter has to be taken by itself; write `fn f<F: Fn(f64) -> f64>(f: F, …)`"
            } else {
                "`impl Trait` as parameter type has no known tangent; take `&[f64]` or `Vec<f64>`, or where it is no variable write `#[constant]` in front of it"
            };
            self.errors.error(t, message);
        }

        fn visit_type_trait_object(&mut self, t: &'ast syn::TypeTraitObject) {
            let message = if is_function(&t.bounds) {
                "a `dyn` function as parameter cannot be differentiated; write `fn f<F: Fn(f64) -> f64>(f: F, …)`"
            } else {
                "a `dyn` trait object cannot be differentiated; use an enum and `match`, or pass the numbers themselves, or where it is no variable write `#[constant]` in front of it"
            };
            if self.active {
                self.errors.error(t, message);
            }
        }

        fn visit_type_reference(&mut self, t: &'ast syn::TypeReference) {
            // A value that borrows could not be remembered.
            if self.active {
                self.errors.error(t, "a reference inside of a type cannot be differentiated yet; take the numbers themselves, or `&[&[f64]]`");
            }
            visit::visit_type_reference(self, t);
        }

        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            let name = segment.ident.to_string();
            let count = self.errors.count();
            if let ("Option", Some(syn::Type::Reference(inside)), true) =
                (name.as_str(), types::argument(segment), self.active)
            {
                self.errors.error(inside, "a reference inside of an `Option` cannot be differentiated yet; take the option itself by reference, `&Option<…>`");
                return;
            }
            // What is in there is no matter where all of it is refused.
            if !self.active || !types::hides(segment) || name == "Box" {
                visit::visit_path_segment(self, segment);
            }
            if self.active && self.errors.count() == count && types::hides(segment) {
                self.errors.error(&segment.ident, format_args!("`{name}` hides its contents from differentiation; take a slice or `Vec`, or mark the parameter `#[constant]`"));
            }
        }

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::TypeTuple(t) => {
                    if self.active && t.elems.len() > MOST {
                        self.errors.error(t, LONG_TUPLE);
                    }
                    Other::TypeTuple(t).walk(self);
                }
                Other::TypeInfer(t) => {
                    self.errors
                        .error(t, "the type of a parameter must be written; write it out");
                }
                other => other.walk(self),
            }
        }
    }
    if param.callable.is_some() {
        return;
    }
    if param.active && mentions_result(&param.inner) {
        errors.error(&param.written, "a result as a parameter has no derivative; take what is in it, or mark the parameter `#[constant]`");
        return;
    }
    let mut opaque = Opaque {
        active: param.active,
        constant: param.ty.is_inert(),
        errors,
    };
    match &param.inner {
        // The rows of `&[&[f64]]` are places.
        syn::Type::Slice(rows) if param.by == By::Ref => match &*rows.elem {
            syn::Type::Reference(row)
                if row.mutability.is_none() && !types::read(&row.elem).is_scalar() =>
            {
                opaque.visit_type(&row.elem);
            }
            elem => opaque.visit_type(elem),
        },
        inner => opaque.visit_type(inner),
    }
}

/// Is this `Fn(…)` or one of its kin?
fn is_function(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> bool {
    bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|s| matches!(s.ident.to_string().as_str(), "Fn" | "FnMut" | "FnOnce")),
        _ => false,
    })
}

/// Why a result of a type without a name is refused.
fn unnamed_result(
    bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>,
) -> &'static str {
    let iterates = bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let last = bound.path.segments.last();
            last.is_some_and(|s| s.ident.to_string().ends_with("Iterator"))
        }
        _ => false,
    });
    if iterates {
        "an iterator as a result has no tangent; collect it, and return a `Vec`"
    } else if is_function(bounds) {
        "a function as a result has no tangent; write a #[grad] function that takes its arguments and what it captures, and returns its value"
    } else {
        "`impl Trait` as a result has no known tangent; write the type that is returned"
    }
}

/// Whether what a result is of holds no float, and is not lent.
fn is_constant_value(value: &syn::Type) -> bool {
    let lent = matches!(value, syn::Type::Reference(_));
    types::read(value).is_inert() && (!lent || types::is_constant_of_program(value))
}

/// The same of a function that returns a result by another name, `Res<()>`.
pub(crate) fn yields_constant_by_alias(sig: &syn::Signature) -> bool {
    let syn::ReturnType::Type(_, ty) = &sig.output else {
        return false;
    };
    let value = types::last(types::strip_groups(ty)).and_then(types::argument);
    let mut plain = sig.clone();
    plain.output = syn::parse_quote!(-> usize);
    value.is_some_and(is_constant_value) && yields_constant(&plain)
}

/// Whether a function yields a number, a truth value or text of what it is given, or only whether it is well, and changes nothing that may have a derivative.
pub(crate) fn yields_constant(sig: &syn::Signature) -> bool {
    let changes = |input: &syn::FnArg| match input {
        syn::FnArg::Receiver(r) => {
            matches!(&r.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
        }
        syn::FnArg::Typed(arg) => {
            let lent = matches!(&*arg.ty, syn::Type::Reference(r) if r.mutability.is_some());
            let constant = arg.attrs.iter().any(|a| a.path().is_ident("constant"));
            lent && !constant && !types::read(&arg.ty).is_inert()
        }
    };
    let constant = match &sig.output {
        syn::ReturnType::Default => false,
        syn::ReturnType::Type(_, ty) => match &**ty {
            syn::Type::Tuple(parts) if parts.elems.is_empty() => false,
            result if types::is_result(result) => {
                types::value_of(result).is_some_and(is_constant_value)
            }
            syn::Type::Path(_) | syn::Type::Array(_) | syn::Type::Tuple(_) => {
                types::read(ty).is_inert()
            }
            ty => types::is_constant_of_program(ty),
        },
    };
    constant && !sig.inputs.is_empty() && !sig.inputs.iter().any(changes)
}

/// Whether no parameter holds a float, as far as it shows.
pub(crate) fn takes_constants(sig: &syn::Signature) -> bool {
    sig.inputs.iter().all(|input| match input {
        syn::FnArg::Receiver(_) => false,
        syn::FnArg::Typed(arg) => types::read(&arg.ty).is_inert(),
    })
}

fn check_result(
    sig: &syn::Signature,
    ret: Option<&syn::Type>,
    ty: &Ty,
    params: &[ParamInfo],
    errors: &mut Errors,
) {
    let writes = params.iter().any(|p| p.by == By::Mut && p.active);
    match ret {
        None if !writes => errors.error(&sig.ident, "this function returns nothing and writes to no `&mut` parameter of floats: there is nothing to differentiate; return a float, or take `&mut [f64]`; what only checks returns a `Result` and needs no #[grad]"),
        None => {}
        Some(t) => match unparen(t) {
            syn::Type::Reference(_) => errors.error(t, "a reference as return type cannot be differentiated; return an owned value"),
            syn::Type::ImplTrait(of) => errors.error(t, unnamed_result(&of.bounds)),
            syn::Type::TraitObject(_) | syn::Type::Infer(_) => {
                errors.error(t, "this return type cannot be differentiated; return floats, a tuple, an array or a `Vec` of them");
            }
            syn::Type::Tuple(parts) if parts.elems.len() > MOST => errors.error(t, LONG_TUPLE),
            syn::Type::Path(path) if last_is(path, &["Result"]) => {
                errors.error(t, "a result in a result has no derivative; use `?` on one of them");
            }
            syn::Type::Path(path) if last_is(path, &["Option", "Vec", "Box"]) && mentions_result(t) => {
                errors.error(t, "a result inside of another type has no derivative; return one `Result` of all of it");
            }
            _ if ty.is_inert() && !writes => {
                errors.error(t, format_args!("return type `{}` has no derivative: there is nothing to differentiate; return a float, remove #[grad], or write #[grad(constant)] if differentiated functions call it", text::of_type(t)));
            }
            _ => {}
        },
    }
    if params.iter().all(|p| !p.active) && errors.is_empty() {
        let message = "no parameter has a derivative; give the function a float parameter that is not `#[constant]`";
        if sig.inputs.is_empty() {
            errors.error(&sig.ident, message);
        } else {
            errors.error(&sig.inputs, message);
        }
    }
}

fn mentions_result(ty: &syn::Type) -> bool {
    types::mentions(
        &ty.to_token_stream(),
        &Ident::new("Result", Span::call_site()),
    )
}

fn last_is(path: &syn::TypePath, names: &[&str]) -> bool {
    path.path
        .segments
        .last()
        .is_some_and(|s| names.iter().any(|n| s.ident == n))
}
