//! Calls of other `#[grad]` functions.

use super::expr::Expr;
use super::scope::{Form, Kind, Var};
use super::tensors::Held;
use super::{Function, Generator, ParamType, ResultType, Stmt};

impl Generator {
    /// Arguments for a function, and the names that the call changes.
    pub(crate) fn arguments(&mut self, function: &Function) -> Option<(String, Vec<String>)> {
        let mark = self.vars.len();
        let marks = std::mem::replace(&mut self.marks, false);
        let found = self.find_arguments(function);
        self.marks = marks;
        self.vars.truncate(mark);
        found
    }

    fn find_arguments(&mut self, function: &Function) -> Option<(String, Vec<String>)> {
        let mut texts = vec![String::new(); function.params.len()];
        let mut changed = Vec::new();
        // What is borrowed mutably comes first, so that the other arguments leave it alone.
        for (text, param) in texts
            .iter_mut()
            .zip(&function.params)
            .filter(|(_, param)| param.ty.is_mut())
        {
            let row = match param.ty {
                ParamType::MutSlice(n) => self.row(n, true),
                _ => None,
            };
            if let Some((name, place)) = row {
                *text = format!("&mut {place}");
                self.hide(&name);
                changed.push(name);
            } else if let ParamType::MutTensor(shape) = param.ty {
                let var = self.any(|var| {
                    var.mutable && matches!(var.kind, Kind::Tensor(other, _) if other == shape)
                })?;
                *text = match var.kind {
                    Kind::Tensor(_, Held::Changed) => var.name.clone(),
                    _ => format!("&mut {}", var.name),
                };
                self.hide(&var.name);
                changed.push(var.name);
            } else if let ParamType::MutMatrix(matrix) = param.ty {
                let var = self.any(|var| {
                    var.mutable && matches!(var.kind, Kind::Matrix(other, _) if other == matrix)
                })?;
                *text = match var.kind {
                    Kind::Matrix(_, Held::Changed) => var.name.clone(),
                    _ => format!("&mut {}", var.name),
                };
                self.hide(&var.name);
                changed.push(var.name);
            } else if let ParamType::MutSlice(n) = param.ty {
                let (var, form, length) = self.any_list(n, true)?;
                *text = self.borrowed("&mut ", &var, form, length, n)?;
                self.hide(&var.name);
                changed.push(var.name);
            } else {
                let var = self.any(|var| var.kind == Kind::Scalar && var.mutable)?;
                *text = if var.read.starts_with('*') {
                    var.name.clone()
                } else {
                    format!("&mut {}", var.name)
                };
                self.hide(&var.name);
                changed.push(var.name);
            }
        }
        let mut previous: Option<(ParamType, String)> = None;
        for (text, param) in texts
            .iter_mut()
            .zip(&function.params)
            .filter(|(_, param)| !param.ty.is_mut())
        {
            if let Some((ty, same)) = &previous {
                if *ty == param.ty && self.random.chance(0.3) && self.on.on("call_same") {
                    self.used.insert("call_same");
                    text.clone_from(same);
                    continue;
                }
            }
            *text = match param.ty {
                ParamType::Scalar => self.float(1, 2.0).text,
                ParamType::Tensor(shape) => self.tensor(1, shape, 2.0).text,
                ParamType::RefTensor(shape) => self.lent_tensor(1, shape),
                ParamType::Matrix(matrix) => self.matrix(1, matrix),
                ParamType::RefMatrix(matrix) => self.lent_matrix(matrix),
                ParamType::Int(bound) => {
                    match self.any(|var| matches!(var.kind, Kind::Int(_, high) if high <= bound)) {
                        Some(var) if self.random.chance(0.6) => var.read,
                        _ => self.random.below(bound + 1).to_string(),
                    }
                }
                ParamType::Slice(n) => match self.row(n, false) {
                    Some((_, place)) => format!("&{place}"),
                    None => {
                        let (var, form, length) = self.any_list(n, false)?;
                        self.borrowed("&", &var, form, length, n)?
                    }
                },
                _ => return None,
            };
            previous = Some((param.ty, text.clone()));
        }
        Some((texts.join(", "), changed))
    }

    /// Sometimes: a nested array and the place of one of its rows of length `n`.
    fn row(&mut self, n: usize, stored: bool) -> Option<(String, String)> {
        if !self.random.chance(0.3) {
            return None;
        }
        let fits = |var: &Var| matches!(var.kind, Kind::Nested(_, k) if k == n);
        let var = self.any(|var| fits(var) && (!stored || var.mutable))?;
        let Kind::Nested(m, _) = var.kind else {
            unreachable!()
        };
        let place = format!("{}[{}]", var.name, self.index(m));
        Some((var.name, place))
    }

    /// A reference to `n` of the `length` elements of a list.
    fn borrowed(
        &mut self,
        sign: &str,
        var: &Var,
        form: Form,
        length: usize,
        n: usize,
    ) -> Option<String> {
        if length == n && self.random.chance(0.7) {
            return Some(match form {
                Form::Array | Form::Vector => format!("{sign}{}", var.name),
                _ => var.name.clone(),
            });
        }
        let start = self.random.below(length - n + 1);
        self.use_of("subslice")
            .then(|| format!("{sign}{}[{start}..{}]", var.name, start + n))
    }

