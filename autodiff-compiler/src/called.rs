//! What derivatives call of others, and what rustc says where a function or a method has none.
//!
//! Whether one has derivatives is not known here. Behind the names of hidden forms, which those of the user's come before, stand ones that say in a sentence what to write:
//! of a type, functions of a trait that every type with the derive has.
//! Where a function has none, its name leads on to a type that says so in a constant; what is called is vouched for by it, so there is no other error.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;

use crate::bounds::{self, Asked};
use crate::features::features;
use crate::forms::{EACH_FORM, LANES_FORM, SOUND, VALUE, WRITER};
use crate::lower::foreign;
use crate::matrices;
use crate::own_names;
use crate::rules;
use crate::tensors;
use crate::types;
use crate::visit::{Enter as _, Other, Visit};

/// What is called in some derivatives.
#[derive(Default)]
pub(crate) struct Called {
    /// The functions that stand there themselves.
    defined: BTreeSet<String>,
    /// What items in bodies are called, and whether one may be called anything.
    within: BTreeSet<String>,
    any_within: bool,
    /// Hidden forms of methods and of functions of types, with what they are given.
    of_types: BTreeMap<String, (Ident, Arguments, How)>,
    /// The functions, by their paths.
    functions: BTreeMap<String, Function>,
    needs_heap: bool,
    /// rustc looks at the code itself, and says what is wrong with it.
    checked: bool,
    /// What vouches for others asks of the code.
    asked: Option<TokenStream>,
    /// The traits whose methods type parameters are asked for.
    traits: Vec<Asked>,
}

/// A function that is called.
struct Function {
    path: TokenStream,
    /// What leads to its derivatives.
    name: Ident,
    /// How many arguments its calls give, and where.
    given: BTreeMap<usize, Span>,
    /// Where it is taken for one that returns a result.
    fails: Option<Span>,
    /// Forms that only functions of higher order have, with what they are given.
    of_order: BTreeMap<String, (Ident, Arguments)>,
}

/// How a form of a type is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// `x.form()`
    Method,
    /// `Type::form()`
    Path,
    /// `Self::form()`
    OfSelf,
}

/// What rustc says of a form of a type that the type lacks.
enum Lacks {
    Derivatives,
    /// Those of a method that returns a result.
    Result,
    /// Of a method named like that of an operator.
    Operator,
    /// Derivatives of this order.
    Order(u32),
    /// The same of a method that may be a derivative, as its name says: where it is none, it lacks them altogether.
    OrderOrDerivatives(u32),
    /// Nothing: it is called beside a form that says it.
    Beside,
}

impl Lacks {
    fn of(form: &Ident, how: How) -> Lacks {
        let name = form.to_string();
        let is_zero = name.starts_with("__zero_") && how == How::Path;
        match order(&name) {
            _ if is_zero => Lacks::Beside,
            // Forms of an order say it at the same place in the same words, which is once.
            _ if is_in_several(&name) => Lacks::Order(2),
            Some(order) if how == How::Method && is_of_derivative(&name) => {
                Lacks::OrderOrDerivatives(order)
            }
            Some(order) => Lacks::Order(order),
            None if how == How::Method && is_of_operator(form) => Lacks::Operator,
            None if name.contains(&format!("_{VALUE}_")) => Lacks::Result,
            None => Lacks::Derivatives,
        }
    }
}

impl ToTokens for Lacks {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(match self {
            Lacks::Derivatives => quote!(),
            Lacks::Result => quote!(result),
            Lacks::Operator => quote!(operator),
            Lacks::Order(order) => Literal::u32_unsuffixed(*order).to_token_stream(),
            Lacks::OrderOrDerivatives(order) => {
                let order = Literal::u32_unsuffixed(*order);
                quote!(derivative #order)
            }
            Lacks::Beside => quote!(beside),
        });
    }
}

/// Whether it is a form of second order in several directions.
fn is_in_several(form: &str) -> bool {
    let plain = form.replacen("__taken_", "__", 1);
    plain.starts_with(EACH_FORM) || plain.starts_with(LANES_FORM)
}

/// Names of derivatives of methods, with the order that a method has beyond its own where they are differentiated.
const DERIVATIVES: &[(&str, u32)] = &[("_hvp", 2), ("_grad", 1), ("_jvp", 1)];

