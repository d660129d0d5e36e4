//! Patterns.

use super::{Outcome, Place, Run, Stop, Value};

impl Run<'_> {
    /// Binds the variables of a pattern that cannot fail.
    pub(super) fn bind_always(&mut self, pat: &syn::Pat, value: Value) -> Outcome<()> {
        if self.bind(pat, value)? {
            Ok(())
        } else {
            Err(Stop::Panic("a pattern does not match".to_owned()))
        }
    }

    /// Binds the variables of a pattern if it matches.
    pub(super) fn bind(&mut self, pat: &syn::Pat, value: Value) -> Outcome<bool> {
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) => Ok(true),
            syn::Pat::Paren(p) => self.bind(&p.pat, value),
            syn::Pat::Type(p) => self.bind(&p.pat, value),
            syn::Pat::Ident(p) => {
                let name = p.ident.to_string();
                if p.by_ref.is_some() {
                    return Err(Stop::unsupported("`ref` in a pattern"));
                }
                let constant = self.program.constants.get(&name).cloned();
                if let (None, Some(constant)) = (&p.subpat, constant) {
                    let constant = self.eval(&constant)?;
                    return Self::same(constant, value);
                }
                if name == "None" {
                    return Ok(is_variant(&value.followed()?, "None"));
                }
                if let Some((_, inner)) = &p.subpat
                    && !self.bind(inner, value.clone())?
                {
                    return Ok(false);
                }
                self.define(name, value);
                Ok(true)
            }
            syn::Pat::Reference(p) => {
                let value = match value {
                    Value::Ref(place) => place.read()?,
                    other => other,
                };
                self.bind(&p.pat, value)
            }
            syn::Pat::Lit(lit) => {
                let expected = self.eval(&syn::Expr::Lit(lit.clone()))?;
                Self::same(expected, value)
            }
            syn::Pat::Range(range) => {
                let n = value.int()?;
                let bound = |run: &mut Self, e: &Option<Box<syn::Expr>>| {
                    let e = e.as_ref().map(|e| run.eval(e)).transpose()?;
                    e.map(Value::int).transpose()
                };
                let (start, end) = (bound(self, &range.start)?, bound(self, &range.end)?);
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                let below = end.is_none_or(|end| if closed { n <= end } else { n < end });
                Ok(start.is_none_or(|start| start <= n) && below)
            }
            syn::Pat::Or(or) => {
                for case in &or.cases {
                    if self.bind(case, value.clone())? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            syn::Pat::Path(p) => {
                let last = p.path.segments.last().map(|s| s.ident.to_string());
                let name = last.unwrap_or_default();
                match self.program.constants.get(&name).cloned() {
                    Some(constant) => {
                        let constant = self.eval(&constant)?;
                        Self::same(constant, value)
                    }
                    None => Ok(is_variant(&value.followed()?, &name)),
                }
            }
            syn::Pat::Guard(guarded) => {
                Ok(self.bind(&guarded.pat, value)? && self.eval(&guarded.guard)?.truth()?)
            }
            syn::Pat::Tuple(tuple) => self.bind_parts(&tuple.elems, value, None),
            syn::Pat::Slice(slice) => self.bind_parts(&slice.elems, value, None),
            syn::Pat::TupleStruct(p) => {
                let last = p.path.segments.last().map(|s| s.ident.to_string());
                self.bind_parts(&p.elems, value, last.as_deref())
            }
            syn::Pat::Struct(p) => {
                let place = Place::temporary(value.clone()).follow()?;
                for field in &p.fields {
                    let k = match &field.member {
                        syn::Member::Named(name) => place.field(&name.to_string())?,
                        syn::Member::Unnamed(index) => Some(index.index as usize),
                    };
                    let k = k.ok_or_else(|| Stop::unsupported("this pattern of a struct"))?;
                    let part = part_of(&value, &place, k)?;
                    if !self.bind(&field.pat, part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Err(Stop::unsupported("this pattern")),
        }
    }

    /// Binds patterns to the parts of a value; one of them may be `..`.
    fn bind_parts<'p>(
        &mut self,
        pats: impl IntoIterator<Item = &'p syn::Pat>,
        value: Value,
        variant: Option<&str>,
    ) -> Outcome<bool> {
        let pats: Vec<&syn::Pat> = pats.into_iter().collect();
        let place = Place::temporary(value.clone()).follow()?;
        if let Some(variant) = variant {
            let read = place.read()?;
            if matches!(read, Value::Variant(..)) && !is_variant(&read, variant) {
                return Ok(false);
            }
        }
        let Some(length) = place.length()? else {
            return Err(Stop::unsupported(format!("a pattern for {value:?}")));
        };
        let named_rest = |pat: &&syn::Pat| matches!(pat, syn::Pat::Ident(p) if p.subpat.as_ref().is_some_and(|(_, sub)| matches!(**sub, syn::Pat::Rest(_))));
        let rest = pats
            .iter()
            .position(|pat| matches!(pat, syn::Pat::Rest(_)) || named_rest(pat));
        let fits = match rest {
            Some(_) => pats.len() - 1 <= length,
            None => pats.len() == length,
        };
        if !fits {
            return Ok(false);
        }
        let skipped = length + 1 - pats.len().min(length + 1);
        for (k, pat) in pats.iter().enumerate() {
            let matched = match rest {
                Some(at) if k == at => match pat {
                    syn::Pat::Ident(p) => {
                        let window = place.window(at, at + skipped)?;
                        self.define(p.ident.to_string(), Value::Ref(window));
                        true
                    }
                    _ => true,
                },
                Some(at) if k > at => {
                    let part = part_of(&value, &place, k + skipped - 1)?;
                    self.bind(pat, part)?
                }
                _ => {
                    let part = part_of(&value, &place, k)?;
                    self.bind(pat, part)?
                }
            };
            if !matched {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn same(expected: Value, value: Value) -> Outcome<bool> {
        super::operators::equal(&expected, &value.followed()?)
    }
}

/// A part of what a pattern takes apart: by reference where that is one.
fn part_of(value: &Value, place: &Place, k: usize) -> Outcome {
    match value {
        Value::Ref(_) => Ok(Value::Ref(place.part(k))),
        _ => place.part(k).read(),
    }
}

fn is_variant(value: &Value, name: &str) -> bool {
    matches!(value, Value::Variant(n, _) if **n == *name)
}
