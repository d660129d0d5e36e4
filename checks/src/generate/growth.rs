//! `Vec`s that change their length, values that move from one variable to another.

use std::fmt::Write as _;

use super::scope::{Form, Kind, Var};
use super::{Generator, Part, Stmt};

impl Generator {
    /// A change of a vector that is right whatever its length is.
    fn change_of_length(&mut self, u: &str, sum: &str) -> String {
        let e = self.fixed(2, 2.0);
        let k = self.random.below(3);
        match self.random.below(18) {
            0 | 1 => format!("{u}.push({e});"),
            2 => format!("{u}.push({e} * {sum}.sin());"),
            3 => format!("if let Some(z) = {u}.pop() {{ {sum} = {sum} * 0.5 + z * z.sin(); }}"),
            4 => format!("if let Some(z) = {u}.pop() {{ {u}.push(z * z.sin() * 0.3 + {sum}); }}"),
            5 => format!("if {u}.len() > 1 {{ {sum} = {u}.pop().unwrap() * {sum}.cos(); }}"),
            6 => format!("{u}.insert({k}.min({u}.len()), {e});"),
            7 => format!("if {u}.len() > {k} {{ {sum} += {u}.remove({k}) * {sum}.sin(); }}"),
            8 => format!(
                "if {u}.len() > {k} {{ let z = {u}.swap_remove({k}); {sum} = z * z.cos(); }}"
            ),
            9 => format!("{u}.truncate({});", k + 1),
            10 => format!("{u}.extend([{e}, {sum} * 0.4]);"),
            11 => match self.any_list(1, false) {
                Some((var, _, _)) => format!("{u}.extend_from_slice(&{}[..]);", var.name),
                None => format!("{u}.push({e});"),
            },
            12 => match self.any_list(1, false) {
                Some((var, _, _)) => {
                    format!("{u}.extend({}.iter().map(|z| z * {sum}));", var.name)
                }
                None => format!("{u}.push({e});"),
            },
            13 => format!("if {sum} > {} {{ {u}.clear(); }}", self.literal(0.3, 2.0)),
            14 => format!("if {u}.len() > 1 {{ {u}[0] = {u}[1] * {u}[0].sin() + {e}; }}"),
            15 => format!("for z in {u}.iter_mut() {{ *z = *z * {sum}.cos(); }}"),
            16 => format!("{u}.resize({}, {e});", k + 1),
            _ => format!(
                "{sum} = 0.5 * {sum} + {u}.iter().map(|z| z.sin()).sum::<{}>();",
                self.scalar
            ),
        }
    }

    /// A local vector whose length changes, perhaps in a loop; what is in it at last is added up.
    pub(crate) fn growth(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.on.on("vec") || !self.use_of("growth") {
            return None;
        }
        let s = self.scalar;
        let (u, sum, name) = (self.fresh("u"), self.fresh("s"), self.fresh("v"));
        let items = self.random.below(4);
        let items: Vec<String> = (0..items).map(|_| self.fixed(1, 2.0)).collect();
        let start = self.fixed(1, 2.0);
        let looped = self.random.chance(0.6);
        let i = self.fresh("i");
        let mut body = Vec::new();
        let changes = self.random.between(1, 4);
        for _ in 0..changes {
            let mark = self.vars.len();
            if looped {
                self.declare(Var::new(&i, Kind::Int(0, 3), false, 3.0));
            }
            let mut text = self.change_of_length(&u, &sum);
            if self.random.chance(0.3) {
                text = format!("if {} {{ {text} }}", self.condition());
            }
            self.vars.truncate(mark);
            body.push(Stmt::new(text, &[&u, &sum]));
        }
        let mut head = format!(
            "let mut {u}: Vec<{s}> = vec![{}];\nlet mut {sum} = {start};\n",
            items.join(", ")
        );
        let mut foot = String::new();
        if looped {
            let rounds = self.random.below(4);
            let _ = write!(head, "for {i} in 0..{rounds} {{");
            foot.push_str("}\n");
        } else {
            head.push('{');
            foot.push_str("}\n");
        }
        let last = match self.random.below(9) {
            4 => format!(
                "let mut at = 0;\nfor k in 1..{u}.len() {{ {sum} = 0.4 * {sum} + {u}[k] * {u}[at].sin() * {u}[k - 1]; at += 1; }}\n"
            ),
            5 => format!(
                "let mut at = {u}.len();\nfor k in (1..{u}.len()).rev() {{ at -= 1; {sum} += 0.1 * {u}[at] * {u}[k - 1].cos() * {u}[k]; }}\n"
            ),
            6 => format!(
                "let mut at = 0;\nfor k in 0..{u}.len() {{ for j in k..{u}.len() {{ {sum} = 0.4 * {sum} + {u}[j] * {u}[at % {u}.len()]; at += 2; }} at += 1; }}\n"
            ),
            7 => format!(
                "for k in 1..{u}.len() {{ let (a, b) = ({u}[k], {u}[k - 1]); {sum} += 0.1 * a * b.sin(); }}\n"
            ),
            8 => format!(
                "for k in 2..{u}.len() {{ let (a, b, c) = ({u}[k - 1], {u}[k - 2], {u}[k]); {sum} = 0.4 * {sum} + a * b - 0.2 * c.cos(); }}\n"
            ),
            0 => {
                format!("while let Some(z) = {u}.pop() {{ {sum} = 0.4 * {sum} * z + z.sin(); }}\n")
            }
            1 => format!("for k in 0..{u}.len() {{ {sum} = 0.4 * {sum} + {u}[k] * {u}[k]; }}\n"),
            2 => format!("{sum} += {u}.iter().map(|z| z * z).sum::<{s}>();\n"),
            _ => format!("for z in {u} {{ {sum} = {sum}.sin() + 0.4 * z; }}\n"),
        };
        foot.push_str(&last);
        let _ = write!(foot, "let {name} = ({sum} * 0.3).sin();");
        self.declare(Var::new(&name, Kind::Scalar, false, 1.0));
        let stub = format!("let {name}: {s} = 0.75;");
        Some(vec![Stmt::nested(
            vec![Part::Text(head), Part::Body(body), Part::Text(foot)],
            stub,
            &[&name, &u, &sum],
        )])
    }

