//! The demo of micrograd: a perceptron that tells two moons apart, trained on a dynamic tape, and once more with a gradient made by `#[grad]`.
//!
//!     cargo run --release -p systems --bin micrograd -- --help

mod network;
mod reference;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use autodiff::Tape;
use clap::Parser;
use network::{Problem, Step};
use rand::{Rng, RngCore};
use reference::{File, List, Reference};
use systems::{Check, Common, Stop, TwoMoons, Verdict};

/// Milliseconds that a step of the original takes in Python, from the fastest run to the slowest.
const PYTHON: [f64; 2] = [1210.0, 1560.0];

/// Trains a small network to tell two moons apart, on a dynamic tape and once more compiled.
///
/// Hinge loss with L2 regularisation and plain gradient descent on all points at once, as in the demo of micrograd.
#[derive(Parser)]
#[command(name = "micrograd")]
struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Where the picture of the two sides goes
    #[arg(long, value_name = "FILE", default_value = "micrograd_boundary.svg")]
    boundary: PathBuf,
}

/// Training on the tape, and the losses of the compiled one.
struct Trained {
    steps: Vec<Step>,
    on_tape: Duration,
    losses: Vec<f64>,
    compiled: Duration,
    last: Problem,
}

fn main() -> ExitCode {
    systems::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    match &arguments.common.reference {
        Some(path) => meet(systems::read::<File>(path)?, &arguments, out),
        None => {
            let steps = arguments.common.steps(100);
            let trained = train(&problem(arguments.common.seed, steps), steps);
            tell(&trained, out)?;
            draw(&trained, &arguments, out)?;
            Ok(Verdict::Held)
        }
    }
}

/// Trains as the file says, and compares all that it says with what was found.
fn meet(reference: Reference, arguments: &Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let Reference {
        problem,
        losses,
        data_losses,
        accuracy,
        after,
        ..
    } = &reference;
    let lists = losses.iter().chain(data_losses).chain(accuracy);
    let lengths = lists.map(|list| list.figures.len());
    let steps = lengths.chain(after.iter().map(|(steps, _)| *steps));
    let trained = train(problem, steps.fold(1, usize::max));
    draw(&trained, arguments, out)?;

    let mut check = Check::relative(1e-12);
    let first = &trained.steps[0];
    check.report(out, "scores_step0", &first.scores, &reference.scores)?;
    check.report(out, "grad_step0", &first.gradient, &reference.gradient)?;
    let (_, compiled) = problem.step_compiled();
    check.report(out, "grad_step0, compiled", &compiled, &reference.gradient)?;
    let of = |f: fn(&Step) -> f64| trained.steps.iter().map(f).collect::<Vec<f64>>();
    for (lists, found) in [
        (losses, of(|step| step.loss)),
        (data_losses, of(|step| step.data_loss)),
        (accuracy, of(|step| step.accuracy)),
    ] {
        for List { name, figures } in lists {
            check.report(out, name, &found[..figures.len()], figures)?;
        }
    }
    for List { name, figures } in losses {
        let found = &trained.losses[..figures.len()];
        check.report(out, &format!("{name}, compiled"), found, figures)?;
    }
    for (steps, List { name, figures }) in after {
        let mut reached = problem.clone();
        for (k, step) in trained.steps[..*steps].iter().enumerate() {
            reached.descend(&step.gradient, k);
        }
        check.report(out, name, &reached.parameters, figures)?;
    }
    check.conclude(out)
}

/// Two moons of 50 points each, and a network with random weights.
fn problem(seed: u64, decay: usize) -> Problem {
    let mut random = systems::generator(seed);
    let TwoMoons { points, sides } = systems::moons(100, 0.1, &mut random);
    let sizes = vec![2, 16, 16, 1];
    Problem {
        points: points.iter().map(|point| point.to_vec()).collect(),
        labels: sides,
        parameters: random_parameters(&sizes, &mut random),
        sizes,
        alpha: 1e-4,
        decay,
    }
}

fn random_parameters(sizes: &[usize], random: &mut impl RngCore) -> Vec<f64> {
    let mut parameters = Vec::new();
    for pair in sizes.windows(2) {
        for _ in 0..pair[1] {
            parameters.extend((0..pair[0]).map(|_| random.random_range(-1.0..1.0)));
            parameters.push(0.0);
        }
    }
    parameters
}

/// Trains on the tape, then compiled, from the same start.
fn train(start: &Problem, steps: usize) -> Trained {
    let tape = Tape::new();
    let bar = systems::bar(steps);
    let mut dynamic = start.clone();
    let mut on_tape = Duration::ZERO;
    let mut found = Vec::new();
    for k in 0..steps {
        let start = Instant::now();
        let step = dynamic.step_on_tape(&tape);
        dynamic.descend(&step.gradient, k);
        on_tape += start.elapsed();
        bar.set_message(format!("loss {:.6}", step.loss));
        bar.inc(1);
        found.push(step);
    }
    bar.finish_and_clear();

    let mut static_ = start.clone();
    let mut losses = Vec::new();
    let start = Instant::now();
    for k in 0..steps {
        let (loss, gradient) = static_.step_compiled();
        static_.descend(&gradient, k);
        losses.push(loss);
    }
    Trained {
        steps: found,
        on_tape,
        losses,
        compiled: start.elapsed(),
        last: dynamic,
    }
}

/// Losses on the way, and times.
fn tell(trained: &Trained, out: &mut dyn Write) -> Result<(), Stop> {
    let count = trained.steps.len();
    for (k, step) in trained.steps.iter().enumerate() {
        if k % (count / 10).max(1) == 0 || k + 1 == count {
            let accuracy = 100.0 * step.accuracy;
            writeln!(
                out,
                "step {k:3}, loss {:.6}, accuracy {accuracy:3.0} %",
                step.loss
            )?;
        }
    }
    for (name, time) in [
        ("on the tape", trained.on_tape),
        ("compiled", trained.compiled),
    ] {
        let ms = time.as_secs_f64() * 1e3 / count as f64;
        let [fast, slow] = PYTHON;
        writeln!(
            out,
            "{name:11}: {ms:.3} ms a step, {:.0} to {:.0} times faster than micrograd in Python ({fast:.0} to {slow:.0} ms)",
            fast / ms,
            slow / ms
        )?;
    }
    let pairs = trained.steps.iter().zip(&trained.losses);
    let apart = pairs.map(|(s, l)| (s.loss - l).abs()).fold(0.0, f64::max);
    writeln!(out, "both losses agree to {apart:.1e}")?;
    Ok(())
}

/// The loss, and the two sides where they are sides of a plane.
fn draw(trained: &Trained, arguments: &Arguments, out: &mut dyn Write) -> Result<(), Stop> {
    let svg = arguments.common.svg("micrograd.svg");
    systems::curve(svg, "micrograd: two moons", &trained.losses)?;
    writeln!(out, "the loss is drawn in {}", svg.display())?;
    let Problem { points, labels, .. } = &trained.last;
    let plane = points.iter().map(|point| point.as_slice().try_into().ok());
    if let Some(plane) = plane.collect::<Option<Vec<[f64; 2]>>>() {
        systems::boundary(&arguments.boundary, &plane, labels, |point| {
            trained.last.score(&point)
        })?;
        let path = arguments.boundary.display();
        writeln!(out, "the decision boundary is drawn in {path}")?;
    }
    Ok(())
}
