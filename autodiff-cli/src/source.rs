//! A file: its text, its items, and which of them have derivatives.

use std::ops::Range;

use autodiff_compiler::Features;
use autodiff_compiler::tool::{self, Refusal};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::problem::Problem;

/// A file of Rust.
pub struct Source {
    /// As it was given on the command line.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// Its items.
    pub file: syn::File,
    /// What proc-macro2 calls the text: other texts have other names.
    known_as: String,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no Rust.
    pub fn read(path: &str) -> Result<Source, Vec<Problem>> {
        match std::fs::read_to_string(path) {
            Ok(text) => Source::parse(path, &text).map_err(|problem| vec![problem]),
            Err(error) => Err(vec![Problem::plain(format!(
                "failed to read `{path}`: {error}"
            ))]),
        }
    }

    /// A text as a file of that name.
    ///
    /// # Errors
    /// If it is no Rust.
    pub fn parse(path: &str, text: &str) -> Result<Source, Problem> {
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        let shebang = text.starts_with("#!") && !text[2..].trim_start().starts_with('[');
        let original = text.clone();
        if shebang {
            text.replace_range(..2, "//");
        }
        let at = |message: String, span: Span| {
            let range = span.byte_range();
            Problem::at(message, path, &original, range)
        };
        let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
            at(
                "this is no Rust: a token or a bracket is wrong".to_owned(),
                error.span(),
            )
        })?;
        let known_as = tokens
            .clone()
            .into_iter()
            .next()
            .map_or_else(String::new, |t| t.span().file());
        let file: syn::File = syn::parse2(tokens).map_err(|error| {
            // The end of the file has no token.
            let end = original.trim_end().len();
            let message = format!("this is no Rust: {error}");
            match error.span().byte_range() {
                Range { start: 0, end: 0 } => Problem::at(message, path, &original, end..end),
                range => Problem::at(message, path, &original, range),
            }
        })?;
        Ok(Source {
            path: path.to_owned(),
            text: original,
            file,
            known_as,
        })
    }

    /// The bytes of a span, if it is of this text.
    pub fn range(&self, span: Span) -> Option<Range<usize>> {
        let range = span.byte_range();
        (!range.is_empty() && span.file() == self.known_as).then_some(range)
    }

    /// A refusal at its place, or at what it was found in.
    pub fn refused(&self, refusal: Refusal, within: &Range<usize>) -> Problem {
        let start = self.range(refusal.start);
        let end = self.range(refusal.end);
        let range = match (start, end) {
            (Some(start), Some(end)) if start.start < end.end => start.start..end.end,
            (Some(one), _) | (_, Some(one)) => one,
            _ => within.clone(),
        };
        Problem::at(refusal.message, &self.path, &self.text, range)
    }
}

/// What the compiler is asked for.
#[derive(Clone, Default)]
pub struct Request {
    /// The function, method or type; all that are marked where there is none.
    pub function: Option<String>,
    /// How often what is named may be differentiated.
    pub order: Option<u32>,
    /// How gradients of what is named are computed.
    pub mode: Option<String>,
    /// Whether reports are asked for.
    pub report: bool,
    /// Whether traces are asked for.
    pub trace: bool,
}

/// The attribute or the derive on an item.
#[derive(Clone)]
pub enum Mark {
    /// `#[grad(args)]`
    Grad(TokenStream),
    /// `#[derive(Differentiable)]`
    Derive,
}

/// An item that is to be expanded.
#[derive(Clone)]
pub struct Site {
    /// What it is marked with.
    pub mark: Mark,
    /// The item without the mark.
    pub item: TokenStream,
    /// The attributes by which it is compiled or not.
    pub conditions: Vec<syn::Attribute>,
    /// The bytes of the item with its attributes.
    pub range: Range<usize>,
    /// A function of a block, beside which its siblings stand.
    pub in_a_block: bool,
}

/// Is this an attribute `#[grad]`?
pub fn is_grad(attr: &syn::Attribute) -> bool {
    last_is(attr.path(), "grad")
}

