//! The order of the rooms, which `ARCHITECTURE.md` names: each uses only those before it.

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::visit::{self, Enter as _, Other, Visit};

/// Where each room stands, by its name; rooms that `+` joins stand at one place.
fn places(text: &str) -> FxHashMap<String, usize> {
    let block = text.split("```rooms\n").nth(1).expect("the order of rooms");
    let block = block.split("```").next().unwrap_or_default();
    let lines = block.lines().filter_map(|line| line.split_once(' '));
    let rooms = lines.flat_map(|(_, rooms)| rooms.split_whitespace());
    let at = rooms.enumerate();
    at.flat_map(|(at, rooms)| rooms.split('+').map(move |room| (room.to_owned(), at)))
        .collect()
}

/// The rooms that a file names by `crate::`.
struct Named(BTreeSet<String>);

impl Named {
    fn tree(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => drop(self.0.insert(path.ident.to_string())),
            syn::UseTree::Name(name) => drop(self.0.insert(name.ident.to_string())),
            syn::UseTree::Rename(name) => drop(self.0.insert(name.ident.to_string())),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree)),
            syn::UseTree::Glob(_) => {}
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments[0].ident == "crate" {
            let room = path.segments.iter().nth(1);
            self.0.extend(room.map(|s| s.ident.to_string()));
        }
        visit::visit_path(self, path);
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ItemMod(item) => {
                // Tests look at anything.
                if !item.attrs.iter().any(|a| a.path().is_ident("cfg")) {
                    Other::ItemMod(item).walk(self);
                }
            }
            Other::ItemUse(item) => {
                if let syn::UseTree::Path(path) = &item.tree {
                    if path.ident == "crate" {
                        self.tree(&path.tree);
                    }
                }
            }
            other => other.walk(self),
        }
    }
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, out),
            path => out.push(path),
        }
    }
}

#[test]
fn each_room_uses_those_before_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let places = places(&text);
    let source = root.join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    let apart = ["fuzz", "lib", "testing", "tests"];
    let mut wrong = Vec::new();
    for path in all {
        let inside = path.strip_prefix(&source).expect("a file of the crate");
        let first = inside.iter().next().map(Path::new).expect("a name");
        let room = first.with_extension("").display().to_string();
        if apart.contains(&room.as_str()) {
            continue;
        }
        let Some(at) = places.get(&room) else {
            wrong.push(format!("{room} has no place in the order"));
            continue;
        };
        let text = fs::read_to_string(&path).expect("a file");
        let mut named = Named(BTreeSet::new());
        named.visit_file(&syn::parse_file(&text).expect("Rust"));
        for other in named.0.iter().filter(|other| **other != room) {
            if places.get(other).is_none_or(|place| place > at) {
                wrong.push(format!("{} uses {other}", inside.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "against the order of ARCHITECTURE.md:\n{}",
        wrong.join("\n")
    );
}
