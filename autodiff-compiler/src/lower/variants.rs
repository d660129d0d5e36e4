//! Patterns of enums and structs where something active is matched.
//!
//! Rustc tests the pattern, on a reference; what its variables stand for is taken out in the arm, as fields of the variant that is there.

use std::collections::BTreeSet;

use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::VisitMut;

use super::{Lower, alternatives};
use crate::ir::Part;
use crate::names;
use crate::syntax;
use crate::types;

impl Lower<'_> {
    /// A field of what a path constructs: of a struct, or of a variant.
    pub(super) fn part_of(&self, path: &syn::Path, member: &syn::Member) -> Part {
        match self.variant(path) {
            Some(variant) => Part::of(variant, path, member),
            None => Part::from(member),
        }
    }

    /// The same of the tangent of what a path constructs: a name that stands alone may be that of a variant that was imported.
    pub(super) fn part_of_tangent(path: &syn::Path, part: &Part) -> Part {
        match (part, path.segments.first()) {
            (Part::At(_) | Part::Named(_), Some(name))
                if path.segments.len() == 1 && name.ident != crate::types::OWNER =>
            {
                Part::of(&name.ident, path, &syn::parse_quote!(#part))
            }
            _ => part.clone(),
        }
    }

    /// The variant that a path names: `Shape::Circle`, or `Circle` where a `match` shows that it is one of several.
    pub(super) fn variant<'p>(&self, path: &'p syn::Path) -> Option<&'p syn::Ident> {
        types::variant(path).or_else(|| {
            path.get_ident()
                .filter(|i| self.lone.contains(&i.to_string()))
        })
    }

    /// Whether a pattern asks for a variant of an enum, whatever holds the enum.
    pub(super) fn names_variant(&self, pat: &syn::Pat) -> bool {
        let path = match pat {
            syn::Pat::Struct(p) => &p.path,
            syn::Pat::TupleStruct(p) => &p.path,
            syn::Pat::Path(p) => &p.path,
            syn::Pat::Guard(p) => return self.names_variant(&p.pat),
            syn::Pat::Paren(p) => return self.names_variant(&p.pat),
            syn::Pat::Or(p) => return p.cases.iter().any(|pat| self.names_variant(pat)),
            syn::Pat::Ident(p) => {
                let inside = p.subpat.as_ref();
                return inside.is_some_and(|(_, pat)| self.names_variant(pat));
            }
            _ => return false,
        };
        self.variant(path).is_some()
    }
}

/// Variants that are named alone in the patterns of a body, without their enum.
///
/// Of a struct there is nothing to choose from: a pattern that takes it apart and always matches stands with no other.
pub(super) fn lone(body: &syn::Block) -> BTreeSet<String> {
    #[derive(Default)]
    struct Lone(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Lone {
        fn visit_item(&mut self, _: &'ast syn::Item) {}

        fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
            fn plain(p: &syn::Pat) -> (&syn::Pat, bool) {
                match p {
                    syn::Pat::Guard(p) => (&p.pat, true),
                    p => (p, false),
                }
            }
            let pats: Vec<_> = e
                .arms
                .iter()
                .flat_map(|arm| alternatives::pattern(&arm.pat))
                .collect();
            let arms: Vec<_> = pats.iter().map(plain).collect();
            let named: BTreeSet<String> = arms.iter().filter_map(|(p, _)| alone(p)).collect();
            let one = arms
                .iter()
                .find(|(p, guarded)| alone(p).is_some() && (*guarded || !always_inside(p)));
            let several = named.len() > 1 || arms.iter().any(|(p, _)| is_other(p));
            if several || arms.len() > 1 && one.is_none() {
                self.0.extend(named);
            }
            visit::visit_expr_match(self, e);
        }
    }
    let mut lone = Lone::default();
    lone.visit_block(body);
    lone.0
}

/// The only segment of the path of a pattern that takes something apart.
fn alone(p: &syn::Pat) -> Option<String> {
    let path = match p {
        syn::Pat::Struct(p) => &p.path,
        syn::Pat::TupleStruct(p) => &p.path,
        syn::Pat::Reference(p) => return alone(&p.pat),
        syn::Pat::Paren(p) => return alone(&p.pat),
        _ => return None,
    };
    let name = path.get_ident()?.to_string();
    (!matches!(name.as_str(), "Some" | "Ok" | "Err")).then_some(name)
}

/// A variant without fields, or one named with its enum.
fn is_other(p: &syn::Pat) -> bool {
    match p {
        syn::Pat::Ident(p) => syntax::is_constant(p) && p.ident != "None",
        syn::Pat::Path(_) => true,
        _ => false,
    }
}

/// Whether what stands in a pattern always matches.
fn always_inside(p: &syn::Pat) -> bool {
    match p {
        syn::Pat::Struct(p) => p.fields.iter().all(|f| names::always_matches(&f.pat)),
        syn::Pat::TupleStruct(p) => p.elems.iter().all(names::always_matches),
        syn::Pat::Reference(p) => always_inside(&p.pat),
        syn::Pat::Paren(p) => always_inside(&p.pat),
        _ => true,
    }
}

/// Whether a pattern asks for a variant of an enum of the user's own, or takes a struct apart.
pub(super) fn constructs(pat: &syn::Pat) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_pat_struct(&mut self, _: &'ast syn::PatStruct) {
            self.0 = true;
        }

        fn visit_pat_tuple_struct(&mut self, p: &'ast syn::PatTupleStruct) {
            self.0 |= !is_some(p);
            visit::visit_pat_tuple_struct(self, p);
        }

        fn visit_path(&mut self, path: &'ast syn::Path) {
            self.0 |= types::variant(path).is_some();
        }

        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    let mut find = Find(false);
    find.visit_pat(pat);
    find.0
}

