//! Functions: their parameters, their bodies, and results that depend on everything.

use super::scope::{Form, Kind, Var};
use super::tensors::Held;
use super::{Function, Generator, Param, ParamType, ResultType, Stmt};

impl Generator {
    /// Writes one function that later ones may call.
    pub(crate) fn write_helper(&mut self) {
        if self.matrices && self.random.chance(0.6) {
            self.write_matrix_helper();
            return;
        }
        if self.own_numbers && self.random.chance(0.6) {
            self.write_of_own_numbers();
            return;
        }
        if self.random.chance(0.3) {
            if let Some(function) = self.write_template() {
                self.helpers.push(function);
                return;
            }
        }
        if self.tensors && self.random.chance(0.5) {
            self.write_tensor_helper();
            return;
        }
        let n = self.random.between(2, 3);
        let mut types = match self.random.below(9) {
            0 | 1 => vec![ParamType::Scalar],
            2 | 3 => vec![ParamType::Scalar, ParamType::Scalar],
            4 => vec![ParamType::Slice(n), ParamType::Scalar],
            5 => vec![ParamType::Slice(n), ParamType::Slice(n)],
            6 => vec![ParamType::MutSlice(n), ParamType::Scalar],
            7 => vec![ParamType::MutSlice(n), ParamType::Slice(n)],
            _ => vec![ParamType::Scalar, ParamType::MutScalar],
        };
        if self.random.chance(0.3) {
            types.push(ParamType::Int(2));
        }
        types.retain(|&ty| self.allows(ty));
        let has_output = types.iter().any(|ty| ty.is_mut());
        let result = match self.random.below(6) {
            0 if has_output => ResultType::Unit,
            1 if self.on.on("tuple") => ResultType::Pair,
            2 | 3 if self.use_of("option_result") => ResultType::Maybe,
            _ => ResultType::Scalar,
        };
        let result = match result {
            ResultType::Scalar | ResultType::Maybe if self.fallible && self.random.chance(0.6) => {
                self.fallible_result()
            }
            _ => result,
        };
        let name = self.fresh("h");
        let budget = self.random.between(1, 3);
        let function = if self.random.chance(0.3) && self.use_of("recursion") {
            types.push(ParamType::Int(3));
            self.write_recursive(&name, &types, result)
        } else {
            self.write_function(&name, &types, result, budget, 0)
        };
        self.helpers.push(function);
    }

    /// May a parameter of this type be used?
    pub(crate) fn allows(&self, ty: ParamType) -> bool {
        match ty {
            ParamType::Pair => self.on.on("tuple"),
            ParamType::Array(_) | ParamType::RefArray(_) => self.on.on("array"),
            ParamType::RefNested(..) => self.on.on("nested_array"),
            ParamType::Slice(_) => self.on.on("slice"),
            ParamType::Vector(_) => self.on.on("vec"),
            ParamType::MutSlice(_) | ParamType::MutArray(_) => self.on.on("mut_param"),
            ParamType::MutScalar => self.on.on("mut_scalar"),
            ParamType::Indices(..) => self.on.on("index_array"),
            ParamType::ConstantScalar | ParamType::ConstantSlice(_) => self.on.on("constant_param"),
            ParamType::Tensor(_) | ParamType::RefTensor(_) | ParamType::MutTensor(_) => {
                self.tensors
            }
            ParamType::Matrix(_) | ParamType::RefMatrix(_) | ParamType::MutMatrix(_) => {
                self.matrices
            }
            ParamType::Scalar | ParamType::Int(_) | ParamType::Flag => true,
        }
    }

    /// A function: parameters, a body of about `budget` statements with some traps among them, a result that depends on everything.
    pub(crate) fn write_function(
        &mut self,
        name: &str,
        types: &[ParamType],
        result: ResultType,
        budget: usize,
        traps: usize,
    ) -> Function {
        self.function_with(name, types, result, |generator, _| {
            generator.statements(budget, traps)
        })
    }

