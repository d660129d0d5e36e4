//! The demo of micrograd: a perceptron that tells two moons apart, trained on a dynamic tape, and once more with a gradient made by `#[grad]`.
//!
//!     cargo run --release --example micrograd [-- --svg FILE] [-- --reference FILE]
//!
//! The decision boundary is written to a picture.
//! With `--reference`, data and starting point come from a file with losses, gradients and final parameters, which must be met to 1e-12.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use autodiff::{Tape, Var, grad, relu};

/// Milliseconds that a step of the original takes in Python, from the fastest run to the slowest.
const PYTHON: [f64; 2] = [1210.0, 1560.0];
const STEPS: usize = 100;

// ---- The network, as micrograd has it.

struct Neuron<'t> {
    weights: Vec<Var<'t>>,
    bias: Var<'t>,
    linear: bool,
}

impl<'t> Neuron<'t> {
    fn call(&self, inputs: &[Var<'t>]) -> Var<'t> {
        let terms = self.weights.iter().zip(inputs).map(|(w, x)| w * x);
        let sum = terms.fold(self.bias, |sum, term| sum + term);
        if self.linear { sum } else { sum.relu() }
    }
}

struct Mlp<'t> {
    layers: Vec<Vec<Neuron<'t>>>,
}

impl<'t> Mlp<'t> {
    /// The network with these layers, and its parameters in order: for each neuron its weights, then its bias.
    fn new(sizes: &[usize], parameters: &[Var<'t>]) -> Self {
        let mut rest = parameters.iter().copied();
        let layers = (1..sizes.len()).map(|k| {
            let neurons = (0..sizes[k]).map(|_| Neuron {
                weights: rest.by_ref().take(sizes[k - 1]).collect(),
                bias: rest.next().expect("a parameter for each bias"),
                linear: k + 1 == sizes.len(),
            });
            neurons.collect()
        });
        Mlp {
            layers: layers.collect(),
        }
    }

    fn call(&self, point: &[f64]) -> Var<'t> {
        let inputs: Vec<Var> = point.iter().map(|&x| x.into()).collect();
        let outputs = self.layers.iter().fold(inputs, |inputs, layer| {
            layer.iter().map(|neuron| neuron.call(&inputs)).collect()
        });
        outputs[0]
    }
}

/// What a step of training starts with.
#[derive(Clone)]
struct Problem {
    sizes: Vec<usize>,
    points: Vec<Vec<f64>>,
    labels: Vec<f64>,
    parameters: Vec<f64>,
    alpha: f64,
}

/// What a step has found.
struct Step {
    loss: f64,
    data_loss: f64,
    accuracy: f64,
    scores: Vec<f64>,
    gradient: Vec<f64>,
}

impl Problem {
    /// Hinge loss with L2 regularisation on the tape, its gradient, and how many points are on the right side.
    fn step<'t>(&self, tape: &'t Tape) -> Step {
        tape.clear();
        let parameters = tape.vars(&self.parameters);
        let model = Mlp::new(&self.sizes, &parameters);
        let scores: Vec<Var<'t>> = self.points.iter().map(|x| model.call(x)).collect();
        let losses = scores.iter().zip(&self.labels);
        let sum: Var = losses.clone().map(|(s, y)| (1.0 - y * s).relu()).sum();
        let data_loss = sum / self.points.len() as f64;
        let squares: Var = parameters.iter().map(|p| p * p).sum();
        let loss = data_loss + self.alpha * squares;
        let right = losses.filter(|(s, y)| (s.value() > 0.0) == (**y > 0.0));
        Step {
            loss: loss.value(),
            data_loss: data_loss.value(),
            accuracy: right.count() as f64 / self.points.len() as f64,
            scores: scores.iter().map(|s| s.value()).collect(),
            gradient: loss.backward().wrt(&parameters),
        }
    }

    /// The score of any point.
    fn score(&self, point: &[f64]) -> f64 {
        let constants: Vec<Var> = self.parameters.iter().map(|&p| p.into()).collect();
        Mlp::new(&self.sizes, &constants).call(point).value()
    }

    fn descend(&mut self, gradient: &[f64], step: usize) {
        let rate = 1.0 - 0.9 * step as f64 / 100.0;
        for (p, g) in self.parameters.iter_mut().zip(gradient) {
            *p -= rate * g;
        }
    }
}

/// The same loss for the compiler.
#[grad]
fn static_loss(
    parameters: &[f64],
    #[constant] sizes: &[usize],
    #[constant] points: &[Vec<f64>],
    #[constant] labels: &[f64],
    #[constant] alpha: f64,
) -> f64 {
    let mut sum = 0.0;
    for (point, y) in points.iter().zip(labels) {
        let mut inputs = point.clone();
        let mut start = 0;
        for k in 1..sizes.len() {
            let n = sizes[k - 1];
            let mut outputs = vec![0.0; sizes[k]];
            for j in 0..sizes[k] {
                let weights = &parameters[start + j * (n + 1)..][..=n];
                let mut output = weights[n];
                for i in 0..n {
                    output += weights[i] * inputs[i];
                }
                outputs[j] = if k + 1 == sizes.len() {
                    output
                } else {
                    relu(output)
                };
            }
            start += sizes[k] * (n + 1);
            inputs = outputs;
        }
        sum += relu(1.0 - y * inputs[0]);
    }
    let mut squares = 0.0;
    for p in parameters {
        squares += p * p;
    }
    sum / points.len() as f64 + alpha * squares
}

