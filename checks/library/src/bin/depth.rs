//! Functions that call themselves: their gradients reach a quarter of the depth that they reach themselves on the same stack.
//!
//! What overflows a stack ends its process, so each attempt is a process of its own.

use std::hint::black_box;
use std::process::{Command, Stdio};

use autodiff::grad;

/// The stack of each attempt.
const STACK: usize = 4 << 20;

#[grad]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 {
        x
    } else {
        (x * power(x, n - 1)).sin()
    }
}

#[grad]
fn series(w: &[f64], x: f64, n: usize) -> f64 {
    if n == 0 {
        x
    } else {
        (w[n % 3] * series(w, x, n - 1)).sin() * x
    }
}

#[grad]
fn in_place(a: &mut [f64], x: f64, n: usize) -> f64 {
    if n == 0 {
        return a[0] * x;
    }
    a[n % 3] = (a[n % 3] * x).sin();
    let below = in_place(a, x * 0.999, n - 1);
    below.cos() + a[0]
}

/// A function and its gradient, by the depth that they go to.
struct Contestant {
    name: &'static str,
    value: fn(usize),
    gradient: fn(usize),
}

const CONTESTANTS: [Contestant; 3] = [
    Contestant {
        name: "power",
        value: |n| {
            black_box(power(black_box(0.7), n));
        },
        gradient: |n| {
            black_box(power::vjp(black_box(0.7), n, 1.0));
        },
    },
    Contestant {
        name: "series",
        value: |n| {
            black_box(series(black_box(&[0.5, 0.6, 0.7][..]), black_box(0.7), n));
        },
        gradient: |n| {
            black_box(series::grad(
                black_box(&[0.5, 0.6, 0.7][..]),
                black_box(0.7),
                n,
            ));
        },
    },
    Contestant {
        name: "in_place",
        value: |n| {
            black_box(in_place(
                black_box(&mut [0.5, 0.6, 0.7][..]),
                black_box(0.7),
                n,
            ));
        },
        gradient: |n| {
            black_box(in_place::grad(
                black_box(&mut [0.5, 0.6, 0.7][..]),
                black_box(0.7),
                n,
            ));
        },
    },
];

/// Whether a process that calls it at this depth ends well.
fn holds(name: &str, what: &str, depth: usize) -> bool {
    let program = std::env::current_exe().expect("the program has a path");
    let mut attempt = Command::new(program);
    attempt.args([name, what, &depth.to_string()]);
    let status = attempt.stderr(Stdio::null()).status();
    status.expect("the program runs").success()
}

/// The depth that it reaches, but for a few steps.
fn depth(name: &str, what: &str) -> usize {
    let (mut reached, mut missed) = (1, STACK);
    while missed - reached > reached / 256 {
        let depth = reached.midpoint(missed);
        if holds(name, what, depth) {
            reached = depth;
        } else {
            missed = depth;
        }
    }
    reached
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, name, what, depth] = arguments.as_slice() {
        let contestant = CONTESTANTS.iter().find(|c| c.name == name);
        let contestant = contestant.expect("it has a name from the list");
        let called = match what.as_str() {
            "value" => contestant.value,
            _ => contestant.gradient,
        };
        let depth = depth.parse().expect("the depth is a number");
        let thread = std::thread::Builder::new().stack_size(STACK);
        let attempt = thread.spawn(move || called(depth));
        attempt
            .expect("a thread starts")
            .join()
            .expect("it does not panic");
        return;
    }
    for Contestant { name, .. } in CONTESTANTS {
        let (own, gradient) = (depth(name, "value"), depth(name, "gradient"));
        println!("{name} reaches a depth of {own}, its gradient {gradient}");
        assert!(
            4 * gradient >= own,
            "the gradient of {name} does not reach a quarter of that"
        );
    }
}
