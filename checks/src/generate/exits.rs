//! `while`, `loop`, and every way out: `break` and `continue` with labels and values, early `return`, `if let`, `let else`, `while let`.

use super::scope::{Kind, Var};
use super::{Generator, Part, ResultType, Stmt};

/// A loop or labelled block that the place where text is written stands in.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    label: String,
    /// `break` takes a float.
    valued: bool,
    /// It is a loop, which `continue` goes on with.
    looped: bool,
}

impl Generator {
    /// A label, and whatever is written while its loop or block is around.
    pub(crate) fn within<T>(
        &mut self,
        valued: bool,
        looped: bool,
        write: impl FnOnce(&mut Self) -> T,
    ) -> (String, T) {
        let label = self.fresh("'l");
        self.targets.push(Target {
            label: label.clone(),
            valued,
            looped,
        });
        let made = write(self);
        self.targets.pop();
        (label, made)
    }

    /// The body of a loop of at most that many rounds, and its label where one is needed.
    fn rounds_of(&mut self, rounds: usize, valued: bool, scope: Vec<Var>) -> (String, Vec<Stmt>) {
        let mark = self.vars.len();
        let outer = self.rounds;
        self.vars.extend(scope);
        self.loops += 1;
        self.rounds *= rounds.max(1);
        if self.loops > 1 {
            self.used.insert("nested_loop");
        }
        let budget = self.budget();
        let (label, body) = self.within(valued, true, |g| {
            // Others stand among the statements of the body.
            let mut body = if g.random.chance(0.4) {
                g.exit().unwrap_or_default()
            } else {
                Vec::new()
            };
            body.extend(g.nested_body(budget));
            body
        });
        self.loops -= 1;
        self.rounds = outer;
        self.vars.truncate(mark);
        (labelled(label, &body), body)
    }

    /// `while` with a counter, so that it ends.
    pub(crate) fn while_loop(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() || !self.use_of("while") {
            return None;
        }
        let (counter, start) = self.counter();
        let rounds = self.random.below(5);
        let condition = match self.random.below(4) {
            0 => format!("{counter} < {rounds}"),
            1 => format!("{} && {counter} < {rounds}", self.bracketed()),
            _ => format!("{counter} < {rounds} && {}", self.bracketed()),
        };
        let scope = vec![Var::new(&counter, Kind::Int(1, rounds.max(1)), false, 4.0)];
        let (label, body) = self.rounds_of(rounds, false, scope);
        self.declare(Var::new(&counter, Kind::Int(0, rounds), false, 4.0));
        let head = format!("{label}while {condition} {{\n    {counter} += 1;");
        Some(vec![start, looped(head, body, &counter)])
    }

    /// `loop` that a `break` ends, perhaps with a value.
    pub(crate) fn endless_loop(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() || !self.use_of("loop") {
            return None;
        }
        let (counter, start) = self.counter();
        let rounds = self.random.below(4);
        let scope = vec![Var::new(&counter, Kind::Int(1, rounds.max(1)), false, 4.0)];
        if self.random.chance(0.5) {
            let (label, body) = self.rounds_of(rounds, false, scope);
            self.declare(Var::new(&counter, Kind::Int(1, rounds + 1), false, 4.0));
            let head = format!(
                "{label}loop {{\n    {counter} += 1;\n    if {counter} > {rounds} {{ break; }}"
            );
            return Some(vec![start, looped(head, body, &counter)]);
        }
        self.used.insert("break_value");
        let last = self.float(1, 3.0).text;
        let (label, body) = self.rounds_of(rounds, true, scope);
        let name = self.binding_name();
        self.declare(Var::new(&counter, Kind::Int(1, rounds + 1), false, 4.0));
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        let head = format!(
            "let {name} = {label}loop {{\n    {counter} += 1;\n    if {counter} > {rounds} {{ break {}; }}",
            super::plain(&last)
        );
        let parts = vec![Part::Text(head), Part::Body(body), Part::Text("};".into())];
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        Some(vec![start, Stmt::nested(parts, stub, &[&name, &counter])])
    }

    /// `while let Some(…) = o`, where each round says whether there is another one.
    pub(crate) fn while_let(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() || !self.use_of("while_let") {
            return None;
        }
        let (counter, count) = self.counter();
        let rounds = self.random.between(1, 3);
        let (option, item) = (self.fresh("o"), self.fresh("e"));
        let first = super::plain(&self.float(1, 2.0).text);
        let ty = format!("Option<{}>", self.scalar);
        let text = format!("let mut {option}: {ty} = Some({first});");
        let stub = format!("let mut {option}: {ty} = Some(0.75);");
        let start = Stmt::binding(text, stub, &[&option]);
        let mark = self.vars.len();
        self.declare(Var::new(&item, Kind::Scalar, false, 2.0));
        let (condition, next) = (self.bracketed(), self.float(1, 2.0).text);
        self.vars.truncate(mark);
        let scope = vec![
            Var::new(&item, Kind::Scalar, false, 2.0),
            Var::new(&counter, Kind::Int(1, rounds), false, 3.0),
        ];
        let (label, body) = self.rounds_of(rounds, false, scope);
        self.declare(Var::new(&counter, Kind::Int(0, rounds), false, 3.0));
        let head = format!(
            "{label}while let Some({item}) = {option} {{\n    {counter} += 1;\n    \
             {option} = if {counter} < {rounds} && {condition} {{ Some({}) }} else {{ None }};",
            super::plain(&next)
        );
        let mut changed = looped(head, body, &counter);
        changed.writes.insert(option);
        Some(vec![count, start, changed])
    }

