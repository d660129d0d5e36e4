//! What a step of training costs, beside the products of matrices in it.

use std::hint::black_box;
use std::io::Write;

use autodiff::Tensor;
use autodiff::optim::AdamW;
use rand::Rng;
use systems::gpt2::{Config, Gpt, loss};
use systems::{Clock, Stop, Verdict};

const CONFIG: Config = Config {
    positions: 64,
    vocabulary: 5000,
    padded: 5000,
    layers: 6,
    heads: 6,
    channels: 384,
    epsilon: 1e-5,
};
const BATCH: usize = 4;

/// Steps of training and their products alone, in turns; each is as fast as its fastest round.
pub(crate) fn run(rounds: usize, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let config = CONFIG;
    let mut random = systems::generator(1);
    let mut gpt = Gpt::<f32>::random(&config, &mut random);
    let mut tokens = || {
        Tensor::from_fn(&[BATCH, config.positions], |_| {
            random.random_range(0..config.vocabulary)
        })
    };
    let (inputs, targets) = (tokens(), tokens());
    let mut adam = AdamW::new(1e-4);
    let mut parts = [f64::INFINITY; 3];
    let mut fastest = |part: usize, clock: &Clock| {
        parts[part] = parts[part].min(clock.elapsed().as_secs_f64() * 1e3);
    };
    // Before the products are measured, whose operands a step has no need of.
    let mut peak = None;
    for round in 0..=rounds {
        let clock = Clock::start();
        let (loss, gradient) = black_box(loss::value_and_grad(&gpt, config, &inputs, &targets));
        fastest(1, &clock);
        adam.step(&mut gpt, &gradient);
        fastest(0, &clock);
        drop((loss, gradient));
        if round == 0 {
            continue;
        }
        if round == 1 {
            peak = systems::peak_memory();
        }
        let operands = Operands::new(&config);
        let clock = Clock::start();
        operands.multiply(&gpt);
        fastest(2, &clock);
    }
    let [step, gradient, products] = parts;
    writeln!(
        out,
        "a step:       {step:7.1} ms, of which loss and gradient {gradient:.1} ms"
    )?;
    writeln!(
        out,
        "its products: {products:7.1} ms, {:.1} GFLOP/s; a step takes {:.2} times as long",
        operations(&config) / products * 1e-6,
        step / products
    )?;
    let megabytes = |bytes: usize| bytes as f64 * 1e-6;
    let needed = needed(&config) * size_of::<f32>();
    writeln!(
        out,
        "parameters, gradient, moments and stored activations: {:.0} MB",
        megabytes(needed)
    )?;
    if let Some(peak) = peak {
        writeln!(
            out,
            "peak memory of the process: {:.0} MB, {:.2} times as much",
            megabytes(peak),
            peak as f64 / needed as f64
        )?;
    }
    Ok(Verdict::Held)
}

/// How many sums and products of numbers the products of a step are: of each matrix one forward and two on the way back.
fn operations(config: &Config) -> f64 {
    let (tokens, c) = (BATCH * config.positions, config.channels);
    let entries = config.layers * (3 + 1 + 4 + 4) * c * c + config.vocabulary * c;
    (3 * 2 * tokens * entries) as f64
}

/// How many numbers a step by hand has to keep: parameters, gradient, two moments, and what the way back looks at.
fn needed(config: &Config) -> usize {
    let (tokens, c) = (BATCH * config.positions, config.channels);
    // The stream twice, two normalised ones, queries, keys and values, what attention found, and the hidden layer before and after its activation.
    let layer = (2 + 2 + 3 + 1 + 4 + 4) * c;
    let activations = config.layers * layer + 2 * c + config.vocabulary;
    4 * config.count() + tokens * activations
}

/// Operands of the products as large as those of a step: by their number of channels.
struct Operands {
    one: Tensor<f32>,
    three: Tensor<f32>,
    four: Tensor<f32>,
    words: Tensor<f32>,
}

impl Operands {
    fn new(config: &Config) -> Self {
        let rows = |columns| Tensor::full(&[BATCH * config.positions, columns], 0.5);
        Operands {
            one: rows(config.channels),
            three: rows(3 * config.channels),
            four: rows(4 * config.channels),
            words: rows(config.vocabulary),
        }
    }

    /// All products of a step but attention's.
    fn multiply(&self, gpt: &Gpt<f32>) {
        let linear = |x: &Tensor<f32>, w: &Tensor<f32>, d: &Tensor<f32>| {
            black_box(x.matmul(w.t()));
            black_box(d.matmul(w));
            black_box(d.t().matmul(x));
        };
        for block in &gpt.blocks {
            linear(&self.one, &block.qkvw, &self.three);
            linear(&self.one, &block.attprojw, &self.one);
            linear(&self.one, &block.fcw, &self.four);
            linear(&self.four, &block.fcprojw, &self.one);
        }
        linear(&self.one, &gpt.wte, &self.words);
    }
}
