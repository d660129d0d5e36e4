//! How many lines the expansion has, as it would be formatted, and which of its functions have them.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A name, the expansion, and the lines that it may have.
type Case = (&'static str, fn() -> TokenStream, usize);

fn parse(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The expansion as rustc has it: what `with_alloc!` and the like hold stands where they stand, with all features on.
fn settled(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            out.push(token);
            continue;
        };
        let inner = settled(group.stream());
        let name = match out.as_slice() {
            [.., TokenTree::Ident(name), TokenTree::Punct(bang)] if bang.as_char() == '!' => {
                name.to_string()
            }
            _ => String::new(),
        };
        let kept = name.starts_with("with_");
        let gone = name.starts_with("without_") || name == "in_an_impl_block_write_grad_method";
        if (kept || gone) && group.delimiter() == Delimiter::Brace {
            out.truncate(out.len() - 2);
            while matches!(out.as_slice(), [.., TokenTree::Punct(a), TokenTree::Punct(b)] if a.as_char() == ':' && b.as_char() == ':')
            {
                out.truncate(out.len() - 2);
                if matches!(out.last(), Some(TokenTree::Ident(_))) {
                    out.pop();
                }
            }
            if kept {
                out.extend(inner);
            }
            continue;
        }
        out.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
    }
    out.into_iter().collect()
}

/// The lines of a file, as it would be formatted.
fn lines(file: &syn::File) -> usize {
    prettyplease::unparse(file).lines().count()
}

fn file(item: syn::Item) -> syn::File {
    syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item],
        frontmatter: None,
    }
}

/// Adds what an item has, under the names of its functions.
fn count(item: &syn::Item, of: &str, found: &mut BTreeMap<String, usize>) {
    let mut add = |name: String, lines: usize| *found.entry(name).or_default() += lines;
    match item {
        syn::Item::Const(c) => {
            if let syn::Expr::Block(block) = &*c.expr {
                for stmt in &block.block.stmts {
                    if let syn::Stmt::Item(item) = stmt {
                        count(item, of, found);
                    }
                }
                let mut shell = c.clone();
                shell.expr = Box::new(syn::parse_quote!({}));
                *found.entry("(const)".into()).or_default() +=
                    lines(&file(syn::Item::Const(shell)));
            }
        }
        syn::Item::Impl(block) => {
            let mut shell = block.clone();
            let items = std::mem::take(&mut shell.items);
            let around = lines(&file(syn::Item::Impl(shell.clone())));
            let name = block.trait_.as_ref().map_or_else(
                || "(impl)".to_owned(),
                |(path, _)| {
                    format!(
                        "impl {}",
                        path.segments
                            .last()
                            .map_or(String::new(), |s| s.ident.to_string())
                    )
                },
            );
            add(name.clone(), around);
            for item in items {
                let mut alone = shell.clone();
                alone.items = vec![item.clone()];
                let size = lines(&file(syn::Item::Impl(alone))) - around;
                let name = match (&item, &block.trait_) {
                    (syn::ImplItem::Fn(f), None) => {
                        let name = f.sig.ident.to_string();
                        name.replace(&format!("_{of}"), "")
                            .replace(&format!("{of}_"), "")
                    }
                    _ => name.clone(),
                };
                add(name, size);
            }
        }
        other => {
            let text = prettyplease::unparse(&file(other.clone()));
            let first = match other {
                syn::Item::Struct(i) => format!("struct {}", i.ident),
                syn::Item::Fn(i) => format!("fn {}", i.sig.ident),
                syn::Item::Use(_) => "use".to_owned(),
                _ => text
                    .lines()
                    .find(|l| !l.starts_with('#'))
                    .unwrap_or("")
                    .to_owned(),
            };
            add(first, text.lines().count());
        }
    }
}

/// The lines of an expansion, by what has them; the largest first.
fn report(what: &str, of: &str, tokens: TokenStream) -> usize {
    let expansion: syn::File =
        syn::parse2(settled(tokens)).unwrap_or_else(|e| panic!("{what}: {e}"));
    // The text itself, for who wants to read it.
    if let Ok(folder) = std::env::var("AUTODIFF_SIZES") {
        let path = format!("{folder}/{}.rs", what.replace(' ', "_"));
        let _ = std::fs::write(path, prettyplease::unparse(&expansion));
    }
    let mut found = BTreeMap::new();
    for item in &expansion.items {
        count(item, of, &mut found);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, lines)| std::cmp::Reverse(*lines));
    let text = prettyplease::unparse(&expansion);
    let all = text.lines().count();
    let docs = text
        .lines()
        .filter(|l| l.trim_start().starts_with("///"))
        .count();
    println!("{what}: {all} lines, of these {docs} of documentation");
    println!(
        "  {}",
        found
            .iter()
            .map(|(name, lines)| format!("{name} {lines}"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    all
}

const ROSENBROCK: &str = "/// r
pub fn rosenbrock(x: f64, y: f64) -> f64 { let a = 1.0 - x; let b = y - x * x; a * a + 100.0 * b * b }";

fn free(args: &str) -> TokenStream {
    crate::expand::grad(parse(args), parse(ROSENBROCK))
}

fn method() -> TokenStream {
    let item = "/// c
        #[derive(Clone, Debug)] pub struct Spring { pub k: f64, pub rest: f64, pub name: u32 }";
    let block = "impl Spring { pub fn energy(&self, x: f64) -> f64 { let d = x - self.rest; 0.5 * self.k * d * d } }";
    let mut out = parse(item);
    out.extend(crate::differentiable(parse(item)));
    out.extend(crate::expand::grad(TokenStream::new(), parse(block)));
    out
}

fn fallible() -> TokenStream {
    let item =
        "pub fn rosenbrock(x: f64, y: f64) -> Result<f64, String> { let a = root(x)?; Ok(a * y) }";
    crate::expand::grad(TokenStream::new(), parse(item))
}

#[test]
fn of_functions_and_methods() {
    let cases: [Case; 4] = [
        ("fallible function", fallible, 1129),
        ("free function", || free(""), 297),
        ("free function of order 2", || free("order = 2"), 721),
        ("method and derive", method, 757),
    ];
    for (what, expand, most) in cases {
        let of = if what.starts_with("method") {
            "energy"
        } else {
            "rosenbrock"
        };
        let lines = report(what, of, expand());
        assert!(lines <= most, "{what}: {lines} lines, and {most} may be");
    }
}
