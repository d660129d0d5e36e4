//! Inputs of functions: their types, and values from JSON.

use serde_json::{Value as Json, json};

use crate::run::{Place, Value};

/// The type of a parameter that can be given.
#[derive(Clone)]
pub(crate) enum Input {
    Float,
    Int(&'static str),
    Bool,
    List(Box<Input>, Option<usize>),
    Tuple(Vec<Input>),
    Ref(Box<Input>),
}

impl Input {
    /// The input that a type wants, or why there is none.
    pub(crate) fn of(ty: &syn::Type) -> Result<Input, String> {
        let text = || {
            quote::ToTokens::to_token_stream(ty)
                .to_string()
                .replace(' ', "")
        };
        match ty {
            syn::Type::Paren(ty) => Input::of(&ty.elem),
            syn::Type::Group(ty) => Input::of(&ty.elem),
            syn::Type::Reference(r) if r.mutability.is_none() => {
                Ok(Input::Ref(Box::new(Input::of(&r.elem)?)))
            }
            syn::Type::Slice(s) => Ok(Input::List(Box::new(Input::of(&s.elem)?), None)),
            syn::Type::Array(a) => {
                let syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Int(n),
                    ..
                }) = &a.len
                else {
                    return Err(format!("`{}`, whose length is not written", text()));
                };
                let length = n.base10_parse().map_err(|e| e.to_string())?;
                Ok(Input::List(Box::new(Input::of(&a.elem)?), Some(length)))
            }
            syn::Type::Tuple(t) => {
                let parts: Result<_, _> = t.elems.iter().map(Input::of).collect();
                Ok(Input::Tuple(parts?))
            }
            syn::Type::Path(p) => {
                let last = p.path.segments.last().ok_or_else(text)?;
                let name = last.ident.to_string();
                let integer = [
                    "usize", "u8", "u16", "u32", "u64", "isize", "i8", "i16", "i32", "i64",
                ]
                .into_iter()
                .find(|n| *n == name);
                match (name.as_str(), integer, &last.arguments) {
                    ("f64", ..) => Ok(Input::Float),
                    ("bool", ..) => Ok(Input::Bool),
                    (_, Some(integer), _) => Ok(Input::Int(integer)),
                    ("Vec", _, syn::PathArguments::AngleBracketed(args)) => match args.args.first()
                    {
                        Some(syn::GenericArgument::Type(ty)) => {
                            Ok(Input::List(Box::new(Input::of(ty)?), None))
                        }
                        _ => Err(format!("`{}`", text())),
                    },
                    _ => Err(format!("`{}`", text())),
                }
            }
            _ => Err(format!("`{}`", text())),
        }
    }

    /// Whether there is a number in it that derivatives are asked of.
    pub(crate) fn differentiable(&self) -> bool {
        match self {
            Input::Float => true,
            Input::Int(_) | Input::Bool => false,
            Input::List(of, _) | Input::Ref(of) => of.differentiable(),
            Input::Tuple(parts) => parts.iter().any(Input::differentiable),
        }
    }

    /// The type as the page reads it.
    pub(crate) fn described(&self) -> Json {
        match self {
            Input::Float => json!({ "kind": "float" }),
            Input::Int(name) => json!({ "kind": "int", "signed": name.starts_with('i') }),
            Input::Bool => json!({ "kind": "bool" }),
            Input::List(of, length) => {
                json!({ "kind": "list", "of": of.described(), "length": length })
            }
            Input::Tuple(parts) => {
                let parts: Vec<Json> = parts.iter().map(Input::described).collect();
                json!({ "kind": "tuple", "parts": parts })
            }
            Input::Ref(of) => of.described(),
        }
    }

    /// A value that the page gives.
    pub(crate) fn read(&self, json: &Json) -> Result<Value, String> {
        let wrong = || format!("`{json}` does not fit its parameter");
        match self {
            Input::Float => number(json).map(Value::Float).ok_or_else(wrong),
            Input::Int(name) => match json.as_i64() {
                Some(n) if n >= 0 || name.starts_with('i') => {
                    Ok(Value::Int(i128::from(n), Some(name)))
                }
                _ => Err(wrong()),
            },
            Input::Bool => json.as_bool().map(Value::Bool).ok_or_else(wrong),
            Input::List(of, length) => {
                let items = json.as_array().ok_or_else(wrong)?;
                if length.is_some_and(|n| n != items.len()) {
                    return Err(wrong());
                }
                let items: Result<_, _> = items.iter().map(|item| of.read(item)).collect();
                items.map(Value::List)
            }
            Input::Tuple(parts) => {
                let items = json.as_array().filter(|a| a.len() == parts.len());
                let items = items.ok_or_else(wrong)?;
                let items: Result<_, _> = parts
                    .iter()
                    .zip(items)
                    .map(|(p, item)| p.read(item))
                    .collect();
                items.map(Value::Tuple)
            }
            Input::Ref(of) => of
                .read(json)
                .map(|value| Value::Ref(Place::temporary(value))),
        }
    }
}

/// A number of the page: what JSON has no numbers for comes as text.
fn number(json: &Json) -> Option<f64> {
    match json {
        Json::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

/// A number for the page.
pub(crate) fn written(x: f64) -> Json {
    match serde_json::Number::from_f64(x) {
        Some(x) => Json::Number(x),
        None => Json::String(x.to_string()),
    }
}

/// A value for the page, its numbers in their shape.
pub(crate) fn shown(value: &Value) -> Json {
    match value {
        Value::Float(x) => written(*x),
        Value::Int(n, _) => json!(*n as i64),
        Value::Bool(b) => json!(b),
        Value::Ref(_) => match value.clone().followed() {
            Ok(value) => shown(&value),
            Err(_) => Json::Null,
        },
        other => match other.parts() {
            Some(parts) => Json::Array(parts.iter().map(shown).collect()),
            None => Json::Null,
        },
    }
}
