//! `autodiff expand`: a file with its derivatives written out.
//!
//! What the user wrote stays as it is, comments and all; marks are taken out of it, and derivatives put in behind.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use crate::problem::Problem;
use crate::source::{self, Mark, Request, Site, Sites, Source};

/// A change of the text.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// The text of a file with derivatives in place of the marks.
///
/// # Errors
/// With what is refused, or if nothing is marked.
pub fn expand(source: &Source, request: &Request) -> Result<String, Vec<Problem>> {
    let sites = Sites::of(&source.file, request);
    let mut problems = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    for site in &sites {
        let (tokens, refusals) = source::expansion(site);
        let head = source::head(site);
        problems.extend(refusals.into_iter().map(|r| source.refused(r, &head)));
        match parsed(tokens, site) {
            Ok(made) => change(source, site, made, &mut edits),
            Err(error) if problems.is_empty() => {
                let message = format!("what the compiler made cannot be read: {error}");
                problems.push(source.refused(error.into(), &head));
                problems.push(Problem::plain(message));
            }
            Err(_) => {}
        }
    }
    if let Some(nothing) = nothing(source, request, &sites) {
        problems.push(nothing);
    }
    if !problems.is_empty() {
        problems.sort_by_key(Problem::start);
        return Err(problems);
    }
    if request.function.is_none() {
        imports(source, &mut edits);
    }
    let name = std::path::Path::new(&source.path).file_name();
    let name = name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let text = apply(&source.text, edits);
    let head = format!("// @generated from `{name}` by `autodiff expand`.\n");
    Ok(if text.starts_with("#!") && !text.starts_with("#![") {
        let line = text.find('\n').map_or(text.len(), |at| at + 1);
        format!("{}{head}{}", &text[..line], &text[line..])
    } else {
        head + &text
    })
}

/// What is said where there is nothing to expand.
pub fn nothing(source: &Source, request: &Request, sites: &[Site]) -> Option<Problem> {
    if !sites.is_empty() {
        return None;
    }
    let path = &source.path;
    Some(Problem::plain(match &request.function {
        Some(function) => format!(
            "no function or type `{function}` in `{path}`; methods need #[grad] at their block"
        ),
        None => format!("nothing in `{path}` is marked with #[grad] or #[derive(Differentiable)]"),
    }))
}

/// The expansion as items; what stands in a block, as those of one.
///
/// # Errors
/// If a macro of ours has something inside that is no item.
pub fn parsed(tokens: TokenStream, site: &Site) -> syn::Result<syn::File> {
    let tokens = if site.in_a_block {
        quote::quote!(impl __S { #tokens })
    } else {
        tokens
    };
    let mut file: syn::File = syn::parse2(tokens)?;
    let mut nested = Nested(None);
    nested.visit_file_mut(&mut file);
    match nested.0 {
        Some(error) => Err(error),
        None => Ok(file),
    }
}

/// Expands what is marked inside of an expansion, and takes what stands there for those with a heap.
struct Nested(Option<syn::Error>);

impl Nested {
    fn items(&mut self, items: Vec<syn::Item>) -> Vec<syn::Item> {
        let mut out = Vec::new();
        for item in items {
            match self.replaced(&item) {
                Some(more) => out.extend(more),
                None => out.push(item),
            }
        }
        out
    }

    fn replaced(&mut self, item: &syn::Item) -> Option<Vec<syn::Item>> {
        if let syn::Item::Macro(mac) = item {
            return match kept(&mac.mac.path) {
                Some(true) => self.parse(mac.mac.tokens.clone()),
                Some(false) => Some(Vec::new()),
                None => None,
            };
        }
        let file = syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item.clone()],
        };
        let outer = matches!(item, syn::Item::Fn(f) if f.attrs.iter().any(source::is_grad))
            || matches!(item, syn::Item::Impl(b) if b.attrs.iter().any(source::is_grad))
            || matches!(item, syn::Item::Trait(t) if t.attrs.iter().any(source::is_grad))
            || matches!(item, syn::Item::Struct(s) if derives_ours(&s.attrs))
            || matches!(item, syn::Item::Enum(e) if derives_ours(&e.attrs));
        if !outer {
            return None;
        }
        let site = Sites::of(&file, &Request::default()).into_iter().next()?;
        let (mut tokens, _) = source::expansion(&site);
        if let Mark::Derive = site.mark {
            let own = unmarked(site.item);
            tokens = quote::quote!(#own #tokens);
        }
        self.parse(tokens)
    }

    fn parse(&mut self, tokens: TokenStream) -> Option<Vec<syn::Item>> {
        match syn::parse2::<syn::File>(tokens) {
            Ok(file) => Some(self.items(file.items)),
            Err(error) => {
                self.0 = Some(error);
                None
            }
        }
    }
}

fn derives_ours(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| {
        source::derives(a)
            .is_some_and(|all| all.iter().any(|p| source::last_is(p, "Differentiable")))
    })
}

