//! Expressions: floats, integers in a range, conditions.

use super::scope::{Kind, Var};
use super::{CLOSE, Generator, OPEN};

/// An expression of float type.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub text: String,
    /// A rough bound of its magnitude.
    pub bound: f64,
    /// Can it stand before a dot or beside any operator as it is?
    pub closed: bool,
}

impl Expr {
    fn closed(text: String, bound: f64) -> Self {
        Self {
            text,
            bound,
            closed: true,
        }
    }

    fn open(text: String, bound: f64) -> Self {
        Self {
            text,
            bound,
            closed: false,
        }
    }

    /// The text as an operand or a receiver.
    pub(crate) fn atom(&self) -> String {
        if self.closed {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }
}

impl Generator {
    /// A float expression whose magnitude is at most about `limit`.
    pub(crate) fn float(&mut self, depth: usize, limit: f64) -> Expr {
        let expr = self.expr(depth);
        self.fit(expr, limit)
    }

    /// The text of a float expression of moderate size.
    pub(crate) fn text(&mut self, depth: usize) -> String {
        self.float(depth, 3.0).text
    }

    /// The expression, bent below `limit` if it may be larger.
    pub(crate) fn fit(&mut self, expr: Expr, limit: f64) -> Expr {
        if expr.bound <= limit {
            return expr;
        }
        let inner = expr.atom();
        if self.random.chance(0.3) && expr.bound < 30.0 {
            let factor = (limit / expr.bound * 0.9).min(0.9);
            return Expr::open(format!("{inner} * {factor:.3}"), limit);
        }
        let bent = match self.random.below(4) {
            0 => Expr::closed(format!("{inner}.sin()"), 1.0),
            1 => Expr::closed(format!("{inner}.cos()"), 1.0),
            2 => Expr::closed(format!("{inner}.atan()"), 1.6),
            _ => Expr::closed(format!("{inner}.tanh()"), 1.0),
        };
        if bent.bound <= limit {
            bent
        } else {
            Expr::open(format!("{} * {:.2}", bent.text, limit / 1.7), limit)
        }
    }

    /// A float expression with about `depth` levels.
    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        if self.tensors && self.random.chance(0.15) {
            if let Some(number) = self.number_of_tensors(depth - 1) {
                return number;
            }
        }
        let expr = match self.random.below(20) {
            0..=2 => self.leaf(),
            3..=9 => self.binary(depth),
            10..=13 if self.use_of("function") => self.function(depth),
            14 if self.use_of("kink") => self.kink(depth),
            15 => {
                let inner = self.expr(depth - 1);
                Expr::open(format!("-{}", inner.atom()), inner.bound)
            }
            16 if self.use_of("if") => self.conditional(depth),
            17 if self.use_of("block") => self.block_expr(depth),
            18 if self.on.on("call") => self.call_expr().unwrap_or_else(|| self.leaf()),
            _ => self.binary(depth),
        };
        if self.marks && self.random.chance(0.15) {
            return Expr {
                text: format!("{OPEN}{}{CLOSE}", expr.atom()),
                bound: expr.bound,
                closed: true,
            };
        }
        expr
    }

    /// A variable, an element, a constant: a float that can be a receiver.
    pub(crate) fn leaf(&mut self) -> Expr {
        if self.random.chance(0.06) {
            return Expr::closed(format!("{}{}", self.literal(0.1, 1.2), self.scalar), 1.2);
        }
        if self.random.chance(0.06) && self.on.on("cast") {
            if let Some(var) = self.any(|var| matches!(var.kind, Kind::Int(..))) {
                self.used.insert("cast");
                let Kind::Int(_, high) = var.kind else {
                    unreachable!()
                };
                return Expr::closed(format!("({} as {})", var.read, self.scalar), high as f64);
            }
        }
        self.read().unwrap_or_else(|| {
            Expr::closed(format!("{}{}", self.literal(0.1, 1.2), self.scalar), 1.2)
        })
    }

