//! Functions that call themselves: with a depth that counts down, on shrinking slices, generic in their float.

use super::scope::{Kind, Var};
use super::{Bound, Function, Generator, Param, ParamType, ResultType, Stmt};

impl Generator {
    /// A function that calls itself; its last parameter, an integer, says how deep.
    pub(crate) fn write_recursive(
        &mut self,
        name: &str,
        types: &[ParamType],
        result: ResultType,
    ) -> Function {
        let (rounds, loops) = (self.rounds, self.loops);
        // Whatever is in it runs at each depth.
        (self.rounds, self.loops) = (rounds * 8, loops + 1);
        let function = self.function_with(name, types, result, |g, params| {
            g.calling_itself(name, params, result)
        });
        (self.rounds, self.loops) = (rounds, loops);
        function
    }

    fn calling_itself(&mut self, name: &str, params: &[Param], result: ResultType) -> Vec<Stmt> {
        let depth = params.last().map(|param| param.name.clone());
        let depth = depth.unwrap_or_default();
        let this = Function {
            name: name.to_owned(),
            params: params.to_vec(),
            result,
            body: Vec::new(),
            tail: String::new(),
            generic: None,
        };
        let mut body = Vec::new();
        let before = self.random.below(2);
        body.extend((0..before).flat_map(|_| self.statement()));
        let end = self.return_jump().unwrap_or_else(|| "panic!();".to_owned());
        body.push(Stmt::new(format!("if {depth} == 0 {{ {end} }}"), &[]));
        for _ in 0..self.random.between(1, 2) {
            let Some((arguments, changed)) = self.arguments(&this) else {
                continue;
            };
            let arguments = arguments.rsplit_once(',').map_or("", |(first, _)| first);
            let less = if self.random.chance(0.7) {
                format!("{depth} - 1")
            } else {
                format!("{depth} / 2")
            };
            let call = format!("{name}({arguments}, {less})");
            body.extend(self.bind_call(&call, result, &changed));
            if self.random.chance(0.4) {
                body.extend(self.statement());
            }
        }
        body
    }

