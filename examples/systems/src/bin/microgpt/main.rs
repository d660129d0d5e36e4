//! A transformer of 4,192 parameters that learns names and makes up new ones, on plain numbers with a gradient by `#[grad]`.
//!
//!     cargo run --release -p systems --bin microgpt -- --help

mod model;
mod names;
mod reference;

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use autodiff::optim::{Adam, schedule};
use autodiff::{Differentiable, Tangent};
use clap::Parser;
use model::{Config, Gpt, Layer, logits, loss, losses, softmax};
use names::Names;
use rand::{Rng, RngCore};
use rand_distr::StandardNormal;
use reference::{File, Reference};
use systems::{Check, Common, Stop, Verdict};

/// Trains a small transformer on names, and samples new ones.
///
/// Embeddings, normalisation, attention with several heads and a growing key-value cache, a perceptron, cross-entropy, Adam: all on plain numbers, differentiated at compile time.
#[derive(Parser)]
#[command(name = "microgpt")]
struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Learn the lines of this file instead of the first names that come with the program
    #[arg(long, value_name = "FILE", conflicts_with = "reference")]
    names: Option<PathBuf>,
    /// How many names to make up
    #[arg(long, value_name = "N", default_value_t = 20)]
    samples: usize,
    /// Measure as well what a step costs
    #[arg(long)]
    bench: bool,
}

/// What is trained, and how.
struct Training {
    config: Config,
    gpt: Gpt,
    documents: Vec<Vec<usize>>,
    rate: f64,
    betas: (f64, f64),
    epsilon: f64,
    /// After so many steps the learning rate is zero.
    decay: usize,
}

fn main() -> ExitCode {
    systems::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    match &arguments.common.reference {
        Some(path) => meet(systems::read::<File>(path)?, &arguments, out),
        None => learn(&arguments, out),
    }
}

impl Training {
    fn document(&self, step: usize) -> &[usize] {
        &self.documents[step % self.documents.len()]
    }

    /// In how many positions of that document a token is foreseen.
    fn positions(&self, step: usize) -> usize {
        self.config.block.min(self.document(step).len() - 1)
    }

    fn adam(&self) -> Adam {
        let (beta1, beta2) = self.betas;
        Adam::new(self.rate).betas(beta1, beta2).eps(self.epsilon)
    }

    /// One step of training; returns the loss before it, and its gradient.
    fn step(&mut self, adam: &mut Adam, step: usize) -> (f64, <Gpt as Differentiable>::Tangent) {
        let (loss, gradient) = loss::value_and_grad(&self.gpt, self.config, self.document(step));
        adam.set_lr(schedule::linear(step, self.decay, self.rate, 0.0));
        adam.step(&mut self.gpt, &gradient);
        (loss, gradient)
    }
}

/// Training from scratch, and what was learnt.
fn learn(arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let common = &arguments.common;
    let steps = common.steps(1000);
    let mut random = systems::generator(common.seed);
    let names = match &arguments.names {
        Some(path) => Names::read(path)?,
        None => Names::own(),
    };
    let config = Config {
        embedding: 16,
        heads: 4,
        block: 16,
        epsilon: 1e-5,
    };
    let mut training = Training {
        config,
        gpt: random_gpt(config, 1, names.vocabulary(), &mut random),
        documents: names.shuffled(&mut random),
        rate: 0.01,
        betas: (0.85, 0.99),
        epsilon: 1e-8,
        decay: steps,
    };
    let count = training.gpt.zero_tangent().scalar_count();
    writeln!(
        out,
        "{} names, {count} parameters",
        training.documents.len()
    )?;

    let mut adam = training.adam();
    let mut curve = Vec::with_capacity(steps);
    let bar = systems::bar(steps);
    let start = Instant::now();
    for k in 0..steps {
        let (loss, _) = training.step(&mut adam, k);
        curve.push(loss);
        if k % 100 == 0 {
            bar.set_message(format!("loss {loss:.3}"));
        }
        bar.inc(1);
    }
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let last = &curve[steps - steps.min(100)..];
    let mean = last.iter().sum::<f64>() / last.len() as f64;
    writeln!(
        out,
        "loss {:.3} at first, {mean:.3} in the mean of the last {} of {steps} steps, which took {seconds:.3} s",
        curve[0],
        last.len()
    )?;
    for _ in 0..arguments.samples {
        let tokens = sample(&training.gpt, config, names.end(), &mut random);
        writeln!(out, "  {}", names.text(&tokens))?;
    }
    if arguments.bench {
        bench(&mut training, out)?;
    }
    let svg = common.svg("microgpt.svg");
    systems::curve(svg, "microgpt: the loss of each name", &curve)?;
    writeln!(out, "the loss is drawn in {}", svg.display())?;
    Ok(Verdict::Held)
}

