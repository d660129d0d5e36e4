//! What element-wise kernels cost beside loops written by hand: `cargo bench -p autodiff-runtime --features tensor --bench kernels`.
//!
//! A loop that is no longer vector code gives the same numbers, several times slower, and nobody says so.
//! So each kernel is held to a ratio here: to the same loop without the driver, and to the loop with std's functions.

use std::hint::black_box;
use std::time::Instant;

use autodiff_runtime::float::Float;
use autodiff_runtime::lane::{self, Math};

/// Elements: as many as stay in the second cache.
const LENGTH: usize = 8_000;
/// Rounds of measuring; a busy machine only ever adds time, so the fastest counts.
const ROUNDS: usize = 400;
/// So much more than the loop by hand may a kernel take.
const OVER_HAND: f64 = 1.5;
/// So much of the loop with std's functions, of which there are some in each; those are less accurate in the tails.
const OF_STD: f64 = 1.0;

/// One kernel: nanoseconds per element of the driver's loop, of the one by hand, and of the one with std's functions.
struct Times {
    name: &'static str,
    kernel: f64,
    hand: f64,
    std: f64,
}

/// The fastest of many rounds of three programs, taken in turn.
fn measure(name: &'static str, mut programs: [&mut dyn FnMut(); 3]) -> Times {
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (program, fastest) in programs.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            program();
            *fastest = fastest.min(start.elapsed().as_nanos() as f64 / LENGTH as f64);
        }
    }
    let [kernel, hand, std] = fastest;
    Times {
        name,
        kernel,
        hand,
        std,
    }
}

/// Numbers from −3 to 3.
fn numbers<T: Float, const N: usize>() -> [Vec<T>; N] {
    let mut state = 1_u64;
    let mut number = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
        T::from_f64((state >> 11) as f64 / (1_u64 << 53) as f64 * 6.0 - 3.0)
    };
    std::array::from_fn(|_| (0..LENGTH).map(|_| number()).collect())
}

