//! References to parts of lists that live for several statements, and operations on whole parts.

use super::scope::{Form, Kind, Var};
use super::{Generator, Part, Stmt};

impl Generator {
    /// A block that starts with some lines and has statements in which other variables are in scope.
    fn viewing(&mut self, head: &str, scope: Vec<Var>, changed: &[&str]) -> Stmt {
        let mark = self.vars.len();
        self.vars.extend(scope);
        let budget = self.random.between(1, 3);
        let body = self.nested_body(budget);
        self.vars.truncate(mark);
        Stmt::nested(
            vec![
                Part::Text(format!("{{\n    {head}")),
                Part::Body(body),
                Part::Text("}".into()),
            ],
            "",
            changed,
        )
    }

    /// A block in which parts of a list have names of their own.
    pub(crate) fn view(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.on.on("view") {
            return None;
        }
        let stored = self.random.chance(0.7);
        let (var, _, n) = self.any_list(2, stored)?;
        self.used.insert("view");
        let a = var.name.clone();
        let (l, r) = (self.fresh("r"), self.fresh("r"));
        let hidden = if stored {
            Var::new(&a, Kind::Hidden, false, 0.0)
        } else {
            Var {
                mutable: false,
                ..var.clone()
            }
        };
        let list = |name: &str, n: usize| {
            let form = if stored { Form::MutSlice } else { Form::Slice };
            Var::new(name, Kind::List(form, n), stored, var.bound)
        };
        let sign = if stored { "&mut " } else { "&" };
        let suffix = if stored { "_mut" } else { "" };
        let k = self.random.between(1, n - 1);
        let (head, scope) = match self.random.below(6) {
            0 => {
                let i = self.index(n);
                (
                    format!("let {r} = {sign}{a}[{i}];"),
                    vec![hidden, Var::reference(&r, stored, var.bound)],
                )
            }
            1 | 2 => (
                format!("let ({l}, {r}) = {a}.split_at{suffix}({k});"),
                vec![hidden, list(&l, k), list(&r, n - k)],
            ),
            3 => (
                format!("let {r} = {sign}{a}[{k}..];"),
                vec![hidden, list(&r, n - k)],
            ),
            4 => (
                format!("let ({l}, {r}) = {a}.split_first{suffix}().unwrap();"),
                vec![
                    hidden,
                    Var::reference(&l, stored, var.bound),
                    list(&r, n - 1),
                ],
            ),
            _ => (
                format!("let {l} = {sign}{a}[..];\n    let {r} = {sign}{l}[..{k}];"),
                vec![hidden, list(&r, k)],
            ),
        };
        let changed: &[&str] = if stored { &[&a] } else { &[] };
        Some(vec![self.viewing(&head, scope, changed)])
    }

