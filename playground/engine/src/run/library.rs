//! Functions that are called by a path: of the runtime, which generated code calls `rt`, of the rule table, and of the standard library.

use std::cell::RefCell;
use std::rc::Rc;

use autodiff_runtime::kernels;
use autodiff_runtime::trace::Recorder;

use super::methods::STACK;
use super::operators::{binary, cast};
use super::{Callable, Outcome, Place, Run, Stop, Value, table};

/// A constant of the standard library, or a variant without contents.
pub(super) fn constant(path: &[String]) -> Option<Value> {
    use std::f64::consts;
    let last = path.last()?.as_str();
    // A name alone is imported.
    let before = match path {
        [.., before, _] => before.as_str(),
        _ if last == "None" => "Option",
        _ => "consts",
    };
    Some(match (before, last) {
        ("consts", _) => Value::Float(match last {
            "PI" => consts::PI,
            "TAU" => consts::TAU,
            "E" => consts::E,
            "SQRT_2" => consts::SQRT_2,
            "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
            "LN_2" => consts::LN_2,
            "LN_10" => consts::LN_10,
            "LOG2_E" => consts::LOG2_E,
            "LOG10_E" => consts::LOG10_E,
            "FRAC_PI_2" => consts::FRAC_PI_2,
            "FRAC_PI_3" => consts::FRAC_PI_3,
            "FRAC_PI_4" => consts::FRAC_PI_4,
            "FRAC_PI_6" => consts::FRAC_PI_6,
            "FRAC_PI_8" => consts::FRAC_PI_8,
            "FRAC_1_PI" => consts::FRAC_1_PI,
            "FRAC_2_PI" => consts::FRAC_2_PI,
            "FRAC_2_SQRT_PI" => consts::FRAC_2_SQRT_PI,
            _ => return None,
        }),
        ("f64", _) => Value::Float(match last {
            "INFINITY" => f64::INFINITY,
            "NEG_INFINITY" => f64::NEG_INFINITY,
            "NAN" => f64::NAN,
            "EPSILON" => f64::EPSILON,
            "MAX" => f64::MAX,
            "MIN" => f64::MIN,
            "MIN_POSITIVE" => f64::MIN_POSITIVE,
            _ => return None,
        }),
        ("usize", "MAX") => Value::Int(i128::from(u64::MAX), Some("usize")),
        ("Option" | "rt", "None") => Value::option(None),
        ("Ordering" | "Flag", _) => Value::variant(last, Vec::new()),
        // Of functions of the rule table.
        (_, "__STEEP") => Value::Bool(false),
        _ => return None,
    })
}

/// The zero tangent of a value.
fn zero_of(value: &Value) -> Outcome {
    Ok(match value {
        Value::Float(_) => Value::Float(0.0),
        Value::Int(..) | Value::Bool(_) | Value::Text(_) => Value::unit(),
        Value::Ref(place) => zero_of(&place.follow()?.read()?)?,
        Value::Tuple(parts) => Value::Tuple(parts.iter().map(zero_of).collect::<Outcome<_>>()?),
        Value::List(parts) => Value::List(parts.iter().map(zero_of).collect::<Outcome<_>>()?),
        Value::Variant(name, parts) if matches!(&**name, "Some" | "None") => {
            let parts = parts.iter().map(zero_of).collect::<Outcome<_>>()?;
            Value::Variant(name.clone(), parts)
        }
        other => return Err(Stop::unsupported(format!("the zero of {other:?}"))),
    })
}

/// `a + b`, of parts each.
fn sum(a: Value, b: Value) -> Outcome {
    match (a.followed()?, b.followed()?) {
        (Value::Float(a), Value::Float(b)) => Ok(Value::Float(a + b)),
        (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
            let parts = a.into_iter().zip(b).map(|(a, b)| sum(a, b));
            parts.collect::<Outcome<_>>().map(Value::Tuple)
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            let parts = a.into_iter().zip(b).map(|(a, b)| sum(a, b));
            parts.collect::<Outcome<_>>().map(Value::List)
        }
        (a, b) => Err(Stop::unsupported(format!("the sum of {a:?} and {b:?}"))),
    }
}