// ---- Training.

fn train_on_a_tape(problem: &mut Problem) -> (Vec<Step>, Duration) {
    let tape = Tape::new();
    let bar = std::io::stderr().is_terminal();
    let mut spent = Duration::ZERO;
    let mut steps = Vec::new();
    for k in 0..STEPS {
        let start = Instant::now();
        let step = problem.step(&tape);
        problem.descend(&step.gradient, k);
        spent += start.elapsed();
        let done = format!(
            "step {k:2}, loss {:.6}, accuracy {:3.0} %",
            step.loss,
            100.0 * step.accuracy
        );
        if bar {
            let filled = (k + 1) * 40 / STEPS;
            eprint!(
                "\r[{}{}] {done}",
                "#".repeat(filled),
                "·".repeat(40 - filled)
            );
            let _ = std::io::stderr().flush();
        }
        if k % 10 == 0 || k + 1 == STEPS {
            if bar {
                eprint!("\r\x1b[K");
            }
            println!("{done}");
        }
        steps.push(step);
    }
    (steps, spent)
}

fn train_static(problem: &mut Problem) -> (Vec<f64>, Duration) {
    let mut losses = Vec::new();
    let start = Instant::now();
    for k in 0..STEPS {
        let (loss, gradient) = static_loss::value_and_grad(
            &problem.parameters,
            &problem.sizes,
            &problem.points,
            &problem.labels,
            problem.alpha,
        );
        problem.descend(&gradient, k);
        losses.push(loss);
    }
    (losses, start.elapsed())
}

fn main() -> ExitCode {
    let mut reference = None;
    let mut svg = std::env::current_exe().map_or("micrograd.svg".into(), |exe| {
        exe.with_file_name("micrograd.svg")
    });
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--reference", Some(file)) => reference = Some(file),
            ("--svg", Some(file)) => svg = PathBuf::from(file),
            _ => {
                eprintln!("usage: micrograd [--svg FILE] [--reference FILE]");
                return ExitCode::from(2);
            }
        }
    }
    let text = reference.as_ref().map(std::fs::read_to_string).transpose();
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{}: {error}", reference.unwrap_or_default());
            return ExitCode::from(2);
        }
    };
    let start = match &text {
        Some(text) => problem_in(text),
        None => moons(),
    };

    let mut dynamic = start.clone();
    let (steps, on_tape) = train_on_a_tape(&mut dynamic);
    let mut compiled = start.clone();
    let (losses, by_compiler) = train_static(&mut compiled);
    for (name, time) in [("on the tape", on_tape), ("compiled", by_compiler)] {
        let ms = time.as_secs_f64() * 1e3 / STEPS as f64;
        println!(
            "{name:11}: {ms:.3} ms a step, {:.0} to {:.0} times faster than micrograd in Python ({:.0} to {:.0} ms)",
            PYTHON[0] / ms,
            PYTHON[1] / ms,
            PYTHON[0],
            PYTHON[1]
        );
    }
    let apart = steps.iter().zip(&losses).map(|(s, l)| (s.loss - l).abs());
    println!("both losses agree to {:.1e}", apart.fold(0.0, f64::max));
    if let Err(error) = std::fs::write(&svg, picture(&dynamic)) {
        eprintln!("{}: {error}", svg.display());
    }
    println!("the decision boundary is in {}", svg.display());

    let Some(text) = text else {
        return ExitCode::SUCCESS;
    };
    if meets(&text, &start, &steps, &losses) {
        println!("the reference is reproduced to 1e-12");
        ExitCode::SUCCESS
    } else {
        println!("the reference is NOT reproduced to 1e-12");
        ExitCode::FAILURE
    }
}

// ---- The reference.

/// All numbers of the value of `key`, in order.
fn numbers(text: &str, key: &str) -> Vec<f64> {
    let Some((_, value)) = text.split_once(&format!("\"{key}\":")) else {
        return Vec::new();
    };
    let mut depth = 0;
    let end = value.find(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth <= 0 && (c == ']' || c == ',' || c == '}')
    });
    let value = &value[..end.unwrap_or(value.len())];
    let words = value.split(|c: char| c.is_whitespace() || ",[]".contains(c));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn problem_in(text: &str) -> Problem {
    let sizes: Vec<usize> = numbers(text, "layer_sizes")
        .iter()
        .map(|&n| n as usize)
        .collect();
    let inputs = sizes.first().copied().unwrap_or(1);
    Problem {
        points: numbers(text, "X")
            .chunks(inputs)
            .map(<[f64]>::to_vec)
            .collect(),
        labels: numbers(text, "y"),
        parameters: numbers(text, "params_init"),
        alpha: numbers(text, "alpha").first().copied().unwrap_or(0.0),
        sizes,
    }
}

