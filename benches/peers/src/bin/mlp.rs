//! One step of a perceptron, 784-128-10 on 64 images in `f32`, with autodiff, candle and burn in one process:
//! the loss, its gradient, and plain descent. Beside them the step's bare products of matrices.
//!
//!     cargo run --release --features tensors --bin mlp          (in this folder)
//!
//! Run it with `RAYON_NUM_THREADS=1`: all are to use one thread. See `benches/README.md` for a table.

use std::hint::black_box;
use std::time::Instant;

use autodiff::optim::Sgd;
use autodiff::{Differentiable, Tensor, grad};

const PIXELS: usize = 784;
const HIDDEN: usize = 128;
const DIGITS: usize = 10;
const BATCH: usize = 64;
const RATE: f32 = 1e-3;

/// Rounds of measuring, in turns; a busy machine only ever adds time, so the fastest counts.
const ROUNDS: usize = 30;
const STEPS: usize = 50;

/// The numbers that all start with.
struct Start {
    images: Vec<f32>,
    digits: Vec<usize>,
    w1: Vec<f32>,
    w2: Vec<f32>,
}

impl Start {
    fn new() -> Self {
        let mut state = 1_u64;
        let mut uniform = |scale: f32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0) * scale
        };
        Self {
            images: (0..BATCH * PIXELS).map(|_| uniform(0.5) + 0.5).collect(),
            digits: (0..BATCH).map(|k| k % DIGITS).collect(),
            w1: (0..PIXELS * HIDDEN).map(|_| uniform(0.05)).collect(),
            w2: (0..HIDDEN * DIGITS).map(|_| uniform(0.1)).collect(),
        }
    }
}

mod ours {
    use super::*;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Mlp {
        w1: Tensor<f32>,
        b1: Tensor<f32>,
        w2: Tensor<f32>,
        b2: Tensor<f32>,
    }

    #[grad]
    fn loss(mlp: &Mlp, #[constant] images: &Tensor<f32>, #[constant] digits: &Tensor<usize>) -> f32 {
        let hidden = (images.matmul(&mlp.w1) + &mlp.b1).relu();
        (hidden.matmul(&mlp.w2) + &mlp.b2).cross_entropy(digits)
    }

    pub fn program(start: &Start) -> impl FnMut() -> f32 + use<> {
        let mut mlp = Mlp {
            w1: Tensor::from_vec(&[PIXELS, HIDDEN], start.w1.clone()),
            b1: Tensor::zeros(&[HIDDEN]),
            w2: Tensor::from_vec(&[HIDDEN, DIGITS], start.w2.clone()),
            b2: Tensor::zeros(&[DIGITS]),
        };
        let images = Tensor::from_vec(&[BATCH, PIXELS], start.images.clone());
        let digits = Tensor::from_vec(&[BATCH], start.digits.clone());
        let mut descent = Sgd::new(f64::from(RATE));
        move || {
            let (loss, gradient) = loss::value_and_grad(&mlp, &images, &digits);
            descent.step(&mut mlp, &gradient);
            loss
        }
    }

    /// The products of matrices of a step.
    pub fn products(start: &Start) -> impl FnMut() -> f32 + use<> {
        let images = Tensor::from_vec(&[BATCH, PIXELS], start.images.clone());
        let w1 = Tensor::from_vec(&[PIXELS, HIDDEN], start.w1.clone());
        let w2 = Tensor::from_vec(&[HIDDEN, DIGITS], start.w2.clone());
        let hidden = Tensor::<f32>::full(&[BATCH, HIDDEN], 0.5);
        let scores = Tensor::<f32>::full(&[BATCH, DIGITS], 0.5);
        move || {
            black_box(images.matmul(&w1));
            black_box(hidden.matmul(&w2));
            black_box(hidden.t().matmul(&scores));
            black_box(scores.matmul(w2.t()));
            black_box(images.t().matmul(&hidden));
            0.0
        }
    }
}

mod candle {
    use candle_core::{D, Device, Result, Tensor, Var};

    use super::*;

    fn step(images: &Tensor, digits: &Tensor, [w1, b1, w2, b2]: &[Var; 4]) -> Result<f32> {
        let hidden = images.matmul(w1)?.broadcast_add(b1)?.relu()?;
        let scores = hidden.matmul(w2)?.broadcast_add(b2)?;
        let scores = scores.broadcast_sub(&scores.max_keepdim(D::Minus1)?)?;
        let normal = scores.exp()?.sum_keepdim(D::Minus1)?.log()?;
        let loss = scores
            .broadcast_sub(&normal)?
            .gather(digits, D::Minus1)?
            .mean_all()?
            .neg()?;
        let gradient = loss.backward()?;
        for var in [w1, b1, w2, b2] {
            if let Some(slope) = gradient.get(var) {
                var.set(&var.sub(&slope.affine(f64::from(RATE), 0.0)?)?)?;
            }
        }
        loss.to_scalar()
    }

