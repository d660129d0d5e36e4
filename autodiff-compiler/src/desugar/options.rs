//! Methods of options that take closures or defaults, in terms of `match`.

use rustc_hash::FxHashSet;

use syn::{Expr, parse_quote, parse_quote_spanned};

use super::apply::{called, unparen};
use super::chains::{Shape, shape};
use super::lists::Lists;
use super::make;
use crate::facts::{self, Facts};
use crate::ir::Ty;
use crate::macros;
use crate::marks;
use crate::names::Names;
use crate::own_names;
use crate::rules;
use crate::std_methods;
use crate::types;
use crate::visit::{self, Enter as _, Visit};
use crate::visit_mut::{self, VisitMut};

/// Rewrites methods of active options; `true` if there were any.
pub(super) fn options(
    body: &mut syn::Block,
    lists: &Lists,
    facts: &Facts,
    names: &mut Names,
) -> bool {
    let fields = Fields::of(body);
    let mut options = Options {
        lists,
        fields,
        facts,
        names,
        found: false,
    };
    options.visit_block_mut(body);
    options.found
}

/// Methods that nothing else has which a derivative flows through.
const OF_OPTIONS: &[&str] = &[
    "unwrap_or",
    "unwrap_or_else",
    "unwrap_or_default",
    "map_or",
    "map_or_else",
    "is_none_or",
    "is_some_and",
    "or_else",
];

/// Methods of options that yield options; arrays have some of them.
const STILL_OPTIONS: &[&str] = &[
    "and_then", "cloned", "copied", "filter", "map", "or", "or_else", "take", "xor", "zip",
];

/// Methods of options and results alone that are known to later stages.
const CERTAIN: &[&str] = &["unwrap", "expect", "is_some", "is_none"];

/// Methods that put something into an option, which types of one's own may have as well.
const FILLING: &[&str] = &["get_or_insert", "get_or_insert_with", "insert", "replace"];

/// A field is an option if it is used as one in the end: that is said by `as_ref`, which sequences have no such methods behind.
///
/// `returned`: the function returns one.
pub(super) fn told(body: &mut syn::Block, returned: bool, facts: &Facts, names: &mut Names) {
    let fields = Fields::of(body);
    let mut options = Variables(FxHashSet::default());
    if returned {
        results(body, &mut |e| options.learn(e));
    }
    options.complete(body);
    let mut told = Told {
        facts,
        names,
        fields,
        options,
    };
    if returned {
        results(body, &mut |e| told.tell(e));
    }
    told.visit_block_mut(body);
}

/// Goes to each expression that the function may return.
fn results(body: &mut syn::Block, each: &mut dyn FnMut(&mut Expr)) {
    struct Results<'a>(&'a mut dyn FnMut(&mut Expr));
    impl Results<'_> {
        fn value(&mut self, e: &mut Expr) {
            match e {
                Expr::Paren(e) => self.value(&mut e.expr),
                Expr::Group(e) => self.value(&mut e.expr),
                Expr::Block(e) => self.last(&mut e.block),
                Expr::If(e) => {
                    self.last(&mut e.then_branch);
                    if let Some((_, other)) = &mut e.else_branch {
                        self.value(other);
                    }
                }
                Expr::Match(e) => e.arms.iter_mut().for_each(|arm| self.value(&mut arm.body)),
                e => (self.0)(e),
            }
        }

        fn last(&mut self, block: &mut syn::Block) {
            if let Some(syn::Stmt::Expr(e, None)) = block.stmts.last_mut() {
                self.value(e);
            }
        }
    }
    impl VisitMut for Results<'_> {
        fn visit_item_mut(&mut self, _: &mut syn::Item) {}
        fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
        fn visit_expr_return_mut(&mut self, e: &mut syn::ExprReturn) {
            if let Some(e) = &mut e.expr {
                self.value(e);
            }
        }
    }
    let mut results = Results(each);
    results.visit_block_mut(body);
    results.last(body);
}

struct Told<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    fields: Fields,
    options: Variables,
}

