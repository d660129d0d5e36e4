//! What operations of tensors cost beside loops written by hand and bare kernels: `cargo bench --features tensor --bench tensors`.
//!
//! Each operation runs forward, and forward and backward; beside it the same as loops over slices that are allocated once, or the product's kernel alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use autodiff::{Tensor, grad, release_memory};

/// Rounds of measuring; a busy machine only ever adds time, so the fastest counts.
const ROUNDS: usize = 41;
/// So long should one sample take.
const SAMPLE: Duration = Duration::from_micros(500);

/// The fastest of many rounds of several programs, taken in turn, in microseconds.
fn measure<const N: usize>(mut programs: [&mut dyn FnMut(); N]) -> [f64; N] {
    let calls = programs.each_mut().map(|program| {
        program();
        let start = Instant::now();
        program();
        let once = start.elapsed().as_nanos().max(1);
        usize::try_from(SAMPLE.as_nanos() / once).map_or(1, |calls| calls.clamp(1, 10_000))
    });
    let mut fastest = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for ((program, fastest), calls) in programs.iter_mut().zip(&mut fastest).zip(calls) {
            let start = Instant::now();
            for _ in 0..calls {
                program();
            }
            *fastest = fastest.min(start.elapsed().as_nanos() as f64 / 1e3 / calls as f64);
        }
    }
    fastest
}

