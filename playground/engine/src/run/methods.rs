//! Methods of numbers, lists, iterators, options, and of the record of a run.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use autodiff_rules::Flag;
use autodiff_runtime::trace::Recorder;

use super::operators::{binary, integer, order};
use super::{Outcome, Place, Run, Stop, Value, library, table};

pub(super) fn recorder(value: Value) -> Outcome<Rc<RefCell<Option<Recorder>>>> {
    match value {
        Value::Recorder(recorder) => Ok(recorder),
        other => Err(Stop::unsupported(format!("{other:?} as a record"))),
    }
}

/// What pops a value, and no option.
pub(super) const STACK: &str = "Stack";

fn of_stack(name: &str, place: &Place, args: Vec<Value>) -> Outcome {
    let changed = place.change(|stack| {
        let stack = stack.parts_mut()?;
        match (name, args.into_iter().next()) {
            ("push", Some(value)) => {
                stack.push(value);
                Some(Value::unit())
            }
            ("pop", None) => stack.pop(),
            ("reserve", Some(_)) => Some(Value::unit()),
            _ => None,
        }
    })?;
    changed.ok_or_else(|| Stop::unsupported(format!("`Stack::{name}`")))
}

fn references(places: Vec<Place>) -> VecDeque<Value> {
    places.into_iter().map(Value::Ref).collect()
}

