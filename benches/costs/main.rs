//! What second derivatives and bounded memory cost, in gradients: `cargo bench --bench costs`.
//!
//! A Hessian of ten inputs may cost ten gradients, a loop with `#[checkpoint]` two of those without it or three where few states are kept.
//! A call costs the same however long the lists are that go through it untouched.
//! Cotangents that are known to be zero are stored, which costs less than to add to them.
//! A loop that asks `?` in each round costs what its program costs more.
//! A step of Adam may cost one and a half times a loop that was written by hand.

use std::cell::RefCell;
use std::hint::black_box;
use std::time::{Duration, Instant};

use autodiff::optim::Adam;
use autodiff::{Differentiable, Float, grad};

/// Rounds of measuring; a busy machine only ever adds time, so the fastest counts.
const ROUNDS: usize = 25;
/// So long should one sample take.
const SAMPLE: Duration = Duration::from_millis(1);

/// A function of ten numbers.
#[grad(order = 2)]
fn coupled(x: &[f64; 10]) -> f64 {
    let mut s = 0.5_f64;
    for i in 0..10 {
        s += (x[i] * x[(i + 3) % 10]).sin() * s.cos() + (0.5 * x[i]).exp() * 0.1;
    }
    s
}

#[grad(order = 2)]
fn pull(a: f64, b: f64) -> f64 {
    (a * b).sin()
}

#[grad(order = 2)]
fn lift(x: &[f64], i: usize) -> f64 {
    (0.5 * x[i]).exp() * 0.1
}

/// The same function, through calls.
#[grad(order = 2)]
fn through_calls(x: &[f64; 10]) -> f64 {
    let mut s = 0.5_f64;
    for i in 0..10 {
        s += pull(x[i], x[(i + 3) % 10]) * s.cos() + lift(x, i);
    }
    s
}

/// The same of whatever floats.
#[grad(order = 2)]
fn of_any_float<T: Float>(x: &[T; 10]) -> T {
    let mut s = T::from_f64(0.5);
    for i in 0..10 {
        s = s
            + (x[i] * x[(i + 3) % 10]).sin() * s.cos()
            + (T::from_f64(0.5) * x[i]).exp() * T::from_f64(0.1);
    }
    s
}

/// The same numbers in a type.
#[derive(Clone, Differentiable)]
struct Model {
    first: f64,
    rest: [f64; 9],
}

#[grad(order = 2)]
impl Model {
    fn energy(&self) -> f64 {
        let mut s = self.first;
        for i in 0..9 {
            s += (self.rest[i] * self.rest[(i + 3) % 9]).sin() * s.cos()
                + (0.5 * self.rest[i]).exp() * 0.1;
        }
        s
    }
}

#[grad(order = 2)]
impl Model {
    fn settle(&mut self) {
        for i in 0..9 {
            self.rest[i] += 0.1 * (self.rest[(i + 1) % 9] - self.first).sin();
        }
    }
}

/// Memory of its own is lent to be changed, time and again.
#[grad(order = 2)]
fn through_steps(model: &Model) -> f64 {
    let mut model = Model {
        first: model.first,
        rest: model.rest,
    };
    for _ in 0..5 {
        model.settle();
    }
    model.energy()
}

#[grad(order = 2)]
fn of_model(model: &Model) -> f64 {
    let mut s = model.first;
    for i in 0..9 {
        s += (model.rest[i] * model.rest[(i + 3) % 9]).sin() * s.cos()
            + (0.5 * model.rest[i]).exp() * 0.1;
    }
    s
}

#[grad(order = 2)]
fn through_a_method(model: &Model) -> f64 {
    model.energy()
}