    /// One of the functions there are.
    pub(crate) fn helper(&mut self, condition: impl Fn(&Function) -> bool) -> Option<Function> {
        let found: Vec<Function> = self
            .helpers
            .iter()
            .filter(|function| condition(function))
            .cloned()
            .collect();
        if found.is_empty() {
            None
        } else {
            Some(self.random.pick(&found).clone())
        }
    }

    /// A call that is a float and changes nothing.
    pub(crate) fn call_expr(&mut self) -> Option<Expr> {
        let helper = self.helper(|function| {
            function.result == ResultType::Scalar
                && function.params.iter().all(|param| !param.ty.is_mut())
        })?;
        let (arguments, _) = self.arguments(&helper)?;
        self.used.insert("call");
        Some(Expr {
            text: format!("{}({arguments}).sin()", helper.name),
            bound: 1.0,
            closed: true,
        })
    }

    /// A call as a statement of its own, or bound by a `let`.
    pub(crate) fn call_statement(&mut self) -> Option<Vec<Stmt>> {
        if !self.on.on("call") {
            return None;
        }
        let may_change = self.on.on("call_mut");
        let helper = self.helper(|function| {
            may_change || function.params.iter().all(|param| !param.ty.is_mut())
        })?;
        let (arguments, changed) = self.arguments(&helper)?;
        self.used.insert(if changed.is_empty() {
            "call"
        } else {
            "call_mut"
        });
        let call = format!("{}({arguments})", helper.name);
        Some(self.bind_call(&call, helper.result, &changed))
    }

    /// The statements that put the result of a call into variables.
    pub(crate) fn bind_call(
        &mut self,
        call: &str,
        result: ResultType,
        changed: &[String],
    ) -> Vec<Stmt> {
        let (a, b) = (self.fresh("c"), self.fresh("c"));
        let mut names: Vec<&str> = changed.iter().map(String::as_str).collect();
        match result {
            ResultType::Unit => vec![Stmt::new(format!("{call};"), &names)],
            ResultType::Pair => {
                names.extend([a.as_str(), b.as_str()]);
                self.declare(Var::new(&a, Kind::Scalar, false, 8.0));
                self.declare(Var::new(&b, Kind::Scalar, false, 8.0));
                vec![Stmt::binding(
                    format!("let ({a}, {b}) = {call};"),
                    format!("let ({a}, {b}) = (0.75{0}, 0.5{0});", self.scalar),
                    &names,
                )]
            }
            ResultType::Tensor(shape) => {
                names.push(&a);
                self.declare(Self::tensor_var(&a, shape, Held::Owned, false, 8.0));
                let stub = format!("let {a} = {};", result.constant(self.scalar));
                vec![Stmt::binding(format!("let {a} = {call};"), stub, &names)]
            }
            ResultType::Matrix(matrix) => {
                names.push(&a);
                self.declare(Self::matrix_var(&a, matrix, Held::Owned, false));
                let stub = format!("let {a} = {};", result.constant(self.scalar));
                vec![Stmt::binding(format!("let {a} = {call};"), stub, &names)]
            }
            _ => {
                let value = match result {
                    ResultType::Maybe | ResultType::Fallible(_) => {
                        self.unpacked(call, result, &a, changed)
                    }
                    _ => format!("let {a} = {call};"),
                };
                names.push(&a);
                self.declare(Var::new(&a, Kind::Scalar, false, 8.0));
                vec![Stmt::binding(
                    value,
                    format!("let {a} = 0.75{};", self.scalar),
                    &names,
                )]
            }
        }
    }

    /// `let name = …` of an option or a result that a call returns.
    fn unpacked(
        &mut self,
        call: &str,
        result: ResultType,
        name: &str,
        changed: &[String],
    ) -> String {
        let mark = self.vars.len();
        changed.iter().for_each(|name| self.hide(name));
        let other = self.fixed(1, 3.0);
        let z = self.fresh("z");
        let value = self.fixed_with(vec![Var::new(&z, Kind::Scalar, false, 8.0)], 1, 3.0);
        self.vars.truncate(mark);
        if let ResultType::Fallible(error) = result {
            return self.unpacked_result((call, error), name, (&other, &z, &value));
        }
        if let Some(ResultType::Fallible(error)) = self.result {
            if self.random.chance(0.5) {
                let failure = self.error(error);
                return format!("let {name} = {call}.ok_or({failure})?;");
            }
        }
        match self.random.below(6) {
            0 | 1 if self.result == Some(ResultType::Maybe) => format!("let {name} = {call}?;"),
            0 => format!("let {name} = {call}.unwrap_or({other});"),
            1 => format!("let {name} = {call}.map_or({other}, |{z}| {value});"),
            2 if self.use_of("match") => {
                format!("let {name} = match {call} {{ Some({z}) => {value}, None => {other} }};")
            }
            3 if self.use_of("let_else") => match self.jump() {
                Some(jump) => format!("let Some({name}) = {call} else {{ {jump} }};"),
                None => format!("let {name} = {call}.unwrap_or({other});"),
            },
            _ => {
                format!("let {name} = if let Some({z}) = {call} {{ {value} }} else {{ {other} }};")
            }
        }
    }
}
