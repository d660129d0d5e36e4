//! Formulas as lists of operations, run on a tape and by a function with `#[grad]`.

use autodiff::{Tape, Var, grad, relu, sigmoid, softplus};

/// One operation: operands are numbers of operations before it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Input(usize),
    Constant(f64),
    Add(usize, usize),
    Sub(usize, usize),
    Mul(usize, usize),
    Div(usize, usize),
    Power(usize, i32),
    RealPower(usize, usize),
    Max(usize, usize),
    Min(usize, usize),
    Call(Function, usize),
}

/// A function of one number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Function {
    Neg,
    Abs,
    Cos,
    Exp,
    Ln,
    Relu,
    Sigmoid,
    Sin,
    Softplus,
    Sqrt,
    Tanh,
}

impl Function {
    /// The function that formulas call by this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "abs" => Function::Abs,
            "cos" => Function::Cos,
            "exp" => Function::Exp,
            "ln" | "log" => Function::Ln,
            "relu" => Function::Relu,
            "sigmoid" => Function::Sigmoid,
            "sin" => Function::Sin,
            "softplus" => Function::Softplus,
            "sqrt" => Function::Sqrt,
            "tanh" => Function::Tanh,
            _ => return None,
        })
    }
}

/// The value of each operation, and the derivative by it of the sum of some of them, each times its seed.
pub(crate) struct Found {
    pub(crate) values: Vec<f64>,
    pub(crate) grads: Vec<f64>,
}

/// Runs a program on a tape.
pub(crate) fn on_tape(program: &[Op], inputs: &[f64], seeds: &[f64]) -> Found {
    let tape = Tape::new();
    let mut vars: Vec<Var> = Vec::new();
    for op in program {
        let var = match *op {
            Op::Input(k) => tape.var(inputs[k]),
            Op::Constant(c) => tape.var(c),
            Op::Add(a, b) => vars[a] + vars[b],
            Op::Sub(a, b) => vars[a] - vars[b],
            Op::Mul(a, b) => vars[a] * vars[b],
            Op::Div(a, b) => vars[a] / vars[b],
            Op::Power(a, n) => vars[a].powi(n),
            Op::RealPower(a, b) => vars[a].powf(vars[b]),
            Op::Max(a, b) => vars[a].max(vars[b]),
            Op::Min(a, b) => vars[a].min(vars[b]),
            Op::Call(function, a) => match function {
                Function::Neg => -vars[a],
                Function::Abs => vars[a].abs(),
                Function::Cos => vars[a].cos(),
                Function::Exp => vars[a].exp(),
                Function::Ln => vars[a].ln(),
                Function::Relu => vars[a].relu(),
                Function::Sigmoid => vars[a].sigmoid(),
                Function::Sin => vars[a].sin(),
                Function::Softplus => vars[a].softplus(),
                Function::Sqrt => vars[a].sqrt(),
                Function::Tanh => vars[a].tanh(),
            },
        };
        vars.push(var);
    }
    let seeded = vars.iter().zip(seeds).filter(|(_, seed)| **seed != 0.0);
    let sum: Var = seeded.map(|(var, seed)| *var * *seed).sum();
    Found {
        values: vars.iter().map(|var| var.value()).collect(),
        grads: sum.backward().wrt(&vars),
    }
}

/// Runs a program compiled, forward and back.
pub(crate) fn compiled(program: &[Op], inputs: &[f64], seeds: &[f64]) -> Found {
    let nudges = vec![0.0; program.len()];
    let (values, grads) = interpret::vjp(program, inputs, &nudges, seeds.to_vec());
    Found { values, grads }
}

/// The value of each operation, to which its nudge is added: the cotangent of the nudge is that of the value.
#[grad]
fn interpret(#[constant] program: &[Op], #[constant] inputs: &[f64], nudges: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::with_capacity(program.len());
    for k in 0..program.len() {
        let value = match program[k] {
            Op::Input(i) => inputs[i],
            Op::Constant(c) => c,
            Op::Add(a, b) => values[a] + values[b],
            Op::Sub(a, b) => values[a] - values[b],
            Op::Mul(a, b) => values[a] * values[b],
            Op::Div(a, b) => values[a] / values[b],
            Op::Power(a, n) => values[a].powi(n),
            Op::RealPower(a, b) => values[a].powf(values[b]),
            Op::Max(a, b) => values[a].max(values[b]),
            Op::Min(a, b) => values[a].min(values[b]),
            Op::Call(function, a) => match function {
                Function::Neg => -values[a],
                Function::Abs => values[a].abs(),
                Function::Cos => values[a].cos(),
                Function::Exp => values[a].exp(),
                Function::Ln => values[a].ln(),
                Function::Relu => relu(values[a]),
                Function::Sigmoid => sigmoid(values[a]),
                Function::Sin => values[a].sin(),
                Function::Softplus => softplus(values[a]),
                Function::Sqrt => values[a].sqrt(),
                Function::Tanh => values[a].tanh(),
            },
        };
        values.push(value + nudges[k]);
    }
    values
}
