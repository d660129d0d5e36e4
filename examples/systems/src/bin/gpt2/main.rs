//! GPT-2 as llm.c has it, on tensors, with a gradient by `#[grad]`.
//!
//!     cargo run --release -p systems --bin gpt2 -- --help

mod bench;
mod files;
mod reference;
mod text;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use autodiff::optim::AdamW;
use autodiff::{Float, Parameters, Tangent, Tensor};
use clap::Parser;
use rand::{Rng, RngCore};
use reference::{File, Rates, Reference};
use systems::gpt2::{Config, Gpt, logits, loss};
use systems::{Check, Clock, Common, Stop, Verdict, distance};
use text::Text;

/// Trains a GPT-2 on text, or goes on with one of llm.c's checkpoints, and writes on.
///
/// Without arguments a small one reads a text that comes with the program, byte by byte.
#[derive(Parser)]
#[command(name = "gpt2")]
struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Learn this text, of which every byte is a token
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tokens", "reference"])]
    text: Option<PathBuf>,
    /// Learn the tokens in this file of llm.c
    #[arg(long, value_name = "FILE", conflicts_with = "reference")]
    tokens: Option<PathBuf>,
    /// Start from this checkpoint of llm.c, which decides on all sizes of the model
    #[arg(long, value_name = "FILE", conflicts_with = "reference")]
    load: Option<PathBuf>,
    /// Write what was learnt as a checkpoint of llm.c
    #[arg(long, value_name = "FILE", conflicts_with = "reference")]
    save: Option<PathBuf>,
    /// How many layers
    #[arg(long, value_name = "N", default_value_t = 2)]
    layers: usize,
    /// How many heads of attention
    #[arg(long, value_name = "N", default_value_t = 4)]
    heads: usize,
    /// How many numbers stand for a token
    #[arg(long, value_name = "N", default_value_t = 64)]
    channels: usize,
    /// How many tokens there are, where these are not bytes
    #[arg(long, value_name = "N", default_value_t = 50257)]
    vocabulary: usize,
    /// How many tokens the model looks back
    #[arg(long, value_name = "N", default_value_t = 64)]
    context: usize,
    /// How many pieces of the text a step looks at
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// The learning rate
    #[arg(long, value_name = "X", default_value_t = 3e-3)]
    rate: f64,
    /// How many tokens to write in the end
    #[arg(long, value_name = "N", default_value_t = 200)]
    length: usize,
    /// Measure what a step costs with 6 layers, 6 heads, 384 channels and 5,000 tokens; nothing else is done
    #[arg(long, conflicts_with = "reference")]
    bench: bool,
}

fn main() -> ExitCode {
    systems::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    match &arguments.common.reference {
        Some(path) => {
            let reference = systems::read::<File>(path)?;
            let files = reference.beside(path)?;
            meet(&reference, &files, &arguments, out)
        }
        None if arguments.bench => bench::run(arguments.common.steps(10), out),
        None => learn(&arguments, out),
    }
}

