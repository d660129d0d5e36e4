//! `for` over ranges and over the elements of lists.

use super::exits::labelled;
use super::scope::{Form, Kind, Var};
use super::{Generator, Part, Stmt};

/// No place of a program is executed more often than this (roughly).
const ROUNDS: usize = 40;

impl Generator {
    /// A loop with the given head, the variables it brings into scope, and the names it changes by itself.
    fn for_loop(&mut self, head: &str, rounds: usize, scope: Vec<Var>, changed: &[&str]) -> Stmt {
        let mark = self.vars.len();
        let outer = self.rounds;
        self.vars.extend(scope);
        self.loops += 1;
        self.rounds *= rounds.max(1);
        if self.loops > 1 {
            self.used.insert("nested_loop");
        }
        let budget = self.budget();
        let (label, body) = self.within(false, true, |g| g.nested_body(budget));
        let label = labelled(label, &body);
        self.loops -= 1;
        self.rounds = outer;
        self.vars.truncate(mark);
        Stmt::nested(
            vec![
                Part::Text(format!("{label}for {head} {{")),
                Part::Body(body),
                Part::Text("}".into()),
            ],
            "",
            changed,
        )
    }

    /// Is there room for one more loop here?
    pub(crate) fn may_loop(&self) -> bool {
        self.on.on("for")
            && self.loops < 3
            && self.nesting < 4
            && self.rounds < ROUNDS
            && (self.loops == 0 || self.on.on("nested_loop"))
    }

    pub(crate) fn for_range(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() {
            return None;
        }
        self.used.insert("for");
        let i = self.fresh("i");
        let (mut low, mut high) = (self.random.below(2), self.random.between(1, 4));
        // Empty ranges and ranges of one round are ordinary cases.
        match self.random.below(12) {
            0 => (low, high) = (2, 2),
            1 => (low, high) = (1, 2),
            _ => {}
        }
        let list = self.any_list(1, false);
        let int = self.any(|var| matches!(var.kind, Kind::Int(_, 1..=5)));
        let mut last = high.max(low + 1) - 1;
        let mut range = match (self.random.below(6), list, int) {
            (0 | 1, Some((var, form, n)), _) if form != Form::Array || self.random.chance(0.7) => {
                (low, last) = (low.min(n - 1), n - 1);
                format!("{low}..{}.len()", var.name)
            }
            (2 | 3, _, Some(int)) => {
                let Kind::Int(_, most) = int.kind else {
                    unreachable!()
                };
                if self.random.chance(0.3) {
                    last = 4.max(most);
                    low = 0;
                    format!("{}..4", int.read)
                } else {
                    (low, last) = (low.min(most - 1), most - 1);
                    format!("{low}..{}", int.read)
                }
            }
            _ => format!("{low}..{high}"),
        };
        if self.random.chance(0.15)
            && range == format!("{low}..{high}")
            && high > low
            && self.use_of("inclusive")
        {
            range = format!("{low}..={}", high - 1);
        }
        let head = match self.random.below(8) {
            0 | 1 if self.use_of("rev") => format!("{i} in ({range}).rev()"),
            2 if self.use_of("step_by") => {
                format!("{i} in ({range}).step_by({})", self.random.between(1, 3))
            }
            3 if self.on.on("wildcard") => format!("_ in {range}"),
            _ => format!("{i} in {range}"),
        };
        let scope = if head.starts_with('_') {
            Vec::new()
        } else {
            vec![Var::new(
                &i,
                Kind::Int(low, last.max(low)),
                false,
                last as f64,
            )]
        };
        Some(vec![self.for_loop(
            &head,
            last + 1 - low.min(last),
            scope,
            &[],
        )])
    }

