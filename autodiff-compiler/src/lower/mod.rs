//! Lowering: from syntax to the graph. All names are resolved here; references become paths.

mod alternatives;
mod arguments;
mod borrowed;
mod call;
mod closure;
mod constant;
mod control;
mod expr;
pub(crate) mod foreign;
mod hidden;
mod items;
mod lost;
mod memory;
mod opaque;
mod order;
mod pattern;
pub(crate) mod qualified;
mod reading;
mod references;
mod scopes;
mod variants;
mod views;
mod watch;

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

use self::references::Either;
use crate::attr;
use crate::callable;
use crate::complex;
use crate::desugar;
use crate::dump::{Stage, dump};
use crate::errors::Errors;
use crate::facts::{self, Facts, Given, Var};
use crate::features::features;
use crate::forms;
use crate::function::{Beside, By, GradFn, ParamInfo};
use crate::getters;
use crate::ir::{
    self, Block, Compared, Func, Kind, Op, Operator, Origin, Param, Part, Path, Place, Prim, Shape,
    Step, Storage, Ty, Value, Width,
};
use crate::matrices;
use crate::names;
use crate::own_names::{self, About};
use crate::tensors;
use crate::types;
use crate::walked_arrays;
use crate::walked_tensors;

use crate::visit::{Enter as _, Visit};

/// What a variable stands for.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Value(Value),
    /// A tuple of known shape is a bundle of variables.
    Tuple(Vec<Binding>),
    /// The variable is this part of a place.
    Place(Path),
    /// The variable is a reference to this part of a place.
    View(Path),
    /// The variable is a reference to one of two places.
    Either(Box<Either>),
    /// Declared, not yet assigned.
    Unset,
}

/// Whether tuples have as many parts, as far as they are written out.
fn is_alike(tree: &Tree, before: &Binding) -> bool {
    match (tree, before) {
        (Tree::Tuple(parts), Binding::Tuple(before)) => {
            let mut both = parts.iter().zip(before);
            parts.len() == before.len() && both.all(|(part, before)| is_alike(part, before))
        }
        _ => true,
    }
}

/// What an expression evaluates to.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Value(Value),
    Tuple(Vec<Tree>),
    /// A place expression, not read yet.
    Place(Path),
    /// A reference to a place.
    View(Path),
    /// One of two places, or a reference to it.
    Either(Box<Either>),
    Unit,
    /// Control does not come back.
    Never,
}

/// The result of lowering: the graph, and what must precede it.
pub(crate) struct Lowered {
    pub(crate) func: Func,
    /// Items of the body (`const`, `use`, `fn`), to be repeated in every derivative.
    pub(crate) items: Vec<TokenStream>,
    /// Type annotations of the user, by value and by place.
    pub(crate) ascribed: BTreeMap<Value, TokenStream>,
    pub(crate) ascribed_places: BTreeMap<Place, TokenStream>,
    pub(crate) verbatim: Vec<Verbatim>,
    /// The function calls itself.
    pub(crate) recursive: bool,
    /// For each variable that was renamed, the name that the user wrote.
    pub(crate) written: FxHashMap<String, String>,
    /// Functions that were closures of the body, with their derivatives.
    pub(crate) beside: TokenStream,
    /// Methods named like those of lists, of what rustc alone knows to be a list.
    pub(crate) of_lists: Vec<Ident>,
}

/// Code that was copied because it names no active variable, or asked to be.
pub(crate) struct Verbatim {
    pub(crate) code: syn::Expr,
    pub(crate) args: Vec<Value>,
    pub(crate) places: Vec<Place>,
    /// Why it is refused if an argument or place depends on a differentiable parameter.
    pub(crate) changes: &'static str,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "facts that do not depend on each other"
)]
pub(crate) struct Lower<'a> {
    func: Func,
    facts: Facts,
    errors: &'a mut Errors,
    env: BTreeMap<String, Binding>,
    /// The operations of the block being lowered.
    ops: Vec<Op>,
    /// In front of the body: references to constants and statics, each with its path.
    constants: Vec<Constant>,
    span: Span,
    items: Vec<TokenStream>,
    /// The name of the function itself.
    own: String,
    /// How many parameters it has.
    parameters: usize,
    /// It is a method: what is called by its name alone is another.
    method: bool,
    /// Its derivatives are given, and the body only calls it.
    own_given: bool,
    /// There is a form of it that records what it does.
    traced: bool,
    /// The type of its result.
    ret_ty: Ty,
    /// Up to which order it is differentiated.
    order: u32,
    /// Type parameters that stand for floats.
    numeric: Vec<Ident>,
    /// The bounds of the type parameters that stand for floats, of those that may be the user's own.
    traits: BTreeMap<String, Vec<syn::Path>>,
    /// The trait of the user's own that they have beside those of numbers, if it is one.
    beside_numbers: Option<Ident>,
    /// Names of types that are floats, as far as their use shows.
    aliases: BTreeSet<String>,
    /// Parameters that are functions without a derivative: they yield integers or truth values.
    deciding: BTreeSet<String>,
    /// Constants and statics of the body.
    own_constants: BTreeSet<String>,
    /// Type parameters that stand for types of the user's own.
    held: Vec<Ident>,
    /// Of how many things walked through together some is active.
    beside: usize,
    /// What patterns bind of values without derivative: a number, or a reference to one.
    matched: FxHashSet<Value>,
    /// Values without derivative that may be references.
    referring: FxHashSet<Value>,
    /// The numbers that values are or refer to.
    numbers: FxHashMap<Value, Value>,
    /// Results of arithmetic, which are numbers if its operands are.
    computed: FxHashSet<Value>,
    /// What is looked at next goes where a type of the user's own is expected.
    own_expected: bool,
    /// What is lowered next is a method call that stands as a statement.
    unused: bool,
    /// The type of all floats among parameters and result, if it is one.
    float: Option<crate::ir::Width>,
    /// It calls itself.
    recursive: bool,
    /// Variants that are named without their enum.
    lone: BTreeSet<String>,
    /// Variables that are no references: parameters passed by value, and what constant code computes.
    by_value: BTreeSet<String>,
    /// Parameters that refer to constants of the program, `&'static str`.
    of_program: BTreeSet<String>,
    /// Parameters of types with a lifetime, whose fields may be references, and whether it is written.
    borrowing: BTreeMap<Place, bool>,
    /// Parameters that are, or hold, values of a type that only a trait says something of.
    by_trait: BTreeMap<String, syn::Ident>,
    /// Variables that hold copies and are not `mut`.
    copies: Vec<(Place, Ident)>,
    /// What is bound to a pattern is a `&mut` reference, or has one in it.
    lending: bool,
    /// The method that is looked at next yields an option, by the patterns that it is matched with.
    option_expected: bool,
    /// Parameters that are functions, and what they return.
    callables: BTreeMap<String, Ty>,
    /// How many functions were wrapped in closures.
    wrappers: usize,
    /// Functions defined in the body, and whether they have derivatives.
    functions: BTreeMap<String, bool>,
    /// Those that have none as they are written, and are given some because something active is passed to them.
    given_derivatives: BTreeSet<String>,
    ascribed: BTreeMap<Value, TokenStream>,
    ascribed_places: BTreeMap<Place, TokenStream>,
    /// Lists of references, which hold copies here.
    lending_elements: FxHashSet<Place>,
    /// Copies of what the user's program takes references to out of such a list.
    elements: FxHashSet<Value>,
    /// Variables that are such copies.
    element_places: FxHashSet<Place>,
    /// The types that variables were declared with, which hold for what is assigned to them later.
    declared: BTreeMap<String, syn::Type>,
    verbatim: Vec<Verbatim>,
    /// Widths of windows and chunks, known as numbers, by the value that is the width or the end.
    widths: FxHashMap<Value, usize>,
    /// Variables that an error was reported for: what follows from it is no error of its own.
    poisoned: BTreeSet<String>,
    /// Methods named like those of lists, of what may be something else.
    of_lists: Vec<Ident>,
}

