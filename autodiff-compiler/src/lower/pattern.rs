//! Patterns that always match.

use quote::{ToTokens, quote, quote_spanned};

use super::opaque::Bound;
use super::variants::{self, is_some};
use super::{Binding, Lower, Tree};
use crate::ir::{Kind, Opaque, Part, Path, Step, Ty, Value};
use crate::types;
use crate::visit::Enter as _;

impl Lower<'_> {
    /// As `bind`; `lending` if what is bound is a `&mut` reference or has one in it.
    pub(super) fn bind_lent(&mut self, pattern: &syn::Pat, tree: Tree, lending: bool) {
        let outside = std::mem::replace(&mut self.lending, lending);
        self.bind(pattern, tree);
        self.lending = outside;
    }

    /// Binds the variables of a pattern to the parts of a tree.
    pub(super) fn bind(&mut self, pattern: &syn::Pat, tree: Tree) {
        match pattern {
            syn::Pat::Ident(p) => {
                if p.by_ref.is_some() {
                    self.refuse_reference_to_copy(p, &tree);
                    let path = self.path(tree);
                    if p.mutability.is_some() {
                        self.func.at_mut(path.root).mutable = true;
                    }
                    self.env.insert(p.ident.to_string(), Binding::View(path));
                    return;
                }
                match &p.subpat {
                    Some((_, inner)) if matches!(tree, Tree::View(_) | Tree::Value(_)) => {
                        self.bind_name(p, tree.clone());
                        self.bind(inner, tree);
                    }
                    Some((at, _)) => {
                        self.errors.error(at, "`@` is not supported here; bind the parts in a second `let`");
                    }
                    None => self.bind_name(p, tree),
                }
            }
            syn::Pat::Wild(_) => {}
            syn::Pat::Paren(p) => self.bind(&p.pat, tree),
            syn::Pat::Type(p) => {
                let before = self.func.values.len();
                let tree = self.as_declared(tree, &p.ty);
                self.bind(&p.pat, tree);
                self.ascribe(&p.pat, &p.ty, before);
            }
            syn::Pat::Reference(p) => match tree {
                Tree::View(path) => self.bind(&p.pat, Tree::Place(path)),
                Tree::Either(either) => self.bind(&p.pat, either.placed()),
                other => self.bind(&p.pat, other),
            },
            syn::Pat::Tuple(p) => self.bind_tuple(p, tree),
            syn::Pat::Slice(p) => self.bind_slice(p, tree),
            syn::Pat::Struct(p) => {
                let fields = p.fields.iter();
                let fields = fields.map(|f| (self.part_of(&p.path, &f.member), &*f.pat)).collect();
                self.bind_fields(fields, tree);
            }
            syn::Pat::TupleStruct(p) if is_some(p) => {
                if let Tree::View(path) = &tree {
                    let inside = path.then(Step::Field(Part::payload()));
                    if self.lending || !self.func.path_ty(&inside).is_plain() {
                        return self.bind(&p.elems[0], Tree::View(inside));
                    }
                }
                let option = self.value(tree);
                let payload = self.payload_of(option);
                self.bind(&p.elems[0], Tree::Value(payload));
            }
            syn::Pat::TupleStruct(p) => {
                if let Some(behind) = variants::behind_rest(pattern) {
                    self.errors.error(behind, variants::BEHIND);
                    return;
                }
                let fields = p.elems.iter().filter(|p| !is_rest(p)).enumerate();
                let part = |k| self.part_of(&p.path, &syn::Member::from(k));
                let fields = fields.map(|(k, p)| (part(k), p)).collect();
                self.bind_fields(fields, tree);
            }
            // What only tests binds nothing.
            syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_) | syn::Pat::Const(_) => {}
            syn::Pat::Or(p) => {
                let mut bound = Bound::default();
                bound.visit_pat_or(p);
                if let Some(name) = bound.0.first() {
                    self.errors.error(name, "a variable in an or-pattern over active values can be followed in a `match` only; write one, or `if let`");
                }
            }
            other => self.errors.error(other, "this pattern is not supported where active values are involved; bind the parts by name"),
        }
    }

    /// Binds an item of a constant sequence that nothing changes: what may not be copied is left where it lies.
    pub(super) fn bind_constant(&mut self, pattern: &syn::Pat, tree: Tree) {
        match (pattern, tree) {
            (syn::Pat::Paren(p), tree) => self.bind_constant(&p.pat, tree),
            (syn::Pat::Type(p), Tree::Place(path)) if !self.func.path_ty(&path).is_plain() => {
                self.bind_constant(&p.pat, Tree::Place(path));
            }
            (syn::Pat::Tuple(p), Tree::Tuple(parts))
                if p.elems.len() == parts.len() && !p.elems.iter().any(is_rest) =>
            {
                for (elem, part) in p.elems.iter().zip(parts) {
                    self.bind_constant(elem, part);
                }
            }
            (syn::Pat::Tuple(p), Tree::Place(path)) if !p.elems.iter().any(is_rest) => {
                for (k, elem) in p.elems.iter().enumerate() {
                    let part = path.then(Step::Field(k.into()));
                    self.bind_constant(elem, Tree::Place(part));
                }
            }
            (syn::Pat::Ident(p), Tree::Place(path))
                if p.by_ref.is_none()
                    && p.mutability.is_none()
                    && p.subpat.is_none()
                    && !self.func.path_ty(&path).is_plain()
                    && self
                        .facts
                        .get(&p.ident.to_string())
                        .is_some_and(|v| !v.active) =>
            {
                self.env.insert(p.ident.to_string(), Binding::Place(path));
            }
            (pattern, tree) => self.bind(pattern, tree),
        }
    }

    fn bind_name(&mut self, p: &syn::PatIdent, tree: Tree) {
        let name = p.ident.to_string();
        if self.facts.get(&name).is_none() {
            // Nothing is known of it, so nothing may be assumed: least of all that it is a constant.
            self.errors.error(p, format_args!("`{name}` is bound where the macro cannot follow it; bind it in a `let` of its own"));
            return;
        }
        let unknown = (self.facts.get(&name))
            .is_some_and(|v| matches!(v.ty, Ty::Unknown | Ty::User) && p.mutability.is_none());
        let tree = match tree {
            Tree::Place(path) if unknown && self.stays_where_it_is(&path, false) => {
                self.env.insert(name, Binding::Place(path));
                return;
            }
            tree => match self.read(tree) {
                Tree::Place(path) => Tree::Value(self.load(path)),
                tree => tree,
            },
        };
        let loose = p.mutability.is_some() && self.facts.get(&name).is_some_and(|v| v.rebound);
        let binding = match tree {
            Tree::View(mut path) if loose => {
                // `&v[..]` is `v` to the graph; a reference to a vector turns into one to a slice by itself.
                let slice = match self.func.path_ty(&path) {
                    Ty::Vec(_) | Ty::Slice(_) => true,
                    Ty::Array(..) => {
                        let known = self.facts.get(&name);
                        known.is_some_and(|v| matches!(v.ty, Ty::Slice(_)))
                    }
                    _ => false,
                };
                if slice {
                    path = path.then(Step::Range(None, None));
                }
                let exclusive = self.facts.get(&name).is_some_and(|v| v.exclusive);
                let value = self.reference_to(&path, exclusive);
                let place = self.new_place(&name, value);
                self.func.at_mut(place.root).borrows = true;
                Binding::Place(place)
            }
            Tree::View(path) => Binding::View(path),
            Tree::Either(either) => Binding::Either(either),
            tree if self.facts.is_place(&name) => {
                let refused = self.refuse_references(p, &tree);
                let value = self.value(tree);
                let place = self.new_place(&name, value);
                if self.elements.contains(&value) {
                    self.element_places.insert(place.root);
                }
                if !refused {
                    self.copied_into(p, place.root);
                }
                Binding::Place(place)
            }
            tree => {
                let refers = self
                    .facts
                    .get(&name)
                    .is_some_and(|v| !v.active && !v.roots.is_empty());
                if let (Tree::Value(v), true) = (&tree, refers) {
                    self.may_refer(*v, true);
                }
                let binding = self.binding(tree, &name);
                // What a range counts to is an integer, also where it comes from a field.
                let known = self.facts.get(&name).map(|v| &v.ty);
                if let (Binding::Value(v), Some(Ty::Int)) = (&binding, known) {
                    let ty = &mut self.func.values[v.0 as usize].ty;
                    *ty = crate::ir::join(ty.clone(), Ty::Int);
                }
                binding
            }
        };
        self.env.insert(name, binding);
    }

    /// Remembers a type that the user wrote, which rustc's inference may depend on.
    pub(super) fn ascribe(&mut self, pattern: &syn::Pat, ty: &syn::Type, before: usize) {
        match (pattern, ty) {
            (syn::Pat::Ident(p), ty) if p.by_ref.is_none() => {
                let name = p.ident.to_string();
                // An option or a list of references is one of copies here.
                let ty = match self.facts.get(&name) {
                    Some(var) if var.active => {
                        if let (Some(Binding::Place(path)), true) =
                            (self.env.get(&name), types::lends_elements(ty))
                        {
                            self.lending_elements.insert(path.root);
                        }
                        types::without_references(ty)
                    }
                    _ => ty.clone(),
                };
                if let Some(binding) = self.env.get(&name).cloned() {
                    self.ascribe_to(&binding, &ty, before);
                }
                self.declared.insert(name, ty);
            }
            (syn::Pat::Paren(p), ty) => self.ascribe(&p.pat, ty, before),
            (pattern, syn::Type::Paren(ty)) => self.ascribe(pattern, &ty.elem, before),
            (pattern, syn::Type::Group(ty)) => self.ascribe(pattern, &ty.elem, before),
            (syn::Pat::Reference(p), syn::Type::Reference(ty)) => {
                self.ascribe(&p.pat, &ty.elem, before);
            }
            (syn::Pat::Tuple(p), syn::Type::Tuple(ty)) => {
                let rest = p.elems.iter().position(is_rest).unwrap_or(p.elems.len());
                let first = p.elems.iter().zip(&ty.elems).take(rest);
                let behind = p.elems.len() - p.elems.len().min(rest + 1);
                let last = p.elems.iter().rev().zip(ty.elems.iter().rev()).take(behind);
                for (p, ty) in first.chain(last) {
                    self.ascribe(p, ty, before);
                }
            }
            (syn::Pat::Slice(p), syn::Type::Array(syn::TypeArray { elem, .. })) => {
                for p in p.elems.iter().filter(|p| !is_rest(p)) {
                    self.ascribe(p, elem, before);
                }
            }
            _ => {}
        }
    }

    /// A tuple whose type has a name is put together to be given it.
    pub(super) fn as_declared(&mut self, tree: Tree, ty: &syn::Type) -> Tree {
        fn is_plain(tree: &Tree) -> bool {
            match tree {
                Tree::Value(_) => true,
                Tree::Tuple(parts) => parts.iter().all(is_plain),
                _ => false,
            }
        }
        match (tree, ty) {
            (tree @ Tree::Tuple(_), syn::Type::Path(_)) if is_plain(&tree) => {
                let whole = self.value(tree);
                self.ascribed.insert(whole, ty.to_token_stream());
                Tree::Value(whole)
            }
            (Tree::Tuple(parts), syn::Type::Tuple(tys)) => {
                let parts = parts.into_iter().enumerate();
                let parts = parts.map(|(k, part)| match tys.elems.get(k) {
                    Some(ty) => self.as_declared(part, ty),
                    None => part,
                });
                Tree::Tuple(parts.collect())
            }
            (tree, _) => tree,
        }
    }

    /// What a variable was declared as holds for what it stands for now.
    pub(super) fn ascribe_again(&mut self, name: &str) {
        let declared = self.declared.get(name).cloned();
        if let (Some(ty), Some(binding)) = (declared, self.env.get(name).cloned()) {
            self.ascribe_to(&binding, &ty, usize::MAX);
        }
    }

    /// What has a type already keeps it, unless it was made after so many values.
    fn ascribe_to(&mut self, binding: &Binding, ty: &syn::Type, before: usize) {
        let read = self.facts.read(ty);
        match (binding, ty) {
            (Binding::Value(v), _) => {
                let known = crate::ir::join(read, self.func.ty(*v).clone());
                self.func.values[v.0 as usize].ty = known;
                if v.0 as usize >= before || !self.ascribed.contains_key(v) {
                    self.ascribed.insert(*v, ty.to_token_stream());
                }
            }
            (Binding::Place(path), _) => {
                let known = crate::ir::join(read, self.func.at(path.root).ty.clone());
                self.func.at_mut(path.root).ty = known;
                self.ascribed_places.insert(path.root, ty.to_token_stream());
            }
            (Binding::Tuple(parts), syn::Type::Tuple(tys)) => {
                for (part, ty) in parts.iter().zip(&tys.elems) {
                    self.ascribe_to(part, ty, before);
                }
            }
            (Binding::Tuple(_), syn::Type::Paren(ty)) => self.ascribe_to(binding, &ty.elem, before),
            (Binding::Tuple(_), syn::Type::Group(ty)) => self.ascribe_to(binding, &ty.elem, before),
            _ => {}
        }
    }

    /// Makes rustc check that a method in front of others lends its receiver to them.
    fn check_itself(&mut self, v: Value) {
        let check = Opaque {
            tokens: quote_spanned!(self.span=> { let returned = __a0; rt::itself(returned) }),
            places: Vec::new(),
            writes: Vec::new(),
            pure: false,
        };
        self.push(Kind::Opaque(check), vec![v], Vec::new());
    }

    fn bind_tuple(&mut self, p: &syn::PatTuple, tree: Tree) {
        let count = p.elems.len();
        if let (0, Tree::Value(v)) = (count, &tree) {
            self.check_itself(*v);
        }
        let rest = p.elems.iter().position(|e| matches!(e, syn::Pat::Rest(_)));
        let whole = match (&tree, rest) {
            (Tree::Tuple(parts), _) => parts.len(),
            (Tree::Value(v), Some(_)) => match self.func.ty(*v) {
                Ty::Tuple(parts) => parts.len(),
                _ => {
                    self.errors.error(
                        p,
                        "`..` in a tuple of unknown size; name every part, or write `_`",
                    );
                    return;
                }
            },
            (Tree::Place(path) | Tree::View(path), Some(_)) => match self.func.path_ty(path) {
                Ty::Tuple(parts) => parts.len(),
                _ => count - 1,
            },
            (Tree::Either(_), Some(_)) => count - 1,
            (tree, None) => self.parts(tree).unwrap_or(count),
            (Tree::Unit | Tree::Never, Some(_)) => 0,
        };
        for (k, elem) in p.elems.iter().enumerate() {
            let index = match rest {
                Some(at) if k == at => continue,
                Some(at) if k > at => (whole + k).checked_sub(count),
                _ => Some(k),
            };
            let Some(index) = index.filter(|&i| i < whole) else {
                self.errors
                    .error(elem, "the tuple has no such part; match its shape");
                continue;
            };
            let part = match &tree {
                Tree::Tuple(parts) => parts[index].clone(),
                Tree::Value(v) => Tree::Value(self.part_of_tuple(*v, index)),
                Tree::Place(path) => Tree::Place(path.then(Step::Field(index.into()))),
                Tree::View(path) => Tree::View(path.then(Step::Field(index.into()))),
                Tree::Either(either) => Tree::Either(Box::new(
                    either.clone().map(|p| p.then(Step::Field(index.into()))),
                )),
                Tree::Unit | Tree::Never => Tree::Never,
            };
            self.bind(elem, part);
        }
    }

    /// The fields of a struct; through a reference they are references.
    fn bind_fields(&mut self, fields: Vec<(Part, &syn::Pat)>, tree: Tree) {
        let view = match &tree {
            Tree::View(_) => true,
            Tree::Either(either) => either.view,
            _ => false,
        };
        let tree = match tree {
            tree @ (Tree::Place(_) | Tree::View(_) | Tree::Either(_)) => tree,
            other => {
                let v = self.value(other);
                Tree::Value(v)
            }
        };
        for (part, pattern) in fields {
            let part = match (self.part(tree.clone(), part), view) {
                (Tree::Place(path), true) => Tree::View(path),
                (Tree::Either(either), true) => either.viewed(),
                (other, _) => other,
            };
            self.bind(pattern, part);
        }
    }

    fn bind_slice(&mut self, p: &syn::PatSlice, tree: Tree) {
        let reference = matches!(tree, Tree::View(_));
        let count = p.elems.len();
        let rest = p.elems.iter().position(is_rest);
        let named = rest.is_some_and(
            |at| matches!(&p.elems[at], syn::Pat::Ident(name) if name.by_ref.is_none()),
        );
        let path = match tree {
            // The other elements of an array are an array of their own.
            Tree::Place(path) if named => {
                let whole = self.load(path);
                self.temporary(Tree::Value(whole), "t")
            }
            tree => self.path(tree),
        };
        let part = |path: Path| {
            if reference {
                Tree::View(path)
            } else {
                Tree::Place(path)
            }
        };
        for (k, elem) in p.elems.iter().enumerate() {
            match rest {
                Some(at) if k == at => {
                    if let syn::Pat::Ident(name) = elem {
                        let lo = (k > 0).then(|| self.position(k));
                        let hi = (count - k > 1).then(|| self.back_from_end(&path, count - 1 - k));
                        let tree = part(path.then(Step::Range(lo, hi)));
                        let plain = syn::PatIdent {
                            subpat: None,
                            ..name.clone()
                        };
                        self.bind_name(&plain, tree);
                    }
                }
                Some(at) if k > at => {
                    let index = self.back_from_end(&path, count - k);
                    self.bind(elem, part(path.then(Step::Index(index))));
                }
                _ => {
                    let index = self.position(k);
                    self.bind(elem, part(path.then(Step::Index(index))));
                }
            }
        }
    }

    pub(super) fn position(&mut self, k: usize) -> Value {
        self.literal(
            proc_macro2::Literal::usize_unsuffixed(k).to_token_stream(),
            Ty::Int,
        )
    }

    /// The index `len - back`.
    pub(super) fn back_from_end(&mut self, path: &Path, back: usize) -> Value {
        let n = self.len(path.clone());
        let back = proc_macro2::Literal::usize_unsuffixed(back);
        self.pure(quote!(__a0 - #back), vec![n], Ty::Int)
    }
}

/// `..` or `name @ ..`
fn is_rest(p: &syn::Pat) -> bool {
    match p {
        syn::Pat::Rest(_) => true,
        syn::Pat::Ident(p) => p
            .subpat
            .as_ref()
            .is_some_and(|(_, sub)| matches!(**sub, syn::Pat::Rest(_))),
        _ => false,
    }
}
