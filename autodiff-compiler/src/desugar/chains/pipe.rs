//! An iterator chain as a loop in the making: what it runs over, and what is done with each item.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::{Expr, Pat, Stmt};

use super::super::apply::{apply, unparen, variable};
use super::super::make;
use super::Chains;

/// What happens to an item, with all that comes after it inside.
pub(super) enum Step {
    Do(Stmt),
    /// The rest only if this holds.
    If(Expr),
    /// The rest only if this matches.
    IfLet(Pat, Expr),
    /// These statements if this holds, else the rest.
    Unless(Expr, Vec<Stmt>),
    /// The rest for each of these.
    Loop(Option<syn::Lifetime>, Pat, Expr),
}

/// What a loop runs over.
#[derive(Clone)]
pub(super) enum Kind {
    /// Elements of something that the graph knows.
    Items,
    /// `lo..hi`, unbounded without `hi`.
    Range(Box<(Expr, Option<Expr>)>),
    /// A range with adaptors.
    Numbers,
    /// The same item for ever.
    Endless,
}

/// One loop of a chain; there are several behind `chain`.
pub(super) struct Branch {
    pub(super) kind: Kind,
    pub(super) pat: Pat,
    pub(super) over: Expr,
    /// The numbers of rounds, the least of which counts.
    pub(super) len: Option<Vec<Expr>>,
    pub(super) steps: Vec<Step>,
    pub(super) item: Expr,
    /// Variables of the loop that nothing uses yet.
    pub(super) free: BTreeSet<String>,
    /// Variables of the loop that are references.
    pub(super) references: BTreeSet<String>,
    /// Where to jump when this loop ends early and the ones behind it are still to come.
    pub(super) label: Option<syn::Lifetime>,
    /// The same of several loops, one behind the other, which end together.
    pub(super) group: Option<syn::Lifetime>,
}

/// Where to jump when a chain ends early.
pub(super) struct Exit {
    pub(super) label: syn::Lifetime,
    pub(super) used: bool,
}

pub(super) struct Pipe {
    /// Evaluated once, in order, before the loop.
    pub(super) before: Vec<Stmt>,
    pub(super) branches: Vec<Branch>,
    pub(super) exit: Exit,
    /// Each round has exactly one item.
    pub(super) one_to_one: bool,
    /// What happens to an item does not depend on those before it.
    pub(super) stateless: bool,
    /// No closure so far has an effect.
    pub(super) pure: bool,
}

/// A closure that a chain calls, for each branch in a copy.
pub(super) struct Function {
    closure: syn::ExprClosure,
    used: bool,
}

impl Function {
    /// A closure that is called in one branch alone.
    pub(super) fn once(closure: syn::ExprClosure) -> Function {
        Function {
            closure,
            used: false,
        }
    }

    pub(super) fn body(&self) -> &Expr {
        &self.closure.body
    }

    /// The first parameter, if it is a variable, and its type.
    pub(super) fn carried(&self) -> Option<(Ident, Option<syn::Type>)> {
        fn named(pat: &Pat) -> Option<Ident> {
            match pat {
                Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => Some(p.ident.clone()),
                Pat::Paren(p) => named(&p.pat),
                _ => None,
            }
        }
        match self.closure.inputs.first()? {
            Pat::Type(t) => Some((named(&t.pat)?, Some((*t.ty).clone()))),
            pat => Some((named(pat)?, None)),
        }
    }

    /// Lets the first parameter be a variable around the closure.
    pub(super) fn drop_first(&mut self) {
        let inputs = std::mem::take(&mut self.closure.inputs);
        self.closure.inputs = inputs.into_iter().skip(1).collect();
    }
}

impl Branch {
    /// The only loop over `over`, whose items a variable stands for.
    pub(super) fn over(kind: Kind, over: Expr, len: Option<Expr>, item: &Ident) -> Branch {
        Branch {
            kind,
            pat: make::ident(item, false),
            over,
            len: len.map(|n| vec![n]),
            steps: Vec::new(),
            item: make::path(item),
            free: BTreeSet::from([item.to_string()]),
            references: BTreeSet::new(),
            label: None,
            group: None,
        }
    }

    /// The item with what it refers to in place of references, for what keeps it longer than a round.
    pub(super) fn taken_by_value(&mut self) -> Expr {
        fn read(e: Expr, references: &BTreeSet<String>) -> Expr {
            match e {
                Expr::Paren(e) => read(*e.expr, references),
                Expr::Tuple(t) => make::tuple(t.elems.into_iter().map(|e| read(e, references))),
                e => match variable(&e) {
                    Some(name) if references.contains(&name.to_string()) => make::deref(e),
                    _ => e,
                },
            }
        }
        let item = self.take();
        read(item, &self.references)
    }

    /// The item, which nothing else will use.
    pub(super) fn take(&mut self) -> Expr {
        std::mem::replace(&mut self.item, make::unit())
    }