/// Lowers the body of a function whose signature was accepted.
pub(crate) fn lower(function: &GradFn, beside: Beside, errors: &mut Errors) -> Option<Lowered> {
    let mut body = function.body.clone();
    qualified::plain(&mut body);
    scopes::separate(&mut body);
    scopes::refuse(&body, errors);
    complex::call_methods(&mut body);
    matrices::take_shapes_apart(&mut body);
    matrices::write_blocks(&mut body);
    getters::lend_copies(&mut body);
    desugar::temporaries(&mut body);
    let names: Vec<String> = function.params.iter().map(|p| p.name.to_string()).collect();
    let mut names = names::rename(&mut body, &names);
    matrices::pass_views_on(&mut body, function);
    walked_arrays::flatten(&mut body, function);
    walked_tensors::walk(&mut body, function, &mut names);
    let checks = names.checks();
    let tensors = tensors::concerns(function, &body);
    if function.options.order > 2 {
        for param in function.params.iter().filter(|param| param.active) {
            if tensors::is_named(&param.inner) {
                errors.error(&param.written, "tensors have no derivatives of order 3; write `order = 2`, or `#[constant]` in front of the parameter");
            }
        }
    }
    dump(&function.item.sig.ident, Stage::Names, || {
        body.to_token_stream().to_string()
    });
    let complex = complex::concerns(function, &body);
    let marked = own_names::mark(&mut body, function, About { tensors, complex });
    let mut lowered = lower_renamed((function, beside, tensors), body, &mut names, errors);
    if let Some(lowered) = &mut lowered {
        lowered.items.extend(checks);
    }
    let mut written = names.written();
    written.extend(marked);
    errors.rename(&written);
    Some(Lowered {
        written,
        ..lowered?
    })
}