impl VisitMut for Nested {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items = self.items(std::mem::take(&mut file.items));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            *items = self.items(std::mem::take(items));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut out = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            match &stmt {
                syn::Stmt::Macro(mac) if kept(&mac.mac.path).is_some() => {
                    let item: syn::Item = syn::Item::Macro(syn::ItemMacro {
                        attrs: Vec::new(),
                        ident: None,
                        mac: mac.mac.clone(),
                        semi_token: None,
                    });
                    let items = self.items(vec![item]);
                    out.extend(items.into_iter().map(syn::Stmt::Item));
                }
                syn::Stmt::Item(item) => match self.replaced(item) {
                    Some(items) => out.extend(items.into_iter().map(syn::Stmt::Item)),
                    None => out.push(stmt),
                },
                _ => out.push(stmt),
            }
        }
        block.stmts = out;
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        let mut out = Vec::new();
        for item in std::mem::take(&mut block.items) {
            match &item {
                syn::ImplItem::Macro(mac) => match kept(&mac.mac.path) {
                    Some(true) => {
                        let tokens = &mac.mac.tokens;
                        match syn::parse2::<syn::ItemImpl>(quote::quote!(impl __S { #tokens })) {
                            Ok(inner) => out.extend(inner.items),
                            Err(error) => self.0 = Some(error),
                        }
                    }
                    Some(false) => {}
                    None => out.push(item),
                },
                _ => out.push(item),
            }
        }
        block.items = out;
        visit_mut::visit_item_impl_mut(self, block);
    }
}

/// Whether what stands in a macro that asks for a feature of the runtime is there; `None` for other macros.
fn kept(path: &syn::Path) -> Option<bool> {
    let of_features = ["alloc", "tape", "std"];
    let last = path.segments.last()?.ident.to_string();
    let is = |prefix: &str| {
        let feature = last.strip_prefix(prefix);
        feature.is_some_and(|feature| of_features.contains(&feature))
    };
    (is("with_") || is("without_")).then(|| is("with_"))
}

