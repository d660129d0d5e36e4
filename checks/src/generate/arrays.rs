//! Statements on arrays, nested arrays, `Vec`s and slices.

use super::scope::{Form, Kind, Var};
use super::{Generator, Stmt};

impl Generator {
    /// `[e, e, …]` or `[e; n]`.
    pub(crate) fn list_items(&mut self, n: usize) -> String {
        if self.random.chance(0.3) {
            return format!("{}; {n}", self.float(1, 3.0).text);
        }
        let items: Vec<String> = (0..n).map(|_| self.float(1, 3.0).text).collect();
        items.join(", ")
    }

    pub(crate) fn let_list(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("array") {
            return None;
        }
        let mutable = self.random.chance(0.8);
        let keyword = if mutable { "mut " } else { "" };
        let mut n = self.random.between(2, 5);
        let s = self.scalar;
        let mut form = Form::Array;
        let value = if self.random.chance(0.4) && self.use_of("vec") {
            form = Form::Vector;
            let source = self.any(|var| matches!(var.kind, Kind::List(f, k) if k > 1 && f != Form::Array && f != Form::RefArray && f != Form::MutArray));
            match source {
                Some(var) if self.random.chance(0.6) => {
                    let Kind::List(from, length) = var.kind else {
                        unreachable!()
                    };
                    n = length;
                    if from == Form::Vector && self.random.chance(0.5) {
                        format!("{}.clone()", var.name)
                    } else {
                        format!("{}.to_vec()", var.name)
                    }
                }
                _ if self.random.chance(0.4) => format!("vec![0.0{s}; {n}]"),
                _ => format!("vec![{}]", self.list_items(n)),
            }
        } else {
            self.used.insert("array");
            match self.any(|var| matches!(var.kind, Kind::List(Form::Array, _))) {
                Some(var) if self.random.chance(0.25) => {
                    let Kind::List(_, length) = var.kind else {
                        unreachable!()
                    };
                    n = length;
                    var.name
                }
                _ => format!("[{}]", self.list_items(n)),
            }
        };
        let name = self.fresh("a");
        self.declare(Var::new(&name, Kind::List(form, n), mutable, 3.0));
        let stub = if form == Form::Vector {
            format!("let {keyword}{name} = vec![0.75{s}; {n}];")
        } else {
            format!("let {keyword}{name} = [0.75{s}; {n}];")
        };
        Some(vec![Stmt::binding(
            format!("let {keyword}{name} = {value};"),
            stub,
            &[&name],
        )])
    }

    pub(crate) fn let_nested(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("nested_array") {
            return None;
        }
        let (m, n) = (self.random.between(2, 3), self.random.between(2, 3));
        let rows: Vec<String> = (0..m)
            .map(|_| format!("[{}]", self.list_items(n)))
            .collect();
        let name = self.fresh("m");
        let value = if self.random.chance(0.3) {
            format!("[{}; {m}]", rows[0])
        } else {
            format!("[{}]", rows.join(", "))
        };
        self.declare(Var::new(&name, Kind::Nested(m, n), true, 3.0));
        let stub = format!("let mut {name} = [[0.75{}; {n}]; {m}];", self.scalar);
        Some(vec![Stmt::binding(
            format!("let mut {name} = {value};"),
            stub,
            &[&name],
        )])
    }

    /// The place of one element that may be stored, and its variable.
    fn element(&mut self) -> Option<(String, Var)> {
        let var = self
            .any(|var| var.mutable && matches!(var.kind, Kind::Nested(..) | Kind::List(_, 1..)))?;
        let place = match var.kind {
            Kind::List(_, n) => format!("{}[{}]", var.name, self.index(n)),
            Kind::Nested(m, n) => format!("{}[{}][{}]", var.name, self.index(m), self.index(n)),
            _ => return None,
        };
        Some((place, var))
    }

    /// `a[i] = e;`, `a[i] op= e;`
    pub(crate) fn store(&mut self) -> Option<Vec<Stmt>> {
        let (place, var) = self.element()?;
        let text = if self.random.chance(0.5) && self.on.on("compound") {
            self.compound_on(&place)
        } else {
            let value = self.float(2, var.bound.min(3.0)).text;
            format!("{place} = {value};")
        };
        Some(vec![Stmt::new(text, &[&var.name])])
    }

    /// A whole array or row is stored.
    pub(crate) fn store_list(&mut self) -> Option<Vec<Stmt>> {
        let var = self.any(|var| {
            var.mutable
                && matches!(
                    var.kind,
                    Kind::Nested(..) | Kind::List(Form::Array | Form::Vector | Form::MutArray, 1..)
                )
        })?;
        let (place, n, form) = match var.kind {
            Kind::List(form, n) => (
                if form == Form::MutArray {
                    format!("*{}", var.name)
                } else {
                    var.name.clone()
                },
                n,
                form,
            ),
            Kind::Nested(m, n) => (format!("{}[{}]", var.name, self.index(m)), n, Form::Array),
            _ => return None,
        };
        let wanted = |other: &Var| match other.kind {
            Kind::List(Form::Array, k) => form != Form::Vector && k == n && other.name != var.name,
            Kind::List(Form::Vector, k) => form == Form::Vector && k == n && other.name != var.name,
            _ => false,
        };
        let value = match self.any(wanted) {
            Some(other) if self.random.chance(0.6) => {
                if form == Form::Vector {
                    format!("{}.clone()", other.name)
                } else {
                    other.name
                }
            }
            _ if form == Form::Vector => format!("vec![{}]", self.list_items(n)),
            _ => format!("[{}]", self.list_items(n)),
        };
        Some(vec![Stmt::new(format!("{place} = {value};"), &[&var.name])])
    }

    /// `a.swap(i, j)`, `mem::swap(&mut a, &mut b)`.
    pub(crate) fn swap(&mut self) -> Option<Vec<Stmt>> {
        if self.random.chance(0.5) {
            if !self.on.on("swap") {
                return None;
            }
            let (var, _, n) = self.any_list(2, true)?;
            self.used.insert("swap");
            let (i, j) = (self.index(n), self.index(n));
            return Some(vec![Stmt::new(
                format!("{}.swap({i}, {j});", var.name),
                &[&var.name],
            )]);
        }
        let first = self.any(|var| {
            var.mutable
                && !var.read.starts_with('*')
                && matches!(
                    var.kind,
                    Kind::Scalar | Kind::List(Form::Array | Form::Vector, _)
                )
        })?;
        let second = self.any(|var| {
            var.mutable
                && !var.read.starts_with('*')
                && var.kind == first.kind
                && var.name != first.name
        })?;
        if !self.use_of("mem_swap") {
            return None;
        }
        Some(vec![Stmt::new(
            format!("std::mem::swap(&mut {}, &mut {});", first.name, second.name),
            &[&first.name, &second.name],
        )])
    }
}
