//! Files like `worked_examples.json`, and what is asked of each example in them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use systems::Figures;

use crate::formula::{Flaw, Formulas};
use crate::program::{Found, Function, Op};

#[derive(Deserialize)]
pub(crate) struct File {
    examples: Vec<Example>,
}

#[derive(Deserialize)]
pub(crate) struct Example {
    pub(crate) name: String,
    pub(crate) expression: String,
    #[serde(default)]
    pub(crate) inputs: BTreeMap<String, f64>,
    output: Option<String>,
    #[serde(default)]
    nodes: BTreeMap<String, Node>,
    /// Among other things vectors and matrices, `X`, `dX`.
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(Clone, Copy, Deserialize)]
struct Node {
    value: Option<f64>,
    grad: Option<f64>,
}

impl Figures for File {
    type Checked = Vec<(Example, Result<Question, String>)>;

    /// The examples, and what is asked of each, or why its formulas are not understood.
    fn checked(self) -> Result<Self::Checked, String> {
        if self.examples.is_empty() {
            return Err("there are no `examples`".to_owned());
        }
        let examples = self.examples.into_iter().map(|example| {
            let question = match example.question() {
                Ok(question) => Ok(question),
                Err(Flaw::Formula(reason)) => Err(reason),
                Err(Flaw::Figures(reason)) => return Err(format!("`{}`: {reason}", example.name)),
            };
            Ok((example, question))
        });
        examples.collect()
    }
}

/// A program, its inputs, and what is known of it.
pub(crate) struct Question {
    pub(crate) program: Vec<Op>,
    pub(crate) inputs: Vec<f64>,
    pub(crate) values: Vec<Known>,
    /// Sweeps back, each from a sum of operations with these seeds, and what is known of the derivatives.
    pub(crate) sweeps: Vec<(Vec<f64>, Vec<Known>)>,
}

impl Question {
    /// All that is known, values first.
    pub(crate) fn known(&self) -> Vec<&Known> {
        let grads = self.sweeps.iter().flat_map(|(_, grads)| grads);
        self.values.iter().chain(grads).collect()
    }

    /// What a way to run programs finds for all that is known, by its name.
    pub(crate) fn run(&self, way: fn(&[Op], &[f64], &[f64]) -> Found) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        for (k, (seeds, grads)) in self.sweeps.iter().enumerate() {
            let run = way(&self.program, &self.inputs, seeds);
            if k == 0 {
                found.extend(
                    self.values
                        .iter()
                        .map(|known| (known.name.clone(), run.values[known.slot])),
                );
            }
            found.extend(
                grads
                    .iter()
                    .map(|known| (known.name.clone(), run.grads[known.slot])),
            );
        }
        found
    }
}

/// A figure for the value of an operation, or for the derivative by it.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) slot: usize,
    pub(crate) figure: f64,
}

impl Example {
    /// What is asked, or why that is not understood.
    fn question(&self) -> Result<Question, Flaw> {
        let question = if self.expression.starts_with("chain of d ") {
            self.chains()?
        } else if self.nodes.is_empty() {
            self.arrays()?
        } else {
            self.graph()?
        };
        if question.known().is_empty() {
            return Err(Flaw::Figures("there are no figures".to_owned()));
        }
        Ok(question)
    }

    /// Formulas of numbers, with value and derivative of every node.
    fn graph(&self) -> Result<Question, Flaw> {
        let mut formulas = Formulas::default();
        for (name, number) in &self.inputs {
            formulas.input(name, Vec::new(), &[*number]);
        }
        formulas.read(&self.expression)?;
        let slot = |name: &str| match formulas.get(name) {
            Some(array) if array.shape.is_empty() => Ok(array.slots[0]),
            _ => Err(Flaw::from(format!("`{name}` is no number in the formulas"))),
        };
        let output = self.output.as_ref().or(formulas.last.as_ref());
        let mut seeds = vec![0.0; formulas.program.len()];
        seeds[slot(output.ok_or("there is no formula")?)?] = 1.0;
        let (mut values, mut grads) = (Vec::new(), Vec::new());
        for (name, node) in &self.nodes {
            let slot = slot(name)?;
            values.extend(known(name, slot, node.value));
            grads.extend(known(&derivative(name), slot, node.grad));
        }
        Ok(Question {
            program: formulas.program,
            inputs: formulas.inputs,
            values,
            sweeps: vec![(seeds, grads)],
        })
    }

