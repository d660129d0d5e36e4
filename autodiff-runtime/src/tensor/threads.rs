//! The same bits with any number of threads. With one, nothing is divided, as without the feature.
//!
//! In tests every amount of work is divided into as many parts as it has units, or eight for each thread;
//! so [`check`](super::testing::check) puts every operation at its points to this, and here are larger ones.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use std::sync::OnceLock;

use rayon_core::{ThreadPool, ThreadPoolBuilder};

use super::Tensor;
use super::ops::conv::Conv2d;
use super::ops::pool::Pool2d;
use crate::float::Float;
use crate::optim::{Adam, AdamW, Sgd};
use crate::tangent::Accumulate;
use crate::tape::{Tape, TensorVar};

/// 1, 2, 3 and 8 threads.
fn pools() -> &'static [ThreadPool; 4] {
    static POOLS: OnceLock<[ThreadPool; 4]> = OnceLock::new();
    POOLS.get_or_init(|| {
        [1, 2, 3, 8].map(|threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap()
        })
    })
}

/// Runs a program on one thread and on several: it must give the same.
fn same<R: PartialEq + Send>(what: &str, program: impl Fn() -> R + Sync) {
    let [one, more @ ..] = pools();
    let alone = one.install(&program);
    for pool in more {
        let threads = pool.current_num_threads();
        // Not `assert_eq`: what differs is long.
        assert!(
            pool.install(&program) == alone,
            "{what}: other bits with {threads} threads"
        );
    }
}

/// As [`same`], with three threads only.
pub(super) fn same_on_three<R: PartialEq + Send>(what: &str, program: impl Fn() -> R + Sync) {
    let [one, _, three, _] = pools();
    assert!(
        one.install(&program) == three.install(&program),
        "{what}: other bits with three threads"
    );
}

/// The shape, and the bits of the entries.
pub(super) fn bits<T: Float>(x: &Tensor<T>) -> (Vec<usize>, Vec<u64>) {
    (
        x.shape().to_vec(),
        x.iter().map(|x| x.to_f64().to_bits()).collect(),
    )
}

/// Numbers of many sizes and both signs.
fn numbers<T: Float>(shape: &[usize], seed: u64) -> Tensor<T> {
    let mut state = seed;
    Tensor::from_fn(shape, |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
        T::from_f64(unit * 4.0)
    })
}

/// The same with its axes in another order in memory.
fn turned<T: Float>(x: &Tensor<T>) -> Tensor<T> {
    let order: Vec<usize> = (0..x.rank()).rev().collect();
    let shape: Vec<usize> = order.iter().map(|axis| x.shape()[*axis]).collect();
    let copied = Tensor::from_fn(&shape, |at| {
        let at: Vec<usize> = at.iter().rev().copied().collect();
        x[&at[..]]
    });
    copied.permuted(&order)
}

/// The value of a function of tensors and all its cotangents have the same bits, wherever the operands lie.
fn check<T: Float>(
    what: &str,
    shapes: &[&[usize]],
    f: impl for<'t> Fn(&[TensorVar<'t, T>]) -> TensorVar<'t, T> + Sync,
) {
    let dense: Vec<Tensor<T>> = (shapes.iter().zip(1..))
        .map(|(shape, seed)| numbers(shape, seed))
        .collect();
    let otherwise: Vec<Tensor<T>> = dense.iter().map(turned).collect();
    for (x, layout) in [(&dense, "row by row"), (&otherwise, "column by column")] {
        same(&format!("{what} of {shapes:?}, {layout}"), || {
            let tape = Tape::<T>::default();
            let x: Vec<_> = x.iter().map(|x| tape.tensor(x.clone())).collect();
            let y = f(&x);
            let seed = numbers(&y.shape(), 99);
            let gradients = (y * seed).sum().backward();
            let mut all = vec![bits(&y.value())];
            all.extend(x.iter().map(|x| bits(&gradients.wrt(*x))));
            all
        });
    }
}

