//! Memory that the graph does not see: what is stored there would be lost to the derivative, so it is refused.

use quote::quote;

use super::expr::unparen;
use super::opaque::Bound;
use super::{Lower, Tree};
use crate::ir::Ty;
use crate::visit::{self, Enter as _, Visit};
use crate::{desugar, facts, own_names, types};

/// Methods that lend what their receiver keeps, and what to do instead.
const LENDING: &[(&str, &str)] = &[
    (
        "lock",
        "shared state cannot be differentiated; pass the value in as a parameter and return the new one",
    ),
    (
        "try_lock",
        "shared state cannot be differentiated; pass the value in as a parameter and return the new one",
    ),
    (
        "write",
        "shared state cannot be differentiated; pass the value in as a parameter and return the new one",
    ),
    (
        "borrow_mut",
        "a `RefCell` hides its value from differentiation; use a `let mut` variable",
    ),
    (
        "entry",
        "a map hides its values from differentiation; use a `Vec` or an array and an index",
    ),
    (
        "get_mut",
        "a reference out of a call cannot be followed; write through an index",
    ),
];

/// Methods by which a value disappears in their receiver.
const STORING: &[&str] = &[
    "set",
    "replace",
    "store",
    "swap",
    "insert",
    "push",
    "push_back",
    "push_front",
    "get_or_insert",
    "fetch_add",
    "write",
];

/// Whether a method of this name may make a value disappear in its receiver.
pub(super) fn stores(method: &str) -> bool {
    STORING.contains(&method)
}

/// Why what this method returns cannot be written through.
pub(super) fn lending(name: &str) -> Option<&'static str> {
    match LENDING.iter().find(|(lending, _)| *lending == name) {
        Some((_, why)) => Some(why),
        None if name.ends_with("_mut") => {
            Some("a reference out of a call cannot be followed; write through an index")
        }
        None => None,
    }
}

/// Methods of what `entry` yields, of which some yield it again.
const OF_ENTRIES: &[&str] = &[
    "and_modify",
    "insert_entry",
    "or_default",
    "or_insert",
    "or_insert_with",
    "or_insert_with_key",
];

/// The call of `entry` whose result this is a method of, and why it cannot be followed.
pub(super) fn entry(e: &syn::ExprMethodCall) -> Option<(&syn::ExprMethodCall, &'static str)> {
    let syn::Expr::MethodCall(receiver) = unparen(&e.receiver) else {
        return None;
    };
    if !OF_ENTRIES.iter().any(|name| e.method == name) {
        return None;
    }
    if receiver.method == "entry" {
        return Some((receiver, lending("entry")?));
    }
    entry(receiver)
}

/// Whether a method lends what is in its receiver: `groups.entry(k).or_default()`, `lists.get_mut(&k).unwrap()`.
pub(super) fn is_lent_by_method(e: &syn::Expr) -> bool {
    let syn::Expr::MethodCall(m) = unparen(e) else {
        return false;
    };
    entry(m).is_some() || lending(&m.method.to_string()).is_some() || is_lent_by_method(&m.receiver)
}

/// The message for a type that hides an active value.
pub(super) fn message(name: &str) -> String {
    match name {
        "HashMap" | "BTreeMap" | "HashSet" | "BTreeSet" | "BinaryHeap" | "VecDeque"
        | "LinkedList" => {
            format!(
                "`{name}` hides its active values from differentiation; use a `Vec` or an array and an index"
            )
        }
        _ => format!(
            "`{name}` hides an active value from differentiation; use a `let mut` variable, an array or a `Vec`"
        ),
    }
}

/// The first hiding type named in code.
#[derive(Default)]
struct Hiding(Option<syn::Ident>);

impl<'ast> Visit<'ast> for Hiding {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        let shows = segment.ident == "Box" && !types::hides(segment);
        if self.0.is_none() && types::is_hiding(&segment.ident.to_string()) && !shows {
            self.0 = Some(segment.ident.clone());
        }
        visit::visit_path_segment(self, segment);
    }
}

/// The first method in code that lends what its receiver keeps.
#[derive(Default)]
struct Lending(Option<(syn::Ident, &'static str)>);

impl<'ast> Visit<'ast> for Lending {
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        visit::visit_expr_method_call(self, e);
        if self.0.is_none() {
            self.0 = lending(&e.method.to_string()).map(|why| (e.method.clone(), why));
        }
    }
}

/// What code borrows mutably.
#[derive(Default)]
struct Exclusive {
    lent: Vec<syn::ExprReference>,
    /// What a call takes out, and hands over by value.
    taken: Vec<syn::ExprReference>,
}

impl<'ast> Visit<'ast> for Exclusive {
    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        let mut args = e.args.iter();
        self.visit_expr(&e.func);
        if facts::takes_out(&e.func) {
            if let Some(syn::Expr::Reference(r)) = args.next() {
                self.taken.push(r.clone());
            }
        }
        args.for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
        if e.mutability.is_some() {
            self.lent.push(e.clone());
        }
        visit::visit_expr_reference(self, e);
    }
}