    /// Formulas of vectors and matrices: of `Y` with the cotangent `dY`, by `X` with the derivative `dX`.
    fn arrays(&self) -> Result<Question, Flaw> {
        let mut arrays = BTreeMap::new();
        for (name, value) in &self.others {
            if let Some(array) = array(value) {
                arrays.insert(
                    name.as_str(),
                    array.map_err(|reason| Flaw::Figures(format!("`{name}` {reason}")))?,
                );
            }
        }
        let targets = self
            .expression
            .split(';')
            .filter_map(|formula| formula.split_once('='));
        let targets: Vec<&str> = targets.map(|(target, _)| target.trim()).collect();
        let is_derivative = |name: &str| {
            let of = name.strip_prefix('d');
            of.is_some_and(|of| arrays.contains_key(of) || targets.contains(&of))
        };
        let mut formulas = Formulas::default();
        for (name, (shape, numbers)) in &arrays {
            if !targets.contains(name) && !is_derivative(name) {
                formulas.input(name, shape.clone(), numbers);
            }
        }
        formulas.read(&self.expression)?;
        let output = self.output.as_ref().or(formulas.last.as_ref());
        let output = output.ok_or("there is no formula")?;

        let mut seeds = vec![0.0; formulas.program.len()];
        let (mut values, mut grads) = (Vec::new(), Vec::new());
        for (name, (shape, numbers)) in &arrays {
            let of = name.strip_prefix('d').filter(|_| is_derivative(name));
            let array = formulas.get(of.unwrap_or(name));
            let array = array.ok_or_else(|| format!("`{name}` belongs to no formula"))?;
            if array.shape != *shape {
                let due = array.shape;
                return Err(Flaw::Figures(format!(
                    "`{name}` has the shape {shape:?} instead of {due:?}"
                )));
            }
            for (k, (slot, number)) in array.slots.iter().zip(numbers).enumerate() {
                let name = format!("{name}[{k}]");
                match of {
                    Some(of) if of == output => seeds[*slot] = *number,
                    Some(_) => grads.extend(known(&name, *slot, Some(*number))),
                    None => values.extend(known(&name, *slot, Some(*number))),
                }
            }
        }
        if !arrays.contains_key(format!("d{output}").as_str()) {
            return Err(Flaw::Figures(format!("there is no cotangent `d{output}`")));
        }
        Ok(Question {
            program: formulas.program,
            inputs: formulas.inputs,
            values,
            sweeps: vec![(seeds, grads)],
        })
    }

    /// Chains of sigmoids from 0 to 0, and of other functions from 1, as long as the name says; the derivative is that of the whole chain.
    fn chains(&self) -> Result<Question, Flaw> {
        let depth = self.depth().ok_or("its name does not end with a depth")?;
        let mut program = Vec::new();
        let mut inputs = Vec::new();
        let (mut values, mut ends) = (Vec::new(), Vec::new());
        for (name, node) in &self.nodes {
            let function = name.strip_suffix("_chain").and_then(Function::named);
            let function = function.ok_or_else(|| format!("`{name}` is no chain of a function"))?;
            let input = if name == "sigmoid_chain" { "x" } else { "r" };
            let input = self
                .inputs
                .get(input)
                .ok_or_else(|| Flaw::Figures(format!("there is no input `{input}`")))?;
            let start = program.len();
            program.push(Op::Input(inputs.len()));
            inputs.push(*input);
            for _ in 0..depth {
                program.push(Op::Call(function, program.len() - 1));
                if name == "sigmoid_chain" {
                    let last = program.len() - 1;
                    program.extend([Op::Constant(0.5), Op::Sub(last, last + 1)]);
                }
            }
            let end = program.len() - 1;
            values.extend(known(name, end, node.value));
            let grad = known(&derivative(name), start, node.grad);
            ends.push((end, grad.into_iter().collect()));
        }
        let sweeps = ends.into_iter().map(|(end, grads)| {
            let mut seeds = vec![0.0; program.len()];
            seeds[end] = 1.0;
            (seeds, grads)
        });
        Ok(Question {
            sweeps: sweeps.collect(),
            program,
            inputs,
            values,
        })
    }

    /// The number at the end of the name, as in `depth_20`.
    pub(crate) fn depth(&self) -> Option<usize> {
        let depth = self.name.rsplit('_').next()?.parse().ok()?;
        (depth <= 100_000).then_some(depth)
    }

    /// The vector or matrix with this name.
    pub(crate) fn rows(&self, name: &str) -> Option<Vec<Vec<f64>>> {
        let (shape, numbers) = array(self.others.get(name)?)?.ok()?;
        let columns = *shape.last()?;
        Some(
            numbers
                .chunks(columns.max(1))
                .map(<[f64]>::to_vec)
                .collect(),
        )
    }
}

/// What the derivative by `name` is called here.
fn derivative(name: &str) -> String {
    format!("{name}.grad")
}

fn known(name: &str, slot: usize, figure: Option<f64>) -> Option<Known> {
    let name = name.to_owned();
    figure.map(|figure| Known { name, slot, figure })
}

/// A shape, and numbers row by row.
type Numbers = (Vec<usize>, Vec<f64>);

/// The shape and the numbers of an array, if `value` is one.
fn array(value: &Value) -> Option<Result<Numbers, String>> {
    let Value::Array(parts) = value else {
        return value.as_f64().map(|number| Ok((Vec::new(), vec![number])));
    };
    let mut shape = vec![parts.len()];
    let mut numbers = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        match array(part) {
            Some(Ok((inner, part))) if inner.len() < 2 && (k == 0 || shape[1..] == inner) => {
                shape.truncate(1);
                shape.extend(inner);
                numbers.extend(part);
            }
            _ => return Some(Err("is no vector or matrix of numbers".to_owned())),
        }
    }
    Some(Ok((shape, numbers)))
}
