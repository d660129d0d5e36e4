//! Rewrites constructs of the language into simpler ones, syntax to syntax, before lowering.
//!
//! Names are unique already, so code may be moved from scope to scope; what names nothing active is left as it stands.

mod apart;
mod apply;
mod asked;
mod assigned;
mod chains;
mod checkpoint;
mod closure_parameters;
mod closures;
mod copies;
mod decided;
mod elements;
mod exits;
mod functions;
mod indexed;
mod late;
mod links;
mod listed;
mod lists;
mod make;
mod one_by_one;
mod operators;
mod optional;
mod options;
mod orders;
mod outcomes;
mod pairs;
mod parts;
mod ranges;
mod results;
mod slices;
mod temporaries;
mod tried;
mod tried_closures;
mod typed;
mod vectors;

use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

use crate::visit_mut::{self, VisitMut};

pub(crate) use self::apart::apart;
pub(crate) use self::checkpoint::PREFIX;
pub(crate) use self::exits::{is_until, spell_out, start};
use self::lists::Lists;
use self::operators::Unknown;
pub(crate) use self::results::{Fails, results, unseen};
pub(crate) use self::temporaries::temporaries;
use crate::errors::Errors;
use crate::facts::{self, Facts, Given};
use crate::ir::Ty;
use crate::names::Names;

/// The result of a function: its type as written, and as it is read.
pub(crate) type Returned<'a> = Option<(&'a syn::Type, Ty)>;

/// A statement by which rustc checks that a path that does not say so is a function of the standard library: each function has a type of its own.
pub(crate) fn check_standard(path: &syn::Path, standard: &syn::Expr) -> Option<syn::Stmt> {
    // A module of the user's own may have the name of a crate.
    if path.leading_colon.is_some() {
        return None;
    }
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = syn::PathArguments::None;
    }
    Some(syn::parse_quote!(let _ = rt::Same { one: #standard, other: #path };))
}

/// Removes the jumps within closures that are passed to calls: their bodies are those of functions.
struct Passed<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    errors: &'a mut Errors,
}

impl VisitMut for Passed<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_call_mut(&mut self, e: &mut syn::ExprCall) {
        visit_mut::visit_expr_call_mut(self, e);
        if !self.facts.active(&syn::Expr::Call(e.clone())) {
            return;
        }
        for arg in &mut e.args {
            let Some(closure) = closures::literal_mut(arg) else {
                continue;
            };
            if let syn::Expr::Block(body) = &mut *closure.body {
                exits::exits(
                    &mut body.block,
                    self.facts,
                    Some(Ty::Unknown),
                    self.names,
                    self.errors,
                );
                // What was made up is named as elsewhere.
                self.names.refresh(closure);
            }
        }
    }
}

/// Rewrites a body whose names are unique; `false` if too little of it is left to go on with.
///
/// `usizes` are the variables of the signature that are certainly of this type.
pub(crate) fn desugar(
    body: &mut syn::Block,
    (given, usizes): (&Given, &BTreeSet<String>),
    returned: Returned<'_>,
    checkpoint: bool,
    names: &mut Names,
    errors: &mut Errors,
) -> bool {
    let before = errors.count();
    let known = facts::facts(body, given);
    closure_parameters::lent(body, &known);
    one_by_one::one_by_one(body, &known);
    late::late(body, &known, names);
    assigned::assigned(body, names);
    pairs::pairs(body, names);
    while operators::operators(body, given, Unknown::Leave) {}
    let known = facts::facts(body, given);
    checkpoint::checkpoints(body, checkpoint, &known, names, errors);
    if errors.count() > before {
        return false;
    }
    let mut lists = FxHashSet::default();
    listed::listed(body, &known, &mut lists);
    parts::parts(body, &known);
    decided::durations(body, &known);
    typed::typed(body, names);
    asked::asked(body, names);
    functions::functions(body, &known, names);
    indexed::indexed(body, &known, names, errors);
    orders::orders(body, &Lists::of(body), &known, names);
    ranges::ranges(body, names);
    let known = facts::facts(body, given);
    links::links(body, &known);
    copies::copies(body, &known, names);
    let option = matches!(&returned, Some((_, Ty::Option(_))));
    options::told(body, option, &known, names);
    vectors::vectors(body, &Lists::of(body), &known, names);
    let ret = returned.as_ref().map(|(ty, _)| *ty);
    // What is rewritten may show that more is active than there seemed to be.
    loop {
        let known = facts::facts(body, given);
        let closures = closures::closures(body, &known, names, errors);
        let known = facts::facts(body, given);
        decided::truths(body, &known, given);
        let parts = parts::parts(body, &known);
        let chains = chains::chains(body, &known, (ret, usizes), names, errors);
        if errors.count() > before {
            return false;
        }
        let known = facts::facts(body, given);
        let walked = optional::optional(body, &known);
        let likely = Lists::of(body);
        let options = options::options(body, &likely, &known, names);
        let elements = elements::elements(body, &likely, &known, names);
        let slices = slices::slices(body, &likely, &known, names);
        let operators = operators::operators(body, given, Unknown::Leave);
        let rewritten = [
            closures, parts, chains, walked, options, slices, elements, operators,
        ];
        if rewritten.iter().all(|done| !done) {
            break;
        }
    }
    operators::operators(body, given, Unknown::Rewrite);
    let known = facts::facts(body, given);
    listed::listed(body, &known, &mut lists);
    Passed {
        facts: &known,
        names,
        errors,
    }
    .visit_block_mut(body);
    let known = facts::facts(body, given);
    exits::exits(body, &known, returned.map(|(_, ty)| ty), names, errors);
    true
}