/// The names that an item of the body brings into scope.
pub(super) fn declared(item: &syn::Item) -> Vec<syn::Ident> {
    fn used(tree: &syn::UseTree, out: &mut Vec<syn::Ident>) {
        match tree {
            syn::UseTree::Path(path) => used(&path.tree, out),
            syn::UseTree::Rename(rename) => out.push(rename.rename.clone()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| used(tree, out)),
            _ => {}
        }
    }
    match item {
        syn::Item::Enum(i) => vec![i.ident.clone()],
        syn::Item::Struct(i) => vec![i.ident.clone()],
        syn::Item::Trait(i) => vec![i.ident.clone()],
        syn::Item::Type(i) => vec![i.ident.clone()],
        syn::Item::Union(i) => vec![i.ident.clone()],
        syn::Item::Use(i) => {
            let mut out = Vec::new();
            used(&i.tree, &mut out);
            out
        }
        _ => Vec::new(),
    }
}

/// Methods that only lists have, and that cannot be followed.
pub(super) fn is_of_lists(method: &str) -> bool {
    const OF_LISTS: &[&str] = &[
        "chunk_by",
        "chunk_by_mut",
        "rsplit",
        "rsplitn",
        "split_at_checked",
        "split_at_mut_checked",
        "split_inclusive",
        "splitn",
    ];
    OF_LISTS.contains(&method)
}