/// Whether a form is that of a method named like a derivative: `__fwd_energy_grad`.
fn is_of_derivative(form: &str) -> bool {
    DERIVATIVES.iter().any(|(of, _)| form.ends_with(of))
}

/// The order that a function has whose form this is, where it is more than one: forms of higher order, and those of derivatives.
fn order(form: &str) -> Option<u32> {
    let (mut plain, mut order) = (without_mode(form), 1);
    while plain.starts_with("jvp_jvp_") {
        (plain, order) = (&plain["jvp_".len()..], order + 1);
    }
    let second = plain.strip_prefix("jvp_").is_some_and(has_pullback);
    order += u32::from(second);
    let derivative = DERIVATIVES.iter().find(|(of, _)| plain.ends_with(of));
    order += derivative.map_or(0, |(_, more)| *more);
    (order > 1).then_some(order)
}

/// A form without what says how the first argument is passed: `jvp_fwd_energy`.
fn without_mode(form: &str) -> &str {
    let plain = form.trim_start_matches("__");
    plain.strip_prefix("taken_").unwrap_or(plain)
}

/// The method or function whose form this is, and whether the form makes the zero tangent of an argument.
fn of_method(form: &str) -> Option<(&str, bool)> {
    let mut plain = without_mode(form);
    if let Some(zero) = plain.strip_prefix("zero_") {
        let numbered = zero.strip_prefix("of_").unwrap_or(zero);
        return numbered.split_once('_').map(|(_, name)| (name, true));
    }
    while let Some(rest) = plain.strip_prefix("jvp_") {
        plain = rest;
    }
    let modes = ["each_fwd_", "lanes_fwd_", "fwd_", "even_"];
    let name = modes.iter().find_map(|mode| plain.strip_prefix(mode));
    Some((name.unwrap_or(plain), false))
}

/// Whether a form of first order has a pullback: `fwd_energy`.
fn has_pullback(form: &str) -> bool {
    ["fwd_", "even_"].iter().any(|of| form.starts_with(of))
}

/// Names of what exists only with the feature `alloc`.
const OF_HEAP: &[&str] = &[
    "Box",
    "Deep",
    "Slots",
    "Stack",
    "ToOwned",
    "Vec",
    "inverse_at",
    "reciprocal_at",
    "to_kept",
    "to_vec",
    "vec",
];

/// Names that another trait has for every type.
const CONVERSIONS: &[&str] = &["_from", "_into"];

impl Called {
    /// Leaves the names as they are that mean items of a body, which stand nowhere else.
    pub(crate) fn leave_items_of(&mut self, body: &syn::Block) {
        self.visit_block(body);
    }

    fn is_within(&self, first: &str) -> bool {
        self.any_within || self.within.contains(first)
    }

    /// The derivatives, with another name for each function whose derivatives they call.
    pub(crate) fn read(&mut self, tokens: TokenStream) -> TokenStream {
        self.renamed(&tokens, true).unwrap_or(tokens)
    }

    /// Whether what was read names what exists only with the feature `alloc`; what asks for the feature itself aside.
    pub(crate) fn needs_heap(&self) -> bool {
        self.needs_heap
    }

