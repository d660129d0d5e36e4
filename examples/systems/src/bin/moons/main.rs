//! Two moons told apart by a perceptron on tensors, with a gradient by `#[grad]`.
//!
//!     cargo run --release -p systems --bin moons -- --help

mod network;
mod reference;

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use autodiff::optim::Sgd;
use autodiff::{Differentiable, Tangent, Tensor};
use clap::Parser;
use network::{Activation, Layer, Network, loss, scores};
use rand::{Rng, RngCore};
use reference::{File, Reference};
use systems::{Check, Clock, Common, Stop, TwoMoons, Verdict};

/// Trains a perceptron on tensors to tell two moons apart, and draws where it changes its mind.
///
/// Cross-entropy of the softmax and plain gradient descent on all points at once.
#[derive(Parser)]
#[command(name = "moons")]
struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Where the picture of the two sides goes
    #[arg(long, value_name = "FILE", default_value = "moons_boundary.svg")]
    boundary: PathBuf,
    /// Measure as well what a step costs
    #[arg(long)]
    bench: bool,
}

/// What is trained, and on what.
#[derive(Clone)]
struct Training {
    network: Network,
    activation: Activation,
    points: Tensor<f64>,
    classes: Tensor<usize>,
    rate: f64,
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
    /// One step of training; returns the loss before it, and its gradient.
    fn step(&mut self, descent: &mut Sgd) -> (f64, <Network as Differentiable>::Tangent) {
        let (loss, gradient) =
            loss::value_and_grad(&self.network, self.activation, &self.points, &self.classes);
        descent.step(&mut self.network, &gradient);
        (loss, gradient)
    }

    fn descent(&self) -> Sgd {
        Sgd::new(self.rate)
    }
}

/// Training from scratch, and what was learnt.
fn learn(arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let common = &arguments.common;
    let steps = common.steps(500);
    let mut random = systems::generator(common.seed);
    let TwoMoons { points, sides } = systems::moons(100, 0.1, &mut random);
    let classes = sides.iter().map(|side| usize::from(*side > 0.0)).collect();
    let mut training = Training {
        network: random_network(&[2, 16, 16, 2], &mut random),
        activation: Activation::Relu,
        points: Tensor::from_vec(&[points.len(), 2], points.concat()),
        classes: Tensor::from_vec(&[points.len()], classes),
        rate: 0.5,
    };
    let mut descent = training.descent();
    let mut curve = Vec::with_capacity(steps);
    let bar = systems::bar(steps);
    let clock = Clock::start();
    for _ in 0..steps {
        let (loss, _) = training.step(&mut descent);
        curve.push(loss);
        bar.inc(1);
    }
    let microseconds = clock.elapsed().as_secs_f64() * 1e6 / steps as f64;
    bar.finish_and_clear();
    writeln!(
        out,
        "loss {:.4} at first, {:.4} after {steps} steps of {microseconds:.0} µs; {} of {} points on the right side",
        curve[0],
        curve[steps - 1],
        right(&training),
        points.len()
    )?;
    finish(
        &training,
        "moons: the loss of each step",
        &curve,
        arguments,
        out,
    )?;
    Ok(Verdict::Held)
}

/// A network with random weights, of the size that keeps the spread of what passes through.
fn random_network(sizes: &[usize], random: &mut impl RngCore) -> Network {
    let layers = sizes.windows(2).map(|pair| {
        let scale = (2.0 / pair[0] as f64).sqrt();
        Layer {
            w: Tensor::randn(pair, &mut || random.random()) * scale,
            b: Tensor::zeros(&pair[1..]),
        }
    });
    Network {
        layers: layers.collect(),
    }
}

/// How many points have the largest score at their own class.
fn right(training: &Training) -> usize {
    let scores = scores(&training.network, training.activation, &training.points);
    let rows = scores.to_vec();
    let rows = rows.chunks_exact(scores.shape()[1]);
    let is_right = |(row, class): (&[f64], usize)| row.iter().all(|score| *score <= row[class]);
    (rows.zip(&training.classes))
        .map(is_right)
        .filter(|right| *right)
        .count()
}

/// Trains as the file says, and compares all that it says with what was found.
fn meet(reference: Reference, arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let Reference {
        mut training,
        losses,
        gradient: expected_gradient,
        after,
    } = reference;
    let lengths = losses.iter().map(|(_, list)| list.len());
    let steps = lengths.chain(after.iter().map(|(steps, ..)| *steps));
    let steps = steps.fold(1, usize::max);

    let mut check = Check::absolute(1e-15);
    let mut curve = Vec::new();
    let mut descent = training.descent();
    let bar = systems::bar(steps);
    for k in 0..=steps {
        for (_, name, expected) in after.iter().filter(|(steps, ..)| *steps == k) {
            check.report(out, name, &flat(&training.network), &flat(expected))?;
        }
        if k == steps {
            break;
        }
        let (loss, gradient) = training.step(&mut descent);
        if k == 0 {
            let expected = flat(&expected_gradient);
            check.report(out, "grad_step0", &gradient.to_flat(), &expected)?;
        }
        curve.push(loss);
        bar.inc(1);
    }
    bar.finish_and_clear();
    for (name, expected) in &losses {
        check.report(out, name, &curve[..expected.len()], expected)?;
    }
    finish(
        &training,
        "moons: the loss of each step",
        &curve,
        arguments,
        out,
    )?;
    check.conclude(out)
}

/// All parameters in order.
fn flat(network: &Network) -> Vec<f64> {
    let mut flat = vec![0.0; network.zero_tangent().scalar_count()];
    network.write_flat(&mut flat);
    flat
}

/// What a step costs where that is asked for, the loss, and the two sides where they are sides of a plane.
fn finish(
    training: &Training,
    caption: &str,
    curve: &[f64],
    arguments: &Arguments,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    if arguments.bench {
        bench(training.clone(), out)?;
    }
    let svg = arguments.common.svg("moons.svg");
    systems::curve(svg, caption, curve)?;
    writeln!(out, "the loss is drawn in {}", svg.display())?;
    let last = training
        .network
        .layers
        .last()
        .map_or(0, |last| last.b.len());
    if training.points.shape()[1] == 2 && last == 2 {
        let pairs = training.points.to_vec();
        let points: Vec<[f64; 2]> = pairs.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
        let sides: Vec<f64> = (training.classes.iter())
            .map(|class| if class == 0 { -1.0 } else { 1.0 })
            .collect();
        systems::boundary(&arguments.boundary, &points, &sides, |point| {
            let scores = scores(
                &training.network,
                training.activation,
                &Tensor::from([point]),
            );
            scores[[0, 1]] - scores[[0, 0]]
        })?;
        let path = arguments.boundary.display();
        writeln!(out, "the decision boundary is drawn in {path}")?;
    }
    Ok(())
}

/// Measures a step; it is as fast as its fastest round.
fn bench(mut training: Training, out: &mut dyn Write) -> Result<(), Stop> {
    const ROUNDS: usize = 20;
    const STEPS: usize = 200;
    let mut descent = training.descent();
    let rounds = (0..ROUNDS).map(|_| {
        let clock = Clock::start();
        for _ in 0..STEPS {
            black_box(training.step(&mut descent));
        }
        clock.elapsed().as_secs_f64() * 1e6 / STEPS as f64
    });
    let fastest = rounds.fold(f64::INFINITY, f64::min);
    writeln!(out, "a step with gradient descent: {fastest:.1} µs")?;
    Ok(())
}
