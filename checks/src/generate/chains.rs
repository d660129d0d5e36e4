//! Iterator chains: sources, adapters before and after a `map`, and every end.

use super::scope::{Form, Kind, Var};
use super::{Generator, Stmt};

impl Generator {
    /// Adapters of an iterator over references.
    fn early_adapter(&mut self) -> String {
        match self.random.below(12) {
            0 | 1 => ".rev()".into(),
            2 => format!(".skip({})", self.random.below(3)),
            3 => format!(".take({})", self.random.below(4)),
            4 => format!(".filter(|z| **z > {})", self.literal(-0.8, 0.6)),
            5 => format!(".step_by({})", self.random.between(1, 2)),
            _ => String::new(),
        }
    }

    /// Adapters of an iterator over floats.
    fn late_adapter(&mut self) -> String {
        let s = self.scalar;
        match self.random.below(14) {
            0 => format!(".filter(|z| *z > {})", self.literal(-0.8, 0.6)),
            1 => format!(".skip({})", self.random.below(3)),
            2 => format!(".take({})", self.random.below(4)),
            3 | 4 => {
                let start = self.fixed(1, 2.0);
                format!(".scan({start}, |c, z| {{ *c = *c * 0.5 + z * c.sin(); Some(*c * z) }})")
            }
            5 => format!(".take_while(|z| *z < {})", self.literal(0.3, 1.5)),
            6 => {
                let z = self.fresh("z");
                let scope = vec![Var::new(&z, Kind::Scalar, false, 3.0)];
                let value = self.fixed_with(scope, 2, 2.0);
                format!(".map(|{z}| {value})")
            }
            7 => format!(".enumerate().map(|(k, z)| z * k as {s})"),
            8 => format!(".chain([{}])", self.fixed(1, 2.0)),
            _ => String::new(),
        }
    }

    /// An iterator over floats; its text, and whether it has as many items as the list that is told.
    fn chain(&mut self) -> Option<String> {
        let (var, _, n) = self.any_list(1, false)?;
        let s = self.scalar;
        let name = &var.name;
        let (z, y, k) = (self.fresh("z"), self.fresh("z"), self.fresh("i"));
        let item = Var::new(&z, Kind::Scalar, false, var.bound);
        let other = Var::new(&y, Kind::Scalar, false, 3.0);
        let second = self.any_list(1, false)?.0.name;
        let early = self.early_adapter();
        Some(match self.random.below(10) {
            0 => {
                let value = self.fixed_with(vec![item, other], 2, 2.0);
                format!("{name}.iter().zip({second}.iter()).map(|(&{z}, &{y})| {z} * ({value}))")
            }
            1 => {
                let place = Var::new(&k, Kind::Int(0, n - 1), false, 4.0);
                let value = self.fixed_with(vec![item, place], 2, 2.0);
                format!(
                    "{name}.iter(){early}.enumerate().map(|({k}, &{z})| {z} * ({k} as {s} + 0.5) + {value})"
                )
            }
            2 => {
                let place = Var::new(&k, Kind::Int(0, n - 1), false, 4.0);
                let value = self.fixed_with(vec![place], 2, 2.0);
                let rev = if self.random.chance(0.4) {
                    ".rev()"
                } else {
                    ""
                };
                format!("(0..{n}){rev}.map(|{k}| {name}[{k}] * ({value}))")
            }
            3 => {
                let value = self.fixed_with(vec![item], 2, 2.0);
                format!("{name}.iter().chain({second}.iter()).map(|&{z}| {value})")
            }
            4 => format!("{name}.windows(2).map(|w| w[0] * w[1].sin())"),
            5 => format!("{name}.chunks(2).map(|w| w[0] * w[w.len() - 1])"),
            6 => format!("{name}.iter(){early}.copied()"),
            _ => {
                let value = self.fixed_with(vec![item], 2, 2.0);
                format!("{name}.iter(){early}.map(|&{z}| {z} * ({value}))")
            }
        })
    }

