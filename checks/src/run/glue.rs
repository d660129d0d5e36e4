//! The text of a generated module: the program in several forms, and functions that call them with flat lists of floats.

use std::fmt::Write as _;

use crate::generate::{
    Function, ParamType, Program, ResultType, is_steep, types_on_tape, types_text,
};

/// Which derivatives a module asks for.
#[allow(
    clippy::struct_excessive_bools,
    reason = "forms that do not depend on each other"
)]
#[derive(Debug, Clone)]
pub struct Forms {
    /// Options of the judged form, for example a mutation.
    pub options: String,
    /// The program with its body written another way (same values, same gradient up to rounding), with a name.
    pub variant: Option<(&'static str, Program)>,
    /// The option of the twin that leaves out a rule of the compiler, if that is compared.
    pub without: Option<&'static str>,
    /// Is the twin with the shadow check compared?
    pub verify: bool,
    /// Is the twin on a tape compared?
    pub dynamic: bool,
    /// Is the twin with strong zeros compared, where the program sets infinite slopes?
    pub strong: bool,
    /// Are second derivatives compared?
    pub second: bool,
    /// Is what is called all that is compiled: `vjp` and `jvp` of the judged form, and `grad`, `hvp` and `hessian` of order 2?
    pub lean: bool,
    /// No derivative at all: the plain function stands in for each of them, to test the programs themselves.
    pub plain: bool,
}

/// The options that leave out a rule of the compiler; without the first, derivatives have the same bits.
pub(super) const WITHOUT: &[&str] = &[
    "__remember_all",
    "__step_nothing",
    "__leave_nothing",
    "__sink_nothing",
    "__factor_nothing",
    "__choose_nothing",
    "__zero_all",
    "__rebase_nothing",
    "__sum_nothing",
    "__turn_nothing",
    "__carry_nothing",
    "__fuse_nothing",
    "__step_nothing, __leave_nothing, __sink_nothing, __factor_nothing, __choose_nothing, __zero_all, __rebase_nothing, __sum_nothing, __turn_nothing, __carry_nothing, __fuse_nothing",
];

impl Default for Forms {
    fn default() -> Self {
        Self {
            options: String::new(),
            variant: None,
            without: Some(WITHOUT[0]),
            verify: true,
            dynamic: true,
            strong: true,
            second: false,
            lean: false,
            plain: false,
        }
    }
}

impl Forms {
    /// Whether the twin on a tape is compared: functions of tensors, of matrices of other crates, and those that return results have none.
    fn is_on_tape(&self, program: &Program) -> bool {
        let of_numbers = ["tensor", "matrix", "fallible"]
            .iter()
            .all(|name| !program.constructs.contains(name));
        self.dynamic && of_numbers
    }

    /// Whether the twin is compared that computes tensors operation by operation: in the place of the one on a tape.
    fn is_apart(&self, program: &Program) -> bool {
        self.dynamic && program.constructs.contains("tensor")
    }

