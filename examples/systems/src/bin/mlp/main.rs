//! A perceptron that reads handwritten digits, on tensors with a gradient by `#[grad]`.
//!
//!     cargo run --release -p systems --bin mlp -- --help

mod data;
mod network;

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use autodiff::Tensor;
use autodiff::optim::Sgd;
use clap::Parser;
use data::{DIGITS, Images, PIXELS};
use network::{Mlp, loss, scores};
use rand::{Rng, RngCore};
use systems::{Clock, Run, Stop, Verdict};

const HIDDEN: usize = 128;
const BATCH: usize = 64;

/// Trains a perceptron of 128 hidden units to read handwritten digits of 28 by 28 pixels, 64 at once.
///
/// Without arguments the digits are drawn by the program.
#[derive(Parser)]
#[command(name = "mlp")]
struct Arguments {
    #[command(flatten)]
    run: Run,
    /// Learn MNIST, whose four uncompressed files are in this directory
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Measure as well what a step costs, beside the products of matrices in it
    #[arg(long)]
    bench: bool,
}

fn main() -> ExitCode {
    systems::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let mut random = systems::generator(arguments.run.seed);
    let [known, unknown] = match &arguments.data {
        Some(directory) => [
            Images::read(directory, "train")?,
            Images::read(directory, "t10k")?,
        ],
        None => [2000, 500].map(|count| Images::drawn(count, &mut random)),
    };
    let mut mlp = random_mlp(&mut random);
    let steps = arguments.run.steps(1000);
    let mut descent = Sgd::new(0.1);
    let mut curve = Vec::with_capacity(steps);
    let bar = systems::bar(steps);
    let clock = Clock::start();
    for _ in 0..steps {
        let numbers: Vec<usize> = (0..BATCH)
            .map(|_| random.random_range(0..known.len()))
            .collect();
        let (images, digits) = known.batch(&numbers);
        curve.push(f64::from(step(&mut mlp, &mut descent, &images, &digits)));
        bar.inc(1);
    }
    let seconds = clock.elapsed().as_secs_f64();
    bar.finish_and_clear();
    writeln!(
        out,
        "loss {:.3} at first, {:.3} after {steps} steps, which took {seconds:.2} s",
        curve[0],
        curve[steps - 1]
    )?;
    writeln!(
        out,
        "{:.1} % of {} digits that were not learnt are read right",
        100.0 * right(&mlp, &unknown),
        unknown.len()
    )?;
    if arguments.bench {
        bench(&mut mlp, &known, out)?;
    }
    let svg = arguments.run.svg("mlp.svg");
    systems::curve(svg, "mlp: the loss of each batch", &curve)?;
    writeln!(out, "the loss is drawn in {}", svg.display())?;
    Ok(Verdict::Held)
}

/// One step of training; returns the loss before it.
fn step(mlp: &mut Mlp, descent: &mut Sgd, images: &Tensor<f32>, digits: &Tensor<usize>) -> f32 {
    let (loss, gradient) = loss::value_and_grad(mlp, images, digits);
    descent.step(mlp, &gradient);
    loss
}

/// Random weights, of the size that keeps the spread of what passes through.
fn random_mlp(random: &mut impl RngCore) -> Mlp {
    let mut weights = |inputs: usize, outputs: usize| {
        let scale = (2.0 / inputs as f32).sqrt();
        Tensor::randn(&[inputs, outputs], &mut || random.random()) * scale
    };
    Mlp {
        w1: weights(PIXELS, HIDDEN),
        b1: Tensor::zeros(&[HIDDEN]),
        w2: weights(HIDDEN, DIGITS),
        b2: Tensor::zeros(&[DIGITS]),
    }
}

/// Which part of the images has the largest score at its own digit.
fn right(mlp: &Mlp, images: &Images) -> f64 {
    let numbers: Vec<usize> = (0..images.len()).collect();
    let (pixels, digits) = images.batch(&numbers);
    let scores = scores(mlp, &pixels).to_vec();
    let is_right = |(row, digit): (&[f32], usize)| row.iter().all(|score| *score <= row[digit]);
    let rows = scores.chunks_exact(DIGITS).zip(&digits);
    rows.map(is_right).filter(|right| *right).count() as f64 / images.len() as f64
}

/// Measures steps of training and their products alone, in turns; each is as fast as its fastest round.
fn bench(mlp: &mut Mlp, images: &Images, out: &mut dyn Write) -> Result<(), Stop> {
    const ROUNDS: usize = 30;
    const STEPS: usize = 100;
    let numbers: Vec<usize> = (0..BATCH).map(|k| k % images.len()).collect();
    let (images, digits) = images.batch(&numbers);
    let hidden = Tensor::full(&[BATCH, HIDDEN], 0.5);
    let scores = Tensor::full(&[BATCH, DIGITS], 0.5);
    let mut descent = Sgd::new(1e-3);
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (kind, fastest) in fastest.iter_mut().enumerate() {
            let clock = Clock::start();
            for _ in 0..STEPS {
                if kind == 0 {
                    black_box(step(mlp, &mut descent, &images, &digits));
                } else {
                    black_box(images.matmul(&mlp.w1));
                    black_box(hidden.matmul(&mlp.w2));
                    black_box(hidden.t().matmul(&scores));
                    black_box(scores.matmul(mlp.w2.t()));
                    black_box(images.t().matmul(&hidden));
                }
            }
            let microseconds = clock.elapsed().as_secs_f64() * 1e6 / STEPS as f64;
            *fastest = fastest.min(microseconds);
        }
    }
    let [step, products] = fastest;
    writeln!(out, "a step:       {step:7.1} µs")?;
    writeln!(
        out,
        "its products: {products:7.1} µs; a step takes {:.2} times as long",
        step / products
    )?;
    Ok(())
}
