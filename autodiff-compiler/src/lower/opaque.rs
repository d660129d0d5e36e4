//! Inactive code, copied as it stands: its names are replaced by placeholders for values and places.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};

use super::{Binding, Lower, Tree, hidden};
use crate::desugar;
use crate::facts::{self, Changed, Facts};
use crate::ir::{Kind, Opaque, Path, Place, Step, Ty, Value};
use crate::macros;
use crate::matrices;
use crate::names;
use crate::own_names;
use crate::rules;
use crate::std_methods;
use crate::syntax;
use crate::types;
use crate::visit::{self, Enter as _, Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// The operands of verbatim code in the making.
#[derive(Default)]
pub(super) struct Operands {
    pub(super) args: Vec<Value>,
    pub(super) places: Vec<Place>,
}

impl Operands {
    pub(super) fn value(&mut self, v: Value) -> TokenStream {
        let k = self.args.iter().position(|&a| a == v).unwrap_or_else(|| {
            self.args.push(v);
            self.args.len() - 1
        });
        format_ident!("__a{k}").to_token_stream()
    }

    /// A value where the code moves it out: `__c0` for `__a0`.
    fn moved_value(&mut self, v: Value) -> TokenStream {
        self.value(v);
        let k = self.args.iter().position(|&a| a == v).unwrap_or_default();
        format_ident!("__c{k}").to_token_stream()
    }

    fn number_of(&mut self, p: Place) -> usize {
        self.places.iter().position(|&a| a == p).unwrap_or_else(|| {
            self.places.push(p);
            self.places.len() - 1
        })
    }

    fn place(&mut self, p: Place) -> TokenStream {
        format_ident!("__p{}", self.number_of(p)).to_token_stream()
    }

    /// The whole of a place where the code moves it out: `__q0` for `__p0`.
    fn moved(&mut self, p: Place) -> TokenStream {
        format_ident!("__q{}", self.number_of(p)).to_token_stream()
    }

    pub(super) fn path(&mut self, path: &Path) -> TokenStream {
        let root = self.place(path.root);
        path.steps.iter().fold(root, |tokens, step| match step {
            Step::Index(v) => {
                let v = self.value(*v);
                quote!(#tokens[#v])
            }
            Step::Field(k) => k.looked_at(&tokens),
            Step::Range(lo, hi) => {
                let lo = lo.map(|v| self.value(v));
                let hi = hi.map(|v| self.value(v));
                quote!(#tokens[#lo..#hi])
            }
        })
    }

    fn binding(
        &mut self,
        binding: &Binding,
        whole_place_is_reference: &dyn Fn(Place) -> bool,
    ) -> Option<TokenStream> {
        Some(match binding {
            Binding::Value(v) => self.value(*v),
            Binding::Tuple(parts) => {
                let parts: Option<Vec<_>> = parts
                    .iter()
                    .map(|b| self.binding(b, whole_place_is_reference))
                    .collect();
                let parts = parts?;
                quote!((#(#parts,)*))
            }
            Binding::Place(path) => self.path(path),
            // A reference parameter is its own name; any other view is borrowed again.
            Binding::View(path) if path.steps.is_empty() && whole_place_is_reference(path.root) => {
                self.place(path.root)
            }
            Binding::View(path) => {
                let tokens = self.path(path);
                quote!((&#tokens))
            }
            Binding::Either(either) => {
                let (on, yes, no) = (
                    self.value(either.on),
                    self.path(&either.yes),
                    self.path(&either.no),
                );
                quote!((if #on { &#yes } else { &#no }))
            }
            Binding::Unset => return None,
        })
    }
}

/// A macro of unknown meaning as a statement.
///
/// A jump out of it would be one in the forward sweep alone: rustc refuses one out of a closure, or that this yields something else.
pub(super) fn contained(mac: &syn::Macro) -> syn::Expr {
    let span = syn::spanned::Spanned::span(&mac.path);
    syn::parse_quote_spanned!(span=> (|| { #mac; rt::WriteOutMacrosThatJump })())
}

/// Contains the macros that are statements of code which is copied as it stands; a loop or closure in it may be left.
struct Contain;

impl VisitMut for Contain {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        use syn::Expr::{Async, Closure, ForLoop, Loop, While};
        if !matches!(e, Async(_) | Closure(_) | ForLoop(_) | Loop(_) | While(_)) {
            visit_mut::visit_expr_mut(self, e);
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_stmt_mut(&mut self, stmt: &mut syn::Stmt) {
        match stmt {
            syn::Stmt::Macro(m) if m.semi_token.is_some() && !facts::is_harmless(&m.mac) => {
                *stmt = syn::Stmt::Expr(contained(&m.mac), m.semi_token);
            }
            _ => visit_mut::visit_stmt_mut(self, stmt),
        }
    }
}

/// Replaces variables in code by placeholders.
struct Substitute<'a, 'b> {
    cx: &'a Lower<'b>,
    operands: &'a mut Operands,
}

impl Substitute<'_, '_> {
    fn name(&mut self, name: &str) -> Option<TokenStream> {
        let binding = self.cx.env.get(name)?;
        let cx = self.cx;
        self.operands
            .binding(binding, &|p| cx.is_reference_param(p))
    }

    /// A variable that is a float, whatever the user refers to it by.
    fn is_number(&self, e: &syn::Expr) -> bool {
        let name = match super::expr::unparen(e) {
            syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
            _ => None,
        };
        let binding = name.and_then(|name| self.cx.env.get(&name));
        matches!(binding, Some(Binding::Value(v)) if self.cx.func.ty(*v).is_float() && !self.cx.func.refers(*v))
    }

    /// What a variable that is a reference leads to, as a place: it may be written to.
    fn led_to(&mut self, e: &syn::Expr) -> Option<syn::Expr> {
        let syn::Expr::Path(p) = super::expr::unparen(e) else {
            return None;
        };
        match self.cx.env.get(&p.path.get_ident()?.to_string())? {
            Binding::View(path)
                if !(path.steps.is_empty() && self.cx.is_reference_param(path.root)) =>
            {
                Some(syn::Expr::Verbatim(self.operands.path(path)))
            }
            _ => None,
        }
    }

    /// What a reference leads to that a method changes: it is borrowed again, to be changed.
    fn changed_part(&mut self, m: &syn::ExprMethodCall) -> Option<TokenStream> {
        let syn::Expr::Path(p) = super::expr::unparen(&m.receiver) else {
            return None;
        };
        let binding = self.cx.env.get(&p.path.get_ident()?.to_string())?;
        match binding {
            Binding::View(path)
                if facts::changes_receiver(&m.method.to_string())
                    && !(path.steps.is_empty() && self.cx.is_reference_param(path.root)) =>
            {
                let part = self.operands.path(path);
                Some(quote!((&mut #part)))
            }
            _ => None,
        }
    }

    /// Marks a variable of the function that stands where the code takes it by value.
    fn mark_moved(&mut self, e: &mut syn::Expr) {
        let syn::Expr::Path(p) = super::expr::unparen(e) else {
            return;
        };
        let name = p.path.get_ident().map(ToString::to_string);
        let binding = name.and_then(|name| self.cx.env.get(&name));
        match binding {
            Some(Binding::Place(path))
                if path.steps.is_empty() && !self.cx.is_reference_param(path.root) =>
            {
                *e = syn::Expr::Verbatim(self.operands.moved(path.root));
            }
            Some(&Binding::Value(v)) if self.cx.func.is_moved(v) => {
                *e = syn::Expr::Verbatim(self.operands.moved_value(v));
            }
            _ => {}
        }
    }

    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let mut variable = |ident: &Ident| self.name(&ident.to_string());
        names::replaced(tokens, &mut variable, &|literal| literal)
    }
}

impl VisitMut for Substitute<'_, '_> {
    fn visit_expr_mut(&mut self, e: &mut syn::Expr) {
        if let syn::Expr::Path(p) = e {
            if let Some(tokens) = p.path.get_ident().and_then(|i| self.name(&i.to_string())) {
                *e = syn::Expr::Verbatim(tokens);
            }
            return;
        }
        for taken in taken(e) {
            self.mark_moved(taken);
        }
        match e {
            syn::Expr::MethodCall(m) => {
                if let Some(part) = self.changed_part(m) {
                    *m.receiver = syn::Expr::Verbatim(part);
                }
            }
            // A `&mut` reference that is passed on.
            syn::Expr::Call(call) => {
                for arg in &mut call.args {
                    if passed_on(arg, &self.cx.facts).is_some() {
                        if let Some(place) = self.led_to(arg) {
                            *arg = syn::parse_quote!((&mut #place));
                        }
                    }
                }
            }
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => {
                if let Some(place) = self.led_to(&u.expr) {
                    *e = place;
                    return;
                }
            }
            // What an option of references holds is a number here: it is compared with numbers.
            syn::Expr::Binary(b) if syntax::is_comparison(&b.op) => {
                let numbers = [&b.left, &b.right].map(|side| self.is_number(side));
                for (side, number) in [(&mut b.left, numbers[1]), (&mut b.right, numbers[0])] {
                    if let Some(place) = self.led_to(side).filter(|_| number) {
                        **side = place;
                    }
                }
            }
            syn::Expr::Field(syn::ExprField { base, .. })
            | syn::Expr::Index(syn::ExprIndex { expr: base, .. }) => {
                if let Some(place) = self.led_to(base) {
                    **base = place;
                }
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
        if let syn::Expr::Call(call) = e {
            if let Some(again) = macros::close_vec(call) {
                *e = again;
            }
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.mark_moved(&mut init.expr);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        if let Some(syn::Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.mark_moved(last);
        }
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        if field.colon_token.is_none()
            && matches!(&field.member, syn::Member::Named(n) if self.cx.env.contains_key(&n.to_string()))
        {
            field.colon_token = Some(syn::token::Colon::default());
        }
        self.visit_expr_mut(&mut field.expr);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
    }
}

/// What an expression takes by value, of what stands directly in it.
fn taken(e: &mut syn::Expr) -> Vec<&mut syn::Expr> {
    match e {
        syn::Expr::Binary(b) if !syntax::is_comparison(&b.op) => {
            let changed = syntax::is_compound(&b.op);
            let left = (!changed).then_some(&mut *b.left);
            left.into_iter().chain([&mut *b.right]).collect()
        }
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Neg(_)) => vec![&mut *u.expr],
        syn::Expr::Assign(a) => vec![&mut *a.right],
        syn::Expr::MethodCall(m) => {
            let whole = std_methods::takes_receiver(&m.method.to_string());
            let receiver = whole.then_some(&mut *m.receiver);
            receiver.into_iter().chain(&mut m.args).collect()
        }
        syn::Expr::Call(c) => c.args.iter_mut().collect(),
        syn::Expr::Array(a) => a.elems.iter_mut().collect(),
        syn::Expr::Tuple(t) => t.elems.iter_mut().collect(),
        syn::Expr::Struct(s) => s.fields.iter_mut().map(|field| &mut field.expr).collect(),
        _ => Vec::new(),
    }
}

/// The `&mut` references that are passed on to functions, and functions that are variables: they may change what they hold.
struct PassedOn<'a> {
    facts: &'a Facts,
    names: Vec<String>,
}

impl<'ast> Visit<'ast> for PassedOn<'_> {
    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        visit::visit_expr_call(self, e);
        let passed = e.args.iter().filter_map(|arg| passed_on(arg, self.facts));
        self.names.extend(passed);
        self.names.extend(facts::root(&e.func));
    }
}

/// The variable that an argument is, if it is a `&mut` reference.
fn passed_on(arg: &syn::Expr, facts: &Facts) -> Option<String> {
    let syn::Expr::Path(p) = super::expr::unparen(arg) else {
        return None;
    };
    let name = p.path.get_ident()?.to_string();
    facts
        .get(&name)
        .is_some_and(|v| v.exclusive)
        .then_some(name)
}

/// Names that format strings capture anywhere in an expression, and where: a macro may have written the text.
#[derive(Default)]
struct Captures(BTreeMap<String, Span>);

impl Captures {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        let span = literal.span();
                        let found = syntax::captures(&text.value()).into_iter();
                        self.0.extend(found.map(|name| (name, span)));
                    }
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Captures {
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
    }
}

/// Finds jumps out of verbatim code.
struct Exits<'a> {
    errors: &'a mut crate::errors::Errors,
    loops: usize,
    labels: Vec<String>,
}

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_item(&mut self, _: &'ast syn::Item) {}
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_return(&mut self, e: &'ast syn::ExprReturn) {
        self.errors.error(e.return_token, "an early `return` is not supported yet; let the last expression yield the value, with `if` and `else`");
    }

    fn visit_expr_try(&mut self, e: &'ast syn::ExprTry) {
        self.errors.error(
            e.question_token,
            "`?` is not supported yet; handle the case before calling this function",
        );
    }

    fn visit_expr_break(&mut self, e: &'ast syn::ExprBreak) {
        match &e.label {
            Some(label) if !self.labels.contains(&label.ident.to_string()) => self.errors.error(label, "`break` with a label is not supported yet; use `if` and `else`, or move this part into a function of its own"),
            None if self.loops == 0 => self.errors.error(e.break_token, "`break` is not supported yet where active values are involved; use `if` inside a `for` loop"),
            _ => {}
        }
        visit::visit_expr_break(self, e);
    }

    fn visit_expr_continue(&mut self, e: &'ast syn::ExprContinue) {
        match &e.label {
            Some(label) if !self.labels.contains(&label.ident.to_string()) => self.errors.error(
                label,
                "`continue` with a label is not supported yet; use `if`",
            ),
            None if self.loops == 0 => self.errors.error(
                e.continue_token,
                "`continue` is not supported yet where active values are involved; use `if`",
            ),
            _ => {}
        }
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_expr(&e.expr);
        self.inside(e.label.as_ref(), |cx| cx.visit_block(&e.body));
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.inside(e.label.as_ref(), |cx| visit::visit_expr_while(cx, e));
    }

    fn visit_expr_loop(&mut self, e: &'ast syn::ExprLoop) {
        self.inside(e.label.as_ref(), |cx| cx.visit_block(&e.body));
    }

    fn visit_other(&mut self, node: Other<'ast>) {
        match node {
            Other::ExprAwait(e) => {
                self.errors.error(
                    e.await_token,
                    "`.await` cannot be differentiated; compute in plain code",
                );
            }
            Other::ExprBlock(e) => {
                let loops = self.loops;
                self.inside(e.label.as_ref(), |cx| {
                    // A labelled block is left by its label alone.
                    cx.loops = loops;
                    cx.visit_block(&e.block);
                });
            }
            other => other.walk(self),
        }
    }
}

impl Exits<'_> {
    fn inside(&mut self, label: Option<&syn::Label>, f: impl FnOnce(&mut Self)) {
        let loops = self.loops;
        self.loops += 1;
        self.labels.extend(label.map(|l| l.name.ident.to_string()));
        f(self);
        self.loops = loops;
        if label.is_some() {
            self.labels.pop();
        }
    }
}

/// Collects the variables that a pattern binds.
#[derive(Default)]
pub(super) struct Bound(pub(super) Vec<Ident>);

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        if !syntax::is_constant(p) {
            self.0.push(p.ident.clone());
        }
        visit::visit_pat_ident(self, p);
    }
}

impl Lower<'_> {
    fn is_reference_param(&self, p: Place) -> bool {
        use crate::ir::Storage;
        matches!(
            self.func.at(p).storage,
            Storage::Shared | Storage::Exclusive
        )
    }

    /// Tokens that borrow a part of a place.
    pub(super) fn borrowed_tokens(&self, path: &Path, operands: &mut Operands) -> TokenStream {
        let whole = path.steps.is_empty() && self.is_reference_param(path.root);
        let tokens = operands.path(path);
        if whole { tokens } else { quote!((&#tokens)) }
    }

    /// A reference as a value, for a variable that code which is copied as it stands assigns; `exclusive` if it may be written through.
    pub(super) fn reference_to(&mut self, path: &Path, exclusive: bool) -> Value {
        let mut operands = Operands::default();
        let (tokens, writes) = if exclusive {
            self.func.at_mut(path.root).mutable = true;
            let tokens = operands.path(path);
            (quote!((&mut #tokens)), vec![path.root])
        } else {
            (self.borrowed_tokens(path, &mut operands), Vec::new())
        };
        let opaque = Opaque {
            tokens,
            places: operands.places,
            writes,
            pure: false,
        };
        self.emit(Kind::Opaque(opaque), operands.args, Ty::Inert, "")
    }

    /// `place.as_str()`
    pub(super) fn text_in(&mut self, path: &Path, method: &Ident) -> Value {
        let mut operands = Operands::default();
        let place = operands.path(path);
        let opaque = Opaque {
            tokens: quote!((#place).#method()),
            places: operands.places,
            writes: Vec::new(),
            pure: false,
        };
        let text = self.emit(Kind::Opaque(opaque), operands.args, Ty::Inert, "");
        self.func.values[text.0 as usize].borrows = true;
        text
    }

    /// Tokens with placeholders for an inactive expression; `operands` collects what they stand for.
    pub(super) fn substitute(&mut self, e: &syn::Expr, operands: &mut Operands) -> TokenStream {
        // Of methods that do no more than store it is said where code is read.
        let seen = |e: &&syn::Expr| matches!(e, syn::Expr::MethodCall(m) if hidden::stores(&m.method.to_string()));
        if let Some(call) = self.facts.stores(e).filter(|call| !seen(call)) {
            self.errors.error(call, facts::STORED);
        }
        let mut exits = Exits {
            errors: self.errors,
            loops: 0,
            labels: Vec::new(),
        };
        exits.visit_expr(e);
        let mut captures = Captures::default();
        captures.visit_expr(e);
        let mut e = e.clone();
        desugar::spell_out(&mut e);
        Contain.visit_expr_mut(&mut e);
        Substitute { cx: self, operands }.visit_expr_mut(&mut e);
        let tokens = e.to_token_stream();
        // A format string finds its captured names in a block of their own.
        let mut lets = TokenStream::new();
        for (name, span) in captures.0 {
            let Some(binding) = self.env.get(&name).cloned() else {
                continue;
            };
            let copied = matches!(&binding, Binding::Value(v) if self.func.ty(*v).is_scalar());
            let cx = &*self;
            let Some(value) = operands.binding(&binding, &|p| cx.is_reference_param(p)) else {
                continue;
            };
            let ident = Ident::new(&name, span);
            lets.extend(if copied {
                quote!(let #ident = #value;)
            } else {
                quote!(let #ident = &#value;)
            });
        }
        if lets.is_empty() {
            tokens
        } else {
            Group::new(Delimiter::Brace, quote!(#lets #tokens)).to_token_stream()
        }
    }

    /// The places that verbatim code may change, which have to be mutable for it.
    pub(super) fn writes(&mut self, e: &syn::Expr) -> Vec<Place> {
        let mut changed = Changed::default();
        changed.visit_expr(e);
        let mut passed = PassedOn {
            facts: &self.facts,
            names: Vec::new(),
        };
        passed.visit_expr(e);
        changed.names.extend(passed.names);
        let written = self.changed_places(changed.names);
        for &p in &written {
            self.func.at_mut(p).mutable = true;
        }
        written
    }

    /// The places that the expression changes for sure.
    pub(super) fn certain_writes(&self, e: &syn::Expr) -> Vec<Place> {
        let mut changed = Changed::default();
        changed.visit_expr(e);
        self.changed_places(changed.certain)
    }

    fn changed_places(&self, names: Vec<String>) -> Vec<Place> {
        let mut out = Vec::new();
        for name in names {
            let path = match self.env.get(&name) {
                Some(Binding::Place(path)) if self.facts.get(&name).is_none_or(|v| v.mutable) => {
                    path
                }
                Some(Binding::View(path))
                    if self.func.at(path.root).mutable || self.is_exclusive(path.root) =>
                {
                    path
                }
                _ => continue,
            };
            if !out.contains(&path.root) {
                out.push(path.root);
            }
        }
        out
    }

    fn is_exclusive(&self, p: Place) -> bool {
        self.func.at(p).storage == crate::ir::Storage::Exclusive
    }

    pub(super) fn opaque(&mut self, e: &syn::Expr, statement: bool) -> (Opaque, Vec<Value>) {
        let mut operands = Operands::default();
        let tokens = self.substitute(e, &mut operands);
        let writes = self.writes(e);
        let pure = writes.is_empty() && !statement && self.is_pure(e);
        (
            Opaque {
                tokens,
                places: operands.places,
                writes,
                pure,
            },
            operands.args,
        )
    }

    /// The places of which the code names more than parts without derivative.
    fn differentiable_parts(&self, e: &syn::Expr, places: &[Place]) -> Vec<Place> {
        fn reads(cx: &Lower<'_>, binding: &Binding, p: Place) -> bool {
            match binding {
                Binding::Place(path) | Binding::View(path) => {
                    path.root == p && !cx.func.path_ty(path).is_inert()
                }
                Binding::Either(either) => [&either.yes, &either.no]
                    .into_iter()
                    .any(|path| path.root == p && !cx.func.path_ty(path).is_inert()),
                Binding::Tuple(parts) => parts.iter().any(|part| reads(cx, part, p)),
                Binding::Value(_) | Binding::Unset => false,
            }
        }
        let mut out = places.to_vec();
        out.retain(|&p| {
            facts::mentions(e, &|name| {
                self.env.get(name).is_some_and(|b| reads(self, b, p))
            })
        });
        out
    }

    /// An inactive expression as one operation.
    pub(super) fn verbatim(&mut self, e: &syn::Expr) -> Tree {
        let never = matches!(e, syn::Expr::Macro(m) if m.mac.path.segments.last().is_some_and(|s| matches!(s.ident.to_string().as_str(), "panic" | "unreachable" | "todo" | "unimplemented")));
        if never {
            self.verbatim_statement(e);
            return Tree::Never;
        }
        let ty = match self.facts.ty(e) {
            Ty::Tuple(parts) if parts.is_empty() => Ty::Inert,
            Ty::Unknown if self.calls_associated(e) => Ty::User,
            ty => ty,
        };
        let (mut opaque, args) = self.opaque(e, false);
        self.verbatim.push(super::Verbatim {
            code: e.clone(),
            args: args.clone(),
            places: self.differentiable_parts(e, &opaque.places),
            changes: super::LOST,
        });
        if matrices::is_view_of_temporary(e) {
            let tokens = opaque.tokens;
            opaque.tokens = quote!(match #tokens { view => rt::passed(&view).to_operand() });
        }
        let value = self.emit(Kind::Opaque(opaque), args, ty, "");
        self.may_refer_as(value, e);
        Tree::Value(value)
    }

    /// Inactive code for its effect.
    pub(super) fn verbatim_statement(&mut self, e: &syn::Expr) {
        // To name a variable has none; the value of a block may be one of unit, which is no value of the graph.
        if matches!(super::expr::unparen(e), syn::Expr::Path(_)) {
            return;
        }
        let (opaque, args) = self.opaque(e, true);
        if !matches!(e, syn::Expr::Macro(_)) && !self.facts.mentions_active(e) {
            self.verbatim.push(super::Verbatim {
                code: e.clone(),
                args: args.clone(),
                places: self.differentiable_parts(e, &opaque.places),
                changes: super::LOST,
            });
        }
        self.push(Kind::Opaque(opaque), args, Vec::new());
    }

    /// `let PATTERN = inactive expression;`
    pub(super) fn bind_verbatim(&mut self, pattern: &syn::Pat, e: &syn::Expr) {
        let simple = match pattern {
            syn::Pat::Type(t) => {
                matches!(&*t.pat, syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none())
            }
            syn::Pat::Ident(p) => p.by_ref.is_none() && p.subpat.is_none(),
            _ => false,
        };
        if simple {
            if !self.may_be_reference(e) && !matches!(e, syn::Expr::Reference(_)) {
                let mut bound = Bound::default();
                bound.visit_pat(pattern);
                self.by_value
                    .extend(bound.0.iter().map(ToString::to_string));
            }
            let tree = self.expr(e);
            self.bind(pattern, tree);
            return;
        }
        let mut bound = Bound::default();
        bound.visit_pat(pattern);
        let names = bound.0;
        if names.is_empty() {
            self.verbatim_statement(&syn::parse_quote!({ let #pattern = #e; }));
            return;
        }
        let mut operands = Operands::default();
        let tokens = self.substitute(e, &mut operands);
        let writes = self.writes(e);
        let tys: Vec<Ty> = names
            .iter()
            .map(|n| {
                self.facts
                    .get(&n.to_string())
                    .map_or(Ty::Unknown, |v| v.ty.clone())
            })
            .collect();
        self.verbatim.push(super::Verbatim {
            code: e.clone(),
            args: operands.args.clone(),
            places: self.differentiable_parts(e, &operands.places),
            changes: super::LOST,
        });
        // Each variable is bound again, mutable if need be; the pattern itself only takes the value apart.
        let mut plain = pattern.clone();
        Immutable.visit_pat_mut(&mut plain);
        let tokens = quote!({ let #plain = #tokens; (#(#names,)*) });
        let opaque = Opaque {
            tokens,
            places: operands.places,
            writes,
            pure: false,
        };
        let all = self.emit(
            Kind::Opaque(opaque),
            operands.args,
            Ty::Tuple(tys.clone()),
            "",
        );
        for (k, (name, ty)) in names.iter().zip(tys).enumerate() {
            let name = name.to_string();
            let part = self.emit(Kind::Component(k.into()), vec![all], ty, &name);
            if self.is_lent_parameter(e) {
                // A pattern takes a reference apart into references.
                self.may_refer(part, true);
            } else {
                self.may_refer_as(part, e);
            }
            let binding = if self.facts.is_place(&name) {
                Binding::Place(self.new_place(&name, part))
            } else {
                Binding::Value(part)
            };
            self.env.insert(name, binding);
        }
    }

    /// May be run twice: arithmetic on numbers, and reads.
    pub(super) fn is_pure(&self, e: &syn::Expr) -> bool {
        match e {
            syn::Expr::Lit(_) | syn::Expr::Path(_) => true,
            syn::Expr::Paren(e) => self.is_pure(&e.expr),
            syn::Expr::Group(e) => self.is_pure(&e.expr),
            syn::Expr::Unary(e) => self.is_pure(&e.expr),
            syn::Expr::Binary(e) => {
                !syntax::is_compound(&e.op) && self.is_pure(&e.left) && self.is_pure(&e.right)
            }
            syn::Expr::Cast(e) => self.is_pure(&e.expr),
            syn::Expr::Field(e) => self.is_pure(&e.base),
            syn::Expr::Index(e) => self.is_pure(&e.expr) && self.is_pure(&e.index),
            syn::Expr::Reference(e) => e.mutability.is_none() && self.is_pure(&e.expr),
            syn::Expr::Range(e) => e.start.iter().chain(&e.end).all(|e| self.is_pure(e)),
            syn::Expr::Tuple(e) => e.elems.iter().all(|e| self.is_pure(e)),
            syn::Expr::Call(e) => {
                let known = matches!(&*e.func, syn::Expr::Path(p) if is_counting(&p.path) || is_cast(&p.path));
                known && e.args.iter().all(|e| self.is_pure(e))
            }
            syn::Expr::MethodCall(e) => {
                let name = e.method.to_string();
                let number = self.facts.ty(&e.receiver).is_scalar();
                let known = matches!(name.as_str(), "len" | "is_empty")
                    || number
                        && (rules::by_method(&name).is_some() || own_names::is_inert_method(&name));
                known && self.is_pure(&e.receiver) && e.args.iter().all(|e| self.is_pure(e))
            }
            _ => false,
        }
    }
}

/// `f64::from` and the like.
fn is_cast(path: &syn::Path) -> bool {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    matches!(&names[..], [of, from] if from == "from" && types::is_primitive(of))
}

/// `rt::distance` and `rt::nth`, of generated code, on numbers.
fn is_counting(path: &syn::Path) -> bool {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    matches!(
        names.iter().map(String::as_str).collect::<Vec<_>>()[..],
        ["rt", "distance" | "nth"]
    )
}

struct Immutable;

impl VisitMut for Immutable {
    fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
        p.mutability = None;
        visit_mut::visit_pat_ident_mut(self, p);
    }
}