/// Takes the marks out of an item, and puts its derivatives behind it.
fn change(source: &Source, site: &Site, mut made: syn::File, edits: &mut Vec<Edit>) {
    let text = &source.text[site.range.clone()];
    let indent = indent(&source.text, site.range.start);
    let marks = marks(source, site);
    let bare = apply_within(text, &marks, site.range.start);
    let end = site.range.end;
    if let Mark::Derive = site.mark {
        for item in &mut made.items {
            if let syn::Item::Struct(syn::ItemStruct { attrs, .. })
            | syn::Item::Enum(syn::ItemEnum { attrs, .. }) = item
            {
                // Of what a derive makes, rustc says nothing.
                attrs.push(syn::parse_quote!(#[allow(dead_code)]));
            }
        }
        edits.extend(behind(made.items, site, indent));
        edits.extend(marks);
        return;
    }
    let mut rest = made.items.split_off(made.items.len().min(1));
    let Some(own) = made.items.pop() else { return };
    if site.in_a_block {
        // The function of the user's comes first, and its siblings after it.
        let syn::Item::Impl(mut block) = own else {
            return;
        };
        let same = block
            .items
            .first()
            .is_some_and(|f| same(&bare, f, |text| syn::parse_str::<syn::ImplItem>(text).ok()));
        let siblings = block.items.split_off(1);
        if same {
            edits.extend(marks);
        } else {
            let text = print_members(&block.items, indent);
            edits.push(replaced(site.range.clone(), &text));
        }
        edits.push(Edit {
            range: end..end,
            text: format!("\n\n{indent}{}", print_members(&siblings, indent)),
        });
        return;
    }
    // Siblings stand in a block of their own, under attributes that are written once.
    let own = match own {
        syn::Item::Impl(mut block) if block.trait_.is_none() => {
            let written = syn::parse2::<syn::ItemImpl>(site.item.clone());
            let count = written.map_or(0, |written| written.items.len());
            let mut siblings = block.clone();
            siblings.attrs.clear();
            siblings.items = block.items.split_off(count.min(block.items.len()));
            if !siblings.items.is_empty() {
                rest.insert(0, syn::Item::Impl(siblings));
            }
            if let Ok(written) = syn::parse_str::<syn::ItemImpl>(&bare) {
                // Lifetimes have names only for what stands beside.
                block.generics = written.generics;
                block.self_ty = written.self_ty;
            }
            syn::Item::Impl(block)
        }
        own => own,
    };
    let as_item = |text: &str| syn::parse_str::<syn::Item>(text).ok();
    if same(&bare, &own, as_item) {
        edits.extend(marks);
    } else if let Some(members) = members_beside(&bare, &own) {
        // What is new stands at the end of the block.
        edits.extend(marks);
        let inner = format!("{indent}    ");
        let printed = indented(&members, &inner);
        let brace = end - 1;
        let line = source.text[..brace].trim_end_matches([' ', '\t']).len();
        let at = if source.text[..line].ends_with('\n') {
            line
        } else {
            brace
        };
        edits.push(Edit {
            range: at..at,
            text: format!("\n{printed}\n"),
        });
    } else {
        edits.retain(|edit| edit.range.start < site.range.start || edit.range.end > end);
        let text = print(vec![own], &[], indent);
        edits.push(replaced(site.range.clone(), text.trim_start()));
    }
    rest.retain(|item| !matches!(item, syn::Item::Macro(mac) if source::last_is(&mac.mac.path, "in_an_impl_block_write_grad_method")));
    edits.extend(behind(rest, site, indent));
}

/// Derivatives behind the item that they are of.
fn behind(items: Vec<syn::Item>, site: &Site, indent: &str) -> Option<Edit> {
    let printed = print(items, &site.conditions, indent);
    (!printed.is_empty()).then(|| Edit {
        range: site.range.end..site.range.end,
        text: format!("\n\n{printed}"),
    })
}

fn replaced(range: Range<usize>, text: &str) -> Edit {
    Edit {
        range,
        text: text.to_owned(),
    }
}

/// Whether a text means the same as what the compiler kept of it.
fn same<T: ToTokens>(text: &str, kept: &T, parse: impl Fn(&str) -> Option<T>) -> bool {
    parse(text).is_some_and(|parsed| flat(parsed.to_token_stream()) == flat(kept.to_token_stream()))
}

/// Tokens as text, without groups that nobody sees.
fn flat(tokens: TokenStream) -> String {
    fn add(tokens: TokenStream, out: &mut String) {
        for token in tokens {
            match token {
                TokenTree::Group(g) => {
                    let (open, close) = match g.delimiter() {
                        proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                        proc_macro2::Delimiter::Brace => ("{", "}"),
                        proc_macro2::Delimiter::Bracket => ("[", "]"),
                        proc_macro2::Delimiter::None => ("", ""),
                    };
                    out.push_str(open);
                    add(g.stream(), out);
                    out.push_str(close);
                }
                other => {
                    out.push_str(&other.to_string());
                    out.push(' ');
                }
            }
        }
    }
    let mut out = String::new();
    add(tokens, &mut out);
    out
}

/// The members that a block or a trait has more than the user wrote, printed, if that is all that is new.
fn members_beside(bare: &str, own: &syn::Item) -> Option<String> {
    let written = syn::parse_str::<syn::Item>(bare).ok()?;
    match (written, own.clone()) {
        (syn::Item::Impl(written), syn::Item::Impl(mut own)) => {
            let more = own
                .items
                .split_off(written.items.len().min(own.items.len()));
            let same = flat(written.to_token_stream()) == flat(own.to_token_stream());
            same.then(|| print_members(&more, ""))
        }
        (syn::Item::Trait(written), syn::Item::Trait(mut own)) => {
            let more = own
                .items
                .split_off(written.items.len().min(own.items.len()));
            let same = flat(written.to_token_stream()) == flat(own.to_token_stream());
            own.items = more;
            same.then(|| inside(&unparse(vec![syn::Item::Trait(own)])))
        }
        _ => None,
    }
}

fn print_members(items: &[syn::ImplItem], indent: &str) -> String {
    let block = syn::parse_quote!(impl __S { #(#items)* });
    indented(&inside(&unparse(vec![block])), indent)
        .trim_start()
        .to_owned()
}

/// What stands between the first brace and the last, moved to the left.
fn inside(block: &str) -> String {
    let lines: Vec<&str> = block.lines().collect();
    let head = lines
        .iter()
        .position(|line| line.ends_with('{'))
        .unwrap_or(0);
    let last = lines.len().saturating_sub(1).max(head + 1).min(lines.len());
    let lines = lines[(head + 1).min(last)..last].iter();
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix("    ").unwrap_or(line))
        .collect();
    lines.join("\n")
}

fn unparse(items: Vec<syn::Item>) -> String {
    prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items,
    })
}

/// Attributes that several members of a block have are written once, at the block.
fn hoist(block: &mut syn::ItemImpl) {
    fn attrs(item: &mut syn::ImplItem) -> Option<&mut Vec<syn::Attribute>> {
        match item {
            syn::ImplItem::Fn(f) => Some(&mut f.attrs),
            syn::ImplItem::Const(c) => Some(&mut c.attrs),
            _ => None,
        }
    }
    let all = block
        .items
        .iter_mut()
        .filter_map(|item| attrs(item).cloned());
    let allowed = all.flatten().filter(|a| a.path().is_ident("allow"));
    let allowed: Vec<syn::Attribute> = allowed.collect();
    let Some(most) = allowed
        .iter()
        .max_by_key(|a| allowed.iter().filter(|b| a == b).count())
    else {
        return;
    };
    if allowed.iter().filter(|a| *a == most).count() > 1 {
        for attrs in block.items.iter_mut().filter_map(attrs) {
            attrs.retain(|a| a != most);
        }
        block.attrs.push(most.clone());
    }
}

/// Items as text, each under the conditions of what they stand beside.
fn print(mut items: Vec<syn::Item>, conditions: &[syn::Attribute], indent: &str) -> String {
    for item in &mut items {
        if let syn::Item::Impl(block) = item {
            hoist(block);
        }
    }
    for item in items.iter_mut().filter(|_| !conditions.is_empty()) {
        let attrs = match item {
            syn::Item::Fn(x) => &mut x.attrs,
            syn::Item::Struct(x) => &mut x.attrs,
            syn::Item::Enum(x) => &mut x.attrs,
            syn::Item::Impl(x) => &mut x.attrs,
            syn::Item::Trait(x) => &mut x.attrs,
            syn::Item::Const(x) => &mut x.attrs,
            syn::Item::Static(x) => &mut x.attrs,
            syn::Item::Type(x) => &mut x.attrs,
            syn::Item::Use(x) => &mut x.attrs,
            syn::Item::Mod(x) => &mut x.attrs,
            syn::Item::Macro(x) => &mut x.attrs,
            _ => continue,
        };
        let new = conditions.iter().filter(|c| !attrs.contains(c)).cloned();
        let new: Vec<_> = new.collect();
        attrs.splice(0..0, new);
    }
    indented(unparse(items).trim_end(), indent)
}

/// A text moved to the right, unless that would change a literal of several lines.
fn indented(text: &str, indent: &str) -> String {
    let lines = text.trim_end().lines().map(|line| match line {
        "" => String::new(),
        line => format!("{indent}{line}"),
    });
    let moved = lines.collect::<Vec<_>>().join("\n");
    let tokens = |text: &str| text.parse::<TokenStream>().map(|t| t.to_string()).ok();
    if tokens(&moved) == tokens(text) {
        moved
    } else {
        text.trim_end().to_owned()
    }
}

/// The blanks in front of an item.
fn indent(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |k| k + 1);
    let blank = text[line..].find(|c: char| c != ' ' && c != '\t');
    &text[line..line + blank.unwrap_or(0).min(at - line)]
}