    /// A function whose statements are written by `write`, which is told the parameters.
    pub(crate) fn function_with(
        &mut self,
        name: &str,
        types: &[ParamType],
        result: ResultType,
        write: impl FnOnce(&mut Self, &[Param]) -> Vec<Stmt>,
    ) -> Function {
        let saved = std::mem::replace(&mut self.vars, self.globals.clone());
        let targets = std::mem::take(&mut self.targets);
        let outer = self.result.replace(result);
        let mut params = Vec::new();
        for &ty in types {
            let name = self.fresh("p");
            let mutable = matches!(
                ty,
                ParamType::Scalar
                    | ParamType::Array(_)
                    | ParamType::Vector(_)
                    | ParamType::Pair
                    | ParamType::Tensor(_)
                    | ParamType::Matrix(_)
            ) && self.random.chance(0.25);
            self.declare(param_var(&name, ty, mutable));
            params.push(Param { name, ty, mutable });
        }
        let mut body = Vec::new();
        if self.random.chance(0.7) {
            let sum = self.fresh("s");
            self.declare(Var::new(&sum, Kind::Scalar, true, 3.0));
            let value = if self.random.chance(0.5) {
                "0.0".to_owned()
            } else {
                self.literal(0.1, 0.9)
            };
            let text = format!("let mut {sum}: {} = {value};", self.scalar);
            body.push(Stmt::binding(text.clone(), text, &[&sum]));
        }
        body.extend(write(self, &params));
        let (last, tail) = self.result(result);
        body.extend(last);
        self.vars = saved;
        self.targets = targets;
        self.result = outer;
        Function {
            name: name.to_owned(),
            params,
            result,
            body,
            tail,
            generic: None,
        }
    }

    /// About `budget` statements with some traps among them; each function that there is gets a chance to be called.
    fn statements(&mut self, budget: usize, traps: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for round in 0..budget.max(traps) {
            body.extend(self.statement());
            if round < traps {
                body.extend(self.trap_in_context());
            }
        }
        for _ in 0..self.helpers.len() {
            if self.random.chance(0.6) {
                body.extend(self.call_statement().unwrap_or_default());
            }
        }
        body
    }

    /// The end of a function: a result to which every variable contributes.
    fn result(&mut self, result: ResultType) -> (Vec<Stmt>, String) {
        let marks = std::mem::replace(&mut self.marks, true);
        let visible: Vec<Var> = self.having(|var| !var.is_constant());
        let mut terms = Vec::new();
        for var in &visible {
            match var.kind {
                Kind::List(_, n) if n > 0 => {
                    for i in 0..n {
                        let weight = self.literal(0.2, 1.0);
                        let term = format!("{}[{i}]", var.name);
                        terms.push(if self.random.chance(0.5) {
                            format!("{weight} * {term}")
                        } else {
                            format!("({term} * {weight}).sin()")
                        });
                    }
                }
                Kind::Nested(m, n) => {
                    for i in 0..m {
                        terms.push(format!(
                            "{} * {}[{i}][{}]",
                            self.literal(0.2, 1.0),
                            var.name,
                            self.random.below(n)
                        ));
                    }
                }
                Kind::Pair => terms.extend((0..2).map(|field| format!("{}.{field}", var.name))),
                Kind::Scalar => {
                    let other = self.leaf().atom();
                    let read = if var.read.starts_with('*') {
                        format!("({})", var.read)
                    } else {
                        var.read.clone()
                    };
                    terms.push(match self.random.below(4) {
                        0 => read,
                        1 => format!("{read}.sin()"),
                        2 => format!("{read} * {other}.cos()"),
                        _ => format!("{} * {read}", self.literal(0.2, 1.0)),
                    });
                }
                Kind::Matrix(..) => {
                    let weight = self.literal(0.2, 1.0);
                    terms.extend(
                        self.number_of_matrix(var)
                            .map(|number| format!("{weight} * {}", number.atom())),
                    );
                }
                Kind::Tensor(..) | Kind::Tensors(..) => {
                    let weight = self.literal(0.2, 1.0);
                    terms.extend(
                        self.number_of(var)
                            .map(|number| format!("{weight} * {}", number.text)),
                    );
                }
                _ => {}
            }
        }
        let mut chosen: Vec<String> = terms
            .into_iter()
            .filter(|_| self.random.chance(0.9))
            .collect();
        chosen.push(self.float(2, 2.0).atom());
        self.marks = marks;
        if let ResultType::Tensor(shape) = result {
            let value = self.tensor(2, shape, 3.0).atom();
            return (
                Vec::new(),
                format!(
                    "{value} * ({}) + {}",
                    chosen.join(" + "),
                    self.tensor(1, shape, 3.0).atom()
                ),
            );
        }
        if let ResultType::Matrix(matrix) = result {
            let value = self.matrix(2, matrix);
            return (
                Vec::new(),
                format!("{value} * ({}).sin()", chosen.join(" + ")),
            );
        }
        let outputs = result.scalars();
        if outputs == 0 {
            let Some(target) = self.any(|var| {
                var.mutable
                    && (var.read.starts_with('*')
                        || matches!(var.kind, Kind::List(Form::MutSlice | Form::MutArray, 1..)))
            }) else {
                return (Vec::new(), String::new());
            };
            let place = self.place_in(&target);
            let text = format!("{place} = {};", chosen.join(" + "));
            return (vec![Stmt::new(text, &[&target.name])], String::new());
        }
        let mut sums = vec![Vec::new(); outputs];
        for (number, term) in chosen.into_iter().enumerate() {
            let slot = if number < outputs {
                number
            } else {
                self.random.below(outputs)
            };
            sums[slot].push(term);
        }
        let zero = format!("0.0{}", self.scalar);
        let sums: Vec<String> = sums
            .into_iter()
            .map(|sum| {
                if sum.is_empty() {
                    zero.clone()
                } else {
                    sum.join(" + ")
                }
            })
            .collect();
        let list = sums.join(", ");
        let tail = match result {
            ResultType::Unit | ResultType::Tensor(_) | ResultType::Matrix(_) => String::new(),
            ResultType::Scalar => list,
            ResultType::Pair => format!("({list})"),
            ResultType::Array(_) => format!("[{list}]"),
            ResultType::Vector(_) => format!("vec![{list}]"),
            ResultType::Maybe if self.random.chance(0.5) => {
                let condition = self.condition();
                format!("if {condition} {{ Some({list}) }} else {{ None }}")
            }
            ResultType::Maybe => format!("Some({list})"),
            ResultType::Fallible(error) if self.random.chance(0.5) => {
                let (condition, failure) = (self.condition(), self.error(error));
                format!("if {condition} {{ Ok({list}) }} else {{ Err({failure}) }}")
            }
            ResultType::Fallible(_) => format!("Ok({list})"),
        };
        (Vec::new(), tail)
    }
}