    /// `while let Some(…) = v.pop()`
    pub(crate) fn while_pop(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() || !self.on.on("vec") || !self.use_of("while_let") {
            return None;
        }
        self.used.insert("vec");
        let n = self.random.between(1, 3);
        let items: Vec<String> = (0..n).map(|_| self.float(1, 2.0).text).collect();
        let (list, item) = (self.fresh("u"), self.fresh("e"));
        let text = format!("let mut {list} = vec![{}];", items.join(", "));
        let stub = format!("let mut {list} = vec![0.75{}; {n}];", self.scalar);
        let start = Stmt::binding(text, stub, &[&list]);
        let scope = vec![Var::new(&item, Kind::Scalar, false, 2.0)];
        let (label, body) = self.rounds_of(n, false, scope);
        let head = format!("{label}while let Some({item}) = {list}.pop() {{");
        Some(vec![start, looped(head, body, &list)])
    }

    /// `let v = 'l: { … break 'l value; … };`
    pub(crate) fn labelled_block(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.use_of("labelled_block") {
            return None;
        }
        let (label, (body, tail)) = self.within(true, false, |g| {
            let (condition, early) = (g.condition(), g.float(1, 3.0).text);
            let target = g
                .targets
                .last()
                .map(|t| t.label.clone())
                .unwrap_or_default();
            let jump = format!("if {condition} {{ break {target} {early}; }}");
            let mut body = vec![Stmt::new(jump, &[])];
            let budget = g.budget();
            body.extend(g.nested_body(budget));
            (body, g.float(1, 3.0).text)
        });
        // What is bound may have the name of such a pair itself.
        let body = self.hidden(body);
        let name = self.binding_name();
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        let mut parts = vec![Part::Text(format!("let {name} = {label}: {{"))];
        parts.extend(body);
        parts.push(Part::Text(format!("    {}\n}};", super::plain(&tail))));
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        Some(vec![Stmt::nested(parts, stub, &[&name])])
    }

    /// Statements before an expression that knows nothing of them: they may bind a number by the name of a pair that it reads.
    fn hidden(&mut self, body: Vec<Stmt>) -> Vec<Part> {
        let pairs = self.having(|var| var.kind == Kind::Pair);
        let hides = |stmt: &Stmt| pairs.iter().any(|pair| stmt.writes.contains(&pair.name));
        let body_hides = body.iter().any(hides);
        let body = Part::Body(body);
        if body_hides {
            vec![Part::Text(" {".into()), body, Part::Text("}".into())]
        } else {
            vec![body]
        }
    }

    /// A guarded way out of a loop or of the function, perhaps after a statement.
    pub(crate) fn exit(&mut self) -> Option<Vec<Stmt>> {
        let jump = self.jump()?;
        let condition = self.condition();
        let mut parts = vec![Part::Text(format!("if {condition} {{"))];
        if self.random.chance(0.4) && self.nesting < 4 {
            let body = self.nested_body(1);
            parts.extend(self.hidden(body));
            parts.push(Part::Text(format!("    {jump}\n}}")));
        } else {
            parts.push(Part::Text(format!(" {jump} }}")));
        }
        Some(vec![Stmt::nested(parts, "", &[])])
    }

    /// `break`, `continue` or `return`.
    pub(crate) fn jump(&mut self) -> Option<String> {
        if self.targets.is_empty() || self.random.chance(0.15) {
            return self.return_jump();
        }
        let last = self.targets.len() - 1;
        let at = if self.random.chance(0.7) {
            last
        } else {
            self.random.below(last + 1)
        };
        let target = self.targets[at].clone();
        let plain = at == last && target.looped && !target.valued && self.random.chance(0.7);
        let label = if plain {
            String::new()
        } else if self.use_of("label") {
            format!(" {}", target.label)
        } else {
            return None;
        };
        if target.looped && self.random.chance(0.4) && self.use_of("continue") {
            return Some(format!("continue{label};"));
        }
        if !self.use_of("break") {
            return None;
        }
        if !target.valued {
            return Some(format!("break{label};"));
        }
        let value = self.float(1, 3.0).text;
        Some(format!("break{label} {};", super::plain(&value)))
    }