/// `Some(p)`
pub(super) fn is_some(p: &syn::PatTupleStruct) -> bool {
    p.elems.len() == 1 && p.path.segments.last().is_some_and(|s| s.ident == "Some")
}

/// The pattern with `_` for every name of a constant, which only tests.
pub(super) fn binding(pat: &syn::Pat) -> syn::Pat {
    struct Binding;
    impl VisitMut for Binding {
        fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
            crate::visit_mut::visit_pat_mut(self, pat);
            if matches!(pat, syn::Pat::Ident(p) if syntax::is_constant(p)) {
                *pat = syn::parse_quote!(_);
            }
        }
    }
    let mut pat = pat.clone();
    Binding.visit_pat_mut(&mut pat);
    pat
}

/// What is wrong with a pattern behind a `..`.
pub(super) const BEHIND: &str =
    "the parts behind a `..` cannot be counted; write `_` for each part that is not used";

/// A pattern behind a `..` in a tuple struct or variant.
pub(super) fn behind_rest(pat: &syn::Pat) -> Option<&syn::Pat> {
    struct Find<'ast>(Option<&'ast syn::Pat>);
    impl<'ast> Visit<'ast> for Find<'ast> {
        fn visit_pat_tuple_struct(&mut self, p: &'ast syn::PatTupleStruct) {
            let rest = |p: &&syn::Pat| !matches!(p, syn::Pat::Rest(_));
            let behind = p.elems.iter().skip_while(rest).nth(1);
            self.0 = self.0.or(behind);
            visit::visit_pat_tuple_struct(self, p);
        }

        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    let mut find = Find(None);
    find.visit_pat(pat);
    find.0
}

/// The variables that a pattern binds without `ref`.
pub(super) fn bound_by_value(pat: &syn::Pat) -> Vec<String> {
    #[derive(Default)]
    struct Names(Vec<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            if p.by_ref.is_none() {
                self.0.push(p.ident.to_string());
            }
            visit::visit_pat_ident(self, p);
        }

        fn visit_expr(&mut self, _: &'ast syn::Expr) {}
    }
    let mut names = Names::default();
    names.visit_pat(pat);
    names.0
}

/// The pattern with `_` for every variable.
pub(super) fn unnamed(pat: &syn::Pat) -> syn::Pat {
    struct Unnamed;
    impl VisitMut for Unnamed {
        fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
            crate::visit_mut::visit_pat_mut(self, pat);
            if let syn::Pat::Ident(p) = pat {
                if !syntax::is_constant(p) {
                    *pat = match p.subpat.take() {
                        Some((_, inner)) => *inner,
                        None => syn::parse_quote!(_),
                    };
                }
            }
        }

        fn visit_field_pat_mut(&mut self, f: &mut syn::FieldPat) {
            f.colon_token.get_or_insert_default();
            crate::visit_mut::visit_field_pat_mut(self, f);
        }
    }
    let mut pat = pat.clone();
    Unnamed.visit_pat_mut(&mut pat);
    pat
}