/// A test for each kind: functions of tensors, for these shapes.
macro_rules! kinds {
    ($($test:ident in $t:ident { $($name:literal [$($shape:expr),*]: |$x:ident| $f:expr;)* })*) => {$(
        #[test]
        fn $test() {
            $(
                let shapes: &[&[usize]] = &[$(&$shape),*];
                check::<$t>($name, shapes, |$x| $f);
            )*
        }
    )*};
}
kinds! {
    entries in f64 {
        "x + y" [[37, 61], [37, 61]]: |x| x[0] + x[1];
        "x + y" [[37, 61], [61]]: |x| x[0] + x[1];
        "x * y" [[37, 1], [1, 61]]: |x| x[0] * x[1];
        "x / y" [[5, 7, 11], [7, 1]]: |x| x[0] / x[1];
        "x * y" [[], [257]]: |x| x[0] * x[1];
        "x * y" [[], []]: |x| x[0] * x[1];
        "x * y" [[0, 3], [3]]: |x| x[0] * x[1];
        "tanh" [[37, 61]]: |x| x[0].tanh();
        "tanh" [[]]: |x| x[0].tanh();
        "tanh" [[0]]: |x| x[0].tanh();
        "sin of large angles" [[37, 61]]: |x| (x[0] * 1e5).sin();
        "exp" [[37, 61]]: |x| x[0].exp();
        "relu" [[37, 61]]: |x| x[0].relu();
        "gelu_tanh" [[2048]]: |x| x[0].gelu_tanh();
        "sqrt" [[300]]: |x| x[0].sqrt();
        "maximum" [[37, 61], [61]]: |x| x[0].maximum(x[1]);
        "atan2" [[37, 61], [37, 1]]: |x| x[0].atan2(x[1]);
        "lerp" [[9, 31], [31], [9, 1]]: |x| x[0].lerp(x[1], x[2]);
        "a copy in order" [[7, 11, 13]]: |x| x[0].transpose(0, 2).reshape(&[1001]);
    }
    products in f32 {
        "matmul" [[70, 33], [33, 50]]: |x| x[0].matmul(x[1]);
        "matmul" [[97, 300], [300, 9]]: |x| x[0].matmul(x[1]);
        "matmul" [[16, 5], [5, 16]]: |x| x[0].matmul(x[1]);
        "matmul" [[33, 0], [0, 33]]: |x| x[0].matmul(x[1]);
        "matmul" [[0, 4], [4, 33]]: |x| x[0].matmul(x[1]);
        "matmul of one for all" [[3, 40, 8], [8, 40]]: |x| x[0].matmul(x[1]);
        "matmul of batches" [[3, 1, 20, 8], [5, 8, 17]]: |x| x[0].matmul(x[1]);
        "matrix times vector" [[70, 33], [33]]: |x| x[0].matmul(x[1]);
        "vector times matrix" [[33], [33, 3500]]: |x| x[0].matmul(x[1]);
        "outer" [[70], [33]]: |x| x[0].outer(x[1]);
        "einsum" [[6, 20, 7], [7, 6, 20]]: |x| TensorVar::einsum("bij,jbk->bik", &[x[0], x[1]]);
        "conv2d" [[2, 3, 9, 8], [4, 3, 3, 3]]: |x| x[0].conv2d(x[1], Conv2d::new().padding([1, 1]).stride([1, 2]));
        "avg_pool2d" [[2, 3, 9, 8]]: |x| x[0].avg_pool2d(Pool2d::new([2, 2]));
        "attention" [[2, 3, 20, 8], [2, 3, 20, 8], [2, 3, 20, 5]]: |x| x[0].causal_attention(x[1], x[2]);
        "attention" [[40, 8], [33, 8], [33, 5]]: |x| x[0].attention(x[1], x[2]);
    }
    rows in f64 {
        "softmax" [[37, 61]]: |x| x[0].softmax(-1);
        "softmax" [[37, 61]]: |x| x[0].softmax(0);
        "softmax" [[9000]]: |x| x[0].softmax(0);
        "softmax" [[4, 0]]: |x| x[0].softmax(1);
        "log_softmax" [[37, 61]]: |x| x[0].log_softmax(-1);
        "logsumexp" [[37, 61]]: |x| x[0].logsumexp_axis(1);
        "layernorm" [[37, 61], [61], [61]]: |x| x[0].layernorm(x[1], x[2], 1e-5);
        "layernorm of many" [[300, 7], [7], [7]]: |x| x[0].layernorm(x[1], x[2], 1e-5);
        "rmsnorm" [[200, 31], [31]]: |x| x[0].rmsnorm(x[1], 1e-5);
        "batchnorm" [[20, 5, 7], [5], [5]]: |x| x[0].batchnorm_train(x[1], x[2], 1e-5);
        "var" [[37, 61]]: |x| x[0].var_axis(0, 1);
        "norm" [[37, 61]]: |x| x[0].norm_axis(1);
    }
    sums in f64 {
        "sum" [[100_003]]: |x| TensorVar::stack(&[x[0].sum()], 0);
        "mean" [[37, 61]]: |x| TensorVar::stack(&[x[0].mean()], 0);
        "sum_axis" [[37, 61]]: |x| x[0].sum_axis(1);
        "sum_axis" [[37, 61]]: |x| x[0].sum_axis(0);
        "sum_axis of many rows" [[1000, 7]]: |x| x[0].sum_axis(0);
        "sum_axis of long rows" [[3, 3000]]: |x| x[0].sum_axis(1);
        "sum_axis in the middle" [[9, 31, 8]]: |x| x[0].sum_axis(1);
        "sum_axis of nothing" [[0, 3]]: |x| x[0].sum_axis(0);
        "sum_axis of nothing" [[3, 0]]: |x| x[0].sum_axis(0);
        "max" [[10_001]]: |x| TensorVar::stack(&[x[0].max()], 0);
        "min_axis" [[37, 61]]: |x| x[0].min_axis(0);
        "std" [[10_001]]: |x| TensorVar::stack(&[x[0].std(1)], 0);
    }
}