    /// A loop that keeps one of what its rounds compute, and perhaps where that was.
    pub(crate) fn search(&mut self) -> Option<Vec<Stmt>> {
        let (list, _, n) = self.any_list(1, false)?;
        if !self.may_loop() || !self.use_of("search") {
            return None;
        }
        let (a, name) = (&list.name, self.fresh("v"));
        let (k, m, w) = (self.fresh("k"), format!("{name}m"), format!("{name}w"));
        let start = self.fixed(1, 2.0);
        let round = Var::new(&k, Kind::Int(0, n - 1), false, 4.0);
        let offer = self.fixed_with(vec![round], 2, 2.0);
        let sign = if self.random.chance(0.5) { "<" } else { ">" };
        let keeps = match self.random.below(4) {
            0 => format!("{m} = {m}.max(offer);"),
            1 => format!("{m} = offer.min({m});"),
            2 => format!("if offer {sign} {m} {{ {m} = offer; {w} = {k}; }}"),
            _ => format!("if offer {sign} 0.3 {{ {m} = offer * offer; {w} = {k}; }}"),
        };
        let lines = [
            format!("let (mut {m}, mut {w}) = ({start}, 0);"),
            format!("for {k} in 0..{a}.len() {{"),
            format!("let offer = {a}[{k}] * ({offer});"),
            keeps,
            "}".to_owned(),
            format!("let {name} = {m} * {m} - {a}[{w}];"),
        ];
        Some(self.lines(&lines, &name, &[]))
    }

    /// A row times a number, whose cotangent is a sum along the row: of fewer elements than there are lanes, and of more.
    pub(crate) fn scaled_row(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() || !self.on.on("for") || !self.use_of("vec") {
            return None;
        }
        let n = *self.random.pick(&[3, 8, 11]);
        let (x, y, s) = (self.some(), self.some(), self.scalar);
        let name = self.fresh("v");
        let (m, u, h) = (format!("{name}m"), format!("{name}u"), format!("{name}h"));
        let text = match self.random.below(8) {
            0 => format!("{u}[k] += {m}[k] * {h};"),
            1 => format!("{u}[k] = {h} * {m}[k] + 0.5 * {h};"),
            2 => format!("{u}[k] = {m}[k] * {u}[k] * {h};"),
            // Changed again, in every round or in some.
            3 => format!("{u}[k] += {m}[k] * {h}; {u}[k] *= 0.7;"),
            4 => format!("{u}[k] += {m}[k] * {h}; if k % 2 == 0 {{ {u}[k] = 0.4; }}"),
            // The slope is remembered.
            5 => format!("{u}[k] += {m}[k].sin() * {h};"),
            6 => format!("{u}[k] += ({m}[k] * {u}[k]).exp() * {m}[k] * {h};"),
            _ => format!("{u}[k] += ({m}[k] * 0.5).exp() * {h};"),
        };
        let rows = if self.random.chance(0.3) && self.use_of("rev") {
            format!("(0..{u}.len()).rev()")
        } else {
            format!("0..{u}.len()")
        };
        let lines = [
            format!("let {h} = ({y} + 0.3 * {x}).sin();"),
            format!("let (mut {m}, mut {u}) = (vec![({x}).tanh(); {n}], vec![0.5{s}; {n}]);"),
            format!("for k in 0..{m}.len() {{ {m}[k] *= 0.3 + 0.1 * k as {s}; }}"),
            format!("for k in {rows} {{ {text} }}"),
            format!("let {name} = ({u}[0] * {u}[{}] + {u}[1]).sin();", n - 1),
        ];
        Some(self.lines(&lines, &name, &[]))
    }

    /// The loop runs over the elements of one or two lists.
    pub(crate) fn for_items(&mut self) -> Option<Vec<Stmt>> {
        if !self.may_loop() {
            return None;
        }
        if self.random.chance(0.35) && self.on.on("iter_mut") {
            return self.for_iter_mut();
        }
        if !self.on.on("iter") {
            return None;
        }
        if self.random.chance(0.3) {
            return self.for_rows();
        }
        let (var, form, n) = self.any_list(1, false)?;
        self.used.insert("iter");
        let (v, w, i) = (self.fresh("e"), self.fresh("e"), self.fresh("i"));
        let by_value = self.random.chance(0.4);
        let pattern = if by_value { format!("&{v}") } else { v.clone() };
        let item = if by_value {
            Var::new(&v, Kind::Scalar, false, var.bound)
        } else {
            Var::reference(&v, false, var.bound)
        };
        let frozen = Var {
            mutable: false,
            ..var.clone()
        };
        let mut scope = vec![frozen, item];
        let other = self.any_list(1, false);
        let head = match (self.random.below(4), other) {
            (0, _) if self.use_of("enumerate") => {
                scope.push(Var::new(&i, Kind::Int(0, n - 1), false, 4.0));
                let rev = if self.random.chance(0.2) && self.use_of("rev") {
                    ".rev()"
                } else {
                    ""
                };
                format!("({i}, {pattern}) in {}.iter().enumerate(){rev}", var.name)
            }
            (1, Some((second, _, _))) if self.use_of("zip") => {
                scope.push(Var::reference(&w, false, second.bound));
                scope.push(Var {
                    mutable: false,
                    ..second.clone()
                });
                let tail = if self.random.chance(0.5) {
                    ".iter()"
                } else {
                    ""
                };
                let other = if tail.is_empty() {
                    shared(&second)
                } else {
                    second.name.clone()
                };
                if self.random.chance(0.3) && self.use_of("enumerate") {
                    scope.push(Var::new(&i, Kind::Int(0, n - 1), false, 4.0));
                    format!(
                        "({i}, ({pattern}, {w})) in {}.iter().zip({other}{tail}).enumerate()",
                        var.name
                    )
                } else {
                    format!("({pattern}, {w}) in {}.iter().zip({other}{tail})", var.name)
                }
            }
            (2, _) if matches!(form, Form::Slice | Form::RefArray) => {
                format!("{pattern} in {}", var.name)
            }
            (2, _) if matches!(form, Form::Array | Form::Vector) => {
                format!("{pattern} in &{}", var.name)
            }
            _ if self.random.chance(0.2) && self.use_of("rev") => {
                format!("{pattern} in {}.iter().rev()", var.name)
            }
            _ => format!("{pattern} in {}.iter()", var.name),
        };
        Some(vec![self.for_loop(&head, n, scope, &[])])
    }