/// The deletions of what only the macros read, in an item.
fn marks(source: &Source, site: &Site) -> Vec<Edit> {
    struct Marks<'a> {
        source: &'a Source,
        range: &'a Range<usize>,
        derive: bool,
        edits: Vec<Edit>,
    }
    impl Marks<'_> {
        /// Whether an item is the marked one, or has it inside.
        fn around(&self, item: &syn::Item) -> bool {
            let range = source::range_of(item);
            range.start <= self.range.start && self.range.end <= range.end
        }
    }
    impl<'ast> Visit<'ast> for Marks<'_> {
        fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
            let range = source::range_of(attr);
            if range.start < self.range.start || range.end > self.range.end {
                return;
            }
            let names: &[&str] = if self.derive {
                &["constant", "differentiable"]
            } else {
                &["constant", "out", "checkpoint", "grad"]
            };
            if names.iter().any(|name| source::last_is(attr.path(), name)) {
                self.edits.push(Edit {
                    range: whole_line(&self.source.text, range),
                    text: String::new(),
                });
            } else if let (true, Some(paths)) = (self.derive, source::derives(attr)) {
                let rest: Vec<_> = paths
                    .iter()
                    .filter(|p| !source::last_is(p, "Differentiable"))
                    .collect();
                if rest.len() == paths.len() {
                    return;
                }
                let rest: Vec<String> = rest
                    .iter()
                    .map(|p| p.to_token_stream().to_string().replace(' ', ""))
                    .collect();
                self.edits.push(if rest.is_empty() {
                    Edit {
                        range: whole_line(&self.source.text, range),
                        text: String::new(),
                    }
                } else {
                    Edit {
                        range,
                        text: format!("#[derive({})]", rest.join(", ")),
                    }
                });
            }
        }

        // These have marks of their own.
        fn visit_block(&mut self, block: &'ast syn::Block) {
            for stmt in &block.stmts {
                let apart = matches!(stmt, syn::Stmt::Item(item) if !self.around(item));
                if !apart {
                    self.visit_stmt(stmt);
                }
            }
        }
    }
    let mut marks = Marks {
        source,
        range: &site.range,
        derive: matches!(site.mark, Mark::Derive),
        edits: Vec::new(),
    };
    marks.visit_file(&source.file);
    marks.edits
}

