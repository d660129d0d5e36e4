//! An element of a list that may not be there: `if let Some(p) = list.get(i)` asks whether `i` is less than the length.
//!
//! Of numbers there is an option; what is not a number, or is to be changed, is never copied into one.
//! So it is with parts of lists, and with the first or last element where that must be of one kind to match.

use syn::{Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::apply::unparen;
use super::chains::is_place;
use super::lists::Lists;
use super::make;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::{self, Names};
use crate::visit::{Other, Visit};
use crate::visit_mut::{self, VisitMut};

/// Rewrites what is matched against elements that are not copied; `true` if there was anything.
pub(super) fn elements(
    body: &mut syn::Block,
    lists: &Lists,
    facts: &Facts,
    names: &mut Names,
) -> bool {
    let mut elements = Elements {
        lists,
        facts,
        names,
        found: false,
    };
    elements.visit_block_mut(body);
    elements.found
}

struct Elements<'a> {
    lists: &'a Lists,
    facts: &'a Facts,
    names: &'a mut Names,
    found: bool,
}

/// An element, or a part of a list, that may be there.
struct Element {
    /// Evaluates its index.
    before: Vec<Stmt>,
    there: Expr,
    /// A reference to it, if it is there.
    lent: Expr,
}

/// A pattern of an option.
enum Asks<'p> {
    /// `Some(pattern)`
    Some(&'p Pat),
    None,
    Any,
}

fn asks(pat: &Pat) -> Option<Asks<'_>> {
    match pat {
        Pat::Wild(_) => Some(Asks::Any),
        Pat::TupleStruct(p) if p.elems.len() == 1 && p.path.is_ident("Some") => {
            Some(Asks::Some(&p.elems[0]))
        }
        Pat::Ident(p) if p.ident == "None" => Some(Asks::None),
        Pat::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "None") => {
            Some(Asks::None)
        }
        _ => None,
    }
}

/// Whether code may stand in two places: it binds nothing.
fn is_plain(e: &Expr) -> bool {
    struct Binds(bool);
    impl<'ast> Visit<'ast> for Binds {
        fn visit_item(&mut self, _: &'ast syn::Item) {
            self.0 = true;
        }
        fn visit_macro(&mut self, _: &'ast syn::Macro) {
            self.0 = true;
        }

        fn visit_other(&mut self, node: Other<'ast>) {
            match node {
                Other::Pat(_) => {
                    self.0 = true;
                }
                Other::Label(_) => {
                    self.0 = true;
                }
                other => other.walk(self),
            }
        }
    }
    let mut binds = Binds(false);
    binds.visit_expr(e);
    !binds.0
}