    /// Two disjoint parts, each read before and after the other one changes.
    pub(crate) fn view_trap(&mut self) -> Option<Vec<Stmt>> {
        let (var, _, n) = self.any_list(2, true)?;
        if !self.use_of("view") {
            return None;
        }
        let a = &var.name;
        let mark = self.vars.len();
        self.hide(a);
        let (e, f, c) = (self.fixed(2, 2.0), self.fixed(1, 2.0), self.condition());
        self.vars.truncate(mark);
        let k = self.random.between(1, n - 1);
        let (l, r, name) = (self.fresh("r"), self.fresh("r"), self.fresh("v"));
        let rounds = self.random.below(4);
        let lines = match self.random.below(6) {
            0 => vec![
                format!("let ({l}, {r}) = {a}.split_at_mut({k});"),
                format!("let {name}u = {l}[0].sin() * {r}[0];"),
                format!("{r}[0] = {l}[0] * {l}[0].sin() + {e};"),
                format!("{l}[0] = {r}[0].sin() * {name}u;"),
                format!("let {name} = {l}[0] * {r}[0] * {name}u;"),
            ],
            1 => vec![
                format!("let {r} = &mut {a}[{k}];"),
                format!("let {name}u = *{r} * {r}.sin();"),
                format!("*{r} = {name}u * ({e}).cos();"),
                format!("if {c} {{ *{r} = {r}.sin() + {f}; }}"),
                format!("let {name} = *{r} * {name}u + {a}[0];"),
            ],
            2 => vec![
                format!("let ({l}, {r}) = {a}.split_at_mut({k});"),
                format!("for z in {l}.iter_mut() {{ *z = *z * {r}[0].sin(); }}"),
                format!("for z in {r}.iter_mut() {{ *z = z.cos() * {l}[0] + {e}; }}"),
                format!("let {name} = {a}[0] * {a}[{k}];"),
            ],
            3 => vec![
                format!("for c in {a}.chunks_mut(2) {{"),
                format!("    let t = c[0] * c[c.len() - 1].sin();"),
                format!("    c[0] = t * ({e}).cos();"),
                format!("    c[c.len() - 1] = c[0].sin() + t;"),
                "}".into(),
                format!("let {name} = {a}[0] * {a}[{}];", n - 1),
            ],
            4 => vec![
                format!("let mut {r} = &mut {a}[..];"),
                format!("let mut {name}u = {f};"),
                format!("while {r}.len() > 1 {{"),
                format!("    {r}[0] = {r}[0] * {r}[1].sin() + {name}u * ({e}).cos();"),
                format!("    {name}u = {name}u * 0.5 + {r}[0].sin();"),
                format!("    {r} = &mut {r}[1..];"),
                "}".into(),
                format!("let {name} = {name}u * {r}[0];"),
            ],
            _ => {
                let b = self.fresh("a");
                vec![
                    format!("let mut {b} = [{e}, {f}];"),
                    format!("let (mut {l}, mut {r}) = (&mut {a}[..], &mut {b}[..]);"),
                    format!("for _ in 0..{rounds} {{"),
                    format!("    {l}[0] = {r}[1] * {l}[0].cos() + {r}[0];"),
                    format!("    {r}[1] *= {l}[1].sin();"),
                    if self.random.chance(0.5) && self.use_of("mem_swap") {
                        format!("    std::mem::swap(&mut {l}, &mut {r});")
                    } else {
                        format!("    ({l}, {r}) = ({r}, {l});")
                    },
                    "}".into(),
                    format!("let {name} = {l}[0] * {r}[0] + {b}[1] * {a}[1];"),
                ]
            }
        };
        Some(self.lines(&lines, &name, &[a]))
    }

    /// References that move along a list that only is read.
    pub(crate) fn view_walk(&mut self) -> Option<Vec<Stmt>> {
        let (var, form, _) = self.any_list(2, false)?;
        let (other, second, _) = self.any_list(2, false)?;
        if !self.use_of("view") {
            return None;
        }
        let whole = |var: &Var, form: Form| match form {
            Form::Slice => var.name.clone(),
            _ => format!("&{}[..]", var.name),
        };
        let (a, b) = (whole(&var, form), whole(&other, second));
        let (e, c) = (self.fixed(2, 2.0), self.literal(-0.5, 0.8));
        let (r, q, name) = (self.fresh("r"), self.fresh("r"), self.fresh("v"));
        let rounds = self.random.below(4);
        let start = format!("let mut {name}u = {e};");
        let end = format!("let {name} = {name}u * {name}u;");
        let lines = match self.random.below(5) {
            0 => vec![
                start,
                format!("let mut {r} = {a};"),
                format!("while !{r}.is_empty() {{"),
                format!("    {name}u = {name}u * 0.5 + {r}[0] * {name}u.sin();"),
                format!("    {r} = &{r}[1..];"),
                "}".into(),
                end,
            ],
            1 => vec![
                start,
                format!("let mut {r} = {a};"),
                format!("while let [z, tail @ ..] = {r} {{"),
                format!("    if *z > {c} {{ {name}u = {name}u.cos() * z; }}"),
                format!("    {r} = tail;"),
                "}".into(),
                end,
            ],
            2 => vec![
                start,
                format!("let (mut {r}, mut {q}) = ({a}, {b});"),
                format!("for _ in 0..{rounds} {{"),
                format!("    {name}u = {name}u.sin() * {r}[0] + {q}[1];"),
                if self.use_of("mem_swap") {
                    format!("    std::mem::swap(&mut {r}, &mut {q});")
                } else {
                    format!("    ({r}, {q}) = ({q}, {r});")
                },
                "}".into(),
                end,
            ],
            3 => vec![
                start,
                format!(
                    "for w in {}.windows(2) {{ {name}u = {name}u.tanh() * w[0] + w[1] * w[1]; }}",
                    var.name
                ),
                end,
            ],
            _ => vec![
                start,
                format!("let {r} = if {name}u > {c} {{ {a} }} else {{ {b} }};"),
                format!("for z in {r}.iter() {{ {name}u = 0.5 * {name}u * z + {r}[1]; }}"),
                end,
            ],
        };
        Some(self.lines(&lines, &name, &[]))
    }