/// The items of a body, with `#[grad]` on the functions named, and on those that these mention.
fn with_derivatives(
    items: Vec<TokenStream>,
    mut named: BTreeSet<String>,
    function: &GradFn,
) -> Vec<TokenStream> {
    if named.is_empty() {
        return items;
    }
    let parsed = items.iter().map(|item| syn::parse2(item.clone()).ok());
    let parsed: Vec<Option<syn::ItemFn>> = parsed.collect();
    let plain = parsed.iter().flatten().filter(|f| !has_derivatives(f));
    let plain: Vec<&syn::ItemFn> = plain.collect();
    let mut before = 0;
    while before < named.len() {
        before = named.len();
        for f in &plain {
            let mentioned = plain.iter().any(|by| {
                let body = by.block.to_token_stream();
                named.contains(&by.sig.ident.to_string()) && types::mentions(&body, &f.sig.ident)
            });
            if mentioned {
                named.insert(f.sig.ident.to_string());
            }
        }
    }
    let (krate, order) = (function.krate(), function.options.order.max(1));
    let order = proc_macro2::Literal::u32_unsuffixed(order);
    let path = function.options.krate.iter();
    let crate_of_ours = quote!(#(, crate = #path)*);
    let options = quote!(order = #order #crate_of_ours);
    let given = items.into_iter().zip(&parsed).map(|(item, f)| match f {
        Some(f) if !has_derivatives(f) && named.contains(&f.sig.ident.to_string()) => {
            if !attr::yields_constant(&f.sig) {
                quote!(#[#krate::grad(#options)] #item)
            } else if attr::takes_constants(&f.sig) {
                item
            } else {
                quote!(#[#krate::grad(constant #crate_of_ours)] #item)
            }
        }
        _ => item,
    });
    given.collect()
}

/// Whether a function has `#[grad]`.
fn has_derivatives(f: &syn::ItemFn) -> bool {
    let last = |a: &syn::Attribute| a.path().segments.last().map(|s| s.ident.to_string());
    f.attrs.iter().any(|a| last(a).as_deref() == Some("grad"))
}

/// The names of a signature that stand for numbers of type `usize`.
fn usizes(function: &GradFn) -> BTreeSet<String> {
    let params = function.params.iter();
    let params = params.map(|p| (&p.name, types::strip(&p.written)));
    let generics = &function.item.sig.generics;
    let consts = generics.const_params().map(|p| (&p.ident, &p.ty));
    let typed = params.chain(consts);
    typed
        .filter(|(_, ty)| matches!(ty, syn::Type::Path(p) if p.path.is_ident("usize")))
        .map(|(name, _)| name.to_string())
        .collect()
}

/// As `lower`, with a name of its own for every variable.
fn lower_renamed(
    (function, beside, tensors): (&GradFn, Beside, bool),
    mut body: syn::Block,
    names: &mut names::Names,
    errors: &mut Errors,
) -> Option<Lowered> {
    let params = function
        .params
        .iter()
        .map(|p| {
            let var = Var {
                ty: p.ty.clone(),
                mutable: p.by == By::Mut,
                active: p.active,
                place: p.by != By::Value,
                roots: Vec::new(),
                exclusive: p.by == By::Mut,
                constant: p.is_kept_by_calls(),
                rebound: false,
                listed: false,
            };
            (p.name.to_string(), var)
        })
        .collect();
    let returned = function
        .ret
        .as_ref()
        .map(|ty| (ty, function.ret_ty.clone()));
    let generics = types::named(&function.item.sig.generics).chain(&function.numeric);
    // One that stands for a type of the user's own is read as such.
    let generics = generics.filter(|name| !function.held.contains(name));
    let given = Given {
        params,
        yields: match function.ret {
            Some(_) => function.ret_ty.clone(),
            None => Ty::Unknown,
        },
        generics: generics.map(ToString::to_string).collect(),
        numeric: function.numeric.clone(),
        tensors,
        cells: (function.params.iter())
            .filter(|p| facts::is_of_cells(&p.written))
            .map(|p| p.name.to_string())
            .collect(),
    };
    // A body that is made for an equation reports no error of its own.
    let fails = function.options.fails.as_ref();
    let fails = fails.filter(|_| !function.options.own.is_implicit());
    let fails = fails.map(|user| desugar::Fails {
        user,
        free: function.item.sig.ident == forms::VALUE,
        ret: function.ret.as_ref(),
        checks: &function.options.checks,
    });
    let before = errors.count();
    desugar::results(&mut body, &given, fails.as_ref(), names, errors);
    if errors.count() > before {
        return None;
    }
    let beside = desugar::apart(&mut body, &given, (function, beside), names);
    if !desugar::desugar(
        &mut body,
        (&given, &usizes(function)),
        returned,
        function.options.checkpoint.is_some(),
        names,
        errors,
    ) {
        return None;
    }
    let known = facts::facts(&body, &given);
    facts::coded(&mut body, &known, errors);
    let facts = facts::facts(&body, &given);
    desugar::unseen(&body, &facts, errors);
    dump(&function.item.sig.ident, Stage::Facts, || {
        facts::printed(&facts)
    });
    let mut func = Func {
        values: Vec::new(),
        places: Vec::new(),
        blocks: 0,
        tapes: 0,
        copies: BTreeMap::new(),
        recursive: false,
        generic: !function.numeric.is_empty(),
        assume_std: match &function.options {
            options if !options.assume_std => None,
            options if options.verify => Some(Compared::Always),
            _ => Some(Compared::InDebugBuilds),
        },
        strong: function.options.strong_zero,
        mild: BTreeSet::new(),
        overflows: BTreeSet::new(),
        left: BTreeSet::new(),
        params: Vec::new(),
        body: Block::default(),
    };
    func.body = func.block();
    let mut cx = Lower {
        func,
        facts,
        errors,
        env: BTreeMap::new(),
        ops: Vec::new(),
        constants: Vec::new(),
        span: Span::call_site(),
        items: Vec::new(),
        order: function.options.order,
        own: if function.options.namesake {
            String::new()
        } else {
            function.item.sig.ident.to_string()
        },
        parameters: function.params.len(),
        method: function.method.is_some(),
        own_given: function.options.own.is_given(),
        traced: function.options.trace,
        ret_ty: given.yields,
        numeric: function.numeric.clone(),
        traits: function
            .numeric
            .iter()
            .map(|name| {
                let traits =
                    types::own_traits(name, [&function.item.sig.generics, &function.outer]);
                (name.to_string(), traits)
            })
            .collect(),
        beside_numbers: types::beside_numbers(&function.item.sig.generics, &function.numeric),
        aliases: qualified::aliases(function),
        deciding: deciding(function),
        own_constants: own_constants(&function.body),
        held: function.held.clone(),
        beside: 0,
        matched: FxHashSet::default(),
        referring: FxHashSet::default(),
        numbers: FxHashMap::default(),
        computed: FxHashSet::default(),
        own_expected: false,
        unused: false,
        float: None,
        recursive: function.options.recursive,
        callables: function
            .params
            .iter()
            .filter_map(|p| {
                let output = types::read_in(&p.callable.as_ref()?.output, &function.numeric);
                Some((p.name.to_string(), output))
            })
            .collect(),
        wrappers: 0,
        by_trait: {
            let params = function.params.iter().filter(|p| p.callable.is_none());
            let generics = &function.item.sig.generics;
            params
                .filter(|p| types::is_by_trait(&p.written, generics))
                .map(|p| (p.name.to_string(), p.name.clone()))
                .collect()
        },
        by_value: {
            let owned = function.params.iter().filter(|p| p.by == By::Value);
            owned.map(|p| p.name.to_string()).collect()
        },
        of_program: {
            let constants = function.params.iter().filter(|p| !p.active);
            let forever = |p: &&ParamInfo| {
                matches!(&p.written, syn::Type::Reference(r)
                if r.mutability.is_none() && r.lifetime.as_ref().is_some_and(|l| l.ident == "static"))
            };
            constants
                .filter(forever)
                .map(|p| p.name.to_string())
                .collect()
        },
        borrowing: BTreeMap::new(),
        copies: Vec::new(),
        lending: false,
        option_expected: false,
        functions: BTreeMap::new(),
        given_derivatives: BTreeSet::new(),
        lone: variants::lone(&body),
        ascribed: BTreeMap::new(),
        ascribed_places: BTreeMap::new(),
        lending_elements: FxHashSet::default(),
        elements: FxHashSet::default(),
        element_places: FxHashSet::default(),
        declared: BTreeMap::new(),
        verbatim: Vec::new(),
        widths: FxHashMap::default(),
        poisoned: BTreeSet::new(),
        of_lists: Vec::new(),
    };
    cx.params(function);
    cx.check_names(&function.borrowed_names);
    let result = cx.function_body(&body);
    if !cx.errors.is_empty() {
        return None;
    }
    let yields = match result {
        Tree::Unit => Vec::new(),
        Tree::Never => {
            cx.func.body.diverges = true;
            Vec::new()
        }
        other if function.ret.is_some() => {
            let result = cx.value(other);
            let known = ir::join(function.ret_ty.clone(), cx.func.ty(result).clone());
            cx.func.values[result.0 as usize].ty = known;
            vec![result]
        }
        _ => Vec::new(),
    };
    let Lower {
        mut func,
        ops,
        constants,
        copies,
        items,
        ascribed,
        ascribed_places,
        verbatim,
        errors,
        recursive,
        given_derivatives,
        of_lists,
        ..
    } = cx;
    if func.body.diverges {
        errors.error(
            &function.item.sig.ident,
            "this function never returns: there is nothing to differentiate; remove #[grad]",
        );
        return None;
    }
    func.body.ops = behind(constants, ops);
    func.body.yields = yields;
    func.body.segment = true;
    func.recursive = recursive;
    for name in lost::lost(&func, &copies) {
        errors.error(name, lost::message(name));
    }
    Some(Lowered {
        func,
        items: with_derivatives(items, given_derivatives, function),
        ascribed,
        ascribed_places,
        verbatim,
        recursive,
        written: FxHashMap::default(),
        beside,
        of_lists,
    })
}

/// A constant that is lent: its path, the reference to it, and what makes that.
type Constant = (TokenStream, Place, [Op; 2]);

/// The operations of a body, with the references to constants in front of them.
fn behind(constants: Vec<Constant>, ops: Vec<Op>) -> Vec<Op> {
    let constants = constants.into_iter().flat_map(|(_, _, ops)| ops);
    constants.chain(ops).collect()
}

const LOST: &str = "this depends on a differentiable parameter in a way that the macro cannot follow; do without references that are stored in tuples or chosen in blocks";

/// Refuses what would lose a derivative: code copied as inactive that turns out to read what depends on a parameter.
pub(crate) fn refuse_lost(func: &Func, wrt: &[Param], verbatim: &[Verbatim], errors: &mut Errors) {
    let varied = crate::analysis::varied(func, wrt);
    for copied in verbatim {
        let value = |v: &Value| varied.value(*v) && !func.ty(*v).is_inert();
        let place = |p: &Place| varied.place(*p) && !func.at(*p).ty.is_inert();
        if copied.args.iter().any(value) || copied.places.iter().any(place) {
            errors.error(&copied.code, copied.changes);
        }
    }
}

/// The parameters that are functions without a derivative.
fn deciding(function: &GradFn) -> BTreeSet<String> {
    let generics = &function.item.sig.generics;
    let decides = |p: &&ParamInfo| {
        let kind = callable::read(0, &p.written, generics);
        p.callable.is_none() && !p.of_variables && matches!(kind, callable::Kind::Constant)
    };
    let params = function.params.iter().filter(decides);
    params.map(|p| p.name.to_string()).collect()
}

/// The names of constants and statics that stand in a body, and in blocks within it.
fn own_constants(body: &syn::Block) -> BTreeSet<String> {
    struct Constants(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Constants {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            let name = match item {
                syn::Item::Const(item) => &item.ident,
                syn::Item::Static(item) => &item.ident,
                _ => return,
            };
            self.0.insert(name.to_string());
        }
    }
    let mut constants = Constants(BTreeSet::new());
    constants.visit_block(body);
    constants.0
}

impl Lower<'_> {
    fn params(&mut self, function: &GradFn) {
        let tys = function.params.iter().map(|param| &param.ty);
        self.float = borrowed::only_width(tys.chain([&self.ret_ty]));
        for param in &function.params {
            let name = param.name.to_string();
            let storage = match param.by {
                By::Value => Storage::Owned,
                By::Ref => Storage::Shared,
                By::Mut => Storage::Exclusive,
            };
            if param.by == By::Value && !self.facts.is_place(&name) {
                let value = self.func.value(&name, param.ty.clone());
                self.func.params.push(Param::Value(value));
                let binding = self.unbundle(value, &param.ty);
                self.env.insert(name, binding);
            } else {
                let place = self.func.place(&name, param.ty.clone(), storage);
                self.func.at_mut(place).mutable = param.by == By::Mut;
                self.func.at_mut(place).constant = param.is_kept_by_calls();
                self.func.params.push(Param::Place(place));
                let written = types::borrows(&param.written, &function.outer);
                if written || function.takes_as_borrowing(param) {
                    self.borrowing.insert(place, written);
                }
                let path = Path::whole(place);
                let binding = if param.by == By::Value {
                    Binding::Place(path)
                } else {
                    Binding::View(path)
                };
                self.env.insert(name, binding);
            }
        }
    }

    /// A tuple value as a bundle of its components.
    fn unbundle(&mut self, value: Value, ty: &Ty) -> Binding {
        match ty {
            Ty::Tuple(parts) if !parts.is_empty() => {
                let hint = self.func.hint(value).to_owned();
                let parts = parts.iter().enumerate().map(|(k, part)| {
                    let component = self.emit(
                        Kind::Component(k.into()),
                        vec![value],
                        part.clone(),
                        &format!("{hint}_{k}"),
                    );
                    self.unbundle(component, part)
                });
                Binding::Tuple(parts.collect())
            }
            _ => Binding::Value(value),
        }
    }

    fn emit(&mut self, kind: Kind, mut args: Vec<Value>, ty: Ty, hint: &str) -> Value {
        let computes = match kind {
            Kind::Prim(prim) => !matches!(prim, Prim::Operator(_)),
            // Beside a number it is one.
            Kind::Compare(_) => args.iter().any(|&v| self.func.ty(v).is_float()),
            _ => false,
        };
        if computes {
            for v in &mut args {
                *v = self.dereferenced(*v);
            }
        }
        let result = self.func.value(hint, ty);
        if computes && matches!(kind, Kind::Prim(_)) {
            self.assume(&args);
            self.computed.insert(result);
        }
        self.push(kind, args, vec![result]);
        result
    }

    /// rustc checks that types are those of the standard library whose names they have.
    fn check_names(&mut self, types: &[syn::TypePath]) {
        for ty in types {
            let span = ty.span().resolved_at(Span::mixed_site());
            let check = crate::ir::Opaque {
                tokens: quote_spanned!(span=> { use rt::Undifferentiated as _; rt::Named::<#ty>::check(); }),
                places: Vec::new(),
                writes: Vec::new(),
                pure: false,
            };
            self.push(Kind::Opaque(check), Vec::new(), Vec::new());
        }
    }

    /// Arithmetic on values of which nothing shows that they are numbers: a type of the user's own may have other operators.
    fn assume(&mut self, args: &[Value]) {
        for v in args {
            let unknown = matches!(self.func.ty(*v), Ty::Unknown);
            self.func.values[v.0 as usize].assumed |= unknown && !self.computed.contains(v);
        }
    }

    /// As `assume`, for a value that goes where arithmetic shows that the macro takes it for a number.
    fn assume_into(&mut self, v: Value, into: &Ty) {
        let unknown = matches!(self.func.ty(v), Ty::Unknown);
        if unknown && into.is_float() && !self.computed.contains(&v) {
            let span = self.span.resolved_at(Span::mixed_site());
            let check = crate::ir::Opaque {
                tokens: quote_spanned!(span=> rt::operators::assume(&__a0)),
                places: Vec::new(),
                writes: Vec::new(),
                pure: false,
            };
            self.push(Kind::Opaque(check), vec![v], Vec::new());
        }
    }

    /// A number that a pattern has bound, perhaps by reference: what is remembered borrows nothing.
    fn dereferenced(&mut self, v: Value) -> Value {
        if let Some(&number) = self.numbers.get(&v) {
            return number;
        }
        if !self.matched.contains(&v) || !self.numeric.is_empty() {
            return v;
        }
        let ty = self.func.ty(v).clone();
        self.pure(quote!(rt::plain(&__a0)), vec![v], ty)
    }

    fn push(&mut self, kind: Kind, args: Vec<Value>, results: Vec<Value>) -> &mut Op {
        self.ops.push(Op {
            kind,
            args,
            results,
            blocks: Vec::new(),
            origin: Origin::User,
            span: self.span,
            pos: 0,
        });
        let last = self.ops.len() - 1;
        &mut self.ops[last]
    }

    fn literal(&mut self, tokens: TokenStream, ty: Ty) -> Value {
        self.emit(Kind::Lit(tokens), Vec::new(), ty, "")
    }

    /// A value to go on with after an error.
    fn dummy(&mut self) -> Tree {
        Tree::Value(self.literal(quote::quote!(0.0), Ty::Unknown))
    }

    fn refuse(&mut self, on: impl ToTokens, message: impl std::fmt::Display) -> Tree {
        self.errors.error(on, message);
        self.dummy()
    }

    /// As `refuse`, unless the reason is an earlier error in what `cause` names.
    fn refuse_unless_known(
        &mut self,
        cause: &syn::Expr,
        on: impl ToTokens,
        message: impl std::fmt::Display,
    ) -> Tree {
        if self.is_poisoned(cause) {
            return self.dummy();
        }
        self.refuse(on, message)
    }

    fn is_poisoned(&self, e: &syn::Expr) -> bool {
        facts::mentions(e, &|name| self.poisoned.contains(name))
    }

    /// A tree as one value: tuples are put together, places read.
    fn value(&mut self, tree: Tree) -> Value {
        match tree {
            Tree::Value(v) => v,
            Tree::Tuple(parts) => {
                let values: Vec<Value> = parts.into_iter().map(|part| self.value(part)).collect();
                let ty = Ty::Tuple(values.iter().map(|&v| self.func.ty(v).clone()).collect());
                self.emit(Kind::Aggregate(Shape::Tuple), values, ty, "")
            }
            Tree::Place(path) | Tree::View(path) => self.load(path),
            Tree::Either(either) => self.either_value(*either),
            Tree::Unit => self.emit(
                Kind::Aggregate(Shape::Tuple),
                Vec::new(),
                Ty::Tuple(Vec::new()),
                "",
            ),
            Tree::Never => self.literal(quote::quote!(::core::unreachable!()), Ty::Unknown),
        }
    }

    fn load(&mut self, path: Path) -> Value {
        let ty = self.func.path_ty(&path);
        if matches!(ty, Ty::Slice(_)) {
            self.errors.error_at(
                self.span,
                "a slice is stored here, which cannot be followed; index the slices themselves",
            );
        }
        let root = self.func.at(path.root);
        let refers = path.steps.is_empty() && root.borrows;
        // A part of a copy of a constant, say, into which something else was put.
        let changed = root.mutable && root.storage == Storage::Local;
        let ty = match ty {
            Ty::Unknown if changed => Ty::User,
            ty => ty,
        };
        let value = self.emit(Kind::Load(path), Vec::new(), ty, "");
        if refers {
            self.may_refer(value, true);
        }
        value
    }

    /// Whether this is a field that may be a reference, and that nothing changes; `written` asks for a lifetime that is.
    fn stays_where_it_is(&self, path: &Path, written: bool) -> bool {
        self.is_perhaps_reference(path)
            && self.func.at(path.root).storage == Storage::Shared
            && (!written || self.borrowing[&path.root])
    }

    /// Every place in a tree is read, as binding a variable to it does.
    fn read(&mut self, tree: Tree) -> Tree {
        match tree {
            // What has no size is read through a reference to it: a row of `&[&[f64]]`.
            Tree::Place(path) if matches!(self.func.path_ty(&path), Ty::Slice(_)) => {
                Tree::View(path)
            }
            // Where it is passed on, its type says whether it is a reference.
            Tree::Place(path) if self.stays_where_it_is(&path, true) => Tree::Place(path),
            Tree::Place(path) => Tree::Value(self.load(path)),
            Tree::Either(either) if !either.view => self.read_either(*either),
            Tree::Tuple(parts) => {
                Tree::Tuple(parts.into_iter().map(|part| self.read(part)).collect())
            }
            other => other,
        }
    }

    /// Evaluates an expression to one value.
    fn scalar(&mut self, e: &syn::Expr) -> Value {
        self.refuse_kept_reference(e);
        let own = std::mem::take(&mut self.own_expected);
        let tree = self.unboxed(own, e);
        self.value(tree)
    }

    /// What an expression is, read where it is a place.
    fn evaluated(&mut self, own: bool, e: &syn::Expr) -> Tree {
        let tree = self.unboxed(own, e);
        self.read(tree)
    }

    /// An expression of which a copy is taken, or which is moved: `*b` of a box is what is in it.
    ///
    /// Behind a reference it is the box itself, which nothing can move; where a place is enough, a box turns into what is in it.
    fn unboxed(&mut self, own: bool, e: &syn::Expr) -> Tree {
        let behind = match expr::unparen(e) {
            syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => &u.expr,
            _ => return self.going_into(own, e),
        };
        if !self.facts.mentions_active(e) {
            return self.going_into(own, e);
        }
        let boxed = match self.expr(behind) {
            Tree::Place(path) if self.func.path_ty(&path).is_user() => self.load(path),
            Tree::Value(v) if self.func.ty(v).is_user() => v,
            tree => return Self::led_to(tree),
        };
        Tree::Value(self.inside(boxed))
    }

    fn inside(&mut self, boxed: Value) -> Value {
        self.emit(Kind::Component(Part::Inside), vec![boxed], Ty::User, "")
    }

    fn boxed(&mut self, v: Value) -> Value {
        self.emit(Kind::Aggregate(Shape::Box), vec![v], Ty::User, "")
    }

    /// The box whose contents are written over, if the star on the left of an assignment is that of a box.
    fn box_behind<'e>(&self, left: &'e syn::Expr) -> Option<&'e syn::Expr> {
        let syn::Expr::Unary(star) = expr::unparen(left) else {
            return None;
        };
        let of = expr::unparen(&star.expr);
        let boxed = match of {
            syn::Expr::Path(p) => {
                let name = p.path.get_ident()?.to_string();
                matches!(self.env.get(&name)?, Binding::Place(path) if self.func.path_ty(path).is_user())
            }
            syn::Expr::Unary(_) | syn::Expr::Field(_) | syn::Expr::Index(_) => {
                self.facts.ty(of).is_user()
            }
            _ => false,
        };
        boxed.then_some(of)
    }

    /// The place behind `&mut e`, or the box around it, and whether it is a box.
    fn lent_place(&mut self, e: &syn::Expr) -> Option<(Path, bool)> {
        if let syn::Expr::Reference(r) = expr::unparen(e) {
            if let Some(of) = self.box_behind(&r.expr) {
                return Some((self.target(of)?, true));
            }
        }
        Some((self.borrowed(e)?, false))
    }

    fn content(&mut self, (path, boxed): &(Path, bool)) -> Value {
        let held = self.load(path.clone());
        if *boxed { self.inside(held) } else { held }
    }

    fn write_over(&mut self, (path, boxed): (Path, bool), v: Value) {
        let v = if boxed { self.boxed(v) } else { v };
        self.store(path, Tree::Value(v));
    }

    /// What a reference leads to.
    fn led_to(tree: Tree) -> Tree {
        match tree {
            Tree::View(path) | Tree::Place(path) => Tree::Place(path),
            Tree::Either(either) => either.placed(),
            other => other,
        }
    }

    /// A place that holds the value of a tree.
    fn temporary(&mut self, tree: Tree, hint: &str) -> Path {
        let value = self.value(tree);
        let ty = self.func.ty(value).clone();
        let place = self.func.place(hint, ty, Storage::Local);
        self.push(Kind::New(place), vec![value], Vec::new());
        Path::whole(place)
    }

    /// The path of a place expression or reference; anything else goes to a temporary.
    fn path(&mut self, tree: Tree) -> Path {
        match tree {
            Tree::Place(path) | Tree::View(path) => path,
            other => self.temporary(other, "t"),
        }
    }

    fn tree_of(binding: &Binding) -> Tree {
        match binding {
            Binding::Value(v) => Tree::Value(*v),
            Binding::Tuple(parts) => Tree::Tuple(parts.iter().map(Self::tree_of).collect()),
            Binding::Place(path) => Tree::Place(path.clone()),
            Binding::View(path) => Tree::View(path.clone()),
            Binding::Either(either) => Tree::Either(either.clone()),
            Binding::Unset => Tree::Unit,
        }
    }

    /// Lowers the outermost block, where a last `return` is only another way to yield.
    fn function_body(&mut self, body: &syn::Block) -> Tree {
        match body.stmts.split_last() {
            Some((syn::Stmt::Expr(syn::Expr::Return(last), _), rest)) => {
                self.statements(rest);
                match &last.expr {
                    Some(e) => self.evaluated(self.ret_ty.is_user(), e),
                    None => Tree::Unit,
                }
            }
            _ => {
                self.own_expected = self.ret_ty.is_user();
                self.block(body)
            }
        }
    }

    /// Lowers a block to its value.
    fn block(&mut self, block: &syn::Block) -> Tree {
        let own = std::mem::take(&mut self.own_expected);
        let mut never = false;
        let (last, rest) = match block.stmts.split_last() {
            Some((syn::Stmt::Expr(e, None), rest)) => (Some(e), rest),
            Some((syn::Stmt::Macro(m), rest)) if m.semi_token.is_none() => {
                never |= self.statements(rest);
                let tree = self.macro_expr(&m.mac);
                return if never { Tree::Never } else { tree };
            }
            _ => (None, block.stmts.as_slice()),
        };
        never |= self.statements(rest);
        let tree = match last {
            Some(e) => self.evaluated(own, e),
            None => Tree::Unit,
        };
        if never { Tree::Never } else { tree }
    }

    /// Lowers statements; `true` if control does not reach their end.
    fn statements(&mut self, stmts: &[syn::Stmt]) -> bool {
        for stmt in stmts {
            if let syn::Stmt::Item(syn::Item::Fn(f)) = stmt {
                let name = f.sig.ident.to_string();
                self.functions.insert(name, has_derivatives(f));
            }
        }
        let mut never = false;
        for stmt in stmts {
            self.span = stmt.span();
            match stmt {
                syn::Stmt::Local(local) => self.local(local),
                syn::Stmt::Item(item) => self.item(item),
                syn::Stmt::Expr(e, _) => never |= matches!(self.statement(e), Tree::Never),
                syn::Stmt::Macro(m) => never |= matches!(self.macro_statement(&m.mac), Tree::Never),
            }
        }
        never
    }

    fn item(&mut self, item: &syn::Item) {
        for name in hidden::declared(item) {
            if crate::types::is_known(&name.to_string()) {
                self.errors.error(&name, format_args!("`{name}` in the body means something else than elsewhere, which the macro reads as a type without looking it up; give it another name"));
            }
        }
        match item {
            syn::Item::Static(s) => {
                self.errors.error(s.static_token, "a `static` in the body would be another variable in each derivative; move it out of the function");
            }
            syn::Item::Macro(m) => {
                self.errors.error(m, "a macro defined in the body cannot be looked into; move it out of the function");
            }
            // A closure that is called twice has its items in two places.
            _ => {
                let tokens = item.to_token_stream();
                let text = tokens.to_string();
                if self.items.iter().all(|known| known.to_string() != text) {
                    self.items.push(tokens);
                }
            }
        }
    }

    fn local(&mut self, local: &syn::Local) {
        let before = self.errors.count();
        self.bind_local(local);
        let unknown = |init: &syn::LocalInit| self.is_poisoned(&init.expr);
        if self.errors.count() > before || local.init.as_ref().is_some_and(unknown) {
            self.poison(&local.pat);
        }
    }

    fn bind_local(&mut self, local: &syn::Local) {
        let Some(init) = &local.init else {
            self.declare(&local.pat);
            return;
        };
        if self.hides_by_type(&local.pat) {
            return;
        }
        if self.facts.mentions_active(&init.expr) || structural(&init.expr) {
            let own = self.is_own(facts::named(&local.pat));
            let tree = match &local.pat {
                syn::Pat::Ident(p) if p.by_ref.is_none() => self.unboxed(own, &init.expr),
                _ => self.going_into(own, &init.expr),
            };
            let lending = lost::lends(&self.facts, &init.expr);
            self.bind_lent(&local.pat, tree, lending);
        } else if !self.hides_memory(&local.pat, &init.expr) {
            self.bind_verbatim(&local.pat, &init.expr);
        }
    }

    /// `let r;`
    fn declare(&mut self, pattern: &syn::Pat) {
        match pattern {
            syn::Pat::Ident(p) => {
                let name = p.ident.to_string();
                if self.facts.is_place(&name) {
                    self.errors.error(pattern, format_args!("`{name}` is declared without a value and then used as memory; give it a value here"));
                }
                self.env.insert(name, Binding::Unset);
            }
            syn::Pat::Paren(p) => self.declare(&p.pat),
            syn::Pat::Tuple(t) => t.elems.iter().for_each(|p| self.declare(p)),
            syn::Pat::Wild(_) | syn::Pat::Rest(_) => {}
            syn::Pat::Type(t) => {
                self.declare(&t.pat);
                self.ascribe(&t.pat, &t.ty, self.func.values.len());
            }
            other => self
                .errors
                .error(other, "a pattern without value; assign one here"),
        }
    }

    /// Stores a tree where the left side of an assignment says.
    fn assign(&mut self, left: &syn::Expr, tree: Tree) {
        self.refuse_part_of_copy(left);
        match left {
            syn::Expr::Infer(_) => {}
            syn::Expr::Paren(e) => self.assign(&e.expr, tree),
            syn::Expr::Group(e) => self.assign(&e.expr, tree),
            syn::Expr::Array(targets) => {
                let path = self.path(tree);
                let (before, after) = around_rest(&targets.elems);
                for (k, e) in before.into_iter().enumerate() {
                    let k = self.position(k);
                    let part = self.load(path.then(Step::Index(k)));
                    self.assign(e, Tree::Value(part));
                }
                for (k, e) in after.into_iter().rev().enumerate() {
                    let k = self.back_from_end(&path, k + 1);
                    let part = self.load(path.then(Step::Index(k)));
                    self.assign(e, Tree::Value(part));
                }
            }
            syn::Expr::Tuple(targets) => match tree {
                Tree::Tuple(parts) if fits(&targets.elems, Some(parts.len())) => {
                    let (before, after) = around_rest(&targets.elems);
                    let skipped = parts.len() - after.len();
                    let first = before.into_iter().zip(parts.clone());
                    let last = after.into_iter().zip(parts.into_iter().skip(skipped));
                    first.chain(last).for_each(|(e, part)| self.assign(e, part));
                }
                other if !fits(&targets.elems, self.parts(&other)) => {
                    self.errors.error(
                        targets,
                        "the tuple does not have as many parts; match its shape",
                    );
                }
                other => {
                    let (before, after) = around_rest(&targets.elems);
                    let skipped = self.parts(&other).map_or(0, |n| n - after.len());
                    let value = self.value(other);
                    let last = (skipped..).zip(after);
                    for (k, e) in before.into_iter().enumerate().chain(last) {
                        let part = self.part_of_tuple(value, k);
                        self.assign(e, Tree::Value(part));
                    }
                }
            },
            syn::Expr::Path(p)
                if p.path
                    .get_ident()
                    .is_some_and(|i| self.env.contains_key(&i.to_string())) =>
            {
                let name = p
                    .path
                    .get_ident()
                    .map(ToString::to_string)
                    .unwrap_or_default();
                match self.env.get(&name) {
                    Some(Binding::Place(path)) => {
                        let path = path.clone();
                        let refers = self.holds_reference(&path);
                        if refers {
                            // It will refer to something else; what is a slice to the graph would be written to.
                            self.func.at_mut(path.root).ty = Ty::Inert;
                        }
                        let tree = match tree {
                            Tree::View(to) if refers => {
                                let exclusive = self.facts.get(&name).is_some_and(|v| v.exclusive);
                                Tree::Value(self.reference_to(&to, exclusive))
                            }
                            tree => tree,
                        };
                        self.store(path, tree);
                    }
                    Some(Binding::View(_) | Binding::Either(_))
                        if self.poisoned.contains(&name) => {}
                    Some(Binding::View(_) | Binding::Either(_)) => self.refer(left, &name, tree),
                    before => {
                        if before.is_some_and(|before| !is_alike(&tree, before)) {
                            let advice = "a tuple of another length; a variable keeps the type of its first value";
                            self.errors.error(left, advice);
                            return;
                        }
                        let tree = self.read(tree);
                        self.rebind(&name, tree);
                    }
                }
            }
            syn::Expr::Field(field) if self.assign_component(field, &tree) => {}
            left => {
                let value = self.value(tree);
                if let Some(of) = self.box_behind(left) {
                    let boxed = self.boxed(value);
                    return self.assign(of, Tree::Value(boxed));
                }
                self.at_target(left, |cx, path| cx.store(path, Tree::Value(value)));
            }
        }
    }

    /// The place on the left side of an assignment.
    fn target(&mut self, left: &syn::Expr) -> Option<Path> {
        let (places, errors) = (self.func.places.len(), self.errors.count());
        match self.place_expr(left) {
            // A temporary may be a copy of a reference, behind which the store would be lost.
            Tree::Place(path) | Tree::View(path) if (path.root.0 as usize) < places => Some(path),
            _ => {
                if self.errors.count() == errors {
                    self.refuse_target(left);
                }
                self.poisoned.extend(facts::root(left));
                None
            }
        }
    }

    fn store(&mut self, path: Path, tree: Tree) {
        let value = self.value(tree);
        self.func.at_mut(path.root).mutable = true;
        self.push(Kind::Store(path), vec![value], Vec::new());
    }

    /// Assigns to a component of a tuple variable that is a bundle; `false` if it is none.
    fn assign_component(&mut self, field: &syn::ExprField, tree: &Tree) -> bool {
        fn find<'b>(
            e: &syn::Expr,
            env: &'b mut BTreeMap<String, Binding>,
        ) -> Option<&'b mut Binding> {
            match e {
                syn::Expr::Path(p) => env.get_mut(&p.path.get_ident()?.to_string()),
                syn::Expr::Paren(e) => find(&e.expr, env),
                syn::Expr::Field(f) => match (find(&f.base, env)?, &f.member) {
                    (Binding::Tuple(parts), syn::Member::Unnamed(k)) => {
                        parts.get_mut(k.index as usize)
                    }
                    _ => None,
                },
                _ => None,
            }
        }
        let e = syn::Expr::Field(field.clone());
        if find(&e, &mut self.env).is_none() {
            return false;
        }
        let mut tree = self.read(tree.clone());
        if let Some(slot) = find(&e, &mut self.env).cloned() {
            tree = self.fit(tree, &slot);
        }
        let binding = self.bundle(tree, "t", &Ty::Unknown);
        if let Some(slot) = find(&e, &mut self.env) {
            *slot = binding;
        }
        if let Some(name) = facts::root(&e) {
            self.ascribe_again(&name);
        }
        true
    }

    /// What a bundle becomes is one of as many parts.
    fn fit(&mut self, tree: Tree, before: &Binding) -> Tree {
        match (tree, before) {
            (Tree::Value(v), Binding::Tuple(parts)) => {
                let parts = parts.iter().enumerate().map(|(k, before)| {
                    let part = self.part_of_tuple(v, k);
                    self.fit(Tree::Value(part), before)
                });
                Tree::Tuple(parts.collect())
            }
            (Tree::Tuple(parts), Binding::Tuple(before)) if parts.len() == before.len() => {
                let parts = parts.into_iter().zip(before);
                Tree::Tuple(parts.map(|(part, before)| self.fit(part, before)).collect())
            }
            (tree, _) => tree,
        }
    }

    fn part_of_tuple(&mut self, whole: Value, k: usize) -> Value {
        let ty = self.func.ty(whole).component(k);
        self.emit(Kind::Component(k.into()), vec![whole], ty, "")
    }

    /// A variable stands for something else from now on.
    fn rebind(&mut self, name: &str, tree: Tree) {
        let mut tree = match self.declared.get(name).cloned() {
            Some(ty) => self.as_declared(tree, &ty),
            None => tree,
        };
        if let Some(before) = self.env.get(name).cloned() {
            tree = self.fit(tree, &before);
        }
        let binding = self.binding(tree, name);
        self.env.insert(name.to_owned(), binding);
        self.ascribe_again(name);
    }

    /// What a variable assigned a tree stands for.
    fn binding(&mut self, tree: Tree, name: &str) -> Binding {
        let ty = match self.facts.get(name) {
            // It may be a reference to a tuple.
            Some(var) if matches!(var.ty, Ty::Tuple(_)) && !var.active => Ty::Unknown,
            Some(var) => var.ty.clone(),
            None => Ty::Unknown,
        };
        self.bundle(tree, name, &ty)
    }

    /// As `binding`, for what is known to be of a type.
    fn bundle(&mut self, tree: Tree, hint: &str, ty: &Ty) -> Binding {
        match tree {
            Tree::Value(v) => {
                self.expect(v, ty);
                self.expect_own(v, ty);
                let ty = self.func.ty(v).clone();
                self.name(v, hint);
                self.unbundle(v, &ty)
            }
            Tree::Tuple(parts) => {
                let parts = parts
                    .into_iter()
                    .enumerate()
                    .map(|(k, part)| self.bundle(part, &format!("{hint}_{k}"), &ty.component(k)));
                Binding::Tuple(parts.collect())
            }
            Tree::View(path) => Binding::View(path),
            Tree::Either(either) if either.view => Binding::Either(either),
            Tree::Either(_) => {
                let v = self.value(tree);
                Binding::Value(v)
            }
            Tree::Place(path) => {
                let v = self.load(path);
                self.name(v, hint);
                Binding::Value(v)
            }
            Tree::Unit | Tree::Never => {
                let v = self.value(tree);
                Binding::Value(v)
            }
        }
    }

    /// Gives a value the name of the variable it is bound to, if it has none.
    fn name(&mut self, v: Value, hint: &str) {
        let data = &mut self.func.values[v.0 as usize];
        if data.hint.is_empty() {
            hint.clone_into(&mut data.hint);
        }
    }

    /// Arithmetic by its sign: on values of types that the user named, the operator may be the user's own.
    fn operator(&mut self, sign: &str, prim: Prim, args: Vec<Value>, borrowed: [bool; 2]) -> Value {
        let own = std::mem::take(&mut self.own_expected);
        let operator = match args.len() {
            1 => Some(Operator::NEG),
            _ => Operator::binary(sign),
        };
        self.refuse_mixed(sign, &args);
        if let ([left, right], true) = (args.as_slice(), self.counts(&args)) {
            let sign = sign.parse().unwrap_or_default();
            return self.bitwise(&sign, *left, *right);
        }
        // Derivatives of the user's operators are differentiated once.
        if self.order > 2 {
            let args = args.into_iter().map(|v| self.number(v)).collect();
            return self.prim(prim, args);
        }
        match operator {
            Some(operator) if args.iter().any(|&v| self.is_operand(v, own)) => {
                // What is copied as it stands is the reference itself, if it is one.
                let referring = |v: &Value| self.referring.contains(v);
                let lent = |v: &Value| self.func.ty(*v).is_user() && !referring(v);
                let borrowed = [0, 1].map(|k| borrowed[k] && args.get(k).is_some_and(lent));
                let mut operator = operator.on(borrowed);
                operator.perhaps =
                    [0, 1].map(|k| !borrowed[k] && args.get(k).is_some_and(referring));
                operator.again = self.order > 1;
                let args = args.into_iter().map(|v| self.operand(v)).collect();
                self.emit(Kind::Prim(Prim::Operator(operator)), args, Ty::User, "")
            }
            _ => self.prim(prim, args),
        }
    }

    /// An operator between a type parameter and a float that is no number of the same type; one of them is enough.
    fn refuse_mixed(&mut self, sign: &str, args: &[Value]) {
        let func = &self.func;
        let is = |width: Width| {
            let of = |v: &Value| matches!(func.ty(*v), Ty::Float(w) if *w == width);
            args.iter().any(of)
        };
        let generic = is(Width::Generic);
        let known = [Width::F64, Width::F32].into_iter().find(|&w| is(w));
        if let (true, Some(known), true) = (generic, known, self.errors.is_empty()) {
            let float = if known == Width::F64 { "f64" } else { "f32" };
            self.errors.error_at(self.span, format_args!("`{sign}` between a type parameter and `{float}` is of a trait that this function does not show; write the bounds of its operators at the type parameter, `Y: Add<Output = Y> + Mul<{float}, Output = Y>`"));
        }
    }

    /// A value as an operator is given it: a constant may be a view of a matrix, and the pullback keeps the types of the operands.
    fn operand(&mut self, v: Value) -> Value {
        if !features().matrices() || !self.func.refers(v) || !self.referring.contains(&v) {
            return v;
        }
        let ty = self.func.ty(v).clone();
        let operand = self.pure(quote!(rt::passed(&__a0).to_operand()), vec![v], ty);
        self.may_refer(operand, true);
        operand
    }

    /// Whether an operator on a value may be the user's own, where the result is expected to be a type of the user's own or not.
    fn is_operand(&self, v: Value, own: bool) -> bool {
        match self.func.ty(v) {
            Ty::User => true,
            Ty::Unknown => own && !self.matched.contains(&v),
            _ => false,
        }
    }

    /// Where operators are those of numbers, a part of a user's type beside an integer is an integer.
    fn counts(&self, args: &[Value]) -> bool {
        self.order > 2
            && args.iter().any(|&v| matches!(self.func.ty(v), Ty::Int))
            && args.iter().any(|&v| self.func.ty(v).is_user())
    }

    /// A part of a user's type as the float that it has to be.
    fn number(&mut self, v: Value) -> Value {
        if self.func.ty(v).is_user() {
            let ty = Ty::Float(Width::Any);
            self.emit(Kind::Prim(Prim::Number), vec![v], ty, "")
        } else {
            v
        }
    }

    /// What is known to be a float or a tuple where it goes, is one where it comes from.
    fn expect(&mut self, v: Value, ty: &Ty) {
        let tuple = matches!(ty, Ty::Tuple(parts) if !parts.is_empty());
        let unknown = matches!(self.func.ty(v), Ty::User | Ty::Unknown);
        if ty.is_float() && self.func.ty(v).is_user() || tuple && unknown {
            self.func.values[v.0 as usize].ty = ty.clone();
        }
    }

    /// What goes where a type of the user's own is expected is of that type; a reference is not.
    fn expect_own(&mut self, v: Value, ty: &Ty) {
        let unknown = matches!(self.func.ty(v), Ty::Unknown);
        if ty.is_user() && unknown && !self.matched.contains(&v) {
            self.func.values[v.0 as usize].ty = Ty::User;
        }
    }

    /// Lowers what goes into a variable, or where a type of the user's own is expected.
    fn going_into(&mut self, own: bool, e: &syn::Expr) -> Tree {
        self.own_expected = own;
        let tree = self.expr(e);
        self.own_expected = false;
        tree
    }

    /// Whether a variable is of a type of the user's own.
    fn is_own(&self, name: Option<String>) -> bool {
        name.and_then(|name| self.facts.get(&name))
            .is_some_and(|v| v.ty.is_user())
    }

    fn prim(&mut self, prim: Prim, args: Vec<Value>) -> Value {
        let ty = args
            .iter()
            .map(|&v| self.func.ty(v).clone())
            .fold(Ty::Unknown, ir::join);
        self.emit(Kind::Prim(prim), args, ty, "")
    }
}

/// Lowered even where it is inactive: what binds, yields or is a plain number, so that its parts stay values.
fn structural(e: &syn::Expr) -> bool {
    match e {
        syn::Expr::Lit(_) => true,
        syn::Expr::Path(_) => false,
        syn::Expr::Paren(e) => structural(&e.expr),
        syn::Expr::Group(e) => structural(&e.expr),
        syn::Expr::Tuple(t) => !t.elems.is_empty(),
        syn::Expr::Call(e) => expr::is_boxed_number(e),
        _ => false,
    }
}

/// The places on the left side of an assignment that stand in front of `..`, and those behind.
fn around_rest(elems: &Targets) -> (Vec<&syn::Expr>, Vec<&syn::Expr>) {
    let open = elems.iter().position(is_open);
    let before = elems.iter().take(open.unwrap_or(elems.len()));
    let after = elems.iter().skip(open.map_or(elems.len(), |at| at + 1));
    (before.collect(), after.collect())
}

/// Whether so many parts can be assigned to these places; if it is not known how many there are, to those in front of a `..`.
fn fits(elems: &Targets, parts: Option<usize>) -> bool {
    let (before, after) = around_rest(elems);
    let named = before.len() + after.len();
    match parts {
        Some(parts) if named < elems.len() => named <= parts,
        Some(parts) => named == parts,
        None => named == elems.len() || after.is_empty(),
    }
}

/// `..`
fn is_open(e: &syn::Expr) -> bool {
    matches!(e, syn::Expr::Range(r) if r.start.is_none() && r.end.is_none())
}

type Targets = syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>;
