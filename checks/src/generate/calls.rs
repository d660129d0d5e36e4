//! Other `#[grad]` functions: making them, and calling them.

use super::expr::Expr;
use super::scope::{Form, Kind, Var};
use super::{Function, Generator, Param, ParamType, ResultType, Stmt};

impl Generator {
    /// Writes one function that later ones may call.
    pub(crate) fn write_helper(&mut self) {
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
            _ => ResultType::Scalar,
        };
        let name = self.fresh("h");
        let budget = self.random.between(1, 3);
        let function = self.write_function(&name, &types, result, budget, 0);
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
        let saved = std::mem::replace(&mut self.vars, self.globals.clone());
        let targets = std::mem::take(&mut self.targets);
        let outer = self.result.replace(result);
        let mut params = Vec::new();
        for &ty in types {
            let name = self.fresh("p");
            let mutable = matches!(
                ty,
                ParamType::Scalar | ParamType::Array(_) | ParamType::Vector(_) | ParamType::Pair
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
        for round in 0..budget.max(traps) {
            body.extend(self.statement());
            if round < traps {
                body.extend(self.trap_in_context());
            }
        }
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
        }
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
                _ => {}
            }
        }
        let mut chosen: Vec<String> = terms
            .into_iter()
            .filter(|_| self.random.chance(0.9))
            .collect();
        chosen.push(self.float(2, 2.0).atom());
        self.marks = marks;
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
            ResultType::Unit => String::new(),
            ResultType::Scalar => list,
            ResultType::Pair => format!("({list})"),
            ResultType::Array(_) => format!("[{list}]"),
            ResultType::Vector(_) => format!("vec![{list}]"),
        };
        (Vec::new(), tail)
    }

    /// Arguments for a function, and the names that the call changes.
    fn arguments(&mut self, function: &Function) -> Option<(String, Vec<String>)> {
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
    fn helper(&mut self, condition: impl Fn(&Function) -> bool) -> Option<Function> {
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
        let (a, b) = (self.fresh("c"), self.fresh("c"));
        let mut names: Vec<&str> = changed.iter().map(String::as_str).collect();
        let stmt = match helper.result {
            ResultType::Unit => Stmt::new(format!("{call};"), &names),
            ResultType::Pair => {
                names.extend([a.as_str(), b.as_str()]);
                self.declare(Var::new(&a, Kind::Scalar, false, 8.0));
                self.declare(Var::new(&b, Kind::Scalar, false, 8.0));
                Stmt::binding(
                    format!("let ({a}, {b}) = {call};"),
                    format!("let ({a}, {b}) = (0.75{0}, 0.5{0});", self.scalar),
                    &names,
                )
            }
            _ => {
                names.push(&a);
                self.declare(Var::new(&a, Kind::Scalar, false, 8.0));
                Stmt::binding(
                    format!("let {a} = {call};"),
                    format!("let {a} = 0.75{};", self.scalar),
                    &names,
                )
            }
        };
        Some(vec![stmt])
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
        ParamType::MutScalar => Var::reference(name, true, 2.0),
        ParamType::Int(bound) => Var::new(name, Kind::Int(0, bound), false, 4.0),
        ParamType::Indices(n, bound) => Var::new(name, Kind::Indices(n, bound), false, 4.0),
        ParamType::Flag => Var::new(name, Kind::Flag, false, 1.0),
    }
}
