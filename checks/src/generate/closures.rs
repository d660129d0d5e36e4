//! Closures: that capture, that own what they capture, that change what they capture, that call each other.

use super::scope::{Form, Kind, Var};
use super::tensors::Held;
use super::{Generator, Stmt, plain};

impl Generator {
    /// The text of an expression of which nothing may be moved out.
    pub(crate) fn fixed(&mut self, depth: usize, limit: f64) -> String {
        plain(&self.float(depth, limit).text)
    }

    /// The same with more variables in scope.
    pub(crate) fn fixed_with(&mut self, scope: Vec<Var>, depth: usize, limit: f64) -> String {
        let mark = self.vars.len();
        self.vars.extend(scope);
        let text = self.fixed(depth, limit);
        self.vars.truncate(mark);
        text
    }

    /// A statement of several lines that ends in a new float of that name.
    pub(crate) fn lines(&mut self, lines: &[String], name: &str, changed: &[&str]) -> Vec<Stmt> {
        self.declare(Var::new(name, Kind::Scalar, false, 4.0));
        let mut writes = vec![name];
        writes.extend(changed);
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        vec![Stmt::binding(lines.join("\n"), stub, &writes)]
    }

    /// Hides what a closure that owns its captures would take away.
    fn hide_what_moves(&mut self) {
        let moved = self.having(|var| {
            (var.mutable && var.read.starts_with('*'))
                || matches!(
                    var.kind,
                    Kind::List(Form::Vector | Form::MutSlice | Form::MutArray, _)
                )
                || matches!(
                    var.kind,
                    Kind::Nested(..)
                        | Kind::Tensors(..)
                        | Kind::Tensor(_, Held::Owned | Held::Changed)
                        | Kind::Matrix(_, Held::Owned | Held::Changed)
                )
        });
        for var in moved {
            self.hide(&var.name);
        }
    }

    /// The body of a closure with a float parameter.
    fn closure_body(&mut self, parameter: &str) -> String {
        let scope = vec![Var::new(parameter, Kind::Scalar, false, 2.0)];
        match self.random.below(6) {
            0 => {
                let inner = self.fresh("z");
                let first = self.fixed_with(scope.clone(), 1, 2.0);
                let mut wider = scope;
                wider.push(Var::new(&inner, Kind::Scalar, false, 2.0));
                let last = self.fixed_with(wider, 2, 3.0);
                format!("{{ let {inner} = {first}; ({last}) * {inner} }}")
            }
            1 => {
                let (a, b) = (
                    self.fixed_with(scope.clone(), 1, 2.0),
                    self.fixed_with(scope, 1, 2.0),
                );
                format!("if {parameter} > 0.2 {{ {a} }} else {{ {b} }}")
            }
            2 if self.on.on("return") => {
                let (a, b) = (
                    self.fixed_with(scope.clone(), 1, 2.0),
                    self.fixed_with(scope, 1, 2.0),
                );
                format!("{{ if {parameter} < 0.1 {{ return {a}; }} {b} }}")
            }
            _ => format!("({}) * {parameter}", self.fixed_with(scope, 2, 3.0)),
        }
    }

    /// A closure that only reads, called more than once.
    pub(crate) fn closure(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("closure") {
            return None;
        }
        let (s, f, t) = (self.scalar, self.fresh("f"), self.fresh("z"));
        let body = self.closure_body(&t);
        let mut lines = vec![format!("let {f} = |{t}: {s}| {body};")];
        let (a, b) = (self.fixed(1, 2.0), self.fixed(1, 2.0));
        let name = self.fresh("v");
        match self.random.below(4) {
            0 => lines.push(format!("let {name} = {f}({a}) * {f}({b}).cos();")),
            1 => lines.push(format!("let {name} = {f}({f}({a}).sin());")),
            2 => {
                let (g, u) = (self.fresh("f"), self.fresh("z"));
                let scope = vec![Var::new(&u, Kind::Scalar, false, 2.0)];
                let inner = self.fixed_with(scope, 1, 2.0);
                lines.push(format!(
                    "let {g} = |{u}: {s}| {f}({u}).sin() * {f}({inner});"
                ));
                lines.push(format!("let {name} = {g}({a}) + {g}({b});"));
            }
            _ => {
                let (sum, i) = (self.fresh("s"), self.fresh("i"));
                let rounds = self.random.below(4);
                lines.push(format!("let mut {sum} = {a};"));
                lines.push(format!(
                    "for {i} in 0..{rounds} {{ {sum} = 0.5 * {f}({sum}).tanh() + {f}(0.2 * {i} as {s}); }}"
                ));
                lines.push(format!("let {name} = {sum};"));
            }
        }
        Some(self.lines(&lines, &name, &[]))
    }