    pub fn program(start: &Start) -> Result<impl FnMut() -> f32 + use<>> {
        let on = &Device::Cpu;
        let digits: Vec<u32> = start.digits.iter().map(|&k| k as u32).collect();
        let digits = Tensor::from_vec(digits, (BATCH, 1), on)?;
        let images = Tensor::from_vec(start.images.clone(), (BATCH, PIXELS), on)?;
        let of = |tensor: Tensor| Var::from_tensor(&tensor);
        let vars = [
            of(Tensor::from_vec(start.w1.clone(), (PIXELS, HIDDEN), on)?)?,
            of(Tensor::from_vec(vec![0.0_f32; HIDDEN], HIDDEN, on)?)?,
            of(Tensor::from_vec(start.w2.clone(), (HIDDEN, DIGITS), on)?)?,
            of(Tensor::from_vec(vec![0.0_f32; DIGITS], DIGITS, on)?)?,
        ];
        Ok(move || step(&images, &digits, &vars).expect("the shapes fit"))
    }
}

mod burning {
    use burn::backend::ndarray::NdArrayDevice;
    use burn::backend::{Autodiff, NdArray};
    use burn::tensor::activation::{log_softmax, relu};
    use burn::tensor::{Int, Tensor, TensorData};

    use super::*;

    type Backend = Autodiff<NdArray<f32>>;

    fn tensor<const D: usize>(shape: [usize; D], numbers: Vec<f32>) -> Tensor<Backend, D> {
        Tensor::from_data(TensorData::new(numbers, shape), &NdArrayDevice::Cpu)
    }

    pub fn program(start: &Start) -> impl FnMut() -> f32 + use<> {
        let images = tensor([BATCH, PIXELS], start.images.clone());
        let digits: Vec<i64> = start.digits.iter().map(|&k| k as i64).collect();
        let digits: Tensor<Backend, 2, Int> =
            Tensor::from_data(TensorData::new(digits, [BATCH, 1]), &NdArrayDevice::Cpu);
        let mut w1 = tensor([PIXELS, HIDDEN], start.w1.clone()).require_grad();
        let mut b1 = tensor([1, HIDDEN], vec![0.0; HIDDEN]).require_grad();
        let mut w2 = tensor([HIDDEN, DIGITS], start.w2.clone()).require_grad();
        let mut b2 = tensor([1, DIGITS], vec![0.0; DIGITS]).require_grad();
        move || {
            let hidden = relu(images.clone().matmul(w1.clone()) + b1.clone());
            let scores = hidden.matmul(w2.clone()) + b2.clone();
            let loss = log_softmax(scores, 1).gather(1, digits.clone()).mean().neg();
            let gradient = loss.backward();
            for var in [&mut w1, &mut b1, &mut w2, &mut b2] {
                let slope = var.grad(&gradient).expect("it is tracked");
                *var = Tensor::from_inner(var.clone().inner() - slope * RATE).require_grad();
            }
            loss.into_scalar()
        }
    }
}

fn main() {
    let start = Start::new();
    let mut programs: Vec<(&str, Box<dyn FnMut() -> f32>)> = vec![
        ("autodiff", Box::new(ours::program(&start))),
        (
            "candle",
            Box::new(candle::program(&start).expect("the shapes fit")),
        ),
        ("burn", Box::new(burning::program(&start))),
        ("products alone", Box::new(ours::products(&start))),
    ];
    let losses: Vec<f32> = programs[..3].iter_mut().map(|(_, step)| step()).collect();
    for loss in &losses {
        assert!(
            (loss - losses[0]).abs() < 1e-4 * losses[0].abs(),
            "the programs do not compute the same: {losses:?}"
        );
    }
    let mut fastest = [f64::INFINITY; 4];
    for _ in 0..ROUNDS {
        for ((_, step), fastest) in programs.iter_mut().zip(&mut fastest) {
            let begun = Instant::now();
            for _ in 0..STEPS {
                black_box(step());
            }
            *fastest = fastest.min(begun.elapsed().as_secs_f64() * 1e6 / STEPS as f64);
        }
    }
    println!("{:16} {:>8} {:>16}", "", "µs", "of the products");
    for ((name, _), time) in programs.iter().zip(fastest) {
        println!("{name:16} {time:8.1} {:16.2}", time / fastest[3]);
    }
}