/// `rounds` rounds of a recurrence of 100 numbers, with an option of its loop.
macro_rules! recurrence {
    ($name:ident $(, #[$option:meta])?) => {
        #[grad]
        fn $name(x: &[f64; 100], rounds: usize) -> f64 {
            let mut s = *x;
            $(#[$option])?
            for _ in 0..rounds {
                let first = s[0];
                for i in 0..99 {
                    s[i] = (s[i] * 0.9 + s[i + 1] * 0.1).sin();
                }
                s[99] = (s[99] * 0.8 + first * 0.2).sin();
            }
            s.iter().sum()
        }
    };
}

recurrence!(remembered);
recurrence!(every_thousand, #[checkpoint(every = 1000)]);
recurrence!(binomial, #[checkpoint]);

#[grad]
fn push_one(mut v: Vec<f64>, x: f64) -> Vec<f64> {
    v.push(x * x);
    v
}

/// A list goes through as many calls as it gets longer by.
#[grad]
fn handed_on(start: Vec<f64>, x: f64, rounds: usize) -> Vec<f64> {
    let mut v = start;
    v.push(x);
    for _ in 0..rounds {
        v = push_one(v, x);
    }
    v
}

#[grad]
fn apply<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x)
}

/// Each closure uses one element of the list.
#[grad]
#[allow(
    clippy::needless_range_loop,
    reason = "the list is what the closure captures"
)]
fn captured(list: &[f64], x: f64, rounds: usize) -> f64 {
    let mut s = x;
    for i in 0..rounds {
        s = apply(|t| (t * list[i]).sin(), s);
    }
    s
}

#[derive(Clone, Differentiable)]
struct Weights {
    list: Vec<f64>,
}

/// The same of a list in a struct.
#[grad]
#[allow(
    clippy::needless_range_loop,
    reason = "the struct is what the closure captures"
)]
fn captured_type(weights: &Weights, x: f64, rounds: usize) -> f64 {
    let mut s = x;
    for i in 0..rounds {
        s = apply(|t| (t * weights.list[i]).sin(), s);
    }
    s
}

/// Nanoseconds per call of 1,000, of which a list of that length is a part.
fn through_calls_with_lists(length: usize) {
    const CALLS: usize = 1000;
    let list = vec![0.9; length];
    let weights = Weights { list: list.clone() };
    let x = 0.7;
    let [copy, moved, reversed, captured, of_type] = times([
        &|| {
            black_box(black_box(&list).clone());
        },
        &|| {
            let start = (list.clone(), list.clone());
            black_box(handed_on::jvp(start.0, x, CALLS, (start.1, 1.0)));
        },
        &|| {
            let (_, back) = handed_on::pullback(list.clone(), x, CALLS);
            black_box(back(vec![1.0; length + CALLS + 1]));
        },
        &|| {
            black_box(captured::grad(black_box(&list), x, CALLS));
        },
        &|| {
            black_box(captured_type::grad(black_box(&weights), x, CALLS));
        },
    ]);
    let of = |seconds: f64| seconds * 1e9 / CALLS as f64;
    println!(
        "a list of {length} through 1000 calls   jvp {:.0}   vjp {:.0}   captured {:.0}   in a struct {:.0} ns a call, a copy of the list {:.0} ns",
        of(moved),
        of(reversed),
        of(captured),
        of(of_type),
        copy * 1e9
    );
}

/// Seconds per call of each, measured in turns.
fn times<const N: usize>(contestants: [&dyn Fn(); N]) -> [f64; N] {
    let calls = contestants.map(|f| {
        let start = Instant::now();
        f();
        let once = start.elapsed().as_nanos().max(1);
        (SAMPLE.as_nanos() / once).max(1) as u32
    });
    let mut fastest = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (k, f) in contestants.iter().enumerate() {
            let start = Instant::now();
            for _ in 0..calls[k] {
                f();
            }
            let taken = start.elapsed().as_secs_f64() / f64::from(calls[k]);
            fastest[k] = fastest[k].min(taken);
        }
    }
    fastest
}

fn second_derivatives() {
    let x = [0.3, 0.1, -0.4, 0.8, 0.5, -0.9, 0.2, 0.7, -0.1, 0.6];
    let [gradient, product, hessian] = times([
        &|| {
            black_box(coupled::value_and_grad(black_box(&x)));
        },
        &|| {
            black_box(coupled::hvp(black_box(&x), &x));
        },
        &|| {
            black_box(coupled::hessian(black_box(&x)));
        },
    ]);
    println!(
        "of an array of ten   hvp {:.2}   hessian {:.2} gradients",
        product / gradient,
        hessian / gradient
    );
    let hessian_of = |name: &str, gradient: &dyn Fn(), hessian: &dyn Fn()| {
        let [gradient, hessian] = times([gradient, hessian]);
        println!("{name:<20} hessian {:.2} gradients", hessian / gradient);
    };
    hessian_of(
        "through calls",
        &|| {
            black_box(through_calls::value_and_grad(black_box(&x)));
        },
        &|| {
            black_box(through_calls::hessian(black_box(&x)));
        },
    );
    hessian_of(
        "of whatever floats",
        &|| {
            black_box(of_any_float::value_and_grad(black_box(&x)));
        },
        &|| {
            black_box(of_any_float::hessian(black_box(&x)));
        },
    );
    let [first, rest @ ..] = x;
    let model = Model { first, rest };
    hessian_of(
        "of a struct of ten",
        &|| {
            black_box(of_model::value_and_grad(black_box(&model)));
        },
        &|| {
            black_box(of_model::hessian(black_box(&model)));
        },
    );
    hessian_of(
        "through a method",
        &|| {
            black_box(through_a_method::value_and_grad(black_box(&model)));
        },
        &|| {
            black_box(through_a_method::hessian(black_box(&model)));
        },
    );
    hessian_of(
        "through `&mut self`",
        &|| {
            black_box(through_steps::value_and_grad(black_box(&model)));
        },
        &|| {
            black_box(through_steps::hessian(black_box(&model)));
        },
    );
}