/// A function of one number.
fn unary<T: Float>(
    name: &'static str,
    f: impl Fn(Math<'_>, T) -> T,
    std: impl Fn(T) -> T,
) -> Times {
    let [x] = numbers::<T, 1>();
    let [mut y, mut by_hand, mut by_std] = numbers::<T, 3>();
    measure(
        name,
        [
            &mut || {
                lane::fused(
                    [black_box(&x)],
                    [&mut y],
                    #[inline(always)]
                    |lane, [x]| [f(lane, x)],
                );
            },
            &mut || {
                let x = black_box(&x);
                lane::dispatch(
                    #[inline(always)]
                    |lane| {
                        for (y, &x) in by_hand.iter_mut().zip(x) {
                            *y = f(lane, x);
                        }
                    },
                );
            },
            &mut || {
                for (y, &x) in by_std.iter_mut().zip(black_box(&x)) {
                    *y = std(x);
                }
            },
        ],
    )
}

/// tanh(a b + c) d.
fn chain<T: Float>(name: &'static str) -> Times {
    let [a, b, c, d] = numbers::<T, 4>();
    let [mut y, mut by_hand, mut by_std] = numbers::<T, 3>();
    measure(
        name,
        [
            &mut || {
                let [a, b, c, d] = black_box([&a, &b, &c, &d]);
                lane::fused(
                    [a, b, c, d],
                    [&mut y],
                    #[inline(always)]
                    |lane, [a, b, c, d]| [lane.tanh(a * b + c) * d],
                );
            },
            &mut || {
                let [a, b, c, d] = black_box([&a, &b, &c, &d]).map(|x| &x[..LENGTH]);
                let y = &mut by_hand[..LENGTH];
                lane::dispatch(
                    #[inline(always)]
                    |lane| {
                        for i in 0..LENGTH {
                            y[i] = lane.tanh(a[i] * b[i] + c[i]) * d[i];
                        }
                    },
                );
            },
            &mut || {
                let [a, b, c, d] = black_box([&a, &b, &c, &d]);
                for (i, y) in by_std.iter_mut().enumerate() {
                    *y = (a[i] * b[i] + c[i]).tanh() * d[i];
                }
            },
        ],
    )
}

/// The gradient of that by all four.
fn chain_back<T: Float>(name: &'static str) -> Times {
    let [a, b, c, d, seed] = numbers::<T, 5>();
    let [mut d_a, mut d_b, mut d_c, mut d_d] = numbers::<T, 4>();
    let mut by_hand = numbers::<T, 4>();
    let mut by_std = numbers::<T, 4>();
    measure(
        name,
        [
            &mut || {
                let [a, b, c, d, seed] = black_box([&a, &b, &c, &d, &seed]);
                lane::fused(
                    [a, b, c, d, seed],
                    [&mut d_a, &mut d_b, &mut d_c, &mut d_d],
                    #[inline(always)]
                    |lane, [a, b, c, d, seed]| {
                        let sum = a * b + c;
                        let d_sum = seed * d * lane.dtanh(sum);
                        [d_sum * b, d_sum * a, d_sum, seed * lane.tanh(sum)]
                    },
                );
            },
            &mut || {
                let [a, b, c, d, seed] = black_box([&a, &b, &c, &d, &seed]).map(|x| &x[..LENGTH]);
                let [d_a, d_b, d_c, d_d] = by_hand.each_mut().map(|y| &mut y[..LENGTH]);
                lane::dispatch(
                    #[inline(always)]
                    |lane| {
                        for i in 0..LENGTH {
                            let sum = a[i] * b[i] + c[i];
                            let d_sum = seed[i] * d[i] * lane.dtanh(sum);
                            d_a[i] = d_sum * b[i];
                            d_b[i] = d_sum * a[i];
                            d_c[i] = d_sum;
                            d_d[i] = seed[i] * lane.tanh(sum);
                        }
                    },
                );
            },
            &mut || {
                let [a, b, c, d, seed] = black_box([&a, &b, &c, &d, &seed]).map(|x| &x[..LENGTH]);
                let [d_a, d_b, d_c, d_d] = by_std.each_mut().map(|y| &mut y[..LENGTH]);
                for i in 0..LENGTH {
                    let sum = a[i] * b[i] + c[i];
                    let y = sum.tanh();
                    let d_sum = seed[i] * d[i] * (T::ONE - y * y);
                    d_a[i] = d_sum * b[i];
                    d_b[i] = d_sum * a[i];
                    d_c[i] = d_sum;
                    d_d[i] = seed[i] * y;
                }
            },
        ],
    )
}

/// All kernels for one type.
fn all<T: Float>() -> Vec<Times> {
    let half = T::from_f64(0.5);
    let cubic = T::from_f64(0.044715);
    let root = T::from_f64(0.797_884_560_802_865_4);
    macro_rules! unary {
        ($($name:ident: $std:expr;)*) => {
            [$(unary::<T>(stringify!($name), #[inline(always)] |lane, x| lane.$name(x), $std)),*]
        };
    }
    let single = unary! {
        exp: T::exp;
        exp_m1: T::exp_m1;
        ln: |x| x.abs().ln();
        ln_1p: |x| x.abs().ln_1p();
        tanh: T::tanh;
        sigmoid: |x| T::ONE / (T::ONE + (-x).exp());
        softplus: |x| x.max(T::ZERO) + (-x.abs()).exp().ln_1p();
        erf: autodiff_runtime::functions::erf;
        erfc: autodiff_runtime::functions::erfc;
        sin: T::sin;
        cos: T::cos;
        tan: T::tan;
        silu: |x| x / (T::ONE + (-x).exp());
        gelu: |x| half * x * (T::ONE + autodiff_runtime::functions::erf(x * root));
        gelu_tanh: |x| half * x * (T::ONE + (root * (x + cubic * x * x * x)).tanh());
        dtanh: |x| T::ONE - x.tanh() * x.tanh();
        dgelu: autodiff_runtime::functions::gelu::grad;
        dgelu_tanh: autodiff_runtime::functions::gelu_tanh::grad;
    };
    let mut times = vec![
        chain::<T>("tanh(a b + c) d"),
        chain_back::<T>("its gradient"),
    ];
    times.extend(single);
    times
}

fn main() {
    let mut hold = true;
    for (name, times) in [("f32", all::<f32>()), ("f64", all::<f64>())] {
        println!("{name}, ns per element    kernel    hand     std   kernel/hand  kernel/std");
        for Times {
            name,
            kernel,
            hand,
            std,
        } in times
        {
            let (over_hand, of_std) = (kernel / hand, kernel / std);
            let holds = over_hand <= OVER_HAND && of_std <= OF_STD;
            hold &= holds;
            println!(
                "{name:22} {kernel:8.2} {hand:8.2} {std:8.2} {over_hand:11.2} {of_std:11.2}{}",
                if holds { "" } else { "  too slow" }
            );
        }
    }
    if !hold {
        std::process::exit(1);
    }
}