    /// A function of a template: on slices that get shorter, or generic.
    pub(crate) fn write_template(&mut self) -> Option<Function> {
        let name = self.fresh("h");
        let (p, c) = (self.fresh("p"), self.fresh("p"));
        let n = self.random.between(2, 4);
        let choice = self.random.below(12);
        let generic = (5..8).contains(&choice);
        let construct = match choice {
            0..=4 => "recursion",
            5..=7 => "generic",
            _ => "call",
        };
        if !self.use_of(construct) || choice == 1 && !self.use_of("match") {
            return None;
        }
        if choice == 11 {
            return self.lending_scratch(&name, (&p, &c), n);
        }
        let (list, mut second) = match choice {
            0..=2 | 8.. => (ParamType::Slice(n), ParamType::Scalar),
            3 | 4 => (ParamType::MutSlice(n), ParamType::Scalar),
            5 => (ParamType::Slice(n), ParamType::Scalar),
            _ => (ParamType::Scalar, ParamType::Scalar),
        };
        if choice == 7 {
            second = ParamType::Int(3);
        }
        if !self.allows(list) {
            return None;
        }
        let mut scope = vec![Var::new(&c, Kind::Scalar, false, 2.0)];
        if generic {
            scope.clear();
        }
        let mark = self.vars.len();
        let outer = std::mem::replace(&mut self.vars, self.globals.clone());
        self.vars.extend(scope.clone());
        let (e, f) = (self.fixed(2, 2.0), self.fixed(1, 1.0));
        scope.push(Var::new("z", Kind::Scalar, false, 2.0));
        let (g, h) = (
            self.fixed_with(scope.clone(), 2, 2.0),
            self.fixed_with(scope, 1, 2.0),
        );
        // In a loop behind a guard.
        let called = if choice >= 8 {
            self.vars.push(Var::new("z", Kind::Scalar, false, 2.0));
            let helper = self.helper(|function| {
                let changes = |param: &Param| param.ty.is_mut();
                function.result == ResultType::Scalar && !function.params.iter().any(changes)
            });
            helper.and_then(|helper| {
                let (arguments, _) = self.arguments(&helper)?;
                Some(format!("{}({arguments})", helper.name))
            })
        } else {
            None
        };
        self.vars = outer;
        self.vars.truncate(mark);
        if choice >= 8 && called.is_none() {
            return None;
        }
        let called = called.unwrap_or_default();
        let l = self.literal(0.2, 0.9);
        let (lines, tail): (Vec<String>, String) = match choice {
            0 => (
                vec![
                    format!("if {p}.is_empty() {{ return {e}; }}"),
                    format!("let z = {p}[0];"),
                    format!("let r = {name}(&{p}[1..], ({g}).sin());"),
                ],
                format!("r * z.cos() + {h}"),
            ),
            1 => (
                vec![],
                format!(
                    "match {p} {{ [] => {e}, [z] if *z > {l} => z * ({c}), [z, rest @ ..] => {{ let z = *z; {name}(rest, {g}).sin() * z + {h} }} }}"
                ),
            ),
            2 => (
                vec![
                    format!("if {p}.len() < 2 {{ return {p}[0] * ({e}); }}"),
                    format!("let (left, right) = {p}.split_at({p}.len() / 2);"),
                    format!("let z = {name}(left, ({f}).cos());"),
                ],
                format!("z * {name}(right, {g}).sin() + {p}[0] * {p}[{p}.len() - 1]"),
            ),
            3 => (
                vec![
                    format!("if {p}.is_empty() {{ return {e}; }}"),
                    format!("let z = {p}[0];"),
                    format!("{p}[0] = {g};"),
                    format!("let r = {name}(&mut {p}[1..], ({h}).sin());"),
                    format!("{p}[0] *= r.sin();"),
                ],
                format!("z * r.cos() + {p}[{p}.len() - 1]"),
            ),
            4 => (
                vec![
                    format!("if {p}.len() < 2 {{ {p}[0] = {p}[0].sin() * ({e}); return {f}; }}"),
                    format!("let m = {p}.len() / 2;"),
                    format!("let (left, right) = {p}.split_at_mut(m);"),
                    format!("let z = {name}(left, {c} * right[0].cos());"),
                    format!("right[0] += left[0] * ({g}).cos();"),
                    format!("let y = {name}(right, ({h}).sin());"),
                ],
                format!("z.sin() * y + {p}[0] * {p}[m]"),
            ),
            5 => (
                vec![
                    format!("let mut s = {c};"),
                    format!(
                        "for z in {p} {{ if *z < T::ZERO {{ continue; }} s = s.sin() * *z + T::from_f64({l}); }}"
                    ),
                ],
                format!("s * {c} - {p}[0] / (T::ONE + s * s)"),
            ),
            6 => (
                vec![format!(
                    "let z = if {p} > {c} {{ {p} * {p}.sin() }} else {{ {c}.tanh() + T::from_f64({l}) }};"
                )],
                format!("z.max({p}) * {c} - z.powi(2)"),
            ),
            8 => (
                vec![
                    format!("if {p}.len() < 2 {{ return {e}; }}"),
                    format!("let mut s = {c};"),
                    format!(
                        "for z in {p} {{ let z = *z; let r = {called}; if z > {l} {{ s += r * z * 0.1; }} else {{ s -= ({f}) * r * 0.1; }} }}"
                    ),
                ],
                format!("s * {l} + {f}"),
            ),
            10 => {
                let filled = if self.random.chance(0.5) && self.use_of("vec") {
                    "vec!"
                } else if self.use_of("array") {
                    ""
                } else {
                    return None;
                };
                (
                    vec![
                        format!("let mut t = {filled}[{f}; {n}];"),
                        format!("let mut s = {c};"),
                        format!(
                            "for k in 0..3 {{ for i in 0..{n} {{ t[i] = {p}[i] * {c} + {l}; }} for i in 1..{n} {{ t[i] *= t[i - 1].sin(); }} let z = t[k % {n}]; s += z * {called} * 0.1; }}"
                        ),
                    ],
                    format!("s * {l} + {f}"),
                )
            }
            9 => (
                vec![
                    format!("let mut s = {f};"),
                    format!("let z = {p}[0];"),
                    format!(
                        "if {c} > {l} {{ for k in 0..{p}.len() {{ s += {called} * {p}[k] * 0.1; }} }} else if {c} > -{l} {{ s -= {c} * {called} * 0.2; }} else {{ return {e}; }}"
                    ),
                ],
                format!("s + z * {c}"),
            ),
            _ => (
                vec![
                    format!("if {c} == 0 {{ return {p}.cos(); }}"),
                    format!("let z = {name}({p} * T::from_f64({l}), {c} - 1);"),
                ],
                format!("z * {p} + (z - T::ONE).sin()"),
            ),
        };
        let param = |name: &str, ty| Param {
            name: name.to_owned(),
            ty,
            mutable: false,
        };
        let bounds = [Bound::Ours, Bound::OfAnotherCrate, Bound::Built];
        let generic = generic.then(|| bounds[n % 3]);
        let of_bound = |code: String| match generic {
            Some(bound) => bound.constants(&code),
            None => code,
        };
        Some(Function {
            name,
            params: vec![param(&p, list), param(&c, second)],
            result: ResultType::Scalar,
            body: lines
                .into_iter()
                .map(|line| Stmt::new(of_bound(line), &[]))
                .collect(),
            tail: of_bound(tail),
            generic,
        })
    }