    /// `fill`, `copy_from_slice`, `mem::replace`, `mem::take`.
    pub(crate) fn bulk(&mut self) -> Option<Vec<Stmt>> {
        let (var, form, n) = self.any_list(2, true)?;
        if !self.use_of("bulk") {
            return None;
        }
        let a = &var.name;
        let mark = self.vars.len();
        self.hide(a);
        let other = self.any_list(2, false);
        let (e, f) = (self.fixed(2, 2.0), self.fixed(1, 2.0));
        self.vars.truncate(mark);
        let k = self.random.between(1, n - 1);
        let (name, i) = (self.fresh("v"), self.random.below(n));
        let before = format!("let {name}u = {a}[{i}] * {a}[0];");
        let mut lines = match (self.random.below(7), other) {
            (0, _) => vec![before, format!("{a}.fill({e});")],
            (1, _) => vec![before, format!("{a}[{k}..].fill({e});")],
            (2, Some((other, _, m))) => {
                let m = m.min(n);
                let range = self.random.below(n - m + 1);
                vec![
                    before,
                    format!(
                        "{a}[{range}..{}].copy_from_slice(&{}[..{m}]);",
                        range + m,
                        other.name
                    ),
                ]
            }
            (3, _) => vec![
                before,
                format!("let (l, r) = {a}.split_at_mut({k});"),
                format!("let m = l.len().min(r.len());"),
                format!("l[..m].copy_from_slice(&r[..m]);"),
                format!("r[0] = (r[0] * l[0]).sin() + {e};"),
            ],
            (4, _) => vec![format!(
                "let {name}u = std::mem::replace(&mut {a}[{i}], {e}) * {a}[0];"
            )],
            (5, _) => vec![format!(
                "let {name}u = std::mem::take(&mut {a}[{i}]) * {a}[0];"
            )],
            _ if form == Form::Vector => {
                let items = self.random.between(2, 3);
                vec![
                    format!("let mut {name}w = std::mem::replace(&mut {a}, vec![{e}; {n}]);"),
                    format!("{name}w[0] *= {f};"),
                    format!("let {name}u = {name}w[0] * {name}w[{}];", items.min(n) - 1),
                ]
            }
            _ if self.use_of("swap") => vec![before, format!("{a}.swap(0, {i});")],
            _ => vec![before, format!("{a}[0] = {e};")],
        };
        if self.random.chance(0.4) {
            lines.push(format!("{a}[{i}] = {a}[{i}] * {name}u.cos() + {f};"));
        }
        lines.push(format!("let {name} = {name}u * {a}[{i}].sin();"));
        Some(self.lines(&lines, &name, &[a]))
    }
}
