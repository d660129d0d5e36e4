//! Functions as arguments: closures become graphs of their own, whose last parameters are what they capture.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use quote::{ToTokens, format_ident, quote};

use super::expr::unparen;
use super::{Binding, Lower, Tree};
use crate::analysis;
use crate::facts::{self, Var};
use crate::ir::{self, Arg, Block, Closure, Func, Function, Param, Path, Storage, Ty};
use crate::rules;
use crate::share;
use crate::syntax;
use crate::types;
use crate::visit::{self, Visit};

impl Lower<'_> {
    /// An argument that is a function, if it is one.
    pub(super) fn function(&mut self, e: &syn::Expr, extra: &mut Vec<Arg>) -> Option<Function> {
        let inner = match unparen(e) {
            syn::Expr::Reference(r) if r.mutability.is_none() => unparen(&r.expr),
            other => other,
        };
        match inner {
            syn::Expr::Closure(closure) => {
                let closure = self.closure(closure, extra);
                Some(Function::Closure(Rc::new(closure)))
            }
            syn::Expr::Path(path) => {
                if let Some(place) = self.callable(path) {
                    extra.push(Arg::Capture(Path::whole(place)));
                    return Some(Function::Parameter(extra.len() - 1));
                }
                if self.has_forms(path) {
                    return Some(named(path));
                }
                let wrapped = self.wrapped(path)?;
                let closure = self.closure(&wrapped, extra);
                Some(Function::Closure(Rc::new(closure)))
            }
            _ => None,
        }
    }

    /// Whether an argument is a function.
    pub(super) fn is_function(&self, e: &syn::Expr) -> bool {
        let inner = match unparen(e) {
            syn::Expr::Reference(r) if r.mutability.is_none() => unparen(&r.expr),
            other => other,
        };
        match inner {
            syn::Expr::Closure(_) => true,
            syn::Expr::Path(path) => self.callable(path).is_some() || self.is_item(path),
            _ => false,
        }
    }

    /// Whether a path names a function of the program.
    fn is_item(&self, path: &syn::ExprPath) -> bool {
        let Some(last) = path.path.segments.last() else {
            return false;
        };
        let last = last.ident.to_string();
        let lower = last.starts_with(char::is_lowercase);
        let variable = path.path.segments.len() == 1
            && (self.env.contains_key(&last) || self.own_constants.contains(&last));
        path.qself.is_none() && lower && !variable
    }

    /// Whether a path names a function of the program with derivatives under its own name: neither a method nor one of the runtime's.
    fn has_forms(&self, path: &syn::ExprPath) -> bool {
        let last = path.path.segments.last().map(|s| s.ident.to_string());
        let float = path.path.segments.iter().nth_back(1);
        let float = float.is_some_and(|s| s.ident == "f64" || s.ident == "f32");
        let known = last.is_none_or(|last| rules::by_name(&last).is_some() || last == self.own);
        self.is_item(path) && !float && !known && self.associated(&path.path).is_none()
    }

    /// The place of a parameter that is a function.
    pub(super) fn callable(&self, path: &syn::ExprPath) -> Option<ir::Place> {
        let name = path.path.get_ident()?.to_string();
        match (self.callables.get(&name), self.env.get(&name)) {
            (Some(_), Some(Binding::View(path))) => Some(path.root),
            _ => None,
        }
    }

    /// A function named by its path, as a closure that calls it.
    fn wrapped(&mut self, path: &syn::ExprPath) -> Option<syn::ExprClosure> {
        let names: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let last = names.last()?;
        if !self.is_item(path) {
            return None;
        }
        let method = names.len() > 1 && matches!(names[names.len() - 2].as_str(), "f64" | "f32");
        let arity = match rules::by_method(last) {
            Some(row) if method => rules::rule(row).args.len(),
            _ => 1,
        };
        let inputs: Vec<syn::Ident> = (0..arity)
            .map(|k| format_ident!("x{}_{k}", self.wrappers))
            .collect();
        self.wrappers += 1;
        inputs.iter().for_each(|input| self.made_up(input));
        Some(syn::parse_quote!(|#(#inputs),*| #path(#(#inputs),*)))
    }

    /// Makes a variable known that the user did not write.
    fn made_up(&mut self, name: &syn::Ident) {
        let var = Var {
            ty: Ty::Unknown,
            mutable: false,
            active: true,
            place: false,
            roots: Vec::new(),
            exclusive: false,
            constant: false,
            rebound: false,
            listed: false,
        };
        self.facts.vars.insert(name.to_string(), var);
    }

    /// Lowers a closure apart from the function around it; what it captures is appended to `extra`.
    fn closure(&mut self, e: &syn::ExprClosure, extra: &mut Vec<Arg>) -> Closure {
        if let Some(token) = &e.asyncness {
            self.errors.error(
                token,
                "an `async` closure cannot be differentiated; make it a plain one",
            );
        }
        let captured = self.captured(e);
        self.refuse_changes(e, &captured);
        self.refuse_callables(e);
        let captures = extra.len();
        let mut func = Func {
            values: Vec::new(),
            places: Vec::new(),
            blocks: 0,
            tapes: 0,
            copies: BTreeMap::new(),
            recursive: self.func.recursive,
            generic: self.func.generic,
            assume_std: self.func.assume_std,
            strong: self.func.strong,
            mild: BTreeSet::new(),
            overflows: BTreeSet::new(),
            left: BTreeSet::new(),
            params: Vec::new(),
            body: Block::default(),
        };
        func.body = func.block();
        let mut env = BTreeMap::new();
        let mut lets: Vec<syn::Stmt> = Vec::new();
        let mut wrt = Vec::new();
        for (k, input) in e.inputs.iter().enumerate() {
            self.input((k, input), &e.body, &mut func, &mut env, &mut lets);
        }
        let inputs = func.params.len();
        wrt.extend(func.params.iter().copied());
        // What may be a reference is one inside as well.
        let mut referring = Vec::new();
        for name in &captured {
            let active = self.facts.get(name).is_some_and(|v| v.active);
            let before = func.params.len();
            if let Some(binding) = self.env.get(name).cloned() {
                let inner = self.capture(&binding, &mut func, extra);
                if let (Binding::Value(v), Binding::Value(inner)) = (&binding, &inner) {
                    if self.referring.contains(v) {
                        referring.push(*inner);
                    }
                }
                env.insert(name.clone(), inner);
            }
            if active {
                wrt.extend(func.params[before..].iter().copied());
            }
        }
        let mut body: syn::Block = match &*e.body {
            syn::Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => b.block.clone(),
            // Not by its text: code that was rewritten need not be one expression there.
            other => syn::Block {
                brace_token: syn::token::Brace::default(),
                stmts: vec![syn::Stmt::Expr(other.clone(), None)],
            },
        };
        lets.append(&mut body.stmts);
        body.stmts = lets;

        // The function around waits.
        let outer = (
            std::mem::replace(&mut self.func, func),
            std::mem::replace(&mut self.env, env),
            std::mem::take(&mut self.ops),
            std::mem::take(&mut self.ascribed),
            std::mem::take(&mut self.ascribed_places),
            std::mem::take(&mut self.verbatim),
            std::mem::take(&mut self.constants),
        );
        let known = (
            std::mem::take(&mut self.matched),
            std::mem::take(&mut self.referring),
            std::mem::take(&mut self.numbers),
            std::mem::take(&mut self.widths),
            std::mem::take(&mut self.copies),
        );
        for v in referring {
            self.may_refer(v, false);
        }
        let result = match self.function_body(&body) {
            Tree::Unit | Tree::Never => {
                self.errors
                    .error(&e.body, "this closure yields nothing; let it yield a float");
                self.dummy()
            }
            tree => tree,
        };
        let result = self.value(result);
        (
            self.matched,
            self.referring,
            self.numbers,
            self.widths,
            self.copies,
        ) = known;
        let mut func = std::mem::replace(&mut self.func, outer.0);
        self.env = outer.1;
        let ops = std::mem::replace(&mut self.ops, outer.2);
        let constants = std::mem::replace(&mut self.constants, outer.6);
        func.body.ops = super::behind(constants, ops);
        let ascribed = std::mem::replace(&mut self.ascribed, outer.3);
        let ascribed_places = std::mem::replace(&mut self.ascribed_places, outer.4);
        let verbatim = std::mem::replace(&mut self.verbatim, outer.5);
        func.body.yields = vec![result];
        func.body.segment = true;

        analysis::kinds(&mut func);
        wrt.retain(|param| match *param {
            Param::Value(v) => !func.ty(v).is_inert(),
            Param::Place(p) => !func.at(p).ty.is_inert(),
        });
        super::refuse_lost(&func, &wrt, &verbatim, self.errors);
        ir::number(&mut func);
        share::share(&mut func);
        Closure {
            func,
            wrt,
            inputs,
            captures,
            ascribed,
            ascribed_places,
        }
    }

    /// A parameter of a closure.
    fn input(
        &mut self,
        (k, pattern): (usize, &syn::Pat),
        body: &syn::Expr,
        func: &mut Func,
        env: &mut BTreeMap<String, Binding>,
        lets: &mut Vec<syn::Stmt>,
    ) {
        let mut refers = false;
        let (plain, ty) = match pattern {
            syn::Pat::Type(p) => (&*p.pat, Some(&*p.ty)),
            other => (other, None),
        };
        let name = match plain {
            syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                let used = ty.is_none().then(|| Dereferenced::of(&p.ident, body));
                refers = used.as_ref().is_some_and(|used| used.found);
                if used.is_some_and(|used| used.changed) {
                    self.errors.error(p, CHANGING);
                }
                p.ident.to_string()
            }
            pattern => {
                let name = format_ident!("arg{}_{k}", self.wrappers);
                self.wrappers += 1;
                self.made_up(&name);
                match pattern {
                    // `|&x|`: the parameter is a reference.
                    syn::Pat::Reference(p) => {
                        let inner = &p.pat;
                        refers = true;
                        lets.push(syn::parse_quote!(let #inner = *#name;));
                    }
                    pattern => lets.push(syn::parse_quote!(let #pattern = #name;)),
                }
                name.to_string()
            }
        };
        let mut known = self.facts.get(&name).map_or(Ty::Unknown, |v| v.ty.clone());
        if let Some(ty) = ty {
            known = ir::join(types::read_in(ty, &self.numeric), known);
        }
        if let Some(syn::Type::Reference(r)) = ty {
            if r.mutability.is_some() {
                self.errors.error(r, CHANGING);
            }
            refers = true;
        }
        if refers {
            let place = func.place(&name, known, Storage::Shared);
            func.params.push(Param::Place(place));
            env.insert(name, Binding::View(Path::whole(place)));
        } else if self.facts.is_place(&name) {
            let place = func.place(&name, known, Storage::Owned);
            func.params.push(Param::Place(place));
            env.insert(name, Binding::Place(Path::whole(place)));
        } else {
            let value = func.value(&name, known);
            func.params.push(Param::Value(value));
            env.insert(name, Binding::Value(value));
        }
    }

    /// A captured variable: each value and place in it becomes a parameter of the closure, and an argument of the call.
    fn capture(&mut self, binding: &Binding, func: &mut Func, extra: &mut Vec<Arg>) -> Binding {
        match binding {
            Binding::Value(v) => {
                let inner = func.value(self.func.hint(*v), self.func.ty(*v).clone());
                func.params.push(Param::Value(inner));
                extra.push(Arg::Value(*v));
                Binding::Value(inner)
            }
            Binding::Tuple(parts) => Binding::Tuple(
                parts
                    .iter()
                    .map(|part| self.capture(part, func, extra))
                    .collect(),
            ),
            Binding::Place(path) | Binding::View(path) => {
                let hint = self.func.at(path.root).hint.clone();
                let inner = func.place(hint, self.func.path_ty(path), Storage::Shared);
                func.params.push(Param::Place(inner));
                extra.push(Arg::Capture(path.clone()));
                match binding {
                    Binding::Place(_) => Binding::Place(Path::whole(inner)),
                    _ => Binding::View(Path::whole(inner)),
                }
            }
            Binding::Either(_) => {
                self.errors.error_at(self.span, "a closure that is passed on cannot capture a reference to one of several places; read the value before");
                Binding::Unset
            }
            Binding::Unset => Binding::Unset,
        }
    }

    /// The variables of the function that a closure mentions.
    fn captured(&self, e: &syn::ExprClosure) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        facts::idents(e.body.to_token_stream(), &mut |name| {
            if self.env.contains_key(&name) && !self.callables.contains_key(&name) {
                names.insert(name);
            }
        });
        names
    }

    /// What a function parameter has captured is known to its caller alone, so no closure can be given the cotangents of that.
    fn refuse_callables(&mut self, e: &syn::ExprClosure) {
        struct Callables<'a, 'b> {
            lower: &'a Lower<'b>,
            found: Vec<syn::ExprPath>,
        }
        impl<'ast> Visit<'ast> for Callables<'_, '_> {
            fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
                if self.lower.callable(path).is_some() {
                    self.found.push(path.clone());
                }
            }
        }
        let mut callables = Callables {
            lower: self,
            found: Vec::new(),
        };
        callables.visit_expr(&e.body);
        for path in callables.found {
            let name = path.to_token_stream();
            self.errors.error(
                &path,
                format_args!("a closure that is passed on cannot call `{name}`, a parameter of the function around it; pass `{name}` itself, as an argument of its own"),
            );
        }
    }

    /// A closure that changes what it captures would have to be undone call by call.
    fn refuse_changes(&mut self, e: &syn::ExprClosure, captured: &BTreeSet<String>) {
        struct Changes<'a> {
            captured: &'a BTreeSet<String>,
            found: Vec<syn::Expr>,
        }
        impl Changes<'_> {
            fn check(&mut self, place: &syn::Expr) {
                if facts::root(place).is_some_and(|name| self.captured.contains(&name)) {
                    self.found.push(place.clone());
                }
            }
        }
        impl<'ast> Visit<'ast> for Changes<'_> {
            fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
                self.check(&e.left);
                visit::visit_expr_assign(self, e);
            }
            fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
                if syntax::is_compound(&e.op) {
                    self.check(&e.left);
                }
                visit::visit_expr_binary(self, e);
            }
            fn visit_expr_reference(&mut self, e: &'ast syn::ExprReference) {
                if e.mutability.is_some() {
                    self.check(&e.expr);
                }
                visit::visit_expr_reference(self, e);
            }
            fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
                if e.method == "next" || facts::changes_receiver(&e.method.to_string()) {
                    self.check(&e.receiver);
                }
                visit::visit_expr_method_call(self, e);
            }
        }
        let mut changes = Changes {
            captured,
            found: Vec::new(),
        };
        changes.visit_expr(&e.body);
        for place in changes.found {
            self.errors.error(place, "a closure that is passed on cannot change what it captures; let it return the new value");
        }
    }

    /// A call of a parameter that is a function.
    pub(super) fn call_parameter(
        &mut self,
        e: &syn::ExprCall,
        place: ir::Place,
        name: &str,
    ) -> Tree {
        let mut args: Vec<Arg> = e
            .args
            .iter()
            .map(|arg| self.argument(arg, &e.args))
            .collect();
        let passed = args.len();
        args.push(Arg::Capture(Path::whole(place)));
        let path = format_ident!("{name}").to_token_stream();
        let call = ir::Call {
            owner: path.clone(),
            member: None,
            nested: None,
            receiver: false,
            keeps: false,
            path,
            generics: quote!(),
            args,
            passed,
            functions: Vec::new(),
            unsure: Vec::new(),
            parameter: true,
            optional: false,
            form: ir::Form::Primal,
            level: 0,
        };
        let ty = self.callables.get(name).cloned().unwrap_or(Ty::Unknown);
        Tree::Value(self.emit(ir::Kind::Call(call), Vec::new(), ty, ""))
    }
}

