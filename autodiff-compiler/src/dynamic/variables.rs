//! The body of a function with variables of a tape in place of floats.

use rustc_hash::FxHashSet;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;

use super::callee;
use super::local::{self, Local};
use crate::ir::Ty;
use crate::marks;
use crate::rules;
use crate::syntax;
use crate::types;
use crate::visit_mut::{self, EnterMut as _, OtherMut, VisitMut};

/// Puts variables in place of floats.
pub(super) struct Variables {
    float: Ident,
    /// The function itself, which calls of its own name mean.
    function: Ident,
    /// What is a variable or a function of the body.
    scopes: Vec<FxHashSet<String>>,
    /// The types and traits of the body that have variables in them.
    types: Local,
    /// The lifetime of the tape where we are.
    lifetime: syn::Lifetime,
    /// In the arguments of a macro, where a name may be anything.
    in_macro: bool,
    /// In an item of the body.
    in_item: bool,
    /// In the signature of a function or in a type, where a trait object lives as long as the program unless it says otherwise.
    in_signature: bool,
}

impl Variables {
    pub(super) fn new(float: Ident, function: Ident) -> Self {
        Variables {
            float,
            function,
            scopes: Vec::new(),
            types: Local::default(),
            lifetime: syn::parse_quote!('__t),
            in_macro: false,
            in_item: false,
            in_signature: false,
        }
    }

    pub(super) fn be_in_signature(&mut self, is: bool) {
        self.in_signature = is;
    }

    /// The same where no tape has a name.
    pub(super) fn of_any_tape(mut self) -> Self {
        self.lifetime = syn::parse_quote!('_);
        self
    }

    /// Rewrites the body of a function with this signature.
    pub(super) fn body(&mut self, sig: &syn::Signature, block: &mut syn::Block) {
        self.scopes.push(FxHashSet::default());
        for input in &sig.inputs {
            if let syn::FnArg::Typed(input) = input {
                self.bind(&input.pat);
            }
        }
        let number = self.is_number(&sig.output);
        self.visit_block_mut(block);
        self.scopes.pop();
        if number {
            self.results(block);
        }
    }

    /// Whether a function returns a float.
    fn is_number(&self, output: &syn::ReturnType) -> bool {
        matches!(output, syn::ReturnType::Type(_, ty) if self.is_float(ty))
    }

    /// The results of a function that returns a float: one of the user's data may stand among variables.
    fn results(&self, block: &mut syn::Block) {
        if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last_mut() {
            self.number(e);
        }
    }

    fn number(&self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Field(_) | syn::Expr::Index(_) => {
                let ty = self.ty();
                *e = syn::parse_quote!(rt::dynamic::Cast::<#ty>::cast(#e));
            }
            syn::Expr::Paren(inner) => self.number(&mut inner.expr),
            syn::Expr::Block(inner) => self.results(&mut inner.block),
            syn::Expr::If(inner) => {
                self.results(&mut inner.then_branch);
                if let Some((_, otherwise)) = &mut inner.else_branch {
                    self.number(otherwise);
                }
            }
            syn::Expr::Match(inner) => {
                for arm in &mut inner.arms {
                    // `Expr::Constant(c) => c`
                    let bound = matches!(&*arm.body, syn::Expr::Path(p) if p.path.get_ident().is_some_and(|name| types::mentions(&arm.pat.to_token_stream(), name)));
                    if bound {
                        let (ty, body) = (self.ty(), &arm.body);
                        *arm.body = syn::parse_quote!(rt::dynamic::Cast::<#ty>::cast(#body));
                    } else {
                        self.number(&mut arm.body);
                    }
                }
            }
            _ => {}
        }
    }

    /// The variables of a pattern; a constant among them does no harm.
    fn bind(&mut self, pattern: &syn::Pat) {
        struct Bound<'a>(&'a mut FxHashSet<String>);
        impl<'ast> crate::visit::Visit<'ast> for Bound<'_> {
            fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
                self.0.insert(pattern.ident.to_string());
                crate::visit::visit_pat_ident(self, pattern);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            crate::visit::Enter::visit_pat(&mut Bound(scope), pattern);
        }
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        self.scopes.push(FxHashSet::default());
        f(self);
        self.scopes.pop();
    }

    fn is_local(&self, name: &Ident) -> bool {
        let name = name.to_string();
        self.scopes.iter().any(|scope| scope.contains(&name))
    }

    /// Whether the function is hidden by what stands in its body under the same name.
    fn is_hidden(&self, name: &Ident) -> bool {
        let name = annotated(&name.to_string());
        let mut scopes = self.scopes.iter();
        self.is_local(&self.function) || scopes.any(|scope| scope.contains(&name))
    }

    /// What a path is called as: a function of numbers outside of the body by its form for variables.
    fn callee(&self, path: &syn::ExprPath) -> Option<syn::Expr> {
        let local = path
            .path
            .get_ident()
            .is_some_and(|name| self.is_local(name));
        if local { None } else { callee::of(path) }
    }

    /// A place, or what a method is called on: constants in it stay what they are.
    fn place(&mut self, e: &mut syn::Expr) {
        match e {
            syn::Expr::Path(path) if callee::is_constant(&path.path) => {}
            syn::Expr::Index(index) => {
                self.place(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            syn::Expr::Field(field) => self.place(&mut field.base),
            syn::Expr::Paren(paren) => self.place(&mut paren.expr),
            other => self.visit_expr_mut(other),
        }
    }

    fn ty(&self) -> syn::Type {
        let (float, lifetime) = (&self.float, &self.lifetime);
        syn::parse_quote!(rt::Var<#lifetime, #float>)
    }

    fn is_float(&self, ty: &syn::Type) -> bool {
        matches!(ty, syn::Type::Path(p) if p.qself.is_none() && p.path.is_ident(&self.float))
    }

    fn is_literal(&self, literal: &syn::LitFloat) -> bool {
        // In a generic function it is none of its floats.
        let primitive = self.float == "f64" || self.float == "f32";
        primitive && literal.suffix().is_empty() || self.float == literal.suffix()
    }

    /// The same in the arguments of a macro of which only tokens are known.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut out = TokenStream::new();
        let mut before = ' ';
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let path = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == ':');
            let last = before;
            before = ' ';
            match token {
                // The name of a module or of a field is none of ours.
                TokenTree::Ident(ident) if ident == self.float && last != ':' && last != '.' => {
                    let ty = self.ty();
                    out.extend(if path { quote!(<#ty>) } else { quote!(#ty) });
                }
                // `x.0.1` has a literal in it.
                TokenTree::Literal(literal) if last != '.' => {
                    let number = syn::parse2::<syn::LitFloat>(literal.to_token_stream());
                    match number {
                        Ok(number) if self.is_literal(&number) => {
                            let float = &self.float;
                            out.extend(quote!(rt::dynamic::constant::<#float>(#number)));
                        }
                        _ => out.extend([TokenTree::Literal(literal)]),
                    }
                }
                TokenTree::Group(group) => {
                    let inner = self.tokens(group.stream());
                    let mut new = Group::new(group.delimiter(), inner);
                    new.set_span(group.span());
                    debug_assert_ne!(
                        group.delimiter(),
                        Delimiter::None,
                        "macros are given as written"
                    );
                    out.extend([TokenTree::Group(new)]);
                }
                TokenTree::Punct(punct) => {
                    before = punct.as_char();
                    out.extend([TokenTree::Punct(punct)]);
                }
                other => out.extend([other]),
            }
        }
        out
    }
}

impl VisitMut for Variables {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        if self.is_float(ty) {
            *ty = self.ty();
        } else {
            visit_mut::visit_type_mut(self, ty);
        }
    }

    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        visit_mut::visit_type_path_mut(self, ty);
        if ty.qself.is_none() {
            self.types.complete(&mut ty.path, &self.lifetime);
        }
    }

    /// A reference says how long a trait object behind it lives.
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        match &mut *reference.elem {
            syn::Type::TraitObject(object) => {
                OtherMut::TypeTraitObject(object).walk(self);
            }
            other => self.visit_type_mut(other),
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        let (ty, float) = (self.ty(), self.float.clone());
        match expr {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Float(literal),
                ..
            }) if self.is_literal(literal) => {
                *expr = syn::parse_quote_spanned!(literal.span()=> rt::dynamic::constant::<#float>(#literal));
            }
            syn::Expr::Cast(cast) if self.is_float(&cast.ty) => {
                self.visit_expr_mut(&mut cast.expr);
                let inner = &cast.expr;
                *expr = syn::parse_quote!(rt::dynamic::Cast::<#ty>::cast(#inner));
            }
            // To an integer nothing flows.
            syn::Expr::Cast(cast)
                if matches!(types::read(&cast.ty), Ty::Int)
                    && !matches!(&*cast.expr, syn::Expr::Lit(_)) =>
            {
                self.visit_expr_mut(&mut cast.expr);
                let inner = &cast.expr;
                *cast.expr = syn::parse_quote!({
                    use rt::dynamic::{NumberOf as _, OtherOf as _};
                    (&rt::dynamic::Named(&(#inner))).plain()
                });
            }
            // Variables are evaluated before they are changed, as floats are.
            syn::Expr::Binary(binary) if syntax::is_compound(&binary.op) => {
                self.place(&mut binary.left);
                self.visit_expr_mut(&mut binary.right);
                if uses_root(&binary.left, &binary.right) {
                    let right = std::mem::replace(&mut *binary.right, syn::parse_quote!(__right));
                    *expr = syn::parse_quote!(match #right { __right => #binary });
                }
            }
            // Lengths are constants.
            syn::Expr::Repeat(repeat) => self.visit_expr_mut(&mut repeat.expr),
            syn::Expr::Path(path) if path.qself.is_none() && path.path.leading_colon.is_none() => {
                let segments = &path.path.segments;
                if segments.len() > 1 && segments[0].ident == float {
                    let rest: Vec<_> = segments.iter().skip(1).collect();
                    *expr = syn::parse_quote!(<#ty>::#(#rest)::*);
                } else if callee::is_constant(&path.path) && !self.in_macro {
                    *expr = callee::constant(expr);
                } else {
                    visit_mut::visit_expr_path_mut(self, path);
                    if !self.in_macro {
                        if let Some(callee) = self.callee(path) {
                            *expr = callee;
                        }
                    }
                }
            }
            syn::Expr::Call(call)
                if marks::is_stop_gradient(&call.func) && call.args.len() == 1 =>
            {
                self.visit_expr_mut(&mut call.args[0]);
                let value = &call.args[0];
                *expr = syn::parse_quote!(rt::dynamic::stop_gradient::<#float, _>(&(#value)));
            }
            syn::Expr::Call(call) => {
                call.args
                    .iter_mut()
                    .for_each(|arg| self.visit_expr_mut(arg));
                match &mut *call.func {
                    syn::Expr::Path(path) => {
                        if path
                            .path
                            .get_ident()
                            .is_some_and(|name| *name == self.function && !self.is_hidden(name))
                        {
                            let nested = self.in_item.then(|| callee::of(path)).flatten();
                            *call.func =
                                nested.unwrap_or_else(|| syn::parse_quote!(Self::__on_variables));
                            return;
                        }
                        if let Some(callee) = self.callee(path) {
                            *call.func = callee;
                            return;
                        }
                        self.visit_expr_mut(&mut call.func);
                    }
                    func => self.visit_expr_mut(func),
                }
            }
            syn::Expr::Index(index) => {
                let constant = callee::is_in_constant(&index.expr);
                self.place(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
                if constant && !self.in_macro {
                    *expr = callee::constant(expr);
                }
            }
            syn::Expr::Reference(reference) => self.place(&mut reference.expr),
            syn::Expr::Field(field) => self.place(&mut field.base),
            syn::Expr::MethodCall(call) => {
                // A method of the float, which may be given variables.
                if rules::by_method(&call.method.to_string()).is_some() {
                    self.visit_expr_mut(&mut call.receiver);
                } else {
                    self.place(&mut call.receiver);
                }
                if let Some(generics) = &mut call.turbofish {
                    self.visit_angle_bracketed_generic_arguments_mut(generics);
                }
                call.args
                    .iter_mut()
                    .for_each(|arg| self.visit_expr_mut(arg));
            }
            syn::Expr::Assign(assign) => {
                self.place(&mut assign.left);
                self.visit_expr_mut(&mut assign.right);
            }
            syn::Expr::If(e) => {
                self.scoped(|cx| {
                    cx.visit_expr_mut(&mut e.cond);
                    cx.visit_block_mut(&mut e.then_branch);
                });
                if let Some((_, otherwise)) = &mut e.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            syn::Expr::While(_) | syn::Expr::Closure(_) => {
                self.scoped(|cx| visit_mut::visit_expr_mut(cx, expr));
            }
            syn::Expr::ForLoop(e) => {
                self.visit_expr_mut(&mut e.expr);
                self.scoped(|cx| {
                    cx.bind(&e.pat);
                    cx.visit_block_mut(&mut e.body);
                });
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut syn::ExprClosure) {
        closure.inputs.iter().for_each(|input| self.bind(input));
        visit_mut::visit_expr_closure_mut(self, closure);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.scoped(|cx| {
            cx.bind(&arm.pat);
            visit_mut::visit_arm_mut(cx, arm);
            result(&mut arm.body);
        });
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.bind(&local.pat);
        if let (syn::Pat::Type(pattern), Some(init)) = (&local.pat, &mut local.init) {
            if self.is_float(&pattern.ty) {
                self.number(&mut init.expr);
            }
        }
        self.visit_pat_mut(&mut local.pat);
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let signature = std::mem::take(&mut self.in_signature);
        self.types.enter(block, &self.float);
        self.scoped(|cx| {
            for stmt in &block.stmts {
                if let (syn::Stmt::Item(syn::Item::Fn(f)), Some(scope)) =
                    (stmt, cx.scopes.last_mut())
                {
                    let own = f.attrs.iter().any(|attr| marks::is_grad(attr.path()));
                    let name = f.sig.ident.to_string();
                    scope.insert(if own { annotated(&name) } else { name });
                }
            }
            visit_mut::visit_block_mut(cx, block);
        });
        if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last_mut() {
            result(e);
        }
        self.types.leave();
        self.in_signature = signature;
    }

    /// The arguments of most macros are expressions.
    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let list = mac.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated);
        let repeat = mac.parse_body_with(|input: ParseStream<'_>| {
            let item: syn::Expr = input.parse()?;
            input.parse::<syn::Token![;]>()?;
            Ok((item, input.parse::<syn::Expr>()?))
        });
        let vec = mac.path.is_ident("vec");
        let before = self.in_macro;
        self.in_macro |= !vec;
        mac.tokens = match (list, repeat) {
            (Ok(mut list), _) => {
                list.iter_mut().for_each(|e| self.visit_expr_mut(e));
                list.to_token_stream()
            }
            (_, Ok((mut item, mut count))) => {
                self.visit_expr_mut(&mut item);
                self.visit_expr_mut(&mut count);
                quote!(#item; #count)
            }
            _ => self.tokens(mac.tokens.clone()),
        };
        self.in_macro = before;
    }

    /// Functions in the body compute with variables as well, and types of floats are made of variables; constants stay.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let before = std::mem::replace(&mut self.in_item, true);
        match item {
            // One with derivatives is called as those outside are.
            syn::Item::Fn(function)
                if !function
                    .attrs
                    .iter()
                    .any(|attr| marks::is_grad(attr.path())) =>
            {
                let outer = std::mem::replace(&mut self.lifetime, syn::parse_quote!('__t));
                let generics = &mut function.sig.generics;
                generics.params.insert(0, syn::parse_quote!('__t));
                self.function(&mut function.sig, &mut function.block);
                self.lifetime = outer;
            }
            syn::Item::Impl(block) => self.implementation(block),
            _ if self.types.has_variables(&*item, &self.float) => self.definition(item),
            _ => {}
        }
        self.in_item = before;
    }

    fn visit_other_mut(&mut self, node: OtherMut<'_>) {
        match node {
            OtherMut::TraitBound(bound) => {
                OtherMut::TraitBound(bound).walk(self);
                self.types.complete(&mut bound.path, &self.lifetime);
            }
            OtherMut::TypeTraitObject(object) => {
                OtherMut::TypeTraitObject(object).walk(self);
                let said =
                    |bound: &syn::TypeParamBound| matches!(bound, syn::TypeParamBound::Lifetime(_));
                if self.in_signature && !object.bounds.iter().any(said) {
                    let lifetime = &self.lifetime;
                    object.bounds.push(syn::parse_quote!(#lifetime));
                }
            }
            OtherMut::Signature(sig) => {
                let before = std::mem::replace(&mut self.in_signature, true);
                OtherMut::Signature(sig).walk(self);
                self.in_signature = before;
            }
            OtherMut::TypeArray(array) => {
                self.visit_type_mut(&mut array.elem);
            }
            OtherMut::GenericArgument(argument) => {
                if !matches!(argument, syn::GenericArgument::Const(_)) {
                    OtherMut::GenericArgument(argument).walk(self);
                }
            }
            OtherMut::ExprLet(e) => {
                self.visit_expr_mut(&mut e.expr);
                self.bind(&e.pat);
                self.visit_pat_mut(&mut e.pat);
            }
            other => other.walk(self),
        }
    }
}

/// Items of the body.
impl Variables {
    fn function(&mut self, sig: &mut syn::Signature, block: &mut syn::Block) {
        self.scoped(|cx| {
            for input in &sig.inputs {
                if let syn::FnArg::Typed(input) = input {
                    cx.bind(&input.pat);
                }
            }
            let number = cx.is_number(&sig.output);
            cx.visit_signature_mut(sig);
            cx.visit_block_mut(block);
            if number {
                cx.results(block);
            }
        });
    }

    /// A type or trait whose floats become variables.
    fn definition(&mut self, item: &mut syn::Item) {
        if local::generics(item).is_none() {
            return;
        }
        local::without_tangent(item);
        let outer = std::mem::replace(&mut self.lifetime, syn::parse_quote!('__t));
        let before = std::mem::replace(&mut self.in_signature, true);
        match item {
            syn::Item::Trait(definition) => {
                for bound in &mut definition.supertraits {
                    self.visit_type_param_bound_mut(bound);
                }
                for item in &mut definition.items {
                    if let syn::TraitItem::Fn(f) = item {
                        match &mut f.default {
                            Some(block) => self.function(&mut f.sig, block),
                            None => self.visit_signature_mut(&mut f.sig),
                        }
                    }
                }
            }
            _ => visit_mut::visit_item_mut(self, item),
        }
        self.in_signature = before;
        self.lifetime = outer;
        if let Some((_, generics)) = local::generics(item) {
            generics.params.insert(0, syn::parse_quote!('__t));
        }
    }

    /// The functions of a type: on variables, as those of the body.
    pub(super) fn implementation(&mut self, block: &mut syn::ItemImpl) {
        let of = block.trait_.as_ref().map(|(path, _)| path);
        let header = quote!(#of);
        let lifted = self.types.has_variables(&header, &self.float)
            || self.types.has_variables(&block.self_ty, &self.float);
        let lifetime = if lifted {
            syn::parse_quote!('__t)
        } else {
            syn::parse_quote!('_)
        };
        let outer = std::mem::replace(&mut self.lifetime, lifetime);
        let before = std::mem::replace(&mut self.in_signature, true);
        self.visit_generics_mut(&mut block.generics);
        if let Some((path, _)) = &mut block.trait_ {
            self.visit_path_mut(path);
            self.types.complete(path, &self.lifetime);
        }
        self.visit_type_mut(&mut block.self_ty);
        if lifted {
            block.generics.params.insert(0, syn::parse_quote!('__t));
        }
        for item in &mut block.items {
            match item {
                syn::ImplItem::Fn(f) => {
                    let own = !lifted && self.types.has_variables(&f.sig, &self.float);
                    if own {
                        self.lifetime = syn::parse_quote!('__t);
                        f.sig.generics.params.insert(0, syn::parse_quote!('__t));
                    }
                    self.function(&mut f.sig, &mut f.block);
                    if own {
                        self.lifetime = syn::parse_quote!('_);
                    }
                }
                syn::ImplItem::Type(t) => self.visit_type_mut(&mut t.ty),
                _ => {}
            }
        }
        self.in_signature = before;
        self.lifetime = outer;
    }
}

/// How a function of the body that has derivatives is noted: it is called as those outside are.
fn annotated(name: &str) -> String {
    format!("#[grad] {name}")
}

/// The result of an arm or of a block, `Expr::Constant(c) => *c`: a float of the user's data may stand among variables.
fn result(e: &mut syn::Expr) {
    let of_name = |e: &syn::Expr| matches!(e, syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) && matches!(&*u.expr, syn::Expr::Path(p) if p.path.get_ident().is_some()));
    if of_name(e) {
        *e = callee::constant(e);
    }
}

/// Whether an element is changed by what else is in the same collection.
fn uses_root(left: &syn::Expr, right: &syn::Expr) -> bool {
    let mut place = left;
    let mut indexed = false;
    let root = loop {
        place = match place {
            syn::Expr::Index(e) => {
                indexed = true;
                &e.expr
            }
            // `*v.last_mut().unwrap()`
            syn::Expr::MethodCall(e) => {
                indexed = true;
                &e.receiver
            }
            syn::Expr::Field(e) => &e.base,
            syn::Expr::Paren(e) => &e.expr,
            syn::Expr::Unary(e) => &e.expr,
            syn::Expr::Path(p) => break p.path.get_ident(),
            _ => break None,
        }
    };
    indexed && root.is_some_and(|root| types::mentions(&right.to_token_stream(), root))
}