impl Run<'_> {
    /// What a loop over a value goes through.
    pub(super) fn items(&mut self, value: Value) -> Outcome<VecDeque<Value>> {
        match value {
            Value::Range(Some(start), Some(end), width) => {
                let count = (end - start).max(0) as u64;
                self.steps = self.steps.saturating_add(count / 16);
                self.step()?;
                Ok((start..end).map(|n| Value::Int(n, width)).collect())
            }
            Value::Iter(items) => Ok(items.take()),
            Value::List(items) => Ok(items.into()),
            Value::Ref(place) => {
                let place = place.follow()?;
                if place.is_list()? {
                    return place.all().map(references);
                }
                let value = place.read()?;
                match value {
                    Value::Iter(_) | Value::Range(..) => self.items(value),
                    other => Err(Stop::unsupported(format!("a loop over {other:?}"))),
                }
            }
            Value::Variant(name, parts) if matches!(&*name, "Some" | "None") => Ok(parts.into()),
            other => Err(Stop::unsupported(format!("a loop over {other:?}"))),
        }
    }

    /// Calls a value that is a function.
    pub(super) fn apply(&mut self, function: &Value, args: Vec<Value>) -> Outcome {
        match function {
            Value::Function(callable) => self.call_value(callable, args),
            other => Err(Stop::unsupported(format!("a call of {other:?}"))),
        }
    }

    /// Calls a method.
    pub(super) fn method(&mut self, name: &str, receiver: Place, args: Vec<Value>) -> Outcome {
        let place = receiver.follow()?;
        // Of `rt::Original`, which is the value itself.
        let name = match name {
            "__copy" => "clone",
            name => name,
        };
        if place.is_list()? {
            return self.of_list(name, &place, args);
        }
        if place.is_variant(STACK)? {
            return of_stack(name, &place, args);
        }
        let value = place.read()?;
        match (name, &value) {
            ("clone" | "to_owned" | "into" | "borrow" | "borrow_mut" | "cloned" | "copied", v)
                if !matches!(v, Value::Variant(..) | Value::Iter(_)) || name == "clone" =>
            {
                return Ok(value);
            }
            // Types say whether a derivative would be lost, when rustc compiles it.
            ("__checked" | "__carries_nothing", _) => return Ok(value),
            _ => {}
        }
        match value {
            Value::Float(x) => Self::of_float(name, x, args),
            Value::Int(n, width) => of_integer(name, n, width, args),
            Value::Bool(b) => match (name, args.first()) {
                ("then_some", Some(value)) => Ok(Value::option(b.then(|| value.clone()))),
                ("then", Some(function)) => {
                    let value = b.then(|| self.apply(function, Vec::new())).transpose()?;
                    Ok(Value::option(value))
                }
                _ => Err(Stop::unsupported(format!("`bool::{name}`"))),
            },
            Value::Range(start, end, _) if matches!(name, "len" | "contains" | "is_empty") => {
                let (start, end) = (start.unwrap_or(0), end.unwrap_or(i128::MAX));
                match args.into_iter().next() {
                    Some(n) => {
                        let n = n.int()?;
                        Ok(Value::Bool((start..end).contains(&n)))
                    }
                    None if name == "len" => Ok(Value::index((end - start).max(0) as usize)),
                    None => Ok(Value::Bool(end <= start)),
                }
            }
            Value::Range(start, None, width) => self.of_open_range(name, start, width, args),
            Value::Iter(items) => self.of_iterator(name, items, args),
            value @ Value::Range(..) => {
                let items = self.items(value)?;
                self.of_iterator(name, Rc::new(RefCell::new(items)), args)
            }
            Value::Recorder(recorder) => Self::of_recorder(name, &recorder, args),
            Value::Variant(variant, parts) => {
                let unknown = || Stop::unsupported(format!("`{variant}::{name}`"));
                match name {
                    "is_gt" | "is_lt" | "is_ge" | "is_le" | "is_eq" => {
                        let less = &*variant == "Less";
                        let equal = &*variant == "Equal";
                        Ok(Value::Bool(match name {
                            "is_lt" => less,
                            "is_le" => less || equal,
                            "is_eq" => equal,
                            "is_ge" => !less,
                            _ => !less && !equal,
                        }))
                    }
                    _ if matches!(&*variant, "Some" | "None" | "Ok" | "Err") => {
                        let full = matches!(&*variant, "Some" | "Ok");
                        let inner = parts.into_iter().next().filter(|_| full);
                        self.of_option(name, &place, inner, args)
                    }
                    _ => Err(unknown()),
                }
            }
            Value::Struct(own, ..) => {
                let path = vec![own.to_string(), name.to_owned()];
                let mut all = vec![Value::Ref(place)];
                all.extend(args);
                self.call_path(&path, all)
            }
            Value::Function(callable) if name == "call" => self.call_value(&callable, args),
            other => Err(Stop::unsupported(format!("`.{name}()` of {other:?}"))),
        }
    }

    fn of_float(name: &str, x: f64, args: Vec<Value>) -> Outcome {
        let mut rest = args.iter().cloned();
        Ok(match name {
            "is_nan" => Value::Bool(x.is_nan()),
            "is_finite" => Value::Bool(x.is_finite()),
            "is_infinite" => Value::Bool(x.is_infinite()),
            "is_sign_negative" => Value::Bool(x.is_sign_negative()),
            "is_sign_positive" => Value::Bool(x.is_sign_positive()),
            "sin_cos" => Value::Tuple(vec![Value::Float(x.sin()), Value::Float(x.cos())]),
            "partial_cmp" | "total_cmp" => {
                let other = rest.next().unwrap_or_else(Value::unit).float()?;
                let found = match name {
                    "total_cmp" => Some(x.total_cmp(&other)),
                    _ => x.partial_cmp(&other),
                };
                let found = found.map(|o| Value::variant(&format!("{o:?}"), Vec::new()));
                match name {
                    "total_cmp" => found.unwrap_or_else(Value::unit),
                    _ => Value::option(found),
                }
            }
            // Where a function of the rule table is a method.
            _ => {
                let mut all = vec![Value::Float(x)];
                all.extend(args);
                return match table::rule(name).filter(|rule| rule.method || name == "sigmoid") {
                    Some(_) => library::elementary(name, &all),
                    None => Err(Stop::unsupported(format!("`f64::{name}`"))),
                };
            }
        })
    }

    fn of_open_range(
        &mut self,
        name: &str,
        start: Option<i128>,
        width: super::value::Width,
        args: Vec<Value>,
    ) -> Outcome {
        // Only what ends it.
        let start = start.unwrap_or(0);
        let other = args.into_iter().next();
        match (name, other) {
            ("zip", Some(other)) => {
                let items = self.items(other)?;
                let pairs = (start..).zip(items);
                Ok(Value::iter(pairs.map(|(n, item)| {
                    Value::Tuple(vec![Value::Int(n, width), item])
                })))
            }
            ("take", Some(n)) => {
                let n = n.int()?;
                Ok(Value::Range(Some(start), Some(start + n), width))
            }
            _ => Err(Stop::unsupported(format!("`.{name}()` of an open range"))),
        }
    }

    fn of_list(&mut self, name: &str, place: &Place, args: Vec<Value>) -> Outcome {
        let unknown = || Stop::unsupported(format!("`.{name}()` of a list"));
        let (length, given) = (place.length()?.unwrap_or(0), args.len());
        let mut rest = args.into_iter();
        let mut next = || rest.next().ok_or_else(unknown);
        let change = |f: &mut dyn FnMut(&mut Vec<Value>)| -> Outcome<()> {
            place.change(|value| value.parts_mut().map(f)).map(|_| ())
        };
        Ok(match name {
            "len" => Value::index(length),
            "is_empty" => Value::Bool(length == 0),
            "as_slice" | "as_mut_slice" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" => {
                Value::Ref(place.clone())
            }
            "iter" | "iter_mut" => Value::iter(references(place.all()?)),
            "into_iter" | "drain" => {
                let all = place.read()?.list()?;
                if name == "drain" {
                    change(&mut Vec::clear)?;
                }
                Value::iter(all)
            }
            "clone" | "to_vec" | "to_owned" | "into_vec" | "into_boxed_slice" | "into" => {
                place.read()?
            }
            "push" | "push_back" => {
                let item = next()?;
                self.step()?;
                change(&mut |all| all.push(item.clone()))?;
                Value::unit()
            }
            "pop" => {
                let mut popped = None;
                change(&mut |all| popped = all.pop())?;
                Value::option(popped)
            }
            "open" => {
                let n = next()?.size()?;
                self.steps += n as u64;
                self.step()?;
                change(&mut |all| all.resize(all.len() + n, Value::unit()))?;
                Value::Ref(place.window(length, length + n)?)
            }
            // There is room for what has been written, and for one more where that is asked for.
            "room" => Value::Ref(place.window(length, length)?),
            "more_room" => {
                let n = next()?.size()?;
                self.step()?;
                change(&mut |all| all.push(Value::unit()))?;
                Value::Ref(place.window(length.saturating_sub(n), length + 1)?)
            }
            // A slot that nothing was written to is no tuple yet.
            "opened" => {
                next()?;
                let unwritten =
                    |slot: &mut Value| matches!(slot, Value::Tuple(parts) if parts.is_empty());
                change(&mut |all| drop(all.pop_if(unwritten)))?;
                Value::unit()
            }
            "last" if given > 0 => {
                let n = next()?.size()?;
                Value::Ref(place.window(length.saturating_sub(n), length)?)
            }
            "close" => {
                let n = next()?.size()?;
                change(&mut |all| all.truncate(length.saturating_sub(n)))?;
                Value::unit()
            }
            "first" | "last" | "first_mut" | "last_mut" => {
                let at = match name {
                    "first" | "first_mut" => Some(0).filter(|_| length > 0),
                    _ => length.checked_sub(1),
                };
                Value::option(at.map(|k| Value::Ref(place.part(k))))
            }
            "get" | "get_mut" => {
                let k = next()?.size()?;
                Value::option((k < length).then(|| Value::Ref(place.part(k))))
            }
            "swap" => {
                let (a, b) = (next()?.int()?, next()?.int()?);
                let (a, b) = (place.element(a)?, place.element(b)?);
                let old = a.read()?;
                a.write(b.read()?)?;
                b.write(old)?;
                Value::unit()
            }
            "fill" => {
                let value = next()?;
                for part in place.all()? {
                    part.write(value.clone())?;
                }
                Value::unit()
            }
            "copy_from_slice" | "clone_from_slice" => {
                let from = next()?.list()?;
                if from.len() != length {
                    return Err(Stop::Panic("slices have different lengths".to_owned()));
                }
                for (part, value) in place.all()?.into_iter().zip(from) {
                    part.write(value)?;
                }
                Value::unit()
            }
            "extend" | "extend_from_slice" => {
                let from = next()?;
                let mut new = Vec::new();
                for item in self.items(from)? {
                    new.push(item.followed()?);
                }
                change(&mut |all| all.append(&mut new))?;
                Value::unit()
            }
            "clear" => {
                change(&mut Vec::clear)?;
                Value::unit()
            }
            "truncate" => {
                let n = next()?.size()?;
                change(&mut |all| all.truncate(n))?;
                Value::unit()
            }
            "reverse" => {
                let all = place.read()?.list()?;
                for (part, value) in place.all()?.into_iter().zip(all.into_iter().rev()) {
                    part.write(value)?;
                }
                Value::unit()
            }
            "windows" | "chunks" | "chunks_exact" | "chunks_mut" | "chunks_exact_mut" => {
                let n = next()?.size()?;
                if n == 0 {
                    return Err(Stop::Panic("pieces of no elements".to_owned()));
                }
                let mut found = Vec::new();
                let by = if name == "windows" { 1 } else { n };
                for start in (0..length).step_by(by) {
                    let end = start + n;
                    if end <= length {
                        found.push(Value::Ref(place.window(start, end)?));
                    } else if matches!(name, "chunks" | "chunks_mut") {
                        found.push(Value::Ref(place.window(start, length)?));
                    }
                }
                Value::iter(found)
            }
            "split_at" | "split_at_mut" => {
                let k = next()?.size()?;
                let (a, b) = (place.window(0, k)?, place.window(k, length)?);
                Value::Tuple(vec![Value::Ref(a), Value::Ref(b)])
            }
            "map" => {
                let function = next()?;
                let mut found = Vec::new();
                for item in place.read()?.list()? {
                    found.push(self.apply(&function, vec![item])?);
                }
                Value::List(found)
            }
            "contains" => {
                let wanted = next()?.followed()?;
                let mut found = false;
                for item in place.read()?.list()? {
                    found = found || super::operators::equal(&item, &wanted)?;
                }
                Value::Bool(found)
            }
            _ => return Err(unknown()),
        })
    }

    fn of_iterator(
        &mut self,
        name: &str,
        source: Rc<RefCell<VecDeque<Value>>>,
        args: Vec<Value>,
    ) -> Outcome {
        let unknown = || Stop::unsupported(format!("`.{name}()` of an iterator"));
        let mut rest = args.into_iter();
        let mut next = || rest.next().ok_or_else(unknown);
        match name {
            "next" => return Ok(Value::option(source.borrow_mut().pop_front())),
            "next_back" => return Ok(Value::option(source.borrow_mut().pop_back())),
            "by_ref" => return Ok(Value::Iter(source)),
            "len" => return Ok(Value::index(source.borrow().len())),
            _ => {}
        }
        let items = source.take();
        Ok(match name {
            "iter" | "into_iter" | "iter_mut" | "fuse" | "peekable" => Value::iter(items),
            "clone" => {
                source.borrow_mut().clone_from(&items);
                Value::iter(items)
            }
            "rev" => Value::iter(items.into_iter().rev()),
            "copied" | "cloned" => {
                let all: Outcome<Vec<Value>> = items.into_iter().map(Value::followed).collect();
                Value::iter(all?)
            }
            "zip" => {
                let other = match next()? {
                    Value::Range(Some(start), None, width) => {
                        Value::Range(Some(start), Some(start + items.len() as i128), width)
                    }
                    other => other,
                };
                let others = self.items(other)?;
                let pairs = items.into_iter().zip(others);
                Value::iter(pairs.map(|(a, b)| Value::Tuple(vec![a, b])))
            }
            "enumerate" => {
                let all = items.into_iter().enumerate();
                Value::iter(all.map(|(k, item)| Value::Tuple(vec![Value::index(k), item])))
            }
            "chain" => {
                let more = self.items(next()?)?;
                Value::iter(items.into_iter().chain(more))
            }
            "skip" | "take" | "step_by" => {
                let n = next()?.size()?;
                match name {
                    "skip" => Value::iter(items.into_iter().skip(n)),
                    "take" => Value::iter(items.into_iter().take(n)),
                    _ if n == 0 => return Err(Stop::Panic("a step of 0".to_owned())),
                    _ => Value::iter(items.into_iter().step_by(n)),
                }
            }
            "map" | "for_each" => {
                let function = next()?;
                let mut found = Vec::with_capacity(items.len());
                for item in items {
                    found.push(self.apply(&function, vec![item])?);
                }
                match name {
                    "map" => Value::iter(found),
                    _ => Value::unit(),
                }
            }
            "filter" => {
                let function = next()?;
                let mut found = Vec::new();
                for item in items {
                    let lent = Value::Ref(Place::temporary(item.clone()));
                    if self.apply(&function, vec![lent])?.truth()? {
                        found.push(item);
                    }
                }
                Value::iter(found)
            }
            "fold" => {
                let (mut total, function) = (next()?, next()?);
                for item in items {
                    total = self.apply(&function, vec![total, item])?;
                }
                total
            }
            "sum" | "product" => {
                let mut total: Option<Value> = None;
                for item in items {
                    let item = item.followed()?;
                    let start = match (&item, name) {
                        (Value::Float(_), "sum") => Value::Float(-0.0),
                        (Value::Float(_), _) => Value::Float(1.0),
                        (_, "sum") => Value::Int(0, None),
                        _ => Value::Int(1, None),
                    };
                    let op: syn::BinOp = match name {
                        "sum" => syn::parse_quote!(+),
                        _ => syn::parse_quote!(*),
                    };
                    total = Some(binary(&op, total.unwrap_or(start), item)?);
                }
                total.ok_or_else(|| Stop::unsupported("the sum of nothing"))?
            }
            "collect" => Value::List(items.into()),
            "count" => Value::index(items.len()),
            "last" => Value::option(items.into_iter().next_back()),
            "nth" => {
                let n = next()?.size()?;
                Value::option(items.into_iter().nth(n))
            }
            "any" | "all" | "position" => {
                let function = next()?;
                let mut at = None;
                for (k, item) in items.into_iter().enumerate() {
                    if self.apply(&function, vec![item])?.truth()? == (name != "all") {
                        at = Some(k);
                        break;
                    }
                }
                match name {
                    "any" => Value::Bool(at.is_some()),
                    "all" => Value::Bool(at.is_none()),
                    _ => Value::option(at.map(Value::index)),
                }
            }
            "min" | "max" => {
                let mut best: Option<Value> = None;
                for item in items {
                    let better = match &best {
                        None => true,
                        Some(best) => {
                            let found =
                                order(&item.clone().followed()?, &best.clone().followed()?)?;
                            match name {
                                "min" => found.is_some_and(std::cmp::Ordering::is_lt),
                                _ => found.is_some_and(std::cmp::Ordering::is_ge),
                            }
                        }
                    };
                    if better {
                        best = Some(item);
                    }
                }
                Value::option(best)
            }
            _ => return Err(unknown()),
        })
    }

    fn of_option(
        &mut self,
        name: &str,
        place: &Place,
        inner: Option<Value>,
        args: Vec<Value>,
    ) -> Outcome {
        let mut rest = args.into_iter();
        let first = rest.next();
        Ok(match (name, inner, first) {
            ("is_some" | "is_ok", inner, _) => Value::Bool(inner.is_some()),
            ("is_none" | "is_err", inner, _) => Value::Bool(inner.is_none()),
            ("unwrap" | "expect" | "unwrap_or", Some(inner), _) => inner,
            ("unwrap" | "expect", None, _) => {
                return Err(Stop::Panic("an option is empty".to_owned()));
            }
            ("unwrap_or", None, Some(other)) => other,
            ("unwrap_or_else", Some(inner), _) => inner,
            ("unwrap_or_else", None, Some(function)) => self.apply(&function, Vec::new())?,
            ("map", inner, Some(function)) => {
                let inner = inner.map(|inner| self.apply(&function, vec![inner]));
                Value::option(inner.transpose()?)
            }
            ("and_then", Some(inner), Some(function)) => self.apply(&function, vec![inner])?,
            ("and_then", None, _) => Value::option(None),
            ("map_or", Some(inner), Some(_)) => match rest.next() {
                Some(function) => self.apply(&function, vec![inner])?,
                None => return Err(Stop::unsupported("`map_or`")),
            },
            ("map_or", None, Some(other)) => other,
            ("copied" | "cloned", inner, _) => {
                Value::option(inner.map(Value::followed).transpose()?)
            }
            ("as_ref" | "as_mut", inner, _) => {
                Value::option(inner.map(|_| Value::Ref(place.part(0))))
            }
            ("take", _, _) => {
                let old = place.read()?;
                place.write(Value::option(None))?;
                old
            }
            _ => return Err(Stop::unsupported(format!("`Option::{name}`"))),
        })
    }

    fn of_recorder(
        name: &str,
        recorder: &Rc<RefCell<Option<Recorder>>>,
        args: Vec<Value>,
    ) -> Outcome {
        let unknown = || Stop::unsupported(format!("`Recorder::{name}`"));
        let mut borrowed = recorder.borrow_mut();
        let mut rest = args.into_iter();
        let mut next = || rest.next().ok_or_else(unknown);
        if name == "finish" {
            let (value, position) = (next()?.float()?, next()?.float()?);
            let recorder = borrowed.take().ok_or_else(unknown)?;
            return Ok(Value::Trace(Rc::new(recorder.finish(value, position))));
        }
        let recorder = borrowed.as_mut().ok_or_else(unknown)?;
        let position = match name {
            "inputs" => {
                let parameter = next()?.size()?;
                let Value::Text(name) = next()? else {
                    return Err(unknown());
                };
                let (value, tangent) = (next()?, next()?);
                let Value::Ref(tangent) = tangent else {
                    return Err(unknown());
                };
                inputs(
                    recorder,
                    parameter,
                    &name,
                    &value.followed()?,
                    &tangent.follow()?,
                )?;
                return Ok(Value::unit());
            }
            "enter" => {
                let node = next()?.size()?;
                let Value::Graph(graph) = next()?.followed()? else {
                    return Err(unknown());
                };
                return Ok(Value::Int(
                    i128::from(recorder.enter(node as u32, graph)),
                    None,
                ));
            }
            "leave" => {
                recorder.leave(next()?.size()? as u32);
                return Ok(Value::unit());
            }
            "record" => {
                let node = next()?.size()? as u32;
                let flag = match next()?.followed()? {
                    Value::Variant(flag, _) if &*flag == "Plain" => Flag::Plain,
                    Value::Variant(flag, _) if &*flag == "Guarded" => Flag::Guarded,
                    Value::Variant(flag, _) if &*flag == "Select" => Flag::Select,
                    _ => return Err(unknown()),
                };
                let value = next()?.float()?;
                let operands: Outcome<Vec<_>> = next()?.list()?.into_iter().map(operand).collect();
                let partials: Outcome<Vec<f64>> =
                    next()?.list()?.into_iter().map(Value::float).collect();
                recorder.record(node, flag, value, &operands?, &partials?)
            }
            "same" | "cast" => {
                let node = next()?.size()? as u32;
                let value = next()?.float()?;
                let from = next()?;
                if name == "same" {
                    recorder.same(node, value, from.float()?)
                } else {
                    recorder.cast(node, value, operand(from)?)
                }
            }
            "add" | "sub" | "mul" | "div" | "neg" => {
                let node = next()?.size()? as u32;
                let value = next()?.float()?;
                let operands: Outcome<Vec<_>> = next()?.list()?.into_iter().map(operand).collect();
                match (name, operands?.as_slice()) {
                    ("neg", &[a]) => recorder.neg(node, value, [a]),
                    ("add", &[a, b]) => recorder.add(node, value, [a, b]),
                    ("sub", &[a, b]) => recorder.sub(node, value, [a, b]),
                    ("mul", &[a, b]) => recorder.mul(node, value, [a, b]),
                    ("div", &[a, b]) => recorder.div(node, value, [a, b]),
                    _ => return Err(unknown()),
                }
            }
            _ => return Err(unknown()),
        };
        Ok(Value::Float(position))
    }
}

