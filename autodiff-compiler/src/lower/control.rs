//! Conditionals and loops: regions with explicit yields and carried values.

use std::collections::BTreeMap;

use quote::{ToTokens, format_ident, quote};

use super::opaque::{Bound, Operands};
use super::references::{Rebound, Reference, is_reference};
use super::variants::{self, is_some};
use super::{Binding, Lower, Tree, alternatives, lost};
use crate::desugar;
use crate::facts::{self, Changed};
use crate::ir::{self, ArmHead, Block, Domain, For, Kind, Opaque, Part, Step, Storage, Ty, Value};
use crate::syntax;
use crate::visit::{Enter as _, Visit};
use crate::visit_mut::VisitMut;

type Env = BTreeMap<String, Binding>;

/// An arm of a conditional after lowering.
struct Arm {
    block: Block,
    tree: Tree,
    env: Env,
}

impl Lower<'_> {
    /// Lowers a region with the environment of now, and returns it with the environment it ends in.
    fn arm(&mut self, block: Block, f: impl FnOnce(&mut Self) -> Tree) -> Arm {
        let ops = std::mem::take(&mut self.ops);
        let env = self.env.clone();
        let tree = f(self);
        let mut block = block;
        block.diverges = matches!(tree, Tree::Never);
        let env = std::mem::replace(&mut self.env, env);
        block.ops = std::mem::replace(&mut self.ops, ops);
        Arm { block, tree, env }
    }

    /// Continues lowering at the end of an arm.
    fn resume(&mut self, arm: &mut Arm, f: impl FnOnce(&mut Self) -> Vec<Value>) {
        let ops = std::mem::replace(&mut self.ops, std::mem::take(&mut arm.block.ops));
        arm.block.yields = f(self);
        arm.block.ops = std::mem::replace(&mut self.ops, ops);
    }

    /// What an arm yields; its block is opened even where it is inactive, so that its parts stay values.
    fn arm_body(&mut self, e: &syn::Expr) -> Tree {
        match e {
            syn::Expr::Block(b) if b.label.is_none() => self.block(&b.block),
            e => self.evaluated(false, e),
        }
    }

    pub(super) fn if_expr(&mut self, e: &syn::ExprIf) -> Tree {
        let span = self.span;
        let cond = self.scalar(&e.cond);
        if is_leave(e) {
            self.push(Kind::Leave, vec![cond], Vec::new());
            return Tree::Unit;
        }
        let (then, other) = (self.func.block(), self.func.block());
        let then = self.arm(then, |cx| cx.block(&e.then_branch));
        let other = self.arm(other, |cx| match &e.else_branch {
            Some((_, e)) => cx.arm_body(e),
            None => Tree::Unit,
        });
        self.span = span;
        self.join(Kind::If, vec![cond], vec![then, other], e)
    }

    /// `if on { yes } else { no }`
    pub(super) fn choose(
        &mut self,
        on: Value,
        yes: impl FnOnce(&mut Self) -> Tree,
        no: impl FnOnce(&mut Self) -> Tree,
    ) -> Tree {
        let (then, other) = (self.func.block(), self.func.block());
        let arms = vec![self.arm(then, yes), self.arm(other, no)];
        self.join(Kind::If, vec![on], arms, quote!())
    }

    /// `a && b`, `a || b`: the right side is evaluated only if it is asked for.
    pub(super) fn logical(&mut self, e: &syn::ExprBinary) -> Tree {
        let left = self.scalar(&e.left);
        let and = matches!(e.op, syn::BinOp::And(_));
        let (then, other) = (self.func.block(), self.func.block());
        let evaluate = |cx: &mut Self| Tree::Value(cx.scalar(&e.right));
        let given = |value: bool| {
            move |cx: &mut Self| Tree::Value(cx.literal(value.to_token_stream(), Ty::Bool))
        };
        let (then, other) = if and {
            (self.arm(then, evaluate), self.arm(other, given(false)))
        } else {
            (self.arm(then, given(true)), self.arm(other, evaluate))
        };
        self.join(Kind::If, vec![left], vec![then, other], e)
    }

    /// Makes one operation of the arms: what they yield, and the variables that they assign.
    fn join(
        &mut self,
        kind: Kind,
        args: Vec<Value>,
        mut arms: Vec<Arm>,
        on: impl ToTokens,
    ) -> Tree {
        if arms.iter().all(|arm| arm.block.diverges) {
            self.close(kind, args, arms, Vec::new());
            return Tree::Never;
        }
        // Variables that differ at the end of some arm.
        let mut names = Vec::new();
        for (name, before) in &self.env {
            let changed = arms.iter().any(|arm| {
                !arm.block.diverges && arm.env.get(name).is_some_and(|after| !same(before, after))
            });
            if changed {
                names.push(name.clone());
            }
        }
        let live: Vec<usize> = (0..arms.len())
            .filter(|&k| !arms[k].block.diverges)
            .collect();
        let shape = self.common_shape(live.iter().map(|&k| arms[k].tree.clone()).collect(), &on);
        let number = live.iter().any(|&k| self.is_number(&arms[k].tree));
        let mut bindings = Vec::new();
        for name in names {
            let ends: Vec<Tree> = live
                .iter()
                .map(|&k| arms[k].env.get(&name).map_or(Tree::Unit, Self::tree_of))
                .collect();
            if ends.iter().any(|t| matches!(t, Tree::Unit)) {
                // Assigned in some arms only: no value after the conditional, as in Rust.
                continue;
            }
            let shape = self.common_shape(ends, &on);
            bindings.push((name, shape));
        }
        for &k in &live {
            let mut arm = Arm {
                block: std::mem::take(&mut arms[k].block),
                tree: arms[k].tree.clone(),
                env: arms[k].env.clone(),
            };
            let (tree, env) = (arm.tree.clone(), arm.env.clone());
            let (shape, bindings) = (&shape, &bindings);
            self.resume(&mut arm, |cx| {
                let mut yields = Vec::new();
                // A constant may be a reference where others are the numbers behind theirs.
                let tree = match tree {
                    Tree::Value(v) if number => Tree::Value(cx.dereferenced(v)),
                    tree => tree,
                };
                cx.flatten(tree, shape, &mut yields);
                for (name, shape) in bindings {
                    if let Some(binding) = env.get(name) {
                        let tree = Self::tree_of(binding);
                        cx.flatten(tree, shape, &mut yields);
                    }
                }
                yields
            });
            arms[k].block = arm.block;
        }
        let first = live[0];
        let yields = arms[first].block.yields.clone();
        let mut results = Vec::new();
        for (slot, &v) in yields.iter().enumerate() {
            let ty = live
                .iter()
                .map(|&k| self.func.ty(arms[k].block.yields[slot]).clone())
                .fold(Ty::Unknown, ir::join);
            let hint = self.func.hint(v).to_owned();
            results.push(self.func.value(hint, ty));
        }
        self.close(kind, args, arms, results.clone());
        let mut results = results.into_iter();
        let tree = rebuild(&shape, &mut results);
        for (name, shape) in bindings {
            let ended = rebuild(&shape, &mut results);
            self.rebind(&name, ended);
        }
        tree
    }

    fn close(&mut self, kind: Kind, args: Vec<Value>, arms: Vec<Arm>, results: Vec<Value>) {
        let blocks = arms.into_iter().map(|arm| arm.block).collect();
        self.push(kind, args, results).blocks = blocks;
    }

    /// The shape in which all arms can yield.
    fn common_shape(&mut self, trees: Vec<Tree>, on: &impl ToTokens) -> Yielded {
        if trees.iter().any(is_reference) {
            return match Self::common_reference(&trees) {
                Some(shape) => Yielded::Reference(shape),
                None if trees.iter().all(|tree| self.may_be_copied(tree)) => Yielded::Value,
                // What refers to nothing active is a value like any other.
                None if trees.iter().all(|tree| self.refers_to_constants(tree)) => {
                    let sliced = trees.iter().any(|tree| match tree {
                        Tree::View(path) => matches!(self.func.path_ty(path), Ty::Slice(_)),
                        Tree::Value(v) => matches!(self.func.ty(*v), Ty::Slice(_)),
                        _ => false,
                    });
                    Yielded::Constant { sliced }
                }
                None => {
                    self.errors.error(on, "a reference to one of several places is chosen at run time here, which cannot be followed; choose between two variables, or an index");
                    Yielded::Nothing
                }
            };
        }
        let mut shapes = trees.iter().map(shape_of);
        let first = shapes.next().unwrap_or(Yielded::Nothing);
        shapes.fold(first, |a, b| if a == b { a } else { Yielded::Value })
    }

    /// Whether it makes no difference to what follows that a value is yielded: of what is in an option the macro does not know whether it is a number.
    fn may_be_copied(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Value(_) => true,
            Tree::View(path) => {
                let root = self.func.at(path.root);
                let shared = root.storage != Storage::Exclusive && !root.mutable;
                shared && path.steps.last() == Some(&Step::Field(Part::payload()))
            }
            _ => false,
        }
    }

    /// Certainly a number, and no reference to one.
    fn is_number(&self, tree: &Tree) -> bool {
        matches!(tree, Tree::Value(v) if self.func.ty(*v).is_float() && !self.referring.contains(v))
    }

    fn flatten(&mut self, tree: Tree, shape: &Yielded, out: &mut Vec<Value>) {
        match (shape, tree) {
            (Yielded::Nothing, _) => {}
            (Yielded::Reference(reference), tree) => {
                let shown = self.show_reference(&tree, reference);
                out.extend(shown);
            }
            (Yielded::Tuple(shapes), Tree::Tuple(parts)) => {
                for (shape, part) in shapes.iter().zip(parts) {
                    self.flatten(part, shape, out);
                }
            }
            // What a call returned, say.
            (Yielded::Tuple(shapes), tree) => {
                let whole = self.value(tree);
                for (k, shape) in shapes.iter().enumerate() {
                    let part = self.part_of_tuple(whole, k);
                    self.flatten(Tree::Value(part), shape, out);
                }
            }
            (Yielded::Constant { sliced }, Tree::View(mut path)) => {
                if *sliced {
                    path = path.then(crate::ir::Step::Range(None, None));
                }
                out.push(self.reference_to(&path, false));
            }
            (_, tree) => out.push(self.value(tree)),
        }
    }

    pub(super) fn match_expr(&mut self, e: &syn::ExprMatch) -> Tree {
        let mut operands = Operands::default();
        // A reference that a pattern takes apart is followed also where nothing of it is active: its parts are references.
        let followed = e.arms.iter().any(|arm| takes_apart(&arm.pat))
            && facts::root(&e.expr).is_some_and(|name| match self.env.get(&name) {
                Some(Binding::View(_) | Binding::Either(_)) => true,
                // What is written through them may depend on something active that only decides.
                Some(Binding::Place(_)) => self.facts.lends(&e.expr),
                _ => false,
            });
        let active = followed || self.facts.mentions_active(&e.expr) && !is_text(&e.expr);
        let before = self.errors.count();
        let split = |arm: &syn::Arm| {
            if active {
                alternatives::arms(arm)
            } else {
                vec![arm.clone()]
            }
        };
        let e = &syn::ExprMatch {
            arms: e.arms.iter().flat_map(split).collect(),
            ..e.clone()
        };
        let constructs = e.arms.iter().any(|arm| variants::constructs(&arm.pat));
        let mut given = Tree::Unit;
        let (tokens, scrutinee) = if active {
            self.option_expected =
                matches!(super::expr::unparen(&e.expr), syn::Expr::MethodCall(_))
                    && e.arms
                        .iter()
                        .any(|arm| matches!(&arm.pat, syn::Pat::TupleStruct(p) if is_some(p)));
            let tree = self.expr(&e.expr);
            given = tree.clone();
            self.option_expected = false;
            let tree = match tree {
                // `v[..]` is `v` to the graph, and a field may be anything.
                tree @ (Tree::Place(_) | Tree::View(_))
                    if e.arms
                        .iter()
                        .any(|arm| takes_apart(&arm.pat) || tests_text(&arm.pat)) =>
                {
                    tree
                }
                tree => {
                    let exclusive = lost::lends(&self.facts, &e.expr);
                    let pats: Vec<_> = e.arms.iter().map(|arm| &arm.pat).collect();
                    self.looked_at(tree, constructs, &pats, exclusive)
                }
            };
            // Of an option in a field nothing is taken out by the pattern.
            let some = |arm: &syn::Arm| matches!(&arm.pat, syn::Pat::TupleStruct(p) if is_some(p));
            let guarded = |arm: &syn::Arm| matches!(arm.pat, syn::Pat::Guard(_));
            let looks = e.arms.iter().any(some) && !e.arms.iter().any(guarded);
            // What a comparison or a search yields is matched like any inactive value.
            let followed = followed && !matches!(tree, Tree::Value(_));
            let carries = followed || self.facts.active(&e.expr);
            let tokens = match &tree {
                Tree::Value(v) if !carries => {
                    operands.args.push(*v);
                    format_ident!("__a{}", operands.args.len() - 1).to_token_stream()
                }
                // All of something, which patterns of slices are to match, is the whole of it to the graph.
                Tree::View(path) | Tree::Place(path)
                    if (is_all(&e.expr)
                        || matches!(self.facts.ty(&e.expr), Ty::Slice(_))
                        || e.arms.iter().any(|arm| tests_text(&arm.pat)))
                        && matches!(
                            self.func.path_ty(path),
                            Ty::Array(..) | Ty::Unknown | Ty::User
                        ) =>
                {
                    let whole = self.borrowed_tokens(path, &mut operands);
                    quote!(&(#whole)[..])
                }
                tree => {
                    let pats: Vec<_> = e.arms.iter().map(|arm| &arm.pat).collect();
                    self.scrutinee(tree, constructs || looks, &pats, &mut operands)
                }
            };
            (tokens, Some(tree).filter(|_| carries))
        } else {
            (self.substitute(&e.expr, &mut operands), None)
        };
        let mut unknown = self.errors.count() > before || self.is_poisoned(&e.expr);
        let mut heads = Vec::new();
        let mut arms = Vec::new();
        let span = self.span;
        for arm in &e.arms {
            let mut block = self.func.block();
            let (pat, guard) = match &arm.pat {
                syn::Pat::Guard(g) => ((*g.pat).clone(), Some((*g.guard).clone())),
                pat => (pat.clone(), None),
            };
            let before = self.env.clone();
            let errors = self.errors.count();
            let mut payloads = Vec::new();
            let asked = guard.is_some() || !constructs;
            let pat_tokens =
                self.arm_pattern(&pat, scrutinee.as_ref(), asked, &mut block, &mut payloads);
            if self.errors.count() > errors {
                if std::mem::replace(&mut unknown, true) {
                    self.errors.forget(errors);
                }
                self.poison(&pat);
                self.poisoned.extend(facts::root(&e.expr));
            }
            let mut seen = Placeholders::default();
            match &scrutinee {
                Some(tree) if constructs => self.seen_by_guard(&pat, (tree, &given), &mut seen),
                // Numbers are bound by value.
                Some(tree) => {
                    self.lent_to_guard(&pat, (tree, &given), &mut seen);
                    let numbers = block.params.iter();
                    let numbers = numbers.filter(|&&v| self.func.ty(v).is_scalar());
                    let numbers = numbers.map(|&v| self.func.hint(v).to_owned());
                    seen.numbers.extend(numbers);
                }
                None => {}
            }
            let pure = guard.as_ref().is_none_or(|guard| self.is_pure(guard));
            let guard = guard.map(|guard| self.guard(&guard, &block, &pat, seen, &mut operands));
            heads.push(ArmHead {
                pat: pat_tokens,
                guard,
                pure,
            });
            let inactive = scrutinee.is_none();
            let lending = lost::lends(&self.facts, &e.expr);
            let bound = block.params.clone();
            let lowered = self.arm(block, |cx| {
                for v in bound.into_iter().filter(|_| inactive) {
                    let borrows = cx.refers_to(&e.expr);
                    cx.may_refer(v, borrows);
                }
                for (pat, source) in payloads {
                    let tree = match source {
                        Source::Option(option) => Tree::Value(cx.payload_of(option)),
                        Source::Sequence(path) => Tree::View(path),
                        Source::Whole(tree) => tree,
                    };
                    cx.bind_lent(&variants::binding(&pat), tree, lending);
                }
                cx.arm_body(&arm.body)
            });
            self.env = before;
            arms.push(lowered);
        }
        self.span = span;
        // `match stack.pop()` changes what it looks at.
        let writes = if active {
            Vec::new()
        } else {
            self.writes(&e.expr)
        };
        let opaque = Opaque {
            tokens,
            places: operands.places,
            writes,
            pure: false,
        };
        self.join(Kind::Match(opaque, heads), operands.args, arms, e)
    }

    /// What a `match` looks at: memory of the user's own types is left where it is, and so is what is in an option behind a reference.
    fn looked_at(
        &mut self,
        tree: Tree,
        constructs: bool,
        pats: &[&syn::Pat],
        exclusive: bool,
    ) -> Tree {
        match tree {
            Tree::Tuple(parts) => {
                let looked_at = |(k, part)| {
                    let pats = pats.iter().filter_map(|pat| part_of_tuple(pat, k));
                    self.looked_at(part, constructs, &pats.collect::<Vec<_>>(), exclusive)
                };
                Tree::Tuple(parts.into_iter().enumerate().map(looked_at).collect())
            }
            // The parts of an array are copied when it is matched, those of what a reference leads to are references.
            Tree::Place(path)
                if matches!(self.func.path_ty(&path), Ty::Array(..) | Ty::Slice(_)) =>
            {
                Tree::Place(path)
            }
            // What is plain is copied, unless it is changed there.
            Tree::View(path)
                if pats.iter().any(|pat| tests_some(pat))
                    && (exclusive || !self.func.path_ty(&path).payload().is_plain()) =>
            {
                Tree::View(path)
            }
            Tree::Place(path) | Tree::View(path) if self.is_sequence(&path) => Tree::View(path),
            Tree::Place(path) if constructs && self.is_unknown(&path) => Tree::Place(path),
            Tree::View(path) if constructs && self.is_unknown(&path) => Tree::View(path),
            Tree::View(path) => Tree::Value(self.load(path)),
            tree => self.read(tree),
        }
    }

    pub(super) fn is_unknown(&self, path: &crate::ir::Path) -> bool {
        matches!(self.func.path_ty(path), Ty::User | Ty::Unknown)
    }

    fn is_sequence(&self, path: &crate::ir::Path) -> bool {
        matches!(
            self.func.path_ty(path),
            Ty::Array(..) | Ty::Slice(_) | Ty::Vec(_)
        )
    }

    /// The tokens of a scrutinee that is already evaluated.
    fn scrutinee(
        &mut self,
        tree: &Tree,
        constructs: bool,
        pats: &[&syn::Pat],
        operands: &mut Operands,
    ) -> proc_macro2::TokenStream {
        // Where a pattern says which enum it is, rustc finds it in the box or behind the references there may be.
        let says = pats.iter().any(|pat| self.names_variant(pat));
        let behind = |whole| {
            if says {
                quote!(rt::behind(#whole))
            } else {
                whole
            }
        };
        match tree {
            Tree::Tuple(parts) => {
                let part = |(k, part)| {
                    let pats = pats.iter().filter_map(|pat| part_of_tuple(pat, k));
                    self.scrutinee(part, constructs, &pats.collect::<Vec<_>>(), operands)
                };
                let parts: Vec<_> = parts.iter().enumerate().map(part).collect();
                quote!((#(#parts,)*))
            }
            // What is in an option is taken out in the arm: the pattern only looks.
            Tree::Value(v) if matches!(self.func.ty(*v), Ty::Option(inner) if !inner.is_plain()) => {
                operands.args.push(*v);
                let name = format_ident!("__a{}", operands.args.len() - 1);
                quote!(&#name)
            }
            // `&v[..]` is `v` to the graph, but patterns of slices take no vector.
            Tree::View(path) if matches!(self.func.path_ty(path), Ty::Vec(_)) => {
                let vec = self.borrowed_tokens(path, operands);
                quote!(&(#vec)[..])
            }
            Tree::View(path) => behind(self.borrowed_tokens(path, operands)),
            Tree::Place(path) if matches!(self.func.path_ty(path), Ty::Vec(_)) => {
                let vec = operands.path(path);
                quote!((#vec)[..])
            }
            Tree::Place(path) if self.is_sequence(path) => operands.path(path),
            Tree::Place(path) => behind(self.borrowed_tokens(path, operands)),
            Tree::Value(v) if constructs && !self.func.ty(*v).is_scalar() => {
                operands.args.push(*v);
                let name = format_ident!("__a{}", operands.args.len() - 1);
                behind(quote!(&#name))
            }
            tree => {
                let v = self.value(tree.clone());
                operands.args.push(v);
                format_ident!("__a{}", operands.args.len() - 1).to_token_stream()
            }
        }
    }

    /// Binds the variables of an arm's pattern, and returns its tokens with placeholders.
    fn arm_pattern(
        &mut self,
        pat: &syn::Pat,
        scrutinee: Option<&Tree>,
        asked: bool,
        block: &mut Block,
        payloads: &mut Vec<(syn::Pat, Source)>,
    ) -> proc_macro2::TokenStream {
        if let Some(tree) = scrutinee {
            self.bind_active(pat, tree, block, payloads);
        } else {
            let mut bound = Bound::default();
            bound.visit_pat(pat);
            let mut seen = Vec::new();
            for ident in bound.0.into_iter().filter(|i| !is_constant_name(pat, i)) {
                let name = ident.to_string();
                if seen.contains(&name) {
                    continue;
                }
                let ty = self.facts.get(&name).map_or(Ty::Unknown, |v| v.ty.clone());
                // It may be a reference, which the rules for operators of the user's own do not take.
                let ty = if ty.is_user() { Ty::Unknown } else { ty };
                let value = self.func.value(&name, ty);
                block.params.push(value);
                self.env.insert(name.clone(), Binding::Value(value));
                seen.push(name);
            }
        }
        let names: Vec<String> = block
            .params
            .iter()
            .map(|&v| self.func.hint(v).to_owned())
            .collect();
        // What is matched is a value of its own, also where the user's is a reference.
        let mut pat = match scrutinee {
            Some(Tree::Value(_) | Tree::Tuple(_) | Tree::Place(_)) => without_references(pat),
            // An option of references is one behind a reference.
            Some(Tree::View(_)) if tests_some(pat) => without_references(pat),
            _ => pat.clone(),
        };
        if scrutinee.is_some() && !asked {
            return variants::unnamed(&pat).to_token_stream();
        }
        Placeholders::new(names).visit_pat_mut(&mut pat);
        pat.to_token_stream()
    }

    /// Binds a pattern against an evaluated scrutinee: its variables are the scrutinee's parts.
    ///
    /// What is inside an option or a sequence is taken out in the arm: its pattern and where it comes from go to `payloads`.
    fn bind_active(
        &mut self,
        pat: &syn::Pat,
        tree: &Tree,
        block: &mut Block,
        payloads: &mut Vec<(syn::Pat, Source)>,
    ) {
        if let (syn::Pat::Paren(p), tree) = (pat, tree) {
            return self.bind_active(&p.pat, tree, block, payloads);
        }
        let (inner, source) = match (pat, tree) {
            (syn::Pat::TupleStruct(p), Tree::Value(option))
                if is_some(p) && binds_alone(&p.elems[0]) =>
            {
                (Some(&p.elems[0]), Some(Source::Option(*option)))
            }
            (syn::Pat::Slice(_), Tree::View(path)) => {
                (Some(pat), Some(Source::Sequence(path.clone())))
            }
            (syn::Pat::Ident(p), Tree::View(path))
                if !syntax::is_constant(p) && binds_alone(pat) =>
            {
                (Some(pat), Some(Source::Sequence(path.clone())))
            }
            // Tested by rustc as a whole, and taken apart in the arm.
            (
                syn::Pat::Struct(_)
                | syn::Pat::TupleStruct(_)
                | syn::Pat::Reference(_)
                | syn::Pat::Ident(_),
                Tree::View(_) | Tree::Place(_),
            )
            | (syn::Pat::Slice(_), Tree::Place(_))
            | (syn::Pat::Struct(_) | syn::Pat::TupleStruct(_), Tree::Value(_)) => {
                (Some(pat), Some(Source::Whole(tree.clone())))
            }
            (syn::Pat::Tuple(_), Tree::View(_) | Tree::Place(_) | Tree::Value(_)) => {
                (Some(pat), Some(Source::Whole(tree.clone())))
            }
            (syn::Pat::Ident(p), Tree::Value(_)) if p.subpat.is_some() => {
                (Some(pat), Some(Source::Whole(tree.clone())))
            }
            _ => (None, None),
        };
        if let (Some(inner), Some(source)) = (inner, source) {
            if let Some(behind) = variants::behind_rest(inner) {
                self.errors.error(behind, variants::BEHIND);
                return;
            }
            if !matches!(source, Source::Whole(_)) && !binds_alone(inner) {
                self.errors.error(inner, "this pattern is not supported inside of another on active values; bind the value by name and use a guard");
                return;
            }
            if let (Source::Option(_), syn::Pat::Ident(p)) = (&source, inner) {
                if p.by_ref.is_some() && p.mutability.is_some() {
                    self.errors.error(&p.ident, lost::message(&p.ident));
                    return;
                }
            }
            let inner = match source {
                Source::Whole(_) => inner.clone(),
                _ => without_references(inner),
            };
            // The names are bound for the guard.
            let mut bound = Bound::default();
            bound.visit_pat(&inner);
            bound.0.retain(|name| !is_constant_name(&inner, name));
            let payload = match &source {
                Source::Option(option) => Some(self.func.ty(*option).payload()),
                _ => None,
            };
            // Only what is plain is matched by value.
            let payload = payload.filter(Ty::is_plain);
            let whole = matches!(inner, syn::Pat::Ident(_));
            payloads.push((inner, source));
            for name in bound.0 {
                let ty = match &payload {
                    Some(payload) if whole => payload.clone(),
                    Some(_) => self
                        .facts
                        .get(&name.to_string())
                        .map_or(Ty::Unknown, |v| v.ty.clone()),
                    None => Ty::Unknown,
                };
                let param = self.func.value(name.to_string(), ty);
                block.params.push(param);
            }
            return;
        }
        match (pat, tree) {
            (syn::Pat::Ident(p), _) if p.ident == "None" => {}
            (syn::Pat::Ident(p), tree) => {
                if syntax::is_constant(p) {
                    if matches!(tree, Tree::Value(v) if self.func.ty(*v).is_user()) {
                        return;
                    }
                    self.errors.error(p, "a constant as pattern for an active value is not supported; compare with `==` in an `if`");
                    return;
                }
                if p.by_ref.is_some() {
                    self.errors.error(p, "`ref` is not supported yet where active values are involved; bind by value");
                    return;
                }
                let name = p.ident.to_string();
                // The pattern binds the name for its guard; the arm uses the scrutinee itself.
                let value = self.value(tree.clone());
                let ty = self.func.ty(value).clone();
                let param = self.func.value(&name, ty);
                block.params.push(param);
                self.env.insert(name, Binding::Value(value));
            }
            (syn::Pat::Tuple(p), Tree::Tuple(parts)) if p.elems.len() == parts.len() => {
                for (elem, part) in p.elems.iter().zip(parts) {
                    self.bind_active(elem, part, block, payloads);
                }
            }
            (syn::Pat::Paren(p), tree) => self.bind_active(&p.pat, tree, block, payloads),
            (syn::Pat::Reference(p), tree) => self.bind_active(&p.pat, tree, block, payloads),
            (syn::Pat::Or(p), _) => {
                let mut bound = Bound::default();
                bound.visit_pat_or(p);
                if let Some(name) = bound.0.first() {
                    self.errors.error(name, "a variable in an or-pattern over active values is not supported; write one arm per case");
                }
            }
            (syn::Pat::Wild(_) | syn::Pat::Lit(_) | syn::Pat::Range(_) | syn::Pat::Path(_), _) => {}
            (other, _) => self.errors.error(other, "this pattern is not supported on active values; bind the value by name and use a guard"),
        }
    }

    /// The tokens of a guard: names that the pattern binds are placeholders of its block.
    fn guard(
        &mut self,
        guard: &syn::Expr,
        block: &Block,
        pat: &syn::Pat,
        seen: Placeholders,
        operands: &mut Operands,
    ) -> proc_macro2::TokenStream {
        let guard = if self.refuse_change(guard) {
            guard.clone()
        } else {
            self.only_reading_guard(guard)
        };
        let mut bound = Bound::default();
        bound.visit_pat(pat);
        let hidden: Vec<(String, Option<Binding>)> = bound
            .0
            .iter()
            .map(|i| (i.to_string(), self.env.remove(&i.to_string())))
            .collect();
        let tokens = self.substitute(&guard, operands);
        for (name, binding) in hidden {
            if let Some(binding) = binding {
                self.env.insert(name, binding);
            }
        }
        let names: Vec<String> = block
            .params
            .iter()
            .map(|&v| self.func.hint(v).to_owned())
            .collect();
        let mut e: syn::Expr = syn::Expr::Verbatim(tokens.clone());
        if let Ok(parsed) = syn::parse2::<syn::Expr>(tokens) {
            e = parsed;
        }
        Placeholders { names, ..seen }.visit_expr_mut(&mut e);
        e.to_token_stream()
    }

    /// A guard looks, whether its arm is taken or not: what it changed would be changed in code that is copied as it stands.
    fn refuse_change(&mut self, guard: &syn::Expr) -> bool {
        let (mut changed, mut bound) = (facts::Changed::default(), Bound::default());
        changed.visit_expr(guard);
        bound.visit_expr(guard);
        let mut taken = Taken(changed.certain);
        taken.visit_expr(guard);
        let own = |name: &String| bound.0.iter().any(|own| own == name);
        let changed = taken.0.iter().find(|name| !own(name));
        if let Some(name) = changed {
            self.errors.error(guard, format_args!("a guard that changes `{name}` cannot be followed; change it before the `match`, or in its arms"));
        }
        changed.is_some()
    }

    /// What the variables of a pattern are for the guard alone: references where what is matched is only looked at, numbers
    /// where the user's may be references to them.
    ///
    /// What is `given` as a reference has references in it for the user as well.
    fn seen_by_guard(
        &self,
        pat: &syn::Pat,
        (tree, given): (&Tree, &Tree),
        seen: &mut Placeholders,
    ) {
        match (pat, tree) {
            (syn::Pat::Paren(p), _) => self.seen_by_guard(&p.pat, (tree, given), seen),
            (syn::Pat::Tuple(p), Tree::Tuple(parts)) => {
                let given = match given {
                    Tree::Tuple(given) if given.len() == parts.len() => given,
                    _ => parts,
                };
                for (p, part) in p.elems.iter().zip(parts.iter().zip(given)) {
                    self.seen_by_guard(p, part, seen);
                }
            }
            (pat, Tree::Value(v)) if self.func.ty(*v).is_scalar() => {
                seen.numbers.extend(variants::bound_by_value(pat));
            }
            (pat, Tree::Value(_) | Tree::Place(_)) if !is_reference(given) => {
                seen.lent.extend(variants::bound_by_value(pat));
            }
            _ => {}
        }
    }

    /// What is in an option whose pattern only looks is a reference for the guard, unless it is one for the user.
    fn lent_to_guard(
        &self,
        pat: &syn::Pat,
        (tree, given): (&Tree, &Tree),
        seen: &mut Placeholders,
    ) {
        match (pat, tree, given) {
            (syn::Pat::Paren(p), ..) => self.lent_to_guard(&p.pat, (tree, given), seen),
            (syn::Pat::Tuple(p), Tree::Tuple(parts), Tree::Tuple(given))
                if given.len() == parts.len() =>
            {
                for (p, part) in p.elems.iter().zip(parts.iter().zip(given)) {
                    self.lent_to_guard(p, part, seen);
                }
            }
            (_, Tree::Value(v), given)
                if !is_reference(given)
                    && matches!(self.func.ty(*v), Ty::Option(inner) if !inner.is_plain()) =>
            {
                seen.lent.extend(variants::bound_by_value(pat));
            }
            _ => {}
        }
    }

    pub(super) fn for_loop(&mut self, e: &syn::ExprForLoop) -> Tree {
        let span = self.span;
        let body = Body {
            block: &e.body,
            until: desugar::is_until(&e.attrs),
        };
        if let Some((lo, hi, inclusive, reversed)) = self.range_bounds(&e.expr) {
            let ty = ir::join(self.func.ty(lo).clone(), self.func.ty(hi).clone());
            let domain = Domain::Range {
                inclusive,
                reversed,
            };
            return self.loop_over(
                domain,
                vec![lo, hi],
                vec![(String::new(), ty)],
                &body,
                |cx, items| {
                    cx.bind(&e.pat, Tree::Value(items[0]));
                },
            );
        }
        let mut args = Vec::new();
        if let Some(tokens) = self.adapted_range(&e.expr, &mut args) {
            let iter = Opaque {
                tokens,
                places: Vec::new(),
                writes: Vec::new(),
                pure: true,
            };
            let domain = Domain::Verbatim {
                pat: quote!(__b0),
                iter,
                count: args.len(),
            };
            return self.loop_over(
                domain,
                args,
                vec![(String::new(), Ty::Int)],
                &body,
                |cx, items| {
                    cx.bind(&e.pat, Tree::Value(items[0]));
                },
            );
        }
        self.span = syn::spanned::Spanned::span(&e.expr);
        let sequence = self.sequence(&e.expr);
        self.span = span;
        if let Some(sequence) = sequence {
            let (domain, args) = self.counting(sequence.len);
            return self.loop_over(
                domain,
                args,
                vec![("k".to_owned(), Ty::Int)],
                &body,
                |cx, items| {
                    let item = cx.item_at(&sequence, items[0]);
                    let root = facts::root(&e.expr).and_then(|name| cx.facts.get(&name));
                    if cx.facts.mentions_active(&e.expr) || root.is_some_and(|v| v.mutable) {
                        cx.bind(&e.pat, item);
                    } else {
                        cx.bind_constant(&e.pat, item);
                    }
                },
            );
        }
        if self.facts.mentions_active(&e.expr) {
            return match super::expr::unparen(&e.expr) {
                syn::Expr::MethodCall(m) => self.refuse_unless_known(&e.expr, &m.method, format_args!("iterator method `{}` is not supported yet on active values; write a `for` loop over indices", m.method)),
                other => self.refuse_unless_known(other, other, "this cannot be iterated over yet where it is active; write a `for` loop over indices"),
            };
        }
        if let Some(item) = self.written_reference(&e.pat) {
            return self.refuse_unless_known(&e.expr, &item, format_args!("something active is written through `{item}`, which refers to memory that the macro cannot follow; write through an index"));
        }
        // Any other iterator, verbatim: its items are constants.
        let mut bound = Bound::default();
        bound.visit_pat(&e.pat);
        let names: Vec<String> = bound.0.iter().map(ToString::to_string).collect();
        let mut pat = (*e.pat).clone();
        Placeholders::new(names.clone()).visit_pat_mut(&mut pat);
        let mut operands = Operands::default();
        let tokens = self.substitute(&e.expr, &mut operands);
        let iter = Opaque {
            tokens,
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        let items = names
            .iter()
            .map(|n| {
                let ty = self.facts.get(n).map_or(Ty::Unknown, |v| v.ty.clone());
                // It may be a reference, as in a pattern.
                (n.clone(), if ty.is_user() { Ty::Unknown } else { ty })
            })
            .collect();
        let domain = Domain::Verbatim {
            pat: pat.to_token_stream(),
            iter,
            count: operands.args.len(),
        };
        self.loop_over(domain, operands.args, items, &body, move |cx, items| {
            for (name, &item) in names.iter().zip(items) {
                let borrows = cx.refers_to(&e.expr);
                cx.may_refer(item, borrows);
                let binding = if cx.facts.is_place(name) {
                    Binding::Place(cx.new_place(name, item))
                } else {
                    Binding::Value(item)
                };
                cx.env.insert(name.clone(), binding);
            }
        })
    }

    /// `loop { … }`, whose body says when it ends.
    pub(super) fn endless_loop(&mut self, e: &syn::ExprLoop) -> Tree {
        let body = Body {
            block: &e.body,
            until: desugar::is_until(&e.attrs),
        };
        let ends = body.until
            || e.body.stmts.iter().any(
                |stmt| matches!(stmt, syn::Stmt::Expr(syn::Expr::If(test), _) if is_leave(test)),
            );
        if !ends {
            return self.refuse(
                e.loop_token,
                "this loop never ends: there is nothing to differentiate; leave it by `break` or `return`",
            );
        }
        self.loop_over(Domain::Forever, Vec::new(), Vec::new(), &body, |_, _| {})
    }

    /// What stands for a variable without value in front of a loop that gives it one: any number, which nothing reads.
    fn before_assigned(&mut self, name: &str) -> Binding {
        let ty = self.facts.get(name).map_or(Ty::Unknown, |v| v.ty.clone());
        let Some(tokens) = desugar::start(&ty) else {
            return Binding::Unset;
        };
        let start = self.literal(tokens, ty);
        self.rebind(name, Tree::Value(start));
        self.env.get(name).cloned().unwrap_or(Binding::Unset)
    }

    /// A loop: the variables that its body assigns are carried.
    fn loop_over(
        &mut self,
        domain: Domain,
        mut args: Vec<Value>,
        items: Vec<(String, Ty)>,
        e: &Body<'_>,
        bind: impl FnOnce(&mut Self, &[Value]),
    ) -> Tree {
        let span = self.span;
        let mut changed = Changed::default();
        changed.visit_block(e.block);
        let mut carried: Vec<(String, Yielded)> = Vec::new();
        let mut block = self.func.block();
        let inductions: Vec<Value> = items
            .iter()
            .map(|(hint, ty)| self.func.value(hint.as_str(), ty.clone()))
            .collect();
        block.params.clone_from(&inductions);
        let rebound = Rebound::of(e.block);
        changed.names.sort();
        changed.names.dedup();
        let mut inside = Vec::new();
        for name in changed.names {
            let Some(binding) = self.env.get(&name).cloned() else {
                continue;
            };
            let binding = match binding {
                Binding::Unset => self.before_assigned(&name),
                binding => binding,
            };
            let tree = Self::tree_of(&binding);
            let shape = match binding {
                Binding::Value(_) | Binding::Tuple(_) => shape_of(&tree),
                Binding::View(_) | Binding::Either(_) => {
                    match self.carried_reference(&name, &tree, &rebound) {
                        Some(shape) => Yielded::Reference(shape),
                        None => continue,
                    }
                }
                Binding::Place(_) | Binding::Unset => continue,
            };
            let mut inits = Vec::new();
            self.flatten(tree, &shape, &mut inits);
            let variable = self.facts.get(&name).map_or(Ty::Unknown, |v| v.ty.clone());
            let params: Vec<Value> = inits
                .iter()
                .map(|&v| {
                    let ty = self.func.ty(v).clone();
                    let ty = if inits.len() == 1 {
                        ir::join(ty, variable.clone())
                    } else {
                        ty
                    };
                    self.assume_into(v, &ty);
                    self.func.value(name.as_str(), ty)
                })
                .collect();
            block.params.extend(&params);
            args.extend(inits);
            inside.push((name.clone(), rebuild(&shape, &mut params.into_iter())));
            carried.push((name, shape));
        }
        let count = inductions.len();
        let mut arm = self.arm(block, |cx| {
            for (name, tree) in inside {
                let binding = as_binding(tree);
                cx.env.insert(name, binding);
            }
            bind(cx, &inductions);
            let tree = cx.block(e.block);
            if e.until && !matches!(tree, Tree::Never) {
                let last = cx.value(tree);
                cx.push(Kind::Until, vec![last], Vec::new());
                return Tree::Unit;
            }
            tree
        });
        if !matches!(arm.tree, Tree::Unit | Tree::Never) {
            arm.tree = Tree::Unit;
        }
        let env = arm.env.clone();
        let names = carried.clone();
        self.refuse_lost_references(&env, &names);
        if !arm.block.diverges {
            self.resume(&mut arm, |cx| {
                let mut yields = Vec::new();
                for (name, shape) in &names {
                    if let Some(binding) = env.get(name) {
                        let tree = Self::tree_of(binding);
                        cx.flatten(tree, shape, &mut yields);
                    }
                }
                yields
            });
        }
        let results: Vec<Value> = arm.block.params[count..]
            .iter()
            .map(|&v| {
                let (hint, ty) = (self.func.hint(v).to_owned(), self.func.ty(v).clone());
                self.func.value(hint, ty)
            })
            .collect();
        self.span = span;
        let head = For {
            domain,
            inductions: count,
            tape: None,
            peeks: false,
            onward: false,
            counted: false,
        };
        self.close(Kind::For(head), args, vec![arm], results.clone());
        let mut results = results.into_iter();
        for (name, shape) in carried {
            let tree = rebuild(&shape, &mut results);
            self.env.insert(name, as_binding(tree));
        }
        Tree::Unit
    }
}

/// The body of a loop.
struct Body<'e> {
    block: &'e syn::Block,
    /// It yields whether this was the last round.
    until: bool,
}

/// Where the value of a pattern's variables comes from.
enum Source {
    /// The inside of an option.
    Option(Value),
    /// An array, slice or vector.
    Sequence(crate::ir::Path),
    /// What the whole pattern is matched against.
    Whole(Tree),
}

/// `Some(…)`
fn tests_some(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(p) => tests_some(&p.pat),
        syn::Pat::Paren(p) => tests_some(&p.pat),
        syn::Pat::Reference(p) => tests_some(&p.pat),
        syn::Pat::TupleStruct(p) => is_some(p),
        _ => false,
    }
}

/// A part of a pattern of a tuple that names all of its parts.
fn part_of_tuple(pat: &syn::Pat, k: usize) -> Option<&syn::Pat> {
    match pat {
        syn::Pat::Guard(p) => part_of_tuple(&p.pat, k),
        syn::Pat::Paren(p) => part_of_tuple(&p.pat, k),
        syn::Pat::Tuple(p) if !p.elems.iter().any(|p| matches!(p, syn::Pat::Rest(_))) => {
            p.elems.get(k)
        }
        _ => None,
    }
}

/// Whether a pattern binds without a test other than of the length of a sequence.
fn binds_alone(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Ident(p) => {
            let rest = p
                .subpat
                .as_ref()
                .is_none_or(|(_, sub)| matches!(**sub, syn::Pat::Rest(_)));
            rest && !syntax::is_constant(p)
        }
        syn::Pat::Wild(_) | syn::Pat::Rest(_) => true,
        syn::Pat::Paren(p) => binds_alone(&p.pat),
        syn::Pat::Reference(p) => binds_alone(&p.pat),
        syn::Pat::Tuple(p) => p.elems.iter().all(binds_alone),
        syn::Pat::Slice(p) => p.elems.iter().all(binds_alone),
        _ => false,
    }
}

/// What is bound is a value of its own: `&x` and `ref x` bind it like `x`.
fn without_references(pat: &syn::Pat) -> syn::Pat {
    struct Plain;
    impl VisitMut for Plain {
        fn visit_pat_mut(&mut self, pat: &mut syn::Pat) {
            while let syn::Pat::Reference(inner) = pat {
                *pat = (*inner.pat).clone();
            }
            if let syn::Pat::Ident(p) = pat {
                p.by_ref = None;
            }
            crate::visit_mut::visit_pat_mut(self, pat);
        }
    }
    let mut pat = pat.clone();
    Plain.visit_pat_mut(&mut pat);
    pat
}

/// `if c { break; }`, which stands at the head of a loop's body.
pub(super) fn is_leave(e: &syn::ExprIf) -> bool {
    let jump = matches!(
        e.then_branch.stmts.as_slice(),
        [syn::Stmt::Expr(syn::Expr::Break(b), _)] if b.label.is_none() && b.expr.is_none()
    );
    jump && e.else_branch.is_none()
}

/// How a tree is passed through the end of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Yielded {
    Nothing,
    Value,
    Tuple(Vec<Yielded>),
    /// A reference to memory that nothing active is in, as a value; to a slice, where some of the arms have one.
    Constant {
        sliced: bool,
    },
    /// A reference, as what it may refer to and the values that say where.
    Reference(Reference),
}

fn shape_of(tree: &Tree) -> Yielded {
    match tree {
        Tree::Unit | Tree::Never => Yielded::Nothing,
        Tree::Value(_) | Tree::Place(_) | Tree::View(_) | Tree::Either(_) => Yielded::Value,
        Tree::Tuple(parts) => Yielded::Tuple(parts.iter().map(shape_of).collect()),
    }
}

fn rebuild(shape: &Yielded, values: &mut dyn Iterator<Item = Value>) -> Tree {
    match shape {
        Yielded::Nothing => Tree::Unit,
        Yielded::Value | Yielded::Constant { .. } => values.next().map_or(Tree::Unit, Tree::Value),
        Yielded::Reference(reference) => reference.rebuild(values),
        Yielded::Tuple(parts) => {
            Tree::Tuple(parts.iter().map(|part| rebuild(part, values)).collect())
        }
    }
}

fn as_binding(tree: Tree) -> Binding {
    match tree {
        Tree::Value(v) => Binding::Value(v),
        Tree::Tuple(parts) => Binding::Tuple(parts.into_iter().map(as_binding).collect()),
        Tree::Place(path) => Binding::Place(path),
        Tree::View(path) => Binding::View(path),
        Tree::Either(either) => Binding::Either(either),
        Tree::Unit | Tree::Never => Binding::Unset,
    }
}

fn same(a: &Binding, b: &Binding) -> bool {
    match (a, b) {
        (Binding::Value(a), Binding::Value(b)) => a == b,
        (Binding::Tuple(a), Binding::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Binding::Place(a), Binding::Place(b)) | (Binding::View(a), Binding::View(b)) => a == b,
        (Binding::Either(a), Binding::Either(b)) => a == b,
        (Binding::Unset, Binding::Unset) => true,
        _ => false,
    }
}

/// Whether an identifier in a refutable pattern names a constant.
fn is_constant_name(pat: &syn::Pat, ident: &syn::Ident) -> bool {
    struct Find<'a>(&'a syn::Ident, bool);
    impl<'ast> Visit<'ast> for Find<'_> {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.1 |= p.ident == *self.0 && syntax::is_constant(p);
            crate::visit::visit_pat_ident(self, p);
        }
    }
    let mut find = Find(ident, false);
    find.visit_pat(pat);
    find.1
}

/// `x[..]`, `&x[..]`, `x.as_slice()`
fn is_all(e: &syn::Expr) -> bool {
    match super::expr::unparen(e) {
        syn::Expr::Reference(r) => is_all(&r.expr),
        syn::Expr::MethodCall(m) => m.method == "as_slice",
        syn::Expr::Index(i) => matches!(
            super::expr::unparen(&i.index),
            syn::Expr::Range(r) if r.start.is_none() && r.end.is_none()
        ),
        _ => false,
    }
}

/// Replaces names by the placeholders of a block's parameters.
#[derive(Default)]
struct Placeholders {
    names: Vec<String>,
    /// Those that stand for references to what the user means.
    lent: Vec<String>,
    /// Those that are numbers, where the user's may be references to them.
    numbers: Vec<String>,
}

impl Placeholders {
    fn new(names: Vec<String>) -> Self {
        Placeholders {
            names,
            ..Placeholders::default()
        }
    }

    fn get(&self, name: &syn::Ident) -> Option<syn::Ident> {
        let k = self.names.iter().position(|n| name == n)?;
        Some(format_ident!("__b{k}", span = name.span()))
    }
}

impl VisitMut for Placeholders {
    fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
        if let Some(ident) = self.get(&p.ident) {
            p.ident = ident;
            p.mutability = None;
        }
        crate::visit_mut::visit_pat_ident_mut(self, p);
    }

    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        let mut of = &*e;
        while let syn::Expr::Unary(u) = super::expr::unparen(of) {
            if !matches!(u.op, syn::UnOp::Deref(_)) {
                break;
            }
            of = &u.expr;
        }
        let of = super::expr::unparen(of);
        let named = |name: &String| matches!(of, syn::Expr::Path(p) if p.path.is_ident(name));
        if self.numbers.iter().any(named) {
            *e = of.clone();
        }
        if let syn::Expr::Path(p) = e {
            let name = p.path.get_ident();
            if let Some((name, ident)) = name.and_then(|i| Some((i.to_string(), self.get(i)?))) {
                *e = if self.lent.contains(&name) {
                    syn::parse_quote!((*#ident))
                } else {
                    syn::parse_quote!(#ident)
                };
            }
            return;
        }
        crate::visit_mut::visit_expr_mut(self, e);
    }

    fn visit_field_pat_mut(&mut self, f: &mut syn::FieldPat) {
        if f.colon_token.is_none()
            && matches!(&f.member, syn::Member::Named(n) if self.get(n).is_some())
        {
            f.colon_token = Some(syn::token::Colon::default());
        }
        crate::visit_mut::visit_field_pat_mut(self, f);
    }
}

/// The variables that code takes items out of.
struct Taken(Vec<String>);
impl<'ast> Visit<'ast> for Taken {
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if ["next", "next_back", "nth"]
            .iter()
            .any(|name| m.method == name)
        {
            // Of an iterator that is made here, nothing is taken from outside.
            if let syn::Expr::Path(_) = super::expr::unparen(&m.receiver) {
                self.0.extend(facts::root(&m.receiver));
            }
        }
        crate::visit::visit_expr_method_call(self, m);
    }
}

/// `name.as_str()`: of a text nothing has a derivative.
fn is_text(e: &syn::Expr) -> bool {
    matches!(super::expr::unparen(e), syn::Expr::MethodCall(m) if m.method == "as_str" && m.args.is_empty())
}

/// A pattern that is a text, which what holds one turns into.
fn tests_text(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(p) => tests_text(&p.pat),
        syn::Pat::Paren(p) => tests_text(&p.pat),
        syn::Pat::Or(p) => p.cases.iter().any(tests_text),
        syn::Pat::Lit(p) => matches!(p.lit, syn::Lit::Str(_)),
        _ => false,
    }
}

/// A pattern of a slice.
fn takes_apart(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Guard(p) => takes_apart(&p.pat),
        syn::Pat::Paren(p) => takes_apart(&p.pat),
        syn::Pat::Slice(_) => true,
        _ => false,
    }
}