/// Whether a path ends in a name.
pub fn last_is(path: &syn::Path, name: &str) -> bool {
    path.segments.last().is_some_and(|s| s.ident == name)
}

/// The names in a `#[derive(…)]`.
pub fn derives(attr: &syn::Attribute) -> Option<Vec<syn::Path>> {
    if !attr.path().is_ident("derive") {
        return None;
    }
    let paths = attr.parse_args_with(
        syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated,
    );
    paths.ok().map(|paths| paths.into_iter().collect())
}

fn derives_ours(attr: &syn::Attribute) -> bool {
    derives(attr).is_some_and(|paths| paths.iter().any(|p| last_is(p, "Differentiable")))
}

/// The arguments of an attribute.
fn args(attr: &syn::Attribute) -> TokenStream {
    match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

/// The items of a file that are to be expanded.
pub struct Sites<'a> {
    request: &'a Request,
    found: Vec<Site>,
}

impl<'a> Sites<'a> {
    /// Finds them.
    pub fn of(file: &syn::File, request: &'a Request) -> Vec<Site> {
        let mut sites = Sites {
            request,
            found: Vec::new(),
        };
        sites.visit_file(file);
        sites.found
    }

    /// Whether an item of these names is asked for.
    fn wanted(&self, names: &[String]) -> bool {
        match &self.request.function {
            Some(function) => names.contains(function),
            None => true,
        }
    }

    fn add<T: ToTokens + Clone>(
        &mut self,
        item: &T,
        attrs: impl Fn(&mut T) -> &mut Vec<syn::Attribute>,
        names: &[String],
        in_a_block: bool,
    ) {
        let mut bare = item.clone();
        let all = std::mem::take(attrs(&mut bare));
        let wanted = self.wanted(names);
        let grad = all.iter().find(|a| is_grad(a)).map(args);
        let named = self.request.function.is_some() && wanted;
        let derived = all.iter().any(derives_ours);
        // What is named needs no mark, unless it is a method.
        let mark = match (grad, derived) {
            (Some(args), _) => Mark::Grad(self.request.options(args, named)),
            (None, true) => Mark::Derive,
            (None, false) if named && !in_a_block && is_function(item) => {
                Mark::Grad(self.request.options(TokenStream::new(), named))
            }
            (None, false) => return,
        };
        if !wanted {
            return;
        }
        let conditions = all.iter().filter(|a| a.path().is_ident("cfg")).cloned();
        let conditions = conditions.collect();
        let rest = all
            .into_iter()
            .filter(|a| !(is_grad(a) || derived && derives_ours(a)));
        *attrs(&mut bare) = rest.collect();
        self.found.push(Site {
            mark,
            item: bare.to_token_stream(),
            conditions,
            range: range_of(item),
            in_a_block,
        });
    }
}

fn is_function(item: &impl ToTokens) -> bool {
    syn::parse2::<syn::ItemFn>(item.to_token_stream()).is_ok()
}

/// The bytes from the first token to the last.
pub fn range_of(tokens: &impl ToTokens) -> Range<usize> {
    let mut tokens = tokens.to_token_stream().into_iter();
    let first = tokens.next().map_or_else(Span::call_site, |t| t.span());
    let last = tokens.last().map_or(first, |t| t.span());
    first.byte_range().start..last.byte_range().end
}

impl Request {
    /// The options of the attribute with those of the command line.
    fn options(&self, written: TokenStream, named: bool) -> TokenStream {
        let mut options = written;
        let mut set = |name: &str, value: Option<String>| {
            let Some(value) = value else { return };
            let rest = without(&options, name);
            let separated = if rest.is_empty() { "" } else { ", " };
            let added: TokenStream = format!("{separated}{name}{value}")
                .parse()
                .unwrap_or_default();
            options = rest;
            options.extend(added);
        };
        if named {
            set("order", self.order.map(|n| format!(" = {n}")));
            set("mode", self.mode.as_ref().map(|mode| format!(" = {mode}")));
        }
        set("report", self.report.then(String::new));
        set("trace", self.trace.then(String::new));
        options
    }
}