    /// The loop runs over the rows of a nested array.
    fn for_rows(&mut self) -> Option<Vec<Stmt>> {
        let var = self.any(|var| matches!(var.kind, Kind::Nested(..)))?;
        let Kind::Nested(m, n) = var.kind else {
            unreachable!()
        };
        let (row, i) = (self.fresh("r"), self.fresh("i"));
        let stored = var.mutable && self.random.chance(0.5) && self.use_of("iter_mut");
        let (method, form) = if stored {
            ("iter_mut", Form::MutArray)
        } else {
            ("iter", Form::RefArray)
        };
        self.used.insert("iter");
        let borrowed = if stored {
            Var::new(&var.name, Kind::Hidden, false, 0.0)
        } else {
            Var {
                mutable: false,
                ..var.clone()
            }
        };
        let mut scope = vec![borrowed, Var::new(&row, Kind::List(form, n), stored, 3.0)];
        let head = if self.random.chance(0.4) && self.use_of("enumerate") {
            scope.push(Var::new(&i, Kind::Int(0, m - 1), false, 2.0));
            format!("({i}, {row}) in {}.{method}().enumerate()", var.name)
        } else {
            format!("{row} in {}.{method}()", var.name)
        };
        Some(vec![self.for_loop(&head, m, scope, &[&var.name])])
    }

    fn for_iter_mut(&mut self) -> Option<Vec<Stmt>> {
        let (var, form, n) = self.any_list(1, true)?;
        self.used.insert("iter_mut");
        let (v, w, i) = (self.fresh("e"), self.fresh("e"), self.fresh("i"));
        let other =
            self.any(|other| matches!(other.kind, Kind::List(_, 1..)) && other.name != var.name);
        let mut scope = vec![
            Var::new(&var.name, Kind::Hidden, false, 0.0),
            Var::reference(&v, true, var.bound),
        ];
        let head = match (self.random.below(4), other) {
            (0, _) if self.use_of("enumerate") => {
                scope.push(Var::new(&i, Kind::Int(0, n - 1), false, 4.0));
                format!("({i}, {v}) in {}.iter_mut().enumerate()", var.name)
            }
            (1, Some(second)) if self.use_of("zip") => {
                scope.push(Var::reference(&w, false, second.bound));
                scope.push(Var {
                    mutable: false,
                    ..second.clone()
                });
                format!(
                    "({v}, {w}) in {}.iter_mut().zip({}.iter())",
                    var.name, second.name
                )
            }
            (2, _) if matches!(form, Form::Array | Form::Vector) => {
                format!("{v} in &mut {}", var.name)
            }
            _ => format!("{v} in {}.iter_mut()", var.name),
        };
        Some(vec![self.for_loop(&head, n, scope, &[&var.name])])
    }
}

/// The variable as a shared reference.
pub(crate) fn shared(var: &Var) -> String {
    match var.kind {
        Kind::List(Form::Array | Form::Vector, _) => format!("&{}", var.name),
        Kind::List(Form::MutSlice | Form::MutArray, _) => format!("{}.iter()", var.name),
        _ => var.name.clone(),
    }
}