    /// `return` with what the function returns.
    pub(crate) fn return_jump(&mut self) -> Option<String> {
        let result = self.result?;
        if !self.use_of("return") {
            return None;
        }
        if result == ResultType::Maybe && self.random.chance(0.6) {
            return Some("return None;".into());
        }
        if let ResultType::Fallible(error) = result {
            if self.random.chance(0.6) {
                return Some(format!("return Err({});", self.error(error)));
            }
        }
        let mut float = || super::plain(&self.float(1, 3.0).text);
        match result {
            ResultType::Unit => Some("return;".into()),
            ResultType::Scalar => Some(format!("return {};", float())),
            ResultType::Pair => Some(format!("return ({}, {});", float(), float())),
            ResultType::Maybe => Some(format!("return Some({});", float())),
            ResultType::Fallible(_) => Some(format!("return Ok({});", float())),
            ResultType::Matrix(matrix) => Some(format!("return {};", self.matrix(1, matrix))),
            ResultType::Tensor(shape) => {
                let value = super::plain(&self.tensor(1, shape, 3.0).text);
                Some(format!("return {value};"))
            }
            ResultType::Array(_) | ResultType::Vector(_) => None,
        }
    }

    /// `let o = if … { Some(…) } else { None };`
    fn option(&mut self) -> (String, Stmt) {
        let (condition, value) = (self.condition(), self.float(1, 3.0).text);
        let name = self.fresh("o");
        let stub = format!("let {name}: Option<{}> = Some(0.75);", self.scalar);
        let value = super::plain(&value);
        let text = format!("let {name} = if {condition} {{ Some({value}) }} else {{ None }};");
        (name.clone(), Stmt::binding(text, stub, &[&name]))
    }

    /// `if let`, as a statement or with a value.
    pub(crate) fn if_some(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 3 || !self.use_of("if_let") {
            return None;
        }
        let (option, start) = self.option();
        let inner = self.fresh("e");
        let mark = self.vars.len();
        self.declare(Var::new(&inner, Kind::Scalar, false, 3.0));
        if self.random.chance(0.4) {
            let value = self.float(2, 3.0).text;
            self.vars.truncate(mark);
            let other = self.float(1, 3.0).text;
            let name = self.binding_name();
            self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
            let (value, other) = (super::plain(&value), super::plain(&other));
            let text = if self.random.chance(0.3) && self.use_of("match") {
                format!(
                    "let {name} = match {option} {{ Some({inner}) => {value}, None => {other} }};"
                )
            } else {
                format!(
                    "let {name} = if let Some({inner}) = {option} {{ {value} }} else {{ {other} }};"
                )
            };
            let stub = format!("let {name}: {} = 0.75;", self.scalar);
            return Some(vec![start, Stmt::binding(text, stub, &[&name])]);
        }
        let budget = self.budget();
        let body = self.nested_body(budget);
        self.vars.truncate(mark);
        let mut parts = vec![
            Part::Text(format!("if let Some({inner}) = {option} {{")),
            Part::Body(body),
        ];
        if self.random.chance(0.5) {
            parts.push(Part::Text("} else {".into()));
            let budget = self.budget();
            parts.push(Part::Body(self.nested_body(budget)));
        }
        parts.push(Part::Text("}".into()));
        Some(vec![start, Stmt::nested(parts, "", &[])])
    }

    /// `let Some(v) = o else { break };`
    pub(crate) fn let_else(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting >= 4 || !self.on.on("let_else") {
            return None;
        }
        let jump = self.jump()?;
        self.used.insert("let_else");
        let (option, start) = self.option();
        let name = self.binding_name();
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        let text = format!("let Some({name}) = {option} else {{ {jump} }};");
        Some(vec![start, Stmt::binding(text, stub, &[&name])])
    }

    /// A counter that starts at zero, as a statement. It changes in its loop alone.
    fn counter(&mut self) -> (String, Stmt) {
        let name = self.fresh("w");
        let text = format!("let mut {name} = 0usize;");
        (name.clone(), Stmt::binding(text.clone(), text, &[&name]))
    }

    /// A condition that may stand beside `&&`.
    fn bracketed(&mut self) -> String {
        format!("({})", self.condition())
    }
}

/// The label in front of a loop, if its body uses it.
pub(crate) fn labelled(label: String, body: &[Stmt]) -> String {
    let mut text = String::new();
    body.iter().for_each(|stmt| stmt.render(0, &mut text));
    let used = text
        .match_indices(&label)
        .any(|(at, _)| !text[at + label.len()..].starts_with(|c: char| c.is_alphanumeric()));
    if used {
        format!("{label}: ")
    } else {
        String::new()
    }
}

fn looped(head: String, body: Vec<Stmt>, counter: &str) -> Stmt {
    Stmt::nested(
        vec![Part::Text(head), Part::Body(body), Part::Text("}".into())],
        "",
        &[counter],
    )
}
