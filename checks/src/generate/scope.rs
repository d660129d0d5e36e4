//! The variables a program has in scope, and what the generator knows of them.

use super::Generator;
use super::matrices::Matrix;
use super::tensors::{Held, Shape};

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A float.
    Scalar,
    /// A pair of floats.
    Pair,
    /// Floats by index.
    List(Form, usize),
    /// `[[S; n]; m]` or a reference to one.
    Nested(usize, usize),
    /// An integer within bounds, both included.
    Int(usize, usize),
    /// A sequence of integers: its length, and the bound that all entries stay below.
    Indices(usize, usize),
    /// A tensor.
    Tensor(Shape, Held),
    /// A list of so many tensors of one shape.
    Tensors(Shape, usize),
    /// A matrix of another crate.
    Matrix(Matrix, Held),
    /// A truth value.
    Flag,
    /// A name that must not be used here (it is borrowed).
    Hidden,
}

/// What holds the floats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Array,
    Vector,
    Slice,
    RefArray,
    MutSlice,
    MutArray,
}

/// A variable.
#[derive(Debug, Clone)]
pub(crate) struct Var {
    /// Its name.
    pub name: String,
    /// The text that reads it (`*name` for references to scalars).
    pub read: String,
    pub kind: Kind,
    /// May it be assigned (scalars) or its elements stored (the others)?
    pub mutable: bool,
    /// A rough bound of the magnitudes in it.
    pub bound: f64,
}

impl Var {
    pub(crate) fn new(name: &str, kind: Kind, mutable: bool, bound: f64) -> Self {
        Self {
            name: name.to_owned(),
            read: name.to_owned(),
            kind,
            mutable,
            bound,
        }
    }

    /// Is it a constant of the module?
    pub(crate) fn is_constant(&self) -> bool {
        self.name.starts_with('C')
    }

    /// The text that reads a float, as an operand or a receiver.
    pub(crate) fn atom(&self) -> String {
        if self.read.starts_with('*') {
            format!("({})", self.read)
        } else {
            self.read.clone()
        }
    }

    /// A reference to a scalar.
    pub(crate) fn reference(name: &str, mutable: bool, bound: f64) -> Self {
        Self {
            read: format!("*{name}"),
            ..Self::new(name, Kind::Scalar, mutable, bound)
        }
    }
}

impl Generator {
    /// The variables that a name can still mean, outermost first.
    pub(crate) fn visible(&self) -> Vec<Var> {
        let mut found: Vec<Var> = Vec::new();
        for var in self.vars.iter().rev() {
            if found.iter().all(|other| other.name != var.name) {
                found.push(var.clone());
            }
        }
        found.retain(|var| var.kind != Kind::Hidden);
        found.reverse();
        found
    }

    /// The visible variables that satisfy a condition.
    pub(crate) fn having(&self, condition: impl Fn(&Var) -> bool) -> Vec<Var> {
        self.visible()
            .into_iter()
            .filter(|var| condition(var))
            .collect()
    }

    /// One visible variable that satisfies a condition.
    pub(crate) fn any(&mut self, condition: impl Fn(&Var) -> bool) -> Option<Var> {
        let found = self.having(condition);
        if found.is_empty() {
            None
        } else {
            Some(self.random.pick(&found).clone())
        }
    }

    /// A list of at least `length` floats; if `stored`, one whose elements may be stored.
    pub(crate) fn any_list(&mut self, length: usize, stored: bool) -> Option<(Var, Form, usize)> {
        let var = self.any(|var| {
            matches!(var.kind, Kind::List(_, n) if n >= length) && (!stored || var.mutable)
        })?;
        let Kind::List(form, n) = var.kind else {
            unreachable!()
        };
        Some((var, form, n))
    }

    /// Brings a variable into scope.
    pub(crate) fn declare(&mut self, var: Var) {
        self.vars.push(var);
    }

    /// Takes a name out of use until the scope is cut back.
    pub(crate) fn hide(&mut self, name: &str) {
        self.vars.push(Var::new(name, Kind::Hidden, false, 0.0));
    }

    /// A name for a new binding: fresh, or one that is hidden by it from now on.
    pub(crate) fn binding_name(&mut self) -> String {
        if self.random.chance(0.2) && self.on.on("shadow") {
            // Loop variables are bound by their loops: a binding of the same name would be no shadow of a let. A field has no binding.
            if let Some(var) = self.any(|var| {
                matches!(var.kind, Kind::Scalar | Kind::Pair)
                    && !var.read.starts_with('*')
                    && !var.name.contains('.')
                    && !var.is_constant()
            }) {
                self.used.insert("shadow");
                return var.name;
            }
        }
        self.fresh("v")
    }
}