/// Options without the one of a name.
fn without(options: &TokenStream, name: &str) -> TokenStream {
    let mut parts: Vec<TokenStream> = vec![TokenStream::new()];
    for token in options.clone() {
        match &token {
            proc_macro2::TokenTree::Punct(p) if p.as_char() == ',' => {
                parts.push(TokenStream::new());
            }
            _ => parts
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|part| part.extend([token.clone()])),
        }
    }
    parts.retain(|part| {
        let first = part.clone().into_iter().next();
        first.is_some_and(|first| first.to_string() != name)
    });
    let mut out = TokenStream::new();
    for (k, part) in parts.into_iter().enumerate() {
        if k > 0 {
            out.extend(quote::quote!(,));
        }
        out.extend(part);
    }
    out
}

/// `Type` and `Type::method` for each function of a block.
fn names_of_block(ty: &str, functions: impl Iterator<Item = String>) -> Vec<String> {
    let mut names = vec![ty.to_owned()];
    for f in functions {
        names.push(format!("{ty}::{f}"));
        names.push(f);
    }
    names
}

fn name_of(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(p) => p
            .path
            .segments
            .last()
            .map_or_else(String::new, |s| s.ident.to_string()),
        _ => String::new(),
    }
}

impl<'ast> Visit<'ast> for Sites<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Fn(f) => self.add(f, |f| &mut f.attrs, &[f.sig.ident.to_string()], false),
            syn::Item::Struct(s) => self.add(s, |s| &mut s.attrs, &[s.ident.to_string()], false),
            syn::Item::Enum(e) => self.add(e, |e| &mut e.attrs, &[e.ident.to_string()], false),
            syn::Item::Union(u) => self.add(u, |u| &mut u.attrs, &[u.ident.to_string()], false),
            syn::Item::Impl(block) => {
                let functions = block.items.iter().filter_map(|item| match item {
                    syn::ImplItem::Fn(f) => Some(f.sig.ident.to_string()),
                    _ => None,
                });
                let names = names_of_block(&name_of(&block.self_ty), functions);
                self.add(block, |b| &mut b.attrs, &names, false);
                let marked = block.attrs.iter().any(is_grad);
                for item in &block.items {
                    if let (syn::ImplItem::Fn(f), false) = (item, marked) {
                        let names = names_of_block(
                            &name_of(&block.self_ty),
                            [f.sig.ident.to_string()].into_iter(),
                        );
                        self.add(f, |f| &mut f.attrs, &names[1..], true);
                    }
                }
            }
            syn::Item::Trait(t) => {
                let functions = t.items.iter().filter_map(|item| match item {
                    syn::TraitItem::Fn(f) => Some(f.sig.ident.to_string()),
                    _ => None,
                });
                let names = names_of_block(&t.ident.to_string(), functions);
                self.add(t, |t| &mut t.attrs, &names, false);
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }
}

/// What stands in place of a marked item, and what was refused in it.
pub fn expansion(site: &Site) -> (TokenStream, Vec<Refusal>) {
    // What may be a tensor is one: derivatives of numbers are the same.
    let features = Features {
        tensor: true,
        ..Features::default()
    };
    let made = features.within(|| match &site.mark {
        Mark::Grad(args) => autodiff_compiler::grad(args.clone(), site.item.clone()),
        Mark::Derive => autodiff_compiler::differentiable(site.item.clone()),
    });
    tool::refusals(made)
}

/// The span of what a problem with a site as a whole is printed at: the name, as far as it can be told.
pub fn head(site: &Site) -> Range<usize> {
    let name = match syn::parse2::<syn::Item>(site.item.clone()) {
        Ok(syn::Item::Fn(f)) => f.sig.ident.span(),
        Ok(syn::Item::Struct(s)) => s.ident.span(),
        Ok(syn::Item::Enum(e)) => e.ident.span(),
        Ok(syn::Item::Trait(t)) => t.ident.span(),
        Ok(syn::Item::Impl(block)) => block.self_ty.span(),
        _ => return site.range.clone(),
    };
    name.byte_range()
}