/// Parameters to start with.
fn random_gpt(config: Config, layers: usize, vocabulary: usize, random: &mut impl RngCore) -> Gpt {
    let n = config.embedding;
    let mut matrix = |rows: usize, columns: usize| {
        let number = |_| 0.08 * random.sample::<f64, _>(StandardNormal);
        (0..rows * columns).map(number).collect()
    };
    Gpt {
        wte: matrix(vocabulary, n),
        wpe: matrix(config.block, n),
        lm_head: matrix(vocabulary, n),
        layers: (0..layers)
            .map(|_| Layer {
                attn_wq: matrix(n, n),
                attn_wk: matrix(n, n),
                attn_wv: matrix(n, n),
                attn_wo: matrix(n, n),
                mlp_fc1: matrix(4 * n, n),
                mlp_fc2: matrix(n, 4 * n),
            })
            .collect(),
    }
}

/// The tokens between two ends that the model makes up, at half the temperature.
fn sample(gpt: &Gpt, config: Config, end: usize, random: &mut impl RngCore) -> Vec<usize> {
    let mut keys = vec![vec![]; gpt.layers.len()];
    let mut values = keys.clone();
    let mut tokens = Vec::new();
    let mut token = end;
    for position in 0..config.block {
        let mut logits = logits(gpt, config, token, position, &mut keys, &mut values);
        for logit in &mut logits {
            *logit /= 0.5;
        }
        let mut left: f64 = random.random();
        let chances = softmax(&logits);
        let drawn = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        token = drawn.unwrap_or(end);
        if token == end {
            break;
        }
        tokens.push(token);
    }
    tokens
}

/// Trains as the file says, and compares all that it says with what was found.
fn meet(reference: Reference, arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let Reference {
        mut training,
        losses: expected_losses,
        positions,
        gradient: expected_gradient,
        after,
    } = reference;
    let start = training.gpt.clone();
    let last = after.iter().map(|(steps, _)| *steps);
    let steps = last.fold(expected_losses.len().max(positions.len()), usize::max);

    let mut check = Check::absolute(1e-12);
    let mut curve = Vec::new();
    let mut adam = training.adam();
    let bar = systems::bar(steps);
    for k in 0..=steps {
        for (_, expected) in after.iter().filter(|(steps, _)| *steps == k) {
            let name = format!("params_after_{k}");
            check.report(out, &name, &flat(&training.gpt), &flat(expected))?;
        }
        if k == steps {
            break;
        }
        if let Some(expected) = positions.get(k) {
            let found = losses(&training.gpt, training.config, training.document(k));
            check.compare(&format!("losses_per_position[{k}]"), &found, expected);
        }
        let (loss, gradient) = training.step(&mut adam, k);
        if k == 0 {
            let expected = flat(&expected_gradient);
            check.report(out, "grad_step0", &gradient.to_flat(), &expected)?;
        }
        curve.push(loss);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let found = &curve[..expected_losses.len()];
    check.report(out, "losses", found, &expected_losses)?;
    if arguments.bench {
        training.gpt = start;
        bench(&mut training, out)?;
    }
    let svg = arguments.common.svg("microgpt.svg");
    systems::curve(svg, "microgpt: the loss of each document", &curve)?;
    check.conclude(out)
}

/// All parameters in order.
fn flat(gpt: &Gpt) -> Vec<f64> {
    let mut flat = vec![0.0; gpt.zero_tangent().scalar_count()];
    gpt.write_flat(&mut flat);
    flat
}

/// Measures the loss, its gradient, and a whole step of training, in turns; each is as fast as its fastest round.
fn bench(training: &mut Training, out: &mut dyn Write) -> Result<(), Stop> {
    const ROUNDS: usize = 100;
    let documents = training.documents.len().min(50);
    let mut adam = training.adam();
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (kind, fastest) in fastest.iter_mut().enumerate() {
            let start = Instant::now();
            for k in 0..documents {
                let (gpt, config, tokens) = (&training.gpt, training.config, training.document(k));
                match kind {
                    0 => drop(black_box(loss(black_box(gpt), config, tokens))),
                    1 => drop(black_box(loss::value_and_grad(
                        black_box(gpt),
                        config,
                        tokens,
                    ))),
                    _ => drop(black_box(training.step(&mut adam, k))),
                }
            }
            let microseconds = start.elapsed().as_secs_f64() * 1e6 / documents as f64;
            *fastest = fastest.min(microseconds);
        }
    }
    let [alone, both, step] = fastest;
    writeln!(out, "the loss alone:         {alone:6.1} µs")?;
    writeln!(
        out,
        "the loss with gradient: {both:6.1} µs, {:.2} times as much",
        both / alone
    )?;
    writeln!(
        out,
        "a step with Adam:       {step:6.1} µs, so 1,000 of them {:.3} s",
        step * 1e-3
    )?;
    Ok(())
}