    /// A loop that lends memory to a function, which overwrites all of it, or not; the two are beside each other.
    pub(crate) fn lending_scratch(
        &mut self,
        name: &str,
        (p, c): (&str, &str),
        n: usize,
    ) -> Option<Function> {
        if !self.use_of("vec") || !self.allows(ParamType::MutSlice(n)) {
            return None;
        }
        let to = self.fresh("h");
        let [x, k, out] = [self.fresh("p"), self.fresh("p"), self.fresh("p")];
        let l = self.literal(0.2, 0.9);
        let body = match self.random.below(8) {
            0 | 1 => format!("for i in 0..{x}.len() {{ {out}[i] = {x}[i] * {k} + {l}; }}"),
            2 => format!(
                "for i in 0..{out}.len() {{ {out}[i] = ({x}[i % {x}.len()] * {k}).sin(); }}"
            ),
            3 => format!(
                "let d = {x}.len(); for i in 0..d {{ {out}[i] = {k}; }} for i in 0..d {{ for j in i + 1..d {{ {out}[j] += {x}[i] * {k}; }} }}"
            ),
            4 => format!("for i in 1..{x}.len() {{ {out}[i] = {x}[i] * {k}; }}"),
            5 => format!("for i in 0..{x}.len() {{ {out}[i] = {out}[i] * {k} + {x}[i]; }}"),
            6 => format!(
                "for i in 0..{x}.len() {{ if {x}[i] > {l} {{ {out}[i] = {x}[i] * {k}; }} }}"
            ),
            _ => format!(
                "for i in 0..{x}.len() {{ if {x}[i] > {l} {{ break; }} {out}[i] = {x}[i] * {k}; }}"
            ),
        };
        let param = |name: &str, ty| Param {
            name: name.to_owned(),
            ty,
            mutable: false,
        };
        self.helpers.push(Function {
            name: to.clone(),
            params: vec![
                param(&x, ParamType::Slice(n)),
                param(&k, ParamType::Scalar),
                param(&out, ParamType::MutSlice(n)),
            ],
            result: ResultType::Unit,
            body: vec![Stmt::new(body, &[])],
            tail: String::new(),
            generic: None,
        });
        let made = match self.random.below(4) {
            0 | 1 => format!("vec![{c}; {p}.len()]"),
            2 => format!("[{c}; {n}]"),
            _ => format!("vec![{c}; {}]", n + 1),
        };
        let before = if self.random.chance(0.2) {
            format!("s += t[0] * {l};")
        } else {
            String::new()
        };
        let after = if self.random.chance(0.2) {
            " + t[0]"
        } else {
            ""
        };
        // From round to round a sum alone, or a list; what the call has left is read by products, or not.
        let rounds = if self.random.chance(0.4) {
            format!(
                "for k in 0..3 {{ {before} {to}({p}, {p}[k % {n}] * {c}, &mut t); for i in 0..{n} {{ s += t[i] * {p}[(i + k) % {n}] * 0.1; }} }}"
            )
        } else {
            let next = match self.random.below(3) {
                0 => "y[i] * t[i].sin()",
                _ => "y[i].sin() + t[i] * 0.2",
            };
            let again = match self.random.below(4) {
                0 => format!("{to}({p}, y[0], &mut t); for i in 0..{n} {{ y[i] += t[i] * 0.1; }}"),
                1 => format!("for i in 0..{n} {{ s += t[i] * t[i] * 0.1; }}"),
                2 => format!(
                    "let mut u = vec![{c}; {n}]; {to}(&t[..{n}], {c}, &mut u); y[0] += u[{n} - 1];"
                ),
                _ => String::new(),
            };
            format!(
                "let mut y = {p}.to_vec(); for k in 0..3 {{ {before} {to}(&y, {p}[k % {n}] * {c}, &mut t); for i in 0..{n} {{ y[i] = {next}; }} {again} }} for i in 0..{n} {{ s += y[i] * y[i] * 0.2; }}"
            )
        };
        let lines = [
            format!("let mut t = {made};"),
            format!("let mut s = {c};"),
            rounds,
        ];
        Some(Function {
            name: name.to_owned(),
            params: vec![param(p, ParamType::Slice(n)), param(c, ParamType::Scalar)],
            result: ResultType::Scalar,
            body: lines.into_iter().map(|line| Stmt::new(line, &[])).collect(),
            tail: format!("s.sin(){after}"),
            generic: None,
        })
    }
}