/// Whether everything that the file says is met, on the tape and by the compiled function.
fn meets(text: &str, start: &Problem, steps: &[Step], losses: &[f64]) -> bool {
    let expected = numbers(text, "losses");
    let mut parameters = start.clone();
    for (k, step) in steps.iter().take(expected.len()).enumerate() {
        parameters.descend(&step.gradient, k);
    }
    let final_key = format!("params_after_{}", expected.len());
    let of = |f: fn(&Step) -> f64| steps.iter().map(f).collect::<Vec<f64>>();
    let compiled = static_loss::grad(
        &start.parameters,
        &start.sizes,
        &start.points,
        &start.labels,
        start.alpha,
    );
    let mut met = true;
    for (key, found) in [
        ("scores_step0", steps[0].scores.clone()),
        ("grad_step0", steps[0].gradient.clone()),
        ("grad_step0", compiled),
        ("losses", of(|s| s.loss)),
        ("losses", losses.to_vec()),
        ("data_losses", of(|s| s.data_loss)),
        ("accuracy", of(|s| s.accuracy)),
        (&final_key, parameters.parameters),
        ("losses_100", of(|s| s.loss)),
        ("accuracy_100", of(|s| s.accuracy)),
    ] {
        let expected = numbers(text, key);
        let pairs = expected.iter().zip(&found);
        let apart = pairs
            .map(|(e, f)| (e - f).abs() / e.abs().max(1.0))
            .fold(0.0, f64::max);
        let enough = !expected.is_empty() && expected.len() <= found.len();
        println!("{key:16} {:4} numbers, {apart:.1e} apart", expected.len());
        met &= enough && apart <= 1e-12;
    }
    met
}

// ---- Data and picture.

/// Two half circles of 50 points each, with some noise, and a network with random weights.
fn moons() -> Problem {
    let mut state = 1337_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut points = Vec::new();
    let mut labels = Vec::new();
    for k in 0..100 {
        let angle = std::f64::consts::PI * f64::from(k / 2) / 49.0;
        let upper = k % 2 == 0;
        let (x, y) = if upper {
            (angle.cos(), angle.sin())
        } else {
            (1.0 - angle.cos(), 0.5 - angle.sin())
        };
        let mut noise = || 0.1 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0);
        points.push(vec![x + noise(), y + noise()]);
        labels.push(if upper { -1.0 } else { 1.0 });
    }
    let sizes = vec![2, 16, 16, 1];
    let mut parameters = Vec::new();
    for pair in sizes.windows(2) {
        for _ in 0..pair[1] {
            parameters.extend((0..pair[0]).map(|_| 2.0 * uniform() - 1.0));
            parameters.push(0.0);
        }
    }
    Problem {
        sizes,
        points,
        labels,
        parameters,
        alpha: 1e-4,
    }
}

/// The plane in the colours of the sides, and the points on it.
fn picture(problem: &Problem) -> String {
    const CELLS: usize = 60;
    const SIZE: f64 = 8.0;
    let bound = |axis: usize, pick: fn(f64, f64) -> f64| {
        let values = problem
            .points
            .iter()
            .map(|p| p.get(axis).copied().unwrap_or(0.0));
        values.reduce(pick).unwrap_or(0.0)
    };
    let low = [bound(0, f64::min) - 0.5, bound(1, f64::min) - 0.5];
    let high = [bound(0, f64::max) + 0.5, bound(1, f64::max) + 0.5];
    let side = SIZE * CELLS as f64;
    let mut svg =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\">\n");
    for i in 0..CELLS {
        for j in 0..CELLS {
            let along = |axis: usize, k: usize| {
                low[axis] + (high[axis] - low[axis]) * (k as f64 + 0.5) / CELLS as f64
            };
            let mut point = vec![0.0; problem.sizes[0]];
            point[0] = along(0, i);
            if let Some(y) = point.get_mut(1) {
                *y = along(1, CELLS - 1 - j);
            }
            let colour = if problem.score(&point) > 0.0 {
                "#9ecae1"
            } else {
                "#fdae6b"
            };
            let (x, y) = (SIZE * i as f64, SIZE * j as f64);
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIZE}\" height=\"{SIZE}\" fill=\"{colour}\"/>"
            );
        }
    }
    for (point, label) in problem.points.iter().zip(&problem.labels) {
        let place = |axis: usize| {
            let value = point.get(axis).copied().unwrap_or(0.0);
            side * (value - low[axis]) / (high[axis] - low[axis])
        };
        let colour = if *label > 0.0 { "#08519c" } else { "#a63603" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>",
            place(0),
            side - place(1)
        );
    }
    svg.push_str("</svg>\n");
    svg
}