/// The value and the node of an operand.
fn operand(value: Value) -> Outcome<(f64, f64)> {
    match value.followed()? {
        Value::Tuple(parts) => match parts.as_slice() {
            [value, node] => Ok((value.clone().float()?, node.clone().float()?)),
            _ => Err(Stop::unsupported("this operand")),
        },
        _ => Err(Stop::unsupported("this operand")),
    }
}

/// Makes nodes of the numbers of a parameter.
fn inputs(
    recorder: &mut Recorder,
    parameter: usize,
    name: &str,
    value: &Value,
    tangent: &Place,
) -> Outcome<()> {
    match value {
        Value::Float(x) => {
            let mut position = 0.0;
            recorder.inputs(parameter, name, x, &mut position);
            tangent.write(Value::Float(position))
        }
        Value::Ref(place) => {
            let value = place.follow()?.read()?;
            inputs(recorder, parameter, name, &value, tangent)
        }
        Value::Tuple(parts) | Value::List(parts) => {
            let list = matches!(value, Value::List(_));
            for (k, part) in parts.iter().enumerate() {
                let name = match list {
                    true => format!("{name}[{k}]"),
                    false => format!("{name}.{k}"),
                };
                inputs(recorder, parameter, &name, part, &tangent.part(k))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn of_integer(name: &str, n: i128, width: super::value::Width, args: Vec<Value>) -> Outcome {
    let unknown = || Stop::unsupported(format!("the method `{name}` of integers"));
    let other = args.into_iter().next();
    let of = other.clone().map(Value::int).transpose();
    let two = || of_some(&of, unknown);
    let optional = |n: Option<i128>| match integer(n, width) {
        Ok(value) => Ok(Value::option(Some(value))),
        Err(Stop::Panic(_)) => Ok(Value::option(None)),
        Err(stop) => Err(stop),
    };
    match name {
        "min" => integer(Some(n.min(two()?)), width),
        "max" => integer(Some(n.max(two()?)), width),
        "abs" => integer(Some(n.abs()), width),
        "pow" => {
            let power = u32::try_from(two()?).map_err(|_| unknown())?;
            integer(n.checked_pow(power), width)
        }
        "abs_diff" => integer(Some((n - two()?).abs()), width),
        "saturating_sub" if width.is_some_and(|w| w.starts_with('u')) => {
            integer(Some((n - two()?).max(0)), width)
        }
        "checked_sub" => optional(n.checked_sub(two()?)),
        "checked_add" => optional(n.checked_add(two()?)),
        "rem_euclid" => integer(n.checked_rem_euclid(two()?), width),
        "div_euclid" => integer(n.checked_div_euclid(two()?), width),
        "div_ceil" => integer(
            n.checked_add(two()? - 1)
                .and_then(|n| n.checked_div(of_some(&of, unknown).ok()?)),
            width,
        ),
        "is_multiple_of" => Ok(Value::Bool(n % two()? == 0)),
        "cmp" => Ok(Value::variant(&format!("{:?}", n.cmp(&two()?)), Vec::new())),
        "signum" => Ok(Value::Int(n.signum(), width)),
        _ => Err(unknown()),
    }
}

fn of_some(of: &Result<Option<i128>, Stop>, unknown: impl Fn() -> Stop) -> Outcome<i128> {
    match of {
        Ok(Some(n)) => Ok(*n),
        _ => Err(unknown()),
    }
}
