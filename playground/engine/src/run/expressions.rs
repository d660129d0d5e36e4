//! Expressions and statements.

use std::collections::HashSet;
use std::rc::Rc;

use quote::ToTokens;

use super::operators::{binary, cast, integer, width};
use super::{Callable, Outcome, Place, Run, Stop, Value};

/// The names of a path.
pub(super) fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

fn label(label: Option<&syn::Label>) -> Option<String> {
    label.map(|l| l.name.ident.to_string())
}

impl Run<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) -> Outcome {
        let outer = self.variables.len();
        let outcome = self.statements(&block.stmts);
        self.variables.truncate(outer);
        outcome
    }

    fn statements(&mut self, stmts: &[syn::Stmt]) -> Outcome {
        let mut last = Value::unit();
        for stmt in stmts {
            self.step()?;
            last = Value::unit();
            match stmt {
                syn::Stmt::Local(local) => self.local(local)?,
                syn::Stmt::Expr(e, None) => last = self.eval(e)?,
                syn::Stmt::Expr(e, Some(_)) => {
                    self.eval(e)?;
                }
                syn::Stmt::Macro(m) => {
                    let value = self.macro_call(&m.mac)?;
                    if m.semi_token.is_none() {
                        last = value;
                    }
                }
                syn::Stmt::Item(syn::Item::Const(c)) => {
                    let value = self.eval(&c.expr)?;
                    self.define(c.ident.to_string(), value);
                }
                syn::Stmt::Item(syn::Item::Use(_)) => {}
                syn::Stmt::Item(_) => return Err(Stop::unsupported("an item in a block")),
            }
        }
        Ok(last)
    }

    fn local(&mut self, local: &syn::Local) -> Outcome<()> {
        let Some(init) = &local.init else {
            // It is given a value before it is read.
            return self.bind_always(&local.pat, Value::unit());
        };
        let value = self.eval(&init.expr)?;
        if self.bind(&local.pat, value)? {
            return Ok(());
        }
        match &init.diverge {
            Some((_, otherwise)) => {
                self.eval(otherwise)?;
                Err(Stop::unsupported("a `let … else` that goes on"))
            }
            None => Err(Stop::Panic("a pattern does not match".to_owned())),
        }
    }

    /// The place that an expression names; a value of its own if it names none.
    pub(super) fn place(&mut self, e: &syn::Expr) -> Outcome<Place> {
        match e {
            syn::Expr::Paren(e) => self.place(&e.expr),
            syn::Expr::Group(e) => self.place(&e.expr),
            syn::Expr::Path(p) => {
                let found = p.path.get_ident().map(ToString::to_string);
                match found.and_then(|name| self.variable(&name).cloned()) {
                    Some(cell) => Ok(Place::of(cell)),
                    None => self.eval(e).map(Place::temporary),
                }
            }
            syn::Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Deref(_),
                expr,
                ..
            }) => {
                // What is no reference is a box, which is here what it holds.
                let place = self.place(expr)?;
                match place.read()? {
                    Value::Ref(place) => Ok(place),
                    _ => Ok(place),
                }
            }
            syn::Expr::Field(f) => {
                let base = self.place(&f.base)?.follow()?;
                let k = match &f.member {
                    syn::Member::Unnamed(index) => Some(index.index as usize),
                    syn::Member::Named(name) => base.field(&name.to_string())?,
                };
                k.map(|k| base.part(k))
                    .ok_or_else(|| Stop::unsupported("this field"))
            }
            syn::Expr::Index(index) => {
                let base = self.place(&index.expr)?.follow()?;
                match self.eval(&index.index)?.followed()? {
                    Value::Int(k, _) => base.element(k),
                    Value::Range(start, end, _) => {
                        let length = base.length()?.unwrap_or(0);
                        let bound = |n: Option<i128>, other| match n {
                            Some(n) => Value::Int(n, None).size(),
                            None => Ok(other),
                        };
                        base.window(bound(start, 0)?, bound(end, length)?)
                    }
                    other => Err(Stop::unsupported(format!("{other:?} as an index"))),
                }
            }
            _ => self.eval(e).map(Place::temporary),
        }
    }

    pub(super) fn eval(&mut self, e: &syn::Expr) -> Outcome {
        match e {
            syn::Expr::Paren(e) => self.eval(&e.expr),
            syn::Expr::Group(e) => self.eval(&e.expr),
            syn::Expr::Lit(lit) => literal(&lit.lit),
            syn::Expr::Path(p) => self.path(p),
            syn::Expr::Field(_) | syn::Expr::Index(_) => self.place(e)?.read(),
            syn::Expr::Unary(unary) => match unary.op {
                syn::UnOp::Deref(_) => self.place(e)?.read(),
                syn::UnOp::Neg(_) => match self.eval(&unary.expr)?.followed()? {
                    Value::Float(x) => Ok(Value::Float(-x)),
                    Value::Int(n, width) => integer(n.checked_neg(), width),
                    other => Err(Stop::unsupported(format!("the negative of {other:?}"))),
                },
                syn::UnOp::Not(_) => match self.eval(&unary.expr)?.followed()? {
                    Value::Bool(b) => Ok(Value::Bool(!b)),
                    other => Err(Stop::unsupported(format!("`!` of {other:?}"))),
                },
                _ => Err(Stop::unsupported("this operator")),
            },
            syn::Expr::Reference(r) => {
                let place = self.place(&r.expr)?;
                Ok(Value::Ref(place))
            }
            syn::Expr::Binary(b) => self.binary(b),
            syn::Expr::Assign(assign) => {
                let value = self.eval(&assign.right)?;
                self.assign(&assign.left, value)?;
                Ok(Value::unit())
            }
            syn::Expr::Tuple(tuple) => {
                let parts: Outcome<Vec<Value>> = tuple.elems.iter().map(|e| self.eval(e)).collect();
                parts.map(Value::Tuple)
            }
            syn::Expr::Array(array) => {
                let parts: Outcome<Vec<Value>> = array.elems.iter().map(|e| self.eval(e)).collect();
                parts.map(Value::List)
            }
            syn::Expr::Repeat(repeat) => {
                let value = self.eval(&repeat.expr)?;
                let length = self.eval(&repeat.len)?.size()?;
                self.repeated(value, length)
            }
            syn::Expr::Struct(s) => self.structure(s),
            syn::Expr::Range(range) => {
                let mut bound = |e: &Option<Box<syn::Expr>>| -> Outcome<Option<Value>> {
                    e.as_ref()
                        .map(|e| self.eval(e).and_then(Value::followed))
                        .transpose()
                };
                let (start, end) = (bound(&range.start)?, bound(&range.end)?);
                let closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                let width = [&start, &end].into_iter().flatten().find_map(|v| match v {
                    Value::Int(_, width) => *width,
                    _ => None,
                });
                let (start, end) = (
                    start.map(Value::int).transpose()?,
                    end.map(Value::int).transpose()?,
                );
                let end = end.map(|end| end + i128::from(closed));
                Ok(Value::Range(start, end, width))
            }
            syn::Expr::Cast(c) => {
                let value = self.eval(&c.expr)?;
                cast(value, &c.ty.to_token_stream().to_string())
            }
            syn::Expr::Block(b) => {
                let outcome = self.block(&b.block);
                match (label(b.label.as_ref()), outcome) {
                    (Some(own), Err(Stop::Break(Some(to), value))) if own == to => Ok(value),
                    (_, outcome) => outcome,
                }
            }
            syn::Expr::If(branch) => {
                let outer = self.variables.len();
                let holds = self.eval(&branch.cond)?.truth()?;
                let outcome = if holds {
                    self.block(&branch.then_branch)
                } else {
                    self.variables.truncate(outer);
                    match &branch.else_branch {
                        Some((_, otherwise)) => self.eval(otherwise),
                        None => Ok(Value::unit()),
                    }
                };
                self.variables.truncate(outer);
                outcome
            }
            syn::Expr::Let(condition) => {
                let value = self.scrutinee(&condition.expr)?;
                self.bind(&condition.pat, value).map(Value::Bool)
            }
            syn::Expr::Match(m) => self.match_(m),
            syn::Expr::While(w) => {
                let own = label(w.label.as_ref());
                loop {
                    self.step()?;
                    let outer = self.variables.len();
                    let outcome = match self.eval(&w.cond)?.truth()? {
                        true => self.block(&w.body),
                        false => {
                            self.variables.truncate(outer);
                            break;
                        }
                    };
                    self.variables.truncate(outer);
                    if goes_on(outcome, own.as_ref())?.is_some() {
                        break;
                    }
                }
                Ok(Value::unit())
            }
            syn::Expr::Loop(l) => {
                let own = label(l.label.as_ref());
                loop {
                    self.step()?;
                    let outcome = self.block(&l.body);
                    if let Some(value) = goes_on(outcome, own.as_ref())? {
                        return Ok(value);
                    }
                }
            }
            syn::Expr::ForLoop(f) => {
                let own = label(f.label.as_ref());
                let over = self.eval(&f.expr)?;
                for item in self.items(over)? {
                    self.step()?;
                    let outer = self.variables.len();
                    self.bind_always(&f.pat, item)?;
                    let outcome = self.block(&f.body);
                    self.variables.truncate(outer);
                    if goes_on(outcome, own.as_ref())?.is_some() {
                        break;
                    }
                }
                Ok(Value::unit())
            }
            syn::Expr::Break(b) => {
                let value = match &b.expr {
                    Some(e) => self.eval(e)?,
                    None => Value::unit(),
                };
                let to = b.label.as_ref().map(|l| l.ident.to_string());
                Err(Stop::Break(to, value))
            }
            syn::Expr::Continue(c) => Err(Stop::Continue(
                c.label.as_ref().map(|l| l.ident.to_string()),
            )),
            syn::Expr::Return(r) => {
                let value = match &r.expr {
                    Some(e) => self.eval(e)?,
                    None => Value::unit(),
                };
                Err(Stop::Return(value))
            }
            syn::Expr::Closure(closure) => Ok(self.closure(closure)),
            syn::Expr::Call(call) => self.call(call),
            syn::Expr::MethodCall(call) => {
                let receiver = self.place(&call.receiver)?;
                let args: Outcome<Vec<Value>> = call.args.iter().map(|e| self.eval(e)).collect();
                self.step()?;
                self.method(&call.method.to_string(), receiver, args?)
            }
            syn::Expr::Macro(m) => self.macro_call(&m.mac),
            syn::Expr::Try(t) => match self.eval(&t.expr)? {
                Value::Variant(name, parts) if matches!(&*name, "Some" | "Ok") => {
                    Ok(parts.into_iter().next().unwrap_or_else(Value::unit))
                }
                other => Err(Stop::Return(other)),
            },
            _ => Err(Stop::unsupported(format!("`{}`", e.to_token_stream()))),
        }
    }

    fn path(&mut self, p: &syn::ExprPath) -> Outcome {
        let mut path = names(&p.path);
        if let (None, [name]) = (&p.qself, path.as_slice())
            && let Some(cell) = self.variable(name)
        {
            return Ok(cell.borrow().clone());
        }
        if let (Some(own), Some(first)) = (&self.own_type, path.first_mut())
            && first == "Self"
        {
            *first = own.to_string();
        }
        let joined = path.join("::");
        let last = path.last().cloned().unwrap_or_default();
        let constants = &self.program.constants;
        let constant = constants.get(&joined).or_else(|| constants.get(&last));
        if let Some(constant) = constant.cloned() {
            return self.within(Vec::new(), None, |run| run.eval(&constant));
        }
        if let Some(value) = super::library::constant(&path) {
            return Ok(value);
        }
        Ok(Value::Function(Rc::new(Callable::Path(path))))
    }

    fn binary(&mut self, b: &syn::ExprBinary) -> Outcome {
        use syn::BinOp;
        match b.op {
            BinOp::And(_) => {
                let left = self.eval(&b.left)?.truth()?;
                return match left {
                    true => self.eval(&b.right)?.truth().map(Value::Bool),
                    false => Ok(Value::Bool(false)),
                };
            }
            BinOp::Or(_) => {
                let left = self.eval(&b.left)?.truth()?;
                return match left {
                    true => Ok(Value::Bool(true)),
                    false => self.eval(&b.right)?.truth().map(Value::Bool),
                };
            }
            BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_) => {
                // Of primitive types the right side comes first.
                let right = self.eval(&b.right)?;
                let place = self.place(&b.left)?.follow()?;
                let value = binary(&b.op, place.read()?, right)?;
                place.write(value)?;
                return Ok(Value::unit());
            }
            _ => {}
        }
        let left = self.eval(&b.left)?;
        let right = self.eval(&b.right)?;
        binary(&b.op, left, right)
    }

    fn assign(&mut self, left: &syn::Expr, value: Value) -> Outcome<()> {
        match left {
            syn::Expr::Infer(_) => Ok(()),
            syn::Expr::Tuple(tuple) => {
                let Value::Tuple(parts) = value else {
                    return Err(Stop::unsupported("this assignment"));
                };
                for (left, part) in tuple.elems.iter().zip(parts) {
                    self.assign(left, part)?;
                }
                Ok(())
            }
            left => self.place(left)?.write(value),
        }
    }

    pub(super) fn repeated(&mut self, value: Value, length: usize) -> Outcome {
        self.steps += length as u64;
        self.step()?;
        Ok(Value::List(vec![value; length]))
    }

    fn structure(&mut self, s: &syn::ExprStruct) -> Outcome {
        let mut name = names(&s.path).pop().unwrap_or_default();
        if let (Some(own), "Self") = (&self.own_type, name.as_str()) {
            name = own.to_string();
        }
        let known = self.program.structs.get(&name).cloned();
        let known = known.filter(|_| s.rest.is_none());
        let Some(known) = known else {
            return Err(Stop::unsupported(format!("this `{name}`")));
        };
        let mut parts = vec![Value::unit(); known.len()];
        for field in &s.fields {
            let value = self.eval(&field.expr)?;
            let at = match &field.member {
                syn::Member::Named(n) => known.iter().position(|k| n == k),
                syn::Member::Unnamed(_) => None,
            };
            match at.and_then(|at| parts.get_mut(at)) {
                Some(part) => *part = value,
                None => return Err(Stop::unsupported(format!("this `{name}`"))),
            }
        }
        Ok(Value::Struct(name.into(), known, parts))
    }

    /// What is matched: by reference if it is one already, else a copy.
    fn scrutinee(&mut self, e: &syn::Expr) -> Outcome {
        self.eval(e)
    }

    fn match_(&mut self, m: &syn::ExprMatch) -> Outcome {
        let value = self.scrutinee(&m.expr)?;
        let outer = self.variables.len();
        for arm in &m.arms {
            if self.bind(&arm.pat, value.clone())? {
                let outcome = self.eval(&arm.body);
                self.variables.truncate(outer);
                return outcome;
            }
            self.variables.truncate(outer);
        }
        Err(Stop::Panic("no arm matches".to_owned()))
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> Value {
        let variables = if closure.capture.is_some() {
            // Copies of what it names.
            let mut mentioned = HashSet::new();
            identifiers(closure.body.to_token_stream(), &mut mentioned);
            let all = self.variables.iter();
            let all = all.filter(|(name, _)| mentioned.contains(name));
            all.map(|(name, cell)| {
                let copy = cell.borrow().clone();
                (name.clone(), Rc::new(std::cell::RefCell::new(copy)))
            })
            .collect()
        } else {
            self.variables.clone()
        };
        Value::Function(Rc::new(Callable::Closure {
            syntax: Rc::new(closure.clone()),
            variables,
            own_type: self.own_type.clone(),
        }))
    }

    fn call(&mut self, call: &syn::ExprCall) -> Outcome {
        let path = match &*call.func {
            syn::Expr::Path(p) => {
                let path = names(&p.path);
                match path.as_slice() {
                    [name] if self.variable(name).is_some() => None,
                    _ if p.qself.is_some() => Some(vec![
                        "trait".to_owned(),
                        path.last().cloned().unwrap_or_default(),
                    ]),
                    _ => Some(path),
                }
            }
            _ => None,
        };
        let function = match &path {
            Some(_) => None,
            None => Some(self.eval(&call.func)?.followed()?),
        };
        let args: Outcome<Vec<Value>> = call.args.iter().map(|e| self.eval(e)).collect();
        let args = args?;
        match (path, function) {
            (Some(path), _) => self.call_path(&path, args),
            (None, Some(Value::Function(callable))) => self.call_value(&callable, args),
            _ => Err(Stop::unsupported(format!(
                "`{}`",
                call.func.to_token_stream()
            ))),
        }
    }

    fn macro_call(&mut self, mac: &syn::Macro) -> Outcome {
        let name = mac.path.segments.last().map(|s| s.ident.to_string());
        let name = name.unwrap_or_default();
        let parse = |tokens: proc_macro2::TokenStream| {
            let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            syn::parse::Parser::parse2(parser, tokens)
                .map_err(|_| Stop::unsupported(format!("`{name}!`")))
        };
        match name.as_str() {
            // It is for rustc alone.
            "undifferentiated" => Ok(Value::unit()),
            "vec" => {
                let tokens = &mac.tokens;
                let array: syn::Expr = syn::parse2(quote::quote!([#tokens]))
                    .map_err(|_| Stop::unsupported("this `vec!`"))?;
                self.eval(&array)
            }
            "assert" | "debug_assert" => {
                let args = parse(mac.tokens.clone())?;
                let holds = match args.first() {
                    Some(condition) => self.eval(condition)?.truth()?,
                    None => true,
                };
                match holds {
                    true => Ok(Value::unit()),
                    false => Err(Stop::Panic("an assertion failed".to_owned())),
                }
            }
            "assert_eq" | "debug_assert_eq" | "assert_ne" => {
                let args = parse(mac.tokens.clone())?;
                let mut sides = args.iter().take(2);
                let (Some(a), Some(b)) = (sides.next(), sides.next()) else {
                    return Err(Stop::unsupported("this assertion"));
                };
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                match super::operators::equal(&a, &b)? == (name != "assert_ne") {
                    true => Ok(Value::unit()),
                    false => Err(Stop::Panic("an assertion failed".to_owned())),
                }
            }
            "panic" | "unreachable" | "todo" | "unimplemented" => {
                Err(Stop::Panic(mac.tokens.to_string()))
            }
            // Nobody reads it here.
            "println" | "print" | "eprintln" | "eprint" => Ok(Value::unit()),
            "matches" => {
                let tokens = &mac.tokens;
                let (value, pattern) = split(tokens)?;
                let condition: syn::Expr =
                    syn::parse2(quote::quote!(match #value { #pattern => true, _ => false }))
                        .map_err(|_| Stop::unsupported("this `matches!`"))?;
                self.eval(&condition)
            }
            _ => Err(Stop::unsupported(format!("`{name}!`"))),
        }
    }
}

/// The tokens before and behind the first comma.
fn split(
    tokens: &proc_macro2::TokenStream,
) -> Outcome<(proc_macro2::TokenStream, proc_macro2::TokenStream)> {
    let mut before = proc_macro2::TokenStream::new();
    let mut all = tokens.clone().into_iter();
    for token in all.by_ref() {
        match &token {
            proc_macro2::TokenTree::Punct(p) if p.as_char() == ',' => {
                return Ok((before, all.collect()));
            }
            _ => before.extend([token]),
        }
    }
    Err(Stop::unsupported("this macro"))
}

/// What a loop makes of its body's end: a value if it is left.
fn goes_on(outcome: Outcome, own: Option<&String>) -> Outcome<Option<Value>> {
    let ours = |to: &Option<String>| to.is_none() || to.as_ref() == own;
    match outcome {
        Ok(_) => Ok(None),
        Err(Stop::Break(to, value)) if ours(&to) => Ok(Some(value)),
        Err(Stop::Continue(to)) if ours(&to) => Ok(None),
        Err(stop) => Err(stop),
    }
}

fn literal(lit: &syn::Lit) -> Outcome {
    match lit {
        syn::Lit::Float(x) => match x.suffix() {
            "" | "f64" => x
                .base10_parse()
                .map(Value::Float)
                .map_err(|_| Stop::unsupported("this number")),
            other => Err(Stop::unsupported(format!("numbers of type `{other}`"))),
        },
        syn::Lit::Int(n) => match n.suffix() {
            "f64" => n
                .base10_parse()
                .map(Value::Float)
                .map_err(|_| Stop::unsupported("this number")),
            "" => n
                .base10_parse()
                .map(|n| Value::Int(n, None))
                .map_err(|_| Stop::unsupported("this number")),
            suffix => match (width(suffix), n.base10_parse()) {
                (Some(width), Ok(n)) => Ok(Value::Int(n, Some(width))),
                _ => Err(Stop::unsupported(format!("numbers of type `{suffix}`"))),
            },
        },
        syn::Lit::Bool(b) => Ok(Value::Bool(b.value)),
        syn::Lit::Str(text) => Ok(Value::Text(text.value().into())),
        _ => Err(Stop::unsupported("this literal")),
    }
}

fn identifiers(tokens: proc_macro2::TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(name) => {
                found.insert(name.to_string());
            }
            proc_macro2::TokenTree::Group(group) => identifiers(group.stream(), found),
            _ => {}
        }
    }
}