    /// A chain that ends in a float.
    pub(crate) fn chain_value(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("chain") {
            return None;
        }
        let s = self.scalar;
        let start = self.fixed(1, 2.0);
        let mut chain = self.chain()?;
        for _ in 0..self.random.below(3) {
            let late = self.late_adapter();
            chain.push_str(&late);
        }
        let name = self.fresh("v");
        let lines = match self.random.below(8) {
            0 => vec![format!("let {name} = {chain}.product::<{s}>().tanh();")],
            1 | 2 => vec![format!(
                "let {name} = {chain}.fold({start}, |c, z| c * 0.5 + z * c.cos());"
            )],
            3 => vec![format!("let {name} = {chain}.fold({start}, {s}::max);")],
            4 => vec![
                format!("let mut {name}u = {start};"),
                format!("{chain}.for_each(|z| {name}u = 0.6 * {name}u + z * {name}u.sin());"),
                format!("let {name} = {name}u * {name}u;"),
            ],
            5 => vec![
                format!("let {name}u: Vec<{s}> = {chain}.collect();"),
                format!(
                    "let {name} = {name}u.iter().rev().map(|z| z * z).sum::<{s}>() * 0.3 + {name}u.len() as {s};"
                ),
            ],
            6 => vec![
                format!("let mut {name}u: Vec<{s}> = {chain}.collect();"),
                format!(
                    "for k in 1..{name}u.len() {{ {name}u[k] = {name}u[k - 1].sin() * {name}u[k]; }}"
                ),
                format!("let {name} = {name}u.iter().sum::<{s}>();"),
            ],
            _ => vec![format!("let {name} = {chain}.sum::<{s}>();")],
        };
        let lines: Vec<String> = lines;
        Some(self.lines(&lines, &name, &[]))
    }

    /// `let b = a.map(|v| …);`, or a list collected from another one.
    pub(crate) fn map_array(&mut self) -> Option<Vec<Stmt>> {
        let var = self.any(|var| {
            matches!(
                var.kind,
                Kind::List(Form::Array | Form::Vector | Form::Slice, 1..)
            )
        })?;
        let Kind::List(from, n) = var.kind else {
            unreachable!()
        };
        if !self.use_of("chain") || from != Form::Array && !self.use_of("vec") {
            return None;
        }
        let z = self.fresh("z");
        let item = Var::new(&z, Kind::Scalar, false, var.bound);
        let value = self.fixed_with(vec![item], 2, 3.0);
        let name = self.fresh("a");
        let (form, text) = match from {
            Form::Array => (
                Form::Array,
                format!("let mut {name} = {}.map(|{z}| {z} * ({value}));", var.name),
            ),
            _ => (
                Form::Vector,
                format!(
                    "let mut {name} = {}.iter().map(|&{z}| {z} * ({value})).collect::<Vec<{}>>();",
                    var.name, self.scalar
                ),
            ),
        };
        self.declare(Var::new(&name, Kind::List(form, n), true, 4.0));
        let open = if form == Form::Vector { "vec!" } else { "" };
        let stub = format!("let mut {name} = {open}[0.75{}; {n}];", self.scalar);
        Some(vec![Stmt::binding(text, stub, &[&name])])
    }

    /// `a.iter_mut().….for_each(…)`
    pub(crate) fn chain_mut(&mut self) -> Option<Vec<Stmt>> {
        let (var, _, _) = self.any_list(1, true)?;
        if !self.use_of("chain") {
            return None;
        }
        let mark = self.vars.len();
        self.hide(&var.name);
        let second = self.any_list(1, false);
        let value = self.fixed(2, 2.0);
        self.vars.truncate(mark);
        let (name, s) = (&var.name, self.scalar);
        let adapter = self.early_adapter().replace("**z", "**z * 0.7");
        let text = match (self.random.below(4), second) {
            (0, Some((other, _, _))) => format!(
                "{name}.iter_mut().zip({}.iter()).for_each(|(z, y)| *z = *z * y.sin() + {value});",
                other.name
            ),
            (1, _) => format!(
                "{name}.iter_mut().enumerate().for_each(|(k, z)| *z = *z * z.sin() * 0.3 + k as {s} * ({value}));"
            ),
            (2, _) => format!("{name}.iter_mut(){adapter}.for_each(|z| *z *= ({value}).cos());"),
            _ => format!("for z in {name}.iter_mut(){adapter} {{ *z = z.sin() * ({value}); }}"),
        };
        Some(vec![Stmt::new(text, &[&var.name])])
    }
}