/// Training, and what was learnt.
fn learn(arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let common = &arguments.common;
    let steps = common.steps(300);
    let rate = arguments.rate;
    if !(rate >= 0.0 && rate.is_finite()) {
        return Err(Stop::Unusable(format!("a learning rate of {rate}")));
    }
    let mut random = systems::generator(common.seed);
    let (config, mut gpt) = match &arguments.load {
        Some(path) => files::load(path)?,
        None => {
            let config = arguments.config();
            config.check().map_err(Stop::Unusable)?;
            (config, Gpt::random(&config, &mut random))
        }
    };
    let text = match (&arguments.tokens, &arguments.text) {
        (Some(path), _) => Text::of(files::tokens(path, config.vocabulary)?, path)?,
        (None, Some(path)) => Text::read(path, config.vocabulary)?,
        (None, None) => Text::own(config.vocabulary)?,
    };
    let (batch, time) = (usize::from(arguments.batch), text.window(config.positions));
    writeln!(
        out,
        "{} tokens, {} parameters",
        text.tokens.len(),
        config.count()
    )?;

    let mut adam = AdamW::new(rate)
        .betas(0.9, 0.99)
        .weight_decay(0.1)
        .decay_where(|path, _| is_matrix(path));
    let mut curve = Vec::with_capacity(steps);
    let bar = systems::bar(steps);
    let clock = Clock::start();
    for step in 0..steps {
        let (inputs, targets) = text.batch(batch, time, &mut random);
        adam.set_lr(rate * (1.0 - 0.9 * step as f64 / steps as f64));
        let (loss, gradient) = loss::value_and_grad(&gpt, config, &inputs, &targets);
        adam.step(&mut gpt, &gradient);
        curve.push(f64::from(loss));
        bar.set_message(format!("loss {loss:.3}"));
        bar.inc(1);
    }
    let seconds = clock.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let last = &curve[steps - steps.min(20)..];
    let mean = last.iter().sum::<f64>() / last.len() as f64;
    writeln!(
        out,
        "loss {:.3} at first, {mean:.3} in the mean of the last {} of {steps} steps, which took {seconds:.1} s",
        curve[0],
        last.len()
    )?;
    let start = text.tokens[..1].to_vec();
    let written = write(&gpt, config, start, arguments.length, &mut random);
    writeln!(out, "{}", text.show(&written))?;
    if let Some(path) = &arguments.save {
        files::save(path, &config, &gpt)?;
        writeln!(out, "the parameters are in {}", path.display())?;
    }
    let svg = common.svg("gpt2.svg");
    systems::curve(svg, "gpt2: the loss of each step", &curve)?;
    writeln!(out, "the loss is drawn in {}", svg.display())?;
    Ok(Verdict::Held)
}

impl Arguments {
    fn config(&self) -> Config {
        let vocabulary = if self.tokens.is_some() {
            self.vocabulary
        } else {
            text::BYTES
        };
        Config {
            positions: self.context,
            vocabulary,
            // As llm.c pads it.
            padded: vocabulary.saturating_add(127) / 128 * 128,
            layers: self.layers,
            heads: self.heads,
            channels: self.channels,
            epsilon: 1e-5,
        }
    }
}

/// Weights decay; biases, and what normalisation has learnt, do not.
fn is_matrix(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    !(name.starts_with("ln") || name.ends_with('b'))
}

/// Writes on, token after token, each drawn as the model expects it.
fn write(
    gpt: &Gpt<f32>,
    config: Config,
    mut tokens: Vec<usize>,
    length: usize,
    random: &mut impl RngCore,
) -> Vec<usize> {
    for _ in 0..length {
        let seen = &tokens[tokens.len().saturating_sub(config.positions)..];
        let seen = Tensor::from_vec(&[1, seen.len()], seen.to_vec());
        let logits = logits(gpt, config, &seen).select(0, 0).select(0, -1);
        // A little less at random than the model has it.
        let chances = (logits / 0.8).softmax(-1).to_vec();
        let mut left: f32 = random.random();
        let drawn = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        tokens.push(drawn.unwrap_or(0));
    }
    tokens
}

/// What training finds in one width of numbers.
struct Found {
    first: Vec<f64>,
    last: Vec<f64>,
    gradient: Vec<f64>,
    losses: Vec<f64>,
    end: Vec<f64>,
}