fn row(name: &str, [ours, hand, ours_back, hand_back]: [f64; 4]) {
    println!(
        "{name:24} {ours:9.1} {hand:9.1} {:6.2}   {ours_back:9.1} {hand_back:9.1} {:6.2}",
        ours / hand,
        ours_back / hand_back
    );
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

/// An operation of tensors, and the same by loops: forward, and with the gradient.
macro_rules! operations {
    ($($name:ident($($x:ident: $shape:expr),*) $body:block)*) => {$(
        #[grad]
        fn $name($($x: &Tensor<f32>),*) -> Tensor<f32> $body
    )*};
}
operations! {
    add(x: 0, y: 0) { x + y }
    bias(x: 0, b: 0) { x + b }
    tanh(x: 0) { x.tanh() }
    gelu(x: 0) { x.gelu_tanh() }
    softmax(x: 0) { x.softmax(-1) }
    sum_axis(x: 0) { x.sum_axis(0) }
    layernorm(x: 0, w: 0, b: 0) { x.layernorm(w, b, 1e-5) }
    matmul(x: 0, w: 0) { x.matmul(w) }
    matmul_t(x: 0, w: 0) { x.matmul(w.t()) }
    moved(x: 0) { x.transpose(0, 1).reshape(&[256 * 384]) }
}

#[grad]
fn cross_entropy(x: &Tensor<f32>, classes: &Tensor<usize>) -> f32 {
    x.cross_entropy(classes)
}

#[grad]
fn total(x: &Tensor<f32>) -> f32 {
    x.sum()
}

/// Measures a function and its pullback beside two programs by hand.
fn compare_with<Y, V>(
    name: &str,
    mut ours: impl FnMut() -> Y,
    mut ours_back: impl FnMut() -> V,
    mut by_hand: impl FnMut(),
    mut by_hand_back: impl FnMut(),
) {
    let times = measure([
        &mut || {
            black_box(ours());
        },
        &mut by_hand,
        &mut || {
            black_box(ours_back());
        },
        &mut by_hand_back,
    ]);
    row(name, times);
}

/// Forward by `$forward`, and backward from the seed by `$backward`.
macro_rules! compare {
    ($name:expr, $f:ident($($x:expr),*), $seed:expr, $forward:expr, $backward:expr) => {{
        let seed = $seed;
        compare_with($name, || $f($($x),*), || $f::vjp($($x,)* seed.clone()), $forward, $backward);
    }};
}

fn slice(x: &Tensor<f32>) -> Vec<f32> {
    x.to_vec()
}

/// Entry by entry.
fn elementwise() {
    const N: usize = 1 << 16;
    let (x, y) = (numbers(&[N]), numbers(&[N]));
    let (a, b, seed) = (slice(&x), slice(&y), vec![1.0_f32; N]);
    let [mut out, mut to_a, mut to_b] = [(); 3].map(|()| vec![0.0_f32; N]);
    let mut second = out.clone();
    compare!(
        "x + y, 65,536",
        add(&x, &y),
        Tensor::ones(&[N]),
        || {
            for ((o, a), b) in out.iter_mut().zip(black_box(&a)).zip(&b) {
                *o = a + b;
            }
        },
        || {
            for ((o, a), b) in second.iter_mut().zip(black_box(&a)).zip(&b) {
                *o = a + b;
            }
            to_a.copy_from_slice(&seed);
            to_b.copy_from_slice(&seed);
        }
    );
    let [mut out, mut second, mut to] = [(); 3].map(|()| vec![0.0_f32; N]);
    compare!(
        "tanh, 65,536",
        tanh(&x),
        Tensor::ones(&[N]),
        || {
            for (o, a) in out.iter_mut().zip(black_box(&a)) {
                *o = a.tanh();
            }
        },
        || {
            for (((o, a), to), d) in second.iter_mut().zip(black_box(&a)).zip(&mut to).zip(&seed) {
                *o = a.tanh();
                *to = d * (1.0 - *o * *o);
            }
        }
    );
    let [mut out, mut second, mut to] = [(); 3].map(|()| vec![0.0_f32; N]);
    let gate = |x: f32| 0.797_884_6 * (x + 0.044_715 * x * x * x);
    compare!(
        "gelu_tanh, 65,536",
        gelu(&x),
        Tensor::ones(&[N]),
        || {
            for (o, a) in out.iter_mut().zip(black_box(&a)) {
                *o = 0.5 * a * (1.0 + gate(*a).tanh());
            }
        },
        || {
            for (((o, a), to), d) in second.iter_mut().zip(black_box(&a)).zip(&mut to).zip(&seed) {
                let t = gate(*a).tanh();
                *o = 0.5 * a * (1.0 + t);
                let slope = 0.797_884_6 * (1.0 + 0.134_145 * a * a);
                *to = d * (0.5 * (1.0 + t) + 0.5 * a * (1.0 - t * t) * slope);
            }
        }
    );
    let (mut sink, mut to) = (0.0_f32, vec![0.0_f32; N]);
    let mut sums = [0.0_f32; 8];
    compare!(
        "sum, 65,536",
        total(&x),
        1.0,
        || {
            for group in black_box(&a).chunks_exact(8) {
                for (sum, x) in sums.iter_mut().zip(group) {
                    *sum += x;
                }
            }
            black_box(&sums);
        },
        || {
            sink += black_box(&a)
                .chunks_exact(8)
                .map(|group| group.iter().sum::<f32>())
                .sum::<f32>();
            to.fill(1.0);
        }
    );
    black_box(sink);
}

/// Rows, and products.
fn rows() {
    let (m, n) = (256, 384);
    let (x, w, b) = (numbers(&[m, n]), numbers(&[n]) + 1.5, numbers(&[n]));
    let (a, bias_by_hand, seed) = (slice(&x), slice(&b), vec![1.0_f32; m * n]);
    let [mut out, mut second] = [(); 2].map(|()| vec![0.0_f32; m * n]);
    let mut to_b = vec![0.0_f32; n];
    compare!(
        "x + b, 256 × 384",
        bias(&x, &b),
        Tensor::ones(&[m, n]),
        || {
            for (o, a) in out.chunks_exact_mut(n).zip(black_box(&a).chunks_exact(n)) {
                for ((o, a), b) in o.iter_mut().zip(a).zip(&bias_by_hand) {
                    *o = a + b;
                }
            }
        },
        || {
            to_b.fill(0.0);
            for ((o, a), d) in second
                .chunks_exact_mut(n)
                .zip(black_box(&a).chunks_exact(n))
                .zip(seed.chunks_exact(n))
            {
                for (((o, a), b), (to, d)) in o
                    .iter_mut()
                    .zip(a)
                    .zip(&bias_by_hand)
                    .zip(to_b.iter_mut().zip(d))
                {
                    *o = a + b;
                    *to += d;
                }
            }
        }
    );
    let (mut out, mut to) = (vec![0.0_f32; n], vec![0.0_f32; m * n]);
    let mut second = out.clone();
    compare!(
        "sum_axis(0), 256 × 384",
        sum_axis(&x),
        Tensor::ones(&[n]),
        || {
            out.fill(0.0);
            for a in black_box(&a).chunks_exact(n) {
                for (o, a) in out.iter_mut().zip(a) {
                    *o += a;
                }
            }
        },
        || {
            second.fill(0.0);
            for a in black_box(&a).chunks_exact(n) {
                for (o, a) in second.iter_mut().zip(a) {
                    *o += a;
                }
            }
            for to in to.chunks_exact_mut(n) {
                to.copy_from_slice(&seed[..n]);
            }
        }
    );
    let [mut out, mut second, mut to] = [(); 3].map(|()| vec![0.0_f32; m * n]);
    let softmax_row = |o: &mut [f32], a: &[f32]| {
        let most = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for (o, a) in o.iter_mut().zip(a) {
            *o = (a - most).exp();
            sum += *o;
        }
        o.iter_mut().for_each(|o| *o /= sum);
    };
    compare!(
        "softmax, 256 × 384",
        softmax(&x),
        numbers(&[m, n]),
        || {
            for (o, a) in out.chunks_exact_mut(n).zip(black_box(&a).chunks_exact(n)) {
                softmax_row(o, a);
            }
        },
        || {
            for ((o, a), (to, d)) in second
                .chunks_exact_mut(n)
                .zip(black_box(&a).chunks_exact(n))
                .zip(to.chunks_exact_mut(n).zip(seed.chunks_exact(n)))
            {
                softmax_row(o, a);
                let along: f32 = o.iter().zip(d).map(|(o, d)| o * d).sum();
                for ((to, o), d) in to.iter_mut().zip(&*o).zip(d) {
                    *to = o * (d - along);
                }
            }
        }
    );
    let classes = Tensor::from_fn(&[m], |at| at[0] % n);
    let [mut second, mut to] = [(); 2].map(|()| vec![0.0_f32; m * n]);
    let mut out = second.clone();
    compare!(
        "cross_entropy, 256 × 384",
        cross_entropy(&x, &classes),
        1.0,
        || {
            let mut loss = 0.0;
            for ((o, a), k) in out
                .chunks_exact_mut(n)
                .zip(black_box(&a).chunks_exact(n))
                .zip(&classes)
            {
                softmax_row(o, a);
                loss -= o[k].ln();
            }
            black_box(loss);
        },
        || {
            for (((o, a), to), k) in second
                .chunks_exact_mut(n)
                .zip(black_box(&a).chunks_exact(n))
                .zip(to.chunks_exact_mut(n))
                .zip(&classes)
            {
                softmax_row(o, a);
                for (to, o) in to.iter_mut().zip(&*o) {
                    *to = o / m as f32;
                }
                to[k] -= 1.0 / m as f32;
            }
        }
    );
    let (gain, offset) = (slice(&w), slice(&b));
    let [mut out, mut second, mut to] = [(); 3].map(|()| vec![0.0_f32; m * n]);
    let [mut to_w, mut to_b] = [(); 2].map(|()| vec![0.0_f32; n]);
    let normal = |o: &mut [f32], a: &[f32]| {
        let mean = a.iter().sum::<f32>() / n as f32;
        let var = a.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>() / n as f32;
        let scale = 1.0 / (var + 1e-5).sqrt();
        for (o, a) in o.iter_mut().zip(a) {
            *o = (a - mean) * scale;
        }
        scale
    };
    compare!(
        "layernorm, 256 × 384",
        layernorm(&x, &w, &b),
        numbers(&[m, n]),
        || {
            for (o, a) in out.chunks_exact_mut(n).zip(black_box(&a).chunks_exact(n)) {
                normal(o, a);
                for ((o, w), b) in o.iter_mut().zip(&gain).zip(&offset) {
                    *o = *o * w + b;
                }
            }
        },
        || {
            to_w.fill(0.0);
            to_b.fill(0.0);
            for ((o, a), (to, d)) in second
                .chunks_exact_mut(n)
                .zip(black_box(&a).chunks_exact(n))
                .zip(to.chunks_exact_mut(n).zip(seed.chunks_exact(n)))
            {
                let scale = normal(o, a);
                let (mut sum, mut along) = (0.0, 0.0);
                for ((o, w), d) in o.iter().zip(&gain).zip(d) {
                    sum += w * d;
                    along += w * d * o;
                }
                let (sum, along) = (sum / n as f32, along / n as f32);
                for (((to, o), (w, d)), (to_w, to_b)) in to
                    .iter_mut()
                    .zip(&*o)
                    .zip(gain.iter().zip(d))
                    .zip(to_w.iter_mut().zip(&mut to_b))
                {
                    *to = scale * (w * d - sum - o * along);
                    *to_w += d * o;
                    *to_b += d;
                }
            }
        }
    );
    let (mut out, mut to) = (vec![0.0_f32; m * n], vec![0.0_f32; m * n]);
    let mut second = out.clone();
    let turned = |from: &[f32], to: &mut [f32], rows: usize, columns: usize| {
        for (i, row) in from.chunks_exact(columns).enumerate() {
            for (j, x) in row.iter().enumerate() {
                to[j * rows + i] = *x;
            }
        }
    };
    compare!(
        "transposed copy",
        moved(&x),
        numbers(&[m * n]),
        || turned(black_box(&a), &mut out, m, n),
        || {
            turned(black_box(&a), &mut second, m, n);
            turned(&seed, &mut to, n, m);
        }
    );
    // Products beside the plain ones of the library, without anything around: three with the pullback.
    for (m, k, n) in [(64, 64, 64), (256, 384, 1536), (1, 1024, 1024)] {
        let (x, w) = (numbers(&[m, k]), numbers(&[k, n]));
        let (turned_x, turned_w, seed) = (x.t(), w.t(), numbers(&[m, n]));
        compare!(
            &format!("matmul, {m} {k} {n}"),
            matmul(&x, &w),
            seed.clone(),
            || drop(black_box(x.matmul(&w))),
            || drop(black_box((
                x.matmul(&w),
                seed.matmul(&turned_w),
                turned_x.matmul(&seed)
            )))
        );
        let w = w.t().reshape(&[n, k]);
        compare!(
            &format!("with w.t(), {m} {k} {n}"),
            matmul_t(&x, &w),
            seed.clone(),
            || drop(black_box(x.matmul(w.t()))),
            || drop(black_box((
                x.matmul(w.t()),
                seed.matmul(&w),
                turned_x.matmul(&seed)
            )))
        );
    }
}

/// Buffers from the pool, and from the system.
fn memory() {
    let make = || {
        (0..75)
            .map(|k| Tensor::full(&[256, 1024 + k], 1.0_f32))
            .collect::<Vec<_>>()
    };
    let [pool, fresh] = measure([&mut || drop(black_box(make())), &mut || {
        release_memory();
        drop(black_box(make()));
    }]);
    println!("75 buffers of a megabyte: {pool:.0} µs from the pool, {fresh:.0} from the system");
}

fn main() {
    println!("                              ours   by hand  ratio        ours   by hand  ratio");
    println!("                         forward, µs                 with its pullback, µs");
    elementwise();
    rows();
    memory();
}