const CHANGING: &str =
    "a closure with a `&mut` parameter is not supported; let it return the new value";

/// Where `*name` stands in the body of a closure: of its parameters only references have that.
struct Dereferenced<'a> {
    name: &'a syn::Ident,
    found: bool,
    /// Something is assigned to it.
    changed: bool,
}

impl<'a> Dereferenced<'a> {
    fn of(name: &'a syn::Ident, body: &syn::Expr) -> Dereferenced<'a> {
        let mut found = Dereferenced {
            name,
            found: false,
            changed: false,
        };
        found.visit_expr(body);
        found
    }

    fn is(&self, e: &syn::Expr) -> bool {
        let syn::Expr::Unary(e) = unparen(e) else {
            return false;
        };
        let of = matches!(unparen(&e.expr), syn::Expr::Path(p) if p.path.is_ident(self.name));
        of && matches!(e.op, syn::UnOp::Deref(_))
    }
}

impl<'ast> Visit<'ast> for Dereferenced<'_> {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.found |= self.is(e);
        self.changed |= match e {
            syn::Expr::Assign(e) => self.is(&e.left),
            syn::Expr::Binary(e) => syntax::is_compound(&e.op) && self.is(&e.left),
            _ => false,
        };
        visit::visit_expr(self, e);
    }
}

/// A function of the program, as it is passed.
fn named(path: &syn::ExprPath) -> Function {
    let (mut path, mut generics) = (path.path.clone(), quote!());
    if let Some(last) = path.segments.last_mut() {
        if let syn::PathArguments::AngleBracketed(args) = &last.arguments {
            generics = args.to_token_stream();
        }
        last.arguments = syn::PathArguments::None;
    }
    Function::Named(path.to_token_stream(), generics)
}