fn train<T: Float + Parameters>(reference: &Reference, parameters: &[f64]) -> Found {
    let Reference {
        config,
        inputs,
        targets,
        adamw,
        ..
    } = reference;
    let mut gpt = Gpt::<T>::of(config, parameters);
    let logits = logits(&gpt, *config, inputs);
    let row = |row: Tensor<T>| {
        row.iter()
            .map(autodiff::Float::to_f64)
            .collect::<Vec<f64>>()
    };
    let (first, last) = (
        logits.select(0, 0).select(0, 0),
        logits.select(0, -1).select(0, -1),
    );
    let mut found = Found {
        first: row(first),
        last: row(last),
        gradient: Vec::new(),
        losses: Vec::new(),
        end: Vec::new(),
    };
    let mut adam = adam(*adamw);
    let bar = systems::bar(adamw.steps);
    for step in 0..adamw.steps.max(1) {
        let (loss, gradient) = loss::value_and_grad(&gpt, *config, inputs, targets);
        if step == 0 {
            found.gradient = gradient.to_flat();
        }
        if step < adamw.steps {
            adam.step(&mut gpt, &gradient);
            found.losses.push(loss.to_f64());
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    found.end = gpt.flat(config);
    found
}

fn adam(rates: Rates) -> AdamW {
    AdamW::new(rates.lr)
        .betas(rates.beta1, rates.beta2)
        .eps(rates.eps)
        .weight_decay(rates.weight_decay)
}

/// Trains as the file says, in both widths, and compares all that it says with what was found.
fn meet(
    reference: &Reference,
    [parameters, gradient]: &[Vec<f64>; 2],
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<Verdict, Stop> {
    let mut checks = [Check::absolute(1e-5), Check::absolute(1e-11)];
    let widths = [
        ("f32", train::<f32> as fn(_, _) -> _),
        ("f64", train::<f64>),
    ];
    let mut curve = Vec::new();
    for ((width, train), check) in widths.into_iter().zip(&mut checks) {
        let found = train(reference, parameters);
        compare(reference, gradient, width, &found, check, out)?;
        curve = found.losses;
    }
    let svg = arguments.common.svg("gpt2.svg");
    systems::curve(svg, "gpt2: the loss of each step", &curve)?;
    let [single, double] = &checks;
    let held = checks.iter().all(|check| check.verdict() == Verdict::Held);
    let word = if held { "met" } else { "MISSED" };
    writeln!(
        out,
        "the figures are {word}: in f32 {}; in f64 {}",
        single.summary(),
        double.summary()
    )?;
    Ok(if held { Verdict::Held } else { Verdict::Missed })
}

fn compare(
    reference: &Reference,
    gradient: &[f64],
    width: &str,
    found: &Found,
    check: &mut Check,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let mut relative = |name: &str, found: &[f64], figures: &[f64], out: &mut dyn Write| {
        let apart = check.compare(name, &[distance(found, figures)], &[0.0]);
        let count = figures.len();
        writeln!(
            out,
            "{width} {name:20} {count:6} numbers, {apart:.1e} apart"
        )
    };
    for (name, row, figures) in [
        ("logits of the first token", &found.first, &reference.first),
        ("logits of the last token", &found.last, &reference.last),
    ] {
        if let Some(figures) = figures {
            relative(name, row, &figures[..row.len()], out)?;
        }
    }
    let mut rest = gradient;
    for stack in reference.config.stacks() {
        let (figures, others) = rest.split_at(stack.count());
        rest = others;
        let found = stack.of(&found.gradient);
        if stack.name == "qkvb" {
            // The keys' bias moves all scores of a row alike: its gradient is zero but for rounding.
            let [found, figures] =
                [&found, figures].map(|all| keys_apart(all, reference.config.channels));
            relative("qkvb without keys", &found[0], &figures[0], out)?;
            let most = |list: &[f64]| list.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            relative("qkvb of keys", &[most(&found[1])], &[0.0], out)?;
        } else {
            relative(stack.name, &found, figures, out)?;
        }
    }
    for (name, figures) in &reference.losses {
        if name.ends_with(width) {
            relative(name, &found.losses[..figures.len()], figures, out)?;
        }
    }
    if let Some(end) = reference.end.as_ref().filter(|_| width == "f64") {
        let parameters: Vec<f64> = (reference.config.stacks().iter())
            .flat_map(|stack| stack.of(&found.end))
            .collect();
        let norm = parameters.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sum = parameters.iter().sum::<f64>();
        // A sum of numbers of both signs is known no better than they are.
        relative("sum in the end", &[sum / norm], &[end.sum_f64 / norm], out)?;
        relative("norm in the end", &[norm], &[end.l2_f64], out)?;
        let first = &parameters[..end.first8_f64.len()];
        relative("first ones in the end", first, &end.first8_f64, out)?;
    }
    Ok(())
}

/// What is there for queries and values, and what for keys, of each layer.
fn keys_apart(all: &[f64], channels: usize) -> [Vec<f64>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (k, part) in all.chunks_exact(channels).enumerate() {
        parts[usize::from(k % 3 == 1)].extend(part);
    }
    parts
}
