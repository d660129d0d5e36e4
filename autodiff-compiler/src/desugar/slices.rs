//! The first or last element of a sequence, where it is matched at once: `if let Some((a, b)) = r.split_first()` is a slice pattern.

use syn::{Expr, Pat, Stmt, parse_quote};

use super::apply::unparen;
use super::lists::Lists;
use super::make;
use crate::facts::Facts;
use crate::ir::Ty;
use crate::names::{self, Names};
use crate::visit_mut::{self, VisitMut};

/// Rewrites what is matched against the ends of sequences; `true` if there was anything.
pub(super) fn slices(
    body: &mut syn::Block,
    lists: &Lists,
    facts: &Facts,
    names: &mut Names,
) -> bool {
    let mut slices = Slices {
        facts,
        names,
        lists,
        found: false,
    };
    slices.visit_block_mut(body);
    slices.found
}

struct Slices<'a> {
    facts: &'a Facts,
    names: &'a mut Names,
    lists: &'a Lists,
    found: bool,
}

impl Slices<'_> {
    /// The method that gives an end of an active sequence.
    fn end<'e>(&self, e: &'e Expr) -> Option<&'e syn::ExprMethodCall> {
        let Expr::MethodCall(m) = unparen(e) else {
            return None;
        };
        let name = m.method.to_string();
        let known = matches!(
            name.trim_end_matches("_mut"),
            "first" | "last" | "split_first" | "split_last"
        );
        let sequence = self.lists.contain(self.facts, &m.receiver);
        // The rest is a reference, which is followed in any case; what is written may depend on something active that decides.
        let written =
            name.ends_with("_mut") && matches!(self.facts.ty(&m.receiver).element(), Ty::Float(_));
        let followed =
            name.starts_with("split") || written || self.facts.mentions_active(&m.receiver);
        (known && sequence && m.args.is_empty() && followed).then_some(m)
    }

    /// The sequence that is matched.
    fn sequence(&self, m: &syn::ExprMethodCall) -> Expr {
        let slice = matches!(self.facts.ty(&m.receiver), Ty::Slice(_));
        if slice && matches!(unparen(&m.receiver), Expr::Path(_)) {
            return (*m.receiver).clone();
        }
        let all: Expr = parse_quote!(..);
        let whole = make::index((*m.receiver).clone(), all);
        make::reference(whole, m.method.to_string().ends_with("_mut"))
    }

    /// The pattern of the sequence for one of the option; copies of what it names go to `copies`.
    fn pattern(
        &mut self,
        m: &syn::ExprMethodCall,
        pat: &Pat,
        copies: &mut Vec<Stmt>,
    ) -> Option<Pat> {
        let inner = match pat {
            Pat::Paren(p) => return self.pattern(m, &p.pat, copies),
            Pat::Ident(p) if p.ident == "None" => return Some(parse_quote!([])),
            Pat::Path(p) if p.path.segments.last()?.ident == "None" => {
                return Some(parse_quote!([]));
            }
            Pat::Wild(_) => return Some(pat.clone()),
            Pat::TupleStruct(p)
                if p.elems.len() == 1 && p.path.segments.last()?.ident == "Some" =>
            {
                &p.elems[0]
            }
            _ => return None,
        };
        let name = m.method.to_string();
        let name = name.trim_end_matches("_mut");
        let open: Pat = parse_quote!(..);
        let (one, rest) = match (name, inner) {
            ("first" | "last", one) => (one, open),
            (_, Pat::Tuple(p)) if p.elems.len() == 2 => (&p.elems[0], rest(&p.elems[1])?),
            _ => return None,
        };
        let one = if matches!(one, Pat::Reference(_)) || is_taken_apart(one) {
            if !names::always_matches(one) {
                return None;
            }
            self.kept(one, m.method.span(), copies)
        } else {
            one.clone()
        };
        Some(if name.ends_with("first") {
            parse_quote!([#one, #rest])
        } else {
            parse_quote!([#rest, #one])
        })
    }

    /// Structs and tuples in the pattern of a slice are taken apart behind it.
    fn apart(&mut self, pat: &mut Pat, copies: &mut Vec<Stmt>) {
        let Pat::Slice(slice) = pat else { return };
        for part in &mut slice.elems {
            if is_taken_apart(part) && names::always_matches(part) {
                let span = syn::spanned::Spanned::span(part);
                *part = self.kept(part, span, copies);
                self.found = true;
            }
        }
    }

    /// A name for what a pattern takes apart; that goes to `copies`.
    fn kept(&mut self, pat: &Pat, span: proc_macro2::Span, copies: &mut Vec<Stmt>) -> Pat {
        let kept = self.names.fresh("end", span);
        let (pat, value) = match pat {
            Pat::Reference(r) => (&*r.pat, make::deref(make::path(&kept))),
            pat => (pat, make::path(&kept)),
        };
        copies.push(parse_quote!(let #pat = #value;));
        make::ident(&kept, false)
    }

    /// `let Some(…) = …`; what must be copied first, where it matches.
    fn matched(&mut self, pat: &mut Pat, e: &mut Expr) -> Option<Vec<Stmt>> {
        if matches!(pat, Pat::Slice(_)) && self.facts.mentions_active(e) {
            let mut copies = Vec::new();
            self.apart(pat, &mut copies);
            return Some(copies);
        }
        let m = self.end(e)?.clone();
        let mut copies = Vec::new();
        *pat = self.pattern(&m, pat, &mut copies)?;
        *e = self.sequence(&m);
        self.found = true;
        Some(copies)
    }

    fn condition(&mut self, cond: &mut Expr, block: &mut syn::Block) {
        if let Expr::Let(e) = cond {
            let copies = self.matched(&mut e.pat, &mut e.expr).unwrap_or_default();
            block.stmts.splice(0..0, copies);
        }
    }

    fn arms(&mut self, e: &mut syn::ExprMatch) {
        let end = self.end(&e.expr).cloned();
        if end.is_none() && !self.facts.mentions_active(&e.expr) {
            return;
        }
        let mut arms = e.arms.clone();
        for arm in &mut arms {
            let mut copies = Vec::new();
            let (place, guard) = match &mut arm.pat {
                Pat::Guard(p) => (&mut *p.pat, Some(&mut *p.guard)),
                pat => (pat, None),
            };
            match &end {
                Some(m) => match self.pattern(m, place, &mut copies) {
                    Some(pat) => *place = pat,
                    None => return,
                },
                None => self.apart(place, &mut copies),
            }
            if copies.is_empty() {
                continue;
            }
            if let Some(guard) = guard {
                // The guard looks at copies of its own.
                *guard = make::block(copies.clone(), Some(guard.clone()));
            }
            let value = (*arm.body).clone();
            *arm.body = make::block(copies, Some(value));
        }
        e.arms = arms;
        if let Some(m) = end {
            *e.expr = self.sequence(&m);
            self.found = true;
        }
    }
}

/// Whether a pattern names parts that those of slices do not: of structs, behind references, in tuples of these.
fn is_taken_apart(pat: &Pat) -> bool {
    match pat {
        Pat::Struct(_) | Pat::TupleStruct(_) => true,
        Pat::Reference(r) => !matches!(&*r.pat, Pat::Ident(_) | Pat::Wild(_)),
        Pat::Tuple(p) => p.elems.iter().any(is_taken_apart),
        _ => false,
    }
}

/// The pattern of the other elements.
fn rest(pat: &Pat) -> Option<Pat> {
    match pat {
        Pat::Wild(_) => Some(parse_quote!(..)),
        Pat::Ident(p) if p.by_ref.is_none() && p.mutability.is_none() && p.subpat.is_none() => {
            Some(parse_quote!(#p @ ..))
        }
        _ => None,
    }
}

impl VisitMut for Slices<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        visit_mut::visit_block_mut(self, block);
        let stmts = std::mem::take(&mut block.stmts);
        for mut stmt in stmts {
            let mut copies = Vec::new();
            if let Stmt::Local(local) = &mut stmt {
                if let Some(init) = local.init.as_mut().filter(|init| init.diverge.is_some()) {
                    let found = self.matched(&mut local.pat, &mut init.expr);
                    copies = found.unwrap_or_default();
                }
            }
            block.stmts.push(stmt);
            block.stmts.append(&mut copies);
        }
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        visit_mut::visit_expr_mut(self, e);
        match e {
            Expr::If(e) => self.condition(&mut e.cond, &mut e.then_branch),
            Expr::While(e) => self.condition(&mut e.cond, &mut e.body),
            Expr::Match(e) => self.arms(e),
            _ => {}
        }
    }
}