impl Told<'_> {
    /// `e` is an option; so is what its methods are called on.
    fn tell(&mut self, e: &mut Expr) {
        let Expr::MethodCall(m) = e else { return };
        if !STILL_OPTIONS.iter().any(|name| m.method == name) {
            return;
        }
        // Constant code is left as it stands.
        let field =
            matches!(&*m.receiver, Expr::Field(_)) && self.facts.mentions_active(&m.receiver);
        if field && self.facts.ty(&m.receiver).is_user() && m.method != "take" {
            let name = proc_macro2::Ident::new("as_ref", m.method.span());
            let option = std::mem::replace(&mut *m.receiver, make::unit());
            *m.receiver = make::method(option, name, Vec::new());
        } else if m.method != "take" && self.may_be_option(&m.receiver) {
            // rustc checks that it does.
            let returned = std::mem::replace(&mut *m.receiver, make::unit());
            let called = matches!(unparen(&returned), Expr::Call(_) | Expr::MethodCall(_));
            let returned = if called && self.facts.mentions_active(&returned) {
                parse_quote!(rt::optional(#returned))
            } else {
                returned
            };
            let name = self.names.fresh("returned", m.method.span());
            *m.receiver = parse_quote!({
                let #name: ::core::option::Option<_> = #returned;
                #name
            });
        } else {
            self.tell(&mut m.receiver);
        }
    }

    /// A variable, an element, or a call of a function or of a method of one's own, of which nothing else is known.
    fn may_be_option(&self, e: &Expr) -> bool {
        let form = match unparen(e) {
            Expr::Call(_) | Expr::Path(_) | Expr::Index(_) => true,
            Expr::MethodCall(m) => {
                let name = m.method.to_string();
                !std_methods::is_standard(&name) && rules::by_method(&name).is_none()
            }
            _ => false,
        };
        form && matches!(self.facts.ty(e), Ty::Unknown | Ty::User)
            && self.facts.mentions_active(e)
            && !crate::iterators::is_chain(e)
    }
}

impl Told<'_> {
    /// `o.map_or(d, f)` of `o.map(f).unwrap_or(d)`, where that says that `o` is an option or a result.
    fn mapped_or(&self, m: &syn::ExprMethodCall) -> Option<syn::ExprMethodCall> {
        let Expr::MethodCall(inner) = unparen(&m.receiver) else {
            return None;
        };
        let known = matches!(self.facts.ty(&inner.receiver), Ty::Option(_));
        let name = match (m.method.to_string().as_str(), m.args.first()?) {
            ("unwrap_or", default) if self.is_kept(default) => "map_or",
            ("unwrap_or_else", _) => "map_or_else",
            _ => return None,
        };
        (inner.method == "map" && !known).then(|| {
            let args = m.args.iter().chain(&inner.args).cloned();
            syn::ExprMethodCall {
                receiver: inner.receiver.clone(),
                method: syn::Ident::new(name, inner.method.span()),
                args: args.collect(),
                ..m.clone()
            }
        })
    }

    /// Whether it makes no difference when an expression is evaluated: one of numbers that nothing changes.
    fn is_kept(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::Path(_) => facts::root(e).is_none_or(|name| !self.facts.may_change(&name)),
            Expr::Field(f) => self.is_kept(&f.base),
            Expr::Unary(u) => self.is_kept(&u.expr),
            Expr::Cast(c) => self.is_kept(&c.expr),
            Expr::Binary(b) => self.is_kept(&b.left) && self.is_kept(&b.right),
            Expr::MethodCall(m) => {
                rules::by_method(&m.method.to_string()).is_some()
                    && self.is_kept(&m.receiver)
                    && m.args.iter().all(|arg| self.is_kept(arg))
            }
            e => is_value(e),
        }
    }

    /// `c.then(|| e)` and `c.then_some(e)` are `if c { Some(e) } else { None }`.
    fn chosen(&mut self, e: &Expr) -> Option<Expr> {
        let Expr::MethodCall(m) = e else { return None };
        let (name, span) = (m.method.to_string(), m.method.span());
        let arg = m.args.first().filter(|_| m.args.len() == 1)?;
        // An ordering has a `then` as well.
        let later =
            name == "then" && matches!(unparen(arg), Expr::Closure(c) if c.inputs.is_empty());
        let mine = self.facts.ty(&m.receiver).is_user();
        if !(later || name == "then_some") || mine || !self.facts.mentions_active(arg) {
            return None;
        }
        let asked = &m.receiver;
        if later {
            let value = called(arg, Vec::new(), self.names)?;
            return Some(parse_quote_spanned!(span=> if #asked { Some(#value) } else { None }));
        }
        let (cond, value) = (
            self.names.fresh("cond", span),
            self.names.fresh("some", span),
        );
        Some(parse_quote_spanned! {span=> {
            let #cond = #asked;
            let #value = #arg;
            if #cond { Some(#value) } else { None }
        }})
    }

    /// What is in an option is matched where it is: `o.as_mut()` is `&mut o`, and so is `o` for `Some(ref mut x)`.
    fn matched(&mut self, e: &mut Expr, pats: &mut [&mut syn::Pat]) {
        let lent = pats.iter_mut().filter_map(|pat| lent_inside(pat));
        let lent: Vec<&mut syn::PatIdent> = lent.collect();
        if !lent.is_empty() && self.facts.mentions_active(e) {
            let exclusive = lent.iter().any(|inside| inside.mutability.is_some());
            for inside in lent {
                (inside.by_ref, inside.mutability) = (None, None);
            }
            let option = std::mem::replace(e, make::unit());
            *e = make::reference(option, exclusive);
            return;
        }
        match e {
            Expr::MethodCall(m)
                if m.method == "as_mut" && self.facts.mentions_active(&m.receiver) =>
            {
                let option = std::mem::replace(&mut *m.receiver, make::unit());
                *e = make::reference(option, true);
            }
            e => self.tell(e),
        }
    }
}

/// A reference to what a box or a list holds is one to the box or list, which turns into it by itself.
fn borrowed(method: &mut syn::Ident) {
    let name = match method.to_string().as_str() {
        "as_deref" => "as_ref",
        "as_deref_mut" => "as_mut",
        _ => return,
    };
    *method = syn::Ident::new(name, method.span());
}

/// `Some(ref x)`, `Some(ref mut x)`
fn lent_inside(pat: &mut syn::Pat) -> Option<&mut syn::PatIdent> {
    match pat {
        syn::Pat::TupleStruct(p) if p.path.is_ident("Some") => match p.elems.first_mut() {
            Some(syn::Pat::Ident(inside)) if inside.by_ref.is_some() => Some(inside),
            _ => None,
        },
        _ => None,
    }
}

/// What a closure lends is copied where it is lent: `o.and_then(|row| row.get(k)).copied()`  ⇒  `o.and_then(|row| row.get(k).copied())`
fn copy_inside(e: &mut Expr) {
    let Expr::MethodCall(copy) = e else { return };
    let copies = ["copied", "cloned"].iter().any(|name| copy.method == name);
    let Expr::MethodCall(chosen) = &mut *copy.receiver else {
        return;
    };
    if !copies || !copy.args.is_empty() || chosen.method != "and_then" {
        return;
    }
    if let Some(Expr::Closure(closure)) = chosen.args.first_mut() {
        // A block may be left early, and a type that is written would be another one.
        let plain = matches!(unparen(&closure.body), Expr::MethodCall(_))
            && matches!(closure.output, syn::ReturnType::Default);
        if plain {
            let body = std::mem::replace(&mut *closure.body, Expr::PLACEHOLDER);
            *closure.body = make::method(body, copy.method.clone(), Vec::new());
            let inside = std::mem::replace(&mut *copy.receiver, Expr::PLACEHOLDER);
            *e = inside;
        }
    }
}

impl VisitMut for Told<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let (true, Some(init)) = (self.options.are_bound(&local.pat), &mut local.init) {
            self.tell(&mut init.expr);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        copy_inside(e);
        if let Some(chosen) = self.chosen(e) {
            *e = chosen;
        }
        if let Expr::MethodCall(m) = e {
            if let Some(whole) = self.mapped_or(m) {
                *m = whole;
            }
        }
        match e {
            Expr::MethodCall(m) if m.args.is_empty() && self.facts.mentions_active(&m.receiver) => {
                borrowed(&mut m.method);
            }
            _ => {}
        }
        match e {
            // A type of the user's own may have methods of these names.
            Expr::MethodCall(m)
                if ["and_then", "or", "xor"].iter().any(|n| m.method == n)
                    && !matches!(unparen(&m.receiver), Expr::Path(_)) =>
            {
                self.tell(e);
            }
            Expr::MethodCall(m) if is_of_options(m) => self.tell(&mut m.receiver),
            Expr::Assign(e) if self.options.are_named(&e.left) => self.tell(&mut e.right),
            Expr::Try(e) => self.tell(&mut e.expr),
            Expr::Let(e) if is_some(&e.pat) => self.matched(&mut e.expr, &mut [&mut *e.pat]),
            Expr::Match(e) if e.arms.iter().any(|arm| is_some(&arm.pat)) => {
                let mut pats: Vec<_> = e.arms.iter_mut().map(|arm| &mut arm.pat).collect();
                self.matched(&mut e.expr, &mut pats);
            }
            _ => {}
        }
        visit_mut::visit_expr_mut(self, e);
        let Expr::MethodCall(m) = e else { return };
        if let Expr::Field(f) = unparen(&m.receiver) {
            let active = [&*m.receiver].into_iter().chain(&m.args);
            if self.facts.ty(&m.receiver).is_user()
                && self.fields.are_changed(f, m)
                && active.into_iter().any(|e| self.facts.mentions_active(e))
            {
                if let Some(new) = changed(m, self.names) {
                    *e = new;
                }
            }
        }
    }
}