    /// Whether the twin with strong zeros is compared.
    fn is_strong(&self, program: &Program) -> bool {
        self.strong && !self.plain && program.traps.iter().any(|trap| is_steep(trap))
    }
}

/// The module of a program.
#[must_use]
pub fn module_text(program: &Program, forms: &Forms) -> String {
    let glue = Glue { program };
    let mut out = String::new();
    let _ = writeln!(out, "use autodiff_checks::flat::{{Flat, filled, flat}};\n");
    if program.constructs.contains("tensor") {
        let _ = writeln!(out, "use autodiff::Tensor;\n");
    }
    let _ = writeln!(out, "mod plain {{\n{}}}\n", program.render(""));
    glue.shared(&mut out);
    if forms.plain {
        out.push_str(&glue.entry(&[], forms));
        return out;
    }
    let options = forms.options.as_str();
    let all_forms = attribute(&[options]);
    // Of a twin nothing but `vjp` is called, and of what functions call not the forms for users. The types are without the options.
    let twin_of_types = |of: &Program, kind: &str, types: &str| {
        let [called, judged] = [
            "__only = \"__fwd, __leaving, __vjp, __even, __passed, __zero_*\"",
            "__only = \"vjp\"",
        ]
        .map(|only| attribute(&[kind, options, only]));
        of.render_with(&attribute(&[types]), &called, &judged)
    };
    let twin = |of: &Program, kind: &str| twin_of_types(of, kind, kind);
    let mut twins = Vec::new();
    let hidden = attribute(&[options, "__only = \"__*\""]);
    let judged = if forms.lean {
        attribute(&[options, "__only = \"vjp, jvp\""])
    } else {
        all_forms.clone()
    };
    let _ = writeln!(
        out,
        "mod judged {{\n{}}}\n",
        program.render_with(&attribute(&[]), &hidden, &judged)
    );
    glue.vjp(&mut out, "judged", "vjp");
    glue.jvp(&mut out, "judged", "jvp");
    if forms.is_strong(program) {
        let [called, judged] = ["__only = \"__*\"", "__only = \"vjp, jvp\""]
            .map(|only| attribute(&["strong_zero", options, only]));
        let _ = writeln!(
            out,
            "mod strong {{\n{}}}\n",
            program.render_with(&attribute(&["strong_zero"]), &called, &judged)
        );
        glue.vjp(&mut out, "strong", "vjp_strong");
        glue.jvp(&mut out, "strong", "jvp_strong");
    }
    if !forms.lean && !glue.has_outputs() {
        glue.forms_for_users(&mut out);
    }
    if let Some(rule) = forms.without {
        // The types are the same in all programs.
        let text = twin_of_types(program, rule, WITHOUT[0]);
        let _ = writeln!(out, "mod all {{\n{text}}}\n");
        glue.vjp(&mut out, "all", "vjp_all");
        twins.push((rule, rule == WITHOUT[0], "vjp_all"));
    }
    if forms.verify {
        let _ = writeln!(out, "mod verified {{\n{}}}\n", twin(program, "verify"));
        glue.vjp(&mut out, "verified", "vjp_verified");
        twins.push(("verify", true, "vjp_verified"));
    }
    if forms.is_on_tape(program) {
        let _ = writeln!(out, "mod dynamic {{\n{}}}\n", on_tape(program));
        glue.vjp(&mut out, "dynamic", "vjp_dynamic");
        twins.push(("dynamic", false, "vjp_dynamic"));
    }
    if forms.is_apart(program) {
        let _ = writeln!(out, "mod apart {{\n{}}}\n", twin(program, "__map_nothing"));
        glue.vjp(&mut out, "apart", "vjp_apart");
        twins.push(("operation by operation", false, "vjp_apart"));
    }
    if let Some((name, variant)) = &forms.variant {
        let _ = writeln!(out, "mod variant {{\n{}}}\n", twin(variant, ""));
        glue.vjp(&mut out, "variant", "vjp_variant");
        twins.push((name, false, "vjp_variant"));
    }
    if !forms.lean && !glue.has_outputs() {
        glue.pullback(&mut out);
        twins.push(("pullback", false, "pullback"));
    }
    if forms.second {
        let order = attribute(&["order = 2", options]);
        let [called, judged] = if forms.lean {
            ["__only = \"__*\"", "__only = \"grad, hvp, hessian\""]
                .map(|only| attribute(&["order = 2", options, only]))
        } else {
            [order.clone(), order]
        };
        let _ = writeln!(
            out,
            "mod second {{\n{}}}\n",
            program.render_with(&attribute(&["order = 2"]), &called, &judged)
        );
        glue.second(&mut out);
    }
    out.push_str(&glue.entry(&twins, forms));
    out
}

/// `#[grad(…)]` with the options that say something.
fn attribute(options: &[&str]) -> String {
    let options = options.iter().filter(|text| !text.is_empty());
    let options: Vec<&str> = options.copied().collect();
    if options.is_empty() {
        "#[autodiff::grad]".to_owned()
    } else {
        format!("#[autodiff::grad({})]", options.join(", "))
    }
}

/// Functions with kinks, as programs call them.
const KINKS: &[&str] = &[
    "abs(", "max(", "min(", "clamp(", "relu(", "max_axis", "min_axis", "maximum(", "minimum(",
];

/// Functions that overflow for numbers that are not large.
const OVERFLOWING: &[&str] = &["exp(", "exp2(", "exp_m1(", "sinh(", "cosh("];

/// Does the function name types with plain floats in them?
fn has_types(program: &Program, function: &Function) -> bool {
    let text = function.render(program.scalar, "");
    ["Point", "Body", "Shape"]
        .iter()
        .any(|name| text.contains(name))
}

/// The program on a tape; every other function that it calls stays compiled, but for those that change what they are lent.
fn on_tape(program: &Program) -> String {
    let functions = || program.helpers.iter().chain([&program.main]);
    let types = types_text(program.scalar);
    let items = program.items.iter().map(|item| {
        if *item == types {
            types_on_tape(program.scalar)
        } else {
            item.clone()
        }
    });
    let mut out = items.collect::<Vec<_>>().join("\n");
    let last = program.helpers.len();
    let mut counting: Vec<String> = Vec::new();
    for (k, function) in functions().enumerate() {
        // What counts how often it runs may run once only; so may what calls it.
        let text = function.render(program.scalar, "");
        let counts =
            text.contains("effect::") || counting.iter().any(|called| text.contains(called));
        if counts {
            counting.push(format!("{}(", function.name));
        }
        let mutates = function.params.iter().any(|param| param.ty.is_mut());
        let every_other = k != last && (program.index as usize + k).is_multiple_of(2);
        // A tape has no variables in structs of plain floats.
        let typed = has_types(program, function);
        let compiled = function.generic.is_some() || every_other && !counts && !mutates && !typed;
        let attribute = if compiled {
            "#[autodiff::grad]"
        } else {
            "#[autodiff::grad(dynamic)]"
        };
        let _ = write!(out, "\n{}", function.render(program.scalar, attribute));
    }
    out
}

struct Glue<'a> {
    program: &'a Program,
}