    /// A read of a variable, if one can be read as a float.
    fn read(&mut self) -> Option<Expr> {
        let readable = |var: &Var| match var.kind {
            Kind::Scalar | Kind::Pair | Kind::Nested(..) => true,
            Kind::List(_, n) => n > 0,
            _ => false,
        };
        // Constants are read too, but rarely: what does not depend on a parameter tests little.
        let constants = self.random.chance(0.1);
        let var = self
            .any(|var| readable(var) && (constants || !var.is_constant()))
            .or_else(|| self.any(readable))?;
        let text = match var.kind {
            Kind::Pair => format!("{}.{}", var.name, self.random.below(2)),
            Kind::List(_, n) => format!("{}[{}]", var.name, self.index(n)),
            Kind::Nested(m, n) => format!("{}[{}][{}]", var.name, self.index(m), self.index(n)),
            _ if var.read.starts_with('*') => format!("({})", var.read),
            _ => var.read.clone(),
        };
        Some(Expr::closed(text, var.bound))
    }

    /// Arithmetic.
    fn binary(&mut self, depth: usize) -> Expr {
        let left = self.expr(depth - 1);
        if self.random.chance(0.25) {
            let constant = self.literal(0.2, 1.3);
            return match self.random.below(4) {
                0 => Expr::open(format!("{constant} * {}", left.atom()), left.bound * 1.3),
                1 => Expr::open(format!("{} + {constant}", left.atom()), left.bound + 1.3),
                2 => Expr::open(format!("{constant} - {}", left.atom()), left.bound + 1.3),
                _ => Expr::open(
                    format!("{} / {}", left.atom(), self.literal(0.8, 2.0)),
                    left.bound * 1.25,
                ),
            };
        }
        let right = if self.random.chance(0.1) {
            left.clone()
        } else {
            self.expr(depth - 1)
        };
        let (l, r) = (left.atom(), right.atom());
        match self.random.below(10) {
            0..=2 => Expr::open(format!("{l} + {r}"), left.bound + right.bound),
            3..=4 => Expr::open(format!("{l} - {r}"), left.bound + right.bound),
            5..=8 => Expr::open(format!("{l} * {r}"), left.bound * right.bound),
            _ if self.random.chance(0.5) => {
                Expr::open(format!("{l} / (1.5 + {r} * {r})"), left.bound)
            }
            _ => Expr::open(format!("{l} / (2.0 + {r}.sin())"), left.bound),
        }
    }