    /// The same where a name changes; `always` compiled, or with the feature `alloc` alone.
    fn renamed(&mut self, tokens: &TokenStream, always: bool) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        // What stands in place of which tokens.
        let mut edits: Vec<(std::ops::Range<usize>, TokenTree)> = Vec::new();
        let (mut k, mut behind_feature) = (0, false);
        while k < tokens.len() {
            if let Some(path) = path_at(&tokens, k) {
                let (start, of_order) = (k, path.is_of_order());
                k = path.end;
                self.needs_heap |= always && path.parts.iter().any(|name| is_of_heap(name));
                behind_feature = path.parts.last().is_some_and(|name| is_feature(name));
                let function = path.tokens.len().saturating_sub(3);
                if let Some(name) = self.path(path, || Arguments::at(&tokens, k)) {
                    edits.push((start..start + function, name.into()));
                }
                let function = of_order.then(|| Names::at(&tokens, k + 3)).flatten();
                let elsewhere = |function: &Names<'_>| {
                    function.can_be_imported() && !self.is_within(&function.parts[0])
                };
                if let Some(function) = function.filter(elsewhere) {
                    let mut name = self.leading(&function).name.clone();
                    // What an argument of the bound is shown at has to come from where the bound does.
                    if let Some(last) = function.all.last() {
                        name.set_span(last.span());
                    }
                    edits.push((k + 3..function.end, name.into()));
                    k = function.end;
                }
                continue;
            }
            match &tokens[k] {
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    if word == "fn" {
                        let name = tokens.get(k + 1).map(ToString::to_string);
                        self.defined.extend(name);
                    }
                    self.needs_heap |= always && is_of_heap(&word);
                }
                TokenTree::Group(group) => {
                    let always = always && !std::mem::take(&mut behind_feature);
                    if let Some(inner) = self.renamed(&group.stream(), always) {
                        let mut group_again = Group::new(group.delimiter(), inner);
                        group_again.set_span(group.span());
                        edits.push((k..k + 1, group_again.into()));
                    }
                }
                TokenTree::Punct(dot) if dot.as_char() == '.' => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(k + 1) {
                        self.member(name, || Arguments::at(&tokens, k + 2), How::Method);
                    }
                }
                // `Point::<f64>::new`
                TokenTree::Punct(end) if end.as_char() == '>' && is_separator(&tokens, k + 1) => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(k + 3) {
                        self.member(name, || Arguments::at(&tokens, k + 4), How::Path);
                    }
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
            k += 1;
        }
        if edits.is_empty() {
            return None;
        }
        let (mut edits, mut out) = (edits.into_iter().peekable(), Vec::new());
        for (k, token) in tokens.into_iter().enumerate() {
            match edits.peek() {
                Some((range, _)) if range.contains(&k) => {
                    if k + 1 == range.end {
                        out.extend(edits.next().map(|(_, token)| token));
                    }
                }
                _ => out.push(token),
            }
        }
        Some(out.into_iter().collect())
    }

    /// A form of a type, if it is given arguments.
    fn member(&mut self, name: &Ident, args: impl Fn() -> Option<Arguments>, how: How) {
        let written = own_names::plain(name);
        let known = CONVERSIONS.iter().any(|known| written.ends_with(known));
        let hidden = written
            .strip_prefix("__")
            .is_some_and(|form| form.contains('_'));
        if let Some(args) = (hidden && !known).then(args).flatten() {
            let form = (Ident::new(&written, name.span()), args, how);
            self.of_types.entry(written).or_insert(form);
        }
    }

    /// The name that stands in place of the function whose form is called by the path.
    fn path(&mut self, path: Names<'_>, args: impl Fn() -> Option<Arguments>) -> Option<Ident> {
        let Names {
            all,
            parts: written,
            tokens,
            ..
        } = &path;
        let (form, owner) = (all.last()?, all.iter().nth_back(1)?);
        let (first, named, last) = (&*written[0], &*written[all.len() - 2], written.last()?);
        let ours = ["rt", "core"].contains(&first)
            || !last.starts_with("__")
            || first.starts_with("__")
            || self.is_within(first)
            || written.iter().any(|name| name == "__private");
        if ours || first == "Self" && is_of_function(last) {
            return None;
        }
        // A function may be a single capital.
        let capital = types::is_capital(named) || types::is_function_name(named);
        let function = capital && is_of_function(last);
        let of_type = (types::is_type_name(named) || named == "Self" || capital) && !function;
        if of_type {
            let own = named == "Self";
            self.member(form, args, if own { How::OfSelf } else { How::Path });
            return None;
        }
        let behind = tokens.len() - 3;
        let function = Names {
            all: all[..all.len() - 1].to_vec(),
            parts: written[..all.len() - 1].to_vec(),
            tokens: &tokens[..behind],
            end: 0,
        };
        if !function.can_be_imported() {
            return None;
        }
        let span = owner.span().resolved_at(Span::call_site());
        let written = last.clone();
        let known = self.leading(&function);
        if written.ends_with(&format!("_{VALUE}")) {
            known.fails.get_or_insert(span);
        }
        let counted = written == "__fwd" || written == "__even";
        let read = counted || is_of_higher_order(&written);
        let args = read.then(args).flatten().and_then(Arguments::exactly);
        if let Some(args) = args {
            if counted {
                known.given.entry(args.count).or_insert(span);
            } else {
                let called = (form.clone(), args);
                known.of_order.entry(written).or_insert(called);
            }
        }
        let mut name = known.name.clone();
        name.set_span(span);
        Some(name)
    }

    /// A function by its path.
    fn leading(&mut self, function: &Names<'_>) -> &mut Function {
        let path: TokenStream = function.tokens.iter().cloned().collect();
        let span = function.all.last().map_or_else(Span::call_site, |last| {
            last.span().resolved_at(Span::call_site())
        });
        let written = function.parts.last().cloned().unwrap_or_default();
        let key = path.to_string();
        let name = match self.functions.get(&key) {
            Some(known) => known.name.clone(),
            None => {
                let mut name = format!("__of_{}", written.replace("r#", ""));
                while self.functions.values().any(|known| known.name == name) {
                    name.push('_');
                }
                Ident::new(&name, span)
            }
        };
        self.functions.entry(key).or_insert_with(|| Function {
            path,
            name,
            given: BTreeMap::new(),
            fails: None,
            of_order: BTreeMap::new(),
        })
    }

    /// Nothing is called that may lack derivatives.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_types.is_empty() && self.functions.is_empty()
    }

    /// Leaves out the forms of a function that has some.
    pub(crate) fn defined(&mut self, function: &Ident) {
        let name = format!("_{}", function.to_string().replace("r#", ""));
        self.of_types.retain(|form, _| !form.ends_with(&name));
    }

    /// Leaves out how many arguments calls give, which rustc says of the code itself.
    pub(crate) fn given_as_checked(&mut self) {
        self.checked = true;
        self.functions.values_mut().for_each(|of| of.given.clear());
    }

    /// A function may call methods that the traits of its type parameters have.
    pub(crate) fn asking_traits_of(&mut self, sig: &syn::Signature, block: &syn::Block) {
        self.traits.extend(bounds::asked(sig, block));
    }

    /// What is said of methods of traits: what has derivatives is a bound's own, and found before.
    fn of_traits(&self) -> TokenStream {
        let traits = self.traits.iter().enumerate().map(|(k, asked)| {
            let forms = self.of_types.values().filter_map(|(name, args, how)| {
                let written = name.to_string();
                let (method, _) = of_method(&written).filter(|_| *how == How::Method)?;
                let form = args.declared(name);
                let lacks = matches!(Lacks::of(name, *how), Lacks::Derivatives);
                (lacks && asked.methods.contains(method)).then(|| {
                    let method = Ident::new(method, name.span());
                    quote!([bound __called::#method; #form])
                })
            });
            let (name, of) = (format_ident!("__OfBound{k}"), &asked.of);
            quote!(rt::of_bound! { #name #of #(, #forms)* })
        });
        traits.collect()
    }

    /// What vouches for others asks this of the code first.
    pub(crate) fn asking_first(&mut self, asked: Option<TokenStream>) {
        self.asked = asked;
    }

    /// What is said of matrices and arrays of other crates that have no row for a method: traits that none of them has, each with what to write, and the forms that ask for them.
    fn of_matrices(&self) -> (TokenStream, Option<TokenStream>) {
        if !features().matrices() {
            return (TokenStream::new(), None);
        }
        let (mut bounds, mut forms) = (BTreeMap::new(), TokenStream::new());
        let (mut functions, mut rowless) = (TokenStream::new(), TokenStream::new());
        for (name, args, how) in self.of_types.values() {
            let written = name.to_string();
            let Some((called, zero)) = of_method(&written) else {
                continue;
            };
            // Their forms borrow the receiver as these do, and none would come before the other.
            if matrices::changes(called) || called.starts_with(WRITER) {
                continue;
            }
            let advice = matrices::advice(called);
            let form = args.declared(name);
            match how {
                _ if zero && *how == How::Method => forms.extend(quote!([zero #form])),
                // What has a row is a function of a trait, and there is no order between traits.
                How::Path if matrices::is_of_every_unit(called) => {}
                How::Path if advice.is_none() && matrices::may_have_row(called) => {
                    rowless.extend(if zero {
                        quote!([beside #form])
                    } else {
                        quote!([function rt::linalg::HasRows; #form])
                    });
                }
                How::Path if zero => functions.extend(quote!([beside #form])),
                How::Method if zero => {}
                How::OfSelf => {}
                How::Method | How::Path => {
                    let bound = match advice {
                        None if *how == How::Path => quote!(rt::linalg::HasFunction),
                        None => quote!(rt::linalg::HasRow),
                        Some(advice) => {
                            let bound = format_ident!("__Has_{called}");
                            let message = format!(
                                "`{called}` of a matrix or an array has no derivatives; {advice}"
                            );
                            bounds.entry(called.to_owned()).or_insert_with(|| quote! {
                                #[diagnostic::on_unimplemented(message = #message, label = "no derivatives")]
                                trait #bound { type Forms; }
                            });
                            bound.to_token_stream()
                        }
                    };
                    match how {
                        How::Path => functions.extend(quote!([function #bound; #form])),
                        _ => forms.extend(quote!([method #bound; #form])),
                    }
                }
            }
        }
        let bounds = bounds.into_values().collect();
        (bounds, Some(quote!({ #forms } { #functions } { #rowless })))
    }

    /// Puts in front of derivatives what stands behind the names that they call; they are `items`, or the body of a function.
    pub(crate) fn around(mut self, derivatives: &TokenStream, items: bool) -> TokenStream {
        self.of_types.retain(|form, _| !self.defined.contains(form));
        // Those of functions of tensors are functions of a trait, and there is no order between traits.
        self.of_types.retain(|form, (_, _, how)| {
            let zero = of_method(form).filter(|(_, zero)| *zero && *how == How::Path);
            !zero.is_some_and(|(name, _)| tensors::is_function(name))
        });
        // Around a whole block `Self` may be a number, whose functions are those of a trait.
        let called = |how: How| {
            if items && how == How::OfSelf {
                How::Path
            } else {
                how
            }
        };
        let mut names_of_methods = BTreeSet::new();
        let mut declared = |own: bool| {
            let forms = self.of_types.values();
            let forms = forms.filter(|(_, _, how)| own == (called(*how) == How::OfSelf));
            let forms = forms.map(|(name, args, how)| {
                let (lacks, form) = (Lacks::of(name, called(*how)), args.declared(name));
                let method = (*how == How::Method).then(|| name.to_string());
                let of = method.as_deref().and_then(of_method);
                // What stands for an operator or an index is no name of the user's.
                let of = of.filter(|(method, _)| !method.starts_with("of_grad_"));
                if let (Lacks::Derivatives, Some((method, _))) = (&lacks, of) {
                    let method = syn::parse_str(method)
                        .unwrap_or_else(|_| Ident::new_raw(method, name.span()));
                    let form = quote!([of __called::#method; #form]);
                    names_of_methods.insert(method);
                    return form;
                }
                let receiver = (*how == How::Method).then(|| quote!(method));
                quote!([#lacks #receiver #form])
            });
            forms.collect::<TokenStream>()
        };
        let (of_types, own) = (declared(false), declared(true));
        let behind = (!self.of_types.is_empty()).then(|| {
            let (bounds, of_matrices) = self.of_matrices();
            let of_traits = self.of_traits();
            quote!(#bounds rt::undifferentiated! { { #of_types } { #own } #of_matrices } #of_traits)
        });
        if self.functions.is_empty() {
            let methods = names_of_methods.iter();
            let methods = (!names_of_methods.is_empty())
                .then(|| quote!(mod __called { #(pub struct #methods {})* }));
            return quote!(#methods #behind #derivatives);
        }
        let asked = &self.asked;
        let names = self.functions.values().map(|of| &of.name);
        let led: Vec<_> = names
            .clone()
            .map(|name| Ident::new(&format!("{name}_or_none"), name.span()))
            .collect();
        let paths = self.functions.values().map(|of| &of.path);
        let vouched = self.functions.values().zip(&led).map(|(of, led)| {
            let Function {
                name,
                given,
                fails,
                of_order,
                ..
            } = of;
            let vouches = quote_spanned!(name.span()=> let _ = #led::__derived;);
            let ours = last(&of.path).filter(rules::is_exported);
            let ours = ours.map(|_| {
                quote_spanned!(name.span()=> let _ = || { #led::__of_single(#led); #led::__of_double(#led); };)
            });
            let given = given.iter().map(|(count, &span)| {
                let count = Literal::usize_unsuffixed(*count);
                quote_spanned!(span=> #led::__TAKES.given::<#count>();)
            });
            // Where the code has an error, what is made of a sound type has none.
            let sound = self.checked.then(|| Ident::new(SOUND, Span::mixed_site()));
            let sound = sound.map_or_else(|| quote!(#led), |sound| quote!(#sound<#led>));
            let fails = fails.map(|span| quote_spanned!(span=> <#sound>::__TAKES.fails();));
            let lacking = (!of_order.is_empty()).then(|| {
                let forms = of_order.values().map(|(form, args)| args.declared(form));
                let all = format_ident!("{name}_of_higher_order");
                quote!(rt::of_lower_order! { #all #led #([#forms])* })
            });
            quote! {
                type #name = rt::Vouched<{ #asked use rt::Derived as _; #vouches #ours #(#given)* #fails true }, #led>;
                #lacking
            }
        });
        let within = quote! {
            #(use #paths as #led;)*
            #(#vouched)*
            #behind
            #derivatives
        };
        let within = if items {
            quote!(const _: () = { #within };)
        } else {
            quote!({ #within })
        };
        let written: Vec<_> = self.functions.values().map(|of| last(&of.path)).collect();
        let each: BTreeSet<_> = written.iter().flatten().chain(&names_of_methods).collect();
        let none = written.iter().map(|name| match name {
            Some(name) if foreign::may_be(&name.to_string()) => quote!(rt::OfCrate),
            _ => quote!(rt::NoDerivatives),
        });
        quote! {
            mod __called { #(pub struct #each {})* }
            #(type #led = #none<__called::#written>;)*
            #within
        }
    }
}

impl<'ast> Visit<'ast> for Called {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within.insert(item.sig.ident.to_string());
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ItemMod(item) => {
                self.within.insert(item.ident.to_string());
            }
            Other::UseName(name) => {
                self.within.insert(name.ident.to_string());
            }
            Other::UseRename(name) => {
                self.within.insert(name.rename.to_string());
            }
            Other::UseGlob(_) => {
                self.any_within = true;
            }
            Other::ItemMacro(_) => {
                self.any_within = true;
            }
            other => other.walk(self),
        }
    }
}

/// Whether tokens name what exists only with the feature `alloc`; what asks for the feature itself aside.
pub(crate) fn needs_heap(tokens: &TokenStream) -> bool {
    let mut behind_feature = false;
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(name) => {
            let name = name.to_string();
            behind_feature = is_feature(&name);
            is_of_heap(&name)
        }
        TokenTree::Group(group) => {
            !std::mem::take(&mut behind_feature) && needs_heap(&group.stream())
        }
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn is_of_heap(name: &str) -> bool {
    OF_HEAP.contains(&name)
}

/// What stands behind it is compiled where there is a heap.
fn is_feature(name: &str) -> bool {
    name == "with_alloc" || name == "with_tape"
}

/// The name at the end of a path.
fn last(path: &TokenStream) -> Option<Ident> {
    let names = path.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some(name),
        _ => None,
    });
    names.last()
}

/// Whether a form is that of a method named like that of an operator, `__fwd_add`.
fn is_of_operator(form: &Ident) -> bool {
    let form = form.to_string();
    let name = form.strip_suffix("_assign").unwrap_or(&form);
    ["_add", "_sub", "_mul", "_div", "_rem", "_neg"]
        .iter()
        .any(|operator| name.ends_with(operator))
}

/// Whether a form has tangents and a pullback: functions whose order is one have none.
fn is_of_higher_order(form: &str) -> bool {
    form.starts_with("__jvp_") || form == LANES_FORM || form == EACH_FORM
}

/// Whether a form is that of a function, and not of one of a type, whose name follows.
fn is_of_function(form: &str) -> bool {
    let last = form.rsplit('_').next().unwrap_or_default();
    let numbered = last.chars().all(|c| c.is_ascii_digit());
    !form.starts_with("__taken_")
        && (numbered
            || [
                "LANES",
                "OVERWRITES",
                "STEEP",
                "deep",
                "dynamic",
                "even",
                "fwd",
                "jvp",
                "leaving",
                "passed",
                "trace",
                "value",
                "vjp",
            ]
            .contains(&last))
}

/// A path of names alone, `models::energy::__fwd`.
struct Names<'a> {
    all: Vec<Ident>,
    /// The same as text.
    parts: Vec<String>,
    tokens: &'a [TokenTree],
    end: usize,
}

impl<'a> Names<'a> {
    fn at(tokens: &'a [TokenTree], start: usize) -> Option<Names<'a>> {
        let ident = |k: usize| match tokens.get(k) {
            Some(TokenTree::Ident(ident)) => Some(ident.clone()),
            _ => None,
        };
        let mut names = vec![ident(start)?];
        let mut end = start + 1;
        while is_separator(tokens, end) {
            let Some(name) = ident(end + 2) else { break };
            names.push(name);
            end += 3;
        }
        Some(Names {
            parts: names.iter().map(Ident::to_string).collect(),
            all: names,
            tokens: &tokens[start..end],
            end,
        })
    }

    /// A name that the prelude has as well is ambiguous where it is imported.
    fn can_be_imported(&self) -> bool {
        const PRELUDE: &[&str] = &[
            "Self",
            "align_of",
            "align_of_val",
            "drop",
            "size_of",
            "size_of_val",
        ];
        match &self.parts[..] {
            [name] => !PRELUDE.contains(&name.as_str()),
            _ => true,
        }
    }

    /// `rt::require_order`
    fn is_of_order(&self) -> bool {
        self.parts.len() == 2 && self.parts[1] == "require_order"
    }
}

/// What begins at `k` and goes on behind `::`.
fn path_at(tokens: &[TokenTree], k: usize) -> Option<Names<'_>> {
    if !matches!(&tokens[k], TokenTree::Ident(_)) || !is_separator(tokens, k + 1) {
        return None;
    }
    let goes_on = k > 0
        && match &tokens[k - 1] {
            TokenTree::Punct(p) if p.as_char() == '.' => true,
            TokenTree::Punct(p) if p.as_char() == ':' => k > 1 && is_separator(tokens, k - 2),
            _ => false,
        };
    Names::at(tokens, k).filter(|path| !goes_on && path.all.len() > 1)
}

/// `::`
fn is_separator(tokens: &[TokenTree], k: usize) -> bool {
    let colon = |k: usize| match tokens.get(k) {
        Some(TokenTree::Punct(p)) if p.as_char() == ':' => Some(p.spacing()),
        _ => None,
    };
    colon(k) == Some(Spacing::Joint) && colon(k + 1).is_some()
}

/// What a form is given.
struct Arguments {
    /// The parameters that generic arguments in front of them stand for.
    generics: Vec<TokenStream>,
    count: usize,
    tokens: TokenStream,
}

impl Arguments {
    /// What stands at `k`.
    fn at(tokens: &[TokenTree], k: usize) -> Option<Arguments> {
        let mut generics = Vec::new();
        let mut end = k;
        if is_separator(tokens, k) {
            let (mut depth, mut first) = (0, true);
            end += 2;
            loop {
                let token = tokens.get(end)?;
                let sign = match token {
                    TokenTree::Punct(p) => p.as_char(),
                    _ => ' ',
                };
                match sign {
                    '<' => depth += 1,
                    '>' => depth -= 1,
                    ',' if depth == 1 => first = true,
                    _ if first => {
                        let name = format_ident!("G{}", generics.len());
                        let constant = !matches!(token, TokenTree::Ident(_)) && sign == ' ';
                        generics.push(if constant {
                            quote!({ const #name: usize })
                        } else {
                            quote!({ #name })
                        });
                        first = false;
                    }
                    _ => {}
                }
                end += 1;
                if depth == 0 {
                    break;
                }
            }
        }
        let TokenTree::Group(group) = tokens.get(end)? else {
            return None;
        };
        if group.delimiter() != Delimiter::Parenthesis {
            return None;
        }
        let given = group.stream();
        let tokens: Vec<TokenTree> = given.clone().into_iter().collect();
        let comma = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ',');
        let commas = tokens.iter().filter(|t| comma(t)).count();
        let count = match tokens.last() {
            None => 0,
            Some(last) if comma(last) => commas,
            Some(_) => commas + 1,
        };
        Some(Arguments {
            generics,
            count,
            tokens: given,
        })
    }

    /// Counted as expressions: the parameters of closures may be among them.
    fn exactly(self) -> Option<Arguments> {
        let count = self.counted()?;
        Some(Arguments { count, ..self })
    }

    fn counted(&self) -> Option<usize> {
        let commas = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
        let all = commas.parse2(self.tokens.clone()).ok()?;
        Some(all.len())
    }

    /// A form of that name which takes them.
    fn declared(&self, name: &Ident) -> TokenStream {
        let Arguments {
            generics, count, ..
        } = self;
        let each = vec![quote!(_); self.counted().unwrap_or(*count)];
        quote!(#name #(#generics)* (#(#each)*))
    }
}