    /// Whole lists that move: out of a round, into another variable, or as a copy of which one changes.
    pub(crate) fn moves(&mut self) -> Option<Vec<Stmt>> {
        let (var, form, n) = self.any_list(2, false)?;
        if !self.on.on("vec") || !self.use_of("move") {
            return None;
        }
        let a = &var.name;
        let (e, f) = (self.fixed(2, 2.0), self.fixed(1, 2.0));
        let (s, b, c, name) = (
            self.scalar,
            self.fresh("b"),
            self.fresh("b"),
            self.fresh("v"),
        );
        let (rounds, k) = (self.random.below(4), self.random.below(n));
        let copy = match form {
            Form::Array => a.clone(),
            Form::Vector => format!("{a}.clone()"),
            _ => format!("{a}.to_vec()"),
        };
        let mut changed: Vec<&str> = Vec::new();
        let lines = match self.random.below(6) {
            0 => vec![
                format!("let mut {b} = {copy};"),
                format!("for i in 0..{rounds} {{"),
                format!("    let mut {c} = {b}.clone();"),
                format!("    {c}[i % {n}] = {b}[{k}] * {c}[i % {n}] + {e};"),
                format!("    {b} = {c};"),
                "}".into(),
                format!("let {name} = {b}[0] * {b}[{k}] + {a}[{k}];"),
            ],
            1 if var.mutable => {
                changed.push(a);
                vec![
                    format!("let mut {b} = {copy};"),
                    format!("{b}[{k}] = {a}[{k}] * {a}[0];"),
                    format!("{a}[{k}] = {b}[0] * {b}[{k}] + {f};"),
                    format!("let {name} = {a}[{k}] * {b}[{k}] + {b}[0];"),
                ]
            }
            2 => vec![
                format!("let mut {b} = vec![{f}; {n}];"),
                format!("for i in 0..{rounds} {{"),
                format!("    let mut {c} = vec![0.0{s}; {n}];"),
                format!("    for k in 0..{n} {{ {c}[k] = {b}[k].sin() * {a}[(k + i) % {n}]; }}"),
                format!("    {b} = {c};"),
                "}".into(),
                format!("let {name} = {b}.iter().sum::<{s}>() * {b}[{k}];"),
            ],
            3 => vec![
                format!("let mut {b} = vec![{f}, {e}];"),
                format!("let mut {c} = vec![{a}[{k}]; 2];"),
                format!("for _ in 0..{rounds} {{"),
                format!("    {c}[0] = {b}[1] * {b}[0];\n    {c}[1] = {b}[0].sin() + {c}[1];"),
                format!("    std::mem::swap(&mut {b}, &mut {c});"),
                "}".into(),
                format!("let {name} = {b}[0] * {c}[1] + {b}[1];"),
            ],
            4 => vec![
                format!("let mut {b} = vec![{f}; 2];"),
                format!("let mut {c} = Vec::new();"),
                format!("for i in 0..{} {{", rounds + 1),
                format!("    {c} = std::mem::take(&mut {b});"),
                format!("    {b} = vec![{c}[0] * {c}[1] + {e}, {a}[i % {n}]];"),
                "}".into(),
                format!("let {name} = {b}[0] * {c}[0] + {c}[1];"),
            ],
            _ => vec![
                format!("let mut {b}: Vec<Vec<{s}>> = Vec::new();"),
                format!("for i in 0..{rounds} {{"),
                format!("    let mut {c} = vec![{e}; 2];"),
                format!("    {c}[1] = {c}[0] * {a}[i % {n}];"),
                format!("    {b}.push({c});"),
                "}".into(),
                format!("let mut {name} = {f};"),
                format!("for row in &{b} {{ {name} = {name}.sin() * row[1] + row[0]; }}"),
            ],
        };
        Some(self.lines(&lines, &name, &changed))
    }
}