#[test]
fn the_largest_of_zeros_is_the_same() {
    same("zeros of both signs", || {
        let x: Tensor<f64> =
            Tensor::from_fn(&[20_000], |at| if at[0] % 7 < 3 { 0.0 } else { -0.0 });
        (x.max().to_bits(), x.min().to_bits())
    });
}

#[test]
fn sums_in_place() {
    same("x += s y", || {
        let mut x = numbers::<f32>(&[37, 61], 1);
        x += numbers::<f32>(&[37, 61], 2);
        x = x * 3.0 - numbers::<f32>(&[61], 3);
        x.__accumulate(&numbers(&[37, 61], 4));
        x.__accumulate(&turned(&numbers(&[37, 61], 5)));
        bits(&x)
    });
}

#[test]
fn optimisers() {
    macro_rules! steps {
        ($optimiser:expr) => {
            same(stringify!($optimiser), || {
                let mut optimiser = $optimiser;
                let mut x = (
                    numbers::<f32>(&[37, 61], 1),
                    numbers::<f64>(&[501], 2).to_vec(),
                );
                for seed in 3..6 {
                    let gradient = (numbers::<f32>(&[37, 61], seed), vec![0.5; 501]);
                    optimiser.step(&mut x, &gradient);
                }
                // A zero without a buffer.
                let zero = (x.0.outline(), vec![0.0; 501]);
                optimiser.step(&mut x, &zero);
                (
                    bits(&x.0),
                    x.1.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
                )
            });
        };
    }
    steps!(Sgd::new(0.1));
    steps!(Sgd::new(0.1).momentum(0.9).nesterov().weight_decay(0.1));
    steps!(Adam::new(0.1));
    steps!(AdamW::new(0.1));
}

#[test]
fn within_a_thread_of_the_pool() {
    fn run(depth: usize) -> Vec<(Vec<usize>, Vec<u64>)> {
        if depth == 0 {
            let tape = Tape::new();
            let (x, w) = (
                tape.tensor(numbers(&[33, 40], 1)),
                tape.tensor(numbers(&[40, 20], 2)),
            );
            let y = x.matmul(w).tanh().softmax(-1);
            let gradients = y
                .cross_entropy(&Tensor::from_fn(&[33], |at| at[0] % 20))
                .backward();
            return vec![bits(&gradients.wrt(x)), bits(&gradients.wrt(w))];
        }
        let (mut left, right) = rayon_core::join(|| run(depth - 1), || run(depth - 1));
        left.extend(right);
        left
    }
    same("tapes side by side", || run(4));
}
