//! Slice patterns, destructuring assignments, and what `std::mem` does to single floats.

use super::scope::{Form, Kind, Var};
use super::{Generator, Stmt};

impl Generator {
    /// A list taken apart by a pattern of slices.
    pub(crate) fn slice_pattern(&mut self) -> Option<Vec<Stmt>> {
        let stored = self.random.chance(0.4);
        let (var, form, n) = self.any_list(2, stored)?;
        if !self.use_of("slice_pattern") {
            return None;
        }
        let a = &var.name;
        let mark = self.vars.len();
        self.hide(a);
        let (e, f) = (self.fixed(2, 2.0), self.fixed(1, 2.0));
        self.vars.truncate(mark);
        let (x, y, rest, name) = (
            self.fresh("x"),
            self.fresh("x"),
            self.fresh("r"),
            self.fresh("v"),
        );
        let limit = self.literal(-0.5, 0.8);
        let from = self.random.below(n);
        if stored {
            let choice = self.random.below(3);
            let needed = ["if", "match", "mem_swap"][choice];
            if !self.use_of(needed) {
                return None;
            }
            let lines = match choice {
                0 => vec![
                    format!("if let [{x}, .., {y}] = &mut {a}[..] {{"),
                    format!("    *{x} = *{x} * {y}.sin() + {e};"),
                    format!("    if *{y} > {limit} {{ *{y} += {x}.cos() * {f}; }}"),
                    "}".into(),
                ],
                1 => vec![
                    format!("match &mut {a}[{from}..] {{"),
                    format!("    [{x}] => *{x} = {x}.sin() * ({e}),"),
                    format!("    [{x}, {rest} @ ..] => {{"),
                    format!("        {rest}[0] += {x}.cos() * {rest}[0].sin();"),
                    format!("        *{x} *= ({f}).sin();"),
                    "    }".into(),
                    "    [] => {}".into(),
                    "}".into(),
                ],
                _ => vec![
                    format!("if let [{x}, {y}, ..] = &mut {a}[..] {{"),
                    format!("    std::mem::swap({x}, {y});"),
                    format!("    *{y} = {x}.sin() * *{y} + {e};"),
                    "}".into(),
                ],
            };
            let mut lines = lines;
            lines.push(format!("let {name} = {a}[0] * {a}[{from}].sin();"));
            return Some(self.lines(&lines, &name, &[a]));
        }
        let choice = self.random.below(4);
        let needed = ["match", "match", "if", "while"][choice];
        if !self.use_of(needed) {
            return None;
        }
        let lines = match choice {
            0 if form == Form::Array && n == 2 => vec![
                format!("let [{x}, {y}] = {a};"),
                format!("let {name} = {x} * {y} + {x}.sin() * ({e});"),
            ],
            0 if form == Form::Array => vec![
                format!("let [{x}, .., {y}] = {a};"),
                format!("let {name} = {x} * {y} + {x}.sin() * ({e});"),
            ],
            0 | 1 => vec![
                format!("let {name} = match &{a}[{from}..] {{"),
                format!("    [{x}] => {x} * ({f}),"),
                format!("    [{x}, .., {y}] if *{x} > {limit} => {x} * {y}.cos(),"),
                format!("    [{x}, {rest} @ ..] => {x} - {rest}[0] * ({e}),"),
                format!("    [] => {f},"),
                "};".into(),
            ],
            2 => vec![
                format!("let {name} = if let [{x}, {y}, {rest} @ ..] = &{a}[{from}..] {{"),
                format!(
                    "    {x} * {y} + {rest}.len() as {} * {x}.sin()",
                    self.scalar
                ),
                format!("}} else {{ {e} }};"),
            ],
            _ => vec![
                format!("let mut {rest} = &{a}[..];"),
                format!("let mut {name}u = {f};"),
                format!("while let [{x}, tail @ ..] = {rest} {{"),
                format!("    if *{x} > {limit} {{ break; }}"),
                format!("    {name}u = {name}u.sin() * {x} + {e};"),
                format!("    {rest} = tail;"),
                "}".into(),
                format!("let {name} = {name}u * {rest}.len() as {};", self.scalar),
            ],
        };
        Some(self.lines(&lines, &name, &[]))
    }

    /// Assignments to several places at once that are not all of one kind.
    pub(crate) fn assign_pattern(&mut self) -> Option<Vec<Stmt>> {
        let x = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
        let (a, _, n) = self.any_list(2, true)?;
        if !self.use_of("destructure") {
            return None;
        }
        let (i, e, f) = (self.random.below(n), self.fixed(2, 2.0), self.fixed(1, 2.0));
        let j = (i + 1) % n;
        let (l, r) = (&a.name, &x.read);
        let text = match self.random.below(5) {
            0 => format!("[{l}[{i}], {l}[{j}]] = [{l}[{j}], {l}[{i}].sin() * ({e})];"),
            1 => format!("({r}, {l}[{i}]) = ({l}[{i}], {e});"),
            2 => format!("({l}[{i}], (_, {r})) = ({e}, ({f}, {l}[{i}] * {l}[{j}].sin()));"),
            3 => format!("[{r}, _] = [{l}[{i}] * ({f}).sin(), {e}];"),
            _ => format!("({r}, ..) = ({l}[{j}].sin() * ({e}), {f}, {l}[{i}]);"),
        };
        Some(vec![Stmt::new(text, &[&a.name, &x.name])])
    }

    /// `mem::replace`, `mem::take` and `mem::swap` of floats, fields and elements.
    pub(crate) fn replace_float(&mut self) -> Option<Vec<Stmt>> {
        let x = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
        if !self.use_of("mem_swap") {
            return None;
        }
        let place = if x.read.starts_with('*') {
            x.name.clone()
        } else {
            format!("&mut {}", x.name)
        };
        let other = self.any_list(1, true);
        let pair = self.any(|var| var.kind == Kind::Pair && var.mutable);
        let mark = self.vars.len();
        self.hide(&x.name);
        let (name, e) = (self.fresh("v"), self.fixed(2, 2.0));
        self.vars.truncate(mark);
        let mut changed = vec![x.name.as_str()];
        let lines = match (self.random.below(6), &other, &pair) {
            (0, Some((a, _, n)), _) => {
                changed.push(&a.name);
                let i = self.random.below(*n);
                vec![
                    format!("std::mem::swap({place}, &mut {}[{i}]);", a.name),
                    format!("let {name} = {}[{i}] * ({e});", a.name),
                ]
            }
            (1, _, Some(pair)) => {
                changed.push(&pair.name);
                vec![
                    format!("std::mem::swap(&mut {0}.0, &mut {0}.1);", pair.name),
                    format!(
                        "let {name} = std::mem::replace({place}, {}.0.sin()) * ({e});",
                        pair.name
                    ),
                ]
            }
            (2, ..) => vec![format!("let {name} = std::mem::take({place}) * ({e});")],
            _ => vec![
                format!("let {name}u = std::mem::replace({place}, {e});"),
                format!("let {name} = {name}u.sin() * {};", Var::atom(&x)),
            ],
        };
        Some(self.lines(&lines, &name, &changed))
    }
}