    /// An elementary function inside its domain.
    fn function(&mut self, depth: usize) -> Expr {
        let s = self.scalar;
        let a = self.float(depth - 1, 3.0);
        let x = a.atom();
        let simple = |name: &str, bound: f64, path: bool| {
            if path {
                Expr::closed(format!("{s}::{name}({})", a.text), bound)
            } else {
                Expr::closed(format!("{x}.{name}()"), bound)
            }
        };
        let path = self.random.chance(0.2) && self.use_of("path_form");
        match self.random.below(34) {
            0..=4 => simple("sin", 1.0, path),
            5..=7 => simple("cos", 1.0, path),
            8..=10 => simple("tanh", 1.0, path),
            11 => simple("atan", 1.6, path),
            12 => simple("asinh", 2.0, path),
            13 | 14 => Expr::closed(format!("(0.6 * {x}).exp()"), 6.1),
            15 => Expr::closed(format!("(-{x} * {x}).exp()"), 1.0),
            16 => Expr::closed(format!("({x} * {x} + 0.5).ln()"), 2.3),
            17 => Expr::closed(format!("({x} * {x} + 1.0).sqrt()"), a.bound + 1.0),
            18 => Expr::closed(format!("({x} * {x} + 0.5).cbrt()"), 2.2),
            19 => Expr::closed(
                format!("{x}.powi({})", self.random.between(0, 3)),
                a.bound.powi(3).max(1.0),
            ),
            20 => {
                let b = self.float(depth - 1, 1.5);
                Expr::closed(format!("({x} * {x} + 0.4).powf({})", b.text), 28.0)
            }
            21 => {
                let b = self.float(depth - 1, 3.0);
                Expr::closed(format!("{x}.hypot(1.0 + {0} * {0})", b.atom()), 10.0)
            }
            22 => {
                let b = self.float(depth - 1, 3.0);
                Expr::closed(format!("{x}.atan2({0} * {0} + 0.5)", b.atom()), 3.2)
            }
            23 => Expr::closed(format!("({x} * {x} + 0.8).recip()"), 1.3),
            24 => {
                let (b, c) = (self.float(depth - 1, 3.0), self.leaf());
                Expr::closed(
                    format!("{x}.mul_add({}, {})", b.text, c.text),
                    a.bound * b.bound + c.bound,
                )
            }
            25 => Expr::closed(format!("(0.8 * {x}.sin()).asin()"), 1.0),
            26 => Expr::closed(format!("(0.7 * {x}.cos()).acos()"), 2.4),
            27 => Expr::closed(format!("(0.7 * {x}.sin()).atanh()"), 0.9),
            28 => Expr::closed(format!("(1.5 + {x} * {x}).acosh()"), 3.1),
            29 => Expr::closed(format!("(0.6 * {x}.tanh()).tan()"), 0.7),
            30 => Expr::closed(format!("(0.4 * {x}).sinh()"), 1.6),
            31 => Expr::closed(format!("({x} * {x}).ln_1p()"), 2.4),
            32 => Expr::closed(format!("(0.5 * {x}).exp_m1()"), 3.5),
            _ => Expr::closed(format!("(0.5 * {x}).exp2()"), 2.9),
        }
    }

    /// A function with a kink or a step.
    fn kink(&mut self, depth: usize) -> Expr {
        let s = self.scalar;
        let a = self.float(depth - 1, 3.0);
        let x = a.atom();
        match self.random.below(10) {
            0 | 1 => Expr::closed(format!("{x}.abs()"), a.bound),
            2 | 3 => {
                let b = self.float(depth - 1, 3.0);
                let name = if self.random.chance(0.5) {
                    "max"
                } else {
                    "min"
                };
                let text = if self.random.chance(0.3) && self.use_of("path_form") {
                    format!("{s}::{name}({}, {})", a.text, b.text)
                } else {
                    format!("{x}.{name}({})", b.text)
                };
                Expr::closed(text, a.bound.max(b.bound))
            }
            4 => Expr::closed(format!("{x}.clamp(-0.8, 0.9)"), 0.9),
            5 => Expr::closed(format!("{x}.max(0.0)"), a.bound),
            6 => Expr::open(format!("{x}.signum() * {}", self.literal(0.3, 1.0)), 1.0),
            7 => Expr::closed(format!("{x}.fract()"), 1.0),
            8 if self.use_of("rem") => Expr::open(format!("{x} % {}", self.literal(0.7, 1.5)), 1.5),
            _ => {
                let name = *self.random.pick(&["floor", "ceil", "round", "trunc"]);
                Expr::open(format!("0.3 * {x}.{name}()"), 1.0)
            }
        }
    }

    /// An index below `length`.
    pub(crate) fn index(&mut self, length: usize) -> String {
        if self.random.chance(0.35) {
            return self.random.below(length).to_string();
        }
        if self.random.chance(0.2) && self.on.on("index_array") {
            if let Some(var) = self
                .any(|var| matches!(var.kind, Kind::Indices(n, bound) if n > 0 && bound <= length))
            {
                self.used.insert("index_array");
                let Kind::Indices(n, _) = var.kind else {
                    unreachable!()
                };
                let inner = self.index(n);
                return format!("{}[{inner}]", var.name);
            }
        }
        let Some(var) = self.any(|var| matches!(var.kind, Kind::Int(..))) else {
            return self.random.below(length).to_string();
        };
        let Kind::Int(low, high) = var.kind else {
            unreachable!()
        };
        let i = var.read.clone();
        let mut choices = vec![format!("({i} + {}) % {length}", self.random.below(length))];
        if high < length {
            choices.extend([
                i.clone(),
                i.clone(),
                i.clone(),
                format!("{} - {i}", length - 1),
            ]);
            if low >= 1 {
                choices.extend([format!("{i} - 1"), format!("{i} - 1")]);
            }
            if high + 1 < length {
                choices.extend([format!("{i} + 1"), format!("{i} + 1")]);
            }
        }
        self.random.pick(&choices).clone()
    }