    pub(super) fn push(&mut self, stmt: Stmt) {
        self.steps.push(Step::Do(stmt));
    }

    /// Gives patterns to the loop itself where an argument is a variable of it that nothing uses yet.
    fn install(&mut self, pat: Pat, arg: Expr, left: &mut Vec<(Pat, Expr)>) {
        match (pat, arg) {
            (Pat::Paren(p), arg) => self.install(*p.pat, arg, left),
            (pat, Expr::Paren(e)) => self.install(pat, *e.expr, left),
            (Pat::Tuple(p), Expr::Tuple(e))
                if p.elems.len() == e.elems.len()
                    && !p.elems.iter().any(|p| matches!(p, Pat::Rest(_))) =>
            {
                for (pat, arg) in p.elems.into_iter().zip(e.elems) {
                    self.install(pat, arg, left);
                }
            }
            (pat, arg) => {
                let name = variable(&arg).map(ToString::to_string);
                match name {
                    Some(name) if !matches!(pat, Pat::Type(_)) && self.free.remove(&name) => {
                        replace(&mut self.pat, &name, &pat);
                    }
                    _ => left.push((pat, arg)),
                }
            }
        }
    }

    /// The statements of a round.
    pub(super) fn body(steps: Vec<Step>) -> Vec<Stmt> {
        steps.into_iter().rev().fold(Vec::new(), |mut rest, step| {
            let stmt = match step {
                Step::Do(stmt) => {
                    rest.insert(0, stmt);
                    return rest;
                }
                Step::If(cond) => make::condition(cond, rest, None),
                Step::IfLet(pat, e) => make::condition_let(pat, e, rest, None),
                Step::Unless(cond, stmts) => make::condition(cond, stmts, Some(rest)),
                Step::Loop(label, pat, over) => {
                    Stmt::Expr(make::for_loop(label.as_ref(), pat, over, rest), None)
                }
            };
            vec![stmt]
        })
    }
}

/// Statements that a jump to the label leaves.
fn closed((label, stmts): (syn::Lifetime, Vec<Stmt>)) -> Stmt {
    make::semi(make::labelled(Some(&label), make::braces(stmts)))
}

/// Puts a pattern in the place of a variable of a pattern.
fn replace(pat: &mut Pat, name: &str, by: &Pat) {
    match pat {
        Pat::Ident(p) if p.ident == name => *pat = by.clone(),
        Pat::Tuple(p) => p.elems.iter_mut().for_each(|p| replace(p, name, by)),
        Pat::Reference(p) => replace(&mut p.pat, name, by),
        _ => {}
    }
}

impl Pipe {
    /// From here on an item depends on those before it, and there may be fewer than rounds.
    pub(super) fn stateful(&mut self) {
        self.one_to_one = false;
        self.stateless = false;
    }

    /// A statement of every branch that leaves the chain if `cond` holds, at the start of each round.
    pub(super) fn leave_if(&mut self, cond: &Expr) {
        let leave = || {
            let leave = make::semi(make::leave(&self.exit.label, None, Span::call_site()));
            make::condition(cond.clone(), vec![leave], None)
        };
        for branch in &mut self.branches {
            let mut steps = vec![Step::Do(leave())];
            for step in branch.steps.drain(..) {
                let inner = matches!(step, Step::Loop(..));
                steps.push(step);
                if inner {
                    steps.push(Step::Do(leave()));
                }
            }
            branch.steps = steps;
        }
        self.exit.used = true;
    }

    /// The only branch, if each of its rounds has one item, which may depend on those before it.
    pub(super) fn steady(&mut self) -> Option<&mut Branch> {
        match self.branches.as_mut_slice() {
            [branch] if self.one_to_one => Some(branch),
            _ => None,
        }
    }

    /// The only branch, if nothing happens to its items yet that a method of the sequence would disturb.
    pub(super) fn plain(&mut self) -> Option<&mut Branch> {
        match self.branches.as_mut_slice() {
            [branch] if self.one_to_one && self.stateless => Some(branch),
            _ => None,
        }
    }
}