/// The variable that a parameter is inside the function.
fn param_var(name: &str, ty: ParamType, mutable: bool) -> Var {
    let list = |form, n, stored| Var::new(name, Kind::List(form, n), stored, 2.0);
    match ty {
        ParamType::Scalar | ParamType::ConstantScalar => Var::new(name, Kind::Scalar, mutable, 2.0),
        ParamType::Pair => Var::new(name, Kind::Pair, mutable, 2.0),
        ParamType::Array(n) => list(Form::Array, n, mutable),
        ParamType::RefArray(n) => list(Form::RefArray, n, false),
        ParamType::RefNested(m, n) => Var::new(name, Kind::Nested(m, n), false, 2.0),
        ParamType::Slice(n) | ParamType::ConstantSlice(n) => list(Form::Slice, n, false),
        ParamType::Vector(n) => list(Form::Vector, n, mutable),
        ParamType::MutSlice(n) => list(Form::MutSlice, n, true),
        ParamType::MutArray(n) => list(Form::MutArray, n, true),
        ParamType::Tensor(shape) => Generator::tensor_var(name, shape, Held::Owned, mutable, 2.0),
        ParamType::RefTensor(shape) => Generator::tensor_var(name, shape, Held::Shared, false, 2.0),
        ParamType::MutTensor(shape) => Generator::tensor_var(name, shape, Held::Changed, true, 2.0),
        ParamType::Matrix(matrix) => Generator::matrix_var(name, matrix, Held::Owned, mutable),
        ParamType::RefMatrix(matrix) => Generator::matrix_var(name, matrix, Held::Shared, false),
        ParamType::MutMatrix(matrix) => Generator::matrix_var(name, matrix, Held::Changed, true),
        ParamType::MutScalar => Var::reference(name, true, 2.0),
        ParamType::Int(bound) => Var::new(name, Kind::Int(0, bound), false, 4.0),
        ParamType::Indices(n, bound) => Var::new(name, Kind::Indices(n, bound), false, 4.0),
        ParamType::Flag => Var::new(name, Kind::Flag, false, 1.0),
    }
}
