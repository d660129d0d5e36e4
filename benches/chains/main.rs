//! What chains of operations on tensors cost with all their gradients: `cargo bench --features tensor --bench chains`.
//!
//! Each is measured as one kernel forward and one backward, operation by operation, and as loops by hand over slices that are allocated once.
//! Where valgrind is installed, the instructions of the shorter ones are counted as well, and the program fails if a kernel has more than vector code would.
//! `-- --count NAME KIND [TIMES]` runs one program and nothing else, to be counted.

mod hand;

use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::time::Instant;

use autodiff::{Tensor, grad};

/// Rounds of measuring; a busy machine only ever adds time, so the fastest counts.
const ROUNDS: usize = 41;
/// Nanoseconds that one sample should take.
const SAMPLE: u128 = 1_000_000;
/// Rows, and their length.
const SIZES: [[usize; 2]; 2] = [[100, 100], [1_000, 1_000]];

/// Chains as kernels, and operation by operation, in either width.
macro_rules! chains {
    ($($name:ident($($x:ident),*) -> [$($to:tt)*] $body:block)*) => {
        chains!(@in fused32 f32 [] $($name($($x),*) -> [$($to)*] $body)*);
        chains!(@in fused64 f64 [] $($name($($x),*) -> [$($to)*] $body)*);
        chains!(@in apart32 f32 [__map_nothing] $($name($($x),*) -> [$($to)*] $body)*);
        chains!(@in apart64 f64 [__map_nothing] $($name($($x),*) -> [$($to)*] $body)*);
    };
    (@in $module:ident $t:ident $options:tt $($name:ident($($x:ident),*) -> [$($to:tt)*] $body:block)*) => {
        mod $module {
            #[allow(unused_imports, reason = "some give numbers")]
            use super::{Tensor, grad};
            $( chains!(@one $t $options $name($($x),*) -> [$($to)*] $body); )*
        }
    };
    (@one $t:ident [$($option:ident)?] $name:ident($($x:ident),*) -> [Tensor] $body:block) => {
        #[grad($($option)?)]
        pub(crate) fn $name($($x: &Tensor<$t>),*) -> Tensor<$t> $body
    };
    (@one $t:ident [$($option:ident)?] $name:ident($($x:ident),*) -> [generic] $body:block) => {
        #[grad($($option)?)]
        pub(crate) fn $name<T: autodiff::Float>($($x: &Tensor<T>),*) -> Tensor<T> $body
    };
    (@one $t:ident [$($option:ident)?] $name:ident($($x:ident),*) -> [number] $body:block) => {
        #[grad($($option)?)]
        pub(crate) fn $name($($x: &Tensor<$t>),*) -> $t $body
    };
}
chains! {
    tanh(a, b, c, d) -> [Tensor] { (a * b + c).tanh() * d }
    tanh_generic(a, b, c, d) -> [generic] { (a * b + c).tanh() * d }
    gelu_bias(h, bias) -> [Tensor] { (h + bias).gelu() }
    silu_gate(gate, up) -> [Tensor] { gate.silu() * up }
    layernorm(x, w, b) -> [Tensor] {
        let d = x - x.mean_axis_keep(1);
        let var = (&d * &d).mean_axis_keep(1);
        d / (var + 1e-5).sqrt() * w + b
    }
    softmax(x) -> [Tensor] {
        let e = (x - x.max_axis_keep(1)).exp();
        &e / e.sum_axis_keep(1)
    }
    huber(x, y) -> [number] {
        let q = (x - y).abs();
        let c = q.minimum(1.0);
        (&c * &c * 0.5 + (q - &c)).mean()
    }
    rms(x, y) -> [number] {
        let d = x - y;
        (&d * &d).mean().sqrt()
    }
}

/// A chain of one width and one size.
struct Chain {
    name: String,
    length: usize,
    /// Makes its operands, and the programs: as kernels, operation by operation, by hand.
    make: Box<dyn Fn() -> [Program; 3]>,
}

type Program = Box<dyn FnMut()>;

/// Numbers from −2 to 2.
macro_rules! numbers {
    ($t:ident) => {{
        let mut state = 1_u64;
        move |shape: &[usize]| {
            &*Box::leak(Box::new(Tensor::<$t>::from_fn(shape, |_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 40) as $t / (1_u64 << 22) as $t - 2.0
            })))
        }
    }};
}

/// Chains of one width and one size.
macro_rules! of {
    ($t:ident $fused:ident $apart:ident [$m:ident, $n:ident]; $($name:ident($($x:ident),*) $kind:ident;)*) => {
        vec![$(Chain {
            name: format!("{}-{}-{}", stringify!($name), stringify!($t), $m * $n),
            length: $m * $n,
            make: Box::new(move || {
                let mut numbers = numbers!($t);
                $(let $x = numbers(of!(@shape $x $m $n));)*
                let seed = numbers(&[$m, $n]);
                [
                    Box::new(move || of!(@run $kind $fused $name($($x),*) seed)),
                    Box::new(move || of!(@run $kind $apart $name($($x),*) seed)),
                    Box::new(hand::$name($m, $n, [$($x.to_vec()),*], seed.to_vec())),
                ]
            }),
        }),*]
    };
    (@shape row $m:ident $n:ident) => { &[$n] };
    (@shape other_row $m:ident $n:ident) => { &[$n] };
    (@shape $x:ident $m:ident $n:ident) => { &[$m, $n] };
    (@run seeded $module:ident $name:ident($($x:ident),*) $seed:ident) => {
        drop(black_box($module::$name::vjp($(black_box($x)),*, $seed.clone())))
    };
    (@run alone $module:ident $name:ident($($x:ident),*) $seed:ident) => {{
        black_box($module::$name::value_and_grad($(black_box($x)),*));
    }};
}