impl Glue<'_> {
    /// Whether the Jacobian has the shape of the result: not where that is a tensor.
    fn has_rows(&self) -> bool {
        !matches!(
            self.program.main.result,
            ResultType::Tensor(_) | ResultType::Matrix(_)
        )
    }

    fn has_outputs(&self) -> bool {
        self.program
            .main
            .params
            .iter()
            .any(|param| param.ty.is_mut())
    }

    fn active(&self) -> impl Iterator<Item = ParamType> + '_ {
        self.program
            .main
            .params
            .iter()
            .map(|param| param.ty)
            .filter(|ty| ty.is_active())
    }

    /// A value of the owned type of a parameter.
    fn blank(&self, ty: ParamType) -> String {
        let s = self.program.scalar;
        match ty {
            ParamType::Scalar | ParamType::MutScalar => format!("0.0{s}"),
            ParamType::Pair => format!("(0.0{s}, 0.0{s})"),
            ParamType::Array(n) | ParamType::RefArray(n) | ParamType::MutArray(n) => {
                format!("[0.0{s}; {n}]")
            }
            ParamType::RefNested(m, n) => format!("[[0.0{s}; {n}]; {m}]"),
            ParamType::Slice(n) | ParamType::Vector(n) | ParamType::MutSlice(n) => {
                format!("vec![0.0{s}; {n}]")
            }
            ParamType::Tensor(shape)
            | ParamType::RefTensor(shape)
            | ParamType::MutTensor(shape) => {
                format!("autodiff::Tensor::<{s}>::zeros({})", shape.text())
            }
            ParamType::Matrix(matrix)
            | ParamType::RefMatrix(matrix)
            | ParamType::MutMatrix(matrix) => matrix.constant(s),
            _ => String::new(),
        }
    }

    /// The type that a parameter's value has outside of the function.
    fn owned(&self, ty: ParamType) -> String {
        let s = self.program.scalar;
        match ty {
            ParamType::MutScalar => s.to_owned(),
            ParamType::RefArray(n) | ParamType::MutArray(n) => format!("[{s}; {n}]"),
            ParamType::RefNested(m, n) => format!("[[{s}; {n}]; {m}]"),
            ParamType::Slice(_) | ParamType::MutSlice(_) => format!("Vec<{s}>"),
            ParamType::Tensor(_) | ParamType::RefTensor(_) | ParamType::MutTensor(_) => {
                format!("autodiff::Tensor<{s}>")
            }
            ParamType::Matrix(matrix)
            | ParamType::RefMatrix(matrix)
            | ParamType::MutMatrix(matrix) => matrix.source(s),
            ParamType::ConstantSlice(_) => format!("&'static [{s}]"),
            ParamType::Indices(..) => "&'static [usize]".to_owned(),
            _ => ty.source(s),
        }
    }

    /// `a.0` passed as the parameter is.
    fn passed(ty: ParamType, place: &str) -> String {
        match ty {
            ParamType::RefArray(_)
            | ParamType::RefNested(..)
            | ParamType::Slice(_)
            | ParamType::RefTensor(_)
            | ParamType::RefMatrix(_) => {
                format!("&{place}")
            }
            ParamType::Vector(_) | ParamType::Tensor(_) | ParamType::Matrix(_) => {
                format!("{place}.clone()")
            }
            _ if ty.is_mut() => format!("&mut {place}"),
            _ => place.to_owned(),
        }
    }

    fn arguments(&self) -> String {
        let texts: Vec<String> = self
            .program
            .main
            .params
            .iter()
            .enumerate()
            .map(|(k, param)| Self::passed(param.ty, &format!("a.{k}")))
            .collect();
        texts.join(", ")
    }

    /// Functions that every form uses: arguments, tangents, the primal.
    fn shared(&self, out: &mut String) {
        let params = &self.program.main.params;
        let types: Vec<String> = params
            .iter()
            .map(|param| self.owned(param.ty) + ", ")
            .collect();
        let _ = writeln!(
            out,
            "fn args(point: usize, mut z: &[f64]) -> ({}) {{",
            types.concat()
        );
        let mut inactive = 0;
        let _ = write!(out, "    (");
        for param in params {
            if param.ty.is_active() {
                let _ = write!(out, "filled({}, &mut z), ", self.blank(param.ty));
            } else {
                let arms: Vec<String> = self
                    .program
                    .points
                    .iter()
                    .enumerate()
                    .map(|(k, point)| format!("{k} => {}", point.inactive[inactive]))
                    .collect();
                let _ = write!(
                    out,
                    "match point {{ {}, _ => unreachable!() }}, ",
                    arms.join(", ")
                );
                inactive += 1;
            }
        }
        out.push_str(")\n}\n\n");
        let owned: Vec<String> = self.active().map(|ty| self.owned(ty) + ", ").collect();
        let blanks: Vec<String> = self
            .active()
            .map(|ty| format!("filled({}, &mut z), ", self.blank(ty)))
            .collect();
        let _ = writeln!(
            out,
            "fn tangents(mut z: &[f64]) -> ({}) {{\n    ({})\n}}\n",
            owned.concat(),
            blanks.concat()
        );
        let _ = writeln!(
            out,
            "fn primal(point: usize, x: &[f64]) -> Vec<f64> {{\n    let mut a = args(point, x);"
        );
        let _ = writeln!(
            out,
            "    let r = plain::judged({});\n    let mut out = flat(&r);",
            self.arguments()
        );
        out.push_str(&self.final_states("out"));
        out.push_str("    out\n}\n\n");
    }

    /// Appends the final states of `&mut` parameters to a list.
    fn final_states(&self, list: &str) -> String {
        let params = self.program.main.params.iter().enumerate();
        params
            .filter(|(_, param)| param.ty.is_mut())
            .fold(String::new(), |mut text, (k, _)| {
                let _ = writeln!(text, "    Flat::flatten(&a.{k}, &mut {list});");
                text
            })
    }

    /// `seed, &mut ū, …` for a cotangent `w` of all outputs; the lines before it make them.
    fn seeds(&self) -> (String, String) {
        let result = self.program.main.result;
        let mut before = String::from("    let mut w = w;\n");
        let mut list = String::new();
        if result != ResultType::Unit {
            let _ = writeln!(
                before,
                "    let seed = filled({}, &mut w);",
                result.constant(self.program.scalar)
            );
            list.push_str(", seed");
        }
        for (k, ty) in self.active().enumerate().filter(|(_, ty)| ty.is_mut()) {
            let _ = writeln!(
                before,
                "    let mut c{k} = filled({}, &mut w);",
                self.blank(ty)
            );
            let _ = write!(list, ", &mut c{k}");
        }
        (before, list)
    }

    /// Collects the entries of `g` and the cotangents in the order of the parameters.
    fn collect(&self) -> String {
        let plain = self.active().filter(|ty| !ty.is_mut()).count();
        let mut text = String::from("    let mut gradient = Vec::new();\n");
        let mut entry = 0;
        for (k, ty) in self.active().enumerate() {
            if ty.is_mut() {
                let _ = writeln!(text, "    Flat::flatten(&c{k}, &mut gradient);");
            } else {
                let place = if plain == 1 {
                    "g".to_owned()
                } else {
                    format!("g.{entry}")
                };
                let _ = writeln!(text, "    Flat::flatten(&{place}, &mut gradient);");
                entry += 1;
            }
        }
        text
    }

    fn vjp(&self, out: &mut String, module: &str, name: &str) {
        let (before, seeds) = self.seeds();
        let pattern = if self.program.main.result == ResultType::Unit {
            "let (r, g) = ((), "
        } else {
            "let (r, g) = ("
        };
        let _ = writeln!(
            out,
            "fn {name}(point: usize, x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {{\n    let mut a = args(point, x);\n{before}"
        );
        let _ = writeln!(
            out,
            "    {pattern}{module}::judged::vjp({}{seeds}));",
            self.arguments()
        );
        let _ = writeln!(
            out,
            "    let mut out = flat(&r);\n{}{}    (out, gradient)\n}}\n",
            self.final_states("out"),
            self.collect()
        );
    }

    fn pullback(&self, out: &mut String) {
        let (before, seeds) = self.seeds();
        let _ = writeln!(
            out,
            "fn pullback(point: usize, x: &[f64], w: &[f64]) -> (Vec<f64>, Vec<f64>) {{\n    let mut a = args(point, x);\n{before}"
        );
        let _ = writeln!(
            out,
            "    let (r, back) = judged::judged::pullback({});\n    let out = flat(&r);",
            self.arguments()
        );
        let _ = writeln!(
            out,
            "    let g = back({});\n{}    (out, gradient)\n}}\n",
            seeds.trim_start_matches(", "),
            self.collect()
        );
    }

    /// The tangents in `t`, passed as the parameters are.
    fn tangents(&self) -> String {
        let tangents: Vec<String> = self
            .active()
            .enumerate()
            .map(|(k, ty)| Self::passed(ty, &format!("t.{k}")))
            .collect();
        tangents.join(", ")
    }

    fn jvp(&self, out: &mut String, module: &str, name: &str) {
        let arguments = self.arguments();
        let tangents = self.tangents();
        let _ = writeln!(
            out,
            "fn {name}(point: usize, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {{"
        );
        let _ = writeln!(
            out,
            "    let (mut a, mut t) = (args(point, x), tangents(v));"
        );
        let call = format!("{module}::judged::jvp({arguments}, ({tangents}))");
        if self.program.main.result == ResultType::Unit {
            let _ = writeln!(out, "    {call};\n    let (r, d) = ((), ());");
        } else {
            let _ = writeln!(out, "    let (r, d) = {call};");
        }
        let _ = writeln!(
            out,
            "    let mut out = flat(&r);\n    let mut tangent = flat(&d);\n{}",
            self.final_states("out")
        );
        for (k, _) in self.active().enumerate().filter(|(_, ty)| ty.is_mut()) {
            let _ = writeln!(out, "    Flat::flatten(&t.{k}, &mut tangent);");
        }
        out.push_str("    (out, tangent)\n}\n\n");
    }

    /// The forms of the judged function that are made from its `vjp` and `jvp`.
    fn forms_for_users(&self, out: &mut String) {
        let arguments = self.arguments();
        let buffers: Vec<String> = self
            .active()
            .enumerate()
            .map(|(k, _)| format!(", &mut b.{k}"))
            .collect();
        let buffers = buffers.concat();
        let (before, seeds) = self.seeds();
        let header = |name: &str| {
            format!(
                "fn {name}(point: usize, x: &[f64], w: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {{\n    let (mut a, mut b) = (args(point, x), tangents(b));\n"
            )
        };
        let _ = writeln!(
            out,
            "{}{before}    let r = judged::judged::vjp_into({arguments}{seeds}{buffers});\n    (flat(&r), flat(&b))\n}}\n",
            header("vjp_into")
        );
        for name in ["jacobian", "jacfwd", "jacrev"] {
            let _ = writeln!(
                out,
                "fn {name}(point: usize, x: &[f64]) -> Vec<f64> {{\n    let mut a = args(point, x);\n    flat(judged::judged::{name}({arguments}).as_slice())\n}}\n"
            );
        }
        if self.has_rows() {
            let _ = writeln!(
                out,
                "fn jacobian_rows(point: usize, x: &[f64]) -> Vec<f64> {{\n    let mut a = args(point, x);\n    flat(&judged::judged::jacobian_rows({arguments}))\n}}\n"
            );
        }
        if self.program.main.result == ResultType::Scalar {
            let _ = writeln!(
                out,
                "{}    let r = judged::judged::grad_into({arguments}{buffers});\n    (flat(&r), flat(&b))\n}}\n",
                header("grad_into")
            );
            let header = |name: &str| {
                format!(
                    "fn {name}(point: usize, x: &[f64]) -> (Option<Vec<f64>>, Vec<f64>) {{\n    let mut a = args(point, x);\n"
                )
            };
            let _ = writeln!(
                out,
                "{}    (None, flat(&judged::judged::grad({arguments})))\n}}\n",
                header("grad")
            );
            let _ = writeln!(
                out,
                "{}    let (r, g) = judged::judged::value_and_grad({arguments});\n    (Some(flat(&r)), flat(&g))\n}}\n",
                header("value_and_grad")
            );
        }
    }

    /// The second derivatives of the form that has them.
    fn second(&self, out: &mut String) {
        let (arguments, tangents) = (self.arguments(), self.tangents());
        let _ = writeln!(
            out,
            "fn first(point: usize, x: &[f64]) -> Vec<f64> {{\n    let mut a = args(point, x);\n    flat(&second::judged::grad({arguments}))\n}}\n"
        );
        let _ = writeln!(
            out,
            "fn hessian(point: usize, x: &[f64]) -> Vec<f64> {{\n    let mut a = args(point, x);\n    flat(second::judged::hessian({arguments}).as_slice())\n}}\n"
        );
        let _ = writeln!(
            out,
            "fn hvp(point: usize, x: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {{\n    let (mut a, mut t) = (args(point, x), tangents(v));\n    let (g, h) = second::judged::hvp({arguments}, ({tangents}));\n    (flat(&g), flat(&h))\n}}\n"
        );
    }

    /// What the module exports.
    fn entry(&self, twins: &[(&str, bool, &str)], forms: &Forms) -> String {
        let points: Vec<String> = self
            .program
            .points
            .iter()
            .map(|point| format!("&{:?}", point.active))
            .collect();
        let mut twin_list = String::new();
        for (name, bits, function) in twins {
            let _ = write!(twin_list, "({name:?}, {bits}, {function}), ");
        }
        let (mut gradients, mut jacobians, mut into) = ("", "", "");
        let (mut jvp, mut vjp) = ("jvp", "vjp");
        if forms.plain {
            jvp = "|p, x, v| autodiff_checks::run::stand_in::jvp(&|x| primal(p, x), x, v)";
            vjp = "|p, x, w| autodiff_checks::run::stand_in::vjp(&|x| primal(p, x), x, w)";
        } else if !forms.lean && !self.has_outputs() {
            // A Jacobian runs the function once per row or column, and its effects as often.
            let mut functions = self.program.helpers.iter().chain([&self.program.main]);
            let effects = functions.any(|f| f.render(self.program.scalar, "").contains("effect::"));
            if !effects {
                jacobians = if self.has_rows() {
                    "(\"jacobian\", jacobian), (\"jacfwd\", jacfwd), (\"jacrev\", jacrev), (\"jacobian_rows\", jacobian_rows)"
                } else {
                    "(\"jacobian\", jacobian), (\"jacfwd\", jacfwd), (\"jacrev\", jacrev)"
                };
            }
            into = "(\"vjp_into\", vjp_into)";
            if self.program.main.result == ResultType::Scalar {
                gradients = "(\"grad\", grad), (\"value_and_grad\", value_and_grad)";
                into = "(\"vjp_into\", vjp_into), (\"grad_into\", grad_into)";
            }
        }
        let second = if forms.second {
            "Some(autodiff_checks::run::Second { gradient: first, hvp, hessian })"
        } else {
            "None"
        };
        let strong = if forms.is_strong(self.program) {
            "Some((jvp_strong, vjp_strong))"
        } else {
            "None"
        };
        let program = self.program.render("");
        let [kinks, overflows] =
            [KINKS, OVERFLOWING].map(|names| names.iter().any(|name| program.contains(name)));
        format!(
            "pub const ENTRY: autodiff_checks::run::Entry = autodiff_checks::run::Entry {{\n    path: ::core::module_path!(),\n    points: &[{}],\n    primal,\n    jvp: {jvp},\n    vjp: {vjp},\n    twins: &[{twin_list}],\n    gradients: &[{gradients}],\n    jacobians: &[{jacobians}],\n    into: &[{into}],\n    second: {second},\n    strong: {strong},\n    single: {},\n    kinks: {kinks},\n    overflows: {overflows},\n}};\n",
            points.join(", "),
            self.program.scalar == "f32",
        )
    }
}