fn checkpoints(rounds: usize) {
    let x: [f64; 100] = std::array::from_fn(|i| 0.3 + 0.005 * i as f64);
    let expected = remembered::grad(&x, rounds);
    for gradient in [every_thousand::grad(&x, rounds), binomial::grad(&x, rounds)] {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
        assert!(
            gradient.iter().zip(&expected).all(near),
            "checkpoints change the gradient"
        );
    }
    let [plain, every, few] = times([
        &|| {
            black_box(remembered::grad(black_box(&x), rounds));
        },
        &|| {
            black_box(every_thousand::grad(black_box(&x), rounds));
        },
        &|| {
            black_box(binomial::grad(black_box(&x), rounds));
        },
    ]);
    println!(
        "{rounds} rounds of 100   every = 1000 {:.2}   binomial {:.2} of the gradient without",
        every / plain,
        few / plain
    );
}

/// A number without a logarithm.
#[derive(Debug)]
struct NoLogarithm;

#[grad]
fn logarithm(x: f64, limit: f64) -> f64 {
    if x < limit { 0.0 } else { x.ln() }
}

#[grad]
fn entropy(xs: &[f64], limit: f64) -> f64 {
    let mut sum = 0.0;
    for &x in xs {
        sum += logarithm(x, limit) * x;
    }
    sum
}

#[grad]
fn try_logarithm(x: f64, limit: f64) -> Result<f64, NoLogarithm> {
    if x < limit {
        return Err(NoLogarithm);
    }
    Ok(x.ln())
}

/// The same with `?` in each round.
#[grad]
fn try_entropy(xs: &[f64], limit: f64) -> Result<f64, NoLogarithm> {
    let mut sum = 0.0;
    for &x in xs {
        sum += try_logarithm(x, limit)? * x;
    }
    Ok(sum)
}

#[grad]
fn relax(x: f64, to: f64) -> f64 {
    if x > 1e9 {
        x
    } else {
        x + 0.01 * (to - x.sin())
    }
}

/// Each round goes on from the last.
#[grad]
fn relaxed(x: f64, rounds: usize) -> f64 {
    let mut state = x;
    for _ in 0..rounds {
        state = relax(state, x);
    }
    state
}

#[grad]
fn try_relax(x: f64, to: f64) -> Result<f64, NoLogarithm> {
    if x > 1e9 {
        Err(NoLogarithm)
    } else {
        Ok(x + 0.01 * (to - x.sin()))
    }
}

#[grad]
fn try_relaxed(x: f64, rounds: usize) -> Result<f64, NoLogarithm> {
    let mut state = x;
    for _ in 0..rounds {
        state = try_relax(state, x)?;
    }
    Ok(state)
}

/// What it costs that each round may fail.
fn question_marks(length: usize) {
    let xs: Vec<f64> = (0..length).map(|k| 1.0 + k as f64 * 0.01).collect();
    assert_eq!(
        entropy::grad(&xs, 0.5),
        try_entropy::grad(&xs, 0.5).unwrap()
    );
    let of = |name: &str, [program, tried, gradient, of_tried]: [f64; 4]| {
        println!(
            "{length} rounds of {name} with `?`   program {:.2}   gradient {:.2} of the ones without",
            tried / program,
            of_tried / gradient
        );
    };
    of(
        "a sum",
        times([
            &|| {
                black_box(entropy(black_box(&xs), 0.5));
            },
            &|| {
                let _ = black_box(try_entropy(black_box(&xs), 0.5));
            },
            &|| {
                black_box(entropy::value_and_grad(black_box(&xs), 0.5));
            },
            &|| {
                let _ = black_box(try_entropy::value_and_grad(black_box(&xs), 0.5));
            },
        ]),
    );
    of(
        "a recurrence",
        times([
            &|| {
                black_box(relaxed(black_box(0.3), length));
            },
            &|| {
                let _ = black_box(try_relaxed(black_box(0.3), length));
            },
            &|| {
                black_box(relaxed::value_and_grad(black_box(0.3), length));
            },
            &|| {
                let _ = black_box(try_relaxed::value_and_grad(black_box(0.3), length));
            },
        ]),
    );
}

