//! Patterns with `|` and variables: an arm for each alternative, because the variables stand for other parts in each of them.

use crate::visit::Enter as _;

use super::opaque::Bound;

/// More arms than that are not made of one.
const MOST: usize = 32;

/// The arms that an arm stands for: itself, unless its pattern binds variables in alternatives.
pub(super) fn arms(arm: &syn::Arm) -> Vec<syn::Arm> {
    let pats = pattern(&arm.pat);
    if pats.len() < 2 || pats.len() > MOST {
        return vec![arm.clone()];
    }
    let with = |pat| syn::Arm { pat, ..arm.clone() };
    pats.into_iter().map(with).collect()
}

/// The patterns that a pattern stands for, in the order in which they are tried.
pub(super) fn pattern(pat: &syn::Pat) -> Vec<syn::Pat> {
    let mut bound = Bound::default();
    bound.visit_pat(pat);
    if bound.0.is_empty() {
        return vec![pat.clone()];
    }
    match pat {
        syn::Pat::Or(p) => p.cases.iter().flat_map(pattern).collect(),
        syn::Pat::Paren(p) => pattern(&p.pat),
        syn::Pat::Guard(p) => inside(&p.pat, |pat| {
            let mut p = p.clone();
            *p.pat = pat;
            syn::Pat::Guard(p)
        }),
        syn::Pat::Reference(p) => inside(&p.pat, |pat| {
            let mut p = p.clone();
            *p.pat = pat;
            syn::Pat::Reference(p)
        }),
        syn::Pat::Tuple(p) => each(p.elems.iter(), |elems| {
            let mut p = p.clone();
            p.elems
                .iter_mut()
                .zip(elems)
                .for_each(|(old, new)| *old = new);
            syn::Pat::Tuple(p)
        }),
        syn::Pat::TupleStruct(p) => each(p.elems.iter(), |elems| {
            let mut p = p.clone();
            p.elems
                .iter_mut()
                .zip(elems)
                .for_each(|(old, new)| *old = new);
            syn::Pat::TupleStruct(p)
        }),
        syn::Pat::Struct(p) => each(p.fields.iter().map(|f| &*f.pat), |pats| {
            let mut p = p.clone();
            p.fields
                .iter_mut()
                .zip(pats)
                .for_each(|(f, new)| *f.pat = new);
            syn::Pat::Struct(p)
        }),
        pat => vec![pat.clone()],
    }
}

fn inside(pat: &syn::Pat, around: impl Fn(syn::Pat) -> syn::Pat) -> Vec<syn::Pat> {
    pattern(pat).into_iter().map(around).collect()
}

/// All choices of one pattern for each part; beyond the most there may be, the whole stays as it is.
fn each<'a>(
    parts: impl Iterator<Item = &'a syn::Pat>,
    whole: impl Fn(Vec<syn::Pat>) -> syn::Pat,
) -> Vec<syn::Pat> {
    let parts: Vec<&syn::Pat> = parts.collect();
    let choices = parts.iter().map(|part| pattern(part));
    let chosen = choices.fold(vec![Vec::new()], |before: Vec<Vec<syn::Pat>>, choices| {
        if before.len() * choices.len() > MOST {
            return before;
        }
        let with =
            |first: &Vec<syn::Pat>, next: &syn::Pat| first.iter().chain([next]).cloned().collect();
        before
            .iter()
            .flat_map(|first| choices.iter().map(move |next| with(first, next)))
            .collect()
    });
    let complete = chosen.iter().all(|pats| pats.len() == parts.len());
    if !complete {
        return vec![whole(parts.into_iter().cloned().collect())];
    }
    chosen.into_iter().map(whole).collect()
}
