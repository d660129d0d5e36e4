//! Statements about tensors.

#![allow(
    clippy::unnecessary_wraps,
    reason = "what one choice leads to is of one type"
)]

use super::super::scope::{Kind, Var};
use super::super::{Stmt, plain};
use super::{Generator, Held, Shape};

/// A kind of statement; `None` if the scope has not what it needs.
type Writer = fn(&mut Generator) -> Option<Vec<Stmt>>;

/// The kinds with their weights outside and inside of loops.
const STATEMENTS: &[(u32, u32, Writer)] = &[
    (10, 5, Generator::let_tensor),
    (6, 10, Generator::assign_tensor),
    (6, 10, Generator::compound_tensor),
    (4, 4, Generator::let_number),
    (2, 2, Generator::let_tensors),
    (2, 0, Generator::move_tensor),
    (3, 2, Generator::list_of_tensors),
    (3, 2, Generator::tensor_closure),
    (2, 2, Generator::loop_over_entries),
    (3, 2, Generator::chosen_tensor),
    (3, 2, Generator::tensor_chain),
    (3, 1, Generator::layer_value),
    (2, 1, Generator::part_value),
];

impl Generator {
    /// A statement about tensors.
    pub(crate) fn tensor_statement(&mut self) -> Option<Vec<Stmt>> {
        let in_loop = self.loops > 0;
        let menu: Vec<(u32, Writer)> = STATEMENTS
            .iter()
            .map(|&(outside, inside, writer)| (if in_loop { inside } else { outside }, writer))
            .collect();
        (0..8).find_map(|_| {
            let writer = self.random.weighted(&menu)?;
            writer(self)
        })
    }

    /// The text of an expression of which nothing may be moved out.
    pub(super) fn fixed_tensor(&mut self, depth: usize, shape: Shape, limit: f64) -> String {
        plain(&self.tensor(depth, shape, limit).text)
    }

    /// The same with more variables in scope.
    pub(super) fn fixed_tensor_with(
        &mut self,
        scope: Vec<Var>,
        depth: usize,
        shape: Shape,
        limit: f64,
    ) -> String {
        let mark = self.vars.len();
        self.vars.extend(scope);
        let text = self.fixed_tensor(depth, shape, limit);
        self.vars.truncate(mark);
        text
    }

    /// A constant of a shape.
    pub(super) fn constant_tensor(&self, shape: Shape) -> String {
        format!("Tensor::<{}>::full({}, 0.5)", self.scalar, shape.text())
    }

    fn let_tensor(&mut self) -> Option<Vec<Stmt>> {
        let shape = self.some_shape();
        let value = self.tensor(2, shape, 3.0);
        let name = self.fresh("t");
        let mutable = self.random.chance(0.6);
        let keyword = if mutable { "mut " } else { "" };
        let ty = if self.random.chance(0.3) {
            format!(": Tensor<{}>", self.scalar)
        } else {
            String::new()
        };
        let stub = format!("let {keyword}{name} = {};", self.constant_tensor(shape));
        self.declare(Self::tensor_var(&name, shape, Held::Owned, mutable, 3.0));
        let text = format!("let {keyword}{name}{ty} = {};", value.text);
        Some(vec![Stmt::binding(text, stub, &[&name])])
    }

    /// A tensor that may be changed, its shape, and the text that is it as a place.
    fn changeable(&mut self) -> Option<(Var, Shape, String)> {
        let var = self.any(|var| matches!(var.kind, Kind::Tensor(..)) && var.mutable)?;
        let Kind::Tensor(shape, held) = var.kind else {
            unreachable!()
        };
        let place = match held {
            Held::Changed => format!("*{}", var.name),
            _ => var.name.clone(),
        };
        Some((var, shape, place))
    }

    fn assign_tensor(&mut self) -> Option<Vec<Stmt>> {
        let (var, shape, place) = self.changeable()?;
        let name = &var.name;
        let limit = var.bound.min(3.0);
        if place == *name && self.random.chance(0.3) {
            // The variable is moved into the operator that makes its new value.
            let mark = self.vars.len();
            self.hide(name);
            let by = self.fixed(1, 1.0);
            let other = self.tensor(1, shape, 1.0).atom();
            self.vars.truncate(mark);
            let text = match self.random.below(4) {
                0 => format!("{name} = ({name} * ({by})).sin();"),
                1 => format!("{name} = ({other} - {name}).tanh();"),
                2 => format!("{name} = ({name} * {other}).cos();"),
                _ => format!("{name} = -{name};"),
            };
            return Some(vec![Stmt::new(text, &[name])]);
        }
        let value = self.tensor(2, shape, limit);
        let text = format!("{place} = {};", value.text);
        Some(vec![Stmt::new(text, &[name])])
    }