    /// A condition: of floats, integers or both.
    pub(crate) fn condition(&mut self) -> String {
        let marks = std::mem::replace(&mut self.marks, false);
        let int: Option<Var> = self.any(|var| matches!(var.kind, Kind::Int(..)));
        let flag: Option<Var> = self.any(|var| var.kind == Kind::Flag);
        let text = match (self.random.below(10), int, flag) {
            (0 | 1, Some(int), _) => {
                let Kind::Int(_, high) = int.kind else {
                    unreachable!()
                };
                let limit = self.random.below(high + 1);
                match self.random.below(4) {
                    0 => format!("{} % 2 == {}", int.read, limit % 2),
                    1 => format!("{} == {limit}", int.read),
                    2 => format!("{} > {limit}", int.read),
                    _ => format!("{} <= {limit}", int.read),
                }
            }
            (2, _, Some(flag)) => {
                if self.random.chance(0.5) {
                    flag.name
                } else {
                    format!("!{}", flag.name)
                }
            }
            (3, _, _) => {
                let (a, b) = (self.comparison(), self.comparison());
                if self.random.chance(0.5) {
                    format!("{a} && {b}")
                } else {
                    format!("{a} || {b}")
                }
            }
            (4, _, _) => format!("!({})", self.comparison()),
            _ => self.comparison(),
        };
        self.marks = marks;
        text
    }

    /// A comparison of floats.
    pub(crate) fn comparison(&mut self) -> String {
        if self.random.chance(0.15) {
            if let Some(decided) = self.decided_flag() {
                return decided;
            }
        }
        // A reduction of what may be a chain of operations, where tensors are drawn.
        let reduced = (self.tensors && self.random.chance(0.3))
            .then(|| self.number_of_tensors(1))
            .flatten();
        let left = match reduced {
            Some(reduced) => reduced,
            None if self.random.chance(0.6) => self.leaf(),
            None => self.float(1, 3.0),
        };
        let relation = *self.random.pick(&["<", ">", "<=", ">="]);
        if self.random.chance(0.6) {
            let sign = if self.random.chance(0.3) { "-" } else { "" };
            return format!(
                "{} {relation} {sign}{}",
                left.atom(),
                self.literal(0.05, 0.9)
            );
        }
        let right = self.leaf();
        format!("{} {relation} {}", left.atom(), right.atom())
    }

    /// `if c { e } else { e }` as a float.
    fn conditional(&mut self, depth: usize) -> Expr {
        let marks = std::mem::replace(&mut self.marks, false);
        let condition = self.condition();
        let (a, b) = (self.float(depth - 1, 3.0), self.float(depth - 1, 3.0));
        self.marks = marks;
        Expr::closed(
            format!("(if {condition} {{ {} }} else {{ {} }})", a.text, b.text),
            a.bound.max(b.bound),
        )
    }

    /// `{ let t = e; … }` as a float.
    fn block_expr(&mut self, depth: usize) -> Expr {
        let marks = std::mem::replace(&mut self.marks, false);
        let mark = self.vars.len();
        let value = self.float(depth - 1, 3.0);
        let name = self.binding_name();
        self.declare(Var::new(&name, Kind::Scalar, false, value.bound));
        let body = self.float(depth - 1, 3.0);
        self.vars.truncate(mark);
        self.marks = marks;
        Expr::closed(
            format!(
                "({{ let {name} = {}; {} * {} + {} }})",
                value.text,
                name,
                self.literal(0.2, 0.8),
                body.atom()
            ),
            value.bound + body.bound,
        )
    }
}