/// `Some(…)`
fn is_some(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::TupleStruct(p) => p.path.is_ident("Some"),
        syn::Pat::Guard(p) => is_some(&p.pat),
        _ => false,
    }
}

/// The variables that are options, because they are used as only options are, or their type says so.
struct Variables(FxHashSet<syn::Ident>);

impl Variables {
    /// What a variable is made of stands in front of it, and may be known by what is done with it later.
    fn complete(&mut self, body: &syn::Block) {
        loop {
            let before = self.0.len();
            self.visit_block(body);
            if self.0.len() == before {
                return;
            }
        }
    }

    fn are_named(&self, e: &Expr) -> bool {
        matches!(unparen(e), Expr::Path(p) if p.path.get_ident().is_some_and(|i| self.0.contains(i)))
    }

    fn are_bound(&self, pat: &syn::Pat) -> bool {
        match pat {
            syn::Pat::Ident(p) => self.0.contains(&p.ident),
            syn::Pat::Type(p) => is_option_type(&p.ty) || self.are_bound(&p.pat),
            syn::Pat::TupleStruct(_) => is_some(pat),
            _ => false,
        }
    }

    fn learn(&mut self, e: &Expr) {
        match unparen(e) {
            Expr::Path(p) => self.0.extend(p.path.get_ident().cloned()),
            Expr::Reference(r) => self.learn(&r.expr),
            Expr::MethodCall(m) => {
                let same = STILL_OPTIONS.iter().chain(&["as_mut", "as_ref"]);
                if same.into_iter().any(|name| m.method == name) {
                    self.learn(&m.receiver);
                }
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Variables {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (true, Some(init)) = (self.are_bound(&local.pat), &local.init) {
            self.learn(&init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Let(e) if is_option(&e.pat) => self.learn(&e.expr),
            Expr::Match(e) if e.arms.iter().any(|arm| is_option(&arm.pat)) => self.learn(&e.expr),
            Expr::Assign(e) if self.are_named(&e.left) => self.learn(&e.right),
            Expr::Assign(e) if makes_option(&e.right) => self.learn(&e.left),
            Expr::Try(e) => self.learn(&e.expr),
            Expr::MethodCall(m) if is_of_options(m) => self.learn(&m.receiver),
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

/// Whether a method is one that only options have.
fn is_of_options(m: &syn::ExprMethodCall) -> bool {
    let mut names = OF_OPTIONS.iter().chain(CERTAIN);
    names.any(|name| m.method == name)
}

/// Sequences have no such methods behind `as_ref`.
fn is_told(m: &syn::ExprMethodCall) -> bool {
    matches!(unparen(&m.receiver), Expr::MethodCall(inner) if inner.method == "as_ref")
        && STILL_OPTIONS.iter().any(|name| m.method == name)
}

/// `Option<T>`
fn is_option_type(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Option"))
}

/// The fields that are options: by their name, because they are compared to `Some` or `None`, or made or used as only options are.
struct Fields(FxHashSet<syn::Member>);

impl Fields {
    fn of(body: &syn::Block) -> Fields {
        let mut fields = Fields(FxHashSet::default());
        fields.visit_block(body);
        fields
    }

    /// Whether a method of a field changes it as an option.
    fn are_changed(&self, field: &syn::ExprField, m: &syn::ExprMethodCall) -> bool {
        match m.method.to_string().as_str() {
            // An iterator's takes a number.
            "take" => m.args.is_empty(),
            // Sets have the one, and types of one's own both.
            "insert" | "replace" => m.args.len() == 1 && self.0.contains(&field.member),
            name => m.args.len() == 1 && FILLING.contains(&name),
        }
    }

    fn learn(&mut self, e: &Expr) {
        match unparen(e) {
            Expr::Field(f) => {
                self.0.insert(f.member.clone());
            }
            Expr::Reference(r) => self.learn(&r.expr),
            Expr::MethodCall(m) => {
                let same = ["as_mut", "as_ref", "take"].iter().chain(FILLING);
                if same.into_iter().any(|name| m.method == name) {
                    self.learn(&m.receiver);
                }
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Fields {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Let(e) if is_option(&e.pat) => self.learn(&e.expr),
            Expr::Match(e) if e.arms.iter().any(|arm| is_option(&arm.pat)) => self.learn(&e.expr),
            Expr::Assign(e) if makes_option(&e.right) => self.learn(&e.left),
            // Nothing else is referred to by what `insert` yields.
            Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) && inserts(&e.expr) => {
                self.learn(&e.expr);
            }
            Expr::MethodCall(m) => {
                let certain = OF_OPTIONS.iter().chain(&["is_some", "is_none"]);
                let empties = m.method == "take" && m.args.is_empty();
                if empties || certain.into_iter().any(|name| m.method == name) {
                    self.learn(&m.receiver);
                }
            }
            Expr::Struct(e) => {
                let options = e.fields.iter().filter(|f| makes_option(&f.expr));
                self.0.extend(options.map(|f| f.member.clone()));
            }
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

/// `o.insert(x)`
fn inserts(e: &Expr) -> bool {
    matches!(unparen(e), Expr::MethodCall(m) if m.method == "insert" && m.args.len() == 1)
}

/// `None`, `Some(…)`
fn makes_option(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Path(p) => p.path.is_ident("None"),
        Expr::Call(c) => matches!(unparen(&c.func), Expr::Path(p) if p.path.is_ident("Some")),
        _ => false,
    }
}

/// `None`, `Some(…)`
fn is_option(pat: &syn::Pat) -> bool {
    matches!(pat, syn::Pat::Ident(p) if p.ident == "None") || is_some(pat)
}

/// A method that changes an option, as what it does; `None` for another method.
fn changed(m: &syn::ExprMethodCall, names: &mut Names) -> Option<Expr> {
    let (span, option) = (m.method.span(), &*m.receiver);
    let arg = m.args.first();
    // Three of them yield what is in the option then, where it is.
    Some(match (m.method.to_string().as_str(), arg) {
        ("take", None) => parse_quote_spanned! {span=>
            ::core::mem::replace(&mut #option, ::core::option::Option::None)
        },
        ("replace", Some(new)) => {
            parse_quote_spanned!(span=> ::core::mem::replace(&mut #option, Some(#new)))
        }
        ("insert", Some(new)) => parse_quote_spanned! {span=> {
            #option = Some(#new);
            #option.as_mut().unwrap()
        }},
        ("get_or_insert", Some(new)) => {
            let name = names.fresh("new", span);
            parse_quote_spanned! {span=> {
                let #name = #new;
                if #option.is_none() { #option = Some(#name); }
                #option.as_mut().unwrap()
            }}
        }
        ("get_or_insert_with", Some(new)) => {
            let new = called(new, Vec::new(), names)?;
            parse_quote_spanned! {span=> {
                if #option.is_none() { #option = Some(#new); }
                #option.as_mut().unwrap()
            }}
        }
        _ => return None,
    })
}

struct Options<'a> {
    lists: &'a Lists,
    fields: Fields,
    facts: &'a Facts,
    names: &'a mut Names,
    found: bool,
}

impl VisitMut for Options<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        // What is constant stands as it is.
        if matches!(unparen(e), Expr::Call(c) if marks::is_stop_gradient(&c.func)) {
            return;
        }
        visit_mut::visit_expr_mut(self, e);
        if let Some(named) = self.walked(e) {
            *e = named;
            self.found = true;
        }
        let Expr::MethodCall(m) = e else { return };
        let option = match self.facts.ty(&m.receiver) {
            Ty::Option(_) => true,
            Ty::Unknown | Ty::User if is_told(m) => true,
            // What a call returns is known by what is done with it.
            Ty::Unknown | Ty::Inert => OF_OPTIONS.iter().any(|name| m.method == name),
            Ty::User => match unparen(&m.receiver) {
                Expr::Field(f) if self.fields.are_changed(f, m) => true,
                Expr::Field(_)
                | Expr::Index(_)
                | Expr::Path(_)
                | Expr::MethodCall(_)
                | Expr::Call(_) => OF_OPTIONS.iter().any(|name| m.method == name),
                _ => false,
            },
            _ => false,
        };
        let receiver = &m.receiver;
        let active = !self.is_constant(receiver) && !self.facts.is_stopped(receiver)
            || m.args.iter().any(|arg| self.facts.mentions_active(arg));
        if !option || !active {
            return;
        }
        if let Some(new) = self.method(m) {
            *e = new;
            self.found = true;
        }
    }
}

impl Options<'_> {
    /// What a loop walks through has a name if it is chosen first, or returned by a function.
    fn walked(&mut self, e: &mut Expr) -> Option<Expr> {
        let Expr::ForLoop(walk) = e else { return None };
        if !self.facts.active(&walk.expr) {
            return None;
        }
        let head = match &mut *walk.expr {
            Expr::Reference(r) => &mut *r.expr,
            head => head,
        };
        let made = match unparen(head) {
            Expr::Block(_) | Expr::If(_) | Expr::Match(_) => true,
            Expr::Call(call) => macros::vec_macro(call).is_none(),
            Expr::MethodCall(m) => own_names::is_foreign(&m.method.to_string()),
            _ => false,
        };
        if !made {
            return None;
        }
        let name = self.names.fresh("walked", walk.in_token.span);
        let made = std::mem::replace(head, make::path(&name));
        let stmts = vec![make::variable(&name, made), make::semi(e.clone())];
        Some(make::block(stmts, None))
    }

    /// The method as a `match`; `None` for one that needs none, or that is not understood.
    fn method(&mut self, m: &syn::ExprMethodCall) -> Option<Expr> {
        if let Some(new) = changed(m, self.names) {
            return Some(new);
        }
        let (span, option) = (m.method.span(), &*m.receiver);
        let some = self.names.fresh("some", span);
        let none: Expr = parse_quote_spanned!(span=> ::core::option::Option::None);
        let (before, then, other): (Option<syn::Stmt>, Expr, Expr) =
            match (m.method.to_string().as_str(), m.args.len()) {
                ("map", 1) => {
                    let value = self.applied(&m.args[0], Some(&some))?;
                    (None, parse_quote!(Some(#value)), none)
                }
                ("and_then", 1) => (None, self.applied(&m.args[0], Some(&some))?, none),
                ("filter", 1) => {
                    let keeps = self.applied_to_reference(&m.args[0], &some)?;
                    (
                        None,
                        parse_quote!(if #keeps { Some(#some) } else { #none }),
                        none,
                    )
                }
                ("is_some_and", 1) => (
                    None,
                    self.applied(&m.args[0], Some(&some))?,
                    parse_quote!(false),
                ),
                ("is_none_or", 1) => (
                    None,
                    self.applied(&m.args[0], Some(&some))?,
                    parse_quote!(true),
                ),
                ("zip", 1) => {
                    let (before, other) = self.before(&m.args[0]);
                    let second = self.names.fresh("second", span);
                    let both = parse_quote_spanned! {span=>
                        match #other { Some(#second) => Some((#some, #second)), None => #none }
                    };
                    (Some(before), both, none)
                }
                ("xor", 1) => {
                    let (before, other) = self.before(&m.args[0]);
                    let alone = parse_quote_spanned! {span=>
                        match #other { Some(_) => #none, None => Some(#some) }
                    };
                    (Some(before), alone, other)
                }
                ("unwrap_or_default", 0) if self.part(option).is_some() => {
                    (None, make::path(&some), self.part(option)?)
                }
                ("unwrap_or", 1) if self.part(option).is_some() && is_empty(&m.args[0]) => {
                    (None, make::path(&some), self.part(option)?)
                }
                ("unwrap_or", 1) => {
                    // An option of references to numbers is one of numbers.
                    let default = match unparen(&m.args[0]) {
                        Expr::Reference(r)
                            if r.mutability.is_none() && self.facts.ty(&r.expr).is_float() =>
                        {
                            &*r.expr
                        }
                        default => default,
                    };
                    let (before, default) = self.before(default);
                    (Some(before), make::path(&some), default)
                }
                ("unwrap_or_else", 1) => (None, make::path(&some), self.applied(&m.args[0], None)?),
                ("unwrap_or_default", 0) => {
                    let default = parse_quote_spanned!(span=> ::core::default::Default::default());
                    (None, make::path(&some), default)
                }
                ("or", 1) => {
                    let (before, other) = self.before(&m.args[0]);
                    (Some(before), parse_quote!(Some(#some)), other)
                }
                ("or_else", 1) => (
                    None,
                    parse_quote!(Some(#some)),
                    self.applied(&m.args[0], None)?,
                ),
                ("map_or", 2) => {
                    let (before, default) = self.before(&m.args[0]);
                    let value = self.applied(&m.args[1], Some(&some))?;
                    (Some(before), value, default)
                }
                ("map_or_else", 2) => {
                    let value = self.applied(&m.args[1], Some(&some))?;
                    (None, value, self.applied(&m.args[0], None)?)
                }
                _ => return None,
            };
        // What is at an end of a list, or in the midst of it, is matched where it is.
        if self.is_element(option) {
            return Some(parse_quote_spanned! {span=> {
                #before
                match #option { Some(#some) => #then, None => #other }
            }});
        }
        if let Expr::MethodCall(copy) = unparen(option) {
            let element = &copy.receiver;
            let lent = self.names.fresh("lent", span);
            let copied: Option<Expr> = match copy.method.to_string().as_str() {
                "copied" => Some(parse_quote!(*#lent)),
                "cloned" => Some(parse_quote!(#lent.clone())),
                _ => None,
            };
            if let Some(copied) = copied.filter(|_| self.is_element(element)) {
                return Some(parse_quote_spanned! {span=> {
                    #before
                    match #element {
                        Some(#lent) => { let #some = #copied; #then }
                        None => #other
                    }
                }});
            }
        }
        // One that is made here is never put together.
        if before.is_none() || m.args.first().is_some_and(is_value) {
            if let Shape::Chosen(chosen) = shape(option.clone()) {
                let (cond, stmts, value) = *chosen;
                return Some(parse_quote_spanned! {span=> {
                    #before
                    if #cond { #(#stmts)* let #some = #value; #then } else { #other }
                }});
            }
        }
        // The option is evaluated before the arguments.
        let name = self.names.fresh("option", span);
        // A closure that is given an error tells a result, which is a constant here: of others there is none left.
        if let (Some(error), true) = (handled(m), self.is_constant(option)) {
            return Some(parse_quote_spanned! {span=> {
                let #name = rt::stop_gradient(#option);
                match #name { Ok(#some) => #then, Err(#error) => #other }
            }});
        }
        let value = match unparen(option) {
            // A reference is matched where it is.
            Expr::MethodCall(m) if m.method == "as_ref" && self.facts.ty(&m.receiver).is_user() => {
                make::reference((*m.receiver).clone(), false)
            }
            // These methods take the option itself, which may be another one by the time that its value is used.
            Expr::Path(_)
                if self.facts.ty(option).is_user()
                    && self.facts.mentions_active(option)
                    && facts::root(option).is_some_and(|name| self.facts.may_change(&name)) =>
            {
                parse_quote!(*#option)
            }
            _ => option.clone(),
        };
        // What a list that is a field yields is an option, as `cloned` says.
        let of_field = |e: &Expr| match unparen(e) {
            Expr::MethodCall(m) => {
                let yields = ["get", "first", "last"].iter().any(|name| m.method == name);
                let field = matches!(unparen(&m.receiver), Expr::Field(_));
                yields && field && self.facts.ty(&m.receiver).is_user()
            }
            _ => false,
        };
        let value = if of_field(&value) {
            make::method(value, proc_macro2::Ident::new("cloned", span), Vec::new())
        } else if self.may_be_result(option) {
            let optional = parse_quote_spanned!(span=> rt::optional(#value));
            if self.is_constant(option) {
                parse_quote_spanned!(span=> rt::stop_gradient(#optional))
            } else {
                optional
            }
        } else {
            value
        };
        Some(parse_quote_spanned! {span=> {
            let #name = #value;
            #before
            match #name { Some(#some) => #then, None => #other }
        }})
    }

    /// Whether no derivative flows through an option: what only decides is one of what it looks at.
    fn is_constant(&self, option: &Expr) -> bool {
        !self.facts.mentions_active(option) || matches!(self.facts.ty(option), Ty::Inert)
    }

    /// Whether what a method that options and results have is called on may be a result: a call, of which the macro knows nothing, or what only decides.
    fn may_be_result(&self, option: &Expr) -> bool {
        if matches!(self.facts.ty(option), Ty::Inert) {
            return true;
        }
        let called = match unparen(option) {
            Expr::Call(call) => {
                matches!(unparen(&call.func), Expr::Path(p) if types::variant(&p.path).is_none())
            }
            Expr::MethodCall(m) => own_names::is_foreign(&m.method.to_string()),
            _ => false,
        };
        called && !matches!(self.facts.ty(option), Ty::Option(_))
    }

    /// Whether an option is of a part of a list, or of an element that is no number: by reference.
    fn is_element(&self, option: &Expr) -> bool {
        let Expr::MethodCall(m) = unparen(option) else {
            return false;
        };
        let part = matches!(m.args.first().map(unparen), Some(Expr::Range(_)));
        let of_list = match m.args.first() {
            Some(at) => {
                m.method == "get"
                    && (part || matches!(self.facts.ty(at), Ty::Int))
                    && self.lists.certainly_contain(self.facts, &m.receiver)
            }
            None => {
                (m.method == "first" || m.method == "last")
                    && self.lists.contain(self.facts, &m.receiver)
            }
        };
        of_list && (part || !self.facts.ty(&m.receiver).element().is_scalar())
    }

    /// Of an option of a part of a list, the part that has nothing in it.
    fn part(&self, option: &Expr) -> Option<Expr> {
        let Expr::MethodCall(m) = unparen(option) else {
            return None;
        };
        let part = matches!(m.args.first().map(unparen), Some(Expr::Range(_)));
        let list = &m.receiver;
        (part && self.is_element(option)).then(|| parse_quote!(&#list[..0]))
    }

    /// An argument that is evaluated whether it is used or not.
    fn before(&mut self, e: &Expr) -> (syn::Stmt, Expr) {
        let name = self.names.fresh("default", syn::spanned::Spanned::span(e));
        (make::variable(&name, e.clone()), make::path(&name))
    }

    /// A closure or function, applied.
    fn applied(&mut self, f: &Expr, to: Option<&syn::Ident>) -> Option<Expr> {
        called(f, to.map(make::path).into_iter().collect(), self.names)
    }

    fn applied_to_reference(&mut self, f: &Expr, to: &syn::Ident) -> Option<Expr> {
        called(f, vec![make::reference(make::path(to), false)], self.names)
    }
}

/// What a closure that goes on after an error calls the error.
fn handled(m: &syn::ExprMethodCall) -> Option<syn::Pat> {
    let handles = m.method == "unwrap_or_else" || m.method == "map_or_else";
    match m.args.first().map(unparen) {
        Some(Expr::Closure(c)) if handles => c.inputs.first().cloned(),
        _ => None,
    }
}

/// `&[]`
fn is_empty(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Reference(r) => matches!(unparen(&r.expr), Expr::Array(a) if a.elems.is_empty()),
        _ => false,
    }
}

/// Whether it makes no difference when an expression is evaluated.
fn is_value(e: &Expr) -> bool {
    match unparen(e) {
        Expr::Lit(_) => true,
        Expr::Unary(u) => is_value(&u.expr),
        Expr::Reference(r) => is_value(&r.expr),
        _ => false,
    }
}
