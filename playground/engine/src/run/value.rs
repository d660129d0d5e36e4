//! Values of the programs that are run, and the places where they are.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use autodiff_runtime::graph::Graph;
use autodiff_runtime::trace::{Recorder, Trace};

use super::{Callable, Stop};

/// The type of an integer, where it is known: its name.
pub(crate) type Width = Option<&'static str>;

/// A value.
#[derive(Clone)]
pub(crate) enum Value {
    Float(f64),
    Int(i128, Width),
    Bool(bool),
    Text(Rc<str>),
    /// A tuple; the unit is the empty one.
    Tuple(Vec<Value>),
    /// An array, a slice that is owned, a vector, or a stack of what is remembered.
    List(Vec<Value>),
    /// A variant of an enum, or a struct without names of fields.
    Variant(Rc<str>, Vec<Value>),
    /// A struct, its fields in the order of `names`.
    Struct(Rc<str>, Rc<[String]>, Vec<Value>),
    Ref(Place),
    Range(Option<i128>, Option<i128>, Width),
    Iter(Rc<RefCell<VecDeque<Value>>>),
    Function(Rc<Callable>),
    Recorder(Rc<RefCell<Option<Recorder>>>),
    Graph(&'static Graph),
    Trace(Rc<Trace>),
}

/// Memory: a variable, or a value without a name.
pub(crate) type Cell = Rc<RefCell<Value>>;

/// Where a value is: a part of a variable, or some elements of a list there.
#[derive(Clone)]
pub(crate) struct Place {
    root: Cell,
    path: Vec<usize>,
    /// The first of the elements, and their number.
    window: Option<(usize, usize)>,
}

impl Value {
    pub(crate) fn unit() -> Value {
        Value::Tuple(Vec::new())
    }

    pub(crate) fn index(n: usize) -> Value {
        Value::Int(n as i128, Some("usize"))
    }

    pub(crate) fn variant(name: &str, of: Vec<Value>) -> Value {
        Value::Variant(name.into(), of)
    }

    pub(crate) fn option(value: Option<Value>) -> Value {
        match value {
            Some(value) => Value::variant("Some", vec![value]),
            None => Value::variant("None", Vec::new()),
        }
    }

    pub(crate) fn iter(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Iter(Rc::new(RefCell::new(items.into_iter().collect())))
    }

    /// What stands in the parts of a value.
    pub(crate) fn parts(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(parts)
            | Value::List(parts)
            | Value::Variant(_, parts)
            | Value::Struct(_, _, parts) => Some(parts),
            _ => None,
        }
    }

    pub(crate) fn parts_mut(&mut self) -> Option<&mut Vec<Value>> {
        match self {
            Value::Tuple(parts)
            | Value::List(parts)
            | Value::Variant(_, parts)
            | Value::Struct(_, _, parts) => Some(parts),
            _ => None,
        }
    }

    /// What a reference leads to, or the value itself.
    pub(crate) fn followed(self) -> Result<Value, Stop> {
        match self {
            Value::Ref(place) => place.follow()?.read(),
            other => Ok(other),
        }
    }

    pub(crate) fn float(self) -> Result<f64, Stop> {
        match self.followed()? {
            Value::Float(x) => Ok(x),
            other => Err(Stop::unsupported(format!("{other:?} in place of a number"))),
        }
    }

    pub(crate) fn int(self) -> Result<i128, Stop> {
        match self.followed()? {
            Value::Int(n, _) => Ok(n),
            other => Err(Stop::unsupported(format!(
                "{other:?} in place of an integer"
            ))),
        }
    }

    pub(crate) fn size(self) -> Result<usize, Stop> {
        let n = self.int()?;
        usize::try_from(n).map_err(|_| Stop::Panic(format!("{n} is no index")))
    }

    pub(crate) fn truth(self) -> Result<bool, Stop> {
        match self.followed()? {
            Value::Bool(b) => Ok(b),
            other => Err(Stop::unsupported(format!("{other:?} as a condition"))),
        }
    }

    /// The elements of a list.
    pub(crate) fn list(self) -> Result<Vec<Value>, Stop> {
        match self.followed()? {
            Value::List(items) => Ok(items),
            other => Err(Stop::unsupported(format!("{other:?} in place of a list"))),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |f: &mut fmt::Formatter<'_>, ends: [&str; 2], parts: &[Value]| {
            f.write_str(ends[0])?;
            for (k, part) in parts.iter().enumerate() {
                if k > 0 {
                    f.write_str(", ")?;
                }
                write!(f, "{part:?}")?;
            }
            f.write_str(ends[1])
        };
        match self {
            Value::Float(x) => write!(f, "{x:?}"),
            Value::Int(n, _) => write!(f, "{n}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Tuple(parts) => all(f, ["(", ")"], parts),
            Value::List(parts) => all(f, ["[", "]"], parts),
            Value::Variant(name, parts) if parts.is_empty() => f.write_str(name),
            Value::Variant(name, parts) | Value::Struct(name, _, parts) => {
                f.write_str(name)?;
                all(f, ["(", ")"], parts)
            }
            Value::Ref(place) => match place.read() {
                Ok(value) => write!(f, "&{value:?}"),
                Err(_) => f.write_str("a reference"),
            },
            Value::Range(..) => f.write_str("a range"),
            Value::Iter(_) => f.write_str("an iterator"),
            Value::Function(_) => f.write_str("a function"),
            Value::Recorder(_) => f.write_str("a record"),
            Value::Graph(_) => f.write_str("a graph"),
            Value::Trace(_) => f.write_str("a trace"),
        }
    }
}

impl Place {
    /// The place of a variable.
    pub(crate) fn of(root: Cell) -> Place {
        Place {
            root,
            path: Vec::new(),
            window: None,
        }
    }