    fn compound_tensor(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("compound") {
            return None;
        }
        let (var, shape, place) = self.changeable()?;
        let name = &var.name;
        let text = match self.random.below(8) {
            0 => format!("{place} += {};", self.float(1, 1.0).text),
            1 => format!("{place} *= {};", self.float(1, 1.0).text),
            2 => {
                let value = self.float(1, 2.0).atom();
                format!("{place} /= 1.2 + {value} * {value};")
            }
            kind => {
                // What is changed cannot be lent at the same time.
                let mark = self.vars.len();
                let lent = self.random.chance(0.5);
                let other = self.narrower(shape);
                let value = if lent {
                    self.hide(name);
                    self.lent_tensor(1, other)
                } else {
                    self.tensor(1, other, 1.0).text
                };
                self.vars.truncate(mark);
                match kind {
                    3 | 4 => format!("{place} += {value};"),
                    5 => format!("{place} -= {value};"),
                    6 => format!("{place} *= ({value}).sin();"),
                    _ => format!("{place} /= ({value}).square() + 1.3;"),
                }
            }
        };
        Some(vec![Stmt::new(text, &[name])])
    }

    /// A number that is made of tensors.
    fn let_number(&mut self) -> Option<Vec<Stmt>> {
        let value = self.number_of_tensors(2)?;
        let value = self.fit(value, 3.0);
        let name = self.fresh("v");
        self.declare(Var::new(&name, Kind::Scalar, false, 3.0));
        let stub = format!("let {name}: {} = 0.75;", self.scalar);
        Some(vec![Stmt::binding(
            format!("let {name} = {};", value.text),
            stub,
            &[&name],
        )])
    }

    /// Two at once, out of a tuple.
    fn let_tensors(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("tuple_pattern") {
            return None;
        }
        let (one, two) = (self.some_shape(), self.some_shape());
        let (x, y) = (self.tensor(1, one, 3.0).text, self.tensor(1, two, 3.0).text);
        let (a, b) = (self.fresh("t"), self.fresh("t"));
        let stub = format!(
            "let (mut {a}, {b}) = ({}, {});",
            self.constant_tensor(one),
            self.constant_tensor(two)
        );
        self.declare(Self::tensor_var(&a, one, Held::Owned, true, 3.0));
        self.declare(Self::tensor_var(&b, two, Held::Owned, false, 3.0));
        let text = format!("let (mut {a}, {b}) = ({x}, {y});");
        Some(vec![Stmt::binding(text, stub, &[&a, &b])])
    }

    /// A local that is moved away, where nothing runs twice.
    fn move_tensor(&mut self) -> Option<Vec<Stmt>> {
        if self.nesting > 0 || self.loops > 0 {
            return None;
        }
        let var = self.any(|var| {
            matches!(var.kind, Kind::Tensor(_, Held::Owned))
                && var.name.starts_with('t')
                && !var.name.contains('.')
        })?;
        let Kind::Tensor(shape, _) = var.kind else {
            unreachable!()
        };
        let old = &var.name;
        self.hide(old);
        let name = self.fresh("t");
        let k = self.float(1, 1.0).atom();
        let narrow = self.narrower(shape);
        let other = self.tensor(1, narrow, 3.0).atom();
        let text = match self.random.below(4) {
            0 => old.clone(),
            1 => format!("{old} * {k}"),
            2 => format!("({other} + {old}).sin()"),
            _ => format!("({k} - {old}).tanh()"),
        };
        self.declare(Self::tensor_var(&name, shape, Held::Owned, true, 3.0));
        Some(vec![Stmt::binding(
            format!("let mut {name} = {text};"),
            format!("let mut {name} = {};", self.constant_tensor(shape)),
            &[&name, old],
        )])
    }