macro_rules! stages {
    ($name:ident, $grad:meta) => {
        /// A list that each round writes anew, and one that it changes.
        #[$grad]
        fn $name(x: &[f64], rounds: usize) -> f64 {
            let mut y = vec![0.0; x.len()];
            let mut stage = vec![0.0; x.len()];
            for _ in 0..rounds {
                for i in 0..x.len() {
                    stage[i] = x[i] * y[i];
                }
                for i in 0..x.len() {
                    y[i] = stage[i] * 0.5 + x[i];
                }
            }
            y.iter().sum()
        }
    };
}
stages!(stages, grad);
stages!(stages_added_to, grad(__zero_all));

/// What it saves to store cotangents that are known to be zero.
fn known_zeros() {
    for length in [100, 1000, 10_000] {
        let (x, rounds) = (vec![0.3; length], 200_000 / length);
        assert_eq!(stages::grad(&x, rounds), stages_added_to::grad(&x, rounds));
        let [stored, added] = times([
            &|| {
                black_box(stages::grad(black_box(&x), rounds));
            },
            &|| {
                black_box(stages_added_to::grad(black_box(&x), rounds));
            },
        ]);
        println!(
            "stages of {length}   {:.2} of the gradient that adds to zeros and empties them",
            stored / added
        );
    }
}

/// A step of Adam in a loop, with its settings as constants.
fn adam_by_hand(p: &mut [f32], g: &[f32], m: &mut [f32], v: &mut [f32], t: i32) {
    const RATE: f32 = 1e-3;
    let (left1, left2) = (1.0 - 0.9_f32.powi(t), 1.0 - 0.999_f32.powi(t));
    let (mean, square) = (1.0 / left1, 1.0 / left2);
    for (((p, g), m), v) in p.iter_mut().zip(g).zip(m).zip(v) {
        *m = 0.9 * *m + 0.1 * g;
        *v = 0.999 * *v + 0.001 * g * g;
        *p -= RATE * (*m * mean) / ((*v * square).sqrt() + 1e-8);
    }
}

/// A step of Adam for so many numbers in single precision, in the time of one by hand.
fn optimiser(length: usize) {
    let gradient: Vec<f32> = (0..length).map(|k| (k as f32).sin()).collect();
    let start = vec![1.0_f32; length];
    let by_hand = RefCell::new((start.clone(), start.clone(), start.clone(), 0));
    let adam = RefCell::new((start, Adam::new(1e-3)));
    by_hand.borrow_mut().1.fill(0.0);
    by_hand.borrow_mut().2.fill(0.0);
    let [hand, step] = times([
        &|| {
            let (p, m, v, t) = &mut *by_hand.borrow_mut();
            *t += 1;
            adam_by_hand(black_box(p), black_box(&gradient), m, v, *t);
        },
        &|| {
            let (p, adam) = &mut *adam.borrow_mut();
            adam.step(black_box(p), black_box(&gradient));
        },
    ]);
    println!(
        "Adam for {length} of f32   {:.2} of a loop by hand",
        step / hand
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |option: &str| arguments.iter().any(|argument| argument == option);
    // Names of problems are for the other benchmark.
    if arguments.iter().any(|a| !a.starts_with('-')) && !given("costs") {
        return;
    }
    // Cargo passes `--bench` to a benchmark but not to one that runs as a test, which only checks.
    let measuring = given("--bench") && !given("--check");
    checkpoints(if measuring { 100_000 } else { 2000 });
    second_derivatives();
    known_zeros();
    question_marks(if measuring { 4096 } else { 64 });
    for length in [1000, 100_000] {
        through_calls_with_lists(length);
    }
    for length in [1000, if measuring { 10_000_000 } else { 2000 }] {
        optimiser(length);
    }
}