impl Lower<'_> {
    /// Whether a variable that a pattern binds may hold something active.
    fn binds_active(&self, pattern: &syn::Pat) -> bool {
        let mut bound = Bound::default();
        bound.visit_pat(pattern);
        bound
            .0
            .iter()
            .any(|name| self.facts.get(&name.to_string()).is_some_and(|v| v.active))
    }

    /// The variable among those a pattern binds that is written through although it is not `mut`: a reference.
    pub(super) fn written_reference(&self, pattern: &syn::Pat) -> Option<syn::Ident> {
        let mut bound = Bound::default();
        bound.visit_pat(pattern);
        bound.0.into_iter().find(|name| {
            self.facts.get(&name.to_string()).is_some_and(|v| {
                // What is there itself is only read, perhaps in turn with something active.
                let owned = matches!(v.ty, Ty::Array(..) | Ty::Vec(_) | Ty::Float(_));
                v.active && !v.mutable && !owned
            })
        })
    }

    /// After an error, what the variables of a pattern stand for is not known.
    pub(super) fn poison(&mut self, pattern: &syn::Pat) {
        let mut bound = Bound::default();
        bound.visit_pat(pattern);
        self.poisoned
            .extend(bound.0.iter().map(ToString::to_string));
    }

    /// Refuses `let m: HashMap<…> = …` where something active gets into `m`.
    pub(super) fn hides_by_type(&mut self, pattern: &syn::Pat) -> bool {
        let syn::Pat::Type(typed) = pattern else {
            return false;
        };
        let mut hiding = Hiding::default();
        hiding.visit_type(&typed.ty);
        match hiding.0 {
            Some(name) if self.binds_active(pattern) => {
                self.errors.error(&name, message(&name.to_string()));
                true
            }
            _ => false,
        }
    }

    /// Refuses `let r = CODE` where CODE is inactive, but something active is stored through `r`.
    pub(super) fn hides_memory(&mut self, pattern: &syn::Pat, e: &syn::Expr) -> bool {
        if !self.binds_active(pattern) || self.is_structural(e) {
            return false;
        }
        let mut hiding = Hiding::default();
        hiding.visit_expr(e);
        if let Some(name) = hiding.0 {
            self.errors.error(&name, message(&name.to_string()));
            return true;
        }
        let mut lending = Lending::default();
        lending.visit_expr(e);
        if let Some((method, why)) = lending.0 {
            self.errors
                .error(&method, format_args!("method `{method}`: {why}"));
            return true;
        }
        // What names no variable refers to none.
        let refers = facts::mentions(e, &|name| self.env.contains_key(name));
        let written = self.written_reference(pattern).filter(|_| refers);
        let mut exclusive = Exclusive::default();
        exclusive.visit_expr(e);
        let owned = |r: &syn::ExprReference| {
            matches!(
                self.facts.ty(&r.expr),
                Ty::Array(..) | Ty::Vec(_) | Ty::Float(_)
            )
        };
        exclusive.taken.retain(|r| !owned(r));
        let mut borrowed = exclusive.lent.into_iter().chain(exclusive.taken);
        let lent = borrowed.find(|r| {
            written.is_some()
                || matches!(
                    self.facts.ty(&r.expr),
                    Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_) | Ty::Float(_)
                )
        });
        if let (Some(reference), false) = (&lent, matches!(e, syn::Expr::Reference(_))) {
            self.errors.error(reference, "something active is written through this reference, which cannot be followed; write through the variable or an index");
            return true;
        }
        if let (Some(name), false) = (written, matches!(e, syn::Expr::Reference(_))) {
            self.errors.error(e, format_args!("something active is written through `{name}`, which refers to memory that the macro cannot follow; write through an index"));
            return true;
        }
        false
    }

    /// Refuses a variable that is a tuple with `&mut` references in it: writes through them would go to a copy.
    pub(super) fn refuse_references(&mut self, p: &syn::PatIdent, tree: &Tree) -> bool {
        fn exclusive(cx: &Lower<'_>, tree: &Tree) -> bool {
            match tree {
                Tree::View(path) => cx.func.at(path.root).mutable,
                Tree::Tuple(parts) => parts.iter().any(|part| exclusive(cx, part)),
                _ => false,
            }
        }
        let refused = matches!(tree, Tree::Tuple(_)) && exclusive(self, tree);
        if refused {
            self.errors.error(p, format_args!("`{}` is a tuple of references, which cannot be written through; take it apart: `let (a, b) = …`", p.ident));
        }
        refused
    }

    /// Refuses an assignment to what is no place of the graph.
    pub(super) fn refuse_target(&mut self, left: &syn::Expr) {
        if self.is_poisoned(left) {
            return;
        }
        let mut lending = Lending::default();
        lending.visit_expr(left);
        if let Some((method, why)) = lending.0 {
            self.errors
                .error(&method, format_args!("method `{method}`: {why}"));
            return;
        }
        self.errors.error(
            left,
            "this is not a place the macro can follow; assign to a variable, an element or a field",
        );
    }

    /// Makes rustc check that a function of a name of the standard library is the one of that library.
    pub(super) fn check_standard(&mut self, func: &syn::ExprPath, standard: &syn::Expr) {
        if let Some(check) = desugar::check_standard(&func.path, standard) {
            self.verbatim_statement(&syn::parse_quote!({ #check }));
        }
    }

    /// Makes rustc check that a function named `stop_gradient` or `with_cotangent` is the one of this library.
    pub(super) fn check_ours(&mut self, func: &syn::ExprPath) {
        let path = &func.path;
        let first = path.segments.first().map(|s| s.ident.to_string());
        let ours = path.segments.len() > 1 && matches!(first.as_deref(), Some("autodiff" | "rt"));
        if ours || path.leading_colon.is_some() {
            return;
        }
        let last = path.segments.last();
        let watches = last.is_some_and(|s| s.ident == "with_cotangent");
        let closure = watches.then(|| quote!(, fn(&mut ())));
        self.verbatim_statement(
            &syn::parse_quote!({ let _: fn(rt::OfAutodiff #closure) -> rt::OfAutodiff = #func; }),
        );
    }

    /// Refuses a method that is known as one of numbers, on what is certainly none.
    pub(super) fn refuse_no_number(&mut self, e: &syn::ExprMethodCall) -> Option<Tree> {
        let ty = self.facts.ty(&e.receiver);
        let list = matches!(
            ty,
            Ty::Tuple(_) | Ty::Option(_) | Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_)
        );
        let method = own_names::checked(&e.method.to_string()).to_owned();
        (list && !ty.is_inert()).then(|| {
            self.refuse(&e.method, format_args!("method `{method}` of what is no number has no derivative rule; write it as a #[grad] function and call it as `{method}(…)`"))
        })
    }

    /// Refuses a length that is not that of an array, slice or `Vec`.
    pub(super) fn refuse_length(&mut self, method: &syn::Ident, ty: &Ty) -> Option<Tree> {
        matches!(ty, Ty::Tuple(_) | Ty::Float(_)).then(|| {
            self.refuse(method, format_args!("method `{method}` has no derivative rule; write it as a #[grad] function and call it as `{method}(…)`"))
        })
    }
}