    /// A list of tensors that is stored into, grows, and is run over.
    fn list_of_tensors(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("vec") || !self.on.on("for") {
            return None;
        }
        let shape = self.some_shape();
        let name = self.fresh("l");
        let n = self.random.between(1, 3);
        let parts: Vec<String> = (0..n).map(|_| self.fixed_tensor(1, shape, 2.0)).collect();
        let mut lines = vec![format!("let mut {name} = vec![{}];", parts.join(", "))];
        let element = Self::tensor_var("each", shape, Held::Shared, false, 2.0);
        let place = |k: usize| format!("{name}[{k}]");
        for _ in 0..self.random.between(1, 3) {
            let (i, k) = (self.random.below(n), self.fixed(1, 1.0));
            let value = self.fixed_tensor(1, shape, 1.0);
            let (at, other) = (place(i), place(self.random.below(n)));
            lines.push(match self.random.below(7) {
                0 => format!("{at} = {value};"),
                1 => format!("{at} += {value};"),
                2 => format!("{at} = (&{at} * ({k}) + &{other}).sin();"),
                3 => format!("for each in {name}.iter_mut() {{ *each = each.sin() * ({k}); }}"),
                4 => format!("for each in &mut {name} {{ *each *= {k}; }}"),
                5 => format!("for j in 1..{name}.len() {{ {name}[j] = (&{name}[j - 1] * ({k})).cos() * &{name}[j]; }}"),
                _ => format!("let last = {at}.clone(); {at} = (last * &{other}).tanh();"),
            });
        }
        let pushed = self.random.chance(0.4);
        if pushed {
            lines.push(format!(
                "{name}.push({});",
                self.fixed_tensor(1, shape, 2.0)
            ));
        }
        let total = self.fresh("t");
        let body = self.fixed_tensor_with(vec![element], 1, shape, 1.0);
        let start = self.fixed_tensor(0, shape, 3.0);
        lines.push(format!("let mut {total} = {start};"));
        lines.push(format!(
            "for each in &{name} {{ {total} += ({body}) * each; }}"
        ));
        let count = n + usize::from(pushed);
        let stub = format!(
            "let mut {name} = vec![{0}; {count}]; let mut {total} = {0};",
            self.constant_tensor(shape)
        );
        self.declare(Var::new(&name, Kind::Tensors(shape, count), false, 3.0));
        self.declare(Self::tensor_var(&total, shape, Held::Owned, true, 6.0));
        Some(vec![Stmt::binding(
            lines.join("\n"),
            stub,
            &[&name, &total],
        )])
    }

    /// A closure of a tensor, called twice.
    fn tensor_closure(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("closure") {
            return None;
        }
        let (from, to) = (self.some_shape(), self.some_shape());
        let (f, t) = (self.fresh("f"), self.fresh("t"));
        let s = self.scalar;
        let owned = self.random.chance(0.3);
        let (held, ty) = if owned {
            (Held::Owned, format!("Tensor<{s}>"))
        } else {
            (Held::Shared, format!("&Tensor<{s}>"))
        };
        let x = self.fresh("x");
        let scope = vec![Self::tensor_var(&x, from, held, false, 3.0)];
        let body = self.fixed_tensor_with(scope, 2, to, 3.0);
        let arguments: Vec<String> = (0..2)
            .map(|_| {
                let text = if owned {
                    self.tensor(1, from, 3.0).text
                } else {
                    self.lent_tensor(1, from)
                };
                plain(&text)
            })
            .collect();
        let text = format!(
            "let {f} = |{x}: {ty}| {{ {body} }};\nlet {t} = {f}({}) * {f}({});",
            arguments[0], arguments[1]
        );
        self.declare(Self::tensor_var(&t, to, Held::Owned, false, 9.0));
        let stub = format!("let {t} = {};", self.constant_tensor(to));
        Some(vec![Stmt::binding(text, stub, &[&t])])
    }

    /// Entry by entry, with numbers.
    fn loop_over_entries(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("for") || !self.use_of("nested_loop") {
            return None;
        }
        let fits = |shape: Shape| (1..3).contains(&shape.rank()) && shape.count() > 0;
        let var = self.any(|var| matches!(var.kind, Kind::Tensor(shape, _) if fits(shape)))?;
        let Kind::Tensor(shape, _) = var.kind else {
            unreachable!()
        };
        let (x, v) = (&var.name, self.fresh("v"));
        let k = self.fixed(1, 1.0);
        let mut lines = vec![format!("let mut {v} = {k};")];
        if let [n] = *shape.lengths() {
            lines.push(format!(
                "for i in 0..{n} {{ {v} = ({v} + {x}[i] * {x}[{} - i]).sin(); }}",
                n - 1
            ));
        } else {
            let axis = self.random.below(2);
            let other = shape.lengths()[1 - axis];
            let at = if axis == 0 { "[i, j]" } else { "[j, i]" };
            lines.push(format!("for i in 0..{x}.shape()[{axis}] {{ for j in 0..{other} {{ {v} += {x}[{at}] * {x}[{at}].cos() * ({k}); }} }}"));
            lines.push(format!("let {v} = {v}.sin();"));
        }
        Some(self.lines(&lines, &v, &[]))
    }