    /// A value of its own.
    pub(crate) fn temporary(value: Value) -> Place {
        match value {
            Value::Ref(place) => place,
            value => Place::of(Rc::new(RefCell::new(value))),
        }
    }

    /// Lets a function look at what is there; elements of a list come as all of the list.
    fn look<T>(&self, look: impl FnOnce(&Value) -> T) -> Result<T, Stop> {
        let root = self.root.borrow();
        let mut at = &*root;
        for &k in &self.path {
            at = at.parts().and_then(|parts| parts.get(k)).ok_or_else(gone)?;
        }
        Ok(look(at))
    }

    /// Lets a function change what is there; elements of a list come as all of the list.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Value) -> T) -> Result<T, Stop> {
        let mut root = self.root.borrow_mut();
        let mut at = &mut *root;
        for &k in &self.path {
            at = at
                .parts_mut()
                .and_then(|parts| parts.get_mut(k))
                .ok_or_else(gone)?;
        }
        Ok(change(at))
    }

    /// A copy of what is there.
    pub(crate) fn read(&self) -> Result<Value, Stop> {
        match self.window {
            None => self.look(Value::clone),
            Some((start, length)) => {
                let part = self.look(|list| {
                    let parts = list.parts()?;
                    parts.get(start..start + length).map(<[Value]>::to_vec)
                })?;
                part.map(Value::List).ok_or_else(gone)
            }
        }
    }

    pub(crate) fn write(&self, value: Value) -> Result<(), Stop> {
        match self.window {
            None => self.change(|at| *at = value),
            Some(_) => Err(Stop::unsupported("a whole slice that is assigned")),
        }
    }

    /// The place that references there lead to.
    pub(crate) fn follow(&self) -> Result<Place, Stop> {
        let mut place = self.clone();
        while place.window.is_none() {
            let next = place.look(|value| match value {
                Value::Ref(place) => Some(place.clone()),
                _ => None,
            })?;
            match next {
                Some(next) => place = next,
                None => break,
            }
        }
        Ok(place)
    }

    /// A part, by its position.
    pub(crate) fn part(&self, k: usize) -> Place {
        let mut path = self.path.clone();
        path.push(self.window.map_or(0, |(start, _)| start) + k);
        Place {
            root: self.root.clone(),
            path,
            window: None,
        }
    }

    /// How many parts there are, if it has parts.
    pub(crate) fn length(&self) -> Result<Option<usize>, Stop> {
        match self.window {
            Some((_, length)) => Ok(Some(length)),
            None => self.look(|value| value.parts().map(<[Value]>::len)),
        }
    }

    /// An element of a list.
    pub(crate) fn element(&self, k: i128) -> Result<Place, Stop> {
        let length = self.length()?.unwrap_or(0);
        match usize::try_from(k) {
            Ok(k) if k < length => Ok(self.part(k)),
            _ => Err(Stop::Panic(format!(
                "the index is {k}, but there are {length} elements"
            ))),
        }
    }

    /// Some elements of a list.
    pub(crate) fn window(&self, start: usize, end: usize) -> Result<Place, Stop> {
        let length = self.length()?.unwrap_or(0);
        if start > end || end > length {
            return Err(Stop::Panic(format!(
                "the range is {start}..{end}, but there are {length} elements"
            )));
        }
        let before = self.window.map_or(0, |(start, _)| start);
        Ok(Place {
            window: Some((before + start, end - start)),
            ..self.clone()
        })
    }

    /// The places of all parts.
    pub(crate) fn all(&self) -> Result<Vec<Place>, Stop> {
        let length = self.length()?;
        let length = length.ok_or_else(|| Stop::unsupported("a loop over this value"))?;
        Ok((0..length).map(|k| self.part(k)).collect())
    }

    /// Whether a variant of that name is there.
    pub(crate) fn is_variant(&self, name: &str) -> Result<bool, Stop> {
        self.look(|value| matches!(value, Value::Variant(n, _) if **n == *name))
    }

    /// Whether a list is there, or some elements of one.
    pub(crate) fn is_list(&self) -> Result<bool, Stop> {
        Ok(self.window.is_some() || self.look(|value| matches!(value, Value::List(_)))?)
    }

    /// The position of a field by its name.
    pub(crate) fn field(&self, name: &str) -> Result<Option<usize>, Stop> {
        self.look(|value| match value {
            Value::Struct(_, names, _) => names.iter().position(|n| n == name),
            _ => None,
        })
    }
}

fn gone() -> Stop {
    Stop::unsupported("memory that is no longer there")
}