fn chains() -> Vec<Chain> {
    macro_rules! all {
        ($t:ident $fused:ident $apart:ident $m:ident $n:ident) => {
            of! {
                $t $fused $apart [$m, $n];
                tanh(a, b, c, d) seeded;
                tanh_generic(a, b, c, d) seeded;
                gelu_bias(a, row) seeded;
                silu_gate(a, b) seeded;
                layernorm(a, row, other_row) seeded;
                softmax(a) seeded;
                huber(a, b) alone;
                rms(a, b) alone;
            }
        };
    }
    let mut all = Vec::new();
    for [m, n] in SIZES {
        all.extend(all!(f32 fused32 apart32 m n));
        all.extend(all!(f64 fused64 apart64 m n));
    }
    all
}

/// The fastest of many rounds of several programs, taken in turn, in nanoseconds per element.
fn measure(chain: &Chain) -> [f64; 3] {
    let mut programs = (chain.make)();
    let calls = programs.each_mut().map(|program| {
        program();
        let start = Instant::now();
        program();
        (SAMPLE / start.elapsed().as_nanos().max(1)).clamp(1, 10_000)
    });
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for ((program, fastest), calls) in programs.iter_mut().zip(&mut fastest).zip(calls) {
            let start = Instant::now();
            (0..calls).for_each(|_| program());
            let nanos = start.elapsed().as_nanos() as f64;
            *fastest = fastest.min(nanos / calls as f64 / chain.length as f64);
        }
    }
    fastest
}

/// How many times the instructions of the loops by hand a kernel may have; one that is no vector code any more has more.
const MOST_BY_HAND: f64 = 4.0;
/// The same of the operations one by one, each of which is vector code of its own.
const MOST_APART: f64 = 1.1;
const KINDS: [&str; 3] = ["fused", "apart", "hand"];

/// The instructions per element of the three programs, if there is a tool that counts them.
fn count(chain: &Chain) -> Option<[f64; 3]> {
    let mut counts = [0.0; 3];
    for (count, kind) in counts.iter_mut().zip(KINDS) {
        let run = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg("--toggle-collect=*counted*")
            .arg(std::env::current_exe().ok()?)
            .args(["--count", &chain.name, kind])
            .output()
            .ok()?;
        let log = String::from_utf8_lossy(&run.stderr);
        let all = log
            .lines()
            .find_map(|line| line.split_once("Collected : "))?;
        *count = all.1.trim().parse::<f64>().ok()? / chain.length as f64;
    }
    Some(counts)
}

/// What a tool that counts instructions looks for.
#[inline(never)]
fn counted(program: &mut dyn FnMut(), times: usize) {
    (0..times).for_each(|_| program());
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let mut chains = chains();
    if arguments.first().is_some_and(|a| a == "--count") {
        let mut chosen = chains
            .into_iter()
            .filter(|c| arguments.get(1) == Some(&c.name));
        let kind = KINDS
            .iter()
            .position(|kind| arguments.get(2).is_some_and(|a| a == kind));
        let (Some(chain), Some(kind)) = (chosen.next(), kind) else {
            eprintln!("--count NAME fused|apart|hand [TIMES]");
            return ExitCode::from(2);
        };
        let times = arguments
            .get(3)
            .and_then(|times| times.parse().ok())
            .unwrap_or(1);
        // The pool has its buffers then.
        let program = &mut (chain.make)()[kind];
        program();
        counted(program, times);
        return ExitCode::SUCCESS;
    }
    chains.retain(|chain| {
        arguments.is_empty() || arguments.iter().any(|a| chain.name.contains(a.as_str()))
    });
    println!(
        "{:24} {:>8} {:>8} {:>8} {:>12} {:>11}   instructions",
        "ns per element", "fused", "apart", "by hand", "fused/apart", "fused/hand"
    );
    let mut lost = false;
    for chain in &chains {
        let [fused, apart, hand] = measure(chain);
        print!(
            "{:24} {fused:8.3} {apart:8.3} {hand:8.3} {:12.2} {:11.2}",
            chain.name,
            fused / apart,
            fused / hand
        );
        // Longer chains have no others.
        let short = chain.length == SIZES[0].iter().product::<usize>();
        if let (true, Some([fused, apart, hand])) = (short, count(chain)) {
            print!(" {fused:8.1} {apart:8.1} {hand:8.1}");
            if fused > MOST_BY_HAND * hand || fused > MOST_APART * apart {
                print!("   too many: this is no vector code");
                lost = true;
            }
        }
        println!();
    }
    ExitCode::from(u8::from(lost))
}