    /// `let t = if … { … } else { … }`, with statements inside; or by an integer.
    fn chosen_tensor(&mut self) -> Option<Vec<Stmt>> {
        let shape = self.some_shape();
        let name = self.fresh("t");
        let inner = self.fresh("t");
        let first = self.fixed_tensor(2, shape, 3.0);
        let scope = vec![Self::tensor_var(&inner, shape, Held::Owned, false, 3.0)];
        let second = self.fixed_tensor_with(scope, 1, shape, 3.0);
        let third = self.fixed_tensor(1, shape, 3.0);
        let text = if self.random.chance(0.5) && self.use_of("match") {
            let k = match self.any(|var| matches!(var.kind, Kind::Int(..))) {
                Some(var) => format!("{} % 3", var.read),
                None => "1_usize".to_owned(),
            };
            format!(
                "let {name} = match {k} {{\n    0 => {third},\n    1 => {{ let {inner} = {first}; {second} }}\n    _ => {first},\n}};"
            )
        } else if self.use_of("if") {
            let condition = plain(&self.condition());
            format!(
                "let {name} = if {condition} {{ let {inner} = {first}; {second} }} else {{ {third} }};"
            )
        } else {
            return None;
        };
        self.declare(Self::tensor_var(&name, shape, Held::Owned, false, 3.0));
        let stub = format!("let {name} = {};", self.constant_tensor(shape));
        Some(vec![Stmt::binding(text, stub, &[&name])])
    }

    /// A chain of iterators over a list of tensors.
    fn tensor_chain(&mut self) -> Option<Vec<Stmt>> {
        if !self.use_of("chain") {
            return None;
        }
        let var = self.any(|var| matches!(var.kind, Kind::Tensors(..)))?;
        let Kind::Tensors(shape, _) = var.kind else {
            unreachable!()
        };
        let s = self.scalar;
        let list = &var.name;
        let each = Self::tensor_var("each", shape, Held::Shared, false, 3.0);
        if self.random.chance(0.5) {
            let name = self.fresh("v");
            let mark = self.vars.len();
            self.declare(each.clone());
            let number = self.number_of(&each)?;
            self.vars.truncate(mark);
            let body = plain(&self.fit(number, 3.0).text);
            let text = match self.random.below(3) {
                0 => format!("{list}.iter().map(|each| {body}).sum::<{s}>()"),
                1 => format!("{list}.iter().fold(0.5, |sum: {s}, each| (sum + {body}).sin())"),
                _ => format!(
                    "{list}.iter().zip({list}.iter().skip(1)).map(|(each, next)| {body} * next.sum()).sum::<{s}>()"
                ),
            };
            let stub = format!("let {name}: {s} = 0.75;");
            self.declare(Var::new(&name, Kind::Scalar, false, 9.0));
            return Some(vec![Stmt::binding(
                format!("let {name} = {text};"),
                stub,
                &[&name],
            )]);
        }
        let name = self.fresh("t");
        let start = self.fixed_tensor(1, shape, 3.0);
        let sum = Self::tensor_var("sum", shape, Held::Owned, false, 3.0);
        let body = self.fixed_tensor_with(vec![each.clone(), sum], 1, shape, 1.0);
        let mapped = self.fixed_tensor_with(vec![each], 1, shape, 1.0);
        let text = if self.random.chance(0.5) {
            format!("let {name} = {list}.iter().fold({start}, |sum, each| {body});")
        } else {
            format!(
                "let {name}s: Vec<Tensor<{s}>> = {list}.iter().map(|each| {mapped}).collect();\nlet {name} = {name}s[0].clone();"
            )
        };
        let stub = format!("let {name} = {};", self.constant_tensor(shape));
        self.declare(Self::tensor_var(&name, shape, Held::Owned, false, 3.0));
        Some(vec![Stmt::binding(text, stub, &[&name])])
    }
}