    /// A closure that owns copies of what it captures, which change afterwards.
    pub(crate) fn closure_move(&mut self) -> Option<Vec<Stmt>> {
        let changed = self.any(|var| {
            var.mutable
                && !var.read.starts_with('*')
                && matches!(var.kind, Kind::Scalar | Kind::List(Form::Array, 1..))
        })?;
        if !self.use_of("closure") {
            return None;
        }
        let (s, f, t) = (self.scalar, self.fresh("f"), self.fresh("z"));
        let mark = self.vars.len();
        self.hide_what_moves();
        let body = self.closure_body(&t);
        self.vars.truncate(mark);
        let place = self.place_in(&changed);
        let (a, b) = (self.fixed(1, 2.0), self.fixed(1, 2.0));
        let name = self.fresh("v");
        let lines = [
            format!("let {f} = move |{t}: {s}| {place}.sin() * ({body});"),
            format!("{place} = {place} * {place}.sin() * 0.3 + {a};"),
            format!("let {name} = {f}({place}.cos()) + {f}({b}) * {place};"),
        ];
        let lines = lines.map(|line| line.replace("**", "*"));
        Some(self.lines(&lines, &name, &[&changed.name]))
    }

    /// A closure that changes a variable around it.
    pub(crate) fn closure_mut(&mut self) -> Option<Vec<Stmt>> {
        let changed =
            self.any(|var| var.mutable && matches!(var.kind, Kind::Scalar | Kind::List(_, 1..)))?;
        if !self.use_of("closure_mut") {
            return None;
        }
        let (s, f, t) = (self.scalar, self.fresh("f"), self.fresh("z"));
        let place = self.place_in(&changed);
        let atom = if place.starts_with('*') {
            format!("({place})")
        } else {
            place.clone()
        };
        let scope = vec![Var::new(&t, Kind::Scalar, false, 2.0)];
        let value = self.fixed_with(scope.clone(), 2, 2.0);
        let body = match self.random.below(4) {
            0 => format!("{place} += {value};"),
            1 => format!("{place} = 0.5 * {atom} * {t} + {value};"),
            2 => format!("if {t} > 0.1 {{ {place} = {atom}.sin() * ({value}); }}"),
            _ => format!("{place} *= 0.5 + 0.3 * ({value}).cos();"),
        };
        let valued = self.random.chance(0.5);
        let body = if valued {
            format!("{{ {body} {atom}.sin() * {t} }}")
        } else {
            format!("{{ {body} }}")
        };
        let mark = self.vars.len();
        self.hide(&changed.name);
        let (a, b) = (self.fixed(1, 2.0), self.fixed(1, 2.0));
        self.vars.truncate(mark);
        let name = self.fresh("v");
        let mut lines = vec![format!("let mut {f} = |{t}: {s}| {body};")];
        let i = self.fresh("i");
        let rounds = self.random.below(4);
        match (self.random.below(3), valued) {
            (0, true) => {
                lines.push(format!("let {name}u = {f}({a});"));
                lines.push(format!("let {name} = {f}({name}u.tanh()) * {name}u;"));
            }
            (1, true) => {
                lines.push(format!("let mut {name}u = {b};"));
                lines.push(format!(
                    "for _ in 0..{rounds} {{ {name}u = {f}({name}u).sin() * {name}u; }}"
                ));
                lines.push(format!("let {name} = {name}u * {name}u;"));
            }
            (_, true) => lines.push(format!("let {name} = {f}({a}) * {f}({b});")),
            (0, false) => {
                lines.push(format!("{f}({a});\n{f}({b});"));
                lines.push(format!("let {name} = {atom} * {atom};"));
            }
            _ => {
                lines.push(format!(
                    "for {i} in 0..{rounds} {{ {f}(0.3 * {i} as {s} + {a}); }}"
                ));
                lines.push(format!("let {name} = {atom}.cos();"));
            }
        }
        Some(self.lines(&lines, &name, &[&changed.name]))
    }
}