/// A range with the blanks behind it, as far as the next token or the end of its line.
fn whole_line(text: &str, range: Range<usize>) -> Range<usize> {
    let blank = text[range.end..]
        .find(|c: char| !c.is_whitespace())
        .unwrap_or(0);
    range.start..range.end + blank
}

/// Takes imports of the macros away, where nothing else needs them.
fn imports(source: &Source, edits: &mut Vec<Edit>) {
    struct Words {
        grad: bool,
        differentiable: bool,
    }
    impl<'ast> Visit<'ast> for Words {
        fn visit_item_use(&mut self, _: &'ast syn::ItemUse) {}

        fn visit_attribute(&mut self, attr: &'ast syn::Attribute) {
            if attr.path().is_ident("cfg_attr") {
                let text = attr.to_token_stream().to_string();
                self.grad |= text.contains("grad");
                self.differentiable |= text.contains("Differentiable");
            }
        }

        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.grad |= path.is_ident("grad");
            self.differentiable |= path
                .segments
                .first()
                .is_some_and(|s| s.ident == "Differentiable");
            visit::visit_path(self, path);
        }

        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            self.differentiable |= mac.tokens.to_string().contains("Differentiable");
        }
    }
    struct Uses<'a> {
        source: &'a Source,
        gone: Vec<&'static str>,
        edits: &'a mut Vec<Edit>,
    }
    impl<'ast> Visit<'ast> for Uses<'_> {
        fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
            let syn::UseTree::Path(path) = &item.tree else {
                return;
            };
            if path.ident != "autodiff" || !matches!(item.vis, syn::Visibility::Inherited) {
                return;
            }
            let range = source::range_of(item);
            let gone = |name: &syn::Ident| self.gone.iter().any(|gone| name == gone);
            match &*path.tree {
                syn::UseTree::Name(name) if gone(&name.ident) => self.edits.push(Edit {
                    range: whole_line(&self.source.text, range),
                    text: String::new(),
                }),
                syn::UseTree::Group(group) => {
                    let is = |tree: &&syn::UseTree| !matches!(tree, syn::UseTree::Name(name) if gone(&name.ident));
                    let rest: Vec<_> = group.items.iter().filter(is).collect();
                    if rest.len() == group.items.len() {
                        return;
                    }
                    let mut item = item.clone();
                    item.tree = match rest.as_slice() {
                        [one] => syn::parse_quote!(autodiff::#one),
                        rest => syn::parse_quote!(autodiff::{#(#rest),*}),
                    };
                    let edit = if rest.is_empty() {
                        Edit {
                            range: whole_line(&self.source.text, range),
                            text: String::new(),
                        }
                    } else {
                        let indent = indent(&self.source.text, range.start);
                        let text = print(vec![syn::Item::Use(item)], &[], indent);
                        replaced(range, text.trim())
                    };
                    self.edits.push(edit);
                }
                _ => {}
            }
        }
    }
    let mut words = Words {
        grad: false,
        differentiable: false,
    };
    words.visit_file(&source.file);
    let mut gone = Vec::new();
    if !words.grad {
        gone.push("grad");
    }
    if !words.differentiable {
        gone.push("Differentiable");
    }
    Uses {
        source,
        gone,
        edits,
    }
    .visit_file(&source.file);
}

/// The item without the marks that the derive reads.
fn unmarked(item: TokenStream) -> TokenStream {
    struct Unmark;
    impl VisitMut for Unmark {
        fn visit_attributes_mut(&mut self, attrs: &mut Vec<syn::Attribute>) {
            attrs.retain(|a| {
                !source::last_is(a.path(), "constant")
                    && !source::last_is(a.path(), "differentiable")
            });
        }
    }
    let Ok(mut item) = syn::parse2::<syn::Item>(item.clone()) else {
        return item;
    };
    Unmark.visit_item_mut(&mut item);
    item.into_token_stream()
}

/// A piece of a text with its changes; `start` is where it begins.
fn apply_within(text: &str, edits: &[Edit], start: usize) -> String {
    let moved = edits.iter().map(|edit| Edit {
        range: edit.range.start - start..edit.range.end - start,
        text: edit.text.clone(),
    });
    apply(text, moved.collect())
}

/// A text with its changes; of two at the same place the first given comes first.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::new();
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at {
            continue;
        }
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}
