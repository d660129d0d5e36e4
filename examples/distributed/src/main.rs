//! GPT-2 trained by several processes, each on its share of the texts.
//!
//!     cargo build --release
//!     mpirun -n 2 target/release/distributed --check
//!
//! Every process has all parameters and the optimiser's moments. It computes the gradient for its texts; the mean of all gradients,
//! which MPI puts in the place of each, is the gradient for all texts, and every process takes the same step by it.

// Numbers of processes and parameters; the command line's words beside what is read from them.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::similar_names
)]

mod cost;
mod reduce;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use autodiff::optim::AdamW;
use autodiff::{Tangent, Tensor};
use clap::Parser;
use cost::Network;
use mpi::collective::SystemOperation;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use rand::Rng;
use systems::gpt2::{Config, Gpt, loss};
use systems::{Stop, Verdict, distance};

/// Trains a GPT-2 of random tokens with as many processes as `mpirun -n` says.
#[derive(Parser)]
#[command(name = "distributed")]
struct Arguments {
    /// Compare the mean of the gradients with the gradient for all texts, and the parameters of all processes; exit code 1 where they are apart
    #[arg(long)]
    check: bool,
    /// Measure how long sums over processes take, and say what they would cost with more of them
    #[arg(long)]
    cost: bool,
    /// How many texts a step looks at, in all
    #[arg(long, value_name = "N", default_value_t = 8)]
    batch: usize,
    /// How many steps to train
    #[arg(long, value_name = "N", default_value_t = 5)]
    steps: usize,
    /// How many layers
    #[arg(long, value_name = "N", default_value_t = 2)]
    layers: usize,
    /// How many heads of attention
    #[arg(long, value_name = "N", default_value_t = 4)]
    heads: usize,
    /// How many numbers stand for a token
    #[arg(long, value_name = "N", default_value_t = 64)]
    channels: usize,
    /// How many tokens there are
    #[arg(long, value_name = "N", default_value_t = 512)]
    vocabulary: usize,
    /// How many tokens a text has
    #[arg(long, value_name = "N", default_value_t = 64)]
    context: usize,
    /// Where the random numbers start
    #[arg(long, value_name = "N", default_value_t = 1337)]
    seed: u64,
}

fn main() -> ExitCode {
    let Some(universe) = mpi::initialize() else {
        eprintln!("error: MPI is initialised already");
        return ExitCode::from(2);
    };
    let world = universe.world();
    if world.rank() == 0 {
        return systems::run(|arguments: Arguments, out| run(&arguments, &world, out));
    }
    // What there is to say, the first process says.
    match run(&Arguments::parse(), &world, &mut std::io::sink()) {
        Ok(Verdict::Held) => ExitCode::SUCCESS,
        Ok(Verdict::Missed) => ExitCode::FAILURE,
        Err(_) => ExitCode::from(2),
    }
}

fn run(
    arguments: &Arguments,
    world: &impl CommunicatorCollectives,
    out: &mut dyn Write,
) -> Result<Verdict, Stop> {
    let config = Config {
        positions: arguments.context,
        vocabulary: arguments.vocabulary,
        padded: arguments.vocabulary,
        layers: arguments.layers,
        heads: arguments.heads,
        channels: arguments.channels,
        epsilon: 1e-5,
    };
    config.check().map_err(Stop::Unusable)?;
    let (processes, rank) = (world.size() as usize, world.rank() as usize);
    if arguments.batch == 0 || !arguments.batch.is_multiple_of(processes) {
        return Err(Stop::Unusable(format!(
            "{} texts are no equal shares for {processes} processes",
            arguments.batch
        )));
    }
    // The same in every process.
    let mut random = systems::generator(arguments.seed);
    let mut gpt = Gpt::<f32>::random(&config, &mut random);
    let share = arguments.batch / processes;
    let mut adam = AdamW::new(1e-3);
    let mut held = true;
    let mut times = [f64::INFINITY; 2];
    for step in 0..arguments.steps {
        let mut tokens = || {
            let shape = [arguments.batch, config.positions];
            Tensor::from_fn(&shape, |_| random.random_range(0..config.vocabulary))
        };
        let (inputs, targets) = (tokens(), tokens());
        let own = |all: &Tensor<usize>| all.narrow(0, rank * share, share);
        world.barrier();
        let start = Instant::now();
        let (part, mut gradient) =
            loss::value_and_grad(&gpt, config, &own(&inputs), &own(&targets));
        let computed = start.elapsed().as_secs_f64();
        reduce::mean(&mut gradient, world);
        let reduced = start.elapsed().as_secs_f64() - computed;
        times = [times[0].min(computed), times[1].min(reduced)];
        if arguments.check {
            let whole = loss::grad(&gpt, config, &inputs, &targets);
            let apart = distance(&gradient.to_flat(), &whole.to_flat());
            held &= apart <= 1e-6;
            writeln!(out, "step {step}: the gradients are {apart:.1e} apart")?;
        }
        adam.step(&mut gpt, &gradient);
        let mut sum = 0.0_f64;
        world.all_reduce_into(&f64::from(part), &mut sum, SystemOperation::sum());
        writeln!(out, "step {step}: loss {:.4}", sum / processes as f64)?;
    }
    if arguments.check {
        let same = agree(&gpt.flat(&config), world);
        held &= same;
        let word = if same { "the same" } else { "DIFFERENT" };
        writeln!(out, "the parameters of all processes are {word}")?;
    }
    let [computed, reduced] = times;
    writeln!(
        out,
        "{processes} processes, {} parameters: gradient {:.1} ms, its sum {:.2} ms",
        config.count(),
        computed * 1e3,
        reduced * 1e3
    )?;
    if arguments.cost {
        if processes < 2 {
            return Err(Stop::Unusable("one process sums with nobody".to_owned()));
        }
        let network = Network::measured(world);
        let bytes = (config.count() * size_of::<f32>()) as f64;
        network.table(computed, bytes, out)?;
    }
    Ok(if held { Verdict::Held } else { Verdict::Missed })
}

/// Whether every process has the numbers of the first, bit for bit.
fn agree(numbers: &[f64], world: &impl CommunicatorCollectives) -> bool {
    let mut first = numbers.to_vec();
    world.process_at_rank(0).broadcast_into(&mut first[..]);
    let mut all = 0;
    let own = u32::from(first != numbers);
    world.all_reduce_into(&own, &mut all, SystemOperation::sum());
    all == 0
}