/// Numbers for a row of the table, which takes integers as numbers.
fn numbers(args: &[Value]) -> Outcome<Vec<f64>> {
    let number = |arg: &Value| match arg.clone().followed()? {
        Value::Float(x) => Ok(x),
        Value::Int(n, _) => Ok(n as f64),
        other => Err(Stop::unsupported(format!("{other:?} in place of a number"))),
    };
    args.iter().map(number).collect()
}

/// The value of a function of the rule table.
pub(super) fn elementary(name: &str, args: &[Value]) -> Outcome {
    let value = table::value(name, &numbers(args)?);
    value
        .map(Value::Float)
        .ok_or_else(|| Stop::unsupported(format!("`{name}`")))
}

fn reference(value: &Value) -> Outcome<Place> {
    match value {
        Value::Ref(place) => place.follow(),
        other => Err(Stop::unsupported(format!("{other:?} as a reference"))),
    }
}

impl Run<'_> {
    /// Calls a function that is not of the program.
    pub(super) fn library(
        &mut self,
        path: &[String],
        qualified: &str,
        args: Vec<Value>,
    ) -> Outcome {
        let unknown = || match path {
            // The derivative of what has none.
            [callee @ .., hidden] if !callee.is_empty() && hidden.starts_with("__") => {
                let callee = callee.join("::");
                Stop::Mistyped(format!(
                    "`{callee}`: no function of that name has `#[grad]`"
                ))
            }
            _ => Stop::unsupported(format!("`{}`", path.join("::"))),
        };
        let last = path.last().map(String::as_str).unwrap_or_default();
        let before = match path {
            [.., before, _] => before.as_str(),
            _ => "",
        };
        if let (Some(rule), true) = (
            table::rule(before),
            last.starts_with("__") || last == "graph",
        ) {
            return self.derivative(rule, last, &args);
        }
        match before {
            "op" | "num" if table::rule(last).is_some() => return elementary(last, &args),
            "num" => {
                let mut args = args.into_iter();
                let (a, b) = (args.next(), args.next());
                let (Some(a), Some(b)) = (a, b) else {
                    return Err(unknown());
                };
                let op: syn::BinOp = match last {
                    "add" => syn::parse_quote!(+),
                    "sub" => syn::parse_quote!(-),
                    "mul" => syn::parse_quote!(*),
                    "div" => syn::parse_quote!(/),
                    _ => return Err(unknown()),
                };
                return binary(&op, a, b);
            }
            "partial" => {
                let all = numbers(&args)?;
                let (&y, of) = all.split_last().ok_or_else(unknown)?;
                let partials = table::partials(last, of, y).ok_or_else(unknown)?;
                return Ok(Value::List(
                    partials.into_iter().map(Value::Float).collect(),
                ));
            }
            "Arm" => return Ok(Value::variant(last, args)),
            _ => {}
        }
        let mut all = args.into_iter();
        let mut next = || all.next().ok_or_else(unknown);
        Ok(match (before, last) {
            (STACK, "new") => Value::variant(STACK, Vec::new()),
            ("Slots" | "Vec" | "VecDeque", "new") | ("Vec", "with_capacity") => {
                Value::List(Vec::new())
            }
            ("Recorder", "new") => match next()?.followed()? {
                Value::Graph(graph) => {
                    Value::Recorder(Rc::new(RefCell::new(Some(Recorder::new(graph)))))
                }
                _ => return Err(unknown()),
            },
            (_, "Some" | "Ok" | "Err") => {
                let value = next()?;
                Value::variant(last, vec![value])
            }
            ("Box" | "Rc" | "Cell" | "RefCell", "new") => next()?,
            ("Vec", "from") => Value::List(next()?.list()?),
            ("mem", "take") => {
                let place = reference(&next()?)?;
                let old = place.read()?;
                let empty = match &old {
                    Value::List(_) => Value::List(Vec::new()),
                    Value::Float(_) => Value::Float(0.0),
                    Value::Int(_, width) => Value::Int(0, *width),
                    Value::Variant(..) => Value::option(None),
                    _ => return Err(unknown()),
                };
                place.write(empty)?;
                old
            }
            ("rt" | "mem", "replace") => {
                let place = reference(&next()?)?;
                let old = place.read()?;
                place.write(next()?)?;
                old
            }
            ("rt", "number_at") => {
                let (place, index) = (reference(&next()?)?, next()?.size()?);
                if place.length()?.is_some_and(|length| index < length) {
                    place.part(index).read()?
                } else {
                    Value::Float(0.0)
                }
            }
            ("rt", "put_number") => {
                let (place, index) = (reference(&next()?)?, next()?.size()?);
                if place.length()?.is_some_and(|length| index < length) {
                    place.part(index).write(next()?)?;
                }
                Value::unit()
            }
            ("rt" | "mem", "swap") => {
                let (a, b) = (reference(&next()?)?, reference(&next()?)?);
                let old = a.read()?;
                a.write(b.read()?)?;
                b.write(old)?;
                Value::unit()
            }
            ("rt", "take_zero") => {
                let place = reference(&next()?)?;
                let old = place.read()?;
                place.write(zero_of(&old)?)?;
                old
            }
            ("rt", "zero_like" | "zero_of") | ("Tangent", "zero_like") => zero_of(&next()?)?,
            (
                "rt",
                "copy" | "Original" | "shape_of" | "number" | "plain" | "decided" | "an_array"
                | "lossless",
            )
            | ("operators", "assumed" | "calculated" | "number") => next()?.followed()?,
            ("rt", "optional") => match next()?.followed()? {
                Value::Variant(name, parts) if &*name == "Ok" => {
                    Value::Variant("Some".into(), parts)
                }
                Value::Variant(name, _) if &*name == "Err" => {
                    Value::Variant("None".into(), Vec::new())
                }
                option => option,
            },
            ("rt", "payload") | ("Holds", "held") => match next()?.followed()? {
                Value::Variant(name, parts) if &*name == "None" && parts.is_empty() => {
                    return Err(Stop::Panic("an option is empty".to_owned()));
                }
                Value::Variant(_, mut parts) if parts.len() == 1 => parts.remove(0),
                other => other,
            },
            ("rt", "check_length" | "check_items") => Value::unit(),
            ("rt", "alike") => Value::Bool(true),
            (_, "unit") => Value::Float(1.0),
            ("rt", "acc") => {
                let place = reference(&next()?)?;
                let total = sum(place.read()?, next()?)?;
                match place.is_list()? {
                    true => {
                        for (k, value) in total.list()?.into_iter().enumerate() {
                            place.part(k).write(value)?;
                        }
                    }
                    false => place.write(total)?,
                }
                Value::unit()
            }
            ("rt", "set_zero") => {
                for place in reference(&next()?)?.all()? {
                    let zero = zero_of(&place.read()?)?;
                    place.write(zero)?;
                }
                Value::unit()
            }
            ("rt", "sum") => sum(next()?, next()?)?,
            ("rt", "sum_elements") => {
                let items = next()?.list()?;
                let mut total = next()?;
                for item in items {
                    total = sum(total, item)?;
                }
                total
            }
            ("rt", "rounds") => {
                let items = self.items(next()?.followed()?)?;
                Value::index(items.len())
            }
            ("rt", "first_items" | "last_items") => {
                let range = next()?.followed()?;
                let n = next()?.size()?;
                let mut items = self.items(range)?;
                let from = match last {
                    "first_items" => 0,
                    _ => items.len().saturating_sub(n),
                };
                Value::iter(items.drain(from..).take(n))
            }
            ("rt", "nth" | "plus") => binary(&syn::parse_quote!(+), next()?, next()?)?,
            ("rt", "times") => binary(&syn::parse_quote!(*), next()?, next()?)?,
            ("rt", "minus") => binary(&syn::parse_quote!(-), next()?, next()?)?,
            ("rt", "row" | "row_mut") => {
                let place = reference(&next()?)?;
                let length = next()?.size()?;
                let start = next()?;
                let Value::Function(start) = start else {
                    return Err(unknown());
                };
                let from = match length {
                    0 => 0,
                    _ => self.call_value(&start, Vec::new())?.size()?,
                };
                Value::Ref(place.window(from, from + length)?)
            }
            ("rt", "pop") => {
                let place = reference(&next()?)?;
                self.method("pop", place, Vec::new()).and_then(|popped| {
                    self.method("unwrap", Place::temporary(popped), Vec::new())
                })?
            }
            ("rt", "zmul" | "smul" | "zdiv" | "sdiv" | "select" | "absorb") => {
                let (a, b) = (next()?.float()?, next()?.float()?);
                Value::Float(match last {
                    "zmul" => kernels::zmul(a, b),
                    "smul" => kernels::smul(a, b),
                    "zdiv" => kernels::zdiv(a, b),
                    "sdiv" => kernels::sdiv(a, b),
                    "select" => kernels::select(a, b),
                    _ => kernels::absorb(a, b),
                })
            }
            ("rt", "select_if" | "absorb_if") => {
                let (s, p, steep) = (next()?.float()?, next()?.float()?, next()?.truth()?);
                Value::Float(match last {
                    "select_if" => kernels::select_if(s, p, steep),
                    _ => kernels::absorb_if(s, p, steep),
                })
            }
            ("rt", "integer") => {
                let n = next()?.int()?;
                Value::Tuple(vec![Value::Float(n as f64), Value::Float(0.0)])
            }
            ("Ord" | "cmp" | "Iterator" | "usize" | "f64" | "i32" | "u32" | "i64", _)
                if !matches!(last, "from") =>
            {
                let receiver = Place::temporary(next()?);
                let rest: Vec<Value> = all.collect();
                self.method(last, receiver, rest)?
            }
            ("f64", "from") => cast(next()?, "f64")?,
            ("Ref" | "Cow", _) => return Err(unknown()),
            _ if qualified == last || before == "autodiff" || before == "functions" => {
                let rest: Vec<Value> = all.collect();
                match table::rule(last) {
                    Some(_) => elementary(last, &rest)?,
                    None if last == "stop_gradient" && rest.len() == 1 => {
                        rest.into_iter().next().unwrap_or_else(Value::unit)
                    }
                    None => return Err(unknown()),
                }
            }
            _ => return Err(unknown()),
        })
    }

    /// The derivatives of a function of the rule table, as the runtime has them.
    fn derivative(
        &mut self,
        rule: &'static autodiff_rules::Rule,
        form: &str,
        args: &[Value],
    ) -> Outcome {
        let unknown = || Stop::unsupported(format!("`{}::{form}`", rule.name));
        if form == "graph" {
            // A record replaces the call by the operation: any graph will do until then.
            let graph = self.program.graphs.values().next().ok_or_else(unknown)?;
            return Ok(Value::Graph(graph));
        }
        let count = rule.args.len();
        if rule.integer.iter().any(|i| *i) || args.len() < count {
            return Err(unknown());
        }
        let x = numbers(&args[..count])?;
        let y = table::value(rule.name, &x).ok_or_else(unknown)?;
        let partials = table::partials(rule.name, &x, y).ok_or_else(unknown)?;
        let value = Value::Float(y);
        match form {
            "__fwd" => {
                let back = Callable::Pullback { rule, partials };
                Ok(Value::Tuple(vec![value, Value::Function(Rc::new(back))]))
            }
            "__vjp" => {
                let seed = args.get(count).ok_or_else(unknown)?.clone();
                let back = Callable::Pullback { rule, partials };
                let adjoints = self.call_value(&back, vec![seed])?;
                Ok(Value::Tuple(vec![value, adjoints]))
            }
            "__jvp" => {
                let tangents = numbers(&args[count..])?;
                let mut total = None;
                for (d, p) in tangents.into_iter().zip(partials) {
                    let part = table::applied(rule, d, p);
                    total = Some(total.map_or(part, |total| total + part));
                }
                let total = total.ok_or_else(unknown)?;
                Ok(Value::Tuple(vec![value, Value::Float(total)]))
            }
            "__trace" => {
                let (Some(recorder), nodes) = (args.last(), numbers(&args[count..args.len() - 1])?)
                else {
                    return Err(unknown());
                };
                let recorder = super::methods::recorder(recorder.clone().followed()?)?;
                let mut recorder = recorder.borrow_mut();
                let recorder = recorder.as_mut().ok_or_else(unknown)?;
                let operands: Vec<(f64, f64)> = x.into_iter().zip(nodes).collect();
                let node = recorder.elementary(rule.flag, y, &operands, &partials);
                Ok(Value::Tuple(vec![value, Value::Float(node)]))
            }
            _ => Err(unknown()),
        }
    }
}