impl Elements<'_> {
    /// What `Some(inside)` is to match, of an active list.
    fn element(&mut self, inside: &Pat, e: &Expr) -> Option<Element> {
        let Expr::MethodCall(m) = unparen(e) else {
            return None;
        };
        let list = &m.receiver;
        if !is_place(list) || !self.facts.mentions_active(list) {
            return None;
        }
        let name = m.method.to_string();
        let mutable = name.ends_with("_mut");
        let number = self.facts.ty(list).element().is_scalar();
        let (before, there, element) = match (name.trim_end_matches("_mut"), m.args.first()) {
            ("get", Some(at)) if m.args.len() == 1 => {
                // A type of one's own may have a `get` that does something else.
                if !self.lists.certainly_contain(self.facts, list) {
                    return None;
                }
                if let Expr::Range(range) = unparen(at) {
                    self.part(list, range)
                } else {
                    let followed = (mutable || !number) && matches!(self.facts.ty(at), Ty::Int);
                    if !followed {
                        return None;
                    }
                    let k = self.names.fresh("at", m.method.span());
                    let there = parse_quote!(#k < #list.len());
                    (vec![make::variable(&k, at.clone())], there, make::path(&k))
                }
            }
            // What matches in any case is a slice pattern.
            (end @ ("first" | "last"), None) => {
                let followed = !number
                    && !names::always_matches(inside)
                    && self.lists.contain(self.facts, list);
                if !followed {
                    return None;
                }
                let at = match end {
                    "first" => parse_quote!(0),
                    _ => parse_quote!(#list.len() - 1),
                };
                (Vec::new(), parse_quote!(#list.len() > 0), at)
            }
            _ => return None,
        };
        self.found = true;
        let lent = make::reference(make::index((**list).clone(), element), mutable);
        Some(Element {
            before,
            there,
            lent,
        })
    }

    /// What is evaluated before, the condition and the index of a range.
    fn part(&mut self, list: &Expr, range: &syn::ExprRange) -> (Vec<Stmt>, Expr, Expr) {
        let mut before = Vec::new();
        let mut bound = |e: &Option<Box<Expr>>, base: &str, names: &mut Names| {
            let e = e.as_deref()?;
            let name = names.fresh(base, syn::spanned::Spanned::span(e));
            before.push(make::variable(&name, e.clone()));
            Some(make::path(&name))
        };
        let from = bound(&range.start, "from", self.names);
        let to = bound(&range.end, "to", self.names);
        let to = match range.limits {
            syn::RangeLimits::Closed(_) => to.map(|to| parse_quote!((#to + 1))),
            syn::RangeLimits::HalfOpen(_) => to,
        };
        let there = match (&from, &to) {
            (Some(from), Some(to)) => parse_quote!(#from <= #to && #to <= #list.len()),
            (Some(end), None) | (None, Some(end)) => parse_quote!(#end <= #list.len()),
            (None, None) => parse_quote!(true),
        };
        (before, there, make::range(from, to))
    }

    /// What a condition `let Some(p) = list.get(i)` asks for, with the pattern.
    fn asked(&mut self, cond: &Expr) -> Option<(Element, Pat)> {
        let Expr::Let(cond) = unparen(cond) else {
            return None;
        };
        let Some(Asks::Some(inside)) = asks(&cond.pat) else {
            return None;
        };
        Some((self.element(inside, &cond.expr)?, inside.clone()))
    }

    /// `if let Some(p) = list.get(i) { … } else { … }`
    fn condition(&mut self, e: &syn::ExprIf) -> Option<Expr> {
        let (
            Element {
                before,
                there,
                lent,
            },
            inside,
        ) = self.asked(&e.cond)?;
        let mut e = e.clone();
        if names::always_matches(&inside) {
            *e.cond = there;
            e.then_branch.stmts.insert(0, make::local(inside, lent));
        } else {
            *e.cond = parse_quote!(#there && let #inside = #lent);
        }
        Some(make::block(before, Some(Expr::If(e))))
    }

    /// `match list.get(i) { Some(p) => …, None => … }`
    fn arms(&mut self, e: &syn::ExprMatch) -> Option<Expr> {
        if let Some(e) = either(e) {
            return self.condition(&e);
        }
        let (mut some, mut none) = (Vec::new(), None);
        let mut asked: Option<&Pat> = None;
        for arm in &e.arms {
            let (pat, guard) = match &arm.pat {
                Pat::Guard(p) => (&*p.pat, Some(p)),
                pat => (pat, None),
            };
            let inside = match asks(pat)? {
                Asks::Some(inside) => {
                    let first = asked.is_none_or(names::always_matches);
                    asked = if first { Some(inside) } else { asked };
                    inside.clone()
                }
                Asks::Any | Asks::None if guard.is_some() => return None,
                Asks::None => {
                    none.get_or_insert(&arm.body);
                    continue;
                }
                // It stands for an element as well as for none.
                Asks::Any => {
                    if none.is_none() && !is_plain(&arm.body) {
                        return None;
                    }
                    none.get_or_insert(&arm.body);
                    make::wild()
                }
            };
            let mut arm = arm.clone();
            match (&mut arm.pat, guard) {
                (Pat::Guard(p), Some(_)) => *p.pat = inside,
                (pat, _) => *pat = inside,
            }
            some.push(arm);
        }
        let (asked, none) = (asked?, none?);
        let Element {
            before,
            there,
            lent,
        } = self.element(asked, &e.expr)?;
        let span = e.match_token.span;
        let chosen =
            parse_quote_spanned!(span=> if #there { match #lent { #(#some)* } } else { #none });
        Some(make::block(before, Some(chosen)))
    }

    /// `while let Some(p) = list.get(i) { … }`
    fn rounds(&mut self, e: &syn::ExprWhile) -> Option<Expr> {
        let (element, inside) = self.asked(&e.cond)?;
        let Element {
            before,
            there,
            lent,
        } = element;
        let (label, body) = (&e.label, &e.body.stmts);
        Some(if names::always_matches(&inside) {
            parse_quote!(#label loop {
                #(#before)*
                if !(#there) { break; }
                let #inside = #lent;
                #(#body)*
            })
        } else {
            parse_quote!(#label loop {
                #(#before)*
                if #there && let #inside = #lent { #(#body)* } else { break; }
            })
        })
    }

    /// `let Some(p) = list.get(i) else { … };`
    fn bound(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let init = local.init.as_ref()?;
        let (_, diverge) = init.diverge.as_ref()?;
        let Some(Asks::Some(inside)) = asks(&local.pat) else {
            return None;
        };
        let certain = names::always_matches(inside);
        if !certain && !is_plain(diverge) {
            return None;
        }
        let Element {
            before,
            there,
            lent,
        } = self.element(inside, &init.expr)?;
        let mut out = before;
        let leave = vec![make::semi((**diverge).clone())];
        out.push(make::condition(make::not(make::paren(there)), leave, None));
        out.push(if certain {
            make::local(inside.clone(), lent)
        } else {
            parse_quote!(let #inside = #lent else #diverge;)
        });
        Some(out)
    }
}

/// A `match` of two arms, of which the second is for whatever does not match the first.
fn either(e: &syn::ExprMatch) -> Option<syn::ExprIf> {
    let arms: Vec<_> = e.arms.iter().collect();
    let [first, second] = arms.as_slice() else {
        return None;
    };
    let (some, inside, other) = match (asks(&first.pat)?, asks(&second.pat)?) {
        (Asks::Some(inside), Asks::None | Asks::Any) => (first, inside, second),
        (Asks::None, Asks::Some(inside)) => (second, inside, first),
        _ => return None,
    };
    let any = matches!(other.pat, Pat::Wild(_));
    let (pat, value, then, other) = (&some.pat, &e.expr, &some.body, &other.body);
    let span = e.match_token.span;
    (any || names::always_matches(inside))
        .then(|| parse_quote_spanned!(span=> if let #pat = #value { #then } else { #other }))
}

impl VisitMut for Elements<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        for stmt in std::mem::take(&mut block.stmts) {
            let bound = match &stmt {
                Stmt::Local(local) => self.bound(local),
                _ => None,
            };
            match bound {
                Some(stmts) => block.stmts.extend(stmts),
                None => block.stmts.push(stmt),
            }
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        let new = match e {
            Expr::If(e) => self.condition(e),
            Expr::Match(e) => self.arms(e),
            Expr::While(e) => self.rounds(e),
            _ => None,
        };
        if let Some(new) = new {
            *e = new;
        }
    }
}