impl Chains<'_> {
    /// A closure or the path of a function, as what a chain calls with `arguments` arguments.
    pub(super) fn function(
        &mut self,
        arg: Option<&Expr>,
        arguments: usize,
        before: &mut Vec<Stmt>,
        at: &Ident,
    ) -> Option<Function> {
        let Some(arg) = arg else {
            self.errors
                .error(at, format_args!("`{at}` takes a closure; give it one"));
            return None;
        };
        let mut closure = match unparen(arg) {
            Expr::Closure(c) => c.clone(),
            Expr::Path(_) => super::super::apply::eta(arg, arguments, self.names),
            Expr::Reference(r) => return self.function(Some(&r.expr), arguments, before, at),
            other => {
                self.errors.error(
                    other,
                    "this function cannot be followed; write a closure here",
                );
                return None;
            }
        };
        if closure.inputs.len() != arguments {
            self.errors.error(
                closure.inputs_begin,
                format_args!(
                    "`{at}` calls a closure of {arguments} arguments, not {}",
                    closure.inputs.len()
                ),
            );
            return None;
        }
        before.extend(super::super::closures::own(
            &mut closure,
            self.facts,
            self.changed,
            self.names,
        ));
        Some(Function {
            closure,
            used: false,
        })
    }

    /// A closure for one more branch.
    pub(super) fn copy(&mut self, function: &mut Function) -> syn::ExprClosure {
        let mut closure = function.closure.clone();
        if std::mem::replace(&mut function.used, true) {
            self.names.refresh(&mut closure);
        }
        closure
    }

    /// Calls a closure in a round of a loop; what it returns.
    pub(super) fn call(
        &mut self,
        function: &mut Function,
        args: Vec<Expr>,
        branch: &mut Branch,
    ) -> Expr {
        let mut closure = self.copy(function);
        let mut left = Vec::new();
        let inputs = std::mem::take(&mut closure.inputs);
        // Patterns may stand in the loop's head only if nothing comes between.
        for (pat, arg) in inputs.into_iter().zip(args) {
            branch.install(pat, arg, &mut left);
        }
        let (pats, args): (Vec<Pat>, Vec<Expr>) = left.into_iter().unzip();
        closure.inputs = pats.into_iter().collect();
        let (stmts, value) = apply(closure, args, self.names);
        branch.steps.extend(stmts.into_iter().map(Step::Do));
        value
    }

    /// Makes the item a variable, or a tuple of variables, which can be named twice.
    pub(super) fn settle(&mut self, branch: &mut Branch) -> Expr {
        let item = branch.take();
        let item = self.settled(item, branch);
        branch.item = item.clone();
        item
    }

    fn settled(&mut self, item: Expr, branch: &mut Branch) -> Expr {
        match item {
            Expr::Paren(e) => self.settled(*e.expr, branch),
            Expr::Tuple(t) if !t.elems.is_empty() => {
                let parts: Vec<Expr> = t
                    .elems
                    .into_iter()
                    .map(|e| self.settled(e, branch))
                    .collect();
                make::tuple(parts)
            }
            e => {
                if let Some(name) = variable(&e) {
                    branch.free.remove(&name.to_string());
                    return e;
                }
                let name = self.names.fresh("item", Span::call_site());
                branch.push(make::variable(&name, e));
                make::path(&name)
            }
        }
    }

    /// Evaluates an expression once, before the loop.
    pub(super) fn once(&mut self, e: &Expr, base: &str, before: &mut Vec<Stmt>) -> Expr {
        if self.is_trivial(e) {
            return e.clone();
        }
        let name = self.names.fresh(base, Span::call_site());
        before.push(make::variable(&name, e.clone()));
        make::path(&name)
    }

    /// Has one value wherever it is evaluated, and no effect.
    fn is_trivial(&self, e: &Expr) -> bool {
        match unparen(e) {
            Expr::Lit(_) => true,
            Expr::Path(p) => p
                .path
                .get_ident()
                .map(ToString::to_string)
                .is_none_or(|i| !self.changed.contains(&i) && !self.positions.contains(&i)),
            Expr::Unary(u) => matches!(u.op, syn::UnOp::Neg(_)) && self.is_trivial(&u.expr),
            _ => false,
        }
    }

    /// The loops of a chain, in which `end` says what is done with an item.
    pub(super) fn run(
        &mut self,
        pipe: Pipe,
        end: &mut dyn FnMut(&mut Self, &mut Branch),
    ) -> Vec<Stmt> {
        let Pipe {
            before,
            branches,
            exit: Exit {
                label,
                used: leaves,
            },
            ..
        } = pipe;
        let mut out = before;
        let single = branches.len() == 1;
        let mut loops: Vec<Stmt> = Vec::new();
        let mut grouped: Option<(syn::Lifetime, Vec<Stmt>)> = None;
        for mut branch in branches {
            end(self, &mut branch);
            let group = branch.group;
            let body = Branch::body(branch.steps);
            let own = branch.label.as_ref();
            let label = own.or((leaves && single).then_some(&label));
            let e = make::for_loop(label, branch.pat, branch.over, body);
            if grouped.as_ref().map(|(label, _)| label) != group.as_ref() {
                loops.extend(grouped.take().map(closed));
            }
            match (group, &mut grouped) {
                (None, _) => loops.push(Stmt::Expr(e, None)),
                (Some(_), Some((_, together))) => together.push(Stmt::Expr(e, None)),
                (Some(label), None) => grouped = Some((label, vec![Stmt::Expr(e, None)])),
            }
        }
        loops.extend(grouped.map(closed));
        if leaves && !single {
            loops = vec![closed((label, loops))];
        }
        out.extend(loops);
        out
    }
}
