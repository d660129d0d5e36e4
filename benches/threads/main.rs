//! What a second thread brings: `cargo bench -p autodiff-runtime --features tensor,rayon --bench threads`.
//!
//! Operations in sizes around those from which on they are divided, and far above, in pools of one and of two threads.

use std::hint::black_box;
use std::time::{Duration, Instant};

use autodiff_runtime::optim::Adam;
use autodiff_runtime::tensor::Tensor;
use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// So long is each program measured; a busy machine only ever adds time, so the fastest round counts.
const TIME: Duration = Duration::from_millis(1500);
/// So long should one sample take: short, so that both processors may be free for all of it.
const SAMPLE: Duration = Duration::from_micros(100);

/// Measures a program on one thread and on two, in turn.
fn compare(pools: &[ThreadPool; 2], name: &str, mut program: impl FnMut() + Send) {
    program();
    let start = Instant::now();
    program();
    let once = start.elapsed().as_nanos().max(1);
    let calls = usize::try_from(SAMPLE.as_nanos() / once).map_or(1, |calls| calls.max(1));
    let mut fastest = [f64::INFINITY; 2];
    let begin = Instant::now();
    while begin.elapsed() < TIME {
        for (pool, fastest) in pools.iter().zip(&mut fastest) {
            let time = pool.install(|| {
                let start = Instant::now();
                for _ in 0..calls {
                    program();
                }
                start.elapsed().as_nanos() as f64 / 1e3 / calls as f64
            });
            *fastest = fastest.min(time);
        }
    }
    let [one, two] = fastest;
    println!("{name:28} {one:9.1} {two:9.1} {:6.2}", two / one);
}

/// Numbers from −1 to 1.
fn numbers(shape: &[usize]) -> Tensor<f32> {
    let mut state = 1_u64;
    Tensor::from_fn(shape, |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    })
}

fn main() {
    let pools = [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool of threads")
    });
    let row = |name: &str, program: &mut (dyn FnMut() + Send)| compare(&pools, name, program);
    println!("microseconds                       one       two  ratio");
    for k in [16, 17, 18, 20] {
        let (x, y) = (numbers(&[1 << k]), numbers(&[1 << k]));
        row(&format!("x + y, 2^{k}"), &mut || {
            black_box(&x + &y);
        });
        row(&format!("sum, 2^{k}"), &mut || {
            black_box(x.sum());
        });
    }
    for k in [14, 15, 16, 18] {
        let x = numbers(&[1 << (k - 8), 256]);
        let (w, b) = (numbers(&[256]), numbers(&[256]));
        row(&format!("tanh, 2^{k}"), &mut || {
            black_box(x.tanh());
        });
        row(&format!("softmax, 2^{k}"), &mut || {
            black_box(x.softmax(-1));
        });
        row(&format!("layernorm, 2^{k}"), &mut || {
            black_box(x.layernorm(&w, &b, 1e-5));
        });
        let (mut x, g) = (numbers(&[1 << k]), numbers(&[1 << k]));
        let mut adam = Adam::new(1e-3);
        row(&format!("Adam, 2^{k}"), &mut || adam.step(&mut x, &g));
    }
    for [m, k, n] in [
        [64, 64, 64],
        [128, 128, 128],
        [256, 256, 256],
        [64, 784, 128],
        [1536, 256, 384],
        [256, 384, 5000],
        [512, 512, 1],
        [1, 512, 512],
        [2048, 2048, 1],
        [1, 2048, 2048],
    ] {
        let (x, y) = (numbers(&[m, k]), numbers(&[k, n]));
        row(&format!("matmul, {m} {k} {n}"), &mut || {
            black_box(x.matmul(&y));
        });
    }
    let q = numbers(&[4, 6, 64, 64]);
    row("causal attention, 4 6 64 64", &mut || {
        black_box(q.causal_attention(&q, &q));
    });
}
